//! The state of one query, and what operators need of it.

use super::node::{Arena, Id, Kind, too_much};
use super::op::Expr;
use super::{QueryError, R};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Expressions inside texts and aliases nest on top of the tree's own depth.
const MAX_NESTING: usize = 220;

/// The context of an evaluation.
#[derive(Clone, Debug)]
pub(super) struct Ctx {
    /// The current nodes. The list is shared: operators that change nodes in place return the very same list.
    pub(super) nodes: Rc<Vec<Id>>,
    pub(super) vars: Rc<BTreeMap<Rc<str>, Rc<Vec<Id>>>>,
    /// Whether missing keys are not created.
    pub(super) read_only: bool,
}

impl Ctx {
    pub(super) fn with(&self, nodes: Vec<Id>) -> Ctx {
        Ctx { nodes: Rc::new(nodes), ..self.clone() }
    }

    pub(super) fn of(&self, node: Id) -> Ctx {
        self.with(vec![node])
    }

    pub(super) fn read_only(&self) -> Ctx {
        Ctx { read_only: true, ..self.clone() }
    }

    pub(super) fn writable(&self) -> Ctx {
        Ctx { read_only: false, ..self.clone() }
    }

    pub(super) fn first(&self) -> Option<Id> {
        self.nodes.first().copied()
    }
}

/// Evaluates an expression with its operator.
pub(super) type Apply = fn(&mut Engine, &Ctx, &Rc<Expr>) -> R<Ctx>;

/// The state of one query.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) arena: Arena,
    /// The function that evaluates expressions: operators use it for their operands, and need not depend on each other.
    apply: Apply,
    nesting: usize,
}

/// Whether the text of a boolean means true.
pub(super) fn truthy_text(text: &str) -> bool {
    ["y", "yes", "on", "true"].iter().any(|t| text.eq_ignore_ascii_case(t))
}

pub(super) fn bad<T>(message: impl Into<String>) -> R<T> {
    Err(QueryError::Bad(message.into()))
}

impl Engine {
    /// An engine that may take so many steps.
    pub(super) fn new(apply: Apply, steps: u64) -> Self {
        Engine { arena: Arena::new(steps), apply, nesting: 0 }
    }

    /// Parses an expression, which costs as much as it is long.
    pub(super) fn parse(&self, expression: &str) -> R<Option<Rc<Expr>>> {
        self.arena.take(expression.len())?;
        super::parse::parse(expression)
    }

    /// A context of one node.
    pub(super) fn root(&self, node: Id) -> Ctx {
        Ctx { nodes: Rc::new(vec![node]), vars: Rc::default(), read_only: false }
    }

    pub(super) fn truthy(&self, id: Id) -> bool {
        let node = self.arena.get(id);
        match &*node.tag {
            "!!null" => false,
            "!!bool" if node.kind == Kind::Scalar => truthy_text(&node.text),
            _ => true,
        }
    }

    pub(super) fn boolean(&mut self, owner: Option<Id>, value: bool) -> R<Id> {
        let text = if value { "true" } else { "false" };
        let Some(owner) = owner else { return self.arena.scalar("!!bool", text) };
        self.arena.replacement(owner, Kind::Scalar, "!!bool", text)
    }

    /// Counts work, so that no expression runs without end.
    pub(super) fn tick(&self) -> R<()> {
        self.arena.take(1)
    }

    /// Evaluates an expression; `None` leaves everything unchanged.
    pub(super) fn eval(&mut self, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
        let Some(expr) = expr else { return Ok(ctx.clone()) };
        self.tick()?;
        self.nesting += 1;
        let result = if self.nesting > MAX_NESTING { too_much() } else { (self.apply)(self, ctx, expr) };
        self.nesting -= 1;
        result
    }

    /// Runs `f` on each current node and collects what it yields.
    pub(super) fn each(&mut self, ctx: &Ctx, mut f: impl FnMut(&mut Self, Id, &mut Vec<Id>) -> R<()>) -> R<Ctx> {
        let mut out = Vec::new();
        for &id in ctx.nodes.iter() {
            self.tick()?;
            f(self, id, &mut out)?;
        }
        Ok(ctx.with(out))
    }

    /// The text of a scalar, YAML of anything else without the last line break.
    pub(super) fn as_text(&self, id: Id) -> R<String> {
        if self.arena.kind(id) == Kind::Scalar {
            return Ok(self.arena.text(id).to_owned());
        }
        Ok(super::print::yaml(&self.arena, id)?.trim_end_matches('\n').to_owned())
    }
}
