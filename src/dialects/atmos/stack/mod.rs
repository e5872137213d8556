//! The components of merged manifests, each as `describe stacks` prints it (`reference: atmos.md` sections 4.1, 4.2, 4.9
//! and 7.2).

pub(super) mod components;
pub(super) mod errors;
pub(super) mod evaluation;
pub(super) mod metadata;
pub(super) mod missing_values;
pub(super) mod referenced;
pub(super) mod render;
pub(super) mod sections;
