//! Expressions of HCL without variables and functions.

use hcl_edit::Span;
use hcl_edit::expr::{BinaryOperator, Expression, ForExpr, ObjectKey, Traversal, TraversalOperator, UnaryOperator};
use hcl_edit::template::{Directive, Element, Strip, Template};
use std::collections::BTreeMap;

/// A number: whole ones exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i128),
    Float(f64),
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    Null,
    /// Null of a known type other than "any".
    TypedNull,
    Bool(bool),
    Number(Number),
    Str(String),
    List(Vec<Val>),
    Map(BTreeMap<String, Val>),
}

/// Evaluations and bytes of text that one attribute may take.
const MAX_WORK: usize = 1_000_000;

type R<T> = Result<T, String>;

/// Evaluates an expression of a source text.
///
/// # Errors
/// It needs a variable or a function, or its operands do not fit.
pub(super) fn evaluate(expr: &Expression, source: &str) -> R<Val> {
    Scope { source, vars: Vec::new(), work: 0, depth: 0 }.eval(expr)
}

struct Scope<'a> {
    source: &'a str,
    vars: Vec<(String, Val)>,
    work: usize,
    depth: usize,
}

impl Scope<'_> {
    /// Text in quotes stays on its line; the parser is more generous.
    fn on_one_line(&self, part: &impl Span) -> R<()> {
        let written = part.span().and_then(|span| self.source.get(span)).unwrap_or_default();
        if written.contains('\n') { Err("Invalid multi-line string".to_owned()) } else { Ok(()) }
    }

    fn spend(&mut self, work: usize) -> R<()> {
        self.work = self.work.saturating_add(work);
        if self.work > MAX_WORK { Err("the expression does too much".to_owned()) } else { Ok(()) }
    }

    fn eval(&mut self, expr: &Expression) -> R<Val> {
        self.spend(1)?;
        self.depth += 1;
        let result = if self.depth > 150 { Err("nested too deeply".to_owned()) } else { self.eval_inner(expr) };
        self.depth -= 1;
        result
    }

    fn eval_inner(&mut self, expr: &Expression) -> R<Val> {
        Ok(match expr {
            Expression::Null(_) => Val::Null,
            Expression::Bool(b) => Val::Bool(*b.value()),
            Expression::Number(n) => {
                let n = n.value();
                let whole = n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from));
                Val::Number(whole.map_or_else(|| Number::Float(n.as_f64().unwrap_or(f64::NAN)), Number::Int))
            }
            Expression::String(s) => {
                self.on_one_line(s)?;
                Val::Str(s.as_str().to_owned())
            }
            Expression::Array(items) => Val::List(items.iter().map(|e| self.eval(e)).collect::<R<_>>()?),
            Expression::Object(object) => {
                let mut map = BTreeMap::new();
                for (key, value) in object.iter() {
                    let key = match key {
                        ObjectKey::Ident(ident) => ident.as_str().to_owned(),
                        // A bare word is a name, in parentheses it would be a variable.
                        ObjectKey::Expression(Expression::Variable(ident)) => ident.as_str().to_owned(),
                        ObjectKey::Expression(expr) => text(&self.eval(expr)?)?,
                    };
                    map.insert(key, self.eval(value.expr())?);
                }
                Val::Map(map)
            }
            Expression::StringTemplate(template) => {
                let elements: Vec<&Element> = template.iter().collect();
                for literal in elements.iter().filter_map(|e| e.as_literal()) {
                    self.on_one_line(literal)?;
                }
                if let [Element::Interpolation(only)] = elements.as_slice() {
                    return self.eval(&only.expr);
                }
                Val::Str(self.elements(&elements)?)
            }
            Expression::HeredocTemplate(heredoc) => {
                let mut heredoc = heredoc.clone();
                if heredoc.indent().is_some() {
                    heredoc.dedent();
                }
                Val::Str(self.template(&heredoc.template)?)
            }
            Expression::Parenthesis(inner) => self.eval(inner.inner())?,
            Expression::Variable(name) => match self.vars.iter().rev().find(|(n, _)| n == name.as_str()) {
                Some((_, value)) => {
                    let value = value.clone();
                    self.spend(size(&value))?;
                    value
                }
                None => return Err("Variables not allowed; Variables may not be used here.".to_owned()),
            },
            Expression::FuncCall(_) => {
                return Err("Function calls not allowed; Functions may not be called here.".to_owned());
            }
            Expression::Conditional(c) => {
                let chosen = boolean(&self.eval(&c.cond_expr)?)?;
                match (chosen, self.eval(&c.true_expr), self.eval(&c.false_expr)) {
                    (_, Ok(yes), Ok(no)) => unify(yes, no, chosen)?,
                    // A branch that fails matters only when it is taken.
                    (true, taken, _) | (false, _, taken) => taken?,
                }
            }
            Expression::Traversal(traversal) => self.traverse(traversal)?,
            Expression::UnaryOp(op) => {
                let value = self.eval(&op.expr)?;
                match *op.operator.value() {
                    UnaryOperator::Not => Val::Bool(!boolean(&value)?),
                    UnaryOperator::Neg => Val::Number(match number(&value)? {
                        Number::Int(n) => Number::Int(-n),
                        Number::Float(f) => Number::Float(-f),
                    }),
                }
            }
            Expression::BinaryOp(op) => {
                let (left, right) = (self.eval(&op.lhs_expr)?, self.eval(&op.rhs_expr)?);
                binary(*op.operator.value(), &left, &right)?
            }
            Expression::ForExpr(expr) => self.for_expr(expr)?,
        })
    }

    fn template(&mut self, template: &Template) -> R<String> {
        let elements: Vec<&Element> = template.iter().collect();
        self.elements(&elements)
    }

    fn elements(&mut self, elements: &[&Element]) -> R<String> {
        let mut out = String::new();
        for (i, element) in elements.iter().enumerate() {
            match element {
                Element::Literal(literal) => {
                    let mut text = literal.as_str();
                    if i.checked_sub(1).is_some_and(|p| strips(elements[p]).1) {
                        text = text.trim_start();
                    }
                    if elements.get(i + 1).is_some_and(|e| strips(e).0) {
                        text = text.trim_end();
                    }
                    out.push_str(text);
                }
                Element::Interpolation(part) => out.push_str(&text(&self.eval(&part.expr)?)?),
                Element::Directive(directive) => self.directive(directive, &mut out)?,
            }
            self.spend(1)?;
        }
        self.spend(out.len())?;
        Ok(out)
    }

    fn inner(&mut self, template: &Template, strip_start: bool, strip_end: bool) -> R<String> {
        let text = self.template(template)?;
        let text = if strip_start { text.trim_start() } else { &text };
        Ok(if strip_end { text.trim_end() } else { text }.to_owned())
    }

    fn directive(&mut self, directive: &Directive, out: &mut String) -> R<()> {
        match directive {
            Directive::If(d) => {
                let end = starts(d.endif_expr.strip);
                let first = &d.if_expr;
                if boolean(&self.eval(&first.cond_expr)?)? {
                    let end = d.else_expr.as_ref().map_or(end, |e| starts(e.strip));
                    out.push_str(&self.inner(&first.template, ends(first.strip), end)?);
                } else if let Some(other) = &d.else_expr {
                    out.push_str(&self.inner(&other.template, ends(other.strip), end)?);
                }
            }
            Directive::For(d) => {
                let head = &d.for_expr;
                let collection = self.eval(&head.collection_expr)?;
                let key = head.key_var.as_ref().map(|k| k.as_str().to_owned());
                for (k, v) in entries(collection)? {
                    let depth = self.bind(key.as_deref(), head.value_var.as_str(), k, v);
                    let text = self.inner(&head.template, ends(head.strip), starts(d.endfor_expr.strip));
                    self.vars.truncate(depth);
                    out.push_str(&text?);
                }
            }
        }
        Ok(())
    }

    fn bind(&mut self, key: Option<&str>, value: &str, k: Val, v: Val) -> usize {
        let depth = self.vars.len();
        self.vars.extend(key.map(|key| (key.to_owned(), k)));
        self.vars.push((value.to_owned(), v));
        depth
    }

    fn for_expr(&mut self, expr: &ForExpr) -> R<Val> {
        let collection = self.eval(&expr.intro.collection_expr)?;
        let key = expr.intro.key_var.as_ref().map(|k| k.as_str().to_owned());
        let (mut list, mut map) = (Vec::new(), BTreeMap::new());
        for (k, v) in entries(collection)? {
            self.spend(size(&v))?;
            let depth = self.bind(key.as_deref(), expr.intro.value_var.as_str(), k, v);
            let result = self.for_entry(expr);
            self.vars.truncate(depth);
            match result? {
                None => {}
                Some((None, value)) => list.push(value),
                Some((Some(key), value)) if expr.grouping => {
                    match map.entry(key).or_insert_with(|| Val::List(Vec::new())) {
                        Val::List(group) => group.push(value),
                        _ => return Err("grouping".to_owned()),
                    }
                }
                Some((Some(key), value)) => {
                    let twice = format!("Duplicate object key; Two different items produced the key {key:?}.");
                    map.insert(key, value).map_or(Ok(()), |_| Err(twice))?;
                }
            }
        }
        Ok(if expr.key_expr.is_some() { Val::Map(map) } else { Val::List(list) })
    }

    fn for_entry(&mut self, expr: &ForExpr) -> R<Option<(Option<String>, Val)>> {
        if let Some(cond) = &expr.cond
            && !boolean(&self.eval(&cond.expr)?)?
        {
            return Ok(None);
        }
        let key = match &expr.key_expr {
            Some(key) => Some(text(&self.eval(key)?)?),
            None => None,
        };
        Ok(Some((key, self.eval(&expr.value_expr)?)))
    }

    fn traverse(&mut self, traversal: &Traversal) -> R<Val> {
        let value = self.eval(&traversal.expr)?;
        let operators: Vec<&TraversalOperator> = traversal.operators.iter().map(|o| o.value()).collect();
        self.walk(value, &operators)
    }

    fn walk(&mut self, mut value: Val, operators: &[&TraversalOperator]) -> R<Val> {
        let mut rest = operators;
        while let Some((operator, tail)) = rest.split_first() {
            self.spend(1)?;
            rest = tail;
            value = match operator {
                TraversalOperator::GetAttr(name) => index(&value, &Val::Str(name.as_str().to_owned()))?,
                TraversalOperator::Index(expr) => {
                    let key = self.eval(expr)?;
                    index(&value, &key)?
                }
                TraversalOperator::LegacyIndex(i) => index(&value, &Val::Number(Number::Int(i128::from(*i.value()))))?,
                TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => {
                    let items = match value {
                        Val::List(items) => items,
                        Val::Null | Val::TypedNull => Vec::new(),
                        other => vec![other],
                    };
                    // An attribute splat takes the names that follow, a full one everything.
                    let full = matches!(operator, TraversalOperator::FullSplat(_));
                    let taken = if full {
                        tail.len()
                    } else {
                        tail.iter().take_while(|o| matches!(o, TraversalOperator::GetAttr(_))).count()
                    };
                    let (each, after) = tail.split_at(taken);
                    rest = after;
                    Val::List(items.into_iter().map(|item| self.walk(item, each)).collect::<R<_>>()?)
                }
            };
        }
        Ok(value)
    }
}

/// Whether an element takes away the spaces before and after it.
fn strips(element: &Element) -> (bool, bool) {
    match element {
        Element::Literal(_) => (false, false),
        Element::Interpolation(part) => (starts(part.strip), ends(part.strip)),
        Element::Directive(directive) => match &**directive {
            Directive::If(d) => (starts(d.if_expr.strip), ends(d.endif_expr.strip)),
            Directive::For(d) => (starts(d.for_expr.strip), ends(d.endfor_expr.strip)),
        },
    }
}

fn starts(strip: Strip) -> bool {
    matches!(strip, Strip::Start | Strip::Both)
}

fn ends(strip: Strip) -> bool {
    matches!(strip, Strip::End | Strip::Both)
}

fn size(value: &Val) -> usize {
    match value {
        Val::Str(s) => s.len() + 1,
        Val::List(items) => items.iter().map(size).sum::<usize>() + 1,
        Val::Map(map) => map.values().map(size).sum::<usize>() + 1,
        _ => 1,
    }
}

fn entries(collection: Val) -> R<Vec<(Val, Val)>> {
    match collection {
        Val::List(items) => {
            Ok(items.into_iter().enumerate().map(|(i, v)| (Val::Number(Number::Int(i as i128)), v)).collect())
        }
        Val::Map(map) => Ok(map.into_iter().map(|(k, v)| (Val::Str(k), v)).collect()),
        _ => Err("Iteration over non-iterable value".to_owned()),
    }
}

fn index(value: &Val, key: &Val) -> R<Val> {
    let found = match value {
        Val::Map(map) => map.get(&text(key)?),
        Val::List(items) => match number(key)? {
            Number::Int(i) => usize::try_from(i).ok().and_then(|i| items.get(i)),
            Number::Float(_) => None,
        },
        _ => return Err("Invalid index; This value does not have any indices.".to_owned()),
    };
    found.cloned().ok_or_else(|| "Invalid index; The given key does not identify an element.".to_owned())
}

fn boolean(value: &Val) -> R<bool> {
    match value {
        Val::Bool(b) => Ok(*b),
        Val::Str(s) if s == "true" => Ok(true),
        Val::Str(s) if s == "false" => Ok(false),
        _ => Err("a bool is required".to_owned()),
    }
}

fn number(value: &Val) -> R<Number> {
    match value {
        Val::Number(n) => Ok(*n),
        Val::Str(s) => match (s.parse::<i128>(), s.parse::<f64>()) {
            (Ok(n), _) if !s.starts_with('+') => Ok(Number::Int(n)),
            (_, Ok(f)) if f.is_finite() => Ok(Number::Float(f)),
            _ => Err("a number is required".to_owned()),
        },
        _ => Err("a number is required".to_owned()),
    }
}

/// The text of a value inside of other text.
fn text(value: &Val) -> R<String> {
    match value {
        Val::Str(s) => Ok(s.clone()),
        Val::Bool(b) => Ok(b.to_string()),
        Val::Number(Number::Int(n)) => Ok(n.to_string()),
        Val::Number(Number::Float(f)) => Ok(f.to_string()),
        Val::Null | Val::TypedNull => {
            Err("The expression result is null; cannot include a null value here.".to_owned())
        }
        Val::List(_) | Val::Map(_) => {
            Err("Cannot include the given value in a string template: string required.".to_owned())
        }
    }
}

fn unify(yes: Val, no: Val, chosen: bool) -> R<Val> {
    let scalar = |v: &Val| matches!(v, Val::Bool(_) | Val::Number(_) | Val::Str(_));
    let same = std::mem::discriminant(&yes) == std::mem::discriminant(&no);
    let one_is_text = matches!((&yes, &no), (Val::Str(_), _) | (_, Val::Str(_)));
    let is_null = |v: &Val| matches!(v, Val::Null | Val::TypedNull);
    let both = (is_null(&yes), is_null(&no), scalar(&yes) && scalar(&no));
    let value = if chosen { yes } else { no };
    match both {
        _ if same => Ok(value),
        (true, _, _) | (_, true, _) => Ok(if is_null(&value) { Val::TypedNull } else { value }),
        (_, _, true) if one_is_text => Ok(Val::Str(text(&value)?)),
        _ => Err("Inconsistent conditional result types".to_owned()),
    }
}

fn binary(op: BinaryOperator, left: &Val, right: &Val) -> R<Val> {
    use BinaryOperator as B;
    Ok(match op {
        B::Eq => Val::Bool(equal(left, right)),
        B::NotEq => Val::Bool(!equal(left, right)),
        B::And => Val::Bool(boolean(left)? & boolean(right)?),
        B::Or => Val::Bool(boolean(left)? | boolean(right)?),
        B::Less | B::LessEq | B::Greater | B::GreaterEq => {
            let order = match (number(left)?, number(right)?) {
                (Number::Int(a), Number::Int(b)) => a.cmp(&b),
                (a, b) => float(a).total_cmp(&float(b)),
            };
            Val::Bool(match op {
                B::Less => order.is_lt(),
                B::LessEq => order.is_le(),
                B::Greater => order.is_gt(),
                _ => order.is_ge(),
            })
        }
        B::Plus | B::Minus | B::Mul | B::Div | B::Mod => Val::Number(arithmetic(op, number(left)?, number(right)?)?),
    })
}

fn float(n: Number) -> f64 {
    match n {
        Number::Int(n) => n as f64,
        Number::Float(f) => f,
    }
}

fn equal(left: &Val, right: &Val) -> bool {
    match (left, right) {
        (Val::Number(Number::Int(a)), Val::Number(Number::Int(b))) => a == b,
        // The reference calculates with 512 bits, where `0.1 + 0.2` is `0.3`.
        (Val::Number(a), Val::Number(b)) => {
            let (a, b) = (float(*a), float(*b));
            a == b || (a - b).abs() <= 1e-15 * a.abs().max(b.abs())
        }
        (Val::Null | Val::TypedNull, Val::Null | Val::TypedNull) => true,
        (Val::List(a), Val::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(x, y)| equal(x, y)),
        (Val::Map(a), Val::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, x), (l, y))| k == l && equal(x, y))
        }
        _ => left == right,
    }
}

fn arithmetic(op: BinaryOperator, a: Number, b: Number) -> R<Number> {
    use BinaryOperator as B;
    if matches!(op, B::Div) && float(b) == 0.0 && float(a) != 0.0 {
        return Ok(Number::Float(float(a) * f64::INFINITY));
    }
    if matches!(op, B::Div | B::Mod) && float(b) == 0.0 {
        return Err("Division by zero".to_owned());
    }
    if let (Number::Int(a), Number::Int(b)) = (a, b) {
        let exact = match op {
            B::Plus => a.checked_add(b),
            B::Minus => a.checked_sub(b),
            B::Mul => a.checked_mul(b),
            B::Div if a.checked_rem(b) == Some(0) => a.checked_div(b),
            B::Mod => a.checked_rem(b),
            _ => None,
        };
        if let Some(n) = exact {
            return Ok(Number::Int(n));
        }
    }
    let (x, y) = (float(a), float(b));
    let f = match op {
        B::Plus => x + y,
        B::Minus => x - y,
        B::Mul => x * y,
        B::Div => x / y,
        _ => x % y,
    };
    // Whole results are kept exact, so that `10 / 4 * 4` is a whole number again.
    Ok(if f.fract() == 0.0 && f.abs() < 9e15 { Number::Int(f as i128) } else { Number::Float(f) })
}
