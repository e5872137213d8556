//! The API for benchmarks and integration tests: the stages one by one, and the catalogues. Types are opaque, so that
//! the compiler finds unused code.

use crate::dialects::{self, Dialects, Scope};
use crate::diff;
use crate::files::Files;
pub use crate::limits::Limit;
use crate::report::{Format, RenderOptions, Report};
use crate::resolution::Resolution;
use crate::review::{self, Filter, NoHost, Overrides, Request, Workspace};
use crate::settings::Settings;
use crate::source::Memory;
use crate::template::{self, FunctionSet, MissingKey};
use crate::value::{Map, Value};
use crate::{diagnostic, rules, yaml};
use std::collections::BTreeMap;

/// The ids of all rules, sorted.
pub fn rule_ids() -> Vec<&'static str> {
    rules::RULES.iter().map(|rule| rule.id()).collect()
}

/// The ids of rules whose findings come from the run itself, not from files.
pub fn unregistered_rule_ids() -> Vec<&'static str> {
    diagnostic::UNREGISTERED.iter().map(|rule| rule.id()).collect()
}

/// Whether a rule exists and is off unless the settings enable it.
pub fn is_off_by_default(rule: &str) -> bool {
    rules::find(rule).is_some_and(|rule| rule.default_level().is_none())
}

/// Reads a YAML document; whether it is one.
pub fn parse_yaml(bytes: &[u8]) -> bool {
    yaml::parse(bytes).is_ok()
}

/// A parsed Go template.
#[derive(Debug)]
pub struct Template(template::Template);

impl Template {
    /// Parses a template; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Template> {
        let functions = Template::functions();
        let options = template::TemplateOptions { left: "{{", right: "}}", functions: &functions };
        template::parse(text, &options).ok().map(Template)
    }

    /// Renders the template with `vars`; whether that succeeds.
    pub fn render(&self, vars: &[(&str, &str)]) -> bool {
        let vars = Map::from_iter(vars.iter().map(|(k, v)| ((*k).into(), Value::str(*v))));
        let data = Value::map(Map::from_iter([("vars".into(), Value::map(vars))]));
        self.0.execute(&data, MissingKey::Error, &Template::functions()).is_ok()
    }

    fn functions() -> FunctionSet {
        FunctionSet { sprig: true, gomplate: true, host: None }
    }
}

/// A repository in memory.
#[derive(Debug)]
pub struct Repository(Memory);

/// A resolved state of a repository.
pub struct Resolved(review::Resolved);

/// The review of a change.
pub struct Review(review::Review);

impl Repository {
    /// A repository with these files.
    pub fn new(files: BTreeMap<String, Vec<u8>>) -> Self {
        Repository(Memory::new("memory", files))
    }

    /// Resolves the state with empty caches.
    ///
    /// # Panics
    /// There is no project, or it has findings.
    pub fn resolve(&self) -> Resolved {
        self.resolve_with(Files::default())
    }

    fn resolve_with(&self, files: Files) -> Resolved {
        let project = dialects::Project::default();
        let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
        let resolved = review::resolve(&self.0, &workspace, &Settings::default(), files, Scope::All)
            .unwrap_or_else(|_| panic!("there is a project"));
        let resolution = &resolved.resolution;
        assert!(!resolution.units.is_empty() && resolution.findings.is_empty(), "{:?}", resolution.findings);
        Resolved(resolved)
    }
}

/// Two resolved states of a repository.
pub struct ResolvedPair {
    base: Resolution,
    head: review::Resolved,
    /// The caches of the base.
    _dialects: Dialects,
}

impl ResolvedPair {
    /// Resolves two states one after the other.
    ///
    /// # Panics
    /// There is no project, or it has findings.
    pub fn of(base: &Repository, head: &Repository) -> Self {
        let review::Resolved { files, resolution, dialects } = base.resolve().0;
        ResolvedPair { base: resolution, head: head.resolve_with(files).0, _dialects: dialects }
    }

    /// Compares the states; returns the number of components that differ.
    pub fn compare(&self) -> usize {
        let options = diff::DiffOptions::default();
        diff::diff(&self.base, &self.head.resolution, &self.head.files, &options).components.len()
    }
}

impl Review {
    /// Reviews the change from one state to another.
    ///
    /// # Panics
    /// A side has no project.
    pub fn of(base: &Repository, head: &Repository) -> Self {
        let (project, overrides) = (dialects::Project::default(), Overrides::default());
        let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
        let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
        Review(
            review::compare(&base.0, &head.0, &workspace, &request)
                .unwrap_or_else(|_| panic!("both sides hold the project")),
        )
    }

    /// The number of components that differ.
    pub fn changed_components(&self) -> usize {
        self.0.comparison.as_ref().map_or(0, |comparison| comparison.diff.components.len())
    }

    /// A report in the format of a name.
    ///
    /// # Panics
    /// There is no such format.
    pub fn report(&self, format: &str) -> Vec<u8> {
        let format = Format::ALL.into_iter().find(|known| known.name() == format).expect("a format");
        let mut out = Vec::new();
        let report = Report::of(&self.0, None);
        format.write(&mut out, &report, &RenderOptions::default()).expect("memory takes it");
        out
    }
}
