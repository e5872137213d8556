//! A component gets another name in all stacks.

use super::{is_plain, list, others, place};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::{self, Manifest};
use crate::paths;
use crate::refactor::insertion::{Written, inserted};
use crate::resolution::authoring::{Function, Names};
use crate::resolution::{Component, LinkKind, Resolution, Unit};
use crate::review::{Renaming, Subject};
use crate::text::Text;
use crate::value::{Data, FileId, Origin, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Edits all manifests that configure a component, and whatever names it. What keeps its code and state where they are is added.
/// Returns the edits, the map that explains all differences, and a sentence about what they do.
///
/// # Errors
/// It is not known what to edit: a sentence without a full stop.
pub(crate) fn component(
    [old, new]: [&str; 2],
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, Renaming, String), String> {
    let all = || resolution.units.iter().flat_map(|unit| &unit.components);
    let of_name: Vec<&Arc<Component>> = all().filter(|one| *one.name == *old).collect();
    let kinds: BTreeSet<&Text> = of_name.iter().map(|one| &one.kind).collect();
    let [kind] = kinds.into_iter().collect::<Vec<_>>()[..] else {
        return Err(match of_name.is_empty() {
            true => format!("no component has the name `{old}`"),
            false => format!("components of several types have the name `{old}`"),
        });
    };
    if !new.starts_with(char::is_alphabetic) || !is_plain(new) {
        return Err(format!("`{new}` cannot be the name of a component: use letters, digits, `_`, `-`, `.` and `/`"));
    }
    if let Some(other) = all().find(|one| *one.name == *new) {
        return Err(format!("{} has a component `{new}` already", other.stack));
    }
    let manifests = manifests::some(resolution, files, |_| true);
    let sections = manifests::sections(resolution);
    let keys = |section: &str| -> Vec<String> { [section, kind, old].map(str::to_owned).into() };
    let is_key = |manifest: &Manifest<'_>| sections.iter().any(|section| manifest.entry(&keys(section)).is_some());
    if !manifests.iter().any(is_key) {
        let folders = folders(old, resolution, files);
        let by_folder = if folders.is_empty() { String::new() } else { format!(", name its folder: {folders}") };
        return Err(format!("no file has `{old}` as a key{by_folder}"));
    }
    let links = || all().flat_map(|one| one.metadata.links.iter());
    let readers = readers(resolution);
    let mut renaming = Renaming {
        subject: Subject::Component(Text::clone(kind)),
        old: old.into(),
        new: new.into(),
        readers,
        added: BTreeSet::new(),
        files: BTreeSet::new(),
        moves_state: false,
    };
    let mut named = Named { files, renaming: &renaming, edits: BTreeSet::new() };
    for link in links().filter(|link| *link.component == *old && link.kind.as_ref().is_none_or(|one| one == kind)) {
        let origin = link.origin.ok_or_else(|| format!("it is not known where {} names `{old}`", link.by))?;
        match link.how {
            LinkKind::Declared => named.name(origin)?,
            LinkKind::Reads => named.uses(origin)?,
        }
    }
    for base in all().filter(|one| one.kind == *kind).flat_map(|one| &one.metadata.bases) {
        if let Some(origin) = base.origin.filter(|_| *base.name == *old) {
            named.name(origin)?;
        }
    }
    for component in all() {
        named.stays(&component.value, resolution)?;
    }
    let mut mentioning = BTreeSet::new();
    for mention in &resolution.mentions {
        let is_kind = mention.kinds.is_empty() || mention.kinds.contains(&&**kind);
        if let Some(name) = mention.component.as_ref().filter(|name| *name.name == *old && is_kind) {
            named.word(name.origin)?;
            mentioning.insert(Text::clone(&files.get(name.origin.file).path));
        }
    }
    let mut configuring: Vec<(&Manifest<'_>, Vec<String>)> = Vec::new();
    for manifest in &manifests {
        for keys in sections.iter().map(|section| keys(section)) {
            if let Some(entry) = manifest.entry(&keys) {
                let (start, end) = (manifest.start(entry.key), manifest.end(entry.key));
                named.literal(manifest.id, start..end)?;
                configuring.push((manifest, keys));
            }
        }
    }
    let places = crate::text::count(named.edits.len(), "place");
    let is_it = |text: &str| *text == *renaming.old || !renaming.uses(text).is_empty();
    let others = others(&manifests, &named.edits, &is_it);
    let mut edits: Vec<Edit> = named.edits.into_iter().collect();
    let first = first_of_each(&configuring, resolution);
    for (manifest, keys) in first {
        let reaches = |unit: &&Arc<Unit>| unit.files.contains(&manifest.id);
        let units = resolution.units.iter().filter(reaches).flat_map(|unit| &unit.components);
        let instances: Vec<&Component> = units
            .map(|one| &**one)
            .filter(|one| one.kind == *kind && *one.name == *old && !one.metadata.is_abstract)
            .collect();
        let mut kept = None;
        for authoring in resolution.authoring.iter().filter(|_| !instances.is_empty()) {
            kept = kept.or(authoring.keeping(&instances)?);
        }
        if let Some(kept) = kept {
            let last = kept.entries.first().map(|(key, _)| (*key).to_owned());
            let path: Vec<String> = keys.iter().cloned().chain([kept.section.to_owned()]).chain(last).collect();
            edits.push(inserted(manifest, &path, &Written::entries(&kept.entries))?);
            renaming.added.extend(kept.entries.iter().map(|(key, _)| format!("/{}/{key}", kept.section)));
        }
    }
    let read = |id: &FileId| resolution.units.iter().any(|unit| unit.files.contains(id));
    let is_only_named =
        |path: &Text| edits.iter().all(|edit| *files.get(edit.file).path != **path || !read(&edit.file));
    renaming.files = mentioning.into_iter().filter(is_only_named).collect();
    let mut what = format!("the component `{old}` becomes `{new}`, in {places}");
    what.push_str(&others);
    Ok((edits, renaming, what))
}

/// The folders of units that have the name of a component, a list.
fn folders(name: &str, resolution: &Resolution, files: &Files) -> String {
    let paths = resolution.units.iter().map(|unit| files.get(unit.file).path.to_string());
    let folders = paths.map(|path| paths::parent(&path).to_owned());
    list(folders.filter(|folder| paths::name(folder) == name).collect())
}

/// The functions whose first argument names a component.
fn readers(resolution: &Resolution) -> BTreeSet<Text> {
    let all = resolution.authoring.iter().flat_map(|one| one.functions().into_iter().chain(one.template_functions()));
    let is_reader = |function: &Function| {
        let first = function.arguments.first().into_iter().flat_map(|names| names.iter());
        first.into_iter().any(|names| matches!(names, Names::Components(_)))
    };
    all.filter(is_reader).map(|function| function.name).collect()
}

/// The files that configure a component and import no other one that does.
fn first_of_each<'m, 'a>(
    configuring: &[(&'m Manifest<'a>, Vec<String>)],
    resolution: &Resolution,
) -> Vec<(&'m Manifest<'a>, Vec<String>)> {
    let mut imported: BTreeMap<FileId, BTreeSet<FileId>> = BTreeMap::new();
    for item in &resolution.imports.items {
        imported.entry(item.path.file).or_default().extend(&item.targets);
    }
    let ids: BTreeSet<FileId> = configuring.iter().map(|(manifest, _)| manifest.id).collect();
    let reaches_another = |from: FileId| {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(file) = open.pop() {
            for target in imported.get(&file).into_iter().flatten().filter(|target| seen.insert(**target)) {
                if ids.contains(target) {
                    return true;
                }
                open.push(*target);
            }
        }
        false
    };
    configuring.iter().filter(|(manifest, _)| !reaches_another(manifest.id)).cloned().collect()
}

/// Places that name a component.
struct Named<'a> {
    files: &'a Files,
    renaming: &'a Renaming,
    edits: BTreeSet<Edit>,
}

impl Named<'_> {
    /// A value that is the name.
    fn name(&mut self, origin: Origin) -> Result<(), String> {
        self.literal(origin.file, origin.start as usize..origin.end as usize)
    }

    /// A text that is the name, perhaps in quotes.
    fn literal(&mut self, id: FileId, range: Range<usize>) -> Result<(), String> {
        let file = self.files.get(id);
        let text = file.text.get(range.clone()).unwrap_or_default();
        let name = text.trim().trim_matches(['"', '\'']);
        if *name != *self.renaming.old {
            return Err(format!("{}:{} names it by a text that is computed", file.path, file.line(range.start as u32)));
        }
        let at = range.start + text.find(name).unwrap_or_default();
        self.edit(id, at..at + name.len());
        Ok(())
    }

    /// A text that reads the component.
    fn uses(&mut self, origin: Origin) -> Result<(), String> {
        let found = self.text(origin, Renaming::uses);
        self.all(origin, found)
    }

    /// A text of a command that names it once.
    fn word(&mut self, origin: Origin) -> Result<(), String> {
        let found = self.text(origin, Renaming::words);
        let found = if found.len() == 1 { found } else { Vec::new() };
        self.all(origin, found)
    }

    fn text(&self, origin: Origin, find: impl Fn(&Renaming, &str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
        let file = self.files.get(origin.file);
        let start = origin.start as usize;
        let found = file.text.get(start..origin.end as usize).map(|text| find(self.renaming, text));
        found.into_iter().flatten().map(|range| start + range.start..start + range.end).collect()
    }

    fn all(&mut self, origin: Origin, found: Vec<Range<usize>>) -> Result<(), String> {
        if found.is_empty() {
            return Err(format!("{} names it by a text that is computed", place(origin, self.files)));
        }
        found.into_iter().for_each(|range| self.edit(origin.file, range));
        Ok(())
    }

    fn edit(&mut self, file: FileId, range: Range<usize>) {
        let text = (*self.renaming.new).into();
        self.edits.insert(Edit { file, start: range.start as u32, end: range.end as u32, text });
    }

    /// Checks that no call reads what is kept under the old name, in a place that does not follow the component.
    fn stays(&self, value: &Value, resolution: &Resolution) -> Result<(), String> {
        if let Some(map) = value.as_map() {
            return map.iter().try_for_each(|entry| self.stays(&entry.value, resolution));
        }
        if let Some(list) = value.as_list() {
            return list.iter().try_for_each(|item| self.stays(item, resolution));
        }
        if let Data::Unknown(unknown) = &value.data
            && self.renaming.has_computed_names(&unknown.text)
        {
            return Err(format!("{}it is not known which component is read", self.at(value)));
        }
        let Some(text) = value.as_str().filter(|text| text.starts_with('!')) else { return Ok(()) };
        let mut words = text.split_whitespace();
        let function = words.next().unwrap_or_default();
        if self.renaming.readers.contains(function) || !words.any(|word| *word == *self.renaming.old) {
            return Ok(());
        }
        let mut functions = resolution.authoring.iter().flat_map(|authoring| authoring.functions());
        let names_components = |known: &Function| {
            let mut kinds = known.arguments.iter().flat_map(|names| names.iter());
            *known.name == *function && kinds.any(|kind| matches!(kind, Names::Components(_)))
        };
        match functions.any(|known| names_components(&known)) {
            true => {
                let (at, old) = (self.at(value), &self.renaming.old);
                Err(format!("{at}`{function}` reads what is kept under the name `{old}`"))
            }
            false => Ok(()),
        }
    }

    /// The place of a value, in front of a message.
    fn at(&self, value: &Value) -> String {
        value.prov.origin.map_or_else(String::new, |origin| format!("{}: ", place(origin, self.files)))
    }
}
