//! The changes of a file, in the format of `git diff`.

use super::text::style::{Theme, escape};
use similar::{ChangeTag, TextDiff};
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
    let diff = TextDiff::from_lines(old, new);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        writeln!(out, "{}", theme.place(&hunk.header().to_string()))?;
        for change in hunk.iter_changes() {
            let text = escape(change.value().trim_end_matches(['\n', '\r']));
            let line = match change.tag() {
                ChangeTag::Equal => format!(" {text}"),
                ChangeTag::Delete => theme.removed(&format!("-{text}")),
                ChangeTag::Insert => theme.added(&format!("+{text}")),
            };
            writeln!(out, "{line}")?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}
