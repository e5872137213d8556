//! What an expression is made of, whether it can be evaluated or not: the values of the names that it refers to, through
//! locals, variables, calls and outputs of modules, and the files that its functions read.

use crate::hcl::ast::walk::{self, Reference};
use crate::hcl::ast::{Block, Expr, ExprKind, Span, TraversalStep};
use crate::hcl::items::said;
use crate::hcl::val::Val;
use crate::hcl::val::export::export;
use crate::reads::made_of;
use crate::terraform::evaluation::name_reads::Named;
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::statics::{Found, Identifier, ReadFiles, Statics};
use crate::terraform::failure::Place;
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::paths::{self, Base, NamedPath, Pattern};
use crate::text::Text;
use crate::value::{FileId, Origin, Prov, Read};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The most names that are followed from one expression. One with more is made of all files and inputs of the root module.
const MAX_NAMES: usize = 500;

/// The most names that are followed from all expressions of a root module. Each further one is made of all files and inputs.
const MAX_FOLLOWED: usize = 1_000_000;

/// How many files that an expression reads are named as its places.
const MAX_PLACES: usize = 20;

impl Statics<'_> {
    /// What an argument of a module is made of, and where that is written.
    pub(crate) fn made_of(&self, node: usize, written: &Written) -> (Vec<Read>, Vec<Prov>) {
        let (reads, places) = (Vec::new(), Vec::new());
        let mut collector = Collector { statics: self, seen: BTreeSet::new(), is_cut: false, reads, places };
        collector.expr(node, written);
        if collector.is_cut {
            collector.reads.push(self.whole.get_or_init(|| self.all()).clone());
        }
        (collector.reads, collector.places)
    }

    /// All files of all modules, and the inputs of the root module.
    fn all(&self) -> Read {
        let files: BTreeSet<FileId> = self.nodes.iter().flat_map(|node| node.module.files.iter().copied()).collect();
        let files = files.into_iter().map(|file| self.files.loader().reader.files.get(file));
        let mut reads: Vec<Read> = files.map(|file| made_of::text(Text::clone(&file.path), &file.text)).collect();
        for name in self.nodes[0].module.variables.keys() {
            reads.extend(self.inputs.made_of(name).iter().cloned());
            reads.extend(self.variable_value(0, name).ok().map(|value| made_of::value(name.clone(), &export(&value))));
        }
        made_of::all("what it is made of", reads)
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

struct Collector<'s, 'a> {
    statics: &'s Statics<'a>,
    /// The names that were followed, with the module that they are in.
    seen: BTreeSet<String>,
    /// Whether there are more of them than are followed.
    is_cut: bool,
    reads: Vec<Read>,
    places: Vec<Prov>,
}

impl Collector<'_, '_> {
    fn expr(&mut self, node: usize, written: &Written) {
        for reference in walk::references(&written.expr) {
            self.reference(node, &reference);
        }
        let mut arguments = Vec::new();
        walk::visit(&written.expr, &mut |inner| {
            if let ExprKind::Call(call) = &inner.kind {
                arguments.extend(paths::argument(call).cloned());
            }
        });
        arguments.into_iter().for_each(|path| self.file(node, written.file, path));
    }

    fn reference(&mut self, node: usize, reference: &Reference<'_>) {
        let mut names = reference.steps.iter().filter_map(|step| match step {
            TraversalStep::Attribute(name) => Some(&name.text),
            _ => None,
        });
        let module = Arc::clone(&self.statics.nodes[node].module);
        match (&*reference.root.text, names.next(), names.next(), names.next()) {
            ("local", Some(name), ..) => {
                if let Some(written) = module.locals.get(name) {
                    self.named(node, format!("local.{name}"), Some((node, written)), |s| s.local_value(node, name));
                }
            }
            ("var", Some(name), ..) => {
                let argument = self.argument(node, name);
                let argument = argument.as_ref().map(|(parent, written)| (*parent, written));
                if node == 0 {
                    self.reads.extend(self.statics.inputs.made_of(name).iter().cloned());
                }
                self.named(node, format!("var.{name}"), argument, |s| s.variable_value(node, name));
            }
            ("module", Some(call), Some(output), _) => self.output(node, call, output),
            ("module", Some(call), None, _) => {
                let child = self.child(node, call).map(|child| Arc::clone(&self.statics.nodes[child].module));
                match child {
                    Some(child) => child.outputs.keys().for_each(|output| self.output(node, call, output)),
                    None => self.output(node, call, &Text::default()),
                }
            }
            ("data" | "ephemeral", Some(kind), Some(name), _) => {
                let address = format!("{}.{kind}.{name}", reference.root.text);
                if let Some(block) = module.resources.get(&*address) {
                    self.block(node, address, block);
                }
            }
            ("path" | "terraform" | "tofu" | "each" | "count" | "self", ..) => {}
            (kind, Some(name), attribute, _) => {
                // Of what the provider computes nothing is in the repository.
                let block = module.resources.get(&*format!("{kind}.{name}"));
                let Some(block) = block else { return };
                match attribute.map(|attribute| (attribute, block.arguments.get(attribute))) {
                    Some((attribute, Some(written))) => {
                        let label = format!("{kind}.{name}.{attribute}");
                        self.named(node, label, Some((node, written)), |_| Err(Vec::new()));
                    }
                    Some((_, None)) => {}
                    None => self.block(node, format!("{kind}.{name}"), block),
                }
            }
            _ => {}
        }
    }

    /// A name: its value if that is known, or else its text and what that is made of.
    fn named(
        &mut self,
        node: usize,
        name: String,
        written: Option<(usize, &Written)>,
        value: impl Fn(&Statics<'_>) -> Found,
    ) {
        let label = format!("{}{name}", self.statics.nodes[node].prefix);
        if self.seen.contains(&label) {
            return;
        }
        let followed = &self.statics.followed;
        if self.seen.len() >= MAX_NAMES || followed.get() >= MAX_FOLLOWED {
            self.is_cut = true;
            return;
        }
        followed.set(followed.get() + 1);
        self.seen.insert(label.clone());
        let seen_before = self.statics.named.borrow().get(&label).cloned();
        let named = seen_before.unwrap_or_else(|| {
            let named = self.read_name(&label, written.map(|(_, written)| written), value);
            self.statics.named.borrow_mut().insert(label, named.clone());
            named
        });
        self.reads.push(named.read);
        self.places.extend(named.place);
        if let Some((at, written)) = written.filter(|_| !named.is_known) {
            self.expr(at, written);
        }
    }

    fn read_name(&self, label: &str, written: Option<&Written>, value: impl Fn(&Statics<'_>) -> Found) -> Named {
        let known = value(self.statics).ok().filter(|value: &Val| value.unknown_reason().is_none());
        match (known, written) {
            (Some(value), _) => {
                Named { read: made_of::value(label, &export(&value)), place: Some(value.prov), is_known: true }
            }
            (None, Some(written)) => Named {
                read: made_of::text(label, &said(&self.statics.source_text(written))),
                place: Some(place((written.file, written.span))),
                is_known: false,
            },
            (None, None) => Named { read: made_of::text(label, ""), place: None, is_known: false },
        }
    }

    /// The argument that sets a variable of a called module, with the module that calls.
    fn argument(&self, node: usize, name: &Text) -> Option<(usize, Written)> {
        let child = &self.statics.nodes[node];
        let parent = child.parent?;
        let call = self.statics.nodes[parent].module.calls.get(child.path.last()?)?;
        Some((parent, call.arguments.get(name)?.clone()))
    }

    /// The module that a call leads to.
    fn child(&self, node: usize, call: &Text) -> Option<usize> {
        self.statics.nodes.iter().position(|child| child.parent == Some(node) && child.path.last() == Some(call))
    }

    /// An output of a called module; of a module that is not in the repository, the arguments of its call.
    fn output(&mut self, node: usize, call: &Text, output: &Text) {
        let module = Arc::clone(&self.statics.nodes[node].module);
        let Some(declared) = module.calls.get(call) else { return };
        match self.child(node, call) {
            Some(child) => {
                let of_child = Arc::clone(&self.statics.nodes[child].module);
                let written = of_child.outputs.get(output).and_then(|output| output.arguments.get("value"));
                self.named(node, format!("module.{call}.{output}"), written.map(|w| (child, w)), |statics| {
                    let written = written.ok_or_else(Vec::new)?;
                    let identifier = Identifier { text: format!("output.{output}"), place: written.argument() };
                    statics.value(child, written, identifier)
                });
            }
            None => self.block(node, format!("module.{call}"), declared),
        }
    }

    /// A block as a whole.
    fn block(&mut self, node: usize, name: String, declared: &Declared) {
        let label = format!("{}{name}", self.statics.nodes[node].prefix);
        if self.seen.len() >= MAX_NAMES || !self.seen.insert(label.clone()) {
            return;
        }
        let mut arguments: BTreeMap<String, Written> = BTreeMap::new();
        arguments.extend(declared.arguments.iter().map(|(name, written)| (name.to_string(), written.clone())));
        declared.blocks.iter().enumerate().for_each(|(i, block)| nested(block, i, block.file, &mut arguments));
        let texts = arguments.iter().map(|(name, w)| format!("{name} = {}", said(&self.statics.source_text(w))));
        let texts: Vec<String> = texts.collect();
        self.reads.push(made_of::text(label, &texts.join("\n")));
        self.places.extend(arguments.values().map(|written| place(written.argument())));
        arguments.values().for_each(|written| self.expr(node, written));
    }

    /// The file that a function reads, by the expression of its path.
    fn file(&mut self, node: usize, file: FileId, path: Expr) {
        let module = Arc::clone(&self.statics.nodes[node].module);
        let root = self.statics.nodes[0].module.dir.clone();
        let statics = self.statics;
        let span = path.span;
        let written = Written { file, span, expr: Arc::new(path) };
        match statics.named_files(node, &written) {
            NamedFiles::In { pattern: Pattern::Path(path), is_sensitive } => {
                let mut found = self.files(statics.files.loader().reader.made_of(&path));
                if is_sensitive {
                    let written = statics.source_text(&written);
                    found.reads.iter_mut().for_each(|read| read.name = Text::clone(&written));
                }
                return self.add(&found);
            }
            NamedFiles::In { pattern, .. } => {
                let found = self.matching(&pattern);
                return self.add(&found);
            }
            NamedFiles::Outside => return,
            NamedFiles::Any => {}
        }
        // Any file beside the code may be meant if not even the beginning of the path is known.
        let anywhere = || [Base::Root, Base::Module].map(|base| NamedPath { base, before: String::new(), after: None });
        let named = paths::of_argument(&written.expr).unwrap_or_else(|| anywhere().into_iter().collect());
        for pattern in named.iter().filter_map(|named| named.resolve(&root, &module.dir)) {
            let found = self.matching(&pattern);
            self.add(&found);
        }
    }

    /// The files that a path may mean that is not known. Many expressions name the same ones, and a repository may have many files.
    fn matching(&self, pattern: &Pattern) -> Rc<ReadFiles> {
        if let Some(known) = self.statics.matching.borrow().get(pattern) {
            return Rc::clone(known);
        }
        let name = match pattern {
            Pattern::Path(path) => path.clone(),
            Pattern::Between(before, after) => format!("{before}*{after}"),
        };
        let reader = &self.statics.files.loader().reader;
        let found = Rc::new(self.files(reader.made_of_matching(&name, &|path| pattern.matches(path))));
        self.statics.matching.borrow_mut().insert(pattern.clone(), Rc::clone(&found));
        found
    }

    /// Files, with the whole of each as a place.
    fn files(&self, reads: Vec<Read>) -> ReadFiles {
        let loader = self.statics.files.loader();
        let files = reads.iter().take(MAX_PLACES).filter_map(|read| loader.add(&read.name));
        let files = files.inspect(|file| self.statics.files.note(*file));
        let whole = |file| Span { start: 0, end: loader.reader.files.get(file).text.len() as u32 };
        let places = files.map(|file| place((file, whole(file)))).collect();
        ReadFiles { reads, places }
    }

    fn add(&mut self, files: &ReadFiles) {
        self.places.extend(files.places.iter().cloned());
        self.reads.extend(files.reads.iter().cloned());
    }
}

/// A place as the provenance of what is written there.
fn place((file, span): Place) -> Prov {
    Prov::at(Origin { file, key: span.start, start: span.start, end: span.end })
}

/// The arguments of a block inside of another one, by their names and the places of the blocks.
fn nested(block: &Block, index: usize, file: FileId, into: &mut BTreeMap<String, Written>) {
    let label = block.labels.iter().fold(block.kind.text.to_string(), |all, label| format!("{all}.{}", label.text));
    let mut own = BTreeMap::new();
    for attribute in &block.body.attributes {
        let written = Written::of(file, attribute);
        own.insert(attribute.name.text.to_string(), written);
    }
    block.body.blocks.iter().enumerate().for_each(|(i, inner)| nested(inner, i, file, &mut own));
    into.extend(own.into_iter().map(|(name, written)| (format!("{label}.{index}.{name}"), written)));
}
