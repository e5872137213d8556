//! Reads `encryption` blocks.

use crate::hcl::ast::{Block, Body};
use crate::terraform::module::block::{Declared, Encryption, Target, Written};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeMap;

/// Adds what an `encryption` block declares; `declared` reads the arguments of a block.
pub(crate) fn read(all: &mut Encryption, file: FileId, block: &Block, mut declared: impl FnMut(&Block) -> Declared) {
    all.place.get_or_insert((file, block.header()));
    for inner in &block.body.blocks {
        let declared = declared(inner);
        let key = || inner.labels.iter().map(|l| &*l.text).collect::<Vec<_>>().join(".");
        match &*inner.kind.text {
            "key_provider" => merge(&mut all.key_providers, key().into(), declared),
            "method" => merge(&mut all.methods, key().into(), declared),
            "state" | "plan" => {
                let target = target(file, &inner.body);
                all.targets.entry(inner.kind.text.clone()).or_default().merge(target);
            }
            "remote_state_data_sources" => {
                for source in &inner.body.blocks {
                    let name = source.label(0).unwrap_or(&source.kind.text).clone();
                    all.remote.entry(name).or_default().merge(target(file, &source.body));
                }
            }
            _ => {}
        }
    }
}

fn merge(all: &mut BTreeMap<Text, Declared>, key: Text, declared: Declared) {
    match all.get_mut(&key) {
        Some(known) => known.arguments.extend(declared.arguments),
        None => {
            all.insert(key, declared);
        }
    }
}

fn target(file: FileId, body: &Body) -> Target {
    let written = |name: &str| body.get(name).map(|a| Written::of(file, a));
    let fallback = body.blocks_of("fallback").next().map(|b| Box::new(target(file, &b.body)));
    Target { method: written("method"), enforced: written("enforced"), fallback }
}

impl Target {
    /// Lays another declaration over it.
    fn merge(&mut self, other: Target) {
        self.method = other.method.or_else(|| self.method.take());
        self.enforced = other.enforced.or_else(|| self.enforced.take());
        self.fallback = other.fallback.or_else(|| self.fallback.take());
    }
}
