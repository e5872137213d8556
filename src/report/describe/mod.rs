//! Resolved configuration as data and as text.

mod component;

pub(crate) use component::{
    Described, write_concise, write_instances, write_instances_json, write_instances_yaml, write_made,
};

use super::RenderOptions;
use super::log::Filter;
use super::text::style::{self, Theme};
use crate::report::indented_json;
use crate::resolution::{Address, Placed};
use crate::threads;
use crate::value::Value;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The components that are described, by address.
pub(crate) type Components = BTreeMap<Address, Placed>;

/// Writes `{stack: {"components": {type: {name: configuration}}}}` as JSON, and a line end.
pub(crate) fn write_stacks_json<W: io::Write>(out: &mut Filter<W>, components: &Components) -> io::Result<()> {
    stacks_json(out, components, false)
}

/// Writes the same as YAML.
pub(crate) fn write_stacks_yaml(out: &mut dyn io::Write, components: &Components) -> io::Result<()> {
    stacks_yaml(out, components, false)
}

/// Writes the same as JSON, in each component its input variables first.
pub(crate) fn write_ordered_json<W: io::Write>(out: &mut Filter<W>, components: &Components) -> io::Result<()> {
    stacks_json(out, components, true)
}

/// Writes the same as YAML, in each component its input variables first.
pub(crate) fn write_ordered_yaml(out: &mut dyn io::Write, components: &Components) -> io::Result<()> {
    stacks_yaml(out, components, true)
}

/// How many stacks are serialized before they are written: enough for all threads, and few of them are in memory as text.
const BATCH: usize = 16;

/// Bytes of a stack that are in memory as text. Indentation makes values that are nested deep as large as the square of their depth.
const MAX_TEXT: usize = 16 << 20;

/// Text in memory, up to [`MAX_TEXT`].
#[derive(Default)]
struct Limited {
    text: Vec<u8>,
    is_full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > MAX_TEXT {
            self.is_full = true;
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Serializes stacks on all threads, and writes them in their order: as text that went through `prepare`, but what is large directly.
fn write_stacks<W: Write>(
    out: &mut W,
    components: &Components,
    serialize: impl Fn(&mut dyn Write, usize, &[Row<'_>]) -> io::Result<()> + Sync + Send,
    prepare: impl Fn(Vec<u8>) -> Vec<u8> + Sync + Send,
    write_prepared: impl Fn(&mut W, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let rows = rows(components);
    let stacks: Vec<(usize, &[Row<'_>])> = rows.chunk_by(|a, b| a.0.0 == b.0.0).enumerate().collect();
    for batch in stacks.chunks(BATCH) {
        let texts = threads::map(batch, |(number, rows)| {
            let mut limited = Limited::default();
            match serialize(&mut limited, *number, rows) {
                Err(_) if limited.is_full => Ok(None),
                result => result.map(|()| Some(prepare(limited.text))),
            }
        });
        for ((number, rows), text) in batch.iter().zip(texts) {
            match text? {
                Some(text) => write_prepared(out, &text)?,
                None => {
                    let mut out = io::BufWriter::new(&mut *out);
                    serialize(&mut out, *number, rows)?;
                    out.flush()?;
                }
            }
        }
    }
    Ok(())
}

fn stacks_json<W: io::Write>(out: &mut Filter<W>, components: &Components, ordered: bool) -> io::Result<()> {
    if components.is_empty() {
        return writeln!(out, "{{}}");
    }
    out.write_all(b"{")?;
    let screen = out.screen();
    let serialize = |out: &mut dyn Write, number: usize, rows: &[Row<'_>]| {
        indented_json::write_entry(out, number == 0, &rows[0].0.0, &Sections(rows, ordered))
    };
    write_stacks(out, components, serialize, |text| screen.safe(text), Filter::write_screened)?;
    out.write_all(b"\n}\n")
}

fn stacks_yaml(mut out: &mut dyn io::Write, components: &Components, ordered: bool) -> io::Result<()> {
    if components.is_empty() {
        return writeln!(out, "{{}}");
    }
    let serialize = |out: &mut dyn Write, _: usize, rows: &[Row<'_>]| {
        yaml_serde::to_writer(out, &Stacks(rows, ordered)).map_err(io::Error::other)
    };
    write_stacks(&mut out, components, serialize, |text| text, |out, text| out.write_all(text))
}

/// Writes a value as JSON, and a line end.
pub(crate) fn write_value_json(out: &mut dyn io::Write, value: &Value) -> io::Result<()> {
    indented_json::write(out, value)
}

pub(crate) fn write_value_yaml(out: &mut dyn io::Write, value: &Value) -> io::Result<()> {
    yaml_serde::to_writer(out, value).map_err(io::Error::other)
}

/// Writes a table: stacks, below them types, below them components with the root module or chart that they use and the
/// number of their variables.
pub(crate) fn write_stacks_text(
    out: &mut dyn io::Write,
    components: &Components,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let rows = rows(components);
    let name_width = rows.iter().map(|r| style::width(&style::escape(&r.0.2))).max().unwrap_or(0).min(48);
    for (i, stack) in rows.chunk_by(|a, b| a.0.0 == b.0.0).enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", theme.bold(&style::escape(&stack[0].0.0)))?;
        for kind in stack.chunk_by(|a, b| a.0.1 == b.0.1) {
            writeln!(out, "  {}", theme.dim(&style::escape(&kind[0].0.1)))?;
            for (address, placed) in kind {
                let name = style::escape(&address.2);
                let configuration = &placed.component.value;
                let vars = configuration
                    .get(placed.component.language.vocabulary.inputs)
                    .and_then(Value::as_map)
                    .map(|m| m.len());
                let root = configuration.get("component").and_then(Value::as_str).filter(|c| **c != *address.2);
                let root = root.map(|c| format!("  {}", theme.dim(&format!("from {}", style::escape(c)))));
                let pad = " ".repeat(name_width.saturating_sub(style::width(&name)));
                let vars = vars.map(|n| {
                    let plural = if n == 1 { "" } else { "s" };
                    format!("{pad}  {}", theme.dim(&format!("{n:>3} var{plural}")))
                });
                writeln!(out, "    {}{}{}", theme.path(&name), vars.unwrap_or_default(), root.unwrap_or_default())?;
            }
        }
    }
    let stacks = rows.chunk_by(|a, b| a.0.0 == b.0.0).count();
    let total = format!("{} in {}", style::count(rows.len(), "component"), style::count(stacks, "stack"));
    writeln!(out, "{}{}", if rows.is_empty() { "" } else { "\n" }, theme.dim(&total))
}

type Row<'a> = (&'a Address, &'a Placed);

fn rows(components: &Components) -> Vec<Row<'_>> {
    components.iter().collect()
}

/// Rows, and whether the input variables of each component come first.
struct Stacks<'a>(&'a [Row<'a>], bool);
struct Sections<'a>(&'a [Row<'a>], bool);
struct Types<'a>(&'a [Row<'a>], bool);
struct Names<'a>(&'a [Row<'a>], bool);

impl Serialize for Stacks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stacks = self.0.chunk_by(|a, b| a.0.0 == b.0.0);
        serializer.collect_map(stacks.map(|rows| (&*rows[0].0.0, Sections(rows, self.1))))
    }
}

impl Serialize for Sections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("components", &Types(self.0, self.1))?;
        map.end()
    }
}

impl Serialize for Types<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let types = self.0.chunk_by(|a, b| a.0.1 == b.0.1);
        serializer.collect_map(types.map(|rows| (&*rows[0].0.1, Names(rows, self.1))))
    }
}

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (address, placed) in self.0 {
            match self.1 {
                true => map.serialize_entry(&*address.2, &component::Ordered(&placed.component))?,
                false => map.serialize_entry(&*address.2, &placed.component.value)?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::fixture::{HEAD, resolution};
    use crate::files::Files;
    use crate::report::log::OutputKind;
    use crate::resolution::Component;
    use crate::text::Text;
    use crate::value::Key;

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).expect("memory can be written to");
        String::from_utf8(out).expect("the text is UTF-8")
    }

    #[test]
    fn a_large_stack_is_written_between_others() {
        let files = Files::default();
        let placed = resolution(&files, HEAD).components().into_values().next().expect("the fixture has components");
        let large = |mut placed: Placed| {
            let text = Value::str("x".repeat(MAX_TEXT));
            let map = [(Key::from("large"), text)].into_iter().collect();
            placed.component = Component { value: Value::map(map), ..(*placed.component).clone() }.into();
            placed
        };
        let components: Components = ["a", "b", "c"]
            .map(|stack| {
                let address = (Text::from(stack), Text::from("kind"), Text::from("name"));
                (address, if stack == "b" { large(placed.clone()) } else { placed.clone() })
            })
            .into();
        let whole = Stacks(&rows(&components), false);
        let json = |out: &mut Vec<u8>| {
            let mut out = Filter::new(out, OutputKind::Json);
            stacks_json(&mut out, &components, false)?;
            out.flush()
        };
        assert!(written(json) == serde_json::to_string_pretty(&whole).expect("it is JSON") + "\n");
        let yaml = written(|out| stacks_yaml(out, &components, false));
        assert!(yaml == yaml_serde::to_string(&whole).expect("it is YAML"));
    }

    #[test]
    fn stacks_that_are_serialized_apart_are_one_document() {
        let files = Files::default();
        let placed = resolution(&files, HEAD).components().into_values().next().expect("the fixture has components");
        // More stacks than a batch holds, with names that have to be quoted.
        let address = |n: usize| (Text::from(format!("{n}: 'é\\ #")), Text::from("kind"), Text::from("name"));
        for count in [0, 1, 2, BATCH, 3 * BATCH + 1] {
            let components: Components = (0..count).map(|n| (address(n), placed.clone())).collect();
            for ordered in [false, true] {
                let rows = rows(&components);
                let whole = Stacks(&rows, ordered);
                let expected = serde_json::to_string_pretty(&whole).expect("it is JSON") + "\n";
                let json = |out: &mut Vec<u8>| {
                    let mut out = Filter::new(out, OutputKind::Json);
                    stacks_json(&mut out, &components, ordered)?;
                    out.flush()
                };
                assert_eq!(written(json), expected);
                assert_eq!(
                    written(|out| stacks_yaml(out, &components, ordered)),
                    yaml_serde::to_string(&whole).expect("it is YAML")
                );
            }
        }
    }
}
