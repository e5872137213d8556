//! What code makes of a component: it has the values of its inputs, and is there because of it.

use super::{Member, is_same};
use crate::paths;
use crate::resolution::{Component, made_stack};
use crate::text::Text;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Where what the code of a component makes is, if that is a stack of its own or what a call leads to.
fn place_of(component: &Component) -> Text {
    made_stack(&component.address())
}

/// The places of components whose code may make one.
fn owners(component: &Component) -> impl Iterator<Item = Text> {
    let declared = component.metadata.instance_of.as_ref().filter(|declared| declared.levels.len() > 1);
    // The call, its name, and what it makes.
    let call = declared.and_then(|declared| declared.name.split('.').nth(1));
    let of_call = call.map(|call| Text::from(paths::join(&component.stack, call)));
    [Text::clone(&component.stack)].into_iter().chain(of_call)
}

/// What makes others: the places of some components.
pub(super) struct Makers(BTreeSet<Text>);

impl Makers {
    pub(super) fn of<'c>(components: impl IntoIterator<Item = &'c Component>) -> Self {
        Makers(components.into_iter().map(place_of).collect())
    }

    /// Whether the code of one of them makes a component.
    pub(super) fn make(&self, component: &Component) -> bool {
        owners(component).any(|owner| self.0.contains(&owner))
    }
}

/// Leaves out what the code of components makes that are alone themselves: it follows from them.
pub(super) fn leave_out(alone: &mut Vec<Member<'_>>) {
    let makers = Makers::of(alone.iter().map(|member| &**member.component));
    alone.retain(|member| !makers.make(member.component));
}

/// The differences of components, by which those of what their code makes are explained.
#[derive(Default)]
pub(super) struct Given(BTreeMap<Text, Vec<[Option<Value>; 2]>>);

impl Given {
    /// Adds a difference of a component.
    pub(super) fn add(&mut self, component: &Component, values: [Option<Value>; 2]) {
        self.0.entry(place_of(component)).or_default().push(values);
    }

    /// Whether a component is made by the code of one that has the same difference.
    pub(super) fn explain(&self, component: &Component, values: &[Option<Value>; 2]) -> bool {
        let mut given = owners(component).filter_map(|owner| self.0.get(&owner)).flatten();
        given.any(|other| is_same(other, values))
    }
}
