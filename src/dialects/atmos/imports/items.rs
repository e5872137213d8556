//! The `import` section of a manifest (`reference: atmos.md` section 3): its items and where their paths lead.

use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::rules;
use crate::text::Text;
use crate::value::{Data, Map, Prov, Value};
use std::sync::Arc;

/// One item of an `import` list.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// The path; `./` and `../` are taken from the folder of the importing file already.
    pub path: String,
    pub context: Arc<Map>,
    /// `skip_templates_processing`.
    pub skip_templates: bool,
    /// `ignore_missing_template_values`.
    pub ignore_missing: bool,
    pub skip_if_missing: bool,
    /// The item.
    pub site: Prov,
    /// The path as written.
    pub path_site: Prov,
}

/// The items of the `import` section of a file, whose path below the folder of stacks is `relative`.
///
/// # Errors
/// What is wrong with the section, and where.
pub(crate) fn read_items(file: &Map, relative: &str) -> Result<Vec<Import>, (String, Prov)> {
    let Some(section) = file.get("import").filter(|v| !v.is_null()) else { return Ok(Vec::new()) };
    let Some(list) = section.as_list() else {
        return Err((format!("`import` must be a list, not {}", section.a_kind()), section.prov.clone()));
    };
    list.iter().map(|item| import(item, relative)).collect()
}

fn import(item: &Value, relative: &str) -> Result<Import, (String, Prov)> {
    let blank = Import {
        path: String::new(),
        context: Arc::default(),
        skip_templates: false,
        ignore_missing: false,
        skip_if_missing: false,
        site: item.prov.clone(),
        path_site: item.prov.clone(),
    };
    match &item.data {
        Data::Str(path) if path.is_empty() => Err(("an import path is empty".to_owned(), item.prov.clone())),
        Data::Str(path) => Ok(Import { path: from_file(path, relative), ..blank }),
        Data::Map(map) => fields(map, relative, blank),
        _ => Err((format!("an import is a path or a map with `path`, not {}", item.a_kind()), item.prov.clone())),
    }
}

fn fields(map: &Map, relative: &str, mut import: Import) -> Result<Import, (String, Prov)> {
    for entry in map.iter() {
        let wrong = |message: String| (message, entry.value.prov.clone());
        let flag = || match &entry.value.data {
            Data::Bool(b) => Ok(*b),
            Data::Null => Ok(false),
            _ => {
                Err(wrong(format!("`{}` of an import must be true or false, not {}", entry.key, entry.value.a_kind())))
            }
        };
        match &*entry.key.to_lowercase() {
            "path" => match &entry.value.data {
                Data::Str(path) => {
                    import.path = from_file(path, relative);
                    import.path_site = entry.value.prov.clone();
                }
                Data::Null => {}
                _ => return Err(wrong(format!("`path` of an import must be text, not {}", entry.value.a_kind()))),
            },
            "context" => match &entry.value.data {
                Data::Map(context) => import.context = Arc::clone(context),
                Data::Null => {}
                _ => return Err(wrong(format!("`context` of an import must be a map, not {}", entry.value.a_kind()))),
            },
            "skip_templates_processing" => import.skip_templates = flag()?,
            "ignore_missing_template_values" => import.ignore_missing = flag()?,
            "skip_if_missing" => import.skip_if_missing = flag()?,
            _ => {}
        }
    }
    if import.path.is_empty() {
        return Err(("an import has no `path`".to_owned(), import.site));
    }
    Ok(import)
}

/// A path whose first part is `.` or `..` (or empty) is meant from the folder of the importing file.
fn from_file(path: &str, relative: &str) -> String {
    let first = path.split('/').next().unwrap_or_default();
    match paths::clean(first).as_str() {
        "." | ".." => paths::clean(&format!("{}/{path}", parent_or_dot(relative))),
        _ => path.to_owned(),
    }
}

fn parent_or_dot(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(dir, _)| dir)
}

/// Returns the pattern of an import path, relative to the root of the repository, without expanding it.
pub(crate) fn pattern(path: &str, stacks: &str, reader: &Reader<'_>, deps: &mut Deps) -> Option<String> {
    let there = |p: &str, deps: &mut Deps| paths::join(stacks, p).is_some_and(|p| reader.exists(&p, deps));
    let full = match paths::extension(path) {
        "" => {
            let found = [".yaml", ".yml", ".yaml.tmpl", ".yml.tmpl"]
                .into_iter()
                .find(|ext| there(&format!("{path}{ext}"), deps));
            format!("{path}{}", found.unwrap_or(".yaml"))
        }
        ".yaml" | ".yml" if there(&format!("{path}.tmpl"), deps) => format!("{path}.tmpl"),
        _ => path.to_owned(),
    };
    paths::join(stacks, &full)
}

/// Returns advice for an import path without a match, and the path that was probably meant. It depends on which manifests
/// exist.
pub(crate) fn advice(
    path: &str,
    stacks: &str,
    reader: &Reader<'_>,
    deps: &mut Deps,
) -> (Option<String>, Option<String>) {
    if path.contains(['*', '?', '[', '{']) {
        return (None, None);
    }
    let full = |suffix: &str| paths::join(stacks, &format!("{path}{suffix}"));
    for extension in [".yaml", ".yml"] {
        if full(extension).is_some_and(|p| reader.exists(&p, deps)) {
            let meant = format!("{path}{extension}");
            let help = format!("Atmos treats the text after the last dot as a file extension: write `{meant}`");
            return (Some(help), Some(meant));
        }
    }
    if full("").is_some_and(|p| reader.is_dir(&p, deps)) {
        return (Some(format!("`{path}` is a folder: import `{path}/*` or a manifest in it")), None);
    }
    deps.globs
        .extend(["yaml", "yml"].iter().filter_map(|end| paths::join(stacks, &format!("**/*.{end}"))).map(Text::from));
    let there = reader.source.listing().under(stacks);
    let has_extension = [".yaml", ".yml"].iter().any(|e| path.ends_with(e));
    let names = there.iter().filter_map(|entry| {
        let name = paths::relative(&entry.path, stacks)?;
        let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"))?;
        Some(if has_extension { name } else { stem })
    });
    let near = crate::text::nearest(path, names).map(str::to_owned);
    (near.as_ref().map(|n| format!("did you mean `{n}`?")), near)
}

/// An import whose content cannot be known.
pub(in crate::dialects::atmos) fn unread(what: String, site: &Prov, from: &Loaded) -> Diagnostic {
    Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, what, label(site, from.file, ""))
        .note("what it sets is unknown: stacks that import it are not fully compared")
}

/// The finding about an import that Atmos silently skips, because its path is still a template when the file is
/// searched.
pub(in crate::dialects::atmos) fn dropped(path: &str, site: &Prov, from: &Loaded) -> Diagnostic {
    Diagnostic::new(&rules::UNEVALUABLE_IMPORT, format!("nothing is imported: the path `{path}` is not rendered"), {
        label(site, from.file, "")
    })
    .note("Atmos skips an import whose path still contains a template when it looks for the file")
    .help("enable templates in atmos.yaml, pass the values with `context`, or write the path without a template")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_paths_start_at_the_file() {
        assert_eq!(from_file("./_defaults", "orgs/acme/dev.yaml"), "orgs/acme/_defaults");
        assert_eq!(from_file("../x", "orgs/acme/dev.yaml"), "orgs/x");
        assert_eq!(from_file("catalog/x", "orgs/acme/dev.yaml"), "catalog/x");
        assert_eq!(from_file("/x", "orgs/dev.yaml"), "orgs/x");
        assert_eq!(from_file("./x", "dev.yaml"), "x");
    }
}
