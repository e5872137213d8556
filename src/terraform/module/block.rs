//! Blocks of configuration with their arguments.

use crate::hcl::ast::{Attribute, Block, Body, Expr, ExprKind, Span, TraversalStep, walk};
use crate::terraform::failure::Place;
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// Arguments of a module call that mean something to the call itself.
pub(crate) const META: [&str; 6] = ["source", "version", "count", "for_each", "depends_on", "providers"];

/// An expression with its place.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub file: FileId,
    /// The argument, name and value.
    pub span: Span,
    /// The value.
    pub expr: Arc<Expr>,
}

impl Written {
    /// An argument in a body.
    pub(crate) fn of(file: FileId, attribute: &Attribute) -> Self {
        Written { file, span: attribute.span(), expr: Arc::clone(&attribute.expr) }
    }

    /// Where the value is.
    pub(crate) fn place(&self) -> Place {
        (self.file, self.expr.span)
    }

    pub(crate) fn argument(&self) -> Place {
        (self.file, self.span)
    }

    /// Whether it is written as `false`.
    pub(crate) fn is_false(&self) -> bool {
        matches!(self.expr.kind, ExprKind::Bool(false))
    }
}

/// Arguments by name.
pub(crate) type Arguments = BTreeMap<Text, Written>;

/// A block inside of another one, with its file: overrides are in files of their own.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    pub file: FileId,
    pub block: Block,
}

impl Deref for Nested {
    type Target = Block;

    fn deref(&self) -> &Block {
        &self.block
    }
}

/// A block with arguments.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// Its type and labels.
    pub place: Place,
    /// Its opening brace.
    pub brace: Place,
    /// Its arguments, the last override first.
    pub arguments: Arguments,
    pub blocks: Vec<Nested>,
    /// Whether it was written in JSON.
    pub is_json: bool,
    /// Where the last override is, if there is one.
    pub overridden: Option<Place>,
}

impl Declared {
    /// Whether an argument is written as `true`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.arguments.get(name).is_some_and(|written| matches!(written.expr.kind, ExprKind::Bool(true)))
    }
}

/// A block with a label and its content: a backend.
#[derive(Clone, Debug)]
pub(crate) struct Backend {
    /// The type; `cloud` for a cloud block.
    pub kind: Text,
    /// Its header.
    pub place: Place,
    /// Its content.
    pub body: Body,
}

/// A provider configuration.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// The local name of the provider.
    pub name: Text,
    /// The alias, if it has one.
    pub alias: Option<Text>,
    pub block: Declared,
}

/// A use of a provider configuration: `provider = aws.x["key"]`.
#[derive(Clone, Debug)]
pub(crate) struct ProviderUse {
    /// The expression.
    pub written: Written,
}

/// The local name and the alias of a provider configuration that an expression names, with a key or without; `None` if it names
/// none. A provider may be called as a literal is: `null.west`.
pub(crate) fn configuration(expr: &Expr) -> Option<(&str, Option<&Text>)> {
    let expr = walk::unwrapped(expr);
    let base = if let ExprKind::Index(base, _) = &expr.kind { base } else { expr };
    let (name, steps) = match &base.kind {
        ExprKind::Traversal(root, steps) => (&*root.text, steps.as_slice()),
        ExprKind::Access(inner, steps) => (literal_name(inner)?, steps.as_slice()),
        _ => (literal_name(base)?, &[][..]),
    };
    match steps.first() {
        Some(TraversalStep::Attribute(alias)) => Some((name, Some(&alias.text))),
        _ => Some((name, None)),
    }
}

/// The name that a literal is where references are read without evaluating them.
pub(crate) fn literal_name(expr: &Expr) -> Option<&'static str> {
    match expr.kind {
        ExprKind::Null => Some("null"),
        ExprKind::Bool(true) => Some("true"),
        ExprKind::Bool(false) => Some("false"),
        _ => None,
    }
}

/// The targets of encryption and what they use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Encryption {
    /// The header of the block.
    pub place: Option<Place>,
    /// Key providers by `type.name`.
    pub key_providers: BTreeMap<Text, Declared>,
    /// Methods by `type.name`.
    pub methods: BTreeMap<Text, Declared>,
    /// `state`, `plan`.
    pub targets: BTreeMap<Text, Target>,
    /// `default` and the named ones of `remote_state_data_sources`.
    pub remote: BTreeMap<Text, Target>,
}

/// The target of encryption, and its method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    pub method: Option<Written>,
    /// Whether unencrypted data are rejected.
    pub enforced: Option<Written>,
    /// The fallback for reading.
    pub fallback: Option<Box<Target>>,
}

/// A refactoring block: `moved`, `removed` or `import`.
#[derive(Clone, Debug)]
pub(crate) struct Refactoring {
    pub kind: Text,
    pub block: Declared,
}
