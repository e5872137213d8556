//! Building lists and maps, and merging them.

use super::engine::{Ctx, Engine};
use super::math;
use super::node::{Id, Kind};
use super::op::{Expr, MergePrefs, Op, Step, StepPrefs};
use super::path;
use super::{R, node::too_much};
use std::collections::VecDeque;
use std::rc::Rc;

/// `[…]`: one list for each current node.
pub(super) fn collect(engine: &mut Engine, ctx: &Ctx, inside: Option<&Rc<Expr>>) -> R<Ctx> {
    if ctx.nodes.is_empty() {
        let list = engine.arena.make(Kind::List, "!!seq", "[]")?;
        return Ok(ctx.of(list));
    }
    engine.each(ctx, |this, id, out| {
        let list = this.arena.replacement(id, Kind::List, "!!seq", "")?;
        let items = this.eval(&ctx.of(id), inside)?;
        this.arena.add_all(list, &items.nodes)?;
        out.push(list);
        Ok(())
    })
}

/// A list of copies.
pub(super) fn list_of(engine: &mut Engine, items: &[Id]) -> R<Id> {
    let list = engine.arena.make(Kind::List, "!!seq", "")?;
    engine.arena.add_all(list, items)?;
    Ok(list)
}

/// `key: value` inside braces: for each current node the list of maps that the keys and values make.
pub(super) fn create_map(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let singles: Vec<Ctx> =
        if ctx.nodes.is_empty() { vec![ctx.clone()] } else { ctx.nodes.iter().map(|&id| ctx.of(id)).collect() };
    let mut lists = Vec::new();
    for single in singles {
        let mut maps = Vec::new();
        let keys = engine.eval(&single, e.lhs.as_ref())?;
        for &key in keys.nodes.iter() {
            let values = engine.eval(&single, e.rhs.as_ref())?;
            for &value in values.nodes.iter() {
                let map = engine.arena.make(Kind::Map, "!!map", "")?;
                engine.arena.add_pair(map, key, value)?;
                maps.push(map);
            }
        }
        lists.push(list_of(engine, &maps)?);
    }
    let all = list_of(engine, &lists)?;
    Ok(ctx.of(all))
}

/// The maps of all entries, every combination of their alternatives, for each node they were made from.
pub(super) fn collect_object(engine: &mut Engine, ctx: &Ctx) -> R<Ctx> {
    let ctx = ctx.writable();
    let Some(first) = ctx.first() else {
        let map = engine.arena.make(Kind::Map, "!!map", "{}")?;
        return Ok(ctx.of(map));
    };
    let mut out = Vec::new();
    for i in 0..engine.arena.content(first).len() {
        let mut entries = VecDeque::new();
        for &id in ctx.nodes.iter() {
            match engine.arena.content(id).get(i) {
                Some(&entry) => entries.push_back(entry),
                None => {
                    return super::engine::bad(
                        "CollectObject: mismatching node sizes; are you creating a map with mismatching key value pairs?",
                    );
                }
            }
        }
        for made in combine(engine, &ctx, entries)? {
            let copy = engine.arena.copy(made)?;
            let node = engine.arena.get_mut(copy);
            (node.parent, node.key) = (None, None);
            out.push(copy);
        }
    }
    Ok(ctx.with(out))
}

fn combine(engine: &mut Engine, ctx: &Ctx, entries: VecDeque<Id>) -> R<Vec<Id>> {
    let prefs = MergePrefs { globs: true, ..MergePrefs::default() };
    let mut made: Vec<Id> = Vec::new();
    for entry in entries {
        let splat = path::splat(engine, entry)?;
        if made.is_empty() {
            made = splat;
            continue;
        }
        let mut next = Vec::new();
        for &left in &made {
            for &right in &splat {
                engine.tick()?;
                let copy = engine.arena.copy(left)?;
                next.push(math::multiply(engine, ctx, copy, right, prefs)?);
            }
        }
        made = next;
    }
    Ok(made)
}

/// Merges `rhs` into `lhs` in place.
pub(super) fn merge(engine: &mut Engine, ctx: &Ctx, lhs: Id, rhs: Id, prefs: MergePrefs) -> R<Id> {
    let ctx = ctx.writable();
    let mut parts = Vec::new();
    path::descend(engine, rhs, true, prefs.deep_lists, &mut parts, 0)?;
    let skip = engine.arena.path(rhs).len();
    for part in parts {
        let path = engine.arena.path(part).get(skip..).unwrap_or_default().to_vec();
        let node = engine.arena.get(part);
        let (kind, is_key) = (node.kind, node.is_key);
        let op = match kind {
            Kind::List if prefs.append => Op::AddAssign,
            Kind::List if !prefs.deep_lists => Op::Assign { update: false, only_null: prefs.only_null },
            Kind::Scalar => Op::Assign { update: false, only_null: prefs.only_null },
            _ => Op::AssignAttributes { only_null: prefs.only_null },
        };
        let step = StepPrefs { no_create: prefs.existing_only, exact: !prefs.globs, ..StepPrefs::default() };
        let expr = Expr::binary(op, walk(&path, step, is_key)?, Expr::leaf(Op::Reference(part)));
        engine.eval(&ctx.of(lhs), Some(&expr))?;
    }
    Ok(lhs)
}

/// Returns the expression that walks a path, optionally to the key instead of the value.
pub(super) fn walk(path: &[Step], prefs: StepPrefs, to_key: bool) -> R<Rc<Expr>> {
    if path.len() > super::node::MAX_DEPTH / 2 {
        return too_much();
    }
    let mut steps = path.iter().enumerate().rev().map(|(i, step)| {
        let last = to_key && i + 1 == path.len();
        Expr::leaf(Op::Step(
            step.clone(),
            StepPrefs { keys: prefs.keys || last, no_values: prefs.no_values || last, ..prefs },
        ))
    });
    let Some(end) = steps.next() else { return Ok(Expr::leaf(Op::Itself)) };
    Ok(steps.fold(end, |tail, step| Expr::binary(Op::ShortPipe, step, tail)))
}
