//! The data of templates, by the stage that evaluates them.

use crate::dialects::ProjectInputs;
use crate::dialects::garden::template::evaluation::Roots;
use crate::dialects::garden::template::node::{Data, Node};
use crate::text::Text;
use crate::value::{Prov, Unknown};
use std::sync::Arc;

/// The roots that a project has before anything of it is resolved.
pub(super) fn project(name: &Text, project: &Node, imported: &Node, inputs: &ProjectInputs) -> Roots {
    let place = project.get("name").map(|node| node.prov.clone()).unwrap_or_default();
    let name = Node::at(Data::Text(Text::clone(name)), Prov { trail: None, ..place });
    let secrets = match &imported.data {
        Data::Map(map) => open(map.iter().map(|(k, v)| (Text::clone(k), v.clone())), "secrets", "is a secret"),
        _ => open([], "secrets", "is a secret"),
    };
    Roots::default()
        .with("local", local(inputs))
        .with("command", Node::unknown("`command` is the command that Garden is run with"))
        .with("datetime", Node::unknown("`datetime` is the time at which Garden is run"))
        .with("project", Node::map([("name".into(), name)]))
        .with("git", Node::unknown("`git` is the state of the repository in which Garden is run"))
        .with("secrets", secrets)
        .with("imported", imported.clone())
}

/// The machine. Of its environment variables those are known that the user gave.
fn local(inputs: &ProjectInputs) -> Node {
    let given = inputs.env.iter().map(|(name, value)| (Text::from(name.as_str()), Node::text(value.as_str())));
    let env = open(given, "local.env", "is an environment variable of Garden");
    open([("env".into(), env)], "local", "is a property of the machine that runs Garden")
}

/// A mapping with further keys that are known only at run time.
pub(crate) fn open(entries: impl IntoIterator<Item = (Text, Node)>, path: &str, reason: &str) -> Node {
    let known = entries.into_iter().collect();
    Node::new(Data::Open(Arc::new(known), Arc::new(Unknown::new("", format!("`{path}` {reason}")))))
}

/// The environment that is resolved.
pub(super) fn environment(name: &Node, namespace: &Node) -> Node {
    let text = |node: &Node| node.as_text().cloned().unwrap_or_default();
    let prov = name.prov.with_inputs([namespace.prov.clone()]);
    let full = match &namespace.data {
        Data::Unknown(_) => namespace.clone(),
        _ => Node::at(Data::Text(format!("{}.{}", text(namespace), text(name)).into()), prov),
    };
    Node::map([("name".into(), name.clone()), ("fullName".into(), full), ("namespace".into(), namespace.clone())])
}
