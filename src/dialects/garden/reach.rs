//! Determines which environments an edit of the project affects. An environment consists of its own entry and of shared
//! parts: if both revisions have equal ones, it is the same in both, and need not be resolved.

use super::Garden;
use super::diagnostics::Diagnostics;
use super::project::load::{ConfigFile, Loader};
use super::project::{self, ProjectConfig, discover};
use super::template::node::{Data, Node};
use crate::dialects::Project;
use crate::files::Files;
use crate::paths;
use crate::source::{Change, Source};
use crate::text::Text;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The content of a project in the files of its folder, in one revision.
struct Side {
    files: Vec<Arc<ConfigFile>>,
    config: ProjectConfig,
}

impl Garden {
    /// Returns the units that an edit of only the project file affects; `None` for other edits, or if only resolving
    /// tells.
    pub(super) fn units_reached(
        &self,
        sides: [&dyn Source; 2],
        project: &Project,
        files: &Files,
        changes: &[Change],
    ) -> Option<BTreeSet<Text>> {
        let [change] = changes else { return None };
        let folders = sides.map(|source| self.folders(source, project));
        let dir = folders[0].first().filter(|_| folders[0].len() == 1 && folders[0] == folders[1])?;
        let [base, head] = sides.map(|source| self.side(source, files, dir, &change.path));
        let (base, head) = (base?, head?);
        let is_shared = same_but(&base.config.tree, &head.config.tree, "environments")
            && same_resources(&base.files, &head.files, &change.path);
        if !is_shared {
            return None;
        }
        let of = |side: &Side, name: &str| {
            let found = side.config.environments.iter().find(|environment| *environment.name == *name);
            found.map(|environment| environment.tree.clone())
        };
        let all = base.config.environments.iter().chain(&head.config.environments);
        let differs = |name: &str| match (of(&base, name), of(&head, name)) {
            (Some(old), Some(new)) => !same(&old, &new),
            _ => true,
        };
        let reached = all.filter(|environment| differs(&environment.name));
        Some(reached.map(|environment| paths::join(dir, &environment.name).into()).collect())
    }

    /// Reads a revision with a project file; `None` if it has errors or ignore comments.
    fn side(&self, source: &dyn Source, files: &Files, dir: &str, path: &str) -> Option<Side> {
        let loader = Loader::new(source, files, &self.cache, discover::era_of(source, path));
        let diagnostics = Diagnostics::new(files.add(path, "", || Text::from("")));
        let (files, config) = project::beside(&loader, dir, &diagnostics)?;
        let judges = loader.text(path, &diagnostics)?.contains("stacklint");
        (*config.path == *path && !diagnostics.is_broken() && !judges).then_some(Side { files, config })
    }
}

/// Whether two revisions of a file hold the same resources besides the project.
fn same_resources(base: &[Arc<ConfigFile>], head: &[Arc<ConfigFile>], path: &str) -> bool {
    let others = |files: &[Arc<ConfigFile>]| -> Vec<Node> {
        let all = files.iter().flat_map(|file| &file.resources).filter(|r| !r.is_project() && *r.path == *path);
        all.map(|resource| resource.tree.clone()).collect()
    };
    let (base, head) = (others(base), others(head));
    base.len() == head.len() && base.iter().zip(&head).all(|(old, new)| same(old, new))
}

/// Whether two mappings are the same but for one key.
fn same_but(a: &Node, b: &Node, key: &str) -> bool {
    let (Some(a), Some(b)) = (a.as_map(), b.as_map()) else { return false };
    let mut pairs = a.iter().zip(b.iter());
    a.len() == b.len() && pairs.all(|((k, old), (l, new))| k == l && (*k == *key || same(old, new)))
}

/// Whether two values are written alike, wherever that is.
pub(super) fn same(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::Undefined, Data::Undefined) | (Data::Null, Data::Null) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Number(a), Data::Number(b)) => a.to_bits() == b.to_bits(),
        (Data::Text(a), Data::Text(b)) => a == b,
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Data::Map(a), Data::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (Data::Lazy(a), Data::Lazy(b)) => same(&a.source(), &b.source()),
        _ => false,
    }
}
