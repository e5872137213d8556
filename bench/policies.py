#!/usr/bin/env python3
"""Evaluate the examples of docs/policies.md over the repository of the demonstration and over a large generated one.

    policies.py --stacklint PATH [--repository FOLDER] [--copies 20] [--runs 6]

FOLDER is a git repository with at least two commits (`bench/generate.py` makes one). It is copied, the copy gets the examples in
a `stacklint.toml` of both commits, and for each policy the findings of `check` and of `diff HEAD~1 HEAD` are counted. The last line
compares the processor time of `check` with that many policies (the examples repeated under other ids) to that without one,
measured in turn.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = re.compile(r"^`([^`]+)`:\n\n```\w*\n(.*?)^```$", re.M | re.S)


def examples():
    """The settings of each example, and the files that they name."""
    page = (ROOT / "docs/policies.md").read_text()
    found, files = [], {}
    for section in page.split("\n### ")[1:]:
        for path, text in FILE.findall(section):
            if path == "stacklint.toml":
                found.append(text)
            elif path.startswith("policies/"):
                files[path] = text
    return found, files


def git(folder, *args):
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


def settings(found, count):
    """So many policies: the examples, and then again under other ids."""
    tables = []
    for i in range(count):
        text = found[i % len(found)]
        again = i // len(found)
        tables.append(re.sub(r'^id = "([^"]+)"', lambda m: f'id = "{m[1]}-{again}"' if again else m[0], text, flags=re.M))
    return "\n".join(tables)


def put(folder, text, files):
    for path, content in {"stacklint.toml": text, **files}.items():
        target = folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(content)


def demo(target):
    """The repository of the demonstration, with its two commits."""
    shutil.copytree(ROOT / "fixtures/demo/base", target)
    git(target, "init", "-q")
    git(target, "add", "-A")
    git(target, "commit", "-qm", "base")
    shutil.copytree(ROOT / "fixtures/demo/head", target, dirs_exist_ok=True)
    git(target, "add", "-A")
    git(target, "commit", "-qm", "head")


def with_policies(repository, text, files):
    """Puts policies below both of the last commits."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True).stdout.strip()
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    put(repository, text, files)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "policies")
    git(repository, "cherry-pick", head)


def counted(stacklint, repository, args):
    """The number of findings by rule."""
    run = subprocess.run([stacklint, *args, "--format", "json"], cwd=repository, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{args}: {run.stderr}")
    return collections.Counter(finding["rule"] for finding in json.loads(run.stdout)["diagnostics"])


def seconds(stacklint, repository):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([stacklint, "check"], cwd=repository, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def show(stacklint, name, repository, found):
    ids = [re.search(r'^id = "([^"]+)"', text, re.M)[1] for text in found]
    checked, changed = counted(stacklint, repository, ["check"]), counted(stacklint, repository, ["diff", "HEAD~1", "HEAD"])
    print(f"{name}:")
    for policy in ids:
        print(f"  {policy:<22} check {checked[policy]:>5}   diff {changed[policy]:>5}")
    for problem in ("invalid-policy", "limit-exceeded", "unused-policy"):
        if checked[problem] or changed[problem]:
            print(f"  {problem:<22} check {checked[problem]:>5}   diff {changed[problem]:>5}")
    return any(checked[p] or changed[p] for p in ("invalid-policy", "limit-exceeded"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stacklint", default=ROOT / "target/release/stacklint", help="the binary")
    parser.add_argument("--repository", help="a large repository to copy")
    parser.add_argument("--copies", type=int, default=20, help="how many policies are compared to none")
    parser.add_argument("--runs", type=int, default=6, help="how often each is measured")
    options = parser.parse_args()
    stacklint, (found, files) = os.path.abspath(options.stacklint), examples()
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "demo"
        demo(small)
        with_policies(small, settings(found, len(found)), files)
        failed = show(stacklint, "demonstration", small, found)
        if options.repository:
            large, plain = pathlib.Path(folder) / "large", pathlib.Path(folder) / "plain"
            for copy in (large, plain):
                git(folder, "clone", "-q", options.repository, str(copy))
            with_policies(large, settings(found, len(found)), files)
            failed |= show(stacklint, options.repository, large, found)
            put(large, settings(found, options.copies), files)
            pairs = [(seconds(stacklint, plain), seconds(stacklint, large)) for _ in range(options.runs)]
            without, every = ([pair[i] for pair in pairs] for i in (0, 1))
            mean, least = sum(every) / sum(without), min(every) / min(without)
            print(f"check with {options.copies} policies takes {mean:.2f} times that with none (least of each: {least:.2f})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
