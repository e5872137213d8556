//! Which projects are analyzed, and what they resolve to.

use super::{Error, Workspace, phase};
use crate::diagnostic::rules::INVALID_CONFIG;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::{Dialects, Project, Scope};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::settings::Settings;
use crate::source::{Source, Without};
use std::sync::Arc;

/// One state, resolved.
pub struct Resolved {
    /// Its files.
    pub files: Files,
    /// What it resolves to.
    pub resolution: Resolution,
    /// The systems of its projects, with what they keep.
    pub dialects: Dialects,
}

/// Resolves one state.
///
/// # Errors
/// There is no project in it.
pub fn resolve(
    source: &dyn Source,
    workspace: &Workspace<'_>,
    settings: &Settings,
    files: Files,
) -> Result<Resolved, Error> {
    workspace.host.limits(&settings.work);
    let dialects = workspace.dialects(settings);
    let found = dialects.detect(&[source], &workspace.project(settings));
    if found.is_empty() {
        return Err(workspace.no_project(source));
    }
    let mut resolution = phase(workspace.host, "resolve", || found.resolve(source, &files, Scope::All));
    report_empty(&mut resolution);
    Ok(Resolved { files, resolution, dialects })
}

impl Resolved {
    /// The same state without one of its files. What that cannot touch is named only.
    pub fn without(
        &self,
        path: &str,
        source: &dyn Source,
        workspace: &Workspace<'_>,
        settings: &Settings,
    ) -> Resolution {
        let without = Without::new(source, path);
        let found = self.dialects.detect(&[source], &workspace.project(settings));
        let changes = [without.change(path)];
        phase(workspace.host, "resolve", || found.resolve(&without, &self.files, Scope::Touched(&changes)))
    }
}

impl Workspace<'_> {
    /// The systems whose projects are analyzed, with nothing parsed yet. What they parse belongs to one table of files.
    pub fn dialects(&self, settings: &Settings) -> Dialects {
        Dialects::new(self.dialect, settings.work)
    }

    /// Where projects are searched, with what the settings say of them.
    pub(super) fn project(&self, settings: &Settings) -> Project {
        Project { variables: settings.variables.value.clone(), ..self.project.clone() }
    }

    /// What to say where no project is found.
    pub fn no_project(&self, source: &dyn Source) -> Error {
        let start = if self.project.start.is_empty() { "its root" } else { &self.project.start };
        Error::NoProject(format!(
            "{} holds no project that stacklint knows by {} (started in {start}; -C DIR starts elsewhere, --config PATH \
             names the configuration)",
            source.name(),
            self.dialects(&Settings::default()).known_by()
        ))
    }
}

/// Reports a project in which there is nothing to analyze.
pub(super) fn report_empty(resolution: &mut Resolution) {
    let is_empty = |unit: &Arc<Unit>| {
        unit.state == State::Resolved && !unit.is_incomplete() && unit.components.is_empty() && unit.unlisted.is_empty()
    };
    let is_known = resolution.gap.is_some() || resolution.findings.iter().any(|f| f.is_breaking);
    if let Some(file) = resolution.config.first()
        && !is_known
        && resolution.units.iter().all(is_empty)
    {
        let message = "this project has no stack with a component, so there is nothing to analyze";
        let finding = Diagnostic::new(&INVALID_CONFIG, message, Label::new(*file, 0, 0, ""));
        resolution.findings.push(finding.breaking());
    }
}
