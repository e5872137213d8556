//! `settings.validation` of components: JSON Schemas and policies of the repository, which Atmos holds a component against
//! before it does anything with it (`reference: atmos.md` section 10.4).

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::{Config, plain_text};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::schema::violation;
use crate::dialects::atmos::stack::evaluated;
use crate::resolution::Component;
use crate::source::Change;
use crate::text::Text;
use crate::validation::{Budget, JsonSchema, Module, Policy, Ruling, Unusable};
use crate::value::{Data, Entry, Flags, Map, Unknown, Value};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The package that policies of components are in.
const POLICY_PACKAGE: &str = "atmos";

/// Keys that Atmos adds to a component before validation, known only when Atmos runs.
const ADDED: [&str; 12] = [
    "atlantis_project",
    "atmos_cli_config",
    "cli_args",
    "deps",
    "deps_all",
    "env_tf_cli_args",
    "env_tf_cli_vars",
    "imports",
    "process_env",
    "sources",
    "spacelift_stack",
    "tf_cli_vars",
];

/// Holds components against what the repository demands of them.
pub(crate) struct Validations<'a> {
    reader: &'a Reader<'a>,
    config: &'a Config,
    /// Schemas by their paths, policies by those of all their files.
    schemas: Mutex<HashMap<Text, Known<JsonSchema>>>,
    policies: Mutex<HashMap<Vec<Text>, Arc<Policy>>>,
    /// The time budget of all validations together.
    budget: Budget,
}

/// The file that was read, with its dependencies.
type Known<T> = Arc<(Result<T, Unusable>, Deps)>;

/// One entry of `settings.validation`.
struct ValidatedComponent<'c> {
    /// Where findings go.
    diagnostics: &'c Diagnostics,
    component: &'c Component,
    name: &'c str,
    entry: &'c Value,
    /// The type that the component is checked as.
    input: &'c Value,
}

/// A requested file.
enum Found {
    File(Arc<Loaded>),
    Folder(String),
    Missing,
    /// It is outside of the repository, or cannot be read.
    Elsewhere,
}

impl<'a> Validations<'a> {
    pub(crate) fn new(reader: &'a Reader<'a>, config: &'a Config) -> Self {
        Validations { reader, config, schemas: Mutex::default(), policies: Mutex::default(), budget: Budget::default() }
    }

    /// Reports what the validations that a component names find. What is never deployed is never validated.
    pub(crate) fn check(&self, component: &Component, deps: &mut Deps, diagnostics: &Diagnostics) {
        let Some(entries) = entries(&component.value).filter(|_| component.metadata.is_deployed()) else { return };
        let is_on = |e: &&Entry| e.value.get("disabled").and_then(Value::as_bool) != Some(true);
        let entries: Vec<&Entry> = entries.iter().filter(|e| e.value.as_map().is_some()).filter(is_on).collect();
        if entries.is_empty() {
            return;
        }
        let input = input(&component.value);
        for entry in entries {
            let subject =
                ValidatedComponent { diagnostics, component, name: &entry.key, entry: &entry.value, input: &input };
            self.one(&subject, deps);
        }
    }

    fn one(&self, subject: &ValidatedComponent<'_>, deps: &mut Deps) {
        let Ok(kind) = subject.text("schema_type") else { return self.report(subject.unknown("schema_type"), subject) };
        let Ok(path) = subject.text("schema_path") else { return self.report(subject.unknown("schema_path"), subject) };
        if kind != "jsonschema" && kind != "opa" {
            // The schema of manifests reports this where it is written.
            if self.config.manifest_schema.is_empty() {
                return;
            }
            let message = format!("{} has the type `{kind}`, which does not exist", subject.called());
            let finding = Diagnostic::new(&rules::COMPONENT_VALIDATION, message, subject.place("schema_type"));
            return self.report(finding.token(kind).help("write `jsonschema` or `opa`"), subject);
        }
        let folder = self.folder(&kind);
        let loaded = match self.find(&path, [Some(self.config.start.clone()), folder.clone()], deps) {
            Found::File(loaded) => loaded,
            Found::Elsewhere => return self.report(subject.elsewhere("schema_path", &path), subject),
            Found::Folder(_) | Found::Missing => {
                return self.report(subject.missing("schema_path", &path, folder.as_deref()), subject);
            }
        };
        match &*kind {
            "jsonschema" => self.schema(subject, &loaded, deps),
            _ => self.policy(subject, &loaded, folder, deps),
        }
    }

    fn schema(&self, subject: &ValidatedComponent<'_>, loaded: &Arc<Loaded>, deps: &mut Deps) {
        let known = self.schemas.lock().get(&loaded.path).cloned();
        let known = known.unwrap_or_else(|| {
            let mut own = Deps::default();
            let mut read = |path: &str| self.reader.load(path, &mut own).ok().flatten().map(|l| l.text.to_string());
            let schema = JsonSchema::read(&loaded.text, &loaded.path, &mut read, &self.budget);
            Arc::clone(self.schemas.lock().entry(Text::clone(&loaded.path)).or_insert_with(|| Arc::new((schema, own))))
        });
        deps.add(&known.1);
        let schema = match &known.0 {
            Ok(schema) => schema,
            Err(why) => return self.report(unusable(why, "schema", loaded), subject),
        };
        let verdict = match schema.check(subject.input, true, &self.budget) {
            Ok(verdict) => verdict,
            Err(why) => return self.report(unusable(&why, "schema", loaded), subject),
        };
        let whole = format!("component `{}`", subject.component.name);
        let place = subject.place("schema_path");
        for found in &verdict.violations {
            let value = found.path.of(subject.input);
            // A missing key concerns the component, not the line where the map begins.
            let is_about_component = found.key.is_none() && value.is_some_and(|v| v.as_map().is_some());
            let files = self.reader.files;
            let mut finding = violation(&rules::COMPONENT_VALIDATION, found, subject.input, &whole, files, &place);
            if is_about_component && !found.path.0.is_empty() {
                finding.message = format!("{} ({whole})", finding.message);
            }
            if is_about_component {
                finding.primary = subject.component.value.prov.origin.map_or(place.clone(), |o| Label::at(o, ""));
            }
            finding.notes.push(format!("required by {}, which `settings.validation` names", loaded.path));
            self.report(finding, subject);
        }
        for path in &verdict.open {
            let message = format!(
                "the requirements of {} for {} are not checked: they depend on values that are known only at run time",
                loaded.path,
                if path.0.is_empty() { whole.clone() } else { format!("`{path}`") }
            );
            let origin = path.along(subject.input).last().and_then(|v| v.prov.origin);
            let place = origin.map_or_else(|| subject.place("schema_path"), |o| Label::at(o, ""));
            self.report(Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, message, place), subject);
        }
    }

    fn policy(&self, subject: &ValidatedComponent<'_>, main: &Arc<Loaded>, folder: Option<String>, deps: &mut Deps) {
        let mut modules = vec![Arc::clone(main)];
        let named = subject.entry.get("module_paths").and_then(Value::as_list).cloned().unwrap_or_default();
        for item in named.iter() {
            let Some(path) = plain_text(item) else { continue };
            match self.find(&path, [None, folder.clone()], deps) {
                Found::File(loaded) => modules.push(loaded),
                Found::Folder(inside) => match self.inside(&inside, deps) {
                    Ok(found) => modules.extend(found),
                    Err(why) => return self.report(unusable(&why, "policy", main), subject),
                },
                Found::Missing => {
                    return self.report(subject.missing("module_paths", &path, folder.as_deref()), subject);
                }
                Found::Elsewhere => return self.report(subject.elsewhere("module_paths", &path), subject),
            }
        }
        let mut paths: Vec<Text> = Vec::new();
        modules.retain(|m| {
            let is_new = !paths.contains(&m.path);
            if is_new {
                paths.push(Text::clone(&m.path));
            }
            is_new
        });
        let module = |m: &Arc<Loaded>| Module { path: Text::clone(&m.path), text: Text::clone(&m.text) };
        let mut policies = self.policies.lock();
        let made = policies
            .entry(paths)
            .or_insert_with(|| Arc::new(Policy::new(POLICY_PACKAGE, modules.iter().map(module).collect())));
        let policy = Arc::clone(made);
        drop(policies);
        let Ruling { errors, open } = match policy.check(subject.input, &self.budget) {
            Ok(ruling) => ruling,
            Err(why) => return self.report(unusable(&why, "policy", main), subject),
        };
        for error in errors {
            let message =
                format!("policy {} rejects component `{}`: {}", main.path, subject.component.name, error.trim());
            let finding = Diagnostic::new(&rules::COMPONENT_VALIDATION, message, subject.place("schema_path"));
            self.report(finding.token(error), subject);
        }
        for open in open {
            let message = format!("this reads `{}`, which is known only at run time", open.unknown);
            let (start, end) = (open.range.start as u32, open.range.end as u32);
            let file = modules[open.module].file;
            let finding = Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, message, Label::new(file, start, end, ""));
            self.report(finding.note("violations that depend on it are not reported"), subject);
        }
    }

    /// The modules in a folder.
    fn inside(&self, folder: &str, deps: &mut Deps) -> Result<Vec<Arc<Loaded>>, Unusable> {
        deps.globs.insert(format!("{folder}/**/*").into());
        let listing = self.reader.source.listing();
        let below = listing.iter().filter(|e| paths::relative(&e.path, folder).is_some());
        let mut found = Vec::new();
        for entry in below {
            match paths::extension(&entry.path) {
                ".rego" if !entry.path.ends_with("_test.rego") => {
                    found.extend(self.reader.load(&entry.path, deps).ok().flatten());
                }
                ".json" | ".yaml" | ".yml" => {
                    let message = format!("it uses data files, which stacklint does not load: {}", entry.path);
                    return Err(Unusable::Unsupported(message));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The folder of the schemas of a type.
    fn folder(&self, kind: &str) -> Option<String> {
        let folder = self.config.all.at_path(["schemas", kind, "base_path"]).and_then(plain_text).unwrap_or_default();
        paths::join(&self.config.base, &folder)
    }

    fn find<const N: usize>(&self, path: &str, folders: [Option<String>; N], deps: &mut Deps) -> Found {
        let mut leads_out = path.starts_with('/');
        for folder in folders.into_iter().flatten() {
            let Some(joined) = paths::join(&folder, path) else {
                leads_out = true;
                continue;
            };
            match self.reader.load(&joined, deps) {
                Ok(Some(loaded)) => return Found::File(loaded),
                Err(_) => return Found::Elsewhere,
                Ok(None) if self.reader.is_dir(&joined, deps) => return Found::Folder(joined),
                Ok(None) => {}
            }
        }
        if leads_out { Found::Elsewhere } else { Found::Missing }
    }

    fn report(&self, mut finding: Diagnostic, subject: &ValidatedComponent<'_>) {
        finding.stacks = vec![Text::clone(&subject.component.stack)];
        subject.diagnostics.report(finding);
    }

    /// Notes the files that the components of a manifest are going to be checked against, as far as changes are about them.
    pub(crate) fn add_possible_reads(&self, merged: &Map, changes: &[Change], deps: &mut Deps) {
        let mut folders: Vec<String> = Vec::new();
        let mut see = |value: &Value| {
            for entry in entries(value).into_iter().flat_map(|m| m.iter()) {
                let kind = entry.value.get("schema_type").and_then(plain_text).unwrap_or_default();
                let named = entry.value.get("schema_path").into_iter();
                let modules = entry.value.get("module_paths").and_then(Value::as_list);
                let named = named.chain(modules.into_iter().flat_map(|l| l.iter())).filter_map(plain_text);
                let folder = self.folder(&kind).filter(|f| !f.is_empty());
                for path in named {
                    for start in [Some(&self.config.start), folder.as_ref(), Some(&self.config.base)] {
                        folders.extend(start.and_then(|start| paths::join(start, &path)));
                    }
                }
                folders.extend(folder);
            }
        };
        let layers = |map: &Map, see: &mut dyn FnMut(&Value)| {
            see(&Value::map(map.clone()));
            map.get("overrides").into_iter().for_each(see);
        };
        layers(merged, &mut see);
        let types = merged.get("components").and_then(Value::as_map);
        for entry in types.into_iter().flat_map(|m| m.iter()) {
            merged.get(&entry.key).and_then(Value::as_map).into_iter().for_each(|map| layers(map, &mut see));
            entry.value.as_map().into_iter().flat_map(|m| m.iter()).for_each(|e| see(&e.value));
        }
        folders.sort();
        folders.dedup();
        let below = |path: &str| folders.iter().any(|f| f == path || paths::relative(path, f).is_some());
        deps.paths.extend(changes.iter().filter(|c| below(&c.path)).map(|c| Text::from(&*c.path)));
    }
}

impl ValidatedComponent<'_> {
    fn called(&self) -> String {
        format!("`settings.validation.{}`", self.name)
    }

    /// The text under a key; empty if it is not there.
    fn text(&self, key: &str) -> Result<String, ()> {
        match self.entry.get(key) {
            Some(Value { data: Data::Unknown(_), .. }) => Err(()),
            Some(value) if value.as_str().is_some_and(|s| s.contains("{{") || s.starts_with('!')) => Err(()),
            value => Ok(value.and_then(plain_text).unwrap_or_default()),
        }
    }

    /// Where the value under a key was written, or what is around it.
    fn place(&self, key: &str) -> Label {
        let origins = [self.entry.get(key), Some(self.entry), Some(&self.component.value)];
        let origin = origins.into_iter().flatten().find_map(|v| v.prov.origin);
        origin.map_or_else(|| Label::new(crate::value::FileId::new(0), 0, 0, ""), |origin| Label::at(origin, ""))
    }

    fn unknown(&self, key: &str) -> Diagnostic {
        let message = format!("{} is skipped: its `{key}` is not known", self.called());
        Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, message, self.place(key))
    }

    fn elsewhere(&self, key: &str, path: &str) -> Diagnostic {
        let message = format!("{} is skipped: `{path}` cannot be read in this repository", self.called());
        Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, message, self.place(key))
    }

    fn missing(&self, key: &str, path: &str, folder: Option<&str>) -> Diagnostic {
        let message = match path {
            "" => format!("{} has no `{key}`", self.called()),
            _ => format!("{} names a file that does not exist: {path}", self.called()),
        };
        let finding = Diagnostic::new(&rules::COMPONENT_VALIDATION, message, self.place(key)).token(path);
        match folder.filter(|f| !f.is_empty()) {
            Some(folder) => finding.help(format!("Atmos looks for it in {folder}")),
            None => finding.help("Atmos looks for it in `schemas.jsonschema.base_path` or `schemas.opa.base_path`"),
        }
    }
}

/// The validations that a section names.
fn entries(section: &Value) -> Option<&Arc<Map>> {
    section.as_map()?.known("settings")?.get("validation")?.as_map().filter(|m| !m.is_empty())
}

/// Returns the finding about a schema or a policy that cannot be used.
fn unusable(why: &Unusable, what: &str, loaded: &Loaded) -> Diagnostic {
    let place = Label::new(loaded.file, 0, 0, "");
    let finding = match why {
        Unusable::Wrong(why) => {
            Diagnostic::new(&rules::COMPONENT_VALIDATION, format!("this {what} cannot be used: {why}"), place)
        }
        Unusable::Unsupported(why) => {
            let finding =
                Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, format!("this {what} is not evaluated: {why}"), place);
            finding.note("components that name it are not validated")
        }
        Unusable::Exceeded(why) => {
            let finding =
                Diagnostic::new(&rules::LIMIT_EXCEEDED, format!("this {what} is not evaluated: {why}"), place);
            finding.note("components that name it are not validated")
        }
    };
    finding.token("")
}

/// Returns the input of validation: a component with values known only at run time as unknown.
fn input(component: &Value) -> Value {
    let mut map = component.as_map().map(|map| (*evaluated(map)).clone()).unwrap_or_default();
    for key in ADDED {
        if !map.has(key) {
            map.set(key, unknown("", "it is known only when Atmos runs"));
        }
    }
    if map.flags().has(Flags::TEMPLATE) {
        let closed: Map = map.iter().map(|e| (Text::clone(&e.key), without_templates(&e.value))).collect();
        map = closed;
    }
    Value { data: Data::Map(Arc::new(map)), prov: component.prov.clone() }
}

fn unknown(text: &str, reason: &str) -> Value {
    Value::new(Data::Unknown(Arc::new(Unknown::new(text, reason))))
}

/// The value, with text that is still a template unknown.
fn without_templates(value: &Value) -> Value {
    if !value.flags().has(Flags::TEMPLATE) {
        return value.clone();
    }
    let data = match &value.data {
        Data::Str(text) => unknown(text, "it is still a template").data,
        Data::List(items) => Data::List(Arc::new(items.iter().map(without_templates).collect())),
        Data::Map(map) => {
            Data::Map(Arc::new(map.iter().map(|e| (Text::clone(&e.key), without_templates(&e.value))).collect()))
        }
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
