//! Recently rendered scalars: components of many stacks inherit the same texts, whose templates read the same values. Finding the
//! result costs less than running the template, and the same result is one object in memory.

use super::cache::Variant;
use super::fields::Fields;
use crate::dialects::atmos::slot_table::{SeenHashes, SlotTable, mix};
use crate::template::Template;
use crate::text::Text;
use crate::threads::PerThread;
use crate::value::{Data, Flags, Prov, Value};

/// The number of results for each thread.
const CACHED: usize = 4096;

/// The number of renderings whose occurrence is remembered.
const SEEN: usize = 1 << 13;

/// The maximum number of fields that a template of a cached result reads.
const MAX_INPUTS: usize = 8;

/// The values that a template reads, in the order of [`Template::inputs`].
pub(super) struct Inputs<'v> {
    values: [Option<&'v Value>; MAX_INPUTS],
    count: usize,
}

impl<'v> Inputs<'v> {
    /// Returns the values that determine what a template renders; `None` if anything else may have a part in it, if a field is
    /// missing, or if one is no plain scalar.
    pub(super) fn of(template: &Template, fields: &Fields<'v>) -> Option<Self> {
        let paths = template.inputs().filter(|paths| paths.len() <= MAX_INPUTS)?;
        let mut inputs = Inputs { values: [None; MAX_INPUTS], count: paths.len() };
        for (path, slot) in paths.iter().zip(&mut inputs.values) {
            let value = fields.at(path)?;
            if !matches!(value.data, Data::Str(_) | Data::Int(_) | Data::Bool(_)) {
                return None;
            }
            *slot = Some(value);
        }
        Some(inputs)
    }

    fn iter(&self) -> impl Iterator<Item = &'v Value> {
        self.values[..self.count].iter().flatten().copied()
    }

    fn are_identical(&self, others: &[Value]) -> bool {
        self.count == others.len() && self.iter().zip(others).all(|(value, other)| value.is_identical(other))
    }
}

/// What is rendered.
pub(super) struct Rendering<'a> {
    /// The text.
    pub(super) text: &'a Text,
    /// How it is rendered.
    pub(super) variant: Variant,
    /// Its provenance.
    pub(super) prov: &'a Prov,
    /// The values that its template reads.
    pub(super) inputs: Inputs<'a>,
}

impl Rendering<'_> {
    fn hash(&self) -> u64 {
        let with_prov = |sum: u64, prov: &Prov| {
            let place = prov.origin.map_or(0, |o| (o.file.index() as u64) << 32 | u64::from(o.start));
            mix(mix(sum, place), prov.trail_address() as u64)
        };
        let (slot, indent) = self.variant;
        let start = mix(mix(self.text.as_ptr().addr() as u64, slot as u64), indent as u64);
        self.inputs.iter().fold(with_prov(start, self.prov), |sum, value| {
            let data = match &value.data {
                Data::Str(text) => text.as_ptr().addr() as u64,
                Data::Int(number) => number.cast_unsigned(),
                data => u64::from(matches!(data, Data::Bool(true))),
            };
            with_prov(mix(sum, data), &value.prov)
        })
    }

    fn is_of(&self, known: &Known) -> bool {
        Text::ptr_eq(self.text, &known.text)
            && self.variant == known.variant
            && self.prov.is_identical(&known.prov)
            && self.inputs.are_identical(&known.inputs)
    }
}

/// A value with what it contains.
#[derive(Clone)]
pub(super) struct Flagged {
    /// The value.
    pub(super) value: Value,
    /// Its flags.
    pub(super) flags: Flags,
}

impl From<Value> for Flagged {
    fn from(value: Value) -> Self {
        let flags = value.flags();
        Flagged { value, flags }
    }
}

/// A result, and what it was made of, which is kept alive so that addresses stay valid.
struct Known {
    text: Text,
    variant: Variant,
    prov: Prov,
    inputs: Vec<Value>,
    result: Flagged,
}

/// The results of one thread.
#[derive(Default)]
struct Results {
    known: SlotTable<Known, CACHED>,
    /// Most texts are rendered only once with the same values, and remembering those would cost more than it saves.
    seen: SeenHashes<SEEN>,
}

/// Recently rendered scalars of a resolution.
#[derive(Default)]
pub(super) struct RecentScalars(PerThread<Results>);

impl RecentScalars {
    /// Returns the known result of a rendering.
    pub(super) fn get(&self, rendering: &Rendering<'_>) -> Option<Flagged> {
        let hash = rendering.hash();
        self.0.with(|results| Some(results.known.get(hash).filter(|known| rendering.is_of(known))?.result.clone()))?
    }

    /// Remembers the result of a rendering that occurs for the second time.
    pub(super) fn insert(&self, rendering: &Rendering<'_>, result: &Flagged) {
        let hash = rendering.hash();
        if self.0.with(|results| results.seen.is_repeated(hash)) != Some(true) {
            return;
        }
        let mut inputs = Vec::with_capacity(rendering.inputs.count);
        inputs.extend(rendering.inputs.iter().cloned());
        let known = Known {
            text: Text::clone(rendering.text),
            variant: rendering.variant,
            prov: rendering.prov.clone(),
            inputs,
            result: result.clone(),
        };
        // What is replaced is dropped outside, because that may take long.
        let replaced = self.0.with(|results| results.known.put(hash, known));
        drop(replaced);
    }

    /// Drops all results.
    pub(super) fn clear(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;
    use crate::template::{Builtins, TemplateOptions, parse};
    use crate::value::{FileId, Map, Origin};
    use std::sync::Arc;

    fn at(start: u32) -> Prov {
        Prov::at(Origin { file: FileId::new(0), key: start, start, end: start + 3 })
    }

    fn data(stage: &Value) -> Value {
        let vars =
            Map::from_iter([("stage".into(), stage.clone()), ("list".into(), Value::new(Data::List(Arc::default())))]);
        Value::map(Map::from_iter([("vars".into(), Value::map(vars))]))
    }

    fn template(text: &str) -> Template {
        parse(text, &TemplateOptions { left: "", right: "", functions: &Builtins }).unwrap()
    }

    #[test]
    fn only_the_same_text_with_the_same_values_is_known() {
        let (cache, text, stage) =
            (RecentScalars::default(), Text::from("{{ .vars.stage }}"), Text::from("dev".to_owned()));
        let template = template(&text);
        let value = |text: &Text, start: u32| Value { data: Data::Str(text.clone()), prov: at(start) };
        let get = |text: &Text, variant: Variant, prov: &Prov, data: &Value| {
            let inputs = Inputs::of(&template, &Fields::new(data)).unwrap();
            cache.get(&Rendering { text, variant, prov, inputs }).map(|known| known.value)
        };
        let first = data(&value(&stage, 1));
        let insert = || {
            let inputs = Inputs::of(&template, &Fields::new(&first)).unwrap();
            cache.insert(&Rendering { text: &text, variant: (0, 2), prov: &at(9), inputs }, &Value::str("dev").into());
        };
        insert();
        assert_eq!(get(&text, (0, 2), &at(9), &first), None, "it occurred once");
        insert();
        // The values count, not the maps around them.
        assert_eq!(get(&text, (0, 2), &at(9), &data(&value(&stage, 1))), Some(Value::str("dev")));
        let equal = Text::from(text.to_string());
        assert_eq!(get(&equal, (0, 2), &at(9), &first), None);
        assert_eq!(get(&text, (1, 2), &at(9), &first), None);
        assert_eq!(get(&text, (0, 4), &at(9), &first), None);
        assert_eq!(get(&text, (0, 2), &at(8), &first), None);
        let overriding = at(9).overriding(&value(&stage, 20));
        assert_eq!(get(&text, (0, 2), &overriding, &first), None);
        assert_eq!(get(&text, (0, 2), &at(9), &data(&value(&Text::from("dev".to_owned()), 1))), None);
        assert_eq!(get(&text, (0, 2), &at(9), &data(&value(&stage, 2))), None);
        cache.clear();
        assert_eq!(get(&text, (0, 2), &at(9), &first), None);
    }

    #[test]
    fn values_that_are_missing_or_no_scalars_are_not_followed() {
        let data = data(&Value::str("dev"));
        for (text, want) in [
            ("{{ .vars.stage }}", Some(1)),
            ("{{ if eq .vars.stage \"dev\" }}x{{ end }}", Some(1)),
            ("{{ .vars.gone }}", None),
            ("{{ .vars.list }}", None),
            ("{{ .vars }}", None),
            ("{{ .vars.stage.deeper }}", None),
            ("{{ .a }}{{ .b }}{{ .c }}{{ .d }}{{ .e }}{{ .f }}{{ .g }}{{ .h }}{{ .i }}", None),
        ] {
            assert_eq!(Inputs::of(&template(text), &Fields::new(&data)).map(|inputs| inputs.count), want, "{text}");
        }
    }
}
