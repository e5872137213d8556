use super::log::{Filter, OutputKind};
use super::*;
use crate::diagnostic::rules as shared;
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label, Policy, Rule, Side, Suppression};
use crate::diff::fixture::{BASE, HEAD, resolution};
use crate::diff::{self, Diff};
use crate::resolution::{Address, Placed, Resolution};
use crate::review::coverage::{ProjectCoverage, SideCoverage, Unresolved};
use crate::rules;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// The fixture for all formats: two revisions that differ, with findings that are new, known, fixed and suppressed, a
/// chain, fixes, several stacks, a note, text that must be escaped, multi-byte letters and secrets that must be masked.
pub(super) struct Fixture {
    pub(super) files: Files,
    pub(super) resolution: Resolution,
    pub(super) diff: Diff,
    base: Revision,
    head: Revision,
    compared: Judged,
    alone: Judged,
    rules: Vec<(RuleRef, Level)>,
    coverage: Coverage,
    unreadable: Vec<String>,
}

/// Findings that are reported, and those that are not.
type Judged = (Vec<Finding>, Vec<Suppressed>);

/// A file that no stack uses, with letters of two, three and four bytes.
const ODD: &[(&str, &str)] = &[("notes/ü b.yaml", "größe: \"漢字 𝄞\" # stacklint: ignore[duplicate-key]\n")];

fn label(files: &Files, tree: &[(&str, &'static str)], path: &str, at: &str, message: &str) -> Label {
    let text = tree.iter().find(|f| f.0 == path).unwrap().1;
    let start = text.find(at).unwrap_or_else(|| panic!("no {at:?} in {path}")) as u32;
    Label::new(files.add(path, text, || text.into()), start, start + at.len() as u32, message)
}

fn found(files: &Files) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let new = |path: &str, at: &str, message: &str| label(files, HEAD, path, at, message);
    let old = |path: &str, at: &str, message: &str| label(files, BASE, path, at, message);
    let mut conflict = Diagnostic::new(
        &shared::SCHEMA_VIOLATION,
        "`vars.tags.Cost` is a map here and a string there: 100% `wrong`, <b>really</b>",
        new("catalog/defaults.yaml", "Cost", "a map"),
    )
    .related(new("stacks/dev.yaml", "stage", "a string\u{1b}[31m"))
    .related(new("catalog/defaults.yaml", "region", ""))
    .note("the later one counts")
    .help("use one kind of value")
    .address("dev/vpc/vars.tags.Cost");
    conflict.stacks = ["dev", "prod", "test"].map(Into::into).to_vec();
    let import = new("stacks/dev.yaml", "catalog/defaults.yaml", "");
    let rename = Edit { file: import.file, start: import.start, end: import.end, text: "catalog/default.yaml".into() };
    let unused = label(files, ODD, "notes/ü b.yaml", "duplicate-key", "");
    let comment = label(files, ODD, "notes/ü b.yaml", " # stacklint: ignore[duplicate-key]", "");
    let remove = Edit { file: comment.file, start: comment.start, end: comment.end, text: String::new() };
    let findings = vec![
        conflict,
        Diagnostic::new(
            &shared::IMPORT_CYCLE,
            "these manifests import each other: stacks/dev.yaml → catalog/defaults.yaml → stacks/dev.yaml",
            import.clone(),
        )
        .related(new("stacks/dev.yaml", "catalog/defaults.yaml", "stacks/dev.yaml imports catalog/defaults.yaml"))
        .related(new("catalog/defaults.yaml", "region", "catalog/defaults.yaml imports stacks/dev.yaml"))
        .chain(),
        Diagnostic::new(&shared::UNRESOLVED_IMPORT, "`catalog/defaults.yaml` finds no file,\nnone at all", import)
            .help("did you mean `catalog/default.yaml`?")
            .fix(Fix::one("rename to `catalog/default.yaml`", rename, Applicability::Unsafe)),
        Diagnostic::new(
            &shared::UNKNOWN_RULE,
            "the rule of `db_password` is unknown",
            new("catalog/defaults.yaml", "hunter3", ""),
        ),
        Diagnostic::new(
            &shared::INCOMPLETE_ANALYSIS,
            "`!terraform.output` is not known",
            new("stacks/prod.yaml", "script", ""),
        ),
        Diagnostic::new(&shared::DUPLICATE_KEY, "`size` is set twice", new("stacks/test.yaml", "size", "again")),
        Diagnostic::new(&shared::UNUSED_IGNORE, "silenced", new("stacks/prod.yaml", "new", "")),
        Diagnostic::new(&shared::UNUSED_IGNORE, "of old", new("stacks/prod.yaml", "stage", "")),
        Diagnostic::new(
            &shared::UNUSED_IGNORE,
            "there is no finding of `duplicate-key` on this line to suppress",
            unused.clone(),
        )
        .help("remove it")
        .fix(Fix::one("remove it", remove, Applicability::Safe)),
    ];
    let known =
        Diagnostic::new(&shared::DUPLICATE_KEY, "`size` is set twice", old("stacks/test.yaml", "size", "again"));
    let fixed = Diagnostic::new(&shared::INVALID_BACKEND, "`old` has no backend", old("stacks/prod.yaml", "old", ""));
    (vec![known, fixed], findings)
}

impl Fixture {
    pub(super) fn new() -> Self {
        let files = Files::default();
        let (base, head) = (resolution(&files, BASE), resolution(&files, HEAD));
        let diff = diff::diff(&base, &head, &files, &diff::DiffOptions::default());
        let (old, new) = found(&files);
        let mut ids: Vec<&str> =
            old.iter().chain(&new).map(|d| d.rule.id()).chain([shared::TEMPLATE_ERROR.id()]).collect();
        ids.sort_unstable();
        ids.dedup();
        let rules =
            ids.iter().filter_map(|id| rules::find(id)).filter_map(|r| Some((r.into(), r.default_level()?))).collect();
        let level = |rule: &Rule, _: &str| rule.default_level();
        let policy = Policy {
            files: &files,
            level: &level,
            rules: &[],
            examined: &|_| true,
            min_level: Level::Note,
            require_reasons: false,
            baseline: None,
            trusted: None,
            moved_from: &|_| None,
        };
        let side = |diagnostics: &[Diagnostic]| Side { diagnostics: diagnostics.to_vec(), files: BTreeSet::new() };
        let judged = |base: Option<Side>| -> Judged {
            let mut findings = policy.judge(side(&new), base).findings;
            let comment = Suppression::Comment("until the summer".into());
            let silenced = [("silenced", comment), ("of old", Suppression::Baseline)].map(|(message, by)| {
                let at = findings.iter().position(|f| f.diagnostic.message == message).unwrap();
                Suppressed { finding: findings.remove(at), by }
            });
            (findings, silenced.to_vec())
        };
        let (compared, alone) = (judged(Some(side(&old))), judged(None));
        let revision = |rev: &str, commit: &str| Revision { rev: rev.into(), commit: Some(commit.repeat(10)) };
        Fixture {
            base: revision("main", "0123"),
            head: revision("feature/<x>", "4567"),
            coverage: coverage(),
            unreadable: vec!["stacks/locked.yaml".into()],
            resolution: head,
            files,
            diff,
            compared,
            alone,
            rules,
        }
    }

    /// The two revisions compared.
    pub(super) fn compared(&self) -> Report<'_> {
        Report {
            findings: &self.compared.0,
            suppressed: &self.compared.1,
            comparison: Some(Comparison::new(&self.base, &self.diff)),
            ..self.checked()
        }
    }

    /// The newer revision alone, with all findings.
    pub(super) fn checked(&self) -> Report<'_> {
        Report {
            files: &self.files,
            findings: &self.alone.0,
            suppressed: &self.alone.1,
            head: &self.head,
            comparison: None,
            rules: &self.rules,
            remote: Some("https://github.com/acme/infra.git"),
            coverage: &self.coverage,
            unreadable: &self.unreadable,
        }
    }
}

/// One project with a stack that no longer resolves and another one that resolves on neither side.
fn coverage() -> Coverage {
    let unresolved = |stack: &str, file: &str, reason: &str| Unresolved {
        stack: Some(stack.into()),
        file: file.into(),
        component: None,
        reason: reason.to_owned(),
        is_partial: false,
        is_edited: false,
        place: Some((file.into(), 2)),
    };
    let lost = unresolved("test", "stacks/test.yaml", "`size` is set\u{1b}[31m twice");
    let never = unresolved("old", "stacks/old.yaml", "import `<b>` not found");
    let side = |unresolved| SideCoverage { stacks: 6, components: 31, untouched: 0, unresolved };
    let project = ProjectCoverage {
        is_touched: true,
        dialect: "system",
        path: ".".to_owned(),
        config: vec!["main.yaml".into()],
        assumptions: Vec::new(),
        base: Some(side(vec![never.clone()])),
        head: side(vec![never, lost]),
        stacks: 6,
        components: 31,
        not_evaluated: Vec::new(),
    };
    Coverage { projects: vec![project], ..Coverage::default() }
}

/// Plain, 80 columns wide.
fn plain() -> RenderOptions {
    RenderOptions { width: 80, ..RenderOptions::default() }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(super) fn written(format: Format, report: &Report<'_>, options: &RenderOptions) -> String {
    text(|out| format.write(out, report, options))
}

/// The elements of an XML document with their attributes, in order; it must be well-formed.
pub(super) fn elements(xml: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    reader.config_mut().check_comments = true;
    let mut elements = Vec::new();
    let mut depth = 0;
    loop {
        use quick_xml::events::Event;
        let event = reader.read_event().unwrap_or_else(|e| panic!("{e}: {xml}"));
        match &event {
            Event::Start(start) | Event::Empty(start) => {
                depth += i32::from(matches!(event, Event::Start(_)));
                let attributes = start.attributes().map(|a| {
                    let a = a.unwrap();
                    let value = quick_xml::escape::unescape(&a.value).unwrap();
                    (AsRef::<str>::as_ref(&a.key).to_owned(), value.into_owned())
                });
                elements.push((AsRef::<str>::as_ref(&start.name()).to_owned(), attributes.collect()));
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{xml}");
    let legal = |c: char| matches!(c, '\n' | '\t' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(legal), "{xml:?}");
    elements
}

/// Whether every block of code and every folded part of a Markdown text is closed. Text that comes from files never is at
/// the start of a line but in blocks of code.
pub(super) fn is_balanced(markdown: &str) -> bool {
    let (mut open, mut fence) = (0, None::<&str>);
    for line in markdown.lines() {
        let line = line.trim_start_matches(' ');
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(opening) => {
                if ticks.len() >= opening.len() && line == ticks {
                    fence = None;
                }
            }
            None if ticks.len() >= 3 && line == format!("{ticks}diff") => fence = Some(ticks),
            None => match line {
                "<details>" | "<details open>" => open += 1,
                "</details>" if open == 0 => return false,
                "</details>" => open -= 1,
                _ => {}
            },
        }
    }
    open == 0 && fence.is_none()
}

/// Escape codes in a form that can be read.
fn readable(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

#[test]
fn every_format_of_the_comparison() {
    let fixture = Fixture::new();
    for format in Format::ALL {
        insta::assert_snapshot!(format!("diff_{}", format.name()), shown(format, &fixture.compared()));
    }
}

#[test]
fn every_format_of_one_state() {
    let fixture = Fixture::new();
    for format in Format::ALL {
        insta::assert_snapshot!(format!("check_{}", format.name()), shown(format, &fixture.checked()));
    }
}

/// The report for a snapshot, without the pages of the rules, which have tests of their own.
fn shown(format: Format, report: &Report<'_>) -> String {
    let text = written(format, report, &plain());
    if format != Format::Sarif {
        return text;
    }
    let mut log: Json = serde_json::from_str(&text).unwrap();
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        rule["help"] = "…".into();
        rule["fullDescription"] = "…".into();
    }
    serde_json::to_string_pretty(&log).unwrap()
}

#[test]
fn text_in_color_and_wide() {
    let fixture = Fixture::new();
    let color = written(Format::Text, &fixture.compared(), &RenderOptions { color: true, ..plain() });
    insta::assert_snapshot!("diff_text_color", readable(&color));
    let wide = written(Format::Text, &fixture.compared(), &RenderOptions { width: 120, ..plain() });
    insta::assert_snapshot!("diff_text_wide", wide);
}

#[test]
fn nothing_to_say() {
    let fixture = Fixture::new();
    let diff = Diff::default();
    let coverage = &Coverage::default();
    let nothing = Report { findings: &[], suppressed: &[], unreadable: &[], coverage, ..fixture.checked() };
    assert_eq!(written(Format::Text, &nothing, &plain()), "No findings.\n");
    assert_eq!(written(Format::Concise, &nothing, &plain()), "");
    let compared = Report { comparison: Some(Comparison::new(&fixture.base, &diff)), ..nothing };
    assert_eq!(written(Format::Text, &compared, &plain()), "✓ No effective change.\n");
}

fn described<'a>(address: &'a Address, placed: &'a Placed, files: &'a Files) -> describe::Described<'a> {
    describe::Described { address, placed, files, history: true }
}

#[test]
fn people_see_no_secrets_and_terminals_no_controls() {
    let fixture = Fixture::new();
    for color in [false, true] {
        let options = RenderOptions { color, all: true, ..RenderOptions::default() };
        let mut out = String::new();
        for format in Format::ALL.into_iter().filter(|f| *f != Format::Json) {
            out += &written(format, &fixture.compared(), &options);
        }
        for (address, placed) in &fixture.resolution.components() {
            out += &text(|out| described(address, placed, &fixture.files).write_text(out, &options));
        }
        assert!(!out.contains("hunter"), "{out}");
        assert!(!out.contains("\u{1b}[31mred"));
        assert!(color || !out.contains('\u{1b}'));
    }
    let options = RenderOptions { show_secrets: true, ..RenderOptions::default() };
    assert!(written(Format::Text, &fixture.compared(), &options).contains("\"hunter2\" → \"hunter3\""));
}

fn valid(schema: &str, instance: &Json) {
    let schema: Json = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn json_fits_its_schema() {
    let fixture = Fixture::new();
    let schema = include_str!("../../schemas/report-v1.json");
    for report in [fixture.checked(), fixture.compared()] {
        let report: Json = serde_json::from_str(&written(Format::Json, &report, &plain())).unwrap();
        valid(schema, &report);
        assert_eq!(report["diagnostics"][0]["file"], "catalog/defaults.yaml");
    }
    let json = |out: &mut Vec<u8>| {
        let mut out = Filter::new(out, OutputKind::Json);
        describe::write_stacks_json(&mut out, &fixture.resolution.components())?;
        out.flush()
    };
    let stacks = text(json);
    let stacks: Json = serde_json::from_str(&stacks).unwrap();
    valid(include_str!("../../schemas/describe-stacks.json"), &stacks);
    assert_eq!(stacks["prod"]["components"]["terraform"]["new"]["vars"]["cidr"], "10.9.0.0/16");
    let yaml = text(|out| describe::write_stacks_yaml(out, &fixture.resolution.components()));
    assert_eq!(yaml_serde::from_str::<Json>(&yaml).unwrap(), stacks);
}

#[test]
fn described_as_text() {
    let fixture = Fixture::new();
    let components = fixture.resolution.components();
    let (address, placed) = components.iter().find(|(a, _)| &*a.0 == "prod" && &*a.2 == "vpc").unwrap();
    let stacks = text(|out| describe::write_stacks_text(out, &components, &plain()));
    let component = text(|out| described(address, placed, &fixture.files).write_text(out, &plain()));
    insta::assert_snapshot!(format!("{stacks}\n{component}"));
}
