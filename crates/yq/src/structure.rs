//! Operators that examine the shape of the document: keys, entries, paths, tags.

use super::build;
use super::engine::{Ctx, Engine, bad};
use super::lists;
use super::node::{Id, Kind};
use super::op::{Expr, Op, Step};
use super::path;
use super::{QueryError, R, scalar};
use std::rc::Rc;

pub(super) fn structure(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let rhs = e.rhs.as_ref();
    match &e.op {
        Op::Has => has(engine, ctx, rhs),
        Op::Pick | Op::Omit => pick(engine, ctx, e),
        Op::WithEntries => with_entries(engine, ctx, rhs),
        Op::Eval => {
            let expressions = engine.eval(&ctx.read_only(), rhs)?;
            let mut parsed = Vec::new();
            for &id in expressions.nodes.iter() {
                parsed.push(engine.parse(engine.arena.text(id))?);
            }
            engine.each(ctx, |this, _, out| {
                for expr in &parsed {
                    out.extend(this.eval(ctx, expr.as_ref())?.nodes.iter());
                }
                Ok(())
            })
        }
        Op::Error => {
            let message = engine.eval(&ctx.read_only(), rhs)?.first();
            bad(message.map_or("aborted", |id| engine.arena.text(id)))
        }
        Op::Flatten(depth) => {
            for &id in ctx.nodes.iter() {
                if engine.arena.kind(id) != Kind::List {
                    return bad("only arrays are supported for flatten");
                }
                lists::flatten(engine, id, *depth, 0)?;
            }
            Ok(ctx.clone())
        }
        // No document read here has an alias left.
        Op::Explode => {
            engine.eval(ctx, rhs)?;
            Ok(ctx.clone())
        }
        Op::Pivot => Err(QueryError::Unsupported("yq `pivot`".to_owned())),
        op => engine.each(ctx, |this, id, out| shape(this, op, id, out)),
    }
}

fn shape(engine: &mut Engine, op: &Op, id: Id, out: &mut Vec<Id>) -> R<()> {
    let kind = engine.arena.kind(id);
    let made = match op {
        Op::Length => {
            let length = length(engine, id).to_string();
            engine.arena.replacement(id, Kind::Scalar, "!!int", &length)?
        }
        Op::Not => {
            let truthy = engine.truthy(id);
            engine.boolean(Some(id), !truthy)?
        }
        Op::Tag => {
            let tag = engine.arena.get(id).tag.clone();
            engine.arena.replacement(id, Kind::Scalar, "!!str", &tag)?
        }
        Op::Kind => {
            let text = match kind {
                Kind::Map => "map",
                Kind::List => "seq",
                Kind::Scalar => "scalar",
            };
            engine.arena.replacement(id, Kind::Scalar, "!!str", text)?
        }
        Op::Key => match engine.arena.get(id).key {
            Some(key) => key,
            None => return Ok(()),
        },
        Op::IsKey => {
            let is_key = engine.arena.get(id).is_key;
            engine.boolean(Some(id), is_key)?
        }
        Op::Keys => keys(engine, id)?,
        Op::ToEntries => match kind {
            Kind::Scalar if engine.arena.is_null(id) => return Ok(()),
            Kind::Scalar => return bad(format!("{} has no keys", engine.arena.tag(id))),
            _ => entries(engine, id)?,
        },
        Op::FromEntries => entries_to_map(engine, id)?,
        Op::Path => path_of(engine, id)?,
        Op::Parent(level) => match ancestor(engine, id, *level) {
            Some(parent) => parent,
            None => return Ok(()),
        },
        Op::Parents => {
            let parents = ancestors(engine, id);
            build::list_of(engine, &parents)?
        }
        _ => return Err(QueryError::Unsupported(format!("yq `{}`", super::name(op)))),
    };
    out.push(made);
    Ok(())
}

fn length(engine: &Engine, id: Id) -> usize {
    match engine.arena.kind(id) {
        Kind::Scalar if engine.arena.is_null(id) => 0,
        Kind::Scalar => engine.arena.text(id).len(),
        Kind::Map => engine.arena.content(id).len() / 2,
        Kind::List => engine.arena.content(id).len(),
    }
}

/// Returns the keys and indexes that lead to a node, as a list.
fn path_of(engine: &mut Engine, id: Id) -> R<Id> {
    let list = engine.arena.replacement(id, Kind::List, "!!seq", "")?;
    for step in engine.arena.path(id) {
        let node = match step {
            Step::Key(key) => engine.arena.scalar("!!str", &key)?,
            Step::Index(i) => engine.arena.scalar("!!int", &i.to_string())?,
        };
        engine.arena.add(list, node)?;
    }
    Ok(list)
}

fn ancestors(engine: &Engine, id: Id) -> Vec<Id> {
    let mut out = Vec::new();
    let mut at = id;
    while let Some(parent) = engine.arena.get(at).parent {
        if out.len() > super::node::MAX_DEPTH {
            break;
        }
        out.push(parent);
        at = parent;
    }
    out
}

fn ancestor(engine: &Engine, id: Id, level: i64) -> Option<Id> {
    let parents = ancestors(engine, id);
    let level = if level < 0 { (parents.len() as i64).saturating_add(level + 1).max(0) } else { level };
    match usize::try_from(level).ok()? {
        0 => Some(id),
        n => parents.get(n - 1).copied(),
    }
}

fn keys(engine: &mut Engine, id: Id) -> R<Id> {
    match engine.arena.kind(id) {
        Kind::Map => {
            let keys: Vec<Id> = engine.arena.content(id).iter().step_by(2).copied().collect();
            build::list_of(engine, &keys)
        }
        Kind::List => {
            let mut keys = Vec::new();
            for i in 0..engine.arena.content(id).len() {
                keys.push(engine.arena.scalar("!!int", &i.to_string())?);
            }
            build::list_of(engine, &keys)
        }
        Kind::Scalar => {
            bad(format!("cannot get keys of {}, keys only works for maps and arrays", engine.arena.tag(id)))
        }
    }
}

fn entries(engine: &mut Engine, id: Id) -> R<Id> {
    let list = engine.arena.replacement(id, Kind::List, "!!seq", "")?;
    let content = engine.arena.content(id).to_vec();
    let mut pairs = Vec::new();
    if engine.arena.kind(id) == Kind::Map {
        pairs.extend(content.chunks_exact(2).map(|p| (p[0], p[1])));
    } else {
        for (i, &value) in content.iter().enumerate() {
            pairs.push((engine.arena.scalar("!!int", &i.to_string())?, value));
        }
    }
    for (key, value) in pairs {
        engine.tick()?;
        let entry = engine.arena.make(Kind::Map, "!!map", "")?;
        for (name, node) in [("key", key), ("value", value)] {
            let name = engine.arena.scalar("!!str", name)?;
            engine.arena.add_pair(entry, name, node)?;
        }
        engine.arena.add(list, entry)?;
    }
    Ok(list)
}

fn entries_to_map(engine: &mut Engine, id: Id) -> R<Id> {
    if engine.arena.kind(id) != Kind::List {
        return bad("from entries only runs against arrays");
    }
    let map = engine.arena.copy_bare(id)?;
    let node = engine.arena.get_mut(map);
    (node.kind, node.tag) = (Kind::Map, "!!map".into());
    for (i, entry) in engine.arena.content(id).to_vec().into_iter().enumerate() {
        engine.tick()?;
        let key = field(engine, entry, "key", i)?;
        let value = field(engine, entry, "value", i)?;
        engine.arena.add_pair(map, key, value)?;
    }
    Ok(map)
}

fn field(engine: &Engine, entry: Id, name: &str, position: usize) -> R<Id> {
    engine.arena.take(engine.arena.content(entry).len())?;
    let pairs = engine.arena.content(entry).chunks_exact(2);
    let mut hits = pairs.filter(|pair| engine.arena.text(pair[0]) == name).map(|pair| pair[1]);
    match (hits.next(), hits.next()) {
        (Some(hit), None) => Ok(hit),
        (first, _) => {
            let found = usize::from(first.is_some()) * 2;
            bad(format!("expected to find one '{name}' entry but found {found} in position {position}"))
        }
    }
}

fn with_entries(engine: &mut Engine, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
    engine.each(ctx, |this, id, out| {
        if this.arena.is_null(id) {
            return Ok(());
        }
        if this.arena.kind(id) == Kind::Scalar {
            return bad(format!("{} has no keys", this.arena.tag(id)));
        }
        let entries = entries(this, id)?;
        let mut results = Vec::new();
        for entry in path::splat(this, entries)? {
            results.extend(this.eval(&ctx.of(entry), expr)?.nodes.iter());
        }
        let list = build::list_of(this, &results)?;
        out.push(entries_to_map(this, list)?);
        Ok(())
    })
}

fn has(engine: &mut Engine, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
    let wanted = engine.eval(&ctx.read_only(), expr)?.first();
    let (tag, text): (Rc<str>, Rc<str>) = match wanted {
        Some(id) => (engine.arena.get(id).tag.clone(), engine.arena.get(id).text.clone()),
        None => ("!!null".into(), "null".into()),
    };
    engine.each(ctx, |this, id, out| {
        let content = this.arena.content(id);
        this.arena.take(content.len())?;
        let found = match this.arena.kind(id) {
            Kind::Map => content.iter().step_by(2).any(|&key| this.arena.text(key) == &*text),
            Kind::List if &*tag == "!!int" => match text.parse::<i64>() {
                Ok(i) => content.len() as i64 > i,
                Err(error) => return bad(error.to_string()),
            },
            _ => false,
        };
        out.push(this.boolean(Some(id), found)?);
        Ok(())
    })
}

fn pick(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let picking = matches!(e.op, Op::Pick);
    let wanted = engine.eval(ctx, e.rhs.as_ref())?.first();
    let wanted = wanted.map(|id| engine.arena.content(id).to_vec()).unwrap_or_default();
    if !picking && wanted.is_empty() {
        return Ok(ctx.clone());
    }
    let names = build::list_of(engine, &wanted)?;
    if !picking && ctx.nodes.iter().any(|&id| engine.arena.kind(id) == Kind::Scalar) {
        return Ok(ctx.clone());
    }
    engine.each(ctx, |this, id, out| {
        let content = this.arena.content(id).to_vec();
        let mut kept = Vec::new();
        match this.arena.kind(id) {
            Kind::Map if picking => {
                for &key in &wanted {
                    this.tick()?;
                    if let Some(i) = this.arena.find_key(id, key) {
                        kept.extend([content[i], content[i + 1]]);
                    }
                }
            }
            Kind::Map => {
                for pair in content.chunks_exact(2) {
                    this.tick()?;
                    if this.arena.find(names, pair[0]).is_none() {
                        kept.extend(pair);
                    }
                }
            }
            Kind::List if picking => {
                for &index in &wanted {
                    this.tick()?;
                    let Some((_, i)) = scalar::int(this.arena.text(index)) else {
                        return bad(format!("cannot index array with {}", this.arena.text(index)));
                    };
                    kept.extend(usize::try_from(i).ok().and_then(|i| content.get(i)));
                }
            }
            Kind::List => {
                for (i, &item) in content.iter().enumerate() {
                    let index = this.arena.scalar("!!int", &i.to_string())?;
                    if this.arena.find(names, index).is_none() {
                        kept.push(item);
                    }
                }
            }
            Kind::Scalar => return bad(format!("cannot pick indices from type {}", this.arena.tag(id))),
        }
        let new = this.arena.copy_bare(id)?;
        this.arena.add_all(new, &kept)?;
        out.push(new);
        Ok(())
    })
}
