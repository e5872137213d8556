//! The decoder's limit on what aliases may expand to.

use super::node::{Document, NodeId, NodeKind};

/// Up to this many decoded nodes nearly everything may come from aliases.
const LOW: u64 = 400_000;
/// From here on only a tenth may.
const HIGH: u64 = 4_000_000;

/// The alias at which decoding `document` would exceed the reference's ratio of aliased to decoded nodes.
///
/// Walks the tree as the decoder does, aliases expanded; the limit itself bounds the walk. Maps under a merge key
/// count whole, though the decoder skips values that explicit keys hide.
pub(super) fn excess(document: &Document) -> Option<NodeId> {
    // The document node counts too.
    let (mut decoded, mut aliased) = (1_u64, 0_u64);
    let mut outermost = None;
    let mut depth = 0_u32;
    let mut work = vec![Step::Enter(document.root()?)];
    while let Some(step) = work.pop() {
        let id = match step {
            Step::Leave => {
                depth -= 1;
                continue;
            }
            Step::Children(id, index) => {
                let children = &document.node(id).kind;
                let next = match children {
                    NodeKind::Sequence(items) => items.get(index).copied(),
                    NodeKind::Mapping(pairs) => pairs.get(index / 2).map(|&(key, value)| [key, value][index % 2]),
                    _ => None,
                };
                let Some(next) = next else { continue };
                work.push(Step::Children(id, index + 1));
                next
            }
            Step::Enter(id) => id,
        };
        decoded += 1;
        if depth > 0 {
            aliased += 1;
        }
        if aliased > 100 && decoded > 1000 && aliased as f64 / decoded as f64 > allowed(decoded) {
            return outermost;
        }
        match document.node(id).kind {
            NodeKind::Alias { target } => {
                if depth == 0 {
                    outermost = Some(id);
                }
                depth += 1;
                work.push(Step::Leave);
                work.push(Step::Enter(target));
            }
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => work.push(Step::Children(id, 0)),
            NodeKind::Scalar { .. } => {}
        }
    }
    None
}

enum Step {
    Enter(NodeId),
    Children(NodeId, usize),
    Leave,
}

fn allowed(decoded: u64) -> f64 {
    match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - LOW) as f64 / (HIGH - LOW) as f64),
    }
}
