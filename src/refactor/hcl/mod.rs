//! Files in HCL as text: their entries, which refactorings move, remove and write. Expressions stay as they are written.

mod local;
mod values;

pub(super) use local::{defining, inline_local, rename_local};
pub(super) use values::{hoist, inline, offered, removed, writes};

use crate::diagnostic::Edit;
use crate::files::{File, Files};
use crate::resolution::Resolution;
use crate::syntax::hcl::{Entry, HclEntryKind, Source};
use crate::syntax::{Language, Syntax};
use crate::value::FileId;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// How far entries are indented where nothing shows it.
const STEP: usize = 2;

/// A file in HCL.
pub(super) struct HclFile {
    pub(super) id: FileId,
    pub(super) file: Arc<File>,
    source: Arc<Source>,
}

/// The files in HCL that define something, include others or are included, in the order of their paths.
pub(super) fn some(resolution: &Resolution, files: &Files) -> Vec<HclFile> {
    let imports = resolution.imports.items.iter();
    let imports = imports.flat_map(|item| item.targets.iter().copied().chain([item.path.file]));
    let scopes = resolution.locals.scopes.iter().map(|scope| scope.file);
    let ids: BTreeSet<FileId> = imports.chain(scopes).chain(resolution.units.iter().map(|unit| unit.file)).collect();
    let mut found: Vec<HclFile> = ids.into_iter().filter_map(|id| HclFile::of(id, files)).collect();
    found.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    found
}

/// The same, with all that units read.
fn read(resolution: &Resolution, files: &Files) -> Vec<HclFile> {
    let mut found = some(resolution, files);
    let known: BTreeSet<FileId> = found.iter().map(|file| file.id).collect();
    let read: BTreeSet<FileId> = resolution.units.iter().flat_map(|unit| unit.files.iter().copied()).collect();
    found.extend(read.difference(&known).filter_map(|id| HclFile::of(*id, files)));
    found.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    found
}

impl HclFile {
    pub(super) fn of(id: FileId, files: &Files) -> Option<Self> {
        let file = files.get(id);
        let source = Syntax::source(&file).filter(|_| Language::of(&file.path) == Language::Hcl)?;
        Some(HclFile { id, file, source })
    }

    /// Where texts and numbers are written, with their quotes.
    pub(super) fn literals(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.source.literals().iter().map(|literal| literal.span.start as usize..literal.span.end as usize)
    }

    fn text(&self) -> &str {
        &self.file.text
    }

    fn entry(&self, keys: &[String]) -> Option<&Entry> {
        self.source.entry(keys)
    }

    /// `live/dev/unit.hcl:7`.
    fn place(&self, entry: &Entry) -> String {
        self.place_of(entry.key.start)
    }

    fn place_of(&self, offset: u32) -> String {
        format!("{}:{}", self.file.path, self.file.line(offset))
    }

    fn edit(&self, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { file: self.id, start: range.start as u32, end: range.end as u32, text: text.into() }
    }

    /// The text of the value of an entry.
    fn value(&self, entry: &Entry) -> &str {
        self.text().get(entry.value.start as usize..entry.value.end as usize).unwrap_or_default().trim_end()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text()[..at].rfind('\n').map_or(0, |i| i + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text()[at..].find('\n').map_or(self.text().len(), |i| at + i + 1)
    }

    /// The lines of an entry, with the comma and the comment behind it.
    ///
    /// # Errors
    /// Something else is on them: a clause.
    fn lines(&self, entry: &Entry) -> Result<Range<usize>, String> {
        let (key, end) = (entry.key.start as usize, entry.value.start as usize + self.value(entry).len());
        let lines = self.line_start(key)..self.line_end(end);
        let behind = self.text()[end..lines.end].trim();
        let behind = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        let is_alone = behind.is_empty() || behind.starts_with('#') || behind.starts_with("//");
        match is_alone && self.text()[lines.start..key].bytes().all(|b| matches!(b, b' ' | b'\t')) {
            true => Ok(lines),
            false => Err(format!("{} shares its line", self.place(entry))),
        }
    }

    /// The removal of an entry; of an argument or a key that would be left empty, if it is the only one in that.
    ///
    /// # Errors
    /// Something else would go with it: a clause.
    fn removal(&self, entry: &Entry, takes_comment: bool) -> Result<Edit, String> {
        let own = self.lines(entry)?;
        let mut gone = entry;
        while let Some(parent) = self.source.parent(gone).filter(|_| !self.source.has_sibling(gone)) {
            gone = parent;
        }
        if gone.key.start != entry.key.start && !self.source.has_sibling(gone) {
            return Err(format!("{} is all of the file", self.place(entry)));
        }
        let lines = self.lines(gone)?;
        let own = if takes_comment { own } else { 0..0 };
        let lost = [lines.start..own.start.max(lines.start), own.end.max(lines.start)..lines.end];
        match lost.iter().find_map(|range| self.source.comment_in(range)) {
            Some(comment) => Err(format!("the comment in {} would be lost", self.place_of(comment.span.start as u32))),
            None => Ok(self.edit(self.with_blank_lines(lines), "")),
        }
    }

    /// Lines that go, with the blank ones that would stand at an end of the file or of a map, or beside other blank ones.
    fn with_blank_lines(&self, lines: Range<usize>) -> Range<usize> {
        let (above, below) = (&self.text()[..lines.start], &self.text()[lines.end..]);
        let blank_below: usize =
            below.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
        let before = above.lines().next_back().map_or("{", str::trim_end);
        let after = below[blank_below..].trim_start();
        match before.is_empty() && (after.is_empty() || after.starts_with('}')) {
            true => self.line_end(above.trim_end().len())..lines.end + blank_below,
            false if before.is_empty() || before.ends_with('{') => lines.start..lines.end + blank_below,
            false => lines,
        }
    }

    /// How far the value of an entry on one line is behind the beginning of its key.
    fn value_column(&self, entry: &Entry) -> Option<usize> {
        let (key, value) = (entry.key.start as usize, entry.value.start as usize);
        let between = self.text().get(entry.key.end as usize..value)?;
        (between.trim() == "=" && !self.value(entry).contains('\n')).then_some(value - key)
    }

    /// The entry as it is written, without indentation and comma: `key = value`, and the comment behind it.
    fn written(&self, entry: &Entry) -> Result<String, String> {
        let lines = self.lines(entry)?;
        let (key, value) = (entry.key.start as usize, self.value(entry));
        if value.contains("<<") {
            return Err(format!(
                "{} has a text of several lines, which cannot be indented otherwise",
                self.place(entry)
            ));
        }
        let name = self.text()[key..entry.key.end as usize].trim();
        let indent = key - lines.start;
        let unindented = |line: &str| {
            let blanks = line.bytes().take_while(|b| *b == b' ').count().min(indent);
            line[blanks..].to_owned()
        };
        let value: Vec<String> = value.lines().map(unindented).collect();
        let end = entry.value.start as usize + self.value(entry).len();
        let behind = self.text()[end..lines.end].trim().trim_start_matches(',').trim();
        let comment = if behind.is_empty() { String::new() } else { format!(" {behind}") };
        Ok(format!("{name} = {}{comment}", value.join("\n").trim_start()))
    }

    /// Puts an entry at the place that some keys lead to; the last one is its own.
    ///
    /// # Errors
    /// What is there does not take it: a sentence.
    fn inserted(&self, keys: &[String], written: &str) -> Result<Edit, String> {
        let text = self.text();
        let known = (1..keys.len()).rev().find_map(|length| Some((length, self.entry(&keys[..length])?)));
        let (length, around) = known.map_or((0, None), |(length, entry)| (length, Some(entry)));
        let missing = &keys[length..keys.len() - 1];
        let block = |indent: usize| -> String {
            let (mut block, mut column) = (String::new(), indent);
            let blanks = |column: usize| " ".repeat(column);
            for key in missing {
                block.push_str(&format!("{}{key} = {{\n", blanks(column)));
                column += STEP;
            }
            written.lines().for_each(|line| block.push_str(&format!("{}{line}\n", blanks(column))));
            for depth in (0..missing.len()).rev() {
                block.push_str(&format!("{}}}\n", blanks(indent + depth * STEP)));
            }
            block
        };
        let Some(around) = around else {
            let gap = match text {
                _ if text.is_empty() || text.ends_with("\n\n") => "",
                _ if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            return Ok(self.edit(text.len()..text.len(), format!("{gap}{}", block(0))));
        };
        let (start, value) = (around.value.start as usize, self.value(around));
        let is_map =
            matches!(around.kind, HclEntryKind::Block { .. }) || value.starts_with('{') && value.ends_with('}');
        if !is_map {
            return Err(format!("{} is no map that takes the value", self.place(around)));
        }
        if let Some((first, last)) = self.source.ends_of(around) {
            let indent = first.key.start as usize - self.line_start(first.key.start as usize);
            let end = self.lines(last)?.end;
            let block = block(indent);
            // As the entry above it is aligned.
            let (name, value) = written.split_once(" = ").unwrap_or_default();
            let is_one_line = missing.is_empty() && !written.contains('\n');
            let wide = self.value_column(last).filter(|column| is_one_line && name.len() + 3 < *column);
            let block = match wide {
                Some(column) => {
                    let aligned = format!("{name:<width$}= {value}", width = column - 2);
                    block.replacen(&format!("{name} = {value}"), &aligned, 1)
                }
                None => block,
            };
            return Ok(self.edit(end..end, block));
        }
        let column = around.key.start as usize - self.line_start(around.key.start as usize);
        let open = start + text[start..].find('{').unwrap_or_default() + 1;
        let close = start + value.len() - 1;
        match text[open..close].trim().is_empty() {
            true => Ok(self.edit(open..close, format!("\n{}{}", block(column + STEP), " ".repeat(column)))),
            false => Err(format!("{} has only comments", self.place(around))),
        }
    }
}
