//! A local of a file gets another name. Only names that no other file sees are renamed.

use crate::diagnostic::Edit;
use crate::files::{File, Files};
use crate::refactor::hcl;
use crate::resolution::{Local, LocalLevel, LocalScope, Resolution};
use crate::syntax::Language;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The locals of a file, and how its text reads them.
pub(crate) struct LocalNames<'a> {
    pub path: &'a str,
    pub text: &'a str,
    /// The scopes of the file, of all stacks.
    pub scopes: Vec<&'a LocalScope>,
    /// The sections that define locals.
    pub sections: Vec<&'static str>,
}

impl<'a> LocalNames<'a> {
    /// The locals of a file.
    pub(in crate::refactor) fn of(of: &'a Defining, resolution: &'a Resolution, files: &Files) -> Self {
        let scopes = resolution.locals.scopes.iter().filter(|scope| files.get(scope.file).path == of.file.path);
        LocalNames {
            path: &of.file.path,
            text: &of.file.text,
            scopes: scopes.map(|scope| &**scope).collect(),
            sections: sections(resolution),
        }
    }

    /// The places of a name, once each and in their order: its definitions and its uses.
    ///
    /// # Errors
    /// It is not defined in the file, or something else may see it: a sentence without a full stop.
    pub(crate) fn places(&self, name: &str) -> Result<Vec<Range<usize>>, String> {
        let (path, text) = (self.path, self.text);
        let is_defined = |scope: &&&LocalScope| scope.locals.iter().any(|local: &Local| *local.name == *name);
        let mut defining = self.scopes.iter().filter(is_defined).peekable();
        if defining.peek().is_none() {
            return Err(format!("`{name}` is not defined in {path}"));
        }
        if Language::of(path) != Language::Yaml {
            return Err(format!("other files may use `{name}`"));
        }
        if defining.any(|scope| matches!(scope.level, LocalLevel::Component(..))) {
            return Err(format!("`{name}` belongs to a component, and components of other files may inherit it"));
        }
        // `index .locals "name"` and its like are not found as uses.
        if ['"', '\''].iter().any(|quote| is_indexed(text, &format!("{quote}{name}{quote}"))) {
            return Err(format!("a template may read `{name}` by its quoted name"));
        }
        let mut found: BTreeSet<usize> = occurrences(text, name, &self.sections).collect();
        let locals = self.scopes.iter().flat_map(|scope| &scope.locals).filter(|local| *local.name == *name);
        for origin in locals.filter_map(|local| local.origin) {
            let key = origin.key as usize;
            let quote = usize::from(text.get(key..).is_some_and(|text| text.starts_with(['"', '\''])));
            if text.get(key + quote..key + quote + name.len()) != Some(name) {
                return Err(format!("the key that defines `{name}` is not written literally"));
            }
            found.insert(key + quote);
        }
        Ok(found.into_iter().map(|start| start..start + name.len()).collect())
    }

    /// Whether a local can have a name.
    ///
    /// # Errors
    /// It cannot, or has it already: a sentence without a full stop.
    pub(crate) fn takes(&self, new: &str) -> Result<(), String> {
        let is_letter = |c: char| c == '_' || c.is_alphabetic();
        if !new.starts_with(is_letter) || !new.chars().all(|c| is_letter(c) || c.is_numeric()) {
            return Err(format!(
                "`{new}` cannot be the name of a local: use letters, digits and `_`, and no digit at the start"
            ));
        }
        match self.scopes.iter().any(|scope| scope.locals.iter().any(|local| *local.name == *new)) {
            true => Err(format!("`{new}` is already defined in {}", self.path)),
            false => Ok(()),
        }
    }
}

/// Renames a local of the file at a path, or of the only one that defines it. Returns the edits, and a sentence about what they do.
///
/// # Errors
/// It cannot have that name, or it is not known what reads it: a sentence without a full stop.
pub(crate) fn local(
    [old, new]: [&str; 2],
    path: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let file = match defining(old, path, resolution, files) {
        Ok(file) if Language::of(&file.file.path) == Language::Yaml => file,
        found => {
            return match hcl::defining(old, path, resolution, files) {
                Err(_) if found.is_err() => Err(found.err().unwrap_or_default()),
                _ => hcl::rename_local([old, new], path, resolution, files),
            };
        }
    };
    let names = LocalNames::of(&file, resolution, files);
    names.takes(new)?;
    let places = names.places(old)?;
    let edit = |range: &Range<usize>| Edit {
        file: file.id,
        start: range.start as u32,
        end: range.end as u32,
        text: new.into(),
    };
    let uses = crate::text::count(places.len(), "place");
    Ok((places.iter().map(edit).collect(), format!("the local `{old}` of {} becomes `{new}`, in {uses}", names.path)))
}

/// A file that defines a local.
pub(in crate::refactor) struct Defining {
    pub(in crate::refactor) id: FileId,
    pub(in crate::refactor) file: Arc<File>,
}

/// The file at a path that defines a local, or the only one that does.
///
/// # Errors
/// There is none, or there are several: a sentence without a full stop.
pub(in crate::refactor) fn defining(
    name: &str,
    path: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<Defining, String> {
    let defines = |scope: &LocalScope| scope.locals.iter().any(|local| *local.name == *name);
    let is_meant = |scope: &LocalScope| path.is_none_or(|path| *files.get(scope.file).path == *path);
    let scopes = resolution.locals.scopes.iter().filter(|scope| defines(scope) && is_meant(scope));
    let ids: BTreeSet<_> = scopes.map(|scope| scope.file).collect();
    let mut found: Vec<_> = ids.into_iter().map(|id| Defining { id, file: files.get(id) }).collect();
    found.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    the_only(found, name, path, |one| &one.file.path)
}

/// The only file that defines a local, of those that were found.
///
/// # Errors
/// There is none, or there are several.
pub(in crate::refactor) fn the_only<T>(
    mut found: Vec<T>,
    name: &str,
    path: Option<&str>,
    path_of: impl Fn(&T) -> &str,
) -> Result<T, String> {
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(path.map_or_else(
            || format!("no file defines the local `{name}`"),
            |path| format!("`{name}` is not defined in {path}"),
        )),
        _ => {
            let names: Vec<&str> = found.iter().map(path_of).collect();
            Err(format!("several files define `{name}`, choose one: {}", names.join(", ")))
        }
    }
}

/// The sections that define locals.
pub(in crate::refactor) fn sections(resolution: &Resolution) -> Vec<&'static str> {
    resolution.vocabularies.iter().map(|words| words.locals).filter(|section| !section.is_empty()).collect()
}

/// Where a text reads a local of a name, in the order of the text.
pub(crate) fn occurrences<'a>(text: &'a str, name: &'a str, sections: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        // A name in a long word is found without reading the whole word.
        !text[at + name.len()..].starts_with(is_inside) && is_local(&text[..*at], sections)
    })
}

/// Whether what follows a text is the name of a local: `.locals.`, `local.`, as the system writes it.
pub(crate) fn is_local(before: &str, sections: &[&str]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    let Some(before) = before.strip_suffix('.') else { return false };
    sections.iter().any(|section| {
        // HCL declares `locals` and reads `local`.
        let singular = section.strip_suffix('s').unwrap_or(section);
        let rest = before.strip_suffix(section).or_else(|| before.strip_suffix(singular));
        rest.is_some_and(|rest| !rest.strip_suffix('.').unwrap_or(rest).ends_with(is_part))
    })
}

/// Whether a template action holds a quoted name.
fn is_indexed(text: &str, quoted: &str) -> bool {
    let actions = text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    actions.into_iter().any(|action| action.contains(quoted))
}
