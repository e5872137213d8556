//! The systems whose configuration stacklint resolves. Each converts a revision into a [`Resolution`]; nothing outside
//! of its own folder depends on it, and [`all`] is the only list of dialects.

pub(crate) mod atmos;
mod env_file;
mod eval_inputs;
mod evaluation;
pub(crate) mod garden;
mod hcl_eval;
pub(crate) mod jitsubst;
pub(crate) mod opentofu;
mod project_inputs;
mod registry;
mod root_settings;
#[cfg(test)]
#[path = "../../tests/architecture/scratch_dialect.rs"]
mod scratch_dialect;
mod search;
pub(crate) mod steering;
pub(crate) mod terragrunt;
mod yaml_file;

pub(crate) use env_file::{EnvFile, assignment, unquoted};
pub(crate) use eval_inputs::EvalInputs;
pub(crate) use evaluation::{EvalError, EvalMode, Evaluated, LookedUp, texts};
pub(crate) use project_inputs::{ProjectInputs, VariableInput};

pub(crate) use registry::{Dialects, FoundProjects, ProjectHandle, combine};
pub(crate) use root_settings::{RootSettings, VariableSet};
pub(crate) use search::{
    Below, Missing, Selection, and_around, configurations_below, is_others, is_vendored, lies_below,
};

use crate::affected::{Affected, Request};
use crate::code::{self, Runs};
use crate::diagnostic::Rule;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::authoring::Authoring;
use crate::resolution::{Address, Component, Resolution, Unit};
use crate::source::{Change, Source};
use crate::terraform::evaluation::given::RunInputs;
use crate::terraform::load::Runner;
use crate::terraform::module::modules::{Cache, Modules};
use crate::terraform::provider_schema::ProviderSchemas;
use crate::text::Text;
use crate::threads::Cancel;
use crate::value::{Value, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// The project that the user selected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Project {
    /// The folder to start in, from the root of the repository; empty for the root.
    pub start: String,
    /// The folder that a pipeline sees paths of components from: the current one, from the root of the repository.
    pub current: String,
    /// The absolute path of the root, for configurations with absolute paths; empty if there is no work tree.
    pub root: String,
    /// Configuration files or folders that replace the search, from the root of the repository.
    pub config: Vec<String>,
    /// Environment variables that a dialect honours (see [`Dialect::variables`]), by name.
    pub env: BTreeMap<String, String>,
    /// The names of the environment variables that are set where the project is deployed, if the user lists them.
    pub variables: Option<BTreeSet<String>>,
    /// The inputs for evaluating functions; without them, functions stay as written.
    pub eval_inputs: Option<EvalInputs>,
    /// Input variables, environment variables and the workspace that the user gave.
    pub inputs: ProjectInputs,
    /// The settings of root modules.
    pub roots: RootSettings,
    /// The schemas of providers that the user names, instead of those of the settings.
    pub schemas: Option<Arc<ProviderSchemas>>,
    /// Folders whose code is that of components of other systems' projects, sorted.
    pub claimed: Vec<String>,
    /// Folders of code that are projects of their own in another one of the compared states, sorted.
    pub kept: Vec<String>,
    /// Whether its configuration was found in a folder that is not searched: it counts as if it were in the start folder.
    pub is_elsewhere: bool,
    /// Whether the code of components is not evaluated.
    pub leaves_code: bool,
    /// Whether rules also look for what would be different if merging waited for functions across files.
    pub promised_merge: bool,
    /// Whether the result is still wanted. Once it is not, any result will do.
    pub cancel: Cancel,
}

impl Project {
    /// Where code runs, and by which tool.
    pub(crate) fn runner(&self) -> Runner {
        Runner {
            root: self.root.clone(),
            is_terraform: self.roots.tool.as_deref() == Some("terraform"),
            schemas: self.schemas.clone().or_else(|| self.roots.schemas.clone()),
        }
    }
}

/// The folders of code that some system takes for projects of their own, found when they are asked for.
pub(crate) type Candidates<'a> = &'a dyn Fn() -> Vec<String>;

/// How much of a revision is to be resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope<'a> {
    All,
    /// Only units that one of these changes can reach; others are named, without components.
    Touched(&'a [Change]),
    /// Only units that may have such stacks; others may be named, without components. Findings are incomplete.
    Stacks(StackNames<'a>),
}

/// What edits can do to a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It may read an edited file.
    Reached,
    /// It reads none.
    Untouched,
    /// It reads none, but for what files may read that git does not have.
    Open,
}

/// The names of the stacks that a question is about.
#[derive(Clone, Copy)]
pub(crate) struct StackNames<'a>(&'a (dyn Fn(&str) -> bool + Sync));

impl<'a> StackNames<'a> {
    pub(crate) fn new(is_wanted: &'a (dyn Fn(&str) -> bool + Sync)) -> Self {
        StackNames(is_wanted)
    }

    /// Whether the question may be about a stack of this name.
    pub(crate) fn has(&self, stack: &str) -> bool {
        (self.0)(stack)
    }
}

impl fmt::Debug for StackNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StackNames")
    }
}

/// How certain it is that a folder holds a project of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Presence {
    /// Possibly: it has something that such projects have, but others may have too. It counts only where nothing certainly is
    /// a project.
    Likely,
    /// It does, without a configuration, so that defaults count. A configuration in a folder that is not searched takes their place.
    Assumed,
    /// It does.
    Certain,
}

/// Environment variables that a dialect honours; no others are examined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variables {
    /// The prefixes of their names.
    pub prefixes: &'static [&'static str],
    /// Variables among them that contain a path. If it is absolute, the dialect gets it as a `/` and the path relative
    /// to the root of the repository.
    pub paths: &'static [&'static str],
}

/// One revision, with what has been read of it.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    /// Its files.
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    /// Code that has been parsed.
    pub cache: &'a Cache,
}

/// A system.
pub(crate) trait Dialect: Send + Sync {
    /// Its name, as `--dialect` takes it.
    fn name(&self) -> &'static str;

    /// How its projects are recognized, for the message that there is none: "an `x.yaml`".
    fn known_by(&self) -> &'static str;

    /// The rules that only this dialect reports.
    fn rules(&self) -> &'static [&'static Rule] {
        &[]
    }

    /// The names of the parts of its components. Its components refer to it too, in their `Language`.
    fn vocabulary(&self) -> &'static Vocabulary {
        &Vocabulary::EMPTY
    }

    /// Whether files of configuration have settings whose effect the values of components do not show.
    fn hides_settings(&self) -> bool {
        false
    }

    /// Whether values show all effects of a setting: a JSON Pointer into a file of configuration.
    fn shows_setting(&self, _path: &str) -> bool {
        true
    }

    /// What finds the part of a document of a file of configuration that no component shows; `None` if all of each document is shown.
    fn hidden_part(&self) -> Option<fn(&Value) -> Option<Value>> {
        None
    }

    /// Whether a setting says how components are run, a JSON Pointer into a file of configuration: one that values do not show is told
    /// with every comparison.
    fn steers_runs(&self, _path: &str) -> bool {
        false
    }

    /// Whether a section of a file has an effect only where the file is imported.
    fn is_imported(&self, _section: &str) -> bool {
        false
    }

    /// What it says about its files to those who write them.
    fn authoring(&self) -> Option<&'static dyn Authoring> {
        None
    }

    /// The environment variables that it honours.
    fn variables(&self) -> Variables {
        Variables::default()
    }

    /// Whether a configuration that the user names (a path from the root of the repository) is one of this dialect, by
    /// what is in it. What no dialect claims goes to the first one.
    fn claims(&self, source: &dyn Source, config: &str) -> bool;

    /// Returns the folder of the project that contains the start folder, and how certain it is one; `None` if there is none. The
    /// result is the same for every folder of a project. `project.config` is empty: configured files need no detection.
    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)>;

    /// Returns the projects below the start folder, including nested ones. Folders for which [`is_vendored`] returns `true`
    /// are skipped.
    fn below(&self, _source: &dyn Source, _project: &Project) -> Below {
        Below::default()
    }

    /// Returns the folders whose code is that of its components, from the root of the repository: they are no projects of
    /// their own. Of folders that no other system takes for projects, some may be left out.
    fn code_folders(&self, _source: &dyn Source, _project: &Project, _candidates: Candidates<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Returns the folders of code that it takes for projects of their own, unless they are code of components of other systems,
    /// with how certain that is.
    fn candidates(&self, _source: &dyn Source, _project: &Project) -> Vec<(Presence, String)> {
        Vec::new()
    }

    /// Returns the folder of the stacks that it configures, by which a project is known that moves; `None` if the project is
    /// the folder.
    fn stacks(&self, _source: &dyn Source, _project: &Project) -> Option<String> {
        None
    }

    /// Resolves a revision. Mistakes in its files are findings of the resolution. Units that were resolved before, with the same
    /// table of files, and of which all that they read is the same, are the same.
    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution;

    /// Drops what it has parsed, and what it has resolved of other revisions than this one: a process that lives long must not keep
    /// all versions of files.
    fn forget(&self, source: &dyn Source);

    /// Resolves the strings of a value with a given context.
    ///
    /// # Errors
    /// What cannot be resolved, or is malformed; always if the language has no expressions.
    fn eval(&self, _template: &Value, _context: &Value, _mode: EvalMode) -> Result<Evaluated, EvalError> {
        Err(EvalError::new(format!("values of {} have no expressions", self.name())))
    }

    /// The key paths that a value looks up in a context when it is evaluated, in the order of its texts; of branches that the
    /// context decides, those of the one that counts. `None` if the language has no such list.
    ///
    /// # Errors
    /// Unknown or malformed.
    fn references(&self, _template: &Value, _context: &Value) -> Option<Result<Vec<LookedUp>, EvalError>> {
        None
    }

    /// The code that is run in a revision, of which this is the resolution: that of its components.
    fn runs(&self, resolution: &Resolution, state: State<'_>, project: &Project) -> Runs {
        code::of_components(resolution, &Modules::new(state.source, state.files, state.cache, project.runner()))
    }

    /// The folder that its tool runs in for a component of a unit, from the root of the repository, empty if there is none in
    /// particular; `None` if it runs nothing for the component alone.
    fn run_folder(&self, component: &Component, _unit: &Unit) -> Option<Text> {
        Some(component.metadata.code.as_ref().map(|code| Text::clone(&code.folder)).unwrap_or_default())
    }

    /// The name that the list of affected components gives to the folder that its tool runs in, if it has one.
    fn folder_key(&self) -> Option<&'static str> {
        None
    }

    /// What runs before what, beside the links of components: the second one of each pair comes first.
    fn order(&self, _resolution: &Resolution) -> Vec<(Address, Address)> {
        Vec::new()
    }

    /// What it gives to the code of a component, beside its inputs and its workspace; `None` if the code is not to be evaluated, or
    /// its resources are components already.
    fn run_inputs(&self, _component: &Component) -> Option<RunInputs> {
        None
    }

    /// The components that a change affects, as the list of the deployment tool has them; `None` if it has no such list.
    fn affected(&self, _request: &Request<'_>, _project: &Project) -> Option<Affected> {
        None
    }

    /// The context that templates of a component are evaluated in; `None` if components provide no context.
    fn context(&self, _component: &Component) -> Option<Value> {
        None
    }
}

/// All dialects, with empty caches and these limits.
pub(crate) fn all(limits: Limits) -> Vec<Box<dyn Dialect>> {
    vec![
        Box::new(atmos::Atmos::with_limits(limits)),
        Box::new(jitsubst::Jitsubst::with_limits(limits)),
        Box::new(garden::Garden::with_limits(limits)),
        Box::new(terragrunt::Terragrunt::with_limits(limits)),
        Box::new(opentofu::OpenTofu::with_limits(limits)),
        #[cfg(test)]
        Box::new(scratch_dialect::Environments::with_limits(limits)),
    ]
}
