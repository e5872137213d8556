//! A stack gets another name: it is written into its manifests, and wherever the stack is named.

use super::{is_plain, others, place};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::{self, Manifest};
use crate::refactor::insertion::{Tree, Written, inserted};
use crate::resolution::{Component, LinkKind, Resolution, StackSelector};
use crate::review::{Renaming, Subject};
use crate::text::count;
use crate::value::{FileId, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Edits the manifests of a stack, and whatever names it. What keeps the states of its components where they are is added. Returns the
/// edits, the map that explains all differences, and a sentence about what they do.
///
/// # Errors
/// It is not known what to edit: a sentence without a full stop.
pub(crate) fn stack(
    [old, new]: [&str; 2],
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, Renaming, String), String> {
    let all = || resolution.units.iter().flat_map(|unit| &unit.components);
    let units = resolution.units.iter().filter(|unit| unit.components.iter().any(|one| *one.stack == *old));
    let units: Vec<_> = units.collect();
    if units.is_empty() {
        return Err(format!("no stack has the name `{old}`"));
    }
    let Some(naming) = resolution.authoring.iter().find_map(|one| one.stack_naming()) else {
        return Err("the stacks of this system are named after their files".to_owned());
    };
    if !new.starts_with(char::is_alphanumeric) || !is_plain(new) {
        return Err(format!("`{new}` cannot be the name of a stack: use letters, digits, `_`, `-`, `.` and `/`"));
    }
    if all().any(|one| *one.stack == *new) || resolution.units.iter().any(|unit| *unit.name == *new) {
        return Err(format!("there is a stack `{new}` already"));
    }
    if let Some(other) = units.iter().flat_map(|unit| &unit.components).find(|one| *one.stack != *old) {
        return Err(format!("a file of `{old}` defines the stack `{}` as well", other.stack));
    }
    let mut renaming = Renaming {
        subject: Subject::Stack,
        old: old.into(),
        new: new.into(),
        readers: BTreeSet::new(),
        added: BTreeSet::new(),
        files: BTreeSet::new(),
        moves_state: false,
    };
    let mut edits: BTreeSet<Edit> = BTreeSet::new();
    for component in all() {
        for link in component.metadata.links.iter() {
            if !matches!(&link.stack, StackSelector::Stack(stack) if **stack == *old) {
                continue;
            }
            let origin = link.stack_origin.or(*link.origin);
            let origin = origin.ok_or_else(|| format!("it is not known where {} names `{old}`", link.by))?;
            match word(origin, &renaming, files) {
                Ok(edit) => _ = edits.insert(edit),
                // A text that is computed from the name of its own stack follows it.
                Err(_) if *component.stack == *old && link.how == LinkKind::Reads => {}
                Err(why) => return Err(why),
            }
        }
    }
    let mut mentioning = BTreeSet::new();
    for name in resolution.mentions.iter().filter_map(|mention| mention.stack.as_ref()).filter(|one| *one.name == *old)
    {
        edits.insert(word(name.origin, &renaming, files)?);
        mentioning.insert(name.origin.file);
    }
    let ids: BTreeSet<FileId> = units.iter().map(|unit| unit.file).collect();
    let places = edits.len();
    let manifests = manifests::some(resolution, files, |id| ids.contains(&id));
    if manifests.len() != ids.len() {
        return Err(format!("a file that defines `{old}` is no manifest"));
    }
    for manifest in &manifests {
        let of_file = units.iter().filter(|unit| unit.file == manifest.id).flat_map(|unit| &unit.components);
        let components: BTreeMap<_, &Arc<Component>> = of_file.map(|one| (one.address(), one)).collect();
        edits.extend(named(manifest, naming.key, &renaming)?);
        let mut tree = BTreeMap::new();
        for component in components.into_values() {
            let Some(kept) = (naming.keeping)(component) else { continue };
            let section = *manifests::sections(resolution).first().ok_or("this system has no components")?;
            let keys = [section, &*component.kind, &*component.name, kept.section];
            for (key, text) in kept.entries {
                renaming.added.insert(format!("/{}/{key}", kept.section));
                Tree::add(&mut tree, &keys, key, text);
            }
        }
        added(manifest, &mut Vec::new(), tree, &mut edits)?;
    }
    // Of these only the name of the stack may differ.
    let is_only_named = |id: &FileId| !resolution.units.iter().any(|unit| unit.files.contains(id));
    let only_named = mentioning.into_iter().filter(is_only_named);
    renaming.files = only_named.map(|id| files.get(id).path.clone()).collect();
    let all = manifests::some(resolution, files, |_| true);
    let what = format!(
        "the stack `{old}` becomes `{new}`, in {} and {}{}",
        count(ids.len(), "manifest"),
        count(places, "other place"),
        others(&all, &edits, &|text| *text == *old)
    );
    Ok((edits.into_iter().collect(), renaming, what))
}

/// The edit of the one word of a text that is the name.
fn word(origin: Origin, renaming: &Renaming, files: &Files) -> Result<Edit, String> {
    let file = files.get(origin.file);
    let text = file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default();
    match &renaming.words(text)[..] {
        [one] => {
            let at = |offset: usize| origin.start + offset as u32;
            Ok(Edit { file: origin.file, start: at(one.start), end: at(one.end), text: (*renaming.new).into() })
        }
        _ => Err(format!("{} names it by a text that is computed", place(origin, files))),
    }
}

/// The edit that names the stack of a manifest.
fn named(manifest: &Manifest<'_>, key: &str, renaming: &Renaming) -> Result<Option<Edit>, String> {
    let keys = [key.to_owned()];
    let Some(entry) = manifest.entry(&keys) else {
        return inserted(manifest, &keys, &Written::entries(&[(key, renaming.new.to_string())])).map(Some);
    };
    let (start, end) = (manifest.start(entry.value), manifest.end(entry.value));
    let text = &manifest.text()[start..end];
    let name = text.trim_matches(['"', '\'']);
    if *name != *renaming.old {
        return Err(format!("{} names the stack by a text that is computed", manifest.place(start)));
    }
    let at = start + text.find(name).unwrap_or_default();
    let text = (*renaming.new).into();
    Ok(Some(Edit { file: manifest.id, start: at as u32, end: (at + name.len()) as u32, text }))
}

/// The edits that add entries below the place that some keys lead to: what is missing in one map is added together.
fn added(
    manifest: &Manifest<'_>,
    keys: &mut Vec<String>,
    tree: BTreeMap<String, Tree>,
    edits: &mut BTreeSet<Edit>,
) -> Result<(), String> {
    let mut missing = BTreeMap::new();
    for (key, below) in tree {
        keys.push(key.clone());
        match below {
            Tree::Map(below) if manifest.entry(keys).is_some() => added(manifest, keys, below, edits)?,
            below => _ = missing.insert(key, below),
        }
        keys.pop();
    }
    if let Some(first) = missing.keys().next() {
        keys.push(first.clone());
        edits.insert(inserted(manifest, keys, &Written::tree(&missing))?);
        keys.pop();
    }
    Ok(())
}
