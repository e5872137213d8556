//! The steps of references: to which blocks and instances they lead, and to which part of a value.

use crate::hcl::ast::walk::{Elements, Reference};
use crate::hcl::ast::{Key, TraversalStep};
use crate::hcl::val::{Data, Val};
use crate::terraform::evaluation::made_of::Which;
use crate::text::Text;

/// A reference to a block, by parts.
pub(super) struct ToBlock<'r> {
    pub(super) which: Which<'r>,
    /// The steps from the instances that are meant.
    pub(super) then: Vec<&'r [TraversalStep]>,
    /// Whether it goes through all instances.
    pub(super) is_through_all: bool,
}

impl<'r> ToBlock<'r> {
    /// The parts of a reference whose first steps name the block.
    pub(super) fn new(reference: &Reference<'r>, head: usize) -> Self {
        let rest = reference.steps.get(head..).unwrap_or_default();
        let one = |which, then| ToBlock { which, then: vec![then], is_through_all: false };
        match (rest, &reference.elements) {
            ([TraversalStep::Index(key, _), then @ ..], _) => one(Which::Key(key), then),
            ([], Elements::One(key, then)) => one(Which::Computed(key), then),
            ([], Elements::All(then)) => ToBlock { which: Which::All, then: then.clone(), is_through_all: true },
            _ => one(Which::All, rest),
        }
    }
}

/// The name that the first step is.
pub(super) fn first_name(steps: &[TraversalStep]) -> Option<&Text> {
    match steps.first()? {
        TraversalStep::Attribute(name) => Some(&name.text),
        TraversalStep::Index(..) => None,
    }
}

/// What an object has under a name, as far as that is known: of a resource, what is configured.
pub(crate) fn entry<'v>(value: &'v Val, name: &Text) -> Option<&'v Val> {
    match &value.data {
        Data::Map(_, entries) | Data::Object(entries) | Data::Partial(entries, _) => entries.get(name),
        _ => None,
    }
}

/// The known part of a value to which steps lead.
pub(super) fn part_of(value: &Val, steps: &[TraversalStep]) -> Option<Val> {
    led_to(value, steps).filter(|part| part.unknown_reason().is_none())
}

/// The part of a value to which steps lead, known or not.
pub(super) fn led_to(value: &Val, steps: &[TraversalStep]) -> Option<Val> {
    let mut part = value.clone();
    for step in steps {
        let next = match step {
            TraversalStep::Attribute(name) => entry(&part, &name.text)?.clone(),
            TraversalStep::Index(Key::Text(key), _) => entry(&part, key)?.clone(),
            TraversalStep::Index(Key::Number(number), _) => {
                part.as_items()?.get(number.to_string().parse::<usize>().ok()?)?.clone()
            }
        };
        part = next.marked(part.marks);
    }
    Some(part)
}

/// Steps as they are written.
pub(crate) fn shown_steps(steps: &[TraversalStep]) -> String {
    let step = |step: &TraversalStep| match step {
        TraversalStep::Attribute(name) => format!(".{}", name.text),
        TraversalStep::Index(Key::Text(key), _) => format!("[\"{key}\"]"),
        TraversalStep::Index(Key::Number(number), _) => format!("[{number}]"),
    };
    steps.iter().map(step).collect()
}
