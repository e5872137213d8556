//! `stacklint eval`: what a template comes to.
#![allow(clippy::disallowed_methods, reason = "the context and the template are files that the user names")]

use super::open::{Place, State};
use super::{Failure, Global, Outcome, output};
use crate::dialects::{EvalError, EvalMode, Evaluated, Scope};
use crate::files::Files;
use crate::report::answers::excerpt;
use crate::report::describe;
use crate::report::log::Kind;
use crate::settings::Load;
use crate::value::{Value, json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print what a template comes to.
///
/// TEMPLATE is a JSON file whose strings are resolved against the context, or a text that is a template itself. The context
/// is a JSON file, or the final configuration of a component.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// A JSON file with templates in it, or a template
    #[arg(value_name = "TEMPLATE")]
    template: String,
    /// A JSON file with what the template may refer to
    #[arg(long, value_name = "FILE", required_unless_present = "stack", conflicts_with = "stack")]
    context: Option<PathBuf>,
    /// The stack of the component that is the context
    #[arg(short, long, value_name = "STACK", requires = "component")]
    stack: Option<String>,
    /// The component that is the context
    #[arg(short, long, value_name = "NAME", requires = "stack")]
    component: Option<String>,
    /// The type of the component, where several types have one of that name
    #[arg(long = "type", value_name = "TYPE", requires = "component")]
    kind: Option<String>,
    /// Look at this revision instead of the worktree
    #[arg(long, value_name = "REV", requires = "component")]
    rev: Option<String>,
    /// Leave what cannot be resolved as it is written
    #[arg(long)]
    partial: bool,
    /// Show keys and tokens of well-known services
    #[arg(long)]
    show_secrets: bool,
    /// What becomes of escaped templates like `$${x}`, where the language lets a later stage take the escapes away
    #[arg(long, value_name = "HOW")]
    escapes: Option<Escapes>,
    /// How to print the value
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text as it is, anything else as YAML
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Escapes {
    /// They stay as they are written
    Keep,
    /// They lose their escape
    Resolve,
}

impl Options {
    fn mode(&self) -> EvalMode {
        EvalMode { partial: self.partial, keeps_escapes: self.escapes.map(|escapes| escapes == Escapes::Keep) }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    value: &'a Value,
    unresolved: &'a [String],
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let folder = global.directory.clone().unwrap_or_default();
    let template = template(&folder, &options.template)?;
    let dialects = global.dialects();
    let answer = match (&options.context, &options.stack, &options.component) {
        (Some(path), ..) => {
            let context = read_json(&folder.join(path))?;
            let mut all = dialects.iter();
            match (all.next(), all.next()) {
                (Some(only), None) => only.eval(&template, &context, options.mode()),
                _ => {
                    let names = crate::dialects::Dialects::names().join(" or --dialect ");
                    return Err(Failure::Message(format!("say what the template is written for: --dialect {names}")));
                }
            }
        }
        (None, Some(stack), Some(component)) => of_component(options, global, &template, (stack, component))?,
        _ => return Err(Failure::Message("a template needs --context FILE, or --stack and --component".to_owned())),
    };
    match answer {
        Ok(answer) => print(&answer, options.format, options.show_secrets),
        Err(error) => {
            output::eprint(&explained(&error));
            Ok(Outcome::Findings)
        }
    }
}

/// Evaluates with the configuration of a component as context.
fn of_component(
    options: &Options,
    global: &Global,
    template: &Value,
    (stack, component): (&str, &str),
) -> Result<Result<Evaluated, EvalError>, Failure> {
    let place = Place::find(global)?;
    let state = options.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    let files = Files::default();
    let load = Load::find(&*source, &place.project.start, &files).map_err(Failure::Message)?;
    let workspace = place.workspace();
    let dialects = workspace.dialects(&load.settings);
    let found = workspace.find(&dialects, &[&*source], &load.settings)?;
    let wanted = super::describe::Wanted { stack, name: component, kind: options.kind.as_deref() };
    let mut all = BTreeMap::new();
    for part in found.parts() {
        let Some(resolution) = part.resolve(&*source, &files, Scope::All) else { continue };
        let dialect = part.dialect();
        let components = resolution.components();
        if let Some((_, placed)) = wanted.pick(&components)? {
            let Some(context) = dialect.context(&placed.component) else {
                let name = dialect.name();
                return Err(Failure::Message(format!("a component is no context in {name}: use --context FILE")));
            };
            return Ok(dialect.eval(template, &context, options.mode()));
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
    let kind = if format == Format::Json { Kind::Json } else { Kind::Text };
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
