//! How a component differs from the one of another revision that it was made from.

use super::Component;
use std::sync::{Arc, Weak};

/// A component was made from one of another revision. Only places are others in it, and the values of some of its inputs: scalars
/// of the same type as before, neither calls nor templates, and none that names a stack or a workspace. All other values and all
/// metadata are the same.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    /// The other component. It is identified by its address, so no other one may take its place in memory.
    from: Weak<Component>,
    /// What differs in the value of the component.
    pub(super) differing: Differing,
}

/// The parts of a value that differ from those of another one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Differing {
    /// Nothing but places.
    #[default]
    Nothing,
    /// The value itself: a scalar, or items of a list.
    Value,
    /// Entries of a map by their numbers, in order. Both maps have the same keys.
    Entries(Arc<[(u32, Differing)]>),
}

impl Derived {
    /// A component that was made from `from`.
    pub(crate) fn new(from: &Arc<Component>, differing: Differing) -> Self {
        Derived { from: Arc::downgrade(from), differing }
    }

    /// Returns what differs from another component; `None` if it was made from a different one.
    pub(super) fn from(&self, other: &Component) -> Option<&Differing> {
        std::ptr::eq(self.from.as_ptr(), other).then_some(&self.differing)
    }
}

impl Differing {
    /// The differing entries of a map.
    pub(crate) fn of_entries(entries: Vec<(u32, Differing)>) -> Self {
        if entries.is_empty() { Differing::Nothing } else { Differing::Entries(entries.into()) }
    }

    /// Whether nothing differs but places.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Differing::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn component() -> Component {
        Component::new(("dev".into(), "terraform".into(), "vpc".into()), Value::default())
    }

    #[test]
    fn only_the_very_component_counts() {
        let (first, equal) = (Arc::new(component()), Arc::new(component()));
        let derived = Derived::new(&first, Differing::Value);
        assert!(derived.from(&first).is_some_and(|differing| !differing.is_nothing()));
        assert!(derived.from(&equal).is_none());
        // While it is referred to, nothing else is at its place in memory.
        let place = Arc::as_ptr(&first);
        drop(first);
        assert!((0..64).map(|_| Arc::new(component())).all(|other| Arc::as_ptr(&other) != place));
    }
}
