//! The folders whose code units run, as far as another system takes them for projects of its own. Only units that may name such a
//! folder are resolved for that: those that can read a file with the name of the folder in it, or lie in a folder of that name.

use super::discovery::{all, is_in};
use super::{Terragrunt, load};
use crate::dialects::{Candidates, Dialect, Project, Scope, and_around};
use crate::files::Files;
use crate::paths;
use crate::source::{Change, ChangeKind, Entry, Source};
use crate::terraform::load::names::configuration;
use crate::text::Text;
use std::collections::BTreeSet;

/// The endings of files that say which code a unit runs, or that such files read.
const NAMING: [&str; 5] = [".hcl", ".json", ".yaml", ".yml", ".tfvars"];

/// Those among the candidates (or around them) that are folders of units, or hold code of units.
pub(super) fn folders(source: &dyn Source, project: &Project, candidates: Candidates<'_>) -> Vec<String> {
    let (units, candidates) = (all(source).units, candidates());
    let mut names: BTreeSet<String> = BTreeSet::new();
    for folder in candidates.iter().filter(|folder| !is_in(&units, &paths::join(folder, load::UNIT))) {
        let with_code = and_around(folder).filter(|folder| !folder.is_empty() && has_code(source, folder));
        names.extend(with_code.map(|folder| paths::name(folder).to_owned()));
    }
    let around = candidates.iter().flat_map(|folder| and_around(folder));
    let mut claimed: BTreeSet<String> = around.filter(|folder| units.contains_key(folder)).map(str::to_owned).collect();
    let files: Vec<Change> = if names.is_empty() { Vec::new() } else { naming(source, &names) };
    if !files.is_empty() {
        let units_alone = Terragrunt { leaves_code: true, ..Terragrunt::default() };
        let resolution = units_alone.resolve(source, project, &Files::default(), Scope::Touched(&files));
        let components = resolution.units.iter().flat_map(|unit| &unit.components);
        for code in components.filter_map(|component| component.metadata.code.as_ref()) {
            claimed.extend(code.others.iter().chain([&code.folder]).map(Text::to_string));
        }
    }
    claimed.into_iter().filter(|folder| !folder.is_empty()).collect()
}

/// Whether files of code lie in a folder.
fn has_code(source: &dyn Source, folder: &str) -> bool {
    source.listing().children(folder).iter().any(|(name, _)| configuration(name).is_some())
}

/// The files of units in or below folders of some names, and the files with one of the names in their text, as if they were edited.
fn naming(source: &dyn Source, names: &BTreeSet<String>) -> Vec<Change> {
    let has_name = |entry: &&Entry| {
        let is_unit = matches!(paths::name(&entry.path), load::UNIT | load::UNIT_JSON);
        let is_below = || is_unit && paths::parent(&entry.path).split('/').any(|folder| names.contains(folder));
        let is_named = || {
            let content = source.read(entry).ok();
            let text = content.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
            // What cannot be read may hold any name.
            text.is_none_or(|text| names.iter().any(|name| text.contains(name)))
        };
        is_below() || is_named()
    };
    let is_read = |entry: &&Entry| {
        let name = paths::name(&entry.path);
        NAMING.iter().any(|end| name.ends_with(end)) && configuration(name).is_none() && !name.starts_with('.')
    };
    let files = source.listing().iter().filter(is_read).filter(has_name);
    files.map(|entry| Change { path: entry.path.clone(), kind: ChangeKind::Modified }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn only_units_that_may_name_a_candidate_are_resolved() {
        let unit = |source: &str| format!("terraform {{\n  source = \"{source}\"\n}}\n").into_bytes();
        let code = || b"provider \"x\" {}\n".to_vec();
        let files = [
            ("live/a/terragrunt.hcl", unit("${get_repo_root()}/modules/net")),
            ("live/b/terragrunt.hcl", unit("../../modules//box")),
            ("live/db/terragrunt.hcl", unit("../../modules/${basename(get_terragrunt_dir())}")),
            ("modules/net/main.tf", code()),
            ("modules/net/examples/one/main.tf", code()),
            ("modules/box/main.tf", code()),
            ("modules/db/main.tf", code()),
            ("bootstrap/main.tf", code()),
        ];
        let source = Memory::new("memory", files.map(|(path, text)| (path.to_owned(), text)).into());
        let claimed = |candidates: &[&str]| {
            let all = || candidates.iter().map(|folder| (*folder).to_owned()).collect();
            let mut found = folders(&source, &Project::default(), &all);
            found.retain(|folder| !folder.starts_with("live/"));
            found
        };
        assert_eq!(claimed(&[]), [""; 0]);
        assert_eq!(claimed(&["bootstrap"]), [""; 0], "no unit names it");
        for (candidate, folder) in [
            ("modules/net", "modules/net"),
            ("modules/net/examples/one", "modules/net"),
            ("modules/box", "modules/box"),
            ("modules/db", "modules/db"),
        ] {
            assert_eq!(claimed(&[candidate]), [folder], "{candidate}");
        }
    }
}
