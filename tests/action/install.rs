//! The download of the program, from a folder that simulates the releases.

use crate::common::{Repo, bin};
use std::path::Path;
use std::process::{Command, Output};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Simulates a server that serves files only over HTTPS.
const CURL: &str = r#"#!/usr/bin/env bash
case " $* " in *" --proto =https --proto-redir =https "*) ;; *) exit 1 ;; esac
while [ $# -gt 1 ]; do [ "$1" != --output ] || to=$2; shift; done
case $1 in https://releases.invalid/*) cp "$RELEASES/${1#https://releases.invalid/}" "$to" ;; *) exit 1 ;; esac
"#;

/// Simulates the attestation of archives: valid if there is a file `made-by-us`.
const GH: &str = r#"#!/usr/bin/env bash
[ "$1 $2" = "attestation verify" ] || exit 3
[ "$3" != --help ] || exit 0
[ "$4 $5" = "--repo acme/stacklint" ] && [ "$6 $7" = "--signer-workflow acme/stacklint/.github/workflows/release.yml" ] || exit 1
[ "$8" = --source-ref ] && [[ $9 = refs/tags/v* ]] && [ -e "$RELEASES/made-by-us" ] || exit 1
[ $# -lt 10 ] || [ "${10} ${11}" = "--source-digest $(cat "$RELEASES/made-by-us")" ]
"#;

/// A release with one archive.
fn release(repo: &Repo, target: &str) {
    let name = format!("stacklint-{VERSION}-{target}");
    let folder = format!("acme/stacklint/releases/download/v{VERSION}");
    repo.write(&format!("{name}/stacklint"), "#!/bin/sh\necho downloaded\n").executable(&format!("{name}/stacklint"));
    repo.write(&format!("{folder}/keep"), "");
    let archive = format!("{folder}/{name}.tar.gz");
    let run = |line: &str| {
        let status = Command::new("sh").args(["-c", line]).current_dir(repo.root()).status().unwrap();
        assert!(status.success(), "{line}");
    };
    run(&format!("tar -czf {archive} {name}"));
    run(&format!("cd {folder} && {{ sha256sum {name}.tar.gz || shasum -a 256 {name}.tar.gz; }} >{name}.tar.gz.sha256"));
}

fn install(repo: &Repo, variables: &[(&str, &str)]) -> (Output, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let outputs = repo.beside("outputs");
    std::fs::write(&outputs, "").unwrap();
    let mut command = Command::new(Path::new(root).join("action/install.sh"));
    command.env_clear().env("PATH", std::env::var("PATH").unwrap()).env("GITHUB_OUTPUT", &outputs);
    command.env("ACTION_PATH", root).env("ACTION_REPOSITORY", "acme/stacklint").env("RUNNER_TEMP", repo.beside(""));
    command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64");
    command.env("GITHUB_SERVER_URL", "https://releases.invalid").env("RELEASES", repo.root());
    for (name, text) in [("curl", CURL), ("gh", GH)] {
        repo.write(&format!("bin/{name}"), text).executable(&format!("bin/{name}"));
    }
    command.env("PATH", format!("{}:{}", repo.root().join("bin").display(), std::env::var("PATH").unwrap()));
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let set = std::fs::read_to_string(&outputs).unwrap();
    (output, set.trim().strip_prefix("binary=").unwrap_or_default().to_owned())
}

#[track_caller]
fn refuses(repo: &Repo, variables: &[(&str, &str)], why: &str) {
    let (output, binary) = install(repo, variables);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(2) && text.contains(why), "{output:?}");
    assert_eq!(binary, "");
}

#[test]
fn an_archive_is_taken_if_its_checksum_is_right() {
    let repo = Repo::plain();
    release(&repo, "x86_64-unknown-linux-musl");
    repo.write("made-by-us", "");
    let install = |repo: &Repo, more: &[(&str, &str)]| install(repo, &[&[("GH_TOKEN", "token")], more].concat());
    let (output, binary) = install(&repo, &[]);
    assert!(output.status.success(), "{output:?}");
    let said = Command::new(&binary).output().unwrap();
    assert_eq!(said.stdout, b"downloaded\n");
    let fallback = format!("/x/_actions/acme/stacklint/v1/{}", "");
    refuses(&repo, &[("ACTION_REPOSITORY", ""), ("ACTION_PATH", &fallback), ("INPUT_VERSION", "9.9.9")], "v9.9.9");
    refuses(&repo, &[("RUNNER_ARCH", "ARM64")], "aarch64-unknown-linux-musl");
    refuses(&repo, &[("RUNNER_OS", "Plan9")], "no program for Plan9");
    refuses(&repo, &[("INPUT_VERSION", "latest;rm")], "is no version");
    let sum = format!(
        "acme/stacklint/releases/download/v{VERSION}/stacklint-{VERSION}-x86_64-unknown-linux-musl.tar.gz.sha256"
    );
    repo.write(&sum, "0000  x\n");
    refuses(&repo, &[], "checksum");
}

#[test]
fn an_archive_is_taken_if_the_project_made_it() {
    let repo = Repo::plain();
    release(&repo, "x86_64-unknown-linux-musl");
    refuses(&repo, &[("GH_TOKEN", "token")], "was not made by the release workflow of acme/stacklint");
    repo.write("made-by-us", "");
    let (output, binary) = install(&repo, &[("GH_TOKEN", "token")]);
    assert!(output.status.success() && !binary.is_empty(), "{output:?}");
    // Without a token the attestation cannot be verified.
    refuses(&repo, &[], "the origin of stacklint-");
}

#[test]
fn an_action_that_is_pinned_by_commit_takes_the_program_of_that_commit() {
    let repo = Repo::plain();
    release(&repo, "x86_64-unknown-linux-musl");
    let (own, other) = ("a".repeat(40), "b".repeat(40));
    repo.write("made-by-us", &own);
    let (output, _) = install(&repo, &[("GH_TOKEN", "token"), ("ACTION_REF", &own)]);
    assert!(output.status.success(), "{output:?}");
    refuses(&repo, &[("GH_TOKEN", "token"), ("ACTION_REF", &other)], &format!("from {other}"));
    // Of a version that is named, the tag decides.
    let (output, _) = install(&repo, &[("GH_TOKEN", "token"), ("ACTION_REF", &other), ("INPUT_VERSION", VERSION)]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_checksum_that_the_action_records_decides() {
    let repo = Repo::plain();
    release(&repo, "x86_64-unknown-linux-musl");
    let root = env!("CARGO_MANIFEST_DIR");
    let name = format!("stacklint-{VERSION}-x86_64-unknown-linux-musl.tar.gz");
    let folder = repo.root().join(format!("acme/stacklint/releases/download/v{VERSION}"));
    let sum = std::fs::read_to_string(folder.join(format!("{name}.sha256"))).unwrap();
    repo.write("own/Cargo.toml", std::fs::read_to_string(Path::new(root).join("Cargo.toml")).unwrap());
    let own = repo.root().join("own");
    let at_own = [("ACTION_PATH", own.to_str().unwrap())];
    repo.write("own/action/checksums", &sum);
    let (output, _) = install(&repo, &at_own);
    assert!(output.status.success(), "{output:?}");
    repo.write("own/action/checksums", format!("{}  {name}\n", "0".repeat(64)));
    refuses(&repo, &at_own, "the action records 0000");
}

#[test]
fn only_https_is_downloaded() {
    let repo = Repo::plain();
    release(&repo, "x86_64-unknown-linux-musl");
    let server = format!("file://{}", repo.root().display());
    refuses(&repo, &[("GITHUB_SERVER_URL", &server)], "cannot download");
}

#[test]
fn a_program_that_is_there_is_used() {
    let repo = Repo::plain();
    let path = bin().to_str().unwrap();
    assert_eq!(install(&repo, &[("INPUT_BINARY", path)]).1, path);
    refuses(&repo, &[("INPUT_BINARY", "/nowhere/stacklint")], "no program");
}
