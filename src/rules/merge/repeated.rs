//! `repeated-value`.

use super::walk::open_files;
use crate::diagnostic::{Diagnostic, Label};
use crate::diff::pointer;
use crate::environments::is_name;
use crate::manifests::{self, Entry, Importers, Manifest, Writers};
use crate::rules::{Context, rule};
use crate::text::{Text, count};
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

rule!(
    REPEATED_VALUE,
    "repeated-value",
    Hygiene,
    "0.1.0",
    "all files that import another one, or all components that inherit from one, repeat a value"
);

/// The most further places of a finding.
const MAX_PLACES: usize = 4;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Context { files, resolution, .. } = *context;
    let manifests = manifests::some(resolution, files, |_| true);
    let by_id = manifests.iter().map(|manifest| (manifest.id, manifest)).collect();
    let (sections, open) = (manifests::sections(resolution), open_files(resolution));
    let search = Search { context, manifests: &manifests, by_id, sections, open };
    let mut found = Found::default();
    search.imported(&mut found);
    search.inherited(&mut found);
    found.findings
}

/// The manifests of a state.
struct Search<'a> {
    context: &'a Context<'a>,
    manifests: &'a [Manifest<'a>],
    by_id: BTreeMap<FileId, &'a Manifest<'a>>,
    /// The sections whose entries are components.
    sections: Vec<&'static str>,
    /// Files that contribute to something that is not completely known.
    open: HashSet<FileId>,
}

/// A place where a value is written.
type Place<'a> = (&'a Manifest<'a>, Entry);

#[derive(Default)]
struct Found {
    findings: Vec<Diagnostic>,
    /// The places of all values that are reported.
    seen: BTreeSet<(FileId, usize)>,
}

impl<'a> Search<'a> {
    /// Finds what all files that import another one write alike.
    fn imported(&self, found: &mut Found) {
        let items = &self.context.resolution.imports.items;
        let imports: BTreeSet<(FileId, u32)> = items.iter().map(|item| (item.item.file, item.item.start)).collect();
        let is_import = |(id, entry): (&FileId, &Entry)| {
            let span = self.by_id[id].document.node(entry.value).span;
            imports.range((*id, span.start)..(*id, span.end)).next().is_some()
        };
        let importers = Importers::of(self.context.resolution);
        let roots = self.manifests.iter().filter_map(|one| Some((one, one.document.root()?)));
        let mut open = vec![(Vec::new(), self.entries(roots))];
        while let Some((above, entries)) = open.pop() {
            for (key, writers) in entries.into_iter().filter(|(_, writers)| writers.len() > 1) {
                if writers.iter().any(is_import) || self.is_name(key) {
                    continue;
                }
                let keys: Vec<String> = above.iter().cloned().chain([key.to_owned()]).collect();
                if self.of_importers(&keys, &importers, &writers, found) {
                    continue;
                }
                let below = writers.iter().map(|(id, entry)| (self.by_id[id], entry.value));
                open.push((keys, self.entries(below)));
            }
        }
    }

    /// The entries of maps of several files, by key.
    fn entries(
        &self,
        maps: impl Iterator<Item = (&'a Manifest<'a>, crate::yaml::NodeId)>,
    ) -> BTreeMap<&'a str, Writers> {
        let mut entries: BTreeMap<&str, Writers> = BTreeMap::new();
        for (manifest, map) in maps {
            for (key, value) in manifest.pairs(map) {
                let Some(name) = manifest.document.scalar(*key) else { continue };
                entries.entry(name).or_default().insert(manifest.id, Entry { key: *key, value: *value });
            }
        }
        entries
    }

    /// Reports a value that all importers of a file write; whether there is such a file.
    fn of_importers(&self, keys: &[String], importers: &Importers, writers: &Writers, found: &mut Found) -> bool {
        let places = |members: &BTreeSet<FileId>| -> Vec<Place<'a>> {
            let all = self.manifests.iter().filter(|one| members.contains(&one.id));
            all.filter_map(|one| Some((one, *writers.get(&one.id)?))).collect()
        };
        let targets = importers.targets(keys, writers, self.manifests).into_iter();
        let mut targets = targets
            .filter(|(target, _)| manifests::has_place(target, keys, &self.sections))
            .map(|(target, members)| (target, places(&members)))
            .filter(|(_, places)| are_alike(places));
        let Some((target, places)) = targets.next() else { return false };
        let into = &target.file.path;
        let message = format!("{} that import {into} repeat `{}`", all(places.len(), "file"), keys.join("."));
        let option = targets.next().map(|_| format!(" --into {}", word(into))).unwrap_or_default();
        self.report(message, (keys, &option), target, &places, found);
        true
    }

    /// Finds what all components that inherit from another one set alike.
    fn inherited(&self, found: &mut Found) {
        let [section] = self.sections[..] else { return };
        let words = &self.context.resolution.vocabularies;
        let is_passed_on = |key: &str| words.iter().any(|words| words.plain_sections.contains(&key));
        for ((kind, base), heirs) in manifests::heirs(self.context.resolution) {
            let of = |name: &str| [section, kind, name].map(str::to_owned);
            let declaring: Vec<&Manifest<'_>> =
                self.manifests.iter().filter(|manifest| manifest.entry(&of(base)).is_some()).collect();
            let ([target], true) = (&declaring[..], heirs.len() > 1) else { continue };
            let whole: Vec<Vec<Place<'_>>> = heirs.iter().map(|heir| self.places(&of(heir))).collect();
            let mut open: Vec<(Vec<String>, Vec<Vec<Place<'_>>>)> = vec![(Vec::new(), whole)];
            while let Some((above, heirs)) = open.pop() {
                for (key, heirs) in below(&heirs) {
                    let keys: Vec<String> = above.iter().cloned().chain([key.to_owned()]).collect();
                    if !is_passed_on(&keys[0]) || self.is_name(key) {
                        continue;
                    }
                    let at: Vec<String> = of(base).into_iter().chain(keys.iter().cloned()).collect();
                    let places: Vec<Place<'_>> = heirs.iter().flatten().copied().collect();
                    if target.entry(&at).is_some() || !are_alike(&places) {
                        open.push((keys, heirs));
                        continue;
                    }
                    let components = all(heirs.len(), "component");
                    let message = format!("{components} that inherit from `{base}` repeat `{}`", keys.join("."));
                    self.report(message, (&keys, &format!(" --base {}", word(base))), target, &places, found);
                }
            }
        }
    }

    /// Whether a key says which stack it is, or where: its value belongs into the files of the stack.
    fn is_name(&self, key: &str) -> bool {
        let words = &self.context.resolution.vocabularies;
        words.iter().any(|words| is_name(key, words.stack_inputs) || *key == *words.stage)
    }

    /// The places that some keys lead to.
    fn places(&self, keys: &[String]) -> Vec<Place<'a>> {
        self.manifests.iter().filter_map(|manifest| Some((manifest, manifest.entry(keys)?))).collect()
    }

    /// Reports a value at the first of its places that is to be examined, unless one of them is reported already.
    fn report(
        &self,
        message: String,
        (keys, option): (&[String], &str),
        target: &Manifest<'_>,
        places: &[Place<'_>],
        found: &mut Found,
    ) {
        let of = |(manifest, entry): &Place<'_>| (manifest.id, manifest.start(entry.key));
        if places.iter().any(|place| found.seen.contains(&of(place))) {
            return;
        }
        let is_examined = |(manifest, _): &&Place<'_>| (self.context.is_examined)(&manifest.file.path);
        let Some(first) = places.iter().find(is_examined) else { return };
        if places.iter().any(|(manifest, _)| self.open.contains(&manifest.id)) || self.open.contains(&target.id) {
            self.context.withheld.record(&REPEATED_VALUE);
            return;
        }
        let label = |(manifest, entry): &Place<'_>, words: &str| {
            Label::new(manifest.id, manifest.start(entry.key) as u32, manifest.end(entry.key) as u32, words)
        };
        let others = places.iter().filter(|place| of(place) != of(first)).take(MAX_PLACES);
        let command = format!("stacklint refactor hoist {}{option}", path(keys));
        let mut finding = Diagnostic::new(&REPEATED_VALUE, message, label(first, ""))
            .token(keys.join("."))
            .help(format!("`{command}` moves it there, if that has no effect"));
        for other in others {
            finding = finding.related(label(other, "again here"));
        }
        let reached = |files: &[FileId]| places.iter().any(|(manifest, _)| files.binary_search(&manifest.id).is_ok());
        let units = self.context.resolution.units.iter().filter(|unit| reached(&unit.files));
        let stacks: BTreeSet<&Text> = units.flat_map(|unit| &unit.components).map(|one| &one.stack).collect();
        finding.stacks = stacks.into_iter().cloned().collect();
        found.seen.extend(places.iter().map(of));
        found.findings.push(finding);
    }
}

/// The entries below those of all components, by key: those that all of them have.
fn below<'a>(heirs: &[Vec<Place<'a>>]) -> BTreeMap<&'a str, Vec<Vec<Place<'a>>>> {
    let mut entries: BTreeMap<&str, Vec<Vec<Place<'_>>>> = BTreeMap::new();
    for (number, places) in heirs.iter().enumerate() {
        for (manifest, entry) in places {
            for (key, value) in manifest.pairs(entry.value) {
                let Some(name) = manifest.document.scalar(*key) else { continue };
                let of = entries.entry(name).or_insert_with(|| vec![Vec::new(); heirs.len()]);
                of[number].push((manifest, Entry { key: *key, value: *value }));
            }
        }
    }
    entries.retain(|_, heirs| heirs.iter().all(|places| !places.is_empty()));
    entries
}

/// Whether a value is the same at all places, and means the same elsewhere.
fn are_alike(places: &[Place<'_>]) -> bool {
    let Some(((first, entry), rest)) = places.split_first() else { return false };
    let text = &first.text()[first.start(entry.value)..first.end(entry.value)];
    let is_empty = matches!(text.trim(), "" | "{}" | "~" | "null");
    !is_empty
        && !text.contains("{{")
        && first.is_plain(entry.value)
        && rest.iter().all(|(manifest, other)| {
            manifest.is_plain(other.value) && first.is_same(entry.value, manifest, other.value)
        })
}

/// `both files`, `all 3 files`.
fn all(number: usize, what: &str) -> String {
    if number == 2 { format!("both {what}s") } else { format!("all {}", count(number, what)) }
}

/// A path as `refactor hoist` takes it.
fn path(keys: &[String]) -> String {
    let is_plain = |key: &String| !key.is_empty() && !key.contains('.');
    if keys.iter().all(is_plain) && !keys[0].starts_with('/') {
        return word(&keys.join("."));
    }
    let mut path = String::new();
    keys.iter().for_each(|key| pointer::push(&mut path, key));
    word(&path)
}

/// A word of a command, in quotes where a shell needs them.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '~' | ':');
    match text.chars().all(is_plain) && !text.starts_with('~') {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
