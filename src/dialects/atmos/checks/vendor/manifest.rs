//! Finding and reading vendor manifests, as `internal/exec/vendor_utils.go` of Atmos does.

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::{Config, plain_text};
use crate::dialects::atmos::document::Decoder;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::rules;
use crate::reads::made_of;
use crate::text::Text;
use crate::value::{Data, Prov, Read, Value};
use crate::yaml::Span;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A source that code is fetched from.
pub(in crate::dialects::atmos) struct Source {
    /// The component that the manifest names for it.
    pub(in crate::dialects::atmos) component: Option<Value>,
    /// The address, a template.
    pub(in crate::dialects::atmos) address: Value,
    /// The version of the source itself.
    pub(in crate::dialects::atmos) version: Option<Value>,
    /// The folders that it fills.
    pub(in crate::dialects::atmos) targets: Vec<Target>,
    /// The folder that targets and local addresses are relative to, from the root of the repository.
    pub(in crate::dialects::atmos) folder: String,
    /// All that the manifest says about it.
    pub(in crate::dialects::atmos) content: Read,
}

/// A folder that a source fills.
pub(super) struct Target {
    /// The folder, a template.
    pub(in crate::dialects::atmos) path: Value,
    /// The version that replaces the one of the source.
    pub(in crate::dialects::atmos) version: Option<Value>,
}

/// The manifests of a project that were read so far.
pub(super) struct VendorManifests<'a> {
    reader: &'a Reader<'a>,
    config: &'a Config,
    pub(in crate::dialects::atmos) sources: Vec<Source>,
    pub(in crate::dialects::atmos) findings: Vec<Diagnostic>,
    /// Where each component was named first.
    components: BTreeMap<Text, Prov>,
    /// The imports that were met, as written.
    imported: BTreeSet<Text>,
    /// The files that were read, or wait for it. Each is read once, by whatever names it is imported.
    seen: BTreeSet<String>,
    waiting: VecDeque<String>,
}

impl<'a> VendorManifests<'a> {
    pub(in crate::dialects::atmos) fn new(reader: &'a Reader<'a>, config: &'a Config) -> Self {
        let (sources, findings) = (Vec::new(), Vec::new());
        let (components, imported, seen) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        VendorManifests { reader, config, sources, findings, components, imported, seen, waiting: VecDeque::new() }
    }

    /// Reads what `vendor.base_path` names, or `vendor.yaml`, and what these import.
    pub(super) fn read_vendor_files(&mut self) {
        let setting = self.config.all.at_path(["vendor", "base_path"]);
        let named = setting.and_then(plain_text).filter(|path| !path.is_empty());
        let first = match named {
            Some(path) => paths::join(&self.config.base, &path),
            None => self.found("vendor.yaml"),
        };
        let Some(first) = first else { return };
        let folder = paths::parent(&first).to_owned();
        let files = self.files_at(&first);
        // Files of a folder are one manifest, and some of them may be none.
        let are_parts = files.first().is_some_and(|file| *file != first);
        for path in &files {
            self.seen.insert(path.clone());
            self.read(path, &folder, are_parts);
        }
        if are_parts && self.sources.is_empty() && self.imported.is_empty() && self.findings.is_empty() {
            let message = "no file in the folder is a vendor manifest with `sources` or `imports`".to_owned();
            self.report(setting.map_or(&Prov::default(), |value| &value.prov), message, "correct the path");
        }
        while let Some(path) = self.waiting.pop_front() {
            self.read(&path, &folder, false);
        }
    }

    fn await_turn(&mut self, path: String) {
        if self.seen.insert(path.clone()) {
            self.waiting.push_back(path);
        }
    }

    /// Reads the manifests beside the code of components.
    pub(super) fn read_component_files(&mut self) {
        let kinds = ["terraform", "helmfile", "packer", "ansible"].map(|kind| self.config.component_path(kind));
        let roots: BTreeSet<String> = kinds.iter().filter_map(|path| paths::join(&self.config.base, path)).collect();
        for root in roots.iter().filter(|root| !root.is_empty()) {
            for entry in self.reader.source.listing().under(root) {
                let name = entry.path.rsplit('/').next().unwrap_or_default();
                if matches!(name, "component.yaml" | "component.yml") {
                    self.read_component(&entry.path);
                }
            }
        }
    }

    /// The manifests in a folder, or the one file.
    fn files_at(&self, path: &str) -> Vec<String> {
        if !self.reader.is_dir(path, &mut Deps::default()) {
            return self.reader.exists(path, &mut Deps::default()).then(|| path.to_owned()).into_iter().collect();
        }
        let below = self.reader.source.listing().under(path).iter();
        let is_manifest = |path: &str| matches!(paths::extension(path), ".yaml" | ".yml");
        let own = below.filter(|entry| paths::parent(&entry.path) == path && is_manifest(&entry.path));
        own.map(|entry| entry.path.to_string()).collect()
    }

    /// The path of a manifest, relative to where Atmos is started or to `base_path`; the extension may be missing.
    fn found(&self, path: &str) -> Option<String> {
        [&self.config.start, &self.config.base].into_iter().find_map(|folder| {
            let path = paths::join(folder, path)?;
            let endings: &[&str] = match paths::extension(&path) {
                "" => &["", ".yaml", ".yml"],
                _ => &[""],
            };
            let mut candidates = endings.iter().map(|ending| format!("{path}{ending}"));
            candidates.find(|path| self.reader.exists(path, &mut Deps::default()))
        })
    }

    /// The content of a manifest; what it cannot be read for is a finding.
    fn content(&mut self, path: &str) -> Option<(Arc<Loaded>, Value)> {
        let loaded = self.reader.load(path, &mut Deps::default()).ok()??;
        let doc = match loaded.doc() {
            Ok(doc) => doc,
            Err(error) => {
                let end = u32::try_from(loaded.text.len()).unwrap_or(u32::MAX);
                let place = Label::new(loaded.file, error.offset.min(end), (error.offset + 1).min(end), "");
                self.findings.push(Diagnostic::new(&rules::INVALID_YAML, error.message.clone(), place));
                return None;
            }
        };
        let place = |key: u32, span: Span| loaded.prov(key, span);
        let decoder = Decoder { place: &place, include: None, delimiter: None, limits: self.reader.limits() };
        let content = decoder.decode(doc).ok()?;
        Some((loaded, content))
    }

    /// Reads a manifest, or a part of one. Folders are relative to that of the manifest that is read first.
    fn read(&mut self, path: &str, folder: &str, is_part: bool) {
        let Some((loaded, content)) = self.content(path) else { return };
        let whole = loaded.prov(0, Span { start: 0, end: 0 });
        let spec = content.get("spec");
        let place = spec.map_or(&whole, |spec| &spec.prov);
        let imports = self.list(spec, "imports");
        let sources = self.list(spec, "sources");
        if !is_part && imports.is_empty() && sources.is_empty() {
            self.report(place, "the vendor manifest has neither `sources` nor `imports`".to_owned(), "add one of them");
        }
        for import in imports {
            self.read_import(&import);
        }
        for source in sources {
            self.read_source(&source, folder);
        }
    }

    fn read_import(&mut self, import: &Value) {
        let Some(name) = import.as_str().filter(|name| !name.is_empty() && !name.starts_with('/')) else { return };
        if !self.imported.insert(name.into()) {
            let message = format!("the vendor manifest `{name}` is imported twice");
            return self.report(&import.prov, message, "remove one of the imports");
        }
        match self.found(name) {
            Some(path) => self.await_turn(path),
            None if name.starts_with("../") || name.contains("{{") => {}
            None => {
                let message = format!("the imported vendor manifest `{name}` does not exist");
                self.report(&import.prov, message, "correct the path; it is relative to `base_path`");
            }
        }
    }

    fn read_source(&mut self, source: &Value, folder: &str) {
        let component = text(source.get("component"));
        if let Some((value, name)) = component.as_ref().and_then(|value| Some((value, value.as_str()?))) {
            match self.components.get(name).cloned() {
                None => drop(self.components.insert(name.into(), value.prov.clone())),
                Some(first) => {
                    let finding = finding(&value.prov, format!("the component `{name}` has two vendor sources"));
                    let finding = finding.map(|finding| match first.origin {
                        Some(origin) => finding.related(Label::at(origin, "the other one")),
                        None => finding,
                    });
                    self.findings.extend(finding.map(|f| f.help("remove one of them, or name another component")));
                }
            }
        }
        let Some(address) = text(source.get("source")) else {
            if is_missing(source.get("source")) {
                self.report(&source.prov, "a vendor source has no `source`".to_owned(), "add the address");
            }
            return;
        };
        let targets = self.list(Some(source), "targets");
        if targets.is_empty() && is_missing(source.get("targets")) {
            let message = "a vendor source has no `targets`".to_owned();
            self.report(&address.prov, message, "add the folder to copy it to");
        }
        let targets = targets.iter().filter_map(|target| self.target(target)).collect();
        let version = text(source.get("version"));
        let (folder, content) = (folder.to_owned(), made_of::value("source", source));
        self.sources.push(Source { component, address, version, targets, folder, content });
    }

    fn target(&mut self, target: &Value) -> Option<Target> {
        let (path, version) = match &target.data {
            Data::Map(_) => (target.get("path"), text(target.get("version"))),
            _ => (Some(target), None),
        };
        if path.is_none_or(|path| path.is_null() || path.as_str().is_some_and(|path| path.trim().is_empty())) {
            self.report(&target.prov, "a vendor target has no path".to_owned(), "add the folder, or remove the target");
            return None;
        }
        Some(Target { path: text(path)?, version })
    }

    /// `component.yaml` fills its own folder.
    fn read_component(&mut self, path: &str) {
        let Some((_, content)) = self.content(path) else { return };
        let Some(source) = content.at_path(["spec", "source"]) else { return };
        let Some(address) = text(source.get("uri")) else { return };
        let folder = paths::parent(path).to_owned();
        let version = text(source.get("version"));
        let content = made_of::value("source", source);
        self.sources.push(Source { component: None, address, version, targets: Vec::new(), folder, content });
    }

    /// The items of a list; what is not a list is a finding.
    fn list(&mut self, of: Option<&Value>, key: &str) -> Vec<Value> {
        let Some(value) = of.and_then(|of| of.get(key)) else { return Vec::new() };
        match &value.data {
            Data::List(items) => items.to_vec(),
            Data::Null | Data::Unknown(_) => Vec::new(),
            _ => {
                let message = format!("`{key}` of a vendor manifest must be a list, not a {}", value.kind());
                self.report(&value.prov, message, "write it as a list");
                Vec::new()
            }
        }
    }

    fn report(&mut self, place: &Prov, message: String, help: &str) {
        self.findings.extend(finding(place, message).map(|finding| finding.help(help)));
    }
}

fn finding(place: &Prov, message: String) -> Option<Diagnostic> {
    let place = Label::at(place.origin?, "");
    Some(
        Diagnostic::new(&rules::INVALID_VENDOR_MANIFEST, message, place)
            .note("`atmos vendor pull` rejects the manifest"),
    )
}

/// A scalar as text, blanks around it removed; `None` if it is blank or anything else.
fn text(value: Option<&Value>) -> Option<Value> {
    let value = value?;
    let text = match &value.data {
        Data::Str(text) => text.trim().to_owned(),
        Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Bool(_) => plain_text(value)?,
        _ => return None,
    };
    (!text.is_empty()).then(|| Value::str(text).with_prov(value.prov.clone()))
}

/// Whether nothing was written.
fn is_missing(value: Option<&Value>) -> bool {
    value.is_none_or(|value| match &value.data {
        Data::Null => true,
        Data::Str(text) => text.is_empty(),
        Data::List(items) => items.is_empty(),
        _ => false,
    })
}
