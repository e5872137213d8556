//! Edits of code that are the causes of changes of the configuration: these are told already.

use super::Compared;
use super::content::{Content, Contents};
use crate::diff::{ComponentChange, Side};
use crate::hcl::ast::Span;
use crate::hcl::items::{Item, Words, by_head};
use crate::resolution::Address;
use crate::text::Text;
use crate::value::FileId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The lines that are causes, in one file of one revision.
type Lines = BTreeSet<u32>;

/// The causes in a file of base and head, where that has the file.
type Causes = [Option<(FileId, Lines)>; 2];

/// What changes: a stack, or what the code of one component makes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Subject<'a> {
    Stack(&'a Text),
    Component(&'a Address),
}

impl<'a> Subject<'a> {
    fn of(change: &'a ComponentChange) -> Self {
        match change.made_by() {
            Some(owner) => Subject::Component(owner),
            None => Subject::Stack(&change.stack),
        }
    }
}

/// Which edits are told as causes.
pub(super) struct Explained<'a> {
    contents: &'a Contents<'a>,
    /// By what changes and path: the causes in base and head, with their files.
    causes: BTreeMap<(Subject<'a>, Text), Causes>,
    compared: &'a Compared<'a>,
    known: RefCell<BTreeMap<(Address, Text), bool>>,
}

impl<'a> Explained<'a> {
    pub(super) fn new(compared: &'a Compared<'a>, contents: &'a Contents<'a>) -> Self {
        let differing: BTreeSet<&str> = contents.differing().collect();
        let mut causes: BTreeMap<_, Causes> = BTreeMap::new();
        for change in &compared.diff.components {
            let of_values = change.changes.iter().flat_map(|change| &change.causes);
            for cause in change.causes.iter().chain(of_values) {
                let path = Text::clone(&compared.files.get(cause.file).path);
                if differing.contains(&*path) {
                    let sides = causes.entry((Subject::of(change), path)).or_default();
                    let side = &mut sides[usize::from(cause.side == Side::Head)];
                    side.get_or_insert_with(|| (cause.file, Lines::new())).1.insert(cause.line);
                }
            }
        }
        Explained { contents, causes, compared, known: RefCell::default() }
    }

    /// Whether every edit of a file is told as a cause of a change of something's stack.
    pub(super) fn has(&self, address: &Address, path: &Text) -> bool {
        let of = |subject| self.causes.get(&(subject, Text::clone(path)));
        let found = of(Subject::Component(address)).or_else(|| of(Subject::Stack(&address.0)));
        let Some(causes) = found else { return false };
        let key = (address.clone(), Text::clone(path));
        *self.known.borrow_mut().entry(key).or_insert_with(|| match self.contents.of(path) {
            [Content::Items(before), Content::Items(after)] => self.are_causes([&before, &after], causes),
            [Content::Items(before), Content::Other(None)] => self.are_causes([&before, &[]], causes),
            [Content::Other(None), Content::Items(after)] => self.are_causes([&[], &after], causes),
            // What of a file of another kind differs is not known.
            _ => true,
        })
    }

    /// Whether all differences of the items of base and head are at causes.
    fn are_causes(&self, [before, after]: [&[Item]; 2], causes: &[Option<(FileId, Lines)>; 2]) -> bool {
        let touches = |side: usize, span: Span| {
            let lines = causes[side].as_ref().map(|(file, lines)| {
                let file = self.compared.files.get(*file);
                let mut within = lines.range(file.line(span.start)..=file.line(span.end.saturating_sub(1)));
                within.next().is_some()
            });
            lines.unwrap_or_default()
        };
        let texts = |items: &[Item]| items.iter().map(Item::text).collect::<BTreeSet<_>>();
        let (in_base, in_head) = (texts(before), texts(after));
        let new = after.iter().filter(|item| !in_base.contains(&item.text()));
        let gone = before.iter().filter(|item| !in_head.contains(&item.text()));
        let (heads_before, heads_after) = (by_head(before), by_head(after));
        // An item that is in the file twice, or in another order, has no edit of its own.
        let has_edit = new.clone().chain(gone.clone()).next().is_some();
        let of_new = |item: &Item| match heads_before.get(&*item.head.text) {
            Some(&index) => {
                let (old, new) = (&before[index].children, &item.children);
                let [in_old, in_new] = [old, new].map(|all| all.iter().map(|w| &*w.text).collect::<BTreeSet<_>>());
                let own: Vec<&Words> = new.iter().filter(|w| !in_old.contains(&*w.text)).collect();
                let lost: Vec<&Words> = old.iter().filter(|w| !in_new.contains(&*w.text)).collect();
                // What was taken out of a block is a cause in the old one.
                let is_told = |words: &Words| {
                    let mut replaced = lost.iter().filter(|old| old.first() == words.first());
                    touches(1, words.span)
                        || replaced.next().is_some_and(|old| replaced.next().is_none() && touches(0, old.span))
                };
                let is_replaced = |old: &Words| own.iter().any(|words| words.first() == old.first());
                (!own.is_empty() || !lost.is_empty())
                    && own.iter().all(|words| is_told(words))
                    && lost.iter().all(|old| is_replaced(old) || touches(0, old.span))
            }
            None => touches(1, item.span),
        };
        has_edit
            && new.clone().all(of_new)
            && gone.filter(|item| !heads_after.contains_key(&*item.head.text)).all(|item| touches(0, item.span))
    }
}
