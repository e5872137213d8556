//! Which part of an expression a part of its value comes from: in `{ a = x.y.id, b = 1 }`, `a` comes from `x.y.id`, whatever `b` is.

use crate::hcl::ast::walk::{name, unwrapped};
use crate::hcl::ast::{Call, Expr, ExprKind, Key, Name, TraversalStep};
use crate::hcl::types::Type;
use crate::hcl::val::{Data as Evaluated, Val};
use crate::terraform::evaluation::made_of::entry;
use crate::terraform::evaluation::shown::{Source, with_source};
use crate::terraform::module::block::Written;
use crate::terraform::module::variable::Variable;
use crate::text::Text;
use crate::value::{Data, Flags, Value};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// The most entries and items of one collection that are told apart. What is in a larger one is made of all of it.
const MAX_PARTS: usize = 1_000;

/// The most arguments of `merge` whose values are asked for a key.
const MAX_MERGED: usize = 100;

/// The most unknown parts of the value of a name that are followed one by one.
const MAX_FOLLOWED: usize = 100;

/// The most steps from a name to what is followed.
const MAX_STEPS: usize = 16;

/// Which parts of a value are those of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// Entries; items may have another order.
    Keys,
    /// Entries and items.
    Ordered,
}

impl Parts {
    /// Those of a variable: what it is given is converted to its type. A set has another order, and elements of any type get one
    /// that depends on all of them.
    pub(super) fn of_variable(variable: &Variable) -> Option<Self> {
        match &variable.ty {
            Type::Dynamic => Some(Parts::Ordered),
            ty => keeps_parts(ty).then_some(Parts::Ordered),
        }
    }
}

fn keeps_parts(ty: &Type) -> bool {
    match ty {
        Type::Set(_) | Type::Dynamic => false,
        Type::List(of) | Type::Map(of) => keeps_parts(of),
        Type::Tuple(of) => of.iter().all(keeps_parts),
        Type::Object(of) => of.values().all(|attribute| keeps_parts(&attribute.ty)),
        Type::Bool | Type::Number | Type::Str | Type::Reference => true,
    }
}

/// Whether the value of a name that an expression is has a key; `None` if that is not known, and for other expressions.
pub(crate) type HasKey<'k> = &'k dyn Fn(&Expr, &str) -> Option<bool>;

/// Says of an expression what it is made of.
pub(crate) type SourceOf<'s> = &'s mut dyn FnMut(&Written) -> Rc<Source>;

/// A part of an expression.
enum Part<'e> {
    /// All of this one gives the part of the value.
    At(Cow<'e, Expr>),
    /// Something in this one gives it.
    Within(&'e Expr),
}

/// The value of an argument, whose unknown parts have the text of the expression that they come from, and what that is made of:
/// `source` says it of the argument and of expressions in it.
pub(crate) fn with_sources(
    value: &Value,
    evaluated: &Val,
    written: &Written,
    (source, has_key): (SourceOf<'_>, HasKey<'_>),
) -> Value {
    match by_parts(value, evaluated, written, (&mut *source, has_key)) {
        Some(data) => Value { data, prov: value.prov.clone() },
        None => with_source(value, &source(written), false),
    }
}

/// The entries or items, each by its part of the expression; `None` if they cannot be told apart.
fn by_parts(
    value: &Value,
    evaluated: &Val,
    written: &Written,
    (source, has_key): (SourceOf<'_>, HasKey<'_>),
) -> Option<Data> {
    let expr = inside(&written.expr);
    match &expr.kind {
        ExprKind::Object(_) | ExprKind::Tuple(_) | ExprKind::Call(_) => {}
        ExprKind::Traversal(..) if unknown_parts(value, MAX_FOLLOWED) <= MAX_FOLLOWED => {}
        _ => return None,
    }
    let mut of = |step: TraversalStep, value: &Value, evaluated: &Val| {
        if !value.holds(Flags::UNKNOWN) {
            return Some(value.clone());
        }
        let inner = |expr: Cow<'_, Expr>| Written { expr: Arc::new(expr.into_owned()), ..written.clone() };
        Some(match part(expr, &step, Parts::Ordered, has_key)? {
            Part::At(part) => {
                let part = inner(part);
                match by_parts(value, evaluated, &part, (&mut *source, has_key)) {
                    Some(data) => Value { data, prov: value.prov.clone() },
                    None => with_source(value, &source(&part), true),
                }
            }
            Part::Within(part) => with_source(value, &source(&inner(Cow::Borrowed(part))), true),
        })
    };
    match (&value.data, &evaluated.data) {
        (Data::Map(map), _) => {
            let step = |key: &str| TraversalStep::Attribute(Name { text: Text::from(key), span: expr.span });
            let mut one = |key: &str, value: &Value| of(step(key), value, entry(evaluated, &Text::from(key))?);
            let entries = map.iter().map(|e| Some((e.key.clone(), one(&e.key, &e.value)?)));
            Some(Data::Map(Arc::new(entries.collect::<Option<_>>()?)))
        }
        (Data::List(items), Evaluated::Tuple(known) | Evaluated::List(_, known)) if items.len() == known.len() => {
            let step = |index: usize| TraversalStep::Index(Key::Number(index.into()), expr.span);
            let items = items.iter().zip(known.iter()).enumerate();
            let items = items.map(|(index, (value, known))| of(step(index), value, known));
            Some(Data::List(Arc::new(items.collect::<Option<_>>()?)))
        }
        _ => None,
    }
}

/// How many unknown parts a value has, as far as they are counted.
pub(crate) fn unknown_parts(value: &Value, most: usize) -> usize {
    let mut count = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop().filter(|_| count <= most) {
        match &value.data {
            Data::Unknown(_) => count += 1,
            Data::Map(map) => open.extend(map.iter().map(|entry| &entry.value).filter(|v| v.holds(Flags::UNKNOWN))),
            Data::List(items) => open.extend(items.iter().filter(|item| item.holds(Flags::UNKNOWN))),
            _ => {}
        }
    }
    count
}

/// The part of an expression to which steps from its value lead, as far as that can be told without evaluating it; a name in it gets
/// the steps that are left. `None` if that is the whole.
pub(super) fn narrowed(
    written: &Written,
    steps: &[TraversalStep],
    parts: Parts,
    has_key: HasKey<'_>,
) -> Option<Written> {
    let sub = |expr: Expr| Some(Written { expr: Arc::new(expr), ..written.clone() });
    let (mut expr, mut left) = (inside(&written.expr), steps);
    while let Some((step, rest)) = left.split_first() {
        match part(expr, step, parts, has_key) {
            Some(Part::At(Cow::Borrowed(next))) => (expr, left) = (inside(next), rest),
            Some(Part::At(Cow::Owned(mut name))) => {
                if let ExprKind::Traversal(_, steps) = &mut name.kind {
                    steps.extend(rest.iter().cloned());
                    steps.truncate(MAX_STEPS);
                }
                return sub(name);
            }
            Some(Part::Within(next)) => return sub(next.clone()),
            None => break,
        }
    }
    if left.len() < steps.len() { sub(expr.clone()) } else { None }
}

/// The expression without parentheses, and without quotes around one interpolation.
fn inside(expr: &Expr) -> &Expr {
    match &unwrapped(expr).kind {
        ExprKind::Wrapped(inner) => inside(inner),
        _ => unwrapped(expr),
    }
}

/// The part of an expression that gives the part of its value behind a step; `None` if it cannot be told.
fn part<'e>(expr: &'e Expr, step: &TraversalStep, parts: Parts, has_key: HasKey<'_>) -> Option<Part<'e>> {
    match (&expr.kind, step) {
        // Names of a cycle get more steps without end.
        (ExprKind::Traversal(_, steps), _) if steps.len() >= MAX_STEPS => None,
        (ExprKind::Traversal(name, steps), _) => {
            let steps = steps.iter().chain([step]).cloned().collect();
            Some(Part::At(Cow::Owned(Expr { kind: ExprKind::Traversal(name.clone(), steps), span: expr.span })))
        }
        (ExprKind::Tuple(items), TraversalStep::Index(Key::Number(number), _)) if parts == Parts::Ordered => {
            let item = items.get(number.to_string().parse::<usize>().ok()?)?;
            Some(Part::At(Cow::Borrowed(item))).filter(|_| items.len() <= MAX_PARTS)
        }
        (ExprKind::Object(entries), _) => Some(Part::At(Cow::Borrowed(find(entries, key(step)?).ok()??))),
        (ExprKind::Call(call), _) if &*call.name.text == "merge" && !call.expands => merged(call, step, parts, has_key),
        _ => None,
    }
}

/// The same of `merge`: the last argument that has an entry gives it.
fn merged<'e>(call: &'e Call, step: &TraversalStep, parts: Parts, has_key: HasKey<'_>) -> Option<Part<'e>> {
    let key = key(step)?;
    let of = |argument: &'e Expr| part(argument, step, parts, has_key).unwrap_or(Part::Within(argument));
    let entry = |argument: &'e Expr| match &inside(argument).kind {
        ExprKind::Object(entries) => Ok(find(entries, key)?.map(|value| Part::At(Cow::Borrowed(value)))),
        _ if call.arguments.len() > MAX_MERGED => Err(NotSaid),
        _ => has_key(inside(argument), key).map(|has| has.then(|| of(inside(argument)))).ok_or(NotSaid),
    };
    let mut arguments = call.arguments.iter().rev();
    while let Some(argument) = arguments.next() {
        match entry(argument) {
            Ok(Some(part)) => return Some(part),
            Ok(None) => {}
            // The only one that can give it.
            Err(NotSaid) if arguments.all(|before| matches!(entry(before), Ok(None))) => {
                return Some(of(inside(argument)));
            }
            Err(NotSaid) => return None,
        }
    }
    None
}

/// The text of a key that a step is.
fn key(step: &TraversalStep) -> Option<&str> {
    match step {
        TraversalStep::Attribute(name) => Some(&name.text),
        TraversalStep::Index(Key::Text(text), _) => Some(text),
        TraversalStep::Index(Key::Number(_), _) => None,
    }
}

/// Which entries an expression has is not written down.
struct NotSaid;

/// What a written object has under a key: the last one counts.
fn find<'e>(entries: &'e [(Expr, Expr)], key: &str) -> Result<Option<&'e Expr>, NotSaid> {
    let mut found = None;
    for (written, value) in entries {
        if name(written).ok_or(NotSaid)? == key {
            found = Some(value);
        }
    }
    if entries.len() > MAX_PARTS { Err(NotSaid) } else { Ok(found) }
}
