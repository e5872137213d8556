//! One manifest with all that it imports, merged into one map (`reference: atmos.md` sections 3, 4.7, 7.1 and 9.3).
//!
//! `process` merges a manifest: its content (`content`: read, its locals resolved, rendered) over the files of its
//! imports (`import_targets`), with its overrides. `import_chain` is the path from the stack to it.

mod content;
mod import_chain;
pub(super) mod import_graph;
mod import_targets;
pub(super) mod local_problems;
mod overrides;
mod process;

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::functions::{Env, NO_ENV};
use crate::dialects::atmos::locals::scopes::LocalCache;
use crate::dialects::atmos::merge::Merger;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::schema::manifest_checks::{Given, SchemaChecks};
use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::dialects::atmos::templates::function_sets;
use crate::dialects::atmos::templates::host::{Mentions, version_tracks::LockFile};
use crate::limits::{Limit, take_steps};
use crate::template::{FunctionSet, MissingKey};
use crate::text::{FastMap, Text};
use crate::value::{Map, Origin, Prov, Unknown};
use import_chain::ImportChain;
use overrides::{AllOverrides, MergedOverrides, OverridesId};
use parking_lot::Mutex;
use process::process;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The template functions of a render of a whole file.
pub(super) const FILE_FUNCTIONS: FunctionSet = function_sets::ALL;

/// The steps of each file that a manifest is made from, which is kept with the manifest.
const STEPS_OF_A_FILE: u64 = 100;

/// A manifest, merged.
#[derive(Clone, Default)]
pub(super) struct Processed {
    /// The imports and the file itself.
    pub merged: Arc<Map>,
    /// The overrides, for its importers.
    overrides: AllOverrides,
    /// The overrides of its importer. Their addresses are part of its key.
    given: AllOverrides,
    pub deps: Deps,
    /// The records of the manifest and its imports.
    recorder: Arc<Recorder>,
    /// The import items that led to files.
    pub edges: BTreeSet<Origin>,
    /// Files of it that git does not have: what they set is unknown.
    pub lacks: BTreeMap<Text, Arc<Unknown>>,
    /// The files that it imports itself.
    pub targets: BTreeSet<Text>,
    /// The number of its imports, where an importer has overrides and each counts.
    imports: usize,
    /// Whether some import path was rendered with what was imported before.
    contextual: bool,
    /// Whether what was found in it depends on the way that led here.
    path_dependent: bool,
}

/// How a manifest is reached.
#[derive(Clone, Default)]
pub(super) struct Call {
    pub context: Arc<Map>,
    pub skip_templates: bool,
    pub ignore_missing: bool,
    overrides: AllOverrides,
}

impl Call {
    /// Whether the content of the context makes no difference, though its existence may. A rendered file drops the
    /// locals of its importer first, so without other keys every importer gets the same result.
    fn gives_nothing(&self) -> bool {
        self.context.is_empty() || !self.skip_templates && self.context.keys().all(|key| **key == *"locals")
    }

    /// What the importer gives to the manifest.
    fn given(&self) -> Given {
        if self.context.is_empty() {
            Given::Nothing
        } else if self.gives_nothing() {
            Given::Context
        } else {
            Given::Data
        }
    }
}

/// What the result for a manifest depends on besides the files.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct MemoKey {
    path: Text,
    /// How it is requested; see [`Call`].
    skip_templates: bool,
    ignore_missing: bool,
    /// Whether the importer passed a context.
    has_context: bool,
    overrides: OverridesId,
}

/// Shared data for processing the manifests of one revision.
pub(super) struct ManifestCache<'a> {
    pub(super) lock_file: LockFile<'a>,
    /// What the templates of files may request.
    pub(super) mentions: Mentions,
    memo: Mutex<FastMap<MemoKey, Arc<Processed>>>,
    /// The manifests that were processed once with the overrides of an importer: most overrides come only once.
    once: Mutex<FastMap<MemoKey, AllOverrides>>,
    overrides: MergedOverrides,
}

impl<'a> ManifestCache<'a> {
    /// Nothing is known yet.
    pub(super) fn new(reader: &'a Reader<'a>, config: &'a Config) -> Self {
        Self::with_known(reader, config, FastMap::default())
    }

    /// Some manifests are known.
    pub(super) fn with_known(
        reader: &'a Reader<'a>,
        config: &'a Config,
        known: FastMap<MemoKey, Arc<Processed>>,
    ) -> Self {
        let (lock_file, mentions) = (LockFile::new(reader, config), Mentions::default());
        let (memo, once, overrides) = (Mutex::new(known), Mutex::default(), MergedOverrides::default());
        ManifestCache { lock_file, mentions, memo, once, overrides }
    }

    /// The manifests that are the same in any revision with the same files. Overrides of an importer are known by their addresses,
    /// which are of this revision alone.
    pub(super) fn into_lasting(self) -> impl Iterator<Item = (MemoKey, Arc<Processed>)> {
        self.memo.into_inner().into_iter().filter(|(_, processed)| processed.given.is_empty())
    }

    /// Whether a call with overrides comes again.
    fn is_repeated(&self, key: &MemoKey, call: &Call) -> bool {
        self.once.lock().insert(key.clone(), call.overrides.clone()).is_some()
    }
}

/// Processes manifests of one revision, and records what it finds on the way.
#[derive(Clone, Copy)]
pub(super) struct Manifests<'a> {
    pub reader: &'a Reader<'a>,
    pub config: &'a Config,
    /// Merges maps by the list strategy of the configuration.
    pub merger: Merger<'a>,
    /// Parsed templates.
    pub templates: &'a Templates,
    /// The schema checks, if enabled.
    checks: Option<&'a SchemaChecks<'a>>,
    /// Locals of files, resolved.
    pub locals: &'a LocalCache,
    /// The environment variables that are known.
    pub env: &'a Env,
    /// The manifests processed so far.
    pub cache: &'a ManifestCache<'a>,
    /// What is found.
    pub recorder: &'a Recorder,
}

impl<'a> Manifests<'a> {
    pub(super) fn new(
        reader: &'a Reader<'a>,
        config: &'a Config,
        merger: Merger<'a>,
        templates: &'a Templates,
        locals: &'a LocalCache,
        cache: &'a ManifestCache<'a>,
        recorder: &'a Recorder,
    ) -> Self {
        let (checks, env) = (None, &NO_ENV);
        Manifests { reader, config, merger, templates, checks, locals, env, cache, recorder }
    }

    /// The same, with environment variables that are known.
    pub(super) fn with_env(self, env: &'a Env) -> Self {
        Manifests { env, ..self }
    }

    /// The same, with manifests validated or not.
    pub(super) fn with_checks(self, checks: Option<&'a SchemaChecks<'a>>) -> Self {
        Manifests { checks, ..self }
    }

    /// The same, with another recorder.
    pub(super) fn recording<'b>(&'b self, recorder: &'b Recorder) -> Manifests<'b> {
        Manifests { recorder, ..*self }
    }

    /// The same, with another cache and another recorder.
    pub(super) fn again<'b>(&'b self, cache: &'b ManifestCache<'b>, recorder: &'b Recorder) -> Manifests<'b> {
        Manifests { cache, recorder, ..*self }
    }

    /// A top-level manifest; what it depends on is in `deps` even if it cannot be had.
    pub(super) fn top(&self, path: &str, deps: &mut Deps) -> Result<Arc<Processed>, ErrorReported> {
        let call = Call { ignore_missing: self.config.templates.ignore_missing, ..Call::default() };
        self.file(path, &call, &mut ImportChain::default(), deps)
    }

    /// The template engine of whole files.
    pub(super) fn engine(&self, missing: MissingKey) -> Engine<'_> {
        Engine {
            templates: self.templates,
            slot: 0,
            delimiters: ("{{", "}}"),
            functions: &FILE_FUNCTIONS,
            missing,
            env: self.env,
            assume: false,
            host: None,
            misses: None,
        }
    }

    fn file(
        &self,
        path: &str,
        call: &Call,
        chain: &mut ImportChain,
        deps: &mut Deps,
    ) -> Result<Arc<Processed>, ErrorReported> {
        let plain = call.gives_nothing();
        let key = MemoKey {
            path: path.into(),
            skip_templates: call.skip_templates,
            ignore_missing: call.ignore_missing,
            has_context: !call.context.is_empty(),
            overrides: call.overrides.id(),
        };
        let known = self.cache.memo.lock().get(&key).filter(|_| plain).cloned();
        // Where the limit is reached, it is reported where that happens.
        let limit = self.reader.limits().count(Limit::Imports);
        if let Some(known) = known.filter(|known| known.imports == 0 || chain.imports + known.imports + 1 < limit) {
            deps.add(&known.deps);
            self.recorder.include(Arc::clone(&known.recorder));
            chain.imports += 1 + known.imports;
            return Ok(known);
        }
        let mut own = Deps::default();
        chain.files.push((Text::clone(&key.path), Prov::default()));
        let is_alone = plain && call.overrides.is_empty();
        let before = if is_alone { std::mem::take(&mut chain.imports) } else { 0 };
        let start = chain.imports;
        let mark = chain.imported_sections.enter();
        let recorder = Arc::<Recorder>::default();
        let processed = process(&self.recording(&recorder), path, call, chain, &mut own);
        self.recorder.include(Arc::clone(&recorder));
        chain.imported_sections.leave(&mark);
        chain.files.pop();
        take_steps(own.files.len() as u64 * STEPS_OF_A_FILE);
        deps.add(&own);
        let (given, imports) = (call.overrides.clone(), if is_alone { 0 } else { chain.imports - start });
        let processed = processed.map(|p| Arc::new(Processed { deps: own, recorder, given, imports, ..p }));
        // A failure may be due to the way that led here (a cycle), so it is not remembered.
        let remembered = processed.as_ref().ok().filter(|p| plain && !p.contextual && !p.path_dependent);
        chain.imports = before + if is_alone && remembered.is_some() { 1 } else { 1 + chain.imports };
        let is_repeated = || is_alone || self.cache.is_repeated(&key, call);
        if let Some(processed) = remembered.filter(|_| is_repeated()) {
            self.cache.memo.lock().insert(key, Arc::clone(processed));
        }
        processed
    }
}
