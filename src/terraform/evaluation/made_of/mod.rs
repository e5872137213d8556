//! What an expression is made of, whether it can be evaluated or not: the values of the names that it refers to, through
//! locals, variables, calls and outputs of modules, and the files that its functions read.

mod blocks;
mod files;
mod modules;
mod steps;

use crate::hcl::ast::walk::{self, Reference};
use crate::hcl::ast::{Expr, Key, TraversalStep};
use crate::hcl::items::said;
use crate::hcl::val::export::export;
use crate::hcl::val::{Data, Val};
use crate::reads::made_of;
use crate::terraform::evaluation::followed::{Followed, Named};
use crate::terraform::evaluation::made_of::blocks::nested;
use crate::terraform::evaluation::made_of::steps::{ToBlock, first_name, led_to, part_of};
pub(crate) use crate::terraform::evaluation::made_of::steps::{entry, shown_steps};
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::parts::{Parts, narrowed};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::Place;
use crate::terraform::module::Module;
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::reader::block_type;
use crate::text::Text;
use crate::value::{FileId, Origin, Prov, Read, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most names that are followed from one expression. One with more is made of all files and inputs of the root module.
pub(crate) const MAX_NAMES: usize = 500;

/// What an expression is made of, and where that is written.
pub(crate) type MadeOf = (Vec<Read>, Vec<Prov>);

/// Which instances of a block are read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which<'a> {
    /// The one with this key.
    Key(&'a Key),
    /// The one whose key an expression gives.
    Computed(&'a Expr),
    /// All of them, or the only one.
    All,
}

/// What `each`, `count` or the iterator of a dynamic block gives.
pub(crate) struct Repeated<At> {
    /// The value, and how many steps from the name lead to it.
    pub value: Option<(Val, usize)>,
    /// The expression that it comes from.
    pub from: Option<(At, Written)>,
}

/// What names mean where an expression is.
pub(crate) trait Meanings {
    /// Where an expression is.
    type At: Clone;
    /// The names that were followed so far.
    fn followed(&self) -> &Followed;
    /// The modules.
    fn statics(&self) -> &Statics<'_>;
    /// The module in which a place is.
    fn node(&self, at: &Self::At) -> usize;
    /// What names at a place begin with: the module, `module.m["a"]:`.
    fn prefix(&self, at: &Self::At) -> String;
    /// The key of the instance of a block: `["a"]`.
    fn key(&self, at: &Self::At) -> String;
    /// The value of a local.
    fn local(&self, at: &Self::At, name: &Text) -> Option<Val>;
    /// The value of a variable.
    fn variable(&self, at: &Self::At, name: &Text) -> Option<Val>;
    /// The value of an output.
    fn output(&self, at: &Self::At, name: &Text) -> Option<Val>;
    /// The value of an argument of a resource, at the place of one of its instances.
    fn attribute(&self, at: &Self::At, address: &str, name: &Text) -> Option<Val>;
    /// The blocks of a type in a resource, at the place of one of its instances; `None` if something in them is not known.
    fn blocks(&self, at: &Self::At, address: &str, kind: &Text) -> Option<Value>;
    /// The argument that sets a variable of a called module, where the call is.
    fn argument(&self, at: &Self::At, name: &Text) -> Option<(Self::At, Written)>;
    /// The modules that a call leads to, if they are in the repository.
    fn called(&self, at: &Self::At, file: FileId, call: &Text, which: Which<'_>) -> Option<Vec<Self::At>>;
    /// The places of the instances of a resource, or of the call of a module that is not in the repository.
    fn instances(&self, at: &Self::At, file: FileId, resource: (&Text, &Declared), which: Which<'_>) -> Vec<Self::At>;
    /// The keys of the instances of a block; `None` if they are not known.
    fn keys(&self, at: &Self::At, address: &Text) -> Option<String>;
    /// What a name gives that differs between instances of a block; `None` for other names.
    fn repeated(&self, at: &Self::At, root: &str, steps: &[TraversalStep]) -> Option<Repeated<Self::At>>;
    /// The files that the path of a function means.
    fn named_files(&self, at: &Self::At, written: &Written) -> NamedFiles;
}

/// What an expression is made of.
pub(crate) fn find<M: Meanings>(meanings: &M, at: &M::At, written: &Written) -> MadeOf {
    let (reads, places) = (Vec::new(), Vec::new());
    let mut collector = Collector {
        meanings,
        seen: BTreeSet::new(),
        is_cut: meanings.followed().is_used_up(),
        through: String::new(),
        reads,
        places,
        seen_places: BTreeSet::new(),
    };
    collector.expr(at, written);
    if collector.is_cut {
        let statics = meanings.statics();
        collector.reads.push(statics.whole.get_or_init(|| statics.all()).clone());
    }
    (collector.reads, collector.places)
}

/// Whether the value of a local or variable, or of what steps from there lead to, has a key; `None` if that is not known, and for
/// other expressions.
pub(crate) fn has_key<M: Meanings>(meanings: &M, at: &M::At, expr: &Expr, key: &str) -> Option<bool> {
    let reference = walk::as_reference(expr)?;
    let name = first_name(reference.steps)?;
    let value = match &*reference.root.text {
        "local" => meanings.local(at, name)?,
        "var" => meanings.variable(at, name)?,
        _ => return None,
    };
    match &led_to(&value, &reference.steps[1..])?.data {
        Data::Map(_, entries) | Data::Object(entries) => Some(entries.contains_key(key)),
        Data::Null(_) => Some(false),
        _ => None,
    }
}

/// What repeats a block.
fn repetition(declared: &Declared) -> Option<&Written> {
    ["for_each", "count"].iter().find_map(|name| declared.arguments.get(*name))
}

impl Statics<'_> {
    /// All files of all modules, and the inputs of the root module.
    fn all(&self) -> Read {
        let files: BTreeSet<FileId> = self.nodes.iter().flat_map(|node| node.module.files.iter().copied()).collect();
        let files = files.into_iter().map(|file| self.files.loader().reader.files.get(file));
        let mut reads: Vec<Read> = files.map(|file| made_of::text(Text::clone(&file.path), &file.text)).collect();
        for name in self.nodes[0].module.variables.keys() {
            reads.extend(self.inputs.made_of(name).iter().cloned());
            reads.extend(self.variable_value(0, name).ok().map(|value| made_of::value(name.clone(), &export(&value))));
        }
        made_of::all("a file or an input of this root module", reads)
    }

    /// The text of an argument.
    pub(crate) fn source_text(&self, written: &Written) -> Text {
        self.files.loader().source_text(written)
    }

    /// The text of an argument that is an address or a type.
    pub(crate) fn plain_text(&self, written: &Written) -> Text {
        self.files.loader().plain_text(written)
    }
}

struct Collector<'m, M> {
    meanings: &'m M,
    /// The names that were followed, with the module that they are in.
    seen: BTreeSet<String>,
    /// Whether there are more of them than are followed.
    is_cut: bool,
    /// The instances that are gone through, if they are several: which of them has a value makes a difference.
    through: String,
    reads: Vec<Read>,
    places: Vec<Prov>,
    /// The places in files among them: all instances of a block are written at one.
    seen_places: BTreeSet<Place>,
}

impl<M: Meanings> Collector<'_, M> {
    fn expr(&mut self, at: &M::At, written: &Written) {
        for reference in walk::references(&written.expr) {
            self.reference(at, written.file, &reference);
        }
        self.files_of(at, written.file, &written.expr);
    }

    /// Adds something that is read.
    fn read(&mut self, read: Read) {
        let Read { name, content } = read;
        self.reads.push(match content {
            Some(content) if !self.through.is_empty() => made_of::text(name, &format!("{} {content}", self.through)),
            content => Read { name, content },
        });
    }

    /// Adds a place in a file.
    fn written_at(&mut self, at: Place) {
        if self.seen_places.insert(at) {
            self.places.push(place(at));
        }
    }

    /// A name as it is shown: that of the module as it is written, so that all instances of it say the same.
    fn display_name(&self, at: &M::At, name: &str) -> String {
        format!("{}{name}", self.meanings.statics().nodes[self.meanings.node(at)].prefix)
    }

    /// Goes through several places, or to one.
    fn each(&mut self, places: &[M::At], of: impl Fn(&M::At) -> String, mut see: impl FnMut(&mut Self, &M::At)) {
        for place in places {
            if self.is_cut {
                return;
            }
            let before = self.through.len();
            if places.len() > 1 {
                self.through.push_str(&of(place));
            }
            see(self, place);
            self.through.truncate(before);
        }
    }

    fn module(&self, at: &M::At) -> Arc<Module> {
        Arc::clone(&self.meanings.statics().nodes[self.meanings.node(at)].module)
    }

    fn reference(&mut self, at: &M::At, file: FileId, reference: &Reference<'_>) {
        if self.is_cut {
            return;
        }
        let (root, steps) = (&*reference.root.text, reference.steps);
        let (meanings, module) = (self.meanings, self.module(at));
        if let Some(repeated) = meanings.repeated(at, root, steps) {
            return self.repeated(root, steps, repeated);
        }
        match (root, first_name(steps)) {
            ("path" | "terraform" | "tofu" | "each" | "count" | "self", _) | (_, None) => {}
            ("local", Some(name)) => {
                if let Some(written) = module.locals.get(name) {
                    let name_of = (format!("local.{name}"), &steps[1..]);
                    self.named(at, name_of, (Some((at, written)), Some(Parts::Ordered)), || meanings.local(at, name));
                }
            }
            ("var", Some(name)) => {
                let argument = meanings.argument(at, name);
                let argument = argument.as_ref().map(|(caller, written)| (caller, written));
                if meanings.node(at) == 0 {
                    self.reads.extend(meanings.statics().inputs.made_of(name).iter().cloned());
                }
                let parts = module.variables.get(name).and_then(Parts::of_variable);
                let name_of = (format!("var.{name}"), &steps[1..]);
                self.named(at, name_of, (argument, parts), || meanings.variable(at, name));
            }
            ("module", Some(call)) => self.call(at, file, call, &ToBlock::new(reference, 1)),
            (mode @ ("data" | "ephemeral"), Some(kind)) => {
                let Some(name) = steps.get(1..).and_then(first_name) else { return };
                let address = Text::from(format!("{mode}.{kind}.{name}"));
                if let Some(block) = module.resources.get(&address) {
                    let to = ToBlock::new(reference, 2);
                    // What is looked up depends on all arguments.
                    self.block(at, file, (&address, block), to.which);
                }
            }
            ("resource", Some(kind)) => {
                let Some(name) = steps.get(1..).and_then(first_name) else { return };
                let address = Text::from(format!("{kind}.{name}"));
                self.resource(at, file, address, &ToBlock::new(reference, 2));
            }
            (kind, Some(name)) => {
                let address = Text::from(format!("{kind}.{name}"));
                self.resource(at, file, address, &ToBlock::new(reference, 1));
            }
        }
    }

    /// What is read of a resource. Of what the provider computes nothing is in the repository.
    fn resource(&mut self, at: &M::At, file: FileId, address: Text, to: &ToBlock<'_>) {
        let module = self.module(at);
        let Some(block) = module.resources.get(&address) else { return };
        if to.is_through_all {
            self.keys(at, &address, block);
        }
        for steps in &to.then {
            let Some(name) = first_name(steps) else {
                self.block(at, file, (&address, block), to.which);
                continue;
            };
            let blocks = block.blocks.iter().enumerate().filter(|(_, nested)| **block_type(&nested.block) == **name);
            let mut of_blocks: BTreeMap<String, Written> = BTreeMap::new();
            blocks.for_each(|(i, block)| nested(&block.block, i, block.file, &mut of_blocks));
            let argument = block.arguments.get(name);
            if argument.is_none() && of_blocks.is_empty() {
                continue;
            }
            let (meanings, name_of) = (self.meanings, format!("{address}.{name}"));
            let instances = meanings.instances(at, file, (&address, block), to.which);
            self.each(
                &instances,
                |instance| meanings.key(instance),
                |own, instance| match argument {
                    Some(written) => {
                        let value = || meanings.attribute(instance, &address, name);
                        let written = (Some((instance, written)), Some(Parts::Keys));
                        own.named(instance, (name_of.clone(), &steps[1..]), written, value);
                    }
                    None => own.nested(instance, (&name_of, &of_blocks), || meanings.blocks(instance, &address, name)),
                },
            );
        }
    }

    /// The keys of the instances of a block.
    fn keys(&mut self, at: &M::At, address: &Text, block: &Declared) {
        let (meanings, label) = (self.meanings, format!("{} keys", self.label(at, address)));
        if !self.take(label.clone()) {
            return;
        }
        let keys = meanings.followed().get_or_insert(&label, || {
            let known = meanings.keys(at, address);
            let read = made_of::text(self.display_name(at, address), known.as_deref().unwrap_or_default());
            Named { read, value_place: None, is_known: known.is_some() }
        });
        self.read(keys.read);
        if let Some(written) = repetition(block).filter(|_| !keys.is_known) {
            self.expr(at, written);
        }
    }

    /// What is read of the outputs of a module; of a module that is not in the repository, the arguments of its call.
    fn call(&mut self, at: &M::At, file: FileId, call: &Text, to: &ToBlock<'_>) {
        let module = self.module(at);
        let Some(declared) = module.calls.get(call) else { return };
        let address = Text::from(format!("module.{call}"));
        let Some(called) = self.meanings.called(at, file, call, to.which) else {
            return self.block(at, file, (&address, declared), to.which);
        };
        if to.is_through_all || to.then.iter().any(|steps| steps.is_empty()) {
            self.keys(at, &address, declared);
        }
        let meanings = self.meanings;
        self.each(
            &called,
            |child| meanings.prefix(child),
            |own, child| {
                let of_child = own.module(child);
                for steps in &to.then {
                    match first_name(steps) {
                        Some(output) => own.output(child, output, &steps[1..]),
                        None => of_child.outputs.keys().for_each(|output| own.output(child, output, &[])),
                    }
                }
            },
        );
    }

    /// An output of a called module.
    fn output(&mut self, child: &M::At, output: &Text, steps: &[TraversalStep]) {
        let (module, meanings) = (self.module(child), self.meanings);
        let written = module.outputs.get(output).and_then(|output| output.arguments.get("value"));
        let name = (format!("output.{output}"), steps);
        let written = (written.map(|w| (child, w)), Some(Parts::Ordered));
        self.named(child, name, written, || meanings.output(child, output));
    }

    /// What differs between the instances of a block.
    fn repeated(&mut self, root: &str, steps: &[TraversalStep], repeated: Repeated<M::At>) {
        let part = repeated.value.as_ref().and_then(|(value, used)| part_of(value, &steps[*used..]));
        let name = format!("{root}{}", shown_steps(steps));
        match (part, repeated.from) {
            (Some(part), _) => self.read(made_of::value(name, &export(&part))),
            (None, Some((at, written))) => {
                if self.take(format!("{}{root} {:?}", self.meanings.prefix(&at), written.argument())) {
                    self.read(made_of::text(name, &said(&self.meanings.statics().source_text(&written))));
                    self.written_at(written.argument());
                    self.expr(&at, &written);
                }
            }
            (None, None) => {
                let value = repeated.value.map(|(value, _)| export(&value)).unwrap_or_default();
                self.read(made_of::value(name, &value));
            }
        }
    }

    /// A name and the steps from it: the value there if that is known, or else the text of that part of it that can be told apart,
    /// and what that is made of.
    fn named(
        &mut self,
        at: &M::At,
        (name, steps): (String, &[TraversalStep]),
        (written, parts): (Option<(&M::At, &Written)>, Option<Parts>),
        value: impl Fn() -> Option<Val>,
    ) {
        let (label, shown_as) = (self.label(at, &name), self.display_name(at, &name));
        let part = if steps.is_empty() { None } else { value().and_then(|value| part_of(&value, steps)) };
        if let Some(part) = part {
            let steps = shown_steps(steps);
            if self.take(format!("{label}{steps}")) {
                self.read(made_of::value(format!("{shown_as}{steps}"), &export(&part)));
                self.places.push(part.prov);
            }
            return;
        }
        let narrowed = parts.zip(written).and_then(|(parts, (at, written))| {
            let has_key = |expr: &Expr, key: &str| has_key(self.meanings, at, expr, key);
            Some((at, narrowed(written, steps, parts, &has_key)?))
        });
        if let Some((at, written)) = narrowed {
            let steps = shown_steps(steps);
            if self.take(format!("{label}{steps}")) {
                let text = said(&self.meanings.statics().source_text(&written));
                self.read(made_of::text(format!("{shown_as}{steps}"), &text));
                self.written_at(written.place());
                self.expr(at, &written);
            }
            return;
        }
        if !self.take(label.clone()) {
            return;
        }
        let read = || self.read_name(&shown_as, written.map(|(_, written)| written), value());
        let named = self.meanings.followed().get_or_insert(&label, read);
        self.read(named.read);
        self.places.extend(named.value_place);
        if let Some((at, written)) = written.filter(|_| !named.is_known) {
            self.written_at((written.file, written.span));
            self.expr(at, written);
        }
    }

    /// A name that differs from those at other places.
    fn label(&self, at: &M::At, name: &str) -> String {
        format!("{}{name}{}", self.meanings.prefix(at), self.meanings.key(at))
    }

    /// Whether something is followed: once, and not if there is too much.
    fn take(&mut self, label: String) -> bool {
        if self.seen.contains(&label) {
            return false;
        }
        if self.seen.len() >= MAX_NAMES || !self.meanings.followed().take() {
            self.is_cut = true;
            return false;
        }
        self.seen.insert(label)
    }

    fn read_name(&self, shown_as: &str, written: Option<&Written>, value: Option<Val>) -> Named {
        let known = value.filter(|value| value.unknown_reason().is_none());
        match (known, written) {
            (Some(value), _) => {
                let read = made_of::value(shown_as, &export(&value));
                Named { read, value_place: Some(value.prov), is_known: true }
            }
            (None, Some(written)) => Named {
                read: made_of::text(shown_as, &said(&self.meanings.statics().source_text(written))),
                value_place: None,
                is_known: false,
            },
            (None, None) => Named { read: made_of::text(shown_as, ""), value_place: None, is_known: false },
        }
    }
}

/// A place as the provenance of what is written there.
fn place((file, span): Place) -> Prov {
    Prov::at(Origin { file, key: span.start, start: span.start, end: span.end })
}
