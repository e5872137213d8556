//! Finds and describes the components that others ask for with `atmos.Component`, `!terraform.state` or `!terraform.output`
//! (`reference: atmos.md` section 16).

use super::components::{Manifest, Stacks};
use super::evaluation::World;
use crate::dialects::EvalInputs;
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::component::layers::Kind;
use crate::dialects::atmos::findings::Sink;
use crate::dialects::atmos::locals::observations::Observations;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::names;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::templates::host::answers::{Answer, Target};
use crate::limits::Limit;
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Key, Map, Unknown, Value, key};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How long a chain of components may be that ask for one another. It is counted from the last one, so that the answer does not
/// depend on which of them is resolved first.
const MAX_DEPTH: usize = 64;

/// How many components may wait for one another while that is counted.
const MAX_CHAIN: usize = 512;

/// How much text a component may hold that another one asks for.
const MAX_TEXT: usize = 4 << 20;

/// What `describe component` prints of a component beyond what is resolved here.
const NOT_COMPUTED: [&str; 7] =
    ["atmos_cli_config", "cli_args", "deps", "deps_all", "imports", "sources", "tf_cli_vars"];

/// Nothing is given from outside.
static NOTHING: EvalInputs = EvalInputs { env: BTreeMap::new(), outputs: BTreeMap::new(), calls: BTreeMap::new() };

/// A component of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The manifest.
    pub file: FileId,
    /// The type.
    pub kind: &'static str,
    /// The name.
    pub name: Key,
}

/// The components of a revision, for those that ask for them.
pub(crate) struct Targets<'a> {
    /// Where merged manifests come from.
    pub loader: &'a Manifests<'a>,
    manifests: &'a [String],
    index: OnceLock<Index>,
    known: Mutex<HashMap<Place, Known>>,
}

/// A component that was asked for.
#[derive(Clone)]
struct Known {
    answer: Answer,
    deps: Arc<Deps>,
    /// How long the longest chain of components is that begins with it.
    depth: usize,
}

/// The components by stack and name, each with the manifests that define it.
#[derive(Default)]
struct Index {
    places: HashMap<(Key, Key), Vec<(Kind, Text)>>,
    /// Some manifests or components are broken, so that what is not found may be there all the same.
    is_partial: bool,
}

impl<'a> Targets<'a> {
    /// The components of these manifests.
    pub(crate) fn new(loader: &'a Manifests<'a>, manifests: &'a [String]) -> Self {
        Targets { loader, manifests, index: OnceLock::new(), known: Mutex::default() }
    }
}

impl Stacks<'_> {
    /// What a component of a manifest gets for a target.
    pub(in crate::dialects::atmos) fn answer(&self, manifest: &Manifest<'_>, asker: &Place, target: &Target) -> Answer {
        let answer = self.find(manifest, asker, target);
        if let Answer::Cycle(message) = &answer {
            self.cycle.get_or_init(|| Text::clone(message));
        }
        answer
    }

    fn find(&self, manifest: &Manifest<'_>, asker: &Place, target: &Target) -> Answer {
        let chain: Vec<Place> = self.chain.iter().chain([asker]).cloned().collect();
        if let Some((kind, built)) = self.find_in(manifest, target) {
            return self.described(manifest, kind, target, built, &chain);
        }
        let index = self.targets.index.get_or_init(|| self.index());
        let wanted = (Text::clone(&target.stack), Text::clone(&target.component));
        let found = index.places.get(&wanted).and_then(|all| all.iter().min_by_key(|(kind, _)| order_of(*kind)));
        let path = match found {
            Some((_, path)) => Some(Text::clone(path)),
            None => self.by_key(&target.stack),
        };
        let Some(path) = path else {
            let certainly = if index.is_partial { "no resolved stack" } else { "no stack" };
            let reason = format!("{certainly} `{}` has a component `{}`", target.stack, target.component);
            return Answer::Unknown(reason.into());
        };
        let broken = || Answer::Unknown(format!("the stack `{}` cannot be resolved", target.stack).into());
        let mut deps = Deps::default();
        let Ok(Some(loaded)) = self.targets.loader.reader.load(&path, &mut deps) else { return broken() };
        let Ok(processed) = self.targets.loader.top(&path, &mut deps) else { return broken() };
        let other = self.manifest(&paths::manifest_key(&path, &self.config.stacks), loaded.file, &processed);
        other.deps.lock().unwrap_or_else(PoisonError::into_inner).add(&deps);
        let answer = match self.find_in(&other, target) {
            Some((kind, built)) => self.described(&other, kind, target, built, &chain),
            None => Answer::Unknown(format!("`{}` has no component `{}`", target.stack, target.component).into()),
        };
        let deps = other.deps.into_inner().unwrap_or_else(PoisonError::into_inner);
        manifest.deps.lock().unwrap_or_else(PoisonError::into_inner).add(&deps);
        answer
    }

    /// The outputs of a component, where they are known.
    pub(in crate::dialects::atmos) fn outputs_of(
        &self,
        manifest: &Manifest<'_>,
        asker: &Place,
        component: &str,
        stack: &str,
    ) -> Option<Value> {
        let target = Target { component: component.into(), stack: stack.into() };
        match self.answer(manifest, asker, &target) {
            Answer::Known(value) => value.get("outputs").filter(|v| v.as_map().is_some()).cloned(),
            Answer::Unknown(_) | Answer::Cycle(_) => None,
        }
    }

    /// The target in a manifest, with the type that Atmos takes first.
    fn find_in(&self, manifest: &Manifest<'_>, target: &Target) -> Option<(Kind, Built)> {
        let is_key = target.stack.contains('/') && target.stack == manifest.key;
        Kind::ALL.into_iter().find_map(|kind| {
            let built = self.build(manifest, kind, &target.component)?;
            let is_here = is_key || self.stack_of(manifest, &built.map, &target.component)? == target.stack;
            is_here.then_some((kind, built))
        })
    }

    /// The stack that a built component belongs to.
    fn stack_of(&self, manifest: &Manifest<'_>, map: &Map, name: &Key) -> Option<Key> {
        let named = self.named(manifest, map, name).ok()?.name;
        let name = named.as_str().filter(|name| !name.is_empty()).map(Text::from);
        Some(name.unwrap_or_else(|| Text::clone(&manifest.key)))
    }

    /// A component of a manifest before it is rendered; nothing if there is none, or it is broken.
    fn build(&self, manifest: &Manifest<'_>, kind: Kind, name: &Key) -> Option<Built> {
        let all = manifest.map.get("components")?.get(kind.name())?.as_map()?;
        let value = all.get(name)?;
        let shared = self.shared(manifest, kind).ok()?;
        self.component(manifest, kind, all, &shared, name, value).ok()
    }

    /// The path of the manifest that a key names.
    fn by_key(&self, stack: &str) -> Option<Text> {
        let is_it = |path: &&String| *paths::manifest_key(path, &self.config.stacks) == *stack;
        self.targets.manifests.iter().find(is_it).filter(|_| stack.contains('/')).map(|path| path.as_str().into())
    }

    /// All components by stack. What is wrong with them is said where their stacks are resolved.
    fn index(&self) -> Index {
        let (sink, met) = (Sink::default(), Observations::default());
        let quiet = self.quiet(&sink, &met, &[]);
        let mut index = Index::default();
        for path in self.targets.manifests {
            let mut deps = Deps::default();
            let (Ok(Some(loaded)), Ok(processed)) =
                (self.targets.loader.reader.load(path, &mut deps), self.targets.loader.top(path, &mut deps))
            else {
                index.is_partial = true;
                continue;
            };
            let manifest = quiet.manifest(&paths::manifest_key(path, &self.config.stacks), loaded.file, &processed);
            quiet.index_manifest(&manifest, path, &mut index);
        }
        index
    }

    fn index_manifest(&self, manifest: &Manifest<'_>, path: &str, index: &mut Index) {
        for kind in Kind::ALL {
            let all = manifest.map.get("components").and_then(|c| c.get(kind.name())).and_then(Value::as_map);
            let Some(all) = all.filter(|all| !all.is_empty()) else { continue };
            let Ok(shared) = self.shared(manifest, kind) else {
                index.is_partial = true;
                continue;
            };
            for Entry { key: name, value } in all.iter() {
                let built = self.component(manifest, kind, all, &shared, name, value);
                match built.ok().and_then(|built| self.stack_of(manifest, &built.map, name)) {
                    Some(stack) => {
                        index.places.entry((stack, Text::clone(name))).or_default().push((kind, path.into()));
                    }
                    None => index.is_partial = true,
                }
            }
        }
    }

    /// The same for a component that another one waits for: findings are not told, functions are evaluated.
    fn quiet<'q>(&'q self, sink: &'q Sink, met: &'q Observations, chain: &'q [Place]) -> Stacks<'q> {
        Stacks {
            reader: self.reader,
            config: self.config,
            strategy: self.strategy,
            templates: self.templates,
            sink,
            met,
            vendored: OnceLock::new(),
            world: World { given: Some(self.world.given.unwrap_or(&NOTHING)), assumes_env: true, ..self.world },
            sums: Arc::clone(&self.sums),
            targets: self.targets,
            chain,
            cycle: OnceLock::new(),
            depth: AtomicUsize::new(0),
            describes: true,
        }
    }

    /// The sections of a component as `describe component` shows them.
    fn described(&self, manifest: &Manifest<'_>, kind: Kind, target: &Target, built: Built, chain: &[Place]) -> Answer {
        let place = Place { file: manifest.file, kind: kind.name(), name: Text::clone(&target.component) };
        if let Some(at) = chain.iter().position(|waiting| *waiting == place) {
            let mut names: Vec<&str> = chain[at..].iter().map(|place| &*place.name).collect();
            names.push(&place.name);
            let message = format!("the components ask for one another without end: {}", names.join(" → "));
            return Answer::Cycle(message.into());
        }
        let too_deep = || Answer::Unknown(format!("more than {MAX_DEPTH} components ask for one another").into());
        if chain.len() > MAX_CHAIN {
            self.depth.fetch_max(MAX_CHAIN, Ordering::Relaxed);
            return too_deep();
        }
        let lock = || self.targets.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Known { answer, deps, depth }) = lock().get(&place).cloned() {
            manifest.deps.lock().unwrap_or_else(PoisonError::into_inner).add(&deps);
            self.depth.fetch_max(depth, Ordering::Relaxed);
            return answer;
        }
        let (sink, met) = (Sink::default(), Observations::default());
        let inner = self.quiet(&sink, &met, chain);
        let answer = match (inner.describe(manifest, kind, target, built), inner.cycle.get()) {
            // What is not resolved because of a cycle never ends for those that ask for it, either.
            (Answer::Unknown(_), Some(message)) => Answer::Cycle(Text::clone(message)),
            (answer, _) => answer,
        };
        let depth = inner.depth.load(Ordering::Relaxed) + 1;
        self.depth.fetch_max(depth, Ordering::Relaxed);
        let answer = match answer {
            Answer::Known(_) if depth > MAX_DEPTH => too_deep(),
            answer => answer,
        };
        let deps = Arc::new(manifest.deps.lock().unwrap_or_else(PoisonError::into_inner).clone());
        lock().insert(place, Known { answer: answer.clone(), deps, depth });
        answer
    }

    fn describe(&self, manifest: &Manifest<'_>, kind: Kind, target: &Target, built: Built) -> Answer {
        let Target { component: name, stack } = target;
        let reason = |what: &str| Answer::Unknown(format!("component `{name}` of stack `{stack}` {what}").into());
        let said = (kind == Kind::Terraform).then(|| self.said_of_workspace(manifest, name, &built));
        let all = manifest.map.get("components").and_then(|c| c.get(kind.name())).and_then(Value::as_map);
        let Some(value) = all.and_then(|all| all.get(name)) else { return reason("is not there") };
        let entry = Entry { key: Text::clone(name), value: value.clone() };
        let Ok(sections) = self.sections(manifest, kind.name(), &entry, built, said.as_ref()) else {
            return reason("cannot be resolved");
        };
        let mut map = sections.map;
        if kind == Kind::Terraform {
            let outputs = self.outputs(&map, name, &sections.stack);
            map.set(key("outputs"), outputs);
        }
        map.set(key("component_type"), Value::str(kind.name()));
        for name in NOT_COMPUTED {
            map.set(key(name), unknown(format!("`{name}` of a component is not computed")));
        }
        let value = Value::map(map).with_prov(value.prov.clone());
        let most = self.reader.limits().count(Limit::ComponentValues);
        let mut budget = MAX_TEXT;
        if value.count(most).is_none() || !fits(&value, &mut budget) {
            return reason("is too large");
        }
        Answer::Known(value)
    }

    /// What the metadata of a component and its bases say of the workspace.
    fn said_of_workspace(&self, manifest: &Manifest<'_>, name: &Key, built: &Built) -> Map {
        let mut all: HashMap<Key, Map> = HashMap::from([(Text::clone(name), built.map.clone())]);
        let mut open: Vec<Key> = names::bases_of(&built.map);
        while let Some(base) = open.pop() {
            if all.contains_key(&base) {
                continue;
            }
            let Some(built) = self.build(manifest, Kind::Terraform, &base) else { continue };
            open.extend(names::bases_of(&built.map));
            all.insert(base, built.map);
        }
        let siblings: names::Siblings<'_> = all.iter().map(|(name, map)| (&**name, map)).collect();
        names::said_of_workspace(&siblings, name, self.config.inherit_metadata)
    }

    /// The outputs of a Terraform component: of a static remote state, or those that are given.
    fn outputs(&self, map: &Map, name: &str, stack: &str) -> Value {
        let is_static = map.get("remote_state_backend_type").and_then(Value::as_str) == Some("static");
        if let Some(outputs) = map.get("remote_state_backend").filter(|v| is_static && v.as_map().is_some()) {
            return outputs.clone();
        }
        let given = self.world.given.and_then(|given| given.outputs.get(name)?.get(stack));
        given.cloned().unwrap_or_else(|| {
            unknown(format!("the outputs of component `{name}` of stack `{stack}` are read from Terraform"))
        })
    }
}

fn order_of(kind: Kind) -> Option<usize> {
    Kind::ALL.iter().position(|k| *k == kind)
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
