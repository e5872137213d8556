//! Static checks of a configuration (`reference: jitsubst.md` section 7). One group per file.

mod graph;
mod lexical;
mod occurrences;
mod parts;
mod references;
mod secrets;

pub(crate) use graph::{Edge, depends, needed, needs};

use super::Stack;
use super::config::Config;
use crate::diagnostic::Diagnostics;
use crate::dialects::yaml_file::YamlFile;
use crate::files::Files;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The input of the checks.
pub(crate) struct Subject<'a> {
    pub config: &'a Config,
    /// The names of its modules.
    pub modules: BTreeSet<&'a str>,
    /// Its environments, resolved.
    pub stacks: &'a [Stack],
    /// Whether these are all of them: a defect may have cost one.
    pub is_whole: bool,
    /// The files it came from.
    pub loaded: &'a [Arc<YamlFile>],
    /// The table of files.
    pub files: &'a Files,
    /// The variables that are set where the project is deployed, if the user lists them.
    pub variables: Option<&'a BTreeSet<String>>,
}

/// One group of checks.
type Check = fn(&Subject<'_>, &Diagnostics);

/// Runs all checks. A defect in one group costs what is left of that group.
pub(crate) fn run(subject: &Subject<'_>, diagnostics: &Diagnostics) {
    let groups: [(&str, Check); 4] = [
        ("lexical", lexical::check),
        ("references", references::check),
        ("graph", graph::check),
        ("secrets", secrets::check),
    ];
    for (name, check) in groups {
        let main = || subject.loaded.first().map_or(FileId::new(0), |l| l.file);
        diagnostics.guard(&format!("checks {name}"), main, || check(subject, diagnostics));
    }
}

/// Names in backticks, with commas.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    quoted.join(", ")
}
