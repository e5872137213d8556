//! Edits of code whose whole effect is seen when it is evaluated, though they are not made in what is evaluated: locals, variables
//! and calls pass values on. That holds where nothing that is not evaluated reads values.

use super::content::{Contents, UNSEEN};
use super::runs::Runs;
use crate::hcl::items::{Item, Words, by_head, items};
use crate::paths::name;
use crate::resolution::Address;
use crate::source::{EntryPair, Source};
use crate::terraform::load::names::{LOCK, Syntax, configuration};
use crate::terraform::reach::Reach;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// The blocks that pass values on, or say what a resource was called before.
const PASSING: [&str; 4] = ["locals", "module", "moved", "variable"];
/// The blocks that may read values and whose effect is not seen in what is evaluated.
const HIDDEN: [&str; 4] = ["check", "ephemeral", "import", "removed"];
/// The same for what is in other blocks, besides what decides how something is done.
const HIDDEN_PARTS: [&str; 6] = ["ephemeral", "nullable", "postcondition", "precondition", "sensitive", "validation"];
/// How references to values begin.
const VALUES: [&str; 5] = ["each.", "local.", "module.", "data.", "var."];

/// The files that differ between two revisions, by whether the effect of their edits is seen.
pub(crate) struct Passing<'a> {
    sources: [&'a dyn Source; 2],
    runs: [&'a Runs; 2],
    contents: Contents<'a>,
    /// Whether what is not evaluated reads values, by side and index of what is run.
    known: RefCell<BTreeMap<(usize, usize), bool>>,
    /// Whether edits are seen or passed on, by file.
    passing: RefCell<BTreeMap<String, bool>>,
    /// Whether configurations of providers are evaluated.
    shows_providers: bool,
}

impl<'a> Passing<'a> {
    pub(crate) fn new(
        sources: [&'a dyn Source; 2],
        differing: &'a [EntryPair<'a>],
        runs: [&'a Runs; 2],
        shows_providers: bool,
    ) -> Self {
        Passing {
            sources,
            runs,
            contents: Contents::new(sources, differing),
            known: RefCell::default(),
            passing: RefCell::default(),
            shows_providers,
        }
    }

    /// Whether the effect of all edits of some files is seen in what the code of something makes on both sides.
    pub(crate) fn is_seen<'p>(&self, address: &Address, mut paths: impl Iterator<Item = &'p str>) -> bool {
        let is_hidden = |side: usize| self.runs[side].of(address).is_none_or(|run| self.reads_hidden(side, run.reach));
        paths.all(|path| self.is_passing(path)) && !is_hidden(0) && !is_hidden(1)
    }

    /// Whether everything that differs in a file is evaluated, or passes values on.
    fn is_passing(&self, path: &str) -> bool {
        if let Some(known) = self.passing.borrow().get(path) {
            return *known;
        }
        let is_passing = self.passes_on(path);
        self.passing.borrow_mut().insert(path.to_owned(), is_passing);
        is_passing
    }

    fn passes_on(&self, path: &str) -> bool {
        // Locked versions look like configurations of providers.
        if name(path) == LOCK {
            return false;
        }
        let Some([before, after]) = self.contents.items(path) else { return false };
        if name(path).ends_with(".tfvars") {
            return true;
        }
        let is_seen = |item: &Item, other: Option<&Item>| {
            let kind = item.head.first();
            let known: HashSet<&Words> = other.map(|other| other.children.iter().collect()).unwrap_or_default();
            let differing = item.children.iter().filter(|child| !known.contains(child));
            let is_shown = ["data", "output", "resource"].contains(&kind)
                || PASSING.contains(&kind)
                || kind == "provider" && self.shows_providers;
            is_shown && !differing.into_iter().any(|child| is_hidden_part(child.first()))
        };
        let all = |items: &[Item], others: &[Item]| {
            let texts: HashSet<String> = others.iter().map(Item::text).collect();
            let heads = by_head(others);
            let mut differing = items.iter().filter(|item| !texts.contains(&item.text()));
            differing.all(|item| is_seen(item, heads.get(&*item.head.text).map(|at| &others[*at])))
        };
        all(&before, &after) && all(&after, &before)
    }

    /// Whether some code reads values where that is not evaluated.
    fn reads_hidden(&self, side: usize, reach: usize) -> bool {
        let of = || self.hidden_reads(self.sources[side], &self.runs[side].reaches[reach]);
        *self.known.borrow_mut().entry((side, reach)).or_insert_with(of)
    }

    fn hidden_reads(&self, source: &dyn Source, reach: &Reach) -> bool {
        let mut code = source.listing().iter().filter(|entry| configuration(name(&entry.path)).is_some());
        code.any(|entry| {
            if reach.touch(&entry.path).is_none() {
                return false;
            }
            let is_native = configuration(name(&entry.path)).is_some_and(|(.., syntax)| syntax == Syntax::Native);
            let bytes = source.read(entry).ok().filter(|_| is_native);
            let text = bytes.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
            text.is_none_or(|text| items(text).iter().any(|item| self.has_hidden_read(item)))
        })
    }

    fn has_hidden_read(&self, item: &Item) -> bool {
        let reads = |text: &str| {
            let text: String = text.split('\u{1f}').collect();
            VALUES.iter().any(|value| text.contains(value))
        };
        let kind = item.head.first();
        if HIDDEN.contains(&kind) || kind == "provider" && !self.shows_providers {
            return reads(&item.text());
        }
        item.children
            .iter()
            .any(|child| child.first() != "depends_on" && is_hidden_part(child.first()) && reads(&child.text))
    }
}

/// Whether the effect of a part of a block is not seen in what is evaluated.
fn is_hidden_part(name: &str) -> bool {
    UNSEEN.contains(&name) || HIDDEN_PARTS.contains(&name)
}
