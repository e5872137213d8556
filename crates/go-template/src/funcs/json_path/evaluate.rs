//! Follows the steps of an expression through a value.

use super::parse::{Node, Slice};
use super::{Outcome, Stop};
use crate::format;
use std::cmp::Ordering;
use std::sync::Arc;
use traced_value::{Data, Value};

const NOT_EVALUATED: &str = "of this value is not evaluated";
const RANDOM: &str = "iterates over a map in random order";

/// Steps that failed.
struct Failure {
    stop: Stop,
    /// The library kept values, but a filter without a comparison ignores that.
    kept: bool,
}

type Found = Result<Vec<Item>, Failure>;

fn failed<T>(message: impl Into<String>, kept: bool) -> Result<T, Failure> {
    Err(Failure { stop: Stop::Failed(message.into()), kept })
}

fn unknown<T>(reason: &'static str) -> Result<T, Failure> {
    Err(Failure { stop: Stop::Unknown(reason), kept: false })
}

/// A value that was found.
#[derive(Clone)]
struct Item {
    value: Value,
    /// The maps on its way, the last one first.
    branch: Option<Arc<Branch>>,
}

/// An entry of a map, which Go lists in random order.
struct Branch {
    /// Distinguishes maps that were listed separately.
    map: usize,
    entry: usize,
    depth: usize,
    parent: Option<Arc<Branch>>,
}

impl Item {
    fn of(data: Data) -> Item {
        Item { value: Value::new(data), branch: None }
    }

    fn beside(&self, value: &Value) -> Item {
        Item { value: value.clone(), branch: self.branch.clone() }
    }
}

/// Whether two values are below different entries of one map.
fn are_in_random_order(a: &Item, b: &Item) -> bool {
    let (mut a, mut b) = (a.branch.as_ref(), b.branch.as_ref());
    while let (Some(x), Some(y)) = (a, b) {
        if x.map == y.map {
            return x.entry != y.entry;
        }
        (a, b) = match x.depth.cmp(&y.depth) {
            Ordering::Greater => (x.parent.as_ref(), b),
            Ordering::Less => (a, y.parent.as_ref()),
            Ordering::Equal => (x.parent.as_ref(), y.parent.as_ref()),
        };
    }
    false
}

/// One evaluation.
pub(super) struct Evaluation {
    /// How many values may still be visited.
    budget: usize,
    /// The maps that were listed.
    maps: usize,
    /// The argument is nothing at all, which the library cannot look into.
    is_nothing: bool,
}

impl Evaluation {
    pub(super) fn new(budget: usize) -> Self {
        Evaluation { budget, maps: 0, is_nothing: false }
    }

    /// Returns the values that the steps find: a single value as it is, others as a list without nulls.
    ///
    /// # Errors
    /// As the library words it.
    pub(super) fn run(mut self, nodes: &[Node], root: &Value) -> Outcome<Value> {
        self.is_nothing = root.is_null();
        let root = Item { value: root.clone(), branch: None };
        let found = self.steps(vec![root], nodes).map_err(|failure| failure.stop)?;
        if let [only] = found.as_slice() {
            if self.is_nothing && only.value.is_null() {
                return Err(Stop::Panicked("reflect: call of reflect.Value.CanInterface on zero Value"));
            }
            return Ok(only.value.clone());
        }
        let found: Vec<Item> = found.into_iter().filter(|item| !item.value.is_null()).collect();
        if found.windows(2).any(|pair| are_in_random_order(&pair[0], &pair[1])) {
            return Err(Stop::Unknown(RANDOM));
        }
        Ok(Value::list(found.into_iter().map(|item| item.value).collect()))
    }

    fn visit(&mut self, count: usize) -> Result<(), Failure> {
        match self.budget.checked_sub(count) {
            Some(left) => self.budget = left,
            None => return unknown("of so many values is not evaluated"),
        }
        Ok(())
    }

    fn steps(&mut self, mut items: Vec<Item>, nodes: &[Node]) -> Found {
        for node in nodes {
            self.visit(items.len())?;
            items = self.step(items, node)?;
        }
        Ok(items)
    }

    fn step(&mut self, items: Vec<Item>, node: &Node) -> Found {
        let each = |data: Data| Ok(vec![Item::of(data); items.len()]);
        let kept = !items.is_empty();
        match node {
            Node::Text(text) => Ok(vec![Item::of(Data::Str(text.as_str().into()))]),
            Node::Int(number) => each(Data::Int(*number)),
            Node::Float(number) => each(Data::Float(*number)),
            Node::Bool(truth) => each(Data::Bool(*truth)),
            Node::Identifier(word) if word == "range" => unknown("with `range` is not evaluated"),
            Node::Identifier(word) if word == "end" => failed("not in range, nothing to end", false),
            Node::Identifier(word) => failed(format!("unrecognized identifier {word}"), kept),
            Node::Field(name) => field(&items, name),
            Node::Wildcard => self.wildcard(&items),
            Node::Recursive => {
                let mut found = Vec::new();
                items.iter().try_for_each(|item| self.descend(item, &mut found))?;
                Ok(found)
            }
            Node::Slice(slice) => self.slices(&items, *slice),
            Node::Union(lists) => {
                let mut found = Vec::new();
                for list in lists {
                    let part = self.steps(items.clone(), list);
                    found.extend(part.map_err(|failure| Failure { kept, ..failure })?);
                }
                Ok(found)
            }
            Node::Filter { left, operator, right } => self.filter(&items, left, operator.as_deref(), right),
        }
    }

    /// Returns the elements of a map or list; nothing for other values.
    fn inside(&mut self, item: &Item) -> Result<Vec<Item>, Failure> {
        let found: Vec<Item> = match &item.value.data {
            Data::Map(map) => {
                self.maps += 1;
                let depth = item.branch.as_ref().map_or(0, |branch| branch.depth + 1);
                let branch = |entry| Branch { map: self.maps, entry, depth, parent: item.branch.clone() };
                let entries = map.iter().enumerate();
                entries.map(|(i, e)| Item { value: e.value.clone(), branch: Some(Arc::new(branch(i))) }).collect()
            }
            Data::List(list) => list.iter().map(|value| item.beside(value)).collect(),
            // The library looks into the fields of Go's type.
            Data::Time(_) => return unknown(NOT_EVALUATED),
            _ => Vec::new(),
        };
        self.visit(found.len())?;
        Ok(found)
    }

    fn wildcard(&mut self, items: &[Item]) -> Found {
        let mut found = Vec::new();
        for item in items {
            // The library takes text apart into bytes.
            if matches!(&item.value.data, Data::Str(text) if !text.is_empty()) {
                return unknown(NOT_EVALUATED);
            }
            found.extend(self.inside(item)?);
        }
        Ok(found)
    }

    /// A value that is not empty, and everything inside of it that is not.
    fn descend(&mut self, item: &Item, found: &mut Vec<Item>) -> Result<(), Failure> {
        if matches!(&item.value.data, Data::Str(text) if !text.is_empty()) {
            found.push(item.clone());
            return Ok(());
        }
        let inside = self.inside(item)?;
        if !inside.is_empty() {
            found.push(item.clone());
        }
        inside.iter().try_for_each(|item| self.descend(item, found))
    }

    fn slices(&mut self, items: &[Item], slice: Slice) -> Found {
        let mut found = Vec::new();
        for item in items {
            match &item.value.data {
                Data::Null if self.is_nothing => {
                    let panic = Stop::Panicked("reflect: call of reflect.Value.Type on zero Value");
                    return Err(Failure { stop: panic, kept: false });
                }
                Data::Null => {}
                Data::List(list) => match taken(list, slice) {
                    Ok(Some(taken)) => {
                        self.visit(taken.len())?;
                        found.extend(taken.into_iter().map(|value| item.beside(value)));
                    }
                    // The library then forgets the lists that follow.
                    Ok(None) if items.len() > 1 && item.branch.is_some() => return unknown(RANDOM),
                    Ok(None) => return Ok(found),
                    Err(message) => return failed(message, true),
                },
                _ => {
                    let shown = format::type_name(&item.value.clone().into());
                    return failed(format!("{shown} is not array or slice"), true);
                }
            }
        }
        Ok(found)
    }

    fn filter(&mut self, items: &[Item], left: &[Node], operator: Option<&str>, right: &[Node]) -> Found {
        let mut found = Vec::new();
        for outer in items {
            let Data::List(list) = &outer.value.data else {
                let nothing = "<invalid reflect.Value>".to_owned();
                let is_invalid = self.is_nothing && outer.value.is_null();
                let shown = if is_invalid { nothing } else { format::print_data(&outer.value.data) };
                return failed(format!("{shown} is not array or slice and cannot be filtered"), true);
            };
            for value in list.iter() {
                let item = outer.beside(value);
                let lefts = self.steps(vec![item.clone()], left);
                let Some(operator) = operator else {
                    let is_there = match lefts {
                        Ok(lefts) => !lefts.is_empty(),
                        Err(Failure { stop: Stop::Failed(_), kept }) => kept,
                        Err(failure) => return Err(failure),
                    };
                    found.extend(is_there.then_some(item));
                    continue;
                };
                let Some(left) = side(lefts)? else { continue };
                let Some(right) = side(self.steps(vec![item.clone()], right))? else { continue };
                match compare(operator, &left.data, &right.data) {
                    Ok(true) => found.push(item),
                    Ok(false) => {}
                    Err(message) => return failed(message, !found.is_empty()),
                }
            }
        }
        Ok(found)
    }
}

/// The single value of one side of a comparison, if there is any.
fn side(found: Found) -> Result<Option<Value>, Failure> {
    let mut found = found.map_err(|failure| Failure { kept: true, ..failure })?;
    if found.len() > 1 {
        return failed("can only compare one element at a time", true);
    }
    Ok(found.pop().map(|item| item.value))
}

/// The values under a key; at least one of the maps must have it.
fn field(items: &[Item], name: &str) -> Found {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for item in items {
        match &item.value.data {
            Data::Map(map) => found.extend(map.get(name).map(|value| item.beside(value))),
            Data::Time(_) => return unknown(NOT_EVALUATED),
            _ => {}
        }
    }
    if found.is_empty() { failed(format!("{name} is not found"), false) } else { Ok(found) }
}

/// Returns the items of a slice; `None` if it selects no items at all.
fn taken(list: &[Value], slice: Slice) -> Result<Option<Vec<&Value>>, String> {
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let start = if slice.start < 0 { slice.start + length } else { slice.start };
    let end = match slice.end {
        None => length,
        Some(end) if end < 0 || (end == 0 && slice.is_single) => end + length,
        Some(end) => end,
    };
    if start == end {
        return Ok(None);
    }
    let out_of_bounds = |index: i64| Err(format!("array index out of bounds: index {index}, length {length}"));
    if start >= length || start < 0 {
        return out_of_bounds(start);
    }
    if end > length || end < 0 {
        return out_of_bounds(end.wrapping_sub(1));
    }
    if start > end {
        return Err(format!("starting index {start} is greater than ending index {end}"));
    }
    let step = slice.step.unwrap_or(1);
    if step <= 0 {
        return Err("step must be > 0".to_owned());
    }
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    let items = &list[usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0)];
    Ok(Some(items.iter().step_by(step).collect()))
}

/// Compares as the comparison functions of templates do: numbers with numbers of the same kind alone.
fn compare(operator: &str, left: &Data, right: &Data) -> Result<bool, String> {
    let is_basic =
        |data: &Data| matches!(data, Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Str(_));
    if !matches!(operator, "<" | ">" | "==" | "!=" | "<=" | ">=") {
        return Err(format!("unrecognized filter operator {operator}"));
    }
    if !is_basic(left) || !is_basic(right) {
        return Err("invalid type for comparison".to_owned());
    }
    let order = match (left, right) {
        (Data::Bool(_), Data::Bool(_)) if !matches!(operator, "==" | "!=") => {
            return Err("invalid type for comparison".to_owned());
        }
        (Data::Bool(a), Data::Bool(b)) => Some(a.cmp(b)),
        (Data::Int(a), Data::Int(b)) => Some(a.cmp(b)),
        (Data::Uint(a), Data::Uint(b)) => Some(a.cmp(b)),
        // Such a number is larger than all signed ones.
        (Data::Int(_), Data::Uint(_)) => Some(Ordering::Less),
        (Data::Uint(_), Data::Int(_)) => Some(Ordering::Greater),
        (Data::Float(a), Data::Float(b)) => a.partial_cmp(b),
        (Data::Str(a), Data::Str(b)) => Some(a.cmp(b)),
        _ => return Err("incompatible types for comparison".to_owned()),
    };
    let (less, equal) = (order == Some(Ordering::Less), order == Some(Ordering::Equal));
    Ok(match operator {
        "<" => less,
        "<=" => less || equal,
        ">" => !(less || equal),
        ">=" => !less,
        "==" => equal,
        _ => !equal,
    })
}
