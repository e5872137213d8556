//! Who set a value, who was overridden, and what it was computed from.

use super::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// A file of an analysis; which one is known to the table that handed it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

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
        let inputs = self.trail.as_ref().map_or_else(Vec::new, |t| t.inputs.clone());
        let overrode = match self.trail.as_ref().and_then(|t| t.overrode.clone()) {
            Some(mut earlier) => {
                earlier.prov = earlier.prov.overriding(value);
                earlier
            }
            None => value.clone(),
        };
        Prov { origin: self.origin, trail: Some(Arc::new(Trail { overrode: Some(overrode), inputs })) }
    }

    /// The same provenance, computed also from `inputs`.
    #[must_use]
    pub fn with_inputs(&self, more: impl IntoIterator<Item = Prov>) -> Self {
        let mut more = more.into_iter().peekable();
        if more.peek().is_none() {
            return self.clone();
        }
        let mut trail = self.trail.as_deref().cloned().unwrap_or_default();
        trail.inputs.extend(more);
        Prov { origin: self.origin, trail: Some(Arc::new(trail)) }
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
