//! Properties of expressions that are visible without evaluating them.

use crate::ast::{Expr, ExprKind, Name, Part, Span, TemplateFor, TraversalStep};
use shared_text::Text;

/// A reference of an expression to something outside of it.
#[derive(Clone, Debug)]
pub struct Reference<'a> {
    /// The name that the traversal begins with: `var`.
    pub root: &'a Name,
    /// The steps from it.
    pub steps: &'a [TraversalStep],
    /// The bytes of the whole traversal.
    pub span: Span,
    /// What is read of its elements, where that is not said by the steps.
    pub elements: Elements<'a>,
}

/// What an expression reads of the elements of a reference.
#[derive(Clone, Debug)]
pub enum Elements<'a> {
    /// Nothing but what the steps name.
    Named,
    /// The element with a computed key, and the steps from it: `a.b[each.key].c`.
    One(&'a Expr, &'a [TraversalStep]),
    /// All elements, and the steps from each: `a.b[*].c`, `[for x in a.b : x.c]`, `values(a.b)[*].c`.
    All(Vec<&'a [TraversalStep]>),
}

/// The text of an expression that is a constant text.
pub fn constant_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Template(parts) => match parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The keyword that an expression is: one name alone.
pub fn keyword(expr: &Expr) -> Option<&Text> {
    match &expr.kind {
        ExprKind::Traversal(name, steps) if steps.is_empty() => Some(&name.text),
        _ => None,
    }
}

/// The name that an expression writes down, as the key of an object or as the value of `iterator` and `alias`: one name alone,
/// or a constant text, which is how the JSON syntax writes names.
pub fn name(expr: &Expr) -> Option<&str> {
    keyword(expr).map(|word| &**word).or_else(|| constant_text(unwrapped(expr)))
}

/// The expression without parentheses around it.
pub fn unwrapped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => unwrapped(inner),
        _ => expr,
    }
}

/// The reference that an expression is, if it is nothing else.
pub fn as_reference(expr: &Expr) -> Option<Reference<'_>> {
    match &expr.kind {
        ExprKind::Traversal(root, steps) => Some(Reference { root, steps, span: expr.span, elements: Elements::Named }),
        _ => None,
    }
}

/// The reference whose elements an expression goes through: itself, or `values` of it.
fn collection(expr: &Expr) -> Option<(&Name, &[TraversalStep], Span)> {
    match &expr.kind {
        ExprKind::Traversal(root, steps) => Some((root, steps, expr.span)),
        ExprKind::Paren(inner) => collection(inner),
        ExprKind::Call(call) if &*call.name.text == "values" => match call.arguments.as_slice() {
            [only] => collection(only),
            _ => None,
        },
        _ => None,
    }
}

/// The steps from the element of a splat, if it is read by nothing else.
fn of_element(each: &Expr) -> Option<&[TraversalStep]> {
    match &each.kind {
        ExprKind::Element => Some(&[]),
        ExprKind::Access(inner, steps) if matches!(inner.kind, ExprKind::Element) => Some(steps),
        _ => None,
    }
}

/// All references of an expression to what is outside of it, in the order of the text.
pub fn references(expr: &Expr) -> Vec<Reference<'_>> {
    let mut walk = ExprWalk { bound: Vec::new(), found: Vec::new() };
    walk.expr(expr);
    walk.found
}

/// The names of functions that an expression calls, with their places.
pub fn calls(expr: &Expr) -> Vec<&Name> {
    let mut found = Vec::new();
    visit(expr, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            found.push(&call.name);
        }
    });
    found
}

/// The same expression with one place for all of its parts.
pub fn placed(mut expr: Expr, span: Span) -> Expr {
    place(&mut expr, span);
    expr
}

/// Calls a function for an expression and all expressions in it.
pub fn visit<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    see(expr);
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Element | ExprKind::Traversal(..) => {}
        ExprKind::Template(parts) => parts.iter().for_each(|part| visit_part(part, see)),
        ExprKind::Wrapped(inner) | ExprKind::Paren(inner) | ExprKind::Unary(_, inner) | ExprKind::Access(inner, _) => {
            visit(inner, see);
        }
        ExprKind::Index(a, b) | ExprKind::Splat(a, b) | ExprKind::Binary(_, a, b) => {
            visit(a, see);
            visit(b, see);
        }
        ExprKind::Call(call) => call.arguments.iter().for_each(|a| visit(a, see)),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| visit(e, see)),
        ExprKind::Tuple(items) => items.iter().for_each(|item| visit(item, see)),
        ExprKind::Object(items) => {
            for (key, value) in items {
                visit(key, see);
                visit(value, see);
            }
        }
        ExprKind::For(all) => {
            visit(&all.collection, see);
            all.key.iter().for_each(|e| visit(e, see));
            visit(&all.value, see);
            all.condition.iter().for_each(|e| visit(e, see));
        }
    }
}

fn visit_part<'a>(part: &'a Part, see: &mut dyn FnMut(&'a Expr)) {
    match part {
        Part::Text(_) => {}
        Part::Value(expr) => visit(expr, see),
        Part::If(condition, yes, no) => {
            visit(condition, see);
            yes.iter().chain(no).for_each(|part| visit_part(part, see));
        }
        Part::For(all) => {
            visit(&all.collection, see);
            all.body.iter().for_each(|part| visit_part(part, see));
        }
    }
}

struct ExprWalk<'a> {
    /// The names that `for` binds, the innermost last, with the steps from each.
    bound: Vec<(&'a Text, Vec<&'a [TraversalStep]>)>,
    found: Vec<Reference<'a>>,
}

impl<'a> ExprWalk<'a> {
    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Element => {}
            ExprKind::Traversal(root, steps) => self.reference(root, steps, expr.span, Elements::Named),
            ExprKind::Access(inner, after) if let ExprKind::Index(of, key) = &inner.kind => {
                self.one(of, key, after);
            }
            ExprKind::Index(of, key) => self.one(of, key, &[]),
            ExprKind::Splat(of, each) if let (Some(all), Some(steps)) = (collection(of), of_element(each)) => {
                self.reference(all.0, all.1, all.2, Elements::All(vec![steps]));
            }
            ExprKind::Template(parts) => parts.iter().for_each(|part| self.part(part)),
            ExprKind::Wrapped(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Access(inner, _) => self.expr(inner),
            ExprKind::Splat(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Call(call) => call.arguments.iter().for_each(|a| self.expr(a)),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Tuple(items) => items.iter().for_each(|item| self.expr(item)),
            ExprKind::Object(items) => {
                for (key, value) in items {
                    if keyword(key).is_none() {
                        self.expr(key);
                    }
                    self.expr(value);
                }
            }
            ExprKind::For(all) => {
                self.within(all.key_name.as_ref(), &all.value_name, &all.collection, |walk| {
                    all.key.iter().for_each(|e| walk.expr(e));
                    walk.expr(&all.value);
                    all.condition.iter().for_each(|e| walk.expr(e));
                });
            }
        }
    }

    /// A reference to something outside, or to what a `for` binds.
    fn reference(&mut self, root: &'a Name, steps: &'a [TraversalStep], span: Span, elements: Elements<'a>) {
        match self.bound.iter_mut().rev().find(|(name, _)| **name == root.text) {
            Some((_, read)) => read.push(steps),
            None => self.found.push(Reference { root, steps, span, elements }),
        }
    }

    /// An element whose key is computed.
    fn one(&mut self, of: &'a Expr, key: &'a Expr, after: &'a [TraversalStep]) {
        match &of.kind {
            ExprKind::Traversal(root, steps) => self.reference(root, steps, of.span, Elements::One(key, after)),
            _ => self.expr(of),
        }
        self.expr(key);
    }

    /// What is evaluated for each element of a collection.
    fn within(&mut self, key: Option<&'a Name>, value: &'a Name, of: &'a Expr, run: impl FnOnce(&mut Self)) {
        let at = self.found.len();
        let all = collection(of);
        match all {
            Some((root, steps, span)) => self.reference(root, steps, span, Elements::All(Vec::new())),
            None => self.expr(of),
        }
        let is_outside = self.found.len() > at;
        let before = self.bound.len();
        self.bound.extend(key.map(|k| (&k.text, Vec::new())));
        self.bound.push((&value.text, Vec::new()));
        run(self);
        let read = self.bound.pop().map(|(_, read)| read).unwrap_or_default();
        self.bound.truncate(before);
        if all.is_some() && is_outside {
            self.found[at].elements = Elements::All(read);
        }
    }

    fn part(&mut self, part: &'a Part) {
        match part {
            Part::Text(_) => {}
            Part::Value(expr) => self.expr(expr),
            Part::If(condition, yes, no) => {
                self.expr(condition);
                yes.iter().chain(no).for_each(|part| self.part(part));
            }
            Part::For(all) => {
                let TemplateFor { key, value, collection, body } = &**all;
                self.within(key.as_ref(), value, collection, |walk| body.iter().for_each(|part| walk.part(part)));
            }
        }
    }
}

fn place(expr: &mut Expr, span: Span) {
    expr.span = span;
    let all = |list: &mut [Expr]| list.iter_mut().for_each(|e| place(e, span));
    match &mut expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Element => {}
        ExprKind::Traversal(root, steps) => {
            root.span = span;
            place_steps(steps, span);
        }
        ExprKind::Template(parts) => place_parts(parts, span),
        ExprKind::Wrapped(inner) | ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => place(inner, span),
        ExprKind::Access(inner, steps) => {
            place(inner, span);
            place_steps(steps, span);
        }
        ExprKind::Index(a, b) | ExprKind::Splat(a, b) | ExprKind::Binary(_, a, b) => {
            place(a, span);
            place(b, span);
        }
        ExprKind::Call(call) => {
            call.name.span = span;
            all(&mut call.arguments);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| place(e, span)),
        ExprKind::Tuple(items) => all(items),
        ExprKind::Object(items) => {
            for (key, value) in items {
                place(key, span);
                place(value, span);
            }
        }
        ExprKind::For(inner) => {
            place(&mut inner.collection, span);
            inner.key.iter_mut().for_each(|e| place(e, span));
            place(&mut inner.value, span);
            inner.condition.iter_mut().for_each(|e| place(e, span));
        }
    }
}

fn place_steps(steps: &mut [TraversalStep], span: Span) {
    for step in steps {
        match step {
            TraversalStep::Attribute(name) => name.span = span,
            TraversalStep::Index(_, place) => *place = span,
        }
    }
}

fn place_parts(parts: &mut [Part], span: Span) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Value(expr) => place(expr, span),
            Part::If(condition, yes, no) => {
                place(condition, span);
                place_parts(yes, span);
                place_parts(no, span);
            }
            Part::For(inner) => {
                place(&mut inner.collection, span);
                place_parts(&mut inner.body, span);
            }
        }
    }
}
