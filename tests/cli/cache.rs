//! `--cache`: later runs are quicker, and no other than the first.

use crate::common::{Repo, Run, bin};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

const DEV: &str =
    "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1, sise: 1}}, bad: {}, json: {vars: {a: []}}}}\n";

/// Commits `base` and `head`, in which code changes; the worktree has one more edit. Each has its own findings.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV)
        .write("components/terraform/box/main.tf", "variable \"size\" {\n  type = number\n}\nvariable \"name\" {}\n")
        .write("components/terraform/box/outputs.tf", "output \"id\" {\n  value = 1\n}\n")
        .write("components/terraform/bad/main.tf", "variable \"x\" {{\n")
        .write("components/terraform/json/main.tf.json", r#"{"variable": {"a": {"type": "string"}}}"#)
        .commit("base");
    repo.tag("base").edit("components/terraform/box/main.tf", "\"size\"", "\"length\"").commit("head");
    repo.tag("head").edit("components/terraform/box/main.tf", "type = number", "type = list(string)");
    repo
}

const RUNS: [&[&str]; 7] = [
    &["check"],
    &["check", "--rev", "base", "--format", "json"],
    &["diff", "base..head"],
    &["diff", "--format", "json"],
    &["check", "--diff"],
    &["hook", "run"],
    &["ci", "--base", "base"],
];

/// Returns the results of all runs with these options.
fn all(repo: &Repo, options: &[&str]) -> Vec<Run> {
    RUNS.iter().map(|arguments| repo.run(&[arguments, options].concat())).collect()
}

/// Removes the checks in a cache, so that the next one resolves its state.
fn forget_checks(cache: &Path) {
    std::fs::remove_dir_all(cache.join("stacklint-checks")).unwrap();
}

/// The entries of code in a cache, sorted.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let children = |dir: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.exists()).collect()
    };
    let spaces = children(cache).into_iter().filter(|path| path.is_dir() && !path.ends_with("stacklint-checks"));
    let mut found: Vec<PathBuf> = spaces.flat_map(|s| children(&s)).flat_map(|first| children(&first)).collect();
    found.sort();
    found
}

fn content(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The checksum that an entry begins with.
fn checksum(entry: &Path, body: &str) -> String {
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let key = name(entry.parent().unwrap()) + &name(entry);
    Sha256::digest(format!("{key}\n{body}")).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn answers_are_the_same_without_with_a_new_and_with_a_full_cache() {
    let repo = repo();
    let cache = repo.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    let plain = all(&repo, &[]);
    plain[0].clone().ends_with(1).says("sise").says("components/terraform/bad/main.tf");
    for (arguments, plain) in RUNS.iter().zip(&plain) {
        let cold = repo.beside("cold");
        assert_eq!(*plain, repo.run(&[arguments, &["--cache", cold.to_str().unwrap()][..]].concat()), "{arguments:?}");
        if cold.exists() {
            std::fs::remove_dir_all(cold).unwrap();
        }
    }
    assert_eq!(plain, all(&repo, &options));
    let (paths, before) = (entries(&cache), content(&entries(&cache)));
    // Three states of one file, and the files that stay.
    assert_eq!(paths.len(), 6, "{paths:?}");
    assert_eq!(plain, all(&repo, &options));
    assert_eq!((paths.clone(), before), (entries(&cache), content(&paths)));
    let version = format!("-{}-", env!("CARGO_PKG_VERSION").replace('.', "-"));
    assert!(paths.iter().all(|path| path.to_str().unwrap().contains(&version)), "{paths:?}");
    for mark in [".gitignore", "CACHEDIR.TAG"] {
        assert!(cache.join(mark).is_file());
    }
}

#[test]
fn what_is_kept_is_read_and_nothing_else() {
    let repo = repo();
    let cache = repo.beside("cache");
    let check = ["check", "--rev", "base", "--cache", cache.to_str().unwrap()];
    let first = repo.run(&check).ends_with(1).says("`sise`");
    let paths = entries(&cache);
    let with_size = |path: &&PathBuf| std::fs::read_to_string(path).unwrap().contains("\"size\"");
    let entry = paths.iter().find(with_size).unwrap();
    let text = std::fs::read_to_string(entry).unwrap();
    let (sum, body) = text.split_once('\n').unwrap();
    assert_eq!(sum, checksum(entry, body));
    // An entry with another content in the same form is trusted.
    let other = body.replace("\"size\"", "\"sise\"");
    std::fs::write(entry, format!("{}\n{other}", checksum(entry, &other))).unwrap();
    forget_checks(&cache);
    assert_ne!(repo.run(&check), first);
    forget_checks(&cache);
    // One with the checksum of something else is not, nor are those of another version.
    std::fs::write(entry, format!("{sum}\n{other}")).unwrap();
    assert_eq!(repo.run(&check), first);
    assert_eq!(std::fs::read_to_string(entry).unwrap(), text);
    std::fs::write(entry, format!("{}\n{other}", checksum(entry, &other))).unwrap();
    let version = format!("-{}-", env!("CARGO_PKG_VERSION").replace('.', "-"));
    std::fs::rename(entry, entry.to_str().unwrap().replace(&version, "-0-0-1-")).unwrap();
    forget_checks(&cache);
    assert_eq!(repo.run(&check), first);
    assert_eq!(entries(&cache).len(), paths.len() + 1);
}

#[test]
fn damaged_entries_are_repaired() {
    let repo = repo();
    let cache = repo.beside("cache");
    let options = ["--cache", cache.to_str().unwrap()];
    let plain = all(&repo, &options);
    let paths = entries(&cache);
    let good = content(&paths);
    let damages: [&dyn Fn(usize) -> Vec<u8>; 6] = [
        &|_| Vec::new(),
        &|i| good[i][..good[i].len() - 1].to_vec(),
        &|i| good[i][..40].to_vec(),
        &|_| b"\xff\0garbage {\n".repeat(50),
        &|i| good[(i + 1) % good.len()].clone(),
        &|i| [&good[i][..], b" "].concat(),
    ];
    // Each kind of damage hits every second entry.
    for round in 0..3 {
        for (i, path) in paths.iter().enumerate() {
            std::fs::write(path, damages[(i + 2 * round) % damages.len()](i)).unwrap();
        }
        forget_checks(&cache);
        assert_eq!(all(&repo, &options), plain);
        assert_eq!(content(&paths), good);
    }
    // An entry that cannot be replaced stays, and does no harm.
    for path in &paths {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir_all(path.join("full")).unwrap();
    }
    forget_checks(&cache);
    assert_eq!(all(&repo, &options), plain);
    for path in &paths {
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path.parent().unwrap(), "").unwrap();
    }
    forget_checks(&cache);
    assert_eq!(all(&repo, &options), plain);
    std::fs::remove_dir_all(&cache).unwrap();
    assert_eq!(all(&repo, &options), plain);
    assert_eq!(content(&paths), good);
}

#[test]
fn a_folder_that_cannot_be_used_is_reported_once_and_changes_nothing() {
    let repo = repo();
    let file = repo.beside("file");
    std::fs::write(&file, "x").unwrap();
    let plain = all(&repo, &[]);
    for path in [file.clone(), file.join("below")] {
        for (arguments, plain) in RUNS.iter().zip(&plain) {
            let run = repo.run(&[*arguments, &["--cache", path.to_str().unwrap()]].concat());
            assert_eq!((run.status, &run.stdout), (plain.status, &plain.stdout), "{arguments:?}");
            let reported = run.stderr.matches("stacklint: the cache is disabled: cannot store anything in").count();
            // The staged change of nothing needs no code.
            assert_eq!(reported, usize::from(arguments[0] != "hook"), "{arguments:?} {run}");
        }
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
    // A run that reads no code needs no folder.
    let cache = repo.beside("cache");
    repo.run(&["rules", "--cache", cache.to_str().unwrap()]).ends_with(0);
    repo.run(&["describe", "stacks", "--cache", cache.to_str().unwrap()]).ends_with(0);
    assert!(!cache.exists());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    let cache = repo.beside("cache");
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::create_dir(&cache).unwrap();
    set(&cache, 0o555);
    if std::fs::write(cache.join("x"), "").is_ok() {
        return; // These tests run as one for whom permissions mean nothing.
    }
    let options = ["--cache", cache.to_str().unwrap()];
    let plain = repo.run(&["check"]);
    let run = repo.run(&[&["check"][..], &options].concat()).complains("the cache is disabled");
    assert_eq!((run.status, run.stdout), (plain.status, plain.stdout.clone()));
    // A full one that cannot be written any more is still read.
    set(&cache, 0o755);
    repo.run(&[&["check"][..], &options].concat());
    for path in entries(&cache) {
        set(path.parent().unwrap(), 0o555);
    }
    assert_eq!(repo.run(&[&["check"][..], &options].concat()), plain);
    for path in entries(&cache) {
        set(path.parent().unwrap(), 0o755);
    }
}

#[test]
fn runs_at_once_share_a_folder() {
    let repo = repo();
    for i in 0..40 {
        repo.write(&format!("components/terraform/box/v{i}.tf"), format!("variable \"v{i}\" {{}}\n"));
    }
    let cache = repo.beside("cache");
    let plain = repo.run(&["check"]);
    for _ in 0..3 {
        let start = || {
            let mut command = Command::new(bin());
            command.args(["check", "--cache"]).arg(&cache).current_dir(repo.root());
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let runs: Vec<_> = (0..4).map(|_| start()).collect();
        for run in runs {
            let output = run.wait_with_output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), plain.stdout);
            assert_eq!(String::from_utf8(output.stderr).unwrap(), plain.stderr);
        }
        let paths = entries(&cache);
        assert_eq!(paths.len(), 44);
        for path in &paths {
            let text = std::fs::read_to_string(path).unwrap();
            let (sum, body) = text.split_once('\n').unwrap();
            assert_eq!(sum, checksum(path, body), "{}", path.display());
        }
        // The next ones find every other entry damaged.
        paths.iter().step_by(2).for_each(|path| std::fs::write(path, "").unwrap());
        forget_checks(&cache);
    }
}

#[test]
fn a_cache_in_the_worktree_is_no_part_of_it() {
    let named = || {
        let repo = repo();
        // Findings must not depend on names either: `new` has no code.
        repo.edit("stacks/deploy/dev.yaml", "bad: {}", "bad: {}, new: {}");
        repo
    };
    let plain = all(&named(), &[]);
    for dir in
        [".cache", ".git/stacklint-cache", "components/terraform", "stacks/deploy/.cache", "components/terraform/new"]
    {
        let repo = named();
        let status = repo.git(&["status", "--porcelain"]);
        // A folder with files of the repository is not used as a cache.
        let is_tracked = dir == "components/terraform";
        for _ in 0..2 {
            for (arguments, plain) in RUNS.iter().zip(&plain) {
                let run = repo.run(&[arguments, &["--cache", dir][..]].concat());
                assert_eq!((run.status, &run.stdout), (plain.status, &plain.stdout), "{dir} {arguments:?}");
                assert_eq!(run.stderr.contains("is under version control"), is_tracked, "{dir} {run}");
            }
        }
        assert_eq!(repo.git(&["status", "--porcelain"]), status);
        assert_eq!(repo.root().join(dir).join("CACHEDIR.TAG").exists(), !is_tracked);
    }
}

#[test]
fn what_comes_with_a_change_is_not_believed() {
    let repo = repo();
    let plain = repo.run(&["check"]);
    repo.run(&["check", "--cache", ".cache"]);
    for entry in entries(&repo.root().join(".cache")) {
        let body = "{\"Ok\":{\"variables\":[],\"outputs\":[],\"calls\":[],\"backend\":null,\"required_version\":null,\
                    \"required_providers\":[],\"is_blank\":true}}";
        std::fs::write(&entry, format!("{}\n{body}", checksum(&entry, body))).unwrap();
    }
    forget_checks(&repo.root().join(".cache"));
    assert_ne!(repo.run(&["check", "--cache", ".cache"]).stdout, plain.stdout);
    repo.git(&["add", "--force", ".cache"]);
    for dir in [".cache", "./.cache/../.cache", ".cache/below"] {
        let run = repo.run(&["check", "--cache", dir]);
        let is_below = dir.ends_with("below");
        assert_eq!(run.stdout, plain.stdout);
        assert_eq!(run.stderr.contains("under version control"), !is_below, "{run}");
    }
    #[cfg(unix)]
    {
        let outside = repo.beside("outside");
        std::fs::create_dir(&outside).unwrap();
        repo.link("link", outside.to_str().unwrap()).git(&["add", "link"]);
        for dir in ["link", "link/below"] {
            repo.run(&["check", "--cache", dir]).complains("under version control");
        }
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }
}

#[test]
fn a_plain_folder_has_one_too() {
    let repo = Repo::plain();
    repo.write("atmos.yaml", crate::common::ATMOS)
        .write("stacks/deploy/dev.yaml", DEV)
        .write("components/terraform/box/main.tf", "variable \"size\" {}\n");
    let plain = repo.run(&["check"]).ends_with(1);
    for _ in 0..2 {
        assert_eq!(repo.run(&["check", "--cache", ".cache"]), plain);
    }
    assert_eq!(entries(&repo.root().join(".cache")).len(), 1);
}

#[test]
fn an_installed_hook_uses_it() {
    let repo = repo();
    repo.git(&["checkout", "--quiet", "--force", "head"]);
    repo.run(&["hook", "install", "--cache", "../cache of hooks"]).ends_with(0);
    repo.edit("components/terraform/box/main.tf", "type = number", "type = bool").git(&["add", "--all"]);
    assert!(!repo.beside("cache of hooks").exists());
    repo.git(&["commit", "--quiet", "--message", "more"]);
    assert_eq!(entries(&repo.beside("cache of hooks")).len(), 5);
    repo.run(&["hook", "status", "--cache", "../cache of hooks"]).ends_with(0).hides("another version");
    repo.run(&["hook", "status"]).ends_with(0).says("another version");
}
