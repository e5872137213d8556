//! The settings of a review, the overrides from the command line, and the resulting verdict.

mod accept;
mod sides;
pub(super) mod trust;

pub(super) use accept::accept;
pub(super) use sides::JudgeInputs;
pub(crate) use trust::SettingsFrom;

use super::{Error, Expectation, Workspace};
use crate::diagnostic::{Baseline, Level, Policy, Rule, Side, TrustedFile, Verdict};
use crate::environments::Environment;
use crate::files::Files;
use crate::limits::Limit;
use crate::resolution::{Resolution, State};
use crate::rules::Group;
use crate::settings::{Acceptance, FailOn, From, Load, Setting, Settings, Sourced};
use crate::source::glob::Glob;
use crate::source::{Renames, Source};
use crate::text::{FastMap, Text};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Overrides of settings from the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// From which level on findings fail the run.
    pub fail_on: Option<FailOn>,
    /// The dangers that are accepted.
    pub accepted: Vec<Acceptance>,
    /// Findings below it are not reported.
    pub min_level: Option<Level>,
    /// Whether what could not be analyzed fails the run.
    pub strict: bool,
    /// Groups that are off by default, and are on.
    pub groups: Vec<Group>,
    /// Names of environment variables that are set where the projects are deployed, besides those of the settings.
    pub variables: Option<BTreeSet<String>>,
    /// The findings that are known.
    pub baseline: BaselineFile,
    /// What the change is expected to do, if that decides how the run ends.
    pub expect: Option<Expectation>,
    /// Whether findings never fail the run.
    pub exit_zero: bool,
    /// From which side of a comparison settings, baselines and comments are taken.
    pub settings_from: SettingsFrom,
    /// Whether settings may raise limits above their defaults.
    pub raise_limits: bool,
    /// The time limit of the run in seconds, unless settings have one.
    pub seconds: Option<u64>,
}

/// Where known findings are listed.
#[derive(Clone, Debug, Default)]
pub(crate) enum BaselineFile {
    /// In the file that the settings name, if any.
    #[default]
    OfSettings,
    /// Nowhere: all findings are reported.
    Nowhere,
    /// From a file: its name and text, and its path if it is in the repository, where a change may edit it.
    Given(String, String, Option<String>),
}

/// The reported findings, and the suppressed ones.
pub(super) type Judged = Verdict;

impl Overrides {
    /// The settings of a state, with these on top.
    ///
    /// # Errors
    /// The settings file cannot be used.
    pub(crate) fn load(&self, source: &dyn Source, workspace: &Workspace<'_>, files: &Files) -> Result<Load, Error> {
        let mut load = Load::find(source, &workspace.project.start, files).map_err(Error::Message)?;
        self.apply(&mut load.settings);
        Ok(load)
    }

    /// Settings with these on top.
    pub(super) fn over(&self, mut settings: Settings) -> Settings {
        self.apply(&mut settings);
        settings
    }

    fn apply(&self, settings: &mut Settings) {
        if let Some(seconds) = self.seconds.filter(|_| !settings.work_from.contains_key(&Limit::Time)) {
            settings.work = settings.work.with(Limit::Time, seconds);
        }
        if !self.raise_limits {
            settings.work = settings.work.lowered();
        }
        settings.fail_on = settings.fail_on.clone().or_typed(self.fail_on);
        settings.min_level = settings.min_level.clone().or_typed(self.min_level);
        settings.strict = settings.strict.clone().or_typed(self.strict.then_some(true));
        for group in &self.groups {
            settings.groups.insert(*group, Sourced { value: Setting::Warning, from: From::CommandLine });
        }
        if let Some(more) = &self.variables {
            let mut names = settings.variables.value.take().unwrap_or_default();
            names.extend(more.iter().cloned());
            settings.variables = Sourced { value: Some(names), from: From::CommandLine };
        }
    }

    /// The known findings of a state; `other` is the other side of a comparison.
    fn baseline(
        &self,
        source: &dyn Source,
        other: Option<&dyn Source>,
        settings: &Settings,
    ) -> Result<Option<Baseline>, Error> {
        let (name, text) = match (&self.baseline, &settings.baseline.value) {
            (BaselineFile::Nowhere, _) | (BaselineFile::OfSettings, None) => return Ok(None),
            (BaselineFile::Given(name, text, None), _) => (name.clone(), text.clone()),
            (BaselineFile::Given(name, text, Some(path)), _) => match source.listing().resolve(path) {
                Ok(entry) => (name.clone(), String::from_utf8_lossy(&source.read(entry)?).into_owned()),
                // Another file of the job, unless only the other side has it.
                Err(_) if other.is_none_or(|other| other.listing().resolve(path).is_err()) => {
                    (name.clone(), text.clone())
                }
                Err(_) => return Ok(None),
            },
            (BaselineFile::OfSettings, Some(path)) => {
                let Ok(entry) = source.listing().resolve(path) else {
                    let name = source.name();
                    return Err(Error::Message(format!("the baseline {path} that the settings name is not in {name}")));
                };
                (path.clone(), String::from_utf8_lossy(&source.read(entry)?).into_owned())
            }
        };
        Baseline::parse(&text).map(Some).map_err(|e| Error::Message(format!("{name}: {e}")))
    }
}

/// By what a state is judged.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) files: &'a Files,
    pub(super) settings: &'a Settings,
    /// Overrides of the settings.
    pub(super) overrides: &'a Overrides,
    /// The state that the settings are of, and the other side of a comparison.
    pub(super) source: &'a dyn Source,
    pub(super) other: Option<&'a dyn Source>,
    /// The state of a file whose comments count; `None` if those of the head do.
    pub(super) trusted: Option<TrustedFile<'a>>,
    /// The files that moved; `None` if one state is judged.
    pub(super) renames: Option<&'a Renames<'a>>,
}

/// Decides what is reported of what was found.
///
/// # Errors
/// The baseline cannot be read.
pub(super) fn judge(by: &Judge<'_>, new: Side, old: Option<Side>) -> Result<Judged, Error> {
    let Judge { files, settings, overrides, .. } = *by;
    let baseline = overrides.baseline(by.source, by.other, settings)?;
    let compared = old.is_some();
    // There may be as many findings in a file as there are overrides that are compared with its path.
    let levels: RefCell<FastMap<(String, String), Option<Level>>> = RefCell::default();
    let level = |rule: &Rule, path: &str| {
        if settings.overrides.is_empty() {
            return settings.level(rule, path);
        }
        let mut levels = levels.borrow_mut();
        *levels.entry((rule.id().to_owned(), path.to_owned())).or_insert_with(|| settings.level(rule, path))
    };
    let moved_from = |path: &str| by.renames.and_then(|renames| renames.before(path)).map(Text::from);
    let policy = Policy {
        moved_from: &moved_from,
        files,
        level: &level,
        rules: &settings.all_rules(),
        examined: &|rule| compared || rule.group != Group::Change && !settings.policies.is_about_changes(rule),
        min_level: settings.min_level.value,
        require_reasons: settings.require_reasons.value,
        baseline: baseline.as_ref(),
        trusted: by.trusted,
    };
    Ok(policy.judge(new, old))
}

/// Patterns of the settings that match nothing, of what was resolved as a whole.
pub(super) fn idle_patterns(settings: &Settings, source: &dyn Source, resolutions: &[&Resolution]) -> Vec<String> {
    let units = || resolutions.iter().flat_map(|r| &r.units);
    let mut idle = Vec::new();
    if units().all(|unit| unit.state == State::Resolved) {
        let matches = |glob: &Glob| units().flat_map(|unit| &unit.components).any(|c| glob.matches(&c.stack));
        let protected = settings.limits.protected.iter().filter(|glob| !matches(glob));
        idle.extend(
            protected.map(|glob| format!("no stack matches `{}` of `protected` in the settings", glob.as_str())),
        );
        let is_missing = |name: &&String| resolutions.iter().all(|one| Environment::of(name, one).members.is_empty());
        let environments = settings.limits.environments.alike.iter().flatten().filter(is_missing);
        idle.extend(environments.map(|name| format!("nothing matches `{name}` of `environments` in the settings")));
    }
    for (pattern, glob) in settings.overrides.iter().flat_map(|o| &o.paths) {
        if !source.listing().iter().any(|entry| glob.matches(&entry.path)) {
            idle.push(format!("no file matches `{pattern}` of `overrides` in the settings"));
        }
    }
    idle
}
