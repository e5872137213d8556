//! `stacklint why`: where a value comes from.

use super::describe::Wanted;
use super::question::{self, Asked, Format};
use super::{Failure, Global, Outcome, output};
use crate::query::{path, why::why};
use crate::report::answers::why::{self as answers, Group};
use crate::resolution::{Address, Placed};
use crate::review::Resolved;
use crate::source::glob::Glob;
use clap::Args;
use std::collections::BTreeMap;
use std::io::Write;

/// Show where a value comes from: the deciding line, what it was computed from, and what it replaced.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The stack, or a pattern for several
    stack: String,
    /// The component
    component: String,
    /// The value: keys with dots between them (`vars.cidr`) or a JSON Pointer (`/vars/cidr`); all of the component without it
    #[arg(default_value = "")]
    path: String,
    /// The type of the component, where several types have one of that name
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    question: question::Options,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let asked = options.question.resolve(global)?;
    let Resolved { files, resolution, .. } = &asked.resolved;
    let found = resolution.components();
    let wanted = Wanted { stack: &options.stack, name: &options.component, kind: options.kind.as_deref() };
    let (mut out, text) = (output::stdout(), options.question.text(global));
    if let Some((_, placed)) = wanted.pick(&found)? {
        let keys = path::keys(&options.path, &placed.component.value);
        let answer = why(resolution, files, placed, &keys).map_err(Failure::Message)?;
        match options.question.format {
            Format::Json => answers::write_json(&mut out, &answer, files)?,
            Format::Text => answers::write_text(&mut out, &answer, files, &text)?,
        }
    } else {
        let groups = groups(options, &found, &asked)?;
        if groups.is_empty() {
            // What was asked for may be in what could not be resolved.
            return match asked.finish(global)? {
                Outcome::Clean => Err(Failure::Message(wanted.missing(&found))),
                outcome => Ok(outcome),
            };
        }
        match options.question.format {
            Format::Json => answers::write_groups_json(&mut out, &groups, files)?,
            Format::Text => answers::write_groups_text(&mut out, &groups, files, &text)?,
        }
    }
    out.flush()?;
    // Left to the end of the process, which is near.
    std::mem::forget((found, asked.resolved));
    Ok(Outcome::Clean)
}

/// The answers for all stacks that a pattern names, the most common value first.
fn groups(options: &Options, found: &BTreeMap<Address, Placed>, asked: &Asked) -> Result<Vec<Group>, Failure> {
    if !options.stack.contains(['*', '?', '[', '{']) {
        return Ok(Vec::new());
    }
    let glob =
        Glob::new(&options.stack).map_err(|e| Failure::Message(format!("`{}` is no pattern: {e}", options.stack)))?;
    let mut groups: Vec<Group> = Vec::new();
    let mut problem = None;
    let is_kind = |kind: &str| options.kind.as_deref().is_none_or(|wanted| wanted == kind);
    for ((stack, kind, name), placed) in found {
        if *name != *options.component || !is_kind(kind) || !glob.matches(stack) {
            continue;
        }
        let keys = path::keys(&options.path, &placed.component.value);
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
                    why(&asked.resolved.resolution, &asked.resolved.files, placed, &keys).map_err(Failure::Message)?;
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
