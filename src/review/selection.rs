//! The part of one or two states that a report is limited to.

use super::Filter;
use crate::diagnostic::Finding;
use crate::files::Files;
use crate::query::reach::reached;
use crate::resolution::{Address, Resolution};
use crate::source::Source;
use crate::terraform::{Cache, Modules};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;

/// The selected components.
pub(super) struct Selection<'a> {
    filter: &'a Filter,
    /// Those that the selected files affect, if files are selected.
    reached: Option<BTreeSet<Address>>,
}

impl<'a> Selection<'a> {
    /// Applies a filter to some states of a project.
    pub(super) fn new(
        filter: &'a Filter,
        states: &[(&Resolution, &dyn Source)],
        files: &Files,
        cache: &Cache,
    ) -> Selection<'a> {
        let reached = filter.paths().map(|paths| {
            let of_state = |(resolution, source): &(&Resolution, &dyn Source)| {
                let (modules, folders) = (Modules::new(*source, files, cache), paths.code_folders(*source));
                reached(resolution, &modules, files, &|path| paths.matches(path), folders)
            };
            states.iter().flat_map(of_state).collect()
        });
        Selection { filter, reached }
    }

    /// Whether not all components are selected.
    pub(super) fn narrows(&self) -> bool {
        self.filter.is_set() || self.reached.is_some()
    }

    /// Whether a component is selected.
    pub(super) fn matches(&self, address: &Address) -> bool {
        self.filter.matches(address) && self.reached.as_ref().is_none_or(|reached| reached.contains(address))
    }

    /// Whether a file is selected; all are if none is named.
    pub(super) fn matches_file(&self, path: &str) -> bool {
        self.filter.paths().is_none_or(|paths| paths.matches(path))
    }
}

/// The selected components and files, to filter findings.
pub(super) struct FindingScope<'a> {
    filter: &'a Filter,
    stacks: BTreeSet<Text>,
    /// Stack and name.
    components: BTreeSet<(Text, Text)>,
    /// The files that units with such a component read.
    files: BTreeSet<FileId>,
    /// The files that some unit reads.
    known: BTreeSet<FileId>,
}

impl<'a> FindingScope<'a> {
    /// Nothing yet.
    pub(super) fn new(filter: &'a Filter) -> Self {
        let (stacks, components) = (BTreeSet::new(), BTreeSet::new());
        FindingScope { filter, stacks, components, files: BTreeSet::new(), known: BTreeSet::new() }
    }

    /// Adds the selected part of a state.
    pub(super) fn add(&mut self, selection: &Selection<'_>, resolution: &Resolution) {
        if !self.filter.is_set() {
            return;
        }
        let config: BTreeSet<FileId> = resolution.config.iter().copied().collect();
        for unit in &resolution.units {
            let mut has_selected = false;
            for component in unit.components.iter().filter(|c| selection.matches(&c.address())) {
                has_selected = true;
                self.stacks.insert(Text::clone(&component.stack));
                self.components.insert((Text::clone(&component.stack), Text::clone(&component.name)));
            }
            let read = || unit.files.iter().copied().chain([unit.file]).filter(|file| !config.contains(file));
            self.known.extend(read());
            if has_selected {
                self.files.extend(read());
            }
        }
    }

    /// Keeps the findings that may be about the selected part. One that prevents something from being resolved stays,
    /// because what it hides is unknown.
    pub(super) fn retain(&self, findings: &mut Vec<Finding>, files: &Files) {
        if self.filter.is_set() {
            findings.retain(|finding| self.concerns(finding, files));
        }
    }

    fn concerns(&self, finding: &Finding, files: &Files) -> bool {
        let found = &finding.diagnostic;
        if found.is_breaking || found.is_defect() {
            return true;
        }
        let path = |file: FileId| Text::clone(&files.get(file).path);
        let places = || [&found.primary].into_iter().chain(&found.related);
        if let Some(paths) = self.filter.paths()
            && places().any(|label| paths.matches(&path(label.file)))
        {
            return true;
        }
        let subjects = || found.subjects.iter().map(|s| (Text::clone(&s.stack), Text::clone(&s.component)));
        if found.subjects.is_empty() && found.stacks.is_empty() {
            let file = found.primary.file;
            return !self.known.contains(&file) || self.files.contains(&file);
        }
        subjects().any(|subject| self.components.contains(&subject))
            || found.subjects.is_empty() && found.stacks.iter().any(|stack| self.stacks.contains(stack))
    }
}
