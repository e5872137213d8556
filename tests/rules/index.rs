//! `docs/rules.md`, the table of all rules. `UPDATE_PAGES=1 cargo test --test rules index` writes it.

use crate::common::{Repo, fixture};
use crate::pages::{Section, in_repository, sections};
use crate::trial;
use libtest_mimic::Trial;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The groups in their order, with what they mean.
const GROUPS: [(&str, &str); 5] = [
    ("correctness", "The deployment tool rejects it, or it does not do what it says."),
    ("suspicious", "Probably not what was meant."),
    ("change", "What a change does: `diff`, `ci` and the hook report it."),
    ("hygiene", "Off by default: `--pedantic`, or a level in `stacklint.toml`."),
    ("preview", "Rules that are being tried. Off by default: `--preview`, or a level."),
];

/// The first parts of the names of projects that mistakes are planted into, by system.
const PROJECTS: [(&str, &str); 4] =
    [("garden-", "Garden"), ("jit-", "infra.yaml"), ("tg-", "Terragrunt"), ("tofu-", "OpenTofu")];

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("index::it_is_up_to_date", it_is_up_to_date)]
}

/// The system of a project with these files.
fn system(section: &Section) -> &'static str {
    let has = |end: &str| section.before.iter().any(|(path, _)| path.ends_with(end));
    let is_terragrunt = has("terragrunt.hcl") || has("terragrunt.stack.hcl");
    match () {
        () if is_terragrunt => "Terragrunt",
        () if has("garden.yml") => "Garden",
        () if has("infra.yaml") => "infra.yaml",
        () if has("main.tf") && !has("atmos.yaml") && !has(".yaml") => "OpenTofu",
        () => "Atmos",
    }
}

/// The systems in which a test shows a finding of the rule: in its page, and in what is planted.
fn systems(rule: &str, bad: &[Section]) -> String {
    let mut found: BTreeSet<&str> = bad.iter().map(system).collect();
    let planted = fixture(&format!("../tests/rules/planting/expected/{rule}.txt"));
    let planted = std::fs::read_to_string(planted).unwrap_or_default();
    for project in planted.split("## ").skip(1).filter(|text| text.contains(&format!("[{rule}]"))) {
        let own = PROJECTS.iter().find(|(start, _)| project.starts_with(start));
        found.insert(own.map_or("Atmos", |(_, system)| system));
    }
    found.into_iter().collect::<Vec<_>>().join(", ")
}

/// The kind of fix that a finding of the rule has in its page.
fn fix(rule: &str, is_off: bool, bad: &[Section]) -> String {
    let mut found = BTreeSet::new();
    for section in bad {
        let repo = in_repository(rule, is_off, section);
        let arguments: &[&str] = match section.after {
            Some(_) => &["diff", "HEAD~1..HEAD", "--format", "json"],
            None => &["check", "--format", "json"],
        };
        let report: Value = repo.run(arguments).json();
        let own = report["diagnostics"].as_array().into_iter().flatten().filter(|found| found["rule"] == rule);
        found.extend(own.filter_map(|finding| finding["fix"]["applicability"].as_str().map(str::to_owned)));
    }
    found.into_iter().collect::<Vec<_>>().join(", ")
}

/// The row of a rule.
fn row(rule: &Value) -> String {
    let text = |key: &str| rule[key].as_str().unwrap_or_default();
    let id = text("id");
    let page = std::fs::read_to_string(fixture(&format!("../docs/rules/{id}.md"))).expect("a page");
    let mut bad = sections(&page);
    bad.retain(|section| section.is_bad);
    let level = if text("default_level").is_empty() { "off" } else { text("default_level") };
    let (systems, fix) = (systems(id, &bad), fix(id, level == "off", &bad));
    let summary = text("summary").replace('|', "\\|");
    format!("| [{id}](rules/{id}.md) | {summary} | {level} | {systems} | {fix} | {} |\n", text("since"))
}

fn it_is_up_to_date() {
    let rules: Vec<Value> = serde_json::from_str(&Repo::plain().run(&["rules", "--format", "json"]).stdout).unwrap();
    let mut page = "<!-- Generated: UPDATE_PAGES=1 cargo test --test rules index -->\n\n# Rules\n\n".to_owned();
    writeln!(
        page,
        "All {} rules. *System*: where a test of the project shows a finding; a rule may apply to others. *Fix*: `check --fix` \
         applies safe ones, `--unsafe-fixes` all. `stacklint rules` lists the rules with the levels of your settings, \
         `stacklint explain RULE` prints the page of one.",
        rules.len()
    )
    .unwrap();
    let rows: Vec<String> = std::thread::scope(|scope| {
        let parts = rules.chunks(rules.len().div_ceil(4));
        let threads: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(row).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    for (group, words) in GROUPS {
        let own: Vec<_> = rules.iter().zip(&rows).filter(|(rule, _)| rule["group"] == group).collect();
        if own.is_empty() {
            continue;
        }
        writeln!(
            page,
            "\n## {group}\n\n{words}\n\n| rule | reports | level | system | fix | since |\n|---|---|---|---|---|---|"
        )
        .unwrap();
        own.iter().for_each(|(_, row)| page.push_str(row));
    }
    let listed = page.matches("](rules/").count();
    assert_eq!(listed, rules.len(), "a group is missing in the table");
    let path = fixture("../docs/rules.md");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == page, "docs/rules.md is stale: UPDATE_PAGES=1 cargo test --test rules index");
}
