//! The stages of dialects that list them in a table at the top of their `mod.rs`, held against the source.

use crate::cycles::paths;
use crate::{Source, sources};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Dialects that have such a table.
const STAGED: [&str; 1] = ["atmos"];

/// Stages that import a later one, `(dialect, stage, later stage)`. They may only become fewer.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// In how many files a type of such a dialect may have `impl` blocks.
const MOST_FILES: usize = 2;

/// The stages of a dialect, the first one first: the rows ``| `name` | ... |`` in the documentation of its module.
fn stages(module: &Source) -> Vec<String> {
    static ROW: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^//! \| `(\w+)` \|").unwrap());
    module.text.lines().filter_map(|line| Some(ROW.captures(line)?[1].to_owned())).collect()
}

/// The stage of a file of a dialect; nothing for the module of the dialect itself.
fn stage<'a>(path: &'a str, dialect: &str) -> Option<&'a str> {
    let below = path.strip_prefix("dialects/")?.strip_prefix(dialect)?.strip_prefix('/')?;
    let first = below.split('/').next().unwrap_or(below).trim_end_matches(".rs");
    (first != "mod").then_some(first)
}

/// What a file of a stage imports that is neither of its own stage nor of one above it.
fn later(source: &Source, dialect: &str, stages: &[String]) -> BTreeSet<String> {
    let Some(own) = stage(&source.path, dialect) else { return BTreeSet::new() };
    let place = stages.iter().position(|stage| stage == own).unwrap_or(0);
    let root = format!("dialects::{dialect}::");
    let imported = paths(source).into_iter().filter_map(|path| {
        let name = path.strip_prefix(&root)?.split("::").next()?.to_owned();
        let is_known = stages[..=place].contains(&name);
        (!is_known).then_some(name)
    });
    imported.collect()
}

#[test]
fn stages_import_only_stages_above_them() {
    let sources = sources();
    for dialect in STAGED {
        let module = format!("dialects/{dialect}/mod.rs");
        let module = sources.iter().find(|source| source.path == module).expect("a dialect");
        let stages = stages(module);
        let there: BTreeSet<&str> = sources.iter().filter_map(|source| stage(&source.path, dialect)).collect();
        let listed: BTreeSet<&str> = stages.iter().map(String::as_str).collect();
        assert_eq!(there, listed, "the table of stages in src/{} and its folders differ", module.path);
        let mut allowed: BTreeSet<(&str, &str)> =
            EXCEPTIONS.iter().filter(|(of, ..)| *of == dialect).map(|(_, from, to)| (*from, *to)).collect();
        let mut used = BTreeSet::new();
        let mut wrong = Vec::new();
        for source in &sources {
            for to in later(source, dialect, &stages) {
                let from = stage(&source.path, dialect).unwrap_or_default();
                match allowed.iter().find(|exception| **exception == (from, to.as_str())) {
                    Some(exception) => _ = used.insert(*exception),
                    None => wrong.push(format!("src/{} imports `{to}`, which is no stage above `{from}`", source.path)),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        allowed.retain(|exception| !used.contains(exception));
        assert!(allowed.is_empty(), "no longer needed: {allowed:?}");
    }
}

#[test]
fn types_of_stages_are_implemented_in_few_files() {
    static BLOCK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^impl(?:<[^{]*?>)? (?:[\w:]+(?:<[^{]*?>)? for )?(\w+)").unwrap());
    static DECLARED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:pub(?:\([^)]*\))? )?(?:struct|enum) (\w+)").unwrap());
    let sources = sources();
    for dialect in STAGED {
        let own: Vec<&Source> =
            sources.iter().filter(|s| s.path.starts_with(&format!("dialects/{dialect}/"))).collect();
        // Types of the same name are distinguished by the folder that declares them.
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in &own {
            for name in DECLARED.captures_iter(&source.text) {
                homes.entry(name[1].to_owned()).or_default().insert(folder(&source.path));
            }
        }
        let mut files: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        for source in &own {
            for name in BLOCK.captures_iter(&source.text) {
                let Some(homes) = homes.get(&name[1]) else { continue };
                let here = folder(&source.path);
                let home = homes.iter().filter(|home| here.starts_with(home.as_str())).max_by_key(|home| home.len());
                let Some(home) = home.or_else(|| homes.first().filter(|_| homes.len() == 1)) else { continue };
                files.entry((home.clone(), name[1].to_owned())).or_default().insert(&source.path);
            }
        }
        let wrong: Vec<_> = files.iter().filter(|(_, files)| files.len() > MOST_FILES).collect();
        assert!(files.len() > 50, "types are found");
        assert!(wrong.is_empty(), "split these types, or take what functions need as arguments: {wrong:#?}");
    }
}

#[test]
fn later_stages_are_found() {
    let module = |text: &str| Source { path: "dialects/x/mod.rs".to_owned(), text: text.to_owned() };
    let stages = stages(&module("//! | stage | what |\n//! |---|---|\n//! | `a` | reads |\n//! | `b` | merges |\n"));
    assert_eq!(stages, ["a", "b"]);
    let found = |path: &str, text: &str| {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        later(&source, "x", &stages).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(found("dialects/x/b/c.rs", "use crate::dialects::x::{a, b::D};\nuse super::super::a::E;"), [""; 0]);
    assert_eq!(found("dialects/x/a.rs", "fn f() { super::b::g() }"), ["b"]);
    assert_eq!(
        found("dialects/x/a/c.rs", "use crate::dialects::x::{X, b};\n// use crate::dialects::x::Y;"),
        ["X", "b"]
    );
}

/// The scratch dialect is what a new one needs at least: one short file, and a line in the list.
#[test]
fn a_dialect_is_one_file_and_a_line_in_the_list() {
    let known: Vec<String> =
        sources().into_iter().filter(|s| s.text.contains("scratch_dialect")).map(|s| s.path).collect();
    assert_eq!(known, ["dialects/mod.rs"]);
    let text = std::fs::read_to_string(crate::root().join("tests/architecture/scratch_dialect.rs")).unwrap();
    let lines =
        crate::production(&text).lines().filter(|line| !line.trim().is_empty() && !line.starts_with("use ")).count();
    assert!(lines <= 60, "the smallest dialect has {lines} lines");
}
