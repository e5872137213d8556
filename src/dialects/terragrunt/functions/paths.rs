//! Functions about folders. Absolute paths begin with the fixed name of the repository's root.

use super::{Functions, Outcome, failed, texts};
use crate::dialects::terragrunt::load::{UNIT, UNIT_JSON};
use crate::dialects::terragrunt::place::{inside, shown, way};
use crate::hcl::types::Type;
use crate::hcl::val::Val;
use crate::paths;
use crate::source::ResolveError;

/// The value of a call.
pub(super) fn call(functions: &Functions<'_, '_>, name: &str, arguments: &[Val]) -> Outcome {
    let place = functions.place;
    let text = |text: String| Ok(Val::str(text));
    match name {
        "find_in_parent_folders" => find(functions, &texts(name, arguments, 0, 2)?),
        "get_terragrunt_dir" => text(shown(&place.dir)),
        "get_original_terragrunt_dir" => text(shown(&place.original)),
        "get_repo_root" => text(shown("")),
        "get_path_from_repo_root" => text(way("", &place.dir)),
        "get_path_to_repo_root" => text(way(&place.dir, "")),
        "get_parent_terragrunt_dir" => {
            from_parent(functions, name, arguments, &|parent| shown(parent.unwrap_or(&place.dir)))
        }
        "path_relative_to_include" => from_parent(functions, name, arguments, &|parent| match parent {
            Some(parent) => way(parent, &place.dir),
            None => ".".to_owned(),
        }),
        "path_relative_from_include" => from_parent(functions, name, arguments, &|parent| match parent {
            Some(parent) => way(&place.dir, parent),
            None => ".".to_owned(),
        }),
        _ => text(String::new()),
    }
}

/// What follows from the folder of the included file that is meant, of several that of the label; `None` without an include.
fn from_parent(
    functions: &Functions<'_, '_>,
    name: &str,
    arguments: &[Val],
    make: &dyn Fn(Option<&str>) -> String,
) -> Outcome {
    let place = functions.place;
    let labels = texts(name, arguments, 0, 1)?;
    let made = |folder: &Option<String>| match folder {
        Some(folder) => Val::str(make(Some(folder))),
        None => Val::unknown(Type::Str, "the included file is not known".to_owned()),
    };
    if let Some(folder) = &place.included {
        return Ok(Val::str(make(Some(folder))));
    }
    match (place.includes.as_slice(), labels.as_slice()) {
        ([], _) => Ok(Val::str(make(None))),
        ([(_, folder)], _) => Ok(made(folder)),
        (_, []) => Err(failed(format!("Expected 1 params for function {name}, but got 0"))),
        (several, [label, ..]) => match several.iter().find(|(known, _)| **known == **label) {
            Some((_, folder)) => Ok(made(folder)),
            None => {
                let message = format!("There is no include block in the current config with the label '{label}'");
                Err(failed(message))
            }
        },
    }
}

/// The nearest file or folder of a name above the folder; not known if there may be one that git does not have.
fn find(functions: &Functions<'_, '_>, arguments: &[String]) -> Outcome {
    let start = &functions.place.dir;
    let names: Vec<&str> = match arguments.first().map(String::as_str) {
        None | Some("") => vec![UNIT_JSON, UNIT],
        Some(name) => vec![name],
    };
    let reader = &functions.session.loader.modules.loader.reader;
    let (mut dir, mut hidden) = (start.as_str(), None);
    while !dir.is_empty() {
        dir = paths::parent(dir);
        for path in names.iter().filter_map(|name| inside(dir, name)) {
            match reader.lookup(&path) {
                Ok(_) => return Ok(Val::str(shown(&path))),
                Err(ResolveError::Unavailable(why)) => hidden = hidden.or(Some((path, why))),
                Err(_) => {}
            }
        }
    }
    match (hidden, arguments.get(1)) {
        (Some((path, why)), _) => Ok(Val::unknown(Type::Str, format!("{path} cannot be read: {why}"))),
        (None, Some(fallback)) => Ok(Val::str(fallback.as_str())),
        (None, None) => {
            let name = names.last().copied().unwrap_or_default();
            let unit = shown(start);
            Err(failed(format!(
                "ParentFileNotFoundError: could not find a {name} in any of the parent folders of {unit}"
            )))
        }
    }
}
