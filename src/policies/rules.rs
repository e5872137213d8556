//! The rules that policies are reported under.

use crate::diagnostic::{Group, Level, Rule};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The parts of a policy's rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Custom {
    /// Its id.
    pub(super) id: String,
    /// The level of its findings.
    pub(super) level: Level,
    /// One sentence.
    pub(super) summary: String,
    /// Its page.
    pub(super) page: String,
}

/// The rule of a policy. Findings refer to rules that last as long as the program: equal ones are one, and how many there can
/// be is limited by the policies of the revisions that are read.
pub(super) fn custom(custom: Custom) -> &'static Rule {
    static KNOWN: Mutex<BTreeMap<Custom, &'static Rule>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock();
    if let Some(rule) = known.get(&custom) {
        return rule;
    }
    let last = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let rule: &'static Rule = Box::leak(Box::new(Rule {
        id: last(&custom.id),
        group: Group::Policy,
        level: Some(custom.level),
        since: "custom",
        summary: last(&custom.summary),
        page: last(&custom.page),
    }));
    known.insert(custom, rule);
    rule
}
