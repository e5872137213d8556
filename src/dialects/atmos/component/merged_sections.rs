//! The sections of a component, merged of its layers, in the order in which they are printed.

use super::backend::Backend;
use super::layers::{ComponentType, LOOSE, Layer, Loose, Section, Word};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::merge::deferred::{Deferral, LostPath, merge_deferred};
use crate::dialects::atmos::merge::{Merger, merge, merge_values, normalize};
use crate::text::Text;
use crate::value::{Data, Map, Prov, Value, key};
use std::sync::Arc;

/// Keys that a component gets when the name of its stack is known. They are made with the others, so that there is room for them.
const OF_STACK: [&str; 6] =
    ["atmos_component", "atmos_manifest", "atmos_stack", "atmos_stack_file", "component_info", "stack"];

/// The layers of a component, the lowest first.
pub(super) struct Layers<'a> {
    pub(super) global: &'a Layer,
    pub(super) base: &'a Layer,
    pub(super) own: &'a Layer,
    pub(super) overrides: &'a Layer,
}

impl<'a> Layers<'a> {
    pub(super) fn of(&self, section: Section) -> [&'a Arc<Map>; 4] {
        [self.global, self.base, self.own, self.overrides].map(|layer| layer.map(section))
    }

    /// A text in the highest one that has it.
    pub(super) fn word(&self, word: Word) -> Option<&'a Value> {
        [self.overrides, self.own, self.base, self.global].into_iter().find_map(|layer| layer.word(word))
    }
}

/// Sections of a component, merged.
pub(super) struct MergedSections<'a> {
    /// What they were merged with.
    pub(super) merger: Merger<'a>,
    pub(super) vars: Arc<Map>,
    pub(super) env: Arc<Map>,
    pub(super) metadata: Arc<Map>,
    pub(super) settings: Arc<Map>,
    pub(super) auth: Arc<Map>,
    pub(super) providers: Arc<Map>,
    pub(super) required_providers: Arc<Map>,
    pub(super) test: Arc<Map>,
    pub(super) hooks: Option<Arc<Map>>,
    pub(super) generate: Option<Arc<Map>>,
    pub(super) secrets: Arc<Map>,
    /// The `component` key.
    pub(super) component: Value,
    pub(super) backend: Option<Backend>,
}

/// Merges sections and collects the places in them that wait for functions.
pub(super) struct DeferringMerge<'a> {
    pub(super) merger: Merger<'a>,
    pub(super) deferrals: Vec<Deferral>,
}

impl DeferringMerge<'_> {
    pub(super) fn section(
        &mut self,
        name: &'static str,
        section: Section,
        layers: &Layers<'_>,
    ) -> Result<Arc<Map>, LostPath> {
        self.merge(name, &layers.of(section))
    }

    pub(super) fn merge(&mut self, name: &'static str, layers: &[&Arc<Map>]) -> Result<Arc<Map>, LostPath> {
        merge_deferred(self.merger, Some(name), layers, &mut self.deferrals)
    }
}

impl MergedSections<'_> {
    /// All sections of a component in the order of their keys, so that each is put at the end. Those that depend on the stack are
    /// null. `chain` is the value of `inheritance`, `overrides` that of `overrides`.
    pub(super) fn into_map(
        self,
        kind: ComponentType,
        config: &Config,
        outer: Merger<'_>,
        layers: &Layers<'_>,
        chain: &Arc<Vec<Value>>,
        overrides: Value,
    ) -> Map {
        let merger = self.merger;
        let is_terraform = kind == ComponentType::Terraform;
        let Layers { global, base, own, .. } = *layers;
        let three = |section| merge(merger, [global, base, own].map(|l| l.map(section)));
        let two = |section| merge(merger, [base, own].map(|l| l.map(section)));
        let retry = merge(outer, [base, own, layers.overrides].map(|l| l.map(Section::Retry)));
        let command = layers.word(Word::Command).or_else(|| config.command(kind.name())).cloned();
        let (dependencies, locals) = (three(Section::Dependencies), two(Section::Locals));
        let mocks = if is_terraform { two(Section::Mocks) } else { Map::none() };
        let source = kind.has_source().then(|| (three(Section::Provision), three(Section::Source)));
        // The sections that every component has, those that only its type has, and those that it fills.
        let of_every_type = OF_STACK.len()
            + ["auth", "command", "component", "env", "inheritance", "metadata", "overrides", "settings", "vars"].len();
        let of_terraform = ["providers", "required_providers", "required_version", "workspace"].len();
        let filled = [&dependencies, &locals, &mocks, &retry, &self.secrets, &self.test];
        let room = of_every_type
            + if is_terraform { of_terraform } else { 0 }
            + if self.backend.is_some() { 2 + 2 } else { 0 }
            + if source.is_some() { 2 } else { 0 }
            + usize::from(self.generate.is_some())
            + usize::from(self.hooks.is_some())
            + filled.iter().filter(|map| !map.is_empty()).count();
        let mut out = Map::with_capacity(room);
        let [atmos_component, atmos_manifest, atmos_stack, atmos_stack_file, component_info, stack] = OF_STACK;
        for name in [atmos_component, atmos_manifest, atmos_stack, atmos_stack_file] {
            out.append(key(name), Value::default());
        }
        put(&mut out, "auth", self.auth);
        let (backend, remote) = self.backend.map_or((None, None), |backend| {
            (Some((backend.settings, backend.kind)), Some((backend.remote, backend.remote_kind)))
        });
        put_pair(&mut out, "backend", "backend_type", backend);
        out.append(key("command"), command.unwrap_or_else(|| Value::str(key(kind.name()))));
        out.append(key("component"), self.component);
        out.append(key(component_info), Value::default());
        put_filled(&mut out, "dependencies", dependencies);
        put(&mut out, "env", self.env);
        put_some(&mut out, "generate", self.generate);
        put_some(&mut out, "hooks", self.hooks);
        out.append(key("inheritance"), Value::new(Data::List(Arc::clone(chain))));
        put_filled(&mut out, "locals", locals);
        put(&mut out, "metadata", self.metadata);
        put_filled(&mut out, "mocks", mocks);
        out.append(key("overrides"), overrides);
        put_some(&mut out, "providers", is_terraform.then_some(self.providers));
        let (provision, source) = source.unzip();
        put_some(&mut out, "provision", provision);
        put_pair(&mut out, "remote_state_backend", "remote_state_backend_type", remote);
        if is_terraform {
            put(&mut out, "required_providers", self.required_providers);
            let version = [layers.overrides, own, base].into_iter().find_map(|l| l.word(Word::RequiredVersion));
            out.append(key("required_version"), version.cloned().unwrap_or_else(|| Value::str("")));
        }
        put_filled(&mut out, "retry", retry);
        put_filled(&mut out, "secrets", self.secrets);
        put(&mut out, "settings", self.settings);
        put_some(&mut out, "source", source);
        out.append(key(stack), Value::default());
        put_filled(&mut out, "test", self.test);
        put(&mut out, "vars", self.vars);
        if is_terraform {
            out.append(key("workspace"), Value::default());
        }
        out
    }
}

/// The keys that only some types have.
pub(super) fn add_keys_of_type(kind: ComponentType, merger: Merger<'_>, layers: &Layers<'_>, out: &mut Map) {
    let Layers { global, base, own, .. } = *layers;
    match kind {
        ComponentType::Kubernetes => {
            let provider = [own, base, global].into_iter().find_map(|l| l.word(Word::Provider));
            if let Some(provider) = provider {
                out.set(key("provider"), provider.clone());
            }
            let render = merge(merger, [global, base, own].map(|l| l.map(Section::Render)));
            if !render.is_empty() {
                out.set(key("render"), Value { data: Data::Map(render), prov: Prov::default() });
            }
            for (loose, name) in LOOSE.into_iter().filter(|(l, _)| *l != Loose::Plugins) {
                put_loose(out, name, merger, &[global.loose(loose), base.loose(loose), own.loose(loose)]);
            }
        }
        ComponentType::Helm => {
            let helm = merge(merger, [base, own].map(|l| l.map(Section::Helm)));
            for entry in helm.iter() {
                out.set(Text::clone(&entry.key), entry.value.clone());
            }
        }
        _ => {}
    }
    if kind.has_plugins() {
        put_loose(out, "plugins", merger, &[base.loose(Loose::Plugins), own.loose(Loose::Plugins)]);
    }
}

fn put(out: &mut Map, name: &'static str, map: Arc<Map>) {
    out.append(key(name), Value { data: Data::Map(map), prov: Prov::default() });
}

fn put_some(out: &mut Map, name: &'static str, map: Option<Arc<Map>>) {
    if let Some(map) = map {
        put(out, name, map);
    }
}

fn put_pair(out: &mut Map, first: &'static str, second: &'static str, values: Option<(Value, Value)>) {
    if let Some((a, b)) = values {
        out.append(key(first), a);
        out.append(key(second), b);
    }
}

fn put_filled(out: &mut Map, name: &'static str, map: Arc<Map>) {
    if !map.is_empty() {
        put(out, name, map);
    }
}

fn put_loose(out: &mut Map, name: &'static str, merger: Merger<'_>, layers: &[Option<&Value>]) {
    let merged = layers.iter().flatten().fold(None, |below: Option<Value>, value| match below {
        None => Some(normalize(value)),
        Some(below) => Some(merge_values(merger, &below, value)),
    });
    if let Some(value) = merged.filter(|v| !v.is_null()) {
        out.set(key(name), value);
    }
}
