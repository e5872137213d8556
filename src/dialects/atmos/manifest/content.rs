//! The content of one manifest before its imports: read, its locals resolved, rendered with its context (`reference:
//! atmos.md` sections 7.1 and 9).

use super::local_problems::{blames_local, local_problems};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::{ErrorReported, report_issues};
use crate::dialects::atmos::document::{Decoder, Issue, expand_keys};
use crate::dialects::atmos::locals::refs;
use crate::dialects::atmos::locals::scopes::FileLocals;
use crate::dialects::atmos::locals::{self, Locals};
use crate::dialects::atmos::manifest::{Call, Manifests};
use crate::dialects::atmos::reader::{Deps, Includer, Loaded, syntax_issue};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::{Engine, Failure, NOT_UTF8, source_offset, with_assumptions};
use crate::dialects::atmos::templates::host::{Host, Versions, mentions_version};
use crate::dialects::atmos::templates::unknowns::{hide_unknowns, reveal};
use crate::limits::Limit;
use crate::template::{MissingKey, Segment};
use crate::text::Text;
use crate::value::{Data, Map, Prov, Value};
use crate::yaml::{self, Document, Span};
use std::sync::Arc;

impl Manifests<'_> {
    /// The content of a file before imports, and the context that it hands to them.
    pub(in crate::dialects::atmos) fn read(
        &self,
        loaded: &Arc<Loaded>,
        call: &Call,
        deps: &mut Deps,
    ) -> Result<(Map, Arc<Map>), ErrorReported> {
        let mut included = Deps::default();
        let raw = self.reader.decode(
            loaded,
            self.config.key_delimiter.as_deref(),
            &self.config.base,
            &self.config.start,
            &mut included,
        );
        deps.add(&included);
        let is_template = loaded.path.ends_with(".yaml.tmpl") || loaded.path.ends_with(".yml.tmpl");
        if call.skip_templates {
            self.recorder.observations.unrendered(loaded.file);
            let value = raw.map_err(|issues| self.broken(loaded, &issues))?;
            let map = self.as_map(loaded, value)?;
            // They are not used, but a finding about a reference to one of them shows where it is.
            self.locals_of(loaded, &map, &included);
            let map = with_import_context(map, &call.context);
            return Ok((map, Arc::clone(&call.context)));
        }
        // Before it is rendered, the text of a template need not be YAML, nor its locals make sense.
        let unfinished = loaded.path.ends_with(".tmpl");
        let raw_map = match &raw {
            Ok(value) => Some(self.as_map(loaded, value.clone())?),
            Err(_) if unfinished && (is_template || !call.context.is_empty()) => None,
            Err(issues) => return Err(self.broken(loaded, issues)),
        };
        let mut locals = None;
        if let Some(map) = &raw_map {
            let found = self.locals_of(loaded, map, &included);
            match found.locals.problems.is_empty() {
                true => locals = Some(found),
                false if unfinished => {}
                false => return Err(local_problems(self, &found, deps)),
            }
        }
        // Without a context nothing is rendered, and locals of the importer are not one.
        let has_locals = locals.as_ref().is_some_and(|found| found.locals.present);
        let has_context = has_locals || call.context.keys().any(|key| **key != *"locals");
        if !has_context && !is_template {
            return Ok((raw_map.unwrap_or_default(), Arc::default()));
        }
        if call.ignore_missing {
            self.recorder.observations.lenient(loaded.file);
        }
        let context = match raw_map.as_ref().zip(locals) {
            Some((map, found)) => self.add_locals(map, &found.locals, &call.context),
            None => without_locals(&call.context),
        };
        let map = self.rendered(loaded, raw_map, &context, call, deps)?;
        Ok((with_import_context(map, &context), context))
    }

    /// The content of a file, rendered with a context; as written if that fails and its importer gave none.
    fn rendered(
        &self,
        loaded: &Arc<Loaded>,
        raw: Option<Map>,
        context: &Arc<Map>,
        call: &Call,
        deps: &mut Deps,
    ) -> Result<Map, ErrorReported> {
        let missing = if call.ignore_missing { MissingKey::Default } else { MissingKey::Error };
        let host = self.host(loaded, context, deps);
        let engine = Engine { host: host.as_ref(), ..self.engine(missing) };
        let data = Value { data: Data::Map(Arc::clone(context)), prov: Prov::default() };
        // Only a context that the importer gave makes a failure one; otherwise the file waits for its components.
        let given = !call.context.is_empty();
        let structured = raw.filter(|_| !context.is_empty()).map(|raw| {
            let data = with_versions(&data, host.as_ref());
            let value = locals::replace_references(&Value::map(raw), &data, &engine);
            let map = value.as_map().cloned().unwrap_or_default();
            match self.config.key_delimiter.as_deref() {
                Some(delimiter) => {
                    Arc::new(expand_keys(&map, delimiter, self.reader.limits().count(Limit::NestingDepth)))
                }
                None => map,
            }
        });
        match structured {
            Some(map) => match engine.map_in_parts(&map, &data, 1) {
                Ok(rendered) => Ok((*rendered).clone()),
                Err(Failure::Template { message, site, .. }) if !given => {
                    self.recorder.observations.abandoned(loaded.file, &message, site.origin);
                    Ok((*map).clone())
                }
                Err(Failure::Template { message, site, text: Some(text) })
                    if blames_local(self, &text, &message, &site, loaded) =>
                {
                    Err(ErrorReported)
                }
                Err(failure) => Err(self.failure(&failure, loaded)),
            },
            None => self.rendered_text(loaded, &data, &engine, given, deps),
        }
    }

    /// The locals of a file that was decoded with the help of `included`, noted for the rules about locals.
    pub(super) fn locals_of(&self, loaded: &Arc<Loaded>, raw: &Map, included: &Deps) -> Arc<FileLocals> {
        let engine = Engine { env: self.env, ..refs::engine(self.templates) };
        let found = self.locals.of(loaded, raw, included, self.config.key_delimiter.as_deref(), &engine);
        if found.has_any() {
            self.recorder.observations.locals(&found);
        }
        found
    }

    /// Returns the project data for the templates of a file: the locked versions, if they mention them.
    fn host(&self, loaded: &Loaded, context: &Map, deps: &mut Deps) -> Option<Host> {
        if !mentions_version(&loaded.text) || context.has("version") {
            return None;
        }
        self.cache.lock_file.depend(deps);
        let versions = Some(self.cache.lock_file.track(None, &self.recorder.diagnostics));
        Some(Host { versions, ..Host::default() })
    }

    /// Returns the content of a file whose text is rendered as a whole.
    fn rendered_text(
        &self,
        loaded: &Arc<Loaded>,
        data: &Value,
        engine: &Engine<'_>,
        given: bool,
        deps: &mut Deps,
    ) -> Result<Map, ErrorReported> {
        let rendered = match engine.text(&loaded.text, data) {
            Ok(rendered) => rendered,
            Err(_) if !given => {
                let doc = yaml::document_of(Text::clone(&loaded.text))
                    .map_err(|e| self.broken(loaded, &[syntax_issue(&e)]))?;
                let place = |key: u32, span: Span| loaded.prov(key, span);
                let value = self.decode(&doc, loaded, &place, deps).map_err(|issues| self.broken(loaded, &issues))?;
                return self.as_map(loaded, value);
            }
            Err(error) => {
                let end = (error.offset + 1).min(loaded.text.len());
                let label = Label::new(loaded.file, error.offset as u32, end as u32, "");
                self.recorder.diagnostics.push(Diagnostic::new(&rules::TEMPLATE_ERROR, error.message, label));
                return Err(ErrorReported);
            }
        };
        if let Some(offset) = rendered.not_utf8() {
            let offset = source_offset(&rendered.segments, offset) as u32;
            let message = format!("the rendered file is not valid YAML: {NOT_UTF8}");
            let label = Label::new(loaded.file, offset, offset + 1, "");
            return Err(self.recorder.diagnostics.push(Diagnostic::new(&rules::INVALID_YAML, message, label)));
        }
        let mut unknowns = Vec::new();
        let (text, segments) = hide_unknowns(&rendered, &mut unknowns);
        let at = |offset: u32| source_offset(&segments, offset as usize) as u32;
        let doc = yaml::document_of(text.into()).map_err(|e| {
            let mut issue = syntax_issue(&e);
            issue.span = Span { start: at(e.offset), end: at(e.offset) + 1 };
            issue.message = format!("the rendered file is not valid YAML: {}", e.message);
            self.broken(loaded, &[issue])
        })?;
        let place = |key: u32, span: Span| {
            let start = at(span.start);
            let end = at(span.end.saturating_sub(1)).max(start) + 1;
            let prov = loaded.prov(at(key), Span { start, end });
            let is_computed = has_computed(&segments, key, span.start) || !literal(&segments, span.start);
            prov.with_inputs(rendered.inputs.iter().filter(|_| is_computed).cloned())
        };
        let value = self.decode(&doc, loaded, &place, deps).map_err(|issues| self.broken(loaded, &issues))?;
        let map = self.as_map(loaded, reveal(&value, &unknowns))?;
        if unknowns.is_empty() {
            return Ok(map);
        }
        let assumed = engine.assuming().and_then(|engine| self.assumed(loaded, &data.assume(), &engine, deps));
        Ok(assumed.map_or_else(|| map.clone(), |assumed| (*with_assumptions(&map, &assumed)).clone()))
    }

    /// Returns the content of a rendered file in an empty environment, if that is defined.
    fn assumed(&self, loaded: &Arc<Loaded>, data: &Value, engine: &Engine<'_>, deps: &mut Deps) -> Option<Map> {
        let rendered = engine.text(&loaded.text, data).ok().filter(|r| r.unknowns.is_empty())?;
        let doc = yaml::document_of(rendered.text.into()).ok()?;
        let value = self.decode(&doc, loaded, &|_, _| Prov::default(), deps).ok()?;
        value.as_map().map(|map| (**map).clone())
    }

    /// The value of a document that came out of a template.
    fn decode(
        &self,
        doc: &Document,
        loaded: &Loaded,
        place: &dyn Fn(u32, Span) -> Prov,
        deps: &mut Deps,
    ) -> Result<Value, Vec<Issue>> {
        let (base, start) = (&self.config.base, &self.config.start);
        let includer = Includer::new(self.reader, &loaded.path, base, start);
        let decoder = Decoder {
            place,
            include: Some(&includer),
            delimiter: self.config.key_delimiter.as_deref(),
            limits: self.reader.limits(),
        };
        let value = decoder.decode(doc);
        deps.add(&includer.into_deps());
        value
    }

    /// The context of a file with its locals and the sections that may use them.
    fn add_locals(&self, file: &Map, locals: &Locals, context: &Arc<Map>) -> Arc<Map> {
        let mut context = (*without_locals(context)).clone();
        if !locals.present {
            return Arc::new(context);
        }
        context.set("locals", Value::map(locals.flat.clone()));
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

    fn as_map(&self, loaded: &Loaded, value: Value) -> Result<Map, ErrorReported> {
        match value.data {
            Data::Map(map) => Ok((*map).clone()),
            Data::Null => Ok(Map::new()),
            _ => {
                let message = format!("a manifest must be a map, not {}", value.a_kind());
                Err(self.recorder.diagnostics.error(&rules::INVALID_YAML, message, &value.prov, loaded.file))
            }
        }
    }

    fn broken(&self, loaded: &Loaded, issues: &[Issue]) -> ErrorReported {
        report_issues(&self.recorder.diagnostics, loaded, issues)
    }

    fn failure(&self, failure: &Failure, loaded: &Loaded) -> ErrorReported {
        let (message, site) = failure.parts();
        let rule =
            if matches!(failure, Failure::Template { .. }) { &rules::TEMPLATE_ERROR } else { &rules::INVALID_YAML };
        self.recorder.diagnostics.error(rule, message, site, loaded.file)
    }
}

/// The data of a file, with the versions as maps: a plain reference to one becomes that map.
fn with_versions(data: &Value, host: Option<&Host>) -> Value {
    let versions = host.and_then(|host| host.versions.as_ref()).and_then(Option::as_ref);
    let (Some(Versions::Known(track)), Some(map)) = (versions, data.as_map()) else { return data.clone() };
    let mut map = (**map).clone();
    map.set("version", track.to_value());
    Value { data: Data::Map(Arc::new(map)), prov: data.prov.clone() }
}

fn literal(segments: &[Segment], offset: u32) -> bool {
    let after = segments.partition_point(|s| s.out <= offset as usize);
    after.checked_sub(1).and_then(|i| segments.get(i)).is_none_or(|s| s.literal)
}

/// Whether an action printed a part of the output between two offsets: a key up to its value.
fn has_computed(segments: &[Segment], from: u32, to: u32) -> bool {
    let first = segments.partition_point(|s| s.out <= from as usize).saturating_sub(1);
    let own = segments.iter().skip(first).take_while(|s| s.out < to as usize);
    from < to && own.into_iter().any(|s| !s.literal)
}

/// The sections that a context has under their names replace those of the file.
fn with_import_context(mut file: Map, context: &Map) -> Map {
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
