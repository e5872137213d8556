//! `resource-index-shifted`: an item before others comes or goes, and instances get the index of their neighbours.

use super::{Changed, Changes, Phrase, status};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::{Cause, Status};
use crate::resolution::Address;
use crate::rules::rule;
use crate::value::Flags;
use std::collections::{BTreeMap, BTreeSet};

rule!(
    RESOURCE_INDEX_SHIFTED,
    "resource-index-shifted",
    Change,
    "0.1.0",
    "an item before others comes or goes, and instances get the index of their neighbours",
    Some(Level::Danger)
);

/// The most places by which instances are shifted.
const MAX_OFFSET: usize = 50;

/// Instances that get the index of another one.
struct Shift<'a> {
    /// Those that are there before and after.
    moved: Vec<Changed<'a>>,
    /// Those at the end that are there no more.
    gone: Vec<Changed<'a>>,
}

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut known: BTreeMap<Address, (&[Cause], bool)> = BTreeMap::new();
    let mut moved = Vec::new();
    for shift in shifts(changes) {
        let causes = shift.moved.first().map_or(&[][..], |first| &first.change.causes);
        for member in shift.moved {
            known.entry(member.change.address()).or_insert((causes, !shift.gone.is_empty()));
            moved.push(member);
        }
    }
    let mut seen = BTreeSet::new();
    moved.retain(|member| seen.insert(member.change.address()));
    let found = changes.by_cause(&RESOURCE_INDEX_SHIFTED, &moved, |changed| {
        let Some((causes, loses)) = known.get(&changed.change.address()) else { return Vec::new() };
        let details = if *loses { "the last one is destroyed" } else { "a new last one is created" };
        let one = "gets the index of another one, and the plan changes or replaces it";
        let several = "get the index of another one, and the plan changes or replaces each of them";
        vec![(causes, Phrase::new(one, several, details))]
    });
    let help = "use `for_each` with keys that stay, or say with `moved` which instance is which";
    found.into_iter().map(|finding| finding.help(help)).collect()
}

/// The instances at the end that are gone because others moved there.
pub(super) fn gone(changes: &Changes<'_>) -> BTreeSet<Address> {
    shifts(changes).into_iter().flat_map(|shift| shift.gone).map(|gone| gone.change.address()).collect()
}

fn shifts<'a>(changes: &Changes<'a>) -> Vec<Shift<'a>> {
    let mut rows: BTreeMap<(&str, String), BTreeMap<usize, Changed<'a>>> = BTreeMap::new();
    for changed in &changes.components {
        let is_instance = changed.after.or(changed.before).is_some_and(|c| c.metadata.instance_of.is_some());
        for (row, index) in indices(&changed.change.name).filter(|_| is_instance) {
            rows.entry((&changed.change.stack, row)).or_default().insert(index, *changed);
        }
    }
    rows.into_values().filter_map(shift).collect()
}

/// The indices in an address, each with the address around it.
fn indices(name: &str) -> impl Iterator<Item = (String, usize)> + '_ {
    name.match_indices('[').filter_map(|(start, _)| {
        let end = start + name[start..].find(']')?;
        let index = name[start + 1..end].parse().ok()?;
        Some((format!("{}{}", &name[..=start], &name[end..]), index))
    })
}

/// The shift in instances that differ only in one index, by that index.
fn shift(row: BTreeMap<usize, Changed<'_>>) -> Option<Shift<'_>> {
    let of = |wanted| row.values().filter(move |c| status(c, wanted)).copied().collect::<Vec<_>>();
    let (moved, gone, new) = (of(Status::Modified), of(Status::Removed), of(Status::Added));
    let offsets = gone.len().abs_diff(new.len());
    if moved.is_empty() || offsets == 0 || offsets > MAX_OFFSET {
        return None;
    }
    let is_shifted = |(index, changed): &(&usize, &Changed<'_>)| {
        let neighbour = |offset: usize| match gone.len() > new.len() {
            true => row.get(&(*index + offset)),
            false => row.get(&index.checked_sub(offset)?),
        };
        (1..=offsets).any(|offset| neighbour(offset).is_some_and(|other| is_like(changed, other)))
    };
    let shifted = row.iter().filter(|(_, c)| status(c, Status::Modified)).filter(is_shifted).count();
    (shifted * 2 > moved.len()).then_some(Shift { moved, gone })
}

/// Whether an instance now has what another one had, wherever it changes and that is known.
fn is_like(changed: &Changed<'_>, other: &Changed<'_>) -> bool {
    let Some(before) = other.before else { return false };
    let known = changed.change.changes.iter().filter_map(|change| Some((change, change.after.as_ref()?)));
    let mut known = known.filter(|(_, after)| !after.holds(Flags::UNKNOWN)).peekable();
    known.peek().is_some()
        && known.all(|(change, after)| before.value.at_path(change.path.split('/').skip(1)) == Some(after))
}

#[cfg(test)]
mod tests {
    use super::indices;

    #[test]
    fn each_index_of_an_address() {
        let found: Vec<(String, usize)> = indices("module.m[2].a.b[\"x\"].c[10]").collect();
        assert_eq!(found, [("module.m[].a.b[\"x\"].c[10]".into(), 2), ("module.m[2].a.b[\"x\"].c[]".into(), 10)]);
    }
}
