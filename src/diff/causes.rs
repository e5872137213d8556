//! Which edited lines made a difference.
//!
//! The nearest explanation counts. Of the tiers below, the first that has an edited line answers:
//!
//! 1. the lines where the old and the new value were written, and what they were computed from; for an item that moves
//!    within its list, then those of the other items;
//! 2. the values that these replaced in merges, and the key lines of the maps around them;
//! 3. the lines that shape the component without being a value of it (its shaping_origins);
//! 4. the same in files that only one side uses, if it is unknown whether the other side has them;
//! 5. for a value that comes where one of its name goes, or the reverse, the lines of that one;
//! 6. any edited line in the files of the unit.
//!
//! An import counts in the third tier only if it leads to the file that contains the value, unless nothing else was
//! edited.

use super::defined::{defined_in, definitions, written_in};
use super::edits::{Edits, FileEdits};
use super::imports::Leads;
use super::structural::DiffStep;
use super::{Cause, Located, Side};
use crate::files::Files;
use crate::resolution::{Resolution, Unit};
use crate::text::{ByAddress, Text};
use crate::value::{Data, FileId, Inputs, Origin, Prov, Value};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The maximum number of causes that are named for one change.
pub(super) const MAX_CAUSES: usize = 20;
/// The maximum number of causes that are named for one component.
const MAX_COMPONENT_CAUSES: usize = 50;
/// The maximum number of values of one sub-tree that are examined.
pub(super) const MAX_NODES: usize = 20_000;
/// The maximum number of values and inputs that are examined in one comparison, and how many of a sub-tree still are after that.
const MAX_EXAMINED: usize = 8_000_000;
const MIN_NODES: usize = 100;
/// The maximum number of causes that are looked for, of which the first by their places are named.
const MAX_FOUND: usize = 1_000;
/// The most overridden values that are examined.
pub(super) const MAX_CHAIN: usize = 100;
/// The most differences of a component among which one is looked for that another one belongs to.
const MAX_OTHERS: usize = 100;

/// Finds causes; keeps what it learned about files and units.
pub(crate) struct Finder<'a> {
    files: &'a Files,
    edits: Edits<'a>,
    leads: Leads,
    units: HashMap<(Side, ByAddress<Arc<Unit>>), Rc<Found>>,
    by_name: [HashMap<Text, Arc<Unit>>; 2],
    /// The files of configuration, which shape all components.
    config: BTreeSet<FileId>,
    /// The values of the last difference whose own lines were edited, and these: one edit changes many components in the same way.
    last: Option<([Option<Value>; 2], Vec<Cause>)>,
    /// How many more values and inputs are examined.
    left: usize,
    /// The first lines of files that one side alone has.
    wholes: HashMap<(Side, FileId), Option<(Cause, bool)>>,
}

/// Causes found so far.
#[derive(Debug, Default)]
struct Found {
    certain: Vec<Cause>,
    /// In files of which only one side is known.
    guessed: Vec<Cause>,
}

impl Found {
    fn best(self) -> Option<Vec<Cause>> {
        match (self.certain.is_empty(), self.guessed.is_empty()) {
            (false, _) => Some(self.certain),
            (true, false) => Some(self.guessed),
            _ => None,
        }
    }

    fn extend(&mut self, other: &Found) {
        self.certain.extend(&other.certain);
        self.guessed.extend(&other.guessed);
    }
}

/// Whether both are the same value in memory, or none.
fn is_identical(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is_identical(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

impl<'a> Finder<'a> {
    /// A finder for differences between two resolutions.
    pub(crate) fn new(
        base: &Resolution,
        head: &Resolution,
        files: &'a Files,
        touched: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
    ) -> Self {
        let by_name = [base, head].map(|resolution| {
            resolution.units.iter().map(|unit| (Text::clone(&unit.name), Arc::clone(unit))).collect()
        });
        let edits = Edits::new(base, head, files, touched);
        let config = base.config.iter().chain(&head.config).copied().collect();
        Finder {
            files,
            edits,
            leads: Leads::new(base, head),
            units: HashMap::new(),
            by_name,
            config,
            last: None,
            left: MAX_EXAMINED,
            wholes: HashMap::default(),
        }
    }

    /// The lines behind one difference between two states of a component; `others` are all of its differences.
    pub(super) fn of_step(
        &mut self,
        step: &DiffStep,
        others: &[DiffStep],
        old: Located<'_>,
        new: Located<'_>,
    ) -> Vec<Cause> {
        let sides = step.values();
        if let Some((values, causes)) = &self.last
            && values.iter().zip(sides).all(|(known, (_, value))| is_identical(known.as_ref(), value))
        {
            return causes.clone();
        }
        let mut guessed = Vec::new();

        let mut own = Found::default();
        for (side, value) in sides {
            if let Some(value) = value {
                self.tree(side, value, &mut own);
            }
        }
        if !own.certain.is_empty() {
            let causes = self.sorted(own.certain, MAX_CAUSES);
            self.last = Some((sides.map(|(_, value)| value.cloned()), causes.clone()));
            return causes;
        }
        guessed.push(own.guessed);

        // Of items that change places, the lines of others can be the edited ones.
        let mut list = Found::default();
        if step.moved.is_some() {
            for (side, parents) in [(Side::Base, &step.base_parents), (Side::Head, &step.head_parents)] {
                parents.last().inspect(|parent| self.tree(side, parent, &mut list));
            }
        }
        if !list.certain.is_empty() {
            return self.sorted(list.certain, MAX_CAUSES);
        }
        guessed.push(list.guessed);

        let mut near = Found::default();
        for (side, value) in sides {
            if let Some(value) = value {
                self.overridden(side, &value.prov, &mut near);
            }
        }
        for (side, parents) in [(Side::Base, &step.base_parents), (Side::Head, &step.head_parents)] {
            for parent in parents {
                self.value(side, parent, &mut near);
                self.overridden(side, &parent.prov, &mut near);
            }
        }
        if !near.certain.is_empty() {
            return self.sorted(near.certain, MAX_CAUSES);
        }
        guessed.push(near.guessed);

        let written = sides.map(|(_, value)| value.map(written_in).unwrap_or_default());
        let mut far = Found::default();
        self.shaping_origins(Side::Base, old, Some(&written[0]), &mut far);
        self.shaping_origins(Side::Head, new, Some(&written[1]), &mut far);
        if far.certain.is_empty() {
            self.shaping_origins(Side::Base, old, None, &mut far);
            self.shaping_origins(Side::Head, new, None, &mut far);
        }
        if !far.certain.is_empty() {
            return self.sorted(far.certain, MAX_CAUSES);
        }
        guessed.push(far.guessed);

        if let Some(guess) = guessed.into_iter().find(|g| !g.is_empty()) {
            return self.sorted(guess, MAX_CAUSES);
        }
        if let Some(other) = others.iter().take(MAX_OTHERS).find(|other| step.takes_place_of(other)) {
            let causes = self.of_values(other);
            if !causes.is_empty() {
                return self.sorted(causes, MAX_CAUSES);
            }
        }
        let mut any = Found::default();
        any.extend(&self.unit(Side::Base, old.unit));
        any.extend(&self.unit(Side::Head, new.unit));
        self.sorted(any.best().unwrap_or_default(), MAX_CAUSES)
    }

    /// The edited lines where the values of a difference were written, and what they were computed from; not sorted.
    pub(crate) fn of_values(&mut self, step: &DiffStep) -> Vec<Cause> {
        let mut found = Found::default();
        for (side, value) in step.values() {
            if let Some(value) = value {
                self.tree(side, value, &mut found);
            }
        }
        found.certain
    }

    /// Returns the lines behind a component that only one side has: all edited lines that shaped it. The files that
    /// determine its existence come first: its own lines, and the imports that lead to them.
    pub(super) fn of_component(&mut self, side: Side, placed: Located<'_>) -> Vec<Cause> {
        let value = &placed.component.value;
        let mut found = Found::default();
        let other = if side == Side::Base { Side::Head } else { Side::Base };
        let counterpart = self.by_name[other as usize].get(&placed.unit.name).cloned();
        if let Some(absent) = counterpart.iter().flat_map(|unit| &unit.absent).find(|one| one.has(placed.component)) {
            // The other side declares it: what says that there is none has made the difference.
            absent.shaping.iter().for_each(|origin| self.span(other, *origin, origin.key, origin.end, &mut found));
            if !found.certain.is_empty() {
                return self.sorted(found.certain, MAX_COMPONENT_CAUSES);
            }
        }
        self.tree(side, value, &mut found);
        let mut root = Found::default();
        self.value(side, value, &mut root);
        self.overridden(side, &value.prov, &mut root);
        if !root.certain.is_empty() {
            // Its very key was edited: edits of values that it only inherits are another matter.
            found.certain.retain(|c| root.certain.iter().any(|r| r.file == c.file));
            // Of a block that comes or goes with its key every line is shown.
            for origin in definitions(value).filter(|o| root.certain.iter().any(|r| r.file == o.file)) {
                self.span(side, origin, origin.key, origin.end, &mut found);
            }
        }
        let defined = defined_in(value);
        let mut shaping = Found::default();
        self.shaping_origins(side, placed, Some(&defined), &mut shaping);
        let mut deciding: BTreeSet<FileId> = root.certain.iter().chain(&shaping.certain).map(|c| c.file).collect();
        found.extend(&shaping);
        if found.certain.is_empty() {
            self.shaping_origins(side, placed, None, &mut found);
        }
        if found.certain.is_empty() {
            // A line that only the other side has may be the cause, for example if a stack is renamed.
            let mut any = Found::default();
            any.extend(&self.unit(side, placed.unit));
            deciding.insert(placed.unit.file);
            if let Some(counterpart) = counterpart {
                any.extend(&self.unit(other, &counterpart));
                deciding.insert(counterpart.file);
            }
            if !any.certain.is_empty() || found.guessed.is_empty() {
                found = any;
            }
        }
        let whole = self.whole_file(side, placed.unit.file);
        let is_config = |cause: &Cause| self.config.contains(&cause.file);
        let is_decided = root.certain.iter().chain(&shaping.certain).any(|c| !is_config(c));
        if is_decided || whole.is_some_and(|(_, certain)| certain) {
            // Its key, its file or an import of it comes or goes: no line of the configuration has a part in that.
            found.certain.retain(|c| !is_config(c));
        }
        if let Some((whole, certain)) = whole {
            // All components of an added or removed file are added or removed with it, whatever line leads to them.
            let list = if certain { &mut found.certain } else { &mut found.guessed };
            list.retain(|c| c.file != whole.file);
            list.push(whole);
            deciding.insert(whole.file);
        }
        let best = found.best().unwrap_or_default();
        let mut causes = self.sorted(best, usize::MAX);
        let paths: BTreeSet<Text> =
            causes.iter().filter(|c| deciding.contains(&c.file)).map(|c| self.path(c)).collect();
        causes.sort_by_key(|c| !paths.contains(&self.path(c)));
        causes.truncate(MAX_COMPONENT_CAUSES);
        causes
    }

    /// Returns the first line with content in a file that only this side has, and whether that is certain.
    fn whole_file(&mut self, side: Side, file: FileId) -> Option<(Cause, bool)> {
        if let Some(known) = self.wholes.get(&(side, file)) {
            return *known;
        }
        let edited = self.edits.of(side, file);
        let says = |line: &u32| {
            let text = edited.file.line_text(*line).trim();
            !text.is_empty() && text != "---" && !text.starts_with('#')
        };
        let last = edited.file.line(edited.file.text.len() as u32);
        let line = (1..=last).find(says).unwrap_or(1);
        let column = indentation(edited.file.line_text(line));
        let found = match edited.edits {
            FileEdits::Whole { certain } => Some((Cause { side, file, line, column }, certain)),
            _ => None,
        };
        self.wholes.insert((side, file), found);
        found
    }

    fn path(&self, cause: &Cause) -> Text {
        Text::clone(&self.files.get(cause.file).path)
    }

    /// The sorted union of causes, bounded.
    pub(crate) fn union(&mut self, causes: impl IntoIterator<Item = Cause>) -> Vec<Cause> {
        self.sorted(causes.into_iter().collect(), MAX_COMPONENT_CAUSES)
    }

    /// A value with all that is nested in it.
    fn tree(&mut self, side: Side, value: &Value, found: &mut Found) {
        let mut todo = vec![value];
        let mut seen = 0;
        let mut inputs = Inputs::default();
        while let Some(value) = todo.pop() {
            seen += 1;
            if seen > MAX_NODES || self.left == 0 && seen > MIN_NODES {
                return;
            }
            self.left = self.left.saturating_sub(1);
            self.new_value(side, value, &mut inputs, found);
            match &value.data {
                Data::Map(map) => todo.extend(map.iter().map(|e| &e.value)),
                Data::List(items) => todo.extend(items.iter()),
                _ => {}
            }
        }
    }

    /// Collects the origin and the inputs of one value, but not those of nested values.
    fn value(&mut self, side: Side, value: &Value, found: &mut Found) {
        self.new_value(side, value, &mut Inputs::default(), found);
    }

    /// The same without inputs that other values had.
    fn new_value<'v>(&mut self, side: Side, value: &'v Value, inputs: &mut Inputs<'v>, found: &mut Found) {
        let container = match &value.data {
            Data::Map(map) => !map.is_empty(),
            Data::List(items) => !items.is_empty(),
            _ => false,
        };
        let own = value.prov.origin;
        let mut seen = 0;
        value.prov.new_inputs_while(inputs, &mut |origin| {
            seen += 1;
            if found.certain.len() >= MAX_FOUND || self.left == 0 && seen > MIN_NODES {
                return false;
            }
            if !(container && Some(origin) == own) {
                self.span(side, origin, origin.key, origin.end, found);
            } else if origin.key < origin.start {
                // The span of a collection covers all that is in it; only its key is about the collection itself.
                self.span(side, origin, origin.key, origin.key + 1, found);
            }
            self.left = self.left.saturating_sub(1);
            true
        });
    }

    fn overridden(&mut self, side: Side, prov: &Prov, found: &mut Found) {
        let mut next = prov.overrode();
        for _ in 0..MAX_CHAIN {
            let Some(value) = next else { return };
            self.value(side, value, found);
            next = value.prov.overrode();
        }
    }

    /// Collects the lines that shape a component; of the imports only those that lead to one of `files`, if set.
    fn shaping_origins(
        &mut self,
        side: Side,
        placed: Located<'_>,
        files: Option<&BTreeSet<FileId>>,
        found: &mut Found,
    ) {
        for origin in placed.component.shaping_origins.iter() {
            if self.edits.of(side, origin.file).edits == FileEdits::Untouched {
                continue;
            }
            if files.is_some_and(|files| self.leads.is_beside(side, *origin, files)) {
                continue;
            }
            self.span(side, *origin, origin.key, origin.end, found);
        }
    }

    /// The edited lines of a stretch of a file.
    fn span(&mut self, side: Side, origin: Origin, from: u32, to: u32, found: &mut Found) {
        let edited = self.edits.of(side, origin.file);
        if edited.edits == FileEdits::Untouched {
            return;
        }
        let file = &edited.file;
        let (first, last) = (file.line(from), file.line(to.saturating_sub(1).max(from)));
        let (lines, whole) = edited.lines(first, last, MAX_CAUSES);
        let cause = |line: u32| {
            let column = if line == first { file.position(from).column } else { indentation(file.line_text(line)) };
            Cause { side, file: origin.file, line, column }
        };
        found.certain.extend(lines.iter().map(|line| cause(*line)));
        if let Some((line, certain)) = whole {
            let kind = if certain { &mut found.certain } else { &mut found.guessed };
            // A file that is new or gone as a whole is named once, by its first line that matters.
            match kind.iter_mut().find(|c| c.file == origin.file && c.side == side) {
                Some(known) if known.line <= line => {}
                Some(known) => *known = cause(line),
                None => kind.push(cause(line)),
            }
        }
    }

    /// Returns the edited lines of a unit's files, its own file first, then by path.
    fn unit(&mut self, side: Side, unit: &Arc<Unit>) -> Rc<Found> {
        let key = (side, ByAddress(Arc::clone(unit)));
        if let Some(known) = self.units.get(&key) {
            return Rc::clone(known);
        }
        let mut found = Found::default();
        // The order of file ids depends on which thread read a file first.
        let mut others: Vec<FileId> = unit.files.iter().copied().filter(|file| *file != unit.file).collect();
        others.sort_by_cached_key(|file| Text::clone(&self.files.get(*file).path));
        for id in std::iter::once(unit.file).chain(others) {
            let edited = self.edits.of(side, id);
            let cause = |line: u32| {
                let column = indentation(edited.file.line_text(line));
                Cause { side, file: id, line, column }
            };
            match &edited.edits {
                FileEdits::Untouched => {}
                FileEdits::Whole { certain: true } => found.certain.push(cause(1)),
                FileEdits::Whole { certain: false } => found.guessed.push(cause(1)),
                FileEdits::Lines(lines) => {
                    let telling = |line: &&u32| {
                        let text = edited.file.line_text(**line).trim_start();
                        !text.is_empty() && !text.starts_with('#')
                    };
                    let room = MAX_CAUSES.saturating_sub(found.certain.len());
                    found.certain.extend(lines.iter().filter(telling).take(room).map(|line| cause(*line)));
                }
            }
        }
        found.guessed.truncate(MAX_CAUSES);
        let found = Rc::new(found);
        self.units.insert(key, Rc::clone(&found));
        found
    }

    /// If only one side has a cause, adds the lines that replaced it on the other side: a component can disappear
    /// because of a new line.
    fn complete(&mut self, causes: &mut Vec<Cause>) {
        let Some(side) = causes.first().map(|c| c.side).filter(|side| causes.iter().all(|c| c.side == *side)) else {
            return;
        };
        let other = if side == Side::Base { Side::Head } else { Side::Base };
        for i in 0..causes.len() {
            let edited = self.edits.of(side, causes[i].file);
            let (Some(file), Some(line)) = (edited.counterpart, edited.counterpart(causes[i].line)) else { continue };
            let column = indentation(self.edits.of(other, file).file.line_text(line));
            causes.push(Cause { side: other, file, line, column });
        }
    }

    /// Sorted by place, without repetition, at most `limit`.
    fn sorted(&mut self, mut causes: Vec<Cause>, limit: usize) -> Vec<Cause> {
        self.complete(&mut causes);
        if causes.len() > 1 {
            // By path, because the order of file ids depends on which thread read a file first.
            let mut keyed: Vec<_> = causes
                .into_iter()
                .map(|c| ((Text::clone(&self.edits.of(c.side, c.file).file.path), c.line, c.side, c.column), c))
                .collect();
            keyed.sort_by(|a, b| a.0.cmp(&b.0));
            // Of several values on one line, the column of the first one is used.
            keyed.dedup_by(|b, a| a.0.0 == b.0.0 && a.0.1 == b.0.1 && a.0.2 == b.0.2);
            causes = keyed.into_iter().map(|k| k.1).collect();
        }
        causes.truncate(limit);
        causes
    }
}

/// The column (from 1) of the first character that is not white space.
fn indentation(line: &str) -> u32 {
    line.chars().take_while(|c| c.is_whitespace()).count() as u32 + 1
}
