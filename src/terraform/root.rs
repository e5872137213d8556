//! A whole root module: what dialects ask of the code that their components run.

use crate::hcl::ast::Span;
use crate::limits::count_steps;
use crate::resolution::{Absent, Address, Component, Open, OpenPart};
use crate::syntax::secrets::{hide_written, is_secret_key};
use crate::terraform::arguments;
use crate::terraform::components::backend::{self, Workspace};
use crate::terraform::components::builder::Builder;
use crate::terraform::components::calls::{self, MODULE};
use crate::terraform::components::{self, DECLARATIONS, encryption, instances, lifecycle, providers, settings};
use crate::terraform::configuration::reached::Reached;
use crate::terraform::configuration::{self, Configuration, Wanted};
use crate::terraform::evaluation;
use crate::terraform::evaluation::given::Given;
use crate::terraform::evaluation::shown::origin;
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::evaluation::tree::{self, Call};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Declared;
use crate::terraform::module::modules::Modules;
use crate::terraform::module::version;
use crate::terraform::rules;
use crate::terraform::secrets;
use crate::text::Text;
use crate::value::{FileId, Origin};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// A root module with the modules that it calls, before anything in them is evaluated.
pub(crate) struct Entered<'a> {
    modules: &'a Modules<'a>,
    evaluated: Evaluated<'a>,
}

/// A root module that was evaluated.
pub(crate) struct Evaluated<'a> {
    /// Its modules with the values that can be computed before anything runs.
    pub statics: Statics<'a>,
    /// Its calls of modules at all depths.
    pub calls: Vec<Call>,
    /// Its resources, data sources and outputs.
    pub configuration: Configuration,
    /// What is wrong with declarations, calls and files of values.
    failures: Vec<Failure>,
    /// The generated files, and where their contents are written.
    generated: BTreeMap<FileId, Origin>,
    /// What is evaluated of it; everything if this is `None`.
    reached: Option<Arc<Reached>>,
}

/// Evaluates the code in a folder, with what a run gives to it. This is the only way for a dialect to get the resources that the
/// code of a component makes.
pub(crate) fn evaluate<'a>(dir: &str, given: Given<'_>, modules: &'a Modules<'a>, wanted: Wanted) -> Evaluated<'a> {
    enter(dir, given, modules).evaluate(wanted, None)
}

/// Enters the code in a folder, with what a run gives to it.
pub(crate) fn enter<'a>(dir: &str, given: Given<'_>, modules: &'a Modules<'a>) -> Entered<'a> {
    let mut statics = evaluation::of_root(dir, given, modules);
    let module = Arc::clone(&statics.nodes[0].module);
    let mut failures: Vec<Failure> = module.failures.clone();
    failures.extend(statics.inputs.failures.iter().cloned());
    failures.extend(version::check(&module));
    let calls = tree::enter(&mut statics, modules, &mut failures);
    failures.extend(imports_in_calls(&statics));
    failures.extend(repeated_providers(&statics));
    secrets::note(&statics);
    let generated = given.over.map_or(&[][..], |over| &over.generated).iter();
    let generated = generated.filter_map(|file| Some((modules.loader.generated_id(file)?.0, file.origin))).collect();
    let (configuration, reached) = (Configuration::default(), None);
    Entered { modules, evaluated: Evaluated { statics, calls, configuration, failures, generated, reached } }
}

impl<'a> Entered<'a> {
    /// What identifies the code, if that is known.
    pub(crate) fn number(&self) -> Option<u64> {
        configuration::tree_number(&self.evaluated.statics, self.modules)
    }

    /// The files of values for its variables.
    pub(crate) fn files_of_values(&self) -> &[FileId] {
        &self.evaluated.statics.inputs.files
    }

    /// What some of its variables reach; `None` if that may be everything.
    pub(crate) fn reached(&self, differing: &BTreeSet<Text>) -> Option<Reached> {
        Reached::of(&self.evaluated.statics, differing)
    }

    /// Evaluates it, or of it what is reached.
    pub(crate) fn evaluate(self, wanted: Wanted, reached: Option<Arc<Reached>>) -> Evaluated<'a> {
        let Entered { modules, evaluated } = self;
        let evaluate = || configuration::evaluate(&evaluated.statics, modules, wanted, reached.as_deref());
        let configuration = count_steps(|| evaluated.statics.nodes[0].module.dir.to_string(), evaluate);
        Evaluated { configuration, reached, ..evaluated }
    }
}

impl Evaluated<'_> {
    /// Whether an output of the root module was evaluated.
    pub(super) fn includes_output(&self, name: &Text) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.has_output(name))
    }

    /// Returns all failures: those of the declarations with more of their kind, then those of values. Where declarations are
    /// hidden, the values count for nothing: OpenTofu stops there, too.
    pub(crate) fn take_failures(&mut self, more: Vec<Failure>) -> Vec<Failure> {
        let mut failures = std::mem::take(&mut self.failures);
        failures.extend(more);
        self.variables(&mut failures);
        let of_values = std::mem::take(&mut self.configuration.failures);
        if !failures.iter().any(|failure| failure.hides) {
            add(&mut failures, of_values);
            arguments::check(&self.statics, &mut failures);
        }
        if self.statics.nodes[0].module.is_open {
            // A file that is not known may declare what seems to be missing.
            failures.retain(|failure| failure.hides);
        }
        self.hide_secrets(&mut failures);
        let place = |(file, span): &mut Place| {
            if let Some(origin) = self.generated.get(file) {
                (*file, *span) = (origin.file, Span { start: origin.start, end: origin.end });
            }
        };
        for failure in &mut failures {
            failure.place.iter_mut().chain(&mut failure.declared).for_each(place);
            failure.hops.iter_mut().for_each(|hop| place(&mut hop.place));
        }
        failures
    }

    /// Masks what is written under secret names in messages.
    fn hide_secrets(&self, failures: &mut [Failure]) {
        let reader = &self.statics.files.loader().reader;
        let files: BTreeSet<FileId> = self.statics.nodes.iter().flat_map(|n| n.module.files.iter().copied()).collect();
        let names = self.statics.nodes[0].module.variables.keys().filter(|name| is_secret_key(name));
        let values =
            names.filter_map(|name| self.statics.variable_value(0, name).ok()?.as_str().map(ToString::to_string));
        let messages = failures.iter_mut().map(|failure| &mut failure.message);
        hide_written(files.into_iter().map(|file| reader.files.get(file)), values, messages);
    }

    /// Its resources, data sources and outputs as components of a stack. What is written in generated files is where their
    /// contents are written.
    pub(crate) fn components(&self, stack: &Text) -> Vec<Arc<Component>> {
        self.placed(components::of(stack, self).into_iter().map(Arc::new).collect())
    }

    /// What its modules say about themselves as components of a stack, likewise: where and how the state is kept, what they require,
    /// provider configurations, refactoring blocks and lifecycles. Of `wanted` failures alone, only what can fail. With `of_all`, what
    /// called modules require is listed, too.
    pub(crate) fn settings(
        &self,
        stack: &Text,
        workspace: Workspace<'_>,
        (wanted, of_all): (Wanted, bool),
        failures: &mut Vec<Failure>,
    ) -> Vec<Arc<Component>> {
        let mut builder = self.builder(stack);
        instances::add(&mut builder, failures);
        backend::add(&mut builder, workspace, failures);
        encryption::add(&mut builder, failures);
        if wanted == Wanted::Values {
            providers::add(&mut builder);
            settings::add(&mut builder, of_all);
            lifecycle::add(&mut builder);
        }
        self.placed(builder.components)
    }

    /// Its calls of modules that are not in the repository, likewise.
    pub(crate) fn remote_calls(&self, stack: &Text) -> Vec<Arc<Component>> {
        let mut builder = self.builder(stack);
        calls::add(&mut builder, self.calls.iter().filter(|call| call.dir.is_none()));
        self.placed(builder.components)
    }

    /// What is not listed of a stack: what modules make that are not in the repository, or not known, and if only calls of such modules
    /// are listed, the other calls.
    pub(crate) fn open(&self, stack: &Text, lists_all: bool) -> Vec<Open> {
        let path =
            |call: &Call| call.address.split('.').map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".");
        let part = |call: &Call| match &call.dir {
            None => {
                let written = call.declared.arguments.get("source");
                let written = origin(written.map_or(call.declared.place, |source| source.place()));
                // What a generated file calls is where its content is written.
                let origin = self.generated.get(&written.file).copied().unwrap_or(written);
                let calls = (MODULE.into(), call.address.as_str().into());
                Some(OpenPart::Module { name: path(call).into(), calls, origin })
            }
            Some(_) if lists_all => None,
            Some(_) => Some(OpenPart::Component { kind: MODULE.into(), name: call.address.as_str().into() }),
        };
        let parts = self.calls.iter().filter_map(part);
        parts.map(|part| Open { stack: Text::clone(stack), part }).collect()
    }

    /// Collects components of a stack.
    pub(crate) fn builder<'b>(&'b self, stack: &'b Text) -> Builder<'b, 'b> {
        Builder { stack, vocabulary: &DECLARATIONS, components: Vec::new(), statics: &self.statics }
    }

    /// The calls and blocks of it that have no instance.
    pub(crate) fn absent(&self) -> Vec<Absent> {
        let place = |origin: &Origin| self.generated.get(&origin.file).copied().unwrap_or(*origin);
        let absent = self.configuration.absent.iter();
        let placed = |one: &Absent| Absent { name: one.name.clone(), shaping: one.shaping.iter().map(place).collect() };
        absent.map(placed).collect()
    }

    fn placed(&self, mut components: Vec<Arc<Component>>) -> Vec<Arc<Component>> {
        if !self.generated.is_empty() {
            let place = |origin: Origin| self.generated.get(&origin.file).copied();
            for component in components.iter_mut().map(Arc::make_mut) {
                component.value = component.value.with_places(&place);
                let shaping = component.shaping_origins.iter().map(|origin| place(*origin).unwrap_or(*origin));
                component.shaping_origins = shaping.collect();
            }
        }
        components
    }

    /// What it makes, as components of a stack of its own: resources, data sources, outputs, its `settings`, and the calls of modules that
    /// are not in the repository. `owner` is the component whose code it is.
    pub(crate) fn made(
        &self,
        stack: &Text,
        owner: &Arc<Address>,
        settings: Vec<Arc<Component>>,
    ) -> Vec<Arc<Component>> {
        let mut all = settings;
        all.extend(self.remote_calls(stack));
        all.extend(self.components(stack));
        all.sort_by_cached_key(|component| component.address());
        for component in &mut all {
            let component = Arc::make_mut(component);
            component.metadata.made_by = Some(Arc::clone(owner));
            if component.language.vocabulary.counted.is_some() {
                component.language.vocabulary = &components::MADE_RESOURCES;
            }
        }
        all
    }

    /// The files of the repository that had a part in it.
    pub(crate) fn files(&self) -> BTreeSet<FileId> {
        let of_modules = self.statics.nodes.iter().flat_map(|n| n.module.files.iter().copied());
        let files = of_modules.chain(self.statics.inputs.files.iter().copied()).chain(self.statics.read_files());
        files.filter(|file| !self.generated.contains_key(file)).collect()
    }

    /// Variables that are computed in any case, whether something uses them or not: constants, and what is given to the root
    /// module, which `plan` converts to the types of its variables.
    fn variables(&self, failures: &mut Vec<Failure>) {
        for (index, node) in self.statics.nodes.iter().enumerate() {
            for (name, variable) in &node.module.variables {
                let found = match (variable.is_const, node.parent) {
                    (Some(true), _) => self.statics.variable_value(index, name),
                    (_, None) => self.statics.given_value(name, variable),
                    (_, Some(_)) => continue,
                };
                // A value that is not given here may be given to the run.
                let is_wrong =
                    |failure: &Failure| variable.is_const == Some(true) || failure.rule == &rules::INVALID_VALUE;
                failures.extend(found.err().into_iter().flatten().filter(is_wrong));
            }
        }
    }
}

/// Adds failures of the evaluation. What is wrong at a place, and was reported there before, is not reported again.
fn add(failures: &mut Vec<Failure>, found: Vec<Failure>) {
    let mut has_cycle = failures.iter().any(|known| known.is_cyclic);
    let own = failures.iter().filter(|known| !known.is_open);
    let mut places: HashSet<Option<(FileId, u32, u32)>> = own.map(|known| spot(known.place)).collect();
    for failure in found {
        let is_repeated = failure.is_cyclic && has_cycle || places.contains(&spot(failure.place));
        if !is_repeated {
            has_cycle |= failure.is_cyclic;
            places.extend((!failure.is_open).then(|| spot(failure.place)));
            // Its value is unknown: everything else is as it is.
            let help = failure.help.clone();
            failures.push(if failure.hides { failure } else { failure.lint(help) });
        }
    }
}

fn spot(place: Option<Place>) -> Option<(FileId, u32, u32)> {
    place.map(|(file, span)| (file, span.start, span.end))
}

/// Import blocks of called modules: only the root module can have some.
fn imports_in_calls(statics: &Statics<'_>) -> Vec<Failure> {
    let called = statics.nodes.iter().skip(1).flat_map(|node| &node.module.refactorings);
    let imports = called.filter(|block| &*block.kind == "import");
    let message = "invalid import configuration: an import block in a called module is not allowed";
    imports.map(|import| Failure::new(&rules::INVALID_DECLARATION, message, import.block.place)).collect()
}

/// Calls that repeat or delay a module which configures providers itself, at any depth: such a module exists once.
fn repeated_providers(statics: &Statics<'_>) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let is_configured = |node: &Node| node.module.providers.iter().any(|p| !is_empty(&p.block));
    for node in statics.nodes.iter().skip(1).filter(|node| is_configured(node)) {
        let mut current = node;
        while let Some(caller) = current.parent.map(|parent| &statics.nodes[parent]) {
            let call = current.path.last().and_then(|name| caller.module.calls.get(name));
            let arguments = ["count", "for_each", "depends_on"].into_iter();
            let found = call.and_then(|call| arguments.filter_map(|name| call.arguments.get(name)).next());
            if let Some(written) = found {
                let message = format!(
                    "module is incompatible with count, for_each, enabled and depends_on: module.{} configures providers itself",
                    node.address()
                );
                let failure = Failure::new(&rules::INVALID_DECLARATION, message, written.place());
                if failures.iter().all(|known| known.place != failure.place) {
                    failures.push(failure);
                }
            }
            current = caller;
        }
    }
    failures
}

/// Whether a provider configuration has nothing, so that it only says that the module takes one.
fn is_empty(block: &Declared) -> bool {
    block.arguments.keys().all(|name| matches!(&**name, "alias" | "version")) && block.blocks.is_empty()
}
