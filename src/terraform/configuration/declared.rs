//! What is wrong with declarations, whatever their values are: checked once for the same modules in the same tree.

use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::configuration::{cycles, references, schemas, targets};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::modules::{Checked, Modules};
use std::sync::Arc;

fn check_tree(tree: &Tree<'_>) -> Checked {
    let mut failures = references::check(tree);
    let found = cycles::check(tree);
    let is_cyclic = !found.is_empty();
    failures.extend(targets::check(tree));
    failures.extend(schemas::check(tree));
    failures.extend(found);
    Checked { failures, is_cyclic }
}

/// Checks the declarations of a root module whose modules were entered.
pub(super) fn check(statics: &Statics<'_>, modules: &Modules<'_>) -> Arc<Checked> {
    let tree = Tree { nodes: &statics.nodes, loader: statics.files.loader() };
    match tree.key() {
        Some(key) => modules.checked(key, || check_tree(&tree)),
        None => Arc::new(check_tree(&tree)),
    }
}
