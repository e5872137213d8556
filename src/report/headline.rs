//! A report in one line.

use super::text::style::count;
use super::{Comparison, Novelty, Report, proof};
use crate::code::{CodeChange, Runners, is_backend_file};
use crate::diagnostic::Level;
use crate::diff::group::{self, Group};
use crate::diff::{ComponentChange, Status};
use crate::resolution::{Address, RemovalEffect};
use crate::review::coverage::Lacking;
use crate::review::{Coverage, Expectation, Proof, Verdict};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// The most protected stacks that are named.
const MAX_STACKS: usize = 3;

/// What evaluated code says that differs in nothing that can be evaluated.
const MAKES_THE_SAME: &str = "but no argument of a resource or of a provider, no setting and no output differs";

/// The findings in numbers.
struct Counts {
    /// `2 errors`, `1 warning`: what counts, by level, the most severe first.
    levels: Vec<String>,
    /// `3 known`, `1 fixed`, `2 suppressed`.
    others: Vec<String>,
}

impl Counts {
    fn of(report: &Report<'_>) -> Counts {
        let level = |level: Level| Some(report.count(level)).filter(|n| *n > 0).map(|n| count(n, level.name()));
        let novelty = |which| report.findings.iter().filter(|f| f.novelty == Some(which)).count();
        let others = [
            (novelty(Novelty::Known), "known"),
            (novelty(Novelty::Fixed), "fixed"),
            (novelty(Novelty::Removed), "removed together with their subject"),
            (report.suppressed.len(), "suppressed"),
        ];
        let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
        Counts { levels: Level::ALL.into_iter().filter_map(level).collect(), others }
    }
}

/// `no new findings in this part`.
fn none(report: &Report<'_>) -> String {
    let new = if report.comparison.is_some() { "new " } else { "" };
    let part = if report.coverage.narrowed.is_some() { " in this part" } else { "" };
    format!("no {new}findings{part}")
}

/// Summarizes the findings: `2 errors, 1 warning; 3 known, 1 fixed, 2 suppressed.`
pub(super) fn findings(report: &Report<'_>) -> String {
    let Counts { levels, others } = Counts::of(report);
    let total = if levels.is_empty() { none(report).replacen('n', "N", 1) } else { levels.join(", ") };
    if others.is_empty() { format!("{total}.") } else { format!("{total}; {}.", others.join(", ")) }
}

/// Summarizes a comparison: `1 danger · 3 changes reach 31 components in 6 stacks · 8 known`. `changes` are its changes, see
/// [`changes`].
pub(super) fn verdict(report: &Report<'_>, changes: &str) -> String {
    let Counts { levels, others } = Counts::of(report);
    let proved = report.comparison.as_ref().and_then(|comparison| Some((comparison, comparison.proof?)));
    if let Some((comparison, proof)) = proved {
        let rest = verdict(&Report { comparison: Some(Comparison { proof: None, ..*comparison }), ..*report }, changes);
        let is_said = proof.verdict() == Verdict::Proved && proof.expectation == Expectation::Nothing;
        let rest = if is_said && levels.is_empty() { String::new() } else { format!(" · {rest}") };
        return format!("{}{rest}", proof::sentence(comparison, proof));
    }
    let short = changes.trim_end_matches('.').to_owned();
    let mut parts = match (levels.is_empty(), others.is_empty()) {
        (false, _) if report.count(Level::Note) > 0 && levels.len() == 1 => vec![short, levels.join(", ")],
        (false, _) => vec![levels.join(", "), short],
        (true, false) => vec![short, none(report)],
        (true, true) => return changes.to_owned(),
    };
    parts.extend((!others.is_empty()).then(|| others.join(", ")));
    parts.join(" · ")
}

/// The sign of a comparison, and the level whose color it has.
pub(super) fn mark(report: &Report<'_>) -> (char, Option<Level>) {
    match report.comparison.as_ref().and_then(|comparison| comparison.proof).map(Proof::verdict) {
        Some(Verdict::Proved) => return ('✓', None),
        Some(Verdict::Refuted) => return ('✗', Some(Level::Error)),
        Some(Verdict::NotProvable) => return ('!', Some(Level::Warning)),
        None => {}
    }
    let worst = report.findings.iter().filter(|f| f.counts()).map(|f| f.level).max();
    let is_broken = report.coverage.lacking().iter().any(|(which, _)| *which == Lacking::Head);
    let differs = report.comparison.as_ref().is_some_and(|c| !c.diff.components.is_empty() || !c.code.is_empty());
    let is_unresolved = report.comparison.as_ref().is_some_and(|c| !c.diff.unresolved.is_empty());
    let is_whole = report.coverage.is_whole() && !is_unresolved;
    match worst {
        _ if is_broken => ('✗', Some(Level::Error)),
        Some(level @ (Level::Danger | Level::Error)) => ('✗', Some(level)),
        Some(Level::Warning) => ('!', Some(Level::Warning)),
        _ if !is_whole => ('!', Some(Level::Warning)),
        _ if differs => ('~', None),
        _ if has_unseen(report.coverage) => ('!', Some(Level::Warning)),
        _ => ('✓', None),
    }
}

/// Summarizes the changes of all projects, behind what is proved of them.
pub(super) fn whole(comparison: &Comparison<'_>, report: &Report<'_>) -> String {
    let changes = changes_of_all(comparison, report);
    match comparison.proof {
        Some(proof) => format!("{} · {changes}", proof::sentence(comparison, proof)),
        None => changes,
    }
}

/// Summarizes the changes of all projects, see [`changes`].
pub(super) fn changes_of_all(comparison: &Comparison<'_>, report: &Report<'_>) -> String {
    let parts = if comparison.parts.is_empty() { std::slice::from_ref(comparison.diff) } else { comparison.parts };
    let groups: Vec<Group> = parts.iter().flat_map(|part| group::group(part, report.files)).collect();
    changes(comparison, &groups, report.coverage)
}

/// Summarizes the changes: `3 changes reach 42 components in 7 stacks (1 added, 2 removed)`, or that nothing changes.
/// Changed code is not part of the first number.
pub(super) fn changes(comparison: &Comparison<'_>, groups: &[Group], coverage: &Coverage) -> String {
    let diff = comparison.diff;
    let code = code(comparison.code);
    if diff.components.is_empty() {
        let all = diff.unresolved.is_empty() && coverage.is_whole();
        let part = if coverage.narrowed.is_some() { " in this part" } else { "" };
        return match code {
            None if !coverage.projects.is_empty() && coverage.is_empty() => "Nothing was compared.".to_owned(),
            Some(code) if all && !coverage.unread.is_empty() => {
                format!("Nothing that was examined changes; {code}; {}", unread(coverage))
            }
            Some(code) if all => format!("No change of configuration{part}; {code}"),
            Some(code) => format!("No change in the configuration that could be resolved; {code}"),
            None if coverage.is_resolved() && !coverage.is_whole() => "No change in what was analyzed.".to_owned(),
            None if all && !(coverage.run_settings.is_empty() && coverage.run_files.is_empty()) => {
                let settings = (!coverage.run_settings.is_empty()).then(|| run_settings(coverage));
                let files = (!coverage.run_files.is_empty()).then(|| run_files(coverage));
                let steering: Vec<String> = settings.into_iter().chain(files).collect();
                format!("No change of configuration{part}; {}.", steering.join("; "))
            }
            None if all && !coverage.unread.is_empty() => {
                format!("Nothing that was examined changes; {}.", unread(coverage))
            }
            None if all => format!("No effective change{part}."),
            None => "No change in what could be resolved.".to_owned(),
        };
    }
    let old_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.from).collect();
    let there = || diff.components.iter().enumerate().filter(|(i, _)| !old_names.contains(i)).map(|(_, c)| c);
    let (made, configured): (Vec<_>, Vec<_>) = there().partition(|change| change.is_made());
    let made = made_of(&made).map(|made| format!("; {made}")).unwrap_or_default();
    let code = code.map(|code| format!("; {code}")).unwrap_or_default();
    if configured.is_empty() {
        return format!("No change of configuration{made}{code}");
    }
    let of_configuration = groups.iter().filter(|group| !group.is_made);
    let changes: usize = of_configuration.map(|g| g.changes.len().max(g.renames.len()).max(1)).sum();
    let stacks: BTreeSet<_> = configured.iter().map(|c| (&c.project, &c.stack)).collect();
    let with = |status| configured.iter().filter(|c| c.status == status).count();
    let renamed = diff.renames.iter().filter(|rename| !diff.components[rename.to].is_made()).count();
    let numbers = [(with(Status::Added) - renamed, "added"), (with(Status::Removed), "removed"), (renamed, "renamed")];
    let numbers: Vec<String> = numbers.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let whole = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    let counted = counted(&configured).map(|counted| format!("; {counted}")).unwrap_or_default();
    format!(
        "{} {} {} in {}{whole}{counted}{made}{code}",
        count(changes, "change"),
        if changes == 1 { "reaches" } else { "reach" },
        count(configured.len(), "component"),
        count(stacks.len(), "stack"),
    )
}

/// The kinds of what code makes, and what users call them, in the order of their weight.
pub(super) const MADE: [(&str, &str); 15] = [
    ("resource", "resource"),
    ("backend", "backend"),
    ("cloud", "cloud block"),
    ("encryption", "state encryption"),
    ("provider_configuration", "provider configuration"),
    ("provider", "repeated provider"),
    ("module", "module call"),
    ("settings", "terraform block"),
    ("removed", "removed block"),
    ("import", "import block"),
    ("moved", "moved block"),
    ("lifecycle", "lifecycle"),
    ("data", "data source"),
    ("ephemeral", "ephemeral resource"),
    ("output", "output"),
];

/// `6 resources and 2 module calls of 2 components change, 2 resources are removed`; `None` without any. Of what code makes, only the
/// two weightiest kinds are counted.
fn made_of(made: &[&ComponentChange]) -> Option<String> {
    let owners: BTreeSet<_> = made.iter().filter_map(|c| Some((&c.project, c.made_by()?))).collect();
    let counts = |which: &dyn Fn(&ComponentChange) -> bool| -> Vec<(usize, &str)> {
        let of = |kind: &str| made.iter().filter(|c| *c.kind == *kind && which(c)).count();
        MADE.iter().map(|(kind, word)| (of(kind), *word)).filter(|(number, _)| *number > 0).take(2).collect()
    };
    let words = |counts: &[(usize, &str)]| {
        counts.iter().map(|(number, word)| count(*number, word)).collect::<Vec<_>>().join(" and ")
    };
    let is_one = |counts: &[(usize, &str)]| counts.iter().map(|(number, _)| number).sum::<usize>() == 1;
    let changed = counts(&|c| c.status != Status::Removed && !c.is_uncertain());
    let uncertain = counts(&|c| c.is_uncertain());
    let removed = counts(&|c| c.status == Status::Removed);
    let of = count(owners.len(), "component");
    let gone = (!removed.is_empty())
        .then(|| format!("{} {} removed", words(&removed), if is_one(&removed) { "is" } else { "are" }));
    let verb = if is_one(&changed) { "changes" } else { "change" };
    let (whole, partly) = match (changed.is_empty(), gone) {
        (true, None) if uncertain.is_empty() => return None,
        (true, None) => return Some(format!("{} of {of} may change", words(&uncertain))),
        (true, Some(gone)) => (format!("{gone} from {of}"), "may change"),
        (false, None) => (format!("{} of {of} {verb}", words(&changed)), "may"),
        (false, Some(gone)) => (format!("{} of {of} {verb}, {gone}", words(&changed)), "may change"),
    };
    Some(match uncertain.is_empty() {
        true => whole,
        false => format!("{whole}, {} {partly}", words(&uncertain)),
    })
}

/// `5 resources in 3 root modules change, 1 is removed`, where the dialect counts such components; `None` without any.
fn counted(components: &[&ComponentChange]) -> Option<String> {
    let word = |c: &ComponentChange| c.after.as_ref().or(c.before.as_ref())?.language.vocabulary.counted;
    let (thing, place) = components.iter().find_map(|c| word(c))?;
    let all = || components.iter().filter(|c| word(c).is_some());
    let (removed, changed): (Vec<_>, Vec<_>) = all().partition(|c| c.status == Status::Removed);
    let places = |of: &[&&ComponentChange]| {
        let stacks: BTreeSet<_> = of.iter().map(|c| (&c.project, &c.stack)).collect();
        format!("{} in {}", count(of.len(), thing), count(stacks.len(), place))
    };
    let verb = |number: usize| if number == 1 { "is" } else { "are" };
    Some(match (changed.len(), removed.len()) {
        (0, gone) => format!("{} {} removed", places(&removed), verb(gone)),
        (1, 0) => format!("{} changes", places(&changed)),
        (_, 0) => format!("{} change", places(&changed)),
        (1, gone) => format!("{} changes, {gone} {} removed", places(&changed), verb(gone)),
        (_, gone) => format!("{} change, {gone} {} removed", places(&changed), verb(gone)),
    })
}

/// `12 components in 6 stacks run different code`, `2 root modules run different code`; of a file of variables that nothing loads
/// by itself, what declares its names.
pub(super) fn runners(change: &CodeChange) -> String {
    let all = named(&[change]);
    match (change.is_loaded, change.runners, change.components.len()) {
        (true, ..) if change.makes_the_same => format!("{} different code, {MAKES_THE_SAME}", runs(&[change])),
        (true, ..) => format!("{} different code", runs(&[change])),
        (false, ..) if change.files.iter().any(|file| is_backend_file(file)) => {
            format!(
                "nothing loads it by itself; the backend of {all} leaves out what it sets, which may be another state"
            )
        }
        (false, Runners::Stacks(name), 0) => format!("no {name} loads it by itself, or declares what it sets"),
        (false, Runners::Stacks(name), 1) => format!("no {name} loads it by itself; {all} declares what it sets"),
        (false, ..) => format!("nothing loads it by itself; {all} declare what it sets"),
    }
}

/// What runs some changed code, with a verb.
fn runs(changes: &[&CodeChange]) -> String {
    let addresses: BTreeSet<&Address> = changes.iter().flat_map(|change| &change.components).collect();
    format!("{} {}", named(changes), if addresses.len() == 1 { "runs" } else { "run" })
}

/// The numbers of what runs some changed code.
fn named(changes: &[&CodeChange]) -> String {
    let mut all: BTreeMap<Runners, BTreeSet<&Address>> = BTreeMap::new();
    for change in changes {
        all.entry(change.runners).or_default().extend(&change.components);
    }
    let parts = all.iter().map(|(kind, addresses)| match kind {
        Runners::Components => {
            let stacks: BTreeSet<&Text> = addresses.iter().map(|(stack, ..)| stack).collect();
            format!("{} in {}", count(addresses.len(), "component"), count(stacks.len(), "stack"))
        }
        Runners::Stacks(name) => count(addresses.len(), name),
    });
    parts.collect::<Vec<_>>().join(" and ")
}

/// The same for all folders together; `None` if no code differs.
fn code(changes: &[CodeChange]) -> Option<String> {
    let (loaded, unloaded): (Vec<&CodeChange>, Vec<&CodeChange>) = changes.iter().partition(|change| change.is_loaded);
    let files = unloaded.iter().map(|change| change.files.len()).sum::<usize>();
    let verb = if files == 1 { "differs" } else { "differ" };
    let backends = unloaded.iter().flat_map(|change| &change.files).filter(|file| is_backend_file(file)).count();
    let noun = match backends {
        0 => "variable file",
        backends if backends == files => "backend file",
        _ => "variable or backend file",
    };
    let parts = [
        (!loaded.is_empty()).then(|| format!("{} different code", runs(&loaded))),
        (files > 0).then(|| format!("{} {verb} that nothing loads by itself", count(files, noun))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `1 setting differs that says how components are run`.
pub(super) fn run_settings(coverage: &Coverage) -> String {
    match coverage.run_settings.len() {
        1 => "1 setting differs that says how components are run".to_owned(),
        number => format!("{number} settings differ that say how components are run"),
    }
}

/// Whether something differs of which it is not known whether that has an effect.
fn has_unseen(coverage: &Coverage) -> bool {
    !(coverage.unread.is_empty() && coverage.run_settings.is_empty() && coverage.run_files.is_empty())
}

/// `1 file differs that steers what runs`.
pub(super) fn run_files(coverage: &Coverage) -> String {
    match coverage.run_files.len() {
        1 => "1 file differs that steers what runs".to_owned(),
        number => format!("{number} files differ that steer what runs"),
    }
}

/// `2 files of code differ that no component is known to read`.
pub(super) fn unread(coverage: &Coverage) -> String {
    match coverage.unread.len() {
        1 => "1 file of code differs that no component is known to read".to_owned(),
        number => format!("{number} files of code differ that no component is known to read"),
    }
}

/// Summarizes risks: `at risk: 12 components removed, 1 protected stack is reached (prod)`; `None` if there are none.
/// Names in it are not escaped.
pub(super) fn at_risk(comparison: &Comparison<'_>) -> Option<String> {
    let diff = comparison.diff;
    let old_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.from).collect();
    let all = diff.components.iter().enumerate();
    let is_deployed = |c: &ComponentChange| c.before.as_ref().is_some_and(|c| c.removal != RemovalEffect::Nothing);
    let is_lost = |c: &ComponentChange| c.status == Status::Removed && is_deployed(c);
    let lost: Vec<_> = all.filter(|(i, c)| is_lost(c) && !old_names.contains(i)).map(|(_, c)| c).collect();
    let (mut made, configured): (Vec<_>, Vec<_>) = lost.into_iter().partition(|c| c.is_made());
    made.retain(|c| c.before.as_ref().is_some_and(|before| before.removal == RemovalEffect::Destroyed));
    let moved = diff.renames.iter().filter(|r| r.moves_state).count();
    let replaced = diff.renames.iter().filter(|r| r.is_replaced).count();
    let risks = [
        (configured.len(), format!("{} removed", count(configured.len(), "component"))),
        (made.len(), format!("{} removed", count(made.len(), "resource"))),
        (
            moved,
            format!(
                "{} by renaming",
                if moved == 1 { "1 state moves".to_owned() } else { format!("{moved} states move") }
            ),
        ),
        (replaced, format!("{} destroyed and created again", count(replaced, "component"))),
    ];
    let mut risks: Vec<String> = risks.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    if !comparison.protected.is_empty() {
        let number = comparison.protected.len();
        let mut names: Vec<String> = comparison.protected.iter().take(MAX_STACKS).map(ToString::to_string).collect();
        if number > MAX_STACKS {
            names.push(format!("{} more", number - MAX_STACKS));
        }
        let verb = if number == 1 { "is" } else { "are" };
        risks.push(format!("{} {verb} reached ({})", count(number, "protected stack"), names.join(", ")));
    }
    (!risks.is_empty()).then(|| format!("at risk: {}", risks.join(", ")))
}
