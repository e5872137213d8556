//! Queries on included files (`!include FILE QUERY`): those of one file have one budget, whatever they ask and however often.

use super::{DEV, project};
use crate::common::unwrapped;
use std::fmt::Write as _;

/// A document of so many numbers in a list and in a map.
fn data(count: usize) -> String {
    let list: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    let map: Vec<String> = (0..count).map(|i| format!("\"k{i}\": {i}")).collect();
    format!(
        "{{\"list\": [{}], \"map\": {{{}}}, \"text\": \"{}\"}}",
        list.join(", "),
        map.join(", "),
        "ab".repeat(50_000)
    )
}

/// Checks a stack that asks this so often, and returns what is said.
fn asked(document: &str, query: &str, times: usize) -> String {
    let repo = project(&[("stacks/deploy/other.yaml", "import: [gone-too]\nvars: {stage: other}\n")]);
    let mut text = format!("{DEV}settings:\n");
    for i in 0..times {
        let _ = writeln!(text, "  k{i}: !include ../../data.json '{query}'");
    }
    repo.write("data.json", document).write("stacks/deploy/dev.yaml", text);
    let run = repo.run(&["check", "--all"]).ends_with(1).says("gone-too");
    unwrapped(&run.stdout)
}

/// One query ends within the steps that all have.
fn query_ends(name: &str, query: &str) {
    let said = asked(&data(20_000), query, 1);
    assert!(said.contains("error[limit-exceeded]") && said.contains("the queries of this file"), "{name}: {said}");
    assert!(said.contains(query) && said.contains("template-steps"), "{name}: {said}");
}

cases! {
    query_ends:
    query_keys_of_a_map_one_by_one => "[.map | keys[] as $k | .[$k]]";
    query_a_sum_of_maps => ".map | keys[] as $k ireduce (.; .[$k] = 1)";
    query_has_each_key => ".map | [keys[] as $k | has($k)]";
    query_a_map_merged_into_itself => ".map | . * . * . * . * .";
    query_keys_picked => ".map | pick(keys)";
    query_all_deleted => ".map | del(.[])";
    query_lists_in_each_other => ".list | contains(.)";
    query_all_below_all => "[.. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | .. | ..] | length";
    query_a_pattern_for_all => "[.list[] | tostring | test(\"(a|b){900}\")]";
    query_stars_in_a_long_text => ".text == (.text | sub(\"a\", \"*a\"))";
}

/// Each is cheap, and all of them together are not.
#[test]
fn queries_of_one_file_have_one_budget() {
    let said = asked(&data(2_000), ".list[1]", 2_000);
    assert!(said.contains("error[limit-exceeded]") && said.contains("at `../../data.json '.list[1]'`"), "{said}");
    assert_eq!(said.matches("limit-exceeded").count(), 1, "{said}");
    assert!(!asked(&data(2_000), ".list[1]", 100).contains("limit-exceeded"));
}

/// A file is decoded once, so that including all of it again takes no more memory.
#[test]
fn a_file_that_is_included_often_is_there_once() {
    let repo = project(&[]);
    let mut text = format!("{DEV}settings:\n");
    for i in 0..2_000 {
        let _ = writeln!(text, "  k{i}: !include.raw ../../text.txt");
    }
    repo.write("text.txt", "a".repeat(400_000)).write("stacks/deploy/dev.yaml", text);
    repo.write("stacklint.toml", "[limits]\nmemory = 512\n");
    repo.run(&["check"]).ends_with(0);
}
