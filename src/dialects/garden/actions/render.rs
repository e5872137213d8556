//! `ConfigTemplate` and `RenderTemplate`: configs that are written once and rendered for some inputs.

use super::inputs::Schema;
use super::sources::{ActionSource, Sources};
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::environment::Stage;
use crate::dialects::garden::project::schema::{
    ANY_TEXT, Field, Format, NUMBER, RELATIVE_PATH, Rule, Shape, TEXT, check_shape, optional, required,
};
use crate::dialects::garden::project::{ActionKind, Resource, first_line};
use crate::dialects::garden::template::evaluation::{Evaluator, Roots, Scope};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::paths::seen_from;
use crate::text::Text;
use crate::value::Origin;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of combinations of a matrix that are rendered.
const MOST_COMBINATIONS: usize = 10_000;

/// The maximum number of configs of all templates that are rendered in one environment.
const MOST_CONFIGS: usize = 20_000;

/// A template of configs.
#[derive(Debug)]
pub(crate) struct Template {
    pub name: Text,
    /// The inputs that it accepts.
    pub(super) schema: Schema,
    tree: Node,
    path: Text,
}

/// Where a rendered config comes from.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub template: Arc<Template>,
    /// The name of what renders it.
    pub parent: Text,
    /// The inputs as they are written.
    pub inputs: Node,
    /// The lines that render it.
    pub place: Option<Origin>,
}

impl Rendered {
    /// Roots of a context with the inputs as they are written, defaults below them.
    pub(crate) fn roots(&self, evaluator: &Evaluator, roots: Roots) -> Roots {
        let inputs = evaluator.data(self.template.schema.complete(&self.inputs));
        self.roots_with(evaluator, roots, inputs)
    }

    /// The same with inputs in a context.
    pub(crate) fn roots_with(&self, evaluator: &Evaluator, roots: Roots, inputs: ContextId) -> Roots {
        let defaults = evaluator.data(self.template.schema.defaults.clone());
        let both = evaluator.layers(vec![defaults, inputs]);
        let name = |name: &Text| Node::map([("name".into(), Node::text(Text::clone(name)))]);
        roots
            .with("inputs", Node::new(Data::Context(both)))
            .with("parent", name(&self.parent))
            .with("template", name(&self.template.name))
    }
}

/// A workflow and its source.
#[derive(Debug)]
pub(crate) struct WorkflowSource {
    pub name: Text,
    /// Its fields.
    pub tree: Node,
    /// How it was rendered, if it was.
    pub rendered: Option<Arc<Rendered>>,
    /// Lines that shaped it.
    pub shaping: Vec<Origin>,
    pub path: Text,
}

const API_VERSION: Field = optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0"])));
const NAME: Field = optional("name", Shape::Text(Format::Identifier));
const INPUT: Shape = Shape::Fields(&[
    required("type", Shape::Text(Format::Words(&["string", "number", "boolean"]))),
    optional("default", Shape::OneOf(&[ANY_TEXT, NUMBER, Shape::Bool])),
    optional("description", TEXT),
]);
const TEMPLATE: Shape = Shape::With(
    &Shape::Fields(&[
        API_VERSION,
        optional("kind", Shape::Any),
        NAME,
        optional("inputs", Shape::MapOf(Format::Filled, &INPUT)),
        optional("inputsSchemaPath", RELATIVE_PATH),
        optional("modules", Shape::List(&Shape::Map)),
        optional("configs", Shape::List(&Shape::Map)),
    ]),
    Rule::MostOneKey(&["inputs", "inputsSchemaPath"]),
);
const RENDER: Shape = Shape::Fields(&[
    API_VERSION,
    optional("kind", Shape::Any),
    NAME,
    optional("disabled", Shape::Any),
    optional("template", Shape::Text(Format::Identifier)),
    optional("inputs", Shape::Map),
    optional("matrix", Shape::MapOf(Format::Filled, &Shape::List(&Shape::Any))),
]);

/// The templates of a project.
pub(super) fn templates(
    stage: &Stage<'_>,
    resources: &[Arc<Resource>],
    diagnostics: &Diagnostics,
) -> Vec<Arc<Template>> {
    let mut all: Vec<Arc<Template>> = Vec::new();
    let context = stage.context(&stage.unnamed);
    for resource in resources.iter().filter(|resource| *resource.kind == *"ConfigTemplate") {
        let Some(name) = resource.name() else {
            diagnostics.error(
                &rules::INVALID_CONFIG,
                "a ConfigTemplate needs a `name`",
                &first_line(&resource.tree.prov),
            );
            continue;
        };
        if let Some(known) = all.iter().find(|template| template.name == *name) {
            let other = seen_from(&stage.input.project.dir, &known.path);
            let message = format!("there is another ConfigTemplate `{name}` in {other}");
            diagnostics.error(&rules::DUPLICATE_COMPONENT, message, place_of(&resource.tree, "name"));
            continue;
        }
        let fields = resource.tree.as_map().into_iter().flat_map(|map| map.iter());
        let fields = fields.filter(|(key, _)| !matches!(key.as_str(), "configs" | "modules"));
        let fields = Node::map(fields.map(|(key, value)| (Text::clone(key), value.clone())));
        let (fields, _) = stage.deep(&fields, context, diagnostics);
        if stage.input.project.era == LanguageVersion::Cedar {
            check_shape(&fields, &TEMPLATE, &format!("the template `{name}`"), diagnostics);
        }
        let Some(schema) = Schema::read(&fields, resource, stage.input.loader, diagnostics) else { continue };
        all.push(Arc::new(Template {
            name: Text::clone(name),
            schema,
            tree: resource.tree.clone(),
            path: Text::clone(&resource.path),
        }));
    }
    all
}

/// Renders a resource, and adds what comes of it.
pub(super) fn render(
    stage: &Stage<'_>,
    resource: &Resource,
    templates: &[Arc<Template>],
    out: &mut Sources,
    diagnostics: &Diagnostics,
) {
    let is_module = *resource.kind == *"Module";
    let context = stage.context(&stage.unnamed);
    let map = resource.tree.as_map().into_iter().flat_map(|map| map.iter());
    let without = map.filter(|(key, _)| *key != "inputs").map(|(key, value)| (Text::clone(key), value.clone()));
    let (fields, is_complete) = stage.deep(&Node::map(without), context, diagnostics);
    if !is_module && is_complete && stage.input.project.era == LanguageVersion::Cedar {
        check_shape(&fields, &RENDER, "a RenderTemplate", diagnostics);
    }
    if !is_complete || fields.get("disabled").is_some_and(Node::is_truthy) {
        return;
    }
    let parent = &resource.name().cloned().unwrap_or_default();
    let named = fields.get("template").and_then(Node::as_text);
    let template = named.and_then(|name| templates.iter().find(|template| template.name == *name));
    // What a template in a submodule makes of it is not known.
    if template.is_none() && named.is_some() && stage.input.loaded.may_lack {
        return;
    }
    let Some(template) = template else {
        let known: Vec<&str> = templates.iter().map(|template| template.name.as_str()).collect();
        let known =
            if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
        let message = match named {
            Some(name) => format!("`{parent}` renders a template `{name}` that does not exist: {known}"),
            None => format!("`{parent}` needs the name of a `template`: {known}"),
        };
        diagnostics.error(&rules::UNDEFINED_REFERENCE, message, place_of(&resource.tree, "template"));
        return;
    };
    let inputs = resource.tree.get("inputs").cloned().unwrap_or_else(|| Node::map([]));
    if !is_module && stage.input.project.era == LanguageVersion::Cedar {
        check_shape(&inputs, &Shape::Literal(&Shape::Map), &format!("`inputs` of `{parent}`"), diagnostics);
    }
    let run = Run { stage, resource, template, parent };
    let mut names: BTreeMap<(Text, Text), ()> = BTreeMap::new();
    for combination in run.combinations(&fields, &inputs, diagnostics) {
        if out.is_full {
            break;
        }
        run.one(combination, &mut names, out, diagnostics);
    }
}

struct Run<'a> {
    stage: &'a Stage<'a>,
    resource: &'a Resource,
    template: &'a Arc<Template>,
    parent: &'a Text,
}

impl Run<'_> {
    /// The inputs of each combination of the matrix: keys in order, the last one changing fastest.
    fn combinations(&self, fields: &Node, inputs: &Node, diagnostics: &Diagnostics) -> Vec<Node> {
        let matrix = fields.get("matrix").and_then(Node::as_map).filter(|matrix| !matrix.is_empty());
        let Some(matrix) = matrix else { return vec![inputs.clone()] };
        let mut all: Vec<Vec<(Text, Node)>> = vec![Vec::new()];
        for (key, values) in matrix.iter() {
            let Some(values) = values.as_list() else {
                diagnostics.error(
                    &rules::INVALID_CONFIG,
                    format!("`{key}` of the matrix must be a list"),
                    &values.prov,
                );
                return Vec::new();
            };
            if all.len().saturating_mul(values.len()) > MOST_COMBINATIONS {
                let message = format!("this matrix has more than {MOST_COMBINATIONS} combinations: make it smaller");
                diagnostics.error(&rules::LIMIT_EXCEEDED, message, place_of(&self.resource.tree, "matrix"));
                return Vec::new();
            }
            let extended = |known: &Vec<(Text, Node)>, value: &Node| {
                let mut next = known.clone();
                next.push((Text::clone(key), value.clone()));
                next
            };
            all = all.iter().flat_map(|known| values.iter().map(move |value| extended(known, value))).collect();
        }
        // Of a matrix with one key, Garden renders the last value alone.
        if matrix.len() == 1 {
            all = all.pop().into_iter().collect();
        }
        let given: Vec<(Text, Node)> = inputs
            .as_map()
            .map(|map| map.iter().map(|(k, v)| (Text::clone(k), v.clone())).collect())
            .unwrap_or_default();
        let with = |combination: Vec<(Text, Node)>| {
            let entries: IndexMap<Text, Node> = given.iter().cloned().chain(combination).collect();
            Node::at(Node::map(entries).data, inputs.prov.clone())
        };
        all.into_iter().map(with).collect()
    }

    fn one(&self, inputs: Node, names: &mut BTreeMap<(Text, Text), ()>, out: &mut Sources, diagnostics: &Diagnostics) {
        let (stage, place) = (self.stage, self.resource.tree.prov.origin);
        let rendered =
            Arc::new(Rendered { template: Arc::clone(self.template), parent: Text::clone(self.parent), inputs, place });
        let roots = rendered.roots(&stage.evaluator, stage.unnamed.clone());
        let scope = Scope::new(stage.context(&roots));
        for key in ["configs", "modules"] {
            let configs = self.template.tree.get(key).map(|configs| stage.evaluator.evaluate(configs, scope));
            let configs = match configs {
                Some(Ok(configs)) => configs,
                Some(Err(failure)) => {
                    diagnostics.failure(&failure);
                    continue;
                }
                None => continue,
            };
            let Some(configs) = configs.as_list().cloned() else {
                if key == "configs" && !configs.is_unknown() {
                    let message = format!("`configs` of the template `{}` must be a list", self.template.name);
                    diagnostics.error(&rules::INVALID_CONFIG, message, &configs.prov);
                }
                continue;
            };
            for config in configs.iter() {
                if out.count() >= MOST_CONFIGS {
                    if !std::mem::replace(&mut out.is_full, true) {
                        let message = format!("templates render more than {MOST_CONFIGS} configs: write fewer");
                        diagnostics.error(&rules::LIMIT_EXCEEDED, message, &first_line(&self.resource.tree.prov));
                    }
                    return;
                }
                self.config(config, key == "modules", scope, &rendered, (names, out), diagnostics);
            }
        }
    }

    fn config(
        &self,
        config: &Node,
        is_module: bool,
        scope: Scope,
        rendered: &Arc<Rendered>,
        (names, out): (&mut BTreeMap<(Text, Text), ()>, &mut Sources),
        diagnostics: &Diagnostics,
    ) {
        let stage = self.stage;
        let config = match stage.evaluator.evaluate(config, scope) {
            Ok(config) => config,
            Err(failure) => return diagnostics.failure(&failure),
        };
        let Some(map) = config.as_map() else {
            if !config.is_unknown() {
                let message = format!("a config of the template `{}` must be a mapping", self.template.name);
                diagnostics.error(&rules::INVALID_CONFIG, message, &config.prov);
            }
            return;
        };
        for field in ["apiVersion", "kind", "type"] {
            if let Some(node) = config.get(field).filter(|node| node.as_lazy().is_some() && !is_module) {
                return diagnostics.error(
                    &rules::INVALID_CONFIG,
                    format!("`{field}` must not be a template"),
                    &node.prov,
                );
            }
        }
        let name = match config.get("name").map(|name| stage.evaluator.deep(name, scope)) {
            Some(Ok(name)) => name,
            Some(Err(failure)) => return diagnostics.failure(&failure),
            None => {
                let what = first_line(&config.prov);
                return diagnostics.error(&rules::INVALID_CONFIG, "a config of a template needs a `name`", &what);
            }
        };
        let Some(text) = name.as_text().cloned() else {
            return diagnostics.error(&rules::INVALID_CONFIG, "the name of a config must be text", &name.prov);
        };
        let kind = match is_module {
            true => Text::from("Module"),
            false => config.get("kind").and_then(Node::as_text).cloned().unwrap_or_default(),
        };
        let entries: IndexMap<Text, Node> = map.iter().map(|(key, value)| (Text::clone(key), value.clone())).collect();
        let mut entries = entries;
        entries.insert("name".into(), name.clone());
        let tree = Node::at(Node::map(entries).data, config.prov.clone());
        if names.insert((Text::clone(&kind), Text::clone(&text)), ()).is_some() {
            let message = format!("rendering `{}` gives two configs {kind}.{text}", self.parent);
            return diagnostics.error(&rules::DUPLICATE_COMPONENT, message, place_of(&self.resource.tree, "name"));
        }
        let shaping: Vec<Origin> = rendered.place.into_iter().collect();
        let source = (Some(Arc::clone(rendered)), shaping, Text::clone(&self.resource.path));
        match (ActionKind::of_title(&kind), kind.as_str()) {
            (Some(kind), _) => out.actions.push(ActionSource::new(kind, text, tree, source)),
            (None, "Workflow") => {
                let (rendered, shaping, path) = source;
                out.workflows.push(WorkflowSource { name: text, tree, rendered, shaping, path });
            }
            (None, "Module") => out.modules.push(ActionSource::new(ActionKind::Build, text, tree, source)),
            _ => {
                let message = format!(
                    "a template does not hold configs of kind `{kind}`: kinds are Build, Deploy, Run, Test and Workflow"
                );
                diagnostics.error(&rules::INVALID_CONFIG, message, place_of(&config, "kind"));
            }
        }
    }
}
