//! Findings with the lines they are about.

use super::style::{self, escape};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::mask;
use crate::files::{File, Files};
use crate::report::Options;
use crate::report::{Finding, Novelty};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};
use std::io;
use std::sync::Arc;

/// Places further apart get excerpts of their own.
const FAR: u32 = 8;
/// A span over more lines is marked on its first line only.
const MAX_SPAN_LINES: u32 = 6;
/// Larger excerpts (a file in one line, say) are left out.
const MAX_EXCERPT: usize = 20_000;
/// The most stacks that are named.
const MAX_STACKS: usize = 5;

/// Writes a finding with its excerpts, and an empty line.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut dyn io::Write, finding: &Finding, files: &Files, options: &Options) -> io::Result<()> {
    writeln!(out, "{}\n", render(finding, files, options))
}

fn render(finding: &Finding, files: &Files, options: &Options) -> String {
    let d = &finding.diagnostic;
    let level = match finding.level {
        Level::Error => Title::ERROR,
        Level::Warning => Title::WARNING,
        Level::Note => Title::NOTE,
    };
    let mut group: Group = Group::with_title(level.primary_title(escape(&d.message)).id(d.rule));
    for excerpt in excerpts(d, files) {
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
    let reach = stacks(d);
    let novelty = match finding.novelty {
        Some(Novelty::Known) => Some("the base has this finding too".to_owned()),
        Some(Novelty::Fixed) => Some("the head no longer has this finding".to_owned()),
        _ => None,
    };
    for note in d.notes.iter().map(|n| escape(n).into_owned()).chain(reach).chain(novelty) {
        group = group.element(Title::NOTE.message(note));
    }
    if let Some(help) = &d.help {
        group = group.element(Title::HELP.message(escape(help).into_owned()));
    }
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(options.width.max(40)).render(&[group])
}

/// `reaches 7 stacks: a, b, …`.
fn stacks(d: &Diagnostic) -> Option<String> {
    let (first, rest) = d.stacks.split_at(d.stacks.len().min(MAX_STACKS));
    let names: Vec<_> = first.iter().map(|s| escape(s)).collect();
    let more = if rest.is_empty() { String::new() } else { format!(", … {} more", rest.len()) };
    (!names.is_empty())
        .then(|| format!("reaches {}: {}{more}", style::count(d.stacks.len(), "stack"), names.join(", ")))
}

/// Lines of a file with what is said about them.
struct Excerpt<'a> {
    file: Arc<File>,
    first: u32,
    last: u32,
    start: u32,
    end: u32,
    marks: Vec<Annotation<'a>>,
}

/// The excerpts of a finding; the one with its primary place comes first.
fn excerpts<'a>(d: &'a Diagnostic, files: &Files) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<(Excerpt, Vec<(&Label, bool)>)> = Vec::new();
    for (label, primary) in std::iter::once((&d.primary, true)).chain(d.related.iter().map(|l| (l, false))) {
        let file = files.get(label.file);
        let (first, last) = lines(&file, label);
        let near = excerpts.iter_mut().find(|(e, _)| {
            e.file.path == file.path && first <= e.last.saturating_add(FAR) && last.saturating_add(FAR) >= e.first
        });
        match near {
            Some((excerpt, labels)) => {
                (excerpt.first, excerpt.last) = (excerpt.first.min(first), excerpt.last.max(last));
                labels.push((label, primary));
            }
            None => {
                excerpts.push((Excerpt { file, first, last, start: 0, end: 0, marks: vec![] }, vec![(label, primary)]))
            }
        }
    }
    let finish = |(mut excerpt, labels): (Excerpt<'a>, Vec<(&'a Label, bool)>)| {
        (excerpt.start, excerpt.end) =
            (excerpt.file.line_span(excerpt.first).start, excerpt.file.line_span(excerpt.last).end);
        for (label, primary) in labels {
            let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let (_, last) = lines(&excerpt.file, label);
            let start = label.start.clamp(excerpt.start, excerpt.end);
            let end = label.end.clamp(start, excerpt.file.line_span(last).end.max(start));
            let mark =
                kind.span(boundary(&excerpt.file, start, excerpt.start)..boundary(&excerpt.file, end, excerpt.start));
            let message = escape(&label.message);
            excerpt.marks.push(if message.is_empty() { mark } else { mark.label(message.into_owned()) });
        }
        excerpt
    };
    excerpts.into_iter().map(finish).collect()
}

/// The lines that a label covers.
fn lines(file: &File, label: &Label) -> (u32, u32) {
    let first = file.line(label.start);
    let last = file.line(label.end.saturating_sub(1).max(label.start));
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

/// The text of an excerpt; what looks like a secret is overwritten byte by byte, so that marks stay where they are.
fn source(excerpt: &Excerpt, options: &Options) -> Option<String> {
    let text = excerpt.file.text.get(excerpt.start as usize..excerpt.end as usize)?;
    if text.len() > MAX_EXCERPT {
        return None;
    }
    if options.show_secrets {
        return Some(text.to_owned());
    }
    let mut masked = String::with_capacity(text.len());
    for (number, line) in (excerpt.first..).zip(text.split_inclusive('\n')) {
        let mut at = 0;
        for range in mask::secret_ranges(line, mask::is_inside_secret(&excerpt.file, number)) {
            masked.push_str(&line[at..range.start]);
            masked.extend(std::iter::repeat_n('*', range.len()));
            at = range.end;
        }
        masked.push_str(&line[at..]);
    }
    Some(masked)
}
