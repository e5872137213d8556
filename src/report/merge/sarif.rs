//! Reports in SARIF. The run of the first shard is completed by the results, the rules and the notes of the others.

use super::coverage::Written;
use super::{Part, Source, Weight, level, no_report, parse, text, with_report};
use crate::diagnostic::Level;
use crate::report::coverage::{CoverageJson, lead, summary};
use crate::report::indented_json;
use crate::report::sarif::{Limited, limited};
use crate::review::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

type Object = Map<String, Value>;

/// A log with one run.
#[derive(Deserialize, Serialize)]
pub(super) struct Content {
    #[serde(rename = "$schema")]
    schema: String,
    runs: Vec<Run>,
    version: String,
}

#[derive(Deserialize, Serialize)]
struct Run {
    invocations: Vec<Object>,
    results: Vec<Object>,
    tool: Tool,
    #[serde(flatten)]
    rest: Object,
}

#[derive(Deserialize, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize, Serialize)]
struct Driver {
    rules: Vec<Object>,
    #[serde(flatten)]
    rest: Object,
}

/// Reads one.
///
/// # Errors
/// It is none of a shard.
pub(super) fn read(source: Source<'_>, dialects: &[&'static str]) -> Result<Part<Content>, String> {
    let content: Content = parse(source)?;
    let wrong = |why: &str| no_report(source.name, why);
    let [run] = content.runs.as_slice() else { return Err(wrong("it has not one run")) };
    let [invocation] = run.invocations.as_slice() else { return Err(wrong("it has not one invocation")) };
    let covered = invocation.get("properties").and_then(|bag| bag.get("coverage"));
    let covered = covered.ok_or_else(|| wrong("it does not say what it covers"))?;
    let covered = Written::deserialize(covered).map_err(|e| wrong(&crate::text::plain(&e.to_string())))?;
    let (coverage, shard) = covered.read(source.name, dialects)?;
    let is_result = |result: &Object| level(text(result, "level")).is_some() && !text(result, "ruleId").is_empty();
    if !run.results.iter().all(is_result) {
        return Err(wrong("a result has no rule or level"));
    }
    Ok(Part { name: source.name.to_owned(), coverage, shard, content })
}

/// Puts the results of all shards into one run.
pub(super) fn merge(parts: Vec<Part<Content>>, coverage: &Coverage) -> (Content, Vec<(Level, Weight)>) {
    let mut runs = Vec::new();
    let mut log = Content { schema: String::new(), runs: Vec::new(), version: String::new() };
    let mut leads: BTreeSet<String> = BTreeSet::new();
    for part in parts {
        leads.extend(with_report(&part.coverage, lead));
        let Content { schema, runs: own, version } = part.content;
        (log.schema, log.version) = (schema, version);
        runs.extend(own);
    }
    let rules: BTreeMap<String, Object> = runs
        .iter_mut()
        .flat_map(|run| std::mem::take(&mut run.tool.driver.rules))
        .map(|r| (text(&r, "id").to_owned(), r))
        .collect();
    let mut results: Vec<Object> = runs.iter_mut().flat_map(|run| std::mem::take(&mut run.results)).collect();
    results.sort_by(|a, b| place(a).cmp(&place(b)));
    results.dedup();
    let numbers: HashMap<&String, usize> = rules.keys().zip(0..).collect();
    for result in &mut results {
        match numbers.get(&text(result, "ruleId").to_owned()) {
            Some(number) => result.insert("ruleIndex".to_owned(), json!(number)),
            None => result.remove("ruleIndex"),
        };
    }
    let verdicts = verdicts(&results);
    let Limited { rows, note } = limited(results);
    let invocation = invocation(&runs, &leads, note, coverage);
    if let Some(mut run) = runs.into_iter().next() {
        (run.results, run.invocations) = (rows, vec![invocation]);
        run.tool.driver.rules = rules.into_values().collect();
        log.runs.push(run);
    }
    (log, verdicts)
}

/// What results that are reported mean for the verdict.
fn verdicts(results: &[Object]) -> Vec<(Level, Weight)> {
    let verdict = |result: &Object| {
        let rule = text(result, "ruleId");
        Some((level(text(result, "level"))?, Weight::of(rule.rsplit('/').next().unwrap_or(rule))))
    };
    results.iter().filter(|result| !is_suppressed(result)).filter_map(verdict).collect()
}

fn is_suppressed(result: &Object) -> bool {
    result.get("suppressions").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
}

/// By what results are sorted: those that count and are most severe first.
fn place(result: &Object) -> (bool, Reverse<Option<Level>>, &str, [u64; 4], &str, &str) {
    let place = result.get("locations").and_then(|l| l.get(0)).and_then(|l| l.get("physicalLocation"));
    let region = place.and_then(|place| place.get("region"));
    let number = |key: &str| region.and_then(|region| region.get(key)).and_then(Value::as_u64);
    let (line, column) = (number("startLine").unwrap_or(1), number("startColumn").unwrap_or(1));
    let numbers = [line, column, number("endLine").unwrap_or(line), number("endColumn").unwrap_or_default()];
    let uri = place.and_then(|place| place.pointer("/artifactLocation/uri")).and_then(Value::as_str);
    let message = result.get("message").and_then(|m| m.get("text")).and_then(Value::as_str);
    let severity = Reverse(level(text(result, "level")));
    let (uri, message) = (uri.unwrap_or_default(), message.unwrap_or_default());
    (is_suppressed(result), severity, uri, numbers, text(result, "ruleId"), message)
}

/// How the run of all shards went. What each said of its own part is replaced by what is to be said of all.
fn invocation(runs: &[Run], leads: &BTreeSet<String>, note: Option<String>, coverage: &Coverage) -> Object {
    let message_of = |notification: &Value| {
        let message = notification.pointer("/message/text").and_then(Value::as_str);
        message.unwrap_or_default().to_owned()
    };
    let own = runs.iter().flat_map(|run| &run.invocations);
    let notes = own.clone().filter_map(|one| one.get("toolExecutionNotifications")?.as_array()).flatten();
    let mut seen = BTreeSet::new();
    let kept = notes.filter(|note| !leads.contains(&message_of(note)) && seen.insert(message_of(note))).cloned();
    let warning = |text: String| json!({ "level": "warning", "message": { "text": text } });
    let all = with_report(coverage, lead).into_iter().map(warning);
    let notifications: Vec<Value> = kept.chain(all).chain(note.map(warning)).collect();
    let has_succeeded = own.clone().all(|one| one.get("executionSuccessful") == Some(&json!(true)));
    let mut invocation = own.clone().next().cloned().unwrap_or_default();
    let covered = json!({ "coverage": CoverageJson::of(coverage), "summary": with_report(coverage, summary) });
    invocation.insert("executionSuccessful".to_owned(), json!(has_succeeded));
    invocation.insert("properties".to_owned(), covered);
    invocation.insert("toolExecutionNotifications".to_owned(), Value::Array(notifications));
    invocation
}

/// Writes a log.
///
/// # Errors
/// Those of the writer.
pub(super) fn write(out: &mut dyn io::Write, content: &Content) -> io::Result<()> {
    indented_json::write(out, content)
}
