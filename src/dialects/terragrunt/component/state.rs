//! Where the state of a unit is: as `remote_state` says, a backend in a generated file, or one that the code itself has.

use crate::dialects::terragrunt::session::Session;
use crate::dialects::terragrunt::values::unknown_data;
use crate::hcl::ast::{Attribute, Body, walk};
use crate::hcl::parse::{Layout, parse_body};
use crate::resolution::{Cipher, Code, Encrypted, StatePlace};
use crate::terraform::module::block::Backend;
use crate::text::Text;
use crate::value::{Key, Map, Origin, Value};
use std::sync::Arc;

/// The place of the state of a unit with these parts and this code; `None` if nothing says it.
pub(super) fn place(session: &Session<'_>, parts: &Map, code: Option<&Code>) -> Option<StatePlace> {
    let (backend, settings, origin) = of_remote_state(parts)
        .or_else(|| parts.get("generate")?.as_map()?.iter().find_map(|entry| generated(&entry.value)))
        .or_else(|| of_code(session, code?))?;
    Some(StatePlace {
        backend,
        settings,
        origin,
        // Arguments of the command may complete them, and Terragrunt checks nothing before it runs.
        authored: 0,
        // The code of a source is copied for each unit.
        is_separate: parts.get("terraform").is_some_and(|terraform| terraform.get("source").is_some()),
        is_workspace_assumed: true,
    })
}

/// The type of a backend, its settings, and where they are.
type Found = (Text, Arc<Map>, Option<Origin>);

fn of_remote_state(parts: &Map) -> Option<Found> {
    let state = parts.get("remote_state")?;
    let settings = state.get("config")?;
    Some((state.get("backend")?.as_str()?.into(), Arc::clone(settings.as_map()?), settings.prov.origin))
}

/// How the state is encrypted: Terragrunt writes it into the file that it generates for the backend, without a fallback.
pub(super) fn encryption(parts: &Map) -> Option<Encrypted> {
    let state = parts.get("remote_state")?;
    let written = state.get("encryption").filter(|written| !written.is_null())?;
    state.get("generate").filter(|generate| !generate.is_null())?;
    let definition = match written.as_map() {
        Some(_) => written.clone(),
        None => Value::map([(Key::from("encryption"), written.clone())].into_iter().collect()),
    };
    let cipher = Cipher { name: "method.aes_gcm.default".into(), definition: Some(definition) };
    Some(Encrypted { target: "state".into(), reads: vec![cipher] })
}

/// The backend in a file that is generated.
fn generated(block: &Value) -> Option<Found> {
    let contents = block.get("contents")?;
    let text = contents.as_str().filter(|text| text.contains("backend"))?;
    if block.get("disable").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let body = parse_body(text, Layout::Strict).body;
    let mut backends = body.blocks_of("terraform").flat_map(|terraform| terraform.body.blocks_of("backend"));
    let (kind, backend) = backends.find_map(|backend| Some((backend.label(0)?, &backend.body)))?;
    let origin = contents.prov.origin;
    Some((Text::clone(kind), settings(backend, text, origin), origin))
}

/// The backend that the code has.
fn of_code(session: &Session<'_>, code: &Code) -> Option<Found> {
    let module = session.loader.modules.module(&code.folder)?;
    let Backend { kind, place: (file, span), body } = module.backend.as_ref()?;
    let text = &session.loader.modules.loader.reader.files.get(*file).text;
    let origin = Origin { file: *file, key: span.start, start: span.start, end: span.end };
    Some((Text::clone(kind), settings(body, text, Some(origin)), Some(origin)))
}

/// The arguments of a backend. Those that are no plain text are not known.
fn settings(body: &Body, text: &str, origin: Option<Origin>) -> Arc<Map> {
    let one = |written: &Attribute| {
        let span = written.expr.span;
        let shown = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let value = match walk::constant_text(&written.expr) {
            Some(text) => Value::str(text),
            None => Value { data: unknown_data(shown.into(), "it is no text", &[]), ..Value::default() },
        };
        let value = match origin {
            Some(origin) => Value::at(value.data, origin),
            None => value,
        };
        (Key::from(&*written.name.text), value)
    };
    Arc::new(body.attributes.iter().map(one).collect())
}
