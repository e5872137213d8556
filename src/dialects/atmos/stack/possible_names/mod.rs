//! Which names the stacks of a manifest can have, found without resolving it, so that a question about some stacks need not resolve
//! the others: the values that its files write for the parts of names, in all combinations. Texts are searched, and not parsed: what
//! cannot be parsed still says which stack it is meant to be.

mod words;

use super::context::StackContext;
use super::manifest::name_fields;
use crate::dialects::StackNames;
use crate::dialects::atmos::imports::reach::ChangeReach;
use crate::dialects::atmos::names::{self, TOKENS};
use crate::dialects::atmos::paths;
use crate::template::MissingKey;
use crate::text::{FastMap, Text, intern};
use crate::value::{FileId, Key, Map, Value};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use words::Words;

/// The most names that one manifest may have before all are possible.
const MAX_NAMES: usize = 256;
/// The sections whose values are all written in files.
const WRITTEN: [&str; 2] = ["vars", "settings"];
/// The key of a manifest that gives its stacks a name.
const NAME: &str = "name";

/// Finds the manifests that cannot have wanted stacks.
pub(in crate::dialects::atmos) struct PossibleNames<'a> {
    stacks: &'a StackContext<'a>,
    wanted: StackNames<'a>,
    /// Follows imports.
    reach: ChangeReach<'a>,
    /// The values that form names; `None` if that is not known.
    fields: Option<Vec<Vec<Text>>>,
    known: Mutex<FastMap<FileId, Arc<Option<FileNames>>>>,
    /// Whether stacks of these parts are wanted: many manifests have the same.
    combined: Mutex<FastMap<Vec<BTreeSet<Text>>, bool>>,
}

/// What a file writes for names of stacks.
struct FileNames {
    /// For each of the fields.
    parts: Vec<BTreeSet<Text>>,
    /// Whether it gives a whole name that is wanted.
    is_wanted: bool,
}

impl<'a> PossibleNames<'a> {
    pub(in crate::dialects::atmos) fn new(stacks: &'a StackContext<'a>, wanted: StackNames<'a>) -> Self {
        let config = stacks.config;
        let fields = match (config.key_delimiter.is_some(), config.name_template.is_empty()) {
            (true, _) => None,
            (false, false) => name_fields(stacks).filter(|all| all.iter().all(|path| WRITTEN.contains(&&*path[0]))),
            (false, true) if config.name_pattern.is_empty() => Some(Vec::new()),
            (false, true) => Some(TOKENS.map(|token| vec![intern("vars"), intern(token)]).into()),
        };
        let is_unused = |path: &Vec<Text>| config.name_template.is_empty() && !config.name_pattern.contains(&*path[1]);
        let fields = fields.map(|fields| fields.into_iter().filter(|path| !is_unused(path)).collect());
        let reach = ChangeReach::new(stacks.reader, config, &[]);
        PossibleNames { stacks, wanted, reach, fields, known: Mutex::default(), combined: Mutex::default() }
    }

    /// The files that a manifest depends on, if it is certain that none of its stacks is wanted.
    pub(in crate::dialects::atmos) fn unwanted(&self, path: &str) -> Option<BTreeSet<FileId>> {
        let own = paths::manifest_key(path, &self.stacks.config.stacks);
        let fields = self.fields.as_ref().filter(|_| !self.wanted.has(&own))?;
        let files = self.reach.all_files(path)?;
        let mut parts: Vec<BTreeSet<Text>> = vec![BTreeSet::new(); fields.len()];
        for file in &files {
            let found = self.file(*file);
            let found = found.as_ref().as_ref().filter(|found| !found.is_wanted)?;
            parts.iter_mut().zip(&found.parts).for_each(|(all, of_file)| all.extend(of_file.iter().cloned()));
        }
        let known = self.combined.lock().get(&parts).copied();
        let is_wanted = known.unwrap_or_else(|| self.are_wanted(&own, fields, &parts));
        self.combined.lock().insert(parts, is_wanted);
        (!is_wanted).then_some(files)
    }

    /// Whether a combination of parts may be a wanted name.
    fn are_wanted(&self, own: &Key, fields: &[Vec<Text>], parts: &[BTreeSet<Text>]) -> bool {
        if fields.is_empty() {
            return false;
        }
        let count =
            parts.iter().try_fold(1, |count: usize, values| Some(count * values.len()).filter(|n| *n <= MAX_NAMES));
        // What has no name, because a part of it is missing, is not resolved, and may be meant.
        let Some(count) = count.filter(|count| *count > 0) else { return true };
        let engine = self.stacks.name_engine(MissingKey::Error);
        (0..count).any(|number| {
            let (mut data, mut rest) = (Map::new(), number);
            for (path, values) in fields.iter().zip(parts) {
                let value = values.iter().nth(rest % values.len()).cloned().unwrap_or_default();
                rest /= values.len();
                data = with(&data, path, Value::str(value));
            }
            let named = names::stack(self.stacks.config, &engine, own, None, &Value::map(data));
            // Where nothing names a stack, it goes by its manifest.
            named.map_or(true, |named| named.name.as_str().is_none_or(|name| self.wanted.has(name)))
        })
    }

    fn file(&self, file: FileId) -> Arc<Option<FileNames>> {
        if let Some(known) = self.known.lock().get(&file) {
            return Arc::clone(known);
        }
        let source = self.stacks.reader.files.get(file);
        let found = Arc::new(self.find(&source.text));
        self.known.lock().insert(file, Arc::clone(&found));
        found
    }

    /// What a file writes; `None` if its text does not show that.
    fn find(&self, text: &str) -> Option<FileNames> {
        let words = Words::of(text)?;
        let fields = self.fields.iter().flatten();
        let owned = |values: BTreeSet<&str>| values.into_iter().map(Text::from).collect();
        let parts = fields.map(|path| words.values(path.last()?).map(owned)).collect::<Option<_>>()?;
        let is_wanted = words.top_values(NAME)?.into_iter().any(|name| self.wanted.has(name));
        Some(FileNames { parts, is_wanted })
    }
}

/// A map with a value at a path.
fn with(map: &Map, path: &[Text], value: Value) -> Map {
    let mut map = map.clone();
    if let [first, rest @ ..] = path {
        let inner = || map.get(first).and_then(Value::as_map).map_or_else(Map::new, |inner| (**inner).clone());
        let value = if rest.is_empty() { value } else { Value::map(with(&inner(), rest, value)) };
        map.set(Text::clone(first), value);
    }
    map
}
