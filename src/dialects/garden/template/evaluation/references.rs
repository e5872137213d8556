//! The keys that a value looks up, without evaluating it: key paths in all reachable parts.

use super::evaluator::{Evaluator, Scope};
use super::expression::{Segments, Site};
use crate::dialects::garden::template::failure::{Failure, FailureKind, Result};
use crate::dialects::garden::template::node::{ContextId, Data, Lazy, Node, OperatorKind, keys};
use crate::dialects::garden::template::syntax::ast::{Block, Expr, ExprKind, Format, Key, KeyPath, Part, Template};
use crate::dialects::garden::template::syntax::path::Segment;
use crate::text::Text;
use crate::value::Prov;

/// A key path that a template looks up.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Its segments; those that cannot be resolved contain the reason, and unknown segments are `None`.
    pub path: Vec<ReferenceKey>,
    /// The template that holds it.
    pub place: Prov,
    /// Where the template is in its document: `spec.command.0`.
    pub at: Text,
}

/// A segment of a [`Reference`].
#[derive(Clone, Debug)]
pub(crate) enum ReferenceKey {
    Known(Segment),
    /// One that cannot be evaluated.
    Failed(Box<Failure>),
    /// Known only at run time.
    Unknown,
}

/// All key paths that a value looks up when it is evaluated completely. Branches that are decided count alone.
///
/// # Errors
/// A condition that decides between branches cannot be evaluated.
pub(crate) fn references(evaluator: &Evaluator, node: &Node, scope: Scope) -> Result<Vec<Reference>> {
    let mut walk = ReferenceWalk { evaluator, found: Vec::new(), essential: false, roots: None };
    walk.node(node, scope)?;
    Ok(walk.found)
}

/// Whether a value can be evaluated so far that it is not lazy itself: no key that it needs is missing.
///
/// # Errors
/// A condition or a part of it cannot be evaluated for other reasons.
pub(super) fn can_evaluate(evaluator: &Evaluator, node: &Node, scope: Scope) -> Result<bool> {
    let mut walk = ReferenceWalk { evaluator, found: Vec::new(), essential: true, roots: Some(true) };
    walk.node(node, scope)?;
    Ok(walk.roots.unwrap_or(true))
}

struct ReferenceWalk<'a> {
    evaluator: &'a Evaluator,
    found: Vec<Reference>,
    /// Whether only what an evaluation of one level needs is of interest.
    essential: bool,
    /// Whether all templates with lookups in them have values, if that is asked.
    roots: Option<bool>,
}

impl ReferenceWalk<'_> {
    fn node(&mut self, node: &Node, scope: Scope) -> Result<()> {
        let _depth = self.evaluator.enter()?;
        self.evaluator.spend(1)?;
        match &node.data {
            Data::List(items) => items.iter().try_for_each(|item| self.node(item, scope)),
            Data::Map(map) => map.iter().try_for_each(|(_, value)| self.node(value, scope)),
            Data::Lazy(lazy) => self.lazy(lazy, node, scope),
            _ => Ok(()),
        }
    }

    fn lazy(&mut self, lazy: &Lazy, node: &Node, scope: Scope) -> Result<()> {
        match lazy {
            Lazy::Template(template) => self.template(template, node, scope),
            Lazy::Captured { node: inner, context, .. } => {
                if self.essential && inner.as_lazy().is_none() {
                    return Ok(());
                }
                let context: ContextId = self.evaluator.above(scope.context, *context);
                self.node(inner, Scope { context, ..scope })
            }
            Lazy::Patch(all) => all.iter().try_for_each(|node| self.node(node, scope)),
            Lazy::Operator(operator) => match &operator.kind {
                OperatorKind::Merge(map) if self.essential => self.lazy_only(map.get(keys::MERGE), scope),
                OperatorKind::Merge(map) => map.iter().try_for_each(|(_, value)| self.node(value, scope)),
                OperatorKind::Concat(_) if self.essential => Ok(()),
                OperatorKind::Concat(items) => items.iter().try_for_each(|item| self.node(item, scope)),
                OperatorKind::Flatten(each) => self.node(each, scope),
                OperatorKind::ForEach { input, filter, result } => {
                    self.node(input, scope)?;
                    match self.essential {
                        true => self.lazy_only(filter.as_ref(), scope),
                        false => {
                            filter.iter().try_for_each(|filter| self.node(filter, scope))?;
                            self.node(result, scope)
                        }
                    }
                }
                OperatorKind::If { test, then, otherwise } => self.condition(test, then, otherwise, scope),
            },
        }
    }

    fn lazy_only(&mut self, node: Option<&Node>, scope: Scope) -> Result<()> {
        match node {
            Some(node) if node.as_lazy().is_some() => self.node(node, scope),
            _ => Ok(()),
        }
    }

    /// Returns the relevant branches of `$if`: the chosen one, both if the condition is unknown, none if it is not a
    /// condition.
    fn condition(&mut self, test: &Node, then: &Node, otherwise: &Node, scope: Scope) -> Result<()> {
        self.node(test, scope)?;
        if test.as_lazy().is_some() && !can_evaluate(self.evaluator, test, scope)? {
            self.node(then, scope)?;
            return self.node(otherwise, scope);
        }
        match self.evaluator.evaluate(test, scope)?.data {
            Data::Bool(true) => self.node(then, scope),
            Data::Bool(false) => self.node(otherwise, scope),
            Data::Unknown(_) => {
                self.node(then, scope)?;
                self.node(otherwise, scope)
            }
            _ => Ok(()),
        }
    }

    fn template(&mut self, template: &Template, node: &Node, scope: Scope) -> Result<()> {
        let before = self.found.len();
        let (prov, era) = (&node.prov, self.evaluator.era());
        let site = Site { raw: &template.raw, path: &template.path, prov, era, is_outermost: true, scope };
        self.block(&template.block, site)?;
        if self.roots == Some(true) && self.found.len() > before {
            self.roots = Some(self.evaluator.has_value(template, site)?);
        }
        Ok(())
    }

    fn block(&mut self, block: &Block, site: Site<'_>) -> Result<()> {
        block.parts.iter().try_for_each(|part| match part {
            Part::Text(_) | Part::Escaped(_) => Ok(()),
            Part::Format(format) => self.format(format, site),
            Part::If(block) => {
                self.format(&block.condition, site)?;
                let Some((then, otherwise)) = &block.branches else { return Ok(()) };
                match self.evaluator.expression(&block.condition.expr, site, true)? {
                    Some(node) if !matches!(node.data, Data::Unknown(_)) => {
                        self.block(if node.is_truthy() { then } else { otherwise }, site)
                    }
                    _ => {
                        self.block(then, site)?;
                        self.block(otherwise, site)
                    }
                }
            }
        })
    }

    fn format(&mut self, format: &Format, site: Site<'_>) -> Result<()> {
        self.expression(&format.expr, site)
    }

    fn expression(&mut self, expr: &Expr, site: Site<'_>) -> Result<()> {
        self.evaluator.spend(1)?;
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Text(_) => Ok(()),
            ExprKind::Nested(template) => {
                self.block(&template.block, Site { raw: &template.raw, is_outermost: false, ..site })
            }
            ExprKind::List(all) | ExprKind::Call { arguments: all, .. } => {
                all.iter().try_for_each(|expr| self.expression(expr, site))
            }
            ExprKind::Lookup(path) => self.lookup(path, site),
            ExprKind::Not(inner) | ExprKind::TypeOf(inner) => self.expression(inner, site),
            ExprKind::Contains(left, right) => {
                self.expression(left, site)?;
                self.expression(right, site)
            }
            ExprKind::Chain(first, rest) => {
                self.expression(first, site)?;
                rest.iter().try_for_each(|(_, expr)| self.expression(expr, site))
            }
            ExprKind::Or(all) => self.until(all, site, true),
            ExprKind::And(all) => self.until(all, site, false),
            ExprKind::Ternary(all) => {
                let [test, then, otherwise] = &**all;
                self.expression(test, site)?;
                match self.evaluator.expression(test, site, true)? {
                    Some(node) if matches!(node.data, Data::Unknown(_)) => {
                        self.expression(then, site)?;
                        self.expression(otherwise, site)
                    }
                    Some(node) if node.is_truthy() => self.expression(then, site),
                    _ => self.expression(otherwise, site),
                }
            }
        }
    }

    /// Operands up to the one that decides: a true one of `||`, a false one of `&&`.
    fn until(&mut self, all: &[Expr], site: Site<'_>, decides: bool) -> Result<()> {
        for (i, expr) in all.iter().enumerate() {
            self.expression(expr, site)?;
            if i + 1 == all.len() {
                break;
            }
            match self.evaluator.expression(expr, site, true)? {
                Some(node) if matches!(node.data, Data::Unknown(_)) => {}
                Some(node) if node.is_truthy() == decides => break,
                None if !decides => break,
                _ => {}
            }
        }
        Ok(())
    }

    fn lookup(&mut self, written: &KeyPath, site: Site<'_>) -> Result<()> {
        if let Some(segments) = &written.segments {
            let path = segments.iter().cloned().map(ReferenceKey::Known).collect();
            self.found.push(Reference { path, place: site.prov.clone(), at: Text::clone(site.path) });
            return Ok(());
        }
        let keys = &written.keys;
        let mut path = Vec::with_capacity(keys.len());
        for key in keys {
            let one = std::slice::from_ref(key);
            path.push(match self.evaluator.segments(one, site, false) {
                Ok(Some(Segments::Known(mut known))) => match known.pop() {
                    Some(segment) => ReferenceKey::Known(segment),
                    None => continue,
                },
                Ok(Some(Segments::Unknown(_))) => ReferenceKey::Unknown,
                Ok(None) => continue,
                Err(failure) if failure.kind == FailureKind::MissingKey => ReferenceKey::Failed(failure),
                Err(failure) => return Err(failure),
            });
        }
        self.found.push(Reference { path, place: site.prov.clone(), at: Text::clone(site.path) });
        for key in keys {
            if let Key::Computed(inner) = key {
                self.expression(inner, site)?;
            }
        }
        Ok(())
    }
}

impl Evaluator {
    /// Whether a template has another result than a missing key.
    fn has_value(&self, template: &Template, site: Site<'_>) -> Result<bool> {
        let format = |part: &Part| match part {
            Part::Format(format) => Some(self.expression(&format.expr, site, true)),
            _ => None,
        };
        for outcome in template.block.parts.iter().filter_map(format) {
            if outcome?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Reference {
    /// The segments from the left that are known.
    pub(crate) fn known(&self) -> Vec<&Text> {
        let known = self.path.iter().map_while(|key| match key {
            ReferenceKey::Known(segment) => Some(&segment.text),
            _ => None,
        });
        known.collect()
    }
}
