//! Blocks that are read as a whole.

use crate::hcl::ast::Block;
use crate::hcl::items::said;
use crate::reads::made_of;
use crate::terraform::evaluation::made_of::{Collector, Meanings, Which, repetition};
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::reader::block_type;
use crate::text::Text;
use crate::value::{FileId, Value};
use std::collections::{BTreeMap, BTreeSet};

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
                for (name, written) in declared.arguments.iter().filter(|(name, _)| arguments.contains_key(&***name)) {
                    let full = format!("{address}.{name}");
                    let value = || meanings.attribute(instance, address, name);
                    let read = || own.read_name(&own.display_name(instance, &full), Some(written), value());
                    let named = meanings.followed().get_or_insert(&own.label(instance, &full), read);
                    if named.is_known {
                        unknown.remove(&**name);
                        own.read(named.read);
                        own.places.extend(named.value_place);
                    }
                }
                let kinds: BTreeSet<&Text> = declared.blocks.iter().map(|nested| block_type(&nested.block)).collect();
                for kind in kinds {
                    let is_of_kind = |name: &str| {
                        let name = name.strip_prefix("dynamic.").unwrap_or(name);
                        name.strip_prefix(&**kind).is_some_and(|rest| rest.starts_with('.'))
                    };
                    if let Some(value) = meanings.blocks(instance, address, kind) {
                        unknown.retain(|name, _| !is_of_kind(name));
                        own.known(instance, &format!("{address}.{kind}"), &value);
                    }
                }
                own.texts(instance, address, &unknown);
            },
        );
    }

    /// The blocks of one type in a resource: their value if that is known, or else their arguments.
    pub(super) fn nested(
        &mut self,
        at: &M::At,
        (name, arguments): (&str, &BTreeMap<String, Written>),
        value: impl FnOnce() -> Option<Value>,
    ) {
        match value() {
            Some(value) if self.take(format!("{} =", self.label(at, name))) => self.known(at, name, &value),
            Some(_) => {}
            None => self.texts(at, name, arguments),
        }
    }

    /// Blocks with a known value.
    fn known(&mut self, at: &M::At, name: &str, value: &Value) {
        self.read(made_of::value(self.display_name(at, name), value));
        self.places.push(value.prov.clone());
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
