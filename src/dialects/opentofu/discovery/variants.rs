//! With which values a root module is resolved: once, or once for each set of values or workspace that the settings name.

use crate::dialects::{Project, ProjectInputs, RootSettings, VariableInput, VariableSet};
use crate::paths::{self, join};
use crate::terraform::evaluation::given::{DEFAULT_WORKSPACE, Given};
use crate::terraform::load::Loader;
use crate::text::Text;

/// The name of the stack of a folder.
pub(crate) fn stack_name(dir: &str) -> Text {
    if dir.is_empty() { ".".into() } else { dir.into() }
}

/// One way in which a root module is resolved.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The name of its stack.
    pub stack: Text,
    /// Its values and its workspace.
    pub inputs: ProjectInputs,
    /// Whether the name of its stack has more than the folder, so that the same folder can have other stacks.
    pub is_named: bool,
}

impl Variant {
    /// Returns what is given to the root module.
    pub(crate) fn given(&self) -> Given<'_> {
        let ProjectInputs { variables, env, workspace, .. } = &self.inputs;
        Given { variables, env, workspace: workspace.as_deref().or(Some(DEFAULT_WORKSPACE)), ..Given::default() }
    }
}

/// All ways in which the root module of a folder is resolved; at least one.
pub(crate) fn of(loader: &Loader<'_>, dir: &str, project: &Project) -> Vec<Variant> {
    let settings = &project.roots;
    let variant = |name: Option<&str>, set: &VariableSet, workspace: Option<&String>| {
        let mut variables: Vec<VariableInput> = files(loader, dir, &settings.var_files);
        variables.extend(files(loader, dir, &set.var_files));
        let values = set.variables.iter();
        variables.extend(values.map(|(name, text)| VariableInput::Value { name: name.clone(), text: text.clone() }));
        variables.extend(project.inputs.variables.iter().cloned());
        let workspace = project.inputs.workspace.as_ref().or(set.workspace.as_ref()).or(workspace).cloned();
        let own = stack_name(dir);
        Variant {
            stack: name.map_or_else(|| own.clone(), |name| format!("{own}@{name}").into()),
            inputs: ProjectInputs { variables, workspace, ..project.inputs.clone() },
            is_named: name.is_some(),
        }
    };
    let sets: Vec<(&String, &VariableSet)> =
        settings.sets.iter().filter(|(_, set)| applies(loader, dir, set)).collect();
    if !sets.is_empty() {
        let is_named = settings.sets.len() > 1;
        return sets.into_iter().map(|(name, set)| variant(is_named.then_some(name), set, None)).collect();
    }
    let none = VariableSet::default();
    match workspaces(settings, project) {
        [] => vec![variant(None, &none, None)],
        [only] => vec![variant(None, &none, Some(only))],
        several => several.iter().map(|name| variant(Some(name), &none, Some(name))).collect(),
    }
}

/// The workspaces of the settings; the one of the command line takes their place.
fn workspaces<'a>(settings: &'a RootSettings, project: &Project) -> &'a [String] {
    if project.inputs.workspace.is_some() { &[] } else { &settings.workspaces }
}

fn applies(loader: &Loader<'_>, dir: &str, set: &VariableSet) -> bool {
    set.var_files.is_empty() || !files(loader, dir, &set.var_files).is_empty()
}

/// Stands for the name of the folder of the root module in the names of files of values.
const ROOT_NAME: &str = "{root}";

/// The files of values among these that are there.
fn files(loader: &Loader<'_>, dir: &str, names: &[String]) -> Vec<VariableInput> {
    let names = names.iter().map(|name| name.replace(ROOT_NAME, paths::name(dir)));
    let paths = names.map(|name| match name.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None => join(dir, &name),
    });
    paths.filter(|path| loader.reader.resolve(path).is_ok()).map(|path| VariableInput::File { path }).collect()
}
