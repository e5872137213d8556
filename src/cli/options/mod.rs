//! Options that several commands share.

pub(super) mod env_file;
pub(super) mod functions;
pub(super) mod inputs;
