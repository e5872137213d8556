//! A change that brings entries of a cache silences nothing with them.

use crate::common::Repo;
use crate::kept_checks::{files, forge, without_findings};
use std::path::Path;

const WRONG: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1, size: 2}}}}\n";

/// Makes all checks that are kept in a folder ones that found nothing.
fn silence(cache: &Path) {
    for entry in files(&cache.join("stacklint-checks")) {
        if let Some(body) = without_findings(&entry) {
            forge(&entry, &body);
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

#[test]
fn the_content_before_an_edit_is_a_file_of_the_repository() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", WRONG).commit("base");
    let cache = repo.beside("cache");
    let check = ["check", "--cache", cache.to_str().unwrap()];
    repo.run(&check).ends_with(1);
    let known = files(&cache.join("stacklint-checks"));
    let recent: Vec<_> = known.iter().filter(|path| path.to_str().unwrap().ends_with("-recent.json")).collect();
    let [recent] = recent[..] else { panic!("one list of states") };
    let text = std::fs::read_to_string(recent).unwrap();
    let id = repo.git(&["rev-parse", "HEAD:stacks/deploy/dev.yaml"]);
    let body = text.split_once('\n').unwrap().1;
    assert!(body.contains(id.trim()));
    repo.edit("stacks/deploy/dev.yaml", "size: 2", "size: 3");
    let plain = repo.run(&["check"]).ends_with(1).says("duplicate-key");
    // A folder, a commit, nothing, another file, and no id.
    let others =
        ["HEAD:stacks", "HEAD", "HEAD:atmos.yaml"].map(|name| repo.git(&["rev-parse", name]).trim().to_owned());
    for other in others.iter().map(String::as_str).chain(["0000000000000000000000000000000000000000", "x", ""]) {
        forge(recent, &body.replace(id.trim(), other));
        for entry in files(&cache.join("stacklint-checks")) {
            if let Some(body) = without_findings(&entry) {
                forge(&entry, &body);
            }
        }
        assert_eq!(repo.run(&check), plain, "{other}");
        // What was kept of this state now would be found next time.
        let kept = files(&cache.join("stacklint-checks"));
        kept.iter().filter(|path| !known.contains(path)).for_each(|path| std::fs::remove_file(path).unwrap());
    }
}
