//! The secrets that an environment needs.

use super::Stage;
use crate::diagnostic::Diagnostic;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::rules::GARDEN_SECRET_REFERENCE;
use crate::dialects::garden::template::node::Node;
use crate::dialects::garden::template::uses::each_use;
use std::collections::BTreeSet;

/// Reports each secret where it is read, unless it has a fallback. Only parts with an effect in this environment are
/// examined: its own variables, those of the project, and enabled actions and workflows.
pub(super) fn report<'a>(stage: &'a Stage<'_>, trees: impl Iterator<Item = &'a Node>, diagnostics: &Diagnostics) {
    let variables = stage.input.project.tree.get("variables");
    let own = [variables, Some(&stage.input.environment.tree)].into_iter().flatten();
    for tree in own.chain(trees) {
        of(tree, diagnostics);
    }
}

fn of(tree: &Node, diagnostics: &Diagnostics) {
    let mut seen = BTreeSet::new();
    each_use(tree, &mut |used| {
        if let [Some("secrets"), Some(name), ..] = used.path().as_slice()
            && !used.is_conditional
            && seen.insert((*name, used.place.origin))
        {
            let message = format!("the secret `{name}` has to be set in Garden Cloud");
            let finding = Diagnostic::new(&GARDEN_SECRET_REFERENCE, message, diagnostics.label(used.place));
            diagnostics.report(finding.help("without it, the environments that need it are not deployed").token(*name));
        }
    });
}

/// Whether a value reads secrets at all.
pub(crate) fn reads_secrets(tree: &Node) -> bool {
    let mut found = false;
    each_use(tree, &mut |used| found |= used.path().first() == Some(&Some("secrets")));
    found
}
