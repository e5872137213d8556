//! Operators that look at the shape of the document: keys, entries, paths, tags.

use super::eval::{Ctx, Engine, bad};
use super::node::{Id, Kind, too_much};
use super::op::{Expr, Op, Step};
use super::{QueryError, R, scalar};
use std::rc::Rc;

impl Engine {
    pub(super) fn structure(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let rhs = e.rhs.as_ref();
        match &e.op {
            Op::Has => self.has(ctx, rhs),
            Op::Pick | Op::Omit => self.pick(ctx, e),
            Op::WithEntries => self.with_entries(ctx, rhs),
            Op::Eval => {
                let expressions = self.eval(&ctx.read_only(), rhs)?;
                let mut parsed = Vec::new();
                for &id in expressions.nodes.iter() {
                    parsed.push(super::parse::parse(self.arena.text(id))?);
                }
                self.each(ctx, |this, _, out| {
                    for expr in &parsed {
                        out.extend(this.eval(ctx, expr.as_ref())?.nodes.iter());
                    }
                    Ok(())
                })
            }
            Op::Error => {
                let message = self.eval(&ctx.read_only(), rhs)?.first();
                bad(message.map_or("aborted", |id| self.arena.text(id)))
            }
            Op::Flatten(depth) => {
                for &id in ctx.nodes.iter() {
                    if self.arena.kind(id) != Kind::List {
                        return bad("only arrays are supported for flatten");
                    }
                    self.flatten(id, *depth, 0)?;
                }
                Ok(ctx.clone())
            }
            // No document read here has an alias left.
            Op::Explode => {
                self.eval(ctx, rhs)?;
                Ok(ctx.clone())
            }
            Op::Pivot => Err(QueryError::Unsupported("yq `pivot`".to_owned())),
            op => self.each(ctx, |this, id, out| this.shape(op, id, out)),
        }
    }

    fn shape(&mut self, op: &Op, id: Id, out: &mut Vec<Id>) -> R<()> {
        let kind = self.arena.kind(id);
        let made = match op {
            Op::Length => {
                let length = self.length(id).to_string();
                self.arena.replacement(id, Kind::Scalar, "!!int", &length)?
            }
            Op::Not => {
                let truthy = self.truthy(id);
                self.boolean(Some(id), !truthy)?
            }
            Op::Tag => {
                let tag = self.arena.get(id).tag.clone();
                self.arena.replacement(id, Kind::Scalar, "!!str", &tag)?
            }
            Op::Kind => {
                let text = match kind {
                    Kind::Map => "map",
                    Kind::List => "seq",
                    Kind::Scalar => "scalar",
                };
                self.arena.replacement(id, Kind::Scalar, "!!str", text)?
            }
            Op::Key => match self.arena.get(id).key {
                Some(key) => key,
                None => return Ok(()),
            },
            Op::IsKey => {
                let is_key = self.arena.get(id).is_key;
                self.boolean(Some(id), is_key)?
            }
            Op::Keys => self.keys(id)?,
            Op::ToEntries => match kind {
                Kind::Scalar if self.arena.is_null(id) => return Ok(()),
                Kind::Scalar => return bad(format!("{} has no keys", self.arena.tag(id))),
                _ => self.entries(id)?,
            },
            Op::FromEntries => self.entries_to_map(id)?,
            Op::Path => self.path_of(id)?,
            Op::Parent(level) => match self.ancestor(id, *level) {
                Some(parent) => parent,
                None => return Ok(()),
            },
            Op::Parents => {
                let parents = self.ancestors(id);
                self.list_of(&parents)?
            }
            _ => return Err(QueryError::Unsupported(format!("yq `{}`", super::name(op)))),
        };
        out.push(made);
        Ok(())
    }

    fn length(&self, id: Id) -> usize {
        match self.arena.kind(id) {
            Kind::Scalar if self.arena.is_null(id) => 0,
            Kind::Scalar => self.arena.text(id).len(),
            Kind::Map => self.arena.content(id).len() / 2,
            Kind::List => self.arena.content(id).len(),
        }
    }

    /// The keys and indexes that lead to a node, as a list.
    fn path_of(&mut self, id: Id) -> R<Id> {
        let list = self.arena.replacement(id, Kind::List, "!!seq", "")?;
        for step in self.arena.path(id) {
            let node = match step {
                Step::Key(key) => self.arena.scalar("!!str", &key)?,
                Step::Index(i) => self.arena.scalar("!!int", &i.to_string())?,
            };
            self.arena.add(list, node)?;
        }
        Ok(list)
    }

    fn ancestors(&self, id: Id) -> Vec<Id> {
        let mut out = Vec::new();
        let mut at = id;
        while let Some(parent) = self.arena.get(at).parent {
            if out.len() > super::node::MAX_DEPTH {
                break;
            }
            out.push(parent);
            at = parent;
        }
        out
    }

    fn ancestor(&self, id: Id, level: i64) -> Option<Id> {
        let parents = self.ancestors(id);
        let level = if level < 0 { (parents.len() as i64).saturating_add(level + 1).max(0) } else { level };
        match usize::try_from(level).ok()? {
            0 => Some(id),
            n => parents.get(n - 1).copied(),
        }
    }

    fn keys(&mut self, id: Id) -> R<Id> {
        match self.arena.kind(id) {
            Kind::Map => {
                let keys: Vec<Id> = self.arena.content(id).iter().step_by(2).copied().collect();
                self.list_of(&keys)
            }
            Kind::List => {
                let mut keys = Vec::new();
                for i in 0..self.arena.content(id).len() {
                    keys.push(self.arena.scalar("!!int", &i.to_string())?);
                }
                self.list_of(&keys)
            }
            Kind::Scalar => {
                bad(format!("cannot get keys of {}, keys only works for maps and arrays", self.arena.tag(id)))
            }
        }
    }

    fn entries(&mut self, id: Id) -> R<Id> {
        let list = self.arena.replacement(id, Kind::List, "!!seq", "")?;
        let content = self.arena.content(id).to_vec();
        let mut pairs = Vec::new();
        if self.arena.kind(id) == Kind::Map {
            pairs.extend(content.chunks_exact(2).map(|p| (p[0], p[1])));
        } else {
            for (i, &value) in content.iter().enumerate() {
                pairs.push((self.arena.scalar("!!int", &i.to_string())?, value));
            }
        }
        for (key, value) in pairs {
            self.tick()?;
            let entry = self.arena.make(Kind::Map, "!!map", "")?;
            for (name, node) in [("key", key), ("value", value)] {
                let name = self.arena.scalar("!!str", name)?;
                self.arena.add_pair(entry, name, node)?;
            }
            self.arena.add(list, entry)?;
        }
        Ok(list)
    }

    fn entries_to_map(&mut self, id: Id) -> R<Id> {
        if self.arena.kind(id) != Kind::List {
            return bad("from entries only runs against arrays");
        }
        let map = self.arena.copy_bare(id)?;
        let node = self.arena.get_mut(map);
        (node.kind, node.tag) = (Kind::Map, "!!map".into());
        for (i, entry) in self.arena.content(id).to_vec().into_iter().enumerate() {
            self.tick()?;
            let key = self.field(entry, "key", i)?;
            let value = self.field(entry, "value", i)?;
            self.arena.add_pair(map, key, value)?;
        }
        Ok(map)
    }

    fn field(&self, entry: Id, name: &str, position: usize) -> R<Id> {
        let pairs = self.arena.content(entry).chunks_exact(2);
        let mut hits = pairs.filter(|pair| self.arena.text(pair[0]) == name).map(|pair| pair[1]);
        match (hits.next(), hits.next()) {
            (Some(hit), None) => Ok(hit),
            (first, _) => {
                let found = usize::from(first.is_some()) * 2;
                bad(format!("expected to find one '{name}' entry but found {found} in position {position}"))
            }
        }
    }

    fn with_entries(&mut self, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
        self.each(ctx, |this, id, out| {
            if this.arena.is_null(id) {
                return Ok(());
            }
            if this.arena.kind(id) == Kind::Scalar {
                return bad(format!("{} has no keys", this.arena.tag(id)));
            }
            let entries = this.entries(id)?;
            let mut results = Vec::new();
            for entry in this.splat(entries)? {
                results.extend(this.eval(&ctx.of(entry), expr)?.nodes.iter());
            }
            let list = this.list_of(&results)?;
            out.push(this.entries_to_map(list)?);
            Ok(())
        })
    }

    fn has(&mut self, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
        let wanted = self.eval(&ctx.read_only(), expr)?.first();
        let (tag, text): (Rc<str>, Rc<str>) = match wanted {
            Some(id) => (self.arena.get(id).tag.clone(), self.arena.get(id).text.clone()),
            None => ("!!null".into(), "null".into()),
        };
        self.each(ctx, |this, id, out| {
            let content = this.arena.content(id);
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

    fn pick(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let picking = matches!(e.op, Op::Pick);
        let wanted = self.eval(ctx, e.rhs.as_ref())?.first();
        let wanted = wanted.map(|id| self.arena.content(id).to_vec()).unwrap_or_default();
        if !picking && wanted.is_empty() {
            return Ok(ctx.clone());
        }
        let names = self.list_of(&wanted)?;
        if ctx.nodes.len().saturating_mul(wanted.len()) > 1_000_000 {
            return too_much();
        }
        if !picking && ctx.nodes.iter().any(|&id| self.arena.kind(id) == Kind::Scalar) {
            return Ok(ctx.clone());
        }
        self.each(ctx, |this, id, out| {
            let content = this.arena.content(id).to_vec();
            let mut kept = Vec::new();
            match this.arena.kind(id) {
                Kind::Map if picking => {
                    for &key in &wanted {
                        if let Some(i) = this.arena.find_key(id, key) {
                            kept.extend([content[i], content[i + 1]]);
                        }
                    }
                }
                Kind::Map => {
                    for pair in content.chunks_exact(2) {
                        if this.arena.find(names, pair[0]).is_none() {
                            kept.extend(pair);
                        }
                    }
                }
                Kind::List if picking => {
                    for &index in &wanted {
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
}
