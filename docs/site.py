#!/usr/bin/env python3
"""Builds the pages in docs/ as a site with a search, offline: target/site/index.html.

    python3 docs/site.py [--bin target/debug/stacklint] [--out target/site]

Needs mdBook (`cargo install mdbook --locked`). The page of the example is written by the program itself. The script fails if mdBook
warns, or if a link of the site leads nowhere; `cargo test --test cli docs` checks the links of the pages without building it.
"""
import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/stacklint/stacklint/blob/main/"
# Pages that are not in docs/, by their names in the site.
OTHERS = {
    "README.md": "index.md", "SECURITY.md": "security.md", "SHORTCOMINGS.md": "shortcomings.md", "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
EXAMPLE = '<iframe src="example/index.html" title="The page of a change"></iframe>\n\n[Open it alone](example/index.html).'


def name_in_site(path):
    """Returns the path in the site of a file of the repository, or None if it is not in it."""
    path = os.path.normpath(path)
    if path in OTHERS:
        return OTHERS[path]
    if path.startswith("docs/") and path != "docs/SUMMARY.md":
        return path[len("docs/"):]
    return path if path.startswith("schemas/") else None


def rewrite(text, page):
    """Returns a page with links that lead to pages of the site, and otherwise to the repository."""
    folder, here = os.path.dirname(page), os.path.dirname(name_in_site(page) or "")

    def target(link):
        if re.match(r"[a-z]+:|#", link) or not link:
            return link
        path, _, anchor = link.partition("#")
        path = os.path.normpath(os.path.join(folder, path))
        name = name_in_site(path)
        if name is None or (ROOT / path).is_dir():
            return REPOSITORY + path
        return os.path.relpath(name, here or ".") + (f"#{anchor}" if anchor else "")

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\]\(([^)\s]*)\)", lambda m: f"]({target(m[1])})", parts[i])
        parts[i] = re.sub(r'\b(src|srcset)="([^"]*)"', lambda m: f'{m[1]}="{target(m[2])}"', parts[i])
    return "".join(parts)


def title(path):
    return path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")


def properties():
    """Returns group, level, systems, fix and version of each rule as a line, from docs/rules.md."""
    found, group = {}, ""
    for line in (DOCS / "rules.md").read_text(encoding="utf-8").splitlines():
        group = line[3:] if line.startswith("## ") else group
        if rule := re.match(r"\| \[([\w-]+)\]\(rules/", line):
            level, systems, fix, since = (cell.strip() for cell in line.strip("| ").split("|")[-4:])
            fix = f" · fix: {fix}" if fix else ""
            found[rule[1]] = f"*{group} · {level} by default · {systems}{fix} · since {since}*"
    return found


def stage(book, binary):
    """Writes what mdBook reads into a folder."""
    pages, rules = book / "pages", properties()
    sources = [*DOCS.rglob("*.md"), *(ROOT / name for name in OTHERS)]
    for source in sources:
        page = source.relative_to(ROOT).as_posix()
        name = name_in_site(page)
        if name is None:
            continue
        text = rewrite(source.read_text(encoding="utf-8"), page)
        if source.stem in rules and source.parent.name == "rules":
            text = text.replace("\n", f"\n\n{rules[source.stem]}\n", 1)
        # mdBook draws no diagrams without a network; the architecture page has one of text.
        text = re.sub(r"^```mermaid\n.*?^```$", "The picture is in [Architecture](architecture.md).", text, flags=re.M | re.S)
        if name == "example.md":
            text = text.replace("<!-- the page of the example -->", EXAMPLE)
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    contents = rewrite((DOCS / "SUMMARY.md").read_text(encoding="utf-8"), "docs/SUMMARY.md")
    rules = "".join(f"  - [{title(path)}](rules/{path.name})\n" for path in sorted((DOCS / "rules").glob("*.md")))
    contents = contents.replace("- [Rules](rules.md)\n", "- [Rules](rules.md)\n" + rules)
    (pages / "SUMMARY.md").write_text(contents, encoding="utf-8")
    for picture in DOCS.glob("*.svg"):
        shutil.copy(picture, pages)
    shutil.copytree(ROOT / "schemas", pages / "schemas")
    for name in ("book.toml", "site.css"):
        shutil.copy(DOCS / name, book)
    example(pages / "example", binary)


def example(folder, binary):
    """Writes the page of the example."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as temp:
        shown = subprocess.run([binary, "demo", "--keep"], env=dict(os.environ, TMPDIR=temp), capture_output=True, text=True, check=True)
        repository = re.search(r"^The example is in (.*)$", shown.stdout, re.MULTILINE)[1]
        subprocess.run([binary, "report", "HEAD~1..HEAD", "--out", folder / "index.html"], cwd=repository, check=True,
                       stdout=subprocess.DEVNULL)


class Links(html.parser.HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src", "srcset") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.ids.add(value)


def dead_links(site):
    """Returns the links of the site that lead nowhere. The page of the example makes its own while it is shown."""
    pages = {path: Links(path) for path in site.rglob("*.html") if "example" not in path.relative_to(site).parts and path.name != "404.html"}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
                dead.append(f"{path.relative_to(site)}: {link}")
    return sorted(set(dead))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default="target/debug/stacklint")
    options.add_argument("--out", default="target/site", type=pathlib.Path)
    options = options.parse_args()
    binary, out = os.path.abspath(options.bin), options.out.absolute()
    with tempfile.TemporaryDirectory() as temp:
        book = pathlib.Path(temp).resolve()
        stage(book, binary)
        built = subprocess.run(["mdbook", "build", book], capture_output=True, text=True, check=False)
        if built.returncode or re.search(r"WARN|ERROR", built.stderr):
            sys.exit(built.stderr)
        dead = dead_links(book / "site")
        if dead:
            sys.exit("dead links:\n" + "\n".join(dead))
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(book / "site", out)
    print(out / "index.html")


if __name__ == "__main__":
    main()
