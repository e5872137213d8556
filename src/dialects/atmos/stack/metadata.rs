//! What rules may know of a component, from its final sections.

use super::components::Stacks;
use crate::dialects::atmos::functions;
use crate::dialects::atmos::functions::arguments::{self, TerraformArgs};
use crate::dialects::atmos::functions::tags;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::templates::function_sets;
use crate::dialects::atmos::templates::host::answers::Target;
use crate::resolution::{
    Base, Code, CodeOrigin, ComponentMetadata, Inputs, Link, LinkKind, ReadTarget, StackSelector, StatePlace,
};
use crate::template::{self, Argument};
use crate::text::Text;
use crate::value::{self, Data, Flags, Key, Map, MapBuilder, Origin, Value, key};
use std::sync::Arc;

/// Variables that Atmos itself reads: names of stacks and workspaces, and whether a component is switched on.
const RESERVED: &[&str] = &["namespace", "tenant", "environment", "stage", "region", "attributes", "enabled"];

/// The variables that tell which stack a legacy dependency means.
const CONTEXT: [&str; 4] = ["namespace", "tenant", "environment", "stage"];

/// Sections whose functions are not run, or that repeat others.
const NOT_RUN: [&str; 7] = ["overrides", "locals", "mocks", "test", "inheritance", "component_info", "metadata"];

/// What is known of a component.
pub(in crate::dialects::atmos) struct Known<'a> {
    /// Its sections, rendered.
    pub(in crate::dialects::atmos) map: &'a Map,
    /// Its type.
    pub(in crate::dialects::atmos) kind: &'a str,
    /// The workspace that Terraform is run in, if that is known.
    pub(in crate::dialects::atmos) workspace: Option<String>,
    /// The variables as written for it, and for its bases.
    pub(in crate::dialects::atmos) authored: [Arc<Map>; 2],
    /// Its sections before they were rendered, and the components that their templates ask for, if they do.
    pub(in crate::dialects::atmos) asked: Option<&'a (Value, Vec<Target>)>,
}

/// The facts of a component.
pub(in crate::dialects::atmos) fn of(known: Known<'_>, stacks: &Stacks<'_>) -> ComponentMetadata {
    let map = known.map;
    let metadata = |key: &str| map.get("metadata").and_then(|m| m.get(key));
    let code = code(map, known.kind, stacks);
    let state = (known.kind == "terraform").then(|| state(map, stacks)).flatten();
    let mut links = declared(map);
    read(map, known.asked, &mut links, stacks);
    links.shrink_to_fit();
    ComponentMetadata {
        is_abstract: metadata("type").and_then(Value::as_str) == Some("abstract"),
        is_disabled: metadata("enabled").and_then(Value::as_bool) == Some(false),
        is_locked: metadata("locked").and_then(Value::as_bool) == Some(true),
        code,
        inputs: inputs(map, known.authored),
        state,
        workspace: known.workspace.map(Text::from),
        links,
        bases: bases(map),
        ..ComponentMetadata::default()
    }
}

/// The bases: those that the component names itself, with their places, then what else it inherits from.
fn bases(map: &Map) -> Vec<Base> {
    let named = map.get("metadata").and_then(|m| m.get("inherits"));
    let lists = [named, map.get("inheritance")].into_iter().flatten().filter_map(Value::as_list);
    let mut bases: Vec<Base> = Vec::new();
    for value in lists.flat_map(|list| list.iter()) {
        if let Data::Str(name) = &value.data
            && !bases.iter().any(|b| b.name == *name)
        {
            bases.push(Base { name: Text::clone(name), origin: value.prov.origin });
        }
    }
    bases.shrink_to_fit();
    bases
}

fn code(map: &Map, kind: &str, stacks: &Stacks<'_>) -> Option<Code> {
    let config = stacks.config;
    let base = config.component_path(kind);
    if kind == "container" {
        // It may have no folder: an image is enough.
        return None;
    }
    let path = map.get("component_info")?.get("component_path")?;
    let text = path.as_str().filter(|p| !p.contains("{{") && !p.contains("<no value>") && !p.starts_with('/'))?;
    let folder = paths::join(&config.base, text)?;
    let root = paths::join(&config.base, base)?;
    let is_filled = |key: &str| map.get(key).is_some_and(|v| v.as_map().is_none_or(|m| !m.is_empty()) && !v.is_null());
    let supply = if is_filled("source") {
        CodeOrigin::Fetched
    } else if stacks.is_vendored(&folder) {
        CodeOrigin::Vendored
    } else {
        CodeOrigin::Repository
    };
    // Files that are generated may declare more, and a static remote state stands for the outputs.
    let remote = map.get("remote_state_backend_type").and_then(Value::as_str);
    let is_open = is_filled("generate") || remote == Some("static");
    Some(Code { folder: folder.into(), root: root.into(), origin: path.prov.origin, supply, is_open })
}

impl Stacks<'_> {
    /// Whether a vendor manifest of the project speaks of a folder.
    fn is_vendored(&self, folder: &str) -> bool {
        let text = self.vendored.get_or_init(|| {
            let listing = self.reader.source.listing();
            let is_manifest = |path: &str| {
                let below = paths::relative(path, &self.config.base).unwrap_or(path);
                let name = below.rsplit('/').next().unwrap_or_default();
                let in_folder = below.split('/').any(|part| part == "vendor" || part == "vendor.d");
                matches!(name, "vendor.yaml" | "vendor.yml")
                    || in_folder && (name.ends_with(".yaml") || name.ends_with(".yml"))
            };
            let entries = listing.iter().filter(|e| is_manifest(&e.path));
            let texts = entries.filter_map(|e| self.reader.source.read(e).ok());
            texts.fold(String::new(), |all, bytes| all + &String::from_utf8_lossy(&bytes) + "\n")
        });
        let name = folder.rsplit('/').next().unwrap_or(folder);
        text.contains(name) || text.contains(".Component")
    }
}

fn inputs(map: &Map, authored: [Arc<Map>; 2]) -> Inputs {
    let given = map.get("env").and_then(Value::as_map).into_iter().flat_map(|m| m.keys());
    let given = given.filter_map(|name| name.strip_prefix("TF_VAR_").map(Text::from)).collect();
    let (all, is_open) = match map.get("vars").map(|v| &v.data) {
        None => (Arc::default(), false),
        Some(Data::Map(vars)) => (Arc::clone(vars), false),
        Some(_) => (Arc::default(), true),
    };
    let settle = |value: &Value| (!is_unset(value)).then(|| settled_value(value));
    Inputs { all, settle: Some(settle), authored, given, reserved: RESERVED, is_open }
}

/// The map as its code gets it: what functions give is unknown or, where they need nothing, computed.
pub(in crate::dialects::atmos) fn settled(map: &Arc<Map>) -> Arc<Map> {
    if !map.flags().has(Flags::CALL) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for entry in map.iter().filter(|e| !is_unset(&e.value)) {
        out.push(Text::clone(&entry.key), settled_value(&entry.value));
    }
    Arc::new(out.finish())
}

fn settled_value(value: &Value) -> Value {
    let data = match &value.data {
        Data::Str(text) if is_call(text) => return functions::evaluate(text, &value.prov, &functions::NO_ENV),
        Data::Map(map) => Data::Map(settled(map)),
        Data::List(items) if value.holds(Flags::CALL) => {
            Data::List(Arc::new(items.iter().filter(|v| !is_unset(v)).map(settled_value).collect()))
        }
        _ => return value.clone(),
    };
    Value { data, prov: value.prov.clone() }
}

fn is_call(text: &str) -> bool {
    value::is_call(text) && tags::lookup(text.split(char::is_whitespace).next().unwrap_or_default()).is_some()
}

fn is_unset(value: &Value) -> bool {
    value.as_str().is_some_and(|s| s.trim_end() == "!unset")
}

fn state(map: &Map, stacks: &Stacks<'_>) -> Option<StatePlace> {
    let backend = match &map.get("backend_type")?.data {
        Data::Str(name) if !name.is_empty() => Text::clone(name),
        _ => return None,
    };
    // Without the generated file, what the manifests say of the backend does not reach Terraform.
    let generates = stacks.config.all.at_path(["components", "terraform", "auto_generate_backend_file"]);
    if generates.is_some_and(|v| v.as_bool() == Some(false) || v.as_str() == Some("false")) {
        return None;
    }
    let value = map.get("backend");
    let settings = value.and_then(Value::as_map).map(settled).unwrap_or_default();
    let filled = match &*backend {
        "s3" => "workspace_key_prefix",
        "gcs" => "prefix",
        "azurerm" => "key",
        _ => "",
    };
    let written = || settings.iter().filter(|e| *e.key != *filled);
    let authored = written().count();
    let origin = value.and_then(|v| v.prov.origin).or_else(|| written().find_map(|e| e.value.prov.origin));
    let workdir = map.get("provision").and_then(|p| p.at_path(["workdir", "enabled"])).and_then(Value::as_bool);
    let is_separate = workdir == Some(true) || map.get("source").and_then(Value::as_map).is_some_and(|m| !m.is_empty());
    Some(StatePlace { backend, settings, origin, authored, is_separate })
}

/// The plain text of a value: known, and nothing that a template left over.
fn text(value: &Value) -> Option<Text> {
    match &value.data {
        Data::Str(s) if !s.is_empty() && !s.contains("{{") && !s.contains("<no value>") && !is_call(s) => {
            Some(Text::clone(s))
        }
        _ => None,
    }
}

/// The dependencies that a component declares (`reference: atmos.md` section 11).
fn declared(map: &Map) -> Vec<Link> {
    let list =
        map.get("dependencies").and_then(|d| d.get("components")).and_then(Value::as_list).filter(|l| !l.is_empty());
    if let Some(list) = list {
        return list.iter().filter_map(dependency).collect();
    }
    let legacy = map.get("settings").and_then(|s| s.get("depends_on"));
    let own = map.get("vars");
    match legacy.map(|v| &v.data) {
        Some(Data::Map(entries)) => entries.iter().filter_map(|e| legacy_dependency(&e.value, own)).collect(),
        Some(Data::List(entries)) => entries.iter().filter_map(|v| legacy_dependency(v, own)).collect(),
        _ => Vec::new(),
    }
}

fn dependency(entry: &Value) -> Option<Link> {
    let kind = entry.get("kind").and_then(Value::as_str).unwrap_or_default();
    if matches!(kind, "file" | "folder") {
        return None;
    }
    let named = entry.get("name").or_else(|| entry.get("component"))?;
    let stack = entry.get("stack").filter(|v| !v.is_null() && v.as_str() != Some(""));
    let context: Vec<&str> = CONTEXT.into_iter().filter(|key| entry.get(key).is_some()).collect();
    let place = match stack {
        _ if !context.is_empty() => StackSelector::Unknown,
        None => StackSelector::Here,
        Some(value) => text(value).map_or(StackSelector::Unknown, StackSelector::Stack),
    };
    Some(Link {
        how: LinkKind::Declared,
        by: key("dependencies.components"),
        component: text(named)?,
        kind: None,
        stack: place,
        reads: ReadTarget::Nothing,
        is_optional: entry.get("required").and_then(Value::as_bool) == Some(false),
        origin: named.prov.origin,
        stack_origin: stack.and_then(|v| v.prov.origin),
    })
}

/// An entry of `settings.depends_on`: the stack is the one whose component has the same context, but for what is said.
fn legacy_dependency(entry: &Value, own: Option<&Value>) -> Option<Link> {
    let named = entry.get("component")?;
    let said = |key: &str| entry.get(key).filter(|v| v.as_str() != Some("") && !v.is_null());
    let stack = if entry.get("stack").is_some() {
        StackSelector::Unknown
    } else if CONTEXT.iter().all(|key| said(key).is_none()) {
        StackSelector::Here
    } else {
        let mut wanted = Vec::new();
        for key in CONTEXT {
            match said(key).or_else(|| own.and_then(|v| v.get(key))).map(|v| (text(v), v)) {
                Some((Some(text), _)) => wanted.push((Key::from(key), text)),
                Some((None, _)) => return None,
                None => {}
            }
        }
        StackSelector::Having(wanted)
    };
    let stack_origin = CONTEXT.iter().find_map(|key| said(key)?.prov.origin);
    Some(Link {
        how: LinkKind::Declared,
        by: key("settings.depends_on"),
        component: text(named)?,
        kind: None,
        stack,
        reads: ReadTarget::Nothing,
        is_optional: entry.get("required").and_then(Value::as_bool) == Some(false),
        origin: named.prov.origin,
        stack_origin,
    })
}

/// The components whose state or configuration functions and templates read.
fn read(map: &Map, asked: Option<&(Value, Vec<Target>)>, links: &mut Vec<Link>, stacks: &Stacks<'_>) {
    let flags = map.flags();
    let is_run = |e: &&value::Entry| !NOT_RUN.contains(&&*e.key);
    let mut walk = Walk { map, asked: asked.map_or(&[], |(_, targets)| targets), links, stacks };
    if flags.has(Flags::CALL) || flags.has(Flags::UNKNOWN) {
        map.iter().filter(is_run).for_each(|e| walk.value(&e.value));
    }
    // What was answered is no longer there to be seen.
    let before = asked.and_then(|(sections, _)| sections.as_map());
    before.iter().flat_map(|m| m.iter()).filter(is_run).for_each(|e| walk.templates(&e.value));
}

struct Walk<'a> {
    map: &'a Map,
    asked: &'a [Target],
    links: &'a mut Vec<Link>,
    stacks: &'a Stacks<'a>,
}

impl Walk<'_> {
    fn value(&mut self, value: &Value) {
        if !value.holds(Flags::CALL) && !value.holds(Flags::UNKNOWN) {
            return;
        }
        match &value.data {
            Data::Map(map) => map.iter().for_each(|e| self.value(&e.value)),
            Data::List(items) => items.iter().for_each(|v| self.value(v)),
            Data::Str(text) => self.function(text, value.prov.origin),
            Data::Unknown(unknown) => {
                self.function(&unknown.text, value.prov.origin);
                self.template(&unknown.text, value.prov.origin);
            }
            _ => {}
        }
    }

    /// The templates of a value that is not rendered.
    fn templates(&mut self, value: &Value) {
        if !value.holds(Flags::TEMPLATE) {
            return;
        }
        match &value.data {
            Data::Map(map) => map.iter().for_each(|e| self.templates(&e.value)),
            Data::List(items) => items.iter().for_each(|v| self.templates(v)),
            Data::Str(text) => self.template(text, value.prov.origin),
            _ => {}
        }
    }

    fn add(&mut self, link: Link) {
        let same = |l: &Link| {
            l.origin == link.origin && l.component == link.component && l.stack == link.stack && l.reads == link.reads
        };
        if !self.links.iter().any(same) {
            self.links.push(link);
        }
    }

    fn function(&mut self, text: &str, origin: Option<Origin>) {
        let Some((name, arguments)) = text.split_once(char::is_whitespace) else { return };
        if !matches!(name, "!terraform.state" | "!terraform.output") || arguments.contains("{{") {
            return;
        }
        let Ok(TerraformArgs { component, stack, expression }) = arguments::parse_terraform(arguments.trim()) else {
            return;
        };
        if component.contains("<no value>") {
            return;
        }
        let stack = match stack {
            None => StackSelector::Here,
            Some(stack) if stack.contains("<no value>") => StackSelector::Unknown,
            Some(stack) => StackSelector::Stack(stack.into()),
        };
        self.add(Link {
            how: LinkKind::Reads,
            by: name.into(),
            component: component.into(),
            kind: None,
            stack,
            reads: first_key(&expression).map_or(ReadTarget::Nothing, ReadTarget::Output),
            is_optional: expression.contains("//"),
            origin,
            stack_origin: origin,
        });
    }

    fn template(&mut self, text: &str, origin: Option<Origin>) {
        let delimiters = self.stacks.config.templates.delimiters.as_ref().and_then(|d| d.as_ref().ok());
        let (left, right) = delimiters.map_or(("{{", "}}"), |(l, r)| (l.as_str(), r.as_str()));
        if !text.contains(left) || !text.contains("atmos") {
            return;
        }
        let functions = function_sets::ALL;
        let options = template::Options { left, right, functions: &functions };
        let Ok(template) = template::parse(text, &options) else { return };
        for call in template.method_calls("atmos", "Component") {
            let [component, stack, ..] = call.arguments.as_slice() else { continue };
            let Some(component) = self.argument(component) else { continue };
            let stack = self.argument(stack).or_else(|| self.only_stack(&component));
            let stack = stack.map_or(StackSelector::Unknown, StackSelector::Stack);
            let reads = match call.fields.as_slice() {
                [section, name, ..] if &**section == "outputs" => ReadTarget::Output(Text::clone(name)),
                [section, name, ..] if &**section == "vars" => ReadTarget::Input(Text::clone(name)),
                _ => ReadTarget::Nothing,
            };
            self.add(Link {
                how: LinkKind::Reads,
                by: "atmos.Component".into(),
                component,
                kind: None,
                stack,
                reads,
                is_optional: false,
                origin,
                stack_origin: origin,
            });
        }
    }

    /// The stack that a component is asked for in, if it is asked for in one alone.
    fn only_stack(&self, component: &str) -> Option<Text> {
        let mut stacks = self.asked.iter().filter(|t| *t.component == *component).map(|t| &t.stack);
        let first = stacks.next()?;
        stacks.next().is_none().then(|| Text::clone(first))
    }

    fn argument(&self, argument: &Argument) -> Option<Text> {
        match argument {
            Argument::Text(t) => Some(Text::clone(t)),
            Argument::Path(path) => {
                let (first, rest) = path.split_first()?;
                text(self.map.get(first)?.at_path(rest.iter().map(|k| &**k))?)
            }
            Argument::Other => None,
        }
    }
}

/// The output that an expression starts with: a plain name, or the first key of a path.
fn first_key(expression: &str) -> Option<Text> {
    let name = expression.strip_prefix('.').unwrap_or(expression);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(name.len());
    let rest = name[end..].trim_start();
    let goes_on = rest.is_empty() || rest.starts_with(['.', '[', '|']) || rest.starts_with("//");
    (end > 0 && goes_on).then(|| name[..end].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_of_an_expression() {
        for (text, want) in [
            ("vpc_id", Some("vpc_id")),
            (".a.b // \"x\"", Some("a")),
            ("val5[0]", Some("val5")),
            (".a | length", Some("a")),
            (".[\"x\"]", None),
            ("", None),
            (".a + .b", None),
        ] {
            assert_eq!(first_key(text).as_deref(), want, "{text}");
        }
    }
}
