//! The components of merged manifests, each as `describe stacks` prints it (`reference: atmos.md` sections 4.1, 4.2, 4.9
//! and 7.2).
//!
//! `manifest` (a merged manifest and the rule for its stack names) → `build` (components from their layers) →
//! `sections` (with the names of the stack and the workspace (`naming`), rendered (`render`) and evaluated
//! (`evaluation`)) → `components` (with their metadata for rules: `metadata`). A component that reads another one gets
//! it from `requests`, which finds it in `referenced`. `context` has the shared inputs, `folders` the folders of code;
//! `possible_names` tells which manifests cannot have the stacks that a question is about.

mod build;
mod build_errors;
mod components;
mod context;
mod evaluation;
mod files_read;
mod folders;
mod local_uses;
mod manifest;
mod metadata;
mod naming;
mod possible_names;
mod referenced;
mod render;
mod requests;
mod sections;

pub(super) use build::built_again;
pub(super) use components::{ResolvedManifest, StackComponents, components};
pub(super) use context::StackContext;
pub(super) use evaluation::ExternalInputs;
pub(super) use metadata::evaluated;
pub(super) use metadata::vendored::VendoredFolders;
pub(super) use naming::{Name, Named};
pub(super) use possible_names::PossibleNames;
pub(super) use referenced::ReferencedComponents;
