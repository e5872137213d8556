//! Which locals texts read, found without rendering them.

use crate::dialects::atmos::templates::engine::Parsed;
use crate::text::Text;
use crate::value::{Data, Flags, Key, Map, Value, has_template};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The locals that texts read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Uses {
    pub(crate) names: BTreeSet<Key>,
    /// Names that are read with `index` or its like.
    pub(crate) indexed: BTreeSet<Key>,
    /// Some text may read any of them.
    pub(crate) unsure: bool,
}

impl Uses {
    /// Adds what the texts of a map read, keys among them; `parse` reads the template of a text.
    pub(crate) fn add_map(&mut self, map: &Map, parse: &dyn Fn(&str) -> Parsed) {
        let _ = each_text(map, &mut |text| {
            self.add_text(text, &parse(text));
            ControlFlow::Continue(())
        });
    }

    /// Adds what texts in the values of a map read, until all `names` are read; whether they are.
    pub(crate) fn add_until_all(&mut self, map: &Map, names: &Map, parse: &dyn Fn(&str) -> Parsed) -> bool {
        let add = &mut |text: &Text| {
            self.add_text(text, &parse(text));
            let is_read = names.iter().all(|entry| self.names.contains(&entry.key));
            if is_read { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        each_text(map, add).is_break()
    }

    /// Adds what the texts in a value read.
    pub(crate) fn add_value(&mut self, value: &Value, parse: &dyn Fn(&str) -> Parsed) {
        let _ = each_text_in(value, &mut |text| {
            self.add_text(text, &parse(text));
            ControlFlow::Continue(())
        });
    }

    fn add_text(&mut self, text: &str, parsed: &Parsed) {
        let Ok(template) = parsed.as_ref() else {
            self.unsure = true;
            return;
        };
        let reads = template.reads();
        let is_any = |path: &Vec<String>| path.is_empty() || path.len() == 1 && path[0] == "locals";
        self.unsure |= !reads.complete || reads.whole.iter().any(is_any);
        for reference in &reads.references {
            if let [first, name, ..] = reference.path.as_slice()
                && first == "locals"
            {
                if !is_field(&text[reference.span.clone()], name) && !self.indexed.contains(name.as_str()) {
                    self.indexed.insert(Key::from(name.as_str()));
                }
                if !self.names.contains(name.as_str()) {
                    self.names.insert(Key::from(name.as_str()));
                }
            }
        }
    }
}

/// Whether a reference names a field with a dot before it.
fn is_field(reference: &str, name: &str) -> bool {
    reference.match_indices(name).any(|(at, _)| reference[..at].ends_with('.'))
}

/// Calls `f` for every text with template actions, keys among them, until it breaks.
fn each_text(map: &Map, f: &mut dyn FnMut(&Text) -> ControlFlow<()>) -> ControlFlow<()> {
    if !map.flags().has(Flags::TEMPLATE) {
        return ControlFlow::Continue(());
    }
    for entry in map.iter() {
        if has_template(&entry.key) {
            f(&entry.key)?;
        }
        each_text_in(&entry.value, f)?;
    }
    ControlFlow::Continue(())
}

fn each_text_in(value: &Value, f: &mut dyn FnMut(&Text) -> ControlFlow<()>) -> ControlFlow<()> {
    match &value.data {
        Data::Str(text) if has_template(text) => f(text),
        Data::List(items) if value.holds(Flags::TEMPLATE) => items.iter().try_for_each(|v| each_text_in(v, f)),
        Data::Map(map) => each_text(map, f),
        _ => ControlFlow::Continue(()),
    }
}
