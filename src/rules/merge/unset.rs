//! `unset-without-effect`.

use super::walk::{at, each, has_history, open_files};
use crate::diagnostic::{Applicability, Diagnostic};
use crate::rules::edit::removal;
use crate::rules::{Context, rule};
use crate::text::Text;
use crate::value::{Origin, Value};
use std::collections::{BTreeMap, BTreeSet};

rule!(
    UNSET_WITHOUT_EFFECT,
    "unset-without-effect",
    Hygiene,
    "0.1.0",
    "a tag that removes a key removes nothing in any stack"
);

/// A place with the tag that removes a key.
struct Unset {
    tag: &'static str,
    path: String,
    stacks: BTreeSet<Text>,
    has_effect: bool,
    above: Option<Origin>,
}

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_tagged = |v: &Value, tag: &str| {
        let rest = v.as_str().filter(|_| !tag.is_empty()).and_then(|s| s.strip_prefix(tag));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let vocabularies = &context.resolution.vocabularies;
    let mut found: BTreeMap<Origin, Unset> = BTreeMap::new();
    each(
        context.resolution,
        |v| vocabularies.iter().any(|words| is_tagged(v, words.unset)) || has_history(v),
        |seen| {
            // An item of a list takes itself away; nothing else was meant.
            if seen.is_item {
                return;
            }
            let tag = seen.component.language.vocabulary.unset;
            let is_unset = |v: &Value| is_tagged(v, tag);
            let history = seen.history();
            for (i, (_, value)) in history.iter().enumerate().filter(|(_, (_, v))| is_unset(v)) {
                let Some(origin) = value.prov.origin else { continue };
                let entry = found.entry(origin).or_insert_with(|| Unset {
                    tag,
                    path: seen.dotted(),
                    stacks: BTreeSet::new(),
                    has_effect: false,
                    above: None,
                });
                entry.stacks.insert(Text::clone(&seen.component.stack));
                entry.has_effect |= i == 0 && history[1..].iter().any(|(_, v)| !is_unset(v));
                entry.above = entry.above.or(i.checked_sub(1).and_then(|j| history[j].1.prov.origin));
            }
        },
    );
    let open = open_files(context.resolution);
    let (unsure, useless): (Vec<_>, Vec<_>) =
        found.into_iter().filter(|(_, u)| !u.has_effect).partition(|(origin, _)| open.contains(&origin.file));
    if !unsure.is_empty() {
        context.withheld.record(&UNSET_WITHOUT_EFFECT);
    }
    useless
        .into_iter()
        .map(|(origin, unset)| {
            let message = match unset.above {
                Some(_) => {
                    format!("`{}` of `{}` has no effect: a higher layer sets the key again", unset.tag, unset.path)
                }
                None => format!("`{}` has no effect: no layer below sets `{}`", unset.tag, unset.path),
            };
            let mut finding = Diagnostic::new(&UNSET_WITHOUT_EFFECT, message, at(context.files, origin, ""));
            if let Some(above) = unset.above {
                finding = finding.related(at(context.files, above, "set again here"));
            }
            finding.stacks = unset.stacks.into_iter().collect();
            finding.token = Some(unset.path);
            match removal(context.files, origin, "remove it", Applicability::Safe) {
                Some(fix) => finding.fix(fix),
                None => finding,
            }
        })
        .collect()
}
