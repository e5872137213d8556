//! Evaluates policies in Rego: `data.<package>.errors`, as deployment tools do. Functions that access the network, the
//! clock or the environment do not exist here.

use super::rego_memory::Metered;
use super::rego_text::{self, Read, Statement};
use super::{Budget, Path, PathStep, Unusable, each_unknown, rego_guard, rego_heads, to_json};
use crate::text::Text;
use crate::value::Value;
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

/// The evaluated rule.
const RULE: &str = "errors";

/// How many steps are taken between two checks of the clock.
const STEPS: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

/// A file of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// Its path, for messages.
    pub path: Text,
    pub text: Text,
}

/// A policy with the modules that it needs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Policy {
    /// The package that is asked.
    package: &'static str,
    modules: Arc<Vec<(Module, Vec<Statement>)>>,
    /// Why it is not evaluated at all.
    refused: Option<Unusable>,
    /// Engines by the statements that they omit.
    engines: Arc<Mutex<Engines>>,
}

type Engines = HashMap<Left, Result<regorus::Engine, Unusable>>;

/// Omitted statements, as module and index.
type Left = BTreeSet<(usize, usize)>;

/// The result of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ruling {
    /// Its errors, sorted.
    pub errors: Vec<String>,
    /// The unknown values that it reads: statements that depend on them were omitted.
    pub open: Vec<Open>,
}

/// A place in a policy that reads something unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub module: usize,
    /// The place in its text.
    pub range: Range<usize>,
    /// The unknown part of it.
    pub unknown: Path,
}

impl Policy {
    pub(crate) fn new(package: &'static str, modules: Vec<Module>) -> Policy {
        let modules: Vec<(Module, Vec<Statement>)> =
            modules.into_iter().map(|m| (rego_text::statements(&m.text), m)).map(|(s, m)| (m, s)).collect();
        let texts = modules.iter().map(|(module, statements)| (&*module.text, &statements[..]));
        let refused = rego_guard::excess(texts).map(Unusable::Exceeded).or_else(|| {
            let function = rego_guard::recursive(modules.iter().map(|(_, statements)| &statements[..]))?;
            Some(Unusable::Wrong(format!(
                "the function `{function}` calls itself, which policies may not (`rego_recursion_error`)"
            )))
        });
        Policy { package, modules: Arc::new(modules), refused, engines: Arc::default() }
    }

    /// Evaluates it.
    ///
    /// # Errors
    /// Why it cannot be evaluated.
    pub(crate) fn check(&self, input: &Value, budget: &Budget) -> Result<Ruling, Unusable> {
        if let Some(why) = &self.refused {
            return Err(why.clone());
        }
        let mut unknown = Vec::new();
        each_unknown(input, &mut |path| unknown.push(path));
        let (mut left, mut open) = (Left::new(), Vec::new());
        let mut is_shared = false;
        for (m, (_, statements)) in self.modules.iter().enumerate() {
            let is_asked = rego_text::package(statements).as_deref() == Some(self.package);
            for (s, statement) in statements.iter().enumerate() {
                let mut touched = statement.reads.iter().filter_map(|read| Some((read, hit(read, &unknown)?)));
                let Some((read, path)) = touched.next() else { continue };
                open.push(Open { module: m, range: read.range.clone(), unknown: path.clone() });
                if is_asked && statement.head == RULE {
                    left.insert((m, s));
                } else {
                    is_shared = true;
                }
            }
        }
        // Statements that others use cannot be omitted, nor can those that are evaluated themselves.
        let statements = || self.modules.iter().flat_map(|(_, all)| all);
        let is_asked_about = statements().any(|s| s.names.iter().any(|n| n == RULE));
        let rules = || self.modules.iter().filter(|(_, all)| rego_text::package(all).as_deref() == Some(self.package));
        let count = rules().flat_map(|(_, all)| all).filter(|s| s.head == RULE).count();
        if is_shared || !left.is_empty() && (is_asked_about || left.len() == count) {
            return Ok(Ruling { errors: Vec::new(), open });
        }
        let json = to_json(input, None)
            .ok_or_else(|| Unusable::Unsupported("the configuration is nested too deeply".to_owned()))?;
        // The thread that made the input frees it: see `Metered`.
        let json = Arc::new(json);
        let (policy, shared) = (self.clone(), Arc::clone(&json));
        let errors = budget.run(move || policy.evaluate(&left, &shared)).map_err(Unusable::stopped)??;
        Ok(Ruling { errors, open })
    }

    /// Returns the errors for an input, sorted.
    fn evaluate(&self, left: &Left, input: &serde_json::Value) -> Result<Vec<String>, Unusable> {
        let _metered = Metered::start();
        let mut engine = self.engine(left)?;
        engine.set_input(regorus::Value::deserialize(input).unwrap_or(regorus::Value::Undefined));
        let found = engine.eval_query(format!("data.{}.{RULE}", self.package), false).map_err(|e| {
            let text = format!("{e:#}");
            if rego_guard::is_excess(&text) { Unusable::Exceeded(failed_line(&text)) } else { failed(&e.to_string()) }
        })?;
        let value = found.result.first().and_then(|r| r.expressions.first()).map(|e| &e.value);
        let items: Vec<&regorus::Value> = match value {
            Some(regorus::Value::Set(items)) => items.iter().collect(),
            Some(regorus::Value::Array(items)) => items.iter().collect(),
            _ => {
                let package = self.package;
                let message = format!("it defines no `{RULE}` in the package `{package}`, or one that is not a set");
                return Err(Unusable::Wrong(message));
            }
        };
        let text = |v: &regorus::Value| match v {
            regorus::Value::String(s) => s.to_string(),
            other => other.to_json_str().unwrap_or_default(),
        };
        let mut errors: Vec<String> = items.into_iter().map(text).collect();
        errors.sort();
        errors.dedup();
        Ok(errors)
    }

    fn engines(&self) -> MutexGuard<'_, Engines> {
        self.engines.lock()
    }

    /// Returns an engine with the policy, without some statements.
    fn engine(&self, left: &Left) -> Result<regorus::Engine, Unusable> {
        let mut engines = self.engines();
        let made = engines.entry(left.clone()).or_insert_with_key(|left| {
            let mut engine = regorus::Engine::new();
            engine.set_rego_v0(true);
            engine.set_strict_builtin_errors(false);
            engine.set_execution_timer_config(regorus::utils::limits::ExecutionTimerConfig {
                limit: super::budget::TIME,
                check_interval: STEPS,
            });
            rego_guard::install(&mut engine).map_err(Unusable::Unsupported)?;
            // Old, and what examples of policies are written with.
            let re_match = |args: Vec<regorus::Value>| Ok(re_match(&args));
            engine.add_extension("re_match".to_owned(), 2, Box::new(re_match)).map_err(|e| failed(&e.to_string()))?;
            for (m, (module, statements)) in self.modules.iter().enumerate() {
                let mut text = module.text.to_string();
                for (_, statement) in statements.iter().enumerate().filter(|(s, _)| left.contains(&(m, *s))) {
                    text.replace_range(statement.range.clone(), &blank(&module.text[statement.range.clone()]));
                }
                engine
                    .add_policy(module.path.to_string(), rego_heads::bind(&text))
                    .map_err(|e| failed(&e.to_string()))?;
            }
            Ok(engine)
        });
        made.clone()
    }
}

/// Whether a text matches a pattern; undefined for invalid arguments.
fn re_match(args: &[regorus::Value]) -> regorus::Value {
    let [regorus::Value::String(pattern), regorus::Value::String(text)] = args else {
        return regorus::Value::Undefined;
    };
    regex::Regex::new(pattern).map_or(regorus::Value::Undefined, |regex| regorus::Value::from(regex.is_match(text)))
}

/// White space with the same lines, and the same number of bytes.
fn blank(text: &str) -> String {
    text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect()
}

/// The unknown value that a read meets, if it meets one.
fn hit<'p>(read: &Read, unknown: &'p [Path]) -> Option<&'p Path> {
    unknown.iter().find(|path| {
        let same = |(key, step): (&String, &PathStep)| matches!(step, PathStep::Key(k) if k == key);
        read.path.iter().zip(&path.0).all(same)
    })
}

/// Explains why a policy cannot be evaluated. A construct that the evaluator does not support may be valid.
fn failed(message: &str) -> Unusable {
    Unusable::Unsupported(failed_line(message))
}

fn failed_line(message: &str) -> String {
    let line = message.lines().rev().find_map(|l| l.trim().strip_prefix("error:")).unwrap_or(message);
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Map, Unknown};

    fn input(json: &str, unknown: &[&str]) -> Value {
        let known = crate::value::json::parse(json).expect("JSON");
        let mut map: Map = (**known.as_map().expect("a map")).clone();
        for key in unknown {
            map.set(*key, Value::new(Data::Unknown(Arc::new(Unknown::new("?", "a test")))));
        }
        Value::map(map)
    }

    fn policy(text: &str) -> Policy {
        Policy::new("atmos", vec![Module { path: "policy.rego".into(), text: text.into() }])
    }

    const POLICY: &str = r#"package atmos

import future.keywords.in

errors[message] {
    input.vars.stage == "prod"
    input.vars.public == true
    message = "nothing is public in prod"
}

errors[message] {
    "apply" in input.cli_args
    message = "no apply"
}

errors[message] {
    not re_match("^[a-z]+$", input.vars.name)
    message = sprintf("bad name '%s'", [input.vars.name])
}
"#;

    #[test]
    fn errors_are_reported() {
        let ruling = policy(POLICY)
            .check(&input(r#"{"vars":{"stage":"prod","public":true,"name":"A"}}"#, &[]), &Budget::default())
            .unwrap();
        assert_eq!(ruling.errors, ["bad name 'A'", "nothing is public in prod"]);
        assert_eq!(ruling.open, []);
        let fine =
            policy(POLICY).check(&input(r#"{"vars":{"stage":"prod","name":"a"}}"#, &[]), &Budget::default()).unwrap();
        assert_eq!(fine, Ruling::default());
    }

    #[test]
    fn what_reads_something_unknown_is_left_out() {
        let with = input(r#"{"vars":{"stage":"prod","public":true,"name":"A"}}"#, &["cli_args"]);
        let ruling = policy(POLICY).check(&with, &Budget::default()).unwrap();
        assert_eq!(ruling.errors, ["bad name 'A'", "nothing is public in prod"]);
        let place = &POLICY[ruling.open[0].range.clone()];
        assert_eq!(
            (ruling.open.len(), place, ruling.open[0].unknown.to_string()),
            (1, "input.cli_args", "cli_args".into())
        );
        // All of the variables are unknown: two of three rules read them, and the third one passes.
        let ruling = policy(POLICY).check(&input(r#"{"cli_args":["plan"]}"#, &["vars"]), &Budget::default()).unwrap();
        assert_eq!((ruling.errors.len(), ruling.open.len()), (0, 2));
        // A helper that reads it may be used by all.
        let shared = "package atmos\nis_prod { input.vars.stage == \"prod\" }\nerrors[m] { not is_prod; m = \"x\" }\n";
        let ruling = policy(shared).check(&input("{}", &["vars"]), &Budget::default()).unwrap();
        assert_eq!((ruling.errors.len(), ruling.open.len()), (0, 1));
        assert_eq!(policy(shared).check(&input("{}", &["env"]), &Budget::default()).unwrap().errors, ["x"]);
        // Rules that examine other errors.
        let counted =
            "package atmos\nerrors[m] { input.a; m = \"a\" }\nerrors[m] { not data.atmos.errors; m = \"b\" }\n";
        assert_eq!(policy(counted).check(&input("{}", &["a"]), &Budget::default()).unwrap().errors.len(), 0);
    }

    #[test]
    fn newer_syntax() {
        let text = "package atmos\nimport rego.v1\nerrors contains msg if {\n\tinput.n > 1\n\tmsg := \"n\"\n}\n";
        assert_eq!(policy(text).check(&input(r#"{"n":2}"#, &[]), &Budget::default()).unwrap().errors, ["n"]);
    }

    #[test]
    fn what_cannot_be_evaluated() {
        for (text, is_wrong) in [
            ("package atmos\n", true),
            ("package other\nerrors[m] { m = 1 }\n", true),
            ("package atmos\nerrors = {\"a\": 1}\n", true),
            ("package atmos\nerrors[m] { http.send({}); m = 1 }\n", false),
            ("package atmos\nerrors[m] { time.now_ns() > 1; m = 1 }\n", false),
            ("package atmos\nerrors[m] { nothing(1); m = 1 }\n", false),
            ("package atmos\nerrors[m] {\n", false),
        ] {
            let result = policy(text).check(&input("{}", &[]), &Budget::default());
            let ok = match &result {
                Err(Unusable::Wrong(_)) => is_wrong,
                Err(Unusable::Unsupported(_)) => !is_wrong,
                Err(Unusable::Exceeded(_)) | Ok(_) => false,
            };
            assert!(ok, "{text}: {result:?}");
        }
    }
}
