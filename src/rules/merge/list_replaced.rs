//! `list-replaced`.

use super::walk::{Gathered, at, each, has_history};
use crate::diagnostic::Diagnostic;
use crate::rules::{Context, rule};
use crate::value::{Data, Flags, Value};
use std::collections::BTreeSet;

rule!(LIST_REPLACED, "list-replaced", Preview, "0.1.0", "a list replaces a similar list, and entries are lost");

/// Keys that name an item.
const IDENTITY_KEYS: [&str; 3] = ["name", "id", "key"];
/// The maximum number of entries that are named.
const MAX_NAMED: usize = 4;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Gathered::default();
    each(
        context.resolution,
        |v| v.as_list().is_some() && has_history(v),
        |seen| {
            let history = seen.history();
            for (i, pair) in history.windows(2).enumerate() {
                let ((_, upper), (_, lower)) = (pair[0], pair[1]);
                let (Some(here), Some(below)) = (upper.prov.origin, lower.prov.origin) else { continue };
                let Some((lost, are_named)) = lost(upper, lower).filter(|_| here.file != below.file) else { continue };
                found.add((here, below), seen.component, i == 0, || {
                    let number = if lost.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", lost.len()) };
                    let mut message = format!("`{}` replaces a list; {number} of it are lost", seen.dotted());
                    if lost.len() == 1 {
                        message = message.replace(" are lost", " is lost");
                    }
                    if are_named {
                        let names: Vec<String> = lost.iter().take(MAX_NAMED).map(|n| format!("`{n}`")).collect();
                        let more = if lost.len() > MAX_NAMED { ", …" } else { "" };
                        message = format!("{message}: {}{more}", names.join(", "));
                    }
                    Diagnostic::new(&LIST_REPLACED, message, at(context.files, here, ""))
                        .related(at(context.files, below, "the list that is replaced"))
                        .help(format!(
                            "repeat the entries, or use `{}` or another list merge strategy",
                            seen.component.language.vocabulary.append
                        ))
                        .token(seen.dotted())
                });
            }
        },
    );
    found.finish()
}

/// The entries of the lower list that the upper one lacks, and whether they are names; `None` where the lists share
/// nothing, nothing is lost, or something in them is not known.
fn lost(upper: &Value, lower: &Value) -> Option<(Vec<String>, bool)> {
    let is_known = |v: &Value| {
        let flags = v.flags();
        !flags.has(Flags::CALL) && !flags.has(Flags::TEMPLATE) && !flags.has(Flags::UNKNOWN)
    };
    let (new, old) = (upper.as_list()?, lower.as_list()?);
    if !is_known(upper) || !is_known(lower) || old.len() < 2 {
        return None;
    }
    let by = |key: Option<&str>| -> Option<(Vec<String>, BTreeSet<String>)> {
        let name = |item: &Value| name_of(key.map_or(Some(item), |k| item.get(k))?);
        let old: Vec<String> = old.iter().map(name).collect::<Option<_>>()?;
        let new: BTreeSet<String> = new.iter().map(name).collect::<Option<_>>()?;
        Some((old, new))
    };
    let keyed = IDENTITY_KEYS.into_iter().find_map(|key| by(Some(key)));
    let are_named = keyed.is_some();
    let (old, new) = keyed.or_else(|| by(None))?;
    let mut seen = BTreeSet::new();
    let old: Vec<String> = old.into_iter().filter(|n| seen.insert(n.clone())).collect();
    let lost: Vec<String> = old.iter().filter(|n| !new.contains(*n)).cloned().collect();
    (!lost.is_empty() && lost.len() < old.len()).then_some((lost, are_named))
}

fn name_of(value: &Value) -> Option<String> {
    match &value.data {
        Data::Str(text) => Some(text.to_string()),
        Data::Int(i) => Some(i.to_string()),
        _ => None,
    }
}
