//! Finding and merging the files of the configuration (`reference: atmos.md` sections 1.1 to 1.4).

use super::{BUILT_IN, Config};
use crate::dialects::Project;
use crate::dialects::atmos::document::{Decoder, Issue};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Includer, Loaded, Reader, syntax_issue};
use crate::limits::Limits;
use crate::text::Text;
use crate::value::{Data, Key, Map, Prov, Value};
use crate::yaml::{self, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why there is no configuration.
#[derive(Debug)]
pub(crate) enum ConfigError {
    /// A file at fault.
    File(Arc<Loaded>, Vec<Issue>),
    /// No file in particular; the main file, if there is one.
    Message(String, Option<Arc<Loaded>>),
    /// Settings that cannot be used, the main file, and the whole configuration.
    Settings(String, Option<Arc<Loaded>>, Value),
    /// A configuration folder without files, and the main file beside it.
    Empty(String, Arc<Loaded>),
}

/// How deep configuration files may import each other.
const MAX_IMPORTS: usize = 10;

pub(crate) fn load(reader: &Reader<'_>, project: &Project, deps: &mut Deps) -> Result<Config, ConfigError> {
    let mut search = ConfigSearch {
        reader,
        project,
        deps,
        all: Value::map(Map::new()),
        main: None,
        base: None,
        dirs: Vec::new(),
        remote: BTreeSet::new(),
    };
    search.run()?;
    let ConfigSearch { all, main, base, dirs, remote, deps, .. } = search;
    let found = main.is_some();
    let (mut all, mut base) =
        if found { (all, base) } else { (decode_text(BUILT_IN), Some((".".to_owned(), project.start.clone()))) };
    for profile in profiles(&all, project) {
        if let Some(value) = load_profile(reader, &profile, &all, &dirs, deps)? {
            if let Some(path) = base_path(&value) {
                base = Some((path, project.start.clone()));
            }
            all = overlay(&all, &value);
        }
    }
    environment(&mut all, project);
    if let Some(path) = project.env.get("ATMOS_BASE_PATH").filter(|p| !p.is_empty()) {
        base = Some((path.clone(), project.start.clone()));
    }
    let base = resolve_base(reader, project, base, deps).map_err(|m| ConfigError::Message(m, main.clone()))?;
    let all = super::evaluate_functions(&all);
    let remote: Vec<String> = remote.into_iter().collect();
    match Config::read(all.clone(), base, project.start.clone()) {
        Ok(config) => Ok(Config { remote, ..config }),
        Err(message) if remote.is_empty() => Err(ConfigError::Settings(message, main, all)),
        Err(message) => {
            let message = format!("{}, and without it the rest is not enough: {message}", super::not_read(&remote));
            Err(ConfigError::Message(message, main))
        }
    }
}

struct ConfigSearch<'a, 'r> {
    reader: &'a Reader<'r>,
    project: &'a Project,
    deps: &'a mut Deps,
    all: Value,
    main: Option<Arc<Loaded>>,
    /// The last `base_path`, and the folder of the file that sets it.
    base: Option<(String, String)>,
    /// The folders that had a configuration.
    dirs: Vec<String>,
    /// The addresses of imports that are fetched from elsewhere.
    remote: BTreeSet<String>,
}

impl ConfigSearch<'_, '_> {
    fn run(&mut self) -> Result<(), ConfigError> {
        if !self.project.config.is_empty() {
            for path in &self.project.config {
                if self.reader.is_dir(path, self.deps) { self.dir(path)? } else { self.file(path)? }
            }
            return Ok(());
        }
        let start = self.project.start.clone();
        let indicators = ["atmos.yaml", "atmos.yml", ".atmos.yaml"];
        let is_dir = |s: &mut Self, name: &str| paths::join(&start, name).is_some_and(|p| s.reader.is_dir(&p, s.deps));
        let mut local =
            indicators.iter().any(|n| paths::join(&start, n).is_some_and(|p| self.reader.exists(&p, self.deps)));
        local = local || [".atmos", ".atmos.d", "atmos.d"].iter().any(|n| is_dir(self, n));
        let elsewhere = self.project.env.get("ATMOS_CLI_CONFIG_PATH").filter(|p| !p.is_empty()).cloned();
        if !local && elsewhere.is_none() && !start.is_empty() {
            let mut dir = paths::parent(&start).to_owned();
            let nearest = loop {
                let here = |n: &str| paths::join(&dir, n).unwrap_or_default();
                if self.reader.exists(&here("atmos.yaml"), self.deps)
                    || self.reader.exists(&here(".atmos.yaml"), self.deps)
                {
                    break Some(dir);
                }
                if dir.is_empty() {
                    break None;
                }
                dir = paths::parent(&dir).to_owned();
            };
            if let Some(dir) = nearest {
                self.dir(&dir)?;
            }
            if !self.dirs.iter().any(String::is_empty) {
                self.dir("")?;
            }
        }
        self.dir(&start)?;
        if let Some(path) = elsewhere
            && let Some(dir) = paths::join(if path.starts_with('/') { "" } else { &start }, &path)
        {
            self.dir(&dir)?;
        }
        Ok(())
    }

    /// The configuration of a folder, if it has one.
    fn dir(&mut self, dir: &str) -> Result<(), ConfigError> {
        for name in ["atmos.yaml", "atmos.yml"] {
            let Some(path) = paths::join(dir, name) else { continue };
            if self.reader.exists(&path, self.deps) {
                return self.file(&path);
            }
        }
        Ok(())
    }

    /// Reads a main file, with the folders beside it and its imports.
    fn file(&mut self, path: &str) -> Result<(), ConfigError> {
        let Some(main) = self.reader.load(path, self.deps).map_err(|why| ConfigError::Message(why.message, None))?
        else {
            return Err(ConfigError::Message(format!("the configuration file {path} does not exist"), None));
        };
        let own = decode(self.reader, &main, self.deps)?;
        let dir = paths::parent(path).to_owned();
        self.main = Some(Arc::clone(&main));
        let mut folders = vec![dir.clone()];
        if !dir.is_empty() {
            folders.insert(0, String::new());
        }
        for folder in folders {
            for name in ["atmos.d", ".atmos.d"] {
                self.folder(&paths::join(&folder, name).unwrap_or_default(), &main)?;
            }
        }
        let base = resolve_base(self.reader, self.project, base_path(&own).map(|p| (p, dir.clone())), self.deps);
        let base = base.map_err(|m| ConfigError::Message(m, Some(Arc::clone(&main))))?;
        self.imports(&own, &base, 0)?;
        if let Some(path) = base_path(&own) {
            self.base = Some((path, dir.clone()));
        }
        self.all = overlay(&self.all, &own);
        self.dirs.push(dir);
        Ok(())
    }

    /// All files of an `atmos.d`: shallow ones first, then by path; of two files with one stem the `.yaml` one.
    fn folder(&mut self, dir: &str, main: &Arc<Loaded>) -> Result<(), ConfigError> {
        if !self.reader.is_dir(dir, self.deps) {
            return Ok(());
        }
        self.deps.globs.insert(format!("{dir}/**/*").into());
        let mut found: Vec<String> = self
            .reader
            .source
            .listing()
            .under(dir)
            .iter()
            .map(|e| e.path.to_string())
            .filter(|p| p.ends_with(".yaml") || p.ends_with(".yml"))
            .collect();
        let yaml: BTreeSet<String> = found.iter().filter_map(|p| p.strip_suffix(".yaml").map(str::to_owned)).collect();
        found.retain(|p| p.strip_suffix(".yml").is_none_or(|stem| !yaml.contains(stem)));
        found.sort_by_key(|p| (p.matches('/').count(), p.clone()));
        if found.is_empty() {
            return Err(ConfigError::Empty(dir.to_owned(), Arc::clone(main)));
        }
        for path in found {
            self.part(&path)?;
        }
        Ok(())
    }

    fn part(&mut self, path: &str) -> Result<Option<Value>, ConfigError> {
        let loaded = self.reader.load(path, self.deps).map_err(|why| ConfigError::Message(why.message, None))?;
        let Some(loaded) = loaded else { return Ok(None) };
        let value = decode(self.reader, &loaded, self.deps)?;
        if let Some(base) = base_path(&value) {
            self.base = Some((base, paths::parent(path).to_owned()));
        }
        self.all = overlay(&self.all, &value);
        Ok(Some(value))
    }

    /// Reads the imports of a file, in order; missing files are skipped. The file itself is merged over them
    /// afterwards.
    fn imports(&mut self, file: &Value, base: &str, depth: usize) -> Result<(), ConfigError> {
        let patterns: Vec<String> = match file.get("import").and_then(Value::as_list) {
            Some(list) if depth < MAX_IMPORTS => list.iter().filter_map(super::plain_text).collect(),
            _ => return Ok(()),
        };
        for pattern in patterns {
            if paths::is_remote(&pattern) {
                self.remote.insert(pattern);
                continue;
            }
            let Some(mut path) = paths::join(base, &pattern) else { continue };
            if !path.contains('*') && paths::extension(&path).is_empty() {
                path.push_str(".yaml");
            }
            let found = match self.reader.glob(&path, self.deps) {
                Ok(found) => found,
                Err(bad) if bad.is_limit => return Err(ConfigError::Message(bad.message, self.main.clone())),
                // An invalid pattern matches nothing, as in Atmos.
                Err(_) => Vec::new(),
            };
            for match_ in found {
                let loaded =
                    self.reader.load(&match_, self.deps).map_err(|why| ConfigError::Message(why.message, None))?;
                let Some(loaded) = loaded else { continue };
                let value = decode(self.reader, &loaded, self.deps)?;
                // The imports of an imported file are merged over it; only the main file is applied once more at the
                // end.
                self.all = overlay(&self.all, &value);
                self.imports(&value, base, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn decode(reader: &Reader<'_>, loaded: &Arc<Loaded>, deps: &mut Deps) -> Result<Value, ConfigError> {
    let doc = loaded.doc().map_err(|e| ConfigError::File(Arc::clone(loaded), vec![syntax_issue(e)]))?;
    let dir = paths::parent(&loaded.path);
    let includer = Includer::new(reader, &loaded.path, dir, dir);
    let place = |key: u32, span: Span| loaded.prov(key, span);
    let decoder = Decoder { place: &place, include: Some(&includer), delimiter: None, limits: reader.limits() };
    let value = decoder.decode(doc).map_err(|issues| ConfigError::File(Arc::clone(loaded), issues))?;
    deps.add(&includer.into_deps());
    match value.data {
        Data::Map(_) => Ok(super::lower_keys(&value)),
        Data::Null => Ok(Value::map(Map::new())),
        _ => {
            let message = format!("{} must hold a map, not {}", loaded.path, value.a_kind());
            Err(ConfigError::Message(message, Some(Arc::clone(loaded))))
        }
    }
}

/// The value of a YAML text without places; null if it has none.
pub(super) fn decode_text(text: &str) -> Value {
    let doc = yaml::parse(text.as_bytes());
    let place = |_: u32, _: Span| Prov::default();
    let decoder = Decoder { place: &place, include: None, delimiter: None, limits: Limits::default() };
    doc.ok().and_then(|d| decoder.decode(&d).ok()).unwrap_or_default()
}

fn base_path(value: &Value) -> Option<String> {
    value.get("base_path").and_then(super::plain_text)
}

/// The folder that `base_path` means, from the root of the repository.
///
/// # Errors
/// It leads out of the repository.
fn resolve_base(
    reader: &Reader<'_>,
    project: &Project,
    base: Option<(String, String)>,
    deps: &mut Deps,
) -> Result<String, String> {
    written_base(reader, project, base, deps).map(paths::without_repeats)
}

/// The same before it is cleaned.
fn written_base(
    reader: &Reader<'_>,
    project: &Project,
    base: Option<(String, String)>,
    deps: &mut Deps,
) -> Result<String, String> {
    let (path, dir) = base.unwrap_or_default();
    if project.is_elsewhere {
        // It is copied to where Atmos finds it, and Atmos is started in the folder of the stacks: a path that is there counts.
        let base = paths::join(&project.start, path.trim_start_matches('/'));
        return Ok(base.filter(|base| reader.is_dir(base, deps)).unwrap_or_else(|| project.start.clone()));
    }
    if let Some(absolute) = path.strip_prefix('/') {
        // An absolute path into the work tree; any other cannot be read.
        let root = project.root.trim_matches('/');
        let inside = paths::relative(absolute, root).and_then(|p| paths::join("", p));
        return Ok(inside.unwrap_or_default());
    }
    let dotted = path == "." || path == ".." || path.starts_with("./") || path.starts_with("../");
    if path == "." && dir != project.start {
        // A bare dot in a file found elsewhere means the root, unlike `./`.
        return Ok(String::new());
    }
    if dotted {
        return paths::join(&dir, &path).ok_or_else(|| format!("`base_path` leads out of the repository: {path}"));
    }
    if path.is_empty() {
        return Ok(String::new());
    }
    for from in ["", &project.start] {
        if let Some(joined) = paths::join(from, &path)
            && reader.is_dir(&joined, deps)
        {
            return Ok(joined);
        }
    }
    paths::join("", &path).ok_or_else(|| format!("`base_path` leads out of the repository: {path}"))
}

/// Maps deeply, all else by replacement, as the configuration library merges. Of what is no map, only `!unset` replaces a map.
fn overlay(below: &Value, above: &Value) -> Value {
    let is_unset = above.as_str() == Some("!unset");
    let Some(a) = below.as_map().filter(|_| !is_unset) else { return above.clone() };
    let Some(b) = above.as_map() else { return below.clone() };
    let mut out = (**a).clone();
    for entry in b.iter() {
        let value = out.get(&entry.key).map_or_else(|| entry.value.clone(), |old| overlay(old, &entry.value));
        out.set(Text::clone(&entry.key), value);
    }
    Value { data: Data::Map(Arc::new(out)), prov: above.prov.clone() }
}

fn profiles(all: &Value, project: &Project) -> Vec<String> {
    let named = project.env.get("ATMOS_PROFILE").filter(|p| !p.is_empty());
    if let Some(named) = named {
        return named.split(',').map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect();
    }
    match all.at_path(["profiles", "default"]).map(|v| (&v.data, v)) {
        Some((Data::List(list), _)) => list.iter().filter_map(super::plain_text).collect(),
        Some((_, v)) => super::plain_text(v).into_iter().filter(|p| !p.is_empty()).collect(),
        None => Vec::new(),
    }
}

fn load_profile(
    reader: &Reader<'_>,
    name: &str,
    all: &Value,
    dirs: &[String],
    deps: &mut Deps,
) -> Result<Option<Value>, ConfigError> {
    let configured = all.at_path(["profiles", "base_path"]).and_then(super::plain_text);
    let mut places: Vec<String> = Vec::new();
    for dir in dirs.iter().rev() {
        let below = [configured.as_deref(), Some(".atmos/profiles"), Some("profiles")];
        places.extend(below.into_iter().flatten().filter_map(|b| paths::join(dir, b)));
    }
    for place in places {
        let Some(dir) = paths::join(&place, name) else { continue };
        if !reader.is_dir(&dir, deps) {
            continue;
        }
        deps.globs.insert(format!("{dir}/**/*").into());
        let mut value = Value::map(Map::new());
        let files = reader.source.listing().under(&dir).iter().map(|e| e.path.to_string());
        let mut files: Vec<String> = files.filter(|p| p.ends_with(".yaml") || p.ends_with(".yml")).collect();
        files.sort_by_key(|p| (p.matches('/').count(), p.clone()));
        for path in files {
            let loaded = reader.load(&path, deps).map_err(|why| ConfigError::Message(why.message, None))?;
            if let Some(loaded) = loaded {
                value = overlay(&value, &decode(reader, &loaded, deps)?);
            }
        }
        return Ok(Some(value));
    }
    Ok(None)
}

/// Environment variables that Atmos puts over the files: the variable, the path of the setting, whether it is a list.
const VARIABLES: [(&str, &[&str], bool); 15] = [
    ("ATMOS_STACKS_BASE_PATH", &["stacks", "base_path"], false),
    ("ATMOS_STACKS_INCLUDED_PATHS", &["stacks", "included_paths"], true),
    ("ATMOS_STACKS_EXCLUDED_PATHS", &["stacks", "excluded_paths"], true),
    ("ATMOS_STACKS_NAME_PATTERN", &["stacks", "name_pattern"], false),
    ("ATMOS_STACKS_NAME_TEMPLATE", &["stacks", "name_template"], false),
    ("ATMOS_COMPONENTS_TERRAFORM_BASE_PATH", &["components", "terraform", "base_path"], false),
    ("ATMOS_COMPONENTS_TERRAFORM_COMMAND", &["components", "terraform", "command"], false),
    ("ATMOS_COMPONENTS_HELMFILE_BASE_PATH", &["components", "helmfile", "base_path"], false),
    ("ATMOS_COMPONENTS_HELMFILE_COMMAND", &["components", "helmfile", "command"], false),
    ("ATMOS_COMPONENTS_PACKER_BASE_PATH", &["components", "packer", "base_path"], false),
    ("ATMOS_COMPONENTS_PACKER_COMMAND", &["components", "packer", "command"], false),
    ("ATMOS_SETTINGS_LIST_MERGE_STRATEGY", &["settings", "list_merge_strategy"], false),
    ("ATMOS_SCHEMAS_ATMOS_MANIFEST", &["schemas", "atmos", "manifest"], false),
    ("ATMOS_SCHEMAS_JSONSCHEMA_BASE_PATH", &["schemas", "jsonschema", "base_path"], false),
    ("ATMOS_SCHEMAS_OPA_BASE_PATH", &["schemas", "opa", "base_path"], false),
];

fn environment(all: &mut Value, project: &Project) {
    for (variable, path, list) in VARIABLES {
        let Some(text) = project.env.get(variable).filter(|t| !t.is_empty()) else { continue };
        let value = match list {
            true => Value::list(text.split(',').map(Value::str).collect()),
            false => Value::str(text.as_str()),
        };
        let nested = path.iter().rev().fold(value, |inner, key| Value::map(Map::from_iter([(Key::from(*key), inner)])));
        *all = overlay(all, &nested);
    }
}
