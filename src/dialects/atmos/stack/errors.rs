//! What is said of a component that cannot be built, and of a configuration that is not there.

use super::components::{Manifest, Resolved, Stacks};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::component::bases::BaseError;
use crate::dialects::atmos::component::builder::Trouble;
use crate::dialects::atmos::component::inheritance;
use crate::dialects::atmos::component::layers::Kind;
use crate::dialects::atmos::config::{self, search};
use crate::dialects::atmos::findings::{Poisoned, Sink, label, rename};
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::limits::Limit;
use crate::resolution::{Component, Extent, Gap};
use crate::text::Text;
use crate::value::{FileId, Key, Origin, Prov, Value};
use std::sync::Arc;

impl Stacks<'_> {
    /// Leaves out components that have too many values, and reports them.
    pub(in crate::dialects::atmos) fn within_limits(&self, mut resolved: Resolved, file: FileId) -> Resolved {
        let most = self.reader.limits().count(Limit::ComponentValues);
        let too_large = |component: &Arc<Component>| component.value.count(most).is_none();
        for component in resolved.components.extract_if(.., |c| too_large(c)) {
            let exceeded = self.reader.limits().exceeded(Limit::ComponentValues);
            let message = format!("component `{}` has {exceeded}", component.name);
            let place = component.shaping_origins.iter().find(|origin| origin.file == file);
            let place = place.map_or_else(|| Label::new(file, 0, 0, ""), |origin| Label::at(*origin, ""));
            self.sink.push(Diagnostic::new(&rules::LIMIT_EXCEEDED, message, place).help(exceeded.help()));
            resolved.broken.push((Text::clone(&component.kind), Text::clone(&component.name)));
        }
        resolved.broken.sort();
        resolved
    }

    /// Reports why a component cannot be built.
    pub(in crate::dialects::atmos) fn trouble(
        &self,
        trouble: &Trouble,
        manifest: &Manifest<'_>,
        kind: Kind,
        name: &Key,
        value: &Value,
    ) -> Poisoned {
        let at = |site: &Prov| label(if site.origin.is_some() { site } else { &value.prov }, manifest.file, "");
        let finding = |rule, message: String, site: &Prov| Diagnostic::new(rule, message, at(site));
        let finding = match trouble {
            Trouble::Shape(shape) | Trouble::Secret(shape) | Trouble::Base(BaseError::Shape(shape)) => {
                finding(&rules::NON_MAPPING_SECTION, shape.message.clone(), &shape.site)
            }
            Trouble::Base(BaseError::Undefined { component, base, site }) => {
                let all = manifest.map.get("components").and_then(|c| c.get(kind.name())).and_then(Value::as_map);
                let names = all.iter().flat_map(|m| m.keys()).map(|k| &**k);
                let near = crate::text::nearest(base, names);
                let mut f = finding(
                    &rules::UNDEFINED_BASE_COMPONENT,
                    format!("`{component}` inherits from `{base}`, which is not defined in `{}`", manifest.key),
                    site,
                );
                let text = |origin: Origin| Text::clone(&self.reader.files.get(origin.file).text);
                f.fix = near.zip(site.origin).and_then(|(near, origin)| rename(origin, &text(origin), base, near));
                f.token = Some(base.to_string());
                f.help = Some(near.map_or_else(
                    || "import the manifest that defines it, or correct the name".to_owned(),
                    |n| format!("did you mean `{n}`?"),
                ));
                f
            }
            Trouble::Base(BaseError::Cycle(steps)) => {
                let place = |site: Option<Origin>, words: &str| {
                    label(&site.map_or_else(|| value.prov.clone(), Prov::at), manifest.file, words)
                };
                inheritance::cycle(&rules::INHERITANCE_CYCLE, steps.clone(), place)
            }
            Trouble::Base(BaseError::Limit { exceeded, site }) => {
                let message = match exceeded.limit {
                    Limit::InheritanceDepth => format!("the bases of `{name}` lead deeper than {}", exceeded.value),
                    _ => format!("`{name}` merges {exceeded}"),
                };
                finding(&rules::LIMIT_EXCEEDED, message, site).help(exceeded.help())
            }
            Trouble::Base(BaseError::Strategy(strategy, site)) => {
                finding(&rules::INVALID_CONFIG, format!("`{strategy}` is no list merge strategy"), site)
                    .help("use `replace`, `append` or `merge`")
            }
            Trouble::Lost(lost) => {
                let path: Vec<&str> = lost.path.iter().map(|k| &**k).collect();
                let message = format!(
                    "`{}` of `{name}` holds a YAML function, but a higher layer replaces the map around it",
                    path.join(".")
                );
                let mut f = finding(&rules::FUNCTION_LOST, message, &lost.blocker);
                if let Some(origin) = lost.call.origin {
                    f = f.related(crate::diagnostic::Label::at(origin, "the function"));
                }
                f.help("Atmos cannot process the stack then: keep a map here, or remove the function below")
            }
            Trouble::Backend(mismatch) => {
                let f = finding(&rules::INVALID_BACKEND, mismatch.message.clone(), &mismatch.site);
                if mismatch.help.is_empty() { f } else { f.help(mismatch.help.clone()) }
            }
        };
        self.sink.push(finding);
        Poisoned
    }
}

/// A file to hang a finding on that is about the configuration as a whole.
pub(in crate::dialects::atmos) fn anchor(files: &Files, shared: &Deps) -> FileId {
    shared.files.first().copied().unwrap_or_else(|| files.add("atmos.yaml", "", || Text::from("")))
}

/// Reports why there is no configuration.
pub(in crate::dialects::atmos) fn report(trouble: search::Trouble, sink: &Sink, files: &Files) -> Gap {
    let gap = |reason: String, file: FileId| Gap { extent: Extent::Everything, reason, file: Some(file) };
    match trouble {
        search::Trouble::File(loaded, issues) => {
            let reason = issues.first().map_or("it cannot be read", |issue| &issue.message);
            let gap = gap(format!("{} is broken: {reason}", loaded.path), loaded.file);
            for issue in issues {
                let length = loaded.text.len() as u32;
                let label = Label::new(loaded.file, issue.span.start.min(length), issue.span.end.min(length), "");
                let rule = if issue.rule == &rules::UNKNOWN_FUNCTION { issue.rule } else { &rules::INVALID_CONFIG };
                sink.push(Diagnostic::new(rule, issue.message, label));
            }
            gap
        }
        search::Trouble::Settings(message, main, all) => {
            let file = main.as_ref().map_or_else(|| anchor(files, &Deps::default()), |m| m.file);
            let found = config::check(&all, files, file);
            let refused = found.iter().find(|finding| finding.rule == &rules::INVALID_CONFIG);
            let reason = refused.map(|finding| finding.message.clone());
            for finding in found {
                match finding.rule == &rules::INVALID_CONFIG {
                    true => _ = sink.push(finding),
                    false => sink.report(finding),
                }
            }
            match reason {
                Some(reason) => gap(reason, file),
                None => report(search::Trouble::Message(message, main), sink, files),
            }
        }
        search::Trouble::Message(message, main) => {
            let file = main.map_or_else(|| anchor(files, &Deps::default()), |m| m.file);
            sink.push(Diagnostic::new(&rules::INVALID_CONFIG, message.as_str(), Label::new(file, 0, 0, "")));
            gap(message, file)
        }
        search::Trouble::Empty(dir, main) => {
            let message = format!("the folder {dir} has no configuration files, which Atmos refuses");
            let folder = files.add(&dir, "", || Text::from(""));
            let finding = Diagnostic::new(&rules::INVALID_CONFIG, message.as_str(), Label::new(folder, 0, 0, ""));
            let finding = finding.related(Label::new(main.file, 0, 0, "the configuration that it belongs to"));
            sink.push(finding.help("put a .yaml file into it, or remove it"));
            gap(message, folder)
        }
    }
}
