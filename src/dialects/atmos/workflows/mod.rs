//! Workflow files: the components and stacks that their steps name, and the workflows that they run.

mod command;

use super::config::{Config, plain_text};
use super::document::Decoder;
use super::paths;
use super::reader::{Deps, Includer, Loaded, Reader};
use super::sink::Sink;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::Scope;
use crate::dialects::atmos::rules;
use crate::resolution::{Mention, MentionedName};
use crate::text::{Text, nearest};
use crate::value::{Data, Map, Value};
use crate::yaml::{self, Span};
use command::Stack;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Sections that make commands run in another place, where other stacks may be.
const ELSEWHERE: &str = "working_directory";

/// The names of the workflows of each file, by its path; none for a file that cannot be read as one.
type Names = BTreeMap<String, Option<Vec<Text>>>;

/// What the steps of a workflow share.
struct Workflow<'a> {
    name: &'a Text,
    stack: Option<&'a Value>,
    /// Commands of the repository by their words, as `terraform plan`: they mean what the repository says.
    custom: &'a [String],
}

/// Runs of workflows by steps.
struct Run {
    by: String,
    text: Value,
    words: Vec<String>,
}

/// What the workflow files of a project name, where all of the project is looked at. A step that runs a workflow that is
/// not there is reported.
pub(super) fn mentions(reader: &Reader<'_>, config: &Config, scope: Scope<'_>, sink: &Sink) -> Vec<Mention> {
    if !matches!(scope, Scope::All) {
        return Vec::new();
    }
    let Some(below) = config.all.at_path(["workflows", "base_path"]).and_then(plain_text).filter(|p| !p.is_empty())
    else {
        return Vec::new();
    };
    let Some(folder) = paths::join(&config.base, &below).filter(|_| !below.contains("{{")) else { return Vec::new() };
    let custom = custom_commands(config);
    let (mut mentions, mut runs, mut names) = (Vec::new(), Vec::new(), Names::new());
    for entry in reader.source.listing().under(&folder) {
        if !(entry.path.ends_with(".yaml") || entry.path.ends_with(".yml")) {
            continue;
        }
        let Ok(Some(loaded)) = reader.load(&entry.path, &mut Deps::default()) else { continue };
        // Stacks may lie beside them.
        if !loaded.text.contains("workflows") {
            continue;
        }
        let Some(content) = workflows(&loaded, reader, config) else {
            names.insert(entry.path.to_string(), None);
            continue;
        };
        names.insert(entry.path.to_string(), Some(content.keys().map(Text::clone).collect()));
        for workflow in content.iter().filter(|w| w.value.get(ELSEWHERE).is_none() && !is_redirected(&w.value)) {
            let of = Workflow { name: &workflow.key, stack: workflow.value.get("stack"), custom: &custom };
            steps(&workflow.value, &of, &mut mentions, &mut runs);
        }
    }
    for run in runs {
        check_run(&run, &folder, &names, reader, sink);
    }
    mentions
}

/// The workflows in a file; none if it cannot be read. The file does not become one of those that hold stacks.
fn workflows(loaded: &Loaded, reader: &Reader<'_>, config: &Config) -> Option<Map> {
    let doc = yaml::document_of(Text::clone(&loaded.text)).ok()?;
    let (base, start) = (&config.base, &config.start);
    let includer = Includer { reader, manifest: &loaded.path, base, start, deps: Mutex::default() };
    let place = |key: u32, span: Span| loaded.prov(key, span);
    let decoder = Decoder { place: &place, include: Some(&includer), delimiter: None, limits: reader.limits() };
    let content = decoder.decode(&doc).ok()?;
    match content.get("workflows").map(|all| &all.data) {
        Some(Data::Map(all)) => Some((**all).clone()),
        None | Some(Data::Null) => Some(Map::new()),
        Some(_) => None,
    }
}

/// The words of the commands that `atmos.yaml` adds, with all commands below them.
fn custom_commands(config: &Config) -> Vec<String> {
    fn below(commands: Option<&Value>, prefix: &str, out: &mut Vec<String>) {
        for command in commands.and_then(Value::as_list).into_iter().flat_map(|list| list.iter()) {
            let Some(name) = command.get("name").and_then(Value::as_str) else { continue };
            let words = format!("{prefix}{name}");
            below(command.get("commands"), &format!("{words} "), out);
            out.push(words);
        }
    }
    let mut out = Vec::new();
    below(config.all.get("commands"), "", &mut out);
    out
}

/// Whether the environment of commands says where Atmos finds its files.
fn is_redirected(value: &Value) -> bool {
    match value.get("env").map(|env| &env.data) {
        None | Some(Data::Null) => false,
        Some(Data::Map(env)) => env.keys().any(|name| name.starts_with("ATMOS_")),
        Some(_) => true,
    }
}

fn steps(value: &Value, of: &Workflow<'_>, mentions: &mut Vec<Mention>, runs: &mut Vec<Run>) {
    let Some(list) = value.get("steps").and_then(Value::as_list) else { return };
    for (at, step) in list.iter().enumerate() {
        if step.get(ELSEWHERE).is_some() || is_redirected(step) {
            continue;
        }
        let name = step.get("name").and_then(Value::as_str).map_or_else(|| format!("step{}", at + 1), str::to_owned);
        let by = format!("step `{name}` of workflow `{}`", of.name);
        one(step, by, of, mentions, runs);
        steps(step, of, mentions, runs);
    }
}

fn one(step: &Value, by: String, of: &Workflow<'_>, mentions: &mut Vec<Mention>, runs: &mut Vec<Run>) {
    let Some(command) = step.get("command") else { return };
    let (Some(text), Some(origin)) = (command.as_str(), command.prov.origin) else { return };
    let kind = match step.get("type") {
        None => "atmos",
        Some(kind) => kind.as_str().map(str::trim).unwrap_or_default(),
    };
    let arguments = match kind {
        "" | "atmos" => text.trim(),
        "shell" => match text.trim().strip_prefix("atmos ") {
            Some(arguments) => arguments,
            None => return,
        },
        _ => return,
    };
    if let Some(words) = command::words(arguments).filter(|words| words.first().is_some_and(|w| w == "workflow")) {
        runs.push(Run { by, text: command.clone(), words });
        return;
    }
    let Some(parsed) = command::parse(arguments).filter(|c| !of.custom.contains(&c.words.join(" "))) else { return };
    // What the step or the workflow says replaces what the command says.
    let replaced = match kind {
        "shell" => None,
        _ => [step.get("stack"), of.stack]
            .into_iter()
            .flatten()
            .find(|v| v.as_str().is_none_or(|s| !s.trim().is_empty())),
    };
    let stack = match (replaced, parsed.stack) {
        (Some(value), _) => match (value.as_str(), value.prov.origin) {
            (Some(name), Some(origin)) if is_plain(name) => {
                Some(MentionedName { name: Text::from(name.trim()), origin })
            }
            _ => return,
        },
        (None, Stack::Named(name)) => Some(MentionedName { name: name.into(), origin }),
        (None, Stack::Absent) => None,
        (None, Stack::Unclear) => return,
    };
    let (component, kinds) = match parsed.component {
        Some((name, kinds)) => (Some(MentionedName { name: name.into(), origin }), kinds),
        None => (None, &[][..]),
    };
    if component.is_some() || stack.is_some() {
        mentions.push(Mention { by, component, kinds, stack });
    }
}

/// Whether nothing in a name is a template or something that a shell replaces.
fn is_plain(name: &str) -> bool {
    command::words(name).is_some_and(|words| words.len() == 1) && !name.starts_with('!')
}

/// Reports a step that runs a workflow that is not there.
fn check_run(run: &Run, folder: &str, names: &Names, reader: &Reader<'_>, sink: &Sink) {
    let Some(name) = run.words.get(1).filter(|name| !name.starts_with('-')) else { return };
    let flag = |at: usize| {
        let word = run.words[at].as_str();
        let value = word.strip_prefix("--file=").or_else(|| word.strip_prefix("-f="));
        let next = matches!(word, "-f" | "--file").then(|| run.words.get(at + 1).map(String::as_str)).flatten();
        value.or(next)
    };
    let files: Vec<&str> = (2..run.words.len()).filter_map(flag).collect();
    let Some(origin) = run.text.prov.origin else { return };
    let report = |message: String, token: &str, near: Option<&str>| {
        let finding = Diagnostic::new(&rules::UNDEFINED_WORKFLOW, message, Label::at(origin, "")).token(token);
        sink.report(match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("correct the name, or add the workflow"),
        });
    };
    let in_files: Vec<(&String, &Option<Vec<Text>>)> = match files.as_slice() {
        [] => names.iter().collect(),
        [file] if !file.starts_with('/') => {
            let extension = if paths::extension(file).is_empty() { ".yaml" } else { "" };
            let Some(path) = paths::join(folder, &format!("{file}{extension}")) else { return };
            match names.get_key_value(&path) {
                Some(found) => vec![found],
                None if reader.exists(&path, &mut Deps::default()) => return,
                None => {
                    let known: Vec<&str> = names.keys().filter_map(|p| paths::relative(p, folder)).collect();
                    let message = format!("{} runs a workflow of `{file}`, which is not there", run.by);
                    return report(message, file, nearest(file, known.iter().map(|k| k.trim_end_matches(".yaml"))));
                }
            }
        }
        _ => return,
    };
    // What cannot be read may hold it.
    if in_files.iter().any(|(_, all)| all.is_none()) {
        return;
    }
    let known = || in_files.iter().filter_map(|(_, all)| all.as_ref()).flatten();
    if known().any(|known| **known == **name) {
        return;
    }
    let place = match files.as_slice() {
        [file] => format!(" of `{file}`"),
        _ => String::new(),
    };
    let message = format!("{} runs workflow `{name}`{place}, which is not there", run.by);
    report(message, name, nearest(name, known().map(|known| &**known)));
}
