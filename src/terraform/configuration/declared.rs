//! What is wrong with declarations, whatever their values are: checked once for the same modules in the same tree.

use crate::terraform::configuration::{cycles, references, schemas, targets};
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::load::Loader;
use crate::terraform::module::modules::{Checked, Modules, TreeKey};
use std::rc::Rc;
use std::sync::Arc;

/// The modules of a root module, the root first. There are no values, so that the same tree has the same failures.
#[derive(Clone, Copy)]
pub(super) struct Tree<'t> {
    pub nodes: &'t [Rc<Node>],
    pub loader: &'t Loader<'t>,
}

impl Tree<'_> {
    /// What identifies it; `None` if a module is not known by its content.
    fn key(&self) -> Option<TreeKey> {
        let of = |node: &Rc<Node>| Some((node.module.number?, node.parent.zip(node.path.last().cloned())));
        self.nodes.iter().map(of).collect()
    }

    fn check(&self) -> Checked {
        let mut failures = references::check(self);
        let found = cycles::check(self);
        let is_cyclic = !found.is_empty();
        failures.extend(targets::check(self));
        failures.extend(schemas::check(self));
        failures.extend(found);
        Checked { failures, is_cyclic }
    }
}

/// Checks the declarations of a root module whose modules were entered.
pub(super) fn check(statics: &Statics<'_>, modules: &Modules<'_>) -> Arc<Checked> {
    let tree = Tree { nodes: &statics.nodes, loader: statics.files.loader() };
    match tree.key() {
        Some(key) => modules.checked(key, || tree.check()),
        None => Arc::new(tree.check()),
    }
}
