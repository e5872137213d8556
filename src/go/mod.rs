//! What packages of Go's standard library do, exactly: the systems that are resolved here are written in Go.

pub(crate) mod glob;
pub(crate) mod path;
