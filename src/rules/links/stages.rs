//! `mixed-state-stage`: a component reads the state of another stage, although its own stage has the same component.

use crate::diagnostic::Diagnostic;
use crate::resolution::{LinkKind, ReadTarget};
use crate::rules::places::{Findings, at_key, at_name};
use crate::rules::{AllUnits, ResolvedLink, Target, rule};
use crate::unit::Interface;
use std::collections::{BTreeMap, BTreeSet};

rule!(
    MIXED_STATE_STAGE,
    "mixed-state-stage",
    Preview,
    "0.1.0",
    "a component reads the state of another stage, though its own stage has the same component"
);

/// Identifies components with the same name: type, name, stage, and the other parts of the names of their stacks.
type Identity<'a> = (&'a str, &'a str, String, Vec<Option<String>>);

/// Stack, type and name of a component.
type Address<'a> = (&'a str, &'a str, &'a str);

/// Words about components.
type ByComponent<'a> = BTreeMap<Address<'a>, BTreeSet<String>>;

fn address(component: &Interface) -> Address<'_> {
    (&component.stack, &component.kind, &component.name)
}

pub(super) fn check(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let deployed = context.index.components().filter(|c| c.is_deployed());
    let known: BTreeMap<Identity<'_>, &Interface> =
        deployed.filter_map(|c| Some((identity(c, stage(c)?), c))).collect();
    let reads: Vec<(&ResolvedLink<'_>, &Interface)> = context.index.needs_of_deployed().filter_map(read).collect();
    // By target: the stages that read it; by reader: the names that it reads in its own stage.
    let mut stages: ByComponent<'_> = BTreeMap::new();
    let mut at_home: ByComponent<'_> = BTreeMap::new();
    for (need, target) in &reads {
        let (Some(own), Some(other)) = (stage(need.from), stage(target)) else { continue };
        match own == other {
            true => drop(at_home.entry(address(need.from)).or_default().insert(target.name.to_string())),
            false => drop(stages.entry(address(target)).or_default().insert(own)),
        }
    }
    let mut findings = Findings::default();
    for (need, target) in reads {
        let (Some(own), Some(other)) = (stage(need.from), stage(target)) else { continue };
        // A target that several stages read is meant for all of them; a reader of both stages connects them.
        let is_shared = stages.get(&address(target)).is_some_and(|stages| stages.len() > 1);
        let reads_own = at_home.get(&address(need.from)).is_some_and(|names| names.contains(&*target.name));
        if own == other || is_shared || reads_own {
            continue;
        }
        let counterpart = known.get(&identity(target, own.clone()));
        let Some(counterpart) = counterpart.filter(|c| address(c) != address(need.from)) else { continue };
        if let Some(finding) = finding(context, need, target, counterpart, (&own, &other)) {
            findings.add(&need.from.stack, finding);
        }
    }
    findings.finish()
}

/// The one component whose state a need reads.
fn read<'n, 'a>(need: &'n ResolvedLink<'a>) -> Option<(&'n ResolvedLink<'a>, &'a Interface)> {
    let is_read = need.link.how == LinkKind::Reads && !matches!(need.link.reads, ReadTarget::Input(_));
    let Target::Found(targets) = &need.target else { return None };
    let [target] = **targets else { return None };
    is_read.then_some((need, target))
}

/// An input of a component as text, if it is known.
fn input(component: &Interface, name: &str) -> Option<String> {
    let text = component.selector(name)?.text.as_ref()?;
    (!text.is_empty() && !text.contains("{{")).then(|| text.to_string())
}

fn stage(component: &Interface) -> Option<String> {
    input(component, component.vocabulary.stage)
}

/// The identity that a component would have in a stage.
fn identity(component: &Interface, stage: String) -> Identity<'_> {
    let names = component.vocabulary.stack_inputs;
    (&component.kind, &component.name, stage, names.iter().map(|name| input(component, name)).collect())
}

fn finding(
    context: &AllUnits<'_>,
    need: &ResolvedLink<'_>,
    target: &Interface,
    counterpart: &Interface,
    (own, other): (&str, &str),
) -> Option<Diagnostic> {
    let (from, link) = (need.from, need.link);
    let origin = link.stack_origin.or(*link.origin).or(*from.origin)?;
    let message = format!(
        "`{}` of stage `{own}` reads the state of `{}` of stage `{other}`, and stage `{own}` has a `{}` of its own",
        from.name, target.name, target.name
    );
    let mut finding = Diagnostic::new(&MIXED_STATE_STAGE, message, at_name(context.files, origin, &target.stack, ""))
        .token(format!("{} {} {}", from.name, target.stack, target.name))
        .address(format!("{}/{}", from.stack, from.name))
        .help(match counterpart.stack == from.stack {
            true => "omit the stack to read the component of the same stack".to_owned(),
            false => format!("read the one of stack `{}`", counterpart.stack),
        });
    if let Some(origin) = *counterpart.origin {
        finding = finding.related(at_key(context.files, origin, format!("the one of stage `{own}`")));
    }
    Some(finding)
}
