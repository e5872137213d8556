//! Operators that change the document: assignment, deletion, updates.

use super::build::walk;
use super::eval::{Ctx, Engine, bad};
use super::node::{Id, Kind, Style};
use super::op::{Expr, Op, Step, StepPrefs};
use super::{R, scalar};
use std::rc::Rc;

impl Engine {
    pub(super) fn assignment(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        match &e.op {
            Op::Assign { update, only_null } => self.assign(ctx, e, *update, *only_null),
            Op::AddAssign => self.compound(ctx, e, Op::Add),
            Op::SubtractAssign => self.compound(ctx, e, Op::Subtract),
            Op::MultiplyAssign(prefs) => self.compound(ctx, e, Op::Multiply(*prefs)),
            Op::AssignAttributes { only_null } => {
                let targets = self.eval(ctx, e.lhs.as_ref())?;
                for &id in targets.nodes.iter() {
                    let source = self.eval(&ctx.of(id).read_only(), e.rhs.as_ref())?;
                    if let Some(source) = source.first().filter(|_| !only_null || self.arena.is_null(id)) {
                        self.take_attributes(id, source);
                    }
                }
                Ok(ctx.clone())
            }
            Op::AssignTag { update } => self.assign_text(ctx, e, *update, Self::set_tag),
            Op::AssignStyle { update } => self.assign_text(ctx, e, *update, Self::set_style),
            Op::AssignLook => {
                self.eval(&ctx.read_only(), e.rhs.as_ref())?;
                self.eval(ctx, e.lhs.as_ref())?;
                Ok(ctx.clone())
            }
            Op::Delete => self.delete(ctx, e.rhs.as_ref()),
            Op::DelPaths => self.delete_paths(ctx, e),
            Op::SetPath => self.set_path(ctx, e),
            Op::With => {
                let Some(block) = e.rhs.as_ref().filter(|b| matches!(b.op, Op::Block)) else {
                    return bad("with must be given a block (;)");
                };
                let targets = self.eval(ctx, block.lhs.as_ref())?;
                for &id in targets.nodes.iter() {
                    self.eval(&targets.of(id), block.rhs.as_ref())?;
                }
                Ok(ctx.clone())
            }
            _ => {
                for &id in ctx.nodes.iter() {
                    let values = self.splat(id)?;
                    self.update(ctx, &values, e.rhs.as_ref())?;
                }
                Ok(ctx.clone())
            }
        }
    }

    fn assign(&mut self, ctx: &Ctx, e: &Rc<Expr>, update: bool, only_null: bool) -> R<Ctx> {
        // Evaluated first, so that the targets are created.
        let targets = self.eval(ctx, e.lhs.as_ref())?;
        if update {
            self.update(ctx, &targets.nodes, e.rhs.as_ref())?;
            return Ok(ctx.clone());
        }
        self.cross(&ctx.read_only(), e, false, &mut |_, _| Ok(None), &mut |this, left, right| {
            if let (Some(l), Some(r)) = (left, right)
                && (!only_null || this.arena.is_null(l))
            {
                this.overwrite(l, r)?;
            }
            Ok(left)
        })?;
        Ok(ctx.clone())
    }

    /// Replaces each target by what the expression makes of it, the last one first: children come before parents.
    fn update(&mut self, ctx: &Ctx, targets: &[Id], expr: Option<&Rc<Expr>>) -> R<()> {
        for &id in targets.iter().rev() {
            self.tick()?;
            let result = self.eval(&ctx.of(id), expr)?;
            if let Some(source) = result.first() {
                self.overwrite(id, source)?;
            }
        }
        Ok(())
    }

    fn compound(&mut self, ctx: &Ctx, e: &Rc<Expr>, op: Op) -> R<Ctx> {
        let targets = self.eval(ctx, e.lhs.as_ref())?;
        let Some(rhs) = e.rhs.as_ref() else { return Ok(ctx.clone()) };
        for &id in targets.nodes.iter() {
            let before = self.arena.copy(id)?;
            let value = Expr::binary(op.clone(), Expr::leaf(Op::Reference(before)), rhs.clone());
            let assign = Op::Assign { update: false, only_null: false };
            let expr = Expr::binary(assign, Expr::leaf(Op::Reference(id)), value);
            self.eval(ctx, Some(&expr))?;
        }
        Ok(ctx.clone())
    }

    /// Makes a node a copy of another, in its own place.
    pub(super) fn overwrite(&mut self, id: Id, source: Id) -> R<()> {
        if id == source {
            return Ok(());
        }
        let (n, s) = (self.arena.get(id), self.arena.get(source));
        let restyle = (n.kind != Kind::Scalar && n.content.is_empty()) || n.tag != s.tag;
        let (kind, style, text, content) = (s.kind, s.style, s.text.clone(), s.content.clone());
        let node = self.arena.get_mut(id);
        if restyle {
            node.style = style;
        }
        node.content = Vec::new();
        node.kind = kind;
        self.arena.add_all(id, &content)?;
        self.arena.get_mut(id).text = text;
        self.take_attributes(id, source);
        Ok(())
    }

    fn take_attributes(&mut self, id: Id, source: Id) {
        let s = self.arena.get(source);
        let (kind, tag, style) = (s.kind, s.tag.clone(), s.style);
        let node = self.arena.get_mut(id);
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
    fn assign_text(&mut self, ctx: &Ctx, e: &Rc<Expr>, update: bool, set: fn(&mut Self, Id, &str) -> R<()>) -> R<Ctx> {
        let mut text: Rc<str> = "".into();
        if !update && let Some(id) = self.eval(&ctx.read_only(), e.rhs.as_ref())?.first() {
            text = self.arena.get(id).text.clone();
        }
        for &id in self.eval(ctx, e.lhs.as_ref())?.nodes.iter() {
            if update && let Some(id) = self.eval(&ctx.of(id).read_only(), e.rhs.as_ref())?.first() {
                text = self.arena.get(id).text.clone();
            }
            set(self, id, &text)?;
        }
        Ok(ctx.clone())
    }

    fn set_tag(&mut self, id: Id, tag: &str) -> R<()> {
        if !tag.starts_with("!!") {
            return Err(super::QueryError::Unsupported("yq custom tags".to_owned()));
        }
        self.arena.get_mut(id).tag = tag.into();
        Ok(())
    }

    /// Quotes make text of a number.
    fn set_style(&mut self, id: Id, style: &str) -> R<()> {
        let style = match style {
            "" => Style::Plain,
            "double" => Style::Double,
            "single" => Style::Single,
            "literal" | "folded" => Style::Literal,
            "flow" => return Ok(()),
            "tagged" => return Err(super::QueryError::Unsupported("yq tagged style".to_owned())),
            other => return bad(format!("unknown style {other}")),
        };
        self.arena.get_mut(id).style = style;
        Ok(())
    }

    fn delete(&mut self, ctx: &Ctx, expr: Option<&Rc<Expr>>) -> R<Ctx> {
        let doomed = self.eval(&ctx.read_only(), expr)?;
        for &id in doomed.nodes.iter().rev() {
            self.tick()?;
            let Some(parent) = self.arena.get(id).parent else {
                return Ok(ctx.with(ctx.nodes.iter().copied().filter(|&n| n != id).collect()));
            };
            let Some(step) = self.arena.last_step(id) else { return bad("cannot delete a node without a path") };
            let content = self.arena.content(parent).to_vec();
            let mut kept = Vec::with_capacity(content.len());
            match (self.arena.kind(parent), step) {
                (Kind::Map, Step::Key(key)) => {
                    for pair in content.chunks_exact(2).filter(|pair| self.arena.text(pair[0]) != &*key) {
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
                        if let Some(key) = self.arena.get(item).key {
                            self.arena.get_mut(key).text = kept.len().to_string().into();
                        }
                        kept.push(item);
                    }
                }
                (Kind::Scalar, _) => {
                    return bad(format!("cannot delete nodes from parent of tag {}", self.arena.tag(parent)));
                }
            }
            self.arena.get_mut(parent).content = kept;
        }
        Ok(ctx.clone())
    }

    fn steps(&self, what: &str, id: Id) -> R<Vec<Step>> {
        if self.arena.kind(id) != Kind::List {
            return bad(format!("{what}: expected path array, but got {} instead", self.arena.tag(id)));
        }
        let step = |&id: &Id| match (self.arena.tag(id), scalar::int(self.arena.text(id))) {
            ("!!str", _) => Ok(Step::Key(self.arena.get(id).text.clone())),
            ("!!int", Some((_, i))) => Ok(Step::Index(i)),
            (tag, _) => bad(format!("{what}: expected either a !!str or !!int in the path, found {tag} instead")),
        };
        self.arena.content(id).iter().map(step).collect()
    }

    fn delete_paths(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let paths = self.eval(&ctx.read_only(), e.rhs.as_ref())?;
        let [list] = paths.nodes.as_slice() else {
            return bad(format!("DELPATHS: expected single value but found {}", paths.nodes.len()));
        };
        if self.arena.tag(*list) != "!!seq" {
            return bad(format!("DELPATHS: expected a sequence of sequences, but found {}", self.arena.tag(*list)));
        }
        let mut ctx = ctx.clone();
        for path in self.arena.content(*list).to_vec() {
            let steps = self.steps("DELPATHS", path)?;
            let expr = walk(&steps, StepPrefs::default(), false)?;
            ctx = self.delete(&ctx, Some(&expr))?;
        }
        Ok(ctx)
    }

    fn set_path(&mut self, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
        let Some(block) = e.rhs.as_ref().filter(|b| matches!(b.op, Op::Block)) else {
            return bad("SETPATH must be given a block (;)");
        };
        let path = self.eval(&ctx.read_only(), block.lhs.as_ref())?;
        let [path] = path.nodes.as_slice() else {
            return bad(format!("SETPATH: expected single path but found {} results instead", path.nodes.len()));
        };
        let target = walk(&self.steps("SETPATH", *path)?, StepPrefs::default(), false)?;
        for &id in ctx.nodes.iter() {
            let value = self.eval(&ctx.of(id).read_only(), block.rhs.as_ref())?;
            let [value] = value.nodes.as_slice() else {
                return bad(format!("SETPATH: expected single value on RHS but found {}", value.nodes.len()));
            };
            let assign = Op::Assign { update: false, only_null: false };
            let expr = Expr::binary(assign, target.clone(), Expr::leaf(Op::Reference(*value)));
            self.eval(&ctx.of(id), Some(&expr))?;
        }
        Ok(ctx.clone())
    }
}
