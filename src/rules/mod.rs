//! The catalogue of rules: one registry, from which levels, reports, `explain` and the documentation come.

pub(crate) mod change;
mod clean_units;
mod code;
mod component_index;
mod components;
mod decided;
mod edit;
mod imports;
mod links;
mod merge;
pub(crate) mod places;
mod source;
mod unit_results;
mod withheld;

use crate::diagnostic::{Diagnostic, Label, Level, RuleRef, rule, rules as shared};
pub(crate) use crate::diagnostic::{Group, Rule};
use crate::dialects;
use crate::diff::{ComponentChange, Diff};
use crate::files::Files;
use crate::resolution::{Component, Link, LinkKind, ReadTarget, Resolution, StackSelector};
use crate::source::glob::Glob;
use crate::terraform::Modules;
use crate::text::Text;
use crate::threads::{self, Cancel};
use crate::value::{FileId, Output, ValueKind};
use crate::yaml::Document;
pub(crate) use clean_units::{Clean, CleanUnits, is_made_from};
pub(crate) use component_index::{ComponentIndex, Need, Target};
pub(crate) use decided::is_decided_by_file;
use std::sync::LazyLock;
pub(crate) use unit_results::UnitResults;
use unit_results::{by_document, by_unit, in_units};
pub(crate) use withheld::Withheld;

/// The input of a rule.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The files.
    pub files: &'a Files,
    /// The state to examine; of two the newer one, but for rules that examine one state and are run on both.
    pub resolution: &'a Resolution,
    /// Whether the file at a path is to be examined: between two revisions only what the edit touches is.
    pub is_examined: &'a (dyn Fn(&str) -> bool + Sync),
    /// The numbers and names that some rules depend on.
    pub limits: &'a Thresholds,
    /// Records that rules withhold findings.
    pub withheld: &'a Withheld,
    /// The kind of an output that a component reads, by the name of the output, as far as the code of the other
    /// component shows it.
    pub output_kind: &'a OutputKind<'a>,
    /// The cached findings of rules in single units, if they are kept.
    pub results: Option<&'a UnitResults>,
    /// The units in which rules find nothing, in this revision and the one before.
    pub clean: Clean<'a>,
    /// Whether the findings are still wanted.
    pub cancel: &'a Cancel,
}

/// Returns the kind of an output; see [`Context::output_kind`].
pub(crate) type OutputKind<'a> = dyn Fn(&Component, &Output, &str) -> Option<ValueKind> + Sync + 'a;

/// Thresholds of rules, from the settings.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    /// The maximum number of components that one edited line may change silently.
    pub max_components: usize,
    /// The maximum number of files that one import may match, for `broad-glob-import`.
    pub max_imports: usize,
    /// Maximum number of times that one line may run a slow function before it is reported.
    pub max_slow_calls: usize,
    /// Stacks in which every change is worth a word, by patterns of their names.
    pub protected: Vec<Glob>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { max_components: 50, max_imports: 20, max_slow_calls: 20, protected: Vec::new() }
    }
}

impl<'a> Context<'a> {
    /// Creates the input of rules, without code.
    pub(crate) fn new(
        files: &'a Files,
        resolution: &'a Resolution,
        is_examined: &'a (dyn Fn(&str) -> bool + Sync),
        limits: &'a Thresholds,
        withheld: &'a Withheld,
    ) -> Context<'a> {
        static WANTED: Cancel = Cancel::never();
        let output_kind = &|_: &_, _: &_, _: &_| None;
        let (results, clean, cancel) = (None, Clean::default(), &WANTED);
        Context { files, resolution, is_examined, limits, withheld, output_kind, results, clean, cancel }
    }

    /// The YAML files that are to be examined.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (FileId, &'a Document)> {
        let examined = |id: &FileId| (self.is_examined)(&self.files.get(*id).path);
        self.resolution.documents.iter().filter(move |(id, _)| examined(id)).map(|(id, document)| (*id, &**document))
    }
}

/// The input of rules about components.
pub(crate) struct Components<'a> {
    /// The files.
    pub files: &'a Files,
    /// The components, by stack and name.
    pub index: ComponentIndex<'a>,
    /// Their code.
    pub modules: &'a Modules<'a>,
    /// Records that rules withhold findings.
    pub withheld: &'a Withheld,
    /// The cached findings of rules in single units, if they are kept.
    pub results: Option<&'a UnitResults>,
    /// The units in which rules find nothing, in this revision and the one before.
    pub clean: Clean<'a>,
}

impl Components<'_> {
    /// The kind of an output that one component reads from another; `None` if the code of the latter does not show it.
    fn output_kind(&self, from: &Component, output: &Output, name: &str) -> Option<ValueKind> {
        let link = Link {
            how: LinkKind::Reads,
            by: "".into(),
            component: Text::clone(&output.component),
            kind: None,
            stack: output.stack.as_ref().map_or(StackSelector::Here, |stack| StackSelector::Stack(Text::clone(stack))),
            reads: ReadTarget::Output(name.into()),
            is_optional: false,
            origin: None,
            stack_origin: None,
        };
        let Target::Found(targets) = self.index.target(from, &link) else { return None };
        let kinds = targets.iter().map(|target| code::module(self, target)?.output_kinds.get(name).copied());
        let mut kinds = kinds.collect::<Option<Vec<ValueKind>>>()?.into_iter();
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    }
}

/// How a rule finds what it reports.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// By examining one state. Between two revisions it is run on both, so that what both have is known.
    State(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// By examining the components of one state, each for itself. Between two revisions it is run on both.
    Component(fn(&Components<'_>) -> Vec<Diagnostic>),
    /// By examining all components of one state, because what is not there could contradict it. Between two revisions it
    /// is run only if all of both was resolved; see [`asks_for_all`].
    Whole(fn(&Components<'_>) -> Vec<Diagnostic>),
    /// By examining what differs.
    Change(fn(&Changes<'_>) -> Vec<Diagnostic>),
    /// Both: by examining one state, and what differs.
    StateAndChange(fn(&Context<'_>) -> Vec<Diagnostic>, fn(&Changes<'_>) -> Vec<Diagnostic>),
}

pub(crate) use change::Changes;
pub(crate) use source::secret_in_plain_text::SECRET_IN_PLAIN_TEXT;

/// A rule and how it finds what it reports.
pub(crate) type Checked = (&'static Rule, Check);

/// The checks of all groups, sorted by the id of their rule.
static CHECKS: LazyLock<Vec<Checked>> = LazyLock::new(|| {
    let groups = [
        change::CHECKS,
        code::CHECKS,
        components::CHECKS,
        imports::CHECKS,
        links::CHECKS,
        merge::CHECKS,
        source::CHECKS,
    ];
    let mut checks = groups.concat();
    checks.sort_by_key(|(rule, _)| rule.id());
    checks
});

/// All rules, sorted by id: those with a check, those that several modules report, and those of each dialect.
pub(crate) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut rules: Vec<&Rule> = CHECKS.iter().map(|(rule, _)| *rule).collect();
    rules.extend(shared::ALL);
    rules.extend(dialects::all(crate::limits::Limits::default()).iter().flat_map(|dialect| dialect.rules()));
    rules.sort_by_key(|rule| rule.id());
    rules.dedup();
    rules
});

/// The checks of the rules that are on, sorted by id.
fn checks(enabled: &[(RuleRef, Level)]) -> Vec<&'static Checked> {
    let is_on = |rule: &Rule| enabled.iter().any(|(on, _)| *on == rule);
    CHECKS.iter().filter(|(rule, _)| is_on(rule)).collect()
}

/// Runs the rules that check one state. Code that cannot be read is reported, because rules were withheld.
pub(crate) fn check_state(
    context: &Context<'_>,
    modules: &Modules<'_>,
    enabled: &[(RuleRef, Level)],
) -> Vec<Diagnostic> {
    let Context { files, withheld, results, clean, .. } = *context;
    let index = ComponentIndex::new(context.resolution);
    let components = Components { files, index, modules, withheld, results, clean };
    let is_whole = components.index.is_complete();
    let output_kind =
        |component: &Component, output: &Output, name: &str| components.output_kind(component, output, name);
    let context = &Context { output_kind: &output_kind, ..*context };
    let run = |(rule, check): &&'static Checked| {
        isolated(rule, context, || match check {
            _ if context.cancel.is_canceled() => Vec::new(),
            Check::State(check) | Check::StateAndChange(check, _) => check(context),
            Check::Component(check) => check(&components),
            Check::Whole(check) if is_whole => check(&components),
            Check::Whole(_) | Check::Change(_) => Vec::new(),
        })
    };
    clean.ask_again(modules);
    match results {
        Some(results) => results.ask_again(modules),
        // Units that were made from examined ones hardly need them.
        None if clean.before.is_none() => components.index.examine(),
        None => {}
    }
    let mut found: Vec<Diagnostic> = threads::map(&checks(enabled), run).into_iter().flatten().collect();
    if let Some(results) = results {
        results.asked(modules);
    }
    clean.asked(modules);
    found.extend(modules.errors().into_iter().map(|error| {
        let message = format!("this code cannot be read: {}", error.message.trim());
        let place = Label::new(error.file, error.offset, error.offset, "");
        Diagnostic::new(&shared::INCOMPLETE_ANALYSIS, message, place)
            .note("findings about variables and outputs were withheld for the components that use it")
    }));
    found.extend(withheld.take(context.resolution, context.files));
    found
}

/// Whether everything of a state was resolved.
pub(crate) fn is_whole(resolution: &Resolution) -> bool {
    let is_resolved = |unit: &&std::sync::Arc<crate::resolution::Unit>| {
        unit.state == crate::resolution::State::Resolved && !unit.is_incomplete()
    };
    resolution.gap.is_none() && resolution.units.iter().all(|unit| is_resolved(&unit))
}

/// Whether rules that check a whole state could find something new between two states of which only the parts touched
/// by an edit were resolved: a component was added or removed, or looks different to others.
pub(crate) fn asks_for_all(diff: &Diff, enabled: &[(RuleRef, Level)]) -> bool {
    if !checks(enabled).iter().any(|(_, check)| matches!(check, Check::Whole(_))) {
        return false;
    }
    let inherits = enabled.iter().any(|(rule, _)| *rule == &components::unused_abstract::UNUSED_ABSTRACT_COMPONENT);
    let is_same = |old: &Component, new: &Component| {
        new.differing_from(old).is_some()
            || old.is_same_to_others(new) && (!inherits || old.metadata.has_same_bases(&new.metadata))
    };
    let differs = |c: &ComponentChange| match (&c.before, &c.after) {
        (Some(old), Some(new)) => !is_same(old, new),
        _ => true,
    };
    let parts: Vec<&[ComponentChange]> = diff.components.chunks(COMPARED_AT_ONCE).collect();
    threads::map(&parts, |part| part.iter().any(differs)).contains(&true)
}

/// How many components a thread compares at a time.
const COMPARED_AT_ONCE: usize = 1024;

/// Runs the rules that check a change.
pub(crate) fn check_change(changes: &Changes<'_>, enabled: &[(RuleRef, Level)]) -> Vec<Diagnostic> {
    let context = changes.context;
    let run = |(rule, check): &&'static Checked| match check {
        Check::Change(check) | Check::StateAndChange(_, check) => isolated(rule, context, || check(changes)),
        Check::State(_) | Check::Component(_) | Check::Whole(_) => Vec::new(),
    };
    let mut found: Vec<Diagnostic> = threads::map(&checks(enabled), run).into_iter().flatten().collect();
    found.extend(context.withheld.take(context.resolution, context.files));
    found
}

/// Runs a rule. If it fails, the failure is its finding, and all other rules still run.
fn isolated(rule: &Rule, context: &Context<'_>, check: impl FnOnce() -> Vec<Diagnostic>) -> Vec<Diagnostic> {
    threads::guarded(&format!("rule {}", rule.id()), check).unwrap_or_else(|defect| {
        let file = context.resolution.units.first().map(|unit| unit.file);
        let file = file.unwrap_or_else(|| context.files.add(".", "", || Text::from("")));
        vec![Diagnostic::defect(&defect, file)]
    })
}

/// The rule of an id.
pub(crate) fn find(id: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|r| r.id().cmp(id)).ok().map(|i| RULES[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The three numbers of a version.
    fn version(text: &str) -> [u32; 3] {
        let numbers: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).unwrap_or_else(|| panic!("{text} is no version"))
    }

    #[test]
    fn the_registry_is_sorted_and_its_rules_are_documented() {
        assert!(RULES.is_sorted_by(|a, b| a.id < b.id));
        for rule in RULES.iter() {
            assert_eq!(rule.page().lines().next(), Some(format!("# {}", rule.id()).as_str()), "the title of the page");
            assert!(!rule.summary().ends_with('.') && !rule.summary().contains('\n'), "{}: one sentence", rule.id());
            assert!(version(rule.since) <= version(env!("CARGO_PKG_VERSION")), "{} is of the future", rule.id());
            assert!(rule.id().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.id());
        }
    }
}
