//! Finds secrets in lines that are shown to people.

mod hcl;
mod keys;
mod masks;
pub(crate) mod tokens;
mod yaml;
mod yaml_lines;

use super::hcl::Source;
use super::{Syntax, yaml_source};
use crate::files::File;
pub(crate) use keys::{is_named_by, is_naming, is_reference, is_secret_below, is_secret_key, only_refers};
pub(crate) use masks::Masks;
use std::ops::Range;
pub(super) use yaml::masks as yaml_masks;

/// The maximum number of lines that are examined above a line.
const MAX_ABOVE: u32 = 300;

/// Where the secret parts of a line (from 1) of a file are: byte ranges of it in their order, that do not overlap. `line` is its
/// text, which may be cut at its end. With `all`, the value of its first key counts as one whatever the key is, and so
/// does a line without a key.
pub(crate) fn in_line(file: &File, number: u32, line: &str, all: bool) -> Vec<Range<usize>> {
    match Syntax::source(file) {
        None => in_yaml_line(file, number, line, all),
        Some(source) => in_hcl_line(file, &source, number, line, all),
    }
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
        true => yaml_lines::secret_ranges(line, all || yaml_lines::is_inside_secret(file, number)),
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
