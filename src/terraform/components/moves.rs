//! The earlier addresses of module calls, from `moved` and `removed` blocks.

use crate::hcl::ast::TraversalStep;
use crate::hcl::ast::walk;
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::module::block::Written;
use crate::text::Text;
use std::collections::BTreeMap;

/// The most former names of one call.
const MAX_NAMES: usize = 100;

/// The moves of module calls in all modules of a root module, as addresses: `a.b`.
pub(crate) struct Moves {
    pairs: Vec<(String, String)>,
}

impl Moves {
    /// Reads the moves of all modules.
    pub(crate) fn of(statics: &Statics<'_>) -> Self {
        let mut pairs = Vec::new();
        for node in &statics.nodes {
            let path = node.address();
            let full = |address: String| if path.is_empty() { address } else { format!("{path}.{address}") };
            for moved in node.module.refactorings.iter().filter(|r| &*r.kind == "moved") {
                let address = |name: &str| moved.block.arguments.get(name).and_then(call_address);
                pairs.extend(address("from").zip(address("to")).map(|(from, to)| (full(from), full(to))));
            }
        }
        pairs.extend(whole_modules(statics));
        Moves { pairs }
    }

    /// The addresses that a call had before, the nearest first.
    pub(crate) fn former_names(&self, address: &str) -> Vec<Text> {
        let mut found: Vec<String> = vec![address.to_owned()];
        let mut next = 0;
        while next < found.len() && found.len() < MAX_NAMES {
            for (from, to) in &self.pairs {
                let rest = found[next].strip_prefix(&**to).filter(|rest| rest.is_empty() || rest.starts_with('.'));
                let former = rest.map(|rest| format!("{from}{rest}"));
                found.extend(former.filter(|name| !found.contains(name)));
            }
            next += 1;
        }
        found.into_iter().skip(1).map(Text::from).collect()
    }
}

/// The calls whose resources are all moved from another call, one by one, as addresses: `a.b`. Modules without resources are
/// not among them.
fn whole_modules(statics: &Statics<'_>) -> Vec<(String, String)> {
    let mut moved: BTreeMap<(String, String), String> = BTreeMap::new();
    for node in &statics.nodes {
        for block in node.module.refactorings.iter().filter(|block| &*block.kind == "moved") {
            let address = |name: &str| block.block.arguments.get(name).and_then(resource_address);
            if let Some(((from, _), (to, resource))) = address("from").zip(address("to")) {
                moved.insert((inside(node, &to), resource), inside(node, &from));
            }
        }
    }
    let former = |call: &Node| {
        let address = call.address();
        let mut former: Option<String> = None;
        for node in statics.nodes.iter().filter(|node| node.path.starts_with(&call.path)) {
            let below = node.address()[address.len()..].to_owned();
            let managed = |name: &&Text| !name.starts_with("data.") && !name.starts_with("ephemeral.");
            for resource in node.module.resources.keys().filter(managed) {
                let from = moved.get(&(node.address(), resource.to_string()))?.strip_suffix(&*below)?.to_owned();
                if *former.get_or_insert_with(|| from.clone()) != from {
                    return None;
                }
            }
        }
        former.filter(|former| !former.is_empty()).map(|former| (former, address))
    };
    statics.nodes.iter().skip(1).filter_map(|call| former(call)).collect()
}

/// The address of a call as the root module sees it.
fn inside(node: &Node, call: &str) -> String {
    let around = node.address();
    match (around.is_empty(), call.is_empty()) {
        (true, _) => call.to_owned(),
        (_, true) => around,
        _ => format!("{around}.{call}"),
    }
}

/// Returns the call that a resource is in (`a.b`, empty for none) and its type and name, without keys of instances.
fn resource_address(written: &Written) -> Option<(String, String)> {
    let parts = parts(written)?;
    let (around, own) = parts.split_at(parts.len().checked_sub(2)?);
    let is_call = around.len().is_multiple_of(2) && around.iter().step_by(2).all(|part| part == "module");
    let calls = around.iter().skip(1).step_by(2).cloned().collect::<Vec<_>>().join(".");
    (is_call && own[0] != "module").then(|| (calls, own.join(".")))
}

/// The names of an address, without keys of instances.
fn parts(written: &Written) -> Option<Vec<String>> {
    // JSON has it as text.
    if let Some(text) = walk::constant_text(&written.expr) {
        return Some(text.split('.').map(|part| part.split('[').next().unwrap_or_default().to_owned()).collect());
    }
    let reference = walk::as_reference(walk::unwrapped(&written.expr))?;
    let names = reference.steps.iter().filter_map(|step| match step {
        TraversalStep::Attribute(name) => Some(name.text.to_string()),
        TraversalStep::Index(..) => None,
    });
    Some(std::iter::once(reference.root.text.to_string()).chain(names).collect())
}

/// Returns the address of a module call, without keys of instances: `a.b` for `module.a[0].module.b`; `None` for a
/// resource.
pub(crate) fn call_address(written: &Written) -> Option<String> {
    let parts = parts(written)?;
    let is_call = parts.len().is_multiple_of(2) && parts.iter().step_by(2).all(|part| part == "module");
    is_call.then(|| parts.iter().skip(1).step_by(2).cloned().collect::<Vec<_>>().join("."))
}
