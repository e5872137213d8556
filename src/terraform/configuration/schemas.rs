//! The schemas of resources, if they are given or the type is built in: the names of arguments and blocks are checked, as `validate`
//! does.

use super::{Mode, OWN_ARGUMENTS, OWN_BLOCKS};
use crate::hcl::ast::{Block, ExprKind, Span, walk};
use crate::terraform::configuration::built_in::BUILT_IN;
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::Module;
use crate::terraform::module::block::{Declared, configuration};
use crate::terraform::provider_schema::{BlockSchema, ProviderSchemas};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

/// Reports arguments and blocks that the schemas do not have, and required arguments that are missing, once in each module.
pub(super) fn check(tree: &Tree<'_>) -> Vec<Failure> {
    let mut names = Names { failures: Vec::new() };
    let mut seen = BTreeSet::new();
    for node in tree.nodes.iter().filter(|node| seen.insert(&node.module.dir)) {
        for (address, declared) in &node.module.resources {
            let given =
                tree.loader.schemas.iter().find_map(|given| of_resource(given, &node.module, address, declared));
            match given.or_else(|| of_resource(&BUILT_IN, &node.module, address, declared)) {
                Some(Ok(schema)) => names.resource(schema, declared),
                Some(Err(message)) => names.report(message, declared.place),
                None => {}
            }
        }
    }
    names.failures
}

/// What the block of a resource, of a data source or of an ephemeral resource has; `None` if nothing is known of its provider.
///
/// # Errors
/// The provider has no such type.
pub(super) fn of_resource<'s>(
    schemas: &'s ProviderSchemas,
    module: &Module,
    address: &str,
    declared: &Declared,
) -> Option<Result<&'s BlockSchema, String>> {
    let mode = Mode::of(address);
    let kind = match mode {
        Mode::Managed => address.split('.').next()?,
        Mode::Data | Mode::Ephemeral => address.split('.').nth(1)?,
    };
    let named = declared.arguments.get("provider").and_then(|written| configuration(&written.expr));
    let local = named.map_or_else(|| kind.split('_').next().unwrap_or(kind), |(name, _)| name);
    let required =
        module.required_providers.get(local).and_then(|written| match &walk::unwrapped(&written.expr).kind {
            ExprKind::Object(items) => items
                .iter()
                .find(|(key, _)| walk::name(key) == Some("source"))
                .and_then(|(_, value)| walk::constant_text(value)),
            _ => None,
        });
    let usual = if local == "terraform" { "builtin/terraform".to_owned() } else { format!("hashicorp/{local}") };
    let source = required.unwrap_or(&usual);
    let provider = schemas.provider(source)?;
    let wrong = || format!("invalid resource type: the provider {source} has no {} of type \"{kind}\"", mode.word());
    Some(provider.block(mode.word(), kind).ok_or_else(wrong))
}

struct Names {
    failures: Vec<Failure>,
}

impl Names {
    fn report(&mut self, message: String, place: Place) {
        self.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, place));
    }

    fn resource(&mut self, schema: &BlockSchema, declared: &Declared) {
        self.ignored(schema, declared);
        let own = declared.arguments.iter().filter(|(name, _)| !OWN_ARGUMENTS.contains(&&***name));
        let arguments: BTreeMap<&Text, Place> = own.map(|(name, written)| (name, written.argument())).collect();
        if declared.is_json {
            // There, blocks are written like arguments.
            let names = arguments.into_iter().filter(|(name, _)| schema.block_type(name).is_err());
            return self.body(schema, &names.collect(), &[], None);
        }
        let blocks = declared.blocks.iter().filter(|b| !OWN_BLOCKS.contains(&&*b.kind.text));
        let blocks: Vec<(FileId, &Block)> = blocks.map(|nested| (nested.file, &nested.block)).collect();
        // Arguments with the names of others are in a block of their own.
        let is_complete = declared.blocks.iter().all(|block| &*block.kind.text != "_");
        self.body(schema, &arguments, &blocks, is_complete.then_some(declared.place));
    }

    /// What `ignore_changes` names.
    fn ignored(&mut self, schema: &BlockSchema, declared: &Declared) {
        for lifecycle in declared.blocks.iter().filter(|block| &*block.kind.text == "lifecycle") {
            let Some(changes) = lifecycle.body.get("ignore_changes") else { continue };
            let ExprKind::Tuple(items) = &changes.expr.kind else { continue };
            for item in items {
                let first = walk::as_reference(item).map(|reference| &*reference.root.text);
                let name = first.or_else(|| walk::constant_text(item)?.split(['.', '[']).next());
                if let Some(name) = name.filter(|name| *name != "*" && !schema.has(name)) {
                    let message =
                        format!("unsupported attribute: there is no argument and no block \"{name}\" to ignore");
                    self.report(message, (lifecycle.file, item.span));
                }
            }
        }
    }

    /// The content of a block; `header` is the place where missing arguments are reported.
    fn body(
        &mut self,
        schema: &BlockSchema,
        arguments: &BTreeMap<&Text, Place>,
        blocks: &[(FileId, &Block)],
        header: Option<Place>,
    ) {
        for (name, place) in arguments {
            if let Err(message) = schema.name(name) {
                let span = Span { end: place.1.start + name.len() as u32, ..place.1 };
                self.report(message, (place.0, span));
            }
        }
        for (file, block) in blocks {
            self.block(schema, block, *file);
        }
        let Some(header) = header else { return };
        for name in schema.missing(|name| arguments.keys().any(|written| &***written == name)) {
            let message = format!("missing required argument: \"{name}\" is required, but no definition was found");
            self.report(message, header);
        }
    }

    fn block(&mut self, schema: &BlockSchema, block: &Block, file: FileId) {
        let is_dynamic = &*block.kind.text == "dynamic";
        let Some(kind) = (if is_dynamic { block.labels.first() } else { Some(&block.kind) }) else { return };
        let inner = if is_dynamic { block.body.blocks_of("content").next() } else { Some(block) };
        match schema.block_type(&kind.text) {
            Err(message) => self.report(message, (file, kind.span)),
            Ok(None) => {}
            Ok(Some(schema)) => {
                let Some(inner) = inner else { return };
                let attributes = inner.body.attributes.iter();
                let arguments = attributes.map(|a| (&a.name.text, (file, a.span()))).collect();
                let blocks: Vec<(FileId, &Block)> = inner.body.blocks.iter().map(|block| (file, block)).collect();
                self.body(schema, &arguments, &blocks, Some((file, inner.header())));
            }
        }
    }
}
