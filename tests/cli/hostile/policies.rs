//! Attacks on policies and by policies: a change cannot remove the rule that it breaks, and a policy terminates.

use super::project;
use crate::common::Repo;

const POLICY: &str = "[[require]]\nid = 'small'\nthat = 'component.vars.size < 5'\nmessage = 'boxes are small'\n";
const REGO: &str = "[[rego]]\nid = 'small'\nfile = 'policies/small.rego'\n";
const DENY: &str =
    "package small\nimport rego.v1\ndeny contains \"boxes are small\" if input.component.vars.size >= 5\n";

/// A change that breaks a policy, and whatever else it does.
fn change(settings: &str, files: &[(&str, &str)]) -> Repo {
    let repo = project(&[("stacklint.toml", settings), ("policies/small.rego", DENY)]);
    repo.tag("base");
    let text = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 9}}}}\n";
    repo.write("stacks/deploy/dev.yaml", text);
    for (path, text) in files {
        if text.is_empty() {
            repo.remove(path)
        } else {
            repo.write(path, text)
        };
    }
    repo.commit("head");
    repo
}

/// A change cannot lift the policy that it breaks: the settings of the base, the file that the head writes, and what is
/// reported of that.
fn lifts_no_policy(_: &str, (settings, (path, text), words): (&str, (&str, &str), &str)) {
    let repo = change(settings, &[(path, text)]);
    let run = repo.run(&["diff", "base..HEAD"]).ends_with(1);
    run.says("error[small]: boxes are small").says("review-changed").says(words);
    repo.run(&["ci", "--base", "base"]).ends_with(1).says("error[small]");
    repo.git(&["reset", "--soft", "base"]);
    repo.run(&["hook", "run"]).ends_with(1).says("error[small]");
    repo.git(&["commit", "--quiet", "-m", "head"]);
    // A user who trusts the change can say so.
    repo.run(&["diff", "base..HEAD", "--settings-from", "head"]).hides("error[small]").hides("review-changed");
}

cases! {
    lifts_no_policy:
    other_settings => (POLICY, ("stacklint.toml", "strict = false\n"), "it removes the policy `small`");
    no_settings => (POLICY, ("stacklint.toml", ""), "it removes the policy `small`");
    a_weaker_policy => (POLICY, ("stacklint.toml", &POLICY.replace("< 5", "< 50")), "it changes the policy `small`");
    another_policy => (POLICY, ("stacklint.toml", "[[require]]\nid = 'other'\nthat = 'true'\nmessage = 'm'\n"), "it adds the policy `other`");
    a_level_of_a_policy => (POLICY, ("stacklint.toml", &format!("{POLICY}[rules]\nsmall = 'off'\n")), "would suppress 1 error");
    a_weaker_module => (REGO, ("policies/small.rego", "package small\nimport rego.v1\ndeny contains \"x\" if false\n"), "it changes the policy `small`");
    no_module => (REGO, ("policies/small.rego", ""), "it removes the policy `small`");
    an_empty_module => (REGO, ("policies/small.rego", "package small\n"), "it removes the policy `small`");
}

#[test]
fn a_new_policy_counts_from_the_next_commit_on() {
    let repo = change("strict = false\n", &[("stacklint.toml", POLICY)]);
    repo.run(&["diff", "base..HEAD"]).ends_with(0).says("it adds the policy `small`").hides("error[small]");
    repo.run(&["diff", "base..HEAD", "--settings-from", "head"]).ends_with(1).says("error[small]");
    repo.run(&["check"]).ends_with(1).says("error[small]");
}

/// The settings of a hostile policy in CEL.
fn require(that: &str) -> (String, String) {
    let settings = "[[require]]\nid = 'hostile'\nwhere = 'has(component.vars.all)'\nmessage = 'm'\n";
    (format!("{settings}that = \"{that}\"\n"), String::new())
}

/// The settings of a hostile policy in Rego, and its module.
fn rego(body: &str) -> (String, String) {
    let settings = "[[rego]]\nid = 'hostile'\nfile = 'hostile.rego'\n";
    (settings.to_owned(), format!("package hostile\nimport rego.v1\n{body}\n"))
}

/// A policy ends within its limits, and all other policies are evaluated.
fn ends_within_its_limits(name: &str, ((hostile, module), words): ((String, String), &str)) {
    let items: Vec<String> = (0..3_000).map(|i| i.to_string()).collect();
    let wide = format!(
        "vars: {{stage: wide}}\ncomponents: {{terraform: {{box: {{vars: {{size: 1, all: [{}], s: {}}}}}}}}}\n",
        items.join(", "),
        "a".repeat(100_000)
    );
    let settings = format!("{hostile}{POLICY}[limits]\npolicy-steps = 5_000_000\n");
    let repo = project(&[("stacks/deploy/wide.yaml", &wide), ("stacklint.toml", &settings), ("hostile.rego", &module)]);
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 9}}}}\n");
    let run = repo.run(&["check"]);
    assert_eq!(run.status, 1, "{name}: {run}");
    run.says(words).says("error[small]");
}

cases! {
    ends_within_its_limits:
    nested_macros => (require("component.vars.all.all(a, component.vars.all.all(b, component.vars.all.all(c, a + b != c - 9000)))"), "limit-exceeded");
    a_list_of_lists => (require("size(component.vars.all.map(a, component.vars.all.map(b, component.vars.s + string(b)))) == 0"), "limit-exceeded");
    a_pattern => (require(&format!("component.vars.s.matches('{}b')", "(a*)*".repeat(100))), "hostile");
    a_large_pattern => (require("'a'.matches('((((a{100}){100}){100}){100})')"), "limit-exceeded");
    brackets => (require(&format!("{}1{} == 1", "(".repeat(1_000), ")".repeat(1_000))), "invalid-policy");
    a_long_expression => (require(&"true && ".repeat(2_000)), "invalid-policy");
    recursion => (rego("f(x) := y if y := f(x)\ndeny contains \"m\" if f(1)"), "calls itself");
    comprehensions => (rego(
                "deny contains \"m\" if count([1 | some a in input.component.vars.all; some b in input.component.vars.all; some c in input.component.vars.all; a + b == c - 9000]) > 0",
            ), "limit-exceeded");
    a_large_range => (rego("deny contains \"m\" if count(numbers.range(1, 1000000000)) > 1"), "limit-exceeded");
    many_results => (rego(
                "deny contains sprintf(\"%d %d\", [a, b]) if { some a in input.component.vars.all; some b in input.component.vars.all }",
            ), "limit-exceeded");
}
