//! Values as JSON in the format of [`super::indented_json`], for very many of them: lists and maps that several values share are
//! formatted once, and text is copied if nothing in it has to be escaped.

use super::indented_json::line;
use crate::text::{FastMap, first_eight};
use crate::value::json::MAX_DEPTH;
use crate::value::{Data, Map, Value};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Shorter text is not worth remembering.
const MIN_SHARED: usize = 64;

/// JSON that is written piece by piece into memory.
pub(crate) struct ValueWriter {
    out: Vec<u8>,
    level: usize,
    /// The level below which no value is written.
    deepest: usize,
    /// Whether the collection that is being written is empty so far.
    is_empty: bool,
    /// Where lists and maps were written, by their addresses and levels: values stay where they are as long as the writer lives.
    written: FastMap<(usize, usize), Range<usize>>,
}

impl ValueWriter {
    /// A writer of the entries of an object at the given `level` of nesting, the first of which begins a line. Reserves
    /// `room` bytes.
    pub(crate) fn entries(level: usize, room: usize) -> Self {
        ValueWriter {
            out: Vec::with_capacity(room),
            level,
            deepest: level,
            is_empty: true,
            written: FastMap::default(),
        }
    }

    /// What was written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Writes an entry of an object.
    ///
    /// # Errors
    /// Those of `value`, which writes its value.
    pub(crate) fn entry(&mut self, key: &str, value: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.item()?;
        self.text(key)?;
        self.out.extend_from_slice(b": ");
        value(self)
    }

    /// Writes an object.
    ///
    /// # Errors
    /// Those of `entries`, which writes its entries.
    pub(crate) fn object(&mut self, entries: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.collection([b'{', b'}'], entries)
    }

    /// Writes a value.
    ///
    /// # Errors
    /// The value is nested too deeply.
    pub(crate) fn value(&mut self, value: &Value) -> io::Result<()> {
        self.deepest = self.level + MAX_DEPTH as usize;
        self.nested(value)
    }

    fn nested(&mut self, value: &Value) -> io::Result<()> {
        if self.level > self.deepest {
            return Err(io::Error::other(format!("a value is nested more than {MAX_DEPTH} levels deep")));
        }
        match &value.data {
            Data::Null => self.out.extend_from_slice(b"null"),
            Data::Str(text) => self.text(text)?,
            Data::Map(map) => {
                self.shared(Arc::strong_count(map), Arc::as_ptr(map).addr(), |json| json.map(map))?;
            }
            Data::List(items) => {
                let list = |json: &mut Self| json.collection([b'[', b']'], |json| json.items(items));
                self.shared(Arc::strong_count(items), Arc::as_ptr(items).addr(), list)?;
            }
            Data::Unknown(unknown) => match &unknown.assumed {
                Some(assumed) => self.nested(assumed)?,
                None => self.text(&unknown.text)?,
            },
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Time(_) => {
                serde_json::to_writer(&mut self.out, value)?;
            }
        }
        Ok(())
    }

    fn map(&mut self, map: &Map) -> io::Result<()> {
        self.object(|json| map.iter().try_for_each(|entry| json.entry(&entry.key, |json| json.nested(&entry.value))))
    }

    fn items(&mut self, items: &[Value]) -> io::Result<()> {
        items.iter().try_for_each(|item| {
            self.item()?;
            self.nested(item)
        })
    }

    /// Writes a collection with this many owners, or copies it if it was written at the same level before.
    fn shared(
        &mut self,
        owners: usize,
        address: usize,
        write: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        if owners == 1 {
            return write(self);
        }
        if let Some(known) = self.written.get(&(address, self.level)) {
            self.out.extend_from_within(known.clone());
            return Ok(());
        }
        let start = self.out.len();
        write(self)?;
        if self.out.len() - start >= MIN_SHARED {
            self.written.insert((address, self.level), start..self.out.len());
        }
        Ok(())
    }

    fn collection(
        &mut self,
        [start, end]: [u8; 2],
        content: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.out.push(start);
        self.level += 1;
        let is_empty = std::mem::replace(&mut self.is_empty, true);
        content(self)?;
        self.level -= 1;
        if !std::mem::replace(&mut self.is_empty, is_empty) {
            line(&mut self.out, self.level, true)?;
        }
        self.out.push(end);
        Ok(())
    }

    /// Begins an item of a collection.
    fn item(&mut self) -> io::Result<()> {
        let is_first = std::mem::replace(&mut self.is_empty, false);
        line(&mut self.out, self.level, is_first)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if needs_escapes(text) {
            return Ok(serde_json::to_writer(&mut self.out, text)?);
        }
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
        Ok(())
    }
}

/// Whether text holds a control character, a quote or a backslash. It looks at eight bytes at a time.
fn needs_escapes(text: &str) -> bool {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // A byte of the result has its highest bit set if one of `eight` is below `limit`, which is at most 128.
    let below = |eight: u64, limit: u64| eight.wrapping_sub(LOW * limit) & !eight;
    let is_special = |eight: u64| {
        let is = |byte: u8| below(eight ^ u64::from_ne_bytes([byte; 8]), 1);
        (below(eight, 0x20) | is(b'"') | is(b'\\')) & HIGH != 0
    };
    let bytes = text.as_bytes();
    match bytes.last_chunk() {
        // The last eight bytes and those before overlap.
        Some(last) => {
            is_special(u64::from_ne_bytes(*last))
                || bytes.as_chunks().0.iter().any(|eight| is_special(u64::from_ne_bytes(*eight)))
        }
        // With spaces where there are no bytes.
        None => is_special(first_eight(bytes) | u64::from_ne_bytes([b' '; 8]) >> (8 * bytes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::indented_json;
    use crate::value::Unknown;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::default()),
            any::<bool>().prop_map(|b| Value::new(Data::Bool(b))),
            any::<i64>().prop_map(|n| Value::new(Data::Int(n))),
            any::<f64>().prop_map(|n| Value::new(Data::Float(n))),
            "[ -~\n\u{7f}-\u{ff}\u{2028}]{0,20}".prop_map(Value::str),
            "[a-z]{0,20}".prop_map(|text| Value::new(Data::Unknown(Arc::new(Unknown::new(text, ""))))),
        ];
        leaf.prop_recursive(5, 60, 4, |inner| {
            let twice = |value: Value| Value::list(vec![value.clone(), Value::list(vec![value.clone()]), value]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::list),
                prop::collection::btree_map("[a\"é]{0,10}", inner.clone(), 0..4)
                    .prop_map(|map| Value::map(map.into_iter().map(|(key, value)| (key.into(), value)).collect())),
                inner.clone().prop_map(twice),
                inner.prop_map(|value| {
                    let unknown = Unknown { assumed: Some(Box::new(value)), ..Unknown::new("x", "") };
                    Value::new(Data::Unknown(Arc::new(unknown)))
                }),
            ]
        })
    }

    fn written(value: &Value) -> io::Result<String> {
        let mut json = ValueWriter::entries(0, 0);
        json.value(value)?;
        Ok(String::from_utf8(json.into_bytes()).unwrap())
    }

    fn usual(value: &Value) -> io::Result<String> {
        let mut out = Vec::new();
        indented_json::write(&mut out, value)?;
        Ok(String::from_utf8(out).unwrap())
    }

    proptest! {
        #[test]
        fn it_is_the_usual_format(value in value()) {
            prop_assert_eq!(written(&value).unwrap() + "\n", usual(&value).unwrap());
        }

        #[test]
        fn characters_to_escape_are_found_wherever_they_are(text in "[ -~\u{0}-\u{1f}\u{7f}-\u{ff}]{0,30}") {
            let expected = serde_json::to_string(&text).unwrap().len() != text.len() + 2;
            prop_assert_eq!(needs_escapes(&text), expected);
        }
    }

    #[test]
    fn too_deep_is_an_error() {
        let deep = |levels: u32| (0..levels).fold(Value::default(), |inner, _| Value::list(vec![inner]));
        for levels in [10, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 2] {
            let value = deep(levels);
            assert_eq!(written(&value).is_ok(), usual(&value).is_ok(), "{levels}");
        }
    }
}
