//! Atmos: `atmos.yaml`, stack manifests, components.
//!
//! A revision goes through the stages of this table. Each is a folder or file that imports only itself and the stages above
//! it; `tests/architecture` reads the table and holds the source against it.
//!
//! | stage | what it does | what leaves it |
//! |---|---|---|
//! | `rules` | declares the rules that Atmos alone reports | `Rule` |
//! | `vocabulary` | names sections, functions and settings for the rules of the core | `Vocabulary` |
//! | `paths` | joins and cleans paths of the repository; the key of a manifest | text |
//! | `merge` | merges maps in layers, and values that wait for functions | `Map`, `Deferral` |
//! | `functions` | reads calls of YAML functions, and evaluates those that need nothing from outside | `Call`, `Value` |
//! | `include` | reads what `!include` names in its formats, with queries of `yq` | `Value` |
//! | `document` | decodes YAML documents with the tags of Atmos | `Value` with provenance, or `Issue` |
//! | `reader` | reads each file of a revision once, and accounts for what a result depends on | `Loaded`, `Deps` |
//! | `diagnostics` | collects the findings of all stages | `Diagnostics`, `ErrorReported` |
//! | `shapes` | describes how maps must look, as data; findings and JSON Schemas of it | `Shape` |
//! | `config` | finds and merges `atmos.yaml` | `Config`, or a gap |
//! | `templates` | renders Go templates in maps; what templates may ask of the project | `Map`, `Failure`, `Miss` |
//! | `names` | names stacks and Terraform workspaces | `Named`, `Workspace` |
//! | `schema` | describes manifests, or reads the schema of the repository | `Schema`, `SchemaChecks` |
//! | `imports` | finds the top-level manifests, the items of `import` sections, and what a change can reach | paths, `Import` |
//! | `locals` | resolves the locals of a file; notes what rules about locals need | `FileLocals`, `Observations` |
//! | `recorder` | collects what a file or unit records besides its result, so that it can be kept with that | `Recorder` |
//! | `manifest` | reads and renders a manifest and merges it with its imports | `Processed` |
//! | `component` | merges one component with its bases and defaults | `Built`, or `BuildError` |
//! | `stack` | names the stack of each component, renders and evaluates it | `StackComponents` |
//! | `run` | says what the code of a component gets beside its variables | `RunInputs` |
//! | `checks` | finds what else Atmos, or a reader of the repository, would reject | `Diagnostic` |
//! | `resolve` | runs all stages for one revision, on all cores | `Resolution` |
//! | `keeping` | says what keeps code and state in place under another name | `Kept` |
//! | `authoring` | says what may be written in files, for editors | `Expected`, `Function` |
//! | `affected` | lists what a change between two revisions affects, as `atmos describe affected` does | `Affected` |
//! Data flow: `config` converts `atmos.yaml` to a `Config`, with which `imports` finds the top-level manifests. Each
//! becomes one unit: `manifest` reads it as a `Loaded` document, resolves its `locals`, renders it with `templates` and
//! merges it with its imports into a `Processed` map, which `schema` validates on the way. For each component in that
//! map, `component` merges the layers (global, type, bases, own, overrides) into `Built`; `stack` computes the name of
//! its stack, renders it with itself as data and evaluates its functions, which results in a `resolution::Component`.
//! The `checks` read units, components and the `Observations` about locals, and `resolve` combines all of it into a
//! `Resolution`. Every stage adds findings to `Diagnostics`; a result that is unavailable is `ErrorReported`, and
//! everything else is still resolved.

mod affected;
mod authoring;
mod checks;
mod component;
mod config;
mod diagnostics;
mod document;
mod functions;
mod imports;
mod include;
mod keeping;
mod locals;
mod manifest;
mod merge;
mod names;
mod paths;
mod reader;
mod recorder;
mod resolve;
mod rules;
mod run;
mod schema;
mod shapes;
mod stack;
mod templates;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::{Below, Candidates, Dialect, EvalError, EvalMode, Evaluated, Presence, Project, Scope, Variables};
use crate::affected::{Affected, Request};
use crate::diagnostic::Rule;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::authoring::Authoring;
use crate::resolution::{Component, Resolution};
use crate::source::Source;
use crate::terraform::evaluation::given::RunInputs;
use crate::value::{Value, Vocabulary};
#[cfg(test)]
use config::Config;
use config::projects;
use resolve::Resolver;
#[cfg(test)]
use shapes::export::to_json_schema;
use templates::eval::eval;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(crate) struct Atmos {
    resolver: Resolver,
}

impl Atmos {
    /// The dialect, with empty caches.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The dialect, with empty caches and these limits.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Atmos { resolver: Resolver::with_limits(limits) }
    }

    /// Returns the JSON Schema of stack manifests (draft 2020-12).
    #[cfg(test)]
    pub(crate) fn manifest_schema() -> serde_json::Value {
        to_json_schema("Atmos stack manifest", schema::MANIFEST)
    }

    /// Returns the JSON Schema of `atmos.yaml` (draft 2020-12). Other keys are allowed, because Atmos ignores them.
    #[cfg(test)]
    pub(crate) fn configuration_schema() -> serde_json::Value {
        to_json_schema("Atmos configuration", Config::SHAPE)
    }
}

impl Dialect for Atmos {
    fn name(&self) -> &'static str {
        "atmos"
    }

    fn known_by(&self) -> &'static str {
        "an atmos.yaml or a folder `stacks`"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn vocabulary(&self) -> &'static Vocabulary {
        &vocabulary::VOCABULARY
    }

    fn hides_settings(&self) -> bool {
        true
    }

    fn steers_runs(&self, path: &str) -> bool {
        // Programs, commands in place of the own ones, and where templates read. Values are made of the stores that they read.
        const SECTIONS: [&str; 4] = ["/commands", "/templates/settings/gomplate/datasources", "/toolchain", "/version"];
        let is_in =
            |section: &&str| path.strip_prefix(*section).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        // Components show what these two set.
        let is_shown = path.ends_with("/base_path") || path.ends_with("/command");
        SECTIONS.iter().any(is_in) || path.starts_with("/components/") && !is_shown
    }

    /// `workflows` are run by their file.
    fn is_imported(&self, section: &str) -> bool {
        const SECTIONS: [&str; 13] = [
            "components",
            "env",
            "generate",
            "helmfile",
            "hooks",
            "import",
            "locals",
            "metadata",
            "overrides",
            "packer",
            "settings",
            "terraform",
            "vars",
        ];
        SECTIONS.contains(&section)
    }

    /// Where stacks are, what they are called, and how they are rendered and merged. Everything else steers the program.
    fn shows_setting(&self, path: &str) -> bool {
        const SHOWN: [&str; 4] = ["/base_path", "/settings/list_merge_strategy", "/stacks", "/templates"];
        let is_shown =
            |shown: &&str| path.strip_prefix(*shown).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        SHOWN.iter().any(is_shown) && !path.contains("/datasources")
    }

    fn authoring(&self) -> Option<&'static dyn Authoring> {
        Some(&authoring::Atmos)
    }

    fn variables(&self) -> Variables {
        Variables { prefixes: &["ATMOS_"], paths: &["ATMOS_CLI_CONFIG_PATH"] }
    }

    fn claims(&self, _: &dyn Source, config: &str) -> bool {
        projects::is_config(config)
    }

    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
        projects::enclosing(source, project)
    }

    fn below(&self, source: &dyn Source, project: &Project) -> Below {
        projects::below(source, project)
    }

    fn code_folders(&self, source: &dyn Source, project: &Project, _: Candidates<'_>) -> Vec<String> {
        projects::code_folders(source, project, imports::stack_files::has_any)
    }

    fn stacks(&self, source: &dyn Source, project: &Project) -> Option<String> {
        projects::stacks(source, project)
    }

    fn forget(&self, source: &dyn Source) {
        self.resolver.forget(source);
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        self.resolver.resolve(source, project, files, scope)
    }

    fn run_inputs(&self, component: &Component) -> Option<RunInputs> {
        (*component.kind == *"terraform").then(|| run::inputs(component))
    }

    fn affected(&self, request: &Request<'_>, project: &Project) -> Option<Affected> {
        Some(affected::list(&self.resolver, request, project))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        eval(&self.resolver.templates, template, context, mode.partial)
    }

    fn context(&self, component: &Component) -> Option<Value> {
        Some(component.value.clone())
    }
}
