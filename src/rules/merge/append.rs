//! `append-without-effect`.

use super::walk::{Gathered, at, each, is_inside, source};
use crate::diagnostic::Diagnostic;
use crate::rules::{Context, rule};
use crate::value::{Data, Kind, Mark, Origin, Value};
use std::cell::RefCell;
use std::collections::HashMap;

rule!(APPEND_WITHOUT_EFFECT, "append-without-effect", Suspicious, "0.1.0", "`!append` continues no list", State(check));

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Gathered::default();
    let known: RefCell<HashMap<Origin, bool>> = RefCell::default();
    // Most values start with something else, and need no copy of their text.
    let is_tagged = |value: &Value| {
        let Some(origin) = value.prov.origin else { return false };
        *known
            .borrow_mut()
            .entry(origin)
            .or_insert_with(|| context.files.get(origin.file).text.as_bytes().get(origin.start as usize) == Some(&b'!'))
    };
    let mut seen_values = Vec::new();
    each(context.estate, is_tagged, |seen| {
        let text = seen.value.prov.origin.map(|o| source(context.files, o)).unwrap_or_default();
        if (seen.component.language.mark)(&text) == Some(Mark::Append) {
            seen_values.push((seen.component, seen.dotted(), seen.is_item, seen.value));
        }
    });
    for (component, path, is_item, value) in seen_values {
        let Some(here) = value.prov.origin else { continue };
        let say = |message: String| {
            Diagnostic::new("append-without-effect", message, at(context.files, here, "")).token(path.clone())
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
                    say(format!("`!append` does not continue the list at `{path}`: it replaces it"))
                        .related(at(context.files, place, "this list is lost"))
                        .note(
                            "`!append` is used up by the first merge that it meets: in a file with imports that is the \
                             merge with them, in a base component that of the bases",
                        )
                        .help("move it to a file without imports, or repeat the items")
                });
            }
            Data::Map(map) if is_item || map.keys().any(|k| k.starts_with("__")) => {
                found.add((here, here), component, true, || {
                    say(format!("`!append` means nothing inside of a list: `{path}` becomes a map with a marker"))
                        .help("put the tag in front of a list that is the value of a key")
                });
            }
            _ => found.add((here, here), component, true, || {
                let kind = Kind::of(value).map_or("this", Kind::name);
                say(format!("`!append` has no effect on {kind}: only lists can be continued"))
                    .help("write a list, or leave the tag out")
            }),
        }
    }
    found.finish()
}
