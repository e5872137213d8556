//! Metadata of a component for rules, from its final sections.

mod links;
pub(in crate::dialects::atmos) mod vendored;

use super::context::StackContext;
use super::folders::{self, CodeFolder};
use crate::dialects::atmos::functions;
use crate::dialects::atmos::functions::tags;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::templates::host::answers::ComponentRef;
use crate::resolution::{Base, Code, CodeOrigin, ComponentMetadata, Evaluation, Inputs, StatePlace};
use crate::text::Text;
use crate::value::{self, Data, Flags, Map, MapBuilder, Value};
use std::sync::Arc;

/// Variables that Atmos itself reads: names of stacks and workspaces, and whether a component is enabled.
const RESERVED: &[&str] = &["namespace", "tenant", "environment", "stage", "region", "attributes", "enabled"];

/// The sections of a component.
pub(super) struct FinalSections<'a> {
    /// Its sections, rendered.
    pub(in crate::dialects::atmos) map: &'a Map,
    pub(in crate::dialects::atmos) kind: &'static str,
    /// The workspace that Terraform is run in, if that is known.
    pub(in crate::dialects::atmos) workspace: Option<Text>,
    /// The variables as written for it, and for its bases.
    pub(in crate::dialects::atmos) authored: [Arc<Map>; 2],
    /// Its sections before they were rendered, and the components that its templates read, if any.
    pub(in crate::dialects::atmos) requested: Option<&'a (Value, Vec<ComponentRef>)>,
}

/// The facts of a component.
pub(in crate::dialects::atmos) fn of(known: FinalSections<'_>, stacks: &StackContext<'_>) -> ComponentMetadata {
    let map = known.map;
    let sections = KnownSections::of(map);
    let metadata = |key: &str| sections.metadata.and_then(|m| m.get(key));
    let code = code(map, &sections, known.kind, stacks);
    let state = (known.kind == "terraform").then(|| state(&sections, stacks)).flatten();
    let mut links = links::declared(sections.dependencies, sections.settings, sections.vars);
    let has_valid_calls = links::read(map, known.requested, &mut links, stacks);
    ComponentMetadata {
        is_abstract: metadata("type").and_then(Value::as_str) == Some("abstract"),
        is_disabled: metadata("enabled").and_then(Value::as_bool) == Some(false),
        is_locked: metadata("locked").and_then(Value::as_bool) == Some(true),
        code,
        is_module: known.kind == "terraform",
        inputs: inputs(&sections, known.authored),
        state,
        workspace: known.workspace,
        links: links.into(),
        has_valid_calls,
        bases: bases(metadata("inherits"), sections.inheritance),
        ..ComponentMetadata::default()
    }
}

/// Declares the sections of a component that metadata is made from, in the order of their names: each is looked up once.
macro_rules! known_sections {
    ($($name:ident),+ $(,)?) => {
        /// The sections that metadata is read from.
        struct KnownSections<'a> {
            $($name: Option<&'a Value>,)+
        }

        impl<'a> KnownSections<'a> {
            fn of(map: &'a Map) -> Self {
                let [$($name),+] = map.get_all([$(stringify!($name)),+]);
                KnownSections { $($name),+ }
            }
        }
    };
}

known_sections!(
    backend,
    backend_type,
    component_info,
    dependencies,
    env,
    generate,
    inheritance,
    metadata,
    provision,
    remote_state_backend_type,
    settings,
    source,
    vars
);

/// The bases: those that the component names itself, with their places, then what else it inherits from.
fn bases(named: Option<&Value>, inheritance: Option<&Value>) -> Box<[Base]> {
    let lists = [named, inheritance].into_iter().flatten().filter_map(Value::as_list);
    let mut bases: Vec<Base> = Vec::new();
    for value in lists.flat_map(|list| list.iter()) {
        if let Data::Str(name) = &value.data
            && !bases.iter().any(|b| b.name == *name)
        {
            bases.push(Base { name: Text::clone(name), origin: value.prov.origin });
        }
    }
    bases.into()
}

fn code(map: &Map, sections: &KnownSections<'_>, kind: &'static str, stacks: &StackContext<'_>) -> Option<Code> {
    if kind == "container" {
        // It may have no folder: an image is enough.
        return None;
    }
    let path = sections.component_info?.get("component_path");
    let (CodeFolder { folder, root }, origin) = match path {
        Some(Value { data: Data::Str(text), prov }) => (folders::code(kind, text, stacks.config)?, prov.origin),
        Some(_) => return None,
        None => {
            // Atmos prints no path for these, but the command runs in such a folder.
            let name = map.get("component").filter(|_| matches!(kind, "helm" | "kubernetes"))?;
            (folders::unprinted(kind, name.as_str()?, stacks.config)?, name.prov.origin)
        }
    };
    let is_filled =
        |section: Option<&Value>| section.is_some_and(|v| v.as_map().is_none_or(|m| !m.is_empty()) && !v.is_null());
    let supply = match path {
        _ if is_filled(sections.source) => CodeOrigin::Fetched,
        Some(_) => unfetched(&folder, stacks),
        None => CodeOrigin::Vendored,
    };
    // Generated files may declare more, and a static remote state replaces the outputs.
    let remote = sections.remote_state_backend_type.and_then(Value::as_str);
    let is_open = is_filled(sections.generate) || remote == Some("static");
    let others = named_files(map, kind, &folder);
    Some(Code { folder, root, origin, others, supply, is_open })
}

/// The files and folders that a component names relative to its own folder: charts and files of values, manifests. Of a pattern,
/// the folder that it begins with.
fn named_files(map: &Map, kind: &'static str, folder: &str) -> Box<[Text]> {
    let sections: &[&str] = match kind {
        "helm" => &["chart", "values_files"],
        "kubernetes" => &["paths", "manifests"],
        _ => return Box::default(),
    };
    let values = sections.iter().filter_map(|name| map.get(name));
    let texts = values.flat_map(|value| value.as_list().map_or(std::slice::from_ref(value), |list| list.as_slice()));
    let begins = |text: &str| match text.find(['*', '?', '[']) {
        Some(end) => text[..end].rsplit_once('/').map_or(String::new(), |(before, _)| before.to_owned()),
        None => text.to_owned(),
    };
    let local = texts.filter_map(Value::as_str).filter(|text| !text.starts_with('/') && !text.contains("://"));
    let paths = local.filter_map(|text| paths::join(folder, &begins(text)));
    paths.filter(|path| paths::relative(path, folder).is_none()).map(Text::from).collect()
}

/// How code gets into a folder that is not filled whenever it is needed.
fn unfetched(folder: &str, stacks: &StackContext<'_>) -> CodeOrigin {
    match stacks.vendored.has(folder, stacks.reader, stacks.config) {
        true => CodeOrigin::Vendored,
        false => CodeOrigin::Repository,
    }
}

fn inputs(sections: &KnownSections<'_>, authored: [Arc<Map>; 2]) -> Inputs {
    let given = sections.env.and_then(Value::as_map).into_iter().flat_map(|m| m.keys());
    let given = given.filter_map(|name| name.strip_prefix("TF_VAR_").map(Text::from)).collect();
    let (all, is_open) = match sections.vars.map(|v| &v.data) {
        None => (Arc::default(), false),
        Some(Data::Map(vars)) => (Arc::clone(vars), false),
        Some(_) => (Arc::default(), true),
    };
    let evaluation = Some(Evaluation { is_passed: |value| !is_unset(value), value: evaluated_value });
    Inputs { all, evaluation, authored, given, reserved: RESERVED, is_open, is_environment: false }
}

/// Returns the map as its code gets it: results of functions are unknown or, if they need no external data, computed.
pub(in crate::dialects::atmos) fn evaluated(map: &Arc<Map>) -> Arc<Map> {
    if !map.flags().has(Flags::CALL) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for entry in map.iter().filter(|e| !is_unset(&e.value)) {
        out.push(Text::clone(&entry.key), evaluated_value(&entry.value));
    }
    Arc::new(out.finish())
}

fn evaluated_value(value: &Value) -> Value {
    let data = match &value.data {
        Data::Str(text) if tags::is_call(text) => return functions::evaluate(text, &value.prov, &functions::NO_ENV),
        Data::Map(map) => Data::Map(evaluated(map)),
        Data::List(items) if value.holds(Flags::CALL) => {
            Data::List(Arc::new(items.iter().filter(|v| !is_unset(v)).map(evaluated_value).collect()))
        }
        _ => return value.clone(),
    };
    Value { data, prov: value.prov.clone() }
}

fn is_unset(value: &Value) -> bool {
    value.as_str().is_some_and(|s| value::is_call(s) && s.trim_end() == "!unset")
}

fn state(sections: &KnownSections<'_>, stacks: &StackContext<'_>) -> Option<StatePlace> {
    let backend = match &sections.backend_type?.data {
        Data::Str(name) if !name.is_empty() => Text::clone(name),
        _ => return None,
    };
    // Without the generated file, the backend in the manifests does not reach Terraform.
    let generates = stacks.config.all.at_path(["components", "terraform", "auto_generate_backend_file"]);
    if generates.is_some_and(|v| v.as_bool() == Some(false) || v.as_str() == Some("false")) {
        return None;
    }
    let value = sections.backend;
    let settings = value.and_then(Value::as_map).map(evaluated).unwrap_or_default();
    let filled = match &*backend {
        "s3" => "workspace_key_prefix",
        "gcs" => "prefix",
        "azurerm" => "key",
        _ => "",
    };
    let written = || settings.iter().filter(|e| *e.key != *filled);
    let authored = written().count();
    let origin = value.and_then(|v| v.prov.origin).or_else(|| written().find_map(|e| e.value.prov.origin));
    let workdir = sections.provision.and_then(|p| p.at_path(["workdir", "enabled"])).and_then(Value::as_bool);
    let is_separate = workdir == Some(true) || sections.source.and_then(Value::as_map).is_some_and(|m| !m.is_empty());
    Some(StatePlace { backend, settings, origin, authored, is_separate, is_workspace_assumed: false })
}
