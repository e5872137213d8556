//! Options that several commands share.

pub(super) mod functions;
pub(super) mod inputs;
