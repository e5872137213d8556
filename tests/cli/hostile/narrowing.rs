//! Paths that a report is limited to, from a stranger.

use crate::common::Repo;

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n");
    repo.commit("base");
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: 2");
    repo
}

#[test]
fn paths_outside_of_the_repository_are_refused() {
    let repo = repo();
    for path in ["../..", "/etc/passwd", "stacks/../../x", ".git/config", ".git"] {
        for arguments in [&["diff", "HEAD", "--", path][..], &["check", path]] {
            let run = repo.run(arguments).ends_with(2);
            assert!(run.stdout.is_empty(), "{run}");
        }
    }
    repo.run(&["diff", "HEAD", "--", "stacks/../stacks/deploy"]).ends_with(0).says("vars.size");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let repo = repo();
    for path in ["a\u{1b}[31mb", "x\u{202e}y", "a\nb", "*\u{7}*"] {
        for arguments in [&["diff", "HEAD", "--", path][..], &["check", path], &["describe", "stack", path]] {
            let run = repo.run(arguments).ends_with(2);
            assert!(!run.stderr.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{:?}", run.stderr);
        }
    }
    repo.write("stacks/deploy/\u{1b}[31m.yaml", "vars: {stage: prod}\ncomponents: {terraform: {box: {}}}\n");
    let run = repo.run(&["check", "stacks/deploy/\u{1b}[31m.yaml"]);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
}

#[test]
fn huge_patterns_end() {
    let repo = repo();
    let nested = "{a,".repeat(200) + "b" + &"}".repeat(200);
    let stars = "**/".repeat(1000) + "x";
    let alternatives = "{a,b,c,d}".repeat(40);
    for path in [&nested[..], &stars, &alternatives, "[", "{", &"*a".repeat(2_000)] {
        repo.run(&["diff", "HEAD", "--", path]).ends_with(2);
        repo.run(&["check", "--stack", path]).ends_with(2);
        repo.run(&["describe", "stack", path]).ends_with(2);
        repo.run(&["describe", "component", path, "-s", "*"]).ends_with(2);
    }
    let many: Vec<String> = (0..100).map(|i| format!("*{i}")).collect();
    let arguments: Vec<&str> = ["check"].into_iter().chain(many.iter().map(String::as_str)).collect();
    repo.run(&arguments).ends_with(2).complains("100 path patterns exceed the limit of 64");
}

#[test]
fn thousands_of_paths_take_no_longer_than_one() {
    let repo = repo();
    let many = vec!["stacks/deploy/dev.yaml"; 5_000];
    let arguments: Vec<&str> = ["diff", "HEAD", "--"].into_iter().chain(many).collect();
    repo.run(&arguments).ends_with(0).says("vars.size").says("4997 more");
}
