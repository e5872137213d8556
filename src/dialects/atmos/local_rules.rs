//! What is wrong with locals, told from the line that has to change.

use super::local_scopes::FileLocals;
use super::locals::{Problem, Wrong};
use super::manifest::Manifests;
use super::sink::{Poisoned, label};
use crate::diagnostic::Diagnostic;
use crate::value::{Key, Map, Prov};

impl Manifests<'_> {
    /// Reports what keeps the locals of a file from being resolved.
    pub(super) fn local_problems(&self, file: &FileLocals) -> Poisoned {
        for problem in &file.locals.problems {
            let finding = self.local_problem(file, problem);
            self.sink.push(finding);
        }
        Poisoned
    }

    fn local_problem(&self, file: &FileLocals, problem: &Problem) -> Diagnostic {
        let at = |prov: &Prov, words: &str| label(prov, file.loaded.file, words);
        let raw = file.raw_scope(problem.kind);
        match &problem.what {
            Wrong::Shape(value) => {
                let message = format!("locals must be a map, not a {}", value.kind());
                Diagnostic::new("non-mapping-section", message, at(&value.prov, ""))
            }
            Wrong::Cycle(members) => cycle(members, &raw, &|prov, words| at(prov, words)),
            Wrong::Template { name, text, error, .. } => {
                let message = format!("local `{name}` cannot be resolved: {}", error.message);
                Diagnostic::new("template-error", message, at(&text.prov, ""))
            }
        }
    }
}

fn cycle(members: &[Key], raw: &Map, at: &dyn Fn(&Prov, &str) -> crate::diagnostic::Label) -> Diagnostic {
    let site = |name: &Key| raw.get(name).map_or_else(Prov::default, |v| v.prov.clone());
    let mut words: Vec<&str> = members.iter().map(|k| &**k).collect();
    words.extend(members.first().map(|k| &**k));
    let message = format!("these locals need each other: {}", words.join(" → "));
    let first = members.first().map(site).unwrap_or_default();
    let mut finding = Diagnostic::new("local-cycle", message, at(&first, "")).chain();
    for (name, next) in members.iter().zip(words.iter().skip(1)) {
        finding = finding.related(at(&site(name), &format!("`{name}` needs `{next}`")));
    }
    finding
}
