//! Actions: their sources (files, templates), their dependencies, their resolved values.

mod dependencies;
mod fields;
mod files;
mod inputs;
mod module_component;
mod modules;
pub(crate) mod plugins;
mod prepare;
mod redundant;
mod render;
mod resolve;
mod sources;
mod types;

pub(crate) use dependencies::{Refusal, read_action};
pub(crate) use fields::fields_of;
pub(crate) use files::ActionFiles;
pub(crate) use module_component::resolve as modules;
pub(crate) use prepare::graph;
pub(crate) use redundant::redundant;
pub(crate) use render::WorkflowSource;
pub(crate) use resolve::{Resolved, resolve};
pub(crate) use sources::is_among;
pub(crate) use types::providers::check as check_provider;
