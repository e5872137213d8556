//! `stacklint eval`: evaluates a template.
#![allow(clippy::disallowed_methods, reason = "the context and the template are files that the user names")]

use super::open::{Invocation, State};
use super::{Failure, Global, Outcome, output};
use crate::dialects::{Dialect, EvalError, EvalMode, Evaluated, LookedUp, Scope};
use crate::files::Files;
use crate::report::answers::excerpt;
use crate::report::describe;
use crate::report::log::OutputKind;
use crate::value::{Data, Value, json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Evaluate a template and print the result.
///
/// TEMPLATE is a JSON file whose strings are resolved against the context, or a text that is a template itself. The context
/// is a JSON file, or the final configuration of a component.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// A JSON file with templates in it, or a template
    #[arg(value_name = "TEMPLATE")]
    template: String,
    /// A JSON file with the data that the template can refer to
    #[arg(long, value_name = "FILE", required_unless_present = "stack", conflicts_with = "stack")]
    context: Option<PathBuf>,
    /// The stack of the component that is the context
    #[arg(short, long, value_name = "STACK", requires = "component")]
    stack: Option<String>,
    /// The component that is the context
    #[arg(short, long, value_name = "NAME", requires = "stack")]
    component: Option<String>,
    /// The type of the component, if components of several types have this name
    #[arg(long = "type", value_name = "TYPE", requires = "component")]
    kind: Option<String>,
    /// Analyze this revision instead of the worktree
    #[arg(long, value_name = "REV", requires = "component")]
    rev: Option<String>,
    /// Keep what cannot be resolved as written
    #[arg(long)]
    partial: bool,
    /// Show keys and tokens of well-known services
    #[arg(long)]
    show_secrets: bool,
    /// What to do with escaped templates like `$${x}`, in languages where a later stage removes the escapes
    #[arg(long, value_name = "HOW")]
    escapes: Option<Escapes>,
    /// Print the keys that the template reads instead of its value, and which of them are missing in the context
    #[arg(long, conflicts_with_all = ["partial", "escapes"])]
    references: bool,
    /// Output format of the value
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Strings as they are, other values as YAML
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Escapes {
    /// Keep them as written
    Keep,
    /// Remove the escape
    Resolve,
}

impl Options {
    fn mode(&self) -> EvalMode {
        EvalMode { partial: self.partial, keeps_escapes: self.escapes.map(|escapes| escapes == Escapes::Keep) }
    }
}

/// The result of a template, as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    value: &'a Value,
    unresolved: &'a [String],
}

/// The keys that a template looks up, as JSON.
#[derive(Serialize)]
struct Lookups<'a> {
    references: Vec<Lookup<'a>>,
}

#[derive(Serialize)]
struct Lookup<'a> {
    path: &'a [Value],
    at: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<&'a str>,
    missing: bool,
}

impl<'a> Lookup<'a> {
    fn new(found: &'a LookedUp) -> Self {
        let (kind, component) = found.component.as_ref().map(|(kind, name)| (kind.as_str(), name.as_str())).unzip();
        Lookup { path: &found.path, at: &found.at, kind, component, missing: found.is_missing }
    }
}

/// The result of an evaluation.
enum Answered {
    Value(Evaluated),
    References(Vec<LookedUp>),
}

impl Options {
    /// Evaluates the template with a dialect.
    fn ask(&self, dialect: &dyn Dialect, template: &Value, context: &Value) -> Result<EvalResult, Failure> {
        if !self.references {
            return Ok(dialect.eval(template, context, self.mode()).map(Answered::Value));
        }
        let Some(found) = dialect.references(template, context) else {
            return Err(Failure::Message(format!("--references is not supported in {}", dialect.name())));
        };
        Ok(found.map(Answered::References))
    }
}

/// The result, or why there is none.
type EvalResult = Result<Answered, EvalError>;

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let folder = global.directory.clone().unwrap_or_default();
    let template = template(&folder, &options.template)?;
    let dialects = global.dialects();
    let answer = match (&options.context, &options.stack, &options.component) {
        (Some(path), ..) => {
            let context = read_json(&folder.join(path))?;
            let mut all = dialects.iter();
            match (all.next(), all.next()) {
                (Some(only), None) => options.ask(only, &template, &context)?,
                _ => {
                    let names = crate::dialects::Dialects::names().join(" or --dialect ");
                    return Err(Failure::Message(format!("choose the dialect of the template: --dialect {names}")));
                }
            }
        }
        (None, Some(stack), Some(component)) => of_component(options, global, &template, (stack, component))?,
        _ => return Err(Failure::Message("a template needs --context FILE, or --stack and --component".to_owned())),
    };
    match answer {
        Ok(Answered::Value(answer)) => print(&answer, options.format, options.show_secrets),
        Ok(Answered::References(all)) => print_references(&all, options),
        Err(error) => {
            output::eprint(&explained(&error));
            Ok(Outcome::Fails("the template has no result".to_owned()))
        }
    }
}

/// Evaluates with the configuration of a component as context.
fn of_component(
    options: &Options,
    global: &Global,
    template: &Value,
    (stack, component): (&str, &str),
) -> Result<EvalResult, Failure> {
    let place = Invocation::find(global)?;
    let state = options.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    let files = Files::default();
    let settings = place.settings(&*source)?;
    let workspace = place.workspace();
    let dialects = workspace.dialects(&settings);
    let found = workspace.find(&dialects, &[&*source], &settings)?;
    let wanted = super::describe::Wanted { stack, name: component, kind: options.kind.as_deref() };
    let mut all = BTreeMap::new();
    for part in found.parts() {
        let Some(resolution) = part.resolve(&*source, &files, Scope::All) else { continue };
        let dialect = part.dialect();
        let components = resolution.components();
        if let Some((_, placed)) = wanted.pick(&components)? {
            let Some(context) = dialect.context(&placed.component) else {
                let name = dialect.name();
                return Err(Failure::Message(format!(
                    "in {name} a component cannot be used as context: use --context FILE"
                )));
            };
            return options.ask(dialect, template, &context);
        }
        all.extend(components);
    }
    Err(Failure::Message(wanted.missing(&all)))
}

/// The template that an argument means: a JSON file, or the argument itself.
fn template(folder: &Path, argument: &str) -> Result<Value, Failure> {
    let path = folder.join(argument);
    let named = Path::new(argument).extension().is_some_and(|e| e == "json");
    if path.is_file() || (named && !argument.contains(['{', '$'])) {
        return read_json(&path);
    }
    Ok(Value::str(argument))
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Message(format!("cannot read {}: {e}", path.display()));
    let text = crate::source::read_named(path).map_err(|e| failed(&e))?;
    json::parse(&text).map_err(|e| failed(&crate::text::plain(&e.to_string())))
}

fn print(answer: &Evaluated, format: Format, show_secrets: bool) -> Result<Outcome, Failure> {
    let kind = if format == Format::Json { OutputKind::Json } else { OutputKind::Text };
    let mut out = output::stdout_showing(kind, show_secrets);
    match format {
        Format::Json => {
            let whole = Answer { value: &answer.value, unresolved: &answer.unresolved };
            serde_json::to_writer_pretty(&mut out, &whole).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text => match answer.value.as_str() {
            Some(text) => writeln!(out, "{text}")?,
            None => describe::write_value_yaml(&mut out, &answer.value)?,
        },
    }
    out.flush()?;
    if format == Format::Text && !answer.unresolved.is_empty() {
        let list = answer.unresolved.join(", ");
        let error = EvalError { reasons: answer.reasons.clone(), ..EvalError::new(format!("not resolved: {list}")) };
        output::eprint(&explained(&error));
    }
    Ok(Outcome::Clean)
}

/// Prints key paths one per line: `at: path (type.component), missing`.
fn print_references(all: &[LookedUp], options: &Options) -> Result<Outcome, Failure> {
    let kind = if options.format == Format::Json { OutputKind::Json } else { OutputKind::Text };
    let mut out = output::stdout_showing(kind, options.show_secrets);
    match options.format {
        Format::Json => {
            let whole = Lookups { references: all.iter().map(Lookup::new).collect() };
            serde_json::to_writer_pretty(&mut out, &whole).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text => {
            for found in all {
                let at = if found.at.is_empty() { String::new() } else { format!("{}: ", found.at) };
                let component =
                    found.component.as_ref().map_or_else(String::new, |(kind, name)| format!(" ({kind}.{name})"));
                let missing = if found.is_missing { ", not in the context" } else { "" };
                writeln!(out, "{at}{}{component}{missing}", written(&found.path))?;
            }
        }
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

/// A key path as it is written in templates: `a.b["c.d"]`, `*` for a segment without a value.
fn written(path: &[Value]) -> String {
    let mut out = String::new();
    for segment in path {
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        match segment.as_str() {
            Some(text) if is_name(text) && out.is_empty() => out.push_str(text),
            Some(text) if is_name(text) => out.push_str(&format!(".{text}")),
            Some(text) => out.push_str(&format!("[{text:?}]")),
            None if matches!(segment.data, Data::Null) => out.push_str("[*]"),
            None => out.push_str(&format!("[{}]", serde_json::to_string(segment).unwrap_or_default())),
        }
    }
    out
}

/// The message, below it the place in the template, and the chain of reasons.
fn explained(error: &EvalError) -> String {
    let mut text = format!("stacklint: {}", error.message);
    if let Some(spot) = &error.spot {
        for line in excerpt(&spot.text, &spot.range, output::width()) {
            text.push('\n');
            text.push_str(&line);
        }
    }
    for reason in &error.reasons {
        text.push_str("\n  because ");
        text.push_str(reason);
    }
    text
}
