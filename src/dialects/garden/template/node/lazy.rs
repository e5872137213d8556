//! Values that wait for a context: templates, structural operators, and values that belong to a context of their own.

use super::{Node, Object};
use crate::dialects::garden::template::syntax::ast::Template;
use crate::text::Text;
use std::sync::Arc;

/// The keys of structural operators.
pub(crate) mod keys {
    pub(crate) const MERGE: &str = "$merge";
    pub(crate) const CONCAT: &str = "$concat";
    pub(crate) const IF: &str = "$if";
    pub(crate) const THEN: &str = "$then";
    pub(crate) const ELSE: &str = "$else";
    pub(crate) const FOR_EACH: &str = "$forEach";
    pub(crate) const FILTER: &str = "$filter";
    pub(crate) const RETURN: &str = "$return";
}

/// The number of a context among those of the evaluator that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContextId(pub u32);

/// A value that needs a context.
#[derive(Debug)]
pub(crate) enum Lazy {
    /// A template string.
    Template(Template),
    /// `$merge`, `$concat`, `$if`, `$forEach`.
    Operator(Operator),
    /// A value that is evaluated in its own context, below the one that reads it.
    Captured {
        node: Node,
        /// The context that belongs to it.
        context: ContextId,
        /// Whether everything is known to that context; otherwise `$merge` skips what cannot be evaluated.
        is_final: bool,
    },
    /// Mappings of which later ones are merge patches (RFC 7396) for the earlier ones.
    Patch(Vec<Node>),
}

impl Lazy {
    /// The value as it is written.
    pub(crate) fn source(&self) -> Node {
        match self {
            Lazy::Template(template) => Node::text(Text::clone(&template.raw)),
            Lazy::Operator(operator) => operator.source.clone(),
            Lazy::Captured { node, .. } => node.clone(),
            Lazy::Patch(all) => all.last().cloned().unwrap_or_default(),
        }
    }
}

/// A structural operator.
#[derive(Debug)]
pub(crate) struct Operator {
    pub kind: OperatorKind,
    /// As it is written.
    pub source: Node,
}

/// A structural operator.
#[derive(Debug)]
pub(crate) enum OperatorKind {
    /// A mapping with `$merge` among its keys.
    Merge(Arc<Object>),
    /// A list with `{$concat: …}` among its items.
    Concat(Arc<Vec<Node>>),
    /// A `$forEach` whose results are lists that become one.
    Flatten(Node),
    /// `$if`, `$then`, `$else`.
    If {
        /// The condition.
        test: Node,
        /// The value if it is true.
        then: Node,
        /// The value if it is false; `undefined` if none is written.
        otherwise: Node,
    },
    /// `$forEach`, `$filter`, `$return`.
    ForEach {
        /// The list or mapping.
        input: Node,
        /// Which of its items count.
        filter: Option<Node>,
        /// The value of each item.
        result: Node,
    },
}
