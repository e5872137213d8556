//! The arguments and blocks of a resource.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Block, Body, Expr, ExprKind, Name};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;

use crate::hcl::val::{Data, Entries, Marks, Val};
use crate::terraform::configuration::expansion::{Repeat, lifecycle, repeated};
use crate::terraform::configuration::frame::{At, Evaluation, Expanded, Frame, Iterator, Planned};
use crate::terraform::configuration::names::is_repeated;
use crate::terraform::configuration::schemas::of_resource;
use crate::terraform::configuration::{Mode, built_in};
use crate::terraform::evaluation::shown;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::reader::block_type;
use crate::terraform::provider_schema::BlockSchema;
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{self, FileId, Key, Map, Prov, Value};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Arguments and blocks of a resource that are not part of its configuration.
pub(super) const OWN_ARGUMENTS: [&str; 4] = ["count", "for_each", "provider", "depends_on"];
pub(super) const OWN_BLOCKS: [&str; 4] = ["lifecycle", "connection", "provisioner", "_"];

/// How deep blocks nest.
const MAX_NESTING: usize = 30;
/// The most blocks that one dynamic block makes.
const MAX_BLOCKS: usize = 10_000;

/// The most arguments and blocks of all instances of a resource.
const MAX_PARTS: usize = 1_000_000;

/// What a generated block costs, in steps of the evaluation.
const BLOCK_COST: u64 = 100;

/// A part of a resource: an argument, or all blocks of a type.
#[derive(Clone)]
pub(super) struct Part {
    val: Val,
    value: Value,
}

/// The parts by name.
pub(super) type Parts = BTreeMap<Text, Part>;

/// The file of a block, and its schema if there is one.
pub(super) type OfFile<'e> = (FileId, Option<&'e BlockSchema>);

/// The blocks of a type so far.
#[derive(Default)]
struct Blocks {
    vals: Vec<Val>,
    values: Vec<Value>,
    /// Those with labels, by the first one.
    labeled: BTreeMap<Text, Part>,
    /// What replaces all of them, if it is not known which ones there are.
    unknown: Option<Part>,
}

impl Evaluation<'_, '_> {
    /// Evaluates all instances of a resource.
    pub(super) fn plan(&self, frame: &Rc<Frame>, address: &Text, declared: &Declared) -> Expanded {
        let at = At::module(frame);
        let mut instances = self.expand(&at, declared);
        let arguments = declared.arguments.iter().filter(|(name, _)| !OWN_ARGUMENTS.contains(&&***name));
        let arguments: Vec<(Text, Written)> = arguments.map(|(name, w)| (name.clone(), w.clone())).collect();
        let blocks = declared.blocks.iter().filter(|block| !OWN_BLOCKS.contains(&&*block.kind.text));
        let blocks: Vec<(FileId, &Block)> = blocks.map(|nested| (nested.file, &nested.block)).collect();
        // What reads neither `each` nor `count` is the same in all instances.
        let (own, common): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|(_, w)| is_repeated(&w.expr));
        let own_kinds: HashSet<&str> =
            blocks.iter().filter(|(_, b)| reads_instance(&b.body)).map(|(_, b)| &**block_type(b)).collect();
        let is_own = |block: &Block| own_kinds.contains(&**block_type(block));
        let (own_blocks, common_blocks): (Vec<_>, Vec<_>) = blocks.iter().copied().partition(|(_, b)| is_own(b));
        let schema = self.schema(frame, address, declared);
        let repeated_by = repeated(declared).map(|(_, written)| written);
        let mut known: Option<Parts> = None;
        let mut planned: Vec<(Repeat, Planned)> = Vec::new();
        let has_own = !own.is_empty() || !own_blocks.is_empty();
        let parts = (own.len() + common.len() + blocks.len()) * instances.repeats().len();
        if has_own && parts > MAX_PARTS {
            let reason = format!(
                "{parts} arguments and blocks of all instances are more than the {MAX_PARTS} that are examined"
            );
            self.report(Failure::new(&rules::LIMIT_EXCEEDED, reason.clone(), declared.place));
            instances = instances.hidden(reason.into());
        }
        for repeat in instances.evaluated(declared) {
            if let Some((_, first)) = planned.first().filter(|_| !has_own) {
                let same = first.clone();
                planned.push((repeat, same));
                continue;
            }
            let takes_ephemeral = Mode::of(address) == Mode::Ephemeral;
            let at = At { repeat: &repeat, repeated_by: repeated_by.as_ref(), takes_ephemeral, ..at };
            let shared = known.get_or_insert_with(|| {
                let mut parts = self.arguments(&at, &common, schema);
                parts.extend(self.blocks(&at, &common_blocks, schema, 0));
                parts
            });
            let mut parts = shared.clone();
            parts.extend(self.arguments(&at, &own, schema));
            parts.extend(self.blocks(&at, &own_blocks, schema, 0));
            planned.push((repeat.clone(), instance(address, parts, declared, schema)));
        }
        let whole = instances.whole(planned.iter().map(|(_, planned)| planned.val.clone()).collect());
        Expanded { planned, whole }
    }

    /// Evaluates what repeats a resource, and its arguments and blocks once.
    pub(super) fn validate(&self, frame: &Rc<Frame>, address: &Text, declared: &Declared) {
        self.expand(&At::module(frame), declared);
        let repeat = Repeat::any(declared);
        let at = At { repeat: &repeat, takes_ephemeral: Mode::of(address) == Mode::Ephemeral, ..At::module(frame) };
        let arguments = declared.arguments.iter().filter(|(name, _)| !OWN_ARGUMENTS.contains(&&***name));
        let arguments: Vec<(Text, Written)> = arguments.map(|(name, w)| (name.clone(), w.clone())).collect();
        let blocks = declared.blocks.iter().filter(|block| !OWN_BLOCKS.contains(&&*block.kind.text));
        let blocks: Vec<(FileId, &Block)> = blocks.map(|nested| (nested.file, &nested.block)).collect();
        self.arguments(&at, &arguments, None);
        self.blocks(&at, &blocks, None, 0);
    }

    /// The schema of a resource; `None` if there is none, or none of its type.
    fn schema(&self, frame: &Frame, address: &str, declared: &Declared) -> Option<&BlockSchema> {
        let schemas = self.statics.files.loader().schemas.as_ref()?;
        of_resource(schemas, &self.statics.nodes[frame.node].module, address, declared)?.ok()
    }

    fn arguments(&self, at: &At<'_>, arguments: &[(Text, Written)], schema: Option<&BlockSchema>) -> Parts {
        let mut parts = Parts::new();
        for (name, written) in arguments {
            let mut val = self.value(at, written);
            if !at.takes_ephemeral && !name.ends_with("_wo") && val.all_marks().has(Marks::EPHEMERAL) {
                let message = format!(
                    "ephemeral value used in non-ephemeral context: \"{name}\" is stored, which ephemeral values are not"
                );
                self.report_at(at, Failure::new(&rules::SENSITIVE, message, written.place()));
            }
            // Null is the same as nothing.
            if !val.is_null() {
                if let Some(schema) = schema {
                    val = schema.argument(name, val).unwrap_or_else(|message| {
                        self.report_at(at, Failure::new(&rules::INVALID_VALUE, message, written.place()));
                        Val::failed()
                    });
                }
                val = val.kept();
                let value = self.shown(at, written, &val);
                let value = if val.facts().is_none() { absent_if_null(value) } else { value };
                parts.insert(name.clone(), Part { val, value });
            }
        }
        parts
    }

    /// A body inside of a block.
    fn body(&self, at: &At<'_>, body: &Body, (file, schema): OfFile<'_>, depth: usize) -> Parts {
        let written = |a: &crate::hcl::ast::Attribute| (a.name.text.clone(), Written::of(file, a));
        let mut parts = self.arguments(at, &body.attributes.iter().map(written).collect::<Vec<_>>(), schema);
        let blocks: Vec<(FileId, &Block)> = body.blocks.iter().map(|block| (file, block)).collect();
        parts.extend(self.blocks(at, &blocks, schema, depth));
        parts
    }

    /// Blocks with their files, by type.
    pub(super) fn blocks(
        &self,
        at: &At<'_>,
        blocks: &[(FileId, &Block)],
        schema: Option<&BlockSchema>,
        depth: usize,
    ) -> Parts {
        let mut found: BTreeMap<Text, Blocks> = BTreeMap::new();
        for &(file, block) in blocks {
            let of_type = found.entry(block_type(block).clone()).or_default();
            if depth >= MAX_NESTING {
                let message = format!("blocks nest more than {MAX_NESTING} levels deep");
                self.report(Failure::new(&rules::LIMIT_EXCEEDED, message, (file, block.header())));
                continue;
            }
            let schema = schema.and_then(|schema| schema.block_type(block_type(block)).ok().flatten());
            match &*block.kind.text {
                "dynamic" => self.dynamic(at, block, (file, schema), depth, of_type),
                // OpenTofu looks at no block behind one of its type that may be there any number of times.
                _ if of_type.unknown.is_some() => {}
                _ => {
                    let labels: Vec<Text> = block.labels.iter().map(|label| label.text.clone()).collect();
                    let parts = self.body(at, &block.body, (file, schema), depth + 1);
                    of_type.add(&labels, object(parts, (file, block), Marks::NONE, schema));
                }
            }
        }
        for (kind, of_type) in &mut found {
            if let Some(part) = &mut of_type.unknown {
                let of_kind: Vec<_> = blocks.iter().copied().filter(|(_, block)| block_type(block) == kind).collect();
                part.value = self.made_of_blocks(at, &of_kind, &part.value);
            }
        }
        found.into_iter().filter_map(|(kind, blocks)| Some((kind, blocks.finish()?))).collect()
    }

    /// The blocks that a dynamic block makes.
    fn dynamic(&self, at: &At<'_>, block: &Block, (file, schema): OfFile<'_>, depth: usize, into: &mut Blocks) {
        let Some(kind) = block.labels.first() else { return };
        let written = |attribute: &crate::hcl::ast::Attribute| Written::of(file, attribute);
        let wrong =
            |message: String, place| self.report_at(at, Failure::new(&rules::INVALID_REPETITION, message, place));
        let Some(content) = block.body.blocks_of("content").next() else {
            return wrong(
                "missing dynamic content block: a dynamic block must have a nested block \"content\"".to_owned(),
                (file, block.header()),
            );
        };
        let Some(for_each) = block.body.get("for_each").map(written) else {
            return wrong(
                "missing required argument: a dynamic block needs \"for_each\"".to_owned(),
                (file, block.header()),
            );
        };
        let iterator = iterator(block, kind);
        let Some(collection) = self.collection(at, &for_each) else { return };
        if into.unknown.is_some() {
            return;
        }
        let items: Vec<(Val, Val)> = match &collection.data {
            Data::Set(_, items) => items.iter().map(|item| (item.clone(), item.clone())).collect(),
            Data::List(_, items) | Data::Tuple(items) => {
                items.iter().enumerate().map(|(index, item)| (Val::number(index), item.clone())).collect()
            }
            Data::Map(_, entries) | Data::Object(entries) => {
                entries.iter().map(|(key, value)| (Val::str(key.clone()), value.clone())).collect()
            }
            _ => {
                self.content_of_unknown(at, iterator, &content.body, file);
                let value = self.shown(at, &for_each, &Val { data: unknown(&collection), ..collection.clone() });
                let value = absent_if_null(value);
                into.unknown.get_or_insert(Part { val: Val { data: unknown(&collection), ..collection }, value });
                return;
            }
        };
        if items.len() > MAX_BLOCKS {
            let reason = format!("{} blocks are more than the {MAX_BLOCKS} that are examined", items.len());
            self.report(Failure::new(&rules::LIMIT_EXCEEDED, reason.clone(), for_each.place()));
            let val = Val::unknown(Type::Dynamic, reason);
            let value = self.shown(at, &for_each, &val);
            into.unknown.get_or_insert(Part { val, value });
            return;
        }
        let marks = collection.marks;
        for (key, value) in items {
            if !self.take(BLOCK_COST) {
                let reason = "the blocks of this module need more steps than allowed";
                self.report(Failure::new(&rules::LIMIT_EXCEEDED, reason, for_each.place()));
                let val = Val::unknown(Type::Dynamic, reason);
                let value = self.shown(at, &for_each, &val);
                into.unknown.get_or_insert(Part { val, value });
                return;
            }
            let entries = [("key".into(), key.marked(marks)), ("value".into(), value.marked(marks))];
            let mut iterators = at.iterators.to_vec();
            let value = Val::object(entries.into_iter().collect());
            iterators.push(Iterator { name: iterator.clone(), value, for_each: Some(for_each.clone()) });
            let at = At { iterators: &iterators, ..*at };
            let labels = block.body.get("labels").map(written).map(|written| self.value(&at, &written));
            let labels: Vec<Text> = labels
                .iter()
                .flat_map(|labels| labels.as_items().into_iter().flat_map(|items| items.iter()))
                .filter_map(|label| convert(label, &Type::Str).ok()?.as_str().cloned())
                .collect();
            let parts = self.body(&at, &content.body, (file, schema), depth + 1);
            into.add(&labels, object(parts, (file, block), marks, schema));
        }
    }

    /// The collection of a dynamic block; `None` if there is something wrong with it.
    fn collection(&self, at: &At<'_>, for_each: &Written) -> Option<Val> {
        let found = self.value(at, for_each);
        let why = match &found.data {
            _ if found.is_failed() => return Some(found),
            Data::Null(_) => "it is null".to_owned(),
            _ if found.as_items().is_none() && found.as_entries().is_none() && Type::of(&found).is_primitive() => {
                format!("cannot use a {} value in for_each", Type::of(&found).name())
            }
            _ => return Some(found),
        };
        let message = format!("invalid dynamic for_each value: {why}");
        self.report_at(at, Failure::new(&rules::INVALID_REPETITION, message, for_each.place()));
        None
    }

    /// Checks what is evaluated in the content of a dynamic block of which it is not known how often it is there: the collections of
    /// dynamic blocks inside of it, and nothing else.
    fn content_of_unknown(&self, at: &At<'_>, iterator: Text, content: &Body, file: FileId) {
        let one = || Val::unknown(Type::Dynamic, "it is not known how many blocks there are");
        let mut iterators = at.iterators.to_vec();
        let value = Val::object([("key".into(), one()), ("value".into(), one())].into());
        iterators.push(Iterator { name: iterator, value, for_each: None });
        self.inner_collections(&At { iterators: &iterators, ..*at }, content, file);
    }

    fn inner_collections(&self, at: &At<'_>, body: &Body, file: FileId) {
        for block in &body.blocks {
            let Some(kind) = block.labels.first().filter(|_| &*block.kind.text == "dynamic") else {
                self.inner_collections(at, &block.body, file);
                continue;
            };
            let for_each = block.body.get("for_each").map(|attribute| Written::of(file, attribute));
            if for_each.is_some_and(|for_each| self.collection(at, &for_each).is_some()) {
                let contents = block.body.blocks_of("content");
                contents.for_each(|inner| self.content_of_unknown(at, iterator(block, kind), &inner.body, file));
            }
        }
    }
}

/// The name that a dynamic block gives to its iterator.
fn iterator(block: &Block, kind: &Name) -> Text {
    let own = block.body.get("iterator").and_then(|a| walk::name(&a.expr));
    own.map_or_else(|| kind.text.clone(), Text::from)
}

/// A value in a place where there is nothing if it turns out to be null, or to have no elements: it may be absent if it is not known.
fn absent_if_null(mut value: Value) -> Value {
    if let value::Data::Unknown(unknown) = &mut value.data {
        Arc::make_mut(unknown).may_be_absent = true;
    }
    value
}

/// The data of a value that is not known, as that of something without a type.
fn unknown(value: &Val) -> Data {
    let reason = value.unknown_reason().cloned().unwrap_or_default();
    Data::Unknown(Type::Dynamic, reason.into())
}

impl Blocks {
    fn add(&mut self, labels: &[Text], part: Part) {
        let Some((first, rest)) = labels.split_first() else {
            self.vals.push(part.val);
            self.values.push(part.value);
            return;
        };
        let mut inner = Blocks::default();
        inner.add(rest, part);
        if let Some(part) = inner.finish_labeled() {
            self.labeled.insert(first.clone(), part);
        }
    }

    /// The one block behind a label, or those behind the next one.
    fn finish_labeled(mut self) -> Option<Part> {
        match self.values.pop().zip(self.vals.pop()) {
            Some((value, val)) => Some(Part { val, value }),
            None => self.finish(),
        }
    }

    fn finish(self) -> Option<Part> {
        if let Some(unknown) = self.unknown {
            return Some(unknown);
        }
        if !self.labeled.is_empty() {
            let vals: Entries = self.labeled.iter().map(|(label, part)| (label.clone(), part.val.clone())).collect();
            let map: Map = self.labeled.into_iter().map(|(label, part)| (Key::from(&*label), part.value)).collect();
            return Some(Part { val: Val::object(vals), value: Value::map(map) });
        }
        let part = Part { val: Val::tuple(self.vals), value: Value::list(self.values) };
        // A type without blocks is not configured.
        part.val.as_items().is_some_and(|items| !items.is_empty()).then_some(part)
    }
}

/// The arguments and blocks whose changes a resource ignores: after it was created, those that read them get what is deployed.
#[derive(Default)]
struct Ignored {
    is_all: bool,
    /// Of `tags["x"]` the first name: the rest of the argument is taken for ignored, too.
    names: Vec<Text>,
}

impl Ignored {
    fn of(declared: &Declared) -> Self {
        let Some(written) = lifecycle(declared, "ignore_changes") else { return Ignored::default() };
        let ExprKind::Tuple(items) = &written.expr.kind else {
            return Ignored { is_all: walk::name(&written.expr) == Some("all"), names: Vec::new() };
        };
        let first = |item: &Expr| match walk::constant_text(item) {
            Some(text) => text.split(['.', '[']).next().map(Text::from),
            None => walk::references(item).first().map(|reference| reference.root.text.clone()),
        };
        Ignored { is_all: false, names: items.iter().filter_map(first).collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.is_all || self.names.iter().any(|ignored| **ignored == *name)
    }
}

/// The value of an argument that is deployed, whatever is configured.
fn deployed(address: &Text, name: &str, marks: Marks) -> Val {
    Val::unknown(Type::Dynamic, format!("{address}.{name}")).marked(marks)
}

/// Whether something in a body reads what differs between the instances of its resource.
fn reads_instance(body: &Body) -> bool {
    body.attributes.iter().any(|attribute| is_repeated(&attribute.expr))
        || body.blocks.iter().any(|block| reads_instance(&block.body))
}

fn object(parts: Parts, (file, block): (FileId, &Block), marks: Marks, schema: Option<&BlockSchema>) -> Part {
    let (mut entries, mut map) = (Entries::new(), Map::new());
    for (key, part) in parts {
        map.set(Key::from(&*key), part.value);
        entries.insert(key, part.val.marked(marks));
    }
    let name = block_type(block);
    let prov = Prov::at(shown::origin((file, block.header())));
    Part { val: whole(entries, name, schema), value: Value::map(map).with_prov(prov) }
}

/// The value of a block with these arguments and blocks: without a schema there may be others.
fn whole(entries: Entries, name: &Text, schema: Option<&BlockSchema>) -> Val {
    match schema {
        Some(schema) => schema.complete(entries, name),
        None => Val::partial(entries, name.clone()),
    }
}

fn instance(address: &Text, parts: Parts, declared: &Declared, schema: Option<&BlockSchema>) -> Planned {
    let ignored = Ignored::of(declared);
    let (mut entries, mut map) = (Entries::new(), Map::new());
    for (key, part) in parts {
        map.set(Key::from(&*key), part.value);
        let val = if ignored.has(&key) { deployed(address, &key, part.val.all_marks()) } else { part.val };
        entries.insert(key, val);
    }
    for key in ignored.names {
        entries.entry(key.clone()).or_insert_with(|| deployed(address, &key, Marks::NONE));
    }
    let marks = if address.starts_with("ephemeral.") { Marks::EPHEMERAL } else { Marks::NONE };
    let prov = Prov::at(shown::origin(declared.place));
    let val = match built_in::is_type(address.split('.').next().unwrap_or_default()) {
        true => built_in::value(entries, address),
        false => whole(entries, address, schema),
    };
    Planned { val: val.marked(marks), value: Value::map(map).with_prov(prov) }
}
