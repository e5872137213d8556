//! Evaluation: an expression turns a list of nodes into a list of nodes, and may change the document on the way.

use super::node::{Arena, Id, Kind, too_much};
use super::op::{Expr, Op};
use super::{QueryError, R};
use std::collections::BTreeMap;
use std::rc::Rc;

/// More evaluations than any sensible expression takes.
const MAX_STEPS: usize = 300_000;
/// Expressions inside texts and aliases nest on top of the tree's own depth.
const MAX_NESTING: usize = 220;

/// What an expression is evaluated against.
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

/// The state of one query.
#[derive(Debug, Default)]
pub(super) struct Engine {
    pub(super) arena: Arena,
    steps: usize,
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
    pub(super) fn tick(&mut self) -> R<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS { too_much() } else { Ok(()) }
    }

    /// Evaluates an expression; none leaves everything as it is.
    pub(super) fn eval(&mut self, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
        let Some(expr) = expr else { return Ok(ctx.clone()) };
        self.tick()?;
        self.nesting += 1;
        let result = if self.nesting > MAX_NESTING { too_much() } else { self.apply(ctx, expr) };
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

    fn apply(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let rhs = e.rhs.as_ref();
        match &e.op {
            Op::Itself => Ok(ctx.clone()),
            Op::Empty | Op::Block => Ok(ctx.with(Vec::new())),
            Op::Pipe | Op::ShortPipe => self.pipe(ctx, e),
            Op::Union => self.union(ctx, e),
            Op::Alias(text) => {
                let expr = super::parse::parse(text)?;
                self.eval(ctx, expr.as_ref())
            }
            Op::Scalar { tag, text } => {
                let mut out = Vec::new();
                for _ in 0..ctx.nodes.len().max(1) {
                    out.push(self.arena.scalar(tag, text)?);
                }
                Ok(ctx.with(out))
            }
            Op::Reference(id) => Ok(ctx.of(*id)),
            Op::Text(text) => self.interpolated(ctx, text),
            Op::Variable(name) => Ok(Ctx { nodes: ctx.vars.get(name).cloned().unwrap_or_default(), ..ctx.clone() }),
            Op::AssignVariable { .. } => bad("must use variable with a pipe, e.g. `exp as $x | ...`"),
            Op::Reduce => self.reduce(ctx, e),
            Op::Unsupported(name, _) | Op::UnsupportedSetter(name) => {
                Err(QueryError::Unsupported(format!("yq `{name}`")))
            }
            Op::Step(step, prefs) => self.each(ctx, |this, id, out| this.step(id, step, *prefs, ctx.read_only, out)),
            Op::Indices { optional } => self.indices(ctx, e, *optional),
            Op::Descend { keys } => {
                let mut out = Vec::new();
                for &id in ctx.nodes.iter() {
                    self.descend(id, *keys, true, &mut out, 0)?;
                }
                Ok(ctx.with(out))
            }
            Op::Collect => self.collect(ctx, rhs),
            Op::CollectObject => self.collect_object(ctx),
            Op::CreateMap => self.create_map(ctx, e),
            Op::Or | Op::And | Op::Equals { .. } | Op::Compare { .. } | Op::Alternative | Op::Contains => {
                self.comparison(ctx, e)
            }
            Op::Add | Op::Subtract | Op::Multiply(_) | Op::Divide | Op::Modulo => self.arithmetic(ctx, e),
            Op::Assign { .. } | Op::AddAssign | Op::SubtractAssign | Op::MultiplyAssign(_) => self.assignment(ctx, e),
            Op::AssignAttributes { .. } | Op::AssignTag { .. } => self.assignment(ctx, e),
            Op::AssignStyle { .. } | Op::AssignLook => self.assignment(ctx, e),
            Op::Delete | Op::DelPaths | Op::SetPath | Op::With | Op::MapValues => self.assignment(ctx, e),
            Op::Select | Op::Filter | Op::Map | Op::First | Op::Any | Op::All | Op::AnyC | Op::AllC => {
                self.choice(ctx, e)
            }
            Op::Sort | Op::SortBy | Op::SortKeys | Op::Unique | Op::UniqueBy | Op::GroupBy | Op::Reverse => {
                self.ordering(ctx, e)
            }
            Op::Min | Op::Max => self.ordering(ctx, e),
            Op::Join | Op::Split | Op::Substitute | Op::Match | Op::Capture | Op::Test | Op::Case { .. } => {
                self.texts(ctx, e)
            }
            Op::Trim | Op::ToText | Op::ToNumber | Op::Encode(..) => self.texts(ctx, e),
            _ => self.structure(ctx, e),
        }
    }

    fn pipe(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let is_binding = e.lhs.as_ref().is_some_and(|l| matches!(l.op, Op::AssignVariable { .. }));
        if is_binding {
            return self.bind(ctx, e);
        }
        let lhs = self.eval(ctx, e.lhs.as_ref())?;
        let inner = Ctx { nodes: lhs.nodes, ..ctx.clone() };
        let rhs = self.eval(&inner, e.rhs.as_ref())?;
        Ok(Ctx { nodes: rhs.nodes, ..ctx.clone() })
    }

    fn union(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let lhs = self.eval(ctx, e.lhs.as_ref())?;
        let rhs = self.eval(ctx, e.rhs.as_ref())?;
        let mut nodes = lhs.nodes.to_vec();
        // Two operands that both changed the same nodes are one result.
        if !Rc::ptr_eq(&lhs.nodes, &rhs.nodes) {
            nodes.extend(rhs.nodes.iter());
        }
        Ok(lhs.with(nodes))
    }

    /// `values as $name | body`: the body once for each value.
    fn bind(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let Some(binding) = e.lhs.as_ref() else { return Ok(ctx.clone()) };
        let reference = matches!(binding.op, Op::AssignVariable { reference: true });
        let singles: Vec<Ctx> =
            if ctx.nodes.is_empty() { vec![ctx.clone()] } else { ctx.nodes.iter().map(|&id| ctx.of(id)).collect() };
        let mut out = Vec::new();
        for single in singles {
            let values = self.eval(&single.read_only(), binding.lhs.as_ref())?;
            let Some(Op::Variable(name)) = binding.rhs.as_ref().map(|r| &r.op) else {
                return bad("RHS of 'as' operator must be a variable name e.g. $foo");
            };
            if values.nodes.is_empty() {
                out.extend(self.eval(&single, e.rhs.as_ref())?.nodes.iter());
            }
            for &value in values.nodes.iter() {
                let value = if reference { value } else { self.arena.copy(value)? };
                let mut inner = single.clone();
                Rc::make_mut(&mut inner.vars).insert(name.clone(), Rc::new(vec![value]));
                out.extend(self.eval(&inner, e.rhs.as_ref())?.nodes.iter());
            }
        }
        Ok(ctx.with(out))
    }

    /// `values as $name ireduce (start; step)`.
    fn reduce(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let (Some(binding), Some(block)) = (e.lhs.as_ref(), e.rhs.as_ref()) else { return Ok(ctx.clone()) };
        if !matches!(binding.op, Op::AssignVariable { .. }) {
            return bad(format!(
                "reduce must be given a variables assignment, got {} instead",
                super::name(&binding.op)
            ));
        }
        if !matches!(block.op, Op::Block) {
            return bad(format!("reduce must be given a block, got {} instead", super::name(&block.op)));
        }
        let values = self.eval(ctx, binding.lhs.as_ref())?;
        let name: Rc<str> = match binding.rhs.as_ref().map(|r| &r.op) {
            Some(Op::Variable(name)) => name.clone(),
            _ => "".into(),
        };
        let mut sum = self.eval(ctx, block.lhs.as_ref())?;
        for &value in values.nodes.iter() {
            Rc::make_mut(&mut sum.vars).insert(name.clone(), Rc::new(vec![value]));
            sum = self.eval(&sum, block.rhs.as_ref())?;
        }
        Ok(sum)
    }

    /// Text with `\(expression)` parts, once for each node.
    fn interpolated(&mut self, ctx: &Ctx, text: &str) -> R<Ctx> {
        let mut out = Vec::new();
        if ctx.nodes.is_empty() {
            let value = self.interpolate(ctx, text)?;
            out.push(self.arena.scalar("!!str", &value)?);
        }
        for &id in ctx.nodes.iter() {
            let value = self.interpolate(&ctx.of(id), text)?;
            out.push(self.arena.scalar("!!str", &value)?);
        }
        Ok(ctx.with(out))
    }

    fn interpolate(&mut self, ctx: &Ctx, text: &str) -> R<String> {
        let mut out = String::new();
        let mut inner: Option<String> = None;
        let mut brackets = 0usize;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let Some(expression) = inner.as_mut() else {
                match (c, next) {
                    ('\\', Some('(')) => {
                        chars.next();
                        inner = Some(String::new());
                        continue;
                    }
                    ('\\', Some('\\')) => {
                        chars.next();
                    }
                    _ => {}
                }
                out.push(c);
                continue;
            };
            match (c, next) {
                (')', _) if brackets == 0 => {
                    let expression = inner.take().unwrap_or_default();
                    let parsed = super::parse::parse(&expression)?;
                    let result = self.eval(ctx, parsed.as_ref())?;
                    if let Some(id) = result.first() {
                        out.push_str(&self.as_text(id)?);
                    }
                    if out.len() > super::node::MAX_TEXT / 4 {
                        return too_much();
                    }
                    continue;
                }
                (')', _) => brackets -= 1,
                ('(', _) => brackets += 1,
                ('\\', Some(escaped @ (')' | '\\'))) => {
                    chars.next();
                    expression.push(escaped);
                    continue;
                }
                _ => {}
            }
            expression.push(c);
        }
        // An interpolation that never ends leaves the whole text as it is.
        Ok(if inner.is_some() { text.to_owned() } else { out })
    }

    /// The text of a scalar, YAML of anything else without the last line break.
    pub(super) fn as_text(&self, id: Id) -> R<String> {
        if self.arena.kind(id) == Kind::Scalar {
            return Ok(self.arena.text(id).to_owned());
        }
        Ok(super::print::yaml(&self.arena, id)?.trim_end_matches('\n').to_owned())
    }
}
