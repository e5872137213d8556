//! Descriptions of configuration files for editors.

use super::functions;
use super::load::STACK;
use super::schema::{self, BlockType};
use crate::hcl;
use crate::resolution::Component;
use crate::resolution::authoring::{Authoring, Expected, Function, Key, Member, WrittenPlace};

/// See [`Authoring`].
pub(super) struct Terragrunt;

impl Authoring for Terragrunt {
    fn expected(&self, place: &WrittenPlace<'_>) -> Expected {
        let name = crate::paths::name(place.path);
        if !name.ends_with(".hcl") {
            return Expected::default();
        }
        let mut block: &BlockType = if name == STACK { &schema::STACK } else { &schema::UNIT };
        let mut keys = place.keys.iter();
        while let Some(key) = keys.next() {
            match block.block(key) {
                Some(inner) => {
                    block = inner;
                    if inner.labels != schema::Labels::None {
                        keys.next();
                    }
                }
                None => return Expected::default(),
            }
        }
        let attributes = block.attributes.iter().map(|attribute| (attribute.name, attribute.kind.shown()));
        let blocks = block.blocks.iter().map(|block| (block.name, "block"));
        let key = |(name, kind)| Key { name, kind, replacement: None };
        Expected { keys: attributes.chain(blocks).map(key).collect(), ..Expected::default() }
    }

    fn template_functions(&self) -> Vec<Function> {
        let one = |name: &'static str, parameters: String| Function { name: name.into(), parameters, arguments: &[] };
        let language = hcl::functions::described().into_iter().map(|(name, parameters)| one(name, parameters));
        language.chain(functions::names().map(|name| one(name, String::new()))).collect()
    }

    fn members(&self, _: &[&Component], _: &[&str]) -> Vec<Member> {
        Vec::new()
    }
}
