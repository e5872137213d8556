//! The roots of key paths: the names that templates can refer to.

use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::text::Text;
use arcstr::literal;
use std::sync::Arc;

/// The roots of a context by name. Each stage adds some. Clones share what stood before [`Roots::shared`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    /// The shared part of contexts.
    shared: Arc<Vec<(Text, Node)>>,
    /// Entries that this one adds or replaces.
    own: Vec<(Text, Node)>,
}

impl Roots {
    /// The same with another root; one of the same name is replaced.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, node: Node) -> Self {
        match self.own.iter_mut().find(|(known, _)| *known == *name) {
            Some((_, known)) => *known = node,
            None => self.own.push((word(name), node)),
        }
        self
    }

    /// The same with variables.
    #[must_use]
    pub(crate) fn with_variables(self, variables: ContextId) -> Self {
        let node = Node::new(Data::Context(variables));
        self.with("var", node.clone()).with("variables", node)
    }

    /// Returns roots that clones share, so that a clone is cheap.
    #[must_use]
    pub(crate) fn shared(self) -> Self {
        Roots { shared: Arc::new(self.entries()), own: Vec::new() }
    }

    /// The root of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let mut all = self.own.iter().chain(self.shared.iter());
        all.find(|(known, _)| *known == *name).map(|(_, node)| node)
    }

    /// All of them as data.
    pub(super) fn node(&self) -> Node {
        Node::record(self.entries())
    }

    /// Returns all entries; replaced ones keep the position of the shared ones.
    fn entries(&self) -> Vec<(Text, Node)> {
        let own = |name: &Text| self.own.iter().find(|(known, _)| known == name);
        let shared = self.shared.iter().map(|entry| own(&entry.0).unwrap_or(entry));
        let added = self.own.iter().filter(|(name, _)| !self.shared.iter().any(|(known, _)| known == name));
        shared.chain(added).cloned().collect()
    }
}

/// The text of a name that contexts have. Those that every action has are made once.
pub(crate) fn word(name: &str) -> Text {
    match name {
        "actions" => literal!("actions"),
        "buildPath" => literal!("buildPath"),
        "disabled" => literal!("disabled"),
        "inputs" => literal!("inputs"),
        "mode" => literal!("mode"),
        "modules" => literal!("modules"),
        "name" => literal!("name"),
        "outputs" => literal!("outputs"),
        "parent" => literal!("parent"),
        "providers" => literal!("providers"),
        "runtime" => literal!("runtime"),
        "sourcePath" => literal!("sourcePath"),
        "template" => literal!("template"),
        "this" => literal!("this"),
        "var" => literal!("var"),
        "variables" => literal!("variables"),
        "version" => literal!("version"),
        other => other.into(),
    }
}
