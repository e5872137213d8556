//! Hovers: the value that a line sets, in which stacks, and what set and replaced it; the target of an import; the page
//! of a rule.

use super::{code as names_of_code, links};
use crate::code::of_components;
use crate::diff::{inline, mask, pointer};
use crate::files::File;
use crate::lsp::view::{Cursor, View};
use crate::query::impact::{Impact, Place, Via, add_resources, impact};
use crate::query::why::{Explainer, Role};
use crate::query::{Lines, path};
use crate::report::markdown::code;
use crate::resolution::{Address, Component, Placed, Resolution};
use crate::rules;
use crate::terraform::is_code;
use crate::terraform::load::Runner;
use crate::terraform::module::modules::{Cache, Modules};
use crate::text::{Text, count};
use crate::value::{Data, Value};
use ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

/// The maximum number of values, lines and stacks that are listed.
const MOST: usize = 8;

/// The most components whose code is evaluated for one hover.
const MOST_EVALUATED: usize = 50;

/// Returns the hover at a place.
pub(super) fn hover(place: &Cursor<'_>) -> Option<Hover> {
    let of_code = || match (names_of_code::hover(place), values(place)) {
        (Some(name), Some(values)) => Some(format!("{name}\n\n{values}")),
        (name, values) => name.or(values),
    };
    let value = rule(place).or_else(|| import(place)).or_else(of_code)?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: None })
}

/// The page of the rule that a comment names.
fn rule(place: &Cursor<'_>) -> Option<String> {
    if !place.around().0.contains("stacklint:") {
        return None;
    }
    let (_, id) = place.word();
    let policy = || place.view.analysis.review.settings.policies.find(id);
    // The text of a policy comes from the repository.
    rules::find(id).map(|rule| rule.page().to_owned()).or_else(|| policy().map(|rule| code(rule.summary())))
}

/// Where an import leads, and what comes from there.
fn import(place: &Cursor<'_>) -> Option<String> {
    let import = links::import_at(place)?;
    let mut text = format!("leads to {}", count(import.targets.len(), "file"));
    for id in import.targets.iter().take(MOST) {
        let file = place.view.file(*id);
        let units = place.view.resolutions().into_iter().flat_map(|resolution| &resolution.units);
        let components = units.filter(|unit| unit.files.contains(id)).flat_map(|unit| &unit.components);
        let stacks: BTreeSet<&Text> = components.map(|component| &component.stack).collect();
        let _ = write!(text, "\n- {}, part of {}", link(place, &file, None), count(stacks.len(), "stack"));
        contribution(place, &file.path, &mut text);
    }
    more(&mut text, import.targets.len());
    Some(text)
}

/// Appends the values of components that are set in a file.
fn contribution(place: &Cursor<'_>, path: &str, text: &mut String) {
    let (mut components, mut values) = (0, BTreeSet::new());
    for (resolution, impact) in reached_from(place, path, None) {
        let derived = |key: &String| {
            resolution.vocabularies.iter().any(|v| v.named_after.contains(&&**key) || v.repeated.contains(&&**key))
        };
        for impacted in &impact.components {
            let own = impacted.paths.iter().filter(|(_, via)| **via == Via::Value);
            let keys = own.map(|(pointer, _)| pointer::keys(pointer).collect::<Vec<String>>());
            let own: Vec<String> =
                keys.filter(|keys| !keys.first().is_none_or(derived)).map(|keys| keys.join(".")).collect();
            components += usize::from(!own.is_empty());
            values.extend(own);
        }
    }
    if values.is_empty() {
        return;
    }
    let named: Vec<String> = values.iter().take(MOST).map(|value| code(value)).collect();
    let rest = values.len().saturating_sub(MOST);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let _ = write!(text, "\n  - sets {}{rest} of {}", named.join(", "), count(components, "component"));
}

/// Returns what depends on the line of a place.
pub(super) fn reach<'a>(place: &Cursor<'a>) -> Vec<(&'a Resolution, Impact)> {
    let line = place.line();
    reached_from(place, place.path, Some(Lines { first: line, last: line }))
}

/// What depends on some lines of a file.
fn reached_from<'a>(place: &Cursor<'a>, path: &str, lines: Option<Lines>) -> Vec<(&'a Resolution, Impact)> {
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let files = &*analysis.review.files;
    let modules = Modules::new(&analysis.source, files, &cache, Runner::default());
    let of = |r: &'a Resolution| {
        let runs = is_code(path).then(|| of_components(r, &modules));
        (r, impact(r, runs.as_slice(), files, Place { path, paths: &[path] }, lines))
    };
    place.view.resolutions().into_iter().map(of).collect()
}

/// A value in some stacks, with the component that explains it.
struct Shown {
    stacks: BTreeSet<Text>,
    example: (usize, Placed),
}

/// The values that a line sets.
fn values(place: &Cursor<'_>) -> Option<String> {
    let (found, files) = (reach(place), &*place.view.analysis.review.files);
    let mut groups: BTreeMap<(String, String), Shown> = BTreeMap::new();
    let (mut components, mut stacks, mut replaced) = (0, BTreeSet::new(), BTreeSet::new());
    for (i, (resolution, impact)) in found.iter().enumerate() {
        let all = resolution.components();
        components += impact.components.len();
        for impacted in &impact.components {
            stacks.insert(Text::clone(&impacted.address.0));
            let Some(placed) = all.get(&impacted.address) else { continue };
            for pointer in impacted.paths.iter().filter(|(_, via)| **via != Via::Code).map(|(pointer, _)| pointer) {
                let Some(value) = at(&placed.component.value, pointer) else { continue };
                let shown = inline::inline(&mask::masked(value, files), mask::is_secret_pointer(pointer), false);
                let make = || Shown { stacks: BTreeSet::new(), example: (i, placed.clone()) };
                let group = groups.entry((pointer.clone(), shown)).or_insert_with(make);
                group.stacks.insert(Text::clone(&impacted.address.0));
            }
        }
        replaced.extend(impact.overridden.iter().filter_map(|o| Some((o.by?.file, o.by?.key))));
    }
    if components == 0 && replaced.is_empty() {
        return None;
    }
    let mut text = format!("reaches {} in {}", count(components, "component"), count(stacks.len(), "stack"));
    for ((pointer, shown), group) in groups.iter().take(MOST) {
        let keys: Vec<String> = pointer::keys(pointer).collect();
        let _ = write!(text, "\n- `{}` = {} in {}", keys.join("."), code(shown), names(&group.stacks));
        let (resolution, placed) = (found[group.example.0].0, &group.example.1);
        history(place, resolution, placed, &keys, &mut text);
    }
    more(&mut text, groups.len());
    for (file, offset) in replaced.iter().take(MOST) {
        let file = place.view.file(*file);
        let _ = write!(text, "\n- replaced by {}", link(place, &file, Some(file.line(*offset))));
    }
    more(&mut text, replaced.len());
    resources(place, &found, &mut text);
    Some(text)
}

/// Appends the arguments of resources that depend on the line, in the code of the components that it reaches.
fn resources(place: &Cursor<'_>, found: &[(&Resolution, Impact)], text: &mut String) {
    let (View { analysis, analyzer, .. }, line) = (&place.view, place.line());
    let (at_line, files) = (Lines { first: line, last: line }, &*analysis.review.files);
    let mut groups: BTreeMap<(String, String), BTreeSet<Text>> = BTreeMap::new();
    let mut left = MOST_EVALUATED;
    for (resolution, impact) in found {
        let wanted: BTreeSet<Address> = impact.components.iter().take(left).map(|one| one.address.clone()).collect();
        left -= wanted.len();
        let made = analyzer.made(analysis, resolution, &wanted);
        let mut reached = Impact::default();
        let place = Place { path: place.path, paths: &[place.path] };
        add_resources(&mut reached, (resolution, &made), files, place, Some(at_line));
        let all: HashMap<Address, &Arc<Component>> =
            made.iter().flat_map(|unit| &unit.components).map(|one| (one.address(), one)).collect();
        for impacted in &reached.resources {
            let Some(component) = all.get(&impacted.address) else { continue };
            let Some(owner) = &component.metadata.made_by else { continue };
            for pointer in impacted.paths.keys() {
                let Some(value) = at(&component.value, pointer) else { continue };
                let keys: Vec<String> = pointer::keys(pointer).collect();
                let shown = inline::inline(&mask::masked(value, files), mask::is_secret_pointer(pointer), false);
                let name = format!("{}.{}", component.name, keys.join("."));
                groups.entry((name, shown)).or_default().insert(Text::clone(&owner.0));
            }
        }
    }
    if groups.is_empty() {
        return;
    }
    let all: usize = found.iter().map(|(_, impact)| impact.components.len()).sum();
    let of_first =
        if all > MOST_EVALUATED { format!(" of the first {MOST_EVALUATED} components") } else { String::new() };
    let _ = write!(text, "\n\nin the code{of_first}:");
    for ((name, shown), stacks) in groups.iter().take(MOST) {
        let _ = write!(text, "\n- {} = {} in {}", code(name), code(shown), names(stacks));
    }
    more(text, groups.len());
}

/// Who set a value, and what that replaced.
fn history(place: &Cursor<'_>, resolution: &Resolution, placed: &Placed, keys: &[String], text: &mut String) {
    let files = &place.view.analysis.review.files;
    let Ok(answer) = Explainer::new(resolution, files).why(placed, keys) else { return };
    for step in answer.steps.iter().filter(|s| matches!(s.role, Role::Value | Role::Overrides)).take(MOST) {
        let Some(origin) = step.origin else { continue };
        let file = files.get(origin.file);
        let word = if step.role == Role::Value { "set at" } else { "replaces" };
        let _ = write!(text, "\n  - {word} {}", link(place, &file, Some(file.line(origin.key))));
        if let (Role::Overrides, Some(value)) = (step.role, &step.value) {
            let shown = inline::inline(value, mask::is_secret_pointer(&step.path), false);
            let _ = write!(text, " ({})", code(&shown));
        }
    }
}

/// A link to a file, or to one of its lines.
fn link(place: &Cursor<'_>, file: &File, line: Option<u32>) -> String {
    let (name, fragment) = match line {
        Some(line) => (format!("{}:{line}", file.path), format!("#L{line}")),
        None => (file.path.to_string(), String::new()),
    };
    match place.view.uri(&file.path) {
        // A parenthesis would end the target.
        Some(uri) => {
            let target = uri.as_str().replace('(', "%28").replace(')', "%29");
            format!("[{}]({target}{fragment})", code(&name))
        }
        None => code(&name),
    }
}

/// Returns the value at a pointer, if it is not a map.
fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let keys: Vec<String> = pointer::keys(pointer).collect();
    if keys.is_empty() {
        return None;
    }
    path::find(value, &keys).ok()?.pop().filter(|value| !matches!(value.data, Data::Map(_)))
}

fn names(stacks: &BTreeSet<Text>) -> String {
    let mut text = stacks.iter().take(3).map(|name| code(name)).collect::<Vec<_>>().join(", ");
    if stacks.len() > 3 {
        let _ = write!(text, " and {} more", stacks.len() - 3);
    }
    text
}

fn more(text: &mut String, all: usize) {
    if all > MOST {
        let _ = write!(text, "\n- and {} more", all - MOST);
    }
}
