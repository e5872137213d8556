//! Findings about components that cannot be built.

use super::context::StackContext;
use super::manifest::StackManifest;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::component::bases::BaseError;
use crate::dialects::atmos::component::builder::BuildError;
use crate::dialects::atmos::component::inheritance;
use crate::dialects::atmos::component::layers::ComponentType;
use crate::dialects::atmos::diagnostics::{ErrorReported, label, rename};
use crate::dialects::atmos::merge::deferred::LostPath;
use crate::dialects::atmos::rules;
use crate::limits::Limit;
use crate::text::Text;
use crate::value::{Key, Origin, Prov, Value};

/// Reports why a component cannot be built.
pub(super) fn report_build_error(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    error: &BuildError,
    kind: ComponentType,
    name: &Key,
    value: &Value,
) -> ErrorReported {
    let at = |site: &Prov| label(if site.origin.is_some() { site } else { &value.prov }, manifest.file, "");
    let finding = |rule, message: String, site: &Prov| Diagnostic::new(rule, message, at(site));
    let finding = match error {
        BuildError::Shape(shape) | BuildError::Secret(shape) | BuildError::Base(BaseError::Shape(shape)) => {
            finding(&rules::NON_MAPPING_SECTION, shape.message.clone(), &shape.site)
        }
        BuildError::Base(BaseError::Undefined { component, base, site }) => {
            undefined_base(stacks, manifest, kind, [component, base], site, at(site))
        }
        BuildError::Base(BaseError::Cycle(steps)) => {
            let place = |site: Option<Origin>, words: &str| {
                label(&site.map_or_else(|| value.prov.clone(), Prov::at), manifest.file, words)
            };
            inheritance::cycle(&rules::INHERITANCE_CYCLE, steps.clone(), place)
        }
        BuildError::Base(BaseError::Limit { exceeded, site }) => {
            let message = match exceeded.limit {
                Limit::InheritanceDepth => format!("the chain of bases of `{name}` is longer than {}", exceeded.value),
                _ => format!("`{name}` merges {exceeded}"),
            };
            finding(&rules::LIMIT_EXCEEDED, message, site).help(exceeded.help())
        }
        BuildError::Base(BaseError::Strategy(strategy, site)) => {
            finding(&rules::INVALID_CONFIG, format!("`{strategy}` is not a list merge strategy"), site)
                .help("use `replace`, `append` or `merge`")
        }
        BuildError::Lost(lost) => lost_function(lost, name, at(&lost.blocker)),
        BuildError::Backend(mismatch) => {
            let f = finding(&rules::INVALID_BACKEND, mismatch.message.clone(), &mismatch.site);
            if mismatch.help.is_empty() { f } else { f.help(mismatch.help.clone()) }
        }
    };
    stacks.recorder.diagnostics.push(finding);
    ErrorReported
}

/// A base that is not there, `[component, base]`, named at `site`.
fn undefined_base(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    kind: ComponentType,
    [component, base]: [&Key; 2],
    site: &Prov,
    place: Label,
) -> Diagnostic {
    let names = manifest.components(kind.name()).into_iter().flat_map(|all| all.keys()).map(|k| &**k);
    let near = crate::text::nearest(base, names);
    let message = format!("`{component}` inherits from `{base}`, which is not defined in `{}`", manifest.key);
    let mut finding = Diagnostic::new(&rules::UNDEFINED_BASE_COMPONENT, message, place);
    let text = |origin: Origin| Text::clone(&stacks.reader.files.get(origin.file).text);
    finding.fix = near.zip(site.origin).and_then(|(near, origin)| rename(origin, &text(origin), base, near));
    finding.token = Some(base.to_string());
    finding.help = Some(near.map_or_else(
        || "import the manifest that defines it, or correct the name".to_owned(),
        |near| format!("did you mean `{near}`?"),
    ));
    finding
}

/// A function below a map that a higher layer replaces.
fn lost_function(lost: &LostPath, name: &Key, place: Label) -> Diagnostic {
    let path: Vec<&str> = lost.path.iter().map(|k| &**k).collect();
    let message = format!(
        "`{}` of `{name}` contains a YAML function, but a higher layer replaces the map around it",
        path.join(".")
    );
    let mut finding = Diagnostic::new(&rules::FUNCTION_LOST, message, place);
    if let Some(origin) = lost.call.origin {
        finding = finding.related(Label::at(origin, "the function"));
    }
    finding.help("Atmos then cannot process the stack: keep a map here, or remove the function below")
}
