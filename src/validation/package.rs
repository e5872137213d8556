//! Policies in Rego in the style of conftest: a package with `deny`, `violation` and `warn`, evaluated over many
//! inputs. What a module may read is determined from its text, so that inputs contain no more than that, and relevant
//! unknown values are identified.

use super::rego_memory::Metered;
use super::rego_text::{self, Written};
use super::{Budget, Path, PathStep, Unusable, cidr, rego_guard, rego_heads};
use crate::text::Text;
use parking_lot::Mutex;
use regorus::{Engine, Value};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// The evaluated rules.
const ASKED: [&str; 3] = ["deny", "violation", "warn"];

/// How long one policy may take, of the time of all.
const TIME: Duration = Duration::from_secs(2);

/// The maximum number of results of one policy.
const MAX_RESULTS: usize = 10_000;

/// How many steps are taken between two checks of the clock.
const STEPS: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

/// The maximum number of pairs returned by a function of address ranges.
const MAX_PAIRS: usize = 200_000;

/// Constructs with which a policy can find something because a value is absent.
const NEGATING: [&str; 21] = [
    "all",
    "any",
    "array",
    "count",
    "default",
    "else",
    "every",
    "is_array",
    "is_boolean",
    "is_null",
    "is_number",
    "is_object",
    "is_set",
    "is_string",
    "max",
    "min",
    "not",
    "product",
    "sort",
    "sum",
    "type_name",
];

/// Functions that read all entries of a value.
const REFLECTING: [&str; 4] = ["json", "object", "walk", "yaml"];

/// The result of a policy for one input.
type Found = Result<Vec<Denial>, Unusable>;

/// A package with rules that deny or warn.
#[derive(Debug)]
pub(crate) struct Package {
    name: String,
    path: Text,
    text: Text,
    /// The evaluated rules that it defines.
    rules: Vec<&'static str>,
    written: Written,
    /// Whether it has functions, whose arguments may be anything.
    has_functions: bool,
    engine: Made,
}

#[derive(Default)]
struct Made(Mutex<Option<Result<Engine, Unusable>>>);

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

/// Something that a policy found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Denial {
    /// Whether it only warns.
    pub is_warning: bool,
    /// A text, or an object with `msg`.
    pub value: Json,
}

impl Package {
    /// The package in a module.
    ///
    /// # Errors
    /// It cannot be one: what to tell the user.
    pub(crate) fn parse(path: &str, text: &str) -> Result<Package, String> {
        let statements = rego_text::statements(text);
        if let Some(excess) = rego_guard::excess(std::iter::once((text, &statements[..]))) {
            return Err(excess);
        }
        if let Some(function) = rego_guard::recursive(std::iter::once(&statements[..])) {
            return Err(format!("the function `{function}` calls itself, which policies may not"));
        }
        let Some(name) = rego_text::package(&statements) else { return Err("it names no package".to_owned()) };
        let has = |rule: &&'static str| statements.iter().any(|s| s.head == *rule);
        let rules: Vec<&'static str> = ASKED.iter().copied().filter(|rule| has(rule)).collect();
        if rules.is_empty() {
            return Err("it has neither `deny` nor `violation` nor `warn`".to_owned());
        }
        let has_functions = statements.iter().any(|s| s.is_function);
        let (path, text, written) = (path.into(), text.into(), rego_text::written(text));
        Ok(Package { name, path, text, rules, written, has_functions, engine: Made::default() })
    }

    /// Whether it has rules that only warn.
    pub(crate) fn warns(&self) -> bool {
        self.rules.contains(&"warn")
    }

    /// Whether a name occurs in it.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.written.words.contains(name)
    }

    /// Whether it can find something because something is not there, or is not known.
    pub(crate) fn is_negating(&self) -> bool {
        NEGATING.iter().any(|word| self.names(word)) || rego_text::has_sign(&self.text, '-')
    }

    /// Whether it may read the value at a path from the input, or a part of it. Its variables are bound to whole values
    /// at `bound` steps, which by itself reads nothing.
    pub(crate) fn may_read(&self, path: &Path, bound: usize) -> bool {
        if REFLECTING.iter().any(|word| self.names(word)) {
            return true;
        }
        let is_same = |(step, at): (&Option<String>, &PathStep)| match (step, at) {
            (Some(key), PathStep::Key(other)) => key == other,
            (Some(key), PathStep::Item(item)) => *key == item.to_string(),
            (None, _) => true,
        };
        let leads = |steps: &[Option<String>], from: usize| steps.iter().zip(&path.0[from..]).all(is_same);
        let is_own = |head: &str| self.has_functions || self.written.bound.contains(head);
        self.written.chains.iter().any(|chain| match chain.head.as_str() {
            "input" => chain.steps.len() > bound && leads(&chain.steps, 0),
            // A variable with a part of a component got it through a path that reads all of that part.
            head if chain.steps.iter().all(Option::is_none) && !is_own(head) => false,
            _ => (1..path.0.len()).any(|from| leads(&chain.steps, from)),
        })
    }

    /// Evaluates it for some inputs, and returns the results, or why it cannot be evaluated for one.
    ///
    /// # Errors
    /// It cannot be evaluated at all.
    pub(crate) fn evaluate(self: &Arc<Self>, inputs: Vec<Json>, budget: &Budget) -> Result<Vec<Found>, Unusable> {
        let package = Arc::clone(self);
        // The thread that made the inputs frees them: see `Metered`.
        let inputs = Arc::new(inputs);
        let shared = Arc::clone(&inputs);
        let result = budget.run_for(TIME, move || package.all(&shared));
        drop(inputs);
        result.map_err(|stopped| match stopped {
            super::budget::Stopped::OutOfTime => {
                let (one, all) = (TIME.as_secs(), super::budget::TIME.as_secs());
                Unusable::Exceeded(format!("a policy may take {one} seconds, and all together {all}"))
            }
            defect => Unusable::stopped(defect),
        })?
    }

    fn all(&self, inputs: &[Json]) -> Result<Vec<Found>, Unusable> {
        let _metered = Metered::start();
        let mut made = self.engine.0.lock();
        let engine = match made.get_or_insert_with(|| self.engine()) {
            Ok(engine) => engine,
            Err(why) => return Err(why.clone()),
        };
        let mut results = 0;
        let mut all = Vec::with_capacity(inputs.len());
        for input in inputs {
            engine.set_input(Value::deserialize(input).unwrap_or(Value::Undefined));
            let found = match self.one(engine) {
                Err(Unusable::Exceeded(why)) => return Err(Unusable::Exceeded(why)),
                found => found,
            };
            results += found.as_ref().map_or(0, Vec::len);
            if results > MAX_RESULTS {
                return Err(Unusable::Exceeded(format!("a policy may have {MAX_RESULTS} results")));
            }
            all.push(found);
        }
        Ok(all)
    }

    fn one(&self, engine: &mut Engine) -> Found {
        let mut found = Vec::new();
        for rule in &self.rules {
            let value =
                engine.eval_rule(format!("data.{}.{rule}", self.name)).map_err(|e| failed(&format!("{e:#}")))?;
            let is_warning = *rule == "warn";
            found.extend(verdicts(value).into_iter().map(|value| Denial { is_warning, value }));
        }
        Ok(found)
    }

    fn engine(&self) -> Result<Engine, Unusable> {
        // The syntax of OPA before 1.0 is supported as well.
        self.engine_of(false).or_else(|error| self.engine_of(true).map_err(|_| error))
    }

    fn engine_of(&self, is_v0: bool) -> Result<Engine, Unusable> {
        let mut engine = Engine::new();
        engine.set_rego_v0(is_v0);
        engine.set_strict_builtin_errors(false);
        engine.set_execution_timer_config(regorus::utils::limits::ExecutionTimerConfig {
            limit: TIME,
            check_interval: STEPS,
        });
        rego_guard::install(&mut engine).map_err(Unusable::Unsupported)?;
        let functions: [(&str, Function); 3] = [
            ("net.cidr_contains", |a| Ok(pair(a).map_or(Value::Undefined, |(a, b)| Value::from(a.contains(&b))))),
            ("net.cidr_intersects", |a| Ok(pair(a).map_or(Value::Undefined, |(a, b)| Value::from(a.overlaps(&b))))),
            ("net.cidr_contains_matches", contains_matches),
        ];
        for (name, function) in functions {
            let call = move |args: Vec<Value>| function(&args).map_err(|text| std::io::Error::other(text).into());
            engine.add_extension(name.to_owned(), 2, Box::new(call)).map_err(|e| failed(&e.to_string()))?;
        }
        let text = rego_heads::bind(&self.text);
        engine.add_policy(self.path.to_string(), text).map_err(|e| failed(&format!("{e:#}")))?;
        Ok(engine)
    }
}

/// A function that is added to those of the language.
type Function = fn(&[Value]) -> Result<Value, String>;

/// The results of a rule.
fn verdicts(value: Value) -> Vec<Json> {
    let json = |value: &Value| serde_json::to_value(value).ok();
    match &value {
        Value::Set(items) => items.iter().filter_map(json).collect(),
        Value::Array(items) => items.iter().filter_map(json).collect(),
        Value::String(_) | Value::Bool(true) => json(&value).into_iter().collect(),
        Value::Object(map) if map.contains_key(&Value::from("msg")) => json(&value).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn pair(args: &[Value]) -> Option<(cidr::Range, cidr::Range)> {
    let [Value::String(a), Value::String(b)] = args else { return None };
    Some((cidr::Range::parse(a)?, cidr::Range::parse(b)?))
}

/// `net.cidr_contains_matches(a, b)`: the pairs of keys (of objects), indexes (of arrays) or items (of sets) where the
/// range of `a` contains that of `b`. Values that are not ranges are ignored.
fn contains_matches(args: &[Value]) -> Result<Value, String> {
    let [a, b] = args else { return Ok(Value::Undefined) };
    let (a, b) = (ranges(a), ranges(b));
    let all: Vec<cidr::Range> = a.iter().chain(&b).map(|(_, range)| *range).collect();
    let pairs = cidr::overlapping(&all, 4 * MAX_PAIRS);
    if pairs.len() == 4 * MAX_PAIRS {
        return Err(format!("net.cidr_contains_matches: {}", rego_guard::EXCEEDED));
    }
    let mut found = BTreeSet::new();
    for (i, j) in pairs.into_iter().filter(|(i, j)| *i < a.len() && *j >= a.len()) {
        if all[i].contains(&all[j]) {
            found.insert(Value::from(vec![a[i].0.clone(), b[j - a.len()].0.clone()]));
        }
    }
    Ok(Value::from(found))
}

fn ranges(value: &Value) -> Vec<(Value, cidr::Range)> {
    let range = |value: &Value| match value {
        Value::String(text) => cidr::Range::parse(text),
        Value::Array(items) => match items.first() {
            Some(Value::String(text)) => cidr::Range::parse(text),
            _ => None,
        },
        _ => None,
    };
    match value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered.filter_map(|(i, item)| Some((Value::from(i as u64), range(item)?))).collect()
        }
        Value::Set(items) => items.iter().filter_map(|item| Some((item.clone(), range(item)?))).collect(),
        Value::Object(map) => map.iter().filter_map(|(key, item)| Some((key.clone(), range(item)?))).collect(),
        single => range(single).map(|range| (single.clone(), range)).into_iter().collect(),
    }
}

fn failed(text: &str) -> Unusable {
    let line = text.lines().rev().find_map(|l| l.trim().strip_prefix("error:")).unwrap_or(text).trim().to_owned();
    if rego_guard::is_excess(text) { Unusable::Exceeded(line) } else { Unusable::Wrong(line) }
}
