//! How little a dialect is: a project is an `environments.yaml`, whose keys are stacks with their components. Only the list of
//! dialects knows it, in tests.

use super::yaml_file::{YamlCache, YamlLoader};
use super::{Dialect, Presence, Project, Scope};
use crate::diagnostic::Diagnostics;
use crate::files::Files;
use crate::limits::Limits;
use crate::paths;
use crate::resolution::{Component, Resolution, State, Unit};
use crate::source::Source;
use crate::text::Text;
use std::sync::Arc;

const NAME: &str = "environments.yaml";

pub(crate) struct Environments(YamlCache);

impl Environments {
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Environments(YamlCache::new(limits))
    }
}

impl Dialect for Environments {
    fn name(&self) -> &'static str {
        "environments"
    }

    fn known_by(&self) -> &'static str {
        "an environments.yaml"
    }

    fn claims(&self, _: &dyn Source, config: &str) -> bool {
        paths::name(config) == NAME
    }

    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
        source.listing().resolve(&paths::join(&project.start, NAME)).ok()?;
        Some((Presence::Certain, project.start.clone()))
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, _: Scope<'_>) -> Resolution {
        let path = project.config.first().cloned().unwrap_or_else(|| paths::join(&project.start, NAME));
        let (loader, found) = (YamlLoader::new(source, files, &self.0), Diagnostics::default());
        let Some(loaded) = loader.load(&path).ok().flatten() else { return Resolution::default() };
        let mut unit = Unit::of_path(&path, Text::from(path.as_str()), loaded.file);
        match &loaded.value {
            Ok(environments) => {
                unit.state = State::Resolved;
                for stack in environments.as_map().iter().flat_map(|map| map.iter()) {
                    for entry in stack.value.as_map().iter().flat_map(|map| map.iter()) {
                        let address = (Text::clone(&stack.key), Text::from("service"), Text::clone(&entry.key));
                        unit.components.push(Arc::new(Component::new(address, entry.value.clone())));
                    }
                }
            }
            Err(mistakes) => found.extend(mistakes.iter().cloned()),
        }
        let (config, findings) = (vec![unit.file], found.into_findings());
        Resolution { units: vec![Arc::new(unit)], config, findings, ..Resolution::default() }
    }

    fn forget(&self, _: &dyn Source) {
        self.0.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::NAME;
    use crate::testing::{Repository, Review};

    fn review(base: &str, head: &str) -> Review {
        let [base, head] = [base, head].map(|text| Repository::new([(NAME.to_owned(), text.into())].into()));
        Review::of(&base, &head)
    }

    #[test]
    fn changes_have_their_lines_and_values() {
        let review = review(
            "dev: {web: {replicas: 1}}\nprod:\n  web:\n    replicas: 2\n",
            "dev: {web: {replicas: 1}}\nprod:\n  web:\n    replicas: 3\n",
        );
        assert_eq!(review.changed_components(), 1);
        let report = String::from_utf8(review.report("text")).unwrap();
        for expected in ["in web of prod", "replicas  2 → 3", "environments.yaml:4"] {
            assert!(report.contains(expected), "{expected} is missing in:\n{report}");
        }
    }

    #[test]
    fn mistakes_are_findings() {
        let report = review("dev: {web: {}}\n", "dev: {web: {}, web: {}}\n").report("text");
        let report = String::from_utf8(report).unwrap();
        assert!(report.contains("duplicate-key") && report.contains("environments.yaml:1"), "{report}");
    }
}
