//! A safe pull iterator over libyaml's parser events.
//!
//! The one place of the crate that talks to a C-style API: raw pointers live and die here, callers see borrowed
//! strings and plain numbers.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

use libyaml_rs as sys;

/// Deeper nesting is rejected, as in the reference.
pub(crate) const MAX_DEPTH: usize = 10_000;

/// For each token libyaml looks at all levels of the flow around it, so that both numbers are limited by their product.
const MAX_LEVELS_READ: usize = 200_000_000;

/// A position in the text passed to [`Events::new`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Byte offset.
    pub index: usize,
    /// Zero-based line, counted the way libyaml counts (NEL, LS and PS end a line too).
    pub line: usize,
    /// Zero-based column in characters.
    pub column: usize,
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In `'` quotes.
    SingleQuoted,
    /// In `"` quotes.
    DoubleQuoted,
    /// A `|` block.
    Literal,
    /// A `>` block.
    Folded,
}

/// The content of an event, without its marks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EventKind<'p> {
    /// The input begins.
    StreamStart,
    /// The input is over.
    StreamEnd,
    /// A document begins; `version` is the `(major, minor)` of its `%YAML` directive.
    DocumentStart {
        /// The version directive, if there is one.
        version: Option<(i32, i32)>,
    },
    /// A document is over.
    DocumentEnd,
    /// `*name`.
    Alias {
        /// The name after the asterisk.
        name: Cow<'p, str>,
    },
    /// A scalar.
    Scalar {
        /// The anchor's name.
        anchor: Option<Cow<'p, str>>,
        /// The tag with its handle resolved (`tag:yaml.org,2002:int` for `!!int`).
        tag: Option<Cow<'p, str>>,
        /// The value after unescaping and folding.
        value: Cow<'p, str>,
        /// How it was written.
        style: Style,
    },
    /// A list begins.
    SequenceStart {
        /// The anchor's name.
        anchor: Option<Cow<'p, str>>,
        /// The resolved tag.
        tag: Option<Cow<'p, str>>,
        /// Written with `[`.
        flow: bool,
    },
    /// A list is over.
    SequenceEnd,
    /// A map begins.
    MappingStart {
        /// The anchor's name.
        anchor: Option<Cow<'p, str>>,
        /// The resolved tag.
        tag: Option<Cow<'p, str>>,
        /// Written with `{`.
        flow: bool,
    },
    /// A map is over.
    MappingEnd,
}

/// One parser event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event<'p> {
    /// The content.
    pub kind: EventKind<'p>,
    /// Where its tokens begin (properties included).
    pub start: Mark,
    /// Where its tokens end.
    pub end: Mark,
}

/// Why the parser stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// libyaml's problem text.
    pub problem: String,
    /// The context, e.g. `while scanning a simple key`; empty if unknown.
    pub context: String,
    /// Where the problem was noticed.
    pub at: Mark,
    /// Where the construct in `context` begins, if libyaml reports it.
    pub context_at: Option<Mark>,
    /// The scanner (not the grammar) gave up.
    pub scanner: bool,
    /// The reader gave up: only `at.index` is known.
    pub reader: bool,
}

/// Pulls events from one UTF-8 text.
pub(super) struct Events<'t> {
    parser: *mut sys::yaml_parser_t,
    event: sys::yaml_event_t,
    depth: usize,
    /// The levels of flow around the place.
    flow: usize,
    /// The levels around each event so far, together.
    levels_read: usize,
    input: PhantomData<&'t [u8]>,
}

impl<'t> Events<'t> {
    /// Starts on `text`, which must not begin with a byte order mark that is meant to be skipped. `None` when memory
    /// for the parser cannot be had.
    pub(super) fn new(text: &'t str) -> Option<Self> {
        let parser = Box::into_raw(Box::new(MaybeUninit::<sys::yaml_parser_t>::uninit())).cast::<sys::yaml_parser_t>();
        // SAFETY: `parser` is a fresh, exclusively owned, well aligned allocation that never moves again, as libyaml
        // requires (it keeps a pointer to the struct in itself). `initialize` fills all of it. The input outlives
        // `'t`, which bounds `Self`. An event of all zero bytes is libyaml's own "no event".
        unsafe {
            if sys::yaml_parser_initialize(parser).fail {
                drop(Box::from_raw(parser.cast::<MaybeUninit<sys::yaml_parser_t>>()));
                return None;
            }
            sys::yaml_parser_set_encoding(parser, sys::YAML_UTF8_ENCODING);
            sys::yaml_parser_set_input_string(parser, text.as_ptr(), text.len() as u64);
            let event = MaybeUninit::<sys::yaml_event_t>::zeroed().assume_init();
            Some(Self { parser, event, depth: 0, flow: 0, levels_read: 0, input: PhantomData })
        }
    }

    /// The next event, valid until the next call. After `StreamEnd` or an error every call answers `StreamEnd`.
    pub(super) fn pull(&mut self) -> Result<Event<'_>, Failure> {
        // SAFETY: the parser was initialized in `new` and is accessed only through `self`. The previous event is either
        // zeroed or filled by `yaml_parser_parse`; deleting it zeroes it, so nothing is freed twice, and the borrow of
        // `self` in the returned `Event` guarantees that it is no longer read.
        let ok = unsafe {
            sys::yaml_event_delete(&raw mut self.event);
            sys::yaml_parser_parse(self.parser, &raw mut self.event).ok
        };
        if !ok {
            return Err(self.failure());
        }
        let (start, end) = (mark(self.event.start_mark), mark(self.event.end_mark));
        match self.event.type_ {
            sys::YAML_SEQUENCE_START_EVENT | sys::YAML_MAPPING_START_EVENT => {
                self.depth += 1;
                self.flow += usize::from(self.flow > 0 || self.is_flow());
                if self.depth > MAX_DEPTH {
                    return Err(refused(format!("exceeded max depth of {MAX_DEPTH}"), start));
                }
            }
            sys::YAML_SEQUENCE_END_EVENT | sys::YAML_MAPPING_END_EVENT => {
                self.depth = self.depth.saturating_sub(1);
                self.flow = self.flow.saturating_sub(1);
            }
            _ => {}
        }
        self.levels_read += self.flow;
        if self.levels_read > MAX_LEVELS_READ {
            return Err(refused("too much is nested too deep in brackets".to_owned(), start));
        }
        Ok(Event { kind: self.kind(), start, end })
    }

    /// Whether a collection that begins is written in brackets. All that is in it is, too.
    fn is_flow(&self) -> bool {
        matches!(self.kind(), EventKind::SequenceStart { flow: true, .. } | EventKind::MappingStart { flow: true, .. })
    }

    fn kind(&self) -> EventKind<'_> {
        // SAFETY: each union field is read under the event type it belongs to. Strings are NUL-terminated or carry
        // their length, are owned by the event and stay alive until the next `pull`, which needs `&mut self`.
        unsafe {
            let data = &self.event.data;
            match self.event.type_ {
                sys::YAML_STREAM_START_EVENT => EventKind::StreamStart,
                sys::YAML_DOCUMENT_START_EVENT => {
                    let version = data.document_start.version_directive;
                    let version = (!version.is_null()).then(|| ((*version).major, (*version).minor));
                    EventKind::DocumentStart { version }
                }
                sys::YAML_DOCUMENT_END_EVENT => EventKind::DocumentEnd,
                sys::YAML_ALIAS_EVENT => EventKind::Alias { name: text(data.alias.anchor).unwrap_or_default() },
                sys::YAML_SCALAR_EVENT => {
                    let scalar = &data.scalar;
                    let value = if scalar.value.is_null() {
                        Cow::Borrowed("")
                    } else {
                        String::from_utf8_lossy(slice::from_raw_parts(scalar.value, scalar.length as usize))
                    };
                    EventKind::Scalar {
                        anchor: text(scalar.anchor),
                        tag: text(scalar.tag),
                        value,
                        style: match scalar.style {
                            sys::YAML_SINGLE_QUOTED_SCALAR_STYLE => Style::SingleQuoted,
                            sys::YAML_DOUBLE_QUOTED_SCALAR_STYLE => Style::DoubleQuoted,
                            sys::YAML_LITERAL_SCALAR_STYLE => Style::Literal,
                            sys::YAML_FOLDED_SCALAR_STYLE => Style::Folded,
                            _ => Style::Plain,
                        },
                    }
                }
                sys::YAML_SEQUENCE_START_EVENT => EventKind::SequenceStart {
                    anchor: text(data.sequence_start.anchor),
                    tag: text(data.sequence_start.tag),
                    flow: data.sequence_start.style == sys::YAML_FLOW_SEQUENCE_STYLE,
                },
                sys::YAML_SEQUENCE_END_EVENT => EventKind::SequenceEnd,
                sys::YAML_MAPPING_START_EVENT => EventKind::MappingStart {
                    anchor: text(data.mapping_start.anchor),
                    tag: text(data.mapping_start.tag),
                    flow: data.mapping_start.style == sys::YAML_FLOW_MAPPING_STYLE,
                },
                sys::YAML_MAPPING_END_EVENT => EventKind::MappingEnd,
                _ => EventKind::StreamEnd,
            }
        }
    }

    fn failure(&self) -> Failure {
        // SAFETY: the parser is initialised; `problem` and `context` are null or static NUL-terminated strings.
        unsafe {
            let parser = &**self.parser;
            let message = |pointer: *const i8| match pointer.is_null() {
                true => String::new(),
                false => CStr::from_ptr(pointer.cast()).to_string_lossy().into_owned(),
            };
            let reader = parser.error == sys::YAML_READER_ERROR;
            let context = message(parser.context);
            let context_at = (!context.is_empty()).then(|| mark(parser.context_mark));
            let at = match reader {
                true => Mark { index: parser.problem_offset as usize, ..Mark::default() },
                false => mark(parser.problem_mark),
            };
            Failure {
                problem: message(parser.problem),
                context,
                at,
                context_at,
                scanner: parser.error == sys::YAML_SCANNER_ERROR,
                reader,
            }
        }
    }
}

/// Text that is not read any further.
fn refused(problem: String, at: Mark) -> Failure {
    Failure { problem, context: String::new(), at, context_at: None, scanner: true, reader: false }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        // SAFETY: both were initialized in `new` and are released exactly once, here. The box is released with the type
        // it was created with.
        unsafe {
            sys::yaml_event_delete(&raw mut self.event);
            sys::yaml_parser_delete(self.parser);
            drop(Box::from_raw(self.parser.cast::<MaybeUninit<sys::yaml_parser_t>>()));
        }
    }
}

fn mark(mark: sys::yaml_mark_t) -> Mark {
    Mark { index: mark.index as usize, line: mark.line as usize, column: mark.column as usize }
}

/// # Safety
/// `pointer` is null or a NUL-terminated string that outlives `'p`.
unsafe fn text<'p>(pointer: *const u8) -> Option<Cow<'p, str>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    Some(unsafe { CStr::from_ptr(pointer.cast()) }.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Result<Vec<String>, Failure> {
        let mut events = Events::new(text).unwrap();
        let mut seen = Vec::new();
        loop {
            let event = events.pull()?;
            let end = event.kind == EventKind::StreamEnd;
            seen.push(format!("{:?}", event.kind).split([' ', '{']).next().unwrap().to_owned());
            if end {
                return Ok(seen);
            }
        }
    }

    #[test]
    fn events_of_a_small_text() {
        let seen = kinds("a: [1, *x]\n").unwrap().join(" ");
        assert_eq!(
            seen,
            "StreamStart DocumentStart MappingStart Scalar SequenceStart Scalar Alias SequenceEnd MappingEnd \
             DocumentEnd StreamEnd"
        );
    }

    #[test]
    fn depth_is_bounded() {
        let failure = kinds(&"[".repeat(20_000)).unwrap_err();
        assert_eq!(failure.problem, "exceeded max depth of 10000");
        assert!(kinds(&format!("{}{}", "[".repeat(9_000), "]".repeat(9_000))).is_ok());
    }

    #[test]
    fn failures_carry_marks() {
        let failure = kinds("a: 'b\nc").unwrap_err();
        assert_eq!(failure.problem, "found unexpected end of stream");
        assert_eq!(failure.context_at.unwrap().index, 3);
        assert!(failure.scanner);
        let failure = kinds("a: \u{7}").unwrap_err();
        assert!(failure.reader);
        assert_eq!(failure.at.index, 3);
    }
}
