//! Operators on two values: arithmetic, comparison, logic.

use super::eval::{Ctx, Engine, bad};
use super::node::{Id, Kind, Style, too_much};
use super::op::{Expr, MergePrefs, Op};
use super::{QueryError, R, path, scalar};
use crate::go::strconv;
use std::cmp::Ordering;
use std::rc::Rc;

/// What each pair of a left and a right value becomes; a side may be missing.
type Combine<'a> = dyn FnMut(&mut Engine, Option<Id>, Option<Id>) -> R<Option<Id>> + 'a;
/// What the left value alone decides.
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

impl Engine {
    /// Every left value with every right value, for each current node apart.
    pub(super) fn cross(
        &mut self,
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
            let lhs = self.eval(&single, e.lhs.as_ref())?;
            let mut lefts: Vec<Option<Id>> = lhs.nodes.iter().map(|&id| Some(id)).collect();
            if when_empty && lefts.is_empty() && !single.nodes.is_empty() {
                lefts.push(None);
            }
            for left in lefts {
                self.tick()?;
                if let Some(decided) = early(self, left)? {
                    out.push(decided);
                    continue;
                }
                let rhs = self.eval(&single, e.rhs.as_ref())?;
                if when_empty && rhs.nodes.is_empty() {
                    out.extend(combine(self, left, None)?);
                }
                for &right in rhs.nodes.iter() {
                    out.extend(combine(self, left, Some(right))?);
                }
            }
        }
        Ok(ctx.with(out))
    }

    /// Logic and comparison.
    pub(super) fn comparison(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let read_only = ctx.read_only();
        match e.op {
            Op::Or | Op::And => {
                let wanted = matches!(e.op, Op::Or);
                let mut early = |this: &mut Engine, left: Option<Id>| {
                    let truthy = left.is_some_and(|l| this.truthy(l));
                    if truthy == wanted { this.boolean(left, wanted).map(Some) } else { Ok(None) }
                };
                self.cross(&read_only, e, true, &mut early, &mut |this, left, right| {
                    let truthy = right.is_some_and(|r| this.truthy(r));
                    this.boolean(left.or(right), truthy).map(Some)
                })
                .map(|c| ctx.with(c.nodes.to_vec()))
            }
            Op::Alternative => {
                let mut early = |this: &mut Engine, left: Option<Id>| Ok(left.filter(|&l| this.truthy(l)));
                self.cross(ctx, e, true, &mut early, &mut |this, left, right| {
                    Ok(match (left, right) {
                        (Some(l), Some(r)) => Some(if this.truthy(l) { l } else { r }),
                        (l, r) => l.or(r),
                    })
                })
            }
            Op::Equals { flip } => {
                let ctx = if flip { &read_only } else { ctx };
                self.cross(ctx, e, true, &mut no_early, &mut |this, left, right| {
                    let same = match (left, right) {
                        (None, None) => true,
                        (Some(one), None) | (None, Some(one)) => this.arena.is_null(one),
                        (Some(l), Some(r)) if this.arena.is_null(l) => this.arena.is_null(r),
                        (Some(l), Some(r)) => {
                            this.arena.kind(l) == Kind::Scalar
                                && this.arena.kind(r) == Kind::Scalar
                                && path::fits(this.arena.text(l), this.arena.text(r))
                        }
                    };
                    this.boolean(left.or(right), same != flip).map(Some)
                })
            }
            Op::Compare { or_equal, greater } => self.cross(ctx, e, true, &mut no_early, &mut |this, left, right| {
                let holds = match (left, right) {
                    (None, None) => or_equal,
                    (Some(l), Some(r)) => this.holds(l, r, or_equal, greater)?,
                    _ => false,
                };
                this.boolean(left.or(right), holds).map(Some)
            }),
            _ => self.cross(&read_only, e, false, &mut no_early, &mut |this, left, right| {
                let (Some(l), Some(r)) = (left, right) else { return Ok(None) };
                if this.arena.kind(l) != this.arena.kind(r) {
                    let (r, l) = (this.arena.tag(r), this.arena.tag(l));
                    return bad(format!("{r} cannot check contained in {l}"));
                }
                let contained = this.contains(l, r, 0);
                this.boolean(left, contained).map(Some)
            }),
        }
    }

    /// Whether `left > right` and the like.
    pub(super) fn holds(&self, left: Id, right: Id, or_equal: bool, greater: bool) -> R<bool> {
        let (l, r) = (self.arena.get(left), self.arena.get(right));
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

    fn contains(&self, left: Id, right: Id, depth: usize) -> bool {
        let (l, r) = (self.arena.get(left), self.arena.get(right));
        if depth > super::node::MAX_DEPTH {
            return false;
        }
        let any = |item: Id| l.content.iter().any(|&c| self.contains(c, item, depth + 1));
        match l.kind {
            Kind::List if r.kind == Kind::List => r.content.iter().all(|&item| any(item)),
            Kind::List => any(right),
            Kind::Map => {
                r.kind == Kind::Map
                    && r.content.chunks_exact(2).all(|pair| match self.arena.find(left, pair[0]) {
                        Some(i) if i % 2 == 0 => self.contains(l.content[i + 1], pair[1], depth + 1),
                        _ => false,
                    })
            }
            Kind::Scalar if r.kind != Kind::Scalar || l.tag != r.tag => false,
            Kind::Scalar => match &*l.tag {
                "!!null" => true,
                "!!str" => l.text.contains(&*r.text),
                _ => l.text == r.text,
            },
        }
    }

    /// `+ - * / %`.
    pub(super) fn arithmetic(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let op = e.op.clone();
        let when_empty = matches!(op, Op::Add) && !ctx.nodes.is_empty();
        let inner = ctx.read_only();
        let result = self.cross(&inner, e, when_empty, &mut no_early, &mut |this, left, right| {
            let (l, r) = match (left, right) {
                (Some(l), Some(r)) => (l, r),
                (Some(one), None) | (None, Some(one)) => return this.arena.copy(one).map(Some),
                (None, None) => return Ok(None),
            };
            match op {
                Op::Multiply(prefs) => this.multiply(&inner, l, r, prefs),
                Op::Add | Op::Subtract if this.arena.is_null(l) => this.arena.copy_in_place(l, r),
                Op::Add => this.add(l, r),
                Op::Subtract => this.subtract(l, r),
                _ => this.divide(l, r, matches!(op, Op::Modulo)),
            }
            .map(Some)
        })?;
        Ok(ctx.with(result.nodes.to_vec()))
    }

    fn refuse<T>(&self, l: Id, r: Id, what: &str) -> R<T> {
        bad(format!("{} {what} {}", self.arena.tag(l), self.arena.tag(r)))
    }

    /// A bare copy of `id` with another tag and text.
    fn result(&mut self, id: Id, tag: Option<&str>, text: String) -> R<Id> {
        let spare = self.arena.scalar(tag.unwrap_or(""), &text)?;
        let target = self.arena.copy_bare(id)?;
        let made = self.arena.get(spare);
        let (made_tag, made_text) = (made.tag.clone(), made.text.clone());
        let node = self.arena.get_mut(target);
        node.kind = Kind::Scalar;
        node.text = made_text;
        if tag.is_some() {
            node.tag = made_tag;
        }
        Ok(target)
    }

    fn tags(&self, l: Id, r: Id) -> (Rc<str>, Rc<str>) {
        (self.arena.get(l).tag.clone(), self.arena.get(r).tag.clone())
    }

    fn numbers(&self, l: Id, r: Id) -> R<(f64, f64)> {
        Ok((number(self.arena.text(l))?, number(self.arena.text(r))?))
    }

    fn integers(&self, l: Id, r: Id) -> R<(u32, i64, i64)> {
        let (radix, left) = integer(self.arena.text(l))?;
        Ok((radix, left, integer(self.arena.text(r))?.1))
    }

    fn add(&mut self, l: Id, r: Id) -> R<Id> {
        match (self.arena.kind(l), self.arena.kind(r)) {
            (Kind::Map, Kind::Map) => self.add_maps(l, r),
            (Kind::List, kind) => {
                let target = self.arena.copy_bare(l)?;
                let own = self.arena.content(l).to_vec();
                self.arena.add_all(target, &own)?;
                if kind == Kind::List {
                    let more = self.arena.content(r).to_vec();
                    self.arena.add_all(target, &more)?;
                } else if !self.arena.is_null(r) {
                    self.arena.add(target, r)?;
                }
                Ok(target)
            }
            (Kind::Scalar, Kind::Scalar) => {
                let (a, b) = self.tags(l, r);
                match (&*a, &*b) {
                    ("!!timestamp", _) => Err(QueryError::Unsupported("yq arithmetic on dates".to_owned())),
                    ("!!str", "!!null") => self.result(l, None, self.arena.text(l).to_owned()),
                    ("!!str", _) | (_, "!!str") => {
                        let text = format!("{}{}", self.arena.text(l), self.arena.text(r));
                        self.result(l, Some("!!str"), text)
                    }
                    ("!!int", "!!int") => {
                        let (radix, x, y) = self.integers(l, r)?;
                        self.result(l, None, scalar::int_text(radix, x.wrapping_add(y)))
                    }
                    (a, b) if is_number(a) && is_number(b) => {
                        let (x, y) = self.numbers(l, r)?;
                        self.result(l, Some("!!float"), strconv::float(x + y))
                    }
                    _ => self.refuse(l, r, "cannot be added to"),
                }
            }
            _ => self.refuse(r, l, "cannot be added to a"),
        }
    }

    fn add_maps(&mut self, l: Id, r: Id) -> R<Id> {
        let target = self.arena.copy_bare(l)?;
        let own = self.arena.content(l).to_vec();
        self.arena.add_all(target, &own)?;
        for pair in self.arena.content(r).to_vec().chunks_exact(2) {
            self.tick()?;
            match self.arena.find_key(target, pair[0]) {
                None => {
                    self.arena.add_pair(target, pair[0], pair[1])?;
                }
                Some(i) => {
                    let old = self.arena.content(target)[i + 1];
                    let new = self.arena.copy_in_place(old, pair[1])?;
                    self.arena.get_mut(target).content[i + 1] = new;
                }
            }
        }
        Ok(target)
    }

    fn subtract(&mut self, l: Id, r: Id) -> R<Id> {
        match (self.arena.kind(l), self.arena.kind(r)) {
            (Kind::Map, _) => bad("maps not yet supported for subtraction"),
            (Kind::List, Kind::List) => {
                let target = self.arena.copy_bare(l)?;
                let mut kept = Vec::new();
                for item in self.arena.content(l).to_vec() {
                    self.tick()?;
                    if self.arena.find(r, item).is_none() {
                        kept.push(item);
                    }
                }
                self.arena.get_mut(target).content = kept;
                Ok(target)
            }
            (Kind::Scalar, Kind::Scalar) => {
                let (a, b) = self.tags(l, r);
                match (&*a, &*b) {
                    ("!!timestamp", _) => Err(QueryError::Unsupported("yq arithmetic on dates".to_owned())),
                    ("!!str", _) => bad("strings cannot be subtracted"),
                    ("!!int", "!!int") => {
                        let (radix, x, y) = self.integers(l, r)?;
                        self.result(l, None, scalar::int_text(radix, x.wrapping_sub(y)))
                    }
                    (a, b) if is_number(a) && is_number(b) => {
                        let (x, y) = self.numbers(l, r)?;
                        self.result(l, Some("!!float"), strconv::float(x - y))
                    }
                    _ => self.refuse(l, r, "cannot be added to"),
                }
            }
            _ => self.refuse(r, l, "cannot be subtracted from"),
        }
    }

    fn divide(&mut self, l: Id, r: Id, modulo: bool) -> R<Id> {
        let what = if modulo { "cannot modulo by" } else { "cannot be divided by" };
        let (a, b) = self.tags(l, r);
        if self.arena.kind(l) != Kind::Scalar || self.arena.kind(r) != Kind::Scalar {
            return self.refuse(l, r, what);
        }
        match (&*a, &*b) {
            ("!!str", "!!str") if !modulo => {
                let parts = self.split(l, &self.arena.get(r).text.clone())?;
                let target = self.arena.copy_bare(l)?;
                let node = self.arena.get_mut(target);
                (node.kind, node.tag, node.style) = (Kind::List, "!!seq".into(), Style::Plain);
                self.arena.add_all(target, &parts)?;
                Ok(target)
            }
            ("!!int", "!!int") if modulo => {
                let (radix, x, y) = self.integers(l, r)?;
                if y == 0 {
                    return bad("cannot modulo by 0");
                }
                self.result(l, None, scalar::int_text(radix, x.wrapping_rem(y)))
            }
            (a, b) if is_number(a) && is_number(b) => {
                let (x, y) = self.numbers(l, r)?;
                self.result(l, Some("!!float"), strconv::float(if modulo { x % y } else { x / y }))
            }
            _ => self.refuse(l, r, what),
        }
    }

    /// `*`: numbers, repetition of text, deep merge.
    pub(super) fn multiply(&mut self, ctx: &Ctx, l: Id, r: Id, prefs: MergePrefs) -> R<Id> {
        if self.arena.is_null(r) {
            return self.arena.copy(l);
        }
        let kind = self.arena.kind(r);
        if kind != Kind::Scalar && (self.arena.kind(l) == kind || self.arena.is_null(l)) {
            let target = self.arena.copy(l)?;
            return self.merge(ctx, target, r, prefs);
        }
        let (a, b) = self.tags(l, r);
        match (&*a, &*b) {
            ("!!int", "!!int") => {
                let (radix, x, y) = self.integers(l, r)?;
                self.result(l, None, scalar::int_text(radix, x.wrapping_mul(y)))
            }
            (a, b) if is_number(a) && is_number(b) => {
                let (x, y) = self.numbers(l, r)?;
                self.result(l, Some("!!float"), strconv::float(x * y))
            }
            ("!!str", "!!int") => self.repeat(l, l, r),
            ("!!int", "!!str") => self.repeat(l, r, l),
            _ => self.refuse(l, r, "cannot multiply with"),
        }
    }

    fn repeat(&mut self, place: Id, text: Id, count: Id) -> R<Id> {
        let (_, count) = integer(self.arena.text(count))?;
        let Ok(times) = usize::try_from(count) else {
            return bad(format!("cannot repeat string by a negative number ({count})"));
        };
        let text = self.arena.text(text);
        if times.saturating_mul(text.len().max(1)) > super::node::MAX_TEXT {
            return too_much();
        }
        let repeated = text.repeat(times);
        self.result(place, Some("!!str"), repeated)
    }
}
