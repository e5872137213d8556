//! A unit as a component: its configuration, and what rules need to know of it.

mod arguments;
mod code;
mod own_files;
mod state;

pub(super) use code::evaluate as evaluate_code;
pub(super) use own_files::runs;

use super::discovery::address;
use super::file::Config;
use super::place::inside;
use super::session::Session;
use super::stacks::is_remote;
use super::unit::KIND;
use super::vocabulary::VOCABULARY;
use crate::hcl::ast::walk;
use crate::hcl::parse::parse_expression;
use crate::paths;
use crate::resolution::{
    Code, CodeOrigin, Component, ComponentMetadata, Inputs, Link, LinkKind, ReadTarget, RemovalEffect, ShapingOrigins,
    StackSelector,
};
use crate::source::Node;
use crate::text::Text;
use crate::value::{Data, FileId, Flags, Language, Map, Origin, Value};
use arguments::Arguments;
use std::sync::Arc;

/// How values are read.
pub(super) fn language() -> Language {
    Language { vocabulary: &VOCABULARY, ..Language::default() }
}

/// The stack of the resources, data sources and outputs of the code of a unit: the unit itself.
pub(super) fn code_stack(unit: &Component) -> Text {
    match &*unit.stack {
        "." => unit.name.clone(),
        stack => paths::join(stack, &unit.name).into(),
    }
}

/// The component of a unit.
pub(super) fn of(
    session: &Session<'_>,
    (stack, name): (Text, Text),
    (folder, file): (&str, FileId),
    config: &Config,
) -> Component {
    let parts = &config.parts;
    let (given, is_open) = Arguments::names(session, folder, parts);
    let inputs = inputs(parts);
    let inputs = Inputs { given: given.into(), is_open: inputs.is_open || is_open, ..inputs };
    let code = code(session, folder, parts);
    let metadata = ComponentMetadata {
        lacks_code: lacks_code(session, config, code.as_ref()),
        is_module: true,
        inputs,
        state: state::place(session, parts, code.as_ref()),
        encryption: state::encryption(parts).into_iter().collect(),
        code,
        links: links(folder, parts).into(),
        workspace: Some("default".into()),
        protection: parts.get("prevent_destroy").cloned().unwrap_or_default(),
        ..ComponentMetadata::default()
    };
    let shaping = config.includes.iter().map(|included| included.at);
    let origin = Origin { file, key: 0, start: 0, end: 0 };
    let value = Value::at(Data::Map(Arc::new(shown(parts))), origin);
    Component {
        shaping_origins: ShapingOrigins {
            own: shaping.collect(),
            shared: session.generated.places(folder).cloned().unwrap_or_default(),
        },
        removal: RemovalEffect::Orphaned,
        metadata,
        language: language(),
        ..Component::new((stack, KIND.into(), name), value)
    }
}

/// The parts as they are printed: `dependencies` is the list of paths.
fn shown(parts: &Map) -> Map {
    let mut shown = parts.clone();
    if shown.get("inputs").and_then(Value::as_map).is_some_and(|inputs| inputs.is_empty()) {
        shown.remove("inputs");
    }
    if let Some(paths) = parts.get("dependencies").and_then(|value| value.get("paths")) {
        shown.set("dependencies", paths.clone());
    }
    shown
}

fn inputs(parts: &Map) -> Inputs {
    let value = parts.get("inputs");
    let all = value.and_then(Value::as_map).cloned().unwrap_or_else(Map::none);
    let is_open = value.is_some_and(|value| matches!(value.data, Data::Unknown(_)));
    Inputs { authored: [Arc::clone(&all), Map::none()], all, is_open, is_environment: true, ..Inputs::default() }
}

/// Whether the unit says nothing at all, and there is no code in its folder. What says something may get its code in a way that is not
/// seen.
fn lacks_code(session: &Session<'_>, config: &Config, code: Option<&Code>) -> bool {
    let is_empty = |value: &Value| match &value.data {
        Data::Null => true,
        Data::Map(map) => map.is_empty(),
        Data::List(items) => items.is_empty(),
        _ => false,
    };
    let is_silent = config.includes.is_empty() && config.parts.iter().all(|part| is_empty(&part.value));
    is_silent && code.is_some_and(|code| !session.loader.modules.is_there(&code.folder))
}

/// The folder of the code: that of the source, or that of the unit. Of a source that is not known, those that it names.
fn code(session: &Session<'_>, folder: &str, parts: &Map) -> Option<Code> {
    let source = parts.get("terraform").and_then(|terraform| terraform.get("source"));
    let reader = &session.loader.modules.loader.reader;
    let (written, is_known) = match source.map(|source| &source.data) {
        None => (vec![String::new()], true),
        Some(Data::Str(text)) => (vec![text.to_string()], true),
        Some(_) => (source.map(|source| alternatives(session, source)).unwrap_or_default(), false),
    };
    let real = |written: &String| {
        let local = written.split('?').next().filter(|_| !is_remote(written))?;
        let path = if local.is_empty() { folder.to_owned() } else { inside(folder, local)? };
        match reader.lookup(&path) {
            Ok(Node::Dir(real)) => Some(Text::from(session.generated.written_at(&real).unwrap_or(real))),
            _ => is_known.then(|| path.into()),
        }
    };
    let mut folders = written.iter().filter_map(real);
    let first = folders.next()?;
    Some(Code {
        root: first.clone(),
        folder: first,
        origin: source.and_then(|source| source.prov.origin),
        others: folders.collect(),
        supply: CodeOrigin::Repository,
        is_open: !is_known || declares(parts.get("generate")),
    })
}

/// The paths in the expression of a source that is not known, for example of a condition about the environment.
fn alternatives(session: &Session<'_>, source: &Value) -> Vec<String> {
    let Some(origin) = source.prov.origin else { return Vec::new() };
    let text = &session.loader.modules.loader.reader.files.get(origin.file).text;
    let Some(Ok(expr)) = text.get(origin.start as usize..origin.end as usize).map(parse_expression) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    walk::visit(&expr, &mut |expr| {
        let path = walk::constant_text(expr).filter(|text| text.starts_with(['.', '/']));
        found.extend(path.map(str::to_owned));
    });
    found
}

/// Whether generated files may declare variables.
fn declares(generate: Option<&Value>) -> bool {
    let contents = generate.and_then(Value::as_map).into_iter().flat_map(|map| map.iter());
    contents.into_iter().any(|entry| match entry.value.get("contents").map(|contents| &contents.data) {
        Some(Data::Str(text)) => text.contains("variable"),
        _ => entry.value.holds(Flags::UNKNOWN),
    })
}

/// The units that it depends on.
fn links(folder: &str, parts: &Map) -> Vec<Link> {
    let mut found = Vec::new();
    let to = |by: &str, path: &Value| {
        let target = match &path.data {
            Data::Str(text) => inside(folder, text),
            _ => None,
        };
        let target = target.map(|target| match paths::name(&target).ends_with(".hcl") {
            true => paths::parent(&target).to_owned(),
            false => target,
        });
        let (stack, component) = match &target {
            Some(target) => {
                let (stack, name) = address(target);
                (StackSelector::Stack(stack), name)
            }
            None => (StackSelector::Unknown, Text::default()),
        };
        let origin: Option<Origin> = path.prov.origin;
        Link {
            how: LinkKind::Declared,
            by: by.into(),
            component,
            kind: Some(KIND.into()),
            stack,
            reads: ReadTarget::Nothing,
            is_optional: true,
            origin: origin.into(),
            stack_origin: None.into(),
        }
    };
    let dependencies = parts.get("dependency").and_then(Value::as_map).into_iter().flat_map(|map| map.iter());
    for entry in dependencies {
        let is_enabled = entry.value.get("enabled").and_then(Value::as_bool) != Some(false);
        if let (Some(path), true) = (entry.value.get("config_path"), is_enabled) {
            found.push(to("dependency", path));
        }
    }
    match parts.get("dependencies").and_then(|value| value.get("paths")) {
        Some(Value { data: Data::List(paths), .. }) => found.extend(paths.iter().map(|path| to("dependencies", path))),
        // Which ones is not known.
        Some(paths @ Value { data: Data::Unknown(_), .. }) => found.push(to("dependencies", paths)),
        _ => {}
    }
    found
}
