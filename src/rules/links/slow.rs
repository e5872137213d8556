//! `slow-function`: a function that starts a program or a request runs for many components.

use crate::diagnostic::Diagnostic;
use crate::resolution::{Component, LinkKind, ReadTarget, StackSelector};
use crate::rules::places::at_value;
use crate::rules::{Context, rule};
use crate::text::Text;
use crate::value::{Data, Flags, Origin, Reading, Value};
use std::collections::{BTreeMap, BTreeSet};

rule!(
    SLOW_FUNCTION,
    "slow-function",
    Preview,
    "0.1.0",
    "a line calls a slow function for many components, whenever stacks are described"
);

/// The subject of a call, which runs once for each: a component of a stack whose outputs it reads, or the component
/// with the call.
type Subject = (Text, Text);

/// The calls of one line.
#[derive(Default)]
struct Line {
    function: Text,
    help: &'static str,
    subjects: BTreeSet<Subject>,
    stacks: BTreeSet<Text>,
}

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let max = context.limits.max_slow_calls;
    let mut lines: BTreeMap<Origin, Line> = BTreeMap::new();
    let deployed = context.resolution.units.iter().flat_map(|unit| &unit.components);
    for component in deployed.filter(|component| component.metadata.is_deployed()) {
        calls(component, &mut |origin, function, help, subject| {
            let line = lines.entry(origin).or_insert_with(|| Line { function, help, ..Line::default() });
            line.subjects.insert(subject);
            line.stacks.insert(Text::clone(&component.stack));
        });
    }
    let slow = lines.into_iter().filter(|(_, line)| line.subjects.len() > max);
    slow.map(|(origin, line)| {
        let runs = line.subjects.len();
        let times = if runs == 1 { "once".to_owned() } else { format!("{runs} times") };
        let message = format!("`{}` runs {times} here whenever all stacks are described", line.function);
        let mut finding = Diagnostic::new(&SLOW_FUNCTION, message, at_value(context.files, origin, ""))
            .token(&*line.function)
            .note(format!("`max-slow-calls` allows {max}"))
            .help(line.help);
        finding.stacks = line.stacks.into_iter().collect();
        finding
    })
    .collect()
}

/// Calls `f` for every slow call of a component: its place, the function, its replacement, and its subject.
fn calls(component: &Component, f: &mut dyn FnMut(Origin, Text, &'static str, Subject)) {
    let words = component.language.vocabulary;
    let slow = |function: &str| words.slow_functions.iter().find(|(name, _)| *name == function);
    let here = || (Text::clone(&component.stack), Text::clone(&component.name));
    let sections = component.value.as_map().into_iter().flat_map(|map| map.iter());
    let is_run = |name: &str| !words.repeated.contains(&name) && name != words.locals;
    let mut todo: Vec<&Value> = sections.filter(|e| is_run(&e.key)).map(|e| &e.value).collect();
    while let Some(value) = todo.pop() {
        let text = match &value.data {
            Data::Map(map) if map.flags().has(Flags::CALL) || map.flags().has(Flags::UNKNOWN) => {
                todo.extend(map.iter().map(|e| &e.value));
                continue;
            }
            Data::List(items) if value.holds(Flags::CALL) || value.holds(Flags::UNKNOWN) => {
                todo.extend(items.iter());
                continue;
            }
            Data::Str(text) => text,
            Data::Unknown(unknown) => &unknown.text,
            _ => continue,
        };
        let (Some(Reading::Call(call)), Some(origin)) = ((component.language.read)(text), value.prov.origin) else {
            continue;
        };
        let Some((_, help)) = slow(&call.function) else { continue };
        // The outputs of one component of a stack are read once.
        let subject = call.output.map_or_else(here, |output| {
            (output.stack.unwrap_or_else(|| Text::clone(&component.stack)), output.component)
        });
        f(origin, call.function, help, subject);
    }
    // Templates leave no call behind. What was found already is the same again.
    let reads = component.metadata.links.iter().filter(|link| link.how == LinkKind::Reads);
    for link in reads.filter(|link| matches!(link.reads, ReadTarget::Output(_))) {
        let (Some((_, help)), Some(origin)) = (slow(&link.by), *link.origin) else { continue };
        let stack = match &link.stack {
            StackSelector::Stack(stack) => Text::clone(stack),
            _ => Text::clone(&component.stack),
        };
        f(origin, Text::clone(&link.by), help, (stack, Text::clone(&link.component)));
    }
}
