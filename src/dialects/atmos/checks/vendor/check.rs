//! Checks the sources of vendor manifests, and collects the folders that they fill.

use super::manifest::{Source, Target};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::locals::refs;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::Templates;
use crate::resolution::FetchedFolder;
use crate::terraform::address::Address;
use crate::text::Text;
use crate::value::{Map, Value};

/// Reports sources without a version; returns the folders that sources fill.
pub(in crate::dialects::atmos) fn sources(
    sources: &[Source],
    reader: &Reader<'_>,
    templates: &Templates,
    diagnostics: &Diagnostics,
) -> Vec<FetchedFolder> {
    let mut folders = Vec::new();
    for source in sources {
        let own = [Target { path: Value::str("."), version: None }];
        let targets = if source.targets.is_empty() { &own[..] } else { &source.targets };
        let mut is_reported = false;
        for target in targets {
            let version = target.version.as_ref().or(source.version.as_ref());
            let rendered = |template: &Value| rendered(template.as_str()?, source, version, templates);
            if let Some(address) = rendered(&source.address).filter(|_| !is_reported) {
                let finding = unpinned(&address, source, version, reader);
                is_reported = finding.is_some();
                finding.into_iter().for_each(|finding| diagnostics.report(finding));
            }
            let folder = rendered(&target.path).and_then(|path| paths::join(&source.folder, &path));
            if let (Some(folder), Some(origin)) = (folder, target.path.prov.origin) {
                folders.push(FetchedFolder { folder: folder.into(), origin, content: source.content.clone() });
            }
        }
    }
    folders
}

/// Renders a template with the names that vendor manifests provide; `None` if it needs others, or calls functions.
fn rendered(template: &str, source: &Source, version: Option<&Value>, templates: &Templates) -> Option<String> {
    let value = |value: Option<&Value>| value.cloned().unwrap_or_else(|| Value::str(""));
    let names = [("Component", value(source.component.as_ref())), ("Version", value(version))];
    let names = Value::map(names.into_iter().map(|(name, value)| (Text::from(name), value)).collect::<Map>());
    let engine = refs::engine(templates);
    (*engine.parse(template)).as_ref().ok()?.fields()?;
    engine.text(template, &names).ok().map(|rendered| rendered.text)
}

/// Checks that the address of a source specifies a revision.
fn unpinned(address: &str, source: &Source, version: Option<&Value>, reader: &Reader<'_>) -> Option<Diagnostic> {
    let origin = source.address.prov.origin?;
    let template = source.address.as_str()?;
    let is_file = address.starts_with('/') || address.starts_with("file://");
    let is_here = || {
        let path = paths::join(&source.folder, address).unwrap_or_default();
        reader.is_dir(&path, &mut Deps::default()) || reader.exists(&path, &mut Deps::default())
    };
    if is_file || address.starts_with('.') || version.is_some() && template.contains("Version") || is_here() {
        return None;
    }
    let asks = template.contains("{{") && template.contains(".Version");
    let is_open = match address.strip_prefix("oci://") {
        // Without a tag it is `latest`.
        Some(image) => !image.rsplit('/').next().unwrap_or_default().contains([':', '@']),
        None => !Address::parse(address).is_pinned(),
    };
    let message = match (asks && version.is_none(), is_open) {
        (true, _) => "the vendor source has no `version`, which its address refers to",
        (false, true) => "the vendor source is not pinned to a version",
        (false, false) => return None,
    };
    let help = "add a `version`, and write it into the address: `?ref={{.Version}}`";
    Some(Diagnostic::new(&rules::UNPINNED_VENDOR_SOURCE, message, Label::at(origin, "")).help(help))
}
