//! The interfaces of all components by stack and name, and the targets of their links.

use crate::graph::has_cycle;
use crate::resolution::{CommandReference, Link, StackSelector, State};
use crate::text::{FastMap, Text, compare, order};
use crate::threads;
use crate::unit::{Interface, UnitInterface};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The interfaces of one state, for rules that look beyond one unit.
pub(crate) struct ComponentIndex<'a> {
    units: &'a [UnitInterface],
    index: OnceLock<Index<'a>>,
    /// The stacks that have a component of a name, sorted.
    stacks_with: OnceLock<BTreeMap<&'a str, Vec<&'a str>>>,
    /// The links of the components of each unit.
    needs: Vec<OnceLock<Vec<ResolvedLink<'a>>>>,
    /// The targets of links that look through all stacks, and may hold any number of components.
    having: Mutex<FastMap<(&'a Text, &'a Context), Target<'a>>>,
    is_acyclic: OnceLock<bool>,
}

/// Inputs by name, and what they have to be.
type Context = [(Text, Text)];

/// The components of a stack by name, in the order of their names; several where their types differ.
#[derive(Default)]
struct Names<'a>(Vec<(&'a str, Targets<'a>)>);

impl<'a> Names<'a> {
    /// The names of some components. Of several units that define one component of a type, the last one counts.
    fn of(components: impl Iterator<Item = &'a Interface>) -> Self {
        let mut all: Vec<&Interface> = components.collect();
        all.sort_by(|a, b| order(&a.name, &b.name));
        let mut names: Vec<(&str, Targets<'_>)> = Vec::with_capacity(all.len());
        for component in all {
            match names.last_mut().filter(|(name, _)| *name == &*component.name) {
                Some((_, named)) => named.add(component),
                None => names.push((&component.name, Targets::One([component]))),
            }
        }
        Names(names)
    }

    fn get(&self, name: &str) -> Option<&Targets<'a>> {
        self.0.binary_search_by(|(known, _)| compare(known, name)).ok().map(|i| &self.0[i].1)
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|(name, _)| *name)
    }
}

/// The components of a stack.
#[derive(Default)]
struct Stack<'a> {
    /// Parts of units, in their order.
    parts: Vec<&'a [Interface]>,
    names: OnceLock<Names<'a>>,
}

impl<'a> Stack<'a> {
    fn names(&self) -> &Names<'a> {
        self.names.get_or_init(|| Names::of(self.parts.iter().copied().flatten()))
    }
}

#[derive(Default)]
struct Index<'a> {
    stacks: BTreeMap<&'a str, Stack<'a>>,
    /// Stacks by the name of the unit that defines them.
    units: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Names of components that may be there, though nothing is known of them.
    hidden: BTreeSet<&'a str>,
    /// Whether every unit was resolved.
    is_whole: bool,
}

/// Components that one name means, at least one. It is nearly always one.
#[derive(Clone)]
pub(crate) enum Targets<'a> {
    /// The only one.
    One([&'a Interface; 1]),
    /// Several components; links with the same target share them.
    Several(Arc<[&'a Interface]>),
}

impl<'a> Deref for Targets<'a> {
    type Target = [&'a Interface];

    fn deref(&self) -> &Self::Target {
        match self {
            Targets::One(one) => one,
            Targets::Several(several) => several,
        }
    }
}

impl<'a> Targets<'a> {
    /// Those of a type, if one is given.
    fn of_kind(&self, kind: Option<&Text>) -> Option<Targets<'a>> {
        match kind {
            None => Some(self.clone()),
            Some(kind) => self.iter().find(|c| c.kind == *kind).map(|c| Targets::One([*c])),
        }
    }

    /// Adds a component. Of several units that define one component of a type, the last one counts.
    fn add(&mut self, component: &'a Interface) {
        let mut all = self.to_vec();
        match all.iter_mut().find(|c| c.kind == component.kind) {
            Some(known) => *known = component,
            None => all.push(component),
        }
        *self = match all.as_slice() {
            [only] => Targets::One([*only]),
            _ => Targets::Several(all.into()),
        };
    }
}

/// A dependency of a component on another one.
pub(crate) struct ResolvedLink<'a> {
    /// The component.
    pub from: &'a Interface,
    /// The link that declares it.
    pub link: &'a Link,
    /// The target of the link.
    pub target: Target<'a>,
}

/// The target of a link.
#[derive(Clone)]
pub(crate) enum Target<'a> {
    /// The components that it means.
    Found(Targets<'a>),
    /// The stack has no component of this name.
    NoComponent(&'a str),
    /// The stack does not exist.
    NoStack,
    /// It may be in what could not be resolved.
    Undecided,
    /// The target is unknown.
    Unknown,
}

impl<'a> ComponentIndex<'a> {
    /// The index of some units; made when it is first needed.
    pub(crate) fn new(units: &'a [UnitInterface]) -> Self {
        let needs = units.iter().map(|_| OnceLock::new()).collect();
        let (index, stacks_with, having, is_acyclic) = Default::default();
        ComponentIndex { units, index, stacks_with, needs, having, is_acyclic }
    }

    /// Whether all units were resolved, so that a missing component does not exist.
    pub(crate) fn is_complete(&self) -> bool {
        self.units.iter().all(|u| u.state != State::OutOfScope)
    }

    /// All components. A component that several units define comes once a unit.
    pub(crate) fn components(&self) -> impl Iterator<Item = &'a Interface> {
        self.units.iter().flat_map(|unit| &unit.components)
    }

    pub(crate) fn units(&self) -> &'a [UnitInterface] {
        self.units
    }

    /// The names of all stacks.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = &'a str> {
        self.index().stacks.keys().copied()
    }

    /// The names of the components of a stack.
    pub(crate) fn names(&self, stack: &str) -> impl Iterator<Item = &'a str> {
        self.index().stacks.get(stack).into_iter().flat_map(|stack| stack.names().names())
    }

    /// The names of all components, each once.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &'a str> {
        self.by_name().keys().copied()
    }

    /// The stacks that have a component of this name, sorted.
    pub(crate) fn stacks_with(&self, component: &str) -> &[&'a str] {
        self.by_name().get(component).map_or(&[], Vec::as_slice)
    }

    fn by_name(&self) -> &BTreeMap<&'a str, Vec<&'a str>> {
        self.stacks_with.get_or_init(|| {
            let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (stack, known) in &self.index().stacks {
                known.names().names().for_each(|name| all.entry(name).or_default().push(stack));
            }
            all
        })
    }

    /// All links of all components, those of one component after each other in their order.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &ResolvedLink<'a>> {
        (0..self.needs.len()).flat_map(|unit| self.needs_in(unit))
    }

    /// Finds the targets of all links on all threads; otherwise the first rule that asks for them does that alone.
    pub(super) fn examine(&self) {
        let units: Vec<usize> = (0..self.needs.len()).collect();
        threads::map(&units, |unit| self.needs_in(*unit).len());
    }

    /// The links of the components of a unit (by number), in their order.
    fn needs_in(&self, unit: usize) -> &[ResolvedLink<'a>] {
        self.needs[unit].get_or_init(|| {
            let components = self.units[unit].components.iter();
            let links = components.flat_map(|from| from.links.iter().map(move |link| (from, link)));
            let target = |from: &Interface, link: &'a Link| match &link.stack {
                StackSelector::Having(wanted) => {
                    let key = (&link.component, &**wanted);
                    let known = self.having.lock().get(&key).cloned();
                    known.unwrap_or_else(|| {
                        let target = self.having(&link.component, wanted);
                        self.having.lock().entry(key).or_insert(target).clone()
                    })
                }
                _ => self.target(&from.stack, link),
            };
            links.map(|(from, link)| ResolvedLink { from, link, target: target(from, link) }).collect()
        })
    }

    /// Returns the links of deployed components.
    pub(crate) fn needs_of_deployed(&self) -> impl Iterator<Item = &ResolvedLink<'a>> {
        self.needs().filter(|need| need.from.is_deployed())
    }

    /// Whether no deployed component depends on itself, directly or indirectly.
    pub(super) fn is_acyclic(&self) -> bool {
        *self.is_acyclic.get_or_init(|| !has_cycle(self.edges()))
    }

    /// The links between deployed components, which are numbered by their addresses: a component that several units define is one.
    fn edges(&self) -> Vec<(u32, u32)> {
        type Address<'a> = (&'a str, &'a str, &'a str);
        let address = |c: &'a Interface| -> Address<'a> { (&c.stack, &c.name, &c.kind) };
        let mut numbers: FastMap<Address<'_>, u32> = FastMap::default();
        let mut edges = Vec::new();
        let mut number = |c: &'a Interface| {
            let next = numbers.len() as u32;
            *numbers.entry(address(c)).or_insert(next)
        };
        for need in self.needs_of_deployed() {
            let Target::Found(targets) = &need.target else { continue };
            let from = number(need.from);
            edges.extend(targets.iter().map(|target| (from, number(target))));
        }
        edges
    }

    /// Returns the target of a link of a component of a stack.
    pub(crate) fn target(&self, stack: &str, link: &Link) -> Target<'a> {
        let index = self.index();
        let stack = match &link.stack {
            StackSelector::Unknown => return Target::Unknown,
            StackSelector::Here => stack,
            StackSelector::Stack(stack) => &**stack,
            StackSelector::Having(wanted) => return self.having(&link.component, wanted),
        };
        let known = index.stacks.get_key_value(stack);
        let Some((stack, known)) = known.or_else(|| self.unit_stack(stack)) else {
            return if index.is_whole { Target::NoStack } else { Target::Undecided };
        };
        match known.names().get(&link.component).and_then(|named| named.of_kind(link.kind.as_ref())) {
            Some(found) => Target::Found(found),
            None if index.is_whole && !index.hidden.contains(&*link.component) => Target::NoComponent(stack),
            None => Target::Undecided,
        }
    }

    /// Returns the target of a command. If the command names no component, the target is the whole stack. `has_gap` says that
    /// there may be units that were not found.
    pub(crate) fn mentioned(&self, mention: &CommandReference, has_gap: bool) -> Target<'a> {
        let index = self.index();
        let is_whole = index.is_whole && !has_gap;
        let is_hidden = |name: &str| !is_whole || index.hidden.contains(name);
        let kinds = mention.kinds;
        let is_meant = |c: &Interface| kinds.is_empty() || kinds.contains(&&*c.kind);
        let has = |names: &Names<'a>, name: &str| {
            Some(names.get(name)?.clone()).filter(|all| all.iter().any(|c| is_meant(c)))
        };
        let component = mention.component.as_ref().map(|component| &*component.name);
        let Some(stack) = &mention.stack else {
            let Some(name) = component else { return Target::Unknown };
            let found = index.stacks.values().find_map(|stack| has(stack.names(), name));
            return match found {
                Some(found) => Target::Found(found),
                None if is_hidden(name) => Target::Undecided,
                None => Target::NoComponent(""),
            };
        };
        let known = index.stacks.get_key_value(&*stack.name).or_else(|| self.unit_stack(&stack.name));
        let Some((stack, known)) = known else {
            // A unit of that name has several stacks, or none.
            return match self.units.iter().any(|unit| unit.name == stack.name) {
                true => Target::Unknown,
                false if is_whole => Target::NoStack,
                false => Target::Undecided,
            };
        };
        let Some(name) = component else { return Target::Unknown };
        match has(known.names(), name) {
            Some(found) => Target::Found(found),
            None if is_hidden(name) => Target::Undecided,
            None => Target::NoComponent(stack),
        }
    }

    /// The one stack of a unit that is called by the name of the unit.
    fn unit_stack(&self, unit: &str) -> Option<(&&'a str, &Stack<'a>)> {
        let index = self.index();
        let stacks = index.units.get(unit)?;
        let only = stacks.first().filter(|_| stacks.len() == 1)?;
        index.stacks.get_key_value(only)
    }

    fn having(&self, name: &str, wanted: &[(Text, Text)]) -> Target<'a> {
        let index = self.index();
        let named = self.stacks_with(name).iter().filter_map(|stack| index.stacks.get(stack)?.names().get(name));
        let all: Vec<&Interface> = named.flat_map(|named| named.iter()).copied().collect();
        let fits = |c: &Interface| {
            wanted.iter().all(|(key, text)| c.selector(key).is_some_and(|input| input.text.as_ref() == Some(text)))
        };
        let is_unknown = |c: &Interface| {
            c.inputs.is_open || wanted.iter().any(|(key, _)| c.selector(key).is_some_and(|input| input.is_unknown))
        };
        let found: Vec<&Interface> = all.iter().copied().filter(|c| fits(c)).collect();
        if !found.is_empty() {
            return Target::Found(Targets::Several(found.into()));
        }
        if all.iter().any(|c| is_unknown(c)) {
            return Target::Unknown;
        }
        if !index.is_whole || index.hidden.contains(name) {
            return Target::Undecided;
        }
        if all.is_empty() { Target::NoComponent("") } else { Target::NoStack }
    }

    fn index(&self) -> &Index<'a> {
        self.index.get_or_init(|| {
            let mut index = Index { is_whole: true, ..Index::default() };
            for unit in self.units {
                index.is_whole &= unit.state == State::Resolved && unit.failed.is_empty() && unit.lacks.is_empty();
                index.hidden.extend(unit.broken.iter().chain(&unit.unlisted).map(|(_, name)| &**name));
                for part in unit.components.chunk_by(|a, b| a.stack == b.stack) {
                    index.units.entry(&unit.name).or_default().insert(&part[0].stack);
                    index.stacks.entry(&part[0].stack).or_default().parts.push(part);
                }
            }
            index
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::resolution::{Component, ComponentMetadata, Detail, Inputs, LinkKind, ReadTarget, Resolution, Unit};
    use crate::source::Memory;
    use crate::terraform::{Cache, Modules};
    use crate::unit::interfaces;
    use crate::value::{FileId, Language, Map, Value, Vocabulary};

    static WORDS: Vocabulary = Vocabulary { stack_inputs: &["tenant"], ..Vocabulary::EMPTY };

    fn link(component: &str, stack: StackSelector) -> Link {
        Link {
            how: LinkKind::Declared,
            by: "test".into(),
            component: component.into(),
            kind: None,
            stack,
            reads: ReadTarget::Nothing,
            is_optional: false,
            origin: Detail(None),
            stack_origin: Detail(None),
        }
    }

    fn component(stack: &str, kind: &str, name: &str, links: Vec<Link>) -> Arc<Component> {
        let all = Arc::new(Map::from_iter([("tenant".into(), Value::str("acme"))]));
        let address = (stack.into(), kind.into(), name.into());
        let metadata = ComponentMetadata {
            links: links.into(),
            inputs: Inputs { all, ..Inputs::default() },
            ..ComponentMetadata::default()
        };
        let language = Language { vocabulary: &WORDS, ..Language::default() };
        Arc::new(Component { metadata, language, ..Component::new(address, Value::default()) })
    }

    fn shown(units: Vec<Vec<Arc<Component>>>) -> Vec<UnitInterface> {
        let (files, cache, source) = (Files::default(), Cache::default(), Memory::new("m", BTreeMap::new()));
        interfaces(&resolution(units), &Modules::new(&source, &files, &cache))
    }

    fn resolution(units: Vec<Vec<Arc<Component>>>) -> Resolution {
        let unit = |(n, components): (usize, Vec<_>)| {
            Arc::new(Unit {
                files: vec![FileId::new(0)],
                components,
                state: State::Resolved,
                ..Unit::broken(format!("unit {n}").into(), FileId::new(0))
            })
        };
        Resolution { units: units.into_iter().enumerate().map(unit).collect(), ..Resolution::default() }
    }

    #[test]
    fn what_many_ask_for_is_there_once() {
        let acme = || StackSelector::Having(vec![("tenant".into(), "acme".into())]);
        let stacks = ["a", "b", "c"];
        let units = stacks.map(|s| vec![component(s, "terraform", "db", vec![link("db", acme())])]);
        let units = shown(units.into());
        let index = ComponentIndex::new(&units);
        let found: Vec<_> = index
            .needs()
            .filter_map(|need| match &need.target {
                Target::Found(Targets::Several(all)) => Some(all),
                _ => None,
            })
            .collect();
        assert_eq!(found.iter().map(|all| all.len()).collect::<Vec<_>>(), [3, 3, 3]);
    }

    #[test]
    fn stacks_with_a_component_are_sorted() {
        let units = ["b", "a", "c"].map(|s| vec![component(s, "terraform", if s == "c" { "x" } else { "db" }, vec![])]);
        let units = shown(units.into());
        let index = ComponentIndex::new(&units);
        assert_eq!(index.stacks_with("db"), ["a", "b"]);
        assert_eq!(index.stacks_with("x"), ["c"]);
        assert!(index.stacks_with("y").is_empty());
        assert_eq!(index.all_names().collect::<Vec<_>>(), ["db", "x"]);
    }

    #[test]
    fn cycles_are_noticed_whichever_unit_or_type_they_lead_through() {
        let here = |name: &str| vec![link(name, StackSelector::Here)];
        let there = |name: &str, stack: &str| vec![link(name, StackSelector::Stack(stack.into()))];
        let is_acyclic = |units: Vec<Vec<Arc<Component>>>| ComponentIndex::new(&shown(units)).is_acyclic();
        let one = |name: &str, links| component("s", "terraform", name, links);
        assert!(is_acyclic(vec![vec![one("a", here("b")), one("b", here("gone")), one("c", here("a"))]]));
        assert!(!is_acyclic(vec![vec![one("a", here("a"))]]));
        assert!(!is_acyclic(vec![vec![one("a", there("a", "t"))], vec![component("t", "helm", "a", there("a", "s"))]]));
        // A name is one node, of whatever types its components are.
        assert!(!is_acyclic(vec![vec![one("a", here("b")), one("b", vec![]), component("s", "helm", "b", here("a"))]]));
        // The first unit's component is hidden by the second one's, but it is there.
        assert!(!is_acyclic(vec![vec![one("a", here("b"))], vec![one("a", vec![]), one("b", here("a"))]]));
    }
}
