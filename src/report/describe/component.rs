//! One component as data and as text: its input variables first.

use super::{Components, rows};
use crate::diff::mask;
use crate::files::Files;
use crate::report::RenderOptions;
use crate::report::indented_json;
use crate::report::text::style::{self, Theme, count};
use crate::report::text::value;
use crate::resolution::{Address, Component, Placed, Unit};
use crate::value::{Data, Entry, Map, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::io;
use std::sync::Arc;

/// Values below this many others are written in one line.
const MAX_DEPTH: usize = 64;

/// The configuration of a component, the section with its input variables first.
pub(super) struct Ordered<'a>(pub &'a Component);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(sections) = self.0.value.as_map() else { return self.0.value.serialize(serializer) };
        let mut map = serializer.serialize_map(Some(sections.len()))?;
        for entry in inputs_first(self.0, sections) {
            map.serialize_entry(&*entry.key, &entry.value)?;
        }
        map.end()
    }
}

/// The sections of a component, the one with its input variables first.
pub(super) fn inputs_first<'a>(component: &Component, sections: &'a Map) -> impl Iterator<Item = &'a Entry> {
    let inputs = component.language.vocabulary.inputs;
    let is_first = move |entry: &&Entry| &*entry.key == inputs;
    sections.iter().filter(is_first).chain(sections.iter().filter(move |entry| !is_first(entry)))
}

/// One component that is described.
pub(crate) struct Described<'a> {
    pub address: &'a Address,
    /// Its configuration.
    pub placed: &'a Placed,
    /// The files that its values come from.
    pub files: &'a Files,
    /// Whether to show the values that its values replaced.
    pub history: bool,
}

impl Described<'_> {
    /// Writes the configuration as text, with the place of every value to the right of it, or below it if there is no
    /// space.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_text(&self, out: &mut dyn io::Write, options: &RenderOptions) -> io::Result<()> {
        let theme = Theme::new(options.color);
        let (stack, kind, name) = self.address;
        let kind = theme.dim(&format!("({}) in", style::escape(kind)));
        writeln!(out, "{} {kind} {}\n", theme.bold(&style::escape(name)), theme.bold(&style::escape(stack)))?;
        let component = &self.placed.component;
        let inputs = component.language.vocabulary.inputs;
        let lines =
            value::component(&mask::masked(&component.value, self.files), inputs, self.history, options, self.files);
        let widest = lines.iter().filter(|l| l.place.is_some()).map(|l| style::width(&l.text)).max().unwrap_or(0);
        // Places are aligned in one column, unless the values are too wide.
        let column = (widest + 2).min(options.width.saturating_sub(40).max(30));
        for line in lines {
            let text = if line.is_past { theme.dim(&line.text) } else { line.text.clone() };
            let Some(place) = line.place.map(|place| format!("# {place}")) else {
                writeln!(out, "{text}")?;
                continue;
            };
            let used = style::width(&line.text);
            let pad = column.saturating_sub(used).max(2);
            let separator = if used + pad + style::width(&place) <= options.width {
                " ".repeat(pad)
            } else if used + 2 + style::width(&place) <= options.width {
                " ".repeat(options.width - used - style::width(&place))
            } else {
                let indent = line.text.len() - line.text.trim_start_matches(' ').len();
                format!("\n{}", " ".repeat(indent + 2))
            };
            writeln!(out, "{text}{separator}{}", theme.dim(&place))?;
        }
        Ok(())
    }

    /// Writes the configuration as JSON, and a line end.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        indented_json::write(out, &Ordered(&self.placed.component))
    }

    /// Writes the configuration as YAML.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_yaml(&self, out: &mut dyn io::Write) -> io::Result<()> {
        yaml_serde::to_writer(out, &Ordered(&self.placed.component)).map_err(io::Error::other)
    }

    /// Writes a line for each value: its stack, type, component and path, the value, and where it was set.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_concise(&self, out: &mut dyn io::Write, options: &RenderOptions) -> io::Result<()> {
        let component = &self.placed.component;
        let (stack, kind, name) = self.address;
        let prefix = format!("{} {} {}", style::escape(stack), style::escape(kind), style::escape(name));
        let masked = mask::masked(&component.value, self.files);
        let Some(sections) = masked.as_map() else { return Ok(()) };
        let inputs = component.language.vocabulary.inputs;
        let (first, others): (Vec<_>, Vec<_>) = sections.iter().partition(|entry| &*entry.key == inputs);
        let mut lines = Leaves { prefix, files: self.files, options, out };
        for entry in first.into_iter().chain(others) {
            let secret = mask::is_secret_in(sections, false, &entry.key);
            lines.write(&value::key(&entry.key), &entry.value, secret, 0)?;
        }
        Ok(())
    }
}

/// The writer of a line for each value.
struct Leaves<'a, 'o> {
    prefix: String,
    files: &'a Files,
    options: &'a RenderOptions,
    out: &'o mut dyn io::Write,
}

impl Leaves<'_, '_> {
    fn write(&mut self, path: &str, value: &Value, secret: bool, depth: usize) -> io::Result<()> {
        match &value.data {
            Data::Map(map) if !map.is_empty() && depth < MAX_DEPTH && !value.is_sensitive() => {
                for entry in map.iter() {
                    let secret = mask::is_secret_in(map, secret, &entry.key);
                    self.write(&format!("{path}.{}", value::key(&entry.key)), &entry.value, secret, depth + 1)?;
                }
                Ok(())
            }
            _ => {
                let place = value.prov.origin.map_or_else(String::new, |origin| {
                    let file = self.files.get(origin.file);
                    format!(" # {}:{}", style::escape(&file.path), file.line(origin.key))
                });
                let shown = value::inline(value, secret, self.options);
                writeln!(self.out, "{} {path}: {shown}{place}", self.prefix)
            }
        }
    }
}

/// Writes the addresses of what the code of a component makes of its values, by kind.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_made(out: &mut dyn io::Write, units: &[Arc<Unit>], options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let mut kind = None;
    let mut all: Vec<&Component> = units.iter().flat_map(|unit| &unit.components).map(|c| &**c).collect();
    all.sort_by(|a, b| (&a.kind, &a.name).cmp(&(&b.kind, &b.name)));
    for component in all {
        if kind != Some(&component.kind) {
            writeln!(out, "\n{}", theme.bold(&format!("{} (made by its code)", style::escape(&component.kind))))?;
            kind = Some(&component.kind);
        }
        writeln!(out, "  {}", style::escape(&component.name))?;
    }
    Ok(())
}

/// Writes a line for each component: its stack, its type and its name.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_concise(out: &mut dyn io::Write, components: &Components) -> io::Result<()> {
    components.keys().try_for_each(|(stack, kind, name)| {
        writeln!(out, "{} {} {}", style::escape(stack), style::escape(kind), style::escape(name))
    })
}

/// A stack that has a component.
#[derive(Serialize)]
struct Instance<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
}

fn instances(components: &Components) -> Vec<Instance<'_>> {
    components.keys().map(|(stack, kind, name)| Instance { stack, r#type: kind, component: name }).collect()
}

/// Writes the stacks that have components of these names, as text.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_instances(
    out: &mut dyn io::Write,
    components: &Components,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let mut rows = rows(components);
    rows.sort_by(|a, b| (&a.0.2, &a.0.1, &a.0.0).cmp(&(&b.0.2, &b.0.1, &b.0.0)));
    for (i, same) in rows.chunk_by(|a, b| (&a.0.1, &a.0.2) == (&b.0.1, &b.0.2)).enumerate() {
        let (_, kind, name) = same[0].0;
        let title = theme.dim(&format!("({}) in {}", style::escape(kind), count(same.len(), "stack")));
        writeln!(out, "{}{} {title}", if i > 0 { "\n" } else { "" }, theme.bold(&style::escape(name)))?;
        same.iter().try_for_each(|row| writeln!(out, "  {}", style::escape(&row.0.0)))?;
    }
    Ok(())
}

/// Writes the same as JSON, and a line end. `schemas/component-stacks.json` describes it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_instances_json(out: &mut dyn io::Write, components: &Components) -> io::Result<()> {
    indented_json::write(out, &instances(components))
}

/// Writes the same as YAML.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_instances_yaml(out: &mut dyn io::Write, components: &Components) -> io::Result<()> {
    yaml_serde::to_writer(out, &instances(components)).map_err(io::Error::other)
}
