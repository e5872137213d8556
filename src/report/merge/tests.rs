use super::*;

fn report(index: usize, of: usize, edit: impl Fn(&mut Value)) -> String {
    let mut report = serde_json::json!({
        "schema": "stacklint/report/v1",
        "diagnostics": [finding(index, "x", "error")],
        "suppressed": [],
        "coverage": {
            "projects": [{
                "dialect": "system", "path": ".", "config": ["main.yaml"], "stack_names": [format!("s{index}"), "shared"],
                "head": { "stacks": 2, "components": 3, "untouched": 0, "unresolved": [] },
            }],
            "narrowed": "a shard",
            "shard": {
                "index": index, "of": of, "units": 2, "all_units": 2 * of, "version": "1", "rev": "HEAD", "commit": "c",
                "check": "d", "fail_on": "warning", "strict": false,
            },
        },
    });
    edit(&mut report);
    report.to_string()
}

fn finding(line: usize, rule: &str, level: &str) -> Value {
    serde_json::json!({
        "rule": rule, "level": level, "file": "a.yaml", "line": line, "column": 1, "end_line": line, "end_column": 2,
        "message": "m", "fingerprint": "f",
    })
}

fn merged(texts: &[String]) -> Result<Merged, String> {
    let names: Vec<String> = (0..texts.len()).map(|n| format!("{n}.json")).collect();
    let sources: Vec<Source<'_>> = names.iter().zip(texts).map(|(name, text)| Source { name, text }).collect();
    merge(&sources, &["system"])
}

fn written(merged: &Merged) -> Value {
    let mut out = Vec::new();
    merged.write(&mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn findings_are_put_together_and_coverage_is_added_up() {
    let parts = [report(2, 2, |_| ()), report(1, 2, |_| ())];
    let whole = merged(&parts).unwrap();
    let json = written(&whole);
    let lines: Vec<u64> = json["diagnostics"].as_array().unwrap().iter().map(|d| d["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 2]);
    let head = &json["coverage"]["projects"][0]["head"];
    assert_eq!((head["stacks"].as_u64(), head["components"].as_u64()), (Some(3), Some(6)));
    assert!(json["coverage"].get("shard").is_none() && json["coverage"].get("narrowed").is_none());
    assert_eq!(whole.summary(), "2 shards: 2 errors; checked 3 stacks, 6 components; main.yaml");
    assert_eq!(whole.outcome(None), Outcome::Findings);
    assert_eq!(whole.outcome(Some(FailOn::Never)), Outcome::Clean);
}

#[test]
fn what_several_shards_tell_is_told_once() {
    let same = |report: &mut Value| report["diagnostics"] = Value::Array(vec![finding(7, "internal-error", "error")]);
    let whole = merged(&[report(1, 2, same), report(2, 2, same)]).unwrap();
    assert_eq!(written(&whole)["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(whole.outcome(None), Outcome::Defect);
}

#[test]
fn what_is_incomplete_fails_a_strict_run_alone() {
    let of = |is_strict: bool| {
        let edit = move |report: &mut Value| {
            report["diagnostics"] = Value::Array(vec![finding(7, "incomplete-analysis", "warning")]);
            report["coverage"]["shard"]["strict"] = is_strict.into();
        };
        merged(&[report(1, 1, edit)]).unwrap().outcome(None)
    };
    assert_eq!((of(false), of(true)), (Outcome::Clean, Outcome::Findings));
}

#[test]
fn what_does_not_fit_together_is_an_error() {
    let shard =
        |key: &'static str, value: Value| move |report: &mut Value| report["coverage"]["shard"][key] = value.clone();
    let first = || report(1, 2, |_| ());
    let table: [(&str, Vec<String>); 13] = [
        ("the report of shard 2 of 2 is missing", vec![first()]),
        ("the reports of shards 2, 3, 4, 5, 6, … of 9 are missing", vec![report(1, 9, |_| ())]),
        ("are both of shard 1", vec![first(), first()]),
        ("are of checks in 2 and in 3 shards", vec![first(), report(2, 3, |_| ())]),
        ("were written by stacklint 1 and 2", vec![first(), report(2, 2, shard("version", "2".into()))]),
        ("are of different revisions, c and e", vec![first(), report(2, 2, shard("commit", "e".into()))]),
        ("are of different checks", vec![first(), report(2, 2, shard("check", "x".into()))]),
        ("are of different checks", vec![first(), report(2, 2, shard("strict", true.into()))]),
        ("the reports cover 3 of 4 stacks", vec![first(), report(2, 2, shard("units", 1.into()))]),
        ("there is no such shard", vec![report(3, 2, |_| ())]),
        ("it covers no shard", vec![report(1, 2, |r| r["coverage"]["shard"] = Value::Null)]),
        ("an unknown system", vec![report(1, 1, |r| r["coverage"]["projects"][0]["dialect"] = "y".into())]),
        ("something in it is no finding", vec![report(1, 1, |r| r["diagnostics"] = serde_json::json!([{}]))]),
    ];
    for (message, parts) in table {
        let error = merged(&parts).err().unwrap_or_default();
        assert!(error.contains(message), "{message}: {error}");
    }
}
