//! Backends: the location of a root module's state.

use crate::hcl::ast::{Body, walk};
use crate::hcl::val::{Marks, Val};
use crate::resolution::{ComponentMetadata, RemovalEffect, StatePlace};
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::evaluation::shown::{exported, origin};
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::Module;
use crate::terraform::module::block::{Backend, Written};
use crate::terraform::rules;
use crate::value::{FileId, Map, Origin, Prov, Value};
use std::sync::Arc;

/// The existing types, with all arguments of those that are known completely.
const TYPES: &[(&str, Option<&[&str]>)] = &[
    ("azurerm", None),
    (
        "consul",
        Some(&[
            "path",
            "access_token",
            "address",
            "scheme",
            "datacenter",
            "http_auth",
            "gzip",
            "lock",
            "ca_file",
            "cert_file",
            "key_file",
        ]),
    ),
    ("cos", None),
    (
        "gcs",
        Some(&[
            "bucket",
            "prefix",
            "credentials",
            "access_token",
            "impersonate_service_account",
            "impersonate_service_account_delegates",
            "encryption_key",
            "kms_encryption_key",
            "storage_custom_endpoint",
        ]),
    ),
    ("http", None),
    ("inmem", None),
    ("kubernetes", None),
    ("local", Some(&["path", "workspace_dir"])),
    ("oss", None),
    (
        "pg",
        Some(&[
            "conn_str",
            "schema_name",
            "skip_schema_creation",
            "skip_table_creation",
            "skip_index_creation",
            "table_name",
            "index_name",
        ]),
    ),
    ("remote", None),
    ("s3", None),
];

/// Arguments that are one text or number wherever there are such.
const PLAIN: [&str; 12] = [
    "bucket",
    "key",
    "region",
    "prefix",
    "path",
    "profile",
    "container_name",
    "storage_account_name",
    "resource_group_name",
    "address",
    "conn_str",
    "organization",
];

/// The types that there were.
const REMOVED: [&str; 5] = ["artifactory", "etcd", "etcdv3", "manta", "swift"];

/// The workspace that a state belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workspace<'a> {
    /// Its name, if it counts for the address of the state.
    pub name: Option<&'a str>,
    /// Whether nothing says that it is this one.
    pub is_assumed: bool,
}

/// Adds the backend and the cloud block of a root module.
pub(crate) fn add(builder: &mut Builder<'_, '_>, workspace: Workspace<'_>, failures: &mut Vec<Failure>) {
    let module = Arc::clone(&builder.statics.nodes[0].module);
    for (kind, found) in [("backend", &module.backend), ("cloud", &module.cloud)] {
        if let Some(found) = found {
            let value = resolve(builder.statics, found, failures);
            let state = StatePlace {
                backend: found.kind.clone(),
                settings: value.as_map().cloned().unwrap_or_default(),
                origin: Some(origin(found.place)),
                // Missing arguments are often passed to `init`.
                authored: 0,
                is_separate: false,
                is_workspace_assumed: workspace.is_assumed,
            };
            let metadata = ComponentMetadata {
                state: Some(state),
                workspace: workspace.name.map(Into::into),
                ..ComponentMetadata::default()
            };
            let described =
                Described { removal: RemovalEffect::Relocated, metadata, ..described(kind, found.kind.clone(), value) };
            builder.add(described, [origin(found.place)].into_iter());
        }
    }
}

/// The attributes of a backend or cloud block, and what is wrong with them.
fn resolve(statics: &Statics<'_>, backend: &Backend, failures: &mut Vec<Failure>) -> Value {
    if &*backend.kind != "cloud" {
        check_type(backend, failures);
    }
    let mut reader = Reader { statics, backend, failures, marks: Marks::NONE };
    let map = reader.body(&backend.body, backend.place.0);
    let marks = reader.marks;
    for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
        if marks.has(mark) {
            let message = format!(
                "backend config contains {word} values: the configuration of a backend is stored in plain text"
            );
            failures.push(Failure::new(&rules::SENSITIVE, message, backend.place));
        }
    }
    let (file, span) = backend.place;
    Value::map(map).with_prov(Prov::at(Origin { file, key: span.start, start: span.start, end: span.end }))
}

fn check_type(backend: &Backend, failures: &mut Vec<Failure>) {
    let kind = &*backend.kind;
    let mut wrong = |message: String, place: Place| failures.push(Failure::new(&rules::BACKEND, message, place));
    match TYPES.iter().find(|(name, _)| *name == kind) {
        Some((_, Some(arguments))) => {
            for attribute in &backend.body.attributes {
                if !arguments.contains(&&*attribute.name.text) {
                    let message = format!(
                        "unsupported argument: the backend \"{kind}\" has no argument \"{}\"",
                        attribute.name.text
                    );
                    wrong(message, (backend.place.0, attribute.name.span));
                }
            }
        }
        _ => wrong_type(kind).into_iter().for_each(|message| wrong(message, backend.place)),
    }
}

/// What is wrong with the type of a backend.
fn wrong_type(kind: &str) -> Option<String> {
    if TYPES.iter().any(|(name, _)| *name == kind) {
        return None;
    }
    if REMOVED.contains(&kind) {
        return Some(format!("unsupported backend type: the \"{kind}\" backend was removed from OpenTofu"));
    }
    let near = crate::text::nearest(kind, TYPES.iter().map(|(name, _)| *name));
    let hint = near.map_or_else(String::new, |n| format!("; did you mean \"{n}\"?"));
    Some(format!("unsupported backend type: there is no backend type named \"{kind}\"{hint}"))
}

/// Reports data sources that read the state of a backend which does not exist.
pub(crate) fn remote_states(module: &Module, failures: &mut Vec<Failure>) {
    let states = module.resources.iter().filter(|(address, _)| address.starts_with("data.terraform_remote_state."));
    for written in states.filter_map(|(_, declared)| declared.arguments.get("backend")) {
        if let Some(message) = walk::constant_text(&written.expr).and_then(wrong_type) {
            failures.push(Failure::new(&rules::BACKEND, message, written.place()));
        }
    }
}

struct Reader<'s, 'a> {
    statics: &'s Statics<'a>,
    backend: &'s Backend,
    failures: &'s mut Vec<Failure>,
    marks: Marks,
}

impl Reader<'_, '_> {
    fn body(&mut self, body: &Body, file: FileId) -> Map {
        let mut map = Map::new();
        for attribute in &body.attributes {
            let written = Written { file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
            let text = format!("backend.{}", self.backend.kind);
            let place = self.backend.place;
            match self.statics.value(0, &written, Identifier { text, place }) {
                Ok(value) => {
                    self.marks = self.marks | value.all_marks();
                    self.check(&attribute.name.text, &value, &written);
                    if !value.is_null() {
                        map.set(attribute.name.text.clone(), exported(self.statics, 0, &written, Ok(value)));
                    }
                }
                Err(found) => {
                    let value = exported(self.statics, 0, &written, Err(found.clone()));
                    map.set(attribute.name.text.clone(), value);
                    self.failures.extend(found);
                }
            }
        }
        for block in &body.blocks {
            let inner = Value::map(self.body(&block.body, file));
            let mut all: Vec<Value> =
                map.get(&block.kind.text).and_then(|v| v.as_list()).map(|l| l.to_vec()).unwrap_or_default();
            all.push(inner);
            map.set(block.kind.text.clone(), Value::list(all));
        }
        map
    }

    fn check(&mut self, name: &str, value: &Val, written: &Written) {
        let is_collection = value.as_items().is_some() || value.as_entries().is_some();
        if is_collection && &*self.backend.kind != "cloud" && PLAIN.contains(&name) {
            let message = format!("incorrect attribute value type: \"{name}\" of a backend is a string");
            self.failures.push(Failure::new(&rules::BACKEND, message, written.place()));
        }
    }
}
