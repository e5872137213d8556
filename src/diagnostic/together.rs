//! One cause, one finding: findings of one rule at one place that differ only in what they are about become one.
//!
//! Findings are united after they were judged, so that levels, comments, baselines and what is new are decided of each.

use super::{Diagnostic, Finding, Label, Level, Novelty};
use crate::diagnostic::RuleRef;
use crate::files::Files;
use crate::text::{Text, count};
use crate::value::FileId;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How findings of one rule at one place read as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingGroup {
    /// Components to which the same happens.
    Components {
        /// The text for one component, after its name.
        one: String,
        /// The text for several components, after their number.
        several: String,
        /// What they are called, and what their stacks are called.
        nouns: (&'static str, &'static str),
    },
    /// Names that are listed.
    Names {
        /// The message up to the names, with `#` for how many there are.
        start: String,
        /// The noun that `#` counts, in the singular.
        noun: Cow<'static, str>,
        /// The name of this finding.
        name: String,
    },
    /// Messages that differ only in the names of their subjects.
    Alike {
        /// The message without the names.
        general: String,
    },
}

/// A component that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    /// Its stack; empty if the finding names none.
    pub stack: Text,
    /// Its name; empty if the finding names none.
    pub component: Text,
    /// Details of the component; may be empty.
    pub details: String,
}

impl Subject {
    /// `vpc in dev: cidr is missing`, without what is empty.
    pub(crate) fn text(&self) -> String {
        let name = match (self.component.is_empty(), self.stack.is_empty()) {
            (false, false) => format!("{} in {}", self.component, self.stack),
            (false, true) => self.component.to_string(),
            (true, _) => self.stack.to_string(),
        };
        match (name.is_empty(), self.details.is_empty()) {
            (_, true) => name,
            (true, false) => self.details.clone(),
            (false, false) => format!("{name}: {}", self.details),
        }
    }
}

/// What combined findings have in common.
type Key = (RuleRef, (FileId, u32, u32), Level, Option<Novelty>, String);

/// Combines findings; each result takes the position of its first finding.
pub(crate) fn unite(findings: Vec<Finding>) -> Vec<Finding> {
    let mut sets: Vec<Vec<Finding>> = Vec::with_capacity(findings.len());
    let mut index: HashMap<Key, usize> = HashMap::new();
    for finding in findings {
        let Some(key) = key(&finding) else {
            sets.push(vec![finding]);
            continue;
        };
        let at = *index.entry(key).or_insert(sets.len());
        match sets.get_mut(at) {
            Some(set) => set.push(finding),
            None => sets.push(vec![finding]),
        }
    }
    sets.into_iter().filter_map(one).collect()
}

/// Turns findings into notes of those that they follow from, at the same line and of the same stacks, as severe and as new.
pub(crate) fn attach(findings: Vec<Finding>, files: &Files) -> Vec<Finding> {
    let place = |f: &Finding| {
        let label = &f.diagnostic.primary;
        (label.file, files.get(label.file).line(label.start))
    };
    let followed: BTreeSet<&str> = findings.iter().filter_map(|f| f.diagnostic.follows).map(|rule| rule.id()).collect();
    let mut causes: HashMap<(&str, (FileId, u32)), Vec<usize>> = HashMap::new();
    for (i, finding) in findings.iter().enumerate().filter(|(_, f)| f.diagnostic.follows.is_none()) {
        if let Some(rule) = followed.get(finding.diagnostic.rule.id()) {
            causes.entry((rule, place(finding))).or_default().push(i);
        }
    }
    let cause = |one: &Finding| {
        let explains = |i: &&usize| {
            let cause = &findings[**i];
            // A finding about the text of a file names no stacks.
            let reached = &cause.diagnostic.stacks;
            let reaches = reached.is_empty() || one.diagnostic.stacks.iter().all(|stack| reached.contains(stack));
            cause.level >= one.level && cause.novelty == one.novelty && reaches
        };
        let rule = one.diagnostic.follows?;
        causes.get(&(rule.id(), place(one)))?.iter().find(explains).copied()
    };
    let causes: Vec<Option<usize>> = findings.iter().map(cause).collect();
    let (mut kept, mut notes) = (Vec::new(), BTreeMap::<usize, Vec<Finding>>::new());
    for ((i, finding), cause) in findings.into_iter().enumerate().zip(causes) {
        match cause {
            Some(cause) => notes.entry(cause).or_default().push(finding),
            None => kept.push((i, finding)),
        }
    }
    for (i, finding) in &mut kept {
        for Finding { diagnostic, fingerprint, also, .. } in notes.remove(i).into_iter().flatten() {
            finding.also.push(fingerprint);
            finding.also.extend(also);
            let known = &mut finding.diagnostic.notes;
            for note in std::iter::once(diagnostic.message).chain(diagnostic.notes) {
                if !known.contains(&note) {
                    known.push(note);
                }
            }
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}

fn key(finding: &Finding) -> Option<Key> {
    let d = &finding.diagnostic;
    let shape = match d.together.as_ref()? {
        FindingGroup::Components { several, nouns: (noun, _), .. } => format!("{noun} {several}"),
        FindingGroup::Names { start, .. } => start.clone(),
        FindingGroup::Alike { general } => general.clone(),
    };
    // Findings with different fixes stay separate.
    if d.fix.is_some() || d.is_chain || d.at_head.is_some() && d.subjects.is_empty() {
        return None;
    }
    let place = (d.primary.file, d.primary.start, d.primary.end);
    Some((d.rule.clone(), place, finding.level, finding.novelty, shape))
}

/// One finding of several.
fn one(set: Vec<Finding>) -> Option<Finding> {
    let mut rest = set.into_iter();
    let mut first = rest.next()?;
    let mut names = name(&first.diagnostic);
    let mut seen: BTreeSet<(FileId, u32, u32)> = first.diagnostic.related.iter().map(place).collect();
    let mut is_united = false;
    for finding in rest {
        is_united = true;
        names.extend(name(&finding.diagnostic));
        first.also.push(finding.fingerprint);
        let Diagnostic { subjects, stacks, notes, related, is_breaking, help, .. } = finding.diagnostic;
        let d = &mut first.diagnostic;
        d.subjects.extend(subjects);
        d.stacks.extend(stacks);
        d.notes.retain(|note| notes.contains(note));
        d.related.extend(related.into_iter().filter(|label| seen.insert(place(label))));
        d.is_breaking |= is_breaking;
        keep_equal(&mut d.help, help);
    }
    let d = &mut first.diagnostic;
    d.stacks.sort();
    d.stacks.dedup();
    d.subjects.sort();
    d.subjects.dedup();
    if is_united {
        d.address = None;
    }
    word(d, &names);
    Some(first)
}

fn keep_equal(help: &mut Option<String>, other: Option<String>) {
    if *help != other {
        *help = None;
    }
}

fn place(label: &Label) -> (FileId, u32, u32) {
    (label.file, label.start, label.end)
}

fn name(d: &Diagnostic) -> Vec<String> {
    match &d.together {
        Some(FindingGroup::Names { name, .. }) => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// Words the message for all that the finding is about.
fn word(d: &mut Diagnostic, names: &[String]) {
    match &d.together {
        Some(FindingGroup::Components { one, several, nouns: (noun, place) }) => {
            let distinct: BTreeSet<(&str, &str)> = d.subjects.iter().map(|s| (&*s.stack, &*s.component)).collect();
            if let [(stack, component)] = distinct.iter().copied().collect::<Vec<_>>()[..] {
                if d.subjects.len() > 1 {
                    let details: Vec<&str> = d.subjects.iter().map(|s| s.details.as_str()).collect();
                    d.message = format!("`{component}` in `{stack}` {one}: {}", details.join(", "));
                    d.address = Some(format!("{stack}/{component}"));
                }
                return;
            }
            if distinct.len() < 2 {
                return;
            }
            let first = &d.subjects[0].details;
            let is_same = d.subjects.iter().all(|s| s.details == *first);
            let details = if is_same && !first.is_empty() { format!(": {first}") } else { String::new() };
            let reach = format!("{} in {}", count(distinct.len(), noun), count(d.stacks.len(), place));
            d.message = format!("{reach} {several}{details}");
        }
        Some(FindingGroup::Names { start, noun, .. }) if names.len() > 1 => {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            d.message = format!("{}: {}", start.replace('#', &count(names.len(), noun)), quoted.join(", "));
        }
        Some(FindingGroup::Alike { .. }) if d.subjects.len() > 1 => {
            let more = count(d.subjects.len() - 1, "more component");
            d.message = format!("{}; the same for {more}", d.message);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Rule;

    static X: Rule = Rule::unregistered("x");

    fn finding(stack: &str, component: &str, details: &str, start: u32, novelty: Option<Novelty>) -> Finding {
        let mut d = Diagnostic::new(
            &X,
            format!("`{component}` in `{stack}` moves: {details}"),
            Label::new(FileId::new(0), start, start + 1, ""),
        )
        .token(details)
        .address(format!("{stack}/{component}"))
        .help("look");
        d.subjects = vec![Subject { stack: stack.into(), component: component.into(), details: details.to_owned() }];
        let nouns = ("component", "stack");
        d.together = Some(FindingGroup::Components { one: "moves".to_owned(), several: "move".to_owned(), nouns });
        d.stacks = vec![stack.into()];
        Finding { diagnostic: d, level: Level::Warning, novelty, fingerprint: details.into(), also: Vec::new() }
    }

    #[test]
    fn one_cause_is_one_finding() {
        let all = vec![
            finding("dev", "a", "1", 5, None),
            finding("dev", "b", "2", 5, None),
            finding("prod", "a", "3", 5, None),
            finding("prod", "c", "4", 9, None),
        ];
        let united = unite(all);
        let messages: Vec<&str> = united.iter().map(|f| f.diagnostic.message.as_str()).collect();
        assert_eq!(messages, ["3 components in 2 stacks move", "`c` in `prod` moves: 4"]);
        assert_eq!(united[0].fingerprints().collect::<Vec<_>>(), ["1", "2", "3"]);
        assert_eq!(united[0].diagnostic.subjects[2].text(), "a in prod: 3");
        assert_eq!(united[0].diagnostic.help.as_deref(), Some("look"));
        assert_eq!(
            (united[0].diagnostic.address.as_deref(), united[1].diagnostic.address.as_deref()),
            (None, Some("prod/c"))
        );
    }

    #[test]
    fn what_follows_is_a_note() {
        static CAUSE: Rule = Rule::unregistered("cause");
        let files = Files::default();
        let file = files.add("a.yaml", "1", || "one two\nthree\n".into());
        let of = |rule: &'static Rule, start: u32, level: Level, novelty: Novelty| {
            let d = Diagnostic::new(rule, format!("{} {start}", rule.id()), Label::new(file, start, start + 3, ""));
            let d = if rule.id() == "x" { d.follows(&CAUSE) } else { d };
            let fingerprint = format!("{} {start}", rule.id()).as_str().into();
            Finding { diagnostic: d, level, novelty: Some(novelty), fingerprint, also: Vec::new() }
        };
        let shown = |found: Vec<Finding>| {
            let found = attach(found, &files).into_iter();
            found.map(|f| (f.diagnostic.message.clone(), f.diagnostic.notes.clone(), f.also.len())).collect::<Vec<_>>()
        };
        let alone = |message: &str| (message.to_owned(), Vec::new(), 0);
        let (cause, new) = (of(&CAUSE, 4, Level::Error, Novelty::New), Novelty::New);
        let one = vec![of(&X, 0, Level::Error, new), cause.clone(), of(&X, 8, Level::Error, new)];
        assert_eq!(shown(one), [("cause 4".to_owned(), vec!["x 0".to_owned()], 1), alone("x 8")]);
        for other in [of(&X, 0, Level::Error, Novelty::Known), of(&X, 8, Level::Warning, new)] {
            assert_eq!(shown(vec![other.clone(), cause.clone()]), [alone(&other.diagnostic.message), alone("cause 4")]);
        }
        let milder = of(&CAUSE, 4, Level::Note, new);
        assert_eq!(shown(vec![milder, of(&X, 0, Level::Error, new)]), [alone("cause 4"), alone("x 0")]);
        let mut far = of(&X, 0, Level::Error, new);
        far.diagnostic.stacks = vec!["dev".into()];
        let mut cause = cause;
        cause.diagnostic.stacks = vec!["prod".into()];
        assert_eq!(shown(vec![far, cause]), [alone("x 0"), alone("cause 4")]);
    }

    #[test]
    fn what_is_known_stays_apart() {
        let (new, known) = (Some(Novelty::New), Some(Novelty::Known));
        let all = vec![
            finding("dev", "a", "1", 5, new),
            finding("dev", "b", "2", 5, known),
            finding("dev", "c", "1", 5, new),
        ];
        let united = unite(all);
        assert_eq!(united.len(), 2);
        assert_eq!(united[0].diagnostic.message, "2 components in 1 stack move: 1");
    }

    #[test]
    fn several_details_of_one_component() {
        let united = unite(vec![finding("dev", "a", "1", 5, None), finding("dev", "a", "2", 5, None)]);
        assert_eq!(united[0].diagnostic.message, "`a` in `dev` moves: 1, 2");
        assert_eq!(united.len(), 1);
    }

    #[test]
    fn messages_that_differ_in_names() {
        let of = |component: &str, general: &str| {
            let message = general.replace('#', component);
            let mut d = Diagnostic::new(&X, message, Label::new(FileId::new(0), 0, 1, ""));
            d.subjects = vec![Subject { stack: "dev".into(), component: component.into(), details: String::new() }];
            d.together = Some(FindingGroup::Alike { general: general.to_owned() });
            let fingerprint = component.into();
            Finding { diagnostic: d, level: Level::Warning, novelty: None, fingerprint, also: Vec::new() }
        };
        let united = unite(vec![of("a", "# is open"), of("b", "# is open"), of("b", "# is old"), of("c", "# is open")]);
        let messages: Vec<&str> = united.iter().map(|f| f.diagnostic.message.as_str()).collect();
        assert_eq!(messages, ["a is open; the same for 2 more components", "b is old"]);
        assert_eq!(united[0].fingerprints().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn names_are_listed() {
        let of = |name: &str| {
            let mut d = Diagnostic::new(&X, format!("no value for `{name}`"), Label::new(FileId::new(0), 0, 1, ""));
            let start = "`vpc` sets no value for #".to_owned();
            d.together = Some(FindingGroup::Names { start, noun: "variable".into(), name: name.to_owned() });
            Finding { diagnostic: d, level: Level::Warning, novelty: None, fingerprint: name.into(), also: Vec::new() }
        };
        let united = unite(vec![of("a"), of("b")]);
        assert_eq!(united.len(), 1);
        assert_eq!(united[0].diagnostic.message, "`vpc` sets no value for 2 variables: `a`, `b`");
    }
}
