//! What is wrong in one state.

use super::judge::{Judged, judge};
use super::resolve::Resolved;
use super::{Error, Request, Review, Revision, Workspace, phase, resolve};
use crate::diagnostic::Side;
use crate::files::Files;
use crate::resolution::Resolution;
use crate::rules;
use crate::settings::Load;
use crate::source::Source;
use crate::terraform::Modules;

/// Analyzes one state.
///
/// # Errors
/// There is no project in it, or it cannot be judged.
pub fn check(source: &dyn Source, workspace: &Workspace<'_>, request: &Request<'_>) -> Result<Review, Error> {
    let files = Files::default();
    let load = request.overrides.load(source, workspace, &files)?;
    let Resolved { files, mut resolution, dialects } = resolve(source, workspace, &load.settings, files)?;
    let side = phase(workspace.host, "rules", || side(&mut resolution, &load, source, &files, workspace));
    let has_defect = side.diagnostics.iter().any(|d| d.is_defect());
    let Judged { findings, suppressed } =
        phase(workspace.host, "judge", || judge(&files, source, &load.settings, request.overrides, side, None))?;
    Ok(Review {
        files,
        head: Revision::of(source),
        comparison: None,
        findings,
        suppressed,
        rules: load.settings.enabled(),
        settings: load.settings,
        unreadable: source.unreadable().to_vec(),
        has_defect,
        resolved: (dialects, vec![resolution]),
    })
}

/// What is wrong in a state that was resolved as a whole: what resolving it found, what the rules find, and what is wrong
/// with the settings.
fn side(
    resolution: &mut Resolution,
    load: &Load,
    source: &dyn Source,
    files: &Files,
    workspace: &Workspace<'_>,
) -> Side {
    let code = workspace.host.code();
    let modules = Modules::new(source, files, &code);
    let withheld = rules::Withheld::default();
    let context = rules::Context::new(files, resolution, &|_| true, &load.settings.limits, &withheld);
    let found = rules::check_state(&context, &modules, &load.settings.enabled());
    resolution.findings.extend(found);
    let mut side = Side { files: resolution.files(), diagnostics: std::mem::take(&mut resolution.findings) };
    add_settings(&mut side, load);
    side
}

/// Adds what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}
