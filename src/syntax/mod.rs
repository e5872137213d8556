//! Queries about the text of a file without its meaning: the keys that lead to a place, comments, which text belongs to
//! a value, what to remove with an entry, where secrets are. One implementation per language.

pub(crate) mod hcl;
pub(crate) mod place;
#[cfg(test)]
mod properties;
pub(crate) mod relocation;
pub(crate) mod removal;
pub(crate) mod secrets;
pub(crate) mod template;
mod yaml;

use crate::files::File;
use crate::text::Text;
use std::ops::Range;
use std::sync::Arc;

/// The language that a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// YAML and JSON, and everything that is not known to be something else.
    Yaml,
    /// HCL in its native syntax.
    Hcl,
}

/// Endings of files in HCL. Their variants in JSON end in `.json`.
const HCL: [&str; 4] = [".tf", ".tofu", ".tfvars", ".hcl"];
/// Endings of other files that take comments with `#`.
const COMMENTED: [&str; 4] = [".yaml", ".yml", ".toml", ".tmpl"];

impl Language {
    /// The language of the file at a path.
    pub(crate) fn of(path: &str) -> Self {
        if HCL.iter().any(|end| path.ends_with(end)) { Language::Hcl } else { Language::Yaml }
    }

    /// The length of the key that a text begins with, which reaches from a key to its value.
    pub(crate) fn key_length(self, text: &str) -> usize {
        let end = match self {
            Language::Yaml => text.find(['\n', ':']).unwrap_or(text.len()),
            Language::Hcl => hcl::key_length(text),
        };
        text[..end].trim_end().len()
    }
}

/// Whether the file at a path takes comments that begin with `#`.
pub(crate) fn takes_comments(path: &str) -> bool {
    HCL.iter().chain(&COMMENTED).any(|end| path.ends_with(end))
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its bytes, with the signs that begin and end it.
    pub span: Range<usize>,
    /// The bytes between those signs.
    pub body: Range<usize>,
}

/// The structure of a file of YAML; it is read once.
fn yaml_source(file: &File) -> Arc<yaml::Source> {
    file.derived(|| yaml::Source::read(&file.text))
}

/// A file read for such queries. Its errors do not matter here: a broken file only gives fewer answers.
#[derive(Debug)]
pub(crate) enum Syntax {
    /// A document, if it is one.
    Yaml(Text, Arc<yaml::Source>),
    /// Entries, comments and strings.
    Hcl(Arc<hcl::Source>),
}

impl Syntax {
    pub(crate) fn of(file: &File) -> Self {
        match Self::source(file) {
            Some(source) => Syntax::Hcl(source),
            None => Syntax::Yaml(Text::clone(&file.text), yaml_source(file)),
        }
    }

    /// Reads the text of the file at a path.
    pub(crate) fn read(path: &str, text: &Text) -> Self {
        match Language::of(path) {
            Language::Yaml => Syntax::Yaml(Text::clone(text), Arc::new(yaml::Source::read(text))),
            Language::Hcl => Syntax::Hcl(Arc::new(hcl::Source::read(text))),
        }
    }

    /// Returns the structure of a file in HCL; it is read once.
    pub(crate) fn source(file: &File) -> Option<Arc<hcl::Source>> {
        (Language::of(&file.path) == Language::Hcl).then(|| file.derived(|| hcl::Source::read(&file.text)))
    }

    /// Returns the keys and blocks that lead to a byte offset, joined with `.`; empty if there are none.
    pub(crate) fn path_at(&self, offset: u32) -> String {
        match self {
            Syntax::Yaml(_, source) => source.document().map_or_else(String::new, |d| yaml::path_at(d, offset)),
            Syntax::Hcl(source) => source.path_at(offset),
        }
    }

    /// Returns the comments that begin with a mark, in order. Text inside of strings is not a comment.
    pub(crate) fn comments(&self, mark: &str) -> Vec<Comment> {
        match self {
            Syntax::Yaml(text, source) => yaml::comments(text, source.document(), mark),
            Syntax::Hcl(source) => source.comments_with(mark),
        }
    }

    /// The lines (from 1, in their order) that have more than blanks and comments.
    pub(crate) fn content_lines(&self) -> Vec<u32> {
        match self {
            Syntax::Yaml(text, _) => yaml::content_lines(text),
            Syntax::Hcl(source) => source.content_lines(),
        }
    }

    /// Returns the identity of the line that begins at a byte offset: its key, independent of its value.
    pub(crate) fn subject(&self, offset: u32, line: &str) -> String {
        match self {
            Syntax::Yaml(..) => line.split([':', '#']).next().unwrap_or_default().trim().to_owned(),
            Syntax::Hcl(source) => source.subject(offset, line),
        }
    }

    /// Whether a byte offset is inside of a string of several lines, where an inserted line would be part of the text.
    pub(crate) fn is_within_text(&self, offset: u32) -> bool {
        match self {
            Syntax::Yaml(_, source) => source.document().is_some_and(|d| yaml::is_within_text(d, offset)),
            Syntax::Hcl(source) => source.is_within_text(offset),
        }
    }
}
