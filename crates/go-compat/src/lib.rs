#![doc = include_str!("../README.md")]

pub mod doublestar;
pub mod duration;
pub mod encoding;
pub mod escape;
pub mod glob;
pub mod json;
pub mod layout;
pub mod path;
pub mod regexp;
pub mod strconv;
pub mod time;
