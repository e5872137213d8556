//! Rules: their ids, groups and documentation. A finding refers to the `static` that [`rule!`] declares, so an id
//! without a rule does not compile.

use super::Level;

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
    /// All groups.
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

/// A rule: its name, summary and documentation. Its check is registered in `rules`.
pub(crate) struct Rule {
    /// The id in kebab case: names the problem, and reads after "allow".
    pub id: &'static str,
    /// The group that decides its default level.
    pub group: Group,
    /// The level of its findings, if it differs from that of the group.
    pub level: Option<Level>,
    /// The version of stacklint that introduced it.
    pub since: &'static str,
    /// One sentence without a period that summarizes the rule.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
}

impl Rule {
    /// The default level of its findings; `None` for off.
    pub(crate) fn default_level(&self) -> Option<Level> {
        self.level.or(self.group.level())
    }
}

#[cfg(test)]
impl Rule {
    /// A rule that is not registered.
    pub(crate) const fn unregistered(id: &'static str) -> Rule {
        Rule { id, group: Group::Suspicious, level: None, since: "0.1.0", summary: "", page: "" }
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
            id: $id,
            group: $crate::diagnostic::Group::$group,
            level: $level,
            since: $since,
            summary: $summary,
            page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules/", $id, ".md")),
        };
    };
}
pub(crate) use rule;
