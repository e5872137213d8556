//! Operators on two values: arithmetic, comparison, logic.

use super::build;
use super::engine::{Ctx, Engine, bad};
use super::node::{Id, Kind, Style, too_much};
use super::op::{Expr, MergePrefs, Op};
use super::texts;
use super::{QueryError, R, scalar};
use go_compat::strconv;
use std::cmp::Ordering;
use std::rc::Rc;

/// Combines a left and a right value; one side may be missing.
type Combine<'a> = dyn FnMut(&mut Engine, Option<Id>, Option<Id>) -> R<Option<Id>> + 'a;
/// Computes a result that depends only on the left value.
type Early<'a> = dyn FnMut(&mut Engine, Option<Id>) -> R<Option<Id>> + 'a;

fn no_early(_: &mut Engine, _: Option<Id>) -> R<Option<Id>> {
    Ok(None)
}

fn number(text: &str) -> R<f64> {
    scalar::float(text).ok_or_else(|| QueryError::Bad(format!("strconv.ParseFloat: parsing {text:?}: invalid syntax")))
}

fn integer(text: &str) -> R<(u32, i64)> {
    scalar::int(text).ok_or_else(|| QueryError::Bad(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))
}

fn is_number(tag: &str) -> bool {
    matches!(tag, "!!int" | "!!float")
}

/// Every left value with every right value, for each current node apart.
pub(super) fn cross(
    engine: &mut Engine,
    ctx: &Ctx,
    e: &Rc<Expr>,
    when_empty: bool,
    early: &mut Early<'_>,
    combine: &mut Combine<'_>,
) -> R<Ctx> {
    let singles: Vec<Ctx> =
        if ctx.nodes.is_empty() { vec![ctx.clone()] } else { ctx.nodes.iter().map(|&id| ctx.of(id)).collect() };
    let mut out = Vec::new();
    for single in singles {
        let lhs = engine.eval(&single, e.lhs.as_ref())?;
        let mut lefts: Vec<Option<Id>> = lhs.nodes.iter().map(|&id| Some(id)).collect();
        if when_empty && lefts.is_empty() && !single.nodes.is_empty() {
            lefts.push(None);
        }
        for left in lefts {
            engine.tick()?;
            if let Some(decided) = early(engine, left)? {
                out.push(decided);
                continue;
            }
            let rhs = engine.eval(&single, e.rhs.as_ref())?;
            if when_empty && rhs.nodes.is_empty() {
                out.extend(combine(engine, left, None)?);
            }
            for &right in rhs.nodes.iter() {
                out.extend(combine(engine, left, Some(right))?);
            }
        }
    }
    Ok(ctx.with(out))
}

/// Logic and comparison.
pub(super) fn comparison(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let read_only = ctx.read_only();
    match e.op {
        Op::Or | Op::And => {
            let wanted = matches!(e.op, Op::Or);
            let mut early = |this: &mut Engine, left: Option<Id>| {
                let truthy = left.is_some_and(|l| this.truthy(l));
                if truthy == wanted { this.boolean(left, wanted).map(Some) } else { Ok(None) }
            };
            cross(engine, &read_only, e, true, &mut early, &mut |this, left, right| {
                let truthy = right.is_some_and(|r| this.truthy(r));
                this.boolean(left.or(right), truthy).map(Some)
            })
            .map(|c| ctx.with(c.nodes.to_vec()))
        }
        Op::Alternative => {
            let mut early = |this: &mut Engine, left: Option<Id>| Ok(left.filter(|&l| this.truthy(l)));
            cross(engine, ctx, e, true, &mut early, &mut |this, left, right| {
                Ok(match (left, right) {
                    (Some(l), Some(r)) => Some(if this.truthy(l) { l } else { r }),
                    (l, r) => l.or(r),
                })
            })
        }
        Op::Equals { flip } => {
            let ctx = if flip { &read_only } else { ctx };
            cross(engine, ctx, e, true, &mut no_early, &mut |this, left, right| {
                let same = match (left, right) {
                    (None, None) => true,
                    (Some(one), None) | (None, Some(one)) => this.arena.is_null(one),
                    (Some(l), Some(r)) if this.arena.is_null(l) => this.arena.is_null(r),
                    (Some(l), Some(r)) => {
                        this.arena.kind(l) == Kind::Scalar
                            && this.arena.kind(r) == Kind::Scalar
                            && this.arena.fits(l, r)?
                    }
                };
                this.boolean(left.or(right), same != flip).map(Some)
            })
        }
        Op::Compare { or_equal, greater } => cross(engine, ctx, e, true, &mut no_early, &mut |this, left, right| {
            let holds = match (left, right) {
                (None, None) => or_equal,
                (Some(l), Some(r)) => holds(this, l, r, or_equal, greater)?,
                _ => false,
            };
            this.boolean(left.or(right), holds).map(Some)
        }),
        _ => cross(engine, &read_only, e, false, &mut no_early, &mut |this, left, right| {
            let (Some(l), Some(r)) = (left, right) else { return Ok(None) };
            if this.arena.kind(l) != this.arena.kind(r) {
                let (r, l) = (this.arena.tag(r), this.arena.tag(l));
                return bad(format!("{r} cannot check contained in {l}"));
            }
            let contained = contains(this, l, r, 0)?;
            this.boolean(left, contained).map(Some)
        }),
    }
}

/// Compares two values: `left > right` and similar.
pub(super) fn holds(engine: &Engine, left: Id, right: Id, or_equal: bool, greater: bool) -> R<bool> {
    let (l, r) = (engine.arena.get(left), engine.arena.get(right));
    match l.kind {
        Kind::Map => return bad("maps not yet supported for comparison"),
        Kind::List => return bad("arrays not yet supported for comparison"),
        Kind::Scalar if r.kind != Kind::Scalar => {
            return bad(format!("{} cannot be subtracted from {}", r.tag, l.tag));
        }
        Kind::Scalar => {}
    }
    let order = match (&*l.tag, &*r.tag) {
        ("!!timestamp", _) => return Err(QueryError::Unsupported("yq comparison of dates".to_owned())),
        ("!!str", _) if scalar::resolve(&l.text) == "!!timestamp" => {
            return Err(QueryError::Unsupported("yq comparison of dates".to_owned()));
        }
        ("!!int", "!!int") => integer(&l.text)?.1.cmp(&integer(&r.text)?.1),
        (a, b) if is_number(a) && is_number(b) => match number(&l.text)?.partial_cmp(&number(&r.text)?) {
            Some(order) => order,
            None => return Ok(false),
        },
        ("!!str", "!!str") => l.text.as_bytes().cmp(r.text.as_bytes()),
        ("!!null", "!!null") => return Ok(or_equal),
        ("!!null", _) | (_, "!!null") => return Ok(false),
        (tag, _) => return bad(format!("{tag} not yet supported for comparison")),
    };
    Ok(match order {
        Ordering::Equal => or_equal,
        Ordering::Greater => greater,
        Ordering::Less => !greater,
    })
}

fn contains(engine: &Engine, left: Id, right: Id, depth: usize) -> R<bool> {
    let (l, r) = (engine.arena.get(left), engine.arena.get(right));
    engine.arena.take(1 + l.text.len() / super::node::TEXT_STEP)?;
    if depth > super::node::MAX_DEPTH {
        return Ok(false);
    }
    let any = |item: Id| any_of(l.content.iter(), |&c| contains(engine, c, item, depth + 1));
    Ok(match l.kind {
        Kind::List if r.kind == Kind::List => !any_of(r.content.iter(), |&item| Ok(!any(item)?))?,
        Kind::List => any(right)?,
        Kind::Map => {
            let lacks = |pair: &[Id]| match engine.arena.find(left, pair[0]) {
                Some(i) if i % 2 == 0 => Ok(!contains(engine, l.content[i + 1], pair[1], depth + 1)?),
                _ => Ok(true),
            };
            r.kind == Kind::Map && !any_of(r.content.chunks_exact(2), lacks)?
        }
        Kind::Scalar if r.kind != Kind::Scalar || l.tag != r.tag => false,
        Kind::Scalar => match &*l.tag {
            "!!null" => true,
            "!!str" => l.text.contains(&*r.text),
            _ => l.text == r.text,
        },
    })
}

/// Whether a test holds for one of them; the first failure ends the search.
fn any_of<T>(mut items: impl Iterator<Item = T>, mut test: impl FnMut(T) -> R<bool>) -> R<bool> {
    items.try_fold(false, |found, item| Ok(found || test(item)?))
}

/// `+ - * / %`.
pub(super) fn arithmetic(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let op = e.op.clone();
    let when_empty = matches!(op, Op::Add) && !ctx.nodes.is_empty();
    let inner = ctx.read_only();
    let result = cross(engine, &inner, e, when_empty, &mut no_early, &mut |this, left, right| {
        let (l, r) = match (left, right) {
            (Some(l), Some(r)) => (l, r),
            (Some(one), None) | (None, Some(one)) => return this.arena.copy(one).map(Some),
            (None, None) => return Ok(None),
        };
        match op {
            Op::Multiply(prefs) => multiply(this, &inner, l, r, prefs),
            Op::Add | Op::Subtract if this.arena.is_null(l) => this.arena.copy_in_place(l, r),
            Op::Add => add(this, l, r),
            Op::Subtract => subtract(this, l, r),
            _ => divide(this, l, r, matches!(op, Op::Modulo)),
        }
        .map(Some)
    })?;
    Ok(ctx.with(result.nodes.to_vec()))
}

fn refuse<T>(engine: &Engine, l: Id, r: Id, what: &str) -> R<T> {
    bad(format!("{} {what} {}", engine.arena.tag(l), engine.arena.tag(r)))
}

/// A bare copy of `id` with another tag and text.
fn result(engine: &mut Engine, id: Id, tag: Option<&str>, text: String) -> R<Id> {
    let spare = engine.arena.scalar(tag.unwrap_or(""), &text)?;
    let target = engine.arena.copy_bare(id)?;
    let made = engine.arena.get(spare);
    let (made_tag, made_text) = (made.tag.clone(), made.text.clone());
    let node = engine.arena.get_mut(target);
    node.kind = Kind::Scalar;
    node.text = made_text;
    if tag.is_some() {
        node.tag = made_tag;
    }
    Ok(target)
}

fn tags(engine: &Engine, l: Id, r: Id) -> (Rc<str>, Rc<str>) {
    (engine.arena.get(l).tag.clone(), engine.arena.get(r).tag.clone())
}

fn numbers(engine: &Engine, l: Id, r: Id) -> R<(f64, f64)> {
    Ok((number(engine.arena.text(l))?, number(engine.arena.text(r))?))
}

fn integers(engine: &Engine, l: Id, r: Id) -> R<(u32, i64, i64)> {
    let (radix, left) = integer(engine.arena.text(l))?;
    Ok((radix, left, integer(engine.arena.text(r))?.1))
}

fn add(engine: &mut Engine, l: Id, r: Id) -> R<Id> {
    match (engine.arena.kind(l), engine.arena.kind(r)) {
        (Kind::Map, Kind::Map) => add_maps(engine, l, r),
        (Kind::List, kind) => {
            let target = engine.arena.copy_bare(l)?;
            let own = engine.arena.content(l).to_vec();
            engine.arena.add_all(target, &own)?;
            if kind == Kind::List {
                let more = engine.arena.content(r).to_vec();
                engine.arena.add_all(target, &more)?;
            } else if !engine.arena.is_null(r) {
                engine.arena.add(target, r)?;
            }
            Ok(target)
        }
        (Kind::Scalar, Kind::Scalar) => {
            let (a, b) = tags(engine, l, r);
            match (&*a, &*b) {
                ("!!timestamp", _) => Err(QueryError::Unsupported("yq arithmetic on dates".to_owned())),
                ("!!str", "!!null") => result(engine, l, None, engine.arena.text(l).to_owned()),
                ("!!str", _) | (_, "!!str") => {
                    let text = format!("{}{}", engine.arena.text(l), engine.arena.text(r));
                    result(engine, l, Some("!!str"), text)
                }
                ("!!int", "!!int") => {
                    let (radix, x, y) = integers(engine, l, r)?;
                    result(engine, l, None, scalar::int_text(radix, x.wrapping_add(y)))
                }
                (a, b) if is_number(a) && is_number(b) => {
                    let (x, y) = numbers(engine, l, r)?;
                    result(engine, l, Some("!!float"), strconv::float(x + y))
                }
                _ => refuse(engine, l, r, "cannot be added to"),
            }
        }
        _ => refuse(engine, r, l, "cannot be added to a"),
    }
}

fn add_maps(engine: &mut Engine, l: Id, r: Id) -> R<Id> {
    let target = engine.arena.copy_bare(l)?;
    let own = engine.arena.content(l).to_vec();
    engine.arena.add_all(target, &own)?;
    for pair in engine.arena.content(r).to_vec().chunks_exact(2) {
        engine.tick()?;
        match engine.arena.find_key(target, pair[0]) {
            None => {
                engine.arena.add_pair(target, pair[0], pair[1])?;
            }
            Some(i) => {
                let old = engine.arena.content(target)[i + 1];
                let new = engine.arena.copy_in_place(old, pair[1])?;
                engine.arena.get_mut(target).content[i + 1] = new;
            }
        }
    }
    Ok(target)
}

fn subtract(engine: &mut Engine, l: Id, r: Id) -> R<Id> {
    match (engine.arena.kind(l), engine.arena.kind(r)) {
        (Kind::Map, _) => bad("maps not yet supported for subtraction"),
        (Kind::List, Kind::List) => {
            let target = engine.arena.copy_bare(l)?;
            let mut kept = Vec::new();
            for item in engine.arena.content(l).to_vec() {
                engine.tick()?;
                if engine.arena.find(r, item).is_none() {
                    kept.push(item);
                }
            }
            engine.arena.get_mut(target).content = kept;
            Ok(target)
        }
        (Kind::Scalar, Kind::Scalar) => {
            let (a, b) = tags(engine, l, r);
            match (&*a, &*b) {
                ("!!timestamp", _) => Err(QueryError::Unsupported("yq arithmetic on dates".to_owned())),
                ("!!str", _) => bad("strings cannot be subtracted"),
                ("!!int", "!!int") => {
                    let (radix, x, y) = integers(engine, l, r)?;
                    result(engine, l, None, scalar::int_text(radix, x.wrapping_sub(y)))
                }
                (a, b) if is_number(a) && is_number(b) => {
                    let (x, y) = numbers(engine, l, r)?;
                    result(engine, l, Some("!!float"), strconv::float(x - y))
                }
                _ => refuse(engine, l, r, "cannot be added to"),
            }
        }
        _ => refuse(engine, r, l, "cannot be subtracted from"),
    }
}

fn divide(engine: &mut Engine, l: Id, r: Id, modulo: bool) -> R<Id> {
    let what = if modulo { "cannot modulo by" } else { "cannot be divided by" };
    let (a, b) = tags(engine, l, r);
    if engine.arena.kind(l) != Kind::Scalar || engine.arena.kind(r) != Kind::Scalar {
        return refuse(engine, l, r, what);
    }
    match (&*a, &*b) {
        ("!!str", "!!str") if !modulo => {
            let parts = texts::split(engine, l, &engine.arena.get(r).text.clone())?;
            let target = engine.arena.copy_bare(l)?;
            let node = engine.arena.get_mut(target);
            (node.kind, node.tag, node.style) = (Kind::List, "!!seq".into(), Style::Plain);
            engine.arena.add_all(target, &parts)?;
            Ok(target)
        }
        ("!!int", "!!int") if modulo => {
            let (radix, x, y) = integers(engine, l, r)?;
            if y == 0 {
                return bad("cannot modulo by 0");
            }
            result(engine, l, None, scalar::int_text(radix, x.wrapping_rem(y)))
        }
        (a, b) if is_number(a) && is_number(b) => {
            let (x, y) = numbers(engine, l, r)?;
            result(engine, l, Some("!!float"), strconv::float(if modulo { x % y } else { x / y }))
        }
        _ => refuse(engine, l, r, what),
    }
}

/// `*`: numbers, repetition of text, deep merge.
pub(super) fn multiply(engine: &mut Engine, ctx: &Ctx, l: Id, r: Id, prefs: MergePrefs) -> R<Id> {
    if engine.arena.is_null(r) {
        return engine.arena.copy(l);
    }
    let kind = engine.arena.kind(r);
    if kind != Kind::Scalar && (engine.arena.kind(l) == kind || engine.arena.is_null(l)) {
        let target = engine.arena.copy(l)?;
        return build::merge(engine, ctx, target, r, prefs);
    }
    let (a, b) = tags(engine, l, r);
    match (&*a, &*b) {
        ("!!int", "!!int") => {
            let (radix, x, y) = integers(engine, l, r)?;
            result(engine, l, None, scalar::int_text(radix, x.wrapping_mul(y)))
        }
        (a, b) if is_number(a) && is_number(b) => {
            let (x, y) = numbers(engine, l, r)?;
            result(engine, l, Some("!!float"), strconv::float(x * y))
        }
        ("!!str", "!!int") => repeat(engine, l, l, r),
        ("!!int", "!!str") => repeat(engine, l, r, l),
        _ => refuse(engine, l, r, "cannot multiply with"),
    }
}

fn repeat(engine: &mut Engine, place: Id, text: Id, count: Id) -> R<Id> {
    let (_, count) = integer(engine.arena.text(count))?;
    let Ok(times) = usize::try_from(count) else {
        return bad(format!("cannot repeat string by a negative number ({count})"));
    };
    let text = engine.arena.text(text);
    if times.saturating_mul(text.len().max(1)) > super::node::MAX_TEXT {
        return too_much();
    }
    let repeated = text.repeat(times);
    result(engine, place, Some("!!str"), repeated)
}
