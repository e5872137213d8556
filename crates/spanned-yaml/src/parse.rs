//! Reading a text into a [`Document`], without recursion.

use shared_text::{FastSet, Text, intern, intern_value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::events::{Event, EventKind, Events, Failure, Mark, Style};
use super::node::{Document, Node, NodeId, NodeKind, Position, Span, Tag, line_starts, locate};
use super::patch::Patch;
use super::{budget, input, properties, scalar};

/// Why a text is not usable YAML, in go-yaml's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The problem, without go-yaml's `line N: ` prefix.
    pub message: String,
    /// Byte offset of the culprit in the decoded text (in the file, when bytes could not be decoded).
    pub offset: u32,
    /// Line and column of `offset`.
    pub position: Position,
    /// The line go-yaml would print in its prefix; it names none for errors on the first line.
    pub reported_line: Option<u32>,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.reported_line {
            Some(line) => write!(f, "yaml: line {line}: {}", self.message),
            None => write!(f, "yaml: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Reads the first document of a file's bytes: UTF-8, or UTF-16 with a byte order mark.
pub fn parse(bytes: &[u8]) -> Result<Document, Error> {
    match input::decode(bytes) {
        Ok(text) => document_of(Text::from(text)),
        Err(bad) => {
            // Broken bytes behind the first document go unseen.
            if let Some(document) = before(&bad.before, &Text::from(String::from_utf8_lossy(bytes))) {
                return Ok(document);
            }
            let position = locate(&bad.before, &line_starts(&bad.before), bad.before.len() as u32);
            let offset = u32::try_from(bad.offset).unwrap_or(u32::MAX);
            Err(Error { message: bad.problem.to_owned(), offset, position, reported_line: None })
        }
    }
}

/// Reads the first document of a text without copying it.
pub fn document_of(text: Text) -> Result<Document, Error> {
    if u32::try_from(text.len()).is_err() {
        let position = Position { line: 1, column: 1 };
        return Err(Error { message: "input is too long".to_owned(), offset: 0, position, reported_line: None });
    }
    // libyaml would skip the mark without counting it, so offsets are shifted here instead.
    let base = marks(&text);
    let mut patch = Patch::of(&text[base..]);
    let stop = loop {
        let scanned = patch.text().unwrap_or(&text[base..]);
        let stop = match Builder::new(scanned, base as u32, &patch).run() {
            Ok(built) => match built.finish(Text::clone(&text)) {
                Ok(document) => return Ok(document),
                Err(stop) => break stop,
            },
            Err(stop) => stop,
        };
        if stop.reader
            && let Some(document) = before(&text[..stop.offset.min(text.len())], &text)
        {
            return Ok(document);
        }
        if !patch.mend(&text[base..], &stop.message, stop.offset - base) {
            break stop;
        }
    };
    Err(stop.into_error(&text))
}

/// The length of the byte-order marks at the start of a text.
fn marks(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

/// Reads all documents of a text.
///
/// # Errors
/// The first thing that keeps one of them from being read.
pub fn documents_of(text: Text) -> Result<Vec<Document>, Error> {
    if u32::try_from(text.len()).is_err() {
        return document_of(text).map(|only| vec![only]);
    }
    let base = marks(&text);
    let none = Patch::of(&text[base..]);
    let read = || -> Result<Vec<Document>, Stop> {
        let mut all = Vec::new();
        let Some(mut events) = Events::new(none.text().unwrap_or(&text[base..])) else {
            return Err(Stop::new("out of memory", 0));
        };
        let mut builder = Builder::new(&text[base..], base as u32, &none);
        loop {
            let event = events.pull().map_err(|failure| Stop::of(failure, base))?;
            match event.kind {
                EventKind::StreamEnd => return Ok(all),
                EventKind::DocumentEnd => {
                    let next = Builder::new(&text[base..], base as u32, &none);
                    all.push(std::mem::replace(&mut builder, next).finish(Text::clone(&text))?);
                }
                _ => builder.take(event)?,
            }
        }
    };
    read().map_err(|stop| stop.into_error(&text))
}

/// The first document of `text`, if it ends before the unreadable place where `readable` does.
fn before(readable: &str, text: &Text) -> Option<Document> {
    if u32::try_from(text.len()).is_err() || !text.starts_with(readable) {
        return None;
    }
    let base = marks(readable);
    let none = Patch::of(&readable[base..]);
    let built = Builder::new(none.text().unwrap_or(&readable[base..]), base as u32, &none).run().ok()?;
    if built.extra_documents { built.finish(Text::clone(text)).ok() } else { None }
}

/// Why building stopped; offsets are those of the whole text.
pub(super) struct Stop {
    message: String,
    offset: usize,
    reported_line: Option<u32>,
    /// The input holds something that is not text.
    reader: bool,
}

impl Stop {
    fn into_error(self, text: &str) -> Error {
        let offset = self.offset.min(text.len()) as u32;
        let position = locate(text, &line_starts(text), offset);
        Error { message: self.message, offset, position, reported_line: self.reported_line }
    }

    pub(super) fn new(message: impl Into<String>, offset: u32) -> Self {
        Self { message: message.into(), offset: offset as usize, reported_line: None, reader: false }
    }

    fn of(failure: Failure, base: usize) -> Self {
        // go-yaml adds one to the zero-based line for scanner errors only.
        let line = |mark: Mark| (mark.line != 0).then(|| mark.line as u32 + u32::from(failure.scanner));
        let reported_line = failure.context_at.and_then(line).or_else(|| line(failure.at));
        // The start of the construct is more useful than where the scanner failed.
        let runaway = failure.context == "while scanning a simple key"
            || matches!(
                &*failure.problem,
                "found unexpected end of stream"
                    | "found unexpected document indicator"
                    | "did not find expected tag URI"
            );
        let at = failure.context_at.filter(|_| runaway).unwrap_or(failure.at);
        let message = match &*failure.problem {
            "" => "unknown problem parsing YAML content".to_owned(),
            // go-yaml's own spelling.
            "did not find expected hexadecimal number" => "did not find expected hexdecimal number".to_owned(),
            _ => failure.problem,
        };
        Self { message, offset: at.index + base, reported_line, reader: failure.reader }
    }
}

struct Frame {
    node: NodeId,
    children: usize,
    map: bool,
    flow: bool,
}

struct Builder<'t> {
    text: &'t str,
    base: u32,
    patch: &'t Patch,
    nodes: Vec<Node>,
    frames: Vec<Frame>,
    /// Finished children of all open collections, innermost last.
    children: Vec<NodeId>,
    anchors: HashMap<Text, NodeId>,
    /// Keys that are not interned.
    long_keys: FastSet<Text>,
    root: Option<NodeId>,
    aliases: bool,
    extra_documents: bool,
    /// A decode-time error: reported only if no syntax error follows, as in the reference.
    pending: Option<Stop>,
}

/// The properties before a node's content.
struct Properties<'e> {
    anchor: Option<Cow<'e, str>>,
    tag: Option<Cow<'e, str>>,
}

/// Tag, anchor, and where the content begins in the scanned text.
type Placed = (Option<Box<Tag>>, Option<Text>, usize);

/// The end of a collection that is still being read.
const OPEN: u32 = u32::MAX;

impl<'t> Builder<'t> {
    fn new(text: &'t str, base: u32, patch: &'t Patch) -> Self {
        Self {
            text,
            base,
            patch,
            nodes: Vec::new(),
            frames: Vec::new(),
            children: Vec::new(),
            anchors: HashMap::new(),
            long_keys: FastSet::default(),
            root: None,
            aliases: false,
            extra_documents: false,
            pending: None,
        }
    }

    fn run(mut self) -> Result<Self, Stop> {
        self.nodes.reserve(self.text.len() / 12);
        let Some(mut events) = Events::new(self.text) else { return Err(Stop::new("out of memory", 0)) };
        let base = self.base as usize;
        loop {
            let event = events.pull().map_err(|failure| Stop::of(failure, base))?;
            match event.kind {
                EventKind::StreamEnd => return Ok(self),
                EventKind::DocumentEnd => {
                    // Whatever comes now, even broken, is content behind the first document.
                    self.extra_documents = events.pull().map_or(true, |next| next.kind != EventKind::StreamEnd);
                    return Ok(self);
                }
                _ => self.take(event)?,
            }
        }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), Stop> {
        let Event { kind, start, end } = event;
        match kind {
            EventKind::DocumentStart { version: Some(version) } if version != (1, 1) => {
                let mut stop = Stop::new("found incompatible YAML document", self.at(start));
                stop.reported_line = (start.line != 0).then_some(start.line as u32);
                return Err(stop);
            }
            EventKind::Alias { name } => {
                let span = Span { start: self.at(start), end: self.at(end) };
                let Some(&target) = self.anchors.get(&*name) else {
                    return Err(Stop::new(format!("unknown anchor '{name}' referenced"), span.start));
                };
                if self.nodes[target.index()].span.end == OPEN && self.pending.is_none() {
                    self.pending = Some(Stop::new(format!("anchor '{name}' value contains itself"), span.start));
                }
                self.aliases = true;
                let id = self.push(Node { kind: NodeKind::Alias { target }, tag: None, anchor: None, span })?;
                self.close(id);
            }
            EventKind::Scalar { anchor, tag, value, style } => {
                self.scalar(start, end, Properties { anchor, tag }, &value, style)?;
            }
            EventKind::SequenceStart { anchor, tag, flow } => {
                self.open(start, end, Properties { anchor, tag }, flow, NodeKind::Sequence(Box::default()))?;
            }
            EventKind::MappingStart { anchor, tag, flow } => {
                self.open(start, end, Properties { anchor, tag }, flow, NodeKind::Mapping(Box::default()))?;
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => self.end(end),
            _ => {}
        }
        Ok(())
    }

    fn scalar(&mut self, start: Mark, end: Mark, of: Properties<'_>, value: &str, style: Style) -> Result<(), Stop> {
        let (tag, anchor, content) = self.properties(start, end, of)?;
        let mut raw = &self.text[content.min(end.index)..end.index];
        match style {
            Style::Literal | Style::Folded => raw = raw.trim_end(),
            Style::DoubleQuoted => {
                if let Some(slash) = properties::escaped_slash(raw) {
                    let mut stop = Stop::new("found unknown escape character", self.base + (content + slash) as u32);
                    stop.reported_line = (start.line != 0).then_some(start.line as u32 + 1);
                    return Err(stop);
                }
            }
            Style::Plain if self.frames.last().is_some_and(|frame| frame.flow) => {
                // The reference ends a plain scalar at a question mark inside of brackets, and then fails.
                if let Some(mark) = value.find('?').filter(|&mark| mark > 0) {
                    return Err(self.stray_question_mark(content + raw.find('?').unwrap_or(mark)));
                }
            }
            Style::Plain | Style::SingleQuoted => {}
        }
        let value = self.patch.restore(value.into(), style);
        let span_start = self.base + content.min(end.index) as u32;
        let span = Span { start: span_start, end: span_start + raw.len() as u32 };
        let value = if self.at_key() { self.key(&value) } else { intern_value(&value) };
        let id = self.push(Node { kind: NodeKind::Scalar { value, style }, tag, anchor, span })?;
        self.name(id);
        self.close(id);
        Ok(())
    }

    fn open(&mut self, start: Mark, end: Mark, of: Properties<'_>, flow: bool, kind: NodeKind) -> Result<(), Stop> {
        // A block collection's start event ends before its first entry, so properties may reach past `end`.
        let limit = Mark { index: self.text.len(), ..end };
        let (tag, anchor, content) = self.properties(start, limit, of)?;
        let map = matches!(kind, NodeKind::Mapping(_));
        let span = Span { start: self.base + content as u32, end: OPEN };
        let node = self.push(Node { kind, tag, anchor, span })?;
        self.name(node);
        self.frames.push(Frame { node, children: self.children.len(), map, flow });
        Ok(())
    }

    fn end(&mut self, end: Mark) {
        let Some(frame) = self.frames.pop() else { return };
        let children = self.children.split_off(frame.children);
        let last = children.last().map(|last| self.nodes[last.index()].span.end);
        let end = self.at(end);
        let node = &mut self.nodes[frame.node.index()];
        // A block collection is only known to be over at the next token, often lines later.
        node.span.end = if frame.flow { end } else { last.unwrap_or(end) }.max(node.span.start);
        node.kind = match frame.map {
            true => NodeKind::Mapping(children.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()),
            false => NodeKind::Sequence(children.into()),
        };
        self.close(frame.node);
    }

    fn properties(&self, start: Mark, end: Mark, of: Properties<'_>) -> Result<Placed, Stop> {
        if of.anchor.is_none() && of.tag.is_none() {
            return Ok((None, None, start.index));
        }
        let found = properties::scan(self.text, start.index, end.index, of.anchor.is_some(), of.tag.is_some());
        let tag_span = Span { start: self.base + found.tag.start as u32, end: self.base + found.tag.end as u32 };
        if of.tag.is_some() && self.text[found.tag.end..].starts_with(',') {
            // libyaml ends a tag at a comma; the reference takes the comma into the tag, which then is unknown.
            let tag = &self.text[found.tag.clone()];
            return Err(Stop::new(format!("the tag '{tag},' is followed by a comma without a space"), tag_span.end));
        }
        let tag = of.tag.map(|tag| Box::new(Tag { text: scalar::short_tag(&tag).into(), span: tag_span }));
        Ok((tag, of.anchor.map(Text::from), found.content))
    }

    fn stray_question_mark(&self, at: usize) -> Stop {
        let frame = self.frames.last();
        let closing = if frame.is_some_and(|frame| frame.map) { '}' } else { ']' };
        let line = |offset: usize| line_starts(&self.text[..offset]).len() as u32 - 1;
        let start = frame.map_or(at, |frame| (self.nodes[frame.node.index()].span.start - self.base) as usize);
        let mut stop = Stop::new(format!("did not find expected ',' or '{closing}'"), self.base + at as u32);
        stop.reported_line = [line(start), line(at)].into_iter().find(|&line| line != 0);
        stop
    }

    fn at(&self, mark: Mark) -> u32 {
        self.base + mark.index as u32
    }

    fn at_key(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.map && (self.children.len() - frame.children).is_multiple_of(2))
    }

    /// The text of a key, one for all of the document.
    fn key(&mut self, text: &str) -> Text {
        let key = intern(text);
        if Text::is_static(&key) {
            return key;
        }
        if let Some(known) = self.long_keys.get(text) {
            return Text::clone(known);
        }
        self.long_keys.insert(Text::clone(&key));
        key
    }

    fn push(&mut self, node: Node) -> Result<NodeId, Stop> {
        let id = u32::try_from(self.nodes.len()).map_err(|_| Stop::new("input is too long", node.span.start))?;
        self.nodes.push(node);
        Ok(NodeId(id))
    }

    fn name(&mut self, id: NodeId) {
        if let Some(anchor) = &self.nodes[id.index()].anchor {
            self.anchors.insert(anchor.clone(), id);
        }
    }

    fn close(&mut self, id: NodeId) {
        match self.frames.is_empty() {
            true => self.root = Some(id),
            false => self.children.push(id),
        }
    }

    fn finish(self, text: Text) -> Result<Document, Stop> {
        if let Some(stop) = self.pending {
            return Err(stop);
        }
        let document = Document {
            nodes: self.nodes,
            root: self.root,
            extra_documents: self.extra_documents,
            text,
            lines: OnceLock::new(),
        };
        match self.aliases.then(|| budget::excess(&document)).flatten() {
            Some(alias) => Err(Stop::new("document contains excessive aliasing", document.node(alias).span.start)),
            None => Ok(document),
        }
    }
}
