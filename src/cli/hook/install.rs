//! `stacklint hook install`, `uninstall` and `status`: the hooks of one repository.
//!
//! An existing hook is kept under another name and run first. Linked worktrees share one folder of hooks.
#![allow(clippy::disallowed_methods, reason = "the hook remembers the program that installed it")]

use crate::cli::open::Invocation;
use crate::cli::{Failure, Global, output};
use crate::review::Outcome;
use crate::source::{Hooks, Owner};
use clap::Args;
use std::io::Write;
use std::path::Path;

/// The hook, as it is without a repository.
const SCRIPT: &str = include_str!("../../../hooks/pre-commit");
/// A line that identifies our hooks.
const MARK: &str = "# Installed by `stacklint hook install`";
/// The hook of ordinary commits, which is always installed.
const COMMIT: &str = "pre-commit";
/// The hook of merges without conflicts, for which git skips the other one.
const MERGE: &str = "pre-merge-commit";
/// The hook of pushes, which is installed on request.
const PUSH: &str = "pre-push";

/// Install the hooks for commits and clean merges; a hook that is there already is run first.
///
/// The hooks check the project of the folder that they are installed from.
#[derive(Args, Debug)]
pub(in crate::cli) struct Install {
    /// Install the hook for pushes as well
    #[arg(long)]
    pre_push: bool,
    /// Install them even if core.hooksPath is set globally, or points outside of this repository
    #[arg(long)]
    force: bool,
}

/// Remove the hooks and restore the previous ones
#[derive(Args, Debug)]
pub(in crate::cli) struct Uninstall;

/// Print whether the hooks are installed, and where; exits with 1 if the one for commits is not.
#[derive(Args, Debug)]
pub(in crate::cli) struct Status;

pub(super) fn install(options: &Install, global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let hooks = place.repository()?.hooks();
    let folder = hooks.folder.display();
    if hooks.owner == Owner::Everybody && !options.force {
        return refuse(format!(
            "core.hooksPath uses the hooks in {folder} for all repositories: `git config core.hooksPath \
             \"$(git rev-parse --git-common-dir)/hooks\"` gives this repository its own, --force installs the hook for all of them"
        ));
    }
    if hooks.owner == Owner::Elsewhere && !options.force {
        return refuse(format!(
            "core.hooksPath of this repository is {folder}, which is outside of it: --force installs the hook there"
        ));
    }
    if hooks.folder.ends_with(".husky/_") {
        return refuse(
            "husky manages the hooks here: add the line `stacklint hook run` to .husky/pre-commit".to_owned(),
        );
    }
    let names = [COMMIT, MERGE].into_iter().chain(options.pre_push.then_some(PUSH));
    let names: Vec<&str> = names.collect();
    if let Some(name) = names.iter().find(|n| ours(&hooks, n).is_none() && hooks.has(n) && hooks.has(&before(n))) {
        let before = before(name);
        return refuse(format!(
            "{folder} has both {name}, which stacklint did not install, and {before}: keep one of them"
        ));
    }
    for name in names {
        install_one(&hooks, name, &script(name, &std::env::current_exe()?, &place.project.start, global))?;
    }
    Ok(Outcome::Clean)
}

fn install_one(hooks: &Hooks, name: &str, script: &str) -> Result<(), Failure> {
    if let Some(found) = ours(hooks, name) {
        hooks.write(&found, script)?;
        return say(&format!("The hook {} is up to date.", hooks.folder.join(found).display()));
    }
    let before = before(name);
    if hooks.has(name) {
        hooks.rename(name, &before)?;
    }
    if let Err(error) = hooks.write(name, script) {
        // Without ours the other one is to be what it was.
        if hooks.has(&before) && !hooks.has(name) {
            hooks.rename(&before, name)?;
        }
        return Err(error.into());
    }
    let then = match hooks.has(&before) {
        true => format!(" The previous hook is now {before} and runs first."),
        false => String::new(),
    };
    say(&format!("Installed {}.{then}", hooks.folder.join(name).display()))
}

pub(super) fn uninstall(global: &Global) -> Result<Outcome, Failure> {
    let hooks = Invocation::find(global)?.repository()?.hooks();
    let installed: Vec<(&str, String)> =
        [COMMIT, MERGE, PUSH].into_iter().filter_map(|name| Some((name, ours(&hooks, name)?))).collect();
    if installed.is_empty() {
        say(&format!("No stacklint hook is installed in {}.", hooks.folder.display()))?;
    }
    for (name, found) in installed {
        hooks.remove(&found)?;
        let path = hooks.folder.join(&found);
        if hooks.has(&before(name)) {
            hooks.rename(&before(name), &found)?;
            say(&format!("Removed the hook; the previous {} is restored.", path.display()))?;
        } else {
            say(&format!("Removed {}.", path.display()))?;
        }
    }
    Ok(Outcome::Clean)
}

pub(super) fn status(global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let hooks = place.repository()?.hooks();
    for name in [COMMIT, MERGE, PUSH] {
        let Some(found) = ours(&hooks, name) else {
            let other = if hooks.has(name) { format!(" ({name} is a different hook)") } else { String::new() };
            let folder = hooks.folder.display();
            say(&format!("Not installed: there is no {name} hook from stacklint in {folder}{other}."))?;
            continue;
        };
        let text = hooks.read(&found).unwrap_or_default();
        let first = if hooks.has(&before(name)) { format!("; {} runs first", before(name)) } else { String::new() };
        say(&format!("Installed: {}{first}.", hooks.folder.join(&found).display()))?;
        if found != name {
            say(&format!("Another tool moved it there and runs it from its own {name}."))?;
        }
        if text != script(name, &std::env::current_exe()?, &place.project.start, global) {
            say("It was installed by another version or from another folder; `stacklint hook install` renews it.")?;
        }
    }
    Ok(if ours(&hooks, COMMIT).is_some() {
        Outcome::Clean
    } else {
        Outcome::Fails(format!("the {COMMIT} hook is not installed"))
    })
}

/// The name of a hook that was there before ours.
fn before(name: &str) -> String {
    format!("{name}.before-stacklint")
}

/// The name that our hook has: pre-commit and lefthook move a hook that they find when they install their own.
fn ours(hooks: &Hooks, name: &str) -> Option<String> {
    let is_ours = |name: &String| hooks.read(name).is_some_and(|text| text.contains(MARK));
    [name.to_owned(), format!("{name}.legacy"), format!("{name}.old")].into_iter().find(is_ours)
}

/// The hook of a name for a program and a folder of the repository.
fn script(name: &str, program: &Path, folder: &str, global: &Global) -> String {
    let slashes = |path: &Path| path.to_string_lossy().replace('\\', "/");
    let mut options: Vec<String> = global.config.iter().map(|p| format!(" --config {}", quoted(&slashes(p)))).collect();
    options.extend(global.projects.iter().map(|path| format!(" --project {}", quoted(path))));
    options.extend(global.dialect.iter().map(|name| format!(" --dialect {}", quoted(name))));
    let lines = SCRIPT.lines().map(|line| match line {
        "hook=pre-commit" => format!("hook={name}\n"),
        "binary=stacklint" => format!("binary={}\n", quoted(&slashes(program))),
        "folder=." => format!("folder={}\n", quoted(&format!("./{folder}"))),
        "set --" => format!("set --{}\n", options.concat()),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn say(text: &str) -> Result<(), Failure> {
    let mut out = output::stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(())
}

fn refuse(text: String) -> Result<Outcome, Failure> {
    Err(Failure::Message(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_names_program_and_folder_whatever_their_names() {
        let global = Global {
            directory: None,
            config: vec!["a b.yaml".into()],
            projects: Vec::new(),
            color: crate::cli::Color::Auto,
            dialect: Some("atmos".to_owned()),
            timings: false,
            leftovers: Default::default(),
        };
        let text = script(MERGE, Path::new("/opt/it's here/stacklint"), "a b/$(c)", &global);
        assert!(text.contains("\nhook=pre-merge-commit\n"), "{text}");
        assert!(text.contains("\nbinary='/opt/it'\\''s here/stacklint'\n"), "{text}");
        assert!(text.contains("\nfolder='./a b/$(c)'\n"), "{text}");
        assert!(text.contains("\nset -- --config 'a b.yaml' --dialect 'atmos'\n"), "{text}");
        assert!(text.contains(MARK));
        assert_eq!(text.lines().count(), SCRIPT.lines().count());
    }
}
