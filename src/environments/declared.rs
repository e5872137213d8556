//! What the settings say about environments: those that should be alike, and the differences between them that are meant.

use crate::source::glob::Glob;

/// What is declared of environments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The names of those that should be alike, left and right.
    pub alike: Vec<[String; 2]>,
    /// The differences that are meant.
    pub differences: Vec<DeclaredDifference>,
}

/// A difference between environments that is meant.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredDifference {
    /// The places in components: their keys with `/` between them.
    pub paths: Vec<Glob>,
    /// The names of the components; all of them without any.
    pub components: Vec<Glob>,
}

impl DeclaredDifference {
    /// Whether it is about the place of a JSON Pointer in a component of this name.
    fn covers(&self, pointer: &str, component: &str) -> bool {
        let path = pointer.trim_start_matches('/');
        let is_below = |glob: &Glob| {
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            ends.into_iter().any(|end| glob.matches(&path[..end]))
        };
        self.paths.iter().any(is_below)
            && (self.components.is_empty() || self.components.iter().any(|glob| glob.matches(component)))
    }
}

impl Declared {
    /// Whether a difference is meant, by the JSON Pointer of its place and the name of its component.
    pub(super) fn covers(&self, pointer: &str, component: &str) -> bool {
        self.differences.iter().any(|one| one.covers(pointer, component))
    }
}
