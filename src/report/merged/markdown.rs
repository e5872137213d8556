//! The merge as Markdown, for a comment on a pull request or the summary of a job.

use super::{Group, MergeReport, Shown, groups};
use crate::diff::Side;
use crate::diff::merged::{BrokenStack, VERSIONS};
use crate::report::markdown::{code, findings, sentence};
use crate::report::text::style::{self, count};
use crate::report::text::{addresses, changes, value};
use crate::report::{RenderOptions, Report, coverage};
use std::io;

/// The most items of one list. A comment has room for no more.
const MAX_ITEMS: usize = 60;
/// Longer values are cut, in columns.
const VALUE: usize = 80;
/// The most edited lines of one side that are named.
const MAX_LINES: usize = 4;

/// Writes a merge.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, merge: &MergeReport<'_>, options: &RenderOptions) -> io::Result<()> {
    let mark = merge.mark().0;
    writeln!(out, "<!-- stacklint merge -->\n### {mark} stacklint: {}\n", sentence(&merge.verdict()))?;
    match &merge.shown {
        Shown::Conflicts(conflicts) => {
            list(out, conflicts.iter().map(|path| format!("conflict in {}", code(path))).collect())?;
            writeln!(out, "Nothing else was compared.\n")?;
        }
        Shown::Merged { projects, report } => {
            let lead = coverage::lead(report).into_iter().chain(projects.iter().flat_map(|p| p.unresolved.clone()));
            lead.take(MAX_ITEMS).try_for_each(|line| writeln!(out, "> {}\n", sentence(&line)))?;
            list(out, projects.iter().flat_map(|project| &project.broken).map(stack).collect())?;
            list(out, groups(projects).iter().map(|group| item(merge, report, group, options)).collect())?;
            let found = findings(report, options)?;
            if !found.is_empty() {
                writeln!(out, "#### Findings of the merge alone\n\n{}\n", found.join("\n"))?;
            }
            writeln!(
                out,
                "---\n<sub>{} · stacklint {}</sub>",
                sentence(&coverage::summary(report)),
                env!("CARGO_PKG_VERSION")
            )?;
        }
    }
    Ok(())
}

/// Writes a list, if it has items.
fn list(out: &mut dyn io::Write, items: Vec<String>) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    items.iter().take(MAX_ITEMS).try_for_each(|item| writeln!(out, "- {item}"))?;
    if items.len() > MAX_ITEMS {
        writeln!(out, "- … {} more", items.len() - MAX_ITEMS)?;
    }
    writeln!(out)
}

fn stack(broken: &BrokenStack) -> String {
    let files: Vec<String> = broken.files.iter().map(|path| code(path)).collect();
    let reason = broken
        .reason
        .as_ref()
        .map(|(message, file, line)| format!("<br>{} {}", code(&format!("{file}:{line}")), sentence(message)));
    let (name, versions) = (code(&broken.stack), broken.versions.join(", "));
    format!("stack {name} does not resolve in {versions}: {}{}", files.join(", "), reason.unwrap_or_default())
}

/// A value with its versions, and the lines of both sides.
fn item(merge: &MergeReport<'_>, report: &Report<'_>, group: &Group<'_>, options: &RenderOptions) -> String {
    let listed = group.listed;
    let what = match group.whole {
        Some(values) => format!("all {}", count(values, "value")),
        None => code(&changes::path(&listed.value.path)),
    };
    let place = match &group.addresses[..] {
        [(stack, _, name)] => format!("{} of {}", code(name), code(stack)),
        several => addresses::totals(several),
    };
    let mut text = format!("{what} in {place}: {}", merge.meaning(listed.value.effect, &code));
    if group.whole.is_none() {
        let shown = |(name, value): (&&str, &Option<crate::value::Value>)| {
            let text = value.as_ref().map(|value| value::inline(value, listed.is_secret, options));
            format!("{name} {}", text.map_or_else(|| "–".to_owned(), |text| code(&style::cut(&text, VALUE))))
        };
        let versions: Vec<String> = VERSIONS.iter().zip(&listed.value.versions).map(shown).collect();
        text.push_str(&format!("<br>{}", versions.join(", ")));
    }
    for (name, lines) in ["ours", "theirs"].iter().zip(&listed.lines).filter(|(_, lines)| !lines.is_empty()) {
        let places = lines.iter().take(MAX_LINES).map(|cause| {
            let note = if cause.side == Side::Base { " (removed)" } else { "" };
            format!("{}{note}", code(&format!("{}:{}", report.files.get(cause.file).path, cause.line)))
        });
        text.push_str(&format!("<br>{name}: {}", places.collect::<Vec<_>>().join(", ")));
    }
    text
}
