//! Which files a manifest can depend on, found without resolving it, so that a comparison of two revisions need not
//! merge what no change can reach.
//!
//! Imports are followed through the `import` sections alone. Where only resolving can tell where an import leads (its
//! path is a template, or the section itself comes out of one), the answer is that it is not known.

use super::config::Config;
use super::document::Decoder;
use super::host::version_tracks::LockFile;
use super::host::{mentions_component, mentions_version};
use super::imports;
use super::paths;
use super::reader::{Deps, Loaded, Reader};
use super::validate::Checks;
use crate::limits::Limits;
use crate::source::Change;
use crate::text::Text;
use crate::value::{FileId, Map, Prov, Value};
use crate::yaml::{self, Span};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Follows the imports of one revision.
pub(crate) struct Reach<'a> {
    reader: &'a Reader<'a>,
    config: &'a Config,
    changes: &'a [Change],
    /// Whether anything changes that is no manifest, so that components may be held against something else.
    others: bool,
    checks: Option<&'a Checks<'a>>,
    known: Mutex<HashMap<Text, Arc<Option<Step>>>>,
    told: Mutex<HashSet<Text>>,
}

/// What one file depends on by itself, and the files that it imports.
struct Step {
    files: BTreeSet<FileId>,
    touched: bool,
    next: Vec<Text>,
}

impl<'a> Reach<'a> {
    /// For manifests of a revision that differs from another one in `changes`. Checks, if any, are told what they are not
    /// shown.
    pub(crate) fn new(
        reader: &'a Reader<'a>,
        config: &'a Config,
        changes: &'a [Change],
        checks: Option<&'a Checks<'a>>,
    ) -> Self {
        let is_yaml = |path: &str| [".yaml", ".yml", ".tmpl"].iter().any(|ending| path.ends_with(ending));
        let is_manifest = |c: &Change| paths::relative(&c.path, &config.stacks).is_some_and(is_yaml);
        let others = !changes.iter().all(is_manifest);
        Reach { reader, config, changes, others, checks, known: Mutex::default(), told: Mutex::default() }
    }

    /// The files that a manifest depends on, if it is certain that no change makes a difference to it.
    pub(crate) fn untouched(&self, path: &str) -> Option<BTreeSet<FileId>> {
        let (mut seen, files) = self.closure(path)?;
        let Some(checks) = self.checks else { return Some(files) };
        seen.retain(|path| self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(Text::clone(path)));
        for path in &seen {
            checks.reaches(path);
            let step = self.step(path);
            for next in step.as_ref().as_ref().into_iter().flat_map(|s| &s.next) {
                // With or without a context: neither of the two is looked at, because neither is touched.
                checks.imports(path, next, true);
            }
        }
        Some(files)
    }

    /// The paths of a manifest and of all that it imports, if that is certain and no change touches them.
    pub(crate) fn files(&self, path: &str) -> Option<HashSet<Text>> {
        self.closure(path).map(|(paths, _)| paths)
    }

    fn closure(&self, path: &str) -> Option<(HashSet<Text>, BTreeSet<FileId>)> {
        let mut files = BTreeSet::new();
        let mut seen: HashSet<Text> = HashSet::new();
        let mut open: Vec<Text> = vec![path.into()];
        while let Some(path) = open.pop() {
            if !seen.insert(Text::clone(&path)) {
                continue;
            }
            let step = self.step(&path);
            let step = step.as_ref().as_ref().filter(|s| !s.touched)?;
            files.extend(&step.files);
            open.extend(step.next.iter().filter(|next| !seen.contains(*next)).cloned());
        }
        Some((seen, files))
    }

    fn step(&self, path: &Text) -> Arc<Option<Step>> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(path) {
            return Arc::clone(known);
        }
        let step = Arc::new(self.find(path));
        lock().insert(Text::clone(path), Arc::clone(&step));
        step
    }

    fn find(&self, path: &str) -> Option<Step> {
        let mut deps = Deps::default();
        let mut next = Vec::new();
        if let Some(loaded) = self.reader.load(path, &mut deps).ok()?
            && !loaded.is_empty()
        {
            // Which schemas and policies components name, only resolving tells.
            if self.others && ["schema_path", "!include"].iter().any(|text| loaded.text.contains(text)) {
                return None;
            }
            let content = self.imports_of(&loaded, &mut deps)?;
            let texts = |file: &FileId| Text::clone(&self.reader.files.get(*file).text);
            let texts: Vec<Text> = deps.files.iter().map(texts).collect();
            // What other components come to, only resolving tells.
            if texts.iter().any(|text| mentions_component(text)) {
                return None;
            }
            if texts.iter().any(|text| mentions_version(text)) {
                LockFile::new(self.reader, self.config).depend(&mut deps);
            }
            let relative = paths::relative(path, &self.config.stacks).unwrap_or(path);
            // What is no list of imports keeps the manifest from being resolved, so nothing is imported.
            for item in imports::items(&content, relative).unwrap_or_default() {
                if item.path.contains("{{") {
                    return None;
                }
                if imports::is_remote(&item.path) {
                    continue;
                }
                let pattern = imports::pattern(&item.path, &self.config.stacks, self.reader, &mut deps);
                let found = pattern.map(|p| self.reader.glob(&p, &mut deps).unwrap_or_default());
                next.extend(found.into_iter().flatten().map(Text::from));
            }
        }
        let touched = self.changes.iter().any(|c| deps.touched(&c.path, c.kind));
        Some(Step { files: deps.files, touched, next })
    }

    /// A map with the imports of a file.
    fn imports_of(&self, loaded: &Arc<Loaded>, deps: &mut Deps) -> Option<Map> {
        let plain = self.config.key_delimiter.is_none() && !loaded.text.contains("!include");
        if plain && let Some(map) = loaded.imports(self.reader.limits()) {
            return Some(map.clone());
        }
        if loaded.path.ends_with(".tmpl") {
            return None;
        }
        let (delimiter, base, start) = (self.config.key_delimiter.as_deref(), &self.config.base, &self.config.start);
        match self.reader.decode(loaded, delimiter, base, start, deps) {
            Ok(value) => Some(value.as_map().map(|m| (**m).clone()).unwrap_or_default()),
            Err(_) => Some(Map::new()),
        }
    }
}

/// The `import` section of a manifest, alone in a map, without reading the rest of the text; `None` if that cannot be
/// done with certainty.
pub(super) fn section(text: &str, limits: Limits) -> Option<Map> {
    let Some(section) = find_section(text)? else { return Some(Map::new()) };
    if section.contains(['!', '*']) || section.contains("{{") {
        return None;
    }
    let doc = yaml::parse(section.as_bytes()).ok()?;
    let place = |_: u32, _: Span| Prov::default();
    let value: Value = Decoder { place: &place, include: None, delimiter: None, limits }.decode(&doc).ok()?;
    value.as_map().map(|m| (**m).clone())
}

/// The lines of the `import` section: `None` if the text is not written in the plain way (block style, every line at the
/// margin a comment, a list item or a bare key), `Some(None)` if there is no such section.
fn find_section(text: &str) -> Option<Option<&str>> {
    // Other line breaks than `\n` are rare, and would hide keys.
    let breaks = |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    if !text.is_ascii() && text.contains(breaks) {
        return None;
    }
    let (mut start, mut end) = (None, None);
    let (mut at, mut keys) = (0, 0);
    for line in text.split_inclusive('\n') {
        let here = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.contains('\r') {
            return None;
        }
        match line.bytes().next() {
            None | Some(b'#') => {}
            Some(b' ') => {
                let inner = line.trim_start_matches(' ');
                if keys == 0 && !inner.is_empty() && !inner.starts_with('#') {
                    return None;
                }
            }
            Some(b'-') if keys == 0 && line.trim_end() == "---" => {}
            Some(b'-') if keys > 0 && (line == "-" || line.starts_with("- ")) => {}
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                let (key, rest) = line.split_once(':')?;
                let bare = key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
                if !bare || !(rest.is_empty() || rest.starts_with(' ')) {
                    return None;
                }
                keys += 1;
                if start.is_some() {
                    end.get_or_insert(here);
                }
                if key == "import" && start.replace(here).is_some() {
                    return None;
                }
            }
            Some(_) => return None,
        }
    }
    Some(start.map(|start| &text[start..end.unwrap_or(text.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_import_section_is_found_where_it_is_plain() {
        let cases = [
            ("import:\n  - a\n  - b\nvars:\n  x: 1\n", Some(Some("import:\n  - a\n  - b\n"))),
            ("# c\n---\nvars: {}\nimport:\n- a\n\n# c\n- b", Some(Some("import:\n- a\n\n# c\n- b"))),
            ("import: [a, b]\r\nvars: {}\r\n", Some(Some("import: [a, b]\r\n"))),
            ("vars:\n  import:\n    - a\n", Some(None)),
            ("", Some(None)),
        ];
        for (text, expected) in cases {
            assert_eq!(find_section(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_ways_of_writing_are_left_to_the_reader() {
        let unsure = [
            "\"import\":\n  - a\n",
            "{import: [a]}\n",
            " import:\n  - a\n",
            "? import\n: - a\n",
            "import :\n  - a\n",
            "<<: *x\n",
            "import:\n  - a\nimport:\n  - b\n",
            "vars: {}\rimport: [a]\n",
            "vars: {}\u{85}import: [a]\n",
            "\u{feff}import: [a]\n",
            "{{ .key }}:\n  - a\n",
            "--- \n---\n!x import:\n",
            "import: [\n  a\n]\n",
        ];
        for text in unsure {
            assert_eq!(find_section(text), None, "{text:?}");
        }
        for text in ["import: !include x\n", "import: *a\n", "import:\n  - \"{{ .a }}\"\n", "import: [a\n"] {
            assert!(section(text, Limits::default()).is_none(), "{text:?}");
        }
    }
}
