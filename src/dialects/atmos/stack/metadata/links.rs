//! The links of a component to others: the dependencies that it declares, and what its functions and templates read.

use crate::dialects::atmos::functions::arguments::{self, TerraformArgs};
use crate::dialects::atmos::functions::tags;
use crate::dialects::atmos::stack::context::StackContext;
use crate::dialects::atmos::templates::function_sets;
use crate::dialects::atmos::templates::host::answers::ComponentRef;
use crate::resolution::{Detail, Link, LinkKind, ReadTarget, StackSelector};
use crate::template::{self, Argument};
use crate::text::Text;
use crate::value::{self, Data, Flags, Key, Map, Origin, Reading, Value, key};

/// The variables that identify the stack of a legacy dependency.
const CONTEXT: [&str; 4] = ["namespace", "tenant", "environment", "stage"];

/// Sections whose functions are not run, or that repeat others.
const NOT_RUN: [&str; 7] = ["overrides", "locals", "mocks", "test", "inheritance", "component_info", "metadata"];

/// The dependencies that a component declares (`reference: atmos.md` section 11), given three of its sections.
pub(super) fn declared(dependencies: Option<&Value>, settings: Option<&Value>, vars: Option<&Value>) -> Vec<Link> {
    let list = dependencies.and_then(|d| d.get("components")).and_then(Value::as_list).filter(|l| !l.is_empty());
    if let Some(list) = list {
        return list.iter().filter_map(dependency).collect();
    }
    let legacy = settings.and_then(|s| s.get("depends_on"));
    match legacy.map(|v| &v.data) {
        Some(Data::Map(entries)) => entries.iter().filter_map(|e| legacy_dependency(&e.value, vars)).collect(),
        Some(Data::List(entries)) => entries.iter().filter_map(|v| legacy_dependency(v, vars)).collect(),
        _ => Vec::new(),
    }
}

fn dependency(entry: &Value) -> Option<Link> {
    let kind = entry.get("kind").and_then(Value::as_str).unwrap_or_default();
    if matches!(kind, "file" | "folder") {
        return None;
    }
    let named = entry.get("name").or_else(|| entry.get("component"))?;
    let stack = entry.get("stack").filter(|v| !v.is_null() && v.as_str() != Some(""));
    let context: Vec<&str> = CONTEXT.into_iter().filter(|key| entry.get(key).is_some()).collect();
    let place = match stack {
        _ if !context.is_empty() => StackSelector::Unknown,
        None => StackSelector::Here,
        Some(value) => plain_text(value).map_or(StackSelector::Unknown, StackSelector::Stack),
    };
    Some(Link {
        how: LinkKind::Declared,
        by: key("dependencies.components"),
        component: plain_text(named)?,
        kind: None,
        stack: place,
        reads: ReadTarget::Nothing,
        is_optional: entry.get("required").and_then(Value::as_bool) == Some(false),
        origin: named.prov.origin.into(),
        stack_origin: stack.and_then(|v| v.prov.origin).into(),
    })
}

/// Converts an entry of `settings.depends_on`: its stack is the one whose component has the same context, except for
/// the given parts.
fn legacy_dependency(entry: &Value, own: Option<&Value>) -> Option<Link> {
    let named = entry.get("component")?;
    let non_empty = |key: &str| entry.get(key).filter(|v| v.as_str() != Some("") && !v.is_null());
    let stack = if entry.get("stack").is_some() {
        StackSelector::Unknown
    } else if CONTEXT.iter().all(|key| non_empty(key).is_none()) {
        StackSelector::Here
    } else {
        let mut wanted = Vec::new();
        for key in CONTEXT {
            match non_empty(key).or_else(|| own.and_then(|v| v.get(key))).map(|v| (plain_text(v), v)) {
                Some((Some(text), _)) => wanted.push((Key::from(key), text)),
                Some((None, _)) => return None,
                None => {}
            }
        }
        StackSelector::Having(wanted)
    };
    let stack_origin = CONTEXT.iter().find_map(|key| non_empty(key)?.prov.origin);
    Some(Link {
        how: LinkKind::Declared,
        by: key("settings.depends_on"),
        component: plain_text(named)?,
        kind: None,
        stack,
        reads: ReadTarget::Nothing,
        is_optional: entry.get("required").and_then(Value::as_bool) == Some(false),
        origin: named.prov.origin.into(),
        stack_origin: stack_origin.into(),
    })
}

/// Adds the components whose state or configuration functions and templates read. Returns whether the arguments of all calls are
/// known to be in order.
pub(super) fn read(
    map: &Map,
    requested: Option<&(Value, Vec<ComponentRef>)>,
    links: &mut Vec<Link>,
    stacks: &StackContext<'_>,
) -> bool {
    let flags = map.flags();
    let is_run = |e: &&value::Entry| !NOT_RUN.contains(&&*e.key);
    let requested_components = requested.map_or(&[][..], |(_, targets)| targets);
    let mut search = LinkSearch { map, requested: requested_components, links, stacks, has_valid_calls: true };
    if flags.has(Flags::CALL) || flags.has(Flags::UNKNOWN) {
        for entry in map.iter().filter(|e| may_read(&e.value)) {
            match is_run(&entry) {
                true => search.value(&entry.value),
                false => search.has_valid_calls = false,
            }
        }
    }
    // The call was replaced by its result and is no longer visible.
    let before = requested.and_then(|(sections, _)| sections.as_map());
    before.iter().flat_map(|m| m.iter()).filter(is_run).for_each(|e| search.templates(&e.value));
    search.has_valid_calls
}

/// Whether something in a value may read another component.
fn may_read(of: &Value) -> bool {
    match &of.data {
        Data::Map(map) => map.flags().has(Flags::CALL) || map.flags().has(Flags::UNKNOWN),
        Data::Str(text) => value::is_call(text),
        Data::List(items) => items.iter().any(may_read),
        Data::Unknown(_) => true,
        _ => false,
    }
}

struct LinkSearch<'a> {
    map: &'a Map,
    requested: &'a [ComponentRef],
    links: &'a mut Vec<Link>,
    stacks: &'a StackContext<'a>,
    /// Whether the arguments of all calls that were found are in order.
    has_valid_calls: bool,
}

impl LinkSearch<'_> {
    /// Searches a value that may read another component.
    fn value(&mut self, value: &Value) {
        match &value.data {
            Data::Map(map) => map.iter().filter(|e| may_read(&e.value)).for_each(|e| self.value(&e.value)),
            Data::List(items) => items.iter().filter(|v| may_read(v)).for_each(|v| self.value(v)),
            Data::Str(text) => {
                let reading = (self.stacks.external.language.read)(text);
                self.has_valid_calls &= !matches!(reading, Some(Reading::Refused(_)));
                self.add_at(of_function(text), value.prov.origin);
            }
            Data::Unknown(unknown) => {
                self.add_at(of_function(&unknown.text), value.prov.origin);
                self.template(&unknown.text, value.prov.origin);
            }
            _ => {}
        }
    }

    /// The templates of a value that is not rendered.
    fn templates(&mut self, value: &Value) {
        if !value.holds(Flags::TEMPLATE) {
            return;
        }
        match &value.data {
            Data::Map(map) => map.iter().for_each(|e| self.templates(&e.value)),
            Data::List(items) => items.iter().for_each(|v| self.templates(v)),
            Data::Str(text) => self.template(text, value.prov.origin),
            _ => {}
        }
    }

    fn add(&mut self, link: Link) {
        let same = |l: &Link| {
            l.origin == link.origin && l.component == link.component && l.stack == link.stack && l.reads == link.reads
        };
        if !self.links.iter().any(same) {
            self.links.push(link);
        }
    }

    /// Adds a link that is written at a place, if there is one.
    fn add_at(&mut self, link: Option<Link>, origin: Option<Origin>) {
        if let Some(link) = link {
            self.add(Link { origin: origin.into(), stack_origin: origin.into(), ..link });
        }
    }

    fn template(&mut self, text: &str, origin: Option<Origin>) {
        let delimiters = self.stacks.config.templates.delimiters.as_ref().and_then(|d| d.as_ref().ok());
        let (left, right) = delimiters.map_or(("{{", "}}"), |(l, r)| (l.as_str(), r.as_str()));
        if !text.contains(left) || !text.contains("atmos") {
            return;
        }
        let functions = function_sets::ALL;
        let options = template::TemplateOptions { left, right, functions: &functions };
        let Ok(template) = template::parse(text, &options) else { return };
        for call in template.method_calls("atmos", "Component") {
            let [component, stack, ..] = call.arguments.as_slice() else { continue };
            let Some(component) = self.argument(component) else { continue };
            let stack = self.argument(stack).or_else(|| self.only_stack(&component));
            let stack = stack.map_or(StackSelector::Unknown, StackSelector::Stack);
            let reads = match call.fields.as_slice() {
                [section, name, ..] if &**section == "outputs" => ReadTarget::Output(Text::clone(name)),
                [section, name, ..] if &**section == "vars" => ReadTarget::Input(Text::clone(name)),
                _ => ReadTarget::Nothing,
            };
            self.add(Link {
                how: LinkKind::Reads,
                by: "atmos.Component".into(),
                component,
                kind: None,
                stack,
                reads,
                is_optional: false,
                origin: origin.into(),
                stack_origin: origin.into(),
            });
        }
    }

    /// Returns the stack in which a component is read, if it is only one.
    fn only_stack(&self, component: &str) -> Option<Text> {
        let mut stacks = self.requested.iter().filter(|t| *t.component == *component).map(|t| &t.stack);
        let first = stacks.next()?;
        stacks.next().is_none().then(|| Text::clone(first))
    }

    fn argument(&self, argument: &Argument) -> Option<Text> {
        match argument {
            Argument::Text(t) => Some(Text::clone(t)),
            Argument::Path(path) => {
                let (first, rest) = path.split_first()?;
                plain_text(self.map.get(first)?.at_path(rest.iter().map(|k| &**k))?)
            }
            Argument::Other => None,
        }
    }
}

/// The component whose state a function reads, without a place.
pub(super) fn of_function(text: &str) -> Option<Link> {
    if !text.starts_with("!terraform.") {
        return None;
    }
    let (name, arguments) = tags::split(text);
    if !matches!(name, "!terraform.state" | "!terraform.output") || arguments.contains("{{") {
        return None;
    }
    let TerraformArgs { component, stack, expression } = arguments::parse_terraform(arguments).ok()?;
    if component.contains("<no value>") {
        return None;
    }
    let stack = match stack {
        None => StackSelector::Here,
        Some(stack) if stack.contains("<no value>") => StackSelector::Unknown,
        Some(stack) => StackSelector::Stack(stack.into()),
    };
    Some(Link {
        how: LinkKind::Reads,
        by: name.into(),
        component: component.into(),
        kind: None,
        stack,
        reads: first_key(&expression).map_or(ReadTarget::Nothing, ReadTarget::Output),
        is_optional: expression.contains("//"),
        origin: Detail(None),
        stack_origin: Detail(None),
    })
}

/// The output that an expression starts with: a plain name, or the first key of a path.
fn first_key(expression: &str) -> Option<Text> {
    let name = expression.strip_prefix('.').unwrap_or(expression);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(name.len());
    let rest = name[end..].trim_start();
    let goes_on = rest.is_empty() || rest.starts_with(['.', '[', '|']) || rest.starts_with("//");
    (end > 0 && goes_on).then(|| name[..end].into())
}

/// The plain text of a value: known, and nothing that a template left over.
fn plain_text(value: &Value) -> Option<Text> {
    match &value.data {
        Data::Str(s) if !s.is_empty() && !value::has_template(s) && !s.contains("<no value>") && !tags::is_call(s) => {
            Some(Text::clone(s))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_of_an_expression() {
        for (text, want) in [
            ("vpc_id", Some("vpc_id")),
            (".a.b // \"x\"", Some("a")),
            ("val5[0]", Some("val5")),
            (".a | length", Some("a")),
            (".[\"x\"]", None),
            ("", None),
            (".a + .b", None),
        ] {
            assert_eq!(first_key(text).as_deref(), want, "{text}");
        }
    }
}
