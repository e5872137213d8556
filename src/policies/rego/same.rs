//! Components that are the same to a policy in Rego: it reads the same of them, so it is asked once about all of them.

use crate::policies::content::{hash, is_same};
use crate::policies::input::{Part, Wanted};
use crate::policies::run::PolicyInput;
use crate::text::Text;
use crate::value::{Language, Value};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

/// The values of a component that a policy reads.
struct Reading<'a> {
    names: Vec<(&'static str, &'a Text)>,
    parts: Vec<Part<'a>>,
    /// The code of the component, if the policy reads it.
    code: Option<&'a Value>,
    language: &'a Language,
}

/// The components that were met, by what a policy reads of them.
pub(in crate::policies) struct Known<'a> {
    readings: Vec<Reading<'a>>,
    by_hash: HashMap<u64, Vec<usize>, RandomState>,
    hashes: RandomState,
}

impl<'a> Known<'a> {
    pub(in crate::policies) fn new() -> Self {
        Known { readings: Vec::new(), by_hash: HashMap::default(), hashes: RandomState::default() }
    }

    /// Returns the index of the first component with the same input to a policy, and whether this is that one. Changes
    /// are never shared.
    pub(in crate::policies) fn number(
        &mut self,
        input: &PolicyInput<'a>,
        wanted: &mut Wanted<'_>,
        reads_code: bool,
    ) -> (usize, bool) {
        let component = input.owner.component;
        let reading = Reading {
            names: wanted.names(component),
            parts: wanted.of(component),
            code: Some(input.code).filter(|_| reads_code),
            language: &component.language,
        };
        let mut hasher = self.hashes.build_hasher();
        reading.hash(&mut hasher);
        let alike = self.by_hash.entry(hasher.finish()).or_default();
        let known = alike.iter().find(|n| input.change.is_none() && self.readings[**n].is_same(&reading));
        if let Some(known) = known {
            return (*known, false);
        }
        alike.push(self.readings.len());
        self.readings.push(reading);
        (self.readings.len() - 1, true)
    }
}

impl Reading<'_> {
    fn hash(&self, hasher: &mut impl Hasher) {
        for (_, name) in &self.names {
            name.hash(hasher);
        }
        for part in &self.parts {
            (part.section, part.entry).hash(hasher);
            hash(part.value, hasher);
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let code = |reading: &Self| reading.code.map(std::ptr::from_ref);
        let is_same_part = |(a, b): (&Part<'_>, &Part<'_>)| {
            (a.section, a.entry) == (b.section, b.entry) && is_same(a.value, b.value, self.language)
        };
        std::ptr::eq(self.language, other.language)
            && code(self) == code(other)
            && self.names == other.names
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(is_same_part)
    }
}
