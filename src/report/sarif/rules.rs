//! The rules as SARIF describes them.

use super::word;
use crate::diagnostic::{Finding, Level};
use crate::report::{Report, links};
use crate::rules::{Group, Rule, SECRET_IN_PLAIN_TEXT};
use serde_json::json;
use serde_sarif::sarif::{
    MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingConfigurationLevel, ReportingDescriptor,
};
use std::collections::BTreeMap;

/// The rules of a run, sorted by id: those that are on, and those of findings that are reported in spite of that.
pub(super) struct Catalogue<'a> {
    rules: Vec<(&'a Rule, Level)>,
}

impl<'a> Catalogue<'a> {
    pub(super) fn of(report: &'a Report<'_>) -> Self {
        let mut rules: BTreeMap<&str, (&Rule, Level)> = report.rules.iter().map(|r| (r.0.id(), (&*r.0, r.1))).collect();
        let silenced = report.suppressed.iter().map(|s| &s.finding);
        for Finding { diagnostic, level, .. } in report.findings.iter().chain(silenced) {
            if !diagnostic.is_defect() {
                rules.entry(diagnostic.rule.id()).or_insert((&*diagnostic.rule, *level));
            }
        }
        Catalogue { rules: rules.into_values().collect() }
    }

    /// Where a rule is in the list.
    pub(super) fn index(&self, id: &str) -> Option<i64> {
        self.rules.binary_search_by(|(rule, _)| rule.id().cmp(id)).ok().map(|i| i as i64)
    }

    pub(super) fn descriptors(&self) -> Vec<ReportingDescriptor> {
        self.rules.iter().map(|(rule, level)| descriptor(rule, *level)).collect()
    }
}

/// The id of a rule among those of other tools.
pub(super) fn id(rule: &str) -> String {
    format!("stacklint/{rule}")
}

fn descriptor(rule: &Rule, level: Level) -> ReportingDescriptor {
    let text = |text: String| MultiformatMessageString::builder().text(text).build();
    let link = links::rule_page(rule);
    let help = MultiformatMessageString::builder()
        .text(rule.page().trim_end())
        .markdown(format!("{}\n\n[{}]({link})", rule.page().trim_end(), rule.id()))
        .build();
    let mut properties = BTreeMap::from([
        ("precision".to_owned(), json!(precision(rule.group))),
        ("problem.severity".to_owned(), json!(severity(level))),
    ]);
    let mut tags = vec!["configuration".to_owned(), rule.group.name().to_owned()];
    // GitHub shows findings of such a rule as security alerts.
    if rule == &SECRET_IN_PLAIN_TEXT {
        properties.insert("security-severity".to_owned(), json!("7.5"));
        tags.extend(["security", "external/cwe/cwe-798"].map(ToOwned::to_owned));
    }
    ReportingDescriptor::builder()
        .id(id(rule.id()))
        .name(rule.id())
        .short_description(text(super::result::sentence(rule.summary())))
        .full_description(text(first_paragraph(rule)))
        .help(help)
        .help_uri(link)
        .default_configuration(ReportingConfiguration::builder().level(word(&configured(level))).build())
        .properties(PropertyBag::builder().tags(tags).additional_properties(properties).build())
        .build()
}

/// The first paragraph of the page, in one line.
fn first_paragraph(rule: &Rule) -> String {
    let paragraph = rule.page().lines().skip(1).skip_while(|l| l.trim().is_empty());
    let words: Vec<&str> = paragraph.take_while(|l| !l.trim().is_empty()).flat_map(str::split_whitespace).collect();
    if words.is_empty() { super::result::sentence(rule.summary()) } else { words.join(" ") }
}

fn configured(level: Level) -> ReportingConfigurationLevel {
    match level {
        Level::Danger | Level::Error => ReportingConfigurationLevel::Error,
        Level::Warning => ReportingConfigurationLevel::Warning,
        Level::Note => ReportingConfigurationLevel::Note,
    }
}

/// In the words of GitHub.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Danger | Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    }
}

/// How rarely a finding of the group is wrong, in the words of GitHub.
fn precision(group: Group) -> &'static str {
    match group {
        Group::Correctness | Group::Policy => "very-high",
        Group::Suspicious | Group::Change | Group::Hygiene => "high",
        Group::Preview => "medium",
    }
}
