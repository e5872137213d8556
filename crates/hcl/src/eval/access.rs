//! References, and the steps from a value to what is inside of it.

use crate::ast::{Expr, Key, Name, Span, TraversalStep};
use crate::eval::{Evaluator, merge_prov};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::{Data, Val};
use shared_text::Text;
use std::sync::Arc;

impl Evaluator<'_> {
    pub(super) fn traversal(&mut self, root: &Name, steps: &[TraversalStep], span: Span) -> Val {
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
            None => {
                let (summary, detail) = self.scope.missing(root);
                self.problem(summary, detail, span)
            }
        }
    }

    pub(super) fn walk(&mut self, base: Val, steps: &[TraversalStep]) -> Val {
        let mut value = base;
        for step in steps {
            value = match step {
                TraversalStep::Attribute(name) => self.attribute(&value, name),
                TraversalStep::Index(Key::Number(number), at) => self.index(&value, &Val::number(number.clone()), *at),
                TraversalStep::Index(Key::Text(text), at) => self.index(&value, &Val::str(Text::clone(text)), *at),
            };
        }
        value
    }

    fn attribute(&mut self, base: &Val, name: &Name) -> Val {
        let missing = "Unsupported attribute";
        match &base.data {
            Data::Unknown(ty, reason) => self.attribute_of_unknown(ty, reason, name).marked(base.marks),
            Data::Partial(entries, whole) => match entries.get(&name.text) {
                Some(value) => value.clone().marked(base.marks),
                None => Val::unknown(Type::Dynamic, format!("{whole}.{}", name.text)).marked(base.marks),
            },
            Data::Null(_) => self.problem(
                "Attempt to get attribute from null value",
                "This value is null, so it does not have any attributes.",
                name.span,
            ),
            Data::Object(entries) => match entries.get(&name.text) {
                Some(value) => value.clone().marked(base.marks),
                None => {
                    let near = shared_text::nearest(&name.text, entries.keys().map(|k| &**k));
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

    /// The attribute of a value of which only the type is known.
    fn attribute_of_unknown(&mut self, ty: &Type, reason: &Text, name: &Name) -> Val {
        let missing = "Unsupported attribute";
        match ty {
            Type::Dynamic | Type::Reference => Val::unknown(Type::Dynamic, reason.clone()),
            Type::Map(element) => Val::unknown((**element).clone(), reason.clone()),
            Type::Object(attributes) => match attributes.get(&name.text) {
                Some(attribute) => Val::unknown(attribute.ty.clone(), reason.clone()),
                None => {
                    let detail = format!("This object does not have an attribute named \"{}\".", name.text);
                    self.problem(missing, detail, name.span)
                }
            },
            _ => {
                let detail = format!("Can't access attributes on a value of type {}.", ty.name());
                self.problem(missing, detail, name.span)
            }
        }
    }

    /// An element of a value of which only the type is known.
    fn element_of_unknown(&mut self, ty: &Type, reason: &Text, key: &Val, span: Span) -> Val {
        let element = match ty {
            Type::List(element) | Type::Map(element) => (**element).clone(),
            Type::Dynamic | Type::Reference => Type::Dynamic,
            Type::Tuple(types) => match &key.data {
                Data::Number(number) => {
                    let found = number.as_i64().and_then(|i| usize::try_from(i).ok()).and_then(|i| types.get(i));
                    match found {
                        Some(ty) => ty.clone(),
                        None => {
                            return self.problem(
                                "Invalid index",
                                "The given key does not identify an element in this collection value.",
                                span,
                            );
                        }
                    }
                }
                _ => Type::Dynamic,
            },
            Type::Object(attributes) => match &key.data {
                Data::Str(name) => match attributes.get(name) {
                    Some(attribute) => attribute.ty.clone(),
                    None => {
                        return self.problem(
                            "Invalid index",
                            "The given key does not identify an element in this collection value.",
                            span,
                        );
                    }
                },
                _ => Type::Dynamic,
            },
            _ if is_open(key) => Type::Dynamic,
            _ => return self.problem("Invalid index", "This value does not have any indices.", span),
        };
        Val::unknown(element, reason.clone())
    }

    /// An element of a collection.
    pub(super) fn index(&mut self, base: &Val, key: &Val, span: Span) -> Val {
        let marks = base.marks | key.marks;
        let invalid = "Invalid index";
        let missing = "The given key does not identify an element in this collection value";
        if base.is_null() {
            return self.problem(
                "Attempt to index null value",
                "This value is null, so it does not have any indices.",
                span,
            );
        }
        if let Data::Unknown(ty, reason) = &base.data {
            let (ty, reason) = (ty.clone(), reason.clone());
            let wanted = match &ty {
                Type::List(_) | Type::Tuple(_) => Some(Type::Number),
                Type::Map(_) | Type::Object(_) => Some(Type::Str),
                _ => None,
            };
            if key.is_null() {
                return self.problem(invalid, "Can't use a null value as an indexing key.", span);
            }
            if let Some(Err(why)) = wanted.map(|wanted| convert(key, &wanted)) {
                return self.problem(invalid, format!("{missing}: {}.", why.text()), span);
            }
            // OpenTofu forgets the marks of the key.
            return self.element_of_unknown(&ty, &reason, key, span).marked(base.marks);
        }
        if key.is_unknown() && is_key(base, key) {
            let reason = base.unknown_reason().or_else(|| key.unknown_reason()).cloned().unwrap_or_default();
            let element = match &base.data {
                Data::List(ty, _) | Data::Map(ty, _) => ty.clone(),
                _ => Type::Dynamic,
            };
            return Val::unknown(element, reason).marked(base.marks);
        }
        if key.is_null() {
            return self.problem(invalid, "Can't use a null value as an indexing key.", span);
        }
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
            Data::Partial(entries, whole) => match convert(key, &Type::Str).map(|k| k.data) {
                Ok(Data::Str(text)) => match entries.get(&text) {
                    Some(value) => value.clone().marked(marks),
                    None => Val::unknown(Type::Dynamic, format!("{whole}.{text}")).marked(marks),
                },
                _ => self.problem(invalid, format!("{missing}: string required."), span),
            },
            Data::Set(..) => self.problem(invalid, "Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.", span),
            _ => self.problem(invalid, "This value does not have any indices.", span),
        }
    }

    pub(super) fn splat(&mut self, base: &Expr, each: &Expr) -> Val {
        let source = self.eval(base);
        let span = base.span.to(each.span);
        let single = source.as_items().is_none();
        if let Data::Unknown(ty, reason) = &source.data {
            match ty {
                Type::List(element) | Type::Set(element) => {
                    let found = self.each_of(Val::unknown((**element).clone(), Text::clone(reason)), each);
                    return Val::unknown(Type::list(Type::of(&found)), Text::clone(reason)).marked(source.marks);
                }
                Type::Tuple(types) => {
                    let element = |ty: &Type| Val::unknown(ty.clone(), Text::clone(reason));
                    let found = types.iter().map(|ty| Type::of(&self.each_of(element(ty), each))).collect();
                    return Val::unknown(Type::Tuple(Arc::new(found)), Text::clone(reason)).marked(source.marks);
                }
                Type::Dynamic => return source.dynamic(),
                // Null would be no element.
                _ if source.facts().is_none() => {
                    self.each_of(Val::unknown(ty.clone(), Text::clone(reason)), each);
                    return source.dynamic();
                }
                _ => {}
            }
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
        if let Data::List(element, items) | Data::Set(element, items) = &source.data
            && items.is_empty()
        {
            let found = self.each_of(Val::unknown(element.clone(), "an element of an empty list"), each);
            return Val::list(Type::of(&found), Vec::new()).marked(source.marks);
        }
        let found: Vec<Val> = items.into_iter().map(|item| self.each_of(item, each)).collect();
        let prov = self.derived(span, found.iter().chain([&source]));
        let is_list = matches!(source.data, Data::List(..) | Data::Set(..)) && !single;
        let types: Vec<Type> = found.iter().map(Type::of).collect();
        let value = match unify(&types) {
            Some(ty) if is_list && types.iter().all(|t| *t == ty) => Val::list(ty, found),
            _ => Val::tuple(found),
        };
        self.bounded(value, span).marked(source.marks).with_prov(prov)
    }

    /// What a splat makes of an element.
    fn each_of(&mut self, element: Val, each: &Expr) -> Val {
        self.elements.push(element);
        let found = self.eval(each);
        self.elements.pop();
        found
    }
}

/// Whether nothing is known of a key, not even its type. OpenTofu does not look what has elements then.
fn is_open(key: &Val) -> bool {
    matches!(key.data, Data::Unknown(Type::Dynamic, _))
}

/// Whether a value can be a key of another one by its type.
fn is_key(base: &Val, key: &Val) -> bool {
    let ty = match &base.data {
        _ if is_open(key) => return true,
        Data::List(..) | Data::Tuple(_) => Type::Number,
        Data::Set(..) | Data::Str(_) | Data::Number(_) | Data::Bool(_) => return false,
        _ => Type::Str,
    };
    convert(key, &ty).is_ok()
}
