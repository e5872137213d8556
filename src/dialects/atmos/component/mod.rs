//! A component before its stack is known (`reference: atmos.md` sections 4.1 and 4.4 to 4.6): its sections in layers
//! (`layers`), those of its bases (`bases`), its backend, all merged (`builder`) and ordered (`merged_sections`).

pub(super) mod backend;
pub(super) mod bases;
pub(super) mod builder;
pub(super) mod custom_types;
pub(super) mod inheritance;
pub(super) mod layers;
mod merged_sections;
