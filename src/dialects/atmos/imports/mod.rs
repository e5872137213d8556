//! Which files make up the stacks: the top-level manifests (`stack_files`), what they import (`items`), and which of them a
//! change can reach (`reach`) or a name can mean (`likely_stacks`).

pub(super) mod imported_sections;
pub(super) mod items;
pub(super) mod likely_stacks;
pub(super) mod reach;
pub(super) mod stack_files;
