//! The variables of an environment, and what later stages evaluate with.

use super::contexts;
use super::variables::{Layers, variables};
use super::{Input, import};
use crate::dialects::VariableInput;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::schema::{check_fields, check_shape};
use crate::dialects::garden::project::varfile::{self, Varfile, load};
use crate::dialects::garden::project::{EXCLUDED_VALUES, EnvironmentConfig, SOURCES, environment_fields};
use crate::dialects::garden::template::evaluation::{Evaluator, Lookup, Roots, Scope};
use crate::dialects::garden::template::failure::Failure;
use crate::dialects::garden::template::node::{ContextId, json};
use crate::dialects::garden::template::node::{Data, Node, Values};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::dialects::garden::template::syntax::path::Segment;
use crate::value::{Prov, Value};
use std::cell::RefCell;

/// The input of the stages after the variables of an environment.
pub(crate) struct Stage<'a> {
    /// The project and its files.
    pub input: &'a Input<'a>,
    /// Evaluates templates of this environment.
    pub evaluator: Evaluator,
    /// The data without the name of the environment, including its variables.
    pub unnamed: Roots,
    /// The data in this environment.
    pub roots: Roots,
    /// The variables of the project and the environment.
    pub variables: ContextId,
    /// The variables, all evaluated; those that cannot be are as they are written.
    pub resolved: Node,
    /// Whether all variables have values.
    pub is_complete: bool,
    /// The data for providers: without the name of an environment.
    pub provider_context: ContextId,
    /// Values that components share.
    values: RefCell<Values>,
}

impl Stage<'_> {
    /// The name of the environment.
    pub(crate) fn environment(&self) -> &str {
        &self.input.environment.name
    }

    /// Whether all actions and modules of the project are in its files: none come from `sources` or submodules, which are other
    /// repositories.
    pub(crate) fn is_closed(&self) -> bool {
        if self.input.loaded.may_lack {
            return false;
        }
        let sources = self.input.project.tree.get("sources").map(|sources| &sources.data);
        match sources {
            None | Some(Data::Null) => true,
            Some(Data::List(sources)) => sources.is_empty(),
            Some(_) => false,
        }
    }

    /// A value for reports, evaluated as far as possible: `undefined` leaves no trace.
    pub(crate) fn value_of(&self, node: &Node) -> Value {
        self.values.borrow_mut().of(node)
    }

    /// Variables of the command line.
    pub(crate) fn overrides(&self) -> &[VariableInput] {
        &self.input.inputs.variables
    }

    pub(crate) fn context(&self, roots: &Roots) -> ContextId {
        self.evaluator.roots(roots.clone())
    }

    /// Evaluates a value in a context. Parts without a value are reported and stay as written; returns whether all have
    /// one.
    pub(crate) fn deep(&self, node: &Node, context: ContextId, diagnostics: &Diagnostics) -> (Node, bool) {
        self.deep_with(node, context, &mut |failure| diagnostics.failure(failure))
    }

    /// The same with failures going elsewhere.
    pub(crate) fn deep_with(&self, node: &Node, context: ContextId, report: &mut dyn FnMut(&Failure)) -> (Node, bool) {
        self.evaluator.start();
        let mut is_complete = true;
        let done = self.evaluator.deep_or(node, Scope::new(context), &mut |node, failure| {
            is_complete = false;
            report(&failure);
            Ok(as_written(node, &failure.plain))
        });
        match done {
            Ok(done) => (done, is_complete),
            Err(failure) => {
                report(&failure);
                (as_written(node, &failure.plain), false)
            }
        }
    }
}

/// A value without a value, as it is written.
pub(crate) fn as_written(node: &Node, reason: &str) -> Node {
    let source = node.as_lazy().map(|lazy| lazy.source()).unwrap_or_else(|| node.clone());
    let unknown = match &source.data {
        Data::Text(text) => Node::unknown_text(text.as_str(), reason),
        _ => Node::unknown_text(json::encode(&source), reason),
    };
    Node::at(unknown.data, node.prov.clone())
}

/// Evaluates the variables of an environment. `None` if the project cannot be loaded in it.
pub(super) fn prepare<'a>(input: &'a Input<'a>, diagnostics: &Diagnostics) -> Option<Stage<'a>> {
    let (project, environment) = (input.project, input.environment);
    let evaluator = Evaluator::new(project.era, input.loader.reader.limits());
    let imported = import::imported(input, diagnostics);
    let roots = contexts::project(&project.name, &project.tree, &imported, input.inputs);
    let scopes = [field(&project.tree, "variables"), project_varfile(input, &evaluator, &roots, diagnostics)?];
    let overrides = &input.inputs.variables;
    let layers =
        Layers { context: evaluator.roots(roots.clone()), base: None, scopes: &scopes, overrides, is_final: true };
    let project_variables = variables(&evaluator, &layers);
    let whole = evaluator.lookup(project_variables, &[], Scope::new(project_variables));
    if let Err(failure) = checked(whole, &project.tree) {
        diagnostics.failure(&failure);
        return None;
    }
    let roots = roots.with_variables(project_variables);
    let context = evaluator.roots(roots.clone());
    let fields = fields(&evaluator, environment, context, project.era == LanguageVersion::Cedar, diagnostics)?;
    let namespace = namespace(input, &fields);
    let varfile = environment_varfile(input, &fields, diagnostics)?;
    let scopes = [field(&environment.tree, "variables"), varfile];
    let layers = Layers { context, base: Some(project_variables), scopes: &scopes, overrides, is_final: true };
    let own = variables(&evaluator, &layers);
    let unnamed = roots.with_variables(own).shared();
    let name_prov = environment.tree.get("name").map_or(&environment.tree.prov, |node| &node.prov);
    let name = Node::at(Data::Text(environment.name.clone()), Prov { origin: name_prov.origin, trail: None });
    let roots = unnamed.clone().with("environment", contexts::environment(&name, &namespace)).shared();
    let provider_context = evaluator.roots(unnamed.clone());
    let mut stage = Stage {
        input,
        unnamed,
        roots,
        variables: own,
        resolved: Node::default(),
        is_complete: true,
        provider_context,
        evaluator,
        values: RefCell::default(),
    };
    (stage.resolved, stage.is_complete) = all_variables(&stage, diagnostics);
    if project.era == LanguageVersion::Cedar {
        check_later_fields(&stage, diagnostics);
    }
    Some(stage)
}

/// A field of a mapping, or nothing.
pub(crate) fn field(node: &Node, key: &str) -> Node {
    node.get(key).cloned().unwrap_or_default()
}

/// A lookup of everything: there is always something, unless variables read themselves.
fn checked(
    found: crate::dialects::garden::template::failure::Result<Lookup>,
    tree: &Node,
) -> crate::dialects::garden::template::failure::Result<Node> {
    use crate::dialects::garden::template::failure::FailureKind;
    match found {
        Ok(Lookup::Found(node)) => Ok(node),
        Ok(Lookup::Missing(missing)) => {
            let name = missing.path.first().unwrap_or(&missing.key);
            let variable = tree.get("variables").and_then(|all| all.get(name));
            let place = variable.map_or(&tree.prov, |node| &node.prov);
            Err(Failure::plain(FailureKind::Circular, format!("the variable `{name}` reads itself"), place))
        }
        Err(failure) => Err(failure),
    }
}

/// The variables of the project as they are in the environment. Those that cannot be evaluated are reported; what reads the
/// name of the environment has a value in actions.
fn all_variables(stage: &Stage<'_>, diagnostics: &Diagnostics) -> (Node, bool) {
    let scope = Scope::new(stage.variables);
    stage.evaluator.start();
    let whole = stage.evaluator.lookup(stage.variables, &[], scope);
    if let Ok(Lookup::Found(node)) = whole {
        return (node, true);
    }
    let context = stage.context(&stage.roots);
    let names = names(&[&stage.input.project.tree, &stage.input.environment.tree]);
    let mut is_complete = true;
    let mut entries = Vec::new();
    for (name, written) in names {
        let key = ["var".into(), name.clone()].map(|text| Segment { text, is_number: false });
        stage.evaluator.start();
        let node = match stage.evaluator.lookup(context, &key, Scope::new(context)) {
            Ok(Lookup::Found(node)) => node,
            Ok(Lookup::Missing(_)) => {
                is_complete = false;
                as_written(&written, "the variable reads itself")
            }
            Err(failure) => {
                is_complete = false;
                diagnostics.failure(&failure);
                as_written(&written, &failure.plain)
            }
        };
        entries.push((name, node));
    }
    if let (true, Err(failure)) = (is_complete, &whole) {
        // Actions have values for all of them; commands that read variables alone do not.
        diagnostics.failure(failure);
    }
    (Node::map(entries), is_complete)
}

/// The names of variables that are written in some mappings, with what is written last for each.
fn names(trees: &[&Node]) -> indexmap::IndexMap<crate::text::Text, Node> {
    let mut all = indexmap::IndexMap::new();
    for map in trees.iter().filter_map(|tree| tree.get("variables")?.as_map()) {
        all.extend(map.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    all
}

/// The fields of an environment but for its variables.
fn fields(
    evaluator: &Evaluator,
    environment: &EnvironmentConfig,
    context: ContextId,
    is_current: bool,
    diagnostics: &Diagnostics,
) -> Option<Node> {
    let Some(map) = environment.tree.as_map() else { return Some(environment.tree.clone()) };
    let entries = map.iter().filter(|(key, _)| *key != "variables");
    let without = Node::map(entries.map(|(key, value)| (key.clone(), value.clone())));
    match evaluator.deep(&without, Scope::new(context)) {
        Ok(node) => {
            let what = format!("the environment `{}`", environment.name);
            if is_current {
                check_fields(&node, &[environment_fields()], &what, diagnostics);
            }
            Some(node)
        }
        Err(failure) => {
            diagnostics.failure(&failure);
            None
        }
    }
}

/// Checks the fields of the project that Garden evaluates in each environment.
fn check_later_fields(stage: &Stage<'_>, diagnostics: &Diagnostics) {
    for (key, shape) in [("sources", SOURCES), ("excludeValuesFromActionVersions", EXCLUDED_VALUES)] {
        let Some(node) = stage.input.project.tree.get(key) else { continue };
        let (evaluated, is_complete) = stage.deep(node, stage.provider_context, diagnostics);
        if is_complete {
            check_shape(&evaluated, &shape, &format!("`{key}` of the project"), diagnostics);
        }
    }
}

/// The namespace that the user names, or else that of the environment, or `default`.
fn namespace(input: &Input<'_>, fields: &Node) -> Node {
    if let Some(namespace) = input.namespace {
        return Node::text(namespace);
    }
    match fields.get("defaultNamespace") {
        None => Node::text("default"),
        Some(node) if matches!(node.data, Data::Null) => {
            let name = &input.environment.name;
            let unknown = format!("`{name}` has no default namespace, so it is the one that Garden is run with");
            Node::at(Node::unknown_text("${environment.namespace}", &unknown).data, node.prov.clone())
        }
        Some(node) => node.clone(),
    }
}

/// The varfile of the project. `None` if it is wrong, or named and not there.
fn project_varfile(input: &Input<'_>, evaluator: &Evaluator, roots: &Roots, diagnostics: &Diagnostics) -> Option<Node> {
    let tree = &input.project.tree;
    let named = match tree.get("varfile") {
        None => Node::default(),
        Some(node) => match evaluator.deep(node, Scope::new(evaluator.roots(roots.clone()))) {
            Ok(node) => node,
            Err(failure) => {
                diagnostics.failure(&failure);
                return None;
            }
        },
    };
    varfile(input, &named, "garden.env", diagnostics)
}

/// The varfile of an environment. `None` if it is wrong, or named and not there.
fn environment_varfile(input: &Input<'_>, fields: &Node, diagnostics: &Diagnostics) -> Option<Node> {
    let default = format!("garden.{}.env", input.environment.name);
    varfile(input, &field(fields, "varfile"), &default, diagnostics)
}

/// The varfile that a field names, else the one with the name that Garden looks for.
fn varfile(input: &Input<'_>, named: &Node, default: &str, diagnostics: &Diagnostics) -> Option<Node> {
    if let Data::Unknown(path) = &named.data {
        return Some(varfile::of_unknown_path(input.loader, &input.project.dir, path, &named.prov, diagnostics));
    }
    let (path, place) = match named.as_text() {
        Some(path) => (path.as_str(), Some(&named.prov)),
        None => (default, None),
    };
    let broken = Diagnostics::new(input.project.file);
    let varfile = Varfile { dir: &input.project.dir, path, is_optional: path == default, place };
    let node = load(input.loader, &varfile, input.project.era, &broken);
    let is_broken = broken.is_broken();
    diagnostics.take(broken);
    (!is_broken).then(|| node.unwrap_or_default())
}
