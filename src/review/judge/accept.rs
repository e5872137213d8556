//! Dangers that somebody accepts, and the order of the others.

use crate::diagnostic::{Finding, Level};
use crate::settings::Acceptance;

/// Turns dangers that are accepted into warnings that say so, and puts the other dangers first. Returns a warning for each
/// acceptance that accepts nothing.
pub(in crate::review) fn accept<'a>(
    findings: &mut [Finding],
    accepted: impl Iterator<Item = &'a Acceptance>,
) -> Vec<String> {
    let is_open = |finding: &&mut Finding| finding.counts() && finding.level == Level::Danger;
    let mut idle = Vec::new();
    for acceptance in accepted {
        let mut has_effect = false;
        for finding in findings.iter_mut().filter(is_open).filter(|finding| acceptance.covers(finding)) {
            finding.level = Level::Warning;
            finding.diagnostic.notes.push(format!("a danger, accepted by `{}`", acceptance));
            has_effect = true;
        }
        if !has_effect {
            idle.push(format!("there is no danger that `{}` accepts", acceptance));
        }
    }
    findings.sort_by_key(|finding| !(finding.counts() && finding.level == Level::Danger));
    idle
}
