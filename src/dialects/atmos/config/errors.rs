//! Findings about a missing configuration.

use super::search;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::resolution::{Extent, Gap};
use crate::text::Text;
use crate::value::FileId;

/// A file to hang a finding on that is about the configuration as a whole.
pub(in crate::dialects::atmos) fn anchor(files: &Files, shared: &Deps) -> FileId {
    shared.files.first().copied().unwrap_or_else(|| files.add("atmos.yaml", "", || Text::from("")))
}

/// Reports why there is no configuration.
pub(in crate::dialects::atmos) fn report_unusable(
    error: search::ConfigError,
    diagnostics: &Diagnostics,
    files: &Files,
) -> Gap {
    let gap = |reason: String, file: FileId| Gap { extent: Extent::Everything, reason, file: Some(file) };
    match error {
        search::ConfigError::File(loaded, issues) => {
            let reason = issues.first().map_or("it cannot be read", |issue| &issue.message);
            let gap = gap(format!("{} is broken: {reason}", loaded.path), loaded.file);
            for issue in issues {
                let length = loaded.text.len() as u32;
                let label = Label::new(loaded.file, issue.span.start.min(length), issue.span.end.min(length), "");
                let rule = if issue.rule == &rules::UNKNOWN_FUNCTION { issue.rule } else { &rules::INVALID_CONFIG };
                diagnostics.push(Diagnostic::new(rule, issue.message, label));
            }
            gap
        }
        search::ConfigError::Settings(message, main, all) => {
            let file = main.as_ref().map_or_else(|| anchor(files, &Deps::default()), |m| m.file);
            let found = super::check(&all, files, file);
            let refused = found.iter().find(|finding| finding.rule == &rules::INVALID_CONFIG);
            let reason = refused.map(|finding| finding.message.clone());
            for finding in found {
                match finding.rule == &rules::INVALID_CONFIG {
                    true => _ = diagnostics.push(finding),
                    false => diagnostics.report(finding),
                }
            }
            match reason {
                Some(reason) => gap(reason, file),
                None => report_unusable(search::ConfigError::Message(message, main), diagnostics, files),
            }
        }
        search::ConfigError::Message(message, main) => {
            let file = main.map_or_else(|| anchor(files, &Deps::default()), |m| m.file);
            diagnostics.push(Diagnostic::new(&rules::INVALID_CONFIG, message.as_str(), Label::new(file, 0, 0, "")));
            gap(message, file)
        }
        search::ConfigError::Empty(dir, main) => {
            let message = format!("the folder {dir} has no configuration files, which Atmos rejects");
            let folder = files.add(&dir, "", || Text::from(""));
            let finding = Diagnostic::new(&rules::INVALID_CONFIG, message.as_str(), Label::new(folder, 0, 0, ""));
            let finding = finding.related(Label::new(main.file, 0, 0, "the configuration that it belongs to"));
            diagnostics.push(finding.help("put a .yaml file into it, or remove it"));
            gap(message, folder)
        }
    }
}
