//! The layers of a component's merge, section by section (`reference: atmos.md` section 4.1).

use crate::dialects::atmos::config::Config;
use crate::text::Text;
use crate::value::{Data, Entry, Key, Map, Prov, Value};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The component types that Atmos builds itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ComponentType {
    Terraform,
    Helmfile,
    Packer,
    Ansible,
    Kubernetes,
    Helm,
}

impl ComponentType {
    /// All of them, in the order Atmos takes them.
    pub(crate) const ALL: [ComponentType; 6] = [
        ComponentType::Terraform,
        ComponentType::Helmfile,
        ComponentType::Packer,
        ComponentType::Ansible,
        ComponentType::Kubernetes,
        ComponentType::Helm,
    ];

    /// The name in manifests.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ComponentType::Terraform => "terraform",
            ComponentType::Helmfile => "helmfile",
            ComponentType::Packer => "packer",
            ComponentType::Ansible => "ansible",
            ComponentType::Kubernetes => "kubernetes",
            ComponentType::Helm => "helm",
        }
    }

    pub(super) fn has_hooks(self) -> bool {
        matches!(
            self,
            ComponentType::Terraform | ComponentType::Kubernetes | ComponentType::Helm | ComponentType::Helmfile
        )
    }

    pub(super) fn has_generate(self) -> bool {
        matches!(self, ComponentType::Terraform | ComponentType::Kubernetes | ComponentType::Helm)
    }

    pub(super) fn has_source(self) -> bool {
        self != ComponentType::Ansible
    }

    pub(super) fn has_plugins(self) -> bool {
        matches!(self, ComponentType::Helm | ComponentType::Helmfile)
    }
}

/// The sections that are maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Vars,
    Settings,
    Env,
    Auth,
    Secrets,
    Dependencies,
    Locals,
    Metadata,
    Providers,
    RequiredProviders,
    Hooks,
    Test,
    Mocks,
    Generate,
    Render,
    Backend,
    RemoteStateBackend,
    Source,
    Provision,
    Retry,
    /// The keys of a helm component that are merged as one map.
    Helm,
}

const SECTIONS: usize = Section::Helm as usize + 1;

/// Sections that are maps under one key of the component.
const KEYED: [(Section, &str); SECTIONS - 1] = [
    (Section::Vars, "vars"),
    (Section::Settings, "settings"),
    (Section::Env, "env"),
    (Section::Auth, "auth"),
    (Section::Secrets, "secrets"),
    (Section::Dependencies, "dependencies"),
    (Section::Locals, "locals"),
    (Section::Metadata, "metadata"),
    (Section::Providers, "providers"),
    (Section::RequiredProviders, "required_providers"),
    (Section::Hooks, "hooks"),
    (Section::Test, "test"),
    (Section::Mocks, "mocks"),
    (Section::Generate, "generate"),
    (Section::Render, "render"),
    (Section::Backend, "backend"),
    (Section::RemoteStateBackend, "remote_state_backend"),
    (Section::Source, "source"),
    (Section::Provision, "provision"),
    (Section::Retry, "retry"),
];

/// The keys of a helm component that are merged as one map.
const HELM_KEYS: [&str; 9] =
    ["chart", "values", "values_files", "repositories", "render", "version", "repository", "namespace", "name"];

/// Strings of which the highest layer with one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Command,
    BackendType,
    RemoteStateBackendType,
    RequiredVersion,
    Provider,
}

const WORDS: [(Word, &str); 5] = [
    (Word::Command, "command"),
    (Word::BackendType, "backend_type"),
    (Word::RemoteStateBackendType, "remote_state_backend_type"),
    (Word::RequiredVersion, "required_version"),
    (Word::Provider, "provider"),
];

/// Sections of any shape, merged as if under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loose {
    Paths,
    Manifests,
    Validate,
    Plugins,
}

/// With their keys in a component.
pub(crate) const LOOSE: [(Loose, &str); 4] = [
    (Loose::Paths, "paths"),
    (Loose::Manifests, "manifests"),
    (Loose::Validate, "validate"),
    (Loose::Plugins, "plugins"),
];

/// One layer: all sections of a component or of a base.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    maps: [Option<Arc<Map>>; SECTIONS],
    /// Most layers have none of these.
    more: Option<Box<More>>,
}

/// Parts of a layer besides maps.
#[derive(Clone, Debug, Default)]
struct More {
    words: [Option<Value>; WORDS.len()],
    loose: [Option<Value>; LOOSE.len()],
}

/// The content of a missing section in a layer.
static NOTHING: LazyLock<Arc<Map>> = LazyLock::new(Arc::default);

/// The entries of a component that layers examine, by the index of their section, word or loose section.
#[derive(Default)]
struct KeyedEntries<'a> {
    maps: [Option<&'a Value>; SECTIONS - 1],
    words: [Option<&'a Value>; WORDS.len()],
    loose: [Option<&'a Value>; LOOSE.len()],
}

impl<'a> KeyedEntries<'a> {
    fn of(component: &'a Map) -> Self {
        let mut known = KeyedEntries::default();
        for Entry { key, value } in component.iter() {
            // No key is in two of the tables.
            if let Some(i) = KEYED.iter().position(|(_, k)| **k == **key) {
                known.maps[i] = Some(value);
            } else if let Some(i) = WORDS.iter().position(|(_, k)| **k == **key) {
                known.words[i] = Some(value);
            } else if let Some(i) = LOOSE.iter().position(|(_, k)| **k == **key) {
                known.loose[i] = Some(value);
            }
        }
        known
    }
}

/// A section that has the wrong shape.
#[derive(Clone, Debug)]
pub(crate) struct WrongShape {
    pub message: String,
    pub site: Prov,
}

impl Layer {
    pub(crate) fn map(&self, section: Section) -> &Arc<Map> {
        self.maps[section as usize].as_ref().unwrap_or(&NOTHING)
    }

    pub(crate) fn set(&mut self, section: Section, map: Arc<Map>) {
        self.maps[section as usize] = Some(map);
    }

    /// A text, if it is there and not empty.
    pub(crate) fn word(&self, word: Word) -> Option<&Value> {
        self.more.as_ref()?.words[word as usize].as_ref().filter(|v| v.as_str().is_some_and(|s| !s.is_empty()))
    }

    /// Sets a text.
    pub(crate) fn set_word(&mut self, word: Word, value: Option<Value>) {
        if value.is_some() || self.more.is_some() {
            self.more.get_or_insert_default().words[word as usize] = value;
        }
    }

    /// A section of any shape; null counts as absent.
    pub(crate) fn loose(&self, loose: Loose) -> Option<&Value> {
        self.more.as_ref()?.loose[loose as usize].as_ref().filter(|v| !v.is_null())
    }

    /// Sets a section of any shape.
    pub(crate) fn set_loose(&mut self, loose: Loose, value: Option<Value>) {
        if value.is_some() || self.more.is_some() {
            self.more.get_or_insert_default().loose[loose as usize] = value;
        }
    }

    /// Splits a component (or a base, or its overrides) into sections.
    ///
    /// # Errors
    /// The first section that has a shape Atmos rejects. `what` names the component in the message.
    pub(crate) fn of(
        component: &Map,
        kind: ComponentType,
        config: &Config,
        what: fmt::Arguments<'_>,
        base: bool,
    ) -> Result<Layer, WrongShape> {
        let mut layer = Layer::default();
        if component.is_empty() {
            return Ok(layer);
        }
        let known = KeyedEntries::of(component);
        for ((section, key), value) in KEYED.into_iter().zip(known.maps) {
            let Some(value) = value.filter(|_| concerns(section, kind, base)) else { continue };
            if base && !config.inherit_source && matches!(section, Section::Source | Section::Provision) {
                continue;
            }
            let map = match &value.data {
                Data::Map(map) => Arc::clone(map),
                Data::Str(uri) if section == Section::Source => match uri.is_empty() {
                    true => Arc::default(),
                    false => Arc::new(Map::from_iter([(Key::from("uri"), value.clone())])),
                },
                _ => return Err(wrong(what, key, "a map", value)),
            };
            layer.set(section, map);
        }
        for ((word, key), value) in WORDS.into_iter().zip(known.words) {
            if word == Word::Provider && kind != ComponentType::Kubernetes && !base {
                continue;
            }
            if kind != ComponentType::Terraform && !base && !matches!(word, Word::Command | Word::Provider) {
                continue;
            }
            match value {
                None => {}
                Some(value) if value.as_str().is_some() => layer.set_word(word, Some(value.clone())),
                Some(value) => return Err(wrong(what, key, "text", value)),
            }
        }
        for ((loose, _), value) in LOOSE.into_iter().zip(known.loose) {
            layer.set_loose(loose, value.cloned());
        }
        let mut helm = component.iter().filter(|e| HELM_KEYS.contains(&&*e.key)).peekable();
        if helm.peek().is_some() {
            layer.set(Section::Helm, Arc::new(helm.map(|e| (Text::clone(&e.key), e.value.clone())).collect()));
        }
        Ok(layer)
    }
}

fn wrong(what: fmt::Arguments<'_>, key: &str, expected: &str, value: &Value) -> WrongShape {
    let message = format!("`{what}.{key}` must be {expected}, not {}", value.a_kind());
    WrongShape { message, site: value.prov.clone() }
}

/// Whether Atmos examines a section of a component of a type.
fn concerns(section: Section, kind: ComponentType, base: bool) -> bool {
    match section {
        Section::Providers
        | Section::RequiredProviders
        | Section::Test
        | Section::Mocks
        | Section::Backend
        | Section::RemoteStateBackend => base || kind == ComponentType::Terraform,
        Section::Hooks => base || kind.has_hooks(),
        Section::Generate => base || kind.has_generate(),
        Section::Render => kind == ComponentType::Kubernetes || (base && kind != ComponentType::Helm),
        Section::Source | Section::Provision => base || kind.has_source(),
        _ => true,
    }
}
