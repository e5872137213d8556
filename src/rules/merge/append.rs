//! `append-without-effect`.

use super::walk::{Gathered, at, each, is_inside, source};
use crate::diagnostic::Diagnostic;
use crate::rules::{Context, rule};
use crate::value::{Data, FileId, Mark, Value, ValueKind};
use std::collections::HashSet;

rule!(
    APPEND_WITHOUT_EFFECT,
    "append-without-effect",
    Suspicious,
    "0.1.0",
    "an append marker on a list has no list to append to"
);

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Gathered::default();
    let marked = marked_places(context);
    if marked.is_empty() {
        return Vec::new();
    }
    let is_marked = |value: &Value| value.prov.origin.is_some_and(|o| marked.contains(&(o.file, o.start)));
    let mut seen_values = Vec::new();
    each(context.resolution, is_marked, |seen| {
        let text = seen.value.prov.origin.map(|o| source(context.files, o)).unwrap_or_default();
        if (seen.component.language.mark)(&text) == Some(Mark::Append) {
            seen_values.push((seen.component, seen.dotted(), seen.is_item, seen.value));
        }
    });
    for (component, path, is_item, value) in seen_values {
        let Some(here) = value.prov.origin else { continue };
        let tag = component.language.vocabulary.append;
        let say = |message: String| {
            Diagnostic::new(&APPEND_WITHOUT_EFFECT, message, at(context.files, here, "")).token(path.clone())
        };
        match &value.data {
            Data::List(items) => {
                let below = value.prov.overrode();
                let Some((below, list)) = below.and_then(|b| Some((b, b.as_list()?))) else { continue };
                let is_own = |item: &&Value| item.prov.origin.is_some_and(|o| is_inside(o, here));
                let kept = items.iter().any(|item| !is_own(&item));
                let Some(place) = below.prov.origin.filter(|_| !list.is_empty() && !kept && !items.is_empty()) else {
                    continue;
                };
                found.add((here, place), component, true, || {
                    say(format!("`{tag}` does not append to the list at `{path}`: it replaces it"))
                        .related(at(context.files, place, "this list is lost"))
                        .note(format!(
                            "`{tag}` takes effect only in the first merge: in a file with imports, the merge with them; in a base component, the merge of the bases"
                        ))
                        .help("move it to a file without imports, or repeat the items")
                });
            }
            Data::Map(map) if is_item || map.keys().any(|k| k.starts_with("__")) => {
                found.add((here, here), component, true, || {
                    say(format!("`{tag}` has no effect inside of a list: `{path}` becomes a map with a marker"))
                        .help("put the tag in front of a list that is the value of a key")
                });
            }
            _ => found.add((here, here), component, true, || {
                let kind = ValueKind::of(value).map_or("this", ValueKind::name);
                say(format!("`{tag}` has no effect on {kind}: only lists can be appended to"))
                    .help("write a list, or remove the tag")
            }),
        }
    }
    found.finish()
}

/// Where texts begin that mark a list as one to be appended.
fn marked_places(context: &Context<'_>) -> HashSet<(FileId, u32)> {
    let mut marks: Vec<fn(&str) -> Option<Mark>> = Vec::new();
    let with_values = || context.resolution.units.iter().filter(|unit| !unit.components.is_empty());
    for component in with_values().flat_map(|u| &u.components) {
        let mark = component.language.mark;
        if !marks.iter().any(|known| std::ptr::fn_addr_eq(*known, mark)) {
            marks.push(mark);
        }
    }
    let files: HashSet<FileId> = with_values().flat_map(|u| u.files.iter().copied()).collect();
    let mut found = HashSet::new();
    for id in files {
        let text = &context.files.get(id).text;
        let starts = text.match_indices('!').map(|(at, _)| at);
        let marked = starts.filter(|at| marks.iter().any(|mark| mark(&text[*at..]) == Some(Mark::Append)));
        found.extend(marked.map(|at| (id, at as u32)));
    }
    found
}
