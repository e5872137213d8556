//! Which components an environment has, by the words that name it.

use crate::paths;
use crate::resolution::{Component, Resolution};
use crate::text::Text;
use std::sync::Arc;

/// A component of an environment.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    /// Where it is in its environment: what a pattern stands for, and the folders below that. Empty for one stack.
    pub place: Text,
    pub component: &'a Arc<Component>,
}

/// Where a component is in an environment; `None` if it is not in it.
type PlaceOf<'a> = &'a dyn Fn(&Component) -> Option<Text>;

/// Returns the components of an environment that can be deployed: those of the stack of this name, of the stacks that a pattern with
/// `*` matches, of a folder, or the one at a path, sorted by address.
pub(crate) fn select<'a>(resolution: &'a Resolution, selector: &str) -> Vec<Member<'a>> {
    let selector = trimmed(selector);
    let components = resolution.units.iter().flat_map(|unit| &unit.components);
    let all: Vec<&Arc<Component>> = components.filter(|one| !one.metadata.is_abstract).collect();
    let of = |place: PlaceOf<'_>| -> Vec<Member<'a>> {
        let found = all.iter().filter_map(|one| Some(Member { place: place(one)?, component: one }));
        found.collect()
    };
    let ways: [PlaceOf<'_>; 4] = [
        &|one| (*one.stack == *selector).then(Text::default),
        &|one| (paths::join(&one.stack, &one.name) == *selector).then(Text::default),
        &|one| paths::relative(&one.stack, selector).map(Text::from),
        &|one| matched(&one.stack, selector),
    ];
    let mut found: Vec<Member<'a>> = ways.into_iter().map(of).find(|found| !found.is_empty()).unwrap_or_default();
    // A folder that is a stack may have more stacks below it.
    if found.iter().all(|one| one.place.is_empty()) && !found.is_empty() && *found[0].component.stack == *selector {
        let below = of(&|one| paths::relative(&one.stack, selector).filter(|place| !place.is_empty()).map(Text::from));
        found.extend(below);
    }
    found.sort_by_key(|one| one.component.address());
    found.dedup_by(|later, earlier| later.component.address() == earlier.component.address());
    found
}

/// Whether components of a stack may be in an environment, whatever their names are: [`select`] finds no others.
pub(crate) fn may_select(stack: &str, selector: &str) -> bool {
    let selector = trimmed(selector);
    let is_component = matches!(stack, "" | ".") || paths::relative(selector, stack).is_some();
    *stack == *selector
        || is_component
        || paths::relative(stack, selector).is_some()
        || matched(stack, selector).is_some()
}

/// A selector as it is compared.
fn trimmed(selector: &str) -> &str {
    selector.trim_end_matches('/').trim_start_matches("./")
}

/// What a pattern stands for in the name of a stack or of a folder above it, with the folders below that.
fn matched(stack: &str, pattern: &str) -> Option<Text> {
    let ends = stack.match_indices('/').map(|(end, _)| end).chain([stack.len()]);
    ends.into_iter().find_map(|end| {
        let found = captured(&stack[..end], pattern)?;
        let rest = stack[end..].trim_start_matches('/');
        let parts: Vec<&str> = found.into_iter().chain([rest]).filter(|part| !part.is_empty()).collect();
        Some(parts.join("/").into())
    })
}

/// The texts that the `*` of a pattern stand for.
fn captured<'t>(text: &'t str, pattern: &str) -> Option<Vec<&'t str>> {
    let mut parts = pattern.split('*');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty().then_some(found);
    }
    while let Some(part) = parts.next() {
        let at = if parts.peek().is_none() { rest.len().checked_sub(part.len())? } else { rest.find(part)? };
        let (before, after) = (rest.get(..at)?, rest.get(at..)?);
        rest = after.strip_prefix(part)?;
        found.push(before);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_places() {
        for (stack, pattern, place) in [
            ("plat-ue1-dev", "plat-*-dev", Some("ue1")),
            ("plat-ue1-prod", "plat-*-dev", None),
            ("live/us/prod/app", "live/*/prod", Some("us/app")),
            ("live/us/stage/app", "live/*/prod", None),
            ("a-b-c", "*-b-*", Some("a/c")),
            ("dev", "dev", Some("")),
        ] {
            assert_eq!(matched(stack, pattern).as_deref(), place, "{stack} {pattern}");
        }
    }
}
