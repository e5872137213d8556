//! Finds secrets in lines that are shown to people.

mod hcl;
mod keys;
mod masks;
mod messages;
pub(crate) mod tokens;
mod yaml;
mod yaml_lines;

use super::hcl::Source;
use super::{Syntax, yaml_source};
use crate::files::File;
use crate::yaml::document_of;
pub(crate) use keys::{
    is_named_by, is_naming, is_no_secret, is_reference, is_secret_below, is_secret_key, only_refers,
};
pub(crate) use masks::Masks;
pub(crate) use messages::hide_written;
use std::ops::Range;
pub(super) use yaml::masks as yaml_masks;

/// The replacement for masked values.
pub(crate) const MASK: &str = "••••••••";

/// The longest text that is examined as a document, in bytes.
const MAX_DOCUMENT: usize = 100_000;

/// The maximum number of lines that are examined above a line.
const MAX_ABOVE: u32 = 300;

/// Where the secret parts of a line (from 1) of a file are: byte ranges of it in their order, that do not overlap. `line` is its
/// text, which may be cut at its end. With `all`, the value of its first key counts as one whatever the key is, and so
/// does a line without a key.
pub(crate) fn in_line(file: &File, number: u32, line: &str, all: bool) -> Vec<Range<usize>> {
    let found = match Syntax::source(file) {
        None => in_yaml_line(file, number, line, all),
        Some(source) => in_hcl_line(file, &source, number, line, all),
    };
    match declared_in_line(file, number, line) {
        declared if declared.is_empty() => found,
        declared => disjoint(found.into_iter().chain(declared).collect()),
    }
}

/// Where the parts of a line are that the code which reads the file declares to be secret, as [`in_line`] returns them.
pub(crate) fn declared_in_line(file: &File, number: u32, line: &str) -> Vec<Range<usize>> {
    let span = file.line_span(number);
    let (start, end) = (span.start as usize, span.start as usize + line.trim_end().len());
    let declared = file.secrets_in(&(span.start..end as u32));
    let is_declared = |range: &Range<usize>| {
        let (start, end) = (start + range.start, start + range.end);
        declared.iter().any(|secret| (secret.start as usize) < end && start < secret.end as usize)
    };
    match Syntax::source(file).filter(|source| !source.is_broken) {
        _ if declared.is_empty() => Vec::new(),
        // Names in an expression are no secrets.
        Some(source) => source.masks().in_line(start, line, true).into_iter().filter(is_declared).collect(),
        None => {
            let part = |secret: &Range<u32>| {
                (secret.start as usize).max(start) - start..(secret.end as usize).min(end) - start
            };
            disjoint(declared.iter().map(part).filter(|range| line.get(range.clone()).is_some()).collect())
        }
    }
}

/// Whether a value is written under a key that names a secret. The key begins at a byte offset, or with the value if there is none.
pub(crate) fn is_place(file: &File, key: u32, value: u32) -> bool {
    match Syntax::source(file) {
        Some(source) => source.masks().has([key, value]),
        None => match yaml_source(file).masks() {
            Some(masks) => masks.has([key, value]),
            // A line that is not known to be one of YAML: `DB_PASSWORD=x`.
            None => {
                let number = file.line(value);
                let at = (value - file.line_span(number).start) as usize;
                in_yaml_line(file, number, file.line_text(number), false).iter().any(|range| at < range.end)
            }
        },
    }
}

/// Whether code that reads a file of values declares to be secret what is written in a range of bytes. What code itself computes is
/// marked, or is not secret any more.
pub(crate) fn is_declared(file: &File, value: Range<u32>) -> bool {
    if Syntax::source(file).is_some() {
        return false;
    }
    let declared = file.secrets_in(&value);
    declared.iter().any(|secret| secret.start <= value.start && value.end <= secret.end)
}

/// The texts of the secrets in a range of bytes of a file, without quotes.
pub(crate) fn texts_in(file: &File, range: Range<u32>) -> Vec<&str> {
    let range = range.start as usize..range.end as usize;
    let of = |masks: &Masks| -> Vec<Range<usize>> { masks.secrets_in(range.clone()).cloned().collect() };
    let found = match Syntax::source(file) {
        Some(source) => of(source.masks()),
        None => yaml_source(file).masks().map(of).unwrap_or_default(),
    };
    let texts = found.into_iter().filter_map(|range| file.text.get(range));
    texts.map(|text| text.trim().trim_matches(['"', '\''])).collect()
}

/// Where the secret parts of a value are that is a text: those of [`tokens::within`], and those of the document that it may be.
pub(crate) fn in_text(text: &str) -> Vec<Range<usize>> {
    let mut found = tokens::within(text);
    let is_document = text.len() <= MAX_DOCUMENT && text.trim_start().starts_with(['{', '[']);
    let document = is_document.then(|| document_of(text.into()).ok()).flatten();
    if let Some(document) = document {
        found.extend(yaml::masks(&document, text).map(|masks| masks.secret).unwrap_or_default());
    }
    disjoint(found)
}

fn in_yaml_line(file: &File, number: u32, line: &str, all: bool) -> Vec<Range<usize>> {
    match yaml_source(file).masks() {
        Some(masks) => {
            let written = if all { yaml_lines::secret_ranges(line, true) } else { Vec::new() };
            united(file, number, line, masks.in_line(file.line_span(number).start as usize, line, false), written)
        }
        None => yaml_lines::secret_ranges(line, all || yaml_lines::is_inside_secret(file, number)),
    }
}

fn in_hcl_line(file: &File, source: &Source, number: u32, line: &str, all: bool) -> Vec<Range<usize>> {
    let written = match source.is_broken {
        true => {
            let keyed = yaml_lines::secret_ranges(line, all || yaml_lines::is_inside_secret(file, number));
            disjoint(keyed.into_iter().chain(tokens::within(line)).collect())
        }
        false => Vec::new(),
    };
    let start = file.line_span(number).start as usize;
    united(file, number, line, source.masks().in_line(start, line, all), written)
}

/// The secrets in a line that its masks or its own text say, and those that are recognized by themselves.
fn united(
    file: &File,
    number: u32,
    line: &str,
    masked: Vec<Range<usize>>,
    written: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut found = match is_in_private_key(file, number) {
        true => std::iter::once(0..line.trim_end().len()).collect(),
        false => masked,
    };
    found.extend(tokens::shown(line));
    found.extend(written);
    disjoint(found)
}

/// The same ranges in their order, those that overlap as one.
fn disjoint(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| range.start);
    let mut united: Vec<Range<usize>> = Vec::new();
    for range in found {
        match united.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => united.push(range),
        }
    }
    united
}

/// Whether a line is one of a private key that begins above it.
pub(crate) fn is_in_private_key(file: &File, line: u32) -> bool {
    let is_base64 = |line: u32| tokens::is_base64(file.line_text(line).trim());
    let mut above = (line.saturating_sub(MAX_ABOVE).max(1)..line).rev();
    is_base64(line) && above.find(|l| !is_base64(*l)).is_some_and(|l| tokens::starts_private_key(file.line_text(l)))
}
