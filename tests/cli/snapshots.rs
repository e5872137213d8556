//! How the shared fixture reads.

use crate::common::Repo;
use insta::assert_snapshot;

#[test]
fn diff() {
    assert_snapshot!(Repo::review().run(&["diff", "base..head"]).to_string());
}

#[test]
fn diff_with_everything() {
    assert_snapshot!(Repo::review().run(&["diff", "base..head", "--all", "--show-secrets"]).to_string());
}

#[test]
fn diff_in_color() {
    let run = Repo::review().run(&["diff", "base..head", "--color", "always"]);
    assert_snapshot!(run.to_string().replace('\u{1b}', "␛"));
}

#[test]
fn diff_of_one_stack() {
    assert_snapshot!(Repo::review().run(&["diff", "base..head", "--stack", "*-dev"]).to_string());
}

#[test]
fn check() {
    assert_snapshot!(Repo::review().run(&["check"]).to_string());
}

#[test]
fn component() {
    assert_snapshot!(Repo::review().run(&["describe", "component", "orders-db", "-s", "shop-eu-prod"]).to_string());
}

#[test]
fn stacks() {
    assert_snapshot!(Repo::review().run(&["describe", "stacks", "--rev", "base"]).to_string());
}
