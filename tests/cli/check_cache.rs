//! `--cache`: a check of a state that was checked before is read, and reports the same.

use crate::common::{Repo, Run};
use crate::kept_checks::{files, forge, without_findings};
use std::path::{Path, PathBuf};

const DEV: &str = "import: [catalog]\nvars: {stage: dev}\ncomponents:\n  terraform:\n    box: {vars: {size: 1, sise: 1}}\n    bad: {}\n";

/// Two stacks with a catalog, code that does not fit, a comment that silences something, and one that does not; two more stacks.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write(
        "stacks/catalog.yaml",
        "locals: {unused: 1}\ncomponents:\n  terraform:\n    net: {vars: {cidr: 10.0.0.0/8}}\n",
    )
    .write("stacks/deploy/dev.yaml", DEV)
    .write(
        "stacks/deploy/prod.yaml",
        DEV.replace("dev", "prod").replace("bad: {}", "bad: {} # stacklint: ignore[unused-local] why"),
    )
    .write("stacks/deploy/test.yaml", "vars: {stage: test}\n")
    .write("stacks/deploy/qa.yaml", "vars: {stage: qa}\n")
    .write("components/terraform/box/main.tf", "variable \"size\" {\n  type = number\n}\nvariable \"name\" {}\n")
    .write("components/terraform/bad/main.tf", "variable \"x\" {{\n")
    .write("components/terraform/net/main.tf", "variable \"cidr\" {}\n")
    .commit("base");
    repo.tag("base");
    repo
}

/// What is kept of checks in a cache.
fn states(cache: &Path) -> Vec<PathBuf> {
    let children = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let all = children(&cache.join("stacklint-checks")).into_iter().flat_map(|first| children(&first));
    let mut found: Vec<PathBuf> = all.filter(|path| path.to_str().unwrap().ends_with("-state.json")).collect();
    found.sort();
    found
}

const FORMATS: [&str; 9] = ["text", "concise", "json", "sarif", "github", "markdown", "gitlab", "junit", "rdjson"];

/// The results of checks of a state in all formats.
fn all(repo: &Repo, state: &[&str], options: &[&str]) -> Vec<Run> {
    in_formats(&FORMATS, repo, state, options)
}

/// The results in two formats that show all of it together.
fn some(repo: &Repo, state: &[&str], options: &[&str]) -> Vec<Run> {
    in_formats(&["text", "sarif"], repo, state, options)
}

fn in_formats(formats: &[&str], repo: &Repo, state: &[&str], options: &[&str]) -> Vec<Run> {
    let one = |format: &&str| repo.run(&[&["check", "--format", format][..], state, options].concat());
    formats.iter().map(one).collect()
}

#[test]
fn a_known_state_is_reported_as_it_is_without_a_cache() {
    let repo = repo();
    let cache = repo.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    repo.run(&["check"]).ends_with(0).says("sise").says("unused-ignore");
    for state in [&["--rev", "base"][..], &["--staged"], &[]] {
        let plain = all(&repo, state, &[]);
        for _ in 0..2 {
            assert_eq!(all(&repo, state, &options), plain);
        }
    }
    // The revision, the index and the worktree are the same state.
    assert_eq!(states(&cache).len(), 1);
    repo.edit("stacks/deploy/dev.yaml", "sise", "seize");
    for state in [&["--staged"][..], &[]] {
        assert_eq!(some(&repo, state, &options), some(&repo, state, &[]));
    }
    assert_eq!(states(&cache).len(), 2);
    for more in
        [&["--fail-on", "never"][..], &["--min-level", "error"], &["--strict"], &["--show-secrets"], &["--exit-zero"]]
    {
        assert_eq!(some(&repo, more, &options), some(&repo, more, &[]));
    }
    assert_eq!(states(&cache).len(), 2, "these options change only what is reported");
    for more in
        [&["--pedantic"][..], &["--functions"], &["--env", "A=1"], &["--promised-merge"], &["--dialect", "atmos"]]
    {
        let before = states(&cache).len();
        assert_eq!(some(&repo, more, &options), some(&repo, more, &[]));
        assert_eq!(states(&cache).len(), before + 1, "{more:?}");
    }
    // A part of a check is neither read nor kept.
    let before = states(&cache).len();
    for more in [&["--stack", "dev"][..], &["stacks/deploy/dev.yaml"], &["--shard", "1/2"], &["--diff"]] {
        assert_eq!(some(&repo, more, &options), some(&repo, more, &[]));
    }
    assert_eq!(states(&cache).len(), before);
}

#[test]
fn what_is_read_is_what_was_kept() {
    let repo = repo();
    let cache = repo.beside("cache");
    let check = ["check", "--cache", cache.to_str().unwrap()];
    let plain = repo.run(&check).ends_with(0).says("sise");
    let [entry] = &states(&cache)[..] else { panic!("one state") };
    let good = std::fs::read(entry).unwrap();
    forge(entry, &without_findings(entry).unwrap());
    repo.run(&check).hides("sise");
    // Everything that is damaged is a miss, and is replaced.
    let damages = [
        Vec::new(),
        good[..good.len() - 1].to_vec(),
        good[..70].to_vec(),
        b"\xff\0{".repeat(99),
        [&good[..], b" "].concat(),
    ];
    for damage in damages {
        std::fs::write(entry, &damage).unwrap();
        assert_eq!(repo.run(&check), plain);
        assert_ne!(std::fs::read(entry).unwrap(), damage);
    }
    for body in ["", "null", "{}", "{\"files\":[],\"commented\":[1],\"findings\":[],\"coverage\":{}}"] {
        forge(entry, body);
        assert_eq!(repo.run(&check), plain, "{body}");
    }
    // An entry of another state does not count for this one.
    repo.edit("stacks/deploy/dev.yaml", "sise", "seize");
    let edited = repo.run(&check).says("seize");
    let [first, second] = &states(&cache)[..] else { panic!("two states") };
    let (one, other) = (std::fs::read(first).unwrap(), std::fs::read(second).unwrap());
    std::fs::write(first, other).unwrap();
    std::fs::write(second, one).unwrap();
    assert_eq!(repo.run(&check), edited);
    // One that cannot be replaced does no harm.
    for entry in states(&cache) {
        std::fs::remove_file(&entry).unwrap();
        std::fs::create_dir(&entry).unwrap();
    }
    assert_eq!(repo.run(&check), edited);
}

#[test]
fn repositories_share_a_cache() {
    let (one, other) = (repo(), repo());
    other.edit("stacks/deploy/prod.yaml", "size: 1", "size: []").commit("more");
    let cache = one.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    for _ in 0..2 {
        for repo in [&one, &other] {
            assert_eq!(some(repo, &["--rev", "HEAD"], &options), some(repo, &["--rev", "HEAD"], &[]));
        }
    }
    assert_eq!(states(&cache).len(), 2);
}

#[test]
fn what_is_no_file_of_the_state_counts_too() {
    let repo = repo();
    let cache = repo.beside("cache");
    let (known, values) = (repo.beside("baseline.json"), repo.beside("values.json"));
    let run = |options: &[&str]| {
        let plain = repo.run(&[&["check"], options].concat());
        let kept = repo.run(&[&["check", "--cache", cache.to_str().unwrap()], options].concat());
        assert_eq!(plain, kept, "{options:?}");
        kept
    };
    run(&[]);
    repo.run(&["check", "--write-baseline", known.to_str().unwrap()]).ends_with(0);
    run(&["--baseline", known.to_str().unwrap()]).ends_with(0).hides("sise");
    std::fs::write(&known, "{\"version\": 1, \"findings\": []}").unwrap();
    repo.edit("stacks/deploy/dev.yaml", "sise: 1", "sise: !terraform.output net id");
    std::fs::write(&values, "{\"net\": {\"dev\": {\"id\": 1}}}").unwrap();
    run(&["--values", values.to_str().unwrap()]);
    std::fs::write(&values, "{}").unwrap();
    run(&["--values", values.to_str().unwrap()]);
    let before = states(&cache).len();
    run(&["--values", values.to_str().unwrap()]);
    assert_eq!(states(&cache).len(), before);
}

#[test]
fn files_that_no_check_reads_may_change() {
    let repo = repo();
    repo.write("app/main.go", "print()\n").commit("more");
    let cache = repo.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    let all_same = || {
        for state in [&["--rev", "HEAD"][..], &["--staged"], &[]] {
            assert_eq!(some(&repo, state, &options), some(&repo, state, &[]));
        }
    };
    all_same();
    assert_eq!(states(&cache).len(), 1);
    repo.edit("app/main.go", "print()", "print(1)").commit("app");
    all_same();
    assert_eq!(states(&cache).len(), 1, "the state before is the same to a check");
    repo.edit("stacks/catalog.yaml", "10.0.0.0/8", "[]").commit("stacks");
    all_same();
    assert_eq!(states(&cache).len(), 2);
    // What is remembered of the last states may be damaged, too.
    for entry in files(&cache.join("stacklint-checks")).iter().filter(|path| path.to_str().unwrap().contains("-recent"))
    {
        for body in ["", "{}", "{\"states\":[{\"key\":\"\",\"paths\":[],\"content\":\"\"}]}", "[[[["] {
            forge(entry, body);
            repo.edit("app/main.go", "print(", "print(1, ");
            all_same();
        }
    }
}

/// The repository with a check of its base in a cache, of which somebody took the findings away: what is reported without them comes
/// from there.
fn forged(repo: &Repo) -> PathBuf {
    let cache = repo.beside("cache");
    repo.run(&["check", "--rev", "base", "--cache", cache.to_str().unwrap()]).ends_with(0).says("sise");
    let [entry] = &states(&cache)[..] else { panic!("one state") };
    forge(entry, &without_findings(entry).unwrap());
    cache
}

#[test]
fn an_edited_value_is_checked_from_the_state_before() {
    let repo = repo();
    let cache = repo.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    repo.run(&["check", "--rev", "base", options[0], options[1]]).ends_with(0);
    for size in [20, 3, 400] {
        repo.edit("stacks/deploy/dev.yaml", "sise: 1", &format!("sise: 1{size}"));
        // What is not committed yet is compared with what is.
        assert_eq!(some(&repo, &[], &options), some(&repo, &[], &[]));
        repo.commit("edit");
        let kept = all(&repo, &["--rev", "HEAD"], &options);
        assert_eq!(kept, all(&repo, &["--rev", "HEAD"], &[]));
        assert!(kept[0].stdout.contains(&format!("sise: 1{size}")), "{}", kept[0]);
        repo.edit("stacks/deploy/dev.yaml", &format!("sise: 1{size}"), "sise: 1");
    }
}

#[test]
fn only_an_edit_that_decides_nothing_is_checked_from_the_state_before() {
    let repo = repo();
    let edits = [
        ("sise: 1", "sise: 2", true),
        ("sise: 1", "sise: [2]", false),
        ("sise: 1", "seize: 1", false),
        ("size: 1", "size: x", false),
        ("size: 1", "size: 2 # stacklint: ignore[undeclared-variable]", false),
        ("stage: dev", "stage: other", false),
        ("[catalog]", "[catalogue]", false),
    ];
    for (from, to, is_kept) in edits {
        for state in [&["--staged"][..], &[]] {
            let cache = forged(&repo);
            repo.edit("stacks/deploy/dev.yaml", from, to).git(&["add", "--all"]);
            let run = repo.run(&[&["check", "--cache", cache.to_str().unwrap()], state].concat());
            let plain = repo.run(&[&["check"], state].concat());
            assert_eq!(run.stdout == plain.stdout, !is_kept, "{to}: {run}");
            repo.git(&["reset", "--quiet", "--hard"]);
            std::fs::remove_dir_all(cache).unwrap();
        }
    }
}

#[test]
fn a_value_that_was_never_stored_is_checked_anew() {
    let repo = repo();
    let cache = repo.beside("cache");
    let check = ["check", "--cache", cache.to_str().unwrap()];
    repo.edit("stacks/deploy/dev.yaml", "sise: 1", "sise: 2").run(&check).says("sise: 2");
    let [entry] = &states(&cache)[..] else { panic!("one state") };
    forge(entry, &without_findings(entry).unwrap());
    // Git has no object with the content before.
    repo.edit("stacks/deploy/dev.yaml", "sise: 2", "sise: 3").run(&check).says("sise: 3");
}
