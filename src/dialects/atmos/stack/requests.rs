//! Resolves components that others read with `atmos.Component`, `!terraform.state` or `!terraform.output` (`reference:
//! atmos.md` section 16).

use super::build::ManifestBuilder;
use super::context::StackContext;
use super::manifest::StackManifest;
use super::referenced::{Answered, ComponentPlace, Located, ReferencedComponents, stack_of};
use super::sections::{ComponentEntry, sections};
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::component::layers::ComponentType;
use crate::dialects::atmos::names;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::templates::host::answers::{Answer, ComponentRef};
use crate::limits::{Limit, take_steps};
use crate::text::Text;
use crate::value::{Data, Entry, Key, Map, Unknown, Value, key};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The maximum length of a chain of components that read one another. It is counted from the last one, so that the
/// result does not depend on the order of resolution.
const MAX_DEPTH: usize = 64;

/// How many components may wait for one another while that is counted.
const MAX_CHAIN: usize = 512;

/// The steps of the run that it takes to read a component.
const STEPS_OF_A_READ: u64 = 50;

/// Those that it takes to look for one that the file has not named yet.
const STEPS_OF_A_SEARCH: u64 = 200;

/// The maximum size of text in a component that another one reads.
const MAX_TEXT: usize = 4 << 20;

/// Keys that `describe component` prints and that are not resolved here.
const NOT_COMPUTED: [&str; 7] =
    ["atmos_cli_config", "cli_args", "deps", "deps_all", "imports", "sources", "tf_cli_vars"];

/// The requests of components that are being resolved.
pub(super) struct Requests<'a> {
    stacks: &'a StackContext<'a>,
    components: &'a ReferencedComponents<'a>,
    /// The components that wait for the one that is being resolved, the first one first.
    chain: &'a [ComponentPlace],
    /// A cycle that was found on the way, as text.
    cycle: OnceLock<Text>,
    /// The length of the longest chain of components.
    depth: AtomicUsize,
}

impl<'a> Requests<'a> {
    /// For components that no other one waits for.
    pub(super) fn new(stacks: &'a StackContext<'a>, components: &'a ReferencedComponents<'a>) -> Self {
        Requests::within(stacks, components, &[])
    }

    /// For a component that others wait for.
    fn within(
        stacks: &'a StackContext<'a>,
        components: &'a ReferencedComponents<'a>,
        chain: &'a [ComponentPlace],
    ) -> Self {
        Requests { stacks, components, chain, cycle: OnceLock::new(), depth: AtomicUsize::new(0) }
    }

    /// Returns what a component of a manifest gets for another one.
    pub(super) fn answer(&self, manifest: &StackManifest<'_>, asker: &ComponentPlace, wanted: &ComponentRef) -> Answer {
        let answer = self.find(manifest, asker, wanted);
        if let Answer::Cycle(message) = &answer {
            self.cycle.get_or_init(|| Text::clone(message));
        }
        answer
    }

    fn find(&self, manifest: &StackManifest<'_>, asker: &ComponentPlace, wanted: &ComponentRef) -> Answer {
        take_steps(STEPS_OF_A_READ);
        let name = (manifest.file, wanted.clone());
        let located = self.components.located().get(&name).cloned();
        if let Some(Located { place, deps }) = located {
            add_deps(manifest, &deps);
            match place {
                Ok(place) => {
                    if let Some(answer) = self.known(manifest, asker, &place) {
                        return answer;
                    }
                }
                Err(reason) => return Answer::Unknown(reason),
            }
        }
        take_steps(STEPS_OF_A_SEARCH);
        let note = |place: Result<ComponentPlace, Text>, deps: Deps| {
            self.components.located().insert(name.clone(), Located { place, deps: Arc::new(deps) });
        };
        let unknown = |reason: String, deps: Deps| {
            let reason = Text::from(reason);
            note(Err(Text::clone(&reason)), deps);
            Answer::Unknown(reason)
        };
        if let Some((kind, built)) = self.find_in(manifest, wanted) {
            let place = place_of(manifest, kind, wanted);
            note(Ok(place.clone()), Deps::default());
            return self.described(manifest, asker, place, wanted, (kind, built));
        }
        let path = match self.components.manifest_of(self.stacks, wanted) {
            Ok(path) => path,
            Err(reason) => return unknown(reason, Deps::default()),
        };
        let mut deps = Deps::default();
        let loader = self.components.loader;
        let (Ok(Some(loaded)), Ok(processed)) = (loader.reader.load(&path, &mut deps), loader.top(&path, &mut deps))
        else {
            return unknown(format!("the stack `{}` cannot be resolved", wanted.stack), Deps::default());
        };
        let key = paths::manifest_key(&path, &self.stacks.config.stacks);
        let other = StackManifest::new(self.stacks, &key, loaded.file, &processed);
        other.deps().add(&deps);
        let answer = match self.find_in(&other, wanted) {
            Some((kind, built)) => {
                let place = place_of(&other, kind, wanted);
                note(Ok(place.clone()), deps);
                self.described(&other, asker, place, wanted, (kind, built))
            }
            None => unknown(format!("`{}` has no component `{}`", wanted.stack, wanted.component), deps),
        };
        add_deps(manifest, &other.into_deps());
        answer
    }

    /// What is known of a component: that it waits for this one, or how it was answered before.
    fn known(&self, manifest: &StackManifest<'_>, asker: &ComponentPlace, place: &ComponentPlace) -> Option<Answer> {
        let mut waiting = self.chain.iter().chain([asker]);
        take_steps(self.chain.len() as u64 / 8);
        if waiting.by_ref().any(|waiting| waiting == place) {
            let mut names: Vec<&str> = vec![&place.name];
            names.extend(waiting.map(|place| &*place.name));
            names.push(&place.name);
            let message = format!("the components read one another in a cycle: {}", names.join(" → "));
            return Some(Answer::Cycle(message.into()));
        }
        if self.chain.len() >= MAX_CHAIN {
            self.depth.fetch_max(MAX_CHAIN, Ordering::Relaxed);
            return Some(too_deep());
        }
        let Answered { answer, deps, depth } = self.components.answered().get(place).cloned()?;
        add_deps(manifest, &deps);
        self.depth.fetch_max(depth, Ordering::Relaxed);
        Some(answer)
    }

    /// A component of a manifest, with the type that Atmos takes first.
    fn find_in(&self, manifest: &StackManifest<'_>, wanted: &ComponentRef) -> Option<(ComponentType, Built)> {
        let is_key = wanted.stack.contains('/') && wanted.stack == manifest.key;
        let builder = ManifestBuilder { stacks: self.stacks, manifest };
        ComponentType::ALL.into_iter().find_map(|kind| {
            let built = builder.find(kind, &wanted.component)?;
            let is_here = is_key || stack_of(self.stacks, manifest, &built.map, &wanted.component)? == wanted.stack;
            is_here.then_some((kind, built))
        })
    }

    /// The sections of a component as `describe component` shows them.
    fn described(
        &self,
        manifest: &StackManifest<'_>,
        asker: &ComponentPlace,
        place: ComponentPlace,
        wanted: &ComponentRef,
        (kind, built): (ComponentType, Built),
    ) -> Answer {
        if let Some(answer) = self.known(manifest, asker, &place) {
            return answer;
        }
        let chain: Vec<ComponentPlace> = self.chain.iter().chain([asker]).cloned().collect();
        let recorder = Recorder::default();
        let quiet = self.stacks.quiet(&recorder);
        let inner = Requests::within(&quiet, self.components, &chain);
        let answer = match (inner.describe(manifest, &place, kind, wanted, built), inner.cycle.get()) {
            // If it is not resolved because of a cycle, neither are its readers.
            (Answer::Unknown(_), Some(message)) => Answer::Cycle(Text::clone(message)),
            (answer, _) => answer,
        };
        let depth = inner.depth.load(Ordering::Relaxed) + 1;
        self.depth.fetch_max(depth, Ordering::Relaxed);
        let answer = match answer {
            Answer::Known(_) if depth > MAX_DEPTH => too_deep(),
            answer => answer,
        };
        let deps = Arc::new(manifest.deps().clone());
        take_steps(deps.len() as u64);
        self.components.answered().insert(place, Answered { answer: answer.clone(), deps, depth });
        answer
    }

    fn describe(
        &self,
        manifest: &StackManifest<'_>,
        place: &ComponentPlace,
        kind: ComponentType,
        wanted: &ComponentRef,
        built: Built,
    ) -> Answer {
        let ComponentRef { component: name, stack } = wanted;
        let reason = |what: &str| Answer::Unknown(format!("component `{name}` of stack `{stack}` {what}").into());
        let workspace_metadata =
            (kind == ComponentType::Terraform).then(|| self.workspace_settings(manifest, name, &built));
        let Some(value) = manifest.components(kind.name()).and_then(|all| all.get(name)) else {
            return reason("is not there");
        };
        let entry = Entry { key: Text::clone(name), value: value.clone() };
        let component =
            ComponentEntry { kind: kind.name(), entry: &entry, workspace_metadata: workspace_metadata.as_ref() };
        let ask = |target: &ComponentRef| self.answer(manifest, place, target);
        let Ok(sections) = sections(self.stacks, manifest, &component, built, &ask) else {
            return reason("cannot be resolved");
        };
        let mut map = sections.map;
        if kind == ComponentType::Terraform {
            let outputs = self.outputs(&map, name, &sections.stack);
            map.set(key("outputs"), outputs);
        }
        map.set(key("component_type"), Value::str(kind.name()));
        for name in NOT_COMPUTED {
            map.set(key(name), unknown(format!("`{name}` of a component is not computed")));
        }
        let value = Value::map(map).with_prov(value.prov.clone());
        let most = self.stacks.reader.limits().count(Limit::ComponentValues);
        let mut budget = MAX_TEXT;
        if value.count(most).is_none() || !fits(&value, &mut budget) {
            return reason("is too large");
        }
        Answer::Known(value)
    }

    /// Returns the workspace settings in the metadata of a component and its bases.
    fn workspace_settings(&self, manifest: &StackManifest<'_>, name: &Key, built: &Built) -> Map {
        let builder = ManifestBuilder { stacks: self.stacks, manifest };
        let mut all: HashMap<Key, Map> = HashMap::from([(Text::clone(name), built.map.clone())]);
        let mut open: Vec<Key> = names::bases_of(&built.map);
        while let Some(base) = open.pop() {
            if all.contains_key(&base) {
                continue;
            }
            let Some(built) = builder.find(ComponentType::Terraform, &base) else { continue };
            open.extend(names::bases_of(&built.map));
            all.insert(base, built.map);
        }
        let siblings: names::Siblings<'_> = all.iter().map(|(name, map)| (&**name, map)).collect();
        names::workspace_settings(&siblings, name, self.stacks.config.inherit_metadata)
    }

    /// Returns the outputs of a Terraform component: of a static remote state, or those from inputs.
    fn outputs(&self, map: &Map, name: &str, stack: &str) -> Value {
        let is_static = map.get("remote_state_backend_type").and_then(Value::as_str) == Some("static");
        if let Some(outputs) = map.get("remote_state_backend").filter(|v| is_static && v.as_map().is_some()) {
            return outputs.clone();
        }
        let given = self.stacks.external.eval_inputs.and_then(|inputs| inputs.outputs.get(name)?.get(stack));
        given.cloned().unwrap_or_else(|| {
            unknown(format!("the outputs of component `{name}` of stack `{stack}` are read from Terraform"))
        })
    }
}

/// The place of a component that was found in a manifest.
fn place_of(manifest: &StackManifest<'_>, kind: ComponentType, wanted: &ComponentRef) -> ComponentPlace {
    ComponentPlace { file: manifest.file, kind: kind.name(), name: Text::clone(&wanted.component) }
}

/// Adds dependencies to those of a manifest. They are as many as there are files, for each component that reads others.
fn add_deps(manifest: &StackManifest<'_>, deps: &Deps) {
    take_steps(deps.len() as u64);
    manifest.deps().add(deps);
}

fn too_deep() -> Answer {
    Answer::Unknown(format!("more than {MAX_DEPTH} components read one another").into())
}

fn unknown(reason: String) -> Value {
    Value::new(Data::Unknown(Arc::new(Unknown::new("atmos.Component", reason))))
}

/// Whether the texts of a value, written out, stay below `budget` bytes; lowers the budget.
fn fits(value: &Value, budget: &mut usize) -> bool {
    match &value.data {
        Data::Str(text) => match budget.checked_sub(text.len()) {
            Some(rest) => {
                *budget = rest;
                true
            }
            None => false,
        },
        Data::List(items) => items.iter().all(|item| fits(item, budget)),
        Data::Map(map) => map.iter().all(|entry| fits(&entry.value, budget)),
        _ => true,
    }
}
