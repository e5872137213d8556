//! Completion of stacks, components, paths and files while a command is typed: the script of a shell starts stacklint with
//! [`VARIABLE`] in the environment and the words of the line as arguments.
//!
//! A shell inserts a candidate into the command line verbatim. Therefore only names without special meaning in shells
//! are offered. A repository that takes longer than [`BUDGET`] to resolve gets no candidates.
#![allow(clippy::disallowed_methods, reason = "shells hand over words in the arguments and environment of the process")]

use super::open::{Invocation, State};
use super::{Cli, Global, output, watch};
use crate::dialects::Scope;
use crate::files::Files;
use crate::query::path;
use crate::review::{self, Resolved};
use crate::source::Spec;
use crate::source::glob::Glob;
use crate::threads;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::{CompleteEnv, Shells};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The environment variable that names the requesting shell.
const VARIABLE: &str = "STACKLINT_COMPLETE";
/// How long a shell waits for an answer.
const BUDGET: Duration = Duration::from_secs(2);
/// The maximum number of candidates that are offered.
const MAX_CANDIDATES: usize = 1_000;

/// The kind of value that an argument expects.
#[derive(Clone, Copy)]
enum ArgumentKind {
    Stack,
    Component,
    Path,
    File,
}

/// Answers a shell, if one started this process for that.
pub(super) fn answer() -> Option<ExitCode> {
    std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty() && shell != "0")?;
    watch::limit_silently(BUDGET);
    let folder = std::env::current_dir().ok();
    let complete = || {
        let shell = CompleteEnv::with_factory(command).var(VARIABLE).completer("stacklint");
        shell.try_complete(std::env::args_os(), folder.as_deref())
    };
    match threads::with_deep_stack(|| threads::catch_panic("completion", complete)) {
        Ok(Ok(_)) => Some(ExitCode::SUCCESS),
        Ok(Err(error)) => {
            output::eprint(&format!("stacklint: {error}"));
            Some(ExitCode::FAILURE)
        }
        // A message would land in the middle of the line that is typed.
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// Writes the completion script of a shell.
pub(super) fn write_script(shell: &str, out: &mut dyn Write) -> io::Result<()> {
    match Shells::builtins().completer(shell) {
        Some(shell) => shell.write_registration(VARIABLE, "stacklint", "stacklint", "stacklint", out),
        None => Err(io::Error::other(format!("no completions for {shell}"))),
    }
}

/// The command line with completers at its arguments.
fn command() -> Command {
    with_completers(Cli::command())
}

fn with_completers(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let is_path = matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath);
        let kind = match (&*name, arg.get_id().as_str()) {
            (_, "stack") => ArgumentKind::Stack,
            (_, "component") | ("component", "name") => ArgumentKind::Component,
            ("why", "path" | "last") => ArgumentKind::Path,
            ("impact", "place") => ArgumentKind::File,
            _ if is_path => ArgumentKind::File,
            _ => return arg,
        };
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| candidates(kind, typed)))
    });
    command.mut_subcommands(with_completers)
}

fn candidates(kind: ArgumentKind, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let names = match (kind, Line::read()) {
        (ArgumentKind::File, line) => files(typed, line.as_ref().and_then(|line| line.global.directory.as_deref())),
        (_, Some(line)) => line.names(kind, typed),
        (_, None) => BTreeSet::new(),
    };
    let fitting = names.into_iter().filter(|name| name.starts_with(typed) && is_plain(name));
    fitting.take(MAX_CANDIDATES).map(CompletionCandidate::new).collect()
}

/// Whether a name means itself in the line of any shell.
fn is_plain(name: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '+');
    name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/')) && name.chars().all(is_inside)
}

/// Returns the files and folders that start with the typed path.
fn files(typed: &str, directory: Option<&Path>) -> BTreeSet<String> {
    let (above, name) = typed.rsplit_once('/').map_or(("", typed), |(above, name)| (&typed[..=above.len()], name));
    let folder = directory.unwrap_or(Path::new(".")).join(above);
    let Ok(entries) = folder.read_dir() else { return BTreeSet::new() };
    let fitting = entries.flatten().filter_map(|entry| {
        let own = entry.file_name().into_string().ok().filter(|own| own.starts_with(name))?;
        let is_hidden = own.starts_with('.') && !name.starts_with('.');
        let end = if entry.path().is_dir() { "/" } else { "" };
        (!is_hidden).then(|| format!("{above}{own}{end}"))
    });
    fitting.take(MAX_CANDIDATES).collect()
}

/// The words before the one that is completed, parsed as far as they can be.
struct Line {
    global: Global,
    /// The arguments of the innermost command.
    arguments: ArgMatches,
}

impl Line {
    fn read() -> Option<Self> {
        let mut words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
        words.truncate(index.unwrap_or(words.len().saturating_sub(1)));
        let whole = Cli::command().ignore_errors(true).try_get_matches_from(words).ok()?;
        let mut global = Global::from_arg_matches(&whole).ok()?;
        global.timings = false;
        let mut arguments = whole;
        while let Some((_, inner)) = arguments.remove_subcommand() {
            arguments = inner;
        }
        Some(Line { global, arguments })
    }

    fn text(&self, id: &str) -> Option<&str> {
        self.arguments.try_get_one::<String>(id).ok().flatten().map(String::as_str)
    }

    /// The names that an argument may have, or only those that begin as typed.
    fn names(&self, kind: ArgumentKind, typed: &str) -> BTreeSet<String> {
        let (stack, component) = (self.text("stack"), self.text("component").or(self.text("name")));
        // A range of revisions moves the arguments of `why` on by one.
        let is_range = stack.is_some_and(|stack| Spec::parse(stack).is_range());
        let (kind, stack, component) = match kind {
            ArgumentKind::Component if is_range => (ArgumentKind::Stack, None, None),
            ArgumentKind::Path if is_range => match self.text("path").filter(|path| !path.is_empty()) {
                Some(name) => (ArgumentKind::Path, component, Some(name)),
                None => (ArgumentKind::Component, component, None),
            },
            _ => (kind, stack, component),
        };
        let Some(resolved) = self.resolve() else { return BTreeSet::new() };
        let glob = stack.and_then(|stack| Glob::new(stack).ok());
        let is_asked = |unit: &str, own: &str| {
            stack.is_none_or(|stack| stack == own || stack == unit) || glob.as_ref().is_some_and(|g| g.matches(own))
        };
        let mut names = BTreeSet::new();
        for ((own, _, name), placed) in &resolved.resolution.components() {
            match kind {
                ArgumentKind::Stack => drop(names.insert(own.to_string())),
                ArgumentKind::Component if is_asked(&placed.unit.name, own) => drop(names.insert(name.to_string())),
                ArgumentKind::Path if is_asked(&placed.unit.name, own) && component == Some(&**name) => {
                    names.extend(path::completions(&placed.component.value, typed, MAX_CANDIDATES));
                }
                _ => {}
            }
        }
        names
    }

    /// The state that is asked about.
    fn resolve(&self) -> Option<Resolved> {
        let place = Invocation::find(&self.global).ok()?;
        let revision = self.text("rev").map(|rev| State::Revision(rev.to_owned()));
        let source = place.open(&revision.unwrap_or_else(|| place.default_state())).ok()?;
        let settings = place.settings(&*source).ok()?;
        review::resolve(&*source, &place.workspace(), &settings, Files::default(), Scope::All).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_to_a_shell_are_not_offered() {
        for name in ["plat-prod", "vars.cidr", "/vars/a", "stacks/x.yaml", "_a", "größe", "a:b@c+d"] {
            assert!(is_plain(name), "{name}");
        }
        for name in
            ["", "-x", "$(id)", "a b", "a;b", "~x", "a\u{1b}[31m", "a\nb", "*", "a'b", "a\u{202e}b", "@x", "=ls"]
        {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn arguments_that_name_paths_have_a_completer() {
        fn visit(command: &Command, found: &mut Vec<String>) {
            for arg in command.get_arguments().filter(|arg| arg.get::<ArgValueCompleter>().is_none()) {
                if arg.get_value_hint() != ValueHint::Unknown {
                    found.push(format!("{} {}", command.get_name(), arg.get_id()));
                }
            }
            command.get_subcommands().for_each(|inner| visit(inner, found));
        }
        let mut found = Vec::new();
        visit(&command(), &mut found);
        assert_eq!(found, [""; 0]);
    }
}
