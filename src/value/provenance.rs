//! Who set a value, who was overridden, and what it was computed from.

use super::Value;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A file of an analysis; which one is known to the table that handed it out.
///
/// It is never zero inside, so that an optional [`Origin`] takes no more room than one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(NonZeroU32);

impl FileId {
    /// The file of an index.
    pub fn new(index: u32) -> Self {
        FileId(NonZeroU32::MIN.saturating_add(index))
    }

    /// Its index.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A place in a file, in bytes. `key..start` is empty for values without a key (list items, whole documents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file.
    pub file: FileId,
    /// Where the key of the value starts, or `start` if there is none.
    pub key: u32,
    /// Where the value starts.
    pub start: u32,
    /// Where the value ends (exclusive).
    pub end: u32,
}

/// The provenance of a value. Cheap to copy; empty for values that stacklint itself made.
#[derive(Clone, Debug, Default)]
pub struct Prov {
    /// Where the value was written.
    pub origin: Option<Origin>,
    /// Its history, if there is any.
    pub trail: Option<Arc<Trail>>,
}

/// The history of a value.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// The value that this one replaced in a merge, with its own history.
    pub overrode: Option<Value>,
    /// What it was computed from besides the text at its origin: values that a template read, calls that passed it on.
    pub inputs: Vec<Prov>,
    /// All that was written for this value where a call took part in the merge, the lowest layer first; else empty.
    pub layers: Arc<[Contribution]>,
}

/// What one layer of a merge has for a value: known, a call to be evaluated later, or unknown.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The value, with its own history within the layer.
    pub value: Value,
    /// The layer, from 0 for the lowest.
    pub layer: usize,
}

/// Histories can be long (each of many values computed from the one before), so they are not taken apart recursively.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        let mut take = |trail: &mut Trail| {
            rest.extend(trail.inputs.drain(..).filter_map(|p| p.trail));
            rest.extend(trail.overrode.as_mut().and_then(|v| v.prov.trail.take()));
            rest.pop()
        };
        let mut next = take(self);
        while let Some(trail) = next {
            next = match Arc::try_unwrap(trail) {
                Ok(mut trail) => take(&mut trail),
                Err(_) => take(&mut Trail::default()),
            };
        }
    }
}

impl Prov {
    /// Written at `origin`, without history.
    pub fn at(origin: Origin) -> Self {
        Prov { origin: Some(origin), trail: None }
    }

    /// The same provenance, having replaced `value`. A repetition of the very same value is not an override.
    #[must_use]
    pub fn overriding(&self, value: &Value) -> Self {
        if value.prov.origin.is_none() || value.prov.origin == self.origin {
            return self.clone();
        }
        // A longer chain keeps its end: the earliest value is appended below what was overridden before.
        let (inputs, layers) =
            self.trail.as_ref().map_or_else(Default::default, |t| (t.inputs.clone(), Arc::clone(&t.layers)));
        let overrode = match self.trail.as_ref().and_then(|t| t.overrode.clone()) {
            Some(mut earlier) => {
                earlier.prov = earlier.prov.overriding(value);
                earlier
            }
            None => value.clone(),
        };
        Prov { origin: self.origin, trail: Some(Arc::new(Trail { overrode: Some(overrode), inputs, layers })) }
    }

    /// The same provenance, computed also from `inputs`.
    #[must_use]
    pub fn with_inputs(&self, more: impl IntoIterator<Item = Prov>) -> Self {
        let more: Vec<Prov> = more.into_iter().collect();
        if more.is_empty() {
            return self.clone();
        }
        let mut trail = self.trail.as_deref().cloned().unwrap_or_default();
        match trail.inputs.is_empty() {
            true => trail.inputs = more,
            false => trail.inputs.extend(more),
        }
        trail.inputs.shrink_to_fit();
        Prov { origin: self.origin, trail: Some(Arc::new(trail)) }
    }

    /// The same provenance with what all layers of a merge have for the value.
    #[must_use]
    pub fn with_layers(&self, layers: Vec<Contribution>) -> Self {
        let mut trail = self.trail.as_deref().cloned().unwrap_or_default();
        trail.layers = layers.into();
        Prov { origin: self.origin, trail: Some(Arc::new(trail)) }
    }

    /// What all layers of the last merge have for the value, the lowest first, where a call took part; else nothing.
    pub fn layers(&self) -> &[Contribution] {
        self.trail.as_ref().map_or(&[], |t| &t.layers)
    }

    /// The value that this one replaced.
    pub fn overrode(&self) -> Option<&Value> {
        self.trail.as_ref()?.overrode.as_ref()
    }

    /// Calls `f` for the origin of this value and of everything it was computed from, nearest first. What it overrode
    /// is not part of it.
    pub fn for_each_input(&self, f: &mut impl FnMut(Origin)) {
        let mut seen: HashSet<*const Trail> = HashSet::new();
        let mut stack: Vec<&Prov> = vec![self];
        while let Some(prov) = stack.pop() {
            if let Some(origin) = prov.origin {
                f(origin);
            }
            if let Some(trail) = &prov.trail {
                let id = Arc::as_ptr(trail);
                if seen.insert(id) {
                    stack.extend(trail.inputs.iter().rev());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_histories_are_dropped() {
        let mut prov = Prov::default();
        for _ in 0..200_000 {
            prov = Prov::default().with_inputs([prov]);
        }
        drop(prov);
    }
}
