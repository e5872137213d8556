//! Locked versions: the value of `.version` in templates (`reference: atmos.md` section 16, version tracks).

use super::Versions;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::{Diagnostics, report_issues};
use crate::dialects::atmos::document::Issue;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::template::{Object, Val, value_text};
use crate::text::Text;
use crate::value::{Map, Prov, Value};
use std::sync::{Arc, OnceLock};

/// The file that holds the versions, if `version.lock_file` of atmos.yaml names no other.
const LOCK_FILE: &str = "versions.lock.yaml";

/// The track that is read, if `version.track` of atmos.yaml names no other.
const TRACK: &str = "default";

/// The lock file of a revision, read on demand.
pub(in crate::dialects::atmos) struct LockFile<'a> {
    reader: &'a Reader<'a>,
    config: &'a Config,
    content: OnceLock<Result<Option<Value>, Unreadable>>,
}

/// Why the lock file cannot be used.
struct Unreadable {
    /// In words.
    reason: String,
    /// The file with what is wrong in it, if it could be read.
    issues: Option<(Arc<Loaded>, Vec<Issue>)>,
}

impl<'a> LockFile<'a> {
    /// The lock file of a project.
    pub(in crate::dialects::atmos) fn new(reader: &'a Reader<'a>, config: &'a Config) -> Self {
        LockFile { reader, config, content: OnceLock::new() }
    }

    fn setting(&self, path: &[&str]) -> Option<&Value> {
        self.config.all.at_path(["version"].iter().chain(path).copied())
    }

    /// Returns its path relative to the root of the repository; `None` if it is outside.
    pub(in crate::dialects::atmos) fn path(&self) -> Option<String> {
        let name = self.setting(&["lock_file"]).and_then(Value::as_str).filter(|name| !name.is_empty());
        paths::join(&self.config.base, name.unwrap_or(LOCK_FILE))
    }

    /// Adds the file to what something depends on.
    pub(in crate::dialects::atmos) fn depend(&self, deps: &mut Deps) {
        if let Some(path) = self.path() {
            deps.paths.insert(path.as_str().into());
            // An error while reading it is reported where it is used.
            let _ = self.reader.load(&path, deps);
        }
    }

    fn content(&self) -> &Result<Option<Value>, Unreadable> {
        self.content.get_or_init(|| {
            let unreadable = |reason| Unreadable { reason, issues: None };
            let Some(path) = self.path() else {
                return Err(unreadable("the lock file is outside of the repository".to_owned()));
            };
            let loaded = self.reader.load(&path, &mut Deps::default()).map_err(|why| unreadable(why.message))?;
            let Some(loaded) = loaded else { return Ok(None) };
            let (base, start) = (&self.config.base, &self.config.start);
            self.reader.decode(&loaded, None, base, start, &mut Deps::default()).map(Some).map_err(|issues| {
                let reason = format!("`{path}` is not valid YAML");
                Unreadable { reason, issues: Some((loaded, issues)) }
            })
        })
    }

    /// The versions of a track: the named one, or the one of the configuration; nothing if it is not there.
    pub(in crate::dialects::atmos) fn track(
        &self,
        named: Option<&Value>,
        diagnostics: &Diagnostics,
    ) -> Option<Versions> {
        let content = match self.content() {
            Ok(content) => content.as_ref()?,
            Err(Unreadable { reason, issues }) => {
                // Every reader reports it: the records of one file must not depend on the others.
                if let Some((loaded, issues)) = issues {
                    report_issues(diagnostics, loaded, issues);
                }
                return Some(Versions::Unknown(reason.clone()));
            }
        };
        let chosen = named.or_else(|| self.setting(&["track"])).filter(|v| v.as_str().is_some_and(|s| !s.is_empty()));
        let name = chosen.and_then(Value::as_str).unwrap_or(TRACK);
        let track = content.at_path(["tracks", name])?;
        let inputs = chosen.map(|v| v.prov.clone());
        let lock = |name: &Text, entry: &Value| Locked::new(entry, self.pin(name, name_of(chosen)), inputs.clone());
        let entries = track.as_map()?.iter().map(|e| (Text::clone(&e.key), Arc::new(lock(&e.key, &e.value))));
        let inputs = [Some(track.prov.clone()), inputs.clone()].into_iter().flatten().collect();
        Some(Versions::Known(Arc::new(Track { entries: entries.collect(), inputs })))
    }

    /// How the configuration pins a dependency: `digest` or `sha`.
    fn pin(&self, name: &str, track: &str) -> Option<&Value> {
        let own = self.setting(&["tracks", track, "dependencies", name]);
        let base = self.setting(&["dependencies", name]);
        own.or(base)?;
        fn pin(value: Option<&Value>) -> Option<&Value> {
            value?.at_path(["update", "pin"])
        }
        let all = [pin(own), pin(base), pin(self.setting(&["tracks", track])), pin(self.setting(&["defaults"]))];
        all.into_iter().flatten().find(|v| v.as_str().is_some_and(|s| !s.is_empty()))
    }
}

fn name_of(track: Option<&Value>) -> &str {
    track.and_then(Value::as_str).unwrap_or(TRACK)
}

/// The versions of a track, by name.
#[derive(Debug)]
pub(crate) struct Track {
    entries: Vec<(Text, Arc<Locked>)>,
    inputs: Vec<Prov>,
}

impl Track {
    /// The versions as maps, which is what a plain reference becomes in a file that is rendered before it is read.
    pub(in crate::dialects::atmos) fn to_value(&self) -> Value {
        Value::map(self.entries.iter().map(|(name, locked)| (Text::clone(name), locked.to_value())).collect())
    }
}

impl Object for Track {
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        if !args.is_empty() {
            return Err(format!("{name} is not a method but has arguments"));
        }
        let found = self.entries.iter().find(|(key, _)| **key == *name);
        Ok(found.map_or(Val::Missing, |(_, locked)| Val::Object(Arc::clone(locked) as Arc<dyn Object>)))
    }

    fn has(&self, _: &str) -> bool {
        true
    }

    fn print(&self) -> String {
        let entries: Vec<String> = self.entries.iter().map(|(name, v)| format!("{name}:{}", v.print())).collect();
        format!("map[{}]", entries.join(" "))
    }

    fn type_name(&self) -> &'static str {
        "map[string]interface {}"
    }

    fn entries(&self) -> Option<Vec<(Text, Val)>> {
        let val = |locked: &Arc<Locked>| Val::Object(Arc::clone(locked) as Arc<dyn Object>);
        Some(self.entries.iter().map(|(name, locked)| (Text::clone(name), val(locked))).collect())
    }

    fn inputs(&self) -> Vec<Prov> {
        self.inputs.clone()
    }

    fn json(&self) -> Option<String> {
        let entries: Option<Vec<String>> =
            self.entries.iter().map(|(name, locked)| Some(format!("{}:{}", quoted(name), locked.json()?))).collect();
        Some(format!("{{{}}}", entries?.join(",")))
    }
}

/// A version as it is locked.
#[derive(Debug)]
struct Locked {
    version: Value,
    digest: Option<Value>,
    pin: Option<Value>,
    /// Where the track is chosen.
    inputs: Vec<Prov>,
}

impl Locked {
    fn new(entry: &Value, pin: Option<&Value>, chosen: Option<Prov>) -> Self {
        let text = |key: &str| {
            let value = entry.get(key).filter(|v| !v.is_null())?;
            Some(Value::str(value_text(value)).with_prov(value.prov.clone()))
        };
        let version = text("version").unwrap_or_else(|| Value::str("").with_prov(entry.prov.clone()));
        let digest = text("digest").filter(|v| v.as_str() != Some(""));
        Locked { version, digest, pin: pin.cloned(), inputs: chosen.into_iter().collect() }
    }

    /// The digest, where the configuration pins it.
    fn pinned(&self) -> Option<&Value> {
        let is_pinned = self.pin.as_ref().is_some_and(|p| matches!(p.as_str(), Some("digest" | "sha")));
        self.digest.as_ref().filter(|_| is_pinned)
    }

    fn fields(&self) -> Vec<(&'static str, &Value)> {
        let all = [("version", Some(&self.version)), ("digest", self.digest.as_ref()), ("pin", self.pin.as_ref())];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    fn to_value(&self) -> Value {
        let with_inputs = |v: &Value| Value { data: v.data.clone(), prov: v.prov.with_inputs(self.inputs.clone()) };
        let entries = self.fields().into_iter().map(|(name, value)| (Text::from(name), with_inputs(value)));
        let map: Map = entries.collect();
        Value::map(map).with_prov(self.version.prov.clone())
    }
}

impl Object for Locked {
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        if !args.is_empty() {
            return Err(format!("{name} has arguments but cannot be invoked as function"));
        }
        let value = match name {
            "Version" => Some(&self.version),
            "Digest" => self.digest.as_ref(),
            _ => self.pin.as_ref(),
        };
        Ok(Val::Data(value.cloned().unwrap_or_else(|| Value::str(""))))
    }

    fn has(&self, name: &str) -> bool {
        matches!(name, "Version" | "Digest" | "Pin")
    }

    fn print(&self) -> String {
        self.pinned().unwrap_or(&self.version).as_str().unwrap_or_default().to_owned()
    }

    fn type_name(&self) -> &'static str {
        "version.Reference"
    }

    fn inputs(&self) -> Vec<Prov> {
        let printed = self.pinned().unwrap_or(&self.version);
        let pin = self.pin.as_ref().map(|p| &p.prov);
        [&printed.prov].into_iter().chain(pin).chain(&self.inputs).cloned().collect()
    }

    fn json(&self) -> Option<String> {
        let fields = self.fields().into_iter().filter(|(name, _)| *name != "pin" || self.pin.is_some());
        let fields: Vec<String> =
            fields.map(|(name, v)| format!("\"{name}\":{}", quoted(v.as_str().unwrap_or_default()))).collect();
        Some(format!("{{{}}}", fields.join(",")))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
