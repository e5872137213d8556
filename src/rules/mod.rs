//! The catalogue of rules: one registry, from which levels, reports, `explain` and the documentation come.

pub(crate) mod change;
mod code;
mod component_index;
mod components;
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
use crate::environments::Declared;
use crate::files::Files;
use crate::resolution::{
    CommandReference, Component, Detail, FetchedFolder, Link, LinkKind, ReadTarget, Resolution, StackSelector, Unit,
};
use crate::source::glob::Glob;
use crate::terraform::{Module, Modules};
use crate::text::Text;
use crate::threads::{self, Cancel};
use crate::unit::{Interface, UnitInterface};
use crate::value::{FileId, Output, ValueKind};
use crate::yaml::Document;
pub(crate) use component_index::{ComponentIndex, ResolvedLink, Target};
pub(crate) use merge::is_redundant;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
pub(crate) use unit_results::UnitResults;
use unit_results::{by_document, by_unit};
pub(crate) use withheld::SkippedRules;

/// The input of a rule.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub files: &'a Files,
    /// The state to examine; of two the newer one, but for rules that examine one state and are run on both.
    pub resolution: &'a Resolution,
    /// Whether the file at a path is to be examined: between two revisions only what the edit touches is.
    pub is_examined: &'a (dyn Fn(&str) -> bool + Sync),
    /// The numbers and names that some rules depend on.
    pub limits: &'a Thresholds,
    /// Records that rules withhold findings.
    pub withheld: &'a SkippedRules,
    /// The kind of an output that a component reads, by the name of the output, as far as the code of the other
    /// component shows it.
    pub output_kind: &'a OutputKind<'a>,
    /// The cached findings of rules in single units, if they are kept.
    pub results: Option<&'a UnitResults>,
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
    /// What is declared of environments, for `environment-drift`.
    pub environments: Declared,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            max_components: 50,
            max_imports: 20,
            max_slow_calls: 20,
            protected: Vec::new(),
            environments: Declared::default(),
        }
    }
}

impl<'a> Context<'a> {
    /// Creates the input of rules, without code.
    pub(crate) fn new(
        files: &'a Files,
        resolution: &'a Resolution,
        is_examined: &'a (dyn Fn(&str) -> bool + Sync),
        limits: &'a Thresholds,
        withheld: &'a SkippedRules,
    ) -> Context<'a> {
        static WANTED: Cancel = Cancel::never();
        let output_kind = &|_: &_, _: &_, _: &_| None;
        let (results, cancel) = (None, &WANTED);
        Context { files, resolution, is_examined, limits, withheld, output_kind, results, cancel }
    }

    /// The YAML files that are to be examined.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (FileId, &'a Document)> {
        let examined = |id: &FileId| (self.is_examined)(&self.files.get(*id).path);
        self.resolution.documents.iter().filter(move |(id, _)| examined(id)).map(|(id, document)| (*id, &**document))
    }
}

/// The input of rules on one unit: some units, each of which is examined by itself.
#[derive(Clone, Copy)]
pub(crate) struct Units<'a> {
    pub files: &'a Files,
    pub units: &'a [Arc<Unit>],
    /// The code of their components.
    pub modules: &'a Modules<'a>,
}

impl<'a> Units<'a> {
    pub(crate) fn deployed(&self) -> impl Iterator<Item = &'a Arc<Component>> + use<'a> {
        self.units.iter().flat_map(|unit| &unit.components).filter(|component| component.metadata.is_deployed())
    }
}

/// The input of rules over all units. They see interfaces and code; the files are for the places that they report.
pub(crate) struct AllUnits<'a> {
    pub files: &'a Files,
    /// The interfaces of the components, by stack and name.
    pub index: ComponentIndex<'a>,
    /// Their code.
    pub modules: &'a Modules<'a>,
    /// Commands that name components or stacks.
    pub mentions: &'a [CommandReference],
    /// Folders that are filled from elsewhere.
    pub fetched: &'a [FetchedFolder],
    /// Stacks in which it is an error already that several units have one component.
    pub colliding: BTreeSet<&'a Text>,
    /// There may be units that were not found.
    pub has_gap: bool,
    /// Records that rules withhold findings.
    pub withheld: &'a SkippedRules,
}

impl<'a> AllUnits<'a> {
    fn new(context: &Context<'a>, units: &'a [UnitInterface], modules: &'a Modules<'a>) -> Self {
        let Context { files, resolution, withheld, .. } = *context;
        let collisions = resolution.findings.iter().filter(|finding| finding.rule == &shared::DUPLICATE_COMPONENT);
        AllUnits {
            files,
            index: ComponentIndex::new(units),
            modules,
            mentions: &resolution.mentions,
            fetched: &resolution.fetched,
            colliding: collisions.flat_map(|finding| &finding.stacks).collect(),
            has_gap: resolution.gap.is_some(),
            withheld,
        }
    }

    /// Whether everything was resolved.
    pub(crate) fn is_whole(&self) -> bool {
        !self.has_gap && self.index.units().iter().all(UnitInterface::is_complete)
    }

    /// The code of a component, if all that it declares is known.
    pub(crate) fn module(&self, component: &Interface) -> Option<Arc<Module>> {
        let code = component.code.as_ref()?;
        // Code that cannot be read is reported, known or not.
        self.modules.get(&code.folder).filter(|_| component.module_folder().is_some())
    }

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
            origin: Detail(None),
            stack_origin: Detail(None),
        };
        let Target::Found(targets) = self.index.target(&from.stack, &link) else { return None };
        let kinds = targets.iter().map(|target| self.module(target)?.output_kinds.get(name).copied());
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
    /// By examining the units of one state, each by itself. Between two revisions it is run on both.
    Unit(fn(&Units<'_>) -> places::Findings),
    /// By examining the interfaces of all units of one state, because what is not there could contradict it. Between two
    /// revisions it is run on both if an interface differs: otherwise it finds the same in both.
    AllUnits(fn(&AllUnits<'_>) -> Vec<Diagnostic>),
    /// By examining what differs.
    Change(fn(&Changes<'_>) -> Vec<Diagnostic>),
    /// Both: by examining one state, and what differs.
    StateAndChange(fn(&Context<'_>) -> Vec<Diagnostic>, fn(&Changes<'_>) -> Vec<Diagnostic>),
}

pub(crate) use change::Changes;
use components::environment_drift::ENVIRONMENT_DRIFT;
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

/// What rules that check one state are run on.
#[derive(Clone, Copy)]
pub(crate) struct Examined<'a> {
    /// The code.
    pub modules: &'a Modules<'a>,
    /// The interfaces of all units of the resolution.
    pub units: &'a [UnitInterface],
    /// Whether rules over all units are run.
    pub with_all_units: bool,
}

/// Runs the rules that check one state. Code that cannot be read is reported, because rules were withheld.
pub(crate) fn check_state(
    context: &Context<'_>,
    examined: Examined<'_>,
    enabled: &[(RuleRef, Level)],
) -> Vec<Diagnostic> {
    let Context { files, withheld, results, .. } = *context;
    let Examined { modules, units, with_all_units } = examined;
    let all_units = AllUnits::new(context, units, modules);
    let output_kind =
        |component: &Component, output: &Output, name: &str| all_units.output_kind(component, output, name);
    let context = &Context { output_kind: &output_kind, ..*context };
    let run = |(rule, check): &&'static Checked| {
        isolated(rule, context, || match check {
            _ if context.cancel.is_canceled() => Vec::new(),
            Check::State(check) | Check::StateAndChange(check, _) => check(context),
            Check::Unit(check) => {
                let find = |units: &[Arc<Unit>]| check(&Units { files, units, modules });
                places::Findings::together(
                    by_unit(results, rule, &context.resolution.units, find).iter().map(|found| &**found),
                )
                .finish()
            }
            Check::AllUnits(check) if with_all_units => unit_results::in_all_units(results, rule, &all_units, *check),
            Check::AllUnits(_) | Check::Change(_) => Vec::new(),
        })
    };
    if let Some(results) = results {
        results.ask_again(modules);
    } else if with_all_units {
        all_units.index.examine();
    }
    let mut found: Vec<Diagnostic> = threads::map(&checks(enabled), run).into_iter().flatten().collect();
    if let Some(results) = results {
        results.asked(modules);
    }
    // Where the code was evaluated, this is an error already.
    let is_told = |file| context.resolution.findings.iter().any(|f| f.is_breaking && f.primary.file == file);
    found.extend(modules.errors().into_iter().filter(|error| !is_told(error.file)).map(|error| {
        let message = format!("this code cannot be read: {}", error.message.trim());
        let place = Label::new(error.file, error.offset, error.offset, "");
        Diagnostic::new(&shared::INCOMPLETE_ANALYSIS, message, place)
            .note("findings about variables and outputs were withheld for the components that use it")
    }));
    found.extend(withheld.report(context.resolution, context.files));
    found
}

/// Whether everything of a state was resolved.
pub(crate) fn is_whole(resolution: &Resolution) -> bool {
    let is_resolved = |unit: &&std::sync::Arc<crate::resolution::Unit>| {
        unit.state == crate::resolution::State::Resolved && !unit.is_incomplete()
    };
    resolution.gap.is_none() && resolution.units.iter().all(|unit| is_resolved(&unit))
}

/// Whether a rule that is on examines values of all units, so that a comparison has to resolve all of them.
pub(crate) fn need_all_units(enabled: &[(RuleRef, Level)], limits: &Thresholds) -> bool {
    !limits.environments.alike.is_empty() && enabled.iter().any(|(rule, _)| *rule == &ENVIRONMENT_DRIFT)
}

/// Runs the rules that check a change.
pub(crate) fn check_change(changes: &Changes<'_>, enabled: &[(RuleRef, Level)]) -> Vec<Diagnostic> {
    let context = changes.context;
    let run = |(rule, check): &&'static Checked| match check {
        Check::Change(check) | Check::StateAndChange(_, check) => isolated(rule, context, || check(changes)),
        Check::State(_) | Check::Unit(_) | Check::AllUnits(_) => Vec::new(),
    };
    let mut found: Vec<Diagnostic> = threads::map(&checks(enabled), run).into_iter().flatten().collect();
    found.extend(context.withheld.report(context.resolution, context.files));
    found
}

/// Runs a rule. If it fails, the failure is its finding, and all other rules still run.
fn isolated(rule: &Rule, context: &Context<'_>, check: impl FnOnce() -> Vec<Diagnostic>) -> Vec<Diagnostic> {
    threads::catch_panic(&format!("rule {}", rule.id()), check).unwrap_or_else(|defect| {
        let file = context.resolution.units.first().map(|unit| unit.file);
        let file = file.unwrap_or_else(|| context.files.add(".", "", || Text::from("")));
        vec![Diagnostic::defect(&defect, file)]
    })
}

/// Whether a rule is found by a check of its own, and not while files are resolved.
pub(crate) fn has_check(rule: &Rule) -> bool {
    CHECKS.iter().any(|(known, _)| *known == rule)
}

/// The rule with an id.
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
