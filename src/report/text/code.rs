//! The code that differs.

use super::style::{self, Theme, escape};
use crate::code::CodeChange;
use crate::report::{RenderOptions, headline};
use std::io;

/// The maximum number of folders, and of files per folder, unless all are requested.
const MAX_FOLDERS: usize = 12;
const MAX_FILES: usize = 3;

/// Writes the folders of code that differ, each with its files and how far it reaches.
pub(super) fn write(out: &mut dyn io::Write, code: &[CodeChange], options: &RenderOptions) -> io::Result<()> {
    if code.is_empty() {
        return Ok(());
    }
    let theme = Theme::new(options.color);
    let shown = if options.all || code.len() <= MAX_FOLDERS + 1 { code.len() } else { MAX_FOLDERS };
    writeln!(out, "{}", theme.bold("Code"))?;
    for change in &code[..shown] {
        let files = if change.is_loaded { format!(" ({})", escape(&files(change, options))) } else { String::new() };
        let (place, runners) = (theme.path(&escape(change.place())), headline::runners(change));
        writeln!(out, "  {place} changed{}: {runners}", theme.dim(&files))?;
    }
    if shown < code.len() {
        writeln!(out, "  {}", theme.dim(&format!("… {}", style::count(code.len() - shown, "more folder"))))?;
    }
    writeln!(out)
}

/// The files, relative to their folder.
fn files(change: &CodeChange, options: &RenderOptions) -> String {
    let shown = if options.all { change.files.len() } else { MAX_FILES };
    let below = |path: &str| path.strip_prefix(&*change.folder).unwrap_or(path).trim_start_matches('/').to_owned();
    let mut names: Vec<String> = change.files.iter().take(shown).map(|path| below(path)).collect();
    if change.files.len() > shown {
        names.push(format!("… {} more", change.files.len() - shown));
    }
    names.join(", ")
}
