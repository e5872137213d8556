//! Expressions that make collections: objects and `for`.

use crate::ast::walk;
use crate::ast::{Expr, ExprKind, For, Span};
use crate::eval::Evaluator;
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::number::Number;
use crate::val::{Data, Entries, Marks, Val};
use shared_text::Text;
use std::collections::btree_map::Entry;

/// The results of the iterations of a `for` expression.
#[derive(Default)]
struct Iterated {
    items: Vec<Val>,
    entries: Entries,
    groups: std::collections::BTreeMap<Text, Vec<Val>>,
    marks: Marks,
    unknown: Option<Text>,
    read: Vec<Val>,
}

impl Evaluator<'_> {
    pub(super) fn object(&mut self, items: &[(Expr, Expr)], span: Span) -> Val {
        let (mut entries, mut marks, mut unknown) = (Entries::new(), Marks::NONE, None);
        let mut read = Vec::new();
        for (key, value) in items {
            let value = self.eval(value);
            let key = self.object_key(key);
            marks = marks | key.marks;
            match &key.data {
                Data::Unknown(_, reason) => unknown = Some(Text::clone(reason)),
                Data::Str(text) => {
                    entries.insert(Text::clone(text), value);
                }
                _ => unknown = Some(Text::new()),
            }
            read.push(key);
        }
        if let Some(reason) = unknown {
            return Val::unknown(Type::Dynamic, reason);
        }
        let prov = self.derived(span, entries.values().chain(&read));
        self.bounded(Val::object(entries), span).marked(marks).with_prov(prov)
    }

    fn object_key(&mut self, key: &Expr) -> Val {
        match &key.kind {
            ExprKind::Traversal(_, steps) if !steps.is_empty() => {
                let detail = "If this expression is intended to be a reference, wrap it in parentheses. If it's instead \
                              intended as a literal name containing periods, wrap it in quotes to create a string literal.";
                return self.problem("Ambiguous attribute key", detail, key.span);
            }
            ExprKind::Null => return Val::str("null"),
            _ => {}
        }
        if let Some(word) = walk::keyword(key) {
            return Val::str(Text::clone(word));
        }
        let value = self.eval(key);
        self.key(value, key.span)
    }

    /// A value as a key.
    fn key(&mut self, value: Val, span: Span) -> Val {
        if value.is_null() {
            return self.problem("Null value as key", "Can't use a null value as a key.", span);
        }
        match convert(&value, &Type::Str) {
            Ok(key) => key,
            Err(why) => {
                self.problem("Incorrect key type", format!("Can't use this value as a key: {}.", why.text()), span)
            }
        }
    }

    pub(super) fn for_expr(&mut self, all: &For, span: Span) -> Val {
        let collection = self.eval(&all.collection);
        let before = self.problems.len();
        let Some(pairs) = self.iterate(&collection, all.collection.span) else {
            let has_type = matches!(&collection.data, Data::Unknown(ty, _) if *ty != Type::Dynamic);
            if self.problems.len() > before || has_type && !self.is_condition(all) {
                return Val::failed();
            }
            let reason = collection.unknown_reason().cloned().unwrap_or_default();
            // OpenTofu forgets the marks of what may be of any type.
            let marks = if has_type { collection.marks } else { Marks::NONE };
            return Val::unknown(Type::Dynamic, reason).marked(marks);
        };
        if !self.is_condition(all) {
            return Val::failed();
        }
        let mut result = Iterated { marks: collection.marks, ..Iterated::default() };
        let before = self.bound.len();
        for (key, value) in pairs {
            self.bound.truncate(before);
            self.bound.extend(all.key_name.as_ref().map(|name| (Text::clone(&name.text), key)));
            self.bound.push((Text::clone(&all.value_name.text), value));
            self.iteration(all, &mut result);
            if !self.budget.take(1) {
                self.bound.truncate(before);
                return self.exhausted(span);
            }
        }
        self.bound.truncate(before);
        if let Some(reason) = result.unknown {
            return Val::unknown(Type::Dynamic, reason).marked(result.marks);
        }
        let value = match all.key {
            None => Val::tuple(result.items),
            Some(_) if all.groups => Val::object(result.groups.into_iter().map(|(k, v)| (k, Val::tuple(v))).collect()),
            Some(_) => Val::object(result.entries),
        };
        let prov = self.derived(span, value.children().chain([&collection]).chain(&result.read));
        self.bounded(value, span).marked(result.marks).with_prov(prov)
    }

    /// Whether the condition can be one, whatever the elements are; notes what is wrong.
    fn is_condition(&mut self, all: &For) -> bool {
        let Some(condition) = &all.condition else { return true };
        let element = || Val::unknown(Type::Dynamic, "an element");
        let names = all.key_name.iter().chain([&all.value_name]).map(|name| (Text::clone(&name.text), element()));
        let before = self.problems.len();
        let test = self.with_bound(names.collect(), |this| this.eval(condition));
        if self.problems.len() == before && (test.is_null() || convert(&test, &Type::Bool).is_err()) {
            self.no_condition(condition);
        }
        self.problems.len() == before
    }

    fn no_condition(&mut self, condition: &Expr) {
        let detail = "The value of the 'if' clause must be either true or false.";
        self.problem("Invalid 'for' condition", detail, condition.span);
    }

    fn iteration(&mut self, all: &For, result: &mut Iterated) {
        if let Some(condition) = &all.condition {
            let test = self.eval(condition);
            result.marks = result.marks | test.marks;
            match convert(&test, &Type::Bool).map(|v| v.data) {
                Ok(Data::Bool(true)) => {}
                Ok(Data::Bool(false)) => return,
                Ok(Data::Unknown(_, reason)) => {
                    result.unknown = Some(Text::clone(&reason));
                    return;
                }
                // Behind an item of which something is not known, nothing is judged.
                _ if result.unknown.is_some() => return,
                _ => {
                    self.no_condition(condition);
                    result.unknown = Some(Text::new());
                    return;
                }
            }
            result.read.push(test);
        }
        let key = all.key.as_ref().map(|expr| {
            let value = self.eval(expr);
            let is_key = || !value.is_null() && convert(&value, &Type::Str).is_ok();
            let key = match &result.unknown {
                _ if value.is_unknown() => value,
                Some(reason) if !is_key() => Val::unknown(Type::Dynamic, Text::clone(reason)).marked(value.marks),
                _ => self.key(value, expr.span),
            };
            (key, expr.span)
        });
        let Some((key, span)) = key else {
            let value = self.eval(&all.value);
            result.items.push(value);
            return;
        };
        result.marks = result.marks | key.marks;
        let text = match &key.data {
            Data::Str(text) => Text::clone(text),
            // What it is the key of is not looked at.
            Data::Unknown(_, reason) => {
                result.unknown = Some(Text::clone(reason));
                return;
            }
            _ => return,
        };
        let value = self.eval(&all.value);
        result.read.push(key);
        if all.groups {
            result.groups.entry(text).or_default().push(value);
            return;
        }
        match result.entries.entry(text) {
            Entry::Occupied(known) => {
                let is_hidden = result.marks.has(Marks::SENSITIVE);
                let text = if is_hidden { "(sensitive)" } else { &**known.key() };
                let detail = format!(
                    "Two different items produced the key \"{text}\" in this 'for' expression. If duplicates are expected, \
                     use the ellipsis (...) after the value expression to enable grouping by key."
                );
                self.problem("Duplicate object key", detail, span);
                result.unknown = Some(Text::new());
            }
            Entry::Vacant(place) => {
                place.insert(value);
            }
        }
    }

    /// Keys and values of what is iterated; `None` if it is unknown, or cannot be iterated, which is noted.
    pub(super) fn iterate(&mut self, collection: &Val, span: Span) -> Option<Vec<(Val, Val)>> {
        if collection.is_null() {
            self.problem(
                "Iteration over null value",
                "A null value cannot be used as the collection in a 'for' expression.",
                span,
            );
            return None;
        }
        match &collection.data {
            Data::Unknown(ty, _) if !ty.is_primitive() => None,
            Data::Partial(..) => None,
            Data::Set(_, items) => Some(items.iter().map(|v| (v.clone(), v.clone())).collect()),
            Data::List(_, items) | Data::Tuple(items) => {
                Some(items.iter().enumerate().map(|(i, v)| (Val::number(Number::from(i)), v.clone())).collect())
            }
            Data::Map(_, entries) | Data::Object(entries) => {
                Some(entries.iter().map(|(k, v)| (Val::str(Text::clone(k)), v.clone())).collect())
            }
            _ => {
                let kind = Type::of(collection).name();
                let detail = format!("A value of type {kind} cannot be used as the collection in a 'for' expression.");
                self.problem("Iteration over non-iterable value", detail, span);
                None
            }
        }
    }
}
