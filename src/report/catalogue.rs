//! The catalogue of rules, their pages and the settings, for people and machines.

use super::Options;
use super::text::style::{Theme, count};
use crate::diagnostic::Level;
use crate::review::Coverage;
use crate::review::coverage::ProjectCoverage;
use crate::rules::{Group, Rule};
use crate::settings::{From, Load, Settings, Sourced};
use serde::Serialize;
use std::io;

/// Writes a table of all rules by group, with the levels that the settings give them, those that they have without, and the
/// versions that they came with.
///
/// # Errors
/// Those of the writer.
pub fn write_rules(out: &mut dyn io::Write, settings: &Settings, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let all = settings.all_rules();
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
            let name = theme.path(&format!("{:width$}", rule.id));
            let default = default_name(rule);
            writeln!(out, "  {name}  {level:7}  {default:7}  {:5}  {}", rule.since, rule.summary)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "`stacklint explain RULE` shows what a rule reports, and why.")
}

/// The level that a rule has where nobody sets one.
fn default_name(rule: &Rule) -> &'static str {
    rule.default_level().map_or("off", Level::name)
}

#[derive(Serialize)]
struct RuleJson {
    id: &'static str,
    group: &'static str,
    level: &'static str,
    default_level: &'static str,
    since: &'static str,
    summary: &'static str,
}

/// Writes all rules, sorted by id, and a line end; `schemas/rules.json` describes it.
///
/// # Errors
/// Those of the writer.
pub fn write_rules_json(out: &mut dyn io::Write, settings: &Settings) -> io::Result<()> {
    let rule = |rule: &&'static Rule| RuleJson {
        id: rule.id,
        group: rule.group.name(),
        level: settings.rule_level(rule).value.name(),
        default_level: default_name(rule),
        since: rule.since,
        summary: rule.summary,
    };
    serde_json::to_writer_pretty(&mut *out, &settings.all_rules().iter().map(rule).collect::<Vec<_>>())?;
    writeln!(out)
}

/// Writes the page of a rule: headings stand out, blocks of code are indented.
///
/// # Errors
/// Those of the writer.
pub fn write_page(out: &mut dyn io::Write, rule: &Rule, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let level = default_name(rule);
    let (mut fence, mut is_blank) = (None::<&str>, false);
    for (i, line) in rule.page.lines().enumerate() {
        if let Some(open) = fence {
            if line == open {
                fence = None;
            } else if line.is_empty() {
                writeln!(out)?;
            } else {
                writeln!(out, "    {}", theme.dim(line))?;
            }
            is_blank = false;
            continue;
        }
        if line.starts_with("```") {
            fence = Some(&line[..line.bytes().take_while(|b| *b == b'`').count()]);
            continue;
        }
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            writeln!(out, "{}", theme.bold(heading.trim()))?;
            if i == 0 {
                let since =
                    if rule.group == Group::Policy { String::new() } else { format!(" · since {}", rule.since) };
                writeln!(out, "{} · {level} by default{since}", rule.group.name())?;
            }
        } else if !(line.is_empty() && is_blank) {
            writeln!(out, "{line}")?;
        }
        is_blank = line.is_empty();
    }
    Ok(())
}

#[derive(Serialize)]
struct SettingJson {
    key: String,
    value: String,
    from: String,
}

/// A project that these settings are for: what is found in it, and by which configuration files.
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
    add("max-components".into(), &limits.max_components.to_string(), &limits_from.0);
    add("max-imports".into(), &limits.max_imports.to_string(), &limits_from.2);
    let protected = if protected.is_empty() { "none".to_owned() } else { protected.join(", ") };
    add("protected".into(), &protected, &limits_from.1);
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
        let set = load.settings.rule_level(rule);
        add(format!("rules.{}", rule.id), set.value.name(), &set.from);
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

/// Writes the settings as a table: what is set, to what, and where.
///
/// # Errors
/// Those of the writer.
pub fn write_settings(out: &mut dyn io::Write, load: &Load, coverage: &Coverage, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let all = settings(load, coverage);
    let width = |f: fn(&SettingJson) -> &str| all.iter().map(|s| f(s).chars().count()).max().unwrap_or(0);
    let (keys, values) = (width(|s| &s.key), width(|s| &s.value));
    for set in &all {
        let line = format!("{:keys$}  {:values$}  ", set.key, set.value);
        let from = if set.from == "default" { theme.dim(&set.from) } else { theme.place(&set.from) };
        writeln!(out, "{line}{from}")?;
    }
    Ok(())
}

/// Writes the settings as a list of `{key, value, from}`, and a line end; `schemas/config.json` describes it.
///
/// # Errors
/// Those of the writer.
pub fn write_settings_json(out: &mut dyn io::Write, load: &Load, coverage: &Coverage) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &settings(load, coverage))?;
    writeln!(out)
}
