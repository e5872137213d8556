//! A merge of two revisions, compared with both: what neither side had. As text, Markdown or JSON.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;

use super::text::style::count;
use super::{Report, Revision};
use crate::diagnostic::Level;
use crate::diff::merged::{BASE, Effect, ListedValue, MERGED, MergedComponent, MergedProject, OURS, THEIRS, Winner};
use crate::resolution::Address;
use crate::text::Text;
use std::collections::BTreeSet;

/// Everything that is reported of a merge.
pub(crate) struct MergeReport<'a> {
    /// The merge base, our side and their side.
    pub versions: [&'a Revision; 3],
    pub shown: Shown<'a>,
}

/// What there is to report.
pub(crate) enum Shown<'a> {
    /// The files with a conflict. Nothing else was judged.
    Conflicts(&'a BTreeSet<String>),
    Merged {
        /// What the merge brings, by project.
        projects: &'a [MergedProject],
        /// The findings that neither side has, and what was analyzed.
        report: Box<Report<'a>>,
    },
}

/// What keeps the sides of a merge from being independent besides findings, as a clause; `None` if nothing does.
pub(crate) fn effects(projects: &[MergedProject]) -> Option<String> {
    let (values, unknown) = projects.iter().map(MergedProject::counts).fold((0, 0), |(a, b), (x, y)| (a + x, b + y));
    let sum = |of: fn(&MergedProject) -> usize| projects.iter().map(of).sum::<usize>();
    let (broken, unresolved) = (sum(|one| one.broken.len()), sum(|one| one.unresolved.len()));
    let some = |n: usize, noun: &str, one: &str, several: &str| {
        (n > 0).then(|| format!("{} {}", count(n, noun), if n == 1 { one } else { several }))
    };
    let parts = [
        some(values, "value", "depends on both sides", "depend on both sides"),
        some(unknown, "unknown value", "may depend on both sides", "may depend on both sides"),
        some(broken, "stack", "does not resolve", "do not resolve"),
        some(unresolved, "part", "could not be compared", "could not be compared"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl MergeReport<'_> {
    /// The sign of the verdict, and its level.
    fn mark(&self) -> (char, Option<Level>) {
        match &self.shown {
            Shown::Conflicts(_) => ('✗', Some(Level::Error)),
            Shown::Merged { projects, report } => {
                let worst = report.findings.iter().map(|finding| finding.level).max();
                match (effects(projects), worst) {
                    (Some(_), _) => ('✗', Some(Level::Error)),
                    (None, Some(level @ (Level::Error | Level::Danger))) => ('✗', Some(level)),
                    (None, Some(level)) => ('!', Some(level)),
                    (None, None) if !report.coverage.is_whole() => ('!', Some(Level::Warning)),
                    (None, None) => ('✓', None),
                }
            }
        }
    }

    /// The verdict in one line. Names in it are not escaped.
    fn verdict(&self) -> String {
        let (ours, theirs) = (&self.versions[OURS].rev, &self.versions[THEIRS].rev);
        let merging = format!("merging {theirs} into {ours}");
        match &self.shown {
            Shown::Conflicts(conflicts) => format!("{merging}: conflicts in {}", count(conflicts.len(), "file")),
            Shown::Merged { projects, report } => {
                let new = (!report.findings.is_empty()).then(|| count(report.findings.len(), "new finding"));
                let parts: Vec<String> = effects(projects).into_iter().chain(new).collect();
                match parts.is_empty() {
                    true => format!("{merging}: independent"),
                    false => format!("{merging}: {}", parts.join(" · ")),
                }
            }
        }
    }

    /// What an effect means, with the names of the sides as they are written by `name`.
    fn meaning(&self, effect: Effect, name: &dyn Fn(&str) -> String) -> String {
        let side = |version: usize| name(&self.versions[version].rev);
        match effect {
            Effect::Emergent => "neither side has this".to_owned(),
            Effect::LostOurs => format!("the change of {} is lost", side(OURS)),
            Effect::LostTheirs => format!("the change of {} is lost", side(THEIRS)),
            Effect::Contested(Some(Winner::Ours)) => {
                format!("both sides change it, the merge has that of {}", side(OURS))
            }
            Effect::Contested(Some(Winner::Theirs)) => {
                format!("both sides change it, the merge has that of {}", side(THEIRS))
            }
            Effect::Contested(Some(Winner::Neither)) => "both sides change it, the merge has neither value".to_owned(),
            Effect::Contested(None) => "both sides change it".to_owned(),
            Effect::Unknown => "not known: it may depend on both sides".to_owned(),
        }
    }
}

/// Values that are listed for the same reason, and because of the same lines.
struct Group<'a> {
    /// The first of them.
    listed: &'a ListedValue,
    /// How many values of each component, if the merge has none of a component that one side adds or changes.
    whole: Option<usize>,
    /// The components, in their order.
    addresses: Vec<Address>,
}

impl<'a> Group<'a> {
    fn is_like(&self, listed: &ListedValue, whole: Option<usize>) -> bool {
        let is_same = self.listed.value.effect == listed.value.effect && self.listed.lines == listed.lines;
        is_same && self.whole == whole && (whole.is_some() || self.listed.value == listed.value)
    }
}

/// The listed values in groups, those of certain effects first.
fn groups(projects: &[MergedProject]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let components = || projects.iter().flat_map(|project| &project.components);
    for component in components() {
        let MergedComponent { stack, kind, name, values, there } = component;
        let address = (Text::clone(stack), Text::clone(kind), Text::clone(name));
        let is_lost =
            !there[BASE] && !there[MERGED] && values.iter().all(|one| one.value.effect == values[0].value.effect);
        let (values, whole) = if is_lost { (&values[..1], Some(values.len())) } else { (&values[..], None) };
        for listed in values {
            match groups.iter_mut().find(|group| group.is_like(listed, whole)) {
                Some(group) => group.addresses.push(address.clone()),
                None => groups.push(Group { listed, whole, addresses: vec![address.clone()] }),
            }
        }
    }
    groups.sort_by_key(|group| group.listed.value.effect);
    groups
}
