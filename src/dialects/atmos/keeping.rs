//! What keeps the code and the state of a component where they are when it gets another name (`reference: atmos.md` sections 4.6
//! and 4.8).

use super::names::WORKSPACE_KEYS;
use crate::resolution::Component;
use crate::resolution::authoring::Kept;
use crate::value::Value;

/// The parts of names of stacks, in the order in which they are usually joined.
const PARTS: [&str; 5] = ["namespace", "tenant", "environment", "region", "stage"];

/// See [`crate::resolution::authoring::Authoring::keeping`].
pub(super) fn keeping(instances: &[&Component]) -> Result<Option<Kept>, String> {
    let stores = |one: &&Component| {
        let hooks = one.value.get("hooks").and_then(Value::as_map);
        let commands = hooks.into_iter().flat_map(|hooks| hooks.iter().map(|hook| hook.value.get("command")));
        commands.flatten().any(|command| command.as_str().is_none_or(|command| command == "store"))
    };
    if let Some(one) = instances.iter().find(|one| stores(one)) {
        return Err(format!("a hook of `{}` stores outputs under its name", one.name));
    }
    let mut entries = Vec::new();
    let is_folder = |one: &&Component| one.value.get("component").and_then(Value::as_str) == Some(&one.name);
    if let Some(one) = instances.iter().find(|one| is_folder(one) && !metadata(one, "component")) {
        entries.push(("component", one.name.to_string()));
    }
    if instances.iter().all(|one| follows_names(one)) {
        entries.extend(workspace(instances));
    }
    Ok((!entries.is_empty()).then_some(Kept { section: "metadata", entries }))
}

/// What keeps the state of a component where it is if its stack gets another name.
pub(super) fn keeping_workspace(component: &Component) -> Option<Kept> {
    let name = component.metadata.workspace.as_ref().filter(|_| follows_names(component))?;
    Some(Kept { section: "metadata", entries: vec![("terraform_workspace", name.to_string())] })
}

/// Whether the metadata of a component has a key.
fn metadata(one: &Component, key: &str) -> bool {
    one.value.get("metadata").and_then(|of| of.get(key)).is_some()
}

/// Whether the workspace of a component follows from its name and that of its stack.
fn follows_names(one: &Component) -> bool {
    one.value.get("workspace").is_some()
        && one.metadata.workspace.as_deref().is_some_and(|name| name != "default")
        && !WORKSPACE_KEYS.iter().any(|key| metadata(one, key))
}

/// What sets the workspaces that the component has now: their name, or a pattern that fits all of them.
fn workspace(instances: &[&Component]) -> Option<(&'static str, String)> {
    let names: Vec<&str> = instances.iter().filter_map(|one| one.metadata.workspace.as_deref()).collect();
    let first = names.first()?;
    if names.iter().all(|name| name == first) {
        return Some(("terraform_workspace", (*first).to_owned()));
    }
    let own = instances.first()?.name.replace('/', "-");
    let fits = |parts: &[&str], end: &str| {
        let value = |one: &Component, part: &str| Some(one.value.get("vars")?.get(part)?.as_str()?.to_owned());
        instances.iter().zip(&names).all(|(one, name)| {
            let values: Option<Vec<String>> = parts.iter().map(|part| value(one, part)).collect();
            values.is_some_and(|values| format!("{}{end}", values.join("-")).replace('/', "-") == **name)
        })
    };
    let ends = [String::new(), format!("-{own}")];
    (1..1usize << PARTS.len()).find_map(|chosen| {
        let parts = PARTS.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
        let parts: Vec<&str> = parts.map(|(_, part)| *part).collect();
        let end = ends.iter().find(|end| fits(&parts, end))?;
        let pattern: Vec<String> = parts.iter().map(|part| format!("{{{part}}}")).collect();
        Some(("terraform_workspace_pattern", format!("{}{end}", pattern.join("-"))))
    })
}
