//! Whatever files contain, every format stays well-formed.

use super::tests::{elements, is_balanced, written};
use super::text::style;
use super::*;
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label, Suppression};
use crate::diff::{Cause, Change, ChangeKind, ComponentChange, Moved, Side, Status};
use crate::review::coverage::{ProjectCoverage, SideCoverage, Unresolved};
use crate::rules::RULES;
use crate::text::Text;
use crate::value::{Data, Map, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value as Json;

/// Text that means something to one of the formats.
const LOADED: &[&str] = &[
    "::error::x",
    "\n::set-env name=A::b",
    " ::group::",
    "::",
    "##[error]",
    "\n```\n",
    "````",
    "`",
    "<details>",
    "\n</details>\n",
    "</summary>",
    "| --- |",
    "@user",
    "#1",
    "https://x.y",
    "]]>",
    "<!--",
    "&amp;",
    "\"",
    "](1)",
    "{{ x }}",
    "{% if %}",
    "%0A",
    "\r",
    "\r\n",
    "\n",
    "\u{0}",
    "\u{1b}[31m",
    "\u{9b}",
    "\u{2028}",
    "\u{202e}",
    "\u{feff}",
    "\u{fffe}",
    "\u{ffff}",
    "𝄞",
    "漢",
    "  - ",
    "\t",
    "\\",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![any::<char>().prop_map(String::from), select(LOADED).prop_map(String::from), "[a-z ]{1,9}"];
    vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::str),
        any::<i64>().prop_map(|i| Value::new(Data::Int(i))),
        any::<f64>().prop_map(|f| Value::new(Data::Float(f))),
        Just(Value::default()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let map = |pairs: Vec<(String, Value)>| {
            let mut map = Map::new();
            pairs.into_iter().for_each(|(key, value)| map.set(key, value));
            Value::map(map)
        };
        prop_oneof![vec(inner.clone(), 0..4).prop_map(Value::list), vec((text(), inner), 0..4).prop_map(map)]
    })
}

/// A file: its path and its text.
type RawFile = (String, String);
/// Words and places of a finding, and its rule, level, novelty and kind by number.
type RawFinding = (Vec<String>, Vec<(usize, u32, u32)>, [usize; 4]);
/// Names, values and causes of a component that differs.
type RawChange = (Vec<String>, Option<Value>, Option<Value>, Vec<(usize, u32)>);

fn finding(raw: &RawFinding, ids: &[crate::value::FileId], compared: bool) -> Finding {
    let (words, places, numbers) = raw;
    let place = |i: usize| {
        let (file, start, length) = places[i % places.len()];
        Label::new(ids[file % ids.len()], start, start.saturating_add(length), words[i % words.len()].clone())
    };
    let mut d = Diagnostic::new(RULES[numbers[0] % RULES.len()], words[0].clone(), place(0));
    d.related = (1..places.len()).map(place).collect();
    d.is_chain = numbers[3].is_multiple_of(2);
    d.notes = words.iter().skip(1).take(2).cloned().collect();
    d.help = words.get(2).cloned();
    d.address = words.get(3).cloned();
    d.stacks = words.iter().skip(2).map(|w| Text::from(w.as_str())).collect();
    let edit = Edit { file: d.primary.file, start: d.primary.start, end: d.primary.end, text: words[0].clone() };
    let trust = [Applicability::Safe, Applicability::Unsafe, Applicability::DisplayOnly][numbers[3] % 3];
    d.fix = (numbers[3] % 4 > 0).then(|| Fix::one(words[0].clone(), edit, trust));
    let level = [Level::Error, Level::Warning, Level::Note][numbers[1] % 3];
    let novelty = compared.then(|| [Novelty::New, Novelty::Known, Novelty::Fixed][numbers[2] % 3]);
    Finding { diagnostic: d, level, novelty, fingerprint: Text::from("0123"), also: Vec::new() }
}

fn change(raw: RawChange, ids: &[crate::value::FileId]) -> ComponentChange {
    let (words, before, after, causes) = raw;
    let side = |line: u32| if line.is_multiple_of(2) { Side::Base } else { Side::Head };
    let causes: Vec<Cause> = causes
        .into_iter()
        .map(|(file, line)| Cause { side: side(line), file: ids[file % ids.len()], line: line + 1, column: 1 })
        .collect();
    let word = |i: usize| words[i % words.len()].clone();
    let (status, kind) = match (&before, &after) {
        (None, None) => (Status::Added, ChangeKind::Added),
        (None, Some(_)) => (Status::Modified, ChangeKind::Added),
        (Some(_), None) => (Status::Modified, ChangeKind::Removed),
        (Some(_), Some(_)) => (Status::Modified, ChangeKind::Changed),
    };
    let path = format!("/vars/{}", word(3).replace('~', "~0").replace('/', "~1"));
    let moved = (kind == ChangeKind::Added && word(0).len() == 1).then_some(Moved { from: word(1).len(), to: 1 });
    let change = Change {
        path,
        kind,
        before,
        after,
        causes: causes.clone(),
        is_secret: false,
        is_same_call: false,
        is_idle: false,
        moved,
        base_index: None,
    };
    let changes = if status == Status::Modified { vec![change] } else { Vec::new() };
    ComponentChange {
        project: Text::from(""),
        stack: word(0).into(),
        kind: word(1).into(),
        name: word(2).into(),
        status,
        changes,
        causes,
        before: None,
        after: None,
    }
}

fn check(report: &Report<'_>) {
    let options = RenderOptions { width: 80, ..RenderOptions::default() };
    let of = |format| written(format, report, &options);
    for format in [Format::Text, Format::Concise] {
        let text = of(format);
        assert!(!text.chars().any(|c| style::steers(c) && c != '\n'), "{text:?}");
    }
    let colored = written(Format::Github, report, &RenderOptions { color: true, ..options });
    for log in [of(Format::Github), colored] {
        let own = |line: &str| {
            let annotation = ["::error ", "::warning ", "::notice "].iter().any(|c| line.starts_with(c));
            annotation || line.starts_with("::group::stacklint: ") || line == "::endgroup::"
        };
        let lines: Vec<&str> = log.split(['\n', '\r']).collect();
        for line in &lines {
            let start = line.trim_start().trim_start_matches('\u{1b}');
            // `::: ` names no command.
            let starts = start.starts_with("::") && !start.starts_with("::: ");
            assert!(own(line) || !starts && !line.contains("##["), "{line:?}");
        }
        let commands = lines.iter().filter(|line| own(line)).count();
        let lead = usize::from(report.comparison.is_some());
        assert_eq!(commands, 2 + lead + report.findings.iter().filter(|f| f.counts()).count());
    }
    for format in [Format::Json, Format::Gitlab, Format::Rdjson] {
        serde_json::from_str::<Json>(&of(format)).unwrap();
    }
    let log: Json = serde_json::from_str(&of(Format::Sarif)).unwrap();
    let typed: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), log);
    elements(&of(Format::Junit));
    let markdown = of(Format::Markdown);
    assert!(is_balanced(&markdown), "{markdown}");
    assert!(markdown.encode_utf16().count() <= 65_536);
}

proptest! {
    #![proptest_config(crate::fuzz::cases(10))]

    #[test]
    fn whatever_stands_in_files(
        texts in vec((text(), text()), 1..4),
        findings in vec((vec(text(), 1..5), vec((0_usize..4, 0_u32..60, 0_u32..40), 1..4), any::<[usize; 4]>()), 0..8),
        changes in vec(
            (vec(text(), 1..5), proptest::option::of(value()), proptest::option::of(value()), vec((0_usize..4, 0_u32..9), 0..4)),
            0..6,
        ),
        names in vec(text(), 4),
    ) {
        let texts: Vec<RawFile> = texts;
        let findings: Vec<RawFinding> = findings;
        let changes: Vec<RawChange> = changes;
        let files = Files::default();
        let ids: Vec<_> = texts.iter().map(|(path, text)| files.add(path, text, || text.as_str().into())).collect();
        let mut components: Vec<ComponentChange> = changes.into_iter().map(|raw| change(raw, &ids)).collect();
        components.sort_by_key(ComponentChange::address);
        let diff = Diff { components, unresolved: names.clone(), ..Diff::default() };
        let (base, head) = (
            Revision { rev: names[0].clone(), commit: Some("0".repeat(40)) },
            Revision { rev: names[1].clone(), commit: Some(names[2].clone()) },
        );
        let rules: Vec<_> = RULES.iter().filter_map(|r| Some(((*r).into(), r.default_level()?))).collect();
        for compared in [false, true] {
            let mut found: Vec<Finding> = findings.iter().map(|raw| finding(raw, &ids, compared)).collect();
            let silenced = found.pop().map(|finding| Suppressed { finding, by: Suppression::Comment(names[3].clone()) });
            let silenced: Vec<Suppressed> = silenced.into_iter().collect();
            check(&Report {
                files: &files,
                findings: &found,
                suppressed: &silenced,
                head: &head,
                comparison: compared.then_some(Comparison::new(&base, &diff)),
                rules: &rules,
                remote: Some(if compared { "git@gitlab.com:a/b.git" } else { &names[0] }),
                coverage: &coverage(&names),
                unreadable: &names,
            });
        }
    }
}

/// A project whose names are those.
fn coverage(names: &[String]) -> Coverage {
    let unresolved = |name: &String| Unresolved {
        stack: name.len().is_multiple_of(2).then(|| Text::from(name.as_str())),
        file: Text::from(name.as_str()),
        component: None,
        reason: name.clone(),
        is_partial: false,
        is_edited: false,
        place: Some((Text::from(name.as_str()), 1)),
    };
    let head =
        SideCoverage { stacks: 1, components: 2, untouched: 3, unresolved: names.iter().map(unresolved).collect() };
    let config = names.iter().map(|name| Text::from(name.as_str())).collect();
    let project = ProjectCoverage {
        is_touched: true,
        dialect: "system",
        path: names.first().cloned().unwrap_or_default(),
        config,
        assumptions: names.to_vec(),
        base: None,
        head,
        stacks: 1,
        components: 2,
        not_evaluated: names.iter().map(|name| name.as_str().into()).collect(),
    };
    Coverage {
        projects: vec![project.clone(), project],
        not_analyzed: names.to_vec(),
        warnings: names.to_vec(),
        unread: names.iter().map(|name| name.as_str().into()).collect(),
        run_settings: names.to_vec(),
        run_files: names.iter().map(|name| name.as_str().into()).collect(),
        narrowed: names.first().cloned(),
    }
}
