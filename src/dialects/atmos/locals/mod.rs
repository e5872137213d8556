//! File-scoped locals (`reference: atmos.md` section 9): resolved from the raw text of one file, in dependency order,
//! before anything of the file is rendered.

pub(super) mod blame;
pub(super) mod observations;
pub(super) mod refs;
pub(super) mod scopes;
pub(super) mod uses;

use self::refs::{Edges, cycles, order, seen_edges, true_edges};
use crate::dialects::atmos::functions;
use crate::dialects::atmos::templates::engine::{Engine, inputs};
use crate::dialects::atmos::templates::values_read::values_read;
use crate::limits::Limit;
use crate::template::{self, Rendered};
use crate::text::Text;
use crate::value::{Data, Flags, Key, Map, Value, has_template};
use std::cell::{Cell, LazyCell, OnceCell};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

/// The component types that have a scope of their own, in the order in which they hide each other.
pub(super) const KINDS: [&str; 3] = ["terraform", "helmfile", "packer"];

/// The locals of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Locals {
    /// All scopes in one map, as templates of the file see it.
    pub flat: Map,
    /// Whether the file has a locals section at all, even an empty one.
    pub present: bool,
    /// The existing scopes, the whole file first.
    pub scopes: Vec<Scope>,
    /// What prevents locals from being resolved. The file cannot be used then.
    pub problems: Vec<Problem>,
}

/// One scope.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The component type; `None` for the whole file.
    pub kind: Option<&'static str>,
    /// As written.
    pub raw: Arc<Map>,
    /// Its own locals, as far as they resolve.
    pub own: Map,
    /// With those of the scope around it.
    pub all: Map,
    /// The values of `.settings`, `.vars` and `.env` for it.
    pub context: Map,
}

/// A problem of a scope.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The component type; `None` for the whole file.
    pub kind: Option<&'static str>,
    /// The kind of problem.
    pub what: Wrong,
}

/// Kinds of problems.
#[derive(Clone, Debug)]
pub(super) enum Wrong {
    /// The section is not a map but this.
    Shape(Value),
    /// These need each other.
    Cycle(Vec<Key>),
    /// A template fails.
    Template {
        /// The local.
        name: Key,
        /// The failing text, which may be nested in the local.
        text: Value,
        /// The error of Go's template engine.
        error: template::Error,
    },
}

/// Resolves the locals of a decoded file.
pub(super) fn resolve(file: &Map, engine: &Engine<'_>) -> Locals {
    let mut out = Locals { present: file.has("locals"), ..Locals::default() };
    let mut failed = BTreeSet::new();
    if let Some(scope) = scope(file, None, &Map::new(), &mut failed, &mut out.problems, context(file, None), engine) {
        out.flat = scope.all.clone();
        out.scopes.push(scope);
    }
    let parent = out.flat.clone();
    for kind in KINDS {
        let Some(section) = file.get(kind).and_then(Value::as_map) else { continue };
        if !section.has("locals") {
            continue;
        }
        out.present = true;
        let context = context(file, Some(section));
        // Names that fail outside also fail inside, unless they are redefined.
        let mut failed = failed.clone();
        let found = scope(section, Some(kind), &parent, &mut failed, &mut out.problems, context, engine);
        let Some(scope) = found else { continue };
        for entry in scope.all.iter() {
            out.flat.set(Text::clone(&entry.key), entry.value.clone());
        }
        out.scopes.push(scope);
    }
    out
}

/// The data of locals besides each other: `settings`, `vars` and `env` of the file, overlaid by those of the section.
fn context(file: &Map, section: Option<&Arc<Map>>) -> Map {
    let mut out = Map::new();
    for key in ["settings", "vars", "env"] {
        let below = file.get(key).filter(|v| v.as_map().is_some());
        let above = section.and_then(|s| s.get(key)).filter(|v| v.as_map().is_some());
        let value = match (below, above) {
            (Some(a), Some(b)) => overlay(a, b),
            (Some(v), None) | (None, Some(v)) => v.clone(),
            (None, None) => continue,
        };
        out.set(key, value);
    }
    out
}

fn overlay(below: &Value, above: &Value) -> Value {
    let (Some(a), Some(b)) = (below.as_map(), above.as_map()) else { return above.clone() };
    let mut out = (**a).clone();
    for entry in b.iter() {
        out.set(Text::clone(&entry.key), entry.value.clone());
    }
    Value::map(out)
}

/// Resolves one scope: its own locals over those of its parent. `None` without a locals section that is a map.
fn scope(
    section: &Map,
    kind: Option<&'static str>,
    parent: &Map,
    failed: &mut BTreeSet<Key>,
    problems: &mut Vec<Problem>,
    context: Map,
    engine: &Engine<'_>,
) -> Option<Scope> {
    let locals = section.get("locals")?;
    let Some(raw) = locals.as_map() else {
        problems.push(Problem { kind, what: Wrong::Shape(locals.clone()) });
        return None;
    };
    let seen = seen_edges(raw, engine);
    let order = order(&seen);
    failed.retain(|name| !raw.has(name));
    if order.len() < raw.len() {
        problems.extend(cycles(&seen).into_iter().map(|c| Problem { kind, what: Wrong::Cycle(c) }));
        failed.extend(raw.keys().filter(|k| !order.contains(k)).cloned());
    }
    let on_cycles = LazyCell::new(|| {
        let edges = true_edges(raw, engine);
        (cycles(&edges), edges)
    });
    let (assumed, steps) = (OnceCell::new(), Cell::new(0));
    let mut run = ScopeResolution { data: Value::map(context.clone()), assumed, engine, steps };
    set_locals(&mut run.data, |all| *all = parent.clone());
    let (mut own, mut is_reported) = (Map::new(), false);
    for name in order {
        let Some(value) = raw.get(&name) else { continue };
        if run.is_spent() && value.holds(Flags::TEMPLATE) {
            // Of all that are not run, the first one is reported.
            if !std::mem::replace(&mut is_reported, true) {
                let (name, text) = (Text::clone(&name), value.clone());
                let what = Wrong::Template { name, text, error: too_many_steps() };
                problems.push(Problem { kind, what });
            }
            failed.insert(name);
            continue;
        }
        match run.value(value) {
            Ok(value) => {
                run.add(&name, &value);
                own.set(name, value);
            }
            Err(failure) => {
                let (text, error) = *failure;
                let (cycles, edges) = &*on_cycles;
                let on_cycle = cycles.iter().find(|cycle| leads_to(&name, cycle, edges)).cloned();
                let needs_failed = reads_any(value, failed, engine);
                match on_cycle {
                    _ if needs_failed => {}
                    Some(cycle) => {
                        // A later member of the same cycle adds nothing.
                        failed.extend(cycle.iter().cloned());
                        problems.push(Problem { kind, what: Wrong::Cycle(cycle) });
                    }
                    None => {
                        let what = Wrong::Template { name: Text::clone(&name), text, error };
                        problems.push(Problem { kind, what });
                    }
                }
                failed.insert(name);
            }
        }
    }
    let all = run.locals().cloned().unwrap_or_default();
    Some(Scope { kind, raw: Arc::clone(raw), own, all, context })
}

/// Whether what a name needs, however far, is on a cycle.
fn leads_to(name: &Key, cycle: &[Key], edges: &Edges) -> bool {
    let mut seen: BTreeSet<&Key> = BTreeSet::new();
    let mut stack = vec![name];
    while let Some(name) = stack.pop() {
        if cycle.contains(name) {
            return true;
        }
        if seen.insert(name) {
            stack.extend(edges.get(name).into_iter().flatten());
        }
    }
    false
}

fn reads_any(value: &Value, names: &BTreeSet<Key>, engine: &Engine<'_>) -> bool {
    let mut found = false;
    refs::each_text(value, &mut |text| {
        let paths = refs::reads(text, engine);
        found |= paths.iter().any(|p| p.len() > 1 && p[0] == "locals" && names.contains(p[1].as_str()));
    });
    found
}

/// The resolution of a scope on its way.
struct ScopeResolution<'a> {
    /// The data of templates. Its map `locals` grows in place: it has no other owner, unless a local is `{{ .locals
    /// }}`.
    data: Value,
    /// The same data with unknown values assumed to be unset; created on demand.
    assumed: OnceCell<Value>,
    engine: &'a Engine<'a>,
    /// The steps of all templates so far. Together they may take what one template may.
    steps: Cell<u64>,
}

/// Changes the locals that templates see in place.
fn set_locals(data: &mut Value, change: impl FnOnce(&mut Map)) {
    let Data::Map(data) = &mut data.data else { return };
    let data = Arc::make_mut(data);
    let mut locals = data.remove("locals").unwrap_or_else(|| Value::map(Map::new()));
    if let Data::Map(map) = &mut locals.data {
        change(Arc::make_mut(map));
    }
    data.set("locals", locals);
}

/// A text and why it fails.
type Failure = Box<(Value, template::Error)>;

impl ScopeResolution<'_> {
    fn locals(&self) -> Option<&Map> {
        self.data.get("locals").and_then(Value::as_map).map(|m| &**m)
    }

    fn add(&mut self, name: &Key, value: &Value) {
        set_locals(&mut self.data, |all| all.set(Text::clone(name), value.clone()));
        if let Some(assumed) = self.assumed.get_mut() {
            set_locals(assumed, |all| all.set(Text::clone(name), value.assume()));
        }
    }

    fn value(&self, raw: &Value) -> Result<Value, Failure> {
        let flags = raw.flags();
        if !flags.has(Flags::TEMPLATE) && !flags.has(Flags::CALL) {
            return Ok(raw.clone());
        }
        let resolved = match &raw.data {
            Data::Str(s) => return self.text(s, raw),
            Data::List(items) => {
                let items: Result<Vec<Value>, _> = items.iter().map(|v| self.value(v)).collect();
                Data::List(Arc::new(items?))
            }
            // Atmos does not look into maps that were written with keys other than text.
            Data::Map(map) if !map.is_mixed() => {
                let mut out = Map::new();
                for entry in map.iter() {
                    out.set(Text::clone(&entry.key), self.value(&entry.value)?);
                }
                Data::Map(Arc::new(out))
            }
            other => other.clone(),
        };
        Ok(Value { data: resolved, prov: raw.prov.clone() })
    }

    fn text(&self, s: &Text, raw: &Value) -> Result<Value, Failure> {
        let (data, engine) = (&self.data, self.engine);
        if s.starts_with('!') {
            // Atmos runs functions in locals at once, whatever else is disabled.
            match functions::evaluate_in_locals(s, &raw.prov, engine.env) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(message) => {
                    let error = template::Error { message, offset: 0, action: None, within: None };
                    return Err(Box::new((raw.clone(), error)));
                }
            }
        }
        if !s.contains("{{") {
            return Ok(raw.clone());
        }
        if let Some(found) = plain_reference(s, data, engine) {
            // Lists that hold one another twice double on each level, though they take no more room.
            let left = self.limit().saturating_sub(self.steps.get());
            let size = found.count(usize::try_from(left).unwrap_or(usize::MAX));
            self.take(size.map_or(u64::MAX, |size| size as u64));
            if size.is_none() {
                return Err(Box::new((raw.clone(), too_many_steps())));
            }
            return Ok(Value { data: found.data, prov: raw.prov.with_inputs([found.prov]) });
        }
        let rendered = self.rendered(engine, s, data).map_err(|e| Box::new((raw.clone(), e)))?;
        let prov = raw.prov.with_inputs(inputs(s, data, engine));
        if let Some((_, first)) = rendered.unknowns.first() {
            let data_assumed = || self.assumed.get_or_init(|| data.assume());
            let assumed = engine.assuming().and_then(|e| self.rendered(&e, s, data_assumed()).ok());
            let assumed = assumed.filter(|r| r.unknowns.is_empty()).map(|r| Box::new(Value::str(r.text)));
            let reasons = first.reasons.clone();
            let mut unknown = crate::value::Unknown { text: Text::clone(s), assumed, reasons, ..Default::default() };
            rendered.unknowns.iter().for_each(|(_, part)| unknown.add_reads(part.reads.iter().cloned()));
            if let Ok(template) = &*engine.parse(s) {
                unknown.add_reads(values_read(template, data));
            }
            return Ok(Value { data: Data::Unknown(Arc::new(unknown)), prov });
        }
        Ok(Value { data: Data::Str(rendered.text.into()), prov })
    }

    fn limit(&self) -> u64 {
        self.engine.templates.limits().get(Limit::TemplateSteps)
    }

    /// Whether the templates before took more steps together than one may.
    fn is_spent(&self) -> bool {
        self.steps.get() > self.limit()
    }

    fn take(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    fn rendered(&self, engine: &Engine<'_>, text: &str, data: &Value) -> Result<Rendered, template::Error> {
        let rendered = engine.text(text, data)?;
        self.take(rendered.steps);
        Ok(rendered)
    }
}

fn too_many_steps() -> template::Error {
    let message = "the templates of these locals take too many steps together".to_owned();
    template::Error { message, offset: 0, action: None, within: None }
}

/// The value behind a text that is nothing but one plain `.a.b`, if there is one.
pub(super) fn plain_reference(text: &str, data: &Value, engine: &Engine<'_>) -> Option<Value> {
    let parsed = engine.parse(text);
    let path = parsed.as_ref().as_ref().ok()?.sole_field()?;
    let found = path.into_iter().try_fold(data, |v, key| {
        // Atmos does not look into maps that were written with keys other than text.
        v.as_map().filter(|m| !m.is_mixed())?.get(key)
    });
    found.cloned()
}

/// A value in which every text that is one plain reference is replaced by the typed value it refers to.
pub(super) fn replace_references(value: &Value, data: &Value, engine: &Engine<'_>) -> Value {
    with_references(value, data, engine).unwrap_or_else(|| value.clone())
}

/// The same; `None` if nothing is replaced.
fn with_references(value: &Value, data: &Value, engine: &Engine<'_>) -> Option<Value> {
    let replaced = match &value.data {
        Data::Str(text) if has_template(text) => {
            let found = plain_reference(text, data, engine)?;
            return Some(Value { data: found.data, prov: value.prov.with_inputs([found.prov]) });
        }
        Data::List(items) => {
            let mut out: Option<Vec<Value>> = None;
            for (i, item) in items.iter().enumerate() {
                if let Some(new) = with_references(item, data, engine) {
                    out.get_or_insert_with(|| items.to_vec())[i] = new;
                }
            }
            Data::List(Arc::new(out?))
        }
        Data::Map(map) if map.flags().has(Flags::TEMPLATE) && !map.is_mixed() => {
            let Ok(out) = map.with_values(|value| Ok::<_, Infallible>(with_references(value, data, engine)));
            Data::Map(Arc::new(out?))
        }
        _ => return None,
    };
    Some(Value { data: replaced, prov: value.prov.clone() })
}
