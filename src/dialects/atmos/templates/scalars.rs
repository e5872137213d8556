//! Renders the strings of a map one by one if the result is the same as for the whole text: nearly always, and at a
//! fraction of the cost.

use super::engine::Engine;
use super::values_read::values_read;
use crate::limits::{Limit, Limits};
use crate::template;
use crate::text::Text;
use crate::value::{Data, Entry, Flags, Map, Prov, Unknown, Value, has_template};
use crate::yaml::Style;
use std::sync::Arc;

/// What the parts of one map took together: they may take what one template may, because Atmos renders them as one.
struct Work {
    limits: Limits,
    steps: u64,
    output: usize,
}

impl Work {
    /// Counts a run; `None` if that is too much.
    fn add(&mut self, rendered: &template::Rendered) -> Option<()> {
        self.steps = self.steps.saturating_add(rendered.steps);
        self.output = self.output.saturating_add(rendered.text.len());
        let fits = self.steps <= self.limits.get(Limit::TemplateSteps)
            && self.output <= self.limits.count(Limit::TemplateOutput);
        fits.then_some(())
    }
}

impl Engine<'_> {
    /// Renders the strings of a map one by one; `None` if the result may differ from that for the whole map.
    pub(super) fn in_parts(&self, map: &Arc<Map>, data: &Value, rounds: usize) -> Option<Arc<Map>> {
        let mut rendered = Arc::clone(map);
        self.renderings(map, data, rounds)?.put_into(&mut rendered);
        Some(rendered)
    }

    /// Returns the rendered strings of a map; `None` if the result may differ from that for the whole map.
    pub(crate) fn renderings(&self, map: &Map, data: &Value, rounds: usize) -> Option<Renderings> {
        let simple = rounds == 1 && self.delimiters.0 == "{{" && !map.flags().has(Flags::NOT_YAML_STABLE);
        let mut work = Work { limits: self.templates.limits(), steps: 0, output: 0 };
        simple.then(|| self.parts(map, data, 0, &mut work)).flatten()
    }

    fn parts(&self, map: &Map, data: &Value, indent: usize, work: &mut Work) -> Option<Renderings> {
        if !map.flags().has(Flags::TEMPLATE) {
            return Some(Renderings(Vec::new()));
        }
        let mut parts = Vec::with_capacity(map.len());
        for (i, Entry { key, value }) in map.iter().enumerate() {
            if has_template(key) {
                return None;
            }
            match &value.data {
                Data::Map(m) if m.flags().has(Flags::TEMPLATE) => {
                    parts.push((i, Part::Inside(self.parts(m, data, indent + 2, work)?)));
                }
                Data::Str(text) if has_template(text) => {
                    parts.push((i, Part::Value(self.scalar(text, &value.prov, data, indent + 2, work)?)));
                }
                Data::List(_) if value.holds(Flags::TEMPLATE) => {
                    parts.push((i, Part::Value(self.item(value, data, indent + 2, work)?.into())));
                }
                _ => {}
            }
        }
        Some(Renderings(parts))
    }

    /// Renders one value of a map or list; `None` if only rendering the whole text shows the result.
    fn item(&self, value: &Value, data: &Value, indent: usize, work: &mut Work) -> Option<Value> {
        let rendered = match &value.data {
            Data::Str(s) if has_template(s) => return Some(self.scalar(s, &value.prov, data, indent, work)?.value),
            Data::Map(m) if m.flags().has(Flags::TEMPLATE) => {
                let mut rendered = Arc::clone(m);
                self.parts(m, data, indent, work)?.put_into(&mut rendered);
                Data::Map(rendered)
            }
            Data::List(l) if value.holds(Flags::TEMPLATE) => {
                let items: Option<Vec<Value>> = l.iter().map(|v| self.item(v, data, indent + 2, work)).collect();
                Data::List(Arc::new(items?))
            }
            _ => return Some(value.clone()),
        };
        Some(Value { data: rendered, prov: value.prov.clone() })
    }

    fn scalar(&self, text: &Text, prov: &Prov, data: &Value, indent: usize, work: &mut Work) -> Option<Flagged> {
        let parsed = self.written(text, indent);
        let template = parsed.as_ref().as_ref().ok().filter(|t| t.is_self_contained())?;
        let rendered = template.execute(data, self.missing, &self.declared()).ok()?;
        work.add(&rendered)?;
        if rendered.not_utf8().is_some() {
            return None;
        }
        self.note(template, &rendered.missing, &|_| prov.clone());
        if let Some((_, first)) = rendered.unknowns.first() {
            // Not the value, but why it is unknown.
            let assume = |engine: Self| engine.scalar(text, &Prov::default(), &data.assume(), indent, work);
            let assumed = self.assuming().and_then(assume);
            let assumed =
                assumed.map(|assumed| assumed.value).filter(|v| !matches!(v.data, Data::Unknown(_))).map(Box::new);
            let mut unknown =
                Unknown { text: Text::clone(text), assumed, reasons: first.reasons.clone(), ..Unknown::default() };
            for (_, more) in &rendered.unknowns {
                unknown.reasons.extend(more.reasons.iter().filter(|r| !first.reasons.contains(r)).cloned());
                unknown.add_reads(more.reads.iter().cloned());
            }
            unknown.add_reads(values_read(template, data));
            let prov = prov.with_inputs(rendered.inputs);
            return Some(Value { data: Data::Unknown(Arc::new(unknown)), prov }.into());
        }
        let data = read_scalar(&rendered.text)?;
        Some(Value { data, prov: prov.with_inputs(rendered.inputs) }.into())
    }
}

/// A value with what it contains.
struct Flagged {
    value: Value,
    flags: Flags,
}

impl From<Value> for Flagged {
    fn from(value: Value) -> Self {
        let flags = value.flags();
        Flagged { value, flags }
    }
}

/// The rendered entries of a map, by their indexes; other entries are unchanged.
pub(crate) struct Renderings(Vec<(usize, Part)>);

enum Part {
    Value(Flagged),
    Inside(Renderings),
}

impl Renderings {
    /// Whether one of the values has a flag.
    pub(crate) fn hold(&self, flag: Flags) -> bool {
        self.0.iter().any(|(_, part)| match part {
            Part::Value(value) => value.flags.has(flag),
            Part::Inside(inner) => inner.hold(flag),
        })
    }

    /// Puts them into the map that they were made of, or one like it.
    pub(crate) fn put_into(self, map: &mut Arc<Map>) {
        if self.0.is_empty() && !map.flags().has(Flags::TEMPLATE) {
            return;
        }
        let map = Arc::make_mut(map);
        // Entries that are not rendered have none, and the other flags are at most those of the whole.
        map.forget(Flags::TEMPLATE);
        for (i, part) in self.0 {
            match part {
                Part::Value(Flagged { value, flags }) => map.put_at(i, value, flags),
                Part::Inside(inner) => map.change_at(i, |value| {
                    if let Data::Map(map) = &mut value.data {
                        inner.put_into(map);
                    }
                }),
            }
        }
    }
}

/// Parses a rendered scalar, if its meaning does not depend on the text around it.
fn read_scalar(text: &str) -> Option<Data> {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_special = |c: char| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    if !is_printable && text.chars().any(is_special) {
        return None;
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return (text.len() > 1 && !inner.contains('\'')).then(|| Data::Str(inner.into()));
    }
    let first = text.chars().next()?;
    let harmless =
        first.is_alphanumeric() || matches!(first, '/' | '.' | '_' | '+' | '<' | '(' | '$' | '=' | '^' | ';');
    let has_sign = text.as_bytes().array_windows().any(|two| matches!(two, b": " | b" #"));
    if !harmless || has_sign || text.ends_with([' ', ':', '\t']) {
        return None;
    }
    Some(crate::dialects::atmos::document::scalar(&text.into(), Style::Plain, None))
}
