//! The files of the stacks: the top-level manifests (`stack_files`), their imports (`items`), those that a change can
//! affect (`reach`) and those that a name can mean (`likely_stacks`).

pub(super) mod imported_sections;
pub(super) mod items;
pub(super) mod likely_stacks;
pub(super) mod reach;
pub(super) mod stack_files;
