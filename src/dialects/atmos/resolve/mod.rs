//! From the configuration to the resolution of one revision: all stages in their order, on all cores.

mod project;
mod tables;
mod units;

use crate::dialects::atmos::component::bases::InheritanceCache;
use crate::dialects::atmos::config::search::{self, ConfigError};
use crate::dialects::atmos::config::{self, Config, anchor, report_unusable};
use crate::dialects::atmos::diagnostics::{Diagnostics, name_stacks};
use crate::dialects::atmos::functions::calls;
use crate::dialects::atmos::locals::scopes::LocalCache;
use crate::dialects::atmos::merge::MergeCache;
use crate::dialects::atmos::reader::{Cache, Deps, Reader};
use crate::dialects::atmos::stack::ExternalInputs;
use crate::dialects::atmos::templates::engine::Templates;
use crate::dialects::{Project, Scope};
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Extent, Gap, Resolution};
use crate::source::Source;
use crate::value::{FileId, Value};
use parking_lot::Mutex;
use project::{ProjectResolution, resolve_project};
use std::sync::Arc;
use tables::ProjectTables;

/// Identifies a project of a repository: the start folder, and the configuration that the user names.
type ProjectKey = (String, Vec<String>);

/// Resolves revisions. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(super) struct Resolver {
    cache: Cache,
    /// Parsed templates.
    pub(super) templates: Templates,
    /// Recent merges.
    merges: MergeCache,
    locals: LocalCache,
    /// Caches of merged bases, by the configuration that they were merged with.
    bases: Mutex<Vec<(Value, Arc<InheritanceCache>)>>,
    /// What has been resolved.
    known: ProjectTables,
}

impl Resolver {
    /// With empty caches and these limits.
    pub(super) fn with_limits(limits: Limits) -> Self {
        Resolver { cache: Cache::new(limits), templates: Templates::new(limits), ..Self::default() }
    }

    pub(super) fn reader<'a>(&'a self, source: &'a dyn Source, files: &'a Files) -> Reader<'a> {
        Reader::new(source, files, &self.cache)
    }

    /// Resolves a revision under its own configuration.
    pub(super) fn resolve(
        &self,
        source: &dyn Source,
        project: &Project,
        files: &Files,
        scope: Scope<'_>,
    ) -> Resolution {
        let reader = self.reader(source, files);
        let mut shared = Deps::default();
        let config = search::load(&reader, project, &mut shared);
        self.resolve_with(&reader, config, project, (&mut shared, scope, true))
    }

    /// Resolves a revision under a configuration of another one; `shared` are the files that it was read from. Nothing of it is kept.
    pub(super) fn resolve_under(
        &self,
        reader: &Reader<'_>,
        config: &Config,
        project: &Project,
        shared: &mut Deps,
    ) -> Resolution {
        self.resolve_with(reader, Ok(config.clone()), project, (shared, Scope::All, false))
    }

    /// Resolves a revision under a configuration, its own or not.
    fn resolve_with(
        &self,
        reader: &Reader<'_>,
        config: Result<Config, ConfigError>,
        project: &Project,
        (shared, scope, is_own): (&mut Deps, Scope<'_>, bool),
    ) -> Resolution {
        let diagnostics = Diagnostics::default();
        let given = project.eval_inputs.iter().flat_map(|inputs| &inputs.env);
        let env = given.map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
        let configuration: Vec<FileId> = shared.files.iter().copied().collect();
        let remote = config.as_ref().map(|config| config.remote.clone()).unwrap_or_default();
        let ProjectResolution { units, locals, imports, mentions, fetched, gap } = match config {
            Ok(config) => {
                let external = ExternalInputs {
                    eval_inputs: project.eval_inputs.as_ref(),
                    env: &env,
                    root: &project.root,
                    language: calls::language(project.promised_merge),
                    assumes_env: false,
                };
                let anchor = anchor(reader.files, shared);
                config::check(&config.all, reader.files, anchor)
                    .into_iter()
                    .for_each(|finding| diagnostics.report(finding));
                resolve_project(self, reader, &config, (shared, scope, is_own), project, &diagnostics, external)
            }
            Err(error) => ProjectResolution {
                gap: Some(report_unusable(error, &diagnostics, reader.files)),
                ..Default::default()
            },
        };
        diagnostics.unite();
        let mut findings = diagnostics.into_findings();
        name_stacks(&mut findings, &units);
        let mut assumptions = assumptions(project, &configuration, gap.as_ref());
        if !remote.is_empty() {
            assumptions.push(format!("{}: what it may set besides is taken as not set", config::not_read(&remote)));
        }
        let documents = reader.documents();
        Resolution {
            units,
            findings,
            locals,
            imports,
            mentions,
            fetched,
            documents,
            config: configuration,
            assumptions,
            remote_config: remote.into_iter().collect(),
            gap,
            ..Resolution::default()
        }
    }

    /// Returns the cache of merged bases for a configuration.
    fn bases(&self, config: &Config) -> Arc<InheritanceCache> {
        let mut all = self.bases.lock();
        if let Some((_, bases)) = all.iter().find(|(known, _)| *known == config.all) {
            return Arc::clone(bases);
        }
        let bases = Arc::new(InheritanceCache::default());
        all.push((config.all.clone(), Arc::clone(&bases)));
        bases
    }

    /// Drops everything that was parsed, and what was resolved of other revisions: files that are needed again are read again, since
    /// their table may have dropped the versions that were parsed.
    pub(super) fn forget(&self, source: &dyn Source) {
        self.cache.clear();
        self.locals.clear();
        self.bases.lock().clear();
        self.merges.clear();
        self.templates.forget();
        self.known.retain(source);
    }
}

/// Returns assumptions about a missing configuration, or one that is not where Atmos looks for it.
fn assumptions(project: &Project, configuration: &[FileId], gap: Option<&Gap>) -> Vec<String> {
    if project.is_elsewhere {
        let start = if project.start.is_empty() { "the root" } else { &project.start };
        return project
            .config
            .iter()
            .map(|path| {
                format!(
                    "{path} is in a folder that Atmos does not search; it is used as the only configuration of {start}"
                )
            })
            .collect();
    }
    if !configuration.is_empty() || gap.is_some_and(|gap| gap.extent == Extent::Everything) {
        return Vec::new();
    }
    vec!["no atmos.yaml found, so the defaults of Atmos are used".to_owned()]
}
