//! A component that is a folder gets another path: what leads to it, and what leads out of it, is written accordingly.

use super::file::{joined, pieces, renamed};
use super::{is_plain, place};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::paths;
use crate::refactor::hcl::{self, HclFile};
use crate::resolution::{Resolution, StackSelector};
use crate::review::{Renaming, Subject};
use crate::text::{Text, count};
use crate::value::Origin;
use std::collections::BTreeSet;
use std::ops::Range;

/// Edits, the map under which both states are the same, and what they do; or why there are none.
type Renamed = Result<(Vec<Edit>, Renaming, String), String>;

/// Edits what leads to the folder of a component by paths. `None` if the old name is no folder of one.
///
/// # Errors
/// It is not known what to edit: a sentence without a full stop.
pub(crate) fn folder(
    names: [&String; 2],
    moves_state: bool,
    resolution: &Resolution,
    files: &Files,
) -> Option<Renamed> {
    let [old, new] = names.map(|name| name.trim_end_matches('/'));
    let unit =
        resolution.units.iter().find(|unit| *unit.id == *old && paths::parent(&files.get(unit.file).path) == old)?;
    let component = unit.components.first()?;
    Some(moved([old, new], (&component.stack, &component.kind, &component.name), moves_state, resolution, files))
}

fn moved(
    [old, new]: [&str; 2],
    (stack, kind, name): (&Text, &Text, &Text),
    moves_state: bool,
    resolution: &Resolution,
    files: &Files,
) -> Renamed {
    if new.starts_with('.') || !is_plain(new) {
        return Err(format!("`{new}` cannot be the path of a unit: use letters, digits, `_`, `-`, `.` and `/`"));
    }
    if let Some(unit) = resolution.units.iter().find(|unit| paths::relative(&unit.id, old).is_some()) {
        return Err(format!("{} is below it", unit.id));
    }
    let is_it = |path: &str| path == old || paths::relative(path, old).is_some();
    let mut edits: BTreeSet<Edit> = BTreeSet::new();
    let links = resolution.units.iter().flat_map(|unit| &unit.components).flat_map(|one| one.metadata.links.iter());
    for link in links.filter(|link| link.component == *name && link.kind.as_ref().is_none_or(|one| one == kind)) {
        if !matches!(&link.stack, StackSelector::Stack(one) if one == stack) {
            continue;
        }
        let origin = link.origin.ok_or_else(|| format!("it is not known where {} names it", link.by))?;
        if !is_it(&files.get(origin.file).path) {
            edits.insert(named(origin, [old, new], files)?);
        }
    }
    for file in hcl::some(resolution, files) {
        let folder = paths::parent(&file.file.path);
        let is_own = is_it(folder);
        for range in file.texts() {
            let text = &file.file.text[range.clone()];
            let known = edits.iter().any(|edit| edit.file == file.id && range.contains(&(edit.start as usize)));
            let changed = match is_own {
                true => led_out(text, folder, [old, new]),
                false => led_in(text, folder, [old, new]),
            };
            if let Some(text) = changed.filter(|_| !known) {
                edits.insert(Edit { file: file.id, start: range.start as u32, end: range.end as u32, text });
            }
        }
    }
    let renaming = Renaming {
        subject: Subject::Folder(Text::clone(kind)),
        old: old.into(),
        new: new.into(),
        readers: BTreeSet::new(),
        added: BTreeSet::new(),
        files: BTreeSet::new(),
        moves_state,
    };
    let what = format!("{old} becomes {new}, and {} with it", count(edits.len(), "path"));
    Ok((edits.into_iter().collect(), renaming, what))
}

/// The edit of a text that leads to the folder, from wherever.
fn named(origin: Origin, [old, new]: [&str; 2], files: &Files) -> Result<Edit, String> {
    let file = files.get(origin.file);
    let text = file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default();
    let mut changed = pieces(text).filter_map(|range| Some((renamed(&text[range.clone()], old, new)?, range)));
    let found: Option<(String, Range<usize>)> = changed.next().filter(|_| changed.next().is_none());
    let (text, range) = found.ok_or_else(|| format!("{} names it by a path that is computed", place(origin, files)))?;
    let at = |offset: usize| origin.start + offset as u32;
    Ok(Edit { file: origin.file, start: at(range.start), end: at(range.end), text })
}

/// A path from a folder elsewhere that leads to the folder that moves, or to something in it.
fn led_in(text: &str, folder: &str, [old, new]: [&str; 2]) -> Option<String> {
    let target = paths::resolve(folder, text.trim_end_matches('/')).filter(|_| text.starts_with('.'))?;
    let rest = if target == old { "" } else { paths::relative(&target, old)? };
    let above: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let target = if rest.is_empty() { new.to_owned() } else { paths::join(new, rest) };
    Some(prefixed(joined(&[], &above, &target.split('/').collect::<Vec<_>>())))
}

/// A path from the folder that moves, or one in it, that leads out of it.
fn led_out(text: &str, folder: &str, [old, new]: [&str; 2]) -> Option<String> {
    let ups = text.split('/').take_while(|part| *part == "..").count();
    let inner = paths::relative(folder, old).map_or(0, |rest| rest.split('/').count());
    let depth = folder.split('/').filter(|part| !part.is_empty()).count();
    if ups <= inner || ups > depth {
        return None;
    }
    let parts: Vec<&str> = folder.split('/').collect();
    let rest: Vec<&str> = text.split('/').skip(ups).collect();
    let base = &parts[..depth - ups];
    let below = paths::relative(folder, old).unwrap_or_default();
    let moved = if below.is_empty() { new.to_owned() } else { paths::join(new, below) };
    let above: Vec<&str> = moved.split('/').collect();
    let target: Vec<&str> = base.iter().copied().chain(rest).collect();
    let changed = prefixed(joined(&[], &above, &target));
    (changed != text).then_some(changed)
}

/// A path from a folder as it is written.
fn prefixed(path: String) -> String {
    match path.starts_with("..") {
        true => path,
        false if path.is_empty() => ".".to_owned(),
        false => format!("./{path}"),
    }
}

impl HclFile {
    /// The texts between quotes that have nothing computed in them.
    fn texts(&self) -> Vec<Range<usize>> {
        let literals = self.literals().filter_map(|range| {
            let text = self.file.text.get(range.clone())?;
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            (!inner.contains(['$', '%', '\\', '"'])).then(|| range.start + 1..range.end - 1)
        });
        literals.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_the_same_places() {
        let inward = |text, folder| led_in(text, folder, ["live/dev/app", "live/dev/web"]);
        assert_eq!(inward("../app", "live/dev/db").as_deref(), Some("../web"));
        assert_eq!(inward("../../dev/app/x.hcl", "live/prod/db").as_deref(), Some("../../dev/web/x.hcl"));
        assert_eq!(inward("./app", "live/dev").as_deref(), Some("./web"));
        assert_eq!([inward("../apple", "live/dev/db"), inward("app", "live/dev")], [None, None]);
        let outward = |text, new| led_out(text, "live/dev/app", ["live/dev/app", new]);
        assert_eq!(outward("../../../modules//app?ref=x", "live/app").as_deref(), Some("../../modules//app?ref=x"));
        assert_eq!(outward("../db", "live/prod/app").as_deref(), Some("../../dev/db"));
        assert_eq!([outward("../db", "live/dev/web"), outward("./db", "live/web")], [None, None]);
    }
}
