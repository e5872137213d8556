//! Findings about components that have another name now.

use crate::diagnostic::{Diagnostic, Finding, Novelty, RuleRef};
use crate::diff::Diff;
use crate::files::Files;
use crate::text::Text;
use std::collections::HashMap;

/// What a finding is about, with the names of the newer revision: its rule, file, offending text, and the components with their
/// stacks.
type Key = (RuleRef, Text, Option<String>, Vec<(Text, Text)>);

/// Takes findings about renamed components that both revisions have as known, instead of as fixed and new.
pub(super) fn match_renamed<'a>(findings: &mut Vec<Finding>, diffs: impl Iterator<Item = &'a Diff>, files: &Files) {
    let mut names: HashMap<(Text, Text), (Text, Text)> = HashMap::new();
    for diff in diffs {
        let address = |i: usize| (Text::clone(&diff.components[i].stack), Text::clone(&diff.components[i].name));
        names.extend(diff.renames.iter().map(|rename| (address(rename.from), address(rename.to))));
    }
    if names.is_empty() {
        return;
    }
    let key = |d: &Diagnostic, is_base: bool| -> Option<Key> {
        let subjects = d.subjects.iter().map(|subject| (Text::clone(&subject.stack), Text::clone(&subject.component)));
        let renamed =
            |subject: (Text, Text)| if is_base { names.get(&subject).cloned().unwrap_or(subject) } else { subject };
        let mut subjects: Vec<(Text, Text)> = subjects.map(renamed).collect();
        subjects.sort();
        let is_named = !subjects.is_empty() && d.token.is_some();
        is_named.then(|| (d.rule.clone(), Text::clone(&files.get(d.primary.file).path), d.token.clone(), subjects))
    };
    let mut fixed: HashMap<Key, Vec<usize>> = HashMap::new();
    for (i, finding) in findings.iter().enumerate().filter(|(_, f)| f.novelty == Some(Novelty::Fixed)) {
        if let Some(key) = key(&finding.diagnostic, true) {
            fixed.entry(key).or_default().push(i);
        }
    }
    let mut still = vec![false; findings.len()];
    for finding in findings.iter_mut().filter(|f| f.novelty == Some(Novelty::New)) {
        let same = key(&finding.diagnostic, false).and_then(|key| fixed.get_mut(&key)?.pop());
        if let Some(i) = same {
            finding.novelty = Some(Novelty::Known);
            still[i] = true;
        }
    }
    let mut still = still.into_iter();
    findings.retain(|_| !still.next().unwrap_or_default());
}
