#!/usr/bin/env python3
"""Compares the list of affected components with what differs, over commits of repositories.

    python3 bench/affected.py --bin target/release/stacklint --commits 30 CLONE...

For each of the last commits that touch configuration or code, a component has to be in the list of `diff --format affected`

- if `describe stacks` prints something else for it in the two revisions, each resolved as a whole, or
- if the code in its folder, in local modules that this calls, or in files of variables there has other tokens: comments and layout
  are left out. This is read here with git and regular expressions, so it does not know what stacklint reaches.

What is missing is printed. Superfluous is a job of `--format matrix` for which neither is so. Removed components count as missing if the
list does not have them, components that one side could not resolve do not count: these are jobs, and counted as `unresolved`.
"""

import argparse
import json
import posixpath
import re
import subprocess
import sys
from collections import Counter

CODE = re.compile(r"\.(tf|tofu|tf\.json|tofu\.json)$")
VALUES = re.compile(r"(^|/)(terraform\.tfvars(\.json)?|[^/]*\.auto\.tfvars(\.json)?)$")
TOUCHED = re.compile(r"\.(tf|tofu|hcl|tfvars|ya?ml|json|tpl|tftpl|tmpl)$")
SOURCE = re.compile(r'^\s*source\s*=\s*"(\.{1,2}/[^"?]*)', re.M)
NAMED = re.compile(r'\b(?:file|templatefile|filebase64|filemd5|filesha256)\(\s*"(?:\$\{path\.(?:module|root)\}/)?([^"$]+)"')
TOKEN = re.compile(r'#[^\n]*|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[^\s"#/]+|/', re.S)


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, timeout=300)


def blocks(tokens):
    """The blocks and attributes of a file: where one is written in a folder of code makes no difference."""
    found, depth = [[]], 0
    for token in tokens:
        found[-1].append(token)
        depth += 0 if token.startswith('"') else sum(map(token.count, "{[(")) - sum(map(token.count, "}])"))
        if depth <= 0 and token.endswith("}"):
            found.append([])
    return [" ".join(block) for block in found if block]


class Tree:
    """The files of one commit."""

    def __init__(self, clone, commit):
        self.clone, self.commit = clone, commit
        lines = run("git", "-C", clone, "ls-tree", "-r", "-z", commit).stdout.decode("utf-8", "replace").split("\0")
        self.blobs = {line.split("\t", 1)[1]: line.split()[2] for line in lines if "\t" in line}
        self.folders = {}
        for path in self.blobs:
            self.folders.setdefault(posixpath.dirname(path), []).append(path)
        self.closures, self.actions = {}, None

    def tokens(self, path):
        key = self.blobs[path]
        if key not in TOKENS:
            text = run("git", "-C", self.clone, "cat-file", "blob", key).stdout.decode("utf-8", "replace")
            kept = [t for t in TOKEN.findall(text) if not t.startswith(("#", "//", "/*"))]
            TOKENS[key] = (blocks(kept), text)
        return TOKENS[key]

    def garden(self):
        """The folders of builds whose files are all that is below them: those that one text alone declares, without patterns."""
        if self.actions is None:
            found = {}
            for path in self.blobs:
                if re.search(r"garden\.ya?ml$", path):
                    for text in re.split(r"^---", self.tokens(path)[1], flags=re.M):
                        kind, name = (re.search(rf"^{key}: *[\"']?([\w-]+)", text, re.M) for key in ("kind", "name"))
                        if kind and name:
                            key = ({"Module": "build"}.get(kind[1], kind[1].lower()), name[1])
                            is_plain = key not in found and not re.search(r"^(include|exclude|source):", text, re.M)
                            found[key] = posixpath.dirname(path) + "/**" if is_plain else None
            self.actions = {key: folder for key, folder in found.items() if folder}
        return self.actions

    def code(self, folder):
        """What the code of a folder consists of: blocks by folder, other files by path."""
        if folder.endswith("**"):
            return {path: blob for path, blob in self.blobs.items() if path.startswith(folder[:-2].lstrip("/"))}
        if folder not in self.closures:
            found, todo, seen = {}, [folder], set()
            while todo:
                at = todo.pop()
                if at in seen:
                    continue
                seen.add(at)
                for path in self.folders.get(at, []):
                    if CODE.search(path):
                        tokens, text = self.tokens(path)
                        found[at] = sorted(found.get(at, []) + tokens)
                        todo += [posixpath.normpath(posixpath.join(at, s)).removeprefix(".") for s in SOURCE.findall(text)]
                        for name in NAMED.findall(text):
                            named = posixpath.normpath(posixpath.join(at, name))
                            if named in self.blobs:
                                found[named] = self.blobs[named]
                    elif at == folder and VALUES.search(path):
                        found[path] = self.tokens(path)[0]
            self.closures[folder] = found
        return self.closures[folder]


GARDEN = ("build", "deploy", "run", "test", "project", "provider", "workflow")
TOKENS = {}


class State:
    """One commit: its components by (stack, type, name), each with what is printed and the folder of its code."""

    def __init__(self, program, clone, commit):
        self.tree = Tree(clone, commit)
        self.components, self.is_whole, self.systems = {}, False, set()
        described = run(program, "describe", "stacks", "--rev", commit, "--format", "json", cwd=clone)
        if described.returncode not in (0, 1):
            return
        self.is_whole = described.returncode == 0
        for stack, body in json.loads(described.stdout or "{}").items():
            for kind, components in body.get("components", {}).items():
                for name, value in components.items():
                    self.add(stack, kind, name, value)
        # What the code of a unit makes belongs to the unit.
        units = {posixpath.join(*a[::2]): a for a in self.components if a[1] == "unit"}
        for address in [a for a in self.components if a[1] == "root" and a[0] in units]:
            value, folder = self.components[units[address[0]]]
            self.components[units[address[0]]] = ({"unit": value, "code": self.components.pop(address)[0]}, folder)

    def add(self, stack, kind, name, value):
        place = value.get("component_info", {}).get("component_path") if isinstance(value, dict) else None
        if kind == "unit":
            self.systems.add("terragrunt")
            folder = posixpath.join(stack, name)
            terraform = value.get("terraform")
            source = terraform.get("source") if isinstance(terraform, dict) else None
            local = isinstance(source, str) and source.startswith(".")
            code = posixpath.normpath(posixpath.join(folder, source.split("?")[0])) if local else folder
            self.components[(stack, kind, name)] = (value, None if source and not local else code)
        elif place is not None:
            self.systems.add("atmos")
            metadata = value.get("metadata") or {}
            if metadata.get("type") != "abstract" and metadata.get("enabled") is not False:
                self.components[(stack, kind, name)] = (value, posixpath.normpath(place))
        elif kind in GARDEN:
            self.systems.add("garden")
            self.components[(stack, kind, name)] = (value, self.tree.garden().get((kind, name)) if kind == "build" else None)
        else:
            self.systems.add("opentofu")
            folder = stack.split("@")[0]
            known = self.components.setdefault((stack, "root", folder), ({}, "" if folder == "." else folder))[0]
            known[f"{kind}.{name}"] = value

    def of(self, address):
        """What is printed of a component, and the tokens of its code."""
        value, folder = self.components[address]
        return json.dumps(value, sort_keys=True), self.tree.code(folder) if folder is not None else {}


def listed(program, clone, base, head, form):
    result = run(program, "diff", f"{base}..{head}", "--format", form, cwd=clone)
    if result.returncode not in (0, 1):
        return None
    items = json.loads(result.stdout or "[]")
    items = items["include"] if form == "matrix" else items
    return {(i["stack"], i["component_type"], i["component"]): i for i in items}


def is_in(address, items):
    # A root module is listed by its folder.
    stack, kind, _ = address
    return address in items or kind == "root" and any(i[0] == stack for i in items)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--commits", type=int, default=30, help="of each clone")
    parser.add_argument("clones", nargs="+")
    options = parser.parse_args()
    totals, by_system = Counter(), {}
    for clone in options.clones:
        history = run("git", "-C", clone, "log", "--first-parent", "--no-merges", "--format=%H %P", "-n", "400").stdout.decode()
        counts, last = Counter(), (None, None)
        for line in history.splitlines():
            commit, *parents = line.split()
            if len(parents) != 1 or counts["commits"] >= options.commits:
                continue
            names = run("git", "-C", clone, "diff-tree", "-r", "--name-only", parents[0], commit).stdout.decode()
            if not any(TOUCHED.search(name) for name in names.splitlines()):
                continue
            try:
                head = last[1] if last[0] == commit else State(options.bin, clone, commit)
                base = State(options.bin, clone, parents[0])
                affected = listed(options.bin, clone, parents[0], commit, "affected")
                jobs = listed(options.bin, clone, parents[0], commit, "matrix")
            except (json.JSONDecodeError, subprocess.TimeoutExpired) as error:
                print(f"{clone} {commit[:12]}: {error}", file=sys.stderr)
                continue
            last = (parents[0], base)
            if affected is None or jobs is None or not (base.components or head.components):
                continue
            counts["commits"] += 1
            differing = set()
            for address in base.components.keys() | head.components.keys():
                if address in base.components and address in head.components:
                    if base.of(address) != head.of(address):
                        differing.add(address)
                elif (address in head.components or head.is_whole) and (address in base.components or base.is_whole):
                    differing.add(address)
            missing = [a for a in differing if not is_in(a, affected)]
            roots = {a[0] for a in differing if a[1] == "root"}
            known = base.components.keys() | head.components.keys()
            # Which files an action of Garden has is not known here: one that is listed has to differ.
            edited = {a for a, item in affected.items() if a[1] in GARDEN and item.get("file") in names.splitlines()}
            unresolved = {a for a, item in affected.items() if "unresolved" in item["affected_all"]}
            known = {j for j in jobs if j in known or j[1] == "root"}
            superfluous = [j for j in known - differing - edited - unresolved if j[0] not in roots]
            counts.update(differing=len(differing), jobs=len(jobs), unresolved=len(unresolved & jobs.keys()))
            counts.update(missing=len(missing), superfluous=len(superfluous))
            for address in missing:
                print(f"missing: {clone} {commit[:12]} {'/'.join(address)}")
            for address in superfluous:
                print(f"superfluous: {clone} {commit[:12]} {'/'.join(address)}")
        totals += counts
        system = "+".join(sorted(head.systems | base.systems)) if counts["commits"] else "nothing"
        by_system.setdefault(system, Counter()).update(counts)
        print(f"{clone} ({system}): {dict(counts)}", flush=True)
    for system, counts in sorted(by_system.items()):
        print(f"{system}: {dict(counts)}")
    print(f"all: {dict(totals)}")
    return 1 if totals["missing"] else 0


if __name__ == "__main__":
    sys.exit(main())
