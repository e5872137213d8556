//! What is wrong with declarations, whatever their values are: checked once for the same modules in the same tree.

use crate::terraform::configuration::decisive::{self, key};
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::configuration::{cycles, providers, references, schemas, targets};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::modules::{Checked, Modules, SoundKey};
use std::sync::Arc;

fn check_tree(tree: &Tree<'_>) -> Checked {
    let mut failures = references::check(tree);
    let found = cycles::check(tree);
    let is_cyclic = !found.is_empty();
    failures.extend(targets::check(tree));
    failures.extend(providers::check(tree));
    failures.extend(schemas::check(tree));
    failures.extend(found);
    Checked { failures, is_cyclic, decisive: decisive::of(tree), number: None }
}

impl Checked {
    /// Identifies the tree and what decides of the inputs of its root module; `None` where evaluations are not compared: modules that
    /// are not known by their content, schemas, which convert arguments, and inputs that are wrong.
    pub(super) fn key(&self, statics: &Statics<'_>, modules: &Modules<'_>) -> Option<SoundKey> {
        let number = self.number.filter(|_| modules.loader.schemas.is_none())?;
        Some((number, key::of(statics, &self.decisive)?))
    }
}

/// Checks the declarations of a root module whose modules were entered.
pub(super) fn check(statics: &Statics<'_>, modules: &Modules<'_>) -> Arc<Checked> {
    let tree = Tree { nodes: &statics.nodes, loader: statics.files.loader() };
    match tree.key() {
        Some(key) => modules.checked(key, || check_tree(&tree)),
        None => Arc::new(check_tree(&tree)),
    }
}
