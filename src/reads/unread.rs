//! Why a file is not read.

use crate::source::{Error, ResolveError};
use std::fmt;

/// Why a file is not read, though it is not missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    /// A clause that names the file.
    pub message: String,
    /// Whether git does not have its content: then nothing is wrong, and what the file says is not known.
    pub is_unavailable: bool,
}

impl Unread {
    /// Why a path cannot be followed.
    pub(crate) fn of_path(path: &str, error: ResolveError) -> Self {
        let is_unavailable = matches!(error, ResolveError::Unavailable(_));
        let message =
            if is_unavailable { format!("{path} cannot be read: {error}") } else { format!("{path}: {error}") };
        Unread { message, is_unavailable }
    }
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Unread { message: error.to_string(), is_unavailable: matches!(error, Error::Unavailable { .. }) }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
