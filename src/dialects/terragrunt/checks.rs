//! Valid configuration that is probably a mistake, and what Terragrunt finds only when it runs.

use super::file::{Config, File};
use super::place::inside;
use super::rules;
use super::session::{At, Session};
use super::stacks::{FOLDER, is_remote};
use crate::diagnostic::rules::MISSING_COMPONENT_DIRECTORY;
use crate::diagnostic::{Diagnostic, Rule};
use crate::hcl::ast::{Body, Expr, ExprKind, Span, TraversalStep, walk};
use crate::paths;
use crate::source::ResolveError;
use crate::text::Text;
use crate::value::{Data, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What the expressions of a file read: a first name and the attributes behind it, with the place of the last one.
#[derive(Default)]
struct Uses {
    /// By the first two names: `local.name`.
    names: BTreeSet<(Text, Text)>,
    /// First names that are read as a whole.
    whole: BTreeSet<Text>,
    /// Outputs of dependencies by name, outside of `try` and `can`.
    outputs: Vec<(Text, Text, At)>,
}

/// Calls a function for all expressions of a block.
fn expressions<'b>(body: &'b Body, see: &mut dyn FnMut(&'b Expr)) {
    body.attributes.iter().for_each(|attribute| see(&attribute.expr));
    body.blocks.iter().for_each(|block| expressions(&block.body, see));
}

/// Whether an expression of a file reads a name.
pub(super) fn reads(body: &Body, root: &str) -> bool {
    let mut found = false;
    expressions(body, &mut |expr| {
        found = found || walk::references(expr).iter().any(|reference| *reference.root.text == *root);
    });
    found
}

fn uses(file: &File) -> Uses {
    let mut uses = Uses::default();
    expressions(&file.body, &mut |expr| {
        let is_attempt = walk::calls(expr).iter().any(|name| matches!(&*name.text, "try" | "can"));
        for reference in walk::references(expr) {
            let root = &reference.root.text;
            let name = |index: usize| match reference.steps.get(index) {
                Some(TraversalStep::Attribute(name)) => Some(name),
                _ => None,
            };
            let Some(first) = name(0) else {
                uses.whole.insert(Text::clone(root));
                continue;
            };
            uses.names.insert((Text::clone(root), Text::clone(&first.text)));
            let output = name(1).filter(|outputs| *outputs.text == *"outputs").and_then(|_| name(2));
            if let (Some(output), "dependency", false) = (output, &**root, is_attempt) {
                uses.outputs.push((Text::clone(&first.text), Text::clone(&output.text), (file.id, output.span)));
            }
        }
    });
    uses
}

/// Checks a unit with the files that it includes. Returns what is unused in its own file, as far as nothing else reads that.
pub(super) fn unit(session: &Session<'_>, folder: &str, file: &File, config: &Config) -> Vec<Diagnostic> {
    paths_exist(session, folder, file, config);
    let mut read = uses(file);
    let unused = unused(session, file, config, &read);
    text(session, file);
    for included in &config.includes {
        if let Ok(loaded) = session.loader.load(&included.path, false) {
            let file = File { id: loaded.file, body: loaded.content(), path: loaded.path.clone() };
            text(session, &file);
            read.outputs.extend(uses(&file).outputs);
        }
        if paths::name(&included.path) == super::load::UNIT {
            let at = (included.at.file, Span { start: included.at.start, end: included.at.end });
            let message = format!("the included file {} is called like that of a unit", included.path);
            let help = "call it root.hcl: Terragrunt takes it for a unit of its own";
            session.report(session.finding(&rules::DEPRECATED, message, at).help(help));
        }
    }
    source(session, folder, config);
    generated(session, config);
    mocks(session, config, &read);
    unused
}

/// The folders of dependencies, which Terragrunt looks for only when it fetches outputs.
fn paths_exist(session: &Session<'_>, folder: &str, file: &File, config: &Config) {
    let exists = |path: &str| {
        let target = if paths::name(path).ends_with(".hcl") { paths::parent(path) } else { path };
        target.is_empty() || session.loader.modules.loader.reader.lookup(target).is_ok()
    };
    let report = |path: &Value, what: &str| {
        let Some(text) = path.as_str().filter(|text| !text.is_empty()) else { return };
        let Some(target) = inside(folder, text) else { return };
        if exists(&target) || is_below_stack(&target) {
            return;
        }
        let at = path
            .prov
            .origin
            .map_or((file.id, Span::default()), |origin| (origin.file, Span { start: origin.start, end: origin.end }));
        let message = format!("{what} leads to {target}, which does not exist");
        session.report(session.finding(&rules::UNDEFINED_DEPENDENCY, message, at));
    };
    for entry in config.parts.get("dependency").and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
        let is_enabled = entry.value.get("enabled").and_then(Value::as_bool) != Some(false);
        if let (Some(path), true) = (entry.value.get("config_path"), is_enabled) {
            report(path, &format!("dependency \"{}\"", entry.key));
        }
    }
    let declared = config.parts.get("dependencies").and_then(|value| value.get("paths")).and_then(Value::as_list);
    declared.into_iter().flat_map(|paths| paths.iter()).for_each(|path| report(path, "a path of dependencies"));
}

/// What the text of a file shows by itself.
fn text(session: &Session<'_>, file: &File) {
    let at = |span: Span| -> At { (file.id, span) };
    let report = |rule: &'static Rule, message: String, span: Span, help: &str| {
        session.report(session.finding(rule, message, at(span)).help(help));
    };
    expressions(&file.body, &mut |expr| {
        walk::visit(expr, &mut |expr| {
            let ExprKind::Call(call) = &expr.kind else { return };
            match (&*call.name.text, call.arguments.as_slice()) {
                ("get_env", [name]) => {
                    let known = walk::constant_text(name).map(|name| session.env.contains_key(name));
                    if known != Some(true) {
                        let name = walk::constant_text(name).unwrap_or("a variable");
                        let message = format!("get_env has no default for {name}: every run needs the variable");
                        let help = "give it a default, or name its value with --env for this analysis";
                        report(&rules::ENVIRONMENT, message, expr.span, help);
                    }
                }
                ("run_cmd", [_, ..]) => {
                    let message = "a command runs whenever Terragrunt reads this file, also for `find` and `validate`";
                    let help = "read the value from a file or a variable if that is possible";
                    report(&rules::RUNS_COMMAND, message.to_owned(), expr.span, help);
                }
                ("find_in_parent_folders", []) => {
                    let message =
                        "find_in_parent_folders() without a name looks for a terragrunt.hcl, which is deprecated";
                    report(
                        &rules::DEPRECATED,
                        message.to_owned(),
                        expr.span,
                        "call the root file root.hcl, and name it",
                    );
                }
                _ => {}
            }
        });
    });
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for block in &file.body.blocks {
        let (kind, label) = (&*block.kind.text, block.label(0).map_or("", |label| &**label));
        if kind == "include" && block.labels.is_empty() {
            let message = "an include without a label is deprecated";
            report(&rules::DEPRECATED, message.to_owned(), block.kind.span, "give it a label: include \"root\"");
        }
        let is_named = matches!(kind, "dependency" | "feature" | "include") && !block.labels.is_empty();
        if is_named && !seen.insert((kind, label)) {
            let message =
                format!("a second {kind} \"{label}\": Terragrunt says nothing, and one of them has no effect");
            report(&rules::REPEATED_BLOCK, message, block.header(), "remove one of them, or give it another label");
        }
    }
}

/// The code of a unit: its version, what its path counts from, and whether it is there, which Terragrunt finds only when it runs.
fn source(session: &Session<'_>, folder: &str, config: &Config) {
    let Some(source) = config.parts.get("terraform").and_then(|terraform| terraform.get("source")) else { return };
    let (Some(text), Some(origin)) = (source.as_str(), source.prov.origin) else { return };
    let at = (origin.file, Span { start: origin.start, end: origin.end });
    if is_remote(text) {
        let is_git = text.contains("git") && !text.contains("archive") && !text.ends_with(".zip");
        let is_fixed = match text.strip_prefix("tfr://") {
            Some(rest) => rest.contains("version="),
            None => !is_git || text.contains("ref="),
        };
        if !is_fixed {
            let message = format!("the source {text} names no version: what is deployed changes without a commit");
            let help = if text.starts_with("tfr://") { "add ?version=" } else { "add ?ref= with a tag or a commit" };
            session.report(session.finding(&rules::SOURCE_WITHOUT_VERSION, message, at).help(help));
        }
        return;
    }
    let is_included = config.includes.iter().find(|included| {
        let file = session.loader.load(&included.path, false).map(|loaded| loaded.file);
        file.is_ok_and(|file| file == origin.file)
    });
    if let Some(included) = is_included.filter(|_| text.starts_with('.')) {
        let message = format!("the source {text} counts from each unit, not from {}", included.path);
        let help = "begin it with ${get_repo_root()} or ${get_parent_terragrunt_dir()} if one folder is meant";
        session.report(session.finding(&rules::RELATIVE_SOURCE, message, at).help(help));
    }
    let path = text.split('?').next().filter(|path| !path.is_empty());
    if let Some(code) = path.and_then(|path| inside(folder, path)).filter(|code| is_missing(session, code)) {
        let message = format!("the source of the unit leads to {code}, which does not exist");
        let help = "correct the path, or add the code";
        session.report(session.finding(&MISSING_COMPONENT_DIRECTORY, message, at).help(help));
    }
}

/// Whether a folder of code does not exist. Where there is no code around it, all of it comes from elsewhere.
fn is_missing(session: &Session<'_>, code: &str) -> bool {
    let reader = &session.loader.modules.loader.reader;
    let holds_code =
        |folder: &str| [".tf", ".tofu", ".tf.json"].iter().any(|end| !reader.below(folder, end).is_empty());
    !is_below_stack(code) && reader.lookup(code) == Err(ResolveError::Missing) && holds_code(paths::parent(code))
}

/// Whether a path is in a folder that a stack generates.
fn is_below_stack(path: &str) -> bool {
    path.split('/').any(|part| part == FOLDER)
}

/// Generated files that are written over each other.
fn generated(session: &Session<'_>, config: &Config) {
    let mut paths: BTreeMap<&str, &Text> = BTreeMap::new();
    for entry in config.parts.get("generate").and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
        let is_off = entry.value.get("disable").and_then(Value::as_bool) == Some(true);
        let (Some(path), false) = (entry.value.get("path"), is_off) else { continue };
        let (Some(text), Some(origin)) = (path.as_str(), path.prov.origin) else { continue };
        if let Some(other) = paths.insert(text, &entry.key) {
            let message = format!("generate \"{}\" and \"{other}\" write the same file {text}", entry.key);
            let at = (origin.file, Span { start: origin.start, end: origin.end });
            session
                .report(session.finding(&rules::GENERATE_COLLISION, message, at).help("give one of them another path"));
        }
    }
}

/// Outputs that are read and that the mocks, which have others, do not have.
fn mocks(session: &Session<'_>, config: &Config, read: &Uses) {
    let Some(dependencies) = config.parts.get("dependency") else { return };
    for (name, output, at) in &read.outputs {
        let mocks = dependencies.get(name).and_then(|dependency| dependency.get("mock_outputs"));
        let Some(mocks) = mocks.and_then(Value::as_map) else { continue };
        if mocks.is_empty() || mocks.has(output) {
            continue;
        }
        let message = format!("the mocks of dependency \"{name}\" have no {output}, which is read here");
        let help = "a plan before the first apply fails: add the output to mock_outputs";
        session.report(session.finding(&rules::MISSING_MOCK, message, *at).help(help));
    }
}

/// Locals and dependencies of the unit's own file that nothing in it reads.
fn unused(session: &Session<'_>, file: &File, config: &Config, read: &Uses) -> Vec<Diagnostic> {
    let is_read = |root: &str, name: &Text| {
        read.whole.contains(root) || read.names.contains(&(Text::from(root), Text::clone(name)))
    };
    let mut found = Vec::new();
    for local in file.body.blocks_of("locals").flat_map(|block| &block.body.attributes) {
        if !is_read("local", &local.name.text) {
            let message = format!("nothing uses local.{}", local.name.text);
            found.push(session.finding(&rules::UNUSED_LOCAL, message, (file.id, local.name.span)).help("remove it"));
        }
    }
    let inherited = |name: &Text| {
        let all = config.includes.iter().filter_map(|included| included.config.parts.get("dependency"));
        all.into_iter().any(|dependencies| dependencies.get(name).is_some())
    };
    for block in file.body.blocks_of("dependency") {
        let Some(name) = block.label(0).filter(|name| !is_read("dependency", name) && !inherited(name)) else {
            continue;
        };
        let own = config.parts.get("dependency").and_then(|all| all.get(name));
        let is_skipped = own.is_none_or(|own| {
            let is = |key: &str, flag: bool| {
                own.get(key).is_some_and(|value| matches!(value.data, Data::Bool(b) if b == flag))
            };
            is("skip", true) || is("enabled", false)
        });
        if !is_skipped {
            let message = format!("nothing reads the outputs of dependency \"{name}\"");
            let help = "if it only orders the runs, say so in a dependencies block: outputs are then not fetched";
            found.push(session.finding(&rules::UNUSED_DEPENDENCY, message, (file.id, block.header())).help(help));
        }
    }
    found
}
