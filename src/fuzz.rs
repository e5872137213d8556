//! Support for property tests. Every property is a target of `.ci/fuzz`, which runs it repeatedly with new input for a
//! given time. The targets here are the readers of untrusted text.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::diagnostic::{Applicability, Group, fix};
use crate::dialects::Project;
use crate::files::Files;
use crate::limits::Limits;
use crate::report::Finding;
use crate::review::{Filter, NoHost, Overrides, Request, Workspace};
use crate::source::{Memory, Source, glob};
use crate::terraform::{Cache, Modules};
use crate::value::{Flags, Prov, Value};
use crate::yaml::{self, Style};
use crate::{review, settings};
pub(crate) use property_cases::cases;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers that only depend on a seed (SplitMix64).
pub(crate) struct Dice(pub u64);

impl Dice {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// Fragments with a meaning for one of the readers.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    "- ",
    "\n",
    "\n  ",
    "\n    ",
    " ",
    "\t",
    ":",
    "?",
    "? ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "<<: *a",
    "!!int ",
    "!!binary ",
    "!env X",
    "!include d.yaml",
    "!append ",
    "!unset",
    "!template '",
    "|",
    "|-\n",
    ">+2\n",
    "'",
    "\"",
    "\\x41",
    "\\u00e9",
    "\\",
    "#",
    " # ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "~",
    "null",
    "true",
    "0x1F",
    "0o17",
    "1_000",
    "1e400",
    ".inf",
    "-.inf",
    ".nan",
    "2024-01-02",
    "2001-12-14t21:59:43.10-05:00",
    "1:30",
    "99999999999999999999",
    "{{",
    "}}",
    "{{ .vars.a }}",
    "{{- ",
    " -}}",
    "{{ range .l }}",
    "{{ end }}",
    "{{ if",
    "\u{0}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "é",
    "𝄞",
    "\r",
    "\r\n",
    "${a.b}",
    "$${",
    "${",
    "\u{1b}[",
    "\u{f8f0}",
    "\u{f8f1}",
    "=",
    "==",
    "\"${",
    "variable \"x\" {",
    "<<EOT\n",
    "EOT\n",
    "for x in y",
    "export ",
    "A=",
    "[rules]\n",
    "level = ",
];

/// Text that is nearly something.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => select(PIECES).prop_map(String::from), 1 => any::<char>().prop_map(String::from), 2 => "[a-z.]{1,6}"];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// The same as bytes that need not be text.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (text(), vec((any::<prop::sample::Index>(), any::<u8>()), 0..3), any::<u8>()).prop_map(|(text, noise, kind)| {
        let mut bytes = match kind % 8 {
            0 => [&[0xff, 0xfe][..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat(),
            1 => [&[0xfe, 0xff][..], &text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat(),
            _ => text.into_bytes(),
        };
        for (at, byte) in noise {
            bytes.insert(at.index(bytes.len() + 1), byte);
        }
        bytes
    })
}

const STYLES: [Style; 5] = [Style::Plain, Style::SingleQuoted, Style::DoubleQuoted, Style::Literal, Style::Folded];

const ATMOS: &str = "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n\
                     components: {terraform: {base_path: components/terraform}}\n\
                     templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}}\n";

/// A project of each dialect with something of everything.
fn project() -> BTreeMap<String, String> {
    let files = [
        ("atmos.yaml", ATMOS),
        (
            "stacks/catalog/net.yaml",
            "components:\n  terraform:\n    net:\n      metadata: {type: abstract}\n      vars: &v {cidr: 10.0.0.0/16, zones: [a, b], when: 2024-01-02}\n      env: {<<: *v}\n",
        ),
        (
            "stacks/deploy/dev.yaml",
            "import: [catalog/net]\nlocals: {a: '{{ .locals.b }}-x', b: 1}\nvars: {stage: dev}\ncomponents:\n  terraform:\n    box:\n      metadata: {inherits: [net]}\n      vars: {a: '{{ .locals.a }}', id: !terraform.state net id, s: !env SECRET d}\n      settings: {depends_on: {1: {component: nte}}}\n",
        ),
        (
            "stacks/deploy/prod.yaml",
            "import:\n- path: catalog/net\n  context: {x: 1}\nvars: {stage: prod}\ncomponents: {terraform: {box: {metadata: {inherits: [nett]}}}}\n",
        ),
        (
            "components/terraform/box/main.tf",
            "variable \"cidr\" { type = string }\nvariable \"size\" {}\noutput \"id\" { value = 1 }\n",
        ),
        (
            "infra.yaml",
            "modules:\n- name: vpc\n  type: infra.vpc\n  config: {cidr: \"${CIDR}\"}\n- name: db\n  type: infra.database\n  config: {network: \"${vpc.id}\", token: $$x}\n",
        ),
        ("stacklint.toml", "[rules]\nunused-local = \"warning\"\n"),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// One of its files with pieces in the place of others.
fn damaged() -> impl Strategy<Value = BTreeMap<String, String>> {
    let cut = (any::<prop::sample::Index>(), 0..10_usize, prop_oneof![select(PIECES).prop_map(String::from), text()]);
    (any::<prop::sample::Index>(), vec(cut, 0..5)).prop_map(|(which, cuts)| {
        let mut files = project();
        let path = files.keys().nth(which.index(files.len())).unwrap().clone();
        let text = files.get_mut(&path).unwrap();
        for (at, length, piece) in cuts {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &piece);
        }
        files
    })
}

/// The findings of a project, with all groups of rules enabled; empty if its settings are invalid.
fn findings(texts: &BTreeMap<String, String>) -> (Vec<Finding>, Arc<Files>) {
    let bytes = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let source = Memory::new("memory", bytes);
    let project = Project::default();
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let overrides = Overrides { groups: Group::ALL.to_vec(), ..Overrides::default() };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    match review::check(&source, &workspace, &request) {
        Ok(review) => (review.findings, Arc::clone(&review.files)),
        Err(_) => (Vec::new(), Arc::default()),
    }
}

proptest! {
    #![proptest_config(cases(140))]

    #[test]
    fn yaml_of_strangers(bytes in bytes()) {
        if let Ok(document) = yaml::parse(&bytes) {
            let problems = yaml::problems(&document);
            for (_, node) in document.nodes() {
                prop_assert!(document.text().get(node.span.start as usize..node.span.end as usize).is_some());
                document.position(node.span.end);
            }
            let decoded = crate::value::decode::decode(&document, &|_, _| Prov::default(), Limits::default());
            prop_assert!(problems.is_empty() || decoded.is_err());
        }
    }

    #[test]
    fn scalars_of_strangers(text in text(), style in select(&STYLES[..]), tag in proptest::option::of(select(&["!!int", "!!float", "!!str", "!!bool", "!!binary", "!!timestamp", "!!null", "!x"][..]))) {
        let _ = yaml::resolve(&text, style, tag);
        // Written text reads as the same text, except where the reference itself loses something (`Flags::NOT_YAML_STABLE`).
        let is_fragile = Value::str(&*text).holds(Flags::NOT_YAML_STABLE);
        if !text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']) && !is_fragile {
            let mut emitter = yaml::Emitter::new();
            emitter.map_start(1);
            emitter.key("k");
            emitter.str(&text);
            emitter.map_end();
            let written = emitter.finish();
            let document = yaml::parse(written.as_bytes());
            let read = document.as_ref().ok().and_then(|d| d.scalar(d.get(d.root()?, "k")?));
            prop_assert_eq!(read.map(|t| &**t), Some(&*text), "{:?}", written);
        }
    }

    #[test]
    fn patterns_of_strangers(pattern in "[ab*?/{},\\[\\]\\\\!^é.-]{0,16}", paths in vec("[ab./]{1,8}", 0..5)) {
        let plain = paths.iter().map(|path| path.trim_matches('/')).filter(|path| path.split('/').all(|part| part != ".."));
        let files = plain.map(|path| (path.to_owned(), Vec::new())).collect();
        let source = Memory::new("memory", files);
        if let Ok(found) = glob::expand(source.listing(), &pattern) {
            prop_assert!(found.iter().all(|path| path.split('/').all(|part| part != "..")));
        }
        let _ = glob::Glob::new(&pattern).map(|glob| paths.iter().filter(|p| glob.matches(p)).count());
    }

    #[test]
    fn settings_of_strangers(text in text(), line in "(fail-on|strict|limits|rules|overrides|groups|baseline|variables) ?= ?.{0,20}") {
        for text in [&text, &line, &format!("{line}\n{text}"), &format!("[limits]\ntime = {text}")] {
            let source = Memory::new("memory", BTreeMap::from([(settings::FILE_NAME.to_owned(), text.clone().into_bytes())]));
            if let Err(message) = settings::Load::find(&source, "", &Files::default()) {
                prop_assert!(message.starts_with(settings::FILE_NAME), "{message}");
            }
        }
    }

    #[test]
    fn terraform_of_strangers(text in text()) {
        let text = format!("{text}\nvariable \"v\" {{ default = {text} }}\n");
        let files = BTreeMap::from([("m/main.tf".to_owned(), text.into_bytes())]);
        let (source, files, cache) = (Memory::new("memory", files), Files::default(), Cache::default());
        let modules = Modules::new(&source, &files, &cache);
        let _ = modules.get("m");
        modules.errors();
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn projects_of_strangers(texts in damaged()) {
        let (found, files) = findings(&texts);
        for Finding { diagnostic, .. } in &found {
            prop_assert!(!diagnostic.is_defect(), "{}", diagnostic.message);
            let file = files.get(diagnostic.primary.file);
            prop_assert!(diagnostic.primary.end as usize <= file.text.len().max(diagnostic.primary.start as usize));
        }
        // The same again.
        let (again, _) = findings(&texts);
        let shown = |all: &[Finding]| -> Vec<(String, String)> {
            all.iter().map(|f| (f.diagnostic.rule.id().to_owned(), f.diagnostic.message.clone())).collect()
        };
        prop_assert_eq!(shown(&found), shown(&again));
    }

    /// Fixes end: a second round of them changes what the first one uncovered, and soon nothing is left to change.
    #[test]
    fn fixes_of_strangers(texts in damaged(), least in select(&[Applicability::Safe, Applicability::Unsafe][..])) {
        let mut texts = texts;
        for round in 0.. {
            let (found, files) = findings(&texts);
            let fixed = fix::apply(found.iter().filter_map(|f| f.diagnostic.fix.as_ref()), least, &files);
            let changed: BTreeMap<String, String> = fixed
                .texts
                .iter()
                .map(|(id, text)| (files.get(*id).path.to_string(), text.clone()))
                .filter(|(path, text)| texts.get(path) != Some(text))
                .collect();
            if changed.is_empty() {
                break;
            }
            prop_assert!(round < 10, "still changing {changed:?}");
            texts.extend(changed);
        }
    }
}
