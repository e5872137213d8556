//! `destroy-argument`: a run of a component is told to destroy what is deployed.

use super::{Changes, Phrase, dotted, is_within};
use crate::diagnostic::{Diagnostic, Level};
use crate::resolution::Component;
use crate::rules::rule;
use crate::value::{Data, Value};

rule!(
    DESTROY_ARGUMENT,
    "destroy-argument",
    Change,
    "0.1.0",
    "a run of a component is told to destroy what is deployed",
    Some(Level::Danger)
);

/// The arguments that say so, as Terraform and OpenTofu read them.
const SAYS: [&str; 4] = ["-destroy", "--destroy", "-destroy=true", "--destroy=true"];

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&DESTROY_ARGUMENT, &changes.components, |changed| {
        let paths = changed.vocabulary().arguments;
        let told = |path: &&&str| {
            let [before, after] = [changed.before, changed.after].map(|side| side.is_some_and(|c| says_at(c, path)));
            after && !before
        };
        let cause = |path: &&str| {
            let about = changed.change.changes.iter().filter(|c| is_within(&c.path, path) || is_within(path, &c.path));
            about.into_iter().find(|change| change.after.as_ref().is_some_and(says))
        };
        let causes = paths.iter().filter(told).filter_map(cause);
        let phrase = |path: &str| {
            Phrase::new("is told to destroy what is deployed", "are told to destroy what is deployed", {
                format!("`{}` has `{}`", dotted(path), SAYS[0])
            })
        };
        causes.map(|change| (&change.causes[..], phrase(&change.path))).collect()
    });
    let note = "the next run plans or applies the removal of everything that the component manages";
    found.into_iter().map(|finding| finding.note(note)).collect()
}

/// Whether a value of a component, or one in it, has such an argument.
fn says_at(component: &Component, path: &str) -> bool {
    component.value.at_path(path.split('/').skip(1)).is_some_and(says)
}

fn says(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match &value.data {
            Data::Str(text) if text.split_whitespace().any(|word| SAYS.contains(&word)) => return true,
            Data::Map(map) => open.extend(map.iter().map(|entry| &entry.value)),
            Data::List(items) => open.extend(items.iter()),
            _ => {}
        }
    }
    false
}
