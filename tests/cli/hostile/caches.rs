//! A change that brings entries of a cache silences nothing with them.

use crate::common::Repo;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const WRONG: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1, size: 2}}}}\n";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Writes an entry with the checksum that belongs to its content.
fn forge(entry: &Path, body: &str) {
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let key = name(entry.parent().unwrap()) + &name(entry);
    let sum: String = Sha256::digest(format!("{key}\n{body}")).iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(entry, format!("{sum}\n{body}")).unwrap();
}

/// Makes all checks that are kept in a folder ones that found nothing.
fn silence(cache: &Path) {
    for entry in files(&cache.join("stacklint-checks")) {
        let text = std::fs::read_to_string(&entry).unwrap();
        let body = text.split_once('\n').unwrap().1;
        if let (Some((before, _)), Some((_, after))) =
            (body.split_once("\"findings\":["), body.split_once("],\"coverage\""))
        {
            forge(&entry, &format!("{before}\"findings\":[],\"coverage\"{after}"));
        }
    }
}

#[test]
fn a_committed_check_is_not_believed() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", WRONG).commit("base");
    // The author of a change knows what will be checked: the listing without the entries, which a worktree does not have.
    let cache = repo.root().join(".cache");
    for state in [&["--rev", "HEAD"][..], &[]] {
        let check = [&["check", "--cache", ".cache"][..], state].concat();
        repo.run(&check).ends_with(1).says("duplicate-key");
        silence(&cache);
        repo.run(&check).ends_with(0);
        repo.git(&["add", "--force", ".cache"]);
        repo.run(&check).ends_with(1).says("duplicate-key").complains("under version control");
        repo.commit("entries");
        repo.run(&check).ends_with(1).says("duplicate-key").complains("under version control");
        repo.run(&["check", "--cache", ".cache/stacklint-checks"]).ends_with(1).complains("under version control");
        repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
}

#[test]
fn a_link_does_not_lead_to_a_committed_check() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", WRONG).commit("base");
    let cache = repo.root().join("data");
    repo.run(&["check", "--cache", "data"]).ends_with(1);
    silence(&cache);
    repo.git(&["add", "--force", "data"]);
    repo.commit("data");
    #[cfg(unix)]
    {
        // The folder outside is the cache; its folder of checks is a link to the committed one.
        let outside = repo.beside("outside");
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(cache.join("stacklint-checks"), outside.join("stacklint-checks")).unwrap();
        let run = repo.run(&["check", "--cache", outside.to_str().unwrap()]).ends_with(1).says("duplicate-key");
        assert!(run.stderr.contains("the cache is disabled"), "{run}");
    }
}

#[test]
fn monstrous_entries_are_misses() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", WRONG).commit("base");
    let cache = repo.beside("cache");
    let check = ["check", "--cache", cache.to_str().unwrap()];
    let plain = repo.run(&check).ends_with(1);
    let entries = files(&cache.join("stacklint-checks"));
    let label = |start: &str| format!("{{\"file\":1,\"start\":{start},\"end\":{start},\"message\":\"\"}}");
    let bodies = [
        "[".repeat(200_000),
        "{\"files\":".repeat(100_000),
        format!(
            "{{\"files\":[{{\"path\":\"{}\",\"text\":null}}],\"commented\":[],\"findings\":[]}}",
            "../".repeat(9_999)
        ),
        "{\"files\":[{\"path\":\"/etc/passwd\",\"text\":null}],\"commented\":[1],\"findings\":[],\"coverage\":{}}"
            .to_owned(),
        format!("{{\"findings\":[{{\"primary\":{}}}]}}", label("4294967295")),
        format!("{{\"findings\":[{{\"primary\":{}}}]}}", label("99999999999999999999")),
        "\u{0}".repeat(1_000),
    ];
    for body in bodies {
        entries.iter().for_each(|entry| forge(entry, &body));
        assert_eq!(repo.run(&check), plain);
    }
}
