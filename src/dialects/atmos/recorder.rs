//! Records made while resolving, besides the results: findings, observations about locals, and validated manifests.
//!
//! Each file and each unit has its own recorder, which includes those of the imported files. Therefore the records of a
//! unit can be kept together with the unit, and be reported again if the unit is reused.

use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::locals::observations::Observations;
use crate::dialects::atmos::schema::manifest_checks::ManifestRecords;
use crate::text::ByAddress;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// The records made while one file or unit was processed.
#[derive(Default)]
pub(super) struct Recorder {
    /// What is wrong.
    pub(super) diagnostics: Diagnostics,
    /// Data for rules about locals.
    pub(super) observations: Observations,
    /// The processed manifests, and their violations of the schema.
    pub(super) manifests: ManifestRecords,
    /// The recorders of other files that had a part in it.
    included: Mutex<Vec<Arc<Recorder>>>,
}

impl Recorder {
    /// Includes what another recorder has. One that is included in several counts once.
    pub(super) fn include(&self, other: Arc<Recorder>) {
        self.included.lock().push(other);
    }

    /// All that some recorders and those included in them hold.
    pub(super) fn collect(recorders: impl IntoIterator<Item = Arc<Recorder>>) -> Recorder {
        let (all, mut seen) = (Recorder::default(), HashSet::new());
        let mut next: Vec<Arc<Recorder>> = recorders.into_iter().collect();
        next.reverse();
        while let Some(recorder) = next.pop() {
            if seen.insert(ByAddress(Arc::clone(&recorder))) {
                all.add(&recorder);
                next.extend(recorder.included.lock().iter().rev().cloned());
            }
        }
        all
    }

    /// Adds what another recorder holds itself.
    pub(super) fn add(&self, other: &Recorder) {
        self.diagnostics.add(&other.diagnostics);
        self.observations.add(&other.observations);
        self.manifests.add(&other.manifests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostic, Label};
    use crate::dialects::atmos::rules;
    use crate::value::FileId;

    fn finding(message: &str) -> Diagnostic {
        Diagnostic::new(&rules::INVALID_CONFIG, message, Label::new(FileId::new(0), 0, 0, ""))
    }

    #[test]
    fn what_several_include_counts_once() {
        let [file, first, second] = [(); 3].map(|()| Arc::new(Recorder::default()));
        file.diagnostics.report(finding("in the file"));
        for unit in [&first, &second] {
            unit.diagnostics.report(finding("in the unit"));
            unit.include(Arc::clone(&file));
        }
        let all = Recorder::collect([first, second]);
        let messages: Vec<String> = all.diagnostics.into_findings().into_iter().map(|found| found.message).collect();
        assert_eq!(messages, ["in the unit", "in the file", "in the unit"]);
    }
}
