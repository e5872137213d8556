//! Where values come from, with every text, file and chain of steps embedded once.

use crate::files::Files;
use crate::query::why::{Role, WhyStep};
use crate::report::RenderOptions;
use crate::report::answers::{masked_line, shown_line};
use crate::resolution::Address;
use crate::text::Text;
use crate::value::{FileId, Origin};
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// The maximum number of steps of one chain.
const MAX_STEPS: usize = 40;

/// Things by their index, each once.
#[derive(Debug)]
pub(super) struct Table<T> {
    rows: Vec<T>,
    index: HashMap<T, usize, RandomState>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { rows: Vec::new(), index: HashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    pub(super) fn add(&mut self, row: T) -> usize {
        if let Some(known) = self.index.get(&row) {
            return *known;
        }
        self.rows.push(row.clone());
        self.index.insert(row, self.rows.len() - 1);
        self.rows.len() - 1
    }

    pub(super) fn rows(self) -> Vec<T> {
        self.rows
    }
}

/// A step: role, depth, file, line, text.
pub(super) type StepRow = (u8, usize, Option<usize>, u32, Option<usize>);

/// All tables of a page.
pub(super) struct Tables<'a> {
    files: &'a Files,
    pub(super) options: RenderOptions,
    pub(super) stacks: Table<Text>,
    pub(super) kinds: Table<Text>,
    pub(super) names: Table<Text>,
    pub(super) paths: Table<Text>,
    pub(super) texts: Table<String>,
    pub(super) chains: Table<Vec<StepRow>>,
    lines: HashMap<(FileId, u32, bool), usize, RandomState>,
    /// Lines around findings, of which there may be many in one line.
    excerpts: HashMap<(FileId, u32), String, RandomState>,
    /// The path, the line and its text of the places that steps lead to.
    places: HashMap<(Origin, bool), (usize, u32, usize), RandomState>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(files: &'a Files) -> Self {
        Tables {
            files,
            options: RenderOptions::default(),
            stacks: Table::default(),
            kinds: Table::default(),
            names: Table::default(),
            paths: Table::default(),
            texts: Table::default(),
            chains: Table::default(),
            lines: HashMap::default(),
            excerpts: HashMap::default(),
            places: HashMap::default(),
        }
    }

    pub(super) fn address(&mut self, (stack, kind, name): &Address) -> (usize, usize, usize) {
        (self.stacks.add(Text::clone(stack)), self.kinds.add(Text::clone(kind)), self.names.add(Text::clone(name)))
    }

    /// The path and the line of a place.
    pub(super) fn place(&mut self, origin: Origin) -> (usize, u32) {
        let file = self.files.get(origin.file);
        (self.paths.add(Text::clone(&file.path)), file.line(origin.key))
    }

    /// The line in which something is written, masked.
    pub(super) fn line(&mut self, origin: Origin, secret: bool) -> usize {
        let number = self.files.get(origin.file).line(origin.key);
        if let Some(known) = self.lines.get(&(origin.file, number, secret)) {
            return *known;
        }
        let text = self.texts.add(shown_line(origin, secret, self.files, &self.options));
        self.lines.insert((origin.file, number, secret), text);
        text
    }

    /// A line of a file as an excerpt, given where it is and its number.
    pub(super) fn excerpt(&mut self, origin: Origin, number: u32) -> String {
        let line = || masked_line(origin, false, self.files, &self.options);
        self.excerpts.entry((origin.file, number)).or_insert_with(line).clone()
    }

    pub(super) fn chain<'s>(&mut self, steps: impl Iterator<Item = &'s WhyStep>, secret: bool) -> usize {
        let steps: Vec<StepRow> = steps.take(MAX_STEPS).map(|step| self.step(step, secret)).collect();
        self.chains.add(steps)
    }

    fn step(&mut self, step: &WhyStep, secret: bool) -> StepRow {
        let role = match step.role {
            Role::Value => 0,
            Role::Reads => 1,
            Role::Overrides => 2,
            Role::Import => 3,
            Role::Base => 4,
            Role::Setting => 5,
        };
        match step.origin {
            Some(origin) => {
                let (file, line, text) = match self.places.get(&(origin, secret)) {
                    Some(known) => *known,
                    None => {
                        let (file, line) = self.place(origin);
                        let place = (file, line, self.line(origin, secret));
                        self.places.insert((origin, secret), place);
                        place
                    }
                };
                (role, step.depth, Some(file), line, Some(text))
            }
            None => (role, step.depth, None, 0, None),
        }
    }
}
