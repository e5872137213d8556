//! Paths: keys (with `*` and `?` as wildcards), indices, slices, `..`. Reading may create what is missing.

use super::eval::{Ctx, Engine, bad};
use super::node::{Id, Kind, MAX_DEPTH, too_much};
use super::op::{Expr, Op, Step, StepPrefs};
use super::{R, scalar};
use std::rc::Rc;

/// Whether a name fits a pattern with `*` and `?` over bytes.
pub(super) fn fits(name: &str, pattern: &str) -> bool {
    if pattern.is_empty() {
        return name.is_empty();
    }
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while p < pattern.len() || n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n + 1));
                p += 1;
                continue;
            }
            Some(b'?') if n < name.len() => {
                p += 1;
                n += 1;
                continue;
            }
            Some(c) if *c != b'?' && name.get(n) == Some(c) => {
                p += 1;
                n += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((rp, rn)) if rn <= name.len() => (p, n) = (rp, rn),
            _ => return false,
        }
    }
    true
}

fn not_an_index(text: &str) -> String {
    format!("cannot index array with '{text}' (strconv.ParseInt: parsing {text:?}: invalid syntax)")
}

impl Engine {
    /// One step of a path.
    pub(super) fn step(&mut self, id: Id, step: &Step, prefs: StepPrefs, read_only: bool, out: &mut Vec<Id>) -> R<()> {
        if self.arena.is_null(id) && !read_only {
            let node = self.arena.get_mut(id);
            node.kind = if matches!(step, Step::Index(_)) { Kind::List } else { Kind::Map };
            node.tag = "".into();
        }
        let text: Rc<str> = match step {
            Step::Key(key) => key.clone(),
            Step::Index(i) => i.to_string().into(),
        };
        match self.arena.kind(id) {
            Kind::Map => {
                let key = self.arena.scalar("!!str", &text)?;
                self.in_map(id, Some(key), prefs, read_only, out)
            }
            Kind::List => self.in_list(id, &text, prefs, out),
            Kind::Scalar => Ok(()),
        }
    }

    /// The values of a map whose key fits, or all; a key that is missing may be created.
    pub(super) fn in_map(
        &mut self,
        id: Id,
        key: Option<Id>,
        prefs: StepPrefs,
        read_only: bool,
        out: &mut Vec<Id>,
    ) -> R<()> {
        let before = out.len();
        for pair in self.arena.content(id).chunks_exact(2) {
            let hit = match key {
                None => true,
                Some(key) if prefs.exact => self.arena.text(pair[0]) == self.arena.text(key),
                Some(key) => fits(self.arena.text(pair[0]), self.arena.text(key)),
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
        let null = self.arena.scalar("!!null", "null")?;
        let (key, value) = self.arena.add_pair(id, key, null)?;
        out.extend(prefs.keys.then_some(key));
        out.extend((!prefs.no_values).then_some(value));
        Ok(())
    }

    /// One item of a list; a list that is too short grows.
    fn in_list(&mut self, id: Id, text: &str, prefs: StepPrefs, out: &mut Vec<Id>) -> R<()> {
        let Some((_, index)) = scalar::int(text) else {
            return if prefs.optional { Ok(()) } else { bad(not_an_index(text)) };
        };
        while i64::try_from(self.arena.content(id).len()).is_ok_and(|n| n <= index) {
            let null = self.arena.scalar("!!null", "null")?;
            self.arena.add(id, null)?;
        }
        let length = self.arena.content(id).len();
        let from_end = if index < 0 { index.saturating_add_unsigned(length as u64) } else { index };
        match usize::try_from(from_end) {
            Ok(i) => out.push(self.arena.content(id)[i]),
            Err(_) => return bad(format!("index [{index}] out of range, array size is {length}")),
        }
        Ok(())
    }

    /// All values of a map or list.
    pub(super) fn splat(&mut self, id: Id) -> R<Vec<Id>> {
        let mut out = Vec::new();
        self.pick_out(id, &[], false, true, &mut out)?;
        Ok(out)
    }

    fn pick_out(&mut self, id: Id, wanted: &[Id], optional: bool, read_only: bool, out: &mut Vec<Id>) -> R<()> {
        if self.arena.is_null(id) {
            let is_list = wanted.first().is_none_or(|&w| self.arena.tag(w) == "!!int");
            let node = self.arena.get_mut(id);
            node.tag = "".into();
            node.kind = if is_list { Kind::List } else { Kind::Map };
        }
        let prefs = StepPrefs { optional, ..StepPrefs::default() };
        match self.arena.kind(id) {
            Kind::List if wanted.is_empty() => out.extend(self.arena.content(id)),
            Kind::Map if wanted.is_empty() => self.in_map(id, None, prefs, read_only, out)?,
            Kind::List => {
                for &index in wanted {
                    let text = self.arena.get(index).text.clone();
                    self.in_list(id, &text, prefs, out)?;
                }
            }
            Kind::Map => {
                for &key in wanted {
                    self.in_map(id, Some(key), prefs, read_only, out)?;
                }
            }
            Kind::Scalar => {}
        }
        Ok(())
    }

    /// `left[right]`.
    pub(super) fn indices(&mut self, ctx: &Ctx, e: &Rc<Expr>, optional: bool) -> R<Ctx> {
        let inside = e.rhs.as_ref().and_then(|r| r.rhs.as_ref());
        if let Some(range) = inside.filter(|r| matches!(r.op, Op::CreateMap)) {
            return self.slice(ctx, range);
        }
        let lhs = self.eval(ctx, e.lhs.as_ref())?;
        let rhs = self.eval(&ctx.read_only(), e.rhs.as_ref())?;
        let wanted = rhs.first().map(|id| self.arena.content(id).to_vec()).unwrap_or_default();
        let mut out = Vec::new();
        for &id in lhs.nodes.iter() {
            self.pick_out(id, &wanted, optional, lhs.read_only, &mut out)?;
        }
        Ok(ctx.with(out))
    }

    /// `[from:to]` of the current nodes themselves, whatever stands to the left of the bracket.
    fn slice(&mut self, ctx: &Ctx, range: &Rc<Expr>) -> R<Ctx> {
        self.each(ctx, |this, id, out| {
            let from = this.bound(ctx, id, range.lhs.as_ref())?;
            let to = this.bound(ctx, id, range.rhs.as_ref())?;
            let content = this.arena.content(id).to_vec();
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

    fn bound(&mut self, ctx: &Ctx, id: Id, expr: Option<&Rc<Expr>>) -> R<i64> {
        let result = self.eval(&ctx.of(id), expr)?;
        let [number] = result.nodes.as_slice() else {
            return bad(format!("expected to find 1 number, got {} instead", result.nodes.len()));
        };
        match scalar::int(self.arena.text(*number)) {
            Some((_, n)) => Ok(n.clamp(-(1 << 40), 1 << 40)),
            None => bad(format!("strconv.ParseInt: parsing {:?}: invalid syntax", self.arena.text(*number))),
        }
    }

    /// The node and everything below it, each before its children.
    pub(super) fn descend(&mut self, id: Id, keys: bool, lists: bool, out: &mut Vec<Id>, depth: usize) -> R<()> {
        if depth > MAX_DEPTH {
            return too_much();
        }
        self.tick()?;
        out.push(id);
        let kind = self.arena.kind(id);
        if kind == Kind::List && !lists {
            return Ok(());
        }
        for (i, child) in self.arena.content(id).to_vec().into_iter().enumerate() {
            if kind == Kind::List || keys || i % 2 == 1 {
                self.descend(child, keys, lists, out, depth + 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn wildcards() {
        for (name, pattern, want) in [
            ("abc", "abc", true),
            ("abc", "a*", true),
            ("abc", "a?c", true),
            ("abc", "a?", false),
            ("", "", true),
            ("abc", "", false),
            ("abc", "*", true),
            ("abcbd", "a*b?", true),
            ("abc", "*d", false),
        ] {
            assert_eq!(fits(name, pattern), want, "{name} {pattern}");
        }
    }
}
