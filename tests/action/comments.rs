//! Comments on pull requests, with a service of our own in the place of `gh`.

use crate::common::{ATMOS, Repo};
use crate::runner::{Job, Runner};
use serde_json::{Value, json};
use std::path::Path;

/// Lists, changes and writes comments as files; rejects to write if there is a file `readonly`.
const GH: &str = r#"#!/usr/bin/env bash
set -eu
cd "$COMMENTS"
echo "$*" >>../gh.log
[ "$1" = api ] && [ "$GH_TOKEN" = token ] || exit 3
for word in "$@"; do case $word in body=@*) body=${word#body=@} ;; esac; done
case "$*" in
*--paginate*repos/acme/infra/issues/1/comments*)
    case "$*" in *'.user.login == env.AUTHOR'*) ;; *) exit 5 ;; esac
    for file in [0-9]*; do
        [ -f "$file" ] && [ "$(head -n 1 "$file")" = "$MARKER" ] || continue
        [ "$(cat "../author-$file" 2>/dev/null || echo 'github-actions[bot]')" = "$AUTHOR" ] && echo "$file"
    done || true ;;
*graphql*viewer*) echo 'github-actions[bot]' ;;
*PATCH*) [ ! -e readonly ] || exit 1; line=$*; path=${line%% -F*}; cp "$body" "${path##*/}" ;;
*POST*repos/acme/infra/issues/1/comments*)
    [ ! -e readonly ] || exit 1; set -- [0-9]*; [ -f "$1" ] || set --; cp "$body" "$(($# + 1))" ;;
*) exit 4 ;;
esac
"#;

struct Service {
    runner: Runner,
    commits: Vec<String>,
}

/// Three commits: nothing, a change of the network, a change of words.
fn service() -> Service {
    let origin = Repo::new();
    let stack =
        |cidr| format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{vpc: {{vars: {{cidr: {cidr}}}}}}}}}\n");
    let first = origin.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", stack("one")).commit("first");
    let second = origin.write("stacks/deploy/dev.yaml", stack("two")).commit("second");
    let third = origin.write("stacks/deploy/dev.yaml", stack("one")).commit("third");
    let runner = Runner::new(origin);
    runner.checkout(&third, 0);
    let gh = runner.programs().join("gh");
    std::fs::write(&gh, GH).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&gh, mode).unwrap();
    Service { runner, commits: vec![first, second, third] }
}

impl Service {
    /// Runs the job of a pull request with this commit as head.
    fn run(&self, head: usize, inputs: &[(&str, &str)]) -> Job {
        let pull = json!({"number": 1, "base": {"sha": self.commits[0]}, "head": {"sha": self.commits[head]}});
        let commit = &self.commits[head];
        let inputs = [&[("head", commit.as_str()), ("base", self.commits[0].as_str())], inputs].concat();
        self.runner.run("pull_request", &json!({"pull_request": pull}), &inputs)
    }

    fn comments(&self) -> Vec<String> {
        let mut files: Vec<_> = std::fs::read_dir(self.runner.comments()).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        let is_comment = |p: &&Path| p.file_name().unwrap() != "readonly";
        files.iter().map(|p| p.as_path()).filter(is_comment).map(|p| std::fs::read_to_string(p).unwrap()).collect()
    }
}

#[test]
fn one_comment_is_kept_up_to_date() {
    let service = service();
    std::fs::write(service.runner.comments().join("1"), "<!-- other -->\nof somebody else\n").unwrap();
    service.run(1, &[("comment", "update")]).ends_with(0);
    assert!(service.comments()[1].starts_with("<!-- stacklint: -->\n") && service.comments()[1].contains("two"));
    service.run(1, &[("comment", "update")]).ends_with(0);
    assert_eq!(service.comments().len(), 2);
    // When the change is taken back, the comment does not stay as it was.
    service.run(2, &[("comment", "update")]).ends_with(0);
    assert_eq!(service.comments().len(), 2);
    assert!(service.comments()[1].contains("No effective change"), "{:?}", service.comments());
    assert!(service.comments()[0].contains("somebody else"));
}

/// Otherwise, somebody who writes a comment with the marker first could change what the bot writes.
#[test]
fn a_comment_of_somebody_else_is_never_changed() {
    let service = service();
    let comments = service.runner.comments();
    std::fs::write(comments.join("1"), "<!-- stacklint: -->\nNo findings.\n").unwrap();
    std::fs::write(comments.with_file_name("author-1"), "mallory\n").unwrap();
    service.run(1, &[("comment", "update")]).ends_with(0);
    assert_eq!(service.comments()[0], "<!-- stacklint: -->\nNo findings.\n");
    assert!(service.comments()[1].contains("two"), "{:?}", service.comments());
    service.run(1, &[("comment", "update")]).ends_with(0);
    assert_eq!(service.comments().len(), 2);
}

#[test]
fn each_run_can_have_its_own() {
    let service = service();
    service.run(1, &[("comment", "new")]).ends_with(0);
    service.run(1, &[("comment", "new")]).ends_with(0);
    assert_eq!(service.comments().len(), 2);
}

#[test]
fn nothing_is_no_reason_to_begin_one() {
    let service = service();
    service.run(2, &[("comment", "update")]).ends_with(0);
    service.run(1, &[("comment", "off")]).ends_with(0);
    service.run(1, &[]).ends_with(0);
    assert_eq!(service.comments(), Vec::<String>::new());
}

#[test]
fn a_fork_has_no_right_to_and_does_not_fail() {
    let service = service();
    std::fs::write(service.runner.comments().join("readonly"), "").unwrap();
    let job = service.run(1, &[("comment", "update")]).ends_with(0).says("::notice title=stacklint::");
    assert!(job.summary.contains("two"), "the summary has it");
    service.run(1, &[("comment", "update"), ("comment-token", "")]).ends_with(0).says("no token, no comment");
    assert_eq!(service.comments(), Vec::<String>::new());
}

#[test]
fn other_events_have_nothing_to_comment_on() {
    let service = service();
    let push: Value = json!({"before": service.commits[0], "after": service.commits[1]});
    service.runner.run("push", &push, &[("comment", "update"), ("head", &service.commits[1])]).ends_with(0);
    assert_eq!(service.comments(), Vec::<String>::new());
}
