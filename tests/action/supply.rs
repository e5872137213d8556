//! What is released, and what it is built with: pinned, reproducible, and signed by jobs that build nothing.

use crate::common::Repo;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// The jobs of a workflow, each with its lines.
fn jobs(workflow: &str) -> Vec<(String, String)> {
    let text = read(workflow);
    let (_, jobs) = text.split_once("\njobs:\n").unwrap();
    let mut found: Vec<(String, String)> = Vec::new();
    for line in jobs.lines() {
        match line.strip_prefix("  ").filter(|name| name.ends_with(':') && !name.starts_with([' ', '#'])) {
            Some(name) => found.push((name.trim_end_matches(':').to_owned(), String::new())),
            None => found.last_mut().unwrap().1.push_str(&format!("{line}\n")),
        }
    }
    found
}

#[test]
fn what_signs_runs_nothing() {
    let all: Vec<_> = WORKFLOWS.iter().flat_map(|workflow| jobs(workflow)).collect();
    let signing: Vec<_> = all.iter().filter(|(_, text)| text.contains("id-token: write")).collect();
    let names: Vec<&str> = signing.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["attest", "pypi", "attest-container"]);
    for (name, text) in signing {
        let scripts: Vec<&str> = text.lines().filter(|line| line.contains("run:")).collect();
        let is_harmless = |line: &&str| line.trim() == "- run: mkdir wheels && mv dist/*.whl wheels";
        assert!(scripts.iter().all(is_harmless) && !text.contains("actions/checkout"), "{name}: {text}");
    }
    let attested = all.iter().filter(|(_, text)| text.contains("attest-build-provenance@")).count();
    assert_eq!(attested, 2, "archives and the container");
}

#[test]
fn tools_are_pinned() {
    let mut compilers = Vec::new();
    for workflow in WORKFLOWS {
        let text = read(workflow);
        compilers.extend(text.lines().find_map(|line| Some(line.trim().strip_prefix("RUST: ")?.to_owned())));
        for line in text.lines() {
            assert!(!line.contains("rustup update") && !line.contains("rustup default stable"), "{workflow}: {line}");
            assert!(!line.contains("cargo install") || line.contains("--locked --version "), "{workflow}: {line}");
        }
        let maturin = text.matches("PyO3/maturin-action@").count();
        assert_eq!(text.matches("maturin-version: v").count(), maturin, "{workflow}");
    }
    assert!(compilers.len() == 2 && compilers[0] == compilers[1], "{compilers:?}");
}

/// A tag of an image can be moved, its digest cannot.
#[test]
fn images_are_pinned_by_digest() {
    let names = ["alpine:", "python:", "debian:", "ubuntu:", "rust:"];
    let mut found = 0;
    for file in WORKFLOWS.iter().chain(&["packaging/container/Containerfile"]) {
        for line in read(file).lines() {
            let words = line.split([' ', '\'', '"', ',', '[', ']']).filter(|w| names.iter().any(|n| w.starts_with(n)));
            for image in words {
                let digest = image.split_once("@sha256:").map_or("", |(_, digest)| digest);
                let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
                assert!(is_digest, "{file}: {line}");
                found += 1;
            }
        }
    }
    assert_eq!(found, 6, "two of the container, one of the test, three of the release");
    let container = read("packaging/container/Containerfile");
    assert!(container.lines().filter(|l| l.starts_with("FROM ")).all(|l| l.contains("@sha256:")), "{container}");
}

/// Snippets are copied: a tag in one can be moved to other code.
#[test]
fn snippets_of_the_documentation_are_pinned() {
    let mut waiting: Vec<PathBuf> = ["README.md", "docs"].map(|p| Path::new(env!("CARGO_MANIFEST_DIR")).join(p)).into();
    let mut found = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let lines = text.lines().map(|line| line.trim().trim_start_matches("- "));
        for action in lines.filter_map(|line| line.strip_prefix("uses: ")) {
            let commit = action.split(' ').next().and_then(|action| action.rsplit_once('@')).map_or("", |(_, c)| c);
            let is_commit = commit == "COMMIT" || commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit, "{}: {action}", path.display());
            found += 1;
        }
    }
    assert!(found > 3);
}

/// `deny.toml` lists all versions of a crate but the newest one, and no others.
#[test]
fn several_versions_of_a_crate_are_listed() {
    let lock = read("Cargo.lock");
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]\n").skip(1) {
        let field = |name: &str| package.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim_matches('"');
        versions.entry(field("name = ")).or_default().push(field("version = "));
    }
    let numbers =
        |version: &str| -> Vec<u64> { version.split(['.', '-', '+']).map(|n| n.parse().unwrap_or(0)).collect() };
    let mut older: Vec<String> = Vec::new();
    for (name, mut versions) in versions {
        versions.sort_by_key(|version| numbers(version));
        older.extend(versions.iter().rev().skip(1).rev().map(|version| format!("{name}@{version}")));
    }
    let deny = read("deny.toml");
    let listed: Vec<&str> =
        deny.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\",")).collect();
    let listed: Vec<&str> = listed.into_iter().filter(|name| name.contains('@')).collect();
    assert_eq!(listed, older);
    assert!(deny.contains("unknown-registry = \"deny\"") && deny.contains("allow-git = []"));
}

/// A release lists its crates, in a file that is published and attested like the archives.
#[test]
fn a_release_has_a_list_of_all_crates() {
    let all = jobs(".github/workflows/release.yml");
    let of = |name: &str| all.iter().find(|(job, _)| job == name).map(|(_, text)| &**text).unwrap();
    let sbom = of("sbom");
    assert!(sbom.contains("cargo cyclonedx") && sbom.contains("name: dist-sbom"), "{sbom}");
    for job in ["attest", "release"] {
        assert!(of(job).contains("dist/*.cdx.json"), "{job}");
    }
}

/// The same files make the same archive, whatever their times, permissions and order are.
#[test]
fn archives_are_reproducible() {
    let repo = Repo::plain();
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/pack.py");
    let mut made: Vec<Vec<u8>> = Vec::new();
    for (folder, names) in
        [("a", ["x/stacklint", "x/man/b.1", "x/LICENSE"]), ("b", ["x/LICENSE", "x/stacklint", "x/man/b.1"])]
    {
        for name in names {
            let path = format!("{folder}/{name}");
            repo.write(&path, format!("{name}\n"));
            if folder == "b" {
                repo.executable(&path);
                let touched = Command::new("touch").args(["-d", "2001-01-01"]).arg(repo.root().join(&path)).status();
                assert!(touched.unwrap().success());
            }
        }
        for archive in ["x.tar.gz", "x.zip"] {
            let mut command = Command::new("python3");
            let at = repo.root().join(folder);
            assert!(command.arg(&pack).args(["x", archive]).current_dir(&at).status().unwrap().success());
            made.push(std::fs::read(at.join(archive)).unwrap());
        }
    }
    assert!(made[0] == made[2] && made[1] == made[3]);
    let listed = Command::new("tar").args(["-tzf", "a/x.tar.gz"]).current_dir(repo.root()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "x/LICENSE\nx/man/b.1\nx/stacklint\n");
}
