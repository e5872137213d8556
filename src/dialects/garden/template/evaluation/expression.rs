//! Evaluates template strings and the expressions in them.

use super::context::render;
use super::evaluator::{Evaluator, Scope, unknown_for};
use super::functions;
use super::lookup::{Lookup, Missing};
use crate::dialects::garden::template::failure::{Failure, FailureKind, MissingKey, Result, enriched, natural_list};
use crate::dialects::garden::template::node::convert::to_text;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::ast::{
    Block, Expr, ExprKind, Format, IfBlock, Key, KeyPath, LanguageVersion, Operator, Part, Span, Template,
};
use crate::dialects::garden::template::syntax::path::Segment;
use crate::text::{ByAddress, Text};
use crate::value::{Prov, Unknown};
use std::sync::Arc;

/// The result of an expression; `None` if it looks up a missing key, where that is not an error.
pub(super) type Outcome = Result<Option<Node>>;

/// The template that contains an expression.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    /// The text that spans are ranges of.
    pub raw: &'a Text,
    /// The path of the template in its document.
    pub path: &'a Text,
    /// Where the template is written.
    pub prov: &'a Prov,
    pub era: LanguageVersion,
    /// Whether the text is that of the whole template, not of a string literal in it.
    pub is_outermost: bool,
    /// How key paths are looked up.
    pub scope: Scope,
}

impl Site<'_> {
    /// A failure of an expression here.
    pub(super) fn failure(&self, kind: FailureKind, span: &Span, message: String) -> Box<Failure> {
        let mut failure = Failure::plain(kind, message, self.prov);
        failure.message = enriched(self.era, self.raw, self.path, &failure.plain);
        failure.span = self.is_outermost.then(|| span.clone());
        failure
    }

    fn slice(&self, span: &Span) -> &str {
        self.raw.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

impl Evaluator {
    /// Evaluates a template string.
    pub(super) fn template(&self, template: &Template, prov: &Prov, scope: Scope) -> Result<Node> {
        let site = Site { raw: &template.raw, path: &template.path, prov, era: self.era, is_outermost: true, scope };
        let (done, reads) = self.reading(|| self.block(&template.block, site, false));
        let node = done?.unwrap_or_default();
        let prov = if node.is_collection() {
            self.spend_size(&node)?;
            // The lines of a collection are more useful than the template that names it.
            node.prov.with_inputs([prov.clone()])
        } else {
            prov.with_inputs(reads)
        };
        Ok(Node { data: node.data, prov })
    }

    fn block(&self, block: &Block, site: Site<'_>, optional: bool) -> Outcome {
        match block.parts.as_slice() {
            [] => Ok(Some(Node::text(""))),
            [only] => self.part(only, site, optional),
            parts => self.joined(parts, site, optional),
        }
    }

    /// Parts as one text. If one is unknown, so is the text: with what is known filled in.
    fn joined(&self, parts: &[Part], site: Site<'_>, optional: bool) -> Outcome {
        let mut out = String::with_capacity(site.raw.len());
        let mut unknown: Vec<Node> = Vec::new();
        for part in parts {
            let Some(node) = self.part(part, site, optional)? else { return Ok(None) };
            match &node.data {
                Data::Undefined => {}
                Data::Text(text) => out.push_str(text),
                Data::Unknown(inner) => {
                    out.push_str(&inner.text);
                    unknown.push(node.clone());
                }
                _ => out.push_str(&to_text(&node)),
            }
            self.spend_text(out.len())?;
        }
        Ok(Some(match unknown_for(&unknown) {
            Some(node) => with_text(node, &out),
            None => Node::text(out),
        }))
    }

    fn part(&self, part: &Part, site: Site<'_>, optional: bool) -> Outcome {
        match part {
            Part::Text(text) => Ok(Some(Node::text(Text::clone(text)))),
            Part::Escaped(text) if site.scope.keeps_escapes => Ok(Some(Node::text(Text::clone(text)))),
            Part::Escaped(text) => Ok(Some(Node::text(&text[1..]))),
            Part::Format(format) => self.whole_part(self.format(format, site, optional)?, part, &format.span, site),
            Part::If(block) => self.whole_part(self.conditional(block, site, optional)?, part, &block.span, site),
        }
    }

    /// The value of a part, with what it is made of; of a part of a text in an expression, the expression is made of that.
    fn whole_part(&self, value: Option<Node>, part: &Part, span: &Span, site: Site<'_>) -> Outcome {
        match value {
            Some(value) if site.is_outermost => {
                self.with_lookups(value, part, (site.slice(span), site.prov), site.scope).map(Some)
            }
            value => Ok(value),
        }
    }

    fn format(&self, format: &Format, site: Site<'_>, optional: bool) -> Outcome {
        if self.is_partial && site.is_outermost {
            return Ok(Some(match self.expression(&format.expr, site, false) {
                Ok(Some(node)) => node,
                Err(failure) if failure.kind != FailureKind::MissingKey => return Err(failure),
                _ => Node::text(site.slice(&format.span)),
            }));
        }
        let node = match self.expression(&format.expr, site, optional || format.optional)? {
            None if format.optional => return Ok(Some(Node::default())),
            other => other,
        };
        Ok(node.map(|node| match &node.data {
            // An unknown variable is shown as its own text, an expression with it as written here.
            Data::Unknown(unknown) if unknown.text.is_empty() || !matches!(format.expr.kind, ExprKind::Lookup(_)) => {
                with_text(node, site.slice(&format.span))
            }
            _ => node,
        }))
    }

    fn conditional(&self, block: &IfBlock, site: Site<'_>, optional: bool) -> Outcome {
        let Some(condition) = self.format(&block.condition, site, optional)? else { return Ok(None) };
        let Some((then, otherwise)) = &block.branches else { return Ok(Some(condition)) };
        if let Data::Unknown(_) = condition.data {
            return Ok(Some(with_text(condition, site.slice(&block.span))));
        }
        self.block(if condition.is_truthy() { then } else { otherwise }, site, optional)
    }

    /// Evaluates an expression. If it is optional, a missing key is not an error.
    pub(super) fn expression(&self, expr: &Expr, site: Site<'_>, optional: bool) -> Outcome {
        self.spend(1)?;
        Ok(Some(match &expr.kind {
            ExprKind::Null => Node::new(Data::Null),
            ExprKind::Bool(b) => Node::bool(*b),
            ExprKind::Number(n) => Node::new(Data::Number(*n)),
            ExprKind::Text(text) => Node::text(Text::clone(text)),
            ExprKind::Nested(template) => {
                let site = Site { raw: &template.raw, is_outermost: false, ..site };
                return self.block(&template.block, site, optional);
            }
            ExprKind::List(items) => match self.all(items, site, optional)? {
                Some(items) => Node::list(items),
                None => return Ok(None),
            },
            ExprKind::Call { name, arguments } => match self.all(arguments, site, optional)? {
                Some(arguments) => return self.call(name, &arguments, &expr.span, site).map(Some),
                None => return Ok(None),
            },
            ExprKind::Lookup(path) => return self.look_up(path, &expr.span, site, optional),
            ExprKind::Not(inner) => match self.expression(inner, site, true)? {
                None => Node::bool(true),
                Some(node) => unknown_for([&node]).unwrap_or_else(|| Node::bool(!node.is_truthy())),
            },
            ExprKind::TypeOf(inner) => match self.expression(inner, site, true)? {
                None => Node::text("undefined"),
                Some(node) => unknown_for([&node]).unwrap_or_else(|| Node::text(node.type_of())),
            },
            ExprKind::Contains(left, right) => return self.contains(left, right, site, optional),
            ExprKind::Chain(first, rest) => return self.chain(first, rest, site, optional),
            ExprKind::Or(all) => return self.or(all, site, optional),
            ExprKind::And(all) => return self.and(all, site),
            ExprKind::Ternary(all) => {
                let [test, then, otherwise] = &**all;
                match self.expression(test, site, true)? {
                    Some(node) if matches!(node.data, Data::Unknown(_)) => return Ok(unknown_for([&node])),
                    Some(node) if node.is_truthy() => return self.expression(then, site, optional),
                    _ => return self.expression(otherwise, site, optional),
                }
            }
        }))
    }

    fn all(&self, all: &[Expr], site: Site<'_>, optional: bool) -> Result<Option<Vec<Node>>> {
        let mut out = Vec::with_capacity(all.len());
        for expr in all {
            match self.expression(expr, site, optional)? {
                Some(node) => out.push(node),
                None => return Ok(None),
            }
        }
        Ok(Some(out))
    }

    fn or(&self, all: &[Expr], site: Site<'_>, optional: bool) -> Outcome {
        let last = all.len().saturating_sub(1);
        for expr in &all[..last] {
            match self.expression(expr, site, true)? {
                Some(node) if matches!(node.data, Data::Unknown(_)) => return Ok(unknown_for([&node])),
                Some(node) if node.is_truthy() => return Ok(Some(node)),
                _ => {}
            }
        }
        self.expression(&all[last], site, optional)
    }

    fn and(&self, all: &[Expr], site: Site<'_>) -> Outcome {
        let mut value = Node::bool(false);
        for expr in all {
            value = match self.expression(expr, site, true)? {
                None => Node::bool(false),
                Some(node) if matches!(node.data, Data::Unknown(_)) => return Ok(unknown_for([&node])),
                Some(node) => node,
            };
            if !value.is_truthy() {
                break;
            }
        }
        Ok(Some(value))
    }

    fn call(&self, name: &Text, arguments: &[Node], span: &Span, site: Site<'_>) -> Result<Node> {
        if functions::exists(name, self.era)
            && let Some(unknown) = unknown_for(arguments.iter().filter(|a| !a.is_collection()))
                .or_else(|| arguments.iter().find_map(unknown_inside))
        {
            return Ok(unknown);
        }
        functions::call(self, name, arguments).map_err(|error| match error {
            functions::Refusal::Limit(failure) => failure,
            functions::Refusal::Unknown(message) => site.failure(FailureKind::UnknownFunction, span, message),
            functions::Refusal::Wrong(message) => site.failure(FailureKind::Function, span, message),
        })
    }

    fn contains(&self, left: &Expr, right: &Expr, site: Site<'_>, optional: bool) -> Outcome {
        let Some(collection) = self.expression(left, site, optional)? else { return Ok(None) };
        let Some(element) = self.expression(right, site, optional)? else { return Ok(None) };
        if let Some(unknown) = unknown_for([&collection, &element]) {
            return Ok(Some(unknown));
        }
        let span = left.span.start..right.span.end;
        if element.is_collection() {
            let message = format!(
                "The right-hand side of a 'contains' operator must be a string, number, boolean or null (got {}).",
                element.kind()
            );
            return Err(site.failure(FailureKind::Operand, &span, message));
        }
        let found = match &collection.data {
            Data::List(items) => match items.iter().any(|item| identical(item, &element)) {
                false => match unknown_for(items.iter()) {
                    Some(unknown) => return Ok(Some(unknown)),
                    None => false,
                },
                true => true,
            },
            Data::Map(map) => map.get(&to_text(&element)).is_some(),
            Data::Text(text) => text.contains(&to_text(&element)),
            _ => {
                let message = format!(
                    "The left-hand side of a 'contains' operator must be a string, array or object (got {}).",
                    to_text(&collection)
                );
                return Err(site.failure(FailureKind::Operand, &span, message));
            }
        };
        Ok(Some(Node::bool(found)))
    }

    fn chain(&self, first: &Expr, rest: &[(Operator, Expr)], site: Site<'_>, optional: bool) -> Outcome {
        let Some(mut left) = self.expression(first, site, optional)? else { return Ok(None) };
        for (operator, expr) in rest {
            let Some(right) = self.expression(expr, site, optional)? else { return Ok(None) };
            left = match unknown_for([&left, &right]) {
                Some(unknown) => unknown,
                None => {
                    let span = first.span.start..expr.span.end;
                    binary(*operator, &left, &right)
                        .map_err(|message| site.failure(FailureKind::Operand, &span, message))?
                }
            };
            if let Data::Text(text) = &left.data {
                self.spend_text(text.len())?;
            }
        }
        Ok(Some(left))
    }

    /// Returns the segments of a key path; `None` if one of them looks up a missing key.
    pub(super) fn segments(&self, keys: &[Key], site: Site<'_>, optional: bool) -> Result<Option<Segments>> {
        let mut out = Vec::with_capacity(keys.len());
        for key in keys {
            out.push(match key {
                Key::Name(name) => Segment { text: Text::clone(name), is_number: false },
                Key::Index(n) => Segment { text: to_text(&Node::new(Data::Number(*n))).into(), is_number: true },
                Key::Computed(expr) => {
                    let Some(node) = self.expression(expr, site, optional)? else { return Ok(None) };
                    match &node.data {
                        Data::Text(text) => Segment { text: Text::clone(text), is_number: false },
                        Data::Number(_) => Segment { text: to_text(&node).into(), is_number: true },
                        Data::Unknown(_) => return Ok(Some(Segments::Unknown(node))),
                        _ => {
                            let message = match self.era {
                                LanguageVersion::Cedar => "Expression in brackets must resolve to a string or number",
                                LanguageVersion::Bonsai => "Expression in bracket must resolve to a primitive",
                            };
                            let message = format!("{message} (got {}).", node.kind());
                            return Err(site.failure(FailureKind::Operand, &expr.span, message));
                        }
                    }
                }
            });
        }
        Ok(Some(Segments::Known(out)))
    }

    fn look_up(&self, written: &KeyPath, span: &Span, site: Site<'_>, optional: bool) -> Outcome {
        let evaluated;
        let path = match &written.segments {
            Some(segments) => segments,
            None => match self.segments(&written.keys, site, optional)? {
                None => return Ok(None),
                Some(Segments::Unknown(node)) => return Ok(unknown_for([&node])),
                Some(Segments::Known(path)) => {
                    evaluated = path;
                    &evaluated
                }
            },
        };
        match self.lookup_prepared(site.scope.context, path, &written.joined, site.scope) {
            Ok(Lookup::Found(node)) => {
                self.read(&node.prov);
                Ok(Some(node))
            }
            Ok(Lookup::Missing(_)) if optional && !self.is_partial => Ok(None),
            Ok(Lookup::Missing(missing)) => {
                let mut failure = site.failure(FailureKind::MissingKey, span, self.reason(&missing));
                failure.circular = missing.circular;
                failure.missing = Some(MissingKey {
                    key: Text::clone(&missing.key),
                    available: missing.available(),
                    is_root: missing.path.is_empty(),
                });
                Err(failure)
            }
            Err(failure) => Err(outer(failure, path, span, site)),
        }
    }

    /// Returns the message about a missing key.
    fn reason(&self, missing: &Missing) -> String {
        let mut available = missing.available();
        let under: Vec<&str> = missing.path.iter().map(Text::as_str).collect();
        let under = if under.is_empty() { String::new() } else { format!(" under {}", render(&under)) };
        let available = match (available.is_empty(), self.era) {
            (true, _) => "(none)".to_owned(),
            (false, LanguageVersion::Cedar) => available.join(", "),
            (false, LanguageVersion::Bonsai) => {
                available.sort();
                natural_list(&available)
            }
        };
        format!("Could not find key {}{under}. Available keys: {available}.", missing.key)
    }
}

/// The segments of a key path.
pub(super) enum Segments {
    Known(Vec<Segment>),
    /// One of them is unknown: this one.
    Unknown(Node),
}

/// A failure of a value that a lookup met, as a failure of the template that looked it up.
fn outer(mut inner: Box<Failure>, path: &[Segment], span: &Span, site: Site<'_>) -> Box<Failure> {
    match inner.kind {
        FailureKind::Limit => inner,
        FailureKind::Circular | FailureKind::NotIndexable | FailureKind::Refused
            if inner.place.origin.is_none() && inner.message == inner.plain =>
        {
            let message = match (site.era, inner.kind) {
                (LanguageVersion::Bonsai, FailureKind::NotIndexable) => {
                    let key = path.last().map(|s| s.text.as_str()).unwrap_or_default();
                    format!("Attempted to look up key {key:?} on a number.")
                }
                _ => inner.plain,
            };
            let mut failure = site.failure(inner.kind, span, message);
            failure.circular = inner.circular;
            failure
        }
        _ => {
            let names: Vec<&str> = path.iter().map(|s| s.text.as_str()).collect();
            let message = format!("Failed to evaluate template expression at {}: {}", render(&names), inner.message);
            inner.message = enriched(site.era, site.raw, site.path, &message);
            inner
        }
    }
}

fn with_text(node: Node, text: &str) -> Node {
    let Data::Unknown(unknown) = &node.data else { return node };
    let unknown = Unknown { text: text.into(), assumed: None, ..(**unknown).clone() };
    Node { data: Data::Unknown(Arc::new(unknown)), prov: node.prov }
}

/// Returns the unknown part of a collection.
fn unknown_inside(node: &Node) -> Option<Node> {
    match &node.data {
        Data::Unknown(_) => unknown_for([node]),
        Data::List(items) => items.iter().find_map(unknown_inside),
        Data::Map(map) => map.iter().find_map(|(_, node)| unknown_inside(node)),
        _ => None,
    }
}

/// JavaScript's `===`: a collection is the same only as itself.
fn identical(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::Undefined, Data::Undefined) | (Data::Null, Data::Null) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Number(a), Data::Number(b)) => a == b,
        (Data::Text(a), Data::Text(b)) => a == b,
        (Data::List(a), Data::List(b)) => ByAddress(a) == ByAddress(b),
        (Data::Map(a), Data::Map(b)) => ByAddress(a) == ByAddress(b),
        _ => false,
    }
}

/// A binary operator on known values.
fn binary(operator: Operator, left: &Node, right: &Node) -> std::result::Result<Node, String> {
    let number = |n: f64| Ok(Node::new(Data::Number(n)));
    match (operator, &left.data, &right.data) {
        (Operator::Equal, ..) => Ok(Node::bool(identical(left, right))),
        (Operator::NotEqual, ..) => Ok(Node::bool(!identical(left, right))),
        (Operator::Add, Data::Number(a), Data::Number(b)) => number(a + b),
        (Operator::Add, Data::Text(a), _) => Ok(Node::text(format!("{a}{}", to_text(right)))),
        (Operator::Add, Data::List(a), Data::List(b)) => Ok(Node::list(a.iter().chain(b.iter()).cloned().collect())),
        (Operator::Add, ..) => Err(format!(
            "Both terms need to be either arrays or strings or numbers for + operator (got {} and {}).",
            left.kind(),
            right.kind()
        )),
        (Operator::Subtract, Data::Number(a), Data::Number(b)) => number(a - b),
        (Operator::Multiply, Data::Number(a), Data::Number(b)) => number(a * b),
        (Operator::Divide, Data::Number(a), Data::Number(b)) => number(a / b),
        (Operator::Modulo, Data::Number(a), Data::Number(b)) => number(a % b),
        (Operator::LessEqual, Data::Number(a), Data::Number(b)) => Ok(Node::bool(a <= b)),
        (Operator::GreaterEqual, Data::Number(a), Data::Number(b)) => Ok(Node::bool(a >= b)),
        (Operator::Less, Data::Number(a), Data::Number(b)) => Ok(Node::bool(a < b)),
        (Operator::Greater, Data::Number(a), Data::Number(b)) => Ok(Node::bool(a > b)),
        _ => Err(format!(
            "Both terms need to be numbers for {} operator (got {} and {}).",
            operator.sign(),
            left.kind(),
            right.kind()
        )),
    }
}
