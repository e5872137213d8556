//! Compares the merged manifests of a unit before and after an edit.

use super::{MAX_DEPTH, Place, Substitution, is_plain};
use crate::dialects::atmos::component::layers::ComponentType;
use crate::dialects::atmos::stack::RESERVED;
use crate::text::FastSet;
use crate::value::{Contribution, Data, Map, Origin, Prov, Trail, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many values are compared at most: aliases can make one value of a file very many.
const MAX_VALUES: usize = 1_000_000;

/// The paths of changed variables in their components, from `vars` on.
pub(super) type Variables = BTreeSet<Vec<String>>;

/// Adds the difference between two merged manifests to what is known, and returns the variables that changed; `None` if they differ
/// in something else than places in outdated files and plain values of variables, or in another way than what is known.
pub(super) fn find(old: &Map, new: &Map, known: &mut Substitution) -> Option<Variables> {
    let (changed, trails) = (Variables::new(), FastSet::default());
    let mut comparison = Comparison { substitution: known, changed, path: Vec::new(), values: 0, trails };
    comparison.sections(old, new)?;
    Some(comparison.changed)
}

/// Each function returns `None` if the two differ in something else.
struct Comparison<'a> {
    substitution: &'a mut Substitution,
    changed: Variables,
    /// The path of the values that are compared.
    path: Vec<&'a str>,
    /// How many values were compared.
    values: usize,
    /// The histories that were compared, by their addresses: many values can have one. No template reads them.
    trails: FastSet<(*const Trail, *const Trail)>,
}

impl<'a> Comparison<'a> {
    /// The sections of the manifests. No component reads what was imported, and such lists have long histories.
    fn sections(&mut self, old: &'a Map, new: &'a Map) -> Option<()> {
        if !old.keys().eq(new.keys()) {
            return None;
        }
        for (a, b) in old.iter().zip(new.iter()).filter(|(a, _)| *a.key != *"import") {
            self.path.push(&a.key);
            self.value(&a.value, &b.value, MAX_DEPTH)?;
            self.path.pop();
        }
        Some(())
    }

    fn entries(&mut self, old: &'a Map, new: &'a Map, depth: usize) -> Option<()> {
        if old.len() != new.len() || old.is_mixed() != new.is_mixed() {
            return None;
        }
        for (a, b) in old.iter().zip(new.iter()) {
            if a.key != b.key {
                return None;
            }
            self.path.push(&a.key);
            self.value(&a.value, &b.value, depth)?;
            self.path.pop();
        }
        Some(())
    }

    fn value(&mut self, old: &'a Value, new: &'a Value, depth: usize) -> Option<()> {
        let below = depth.checked_sub(1)?;
        self.values += 1;
        if self.values > MAX_VALUES {
            return None;
        }
        let is_same = match (&old.data, &new.data) {
            (Data::Map(a), Data::Map(b)) => {
                if !Arc::ptr_eq(a, b) {
                    self.entries(a, b, below)?;
                }
                true
            }
            (Data::List(a), Data::List(b)) => {
                if !Arc::ptr_eq(a, b) {
                    if a.len() != b.len() {
                        return None;
                    }
                    a.iter().zip(b.iter()).try_for_each(|(a, b)| self.value(a, b, below))?;
                }
                true
            }
            // What is assumed may be a value of a variable.
            (Data::Unknown(a), Data::Unknown(b)) if Arc::ptr_eq(a, b) => true,
            (Data::Unknown(_), _) | (_, Data::Unknown(_)) => return None,
            (a, b) => a == b,
        };
        let change = match is_same {
            true => None,
            false => {
                let variable = self.variable()?;
                let is_same_kind = std::mem::discriminant(&old.data) == std::mem::discriminant(&new.data);
                if !is_same_kind || !is_plain(old) || !is_plain(new) {
                    return None;
                }
                old.prov.origin?;
                self.changed.insert(variable);
                Some((old.data.clone(), new.data.clone()))
            }
        };
        self.prov(&old.prov, &new.prov, change, below)
    }

    /// The path of the current value in its component, if it is a variable whose value can only be read by templates.
    fn variable(&self) -> Option<Vec<String>> {
        let is_type = |name: &str| ComponentType::ALL.iter().any(|kind| kind.name() == name);
        let inside = match self.path.as_slice() {
            ["vars", rest @ ..] => rest,
            ["components", kind, _, "vars", rest @ ..] | [kind, "vars", rest @ ..] if is_type(kind) => rest,
            _ => return None,
        };
        let is_reserved = inside.first().is_none_or(|name| RESERVED.contains(name));
        (!is_reserved).then(|| std::iter::once("vars").chain(inside.iter().copied()).map(str::to_owned).collect())
    }

    fn prov(&mut self, old: &'a Prov, new: &'a Prov, change: Option<(Data, Data)>, depth: usize) -> Option<()> {
        match (old.origin, new.origin) {
            (None, None) => {}
            (Some(a), Some(b)) => self.place(a, b, change)?,
            _ => return None,
        }
        match (&old.trail, &new.trail) {
            (None, None) => Some(()),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => Some(()),
            (Some(a), Some(b)) => self.trail(a, b, depth),
            _ => None,
        }
    }

    fn place(&mut self, old: Origin, new: Origin, change: Option<(Data, Data)>) -> Option<()> {
        if !self.substitution.is_outdated(old.file) {
            return (old == new && change.is_none()).then_some(());
        }
        if let Some(known) = self.substitution.places.get(&old) {
            return (known.now == new && known.change == change).then_some(());
        }
        let keys = &mut self.substitution.keys;
        let key = *keys.entry((old.file, old.key)).or_insert((new.file, new.key));
        self.substitution.places.insert(old, Place { now: new, change });
        (key == (new.file, new.key)).then_some(())
    }

    fn trail(&mut self, old: &'a Trail, new: &'a Trail, depth: usize) -> Option<()> {
        let below = depth.checked_sub(1)?;
        if !self.trails.insert((std::ptr::from_ref(old), std::ptr::from_ref(new))) {
            return Some(());
        }
        match (old.overrode(), new.overrode()) {
            (None, None) => {}
            (Some(a), Some(b)) => self.value(a, b, below)?,
            _ => return None,
        }
        if old.layers().len() != new.layers().len() || old.inputs().len() != new.inputs().len() {
            return None;
        }
        let layers = old.layers().iter().zip(new.layers());
        for (Contribution { value: a, layer: m }, Contribution { value: b, layer: n }) in layers {
            if m != n {
                return None;
            }
            self.value(a, b, below)?;
        }
        for (a, b) in old.inputs().iter().zip(new.inputs()) {
            self.prov(a, b, None, below)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::FileId;

    /// A manifest with one variable, written at a place of the file before (`false`) or after (`true`) an edit.
    fn manifest(is_new: bool, start: u32, value: i64) -> Map {
        let origin = Origin { file: FileId::new(u32::from(is_new)), key: start, start: start + 3, end: start + 4 };
        let vars = Map::from_iter([("a".into(), Value::at(Data::Int(value), origin))]);
        Map::from_iter([("vars".into(), Value::map(vars))])
    }

    #[test]
    fn what_is_found_in_one_unit_must_not_contradict_another_one() {
        let known = || {
            let mut known = Substitution { outdated: vec![FileId::new(0)], ..Substitution::default() };
            let changed = find(&manifest(false, 5, 1), &manifest(true, 7, 2), &mut known);
            assert_eq!(changed, Some(Variables::from([vec!["vars".to_owned(), "a".to_owned()]])));
            known
        };
        let is_found = |old: Map, new: Map| find(&old, &new, &mut known()).is_some();
        assert!(is_found(manifest(false, 5, 1), manifest(true, 7, 2)));
        assert!(is_found(manifest(false, 20, 1), manifest(true, 22, 1)));
        // Another place, another value, or none.
        assert!(!is_found(manifest(false, 5, 1), manifest(true, 9, 2)));
        assert!(!is_found(manifest(false, 5, 1), manifest(true, 7, 3)));
        assert!(!is_found(manifest(false, 5, 1), manifest(true, 7, 1)));
    }
}
