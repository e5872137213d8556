//! Further checks of a resolution: mistakes that Atmos, Terraform or a reviewer would reject.

pub(super) mod component_validation;
pub(super) mod dependency_paths;
pub(super) mod disabled_templates;
pub(super) mod inheritance_cycles;
pub(super) mod locals;
pub(super) mod stack_names;
pub(super) mod unreached_manifests;
pub(super) mod vendor;
pub(super) mod workflows;
