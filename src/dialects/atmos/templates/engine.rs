//! Rendering a tree of values as Atmos does: write it as YAML, run the text as a template, read the result back
//! (`reference: atmos.md` section 7). What values become by that (types, quoting, folding) is part of the answer.
//!
//! The provenance of strings is kept: every written scalar is marked, the template engine records which part of its
//! output comes from which part of the text, and so every value read back finds its mark.

use super::declared_env::Declared;
use super::host::Host;
use super::host::{mentions_component, mentions_version};
use super::unknowns::{CLOSE, OPEN, hide_unknowns, reveal};
use super::values_read::{values_read, with_reads};
use crate::dialects::atmos::document::{Decoder, Issue};
use crate::dialects::atmos::functions::Env;
use crate::diff::mask::hide_values;
use crate::limits::Limits;
use crate::template::{self, Functions, MissingKey, Rendered, Segment, Template};
use crate::text::{FastMap, Text};
use crate::threads::PerThread;
use crate::value::{Data, Entry, Flags, Map, Prov, Read, Unknown, Value};
use crate::yaml::{self, Emitter, Span};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The problem of text that a template cuts inside of a character.
pub(in crate::dialects::atmos) const NOT_UTF8: &str =
    "invalid UTF-8: a function that counts bytes cuts a character in two";

/// Why something could not be rendered.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The template cannot be read or run.
    Template {
        /// Go's words.
        message: String,
        /// The value that holds the action at fault, as far as known.
        site: Prov,
        text: Option<Text>,
    },
    /// The template produced YAML that Atmos rejects.
    Yaml {
        /// The error of the YAML reader.
        message: String,
        /// The value whose rendering broke it, as far as known.
        site: Prov,
    },
}

impl Failure {
    /// The message and the place.
    pub(crate) fn parts(&self) -> (&str, &Prov) {
        match self {
            Failure::Template { message, site, .. } | Failure::Yaml { message, site } => (message, site),
        }
    }
}

/// A template, or its parse error.
pub(in crate::dialects::atmos) type Parsed = Arc<Result<Template, template::Error>>;

/// Templates parsed so far. Each thread has its own: threads that copy the same `Arc` slow each other down, because each copy writes
/// its reference count.
#[derive(Default)]
pub(crate) struct Templates {
    known: PerThread<FastMap<Variant, FastMap<Text, Parsed>>>,
    limits: Limits,
}

/// How a text becomes a template: [`Engine::slot`], and how far it is indented if it is written for YAML first.
type Variant = (usize, Option<usize>);

impl Templates {
    /// Creates an empty cache with limits.
    pub(crate) fn new(limits: Limits) -> Self {
        Templates { limits, ..Self::default() }
    }

    /// Returns the template of a text: the known one, or that of `parse`.
    fn get_or_parse(&self, text: &str, variant: Variant, parse: impl FnOnce() -> Parsed) -> Parsed {
        let known = self.known.with(|known| known.get(&variant)?.get(text).map(Arc::clone)).flatten();
        known.unwrap_or_else(|| {
            let parsed = parse();
            self.known.with(|known| known.entry(variant).or_default().insert(text.into(), Arc::clone(&parsed)));
            parsed
        })
    }

    /// How much templates may take.
    pub(in crate::dialects::atmos) fn limits(&self) -> Limits {
        self.limits
    }

    /// Drops all templates.
    pub(in crate::dialects::atmos) fn forget(&self) {
        self.known.clear();
    }
}

/// A key that a template read and that was not there.
#[derive(Clone, Debug)]
pub(crate) struct Miss {
    /// The value whose text reads it.
    pub site: Prov,
    /// The keys from the root of the data on.
    pub path: Vec<String>,
    /// Its absence is provided for.
    pub guarded: bool,
}

/// A kind of rendering: delimiters, functions, the treatment of missing keys.
#[derive(Clone, Copy)]
pub(crate) struct Engine<'a> {
    /// The cache of parsed templates, used with `slot`.
    pub templates: &'a Templates,
    /// A number that identifies this kind of rendering.
    pub slot: usize,
    /// The left and right delimiter.
    pub delimiters: (&'a str, &'a str),
    pub functions: &'a dyn Functions,
    /// The treatment of missing keys.
    pub missing: MissingKey,
    /// Environment variables that the configuration declares for templates.
    pub env: &'a Env,
    /// Whether all other variables count as not set; see [`Unknown::assumed`].
    pub assume: bool,
    /// The project data for templates.
    pub host: Option<&'a Host>,
    /// Where to note keys that are missing.
    pub misses: Option<&'a Mutex<Vec<Miss>>>,
}

impl Engine<'_> {
    /// Records the keys that a run of `template` missed, each at the value that `site` returns for a place in it.
    pub(in crate::dialects::atmos) fn note(
        &self,
        template: &Template,
        missing: &[Range<usize>],
        site: &dyn Fn(usize) -> Prov,
    ) {
        let Some(misses) = self.misses.filter(|_| !missing.is_empty()) else { return };
        let references = template.references();
        let found = references.into_iter().filter(|r| missing.contains(&r.span));
        let found = found.map(|r| Miss { site: site(r.span.start), path: r.path, guarded: r.guarded });
        misses.lock().extend(found);
    }

    /// The template of a text.
    pub(crate) fn parse(&self, text: &str) -> Parsed {
        let key = match self.delimiters {
            ("{{", "}}") => Cow::Borrowed(text),
            (left, right) => Cow::Owned(format!("{left}\0{right}\0{text}")),
        };
        self.templates.get_or_parse(&key, (self.slot, None), || {
            let (left, right) = self.delimiters;
            Arc::new(template::parse(text, &template::TemplateOptions { left, right, functions: self.functions }))
        })
    }

    /// The template of a text as it is written for YAML.
    pub(in crate::dialects::atmos) fn written(&self, text: &str, indent: usize) -> Parsed {
        if self.delimiters != ("{{", "}}") {
            return self.parse(&yaml::scalar_text(text, indent));
        }
        let parse = || self.parse(&yaml::scalar_text(text, indent));
        self.templates.get_or_parse(text, (self.slot, Some(indent)), parse)
    }

    /// Renders a standalone text.
    ///
    /// # Errors
    /// Go's words.
    pub(crate) fn text(&self, text: &str, data: &Value) -> Result<Rendered, template::Error> {
        match &*self.parse(text) {
            Ok(template) => template
                .execute(data, self.missing, &self.declared())
                .map_err(|error| template::Error { message: hide_values(error.message, data), ..error }),
            Err(error) => Err(error.clone()),
        }
    }

    pub(in crate::dialects::atmos) fn declared(&self) -> Declared<'_> {
        let (functions, env, assume, host) = (self.functions, self.env, self.assume, self.host);
        Declared { functions, env, assume, host, limits: self.templates.limits }
    }

    /// The same way of rendering in an empty environment; `None` if this is it.
    pub(crate) fn assuming(&self) -> Option<Self> {
        (!self.assume).then_some(Engine { assume: true, misses: None, ..*self })
    }

    /// Renders a whole map: written, run `rounds` times, read back.
    ///
    /// # Errors
    /// Why Atmos cannot do it.
    pub(crate) fn map(&self, map: &Arc<Map>, data: &Value, rounds: usize) -> Result<Arc<Map>, Failure> {
        let mut written = Written::new(map, self.delimiters);
        for round in 0..rounds {
            if !written.text.contains(self.delimiters.0) {
                break;
            }
            written.run(self, data)?;
            if round + 1 < rounds {
                // Atmos reads every round's result, though only the last one counts.
                written.read(data, self)?;
            }
        }
        let rendered = written.read(data, self)?;
        let assumed = if rendered.flags().has(Flags::UNKNOWN) { self.assuming() } else { None };
        let assumed = assumed.and_then(|engine| {
            let map = Value { data: Data::Map(Arc::clone(map)), prov: Prov::default() }.assume();
            engine.map(map.as_map()?, &data.assume(), rounds).ok()
        });
        Ok(assumed.map_or_else(|| Arc::clone(&rendered), |assumed| with_assumptions(&rendered, &assumed)))
    }

    /// Whether rendering a map that holds this changes nothing.
    pub(crate) fn leaves(&self, flags: Flags) -> bool {
        self.delimiters.0 == "{{" && !flags.has(Flags::TEMPLATE) && !flags.has(Flags::NOT_YAML_STABLE)
    }

    /// Renders the strings of a map one by one if the result is the same as for the whole map, and the whole map
    /// otherwise.
    ///
    /// # Errors
    /// Why Atmos cannot do it.
    pub(crate) fn map_in_parts(&self, map: &Arc<Map>, data: &Value, rounds: usize) -> Result<Arc<Map>, Failure> {
        if self.leaves(map.flags()) {
            return Ok(Arc::clone(map));
        }
        self.in_parts(map, data, rounds).map_or_else(|| self.map(map, data, rounds), Ok)
    }
}

/// Returns the map with unknown values assumed to be the values at the same place of another map.
pub(in crate::dialects::atmos) fn with_assumptions(map: &Map, assumed: &Map) -> Arc<Map> {
    let one = |e: &Entry| {
        let value = assumed.get(&e.key).map_or_else(|| e.value.clone(), |a| with_assumption(&e.value, a));
        (Text::clone(&e.key), value)
    };
    Arc::new(map.iter().map(one).collect())
}

fn with_assumption(value: &Value, assumed: &Value) -> Value {
    let data = match (&value.data, &assumed.data) {
        (Data::Unknown(unknown), other) if unknown.assumed.is_none() && !matches!(other, Data::Unknown(_)) => {
            let assumed = Some(Box::new(Value::new(other.clone())));
            Data::Unknown(Arc::new(Unknown { assumed, ..(**unknown).clone() }))
        }
        (Data::Map(a), Data::Map(b)) if a.flags().has(Flags::UNKNOWN) => Data::Map(with_assumptions(a, b)),
        (Data::List(a), Data::List(b)) if a.len() == b.len() && value.holds(Flags::UNKNOWN) => {
            Data::List(Arc::new(a.iter().zip(b.iter()).map(|(a, b)| with_assumption(a, b)).collect()))
        }
        (data, _) => data.clone(),
    };
    Value { data, prov: value.prov.clone() }
}

/// A map written as YAML, with the provenance of every scalar.
pub(crate) struct Written {
    /// The text, rendered as often as it was run.
    text: String,
    /// Where the text comes from, in offsets of what was written first.
    segments: Vec<Segment>,
    /// By offset in the text written first: the provenance of the scalar there, and its own text if it has actions.
    marks: Vec<(usize, Prov, Option<Text>)>,
    unknowns: Vec<Arc<Unknown>>,
}

impl Written {
    pub(crate) fn new(map: &Map, delimiters: (&str, &str)) -> Self {
        let apostrophes = delimiters.0.contains('\'') || delimiters.1.contains('\'');
        let emitter = if apostrophes { Emitter::new().quoting_apostrophes() } else { Emitter::new() };
        let mut writer = Writer { emitter, marks: Vec::new(), unknowns: Vec::new(), open: delimiters.0.to_owned() };
        writer.map(map);
        let text = writer.emitter.finish();
        let segments = vec![Segment { out: 0, src: 0, literal: true }];
        Written { text, segments, marks: writer.marks, unknowns: writer.unknowns }
    }

    /// Runs the text as a template.
    pub(crate) fn run(&mut self, engine: &Engine<'_>, data: &Value) -> Result<(), Failure> {
        let parsed = engine.parse(&self.text);
        let failed = |e: template::Error| {
            let mark = self.mark(source_offset(&self.segments, e.offset));
            let (site, text) = mark.map_or_else(Default::default, |m| (m.1.clone(), m.2.clone()));
            Failure::Template { site, message: hide_values(e.message, data), text }
        };
        let template = parsed.as_ref().as_ref().map_err(|e| failed(e.clone()))?;
        let rendered = template.execute(data, engine.missing, &engine.declared()).map_err(failed)?;
        let site = |offset: usize| self.site(source_offset(&self.segments, offset)).clone();
        if let Some(offset) = rendered.not_utf8() {
            let site = site(source_offset(&rendered.segments, offset));
            return Err(Failure::Yaml { message: NOT_UTF8.to_owned(), site });
        }
        engine.note(template, &rendered.missing, &site);
        let (text, segments) = hide_unknowns(&rendered, &mut self.unknowns);
        self.segments = composed(&self.segments, &segments, text.len());
        self.text = text;
        Ok(())
    }

    /// Reads the text back.
    pub(crate) fn read(&self, data: &Value, engine: &Engine<'_>) -> Result<Arc<Map>, Failure> {
        let doc = yaml::document_of(self.text.as_str().into()).map_err(|e| Failure::Yaml {
            site: self.site(source_offset(&self.segments, e.offset as usize)).clone(),
            message: e.message,
        })?;
        let place = |key: u32, span: Span| self.place(key, span, data, engine);
        let decoder = Decoder { place: &place, include: None, delimiter: None, limits: engine.templates.limits };
        let value = decoder.decode(&doc).map_err(|issues| self.issue(&issues))?;
        let value = reveal(&value, &self.unknowns);
        let value = with_reads(&value, &|part| (self.values_read(part, data, engine), Vec::new()));
        match value.data {
            Data::Map(map) => Ok(map),
            Data::Null => Ok(Arc::default()),
            _ => {
                Err(Failure::Yaml { message: format!("a map was expected, not a {}", value.kind()), site: value.prov })
            }
        }
    }

    /// What the text that an unknown part comes from reads.
    fn values_read(&self, part: &Value, data: &Value, engine: &Engine<'_>) -> Vec<Read> {
        let is_origin = |mark: &&(usize, Prov, Option<Text>)| mark.2.is_some() && mark.1.origin == part.prov.origin;
        let text = self.marks.iter().find(is_origin).and_then(|mark| mark.2.as_ref());
        let template = text.map(|text| engine.parse(text));
        template.and_then(|template| Some(values_read(template.as_ref().as_ref().ok()?, data))).unwrap_or_default()
    }

    fn issue(&self, issues: &[Issue]) -> Failure {
        let (message, offset) = issues.first().map_or((String::new(), 0), |i| (i.message.clone(), i.span.start));
        Failure::Yaml { message, site: self.site(source_offset(&self.segments, offset as usize)).clone() }
    }

    fn site(&self, offset: usize) -> &Prov {
        static NOWHERE: Prov = Prov { origin: None, trail: None };
        self.mark(offset).map_or(&NOWHERE, |m| &m.1)
    }

    fn mark(&self, offset: usize) -> Option<&(usize, Prov, Option<Text>)> {
        let after = self.marks.partition_point(|m| m.0 <= offset);
        self.marks.get(after.checked_sub(1)?)
    }

    fn place(&self, key: u32, span: Span, data: &Value, engine: &Engine<'_>) -> Prov {
        let at = |offset: u32| self.mark(source_offset(&self.segments, offset as usize));
        let prov = at(key).map_or_else(Prov::default, |m| m.1.clone());
        match at(span.start).and_then(|m| m.2.as_ref()) {
            Some(text) => prov.with_inputs(inputs(text, data, engine)),
            None => prov,
        }
    }
}

/// The provenance of what the actions of a text refer to.
pub(crate) fn inputs(text: &str, data: &Value, engine: &Engine<'_>) -> Vec<Prov> {
    let parsed = engine.parse(text);
    let Ok(template) = parsed.as_ref() else { return Vec::new() };
    // Results from the project have their own provenance, which is known only when the text runs.
    if engine.host.is_some()
        && (mentions_component(text) || mentions_version(text))
        && let Ok(rendered) = template.execute(data, engine.missing, &engine.declared())
    {
        return rendered.inputs;
    }
    let mut found: Vec<Prov> = Vec::new();
    for reference in template.references() {
        let mut value = data;
        for key in &reference.path {
            match value.get(key) {
                Some(next) => value = next,
                None => break,
            }
        }
        if !found.iter().any(|p| p.origin == value.prov.origin) {
            found.push(value.prov.clone());
        }
    }
    found
}

/// Composes the segments of two runs: `second` refers to the first run's output, `length` is that of the last text.
fn composed(first: &[Segment], second: &[Segment], length: usize) -> Vec<Segment> {
    let mut all = Vec::with_capacity(first.len().max(second.len()));
    for (i, s) in second.iter().enumerate() {
        if !s.literal {
            all.push(Segment { src: source_offset(first, s.src), ..*s });
            continue;
        }
        // Text copied by the second run may come from several places of the first.
        let end = s.src + second.get(i + 1).map_or(length, |n| n.out).saturating_sub(s.out);
        let from = first.partition_point(|t| t.out <= s.src).saturating_sub(1);
        for t in first[from..].iter().take_while(|t| t.out < end || t.out <= s.src) {
            let start = t.out.max(s.src);
            let src = if t.literal { t.src + (start - t.out) } else { t.src };
            all.push(Segment { out: s.out + (start - s.src), src, literal: t.literal });
        }
    }
    all
}

/// The offset before the template ran that an offset after it comes from.
pub(crate) fn source_offset(segments: &[Segment], offset: usize) -> usize {
    let after = segments.partition_point(|s| s.out <= offset);
    match after.checked_sub(1).and_then(|i| segments.get(i)) {
        Some(s) if s.literal => s.src + (offset - s.out),
        Some(s) => s.src,
        None => offset,
    }
}

struct Writer {
    emitter: Emitter,
    marks: Vec<(usize, Prov, Option<Text>)>,
    unknowns: Vec<Arc<Unknown>>,
    open: String,
}

impl Writer {
    fn map(&mut self, map: &Map) {
        let mut entries: Vec<&Entry> = map.iter().collect();
        entries.sort_by(|a, b| yaml::compare_keys(&a.key, &b.key));
        self.emitter.map_start(entries.len());
        for Entry { key, value } in entries {
            let range = self.emitter.key(key);
            self.marks.push((range.start, value.prov.clone(), None));
            self.value(value);
        }
        self.emitter.map_end();
    }

    fn value(&mut self, value: &Value) {
        let range = match &value.data {
            Data::Null => self.emitter.null(),
            Data::Bool(b) => self.emitter.bool(*b),
            Data::Int(i) => self.emitter.int(*i),
            Data::Uint(u) => self.emitter.uint(*u),
            Data::Float(f) => self.emitter.float(*f),
            Data::Str(s) => self.emitter.str(s),
            Data::Time(t) => self.emitter.time(t),
            Data::Unknown(unknown) => {
                let token = format!("{OPEN}{}{CLOSE}", self.unknowns.len());
                self.unknowns.push(Arc::clone(unknown));
                self.emitter.str(&token)
            }
            Data::List(items) => {
                self.emitter.seq_start(items.len());
                for item in items.iter() {
                    self.value(item);
                }
                return self.emitter.seq_end();
            }
            Data::Map(map) => return self.map(map),
        };
        let text = value.as_str().filter(|s| s.contains(&self.open)).map(Text::from);
        self.marks.push((range.start, value.prov.clone(), text));
    }
}
