//! Whole root modules of strangers: they end, their findings have places in their files, and the same comes out again.

use super::{OpenTofu, discovery};
use crate::dialects::{Dialect, Project, Scope};
use crate::files::Files;
use crate::hcl::parse::{Layout, parse_body};
use crate::resolution::{Resolution, State};
use crate::source::{Change, ChangeKind, Memory};
use crate::terraform::load::{Parsed, Runner};
use crate::terraform::module::modules::{Cache, Modules};
use crate::terraform::module::outline::FileOutline;
use crate::text::Text;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};

const MAIN: &str = "locals {\n  a = \"x-${var.stage}\"\n  b = [for r in var.regions : upper(r)]\n  c = local.a\n  d = fileexists(\"${path.module}/x.json\")\n}\n\nterraform {\n  \
                    required_version = \">= 1.6\"\n  backend \"s3\" {\n    bucket = local.a\n    key    = \"k\"\n  }\n  encryption {\n    \
                    key_provider \"pbkdf2\" \"p\" {\n      passphrase = \"correct-horse-battery\"\n    }\n    method \"aes_gcm\" \"m\" {\n      \
                    keys = key_provider.pbkdf2.p\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n\n\
                    provider \"aws\" {\n  alias    = \"r\"\n  for_each = toset(var.regions)\n}\n\nmodule \"m\" {\n  source = \"./m\"\n  \
                    name   = local.c\n}\n\nmoved {\n  from = module.n\n  to   = module.m\n}\n";
const VARIABLES: &str = "variable \"stage\" {\n  type    = string\n  default = \"dev\"\n}\n\nvariable \"regions\" {\n  type = list(string)\n}\n";

/// Pieces that are put in the place of others.
const PIECES: &[&str] = &[
    "",
    "{",
    "}",
    "\"",
    "${",
    "local.a",
    "local.c",
    "var.stage",
    "var.none",
    "module.m.x",
    "each.key",
    "./",
    "../",
    "./m",
    "for_each",
    "[",
    "]",
    "null",
    "1",
    "=",
    "\n",
    "provider",
    "encryption",
    "backend",
    "source",
    "<<EOT\n",
    "\u{0}",
    "é",
    "terraform.workspace",
    "file(\"main.tf\")",
    "range(2000)",
    "sensitive(",
    ")",
    "const = true\n",
    "optional(",
    "any",
    "object({})",
    "_ {",
    "*",
    "EOT\n",
    "<<-EOT\n",
    "# ",
    "/*",
    "*/",
    "path.module",
    "templatefile(path.root, ",
    "$${",
    "%{ if true }",
    "%{ endif }",
    "\\",
    "~}",
];

fn project() -> BTreeMap<String, String> {
    let files = [
        ("r/main.tf", MAIN),
        ("r/variables.tf", VARIABLES),
        ("r/x.auto.tfvars", "regions = [\"eu\", \"us\"]\n"),
        (
            "r/m/main.tf",
            "variable \"name\" {\n  type = string\n}\n\nmodule \"deep\" {\n  source = \"./${var.name}\"\n}\n",
        ),
        (
            "r/m/x-dev/main.tf.json",
            "{\"locals\": {\"j\": \"${1 + 1}\"}, \"output\": {\"o\": {\"value\": \"${local.j}\"}}}",
        ),
        ("s/main.tf", "module \"m\" {\n  source = \"../r/m\"\n  name   = \"x-dev\"\n}\n\nprovider \"x\" {}\n"),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// The path of a file, and its text with pieces in the place of others.
fn damage() -> impl Strategy<Value = (String, String)> {
    let cut = (any::<prop::sample::Index>(), 0..12_usize, select(PIECES));
    (any::<prop::sample::Index>(), vec(cut, 0..5)).prop_map(|(which, cuts)| {
        let files = project();
        let (path, mut text) = files.into_iter().nth(which.index(6)).expect("six files");
        for (at, length, piece) in cuts {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, piece);
        }
        (path, text)
    })
}

fn resolve(texts: &BTreeMap<String, String>, files: &Files, scope: Scope<'_>) -> Resolution {
    resolve_with(&OpenTofu::default(), texts, files, scope)
}

fn resolve_with(dialect: &OpenTofu, texts: &BTreeMap<String, String>, files: &Files, scope: Scope<'_>) -> Resolution {
    let bytes = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    dialect.resolve(&Memory::new("memory", bytes), &Project::default(), files, scope)
}

/// The components, the files and the findings as text.
fn all_shown(resolution: &Resolution, files: &Files) -> String {
    let path = |file: &crate::value::FileId| files.get(*file).path.clone();
    let units = resolution.units.iter();
    let read: Vec<_> = units.map(|unit| (&unit.name, unit.files.iter().map(path).collect::<BTreeSet<_>>())).collect();
    let findings =
        resolution.findings.iter().map(|f| (f.rule.id(), &f.message, path(&f.primary.file), f.primary.start));
    format!(
        "{:?} {read:?} {:?} {:?}",
        shown(resolution),
        findings.collect::<BTreeSet<_>>(),
        resolution.gap.as_ref().map(|gap| &gap.reason)
    )
}

/// The components of resolved units as text.
fn shown(resolution: &Resolution) -> BTreeMap<String, String> {
    let units = resolution.units.iter().filter(|unit| unit.state != State::OutOfScope);
    let components = |unit: &crate::resolution::Unit| {
        let one = |c: &std::sync::Arc<crate::resolution::Component>| {
            format!("{:?} {}", c.address(), serde_json::to_string(&c.value).unwrap_or_default())
        };
        unit.components.iter().map(one).collect::<Vec<_>>().join("\n")
    };
    units.map(|unit| (unit.name.to_string(), components(unit))).collect()
}

proptest! {
    #![proptest_config(crate::fuzz::cases(60))]

    /// The outline of a file shows the same as the parsed file.
    #[test]
    fn outlines_of_strangers((path, text) in damage()) {
        let parsed = parse_body(&text, Layout::Strict);
        if let (Some(outline), true) = (FileOutline::of_text(&text), parsed.errors.is_empty()) {
            let whole = Parsed { text: Text::from(&*text), body: parsed.body, errors: Vec::new() };
            prop_assert_eq!(outline, FileOutline::of(&whole), "{}", path);
        }
    }

    #[test]
    fn roots_of_strangers((path, text) in damage()) {
        let mut texts = project();
        texts.insert(path.clone(), text);
        let files = Files::default();
        let all = resolve(&texts, &files, Scope::All);
        for finding in &all.findings {
            prop_assert!(!finding.is_defect(), "{}", finding.message);
            let file = files.get(finding.primary.file);
            prop_assert!(finding.primary.end as usize <= file.text.len().max(finding.primary.start as usize), "{}", finding.message);
        }
        prop_assert_eq!(shown(&all), shown(&resolve(&texts, &Files::default(), Scope::All)));
        // After another state of the project it is the same, and so is that one afterwards.
        let (dialect, table) = (OpenTofu::default(), Files::default());
        for texts in [&project(), &texts, &project()] {
            let again = all_shown(&resolve_with(&dialect, texts, &table, Scope::All), &table);
            let alone = Files::default();
            prop_assert_eq!(again, all_shown(&resolve(texts, &alone, Scope::All), &alone));
        }
        // Whether there are root modules is reported in a shorter way.
        let bytes = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
        let (source, cache, files) = (Memory::new("memory", bytes), Cache::default(), Files::default());
        let modules = Modules::new(&source, &files, &cache, Runner::default());
        for start in ["", "r", "r/m", "s"] {
            let project = Project { start: start.to_owned(), ..Project::default() };
            let found = !discovery::roots(&modules, &project).candidates.is_empty();
            prop_assert_eq!(discovery::has_roots(&modules, &project), found, "{}", start);
        }
        // Parts that a change touches have the same result, and other parts are unchanged.
        let changes = [Change { path: path.into(), kind: ChangeKind::Modified }];
        let touched = shown(&resolve(&texts, &Files::default(), Scope::Touched(&changes)));
        let (whole, before) = (shown(&all), shown(&resolve(&project(), &Files::default(), Scope::All)));
        for (unit, components) in &whole {
            match touched.get(unit) {
                Some(found) => prop_assert_eq!(found, components, "{}", unit),
                None => prop_assert_eq!(Some(components), before.get(unit), "{} is not touched", unit),
            }
        }
    }
}
