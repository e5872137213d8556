//! Evaluation of expressions. What is wrong is collected; the value of what is wrong is unknown, so that one mistake is
//! reported once.

mod access;
mod collections;
mod operators;
mod template;

use crate::ast::walk;
use crate::ast::{Expr, ExprKind, Name, Span, TraversalStep};
use crate::functions::{self, Files, Host};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::unknown::either;
use crate::val::{Data, Val};
use shared_text::Text;
use std::cell::Cell;
use traced_value::{FileId, Origin, Prov};

/// Values and text of one value: no more is computed.
const MAX_VALUES: usize = 300_000;
/// So many values that are read are a step.
const READ_TOGETHER: usize = 32;
/// How deep values nest.
const MAX_DEPTH: usize = 120;

/// What the names in an expression refer to.
pub trait Scope {
    /// Returns the value at the start of a reference, and how many of its steps were consumed. `None` if there is no
    /// such name.
    fn get(&self, root: &Name, steps: &[TraversalStep]) -> Option<(Val, usize)>;

    /// Whether what a reference names may write files while it is evaluated.
    fn writes(&self, _root: &Name, _steps: &[TraversalStep]) -> bool {
        false
    }

    /// What is wrong with a name that is not there: in a few words, and in a sentence.
    fn missing(&self, _: &Name) -> (&'static str, String) {
        ("Variables not allowed", "Variables may not be used here.".to_owned())
    }
}

/// A scope without names.
pub struct NoNames;

impl Scope for NoNames {
    fn get(&self, _: &Name, _: &[TraversalStep]) -> Option<(Val, usize)> {
        None
    }
}

/// A problem in an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What, in a few words.
    pub summary: String,
    /// What, in a sentence.
    pub detail: String,
    /// The file and the bytes that the failure is about; `None` if nothing is written there.
    pub place: Option<(FileId, Span)>,
}

/// How much is computed. Shared by all evaluations of one unit of work.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
    /// Steps that `count` was not told yet.
    uncounted: Cell<u64>,
    count: fn(u64),
}

/// Steps are counted so many at once.
const COUNTED_TOGETHER: u64 = 1_000;

impl Budget {
    /// So many steps: a value made, or 16 bytes of text.
    pub fn new(steps: u64) -> Self {
        Self::counted(steps, |_| ())
    }

    /// The same; `count` is told how many are taken.
    pub fn counted(steps: u64, count: fn(u64)) -> Self {
        Budget { left: Cell::new(steps), uncounted: Cell::new(0), count }
    }

    /// The steps that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes steps; returns `false` if there are not enough left.
    pub fn take(&self, steps: u64) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps));
        self.uncounted.set(self.uncounted.get().saturating_add(steps.min(left)));
        if self.uncounted.get() >= COUNTED_TOGETHER {
            self.tell();
        }
        left >= steps
    }

    fn tell(&self) {
        (self.count)(self.uncounted.take());
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        self.tell();
    }
}

/// Evaluates expressions of one file.
pub struct Evaluator<'a> {
    /// The problems found so far.
    pub problems: Vec<Problem>,
    pub(super) file: FileId,
    pub(super) files: &'a dyn Files,
    pub(super) budget: &'a Budget,
    pub(super) templates: usize,
    pub(super) scope: &'a dyn Scope,
    /// Names that `for` gave values to, the innermost last.
    pub(super) bound: Vec<(Text, Val)>,
    /// The elements of the splats around what is evaluated, the innermost last.
    pub(super) elements: Vec<Val>,
    allows_calls: bool,
    pub(super) host: Option<&'a dyn Host>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of expressions of a file.
    pub fn new(file: FileId, scope: &'a dyn Scope, files: &'a dyn Files, budget: &'a Budget) -> Self {
        Evaluator {
            problems: Vec::new(),
            file,
            files,
            budget,
            templates: 0,
            scope,
            allows_calls: true,
            host: None,
            bound: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// The same without functions.
    #[must_use]
    pub fn without_calls(mut self) -> Self {
        self.allows_calls = false;
        self
    }

    /// The same with the functions of a system.
    #[must_use]
    pub fn with_host(mut self, host: &'a dyn Host) -> Self {
        self.host = Some(host);
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
    pub fn problem(&mut self, summary: impl Into<String>, detail: impl Into<String>, span: Span) -> Val {
        let place = Some((self.file, span));
        self.problems.push(Problem { summary: summary.into(), detail: detail.into(), place });
        Val::failed()
    }

    /// Where an expression was written.
    pub fn origin(&self, span: Span) -> Origin {
        Origin { file: self.file, key: span.start, start: span.start, end: span.end }
    }

    /// Returns the provenance of a value computed from others. Parts written in its own text add nothing.
    pub(super) fn derived<'v>(&self, span: Span, from: impl IntoIterator<Item = &'v Val>) -> Prov {
        let is_outside = |prov: &Prov| prov.trail.is_some() || prov.origin.is_some_and(|o| o.file != self.file);
        let inputs: Vec<Prov> = from.into_iter().map(|v| &v.prov).filter(|p| is_outside(p)).cloned().collect();
        Prov::at(self.origin(span)).with_inputs(inputs)
    }

    /// Whether something that an expression refers to may write files while it is evaluated.
    pub(crate) fn writes(&self, expr: &Expr) -> bool {
        walk::references(expr).iter().any(|reference| self.scope.writes(reference.root, reference.steps))
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr) -> Val {
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
        let (value, found) = self.apart(expr);
        if found.is_empty() { Ok(value) } else { Err(found) }
    }

    /// The value, of which the type may be known in spite of what is wrong, and what is wrong.
    pub(super) fn apart(&mut self, expr: &Expr) -> (Val, Vec<Problem>) {
        let before = self.problems.len();
        let value = self.eval(expr);
        (value, self.problems.split_off(before))
    }

    pub(super) fn exhausted(&mut self, span: Span) -> Val {
        if self.problems.iter().any(|p| p.summary == "Evaluation limit exceeded") {
            return Val::failed();
        }
        self.problem("Evaluation limit exceeded", "The expressions of this module need more steps than allowed.", span)
    }

    /// A value that is put together of others, if it is not too large.
    pub(super) fn bounded(&mut self, value: Val, span: Span) -> Val {
        self.within(value, 8, span)
    }

    /// A value that a function made, if it is not too large: unlike one that is put together, all of it may be new.
    pub(crate) fn made(&mut self, value: Val, span: Span) -> Val {
        self.within(value, 1, span)
    }

    /// Takes the steps of reading values, which is what a function does with its arguments; returns `false` if there are not enough left.
    pub(crate) fn reads(&self, values: &[Val]) -> bool {
        let size = |value: &Val| {
            let mut size = Size::default();
            size.add(value, 0);
            size.values
        };
        self.budget.take((values.iter().map(size).sum::<usize>() / READ_TOGETHER) as u64)
    }

    /// The value, if it is not too large, and so many values in it are a step.
    fn within(&mut self, value: Val, values: usize, span: Span) -> Val {
        let mut size = Size::default();
        let fits = size.add(&value, 0);
        if !fits || !self.budget.take((size.values / values + size.text) as u64) {
            return self.exhausted(span);
        }
        value
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, span: Span) -> Val {
        let (first, second) = (self.apart(yes), self.apart(no));
        let test = self.eval(condition);
        let (a, b) = (&first.0, &second.0);
        // Which branch is taken may depend on what is not known, so that those of both count.
        let marks = test.marks | a.marks | b.marks;
        let Some(ty) = common_type(a, b) else {
            let (ta, tb) = (Type::of(a).name(), Type::of(b).name());
            let detail = format!(
                "The true and false result expressions must have consistent types. The 'true' value is {ta}, but the 'false' \
                 value is {tb}."
            );
            return self.problem("Inconsistent conditional result types", detail, span);
        };
        // The type of the result is known in spite of what is wrong.
        let failed = || Val::unknown(ty.clone(), Text::new());
        if test.is_null() {
            let detail = "The condition value is null. Conditions must either be true or false.";
            self.problem("Null condition", detail, condition.span);
            return failed();
        }
        if test.is_unknown() {
            let reason = test.unknown_reason().cloned().unwrap_or_default();
            return either(a, b, ty.clone(), reason).marked(marks);
        }
        let (chosen, which, place) = match convert(&test, &Type::Bool).map(|v| v.data) {
            Ok(Data::Bool(true)) => (first, "true", yes.span),
            Ok(Data::Bool(false)) => (second, "false", no.span),
            _ => {
                let detail = "The condition expression must be of type bool.";
                self.problem("Incorrect condition type", detail, condition.span);
                return failed();
            }
        };
        let (value, wrong) = chosen;
        if !wrong.is_empty() {
            self.problems.extend(wrong);
            return Val::failed();
        }
        let prov = self.derived(span, [&value, &test]);
        let converted = match mixed(&value, &ty) {
            Some(kind) => Err(format!("element types must all match for conversion to {kind}")),
            None => convert(&value, &ty).map_err(|why| why.text()),
        };
        let converted = match converted {
            Ok(converted) => converted,
            Err(why) => {
                let detail = format!("The {which} result value has the wrong type: {why}.");
                self.problem("Inconsistent conditional result types", detail, place);
                return failed();
            }
        };
        merge_prov(converted.marked(marks), prov)
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

impl Val {
    /// The same unknown value without a type.
    pub(super) fn dynamic(self) -> Val {
        match self.data {
            Data::Unknown(_, reason) => Val { data: Data::Unknown(Type::Dynamic, Text::clone(&reason).into()), ..self },
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
        _ if ta == Type::Dynamic || tb == Type::Dynamic => Some(Type::Dynamic),
        _ => unify(&[ta, tb]),
    }
}

/// The kind of the collection that a conditional cannot make of parts of several types, as it would have to choose the type of its
/// elements by itself: the other branch has none.
fn mixed(value: &Val, ty: &Type) -> Option<&'static str> {
    let kind = match (ty, &value.data) {
        (Type::Map(element), Data::Object(_)) if **element == Type::Dynamic => "map",
        (Type::List(element), Data::Tuple(_)) if **element == Type::Dynamic => "list",
        _ => return None,
    };
    let mut types = value.children().map(Type::of).filter(|ty| *ty != Type::Dynamic);
    let first = types.next()?;
    types.any(|other| other != first).then_some(kind)
}

/// A value that was found in another one: it keeps its own place, and the path to it is added to its inputs.
pub(super) fn merge_prov(value: Val, prov: Prov) -> Val {
    match value.prov.origin {
        // The surrounding value is among the inputs, but its own line is more specific.
        Some(_) => {
            let own = value.prov.clone();
            let whole = prov.with_inputs([own]);
            value.with_prov(whole)
        }
        None => value.with_prov(prov),
    }
}

/// The size of a value: the values in it, and 64 bytes of text each.
#[derive(Default)]
struct Size {
    values: usize,
    text: usize,
}

impl Size {
    /// Adds a value; returns `false` if it is too large.
    fn add(&mut self, value: &Val, depth: usize) -> bool {
        self.values += 1;
        if let Data::Str(text) = &value.data {
            self.text += text.len() / 64;
        }
        if depth > MAX_DEPTH || self.values + self.text > MAX_VALUES {
            return false;
        }
        match (value.as_items(), value.as_entries()) {
            (Some(items), _) => items.iter().all(|item| self.add(item, depth + 1)),
            (_, Some(entries)) => entries.values().all(|item| self.add(item, depth + 1)),
            _ => true,
        }
    }
}
