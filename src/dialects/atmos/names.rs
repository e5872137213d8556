//! Stack names and Terraform workspaces (`reference: atmos.md` sections 2.3 and 4.8).

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::templates::engine::Engine;
use crate::template;
use crate::text::{FastMap, Text};
use crate::value::{Data, Key, Map, Prov, Value, has_template, key};
use std::sync::Arc;

/// How a component got the name of its stack.
pub(super) struct Named {
    /// The name; empty if its template renders nothing.
    pub name: Value,
    /// The variables that workspace patterns may use; only where a name pattern is in force.
    pub context: Context,
}

/// The variables of a name pattern.
#[derive(Default)]
pub(super) struct Context {
    fields: Vec<(&'static str, String, Prov)>,
}

/// The parts of name patterns.
pub(super) const TOKENS: [&str; 4] = ["namespace", "tenant", "environment", "stage"];

impl Context {
    /// Reads the name parts from variables.
    pub(super) fn of(vars: &Map) -> Self {
        let text = |key: &&'static str| {
            let value = vars.get(key)?;
            Some((*key, value.as_str()?.to_owned(), value.prov.clone()))
        };
        let mut fields: Vec<_> = TOKENS.iter().chain(&["region"]).filter_map(text).collect();
        if let Some(value) = vars.get("attributes")
            && let Some(list) = value.as_list()
        {
            let words: Vec<&str> = list.iter().map(|v| v.as_str().unwrap_or_default()).collect();
            fields.push(("attributes", words.join("-"), value.prov.clone()));
        }
        Context { fields }
    }

    /// The same with the name of a component.
    pub(super) fn with_component(mut self, name: Text) -> Self {
        self.fields.push(("component", name.to_string(), Prov::default()));
        self
    }

    /// Returns the stack name for a pattern, if all its parts have a value.
    pub(super) fn prefix(&self, pattern: &str) -> Option<String> {
        let name = self.name(pattern).ok().filter(|_| !pattern.is_empty())?;
        name.as_str().map(str::to_owned)
    }

    /// A pattern with its tokens filled in.
    pub(super) fn filled(&self, pattern: &str) -> String {
        self.fill(pattern).as_str().unwrap_or_default().to_owned()
    }

    fn get(&self, name: &str) -> Option<&(&'static str, String, Prov)> {
        self.fields.iter().find(|(n, ..)| *n == name)
    }

    /// Returns the name for a pattern; `Err` is the first part without a value.
    fn name(&self, pattern: &str) -> Result<Value, &'static str> {
        let (mut words, mut inputs) = (Vec::new(), Vec::new());
        for part in pattern.split('-') {
            let Some(token) =
                TOKENS.iter().find(|t| part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) == Some(t))
            else {
                continue;
            };
            let (_, text, prov) = self.get(token).filter(|f| !f.1.is_empty()).ok_or(*token)?;
            words.push(text.as_str());
            inputs.push(prov.clone());
        }
        Ok(derived(words.join("-"), inputs))
    }

    /// A workspace pattern with its tokens filled in. What is not known here is empty.
    fn fill(&self, pattern: &str) -> Value {
        const KNOWN: [&str; 11] = [
            "base-component",
            "component",
            "component-path",
            "namespace",
            "environment",
            "region",
            "tenant",
            "stage",
            "workspace",
            "terraform_workspace",
            "attributes",
        ];
        let (mut out, mut inputs, mut rest) = (String::new(), Vec::new(), pattern);
        while let Some(at) = rest.find('{') {
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            let token = after.find('}').map(|end| &after[1..end]).filter(|t| KNOWN.contains(t));
            match token {
                Some(token) => {
                    if let Some((_, text, prov)) = self.get(token) {
                        out.push_str(text);
                        inputs.push(prov.clone());
                    }
                    rest = &after[token.len() + 2..];
                }
                None => {
                    out.push('{');
                    rest = &after[1..];
                }
            }
        }
        out.push_str(rest);
        derived(out, inputs)
    }
}

/// Returns a part of the name pattern that looks like a token but is not one; `None` if a template names stacks,
/// because the pattern is not used then.
pub(super) fn unknown_token(config: &Config) -> Option<&str> {
    let is_unknown = |part: &&str| {
        let token = part.strip_prefix('{').and_then(|p| p.strip_suffix('}'));
        token.map_or(part.contains(['{', '}']), |token| !TOKENS.contains(&token))
    };
    config.name_pattern.split('-').find(is_unknown).filter(|_| config.name_template.is_empty())
}

fn derived(text: String, inputs: Vec<Prov>) -> Value {
    // The first input represents the place.
    let origin = inputs.first().and_then(|p| p.origin);
    Value { data: Data::Str(text.into()), prov: Prov { origin, trail: None }.with_inputs(inputs) }
}

/// The stack that a component belongs to, before it is rendered.
///
/// # Errors
/// The name template failed.
pub(super) fn stack(
    config: &Config,
    engine: &Engine<'_>,
    manifest: &Key,
    name: Option<&Value>,
    data: &Value,
) -> Result<Named, template::Error> {
    if let Some(name) = name {
        return Ok(Named { name: name.clone(), context: Context::default() });
    }
    if !config.name_template.is_empty() {
        let name = templated(&config.name_template, engine, data)?;
        return Ok(Named { name, context: Context::default() });
    }
    if !config.name_pattern.is_empty() {
        let vars = data.get("vars").and_then(Value::as_map).cloned().unwrap_or_default();
        let context = Context::of(&vars);
        let name = context.name(&config.name_pattern).unwrap_or_else(|_| Value::str(Text::clone(manifest)));
        return Ok(Named { name, context });
    }
    Ok(Named { name: Value::str(Text::clone(manifest)), context: Context::default() })
}

/// The stack of a component as validation sees it, which skips the `name` of the manifest: `None` if nothing
/// names stacks, `Err` with the part of the name pattern that has no value.
pub(super) fn validated(config: &Config, named: &Value, component: &Map) -> Option<Result<Key, &'static str>> {
    if !config.name_template.is_empty() {
        return Some(Ok(if let Data::Str(name) = &named.data { Text::clone(name) } else { Text::default() }));
    }
    if config.name_pattern.is_empty() {
        return None;
    }
    let vars = component.get("vars").and_then(Value::as_map).cloned().unwrap_or_default();
    let name = Context::of(&vars).name(&config.name_pattern);
    Some(name.map(|name| name.as_str().unwrap_or_default().into()))
}

/// The text of a template over the data of a component.
pub(super) fn templated(text: &str, engine: &Engine<'_>, data: &Value) -> Result<Value, template::Error> {
    let rendered = engine.text(text, data)?;
    Ok(derived(rendered.text, rendered.inputs))
}

/// The built components of a type in a manifest, by name.
pub(super) type Siblings<'a> = FastMap<&'a str, &'a Map>;

/// Metadata that names a workspace, the strongest first.
pub(super) const WORKSPACE_KEYS: [&str; 3] =
    ["terraform_workspace", "terraform_workspace_pattern", "terraform_workspace_template"];

/// Whether the metadata of some component may set its workspace, given the metadata of the whole stack and the components of one
/// type before they are built.
pub(super) fn may_name_workspace(of_stack: &Map, components: &Map) -> bool {
    let says = |metadata: &Map| WORKSPACE_KEYS.iter().any(|key| metadata.has(key));
    let metadata = |component: &Value| component.get("metadata").and_then(Value::as_map).is_some_and(|m| says(m));
    says(of_stack) || components.iter().any(|entry| metadata(&entry.value))
}

/// Returns the workspace settings in the metadata of a component. Atmos reads the listed bases once more, as they were
/// built, so that the settings of their own bases count too.
pub(super) fn workspace_settings(siblings: &Siblings<'_>, name: &str, inherit: bool) -> Map {
    let Some(own) = metadata(siblings, name) else { return Map::new() };
    let mut values: [Option<Value>; 3] = Default::default();
    if inherit {
        let mut after: Vec<(&str, [Option<Value>; 3])> = Vec::new();
        for base in bases(own) {
            if let Some((_, known)) = after.iter().find(|(n, _)| *n == base) {
                values = known.clone();
                continue;
            }
            inherit_from(siblings, name, base, &mut values, &mut Vec::new());
            after.push((base, values.clone()));
        }
    }
    let value = |i: usize| own.get(WORKSPACE_KEYS[i]).cloned().or_else(|| values[i].clone());
    (0..3).filter_map(|i| Some((Key::from(WORKSPACE_KEYS[i]), value(i)?))).collect()
}

fn metadata<'a>(siblings: &Siblings<'a>, name: &str) -> Option<&'a Arc<Map>> {
    siblings.get(name)?.get("metadata")?.as_map()
}

fn bases(metadata: &Map) -> impl Iterator<Item = &str> {
    let list = metadata.get("inherits").and_then(Value::as_list);
    list.into_iter().flat_map(|l| l.iter()).filter_map(Value::as_str)
}

/// The names of the bases that a built component has itself.
pub(super) fn bases_of(component: &Map) -> Vec<Key> {
    let legacy = component.get("component").and_then(Value::as_str).map(Key::from);
    let metadata = component.get("metadata").and_then(Value::as_map);
    metadata.into_iter().flat_map(|own| bases(own)).map(Key::from).chain(legacy).collect()
}

fn inherit_from<'a>(
    siblings: &Siblings<'a>,
    name: &'a str,
    base: &'a str,
    values: &mut [Option<Value>; 3],
    path: &mut Vec<(&'a str, &'a str)>,
) {
    let step = (name, base);
    let Some(own) = metadata(siblings, base).filter(|_| name != base && !path.contains(&step)) else { return };
    path.push(step);
    let legacy = siblings.get(base).and_then(|c| c.get("component")).and_then(Value::as_str);
    if own.get("type").and_then(Value::as_str) != Some("abstract")
        && let Some(legacy) = legacy
    {
        inherit_from(siblings, base, legacy, values, path);
    }
    for next in bases(own) {
        inherit_from(siblings, name, next, values, path);
    }
    path.pop();
    for (values, key) in values.iter_mut().zip(WORKSPACE_KEYS) {
        if let Some(value) = own.get(key) {
            *values = Some(value.clone());
        }
    }
}

/// The inputs of a component's workspace.
pub(super) struct Workspace<'a> {
    pub config: &'a Config,
    pub engine: &'a Engine<'a>,
    pub manifest_name: Option<&'a Value>,
    /// The stack it belongs to.
    pub stack: &'a Value,
    pub context: &'a Context,
    pub metadata: &'a Map,
    /// Its sections, as the name template sees them.
    pub data: &'a dyn Fn() -> Value,
    /// The result of the template of stack names for it, if that determines a workspace.
    pub templated: Option<&'a Value>,
    pub backend_type: &'a str,
}

impl Workspace<'_> {
    /// The name of the workspace.
    ///
    /// # Errors
    /// A template failed.
    pub(super) fn name(&self) -> Result<Value, template::Error> {
        let config = self.config;
        if self.backend_type == "http" || !config.workspaces {
            return Ok(Value::str("default"));
        }
        let text = |key: &str| self.metadata.get(key).and_then(|v| Some((v, v.as_str()?)));
        let plain = text("terraform_workspace");
        // A plain workspace, inherited or not, switches patterns and templates off where metadata is inherited.
        let patterns = plain.is_none() || !config.inherit_metadata;
        let value = if let Some((value, template)) = text("terraform_workspace_template").filter(|_| patterns) {
            let rendered = templated(template, self.engine, &(self.data)())?;
            Value { prov: value.prov.with_inputs([rendered.prov]), data: rendered.data }
        } else if let Some((value, pattern)) = text("terraform_workspace_pattern").filter(|_| patterns) {
            let filled = self.context.fill(pattern);
            Value { prov: value.prov.with_inputs([filled.prov]), data: filled.data }
        } else if let Some((value, _)) = plain {
            value.clone()
        } else {
            self.prefix()?
        };
        let name = if let Data::Str(name) = value.data { without_slashes(name) } else { Text::default() };
        Ok(Value { data: Data::Str(name), prov: value.prov })
    }

    /// Returns the name of the Terraform workspace, if known; `describe stacks` shows another one (see
    /// [`Workspace::name`]) if a component is built from another one. `base` is its `component` key.
    pub(super) fn deployed(&self, component: &str, base: Option<&str>) -> Option<Text> {
        let config = self.config;
        if self.backend_type == "http" || !config.workspaces {
            return Some(key("default"));
        }
        let base = base.filter(|b| *b != component).unwrap_or_default();
        let values = |key: &str| self.metadata.get(key).and_then(Value::as_str);
        let plain = values("terraform_workspace");
        let patterns = plain.is_none() || !config.inherit_metadata;
        let name = if values("terraform_workspace_template").is_some_and(|_| patterns) {
            text(self.name().ok()?)?
        } else if let Some(pattern) = values("terraform_workspace_pattern").filter(|_| patterns) {
            let vars = (self.data)().get("vars").and_then(Value::as_map).cloned().unwrap_or_default();
            let mut context = Context::of(&vars);
            context.fields.push(("component", component.to_owned(), Prov::default()));
            context.fields.push(("base-component", base.to_owned(), Prov::default()));
            text(context.fill(pattern))?
        } else if let Some(plain) = plain {
            Text::from(plain)
        } else {
            let prefix = text(self.prefix().ok()?)?;
            if base.is_empty() { prefix } else { [&*prefix, "-", component].concat().into() }
        };
        let is_known = !name.is_empty() && !has_template(&name) && !name.contains("<no value>");
        is_known.then(|| without_slashes(name))
    }

    fn prefix(&self) -> Result<Value, template::Error> {
        let config = self.config;
        if let Some(name) = self.manifest_name {
            return Ok(name.clone());
        }
        if !config.name_template.is_empty() {
            return match self.templated {
                Some(name) => Ok(name.clone()),
                None => templated(&config.name_template, self.engine, &(self.data)()),
            };
        }
        if !config.name_pattern.is_empty()
            && let Ok(name) = self.context.name(&config.name_pattern)
        {
            return Ok(name);
        }
        Ok(self.stack.clone())
    }
}

fn text(value: Value) -> Option<Text> {
    if let Data::Str(text) = value.data { Some(text) } else { None }
}

/// The name of a workspace: slashes cannot be part of it.
fn without_slashes(name: Text) -> Text {
    if name.contains('/') { name.replace('/', "-").into() } else { name }
}

/// The sections that the template of a stack name sees.
pub(super) const NAME_SECTIONS: [&str; 11] =
    ["vars", "metadata", "settings", "env", "auth", "providers", "hooks", "test", "secrets", "overrides", "backend"];

/// Whether two texts are the same with the same history.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    matches!((&a.data, &b.data), (Data::Str(a), Data::Str(b)) if a == b) && a.prov.is_identical(&b.prov)
}

/// Returns the data of the name template for a component.
pub(super) fn name_data(map: &Map, name: &Key) -> Map {
    let empty = || Value::map(Map::new());
    let mut data: Map = NAME_SECTIONS
        .iter()
        .map(|k| (key(k), map.get(k).filter(|v| v.as_map().is_some()).cloned().unwrap_or_else(empty)))
        .collect();
    let backend_type = map.get("backend_type").filter(|v| v.as_str().is_some()).cloned();
    data.set(key("backend_type"), backend_type.unwrap_or_else(|| Value::str("")));
    data.set(key("component"), Value::str(Text::clone(name)));
    data
}
