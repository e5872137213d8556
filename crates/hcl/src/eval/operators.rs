//! Operators.

use crate::ast::{BinaryOp, Expr, Span, UnaryOp};
use crate::eval::{Evaluator, Problem};
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::number::Number;
use crate::val::unknown::is_less;
use crate::val::{Data, Val, equal};
use shared_text::Text;

impl Evaluator<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, inner: &Expr, span: Span) -> Val {
        let ty = if op == UnaryOp::Not { Type::Bool } else { Type::Number };
        let value = self.eval(inner);
        let prov = self.derived(span, [&value]);
        let Some(value) = self.operand(&value, &ty, inner.span, "unary operand") else { return failed(ty) };
        let data = match (op, value.data) {
            (UnaryOp::Not, Data::Bool(b)) => Data::Bool(!b),
            (UnaryOp::Negate, Data::Number(n)) => Data::Number(n.negate()),
            // OpenTofu forgets its marks.
            (_, Data::Unknown(ty, reason)) => return Val::not_null(ty, Text::clone(&reason)).with_prov(prov),
            (_, other) => other,
        };
        Val::from(data).marked(value.marks).with_prov(prov)
    }

    /// An operand as the type that the operator takes.
    fn operand(&mut self, value: &Val, ty: &Type, span: Span, what: &str) -> Option<Val> {
        if value.is_null() {
            self.null_operand(span, what);
            return None;
        }
        self.converted(value, ty, span, what)
    }

    fn null_operand(&mut self, span: Span, what: &str) {
        let detail = format!("Error during operation: argument must not be null ({what}).");
        self.problem("Operation failed", detail, span);
    }

    /// The same where null is taken.
    fn converted(&mut self, value: &Val, ty: &Type, span: Span, what: &str) -> Option<Val> {
        match convert(value, ty) {
            Ok(value) => Some(value),
            Err(why) => {
                self.problem("Invalid operand", format!("Unsuitable value for {what}: {}.", why.text()), span);
                None
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Val {
        if let BinaryOp::And | BinaryOp::Or = op {
            return self.logical(op == BinaryOp::And, (left, right), span);
        }
        let (a, b) = (self.eval(left), self.eval(right));
        let prov = self.derived(span, [&a, &b]);
        if let BinaryOp::Equal | BinaryOp::NotEqual = op {
            let marks = a.all_marks() | b.all_marks();
            let value = match equal(&a, &b) {
                Some(same) => Val::bool(same == (op == BinaryOp::Equal)),
                None => unknown(Type::Bool, &a, &b),
            };
            return value.marked(marks).with_prov(prov);
        }
        let a = self.operand(&a, &Type::Number, left.span, "left operand");
        let b = self.operand(&b, &Type::Number, right.span, "right operand");
        let compares =
            matches!(op, BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual);
        let ty = if compares { Type::Bool } else { Type::Number };
        let (Some(a), Some(b)) = (a, b) else { return failed(ty) };
        let marks = a.marks | b.marks;
        let value = match (&a.data, &b.data) {
            (Data::Number(x), Data::Number(y)) => self.arithmetic(op, x, y, span),
            _ => {
                let less = is_less(&a, &b);
                match (op, less) {
                    (BinaryOp::Less | BinaryOp::LessOrEqual, Some(less)) => Val::bool(less),
                    (BinaryOp::Greater | BinaryOp::GreaterOrEqual, Some(less)) => Val::bool(!less),
                    _ => unknown(ty, &a, &b),
                }
            }
        };
        value.marked(marks).with_prov(prov)
    }

    fn arithmetic(&mut self, op: BinaryOp, x: &Number, y: &Number, span: Span) -> Val {
        let number = match op {
            BinaryOp::Less => return Val::bool(x < y),
            BinaryOp::LessOrEqual => return Val::bool(x <= y),
            BinaryOp::Greater => return Val::bool(x > y),
            BinaryOp::GreaterOrEqual => return Val::bool(x >= y),
            BinaryOp::Add => Some(x.add(y)),
            BinaryOp::Subtract => Some(x.subtract(y)),
            BinaryOp::Multiply => Some(x.multiply(y)),
            BinaryOp::Divide => x.divide(y),
            _ => x.remainder(y),
        };
        match number {
            Some(number) => Val::number(number),
            None => {
                let detail = "Error during operation: zero divided by zero, or infinity by infinity, or the remainder with infinity.";
                self.problem("Operation failed", detail, span);
                failed(Type::Number)
            }
        }
    }

    /// A side that decides makes whatever is wrong with the other one irrelevant, but for its type.
    fn logical(&mut self, is_and: bool, (left, right): (&Expr, &Expr), span: Span) -> Val {
        let (a, wrong_a) = self.side(left);
        let (b, wrong_b) = self.side(right);
        let first = self.converted(&a, &Type::Bool, left.span, "left operand");
        let second = self.converted(&b, &Type::Bool, right.span, "right operand");
        let (Some(first), Some(second)) = (first, second) else {
            self.problems.extend(wrong_a.into_iter().chain(wrong_b));
            return failed(Type::Bool);
        };
        let marks = first.marks | second.marks;
        // Null is not true, which is enough for `&&`.
        let known = |value: &Val| match value.data {
            Data::Bool(b) => Some(b),
            Data::Null(_) => Some(false),
            _ => None,
        };
        let prov = match (known(&first), known(&second)) {
            (Some(decided), _) if decided != is_and => self.derived(span, [&a]),
            (_, Some(decided)) if decided != is_and => self.derived(span, [&b]),
            _ => self.derived(span, [&a, &b]),
        };
        let value = match (known(&first), known(&second)) {
            (Some(decided), _) if decided != is_and => {
                self.problems.extend(wrong_a);
                Val::bool(decided)
            }
            (_, Some(decided)) if decided != is_and => {
                self.problems.extend(wrong_b);
                Val::bool(decided)
            }
            (Some(_), Some(_)) if !wrong_a.is_empty() || !wrong_b.is_empty() => {
                self.problems.extend(wrong_a.into_iter().chain(wrong_b));
                return failed(Type::Bool);
            }
            (Some(_), Some(_)) if first.is_null() || second.is_null() => {
                let (span, what) =
                    if first.is_null() { (left.span, "left operand") } else { (right.span, "right operand") };
                self.null_operand(span, what);
                return failed(Type::Bool);
            }
            (Some(_), Some(_)) => Val::bool(is_and),
            (None, None) if wrong_a.is_empty() => unknown(Type::Bool, &first, &second),
            _ if wrong_a.is_empty() && wrong_b.is_empty() => unknown(Type::Bool, &first, &second),
            _ => {
                self.problems.extend(wrong_a.into_iter().chain(wrong_b));
                return failed(Type::Bool);
            }
        };
        value.marked(marks).with_prov(prov)
    }

    /// One side of a logical operator, and what is wrong with it. It decides also if something is wrong in a part that its result does
    /// not have: `[{}.x, true][1]`.
    fn side(&mut self, expr: &Expr) -> (Val, Vec<Problem>) {
        let (value, problems) = self.apart(expr);
        match problems.is_empty() || value.is_failed() || matches!(value.data, Data::Bool(_)) {
            true => (value, problems),
            false => (Val::unknown(Type::of(&value), Text::new()), problems),
        }
    }
}

/// The result of an operation with something wrong, of which the type is known all the same.
fn failed(ty: Type) -> Val {
    Val::unknown(ty, Text::new())
}

fn unknown(ty: Type, a: &Val, b: &Val) -> Val {
    let reasons = || a.unknown_reason().into_iter().chain(b.unknown_reason());
    let reason = reasons().find(|r| !r.is_empty()).or_else(|| reasons().next()).cloned().unwrap_or_default();
    Val::not_null(ty, reason)
}
