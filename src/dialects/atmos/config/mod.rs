//! The settings of `atmos.yaml` that affect stacks (`reference: atmos.md` section 1).

mod check;
mod description;
mod errors;
mod features;
pub(super) mod projects;
pub(super) mod search;

use crate::dialects::atmos::merge::ListStrategy;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::shapes::shape::Shape;
use crate::text::Text;
use crate::value::{Data, Entry, Flags, Key, Map, Origin, Value};
pub(super) use check::check;
pub(super) use errors::{anchor, report_unusable};
use std::sync::Arc;

/// The configuration in force for a project.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    /// The folder of stack manifests, from the root of the repository.
    pub stacks: String,
    /// `stacks.included_paths`.
    pub included: Vec<String>,
    /// `stacks.excluded_paths`.
    pub excluded: Vec<String>,
    /// `stacks.name_template`; empty if not set.
    pub name_template: String,
    /// `stacks.name_pattern`; empty if not set.
    pub name_pattern: String,
    /// `stacks.inherit.metadata`.
    pub inherit_metadata: bool,
    /// `stacks.inherit.source`, which governs `provision` as well.
    pub inherit_source: bool,
    /// The folder that `base_path` names, from the root of the repository.
    pub base: String,
    /// The folder that Atmos is started in, from the root of the repository.
    pub start: String,
    /// `components.<type>.base_path` as written, by type.
    component_paths: Vec<(Key, String)>,
    /// `components.<type>.command`, by type.
    commands: Vec<(Key, Value)>,
    /// `components.terraform.workspaces_enabled`.
    pub workspaces: bool,
    /// `components.terraform.workspace.prefix_separator`.
    pub separator: String,
    /// `templates.settings`.
    pub templates: Templates,
    /// `settings.list_merge_strategy`; `Err` contains an invalid name.
    pub strategy: Result<ListStrategy, String>,
    /// `settings.yaml.key_delimiter`.
    pub key_delimiter: Option<String>,
    /// Top-level `env`, values as text.
    pub env: Arc<Map>,
    /// `auth` as Atmos hands it to Terraform components; empty without providers and identities.
    pub auth: Arc<Map>,
    /// `integrations.github`.
    pub github: Arc<Map>,
    /// `describe.settings.include_empty`.
    pub include_empty: bool,
    /// The addresses that it imports and that are not read: what is not set here, they may set.
    pub remote: Vec<String>,
    /// `schemas.atmos.manifest`; empty if not set.
    pub manifest_schema: String,
    /// The merged text of all configuration files.
    pub all: Value,
    /// Settings that shape every component, as places.
    pub shaping_origins: Vec<Origin>,
}

/// `templates.settings`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Templates {
    /// Whether components are rendered.
    pub enabled: bool,
    /// How often.
    pub evaluations: usize,
    /// The delimiters of the component pass; `Err` is a list that is not a pair of strings.
    pub delimiters: Option<Result<(String, String), ()>>,
    /// Missing import context keys become `<no value>`.
    pub ignore_missing: bool,
    /// sprig functions in the component pass.
    pub sprig: bool,
    /// gomplate functions in the component pass.
    pub gomplate: bool,
}

/// The default settings without any configuration file.
pub(super) const BUILT_IN: &str = "\
base_path: .
components:
  terraform: {base_path: components/terraform}
  helmfile: {base_path: components/helmfile}
  packer: {base_path: components/packer}
  ansible: {base_path: components/ansible}
stacks:
  base_path: stacks
  included_paths: ['orgs/**/*']
  excluded_paths: ['**/_defaults.yaml']
  name_pattern: '{tenant}-{environment}-{stage}'
templates:
  settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}
";

impl Config {
    pub(super) const SHAPE: &'static Shape = &description::CONFIGURATION;

    /// Reads the settings out of the merged configuration.
    ///
    /// # Errors
    /// What Atmos rejects to start with.
    pub(super) fn read(all: Value, base: String, start: String) -> Result<Self, String> {
        let settled = settled(&all).unwrap_or_default();
        let settings = Settings(&settled);
        let text = |path: &[&str]| settings.text(path);
        let flag = |path: &[&str]| settings.flag(path);
        let list = |path: &[&str]| settings.list(path);
        let map = |path: &[&str]| settings.map(path);
        let stacks_path = text(&["stacks", "base_path"]);
        if stacks_path.is_empty() {
            return Err("stack base path must be provided in 'stacks.base_path' of the Atmos configuration".to_owned());
        }
        let included = list(&["stacks", "included_paths"]);
        if included.is_empty() {
            let message = "at least one path must be provided in 'stacks.included_paths' of the Atmos configuration";
            return Err(message.to_owned());
        }
        let Some(stacks) = paths::join(&base, &stacks_path).map(paths::without_repeats) else {
            return Err(format!("'stacks.base_path' leads out of the repository: {stacks_path}"));
        };
        let strategy = text(&["settings", "list_merge_strategy"]);
        let per_type = |key: &str| -> Vec<(Key, Value)> {
            let types = map(&["components"]);
            types.iter().filter_map(|e| Some((Text::clone(&e.key), e.value.get(key)?.clone()))).collect()
        };
        let separator = text(&["components", "terraform", "workspace", "prefix_separator"]);
        Ok(Config {
            stacks,
            included,
            excluded: list(&["stacks", "excluded_paths"]),
            name_template: text(&["stacks", "name_template"]),
            name_pattern: text(&["stacks", "name_pattern"]),
            inherit_metadata: flag(&["stacks", "inherit", "metadata"]).unwrap_or(true),
            inherit_source: flag(&["stacks", "inherit", "source"]).unwrap_or(true),
            component_paths: per_type("base_path")
                .iter()
                .filter_map(|(k, v)| Some((k.clone(), decoded_text(v)?)))
                .collect(),
            commands: per_type("command").into_iter().map(|(kind, command)| (kind, as_text(&command))).collect(),
            workspaces: flag(&["components", "terraform", "workspaces_enabled"]).unwrap_or(true),
            separator: if separator.is_empty() { "-".to_owned() } else { separator },
            templates: settings.templates(),
            strategy: ListStrategy::parse(&strategy).ok_or(strategy),
            key_delimiter: Some(text(&["settings", "yaml", "key_delimiter"])).filter(|d| !d.is_empty()),
            env: texts(&map(&["env"])),
            auth: auth(&map(&["auth"])),
            github: map(&["integrations", "github"]),
            include_empty: flag(&["describe", "settings", "include_empty"]).unwrap_or(true),
            remote: Vec::new(),
            manifest_schema: text(&["schemas", "atmos", "manifest"]),
            shaping_origins: settings.shaping_origins(),
            base,
            start,
            all,
        })
    }

    /// The folder of the code of a component type as written; empty if there is none.
    pub(super) fn component_path(&self, kind: &str) -> &str {
        match kind {
            // These have no setting for it.
            "container" => return "components/container",
            "kubernetes" | "helm" | "emulator" => return "",
            _ => {}
        }
        self.component_paths.iter().find(|(k, _)| &**k == kind).map_or("", |(_, p)| p)
    }

    /// The folder of the code of a component type, from the root of the repository; `None` if it is outside.
    pub(super) fn code_root(&self, kind: &str) -> Option<String> {
        paths::join(&self.base, self.component_path(kind)).map(paths::without_repeats)
    }

    /// `components.<kind>.command`, if it is set to some text.
    pub(super) fn command(&self, kind: &str) -> Option<&Value> {
        let command = self.commands.iter().find(|(k, _)| &**k == kind).map(|(_, v)| v);
        command.filter(|v| v.as_str().is_some_and(|s| !s.is_empty()))
    }
}

/// Says that imports of a configuration are not read.
pub(super) fn not_read(remote: &[String]) -> String {
    let verb = if remote.len() == 1 { "is" } else { "are" };
    format!("{}, which the configuration imports, {verb} not read", remote.join(", "))
}

/// The merged configuration, as a source of settings.
struct Settings<'a>(&'a Value);

impl Settings<'_> {
    fn at(&self, path: &[&str]) -> Option<&Value> {
        self.0.at_path(path.iter().copied())
    }

    fn text(&self, path: &[&str]) -> String {
        self.at(path).and_then(decoded_text).unwrap_or_default()
    }

    fn flag(&self, path: &[&str]) -> Option<bool> {
        self.at(path).and_then(truth)
    }

    fn list(&self, path: &[&str]) -> Vec<String> {
        self.at(path).map(texts_of).unwrap_or_default()
    }

    fn map(&self, path: &[&str]) -> Arc<Map> {
        self.at(path).and_then(Value::as_map).cloned().unwrap_or_default()
    }

    /// `templates.settings`.
    fn templates(&self) -> Templates {
        let flag = |path: &[&str]| self.flag(path).unwrap_or(false);
        let delimiters = self.at(&["templates", "settings", "delimiters"]).and_then(|given| match &given.data {
            Data::List(items) if items.is_empty() => None,
            Data::List(items) => Some(&***items),
            Data::Str(text) if text.is_empty() => None,
            // A single value is a list of one.
            Data::Str(_) | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => {
                Some(std::slice::from_ref(given))
            }
            _ => None,
        });
        let delimiters = delimiters.map(|items| match items {
            [left, right] => match (decoded_text(left), decoded_text(right)) {
                (Some(l), Some(r)) if !l.is_empty() && !r.is_empty() => Ok((l, r)),
                _ => Err(()),
            },
            _ => Err(()),
        });
        let evaluations = match self.at(&["templates", "settings", "evaluations"]).map(|v| &v.data) {
            // A number below zero means no round.
            Some(Data::Int(n)) if *n < 0 => 0,
            Some(Data::Int(n)) if *n > 0 => usize::try_from(*n).unwrap_or(1).min(100),
            _ => 1,
        };
        Templates {
            enabled: flag(&["templates", "settings", "enabled"]),
            evaluations,
            delimiters,
            ignore_missing: flag(&["templates", "settings", "ignore_missing_template_values"]),
            sprig: flag(&["templates", "settings", "sprig", "enabled"]),
            gomplate: flag(&["templates", "settings", "gomplate", "enabled"]),
        }
    }

    /// The settings that shape all stacks.
    fn shaping_origins(&self) -> Vec<Origin> {
        SHAPING.iter().filter_map(|path| self.at(path)).flat_map(leaves).collect()
    }
}

/// Settings that shape all stacks.
const SHAPING: [&[&str]; 13] = [
    &["base_path"],
    &["stacks", "base_path"],
    &["stacks", "name_template"],
    &["stacks", "name_pattern"],
    &["stacks", "inherit"],
    &["components"],
    &["templates"],
    &["settings", "list_merge_strategy"],
    &["settings", "yaml"],
    &["env"],
    &["auth"],
    &["integrations"],
    &["describe"],
];

/// Text of a scalar, as a configuration field of kind text takes it.
pub(super) fn plain_text(value: &Value) -> Option<String> {
    match &value.data {
        Data::Str(s) => Some(s.to_string()),
        Data::Bool(b) => Some(b.to_string()),
        Data::Int(i) => Some(i.to_string()),
        Data::Uint(u) => Some(u.to_string()),
        Data::Float(f) => Some(crate::template::float_text(*f)),
        _ => None,
    }
}

/// The same where the configuration is decoded as a whole: a truth value is a number.
fn decoded_text(value: &Value) -> Option<String> {
    match &value.data {
        Data::Bool(b) => Some(u8::from(*b).to_string()),
        _ => plain_text(value),
    }
}

/// A value as the text that a field of this kind takes, if it takes it.
fn as_text(value: &Value) -> Value {
    decoded_text(value)
        .map_or_else(|| value.clone(), |text| Value { data: Data::Str(text.into()), prov: value.prov.clone() })
}

/// The texts of a list, as a configuration field of that kind takes them: text is a list of what commas separate, and any
/// other scalar a list of itself.
fn texts_of(value: &Value) -> Vec<String> {
    match &value.data {
        Data::List(items) => items.iter().filter_map(decoded_text).collect(),
        Data::Str(text) if text.is_empty() => Vec::new(),
        Data::Str(text) => text.split(',').map(str::to_owned).collect(),
        _ => decoded_text(value).into_iter().collect(),
    }
}

fn truth(value: &Value) -> Option<bool> {
    match &value.data {
        Data::Bool(b) => Some(*b),
        Data::Int(n) => Some(*n != 0),
        Data::Float(n) => Some(*n != 0.0),
        Data::Str(s) => matches!(&**s, "1" | "t" | "T" | "true" | "TRUE" | "True").then_some(true).or(Some(false)),
        _ => None,
    }
}

/// The places of all leaves of a value.
fn leaves(value: &Value) -> Vec<Origin> {
    match &value.data {
        Data::Map(m) => m.iter().flat_map(|e| leaves(&e.value)).collect(),
        _ => value.prov.origin.into_iter().collect(),
    }
}

/// Variables of the environment, whose values are texts; a list is none.
fn texts(map: &Arc<Map>) -> Arc<Map> {
    let plain = |v: &Value| plain_text(v).or_else(|| v.as_list().map(|_| String::new()));
    let text = |v: &Value| plain(v).map(|t| Value { data: Data::Str(t.into()), prov: v.prov.clone() });
    Arc::new(map.iter().map(|e| (Text::clone(&e.key), text(&e.value).unwrap_or_else(|| e.value.clone()))).collect())
}

/// The configuration as its library hands it on: it consists of leaves, so that nothing, and maps without leaves, are no part of it.
fn settled(value: &Value) -> Option<Value> {
    let data = match &value.data {
        Data::Null => return None,
        Data::Map(map) => {
            let entries = map.iter().filter_map(|e| Some((Text::clone(&e.key), settled(&e.value)?)));
            let left: Map = entries.collect();
            if left.is_empty() {
                return None;
            }
            Data::Map(Arc::new(left))
        }
        other => other.clone(),
    };
    Some(Value { data, prov: value.prov.clone() })
}

/// The fields of a provider and of an identity; others are not passed on.
const PROVIDER: [&str; 16] = [
    "kind",
    "start_url",
    "url",
    "region",
    "username",
    "password",
    "driver",
    "provider_type",
    "download_browser_driver",
    "browser_type",
    "browser_executable_path",
    "auto_provision_identities",
    "session",
    "console",
    "default",
    "spec",
];
const IDENTITY: [&str; 12] = [
    "kind",
    "default",
    "required",
    "provider",
    "via",
    "principal",
    "credentials",
    "spec",
    "alias",
    "env",
    "session",
    "emulator",
];

/// `auth` in the form in which Atmos passes it to components: known fields, empty ones omitted, some always present.
fn auth(auth: &Arc<Map>) -> Arc<Map> {
    if !auth.has("providers") && !auth.has("identities") {
        return Arc::default();
    }
    let entries = |key: &str, fields: &[&str]| match auth.get(key).map(|v| (&v.data, v)) {
        Some((Data::Map(entries), v)) => {
            let shaped = entries.iter().map(|e| (Text::clone(&e.key), shape(&e.value, fields)));
            Value { data: Data::Map(Arc::new(shaped.collect())), prov: v.prov.clone() }
        }
        _ => Value::default(),
    };
    let logs = |key: &str| {
        let found = auth.get("logs").and_then(|l| l.get(key)).cloned();
        (Key::from(key), found.unwrap_or_else(|| Value::str("")))
    };
    let mut out = Map::from_iter([
        (Key::from("providers"), entries("providers", &PROVIDER)),
        (Key::from("identities"), entries("identities", &IDENTITY)),
        (Key::from("keyring"), auth.get("keyring").cloned().unwrap_or_else(|| Value::map(Map::new()))),
        (Key::from("logs"), Value::map(Map::from_iter([logs("file"), logs("level")]))),
    ]);
    for key in ["realm", "console", "integrations"] {
        if let Some(value) = auth.get(key).filter(|v| !is_empty(v)) {
            out.set(key, value.clone());
        }
    }
    Arc::new(out)
}

fn shape(entry: &Value, fields: &[&str]) -> Value {
    let Some(map) = entry.as_map() else { return entry.clone() };
    let known = |key: &str| fields.contains(&key) || key == "tags";
    let taken = |e: &Entry| match (&*e.key, &e.value.data) {
        ("spec", _) | (_, Data::Bool(_)) => e.value.clone(),
        _ => as_text(&e.value),
    };
    let mut out: Map =
        map.iter().filter(|e| known(&e.key) && !is_empty(&e.value)).map(|e| (e.key.clone(), taken(e))).collect();
    if !out.has("kind") {
        out.set("kind", Value::str(""));
    }
    Value { data: Data::Map(Arc::new(out)), prov: entry.prov.clone() }
}

fn is_empty(value: &Value) -> bool {
    match &value.data {
        Data::Null => true,
        Data::Bool(b) => !b,
        Data::Int(i) => *i == 0,
        Data::Str(s) => s.is_empty(),
        Data::List(l) => l.is_empty(),
        Data::Map(m) => m.is_empty(),
        _ => false,
    }
}

/// Evaluates the functions allowed in a configuration file: `!env NAME default` is the default, since the environment
/// of a run is not part of the revision.
pub(super) fn evaluate_functions(value: &Value) -> Value {
    if !value.holds(Flags::CALL) {
        return value.clone();
    }
    let data = match &value.data {
        Data::Str(s) if s.starts_with('!') => {
            let mut words = s.split_whitespace();
            match words.next() {
                Some("!env") => Data::Str(words.nth(1).unwrap_or_default().trim_matches(['"', '\'']).into()),
                Some("!repo-root" | "!git.root" | "!cwd") => Data::Str("".into()),
                Some("!unset") => Data::Null,
                _ => value.data.clone(),
            }
        }
        Data::List(l) => Data::List(Arc::new(l.iter().map(evaluate_functions).collect())),
        Data::Map(m) => Data::Map(Arc::new(m.iter().map(|e| (e.key.clone(), evaluate_functions(&e.value))).collect())),
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}

/// Converts keys to lower case, like the configuration library of Atmos; below `env` and identities the case is kept.
pub(super) fn lower_keys(value: &Value) -> Value {
    fn lower(value: &Value, keep: bool) -> Value {
        let data = match &value.data {
            Data::Map(m) => Data::Map(Arc::new(
                m.iter()
                    .map(|e| {
                        let key: Key = if keep { Text::clone(&e.key) } else { e.key.to_lowercase().into() };
                        let keep_below = matches!(&*key, "env" | "identities");
                        (Text::clone(&key), lower(&e.value, keep_below))
                    })
                    .collect(),
            )),
            Data::List(l) => Data::List(Arc::new(l.iter().map(|v| lower(v, keep)).collect())),
            other => other.clone(),
        };
        Value { data, prov: value.prov.clone() }
    }
    lower(value, false)
}
