//! Where output goes: data to stdout, eprint to stderr.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where output leaves the process"
)]

mod hyperlinks;
pub(super) mod progress;

use super::{Color, Failure, Global};
use crate::files::Files;
use crate::report::log::{self, Filter, OutputKind};
use crate::report::{Finding, RenderOptions, text};
use clap::ValueEnum;
use hyperlinks::Hyperlinks;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Standard output for lines that people read, buffered.
pub(super) fn stdout() -> impl Write {
    stdout_of(OutputKind::Text)
}

/// Standard output for what is of this kind, buffered.
pub(super) fn stdout_of(kind: OutputKind) -> impl Write {
    stdout_showing(kind, false)
}

/// The same, with keys and tokens of well-known services shown or hidden.
pub(super) fn stdout_showing(kind: OutputKind, shows_secrets: bool) -> Filter<impl Write + use<>> {
    stdout_linked(kind, shows_secrets, None)
}

/// The same. Places of files below `root` become links where the terminal shows links.
pub(super) fn stdout_linked(kind: OutputKind, shows_secrets: bool, root: Option<&Path>) -> Filter<impl Write + use<>> {
    progress::stop();
    let out = Hyperlinks::new(io::BufWriter::with_capacity(1 << 16, io::stdout().lock()), root);
    Filter::new(out, kind).showing_secrets(shows_secrets)
}

/// How a comparison of states is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFormat {
    Text,
    Markdown,
    Json,
}

/// Writes a comparison of states to standard output, whole if `all`, with what looks like secrets if `show_secrets`.
///
/// # Errors
/// It cannot be written.
pub(super) fn answer(
    format: AnswerFormat,
    (all, show_secrets): (bool, bool),
    global: &Global,
    write: &mut dyn FnMut(&mut dyn Write, &RenderOptions) -> io::Result<()>,
) -> Result<(), Failure> {
    let kind = match format {
        AnswerFormat::Json => OutputKind::Json,
        AnswerFormat::Text => OutputKind::Text,
        AnswerFormat::Markdown => OutputKind::Raw,
    };
    let standard = options(global);
    let lines = standard.lines.filter(|_| !all);
    let color = standard.color && format != AnswerFormat::Markdown;
    let mut out = stdout_showing(kind, show_secrets);
    write(&mut out, &RenderOptions { show_secrets, all, lines, color, ..standard })?;
    Ok(out.flush()?)
}

/// How text is to look on standard output.
pub(super) fn options(global: &Global) -> RenderOptions {
    let color = colored(global, io::stdout().is_terminal(), anstream::AutoStream::choice(&io::stdout()));
    RenderOptions { color, width: width(), lines: Some(MAX_LINES), ..RenderOptions::default() }
}

/// Longer reports are shortened, unless everything is requested.
const MAX_LINES: usize = 56;
/// Lines are at least and at most so wide.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=160;
/// How wide they are where nothing shows the width.
const DEFAULT_WIDTH: usize = 100;

fn colored(global: &Global, terminal: bool, choice: anstream::ColorChoice) -> bool {
    match global.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let forced = std::env::var_os("FORCE_COLOR").is_some_and(|v| !v.is_empty() && v != "0");
            let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            !refused
                && (forced
                    || choice != anstream::ColorChoice::Never && (terminal || choice != anstream::ColorChoice::Auto))
        }
    }
}

/// The width of a line: that of the terminal, or else the value of `COLUMNS`.
pub(super) fn width() -> usize {
    let of_terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c >= 40);
    let known = if io::stdout().is_terminal() { of_terminal().or(columns) } else { columns };
    known.unwrap_or(DEFAULT_WIDTH).clamp(*WIDTHS.start(), *WIDTHS.end())
}

/// Prints a message on standard error.
pub(super) fn eprint(text: &str) {
    // If that fails, there is no way left to report it.
    let _ = progress::with_progress_hidden(|| writeln!(io::stderr(), "{}", log::plain(text)));
}

/// Writes findings to standard error, for commands whose data goes to standard output.
pub(super) fn eprint_findings(findings: &[Finding], files: &Files, global: &Global) -> io::Result<()> {
    let color = colored(global, io::stderr().is_terminal(), anstream::AutoStream::choice(&io::stderr()));
    let options = RenderOptions { color, width: width(), ..RenderOptions::default() };
    progress::stop();
    let mut out = Filter::new(io::stderr().lock(), OutputKind::Text);
    for mut finding in findings.iter().cloned() {
        finding.diagnostic.hide_secrets(files);
        text::write_finding(&mut out, &finding, files, &options)?;
    }
    out.flush()
}
