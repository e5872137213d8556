//! An entry, put into the map of a manifest in the style of that map.

use crate::diagnostic::Edit;
use crate::manifests::{Entry, Manifest};
use crate::yaml::{NodeId, NodeKind, Style, scalar_text};
use std::collections::BTreeMap;

/// How far maps are indented where nothing shows it.
const STEP: usize = 2;

/// An entry as it is written somewhere.
pub(super) struct Written {
    /// Its lines without indentation and line ends; with the comment behind its value.
    lines: Vec<String>,
    /// The entry in one line and without a comment, if it can be written so within braces.
    inline: Option<String>,
}

impl Written {
    /// An entry of a manifest.
    ///
    /// # Errors
    /// It is not written as `key: value`: a clause.
    pub(super) fn of(manifest: &Manifest<'_>, map: NodeId, entry: Entry) -> Result<Self, String> {
        let text = manifest.text();
        let place = || manifest.place(manifest.start(entry.key));
        let (start, end) = (manifest.start(entry.key), manifest.entry_end(entry));
        let colon = manifest.colon(entry).ok_or_else(|| format!("{} is not written as `key: value`", place()))?;
        let (key, value) = (text[start..manifest.end(entry.key)].trim(), text[colon + 1..end].trim());
        let node = manifest.document.node(entry.value);
        let is_flow = text[manifest.start(entry.value)..].starts_with(['{', '[']);
        let fits = match &node.kind {
            NodeKind::Scalar { style: Style::Plain, .. } => !value.contains([',', '[', ']', '{', '}']),
            NodeKind::Scalar { style, .. } => matches!(style, Style::SingleQuoted | Style::DoubleQuoted),
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => is_flow,
            NodeKind::Alias { .. } => false,
        };
        let inline = (fits && !value.contains('\n')).then(|| format!("{key}: {value}"));
        if manifest.is_flow(map) {
            let whole = format!("{key}: {value}");
            let lines = whole.lines().map(|line| line.trim_end().to_owned()).collect();
            return Ok(Written { lines, inline });
        }
        let line = manifest.line_start(start);
        if !text[line..start].bytes().all(|b| b == b' ') {
            return Err(format!("{} shares its line", place()));
        }
        let whole = &text[start..manifest.line_end(end)];
        let behind = whole[end - start..].trim();
        if !behind.is_empty() && !behind.starts_with('#') {
            return Err(format!("{} shares its line", place()));
        }
        let unindented = |line: &str| {
            let blanks = line.bytes().take_while(|b| *b == b' ').count().min(start - manifest.line_start(start));
            line[blanks..].to_owned()
        };
        Ok(Written { lines: whole.lines().map(unindented).collect(), inline })
    }

    /// Entries that are not written anywhere yet: keys and texts.
    pub(super) fn entries(entries: &[(&str, String)]) -> Self {
        let one = |(key, text): &(&str, String)| format!("{}: {}", scalar_text(key, STEP), scalar_text(text, STEP));
        let lines: Vec<String> = entries.iter().map(one).collect();
        let inline = Some(lines.join(", "));
        Written { lines, inline }
    }

    /// Entries of several levels.
    pub(super) fn tree(tree: &BTreeMap<String, Tree>) -> Self {
        let (mut lines, mut inline) = (Vec::new(), Vec::new());
        for (key, below) in tree {
            let name = scalar_text(key, STEP);
            match below {
                Tree::Text(text) => {
                    let entry = format!("{name}: {}", scalar_text(text, STEP));
                    lines.push(entry.clone());
                    inline.push(entry);
                }
                Tree::Map(below) => {
                    let below = Written::tree(below);
                    lines.push(format!("{name}:"));
                    lines.extend(below.lines.iter().map(|line| format!("{}{line}", " ".repeat(STEP))));
                    inline.push(format!("{name}: {{{}}}", below.inline.unwrap_or_default()));
                }
            }
        }
        Written { lines, inline: Some(inline.join(", ")) }
    }

    /// Whether another entry has the same comments.
    pub(super) fn is_written_like(&self, other: &Written) -> bool {
        self.lines == other.lines
    }
}

/// A value to be written: a text, or a map.
pub(super) enum Tree {
    Text(String),
    Map(BTreeMap<String, Tree>),
}

impl Tree {
    /// Adds a text at the place that some keys lead to.
    pub(super) fn add(tree: &mut BTreeMap<String, Tree>, keys: &[&str], key: &str, text: String) {
        let Some((first, rest)) = keys.split_first() else {
            tree.insert(key.to_owned(), Tree::Text(text));
            return;
        };
        let below = tree.entry((*first).to_owned()).or_insert_with(|| Tree::Map(BTreeMap::new()));
        if let Tree::Map(below) = below {
            Tree::add(below, rest, key, text);
        }
    }
}

/// Puts an entry at the place that some keys lead to; the last one is its own.
///
/// # Errors
/// The map is not written in a way that takes it: a sentence.
pub(super) fn inserted(manifest: &Manifest<'_>, keys: &[String], written: &Written) -> Result<Edit, String> {
    let text = manifest.text();
    let edit = |at: usize, text: String| Ok(Edit { file: manifest.id, start: at as u32, end: at as u32, text });
    let path = &manifest.file.path;
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = |missing: &[String], indent: usize| -> String {
        let mut block = String::new();
        let mut column = indent;
        for key in &missing[..missing.len() - 1] {
            block.push_str(&format!("{}{}:{line_break}", " ".repeat(column), scalar_text(key, STEP)));
            column += step(manifest);
        }
        for line in &written.lines {
            let blanks = if line.is_empty() { String::new() } else { " ".repeat(column) };
            block.push_str(&format!("{blanks}{line}{line_break}"));
        }
        block
    };
    // Behind the line of a byte, which may be the last one and without a line break.
    let behind = |at: usize, block: String| {
        let end = manifest.line_end(at);
        let needs_break = end > 0 && !text[..end].ends_with('\n');
        edit(end, if needs_break { format!("{line_break}{}", block.trim_end_matches(['\r', '\n'])) } else { block })
    };
    let known = (0..keys.len()).rev().find_map(|length| match length {
        0 => Some((0, None)),
        _ => manifest.entry(&keys[..length]).map(|entry| (length, Some(entry))),
    });
    let (length, entry) = known.unwrap_or((0, None));
    let missing = &keys[length..];
    let Some(map) = entry.map_or_else(|| manifest.document.root(), |entry| Some(entry.value)) else {
        return behind(text.len(), block(missing, 0));
    };
    let is_map = matches!(manifest.document.node(map).kind, NodeKind::Mapping(_));
    let pairs = manifest.pairs(map);
    if is_map && manifest.is_flow(map) {
        let inline = written.inline.as_ref();
        let inline = inline.ok_or_else(|| format!("{} has a map in braces there, and the value needs lines", path))?;
        let (above, _) = missing.split_at(missing.len() - 1);
        let names: String = above.iter().map(|key| format!("{}: {{", scalar_text(key, STEP))).collect();
        let whole = format!("{names}{inline}{}", "}".repeat(above.len()));
        return match pairs.last() {
            Some((key, value)) => edit(manifest.entry_end(Entry { key: *key, value: *value }), format!(", {whole}")),
            None => edit(manifest.start(map) + 1, whole),
        };
    }
    if let (true, Some((first, _)), Some((key, value))) = (is_map, pairs.first(), pairs.last()) {
        let start = manifest.start(*first);
        let indent = start - manifest.line_start(start);
        let last = manifest.entry_end(Entry { key: *key, value: *value });
        return match text[start - indent..start].bytes().all(|b| b == b' ') {
            true => behind(last, block(missing, indent)),
            false => Err(format!("{} shares the line of its map", manifest.place(start))),
        };
    }
    let node = manifest.document.node(map);
    let is_empty = node.tag.is_none()
        && node.anchor.is_none()
        && matches!(&node.kind, NodeKind::Scalar { value, style: Style::Plain } if value.is_empty());
    match entry.filter(|_| is_empty) {
        Some(entry) => {
            let start = manifest.start(entry.key);
            let indent = start - manifest.line_start(start) + step(manifest);
            behind(manifest.entry_end(entry), block(missing, indent))
        }
        None => Err(format!("{} is no map that takes the value", manifest.place(manifest.start(map)))),
    }
}

/// How far the first map below the root is indented.
fn step(manifest: &Manifest<'_>) -> usize {
    let column = |id: NodeId| manifest.start(id) - manifest.line_start(manifest.start(id));
    let root = manifest.document.root().map_or(&[][..], |root| manifest.pairs(root));
    let first = root.iter().filter(|(_, value)| !manifest.is_flow(*value));
    let mut below = first.filter_map(|(key, value)| {
        let inner = manifest.pairs(*value).first()?.0;
        column(inner).checked_sub(column(*key)).filter(|step| *step > 0)
    });
    below.next().unwrap_or(STEP)
}
