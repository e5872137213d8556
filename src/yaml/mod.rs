//! A tree with spans for every key and value, and scalars as go-yaml v3 reads them. Imports no other room.

mod budget;
mod check;
mod emit;
mod events;
mod input;
mod node;
mod order;
mod parse;
mod patch;
mod properties;
mod scalar;
mod style;
#[cfg(test)]
mod tests;
mod timestamp;

pub(crate) use check::{Problem, ProblemKind, is_merge_key, problems};
pub(crate) use emit::{Emitter, scalar_text};
pub(crate) use node::{Document, Node, NodeId, NodeKind, Span, Style, Tag};
pub(crate) use order::{compare_keys, sort_keys};
pub(crate) use parse::{Error, document_of, documents_of, parse};
pub(crate) use scalar::{Scalar, resolve, short_tag};
pub(crate) use style::{analyze, double_quoted, is_base60, is_old_bool, is_printable};
pub(crate) use timestamp::{Timestamp, parse_timestamp};
