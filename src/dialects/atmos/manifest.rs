//! One manifest with all that it imports, merged into one map (`reference: atmos.md` sections 3, 4.7, 7.1 and 9.3).

use super::config::Config;
use super::document::Decoder;
use super::functions::NO_ENV;
use super::imports::{self, Import};
use super::locals::{self, Locals};
use super::merge::{ListStrategy, merge, merge_imports};
use super::paths;
use super::reader::{Deps, Includer, Loaded, Reader, syntax_issue};
use super::render::{Engine, Failure, Templates, hide_unknowns, reveal, source_offset};
use super::sink::{Poisoned, Sink, label};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::template::{Builtins, FunctionSet, MissingKey};
use crate::value::{Data, Key, Map, Origin, Prov, Value};
use crate::yaml::{self, Document, Span};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// How deep imports may lead.
const MAX_DEPTH: usize = 200;

/// The template functions of a render of a whole file.
pub(crate) const FILE_FUNCTIONS: FunctionSet = FunctionSet::ALL;
/// The template functions of locals.
const LOCALS_FUNCTIONS: FunctionSet = FunctionSet::LOCALS;

/// `overrides` on their way through the imports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// Of the file and of those that import it.
    pub inline: Arc<Map>,
    /// Of what was imported so far.
    pub imported: Arc<Map>,
}

/// Overrides by the component types that take part.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllOverrides {
    terraform: Overrides,
    helmfile: Overrides,
}

impl AllOverrides {
    fn is_empty(&self) -> bool {
        [&self.terraform, &self.helmfile].iter().all(|o| o.inline.is_empty() && o.imported.is_empty())
    }
}

/// A manifest, merged.
#[derive(Debug, Default)]
pub(crate) struct Processed {
    /// The imports and the file itself.
    pub merged: Arc<Map>,
    /// The overrides, for whoever imports it.
    overrides: AllOverrides,
    /// What it depends on.
    pub deps: Deps,
    /// The import items that led to files.
    pub edges: BTreeSet<Origin>,
    /// Whether some import path was rendered with what was imported before.
    contextual: bool,
}

/// How a manifest is reached.
#[derive(Clone, Default)]
struct Call {
    context: Arc<Map>,
    /// `settings`, `vars` and `env` of earlier imports, for import paths.
    path_context: Arc<Map>,
    skip_templates: bool,
    ignore_missing: bool,
    overrides: AllOverrides,
}

type MemoKey = (Arc<str>, bool, bool);

/// Processes manifests of one revision.
pub(crate) struct Manifests<'a> {
    /// The files.
    pub reader: &'a Reader<'a>,
    /// The configuration.
    pub config: &'a Config,
    /// The list strategy of the configuration.
    pub strategy: ListStrategy,
    /// Parsed templates.
    pub templates: &'a Templates,
    /// Findings.
    pub sink: &'a Sink,
    memo: Mutex<HashMap<MemoKey, Result<Arc<Processed>, Poisoned>>>,
}

impl<'a> Manifests<'a> {
    pub(crate) fn new(
        reader: &'a Reader<'a>,
        config: &'a Config,
        strategy: ListStrategy,
        templates: &'a Templates,
        sink: &'a Sink,
    ) -> Self {
        Manifests { reader, config, strategy, templates, sink, memo: Mutex::default() }
    }

    /// A top-level manifest; what it depends on is in `deps` even if it cannot be had.
    pub(crate) fn top(&self, path: &str, deps: &mut Deps) -> Result<Arc<Processed>, Poisoned> {
        let call = Call { ignore_missing: self.config.templates.ignore_missing, ..Call::default() };
        self.file(path, &call, &mut Vec::new(), deps)
    }

    /// The template engine of whole files.
    pub(crate) fn engine(&self, missing: MissingKey) -> Engine<'_> {
        Engine {
            templates: self.templates,
            slot: 0,
            delimiters: ("{{", "}}"),
            functions: &FILE_FUNCTIONS,
            missing,
            env: &NO_ENV,
            assume: false,
        }
    }

    fn file(
        &self,
        path: &str,
        call: &Call,
        chain: &mut Vec<(Arc<str>, Prov)>,
        deps: &mut Deps,
    ) -> Result<Arc<Processed>, Poisoned> {
        let plain = call.context.is_empty() && call.overrides.is_empty();
        let key: MemoKey = (path.into(), call.skip_templates, call.ignore_missing);
        let lock = || self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        if plain && let Some(known) = lock().get(&key).cloned() {
            if let Ok(known) = &known {
                deps.add(&known.deps);
            }
            return known;
        }
        let mut own = Deps::default();
        chain.push((Arc::clone(&key.0), Prov::default()));
        let processed = self.process(path, call, chain, &mut own);
        chain.pop();
        deps.add(&own);
        let processed = processed.map(|p| Arc::new(Processed { deps: own, ..p }));
        // A failure may be due to the way that led here (a cycle), so it is not remembered.
        if plain && processed.as_ref().is_ok_and(|p| !p.contextual) {
            lock().insert(key, processed.clone());
        }
        processed
    }

    fn process(
        &self,
        path: &str,
        call: &Call,
        chain: &mut Vec<(Arc<str>, Prov)>,
        deps: &mut Deps,
    ) -> Result<Processed, Poisoned> {
        let loaded = match self.reader.load(path, deps) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => return Ok(Processed::default()),
            Err(message) => {
                let site = chain.iter().rev().find_map(|(_, p)| p.origin);
                let file = self.reader.files.add(path, "", || Arc::from(""));
                let label = site.map_or_else(|| Label::new(file, 0, 0, ""), |o| Label::at(o, ""));
                self.sink.push(Diagnostic::new("unreadable-file", Level::Error, message, label));
                return Err(Poisoned);
            }
        };
        if loaded.is_empty() {
            return Ok(Processed::default());
        }
        let relative = paths::relative(path, &self.config.stacks).unwrap_or(path).to_owned();
        let (mut own, context) = self.read(&loaded, call, deps)?;
        let section = |map: &Map, key: &str| -> Result<Arc<Map>, Poisoned> {
            match map.get(key) {
                None => Ok(Arc::default()),
                Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
                Some(other) => {
                    let message = format!("`{key}` must be a map, not a {}", other.kind());
                    Err(self.sink.error("non-mapping-section", message, &other.prov, loaded.file))
                }
            }
        };
        let global = section(&own, "overrides")?;
        let inline = |kind: &str, parent: &Overrides| -> Result<Overrides, Poisoned> {
            let typed = section(&*section(&own, kind)?, "overrides")?;
            Ok(Overrides {
                inline: merge_imports(self.strategy, [&global, &typed, &parent.inline]),
                imported: Arc::clone(&parent.imported),
            })
        };
        let mut overrides = AllOverrides {
            terraform: inline("terraform", &call.overrides.terraform)?,
            helmfile: inline("helmfile", &call.overrides.helmfile)?,
        };
        let items = imports::items(&own, &relative)
            .map_err(|(message, site)| self.sink.error("schema-violation", message, &site, loaded.file))?;
        let mut out = Processed::default();
        let mut layers: Vec<Arc<Map>> = Vec::new();
        let mut path_context = Arc::clone(&call.path_context);
        let mut poisoned = false;
        for item in items {
            if let Some(last) = chain.last_mut() {
                last.1 = item.site.clone();
            }
            let child = Call {
                context: merge_imports(self.strategy, [&item.context, &context]),
                path_context: Arc::clone(&path_context),
                skip_templates: item.skip_templates,
                ignore_missing: item.ignore_missing || self.config.templates.ignore_missing,
                overrides: overrides.clone(),
            };
            let Ok(matches) = self.matches(&item, &path_context, &loaded, &mut out, deps) else {
                poisoned = true;
                continue;
            };
            for file in matches {
                out.edges.extend(item.site.origin);
                if self.closes_cycle(&file, chain, &loaded) {
                    poisoned = true;
                    continue;
                }
                let Ok(result) = self.file(&file, &child, chain, deps) else {
                    poisoned = true;
                    continue;
                };
                for (own, theirs) in [
                    (&mut overrides.terraform, &result.overrides.terraform),
                    (&mut overrides.helmfile, &result.overrides.helmfile),
                ] {
                    own.imported = merge_imports(self.strategy, [&own.imported, &theirs.imported, &theirs.inline]);
                }
                out.contextual |= result.contextual;
                out.edges.extend(&result.edges);
                let handed: Map = ["settings", "vars", "env"]
                    .iter()
                    .filter_map(|k| Some((Key::from(*k), result.merged.get(k).filter(|v| !v.is_null())?.clone())))
                    .collect();
                if !handed.is_empty() {
                    path_context = merge_imports(self.strategy, [&path_context, &Arc::new(handed)]);
                }
                layers.push(Arc::clone(&result.merged));
            }
        }
        if poisoned {
            return Err(Poisoned);
        }
        for (kind, of) in [("terraform", &overrides.terraform), ("helmfile", &overrides.helmfile)] {
            let all = merge_imports(self.strategy, [&of.imported, &of.inline]);
            if !all.is_empty() {
                own = override_components(&own, kind, &all);
            }
        }
        layers.push(Arc::new(own));
        out.merged = merge_imports(self.strategy, &layers);
        out.overrides = overrides;
        Ok(out)
    }

    /// The content of a file before imports, and the context that it hands to them.
    fn read(&self, loaded: &Arc<Loaded>, call: &Call, deps: &mut Deps) -> Result<(Map, Arc<Map>), Poisoned> {
        let raw = self.reader.decode(
            loaded,
            self.config.key_delimiter.as_deref(),
            &self.config.base,
            &self.config.start,
            deps,
        );
        let is_template = loaded.path.ends_with(".yaml.tmpl") || loaded.path.ends_with(".yml.tmpl");
        if call.skip_templates {
            let value = raw.map_err(|issues| self.broken(loaded, &issues))?;
            let map = with_handed_sections(self.as_map(loaded, value)?, &call.context);
            return Ok((map, Arc::clone(&call.context)));
        }
        let mut context = Arc::clone(&call.context);
        // Before it is rendered, the text of a template need not be YAML, nor its locals make sense.
        let unfinished = loaded.path.ends_with(".tmpl");
        let raw_map = match &raw {
            Ok(value) => Some(self.as_map(loaded, value.clone())?),
            Err(_) if unfinished && (is_template || !context.is_empty()) => None,
            Err(issues) => return Err(self.broken(loaded, issues)),
        };
        if let Some(map) = &raw_map {
            match locals::resolve(map, &self.locals_engine()) {
                Ok(locals) => context = self.add_locals(map, locals, &context),
                Err(_) if unfinished => context = without_locals(&context),
                Err(error) => {
                    let mut finding =
                        Diagnostic::new(error.rule, Level::Error, error.message, label(&error.site, loaded.file, ""));
                    finding.related = error.related.iter().map(|(p, words)| label(p, loaded.file, words)).collect();
                    self.sink.push(finding);
                    return Err(Poisoned);
                }
            }
        } else {
            context = without_locals(&context);
        }
        let map = if is_template || !context.is_empty() {
            self.rendered(loaded, raw_map, &context, call, deps)?
        } else {
            raw_map.unwrap_or_default()
        };
        Ok((with_handed_sections(map, &context), context))
    }

    /// The content of a file, rendered with a context.
    fn rendered(
        &self,
        loaded: &Arc<Loaded>,
        raw: Option<Map>,
        context: &Arc<Map>,
        call: &Call,
        deps: &mut Deps,
    ) -> Result<Map, Poisoned> {
        let missing = if call.ignore_missing { MissingKey::Default } else { MissingKey::Error };
        let engine = self.engine(missing);
        let data = Value { data: Data::Map(Arc::clone(context)), prov: Prov::default() };
        // Only a context that the importer gave makes a failure one; otherwise the file waits for its components.
        let given = !call.context.is_empty();
        let structured = raw.filter(|_| !context.is_empty()).map(|raw| {
            let value = locals::replace_references(&Value::map(raw), &data, &engine);
            value.as_map().cloned().unwrap_or_default()
        });
        match structured {
            Some(map) => match engine.map_in_parts(&map, &data, 1) {
                Ok(rendered) => Ok((*rendered).clone()),
                Err(Failure::Template { .. }) if !given => Ok((*map).clone()),
                Err(failure) => Err(self.failure(&failure, loaded)),
            },
            None => self.rendered_text(loaded, &data, &engine, given, deps),
        }
    }

    /// The content of a file whose text is rendered as it stands there.
    fn rendered_text(
        &self,
        loaded: &Arc<Loaded>,
        data: &Value,
        engine: &Engine<'_>,
        given: bool,
        deps: &mut Deps,
    ) -> Result<Map, Poisoned> {
        let rendered = match engine.text(&loaded.text, data) {
            Ok(rendered) => rendered,
            Err(_) if !given => {
                let doc = yaml::document_of(Arc::clone(&loaded.text))
                    .map_err(|e| self.broken(loaded, &[syntax_issue(&e)]))?;
                let place = |key: u32, span: Span| loaded.prov(key, span);
                let value = self.decode(&doc, loaded, &place, deps).map_err(|issues| self.broken(loaded, &issues))?;
                return self.as_map(loaded, value);
            }
            Err(error) => {
                let end = (error.offset + 1).min(loaded.text.len());
                let label = Label::new(loaded.file, error.offset as u32, end as u32, "");
                self.sink.push(Diagnostic::new("template-error", Level::Error, error.message, label));
                return Err(Poisoned);
            }
        };
        let mut unknowns = Vec::new();
        let (text, segments) = hide_unknowns(&rendered, &mut unknowns);
        let at = |offset: u32| source_offset(&segments, offset as usize) as u32;
        let doc = yaml::document_of(text.into()).map_err(|e| {
            let mut issue = syntax_issue(&e);
            issue.span = Span { start: at(e.offset), end: at(e.offset) + 1 };
            issue.message = format!("the rendered file is no YAML: {}", e.message);
            self.broken(loaded, &[issue])
        })?;
        let place = |key: u32, span: Span| {
            let start = at(span.start);
            let end = at(span.end.saturating_sub(1)).max(start) + 1;
            let prov = loaded.prov(at(key), Span { start, end });
            prov.with_inputs(rendered.inputs.iter().filter(|_| !literal(&segments, span.start)).cloned())
        };
        let value = self.decode(&doc, loaded, &place, deps).map_err(|issues| self.broken(loaded, &issues))?;
        self.as_map(loaded, reveal(&value, &unknowns))
    }

    /// The value of a document that came out of a template.
    fn decode(
        &self,
        doc: &Document,
        loaded: &Loaded,
        place: &dyn Fn(u32, Span) -> Prov,
        deps: &mut Deps,
    ) -> Result<Value, Vec<super::document::Issue>> {
        let (base, start) = (&self.config.base, &self.config.start);
        let includer = Includer { reader: self.reader, manifest: &loaded.path, base, start, deps: Mutex::default() };
        let decoder = Decoder { place, include: Some(&includer), delimiter: self.config.key_delimiter.as_deref() };
        let value = decoder.decode(doc);
        deps.add(&includer.deps.into_inner().unwrap_or_else(PoisonError::into_inner));
        value
    }

    /// The context of a file with its locals and the sections that may use them.
    fn add_locals(&self, file: &Map, locals: Locals, context: &Arc<Map>) -> Arc<Map> {
        let mut context = (*without_locals(context)).clone();
        if !locals.present {
            return Arc::new(context);
        }
        context.set("locals", Value::map(locals.flat));
        let engine = self.engine(MissingKey::Error);
        // Each section is rendered with what is resolved before it; one that fails stays as it is, all of it.
        let mut seen = context.clone();
        for key in ["settings", "vars", "env"] {
            let Some(Value { data: Data::Map(section), prov }) = file.get(key) else { continue };
            let data = Value::map(seen.clone());
            let replaced = locals::replace_references(
                &Value { data: Data::Map(Arc::clone(section)), prov: prov.clone() },
                &data,
                &engine,
            );
            let map = replaced.as_map().cloned().unwrap_or_default();
            let rendered = engine.map_in_parts(&map, &data, 1).unwrap_or_else(|_| Arc::clone(section));
            let value = Value { data: Data::Map(rendered), prov: prov.clone() };
            seen.set(key, value.clone());
            context.set(key, value);
        }
        Arc::new(context)
    }

    fn locals_engine(&self) -> Engine<'_> {
        let (functions, missing) = (&LOCALS_FUNCTIONS, MissingKey::Error);
        Engine {
            templates: self.templates,
            slot: 1,
            delimiters: ("{{", "}}"),
            functions,
            missing,
            env: &NO_ENV,
            assume: false,
        }
    }

    /// The files that an import leads to.
    fn matches(
        &self,
        item: &Import,
        accumulated: &Arc<Map>,
        from: &Loaded,
        out: &mut Processed,
        deps: &mut Deps,
    ) -> Result<Vec<String>, Poisoned> {
        let fail = |rule, message: String| self.sink.error(rule, message, &item.path_site, from.file);
        let mut path = item.path.clone();
        if path.contains("{{") && !item.skip_templates && self.config.templates.enabled {
            out.contextual = true;
            let data =
                Value { data: Data::Map(merge(self.strategy, [accumulated, &item.context])), prov: Prov::default() };
            let missing = if item.ignore_missing || self.config.templates.ignore_missing {
                MissingKey::Default
            } else {
                MissingKey::Error
            };
            let rendered = self.engine(missing).text(&path, &data);
            let rendered = rendered.map_err(|e| {
                fail("template-error", format!("import path `{path}` cannot be rendered: {}", e.message))
            })?;
            if let Some((_, unknown)) = rendered.unknowns.first() {
                let reason = unknown.reasons.first().map_or("", |r| r);
                return Err(fail(
                    "unevaluable-import",
                    format!("import path `{path}` depends on what only the run time knows: {reason}"),
                ));
            }
            path = rendered.text;
        }
        if imports::is_remote(&path) {
            if item.skip_if_missing {
                return Ok(Vec::new());
            }
            return Err(fail(
                "unevaluable-import",
                format!("`{path}` is fetched from elsewhere; stacklint reads only this repository"),
            ));
        }
        let pattern = imports::pattern(&path, &self.config.stacks, self.reader, deps);
        if pattern.as_deref() == Some(&*from.path) {
            return Err(fail("import-cycle", format!("this manifest imports itself via `{path}`")));
        }
        let found = match &pattern {
            Some(pattern) => self.reader.glob(pattern, deps).map_err(|m| fail("unresolved-import", m))?,
            None => Vec::new(),
        };
        if !found.is_empty() || item.skip_if_missing {
            return Ok(found);
        }
        let options = crate::template::Options { left: "{{", right: "}}", functions: &Builtins };
        match crate::template::parse(&path, &options) {
            Ok(template) if !template.is_plain() => Ok(Vec::new()),
            Ok(_) => {
                let looked = pattern.unwrap_or_else(|| path.clone());
                Err(fail("unresolved-import", format!("nothing is found for import `{path}` (looked for {looked})")))
            }
            Err(error) => Err(fail("template-error", format!("import path `{path}`: {}", error.message))),
        }
    }

    /// Reports an import that leads back to a file on the way to it.
    fn closes_cycle(&self, file: &str, chain: &[(Arc<str>, Prov)], from: &Loaded) -> bool {
        let Some(start) = chain.iter().position(|(p, _)| **p == *file) else {
            if chain.len() < MAX_DEPTH {
                return false;
            }
            let site = chain.last().map_or_else(Prov::default, |c| c.1.clone());
            self.sink.error("import-cycle", format!("imports lead deeper than {MAX_DEPTH} files"), &site, from.file);
            return true;
        };
        // Told from its first member in order of names, so that every way into the cycle reports the same finding.
        let mut members: Vec<&(Arc<str>, Prov)> = chain[start..].iter().collect();
        let first = members.iter().enumerate().min_by_key(|(_, m)| &m.0).map_or(0, |(i, _)| i);
        members.rotate_left(first);
        let names: Vec<&str> = members.iter().map(|m| &*m.0).collect();
        let message = format!("these manifests import each other: {} → {}", names.join(" → "), names[0]);
        let mut finding = Diagnostic::new("import-cycle", Level::Error, message, label(&members[0].1, from.file, ""));
        for (i, (path, site)) in members.iter().enumerate() {
            let next = names[(i + 1) % names.len()];
            finding = finding.related(label(site, from.file, &format!("{path} imports {next}")));
        }
        self.sink.push(finding);
        true
    }

    fn as_map(&self, loaded: &Loaded, value: Value) -> Result<Map, Poisoned> {
        match value.data {
            Data::Map(map) => Ok((*map).clone()),
            Data::Null => Ok(Map::new()),
            _ => {
                let message = format!("a manifest must be a map, not a {}", value.kind());
                Err(self.sink.error("invalid-yaml", message, &value.prov, loaded.file))
            }
        }
    }

    fn broken(&self, loaded: &Loaded, issues: &[super::document::Issue]) -> Poisoned {
        self.sink.issues(loaded, issues)
    }

    fn failure(&self, failure: &Failure, loaded: &Loaded) -> Poisoned {
        let (message, site) = failure.parts();
        let rule = if matches!(failure, Failure::Template { .. }) { "template-error" } else { "invalid-yaml" };
        self.sink.error(rule, message, site, loaded.file)
    }
}

fn literal(segments: &[crate::template::Segment], offset: u32) -> bool {
    let after = segments.partition_point(|s| s.out <= offset as usize);
    after.checked_sub(1).and_then(|i| segments.get(i)).is_none_or(|s| s.literal)
}

/// The sections that a context has under their names take the place of those of the file.
fn with_handed_sections(mut file: Map, context: &Map) -> Map {
    for key in ["locals", "vars", "settings", "env"] {
        if let Some(value) = context.get(key).filter(|v| v.as_map().is_some_and(|m| !m.is_empty())) {
            file.set(key, value.clone());
        }
    }
    file
}

fn without_locals(context: &Arc<Map>) -> Arc<Map> {
    if !context.has("locals") {
        return Arc::clone(context);
    }
    let mut out = (**context).clone();
    out.remove("locals");
    Arc::new(out)
}

/// Every component of a type that the file itself declares gets the overrides.
fn override_components(file: &Map, kind: &str, overrides: &Arc<Map>) -> Map {
    let components = file.get("components").and_then(|c| Some((c, c.as_map()?)));
    let Some((section, components)) = components else { return file.clone() };
    let Some((typed, entries)) = components.get(kind).and_then(|t| Some((t, t.as_map()?))) else { return file.clone() };
    let changed: Map = entries
        .iter()
        .map(|e| {
            let value = match &e.value.data {
                Data::Map(component) => {
                    let mut component = (**component).clone();
                    let prov = overrides.iter().next().map(|e| e.value.prov.clone()).unwrap_or_default();
                    component.set("overrides", Value { data: Data::Map(Arc::clone(overrides)), prov });
                    Value { data: Data::Map(Arc::new(component)), prov: e.value.prov.clone() }
                }
                _ => e.value.clone(),
            };
            (Arc::clone(&e.key), value)
        })
        .collect();
    let mut components = (**components).clone();
    components.set(kind, Value { data: Data::Map(Arc::new(changed)), prov: typed.prov.clone() });
    let mut out = file.clone();
    out.set("components", Value { data: Data::Map(Arc::new(components)), prov: section.prov.clone() });
    out
}
