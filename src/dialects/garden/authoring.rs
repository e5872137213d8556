//! Descriptions of configuration files for editors.

use super::actions;
use super::environment::workflow_fields;
use super::project::schema::{Field, Format, Shape};
use super::project::{ActionKind, KINDS, discover, project_fields};
use super::template::evaluation::functions;
use super::template::syntax::ast::LanguageVersion;
use crate::resolution::Component;
use crate::resolution::authoring::{Authoring, Expected, Function, Key, Member, Names, WrittenPlace, members_of};
use crate::syntax::place::ITEM;
use crate::syntax::template::Notation;
use std::collections::BTreeSet;

/// See [`Authoring`].
pub(super) struct Garden;

static TEMPLATES: [Notation; 1] = [Notation {
    open: "${",
    close: "}",
    keywords: &["contains", "else", "endif", "false", "if", "null", "true", "typeof"],
    words_are_functions: false,
    has_dashes: true,
}];

/// The root names of templates.
const ROOTS: [&str; 18] = [
    "actions",
    "command",
    "datetime",
    "environment",
    "git",
    "inputs",
    "local",
    "modules",
    "parent",
    "project",
    "providers",
    "runtime",
    "secrets",
    "steps",
    "template",
    "this",
    "var",
    "variables",
];
/// The members of some of these names that do not depend on the project.
const FIXED: [(&[&str], &[&str]); 7] = [
    (&["actions"], &["build", "deploy", "run", "test"]),
    (&["environment"], &["fullName", "name", "namespace"]),
    (&["git"], &["branch", "commitHash", "originUrl"]),
    (&["local"], &["arch", "artifactsPath", "env", "platform", "projectPath", "username", "usernameLowerCase"]),
    (&["project"], &["name"]),
    (&["command"], &["name", "params"]),
    (&["datetime"], &["now", "timestamp", "today"]),
];
/// The members of an action.
const OF_ACTION: [&str; 8] = ["buildPath", "disabled", "mode", "name", "outputs", "sourcePath", "var", "version"];

impl Authoring for Garden {
    fn templates(&self) -> &'static [Notation] {
        &TEMPLATES
    }

    fn expected(&self, place: &WrittenPlace<'_>) -> Expected {
        let mut found = Expected::default();
        if !discover::is_config_name(place.path.rsplit('/').next().unwrap_or_default()) {
            return found;
        }
        let kind = place.fields.iter().find(|(name, _)| *name == "kind").map(|(_, kind)| *kind);
        let action = kind.and_then(ActionKind::of_title);
        found.names = names(place.keys);
        match (kind, place.keys) {
            (_, ["kind"]) => found.words.extend(KINDS),
            (Some("Project"), keys) => fields(&[project_fields()], keys, &mut found),
            (Some("Workflow"), keys) => fields(&[workflow_fields()], keys, &mut found),
            (_, keys) => match action {
                Some(kind) => fields(&actions::fields_of(kind, LanguageVersion::Cedar), keys, &mut found),
                None if keys.is_empty() => found.keys.extend(["apiVersion", "kind", "name"].map(plain)),
                None => {}
            },
        }
        found
    }

    fn names_files(&self) -> bool {
        true
    }

    fn template_functions(&self) -> Vec<Function> {
        let one =
            |(name, parameters): (&'static str, String)| Function { name: name.into(), parameters, arguments: &[] };
        functions::described().into_iter().map(one).collect()
    }

    fn members(&self, components: &[&Component], names: &[&str]) -> Vec<Member> {
        let of_kind = |kind: &str| -> Vec<Member> {
            let of_kind = components.iter().filter(|component| *component.kind == *kind);
            let all: BTreeSet<_> = of_kind.map(|component| component.name.clone()).collect();
            all.into_iter().map(Member::named).collect()
        };
        match names {
            [] => ROOTS.into_iter().map(Member::named).collect(),
            ["var" | "variables", rest @ ..] => {
                let variables = components.iter().filter_map(|component| component.value.get("variables"));
                members_of(variables, rest)
            }
            ["actions", kind] => of_kind(kind),
            ["actions", _, _] => OF_ACTION.into_iter().map(Member::named).collect(),
            ["providers"] => of_kind("provider"),
            ["providers", _] => ["config", "outputs"].into_iter().map(Member::named).collect(),
            ["runtime"] => ["services", "tasks"].into_iter().map(Member::named).collect(),
            _ => {
                let fixed = FIXED.iter().find(|(path, _)| *path == names);
                fixed.into_iter().flat_map(|(_, below)| *below).map(|name| Member::named(*name)).collect()
            }
        }
    }
}

fn plain(name: &'static str) -> Key {
    Key { name, kind: "", replacement: None }
}

/// Returns the kind of names at a place.
fn names(keys: &[&str]) -> Option<Names> {
    match keys {
        ["dependencies", ITEM] => Some(Names::Addresses),
        ["build"] | ["copyFrom", ITEM, "build"] => Some(Names::Components(Some("build"))),
        ["environments", ITEM] => Some(Names::Stacks),
        ["varfile"] | ["environments", ITEM, "varfile"] | ["varfiles", ITEM] | ["varfiles", ITEM, "path"] => {
            Some(Names::Files)
        }
        _ => None,
    }
}

/// Adds the keys and values that fields allow below a path.
fn fields(all: &[&'static [Field]], keys: &[&str], found: &mut Expected) {
    let mut all = all.iter().flat_map(|some| some.iter());
    match keys.split_first() {
        None => {
            found.keys.extend(all.map(|field| Key { name: field.name, kind: kind(&field.shape), replacement: None }));
        }
        Some((first, rest)) => {
            if let Some(field) = all.find(|field| field.name == *first) {
                shape(&field.shape, rest, found);
            }
        }
    }
}

fn shape(of: &'static Shape, keys: &[&str], found: &mut Expected) {
    match of {
        Shape::Fields(own) | Shape::Open(own) => fields(&[own], keys, found),
        Shape::OneOf(all) => all.iter().for_each(|of| shape(of, keys, found)),
        Shape::ByWord(_, all) => all.iter().for_each(|(_, own)| fields(&[own], keys, found)),
        Shape::Nullable(of) | Shape::With(of, _) | Shape::Literal(of) | Shape::Evaluated(of) => shape(of, keys, found),
        Shape::List(item) | Shape::Sparse(item) => {
            if let Some((&ITEM, rest)) = keys.split_first() {
                shape(item, rest, found);
            }
        }
        Shape::MapOf(_, inner) | Shape::PlainMapOf(_, inner) => {
            if let Some((_, rest)) = keys.split_first() {
                shape(inner, rest, found);
            }
        }
        Shape::Bool | Shape::PlainBool if keys.is_empty() => found.words.extend(["true", "false"]),
        Shape::Text(Format::Words(words)) if keys.is_empty() => found.words.extend(words.iter().copied()),
        _ => {}
    }
}

/// Returns a short description of a value.
fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "",
        Shape::Text(_) => "text",
        Shape::Number(_) | Shape::PlainNumber => "number",
        Shape::Bool | Shape::PlainBool => "true or false",
        Shape::Map
        | Shape::MapOf(..)
        | Shape::PlainMapOf(..)
        | Shape::Fields(_)
        | Shape::Open(_)
        | Shape::ByWord(..) => "map",
        Shape::List(_) | Shape::Sparse(_) => "list",
        Shape::OneOf(all) => all.first().map_or("", kind),
        Shape::Nullable(shape) | Shape::With(shape, _) | Shape::Literal(shape) | Shape::Evaluated(shape) => kind(shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_the_kind_of_the_document() {
        let at = |keys: &[&str], fields: &[(&str, &str)]| {
            Garden.expected(&WrittenPlace { path: "api/garden.yml", keys, fields })
        };
        let names = |found: &Expected| found.keys.iter().map(|key| key.name).collect::<Vec<_>>();
        assert!(names(&at(&[], &[("kind", "Project")])).contains(&"environments"));
        assert!(names(&at(&[], &[("kind", "Build")])).contains(&"copyFrom"));
        assert!(names(&at(&["copyFrom", ITEM], &[("kind", "Build")])).contains(&"sourcePath"));
        assert!(names(&at(&["steps", ITEM], &[("kind", "Workflow")])).contains(&"script"));
        assert_eq!(at(&["disabled"], &[("kind", "Run")]).words, ["true", "false"]);
        assert!(at(&["kind"], &[]).words.contains(&"Deploy"));
        assert_eq!(at(&["dependencies", ITEM], &[("kind", "Run")]).names, Some(Names::Addresses));
        assert!(ROOTS.is_sorted() && TEMPLATES[0].keywords.is_sorted());
    }

    #[test]
    fn members_that_every_project_has() {
        let names = |names: &[&str]| Garden.members(&[], names).iter().map(|m| m.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&["actions"]), ["build", "deploy", "run", "test"]);
        assert!(names(&["actions", "build", "api"]).contains(&"outputs".to_owned()));
        assert_eq!(names(&["nothing"]), [] as [&str; 0]);
    }
}
