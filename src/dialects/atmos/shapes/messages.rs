//! Messages about manifests that do not match their description.

use super::check::{Violation, Wrong, near};
use super::shape::{Map, Range, Rest};
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label, Rule};
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::merge::APPEND_KEY;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::syntax::relocation::{Move, Replacement, relocate};
use crate::value::{FileId, Origin, Value};

/// How many keys are listed before the rest is only counted.
const LISTED: usize = 30;

/// Metadata that only a component can have: who it is.
const IDENTITY: [&str; 6] = ["name", "type", "component", "inherits", "description", "terraform_workspace"];

/// The rule that a key breaks which is not allowed in the map at a path.
pub(in crate::dialects::atmos) fn rule_of_key(path: &str, key: &str) -> &'static Rule {
    let is_metadata = match path {
        "metadata" => IDENTITY.contains(&key),
        // A component type has none.
        path => key == "metadata" && !path.contains('.') && !path.is_empty(),
    };
    if is_metadata { &rules::INEFFECTIVE_METADATA } else { &rules::SCHEMA_VIOLATION }
}

/// A finding about a mismatch whose fix is still to be looked for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::dialects::atmos) struct Mismatch {
    pub finding: Diagnostic,
    /// How many keys of `depends_on` and above move, if it is to become a list of `dependencies`.
    moved_keys: Option<usize>,
}

impl Mismatch {
    /// A finding without a fix but its own.
    pub(in crate::dialects::atmos) fn of(finding: Diagnostic) -> Self {
        Mismatch { finding, moved_keys: None }
    }

    /// The finding with its fix: to find out whether an entry can move takes as long as to read its file twice.
    pub(in crate::dialects::atmos) fn with_fix(&self, files: &Files) -> Diagnostic {
        let finding = self.finding.clone();
        match self.moved_keys {
            Some(keys) => move_entry(finding, Move { keys, to: &["dependencies", "components"], as_list: true }, files),
            None => finding,
        }
    }
}

/// Returns what is to be reported of a mismatch; `file` is its file if the place is unknown.
pub(in crate::dialects::atmos) fn mismatch(violation: &Violation<'_>, files: &Files, file: FileId) -> Mismatch {
    let moved_keys = match violation.wrong {
        Wrong::Deprecated(..) => moved_keys(&violation.path, violation.value),
        _ => None,
    };
    Mismatch { finding: finding(violation, files, file), moved_keys }
}

fn finding(violation: &Violation<'_>, files: &Files, file: FileId) -> Diagnostic {
    let Violation { path, value, wrong } = violation;
    let what = if path.is_empty() { "a manifest".to_owned() } else { format!("`{path}`") };
    let here = || label(&value.prov, file, "");
    let new = |message: String| Diagnostic::new(&rules::SCHEMA_VIOLATION, message, here());
    let at_key = |rule, key: &str, message: String| {
        Diagnostic::new(rule, message, key_label(value, key, files, file)).token(key)
    };
    let finding = match wrong {
        Wrong::Kind(kinds) => wrong_kind(&what, path, kinds, value, file),
        Wrong::Word(words) => {
            let found = value.as_str().unwrap_or_default();
            let finding = new(format!("{what} must be {}, not `{found}`", one_of(words))).token(found);
            match crate::text::nearest(found, words.iter().copied()) {
                Some(word) => finding.help(format!("did you mean `{word}`?")),
                None => finding,
            }
        }
        Wrong::Call => new(format!("{what} is a quoted `!include`, which is not evaluated"))
            .help("remove the quotes, so that the file is included"),
        Wrong::Range(range) => new(format!("{what} must be {}", range_words(range))),
        Wrong::Empty => new(format!("{what} must not be empty")),
        Wrong::Repeated(first) => {
            let found = value.as_str().unwrap_or_default();
            new(format!("`{}` lists `{found}` twice", list_path(path)))
                .token(found)
                .related(label(&first.prov, file, "listed here already"))
                .help("remove one of them")
        }
        Wrong::Key(APPEND_KEY, _) => {
            new(format!("{} must be a map: `!append` is for lists", parent_words(path, APPEND_KEY))).token("!append")
        }
        Wrong::Key(key, map) => not_allowed(path, key, map, key_label(value, key, files, file)),
        Wrong::Name(name, signs) => {
            let signs = signs.chars().map(sign).collect::<Vec<_>>().join(" ");
            let message = format!("`{name}` cannot be a name in {}", parent_words(path, name));
            at_key(&rules::SCHEMA_VIOLATION, name, message)
                .help(format!("a name consists of the letters a to z, digits and {signs}"))
        }
        Wrong::Typo(key, near) => {
            let message = format!("`{key}` has no meaning in {}", parent_words(path, key));
            rename_key(at_key(&rules::UNKNOWN_KEY, key, message), near)
        }
        Wrong::Deprecated(key, replacement) => {
            let message = format!("`{path}` is deprecated");
            at_key(&rules::DEPRECATED_KEY, key, message).help(format!("use `{replacement}`"))
        }
        Wrong::Lacks(key) => new(format!("{what} lacks the required key `{key}`")).token(*key),
        Wrong::ExactlyOne(keys, 0) => new(format!("{what} needs {}", one_of(keys))),
        Wrong::ExactlyOne(keys, _) => new(format!("{what} may have only {}", one_of(keys))),
        Wrong::OneGroup(groups) => {
            let groups: Vec<String> = groups.iter().map(group_words).collect();
            new(format!("{what} needs {}", groups.join(", or ")))
        }
        Wrong::Demands(key, other, word) => {
            new(format!("{what} needs `{other}: {word}`, because its `{key}` is a map")).token(*other)
        }
    };
    included_from(finding, value, file)
}

/// The finding for a value of the wrong kind.
fn wrong_kind(what: &str, path: &str, kinds: &[&str], value: &Value, file: FileId) -> Diagnostic {
    let message = format!("{what} must be {}, not {}", one_of_kinds(kinds), value.a_kind());
    let is_section = kinds == ["map"] && !path.ends_with(']');
    let rule = if is_section { &rules::NON_MAPPING_SECTION } else { &rules::SCHEMA_VIOLATION };
    let finding = Diagnostic::new(rule, message, label(&value.prov, file, ""));
    match kind_help(kinds, value) {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// The finding for a key that its map does not take.
fn not_allowed(path: &str, key: &str, map: &'static Map, place: Label) -> Diagnostic {
    let rule = rule_of_key(path.strip_suffix(key).unwrap_or_default().trim_end_matches('.'), key);
    let message = format!("`{key}` is not allowed in {}", parent_words(path, key));
    let finding = Diagnostic::new(rule, message, place).token(key);
    match near(key, map) {
        Some(near) => rename_key(finding, near),
        None => finding.help(allowed(map)),
    }
}

/// The keys of a group, with the words that some of them take.
fn group_words(group: &super::shape::Group) -> String {
    let keys: Vec<String> = group
        .iter()
        .map(|(key, words)| match words {
            [] => format!("`{key}`"),
            words => format!("`{key}` ({})", words.join(" or ")),
        })
        .collect();
    keys.join(" with ")
}

/// Names the place of the `!include` that brought a value here.
fn included_from(finding: Diagnostic, value: &Value, file: FileId) -> Diagnostic {
    let Some(origin) = value.prov.origin.filter(|o| o.file != file) else { return finding };
    let mut site: Option<Origin> = None;
    value.prov.for_each_input(&mut |input| {
        if input.file == file && site.is_none() && input != origin {
            site = Some(input);
        }
    });
    match site {
        Some(site) => finding.related(Label::at(site, "included here")),
        None => finding,
    }
}

/// Whether it is a key without a meaning whose value has an anchor: it is there to be referred to.
pub(in crate::dialects::atmos) fn is_helper(violation: &Violation<'_>, files: &Files) -> bool {
    let Some(origin) = violation.value.prov.origin.filter(|_| matches!(violation.wrong, Wrong::Typo(..))) else {
        return false;
    };
    let text = &files.get(origin.file).text;
    let before = text.get(origin.key as usize..=origin.start as usize).unwrap_or_default();
    before.contains('&')
}

/// Returns the label of a key, if it can be found.
pub(crate) fn key_label(value: &Value, key: &str, files: &Files, file: FileId) -> Label {
    let Some(origin) = value.prov.origin else { return label(&value.prov, file, "") };
    let text = &files.get(origin.file).text;
    let at = origin.key as usize;
    let rest = text.get(at..).unwrap_or_default();
    let quoted = |q: char| rest.strip_prefix(q).is_some_and(|r| r.strip_prefix(key).is_some_and(|r| r.starts_with(q)));
    let length = match () {
        () if origin.key == origin.start => 0,
        () if rest.starts_with(key) => key.len(),
        () if quoted('"') || quoted('\'') => key.len() + 2,
        () => 0,
    };
    match length {
        0 => Label::at(origin, ""),
        length => Label::new(origin.file, origin.key, origin.key + length as u32, ""),
    }
}

/// Proposes another key, as help and as a fix.
pub(crate) fn rename_key(finding: Diagnostic, near: &str) -> Diagnostic {
    let Label { file, start, end, .. } = finding.primary;
    let whole_key = finding.token.as_ref().is_some_and(|t| t.len() as u32 == end - start);
    let finding = finding.help(format!("did you mean `{near}`?"));
    if !whole_key {
        return finding;
    }
    let edit = Edit { file, start, end, text: near.to_owned() };
    finding.fix(Fix::one(format!("rename to `{near}`"), edit, Applicability::Unsafe))
}

/// Proposes to move an entry to the path of `wanted`.
pub(crate) fn move_entry(finding: Diagnostic, wanted: Move<'_>, files: &Files) -> Diagnostic {
    let fix = proposed_move(&finding, wanted, files);
    Diagnostic { fix, ..finding }
}

fn proposed_move(finding: &Diagnostic, wanted: Move<'_>, files: &Files) -> Option<Fix> {
    let Label { file, start, .. } = finding.primary;
    let replacements = relocate(&files.get(file), start, wanted)?;
    let edit = |(range, text): Replacement| Edit { file, start: range.start as u32, end: range.end as u32, text };
    Some(Fix {
        title: format!("move to `{}`", wanted.to.join(".")),
        edits: replacements.into_iter().map(edit).collect(),
        applicability: Applicability::Unsafe,
    })
}

/// How many keys move where `depends_on` becomes a list of `dependencies`, if it only names components: its other forms have no direct
/// counterpart.
fn moved_keys(path: &str, value: &Value) -> Option<usize> {
    let names_component = |entry: &Value| {
        let map = entry.as_map().filter(|map| map.len() == 1);
        map.and_then(|map| map.get("component")).is_some_and(|name| name.as_str().is_some())
    };
    let entries = value.as_map().filter(|map| !map.is_empty())?;
    let is_section = path == "settings.depends_on" || path.starts_with("components.");
    let is_plain = is_section && entries.iter().all(|entry| names_component(&entry.value));
    is_plain.then(|| if path.ends_with("settings.depends_on") { 2 } else { 1 })
}

/// Lists the keys that a map allows, as advice.
fn allowed(map: &Map) -> String {
    let mut keys: Vec<&str> = map.keys.iter().filter(|k| k.replacement.is_none()).map(|k| k.name).collect();
    keys.sort_unstable();
    let more = keys.len().saturating_sub(LISTED);
    keys.truncate(LISTED);
    let mut text = keys.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    debug_assert!(matches!(map.rest, Rest::Closed), "only a closed map refuses a key");
    format!("allowed here: {text}")
}

/// Describes the map of a key: ``the top level of a manifest`` or the path without the key.
fn parent_words(path: &str, key: &str) -> String {
    let parent = path.strip_suffix(key).unwrap_or_default().trim_end_matches('.');
    if parent.is_empty() { "a manifest".to_owned() } else { format!("`{parent}`") }
}

fn list_path(path: &str) -> &str {
    path.rsplit_once('[').map_or(path, |(list, _)| list)
}

/// Kinds as a phrase: `a map or a list`.
pub(crate) fn one_of_kinds(kinds: &[&str]) -> String {
    let words: Vec<String> = kinds.iter().map(|k| format!("a {k}")).collect();
    match words.as_slice() {
        [] => "a value".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    format!("one of {}", quoted.join(", "))
}

fn kind_help(kinds: &[&str], value: &Value) -> Option<String> {
    let appended = value.as_map().is_some_and(|m| m.has(APPEND_KEY));
    if appended {
        return Some("Atmos takes no `!append` here".to_owned());
    }
    if value.is_null() {
        return match kinds {
            ["map"] => Some("write `{}` for an empty one, or remove the key".to_owned()),
            [.., "list"] => Some("write `[]` for an empty one, or remove the key".to_owned()),
            _ => None,
        };
    }
    let text = value.as_str()?;
    if kinds == ["boolean"] && matches!(text.to_ascii_lowercase().as_str(), "true" | "false") {
        return Some("remove the quotes".to_owned());
    }
    if kinds == ["boolean"] && matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "on" | "off") {
        return Some("YAML as Atmos reads it knows `true` and `false` only".to_owned());
    }
    if kinds != ["string"] && text.contains("{{") {
        return Some("a template that waits for the component is text when the manifest is checked".to_owned());
    }
    None
}

fn range_words(range: &Range) -> String {
    let mut out = if range.whole { "a whole number" } else { "a number" }.to_owned();
    match (range.min, range.max, range.above) {
        (Some(min), Some(max), _) => out.push_str(&format!(" from {min} to {max}")),
        (Some(min), None, _) => out.push_str(&format!(" of at least {min}")),
        (None, Some(max), _) => out.push_str(&format!(" of at most {max}")),
        (None, None, Some(above)) => out.push_str(&format!(" greater than {above}")),
        (None, None, None) => {}
    }
    out
}

fn sign(c: char) -> String {
    if c == ' ' { "spaces".to_owned() } else { format!("`{c}`") }
}
