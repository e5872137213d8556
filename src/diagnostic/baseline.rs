//! Baselines: findings that existed when a team adopted stacklint, stored in a file. They are not reported again.

use super::Finding;
use crate::files::Files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;

const SCHEMA: &str = "stacklint/baseline/v1";

/// A baseline file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Baseline {
    fingerprints: BTreeSet<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Content {
    schema: String,
    findings: Vec<Entry>,
}

#[derive(Deserialize, Serialize)]
struct Entry {
    rule: String,
    file: String,
    fingerprint: String,
}

impl Baseline {
    /// Reads a baseline file.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence without the name of the file.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let content: Content = serde_json::from_str(text)
            .map_err(|e| format!("it was not written by --write-baseline: {}", crate::text::plain(&e.to_string())))?;
        if content.schema != SCHEMA {
            return Err(format!("its schema is `{}`, not `{SCHEMA}`", content.schema));
        }
        Ok(Baseline { fingerprints: content.findings.into_iter().map(|f| f.fingerprint).collect() })
    }

    pub(crate) fn has(&self, finding: &Finding) -> bool {
        self.fingerprints.contains(&*finding.fingerprint)
    }
}

/// Writes a baseline of the findings, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write<'a>(
    out: &mut dyn io::Write,
    findings: impl Iterator<Item = &'a Finding>,
    files: &Files,
) -> io::Result<()> {
    let entries = |f: &'a Finding| {
        let entry = |fingerprint: &str| Entry {
            rule: f.diagnostic.rule.id().to_owned(),
            file: files.get(f.diagnostic.primary.file).path.to_string(),
            fingerprint: fingerprint.to_owned(),
        };
        f.fingerprints().map(entry).collect::<Vec<Entry>>()
    };
    let mut entries: Vec<Entry> = findings.flat_map(entries).collect();
    entries.sort_by(|a, b| (&a.file, &a.rule, &a.fingerprint).cmp(&(&b.file, &b.rule, &b.fingerprint)));
    serde_json::to_writer_pretty(&mut *out, &Content { schema: SCHEMA.to_owned(), findings: entries })?;
    writeln!(out)
}
