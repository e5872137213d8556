//! Conversion of values to types, as the language converts arguments, variables and parts of templates.

use crate::types::unify::{is_convertible, unify};
use crate::types::{Attribute, Type};
use crate::val::number::Number;
use crate::val::unknown::{Facts, of_length};
use crate::val::{Data, Entries, Val};
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a value cannot be converted, with the path to the part that cannot: `.a[0]`, empty for the value itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The keys and indexes that lead to the value, as `.a[0]`; empty for the whole.
    pub path: String,
    /// Why it cannot be converted.
    pub message: String,
}

impl Mismatch {
    fn new(message: impl Into<String>) -> Self {
        Mismatch { path: String::new(), message: message.into() }
    }

    fn inside(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// The message with the path in front of it, as the language words it.
    pub fn text(&self) -> String {
        match self.path.strip_prefix('.') {
            _ if self.path.is_empty() => self.message.clone(),
            Some(name) if !name.contains(['.', '[']) => format!("attribute \"{name}\": {}", self.message),
            _ => format!("{}: {}", self.path, self.message),
        }
    }
}

/// Converts a value to a type. Provenance and marks stay.
///
/// # Errors
/// Why the value has no such form.
pub fn convert(value: &Val, ty: &Type) -> Result<Val, Mismatch> {
    let data = match (&value.data, ty) {
        (_, Type::Dynamic) => return Ok(value.clone()),
        (Data::Null(from), _) => {
            possible(from, ty)?;
            Data::Null(ty.clone())
        }
        (Data::Unknown(from, reason), _) => {
            possible(from, ty)?;
            let ty = &concrete(from, ty);
            match from == ty {
                true => value.data.clone(),
                // It stays what is not null.
                false => match value.facts() {
                    Some(facts) => not_null(from, ty, facts.length, Text::clone(reason)).data,
                    None => Data::Unknown(ty.clone(), Text::clone(reason).into()),
                },
            }
        }
        (Data::Partial(entries, name), Type::Object(attributes)) => return partial(value, entries, name, attributes),
        (Data::Partial(_, name), Type::Map(_)) => Data::Unknown(ty.clone(), name.clone().into()),
        (Data::Partial(..), _) => return Err(required(ty, &Type::Object(Arc::default()))),
        (Data::Bool(_), Type::Bool) | (Data::Number(_), Type::Number) | (Data::Str(_), Type::Str) => value.data.clone(),
        (Data::Reference(_), Type::Reference) => value.data.clone(),
        (Data::Bool(b), Type::Str) => Data::Str(if *b { "true" } else { "false" }.into()),
        (Data::Number(n), Type::Str) => Data::Str(n.to_string().into()),
        (Data::Str(text), Type::Bool) => Data::Bool(parse_bool(text)?),
        (Data::Str(text), Type::Number) => Data::Number(parse_number(text)?),
        (_, Type::List(element)) => return sequence(value, element, ty, false),
        (_, Type::Set(element)) => return sequence(value, element, ty, true),
        (_, Type::Map(element)) => return map(value, element, ty),
        (_, Type::Tuple(types)) => return tuple(value, types, ty),
        (_, Type::Object(attributes)) => return object(value, attributes, ty),
        _ => return Err(required(ty, &Type::of(value))),
    };
    Ok(Val { data, marks: value.marks, prov: value.prov.clone() })
}

/// The type that a value of a type has as another one, of which the elements may be of any type.
fn concrete(from: &Type, to: &Type) -> Type {
    let element = match (from, to) {
        (Type::List(element) | Type::Set(element), Type::List(any) | Type::Set(any))
        | (Type::Map(element), Type::Map(any))
            if **any == Type::Dynamic =>
        {
            Some((**element).clone())
        }
        (Type::Tuple(types), Type::List(any) | Type::Set(any)) if **any == Type::Dynamic => unify(types),
        (Type::Object(attributes), Type::Map(any)) if **any == Type::Dynamic => {
            unify(&attributes.values().map(|attribute| attribute.ty.clone()).collect::<Vec<_>>())
        }
        _ => None,
    };
    match (element, to) {
        (Some(element), Type::List(_)) => Type::list(element),
        (Some(element), Type::Set(_)) => Type::set(element),
        (Some(element), Type::Map(_)) => Type::map(element),
        _ => to.clone(),
    }
}

/// A value that is not known, but not null, as another type: a list of the elements of a tuple, or of a set of so many, has as many.
fn not_null(from: &Type, ty: &Type, length: Option<usize>, reason: Text) -> Val {
    match (from, ty) {
        (Type::Set(_), Type::List(element)) if !element.has_dynamic() && length.is_some() => {
            of_length(ty.clone(), length.unwrap_or_default(), reason)
        }
        (Type::Tuple(types), Type::List(element)) if types.is_empty() || !element.has_dynamic() => {
            of_length(ty.clone(), types.len(), reason)
        }
        (Type::Tuple(types), Type::Set(element)) if !element.has_dynamic() && types.len() < 2 => {
            of_length(ty.clone(), types.len(), reason)
        }
        (Type::Object(attributes), Type::Map(element)) if !element.has_dynamic() => {
            of_length(ty.clone(), attributes.len(), reason)
        }
        _ => Val::partly_unknown(ty.clone(), reason, Facts::default()),
    }
}

/// Whether a value of a type could be converted at all.
fn possible(from: &Type, to: &Type) -> Result<(), Mismatch> {
    if is_convertible(from, to) { Ok(()) } else { Err(required(to, from)) }
}

fn required(wanted: &Type, actual: &Type) -> Mismatch {
    match (actual, wanted) {
        (_, Type::Bool | Type::Number | Type::Str) => {
            let article = "a";
            match actual.is_primitive() {
                true => Mismatch::new(format!("{article} {} is required", wanted.name())),
                false => Mismatch::new(format!("{} required, but have {}", wanted.name(), actual.short_name())),
            }
        }
        _ => Mismatch::new(format!("{} required, but have {}", wanted.name(), actual.short_name())),
    }
}

fn parse_bool(text: &str) -> Result<bool, Mismatch> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        "True" | "TRUE" => Err(Mismatch::new("a bool is required; to convert from string, use lowercase \"true\"")),
        "False" | "FALSE" => Err(Mismatch::new("a bool is required; to convert from string, use lowercase \"false\"")),
        _ => Err(Mismatch::new("a bool is required")),
    }
}

fn parse_number(text: &str) -> Result<Number, Mismatch> {
    Number::parse_text(text).ok_or_else(|| Mismatch::new("a number is required"))
}

/// The elements with the one type that all of them have, where any type will do.
fn united(items: &[Val], element: &Type, what: &str) -> Result<Type, Mismatch> {
    if !element.has_dynamic() || items.is_empty() {
        return Ok(element.clone());
    }
    let types: Vec<Type> = items.iter().map(Type::of).collect();
    let mut typed = types.iter().filter(|ty| **ty != Type::Dynamic);
    let common = match (unify(&types), typed.next()) {
        // Where nothing is known of one element, nothing is of what it has in common with collections; maps let null pass.
        (Some(Type::Dynamic), Some(first)) => (what == "map" && typed.all(|ty| ty == first)).then(|| first.clone()),
        (common, _) => common,
    };
    common.ok_or_else(|| Mismatch::new(format!("all {what} elements must have the same type")))
}

fn sequence(value: &Val, element: &Type, ty: &Type, is_set: bool) -> Result<Val, Mismatch> {
    let items = value.as_items().ok_or_else(|| required(ty, &Type::of(value)))?;
    let what = if is_set { "set" } else { "list" };
    if let (Data::List(from, _) | Data::Set(from, _), true) = (&value.data, items.is_empty()) {
        possible(from, element)?;
        let kept = if *element == Type::Dynamic { from.clone() } else { element.clone() };
        let empty = if is_set { Val::set(kept, Vec::new()) } else { Val::list(kept, Vec::new()) };
        return Ok(empty.marked(value.marks).with_prov(value.prov.clone()));
    }
    // How many elements a set has is open if they may be the same.
    let may_shrink = items.len() > 1;
    if let (Data::Set(..), false, true, Some(reason)) = (&value.data, is_set, may_shrink, value.unknown_reason()) {
        let unknown = Val::unknown(ty.clone(), Text::clone(reason));
        return Ok(unknown.marked(value.all_marks()).with_prov(value.prov.clone()));
    }
    let converted: Vec<Val> = each(items, element)?;
    if is_set && *element != Type::Dynamic && !have_one_type(&converted) {
        return Err(Mismatch::new("element types must all match for conversion to set"));
    }
    let common = united(&converted, element, what)?;
    let converted = if common == *element { converted } else { each(&converted, &common)? };
    let result = if is_set { Val::set(common, converted) } else { Val::list(common, converted) };
    Ok(result.marked(value.marks).with_prov(value.prov.clone()))
}

/// Whether all values have the same type, but for those of which it is not known.
fn have_one_type(values: &[Val]) -> bool {
    let mut types = values.iter().map(Type::of).filter(|ty| *ty != Type::Dynamic);
    types.next().is_none_or(|first| types.all(|ty| ty == first))
}

fn each(items: &[Val], element: &Type) -> Result<Vec<Val>, Mismatch> {
    let one = |(i, item): (usize, &Val)| convert(item, element).map_err(|e| e.inside(&format!("[{i}]")));
    items.iter().enumerate().map(one).collect()
}

fn map(value: &Val, element: &Type, ty: &Type) -> Result<Val, Mismatch> {
    let entries = value.as_entries().ok_or_else(|| required(ty, &Type::of(value)))?;
    let convert_all = |entries: &Entries, element: &Type| -> Result<Entries, Mismatch> {
        let one = |(k, v): (&Text, &Val)| match convert(v, element) {
            Ok(v) => Ok((Text::clone(k), v)),
            Err(e) => Err(e.inside(&format!("[\"{k}\"]"))),
        };
        entries.iter().map(one).collect()
    };
    let converted = convert_all(entries, element)?;
    let items: Vec<Val> = converted.values().cloned().collect();
    let common = match &value.data {
        Data::Map(from, _) if *element == Type::Dynamic && items.is_empty() => from.clone(),
        _ => united(&items, element, "map")?,
    };
    let converted = if common == *element { converted } else { convert_all(&converted, &common)? };
    Ok(Val::map(common, converted).marked(value.marks).with_prov(value.prov.clone()))
}

fn tuple(value: &Val, types: &[Type], ty: &Type) -> Result<Val, Mismatch> {
    let items = match &value.data {
        Data::Tuple(items) | Data::List(_, items) => items,
        _ => return Err(required(ty, &Type::of(value))),
    };
    if items.len() != types.len() {
        return Err(Mismatch::new(format!("tuple of {} elements required, but have {}", types.len(), items.len())));
    }
    let one = |(i, (item, ty)): (usize, (&Val, &Type))| convert(item, ty).map_err(|e| e.inside(&format!("[{i}]")));
    let items: Result<Vec<Val>, Mismatch> = items.iter().zip(types).enumerate().map(one).collect();
    Ok(Val::tuple(items?).marked(value.marks).with_prov(value.prov.clone()))
}

fn object(value: &Val, attributes: &BTreeMap<Text, Attribute>, ty: &Type) -> Result<Val, Mismatch> {
    let entries = value.as_entries().ok_or_else(|| required(ty, &Type::of(value)))?;
    let missing: Vec<String> = attributes
        .iter()
        .filter(|(name, attribute)| !attribute.is_optional && !entries.contains_key(&***name))
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    match missing.as_slice() {
        [] => {}
        [one] => return Err(Mismatch::new(format!("attribute {one} is required"))),
        [init @ .., last] => {
            return Err(Mismatch::new(format!("attributes {} and {last} are required", init.join(", "))));
        }
    }
    let one = |(name, attribute): (&Text, &Attribute)| {
        let converted = match entries.get(name) {
            Some(value) => convert(value, &attribute.ty).map_err(|e| e.inside(&format!(".{name}")))?,
            None => Data::Null(attribute.ty.clone()).into(),
        };
        Ok((Text::clone(name), converted))
    };
    let converted: Result<Entries, Mismatch> = attributes.iter().map(one).collect();
    Ok(Val::object(converted?).marked(value.marks).with_prov(value.prov.clone()))
}

/// An object with the attributes of a type, of which those that are not known are unknown.
fn partial(
    value: &Val,
    entries: &Entries,
    name: &Text,
    attributes: &BTreeMap<Text, Attribute>,
) -> Result<Val, Mismatch> {
    let one = |(key, attribute): (&Text, &Attribute)| {
        let converted = match entries.get(key) {
            Some(value) => convert(value, &attribute.ty).map_err(|e| e.inside(&format!(".{key}")))?,
            None => Val::unknown(attribute.ty.clone(), format!("{name}.{key}")),
        };
        Ok((Text::clone(key), converted))
    };
    let converted: Result<Entries, Mismatch> = attributes.iter().map(one).collect();
    Ok(Val::object(converted?).marked(value.marks).with_prov(value.prov.clone()))
}

/// Defaults of optional attributes, at any depth of a type.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Defaults of the attributes of an object, by name.
    pub values: BTreeMap<Text, Val>,
    /// The defaults of what is inside: by attribute, by index, or under an empty name for all elements.
    pub children: BTreeMap<Text, Arc<Defaults>>,
}

impl Defaults {
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.children.is_empty()
    }

    /// A value with everything that is missing or null replaced by its default.
    pub fn apply(&self, value: &Val) -> Val {
        if value.is_null() || value.is_unknown() || self.is_empty() {
            return value.clone();
        }
        let inner = |key: &str, value: &Val| match self.children.get(key).or_else(|| self.children.get("")) {
            Some(defaults) => defaults.apply(value),
            None => value.clone(),
        };
        let items = |items: &[Val]| {
            Arc::new(items.iter().enumerate().map(|(i, v)| inner(&i.to_string(), v)).collect::<Vec<_>>())
        };
        let data = match &value.data {
            Data::List(ty, all) => rebuild_list(ty, items(all)),
            Data::Set(ty, all) => {
                return Val::set(ty.clone(), items(all).to_vec()).marked(value.marks).with_prov(value.prov.clone());
            }
            Data::Tuple(all) => Data::Tuple(items(all)),
            Data::Map(ty, all) if self.values.is_empty() => {
                let all: Entries = all.iter().map(|(k, v)| (Text::clone(k), inner(k, v))).collect();
                rebuild_map(ty, Arc::new(all))
            }
            Data::Object(all) | Data::Map(_, all) => {
                let mut all: Entries = (**all).clone();
                for (name, default) in &self.values {
                    if all.get(name).is_none_or(Val::is_null) {
                        all.insert(Text::clone(name), default.clone());
                    }
                }
                Data::Object(Arc::new(all.iter().map(|(k, v)| (Text::clone(k), inner(k, v))).collect()))
            }
            other => other.clone(),
        };
        Val { data, marks: value.marks, prov: value.prov.clone() }
    }
}

/// A list whose elements may have got other types from defaults.
fn rebuild_list(ty: &Type, items: Arc<Vec<Val>>) -> Data {
    if items.iter().all(|item| Type::of(item) == *ty) { Data::List(ty.clone(), items) } else { Data::Tuple(items) }
}

fn rebuild_map(ty: &Type, entries: Arc<Entries>) -> Data {
    if entries.values().all(|item| Type::of(item) == *ty) {
        Data::Map(ty.clone(), entries)
    } else {
        Data::Object(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object_type(attributes: &[(&str, Type, bool)]) -> Type {
        let all = attributes.iter().map(|(n, ty, o)| (Text::from(*n), Attribute { ty: ty.clone(), is_optional: *o }));
        Type::Object(Arc::new(all.collect()))
    }

    #[test]
    fn primitives_convert_where_nothing_is_lost() {
        assert_eq!(convert(&Val::str("12"), &Type::Number).unwrap().data.clone().text(), "12");
        assert_eq!(convert(&Val::bool(true), &Type::Str).unwrap().as_str().map(|t| &**t), Some("true"));
        assert_eq!(convert(&Val::bool(true), &Type::Number).unwrap_err().message, "a number is required");
        assert_eq!(convert(&Val::tuple(vec![]), &Type::Str).unwrap_err().message, "string required, but have tuple");
    }

    #[test]
    fn any_element_type_is_the_one_that_all_have() {
        let mixed = Val::tuple(vec![Val::str("a"), Val::number(1_i64)]);
        let list = convert(&mixed, &Type::list(Type::Dynamic)).unwrap();
        assert_eq!(Type::of(&list), Type::list(Type::Str));
        let different = Val::tuple(vec![Val::bool(true), Val::number(1_i64)]);
        assert!(convert(&different, &Type::list(Type::Dynamic)).is_err());
    }

    #[test]
    fn objects_lose_unknown_attributes_and_gain_optional_ones() {
        let ty = object_type(&[("a", Type::Str, false), ("b", Type::Number, true)]);
        let actual = Val::object([("a".into(), Val::number(1_i64)), ("c".into(), Val::null())].into());
        let found = convert(&actual, &ty).unwrap();
        assert_eq!(
            found.as_entries().map(|e| e.keys().map(|k| k.to_string()).collect::<Vec<_>>()),
            Some(vec!["a".into(), "b".into()])
        );
        assert_eq!(convert(&Val::object(Entries::new()), &ty).unwrap_err().message, "attribute \"a\" is required");
    }

    impl Data {
        fn text(self) -> String {
            match self {
                Data::Number(n) => n.to_string(),
                other => format!("{other:?}"),
            }
        }
    }
}
