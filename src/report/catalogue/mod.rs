//! The catalogue of rules, their pages and the settings, for people and machines.

mod page;

use super::RenderOptions;
use super::text::style::{self, Theme, count};
use crate::diagnostic::Level;
use crate::diagnostic::RuleRef;
use crate::report::indented_json;
use crate::review::Coverage;
use crate::review::coverage::ProjectCoverage;
use crate::rules::{Group, Rule};
use crate::settings::{From, Load, Settings, Sourced};
use serde::Serialize;
use std::io;

/// The columns of a rule besides its id and its summary, and the minimum width of a summary beside them.
const FIXED: usize = 31;
const LEAST: usize = 40;

/// Writes a table of rules by group, with their effective levels, their default levels, and the versions that
/// introduced them.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_rules(
    out: &mut dyn io::Write,
    all: &[RuleRef],
    settings: &Settings,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let width = all.iter().map(|r| r.id.len()).max().unwrap_or(0);
    writeln!(out, "{}", theme.dim(&format!("  {:width$}  level    default  since  reports", "rule")))?;
    for group in Group::ALL {
        let rules: Vec<_> = all.iter().filter(|r| r.group == group).collect();
        if rules.is_empty() {
            continue;
        }
        writeln!(out, "{}", theme.bold(group.name()))?;
        for rule in rules {
            let level = settings.rule_level(rule).value.name();
            let name = theme.path(&format!("{:width$}", rule.id()));
            let default = default_name(rule);
            let start = format!("  {name}  {level:7}  {default:7}  {:5}", rule.since);
            let before = width + FIXED;
            if options.width < before + LEAST {
                writeln!(out, "{start}")?;
                let summary = style::wrap(&style::escape(rule.summary()), options.width.saturating_sub(6), 0);
                summary.iter().try_for_each(|line| writeln!(out, "      {}", theme.dim(line)))?;
                continue;
            }
            let summary = style::wrap(&style::escape(rule.summary()), options.width - before, 0);
            let summary = summary.join(&format!("\n{}", " ".repeat(before)));
            writeln!(out, "{start}  {summary}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "`stacklint explain RULE` shows what a rule reports, and why.")
}

/// The default level of a rule.
fn default_name(rule: &Rule) -> &'static str {
    rule.default_level().map_or("off", Level::name)
}

#[derive(Serialize)]
struct RuleJson<'a> {
    id: &'a str,
    group: &'static str,
    level: &'static str,
    default_level: &'static str,
    since: &'static str,
    summary: &'a str,
}

impl<'a> RuleJson<'a> {
    fn of(rule: &'a RuleRef, settings: &Settings) -> Self {
        RuleJson {
            id: rule.id(),
            group: rule.group.name(),
            level: settings.rule_level(rule).value.name(),
            default_level: default_name(rule),
            since: rule.since,
            summary: rule.summary(),
        }
    }
}

/// Writes rules in their order, and a line end; `schemas/rules.json` describes it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_rules_json(out: &mut dyn io::Write, all: &[RuleRef], settings: &Settings) -> io::Result<()> {
    indented_json::write(out, &all.iter().map(|rule| RuleJson::of(rule, settings)).collect::<Vec<_>>())
}

/// Writes the page of a rule, laid out for the width of the terminal; with color, marks of Markdown become faces.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_page(out: &mut dyn io::Write, rule: &Rule, options: &RenderOptions) -> io::Result<()> {
    let since = if rule.group == Group::Policy { String::new() } else { format!(" · since {}", rule.since) };
    let subtitle = format!("{} · {} by default{since}", rule.group.name(), default_name(rule));
    let lines = page::render(rule.page(), &subtitle, options);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

#[derive(Serialize)]
struct SettingJson {
    key: String,
    value: String,
    from: String,
}

/// A project that these settings apply to, with its configuration files.
fn project(project: &ProjectCoverage) -> SettingJson {
    let side = &project.head;
    let mut value = format!("{}, {}", count(side.stacks, "stack"), count(side.components, "component"));
    if !side.unresolved.is_empty() {
        value.push_str(&format!(", {} not resolved", side.unresolved.len()));
    }
    let files: Vec<&str> = project.config.iter().map(|path| &**path).collect();
    let from = if files.is_empty() { project.assumptions.join("; ") } else { files.join(", ") };
    SettingJson { key: format!("project {} ({})", project.path, project.dialect), value, from }
}

/// The projects, and every setting in the order in which the file has them.
fn settings(load: &Load, coverage: &Coverage) -> Vec<SettingJson> {
    let Settings { fail_on, min_level, strict, require_reasons, baseline, variables, overrides, .. } = &load.settings;
    let path = load.file.as_ref().map_or(crate::settings::FILE_NAME, |f| &f.path);
    let from = |from: &From| match from {
        From::Default => "default".to_owned(),
        From::File(line) => format!("{path}:{line}"),
        From::CommandLine => "command line".to_owned(),
    };
    let mut all: Vec<SettingJson> = coverage.projects.iter().map(project).collect();
    let mut add = |key: String, value: &str, origin: &From| {
        all.push(SettingJson { key, value: value.to_owned(), from: from(origin) });
    };
    let yes = |set: &Sourced<bool>| if set.value { "true" } else { "false" };
    add("fail-on".into(), fail_on.value.name(), &fail_on.from);
    add("min-level".into(), min_level.value.name(), &min_level.from);
    add("strict".into(), yes(strict), &strict.from);
    add("require-reasons".into(), yes(require_reasons), &require_reasons.from);
    let patterns: Vec<&str> = load.settings.projects.value.iter().map(|g| g.as_str()).collect();
    let patterns = if patterns.is_empty() { "all".to_owned() } else { patterns.join(", ") };
    add("projects".into(), &patterns, &load.settings.projects.from);
    add("baseline".into(), baseline.value.as_deref().unwrap_or("none"), &baseline.from);
    let Settings { limits, limits_from, .. } = &load.settings;
    let protected: Vec<&str> = limits.protected.iter().map(|g| g.as_str()).collect();
    add("max-components".into(), &limits.max_components.to_string(), &limits_from.components);
    add("max-imports".into(), &limits.max_imports.to_string(), &limits_from.imports);
    add("max-slow-calls".into(), &limits.max_slow_calls.to_string(), &limits_from.slow_calls);
    let protected = if protected.is_empty() { "none".to_owned() } else { protected.join(", ") };
    add("protected".into(), &protected, &limits_from.protected);
    let names = variables.value.as_ref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    add("variables".into(), names.as_deref().unwrap_or("unknown"), &variables.from);
    for limit in crate::limits::Limit::ALL {
        let origin = load.settings.work_from.get(&limit).unwrap_or(&From::Default);
        add(format!("limits.{}", limit.name()), &load.settings.work.get(limit).to_string(), origin);
    }
    for group in Group::ALL {
        let set = load.settings.group_level(group);
        add(format!("groups.{}", group.name()), set.value.name(), &set.from);
    }
    for rule in load.settings.all_rules() {
        let set = load.settings.rule_level(&rule);
        add(format!("rules.{}", rule.id()), set.value.name(), &set.from);
    }
    for (i, one) in overrides.iter().enumerate() {
        let paths: Vec<&str> = one.paths.iter().map(|p| p.0.as_str()).collect();
        for (rule, set) in &one.rules {
            let key = format!("overrides[{i}] ({}).rules.{rule}", paths.join(", "));
            add(key, set.value.name(), &set.from);
        }
    }
    all
}

/// Writes the settings as a table: the keys, their values, and where they are set.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_settings(
    out: &mut dyn io::Write,
    load: &Load,
    coverage: &Coverage,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let all = settings(load, coverage);
    let widest = |f: fn(&SettingJson) -> &str, most: usize| {
        all.iter().map(|s| style::width(f(s))).filter(|width| *width <= most).max().unwrap_or(0)
    };
    let keys = widest(|s| &s.key, options.width / 2);
    let values = widest(|s| &s.value, options.width / 4);
    for set in &all {
        let from = if set.from == "default" { theme.dim(&set.from) } else { theme.place(&set.from) };
        let (key, value) = (style::escape(&set.key), style::escape(&set.value));
        let pad = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(style::width(text)));
        let used = style::width(&key).max(keys) + style::width(&value).max(values) + style::width(&set.from) + 4;
        if used <= options.width {
            writeln!(out, "{key}{}  {value}{}  {from}", pad(&key, keys), pad(&value, values))?;
            continue;
        }
        // A value that is too long for a row goes below the key.
        writeln!(out, "{}", style::wrap(&key, options.width, 2).join("\n"))?;
        let lines = style::wrap(&value, options.width.saturating_sub(4), 0);
        lines.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        writeln!(out, "    {from}")?;
    }
    Ok(())
}

/// Writes the settings as a list of `{key, value, from}`, and a line end; `schemas/config.json` describes it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_settings_json(out: &mut dyn io::Write, load: &Load, coverage: &Coverage) -> io::Result<()> {
    indented_json::write(out, &settings(load, coverage))
}
