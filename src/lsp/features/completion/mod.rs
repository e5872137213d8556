//! Completion at a place: rules in comments, members of templates, keys and values, and names of all kinds. The file
//! does not have to be valid.

mod code;
mod keys;
mod named;
mod template;

use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::resolution::Component;
use crate::syntax::Language;
use ls_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, Range, TextEdit};
use std::collections::BTreeMap;

/// The maximum number of items of an answer.
const MOST: usize = 1_000;

/// Returns the candidates at a place, sorted, without duplicates.
pub(super) fn completions(place: &Cursor<'_>) -> Vec<CompletionItem> {
    let before = place.around().0;
    let mut found = Found::new(place);
    if before.contains("stacklint: ignore") {
        rules(place, &mut found);
    } else if Language::of(place.path) == Language::Hcl {
        code::add(place, &mut found);
    } else if !template::add(place, &mut found) {
        keys::add(place, &mut found);
    }
    found.into_items()
}

fn rules(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    found.replace(place.word().0);
    for rule in place.view.analysis.review.settings.all_rules() {
        found.add(rule.id(), CompletionItemKind::VALUE, Some(rule.summary().to_owned()));
    }
}

/// The candidates of an answer.
pub(super) struct Found<'p, 'a> {
    place: &'p Cursor<'a>,
    items: BTreeMap<String, CompletionItem>,
    /// The range that an item replaces: the typed text.
    range: Range,
}

impl<'p, 'a> Found<'p, 'a> {
    fn new(place: &'p Cursor<'a>) -> Self {
        let at = Lines::new(place.text, place.view.encoding).position(place.offset as u32);
        Found { place, items: BTreeMap::new(), range: Range { start: at, end: at } }
    }

    /// Sets the start of the range that the following items replace.
    fn replace(&mut self, start: usize) {
        let lines = Lines::new(self.place.text, self.place.view.encoding);
        self.range = lines.range(start.min(self.place.offset) as u32, self.place.offset as u32);
    }

    /// Adds an item, unless there is one with this name.
    fn add(&mut self, label: &str, kind: CompletionItemKind, detail: Option<String>) {
        self.add_text(label, label.to_owned(), kind, detail);
    }

    /// Adds an item that inserts a text other than its name.
    fn add_text(&mut self, label: &str, new_text: String, kind: CompletionItemKind, detail: Option<String>) {
        if self.items.len() >= MOST || self.items.contains_key(label) {
            return;
        }
        let text_edit = Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text }));
        let item = CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            text_edit,
            ..CompletionItem::default()
        };
        self.items.insert(label.to_owned(), item);
    }

    /// Adds documentation to an item.
    fn describe(&mut self, label: &str, documentation: &str) {
        if let Some(item) = self.items.get_mut(label) {
            item.documentation = Some(Documentation::String(documentation.to_owned()));
        }
    }

    /// Marks an item as deprecated.
    fn deprecate(&mut self, label: &str) {
        if let Some(item) = self.items.get_mut(label) {
            item.tags = Some(vec![ls_types::CompletionItemTag::DEPRECATED]);
        }
    }

    fn into_items(self) -> Vec<CompletionItem> {
        self.items.into_values().collect()
    }
}

/// Returns the components that the file of a place affects; if the keys around the place contain the type and name of
/// one, only that one.
pub(super) fn components<'a>(place: &Cursor<'a>, keys: &[&str]) -> Vec<&'a Component> {
    let all = place.view.reached(place.path);
    let is_around = |component: &&&Component| {
        keys.windows(2).any(|pair| *component.kind == *pair[0] && *component.name == *pair[1])
    };
    let around: Vec<&Component> = all.iter().filter(is_around).copied().collect();
    if around.is_empty() { all } else { around }
}
