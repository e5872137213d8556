#!/usr/bin/env python3
"""Check that all ways to install stacklint fit together, before a release is made.

    packaging/publish_check.py               # one line for each thing that does not fit; exit 1 if there is one
    packaging/publish_check.py --dist DIST   # also the archives, checksums and wheels that were built
    packaging/publish_check.py --self-test   # every check is tried with a copy of the files in which it has to fail

Needs Python 3.8 and nothing else. Reaches no network.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is read.
FILES = [
    ".github/workflows/release.yml", ".pre-commit-hooks.yaml", "CHANGELOG.md", "Cargo.lock", "Cargo.toml", "LICENSE", "README.md",
    "action/install.sh", "docs/ci/azure.md", "docs/ci/github.md", "docs/ci/gitlab.md", "docs/hooks.md", "docs/install.md", "editors/vscode/package.json", "packaging/archive.sh", "packaging/ci/azure.yml", "packaging/ci/gitlab.yml",
    "packaging/container/Containerfile", "packaging/community/homebrew/formula.sh", "packaging/community/homebrew/stacklint.rb.in", "packaging/community/nix/flake.nix",
    "packaging/wheel/pyproject.toml", "pyproject.toml", "setup.py",
]
# The ways to install it that the table in docs/install.md has, each with the file that makes it.
WAYS = {
    "archive": "packaging/archive.sh", "GitHub Action": "action.yml", "PyPI": "packaging/wheel", "pre-commit": "pyproject.toml",
    "container": "packaging/container/Containerfile", "crates.io": "Cargo.toml", "Homebrew": "packaging/community/homebrew",
    "Nix": "packaging/community/nix/flake.nix",
}


class Tree:
    """The files of the project, and what does not fit."""

    def __init__(self, root):
        self.root, self.problems = root, []
        self.texts = {}
        for name in FILES:
            path = root / name
            self.texts[name] = path.read_text(encoding="utf-8") if path.is_file() else ""
            self.expect(path.is_file(), name, "is missing")

    def __getitem__(self, name):
        return self.texts[name]

    def expect(self, holds, name, problem):
        if not holds:
            self.problems.append(f"{name}: {problem}")

    def find(self, name, pattern, what):
        found = re.search(pattern, self[name], re.MULTILINE)
        self.expect(found, name, f"has no {what}")
        return found.group(1) if found else ""


def cargo(tree):
    """The fields of Cargo.toml that all others follow: version, repository, description."""
    fields = {key: tree.find("Cargo.toml", rf'^{key} = "([^"]+)"$', key) for key in ("name", "version", "repository", "description")}
    tree.expect(re.fullmatch(r"\d+\.\d+\.\d+", fields["version"]), "Cargo.toml", f"{fields['version']} is no version")
    locked = re.search(r'^name = "stacklint"\nversion = "([^"]+)"$', tree["Cargo.lock"], re.MULTILINE)
    tree.expect(locked and locked.group(1) == fields["version"], "Cargo.lock", "has another version of stacklint: run cargo build")
    crates = re.findall(r'^[\w-]+ = \{ package = .*path = "crates/.*version = "([^"]+)" \}$', tree["Cargo.toml"], re.MULTILINE)
    tree.expect(crates and set(crates) == {fields["version"]}, "Cargo.toml", "names crates of the workspace in another version")
    return fields


def targets(tree):
    """The targets that the release builds: archives, and wheels."""
    pairs = re.findall(r"\{os: [\w.-]+, target: ([\w-]+), wheel: ([\w-]+)\}", tree[".github/workflows/release.yml"])
    tree.expect(pairs, ".github/workflows/release.yml", "has no list of targets")
    return [archive for archive, _ in pairs]


def archive_of(target, version):
    """The name of an archive and of the folder in it, as packaging/archive.sh makes them."""
    folder = f"stacklint-{version}-{target}"
    return folder + (".zip" if "windows" in target else ".tar.gz"), folder


def archives(tree):
    """packaging/archive.sh names archives as everything else expects them."""
    name, text = "packaging/archive.sh", tree["packaging/archive.sh"]
    tree.expect("name=stacklint-$version-$target\n" in text, name, "names the folder in another way")
    tree.expect("*windows*) archive=$name.zip" in text, name, "names the archive of Windows in another way")
    tree.expect("*) archive=$name.tar.gz" in text, name, "names archives in another way")
    tree.expect('>"$archive.sha256"' in text, name, "names the checksum in another way")


def binstall(tree, fields, built):
    """cargo binstall finds every archive, for every system it is for."""
    sections = dict(re.findall(r"^\[package\.metadata\.binstall(?:\.overrides\.([\w-]+))?\]\n((?:[\w-]+ = .*\n)+)", tree["Cargo.toml"], re.MULTILINE))
    values = {key: dict(re.findall(r'^([\w-]+) = "([^"]*)"$', text, re.MULTILINE)) for key, text in sections.items()}
    tree.expect("" in values, "Cargo.toml", "has no [package.metadata.binstall]")
    hosts = {target: target for target in built}
    hosts.update({t.replace("musl", "gnu"): t for t in built if t.endswith("-musl")})
    for key in values:
        tree.expect(not key or key in hosts, "Cargo.toml", f"binstall has an override for {key}, which the release does not build")
    for host, target in hosts.items():
        own = {**values.get("", {}), **values.get(host, {})}
        archive, folder = archive_of(target, fields["version"])

        def fill(template):
            names = {"repo": fields["repository"], "version": fields["version"], "name": fields["name"], "target": host, "bin": "stacklint",
                     "binary-ext": ".exe" if "windows" in host else ""}
            return re.sub(r"\{ ([\w-]+) \}", lambda m: names.get(m.group(1), m.group(0)), template)
        url = f"{fields['repository']}/releases/download/v{fields['version']}/{archive}"
        got = fill(own.get("pkg-url", ""))
        tree.expect(got == url, "Cargo.toml", f"binstall takes {got} on {host}, the release has {url}")
        tree.expect(own.get("pkg-fmt") == ("zip" if "windows" in host else "tgz"), "Cargo.toml", f"binstall expects another format on {host}")
        program = f"{folder}/stacklint" + (".exe" if "windows" in host else "")
        tree.expect(fill(own.get("bin-dir", "")) == program, "Cargo.toml", f"binstall looks for another file than {program} on {host}")


def action(tree, built):
    """The action downloads what the release builds."""
    named = set(re.findall(r"target=([\w-]+) ;;", tree["action/install.sh"]))
    tree.expect(named == set(built), "action/install.sh", f"knows the targets {sorted(named)}, the release builds {sorted(built)}")
    tree.expect("name=stacklint-$version-$target\n" in tree["action/install.sh"], "action/install.sh", "names archives in another way")


def container(tree, built):
    """The image is made from archives of the release."""
    for arch in re.findall(r"arch=(\w+)", tree["packaging/container/Containerfile"]):
        target = f"{arch}-unknown-linux-musl"
        tree.expect(target in built, "packaging/container/Containerfile", f"needs {target}, which the release does not build")
    tree.expect("/dist/stacklint-*-$arch-unknown-linux-musl.tar.gz" in tree["packaging/container/Containerfile"],
                "packaging/container/Containerfile", "takes archives of another name")


def homebrew(tree, fields, built):
    """The formula has an archive of the release, and the field of its checksum, for every system of Homebrew."""
    name = "packaging/community/homebrew/stacklint.rb.in"
    pairs = re.findall(r'url "([^"]+)"\n\s+sha256 "([^"]+)"', tree[name])
    wanted = [target for target in built if "windows" not in target]
    tree.expect(len(pairs) == len(wanted) == tree[name].count("url "), name, f"has {len(pairs)} archives with a checksum, the release {len(wanted)}")
    base = f"{fields['repository']}/releases/download/v@VERSION@/"
    for target in wanted:
        pair = (base + archive_of(target, "@VERSION@")[0], f"@SHA256:{target}@")
        tree.expect(pair in pairs, name, f"has not the archive of {target} with its checksum")
    tree.expect(f'homepage "{fields["repository"]}"' in tree[name], name, "has another home page")
    tree.expect(tree.find(name, r'^  license "([^"]+)"$', "license") == tree.find("Cargo.toml", r'^license = "([^"]+)"$', "license"),
                name, "has another license")
    for kind in ("completions/stacklint.bash", "completions/_stacklint", "completions/stacklint.fish"):
        tree.expect(kind in tree[name], name, f"does not install {kind}")
        tree.expect(f'"$stage/{kind}"' in tree["packaging/archive.sh"], "packaging/archive.sh", f"does not pack {kind}")
    tree.expect("packaging/community/homebrew/formula.sh dist >dist/stacklint.rb" in tree[".github/workflows/release.yml"],
                ".github/workflows/release.yml", "does not fill in the formula")


def nix(tree, built):
    """The flake takes name, version and dependencies from the files of cargo, for the systems of the release."""
    name, text = "packaging/community/nix/flake.nix", tree["packaging/community/nix/flake.nix"]
    tree.expect('builtins.readFile (root + "/Cargo.toml")' in text and "inherit (cargo) version;" in text, name, "has a version of its own")
    tree.expect('cargoLock.lockFile = root + "/Cargo.lock";' in text, name, "does not use Cargo.lock")
    tree.expect("root = ../../..;" in text, name, "does not name the root of the project")
    short = {"apple-darwin": "darwin", "unknown-linux-musl": "linux"}
    wanted = {f"{t.split('-', 1)[0]}-{short[t.split('-', 1)[1]]}" for t in built if t.split("-", 1)[1] in short}
    named = set(re.findall(r'"((?:x86_64|aarch64)-(?:linux|darwin))"', text))
    tree.expect(named == wanted, name, f"is for {sorted(named)}, the release for {sorted(wanted)}")


def python(tree):
    """The wheel and what pre-commit installs have the version of Cargo.toml."""
    wheel = "packaging/wheel/pyproject.toml"
    tree.expect('"version"' in tree.find(wheel, r"^dynamic = (\[.*\])$", "list of dynamic fields"), wheel, "has a version of its own")
    tree.expect(not re.search(r"^version = ", tree[wheel] + tree["pyproject.toml"], re.MULTILINE), "pyproject.toml", "has a version of its own")
    tree.expect(tree.find(wheel, r'^manifest-path = "([^"]+)"$', "manifest-path") == "../../Cargo.toml", wheel, "builds another crate")
    tree.expect('with_name("Cargo.toml")' in tree["setup.py"] and 'f"stacklint=={version}"' in tree["setup.py"], "setup.py",
                "does not depend on the wheel of the version in Cargo.toml")
    tree.expect("working-directory: packaging/wheel" in tree[".github/workflows/release.yml"], ".github/workflows/release.yml", "builds no wheel")


def documents(tree, version):
    """What documents tell to type names this version."""
    places = {
        "docs/ci/azure.md": [r"stacklint==(\d[\w.]*)"],
        "docs/ci/github.md": [r"stacklint@COMMIT # v(\d[\w.]*)"],
        "docs/ci/gitlab.md": [r"OWNER/stacklint:v(\d[\w.]*)"],
        "packaging/ci/azure.yml": [r"default: (\d[\w.]*)"],
        "packaging/ci/gitlab.yml": [r"OWNER/stacklint:v(\d[\w.]*)"],
        "docs/hooks.md": [r"rev: v(\d[\w.]*)"],
        "README.md": [r"stacklint@COMMIT # v(\d[\w.]*)"],
        "editors/vscode/package.json": [r'^  "version": "([^"]+)"'],
    }
    for name, patterns in places.items():
        for pattern in patterns:
            found = re.findall(pattern, tree[name], re.MULTILINE)
            tree.expect(found, name, f"says nowhere what {pattern} looks for")
            for other in sorted(set(found) - {version}):
                tree.expect(False, name, f"names the version {other}, Cargo.toml has {version}")
    tree.expect(re.search(rf"^## {re.escape(version)}\b", tree["CHANGELOG.md"], re.MULTILINE), "CHANGELOG.md", f"has no section {version}")


def install(tree):
    """The table in docs/install.md has every way to install, each made by a file that is there."""
    rows = re.findall(r"^\| ([^|`]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| [^|]+ \|$", tree["docs/install.md"], re.MULTILINE)
    table = {way.strip(): (made.strip(), task.strip()) for way, made, task in rows}
    for way, file in WAYS.items():
        made, task = table.get(way, ("", ""))
        tree.expect(way in table, "docs/install.md", f"the table of ways to install lacks {way}")
        tree.expect(way not in table or f"`{file}`" in made, "docs/install.md", f"{way} is made by {file}, the table says {made}")
        tree.expect(way not in table or task, "docs/install.md", f"{way}: the table does not say what a publisher must do")


def dist(tree, folder, version, built):
    """What was built: checksums that are right, and nothing of another version."""
    found = sorted(folder.glob("*.tar.gz")) + sorted(folder.glob("*.zip"))
    names = {archive_of(target, version)[0] for target in built}
    tree.expect(found, str(folder), "holds no archive")
    for path in found:
        tree.expect(path.name in names, str(path), "is no archive of this release")
        checksum = path.with_name(path.name + ".sha256")
        words = checksum.read_text().split() if checksum.is_file() else []
        tree.expect(words[:1] == [hashlib.sha256(path.read_bytes()).hexdigest()], str(checksum), "is not the checksum of the archive")
        tree.expect(words[1:] in ([path.name], ["*" + path.name]), str(checksum), "names another file")
    for path in folder.glob("*.whl"):
        tree.expect(path.name.startswith(f"stacklint-{version}-py3-none-"), str(path), "is no wheel of this release")


def problems(root, folder=None):
    """Everything that does not fit, a line each."""
    tree = Tree(root)
    fields, built = cargo(tree), targets(tree)
    archives(tree)
    binstall(tree, fields, built)
    action(tree, built)
    container(tree, built)
    homebrew(tree, fields, built)
    nix(tree, built)
    python(tree)
    documents(tree, fields["version"])
    install(tree)
    if folder:
        dist(tree, folder, fields["version"], built)
    return tree.problems


# File, what is replaced, by what: each has to be noticed.
MUTATIONS = [
    ("Cargo.toml", r'^version = ".*"$', 'version = "9.9.9"'),
    ("Cargo.toml", r'(path = "crates/hcl", version = )".*"', r'\1"9.9.9"'),
    ("Cargo.toml", r'^repository = ".*"$', 'repository = "https://example.org/x"'),
    ("Cargo.toml", r"\{ target \}\.tar\.gz", "{ target }.tgz"),
    ("Cargo.toml", r"-x86_64-unknown-linux-musl\.tar\.gz", "-x86_64-unknown-linux-gnu.tar.gz"),
    ("Cargo.toml", r'pkg-fmt = "zip"', 'pkg-fmt = "tgz"'),
    ("Cargo.toml", r"\{ bin \}", "bin/{ bin }"),
    ("Cargo.lock", r'(name = "stacklint"\nversion = )".*"', r'\1"9.9.9"'),
    ("packaging/archive.sh", r"name=stacklint-\$version-\$target", "name=stacklint-v$version-$target"),
    ("packaging/archive.sh", r"\$archive\.sha256", "$archive.sum"),
    ("packaging/archive.sh", r"completions/stacklint\.fish", "completions/fish"),
    (".github/workflows/release.yml", r"target: aarch64-apple-darwin", "target: riscv64gc-unknown-linux-musl"),
    (".github/workflows/release.yml", r"packaging/community/homebrew/formula\.sh dist >dist/stacklint\.rb", "true"),
    ("action/install.sh", r"target=aarch64-apple-darwin", "target=arm64-apple-darwin"),
    ("packaging/container/Containerfile", r"arch=aarch64", "arch=arm64"),
    ("packaging/community/homebrew/stacklint.rb.in", r'sha256 "@SHA256:x86_64-apple-darwin@"', 'sha256 "@SHA256:aarch64-apple-darwin@"'),
    ("packaging/community/homebrew/stacklint.rb.in", r'^\s+sha256 "@SHA256:aarch64-unknown-linux-musl@"\n', ""),
    ("packaging/community/homebrew/stacklint.rb.in", r"download/v@VERSION@", "download/@VERSION@"),
    ("packaging/community/nix/flake.nix", r"inherit \(cargo\) version;", 'version = "0.0.1";'),
    ("packaging/community/nix/flake.nix", r'"aarch64-darwin" ', ""),
    ("packaging/wheel/pyproject.toml", r'"version", ', ""),
    ("setup.py", r"stacklint==", "stacklint>="),
    ("pyproject.toml", r"^\[project\]", '[project]\nversion = "0.0.1"'),
    ("docs/ci/azure.md", r"stacklint==\d[\w.]*", "stacklint==0.0.1"),
    ("docs/hooks.md", r"rev: v\d[\w.]*", "rev: v0.0.1"),
    ("editors/vscode/package.json", r'"version": ".*"', '"version": "0.0.1"'),
    ("CHANGELOG.md", r"^## \d.*$", "## Next"),
    ("docs/install.md", r"^\| Homebrew .*\n", ""),
    ("docs/install.md", r"`packaging/community/nix/flake\.nix`", "`flake.nix`"),
]


def self_test():
    """The mutations that are not noticed; one that changes nothing is one of them."""
    missed = [f"the files as they are: {problem}" for problem in problems(ROOT)]
    with tempfile.TemporaryDirectory() as temp:
        root = pathlib.Path(temp)
        for name in FILES:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
        for name, pattern, by in MUTATIONS:
            path = root / name
            text = path.read_text(encoding="utf-8")
            changed = re.sub(pattern, by, text, flags=re.MULTILINE)
            path.write_text(changed, encoding="utf-8")
            if changed == text or not problems(root):
                missed.append(f"{name}: {pattern} -> {by} is not noticed")
            path.write_text(text, encoding="utf-8")
        for name in FILES:
            (root / name).rename(root / "aside")
            if not problems(root):
                missed.append(f"{name}: that it is missing is not noticed")
            (root / "aside").rename(root / name)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    found = self_test() if args.self_test else problems(ROOT, args.dist)
    for problem in found:
        print(problem)
    if not found:
        print(f"{len(MUTATIONS) + len(FILES)} mistakes are noticed" if args.self_test else "everything fits together")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
