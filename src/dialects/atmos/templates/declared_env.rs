//! The functions of templates in the environment that the configuration declares for them.

use super::function_sets::NAMESPACE;
use super::host::Host;
use crate::dialects::atmos::functions::Env;
use crate::limits::{Limit, Limits, take_steps};
use crate::template::{self, Function, Functions, Val};
use crate::value::Value;

/// The functions of a template with the environment that the configuration declares for templates
/// (`templates.settings.env`). Of any other variable nothing is known, unless the empty environment is assumed.
pub(crate) struct Declared<'a> {
    pub functions: &'a dyn Functions,
    /// The declared variables.
    pub env: &'a Env,
    /// Whether other variables count as not set.
    pub assume: bool,
    /// The project data for templates.
    pub host: Option<&'a Host>,
    /// How much a run may take.
    pub limits: Limits,
}

impl Functions for Declared<'_> {
    fn field(&self, name: &str) -> Option<Result<Val, String>> {
        self.host?.field(name).map(Ok)
    }

    fn limits(&self) -> template::Limits {
        let (steps, output) = (Limit::TemplateSteps, Limit::TemplateOutput);
        template::Limits { steps: self.limits.get(steps), output: self.limits.count(output) }
    }

    fn took(&self, steps: u64) {
        take_steps(steps);
    }

    fn get(&self, name: &str) -> Option<Function> {
        self.functions.get(name)
    }

    fn object(&self, name: &str) -> Option<Val> {
        let known = self.functions.object(name)?;
        let own = self.host.filter(|_| name == NAMESPACE.name).and_then(|host| host.namespace(self.assume));
        Some(own.unwrap_or(known))
    }

    fn answer(&self, name: &str, args: &[Val]) -> Option<Result<Val, String>> {
        let text = |i: usize| match args.get(i) {
            Some(Val::Data(v)) => v.as_str(),
            _ => None,
        };
        let variable = |name: &str| match self.env.get(name) {
            Some(value) => Some(value.to_string()),
            None => self.assume.then(String::new),
        };
        let answer = match (name, args.len()) {
            ("env", 1) => variable(text(0)?)?,
            ("getenv", 1 | 2) => {
                let value = variable(text(0)?)?;
                if value.is_empty() { text(1).unwrap_or_default().to_owned() } else { value }
            }
            ("expandenv", 1) => expand(text(0)?, &variable)?,
            _ => return self.functions.answer(name, args),
        };
        Some(Ok(Val::Data(Value::str(answer))))
    }
}

/// `$NAME` and `${NAME}` replaced, as Go's `os.Expand` does; `None` if a variable is not known.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, next) = match after.strip_prefix('{') {
            Some(braced) => braced.split_once('}').unwrap_or(("", braced)),
            None => {
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                after.split_at(end)
            }
        };
        if name.is_empty() {
            out.push('$');
        } else {
            out.push_str(&variable(name)?);
        }
        rest = next;
    }
    out.push_str(rest);
    Some(out)
}
