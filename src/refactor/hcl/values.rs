//! Values that move between a file and those that include it, and values that are removed.

use super::{HclFile, some};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::Importers;
use crate::refactor::removal::{Removed, comments_above, is_below_comment};
use crate::refactor::{Hoist, Refactoring};
use crate::resolution::Resolution;
use crate::syntax::hcl::Entry;
use crate::text::count;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

/// The entries that some keys lead to, by file.
type Writers<'a> = BTreeMap<FileId, &'a Entry>;

/// Whether a file in HCL writes a value.
pub(in crate::refactor) fn writes(keys: &[String], resolution: &Resolution, files: &Files) -> bool {
    some(resolution, files).iter().any(|file| file.entry(keys).is_some())
}

fn writers<'a>(keys: &[String], all: &'a [HclFile]) -> Writers<'a> {
    all.iter().filter_map(|file| Some((file.id, file.entry(keys)?))).collect()
}

/// Moves a value that several files repeat into the one that they include. Returns the edits, and a sentence about what they do.
///
/// # Errors
/// It cannot be moved: why, as a sentence without a full stop.
pub(in crate::refactor) fn hoist(
    of: &Hoist,
    keys: &[String],
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let (all, importers) = (some(resolution, files), Importers::of(resolution));
    let writers = writers(keys, &all);
    let (target, members) = match &of.into {
        Some(into) => {
            let target = all.iter().find(|file| *file.file.path == **into);
            let target = target.ok_or_else(|| format!("{into} is no file that others include"))?;
            (target, importers.nearest(target.id, &writers).0)
        }
        None => {
            let mut found = targets(keys, &writers, &all, &importers);
            let paths: Vec<&str> = found.iter().map(|(file, _)| &*file.file.path).collect();
            match paths.len() {
                1 => found.remove(0),
                0 => return Err(format!("no file is imported only by files that write `{}`", of.path)),
                _ => return Err(format!("several files can take it, choose with --into: {}", paths.join(", "))),
            }
        }
    };
    if let Some(entry) = target.entry(keys) {
        return Err(format!("{} has a value there already", target.place(entry)));
    }
    let members: Vec<(&HclFile, &Entry)> =
        all.iter().filter(|file| members.contains(&file.id)).map(|file| (file, writers[&file.id])).collect();
    let Some((first, rest)) = members.split_first() else {
        return Err(format!("no file that imports {} writes `{}`", target.file.path, of.path));
    };
    let written = first.0.written(first.1)?;
    for (file, entry) in rest {
        if file.written(entry)? != written {
            return Err(format!("{} and {} are written differently", first.0.place(first.1), file.place(entry)));
        }
    }
    let mut edits = vec![target.inserted(keys, &written)?];
    for (file, entry) in &members {
        edits.push(file.removal(entry, true)?);
    }
    let places = count(members.len(), "place");
    let stay = comments_above(&edits, files);
    Ok((edits, format!("`{}` moves from {places} into {}{stay}", of.path, target.file.path)))
}

/// The files that are imported only by files that write a value, several of them, and that do not write it themselves; if some of
/// them have what is around the value, only these. Each with the files that write it.
fn targets<'a>(
    keys: &[String],
    writers: &Writers<'_>,
    all: &'a [HclFile],
    importers: &Importers,
) -> Vec<(&'a HclFile, BTreeSet<FileId>)> {
    let shared = all.iter().filter(|file| !writers.contains_key(&file.id));
    let mut found: Vec<(&HclFile, BTreeSet<FileId>)> = shared
        .filter_map(|file| {
            let (members, is_whole) = importers.nearest(file.id, writers);
            (is_whole && members.len() > 1).then_some((file, members))
        })
        .collect();
    for length in (1..keys.len()).rev() {
        let has = |(file, _): &(&HclFile, BTreeSet<FileId>)| file.entry(&keys[..length]).is_some();
        if found.len() > 1 && found.iter().any(has) {
            found.retain(has);
        }
    }
    found
}

/// Moves a value from a file into those that include it and do not write it themselves.
///
/// # Errors
/// It cannot be moved: why, as a sentence without a full stop.
pub(in crate::refactor) fn inline(
    path: &str,
    keys: &[String],
    from: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let (all, importers) = (some(resolution, files), Importers::of(resolution));
    let has = |file: &&HclFile| {
        file.entry(keys).is_some()
            && from.map_or_else(|| importers.direct(file.id).next().is_some(), |from| *file.file.path == *from)
    };
    let found: Vec<&HclFile> = all.iter().filter(has).collect();
    let source = match &found[..] {
        [one] => *one,
        [] => return Err(format!("no file that others import writes `{path}`")),
        several => {
            let paths: Vec<&str> = several.iter().map(|one| &*one.file.path).collect();
            return Err(format!("several files have it, choose with --from: {}", paths.join(", ")));
        }
    };
    let entry = source.entry(keys).ok_or("it has no value")?;
    let written = source.written(entry)?;
    let mut edits = vec![source.removal(entry, true)?];
    for importer in importers.direct(source.id) {
        let file = all.iter().find(|file| file.id == importer);
        let file = file.ok_or_else(|| format!("{} includes it in another language", files.get(importer).path))?;
        if file.entry(keys).is_none() {
            edits.push(file.inserted(keys, &written)?);
        }
    }
    let (from, stay) = (&source.file.path, comments_above(&edits, files));
    match (importers.direct(source.id).next(), edits.len() - 1) {
        (None, _) => Err(format!("no file imports {from}")),
        (Some(_), 0) => {
            Ok((edits, format!("`{path}` is removed from {from}: all files that import it write it{stay}")))
        }
        (Some(_), places) => {
            let places = count(places, "file");
            Ok((edits, format!("`{path}` moves from {from} into {places}{stay}")))
        }
    }
}

/// Removes the entries whose keys begin at some places, as far as no comment goes with them.
pub(in crate::refactor) fn removed(keys: &BTreeMap<FileId, BTreeSet<usize>>, files: &Files) -> Removed {
    let mut all = Removed::default();
    for (id, starts) in keys {
        let Some(file) = HclFile::of(*id, files) else { continue };
        for start in starts {
            match file.source.entry_of(*start).map(|entry| file.removal(entry, false)) {
                Some(Ok(edit)) if is_below_comment(file.text(), edit.start as usize) => {
                    all.kept.push(format!("{} has a comment above it", file.place_of(*start as u32)));
                }
                Some(Ok(edit)) => {
                    all.entries += 1;
                    all.edits.push(edit);
                }
                Some(Err(why)) => all.kept.push(why),
                None => all.kept.push(format!("{} is not written as an entry", file.place_of(*start as u32))),
            }
        }
    }
    // What is left empty goes once, as do blank lines between entries that go.
    all.edits.sort();
    all.edits.dedup_by(|next, edit| {
        let is_around = next.file == edit.file && next.start <= edit.end;
        edit.end = if is_around { edit.end.max(next.end) } else { edit.end };
        is_around
    });
    all
}

/// The refactorings of what stands at a byte offset of a file, each with what it does.
pub(in crate::refactor) fn offered(
    path: &str,
    offset: usize,
    resolution: &Resolution,
    files: &Files,
) -> Vec<(String, Refactoring)> {
    let all = some(resolution, files);
    let Some(own) = all.iter().find(|file| *file.file.path == *path) else { return Vec::new() };
    let mut found = Vec::new();
    let keys = own.source.keys_at(offset as u32).filter(|keys| keys.len() > 1);
    if let Some((keys, entry)) = keys.and_then(|keys| Some((keys.clone(), own.entry(&keys)?))) {
        let name = keys.join(".");
        let importers = Importers::of(resolution);
        let writers = writers(&keys, &all);
        for (target, members) in targets(&keys, &writers, &all, &importers) {
            let mut others = all.iter().filter(|file| members.contains(&file.id));
            let is_alike = |file: &HclFile| file.value(writers[&file.id]) == own.value(entry);
            if members.contains(&own.id) && others.all(is_alike) {
                let into = target.file.path.to_string();
                let title = format!("Move `{name}` from {} into {into}", count(members.len(), "file"));
                found.push((title, Refactoring::Hoist(Hoist { path: name.clone(), into: Some(into), base: None })));
            }
        }
        let takers = importers.direct(own.id).filter(|one| !writers.contains_key(one)).count();
        if takers > 0 {
            let title = format!("Move `{name}` into {} that import this one", count(takers, "file"));
            found.push((title, Refactoring::Inline { path: name, from: Some(path.to_owned()) }));
        }
        if let [_, local] = &keys[..]
            && super::defining(local, Some(path), resolution, files).is_ok_and(|(_, at)| at == entry.key.start as usize)
        {
            let what = Refactoring::Inline { path: keys.join("."), from: Some(path.to_owned()) };
            found.push((format!("Write the value of `{local}` where it is read"), what));
        }
    }
    found
}
