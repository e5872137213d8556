//! The context in which all components of a revision are built, rendered and evaluated.

use super::evaluation::ExternalInputs;
use super::metadata::vendored::VendoredFolders;
use crate::dialects::EvalInputs;
use crate::dialects::atmos::component::bases::InheritanceCache;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::manifest::FILE_FUNCTIONS;
use crate::dialects::atmos::merge::Merger;
use crate::dialects::atmos::reader::Reader;
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::dialects::atmos::templates::host::version_tracks::LockFile;
use crate::template::{FunctionSet, MissingKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No external inputs.
static NOTHING: EvalInputs = EvalInputs { env: BTreeMap::new(), outputs: BTreeMap::new(), calls: BTreeMap::new() };

/// The context in which all components of a revision are built, rendered and evaluated.
pub(in crate::dialects::atmos) struct StackContext<'a> {
    pub reader: &'a Reader<'a>,
    pub config: &'a Config,
    /// Merges maps by the list strategy of the configuration.
    pub merger: Merger<'a>,
    /// Parsed templates.
    pub templates: &'a Templates,
    /// What is found.
    pub recorder: &'a Recorder,
    pub lock_file: &'a LockFile<'a>,
    /// The folders that vendor manifests speak of.
    pub vendored: &'a VendoredFolders,
    pub external: ExternalInputs<'a>,
    /// The cache of merged bases.
    pub bases: Arc<InheritanceCache>,
    /// Components are resolved as `describe component` shows them, for another component.
    pub describes: bool,
}

impl StackContext<'_> {
    /// The template engine of stack names.
    pub(in crate::dialects::atmos) fn name_engine(&self, missing: MissingKey) -> Engine<'_> {
        self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, missing)
    }

    /// The template engine of the component pass.
    pub(in crate::dialects::atmos) fn component_engine<'e>(
        &'e self,
        functions: &'e FunctionSet,
        delimiters: (&'e str, &'e str),
    ) -> Engine<'e> {
        let templates = &self.config.templates;
        let slot = 2 + usize::from(templates.sprig) + 2 * usize::from(templates.gomplate);
        self.engine(slot, delimiters, functions, MissingKey::Default)
    }

    /// The same for a component that another one waits for: findings are not reported, functions are evaluated.
    pub(super) fn quiet<'q>(&'q self, recorder: &'q Recorder) -> StackContext<'q> {
        let eval_inputs = Some(self.external.eval_inputs.unwrap_or(&NOTHING));
        let external = ExternalInputs { eval_inputs, assumes_env: true, ..self.external };
        StackContext { external, describes: true, ..self.recording(recorder) }
    }

    /// The same, with another recorder.
    pub(in crate::dialects::atmos) fn recording<'r>(&'r self, recorder: &'r Recorder) -> StackContext<'r> {
        StackContext { recorder, bases: Arc::clone(&self.bases), ..*self }
    }

    /// A template engine in the environment that is known.
    pub(super) fn engine<'e>(
        &'e self,
        slot: usize,
        delimiters: (&'e str, &'e str),
        functions: &'e FunctionSet,
        missing: MissingKey,
    ) -> Engine<'e> {
        Engine {
            templates: self.templates,
            slot,
            delimiters,
            functions,
            missing,
            env: self.external.env,
            assume: false,
            host: None,
            misses: None,
        }
    }
}
