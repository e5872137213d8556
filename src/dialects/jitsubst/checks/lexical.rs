//! The syntax of references, as written: in the configuration of resources, in the configuration that environments
//! overlay, and in the variables of environments.

use super::Subject;
use super::parts::Parts;
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::diagnostic::{Diagnostics, entry_label, value_label};
use crate::dialects::jitsubst::reference::{Body, Seen, references};
use crate::dialects::jitsubst::rules;
use crate::dialects::jitsubst::substitute::malformed;
use crate::value::{Data, FileId, Prov, Value};

pub(super) fn check(subject: &Subject<'_>, diagnostics: &Diagnostics) {
    for module in subject.config.modules.iter().filter(|m| m.is_resource()) {
        let mut check = Check { subject, diagnostics, file: module.file, parts: Parts::of(subject.files) };
        check.value(module.config());
        let environments = module.value.get("environments").and_then(Value::as_map);
        for entry in environments.iter().flat_map(|m| m.iter()) {
            check.value(entry.value.get("config"));
        }
    }
    let main = subject.loaded.first().map_or(FileId::new(0), |l| l.file);
    for environment in subject.config.environments.values() {
        let parts = Parts::of(subject.files);
        Check { subject, diagnostics, file: main, parts }.value(environment.get("envVars"));
    }
}

struct Check<'a, 's> {
    subject: &'a Subject<'a>,
    diagnostics: &'s Diagnostics,
    file: FileId,
    parts: Parts<'a>,
}

impl Check<'_, '_> {
    fn value(&mut self, value: Option<&Value>) {
        let Some(value) = value else { return };
        match &value.data {
            Data::Str(text) if text.contains("${") => self.text(text, &value.prov),
            Data::List(items) => items.iter().for_each(|v| self.value(Some(v))),
            Data::Map(map) if !map.is_mixed() => {
                for entry in map.iter() {
                    if references(&entry.key).next().is_some() {
                        self.key(&entry.key, &entry.value.prov);
                    }
                    self.value(Some(&entry.value));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, prov: &Prov) {
        let (mut end, mut seen) = (0, Seen::default());
        for reference in references(text) {
            let (body, written) = (reference.body, &text[reference.start..reference.end]);
            end = reference.end;
            let place = self.parts.place((prov, self.file), written, seen.add(written));
            if let Some(message) = malformed(body) {
                let help = "name a variable (`${NAME}`) or a field of a module (`${MODULE.field}`)";
                self.diagnostics
                    .push(Diagnostic::new(&rules::JIT_MALFORMED_REF, message, place).token(written).help(help));
            } else if body.contains("${") {
                let message = format!("references cannot be nested: the name of `{written}` is `{body}`");
                self.diagnostics.report(Diagnostic::new(&rules::JIT_NESTED_REF, message, place).token(written));
            } else if text[..reference.start].ends_with('$') {
                self.dollars(written, place);
            } else if is_padded(body) {
                self.blanks(written, body, place);
            }
        }
        if let Some(at) = text[end..].find("${").map(|at| end + at) {
            let place = self.unclosed(&text[..at], prov);
            let message = "`${` is never closed, so this is not a reference";
            let help = "close it with `}`, or remove the braces if the text is meant literally";
            self.diagnostics.report(Diagnostic::new(&rules::JIT_UNCLOSED_REF, message, place).help(help));
        }
    }

    /// The place of the `${` that has this text before it.
    fn unclosed(&self, before: &str, prov: &Prov) -> Label {
        let whole = value_label(prov, self.file, "");
        let file = self.subject.files.get(whole.file);
        let raw = file.text.get(whole.start as usize..whole.end as usize);
        let found = raw.and_then(|raw| raw.match_indices("${").nth(before.matches("${").count()));
        let Some((at, written)) = found else { return whole };
        let start = whole.start + at as u32;
        Label::new(whole.file, start, start + written.len() as u32, "")
    }

    fn dollars(&mut self, written: &str, mut place: Label) {
        let doubled = format!("${written}");
        let text = &self.subject.files.get(place.file).text;
        let before = (place.start as usize).checked_sub(1).filter(|at| text[*at..].starts_with(&doubled));
        place.start = before.map_or(place.start, |at| at as u32);
        let message = format!("`{doubled}` is not an escape: `{written}` is replaced anyway");
        let note = "there is no way to write a literal `${…}`; text that needs one must come from elsewhere";
        self.diagnostics
            .report(Diagnostic::new(&rules::JIT_DOLLAR_DOLLAR, message, place).token(doubled.as_str()).note(note));
    }

    fn blanks(&mut self, written: &str, body: &str, place: Label) {
        let message = format!("the spaces in `{written}` are part of the name: it is not `{}`", body.trim());
        let mut finding = Diagnostic::new(&rules::JIT_WHITESPACE_IN_REF, message, place).token(body.trim());
        let (start, end) = (finding.primary.start, finding.primary.end);
        if (end - start) as usize == written.len() && !body.trim().is_empty() {
            let text = format!("${{{}}}", body.trim());
            let edit = Edit { file: finding.primary.file, start, end, text };
            finding = finding.fix(Fix::one("remove the spaces", edit, Applicability::Unsafe));
        }
        self.diagnostics.report(finding);
    }

    fn key(&mut self, key: &str, prov: &Prov) {
        let mut place = entry_label(prov, self.file, "");
        let text = &self.subject.files.get(place.file).text;
        let raw = text.get(place.start as usize..place.end as usize).unwrap_or_default();
        if let Some(at) = raw.find(key) {
            place = Label::new(place.file, place.start + at as u32, place.start + (at + key.len()) as u32, "");
        }
        let message = format!("references in keys are not resolved: the key stays `{key}`");
        self.diagnostics.report(Diagnostic::new(&rules::JIT_REF_IN_KEY, message, place).token(key));
    }
}

/// Whether a body has spaces around it. Nothing else is reported about such a reference, or one whose body contains
/// another.
pub(super) fn is_padded(body: &str) -> bool {
    body.trim() != body
}

/// Whether the form of a reference is so wrong that what it names does not matter.
pub(super) fn is_odd(body: &str) -> bool {
    is_padded(body) || body.contains("${") || matches!(Body::of(body), Body::Empty | Body::HalfEmpty)
}
