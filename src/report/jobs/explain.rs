//! Why each job runs, down to the edited lines, and why every other component needs no run.

use crate::affected::jobs::{Edit, Job, Jobs, Skipped, Why};
use crate::text::count;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The most edits that are named for one job, and the most components for one reason.
const MAX_EDITS: usize = 10;
const MAX_SKIPPED: usize = 20;

/// All jobs and all skipped components; with `all`, none is left out.
pub(crate) fn text(jobs: &Jobs, all: bool) -> String {
    let mut out = String::new();
    let waves = jobs.run.iter().map(|job| job.wave).collect::<BTreeSet<_>>().len();
    let (number, waves) = (count(jobs.run.len(), "job"), count(waves, "wave"));
    _ = writeln!(out, "{number} in {waves}{}", if jobs.run.is_empty() { "" } else { ":" });
    for job in &jobs.run {
        job_text(&mut out, job, &jobs.run, "  ", if all { usize::MAX } else { MAX_EDITS });
    }
    if !jobs.destroy.is_empty() {
        _ = writeln!(out, "{} removed, to be destroyed by hand:", count(jobs.destroy.len(), "component"));
        for job in &jobs.destroy {
            job_text(&mut out, job, &jobs.destroy, "  ", if all { usize::MAX } else { MAX_EDITS });
        }
    }
    let mut reasons: BTreeMap<Why, Vec<&Skipped>> = BTreeMap::new();
    jobs.skipped.iter().for_each(|one| reasons.entry(one.why).or_default().push(one));
    for (why, skipped) in reasons {
        _ = writeln!(out, "{}:", need_no_run(skipped.len(), why));
        let most = if all { usize::MAX } else { MAX_SKIPPED };
        for one in skipped.iter().take(most) {
            let compared = compared(one).map_or_else(String::new, |what| format!(": {what}"));
            _ = writeln!(out, "  {}{compared}", skipped_name(one));
        }
        if skipped.len() > most {
            _ = writeln!(out, "  … and {} more (--all names them)", skipped.len() - most);
        }
    }
    out
}

/// "19 components need no run: configuration and code unchanged".
fn need_no_run(number: usize, why: Why) -> String {
    let verb = if number == 1 { "needs" } else { "need" };
    format!("{} {verb} no run: {}", count(number, "component"), why.text())
}

/// How many jobs there are, and how many components need none, in one line; `None` if there is no job.
pub(crate) fn line(jobs: &Jobs) -> Option<String> {
    if jobs.run.is_empty() && jobs.destroy.is_empty() {
        return None;
    }
    let mut parts = vec![format!("{} to run", count(jobs.run.len(), "job"))];
    if !jobs.destroy.is_empty() {
        parts.push(format!("{} removed", count(jobs.destroy.len(), "component")));
    }
    let mut reasons: BTreeMap<Why, usize> = BTreeMap::new();
    jobs.skipped.iter().for_each(|one| *reasons.entry(one.why).or_default() += 1);
    parts.extend(reasons.into_iter().map(|(why, number)| need_no_run(number, why)));
    Some(parts.join("; "))
}

/// Why one component is a job or not, by way of the jobs that it needs; `None` if it is neither.
pub(crate) fn one(jobs: &Jobs, stack: &str, component: &str) -> Option<String> {
    let is_asked = |job: &&Job| *job.stack == *stack && *job.component == *component;
    let mut out = String::new();
    for list in [&jobs.run, &jobs.destroy] {
        let asked: BTreeSet<usize> = (0..list.len()).filter(|index| is_asked(&&list[*index])).collect();
        let (mut open, mut seen) = (asked.clone(), asked);
        // What it needs is in earlier waves, and the reason only if it has none of its own.
        while let Some(index) = open.pop_last() {
            let job = &list[index];
            job_text(&mut out, job, list, "", usize::MAX);
            if job.edits.is_empty() {
                open.extend(job.needs.iter().copied().filter(|needed| seen.insert(*needed)));
            }
        }
    }
    let skipped = jobs.skipped.iter().filter(|one| *one.stack == *stack && *one.component == *component);
    for one in skipped {
        let (name, compared) = (skipped_name(one), compared(one));
        _ = writeln!(
            out,
            "{name} needs no run: {}{}",
            one.why.text(),
            compared.map_or_else(String::new, |what| format!(" ({what})"))
        );
    }
    (!out.is_empty()).then_some(out)
}

/// A job and the edits that lead to it.
fn job_text(out: &mut String, job: &Job, all: &[Job], indent: &str, most: usize) {
    let Job { stack, component, component_type, wave, reasons, edits, .. } = job;
    _ = writeln!(out, "{indent}{stack}/{component} ({component_type}), wave {}: {}", wave + 1, reasons.join(", "));
    edits.iter().take(most).for_each(|edit| _ = writeln!(out, "{indent}  {}", edit_text(edit)));
    if edits.len() > most {
        _ = writeln!(out, "{indent}  … and {} more", edits.len() - most);
    }
    if edits.is_empty() {
        for needed in job.needs.iter().filter_map(|index| all.get(*index)) {
            _ = writeln!(out, "{indent}  needs {}/{} ({})", needed.stack, needed.component, needed.component_type);
        }
    }
}

/// `path:line`, of the older revision if it is removed.
fn edit_text(edit: &Edit) -> String {
    match edit.line {
        Some(line) => format!("{}:{line}{}", edit.path, if edit.is_removed { " (removed)" } else { "" }),
        None => edit.path.to_string(),
    }
}

fn skipped_name(one: &Skipped) -> String {
    format!("{}/{} ({})", one.stack, one.component, one.component_type)
}

/// What was compared of a component, if its reason follows from that.
fn compared(one: &Skipped) -> Option<String> {
    let files = (one.files > 0).then(|| format!("{} of configuration", count(one.files, "file")));
    let code = one.folder.iter().map(|folder| {
        let folder = if folder.is_empty() { "." } else { folder };
        format!("the code in {folder} and what it calls")
    });
    let parts: Vec<String> = files.into_iter().chain(code).collect();
    (matches!(one.why, Why::Same | Why::Equal) && !parts.is_empty()).then(|| format!("compared {}", parts.join(", ")))
}
