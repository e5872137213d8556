//! The files of an import (`reference: atmos.md` section 3).

use super::Manifests;
use super::local_problems::blames_local;
use crate::diagnostic::{Diagnostic, Rule};
use crate::dialects::atmos::diagnostics::{ErrorReported, label, rename};
use crate::dialects::atmos::imports::imported_sections::ImportedSections;
use crate::dialects::atmos::imports::items::{self, Import, dropped, unread};
use crate::dialects::atmos::merge::merge;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded};
use crate::dialects::atmos::rules;
use crate::template::{self, Builtins, MissingKey};
use crate::text::Text;
use crate::value::{Data, Prov, Unknown, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An import of a file.
pub(super) struct ImportSite<'a> {
    pub(super) manifests: &'a Manifests<'a>,
    pub(super) from: &'a Loaded,
    pub(super) item: &'a Import,
}

impl ImportSite<'_> {
    /// Whether its path is a template that is rendered.
    pub(super) fn is_rendered(&self) -> bool {
        let config = self.manifests.config;
        self.item.path.contains("{{") && !self.item.skip_templates && config.templates.enabled
    }

    /// Returns its files. `imported_sections` are those of earlier imports. Adds to `lacks` what cannot be read here.
    pub(super) fn files(
        &self,
        imported_sections: &mut ImportedSections,
        deps: &mut Deps,
        lacks: &mut BTreeMap<Text, Arc<Unknown>>,
    ) -> Result<Vec<String>, ErrorReported> {
        let (reader, stacks) = (self.manifests.reader, &self.manifests.config.stacks);
        let path = match self.is_rendered() {
            true => match self.rendered_path(imported_sections)? {
                Ok(path) => path,
                Err(what) => return Ok(self.unread(what, lacks)),
            },
            false => self.item.path.clone(),
        };
        if paths::is_remote(&path) {
            let what = format!("`{path}` is a remote import; stacklint reads only this repository");
            return Ok(self.unread(Unknown::new(path, what), lacks));
        }
        let pattern = items::pattern(&path, stacks, reader, deps);
        if pattern.as_deref() == Some(&*self.from.path) {
            return Err(self.fail(&rules::IMPORT_CYCLE, format!("this manifest imports itself via `{path}`")));
        }
        let mut found = match &pattern {
            Some(pattern) => reader.glob(pattern, deps).map_err(|bad| {
                self.fail(if bad.is_limit { &rules::LIMIT_EXCEEDED } else { &rules::UNRESOLVED_IMPORT }, bad.message)
            })?,
            None => Vec::new(),
        };
        // Git may lack files of a folder that a pattern names.
        if let Some(pattern) = pattern.as_ref().filter(|pattern| !found.contains(pattern))
            && reader.is_unavailable(pattern, deps)
        {
            found.push(pattern.clone());
        }
        match !found.is_empty() || self.item.skip_if_missing {
            true => Ok(found),
            false => self.nothing_found(&path, pattern, deps),
        }
    }

    fn fail(&self, rule: &'static Rule, message: String) -> ErrorReported {
        self.manifests.recorder.diagnostics.error(rule, message, &self.item.path_site, self.from.file)
    }

    /// Renders the path with the sections of earlier imports and the context of this one. The inner error is why it is not known.
    fn rendered_path(
        &self,
        imported_sections: &mut ImportedSections,
    ) -> Result<Result<String, Unknown>, ErrorReported> {
        let ImportSite { manifests, from, item } = self;
        let imported_sections = imported_sections.sum(manifests.merger);
        let context = merge(manifests.merger, [&imported_sections, &item.context]);
        let data = Value { data: Data::Map(context), prov: Prov::default() };
        let missing = if item.ignore_missing || manifests.config.templates.ignore_missing {
            MissingKey::Default
        } else {
            MissingKey::Error
        };
        let path = &item.path;
        let rendered = manifests.engine(missing).text(path, &data).map_err(|e| {
            if blames_local(manifests, path, &e.message, &item.path_site, from) {
                return ErrorReported;
            }
            self.fail(&rules::TEMPLATE_ERROR, format!("import path `{path}` cannot be rendered: {}", e.message))
        })?;
        if let Some((_, unknown)) = rendered.unknowns.first() {
            let reason = unknown.reasons.first().map_or("", |r| r);
            let what = format!("import path `{path}` depends on a value that is known only at run time: {reason}");
            return Ok(Err(Unknown { reasons: vec![what.into()], ..Unknown::clone(unknown) }));
        }
        Ok(Ok(rendered.text))
    }

    /// Reports an import that cannot be read here: what it sets is unknown.
    fn unread(&self, why: Unknown, lacks: &mut BTreeMap<Text, Arc<Unknown>>) -> Vec<String> {
        let what = why.reasons.first().map(|reason| reason.to_string()).unwrap_or_default();
        self.manifests.recorder.diagnostics.report(unread(what, &self.item.path_site, self.from));
        lacks.insert(Text::clone(&why.text), Arc::new(why));
        Vec::new()
    }

    /// Reports an import that leads nowhere, unless Atmos leaves it out because its path still is a template.
    fn nothing_found(
        &self,
        path: &str,
        pattern: Option<String>,
        deps: &mut Deps,
    ) -> Result<Vec<String>, ErrorReported> {
        let ImportSite { manifests, from, item } = self;
        let options = template::TemplateOptions { left: "{{", right: "}}", functions: &Builtins };
        match template::parse(path, &options) {
            Ok(template) if !template.is_plain() => {
                manifests.recorder.diagnostics.report(dropped(path, &item.path_site, from));
                Ok(Vec::new())
            }
            Ok(_) => {
                let looked = pattern.unwrap_or_else(|| path.to_owned());
                let message = format!("import `{path}` not found (looked for {looked})");
                let place = label(&item.path_site, from.file, "");
                let finding = Diagnostic::new(&rules::UNRESOLVED_IMPORT, message, place).token(path);
                let (help, meant) = items::advice(path, &manifests.config.stacks, manifests.reader, deps);
                let fix = meant.zip(item.path_site.origin).and_then(|(meant, origin)| {
                    let text = Text::clone(&manifests.reader.files.get(origin.file).text);
                    rename(origin, &text, path, &meant)
                });
                let finding = match help {
                    Some(help) => finding.help(help),
                    None => finding,
                };
                Err(manifests.recorder.diagnostics.push(Diagnostic { fix, ..finding }))
            }
            Err(error) => Err(self.fail(&rules::TEMPLATE_ERROR, format!("import path `{path}`: {}", error.message))),
        }
    }
}
