//! JSON with two spaces per level: the format of `serde_json::to_writer_pretty`, in fewer writes.

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use std::io::{self, BufWriter, Write};

/// Writes a value as JSON, and a line end.
///
/// # Errors
/// Those of the writer and of the value.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    // A serializer writes a few bytes at a time.
    let mut out = BufWriter::new(out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Indented::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes an entry of an object on the first level, after a comma if it is not the first one.
///
/// # Errors
/// Those of the writer and of the value.
pub(crate) fn write_entry(
    mut out: &mut dyn Write,
    is_first: bool,
    key: &str,
    value: &impl Serialize,
) -> io::Result<()> {
    line(out, 1, is_first)?;
    serde_json::to_writer(&mut out, key)?;
    out.write_all(b": ")?;
    Ok(value.serialize(&mut Serializer::with_formatter(out, Indented { level: 1, has_value: false }))?)
}

/// How many items of a list are in memory as text.
const ITEMS_AT_ONCE: usize = 256;

/// An object that is written field by field.
pub(crate) struct Object<'w> {
    out: BufWriter<&'w mut dyn Write>,
    format: Indented,
}

impl<'w> Object<'w> {
    /// Begins the object.
    ///
    /// # Errors
    /// Those of the writer, as for all that follows.
    pub(crate) fn begin(out: &'w mut dyn Write) -> io::Result<Self> {
        let (mut out, mut format) = (BufWriter::new(out), Indented::default());
        format.begin_object(&mut out)?;
        Ok(Object { out, format })
    }

    /// Adds a field. Nothing in its name has to be escaped.
    ///
    /// # Errors
    /// Those of the value.
    pub(crate) fn field(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.key(name)?;
        let format = Indented { level: self.format.level, has_value: false };
        value.serialize(&mut Serializer::with_formatter(&mut self.out, format))?;
        self.format.end_object_value(&mut self.out)
    }

    /// Adds a list. `add` adds some of its items to others.
    ///
    /// # Errors
    /// Those of `add`.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        all: &[T],
        add: impl Fn(&mut Items, &[T]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.key(name)?;
        self.format.begin_array(&mut self.out)?;
        for (number, part) in all.chunks(ITEMS_AT_ONCE).enumerate() {
            let mut items = Items { out: Vec::new(), level: self.format.level };
            add(&mut items, part)?;
            // Each item begins with a comma, which the first of all must not.
            let comma = usize::from(number == 0);
            self.out.write_all(items.out.get(comma..).unwrap_or_default())?;
            self.format.has_value = true;
        }
        self.format.end_array(&mut self.out)?;
        self.format.end_object_value(&mut self.out)
    }

    /// Ends the object and the line.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.format.end_object(&mut self.out)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        self.format.begin_object_key(&mut self.out, !self.format.has_value)?;
        write!(self.out, "\"{name}\"")?;
        self.format.begin_object_value(&mut self.out)
    }
}

/// Items of a list that are written on their own.
pub(crate) struct Items {
    out: Vec<u8>,
    level: usize,
}

impl Items {
    /// Returns a value as an item is written.
    ///
    /// # Errors
    /// Those of the value.
    pub(crate) fn item(&self, value: &impl Serialize) -> io::Result<Vec<u8>> {
        let mut item = Vec::new();
        self.write(&mut item, value)?;
        Ok(item)
    }

    /// Adds an object with the fields of `first` and then those of `more`, which was written by [`Items::item`]. Both have some.
    ///
    /// # Errors
    /// Those of the value.
    pub(crate) fn add_joined(&mut self, first: &impl Serialize, more: &[u8]) -> io::Result<()> {
        let (format, mut out) = (self.format(), std::mem::take(&mut self.out));
        format.line(&mut out, false)?;
        self.write(&mut out, first)?;
        // The end of the first object and the start of the second one.
        out.truncate(out.len() - 1 - 1 - self.level * WIDTH);
        out.push(b',');
        out.extend_from_slice(&more[1..]);
        self.out = out;
        Ok(())
    }

    fn write(&self, out: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
        Ok(value.serialize(&mut Serializer::with_formatter(out, self.format()))?)
    }

    fn format(&self) -> Indented {
        Indented { level: self.level, has_value: false }
    }
}

/// How many levels are indented in one write.
const LEVELS: usize = 32;

/// The bytes of one level of indentation.
const WIDTH: usize = 2;

/// A comma, a line break and the indentation of [`LEVELS`].
static NEXT_LINE: [u8; 2 + LEVELS * WIDTH] = {
    let mut bytes = [b' '; 2 + LEVELS * WIDTH];
    (bytes[0], bytes[1]) = (b',', b'\n');
    bytes
};

/// Begins a line at a level, after a comma if it is not the first one of a collection.
///
/// # Errors
/// Those of the writer.
fn line<W: ?Sized + Write>(out: &mut W, level: usize, is_first: bool) -> io::Result<()> {
    out.write_all(&NEXT_LINE[usize::from(is_first)..2 + level.min(LEVELS) * WIDTH])?;
    let mut rest = level.saturating_sub(LEVELS);
    while rest > 0 {
        let levels = rest.min(LEVELS);
        out.write_all(&NEXT_LINE[2..2 + levels * WIDTH])?;
        rest -= levels;
    }
    Ok(())
}

/// Indents like `serde_json::ser::PrettyFormatter`, which takes one write for each level.
#[derive(Default)]
struct Indented {
    level: usize,
    /// Whether the collection that was written last is not empty.
    has_value: bool,
}

impl Indented {
    fn line<W: ?Sized + Write>(&self, out: &mut W, is_first: bool) -> io::Result<()> {
        line(out, self.level, is_first)
    }

    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.level += 1;
        self.has_value = false;
        out.write_all(&[bracket])
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.level -= 1;
        if self.has_value {
            self.line(out, true)?;
        }
        out.write_all(&[bracket])
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'[')
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.line(out, is_first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'{')
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.line(out, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[derive(Serialize)]
    struct Ordered<'a> {
        before: &'a Value,
        items: &'a [Value],
        none: [Value; 0],
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,3}", inner, 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(crate::fuzz::cases(64))]

        #[test]
        fn it_is_the_usual_format(value in json(), depth in 0..40_usize) {
            let value = (0..depth).fold(value, |inner, i| if i % 2 == 0 { vec![inner].into() } else { serde_json::json!({ "k": inner }) });
            let expected = serde_json::to_string_pretty(&value).unwrap();
            let mut out = Vec::new();
            write(&mut out, &value).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected + "\n");
        }

        #[test]
        fn fields_and_parts_of_lists_are_put_together(value in json(), length in 0..3 * ITEMS_AT_ONCE) {
            let items: Vec<Value> =
                (0..length).map(|number| serde_json::json!({ "number": number, "value": value, "end": [] })).collect();
            let mut out = Vec::new();
            let mut object = Object::begin(&mut out).unwrap();
            object.field("before", &value).unwrap();
            let add = |into: &mut Items, part: &[Value]| {
                part.iter().try_for_each(|item| {
                    // Sorted by their keys, as those of a map are.
                    let more = into.item(&serde_json::json!({ "number": item["number"], "value": item["value"] }))?;
                    into.add_joined(&serde_json::json!({ "end": item["end"] }), &more)
                })
            };
            object.list("items", &items, add).unwrap();
            object.list("none", &items[..0], add).unwrap();
            object.end().unwrap();
            let expected = format!(
                "{}\n",
                serde_json::to_string_pretty(&Ordered { before: &value, items: &items, none: [] }).unwrap()
            );
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
