//! A value that several files repeat, moved into a file that all of them import, or into the component that all inherit from.

use super::hcl;
use super::insertion::{Written, inserted};
use super::removal::{Comments, Removal, comments_above};
use crate::diagnostic::Edit;
use crate::diff::pointer;
use crate::files::Files;
use crate::manifests::{self, Entry, Importers, Manifest, Writers, heirs};
use crate::resolution::Resolution;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is to be moved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hoist {
    /// The path of the value in the files: keys with dots between them, or a JSON Pointer. With a base, its path in components.
    pub path: String,
    /// The file that takes it; without one, the only file that can.
    pub into: Option<String>,
    /// The component that takes it from those that inherit from it.
    pub base: Option<String>,
}

/// A place where the value is written.
pub(super) struct Member<'m, 'a> {
    pub(super) manifest: &'m Manifest<'a>,
    pub(super) keys: Vec<String>,
    pub(super) entry: Entry,
}

/// Moves a value. Returns the edits, and a sentence about what they do.
///
/// # Errors
/// It cannot be moved: why, as a sentence without a full stop.
pub(crate) fn hoist(of: &Hoist, resolution: &Resolution, files: &Files) -> Result<(Vec<Edit>, String), String> {
    let keys = keys(&of.path)?;
    let manifests = manifests::some(resolution, files, |_| true);
    let is_yaml = of.base.is_some() || manifests.iter().any(|manifest| manifest.entry(&keys).is_some());
    if !is_yaml && hcl::writes(&keys, resolution, files) {
        return hcl::hoist(of, &keys, resolution, files);
    }
    let (target, target_keys, members) = match &of.base {
        Some(base) => for_base(base, &keys, of.into.as_deref(), resolution, &manifests)?,
        None => for_import(&keys, of, resolution, &manifests)?,
    };
    if let Some(entry) = target.entry(&target_keys) {
        return Err(format!("{} has a value there already", target.place(target.start(entry.key))));
    }
    let written = members.iter().map(Member::written).collect::<Result<Vec<_>, _>>()?;
    let (first, rest) = members.split_first().ok_or_else(|| format!("no file writes `{}`", of.path))?;
    for (member, text) in rest.iter().zip(&written[1..]) {
        if !first.manifest.is_same(first.entry.value, member.manifest, member.entry.value) {
            return Err(format!("the values of {} and {} differ", first.place(), member.place()));
        }
        let has_comment = [first, member].iter().any(|one| one.has_comment());
        if has_comment && !text.is_written_like(&written[0]) {
            return Err(format!("the comments of {} and {} differ", first.place(), member.place()));
        }
    }
    let mut edits = vec![inserted(target, &target_keys, &written[0])?];
    // Without its values a component is still one of its file, unless the other file has it, too.
    let keeps_components = of.base.is_some();
    edits.extend(removals(&members, keeps_components, resolution)?);
    let places = crate::text::count(members.len(), "place");
    let stay = comments_above(&edits, files);
    Ok((edits, format!("`{}` moves from {places} into {}{stay}", of.path, target.file.path)))
}

/// The keys that a path names.
pub(super) fn keys(path: &str) -> Result<Vec<String>, String> {
    let keys: Vec<String> = match path.strip_prefix('/') {
        Some(_) => pointer::keys(path).collect(),
        None => path.split('.').map(str::to_owned).collect(),
    };
    match keys.iter().any(String::is_empty) {
        true => Err(format!("`{path}` is not a path: expected keys with dots between them")),
        false => Ok(keys),
    }
}

/// The removal of an entry from all places where it is written, which may not take other comments along.
pub(super) fn removals(
    members: &[Member<'_, '_>],
    keeps_components: bool,
    resolution: &Resolution,
) -> Result<Vec<Edit>, String> {
    let sections = manifests::sections(resolution);
    let is_kept = |path: &[&str]| keeps_components && manifests::is_component(path, &sections);
    let mut edits = Vec::new();
    let by_path: BTreeMap<&str, &Manifest<'_>> =
        members.iter().map(|member| (&*member.manifest.file.path, member.manifest)).collect();
    for manifest in by_path.into_values() {
        let of_file: Vec<&Member<'_, '_>> = members.iter().filter(|member| member.manifest.id == manifest.id).collect();
        let is_gone = |entry: Entry| of_file.iter().any(|member| member.entry.key == entry.key);
        let removed = Removal { manifest, is_gone: &is_gone, is_kept: &is_kept, comments: Comments::Any }.run();
        if let Some(why) = removed.kept.first() {
            return Err(why.clone());
        }
        for edit in &removed.edits {
            let range = edit.start as usize..edit.end as usize;
            let own = of_file.iter().map(|member| member.range());
            let is_own = |at: usize| own.clone().any(|own| own.contains(&at));
            if let Some(comment) = manifest.comment_in(&range).filter(|comment| !is_own(comment.span.start)) {
                return Err(format!("the comment in {} would be lost", manifest.place(comment.span.start)));
            }
        }
        edits.extend(removed.edits);
    }
    Ok(edits)
}

type Found<'m, 'a> = (&'m Manifest<'a>, Vec<String>, Vec<Member<'m, 'a>>);

/// The file that takes a value, and those that import it and write the value.
fn for_import<'m, 'a>(
    keys: &[String],
    of: &Hoist,
    resolution: &Resolution,
    manifests: &'m [Manifest<'a>],
) -> Result<Found<'m, 'a>, String> {
    let importers = Importers::of(resolution);
    let entry = |manifest: &Manifest<'_>| Some((manifest.id, manifest.entry(keys)?));
    let writers: Writers = manifests.iter().filter_map(entry).collect();
    if writers.is_empty() {
        return Err(format!("no file writes `{}`", of.path));
    }
    let (target, members) = match &of.into {
        Some(into) => {
            let mut all = manifests.iter();
            let target = all.find(|manifest| *manifest.file.path == **into);
            let target = target.ok_or_else(|| format!("{into} is no manifest that is read"))?;
            (target, importers.nearest(target.id, &writers).0)
        }
        None => {
            let mut found = importers.targets(keys, &writers, manifests);
            let paths: Vec<&str> = found.iter().map(|(manifest, _)| &*manifest.file.path).collect();
            match paths.len() {
                1 => found.remove(0),
                0 => return Err(format!("no file is imported only by files that write `{}`", of.path)),
                _ => return Err(format!("several files can take it, choose with --into: {}", paths.join(", "))),
            }
        }
    };
    if members.is_empty() {
        return Err(format!("no file that imports {} writes `{}`", target.file.path, of.path));
    }
    let members = manifests.iter().filter(|one| members.contains(&one.id));
    let member =
        |manifest: &'m Manifest<'a>| Some(Member { manifest, keys: keys.to_vec(), entry: *writers.get(&manifest.id)? });
    Ok((target, keys.to_vec(), members.filter_map(member).collect()))
}

/// The file that declares a base component, and where the components that inherit from it write the value.
fn for_base<'m, 'a>(
    base: &str,
    path: &[String],
    into: Option<&str>,
    resolution: &Resolution,
    manifests: &'m [Manifest<'a>],
) -> Result<Found<'m, 'a>, String> {
    let all: Vec<_> = heirs(resolution).into_iter().filter(|((_, name), _)| *name == base).collect();
    let [((kind, _), names)] = &all[..] else {
        return Err(match all.is_empty() {
            true => format!("no component inherits from `{base}`"),
            false => format!("components of several types inherit from `{base}`"),
        });
    };
    let sections = manifests::sections(resolution);
    let [section] = sections[..] else { return Err("this system has no components that inherit".to_owned()) };
    let keys = |name: &str| -> Vec<String> { [section, *kind, name].map(str::to_owned).into() };
    let declares = |manifest: &&Manifest<'_>| match into {
        Some(into) => *manifest.file.path == *into,
        None => manifest.entry(&keys(base)).is_some(),
    };
    let declaring: Vec<&Manifest<'_>> = manifests.iter().filter(declares).collect();
    let [target] = declaring[..] else {
        let paths: Vec<&str> = declaring.iter().map(|manifest| &*manifest.file.path).collect();
        return Err(match paths.is_empty() {
            true => format!("no file configures `{base}`"),
            false => format!("several files configure `{base}`, choose with --into: {}", paths.join(", ")),
        });
    };
    let whole = |name: &str| -> Vec<String> { keys(name).into_iter().chain(path.iter().cloned()).collect() };
    let mut members = Vec::new();
    for name in names {
        let keys = whole(name);
        let found = manifests
            .iter()
            .filter_map(|manifest| Some(Member { manifest, keys: keys.clone(), entry: manifest.entry(&keys)? }));
        members.extend(found);
    }
    match members.is_empty() {
        true => Err(format!("no component that inherits from `{base}` sets it")),
        false => Ok((target, whole(base), members)),
    }
}

impl Member<'_, '_> {
    /// `stacks/dev.yaml:7`.
    pub(super) fn place(&self) -> String {
        self.manifest.place(self.manifest.start(self.entry.key))
    }

    /// The bytes of the entry, with the comment behind it.
    fn range(&self) -> std::ops::Range<usize> {
        self.manifest.start(self.entry.key)..self.manifest.line_end(self.manifest.entry_end(self.entry))
    }

    fn has_comment(&self) -> bool {
        let is_flow = self.map().is_some_and(|map| self.manifest.is_flow(map));
        !is_flow && self.manifest.comment_in(&self.range()).is_some()
    }

    /// The map that has the entry.
    fn map(&self) -> Option<crate::yaml::NodeId> {
        match self.keys.split_last() {
            Some((_, [])) | None => self.manifest.document.root(),
            Some((_, above)) => self.manifest.entry(above).map(|entry| entry.value),
        }
    }

    /// # Errors
    /// It cannot stand elsewhere: a sentence.
    pub(super) fn written(&self) -> Result<Written, String> {
        if !self.manifest.is_plain(self.entry.value) {
            return Err(format!("{} has an anchor or an alias", self.place()));
        }
        let map = self.map().ok_or_else(|| format!("{} is in no map", self.place()))?;
        Written::of(self.manifest, map, self.entry)
    }
}
