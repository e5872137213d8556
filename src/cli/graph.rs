//! `stacklint graph`: graphs of imports, inheritance, dependencies, references and code.

use super::question::{self, report_broken};
use super::{Failure, Global, Outcome, output};
use crate::diff::Status;
use crate::query::graphs::{About, Context, Differences, Graph, graph, unresolved};
use crate::report::answers::graph::{Format, MAX_DRAWN, write};
use crate::resolution::Resolution;
use crate::review::{Filter, Resolved, ResolvedPair};
use crate::source::Source;
use crate::source::glob::Glob;
use crate::terraform::{Cache, Modules};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::io::Write;

/// Show a graph of files, components, locals or code.
///
/// With REVISIONS (`A..B`, or one revision, which is compared with the worktree) it shows the graph of the change: what
/// is added (+), removed (-), changed (~), what leads to it (>), and what one side could not resolve (?).
#[derive(Args, Debug)]
pub(super) struct Options {
    /// What to show
    #[arg(value_name = "GRAPH")]
    about: AboutName,
    /// The change to show
    #[arg(value_name = "REVISIONS", conflicts_with = "rev")]
    revisions: Option<String>,
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only the nodes near this one
    #[arg(long, value_name = "NODE")]
    focus: Option<String>,
    /// The maximum distance from the node of --focus, in edges
    #[arg(long, value_name = "N", default_value_t = 1, requires = "focus")]
    depth: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatName,
    /// Print everything without shortening; for a change also what stays the same
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    state: question::State,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AboutName {
    /// Which files import which others
    Imports,
    /// Which components inherit from which others
    Inheritance,
    /// Which components depend on which others
    Dependencies,
    /// Which local names read which others
    Locals,
    /// Which values components read from others
    References,
    /// Which code components run, and which modules that calls
    Modules,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Text,
    Dot,
    Mermaid,
    Json,
    Svg,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let pattern = |p: &String| Glob::new(p).map_err(|e| Failure::Message(format!("`{p}` is not a valid pattern: {e}")));
    let stack = options.stack.as_ref().map(pattern).transpose()?;
    let keep = |name: &str| stack.as_ref().is_none_or(|glob| glob.matches(name));
    match &options.revisions {
        Some(revisions) => change(options, revisions, &keep, global),
        None => state(options, &keep, global),
    }
}

fn state(options: &Options, keep: &dyn Fn(&str) -> bool, global: &Global) -> Result<Outcome, Failure> {
    let state = options.state.resolve_with(options.stack.as_deref(), global)?;
    let Resolved { files, resolution, .. } = &state.resolved;
    has_stack(&[resolution], options, keep)?;
    let cache = Cache::default();
    let modules = Modules::new(&*state.source, files, &cache);
    let shown = graph(options.about(), &Context { resolution, modules: &modules, files, keep });
    print(options, shown, global)?;
    let outcome = state.finish(global);
    global.leftovers.leave(state.resolved);
    outcome
}

fn change(
    options: &Options,
    revisions: &str,
    keep: &dyn Fn(&str) -> bool,
    global: &Global,
) -> Result<Outcome, Failure> {
    let filter = Filter::new(options.stack.as_deref(), None)?;
    let pair = options.state.resolve_range(revisions, options.stack.as_deref(), &filter, global)?;
    let ResolvedPair { files, base, head, .. } = &pair.resolved;
    has_stack(&[base, head], options, keep)?;
    let cache = Cache::default();
    let of = |resolution: &Resolution, source: &dyn Source| {
        let modules = Modules::new(source, files, &cache);
        graph(options.about(), &Context { resolution, modules: &modules, files, keep })
    };
    let changed = changed(&pair.resolved);
    let (lost, gained) = (unresolved(&[base], &[head], files), unresolved(&[head], &[base], files));
    let differences = Differences { changed: &|name| changed.contains(name), lost: &lost, gained: &gained };
    let mut shown = Graph::changed(of(base, &*pair.base), of(head, &*pair.head), &differences);
    if !options.all {
        shown.keep_changes();
    }
    print(options, shown, global)?;
    let findings = base.findings.iter().chain(&head.findings);
    let outcome = report_broken(findings, files, global);
    global.leftovers.leave(pair.resolved);
    outcome
}

/// The names of the nodes that both states have and that differ: files, folders of code, components, local names.
fn changed(pair: &ResolvedPair) -> BTreeSet<String> {
    let mut names = pair.touched.clone();
    names.extend(
        pair.touched
            .iter()
            .filter(|path| crate::terraform::is_code(path))
            .filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned())),
    );
    for component in pair.diff.components.iter().filter(|c| c.status == Status::Modified) {
        names.insert(format!("{}/{}/{}", component.stack, component.kind, component.name));
    }
    let texts = |resolution: &Resolution| {
        let mut found: std::collections::BTreeMap<String, Vec<_>> = std::collections::BTreeMap::new();
        for scope in &resolution.locals.scopes {
            let path = &pair.files.get(scope.file).path;
            for local in &scope.locals {
                let name = format!("{path}: {}.{}", scope.level, local.name);
                found.entry(name).or_default().push((scope.stack.clone(), local.value.clone()));
            }
        }
        found
    };
    let (old, new) = (texts(&pair.base), texts(&pair.head));
    names.extend(old.into_iter().filter(|(name, value)| new.get(name).is_some_and(|v| v != value)).map(|(n, _)| n));
    names
}

/// A pattern that names no stack is a mistake, not an empty graph.
fn has_stack(states: &[&Resolution], options: &Options, keep: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    let units = || states.iter().flat_map(|state| &state.units);
    let is_there = units().any(|unit| keep(&unit.name) || unit.components.iter().any(|c| keep(&c.stack)));
    match &options.stack {
        Some(pattern) if !is_there => {
            let names = units().flat_map(|unit| unit.components.iter().map(|c| &*c.stack).chain([&*unit.name]));
            let hint =
                crate::text::nearest(pattern, names).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
            Err(Failure::Message(format!("no stack matches `{pattern}`{hint}")))
        }
        _ => Ok(()),
    }
}

fn print(options: &Options, mut shown: Graph, global: &Global) -> Result<(), Failure> {
    if let Some(focus) = &options.focus
        && !shown.focus(focus, options.depth)
    {
        let near = crate::text::nearest(focus, shown.nodes.keys().map(String::as_str));
        let ending = || shown.nodes.keys().find(|name| name.ends_with(&format!("/{focus}"))).map(String::as_str);
        let hint = near.or_else(ending).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        return Err(Failure::Message(format!("the graph has no node `{focus}`{hint}")));
    }
    let format = options.format();
    if format == Format::Svg && shown.nodes.len() > MAX_DRAWN {
        return Err(Failure::Message(format!(
            "{} nodes are too many to draw (at most {MAX_DRAWN}): narrow the graph with --stack, --focus or --depth",
            shown.nodes.len()
        )));
    }
    let mut out = output::stdout();
    let text = crate::report::RenderOptions { all: options.all, ..output::options(global) };
    write(&mut out, &shown, options.about(), format, &text)?;
    Ok(out.flush()?)
}

impl Options {
    fn about(&self) -> About {
        match self.about {
            AboutName::Imports => About::Imports,
            AboutName::Inheritance => About::Inheritance,
            AboutName::Dependencies => About::Dependencies,
            AboutName::Locals => About::Locals,
            AboutName::References => About::References,
            AboutName::Modules => About::Modules,
        }
    }

    fn format(&self) -> Format {
        match self.format {
            FormatName::Text => Format::Text,
            FormatName::Dot => Format::Dot,
            FormatName::Mermaid => Format::Mermaid,
            FormatName::Json => Format::Json,
            FormatName::Svg => Format::Svg,
        }
    }
}
