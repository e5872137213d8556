//! Code in HCL: the meaning of names in a folder and in the modules that it calls.

mod hover;
mod navigation;

pub(super) use hover::hover;
pub(super) use navigation::{definition, links, references};

use crate::lsp::position::Lines;
use crate::lsp::view::{Cursor, View};
use crate::paths::parent;
use crate::source::{Child, Source};
use crate::syntax::Language;
use crate::syntax::hcl::{self, Names, Subject};
use crate::terraform;
use ls_types::Location;
use std::collections::BTreeMap;

/// The maximum number of files of a folder that are read, and the maximum size of a file in bytes.
const MAX_FILES: usize = 500;
const MAX_BYTES: usize = 4 << 20;

/// A file with code, or with values of variables.
pub(super) struct CodeFile {
    /// The path, relative to the root of the repository.
    pub(super) path: String,
    text: String,
    pub(super) names: Names,
}

impl CodeFile {
    /// Reads the names of a file; `None` if it does not contain code.
    pub(super) fn read(path: &str, text: &str) -> Option<Self> {
        let names = match path.ends_with(".tfvars") {
            true => hcl::values(text),
            false if is_code(path) => hcl::names(text),
            false => return None,
        };
        Some(CodeFile { path: path.to_owned(), text: text.to_owned(), names })
    }

    /// Returns the locations of ranges of bytes.
    fn locations(&self, view: &View<'_>, spans: impl IntoIterator<Item = (u32, u32)>) -> Vec<Location> {
        let Some(uri) = view.uri(&self.path) else { return Vec::new() };
        let lines = Lines::new(&self.text, view.encoding);
        let one = |(start, end)| Location { uri: uri.clone(), range: lines.range(start, end) };
        spans.into_iter().map(one).collect()
    }

    /// Returns the line of a byte offset, from 1.
    fn line(&self, offset: u32) -> usize {
        self.text.as_bytes()[..offset as usize].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// Whether a file contains code.
pub(super) fn is_code(path: &str) -> bool {
    path.ends_with(".tf") || path.ends_with(".tofu")
}

/// Returns the files of a folder with code or values, sorted by path.
pub(super) fn files(view: &View<'_>, folder: &str) -> Vec<CodeFile> {
    let source = &view.analysis.source;
    let children = source.listing().children(folder);
    let names = children.into_iter().filter(|(_, kind)| *kind != Child::Dir).map(|(name, _)| name);
    let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let read = |name: &str| {
        let path = path(name);
        if Language::of(&path) != Language::Hcl {
            return None;
        }
        CodeFile::read(&path, &text(view, &path)?)
    };
    names.filter_map(read).take(MAX_FILES).collect()
}

/// Returns the text of a file of the analysis.
fn text(view: &View<'_>, path: &str) -> Option<String> {
    let source = &view.analysis.source;
    let bytes = source.read(source.listing().resolve(path).ok()?).ok()?;
    (bytes.len() <= MAX_BYTES).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the sources of the module calls in files, by the name of the call.
pub(super) fn sources(files: &[CodeFile]) -> BTreeMap<&str, &str> {
    files
        .iter()
        .flat_map(|file| &file.names.sources)
        .map(|(name, (source, _))| (name.as_str(), source.as_str()))
        .collect()
}

/// A declaration in code: the folder and the address, `var.name`.
type Target = (String, String);

/// Returns the declaration that a name in a folder refers to, given the sources of its module calls.
fn target(folder: &str, sources: &BTreeMap<&str, &str>, subject: &Subject) -> Option<Target> {
    let called = |call: &str| terraform::called_folder(folder, sources.get(call)?);
    match subject {
        Subject::Own(address) => Some((folder.to_owned(), address.clone())),
        Subject::Output(call, name) => Some((called(call)?, format!("output.{name}"))),
        Subject::Input(call, name) => Some((called(call)?, format!("var.{name}"))),
    }
}

/// Returns the declaration that the name at a place refers to, and whether the place is the declaration.
fn target_at(place: &Cursor<'_>) -> Option<(Target, bool)> {
    let own = CodeFile::read(place.path, place.text)?;
    let name = own.names.at(place.offset)?;
    let folder = parent(place.path);
    let files = files(&place.view, folder);
    Some((target(folder, &sources(&files), &name.subject)?, name.is_declaration))
}

/// Returns the locations of a declaration.
fn declarations(view: &View<'_>, (folder, address): &Target) -> Vec<(CodeFile, u32, u32)> {
    let wanted = Subject::Own(address.clone());
    let of_file = |file: CodeFile| {
        let name = file.names.uses.iter().find(|name| name.is_declaration && name.subject == wanted)?;
        let (start, end) = (name.span.start, name.span.end);
        Some((file, start, end))
    };
    files(view, folder).into_iter().filter_map(of_file).collect()
}
