//! Something gets another name, where it is defined and where it is named.

mod component;
mod file;
mod local;
mod stack;

pub(crate) use component::component;
pub(crate) use file::file;
pub(crate) use local::{LocalNames, is_local, local, occurrences};
pub(crate) use stack::stack;

use crate::files::Files;
use crate::value::Origin;

/// `stacks/dev.yaml:7`.
fn place(origin: Origin, files: &Files) -> String {
    let file = files.get(origin.file);
    format!("{}:{}", file.path, file.line(origin.start))
}
