//! Descriptions of configuration files for editors.

use super::{NAMES, PLAN};
use crate::resolution::Component;
use crate::resolution::authoring::{Authoring, Expected, Key, Member, Names, WrittenPlace};
use crate::syntax::place::ITEM;
use crate::syntax::template::Notation;
use crate::text::Text;
use std::collections::BTreeSet;

/// See [`Authoring`].
pub(super) struct Jitsubst;

static TEMPLATES: [Notation; 1] =
    [Notation { open: "${", close: "}", keywords: &[], words_are_functions: false, has_dashes: true }];

impl Authoring for Jitsubst {
    fn templates(&self) -> &'static [Notation] {
        &TEMPLATES
    }

    fn expected(&self, place: &WrittenPlace<'_>) -> Expected {
        let is_own = NAMES.iter().any(|name| place.path == *name || place.path.ends_with(&format!("/{name}")));
        let (keys, words): (&[(&str, &str)], &[&str]) = match place.keys {
            _ if !is_own => (&[], &[]),
            [] => {
                let all = &[
                    ("environments", "map"),
                    ("imports", "list"),
                    ("modules", "list"),
                    ("secretStores", "map"),
                    ("secrets", "map"),
                ];
                (all, &[])
            }
            ["modules", ITEM] => {
                let all = &[
                    ("branches", "list"),
                    ("config", "map"),
                    ("dependsOn", "list"),
                    ("environments", "map"),
                    ("name", "text"),
                    ("protected", "true or false"),
                    ("satisfies", "list"),
                    ("type", "text"),
                ];
                (all, &[])
            }
            ["modules", ITEM, "environments", _] => (&[("config", "map"), ("provider", "text")], &[]),
            ["secrets"] => (&[("config", "map"), ("entries", "list"), ("generate", "list")], &[]),
            ["modules", ITEM, "protected"] => (&[], &["true", "false"]),
            _ => (&[], &[]),
        };
        let names = match place.keys {
            ["modules", ITEM, "dependsOn", ITEM] | ["modules", ITEM, "config", "depends_on", ITEM] => {
                Some(Names::Components(None))
            }
            ["imports", ITEM] => Some(Names::Files),
            _ => None,
        };
        let key = |(name, kind): &(&'static str, &'static str)| Key { name, kind, replacement: None };
        Expected { keys: keys.iter().map(key).collect(), words: words.to_vec(), names }
    }

    fn names_files(&self) -> bool {
        true
    }

    fn members(&self, components: &[&Component], names: &[&str]) -> Vec<Member> {
        let resources = components.iter().filter(|component| *component.kind != *PLAN);
        match names {
            [] => {
                let all: BTreeSet<&Text> = resources.map(|component| &component.name).collect();
                all.into_iter().map(|name| Member::named(Text::clone(name))).collect()
            }
            [_] => vec![Member::named("id")],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_modules() {
        let at = |path: &str, keys: &[&str]| Jitsubst.expected(&WrittenPlace { path, keys, fields: &[] });
        assert!(at("a/infra.yaml", &["modules", ITEM]).keys.iter().any(|key| key.name == "dependsOn"));
        assert!(at("a/other.yaml", &[]).keys.is_empty());
        assert_eq!(at("infra.yaml", &["modules", ITEM, "dependsOn", ITEM]).names, Some(Names::Components(None)));
    }
}
