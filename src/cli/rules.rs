//! `stacklint rules`, `explain` and `config`: descriptions of the rules, and the effective settings.

use super::open::{Invocation, State};
use super::{Failure, Global, output};
use crate::diagnostic::{RuleRef, UNREGISTERED};
use crate::files::Files;
use crate::report::catalogue;
use crate::report::log::OutputKind;
use crate::review::{self, Coverage, Filter, Outcome, Overrides, Request};
use crate::rules;
use crate::settings::Load;
use clap::{Args, ValueEnum};
use std::io::Write;

/// List the rules.
#[derive(Args, Debug)]
pub(super) struct List {
    /// Only rules with this text in their id, group or summary
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Explain a rule: what it reports and why, with examples.
#[derive(Args, Debug)]
pub(super) struct Explain {
    /// The id of the rule
    #[arg(value_name = "RULE")]
    rule: String,
}

/// Show the effective settings, and where each of them is set.
#[derive(Args, Debug)]
pub(super) struct Config {
    /// Analyze this revision instead of the worktree
    #[arg(long, value_name = "REV")]
    rev: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Format {
    fn kind(self) -> OutputKind {
        if let Format::Json = self { OutputKind::Json } else { OutputKind::Text }
    }
}

/// Lists the rules with their effective levels.
pub(super) fn list(options: &List, global: &Global) -> Result<Outcome, Failure> {
    let settings = match Invocation::find(global).and_then(|place| load(&place, None)) {
        Ok(load) => load.settings,
        // The catalogue does not need a project.
        Err(_) => crate::settings::Settings::default(),
    };
    let rules = matching(settings.all_rules(), options.filter.as_deref())?;
    let mut out = output::stdout_of(options.format.kind());
    match options.format {
        Format::Text => catalogue::write_rules(&mut out, &rules, &settings, &output::options(global))?,
        Format::Json => catalogue::write_rules_json(&mut out, &rules, &settings)?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

/// The rules with a text in their id, group or summary.
///
/// # Errors
/// There is none.
fn matching(mut rules: Vec<RuleRef>, filter: Option<&str>) -> Result<Vec<RuleRef>, Failure> {
    let Some(filter) = filter else { return Ok(rules) };
    let text = filter.to_lowercase();
    rules.retain(|rule| {
        [rule.id(), rule.group.name(), rule.summary()].iter().any(|of| of.to_lowercase().contains(&text))
    });
    if rules.is_empty() {
        return Err(Failure::Message(format!("no rule has `{filter}` in its id, group or summary")));
    }
    Ok(rules)
}

/// Prints the page of a rule.
pub(super) fn explain(options: &Explain, global: &Global) -> Result<Outcome, Failure> {
    let id = options.rule.strip_prefix("stacklint/").unwrap_or(&options.rule);
    let settings =
        Invocation::find(global).and_then(|place| load(&place, None)).map(|load| load.settings).unwrap_or_default();
    let unregistered = || UNREGISTERED.into_iter().find(|rule| rule.id() == id);
    let Some(rule) = rules::find(id).or_else(|| settings.policies.find(id).map(|rule| &**rule)).or_else(unregistered)
    else {
        let all = settings.all_rules();
        let near = crate::text::nearest(id, all.iter().map(|r| r.id()));
        let hint = near.map_or("`stacklint rules` lists all rules".to_owned(), |n| format!("did you mean `{n}`?"));
        return Err(Failure::Message(format!("there is no rule `{id}`; {hint}")));
    };
    let mut out = output::stdout();
    catalogue::write_page(&mut out, rule, &output::options(global))?;
    out.flush()?;
    Ok(Outcome::Clean)
}

/// Prints the settings.
pub(super) fn config(options: &Config, global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let load = load(&place, options.rev.clone())?;
    let state = options.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let (overrides, source) = (Overrides::default(), place.open(&state)?);
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let (coverage, failure) = match review::check(&*source, &place.workspace(), &request) {
        Ok(review) => (review.coverage, None),
        Err(review::Error::NoProject(message)) => (Coverage::default(), Some(Failure::NoProject(message))),
        Err(error) => return Err(error.into()),
    };
    let mut out = output::stdout_of(options.format.kind());
    match options.format {
        Format::Text => catalogue::write_settings(&mut out, &load, &coverage, &output::options(global))?,
        Format::Json => catalogue::write_settings_json(&mut out, &load, &coverage)?,
    }
    out.flush()?;
    failure.map_or(Ok(Outcome::Clean), Err)
}

fn load(place: &Invocation, rev: Option<String>) -> Result<Load, Failure> {
    let state = rev.map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    Load::find(&*source, &place.project.start, &Files::default()).map_err(Failure::Message)
}
