//! Missing values of a component that the rendering pass finds: references to undefined locals, and traces of missing
//! values in the result.

use crate::dialects::atmos::locals::blame::culprit_by_words;
use crate::dialects::atmos::locals::observations::{Missing, Reader, Trace, Unresolved};
use crate::dialects::atmos::stack::context::StackContext;
use crate::dialects::atmos::templates::engine::{Engine, Failure, Miss};
use crate::dialects::atmos::templates::traces::trace_in;
use crate::text::Text;
use crate::value::{Data, FileId, Flags, Key, Map, Origin, Prov, Value};

/// How deep traces are looked for.
const MAX_DEPTH: usize = 200;

/// Records missing values of a component's templates. A component that is only inherited from need not be complete.
pub(super) fn note_missing(
    stacks: &StackContext<'_>,
    data: &Value,
    map: &Map,
    misses: Vec<Miss>,
    engine: &Engine<'_>,
    file: FileId,
) {
    let has_traces = map.flags().has(Flags::RENDERED_NO_VALUE);
    if misses.is_empty() && !has_traces || is_abstract(data) || stacks.config.templates.ignore_missing {
        return;
    }
    let stack = stack_of(data);
    for miss in misses.iter().filter(|m| !m.guarded) {
        let [first, second, ..] = miss.path.as_slice() else { continue };
        let path = [Key::from(first.as_str()), Key::from(second.as_str())];
        note_local(stacks, data, path, &miss.site, None, &stack, file);
    }
    if has_traces {
        let mut search = TraceSearch { stacks, misses: &misses, engine, stack, data };
        for entry in map.iter() {
            search.value(&entry.value, &entry.key, 0);
        }
    }
}

/// Whether a component fails because of a local that it does not have; that is noted then.
pub(super) fn blames_local(
    stacks: &StackContext<'_>,
    failure: &Failure,
    data: &Value,
    engine: &Engine<'_>,
    file: FileId,
) -> bool {
    let Failure::Template { message, site, text: Some(text) } = failure else { return false };
    let found = culprit_by_words(text, message, engine).or_else(|| sole_missing(text, data, engine));
    let Some(path) = found else { return false };
    note_local(stacks, data, path, site, Some(message.clone()), &stack_of(data), file)
}

/// Returns the only undefined local that a failing text reads. A function with a missing argument fails with its own
/// error.
fn sole_missing(text: &str, data: &Value, engine: &Engine<'_>) -> Option<[Key; 2]> {
    let parsed = engine.parse(text);
    let references = parsed.as_ref().as_ref().ok()?.references();
    let mut missing = references.iter().filter(|r| match r.path.as_slice() {
        [first, name, ..] => !r.guarded && first == "locals" && data.at_path(["locals", name]).is_none(),
        _ => false,
    });
    let first = missing.next()?;
    let path = [Key::from(first.path[0].as_str()), Key::from(first.path[1].as_str())];
    missing.all(|r| *r.path[1] == *path[1]).then_some(path)
}

fn note_local(
    stacks: &StackContext<'_>,
    data: &Value,
    path: [Key; 2],
    site: &Prov,
    error: Option<String>,
    stack: &Key,
    file: FileId,
) -> bool {
    let own = data.get("locals");
    let visible: Vec<Key> = match own.map(|v| &v.data) {
        None => Vec::new(),
        Some(Data::Map(map)) => map.keys().cloned().collect(),
        Some(_) => return false,
    };
    if &*path[0] != "locals" || visible.iter().any(|k| *k == path[1] || k.contains("{{")) {
        return false;
    }
    let reader = Reader::Component { stack: Text::clone(stack), visible };
    stacks.recorder.observations.unresolved(Unresolved { site: site.clone(), file, path, reader, error });
    true
}

fn stack_of(data: &Value) -> Key {
    data.get("atmos_stack").and_then(Value::as_str).unwrap_or_default().into()
}

fn is_abstract(data: &Value) -> bool {
    data.at_path(["metadata", "type"]).and_then(Value::as_str) == Some("abstract")
}

/// How far a path leads, and what it probably was meant to be.
fn missing(data: &Value, path: &[String]) -> Missing {
    let (mut at, mut known) = (data, 0);
    while let Some(next) = path.get(known).and_then(|key| at.get(key)) {
        (at, known) = (next, known + 1);
    }
    let near = path.get(known).zip(at.as_map());
    let near = near.and_then(|(key, map)| crate::text::nearest(key, map.keys().map(|k| &**k)));
    Missing { path: path.to_vec(), known, near: near.map(str::to_owned) }
}

struct TraceSearch<'a, 's> {
    stacks: &'a StackContext<'s>,
    misses: &'a [Miss],
    engine: &'a Engine<'a>,
    stack: Key,
    data: &'a Value,
}

impl TraceSearch<'_, '_> {
    fn value(&mut self, value: &Value, path: &str, depth: usize) {
        if depth > MAX_DEPTH || !value.holds(Flags::RENDERED_NO_VALUE) {
            return;
        }
        match &value.data {
            Data::Str(text) => {
                if let Some(trace) = trace_in(text) {
                    self.found(trace, &value.prov, path, false);
                }
            }
            Data::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.value(item, &format!("{path}[{i}]"), depth + 1);
                }
            }
            Data::Map(map) => {
                for entry in map.iter() {
                    let path = format!("{path}.{}", entry.key);
                    if let Some(trace) = trace_in(&entry.key) {
                        self.found(trace, &entry.value.prov, &path, true);
                    }
                    self.value(&entry.value, &path, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn found(&mut self, trace: &str, prov: &Prov, path: &str, is_key: bool) {
        let Some(site) = prov.origin else { return };
        let files = self.stacks.reader.files;
        let source =
            |o: Origin, from: u32| files.get(o.file).text.get(from as usize..o.end as usize).map(str::to_owned);
        let text = source(site, if is_key { site.key } else { site.start }).unwrap_or_default();
        let is_template = text.contains("{{") || text.contains(self.engine.delimiters.0);
        let mut inputs = Vec::new();
        prov.for_each_input(&mut |o| inputs.push(o));
        let is_written = |o: &Origin| source(*o, o.start).is_some_and(|t| t.contains(trace));
        if !is_template || text.contains(trace) || inputs.iter().any(is_written) {
            return;
        }
        let own = self.misses.iter().filter(|m| m.site.origin == Some(site) && !m.guarded);
        let missing = own.map(|m| missing(self.data, &m.path)).collect();
        let (trace, path, stack) = (trace.to_owned(), path.to_owned(), Text::clone(&self.stack));
        self.stacks.recorder.observations.trace(Trace { site, inputs, trace, path, stack, missing });
    }
}
