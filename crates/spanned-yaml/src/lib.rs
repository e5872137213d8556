#![doc = include_str!("../README.md")]

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

pub use check::{Problem, ProblemKind, is_merge_key, problems};
pub use emit::{Emitter, scalar_text};
pub use node::{Document, Node, NodeId, NodeKind, Span, Style, Tag};
pub use order::{compare_keys, sort_keys};
pub use parse::{Error, document_of, documents_of, parse};
pub use scalar::{Scalar, resolve, short_tag};
pub use style::{analyze, double_quoted, is_base60, is_old_bool, is_printable};
pub use timestamp::{Timestamp, parse_timestamp};
