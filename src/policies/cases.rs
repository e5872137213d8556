//! Tests of policies: cases in YAML, each with components or changes and the findings that are expected of them.

use super::{Policies, Run};
use crate::diagnostic::Rule;
use crate::diagnostic::RuleRef;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::Component;
use crate::text::Text;
use crate::value::{Data, Map, Unknown, Value};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yaml_serde::Value as Yaml;

/// How deep a value of a case may nest.
const MAX_DEPTH: usize = 100;

/// The cases of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    cases: Vec<Case>,
}

/// One case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    components: Vec<BTreeMap<String, Yaml>>,
    #[serde(default)]
    changes: Vec<Changed>,
    expect: Vec<String>,
}

/// A change of a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    component: BTreeMap<String, Yaml>,
    path: String,
    kind: String,
    #[serde(default)]
    before: Yaml,
    #[serde(default)]
    after: Yaml,
    #[serde(default)]
    stacks: Vec<String>,
}

/// The result of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    pub name: String,
    /// The ids that were expected and not found, and those that were found and not expected; sorted.
    pub missing: Vec<String>,
    /// See [`Tested::missing`].
    pub surplus: Vec<String>,
    /// The policies that found something.
    pub failed: BTreeSet<String>,
    /// The policies that applied and found nothing.
    pub satisfied: BTreeSet<String>,
}

impl Tested {
    /// Whether the findings are those that were expected.
    pub(crate) fn is_passed(&self) -> bool {
        self.missing.is_empty() && self.surplus.is_empty()
    }
}

/// Runs the cases of a file.
///
/// # Errors
/// The file holds no cases: what to tell the user.
pub(crate) fn run(
    policies: &Policies,
    files: &Files,
    limits: &Limits,
    path: &str,
    text: &str,
) -> Result<Vec<Tested>, String> {
    let content: Content =
        yaml_serde::from_str(text).map_err(|e| format!("{path}: {}", crate::text::plain(&e.to_string())))?;
    let id = files.add(path, "", || Text::from(""));
    let mut tested = Vec::with_capacity(content.cases.len());
    for case in content.cases {
        let evaluation = Run::new(policies, files, limits, &|_: &Rule| true);
        let wrong = |why: &str| format!("{path}: case `{}`: {why}", case.name);
        let components =
            case.components.into_iter().map(component).collect::<Result<Vec<_>, _>>().map_err(|e| wrong(&e))?;
        let mut found: Vec<RuleRef> = Vec::new();
        if !components.is_empty() {
            found.extend(evaluation.described(&components, id).into_iter().map(|finding| finding.rule));
        }
        for changed in case.changes {
            let (component, code) = component(changed.component).map_err(|e| wrong(&e))?;
            let stacks = match changed.stacks.is_empty() {
                true => vec![Value::str(Text::clone(&component.stack))],
                false => changed.stacks.iter().map(|stack| Value::str(stack.as_str())).collect(),
            };
            let fields = [
                ("path", Value::str(changed.path)),
                ("kind", Value::str(changed.kind)),
                ("before", value(&changed.before, 0).map_err(|e| wrong(&e))?),
                ("after", value(&changed.after, 0).map_err(|e| wrong(&e))?),
                ("stacks", Value::list(stacks)),
            ];
            let change = Value::map(fields.into_iter().map(|(key, value)| (Text::from(key), value)).collect());
            found.extend(evaluation.described_change(&component, &code, &change, id));
        }
        let applied = evaluation.applied();
        found.extend(evaluation.finish(false).into_iter().map(|finding| finding.rule));
        tested.push(compared(case.name, &case.expect, &found, &applied));
    }
    Ok(tested)
}

fn compared(name: String, expected: &[String], found: &[RuleRef], applied: &[(&str, usize)]) -> Tested {
    let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
    let failed: BTreeSet<String> = found.iter().map(|rule| rule.id().to_owned()).collect();
    let missing = expected.iter().filter(|id| !failed.contains::<str>(id)).map(ToString::to_string).collect();
    let surplus = failed.iter().filter(|id| !expected.contains(id.as_str())).map(ToString::to_string).collect();
    let warned = |id: &str| failed.contains(format!("{id}-warning").as_str());
    let satisfied = applied.iter().filter(|(id, n)| *n > 0 && !failed.contains(*id) && !warned(id));
    let satisfied = satisfied.map(|(id, _)| (*id).to_owned()).collect();
    Tested { name, missing, surplus, failed, satisfied }
}

/// A component with its code.
fn component(mut fields: BTreeMap<String, Yaml>) -> Result<(Component, Value), String> {
    let mut text = |key: &str, default: Option<&str>| match (fields.remove(key), default) {
        (Some(Yaml::String(text)), _) => Ok(text),
        (None, Some(default)) => Ok(default.to_owned()),
        _ => Err(format!("a component needs a `{key}`, which is a string")),
    };
    let (stack, name) = (text("stack", None)?, text("name", None)?);
    let kind = text("type", Some("terraform"))?;
    let code = value(&fields.remove("code").unwrap_or_else(|| Yaml::Mapping(Default::default())), 0)?;
    let mut map = Map::new();
    for (key, yaml) in &fields {
        map.set(key.as_str(), value(yaml, 0)?);
    }
    let component = Component::new((stack.into(), kind.into(), name.into()), Value::map(map));
    Ok((component, code))
}

/// A value of a case; one with the tag `!unknown` is unknown.
fn value(yaml: &Yaml, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("a value nests more than {MAX_DEPTH} levels"));
    }
    Ok(match yaml {
        Yaml::Null => Value::default(),
        Yaml::Bool(b) => Value::new(Data::Bool(*b)),
        Yaml::Number(n) => Value::new(match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => Data::Int(i),
            (None, Some(u)) => Data::Uint(u),
            _ => Data::Float(n.as_f64().unwrap_or_default()),
        }),
        Yaml::String(text) => Value::str(text.as_str()),
        Yaml::Sequence(items) => {
            Value::list(items.iter().map(|item| value(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Yaml::Mapping(map) => {
            let mut all = Map::new();
            for (key, item) in map {
                let Yaml::String(key) = key else { return Err("keys must be strings".to_owned()) };
                all.set(key.as_str(), value(item, depth + 1)?);
            }
            Value::map(all)
        }
        Yaml::Tagged(tagged) if tagged.tag == "unknown" => {
            Value::new(Data::Unknown(Arc::new(Unknown::new("!unknown", "the case says so"))))
        }
        Yaml::Tagged(tagged) => return Err(format!("the only allowed tag is `!unknown`, not `{}`", tagged.tag)),
    })
}

/// Returns the ids of all policies, and for each whether some case violates it and whether some case satisfies it.
pub(crate) fn coverage(policies: &Policies, tested: &[Tested]) -> Vec<(String, bool, bool)> {
    let of = |policy: &super::Policy| {
        let ids = [Some(policy.rule.id()), policy.warns.as_ref().map(|rule| rule.id())];
        let fails = tested.iter().any(|case| ids.iter().flatten().any(|id| case.failed.contains(*id)));
        (policy.id().to_owned(), fails, tested.iter().any(|case| case.satisfied.contains(policy.id())))
    };
    policies.all.iter().map(of).collect()
}
