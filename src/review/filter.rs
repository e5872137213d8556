//! Selects components.

use super::Error;
use super::paths::Paths;
use crate::resolution::{Address, Resolution};
use crate::source::Source;
use crate::source::glob::Glob;
use crate::text;
use std::collections::BTreeSet;

/// How many names are listed where none is near.
const MAX_NAMES: usize = 5;

/// Patterns for the names of stacks and components, and files that must affect them; without any, everything is
/// selected.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    stack: Option<Glob>,
    component: Option<Glob>,
    paths: Option<Paths>,
}

impl Filter {
    /// Reads the patterns.
    ///
    /// # Errors
    /// One of them is no pattern.
    pub(crate) fn new(stack: Option<&str>, component: Option<&str>) -> Result<Self, Error> {
        let glob = |pattern: Option<&str>| -> Result<Option<Glob>, Error> {
            pattern
                .map(|p| Glob::new(p).map_err(|e| Error::Message(format!("`{p}` is not a valid pattern: {e}"))))
                .transpose()
        };
        Ok(Filter { stack: glob(stack)?, component: glob(component)?, paths: None })
    }

    /// The same, limited to what some files reach: paths from the root of the repository, folders or patterns. No path
    /// narrows to nothing: then all files count.
    ///
    /// # Errors
    /// One of them is no pattern, or there are too many patterns.
    pub(crate) fn with_paths(self, paths: &[String]) -> Result<Self, Error> {
        let paths = if paths.is_empty() { None } else { Some(Paths::new(paths)?) };
        Ok(Filter { paths, ..self })
    }

    /// The files that components must be reached by, if any are named.
    pub(super) fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// Makes sure that each path names a file of one of some states.
    ///
    /// # Errors
    /// One does not; the message names the nearest path.
    pub(super) fn finds_files(&self, sources: &[&dyn Source]) -> Result<(), Error> {
        self.paths.as_ref().map_or(Ok(()), |paths| paths.find(sources))
    }

    /// Whether there is a pattern of stacks or components.
    fn has_names(&self) -> bool {
        self.stack.is_some() || self.component.is_some()
    }

    /// Whether only a part is selected.
    pub(super) fn is_set(&self) -> bool {
        self.has_names() || self.paths.is_some()
    }

    /// Describes the limits of the report; `None` if it is complete.
    pub(super) fn description(&self) -> Option<String> {
        let part = |noun: &str, glob: &Option<Glob>| glob.as_ref().map(|g| format!("{noun} `{}`", g.as_str()));
        let parts: Vec<String> =
            [part("stacks", &self.stack), part("components", &self.component)].into_iter().flatten().collect();
        let names = (!parts.is_empty()).then(|| parts.join(" and "));
        let reached = self.paths.as_ref().map(|paths| format!("what {}", paths.description()));
        let all: Vec<String> = [names, reached].into_iter().flatten().collect();
        self.is_set().then(|| format!("limited to {}: changes and findings of others are not shown", all.join(", ")))
    }

    /// Whether no component of some states is selected.
    pub(super) fn misses<'a>(&self, states: impl IntoIterator<Item = &'a Resolution>) -> bool {
        let mut components = states.into_iter().flat_map(|r| &r.units).flat_map(|unit| &unit.components);
        self.has_names() && !components.any(|c| self.matches(&c.address()))
    }

    /// Checks that a component of one of some states is selected.
    ///
    /// # Errors
    /// None is; the message names the nearest names.
    pub(crate) fn matched<'a>(&self, states: impl IntoIterator<Item = &'a Resolution> + Clone) -> Result<(), Error> {
        if !self.misses(states.clone()) {
            return Ok(());
        }
        let all = || states.clone().into_iter().flat_map(|r| &r.units).flat_map(|unit| &unit.components);
        let in_stack = || all().filter(|c| self.stack.as_ref().is_none_or(|g| g.matches(&c.stack)));
        let (what, near) = match (&self.stack, &self.component) {
            (Some(stack), _) if in_stack().next().is_none() => {
                let names: BTreeSet<&str> = all().map(|c| &*c.stack).collect();
                (format!("no stack matches `{}`", stack.as_str()), nearest(stack, names))
            }
            (stack, Some(component)) => {
                let names: BTreeSet<&str> = in_stack().map(|c| &*c.name).collect();
                let of = stack.as_ref().map_or_else(String::new, |s| format!(" of `{}`", s.as_str()));
                (format!("no component{of} matches `{}`", component.as_str()), nearest(component, names))
            }
            // No state has a component at all.
            _ => ("there is no stack".to_owned(), String::new()),
        };
        let unresolved = states.into_iter().flat_map(|r| &r.units).filter(|u| u.is_incomplete()).count();
        let unresolved = match unresolved {
            0 => String::new(),
            n => format!(" ({} could not be resolved)", text::count(n, "file")),
        };
        Err(Error::Message(format!("{what}{near}{unresolved}")))
    }

    /// Whether components of a stack may be selected.
    pub(crate) fn matches_stack(&self, stack: &str) -> bool {
        self.stack.as_ref().is_none_or(|g| g.matches(stack))
    }

    /// Whether a component is selected by its name. Whether the selected files affect it is known only to
    /// `selection::Selection`.
    pub(crate) fn matches(&self, address: &Address) -> bool {
        self.stack.as_ref().is_none_or(|g| g.matches(&address.0))
            && self.component.as_ref().is_none_or(|g| g.matches(&address.2))
    }
}

/// A suggestion of a similar name, or a few available names.
fn nearest(pattern: &Glob, names: BTreeSet<&str>) -> String {
    let pattern = pattern.as_str();
    if let Some(near) = text::nearest(pattern, names.iter().copied()) {
        return format!("; did you mean `{near}`?");
    }
    let list: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    if list.is_empty() { String::new() } else { format!("; there are {}{more}", list.join(", ")) }
}
