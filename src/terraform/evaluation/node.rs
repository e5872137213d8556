//! Modules in the tree of a root module.

use crate::terraform::module::Module;
use crate::text::Text;
use std::sync::Arc;

/// A module in the tree of a root module.
#[derive(Debug)]
pub(crate) struct Node {
    /// The names of the calls that lead to it; empty for the root module.
    pub path: Vec<Text>,
    /// Its declarations.
    pub module: Arc<Module>,
    /// Its folder as expressions see it.
    pub shown: String,
    /// The module that calls it, and where.
    pub parent: Option<usize>,
    /// The prefix of identifiers in it: `module.a.module.b:`, empty in the root module.
    pub prefix: String,
}

impl Node {
    /// Creates the module at the end of the calls with these names.
    pub(crate) fn new(path: Vec<Text>, module: Arc<Module>, shown: String, parent: Option<usize>) -> Self {
        let mut prefix = String::new();
        for (index, name) in path.iter().enumerate() {
            prefix.push_str(if index == 0 { "module." } else { ".module." });
            prefix.push_str(name);
        }
        if !path.is_empty() {
            prefix.push(':');
        }
        Node { path, module, shown, parent, prefix }
    }

    /// Its address: `a.b`.
    pub(crate) fn address(&self) -> String {
        self.path.iter().map(|n| &**n).collect::<Vec<_>>().join(".")
    }
}
