#!/usr/bin/env python3
"""Attributes the time of a first build to the direct dependencies.

    cargo clean && cargo build --timings && bench/dependencies.py [target/cargo-timings/cargo-timing.html]

Prints a Markdown table: for each direct dependency how many crates and how many seconds of compiler time only it needs (what
removing it saves), and the seconds of all that it is built from, shared crates included.
"""
import collections, json, pathlib, re, subprocess, sys


def compiled(page):
    """Seconds by (name, version), build scripts included, from a page of `cargo build --timings`."""
    units = json.loads(re.search(r"UNIT_DATA = (\[.*?\]);", page, re.S).group(1))
    seconds = collections.Counter()
    for unit in units:
        seconds[unit["name"], unit["version"]] += unit["duration"]
    return seconds


def graph(metadata):
    """What each package is built from, development dependencies left out, by package id."""
    edges = {}
    for node in metadata["resolve"]["nodes"]:
        kinds = lambda dep: {kind["kind"] for kind in dep["dep_kinds"]}
        edges[node["id"]] = [dep["pkg"] for dep in node["deps"] if kinds(dep) != {"dev"}]
    return edges


def reached(edges, start, without=None):
    """The packages that some packages are built from, themselves included."""
    found, open_ = set(), [one for one in start if one != without]
    while open_:
        one = open_.pop()
        if one not in found:
            found.add(one)
            open_.extend(next_ for next_ in edges[one] if next_ != without)
    return found


def main():
    page = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/cargo-timings/cargo-timing.html").read_text()
    seconds = compiled(page)
    run = ["cargo", "metadata", "--format-version", "1", "--offline"]
    metadata = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)
    name = {package["id"]: (package["name"], package["version"]) for package in metadata["packages"]}
    edges, root = graph(metadata), metadata["resolve"]["root"]
    # Only what this build compiled: other platforms need other crates.
    cost = lambda packages: sum(seconds.get(name[one], 0) for one in packages)
    built = lambda packages: sum(name[one] in seconds for one in packages)
    direct = edges[root]
    everything = reached(edges, direct)
    rows = []
    for one in direct:
        others = reached(edges, [other for other in direct if other != one], without=one)
        alone = everything - others
        rows.append((cost(alone), name[one][0], built(alone), cost(reached(edges, [one]))))
    print("| dependency | only for it | crates | with shared ones |\n|---|--:|--:|--:|")
    for own, crate, crates, whole in sorted(rows, reverse=True):
        if crates or whole:
            print(f"| `{crate}` | {own:.1f} s | {crates} | {whole:.1f} s |")
    print(f"\nAll dependencies: {cost(everything):.0f} s in {built(everything)} crates; the program itself "
          f"{cost([root]):.0f} s.")


if __name__ == "__main__":
    main()
