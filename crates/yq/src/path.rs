//! Paths: keys (with `*` and `?` as wildcards), indices, slices, `..`. Reading may create what is missing.

use super::engine::{Ctx, Engine, bad};
use super::node::{Id, Kind, MAX_DEPTH, too_much};
use super::op::{Expr, Op, Step, StepPrefs};
use super::{R, scalar};
use std::rc::Rc;

fn not_an_index(text: &str) -> String {
    format!("cannot index array with '{text}' (strconv.ParseInt: parsing {text:?}: invalid syntax)")
}

/// One step of a path.
pub(super) fn step(
    engine: &mut Engine,
    id: Id,
    step: &Step,
    prefs: StepPrefs,
    read_only: bool,
    out: &mut Vec<Id>,
) -> R<()> {
    if engine.arena.is_null(id) && !read_only {
        let node = engine.arena.get_mut(id);
        node.kind = if matches!(step, Step::Index(_)) { Kind::List } else { Kind::Map };
        node.tag = "".into();
    }
    let text: Rc<str> = match step {
        Step::Key(key) => key.clone(),
        Step::Index(i) => i.to_string().into(),
    };
    match engine.arena.kind(id) {
        Kind::Map => {
            let key = engine.arena.scalar("!!str", &text)?;
            in_map(engine, id, Some(key), prefs, read_only, out)
        }
        Kind::List => in_list(engine, id, &text, prefs, out),
        Kind::Scalar => Ok(()),
    }
}

/// Returns the values of a map with a matching key, or all; a missing key may be created.
pub(super) fn in_map(
    engine: &mut Engine,
    id: Id,
    key: Option<Id>,
    prefs: StepPrefs,
    read_only: bool,
    out: &mut Vec<Id>,
) -> R<()> {
    let before = out.len();
    engine.arena.take(engine.arena.content(id).len())?;
    for pair in engine.arena.content(id).chunks_exact(2) {
        let hit = match key {
            None => true,
            Some(key) if prefs.exact => engine.arena.text(pair[0]) == engine.arena.text(key),
            Some(key) => engine.arena.fits(pair[0], key)?,
        };
        if hit {
            out.extend(prefs.keys.then_some(pair[0]));
            out.extend((!prefs.no_values).then_some(pair[1]));
        }
    }
    let Some(key) = key else { return Ok(()) };
    if out.len() > before || prefs.no_create || read_only {
        return Ok(());
    }
    let null = engine.arena.scalar("!!null", "null")?;
    let (key, value) = engine.arena.add_pair(id, key, null)?;
    out.extend(prefs.keys.then_some(key));
    out.extend((!prefs.no_values).then_some(value));
    Ok(())
}

/// One item of a list; a list that is too short grows.
fn in_list(engine: &mut Engine, id: Id, text: &str, prefs: StepPrefs, out: &mut Vec<Id>) -> R<()> {
    let Some((_, index)) = scalar::int(text) else {
        return if prefs.optional { Ok(()) } else { bad(not_an_index(text)) };
    };
    while i64::try_from(engine.arena.content(id).len()).is_ok_and(|n| n <= index) {
        let null = engine.arena.scalar("!!null", "null")?;
        engine.arena.add(id, null)?;
    }
    let length = engine.arena.content(id).len();
    let from_end = if index < 0 { index.saturating_add_unsigned(length as u64) } else { index };
    match usize::try_from(from_end) {
        Ok(i) => out.push(engine.arena.content(id)[i]),
        Err(_) => return bad(format!("index [{index}] out of range, array size is {length}")),
    }
    Ok(())
}

/// All values of a map or list.
pub(super) fn splat(engine: &mut Engine, id: Id) -> R<Vec<Id>> {
    let mut out = Vec::new();
    pick_out(engine, id, &[], false, true, &mut out)?;
    Ok(out)
}

fn pick_out(engine: &mut Engine, id: Id, wanted: &[Id], optional: bool, read_only: bool, out: &mut Vec<Id>) -> R<()> {
    if engine.arena.is_null(id) {
        let is_list = wanted.first().is_none_or(|&w| engine.arena.tag(w) == "!!int");
        let node = engine.arena.get_mut(id);
        node.tag = "".into();
        node.kind = if is_list { Kind::List } else { Kind::Map };
    }
    let prefs = StepPrefs { optional, ..StepPrefs::default() };
    match engine.arena.kind(id) {
        Kind::List if wanted.is_empty() => {
            engine.arena.take(engine.arena.content(id).len())?;
            out.extend(engine.arena.content(id));
        }
        Kind::Map if wanted.is_empty() => in_map(engine, id, None, prefs, read_only, out)?,
        Kind::List => {
            for &index in wanted {
                let text = engine.arena.get(index).text.clone();
                in_list(engine, id, &text, prefs, out)?;
            }
        }
        Kind::Map => {
            for &key in wanted {
                in_map(engine, id, Some(key), prefs, read_only, out)?;
            }
        }
        Kind::Scalar => {}
    }
    Ok(())
}

/// `left[right]`.
pub(super) fn indices(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>, optional: bool) -> R<Ctx> {
    let inside = e.rhs.as_ref().and_then(|r| r.rhs.as_ref());
    if let Some(range) = inside.filter(|r| matches!(r.op, Op::CreateMap)) {
        return slice(engine, ctx, range);
    }
    let lhs = engine.eval(ctx, e.lhs.as_ref())?;
    let rhs = engine.eval(&ctx.read_only(), e.rhs.as_ref())?;
    let wanted = rhs.first().map(|id| engine.arena.content(id).to_vec()).unwrap_or_default();
    let mut out = Vec::new();
    for &id in lhs.nodes.iter() {
        pick_out(engine, id, &wanted, optional, lhs.read_only, &mut out)?;
    }
    Ok(ctx.with(out))
}

/// `[from:to]` of the current nodes themselves, independent of the expression before the bracket.
fn slice(engine: &mut Engine, ctx: &Ctx, range: &Rc<Expr>) -> R<Ctx> {
    engine.each(ctx, |this, id, out| {
        let from = bound(this, ctx, id, range.lhs.as_ref())?;
        let to = bound(this, ctx, id, range.rhs.as_ref())?;
        let content = this.arena.content(id).to_vec();
        this.arena.take(content.len())?;
        let length = content.len() as i64;
        let from = if from < 0 { length + from } else { from };
        let to = if to < 0 { length + to } else { to.min(length) };
        // The reference crashes on a start before the first item.
        if from < 0 && from < to {
            return bad(format!("index out of range [{from}]"));
        }
        let tag = this.arena.get(id).tag.clone();
        let list = this.arena.replacement(id, Kind::List, &tag, "")?;
        for i in from.max(0)..to {
            if let Some(&item) = usize::try_from(i).ok().and_then(|i| content.get(i)) {
                this.arena.add(list, item)?;
            }
        }
        out.push(list);
        Ok(())
    })
}

fn bound(engine: &mut Engine, ctx: &Ctx, id: Id, expr: Option<&Rc<Expr>>) -> R<i64> {
    let result = engine.eval(&ctx.of(id), expr)?;
    let [number] = result.nodes.as_slice() else {
        return bad(format!("expected to find 1 number, got {} instead", result.nodes.len()));
    };
    match scalar::int(engine.arena.text(*number)) {
        Some((_, n)) => Ok(n.clamp(-(1 << 40), 1 << 40)),
        None => bad(format!("strconv.ParseInt: parsing {:?}: invalid syntax", engine.arena.text(*number))),
    }
}

/// The node and everything below it, each before its children.
pub(super) fn descend(engine: &mut Engine, id: Id, keys: bool, lists: bool, out: &mut Vec<Id>, depth: usize) -> R<()> {
    if depth > MAX_DEPTH {
        return too_much();
    }
    engine.tick()?;
    out.push(id);
    let kind = engine.arena.kind(id);
    if kind == Kind::List && !lists {
        return Ok(());
    }
    for (i, child) in engine.arena.content(id).to_vec().into_iter().enumerate() {
        if kind == Kind::List || keys || i % 2 == 1 {
            descend(engine, child, keys, lists, out, depth + 1)?;
        }
    }
    Ok(())
}
