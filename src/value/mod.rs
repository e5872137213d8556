//! The value that every stage after parsing works on (`traced_value`), how documents are decoded into it within the limits of a run,
//! and what a dialect says about its values: calls of functions, and the names of sections.

mod call;
pub(crate) mod decode;
mod vocabulary;

pub(crate) use call::{Call, Language, Mark, Output, Reading, ValueKind};
pub(crate) use traced_value::{
    Contribution, Data, DataIdentity, Entry, FileId, Flags, Inputs, Key, Map, MapBuilder, Origin, Prov, ProvIdentity,
    Read, Trail, Unknown, Value, fit, has_template, is_call, json, key,
};
pub(crate) use vocabulary::{StatePaths, Vocabulary};
