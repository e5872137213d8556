//! Caches results of policies for components with the same input: if a policy reads the same values, its result is the
//! same. Findings refer to the lines that wrote the values, so they are computed again if these differ. Values are
//! shared between components, so equality is usually visible without comparing their content.

use super::cel::Chain;
use super::content;
use super::found::Spot;
use super::input::is_open;
use super::run::{Outcome, PolicyInput};
use super::{Body, Policy};
use crate::resolution::Component;
use crate::value::{DataIdentity, Language, ProvIdentity, Value, Vocabulary};
use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// Which values policies read.
pub(super) struct ReadValues {
    /// All values that are read, each once.
    chains: Vec<Chain>,
    /// For each policy the indexes of the values that it reads, and whether it reads code; `None` if it may read
    /// anything.
    by_policy: Vec<Option<(Vec<usize>, bool)>>,
}

/// The identity of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Identity<'a> {
    /// The section does not exist.
    Missing,
    /// The stack, type or name of the component.
    Name(&'a str),
    /// The section is a map without the key; whether it may have unknown entries, and where it was written.
    Lacking { is_open: bool, written: Option<ProvIdentity<'a>> },
    /// A value by its data and provenance; for a section that is not a map, those of the section.
    Value { is_section: bool, data: DataIdentity<'a>, prov: ProvIdentity<'a> },
}

/// A value that is read of a component, as numbers that are equal for equal values.
#[derive(Clone, Copy)]
struct Numbers {
    /// An index by data and provenance.
    identity: usize,
    content: usize,
}

type ByKey<T> = HashMap<Vec<usize>, T, RandomState>;

/// The cached result of a policy, with its number of steps.
#[derive(Clone)]
pub(super) struct CachedOutcome<'a> {
    pub(super) outcome: Outcome<'a>,
    pub(super) steps: u64,
    pub(super) applied: bool,
}

/// The cached results for some components.
pub(super) struct Memo<'r, 'a> {
    reads: &'r ReadValues,
    numbers: HashMap<Identity<'a>, Numbers, RandomState>,
    /// The values that were met, by the hash of their content, with its number.
    contents: HashMap<u64, Vec<(usize, &'a Value)>, RandomState>,
    /// The values that are read of the present component.
    present: Vec<Numbers>,
    /// By policy and the content of the values that it reads.
    by_content: Vec<ByKey<CachedOutcome<'a>>>,
    /// Results that depend on the lines that wrote the values, by policy and the identity of these values.
    by_identity: Vec<ByKey<CachedOutcome<'a>>>,
    key: Vec<usize>,
    vocabulary: Option<&'static Vocabulary>,
}

impl ReadValues {
    /// Collects the values that policies read.
    pub(super) fn new(active: &[(usize, &Policy)]) -> ReadValues {
        let all: Vec<Option<BTreeSet<Chain>>> = active.iter().map(|(_, policy)| chains(policy)).collect();
        let mut chains: Vec<Chain> = all.iter().flatten().flatten().cloned().collect();
        chains.sort();
        chains.dedup();
        let number = |chain: &Chain| chains.binary_search(chain).ok();
        let numbers = |(own, (_, policy)): (&Option<BTreeSet<Chain>>, &(usize, &Policy))| {
            let own = own.as_ref()?.iter().map(number).collect::<Option<Vec<_>>>()?;
            Some((own, policy.reads("code")))
        };
        let by_policy = all.iter().zip(active).map(numbers).collect();
        ReadValues { chains, by_policy }
    }
}

/// The values that a policy reads, those that its findings are about included.
fn chains(policy: &Policy) -> Option<BTreeSet<Chain>> {
    let mut all = policy.applies.as_ref().map_or_else(|| Some(BTreeSet::new()), |applies| applies.chains())?;
    // Rego modules are evaluated elsewhere.
    if let Body::That(that) = &policy.body {
        all.extend(that.chains()?);
        if let Some([section, rest @ ..]) = policy.path.as_deref() {
            all.insert(Chain { section: section.clone(), key: rest.first().cloned() });
        }
    }
    Some(all)
}

impl<'r, 'a> Memo<'r, 'a> {
    pub(super) fn new(reads: &'r ReadValues) -> Self {
        let policies = reads.by_policy.len();
        Memo {
            reads,
            numbers: HashMap::default(),
            contents: HashMap::default(),
            present: Vec::new(),
            by_content: vec![HashMap::default(); policies],
            by_identity: vec![HashMap::default(); policies],
            key: Vec::new(),
            vocabulary: None,
        }
    }

    /// Turns to the next component.
    pub(super) fn turn_to(&mut self, component: &'a Component) {
        // Values are read with the language of a component.
        let vocabulary = component.language.vocabulary;
        if self.vocabulary.replace(vocabulary) != Some(vocabulary) {
            *self = Memo { vocabulary: Some(vocabulary), ..Memo::new(self.reads) };
        }
        self.present.clear();
        for chain in &self.reads.chains {
            let (identity, value) = identity(component, chain);
            let numbers = match self.numbers.get(&identity) {
                Some(known) => *known,
                None => {
                    let number = self.numbers.len();
                    let content = match (identity, value) {
                        (_, Some(value)) => self.content(value, &component.language, number),
                        (Identity::Lacking { is_open, .. }, None) => {
                            let anywhere = Identity::Lacking { is_open, written: None };
                            let next = Numbers { identity: number, content: number };
                            self.numbers.entry(anywhere).or_insert(next).content
                        }
                        (_, None) => number,
                    };
                    let numbers = Numbers { identity: self.numbers.len(), content };
                    self.numbers.insert(identity, numbers);
                    numbers
                }
            };
            self.present.push(numbers);
        }
    }

    /// The number of the content of a value: `next` if it was not met.
    fn content(&mut self, value: &'a Value, language: &Language, next: usize) -> usize {
        let mut hasher = self.contents.hasher().build_hasher();
        content::hash(value, &mut hasher);
        let alike = self.contents.entry(hasher.finish()).or_default();
        match alike.iter().find(|(_, known)| content::is_same(known, value, language)) {
            Some((number, _)) => *number,
            None => {
                alike.push((next, value));
                next
            }
        }
    }

    /// Returns the result of a policy (by its index among the active ones) for the current component, if it is cached
    /// for one with the same input.
    pub(super) fn get(&mut self, active: usize, input: &PolicyInput<'a>) -> Option<CachedOutcome<'a>> {
        self.set_key(active, input, |numbers| numbers.content)?;
        let known = self.by_content[active].get(&self.key)?.clone();
        let Outcome::Fails(fault) = &known.outcome else { return Some(known) };
        self.set_key(active, input, |numbers| numbers.identity)?;
        if let Some(same) = self.by_identity[active].get(&self.key) {
            return Some(same.clone());
        }
        let outcome = Outcome::Fails(Arc::new(fault.of_another(input.owner.component)?));
        let found = CachedOutcome { outcome, ..known };
        self.put_by_identity(active, &found);
        Some(found)
    }

    /// Caches the result of a policy for the current component.
    pub(super) fn put(&mut self, active: usize, input: &PolicyInput<'a>, known: &CachedOutcome<'a>) {
        if matches!(known.outcome, Outcome::Unknown(_) | Outcome::Unusable(_)) {
            return;
        }
        if self.set_key(active, input, |numbers| numbers.content).is_some() {
            self.by_content[active].insert(self.key.clone(), known.clone());
        }
        if self.set_key(active, input, |numbers| numbers.identity).is_some() {
            self.put_by_identity(active, known);
        }
    }

    /// Keeps a fault for components in which the same lines wrote what is read. What no line wrote is named by what is around it
    /// in one component.
    fn put_by_identity(&mut self, active: usize, known: &CachedOutcome<'a>) {
        let Outcome::Fails(fault) = &known.outcome else { return };
        if !fault.spots.is_empty() && fault.spots.iter().all(Spot::is_written) {
            self.by_identity[active].insert(self.key.clone(), known.clone());
        }
    }

    /// The numbers of what a policy reads of the present component become the key; `None` if it may read anything.
    fn set_key(&mut self, active: usize, input: &PolicyInput<'a>, number: impl Fn(&Numbers) -> usize) -> Option<()> {
        let (chains, reads_code) = self.reads.by_policy[active].as_ref()?;
        self.key.clear();
        self.key.extend(chains.iter().map(|chain| number(&self.present[*chain])));
        if *reads_code {
            self.key.push(std::ptr::from_ref(input.code) as usize);
        }
        Some(())
    }
}

/// Returns the identity of a value of a component, and the value itself if its name is not enough.
fn identity<'a>(component: &'a Component, chain: &Chain) -> (Identity<'a>, Option<&'a Value>) {
    match &*chain.section {
        "stack" => return (Identity::Name(&component.stack), None),
        "type" => return (Identity::Name(&component.kind), None),
        "name" => return (Identity::Name(&component.name), None),
        _ => {}
    }
    let Some(section) = component.value.as_map().and_then(|map| map.get(&chain.section)) else {
        return (Identity::Missing, None);
    };
    let Some(key) = &chain.key else { return (of_value(section, false), Some(section)) };
    match section.as_map().map(|map| map.get(key)) {
        Some(Some(value)) => (of_value(value, false), Some(value)),
        Some(None) => {
            let is_open = is_open(section, &component.language);
            (Identity::Lacking { is_open, written: Some(section.prov.identity()) }, None)
        }
        None => (of_value(section, true), None),
    }
}

fn of_value(value: &Value, is_section: bool) -> Identity<'_> {
    Identity::Value { is_section, data: value.data.identity(), prov: value.prov.identity() }
}
