//! The files of the stacks: the top-level manifests (`stack_files`), their imports (`items`) and those that a change can
//! affect (`reach`).

pub(super) mod imported_sections;
pub(super) mod items;
pub(super) mod reach;
pub(super) mod stack_files;
