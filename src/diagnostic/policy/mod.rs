//! The single place that decides which findings are reported: levels, ignore comments, the baseline, and novelty.

use super::fingerprint::{Identities, Identity};
use super::ignore::{Comments, Ignore, Malformed, comments};
use super::rules::{UNKNOWN_RULE, UNUSED_IGNORE};
use super::{
    Applicability, Baseline, Diagnostic, Edit, Finding, Fix, Label, Level, Novelty, Rule, Suppressed, Suppression,
};
use crate::diagnostic::RuleRef;
use crate::files::{File, Files};
use crate::syntax::Syntax;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Returns the id of the trusted version of the file at a path; `None` if there is no such file.
pub(crate) type TrustedFile<'a> = &'a dyn Fn(&str) -> Option<FileId>;

/// How it is decided.
#[derive(Clone, Copy)]
pub(crate) struct Policy<'a> {
    pub files: &'a Files,
    /// The level of a rule in the file at a path; `None` if it is off.
    pub level: &'a dyn Fn(&Rule, &str) -> Option<Level>,
    pub rules: &'a [RuleRef],
    /// Whether a rule was checked, so that a comment that suppresses none of its findings is unused.
    pub examined: &'a dyn Fn(&Rule) -> bool,
    /// Findings below it are not reported.
    pub min_level: Level,
    /// Whether a comment must give a reason to suppress anything.
    pub require_reasons: bool,
    /// Findings that are known for long.
    pub baseline: Option<&'a Baseline>,
    /// The version of a file, by its path, whose comments apply; `None` if all comments apply. A comment that only the
    /// head has does not suppress anything yet.
    pub trusted: Option<TrustedFile<'a>>,
    /// The path that a file of the head had in the base, if it moved.
    pub moved_from: &'a dyn Fn(&str) -> Option<Text>,
}

/// The findings of one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were examined in full: unused comments are reported in them.
    pub files: BTreeSet<FileId>,
}

impl Side {
    /// Adds what was found in another part of the state.
    pub(crate) fn extend(&mut self, other: Side) {
        self.diagnostics.extend(other.diagnostics);
        self.files.extend(other.files);
    }
}

/// The reported findings, and the suppressed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The reported findings, sorted by file and place; those that the head no longer has come last.
    pub findings: Vec<Finding>,
    /// The findings of the head that a comment or the baseline suppresses.
    pub suppressed: Vec<Suppressed>,
    /// Comments that do not count yet, each with a finding that it would silence.
    pub pending: Vec<(Label, Finding)>,
}

/// A finding on its way.
struct Judged {
    finding: Finding,
    identity: Identity,
    path: Text,
    silenced: Option<String>,
    /// The comment that would silence it if it counted.
    pending: Option<Label>,
}

/// The effect of a comment on a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Silence {
    /// It is silenced, for this reason.
    Now(String),
    /// It will be when the comment counts.
    Later(Label),
}

impl Policy<'_> {
    /// Decides about the findings of one state, or of two to be compared.
    pub(crate) fn judge(&self, head: Side, base: Option<Side>) -> Verdict {
        let mut identities = Identities::new(self.files);
        let mut head = self.side(head, self.trusted, &mut identities);
        let mut fixed = Vec::new();
        if let Some(base) = base {
            let base = self.side(base, None, &mut identities);
            fixed = compare(&mut head, base, self.moved_from);
        }
        let mut verdict = Verdict::default();
        for judged in head {
            let by = match judged.silenced {
                Some(reason) => Some(Suppression::Comment(reason)),
                None if judged.finding.diagnostic.is_unsuppressible() => None,
                None => self.baseline.filter(|b| b.has(&judged.finding)).map(|_| Suppression::Baseline),
            };
            match by {
                Some(by) => verdict.suppressed.push(Suppressed { finding: judged.finding, by }),
                None => {
                    if let Some(comment) = judged.pending.filter(|_| judged.finding.counts()) {
                        verdict.pending.push((comment, judged.finding.clone()));
                    }
                    verdict.findings.push(judged.finding);
                }
            }
        }
        verdict.findings.extend(fixed.into_iter().map(|j| j.finding));
        verdict
    }

    /// Returns the enabled findings of one state, sorted, with the effect of the comments of its files.
    fn side(&self, side: Side, trusted: Option<TrustedFile<'_>>, identities: &mut Identities<'_>) -> Vec<Judged> {
        let mut ignores = Ignores::new(self.files, self.require_reasons, trusted);
        let mut found: Vec<(Diagnostic, Option<Silence>)> = Vec::new();
        for mut diagnostic in side.diagnostics {
            if self.level_of(&diagnostic).is_some() {
                diagnostic.hide_secrets(self.files);
                let silence = ignores.silence(&diagnostic);
                found.push((diagnostic, silence));
            }
        }
        let own = side.files.iter().flat_map(|file| ignores.unused(*file, self));
        found.extend(own.filter(|d| self.level_of(d).is_some()).map(|d| (d, None)));
        let mut judged: Vec<Judged> = found.into_iter().map(|(d, s)| self.judged(d, s, identities)).collect();
        judged.sort_by(|a, b| key(a).cmp(&key(b)));
        number(&mut judged);
        judged
    }

    fn rule(&self, id: &str) -> Option<&RuleRef> {
        self.rules.iter().find(|rule| rule.id() == id)
    }

    /// The level of a finding, if it is to be reported.
    fn level_of(&self, diagnostic: &Diagnostic) -> Option<Level> {
        if diagnostic.is_unsuppressible() {
            return diagnostic.rule.default_level();
        }
        let path = &self.files.get(diagnostic.primary.file).path;
        (self.level)(&diagnostic.rule, path).filter(|level| *level >= self.min_level)
    }

    fn judged(&self, diagnostic: Diagnostic, silence: Option<Silence>, identities: &mut Identities<'_>) -> Judged {
        let (silenced, pending) = match silence {
            Some(Silence::Now(reason)) => (Some(reason), None),
            Some(Silence::Later(comment)) => (None, Some(comment)),
            None => (None, None),
        };
        let level = self.level_of(&diagnostic).unwrap_or(Level::Error);
        let path = Text::clone(&self.files.get(diagnostic.primary.file).path);
        let identity = identities.of(&diagnostic);
        let finding = Finding { diagnostic, level, novelty: None, fingerprint: Text::from(""), also: Vec::new() };
        Judged { finding, identity, path, silenced, pending }
    }
}

/// The order of findings: by path, place and rule.
fn key(judged: &Judged) -> (&str, u32, u32, &str, &str) {
    let d = &judged.finding.diagnostic;
    (&judged.path, d.primary.start, d.primary.end, d.rule.id(), &d.message)
}

/// Assigns fingerprints to findings; equal ones in a file are numbered.
fn number(judged: &mut [Judged]) {
    let mut seen: HashMap<(Text, Identity), usize> = HashMap::new();
    for one in judged {
        let nth = seen.entry((Text::clone(&one.path), one.identity.clone())).or_default();
        one.finding.fingerprint = one.identity.fingerprint(&one.path, *nth);
        *nth += 1;
    }
}

/// Marks what the head has as new or known, and returns what only the base has. Findings pair off one by one, those of the
/// same file, or of the file that it was.
fn compare(head: &mut [Judged], base: Vec<Judged>, moved_from: &dyn Fn(&str) -> Option<Text>) -> Vec<Judged> {
    let mut waiting: Vec<Option<Judged>> = base.into_iter().filter(|j| j.silenced.is_none()).map(Some).collect();
    let mut by_file: BTreeMap<(Text, Identity), Vec<usize>> = BTreeMap::new();
    for (i, judged) in waiting.iter().flatten().enumerate() {
        by_file.entry((Text::clone(&judged.path), judged.identity.clone())).or_default().push(i);
    }
    by_file.values_mut().for_each(|list| list.reverse());
    // Suppressed findings are paired last, so that they do not use up the pair of a reported one.
    for silenced in [false, true] {
        for one in head.iter_mut().filter(|j| j.silenced.is_some() == silenced) {
            let mut known = |path: Text| by_file.get_mut(&(path, one.identity.clone())).and_then(Vec::pop);
            let pair = known(Text::clone(&one.path)).or_else(|| moved_from(&one.path).and_then(&mut known));
            let before = pair.and_then(|i| waiting[i].take());
            let is_known = before.is_some_and(|before| !breaks_more(&before.finding, &one.finding));
            one.finding.novelty = Some(if is_known { Novelty::Known } else { Novelty::New });
        }
    }
    let fixed = waiting.into_iter().flatten().map(|mut judged| {
        judged.finding.novelty = Some(Novelty::Fixed);
        judged
    });
    fixed.collect()
}

/// Whether an error reaches all stacks that it reached, and others: those did without it. A stack may also have got another name.
fn breaks_more(before: &Finding, after: &Finding) -> bool {
    let [before, stacks] = [before, after].map(|finding| finding.diagnostic.stacks.iter().collect::<BTreeSet<_>>());
    after.level == Level::Error && !before.is_empty() && stacks.len() > before.len() && before.is_subset(&stacks)
}

/// A file with its comments.
struct OfFile {
    file: Arc<File>,
    comments: Comments,
    /// The comments of each line that they silence, by number; of no line those that silence the file.
    by_line: HashMap<Option<u32>, Vec<usize>>,
    /// Which comments do not count yet.
    new: BTreeSet<usize>,
    /// Which names of comments silenced something.
    used: BTreeSet<(usize, usize)>,
}

/// The comments of files, and which of their names silenced something.
struct Ignores<'a> {
    files: &'a Files,
    require_reasons: bool,
    trusted: Option<TrustedFile<'a>>,
    comments: HashMap<FileId, OfFile>,
}

impl<'a> Ignores<'a> {
    fn new(files: &'a Files, require_reasons: bool, trusted: Option<TrustedFile<'a>>) -> Self {
        Ignores { files, require_reasons, trusted, comments: HashMap::new() }
    }

    fn of(&mut self, id: FileId) -> &mut OfFile {
        let (files, require_reasons, trusted) = (self.files, self.require_reasons, self.trusted);
        self.comments.entry(id).or_insert_with(|| {
            let file = files.get(id);
            let mut comments = comments(&file);
            if require_reasons {
                let mute = comments.ignores.extract_if(.., |i| i.reason.is_empty());
                let why = "this project requires a reason after the `]`";
                comments.malformed.extend(mute.map(|i| Malformed { why, start: i.start, end: i.end }));
            }
            let before = trusted.map(|of| of(&file.path));
            let new = match before {
                None => BTreeSet::new(),
                Some(known) if known == Some(id) => BTreeSet::new(),
                Some(known) => new_comments(&file, &comments.ignores, known.map(|known| files.get(known))),
            };
            let mut by_line: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
            for (i, ignore) in comments.ignores.iter().enumerate() {
                by_line.entry(ignore.line).or_default().push(i);
            }
            OfFile { file, comments, by_line, new, used: BTreeSet::new() }
        })
    }

    /// The reason of the comment that silences a finding, if one does; else the comment that will.
    fn silence(&mut self, diagnostic: &Diagnostic) -> Option<Silence> {
        if diagnostic.is_unsuppressible() {
            return None;
        }
        let OfFile { file, comments, by_line, new, used } = self.of(diagnostic.primary.file);
        let line = file.line(diagnostic.primary.start);
        let (mut now, mut later) = (None, None);
        let covering = [None, Some(line)].into_iter().filter_map(|line| by_line.get(&line));
        let mut covering: Vec<usize> = covering.flatten().copied().collect();
        covering.sort_unstable();
        for i in covering {
            let ignore = &comments.ignores[i];
            for (j, _) in ignore.rules.iter().enumerate().filter(|(_, r)| r.0 == diagnostic.rule.id()) {
                used.insert((i, j));
                if new.contains(&i) {
                    let comment = Label::new(diagnostic.primary.file, ignore.start, ignore.end, "");
                    later.get_or_insert(Silence::Later(comment));
                } else {
                    now.get_or_insert_with(|| Silence::Now(ignore.reason.clone()));
                }
            }
        }
        now.or(later)
    }

    /// Returns findings about the comments of a file themselves.
    fn unused(&mut self, id: FileId, policy: &Policy<'_>) -> Vec<Diagnostic> {
        let OfFile { file, comments, used, .. } = self.of(id);
        let mut found = Vec::new();
        for comment in &comments.malformed {
            let label = Label::new(id, comment.start, comment.end, "");
            let message = format!("this comment suppresses nothing: {}", comment.why);
            found.push(Diagnostic::new(&UNUSED_IGNORE, message, label));
        }
        for (i, ignore) in comments.ignores.iter().enumerate() {
            let is_unused = |j: usize| {
                let Some(rule) = policy.rule(&ignore.rules[j].0) else { return false };
                let on = (policy.level)(rule, &file.path).is_some_and(|level| level >= policy.min_level);
                !used.contains(&(i, j)) && on && (policy.examined)(rule)
            };
            let unused: Vec<usize> = (0..ignore.rules.len()).filter(|j| is_unused(*j)).collect();
            for j in &unused {
                let (name, start, end) = &ignore.rules[*j];
                let place = if ignore.line.is_some() { "on this line" } else { "in this file" };
                let message = format!("there is no finding of `{name}` {place} to suppress");
                let edit = removal(file, id, ignore, *j, unused.len() == ignore.rules.len());
                found.push(
                    Diagnostic::new(&UNUSED_IGNORE, message, Label::new(id, *start, *end, ""))
                        .help("remove it")
                        .fix(Fix::one("remove it", edit, Applicability::Safe)),
                );
            }
            for (name, start, end) in ignore.rules.iter().filter(|r| policy.rule(&r.0).is_none()) {
                let near = crate::text::nearest(name, policy.rules.iter().map(|rule| rule.id()));
                found.push(unknown_rule(name, near, Label::new(id, *start, *end, "")));
            }
        }
        found
    }
}

/// Returns the indexes of comments that a file did not have before: names, reason and position must be the same.
fn new_comments(file: &File, ignores: &[Ignore], before: Option<Arc<File>>) -> BTreeSet<usize> {
    // The value after a key may change below a comment.
    let keys = |file: &File, ignores: &[Ignore]| -> Vec<_> {
        let syntax = (!ignores.is_empty()).then(|| Syntax::of(file));
        let subject = |line: u32| Some(syntax.as_ref()?.subject(file.line_span(line).start, file.line_text(line)));
        let key = |ignore: &Ignore| {
            let names: Vec<String> = ignore.rules.iter().map(|(name, _, _)| name.clone()).collect();
            (names, ignore.reason.clone(), ignore.line.and_then(subject))
        };
        ignores.iter().map(key).collect()
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for ignore in before.iter().flat_map(|file| keys(file, &comments(file).ignores)) {
        *known.entry(ignore).or_default() += 1;
    }
    let mut new = BTreeSet::new();
    for (i, key) in keys(file, ignores).iter().enumerate() {
        match known.get_mut(key).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => {
                new.insert(i);
            }
        }
    }
    new
}

/// A rule is named that does not exist.
pub(crate) fn unknown_rule(name: &str, near: Option<&str>, label: Label) -> Diagnostic {
    let (file, start, end) = (label.file, label.start, label.end);
    let finding = Diagnostic::new(&UNKNOWN_RULE, format!("there is no rule `{name}`"), label);
    match near {
        Some(near) => finding.help(format!("did you mean `{near}`?")).fix(Fix::one(
            format!("rename to `{near}`"),
            Edit { file, start, end, text: near.to_owned() },
            Applicability::Unsafe,
        )),
        None => finding.help("`stacklint rules` lists all rules"),
    }
}

/// Removes a name from a comment, or the whole comment if it has no other name.
fn removal(file: &File, id: FileId, ignore: &Ignore, name: usize, all: bool) -> Edit {
    let text = &file.text;
    let edit = |start: u32, end: u32| Edit { file: id, start, end, text: String::new() };
    if all {
        let (line, last) = (file.line_span(file.line(ignore.start)), file.line_span(file.line(ignore.end)));
        let before = &text[line.start as usize..ignore.start as usize];
        let after = &text[ignore.end as usize..last.end as usize];
        if !before.trim().is_empty() {
            return edit(line.start + before.trim_end().len() as u32, ignore.end);
        }
        if !after.trim().is_empty() {
            return edit(ignore.start, ignore.end + (after.len() - after.trim_start().len()) as u32);
        }
        let end = text[last.end as usize..].find('\n').map_or(text.len(), |i| last.end as usize + i + 1);
        return edit(line.start, end as u32);
    }
    let (_, start, end) = ignore.rules[name];
    match ignore.rules.get(name + 1) {
        Some((_, next, _)) => edit(start, *next),
        None => edit(name.checked_sub(1).map_or(start, |i| ignore.rules[i].2), end),
    }
}

#[cfg(test)]
mod tests;
