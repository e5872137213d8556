//! The components that a change affects, as the step of a pipeline that deploys them reads it: a list of items with reasons.
//!
//! A dialect whose deployment tool has such a list provides it as that tool does ([`Dialect::affected`]); components
//! that the tool misses are listed too, marked by [`Item::extra`]. For other dialects the list is derived from the
//! comparison ([`differing`]). `schemas/affected.json` describes an item.
//!
//! What a pipeline runs for it, in which order, is [`jobs`].
//!
//! [`Dialect::affected`]: crate::dialects::Dialect::affected

pub(crate) mod dependents;
pub(crate) mod jobs;

use crate::code::CodeChanges;
use crate::diff::{ComponentChange, Diff, Status};
use crate::files::Files;
use crate::resolution::{Address, Component, Resolution};
use crate::source::Source;
use crate::terraform::Cache;
use crate::text::{Text, count};
use crate::value::Value;
use jobs::Jobs;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The reason of what has other code: itself, or with what it is of the code behind a `.`.
const CODE: &str = "component";
/// The reason of what could not be resolved.
pub(crate) const UNRESOLVED: &str = "unresolved";

/// What the list contains.
#[derive(Clone, Debug)]
pub(crate) struct AffectedOptions {
    /// The components that depend on each affected one.
    pub dependents: bool,
    /// The settings of each component.
    pub settings: bool,
    /// Omits locked components.
    pub exclude_locked: bool,
    /// The components that administer affected ones count as affected.
    pub admin_stacks: bool,
    /// Templates are rendered before components are compared.
    pub process_templates: bool,
    /// Leaves out components of which nothing differs that a run would apply.
    pub by_configuration: bool,
    /// The jobs of a pipeline.
    pub jobs: bool,
}

impl Default for AffectedOptions {
    fn default() -> Self {
        AffectedOptions {
            dependents: false,
            settings: false,
            exclude_locked: false,
            admin_stacks: false,
            process_templates: true,
            by_configuration: false,
            jobs: false,
        }
    }
}

/// The input of the list.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The older revision.
    pub base: &'a dyn Source,
    /// The newer revision.
    pub head: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    /// Code that has been parsed.
    pub cache: &'a Cache,
    /// Both states, as far as they were resolved.
    pub resolutions: [&'a Resolution; 2],
    /// The changes of the configuration.
    pub diff: &'a Diff,
    pub code: &'a CodeChanges,
    /// Selects components.
    pub filter: &'a dyn Fn(&Address) -> bool,
    /// Selects stacks.
    pub stack_filter: &'a dyn Fn(&str) -> bool,
    /// What the list contains.
    pub options: &'a AffectedOptions,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Affected {
    /// The items, sorted by stack, type and name.
    pub items: Vec<Item>,
    /// What could not be resolved, so that the list may be incomplete. Sorted.
    pub unresolved: Vec<String>,
    /// Notes for the reader about the list.
    pub notes: Vec<String>,
    /// Components that are left out, because nothing differs that a run would apply.
    pub equal: BTreeSet<Address>,
    /// What a pipeline runs, if requested.
    pub jobs: Jobs,
}

impl Item {
    /// Whether files of its code are all that it is listed for.
    pub(crate) fn is_of_code(&self) -> bool {
        let is_code =
            |reason: &String| reason == CODE || reason.strip_prefix(CODE).is_some_and(|it| it.starts_with('.'));
        !self.deleted && !self.affected_all.is_empty() && self.affected_all.iter().all(is_code)
    }

    /// The address of the component.
    pub(crate) fn address(&self) -> Address {
        (Text::clone(&self.stack), Text::clone(&self.component_type), Text::clone(&self.component))
    }

    /// Adds that it could not be resolved, as a reason of its own.
    pub(crate) fn mark_unresolved(&mut self, why: &str) {
        if self.affected_all.iter().any(|reason| reason == UNRESOLVED) {
            return;
        }
        // What the deployment tool lists for other reasons, it lists anyway.
        if self.affected_all.is_empty() {
            self.extra.get_or_insert_with(|| format!("it could not be resolved: {why}"));
        }
        self.affected_all.push(UNRESOLVED.to_owned());
        self.affected.clone_from(&self.affected_all[0]);
    }
}

impl Affected {
    /// Marks components that are only renamed with the other name. There is no job for the old name: a job would
    /// destroy the resources of the new one.
    pub(crate) fn mark_renames(&mut self, diff: &Diff) {
        let name = |i: usize| {
            let change = &diff.components[i];
            Name { stack: Text::clone(&change.stack), component: Text::clone(&change.name) }
        };
        let sides = diff.renames.iter().flat_map(|r| [(r.from, r.to), (r.to, r.from)]);
        let others: BTreeMap<Address, usize> =
            sides.map(|(own, other)| (diff.components[own].address(), other)).collect();
        for item in &mut self.items {
            let other = others.get(&item.address()).map(|i| name(*i));
            let place = if item.deleted { &mut item.renamed_to } else { &mut item.renamed_from };
            *place = other;
            item.is_job &= item.renamed_to.is_none();
        }
    }

    /// Leaves out components of which nothing differs that a run would apply.
    pub(crate) fn leave_out(&mut self, equal: &BTreeSet<Address>) {
        let is_equal = |item: &mut Item| {
            let is_known = item.affected_all.iter().all(|reason| reason != UNRESOLVED);
            is_known && equal.contains(&item.address()) && item.file.is_none() && item.folder.is_none()
        };
        self.equal.extend(self.items.extract_if(.., is_equal).map(|item| item.address()));
        let number = self.equal.len();
        if number > 0 {
            let which = count(number, "component");
            self.notes.push(format!("{which} left out: nothing differs in what their code makes of their values"));
        }
    }

    /// Adds the list of another project. What it shares with the other ones is listed once.
    pub(crate) fn extend(&mut self, other: Affected) {
        let known = self.items.len();
        let is_new = |item: &Item| !self.items[..known].contains(item);
        let new: Vec<Item> = other.items.into_iter().filter(is_new).collect();
        self.items.extend(new);
        self.unresolved.extend(other.unresolved);
        self.notes.extend(other.notes);
        self.equal.extend(other.equal);
        self.jobs.extend(other.jobs);
    }
}

/// An affected component.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Item {
    /// Its name.
    pub component: Text,
    pub component_type: Text,
    /// The folder of its code; empty where the configuration names none.
    pub component_path: Text,
    /// Where it is deployed, according to its variables; only for deleted components.
    #[serde(flatten)]
    pub context: Context,
    pub stack: Text,
    /// Stack and name as one word.
    pub stack_slug: String,
    /// Its names in other tools: the key and the name.
    #[serde(flatten)]
    pub integrations: BTreeMap<&'static str, String>,
    /// The first reason.
    pub affected: String,
    /// All reasons.
    pub affected_all: Vec<String>,
    /// The file that is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The folder that is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Its dependents, if requested; a list without them gets those that its jobs have ([`dependents`]).
    pub dependents: Option<Vec<Dependent>>,
    /// Whether it is among the dependents of another item.
    pub included_in_dependents: bool,
    /// Its settings, if requested.
    pub settings: Option<Value>,
    /// Whether it was removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Whether its whole `stack` was removed, or only the `component`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_type: Option<&'static str>,
    /// Whether there is something to deploy, or to destroy.
    pub deployable: bool,
    /// Why the deployment tool does not list it, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
    /// Of a deleted component: the one that has its configuration now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<Name>,
    /// Of a new component: the one whose configuration it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<Name>,
    /// Whether a job for it is in the matrix.
    #[serde(skip)]
    pub is_job: bool,
}

/// Another name of a component.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Name {
    pub stack: Text,
    /// Its name.
    pub component: Text,
}

/// The variables that name a place of deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the variables of these names")]
pub(crate) struct Context {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Text>,
}

impl Context {
    /// Reads the context from the variables of a component, ignoring empty text.
    pub(crate) fn of(component: &Component) -> Self {
        let text = |name: &str| {
            let text = component.value.at_path([component.language.vocabulary.inputs, name]).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(Text::from)
        };
        Context {
            namespace: text("namespace"),
            tenant: text("tenant"),
            environment: text("environment"),
            stage: text("stage"),
        }
    }
}

/// A component that depends on an affected one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Dependent {
    /// Its name.
    pub component: Text,
    pub component_type: Text,
    /// The folder of its code.
    pub component_path: Text,
    /// Where it is deployed, according to its variables.
    #[serde(flatten)]
    pub context: Context,
    pub stack: Text,
    /// Stack and name as one word.
    pub stack_slug: String,
    /// Its names in other tools: the key and the name.
    #[serde(flatten)]
    pub integrations: BTreeMap<&'static str, String>,
    /// Its dependents in turn.
    pub dependents: Vec<Dependent>,
    /// Whether it is below a sibling as well.
    pub included_in_dependents: bool,
    /// Its settings, if requested.
    pub settings: Option<Value>,
}

/// Stack and name of a component as one word.
pub(crate) fn slug(stack: &str, component: &str) -> String {
    format!("{stack}-{}", component.replace('/', "-"))
}

/// The components whose configuration or code differs, sorted by address, with the sections that differ as reasons.
pub(crate) fn differing(diff: &Diff, code: &CodeChanges, filter: &dyn Fn(&Address) -> bool) -> Vec<Item> {
    let mut items: BTreeMap<Address, Item> = BTreeMap::new();
    for change in &diff.components {
        items.insert(change.address(), of_change(change, diff));
    }
    for address in code.touched.keys().filter(|address| filter(address)) {
        let item = items.entry(address.clone()).or_insert_with(|| of_code(address));
        if !item.affected_all.iter().any(|reason| reason == CODE) {
            item.affected_all.insert(0, CODE.to_owned());
            item.affected = CODE.to_owned();
        }
    }
    items.into_values().collect()
}

/// Items for what one state has and the other one could not resolve, with that reason.
pub(crate) fn lost<'a>(
    base: &'a Resolution,
    head: &'a Resolution,
    filter: &'a dyn Fn(&Address) -> bool,
) -> impl Iterator<Item = (Address, Item)> + 'a {
    let components = base.components();
    let lost = head.lost_components(base).into_iter().filter(|address| filter(address));
    lost.filter_map(move |address| {
        let component = &components.get(&address)?.component;
        if !component.metadata.is_deployed() {
            return None;
        }
        let mut item = of_code(&address);
        item.component_path = component.metadata.code.as_ref().map(|code| code.folder.clone()).unwrap_or_default();
        item.mark_unresolved("the older revision has it");
        item.extra = None;
        Some((address, item))
    })
}

/// An item for a component whose code differs, without a reason yet.
pub(crate) fn of_code((stack, kind, name): &Address) -> Item {
    Item {
        component: Text::clone(name),
        component_type: Text::clone(kind),
        stack: Text::clone(stack),
        stack_slug: slug(stack, name),
        deployable: true,
        is_job: true,
        ..Item::default()
    }
}

/// An item for a component that differs: the sections that differ are the reasons.
pub(crate) fn of_change(change: &ComponentChange, diff: &Diff) -> Item {
    let component = change.after.as_deref().or(change.before.as_deref());
    let deleted = change.status == Status::Removed;
    let whole_stack = deleted && diff.removed_stacks.contains(&change.stack);
    let sections: BTreeSet<&str> = match (change.status, &change.after) {
        (Status::Added, Some(after)) => after.value.as_map().into_iter().flat_map(|m| m.keys()).map(|k| &**k).collect(),
        _ => change.changes.iter().filter_map(|c| c.path.split('/').nth(1)).collect(),
    };
    let reasons = match (deleted, whole_stack) {
        (false, _) => sections.into_iter().map(|section| format!("stack.{section}")).collect(),
        (true, false) => vec!["deleted".to_owned()],
        (true, true) => vec!["deleted.stack".to_owned()],
    };
    let path = component.and_then(|c| c.metadata.code.as_ref()).map(|code| Text::clone(&code.folder));
    let deployable = component.is_some_and(|c| !c.metadata.is_abstract && (deleted || !c.metadata.is_disabled));
    Item {
        component: Text::clone(&change.name),
        component_type: Text::clone(&change.kind),
        component_path: path.unwrap_or_default(),
        context: component.filter(|_| deleted).map(Context::of).unwrap_or_default(),
        stack: Text::clone(&change.stack),
        stack_slug: slug(&change.stack, &change.name),
        affected: reasons.first().cloned().unwrap_or_default(),
        affected_all: reasons,
        deleted,
        deletion_type: deleted.then_some(if whole_stack { "stack" } else { "component" }),
        deployable,
        is_job: deployable,
        ..Item::default()
    }
}
