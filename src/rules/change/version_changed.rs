//! `major-version-changed`, `version-downgraded` and `source-changed`: other code than before is fetched.

use super::{Changed, Changes, Phrase, dotted, transition};
use crate::diagnostic::Diagnostic;
use crate::diff::{Cause, Change};
use crate::resolution::{CodeOrigin, Component};
use crate::rules::rule;
use crate::terraform::address::Address;
use crate::value::Value;

rule!(
    MAJOR_VERSION_CHANGED,
    "major-version-changed",
    Change,
    "0.1.0",
    "the major version of a module or a provider changes"
);
rule!(VERSION_DOWNGRADED, "version-downgraded", Change, "0.1.0", "a module or a provider is downgraded");
rule!(SOURCE_CHANGED, "source-changed", Change, "0.1.0", "the source of a module or a provider changes");

/// A version or a source that differs.
struct VersionStep<'a> {
    causes: &'a [Cause],
    /// The path of the value, with dots.
    name: String,
    before: &'a Value,
    after: &'a Value,
}

pub(super) fn major(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&MAJOR_VERSION_CHANGED, &changes.components, |changed| {
        versions(changed, |old, new| {
            let is_other = old.lowest[0] != new.lowest[0] && !new.allows(&old.lowest);
            is_other.then_some(("requires another major version", "require another major version"))
        })
    });
    let help = "read what its new major version breaks before it is applied";
    found.into_iter().map(|f| f.help(help)).collect()
}

pub(super) fn downgraded(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&VERSION_DOWNGRADED, &changes.components, |changed| {
        versions(changed, |old, new| {
            let is_older = new.lowest < old.lowest && !new.allows(&old.lowest);
            is_older.then_some(("requires an older version", "require an older version"))
        })
    });
    let note = "what the newer version has written (states, settings) may not be readable for the older one";
    found.into_iter().map(|f| f.note(note)).collect()
}

pub(super) fn source(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&SOURCE_CHANGED, &changes.components, |changed| {
        let differ = sources(changed).filter_map(|step| {
            let (old, new) = (Address::parse(step.before.as_str()?), Address::parse(step.after.as_str()?));
            let details = format!("`{}` {}", step.name, transition(Some(step.before), Some(step.after)));
            let text =
                Phrase::new("takes its code from another source", "take their code from another source", details);
            let stays = (old.is_local() || new.is_local()) && stays_in_folder(changed);
            (!old.is_same_code(&new) && !stays).then_some((step.causes, text))
        });
        differ.collect()
    })
}

/// Whether the code is in the same folder of the repository as before, however that is written.
fn stays_in_folder(changed: &Changed<'_>) -> bool {
    let folder = |side: Option<&Component>| {
        let code = side?.metadata.code.clone()?;
        (code.supply == CodeOrigin::Repository).then_some(code.folder)
    };
    let folders = [changed.before, changed.after].map(folder);
    folders[0].is_some() && folders[0] == folders[1]
}

/// The versions that differ, as far as both are known: constraints, and those that sources name.
fn versions<'a>(
    changed: &Changed<'a>,
    judge: impl Fn(&Constraint, &Constraint) -> Option<(&'static str, &'static str)>,
) -> Vec<(&'a [Cause], Phrase)> {
    let pinned = |value: &Value| {
        let address = Address::parse(value.as_str()?);
        address.reference.and_then(|reference| Constraint::parse(&reference))
    };
    let of_sources = sources(changed).filter_map(|step| {
        let is_same = Address::parse(step.before.as_str()?).is_same_code(&Address::parse(step.after.as_str()?));
        Some((pinned(step.before)?, pinned(step.after)?, step)).filter(|_| is_same)
    });
    let constraint = |value: &Value| value.as_str().and_then(Constraint::parse);
    let of_constraints =
        steps(constraints(changed)).filter_map(|step| Some((constraint(step.before)?, constraint(step.after)?, step)));
    let reported = |(old, new, step): (Constraint, Constraint, VersionStep<'a>)| {
        let (one, several) = judge(&old, &new)?;
        let details = format!("`{}` {}", step.name, transition(Some(step.before), Some(step.after)));
        Some((step.causes, Phrase::new(one, several, details)))
    };
    of_constraints.chain(of_sources).filter_map(reported).collect()
}

fn constraints<'a>(changed: &Changed<'a>) -> Vec<&'a Change> {
    let all = changed.vocabulary().versions.iter().flat_map(|path| changed.at(path));
    all.filter(|c| c.path.rsplit('/').next() == Some("version")).collect()
}

fn sources<'a>(changed: &Changed<'a>) -> impl Iterator<Item = VersionStep<'a>> + use<'a> {
    steps(source_changes(changed))
}

/// The sources of code that differ.
pub(super) fn source_changes<'a>(changed: &Changed<'a>) -> Vec<&'a Change> {
    let all = changed.vocabulary().sources.iter().flat_map(|path| changed.at(path));
    all.filter(|c| c.path.rsplit('/').next().is_some_and(|key| changed.vocabulary().source_keys.contains(&key)))
        .collect()
}

fn steps<'a>(changes: Vec<&'a Change>) -> impl Iterator<Item = VersionStep<'a>> + use<'a> {
    changes.into_iter().filter_map(|change| {
        let name = dotted(&change.path);
        let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
        Some(VersionStep { causes: &change.causes, name, before, after })
    })
}

type Version = [u64; 3];

/// The required versions.
#[derive(Debug, PartialEq)]
struct Constraint {
    lowest: Version,
    /// The parts: an operator, a version, and how many of its numbers are written.
    parts: Vec<(String, Version, usize)>,
}

impl Constraint {
    /// Parses a constraint; `None` if its text is not a version, or has no lowest one.
    fn parse(text: &str) -> Option<Self> {
        if text.contains("{{") || text.contains("${") || text.starts_with('!') {
            return None;
        }
        let one = |part: &str| {
            let part = part.trim();
            let number = part.trim_start_matches(['=', '>', '<', '~', '!', ' ']);
            let operator = part[..part.len() - number.len()].trim().to_owned();
            let core = number.trim_start_matches(['v', 'V']).split(['-', '+']).next().unwrap_or_default();
            let numbers: Option<Vec<u64>> = core.split('.').map(|n| n.parse().ok()).collect();
            let numbers = numbers.filter(|n| n.len() <= 3)?;
            Some((operator, [0, 1, 2].map(|i| numbers.get(i).copied().unwrap_or(0)), numbers.len()))
        };
        let parts = text.split(',').map(one).collect::<Option<Vec<_>>>()?;
        let lower = parts.iter().filter(|(operator, ..)| !matches!(&**operator, "<" | "<=" | "!="));
        let lowest = lower.map(|(_, version, _)| *version).max()?;
        Some(Constraint { lowest, parts })
    }

    /// Whether it lets a version in.
    fn allows(&self, version: &Version) -> bool {
        self.parts.iter().all(|(operator, bound, written)| match &**operator {
            ">=" => version >= bound,
            ">" => version > bound,
            "<=" => version <= bound,
            "<" => version < bound,
            "!=" => version != bound,
            "~>" => version >= bound && version[..written.saturating_sub(1)] == bound[..written.saturating_sub(1)],
            _ => version == bound,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_constraints() {
        for (text, expected) in [
            ("1.2.3", Some([1, 2, 3])),
            ("~> 5.1", Some([5, 1, 0])),
            (">= 1.2, < 2.0", Some([1, 2, 0])),
            ("v2", Some([2, 0, 0])),
            ("main", None),
            ("4f2c1d0", None),
            ("${var.x}", None),
            ("< 2", None),
        ] {
            assert_eq!(Constraint::parse(text).map(|c| c.lowest), expected, "{text}");
        }
    }

    #[test]
    fn ranges_let_versions_in() {
        for (text, version, expected) in [
            ("~> 5.4", [5, 9, 1], true),
            ("~> 5.4", [6, 0, 0], false),
            ("~> 5.4.1", [5, 5, 0], false),
            (">= 1.2", [1, 2, 3], true),
            ("1.2.3", [1, 2, 3], true),
            (">= 1, < 2", [2, 0, 0], false),
        ] {
            assert_eq!(Constraint::parse(text).is_some_and(|c| c.allows(&version)), expected, "{text}");
        }
    }
}
