//! The lookups and calls in templates, as written: without a context, and with conditional ones marked.

use super::node::{Data, Lazy, Node, OperatorKind};
use super::syntax::ast::{Block, Expr, ExprKind, Key, Part};
use crate::text::Text;
use crate::value::Prov;

/// A lookup or a call in a template.
pub(crate) struct Use<'a> {
    pub kind: UseKind<'a>,
    /// Where the template is written.
    pub place: &'a Prov,
    /// Whether its value does not always matter: it is in a branch, or has a fallback.
    pub is_conditional: bool,
}

/// How a template uses another value.
#[derive(Clone, Copy)]
pub(crate) enum UseKind<'a> {
    /// It looks up a key path.
    Lookup(&'a [Key]),
    /// It calls a function.
    Call(&'a Text),
}

impl<'a> Use<'a> {
    /// Returns the segments of a key path, without computed ones; empty for calls.
    pub(crate) fn path(&self) -> Vec<Option<&'a str>> {
        let UseKind::Lookup(keys) = self.kind else { return Vec::new() };
        let segment = |key: &'a Key| match key {
            Key::Name(name) => Some(name.as_str()),
            Key::Computed(Expr { kind: ExprKind::Text(text), .. }) => Some(text.as_str()),
            Key::Index(_) | Key::Computed(_) => None,
        };
        keys.iter().map(segment).collect()
    }
}

/// Hands every lookup and call in a value to `on`.
pub(crate) fn each_use<'a>(node: &'a Node, on: &mut dyn FnMut(Use<'a>)) {
    UseWalk { on, is_conditional: false }.node(node);
}

/// The same for a part of a template, which is written at a place.
pub(crate) fn each_use_in<'a>(part: &'a Part, place: &'a Prov, on: &mut dyn FnMut(Use<'a>)) {
    UseWalk { on, is_conditional: false }.part(part, place);
}

struct UseWalk<'a, 'f> {
    on: &'f mut dyn FnMut(Use<'a>),
    is_conditional: bool,
}

impl<'a> UseWalk<'a, '_> {
    fn node(&mut self, node: &'a Node) {
        match &node.data {
            Data::List(items) => items.iter().for_each(|item| self.node(item)),
            Data::Map(map) => map.iter().for_each(|(_, value)| self.node(value)),
            Data::Lazy(lazy) => match &**lazy {
                Lazy::Template(template) => self.block(&template.block, &node.prov),
                Lazy::Operator(operator) => self.operator(&operator.kind),
                Lazy::Captured { node, .. } => self.node(node),
                Lazy::Patch(all) => all.iter().for_each(|node| self.node(node)),
            },
            _ => {}
        }
    }

    fn operator(&mut self, kind: &'a OperatorKind) {
        match kind {
            OperatorKind::Merge(map) => map.iter().for_each(|(_, value)| self.node(value)),
            OperatorKind::Concat(items) => items.iter().for_each(|item| self.node(item)),
            OperatorKind::Flatten(each) => self.node(each),
            OperatorKind::If { test, then, otherwise } => {
                self.node(test);
                self.maybe(|walk| [then, otherwise].into_iter().for_each(|node| walk.node(node)));
            }
            OperatorKind::ForEach { input, filter, result } => {
                self.node(input);
                self.maybe(|walk| filter.iter().chain([result]).for_each(|node| walk.node(node)));
            }
        }
    }

    /// Examines what counts only sometimes.
    fn maybe(&mut self, look: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_conditional, true);
        look(self);
        self.is_conditional = before;
    }

    fn block(&mut self, block: &'a Block, place: &'a Prov) {
        block.parts.iter().for_each(|part| self.part(part, place));
    }

    fn part(&mut self, part: &'a Part, place: &'a Prov) {
        match part {
            Part::Text(_) | Part::Escaped(_) => {}
            Part::Format(format) => self.expression(&format.expr, place),
            Part::If(block) => {
                self.expression(&block.condition.expr, place);
                if let Some((then, otherwise)) = &block.branches {
                    self.maybe(|walk| [then, otherwise].into_iter().for_each(|block| walk.block(block, place)));
                }
            }
        }
    }

    fn expression(&mut self, expr: &'a Expr, place: &'a Prov) {
        let all = |walk: &mut Self, all: &'a [Expr]| all.iter().for_each(|expr| walk.expression(expr, place));
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Text(_) => {}
            ExprKind::Nested(template) => self.block(&template.block, place),
            ExprKind::List(items) => all(self, items),
            ExprKind::Call { name, arguments } => {
                (self.on)(Use { kind: UseKind::Call(name), place, is_conditional: self.is_conditional });
                all(self, arguments);
            }
            ExprKind::Lookup(path) => {
                let keys = &path.keys;
                (self.on)(Use { kind: UseKind::Lookup(keys), place, is_conditional: self.is_conditional });
                for key in keys {
                    if let Key::Computed(expr) = key {
                        self.expression(expr, place);
                    }
                }
            }
            ExprKind::Not(inner) | ExprKind::TypeOf(inner) => self.maybe(|walk| walk.expression(inner, place)),
            ExprKind::Contains(left, right) => {
                self.expression(left, place);
                self.expression(right, place);
            }
            ExprKind::Chain(first, rest) => {
                self.expression(first, place);
                rest.iter().for_each(|(_, expr)| self.expression(expr, place));
            }
            ExprKind::Or(items) | ExprKind::And(items) => self.maybe(|walk| all(walk, items)),
            ExprKind::Ternary(items) => self.maybe(|walk| all(walk, &items[..])),
        }
    }
}
