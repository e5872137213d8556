use super::text::{TextOptions, write_diff, write_findings};
use super::*;
use crate::diagnostic::Label;
use crate::diff::fixture::{BASE, HEAD, estate};
use crate::diff::{Diff, Options, diff};
use crate::estate::Estate;
use crate::files::Files;
use serde_json::Value as Json;

fn fixture() -> (Files, Estate, Diff) {
    let files = Files::default();
    let (base, head) = (estate(&files, BASE), estate(&files, HEAD));
    let found = diff(&base, &head, &files, &Options::default());
    (files, head, found)
}

fn findings(files: &Files) -> Vec<Diagnostic> {
    let file = |path: &str| {
        let text = HEAD.iter().find(|f| f.0 == path).unwrap().1;
        (files.add(path, text, || text.into()), text)
    };
    let label = |path: &str, at: &str, message: &str| {
        let (id, text) = file(path);
        let start = text.find(at).unwrap() as u32;
        Label::new(id, start, start + at.len() as u32, message)
    };
    let mut first = Diagnostic::new(
        "merge-type-conflict",
        "`vars.tags.Cost` is a map here and a string there",
        label("catalog/defaults.yaml", "Cost", "a map"),
    )
    .related(label("stacks/dev.yaml", "stage", "a string\u{1b}[31m"))
    .related(label("catalog/defaults.yaml", "region", ""))
    .note("Atmos keeps the later one")
    .help("use one kind of value");
    first.stacks = ["dev", "prod", "test"].map(Into::into).to_vec();
    let second = Diagnostic::new(
        "hard-coded-secret",
        "`vars.db_password` is written in the file",
        label("catalog/defaults.yaml", "hunter3", "written here"),
    );
    vec![first, second]
}

/// As it is reported: the second one as a warning.
fn finding(diagnostic: &Diagnostic) -> Finding<'_> {
    let level = if diagnostic.rule == "hard-coded-secret" { Level::Warning } else { Level::Error };
    Finding { diagnostic, level, novelty: None }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Escape codes in a form that can be read.
fn readable(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

#[test]
fn diff_as_text() {
    let (files, _, found) = fixture();
    let plain = TextOptions { width: 80, ..TextOptions::default() };
    let color = TextOptions { color: true, width: 80, ..TextOptions::default() };
    insta::assert_snapshot!("diff_plain", text(|out| write_diff(out, &found, &files, &plain)));
    insta::assert_snapshot!("diff_color", readable(&text(|out| write_diff(out, &found, &files, &color))));
    assert_eq!(text(|out| write_diff(out, &Diff::default(), &files, &plain)), "No effective change.\n");
}

#[test]
fn findings_as_text() {
    let files = Files::default();
    let all = findings(&files);
    let list: Vec<Finding> = all.iter().map(finding).collect();
    let plain = TextOptions { width: 80, ..TextOptions::default() };
    let color = TextOptions { color: true, width: 80, ..TextOptions::default() };
    insta::assert_snapshot!("findings_plain", text(|out| write_findings(out, &list, &files, &plain)));
    insta::assert_snapshot!("findings_color", readable(&text(|out| write_findings(out, &list, &files, &color))));
    assert_eq!(text(|out| write_findings(out, &[], &files, &plain)), "No findings.\n");
}

#[test]
fn text_keeps_secrets_and_controls_to_itself() {
    let (files, head, found) = fixture();
    let all = findings(&files);
    let list: Vec<Finding> = all.iter().map(finding).collect();
    for color in [false, true] {
        let options = TextOptions { color, all: true, ..TextOptions::default() };
        let mut out = text(|out| write_diff(out, &found, &files, &options));
        out += &text(|out| write_findings(out, &list, &files, &options));
        for (address, placed) in &head.components() {
            out += &text(|out| describe::write_component_text(out, address, placed, &files, &options));
        }
        assert!(!out.contains("hunter"), "{out}");
        assert!(!out.contains("\u{1b}[31mred"));
        assert!(color || !out.contains('\u{1b}'));
    }
    let options = TextOptions { show_secrets: true, ..TextOptions::default() };
    assert!(text(|out| write_diff(out, &found, &files, &options)).contains("\"hunter2\" → \"hunter3\""));
}

fn valid(schema: &str, instance: &Json) {
    let schema: Json = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn json_fits_its_schema() {
    let (files, head, found) = fixture();
    let all = findings(&files);
    let mut list: Vec<Finding> = all.iter().map(finding).collect();
    let report = include_str!("../../schemas/report-v1.json");
    let check = text(|out| json::write_check(out, &list, &files));
    valid(report, &serde_json::from_str(&check).unwrap());
    insta::assert_snapshot!("check_json", check);

    list[0].novelty = Some(Novelty::New);
    let revision = |rev: &str, commit: Option<&str>| Revision { rev: rev.into(), commit: commit.map(Into::into) };
    let base = revision("main", Some("0123456789012345678901234567890123456789"));
    let out = text(|out| json::write_diff(out, &base, &revision("worktree", None), &found, &list, &files));
    let out: Json = serde_json::from_str(&out).unwrap();
    valid(report, &out);
    assert_eq!(out["diagnostics"][0]["status"], "new");
    assert_eq!(out["components"][0]["changes"][0]["causes"][0]["file"], "catalog/defaults.yaml");

    let stacks = text(|out| describe::write_stacks_json(out, &head.components()));
    let stacks: Json = serde_json::from_str(&stacks).unwrap();
    valid(include_str!("../../schemas/describe-stacks.json"), &stacks);
    assert_eq!(stacks["prod"]["components"]["terraform"]["new"]["vars"]["cidr"], "10.9.0.0/16");
    let yaml = text(|out| describe::write_stacks_yaml(out, &head.components()));
    assert_eq!(yaml_serde::from_str::<Json>(&yaml).unwrap(), stacks);
}

#[test]
fn described_as_text() {
    let (files, head, _) = fixture();
    let options = TextOptions { width: 80, ..TextOptions::default() };
    let components = head.components();
    let (address, placed) = components.iter().find(|(a, _)| &*a.0 == "prod" && &*a.2 == "vpc").unwrap();
    let stacks = text(|out| describe::write_stacks_text(out, &components, &options));
    let component = text(|out| describe::write_component_text(out, address, placed, &files, &options));
    insta::assert_snapshot!(format!("{stacks}\n{component}"));
}
