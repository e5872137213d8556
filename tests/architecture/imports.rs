//! The import table of `CONTRIBUTING.md`, held against the source.

use crate::{Source, root, sources};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What each module may import, from the table of `CONTRIBUTING.md`: rows of `| modules | responsibility | invariant | imports |`,
/// each module in backticks, sorted from the bottom up.
fn table() -> Vec<(String, BTreeSet<String>)> {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let section = text.split_once("\n## Modules\n").expect("a section about modules").1;
    let section = section.split("\n## ").next().unwrap_or_default();
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`(\w+)/?`").unwrap());
    let names = |cell: &str| NAME.captures_iter(cell).map(|c| c[1].to_owned()).collect::<Vec<_>>();
    let mut rows: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [modules, _, _, imports] = cells[..] else { panic!("four cells: {line}") };
        let mut may: BTreeSet<String> = names(imports).into_iter().collect();
        if imports.trim().starts_with("all above") {
            let except = std::mem::take(&mut may);
            may = rows.iter().map(|(module, _)| module.clone()).filter(|module| !except.contains(module)).collect();
        }
        rows.extend(names(modules).into_iter().map(|module| (module, may.clone())));
    }
    rows
}

/// Crates of this workspace by the names that they have in the table.
const CRATES: [(&str, &str); 4] =
    [("shared_text", "text"), ("go_compat", "go"), ("spanned_yaml", "yaml"), ("go_template", "template")];

/// The modules and crates that a file imports, each with the first line that does.
fn imports(source: &Source, modules: &BTreeSet<&str>) -> BTreeMap<String, String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bcrate::(\w+|\{)").unwrap());
    static LISTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|,)\s*(\w+)").unwrap());
    let mut found = BTreeMap::new();
    let code: Vec<&str> = source.text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut code = code.join("\n");
    for (name, in_table) in CRATES {
        let path = Regex::new(&format!(r"(^|[\s(<&\[!,]){name}::")).unwrap();
        code = path.replace_all(&code, format!("${{1}}crate::{in_table}::")).into_owned();
    }
    for captures in PATH.captures_iter(&code) {
        let whole = captures.get(0).unwrap();
        let line = code[whole.start()..].lines().next().unwrap_or_default();
        let names: Vec<String> = match &captures[1] {
            "{" => {
                let list = code[whole.end()..].split('}').next().unwrap_or_default();
                LISTED.captures_iter(list).map(|c| c[1].to_owned()).collect()
            }
            name => vec![name.to_owned()],
        };
        for name in names.into_iter().filter(|name| modules.contains(name.as_str()) && name != source.module()) {
            found.entry(name).or_insert_with(|| line.to_owned());
        }
    }
    found
}

#[test]
fn modules_import_what_the_table_allows() {
    let table: BTreeMap<String, BTreeSet<String>> = table().into_iter().collect();
    let sources = sources();
    let modules: BTreeSet<&str> = sources.iter().map(Source::module).filter(|module| !module.is_empty()).collect();
    let listed: BTreeSet<&str> = table.keys().map(String::as_str).collect();
    let missing: Vec<_> = modules.difference(&listed).collect();
    assert!(missing.is_empty(), "the table of CONTRIBUTING.md lacks {missing:?}");
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|source| !source.module().is_empty()) {
        for (module, line) in imports(source, &listed) {
            if !table[source.module()].contains(&module) {
                wrong.push(format!("src/{} imports `{module}`: {line}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "not allowed by the table of CONTRIBUTING.md:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_cycle() {
    let mut above: BTreeSet<String> = BTreeSet::new();
    let table = table();
    for (i, (module, may)) in table.iter().enumerate() {
        let same_row = |other: &str| table[..i].iter().chain(&table[i..]).any(|(m, set)| m == other && set == may);
        let unknown: Vec<&String> = may.iter().filter(|m| !above.contains(*m) && !same_row(m)).collect();
        assert!(unknown.is_empty(), "`{module}` imports {unknown:?}, which the table lists below it");
        above.insert(module.clone());
    }
}

#[test]
fn imports_are_found_in_lists_and_paths() {
    let modules = BTreeSet::from(["value", "yaml", "text", "files"]);
    let modules = modules.into_iter().chain(["go"]).collect();
    let text = "use crate::{text::Text, yaml};\nuse go_compat::path;\n// crate::files\nfn f() { crate::value::f() }\n"
        .to_owned();
    let found = imports(&Source { path: "diff/mod.rs".to_owned(), text }, &modules);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["go", "text", "value", "yaml"]);
}

#[test]
fn dialects_do_not_know_each_other() {
    let sources = sources();
    let dialect = |path: &str| path.strip_prefix("dialects/")?.split_once('/').map(|(name, _)| name.to_owned());
    let dialects: BTreeSet<String> = sources.iter().filter_map(|source| dialect(&source.path)).collect();
    assert!(dialects.len() > 1);
    for source in &sources {
        let Some(own) = dialect(&source.path) else { continue };
        for other in dialects.iter().filter(|other| **other != own) {
            let path = format!("dialects::{other}");
            assert!(!source.text.contains(&path), "src/{} imports {path}", source.path);
        }
    }
}
