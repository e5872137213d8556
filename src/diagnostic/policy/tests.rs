use super::*;
use std::sync::LazyLock;

static BAD_NAME: Rule = Rule::unregistered("bad-name");
static LOOSE_END: Rule = Rule::unregistered("loose-end");
const RULES: [&Rule; 4] = [&BAD_NAME, &LOOSE_END, &UNKNOWN_RULE, &UNUSED_IGNORE];

/// Creates a finding of a rule at each place where a text occurs in a file.
fn at(files: &Files, path: &str, text: &str, found: &[(&'static Rule, &str)]) -> Side {
    let id = files.add(path, text, || text.into());
    let diagnostics = found
        .iter()
        .flat_map(|(rule, what)| {
            text.match_indices(what).map(move |(start, what)| {
                let label = Label::new(id, start as u32, (start + what.len()) as u32, "");
                Diagnostic::new(*rule, format!("`{what}` in line {start}"), label)
            })
        })
        .collect();
    Side { diagnostics, files: BTreeSet::from([id]) }
}

fn policy<'a>(files: &'a Files, level: &'a dyn Fn(&Rule, &str) -> Option<Level>) -> Policy<'a> {
    static REFS: LazyLock<Vec<RuleRef>> = LazyLock::new(|| RULES.map(RuleRef::from).to_vec());
    Policy {
        files,
        level,
        rules: &REFS,
        examined: &|_| true,
        min_level: Level::Note,
        require_reasons: false,
        baseline: None,
        trusted: None,
        moved_from: &|_| None,
    }
}

/// Returns the rule, line and novelty of each finding.
fn reported(files: &Files, findings: &[Finding]) -> Vec<String> {
    let one = |f: &Finding| {
        let label = &f.diagnostic.primary;
        let line = files.get(label.file).line(label.start);
        format!("{} {line} {}", f.diagnostic.rule.id(), f.novelty.map_or("-", Novelty::name))
    };
    findings.iter().map(one).collect()
}

const WARN: fn(&Rule, &str) -> Option<Level> = |_, _| Some(Level::Warning);

#[test]
fn moving_code_makes_nothing_new() {
    let files = Files::default();
    let old = "vars:\n  a: x\n  b: y\n";
    let new = format!("# words\n{}vars:\n  c: z\n  a: x\n", "\n".repeat(20));
    let found = [(&BAD_NAME, "x"), (&BAD_NAME, "y"), (&BAD_NAME, "z")];
    let verdict =
        policy(&files, &WARN).judge(at(&files, "a.yaml", &new, &found), Some(at(&files, "a.yaml", old, &found)));
    assert_eq!(reported(&files, &verdict.findings), ["bad-name 23 new", "bad-name 24 known", "bad-name 3 fixed"]);
}

#[test]
fn moved_files_keep_their_findings_and_copies_do_not() {
    let files = Files::default();
    let text = "vars:\n  a: x\n";
    let found = [(&BAD_NAME, "x")];
    let side = |paths: &[&str]| {
        paths.iter().fold(Side::default(), |mut all, path| {
            let more = at(&files, path, text, &found);
            all.diagnostics.extend(more.diagnostics);
            all.files.extend(more.files);
            all
        })
    };
    let moved_from = |path: &str| (path == "b.yaml").then(|| Text::from("a.yaml"));
    let run = |old: &[&str], new: &[&str], moved: bool| {
        let stay = policy(&files, &WARN);
        let policy = if moved { Policy { moved_from: &moved_from, ..stay } } else { stay };
        reported(&files, &policy.judge(side(new), Some(side(old))).findings)
    };
    assert_eq!(run(&["a.yaml"], &["b.yaml"], true), ["bad-name 2 known"]);
    assert_eq!(run(&["a.yaml"], &["a.yaml", "b.yaml"], false), ["bad-name 2 known", "bad-name 2 new"]);
    assert_eq!(run(&["a.yaml", "b.yaml"], &["b.yaml"], false), ["bad-name 2 known", "bad-name 2 fixed"]);
    // The one is mended, and another file gets the same mistake.
    assert_eq!(run(&["a.yaml"], &["b.yaml"], false), ["bad-name 2 new", "bad-name 2 fixed"]);
}

#[test]
fn comments_silence_and_are_reported_when_they_do_not() {
    let files = Files::default();
    let text = "a: x # stacklint: ignore[bad-name, loose-end] for now\nb: 1 # stacklint: ignore[bad-name]\n# stacklint: ignore[bad-nme]\nc: 2\n";
    let verdict = policy(&files, &WARN).judge(at(&files, "a.yaml", text, &[(&BAD_NAME, "x")]), None);
    assert_eq!(reported(&files, &verdict.findings), ["unused-ignore 1 -", "unused-ignore 2 -", "unknown-rule 3 -"]);
    let [suppressed] = &verdict.suppressed[..] else { panic!("{verdict:?}") };
    assert_eq!(suppressed.by, Suppression::Comment("for now".into()));
    let edits: Vec<&Edit> = verdict.findings.iter().flat_map(|f| &f.diagnostic.fix).map(|f| &f.edits[0]).collect();
    let apply = |edit: &Edit| format!("{}{}{}", &text[..edit.start as usize], edit.text, &text[edit.end as usize..]);
    assert!(apply(edits[0]).starts_with("a: x # stacklint: ignore[bad-name] for now\n"), "{}", apply(edits[0]));
    assert!(apply(edits[1]).contains("now\nb: 1\n"), "{}", apply(edits[1]));
    assert!(apply(edits[2]).contains("# stacklint: ignore[bad-name]\nc"), "{}", apply(edits[2]));
}

#[test]
fn a_comment_without_a_reason_may_be_refused() {
    let files = Files::default();
    let policy = Policy { require_reasons: true, ..policy(&files, &WARN) };
    let text = "a: x # stacklint: ignore[bad-name]\nb: x # stacklint: ignore[bad-name] because\n";
    let verdict = policy.judge(at(&files, "a.yaml", text, &[(&BAD_NAME, "x")]), None);
    assert_eq!(reported(&files, &verdict.findings), ["bad-name 1 -", "unused-ignore 1 -"]);
}

#[test]
fn rules_that_are_off_are_neither_reported_nor_missed() {
    let files = Files::default();
    let level = |rule: &Rule, path: &str| (rule != &BAD_NAME && path != "old.yaml").then_some(Level::Error);
    let policy = policy(&files, &level);
    let text = "a: x # stacklint: ignore[bad-name]\nb: y\n";
    let found = [(&BAD_NAME, "x"), (&LOOSE_END, "y")];
    assert_eq!(reported(&files, &policy.judge(at(&files, "a.yaml", text, &found), None).findings), ["loose-end 2 -"]);
    assert_eq!(policy.judge(at(&files, "old.yaml", text, &found), None), Verdict::default());
}

#[test]
fn a_finding_that_is_silenced_in_the_head_is_not_fixed_and_one_that_no_longer_is_is_new() {
    let files = Files::default();
    let (loud, quiet) = ("a: x\n", "a: x # stacklint: ignore[bad-name]\n");
    let found = [(&BAD_NAME, "x")];
    let run = |old: &str, new: &str| {
        let verdict =
            policy(&files, &WARN).judge(at(&files, "a.yaml", new, &found), Some(at(&files, "a.yaml", old, &found)));
        reported(&files, &verdict.findings)
    };
    assert_eq!(run(loud, quiet), Vec::<String>::new());
    assert_eq!(run(quiet, loud), ["bad-name 1 new"]);
}

#[test]
fn a_baseline_keeps_what_it_has_and_no_more() {
    let files = Files::default();
    let found = [(&BAD_NAME, "x")];
    let before = policy(&files, &WARN).judge(at(&files, "a.yaml", "a: x\n", &found), None).findings;
    let mut written = Vec::new();
    super::super::baseline::write(&mut written, before.iter(), &files).unwrap();
    let baseline = Baseline::parse(std::str::from_utf8(&written).unwrap()).unwrap();
    let policy = Policy { baseline: Some(&baseline), ..policy(&files, &WARN) };
    let verdict = policy.judge(at(&files, "a.yaml", "b: x\n\n\na: x\n", &found), None);
    assert_eq!(reported(&files, &verdict.findings), ["bad-name 1 -"]);
    assert_eq!(verdict.suppressed[0].by, Suppression::Baseline);
}
