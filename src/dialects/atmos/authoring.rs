//! Descriptions of manifests and `atmos.yaml` for editors.

use super::keeping::{keeping, keeping_workspace};
use crate::dialects::atmos::config::{Config, projects};
use crate::dialects::atmos::functions::tags;
use crate::dialects::atmos::schema::MANIFEST;
use crate::dialects::atmos::shapes::shape::{Map, Rest, Shape};
use crate::dialects::atmos::templates::function_sets;
use crate::resolution::Component;
use crate::resolution::authoring::{
    Authoring, Expected, Function, Kept, Key, Member, Names, StackNaming, WrittenPlace, members_of,
};
use crate::syntax::place::ITEM;
use crate::syntax::template::Notation;
use crate::text::Text;

/// See [`Authoring`].
pub(super) struct Atmos;

static TEMPLATES: [Notation; 1] = [Notation {
    open: "{{",
    close: "}}",
    keywords: &[
        "block", "break", "continue", "define", "else", "end", "false", "if", "nil", "range", "template", "true",
        "with",
    ],
    words_are_functions: true,
    has_dashes: false,
}];

const COMPONENT: Names = Names::Components(Some("terraform"));
const OF_STATE: &[&[Names]] = &[&[COMPONENT], &[Names::Stacks, Names::Outputs], &[Names::Outputs]];
const OF_STORE: &[&[Names]] = &[&[], &[Names::Stacks, Names::Components(None)], &[Names::Components(None)]];
const OF_METHOD: &[&[Names]] = &[&[Names::Components(None)], &[Names::Stacks]];

/// The parameters of YAML functions, and the kinds of names in their arguments.
const PARAMETERS: [(&str, &str, &[&[Names]]); 14] = [
    ("!append", "LIST", &[]),
    ("!cel", "EXPRESSION", &[]),
    ("!env", "NAME [DEFAULT]", &[]),
    ("!exec", "COMMAND", &[]),
    ("!include", "PATH [QUERY]", &[]),
    ("!include.raw", "PATH [QUERY]", &[]),
    ("!literal", "TEXT", &[]),
    ("!random", "[MIN] [MAX]", &[]),
    ("!secret", "NAME", &[]),
    ("!store", "STORE [STACK] COMPONENT KEY", OF_STORE),
    ("!store.get", "STORE KEY", &[]),
    ("!template", "JSON", &[]),
    ("!terraform.output", "COMPONENT [STACK] OUTPUT", OF_STATE),
    ("!terraform.state", "COMPONENT [STACK] OUTPUT", OF_STATE),
];

impl Authoring for Atmos {
    fn templates(&self) -> &'static [Notation] {
        &TEMPLATES
    }

    fn expected(&self, place: &WrittenPlace<'_>) -> Expected {
        let is_config = projects::is_config(place.path) || place.path.contains("atmos.d/");
        if is_config {
            let mut found = Expected::default();
            add(Config::SHAPE, place.keys, &mut found);
            return found;
        }
        let mut found = Expected { names: names(place.keys), ..Expected::default() };
        add(MANIFEST, place.keys, &mut found);
        found
    }

    fn functions(&self) -> Vec<Function> {
        let one = |name: &'static str| {
            let known = PARAMETERS.iter().find(|(known, ..)| *known == name);
            let (parameters, arguments) = known.map_or(("", &[][..]), |(_, parameters, names)| (*parameters, *names));
            Function { name: name.into(), parameters: parameters.to_owned(), arguments }
        };
        tags::all().map(one).collect()
    }

    fn template_functions(&self) -> Vec<Function> {
        let one = |(name, parameters): (String, String)| match name.as_str() {
            "atmos.Component" => {
                Function { name: name.into(), parameters: "component stack".to_owned(), arguments: OF_METHOD }
            }
            _ => Function { name: name.into(), parameters, arguments: &[] },
        };
        function_sets::ALL.described().into_iter().map(one).collect()
    }

    fn members(&self, components: &[&Component], names: &[&str]) -> Vec<Member> {
        members_of(components.iter().map(|component| &component.value), names)
    }

    fn keeping(&self, instances: &[&Component]) -> Result<Option<Kept>, String> {
        keeping(instances)
    }

    fn stack_naming(&self) -> Option<StackNaming> {
        Some(StackNaming { key: "name", keeping: keeping_workspace })
    }
}

/// Returns the kind of names at a place of a manifest.
fn names(keys: &[&str]) -> Option<Names> {
    let kind_of = |kind: &&str| match *kind {
        "terraform" => Some("terraform"),
        "helmfile" => Some("helmfile"),
        "packer" => Some("packer"),
        "helm" => Some("helm"),
        "kubernetes" => Some("kubernetes"),
        _ => None,
    };
    match keys {
        ["import", ITEM] | ["import", ITEM, "path"] => Some(Names::Imports),
        ["vars"] => Some(Names::Inputs(None, None)),
        ["components", kind, name, "vars"] => Some(Names::Inputs(Some(Text::from(*kind)), Some(Text::from(*name)))),
        [kind, "vars"] => Some(Names::Inputs(Some(Text::from(*kind)), None)),
        ["components", kind, _, "metadata", "inherits", ITEM] | ["components", kind, _, "metadata", "component"] => {
            Some(Names::Components(kind_of(kind)))
        }
        [.., "dependencies", "components", ITEM, "component" | "name"] | [.., "depends_on", _, "component"] => {
            Some(Names::Components(None))
        }
        [.., "dependencies", "components", ITEM, "stack"] => Some(Names::Stacks),
        _ => None,
    }
}

/// Adds the keys and values that a shape allows below a path.
fn add(shape: &'static Shape, keys: &[&str], found: &mut Expected) {
    match shape {
        Shape::Named(_, inner) | Shape::Included(inner) => add(inner, keys, found),
        Shape::Either(all) => all.iter().for_each(|shape| add(shape, keys, found)),
        Shape::List(list) => {
            if let Some((&ITEM, rest)) = keys.split_first() {
                add(list.item, rest, found);
            }
        }
        Shape::Map(map) => match keys.split_first() {
            None => found.keys.extend(map.keys.iter().map(|key| Key {
                name: key.name,
                kind: kind(key.shape),
                replacement: key.replacement,
            })),
            Some((first, rest)) => {
                if let Some(shape) = below(map, first) {
                    add(shape, rest, found);
                }
            }
        },
        Shape::Words(words) | Shape::AnyCase(words) if keys.is_empty() => {
            found.words.extend(words.iter().filter(|word| !word.is_empty()))
        }
        Shape::Flag if keys.is_empty() => found.words.extend(["true", "false"]),
        _ => {}
    }
}

/// Returns the shape of the value of a key.
fn below(map: &'static Map, key: &str) -> Option<&'static Shape> {
    let own = map.keys.iter().find(|known| known.name == key).map(|known| known.shape);
    own.or(match map.rest {
        Rest::Each(shape) | Rest::Entries(_, shape) => Some(shape),
        Rest::Free | Rest::Ignored | Rest::Closed => None,
    })
}

/// Returns a short description of a value.
fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "",
        Shape::Text | Shape::OwnText | Shape::Call => "text",
        Shape::Words(_) | Shape::AnyCase(_) => "one of some words",
        Shape::Flag => "true or false",
        Shape::Number(_) => "number",
        Shape::List(_) => "list",
        Shape::Map(_) => "map",
        Shape::Included(inner) | Shape::Named(_, inner) => kind(inner),
        Shape::Either(all) => all.first().map_or("", |first| kind(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, keys: &[&str]) -> Expected {
        Atmos.expected(&WrittenPlace { path, keys, fields: &[] })
    }

    #[test]
    fn keys_and_words_come_from_the_descriptions() {
        let names = |path: &str, keys: &[&str]| -> Vec<&str> { at(path, keys).keys.iter().map(|k| k.name).collect() };
        assert!(names("stacks/a.yaml", &[]).contains(&"components"));
        assert!(names("stacks/a.yaml", &["components", "terraform", "vpc"]).contains(&"metadata"));
        assert!(names("stacks/a.yaml", &["components", "terraform", "vpc", "metadata"]).contains(&"inherits"));
        assert!(names("stacks/a.yaml", &["import", ITEM]).contains(&"skip_if_missing"));
        assert!(names("stacks/a.yaml", &["components", "terraform", "vpc", "nothing"]).is_empty());
        assert!(names("x/atmos.yaml", &["components", "terraform"]).contains(&"base_path"));
        assert_eq!(at("a.yaml", &["components", "terraform", "vpc", "metadata", "type"]).words, ["abstract", "real"]);
        let old = at("a.yaml", &["settings"]).keys.into_iter().find(|key| key.name == "depends_on").unwrap();
        assert_eq!(old.replacement, Some("dependencies.components"));
        let inputs = Names::Inputs(Some("terraform".into()), Some("vpc".into()));
        assert_eq!(at("a.yaml", &["components", "terraform", "vpc", "vars"]).names, Some(inputs));
        assert_eq!(at("a.yaml", &["import", ITEM]).names, Some(Names::Imports));
    }

    #[test]
    fn functions_have_their_parameters() {
        let all = Atmos.functions();
        for (name, ..) in PARAMETERS {
            assert!(all.iter().any(|function| *function.name == *name), "{name}");
        }
        let all = Atmos.template_functions();
        let parameters = |name: &str| all.iter().find(|f| *f.name == *name).map(|f| f.parameters.as_str());
        assert_eq!(parameters("trunc"), Some("integer text"));
        assert_eq!(parameters("atmos.Component"), Some("component stack"));
        assert_eq!(parameters("printf"), Some(""));
        assert!(parameters("strings.ToUpper").is_some());
        assert!(TEMPLATES[0].keywords.is_sorted());
    }
}
