//! The form in which a check is kept. What is read back must fit the files that it is about.

use super::{Checked, Found};
use crate::diagnostic::{Diagnostic, RuleRef, Side, may_have_comments};
use crate::files::Files;
use crate::review::coverage::Coverage;
use crate::rules;
use crate::settings::Settings;
use crate::source::Source;
use crate::text::Text;
use crate::value::FileId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// A check.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The files that findings are about. Their numbers are those of this table.
    files: Vec<FileRecord>,
    /// The numbers of examined files in which comments may silence something.
    commented: Vec<FileId>,
    /// The findings with the ids of their rules.
    findings: Vec<Diagnostic<String>>,
    coverage: Coverage,
}

/// A file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    path: Text,
    /// The text, if it is not that of the file at this path.
    text: Option<Text>,
}

/// Returns the form of a check; `None` if it cannot be read back.
pub(super) fn write(checked: Checked<'_>, found: &Found) -> Option<Vec<u8>> {
    let mut table = Table { checked, files: Vec::new(), numbers: BTreeMap::new(), paths: HashSet::new() };
    let commented = found.side.files.iter().filter(|id| may_have_comments(&checked.files.get(**id).text));
    let commented: Vec<FileId> = commented.map(|id| table.number(*id)).collect();
    let mut findings = Vec::with_capacity(found.side.diagnostics.len());
    for finding in &found.side.diagnostics {
        let mut finding = finding.clone();
        if !finding
            .places_mut()
            .iter()
            .all(|(file, start, end)| fits(&checked.files.get(**file).text, (**start, **end)))
        {
            return None;
        }
        finding.places_mut().into_iter().for_each(|(file, ..)| *file = table.number(*file));
        let id = finding.rule.id().to_owned();
        rule(&id, checked.settings)?;
        findings.push(finding.with_rule(id));
    }
    let entry = Entry { files: table.files, commented, findings, coverage: found.coverage.clone() };
    serde_json::to_vec(&entry).ok()
}

/// Reads a check back, and adds the files that it is about; `None` if something does not fit.
pub(super) fn read(bytes: &[u8], checked: Checked<'_>) -> Option<Found> {
    let Entry { files, commented, findings, coverage } = serde_json::from_slice(bytes).ok()?;
    let add = |(number, file): (usize, FileRecord)| add_file(number, file, checked.source, checked.files);
    let files: Vec<FileId> = files.into_iter().enumerate().map(add).collect::<Option<_>>()?;
    let diagnostics = findings.into_iter().map(|finding| {
        let rule = rule(&finding.rule, checked.settings)?;
        let mut finding = finding.with_rule(rule);
        for (file, start, end) in finding.places_mut() {
            *file = *files.get(file.index())?;
            if !fits(&checked.files.get(*file).text, (*start, *end)) {
                return None;
            }
        }
        Some(finding)
    });
    let diagnostics = diagnostics.collect::<Option<_>>()?;
    let commented = commented.iter().map(|file| files.get(file.index()).copied()).collect::<Option<_>>()?;
    Some(Found { side: Side { diagnostics, files: commented }, coverage })
}

/// The files of an entry.
struct Table<'a> {
    checked: Checked<'a>,
    files: Vec<FileRecord>,
    numbers: BTreeMap<FileId, FileId>,
    paths: HashSet<Text>,
}

impl Table<'_> {
    /// Returns the number of a file in the table.
    fn number(&mut self, id: FileId) -> FileId {
        let Table { checked, files, numbers, paths } = self;
        *numbers.entry(id).or_insert_with(|| {
            let file = checked.files.get(id);
            let path = Text::clone(&file.path);
            let is_listed = paths.insert(Text::clone(&path))
                && content(checked.source, &path).is_some_and(|(_, text)| *text == *file.text);
            files.push(FileRecord { path, text: (!is_listed).then(|| Text::clone(&file.text)) });
            FileId::new(files.len() as u32 - 1)
        })
    }
}

/// Returns the identity and the text of the file at a path.
fn content(source: &dyn Source, path: &str) -> Option<(String, String)> {
    let entry = source.listing().resolve(path).ok()?;
    let bytes = source.read(entry).ok()?;
    Some((entry.id.to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}

fn add_file(number: usize, file: FileRecord, source: &dyn Source, files: &Files) -> Option<FileId> {
    let FileRecord { path, text } = file;
    match text {
        Some(text) => Some(files.add(&path, &format!("kept {number}"), || text)),
        None => {
            let (identity, text) = content(source, &path)?;
            Some(files.add(&path, &identity, || Text::from(text)))
        }
    }
}

/// Whether a span is one of a text.
fn fits(text: &str, (start, end): (u32, u32)) -> bool {
    text.get(start as usize..end as usize).is_some()
}

/// The rule of an id.
fn rule(id: &str, settings: &Settings) -> Option<RuleRef> {
    rules::find(id).map(RuleRef::from).or_else(|| settings.policies.find(id).cloned())
}
