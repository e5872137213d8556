//! The modules of a root module without any values.

use crate::terraform::evaluation::statics::Node;
use crate::terraform::load::Loader;
use crate::terraform::module::modules::TreeKey;
use std::rc::Rc;

/// The modules of a root module, the root first. There are no values, so that the same tree has the same failures.
#[derive(Clone, Copy)]
pub(super) struct Tree<'t> {
    pub nodes: &'t [Rc<Node>],
    pub loader: &'t Loader<'t>,
}

impl Tree<'_> {
    /// What identifies it; `None` if a module is not known by its content.
    pub(super) fn key(&self) -> Option<TreeKey> {
        let of = |node: &Rc<Node>| Some((node.module.number?, node.parent.zip(node.path.last().cloned())));
        self.nodes.iter().map(of).collect()
    }
}
