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

/// Returns a value as JSON, without a line end.
///
/// # Errors
/// Those of the value.
pub(crate) fn to_vec(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Indented::default()))?;
    Ok(out)
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

/// Indents like `serde_json::ser::PrettyFormatter`, which takes one write for each level.
#[derive(Default)]
struct Indented {
    level: usize,
    /// Whether the collection that was written last is not empty.
    has_value: bool,
}

impl Indented {
    /// Begins a line, after a comma if it is not the first one of a collection.
    fn line<W: ?Sized + Write>(&self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(&NEXT_LINE[usize::from(is_first)..2 + self.level.min(LEVELS) * WIDTH])?;
        (LEVELS..self.level).try_for_each(|_| out.write_all(&[b' '; WIDTH]))
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
        #[test]
        fn it_is_the_usual_format(value in json(), depth in 0..40_usize) {
            let value = (0..depth).fold(value, |inner, i| if i % 2 == 0 { vec![inner].into() } else { serde_json::json!({ "k": inner }) });
            let expected = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(String::from_utf8(to_vec(&value).unwrap()).unwrap(), expected.clone());
            let mut out = Vec::new();
            write(&mut out, &value).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected + "\n");
        }
    }
}
