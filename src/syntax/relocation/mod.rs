//! Moves an entry of a YAML map to another path, with its comments and its nested values.
//!
//! What is proposed is parsed again: it is only used if nothing but the place of the entry differs.

mod tree;

use crate::files::File;
use crate::yaml::{Document, NodeId, NodeKind, Style, document_of};
use std::ops::Range;
use tree::Tree;

/// Where an entry goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move<'a> {
    /// How many keys lead from the map that both places have in common to the entry.
    pub keys: usize,
    /// The keys that lead from that map to the new place.
    pub to: &'a [&'a str],
    /// Whether the values of the entry, a map, become the items of a list.
    pub as_list: bool,
}

/// Replaced bytes and what comes in their place.
pub(crate) type Replacement = (Range<usize>, String);

/// Returns the replacements that move the entry whose key begins at a byte offset. `None` if the new place is taken, if
/// anchors, aliases, merge keys or templates could give the entry another meaning, or if the text is not simple enough.
pub(crate) fn relocate(file: &File, key: u32, wanted: Move<'_>) -> Option<Vec<Replacement>> {
    let read = super::yaml_source(file);
    let document = read.document()?;
    let chain = chain(document, key)?;
    let first = chain.len().checked_sub(wanted.keys)?;
    let source = Source { text: document.text(), document, chain: &chain[first..] };
    if chain[..first].iter().any(|step| document.node(step.map).anchor.is_some()) || !source.is_simple() {
        return None;
    }
    let replacements = source.replacements(&wanted)?;
    // The entry moves over the text between both places; templates in it could begin or end something.
    let (first, last) = (replacements.first()?.0.start, replacements.last()?.0.end);
    let is_template = file.text[first..last].contains("{{");
    (!is_template && source.is_equal(&replacements, &wanted)).then_some(replacements)
}

/// An entry of a map on the way to a place.
#[derive(Clone, Copy)]
struct Step {
    map: NodeId,
    key: NodeId,
    value: NodeId,
}

/// Returns the entries that lead to the one whose key begins at a byte offset.
fn chain(document: &Document, key: u32) -> Option<Vec<Step>> {
    let (mut steps, mut at) = (Vec::new(), document.root()?);
    loop {
        let NodeKind::Mapping(pairs) = &document.node(at).kind else { return None };
        let next = pairs.partition_point(|(name, _)| document.node(*name).span.start <= key);
        let (name, value) = pairs[next.checked_sub(1)?];
        steps.push(Step { map: at, key: name, value });
        if document.node(name).span.start == key {
            return Some(steps);
        }
        at = value;
    }
}

struct Source<'a> {
    text: &'a str,
    document: &'a Document,
    /// The entries from the map that both places have in common to the one that moves.
    chain: &'a [Step],
}

/// Where the entry is put.
struct Target<'a> {
    /// The map that exists already.
    map: NodeId,
    /// The keys that are new in it.
    keys: &'a [&'a str],
    /// Whether it is the map that both places have in common.
    is_common: bool,
}

impl<'a> Source<'a> {
    fn start(&self, id: NodeId) -> usize {
        self.document.node(id).span.start as usize
    }

    /// The end of an entry without white space behind it.
    fn end(&self, step: Step) -> usize {
        let end = self.document.node(step.value).span.end.max(self.document.node(step.key).span.end) as usize;
        let start = self.start(step.key);
        start + self.text[start..end].trim_end().len()
    }

    fn pairs(&self, map: NodeId) -> &'a [(NodeId, NodeId)] {
        match &self.document.node(map).kind {
            NodeKind::Mapping(pairs) => pairs,
            _ => &[],
        }
    }

    fn is_flow(&self, id: NodeId) -> bool {
        self.text[self.start(id)..].starts_with('{')
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// One past the line that a byte is on.
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }

    fn indent(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// The bytes of the map that both places have in common, with the indentation of its first key, and with the comments and
    /// blank lines behind it: they become part of a text in lines if that is the last value then.
    fn common(&self) -> Range<usize> {
        let map = self.chain[0].map;
        let (start, mut end) = (self.start(map), self.document.node(map).span.end as usize);
        if self.is_flow(map) {
            return start..end;
        }
        end = self.line_end(end);
        while end < self.text.len() {
            let below = self.line_end(end);
            let line = self.text[end..below].trim_start();
            if !line.is_empty() && !line.starts_with('#') {
                break;
            }
            end = below;
        }
        self.line_start(start)..end
    }

    /// Whether nothing around the entry could give it another meaning elsewhere.
    fn is_simple(&self) -> bool {
        let maps = self.chain.iter().map(|step| step.map);
        let is_plain = |map: NodeId| {
            let node = self.document.node(map);
            node.anchor.is_none() && node.tag.is_none() && !self.pairs(map).iter().any(|(key, _)| self.is_merge(*key))
        };
        let Some(last) = self.chain.last() else { return false };
        maps.into_iter().all(is_plain) && self.is_plain_below(&[last.key, last.value])
    }

    /// Whether nodes, with all that is nested in them, are neither named nor named elsewhere, and their scalars are of one line.
    fn is_plain_below(&self, nodes: &[NodeId]) -> bool {
        let mut left = nodes.to_vec();
        while let Some(id) = left.pop() {
            let node = self.document.node(id);
            let text = &self.text[node.span.start as usize..node.span.end as usize];
            let is_plain = match &node.kind {
                NodeKind::Alias { .. } => false,
                NodeKind::Scalar { style, .. } => {
                    !matches!(style, Style::Literal | Style::Folded) && !text.contains('\n')
                }
                NodeKind::Sequence(items) => {
                    left.extend(items);
                    true
                }
                NodeKind::Mapping(pairs) => {
                    left.extend(pairs.iter().flat_map(|(key, value)| [*key, *value]));
                    true
                }
            };
            if !is_plain || node.anchor.is_some() {
                return false;
            }
        }
        true
    }

    fn is_merge(&self, key: NodeId) -> bool {
        self.document.scalar(key).is_none_or(|key| &**key == "<<")
    }

    /// Returns the map that the entry is moved into. `None` if it already has such a key.
    fn target<'k>(&self, keys: &'k [&'k str]) -> Option<Target<'k>> {
        let mut target = Target { map: self.chain[0].map, keys, is_common: true };
        loop {
            let (next, rest) = target.keys.split_first()?;
            // Keys of the configuration are the same in any case.
            let is_next = |key: NodeId| self.document.scalar(key).is_some_and(|key| key.eq_ignore_ascii_case(next));
            let Some((_, value)) = self.pairs(target.map).iter().find(|(key, _)| is_next(*key)) else {
                return Some(target);
            };
            let node = self.document.node(*value);
            if !matches!(node.kind, NodeKind::Mapping(_)) || node.anchor.is_some() || node.tag.is_some() {
                return None;
            }
            target = Target { map: *value, keys: rest, is_common: false };
        }
    }

    fn replacements(&self, wanted: &Move<'_>) -> Option<Vec<Replacement>> {
        let target = self.target(wanted.to)?;
        let (last, around) = self.chain.split_last()?;
        // Maps that nothing is left in go as well.
        let emptied = around.iter().rev().zip(self.chain.iter().rev());
        let emptied = emptied.take_while(|(_, inner)| self.pairs(inner.map).len() == 1).count();
        let emptied_step = self.chain[self.chain.len() - 1 - emptied];
        let is_in_flow = self.is_flow(last.map);
        let moved = if is_in_flow { last.range(self) } else { self.lines(*last)? };
        let removed =
            if self.is_flow(emptied_step.map) { self.with_comma(emptied_step) } else { self.lines(emptied_step)? };
        let is_whole = emptied + 1 == self.chain.len();
        let has_comment = |range: Range<usize>| self.text[range].contains('#');
        if removed.start < moved.start && has_comment(removed.start..moved.start)
            || moved.end < removed.end && has_comment(moved.end..removed.end)
        {
            return None;
        }
        let is_flow = self.is_flow(target.map);
        let text = match is_flow {
            true if !is_in_flow => return None,
            true => self.in_flow(*last, &target, wanted)?,
            false => self.in_lines(*last, moved, &target, wanted)?,
        };
        if target.is_common && is_whole {
            let place = if is_flow { emptied_step.range(self) } else { removed };
            return Some(vec![(place, text)]);
        }
        let behind = match target.is_common {
            true => self.chain[0],
            false => {
                let (key, value) = *self.pairs(target.map).last()?;
                Step { map: target.map, key, value }
            }
        };
        let (place, text) = match is_flow {
            true => (self.end(behind), format!(", {text}")),
            false => {
                let place = self.lines(behind)?.end;
                let is_open = !self.text[..place].ends_with('\n');
                (place, if is_open { format!("{}{}", self.newline(), text.trim_end()) } else { text })
            }
        };
        let mut both = vec![(removed, String::new()), (place..place, text)];
        both.sort_by_key(|(range, _)| (range.start, range.end));
        (both[0].0.end <= both[1].0.start).then_some(both)
    }

    fn newline(&self) -> &'static str {
        if self.text[..self.line_end(0)].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns the lines of an entry, with the comment above it and the lines indented below it. `None` if they contain
    /// anything else.
    fn lines(&self, step: Step) -> Option<Range<usize>> {
        let key = self.start(step.key);
        let (mut start, mut end) = (self.line_start(key), self.line_end(self.end(step)));
        let indent = key - start;
        let rest = self.text[self.end(step)..end].trim();
        if !self.text[start..key].bytes().all(|b| b == b' ')
            || !(rest.is_empty() || matches!(rest.as_bytes()[0], b'#' | b':'))
        {
            return None;
        }
        let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let is_comment = |line: &str| line.trim_start().starts_with('#');
        while start > 0 {
            let above = self.line_start(start - 1);
            let line = &self.text[above..start];
            if !is_comment(line) || depth(line) != indent {
                break;
            }
            start = above;
        }
        while end < self.text.len() {
            let below = self.line_end(end);
            let line = &self.text[end..below];
            if !is_comment(line) || depth(line) <= indent {
                break;
            }
            end = below;
        }
        Some(start..end)
    }

    /// An entry of a map in braces, with the comma that goes with it.
    fn with_comma(&self, step: Step) -> Range<usize> {
        let range = step.range(self);
        let behind = &self.text[range.end..];
        if let Some(rest) = behind.trim_start().strip_prefix(',') {
            return range.start..range.end + (behind.len() - rest.trim_start().len());
        }
        let before = self.text[..range.start].trim_end();
        before.strip_suffix(',').map_or(range.clone(), |before| before.len()..range.end)
    }

    /// The value as one line: as it is, or its values as a list.
    fn inline(&self, last: Step, wanted: &Move<'_>) -> Option<String> {
        let slice = |id: NodeId| {
            let span = self.document.node(id).span;
            let text = &self.text[span.start as usize..span.end as usize];
            (!text.contains(['\n', '#'])).then_some(text.trim())
        };
        if !wanted.as_list {
            return Some(slice(last.value)?.to_owned());
        }
        let items: Option<Vec<&str>> = self.pairs(last.value).iter().map(|(_, value)| slice(*value)).collect();
        Some(format!("[{}]", items?.join(", ")))
    }

    fn in_flow(&self, last: Step, target: &Target<'_>, wanted: &Move<'_>) -> Option<String> {
        let (name, around) = target.keys.split_last()?;
        let entry = format!("{name}: {}", self.inline(last, wanted)?);
        Some(around.iter().rev().fold(entry, |entry, key| format!("{key}: {{{entry}}}")))
    }

    fn in_lines(&self, last: Step, moved: Range<usize>, target: &Target<'_>, wanted: &Move<'_>) -> Option<String> {
        let newline = self.newline();
        let indent = self.indent(self.start(self.pairs(target.map).first()?.0));
        let step = match self.chain {
            [.., outer, inner] if !self.is_flow(inner.map) => {
                self.indent(self.start(inner.key)).checked_sub(self.indent(self.start(outer.key)))?
            }
            _ => 2,
        };
        let (name, around) = target.keys.split_last()?;
        let mut out = String::new();
        for (depth, key) in around.iter().enumerate() {
            out.push_str(&format!("{}{key}:{newline}", " ".repeat(indent + depth * step)));
        }
        let to = indent + around.len() * step;
        let is_inline = self.is_flow(last.map) || wanted.as_list && self.is_flow(last.value);
        if self.is_flow(last.map) {
            out.push_str(&format!("{}{name}: {}{newline}", " ".repeat(to), self.inline(last, wanted)?));
            return Some(out);
        }
        let key = self.start(last.key);
        let behind_key = self.document.node(last.key).span.end as usize;
        let own_line = self.line_start(key);
        let from = key - own_line;
        let mut at = moved.start;
        while at < moved.end {
            let end = self.line_end(at);
            let line = self.text[at..end].trim_end();
            let content = line.trim_start_matches(' ');
            let depth = line.len() - content.len();
            let text = match () {
                () if at == own_line && is_inline => {
                    let rest = self.text[self.end(last)..end].trim_end();
                    format!("{}{name}: {}{rest}", " ".repeat(to), self.inline(last, wanted)?)
                }
                () if at == own_line => {
                    format!("{}{name}{}", " ".repeat(to), self.text[behind_key..end].trim_end())
                }
                () if content.is_empty() => String::new(),
                () if at > own_line && wanted.as_list => match self.item_line(last, at..end, to + step)? {
                    Some(line) => line,
                    None => {
                        at = end;
                        continue;
                    }
                },
                () => format!("{}{content}", " ".repeat((to + depth).saturating_sub(from))),
            };
            out.push_str(&text);
            out.push_str(newline);
            at = end;
        }
        Some(out)
    }

    /// Converts a line of a map whose values become items, without the key. The inner `None` is for a line that
    /// contains only the key.
    fn item_line(&self, last: Step, line: Range<usize>, indent: usize) -> Option<Option<String>> {
        let starts_here = |id: NodeId| line.contains(&self.start(id));
        let pairs = self.pairs(last.value);
        let text = |from: usize| self.text[from..line.end].trim_end();
        let pad = " ".repeat(indent);
        if let Some((_, value)) = pairs.iter().find(|(_, value)| starts_here(*value)) {
            return Some(Some(format!("{pad}- {}", text(self.start(*value)))));
        }
        if let Some((key, _)) = pairs.iter().find(|(key, _)| starts_here(*key)) {
            let rest = text(self.document.node(*key).span.end as usize).trim_start_matches(':').trim();
            return Some((!rest.is_empty()).then(|| format!("{pad}{rest}")));
        }
        let content = text(line.start).trim_start();
        let is_comment = content.starts_with('#');
        Some(Some(if is_comment { format!("{pad}{content}") } else { format!("{pad}  {content}") }))
    }

    /// Whether replacements move the entry and change nothing else.
    fn is_equal(&self, replacements: &[Replacement], wanted: &Move<'_>) -> bool {
        let common = self.common();
        let (mut text, mut at) = (String::new(), common.start);
        for (range, new) in replacements {
            let Some(kept) = self.text.get(at..range.start) else { return false };
            text.push_str(kept);
            text.push_str(new);
            at = range.end;
        }
        text.push_str(self.text.get(at..common.end).unwrap_or_default());
        let document = document_of(text.as_str().into()).ok();
        let new = document.and_then(|document| Tree::of(&document, document.root()?));
        let path: Option<Vec<&str>> =
            self.chain.iter().map(|step| self.document.scalar(step.key).map(|key| &**key)).collect();
        let old = Tree::of(self.document, self.chain[0].map);
        let expected = || old?.moved(&path?, wanted.to, wanted.as_list);
        new.zip(expected()).is_some_and(|(new, expected)| new.sorted() == expected.sorted())
    }
}

impl Step {
    /// From the key to the end of the value.
    fn range(self, source: &Source<'_>) -> Range<usize> {
        source.start(self.key)..source.end(self)
    }
}

#[cfg(test)]
mod tests;
