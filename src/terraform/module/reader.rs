//! Combines the declarations of a folder's files: applies overrides, and reports duplicates.

use super::Module;
use crate::hcl::ast::walk;
use crate::hcl::ast::{Block, Body, Expr, Span, TraversalStep};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::load::SourceFile;
use crate::terraform::module::block::{
    Arguments, Backend, Declared, Nested, Provider, ProviderUse, Refactoring, Written,
};
use crate::terraform::module::lead::Lead;
use crate::terraform::module::{declarations, encryption, paths, schema, variable};
use crate::terraform::rules;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reads the files of a folder into its module.
pub(crate) struct Reader {
    module: Module,
    variables: BTreeMap<Text, Declared>,
    /// Whether a block of required providers was read.
    has_required_providers: bool,
    /// The providers that a `provider_meta` block is for.
    provider_metas: BTreeSet<Text>,
}

impl Reader {
    /// A reader that adds to a module.
    pub(crate) fn new(module: Module) -> Self {
        Reader { module, variables: BTreeMap::new(), has_required_providers: false, provider_metas: BTreeSet::new() }
    }

    fn wrong(&mut self, message: String, place: Place) {
        self.module.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, place));
    }

    /// Adds what a file declares.
    pub(crate) fn file(&mut self, file: &SourceFile, is_override: bool) {
        schema::check(&file.parsed.body, file.file, &mut self.module.failures);
        let blocks = &file.parsed.body.blocks;
        declarations::check(blocks, file.file, file.is_json, is_override, &mut self.module.failures);
        paths::collect(&file.parsed.body, file.file, &mut self.module.paths, &mut self.module.used_locals);
        for block in &file.parsed.body.blocks {
            if &*block.kind.text != "locals" {
                add_names(&block.body, &mut self.module.read_by_blocks);
            }
            match &*block.kind.text {
                "terraform" => self.settings(file, block, is_override),
                "language" => {
                    let constraints =
                        block.body.blocks_of("compatible_with").filter_map(|with| with.body.get("opentofu"));
                    let written = constraints.map(|constraint| (Written::of(file.file, constraint), true));
                    self.module.required_version.extend(written);
                }
                "variable" => self.variable(file, block, is_override),
                "locals" => self.locals(file, block, is_override),
                "module" => self.call(file, block, is_override),
                "provider" => self.provider(file, block, is_override),
                "output" => self.output(file, block, is_override),
                "check" => {
                    let Some(label) = block.labels.first() else { continue };
                    let declared = self.declared(file, block);
                    for data in block.body.blocks_of("data") {
                        if let [kind, name, ..] = data.labels.as_slice() {
                            let address = format!("data.{}.{}", kind.text, name.text);
                            self.module.scoped.insert(address.into(), label.text.clone());
                        }
                        self.resource(file, data, is_override);
                    }
                    if self.module.checks.insert(label.text.clone(), declared).is_some() {
                        let message = format!("duplicate check configuration: \"{}\" was already declared", label.text);
                        self.wrong(message, (file.file, block.header()));
                    }
                }
                "resource" | "data" | "ephemeral" => self.resource(file, block, is_override),
                "moved" | "removed" | "import" => {
                    self.module.is_root |= &*block.kind.text == "import";
                    let (kind, block) = (block.kind.text.clone(), self.declared(file, block));
                    self.module.refactorings.push(Refactoring { kind, block });
                }
                _ => {}
            }
        }
    }

    fn declared(&mut self, file: &SourceFile, block: &Block) -> Declared {
        let mut arguments = Arguments::new();
        for attribute in &block.body.attributes {
            let written = Written::of(file.file, attribute);
            if arguments.contains_key(&attribute.name.text) {
                let message = format!("attribute redefined: the argument \"{}\" was already set", attribute.name.text);
                self.wrong(message, (file.file, attribute.name.span));
            } else {
                arguments.insert(attribute.name.text.clone(), written);
            }
        }
        // `_ { … }` holds arguments whose names mean something else outside of it.
        for escaped in block.body.blocks_of("_") {
            for attribute in &escaped.body.attributes {
                let written = Written::of(file.file, attribute);
                arguments.insert(attribute.name.text.clone(), written);
            }
        }
        let start = block.body.span.start;
        Declared {
            place: (file.file, block.header()),
            brace: (file.file, Span { start, end: start + 1 }),
            arguments,
            blocks: block.body.blocks.iter().map(|block| Nested { file: file.file, block: block.clone() }).collect(),
            is_json: file.is_json,
            overridden: None,
        }
    }

    fn settings(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        for inner in &block.body.blocks {
            match &*inner.kind.text {
                "backend" => self.backend(file, inner, false, is_override),
                "cloud" => self.backend(file, inner, true, is_override),
                "encryption" => {
                    self.module.is_root = true;
                    if self.module.encryption.place.is_some() && !is_override {
                        let message = "duplicate encryption configuration: a module may have only one".to_owned();
                        self.wrong(message, (file.file, inner.header()));
                    }
                    let mut all = std::mem::take(&mut self.module.encryption);
                    encryption::read(&mut all, file.file, inner, |block| self.declared(file, block));
                    self.module.encryption = all;
                }
                "required_providers" => self.required_providers(file, inner, is_override),
                "provider_meta" => {
                    let name = inner.label(0).cloned().unwrap_or_default();
                    if !self.provider_metas.insert(name.clone()) && !is_override {
                        let message = format!("duplicate provider_meta block: there is already one for \"{name}\"");
                        self.wrong(message, (file.file, inner.header()));
                    }
                }
                _ => {}
            }
        }
        if let Some(attribute) = block.body.get("required_version") {
            let applies = file.name.ends_with(".tofu") || file.name.ends_with(".tofu.json");
            let written = Written::of(file.file, attribute);
            self.module.required_version.push((written, applies));
        }
    }

    fn required_providers(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        if !is_override && std::mem::replace(&mut self.has_required_providers, true) {
            let message = "duplicate required providers configuration: a module may have only one".to_owned();
            self.wrong(message, (file.file, block.header()));
        }
        for attribute in &block.body.attributes {
            let written = Written::of(file.file, attribute);
            let known = self.module.required_providers.contains_key(&attribute.name.text);
            if is_override || !known {
                self.module.required_providers.insert(attribute.name.text.clone(), written);
            }
        }
    }

    fn backend(&mut self, file: &SourceFile, block: &Block, is_cloud: bool, is_override: bool) {
        self.module.is_root = true;
        let place = (file.file, block.header());
        let kind = if is_cloud { Text::from("cloud") } else { block.label(0).cloned().unwrap_or_default() };
        let found = Backend { kind, place, body: block.body.clone() };
        if is_override {
            // A backend replaces the whole of what was there, whatever it is.
            self.module.backend = None;
            self.module.cloud = None;
        }
        let slot = if is_cloud { &mut self.module.cloud } else { &mut self.module.backend };
        if slot.is_some() {
            let what = if is_cloud { "cloud" } else { "backend" };
            self.wrong(format!("duplicate {what} configuration: a module may have only one"), place);
        } else {
            *slot = Some(found);
        }
        if let (Some(backend), Some(_)) = (&self.module.backend, &self.module.cloud)
            && !is_override
        {
            let place = backend.place;
            self.wrong(
                "both a backend and a cloud configuration are present: a module may have only one of them".to_owned(),
                place,
            );
        }
    }

    fn variable(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        let Some(label) = block.labels.first() else { return };
        let declared = self.declared(file, block);
        let name = label.text.clone();
        variable::check_name(label, file.file, &mut self.module.failures);
        match (self.variables.get_mut(&name), is_override) {
            (Some(known), true) => {
                known.overridden = Some(declared.place);
                known.arguments.extend(declared.arguments);
                known.is_json |= declared.is_json;
            }
            (None, true) => self.missing_base("variable", &name, declared.place),
            (known, false) => {
                let is_repeated = known.is_some();
                let place = declared.place;
                self.variables.insert(name.clone(), declared);
                if is_repeated {
                    self.wrong(
                        format!("duplicate variable declaration: a variable named \"{name}\" was already declared"),
                        place,
                    );
                }
            }
        }
    }

    fn missing_base(&mut self, what: &str, name: &str, place: Place) {
        self.wrong(format!("missing base {what} declaration to override: there is no {what} named \"{name}\""), place);
    }

    fn locals(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        for attribute in &block.body.attributes {
            let name = attribute.name.text.clone();
            let written = Written::of(file.file, attribute);
            let place = written.argument();
            let known = self.module.locals.insert(name.clone(), written).is_some();
            match (known, is_override) {
                (true, false) => self.wrong(
                    format!("duplicate local value definition: a local value named \"{name}\" was already defined"),
                    place,
                ),
                (false, true) => {
                    self.module.locals.remove(&name);
                    self.missing_base("local value", &name, place);
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        let Some(label) = block.labels.first() else { return };
        let (name, declared) = (label.text.clone(), self.declared(file, block));
        if let Some(written) = declared.arguments.get("providers") {
            let passed = match &written.expr.kind {
                crate::hcl::ast::ExprKind::Object(items) => items.iter().map(|(_, value)| value.clone()).collect(),
                _ => Vec::new(),
            };
            for expr in passed {
                let written = Written { file: file.file, span: expr.span, expr: Arc::new(expr) };
                self.module.uses.push(ProviderUse { written });
            }
        }
        match (self.module.calls.get_mut(&name), is_override) {
            (Some(known), true) => {
                let known = Arc::make_mut(known);
                known.overridden = Some(declared.place);
                known.arguments.extend(declared.arguments);
            }
            (None, true) => self.missing_base("module call", &name, declared.place),
            (Some(_), false) => {
                self.wrong(
                    format!("duplicate module call: a module call named \"{name}\" was already defined"),
                    declared.place,
                );
            }
            (None, false) => {
                self.repetition(&declared);
                self.module.calls.insert(name, Arc::new(declared));
            }
        }
    }

    /// Only one of the ways to repeat a module.
    fn repetition(&mut self, declared: &Declared) {
        let enabled =
            declared.blocks.iter().filter(|b| &*b.kind.text == "lifecycle").find_map(|b| b.body.get("enabled"));
        let mut found: Vec<(&str, Place)> = Vec::new();
        for name in ["count", "for_each"] {
            found.extend(declared.arguments.get(name).map(|w| (name, w.argument())));
        }
        found.extend(enabled.map(|a| ("enabled", (declared.place.0, a.span()))));
        if let [(first, _), (second, place), ..] = found.as_slice() {
            let message =
                format!("invalid combination of \"{first}\" and \"{second}\": only one of them can repeat a module");
            self.wrong(message, *place);
        }
    }

    fn provider(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        let Some(label) = block.labels.first() else { return };
        let declared = self.declared(file, block);
        self.module.is_root = true;
        let alias = declared.arguments.get("alias").and_then(|w| walk::name(&w.expr)).map(Text::from);
        for name in ["count", "depends_on", "source"] {
            if let Some(written) = declared.arguments.get(name) {
                let place =
                    (written.file, Span { start: written.span.start, end: written.span.start + name.len() as u32 });
                let message =
                    format!("reserved argument name in provider block: \"{name}\" is reserved for use by OpenTofu");
                self.module.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, place));
            }
        }
        let name = label.text.clone();
        let known = self.module.providers.iter_mut().find(|p| p.name == name && p.alias == alias);
        match known {
            Some(known) if is_override => {
                override_block(&mut known.block, declared);
            }
            Some(_) => {
                let message = format!(
                    "duplicate provider configuration: a configuration for \"{name}\" with the same alias was already given"
                );
                self.wrong(message, declared.place);
            }
            None => {
                if let Some(alias) = alias.as_ref().filter(|_| is_override) {
                    self.missing_base("provider configuration", &format!("{name}.{alias}"), declared.place);
                }
                self.module.providers.push(Provider { name, alias, block: declared });
            }
        }
    }

    fn output(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        let Some(label) = block.labels.first() else { return };
        let (name, declared) = (label.text.clone(), self.declared(file, block));
        let place = declared.place;
        match self.module.outputs.get_mut(&name) {
            Some(known) if is_override => known.arguments.extend(declared.arguments),
            None if is_override => self.missing_base("output", &name, place),
            Some(_) => {
                let message = format!("duplicate output definition: an output named \"{name}\" was already defined");
                self.wrong(message, place);
            }
            None => drop(self.module.outputs.insert(name, declared)),
        }
    }

    fn resource(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        if let [kind, name, ..] = block.labels.as_slice() {
            let address = match &*block.kind.text {
                "resource" => format!("{}.{}", kind.text, name.text),
                mode => format!("{mode}.{}.{}", kind.text, name.text),
            };
            let declared = self.declared(file, block);
            match (self.module.resources.get_mut(&*address), is_override) {
                (Some(known), true) => {
                    override_block(known, declared);
                }
                (Some(_), false) => {
                    self.wrong(format!("duplicate resource: {address} was already declared"), declared.place);
                }
                (None, true) => self.missing_base("resource", &address, declared.place),
                (None, false) => drop(self.module.resources.insert(address.into(), declared)),
            }
        }
        if let Some(attribute) = block.body.get("provider") {
            let written = Written::of(file.file, attribute);
            self.module.uses.push(ProviderUse { written });
        }
    }

    /// The module, complete.
    pub(crate) fn finish(mut self) -> Module {
        for (name, declared) in &self.variables {
            let found = variable::read(declared, &mut self.module.failures);
            self.module.variables.insert(name.clone(), found);
        }
        self.module.leads = leads(&self.module);
        self.module.declarations = self.variables;
        self.module
    }
}

/// The arguments of `lifecycle` that an override replaces. Its others, and its conditions, have no effect there.
const OVERRIDDEN: [&str; 3] = ["create_before_destroy", "prevent_destroy", "ignore_changes"];

/// Overrides arguments one by one, and all blocks of the types that the override has.
fn override_block(known: &mut Declared, over: Declared) {
    known.overridden = Some(over.place);
    known.arguments.extend(over.arguments);
    let is_replaced = |kind: &str| kind != "lifecycle" && over.blocks.iter().any(|block| *block_type(block) == *kind);
    known.blocks.retain(|block| !is_replaced(block_type(block)));
    known.blocks.extend(over.blocks.into_iter().map(|mut nested| {
        if &*nested.block.kind.text == "lifecycle" {
            nested.block.body.attributes.retain(|attribute| OVERRIDDEN.contains(&&*attribute.name.text));
            nested.block.body.blocks.clear();
        }
        nested
    }));
}

/// The type of a block, or of the blocks that it makes.
pub(crate) fn block_type(block: &Block) -> &Text {
    match (&*block.kind.text, block.labels.first()) {
        ("dynamic", Some(label)) => &label.text,
        _ => &block.kind.text,
    }
}

/// Adds the locals and variables that the expressions of a block refer to.
fn add_names(body: &Body, names: &mut BTreeSet<String>) {
    names.extend(body.attributes.iter().flat_map(|attribute| self::names(&attribute.expr)));
    body.blocks.iter().for_each(|block| add_names(&block.body, names));
}

/// The locals and variables that an expression refers to: `local.size`.
pub(super) fn names(expr: &Expr) -> impl Iterator<Item = String> {
    walk::references(expr).into_iter().filter_map(|reference| match (&*reference.root.text, reference.steps.first()) {
        (root @ ("local" | "var"), Some(TraversalStep::Attribute(name))) => Some(format!("{root}.{}", name.text)),
        _ => None,
    })
}

/// Where the calls of a module lead.
fn leads(module: &Module) -> Vec<Lead> {
    let sources = module.calls.values().filter_map(|call| call.arguments.get("source"));
    sources.map(|written| Lead::of(&module.dir, &written.expr)).collect()
}
