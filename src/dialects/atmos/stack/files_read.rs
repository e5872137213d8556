//! What unknown values and calls of a component read of the repository: a script that `!exec` runs, a file that a template reads,
//! the file of a data source, the settings of a store. What these contain is a part of what the value is made of.

use super::context::StackContext;
use super::manifest::StackManifest;
use crate::dialects::atmos::functions::calls;
use crate::dialects::atmos::templates::values_read::with_reads;
use crate::paths;
use crate::reads::{Named, NamedFiles, made_of};
use crate::source::Node;
use crate::text::Text;
use crate::value::{Data, Entry, Flags, Map, Prov, Read, Unknown, Value};
use crate::yaml::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Adds the files that unknown values of a component read. Returns what its calls read, by their texts, sorted.
pub(super) fn complete(map: &mut Map, stacks: &StackContext<'_>, manifest: &StackManifest<'_>) -> Vec<Value> {
    let flags = map.flags();
    if flags.has(Flags::UNKNOWN) {
        let settings = map.known("settings").and_then(|settings| settings.at_path(DATA_SOURCES)).cloned();
        let of_config = stacks.config.all.at_path(["templates", "settings", "gomplate", "datasources"]).cloned();
        let sources = [settings, of_config];
        let all = Value::map(std::mem::take(map));
        let all = with_reads(&all, &|part| {
            let Data::Unknown(unknown) = &part.data else { return Default::default() };
            let mut files = FilesRead::new(stacks, manifest);
            files.unknown(unknown, &sources);
            (files.reads, files.places)
        });
        *map = all.as_map().map(|map| (**map).clone()).unwrap_or_default();
    }
    let mut found = BTreeMap::new();
    if flags.has(Flags::CALL) {
        map.iter().for_each(|Entry { value, .. }| of_calls(value, stacks, manifest, &mut found));
    }
    found.into_values().flatten().collect()
}

/// Where a component declares data sources, below its settings.
const DATA_SOURCES: [&str; 4] = ["templates", "settings", "gomplate", "datasources"];

/// Functions of templates that read files, as far as they are not evaluated.
const READERS: [&str; 3] = ["file.", "datasource", "ds \""];

/// How functions of templates begin that read the file of a path.
const FILE_FUNCTIONS: &str = "file.";

/// The function of templates that reads a store.
const STORE_FUNCTION: &str = "atmos.Store";

/// Collects what calls read, by their texts; nothing for those that read nothing of the repository.
fn of_calls(
    value: &Value,
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    found: &mut BTreeMap<Text, Option<Value>>,
) {
    match &value.data {
        Data::Str(text) if !found.contains_key(text) => {
            let Some((name, arguments)) = calls::split(text) else { return };
            let mut files = FilesRead::new(stacks, manifest);
            let is_command = name == "!exec";
            if is_command || arguments.contains("load") {
                files.words(arguments, true);
                files.computed(arguments);
            }
            files.settings(name, arguments);
            let mut unknown = Unknown::new(text.clone(), format!("`{name}` is evaluated at run time"));
            unknown.add_reads(files.reads);
            // A command that names no file may have named one in the other revision.
            let is_any = is_command || !unknown.reads.is_empty();
            let prov = value.prov.with_inputs(files.places);
            found.insert(text.clone(), is_any.then(|| Value { data: Data::Unknown(Arc::new(unknown)), prov }));
        }
        Data::List(items) => items.iter().for_each(|item| of_calls(item, stacks, manifest, found)),
        Data::Map(map) if map.flags().has(Flags::CALL) => {
            map.iter().for_each(|entry| of_calls(&entry.value, stacks, manifest, found));
        }
        _ => {}
    }
}

/// Whether a function of templates reads a file whose path is no plain text.
fn reads_computed_path(text: &str) -> bool {
    text.match_indices(FILE_FUNCTIONS).any(|(at, _)| {
        let is_own = !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '"' | '`'));
        let name = &text[at + FILE_FUNCTIONS.len()..];
        let argument = name.trim_start_matches(char::is_alphanumeric).trim_start();
        is_own && name.starts_with(|c: char| c.is_ascii_uppercase()) && !argument.starts_with(['"', '`'])
    })
}

/// What stands before the first and after the last variable of a word, if that may be the parts of a relative path.
fn around_variables(word: &str) -> Option<(&str, &str)> {
    let (before, _) = word.split_once('$')?;
    let (_, last) = word.rsplit_once('$')?;
    let after = match last.strip_prefix('{') {
        Some(rest) => rest.split_once('}')?.1,
        None => last.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
    };
    let is_piece = |piece: &str| piece.contains(['/', '.']) && piece.contains(char::is_alphanumeric);
    let is_elsewhere = word.contains("://") || before.starts_with(['/', '~']);
    (!is_elsewhere && (is_piece(before) || is_piece(after))).then_some((before, after))
}

/// Collects what a value reads.
struct FilesRead<'a> {
    stacks: &'a StackContext<'a>,
    manifest: &'a StackManifest<'a>,
    reads: Vec<Read>,
    /// The files as a whole, and the settings.
    places: Vec<Prov>,
}

impl<'a> FilesRead<'a> {
    fn new(stacks: &'a StackContext<'_>, manifest: &'a StackManifest<'_>) -> Self {
        FilesRead { stacks, manifest, reads: Vec::new(), places: Vec::new() }
    }

    /// The files that an unknown value names, itself or as arguments of its functions, and those of its data sources.
    fn unknown(&mut self, unknown: &Unknown, sources: &[Option<Value>]) {
        // Elsewhere a word that is also the name of a folder means nothing.
        if unknown.text.starts_with('!') || READERS.iter().any(|function| unknown.text.contains(function)) {
            self.words(&unknown.text, false);
        }
        if reads_computed_path(&unknown.text) {
            self.anything();
        }
        if let Some((_, rest)) = unknown.text.split_once(STORE_FUNCTION) {
            self.settings("!store", rest.trim_start().trim_start_matches(['"', '`']));
        }
        for read in unknown.reads.iter().filter(|read| read.content.is_none()) {
            self.words(&read.name, false);
            for source in sources.iter().flatten().filter_map(|all| all.get(&read.name)?.get("url")?.as_str()) {
                self.words(source.trim_start_matches("file://").trim_start_matches('/'), false);
            }
        }
    }

    /// The settings of Atmos that say where a function gets its value from.
    fn settings(&mut self, function: &str, arguments: &str) {
        let path = match function {
            "!store" | "!store.get" => {
                let is_name = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`');
                let name = arguments.trim_start_matches(|c| !is_name(c)).split(|c| !is_name(c)).next();
                vec!["stores", name.unwrap_or_default()]
            }
            _ if function.starts_with("!aws.") => vec!["auth"],
            _ => return,
        };
        if let Some(value) = self.stacks.config.all.at_path(path.iter().copied()) {
            self.reads.push(made_of::value(path.join("."), value));
            self.places.push(value.prov.clone());
        }
    }

    /// The words that may be the paths of files or folders: from where Atmos is started, from `base_path`, or beside the file that
    /// they are in.
    fn words(&mut self, text: &str, into_files: bool) {
        let config = self.stacks.config;
        let folders = [&*config.start, &*config.base];
        let named = NamedFiles { folders: &folders, may_name: &|_| true, into_files };
        if !named.visit(text, &mut |path, _| self.path(path)) {
            self.anything();
        }
    }

    /// Any file of the repository.
    fn anything(&mut self) {
        let source = self.stacks.reader.source;
        self.manifest.deps().paths.extend(source.listing().iter().map(|entry| Text::from(&*entry.path)));
        self.reads.push(made_of::anything(source));
    }

    /// The files that words of a command may name of which a variable of the shell is a part: `$DIR/x.txt`, `config/$STAGE.json`.
    fn computed(&mut self, command: &str) {
        let is_end = |c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '=' | ',')
        };
        let source = self.stacks.reader.source;
        for word in command.split(is_end) {
            let Some((before, after)) = around_variables(word) else { continue };
            let before = match before {
                "" => Some(String::new()),
                path => paths::resolve(&self.stacks.config.start, &format!("{path}x"))
                    .map(|path| path[..path.len() - 1].to_owned()),
            };
            let Some(before) = before else { continue };
            let is_meant = |path: &str| {
                path.starts_with(&*before) && (path.ends_with(after) || after.strip_prefix('/') == Some(path))
            };
            let reads = made_of::matching(source, word, &is_meant);
            let mut deps = self.manifest.deps();
            deps.globs.insert(if before.is_empty() {
                "**/*".into()
            } else {
                format!("{}/**/*", paths::parent(&before)).into()
            });
            deps.paths.extend(
                source.listing().iter().filter(|entry| is_meant(&entry.path)).map(|entry| Text::from(&*entry.path)),
            );
            self.reads.extend(reads);
        }
    }

    fn path(&mut self, path: &str) -> Named {
        let reader = self.stacks.reader;
        let mut deps = self.manifest.deps();
        deps.paths.insert(path.into());
        let Ok(node) = reader.source.listing().lookup(path) else { return Named::Nothing };
        let reads = made_of::path(reader.source, path);
        deps.paths.extend(reads.iter().map(|read| read.name.clone()));
        if let Node::Dir(dir) = &node {
            // A big folder is compared as a whole, but still depends on each of its files.
            deps.paths.extend(reader.source.listing().under(dir).iter().map(|entry| Text::from(&*entry.path)));
        }
        self.reads.extend(reads);
        match node {
            Node::Dir(_) => Named::Leaf,
            Node::File(_) => match reader.load(path, &mut deps) {
                Ok(Some(loaded)) => {
                    self.places.push(loaded.prov(0, Span { start: 0, end: loaded.text.len() as u32 }));
                    Named::Text(loaded.text.to_string())
                }
                _ => Named::Leaf,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_computed() {
        for (text, expected) in [
            ("{{ file.Read (env.Getenv \"F\") }}", true),
            ("{{ env.Getenv \"F\" | file.Read }}", true),
            ("{{ file.Read \"a\" }}", false),
            ("{{ env \"F\" }} of file.txt", false),
            ("{{ env \"F\" }} of a/file.txt", false),
        ] {
            assert_eq!(reads_computed_path(text), expected, "{text}");
        }
    }

    #[test]
    fn words_with_variables() {
        for (word, expected) in [
            ("$D/x.txt", Some(("", "/x.txt"))),
            ("conf/${A}-$B.json", Some(("conf/", ".json"))),
            ("$HOME", None),
            ("/x/$A/y", None),
            ("https://$HOST/x.txt", None),
            ("x.txt", None),
        ] {
            assert_eq!(around_variables(word), expected, "{word}");
        }
    }
}
