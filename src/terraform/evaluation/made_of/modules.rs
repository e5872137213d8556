//! What names mean in modules as they are written, whatever instances there are of them.

use crate::hcl::ast::{Expr, TraversalStep};
use crate::hcl::val::Val;
use crate::terraform::evaluation::followed::Followed;
use crate::terraform::evaluation::made_of::{MadeOf, Meanings, Repeated, Which, find, has_key, repetition};
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::paths;
use crate::text::Text;
use crate::value::{FileId, Value};
use std::sync::Arc;

/// A module, and what repeats the block in which an expression is.
#[derive(Clone)]
pub(crate) struct InModule {
    node: usize,
    repeated_by: Option<Written>,
}

impl Statics<'_> {
    /// What an argument in a module is made of, and where that is written.
    pub(crate) fn made_of(&self, node: usize, written: &Written) -> MadeOf {
        find(self, &InModule { node, repeated_by: None }, written)
    }

    /// Whether a path begins in the home folder of the user, as far as at most so many names in a row show it.
    pub(in crate::terraform::evaluation) fn is_at_home(&self, node: usize, written: &Written, most: usize) -> bool {
        let named = |node: usize, written: &Written| most > 0 && self.is_at_home(node, written, most - 1);
        let text = |path: &Expr| Some(self.known_text(node, written.file, path)?.0);
        paths::is_at_home(&written.expr, &text, &|root, name| match root {
            "local" => self.nodes[node].module.locals.get(name).is_some_and(|local| named(node, local)),
            "var" => {
                let argument = self.argument(&InModule { node, repeated_by: None }, name);
                argument.is_some_and(|(caller, argument)| named(caller.node, &argument))
            }
            _ => false,
        })
    }

    /// Whether the value of a name in a module has a key.
    pub(crate) fn has_key(&self, node: usize, expr: &Expr, key: &str) -> Option<bool> {
        has_key(self, &InModule { node, repeated_by: None }, expr, key)
    }
}

impl Meanings for Statics<'_> {
    type At = InModule;

    fn followed(&self) -> &Followed {
        &self.followed
    }

    fn statics(&self) -> &Statics<'_> {
        self
    }

    fn node(&self, at: &InModule) -> usize {
        at.node
    }

    fn prefix(&self, at: &InModule) -> String {
        self.nodes[at.node].prefix.clone()
    }

    fn key(&self, _: &InModule) -> String {
        String::new()
    }

    fn local(&self, at: &InModule, name: &Text) -> Option<Val> {
        self.local_value(at.node, name).ok()
    }

    fn variable(&self, at: &InModule, name: &Text) -> Option<Val> {
        self.variable_value(at.node, name).ok()
    }

    fn output(&self, at: &InModule, name: &Text) -> Option<Val> {
        let module = Arc::clone(&self.nodes[at.node].module);
        let written = module.outputs.get(name)?.arguments.get("value")?;
        let identifier = Identifier { text: format!("output.{name}"), place: written.argument() };
        self.value(at.node, written, identifier).ok()
    }

    fn attribute(&self, at: &InModule, address: &str, name: &Text) -> Option<Val> {
        let module = Arc::clone(&self.nodes[at.node].module);
        let declared = match address.strip_prefix("module.") {
            Some(call) => module.calls.get(call)?,
            None => module.resources.get(address)?,
        };
        let written = declared.arguments.get(name)?;
        let identifier = Identifier { text: format!("{address}.{name}"), place: written.argument() };
        self.value(at.node, written, identifier).ok()
    }

    fn blocks(&self, _: &InModule, _: &str, _: &Text) -> Option<Value> {
        None
    }

    fn argument(&self, at: &InModule, name: &Text) -> Option<(InModule, Written)> {
        let child = &self.nodes[at.node];
        let node = child.parent?;
        let call = self.nodes[node].module.calls.get(child.path.last()?)?;
        Some((InModule { node, repeated_by: repetition(call).cloned() }, call.arguments.get(name)?.clone()))
    }

    fn called(&self, at: &InModule, _: FileId, call: &Text, _: Which<'_>) -> Option<Vec<InModule>> {
        let is_meant =
            |child: usize| self.nodes[child].parent == Some(at.node) && self.nodes[child].path.last() == Some(call);
        let node = (0..self.nodes.len()).find(|child| is_meant(*child))?;
        Some(vec![InModule { node, repeated_by: None }])
    }

    fn instances(&self, at: &InModule, _: FileId, (_, block): (&Text, &Declared), _: Which<'_>) -> Vec<InModule> {
        vec![InModule { node: at.node, repeated_by: repetition(block).cloned() }]
    }

    fn keys(&self, _: &InModule, _: &Text) -> Option<String> {
        None
    }

    fn repeated(&self, at: &InModule, root: &str, _: &[TraversalStep]) -> Option<Repeated<InModule>> {
        let written = at.repeated_by.clone().filter(|_| matches!(root, "each" | "count"))?;
        let from = Some((InModule { node: at.node, repeated_by: None }, written));
        Some(Repeated { value: None, from })
    }

    fn named_files(&self, at: &InModule, written: &Written) -> NamedFiles {
        Statics::named_files(self, at.node, written)
    }
}
