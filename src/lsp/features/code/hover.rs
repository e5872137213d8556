//! Hovers of names in HCL: the type and values of a variable, the values of a local, the folder of a module call.

use super::{Target, declarations, files, sources, target_at};
use crate::diff::{inline, mask};
use crate::lsp::view::{Cursor, View};
use crate::paths::parent;
use crate::report::markdown::code;
use crate::terraform::{self, Cache, Modules};
use crate::text::Text;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The maximum number of listed values and stacks.
const MOST: usize = 8;

/// Returns the hover of the name at a place.
pub(in crate::lsp::features) fn hover(place: &Cursor<'_>) -> Option<String> {
    let (target, is_declaration) = target_at(place)?;
    let view = &place.view;
    let (kind, name) = target.1.split_once('.')?;
    let mut text = match kind {
        "var" => variable(view, &target.0, name)?,
        "module" => {
            let own = files(view, &target.0);
            let source = (*sources(&own).get(name)?).to_owned();
            let folder = terraform::called_folder(&target.0, &source);
            format!("module {}: {}", code(name), code(folder.as_deref().unwrap_or(&source)))
        }
        _ if declarations(view, &target).is_empty() => return None,
        _ => code(&target.1),
    };
    if !is_declaration {
        for (file, start, _) in declarations(view, &target).iter().take(1) {
            let _ = write!(text, "\n- declared at {}", code(&format!("{}:{}", file.path, file.line(*start))));
        }
    }
    values(view, &target, kind, name, &mut text);
    Some(text)
}

/// Returns the type and the description of a variable.
fn variable(view: &View<'_>, folder: &str, name: &str) -> Option<String> {
    let cache = Cache::default();
    let modules = Modules::new(&view.analysis.source, &view.analysis.review.files, &cache);
    let Some(module) = modules.get(folder) else { return Some(code(&format!("var.{name}"))) };
    let variable = module.variables.get(name)?;
    let needed = if variable.has_default { "optional" } else { "required" };
    let mut text = format!("{}: {needed} {}", code(&format!("var.{name}")), code(&variable.ty.to_string()));
    if let Some(description) = &variable.description {
        let _ = write!(text, "\n- {}", code(description));
    }
    Some(text)
}

/// Appends the values of a variable or a local, by stack.
fn values(view: &View<'_>, (folder, _): &Target, kind: &str, name: &str, text: &mut String) {
    let mut found: BTreeMap<String, BTreeSet<Text>> = BTreeMap::new();
    let mut add = |value: &Value, stack: &Text| {
        let shown = inline::inline(value, mask::is_secret_pointer(&format!("/{name}")), false);
        found.entry(shown).or_default().insert(Text::clone(stack));
    };
    if kind == "var" {
        for (_, component) in view.components() {
            let is_own = component.metadata.code.as_ref().is_some_and(|code| *code.folder == **folder);
            if let Some(value) = component.metadata.inputs.get(name).filter(|_| is_own) {
                add(&value, &component.stack);
            }
        }
    }
    if matches!(kind, "var" | "local") {
        let is_variable = kind == "var";
        for resolution in view.resolutions() {
            for scope in &resolution.locals.scopes {
                let stack = scope.stack.as_ref().or_else(|| resolution.locals.stacks.get(&scope.file));
                let is_here = |path: &str| parent(path) == folder;
                let own = scope.locals.iter().filter(|local| {
                    let is_declared = local.origin.is_some_and(|origin| is_here(&view.file(origin.file).path));
                    *local.name == *name && is_declared && (scope.level == FILE) != is_variable
                });
                for local in own {
                    if let (Some(value), Some(stack)) = (&local.value, stack) {
                        add(value, stack);
                    }
                }
            }
        }
    }
    for (shown, stacks) in found.iter().take(MOST) {
        let names: Vec<String> = stacks.iter().take(3).map(|stack| code(stack)).collect();
        let more = stacks.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = write!(text, "\n- {} in {}{more}", code(shown), names.join(", "));
    }
    if found.len() > MOST {
        let _ = write!(text, "\n- and {} more", found.len() - MOST);
    }
}

/// The level of names that are not variables.
const FILE: crate::resolution::LocalLevel = crate::resolution::LocalLevel::File;
