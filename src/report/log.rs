//! Output that a CI system or a terminal may interpret: text from files must not act as a command to either.
//!
//! Commands that are known: `::name::` at the start of a line (GitHub Actions; `::: ` names no command), `##[name]` (GitHub Actions, Azure Pipelines),
//! `##vso[…]` (Azure Pipelines), `##teamcity[…]`, `section_start:` and `section_end:` (GitLab), `travis_fold:`.

use super::secrets;
use super::text::style;
use crate::limits::take_steps;
use std::borrow::Cow;
use std::io::{self, Write};

/// Words that start a command when a colon follows.
const WORDS: [&str; 3] = ["section_start", "section_end", "travis_fold"];

/// A line in which no CI system finds a command.
pub(crate) fn harmless(line: &str) -> Cow<'_, str> {
    let start = skip_white_and_colors(line);
    let is_command = line.get(start..).is_some_and(|rest| rest.starts_with("::") && !is_arrow(rest));
    if !is_command && !line.contains("##") && !WORDS.iter().any(|word| line.contains(word)) {
        return Cow::Borrowed(line);
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut rest = line;
    if is_command {
        safe.push_str(&line[..start]);
        safe.push('·');
        rest = &line[start + 1..];
    }
    safe.push_str(&inert(rest));
    Cow::Owned(safe)
}

/// Whether a line starts with the arrow before a further place of a finding: `::: `, with color codes before the blank.
fn is_arrow(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix(":::") else { return false };
    while let Some(code) = color_code(rest) {
        rest = &rest[code..];
    }
    rest.starts_with(' ')
}

/// Returns text without anything that acts as a command anywhere in a line.
pub(super) fn inert(text: &str) -> Cow<'_, str> {
    let has_words = WORDS.iter().any(|word| text.contains(word));
    if !text.contains("##") && !has_words {
        return Cow::Borrowed(text);
    }
    let (mut safe, mut rest) = (String::with_capacity(text.len() + 8), text);
    while let Some(at) = rest.find("##") {
        // Of more than two the last ones count.
        let hashes = rest[at..].bytes().take_while(|b| *b == b'#').count();
        let (before, after) = rest.split_at(at + hashes);
        safe.push_str(before);
        if after.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[') {
            safe.push(' ');
        }
        rest = after;
    }
    safe.push_str(rest);
    if has_words {
        for word in WORDS {
            safe = safe.replace(&format!("{word}:"), &format!("{word} :"));
        }
    }
    Cow::Owned(safe)
}

/// Lines for a log or a terminal: nothing in them steers either.
pub(crate) fn plain(text: &str) -> String {
    text.split('\n').map(|line| harmless(&style::escape(line)).into_owned()).collect::<Vec<_>>().join("\n")
}

/// The bytes of white space and color codes at the start of a line.
fn skip_white_and_colors(line: &str) -> usize {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        match color_code(trimmed) {
            Some(code) => rest = &trimmed[code..],
            None => return line.len() - trimmed.len(),
        }
    }
}

/// The bytes of the color code that text starts with.
fn color_code(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some(end + 3)
}

/// The kind of output that goes through a [`Filter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Lines that people read. What steers a terminal, except for color codes, is escaped, and commands are broken up.
    Text,
    /// JSON. The same characters become escapes of JSON, so that it means what it meant.
    Json,
    /// Commands that are meant, and formats that escape for themselves.
    Raw,
}

/// How many bytes a [`Filter`] holds before it passes them on. Serializers write a few bytes at a time.
const BATCH: usize = 1 << 14;
/// The bytes of a report that count as a step of the run: values that are one in memory are written as often as they are used.
const BYTES_OF_A_STEP: u64 = 16;

/// A writer that lets nothing harmful through. It passes on complete lines of text and whole strings of JSON.
#[derive(Debug)]
pub(crate) struct Filter<W: Write> {
    out: W,
    kind: OutputKind,
    /// Bytes that were written but not passed on yet.
    held: Vec<u8>,
    /// The number of buffered bytes at which their end is searched. It doubles if there is none, so that a long line or
    /// string that arrives in small pieces takes linear time.
    threshold: usize,
    /// The part of `##name[` that the last characters of JSON match.
    command: Command,
    shows_secrets: bool,
    lines: secrets::Lines,
}

/// The beginning of a command: `##name[`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    None,
    Hash,
    Name,
}

impl Command {
    fn then(self, c: char) -> Self {
        match (self, c) {
            (Command::None, '#') => Command::Hash,
            (Command::Hash | Command::Name, '#') => Command::Name,
            (Command::Name, c) if c.is_ascii_alphanumeric() => Command::Name,
            _ => Command::None,
        }
    }
}

impl<W: Write> Filter<W> {
    /// A filter before a writer.
    pub(crate) fn new(out: W, kind: OutputKind) -> Self {
        Filter {
            out,
            kind,
            held: Vec::new(),
            threshold: BATCH,
            command: Command::None,
            shows_secrets: false,
            lines: secrets::Lines::default(),
        }
    }

    /// The same filter, which shows keys and tokens of well-known services or hides them (the default).
    #[must_use]
    pub(crate) fn showing_secrets(mut self, shows_secrets: bool) -> Self {
        self.shows_secrets = shows_secrets;
        self
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        take_steps(bytes.len() as u64 / BYTES_OF_A_STEP);
        match self.kind {
            OutputKind::Raw => self.out.write_all(bytes),
            OutputKind::Text => {
                let text = text_of(bytes);
                for line in text.split_inclusive('\n') {
                    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
                    let line = if self.shows_secrets { Cow::Borrowed(line) } else { self.lines.hide(line) };
                    self.out.write_all(harmless(&readable(&line)).as_bytes())?;
                    self.out.write_all(end.as_bytes())?;
                }
                Ok(())
            }
            OutputKind::Json => {
                let text = text_of(bytes);
                self.out.write_all(safe_json(&text, &mut self.command, self.shows_secrets).as_bytes())
            }
        }
    }

    /// Returns what makes JSON safe before it is written, on other threads.
    pub(crate) fn screen(&self) -> Screen {
        Screen { kind: self.kind, shows_secrets: self.shows_secrets }
    }

    /// Writes what a [`Screen`] of this filter returned.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_screened(&mut self, json: &[u8]) -> io::Result<()> {
        if self.kind != OutputKind::Json {
            return self.write_all(json);
        }
        let held = std::mem::take(&mut self.held);
        self.pass(&held)?;
        self.command = Command::None;
        take_steps(json.len() as u64 / BYTES_OF_A_STEP);
        self.out.write_all(json)
    }

    /// Passes on the buffered bytes, up to the last complete line of text or string of JSON.
    fn pass_complete(&mut self) -> io::Result<()> {
        let end = match self.kind {
            OutputKind::Text => self.held.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1),
            _ => secrets::end_of_complete_json(&self.held),
        };
        if end == 0 {
            self.threshold = self.held.len() * 2;
            return Ok(());
        }
        let rest = self.held.split_off(end);
        self.threshold = BATCH.max(rest.len() * 2);
        let complete = std::mem::replace(&mut self.held, rest);
        self.pass(&complete)
    }
}

impl<W: Write> Write for Filter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.kind == OutputKind::Raw {
            return self.out.write(bytes);
        }
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.kind == OutputKind::Raw {
            return self.out.write_all(bytes);
        }
        self.held.extend_from_slice(bytes);
        match self.held.len() < self.threshold {
            true => Ok(()),
            false => self.pass_complete(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.pass(&held)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Filter<W> {
    fn drop(&mut self) {
        // To check for errors, the caller has to flush.
        let _ = self.flush();
    }
}

/// Makes parts of JSON safe for a [`Filter`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    kind: OutputKind,
    shows_secrets: bool,
}

impl Screen {
    /// Returns a part of JSON without anything harmful. It starts and ends outside of strings.
    pub(crate) fn safe(self, json: Vec<u8>) -> Vec<u8> {
        if self.kind != OutputKind::Json {
            return json;
        }
        let safe = match safe_json(&text_of(&json), &mut Command::None, self.shows_secrets) {
            Cow::Borrowed(text) if text.len() == json.len() => None,
            safe => Some(safe.into_owned().into_bytes()),
        };
        safe.unwrap_or(json)
    }
}

/// JSON with escapes in place of what is harmful, which follows on the part of a command.
fn safe_json<'a>(text: &'a str, command: &mut Command, shows_secrets: bool) -> Cow<'a, str> {
    let text = if shows_secrets { Cow::Borrowed(text) } else { secrets::hide_in_json(text) };
    // Only strings hold other characters than those of ASCII, or a `#`. Both are looked for in many bytes at a time.
    let is_plain = text.bytes().fold(0, u8::max) < 0x7f;
    if *command == Command::None && is_plain && !text.bytes().fold(false, |has, b| has | (b == b'#')) {
        return text;
    }
    let (mut safe, mut rest) = (String::with_capacity(text.len()), &*text);
    let mut units = [0; 2];
    loop {
        if is_plain && *command == Command::None {
            let (plain, from) = rest.split_at(rest.find('#').unwrap_or(rest.len()));
            safe.push_str(plain);
            rest = from;
        }
        let Some(c) = rest.chars().next() else { break };
        rest = &rest[c.len_utf8()..];
        let is_command = c == '[' && *command == Command::Name;
        *command = command.then(c);
        if is_command || c >= '\u{7f}' && style::steers(c) {
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// The text that bytes are. Nearly all of them are text, which is checked faster than it is repaired.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// A line without what steers a terminal but color codes and tabs.
fn readable(line: &str) -> Cow<'_, str> {
    if !line.chars().any(|c| style::steers(c) && c != '\t') {
        return Cow::Borrowed(line);
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let length = color_code(rest).unwrap_or(c.len_utf8());
        let (piece, after) = rest.split_at(length);
        match length > 1 && c == '\u{1b}' || c == '\t' {
            true => safe.push_str(piece),
            false => safe.push_str(&style::escape(piece)),
        }
        rest = after;
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_line_is_a_command() {
        for (line, expected) in [
            ("plain a::b # c", "plain a::b # c"),
            ("::error::x", "·:error::x"),
            (" \t::: a.yaml:1:2", " \t::: a.yaml:1:2"),
            (" \u{1b}[1m\u{1b}[94m::: \u{1b}[0ma", " \u{1b}[1m\u{1b}[94m::: \u{1b}[0ma"),
            (":::error::a", "·::error::a"),
            (":::", "·::"),
            ("\u{a0}\u{3000}::set-env::", "\u{a0}\u{3000}·:set-env::"),
            ("a ##[error]b ##[x]", "a ## [error]b ## [x]"),
            ("x##vso[task.complete]", "x## vso[task.complete]"),
            ("###vso[task.complete]", "### vso[task.complete]"),
            ("::##teamcity[a]", "·:## teamcity[a]"),
            ("section_start:1:x", "section_start :1:x"),
            ("## title [x]", "## title [x]"),
            ("", ""),
        ] {
            assert_eq!(harmless(line), expected);
        }
    }

    fn filtered(kind: OutputKind, text: &str) -> Vec<String> {
        let through = |size: usize| {
            let mut filter = Filter::new(Vec::new(), kind);
            for piece in text.as_bytes().chunks(size) {
                filter.write_all(piece).unwrap();
            }
            filter.flush().unwrap();
            String::from_utf8(std::mem::take(&mut filter.out)).unwrap()
        };
        vec![through(1), through(7), through(1000), through(1 << 20)]
    }

    #[test]
    fn the_end_of_a_long_line_or_string_is_searched_a_few_times() {
        for kind in [OutputKind::Text, OutputKind::Json] {
            let mut filter = Filter::new(Vec::new(), kind);
            let mut thresholds = std::collections::BTreeSet::new();
            filter.write_all(b"\"").unwrap();
            for _ in 0..200_000 {
                filter.write_all(b"\\t").unwrap();
                thresholds.insert(filter.threshold);
            }
            assert!(thresholds.len() < 10 && filter.threshold > 400_000, "{kind:?}: {thresholds:?}");
            filter.write_all(b"\"\n").unwrap();
            filter.flush().unwrap();
            assert_eq!(filter.out.len(), 400_003);
        }
    }

    #[test]
    fn filters_do_not_depend_on_how_text_arrives() {
        // Longer than a batch.
        let filler = "é漢字\n".repeat(BATCH / 4);
        let text =
            filler.clone() + "a\u{1b}[31mred\u{1b}[0m\u{1b}[2Jb\tc\r\u{ad}\u{61c}\u{180e}\u{9b}\n::x\n##vso[y]\nend";
        let safe = filler.clone()
            + "a\u{1b}[31mred\u{1b}[0m\\u{1b}[2Jb\tc\\r\\u{ad}\\u{61c}\\u{180e}\\u{9b}\n·:x\n## vso[y]\nend";
        assert_eq!(filtered(OutputKind::Text, &text), [safe.as_str(); 4]);
        let value = filler + "##vso[x] ###[y] a## b [z] é漢\u{7f}\u{85}\u{202e}\u{e0041}";
        let json = serde_json::to_string_pretty(std::slice::from_ref(&value)).unwrap();
        for safe in filtered(OutputKind::Json, &json) {
            assert_eq!(serde_json::from_str::<Vec<String>>(&safe).unwrap(), std::slice::from_ref(&value));
            assert!(
                !safe.contains("##vso[")
                    && !safe.contains("###[")
                    && safe.contains("é漢 b [z]".trim_start_matches("é漢")),
                "{safe}"
            );
            assert!(!safe.chars().any(|c| style::steers(c) && c != '\n'), "{safe}");
        }
        let plain = serde_json::to_string_pretty("# a ##[x] b ###y[z] ## c[d] # [e]").unwrap().repeat(2_000);
        let safe = plain.replace("##[", "##\\u005b").replace("y[", "y\\u005b");
        assert_eq!(filtered(OutputKind::Json, &plain), [safe.as_str(); 4]);
        assert_eq!(filtered(OutputKind::Raw, &text), [text.as_str(); 4]);
    }

    #[test]
    fn what_a_screen_makes_safe_is_what_the_filter_writes() {
        let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
        let items = [json!("plain"), json!({"##vso[x]": token}), json!(["\u{202e}", "#"]), json!("[é]")];
        let parts = items.map(|item| serde_json::to_string_pretty(&item).unwrap() + "##");
        for (kind, shows_secrets) in
            [(OutputKind::Json, false), (OutputKind::Json, true), (OutputKind::Raw, false), (OutputKind::Text, false)]
        {
            let filter = || Filter::new(Vec::new(), kind).showing_secrets(shows_secrets);
            let written = |mut filter: Filter<Vec<u8>>| {
                filter.write_all(b"\n").unwrap();
                filter.flush().unwrap();
                String::from_utf8(std::mem::take(&mut filter.out)).unwrap()
            };
            let (mut plain, mut screened) = (filter(), filter());
            for part in &parts {
                plain.write_all(format!("[{part}\n").as_bytes()).unwrap();
                screened.write_all(b"[").unwrap();
                let safe = screened.screen().safe(format!("{part}\n").into_bytes());
                screened.write_screened(&safe).unwrap();
            }
            let (plain, screened) = (written(plain), written(screened));
            assert_eq!(plain, screened, "{kind:?}");
            assert_eq!(plain.contains("ghp_"), shows_secrets || kind == OutputKind::Raw, "{plain}");
        }
    }
}
