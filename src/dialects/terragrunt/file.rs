//! Files as they were read, and their configuration.

use super::load::Content;
use super::session::Session;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::unread;
use crate::hcl::ast::Span;
use crate::text::Text;
use crate::value::{FileId, Map, Origin, Value};

/// How an included file is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// The top keys of inputs, and whole blocks, win.
    Shallow,
    /// Maps are merged at any depth, lists are joined.
    Deep,
}

/// A file that was read.
pub(super) struct File {
    /// Its id.
    pub id: FileId,
    /// Its path, from the root of the repository.
    pub path: String,
    /// Its content.
    pub body: Content,
}

impl File {
    /// Reads a file, and reports what keeps it from being read; `None` then, or if it is not there.
    pub(super) fn open(session: &Session<'_>, path: &str, json: bool) -> Option<File> {
        match session.loader.load(path, json) {
            Ok(loaded) => {
                let (file, errors) = (loaded.file, &loaded.parsed.errors);
                session.files.borrow_mut().insert(file);
                for error in errors {
                    session.syntax(error, file);
                }
                errors.is_empty().then(|| File { id: file, body: loaded.content(), path: loaded.path.clone() })
            }
            Err(why) => {
                let file = session.loader.modules.loader.reader.files.add(path, "", || Text::from(""));
                if let Some(why) = why {
                    session.error(unread(why.is_unavailable), why.message, (file, Span::default()));
                }
                None
            }
        }
    }
}

/// A file that was included.
#[derive(Clone, Debug)]
pub(super) struct Included {
    /// The label; empty for a bare include.
    pub label: Text,
    /// The path of the file.
    pub path: String,
    /// The file; `None` if it could not be read.
    pub file: Option<FileId>,
    /// The path as it is written.
    pub written: Origin,
    /// The include block.
    pub at: Origin,
    /// How it is merged; `None` if it is not.
    pub strategy: Option<Strategy>,
    /// Whether its values can be read.
    pub is_exposed: bool,
    /// What is in it.
    pub config: Config,
    /// The object of a file that is not known, or not there; it has no configuration then.
    pub unknown: Option<Value>,
    /// What is wrong in it, until it is known which dependencies it sees.
    pub findings: Vec<Diagnostic>,
}

/// The configuration of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    /// Its parts by name, as they are printed: `inputs`, `terraform`, `dependency`, …
    pub parts: Map,
    /// The files that it includes.
    pub includes: Vec<Included>,
}
