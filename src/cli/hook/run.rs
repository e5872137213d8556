//! `stacklint hook run`: briefly reports the effects of a commit or a push.
#![allow(clippy::disallowed_methods, reason = "pre-commit says in variables what it runs hooks for")]

use crate::cli::open::{Invocation, State};
use crate::cli::reporting::JudgeOptions;
use crate::cli::{Failure, Global, output};
use crate::report::{Report, text};
use crate::review::{self, Completeness, Filter, Outcome, Overrides, Request, Review};
use crate::source::{Error, Memory, Repository, Revision, Source, differences};
use crate::text::escape;
use clap::Args;
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};

/// The maximum duration of a hook in seconds, unless the settings have `time` in `[limits]`; much longer without
/// optimization.
const SECONDS: u64 = if cfg!(debug_assertions) { 60 } else { 5 };

/// The maximum number of bytes that git may pass about a push: about 500,000 references.
const MAX_INPUT: u64 = 64 << 20;

/// Check what is staged: this is what the hooks run.
///
/// Compares HEAD with the index, as `stacklint diff --staged` does: it reports only new findings, and ignores unstaged
/// edits in the worktree. The first commit of a branch is compared with an empty state. Prints new findings, one line
/// that summarizes the effects, and what was compared. It succeeds, and prints nothing, in a repository without a project.
///
/// If pre-commit sets a range (PRE_COMMIT_FROM_REF, PRE_COMMIT_TO_REF), that range is compared instead; if it checks
/// all files (`pre-commit run --all-files` with nothing staged), all findings of HEAD count.
#[derive(Args, Debug)]
pub(in crate::cli) struct Options {
    /// Show the changes of components, not only their number
    #[arg(long)]
    diff: bool,
    /// Compare what is pushed to this remote, read from standard input as in a pre-push hook
    #[arg(long, value_name = "REMOTE")]
    pushed_to: Option<String>,
    #[command(flatten)]
    judging: JudgeOptions,
}

/// Two states that are compared.
type Sides = (Box<dyn Source>, Box<dyn Source>);

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let repository = place.repository()?;
    if let Some(remote) = &options.pushed_to {
        return push(options, global, &place, remote);
    }
    if let Some((from, to)) = range() {
        let (from, to) = (repository.resolve(&from)?, repository.resolve(&to)?);
        // Histories without a common commit are compared as they are.
        let base = if_known(repository.merge_base(&from, &to))?.unwrap_or(from);
        return compare((repository.at(&base)?, repository.at(&to)?), options, global, &place);
    }
    let head = place.open(&State::Index)?;
    let base: Box<dyn Source> = match repository.revision("HEAD") {
        Err(Error::Unborn { .. }) => nothing(),
        base => base?,
    };
    if is_run_by_hand() && differences(base.listing(), head.listing()).is_empty() {
        return whole(&*base, options, global, &place);
    }
    let outcome = compare((base, head), options, global, &place)?;
    Ok(blocks(outcome, "commit"))
}

/// The range that pre-commit compares, if it sets one.
fn range() -> Option<(String, String)> {
    let name = |key: &str| std::env::var(key).ok().filter(|value| !value.is_empty());
    name("PRE_COMMIT_FROM_REF").zip(name("PRE_COMMIT_TO_REF"))
}

/// Whether pre-commit runs this, and git does not: git names the index that it commits.
fn is_run_by_hand() -> bool {
    std::env::var_os("PRE_COMMIT").is_some() && std::env::var_os("GIT_INDEX_FILE").is_none()
}

fn nothing() -> Box<dyn Source> {
    Box::new(Memory::new("nothing", BTreeMap::new()))
}

/// Prints what blocked a commit or a push, and how to skip the check.
fn blocks(outcome: Outcome, what: &str) -> Outcome {
    if outcome != Outcome::Clean {
        output::eprint(&format!(
            "stacklint blocked this {what}. Fix what is reported above, or skip the hook with `git {what} --no-verify`."
        ));
    }
    outcome
}

/// Judges what one state brings in comparison with another one.
fn compare((base, head): Sides, options: &Options, global: &Global, place: &Invocation) -> Result<Outcome, Failure> {
    if differences(base.listing(), head.listing()).is_empty() {
        return Ok(Outcome::Clean);
    }
    judge(options, global, place, |request| review::compare(&*base, &*head, &place.workspace(), request))
}

/// Judges a state as a whole.
fn whole(head: &dyn Source, options: &Options, global: &Global, place: &Invocation) -> Result<Outcome, Failure> {
    judge(options, global, place, |request| review::check(head, &place.workspace(), request))
}

fn judge(
    options: &Options,
    global: &Global,
    place: &Invocation,
    review: impl FnOnce(&Request<'_>) -> Result<Review, review::Error>,
) -> Result<Outcome, Failure> {
    let overrides = Overrides { seconds: Some(SECONDS), ..options.judging.overrides(place)? };
    let review = match review(&Request { filter: Filter::default(), overrides: &overrides, affected: None }) {
        Err(review::Error::NoProject(_)) => return Ok(Outcome::Clean),
        review => review?,
    };
    options.judging.finish(review, &overrides, place, Completeness::Any, |report| write(report, options, global))
}

fn write(report: &Report<'_>, options: &Options, global: &Global) -> Result<(), Failure> {
    let how = output::options(global);
    let mut out = output::stdout();
    let changes = report.comparison.is_some_and(|c| !c.diff.components.is_empty() || !c.code.is_empty());
    if options.diff && changes {
        text::write(&mut out, report, &how)?;
    } else {
        text::write_brief(&mut out, report, &how)?;
    }
    Ok(out.flush()?)
}

/// Reviews each reference of a push. The base is the same reference of the remote, or else its main branch.
fn push(options: &Options, global: &Global, place: &Invocation, remote: &str) -> Result<Outcome, Failure> {
    let repository = place.repository()?;
    if let Some((from, to)) = range() {
        let sides = (repository.revision(&from)?, repository.revision(&to)?);
        return compare(sides, options, global, place);
    }
    let mut text = String::new();
    std::io::stdin().take(MAX_INPUT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_INPUT {
        return Err(Failure::Message(format!(
            "git names more than {MAX_INPUT} bytes of references: push fewer at once"
        )));
    }
    // Many references may lead to one commit.
    let mut pairs: Vec<(Option<Revision>, Revision, Vec<&str>)> = Vec::new();
    let mut known = HashMap::new();
    for ((old, new), names) in updates(&text) {
        let head = match repository.resolve(new) {
            // A tag of a file or a folder.
            Err(Error::NotACommit { .. }) => continue,
            head => head?,
        };
        let base = pushed_to(repository, remote, old, &head)?;
        let key = (base.as_ref().map(Revision::commit), head.commit());
        let at = *known.entry(key).or_insert(pairs.len());
        match pairs.get_mut(at) {
            Some((_, _, others)) => others.extend(names),
            None => pairs.push((base, head, names)),
        }
    }
    let mut outcome = Outcome::Clean;
    let has_several = pairs.len() > 1;
    for (base, head, names) in pairs {
        if has_several {
            writeln!(output::stdout(), "{}", title(&names))?;
        }
        let base = base.map_or_else(|| Ok(nothing()), |base| repository.at(&base))?;
        outcome = worse(outcome, compare((base, repository.at(&head)?), options, global, place)?);
    }
    Ok(blocks(outcome, "push"))
}

/// Names the references whose judgment follows: `main, v1 and 3 more:`.
fn title(names: &[&str]) -> String {
    const SHOWN: usize = 3;
    let short = |name: &&str| {
        let prefixes = ["refs/heads/", "refs/tags/"];
        escape(prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)).into_owned()
    };
    let shown: Vec<String> = names.iter().take(SHOWN).map(short).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}:", shown.join(", "))
}

/// Returns the old and new objects of the pushed references, each pair once, with the names on the remote. A line is `local-ref id
/// remote-ref id`, with zeros for no object.
fn updates(text: &str) -> BTreeMap<(&str, &str), Vec<&str>> {
    let mut all: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if let [_, new, name, old] = words[..]
            && !is_zero(new)
        {
            all.entry((old, new)).or_default().push(name);
        }
    }
    all
}

fn is_zero(id: &str) -> bool {
    id.bytes().all(|b| b == b'0')
}

/// Returns the commit that a pushed one is compared with; `None` if the remote has nothing of it.
///
/// # Errors
/// An object is damaged.
fn pushed_to(repository: &Repository, remote: &str, old: &str, head: &Revision) -> Result<Option<Revision>, Error> {
    let on_remote = [format!("refs/remotes/{remote}/HEAD"), format!("refs/remotes/{remote}/main")];
    let known = [old.to_owned()].into_iter().filter(|old| !is_zero(old)).chain(on_remote);
    // The commit of the remote may not be in this clone: then its main branch is the nearest known one.
    for name in known {
        let Some(base) = if_known(repository.resolve(&name))? else { continue };
        if let Some(base) = if_known(repository.merge_base(&base, head))? {
            return Ok(Some(base));
        }
    }
    Ok(None)
}

/// A commit; `None` if this clone has none. What it has and cannot read is an error.
fn if_known(found: Result<Revision, Error>) -> Result<Option<Revision>, Error> {
    match found {
        Err(error @ Error::BrokenObject { .. }) => Err(error),
        found => Ok(found.ok()),
    }
}

fn worse(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Outcome::InternalError, _) | (_, Outcome::InternalError) => Outcome::InternalError,
        (Outcome::Fails(a), Outcome::Fails(b)) if a != b => Outcome::Fails(format!("{a}; {b}")),
        (Outcome::Fails(why), _) | (_, Outcome::Fails(why)) => Outcome::Fails(why),
        (_, b) => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_are_pushed() {
        let (old, new, none) = ("1".repeat(40), "2".repeat(40), "0".repeat(40));
        let text = format!(
            "refs/heads/a {new} refs/heads/a {old}\nrefs/heads/b {new} refs/heads/b {old}\n\
             (delete) {none} refs/heads/c {old}\nrefs/tags/v1 {new} refs/tags/v1 {none}\nwords\n\n"
        );
        let expected =
            [((&*none, &*new), vec!["refs/tags/v1"]), ((&*old, &*new), vec!["refs/heads/a", "refs/heads/b"])];
        assert_eq!(updates(&text).into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(title(&["refs/heads/a", "refs/tags/v1"]), "a, v1:");
        assert_eq!(title(&["refs/heads/a/b", "HEAD", "x", "y", "z"]), "a/b, HEAD, x and 2 more:");
    }
}
