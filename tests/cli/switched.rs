//! What is switched off or on: components, units and actions.

use crate::common::{ATMOS, Run};
use crate::unknown_dangers::diff;

fn diff_component(before: &str, after: &str) -> Run {
    let stack =
        |vars: &str| format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{web: {{vars: {{{vars}}}}}}}}}\n");
    let texts = [before, after].map(stack);
    diff("stacks/deploy/dev.yaml", [&texts[0], &texts[1]], &[("atmos.yaml", ATMOS)])
}

fn diff_unit(before: &str, after: &str) -> Run {
    let texts = [before, after].map(|text| format!("terraform {{\n  source = \"../../modules/web\"\n}}\n{text}"));
    diff(
        "live/web/terragrunt.hcl",
        [&texts[0], &texts[1]],
        &[("modules/web/main.tf", "output \"a\" {\n  value = 1\n}\n")],
    )
}

fn diff_action(before: &str, after: &str) -> Run {
    let texts = [before, after]
        .map(|text| format!("kind: Deploy\ntype: exec\nname: api\nspec: {{deployCommand: [x]}}\n{text}"));
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    diff("api/garden.yml", [&texts[0], &texts[1]], &[("project.garden.yml", project)])
}

fn exclude(condition: &str) -> String {
    format!("exclude {{\n  if      = {condition}\n  actions = [\"all\"]\n}}\n")
}

#[test]
fn what_is_switched_off_has_a_warning() {
    let runs = [
        (diff_component("enabled: true", "enabled: false"), "`web` in `dev` is disabled: `vars.enabled` is now false"),
        (diff_unit("", &exclude("true")), "`web` in `live` is disabled: `exclude.if` is now true"),
        (diff_unit(&exclude("false"), &exclude("true")), "`web` in `live` is disabled: `exclude.if` is now true"),
        (diff_action("", "disabled: true\n"), "`api` in `dev` is disabled: `disabled` is now true"),
    ];
    for (run, says) in runs {
        run.ends_with(0).says("warning[component-disabled]").says(says);
    }
}

#[test]
fn what_is_switched_on_has_a_warning() {
    let runs = [
        (diff_component("enabled: false", "a: 1"), "`vars.enabled` is no longer false"),
        (diff_unit(&exclude("true"), ""), "`exclude.if` is no longer true"),
        (diff_action("disabled: true\n", "disabled: false\n"), "`disabled` is no longer true"),
    ];
    for (run, says) in runs {
        run.ends_with(0).says("warning[component-enabled]").says(says);
    }
}

#[test]
fn a_switch_that_is_not_known_is_neither_on_nor_off() {
    let open = exclude("get_env(\"OFF\")");
    diff_unit("", &open).ends_with(0).says("`web` in `live` may be disabled: `exclude.if` is not known");
    diff_unit(&exclude("true"), &open).ends_with(0).says("`web` in `live` may be enabled: `exclude.if` is not known");
    // It was known before: one warning says so.
    let run = diff_unit(&exclude("false"), &open).ends_with(0);
    run.says("warning[value-became-unknown]").hides("component-disabled");
    let run = diff_action("", "disabled: ${local.env.OFF == 'a'}\n").ends_with(0);
    run.says("warning[value-became-unknown]").hides("component-disabled");
}

#[test]
fn other_settings_beside_a_switch_switch_nothing() {
    let other = exclude("true").replace("all", "plan");
    diff_unit(&exclude("true"), &other).ends_with(0).says("exclude.actions").hides("warning[");
    diff_component("enabled: true", "a: 1").ends_with(0).hides("warning[component-");
}
