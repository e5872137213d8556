//! Finds the reference that makes a template fail or render nothing, and its place in the source.

use crate::dialects::atmos::templates::engine::Engine;
use crate::files::Files;
use crate::template::Error;
use crate::value::{Key, Origin, Prov};

/// The path that a failing text reads and that is not there, if that is why it fails: its first two keys.
pub(crate) fn culprit(text: &str, error: &Error, engine: &Engine<'_>) -> Option<[Key; 2]> {
    let parsed = engine.parse(text);
    let references = parsed.as_ref().as_ref().ok()?.references();
    let key = missing_key(&error.message)?;
    let within = |r: &&crate::template::Reference| r.span.start <= error.offset && error.offset <= r.span.end;
    let named = |r: &&crate::template::Reference| error.message.contains(&format!("at <{}>", &text[r.span.clone()]));
    let found = references.iter().find(|r| within(r) && named(r)).or_else(|| references.iter().find(named));
    first_two(&found?.path, key)
}

/// The same where only the words of the failure are known.
pub(crate) fn culprit_by_words(text: &str, message: &str, engine: &Engine<'_>) -> Option<[Key; 2]> {
    let parsed = engine.parse(text);
    let references = parsed.as_ref().as_ref().ok()?.references();
    let key = missing_key(message)?;
    let named = |r: &&crate::template::Reference| message.contains(&format!("at <{}>", &text[r.span.clone()]));
    first_two(&references.iter().find(named)?.path, key)
}

fn first_two(path: &[String], missing: &str) -> Option<[Key; 2]> {
    let [first, second, ..] = path else { return None };
    // A value missing deeper down is missing in something that exists.
    (missing == first || missing == second).then(|| [first.as_str().into(), second.as_str().into()])
}

/// `x` of `map has no entry for key "x"`.
fn missing_key(message: &str) -> Option<&str> {
    let (_, rest) = message.rsplit_once("no entry for key \"")?;
    rest.split_once('"').map(|(key, _)| key)
}

/// Where the reference `.first.second` is written in the text of a value: the bytes of the last key, for every occurrence.
pub(crate) fn occurrences(files: &Files, site: Origin, path: &[impl AsRef<str>]) -> Vec<(u32, u32)> {
    let Some(last) = path.last().map(AsRef::as_ref) else { return Vec::new() };
    let file = files.get(site.file);
    let Some(source) = file.text.get(site.key.min(site.start) as usize..site.end as usize) else { return Vec::new() };
    let start = site.key.min(site.start) as usize;
    let dotted: String = path.iter().flat_map(|key| [".", key.as_ref()]).collect();
    let mut found = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in source.match_indices(&dotted) {
        let end = at + dotted.len();
        let goes_on = source[end..].chars().next().is_some_and(is_name);
        let is_inner = source[..at].chars().next_back().is_some_and(is_name);
        if !goes_on && !is_inner {
            let name = start + end - last.len();
            found.push((name as u32, (start + end) as u32));
        }
    }
    found
}

/// Where to point: the first occurrence of the reference, else the whole value.
pub(crate) fn pointed(files: &Files, site: &Prov, path: &[Key; 2]) -> Option<(u32, u32)> {
    let origin = site.origin?;
    occurrences(files, origin, path).first().copied().or(Some((origin.key, origin.end)))
}
