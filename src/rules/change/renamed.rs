//! `component-renamed` and `stack-renamed`: deployed components get a new name under which their state does not exist.

use super::{Changed, Changes, Phrase, cause_label, count_of};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::renames::Rename;
use crate::resolution::{Component, RemovalEffect};
use crate::rules::rule;
use crate::text::Text;
use std::collections::BTreeMap;

rule!(
    COMPONENT_RENAMED,
    "component-renamed",
    Change,
    "0.1.0",
    "a component is renamed, and its state stays under the old name",
    Some(Level::Danger)
);
rule!(
    STACK_RENAMED,
    "stack-renamed",
    Change,
    "0.1.0",
    "a stack is renamed, and the states of its components stay under the old name",
    Some(Level::Danger)
);

const NOTE: &str = "Terraform finds no state under the new name and plans to create everything again";
const HELP: &str = "move the states first (`terraform state pull` under the old name, `terraform state push` under \
                    the new one), or keep the old name";

const DEPLOYED: &str = "it is deployed again under the new name, beside what is there";
const REMOVE: &str = "remove what is deployed under the old name first, or keep that name";

pub(super) fn components(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut found = renamed(changes, &|before| before.removal == RemovalEffect::Destroyed);
    let stays = |before: &Component| before.removal != RemovalEffect::Destroyed;
    let kept = renamed(changes, &|before| stays(before) && has_state(before));
    found.extend(kept.into_iter().map(|finding| finding.note(NOTE).help(HELP)));
    let deployed = renamed(changes, &|before| stays(before) && !has_state(before));
    found.extend(deployed.into_iter().map(|finding| finding.note(DEPLOYED).help(REMOVE)));
    found
}

/// Whether Terraform keeps a state for it.
fn has_state(component: &Component) -> bool {
    component.metadata.state.is_some() || component.metadata.workspace.is_some()
}

/// Components with a new name in the same stack of which the old one is selected.
fn renamed(changes: &Changes<'_>, is_wanted: &dyn Fn(&Component) -> bool) -> Vec<Diagnostic> {
    changes.by_cause(&COMPONENT_RENAMED, &changes.components, |changed| {
        let Some((rename, before)) = changes.renamed(changed).zip(changed.before.filter(|before| is_wanted(before)))
        else {
            return Vec::new();
        };
        let new = &changes.diff.components[rename.to];
        let is_instance = before.metadata.instance_of.is_some();
        let text = match before.removal {
            RemovalEffect::Destroyed if is_instance => Phrase::new(
                "gets another address: it is destroyed and created unless `moved` says otherwise",
                "get another address: they are destroyed and created unless `moved` says otherwise",
                format!("now `{}`", new.name),
            ),
            RemovalEffect::Destroyed => Phrase::new(
                "is renamed, and the next run destroys and recreates it",
                "are renamed, and the next run destroys and recreates them",
                format!("now `{}`", new.name),
            ),
            _ if !has_state(before) => Phrase::new(
                "is renamed, and what is deployed under the old name stays",
                "are renamed, and what is deployed under the old names stays",
                format!("now `{}`", new.name),
            ),
            _ => Phrase::new(
                "is renamed, and its state stays under the old name",
                "are renamed, and their states stay under the old names",
                format!("now `{}`", new.name),
            ),
        };
        let matters = rename.moves_state || rename.is_replaced;
        match matters && new.stack == changed.change.stack {
            true => vec![(&rename.causes[..], text)],
            false => Vec::new(),
        }
    })
}

pub(super) fn stacks(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut stacks: BTreeMap<(&Text, &Text), Vec<(&Rename, &Changed<'_>)>> = BTreeMap::new();
    for changed in &changes.components {
        let Some(rename) = changes.renamed(changed) else { continue };
        let (old, new) = (&changed.change.stack, &changes.diff.components[rename.to].stack);
        if old != new && (rename.moves_state || rename.is_replaced) {
            stacks.entry((old, new)).or_default().push((rename, changed));
        }
    }
    stacks.into_iter().map(|((old, new), members)| stack(changes, old, new, &members)).collect()
}

fn stack(changes: &Changes<'_>, old: &Text, new: &Text, members: &[(&Rename, &Changed<'_>)]) -> Diagnostic {
    let moving = members.iter().filter(|(rename, _)| rename.moves_state).count();
    let has_states = members.iter().any(|(_, changed)| changed.before.is_some_and(has_state));
    let (effect, advice) = match moving {
        0 => (format!("the next run destroys and creates {} again", count_of(members.len(), "component")), None),
        1 if has_states => ("1 component will use another state".to_owned(), Some((NOTE, HELP))),
        several if has_states => (format!("{several} components will use different states"), Some((NOTE, HELP))),
        1 => ("1 component is deployed again".to_owned(), Some((DEPLOYED, REMOVE))),
        several => (format!("{several} components are deployed again"), Some((DEPLOYED, REMOVE))),
    };
    let (rename, changed) = members[0];
    let label: Label = match rename.causes.iter().find(|c| c.side == crate::diff::Side::Head) {
        Some(cause) => cause_label(cause, changes.context.files),
        None => changes.label(&rename.causes, changed.file),
    };
    let message = format!("stack `{old}` is renamed to `{new}`: {effect}");
    let mut finding = Diagnostic::new(&STACK_RENAMED, message, label).token(format!("{old} {new}")).address(&**new);
    if let Some((note, help)) = advice {
        finding = finding.note(note).help(help);
    }
    finding.stacks = vec![Text::clone(new)];
    changes.placed_at_head(finding)
}
