use super::*;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diagnostic::{Rule, rules as shared};
use crate::report::tests::{Fixture, written};
use crate::report::{Format, RenderOptions};
use crate::text::Text;

fn log_of(report: &Report<'_>) -> Json {
    serde_json::from_str(&written(Format::Sarif, report, &RenderOptions::default())).unwrap()
}

#[test]
fn nothing_is_unknown_to_sarif() {
    let fixture = Fixture::new();
    for report in [fixture.checked(), fixture.compared()] {
        let log = log_of(&report);
        let typed: Sarif = serde_json::from_value(log.clone()).unwrap();
        assert_eq!(serde_json::to_value(&typed).unwrap(), log, "keys that the types do not know are lost");
    }
}

#[test]
fn rules_results_and_fingerprints_agree() {
    let fixture = Fixture::new();
    let log = log_of(&fixture.compared());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.is_sorted_by_key(|r| r["id"].as_str()));
    assert_eq!(rules.len(), fixture.compared().rules.len());
    for result in run["results"].as_array().unwrap() {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let keys: Vec<_> = result["partialFingerprints"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["stacklint/v1"]);
    }
}

#[test]
fn one_rule_is_about_security() {
    let fixture = Fixture::new();
    let all: Vec<_> = crate::rules::RULES.iter().map(|rule| ((*rule).into(), Level::Warning)).collect();
    let log = log_of(&Report { rules: &all, ..fixture.checked() });
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), all.len());
    let secure: Vec<&Json> = rules.iter().filter(|r| r["properties"]["security-severity"].is_string()).collect();
    assert!(secure.len() == 1 && secure[0]["id"] == "stacklint/secret-in-plain-text");
}

static X: Rule = Rule::unregistered("x");

fn finding(message: String, label: &Label, level: Level) -> Finding {
    let mut diagnostic = Diagnostic::new(&shared::DUPLICATE_KEY, message, label.clone());
    diagnostic.related = vec![label.clone(); 3];
    Finding { diagnostic, level, novelty: None, fingerprint: Text::from("0"), also: Vec::new() }
}

#[test]
fn limits_of_github() {
    let fixture = Fixture::new();
    let label = fixture.checked().findings[0].diagnostic.primary.clone();
    let note = finding("small".into(), &label, Level::Note);
    let error = finding("small".into(), &label, Level::Error);
    for (message, total) in [(String::from("small"), 26_000), ("large ".repeat(2_000), 1_200)] {
        let mut findings = vec![finding(message, &label, Level::Note); total];
        findings.push(error.clone());
        let text =
            written(Format::Sarif, &Report { findings: &findings, ..fixture.checked() }, &RenderOptions::default());
        assert!(text.len() < 10_000_000, "{}", text.len());
        let run = &serde_json::from_str::<Json>(&text).unwrap()["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert!(results.len() <= MAX_RESULTS && results.len() > 400, "{}", results.len());
        assert_eq!(results[0]["level"], "error");
        let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
        let expected = format!("{} of {} results are left out", total + 3 - results.len(), total + 3);
        assert!(notes.iter().any(|n| n["message"]["text"].as_str().unwrap().starts_with(&expected)), "{notes:?}");
    }
    let mut many = note;
    many.diagnostic.related = vec![label; 1_500];
    let mut chain = many.clone();
    chain.diagnostic.is_chain = true;
    let log = log_of(&Report { findings: &[many, chain], ..fixture.checked() });
    let run = &log["runs"][0];
    assert_eq!(run["results"][0]["relatedLocations"].as_array().unwrap().len(), 1_000);
    let steps = &run["results"][1]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().unwrap().len(), 100);
    assert!(log.to_string().contains("2 results have more related places than are listed"));
}

#[test]
fn messages_are_sentences_with_links() {
    let fixture = Fixture::new();
    let label = fixture.checked().findings[0].diagnostic.primary.clone();
    let related = Label { message: "an [odd] \\ place".into(), ..label.clone() };
    let d = Diagnostic::new(&X, "what [is](1) this", label).related(related).note("so").help("did you mean `x`?");
    let place = "catalog/defaults.yaml:4";
    assert_eq!(
        result::message(&d, &fixture.files),
        format!("What [is] (1) this. So. Did you mean `x`? See: [an \\[odd\\] \\\\ place ({place})](1).")
    );
}
