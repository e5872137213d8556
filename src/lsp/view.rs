//! An analysis as the answers to requests read it.

use super::position::{Encoding, Lines};
use super::remembered::Remembered;
use super::{Analysis, Analyzer};
use crate::files::File;
use crate::resolution::authoring::Authoring;
use crate::resolution::{Component, Resolution};
use crate::text::Text;
use crate::value::{FileId, Origin};
use crate::yaml::{Document, document_of, documents_of};
use ls_types::{Location, Range, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An analysis, with the encoding of positions and the location of files.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) analysis: &'a Analysis,
    /// What made the analysis, and evaluates code.
    pub(super) analyzer: &'a dyn Analyzer,
    /// The root of the worktree.
    pub(super) root: &'a Path,
    /// The unit of columns.
    pub(super) encoding: Encoding,
    /// Whether the client lets actions be completed once they are chosen.
    pub(super) resolves_actions: bool,
    /// What is broken now, as it was before.
    pub(super) remembered: &'a Remembered,
}

/// A place in a file that a request is about.
pub(super) struct Cursor<'a> {
    /// The analysis of the text.
    pub(super) view: View<'a>,
    /// The path of the file from the root of the repository.
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// The byte offset of the place.
    pub(super) offset: usize,
}

impl<'a> View<'a> {
    /// The resolutions of the projects in the worktree.
    pub(super) fn resolutions(&self) -> Vec<&'a Resolution> {
        self.analysis.review.heads()
    }

    /// What the projects resolve to that the file at a path lies in: those of the innermost folder.
    pub(super) fn projects_of(&self, path: &str) -> Vec<&'a Resolution> {
        let projects = &self.analysis.review.coverage.projects;
        let depth = |folder: &str| match folder {
            "." | "" => Some(0),
            folder => path.strip_prefix(folder).filter(|rest| rest.starts_with('/')).map(|_| folder.len()),
        };
        let found: Vec<(usize, &Resolution)> = self
            .resolutions()
            .into_iter()
            .zip(projects)
            .filter_map(|(resolution, project)| Some((depth(&project.path)?, resolution)))
            .collect();
        let deepest = found.iter().map(|(depth, _)| *depth).max();
        found.into_iter().filter(|(depth, _)| Some(*depth) == deepest).map(|(_, resolution)| resolution).collect()
    }

    /// What the dialects of a file say of it.
    pub(super) fn authoring(&self, path: &str) -> Vec<&'static dyn Authoring> {
        self.projects_of(path).into_iter().flat_map(|resolution| resolution.authoring.iter().copied()).collect()
    }

    /// Whether the file at a path is one of those that are resolved, or would be if it were not broken.
    pub(super) fn is_read(&self, path: &str) -> bool {
        let is_here = |resolution: &&Resolution| {
            let unreached = resolution.imports.unreached.iter().any(|id| *self.file(*id).path == *path);
            unreached || !self.ids(resolution, path).is_empty()
        };
        let is_broken = || {
            let findings = &self.analysis.review.findings;
            findings.iter().any(|finding| *self.file(finding.diagnostic.primary.file).path == *path)
        };
        self.resolutions().iter().any(is_here) || self.remembered.reads(path) || is_broken()
    }

    /// The components that a file has a part in; those that are broken now as they were before.
    pub(super) fn reached(&self, path: &str) -> Vec<&'a Component> {
        let mut found: Vec<&Component> = Vec::new();
        for resolution in self.resolutions() {
            let ids = self.ids(resolution, path);
            let units = resolution.units.iter().filter(|unit| ids.iter().any(|id| unit.files.contains(id)));
            found.extend(units.flat_map(|unit| unit.components.iter().map(|component| &**component)));
        }
        found.extend(self.remembered.components(path));
        found
    }

    /// The components that are resolved, with the resolution that each belongs to.
    pub(super) fn components(&self) -> impl Iterator<Item = (&'a Resolution, &'a Arc<Component>)> + use<'a> {
        let of = |resolution: &'a Resolution| {
            resolution.units.iter().flat_map(|unit| &unit.components).map(move |component| (resolution, component))
        };
        self.analysis.review.heads().into_iter().flat_map(of)
    }

    /// A file of the analysis.
    pub(super) fn file(&self, id: FileId) -> Arc<File> {
        self.analysis.review.files.get(id)
    }

    /// Whether a place is in the file at a path and contains a byte offset.
    pub(super) fn is_at(&self, origin: Origin, path: &str, offset: usize) -> bool {
        let span = origin.key as usize..=origin.end as usize;
        span.contains(&offset) && *self.file(origin.file).path == *path
    }

    /// The ids of the file at a path in a resolution.
    pub(super) fn ids(&self, resolution: &Resolution, path: &str) -> BTreeSet<FileId> {
        let read = resolution.documents.iter().map(|(id, _)| *id);
        let ids = resolution.files().into_iter().chain(read);
        ids.filter(|id| *self.file(*id).path == *path).collect()
    }

    /// The URI of a file of the repository.
    pub(super) fn uri(&self, path: &str) -> Option<Uri> {
        let full: PathBuf = self.root.join(path);
        Uri::from_file_path(full)
    }

    /// Only the key of a place, without the entries below it.
    pub(super) fn key(&self, origin: Origin) -> Option<Location> {
        self.keys([origin]).pop()
    }

    /// The same of several places, those of one file together.
    pub(super) fn keys(&self, origins: impl IntoIterator<Item = Origin>) -> Vec<Location> {
        let mut by_file: BTreeMap<FileId, Vec<Origin>> = BTreeMap::new();
        for origin in origins {
            by_file.entry(origin.file).or_default().push(origin);
        }
        let mut found = Vec::new();
        for (id, origins) in by_file {
            let file = self.file(id);
            let Some(uri) = self.uri(&file.path) else { continue };
            let lines = Lines::new(&file.text, self.encoding);
            found.extend(origins.into_iter().map(|origin| {
                let end = if origin.key < origin.start { origin.start } else { origin.end };
                let line_end = file.line_span(file.line(origin.key)).end;
                let end = file.trimmed_end(origin.key, end.min(line_end.max(origin.key)));
                Location { uri: uri.clone(), range: lines.range(origin.key, end) }
            }));
        }
        found
    }

    /// The start of a file.
    pub(super) fn top(&self, id: FileId) -> Option<Location> {
        Some(Location { uri: self.uri(&self.file(id).path)?, range: Range::default() })
    }
}

impl<'a> Cursor<'a> {
    /// The documents of the file; none if it is no YAML.
    pub(super) fn documents(&self) -> Vec<Document> {
        let text = Text::from(self.text);
        documents_of(Text::clone(&text)).or_else(|_| document_of(text).map(|first| vec![first])).unwrap_or_default()
    }

    /// The line of the place, from 1.
    pub(super) fn line(&self) -> u32 {
        self.text.as_bytes()[..self.offset].iter().filter(|b| **b == b'\n').count() as u32 + 1
    }

    /// The text of the line before and after the place.
    pub(super) fn around(&self) -> (&'a str, &'a str) {
        let (before, after) = self.text.split_at(self.offset);
        let before = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        (before, after.split(['\n', '\r']).next().unwrap_or_default())
    }

    /// The name around the place: letters, digits, `_` and `-`, with its byte offset.
    pub(super) fn word(&self) -> (usize, &'a str) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let (before, after) = self.text.split_at(self.offset);
        let start = before
            .rfind(|c: char| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let end = after.find(|c: char| !is_part(c)).unwrap_or(after.len()) + self.offset;
        (start, &self.text[start..end])
    }
}
