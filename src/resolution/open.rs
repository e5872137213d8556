//! Parts of units of which it is not known what components they have.

use super::{Address, Component, Resolution, Unit};
use crate::text::Text;
use crate::value::Origin;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a unit may have without listing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub stack: Text,
    pub part: OpenPart,
}

/// A part of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenPart {
    /// All of it: the code is elsewhere, or not known.
    Whole {
        /// What says which code it is.
        origin: Origin,
    },
    /// What a module makes that is elsewhere, or not known.
    Module {
        /// What the names of its declarations begin with, without keys.
        name: Text,
        /// The type of the components of its calls, and what their names begin with.
        calls: (Text, Text),
        /// What says which module it is.
        origin: Origin,
    },
    /// A component that is there, and only not listed.
    Component { kind: Text, name: Text },
    /// What is defined in files that this clone lacks. Another state that lacks them, too, has the same there.
    Lacking {
        /// What says where these files are.
        origin: Origin,
    },
}

impl Open {
    /// What it is called in a report, and what says what it is; `None` if its code is known.
    pub(crate) fn unknown(&self) -> Option<(&Text, Origin)> {
        match &self.part {
            OpenPart::Whole { origin } | OpenPart::Lacking { origin } => Some((&self.stack, *origin)),
            OpenPart::Module { name, origin, .. } => Some((name, *origin)),
            OpenPart::Component { .. } => None,
        }
    }
}

/// The open parts of a unit, to be found by their names.
#[derive(Debug, Default)]
pub(crate) struct OpenParts<'a> {
    /// By stack, type if it counts, and what names begin with; nothing for a whole stack.
    below: HashMap<(&'a str, &'a str, &'a str), &'a Open>,
    /// Components by stack, type and name.
    components: HashMap<(&'a str, &'a str, &'a str), &'a Open>,
}

impl<'a> OpenParts<'a> {
    /// The parts of a unit whose components the same unit of another state, if it has it, need not have.
    pub(crate) fn of(unit: &'a Unit, other: Option<&Unit>) -> Self {
        let mut parts = OpenParts::default();
        let lacks = |open: &Open| matches!(open.part, OpenPart::Lacking { .. });
        let is_alike = other.is_some_and(|other| other.open.iter().any(lacks));
        for open in unit.open.iter().filter(|open| !(is_alike && lacks(open))) {
            match &open.part {
                OpenPart::Whole { .. } | OpenPart::Lacking { .. } => {
                    _ = parts.below.insert((&open.stack, "", ""), open)
                }
                OpenPart::Module { name, calls: (kind, call), .. } => {
                    parts.below.insert((&open.stack, "", name), open);
                    parts.below.insert((&open.stack, kind, call), open);
                }
                OpenPart::Component { kind, name } => _ = parts.components.insert((&open.stack, kind, name), open),
            }
        }
        parts
    }

    /// The part that a component would be in.
    pub(crate) fn find(&self, component: &Component) -> Option<&'a Open> {
        let Component { stack, kind, name, metadata, .. } = component;
        if let Some(open) = self.components.get(&(&**stack, &**kind, &**name)) {
            return Some(open);
        }
        // How a state is encrypted says the root module, or what is put into its folder, which is known.
        if !metadata.encryption.is_empty() {
            return None;
        }
        let declared = metadata.instance_of.as_ref().map_or(name, |instance| &instance.name);
        let ends = declared.match_indices(['.', '[']).map(|(end, _)| end);
        let below = |end: usize| {
            let start = &declared[..end];
            self.below.get(&(&**stack, "", start)).or_else(|| self.below.get(&(&**stack, &**kind, start)))
        };
        std::iter::once(0).chain(ends).find_map(below).copied()
    }
}

/// A component that a state of a project may have though it does not list it: the other state has it.
pub(crate) struct Doubtful<'a> {
    pub component: &'a Component,
    /// The part that may have it, and what says what that is.
    pub part: &'a Text,
    pub origin: Origin,
}

impl Resolution {
    /// The components of another state of the project that parts of this one may have, though it does not list them.
    pub(crate) fn doubtful<'a>(&'a self, other: &'a Resolution) -> Vec<Doubtful<'a>> {
        let own: Vec<&Arc<Unit>> = self.with_made().filter(|unit| !unit.open.is_empty()).collect();
        if own.is_empty() {
            return Vec::new();
        }
        let others: BTreeMap<&Text, &Arc<Unit>> = other.with_made().map(|unit| (&unit.name, unit)).collect();
        let of_unit = |unit: &'a Arc<Unit>| -> Vec<Doubtful<'a>> {
            let Some(there) = others.get(&unit.name) else { return Vec::new() };
            let listed: BTreeSet<Address> = unit.components.iter().map(|component| component.address()).collect();
            // What could not be resolved is not compared.
            let is_whole = |component: &&'a Arc<Component>| {
                [unit, *there].iter().all(|unit| !unit.failed.contains(&component.stack))
            };
            let missing = there.components.iter().filter(|component| !listed.contains(&component.address()));
            let missing = missing.filter(is_whole);
            let parts = OpenParts::of(unit, Some(there));
            let doubtful = |component: &'a Arc<Component>| {
                let (part, origin) = parts.find(component)?.unknown()?;
                Some(Doubtful { component, part, origin })
            };
            missing.filter_map(doubtful).collect()
        };
        own.into_iter().flat_map(of_unit).collect()
    }
}
