//! Blocks that are read as a whole.

use crate::hcl::ast::Block;
use crate::hcl::items::said;
use crate::hcl::val::export::export;
use crate::reads::made_of;
use crate::terraform::evaluation::made_of::{Collector, Meanings, Which, repetition};
use crate::terraform::module::block::{Declared, Written};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeMap;

impl<M: Meanings> Collector<'_, M> {
    /// A block as a whole.
    pub(super) fn block(
        &mut self,
        at: &M::At,
        file: FileId,
        (address, declared): (&Text, &Declared),
        which: Which<'_>,
    ) {
        let mut arguments: BTreeMap<String, Written> = BTreeMap::new();
        arguments.extend(declared.arguments.iter().map(|(name, written)| (name.to_string(), written.clone())));
        declared.blocks.iter().enumerate().for_each(|(i, block)| nested(block, i, block.file, &mut arguments));
        if let (Which::All, Some(_)) = (which, repetition(declared)) {
            return self.texts(at, address, &arguments);
        }
        // What repeats it says no more than what the instance is made of.
        for name in ["for_each", "count"] {
            arguments.remove(name);
        }
        let meanings = self.meanings;
        let instances = meanings.instances(at, file, (address, declared), which);
        self.each(
            &instances,
            |instance| meanings.key(instance),
            |own, instance| {
                if !own.take(format!("{} =", own.label(instance, address))) {
                    return;
                }
                let mut unknown = arguments.clone();
                for name in declared.arguments.keys() {
                    let value = meanings.attribute(instance, address, name);
                    if let Some(value) = value.filter(|value| value.unknown_reason().is_none()) {
                        unknown.remove(&**name);
                        own.read(made_of::value(
                            own.display_name(instance, &format!("{address}.{name}")),
                            &export(&value),
                        ));
                        own.places.push(value.prov);
                    }
                }
                own.texts(instance, address, &unknown);
            },
        );
    }

    /// The texts of arguments, and what they are made of.
    pub(super) fn texts(&mut self, at: &M::At, name: &str, arguments: &BTreeMap<String, Written>) {
        if arguments.is_empty() || !self.take(self.label(at, name)) {
            return;
        }
        let statics = self.meanings.statics();
        let texts = arguments.iter().map(|(name, written)| format!("{name} = {}", said(&statics.source_text(written))));
        let texts: Vec<String> = texts.collect();
        self.read(made_of::text(self.display_name(at, name), &texts.join("\n")));
        for written in arguments.values() {
            self.written_at(written.argument());
            self.expr(at, written);
        }
    }
}

/// The arguments of a block inside of another one, by their names and the places of the blocks.
pub(super) fn nested(block: &Block, index: usize, file: FileId, into: &mut BTreeMap<String, Written>) {
    let label = block.labels.iter().fold(block.kind.text.to_string(), |all, label| format!("{all}.{}", label.text));
    let mut own = BTreeMap::new();
    for attribute in &block.body.attributes {
        let written = Written::of(file, attribute);
        own.insert(attribute.name.text.to_string(), written);
    }
    block.body.blocks.iter().enumerate().for_each(|(i, inner)| nested(inner, i, file, &mut own));
    into.extend(own.into_iter().map(|(name, written)| (format!("{label}.{index}.{name}"), written)));
}
