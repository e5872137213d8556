//! Blocks of which it is not known which ones there are: each of them, and what they read, may be what is deployed.

use super::frame::{At, Evaluation};
use super::instances::InInstance;
use super::names::is_repeated;
use crate::hcl::ast::Block;
use crate::hcl::items::said;
use crate::reads::made_of;
use crate::terraform::evaluation::made_of::find;
use crate::terraform::evaluation::shown;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Written;
use crate::terraform::rules;
use crate::value::{Data, FileId, Prov, Unknown, Value};
use std::sync::Arc;

/// How many arguments are named as places of unknown blocks.
const MAX_PLACES: usize = 20;

impl Evaluation<'_, '_> {
    /// The value that stands for all blocks of a type, made of all that is written in them.
    pub(super) fn made_of_blocks(&self, at: &At<'_>, blocks: &[(FileId, &Block)], value: &Value) -> Value {
        let (Data::Unknown(unknown), Some((file, first))) = (&value.data, blocks.first()) else { return value.clone() };
        let exhausted = || {
            let reason = "the blocks of this module need more steps than allowed";
            self.report(Failure::new(&rules::LIMIT_EXCEEDED, reason, (*file, first.header())));
            value.clone()
        };
        // What is written in them is only looked for while there are steps left.
        if !self.take(1) {
            return exhausted();
        }
        let (names, arguments) = written_in(blocks);
        if !self.take(arguments.len() as u64) {
            return exhausted();
        }
        let is_repeated = arguments.iter().any(|(_, written)| is_repeated(&written.expr));
        let make = || self.of_arguments(at, &names, &arguments);
        let source = self.source(at, (*file, first.kind.span.start), (is_repeated, String::new()), make);
        let mut unknown = (**unknown).clone();
        unknown.add_reads(source.unknown.reads.iter().cloned());
        let prov = value.prov.with_inputs(source.places.iter().cloned());
        Value { data: Data::Unknown(Arc::new(unknown)), prov }
    }

    /// What blocks with these names and arguments are made of, and where those are written.
    fn of_arguments(&self, at: &At<'_>, names: &[String], arguments: &[(String, Written)]) -> (Unknown, Vec<Prov>) {
        let (mut reads, mut places) = (vec![made_of::text("blocks", &names.join("\n"))], Vec::new());
        for (name, written) in arguments {
            let (more, from) = find(self, &InInstance::new(at), written);
            reads.push(made_of::text(name.as_str(), &said(&self.statics.source_text(written))));
            reads.extend(more);
            places.push(shown::at(written));
            places.extend(from);
        }
        places.truncate(MAX_PLACES);
        (Unknown { reads: vec![made_of::all("its blocks", reads)], ..Unknown::default() }, places)
    }
}

/// The blocks at any depth by name, and their arguments, each with a name of its own.
fn written_in(blocks: &[(FileId, &Block)]) -> (Vec<String>, Vec<(String, Written)>) {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    let numbered = blocks.iter().enumerate().rev();
    let mut todo: Vec<(String, FileId, &Block)> =
        numbered.map(|(i, (file, block))| (i.to_string(), *file, *block)).collect();
    while let Some((number, file, block)) = todo.pop() {
        let labels: Vec<&str> = block.labels.iter().map(|label| &*label.text).collect();
        let name = format!("{number} {} {}", block.kind.text, labels.join(" "));
        found.extend(
            block
                .body
                .attributes
                .iter()
                .map(|attribute| (format!("{name}.{}", attribute.name.text), Written::of(file, attribute))),
        );
        let inner = block.body.blocks.iter().enumerate().rev();
        todo.extend(inner.map(|(i, block)| (format!("{name}/{i}"), file, block)));
        names.push(name);
    }
    (names, found)
}
