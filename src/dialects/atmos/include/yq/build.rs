//! Building lists and maps, and merging them.

use super::eval::{Ctx, Engine};
use super::node::{Id, Kind};
use super::op::{Expr, MergePrefs, Op, Step, StepPrefs};
use super::{R, node::too_much};
use std::collections::VecDeque;
use std::rc::Rc;

impl Engine {
    /// `[…]`: one list for each current node.
    pub(super) fn collect(&mut self, ctx: &Ctx, inside: Option<&Rc<Expr>>) -> R<Ctx> {
        if ctx.nodes.is_empty() {
            let list = self.arena.make(Kind::List, "!!seq", "[]")?;
            return Ok(ctx.of(list));
        }
        self.each(ctx, |this, id, out| {
            let list = this.arena.replacement(id, Kind::List, "!!seq", "")?;
            let items = this.eval(&ctx.of(id), inside)?;
            this.arena.add_all(list, &items.nodes)?;
            out.push(list);
            Ok(())
        })
    }

    /// A list of copies.
    pub(super) fn list_of(&mut self, items: &[Id]) -> R<Id> {
        let list = self.arena.make(Kind::List, "!!seq", "")?;
        self.arena.add_all(list, items)?;
        Ok(list)
    }

    /// `key: value` inside braces: for each current node the list of maps that the keys and values make.
    pub(super) fn create_map(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let singles: Vec<Ctx> =
            if ctx.nodes.is_empty() { vec![ctx.clone()] } else { ctx.nodes.iter().map(|&id| ctx.of(id)).collect() };
        let mut lists = Vec::new();
        for single in singles {
            let mut maps = Vec::new();
            let keys = self.eval(&single, e.lhs.as_ref())?;
            for &key in keys.nodes.iter() {
                let values = self.eval(&single, e.rhs.as_ref())?;
                for &value in values.nodes.iter() {
                    let map = self.arena.make(Kind::Map, "!!map", "")?;
                    self.arena.add_pair(map, key, value)?;
                    maps.push(map);
                }
            }
            lists.push(self.list_of(&maps)?);
        }
        let all = self.list_of(&lists)?;
        Ok(ctx.of(all))
    }

    /// The maps of all entries, every combination of their alternatives, for each node they were made from.
    pub(super) fn collect_object(&mut self, ctx: &Ctx) -> R<Ctx> {
        let ctx = ctx.writable();
        let Some(first) = ctx.first() else {
            let map = self.arena.make(Kind::Map, "!!map", "{}")?;
            return Ok(ctx.of(map));
        };
        let mut out = Vec::new();
        for i in 0..self.arena.content(first).len() {
            let mut entries = VecDeque::new();
            for &id in ctx.nodes.iter() {
                match self.arena.content(id).get(i) {
                    Some(&entry) => entries.push_back(entry),
                    None => {
                        return super::eval::bad(
                            "CollectObject: mismatching node sizes; are you creating a map with mismatching key value pairs?",
                        );
                    }
                }
            }
            for made in self.combine(&ctx, entries)? {
                let copy = self.arena.copy(made)?;
                let node = self.arena.get_mut(copy);
                (node.parent, node.key) = (None, None);
                out.push(copy);
            }
        }
        Ok(ctx.with(out))
    }

    fn combine(&mut self, ctx: &Ctx, entries: VecDeque<Id>) -> R<Vec<Id>> {
        let prefs = MergePrefs { globs: true, ..MergePrefs::default() };
        let mut made: Vec<Id> = Vec::new();
        for entry in entries {
            let splat = self.splat(entry)?;
            if made.is_empty() {
                made = splat;
                continue;
            }
            let mut next = Vec::new();
            for &left in &made {
                for &right in &splat {
                    self.tick()?;
                    let copy = self.arena.copy(left)?;
                    next.push(self.multiply(ctx, copy, right, prefs)?);
                }
            }
            made = next;
        }
        Ok(made)
    }

    /// Merges `rhs` into `lhs` in place.
    pub(super) fn merge(&mut self, ctx: &Ctx, lhs: Id, rhs: Id, prefs: MergePrefs) -> R<Id> {
        let ctx = ctx.writable();
        let mut parts = Vec::new();
        self.descend(rhs, true, prefs.deep_lists, &mut parts, 0)?;
        let skip = self.arena.path(rhs).len();
        for part in parts {
            let path = self.arena.path(part).get(skip..).unwrap_or_default().to_vec();
            let node = self.arena.get(part);
            let (kind, is_key) = (node.kind, node.is_key);
            let op = match kind {
                Kind::List if prefs.append => Op::AddAssign,
                Kind::List if !prefs.deep_lists => Op::Assign { update: false, only_null: prefs.only_null },
                Kind::Scalar => Op::Assign { update: false, only_null: prefs.only_null },
                _ => Op::AssignAttributes { only_null: prefs.only_null },
            };
            let step = StepPrefs { no_create: prefs.existing_only, exact: !prefs.globs, ..StepPrefs::default() };
            let expr = Expr::binary(op, walk(&path, step, is_key)?, Expr::leaf(Op::Reference(part)));
            self.eval(&ctx.of(lhs), Some(&expr))?;
        }
        Ok(lhs)
    }
}

/// The expression that walks a path; at its end it may stand on the key instead of the value.
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
