//! `stacklint impact`: the components and values that depend on a line, a file or a folder.

use super::{Failure, Global, Outcome, question};
use crate::query::Lines;
use crate::query::impact::{Place, add_resources, impact, loss};
use crate::report::answers::impact::Described;
use crate::review::Resolved;
use crate::source::{Node, Source};
use clap::Args;
use question::{Format, ResolvedState};
use std::io::Write;
use std::path::Path;

/// Show which components depend on a line, a file or a folder, and how.
///
/// A line that opens a map or a list stands for all of it. Values that are overridden everywhere are listed separately.
/// For a whole file, the output also lists what imports it, and what would be missing or no longer resolve without it.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The file, optionally with a line or a range of lines, or a folder
    #[arg(value_name = "FILE[:LINE[-LINE]]|FOLDER")]
    place: String,
    #[command(flatten)]
    question: question::Options,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let state = options.question.state.resolve(global)?;
    let Target { path, lines, is_folder } = target(&options.place, &state)?;
    let Resolved { files, resolution, .. } = &state.resolved;
    let listing = state.source.listing();
    let paths: Vec<&str> = match is_folder {
        true => listing.under(&path).iter().map(|entry| &*entry.path).collect(),
        false => vec![&path],
    };
    let place = Place { path: &path, paths: &paths };
    let mut found = impact(resolution, &state.runs()?, files, place, lines);
    let made = state.made(&found.components.iter().map(|one| one.address.clone()).collect());
    add_resources(&mut found, (resolution, &made), files, place, lines);
    let loss = (lines.is_none() && !is_folder).then(|| loss(resolution, &state.without(&path), files));
    let shown = if path.is_empty() { "." } else { &path };
    let described = Described { file: shown, lines, impact: &found, files, loss: loss.as_ref() };
    let mut out = options.question.stdout(&state.place);
    match options.question.format {
        Format::Json => described.write_json(&mut out)?,
        Format::Text => described.write_text(&mut out, &options.question.text(global))?,
    }
    out.flush()?;
    let outcome = state.finish(global);
    global.leftovers.leave(state.resolved);
    outcome
}

/// What is meant.
struct Target {
    /// Its path from the root of the repository.
    path: String,
    /// The lines of the file; `None` for all of it.
    lines: Option<Lines>,
    /// Whether it is a folder.
    is_folder: bool,
}

fn target(text: &str, state: &ResolvedState) -> Result<Target, Failure> {
    let (path, lines) = parse(text);
    let path = state.place.inside(Path::new(path))?;
    let entry = match state.source.listing().lookup(&path) {
        Ok(Node::Dir(path)) if lines.is_none() => return Ok(Target { path, lines, is_folder: true }),
        Ok(Node::File(entry)) => entry,
        _ => return Err(Failure::Message(missing(&path, &*state.source))),
    };
    let bytes = state.source.read(entry)?;
    let count = bytes.iter().filter(|b| **b == b'\n').count() + usize::from(!bytes.ends_with(b"\n"));
    match lines {
        Some(lines) if lines.last as usize > count => {
            Err(Failure::Message(format!("{path} has {count} lines and no line {}", lines.last)))
        }
        // A symbolic link is replaced by its target.
        _ => Ok(Target { path: entry.path.to_string(), lines, is_folder: false }),
    }
}

/// A file with the lines after its last colon, if there are any.
fn parse(text: &str) -> (&str, Option<Lines>) {
    let Some((path, range)) = text.rsplit_once(':') else { return (text, None) };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => (path, Some(Lines { first, last })),
        _ => (text, None),
    }
}

fn missing(path: &str, source: &dyn Source) -> String {
    let paths = source.listing().iter().map(|entry| &*entry.path);
    match crate::text::nearest(path, paths) {
        Some(near) => format!("{} has no file {path}; did you mean {near}?", source.name()),
        None => format!("{} has no file {path}", source.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let lines = |first, last| Some(Lines { first, last });
        for (text, expected) in [
            ("a.yaml", ("a.yaml", None)),
            ("a.yaml:3", ("a.yaml", lines(3, 3))),
            ("a.yaml:3-5", ("a.yaml", lines(3, 5))),
            ("a:b.yaml", ("a:b.yaml", None)),
            ("a.yaml:0", ("a.yaml:0", None)),
            ("a.yaml:5-3", ("a.yaml:5-3", None)),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
