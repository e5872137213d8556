//! The blocks, arguments, keys and list items of a text, as one list.

use crate::hcl::ast::walk::{constant_text, name, unwrapped};
use crate::hcl::ast::{Block, Body, Expr, ExprKind, Part, Span, TemplateFor};
use crate::syntax::yaml::NAMES;

/// Longer names of list items are not used, in bytes.
const MAX_NAME: usize = 200;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HclEntryKind {
    /// A block; its value is its body, and its name the type with the labels.
    Block {
        /// Whether it has labels.
        is_labelled: bool,
    },
    /// An argument, or a key of an object.
    Key,
    /// An item of a list.
    Item,
}

/// A block, an argument, a key of an object, or an item of a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The entry around it.
    pub(crate) parent: Option<usize>,
    pub(crate) kind: HclEntryKind,
    /// The key; of a block its type and labels, joined with `.`; of an item `[name]` or `[0]`.
    pub(crate) name: String,
    /// The last label of a block.
    pub(crate) label: Option<String>,
    /// The value, if that is one constant text.
    pub(crate) text: Option<String>,
    /// Where the name was written; of an item, the start of its value.
    pub(crate) key: Span,
    /// Where the value was written.
    pub(crate) value: Span,
}

impl Entry {
    /// Whether a key leads to it: it has that name, and neither labels nor a place in a list.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let is_key = matches!(self.kind, HclEntryKind::Key | HclEntryKind::Block { is_labelled: false });
        is_key && self.name == name
    }
}

/// Text or a number that was written out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    /// The innermost entry that it is in.
    pub(crate) entry: usize,
    /// Where it is written, including quotes; for a heredoc the lines between its markers.
    pub(crate) span: Span,
}

/// The entries and literals of a body, each in the order of the text.
pub(super) fn collect(text: &str, body: &Body) -> (Vec<Entry>, Vec<Literal>) {
    let mut walk = EntryWalk { text, parent: None, entries: Vec::new(), literals: Vec::new() };
    walk.body(body);
    (walk.entries, walk.literals)
}

struct EntryWalk<'a> {
    text: &'a str,
    parent: Option<usize>,
    entries: Vec<Entry>,
    literals: Vec<Literal>,
}

impl EntryWalk<'_> {
    fn entry(&mut self, entry: Entry, fill: impl FnOnce(&mut Self)) {
        let parent = self.parent.replace(self.entries.len());
        self.entries.push(Entry { parent, ..entry });
        fill(self);
        self.parent = parent;
    }

    fn body(&mut self, body: &Body) {
        let mut blocks = body.blocks.iter().peekable();
        for attribute in &body.attributes {
            while let Some(block) = blocks.next_if(|block| block.kind.span < attribute.name.span) {
                self.block(block);
            }
            self.key(attribute.name.text.to_string(), attribute.name.span, &attribute.expr);
        }
        blocks.for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        let mut name = block.kind.text.to_string();
        for label in &block.labels {
            name.push('.');
            name.push_str(&label.text);
        }
        let label = block.labels.last().map(|label| label.text.to_string());
        let kind = HclEntryKind::Block { is_labelled: label.is_some() };
        let (key, value) = (block.header(), block.body.span);
        let entry = Entry { parent: None, kind, name, label, text: None, key, value };
        self.entry(entry, |walk| walk.body(&block.body));
    }

    fn key(&mut self, name: String, key: Span, value: &Expr) {
        let text = constant_text(unwrapped(value)).map(str::to_owned);
        let entry = Entry { parent: None, kind: HclEntryKind::Key, name, label: None, text, key, value: value.span };
        self.entry(entry, |walk| walk.expr(value));
    }

    fn item(&mut self, index: usize, item: &Expr) {
        let name =
            item_name(item).filter(|name| name.len() <= MAX_NAME).map_or_else(|| index.to_string(), str::to_owned);
        let start = Span { start: item.span.start, end: item.span.start };
        let name = format!("[{name}]");
        let text = constant_text(unwrapped(item)).map(str::to_owned);
        let entry =
            Entry { parent: None, kind: HclEntryKind::Item, name, label: None, text, key: start, value: item.span };
        self.entry(entry, |walk| walk.expr(item));
    }

    fn literal(&mut self, span: Span) {
        let Some(entry) = self.parent else { return };
        let written = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let inner = written.strip_prefix("<<").and_then(|_| Some((written.find('\n')? + 1, written.rfind('\n')?)));
        let span = match inner {
            Some((first, last)) => Span { start: span.start + first as u32, end: span.start + last.max(first) as u32 },
            None => span,
        };
        self.literals.push(Literal { entry, span });
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Element | ExprKind::Traversal(..) => {}
            ExprKind::Number(_) => self.literal(expr.span),
            ExprKind::Template(parts) => {
                self.literal(expr.span);
                self.parts(parts);
            }
            ExprKind::Tuple(items) => items.iter().enumerate().for_each(|(index, item)| self.item(index, item)),
            ExprKind::Object(pairs) => pairs.iter().for_each(|(key, value)| {
                let name = self.pair_name(key);
                self.key(name, key.span, value);
            }),
            ExprKind::Wrapped(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Access(inner, _)
            // An index locates a value.
            | ExprKind::Index(inner, _) => self.expr(inner),
            ExprKind::Splat(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Call(call) => {
                // The name of a file is not content, but the variables for rendering it are.
                let function = call.name.text.rsplit("::").next().unwrap_or_default();
                let skipped = usize::from(function.starts_with("file") || function == "templatefile");
                call.arguments.iter().skip(skipped).for_each(|e| self.expr(e));
            }
            ExprKind::For(all) => {
                let more = [Some(&all.collection), all.key.as_ref(), Some(&all.value), all.condition.as_ref()];
                more.into_iter().flatten().for_each(|e| self.expr(e));
            }
        }
    }

    /// Strings inside of sequences are parts of the string: only nested entries count.
    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Value(expr) => self.expr(expr),
                Part::If(condition, yes, no) => {
                    self.expr(condition);
                    self.parts(yes);
                    self.parts(no);
                }
                Part::For(all) => {
                    let TemplateFor { collection, body, .. } = &**all;
                    self.expr(collection);
                    self.parts(body);
                }
            }
        }
    }

    fn pair_name(&self, key: &Expr) -> String {
        let key = unwrapped(key);
        let written = || self.text.get(key.span.start as usize..key.span.end as usize).unwrap_or_default();
        name(key).unwrap_or_else(written).to_owned()
    }
}

/// Returns the name of a list item: its text, or that of a key that names it.
fn item_name(item: &Expr) -> Option<&str> {
    let item = unwrapped(item);
    let ExprKind::Object(pairs) = &item.kind else { return constant_text(item) };
    NAMES.iter().find_map(|one| {
        pairs.iter().find(|(key, _)| name(key) == Some(one)).and_then(|(_, value)| constant_text(value))
    })
}
