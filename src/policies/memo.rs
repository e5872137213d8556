//! What policies said of components that are the same to them: where a policy reads the very same values, it says the same.
//! Values are shared between components, so that they are the same is seen without comparing what is in them.

use super::cel::Chain;
use super::found::Spot;
use super::run::{Asked, Outcome};
use super::{Body, Policy};
use crate::resolution::Component;
use crate::value::{Data, Origin, Value, Vocabulary};
use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

/// Which values policies read.
pub(super) struct Reads {
    /// All values that are read, each once.
    chains: Vec<Chain>,
    /// For each policy the numbers of the values that it reads, and whether it reads code; none if it may read anything.
    by_policy: Vec<Option<(Vec<usize>, bool)>>,
}

/// What tells one value from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Identity<'a> {
    /// There is no such section.
    Missing,
    /// The stack, type or name of the component.
    Name(&'a str),
    /// A value by its data (by number, or by where it is in memory) and provenance; of a section that lacks the key, that
    /// of the section.
    Value { is_lacking: bool, data: (Discriminant<Data>, u64, u64), origin: Option<Origin>, trail: usize },
}

/// What a policy said, in so many steps.
#[derive(Clone)]
pub(super) struct Known<'a> {
    pub(super) outcome: Outcome<'a>,
    pub(super) steps: u64,
    pub(super) applied: bool,
}

/// What policies said of some components.
pub(super) struct Memo<'r, 'a> {
    reads: &'r Reads,
    numbers: HashMap<Identity<'a>, usize, RandomState>,
    /// The numbers of the values that are read of the present component.
    present: Vec<usize>,
    /// By policy and the numbers of the values that it reads.
    known: Vec<HashMap<Vec<usize>, Known<'a>, RandomState>>,
    key: Vec<usize>,
    vocabulary: Option<&'static Vocabulary>,
}

impl Reads {
    /// What policies read.
    pub(super) fn new(active: &[(usize, &Policy)]) -> Reads {
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
        Reads { chains, by_policy }
    }
}

/// The values that a policy reads, those that its findings are about included.
fn chains(policy: &Policy) -> Option<BTreeSet<Chain>> {
    let mut all = policy.applies.as_ref().map_or_else(|| Some(BTreeSet::new()), |applies| applies.chains())?;
    // What is in a module is evaluated elsewhere.
    if let Body::That(that) = &policy.body {
        all.extend(that.chains()?);
        if let Some([section, rest @ ..]) = policy.path.as_deref() {
            all.insert(Chain { section: section.clone(), key: rest.first().cloned() });
        }
    }
    Some(all)
}

impl<'r, 'a> Memo<'r, 'a> {
    pub(super) fn new(reads: &'r Reads) -> Self {
        let known = reads.by_policy.iter().map(|_| HashMap::default()).collect();
        Memo { reads, numbers: HashMap::default(), present: Vec::new(), known, key: Vec::new(), vocabulary: None }
    }

    /// Turns to the next component.
    pub(super) fn turn_to(&mut self, component: &'a Component) {
        // Values are read as the language of a component says.
        let vocabulary = component.language.vocabulary;
        if !self.vocabulary.replace(vocabulary).is_some_and(|last| std::ptr::eq(last, vocabulary)) {
            self.known.iter_mut().for_each(HashMap::clear);
        }
        self.present.clear();
        for chain in &self.reads.chains {
            let next = self.numbers.len();
            self.present.push(*self.numbers.entry(identity(component, chain)).or_insert(next));
        }
    }

    /// What a policy (by its number among the active ones) said of a component in which it reads the same.
    pub(super) fn get(&mut self, active: usize, asked: &Asked<'a>) -> Option<&Known<'a>> {
        let (chains, reads_code) = self.reads.by_policy[active].as_ref()?;
        self.key.clear();
        self.key.extend(chains.iter().map(|chain| self.present[*chain]));
        if *reads_code {
            self.key.push(std::ptr::from_ref(asked.code) as usize);
        }
        self.known[active].get(&self.key)
    }

    /// Keeps what a policy says of the component that it was just asked for.
    pub(super) fn put(&mut self, active: usize, known: &Known<'a>) {
        if self.reads.by_policy[active].is_some() && is_shared(&known.outcome) {
            self.known[active].insert(self.key.clone(), known.clone());
        }
    }
}

/// Whether an outcome is that of all components in which the same is read: lines that wrote values are named, never what is
/// around them in one component.
fn is_shared(outcome: &Outcome<'_>) -> bool {
    match outcome {
        Outcome::Fine | Outcome::Applies => true,
        Outcome::Fails(fault) => !fault.spots.is_empty() && fault.spots.iter().all(Spot::is_written),
        Outcome::Unknown(_) | Outcome::Trouble(_) => false,
    }
}

fn identity<'a>(component: &'a Component, chain: &Chain) -> Identity<'a> {
    match &*chain.section {
        "stack" => return Identity::Name(&component.stack),
        "type" => return Identity::Name(&component.kind),
        "name" => return Identity::Name(&component.name),
        _ => {}
    }
    let Some(section) = component.value.as_map().and_then(|map| map.get(&chain.section)) else {
        return Identity::Missing;
    };
    let inside = chain.key.as_ref().map(|key| section.as_map().and_then(|map| map.get(key)));
    match inside {
        None => of_value(section, false),
        Some(Some(value)) => of_value(value, false),
        Some(None) => of_value(section, true),
    }
}

fn of_value<'a>(value: &Value, is_lacking: bool) -> Identity<'a> {
    fn address<T>(shared: &Arc<T>) -> (u64, u64) {
        (Arc::as_ptr(shared) as u64, 0)
    }
    let (first, second) = match &value.data {
        Data::Null => (0, 0),
        Data::Bool(b) => (u64::from(*b), 0),
        Data::Int(i) => (i.cast_unsigned(), 0),
        Data::Uint(u) => (*u, 0),
        Data::Float(f) => (f.to_bits(), 0),
        Data::Str(text) => (text.as_ptr() as u64, text.len() as u64),
        Data::Time(time) => address(time),
        Data::List(items) => address(items),
        Data::Map(map) => address(map),
        Data::Unknown(unknown) => address(unknown),
    };
    let trail = value.prov.trail.as_ref().map_or(0, |trail| Arc::as_ptr(trail) as usize);
    let data = (discriminant(&value.data), first, second);
    Identity::Value { is_lacking, data, origin: value.prov.origin, trail }
}
