//! What can be refactored at a place of a file, found without resolving anything: whether it would have an effect is not known.

use super::hcl;
use super::rename::{defining, sections};
use super::{Hoist, Named, Refactoring};
use crate::diff::pointer;
use crate::files::Files;
use crate::manifests::{self, Entry, Importers, Manifest, Writers, heirs};
use crate::resolution::Resolution;
use crate::syntax::Language;
use crate::text::count;
use std::ops::Range;

/// The refactorings of what stands at a byte offset of a file, each with what it does, as a title.
pub(crate) fn offers(path: &str, offset: usize, resolution: &Resolution, files: &Files) -> Vec<(String, Refactoring)> {
    let mut found = match Language::of(path) {
        Language::Hcl => hcl::offered(path, offset, resolution, files),
        Language::Yaml => of_manifest(path, offset, resolution, files),
    };
    let is_read = resolution.files().into_iter().any(|id| *files.get(id).path == *path);
    if is_read {
        let prune = Refactoring::Prune { paths: vec![path.to_owned()] };
        found.push(("Remove redundant values of this file".to_owned(), prune));
    }
    found
}

/// Those of a manifest.
fn of_manifest(path: &str, offset: usize, resolution: &Resolution, files: &Files) -> Vec<(String, Refactoring)> {
    let manifests = manifests::some(resolution, files, |_| true);
    let Some(own) = manifests.iter().find(|manifest| *manifest.file.path == *path) else { return Vec::new() };
    let keys = own.keys_at(offset);
    let mut found = Vec::new();
    if let Some(entry) = own.entry(&keys) {
        let name = keys.join(".");
        let at = At { own, keys: &keys, entry, name: &name, manifests: &manifests };
        at.imported(resolution, &mut found);
        at.inherited(resolution, &mut found);
        if let [section, local] = &keys[..]
            && sections(resolution).contains(&&**section)
            && defining(local, Some(path), resolution, files).is_ok()
        {
            let what = Refactoring::Inline { path: written(&keys), from: Some(path.to_owned()) };
            found.push((format!("Write the value of `{local}` where it is read"), what));
        }
    }
    found
}

/// The component or the stack whose name stands at a byte offset of a file: where exactly, and what it is.
pub(crate) fn named_at(
    path: &str,
    offset: usize,
    resolution: &Resolution,
    files: &Files,
) -> Option<(Range<usize>, Named)> {
    let manifests = manifests::some(resolution, files, |id| *files.get(id).path == *path);
    let own = manifests.first()?;
    let keys = own.keys_at(offset);
    let entry = own.entry(&keys)?;
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let naming = resolution.authoring.iter().find_map(|one| one.stack_naming());
    let (node, what) = match (&names[..], naming) {
        (keys, _) if manifests::is_component(keys, &manifests::sections(resolution)) => {
            (entry.key, Named::Component { moves_state: false })
        }
        ([key], Some(naming)) if *key == naming.key => (entry.value, Named::Stack),
        _ => return None,
    };
    let (start, end) = (own.start(node), own.end(node));
    let quoted = own.text()[start..end].trim_matches(['"', '\'']);
    let start = start + own.text()[start..end].find(quoted)?;
    let range = start..start + quoted.len();
    (range.start <= offset && offset <= range.end && !quoted.is_empty()).then_some((range, what))
}

/// An entry of a manifest.
struct At<'m, 'a> {
    own: &'m Manifest<'a>,
    keys: &'m [String],
    entry: Entry,
    name: &'m str,
    manifests: &'m [Manifest<'a>],
}

impl At<'_, '_> {
    /// A value of files that import another one, or of the file that others import.
    fn imported(&self, resolution: &Resolution, found: &mut Vec<(String, Refactoring)>) {
        let importers = Importers::of(resolution);
        let writer = |manifest: &Manifest<'_>| Some((manifest.id, manifest.entry(self.keys)?));
        let writers: Writers = self.manifests.iter().filter_map(writer).collect();
        for (target, members) in importers.targets(self.keys, &writers, self.manifests) {
            let others = self.manifests.iter().filter(|one| members.contains(&one.id));
            let mut values = others.filter_map(|one| Some((one, writers.get(&one.id)?.value)));
            let is_plain = self.own.is_plain(self.entry.value);
            let is_alike = |(other, value): (&Manifest<'_>, _)| {
                other.is_plain(value) && self.own.is_same(self.entry.value, other, value)
            };
            if members.contains(&self.own.id) && is_plain && values.all(is_alike) {
                let into = target.file.path.to_string();
                let title = format!("Move `{}` from {} into {into}", self.name, count(members.len(), "file"));
                let hoist = Hoist { path: written(self.keys), into: Some(into), base: None };
                found.push((title, Refactoring::Hoist(hoist)));
            }
        }
        let takers = importers.direct(self.own.id).filter(|one| !writers.contains_key(one)).count();
        if takers > 0 {
            let title = format!("Move `{}` into {} that import this one", self.name, count(takers, "file"));
            let from = Some(self.own.file.path.to_string());
            found.push((title, Refactoring::Inline { path: written(self.keys), from }));
        }
    }

    /// A value of a component that inherits from others.
    fn inherited(&self, resolution: &Resolution, found: &mut Vec<(String, Refactoring)>) {
        let [section, kind, name, path @ ..] = self.keys else { return };
        if path.is_empty() || !manifests::sections(resolution).contains(&&**section) {
            return;
        }
        for ((of, base), heirs) in heirs(resolution) {
            if *of == **kind && heirs.len() > 1 && heirs.contains(&**name) {
                let title = format!("Move `{}` from {} into `{base}`", path.join("."), count(heirs.len(), "component"));
                let hoist = Hoist { path: written(path), into: None, base: Some(base.to_owned()) };
                found.push((title, Refactoring::Hoist(hoist)));
            }
        }
    }
}

/// A path as it names some keys.
fn written(keys: &[String]) -> String {
    let is_plain = |key: &String| !key.is_empty() && !key.contains('.');
    if keys.iter().all(is_plain) && !keys[0].starts_with('/') {
        return keys.join(".");
    }
    let mut path = String::new();
    keys.iter().for_each(|key| pointer::push(&mut path, key));
    path
}
