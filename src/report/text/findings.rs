//! Findings with the lines they are about.

use super::style::{self, Theme, escape};
use super::words;
use crate::diagnostic::{Applicability, Diagnostic, Label, Level};
use crate::diff::Cause;
use crate::files::{File, Files};
use crate::report::{Finding, Novelty, RenderOptions, subjects};
use crate::syntax::secrets;
use crate::value::FileId;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

/// Places further apart get separate excerpts.
const FAR: u32 = 8;
/// A span over more lines is marked on its first line only.
const MAX_SPAN_LINES: u32 = 6;
/// Larger excerpts (a file with a single line, for example) are omitted.
const MAX_EXCERPT: usize = 20_000;
/// The width of the margin before a note.
const MARGIN: usize = 14;
/// The maximum number of stacks that are named.
const MAX_STACKS: usize = 5;
/// What the kind of a note is called.
const NOTE: &str = "note";
/// The least columns of a place behind a message.
const MIN_PLACE: usize = 24;

/// The edited lines that the report shows with the changes: a finding about one of them need not show it again.
#[derive(Debug, Default)]
pub(super) struct Edits(BTreeSet<(FileId, u32)>);

impl Edits {
    pub(super) fn add(&mut self, shown: &[Cause]) {
        self.0.extend(shown.iter().map(|cause| (cause.file, cause.line)));
    }

    /// Whether the only line of a finding is among them.
    pub(super) fn show(&self, d: &Diagnostic, files: &Files) -> bool {
        let (first, last) = lines(&files.get(d.primary.file), &d.primary);
        d.related.is_empty() && first == last && self.0.contains(&(d.primary.file, first))
    }
}

/// Writes a finding with its excerpts, and an empty line.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(
    out: &mut dyn io::Write,
    finding: &Finding,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    write_beside(out, finding, files, &Edits::default(), options)
}

/// The same in a report that shows `edits` with its changes.
///
/// # Errors
/// Those of the writer.
pub(super) fn write_beside(
    out: &mut dyn io::Write,
    finding: &Finding,
    files: &Files,
    edits: &Edits,
    options: &RenderOptions,
) -> io::Result<()> {
    if options.all || !edits.show(&finding.diagnostic, files) {
        return writeln!(out, "{}\n", render(finding, files, options));
    }
    write_title(out, finding, files, &RenderOptions { all: true, ..*options })?;
    let theme = Theme::new(options.color);
    for (kind, text) in footers(finding, true, options) {
        let lines = style::wrap(&format!("  = {}: {text}", theme.bold(kind)), options.width, 4);
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out)
}

/// Writes the title of a finding with its place.
///
/// # Errors
/// Those of the writer.
pub(super) fn write_title(
    out: &mut dyn io::Write,
    finding: &Finding,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let title = format!("{}[{}]", finding.level.name(), finding.diagnostic.rule.id());
    let title = Theme::new(options.color).level(finding.level, &title);
    write_line(out, &title, &finding.diagnostic, files, options)
}

/// Writes only the message of a finding, below one that has the same notes.
///
/// # Errors
/// Those of the writer.
pub(super) fn write_also(
    out: &mut dyn io::Write,
    finding: &Finding,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let title = Theme::new(options.color).level(finding.level, "  also");
    write_line(out, &title, &finding.diagnostic, files, options)
}

/// Writes a title, the message and the place in as few lines as they need. Unless everything is requested, the start of the place
/// is cut if one line does then, and very long messages are.
fn write_line(
    out: &mut dyn io::Write,
    title: &str,
    d: &Diagnostic,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let file = files.get(d.primary.file);
    let at = file.position(d.primary.start);
    let mut text = escape(&d.message);
    let mut place = format!("{}:{}:{}", escape(&file.path), at.line, at.column);
    if !options.all {
        text = style::cut(&text, options.width * 2).into_owned().into();
        let room = options.width.saturating_sub(style::visible_width(title) + style::width(&text) + 5);
        if room >= MIN_PLACE {
            place = words::end(&place, room);
        }
    }
    let place = Theme::new(options.color).dim(&format!("({place})"));
    let lines = style::wrap(&format!("{title}: {text} {place}"), options.width, 4);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes a fixed finding in brief, with its place.
///
/// # Errors
/// Those of the writer.
pub(super) fn write_fixed(
    out: &mut dyn io::Write,
    finding: &Finding,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let title = Theme::new(options.color).added(&format!("fixed[{}]", finding.diagnostic.rule.id()));
    write_line(out, &title, &finding.diagnostic, files, options)
}

/// The finding in several lines, with excerpts.
fn render(finding: &Finding, files: &Files, options: &RenderOptions) -> String {
    let d = &finding.diagnostic;
    let level = match finding.level {
        Level::Danger => Title::ERROR.with_name("danger"),
        Level::Error => Title::ERROR,
        Level::Warning => Title::WARNING,
        Level::Note => Title::NOTE,
    };
    // `warning[rule]: ` precedes the message, and `  = note: ` precedes a note.
    let before = finding.level.name().len() + d.rule.id().len() + 4;
    let title = wrapped(&escape(&d.message), options.width.saturating_sub(before));
    let mut group: Group = Group::with_title(level.primary_title(title).id(d.rule.id()));
    for excerpt in excerpts(d, files, options.width) {
        group = match source(&excerpt, options) {
            Some(source) => {
                let snippet = Snippet::source(source)
                    .path(escape(&excerpt.file.path).into_owned())
                    .line_start(excerpt.first as usize)
                    .annotations(excerpt.marks);
                group.element(snippet)
            }
            None => {
                let path = escape(&excerpt.file.path).into_owned();
                group.element(Origin::path(path).line(excerpt.first as usize))
            }
        };
    }
    for (kind, text) in footers(finding, false, options) {
        let level = if kind == NOTE { Title::NOTE } else { Title::HELP.with_name(kind) };
        group = group.element(level.message(wrapped(&text, options.width.saturating_sub(MARGIN))));
    }
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(options.width.max(40)).render(&[group])
}

/// What stands below a finding, each with its kind: notes, and what to do. If the report `shows` its line with the changes, these
/// say what becomes of each component.
fn footers(finding: &Finding, shows: bool, options: &RenderOptions) -> Vec<(&'static str, String)> {
    let d = &finding.diagnostic;
    let components = if shows { Vec::new() } else { subjects::notes(d, options.all) };
    let components = components.into_iter().map(|note| escape(&note).into_owned());
    let notes = d.notes.iter().map(|n| escape(n).into_owned());
    let address = d.address.as_deref().filter(|_| !shows).map(|address| format!("in {}", escape(address)));
    let is_known = matches!(finding.novelty, Some(Novelty::Known));
    let novelty = is_known.then(|| "the base has this finding too".to_owned());
    let all = components.chain(notes).chain(address).chain(stacks(d)).chain(novelty);
    let mut footers: Vec<_> = all.map(|note| (NOTE, note)).collect();
    // The text of the fix need not be repeated.
    let help = d.help.as_ref().filter(|help| d.fix.as_ref().is_none_or(|fix| fix.title != **help));
    footers.extend(help.map(|help| ("help", escape(help).into_owned())));
    footers.extend(d.fix.as_ref().map(|fix| {
        let trust = match fix.applicability {
            Applicability::Safe => "",
            Applicability::Unsafe => " (unsafe)",
            Applicability::DisplayOnly => " (by hand)",
        };
        ("fix", format!("{}{trust}", escape(&fix.title)))
    }));
    footers
}

/// Escaped text in lines of some columns, which the renderer puts below each other.
fn wrapped(text: &str, columns: usize) -> String {
    style::wrap(text, columns.max(30), 0).join("\n")
}

/// `reaches 7 stacks: a, b, …`.
fn stacks(d: &Diagnostic) -> Option<String> {
    let (first, rest) = d.stacks.split_at(d.stacks.len().min(MAX_STACKS));
    let names: Vec<_> = first.iter().map(|s| escape(s)).collect();
    let more = if rest.is_empty() { String::new() } else { format!(", … {} more", rest.len()) };
    // Where there is an address, it names one stack.
    (names.len() > usize::from(d.address.is_some()) && d.subjects.len() < 2)
        .then(|| format!("reaches {}: {}{more}", style::count(d.stacks.len(), "stack"), names.join(", ")))
}

/// Lines of a file with their labels.
struct Excerpt<'a> {
    file: Arc<File>,
    first: u32,
    last: u32,
    start: u32,
    end: u32,
    marks: Vec<Annotation<'a>>,
}

/// A label, and its step in the explanation (from 1); the primary label has none.
type Marked<'a> = (&'a Label, Option<usize>);

/// The excerpts of a finding; the one with its primary place comes first.
fn excerpts<'a>(d: &'a Diagnostic, files: &Files, columns: usize) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<(Excerpt, Vec<Marked>)> = Vec::new();
    let related = d.related.iter().zip(1..).map(|(l, n)| (l, Some(n)));
    for (label, step) in std::iter::once((&d.primary, None)).chain(related) {
        let file = files.get(label.file);
        let (first, last) = lines(&file, label);
        let near = excerpts.iter_mut().find(|(e, _)| {
            e.file.path == file.path && first <= e.last.saturating_add(FAR) && last.saturating_add(FAR) >= e.first
        });
        match near {
            Some((excerpt, labels)) => {
                (excerpt.first, excerpt.last) = (excerpt.first.min(first), excerpt.last.max(last));
                labels.push((label, step));
            }
            None => {
                excerpts.push((Excerpt { file, first, last, start: 0, end: 0, marks: vec![] }, vec![(label, step)]))
            }
        }
    }
    let finish = |(mut excerpt, labels): (Excerpt<'a>, Vec<Marked<'a>>)| {
        (excerpt.start, excerpt.end) =
            (excerpt.file.line_span(excerpt.first).start, excerpt.file.line_span(excerpt.last).end);
        for (label, step) in labels {
            let kind = if step.is_none() { AnnotationKind::Primary } else { AnnotationKind::Context };
            let (_, last) = lines(&excerpt.file, label);
            let start = label.start.clamp(excerpt.start, excerpt.end);
            let end = excerpt.file.trimmed_end(label.start, label.end);
            let end = end.clamp(start, excerpt.file.line_span(last).end.max(start));
            // A mark that is wider than the terminal would not let the line be cut.
            let is_wide = excerpt.file.line(start) == last && (end - start) as usize > columns / 2;
            let end = if is_wide { start + (columns / 2) as u32 } else { end };
            let mark =
                kind.span(boundary(&excerpt.file, start, excerpt.start)..boundary(&excerpt.file, end, excerpt.start));
            let message = escape(&label.message);
            // The steps of a chain are read in their order, independent of their position.
            let number =
                step.filter(|_| d.is_chain && d.related.len() > 1).map(|n| format!("{n}. ")).unwrap_or_default();
            let words = format!("{number}{message}");
            excerpt.marks.push(if words.is_empty() { mark } else { mark.label(words.trim_end().to_owned()) });
        }
        excerpt
    };
    excerpts.into_iter().map(finish).collect()
}

/// The lines that a label covers.
fn lines(file: &File, label: &Label) -> (u32, u32) {
    let first = file.line(label.start);
    let end = file.trimmed_end(label.start, label.end);
    let last = file.line(end.saturating_sub(1).max(label.start));
    (first, if last - first >= MAX_SPAN_LINES { first } else { last })
}

/// The offset in an excerpt, moved back to the start of a character.
fn boundary(file: &File, offset: u32, start: u32) -> usize {
    let mut at = (offset as usize).min(file.text.len());
    while !file.text.is_char_boundary(at) {
        at -= 1;
    }
    at.saturating_sub(start as usize)
}

/// The text of an excerpt. What looks like a secret is overwritten byte by byte, and so is what steers a terminal, so that
/// marks stay where they are.
fn source(excerpt: &Excerpt, options: &RenderOptions) -> Option<String> {
    let text = excerpt.file.text.get(excerpt.start as usize..excerpt.end as usize)?;
    if text.len() > MAX_EXCERPT {
        return None;
    }
    let mut safe = String::with_capacity(text.len());
    for (number, line) in (excerpt.first..).zip(text.split_inclusive('\n')) {
        let mut at = 0;
        let secrets = match options.show_secrets {
            true => Vec::new(),
            false => secrets::in_line(&excerpt.file, number, line, false),
        };
        for range in secrets {
            push_harmless(&mut safe, &line[at..range.start]);
            safe.extend(std::iter::repeat_n('*', range.len()));
            at = range.end;
        }
        push_harmless(&mut safe, &line[at..]);
    }
    Some(safe)
}

/// Adds text with as many bytes in place of each character that steers a terminal. Those of one byte are left to the
/// renderer, which has signs for them.
fn push_harmless(safe: &mut String, text: &str) {
    for c in text.chars() {
        match c.len_utf8() {
            2 if style::steers(c) => safe.push('·'),
            3 if style::steers(c) => safe.push('\u{fffd}'),
            4 if style::steers(c) => safe.push_str("\u{fffd}?"),
            _ => safe.push(c),
        }
    }
}
