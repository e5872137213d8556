//! Variables in layers: each layer sees itself and the one below it; where both have a name, the one below counts.

use crate::dialects::VariableInput;
use crate::dialects::garden::template::evaluation::{Evaluator, Lookup, Scope, captured, word};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::dialects::garden::template::syntax::path::Segment;
use crate::text::Text;
use indexmap::IndexMap;

/// The variables of some layers.
pub(crate) struct Layers<'a> {
    /// The data of templates in the variables, besides variables.
    pub context: ContextId,
    /// The variables below all layers.
    pub base: Option<ContextId>,
    /// The layers, the lowest first.
    pub scopes: &'a [Node],
    /// Variables of the command line.
    pub overrides: &'a [VariableInput],
    /// Whether the context is complete.
    pub is_final: bool,
}

pub(crate) fn variables(evaluator: &Evaluator, layers: &Layers<'_>) -> ContextId {
    if let (Some(base), true) = (layers.base, layers.scopes.iter().all(is_empty)) {
        // Variables of the command line are in it.
        return base;
    }
    // A file that is not known may have any variable. It is taken to replace none that is known.
    let is_open = |scope: &&Node| matches!(scope.data, Data::Open(..));
    let mut all: Vec<ContextId> =
        layers.scopes.iter().filter(is_open).map(|open| evaluator.data(open.clone())).collect();
    all.extend(layers.base.into_iter().flat_map(|base| evaluator.layers_of(base)));
    let mut parent = (!all.is_empty()).then(|| root(evaluator, evaluator.layers(all.clone())));
    for scope in layers.scopes.iter().filter(|scope| !is_empty(scope) && !is_open(scope)) {
        let needed = evaluator.reserve();
        let own = evaluator.data(captured(scope, needed, layers.is_final));
        let own_root = root(evaluator, own);
        evaluator.fill(needed, [layers.context, own_root].into_iter().chain(parent).collect());
        all.push(own);
        parent = Some(own_root);
    }
    if all.is_empty() {
        all.push(evaluator.data(Node::map([])));
    }
    let known = evaluator.layers(all.clone());
    let overrides = overrides(evaluator, known, layers);
    if overrides.as_map().is_none_or(|map| map.is_empty()) {
        return known;
    }
    all.push(evaluator.data(overrides));
    evaluator.layers(all)
}

/// Variables under the names that templates use.
fn root(evaluator: &Evaluator, variables: ContextId) -> ContextId {
    let node = Node::new(Data::Context(variables));
    evaluator.data(Node::record(vec![(word("var"), node.clone()), (word("variables"), node)]))
}

/// Whether a layer has no variables.
pub(crate) fn is_empty(scope: &Node) -> bool {
    match &scope.data {
        Data::Undefined | Data::Null => true,
        Data::Map(map) => map.is_empty(),
        _ => false,
    }
}

/// Variables of the command line. `a.b` is the variable of that name, if there is one, and else `b` in `a`.
fn overrides(evaluator: &Evaluator, known: ContextId, layers: &Layers<'_>) -> Node {
    let mut out = Node::map([]);
    for input in layers.overrides {
        let VariableInput::Value { name, text } = input else { continue };
        let key = [Segment { text: name.as_str().into(), is_number: false }];
        let literal = matches!(evaluator.lookup(known, &key, Scope::new(layers.context)), Ok(Lookup::Found(_)));
        let path = if literal { vec![name.clone()] } else { path(name) };
        out = with(&out, &path, Node::text(text.as_str()));
    }
    out
}

/// The segments of `a.b[0].c`.
fn path(name: &str) -> Vec<String> {
    let parts = name.split(['.', '[', ']']).filter(|part| !part.is_empty());
    parts.map(|part| part.trim_matches(['"', '\'']).to_owned()).collect()
}

/// A value with another one at a path in it. A number makes a list where there is nothing yet.
fn with(node: &Node, path: &[String], value: Node) -> Node {
    /// The longest list that an index makes.
    const LONGEST: usize = 1_000;
    let Some((first, rest)) = path.split_first() else { return value };
    let index = first.parse::<usize>().ok().filter(|index| *index < LONGEST);
    match (&node.data, index) {
        (Data::Map(map), _) => {
            let mut entries: IndexMap<Text, Node> = map.iter().map(|(k, v)| (Text::clone(k), v.clone())).collect();
            let inner = with(entries.get(first.as_str()).unwrap_or(&Node::default()), rest, value);
            entries.insert(first.as_str().into(), inner);
            Node::map(entries)
        }
        (Data::List(_) | Data::Undefined, Some(index)) => {
            let mut items = node.as_list().map(|items| items.to_vec()).unwrap_or_default();
            items.resize(items.len().max(index + 1), Node::default());
            items[index] = with(&items[index], rest, value);
            Node::list(items)
        }
        _ => with(&Node::map([]), path, value),
    }
}
