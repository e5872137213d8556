//! The results of `atmos.Component`. A rendering runs with the results known so far and records what else it requests;
//! the caller resolves that and renders again, until nothing new is requested (`reference: atmos.md` section 16).

use crate::dialects::atmos::templates::function_sets::NAMESPACE;
use crate::template::{Object, Val};
use crate::text::Text;
use crate::value::{Data, Value};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

/// A component and its stack, as a template names them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::dialects::atmos) struct ComponentRef {
    /// The name of the component.
    pub component: Text,
    /// The name of the stack, or the key of a manifest.
    pub stack: Text,
}

/// The result for a target.
#[derive(Clone, Debug)]
pub(in crate::dialects::atmos) enum Answer {
    /// Its sections.
    Known(Value),
    /// They are not known, for this reason.
    Unknown(Text),
    /// Asking for it never ends.
    Cycle(Text),
}

/// The answers for one component.
#[derive(Debug, Default)]
pub(in crate::dialects::atmos) struct Answers {
    known: BTreeMap<ComponentRef, Answer>,
    requested: Mutex<BTreeSet<ComponentRef>>,
    /// The reader is disabled: Atmos returns empty sections for everything that it reads.
    is_disabled: bool,
}

impl Answers {
    /// Nothing known yet.
    pub(in crate::dialects::atmos) fn new(is_disabled: bool) -> Self {
        Answers { is_disabled, ..Answers::default() }
    }

    /// The same with more answers and nothing asked.
    pub(in crate::dialects::atmos) fn with(&self, more: impl IntoIterator<Item = (ComponentRef, Answer)>) -> Self {
        let known = self.known.iter().map(|(target, answer)| (target.clone(), answer.clone())).chain(more);
        Answers { known: known.collect(), requested: Mutex::default(), is_disabled: self.is_disabled }
    }

    /// Returns the requests without a result.
    pub(in crate::dialects::atmos) fn requested(&self) -> Vec<ComponentRef> {
        self.requested.lock().iter().cloned().collect()
    }

    /// Returns the requests with a result.
    pub(in crate::dialects::atmos) fn targets(&self) -> Vec<ComponentRef> {
        self.known.keys().cloned().collect()
    }

    fn find(&self, target: ComponentRef, assume: bool) -> Result<Val, String> {
        match self.known.get(&target) {
            Some(Answer::Known(value)) => Ok(Val::Data(if assume { value.assume() } else { value.clone() })),
            Some(Answer::Unknown(reason)) => Ok(Val::unknown("atmos.Component", Text::clone(reason))),
            Some(Answer::Cycle(message)) => Err(message.to_string()),
            None => {
                let reason = format!("reads component `{}` of stack `{}`", target.component, target.stack);
                self.requested.lock().insert(target);
                Ok(Val::unknown("atmos.Component", reason))
            }
        }
    }
}

/// The namespace `atmos` for a component that may read others.
#[derive(Debug)]
pub(in crate::dialects::atmos) struct Components {
    pub(in crate::dialects::atmos) answers: std::sync::Arc<Answers>,
    /// Whether what is unknown counts as what is assumed of it.
    pub(in crate::dialects::atmos) assume: bool,
}

impl Object for Components {
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        if name != "Component" {
            return NAMESPACE.call(name, args);
        }
        let [component, stack] = args else {
            return Err(format!("wrong number of args for {name}: want 2 got {}", args.len()));
        };
        if self.answers.is_disabled {
            return Ok(Val::Data(Value::map(crate::value::Map::new())));
        }
        let target = ComponentRef { component: text(component)?, stack: text(stack)? };
        self.answers.find(target, self.assume)
    }

    fn has(&self, name: &str) -> bool {
        NAMESPACE.has(name)
    }

    fn print(&self) -> String {
        NAMESPACE.print()
    }

    fn type_name(&self) -> &'static str {
        NAMESPACE.type_name()
    }
}

fn text(argument: &Val) -> Result<Text, String> {
    match argument {
        Val::Data(Value { data: Data::Str(text), .. }) => Ok(Text::clone(text)),
        Val::Missing => Err("invalid value; expected string".to_owned()),
        Val::Data(Value { data: Data::Null, .. }) => Err("invalid value; expected string".to_owned()),
        other => {
            let got = crate::template::format::type_name(other);
            Err(format!("wrong type for value; expected string; got {got}"))
        }
    }
}
