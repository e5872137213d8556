//! Operators that change the document: assignment, deletion, updates.

use super::build::walk;
use super::engine::{Ctx, Engine, bad};
use super::math;
use super::node::{Id, Kind, Style};
use super::op::{Expr, Op, Step, StepPrefs};
use super::path;
use super::{R, scalar};
use std::rc::Rc;

pub(super) fn assignment(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    match &e.op {
        Op::Assign { update, only_null } => assign(engine, ctx, e, *update, *only_null),
        Op::AddAssign => compound(engine, ctx, e, Op::Add),
        Op::SubtractAssign => compound(engine, ctx, e, Op::Subtract),
        Op::MultiplyAssign(prefs) => compound(engine, ctx, e, Op::Multiply(*prefs)),
        Op::AssignAttributes { only_null } => {
            let targets = engine.eval(ctx, e.lhs.as_ref())?;
            for &id in targets.nodes.iter() {
                let source = engine.eval(&ctx.of(id).read_only(), e.rhs.as_ref())?;
                if let Some(source) = source.first().filter(|_| !only_null || engine.arena.is_null(id)) {
                    take_attributes(engine, id, source);
                }
            }
            Ok(ctx.clone())
        }
        Op::AssignTag { update } => assign_text(engine, ctx, e, *update, set_tag),
        Op::AssignStyle { update } => assign_text(engine, ctx, e, *update, set_style),
        Op::AssignLook => {
            engine.eval(&ctx.read_only(), e.rhs.as_ref())?;
            engine.eval(ctx, e.lhs.as_ref())?;
            Ok(ctx.clone())
        }
        Op::Delete => delete(engine, ctx, e.rhs.as_ref()),
        Op::DelPaths => delete_paths(engine, ctx, e),
        Op::SetPath => set_path(engine, ctx, e),
        Op::With => {
            let Some(block) = e.rhs.as_ref().filter(|b| matches!(b.op, Op::Block)) else {
                return bad("with must be given a block (;)");
            };
            let targets = engine.eval(ctx, block.lhs.as_ref())?;
            for &id in targets.nodes.iter() {
                engine.eval(&targets.of(id), block.rhs.as_ref())?;
            }
            Ok(ctx.clone())
        }
        _ => {
            for &id in ctx.nodes.iter() {
                let values = path::splat(engine, id)?;
                update_targets(engine, ctx, &values, e.rhs.as_ref())?;
            }
            Ok(ctx.clone())
        }
    }
}

fn assign(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>, update: bool, only_null: bool) -> R<Ctx> {
    // Evaluated first, so that the targets are created.
    let targets = engine.eval(ctx, e.lhs.as_ref())?;
    if update {
        update_targets(engine, ctx, &targets.nodes, e.rhs.as_ref())?;
        return Ok(ctx.clone());
    }
    math::cross(engine, &ctx.read_only(), e, false, &mut |_, _| Ok(None), &mut |this, left, right| {
        if let (Some(l), Some(r)) = (left, right)
            && (!only_null || this.arena.is_null(l))
        {
            overwrite(this, l, r)?;
        }
        Ok(left)
    })?;
    Ok(ctx.clone())
}

/// Replaces each target by the result of the expression on it, the last one first: children come before parents.
fn update_targets(engine: &mut Engine, ctx: &Ctx, targets: &[Id], expr: Option<&Rc<Expr>>) -> R<()> {
    for &id in targets.iter().rev() {
        engine.tick()?;
        let result = engine.eval(&ctx.of(id), expr)?;
        if let Some(source) = result.first() {
            overwrite(engine, id, source)?;
        }
    }
    Ok(())
}

fn compound(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>, op: Op) -> R<Ctx> {
    let targets = engine.eval(ctx, e.lhs.as_ref())?;
    let Some(rhs) = e.rhs.as_ref() else { return Ok(ctx.clone()) };
    for &id in targets.nodes.iter() {
        let before = engine.arena.copy(id)?;
        let value = Expr::binary(op.clone(), Expr::leaf(Op::Reference(before)), rhs.clone());
        let assign = Op::Assign { update: false, only_null: false };
        let expr = Expr::binary(assign, Expr::leaf(Op::Reference(id)), value);
        engine.eval(ctx, Some(&expr))?;
    }
    Ok(ctx.clone())
}

/// Makes a node a copy of another, keeping its position.
pub(super) fn overwrite(engine: &mut Engine, id: Id, source: Id) -> R<()> {
    if id == source {
        return Ok(());
    }
    let (n, s) = (engine.arena.get(id), engine.arena.get(source));
    let restyle = (n.kind != Kind::Scalar && n.content.is_empty()) || n.tag != s.tag;
    let (kind, style, text, content) = (s.kind, s.style, s.text.clone(), s.content.clone());
    let node = engine.arena.get_mut(id);
    if restyle {
        node.style = style;
    }
    node.content = Vec::new();
    node.kind = kind;
    engine.arena.add_all(id, &content)?;
    engine.arena.get_mut(id).text = text;
    take_attributes(engine, id, source);
    Ok(())
}

fn take_attributes(engine: &mut Engine, id: Id, source: Id) {
    let s = engine.arena.get(source);
    let (kind, tag, style) = (s.kind, s.tag.clone(), s.style);
    let node = engine.arena.get_mut(id);
    if node.kind != kind {
        node.content = Vec::new();
        node.text = "".into();
    }
    node.kind = kind;
    if node.tag.is_empty() || node.tag.starts_with("!!") {
        node.tag = tag;
    }
    if node.style == Style::Plain {
        node.style = style;
    }
}

/// Calls `set` for each target with the text of the right side, of the target itself when updating.
fn assign_text(
    engine: &mut Engine,
    ctx: &Ctx,
    e: &Rc<Expr>,
    update: bool,
    set: fn(&mut Engine, Id, &str) -> R<()>,
) -> R<Ctx> {
    let mut text: Rc<str> = "".into();
    if !update && let Some(id) = engine.eval(&ctx.read_only(), e.rhs.as_ref())?.first() {
        text = engine.arena.get(id).text.clone();
    }
    for &id in engine.eval(ctx, e.lhs.as_ref())?.nodes.iter() {
        if update && let Some(id) = engine.eval(&ctx.of(id).read_only(), e.rhs.as_ref())?.first() {
            text = engine.arena.get(id).text.clone();
        }
        set(engine, id, &text)?;
    }
    Ok(ctx.clone())
}

fn set_tag(engine: &mut Engine, id: Id, tag: &str) -> R<()> {
    if !tag.starts_with("!!") {
        return Err(super::QueryError::Unsupported("yq custom tags".to_owned()));
    }
    engine.arena.get_mut(id).tag = tag.into();
    Ok(())
}

/// Quotes make text of a number.
fn set_style(engine: &mut Engine, id: Id, style: &str) -> R<()> {
    let style = match style {
        "" => Style::Plain,
        "double" => Style::Double,
        "single" => Style::Single,
        "literal" | "folded" => Style::Literal,
        "flow" => return Ok(()),
        "tagged" => return Err(super::QueryError::Unsupported("yq tagged style".to_owned())),
        other => return bad(format!("unknown style {other}")),
    };
    engine.arena.get_mut(id).style = style;
    Ok(())
}

fn delete(engine: &mut Engine, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
    let doomed = engine.eval(&ctx.read_only(), expr)?;
    for &id in doomed.nodes.iter().rev() {
        engine.tick()?;
        let Some(parent) = engine.arena.get(id).parent else {
            return Ok(ctx.with(ctx.nodes.iter().copied().filter(|&n| n != id).collect()));
        };
        let Some(step) = engine.arena.last_step(id) else { return bad("cannot delete a node without a path") };
        let content = engine.arena.content(parent).to_vec();
        engine.arena.take(content.len())?;
        let mut kept = Vec::with_capacity(content.len());
        match (engine.arena.kind(parent), step) {
            (Kind::Map, Step::Key(key)) => {
                for pair in content.chunks_exact(2).filter(|pair| engine.arena.text(pair[0]) != &*key) {
                    kept.extend(pair);
                }
            }
            (Kind::Map, Step::Index(_)) => continue,
            (Kind::List, step) => {
                let wanted = match step {
                    Step::Key(key) => key.to_string(),
                    Step::Index(i) => i.to_string(),
                };
                for (i, &item) in content.iter().enumerate() {
                    if i.to_string() == wanted {
                        continue;
                    }
                    if let Some(key) = engine.arena.get(item).key {
                        engine.arena.get_mut(key).text = kept.len().to_string().into();
                    }
                    kept.push(item);
                }
            }
            (Kind::Scalar, _) => {
                return bad(format!("cannot delete nodes from parent of tag {}", engine.arena.tag(parent)));
            }
        }
        engine.arena.get_mut(parent).content = kept;
    }
    Ok(ctx.clone())
}

fn steps(engine: &Engine, what: &str, id: Id) -> R<Vec<Step>> {
    if engine.arena.kind(id) != Kind::List {
        return bad(format!("{what}: expected path array, but got {} instead", engine.arena.tag(id)));
    }
    let step = |&id: &Id| match (engine.arena.tag(id), scalar::int(engine.arena.text(id))) {
        ("!!str", _) => Ok(Step::Key(engine.arena.get(id).text.clone())),
        ("!!int", Some((_, i))) => Ok(Step::Index(i)),
        (tag, _) => bad(format!("{what}: expected either a !!str or !!int in the path, found {tag} instead")),
    };
    engine.arena.content(id).iter().map(step).collect()
}

fn delete_paths(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let paths = engine.eval(&ctx.read_only(), e.rhs.as_ref())?;
    let [list] = paths.nodes.as_slice() else {
        return bad(format!("DELPATHS: expected single value but found {}", paths.nodes.len()));
    };
    if engine.arena.tag(*list) != "!!seq" {
        return bad(format!("DELPATHS: expected a sequence of sequences, but found {}", engine.arena.tag(*list)));
    }
    let mut ctx = ctx.clone();
    for path in engine.arena.content(*list).to_vec() {
        let steps = steps(engine, "DELPATHS", path)?;
        let expr = walk(&steps, StepPrefs::default(), false)?;
        ctx = delete(engine, &ctx, Some(&expr))?;
    }
    Ok(ctx)
}

fn set_path(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let Some(block) = e.rhs.as_ref().filter(|b| matches!(b.op, Op::Block)) else {
        return bad("SETPATH must be given a block (;)");
    };
    let path = engine.eval(&ctx.read_only(), block.lhs.as_ref())?;
    let [path] = path.nodes.as_slice() else {
        return bad(format!("SETPATH: expected single path but found {} results instead", path.nodes.len()));
    };
    let target = walk(&steps(engine, "SETPATH", *path)?, StepPrefs::default(), false)?;
    for &id in ctx.nodes.iter() {
        let value = engine.eval(&ctx.of(id).read_only(), block.rhs.as_ref())?;
        let [value] = value.nodes.as_slice() else {
            return bad(format!("SETPATH: expected single value on RHS but found {}", value.nodes.len()));
        };
        let assign = Op::Assign { update: false, only_null: false };
        let expr = Expr::binary(assign, target.clone(), Expr::leaf(Op::Reference(*value)));
        engine.eval(&ctx.of(id), Some(&expr))?;
    }
    Ok(ctx.clone())
}
