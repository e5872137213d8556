//! Rules about which components and stacks there are.

mod name_collision;
mod unused_abstract;

pub(super) use name_collision::STACK_NAME_COLLISION;
pub(super) use unused_abstract::UNUSED_ABSTRACT_COMPONENT;
