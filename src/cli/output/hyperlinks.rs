//! Links in a terminal (OSC 8): places lead to the file, names of rules to their pages.
//!
//! They are added to lines that are already safe to print, so nothing of a repository can write a link by itself, and
//! what links lead to is percent-encoded.
#![allow(clippy::disallowed_methods, reason = "whether a text is the path of a file is asked from the disk")]

use crate::diagnostic::Level;
use crate::go::escape::percent;
use crate::report::links;
use crate::rules;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// What ends a word besides white space and color codes.
const DELIMITERS: [char; 7] = ['(', ')', ',', ';', '`', '"', '│'];

/// A writer that adds links to complete lines of text.
#[derive(Debug)]
pub(in crate::cli) struct Hyperlinks<W: Write> {
    out: W,
    /// The folder that paths begin in; `None` if the terminal shows no links.
    root: Option<PathBuf>,
    held: Vec<u8>,
}

impl<W: Write> Hyperlinks<W> {
    /// A writer that adds links to files below `root` if standard output shows them, which `FORCE_HYPERLINK` decides, or else
    /// the variables that known terminals set.
    pub(in crate::cli) fn new(out: W, root: Option<&Path>) -> Self {
        let shown = root.filter(|_| supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout));
        let root = shown.and_then(|root| std::path::absolute(root).ok());
        Hyperlinks { out, root, held: Vec::new() }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        match (&self.root, std::str::from_utf8(bytes)) {
            (Some(root), Ok(text)) => self.out.write_all(with_links(text, root).as_bytes()),
            _ => self.out.write_all(bytes),
        }
    }
}

impl<W: Write> Write for Hyperlinks<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.root.is_none() {
            return self.out.write(bytes);
        }
        self.held.extend_from_slice(bytes);
        if let Some(end) = self.held.iter().rposition(|b| *b == b'\n') {
            let rest = self.held.split_off(end + 1);
            let lines = std::mem::replace(&mut self.held, rest);
            self.pass(&lines)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.pass(&held)?;
        self.out.flush()
    }
}

/// Text with links for the places and the rules in it.
fn with_links(text: &str, root: &Path) -> String {
    let mut linked = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while !rest.is_empty() {
        let end =
            rest.find(|c: char| c.is_whitespace() || c == '\u{1b}' || DELIMITERS.contains(&c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match target(word.trim_end_matches(':'), root) {
            Some(uri) => linked.push_str(&format!("\u{1b}]8;;{uri}\u{1b}\\{word}\u{1b}]8;;\u{1b}\\")),
            None => linked.push_str(word),
        }
        // A color code is passed on as it is; anything else is one character.
        let length = match after.starts_with('\u{1b}') {
            true => after.find('m').map_or(after.len(), |end| end + 1),
            false => after.chars().next().map_or(0, char::len_utf8),
        };
        linked.push_str(&after[..length]);
        rest = &after[length..];
    }
    linked
}

/// Where a word leads: `path:line` and `path:line:column` to a file that is there, `level[rule]` to a page.
fn target(word: &str, root: &Path) -> Option<String> {
    if let Some((level, id)) = word.strip_suffix(']').and_then(|word| word.split_once('[')) {
        let is_title = level == "fixed" || Level::ALL.iter().any(|known| known.name() == level);
        return rules::find(id).filter(|_| is_title).map(links::rule_page);
    }
    let (start, last) = word.rsplit_once(':')?;
    let number = |text: &str| text.parse::<u32>().ok();
    let (path, line) =
        match (start.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))), number(last)?) {
            (Some((path, line)), _) => (path, line),
            (None, line) => (start, line),
        };
    let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = root.join(path);
    if !is_inside || !file.is_file() {
        return None;
    }
    let file = file.to_string_lossy().replace('\\', "/");
    Some(format!("file://{}/{}#{line}", host(), percent(file.trim_start_matches('/'), "-._~/:")))
}

/// The name of this machine, which tells a terminal whether the file is on its own; empty if it is not known.
fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = String::new();
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    if is_plain { name } else { String::new() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The text with each link as `<target|word>`.
    fn shown(text: &str, root: &Path) -> String {
        let linked = with_links(text, root);
        let place = format!("file://{}/{}/", host(), percent(&root.to_string_lossy()[1..], "-._~/:"));
        let readable = linked.replace("\u{1b}]8;;\u{1b}\\", ">").replace(&place, "").replace("\u{1b}]8;;", "<");
        readable.replace("\u{1b}\\", "|")
    }

    #[test]
    fn files_outside_are_no_places() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let outside = dir.path().join("out.yaml");
        for path in [&outside, &root.join("a.yaml")] {
            std::fs::write(path, "").unwrap();
        }
        for text in ["../out.yaml:1", "./../out.yaml:1", &format!("{}:1", outside.display()), "/etc/passwd:1:1"] {
            assert_eq!(shown(text, &root), text);
        }
        assert_eq!(shown("a.yaml:1", &root), "<a.yaml#1|a.yaml:1>");
    }

    #[test]
    fn places_of_files_and_names_of_rules() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.yaml", "ü#.yaml"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        for (text, expected) in [
            ("a.yaml:2  x", "<a.yaml#2|a.yaml:2>  x"),
            ("(a.yaml:2:3)\n", "(<a.yaml#2|a.yaml:2:3>)\n"),
            ("\u{1b}[1ma.yaml:2\u{1b}[0m: x", "\u{1b}[1m<a.yaml#2|a.yaml:2>\u{1b}[0m: x"),
            ("a.yaml:2:3: error", "<a.yaml#2|a.yaml:2:3:> error"),
            ("set in ü#.yaml:7", "set in <%C3%BC%23.yaml#7|ü#.yaml:7>"),
            (
                "b.yaml:2 a.yaml ../a.yaml:1 /a.yaml:1 a.yaml:x :1 1:2",
                "b.yaml:2 a.yaml ../a.yaml:1 /a.yaml:1 a.yaml:x :1 1:2",
            ),
            ("error[no-such-rule] x[undefined-local]", "error[no-such-rule] x[undefined-local]"),
        ] {
            assert_eq!(shown(text, dir.path()), expected);
        }
        let rule = shown("error[undefined-local]: x", dir.path());
        assert!(
            rule.starts_with("<https://") && rule.ends_with("/undefined-local.md|error[undefined-local]:> x"),
            "{rule}"
        );
    }
}
