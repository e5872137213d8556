//! Import cycles between the files of a package.

use crate::{Source, packages};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// How many files may import each other.
const MOST: usize = 3;

/// The files that each file imports, by their paths as modules.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn module(path: &str) -> String {
    let path = path.trim_end_matches(".rs");
    path.strip_suffix("/mod").unwrap_or(path).replace('/', "::")
}

/// The paths of a `use` declaration: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn expand(declaration: &str) -> Vec<String> {
    let Some((before, list)) = declaration.split_once('{') else { return vec![declaration.to_owned()] };
    let list = list.strip_suffix('}').unwrap_or(list);
    let (mut depth, mut start) = (0, 0);
    let mut paths = Vec::new();
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                paths.extend(expand(&list[start..at]).into_iter().map(|path| format!("{before}{path}")));
                start = at + 1;
            }
            _ => {}
        }
    }
    paths
}

/// A path seen from a module, from the root of the crate; nothing for a path to another crate.
fn absolute(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split("::").collect();
    match parts.first() {
        Some(&"crate") => Some(parts[1..].join("::")),
        Some(&"super") => {
            let mut base: Vec<&str> = from.split("::").collect();
            while parts.first() == Some(&"super") {
                base.pop();
                parts.remove(0);
            }
            base.extend(parts);
            Some(base.join("::"))
        }
        _ => None,
    }
}

/// The file that a path from the root of the crate leads to, seen from a module; nothing for its own parents and children.
fn target(from: &str, path: &str, modules: &BTreeSet<String>) -> Option<String> {
    let mut parts: Vec<&str> = path.split("::").collect();
    while !parts.is_empty() && !modules.contains(&parts.join("::")) {
        parts.pop();
    }
    let found = parts.join("::");
    let is_family = |a: &str, b: &str| a == b || a.strip_prefix(b).is_some_and(|rest| rest.starts_with("::"));
    (!found.is_empty() && !is_family(from, &found) && !is_family(&found, from)).then_some(found)
}

/// The paths that a file names, from the root of the crate: those that it declares with `use`, and those in its code.
pub(crate) fn paths(source: &Source) -> Vec<String> {
    static DECLARATION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);").unwrap());
    static INLINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::\w+)+").unwrap());
    let from = module(&source.path);
    let code: Vec<&str> = source.text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let declared = DECLARATION.captures_iter(&code).flat_map(|c| expand(&c[1].split_whitespace().collect::<String>()));
    let written = INLINE.find_iter(&code).map(|path| path.as_str().to_owned());
    declared.chain(written).filter_map(|path| absolute(&from, &path)).collect()
}

fn imports(sources: &[Source]) -> Imports {
    let modules: BTreeSet<String> = sources.iter().map(|source| module(&source.path)).collect();
    let imports = sources.iter().map(|source| {
        let from = module(&source.path);
        let targets = paths(source).iter().filter_map(|path| target(&from, path, &modules)).collect();
        (from, targets)
    });
    imports.collect()
}

/// What a file imports, and what that imports, and so on.
fn reached<'a>(from: &'a str, imports: &'a Imports) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(at) = next.pop() {
        for target in imports.get(at).into_iter().flatten() {
            if reached.insert(target.as_str()) {
                next.push(target);
            }
        }
    }
    reached
}

/// The groups of files that import each other, each sorted.
fn cycles(imports: &Imports) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|from| (from.as_str(), reached(from, imports))).collect();
    let group = |from: &str| -> Vec<&str> {
        reached[from].iter().copied().filter(|to| reached.get(to).is_some_and(|back| back.contains(from))).collect()
    };
    imports.keys().map(|from| group(from)).filter(|group| !group.is_empty()).collect()
}

#[test]
fn few_files_import_each_other() {
    for (folder, sources) in packages() {
        let imports = imports(&sources);
        let count = imports.values().map(BTreeSet::len).sum::<usize>();
        assert!(folder != "src" || count > sources.len(), "imports are found");
        let found = cycles(&imports);
        let wrong: Vec<_> = found.iter().filter(|group| group.len() > MOST).collect();
        assert!(wrong.is_empty(), "these files of {folder} import each other: {wrong:#?}");
    }
}

#[test]
fn cycles_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let sources = [
        source("a/mod.rs", "mod b;\nuse crate::d;"),
        source("a/b.rs", "use super::{\n    c::{self, C},\n    x,\n};"),
        source("a/c.rs", "fn f() { crate::e::f() }"),
        source("d.rs", "// use crate::a;"),
        source("e.rs", "pub(crate) use crate::a::b::B as D;"),
    ];
    let imports = imports(&sources);
    assert_eq!(cycles(&imports), BTreeSet::from([vec!["a::b", "a::c", "e"]]));
}
