//! `broad-glob-import`: a pattern over several levels of folders that matches many files.

use super::{stacks, written};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::resolution::{Import, Resolution};
use crate::rules::places::at_value;
use crate::rules::{Changes, Context, rule};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

rule!(BROAD_GLOB_IMPORT, "broad-glob-import", Preview, "0.1.0", "an import pattern matches every file below a folder");

/// The maximum number of files that are named.
const MAX_NAMES: usize = 5;

/// An import: the path of its file, and its own path.
type Named = (Text, String);
/// An import with the paths of its targets.
type Targets = (Import, BTreeSet<Text>);

fn is_broad(files: &Files, import: &Import, max: usize) -> bool {
    import.is_pattern && import.targets.len() > max && written(files, import).contains("**")
}

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let max = context.limits.max_imports;
    let items = context.resolution.imports.items.iter().filter(|i| is_broad(context.files, i, max));
    let examined = items.filter(|i| (context.is_examined)(&context.files.get(i.item.file).path));
    examined
        .map(|import| {
            let path = written(context.files, import);
            let message = format!("`{path}` imports {} files", import.targets.len());
            let mut finding = Diagnostic::new(&BROAD_GLOB_IMPORT, message, at_value(context.files, import.path, ""))
                .token(path)
                .note("every file that is added below the folder silently becomes part of the stacks")
                .help(format!("name the files that are needed, or raise `max-imports`, which is {max}"));
            finding.stacks = stacks(context.resolution, import.item.file);
            finding
        })
        .collect()
}

/// Finds such imports that match more files than before.
pub(super) fn grown(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let (context, files) = (changes.context, changes.context.files);
    let max = context.limits.max_imports;
    let broad = |resolution: &'_ Resolution| -> BTreeMap<Named, Targets> {
        let items = resolution.imports.items.iter().filter(|i| is_broad(files, i, max));
        let paths = |i: &Import| i.targets.iter().map(|t| Text::clone(&files.get(*t).path)).collect();
        items.map(|i| ((Text::clone(&files.get(i.item.file).path), written(files, i)), (i.clone(), paths(i)))).collect()
    };
    let (old, new) = (broad(changes.base), broad(context.resolution));
    let mut found = Vec::new();
    for ((file, path), (import, targets)) in new {
        let Some((_, before)) = old.get(&(file, path.clone())) else { continue };
        let more: Vec<&str> = targets.difference(before).map(|p| &**p).collect();
        if more.is_empty() {
            continue;
        }
        let mut names: Vec<String> = more.iter().take(MAX_NAMES).map(|p| format!("`{p}`")).collect();
        if more.len() > MAX_NAMES {
            names.push(format!("… {} more", more.len() - MAX_NAMES));
        }
        let message = format!("`{path}` now imports more files: {}", names.join(", "));
        let mut finding = Diagnostic::new(&BROAD_GLOB_IMPORT, message, at_value(files, import.path, ""))
            .token(format!("{path} {}", more.join(" ")));
        finding.stacks = stacks(context.resolution, import.item.file);
        found.push(finding.help("name the files if not all of them are intended"));
    }
    found
}
