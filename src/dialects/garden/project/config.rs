//! The project itself: its environments, providers, variables.

use super::fields::project_fields;
use super::load::ConfigFile;
use super::resource::{Resource, first_line};
use super::schema::check_fields;
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::template::node::merge::merge;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::paths::seen_from;
use crate::text::Text;
use crate::value::{FileId, Prov};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The configuration of a project.
#[derive(Clone, Debug)]
pub(crate) struct ProjectConfig {
    pub name: Text,
    /// Its fields, with templates parsed.
    pub tree: Node,
    /// Its environments, the first of each name.
    pub environments: Vec<EnvironmentConfig>,
    /// The folder of the project, from the root of the repository.
    pub dir: Text,
    /// The file that holds it.
    pub file: FileId,
    pub path: Text,
    pub era: LanguageVersion,
}

/// An environment of a project.
#[derive(Clone, Debug)]
pub(crate) struct EnvironmentConfig {
    pub name: Text,
    /// Its fields, with templates parsed.
    pub tree: Node,
}

impl ProjectConfig {
    /// A field that is plain text.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.tree.get(key)?.as_text().map(|text| text.as_str())
    }
}

/// Further keys of a project before Garden 0.14.
const OLD_KEYS: [&str; 3] = ["dotIgnoreFiles", "environmentDefaults", "modules"];

/// Reads the project out of the configuration files of its folder.
pub(super) fn read(dir: &str, beside: &[Arc<ConfigFile>], diagnostics: &Diagnostics) -> Option<ProjectConfig> {
    let mut all = beside.iter().flat_map(|file| file.resources.iter()).filter(|resource| resource.is_project());
    let project = all.next()?;
    if let Some(second) = all.next() {
        let other = seen_from(dir, &project.path);
        let message = format!("this is a second project beside the one in {other}: Garden loads neither");
        diagnostics.error(&rules::INVALID_CONFIG, message, &first_line(&second.tree.prov));
        return None;
    }
    let era = version(project, diagnostics);
    if era == LanguageVersion::Cedar {
        check_fields(&project.tree, &[project_fields()], "a project", diagnostics);
    } else {
        let known = project_fields().iter().map(|field| field.name).chain(OLD_KEYS);
        check_keys(&project.tree, &known.collect::<Vec<_>>(), "a project", diagnostics);
    }
    let name = project.name().cloned().unwrap_or_default();
    if let Some(node) = project.tree.get("name").filter(|node| node.as_lazy().is_some()) {
        diagnostics.error(&rules::INVALID_CONFIG, "the name of a project must be plain text", &node.prov);
    }
    let tree = if era == LanguageVersion::Cedar { project.tree.clone() } else { with_defaults(&project.tree) };
    let environments = environments(&tree, era, diagnostics)?;
    check_default(&tree, &environments, diagnostics);
    Some(ProjectConfig {
        name,
        tree,
        environments,
        dir: dir.into(),
        file: project.file,
        path: Text::clone(&project.path),
        era,
    })
}

/// The fields of a project before Garden 0.14 with those that `environmentDefaults` sets below them.
fn with_defaults(tree: &Node) -> Node {
    let (Some(map), Some(defaults)) = (tree.as_map(), tree.get("environmentDefaults")) else { return tree.clone() };
    let both = |key: &str| (defaults.get(key), tree.get(key));
    let variables = match both("variables") {
        (Some(lower), Some(upper)) => Some(merge(lower, upper)),
        (lower, upper) => upper.or(lower).cloned(),
    };
    let lists = <[_; 2]>::from(both("providers")).into_iter().flatten();
    let providers: Vec<Node> = lists.filter_map(Node::as_list).flat_map(|list| list.iter().cloned()).collect();
    let varfile = tree.get("varfile").or(defaults.get("varfile")).cloned();
    let fields = [("variables", variables), ("providers", Some(Node::list(providers))), ("varfile", varfile)];
    let mut all: IndexMap<Text, Node> = map.iter().map(|(key, value)| (Text::clone(key), value.clone())).collect();
    all.extend(fields.into_iter().filter_map(|(key, value)| Some((key.into(), value?))));
    Node::at(Node::map(all).data, tree.prov.clone())
}

/// The version of the language, and a finding if Garden 0.14 rejects it.
fn version(project: &Resource, diagnostics: &Diagnostics) -> LanguageVersion {
    let (era, garden) = match project.tree.get("apiVersion").and_then(Node::as_text).map(Text::as_str) {
        Some("garden.io/v2") => return LanguageVersion::Cedar,
        Some("garden.io/v1") => (LanguageVersion::Bonsai, "Garden 0.13"),
        Some("garden.io/v0") | None => (LanguageVersion::Bonsai, "Garden 0.12"),
        Some(_) => (LanguageVersion::Bonsai, "another version of Garden"),
    };
    let place = match project.tree.get("apiVersion") {
        Some(node) => node.prov.clone(),
        None => first_line(&project.tree.prov),
    };
    let message = format!("this project is written for {garden}, and Garden 0.14 does not load it");
    let finding = crate::diagnostic::Diagnostic::new(&rules::INVALID_CONFIG, message, diagnostics.label(&place));
    diagnostics.report(finding.help("migrate it, and set `apiVersion: garden.io/v2`"));
    era
}

/// The environments of a project. What is wrong with them is reported by the schema, but for projects before Garden 0.14.
fn environments(tree: &Node, era: LanguageVersion, diagnostics: &Diagnostics) -> Option<Vec<EnvironmentConfig>> {
    let is_old = era != LanguageVersion::Cedar;
    let items = tree.get("environments").and_then(Node::as_list).filter(|items| !items.is_empty());
    let Some(items) = items else {
        if is_old {
            let message = "a project needs `environments`, a list with at least one entry";
            diagnostics.error(&rules::INVALID_CONFIG, message, place_of(tree, "environments"));
        }
        return None;
    };
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for item in items.iter() {
        let named = match &item.data {
            // Before Garden 0.14, an environment may be given as a name only.
            Data::Text(name) if is_old => Some((Text::clone(name), Node::at(Node::map([]).data, item.prov.clone()))),
            _ => item.get("name").and_then(Node::as_text).map(|name| (Text::clone(name), item.clone())),
        };
        let Some((name, tree)) = named else {
            if is_old {
                diagnostics.error(&rules::INVALID_CONFIG, "an environment needs a `name`", &first_line(&item.prov));
            }
            continue;
        };
        if seen.insert(Text::clone(&name)) {
            all.push(EnvironmentConfig { name, tree });
        }
    }
    Some(all)
}

/// The default environment must be one of the project.
fn check_default(tree: &Node, environments: &[EnvironmentConfig], diagnostics: &Diagnostics) {
    let Some(node) = tree.get("defaultEnvironment") else { return };
    let Some(name) = node.as_text().filter(|name| !name.is_empty()) else { return };
    if !environments.iter().any(|environment| environment.name == *name) {
        let known: Vec<&str> = environments.iter().map(|environment| environment.name.as_str()).collect();
        let message =
            format!("there is no environment `{name}` to be the default: environments are {}", known.join(", "));
        diagnostics.error(&rules::INVALID_CONFIG, message, &node.prov);
    }
}

/// Reports keys of a mapping that have no meaning.
fn check_keys(tree: &Node, known: &[&str], what: &str, diagnostics: &Diagnostics) {
    let Some(map) = tree.as_map() else { return };
    for key in map.keys().filter(|key| !known.contains(&key.as_str()) && !key.starts_with('$')) {
        let place: Prov = place_of(tree, key).clone();
        let keys: Vec<&str> = known.iter().copied().filter(|key| *key != "kind").collect();
        let message = format!("`{key}` is not a key of {what}: keys are {}", keys.join(", "));
        diagnostics.error(&rules::INVALID_CONFIG, message, &place);
    }
}
