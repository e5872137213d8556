//! Values with other content: made without recursion, because the depth of a value is the choice of files.

use super::{Data, Prov, Value};
use std::sync::Arc;

/// A list or map whose content is being made.
struct Open<'a> {
    source: &'a Value,
    made: Vec<Value>,
}

impl Value {
    /// The value with others in place of those for which `replace` returns one, and with another provenance of all others. What is
    /// inside of a value that is replaced is not looked at.
    #[must_use]
    pub fn rebuilt(&self, mut replace: impl FnMut(&Value) -> Option<Value>, prov: impl Fn(&Prov) -> Prov) -> Value {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = self;
        loop {
            let mut made = match replace(next) {
                Some(value) => value,
                None => {
                    if let Some(first) = next.child(0) {
                        open.push(Open { source: next, made: Vec::new() });
                        next = first;
                        continue;
                    }
                    Value { data: next.data.clone(), prov: prov(&next.prov) }
                }
            };
            next = loop {
                let Some(mut last) = open.pop() else { return made };
                last.made.push(made);
                if let Some(child) = last.source.child(last.made.len()) {
                    open.push(last);
                    break child;
                }
                made = Value { data: last.source.with_content(last.made), prov: prov(&last.source.prov) };
            };
        }
    }

    /// The value at a position of a list or map.
    fn child(&self, number: usize) -> Option<&Value> {
        match &self.data {
            Data::List(items) => items.get(number),
            Data::Map(map) => map.iter().as_slice().get(number).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The same list, or a map with the same keys, of other values.
    fn with_content(&self, values: Vec<Value>) -> Data {
        match &self.data {
            Data::Map(map) => Data::Map(Arc::new(map.iter().map(|entry| entry.key.clone()).zip(values).collect())),
            _ => Data::List(Arc::new(values)),
        }
    }
}
