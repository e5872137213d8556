//! Which files a manifest can depend on, found without resolving it, so that a comparison of two revisions need not
//! merge what no change can reach.
//!
//! Only the `import` sections are followed. If only resolving shows where an import leads (its path is a template, or a
//! template produces the section), the answer is unknown.

use super::items;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Changed, Deps, Loaded, Reader};
use crate::dialects::atmos::schema::manifest_checks::ManifestRecords;
use crate::dialects::atmos::templates::host::version_tracks::LockFile;
use crate::dialects::atmos::templates::host::{mentions_component, mentions_version};
use crate::source::Change;
use crate::text::{FastMap, FastSet, Text};
use crate::value::{FileId, Map};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Words in a file of values that may read any other file.
const OPEN_READS: [&str; 5] = ["!exec", "file.", "datasource", "ds ", "load("];

/// Follows the imports of one revision.
pub(crate) struct ChangeReach<'a> {
    reader: &'a Reader<'a>,
    config: &'a Config,
    changed: Changed<'a>,
    /// Whether any file changes that is not a manifest, so that components may be validated against something else.
    others: bool,
    known: Mutex<FastMap<Text, Arc<Option<FileReach>>>>,
    /// The paths in imports that were followed: many manifests have the same.
    targets: Mutex<FastMap<Text, Arc<ImportTarget>>>,
    /// Files that a change reaches, or may reach: nothing more has to be known of a manifest that imports one of them.
    reached: Mutex<FastSet<Text>>,
    reported: Mutex<FastSet<Text>>,
}

/// The dependencies of one file, and the files that it imports.
struct FileReach {
    files: BTreeSet<FileId>,
    touched: bool,
    next: Vec<Text>,
    /// Whether it imports something that the revision does not have.
    is_open: bool,
}

/// The files that a manifest depends on, where no change makes a difference to it.
pub(in crate::dialects::atmos) struct Untouched {
    pub files: BTreeSet<FileId>,
    /// Whether it imports something that the revision does not have, which may read more.
    pub is_open: bool,
}

/// Where the path of an import leads.
struct ImportTarget {
    /// The files that it matches.
    files: Vec<Text>,
    /// Whether it matches nothing, or may match what the revision does not have.
    is_open: bool,
    /// Whether a change can make it lead elsewhere.
    touched: bool,
}

impl<'a> ChangeReach<'a> {
    /// For the manifests of a revision that differs from another one in `changes`. Records skipped files with `checks`,
    /// if any.
    pub(crate) fn new(reader: &'a Reader<'a>, config: &'a Config, changes: &'a [Change]) -> Self {
        let is_yaml = |path: &str| [".yaml", ".yml", ".tmpl"].iter().any(|ending| path.ends_with(ending));
        let is_manifest = |c: &Change| paths::relative(&c.path, &config.stacks).is_some_and(is_yaml);
        let others = !changes.iter().all(is_manifest);
        let (known, targets) = (Mutex::default(), Mutex::default());
        let (reached, reported) = (Mutex::default(), Mutex::default());
        let changed = Changed::new(changes);
        ChangeReach { reader, config, changed, others, known, targets, reached, reported }
    }

    /// The files that a manifest depends on, if it is certain that no change makes a difference to it. Records that the
    /// manifest and its imports were skipped.
    pub(in crate::dialects::atmos) fn untouched(&self, path: &str, records: &ManifestRecords) -> Option<Untouched> {
        let (mut seen, files) = self.closure(path)?;
        let is_open = self.is_open(&seen);
        seen.retain(|path| self.reported.lock().insert(Text::clone(path)));
        for path in &seen {
            records.reaches(path);
            let step = self.step(path);
            for next in step.as_ref().as_ref().into_iter().flat_map(|s| &s.next) {
                // With or without a context: neither of the two is examined, because neither is touched.
                records.imports(path, next, true);
            }
        }
        Some(Untouched { files, is_open })
    }

    /// Whether one of some files imports something that the revision does not have.
    fn is_open(&self, files: &FastSet<Text>) -> bool {
        files.iter().any(|path| self.step(path).as_ref().as_ref().is_none_or(|step| step.is_open))
    }

    /// The files that a manifest depends on, if it is certain that it can read no others and that no change makes a difference.
    pub(in crate::dialects::atmos) fn all_files(&self, path: &str) -> Option<BTreeSet<FileId>> {
        let (seen, files) = self.closure(path)?;
        (!self.is_open(&seen)).then_some(files)
    }

    fn closure(&self, path: &str) -> Option<(FastSet<Text>, BTreeSet<FileId>)> {
        let mut files = BTreeSet::new();
        let mut seen: FastSet<Text> = FastSet::default();
        // Each path with that of its importer.
        let mut open: Vec<(Text, Option<Text>)> = vec![(path.into(), None)];
        let mut importers: FastMap<Text, Option<Text>> = FastMap::default();
        while let Some((path, importer)) = open.pop() {
            if !seen.insert(Text::clone(&path)) {
                continue;
            }
            importers.insert(Text::clone(&path), importer);
            let step = self.step(&path);
            let is_reached = |step: &&FileReach| step.touched || self.reaches_one(&step.next);
            let Some(step) = step.as_ref().as_ref().filter(|step| !is_reached(step)) else {
                self.note_reached(path, &importers);
                return None;
            };
            files.extend(&step.files);
            // The first import comes next: that is where the defaults are, which reach most.
            let next = step.next.iter().rev().filter(|next| !seen.contains(*next));
            open.extend(next.map(|next| (Text::clone(next), Some(Text::clone(&path)))));
        }
        Some((seen, files))
    }

    /// Whether one of some files is known to be reached.
    fn reaches_one(&self, files: &[Text]) -> bool {
        let reached = self.reached.lock();
        files.iter().any(|file| reached.contains(file))
    }

    /// Notes that a file is reached, and with it the files on the way to it.
    fn note_reached(&self, path: Text, importers: &FastMap<Text, Option<Text>>) {
        let mut reached = self.reached.lock();
        let mut next = Some(path);
        while let Some(path) = next {
            next = importers.get(&path).cloned().flatten();
            reached.insert(path);
        }
    }

    fn step(&self, path: &Text) -> Arc<Option<FileReach>> {
        if let Some(known) = self.known.lock().get(path) {
            return Arc::clone(known);
        }
        let step = Arc::new(self.find(path));
        self.known.lock().insert(Text::clone(path), Arc::clone(&step));
        step
    }

    fn find(&self, path: &str) -> Option<FileReach> {
        let mut deps = Deps::default();
        let mut next = Vec::new();
        let (mut touched, mut is_open) = (false, false);
        if let Some(loaded) = self.reader.load(path, &mut deps).ok()?
            && !loaded.is_empty()
        {
            // Which files scripts, templates and data sources read is known only after resolving.
            if OPEN_READS.iter().any(|text| loaded.text.contains(text)) {
                return None;
            }
            // The schemas and policies of components are known only after resolving.
            if self.others && ["schema_path", "!include"].iter().any(|text| loaded.text.contains(text)) {
                return None;
            }
            let content = self.imports_of(&loaded, &mut deps)?;
            // What cannot be read may read more than it shows.
            is_open |= content.is_none();
            let content = content.unwrap_or_default();
            let texts = |file: &FileId| Text::clone(&self.reader.files.get(*file).text);
            let texts: Vec<Text> = deps.files.iter().map(texts).collect();
            // The values of other components are known only after resolving.
            if texts.iter().any(|text| mentions_component(text)) {
                return None;
            }
            if texts.iter().any(|text| mentions_version(text)) {
                LockFile::new(self.reader, self.config).depend(&mut deps);
            }
            let relative = paths::relative(path, &self.config.stacks).unwrap_or(path);
            // An `import` that is not a list prevents the manifest from being resolved, so nothing is imported.
            let items = items::read_items(&content, relative);
            is_open |= items.is_err();
            for item in items.unwrap_or_default() {
                if item.path.contains("{{") {
                    return None;
                }
                let target = self.target(&item.path);
                touched |= target.touched;
                is_open |= target.is_open;
                next.extend(target.files.iter().cloned());
            }
        }
        touched |= self.is_touched(&deps);
        Some(FileReach { files: deps.files, touched, next, is_open })
    }

    /// Returns where the path of an import leads; nowhere if it is remote.
    fn target(&self, path: &str) -> Arc<ImportTarget> {
        if let Some(known) = self.targets.lock().get(path) {
            return Arc::clone(known);
        }
        let mut deps = Deps::default();
        let pattern = match paths::is_remote(path) {
            true => None,
            false => items::pattern(path, &self.config.stacks, self.reader, &mut deps),
        };
        let found = pattern.as_ref().map(|pattern| self.reader.glob(pattern, &mut deps).unwrap_or_default());
        let files: Vec<Text> = found.into_iter().flatten().map(Text::from).collect();
        // Git may lack files of a folder that a pattern names.
        let lacks = |pattern: &String| {
            !files.contains(&Text::from(&**pattern)) && self.reader.is_unavailable(pattern, &mut deps)
        };
        let is_open = files.is_empty() || pattern.as_ref().is_some_and(lacks);
        let target = Arc::new(ImportTarget { files, is_open, touched: self.is_touched(&deps) });
        self.targets.lock().insert(path.into(), Arc::clone(&target));
        target
    }

    /// Whether a change can make a difference to what has these dependencies.
    pub(in crate::dialects::atmos) fn is_touched(&self, deps: &Deps) -> bool {
        self.changed.touches(deps)
    }

    /// A map with the imports of a file; the inner `None` if it cannot be read, the outer one if only resolving shows them.
    fn imports_of(&self, loaded: &Arc<Loaded>, deps: &mut Deps) -> Option<Option<Map>> {
        let plain = self.config.key_delimiter.is_none() && !loaded.text.contains("!include");
        if plain && let Some(map) = loaded.imports(self.reader.limits()) {
            return Some(Some(map.clone()));
        }
        if loaded.path.ends_with(".tmpl") {
            return None;
        }
        let (delimiter, base, start) = (self.config.key_delimiter.as_deref(), &self.config.base, &self.config.start);
        match self.reader.decode(loaded, delimiter, base, start, deps) {
            Ok(value) => Some(Some(value.as_map().map(|m| (**m).clone()).unwrap_or_default())),
            Err(_) => Some(None),
        }
    }
}
