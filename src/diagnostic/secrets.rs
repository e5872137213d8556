//! Findings quote what they are about, but no secret.

use super::{Diagnostic, Label};
use crate::files::Files;
use crate::syntax::secrets::{self, MASK, tokens};

/// The fewest bytes of a text that is searched for: shorter ones are parts of words.
const SHORTEST: usize = 4;

impl Diagnostic {
    /// Masks the secrets that are written at its places in its texts, and what is a secret wherever it is written.
    pub(crate) fn hide_secrets(&mut self, files: &Files) {
        let places = [&self.primary].into_iter().chain(&self.related);
        let mut written: Vec<String> = places.flat_map(|label| written_at(label, files)).collect();
        // One secret may be a part of another one.
        written.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let labels = [&mut self.primary].into_iter().chain(&mut self.related).map(|label| &mut label.message);
        let texts = [&mut self.message].into_iter().chain(&mut self.notes).chain(&mut self.help).chain(labels);
        for text in texts {
            for range in tokens::shown(text).into_iter().rev() {
                text.replace_range(range, MASK);
            }
            for secret in written.iter().filter(|secret| !secret.is_empty()) {
                if text.contains(secret.as_str()) {
                    *text = text.replace(secret.as_str(), MASK);
                }
            }
        }
    }
}

fn written_at(label: &Label, files: &Files) -> Vec<String> {
    let file = files.get(label.file);
    // A label may be at the key alone.
    let (first, last) = (file.line(label.start), file.line(label.end));
    let found = secrets::texts_in(&file, file.line_span(first).start..file.line_span(last).end);
    let found = found.into_iter().flat_map(|text| std::iter::once(text).chain(literals(text)));
    found.filter(|text| text.len() >= SHORTEST).map(str::to_owned).collect()
}

/// The texts in the quotes of a template or of an expression.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let is_code = text.contains("{{") || text.contains("${");
    text.split(['"', '`', '\'']).skip(1).step_by(2).filter(move |_| is_code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::REVIEW_CHANGED;

    #[test]
    fn secrets_at_the_places_are_masked() {
        let files = Files::default();
        let text = "password: 'hunter2'\nname: hunter2\n";
        let file = files.add("a.yaml", "1", || text.into());
        let at = |start, end| {
            let label = Label::new(file, start, end, "hunter2");
            let mut found = Diagnostic::new(&REVIEW_CHANGED, "got `hunter2`", label).help("not hunter2");
            found.hide_secrets(&files);
            (found.message, found.primary.message, found.help.unwrap_or_default())
        };
        let masked = |text: &str| text.replace("hunter2", MASK);
        for end in [8, 19] {
            assert_eq!(at(0, end), (masked("got `hunter2`"), masked("hunter2"), masked("not hunter2")));
        }
        assert_eq!(at(20, 33).0, "got `hunter2`");
    }
}
