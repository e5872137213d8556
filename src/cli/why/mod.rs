//! `stacklint why`: where a value comes from.

pub(super) mod affected;

use super::describe::Wanted;
use super::question::{self, Format, ResolvedState};
use super::{Failure, Global, Outcome};
use crate::query::{path, why::why};
use crate::report::answers::why::{self as answers, Difference, Group};
use crate::resolution::{Address, Component, Placed, Unit};
use crate::review::{Filter, Resolved, ResolvedPair};
use crate::source::Spec;
use crate::source::glob::Glob;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;

/// Show where a value comes from: the deciding line, what it was computed from, and what it replaced.
///
/// With a range of revisions in front of STACK it explains a difference: the value on both sides, and the edited lines
/// that made it.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The stack, or a pattern for several; optionally after a range of two revisions, `A..B`
    #[arg(value_name = "[A..B] STACK")]
    stack: String,
    /// The component
    component: String,
    /// The value: keys separated by dots (`vars.cidr`) or a JSON Pointer (`/vars/cidr`) [default: the whole component]
    #[arg(default_value = "")]
    path: String,
    /// The value, where a range of revisions comes first
    #[arg(hide = true)]
    last: Option<String>,
    /// The type of the component, if components of several types have this name
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    question: question::Options,
}

/// A value as the user names it.
struct Named<'a> {
    range: Option<&'a str>,
    wanted: Wanted<'a>,
    path: &'a str,
}

impl Options {
    fn named(&self) -> Result<Named<'_>, Failure> {
        let kind = self.kind.as_deref();
        let is_range = Spec::parse(&self.stack).is_range();
        match &self.last {
            None if !is_range => {
                let wanted = Wanted { stack: &self.stack, name: &self.component, kind };
                Ok(Named { range: None, wanted, path: &self.path })
            }
            Some(_) if !is_range => {
                Err(Failure::Message(format!("`{}` is not a range of revisions such as `A..B`", self.stack)))
            }
            _ if self.path.is_empty() => Err(Failure::Message("name a stack, a component and a path".to_owned())),
            last => {
                let wanted = Wanted { stack: &self.component, name: &self.path, kind };
                Ok(Named { range: Some(&self.stack), wanted, path: last.as_deref().unwrap_or_default() })
            }
        }
    }
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let named = options.named()?;
    if let Some(range) = named.range {
        return difference(options, range, &named, global);
    }
    let state = options.question.state.resolve_with(Some(named.wanted.stack), global)?;
    let Resolved { files, resolution, .. } = &state.resolved;
    let found = resolution.components();
    let (mut out, text) = (options.question.stdout(&state.place), options.question.text(global));
    if let Some((address, placed)) = named.wanted.pick(&found)? {
        let made = made(placed, named.path, || state.made(&BTreeSet::from([address.clone()])));
        let (placed, keys) = match &made {
            Some((made, rest)) => (made, path::keys(rest, &made.component.value)),
            None => (placed, path::keys(named.path, &placed.component.value)),
        };
        let answer = why(resolution, files, placed, &keys).map_err(Failure::Message)?;
        match options.question.format {
            Format::Json => answers::write_json(&mut out, &answer, files, &text)?,
            Format::Text => answers::write_text(&mut out, &answer, files, &text)?,
        }
    } else {
        let groups = groups(&named, &found, &state)?;
        if groups.is_empty() {
            // The value may be in a part that could not be resolved.
            return match state.finish(global)? {
                Outcome::Clean => Err(Failure::Message(named.wanted.missing(&found))),
                Outcome::Fails(_) => Ok(Outcome::Fails(named.wanted.missing(&found))),
                outcome => Ok(outcome),
            };
        }
        match options.question.format {
            Format::Json => answers::write_groups_json(&mut out, &groups, files, &text)?,
            Format::Text => answers::write_groups_text(&mut out, &groups, files, &text)?,
        }
    }
    out.flush()?;
    global.leftovers.leave((found, state.resolved));
    Ok(Outcome::Clean)
}

/// What the code of a component makes, if a path begins with its address (`aws_instance.web[0]`, `output.ids`, `module.lb`), and the rest
/// of the path. `make` evaluates the code.
fn made<'p>(placed: &Placed, path: &'p str, make: impl FnOnce() -> Vec<Arc<Unit>>) -> Option<(Placed, &'p str)> {
    let first = path.split(['.', '[']).next().filter(|first| !first.is_empty() && !first.starts_with('/'))?;
    if placed.component.value.get(first).is_some() {
        return None;
    }
    let rest = |component: &Component| {
        let name = match &*component.kind {
            "output" | "module" => format!("{}.{}", component.kind, component.name),
            _ => component.name.to_string(),
        };
        let rest = path.strip_prefix(&name)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    };
    let units = make();
    let mut found = units.iter().flat_map(|unit| unit.components.iter().map(move |component| (unit, component)));
    found.find_map(|(unit, component)| {
        Some((Placed { component: Arc::clone(component), unit: Arc::clone(unit) }, rest(component)?))
    })
}

/// Explains the difference of a value between two states.
fn difference(options: &Options, range: &str, named: &Named<'_>, global: &Global) -> Result<Outcome, Failure> {
    let pair = options.question.state.resolve_range(range, Some(named.wanted.stack), &Filter::default(), global)?;
    let ResolvedPair { files, base, head, diff, .. } = &pair.resolved;
    let (mut messages, mut address) = (Vec::new(), None);
    let mut of_code = [Vec::new(), Vec::new()];
    let sides = [(0, base), (1, head)].map(|(side, resolution)| {
        let found = resolution.components();
        let picked = named.wanted.pick(&found).transpose();
        match picked.map(|picked| picked.map(|(address, placed)| (address.clone(), placed.clone()))) {
            Some(Ok((own, placed))) => {
                let made = made(&placed, named.path, || {
                    let [base, head] = pair.made(&BTreeSet::from([own.clone()]));
                    if side == 0 { base } else { head }
                });
                let (placed, path) = match made {
                    Some((made, rest)) => {
                        of_code[side].push(Arc::clone(&made.unit));
                        (made, rest)
                    }
                    None => (placed, named.path),
                };
                address = Some(placed.component.address());
                let keys = path::keys(path, &placed.component.value);
                why(resolution, files, &placed, &keys).map_err(|message| messages.push(message)).ok()
            }
            _ => {
                messages.push(named.wanted.missing(&found));
                None
            }
        }
    });
    let [before, after] = sides;
    let Some(path) = after.as_ref().or(before.as_ref()).map(|answer| answer.path.clone()) else {
        let broken = base.findings.iter().chain(&head.findings);
        return match question::report_broken(broken, files, global)? {
            Outcome::Clean => Err(Failure::Message(messages.pop().unwrap_or_default())),
            outcome => Ok(outcome),
        };
    };
    let of_code = pair.differences(of_code);
    let all = diff.components.iter().chain(&of_code.components);
    let component = all.into_iter().find(|c| Some(c.address()) == address);
    let causes = component.map(|component| {
        let is_near = |other: &str| {
            let is_inside =
                |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            is_inside(other, &path) || is_inside(&path, other)
        };
        let changes = component.changes.iter().filter(|change| is_near(&change.path));
        let mut causes: Vec<_> = changes.flat_map(|change| change.causes.iter().copied()).collect();
        if component.changes.is_empty() {
            causes.clone_from(&component.causes);
        }
        causes
    });
    let found = Difference { before, after, causes: causes.unwrap_or_default() };
    let (mut out, text) = (options.question.stdout(&pair.place), options.question.text(global));
    match options.question.format {
        Format::Json => answers::write_difference_json(&mut out, &found, files, &text)?,
        Format::Text => answers::write_difference_text(&mut out, &found, files, &text)?,
    }
    out.flush()?;
    global.leftovers.leave(pair.resolved);
    Ok(Outcome::Clean)
}

/// The answers for all stacks that a pattern names, the most common value first.
fn groups(named: &Named<'_>, found: &BTreeMap<Address, Placed>, state: &ResolvedState) -> Result<Vec<Group>, Failure> {
    let wanted = named.wanted;
    if !wanted.stack.contains(['*', '?', '[', '{']) {
        return Ok(Vec::new());
    }
    let glob = Glob::new(wanted.stack)
        .map_err(|e| Failure::Message(format!("`{}` is not a valid pattern: {e}", wanted.stack)))?;
    let mut groups: Vec<Group> = Vec::new();
    let mut problem = None;
    let is_kind = |kind: &str| wanted.kind.is_none_or(|wanted| wanted == kind);
    for ((stack, kind, name), placed) in found {
        if *name != *wanted.name || !is_kind(kind) || !glob.matches(stack) {
            continue;
        }
        let keys = path::keys(named.path, &placed.component.value);
        let value = match path::find(&placed.component.value, &keys) {
            Ok(around) => around[keys.len()],
            Err(message) => {
                problem = Some(message);
                continue;
            }
        };
        match groups.iter_mut().find(|g| g.answer.value == *value) {
            Some(group) => group.stacks.push(stack.clone()),
            None => {
                let answer =
                    why(&state.resolved.resolution, &state.resolved.files, placed, &keys).map_err(Failure::Message)?;
                groups.push(Group { stacks: vec![stack.clone()], answer });
            }
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g.stacks.len()));
    match problem {
        Some(message) if groups.is_empty() => Err(Failure::Message(message)),
        _ => Ok(groups),
    }
}
