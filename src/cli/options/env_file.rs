//! `--env-file`.
#![allow(clippy::disallowed_methods, reason = "files of variables that the user names are files on the disk")]

use crate::cli::Failure;
use crate::dialects::EnvFile;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A file of environment variables that the user names. It may be a pipe, so it is read once, when it is first needed.
#[derive(Clone, Debug)]
pub(in crate::cli) struct EnvFileArgument {
    path: PathBuf,
    content: OnceLock<EnvFile>,
}

impl From<OsString> for EnvFileArgument {
    fn from(path: OsString) -> Self {
        EnvFileArgument { path: path.into(), content: OnceLock::new() }
    }
}

impl EnvFileArgument {
    /// The variables of the file.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is not a variable.
    pub(in crate::cli) fn read(&self) -> Result<&EnvFile, Failure> {
        if let Some(content) = self.content.get() {
            return Ok(content);
        }
        let path = self.path.display();
        let text = crate::source::read_named(&self.path)
            .map_err(|e| Failure::Message(format!("cannot read the variables in {path}: {e}")))?;
        let content = EnvFile::parse(&text).map_err(|e| Failure::Message(format!("{path}: {e}")))?;
        Ok(self.content.get_or_init(|| content))
    }
}
