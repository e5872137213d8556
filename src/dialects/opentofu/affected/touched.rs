//! Determines the root modules that a change affects from the text of their modules. The files that a shared module
//! reads are found once, not once for each root module that calls it.

use crate::dialects::opentofu::discovery::Candidate;
use crate::dialects::{Reach, Scope};
use crate::terraform::evaluation::given::Given;
use crate::terraform::module::modules::{Callee, Modules};
use crate::terraform::module::outline::Outline;
use crate::terraform::module::paths::{Base, NamedPath, Pattern};
use crate::terraform::reach::{self, Folder, MAX_FOLDERS};
use crate::text::Text;
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A module that others call, and what a change means to it.
struct Shared {
    /// Its declarations.
    module: Arc<Outline>,
    /// Whether the change affects it in every root module. If only evaluation shows what it reads, any change may.
    is_reached: bool,
    /// The files that it reads from the folder of the root module.
    of_root: Vec<NamedPath>,
}

/// The paths of a change, and what they mean to modules.
pub(crate) struct Touched<'a> {
    modules: &'a Modules<'a>,
    /// `None` if everything is in scope.
    changes: Option<Vec<&'a str>>,
    /// Modules by the path that a call names and their folder.
    shared: Mutex<HashMap<(Text, Text), Arc<Shared>, RandomState>>,
}

impl<'a> Touched<'a> {
    pub(crate) fn new(modules: &'a Modules<'a>, scope: Scope<'a>) -> Self {
        let changes = match scope {
            Scope::Touched(changes) => Some(changes.iter().map(|change| &*change.path).collect()),
            _ => None,
        };
        Touched { modules, changes, shared: Mutex::default() }
    }

    /// What a change can do to a root module. If only evaluation shows its files, any change does.
    pub(crate) fn reach(&self, candidate: &Candidate, given: Given<'_>) -> Reach {
        let Some(changes) = &self.changes else { return Reach::Reached };
        if reach::reaches_own(&candidate.dir, &candidate.outline, given, changes) {
            return Reach::Reached;
        }
        let mut lacks = false;
        let mut seen = BTreeSet::from([Text::from(&*candidate.dir)]);
        let mut open = vec![Arc::clone(&candidate.outline)];
        while let Some(module) = open.pop() {
            for callee in self.modules.callees(&module.dir, &module.leads).iter() {
                let Callee::Local { path, dir } = callee else { return Reach::Reached };
                lacks |= dir.is_none();
                let at = dir.as_ref().unwrap_or(path);
                if !seen.insert(at.clone()) {
                    continue;
                }
                let shared = self.shared(path, at, dir.is_some(), changes);
                if shared.is_reached || seen.len() > MAX_FOLDERS {
                    return Reach::Reached;
                }
                let patterns = shared.of_root.iter().filter_map(|named| named.resolve(&candidate.dir, at));
                if matched(patterns, changes) {
                    return Reach::Reached;
                }
                open.push(Arc::clone(&shared.module));
            }
        }
        if lacks { Reach::Open } else { Reach::Untouched }
    }

    fn shared(&self, path: &Text, dir: &Text, is_there: bool, changes: &[&str]) -> Arc<Shared> {
        let key = (path.clone(), dir.clone());
        if let Some(known) = self.shared.lock().get(&key) {
            return Arc::clone(known);
        }
        let module = reach::called(self.modules, dir, is_there);
        let part = Folder::new(path, dir, &module);
        let (of_root, of_module): (Vec<NamedPath>, Vec<NamedPath>) =
            module.named.iter().cloned().partition(|named| named.base != Base::Module);
        let is_reached = module.is_computed
            || changes.iter().any(|path| part.has(path, false))
            || matched(of_module.iter().filter_map(|named| named.resolve("", dir)), changes);
        let found = Arc::new(Shared { module, is_reached, of_root });
        self.shared.lock().insert(key, Arc::clone(&found));
        found
    }
}

fn matched(mut patterns: impl Iterator<Item = Pattern>, changes: &[&str]) -> bool {
    patterns.any(|pattern| changes.iter().any(|path| pattern.matches(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Project;
    use crate::dialects::opentofu::discovery;
    use crate::files::Files;
    use crate::limits::Limits;
    use crate::source::{Change, ChangeKind, Memory};
    use crate::terraform::load::Runner;
    use crate::terraform::module::modules::Cache;

    const BACKEND: &str = "terraform {\n  backend \"local\" {}\n}\n";

    fn texts() -> Vec<(&'static str, String)> {
        let call = |source: &str| format!("{BACKEND}module \"m\" {{\n  source = {source}\n}}\n");
        vec![
            ("live/a/main.tf", call("\"../../modules/m\"")),
            ("live/b/main.tf", call("\"../../modules/m\"")),
            ("live/c/main.tf", call("\"../../${local.x}\"")),
            ("live/d/main.tf", call("\"../../modules/gone\"")),
            ("modules/m/main.tf", "module \"n\" {\n  source = \"../n\"\n}\n".to_owned()),
            (
                "modules/n/main.tf",
                "locals {\n  a = file(\"x.json\")\n  b = file(\"${path.module}/t.json\")\n}\n".to_owned(),
            ),
        ]
    }

    fn reached(path: &str) -> Vec<String> {
        let source = Memory::new("memory", texts().into_iter().map(|(p, t)| (p.to_owned(), t.into_bytes())).collect());
        let (cache, files) = (Cache::new(Limits::default()), Files::default());
        let modules = Modules::new(&source, &files, &cache, Runner::default());
        let changes = [Change { path: path.into(), kind: ChangeKind::Modified }];
        let touched = Touched::new(&modules, Scope::Touched(&changes));
        let roots = discovery::roots(&modules, &Project::default()).candidates;
        let found = roots.iter().filter(|root| touched.reach(root, Given::default()) == Reach::Reached);
        found.map(|root| root.dir.clone()).collect()
    }

    #[test]
    fn changes_reach_root_modules_through_shared_ones() {
        for (path, expected) in [
            ("live/a/main.tf", &["live/a", "live/c"][..]),
            ("live/b/terraform.tfvars", &["live/b", "live/c"]),
            ("modules/m/new.tf", &["live/a", "live/b", "live/c"]),
            ("modules/n/t.json", &["live/a", "live/b", "live/c"]),
            ("modules/n/terraform.tfvars", &["live/c"]),
            // A relative path begins in the folder of the root module.
            ("live/a/x.json", &["live/a", "live/c"]),
            ("modules/n/x.json", &["live/c"]),
            ("modules/gone/main.tf", &["live/c", "live/d"]),
        ] {
            assert_eq!(reached(path), expected, "{path}");
        }
    }
}
