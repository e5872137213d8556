//! `stacklint describe locals`: the local names of the file of a stack.

use super::Common;
use crate::cli::open::{Invocation, State};
use crate::cli::{Failure, Global, output};
use crate::diagnostic::Level;
use crate::dialects::Scope;
use crate::files::Files;
use crate::report::locals::{Described, Owner};
use crate::report::log::OutputKind;
use crate::report::{Finding, RenderOptions, describe};
use crate::resolution::{LocalLevel, LocalScope, Placed, Resolution};
use crate::review::{self, Outcome, Resolved};
use crate::value::FileId;
use clap::{Args, ValueEnum};
use std::io::Write;

/// Print the local names of the file that defines a stack, and their values.
///
/// Imported files are not examined: local names are seen by the text of their own file alone. JSON and YAML have the
/// shape of `atmos describe locals`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Options {
    /// Print all local names that this component can use, including its own
    component: Option<String>,
    /// The stack, by its name or by the file that defines it
    #[arg(short, long, value_name = "STACK")]
    stack: String,
    /// The type of the component, if components of several types have this name
    #[arg(long = "type", value_name = "TYPE", requires = "component")]
    kind: Option<String>,
    /// Print where each name is written, its text, what it depends on, what it hides, and all scopes merged
    #[arg(long)]
    provenance: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Yaml,
    Json,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Invocation::find(global)?;
    options.common.functions.apply(&options.common.env_file, &mut place)?;
    let state = options.common.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    let resolved =
        review::resolve(&*source, &place.workspace(), &place.settings(&*source)?, Files::default(), Scope::All)?;
    let Resolved { files, resolution, dialects } = resolved;
    // Freeing them is left to the end of the process.
    global.leftovers.leave(dialects);
    let component = match &options.component {
        Some(name) => match component(&resolution, name, options) {
            Ok(found) => Some(found),
            Err(message) => return unresolved(&resolution, None, message, &files, global),
        },
        None => None,
    };
    let Some(file) = manifest(&resolution, &options.stack).or(component.as_ref().map(|c| c.unit.file)) else {
        return unresolved(&resolution, None, no_stack(&resolution, &options.stack), &files, global);
    };
    let is_own = |s: &LocalScope| {
        let is_of_stack = s.stack.as_ref().is_none_or(|stack| **stack == *options.stack);
        s.file == file && is_of_stack && !matches!(s.level, LocalLevel::Component(..))
    };
    let described = Described {
        stack: &options.stack,
        scopes: resolution.locals.scopes.iter().map(|s| &**s).filter(|s| is_own(s)).collect(),
        component: component.as_ref().map(|placed| Owner {
            kind: &placed.component.kind,
            name: &placed.component.name,
            locals: placed.component.locals.as_ref(),
            rendered: placed.component.value.get("locals"),
        }),
    };
    let Some(answer) = described.answer() else {
        return unresolved(
            &resolution,
            Some(file),
            format!("stack has no locals defined: {}", options.stack),
            &files,
            global,
        );
    };
    let kind = if let Format::Json = options.format { OutputKind::Json } else { OutputKind::Text };
    let mut out = output::stdout_showing(kind, options.common.show_secrets);
    match (options.format, options.provenance) {
        (Format::Json, false) => describe::write_value_json(&mut out, &answer)?,
        (Format::Yaml, false) => describe::write_value_yaml(&mut out, &answer)?,
        (Format::Json, true) => described.provenance(&files).write_json(&mut out)?,
        (Format::Yaml, true) => described.provenance(&files).write_yaml(&mut out)?,
        (Format::Text, full) => {
            let shown = RenderOptions { show_secrets: options.common.show_secrets, ..output::options(global) };
            described.provenance(&files).write_text(&mut out, full, &shown)?;
        }
    }
    out.flush()?;
    let unresolved = described.scopes.iter().any(|s| s.locals.iter().any(|l| l.value.is_none()));
    if !unresolved {
        return Ok(Outcome::Clean);
    }
    output::eprint_findings(&breaking(&resolution, Some(file)), &files, global)?;
    Ok(Outcome::Fails("some locals do not resolve".to_owned()))
}

/// Explains why nothing can be shown: something is broken, or does not exist.
fn unresolved(
    resolution: &Resolution,
    file: Option<FileId>,
    message: String,
    files: &Files,
    global: &Global,
) -> Result<Outcome, Failure> {
    let found = breaking(resolution, file);
    if found.is_empty() {
        return Err(Failure::Message(message));
    }
    output::eprint_findings(&found, files, global)?;
    Ok(Outcome::Fails(message))
}

/// The findings that prevent something (of a file) from being resolved.
fn breaking(resolution: &Resolution, file: Option<FileId>) -> Vec<Finding> {
    let all = resolution.findings.iter().filter(|f| f.is_breaking);
    let all = all.filter(|f| file.is_none_or(|file| f.primary.file == file)).cloned();
    all.map(|diagnostic| Finding {
        diagnostic,
        level: Level::Error,
        novelty: None,
        fingerprint: "".into(),
        also: Vec::new(),
    })
    .collect()
}

/// The file that defines a stack: by the name of the file, the name that it sets without its imports, or else the name
/// from its components.
fn manifest(resolution: &Resolution, stack: &str) -> Option<FileId> {
    let own = |file: FileId| resolution.locals.stacks.get(&file).is_some_and(|name| **name == *stack);
    let units = || resolution.units.iter();
    let found = units().find(|u| *u.name == *stack || own(u.file));
    let found = found.or_else(|| units().find(|u| u.components.iter().any(|c| *c.stack == *stack)));
    found.map(|u| u.file)
}

fn no_stack(resolution: &Resolution, stack: &str) -> String {
    let names = resolution.units.iter().flat_map(|u| {
        let stacks = u.components.iter().map(|c| &*c.stack);
        stacks.chain([&*u.name])
    });
    match crate::text::nearest(stack, names) {
        Some(near) => format!("stack not found: {stack}; did you mean `{near}`?"),
        None => format!("stack not found: {stack}"),
    }
}

fn component(resolution: &Resolution, name: &str, options: &Options) -> Result<Placed, String> {
    let stack = &options.stack;
    let all = resolution.components();
    let in_stack = || all.iter().filter(|(a, p)| *a.0 == **stack || *p.unit.name == **stack);
    let named = in_stack().filter(|(a, _)| *a.2 == *name && options.kind.as_ref().is_none_or(|k| **k == *a.1));
    let found: Vec<_> = named.collect();
    match found.as_slice() {
        [] if in_stack().next().is_none() => Err(no_stack(resolution, stack)),
        [] => {
            let near = crate::text::nearest(name, in_stack().map(|(a, _)| &*a.2));
            let hint = near.map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
            Err(format!("stack `{stack}` has no component `{name}`{hint}"))
        }
        [(a, _), (b, _), ..] if a.0 == b.0 => Err(format!(
            "`{name}` is the name of components of several types in `{stack}`: add --type {} or --type {}",
            a.1, b.1
        )),
        [(_, placed), ..] => Ok((*placed).clone()),
    }
}
