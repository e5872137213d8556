//! Paths of the sources of modules.

use crate::go::path::clean;
use crate::paths::{REPOSITORY, join, parent};
use crate::text::Text;
use std::borrow::Cow;

/// The path of a source that is relative to a folder of the repository, from the root of the repository.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    /// The path, cleaned.
    pub path: Text,
    /// The path with `..` segments after a name: a link may lead such a step elsewhere.
    stepwise: Option<Text>,
}

impl Beside {
    /// The path to look up.
    pub(crate) fn written(&self) -> &Text {
        self.stepwise.as_ref().unwrap_or(&self.path)
    }
}

/// The path of a relative source in a module of a folder, which is there and has no links in its path.
pub(crate) fn beside(dir: &str, source: &str) -> Beside {
    let source = if source.contains('\\') { Cow::Owned(source.replace('\\', "/")) } else { Cow::Borrowed(source) };
    let (dir, source) = match source.strip_prefix(REPOSITORY) {
        Some(rest) => ("", rest.trim_start_matches('/')),
        None => (dir, &*source),
    };
    let (mut above, mut rest) = (if dir == "." { "" } else { dir }, source);
    loop {
        if let Some(more) = rest.strip_prefix("./") {
            rest = more;
        } else if let Some(more) = rest.strip_prefix("../").filter(|_| !above.is_empty()) {
            above = parent(above);
            rest = more;
        } else {
            break;
        }
    }
    if rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        let written = join(dir, source);
        return Beside { path: clean(&written).into(), stepwise: Some(written.into()) };
    }
    Beside { path: join(above, rest).into(), stepwise: None }
}
