//! Operators that choose from, order and group the entries of collections.

use super::build;
use super::engine::{Ctx, Engine, bad};
use super::math;
use super::node::{Id, Kind, Style};
use super::op::{Expr, Op};
use super::path;
use super::{R, print, scalar};
use std::rc::Rc;

/// `select`, `filter`, `map`, `first`, `any`, `all` and their relatives.
pub(super) fn choice(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let rhs = e.rhs.as_ref();
    engine.each(ctx, |this, id, out| {
        match e.op {
            Op::Select => out.extend(accepts(this, ctx, id, rhs)?.then_some(id)),
            Op::Filter => {
                let mut kept = Vec::new();
                for child in path::splat(this, id)? {
                    if accepts(this, ctx, child, rhs)? {
                        kept.push(child);
                    }
                }
                out.push(build::list_of(this, &kept)?);
            }
            Op::Map => {
                let children = path::splat(this, id)?;
                if children.is_empty() {
                    out.push(this.arena.copy(id)?);
                    return Ok(());
                }
                let results = this.eval(&ctx.with(children), rhs)?;
                out.push(build::list_of(this, &results.nodes)?);
            }
            Op::First if rhs.is_none() => out.extend(this.arena.content(id).first()),
            Op::First => {
                for child in path::splat(this, id)? {
                    let results = this.eval(&ctx.of(child), rhs)?;
                    if results.nodes.iter().any(|&n| this.truthy(n)) {
                        out.push(child);
                        break;
                    }
                }
            }
            _ => {
                let wanted = matches!(e.op, Op::Any | Op::AnyC);
                let found = some_is(this, ctx, id, rhs, wanted)?;
                out.push(this.boolean(Some(id), found == wanted)?);
            }
        }
        Ok(())
    })
}

fn accepts(engine: &mut Engine, ctx: &Ctx, id: Id, expr: Option<&Rc<Expr>>) -> R<bool> {
    let results = engine.eval(&ctx.of(id).read_only(), expr)?;
    Ok(results.nodes.iter().any(|&n| engine.truthy(n)))
}

fn some_is(engine: &mut Engine, ctx: &Ctx, id: Id, expr: Option<&Rc<Expr>>, wanted: bool) -> R<bool> {
    if engine.arena.kind(id) != Kind::List {
        let name = if wanted { "any" } else { "all" };
        return bad(format!("{name} only supports arrays, was {}", engine.arena.tag(id)));
    }
    for item in engine.arena.content(id).to_vec() {
        let mut item = item;
        if expr.is_some() {
            match engine.eval(&ctx.of(item).read_only(), expr)?.first() {
                Some(result) => item = result,
                None => continue,
            }
        }
        if engine.truthy(item) == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sorting, grouping, reversing, extremes.
pub(super) fn ordering(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let rhs = e.rhs.as_ref();
    match e.op {
        Op::Sort | Op::SortBy => engine.each(ctx, |this, id, out| {
            let sorted = sorted(this, ctx, id, rhs)?;
            out.push(sorted);
            Ok(())
        }),
        Op::SortKeys => {
            for &id in ctx.nodes.iter() {
                for &target in engine.eval(&ctx.of(id).read_only(), rhs)?.nodes.iter() {
                    if engine.arena.kind(target) == Kind::Map {
                        sort_keys(engine, target)?;
                    }
                }
            }
            Ok(ctx.clone())
        }
        Op::Unique | Op::UniqueBy => engine.each(ctx, |this, id, out| {
            out.push(unique(this, ctx, id, rhs)?);
            Ok(())
        }),
        Op::GroupBy => engine.each(ctx, |this, id, out| {
            out.push(grouped(this, ctx, id, rhs)?);
            Ok(())
        }),
        Op::Reverse => engine.each(ctx, |this, id, out| {
            if this.arena.kind(id) != Kind::List {
                return bad(format!("node is not an array (it's a {})", this.arena.tag(id)));
            }
            let mut content = this.arena.content(id).to_vec();
            content.reverse();
            let list = this.arena.replacement(id, Kind::List, "!!seq", "")?;
            this.arena.add_all(list, &content)?;
            out.push(list);
            Ok(())
        }),
        _ => {
            let greater = matches!(e.op, Op::Max);
            engine.each(ctx, |this, id, out| {
                let mut children = path::splat(this, id)?.into_iter();
                let Some(mut best) = children.next() else { return Ok(()) };
                for child in children {
                    this.tick()?;
                    if math::holds(this, child, best, false, greater)? {
                        best = child;
                    }
                }
                out.push(best);
                Ok(())
            })
        }
    }
}

/// A list without the items whose key was there before.
fn unique(engine: &mut Engine, ctx: &Ctx, id: Id, rhs: Option<&Rc<Expr>>) -> R<Id> {
    only_list(engine, id, "unique")?;
    let mut seen = std::collections::HashSet::new();
    let list = engine.arena.replacement(id, Kind::List, "!!seq", "")?;
    for item in engine.arena.content(id).to_vec() {
        let key = match engine.eval(&ctx.of(item).read_only(), rhs)?.first() {
            None => "null".to_owned(),
            Some(key) if engine.arena.kind(key) == Kind::Scalar => engine.arena.text(key).to_owned(),
            Some(key) => print::yaml(&engine.arena, key)?,
        };
        if seen.insert(key) {
            engine.arena.add(list, item)?;
        }
    }
    Ok(list)
}

/// A list of lists of items with the same key.
fn grouped(engine: &mut Engine, ctx: &Ctx, id: Id, rhs: Option<&Rc<Expr>>) -> R<Id> {
    only_list(engine, id, "group by")?;
    let mut groups: indexed::Groups = indexed::Groups::default();
    for item in engine.arena.content(id).to_vec() {
        let key = engine.eval(&ctx.of(item).read_only(), rhs)?.first();
        let key = key.map_or_else(|| "null".into(), |k| engine.arena.get(k).text.clone());
        groups.add(key, item);
    }
    let list = engine.arena.replacement(id, Kind::List, "!!seq", "")?;
    for group in groups.into_lists() {
        let group = build::list_of(engine, &group)?;
        engine.arena.add(list, group)?;
    }
    Ok(list)
}

fn only_list(engine: &Engine, id: Id, what: &str) -> R<()> {
    match engine.arena.kind(id) {
        Kind::List => Ok(()),
        _ => bad(format!("only arrays are supported for {what}")),
    }
}

fn sort_keys(engine: &mut Engine, id: Id) -> R<()> {
    let size = engine.arena.content(id).len();
    engine.arena.take(size * (1 + size.max(1).ilog2() as usize))?;
    let mut pairs: Vec<(Id, Id)> = engine.arena.content(id).chunks_exact(2).map(|p| (p[0], p[1])).collect();
    pairs.sort_by(|a, b| engine.arena.text(a.0).as_bytes().cmp(engine.arena.text(b.0).as_bytes()));
    engine.arena.get_mut(id).content = pairs.into_iter().flat_map(|(k, v)| [k, v]).collect();
    Ok(())
}

fn sorted(engine: &mut Engine, ctx: &Ctx, id: Id, expr: Option<&Rc<Expr>>) -> R<Id> {
    let kind = engine.arena.kind(id);
    if kind == Kind::Scalar {
        return bad(format!("node is not an array or map (it's a {})", engine.arena.tag(id)));
    }
    let mut rows = Vec::new();
    for value in path::splat(engine, id)? {
        let keys = engine.eval(&ctx.of(value).read_only(), expr)?;
        if keys.nodes.iter().any(|&k| engine.arena.tag(k) == "!!timestamp") {
            return Err(super::QueryError::Unsupported("yq sorting of dates".to_owned()));
        }
        rows.push((value, keys.nodes));
    }
    let keys: usize = rows.iter().map(|(_, keys)| 1 + keys.len()).sum();
    engine.arena.take(keys.saturating_mul(1 + rows.len().max(1).ilog2() as usize))?;
    // The order need not be total (numbers and texts in one list), so a sort that relies on it is out.
    let rows = merge_sort(rows, &|a, b| before(engine, &a.1, &b.1));
    let list = engine.arena.copy_bare(id)?;
    for (value, _) in rows {
        match (kind, engine.arena.get(value).key) {
            (Kind::Map, Some(key)) => {
                engine.arena.add_pair(list, key, value)?;
            }
            _ => engine.arena.add(list, value)?,
        }
    }
    Ok(list)
}

fn before(engine: &Engine, a: &[Id], b: &[Id]) -> bool {
    for (&x, &y) in a.iter().zip(b) {
        match order(engine, x, y) {
            std::cmp::Ordering::Less => return true,
            std::cmp::Ordering::Greater => return false,
            std::cmp::Ordering::Equal => {}
        }
    }
    a.len() < b.len()
}

/// Null, then booleans, then numbers by value; anything else by its text.
fn order(engine: &Engine, a: Id, b: Id) -> std::cmp::Ordering {
    let (x, y) = (engine.arena.get(a), engine.arena.get(b));
    let rank = |tag: &str| match tag {
        "!!null" => 0,
        "!!bool" => 1,
        _ => 2,
    };
    let by_text = || x.text.as_bytes().cmp(y.text.as_bytes());
    match (rank(&x.tag), rank(&y.tag)) {
        (2, 2) => {}
        (1, 1) => return engine.truthy(a).cmp(&engine.truthy(b)),
        (0, 0) => return by_text(),
        (p, q) => return p.cmp(&q),
    }
    match (&*x.tag, &*y.tag) {
        ("!!int", "!!int") => match (scalar::int(&x.text), scalar::int(&y.text)) {
            (Some((_, m)), Some((_, n))) => m.wrapping_sub(n).cmp(&0),
            _ => by_text(),
        },
        ("!!int" | "!!float", "!!int" | "!!float") => match (scalar::float(&x.text), scalar::float(&y.text)) {
            (Some(m), Some(n)) if m == n => std::cmp::Ordering::Equal,
            (Some(m), Some(n)) if m < n => std::cmp::Ordering::Less,
            (Some(_), Some(_)) => std::cmp::Ordering::Greater,
            _ => by_text(),
        },
        _ => by_text(),
    }
}

/// Flattens lists in lists in place.
pub(super) fn flatten(engine: &mut Engine, id: Id, depth: i64, nesting: usize) -> R<()> {
    if depth == 0 || engine.arena.kind(id) != Kind::List || nesting > super::node::MAX_DEPTH {
        return Ok(());
    }
    engine.tick()?;
    let mut flat = Vec::new();
    for item in engine.arena.content(id).to_vec() {
        if engine.arena.kind(item) == Kind::List {
            flatten(engine, item, depth - 1, nesting + 1)?;
            flat.extend(engine.arena.content(item));
        } else {
            flat.push(item);
        }
    }
    let node = engine.arena.get_mut(id);
    node.content = Vec::new();
    node.style = Style::Plain;
    engine.arena.add_all(id, &flat)
}

/// A stable sort that terminates for any relation; short lists are sorted by insertion.
fn merge_sort<T>(mut rows: Vec<T>, before: &dyn Fn(&T, &T) -> bool) -> Vec<T> {
    if rows.len() <= 20 {
        for i in 1..rows.len() {
            let mut j = i;
            while j > 0 && before(&rows[j], &rows[j - 1]) {
                rows.swap(j, j - 1);
                j -= 1;
            }
        }
        return rows;
    }
    let right = rows.split_off(rows.len() / 2);
    let mut left = merge_sort(rows, before).into_iter().peekable();
    let mut right = merge_sort(right, before).into_iter().peekable();
    let mut out = Vec::new();
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(l), Some(r)) if before(r, l) => right.next(),
            (Some(_), _) => left.next(),
            _ => right.next(),
        };
        match next {
            Some(row) => out.push(row),
            None => return out,
        }
    }
}

mod indexed {
    use super::Id;
    use std::collections::HashMap;
    use std::rc::Rc;

    /// Groups in the order in which their keys appeared.
    #[derive(Default)]
    pub(super) struct Groups {
        places: HashMap<Rc<str>, usize>,
        lists: Vec<Vec<Id>>,
    }

    impl Groups {
        pub(super) fn add(&mut self, key: Rc<str>, item: Id) {
            let place = *self.places.entry(key).or_insert_with(|| {
                self.lists.push(Vec::new());
                self.lists.len() - 1
            });
            self.lists[place].push(item);
        }

        pub(super) fn into_lists(self) -> Vec<Vec<Id>> {
            self.lists
        }
    }
}
