//! The names of stacks as components need them and as Atmos validates them, and Terraform workspaces
//! (`reference: atmos.md` sections 2.3 and 4.8).

use super::context::StackContext;
use super::manifest::StackManifest;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::{ErrorReported, label};
use crate::dialects::atmos::names::{self, Context, Workspace, name_data};
use crate::dialects::atmos::rules;
use crate::template::{self, MissingKey};
use crate::text::Text;
use crate::value::{Entry, Key, Map, Origin, Prov, Value, key};

/// A component whose stack name is validated: of Terraform or Helmfile, and not abstract.
#[derive(Clone, Debug)]
pub(in crate::dialects::atmos) struct Named {
    pub kind: Key,
    pub name: Key,
    pub stack: Name,
    /// The variable of the part that the name pattern [lacks](Name::Lacks), if it exists but is not a string.
    pub instead: Option<Box<Value>>,
}

/// The name of a stack as validation sees it.
#[derive(Clone, Debug)]
pub(in crate::dialects::atmos) enum Name {
    /// It is this; it may be empty.
    Known(Key),
    /// The name pattern has this part, but there is no variable for it.
    Lacks(&'static str),
    /// The configuration defines no names of stacks.
    Unnamed,
    /// It is unknown, and the reason was reported.
    Unknown,
}

/// Reports that the stack of a component has no name: at the template if it is invalid, else at the component.
pub(super) fn report_unnamed(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    error: &template::Error,
    name: &Key,
    site: &Prov,
) -> ErrorReported {
    if manifest.name.is_none()
        && let Some(finding) = broken_template(stacks, manifest)
    {
        return stacks.recorder.diagnostics.push(finding);
    }
    let message = format!("the stack name of component `{name}` cannot be computed: {}", error.message);
    stacks.recorder.diagnostics.error(&rules::STACK_NAME_UNRESOLVED, message, site, manifest.file)
}

/// Returns the finding about an invalid template of stack names, at its place in the configuration.
fn broken_template(stacks: &StackContext<'_>, manifest: &StackManifest<'_>) -> Option<Diagnostic> {
    let template = &stacks.config.name_template;
    let parsed = stacks.name_engine(MissingKey::Error).parse(template);
    let error = parsed.as_ref().as_ref().err().filter(|_| !template.is_empty())?;
    let site = stacks.config.all.at_path(["stacks", "name_template"]).map(|v| v.prov.clone()).unwrap_or_default();
    let place = site.origin.and_then(|origin| within(origin, template, error.offset));
    // If the environment sets it, there is no place: then the place is the configuration.
    let file = stacks.config.shaping_origins.first().map_or(manifest.file, |origin| origin.file);
    let place = place.unwrap_or_else(|| label(&site, file, ""));
    let message = format!("`stacks.name_template` is not a template: {}", error.message);
    Some(Diagnostic::new(&rules::STACK_NAME_UNRESOLVED, message, place))
}

/// The place of an offset in a text written at `origin`; `None` if it is written with escapes.
fn within(origin: Origin, text: &str, offset: usize) -> Option<Label> {
    let written = (origin.end - origin.start) as usize;
    let quotes = written.checked_sub(text.len()).filter(|length| matches!(length, 0 | 2))? / 2;
    let rest = text.get(offset..)?;
    let word = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))).unwrap_or(rest.len());
    let length = word.max(rest.chars().next().map_or(1, char::len_utf8));
    let start = origin.start + (quotes + offset) as u32;
    Some(Label::new(origin.file, start, start + length as u32, ""))
}

/// How validation sees the stack of a component, if it examines its type.
pub(super) fn checked_name(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    type_name: &'static str,
    given: &Value,
    map: &Map,
    Entry { key: name, value }: &Entry,
) -> Option<Named> {
    let is_abstract = map.known("metadata").and_then(|m| m.get("type")).and_then(Value::as_str) == Some("abstract");
    if !matches!(type_name, "terraform" | "helmfile") || is_abstract {
        return None;
    }
    let stack = validated_name(stacks, manifest, given, map, name, value);
    let instead = match &stack {
        Name::Lacks(part) => map.get("vars").and_then(|v| v.get(part)).filter(|v| !v.is_null()).cloned().map(Box::new),
        _ => None,
    };
    Some(Named { kind: key(type_name), name: Text::clone(name), stack, instead })
}

/// The workspace that `describe stacks` prints, and the one that Terraform is run in if that is known.
pub(super) fn workspace(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    of: WorkspaceInputs<'_>,
    map: &Map,
    name: &Key,
) -> Result<(Value, Option<Text>), template::Error> {
    let lenient = stacks.config.templates.ignore_missing;
    let missing = if lenient { MissingKey::Default } else { MissingKey::Error };
    let engine = stacks.name_engine(missing);
    let workspace = Workspace {
        config: stacks.config,
        engine: &engine,
        manifest_name: manifest.name.as_ref(),
        stack: of.stack,
        context: of.context,
        metadata: of.metadata,
        templated: of.templated,
        data: of.data,
        backend_type: map.known("backend_type").and_then(Value::as_str).unwrap_or_default(),
    };
    let deployed = workspace.deployed(name, map.known("component").and_then(Value::as_str));
    Ok((workspace.name()?, deployed))
}

/// The stack of a component as validation sees it.
fn validated_name(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    named: &Value,
    map: &Map,
    name: &Key,
    value: &Value,
) -> Name {
    let template = &stacks.config.name_template;
    let strict = || stacks.name_engine(MissingKey::Error);
    let templated = match manifest.name.is_some() && !template.is_empty() {
        true => names::templated(template, &strict(), &Value::map(name_data(map, name))),
        false => Ok(named.clone()),
    };
    match templated {
        Ok(templated) => match names::validated(stacks.config, &templated, map) {
            Some(Ok(stack)) => Name::Known(stack),
            Some(Err(part)) => Name::Lacks(part),
            None => Name::Unnamed,
        },
        Err(error) => {
            if let Some(finding) = broken_template(stacks, manifest) {
                stacks.recorder.diagnostics.report(finding);
                return Name::Unknown;
            }
            let message = format!("the stack name of component `{name}` cannot be computed: {}", error.message);
            let label = label(&value.prov, manifest.file, "");
            let finding = Diagnostic::new(&rules::STACK_NAME_UNRESOLVED, message, label);
            stacks.recorder.diagnostics.report(finding.note("Atmos computes it though the manifest has a `name`"));
            Name::Unknown
        }
    }
}

/// The inputs of a component's workspace besides its manifest.
pub(super) struct WorkspaceInputs<'a> {
    pub(super) stack: &'a Value,
    pub(super) context: &'a Context,
    pub(super) metadata: &'a Map,
    pub(super) templated: Option<&'a Value>,
    pub(super) data: &'a dyn Fn() -> Value,
}
