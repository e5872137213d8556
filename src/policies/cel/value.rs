//! The values of expressions. Values of the configuration are used in place, with their path.

use crate::resolution::Component;
use crate::validation::{Path, PathStep};
use crate::value::{Data, Flags, Language, Map, Unknown, Value};
use std::rc::Rc;

/// A value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Val<'a> {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer without a sign.
    Uint(u64),
    /// A floating point number.
    Double(f64),
    /// Text of the configuration.
    Text(&'a str),
    /// Text that was made.
    Str(Rc<str>),
    /// A list that was made.
    List(Rc<Vec<Val<'a>>>),
    /// A map that was made, with its keys in the order of the text.
    Map(Rc<Vec<(Val<'a>, Val<'a>)>>),
    /// The name of a type.
    Type(&'static str),
    /// A whole component.
    Component(&'a Component),
    /// A value of the configuration: a list or a map, or a scalar that was not read yet.
    Node(Node<'a>),
    /// Something that is not known.
    Unknown(Blank<'a>),
    /// An item of a list that may not be in it: what it is if it is, and what that depends on. What else may be in a list is one whose
    /// value is not known.
    Perhaps(Rc<Val<'a>>, Blank<'a>),
}

/// A value in its place.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: &'a Value,
    /// The way to it.
    pub(crate) at: Link<'a>,
    /// How values are read there.
    pub(crate) language: &'a Language,
}

/// Something unknown, and where.
#[derive(Clone, Debug)]
pub(crate) struct Blank<'a> {
    /// The unknown value, or the one in which it is not known what else there is.
    pub(crate) value: Option<&'a Value>,
    /// The way to it.
    pub(crate) at: Link<'a>,
}

/// The variable that a way begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Component,
    Change,
    /// The code of the component.
    Code,
}

impl Root {
    /// Its name in expressions.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Root::Component => "component",
            Root::Change => "change",
            Root::Code => "code",
        }
    }
}

/// The way from a variable to a value, from its end.
#[derive(Clone, Debug)]
pub(crate) enum Link<'a> {
    /// The variable itself.
    Root(Root),
    /// Into the map that a variable is, which most ways begin with.
    Section(Root, &'a str),
    /// Into a map.
    Key(Rc<Link<'a>>, &'a str),
    /// Into a list.
    Item(Rc<Link<'a>>, usize),
}

impl<'a> Link<'a> {
    /// The way on to what is under a key.
    pub(crate) fn key(&self, key: &'a str) -> Link<'a> {
        match self {
            Link::Root(root) => Link::Section(*root, key),
            above => Link::Key(Rc::new(above.clone()), key),
        }
    }

    /// The way on to an item of a list.
    pub(crate) fn item(&self, index: usize) -> Link<'a> {
        Link::Item(Rc::new(self.clone()), index)
    }

    /// The variable, and the way from it.
    pub(crate) fn path(&self) -> (Root, Path) {
        let (mut steps, mut at) = (Vec::new(), self);
        loop {
            match at {
                Link::Root(root) => {
                    steps.reverse();
                    return (*root, Path(steps));
                }
                Link::Section(root, key) => {
                    steps.push(PathStep::Key((*key).to_owned()));
                    steps.reverse();
                    return (*root, Path(steps));
                }
                Link::Key(above, key) => {
                    steps.push(PathStep::Key((*key).to_owned()));
                    at = above;
                }
                Link::Item(above, item) => {
                    steps.push(PathStep::Item(*item));
                    at = above;
                }
            }
        }
    }
}

impl<'a> Node<'a> {
    /// Returns the value in the form that functions accept: scalars directly, unknown values as such.
    pub(crate) fn into_val(self) -> Val<'a> {
        match &self.value.data {
            Data::Null => Val::Null,
            Data::Bool(b) => Val::Bool(*b),
            Data::Int(i) => Val::Int(*i),
            Data::Uint(u) => Val::Uint(*u),
            Data::Float(f) => Val::Double(*f),
            // The result of a call is known when it is made.
            Data::Str(text) if text.starts_with('!') && (self.language.read)(text).is_some() => self.unknown(),
            Data::Str(text) => Val::Text(text),
            Data::Time(_) => {
                let text = serde_json::to_value(self.value).ok();
                Val::Str(text.as_ref().and_then(|t| t.as_str()).unwrap_or_default().into())
            }
            Data::List(_) | Data::Map(_) => Val::Node(self),
            Data::Unknown(_) => self.unknown(),
        }
    }

    fn unknown(self) -> Val<'a> {
        Val::Unknown(Blank { value: Some(self.value), at: self.at })
    }

    /// Something of it that is not known.
    pub(crate) fn blank(&self) -> Blank<'a> {
        Blank { value: Some(self.value), at: self.at.clone() }
    }

    /// Whether there may be more in it than is known: a call takes part in the merge that it comes from.
    pub(crate) fn is_open(&self) -> bool {
        let is_call = |v: &Value| {
            matches!(v.data, Data::Unknown(_)) || v.as_str().is_some_and(|text| (self.language.read)(text).is_some())
        };
        self.value.prov.layers().iter().any(|layer| is_call(&layer.value))
    }

    /// The value under a key of a map.
    pub(crate) fn key(&self, map: &'a Map, key: &str) -> Option<Val<'a>> {
        let entry = map.entry(key)?;
        Some(Node { value: &entry.value, at: self.at.key(&entry.key), language: self.language }.into_val())
    }

    /// An item of a list.
    pub(crate) fn item(&self, value: &'a Value, index: usize) -> Val<'a> {
        let node = |value| Node { value, at: self.at.item(index), language: self.language };
        match may_be_absent(value) {
            None => node(value).into_val(),
            Some(unknown) => {
                let item = node(unknown.assumed.as_deref().unwrap_or(value)).into_val();
                Val::Perhaps(Rc::new(item), node(value).blank())
            }
        }
    }
}

impl<'a> Val<'a> {
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Val::Text(text) => Some(text),
            Val::Str(text) => Some(text),
            _ => None,
        }
    }

    /// A number of any kind.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Val::Int(i) => Some(*i as f64),
            Val::Uint(u) => Some(*u as f64),
            Val::Double(d) => Some(*d),
            _ => None,
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Val::Null => "null_type",
            Val::Bool(_) => "bool",
            Val::Int(_) => "int",
            Val::Uint(_) => "uint",
            Val::Double(_) => "double",
            Val::Text(_) | Val::Str(_) => "string",
            Val::List(_) => "list",
            Val::Map(_) | Val::Component(_) => "map",
            Val::Type(_) => "type",
            Val::Node(node) if node.value.as_list().is_some() => "list",
            Val::Node(_) => "map",
            Val::Unknown(_) | Val::Perhaps(..) => "unknown",
        }
    }

    /// The item that it is, if there is one, and what that depends on if it is not certain.
    pub(super) fn if_there(self) -> (Val<'a>, Option<Blank<'a>>) {
        match self {
            Val::Perhaps(item, blank) => (Rc::unwrap_or_clone(item), Some(blank)),
            item => (item, None),
        }
    }

    /// It as JSON, for people to examine; what is unknown in it is its text.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Val::Null => Json::Null,
            Val::Bool(b) => Json::from(*b),
            Val::Int(i) => Json::from(*i),
            Val::Uint(u) => Json::from(*u),
            Val::Double(d) => Json::from(*d),
            Val::Text(text) => Json::from(*text),
            Val::Str(text) => Json::from(&**text),
            Val::List(items) => items.iter().map(Val::to_json).collect(),
            Val::Map(entries) => {
                let key = |key: &Val<'_>| key.as_str().map_or_else(|| key.to_json().to_string(), str::to_owned);
                entries.iter().map(|(k, v)| (key(k), v.to_json())).collect::<serde_json::Map<_, _>>().into()
            }
            Val::Type(name) => Json::from(*name),
            Val::Component(component) => serde_json::to_value(&component.value).unwrap_or_default(),
            Val::Node(node) => serde_json::to_value(node.value).unwrap_or_default(),
            Val::Unknown(_) => Json::from("unknown"),
            Val::Perhaps(item, _) => item.to_json(),
        }
    }

    /// The items of a list; what is unknown among them is a value as well.
    pub(super) fn items(&self) -> Option<Vec<Val<'a>>> {
        match self {
            Val::List(items) => Some(items.to_vec()),
            Val::Node(node) => {
                let items = node.value.as_list()?;
                Some(items.iter().enumerate().map(|(i, v)| node.item(v, i)).collect())
            }
            _ => None,
        }
    }

    /// The number of items or entries, without making them.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Val::List(items) => Some(items.len()),
            Val::Map(entries) => Some(entries.len()),
            Val::Node(node) => node.value.as_list().map(|l| l.len()).or_else(|| Some(node.value.as_map()?.len())),
            _ => None,
        }
    }

    /// The entries of a map.
    pub(super) fn entries(&self) -> Option<Vec<(Val<'a>, Val<'a>)>> {
        match self {
            Val::Map(entries) => Some(entries.to_vec()),
            Val::Node(node) => {
                let map = node.value.as_map()?;
                Some(map.iter().filter_map(|e| Some((Val::Text(&e.key), node.key(map, &e.key)?))).collect())
            }
            _ => None,
        }
    }

    /// What there may be besides its items and entries.
    pub(super) fn besides(&self) -> Option<Blank<'a>> {
        match self {
            Val::Unknown(blank) => Some(blank.clone()),
            Val::Node(node) if node.is_open() => Some(node.blank()),
            _ => None,
        }
    }

    /// Something in it that may be there without being known.
    pub(super) fn open(&self) -> Option<Blank<'a>> {
        self.besides().or_else(|| match self {
            Val::List(items) => items.iter().find_map(|item| match item {
                Val::Perhaps(_, blank) => Some(blank.clone()),
                _ => None,
            }),
            Val::Node(node) => {
                let items = node.value.as_list().filter(|_| node.value.flags().has(Flags::UNKNOWN))?;
                let (i, _) = items.iter().enumerate().find(|(_, item)| may_be_absent(item).is_some())?;
                Some(Node { value: &items[i], at: node.at.item(i), language: node.language }.blank())
            }
            _ => None,
        })
    }
}

/// The value, if it is not known whether there is one.
fn may_be_absent(value: &Value) -> Option<&Unknown> {
    match &value.data {
        Data::Unknown(unknown) if unknown.may_be_absent => Some(unknown),
        _ => None,
    }
}

impl Blank<'_> {
    /// Whether there may be nothing in its place.
    pub(super) fn may_be_absent(&self) -> bool {
        self.value.is_some_and(|value| may_be_absent(value).is_some())
    }
}
