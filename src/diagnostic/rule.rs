//! Rules: their ids, groups and documentation. A finding refers to the `static` that [`rule!`] declares, so an id
//! without a rule does not compile.

use super::Level;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// The kind of a rule, which determines the level of its findings unless the settings set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Group {
    /// A certain mistake, or the deployment tool rejects it: an error.
    Correctness,
    /// Probably a mistake: a warning.
    Suspicious,
    /// About the difference of two revisions: a warning.
    Change,
    /// Cleanup: off by default.
    Hygiene,
    /// Not proven yet: off by default.
    Preview,
    /// A policy of the repository: an error, unless the policy sets another level.
    Policy,
}

impl Group {
    pub(crate) const ALL: [Group; 6] =
        [Group::Correctness, Group::Suspicious, Group::Change, Group::Hygiene, Group::Preview, Group::Policy];

    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::Correctness => "correctness",
            Group::Suspicious => "suspicious",
            Group::Change => "change",
            Group::Hygiene => "hygiene",
            Group::Preview => "preview",
            Group::Policy => "policy",
        }
    }

    /// The level of its rules; `None` for off.
    pub(crate) fn level(self) -> Option<Level> {
        match self {
            Group::Correctness | Group::Policy => Some(Level::Error),
            Group::Suspicious | Group::Change => Some(Level::Warning),
            Group::Hygiene | Group::Preview => None,
        }
    }
}

/// A rule: its name, summary and documentation. Its check is registered in `rules`; policies have rules of their own.
pub(crate) struct Rule {
    /// The id in kebab case: names the problem, and reads after "allow".
    pub(crate) id: Cow<'static, str>,
    /// The group that decides its default level.
    pub group: Group,
    /// The level of its findings, if it differs from that of the group.
    pub level: Option<Level>,
    /// The version of stacklint that introduced it.
    pub since: &'static str,
    /// One sentence without a period that summarizes the rule.
    pub(crate) summary: Cow<'static, str>,
    /// Its page, in Markdown.
    pub(crate) page: Cow<'static, str>,
}

impl Rule {
    /// The id in kebab case.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// One sentence without a period that summarizes the rule.
    pub(crate) fn summary(&self) -> &str {
        &self.summary
    }

    /// Its page, in Markdown.
    pub(crate) fn page(&self) -> &str {
        &self.page
    }

    /// The default level of its findings; `None` for off.
    pub(crate) fn default_level(&self) -> Option<Level> {
        self.level.or(self.group.level())
    }
}

#[cfg(test)]
impl Rule {
    /// A rule that is not registered.
    pub(crate) const fn unregistered(id: &'static str) -> Rule {
        Rule {
            id: Cow::Borrowed(id),
            group: Group::Suspicious,
            level: None,
            since: "0.1.0",
            summary: Cow::Borrowed(""),
            page: Cow::Borrowed(""),
        }
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.id)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// The rule of a finding: one that is declared, or that of a policy, which lasts as long as something refers to it. Rules
/// are equal if their ids are.
#[derive(Clone)]
pub(crate) enum RuleRef {
    /// A `static` that [`rule!`] declares.
    Declared(&'static Rule),
    Policy(Arc<Rule>),
}

impl Deref for RuleRef {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        match self {
            RuleRef::Declared(rule) => rule,
            RuleRef::Policy(rule) => rule,
        }
    }
}

impl From<&'static Rule> for RuleRef {
    fn from(rule: &'static Rule) -> Self {
        RuleRef::Declared(rule)
    }
}

impl PartialEq for RuleRef {
    fn eq(&self, other: &RuleRef) -> bool {
        **self == **other
    }
}

impl Eq for RuleRef {}

impl Ord for RuleRef {
    fn cmp(&self, other: &RuleRef) -> Ordering {
        self.id().cmp(other.id())
    }
}

impl PartialOrd for RuleRef {
    fn partial_cmp(&self, other: &RuleRef) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for RuleRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl PartialEq<&Rule> for RuleRef {
    fn eq(&self, other: &&Rule) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for RuleRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

/// Declares a rule whose page is `docs/rules/<id>.md`: the name of the `static`, the id, the group, the version that
/// introduced it and the summary, as in `rule!(UNDEFINED_LOCAL, "undefined-local", Correctness, "0.1.0", "summary")`; a
/// level other than that of the group is an optional last argument (`Some(Level::Note)`).
macro_rules! rule {
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal) => {
        $crate::diagnostic::rule!($name, $id, $group, $since, $summary, None);
    };
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal, $level:expr) => {
        #[doc = concat!("`", $id, "`: ", $summary, ".")]
        pub(crate) static $name: $crate::diagnostic::Rule = $crate::diagnostic::Rule {
            id: std::borrow::Cow::Borrowed($id),
            group: $crate::diagnostic::Group::$group,
            level: $level,
            since: $since,
            summary: std::borrow::Cow::Borrowed($summary),
            page: std::borrow::Cow::Borrowed(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/docs/rules/",
                $id,
                ".md"
            ))),
        };
    };
}
pub(crate) use rule;
