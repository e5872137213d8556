//! Values as written, over all components that they contribute to.

use super::walk::{each_where, is_inside, open_files, with_plain_sections};
use crate::diagnostic::Rule;
use crate::rules::Context;
use crate::syntax::Syntax;
use crate::text::Text;
use crate::value::{Data, FileId, Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How a value that was written takes part.
pub(super) struct Use {
    /// Its path in the components.
    pub path: String,
    /// The stacks in which it takes part.
    pub stacks: BTreeSet<Text>,
    /// Whether it is what some component has in the end.
    pub wins: bool,
    /// Whether there is a component in which it overrides nothing.
    pub is_first: bool,
    /// Whether all that it overrides is equal to it.
    pub is_repeated: bool,
    /// Where one of the values is that it overrides.
    pub below: Option<Origin>,
    /// Where one of the values is that override it.
    pub above: Option<Origin>,
    /// Whether a YAML function or something unknown takes part.
    pub is_open: bool,
}

/// Returns all values written in sections that are only passed on, in files that are completely known. Files with
/// templates or locals are skipped: their values may be read in the file. Only uses that are `wanted` are returned; if
/// one is skipped because not all of its file is known, that is noted for `rule`.
pub(super) fn uses(context: &Context<'_>, rule: &'static Rule, wanted: impl Fn(&Use) -> bool) -> Vec<(Origin, Use)> {
    let mut found: BTreeMap<Origin, Use> = BTreeMap::new();
    each_where(
        with_plain_sections(&context.resolution.units),
        |_| true,
        |v| !matches!(v.data, Data::Map(_)),
        |seen| {
            let words = seen.component.language.vocabulary;
            if seen.is_item
                || seen.is_below(words.resolution_controls)
                || !words.plain_sections.contains(&seen.section())
            {
                return;
            }
            let (history, read) = (seen.history(), seen.component.language.read);
            let is_open = history.iter().any(|(_, v)| {
                matches!(v.data, Data::Unknown(_))
                    || v.as_str().is_some_and(|s| read(s).is_some())
                    || !v.prov.layers().is_empty()
            });
            for (i, (_, value)) in history.iter().enumerate() {
                let Some(origin) = value.prov.origin else { continue };
                let below = history.get(i + 1).map(|(_, v)| *v);
                let entry = found.entry(origin).or_insert_with(|| Use {
                    path: seen.dotted(),
                    stacks: BTreeSet::new(),
                    wins: false,
                    is_first: false,
                    is_repeated: true,
                    below: None,
                    above: None,
                    is_open: false,
                });
                entry.stacks.insert(Text::clone(&seen.component.stack));
                entry.is_open |= is_open;
                entry.wins |= i == 0 || history[..i].iter().any(|(_, above)| continues(above, origin));
                entry.is_first |= below.is_none();
                entry.is_repeated &= below.is_some_and(|b| is_repetition(value, b));
                entry.below = entry.below.or(below.and_then(|b| b.prov.origin));
                entry.above = entry.above.or(i.checked_sub(1).and_then(|j| history[j].1.prov.origin));
            }
        },
    );
    let open = open_files(context.resolution);
    let mut plain: HashMap<FileId, bool> = HashMap::new();
    found.retain(|origin, used| {
        let is_plain = *plain.entry(origin.file).or_insert_with(|| is_plain(context, origin.file))
            && is_written_there(context, *origin, &used.path);
        let is_found = is_plain && wanted(used);
        if is_found && open.contains(&origin.file) {
            context.withheld.record(rule);
        }
        is_found && !open.contains(&origin.file)
    });
    found.into_iter().collect()
}

/// Whether a list holds items of what was written at a place: lists may be joined.
fn continues(list: &Value, origin: Origin) -> bool {
    list.as_list().is_some_and(|items| items.iter().any(|item| item.prov.origin.is_some_and(|o| is_inside(o, origin))))
}

/// Whether a value repeats the value below it. Appended lists never do.
fn is_repetition(value: &Value, below: &Value) -> bool {
    let Some(origin) = value.prov.origin else { return false };
    let is_whole = value
        .as_list()
        .is_none_or(|items| items.iter().all(|item| item.prov.origin.is_some_and(|o| is_inside(o, origin))));
    is_whole && value.data == below.data
}

/// Whether the value of a path is written at its place. In HCL an expression may have the place of what it reads.
fn is_written_there(context: &Context<'_>, origin: Origin, path: &str) -> bool {
    let file = context.files.get(origin.file);
    Syntax::source(&file).is_none_or(|source| {
        source.keys_at(origin.key).is_some_and(|keys| keys.join(".") == *path)
            && source.entry_of(origin.key as usize).is_some()
    })
}

/// Whether nothing in a file reads what else is in it.
fn is_plain(context: &Context<'_>, file: FileId) -> bool {
    let text = &context.files.get(file).text;
    let locals = || context.resolution.vocabularies.iter().map(|words| words.locals).filter(|key| !key.is_empty());
    let is_key = |line: &str, key: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    !text.contains("{{") && !text.lines().any(|line| locals().any(|key| is_key(line, key)))
}

/// Whether some file has a template among its imports: such a path may read values merged before it.
pub(super) fn has_computed_imports(context: &Context<'_>) -> bool {
    let files: HashSet<FileId> = context.resolution.units.iter().flat_map(|u| u.files.iter().copied()).collect();
    files.into_iter().any(|id| {
        let file = context.files.get(id);
        let Some(at) = file.text.find("import:").filter(|_| file.text.contains("{{")) else { return false };
        let rest = &file.text[at..];
        let end = rest.match_indices('\n').find(|(i, _)| rest[i + 1..].starts_with(|c: char| c.is_ascii_alphabetic()));
        rest[..end.map_or(rest.len(), |(i, _)| i)].contains("{{")
    })
}
