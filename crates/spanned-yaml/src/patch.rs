//! Bridging what the reference's scanner accepts and libyaml's does not.
//!
//! A rejected text is scanned again with the offending bytes replaced, never moved: offsets keep their meaning, and
//! placeholders that end up in values are converted back afterwards.

use std::borrow::Cow;

use super::node::Style;

/// Repairs granted to one text; each costs a scan.
const MAX_REPAIRS: usize = 32;

/// The repairs made to one text so far.
#[derive(Debug, Default)]
pub(super) struct Patch {
    text: Option<String>,
    repairs: usize,
    /// Placeholder for the escape `\'`, which has two bytes.
    apostrophe: Option<char>,
    /// Placeholder for a colon at the end of a plain scalar.
    colon: Option<char>,
    /// Placeholder for a byte-order mark that is not at the start, which libyaml skips and the reference reads as a
    /// character.
    mark: Option<char>,
}

impl Patch {
    /// For a text without the byte-order marks at its start.
    pub(super) fn of(text: &str) -> Self {
        if !text.contains('\u{feff}') {
            return Patch::default();
        }
        // As many bytes as the mark.
        let stand_in = ('\u{e000}'..='\u{efff}').find(|&stand_in| !text.contains(stand_in));
        let replaced = stand_in.map(|stand_in| text.replace('\u{feff}', stand_in.encode_utf8(&mut [0; 4])));
        Patch { text: replaced, mark: stand_in, ..Patch::default() }
    }

    /// The repaired text, if there were repairs.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Repairs what made libyaml stop with `problem` at `at`; false if that cannot be done.
    pub(super) fn mend(&mut self, original: &str, problem: &str, at: usize) -> bool {
        self.repairs += 1;
        if self.repairs > MAX_REPAIRS {
            return false;
        }
        let text = self.text().unwrap_or(original);
        let Some(rest) = text.get(at..) else { return false };
        let replacement = match problem {
            "found unknown escape character" if rest.starts_with("\\'") => {
                // Two bytes in UTF-8, like the escape.
                let unused = || ('\u{378}'..='\u{7ff}').find(|&stand_in| !original.contains(stand_in));
                let Some(stand_in) = self.apostrophe.or_else(unused) else { return false };
                self.apostrophe = Some(stand_in);
                self.text().unwrap_or(original).get(at..).map(|rest| without_escapes(rest, stand_in))
            }
            "found unexpected ':'" if rest.starts_with(':') => {
                let unused = || "^~;=$+()_0123456789".chars().find(|&stand_in| !original.contains(stand_in));
                let Some(stand_in) = self.colon.or_else(unused) else { return false };
                self.colon = Some(stand_in);
                Some(stand_in.to_string())
            }
            "found character that cannot start any token" if rest.starts_with('\t') => tabs_before_comment(text, at),
            _ => None,
        };
        let Some(replacement) = replacement else { return false };
        let mut text = self.text.take().unwrap_or_else(|| original.to_owned());
        text.replace_range(at..at + replacement.len(), &replacement);
        self.text = Some(text);
        true
    }

    /// Converts placeholders in a scalar's value back.
    pub(super) fn restore<'v>(&self, value: Cow<'v, str>, style: Style) -> Cow<'v, str> {
        let value = match self.mark.filter(|&stand_in| value.contains(stand_in)) {
            Some(stand_in) => Cow::Owned(value.replace(stand_in, "\u{feff}")),
            None => value,
        };
        let (stand_in, original) = match style {
            Style::DoubleQuoted => (self.apostrophe, "'"),
            Style::Plain => (self.colon, ":"),
            _ => return value,
        };
        match stand_in.filter(|&stand_in| value.contains(stand_in)) {
            Some(stand_in) => Cow::Owned(value.replace(stand_in, original)),
            None => value,
        }
    }
}

/// The rest of a double-quoted scalar with every `\'` replaced.
fn without_escapes(rest: &str, stand_in: char) -> String {
    let mut replaced = String::new();
    let mut chars = rest.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => break,
            '\\' => match chars.next() {
                Some('\'') => replaced.push(stand_in),
                next => replaced.extend(['\\'].into_iter().chain(next)),
            },
            _ => replaced.push(char),
        }
    }
    replaced
}

/// Blanks for the tabs that indent a comment line, which the reference takes if the line before is a comment too.
fn tabs_before_comment(text: &str, at: usize) -> Option<String> {
    let blanks = text[at..].find(|char| !matches!(char, ' ' | '\t'))?;
    let line = text[..at].rfind(['\n', '\r'])?;
    let previous = text[..line].trim_end();
    let previous = &previous[previous.rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
    let comment = text[at + blanks..].starts_with('#') && previous.trim_start().starts_with('#');
    (comment && text[line..at].trim().is_empty()).then(|| " ".repeat(blanks))
}
