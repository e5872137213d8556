//! `stacklint hook install`, `uninstall` and `status`: the hook of one repository.
//!
//! A hook that is there already is kept under another name and run first. Linked worktrees share one folder of hooks.
#![allow(clippy::disallowed_methods, reason = "the hook remembers the program that installed it")]

use crate::cli::open::Place;
use crate::cli::{Failure, Global, Outcome, output};
use crate::source::{Hooks, Owner};
use clap::Args;
use std::io::Write;
use std::path::Path;

/// The hook, as it is without a repository.
const SCRIPT: &str = include_str!("../../../hooks/pre-commit");
/// What every hook of ours has.
const MARK: &str = "# Installed by `stacklint hook install`";
const NAME: &str = "pre-commit";
/// The hook that was there before ours.
const BEFORE: &str = "pre-commit.before-stacklint";
/// Where pre-commit and lefthook move a hook that they find when they install their own.
const MOVED: [&str; 2] = ["pre-commit.legacy", "pre-commit.old"];

/// Install the hook; a hook that is there already is run first.
///
/// The hook looks at the project of the folder that it is installed from.
#[derive(Args, Debug)]
pub(in crate::cli) struct Install {
    /// Install it also where core.hooksPath is set for all repositories, or leads out of this one
    #[arg(long)]
    force: bool,
}

/// Take the hook away and put back the one that was there before.
#[derive(Args, Debug)]
pub(in crate::cli) struct Uninstall;

/// Say whether the hook is installed, and where; exits with 1 if it is not.
#[derive(Args, Debug)]
pub(in crate::cli) struct Status;

pub(super) fn install(options: &Install, global: &Global) -> Result<Outcome, Failure> {
    let place = Place::find(global)?;
    let hooks = place.repository()?.hooks();
    let folder = hooks.folder.display();
    if hooks.owner == Owner::Everybody && !options.force {
        return refuse(format!(
            "core.hooksPath makes {folder} the hooks of all repositories: `git config core.hooksPath \
             \"$(git rev-parse --git-common-dir)/hooks\"` gives this one its own, --force installs for all of them"
        ));
    }
    if hooks.owner == Owner::Elsewhere && !options.force {
        return refuse(format!(
            "core.hooksPath of this repository names {folder}, which is outside of it: --force installs the hook there"
        ));
    }
    if hooks.folder.ends_with(".husky/_") {
        return refuse("husky makes the hooks here: add the line `stacklint hook run` to .husky/pre-commit".to_owned());
    }
    let script = script(&std::env::current_exe()?, &place.project.start, global);
    if let Some(name) = ours(&hooks) {
        hooks.write(name, &script)?;
        return say(&format!("The hook {} is up to date.", hooks.folder.join(name).display()));
    }
    if hooks.has(NAME) {
        if hooks.has(BEFORE) {
            return refuse(format!(
                "{folder} has both {NAME}, which is not of stacklint, and {BEFORE}: keep one of them"
            ));
        }
        hooks.rename(NAME, BEFORE)?;
    }
    if let Err(error) = hooks.write(NAME, &script) {
        // Without ours the other one is to be what it was.
        if hooks.has(BEFORE) && !hooks.has(NAME) {
            hooks.rename(BEFORE, NAME)?;
        }
        return Err(error.into());
    }
    let then = match hooks.has(BEFORE) {
        true => format!(" The hook that was there is {BEFORE} now and runs first."),
        false => String::new(),
    };
    say(&format!("Installed {}.{then}", hooks.folder.join(NAME).display()))
}

pub(super) fn uninstall(global: &Global) -> Result<Outcome, Failure> {
    let hooks = Place::find(global)?.repository()?.hooks();
    let Some(name) = ours(&hooks) else {
        return say(&format!("There is no hook of stacklint in {}.", hooks.folder.display()));
    };
    hooks.remove(name)?;
    if hooks.has(BEFORE) {
        hooks.rename(BEFORE, name)?;
        return say(&format!("Removed the hook; {} is what it was before.", hooks.folder.join(name).display()));
    }
    say(&format!("Removed {}.", hooks.folder.join(name).display()))
}

pub(super) fn status(global: &Global) -> Result<Outcome, Failure> {
    let place = Place::find(global)?;
    let hooks = place.repository()?.hooks();
    let Some(name) = ours(&hooks) else {
        let other = if hooks.has(NAME) { format!(" ({NAME} is another one)") } else { String::new() };
        say(&format!("Not installed: there is no hook of stacklint in {}{other}.", hooks.folder.display()))?;
        return Ok(Outcome::Findings);
    };
    let text = hooks.read(name).unwrap_or_default();
    let first = if hooks.has(BEFORE) { format!("; {BEFORE} runs first") } else { String::new() };
    say(&format!("Installed: {}{first}.", hooks.folder.join(name).display()))?;
    if name != NAME {
        say(&format!("Another tool moved it there and runs it from its own {NAME}."))?;
    }
    if text != script(&std::env::current_exe()?, &place.project.start, global) {
        say("It was installed by another version or from another folder; `stacklint hook install` renews it.")?;
    }
    Ok(Outcome::Clean)
}

/// The name that our hook has.
fn ours(hooks: &Hooks) -> Option<&'static str> {
    let is_ours = |name: &&str| hooks.read(name).is_some_and(|text| text.contains(MARK));
    [NAME].into_iter().chain(MOVED).find(is_ours)
}

/// The hook for a program and a folder of the repository.
fn script(program: &Path, folder: &str, global: &Global) -> String {
    let slashes = |path: &Path| path.to_string_lossy().replace('\\', "/");
    let mut options: Vec<String> = global.config.iter().map(|p| format!(" --config {}", quoted(&slashes(p)))).collect();
    options.extend(global.projects.iter().map(|path| format!(" --project {}", quoted(path))));
    options.extend(global.dialect.iter().map(|name| format!(" --dialect {}", quoted(name))));
    // The hook starts elsewhere.
    let cache = global.cache.iter().map(|dir| std::path::absolute(dir).unwrap_or(dir.clone()));
    options.extend(cache.map(|dir| format!(" --cache {}", quoted(&slashes(&dir)))));
    let lines = SCRIPT.lines().map(|line| match line {
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

fn say(text: &str) -> Result<Outcome, Failure> {
    let mut out = output::stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(Outcome::Clean)
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
            cache: Some("/var/cache/it".into()),
            timings: false,
        };
        let text = script(Path::new("/opt/it's here/stacklint"), "a b/$(c)", &global);
        assert!(text.contains("\nbinary='/opt/it'\\''s here/stacklint'\n"), "{text}");
        assert!(text.contains("\nfolder='./a b/$(c)'\n"), "{text}");
        assert!(text.contains("\nset -- --config 'a b.yaml' --dialect 'atmos' --cache '/var/cache/it'\n"), "{text}");
        assert!(text.contains(MARK));
        assert_eq!(text.lines().count(), SCRIPT.lines().count());
    }
}
