//! Files outside of a folder that the files in it name: charts and values of a helmfile, bases of a kustomization.

use crate::paths::{join, name, parent};
use crate::source::Source;
use crate::terraform::load::names::configuration;
use crate::terraform::module::paths::is_within;
use crate::text::Text;
use std::collections::BTreeSet;

/// The most files that are searched, and the bytes of the largest of them.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;

/// Returns the files and folders outside of a folder that files at some places name by a relative path, and those that these name;
/// the places too. The root of the repository is among them if there may be more.
pub(crate) fn outside(source: &dyn Source, folder: &str, places: BTreeSet<String>) -> Vec<Text> {
    let listing = source.listing();
    let mut open: Vec<String> = places.iter().cloned().collect();
    let mut known: BTreeSet<String> = places.into_iter().filter(|place| !is_within(place, folder)).collect();
    known.insert(folder.to_owned());
    let mut left = MAX_FILES;
    while let Some(place) = open.pop() {
        for entry in listing.under(&place).iter().chain(listing.get(&place)).filter(|entry| may_name(&entry.path)) {
            let Some(rest) = left.checked_sub(1) else { return vec![Text::default()] };
            left = rest;
            let Ok(bytes) = source.read(entry) else { continue };
            let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= MAX_BYTES) else { continue };
            for path in relative(text).filter_map(|path| inside(&join(parent(&entry.path), path))) {
                let is_there = listing.is_dir(&path) || listing.resolve(&path).is_ok();
                if is_there && !known.iter().any(|place| is_within(&path, place)) && known.insert(path.clone()) {
                    open.push(path);
                }
            }
        }
    }
    known.remove(folder);
    known.into_iter().map(Text::from).collect()
}

fn may_name(path: &str) -> bool {
    let extension = name(path).rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "yaml" | "yml" | "gotmpl" | "json" | "hcl") || configuration(name(path)).is_some()
}

/// The files and folders that a text in a folder names by a relative path.
pub(crate) fn named(source: &dyn Source, folder: &str, text: &str) -> BTreeSet<String> {
    let paths = relative(text).filter_map(|path| inside(&join(folder, path)));
    paths.filter(|path| source.listing().lookup(path).is_ok()).collect()
}

/// The relative paths in a text that lead upward; of a pattern, the part before it.
fn relative(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | ']' | '{' | '}' | '='));
    let words = words.map(|word| word.strip_prefix("file://").unwrap_or(word));
    let paths = words.filter(|word| word.starts_with("../") || word.starts_with("./"));
    paths.map(|path| match path.find(['*', '?']) {
        Some(end) => path[..end].rsplit_once('/').map_or("", |(before, _)| before),
        None => path,
    })
}

/// A path, cleaned; `None` if it leaves the repository, or is all of it.
fn inside(path: &str) -> Option<String> {
    let path = crate::go::path::clean(path);
    (path != "." && !path.starts_with("..")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn files_name_others() {
        let files = [
            (
                "helm/a/helmfile.yaml",
                "releases:\n  - chart: ../../charts/web\n    values: [../../v/a.yaml, \"./own.yaml\"]\n",
            ),
            ("charts/web/Chart.yaml", "dependencies:\n  - {name: lib, repository: \"file://../lib\"}\n"),
            ("charts/lib/values.yaml", "a: 1\n"),
            ("v/a.yaml", "x: ../../../outside\n"),
            ("k/kustomization.yaml", "resources: [../b/*.yaml, ../gone]\n"),
            ("b/x.yaml", "a: 1\n"),
        ];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        let source = Memory::new("memory", files);
        let found = |folder: &str| {
            outside(&source, folder, BTreeSet::from([folder.to_owned()]))
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("helm/a"), ["charts/lib", "charts/web", "v/a.yaml"]);
        assert_eq!(found("k"), ["b"]);
    }
}
