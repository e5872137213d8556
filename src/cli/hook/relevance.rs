//! Whether a commit can affect configuration at all, determined without resolving anything.
//!
//! Configuration is written in a few kinds of files, and a change of one of these always can. Any other file matters
//! only if a configuration file names it, in full or by a pattern that matches its extension. (A manifest with another
//! extension, `import: [notes.txt]`, is not searched for the names of further files.)

use crate::source::{Change, Entry, EntryKind, Listing, Source};
use regex::bytes::Regex;
use std::collections::BTreeSet;

/// The extensions of files that configuration, or the code that it configures, is written in.
const KINDS: [&str; 16] = [
    "yaml",
    "yml",
    "json",
    "json5",
    "jsonc",
    "toml",
    "hcl",
    "tf",
    "tofu",
    "tfvars",
    "tmpl",
    "gotmpl",
    "tpl",
    "j2",
    // Files of variables and of exclusions, which are read without being named.
    "env",
    "gardenignore",
];
/// With more names than this, searching for each of them is not worthwhile.
const MAX_NAMES: usize = 200;
/// Matches a pattern for any extension: `v1.*`, `v1.{md,txt}`, `v1.[a-z]`, `v1.?d`.
const ANY_EXTENSION: &str = r"\.(?:[*\[?]|\{[^{])";
/// Matches an extension that a template computes: `v1.{{ .extension }}`.
const COMPUTED_EXTENSION: &str = r"\.\{\{";

/// Whether the changes from `base` to `head` can affect configuration. Returns `true` when in doubt.
pub(super) fn can_matter(changes: &[Change], base: &dyn Source, head: &dyn Source) -> bool {
    let is_plain = |change: &Change| {
        let entries = [base, head].map(|side| side.listing().get(&change.path));
        let is_file = |e: &&Entry| matches!(e.kind, EntryKind::File | EntryKind::Executable) && !e.lossy;
        !is_configuration(&change.path) && entries.iter().flatten().all(is_file)
    };
    if changes.is_empty() {
        return false;
    }
    if !changes.iter().all(is_plain) {
        return true;
    }
    let paths = || changes.iter().map(|change| &*change.path);
    let names: BTreeSet<&str> = paths().map(name).chain(paths().filter_map(extension)).collect();
    if names.len() > MAX_NAMES {
        return true;
    }
    let words: BTreeSet<&str> = paths().filter_map(extension).map(|extension| &extension[1..]).collect();
    let named = pattern(names.into_iter().map(regex::escape).chain([ANY_EXTENSION.to_owned()]));
    let computed = pattern([COMPUTED_EXTENSION.to_owned()]);
    let worded = pattern(words.into_iter().map(|word| format!(r"\b{}\b", regex::escape(word))));
    let (Some(named), Some(computed), Some(worded)) = (named, computed, worded) else { return true };
    let texts = head.read_many(&texts(head.listing()));
    let any = |pattern: &Regex| texts.iter().any(|text| text.as_ref().map_or(true, |text| pattern.is_match(text)));
    // The parts of a name that a template composes occur somewhere as text.
    any(&named) || (any(&computed) && any(&worded))
}

/// Returns a pattern that matches any of the parts; `None` if there are none.
fn pattern(parts: impl IntoIterator<Item = String>) -> Option<Regex> {
    let parts: Vec<String> = parts.into_iter().collect();
    let nothing = r"[^\s\S]".to_owned();
    Regex::new(&if parts.is_empty() { nothing } else { parts.join("|") }).ok()
}

fn is_configuration(path: &str) -> bool {
    // `stack.yaml.tmpl`, `prod.auto.tfvars`: any part of the name counts.
    name(path).split('.').skip(1).any(|part| KINDS.iter().any(|kind| part.eq_ignore_ascii_case(kind)))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// With its dot.
fn extension(path: &str) -> Option<&str> {
    let name = name(path);
    name.rfind('.').map(|dot| &name[dot..]).filter(|extension| extension.len() > 1)
}

/// The files that could name others; the code of a root module does (`file("policy.txt")`).
fn texts(listing: &Listing) -> Vec<&Entry> {
    listing.iter().filter(|e| e.kind != EntryKind::Submodule && is_configuration(&e.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Memory, changed};
    use std::collections::BTreeMap;

    /// A manifest that both sides have, and what else each has.
    fn matters(manifest: &str, base: &[&str], head: &[&str]) -> bool {
        let side = |paths: &[&str], content: &str| {
            let mut files: BTreeMap<String, Vec<u8>> =
                paths.iter().map(|path| ((*path).to_owned(), content.as_bytes().to_vec())).collect();
            files.entry("stacks/dev.yaml".to_owned()).or_insert(manifest.as_bytes().to_vec());
            Memory::new("side", files)
        };
        let (base, head) = (side(base, "one"), side(head, "two"));
        can_matter(&changed(base.listing(), head.listing()), &base, &head)
    }

    #[test]
    fn configuration_always_can() {
        for path in [
            "a.yaml",
            "x/A.YML",
            "a.yaml.tmpl",
            "atmos.yaml",
            "b.json",
            "main.tf",
            "x.auto.tfvars",
            "stacklint.toml",
            "garden.env",
            "garden.dev.env",
            ".gardenignore",
            "x/.env",
        ] {
            assert!(matters("vars: {}", &[path], &[path]), "{path} changes");
            assert!(matters("vars: {}", &[], &[path]), "{path} comes");
            assert!(matters("vars: {}", &[path], &[]), "{path} goes");
        }
    }

    #[test]
    fn other_files_can_if_they_are_named() {
        let doc = ["docs/guide.md"];
        for (manifest, expected) in [
            ("vars: {}", false),
            ("vars: {a: !include docs/guide.md}", true),
            ("vars: {a: !include docs/*.md}", true),
            ("vars: {a: !include 'docs/{{ .x }}.md'}", true),
            ("import: ['docs/guide.*']", true),
            ("import: ['docs/guide.{md,txt}']", true),
            ("import: ['docs/*']", false),
            ("vars: {dns: 'a.{{ .zone }}'}", false),
            ("import: ['docs/guide.{{ .kind }}']\nvars: {kind: md}", true),
        ] {
            assert_eq!(matters(manifest, &doc, &doc), expected, "{manifest}");
        }
        assert!(matters("vars: {a: !include LICENSE}", &["LICENSE"], &["LICENSE"]));
        assert!(!matters("vars: {}", &["LICENSE", ".gitignore"], &["LICENSE", ".gitignore"]));
    }

    #[test]
    fn links_and_very_many_files_can() {
        let files = BTreeMap::new();
        let link = BTreeMap::from([("docs".to_owned(), "stacks".to_owned())]);
        let (base, head) = (Memory::new("base", files.clone()), Memory::with_links("head", files, link));
        assert!(can_matter(&changed(base.listing(), head.listing()), &base, &head));
        let many: Vec<String> = (0..300).map(|i| format!("docs/{i}.md")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(matters("vars: {}", &[], &many));
        assert!(!matters("import: ['a.*']", &[], &[]));
    }
}
