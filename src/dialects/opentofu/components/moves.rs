//! The earlier addresses of module calls, from `moved` and `removed` blocks.

use crate::hcl::ast::TraversalStep;
use crate::hcl::ast::walk;
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::block::Written;
use crate::text::Text;

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

/// Returns the address of a module call, without keys of instances: `a.b` for `module.a[0].module.b`; `None` for a
/// resource.
pub(crate) fn call_address(written: &Written) -> Option<String> {
    let constant = walk::constant_text(&written.expr).map(str::to_owned);
    let parts: Vec<String> = match constant {
        // JSON has it as text.
        Some(text) => text.split('.').map(|part| part.split('[').next().unwrap_or_default().to_owned()).collect(),
        None => {
            let reference = walk::as_reference(walk::unwrapped(&written.expr))?;
            let names = reference.steps.iter().filter_map(|step| match step {
                TraversalStep::Attribute(name) => Some(name.text.to_string()),
                TraversalStep::Index(..) => None,
            });
            std::iter::once(reference.root.text.to_string()).chain(names).collect()
        }
    };
    let is_call = parts.len().is_multiple_of(2) && parts.iter().step_by(2).all(|part| part == "module");
    is_call.then(|| parts.iter().skip(1).step_by(2).cloned().collect::<Vec<_>>().join("."))
}
