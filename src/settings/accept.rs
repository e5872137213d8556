//! Dangers that somebody accepts: on the command line, or in the settings that judge a change.

use crate::diagnostic::Finding;
use crate::rules;
use crate::source::glob::Glob;
use crate::text::{self, Text};
use std::collections::BTreeSet;

/// Accepts dangers of one rule: `RULE`, or `RULE=STACK-GLOB` for stacks that match a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Acceptance {
    /// As it was written.
    text: String,
    rule: String,
    stacks: Option<Glob>,
}

impl std::fmt::Display for Acceptance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Acceptance {
    /// Reads an acceptance.
    ///
    /// # Errors
    /// There is no such rule, or the pattern is not valid.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (rule, stacks) = text.split_once('=').map_or((text, None), |(rule, stacks)| (rule, Some(stacks)));
        if rules::find(rule).is_none() {
            let near = text::nearest(rule, rules::RULES.iter().map(|rule| rule.id()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(format!("there is no rule `{rule}`{hint}"));
        }
        let stacks =
            stacks.map(Glob::new).transpose().map_err(|e| format!("the pattern of `{text}` is not valid: {e}"))?;
        Ok(Acceptance { text: text.to_owned(), rule: rule.to_owned(), stacks })
    }

    /// Whether it is about all that a finding is about: every stack of it, not only some.
    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        let found = &finding.diagnostic;
        let stacks: BTreeSet<&Text> =
            found.stacks.iter().chain(found.subjects.iter().map(|subject| &subject.stack)).collect();
        let matches = |glob: &Glob| !stacks.is_empty() && stacks.iter().all(|stack| glob.matches(stack));
        found.rule.id() == self.rule && self.stacks.as_ref().is_none_or(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acceptances_name_rules() {
        assert!(Acceptance::parse("component-removed").is_ok() && Acceptance::parse("stack-removed=dev-*").is_ok());
        let error = Acceptance::parse("component-removd=dev").unwrap_err();
        assert_eq!(error, "there is no rule `component-removd`; did you mean `component-removed`?");
        assert!(Acceptance::parse("stack-removed=[").unwrap_err().contains("not valid"));
    }
}
