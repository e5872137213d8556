//! The locals of the files of a revision, resolved once per file, and their form in the resolution.

use super::Locals;
use super::refs;
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::document::Decoder;
use crate::dialects::atmos::names;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded};
use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::limits::Limits;
use crate::resolution::{Dependency, Local, LocalLevel, LocalScope};
use crate::text::Text;
use crate::value::{FileId, Key, Map, Origin, Value};
use crate::yaml::Span;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Locals resolved so far; both revisions share it. By the files they come from (the file itself, then what it
/// includes) and the delimiter of keys.
#[derive(Default)]
pub(crate) struct LocalCache {
    resolved: Mutex<HashMap<Identity, Arc<FileLocals>>>,
}

/// The files and the delimiter.
type Identity = (Vec<FileId>, Option<String>);

pub(crate) struct FileLocals {
    pub loaded: Arc<Loaded>,
    /// As it is written.
    pub raw: Map,
    pub locals: Locals,
    view: OnceLock<Vec<Arc<LocalScope>>>,
    oddities: OnceLock<Vec<Diagnostic>>,
}

pub(in crate::dialects::atmos) fn components(raw: &Map) -> impl Iterator<Item = (&Key, &Key, &Value)> {
    let types = raw.get("components").and_then(Value::as_map).into_iter().flat_map(|m| m.iter());
    types.flat_map(|t| {
        let all = t.value.as_map().into_iter().flat_map(|m| m.iter());
        all.filter_map(|c| Some((&t.key, &c.key, c.value.get("locals")?)))
    })
}

impl LocalCache {
    /// Drops all locals.
    pub(in crate::dialects::atmos) fn clear(&self) {
        self.resolved.lock().clear();
    }

    /// The locals of a file that was decoded with the help of `included`, with a delimiter of keys.
    pub(in crate::dialects::atmos) fn of(
        &self,
        loaded: &Arc<Loaded>,
        raw: &Map,
        included: &Deps,
        delimiter: Option<&str>,
        engine: &Engine<'_>,
    ) -> Arc<FileLocals> {
        let files: Vec<FileId> =
            std::iter::once(loaded.file).chain(included.files.iter().copied().filter(|f| *f != loaded.file)).collect();
        let key = (files, delimiter.map(str::to_owned));
        let known = self.resolved.lock().get(&key).cloned();
        known.unwrap_or_else(|| {
            let locals = super::resolve(raw, engine);
            let found = FileLocals {
                loaded: Arc::clone(loaded),
                raw: raw.clone(),
                locals,
                view: OnceLock::new(),
                oddities: OnceLock::new(),
            };
            self.resolved.lock().entry(key).or_insert_with(|| Arc::new(found)).clone()
        })
    }
}

impl FileLocals {
    /// Returns the name of the stack that the file sets by itself, if it is a top-level manifest at `path`.
    pub(crate) fn own_stack_name(&self, path: &str, config: &Config, engine: &Engine<'_>) -> Option<Key> {
        let vars = self.raw.get("vars").filter(|v| v.as_map().is_some()).cloned();
        let vars = vars.unwrap_or_else(|| Value::map(Map::new()));
        let data = Value::map(Map::from_iter([(Key::from("vars"), vars)]));
        let name = self.raw.get("name").filter(|v| v.as_str().is_some_and(|s| !s.is_empty()));
        let key = paths::manifest_key(path, &config.stacks);
        let named = names::stack(config, engine, &key, name, &data).ok()?;
        named.name.as_str().filter(|s| !s.is_empty() && !s.contains("{{")).map(Key::from)
    }

    /// Whether the file has locals, of its own or of a component.
    pub(in crate::dialects::atmos) fn has_any(&self) -> bool {
        self.locals.present || components(&self.raw).next().is_some()
    }

    /// Returns their form in the resolution.
    pub(crate) fn view(&self, templates: &Templates) -> &[Arc<LocalScope>] {
        self.view.get_or_init(|| {
            let engine = refs::engine(templates);
            let printed = self.printed(&engine);
            let mut scopes: Vec<Arc<LocalScope>> = Vec::new();
            for scope in &self.locals.scopes {
                let level = scope.kind.map_or(LocalLevel::File, |k| LocalLevel::Kind(k.into()));
                let outer = scope.kind.and_then(|_| self.locals.scopes.iter().find(|s| s.kind.is_none()));
                let plain = printed.as_ref().and_then(|p| p.scopes.iter().find(|s| s.kind == scope.kind));
                let place = |path: &[String]| self.place(path, &scope.raw, &scope.context);
                let one = |name: &Key, raw: &Value| Local {
                    name: Text::clone(name),
                    value: scope.own.get(name).cloned(),
                    printed: plain.and_then(|p| p.own.get(name).cloned()),
                    origin: raw.prov.origin,
                    depends_on: depends_on(raw, &engine, &place),
                    shadows: outer.and_then(|o| o.raw.get(name)).and_then(|v| v.prov.origin),
                    is_read_by_code: false,
                };
                let locals = scope.raw.iter().map(|e| one(&e.key, &e.value)).collect();
                scopes.push(Arc::new(LocalScope { file: self.loaded.file, stack: None, level, locals }));
            }
            for (kind, name, section) in components(&self.raw) {
                let Some(raw) = section.as_map() else { continue };
                let level = LocalLevel::Component(Text::clone(kind), Text::clone(name));
                // Plain data: nothing resolves them before the component itself is rendered.
                let place = |path: &[String]| match path {
                    [first, name, ..] if first == "locals" => raw.get(name).and_then(|v| v.prov.origin),
                    _ => None,
                };
                let one = |name: &Key, value: &Value| Local {
                    name: Text::clone(name),
                    value: Some(value.clone()),
                    printed: None,
                    origin: value.prov.origin,
                    depends_on: depends_on(value, &engine, &place),
                    shadows: self.defined(name),
                    is_read_by_code: false,
                };
                let locals = raw.iter().map(|e| one(&e.key, &e.value)).collect();
                scopes.push(Arc::new(LocalScope { file: self.loaded.file, stack: None, level, locals }));
            }
            scopes
        })
    }

    /// Returns findings about them, which `find` computes once.
    pub(in crate::dialects::atmos) fn oddities(&self, find: impl FnOnce() -> Vec<Diagnostic>) -> &[Diagnostic] {
        self.oddities.get_or_init(find)
    }

    /// The locals of a scope as they are written.
    pub(crate) fn raw_scope(&self, kind: Option<&str>) -> Arc<Map> {
        let found = self.locals.scopes.iter().find(|s| s.kind == kind);
        found.map(|s| Arc::clone(&s.raw)).unwrap_or_default()
    }

    /// Returns where the file defines a local of its own or of a component type.
    pub(crate) fn defined(&self, name: &str) -> Option<Origin> {
        self.locals.scopes.iter().rev().find_map(|s| s.raw.get(name)).and_then(|v| v.prov.origin)
    }

    /// Where a local is defined: by the file for itself or a component type, else by a component, which is named then.
    pub(crate) fn definition(&self, name: &str) -> Option<(Option<Origin>, Option<Key>)> {
        let own = self.locals.scopes.iter().rev().find_map(|s| s.raw.get(name));
        let own = own.map(|v| (v.prov.origin, None));
        own.or_else(|| {
            let mut of_components = components(&self.raw);
            of_components.find_map(|(_, c, section)| Some((section.get(name)?.prov.origin, Some(Text::clone(c)))))
        })
    }

    fn place(&self, path: &[String], own: &Map, context: &Map) -> Option<Origin> {
        let (first, second) = (path.first()?, path.get(1)?);
        if first == "locals" {
            let outer = self.locals.scopes.iter().find(|s| s.kind.is_none());
            let found = own.get(second).or_else(|| outer.and_then(|o| o.raw.get(second)));
            return found.and_then(|v| v.prov.origin);
        }
        context.get(first)?.get(second)?.prov.origin
    }

    /// The locals of a file in which YAML tags have no meaning: that is how Atmos prints them. `None` where that is the same.
    fn printed(&self, engine: &Engine<'_>) -> Option<Locals> {
        if !self.locals.present || !self.loaded.text.contains('!') {
            return None;
        }
        Some(super::resolve(&plain_map(&self.loaded)?, engine))
    }
}

fn depends_on(raw: &Value, engine: &Engine<'_>, place: &dyn Fn(&[String]) -> Option<Origin>) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    refs::each_text(raw, &mut |text| {
        for path in refs::reads(text, engine) {
            let near = &path[..path.len().min(2)];
            let dependency = Dependency { path: near.join("."), origin: place(near) };
            if !found.contains(&dependency) {
                found.push(dependency);
            }
        }
    });
    found
}

/// The map of a file in which tags have no meaning.
fn plain_map(loaded: &Loaded) -> Option<Map> {
    let place = |key: u32, span: Span| loaded.prov(key, span);
    let decoder = Decoder { place: &place, include: None, delimiter: None, limits: Limits::default() };
    let value = decoder.decode(loaded.doc().ok()?).ok()?;
    value.as_map().map(|m| (**m).clone())
}
