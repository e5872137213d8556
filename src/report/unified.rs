//! The changes of a file, in the format of `git diff`.

use super::text::style::{Theme, escape};
use similar::{ChangeTag, TextDiff};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Writes the difference of two texts of the file at `path`; nothing if they are equal.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, path: &str, old: &str, new: &str, color: bool) -> io::Result<()> {
    if old == new {
        return Ok(());
    }
    let theme = Theme::new(color);
    let path = escape(path);
    writeln!(out, "{}\n{}", theme.bold(&format!("--- a/{path}")), theme.bold(&format!("+++ b/{path}")))?;
    out.write_all(hunks(old, new, theme, |line| escape(line.trim_end_matches(['\n', '\r']))).as_bytes())
}

/// The difference of two texts of the file at `path`, which may be at another one afterwards, as `git apply` takes it, in which
/// nothing is escaped.
pub(crate) fn patch([path, to]: [&str; 2], old: &str, new: &str) -> String {
    let mut patch = format!("diff --git a/{path} b/{to}\n");
    if path != to {
        patch.push_str(&format!("rename from {path}\nrename to {to}\n"));
    }
    let lines = hunks(old, new, Theme::new(false), |line| line.strip_suffix('\n').unwrap_or(line).into());
    if !lines.is_empty() {
        // A name with blanks ends at a tab.
        let end = |path: &str| if path.contains(' ') { "\t" } else { "" };
        patch.push_str(&format!("--- a/{path}{}\n+++ b/{to}{}\n{lines}", end(path), end(to)));
    }
    patch
}

/// The lines that differ with those around them, each as it is shown.
fn hunks(old: &str, new: &str, theme: Theme, shown: impl Fn(&str) -> Cow<'_, str>) -> String {
    let mut text = String::new();
    let diff = TextDiff::from_lines(old, new);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        _ = writeln!(text, "{}", theme.place(&hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let line = shown(change.value());
            _ = match change.tag() {
                ChangeTag::Equal => writeln!(text, " {line}"),
                ChangeTag::Delete => writeln!(text, "{}", theme.removed(&format!("-{line}"))),
                ChangeTag::Insert => writeln!(text, "{}", theme.added(&format!("+{line}"))),
            };
            if change.missing_newline() {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}
