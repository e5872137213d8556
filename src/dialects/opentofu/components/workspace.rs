//! Mistakes in a workspace that nobody selected: in another one they may be none.

use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::terraform::components::backend::Workspace;
use crate::terraform::configuration::Wanted;
use crate::terraform::evaluation::given::{DEFAULT_WORKSPACE, Given};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::modules::Modules;
use crate::terraform::root::{self, Evaluated};
use crate::text::Text;

/// How code names the workspace.
const NAME: &str = ".workspace";
const HELP: &str = "name the workspaces (`workspaces` in stacklint.toml), or this one with --workspace";

/// Replaces mistakes of values that are there only in the workspace that is assumed by a word about each. If what the code declares
/// depends on the workspace, all are kept.
pub(super) fn excuse(
    failures: &mut [Failure],
    evaluated: &Evaluated<'_>,
    (dir, stack): (&str, &Text),
    (given, modules): (Given<'_>, &Modules<'_>),
) {
    let files = modules.loader.reader.files;
    let reads = || evaluated.files().into_iter().any(|file| files.get(file).text.contains(NAME));
    if failures.is_empty() || !reads() {
        return;
    }
    let mut elsewhere = root::evaluate(dir, Given { workspace: None, ..given }, modules, Wanted::Values);
    let mut of_settings = Vec::new();
    let workspace = Workspace { name: None, is_assumed: true };
    elsewhere.settings(stack, workspace, (Wanted::Values, false), &mut of_settings);
    let of_any = elsewhere.take_failures(of_settings);
    if of_any.iter().any(|failure| failure.hides) {
        return;
    }
    let is_there = |rule, place: Option<Place>| of_any.iter().any(|other| other.rule == rule && other.place == place);
    for failure in failures.iter_mut().filter(|failure| failure.rule != &INCOMPLETE_ANALYSIS) {
        let Some(place) = failure.place.filter(|_| !is_there(failure.rule, failure.place)) else { continue };
        let message = format!("in the workspace `{DEFAULT_WORKSPACE}`, which may not be used: {}", failure.message);
        *failure = Failure::new(&INCOMPLETE_ANALYSIS, message, place).lint(Some(HELP.to_owned()));
    }
}
