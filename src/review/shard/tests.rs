#![allow(clippy::disallowed_methods, reason = "these tests read fixtures")]

use super::*;
use crate::dialects::Project;
use crate::report::merge::{self, merge};
use crate::report::{Format, RenderOptions, Report};
use crate::review::{self, Filter, NoHost, Overrides, Request, Workspace};
use crate::rules::Group;
use crate::source::Memory;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value as Json;
use std::path::Path;

type Texts = BTreeMap<String, Vec<u8>>;

#[test]
fn a_shard_is_one_of_several() {
    assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
    assert_eq!("1/1".parse(), Ok(Shard { index: 1, of: 1 }));
    let wrong =
        ["", "x", "1", "1/", "/3", "0/3", "4/3", "0/0", "1/0", "-1/3", "+1/3", "1/3/4", "1.5/3", "1 /3", "1/99999999"];
    for text in wrong {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}

fn read(folder: &Path, prefix: &str, into: &mut Texts) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        match entry.path().is_dir() {
            true => read(&entry.path(), &format!("{name}/"), into),
            false => {
                into.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
}

/// The projects of all systems that tests share.
fn fixtures() -> Vec<(String, Texts)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let planted = std::fs::read_dir(root.join("planting")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["review/head", "infra/head", "demo/head", "demo-garden/head", "demo-opentofu/head"];
    let mut folders: Vec<_> = planted.chain(others.map(|name| root.join(name))).collect();
    folders.sort();
    let texts = |folder: &Path| {
        let mut texts = Texts::new();
        read(folder, "", &mut texts);
        texts
    };
    folders.iter().map(|folder| (folder.display().to_string(), texts(folder))).collect()
}

/// The report of a check in a format; `None` if there is nothing to check.
fn report(texts: &Texts, shard: Option<Shard>, format: Format) -> Option<String> {
    let source = Memory::new("memory", texts.clone());
    let project = Project::default();
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let overrides = Overrides { groups: Group::ALL.to_vec(), ..Overrides::default() };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None, shard };
    let review = review::check(&source, &workspace, &request).ok()?;
    let mut out = Vec::new();
    format.write(&mut out, &Report::of(&review, None), &RenderOptions::default()).unwrap();
    Some(String::from_utf8(out).unwrap())
}

/// The reports of all shards as one.
fn merged(texts: &Texts, of: usize, format: Format) -> Json {
    let shards = (1..=of).map(|index| Shard { index, of });
    let reports: Vec<String> = shards.map(|shard| report(texts, Some(shard), format).unwrap()).collect();
    let sources: Vec<merge::Source<'_>> = reports.iter().map(|text| merge::Source { name: "report", text }).collect();
    let names = crate::dialects::Dialects::names();
    let mut out = Vec::new();
    merge(&sources, &names).unwrap_or_else(|e| panic!("{e}")).write(&mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Makes sure that the shards of a check tell together what it tells by itself.
fn same(name: &str, texts: &Texts, of: usize, format: Format) {
    let Some(whole) = report(texts, None, format) else { return };
    let whole: Json = serde_json::from_str(&whole).unwrap();
    let parts = merged(texts, of, format);
    let [a, b] = [&whole, &parts].map(|json| serde_json::to_string_pretty(json).unwrap());
    let different = a.lines().zip(b.lines()).position(|(a, b)| a != b);
    let around = |text: &str| {
        let lines = text.lines().skip(different.unwrap_or_default().saturating_sub(12));
        lines.take(40).collect::<Vec<_>>().join("\n")
    };
    assert!(whole == parts, "{name} in {of} shards:\n--- the whole\n{}\n--- the shards\n{}", around(&a), around(&b));
}

#[test]
fn the_shards_of_all_systems_tell_what_the_whole_tells() {
    for (number, (name, texts)) in fixtures().into_iter().enumerate() {
        same(&name, &texts, 3, Format::Json);
        // One shard is a check by itself, and SARIF describes all rules, which takes long.
        if number % 6 == 0 {
            same(&name, &texts, 1, Format::Json);
            same(&name, &texts, 2, Format::Sarif);
        }
    }
}

#[test]
fn the_shards_of_several_projects_tell_what_the_whole_tells() {
    let mut all = Texts::new();
    for (number, (_, texts)) in fixtures().into_iter().enumerate() {
        all.extend(texts.into_iter().map(|(path, text)| (format!("p{number}/{path}"), text)));
    }
    same("all", &all, 5, Format::Json);
}

/// What replaces a part of a file.
const PIECES: [&str; 18] = [
    "",
    "\n",
    ": ",
    "{",
    "]",
    "\"",
    "&a",
    "import: [x]\n",
    "\nvars: {stage: dev}\n",
    "{{ .x }}",
    "!terraform.state",
    "a: 1\na: 2\n",
    "{{ .locals.gone }}",
    "{{ fail \"x\" }}",
    "!terraform.stat x y",
    "${var.gone}",
    "!include gone.yaml",
    "metdata: 1\n",
];

proptest! {
    #![proptest_config(crate::fuzz::cases(8))]

    #[test]
    fn damaged_projects_are_told_in_shards_as_in_one(
        which: Index,
        damages in prop::collection::vec((any::<Index>(), any::<Index>(), 0..12_usize, select(&PIECES[..])), 1..4),
        of in 2..5_usize,
    ) {
        let all = fixtures();
        let (name, mut texts) = all[which.index(all.len())].clone();
        for (file, at, length, piece) in damages {
            let path = texts.keys().nth(file.index(texts.len())).unwrap().clone();
            let bytes = texts.get_mut(&path).unwrap();
            let start = at.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, piece.bytes());
        }
        same(&name, &texts, of, Format::Json);
    }
}
