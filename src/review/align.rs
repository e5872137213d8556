//! Parts that one side could not resolve are not compared: none of their components is treated as removed or added.

use super::coverage::{Lacking, ProjectCoverage, Unresolved};
use crate::affected::{Affected, Item};
use crate::diff::{ChangeKind, Diff, Status};
use crate::files::Files;
use crate::resolution::{Address, Extent, Gap, Resolution, State, Unit};
use crate::source::Source;
use crate::text::Text;
use crate::value::{Data, Unknown, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// One side of a comparison.
pub(super) struct Aligned<'a> {
    pub(super) resolution: &'a mut Resolution,
    pub(super) source: &'a dyn Source,
}

/// Adds to each side, as broken, the units of the other one that it may have and could not find.
pub(super) fn align(base: &mut Aligned<'_>, head: &mut Aligned<'_>, files: &Files) {
    let in_base = hidden(base, head.resolution, files);
    let in_head = hidden(head, base.resolution, files);
    for (resolution, units) in [(&mut *base.resolution, in_base), (&mut *head.resolution, in_head)] {
        if !units.is_empty() {
            resolution.units.extend(units);
            resolution.units.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
}

/// The units of the other side that one side may have, though they were not found.
fn hidden(own: &Aligned<'_>, other: &Resolution, files: &Files) -> Vec<Arc<Unit>> {
    let ids: HashSet<&str> = own.resolution.units.iter().map(|u| &*u.id).collect();
    let there: HashSet<&str> = other.units.iter().map(|u| &*u.id).collect();
    let has_new_broken = own.resolution.units.iter().any(|u| u.state == State::Broken && !there.contains(&*u.id));
    let is_same_gap = own.resolution.gap == other.gap;
    let may_hide = |unit: &Unit| {
        let is_file = own.source.listing().resolve(&files.get(unit.file).path).is_ok();
        match own.resolution.gap.as_ref().map(|gap| gap.extent) {
            Some(Extent::Everything) => true,
            Some(Extent::Units) if is_file => !is_same_gap,
            // It may have been moved to where something could not be resolved.
            _ => has_new_broken && !is_file,
        }
    };
    let missing = other.units.iter().filter(|unit| !ids.contains(&*unit.id));
    let hidden = missing.filter(|unit| may_hide(unit));
    hidden.map(|unit| Arc::new(Unit::of_path(&unit.id, Text::clone(&unit.name), unit.file))).collect()
}

/// Why stacks of a side may have other names than is meant, where those of the other side do not.
pub(super) fn misnamed<'a>(own: &'a Resolution, other: &Resolution) -> Option<&'a Gap> {
    let naming = |r: &'_ Resolution| r.gap.as_ref().is_some_and(|gap| gap.extent == Extent::Names);
    own.gap.as_ref().filter(|_| naming(own) && !naming(other))
}

/// The stacks that one side may have more or other components of than were resolved.
fn doubtful(own: &Resolution, other: &Resolution) -> BTreeSet<Text> {
    let there = by_id(other, own);
    let lacks = |unit: &Unit| unit.lacks_more_than(there.get(&*unit.id).map_or(&[][..], |other| &other.lacks));
    let incomplete = own.units.iter().filter(|u| u.state == State::Broken || !u.failed.is_empty() || lacks(u));
    let stacks = incomplete.filter_map(|u| there.get(&*u.id)).flat_map(|u| &u.components);
    stacks.map(|c| Text::clone(&c.stack)).collect()
}

/// Removes from the list of affected components those that are only missing because a side could not be resolved, and those of stacks
/// whose names are unknown.
pub(super) fn without_lost(affected: &mut Affected, base: &Resolution, head: &Resolution) {
    if is_either_misnamed(base, head) {
        affected.items.clear();
    }
    let (lost, in_base) = (head.lost_components(base), base.components());
    let is_gone = |item: &Item| match in_base.contains_key(&item.address()) {
        true => !lost.contains(&item.address()),
        // The item represents its whole stack.
        false => {
            base.units.iter().any(|u| u.name == item.stack) && !lost.iter().any(|(stack, ..)| *stack == item.stack)
        }
    };
    affected.items.retain(|item| !item.deleted || is_gone(item));
}

/// Says of the items that the head could not resolve why.
pub(super) fn mark_unresolved(affected: &mut Affected, coverage: &ProjectCoverage) {
    let lacking: Vec<&Unresolved> =
        coverage.lacking().into_iter().filter(|(side, _)| *side != Lacking::Base).map(|(_, one)| one).collect();
    for item in affected.items.iter_mut().filter(|item| !item.deleted) {
        let is_item = |one: &&&Unresolved| match (&one.stack, &one.component) {
            (Some(stack), None) => *stack == item.stack,
            (stack, Some((kind, name))) => {
                (kind, name) == (&item.component_type, &item.component)
                    && stack.as_ref().is_none_or(|stack| *stack == item.stack)
            }
            (None, None) => false,
        };
        if let Some(one) = lacking.iter().filter(|one| !one.is_partial).find(is_item) {
            item.mark_unresolved(&one.reason);
        }
    }
}

fn is_either_misnamed(base: &Resolution, head: &Resolution) -> bool {
    misnamed(base, head).or_else(|| misnamed(head, base)).is_some()
}

/// Removes from a comparison what is only missing on a side that could not be resolved.
pub(super) fn without_doubtful(diff: &mut Diff, base: &Resolution, head: &Resolution, files: &Files) {
    let (of_base, of_head) = (doubtful(base, head), doubtful(head, base));
    let is_misnamed = is_either_misnamed(base, head);
    diff.retain(|change| match change.status {
        _ if is_misnamed => false,
        Status::Added => !of_base.contains(&change.stack),
        Status::Removed => !of_head.contains(&change.stack),
        Status::Modified => true,
    });
    mark_unknown(diff, base, head);
    let removed: BTreeSet<&Text> =
        diff.components.iter().filter(|c| c.status == Status::Removed).map(|c| &c.stack).collect();
    diff.removed_stacks.retain(|stack| removed.contains(stack));
    let incomplete: HashSet<&str> = incomplete(base, head).chain(incomplete(head, base)).collect();
    let units = base.units.iter().chain(&head.units).filter(|u| incomplete.contains(&*u.id));
    let lost: BTreeSet<Text> =
        units.flat_map(|u| u.files.iter().chain([&u.file])).map(|file| Text::clone(&files.get(*file).path)).collect();
    diff.locals.retain(|local| (local.before.is_some() && local.after.is_some()) || !lost.contains(&*local.file));
}

/// Where a side lacks files that the other one has, what differs there is unknown on that side: set or not.
fn mark_unknown(diff: &mut Diff, base: &Resolution, head: &Resolution) {
    let lacks = |own: &Resolution, other: &Resolution| -> BTreeMap<Address, Arc<Unknown>> {
        let there = by_id(other, own);
        let of_unit = |unit: &Unit| {
            let known = there.get(&*unit.id).map_or(&[][..], |other| &other.lacks);
            unit.lacks.iter().find(|one| !known.contains(one)).cloned()
        };
        let units = own.units.iter().filter_map(|unit| Some((unit, of_unit(unit)?)));
        units.flat_map(|(unit, why)| unit.components.iter().map(move |c| (c.address(), Arc::clone(&why)))).collect()
    };
    let sides = [lacks(base, head), lacks(head, base)];
    for component in diff.components.iter_mut().filter(|c| c.status == Status::Modified) {
        let [before, after] = [0, 1].map(|side| sides[side].get(&component.address()));
        for change in &mut component.changes {
            for (value, why) in [(&mut change.before, before), (&mut change.after, after)] {
                let Some(why) = why else { continue };
                // Only values that are masked by their own key are written out.
                let is_one = |v: &&Value| !matches!(v.data, Data::Map(_) | Data::List(_));
                let text = value
                    .as_ref()
                    .filter(is_one)
                    .map_or_else(|| Text::clone(&why.text), |v| serde_json::to_string(v).unwrap_or_default().into());
                let unknown = Unknown { text, is_marked: true, ..Unknown::clone(why) };
                *value = Some(Value::new(Data::Unknown(Arc::new(unknown))));
                (change.kind, change.moved, change.base_index) = (ChangeKind::Changed, None, None);
            }
        }
    }
}

/// The units of the other side that one side, which could not resolve them fully, has too.
fn by_id<'a>(other: &'a Resolution, own: &Resolution) -> HashMap<&'a str, &'a Unit> {
    let incomplete: HashSet<&str> =
        own.units.iter().filter(|unit| unit.is_incomplete()).map(|unit| &*unit.id).collect();
    let units = other.units.iter().filter(|unit| !incomplete.is_empty() && incomplete.contains(&*unit.id));
    units.map(|unit| (&*unit.id, &**unit)).collect()
}

/// The ids of the units that one side could not resolve, or lacks more files of, though the other one could.
fn incomplete<'a>(own: &'a Resolution, other: &'a Resolution) -> impl Iterator<Item = &'a str> {
    let there = by_id(other, own);
    let is_less = move |unit: &&Arc<Unit>| {
        let other = there.get(&*unit.id);
        other.is_some_and(|other| unit.is_broken() && !other.is_broken() || unit.lacks_more_than(&other.lacks))
    };
    own.units.iter().filter(is_less).map(|unit| &*unit.id)
}

/// Why a side does not have a project that the other side has, if files of it are still there.
pub(super) fn absent(reason: String, other: &Resolution) -> Resolution {
    let gap = Gap { extent: Extent::Units, reason, file: other.config.first().copied() };
    Resolution { gap: Some(gap), ..Resolution::default() }
}
