//! The opposite of a shared definition: a value moves into the files that import it, a local to where it is read.

use super::hcl;
use super::hoist::{Member, keys, removals};
use super::insertion::inserted;
use super::removal::{Comments, Removal, comments_above};
use super::rename::{LocalNames, defining, sections};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::{self, Entry, Importers, Manifest};
use crate::resolution::Resolution;
use crate::text::count;
use crate::yaml::{NodeKind, Scalar, resolve};
use std::ops::Range;

/// What a text may be made of to stand in any text of YAML and of its templates: letters, digits, and these.
const PLAIN: &str = "_-./@+";

/// Moves a value from a file to where it is read. Returns the edits, and a sentence about what they do.
///
/// # Errors
/// It cannot be moved: why, as a sentence without a full stop.
pub(crate) fn inline(
    path: &str,
    from: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let keys = keys(path)?;
    match &keys[..] {
        [section, name] if sections(resolution).contains(&&**section) => {
            match hcl::defining(name, from, resolution, files) {
                Ok(_) => hcl::inline_local(name, from, resolution, files),
                Err(_) => local(name, from, resolution, files),
            }
        }
        _ if hcl::writes(&keys, resolution, files) => hcl::inline(path, &keys, from, resolution, files),
        _ => value(path, &keys, from, resolution, files),
    }
}

/// Moves a value from a file into those that import it and do not write it themselves.
fn value(
    path: &str,
    keys: &[String],
    from: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let manifests = manifests::some(resolution, files, |_| true);
    let importers = Importers::of(resolution);
    let has = |manifest: &&Manifest<'_>| {
        manifest.entry(keys).is_some()
            && from.map_or_else(|| importers.direct(manifest.id).next().is_some(), |from| *manifest.file.path == *from)
    };
    let found: Vec<&Manifest<'_>> = manifests.iter().filter(has).collect();
    let (source, entry) = match (&found[..], from) {
        ([one], _) => (*one, one.entry(keys).ok_or("it has no value")?),
        ([], Some(from)) => return Err(format!("{from} does not write `{path}`")),
        ([], None) => return Err(format!("no file that others import writes `{path}`")),
        (several, _) => {
            let paths: Vec<&str> = several.iter().map(|one| &*one.file.path).collect();
            return Err(format!("several files have it, choose with --from: {}", paths.join(", ")));
        }
    };
    let member = Member { manifest: source, keys: keys.to_vec(), entry };
    let written = member.written()?;
    let mut edits = removals(&[member], true, resolution)?;
    let mut places = 0;
    for importer in importers.direct(source.id) {
        let Some(manifest) = manifests.iter().find(|one| one.id == importer) else {
            return Err(format!("{} imports {} and is no manifest", files.get(importer).path, source.file.path));
        };
        if manifest.entry(keys).is_none() {
            edits.push(inserted(manifest, keys, &written)?);
            places += 1;
        }
    }
    let (file, stay) = (&source.file.path, comments_above(&edits, files));
    match (importers.direct(source.id).next(), places) {
        (None, _) => Err(format!("no file imports {file}")),
        (Some(_), 0) => {
            Ok((edits, format!("`{path}` is removed from {file}: all files that import it write it{stay}")))
        }
        (Some(_), _) => Ok((edits, format!("`{path}` moves from {file} into {}{stay}", count(places, "file")))),
    }
}

/// Writes the value of a local wherever its file reads it.
fn local(
    name: &str,
    from: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let file = defining(name, from, resolution, files)?;
    let names = LocalNames::of(&file, resolution, files);
    let places = names.places(name)?;
    let manifests = manifests::some(resolution, files, |id| id == file.id);
    let manifest = manifests.first().ok_or_else(|| format!("{} is no manifest", names.path))?;
    let section = |section: &&str| manifest.entry(&[(*section).to_owned(), name.to_owned()]);
    let entry = names.sections.iter().find_map(section);
    let entry = entry.ok_or_else(|| format!("{} does not define `{name}` for all of the file", names.path))?;
    let text = text(manifest, entry)?;
    let key = manifest.start(entry.key)..manifest.end(entry.key);
    let uses: Vec<&Range<usize>> = places.iter().filter(|place| !key.contains(&place.start)).collect();
    let is_gone = |one: Entry| one.key == entry.key;
    let removed = Removal { manifest, is_gone: &is_gone, is_kept: &|_| false, comments: Comments::Above }.run();
    if let Some(why) = removed.kept.first() {
        return Err(why.clone());
    }
    let mut edits = removed.edits;
    let stay = comments_above(&edits, files);
    if edits.is_empty() {
        return Err(format!("{} has nothing but `{name}`", names.path));
    }
    for place in &uses {
        edits.push(used(manifest, &names, place, text)?);
    }
    let places = count(uses.len(), "place");
    Ok((edits, format!("the local `{name}` of {} is written where it is read, in {places}{stay}", names.path)))
}

/// The text of a value that can stand elsewhere, and whether it is no number and the like.
fn text<'a>(manifest: &'a Manifest<'_>, entry: Entry) -> Result<(&'a str, bool), String> {
    let node = manifest.document.node(entry.value);
    let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    match &node.kind {
        NodeKind::Scalar { value, style }
            if node.tag.is_none() && node.anchor.is_none() && !value.is_empty() && value.chars().all(is_plain) =>
        {
            Ok((value, matches!(resolve(value, *style, None), Ok(Scalar::Str))))
        }
        _ => Err(format!(
            "the value of {} cannot be written elsewhere: only letters, digits and `{PLAIN}` can",
            manifest.place(manifest.start(entry.key))
        )),
    }
}

/// The edit of one use: instead of a template that is nothing else, the text; within a template, a literal.
fn used(
    manifest: &Manifest<'_>,
    names: &LocalNames<'_>,
    place: &Range<usize>,
    (value, is_string): (&str, bool),
) -> Result<Edit, String> {
    let all = manifest.text();
    let why = || format!("{} reads it in a way that is not known", manifest.place(place.start));
    let section = names.sections.iter().find(|section| all[..place.start].ends_with(&format!(".{section}.")));
    let start = place.start - section.ok_or_else(why)?.len() - 2;
    let open = all[..start].rfind("{{").ok_or_else(why)?;
    let close = place.end + all[place.end..].find("}}").ok_or_else(why)?;
    if all[open..start].contains("}}") {
        return Err(why());
    }
    let is_alone = all[open + 2..start].trim().is_empty() && all[place.end..close].trim().is_empty();
    let (range, text) = match (is_alone, is_string) {
        (true, _) => (open..close + 2, value.to_owned()),
        (false, true) => (start..place.end, format!("`{value}`")),
        (false, false) => (start..place.end, value.to_owned()),
    };
    Ok(Edit { file: manifest.id, start: range.start as u32, end: range.end as u32, text })
}
