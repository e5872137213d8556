//! Provider configurations as components: what each of them acts on.

use crate::hcl::ast::Block;
use crate::limits::{Piece, take};
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::evaluation::shown::{map_of, origin};
use crate::terraform::evaluation::statics::Node;
use crate::terraform::module::block::{Declared, Provider, Written};
use crate::terraform::secrets::SecretNames;
use crate::text::Text;
use crate::value::{FileId, Map, Value, Vocabulary};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The words of what says where a provider acts: providers use few of them.
pub(crate) const TARGET_WORDS: &[&str] = &[
    "account",
    "addr",
    "address",
    "cluster",
    "compartment",
    "context",
    "database",
    "datacenter",
    "domain",
    "endpoint",
    "endpoints",
    "host",
    "hostname",
    "location",
    "namespace",
    "org",
    "organization",
    "owner",
    "profile",
    "project",
    "region",
    "role",
    "server",
    "site",
    "subscription",
    "tenancy",
    "tenant",
    "uri",
    "url",
    "zone",
];

/// The vocabulary of provider configurations.
static PROVIDERS: Vocabulary = Vocabulary { target_words: TARGET_WORDS, ..Vocabulary::EMPTY };

/// Adds a component for each provider configuration that has arguments.
pub(crate) fn add(builder: &mut Builder<'_, '_>) {
    let mut names = SecretNames::default();
    for index in 0..builder.statics.nodes.len() {
        let node = Rc::clone(&builder.statics.nodes[index]);
        for provider in &node.module.providers {
            take(1, Piece::Made);
            let configuration = configuration(builder, index, provider);
            if !configuration.is_empty() {
                let configuration = names.hide(&Value::map(configuration));
                let value = Value::map(map_of([("arguments", Some(configuration))]));
                let name = format!("{}{}", module_prefix(&node), label(provider));
                let place = [origin(provider.block.place)].into_iter();
                let described = described("provider_configuration", name, value);
                builder.add(Described { vocabulary: Some(&PROVIDERS), ..described }, place);
            }
        }
    }
}

/// `a.b:` in front of what belongs to a child.
pub(crate) fn module_prefix(node: &Node) -> String {
    if node.path.is_empty() { String::new() } else { format!("{}:", node.address()) }
}

/// `aws.west`, or `aws` without an alias.
pub(crate) fn label(provider: &Provider) -> String {
    provider.alias.as_ref().map_or_else(|| provider.name.to_string(), |alias| format!("{}.{alias}", provider.name))
}

/// The arguments and blocks of a provider configuration, without those that only name it or repeat it.
fn configuration(builder: &Builder<'_, '_>, node: usize, provider: &Provider) -> Map {
    let Declared { arguments, blocks, .. } = &provider.block;
    let own = arguments.iter().filter(|(name, _)| !matches!(&***name, "alias" | "for_each"));
    let own = own.map(|(name, written)| (name.clone(), written.clone())).collect();
    content(builder, node, own, &mut blocks.iter().map(|nested| (nested.file, &nested.block)))
}

/// The content of a block: its arguments, and a list of those of each type of block in it. A dynamic block is one of its type, with what
/// it is made for and its content as they are written.
pub(super) fn content(
    builder: &Builder<'_, '_>,
    node: usize,
    arguments: Vec<(Text, Written)>,
    blocks: &mut dyn Iterator<Item = (FileId, &Block)>,
) -> Map {
    let mut map = Map::new();
    for (name, written) in arguments {
        let value = builder.evaluated(node, &written, format!("provider.{name}"));
        map.set(name, value);
    }
    let mut of_kinds: BTreeMap<&Text, Vec<Value>> = BTreeMap::new();
    for (file, block) in blocks {
        let attributes = block.body.attributes.iter();
        let written = attributes.map(|attribute| (attribute.name.text.clone(), Written::of(file, attribute)));
        let inner = &mut block.body.blocks.iter().map(|inner| (file, inner));
        let inner = Value::map(content(builder, node, written.collect(), inner));
        let made = block.labels.first().filter(|_| &*block.kind.text == "dynamic").map(|label| &label.text);
        of_kinds.entry(made.unwrap_or(&block.kind.text)).or_default().push(inner);
    }
    for (kind, blocks) in of_kinds {
        map.set(kind.clone(), Value::list(blocks));
    }
    map
}
