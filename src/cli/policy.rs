//! `stacklint policy test` and `policy eval`: runs test cases of policies, and evaluates expressions.
#![allow(clippy::disallowed_methods, reason = "the folder with the cases is one that the user names")]

use super::open::Invocation;
use super::{Failure, Global, Outcome, output, question};
use crate::files::Files;
use crate::policies::cases::{self, Tested};
use crate::policies::evaluate;
use crate::settings::Load;
use crate::terraform::{Cache, Modules};
use crate::text::count;
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How many files with cases are read, and how deep folders with them nest.
const MAX_FILES: usize = 1_000;
const MAX_DEPTH: usize = 20;

/// Try and test the policies of `stacklint.toml`.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Run the cases in the YAML files of a folder
    Test(Test),
    /// Evaluate an expression for the components of a stack
    Eval(Box<Eval>),
}

#[derive(Args, Debug)]
pub(super) struct Test {
    /// The folder, or one file
    #[arg(value_name = "DIR", default_value = "policies")]
    folder: PathBuf,
    /// Fail if a policy has no case with a finding, or no case without one
    #[arg(long)]
    require_coverage: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: question::Format,
}

#[derive(Args, Debug)]
pub(super) struct Eval {
    /// The expression, in CEL over `component` and `code`
    #[arg(value_name = "EXPRESSION")]
    expression: String,
    /// The stack
    #[arg(short, long, value_name = "STACK")]
    stack: String,
    /// Only this component of it
    #[arg(short, long, value_name = "NAME")]
    component: Option<String>,
    #[command(flatten)]
    question: question::Options,
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    match what {
        What::Test(options) => test(options, global),
        What::Eval(options) => eval(options, global),
    }
}

fn test(options: &Test, global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let source = place.open(&place.default_state())?;
    let files = Files::default();
    let load = Load::find(&*source, &place.project.start, &files).map_err(Failure::Message)?;
    if let Some(finding) = load.findings.first() {
        return Err(Failure::Message(finding.message.clone()));
    }
    let folder = global.directory.clone().unwrap_or_default().join(&options.folder);
    let mut paths = Vec::new();
    collect(&folder, &mut paths, 0)?;
    paths.sort();
    let (mut all, mut named) = (Vec::new(), Vec::new());
    for path in &paths {
        let shown = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let text =
            crate::source::read_named(path).map_err(|e| Failure::Message(format!("cannot read {shown}: {e}")))?;
        let (policies, limits) = (&load.settings.policies, load.settings.work.lowered());
        let tested = cases::run(policies, &files, &limits, &shown, &text).map_err(Failure::Message)?;
        named.extend(tested.iter().map(|_| shown.clone()));
        all.extend(tested);
    }
    if all.is_empty() {
        let folder = options.folder.display();
        return Err(Failure::Message(format!("there are no cases in {folder}; docs/policies.md shows one")));
    }
    let coverage = cases::coverage(&load.settings.policies, &all);
    let mut out = output::stdout();
    match options.format {
        question::Format::Text => write_text(&mut out, &all, &named, &coverage)?,
        question::Format::Json => write_json(&mut out, &all, &named, &coverage)?,
    }
    out.flush()?;
    let is_covered = !options.require_coverage || coverage.iter().all(|(_, fails, passes)| *fails && *passes);
    let failed = all.iter().filter(|tested| !tested.is_passed()).count();
    Ok(match (failed, is_covered) {
        (0, true) => Outcome::Clean,
        (0, false) => Outcome::Fails("some policies have no case that passes or none that fails".to_owned()),
        _ => Outcome::Fails(format!("{} failed", count(failed, "case"))),
    })
}

type Coverage = (String, bool, bool);

fn write_text(out: &mut dyn Write, all: &[Tested], files: &[String], coverage: &[Coverage]) -> std::io::Result<()> {
    for (case, file) in all.iter().zip(files) {
        writeln!(out, "{} {file}: {}", if case.is_passed() { "passed" } else { "FAILED" }, case.name)?;
        for (words, ids) in [("expected and not found", &case.missing), ("found and not expected", &case.surplus)] {
            if !ids.is_empty() {
                writeln!(out, "       {words}: {}", ids.join(", "))?;
            }
        }
    }
    let failed = all.iter().filter(|case| !case.is_passed()).count();
    writeln!(out, "{} passed, {failed} failed", all.len() - failed)?;
    for (words, of) in [("report nothing in any case", 1), ("are satisfied in no case", 2)] {
        let open: Vec<&str> =
            coverage.iter().filter(|c| !(if of == 1 { c.1 } else { c.2 })).map(|(id, ..)| id.as_str()).collect();
        if !open.is_empty() {
            writeln!(out, "policies that {words}: {}", open.join(", "))?;
        }
    }
    Ok(())
}

fn write_json(out: &mut dyn Write, all: &[Tested], files: &[String], coverage: &[Coverage]) -> std::io::Result<()> {
    let case = |(case, file): (&Tested, &String)| {
        json!({
            "file": file, "name": case.name, "passed": case.is_passed(), "missing": case.missing, "surplus": case.surplus,
        })
    };
    let cases: Vec<_> = all.iter().zip(files).map(case).collect();
    let rules: Vec<_> =
        coverage.iter().map(|(id, fails, passes)| json!({ "id": id, "fails": fails, "satisfied": passes })).collect();
    serde_json::to_writer_pretty(&mut *out, &json!({ "cases": cases, "policies": rules }))?;
    writeln!(out)
}

/// The YAML files at or below a path.
fn collect(path: &Path, found: &mut Vec<PathBuf>, depth: usize) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::Message(format!("cannot read {}: {e}", path.display()));
    if path.is_file() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (inner, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        let is_yaml = inner.extension().is_some_and(|e| e == "yaml" || e == "yml");
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(&inner, found, depth + 1)?;
        } else if kind.is_file() && is_yaml {
            found.push(inner);
        }
        if found.len() > MAX_FILES {
            return Err(Failure::Message(format!("there are more than {MAX_FILES} files with cases")));
        }
    }
    Ok(())
}

fn eval(options: &Eval, global: &Global) -> Result<Outcome, Failure> {
    let state = options.question.state.resolve_with(Some(&options.stack), global)?;
    let resolved = &state.resolved;
    let cache = Cache::default();
    let modules = Modules::new(&*state.source, &resolved.files, &cache);
    let all = resolved.resolution.components();
    let is_wanted = |name: &str| options.component.as_deref().is_none_or(|wanted| wanted == name);
    let components: Vec<_> =
        all.values().map(|p| &*p.component).filter(|c| *c.stack == *options.stack && is_wanted(&c.name)).collect();
    if components.is_empty() {
        let wanted = super::describe::Wanted {
            stack: &options.stack,
            name: options.component.as_deref().unwrap_or_default(),
            kind: None,
        };
        return Err(Failure::Message(wanted.missing(&all)));
    }
    let made = state.made(&components.iter().map(|component| component.address()).collect());
    let values = evaluate(&options.expression, &components, &modules, &made).map_err(Failure::Message)?;
    let mut out = output::stdout_of(options.question.format.kind());
    let rows = components.iter().zip(&values);
    match options.question.format {
        question::Format::Text => {
            for (component, value) in rows {
                let shown = match value {
                    Ok(value) => value.to_string(),
                    Err(why) => why.clone(),
                };
                writeln!(out, "{} ({}): {shown}", component.name, component.kind)?;
            }
        }
        question::Format::Json => {
            let row = |(c, value): (&&crate::resolution::Component, &Result<serde_json::Value, String>)| {
                let (value, problem) = match value {
                    Ok(value) => (value.clone(), None),
                    Err(why) => (serde_json::Value::Null, Some(why)),
                };
                json!({ "stack": &*c.stack, "type": &*c.kind, "component": &*c.name, "value": value, "problem": problem })
            };
            serde_json::to_writer_pretty(&mut out, &rows.map(row).collect::<Vec<_>>()).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    state.finish(global)
}
