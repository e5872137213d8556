//! Resolves the manifests of one revision with a usable configuration.

use super::Resolver;
use super::tables::{self, ResolvedUnit, Tables};
use super::units::{Narrowed, Units};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::checks::component_validation::Validations;
use crate::dialects::atmos::checks::stack_names;
use crate::dialects::atmos::checks::unreached_manifests::{self, Unreached};
use crate::dialects::atmos::checks::{disabled_templates, inheritance_cycles, locals, vendor, workflows};
use crate::dialects::atmos::config::{Config, anchor};
use crate::dialects::atmos::diagnostics::{Diagnostics, label};
use crate::dialects::atmos::imports::reach::ChangeReach;
use crate::dialects::atmos::imports::stack_files;
use crate::dialects::atmos::locals::scopes::FileLocals;
use crate::dialects::atmos::manifest::{ManifestCache, Manifests, import_graph};
use crate::dialects::atmos::merge::{ListStrategy, Merger};
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::schema::Schema;
use crate::dialects::atmos::schema::manifest_checks::SchemaChecks;
use crate::dialects::atmos::stack::{
    ExternalInputs, PossibleNames, ReferencedComponents, ResolvedManifest, StackContext, VendoredFolders,
};
use crate::dialects::{Project, Scope};
use crate::reads::Answers;
use crate::resolution::{self, Extent, Gap, Unit};
use crate::template::MissingKey;
use crate::text::Text;
use crate::threads;
use crate::value::FileId;
use std::sync::Arc;

/// The result for the manifests of a revision.
#[derive(Default)]
pub(super) struct ProjectResolution {
    pub(super) units: Vec<Arc<Unit>>,
    pub(super) locals: resolution::Locals,
    pub(super) imports: resolution::Imports,
    pub(super) mentions: Vec<resolution::CommandReference>,
    pub(super) fetched: Vec<resolution::FetchedFolder>,
    pub(super) gap: Option<Gap>,
}

/// Resolves the manifests of a revision under a configuration; `shared` is what that was read from.
pub(super) fn resolve_project(
    resolver: &Resolver,
    reader: &Reader<'_>,
    config: &Config,
    (shared, scope, is_own): (&mut Deps, Scope<'_>, bool),
    project: &Project,
    diagnostics: &Diagnostics,
    external: ExternalInputs<'_>,
) -> ProjectResolution {
    // What is read from here on is no configuration.
    let anchor = anchor(reader.files, shared);
    let strategy = match &config.strategy {
        Ok(strategy) => *strategy,
        Err(name) => return without_strategy(name, config, anchor, diagnostics),
    };
    let schema = Schema::of(config, reader, shared, anchor, diagnostics);
    let shared = &*shared;
    let answers = &Answers::new(reader.source);
    let tables = match is_own {
        true => {
            let key = (project.start.clone(), project.config.clone());
            resolver.known.of(&key, tables::configuration_reads(shared, reader, answers))
        }
        false => Arc::default(),
    };
    let tables = &*tables;
    let revision = Revision {
        resolver,
        reader,
        config,
        anchor,
        strategy,
        shared,
        scope,
        project,
        diagnostics,
        external,
        tables,
        answers,
    };
    revision.resolve(schema)
}

/// Reports that the configuration names a list strategy that does not exist.
fn without_strategy(name: &str, config: &Config, file: FileId, diagnostics: &Diagnostics) -> ProjectResolution {
    let setting = config.all.at_path(["settings", "list_merge_strategy"]);
    let site = setting.map(|v| v.prov.clone()).unwrap_or_default();
    let message = format!("`{name}` is not a list merge strategy: use `replace`, `append` or `merge`");
    let gap = Gap { extent: Extent::Everything, reason: message.clone(), file: Some(file) };
    diagnostics.error(&rules::INVALID_CONFIG, message, &site, file);
    ProjectResolution { gap: Some(gap), ..Default::default() }
}

/// One revision under a usable configuration.
pub(super) struct Revision<'a> {
    pub(super) resolver: &'a Resolver,
    pub(super) reader: &'a Reader<'a>,
    pub(super) config: &'a Config,
    /// The file that stands for the configuration.
    anchor: FileId,
    strategy: ListStrategy,
    /// The files that the configuration was read from.
    pub(super) shared: &'a Deps,
    scope: Scope<'a>,
    pub(super) project: &'a Project,
    pub(super) diagnostics: &'a Diagnostics,
    external: ExternalInputs<'a>,
    /// What has been resolved under the same configuration.
    pub(super) tables: &'a Tables,
    pub(super) answers: &'a Answers<'a>,
}

impl Revision<'_> {
    fn resolve(&self, schema: Schema) -> ProjectResolution {
        let (reader, config) = (self.reader, self.config);
        let (manifests, gap) = self.manifests();
        let scope = self.scope();
        let checks = SchemaChecks::new(schema, reader.files);
        let known = self.tables.manifests.all(self.answers);
        let validated = unreached_manifests::validated(reader, config);
        let cache = ManifestCache::with_known(reader, config, known.clone());
        let (templates, locals, recorder) =
            (&self.resolver.templates, &self.resolver.locals, Arc::new(Recorder::default()));
        let loader = Manifests::new(reader, config, self.merger(), templates, locals, &cache, &recorder)
            .with_checks(Some(&checks))
            .with_env(self.external.env);
        let referenced = ReferencedComponents::new(&loader, &manifests);
        let vendored = VendoredFolders::default();
        let stacks = self.stacks(&loader, &vendored);
        let narrowed = match scope {
            Scope::All => Narrowed::Nothing,
            Scope::Touched(changes) => Narrowed::Changes(ChangeReach::new(reader, config, changes)),
            Scope::Stacks(wanted) => Narrowed::Names(PossibleNames::new(&stacks, wanted)),
        };
        let units = Units {
            revision: self,
            loader: &loader,
            stacks: &stacks,
            referenced: &referenced,
            validations: &Validations::new(reader, config),
            narrowed,
            scope,
        };
        if matches!(scope, Scope::All) {
            unreached_manifests::preload(reader, &validated);
        }
        let resolved: Vec<Arc<ResolvedUnit>> =
            threads::map(&manifests, |path| units.resolve(path)).into_iter().flatten().collect();
        if self.project.cancel.is_canceled() {
            return ProjectResolution::default();
        }
        let recorders = resolved.iter().map(|unit| Arc::clone(&unit.recorder)).chain([recorder.clone()]);
        let recorded = Recorder::collect(recorders);
        let (loader, stacks) = (loader.recording(&recorded), stacks.recording(&recorded));
        let (mut unreached, mut gap_of_names) = (Unreached::default(), None);
        threads::join(
            || unreached = unreached_manifests::check(&loader, &manifests, &validated, scope),
            || gap_of_names = self.check_units(&stacks, &resolved),
        );
        let units = resolved.iter().map(|unit| Arc::clone(&unit.manifest.unit)).collect();
        let project = self.finish(&loader, unreached, units);
        self.diagnostics.add(&recorded.diagnostics);
        for (key, manifest) in cache.into_lasting().filter(|(key, _)| !known.contains_key(key)) {
            let reads = Arc::new(tables::reads(&manifest.deps, self.answers));
            self.tables.manifests.insert(key, reads, manifest);
        }
        ProjectResolution { gap: gap.or(gap_of_names), ..project }
    }

    /// Merges maps by the list strategy of the configuration.
    fn merger(&self) -> Merger<'_> {
        Merger::new(self.strategy, &self.resolver.merges)
    }

    /// Runs the checks that read only the units, and returns why names of stacks are doubtful.
    fn check_units(&self, stacks: &StackContext<'_>, resolved: &[Arc<ResolvedUnit>]) -> Option<Gap> {
        let manifests: Vec<&ResolvedManifest> = resolved.iter().map(|unit| &unit.manifest).collect();
        stack_names::check(stacks, &manifests, self.anchor);
        let diagnostics = &stacks.recorder.diagnostics;
        let circular = resolved.iter().filter(|unit| unit.has_cycle).map(|unit| Arc::clone(&unit.manifest.unit));
        inheritance_cycles::check(&circular.collect::<Vec<_>>(), diagnostics);
        let units: Vec<Arc<Unit>> = resolved.iter().map(|unit| Arc::clone(&unit.manifest.unit)).collect();
        disabled_templates::check(&units, self.config, stacks.templates, diagnostics);
        stack_names::doubtful_names(self.config, &manifests, self.anchor)
    }

    /// The paths of the top-level manifests, and why some may be missing.
    fn manifests(&self) -> (Vec<String>, Option<Gap>) {
        let (reader, config) = (self.reader, self.config);
        let mut found = self.shared.clone();
        let (manifests, gap) = stack_files::manifests(reader, config, self.diagnostics, &mut found);
        if !manifests.is_empty() && stack_files::has_plain_manifest(reader, config) {
            return (manifests, gap);
        }
        let file = self.anchor;
        let wanted = config.included.join("`, `");
        let message = format!("no stack manifests found below {} for `{wanted}`", config.stacks);
        let site = config.all.at_path(["stacks", "included_paths"]).map(|v| v.prov.clone()).unwrap_or_default();
        let gap = Gap { extent: Extent::Units, reason: message.clone(), file: Some(file) };
        let mut finding = Diagnostic::new(&rules::INVALID_CONFIG, message, label(&site, file, ""));
        for path in &manifests {
            let Ok(Some(template)) = reader.load(path, &mut found) else { continue };
            finding = finding.related(Label::new(template.file, 0, 0, "only a template"));
        }
        if !manifests.is_empty() {
            finding = finding.help("Atmos treats a folder that contains only templates as empty: add a manifest");
        }
        self.diagnostics.push(finding);
        (manifests, Some(gap))
    }

    /// What is to be resolved: everything if a change touches the configuration.
    fn scope(&self) -> Scope<'_> {
        match self.scope {
            Scope::Touched(changes) if self.shared.are_touched(changes) => Scope::All,
            scope => scope,
        }
    }

    fn stacks<'s>(&'s self, loader: &'s Manifests<'_>, vendored: &'s VendoredFolders) -> StackContext<'s> {
        StackContext {
            reader: self.reader,
            config: self.config,
            merger: self.merger(),
            templates: &self.resolver.templates,
            recorder: loader.recorder,
            lock_file: &loader.cache.lock_file,
            vendored,
            external: self.external,
            bases: self.resolver.bases(self.config),
            describes: false,
        }
    }

    /// Runs the checks that need all units and manifests.
    fn finish(&self, loader: &Manifests<'_>, unreached: Unreached, units: Vec<Arc<Unit>>) -> ProjectResolution {
        let (reader, config, diagnostics, templates) =
            (self.reader, self.config, &loader.recorder.diagnostics, &self.resolver.templates);
        let mut found = ProjectResolution::default();
        threads::join(
            || locals::report_locals(loader, unreached.reported, &units),
            || {
                found.locals = self.local_scopes(loader, &units);
                found.imports = import_graph::of(loader, &unreached.manifests, &units);
                found.mentions = workflows::mentions(reader, config, self.scope, diagnostics);
                found.fetched = vendor::check(reader, config, templates, diagnostics);
            },
        );
        ProjectResolution { units, ..found }
    }

    fn local_scopes(&self, loader: &Manifests<'_>, units: &[Arc<Unit>]) -> resolution::Locals {
        let known = loader.recorder.observations.records().locals;
        let path = |f: &&Arc<FileLocals>| Text::clone(&f.loaded.path);
        let mut files: Vec<&Arc<FileLocals>> = known.values().collect();
        files.sort_by_cached_key(path);
        let views = threads::map(&files, |f| f.view(&self.resolver.templates));
        let scopes = views.into_iter().flatten().cloned().collect();
        let named = |unit: &Arc<Unit>| {
            let found = known.get(&unit.file)?;
            let engine = loader.engine(MissingKey::Error);
            Some((unit.file, found.own_stack_name(&found.loaded.path, self.config, &engine)?))
        };
        resolution::Locals { scopes, stacks: units.iter().filter_map(named).collect() }
    }
}
