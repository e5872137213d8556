//! One manifest with all that it imports, merged into one map (`reference: atmos.md` sections 3, 4.7, 7.1 and 9.3).

mod content;
pub(super) mod import_graph;
pub(super) mod local_problems;

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::findings::{Poisoned, Sink, label, rename};
use crate::dialects::atmos::functions::{Env, NO_ENV};
use crate::dialects::atmos::imports::context::Handed;
use crate::dialects::atmos::imports::items::{self, Import, dropped, unread};
use crate::dialects::atmos::locals::observations::Observations;
use crate::dialects::atmos::locals::scopes::LocalCache;
use crate::dialects::atmos::merge::{ListStrategy, merge, merge_imports};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::schema::manifest_checks::SchemaChecks;
use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::dialects::atmos::templates::function_sets;
use crate::dialects::atmos::templates::host::{Mentions, version_tracks::LockFile};
use crate::limits::Limit;
use crate::template::{Builtins, FunctionSet, MissingKey};
use crate::text::Text;
use crate::value::{Data, Key, Map, Origin, Prov, Value};
use local_problems::blames_local;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The template functions of a render of a whole file.
pub(crate) const FILE_FUNCTIONS: FunctionSet = function_sets::ALL;

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
#[derive(Clone, Debug, Default)]
pub(crate) struct Processed {
    /// The imports and the file itself.
    pub merged: Arc<Map>,
    /// The overrides, for whoever imports it.
    overrides: AllOverrides,
    /// What it depends on.
    pub deps: Deps,
    /// The import items that led to files.
    pub edges: BTreeSet<Origin>,
    /// The files that it imports itself.
    pub targets: BTreeSet<Text>,
    /// Whether some import path was rendered with what was imported before.
    contextual: bool,
    /// Whether what was found in it depends on the way that led here.
    singular: bool,
}

impl Processed {
    /// The same with another map of the same content.
    pub(crate) fn with(self: &Arc<Self>, merged: Arc<Map>) -> Arc<Self> {
        match Arc::ptr_eq(&self.merged, &merged) {
            true => Arc::clone(self),
            false => Arc::new(Processed { merged, ..(**self).clone() }),
        }
    }
}

/// How a manifest is reached.
#[derive(Clone, Default)]
pub(in crate::dialects::atmos) struct Call {
    pub context: Arc<Map>,
    pub skip_templates: bool,
    pub ignore_missing: bool,
    overrides: AllOverrides,
}

/// The way from a stack to one of its imports.
#[derive(Default)]
pub(in crate::dialects::atmos) struct Way {
    /// The files on it, each with the import that leads on from it.
    files: Vec<(Text, Prov)>,
    /// The imports since the last file whose result is remembered. Those before it are another's: whether they were
    /// processed for this stack or for an earlier one must make no difference.
    imports: usize,
    /// There were too many of them, which has been told.
    exhausted: bool,
    /// What earlier imports hand over, for import paths.
    handed: Handed,
}

impl Call {
    /// Whether the content of the context makes no difference, though that there is one may. A file that is rendered
    /// drops the locals of its importer before it looks at anything, so with nothing else every importer gets the same.
    fn gives_nothing(&self) -> bool {
        self.context.is_empty() || !self.skip_templates && self.context.keys().all(|key| **key == *"locals")
    }
}

/// The path, how it is asked for ([`Call`]), and whether the importer gave it a context.
type MemoKey = (Text, bool, bool, bool);

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
    /// What holds manifests against the schema, if it is wanted.
    checks: Option<&'a SchemaChecks<'a>>,
    /// Locals of files, resolved.
    pub locals: &'a LocalCache,
    /// The environment variables that are known.
    pub env: &'a Env,
    /// What rules about locals need.
    pub met: Observations,
    /// The locked versions.
    pub lock_file: LockFile<'a>,
    /// What the templates of files may ask for.
    pub(in crate::dialects::atmos) mentions: Mentions,
    memo: Mutex<HashMap<MemoKey, Result<Arc<Processed>, Poisoned>>>,
}

impl<'a> Manifests<'a> {
    pub(crate) fn new(
        reader: &'a Reader<'a>,
        config: &'a Config,
        strategy: ListStrategy,
        templates: &'a Templates,
        sink: &'a Sink,
        checks: Option<&'a SchemaChecks<'a>>,
        locals: &'a LocalCache,
    ) -> Self {
        let (env, met, memo) = (&NO_ENV, Observations::default(), Mutex::default());
        let (lock_file, mentions) = (LockFile::new(reader, config), Mentions::default());
        Manifests { reader, config, strategy, templates, sink, checks, locals, env, met, lock_file, mentions, memo }
    }

    /// The same, with environment variables that are known.
    pub(crate) fn with_env(self, env: &'a Env) -> Self {
        Manifests { env, ..self }
    }

    /// The same, without what was remembered.
    pub(crate) fn again<'b>(&'b self, sink: &'b Sink, checks: Option<&'b SchemaChecks<'b>>) -> Manifests<'b> {
        Manifests::new(self.reader, self.config, self.strategy, self.templates, sink, checks, self.locals)
            .with_env(self.env)
    }

    /// A top-level manifest; what it depends on is in `deps` even if it cannot be had.
    pub(crate) fn top(&self, path: &str, deps: &mut Deps) -> Result<Arc<Processed>, Poisoned> {
        let call = Call { ignore_missing: self.config.templates.ignore_missing, ..Call::default() };
        self.file(path, &call, &mut Way::default(), deps)
    }

    /// All that is remembered.
    pub(crate) fn into_processed(self) -> impl Iterator<Item = Arc<Processed>> {
        self.memo.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().flatten()
    }

    /// The template engine of whole files.
    pub(crate) fn engine(&self, missing: MissingKey) -> Engine<'_> {
        Engine {
            templates: self.templates,
            slot: 0,
            delimiters: ("{{", "}}"),
            functions: &FILE_FUNCTIONS,
            missing,
            env: self.env,
            assume: false,
            host: None,
            misses: None,
        }
    }

    fn file(&self, path: &str, call: &Call, way: &mut Way, deps: &mut Deps) -> Result<Arc<Processed>, Poisoned> {
        let plain = call.overrides.is_empty() && call.gives_nothing();
        let key: MemoKey = (path.into(), call.skip_templates, call.ignore_missing, !call.context.is_empty());
        let lock = || self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        if plain && let Some(known) = lock().get(&key).cloned() {
            if let Ok(known) = &known {
                deps.add(&known.deps);
            }
            way.imports += 1;
            return known;
        }
        let mut own = Deps::default();
        way.files.push((Text::clone(&key.0), Prov::default()));
        let before = if plain { std::mem::take(&mut way.imports) } else { 0 };
        let mark = way.handed.enter();
        let processed = self.process(path, call, way, &mut own);
        way.handed.leave(&mark);
        way.files.pop();
        deps.add(&own);
        let processed = processed.map(|p| Arc::new(Processed { deps: own, ..p }));
        // A failure may be due to the way that led here (a cycle), so it is not remembered.
        let is_remembered = plain && processed.as_ref().is_ok_and(|p| !p.contextual && !p.singular);
        way.imports = before + if is_remembered { 1 } else { 1 + way.imports };
        if is_remembered {
            lock().insert(key, processed.clone());
        }
        processed
    }

    fn process(&self, path: &str, call: &Call, way: &mut Way, deps: &mut Deps) -> Result<Processed, Poisoned> {
        let loaded = match self.reader.load(path, deps) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => return Ok(Processed::default()),
            Err(message) => {
                let site = way.files.iter().rev().find_map(|(_, p)| p.origin);
                let file = self.reader.files.add(path, "", || Text::from(""));
                let label = site.map_or_else(|| Label::new(file, 0, 0, ""), |o| Label::at(o, ""));
                self.sink.push(Diagnostic::new(&rules::UNREADABLE_FILE, message, label));
                return Err(Poisoned);
            }
        };
        if let Some(checks) = self.checks {
            checks.reaches(&loaded.path);
        }
        if loaded.is_empty() {
            return Ok(Processed::default());
        }
        self.met.manifest(path, loaded.file);
        let relative = paths::relative(path, &self.config.stacks).unwrap_or(path).to_owned();
        let mut out = Processed::default();
        let (mut own, context) = self.read(&loaded, call, deps)?;
        if let Some(checks) = self.checks {
            let files = way.files.iter().map(|(path, _)| path);
            out.singular = checks.content(&loaded, &own, call.context.is_empty(), deps, files);
        }
        let section = |map: &Map, key: &str| -> Result<Arc<Map>, Poisoned> {
            match map.get(key) {
                None => Ok(Arc::default()),
                Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
                Some(other) => {
                    let message = format!("`{key}` must be a map, not {}", other.a_kind());
                    Err(self.sink.error(&rules::NON_MAPPING_SECTION, message, &other.prov, loaded.file))
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
        let items = items::read_items(&own, &relative)
            .map_err(|(message, site)| self.sink.error(&rules::SCHEMA_VIOLATION, message, &site, loaded.file))?;
        let mut layers: Vec<Arc<Map>> = Vec::new();
        let mut poisoned = false;
        for item in items {
            if let Some(last) = way.files.last_mut() {
                last.1 = item.site.clone();
            }
            let child = Call {
                context: merge_imports(self.strategy, [&item.context, &context]),
                skip_templates: item.skip_templates,
                ignore_missing: item.ignore_missing || self.config.templates.ignore_missing,
                overrides: overrides.clone(),
            };
            let matches = self.matches(&item, &mut way.handed, &loaded, &mut out, deps);
            let is_missing = |m: &Vec<String>| m.is_empty() && (!item.skip_if_missing || items::is_remote(&item.path));
            self.met.item(&item, matches.as_deref().ok().filter(|_| !matches.as_ref().is_ok_and(is_missing)));
            let Ok(matches) = matches else {
                poisoned = true;
                continue;
            };
            for file in matches {
                out.edges.extend(item.site.origin);
                out.targets.insert(file.as_str().into());
                if let Some(checks) = self.checks {
                    checks.imports(&loaded.path, &file, child.context.is_empty());
                }
                self.met.import(path, &file, item.site.origin);
                if self.exhausts(way, &item.site, &loaded) || self.closes_cycle(&file, &way.files, &loaded) {
                    poisoned = true;
                    continue;
                }
                let Ok(result) = self.file(&file, &child, way, deps) else {
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
                out.singular |= result.singular;
                out.edges.extend(&result.edges);
                let handed: Map = ["settings", "vars", "env"]
                    .iter()
                    .filter_map(|k| Some((Key::from(*k), result.merged.get(k).filter(|v| !v.is_null())?.clone())))
                    .collect();
                if !handed.is_empty() {
                    way.handed.push(Arc::new(handed));
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

    /// The files that an import leads to.
    fn matches(
        &self,
        item: &Import,
        handed: &mut Handed,
        from: &Loaded,
        out: &mut Processed,
        deps: &mut Deps,
    ) -> Result<Vec<String>, Poisoned> {
        let fail = |rule, message: String| self.sink.error(rule, message, &item.path_site, from.file);
        let mut path = item.path.clone();
        if path.contains("{{") && !item.skip_templates && self.config.templates.enabled {
            out.contextual = true;
            let handed = handed.sum(self.strategy);
            let data = Value { data: Data::Map(merge(self.strategy, [&handed, &item.context])), prov: Prov::default() };
            let missing = if item.ignore_missing || self.config.templates.ignore_missing {
                MissingKey::Default
            } else {
                MissingKey::Error
            };
            let rendered = self.engine(missing).text(&path, &data);
            let rendered = rendered.map_err(|e| {
                if blames_local(self, &path, &e.message, &item.path_site, from) {
                    return Poisoned;
                }
                fail(&rules::TEMPLATE_ERROR, format!("import path `{path}` cannot be rendered: {}", e.message))
            })?;
            if let Some((_, unknown)) = rendered.unknowns.first() {
                let reason = unknown.reasons.first().map_or("", |r| r);
                let what = format!("import path `{path}` depends on what only the run time knows: {reason}");
                return Err(self.sink.push(unread(what, &item.path_site, from)));
            }
            path = rendered.text;
        }
        if items::is_remote(&path) {
            let what = format!("`{path}` is fetched from elsewhere; stacklint reads only this repository");
            let finding = unread(what, &item.path_site, from);
            if item.skip_if_missing {
                self.sink.report(finding);
                return Ok(Vec::new());
            }
            return Err(self.sink.push(finding));
        }
        let pattern = items::pattern(&path, &self.config.stacks, self.reader, deps);
        if pattern.as_deref() == Some(&*from.path) {
            return Err(fail(&rules::IMPORT_CYCLE, format!("this manifest imports itself via `{path}`")));
        }
        let found = match &pattern {
            Some(pattern) => self.reader.glob(pattern, deps).map_err(|bad| {
                fail(if bad.is_limit { &rules::LIMIT_EXCEEDED } else { &rules::UNRESOLVED_IMPORT }, bad.message)
            })?,
            None => Vec::new(),
        };
        if !found.is_empty() || item.skip_if_missing {
            return Ok(found);
        }
        let options = crate::template::Options { left: "{{", right: "}}", functions: &Builtins };
        match crate::template::parse(&path, &options) {
            Ok(template) if !template.is_plain() => {
                self.sink.report(dropped(&path, &item.path_site, from));
                Ok(Vec::new())
            }
            Ok(_) => {
                let looked = pattern.unwrap_or_else(|| path.clone());
                let message = format!("nothing is found for import `{path}` (looked for {looked})");
                let finding =
                    Diagnostic::new(&rules::UNRESOLVED_IMPORT, message, label(&item.path_site, from.file, ""));
                let finding = finding.token(&*path);
                let (help, meant) = items::advice(&path, &self.config.stacks, self.reader);
                let fix = meant.zip(item.path_site.origin).and_then(|(meant, origin)| {
                    let text = Text::clone(&self.reader.files.get(origin.file).text);
                    rename(origin, &text, &path, &meant)
                });
                let finding = match help {
                    Some(help) => finding.help(help),
                    None => finding,
                };
                Err(self.sink.push(Diagnostic { fix, ..finding }))
            }
            Err(error) => Err(fail(&rules::TEMPLATE_ERROR, format!("import path `{path}`: {}", error.message))),
        }
    }

    /// Reports the import that is one too many.
    fn exhausts(&self, way: &mut Way, site: &Prov, from: &Loaded) -> bool {
        if !way.exhausted && way.imports < self.reader.limits().count(Limit::Imports) {
            return false;
        }
        if !std::mem::replace(&mut way.exhausted, true) {
            let exceeded = self.reader.limits().exceeded(Limit::Imports);
            let finding =
                Diagnostic::new(&rules::LIMIT_EXCEEDED, format!("there are {exceeded}"), label(site, from.file, ""));
            self.sink.push(finding.help(exceeded.help()));
        }
        true
    }

    /// Reports an import that leads back to a file on the way to it.
    fn closes_cycle(&self, file: &str, chain: &[(Text, Prov)], from: &Loaded) -> bool {
        let Some(start) = chain.iter().position(|(p, _)| **p == *file) else {
            if chain.len() < self.reader.limits().count(Limit::ImportDepth) {
                return false;
            }
            let site = chain.last().map_or_else(Prov::default, |c| c.1.clone());
            let exceeded = self.reader.limits().exceeded(Limit::ImportDepth);
            let message = format!("imports lead deeper than {} files", exceeded.value);
            let finding = Diagnostic::new(&rules::LIMIT_EXCEEDED, message, label(&site, from.file, ""));
            self.sink.push(finding.help(exceeded.help()));
            return true;
        };
        // Told from its first member in order of names, so that every way into the cycle reports the same finding.
        let mut members: Vec<&(Text, Prov)> = chain[start..].iter().collect();
        let first = members.iter().enumerate().min_by_key(|(_, m)| &m.0).map_or(0, |(i, _)| i);
        members.rotate_left(first);
        let names: Vec<&str> = members.iter().map(|m| &*m.0).collect();
        let message = format!("these manifests import each other: {} → {}", names.join(" → "), names[0]);
        let mut finding = Diagnostic::new(&rules::IMPORT_CYCLE, message, label(&members[0].1, from.file, ""));
        for (i, (path, site)) in members.iter().enumerate() {
            let next = names[(i + 1) % names.len()];
            finding = finding.related(label(site, from.file, &format!("{path} imports {next}")));
        }
        self.sink.push(finding.chain());
        true
    }
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
            (Text::clone(&e.key), value)
        })
        .collect();
    let mut components = (**components).clone();
    components.set(kind, Value { data: Data::Map(Arc::new(changed)), prov: typed.prov.clone() });
    let mut out = file.clone();
    out.set("components", Value { data: Data::Map(Arc::new(components)), prov: section.prov.clone() });
    out
}
