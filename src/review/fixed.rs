//! Which findings that the head no longer has are fixed.

use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, Finding, Novelty};
use crate::resolution::{Extent, Resolution, Unit};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// What happened to the subject of a finding.
enum Fate {
    /// The head has it, resolved: the finding is fixed.
    Analyzed,
    /// The head does not have it any more.
    Removed,
    /// The head could not resolve it.
    Unknown,
}

/// Classifies findings that only the base has: those whose subject the head removed are marked, and those whose subject
/// it could not resolve, or of whose stack it knows less, are dropped.
pub(super) fn judge_fixed(findings: &mut Vec<Finding>, projects: &[(&Resolution, &Resolution)]) {
    if findings.iter().all(|f| f.novelty != Some(Novelty::Fixed)) {
        return;
    }
    // What the head cannot tell and the base could: the stacks about which less is known.
    let is_lost =
        |finding: &&Finding| finding.novelty == Some(Novelty::New) && finding.diagnostic.rule == &INCOMPLETE_ANALYSIS;
    let lost = findings.iter().filter(is_lost).flat_map(|finding| finding.diagnostic.stacks.iter().cloned());
    let lost: BTreeSet<Text> = lost.collect();
    let heads: Vec<BTreeMap<&str, &Unit>> =
        projects.iter().map(|(_, head)| head.units.iter().map(|unit| (&*unit.id, &**unit)).collect()).collect();
    findings.retain_mut(|finding| {
        if finding.novelty != Some(Novelty::Fixed) {
            return true;
        }
        match fate(&finding.diagnostic, projects, &heads) {
            Fate::Analyzed => !finding.diagnostic.stacks.iter().any(|stack| lost.contains(stack)),
            Fate::Removed => {
                finding.novelty = Some(Novelty::Removed);
                true
            }
            Fate::Unknown => false,
        }
    });
}

fn fate(finding: &Diagnostic, projects: &[(&Resolution, &Resolution)], heads: &[BTreeMap<&str, &Unit>]) -> Fate {
    let file = finding.primary.file;
    let (mut is_removed, mut is_unknown) = (false, false);
    for ((base, head), units) in projects.iter().zip(heads) {
        let is_lost = head.gap.as_ref().is_some_and(|gap| gap.extent == Extent::Everything);
        let uses = |unit: &Unit| unit.file == file || unit.files.binary_search(&file).is_ok();
        for unit in base.units.iter().filter(|unit| uses(unit)) {
            match units.get(&*unit.id) {
                Some(now) if !now.is_broken() && !now.lacks_more_than(&unit.lacks) => return Fate::Analyzed,
                Some(_) => is_unknown = true,
                None => is_removed = true,
            }
        }
        // Of a file that no unit uses nothing is known where nothing was resolved.
        is_unknown |= is_lost;
    }
    match (is_removed, is_unknown) {
        (_, true) => Fate::Unknown,
        (true, false) => Fate::Removed,
        (false, false) => Fate::Analyzed,
    }
}
