//! Base components (`reference: atmos.md` section 4.3): every base that is visited is merged on top of one accumulator.

use super::inheritance::InheritanceStep;
use super::layers::{ComponentType, LOOSE, Layer, Section, Word, WrongShape};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::merge::{ListStrategy, Merger, merge, merge_values, normalize};
use crate::limits::{Exceeded, Limit, Limits};
use crate::text::{ByAddress, FastMap, FastSet, Text};
use crate::threads::PerThread;
use crate::value::{Data, Key, Map, Origin, Prov, Value};
use foldhash::fast::RandomState;
use std::cell::RefCell;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The sections that a component takes from its bases.
const INHERITED: [Section; 21] = [
    Section::Vars,
    Section::Settings,
    Section::Env,
    Section::Auth,
    Section::Secrets,
    Section::Dependencies,
    Section::Locals,
    Section::Metadata,
    Section::Providers,
    Section::RequiredProviders,
    Section::Hooks,
    Section::Test,
    Section::Mocks,
    Section::Generate,
    Section::Render,
    Section::Backend,
    Section::RemoteStateBackend,
    Section::Source,
    Section::Provision,
    Section::Retry,
    Section::Helm,
];

/// The sum of the bases of a component.
#[derive(Clone, Debug, Default)]
pub(super) struct Bases {
    /// Their sections, merged.
    pub layer: Arc<Layer>,
    /// Their names, the one merged last first, each once.
    pub chain: Arc<Vec<Value>>,
    /// The base of a legacy `component:`: the deepest one.
    pub deepest: Option<Key>,
    /// The lines that name them.
    pub sites: Vec<Origin>,
    /// The sum as it was after each base that the component names itself.
    after: Vec<(Key, Arc<Layer>, Arc<Vec<Value>>)>,
    /// How many were merged, each time counted.
    merged: usize,
    /// The bases added so far, including repetitions, and whether by a legacy `component:`.
    added: Vec<(bool, Key)>,
    /// Every base that was visited.
    visited: Vec<Visited>,
    /// Whether it depends on more than what was visited.
    path_dependent: bool,
}

/// What was visited.
#[derive(Clone, Debug)]
enum Visited {
    /// A base, as it was found.
    Base(Key, Arc<Map>),
    /// The bases of a cached sum.
    MergedBases(Arc<MergedBases>),
}

impl Visited {
    fn bases(&self) -> impl Iterator<Item = (Key, Arc<Map>)> {
        let (one, several) = match self {
            Visited::Base(name, map) => (Some((Text::clone(name), Arc::clone(map))), &[][..]),
            Visited::MergedBases(sum) => (None, sum.visited.as_slice()),
        };
        one.into_iter().chain(several.iter().cloned())
    }
}

/// Caches the results of merging bases, shared by components with the same bases. Each thread has its own results: threads that
/// copy the same `Arc` slow each other down, because each copy writes its reference count.
#[derive(Default)]
pub(crate) struct InheritanceCache {
    known: PerThread<FastMap<MergedBasesKey, Vec<Arc<MergedBases>>>>,
    /// Hashes bases.
    hasher: RandomState,
}

/// The cached sums whose bases are the very same in the components of one type in one manifest.
#[derive(Debug, Default)]
pub(crate) struct ValidMergedBases(RefCell<FastSet<ByAddress<Arc<MergedBases>>>>);

/// The component type, the list strategy, a hash of the bases in order, and the last one as an object in memory: stacks may
/// configure each base differently.
type MergedBasesKey = (ComponentType, ListStrategy, u64, Option<ByAddress<Arc<Map>>>);

/// The result of adding a base.
#[derive(Debug)]
struct MergedBases {
    /// The bases in order.
    bases: Vec<(bool, Key)>,
    layer: Arc<Layer>,
    chain: Arc<Vec<Value>>,
    deepest: Option<Key>,
    /// The lines below the one that names the base.
    sites: Vec<Origin>,
    visited: Vec<(Key, Arc<Map>)>,
    merged: usize,
    /// The length of the longest chain of bases that begins with the one that was added last.
    depth: usize,
}

/// The maximum number of cached sums of the same bases: their own bases may differ.
const MAX_VARIANTS: usize = 4;

impl InheritanceCache {
    /// The sum of bases that are the very same in `all`, and of which none has one of the `excluded` names.
    fn find<'k>(
        &self,
        key: &MergedBasesKey,
        bases: &[(bool, Key)],
        excluded: impl Iterator<Item = &'k Key> + Clone,
        all: &Map,
        valid: &ValidMergedBases,
    ) -> Option<Arc<MergedBases>> {
        let is_excluded = |name: &Key| excluded.clone().any(|excluded| excluded == name);
        let is_same = |(name, map): &(Key, Arc<Map>)| {
            all.get(name).and_then(Value::as_map).map(ByAddress) == Some(ByAddress(map))
        };
        let is_valid = |sum: &&Arc<MergedBases>| {
            valid.0.borrow().contains(&ByAddress(Arc::clone(sum))) || sum.visited.iter().all(is_same)
        };
        let allowed = |sum: &&Arc<MergedBases>| !sum.visited.iter().any(|(name, _)| is_excluded(name));
        let find = |known: &mut FastMap<MergedBasesKey, Vec<Arc<MergedBases>>>| {
            let mut sums = known.get(key)?.iter().rev();
            sums.find(|sum| sum.bases == bases && allowed(sum) && is_valid(sum)).map(Arc::clone)
        };
        let sum = self.known.with(find).flatten()?;
        valid.0.borrow_mut().insert(ByAddress(Arc::clone(&sum)));
        Some(sum)
    }

    fn keep(&self, key: MergedBasesKey, sum: MergedBases) {
        self.known.with(|known| {
            let variants = known.entry(key).or_default();
            if variants.len() == MAX_VARIANTS {
                variants.remove(0);
            }
            variants.push(Arc::new(sum));
        });
    }
}

/// Why bases cannot be merged.
#[derive(Clone, Debug)]
pub(crate) enum BaseError {
    /// A base of this name is not there.
    Undefined {
        component: Key,
        base: Key,
        /// Where it is named.
        site: Prov,
    },
    /// The bases form a cycle.
    Cycle(Vec<InheritanceStep>),
    /// Something has the wrong shape.
    Shape(WrongShape),
    /// There are too many, or they are too deep.
    Limit {
        /// The exceeded limit.
        exceeded: Exceeded,
        /// Where the base is named that is too much.
        site: Prov,
    },
    /// The list strategy has an unknown name.
    Strategy(String, Prov),
}

impl From<WrongShape> for BaseError {
    fn from(shape: WrongShape) -> Self {
        BaseError::Shape(shape)
    }
}

/// A base on the way.
struct Visit {
    /// The component that it counts for.
    component: Key,
    name: Key,
    /// Where it is named.
    site: Option<Origin>,
}

/// The steps of a circle of bases: each was named by the one before it, the first one by the last, at `closing`.
fn circle(members: &[Visit], closing: Option<Origin>) -> Vec<InheritanceStep> {
    let sites = members[1..].iter().map(|v| v.site).chain([closing]);
    let next = members[1..].iter().chain(members.first());
    let steps = members.iter().zip(next).zip(sites);
    let step = |((v, next), site): ((&Visit, &Visit), Option<Origin>)| InheritanceStep {
        from: Text::clone(&v.name),
        to: Text::clone(&next.name),
        site,
    };
    steps.map(step).collect()
}

/// What was visited and merged before a sum of bases.
#[derive(Clone, Copy)]
struct Part {
    visited: usize,
    merged: usize,
}

/// Merges bases of one component.
pub(super) struct Inheritance<'a> {
    pub config: &'a Config,
    pub kind: ComponentType,
    /// The components of that type in the merged manifest.
    pub all: &'a Map,
    /// The strategy of the component's own settings and overrides, over the configuration's.
    pub merger: Merger<'a>,
    /// The strategy of the configuration.
    pub outer: Merger<'a>,
    /// Whether a folder of Terraform code has this name below the components of the type.
    pub is_folder: &'a dyn Fn(&str) -> bool,
    /// The cached results for the bases of other components.
    pub cache: &'a InheritanceCache,
    /// Those that are valid for `all`.
    pub valid: &'a ValidMergedBases,
    pub limits: Limits,
}

impl Inheritance<'_> {
    /// Adds a base to the sum, with its own bases below it.
    pub(crate) fn add(&self, into: &mut Bases, component: &Key, base: &Value, legacy: bool) -> Result<(), BaseError> {
        let name = name_in(base);
        into.added.push((legacy, Text::clone(&name)));
        // Atmos remembers the sum after a base. Where the same base is named again (by a legacy `component:` and in
        // `inherits`, or twice because lists are appended), it goes back to that sum and forgets the bases since then.
        if let Some((_, layer, chain)) = into.after.iter().find(|(n, ..)| *n == name) {
            (into.layer, into.chain) = (Arc::clone(layer), Arc::clone(chain));
            return Ok(());
        }
        let all = std::mem::take(&mut into.added);
        let nothing = Part { visited: 0, merged: 0 };
        self.visit_or_reuse(into, component, (base, legacy), &mut Vec::new(), &all, nothing)?;
        into.added = all;
        into.after.push((name, Arc::clone(&into.layer), Arc::clone(&into.chain)));
        Ok(())
    }

    /// Adds a base below another one, and returns the length of the longest chain of bases that begins with it. The first one
    /// that is merged makes a sum of its own, which other components and other bases may have, too.
    fn visit_below(
        &self,
        into: &mut Bases,
        component: &Key,
        (base, legacy): (&Value, bool),
        path: &mut Vec<Visit>,
    ) -> Result<usize, BaseError> {
        if !into.chain.is_empty() {
            return self.visit(into, component, (base, legacy), path);
        }
        let before = Part { visited: into.visited.len(), merged: into.merged };
        self.visit_or_reuse(into, component, (base, legacy), path, &[(legacy, name_in(base))], before)
    }

    /// Adds a base as [`Self::visit`] does, or takes the cached sum. The sum is that of the `bases`, the last of which is
    /// added; `before` is what does not belong to it.
    fn visit_or_reuse(
        &self,
        into: &mut Bases,
        component: &Key,
        (base, legacy): (&Value, bool),
        path: &mut Vec<Visit>,
        bases: &[(bool, Key)],
        before: Part,
    ) -> Result<usize, BaseError> {
        if into.path_dependent {
            return self.visit(into, component, (base, legacy), path);
        }
        let last = self.all.get(&name_in(base)).and_then(Value::as_map).map(|map| ByAddress(Arc::clone(map)));
        let key = (self.kind, self.merger.strategy, self.cache.hasher.hash_one(bases), last);
        let outer = path.iter().map(|visit| &visit.name).chain([component]);
        let fits = |sum: &Arc<MergedBases>| {
            path.len() + sum.depth <= self.limits.count(Limit::InheritanceDepth)
                && before.merged + sum.merged <= self.limits.count(Limit::Bases)
        };
        if let Some(sum) = self.cache.find(&key, bases, outer, self.all, self.valid).filter(fits) {
            into.layer = Arc::clone(&sum.layer);
            into.chain = Arc::clone(&sum.chain);
            into.deepest = sum.deepest.clone();
            into.sites.reserve(1 + sum.sites.len());
            into.sites.extend(base.prov.origin);
            into.sites.extend(&sum.sites);
            into.visited.truncate(before.visited);
            into.merged = before.merged + sum.merged;
            let depth = sum.depth;
            into.visited.push(Visited::MergedBases(sum));
            return Ok(depth);
        }
        let first_site = into.sites.len();
        let depth = self.visit(into, component, (base, legacy), path)?;
        if !into.path_dependent {
            let own = usize::from(base.prov.origin.is_some());
            let sites = into.sites[first_site..].iter().skip(own).copied().collect();
            let (layer, chain, deepest) = (Arc::clone(&into.layer), Arc::clone(&into.chain), into.deepest.clone());
            let visited = into.visited[before.visited..].iter().flat_map(Visited::bases).collect();
            let merged = into.merged - before.merged;
            self.cache
                .keep(key, MergedBases { bases: bases.to_vec(), layer, chain, deepest, sites, visited, merged, depth });
        }
        Ok(depth)
    }

    /// Adds a base with its own bases below it, and returns the length of the longest chain of bases that begins with it.
    fn visit(
        &self,
        into: &mut Bases,
        component: &Key,
        (base, legacy): (&Value, bool),
        visited: &mut Vec<Visit>,
    ) -> Result<usize, BaseError> {
        let name = name_in(base);
        if *component == name {
            into.path_dependent = true;
            return Ok(1);
        }
        for (limit, value) in [(Limit::InheritanceDepth, visited.len()), (Limit::Bases, into.merged)] {
            if value >= self.limits.count(limit) {
                return Err(BaseError::Limit { exceeded: self.limits.exceeded(limit), site: base.prov.clone() });
            }
        }
        into.merged += 1;
        if let Some(start) = visited.iter().position(|v| v.component == *component && v.name == name) {
            return Err(BaseError::Cycle(circle(&visited[start..], base.prov.origin)));
        }
        let Some(value) = self.all.get(&name) else {
            if legacy && (self.is_folder)(&name) {
                into.path_dependent = true;
                return Ok(1);
            }
            return Err(BaseError::Undefined {
                component: Text::clone(component),
                base: name,
                site: base.prov.clone(),
            });
        };
        into.sites.extend(base.prov.origin);
        let what = format_args!("components.{}.{name}", self.kind.name());
        let Some(map) = value.as_map() else {
            let message = format!("`{what}` must be a map, not {}", value.a_kind());
            return Err(WrongShape { message, site: value.prov.clone() }.into());
        };
        into.visited.push(Visited::Base(Text::clone(&name), Arc::clone(map)));
        visited.push(Visit { component: Text::clone(component), name: Text::clone(&name), site: base.prov.origin });
        let below = self.visit_bases_of(into, component, &name, map, visited)?;
        visited.pop();
        self.merge(into, &name, map, what)?;
        Ok(1 + below)
    }

    /// Adds the bases that a base itself names, and returns the length of the longest chain of them.
    fn visit_bases_of(
        &self,
        into: &mut Bases,
        component: &Key,
        name: &Key,
        map: &Map,
        visited: &mut Vec<Visit>,
    ) -> Result<usize, BaseError> {
        let mut depth = 0;
        let what = format_args!("components.{}.{name}", self.kind.name());
        let metadata = map.get("metadata").and_then(Value::as_map);
        let is_abstract = metadata.is_some_and(|m| m.get("type").and_then(Value::as_str) == Some("abstract"));
        if let Some(next) = map.get("component").filter(|_| !is_abstract) {
            if next.as_str().is_none() {
                let message = format!("`{what}.component` must be text, not {}", next.a_kind());
                return Err(WrongShape { message, site: next.prov.clone() }.into());
            }
            depth = self.visit_below(into, name, (next, true), visited)?;
        }
        for next in metadata.and_then(|m| m.get("inherits")).and_then(Value::as_list).into_iter().flat_map(|l| l.iter())
        {
            if next.as_str().is_none() {
                let message = format!("`{what}.metadata.inherits` must name components, not {}", next.a_kind());
                return Err(WrongShape { message, site: next.prov.clone() }.into());
            }
            depth = depth.max(self.visit_below(into, component, (next, false), visited)?);
        }
        Ok(depth)
    }

    fn merge(&self, into: &mut Bases, name: &Key, map: &Map, what: fmt::Arguments<'_>) -> Result<(), BaseError> {
        let base = Layer::of(map, self.kind, self.config, what, true)?;
        into.deepest.get_or_insert_with(|| Text::clone(name));
        let merger = own_merger(self.merger, [base.map(Section::Settings)])?;
        let sum = Arc::make_mut(&mut into.layer);
        for section in INHERITED {
            let mut own = Arc::clone(base.map(section));
            if section == Section::Metadata {
                if !self.config.inherit_metadata {
                    continue;
                }
                if own.has("inherits") || own.has("type") {
                    let mut kept = (*own).clone();
                    kept.remove("inherits");
                    kept.remove("type");
                    own = Arc::new(kept);
                }
            }
            if own.is_empty() {
                continue;
            }
            let merger = if section == Section::Secrets { self.outer } else { merger };
            sum.set(section, merge(merger, [sum.map(section), &own]));
        }
        // These are taken from every base that is visited, even if it has none; the others keep the last one there is.
        for word in [Word::Command, Word::BackendType, Word::RemoteStateBackendType] {
            sum.set_word(word, base.word(word).cloned());
        }
        for word in [Word::RequiredVersion, Word::Provider] {
            if let Some(value) = base.word(word) {
                sum.set_word(word, Some(value.clone()));
            }
        }
        for (loose, _) in LOOSE {
            let Some(own) = base.loose(loose) else { continue };
            let value = sum.loose(loose).map_or_else(|| normalize(own), |below| merge_values(merger, below, own));
            sum.set_loose(loose, Some(value));
        }
        let chain = Arc::make_mut(&mut into.chain);
        chain.retain(|n| n.as_str() != Some(name));
        chain.insert(0, Value::str(Text::clone(name)));
        Ok(())
    }
}

/// The name in a value that names a base.
fn name_in(base: &Value) -> Key {
    match &base.data {
        Data::Str(name) => Text::clone(name),
        _ => Key::default(),
    }
}

/// Returns `outer` with the list strategy that layers of settings select; the last one wins.
///
/// # Errors
/// A name that is none.
pub(super) fn own_merger<'a, 's>(
    outer: Merger<'a>,
    settings: impl IntoIterator<Item = &'s Arc<Map>>,
) -> Result<Merger<'a>, BaseError> {
    let chosen = settings.into_iter().filter_map(|s| s.get("list_merge_strategy"));
    let Some(value) = chosen.filter(|v| v.as_str().is_some_and(|s| !s.is_empty())).last() else { return Ok(outer) };
    let name = value.as_str().unwrap_or_default();
    let strategy = ListStrategy::parse(name);
    let strategy = strategy.ok_or_else(|| BaseError::Strategy(name.to_owned(), value.prov.clone()))?;
    Ok(outer.with_strategy(strategy))
}
