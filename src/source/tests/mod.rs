//! Tests of patterns, and tests against repositories made by the real git.
#![allow(clippy::disallowed_methods, reason = "these tests write files and run git")]

mod disk;
mod merge;
mod revision;

use std::path::Path;
use std::process::Command;

use super::{Environment, Repository, Source};

/// Runs git, isolated from the configuration and environment of the user.
fn git(dir: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(dir);
    let settings = [
        "user.name=A",
        "user.email=a@example.com",
        "init.defaultBranch=main",
        "commit.gpgSign=false",
        "protocol.file.allow=always",
    ];
    for setting in settings {
        command.args(["-c", setting]);
    }
    let output = command.args(args).output().expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn commit(root: &Path, message: &str) -> String {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", message]);
    git(root, &["rev-parse", "HEAD"])
}

/// `main` has two commits, `feature` branches off the first one.
fn sample() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    write(root, "settings.yaml", "base_path: .\n");
    write(root, "stacks/dev.yaml", "vars: {stage: dev}\n");
    write(root, "stacks/catalog/vpc.yaml", "a: 1\n");
    commit(root, "one");
    git(root, &["tag", "-a", "v1", "-m", "release"]);
    git(root, &["checkout", "-q", "-b", "feature"]);
    write(root, "stacks/prod.yaml", "vars: {stage: prod}\n");
    commit(root, "two");
    git(root, &["checkout", "-q", "main"]);
    write(root, "stacks/dev.yaml", "vars: {stage: develop}\n");
    commit(root, "three");
    dir
}

fn open(path: &Path) -> Repository {
    Repository::discover_with(path, Environment::Ignore).unwrap().unwrap()
}

fn paths(source: &dyn Source) -> Vec<String> {
    source.listing().iter().map(|entry| entry.path.to_string()).collect()
}

fn text(source: &dyn Source, path: &str) -> String {
    let bytes = source.read(source.listing().get(path).unwrap()).unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}
