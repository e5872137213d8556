//! `import-order-decides`: two imports set one value differently, and the later line wins.

use super::walk::{Seen, at, each};
use crate::diagnostic::{Diagnostic, Label};
use crate::files::Files;
use crate::resolution::{Component, Import, Unit};
use crate::rules::imports::{ByFile, written};
use crate::rules::places::at_value;
use crate::rules::{Context, rule};
use crate::syntax::Syntax;
use crate::text::{ByAddress, Text};
use crate::value::{Data, FileId, Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

rule!(
    IMPORT_ORDER_DECIDES,
    "import-order-decides",
    Preview,
    "0.1.0",
    "two independent imports set a value differently, so the order of their lines decides which one wins"
);

/// The most values of lower layers that one value is compared with.
const MAX_LOSERS: usize = 20;

/// The most values that a finding points at.
const MAX_VALUES: usize = 3;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut search = Search::new(context);
    each(
        context.resolution,
        |value| !matches!(value.data, Data::Map(_)) && value.prov.overrode().is_some(),
        |seen| search.value(seen),
    );
    search.finish()
}

/// Two import lines of one file, the later one first.
type Lines = (Origin, Origin);

/// The same as imports.
type Pair<'a> = (&'a Import, &'a Import);

/// A value that the order of two lines decides.
#[derive(Default)]
struct Decided {
    /// The places of the value that wins and of the one that loses, by the path of the value.
    values: BTreeMap<String, Lines>,
    stacks: BTreeSet<Text>,
}

struct Search<'a> {
    context: &'a Context<'a>,
    all: ByFile<'a>,
    units: HashMap<ByAddress<&'a Arc<Component>>, &'a Unit>,
    /// The units that a file has a part in, by their number.
    reach: HashMap<FileId, BTreeSet<usize>>,
    /// By file: its imports that lead to another file.
    leading: HashMap<FileId, HashMap<FileId, Vec<usize>>>,
    /// By the unit, the file that wins and the one that loses.
    lines: HashMap<(*const Unit, FileId, FileId), Option<Pair<'a>>>,
    texts: HashMap<FileId, Syntax>,
    /// By the file that wins and the one that loses: whether the one refines the other.
    meant: HashMap<(FileId, FileId), bool>,
    found: BTreeMap<Lines, Decided>,
}

impl<'a> Search<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        let mut units = HashMap::new();
        let mut reach: HashMap<FileId, BTreeSet<usize>> = HashMap::new();
        for (number, unit) in context.resolution.units.iter().enumerate() {
            units.extend(unit.components.iter().map(|c| (ByAddress(c), &**unit)));
            for file in &unit.files {
                reach.entry(*file).or_default().insert(number);
            }
        }
        let all = ByFile::new(context.resolution);
        let (leading, lines, texts, meant) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        Search { context, all, units, reach, leading, lines, texts, meant, found: BTreeMap::new() }
    }

    fn value(&mut self, seen: &Seen<'a, '_>) {
        let component = seen.component;
        let words = component.language.vocabulary;
        let is_derived = words.named_after.contains(&seen.section()) || seen.is_below(words.resolution_controls);
        // Components that others only inherit from are checked in the heirs.
        if seen.is_item || is_derived || !component.metadata.is_deployed() || !seen.value.prov.layers().is_empty() {
            return;
        }
        let Some(unit) = self.units.get(&ByAddress(component)).copied() else { return };
        let history = seen.history();
        let Some((_, winner)) = history.first() else { return };
        let Some(won) = winner.prov.origin.filter(|place| is_written_at(winner, *place)) else { return };
        for (_, loser) in history[1..].iter().take(MAX_LOSERS) {
            let Some(lost) = loser.prov.origin.filter(|place| is_written_at(loser, *place)) else { continue };
            if loser.data == winner.data || won.file == lost.file {
                continue;
            }
            // At another place in its file it belongs to another layer, which counts more or less wherever it is imported.
            if self.is_meant(won.file, lost.file, words.defaults) || self.path(won) != self.path(lost) {
                continue;
            }
            let Some((later, earlier)) = self.deciding(unit, won.file, lost.file) else { continue };
            let decided = self.found.entry((later.path, earlier.path)).or_default();
            decided.values.entry(seen.dotted()).or_insert((won, lost));
            decided.stacks.insert(Text::clone(&component.stack));
            return;
        }
    }

    /// Returns the two lines of a unit whose order decides which one of two files wins; `None` if it is not decided by
    /// exactly two.
    fn deciding(&mut self, unit: &'a Unit, won: FileId, lost: FileId) -> Option<Pair<'a>> {
        let key = (std::ptr::from_ref(unit), won, lost);
        if let Some(known) = self.lines.get(&key) {
            return *known;
        }
        let found = self.find_lines(unit, won, lost);
        self.lines.insert(key, found);
        found
    }

    fn find_lines(&mut self, unit: &'a Unit, won: FileId, lost: FileId) -> Option<Pair<'a>> {
        if self.all.closure([won]).contains(&lost) || self.all.closure([lost]).contains(&won) {
            return None;
        }
        let mut found = None;
        for file in &unit.files {
            let items = self.all.of(*file).to_vec();
            if items.len() < 2 {
                continue;
            }
            let (to_winner, to_loser) = (self.leading(*file, won), self.leading(*file, lost));
            if to_winner.is_empty() || to_loser.is_empty() || to_winner == to_loser && to_winner.len() == 1 {
                continue;
            }
            let ([later], [earlier]) = (to_winner.as_slice(), to_loser.as_slice()) else { return None };
            let (later, earlier) = (items[*later], items[*earlier]);
            let is_plain = |item: &Import| !item.is_computed && !item.is_special && !item.is_open;
            // More than one pair of lines may decide together.
            if found.is_some() || later.item.start < earlier.item.start || !is_plain(later) || !is_plain(earlier) {
                return None;
            }
            found = Some((later, earlier));
        }
        found
    }

    /// Whether the winning file is meant to refine the losing one: the loser is named like defaults, is in a parent
    /// folder or has a shorter name, or is part of more stacks.
    fn is_meant(&mut self, won: FileId, lost: FileId, defaults: &[&str]) -> bool {
        if let Some(known) = self.meant.get(&(won, lost)) {
            return *known;
        }
        let is_meant = self.refines(won, lost, defaults);
        self.meant.insert((won, lost), is_meant);
        is_meant
    }

    fn refines(&self, won: FileId, lost: FileId, defaults: &[&str]) -> bool {
        let path = |file| Text::clone(&self.context.files.get(file).path);
        let units = |file| self.reach.get(&file);
        let is_wider = match (units(lost), units(won)) {
            (Some(lost), Some(won)) => lost.len() > won.len() && lost.is_superset(won),
            _ => false,
        };
        is_wider || is_refinement(&path(lost), &path(won), defaults)
    }

    /// Returns the first two imports of a file, by index, that lead to another file, directly or indirectly.
    fn leading(&mut self, file: FileId, to: FileId) -> Vec<usize> {
        let all = &self.all;
        let leading = self.leading.entry(file).or_insert_with(|| {
            let mut leading: HashMap<FileId, Vec<usize>> = HashMap::new();
            for (number, item) in all.of(file).iter().enumerate() {
                for target in all.closure(item.targets.iter().copied()) {
                    let numbers = leading.entry(target).or_default();
                    if numbers.len() < 2 {
                        numbers.push(number);
                    }
                }
            }
            leading
        });
        leading.get(&to).cloned().unwrap_or_default()
    }

    /// Returns the keys that lead to a value at its place.
    fn path(&mut self, place: Origin) -> String {
        let files = self.context.files;
        let text = self.texts.entry(place.file).or_insert_with(|| Syntax::of(&files.get(place.file)));
        text.path_at(place.key)
    }

    fn finish(self) -> Vec<Diagnostic> {
        let files = self.context.files;
        let items: HashMap<Origin, &Import> =
            self.context.resolution.imports.items.iter().map(|item| (item.path, item)).collect();
        let finding = |((later, earlier), decided): (Lines, Decided)| {
            let (wins, loses) = (items.get(&later)?, items.get(&earlier)?);
            Some(finding(files, wins, loses, decided))
        };
        self.found.into_iter().filter_map(finding).collect()
    }
}

fn finding(files: &Files, later: &Import, earlier: &Import, decided: Decided) -> Diagnostic {
    let (wins, loses) = (written(files, later), written(files, earlier));
    let first = decided.values.keys().next().map_or("", |path| path);
    let more = match decided.values.len() {
        0 | 1 => String::new(),
        2 => " and 1 other value".to_owned(),
        n => format!(" and {} other values", n - 1),
    };
    let message = format!("`{first}`{more} would change if `{wins}` was imported before `{loses}`");
    let mut finding = Diagnostic::new(&IMPORT_ORDER_DECIDES, message, at_value(files, later.path, ""))
        .related(at_value(files, earlier.path, "this import comes first, so it loses"))
        .token(format!("{wins} {loses}"))
        .help("write the value where both are imported, or import one of the two files in the other");
    for (path, (won, lost)) in decided.values.iter().take(MAX_VALUES) {
        let label = |place, words: &str| -> Label { at(files, place, format!("`{path}` {words}")) };
        finding = finding.related(label(*won, "counts here")).related(label(*lost, "is overridden here"));
    }
    finding.stacks = decided.stacks.into_iter().collect();
    finding
}

/// Whether all of a value is written at a place: lists may be joined.
fn is_written_at(value: &Value, place: Origin) -> bool {
    let inside = |item: &Value| item.prov.origin.is_some_and(|at| super::walk::is_inside(at, place));
    value.as_list().is_none_or(|items| items.iter().all(inside))
}

/// Whether the path of a file shows that it refines another one.
fn is_refinement(general: &str, specific: &str, defaults: &[&str]) -> bool {
    let split = |path: &str| -> (String, String) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.find('.').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
        (folder.to_owned(), stem.to_owned())
    };
    let ((above, name), (below, longer)) = (split(general), split(specific));
    let is_above = below != above && (above.is_empty() || below.starts_with(&format!("{above}/")));
    let has_longer_name =
        || above == below && longer.strip_prefix(&name).is_some_and(|rest| rest.starts_with(['-', '_']));
    defaults.contains(&&*name) || is_above || has_longer_name()
}

#[cfg(test)]
mod tests {
    use super::is_refinement;

    #[test]
    fn paths_tell_the_general_file_from_the_specific_one() {
        for (general, specific, want) in [
            ("stacks/orgs/_defaults.yaml", "stacks/orgs/acme/_defaults.yaml", true),
            ("stacks/catalog/vpc.yaml", "stacks/catalog/vpc/prod.yaml", true),
            ("stacks/catalog/vpc.yaml", "stacks/catalog/vpc-prod.yaml", true),
            ("stacks/catalog/vpc/defaults.yaml", "stacks/catalog/vpc/prod.yaml", true),
            ("stacks/mixins/defaults.yaml.tmpl", "stacks/catalog/prod.yaml", true),
            ("globals.yaml", "catalog/vpc.yaml", true),
            ("stacks/catalog/vpc/prod.yaml", "stacks/catalog/vpc.yaml", false),
            ("stacks/catalog/a.yaml", "stacks/catalog/b.yaml", false),
            ("stacks/catalog/vpc.yaml", "stacks/catalog/vpcs.yaml", false),
            ("stacks/cat/a.yaml", "stacks/catalog/b.yaml", false),
        ] {
            assert_eq!(is_refinement(general, specific, &["_defaults", "defaults"]), want, "{general} {specific}");
        }
    }
}
