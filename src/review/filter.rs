//! Which components are asked for.

use super::Error;
use crate::resolution::Address;
use crate::source::glob::Glob;

/// Patterns that names of stacks and of components must match; without patterns, all do.
#[derive(Debug, Default)]
pub struct Filter {
    stack: Option<Glob>,
    component: Option<Glob>,
}

impl Filter {
    /// Reads the patterns.
    ///
    /// # Errors
    /// One of them is no pattern.
    pub fn new(stack: Option<&str>, component: Option<&str>) -> Result<Self, Error> {
        let glob = |pattern: Option<&str>| -> Result<Option<Glob>, Error> {
            pattern.map(|p| Glob::new(p).map_err(|e| Error::Message(format!("`{p}` is no pattern: {e}")))).transpose()
        };
        Ok(Filter { stack: glob(stack)?, component: glob(component)? })
    }

    /// Whether a component is asked for.
    pub fn matches(&self, address: &Address) -> bool {
        self.stack.as_ref().is_none_or(|g| g.matches(&address.0))
            && self.component.as_ref().is_none_or(|g| g.matches(&address.2))
    }
}
