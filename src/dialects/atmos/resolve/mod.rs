//! From the configuration to the resolution.

pub(super) mod sharing;
