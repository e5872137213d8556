//! Base components (`reference: atmos.md` section 4.3): every base that is visited is merged on top of one accumulator.

use super::config::Config;
use super::layers::{Kind, LOOSE, Layer, Section, Word, WrongShape};
use super::merge::{ListStrategy, merge, merge_values};
use crate::limits::{Exceeded, Limit, Limits};
use crate::value::{Key, Map, Origin, Prov, Value};
use std::sync::Arc;

/// The sum of the bases of a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bases {
    /// Their sections, merged.
    pub layer: Layer,
    /// Their names, the one merged last first, each once.
    pub chain: Vec<Key>,
    /// The base that a legacy `component:` leads to: the deepest one.
    pub deepest: Option<Key>,
    /// The lines that name them.
    pub sites: Vec<Origin>,
    /// The sum as it was after each base that the component names itself.
    after: Vec<(Key, Layer, Vec<Key>)>,
    /// How many were merged, each time counted.
    merged: usize,
}

/// Why bases cannot be merged.
#[derive(Clone, Debug)]
pub(crate) enum BaseError {
    /// A base of this name is not there.
    Undefined {
        /// The component that names it.
        component: Key,
        /// The name.
        base: Key,
        /// Where it is named.
        site: Prov,
    },
    /// Bases lead back to one of them.
    Cycle {
        /// The base that closes it.
        base: Key,
        /// Where it is named.
        site: Prov,
    },
    /// Something has the wrong shape.
    Shape(WrongShape),
    /// There are too many, or they are too deep.
    Limit {
        /// What is exceeded.
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

/// Merges bases of one component.
pub(crate) struct Inheritance<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The component type.
    pub kind: Kind,
    /// The components of that type in the merged manifest.
    pub all: &'a Map,
    /// The strategy of the component's own settings and overrides, over the configuration's.
    pub strategy: ListStrategy,
    /// The strategy of the configuration.
    pub outer: ListStrategy,
    /// Whether a folder of Terraform code has this name below the components of the type.
    pub is_folder: &'a dyn Fn(&str) -> bool,
    /// How much is taken on.
    pub limits: Limits,
}

impl Inheritance<'_> {
    /// Adds a base, with its own bases below it, to the sum.
    pub(crate) fn add(&self, into: &mut Bases, component: &Key, base: &Value, legacy: bool) -> Result<(), BaseError> {
        let name: Key = base.as_str().unwrap_or_default().into();
        // Atmos remembers the sum after a base. Where the same base is named again (by a legacy `component:` and in
        // `inherits`, or twice because lists are appended), it goes back to that sum and forgets the bases since then.
        if let Some((_, layer, chain)) = into.after.iter().find(|(n, ..)| *n == name) {
            (into.layer, into.chain) = (layer.clone(), chain.clone());
            return Ok(());
        }
        self.visit(into, component, base, legacy, &mut Vec::new())?;
        into.after.push((name, into.layer.clone(), into.chain.clone()));
        Ok(())
    }

    fn visit(
        &self,
        into: &mut Bases,
        component: &Key,
        base: &Value,
        legacy: bool,
        visited: &mut Vec<(Key, Key)>,
    ) -> Result<(), BaseError> {
        let name: Key = base.as_str().unwrap_or_default().into();
        if *component == name {
            return Ok(());
        }
        for (limit, value) in [(Limit::InheritanceDepth, visited.len()), (Limit::Bases, into.merged)] {
            if value >= self.limits.count(limit) {
                return Err(BaseError::Limit { exceeded: self.limits.exceeded(limit), site: base.prov.clone() });
            }
        }
        into.merged += 1;
        let key = (Arc::clone(component), Arc::clone(&name));
        if visited.contains(&key) {
            return Err(BaseError::Cycle { base: name, site: base.prov.clone() });
        }
        let Some(value) = self.all.get(&name) else {
            if legacy && (self.is_folder)(&name) {
                return Ok(());
            }
            return Err(BaseError::Undefined { component: Arc::clone(component), base: name, site: base.prov.clone() });
        };
        into.sites.extend(base.prov.origin);
        let what = format!("components.{}.{name}", self.kind.name());
        let Some(map) = value.as_map() else {
            let message = format!("`{what}` must be a map, not {}", value.a_kind());
            return Err(WrongShape { message, site: value.prov.clone() }.into());
        };
        visited.push(key);
        let metadata = map.get("metadata").and_then(Value::as_map);
        let is_abstract = metadata.is_some_and(|m| m.get("type").and_then(Value::as_str) == Some("abstract"));
        if let Some(next) = map.get("component").filter(|_| !is_abstract) {
            if next.as_str().is_none() {
                let message = format!("`{what}.component` must be text, not {}", next.a_kind());
                return Err(WrongShape { message, site: next.prov.clone() }.into());
            }
            self.visit(into, &name, next, true, visited)?;
        }
        for next in metadata.and_then(|m| m.get("inherits")).and_then(Value::as_list).into_iter().flat_map(|l| l.iter())
        {
            if next.as_str().is_none() {
                let message = format!("`{what}.metadata.inherits` must name components, not {}", next.a_kind());
                return Err(WrongShape { message, site: next.prov.clone() }.into());
            }
            self.visit(into, component, next, false, visited)?;
        }
        visited.pop();
        self.merge(into, &name, map, &what)
    }

    fn merge(&self, into: &mut Bases, name: &Key, map: &Map, what: &str) -> Result<(), BaseError> {
        let base = Layer::of(map, self.kind, self.config, what, true)?;
        into.deepest.get_or_insert_with(|| Arc::clone(name));
        let strategy = own_strategy(self.strategy, [base.map(Section::Settings)])?;
        let sum = &mut into.layer;
        let sections = [
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
        for section in sections {
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
            let strategy = if section == Section::Secrets { self.outer } else { strategy };
            sum.set(section, merge(strategy, [sum.map(section), &own]));
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
            let value = sum
                .loose(loose)
                .map_or_else(|| super::merge::settle(own, strategy), |below| merge_values(strategy, below, own));
            sum.set_loose(loose, Some(value));
        }
        into.chain.retain(|n| n != name);
        into.chain.insert(0, Arc::clone(name));
        Ok(())
    }
}

/// The list strategy that settings layers ask for, the last one that does counting.
///
/// # Errors
/// A name that is none.
pub(crate) fn own_strategy<'a>(
    outer: ListStrategy,
    settings: impl IntoIterator<Item = &'a Arc<Map>>,
) -> Result<ListStrategy, BaseError> {
    let asked = settings.into_iter().filter_map(|s| s.get("list_merge_strategy"));
    let Some(value) = asked.filter(|v| v.as_str().is_some_and(|s| !s.is_empty())).last() else { return Ok(outer) };
    let name = value.as_str().unwrap_or_default();
    ListStrategy::parse(name).ok_or_else(|| BaseError::Strategy(name.to_owned(), value.prov.clone()))
}
