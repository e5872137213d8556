//! What resources read of others and of module calls in their module, for graphs. References through locals are not followed.

use crate::hcl::ast::walk::references;
use crate::hcl::ast::{Block, Expr, TraversalStep};
use crate::terraform::configuration::Mode;
use crate::terraform::configuration::address::Address;
use crate::terraform::configuration::frame::{Evaluation, Frame};
use crate::terraform::evaluation::shown;
use crate::terraform::module::block::Declared;
use crate::text::Text;
use crate::value::{FileId, Origin};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Of a repeated resource that is read, no more instances are named.
const MAX_INSTANCES: usize = 20;

/// Something that a resource reads.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// `resource`, `data`, `ephemeral` or `module`.
    pub kind: &'static str,
    /// The address; of a module call the names of the calls that lead to it and its own: `a.b`.
    pub name: Text,
    /// Where it is read.
    pub origin: Origin,
    /// Whether it is only waited for.
    pub is_dependency: bool,
}

impl Evaluation<'_, '_> {
    /// What a resource in an instance of a module reads, sorted by name.
    pub(super) fn readings(&self, frame: &Rc<Frame>, path: &[(Text, String)], declared: &Declared) -> Vec<Reading> {
        let mut found: BTreeMap<(&'static str, Text), Reading> = BTreeMap::new();
        let mut add = |file: FileId, expr: &Expr, is_dependency: bool| {
            for reference in references(expr) {
                let names = reference.steps.iter().map_while(|step| match step {
                    TraversalStep::Attribute(name) => Some(&name.text),
                    TraversalStep::Index(..) => None,
                });
                let names: Vec<&Text> = std::iter::once(&reference.root.text).chain(names).collect();
                let origin = shown::origin((file, reference.span));
                for (kind, name) in self.read_components(frame, path, &names) {
                    let reading = Reading { kind, name: name.clone(), origin, is_dependency };
                    let known = found.entry((kind, name)).or_insert(reading);
                    known.is_dependency &= is_dependency;
                }
            }
        };
        for (name, written) in &declared.arguments {
            add(written.file, &written.expr, &**name == "depends_on");
        }
        let mut todo: Vec<(FileId, &Block)> =
            declared.blocks.iter().map(|nested| (nested.file, &nested.block)).collect();
        while let Some((file, block)) = todo.pop() {
            block.body.attributes.iter().for_each(|attribute| add(file, &attribute.expr, false));
            todo.extend(block.body.blocks.iter().map(|block| (file, block)));
        }
        found.into_values().collect()
    }

    /// The components that a reference names.
    fn read_components(
        &self,
        frame: &Rc<Frame>,
        path: &[(Text, String)],
        names: &[&Text],
    ) -> Vec<(&'static str, Text)> {
        let block = match names {
            [root, call, ..] if &***root == "module" => {
                let calls = path.iter().map(|(name, _)| &**name).chain([&***call]);
                return vec![("module", calls.collect::<Vec<_>>().join(".").into())];
            }
            [root, kind, name, ..] if matches!(&***root, "data" | "ephemeral") => format!("{root}.{kind}.{name}"),
            [root, kind, name, ..] if &***root == "resource" => format!("{kind}.{name}"),
            [kind, name, ..] => format!("{kind}.{name}"),
            _ => return Vec::new(),
        };
        let block = Text::from(block);
        let Some(planned) = self.block(frame, &block) else { return Vec::new() };
        let instance = |key: String| Address { modules: path.to_vec(), block: block.clone(), key }.to_string().into();
        let instances = planned.planned.iter().take(MAX_INSTANCES);
        instances.map(|(repeat, _)| (Mode::of(&block).word(), instance(repeat.suffix()))).collect()
    }
}
