//! The meaning of references where only static values are allowed.

use crate::hcl::ast::walk::Reference;
use crate::hcl::ast::{Key, TraversalStep};
use crate::text::Text;

/// The meaning of a reference.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// A variable, a local, a path or the workspace: the attribute behind the first name.
    Name(Text),
    /// Something that is known only later.
    Dynamic(String),
    /// An output of a module.
    Output(String),
    /// A key provider, by `type.name`.
    KeyProvider(Text),
    /// Nothing: why.
    Wrong(String),
}

/// The attribute that the first step names.
fn attribute<'a>(reference: &'a Reference<'_>, index: usize) -> Option<&'a Text> {
    match reference.steps.get(index) {
        Some(TraversalStep::Attribute(name)) => Some(&name.text),
        _ => None,
    }
}

/// Returns the meaning of a reference; key providers have one only in encryption.
pub(crate) fn meaning(reference: &Reference<'_>, in_encryption: bool) -> Meaning {
    let root = &*reference.root.text;
    let first = attribute(reference, 0);
    let whole = || {
        Meaning::Wrong(format!(
            "invalid reference: the \"{root}\" object cannot be accessed directly; access one of its attributes"
        ))
    };
    match root {
        "var" | "local" => first.map_or_else(whole, |name| Meaning::Name(name.clone())),
        "path" => match first.map(|n| &**n) {
            None => whole(),
            Some("module" | "root" | "cwd") => Meaning::Name(first.cloned().unwrap_or_default()),
            Some(other) => {
                Meaning::Wrong(format!("invalid \"path\" attribute: path has module, root and cwd, not {other}"))
            }
        },
        "terraform" | "tofu" => match first.map(|n| &**n) {
            None => whole(),
            Some("workspace") => Meaning::Name("workspace".into()),
            Some("applying") => Meaning::Dynamic(format!("{root}.applying")),
            Some(other) => Meaning::Wrong(format!("invalid \"{root}\" attribute: {root} has workspace, not {other}")),
        },
        "key_provider" if in_encryption => match (first, attribute(reference, 1)) {
            (Some(kind), Some(name)) => Meaning::KeyProvider(format!("{kind}.{name}").into()),
            _ => {
                Meaning::Wrong("invalid key_provider expression: it has the form key_provider.<type>.<name>".to_owned())
            }
        },
        "count" | "each" => match first {
            None => whole(),
            Some(name) => Meaning::Dynamic(format!("{root}.{name}")),
        },
        "self" => Meaning::Dynamic("self".to_owned()),
        "template" | "lazy" | "arg" => {
            Meaning::Wrong(format!("reserved symbol name: \"{root}\" is reserved for use in a future version"))
        }
        "module" => match (first, output_of(reference)) {
            (None, _) => whole(),
            (Some(name), None) => Meaning::Dynamic(format!("module.{name}")),
            (Some(name), Some(output)) => Meaning::Output(format!("module.{name}.{output}")),
        },
        "data" | "ephemeral" | "resource" => match (first, attribute(reference, 1)) {
            (Some(kind), Some(name)) => Meaning::Dynamic(format!("{root}.{kind}.{name}")),
            _ => Meaning::Wrong(format!("invalid reference: \"{root}\" must be followed by a type and a name")),
        },
        _ => match first {
            Some(name) => Meaning::Dynamic(format!("{root}.{name}")),
            None => Meaning::Wrong(format!(
                "invalid reference: \"{root}\" is not a function, variable or local, and a reference to a resource needs its name"
            )),
        },
    }
}

/// The output that a reference to a module names, behind the key of an instance if there is one.
fn output_of<'a>(reference: &'a Reference<'_>) -> Option<&'a Text> {
    reference.steps.iter().skip(1).find_map(|step| match step {
        TraversalStep::Attribute(name) => Some(&name.text),
        TraversalStep::Index(Key::Number(_) | Key::Text(_), _) => None,
    })
}
