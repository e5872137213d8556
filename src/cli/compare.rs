//! `stacklint compare`: what differs between two environments that should be alike.

use super::open::{Invocation, State};
use super::options::functions::Functions;
use super::output::{self, AnswerFormat};
use super::{Failure, Global, Outcome};
use crate::dialects::{Scope, StackNames};
use crate::environments::{self, Environment, EnvironmentDiff};
use crate::files::Files;
use crate::report::environments::{Environments, write_json, write_markdown, write_text};
use crate::resolution::Resolution;
use crate::review::{self, DriftAges, Filter, History, Resolved, ResolvedPair, Revision};
use crate::settings::Settings;
use crate::source::Source;
use crate::text::{count, nearest};
use clap::Args;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Show what differs between two environments, but for what follows from their names.
///
/// LEFT and RIGHT name stacks, a pattern of stacks (`plat-*-prod`), a folder (`live/prod`), a root module or one unit; `REV:NAME` is
/// one of another revision. Components are compared by their names. What follows from the names of the environments, and from inputs
/// such as region, account and stage, is folded.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The left environment
    #[arg(value_name = "[REV:]LEFT")]
    left: String,
    /// The right environment
    #[arg(value_name = "[REV:]RIGHT")]
    right: String,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: AnswerFormat,
    /// Show everything without shortening
    #[arg(long)]
    all: bool,
    /// Show values that look like secrets
    #[arg(long)]
    show_secrets: bool,
    /// Show since which commit each difference is there, and look at the last COMMITS commits for that
    #[arg(long, value_name = "COMMITS", num_args = 0..=1, require_equals = true, default_missing_value = "200")]
    since: Option<NonZeroUsize>,
    /// Exit with 3 if something differs
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    functions: Functions,
}

/// An environment as the user names it.
struct Named<'a> {
    /// The revision; `None` for the worktree.
    revision: Option<&'a str>,
    name: &'a str,
}

impl<'a> Named<'a> {
    /// Reads `REV:NAME` or `NAME`.
    fn of(text: &'a str, place: &Invocation) -> Self {
        let split = text.split_once(':').filter(|(revision, name)| !revision.is_empty() && !name.is_empty());
        let is_revision = |revision: &str| place.repository().is_ok_and(|known| known.resolve(revision).is_ok());
        match split.filter(|(revision, _)| is_revision(revision)) {
            Some((revision, name)) => Named { revision: Some(revision), name },
            None => Named { revision: None, name: text },
        }
    }
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Invocation::find(global)?;
    options.functions.apply(&[], &mut place)?;
    let named = [&options.left, &options.right].map(|text| Named::of(text, &place));
    let open = |named: &Named<'_>| {
        let state = named.revision.map_or_else(|| place.default_state(), |rev| State::Revision(rev.to_owned()));
        place.timings.phase("open", || place.open(&state))
    };
    let left = open(&named[0])?;
    let right = if named[0].revision == named[1].revision { None } else { Some(open(&named[1])?) };
    let settings = place.settings(&*left)?;
    let declared = &settings.limits.environments;
    let resolve = |scope| Both::resolve((&*left, right.as_deref()), (&place, &settings), scope, global);
    let is_wanted = |stack: &str| named.iter().any(|one| environments::may_select(stack, one.name));
    let mut resolved = resolve(Scope::Stacks(StackNames::new(&is_wanted)))?;
    if resolved.environments(&named).iter().any(|found| found.members.is_empty()) {
        // Which stacks there are is known if all are resolved.
        resolved = resolve(Scope::All)?;
    }
    let Both { files, sides } = &resolved;
    let revisions = [Revision::of(&*left), Revision::of(right.as_deref().unwrap_or(&*left))];
    let both = resolved.environments(&named);
    if let Some(index) = both.iter().position(|found| found.members.is_empty()) {
        return Err(missing(both[index].name, &sides[index]));
    }
    let mut diff = place.timings.phase("compare", || environments::compare(both.each_ref(), declared));
    let ages = match options.since {
        Some(limit) => Some(options.ages(limit.get(), (&named, &place), &settings, &diff)?),
        None => None,
    };
    diff.mask(files);
    let unresolved: BTreeSet<String> = sides.iter().flat_map(|side| broken(side)).collect();
    let unresolved: Vec<String> = unresolved.into_iter().collect();
    let names = [&*options.left, &*options.right];
    let (revisions, ages) = (revisions.each_ref(), ages.as_ref());
    let shown = Environments { names, revisions, files, diff: &diff, ages, unresolved: &unresolved };
    options.write(&shown, global)?;
    let differs = !diff.differences.is_empty() || diff.only.iter().any(|only| !only.is_empty());
    global.leftovers.leave(resolved);
    Ok(match differs && options.exit_code {
        true => Outcome::Changes,
        false if !unresolved.is_empty() => {
            Outcome::Fails(format!("{} could not be resolved", count(unresolved.len(), "part")))
        }
        false => Outcome::Clean,
    })
}

/// The states that both environments are in, resolved; twice the same one if there is only one.
struct Both {
    files: Files,
    sides: [Arc<Resolution>; 2],
}

impl Both {
    /// Resolves one state, or two.
    fn resolve(
        (left, right): (&dyn Source, Option<&dyn Source>),
        (place, settings): (&Invocation, &Settings),
        scope: Scope<'_>,
        global: &Global,
    ) -> Result<Self, Failure> {
        let workspace = place.workspace();
        let Some(right) = right else {
            let found = review::resolve(left, &workspace, settings, Files::default(), scope)?;
            let Resolved { files, resolution, dialects } = found;
            global.leftovers.leave(dialects);
            let only = Arc::new(resolution);
            return Ok(Both { files, sides: [Arc::clone(&only), only] });
        };
        let found = review::resolve_pair(left, right, &workspace, settings, (&Filter::default(), scope))?;
        let ResolvedPair { files, base, head, dialects, .. } = found;
        global.leftovers.leave(dialects);
        Ok(Both { files, sides: [base, head].map(Arc::new) })
    }

    /// The environments, in the states that they are in.
    fn environments<'a>(&'a self, named: &'a [Named<'_>; 2]) -> [Environment<'a>; 2] {
        [0, 1].map(|index| Environment::of(named[index].name, &self.sides[index]))
    }
}

/// The parts of a state that could not be resolved: they may belong to an environment.
fn broken(resolution: &Resolution) -> Vec<String> {
    let mut names = Vec::new();
    for unit in resolution.units.iter().filter(|unit| unit.is_incomplete()) {
        names.extend(unit.broken.iter().map(|(_, name)| format!("{name} in {}", unit.name)));
        names.extend(unit.failed.iter().map(ToString::to_string));
        names.extend((unit.broken.is_empty() && unit.failed.is_empty()).then(|| unit.name.to_string()));
    }
    names
}

/// Nothing has this name.
fn missing(name: &str, resolution: &Resolution) -> Failure {
    let stacks: BTreeSet<&str> =
        resolution.units.iter().flat_map(|unit| &unit.components).map(|component| &*component.stack).collect();
    let near = nearest(name, stacks).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Failure::Message(format!("no stack, folder or component matches `{name}`{near}"))
}

impl Options {
    /// Finds since when the environments differ.
    fn ages(
        &self,
        limit: usize,
        (named, place): (&[Named<'_>; 2], &Invocation),
        settings: &Settings,
        diff: &EnvironmentDiff,
    ) -> Result<DriftAges, Failure> {
        if named[0].revision != named[1].revision {
            return Err(Failure::Message("--since takes two environments of one revision".to_owned()));
        }
        let repository = place.repository()?;
        let head = repository.resolve(named[0].revision.unwrap_or("HEAD"))?;
        let names = named.each_ref().map(|one| one.name);
        let history = History { repository, workspace: &place.workspace(), settings, names, limit };
        Ok(place.timings.phase("history", || history.ages(head, diff))?)
    }

    fn write(&self, shown: &Environments<'_>, global: &Global) -> Result<(), Failure> {
        output::answer(self.format, (self.all, self.show_secrets), global, &mut |out, style| match self.format {
            AnswerFormat::Json => write_json(out, shown, style),
            AnswerFormat::Text => write_text(out, shown, style),
            AnswerFormat::Markdown => write_markdown(out, shown, style),
        })
    }
}
