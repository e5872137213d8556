//! A file that others import gets another path.

use super::place;
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::resolution::{Import, Resolution};
use std::ops::Range;

/// What a path is written between.
const ENDS: [char; 7] = ['"', '\'', '(', ')', '{', '}', '`'];

/// Edits what imports a file, and what the file itself imports by paths from its folder. Returns the edits, and a sentence about
/// what they do.
///
/// # Errors
/// Nothing reads the file, or a path is computed: a sentence without a full stop.
pub(crate) fn file(
    [old, new]: [&str; 2],
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let items = &resolution.imports.items;
    let is_it = |id: &crate::value::FileId| *files.get(*id).path == *old;
    let is_read = resolution.documents.iter().any(|(id, _)| is_it(id) && !resolution.config.contains(id));
    if !is_read && !items.iter().any(|item| item.targets.iter().any(is_it)) {
        let is_part = resolution.config.iter().all(|file| !is_it(file))
            && resolution.units.iter().any(|unit| unit.files.iter().any(is_it));
        return Err(match is_part {
            true => format!("{old} is read, and not by an import: it is not known what names it"),
            false => format!("{old} is no file of the configuration that is read"),
        });
    }
    let mut edits = Vec::new();
    // A pattern finds the file by its new path as well, or the comparison shows that it does not.
    for item in items.iter().filter(|item| !item.is_pattern && item.targets.iter().any(is_it)) {
        let written = rewritten(item, files, |path| renamed(path, old, new));
        let written =
            written.ok_or_else(|| format!("{} imports it by a path that is computed", place(item.path, files)));
        edits.push(written?);
    }
    let importers = edits.len();
    let is_own = |item: &&Import| is_it(&item.path.file) && !item.is_pattern && !item.is_computed;
    for item in items.iter().filter(is_own) {
        if let [target] = item.targets[..] {
            let target = files.get(target);
            edits.extend(rewritten(item, files, |path| from_folder(path, &target.path, folder(new))));
        }
    }
    // A text that several units render has its items several times.
    edits.sort();
    edits.dedup();
    let places = match importers.min(edits.len()) {
        0 => String::new(),
        imports => format!(", in {}", crate::text::count(imports, "import")),
    };
    Ok((edits, format!("{old} becomes {new}{places}")))
}

/// The edit of the one path in the text of an item that becomes another one.
fn rewritten(item: &Import, files: &Files, change: impl Fn(&str) -> Option<String>) -> Option<Edit> {
    let (file, origin) = (files.get(item.path.file), item.path);
    let text = file.text.get(origin.start as usize..origin.end as usize)?;
    let mut changed = pieces(text).filter_map(|range| Some((change(&text[range.clone()])?, range)));
    let (path, range) = changed.next().filter(|_| changed.next().is_none())?;
    let at = |offset: usize| origin.start + offset as u32;
    Some(Edit { file: origin.file, start: at(range.start), end: at(range.end), text: path })
}

/// The parts of a text that may be paths.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split(ENDS).map(move |piece| {
        let blanks = piece.len() - piece.trim_start().len();
        let range = start + blanks..start + blanks + piece.trim().len();
        start += piece.len() + 1;
        range
    })
}

/// What a written path to one file becomes, so that it leads to another one in the same way: from the same folder, whichever it
/// is, and without an extension if it has none.
pub(super) fn renamed(written: &str, old: &str, new: &str) -> Option<String> {
    let parts: Vec<&str> = written.split('/').collect();
    let name = old.rsplit('/').next()?;
    let extension = name.strip_prefix(parts.last()?.trim())?;
    if !extension.is_empty() && !extension.starts_with('.') || parts.last()?.is_empty() {
        return None;
    }
    let old: Vec<&str> = old.strip_suffix(extension)?.split('/').collect();
    let new: Vec<&str> = without(new, extension).split('/').collect();
    let alike = parts.iter().rev().zip(old.iter().rev()).take_while(|(a, b)| a == b).count();
    let (before, above) = (&parts[..parts.len() - alike], &old[..old.len() - alike]);
    Some(joined(before, above, &new))
}

/// A path from a folder, written with `.` or `..` at its start, from another folder.
fn from_folder(written: &str, target: &str, folder: &str) -> Option<String> {
    let last = written.rsplit('/').next()?;
    if !matches!(written.split('/').next()?, "." | "..") {
        return None;
    }
    let extension = target.rsplit('/').next()?.strip_prefix(last)?;
    let above: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let target: Vec<&str> = without(target, extension).split('/').collect();
    let path = joined(&[], &above, &target);
    let path = if path.starts_with("../") { path } else { format!("./{path}") };
    (path != written).then_some(path)
}

/// What leads to a target: some parts that lead to a folder, and the way from there.
pub(super) fn joined(before: &[&str], folder: &[&str], target: &[&str]) -> String {
    let alike = folder.iter().zip(target).take_while(|(a, b)| a == b).count();
    let up = folder.len() - alike;
    let before = if up > 0 && before == ["."] { &[] } else { before };
    let parts = before.iter().copied().chain(std::iter::repeat_n("..", up)).chain(target[alike..].iter().copied());
    parts.collect::<Vec<_>>().join("/")
}

/// A path without an extension, if it has that one.
fn without<'a>(path: &'a str, extension: &str) -> &'a str {
    path.strip_suffix(extension).filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// The folder of a file.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_written_as_it_is() {
        let (old, new) = ("stacks/catalog/vpc.yaml", "stacks/mixins/net.yaml");
        for (written, expected) in [
            ("catalog/vpc", Some("mixins/net")),
            ("catalog/vpc.yaml", Some("mixins/net.yaml")),
            ("./vpc", Some("../mixins/net")),
            ("../catalog/vpc", Some("../mixins/net")),
            ("../../stacks/catalog/vpc", Some("../../stacks/mixins/net")),
            ("/stacks/catalog/vpc.yaml", Some("/stacks/mixins/net.yaml")),
            ("catalog/vp", None),
            ("catalog/", None),
            ("find_in_parent_folders", None),
        ] {
            assert_eq!(renamed(written, old, new).as_deref(), expected, "{written}");
        }
        assert_eq!(renamed("vpc", "vpc.yaml", "net.yml").as_deref(), Some("net.yml"));
        let text = "\"${get_repo_root()}/common/env.hcl\"";
        let found: Vec<&str> = pieces(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["", "$", "get_repo_root", "", "", "/common/env.hcl", ""]);
    }

    #[test]
    fn paths_from_the_folder_lead_to_the_same_files() {
        let moved = |written, target| from_folder(written, target, "stacks/net/x");
        assert_eq!(moved("./sub", "stacks/net/sub.yaml").as_deref(), Some("../sub"));
        assert_eq!(moved("../sub.yaml", "stacks/sub.yaml").as_deref(), Some("../../sub.yaml"));
        assert_eq!(moved("./a/b", "stacks/net/x/b.yaml").as_deref(), Some("./b"));
        assert_eq!(moved("catalog/sub", "stacks/catalog/sub.yaml"), None);
    }
}
