//! Exact reimplementations of packages of Go's standard library, because the supported systems are written in Go.

pub(crate) mod duration;
pub(crate) mod encoding;
pub(crate) mod escape;
pub(crate) mod glob;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod path;
pub(crate) mod strconv;
pub(crate) mod time;
