//! The evaluation of expressions. `&&` and `||` decide as soon as one side does, whatever the other one is; apart from that
//! what is computed from something unknown is unknown.

use super::compare::{Found, equal, lookup};
use super::functions;
use super::outcome::{Failure, Outcome, Steps, no_truth};
use super::patterns::Patterns;
use super::value::{Link, Node, Root, Val};
use crate::resolution::Component;
use crate::value::{Entry, Language, Value};
use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, MapExpr, operators};
use cel::parser::Expression as Ast;
use std::rc::Rc;

/// The steps for compiling a pattern.
const COMPILING: u64 = 5_000;

/// The variables of an expression.
pub(crate) struct Scope<'a> {
    pub(crate) component: Option<&'a Component>,
    pub(crate) change: Option<&'a Value>,
    /// The code of the component; unknown if it cannot be read.
    pub(crate) code: Option<&'a Value>,
    /// How values are read.
    pub(crate) language: &'a Language,
    /// The steps that are left.
    pub(crate) steps: Steps,
    /// The compiled patterns of the expression under evaluation.
    pub(super) patterns: Option<&'a Patterns>,
    /// Variables of macros, the innermost last.
    pub(super) bound: Vec<(&'a str, Result<Val<'a>, Failure>)>,
    /// The sections of the component that were read, which most expressions about it read again.
    sections: Vec<&'a Entry>,
}

impl<'a> Scope<'a> {
    /// A scope without any variable.
    pub(crate) fn new(language: &'a Language, steps: u64) -> Scope<'a> {
        Scope {
            component: None,
            change: None,
            code: None,
            language,
            steps: Steps::new(steps),
            patterns: None,
            bound: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Resets the steps, for another expression.
    pub(crate) fn renew(&mut self, steps: u64) {
        self.steps = Steps::new(steps);
        self.bound.clear();
    }

    pub(super) fn eval(&mut self, ast: &'a Ast) -> Outcome<'a> {
        self.steps.take(1)?;
        match &ast.expr {
            Expr::Literal(literal) => Ok(self.literal(literal)),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.eval(&select.operand)?;
                let found = self.field(&operand, &select.field)?;
                match (select.test, found) {
                    (false, Found::Value(value)) => Ok(value),
                    (false, Found::Missing) => Err(missing(&operand, &select.field)),
                    (true, Found::Value(_)) => Ok(Val::Bool(true)),
                    (true, Found::Missing) => Ok(Val::Bool(false)),
                    (_, Found::Unknown(blank)) => Ok(Val::Unknown(blank)),
                }
            }
            Expr::List(list) => {
                let items = list.elements.iter().map(|element| self.eval(element)).collect::<Result<_, _>>()?;
                Ok(Val::List(Rc::new(items)))
            }
            Expr::Map(map) => self.map(map),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(all) => self.comprehension(all),
            Expr::Struct(_) | Expr::Unspecified => Err(Failure::Wrong("it cannot be read".to_owned())),
        }
    }

    fn literal(&self, literal: &'a LiteralValue) -> Val<'a> {
        match literal {
            LiteralValue::Boolean(b) => Val::Bool(*b.inner()),
            LiteralValue::Double(d) => Val::Double(*d.inner()),
            LiteralValue::Int(i) => Val::Int(*i.inner()),
            LiteralValue::UInt(u) => Val::Uint(*u.inner()),
            LiteralValue::String(text) => Val::Text(text.inner()),
            LiteralValue::Null | LiteralValue::Bytes(_) => Val::Null,
        }
    }

    fn variable(&self, name: &str) -> Outcome<'a> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
            return value.clone();
        }
        let node =
            |root: Root, value: &'a Value| Node { value, at: Link::Root(root), language: self.language }.into_val();
        let value = match name {
            "component" => self.component.map(Val::Component),
            "change" => self.change.map(|value| node(Root::Change, value)),
            "code" => self.code.map(|value| node(Root::Code, value)),
            _ => None,
        };
        value.ok_or_else(|| Failure::Missing(format!("there is no `{name}` here")))
    }

    /// Returns the value of a field.
    pub(super) fn field(&mut self, operand: &Val<'a>, name: &str) -> Result<Found<'a>, Failure> {
        match operand {
            Val::Component(component) => Ok(self.part(component, name)),
            Val::Map(_) => lookup(operand, &Val::Str(name.into()), &mut self.steps),
            Val::Node(node) if node.value.as_map().is_some() => {
                let key = node.value.as_map().and_then(|map| node.key(map, name));
                Ok(match key {
                    Some(value) => Found::entry(value),
                    None if node.is_open() => Found::Unknown(node.blank()),
                    None => Found::Missing,
                })
            }
            Val::Unknown(blank) => Ok(Found::Unknown(blank.clone())),
            // Nothing and unset values have no fields.
            Val::Null => Ok(Found::Missing),
            other => Err(Failure::Wrong(format!("`.{name}` is read of a {}, which has no fields", other.type_name()))),
        }
    }

    fn part(&mut self, component: &'a Component, name: &str) -> Found<'a> {
        match name {
            "stack" => Found::Value(Val::Text(&component.stack)),
            "type" => Found::Value(Val::Text(&component.kind)),
            "name" => Found::Value(Val::Text(&component.name)),
            _ => {
                let entry = match self.sections.iter().find(|entry| *entry.key == *name) {
                    Some(entry) => entry,
                    None => match component.value.as_map().and_then(|map| map.entry(name)) {
                        Some(entry) => {
                            self.sections.push(entry);
                            entry
                        }
                        None => return Found::Missing,
                    },
                };
                let at = Link::Root(Root::Component).key(&entry.key);
                Found::entry(Node { value: &entry.value, at, language: self.language }.into_val())
            }
        }
    }

    fn map(&mut self, map: &'a MapExpr) -> Outcome<'a> {
        let mut entries = Vec::with_capacity(map.entries.len());
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                return Err(Failure::Wrong("messages are not supported".to_owned()));
            };
            entries.push((self.eval(&entry.key)?, self.eval(&entry.value)?));
        }
        Ok(Val::Map(Rc::new(entries)))
    }

    fn call(&mut self, call: &'a CallExpr) -> Outcome<'a> {
        match (call.func_name.as_str(), &call.args[..]) {
            (operators::LOGICAL_AND, [a, b]) => self.logic(a, b, false),
            (operators::LOGICAL_OR, [a, b]) => self.logic(a, b, true),
            (operators::CONDITIONAL, [condition, yes, no]) => match self.eval(condition)? {
                Val::Bool(true) => self.eval(yes),
                Val::Bool(false) => self.eval(no),
                Val::Unknown(blank) => Ok(Val::Unknown(blank)),
                other => Err(no_truth(&other)),
            },
            (operators::NOT_STRICTLY_FALSE, [a]) => match self.eval(a) {
                Ok(Val::Bool(b)) => Ok(Val::Bool(b)),
                Err(Failure::Exceeded) => Err(Failure::Exceeded),
                _ => Ok(Val::Bool(true)),
            },
            (operators::LOGICAL_NOT, [a]) => match self.eval(a)? {
                Val::Bool(b) => Ok(Val::Bool(!b)),
                Val::Unknown(blank) => Ok(Val::Unknown(blank)),
                other => Err(no_truth(&other)),
            },
            (operators::EQUALS | operators::NOT_EQUALS, [a, b]) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                let is_negated = call.func_name == operators::NOT_EQUALS;
                Ok(match equal(&a, &b, &mut self.steps)? {
                    Ok(same) => Val::Bool(same != is_negated),
                    Err(blank) => Val::Unknown(blank),
                })
            }
            (operators::IN, [item, all]) => {
                let (item, all) = (self.eval(item)?, self.eval(all)?);
                self.is_in(&item, &all)
            }
            (operators::INDEX, [of, at]) => {
                let (of, at) = (self.eval(of)?, self.eval(at)?);
                self.index(&of, &at)
            }
            (name, args) => {
                // A pattern that is written is compiled once, one that is computed perhaps each time.
                if name == "matches" && !args.last().is_some_and(|pattern| matches!(pattern.expr, Expr::Literal(_))) {
                    self.steps.take(COMPILING)?;
                }
                let target = call.target.as_deref().map(|target| self.eval(target)).transpose()?;
                let mut all = Vec::with_capacity(args.len() + 1);
                all.extend(target);
                for argument in args {
                    all.push(self.eval(argument)?);
                }
                functions::call(name, &all, &mut self.steps, self.patterns)
            }
        }
    }

    /// `&&` for `decisive` false, `||` for true: one decisive side is enough.
    fn logic(&mut self, a: &'a Ast, b: &'a Ast, decisive: bool) -> Outcome<'a> {
        let first = self.eval(a);
        self.logic_after(first, b, decisive)
    }

    /// The same where the first side was evaluated.
    pub(super) fn logic_after(&mut self, first: Outcome<'a>, b: &'a Ast, decisive: bool) -> Outcome<'a> {
        let truth = |value: Outcome<'a>| match value {
            Ok(Val::Bool(b)) => Ok(Ok(b)),
            Ok(Val::Unknown(blank)) => Ok(Err(blank)),
            Ok(other) => Err(no_truth(&other)),
            Err(failure) => Err(failure),
        };
        let first = match truth(first) {
            Ok(Ok(b)) if b == decisive => return Ok(Val::Bool(decisive)),
            Err(Failure::Exceeded) => return Err(Failure::Exceeded),
            first => first,
        };
        let second = truth(self.eval(b));
        match (first, second) {
            (_, Ok(Ok(b))) if b == decisive => Ok(Val::Bool(decisive)),
            (_, Err(Failure::Exceeded)) => Err(Failure::Exceeded),
            (Ok(Err(blank)), _) | (_, Ok(Err(blank))) => Ok(Val::Unknown(blank)),
            (Err(failure), _) | (_, Err(failure)) => Err(failure),
            (Ok(Ok(_)), Ok(Ok(_))) => Ok(Val::Bool(!decisive)),
        }
    }

    fn is_in(&mut self, item: &Val<'a>, all: &Val<'a>) -> Outcome<'a> {
        if let Val::Unknown(blank) = all {
            return Ok(Val::Unknown(blank.clone()));
        }
        if let Val::Component(component) = all {
            return Ok(match item.as_str().map(|name| self.part(component, name)) {
                Some(Found::Value(_)) => Val::Bool(true),
                Some(Found::Unknown(blank)) => Val::Unknown(blank),
                Some(Found::Missing) | None => Val::Bool(false),
            });
        }
        let mut unknown = all.besides();
        if let Some(items) = all.items() {
            // They are copied before they are compared.
            self.steps.take(items.len() as u64 * 3)?;
            for other in items {
                let (other, perhaps) = other.if_there();
                match (equal(item, &other, &mut self.steps)?, perhaps) {
                    (Ok(true), None) => return Ok(Val::Bool(true)),
                    (Ok(false), _) => {}
                    (Ok(true), Some(blank)) | (Err(blank), _) => unknown = Some(blank),
                }
            }
            return Ok(unknown.map_or(Val::Bool(false), Val::Unknown));
        }
        if all.type_name() != "map" {
            return Err(Failure::Wrong(format!("`in` needs a list or a map, not a {}", all.type_name())));
        }
        if let (Val::Unknown(blank), true) = (item, all.len() != Some(0)) {
            return Ok(Val::Unknown(blank.clone()));
        }
        Ok(match lookup(all, item, &mut self.steps)? {
            Found::Value(_) => Val::Bool(true),
            Found::Missing => Val::Bool(false),
            Found::Unknown(blank) => Val::Unknown(blank),
        })
    }

    pub(super) fn index(&mut self, of: &Val<'a>, at: &Val<'a>) -> Outcome<'a> {
        if let Val::Unknown(blank) = of {
            return Ok(Val::Unknown(blank.clone()));
        }
        if let Val::Unknown(blank) = at {
            return Ok(Val::Unknown(blank.clone()));
        }
        if of.type_name() == "list" {
            // What may not be there is searched.
            self.steps.take(of.len().unwrap_or_default() as u64 / 16)?;
            let index = match at {
                Val::Int(i) => usize::try_from(*i).ok(),
                Val::Uint(u) => usize::try_from(*u).ok(),
                other => return Err(Failure::Wrong(format!("a list has no item `{}`", other.type_name()))),
            };
            let value = index.and_then(|i| match of {
                Val::List(items) => items.get(i).cloned(),
                Val::Node(node) => Some(node.item(node.value.as_list()?.get(i)?, i)),
                _ => None,
            });
            return match (value, of.open()) {
                // What may not be there moves what follows.
                (_, Some(blank)) => Ok(Val::Unknown(blank)),
                (Some(value), None) => Ok(value),
                (None, None) => Err(Failure::Missing("a list has no such item".to_owned())),
            };
        }
        let found = match at.as_str() {
            Some(key) => self.field(of, key)?,
            None => lookup(of, at, &mut self.steps)?,
        };
        match found {
            Found::Value(value) => Ok(value),
            Found::Missing => Err(missing(of, at.as_str().unwrap_or("…"))),
            Found::Unknown(blank) => Ok(Val::Unknown(blank)),
        }
    }
}

fn missing(of: &Val<'_>, key: &str) -> Failure {
    let path = match of {
        Val::Node(node) => node.at.path(),
        Val::Component(_) => (Root::Component, crate::validation::Path::default()),
        _ => return Failure::Missing(format!("`{key}` is not set")),
    };
    let inside = path.1.to_string();
    let dot = if inside.is_empty() { "" } else { "." };
    Failure::Missing(format!("`{}.{inside}{dot}{key}` is not set", path.0.name()))
}
