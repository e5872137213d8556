//! The content of a configuration with its imports: modules, environments, secrets (`reference: jitsubst.md` section
//! 6).

use crate::diagnostic::Diagnostic;
use crate::diagnostic::{Diagnostics, value_label};
use crate::dialects::jitsubst::vocabulary::STATE;
use crate::dialects::jitsubst::{overlay, rules};
use crate::template::value_text;
use crate::text::Text;
use crate::value::{FileId, Map, Origin, Prov, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The section with secrets.
const SECRETS: &str = "secrets";

/// The sections that components show.
const SHOWN: [&str; 4] = ["environments", "imports", "modules", SECRETS];

/// What of a document no component shows: workflows, pipelines and whatever else the program reads.
pub(crate) fn hidden(document: &Value) -> Option<Value> {
    let Some(map) = document.as_map() else { return (!document.is_null()).then(|| document.clone()) };
    let others = map.iter().filter(|entry| !SHOWN.contains(&&*entry.key));
    let others: Map = others.map(|entry| (entry.key.clone(), entry.value.clone())).collect();
    (!others.is_empty()).then(|| Value::map(others))
}

/// A configuration with everything it imports.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The modules in the order of their declaration.
    pub modules: Vec<Module>,
    /// The section `environments`.
    pub environments: BTreeMap<Text, Value>,
    /// The declared secrets, those of modules included.
    pub secrets: Secrets,
    /// The section `secrets` as it is written, with what imported files add to it.
    pub written_secrets: Map,
}

/// One entry of `modules`.
#[derive(Debug)]
pub(crate) struct Module {
    pub name: Text,
    pub kind: Text,
    pub value: Value,
    /// Where its name is written.
    pub prov: Prov,
    /// The file that declares it.
    pub file: FileId,
    /// The imports that lead to that file.
    pub imports: Arc<[Origin]>,
}

impl Module {
    /// Whether it is a resource, which a plan creates and changes.
    pub(crate) fn is_resource(&self) -> bool {
        is_resource(&self.kind)
    }

    /// Returns its own configuration, without any environment.
    pub(crate) fn config(&self) -> Option<&Value> {
        self.value.get("config").filter(|v| !v.is_null())
    }

    /// Returns its configuration for an environment: `None` if there is none, null if it is excluded.
    pub(crate) fn environment(&self, name: &str) -> Option<&Value> {
        self.value.get("environments")?.get(name)
    }
}

/// Whether modules of a type are resources.
pub(crate) fn is_resource(kind: &str) -> bool {
    kind.starts_with("infra.") || kind.starts_with("platform.")
}

/// A declared secret.
#[derive(Clone, Debug)]
pub(crate) struct Secret {
    pub name: Text,
    /// Where that is written.
    pub prov: Prov,
    /// The source of its value.
    pub kind: SecretKind,
}

/// The source of a secret's value.
#[derive(Clone, Debug)]
pub(crate) enum SecretKind {
    /// It is generated, or somebody supplies it.
    Opaque,
    /// An output of a module; the text that names it, if there is one.
    Output(Option<Value>),
}

impl Config {
    /// Reads the content of one file, without its imports.
    pub(crate) fn read(root: &Map, file: FileId, imports: &Arc<[Origin]>, diagnostics: &Diagnostics) -> Config {
        let mut config = Config::default();
        for value in list(root, "modules", file, diagnostics) {
            config.modules.extend(module(&value, file, imports, diagnostics));
        }
        if let Some(environments) = map(root, "environments", file, diagnostics) {
            config.environments = environments.iter().map(|e| (Text::clone(&e.key), e.value.clone())).collect();
        }
        if let Some(secrets) = map(root, SECRETS, file, diagnostics) {
            config.written_secrets = (*secrets).clone();
            let generated = list(&secrets, "generate", file, diagnostics);
            config.secrets.extend(generated.iter().filter_map(|v| secret(v, "key")));
            let entries = list(&secrets, "entries", file, diagnostics);
            config.secrets.extend(entries.iter().filter_map(|v| secret(v, "name")));
        }
        config
    }

    /// Merges the contents of imported files in their order; existing values win.
    pub(crate) fn import(&mut self, all: Vec<Config>) {
        let mut names: HashSet<Text> = self.modules.iter().map(|m| Text::clone(&m.name)).collect();
        let mut written = WrittenSecrets::default();
        for other in all {
            self.modules.extend(other.modules.into_iter().filter(|m| names.insert(Text::clone(&m.name))));
            for (name, value) in other.environments {
                self.environments.entry(name).or_insert(value);
            }
            written.add(&mut self.written_secrets, &other.written_secrets, &self.secrets);
            other.secrets.all.into_iter().for_each(|secret| self.secrets.add(secret));
        }
        written.finish(&mut self.written_secrets);
    }

    /// What is no resource, as it is in an environment, by type and name: a list if several modules share those.
    pub(crate) fn settings(&self, environment: Option<&str>) -> BTreeMap<(Text, Text), Value> {
        let mut written: BTreeMap<_, Vec<Value>> = BTreeMap::new();
        for module in self.modules.iter().filter(|module| !module.is_resource()) {
            let Some(value) = overlay::setting(self, module, environment) else { continue };
            let key = (Text::clone(&module.kind), Text::clone(&module.name));
            written.entry(key).or_default().push(value);
        }
        if !self.written_secrets.is_empty() {
            let section = Value::map(self.written_secrets.clone());
            written.entry((SECRETS.into(), SECRETS.into())).or_default().push(section);
        }
        let whole = |mut all: Vec<Value>| if all.len() == 1 { all.remove(0) } else { Value::list(all) };
        written.into_iter().map(|(key, all)| (key, whole(all))).collect()
    }

    /// The name of the module that says where the states of an environment are: the first one of its type.
    pub(crate) fn state(&self, environment: Option<&str>) -> Option<&Text> {
        let is_there = |module: &&Module| {
            let own = environment.and_then(|name| module.environment(name));
            own.is_none_or(|own| !own.is_null())
        };
        self.modules.iter().filter(|module| *module.kind == *STATE).find(is_there).map(|module| &module.name)
    }

    /// Adds the secrets that modules declare, once all imports are in.
    pub(crate) fn add_secrets_of_modules(&mut self) {
        for module in &self.modules {
            if !matches!(&*module.kind, "secrets.generate" | "secrets.requires") {
                continue;
            }
            for field in ["generate", "requires"] {
                let items = module.config().and_then(|c| c.get(field)).and_then(Value::as_list);
                let all = items.iter().flat_map(|l| l.iter()).filter_map(|v| secret(v, "key"));
                all.for_each(|secret| self.secrets.add(secret));
            }
        }
    }

    /// The names of all environments that the file or one of its resources speaks of.
    pub(crate) fn environment_names(&self) -> BTreeSet<Text> {
        let resources = self.modules.iter().filter(|m| m.is_resource());
        let of_modules = resources.filter_map(|m| m.value.get("environments")?.as_map().cloned());
        let of_modules: Vec<Text> = of_modules.flat_map(|m| m.keys().cloned().collect::<Vec<_>>()).collect();
        self.environments.keys().cloned().chain(of_modules).collect()
    }

    pub(crate) fn secret(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }
}

/// Declared secrets in their order. Of several with one name the first one counts.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    all: Vec<Secret>,
    by_name: HashMap<Text, usize>,
}

impl Secrets {
    /// Adds a secret, if none has its name.
    fn add(&mut self, secret: Secret) {
        if !self.by_name.contains_key(&secret.name) {
            self.extend([secret]);
        }
    }

    /// Adds all secrets of a file.
    fn extend(&mut self, all: impl IntoIterator<Item = Secret>) {
        for secret in all {
            self.by_name.entry(Text::clone(&secret.name)).or_insert(self.all.len());
            self.all.push(secret);
        }
    }

    fn get(&self, name: &str) -> Option<&Secret> {
        self.by_name.get(name).map(|index| &self.all[*index])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Secret> {
        self.all.iter()
    }
}

/// What imported files add to the lists of a section `secrets`, by their keys. The lists are made once, at the end.
#[derive(Default)]
struct WrittenSecrets(BTreeMap<Text, Vec<Value>>);

impl WrittenSecrets {
    /// Adds what another section has: keys that are not there, and secrets with other names than the known ones.
    fn add(&mut self, own: &mut Map, other: &Map, known: &Secrets) {
        let name = |item: &Value| secret(item, "key").or_else(|| secret(item, "name")).map(|secret| secret.name);
        let is_known = |item: &Value| name(item).is_some_and(|name| known.get(&name).is_some());
        for entry in other.iter() {
            match (own.get(&entry.key), entry.value.as_list()) {
                (None, _) => own.set(entry.key.clone(), entry.value.clone()),
                (Some(own), Some(items)) if own.as_list().is_some() => {
                    let more = self.0.entry(Text::clone(&entry.key)).or_default();
                    more.extend(items.iter().filter(|item| !is_known(item)).cloned());
                }
                _ => {}
            }
        }
    }

    fn finish(self, own: &mut Map) {
        for (key, more) in self.0 {
            let Some(value) = own.get(&key) else { continue };
            let items = value.as_list().into_iter().flat_map(|items| items.iter());
            let whole = Value::list(items.chain(&more).cloned().collect()).with_prov(value.prov.clone());
            own.set(key, whole);
        }
    }
}

fn module(value: &Value, file: FileId, imports: &Arc<[Origin]>, diagnostics: &Diagnostics) -> Option<Module> {
    let fields = expect_map(value, "a module", file, diagnostics)?;
    let Some((name, prov)) = fields.get("name").and_then(|v| Some((text(v)?, v.prov.clone()))) else {
        let message = "a module needs a `name`";
        diagnostics.push(Diagnostic::new(&rules::INVALID_CONFIG, message, value_label(&value.prov, file, "")));
        return None;
    };
    let kind = fields.get("type").and_then(text).unwrap_or_default();
    let module = Module { name, kind, value: value.clone(), prov, file, imports: Arc::clone(imports) };
    if module.is_resource() {
        check_shape(&module, diagnostics);
    }
    Some(module)
}

/// Complains of parts of a resource that must be maps and are not.
fn check_shape(module: &Module, diagnostics: &Diagnostics) {
    let file = module.file;
    if let Some(config) = module.config() {
        expect_map(config, "`config`", file, diagnostics);
    }
    let Some(environments) = module.value.get("environments").filter(|v| !v.is_null()) else { return };
    let Some(environments) = expect_map(environments, "`environments`", file, diagnostics) else { return };
    for entry in environments.iter().filter(|e| !e.value.is_null()) {
        let own = expect_map(&entry.value, "an environment", file, diagnostics);
        if let Some(config) = own.as_ref().and_then(|m| m.get("config")).filter(|v| !v.is_null()) {
            expect_map(config, "`config`", file, diagnostics);
        }
    }
}

fn secret(value: &Value, key: &str) -> Option<Secret> {
    let name = value.get(key)?;
    let kind = match value.get("type").and_then(Value::as_str) {
        Some("infra_output") => SecretKind::Output(value.get("source").cloned()),
        _ => SecretKind::Opaque,
    };
    let text = text(name).filter(|t| !t.is_empty())?;
    Some(Secret { name: text, prov: name.prov.clone(), kind })
}

/// The text of a scalar.
pub(crate) fn text(value: &Value) -> Option<Text> {
    match value.kind() {
        "null" | "map" | "list" => None,
        _ => Some(value.as_str().map_or_else(|| value_text(value).into(), Text::from)),
    }
}

fn expect_map(value: &Value, what: &str, file: FileId, diagnostics: &Diagnostics) -> Option<Arc<Map>> {
    let map = value.as_map().cloned();
    if map.is_none() {
        let message = format!("{what} must be a map, not a {}", value.kind());
        diagnostics.push(Diagnostic::new(&rules::INVALID_CONFIG, message, value_label(&value.prov, file, "")));
    }
    map
}

fn map(root: &Map, key: &str, file: FileId, diagnostics: &Diagnostics) -> Option<Arc<Map>> {
    let value = root.get(key).filter(|v| !v.is_null())?;
    expect_map(value, &format!("`{key}`"), file, diagnostics)
}

/// The items of a list, which may be missing.
pub(crate) fn list(root: &Map, key: &str, file: FileId, diagnostics: &Diagnostics) -> Vec<Value> {
    let Some(value) = root.get(key).filter(|v| !v.is_null()) else { return Vec::new() };
    match value.as_list() {
        Some(items) => items.to_vec(),
        None => {
            let message = format!("`{key}` must be a list, not a {}", value.kind());
            diagnostics.push(Diagnostic::new(&rules::INVALID_CONFIG, message, value_label(&value.prov, file, "")));
            Vec::new()
        }
    }
}
