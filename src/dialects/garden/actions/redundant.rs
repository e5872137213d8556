//! Dependencies that are listed although something else in the action makes them anyway.

use super::dependencies::{is_static, reference};
use super::sources::Key;
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::template::node::Node;
use crate::dialects::garden::template::uses::each_use;
use crate::text::Text;
use crate::value::Origin;
use std::collections::{BTreeMap, BTreeSet};

/// The entries of `dependencies` of an action that are not needed: each with its name, and what makes the dependency in any
/// case.
pub(crate) fn redundant(tree: &Node) -> Vec<(&Node, String, String)> {
    let Some(entries) = tree.get("dependencies").and_then(Node::as_list) else { return Vec::new() };
    let mut made: BTreeMap<Key, String> = BTreeMap::new();
    for key in ["spec", "variables"] {
        let Some(node) = tree.get(key) else { continue };
        each_use(node, &mut |used| {
            if let (Some((on, output)), false) = (output_read(&used.path()), used.is_conditional) {
                made.entry(on).or_insert_with(|| format!("`{key}` already reads its output `{output}`"));
            }
        });
    }
    let mut names_build = |node: Option<&Node>, how: &str| {
        if let Some(name) = node.and_then(Node::as_text) {
            made.entry((ActionKind::Build, Text::clone(name))).or_insert_with(|| how.to_owned());
        }
    };
    names_build(tree.get("build"), "`build` already names it");
    for copy in tree.get("copyFrom").and_then(Node::as_list).into_iter().flat_map(|all| all.iter()) {
        names_build(copy.get("build"), "`copyFrom` already names it");
    }
    let known = entries.iter().filter_map(|entry| {
        let on = reference(entry).ok().flatten()?;
        let how = made.get(&on)?.clone();
        Some((entry, format!("{}.{}", on.0.lower(), on.1), how))
    });
    known.collect()
}

/// The action and the output of `actions.KIND.NAME.outputs.OUTPUT` and its aliases, unless that output is known before the
/// action is executed.
fn output_read<'a>(path: &[Option<&'a str>]) -> Option<(Key, &'a str)> {
    let (kind, name, output) = match path {
        [Some("actions"), Some(kind), Some(name), Some("outputs"), Some(output), ..] => {
            (ActionKind::ALL.into_iter().find(|known| known.lower() == *kind)?, *name, *output)
        }
        [Some("runtime"), Some("services"), Some(name), Some("outputs"), Some(output), ..] => {
            (ActionKind::Deploy, *name, *output)
        }
        [Some("runtime"), Some("tasks"), Some(name), Some("outputs"), Some(output), ..] => {
            (ActionKind::Run, *name, *output)
        }
        _ => return None,
    };
    (!is_static(kind, output)).then(|| ((kind, name.into()), output))
}

/// The places of templates in a value whose outputs of actions are needed in any case.
pub(super) fn needed_outputs(node: &Node) -> BTreeSet<Origin> {
    let mut all = BTreeSet::new();
    each_use(node, &mut |used| {
        if matches!(used.path().first(), Some(Some("actions" | "runtime"))) && !used.is_conditional {
            all.extend(used.place.origin);
        }
    });
    all
}
