//! What the files of a folder declare together: overrides laid over what they override, and what is declared twice noted.

pub(super) use super::declared::{
    Arguments, Backend, Declared, Encryption, Lead, Module, Provider, ProviderUse, Refactoring, Target, Written,
};
use super::diag::{Failure, Place};
use super::load::{Loader, Parsed, SourceFile, Syntax};
use super::paths;
use super::rules;
use super::schema;
use super::variable;
use crate::hcl::ast::{Block, Body, Span};
use crate::hcl::walk;
use crate::source::{Child, Node};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeMap;
use std::sync::Arc;

const EXTENSIONS: [(&str, Syntax); 4] =
    [(".tofu.json", Syntax::Json), (".tf.json", Syntax::Json), (".tofu", Syntax::Native), (".tf", Syntax::Native)];

/// The name of a file without what makes it configuration, and its syntax.
pub(super) fn configuration(name: &str) -> Option<(&str, &'static str, Syntax)> {
    if name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#')) {
        return None;
    }
    EXTENSIONS.iter().find_map(|(extension, syntax)| {
        name.strip_suffix(extension).filter(|base| !base.is_empty()).map(|base| (base, *extension, *syntax))
    })
}

/// The names of the configuration files of a folder, those that others hide left out.
fn file_names(loader: &Loader<'_>, dir: &str) -> Vec<(String, Syntax)> {
    let listing = loader.source.listing();
    let children = listing.children(dir);
    let is_file = |name: &str, child: Child| match child {
        Child::File => true,
        Child::Symlink => matches!(listing.lookup(&super::load::join(dir, name)), Ok(Node::File(_))),
        Child::Dir => false,
    };
    let mut names: Vec<&str> =
        children.iter().filter(|(name, child)| is_file(name, *child)).map(|(name, _)| *name).collect();
    names.sort_unstable();
    let has = |name: String| names.binary_search(&&*name).is_ok();
    let hidden = |base: &str, extension: &str| match extension {
        _ if loader.is_terraform => false,
        ".tf" => has(format!("{base}.tofu")),
        ".tf.json" => has(format!("{base}.tofu.json")),
        _ => false,
    };
    let one = |name: &&str| {
        let (base, extension, syntax) = configuration(name)?;
        if loader.is_terraform && extension.starts_with(".tofu") {
            return None;
        }
        (!hidden(base, extension)).then(|| ((*name).to_owned(), syntax))
    };
    names.iter().filter_map(one).collect()
}

fn is_override(name: &str) -> bool {
    configuration(name).is_some_and(|(base, ..)| base == "override" || base.ends_with("_override"))
}

/// Whether a folder holds configuration.
pub(super) fn is_there(loader: &Loader<'_>, dir: &str) -> bool {
    !file_names(loader, dir).is_empty()
}

/// The configuration files of a folder, parsed; none if one of them cannot be read.
pub(super) fn parsed(loader: &Loader<'_>, dir: &str) -> Option<Vec<Arc<Parsed>>> {
    file_names(loader, dir).into_iter().map(|(name, syntax)| loader.parsed(dir, &name, syntax).ok()).collect()
}

/// Whether a block is something that only a root module has.
pub(super) fn is_of_root(block: &Block) -> bool {
    let of_settings = |inner: &Block| matches!(&*inner.kind.text, "backend" | "cloud" | "encryption");
    match &*block.kind.text {
        "provider" => !block.labels.is_empty(),
        "terraform" => block.body.blocks.iter().any(of_settings) || block.body.get("required_version").is_some(),
        _ => false,
    }
}

/// The module of a folder; none if no configuration is there.
pub(super) fn read(loader: &Loader<'_>, dir: &str) -> Option<Arc<Module>> {
    let names = file_names(loader, dir);
    if names.is_empty() {
        return None;
    }
    let (mut files, mut failures, mut key) = (Vec::new(), Vec::new(), Vec::new());
    for (name, syntax) in names {
        match loader.load(dir, &name, syntax) {
            Ok(file) => {
                let is_own = !loader.is_linked(&super::load::join(dir, &name));
                key.push((name, file.file, file.blob, is_own));
                files.push((file, is_own));
            }
            Err(None) => {}
            Err(Some(message)) => {
                let path = super::load::join(dir, &name);
                let file = loader.files.add(&path, "", || Text::from(""));
                failures.push(Failure::new(&rules::UNREADABLE_FILE, message, (file, Span::default())).hiding());
            }
        }
    }
    match failures.is_empty() {
        true => Some(loader.shared((dir.to_owned(), key), || assemble(dir, &files, Vec::new()))),
        false => Some(Arc::new(assemble(dir, &files, failures))),
    }
}

/// The module that files declare together, with whether each of them is of its folder alone.
fn assemble(dir: &str, files: &[(SourceFile, bool)], failures: Vec<Failure>) -> Module {
    let mut module = Module { dir: dir.to_owned(), failures, ..Module::default() };
    for (file, is_own) in files {
        module.has_own_file |= is_own;
        module.files.push(file.file);
        module.failures.extend(file.parsed.errors.iter().map(|error| Failure::of_syntax(error, file.file)));
    }
    let mut reader = Reader { module, variables: BTreeMap::new() };
    let (overrides, primary): (Vec<_>, Vec<_>) = files.iter().partition(|(file, _)| is_override(&file.name));
    primary.iter().for_each(|(file, _)| reader.file(file, false));
    overrides.iter().for_each(|(file, _)| reader.file(file, true));
    reader.finish()
}

struct Reader {
    module: Module,
    variables: BTreeMap<Text, Declared>,
}

impl Reader {
    fn wrong(&mut self, message: String, place: Place) {
        self.module.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, place));
    }

    fn file(&mut self, file: &SourceFile, is_override: bool) {
        schema::check(&file.parsed.body, file.file, &mut self.module.failures);
        paths::collect(&file.parsed.body, file.file, &mut self.module);
        for block in &file.parsed.body.blocks {
            match &*block.kind.text {
                "terraform" => self.settings(file, block, is_override),
                "variable" => self.variable(file, block, is_override),
                "locals" => self.locals(file, block, is_override),
                "module" => self.call(file, block, is_override),
                "provider" => self.provider(file, block, is_override),
                "output" => self.output(file, block, is_override),
                "resource" | "data" | "ephemeral" => self.resource(file, block),
                "moved" | "removed" | "import" => {
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
            let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
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
                let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
                arguments.insert(attribute.name.text.clone(), written);
            }
        }
        let start = block.body.span.start;
        Declared {
            place: (file.file, block.header()),
            brace: (file.file, Span { start, end: start + 1 }),
            arguments,
            blocks: block.body.blocks.clone(),
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
                    self.encryption(file, inner);
                }
                "required_providers" => self.required_providers(file, inner, is_override),
                _ => {}
            }
        }
        if let Some(attribute) = block.body.get("required_version") {
            self.module.is_root = true;
            let applies = file.name.ends_with(".tofu") || file.name.ends_with(".tofu.json");
            let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
            self.module.required_version.push((written, applies));
        }
    }

    fn required_providers(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        for attribute in &block.body.attributes {
            let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
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
            let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
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
                self.module.calls.insert(name, declared);
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
        let alias = declared.arguments.get("alias").and_then(|w| walk::constant_text(&w.expr)).map(Text::from);
        let alias = alias.or_else(|| declared.arguments.get("alias").and_then(|w| walk::keyword(&w.expr).cloned()));
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
                known.block.arguments.extend(declared.arguments);
                known.block.overridden = Some(declared.place);
            }
            Some(_) => {
                let message = format!(
                    "duplicate provider configuration: a configuration for \"{name}\" with the same alias was already given"
                );
                self.wrong(message, declared.place);
            }
            None => self.module.providers.push(Provider { name, alias, block: declared }),
        }
    }

    fn output(&mut self, file: &SourceFile, block: &Block, is_override: bool) {
        let Some(label) = block.labels.first() else { return };
        let (name, declared) = (label.text.clone(), self.declared(file, block));
        let place = declared.place;
        match self.module.outputs.get_mut(&name) {
            Some(known) if is_override => known.arguments.extend(declared.arguments),
            Some(_) => {
                let message = format!("duplicate output definition: an output named \"{name}\" was already defined");
                self.wrong(message, place);
            }
            None => drop(self.module.outputs.insert(name, declared)),
        }
    }

    fn resource(&mut self, file: &SourceFile, block: &Block) {
        if let Some(attribute) = block.body.get("provider") {
            let written = Written { file: file.file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
            self.module.uses.push(ProviderUse { written });
        }
    }

    fn encryption(&mut self, file: &SourceFile, block: &Block) {
        self.module.encryption.place.get_or_insert((file.file, block.header()));
        for inner in &block.body.blocks {
            let declared = self.declared(file, inner);
            let all = &mut self.module.encryption;
            let key = || inner.labels.iter().map(|l| &*l.text).collect::<Vec<_>>().join(".");
            match &*inner.kind.text {
                "key_provider" => merge(&mut all.key_providers, key().into(), declared),
                "method" => merge(&mut all.methods, key().into(), declared),
                "state" | "plan" => {
                    let target = target(file.file, &inner.body);
                    all.targets.entry(inner.kind.text.clone()).or_default().merge(target);
                }
                "remote_state_data_sources" => {
                    for source in &inner.body.blocks {
                        let name = source.label(0).unwrap_or(&source.kind.text).clone();
                        all.remote.entry(name).or_default().merge(target(file.file, &source.body));
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Module {
        for (name, declared) in &self.variables {
            let found = variable::read(declared, &mut self.module.failures);
            self.module.variables.insert(name.clone(), found);
        }
        self.module.leads = leads(&self.module);
        self.module.declarations = self.variables;
        self.module
    }
}

/// Where the calls of a module lead.
fn leads(module: &Module) -> Vec<Lead> {
    let sources = module.calls.values().filter_map(|call| call.arguments.get("source"));
    sources.map(|written| Lead::of(&module.dir, &written.expr)).collect()
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
    let written = |name: &str| body.get(name).map(|a| Written { file, span: a.span(), expr: Arc::clone(&a.expr) });
    let fallback = body.blocks_of("fallback").next().map(|b| Box::new(target(file, &b.body)));
    Target { method: written("method"), enforced: written("enforced"), fallback }
}

impl Target {
    fn merge(&mut self, other: Target) {
        self.method = other.method.or_else(|| self.method.take());
        self.enforced = other.enforced.or_else(|| self.enforced.take());
        self.fallback = other.fallback.or_else(|| self.fallback.take());
    }
}
