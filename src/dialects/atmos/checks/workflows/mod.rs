//! Workflow files and the commands that `atmos.yaml` adds: the components and stacks that their steps name, and the workflows
//! that they run.

mod command;

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::Scope;
use crate::dialects::atmos::config::{Config, plain_text};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::document::Decoder;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Includer, Loaded, Reader};
use crate::dialects::atmos::rules;
use crate::resolution::{CommandReference, MentionedName};
use crate::text::{Text, nearest};
use crate::value::{Data, Map, Value};
use crate::yaml::{self, Span};
use command::Stack;
use std::collections::{BTreeMap, BTreeSet};

/// Sections that make commands run in another place, where other stacks may be.
const ELSEWHERE: &str = "working_directory";

/// The maximum number of findings with suggestions: each search compares all names.
const SUGGESTIONS: usize = 100;

/// The names of the workflows of each file, by its path; `None` for a file that cannot be read as one.
type Names = BTreeMap<String, Option<BTreeSet<Text>>>;

/// Shared data of the steps of a workflow.
struct Workflow<'a> {
    name: &'a Text,
    stack: Option<&'a Value>,
    /// Commands of the repository by their words, as `terraform plan`: the repository defines their meaning.
    custom: &'a BTreeSet<String>,
}

/// Runs of workflows by steps.
struct WorkflowCall {
    by: String,
    text: Value,
    words: Vec<String>,
}

/// Returns the components and stacks that the workflow files and commands of a project name, if the whole project is
/// checked. A step that runs a workflow that does not exist is reported.
pub(in crate::dialects::atmos) fn mentions(
    reader: &Reader<'_>,
    config: &Config,
    scope: Scope<'_>,
    diagnostics: &Diagnostics,
) -> Vec<CommandReference> {
    if !matches!(scope, Scope::All) {
        return Vec::new();
    }
    let custom = custom_commands(config);
    let mut mentions = Vec::new();
    commands(config.all.get("commands"), "", &custom, &mut mentions);
    workflow_files(reader, config, &custom, diagnostics, &mut mentions);
    mentions
}

/// Collects the names in the commands of `atmos.yaml`: in their steps and in `component_config`.
fn commands(all: Option<&Value>, prefix: &str, custom: &BTreeSet<String>, mentions: &mut Vec<CommandReference>) {
    for command in all.and_then(Value::as_list).into_iter().flat_map(|list| list.iter()) {
        let Some(name) = command.get("name").and_then(Value::as_str) else { continue };
        let words = format!("{prefix}{name}");
        if command.get(ELSEWHERE).is_some() || is_redirected(command) {
            continue;
        }
        let named = |key: &str| {
            let value = command.get("component_config").and_then(|of| of.get(key))?;
            let name = value.as_str().filter(|name| is_plain(name))?;
            Some(MentionedName { name: name.trim().into(), origin: value.prov.origin? })
        };
        if let (Some(component), Some(stack)) = (named("component"), named("stack")) {
            let by = format!("`component_config` of command `{words}`");
            mentions.push(CommandReference { by, component: Some(component), kinds: &[], stack: Some(stack) });
        }
        for (at, step) in command.get("steps").and_then(Value::as_list).into_iter().flat_map(|l| l.iter()).enumerate() {
            let by = format!("step {} of command `{words}`", at + 1);
            let of = Workflow { name: &Text::from(name), stack: None, custom };
            command_step(step, by, &of, mentions);
        }
        commands(command.get("commands"), &format!("{words} "), custom, mentions);
    }
}

/// Collects the names in a step of a command: text that a shell runs, or a step as in a workflow.
fn command_step(step: &Value, by: String, of: &Workflow<'_>, mentions: &mut Vec<CommandReference>) {
    let as_map = |command: &Value| {
        Value::map(Map::from_iter(
            [("command", command), ("type", &Value::str("shell"))].map(|(k, v)| (Text::from(k), v.clone())),
        ))
    };
    let has_type = step.get("type").is_some();
    match (step.as_str(), step.get("command")) {
        (Some(_), _) => one(&as_map(step), by, of, mentions, &mut Vec::new()),
        (None, Some(command)) if !has_type => one(&as_map(command), by, of, mentions, &mut Vec::new()),
        _ if step.get(ELSEWHERE).is_some() || is_redirected(step) => {}
        _ => one(step, by, of, mentions, &mut Vec::new()),
    }
}

/// Collects the names in workflow files.
fn workflow_files(
    reader: &Reader<'_>,
    config: &Config,
    custom: &BTreeSet<String>,
    diagnostics: &Diagnostics,
    mentions: &mut Vec<CommandReference>,
) {
    let Some(below) = config.all.at_path(["workflows", "base_path"]).and_then(plain_text).filter(|p| !p.is_empty())
    else {
        return;
    };
    let Some(folder) = paths::join(&config.base, &below).filter(|_| !below.contains("{{")) else { return };
    let (mut runs, mut names) = (Vec::new(), Names::new());
    for entry in reader.source.listing().under(&folder) {
        if !(entry.path.ends_with(".yaml") || entry.path.ends_with(".yml")) {
            continue;
        }
        let Ok(Some(loaded)) = reader.load(&entry.path, &mut Deps::default()) else { continue };
        // Stacks may be in the same folder.
        if !loaded.text.contains("workflows") {
            continue;
        }
        let Some(content) = workflows(&loaded, reader, config) else {
            names.insert(entry.path.to_string(), None);
            continue;
        };
        names.insert(entry.path.to_string(), Some(content.keys().map(Text::clone).collect::<BTreeSet<Text>>()));
        for workflow in content.iter().filter(|w| w.value.get(ELSEWHERE).is_none() && !is_redirected(&w.value)) {
            let of = Workflow { name: &workflow.key, stack: workflow.value.get("stack"), custom };
            steps(&workflow.value, &of, mentions, &mut runs);
        }
    }
    // One that cannot be read may hold any workflow.
    let everywhere: Option<BTreeSet<Text>> = names
        .values()
        .map(Option::as_ref)
        .collect::<Option<Vec<_>>>()
        .map(|all| all.into_iter().flatten().cloned().collect());
    let known = KnownWorkflows { folder: &folder, names: &names, everywhere, reader };
    let findings = runs.iter().filter_map(|run| Some((run, known.missing(run)?)));
    for (at, (run, missing)) in findings.enumerate() {
        if let Some(origin) = run.text.prov.origin {
            diagnostics.report(missing.finding(Label::at(origin, ""), at < SUGGESTIONS));
        }
    }
}

/// The workflows in a file; `None` if it cannot be read. The file does not become one of those that hold stacks.
fn workflows(loaded: &Loaded, reader: &Reader<'_>, config: &Config) -> Option<Map> {
    let doc = yaml::document_of(Text::clone(&loaded.text)).ok()?;
    let (base, start) = (&config.base, &config.start);
    let includer = Includer::new(reader, &loaded.path, base, start);
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
fn custom_commands(config: &Config) -> BTreeSet<String> {
    fn below(commands: Option<&Value>, prefix: &str, out: &mut BTreeSet<String>) {
        for command in commands.and_then(Value::as_list).into_iter().flat_map(|list| list.iter()) {
            let Some(name) = command.get("name").and_then(Value::as_str) else { continue };
            let words = format!("{prefix}{name}");
            below(command.get("commands"), &format!("{words} "), out);
            out.insert(words);
        }
    }
    let mut out = BTreeSet::new();
    below(config.all.get("commands"), "", &mut out);
    out
}

/// Whether the environment of commands changes where Atmos finds its files.
fn is_redirected(value: &Value) -> bool {
    match value.get("env").map(|env| &env.data) {
        None | Some(Data::Null) => false,
        Some(Data::Map(env)) => env.keys().any(|name| name.starts_with("ATMOS_")),
        Some(_) => true,
    }
}

fn steps(value: &Value, of: &Workflow<'_>, mentions: &mut Vec<CommandReference>, runs: &mut Vec<WorkflowCall>) {
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

fn one(
    step: &Value,
    by: String,
    of: &Workflow<'_>,
    mentions: &mut Vec<CommandReference>,
    runs: &mut Vec<WorkflowCall>,
) {
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
        runs.push(WorkflowCall { by, text: command.clone(), words });
        return;
    }
    let Some(parsed) = command::parse(arguments).filter(|c| !of.custom.contains(&c.words.join(" "))) else { return };
    // Settings of the step or the workflow override those of the command.
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
        mentions.push(CommandReference { by, component, kinds, stack });
    }
}

/// Whether nothing in a name is a template or something that a shell replaces.
fn is_plain(name: &str) -> bool {
    command::words(name).is_some_and(|words| words.len() == 1) && !name.starts_with('!')
}

/// The existing workflows.
struct KnownWorkflows<'a> {
    folder: &'a str,
    names: &'a Names,
    /// Those of all files; `None` if some file cannot be read.
    everywhere: Option<BTreeSet<Text>>,
    reader: &'a Reader<'a>,
}

/// Candidates for a suggestion: workflows, or files of them.
enum Candidates<'a> {
    Workflows(&'a BTreeSet<Text>),
    Files(&'a KnownWorkflows<'a>),
}

/// A missing workflow that a step runs.
struct Missing<'a> {
    message: String,
    name: &'a str,
    known: Candidates<'a>,
}

impl Missing<'_> {
    fn finding(&self, place: Label, suggests: bool) -> Diagnostic {
        let finding = Diagnostic::new(&rules::UNDEFINED_WORKFLOW, self.message.clone(), place).token(self.name);
        let near = match &self.known {
            _ if !suggests => None,
            Candidates::Workflows(all) => nearest(self.name, all.iter().map(|known| &**known)),
            Candidates::Files(known) => {
                let files = known.names.keys().filter_map(|path| paths::relative(path, known.folder));
                nearest(self.name, files.map(|path| path.trim_end_matches(".yaml")))
            }
        };
        match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("correct the name, or add the workflow"),
        }
    }
}

impl<'a> KnownWorkflows<'a> {
    fn missing(&'a self, run: &'a WorkflowCall) -> Option<Missing<'a>> {
        let name = run.words.get(1).filter(|name| !name.starts_with('-'))?;
        let files: Vec<&str> = (2..run.words.len()).filter_map(|at| file_named(&run.words, at)).collect();
        let (all, place) = match files.as_slice() {
            [] => (self.everywhere.as_ref()?, String::new()),
            [file] if !file.starts_with('/') => {
                let extension = if paths::extension(file).is_empty() { ".yaml" } else { "" };
                let path = paths::join(self.folder, &format!("{file}{extension}"))?;
                match self.names.get(&path) {
                    Some(all) => (all.as_ref()?, format!(" of `{file}`")),
                    None if self.reader.exists(&path, &mut Deps::default()) => return None,
                    None => return Some(self.no_file(run, file)),
                }
            }
            _ => return None,
        };
        if all.contains(name.as_str()) {
            return None;
        }
        let message = format!("{} runs workflow `{name}`{place}, which does not exist", run.by);
        Some(Missing { message, name, known: Candidates::Workflows(all) })
    }

    fn no_file(&'a self, run: &WorkflowCall, file: &'a str) -> Missing<'a> {
        let message = format!("{} runs a workflow of `{file}`, which does not exist", run.by);
        Missing { message, name: file, known: Candidates::Files(self) }
    }
}

/// The file that the flag at a place of a command names.
fn file_named(words: &[String], at: usize) -> Option<&str> {
    let word = words[at].as_str();
    let next = || matches!(word, "-f" | "--file").then(|| words.get(at + 1).map(String::as_str)).flatten();
    word.strip_prefix("--file=").or_else(|| word.strip_prefix("-f=")).or_else(next)
}
