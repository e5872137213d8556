//! What values that are not known are made of: all that a part of a template or an operator looks up, in every branch, as two revisions
//! compare it. Its text alone does not say that: `${local.env.A || var.b}` is another value if `var.b` is.

use super::context::render;
use super::evaluator::{Evaluator, Scope};
use super::lookup::Lookup;
use crate::dialects::garden::template::failure::{FailureKind, Result};
use crate::dialects::garden::template::node::convert::to_text;
use crate::dialects::garden::template::node::{Data, Lazy, Node, Operator, OperatorKind, keys};
use crate::dialects::garden::template::syntax::ast::{ExprKind, Key, Part};
use crate::dialects::garden::template::syntax::path::Segment;
use crate::dialects::garden::template::uses::{Use, UseKind, each_use, each_use_in};
use crate::reads::made_of;
use crate::text::Text;
use crate::value::{Prov, Read, Unknown};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The segments of a key path, with whether they are numbers.
type Path = Vec<(Text, bool)>;

/// How the text of items begins of which not even the number is known.
const SPLICED: &str = "$concat: ";
/// How many places an unknown operator remembers that something of it is written at.
const MOST_PLACES: usize = 64;

impl Evaluator {
    /// The value of a part of a template, with what its unknown parts are made of; `written` is its text, and its place.
    ///
    /// # Errors
    /// That is too much work.
    pub(super) fn with_lookups(&self, value: Node, part: &Part, written: (&str, &Prov), scope: Scope) -> Result<Node> {
        // What is looked up has its own.
        if is_reference(part) || !holds_unknown(&value) {
            return Ok(value);
        }
        let mut paths = BTreeSet::new();
        each_use_in(part, written.1, &mut |used| paths.extend(path_of(&used)));
        let reads = self.lookups_of(paths, scope)?;
        Ok(filled(value, written.0, &reads, &mut String::new()))
    }

    /// An operator whose value is not known, because `decides` is not.
    ///
    /// # Errors
    /// That is too much work.
    pub(super) fn unknown_operator(
        &self,
        operator: &Operator,
        decides: &Node,
        node: &Node,
        scope: Scope,
    ) -> Result<Node> {
        let Data::Unknown(reason) = &decides.data else { return Ok(decides.clone()) };
        let (key, rest) = match operator.kind {
            OperatorKind::If { .. } => (keys::IF, "its branches"),
            _ => (keys::FOR_EACH, "what is made of each item"),
        };
        let mut unknown = Unknown { text: format!("{key}: {}", reason.text).into(), ..(**reason).clone() };
        self.spend_size(&operator.source)?;
        unknown.add_reads([made_of::value(rest, &operator.source.to_value())]);
        let mut paths = BTreeSet::new();
        each_use(node, &mut |used| paths.extend(path_of(&used)));
        unknown.add_reads(self.lookups_of(paths, scope)?);
        let mut places = Vec::new();
        leaves(&operator.source, &mut places);
        let prov = node.prov.with_inputs(places.into_iter().chain([decides.prov.clone()]));
        Ok(Node { data: Data::Unknown(Arc::new(unknown)), prov })
    }

    /// What key paths lead to. One without a value says nothing: it is in a branch that does not count, or an error.
    fn lookups_of(&self, paths: BTreeSet<Path>, scope: Scope) -> Result<Vec<Read>> {
        let mut reads = Vec::new();
        for path in paths {
            let segments: Vec<Segment> =
                path.into_iter().map(|(text, is_number)| Segment { text, is_number }).collect();
            let found = match self.lookup(scope.context, &segments, scope) {
                Ok(Lookup::Found(found)) => found,
                Err(failure) if failure.kind == FailureKind::Limit => return Err(failure),
                Ok(Lookup::Missing(_)) | Err(_) => continue,
            };
            self.read(&found.prov);
            self.spend_size(&found)?;
            let names: Vec<&str> = segments.iter().map(|segment| &*segment.text).collect();
            reads.push(made_of::value(render(&names), &found.to_value()));
        }
        Ok(reads)
    }
}

/// A key path as it is written, up to the first key that is computed: all that is there counts.
fn path_of(used: &Use<'_>) -> Option<Path> {
    let UseKind::Lookup(keys) = used.kind else { return None };
    Some(keys.iter().map_while(segment).collect()).filter(|path: &Path| !path.is_empty())
}

/// The segment that a key is, if it is written.
fn segment(key: &Key) -> Option<(Text, bool)> {
    match key {
        Key::Name(name) => Some((Text::clone(name), false)),
        Key::Index(n) => Some((to_text(&Node::new(Data::Number(*n))).into(), true)),
        Key::Computed(expr) => match &expr.kind {
            ExprKind::Text(text) => Some((Text::clone(text), false)),
            _ => None,
        },
    }
}

/// Whether a part is nothing but a key path.
fn is_reference(part: &Part) -> bool {
    match part {
        Part::Format(format) => matches!(&format.expr.kind, ExprKind::Lookup(path) if path.segments.is_some()),
        _ => false,
    }
}

fn holds_unknown(node: &Node) -> bool {
    match &node.data {
        Data::Unknown(_) => true,
        Data::List(items) => items.iter().any(holds_unknown),
        Data::Map(map) => map.iter().any(|(_, value)| holds_unknown(value)),
        _ => false,
    }
}

/// The unknown parts of a value of a template. Those that have a text come from elsewhere, but for the value as a whole.
fn filled(node: Node, written: &str, reads: &[Read], steps: &mut String) -> Node {
    let mut below = |value: &Node, step: String| {
        let above = steps.len();
        steps.push_str(&step);
        let value = filled(value.clone(), written, reads, steps);
        steps.truncate(above);
        value
    };
    let data = match &node.data {
        Data::List(items) => {
            let items = items.iter().enumerate().map(|(i, item)| below(item, format!("[{i}]")));
            Data::List(Arc::new(items.collect()))
        }
        Data::Map(map) => {
            let entries = map.iter().map(|(key, value)| (Text::clone(key), below(value, format!("[{key:?}]"))));
            Data::Map(Arc::new(entries.collect()))
        }
        Data::Unknown(unknown) if steps.is_empty() || unknown.text.is_empty() => {
            let mut unknown = (**unknown).clone();
            if unknown.text.is_empty() {
                unknown.text = format!("{written}{steps}").into();
            }
            unknown.add_reads(reads.iter().cloned());
            Data::Unknown(Arc::new(unknown))
        }
        other => other.clone(),
    };
    Node { data, prov: node.prov }
}

/// Something of a value that is not known: it is made of that.
pub(super) fn inside(unknown: &Unknown) -> Unknown {
    let mut inside = Unknown { text: Text::default(), assumed: None, ..unknown.clone() };
    if !unknown.text.is_empty() {
        inside.add_reads([made_of::text("the value that it is in", &unknown.text)]);
    }
    inside
}

/// Some items, of which not even the number is known, in a list.
pub(super) fn spliced(unknown: &Unknown) -> Unknown {
    match unknown.text.starts_with(SPLICED) {
        true => unknown.clone(),
        false => Unknown { text: format!("{SPLICED}{}", unknown.text).into(), ..unknown.clone() },
    }
}

/// Whether an item of a list stands for some, of which not even the number is known.
pub(super) fn is_spliced(item: &Node) -> bool {
    matches!(&item.data, Data::Unknown(unknown) if unknown.text.starts_with(SPLICED))
}

/// Where the values in a value are written.
fn leaves(node: &Node, places: &mut Vec<Prov>) {
    if places.len() >= MOST_PLACES {
        return;
    }
    match &node.data {
        Data::List(items) => items.iter().for_each(|item| leaves(item, places)),
        Data::Map(map) => map.iter().for_each(|(_, value)| leaves(value, places)),
        Data::Lazy(lazy) => match &**lazy {
            Lazy::Operator(operator) => leaves(&operator.source, places),
            _ => places.push(node.prov.clone()),
        },
        _ => places.push(node.prov.clone()),
    }
}
