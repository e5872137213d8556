//! Evaluation: an expression turns a list of nodes into a list of nodes, and may change the document on the way.

use super::engine::{Ctx, Engine, bad};
use super::node::too_much;
use super::op::{Expr, Op};
use super::{QueryError, R};
use super::{assign, build, lists, math, path, structure, texts};
use std::rc::Rc;

/// Evaluates an expression with its operator.
pub(super) fn apply(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let rhs = e.rhs.as_ref();
    match &e.op {
        Op::Itself => Ok(ctx.clone()),
        Op::Empty | Op::Block => Ok(ctx.with(Vec::new())),
        Op::Pipe | Op::ShortPipe => pipe(engine, ctx, e),
        Op::Union => union(engine, ctx, e),
        Op::Alias(text) => {
            let expr = engine.parse(text)?;
            engine.eval(ctx, expr.as_ref())
        }
        Op::Scalar { tag, text } => scalars(engine, ctx, tag, text),
        Op::Reference(id) => Ok(ctx.of(*id)),
        Op::Text(text) => interpolated(engine, ctx, text),
        Op::Variable(name) => Ok(Ctx { nodes: ctx.vars.get(name).cloned().unwrap_or_default(), ..ctx.clone() }),
        Op::AssignVariable { .. } => bad("must use variable with a pipe, e.g. `exp as $x | ...`"),
        Op::Reduce => reduce(engine, ctx, e),
        Op::Unsupported(name, _) | Op::UnsupportedSetter(name) => Err(QueryError::Unsupported(format!("yq `{name}`"))),
        Op::Step(step, prefs) => {
            engine.each(ctx, |this, id, out| path::step(this, id, step, *prefs, ctx.read_only, out))
        }
        Op::Indices { optional } => path::indices(engine, ctx, e, *optional),
        Op::Descend { keys } => {
            let mut out = Vec::new();
            for &id in ctx.nodes.iter() {
                path::descend(engine, id, *keys, true, &mut out, 0)?;
            }
            Ok(ctx.with(out))
        }
        Op::Collect => build::collect(engine, ctx, rhs),
        Op::CollectObject => build::collect_object(engine, ctx),
        Op::CreateMap => build::create_map(engine, ctx, e),
        Op::Or | Op::And | Op::Equals { .. } | Op::Compare { .. } | Op::Alternative | Op::Contains => {
            math::comparison(engine, ctx, e)
        }
        Op::Add | Op::Subtract | Op::Multiply(_) | Op::Divide | Op::Modulo => math::arithmetic(engine, ctx, e),
        Op::Assign { .. } | Op::AddAssign | Op::SubtractAssign | Op::MultiplyAssign(_) => {
            assign::assignment(engine, ctx, e)
        }
        Op::AssignAttributes { .. } | Op::AssignTag { .. } => assign::assignment(engine, ctx, e),
        Op::AssignStyle { .. } | Op::AssignLook => assign::assignment(engine, ctx, e),
        Op::Delete | Op::DelPaths | Op::SetPath | Op::With | Op::MapValues => assign::assignment(engine, ctx, e),
        Op::Select | Op::Filter | Op::Map | Op::First | Op::Any | Op::All | Op::AnyC | Op::AllC => {
            lists::choice(engine, ctx, e)
        }
        Op::Sort | Op::SortBy | Op::SortKeys | Op::Unique | Op::UniqueBy | Op::GroupBy | Op::Reverse => {
            lists::ordering(engine, ctx, e)
        }
        Op::Min | Op::Max => lists::ordering(engine, ctx, e),
        Op::Join | Op::Split | Op::Substitute | Op::Match | Op::Capture | Op::Test | Op::Case { .. } => {
            texts::texts(engine, ctx, e)
        }
        Op::Trim | Op::ToText | Op::ToNumber | Op::Encode(..) => texts::texts(engine, ctx, e),
        _ => structure::structure(engine, ctx, e),
    }
}

/// The same scalar once for each node, and at least once.
fn scalars(engine: &mut Engine, ctx: &Ctx, tag: &str, text: &str) -> R<Ctx> {
    let mut out = Vec::new();
    for _ in 0..ctx.nodes.len().max(1) {
        out.push(engine.arena.scalar(tag, text)?);
    }
    Ok(ctx.with(out))
}

fn pipe(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let is_binding = e.lhs.as_ref().is_some_and(|l| matches!(l.op, Op::AssignVariable { .. }));
    if is_binding {
        return bind(engine, ctx, e);
    }
    let lhs = engine.eval(ctx, e.lhs.as_ref())?;
    let inner = Ctx { nodes: lhs.nodes, ..ctx.clone() };
    let rhs = engine.eval(&inner, e.rhs.as_ref())?;
    Ok(Ctx { nodes: rhs.nodes, ..ctx.clone() })
}

fn union(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let lhs = engine.eval(ctx, e.lhs.as_ref())?;
    let rhs = engine.eval(ctx, e.rhs.as_ref())?;
    engine.arena.take(lhs.nodes.len() + rhs.nodes.len())?;
    let mut nodes = lhs.nodes.to_vec();
    // Two operands that both changed the same nodes are one result.
    if !Rc::ptr_eq(&lhs.nodes, &rhs.nodes) {
        nodes.extend(rhs.nodes.iter());
    }
    Ok(lhs.with(nodes))
}

/// `values as $name | body`: the body once for each value.
fn bind(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let Some(binding) = e.lhs.as_ref() else { return Ok(ctx.clone()) };
    let reference = matches!(binding.op, Op::AssignVariable { reference: true });
    let singles: Vec<Ctx> =
        if ctx.nodes.is_empty() { vec![ctx.clone()] } else { ctx.nodes.iter().map(|&id| ctx.of(id)).collect() };
    let mut out = Vec::new();
    for single in singles {
        let values = engine.eval(&single.read_only(), binding.lhs.as_ref())?;
        let Some(Op::Variable(name)) = binding.rhs.as_ref().map(|r| &r.op) else {
            return bad("RHS of 'as' operator must be a variable name e.g. $foo");
        };
        if values.nodes.is_empty() {
            out.extend(engine.eval(&single, e.rhs.as_ref())?.nodes.iter());
        }
        for &value in values.nodes.iter() {
            let value = if reference { value } else { engine.arena.copy(value)? };
            let mut inner = single.clone();
            Rc::make_mut(&mut inner.vars).insert(name.clone(), Rc::new(vec![value]));
            out.extend(engine.eval(&inner, e.rhs.as_ref())?.nodes.iter());
        }
    }
    Ok(ctx.with(out))
}

/// `values as $name ireduce (start; step)`.
fn reduce(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let (Some(binding), Some(block)) = (e.lhs.as_ref(), e.rhs.as_ref()) else { return Ok(ctx.clone()) };
    if !matches!(binding.op, Op::AssignVariable { .. }) {
        return bad(format!("reduce must be given a variables assignment, got {} instead", super::name(&binding.op)));
    }
    if !matches!(block.op, Op::Block) {
        return bad(format!("reduce must be given a block, got {} instead", super::name(&block.op)));
    }
    let values = engine.eval(ctx, binding.lhs.as_ref())?;
    let name: Rc<str> = match binding.rhs.as_ref().map(|r| &r.op) {
        Some(Op::Variable(name)) => name.clone(),
        _ => "".into(),
    };
    let mut sum = engine.eval(ctx, block.lhs.as_ref())?;
    for &value in values.nodes.iter() {
        Rc::make_mut(&mut sum.vars).insert(name.clone(), Rc::new(vec![value]));
        sum = engine.eval(&sum, block.rhs.as_ref())?;
    }
    Ok(sum)
}

/// Text with `\(expression)` parts, once for each node.
fn interpolated(engine: &mut Engine, ctx: &Ctx, text: &str) -> R<Ctx> {
    let mut out = Vec::new();
    if ctx.nodes.is_empty() {
        let value = interpolate(engine, ctx, text)?;
        out.push(engine.arena.scalar("!!str", &value)?);
    }
    for &id in ctx.nodes.iter() {
        let value = interpolate(engine, &ctx.of(id), text)?;
        out.push(engine.arena.scalar("!!str", &value)?);
    }
    Ok(ctx.with(out))
}

fn interpolate(engine: &mut Engine, ctx: &Ctx, text: &str) -> R<String> {
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
                let parsed = engine.parse(&expression)?;
                let result = engine.eval(ctx, parsed.as_ref())?;
                if let Some(id) = result.first() {
                    out.push_str(&engine.as_text(id)?);
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
