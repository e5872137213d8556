//! Where output goes: data to stdout, eprint to stderr.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where output leaves the process"
)]

use super::{Color, Global};
use crate::files::Files;
use crate::report::{Finding, Options, text};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Standard output, buffered.
pub(super) fn stdout() -> impl Write {
    io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// How text is to look on standard output.
pub(super) fn options(global: &Global) -> Options {
    let color = colored(global, io::stdout().is_terminal(), anstream::AutoStream::choice(&io::stdout()));
    Options { color, width: width(), ..Options::default() }
}

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

fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c >= 40).unwrap_or(100)
}

/// Writes a file that the user asked for. It is written beside its place and then moved there, so that nobody ever sees
/// half of it, whatever ends this process. What is no regular file (a pipe, a link, `/dev/stdout`) is written as it is.
pub(super) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_replaceable = match fs::symlink_metadata(path) {
        Ok(there) => there.is_file(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return fs::write(path, content),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stacklint-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What is new is as public as any other new file.
        let mode = fs::metadata(path).map_or(0o666, |there| there.permissions().mode());
        builder.permissions(fs::Permissions::from_mode(mode & 0o777));
    }
    match builder.tempfile_in(folder) {
        Ok(mut file) if is_replaceable => {
            file.write_all(content)?;
            file.persist(path).map_err(|e| e.error)?;
            Ok(())
        }
        // A folder in which nothing can be made may hold a file that can be written.
        Ok(_) | Err(_) => fs::write(path, content),
    }
}

/// Says something on standard error.
pub(super) fn eprint(text: &str) {
    // There is nobody left to tell if that fails.
    let _ = writeln!(io::stderr(), "{}", crate::report::github::plain(text));
}

/// Writes findings to standard error, for commands whose data goes to standard output.
pub(super) fn talk_findings(findings: &[Finding], files: &Files, global: &Global) -> io::Result<()> {
    let color = colored(global, io::stderr().is_terminal(), anstream::AutoStream::choice(&io::stderr()));
    let options = Options { color, width: width(), ..Options::default() };
    let mut out = io::stderr().lock();
    findings.iter().try_for_each(|finding| text::write_finding(&mut out, finding, files, &options))
}
