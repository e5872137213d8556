//! Whether a change does what is expected: a verdict in one line, and what refutes it or leaves it open in further lines.

pub(super) mod json;

use super::text::changes::path;
use super::text::style::count;
use super::text::value;
use super::{Comparison, RenderOptions, coverage};
use crate::diff::Status;
use crate::files::Files;
use crate::review::{Counterexample, Expectation, Open, Proof, Verdict};
use std::collections::BTreeSet;

/// `Proved: no effect: 6 stacks, 29 components resolved on both sides; 0 values differ`.
pub(crate) fn sentence(comparison: &Comparison<'_>, proof: &Proof) -> String {
    match proof.verdict() {
        Verdict::Proved => format!("Proved: {}: {}", claim(proof), certificate(proof)),
        Verdict::Refuted => {
            let values = proof.refuting.iter().filter(|one| one.change.is_some()).count();
            let named = |is_whole: bool| -> BTreeSet<usize> {
                let of = proof.refuting.iter().filter(|one| one.change.is_none() == is_whole);
                of.map(|one| one.component).collect()
            };
            let whole =
                |status| named(true).iter().filter(|i| comparison.diff.components[**i].status == status).count();
            let counted =
                |number: usize, what: &str| (number > 0).then(|| format!("{} {what}", count(number, "component")));
            let differing = named(false).len();
            let verb = if values == 1 { "differs" } else { "differ" };
            let values =
                (values > 0).then(|| format!("{} of {} {verb}", count(values, "value"), count(differing, "component")));
            let parts = [values, counted(whole(Status::Added), "added"), counted(whole(Status::Removed), "removed")];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("Refuted: {}: {}", claim(proof), parts.join(", "))
        }
        Verdict::NotProvable => format!("Not provable: {}: nothing that is known refutes it", claim(proof)),
    }
}

/// What is expected, as a clause.
fn claim(proof: &Proof) -> String {
    match &proof.expectation {
        Expectation::Nothing => "no effect".to_owned(),
        Expectation::Moves => "only addresses change".to_owned(),
        Expectation::Renamed(renaming) => format!("only a name changes, `{}` to `{}`", renaming.old, renaming.new),
        Expectation::Only(glob) => format!("an effect only in `{}`", glob.as_str()),
    }
}

/// What was compared.
fn certificate(proof: &Proof) -> String {
    let [stacks, components, resources] = proof.resolved;
    let made = if resources > 0 { format!(", {}", count(resources, "resource")) } else { String::new() };
    let elsewhere = if matches!(proof.expectation, Expectation::Only(_)) { " elsewhere" } else { "" };
    let mut parts =
        vec![format!("{}, {}{made} resolved on both sides", count(stacks, "stack"), count(components, "component"))];
    match proof.untouched {
        0 => {}
        1 => parts.push("1 stack reads nothing that differs".to_owned()),
        untouched => parts.push(format!("{untouched} stacks read nothing that differs")),
    }
    parts.push(format!("0 values differ{elsewhere}"));
    let moves_states = matches!(&proof.expectation, Expectation::Renamed(renaming) if renaming.moves_state);
    match proof.moved {
        0 if !elsewhere.is_empty() => {}
        0 => parts.push("states keep their addresses".to_owned()),
        // What has to move is told beside it.
        1 if moves_states => parts.push("1 address changes".to_owned()),
        moved if moves_states => parts.push(format!("{moved} addresses change")),
        1 => parts.push("1 address changes and keeps its state".to_owned()),
        moved => parts.push(format!("{moved} addresses change and keep their states")),
    }
    match proof.unknown {
        0 => {}
        1 => parts.push("1 unknown value has the same text and the same inputs".to_owned()),
        unknown => parts.push(format!("{unknown} unknown values have the same texts and the same inputs")),
    }
    parts.join("; ")
}

/// The smallest thing that refutes it, and what leaves it open: a sentence each. Nothing is escaped.
pub(crate) fn lines(comparison: &Comparison<'_>, proof: &Proof, files: &Files) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(proof.refuting.first().map(|one| format!("for example {}", example(comparison, *one, files))));
    let values = proof.open.iter().filter_map(|open| match open {
        Open::Value { component, change } => {
            let change = Some(*change);
            Some(place(comparison, Counterexample { component: *component, change }))
        }
        _ => None,
    });
    let settings = proof.open.iter().filter_map(|open| match open {
        Open::Setting { file, path: setting } => Some(format!("{} of {file}", path(setting))),
        _ => None,
    });
    let parts = proof.open.iter().filter_map(|open| match open {
        Open::Part(name) => Some(name.clone()),
        _ => None,
    });
    let differing = proof.open.iter().filter_map(|open| match open {
        Open::File(file) => Some(file.to_string()),
        _ => None,
    });
    let code = proof.open.iter().filter_map(|open| match open {
        Open::Code { files, components } => Some((files, *components)),
        _ => None,
    });
    let list = |noun: &str, verbs: [&str; 2], names: Vec<String>| {
        let verb = verbs[usize::from(names.len() != 1)];
        (!names.is_empty()).then(|| format!("{} {verb}: {}", count(names.len(), noun), coverage::shown(&names)))
    };
    lines.extend(list("part", ["is not resolved", "are not resolved"], parts.collect()));
    lines.extend(list("value", ["is not known and may differ", "are not known and may differ"], values.collect()));
    lines.extend(code.map(|(files, components)| {
        let verb = if components == 1 { "runs" } else { "run" };
        let what = format!("{} {verb} code that differs in what is not evaluated", count(components, "component"));
        format!("{what}: {}", coverage::shown(files))
    }));
    let unseen = "that no component shows";
    lines.extend(list("setting", [&format!("differs {unseen}"), &format!("differ {unseen}")], settings.collect()));
    let unread = "and was not compared";
    let unread_all = "and were not compared";
    lines.extend(list("file", [&format!("differs {unread}"), &format!("differ {unread_all}")], differing.collect()));
    let harmless: Vec<String> = proof.harmless.iter().map(ToString::to_string).collect();
    lines.extend(list("file", ["differs without effect", "differ without effect"], harmless));
    lines
}

/// `vars.size of vpc in dev`.
fn place(comparison: &Comparison<'_>, one: Counterexample) -> String {
    let component = &comparison.diff.components[one.component];
    let name = format!("{} in {}", component.name, component.stack);
    match one.change {
        Some(change) => format!("{} of {name}", path(&component.changes[change].path)),
        None => name,
    }
}

/// `vars.size of vpc in dev: 1 → 2 (stacks/dev.yaml:7)`.
fn example(comparison: &Comparison<'_>, one: Counterexample, files: &Files) -> String {
    let component = &comparison.diff.components[one.component];
    let options = RenderOptions::default();
    let place = place(comparison, one);
    let (what, causes) = match one.change.map(|index| &component.changes[index]) {
        Some(change) => {
            let shown = |side: &Option<crate::value::Value>| {
                side.as_ref().map_or_else(|| "–".to_owned(), |side| value::inline(side, change.is_secret, &options))
            };
            (format!("{} → {}", shown(&change.before), shown(&change.after)), &change.causes)
        }
        None => {
            let renamed = comparison.diff.renames.iter().find(|r| r.from == one.component || r.to == one.component);
            let what = match renamed {
                Some(rename) if rename.moves_state => "its address changes, and its state moves",
                Some(_) => "its address changes",
                None => component.status.name(),
            };
            (what.to_owned(), &component.causes)
        }
    };
    let at = causes.first().map(|cause| format!(" ({}:{})", files.get(cause.file).path, cause.line));
    format!("{place}: {what}{}", at.unwrap_or_default())
}
