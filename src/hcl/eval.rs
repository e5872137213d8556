//! Evaluation of expressions. What is wrong is collected; the value of what is wrong is unknown, so that one mistake is
//! reported once.

use super::ast::{Expr, ExprKind, For, Key, Name, Span, Step};
use super::convert::convert;
use super::functions::{self, Files};
use super::number::Number;
use super::types::{Type, unify};
use super::val::{Data, Entries, Marks, Val};
use super::walk;
use crate::text::Text;
use crate::value::{FileId, Origin, Prov};
use std::cell::Cell;
use std::collections::btree_map::Entry;

/// Values and text of one value: no more is computed.
const MAX_VALUES: usize = 300_000;
/// How deep values nest.
const MAX_DEPTH: usize = 120;

/// Gives names a meaning.
pub(crate) trait Scope {
    /// The value that a reference begins with, and how many of its steps that took. None: there is no such name.
    fn get(&self, root: &Name, steps: &[Step]) -> Option<(Val, usize)>;
}

/// A scope without names.
pub(crate) struct NoNames;

impl Scope for NoNames {
    fn get(&self, _: &Name, _: &[Step]) -> Option<(Val, usize)> {
        None
    }
}

/// What is wrong in an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// What, in a few words.
    pub summary: String,
    /// What, in a sentence.
    pub detail: String,
    /// Where, if anywhere.
    pub place: Option<(FileId, Span)>,
}

/// How much is computed. Shared by all evaluations of one unit of work.
#[derive(Debug)]
pub(crate) struct Budget(Cell<u64>);

impl Budget {
    /// So many steps: a value made, or 16 bytes of text.
    pub(crate) fn new(steps: u64) -> Self {
        Budget(Cell::new(steps))
    }

    /// Takes steps; false if there are none left.
    pub(crate) fn take(&self, steps: u64) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(steps));
        left >= steps
    }
}

/// Evaluates expressions of one file.
pub(crate) struct Evaluator<'a> {
    /// What is wrong so far.
    pub problems: Vec<Problem>,
    pub(super) file: FileId,
    pub(super) files: &'a dyn Files,
    pub(super) budget: &'a Budget,
    pub(super) templates: usize,
    scope: &'a dyn Scope,
    allows_calls: bool,
    bound: Vec<(Text, Val)>,
    elements: Vec<Val>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of expressions of a file.
    pub(crate) fn new(file: FileId, scope: &'a dyn Scope, files: &'a dyn Files, budget: &'a Budget) -> Self {
        Evaluator {
            problems: Vec::new(),
            file,
            files,
            budget,
            templates: 0,
            scope,
            allows_calls: true,
            bound: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// The same without functions.
    #[must_use]
    pub(crate) fn without_calls(mut self) -> Self {
        self.allows_calls = false;
        self
    }

    /// An evaluator for a template that this one calls, one level deeper.
    pub(super) fn for_template<'b>(&self, file: FileId, scope: &'b dyn Scope) -> Evaluator<'b>
    where
        'a: 'b,
    {
        let mut inner = Evaluator::new(file, scope, self.files, self.budget);
        inner.templates = self.templates + 1;
        inner
    }

    /// Notes what is wrong at a place.
    pub(crate) fn problem(&mut self, summary: impl Into<String>, detail: impl Into<String>, span: Span) -> Val {
        let place = Some((self.file, span));
        self.problems.push(Problem { summary: summary.into(), detail: detail.into(), place });
        Val::failed()
    }

    /// Where an expression was written.
    pub(crate) fn origin(&self, span: Span) -> Origin {
        Origin { file: self.file, key: span.start, start: span.start, end: span.end }
    }

    /// The provenance of something computed from other values. Parts that were written in its own text add nothing.
    pub(super) fn derived<'v>(&self, span: Span, from: impl IntoIterator<Item = &'v Val>) -> Prov {
        let is_outside = |prov: &Prov| prov.trail.is_some() || prov.origin.is_some_and(|o| o.file != self.file);
        let inputs: Vec<Prov> = from.into_iter().map(|v| &v.prov).filter(|p| is_outside(p)).cloned().collect();
        Prov::at(self.origin(span)).with_inputs(inputs)
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Val {
        if !self.budget.take(1) {
            return self.exhausted(expr.span);
        }
        let span = expr.span;
        let here = |value: Val, this: &Self| value.with_prov(Prov::at(this.origin(span)));
        match &expr.kind {
            ExprKind::Null => here(Val::null(), self),
            ExprKind::Bool(b) => here(Val::bool(*b), self),
            ExprKind::Number(n) => here(Val::number(n.clone()), self),
            ExprKind::Template(parts) => self.template(parts, span),
            ExprKind::Wrapped(inner) | ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Traversal(root, steps) => self.traversal(root, steps, span),
            ExprKind::Access(base, steps) => {
                let base = self.eval(base);
                self.walk(base, steps)
            }
            ExprKind::Index(base, key) => {
                let (base, key_value) = (self.eval(base), self.eval(key));
                let prov = self.derived(span, [&base, &key_value]);
                let found = self.index(&base, &key_value, key.span);
                merge_prov(found, prov)
            }
            ExprKind::Splat(base, each) => self.splat(base, each),
            ExprKind::Element => self.elements.last().cloned().unwrap_or_default(),
            ExprKind::Call(call) if !self.allows_calls => {
                self.problem("Function calls not allowed", "Functions may not be called here.", call.name.span)
            }
            ExprKind::Call(call) => functions::call(self, call, span),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no, span),
            ExprKind::Tuple(items) => {
                let items: Vec<Val> = items.iter().map(|item| self.eval(item)).collect();
                let prov = self.derived(span, &items);
                self.bounded(Val::tuple(items), span).with_prov(prov)
            }
            ExprKind::Object(items) => self.object(items, span),
            ExprKind::For(all) => self.for_expr(all, span),
        }
    }

    /// Evaluates without keeping what is wrong.
    pub(super) fn attempt(&mut self, expr: &Expr) -> Result<Val, Vec<Problem>> {
        let before = self.problems.len();
        let value = self.eval(expr);
        let found = self.problems.split_off(before);
        if found.is_empty() { Ok(value) } else { Err(found) }
    }

    pub(super) fn exhausted(&mut self, span: Span) -> Val {
        if self.problems.iter().any(|p| p.summary == "Too much to compute") {
            return Val::failed();
        }
        self.problem("Too much to compute", "The expressions of this module take more steps than are allowed.", span)
    }

    /// The value, if it is not too large.
    pub(super) fn bounded(&mut self, value: Val, span: Span) -> Val {
        let mut left = MAX_VALUES;
        let fits = measure(&value, &mut left, 0);
        if !fits || !self.budget.take((MAX_VALUES - left) as u64 / 8) {
            return self.exhausted(span);
        }
        value
    }

    fn traversal(&mut self, root: &Name, steps: &[Step], span: Span) -> Val {
        if let Some((_, value)) = self.bound.iter().rev().find(|(name, _)| *name == root.text) {
            let value = value.clone();
            return self.walk(value, steps);
        }
        match self.scope.get(root, steps) {
            Some((value, taken)) => {
                let prov = self.derived(span, [&value]);
                let found = self.walk(value, steps.get(taken..).unwrap_or_default());
                merge_prov(found, prov)
            }
            None => self.problem("Variables not allowed", "Variables may not be used here.", span),
        }
    }

    fn walk(&mut self, base: Val, steps: &[Step]) -> Val {
        let mut value = base;
        for step in steps {
            value = match step {
                Step::Attribute(name) => self.attribute(&value, name),
                Step::Index(Key::Number(number), at) => self.index(&value, &Val::number(number.clone()), *at),
                Step::Index(Key::Text(text), at) => self.index(&value, &Val::str(Text::clone(text)), *at),
            };
        }
        value
    }

    fn attribute(&mut self, base: &Val, name: &Name) -> Val {
        let missing = "Unsupported attribute";
        match &base.data {
            Data::Unknown(..) => Val { data: base.data.clone(), ..Val::null() }.dynamic().marked(base.marks),
            Data::Null(_) => self.problem(
                "Attempt to get attribute from null value",
                "This value is null, so it does not have any attributes.",
                name.span,
            ),
            Data::Object(entries) => match entries.get(&name.text) {
                Some(value) => value.clone().marked(base.marks),
                None => {
                    let near = crate::text::nearest(&name.text, entries.keys().map(|k| &**k));
                    let hint = near.map_or_else(String::new, |n| format!(" Did you mean \"{n}\"?"));
                    let detail = format!("This object does not have an attribute named \"{}\".{hint}", name.text);
                    self.problem(missing, detail, name.span)
                }
            },
            Data::Map(_, entries) => match entries.get(&name.text) {
                Some(value) => value.clone().marked(base.marks),
                None => {
                    let detail = format!(
                        "The given key does not identify an element in this collection value: \"{}\".",
                        name.text
                    );
                    self.problem("Missing map element", detail, name.span)
                }
            },
            _ => {
                let kind = Type::of(base).name();
                let detail = format!("Can't access attributes on a value of type {kind}.");
                self.problem(missing, detail, name.span)
            }
        }
    }

    /// An element of a collection.
    pub(super) fn index(&mut self, base: &Val, key: &Val, span: Span) -> Val {
        let marks = base.marks | key.marks;
        let invalid = "Invalid index";
        if base.is_null() {
            return self.problem(
                "Attempt to index null value",
                "This value is null, so it does not have any indices.",
                span,
            );
        }
        if base.is_unknown() || key.is_unknown() {
            let reason = base.unknown_reason().or_else(|| key.unknown_reason()).cloned().unwrap_or_default();
            return Val::unknown(Type::Dynamic, reason).marked(marks);
        }
        if key.is_null() {
            return self.problem(invalid, "Can't use a null value as an indexing key.", span);
        }
        let missing = "The given key does not identify an element in this collection value";
        match &base.data {
            Data::List(_, items) | Data::Tuple(items) => {
                let Ok(Data::Number(number)) = convert(key, &Type::Number).map(|k| k.data) else {
                    return self.problem(invalid, format!("{missing}: a number is required."), span);
                };
                let found = number.as_i64().and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i));
                match found {
                    Some(value) => value.clone().marked(marks),
                    None => {
                        let detail = match items.is_empty() {
                            true => format!("{missing}: the collection has no elements."),
                            false => format!("{missing}: the given index is greater than or equal to the length of the collection."),
                        };
                        self.problem(invalid, detail, span)
                    }
                }
            }
            Data::Map(_, entries) | Data::Object(entries) => {
                let Ok(Data::Str(text)) = convert(key, &Type::Str).map(|k| k.data) else {
                    return self.problem(invalid, format!("{missing}: string required."), span);
                };
                match entries.get(&text) {
                    Some(value) => value.clone().marked(marks),
                    None => self.problem(invalid, format!("{missing}."), span),
                }
            }
            Data::Set(..) => self.problem(invalid, "Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.", span),
            _ => self.problem(invalid, "This value does not have any indices.", span),
        }
    }

    fn splat(&mut self, base: &Expr, each: &Expr) -> Val {
        let source = self.eval(base);
        let span = base.span.to(each.span);
        let single = source.as_items().is_none();
        if source.is_unknown() {
            return source.dynamic();
        }
        let items: Vec<Val> = match source.as_items() {
            Some(items) => items.iter().cloned().collect(),
            None if source.is_null() => Vec::new(),
            None => vec![source.clone()],
        };
        if source.is_null() && matches!(Type::of(&source), Type::List(_) | Type::Set(_) | Type::Tuple(_)) {
            return self.problem(
                "Splat of null value",
                "Splat expressions (with the * symbol) cannot be applied to null sequences.",
                span,
            );
        }
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            self.elements.push(item);
            found.push(self.eval(each));
            self.elements.pop();
        }
        let prov = self.derived(span, found.iter().chain([&source]));
        let is_list = matches!(source.data, Data::List(..) | Data::Set(..)) && !single;
        let types: Vec<Type> = found.iter().map(Type::of).collect();
        let value = match unify(&types) {
            Some(ty) if is_list && types.iter().all(|t| *t == ty) => Val::list(ty, found),
            None if is_list && types.is_empty() => Val::list(Type::Dynamic, found),
            _ => Val::tuple(found),
        };
        self.bounded(value, span).marked(source.marks).with_prov(prov)
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, span: Span) -> Val {
        let (first, second) = (self.attempt(yes), self.attempt(no));
        let test = self.eval(condition);
        let failed = Val::failed();
        let (a, b) = (first.as_ref().unwrap_or(&failed), second.as_ref().unwrap_or(&failed));
        let Some(ty) = common_type(a, b) else {
            let (ta, tb) = (Type::of(a).name(), Type::of(b).name());
            let detail = format!(
                "The true and false result expressions must have consistent types. The 'true' value is {ta}, but the 'false' \
                 value is {tb}."
            );
            return self.problem("Inconsistent conditional result types", detail, span);
        };
        if test.is_null() {
            return self.problem(
                "Null condition",
                "The condition value is null. Conditions must either be true or false.",
                condition.span,
            );
        }
        if test.is_unknown() {
            return Val::unknown(ty, test.unknown_reason().cloned().unwrap_or_default()).marked(test.marks);
        }
        let chosen = match convert(&test, &Type::Bool).map(|v| v.data) {
            Ok(Data::Bool(true)) => first,
            Ok(Data::Bool(false)) => second,
            _ => {
                return self.problem(
                    "Incorrect condition type",
                    "The condition expression must be of type bool.",
                    condition.span,
                );
            }
        };
        match chosen {
            Err(found) => {
                self.problems.extend(found);
                Val::failed()
            }
            Ok(value) => {
                let prov = self.derived(span, [&value, &test]);
                let converted = convert(&value, &ty).unwrap_or(value);
                merge_prov(converted.marked(test.marks), prov)
            }
        }
    }

    fn object(&mut self, items: &[(Expr, Expr)], span: Span) -> Val {
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
            return Val::unknown(Type::Dynamic, reason).marked(marks);
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

    fn for_expr(&mut self, all: &For, span: Span) -> Val {
        let collection = self.eval(&all.collection);
        let Some(pairs) = self.iterate(&collection, all.collection.span) else {
            let reason = collection.unknown_reason().cloned().unwrap_or_default();
            return Val::unknown(Type::Dynamic, reason).marked(collection.marks);
        };
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

    fn iteration(&mut self, all: &For, result: &mut Iterated) {
        if let Some(condition) = &all.condition {
            let test = self.eval(condition);
            result.marks = result.marks | test.marks;
            match convert(&test, &Type::Bool).map(|v| v.data) {
                Ok(Data::Bool(true)) => {}
                Ok(Data::Bool(false)) => return,
                Ok(Data::Unknown(_, reason)) => {
                    result.unknown = Some(reason);
                    return;
                }
                _ => {
                    self.problem(
                        "Invalid 'for' condition",
                        "The value of the 'if' clause must be either true or false.",
                        condition.span,
                    );
                    return;
                }
            }
            result.read.push(test);
        }
        let key = all.key.as_ref().map(|expr| {
            let value = self.eval(expr);
            (self.key(value, expr.span), expr.span)
        });
        let value = self.eval(&all.value);
        let Some((key, span)) = key else {
            result.items.push(value);
            return;
        };
        result.marks = result.marks | key.marks;
        let text = match &key.data {
            Data::Str(text) => Text::clone(text),
            Data::Unknown(_, reason) => {
                result.unknown = Some(Text::clone(reason));
                return;
            }
            _ => return,
        };
        result.read.push(key);
        if all.groups {
            result.groups.entry(text).or_default().push(value);
            return;
        }
        match result.entries.entry(text) {
            Entry::Occupied(known) => {
                let text = known.key();
                let detail = format!(
                    "Two different items produced the key \"{text}\" in this 'for' expression. If duplicates are expected, \
                     use the ellipsis (...) after the value expression to enable grouping by key."
                );
                self.problem("Duplicate object key", detail, span);
            }
            Entry::Vacant(place) => {
                place.insert(value);
            }
        }
    }

    /// Keys and values of what is iterated; none if it is unknown, or cannot be iterated, which is noted.
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
            Data::Unknown(..) => None,
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

    /// Runs something with more names.
    pub(super) fn with_bound<T>(&mut self, names: Vec<(Text, Val)>, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.bound.len();
        self.bound.extend(names);
        let result = run(self);
        self.bound.truncate(before);
        result
    }
}

/// What the iterations of a `for` expression come to.
#[derive(Default)]
struct Iterated {
    items: Vec<Val>,
    entries: Entries,
    groups: std::collections::BTreeMap<Text, Vec<Val>>,
    marks: Marks,
    unknown: Option<Text>,
    read: Vec<Val>,
}

impl Val {
    /// The same unknown value without a type.
    pub(super) fn dynamic(self) -> Val {
        match self.data {
            Data::Unknown(_, reason) => Val { data: Data::Unknown(Type::Dynamic, reason), ..self },
            _ => self,
        }
    }
}

/// The type of a conditional.
fn common_type(a: &Val, b: &Val) -> Option<Type> {
    let untyped = |v: &Val| matches!(&v.data, Data::Null(Type::Dynamic));
    let (ta, tb) = (Type::of(a), Type::of(b));
    match (untyped(a), untyped(b)) {
        (true, _) => Some(tb),
        (_, true) => Some(ta),
        _ if ta == tb => Some(ta),
        _ => unify(&[ta, tb]),
    }
}

/// A value that was found in another one: it keeps its own place, and is also computed from what led to it.
fn merge_prov(value: Val, prov: Prov) -> Val {
    match value.prov.origin {
        // What it was found in is among the inputs, but its own line says most.
        Some(_) => {
            let own = value.prov.clone();
            let whole = prov.with_inputs([own]);
            value.with_prov(whole)
        }
        None => value.with_prov(prov),
    }
}

fn measure(value: &Val, left: &mut usize, depth: usize) -> bool {
    let cost = match &value.data {
        Data::Str(text) => 1 + text.len() / 64,
        _ => 1,
    };
    if depth > MAX_DEPTH || *left < cost {
        return false;
    }
    *left -= cost;
    match (value.as_items(), value.as_entries()) {
        (Some(items), _) => items.iter().all(|item| measure(item, left, depth + 1)),
        (_, Some(entries)) => entries.values().all(|item| measure(item, left, depth + 1)),
        _ => true,
    }
}
