//! `stacklint.toml`: which rules are on, how severe they are, and where. Read from the revision that is examined, so that
//! the settings of a change are reviewed with it. `schemas/stacklint.json` describes the file.

mod accept;
mod file;
#[cfg(test)]
pub(crate) mod schema;

pub(crate) use accept::Acceptance;
pub(crate) use file::{FILE_NAME, Load};

use crate::diagnostic::Level;
use crate::diagnostic::RuleRef;
use crate::dialects::RootSettings;
use crate::limits::{self, Limit};
use crate::policies::Policies;
use crate::rules::{self, Group, Rule, Thresholds};
use crate::source::Inputs;
use crate::source::glob::Glob;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A level as it is set: `off`, or the level of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Setting {
    /// Not reported.
    Off,
    /// Reported as a note.
    Note,
    /// Reported as a warning.
    Warning,
    /// Reported as an error.
    Error,
    /// Reported as a danger.
    Danger,
}

impl Setting {
    /// The name that users type.
    pub(crate) fn name(self) -> &'static str {
        self.level().map_or("off", Level::name)
    }

    fn level(self) -> Option<Level> {
        match self {
            Setting::Off => None,
            Setting::Note => Some(Level::Note),
            Setting::Warning => Some(Level::Warning),
            Setting::Error => Some(Level::Error),
            Setting::Danger => Some(Level::Danger),
        }
    }
}

/// Which findings fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailOn {
    /// Errors do, dangers do not.
    Error,
    /// Dangers and errors do.
    Danger,
    /// Dangers, errors and warnings do.
    Warning,
    /// All do.
    Note,
    /// No level does.
    Never,
}

impl FailOn {
    /// The name that users type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FailOn::Error => "error",
            FailOn::Danger => "danger",
            FailOn::Warning => "warning",
            FailOn::Note => "note",
            FailOn::Never => "never",
        }
    }

    /// Whether a finding of this level fails the run.
    pub(crate) fn fails(self, level: Level) -> bool {
        match self {
            FailOn::Error => level == Level::Error,
            FailOn::Danger => level >= Level::Error,
            FailOn::Warning => level >= Level::Warning,
            FailOn::Note => true,
            FailOn::Never => false,
        }
    }
}

/// Where a setting comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum From {
    /// The default.
    #[default]
    Default,
    /// A line (from 1) of the settings file.
    File(u32),
    /// An option of the command line.
    CommandLine,
}

/// Where the limits of rules come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimitOrigins {
    /// The most components that one line may change.
    pub components: From,
    /// The protected stacks.
    pub protected: From,
    /// The maximum number of files that one import may match.
    pub imports: From,
    /// The most times that one line may run a slow function.
    pub slow_calls: From,
}

/// A setting and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    /// The setting.
    pub value: T,
    /// Where it is set.
    pub from: From,
}

impl<T> Sourced<T> {
    fn default(value: T) -> Self {
        Sourced { value, from: From::Default }
    }

    /// The same setting, unless the command line overrides it.
    #[must_use]
    pub(crate) fn or_typed(self, typed: Option<T>) -> Self {
        match typed {
            Some(value) => Sourced { value, from: From::CommandLine },
            None => self,
        }
    }
}

/// Levels for the files below some paths.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// The patterns, as written and as matched, from the root of the repository.
    pub paths: Vec<(String, Glob)>,
    /// The levels of rules there.
    pub rules: BTreeMap<String, Sourced<Setting>>,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// From which level on findings fail the run.
    pub fail_on: Sourced<FailOn>,
    /// The dangers that are accepted.
    pub accept: Vec<Acceptance>,
    /// Findings below it are not reported.
    pub min_level: Sourced<Level>,
    /// Whether what could not be analysed fails the run.
    pub strict: Sourced<bool>,
    /// Whether a comment that suppresses findings must give a reason.
    pub require_reasons: Sourced<bool>,
    /// The projects that are analyzed: patterns of folders from the root of the repository, and the line of the first one.
    pub projects: Sourced<Vec<Glob>>,
    /// The baseline file, from the root of the repository.
    pub baseline: Sourced<Option<String>>,
    /// Thresholds of rules.
    pub limits: Thresholds,
    /// Where the limits come from.
    pub limits_from: LimitOrigins,
    /// Limits of work and sizes.
    pub work: limits::Limits,
    /// Where limits of work are set that are not the defaults.
    pub work_from: BTreeMap<Limit, From>,
    /// The names of the environment variables that are set where the projects are deployed, if they are configured.
    pub variables: Sourced<Option<BTreeSet<String>>>,
    /// The settings of root modules.
    pub roots: RootSettings,
    /// Files that are never committed.
    pub inputs: Inputs,
    /// The levels of groups.
    pub groups: BTreeMap<Group, Sourced<Setting>>,
    /// The levels of rules, by id.
    pub rules: BTreeMap<String, Sourced<Setting>>,
    /// Levels for some paths; the last one that matches counts.
    pub overrides: Vec<Override>,
    /// The policies of the repository.
    pub policies: Arc<Policies>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fail_on: Sourced::default(FailOn::Danger),
            accept: Vec::new(),
            min_level: Sourced::default(Level::Note),
            strict: Sourced::default(false),
            require_reasons: Sourced::default(false),
            projects: Sourced::default(Vec::new()),
            baseline: Sourced::default(None),
            limits: Thresholds::default(),
            limits_from: LimitOrigins::default(),
            work: limits::Limits::default(),
            work_from: BTreeMap::new(),
            variables: Sourced::default(None),
            roots: RootSettings::default(),
            inputs: Inputs::default(),
            groups: BTreeMap::new(),
            rules: BTreeMap::new(),
            overrides: Vec::new(),
            policies: Arc::default(),
        }
    }
}

impl Settings {
    /// Returns the level of a rule in the file at a path (relative to the root of the repository); `None` if it is off.
    pub(crate) fn level(&self, rule: &Rule, path: &str) -> Option<Level> {
        // A policy that these settings do not have finds nothing under them.
        if rule.group == Group::Policy && self.policies.find(rule.id()).is_none() {
            return None;
        }
        let there = self.overrides.iter().rev().filter(|o| o.paths.iter().any(|(_, glob)| glob.matches(path)));
        match there.filter_map(|o| o.rules.get(rule.id())).next() {
            Some(setting) => setting.value.level(),
            None => self.rule_level(rule).value.level(),
        }
    }

    /// Returns the level of a rule without overrides.
    pub(crate) fn rule_level(&self, rule: &Rule) -> Sourced<Setting> {
        if let Some(setting) = self.rules.get(rule.id()) {
            return setting.clone();
        }
        let own = rule.level.map(setting);
        match self.groups.get(&rule.group) {
            // A rule milder than its group stays so, unless the group is off.
            Some(group) if group.value == Setting::Off || own.is_none() => group.clone(),
            Some(_) | None => Sourced::default(own.unwrap_or_else(|| rule.group.level().map_or(Setting::Off, setting))),
        }
    }

    /// Returns the level of a group, for rules without a level of their own.
    pub(crate) fn group_level(&self, group: Group) -> Sourced<Setting> {
        let default = || Sourced::default(group.level().map_or(Setting::Off, setting));
        self.groups.get(&group).cloned().unwrap_or_else(default)
    }

    /// The rules that are on somewhere, sorted by id, with the level of their findings.
    pub(crate) fn enabled(&self) -> Vec<(RuleRef, Level)> {
        let level = |rule: &Rule| {
            let above = self.overrides.iter().filter_map(|o| o.rules.get(rule.id())?.value.level());
            self.rule_level(rule).value.level().into_iter().chain(above).max()
        };
        self.all_rules().into_iter().filter_map(|rule| level(&rule).map(|level| (rule, level))).collect()
    }

    /// All rules, those of policies among them, sorted by id.
    pub(crate) fn all_rules(&self) -> Vec<RuleRef> {
        let mut all: Vec<RuleRef> = rules::RULES.iter().map(|rule| RuleRef::from(*rule)).collect();
        all.extend(self.policies.rules().cloned());
        all.sort();
        all
    }
}

fn setting(level: Level) -> Setting {
    match level {
        Level::Note => Setting::Note,
        Level::Warning => Setting::Warning,
        Level::Error => Setting::Error,
        Level::Danger => Setting::Danger,
    }
}
