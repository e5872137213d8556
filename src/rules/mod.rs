//! The catalogue of rules: one registry, from which levels, reports, `explain` and the documentation come.

pub mod change;
mod code;
mod components;
mod edit;
mod imports;
mod jitsubst;
mod links;
mod locals;
mod merge;
mod meta;
mod places;
mod resolution;
mod schema;
mod source;
mod withheld;
mod world;

use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::Diff;
use crate::files::Files;
use crate::resolution::{Component, ComponentMetadata, Link, LinkKind, ReadTarget, Resolution, StackSelector};
use crate::source::glob::Glob;
use crate::terraform::Modules;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Kind, Output};
use crate::yaml::Document;
pub use withheld::Withheld;
pub use world::{Need, Target, Targets, World};

/// What a rule is about, which decides how severe its findings are unless the settings say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Cannot mean what it says, or the deployment tool refuses it: an error.
    Correctness,
    /// Probably a mistake: a warning.
    Suspicious,
    /// About the difference of two revisions: a warning.
    Change,
    /// Could be tidier: off unless asked for.
    Hygiene,
    /// Not proven yet: off unless asked for.
    Preview,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 5] = [Group::Correctness, Group::Suspicious, Group::Change, Group::Hygiene, Group::Preview];

    /// The name that users and JSON see.
    pub fn name(self) -> &'static str {
        match self {
            Group::Correctness => "correctness",
            Group::Suspicious => "suspicious",
            Group::Change => "change",
            Group::Hygiene => "hygiene",
            Group::Preview => "preview",
        }
    }

    /// The level of its rules; `None` for off.
    pub fn level(self) -> Option<Level> {
        match self {
            Group::Correctness => Some(Level::Error),
            Group::Suspicious | Group::Change => Some(Level::Warning),
            Group::Hygiene | Group::Preview => None,
        }
    }
}

/// What a rule may look at.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The files.
    pub files: &'a Files,
    /// The state to look at; of two the newer one, but for rules that look at one state and are run on both.
    pub resolution: &'a Resolution,
    /// Whether the file at a path is to be looked at: between two revisions only what the edit touches is.
    pub is_examined: &'a (dyn Fn(&str) -> bool + Sync),
    /// The numbers and names that some rules depend on.
    pub limits: &'a Limits,
    /// Where rules say that they hold findings back.
    pub withheld: &'a Withheld,
    /// The kind of an output that a component reads, by the name of the output, as far as the code of the other one tells it.
    pub output_kind: &'a OutputKind<'a>,
}

/// Tells the kind of an output; see [`Context::output_kind`].
pub type OutputKind<'a> = dyn Fn(&Component, &Output, &str) -> Option<Kind> + Sync + 'a;

/// What some rules depend on, as the settings give it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most components that one edited line may change without a word.
    pub max_components: usize,
    /// The most files that one import may stand for without a word, where that is asked for.
    pub max_imports: usize,
    /// Stacks in which every change is worth a word, by patterns of their names.
    pub protected: Vec<Glob>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_components: 50, max_imports: 20, protected: Vec::new() }
    }
}

impl<'a> Context<'a> {
    /// What rules may look at, without code.
    pub fn new(
        files: &'a Files,
        resolution: &'a Resolution,
        is_examined: &'a (dyn Fn(&str) -> bool + Sync),
        limits: &'a Limits,
        withheld: &'a Withheld,
    ) -> Context<'a> {
        Context { files, resolution, is_examined, limits, withheld, output_kind: &|_, _, _| None }
    }

    /// The YAML files that are to be looked at.
    pub fn documents(&self) -> impl Iterator<Item = (FileId, &'a Document)> {
        let examined = |id: &FileId| (self.is_examined)(&self.files.get(*id).path);
        self.resolution.documents.iter().filter(move |(id, _)| examined(id)).map(|(id, document)| (*id, &**document))
    }
}

/// What rules about components may look at.
pub struct Components<'a> {
    /// The files.
    pub files: &'a Files,
    /// The components, by stack and name.
    pub world: World<'a>,
    /// Their code.
    pub modules: &'a Modules<'a>,
    /// Where rules say that they hold findings back.
    pub withheld: &'a Withheld,
}

impl Components<'_> {
    /// The kind of an output of another component that one reads; none if the code of that does not tell it.
    fn output_kind(&self, from: &Component, output: &Output, name: &str) -> Option<Kind> {
        let link = Link {
            how: LinkKind::Reads,
            by: "".into(),
            component: Text::clone(&output.component),
            stack: output.stack.as_ref().map_or(StackSelector::Here, |stack| StackSelector::Stack(Text::clone(stack))),
            reads: ReadTarget::Output(name.into()),
            is_optional: false,
            origin: None,
            stack_origin: None,
        };
        let Target::Found(targets) = self.world.target(from, &link) else { return None };
        let kinds = targets.iter().map(|target| code::module(self, target)?.output_kinds.get(name).copied());
        let mut kinds = kinds.collect::<Option<Vec<Kind>>>()?.into_iter();
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    }
}

/// How a rule finds what it reports.
#[derive(Clone, Copy)]
pub enum Check {
    /// It is found while files are read and resolved, or by the engine itself.
    Elsewhere,
    /// By looking at one state. Between two revisions it is run on both, so that what both have is known.
    State(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// By looking at the components of one state, each for itself. Between two revisions it is run on both.
    Component(fn(&Components<'_>) -> Vec<Diagnostic>),
    /// By looking at all components of one state, because what is not there could contradict it. Between two revisions it
    /// is run only if all of both was resolved; see [`asks_for_all`].
    Whole(fn(&Components<'_>) -> Vec<Diagnostic>),
    /// By looking at what differs.
    Change(fn(&Changes<'_>) -> Vec<Diagnostic>),
    /// Both: by looking at one state, and at what differs.
    StateAndChange(fn(&Context<'_>) -> Vec<Diagnostic>, fn(&Changes<'_>) -> Vec<Diagnostic>),
}

/// A rule: what it is called, what it reports, how it is documented.
pub struct Rule {
    /// Its id: names the problem, and reads after "allow".
    pub id: &'static str,
    /// What it is about.
    pub group: Group,
    /// The level of its findings where it differs from that of the group.
    pub level: Option<Level>,
    /// The version of stacklint that it came with.
    pub since: &'static str,
    /// One sentence without a period at its end: what it reports.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// How it finds what it reports.
    pub check: Check,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("id", &self.id).field("group", &self.group).finish_non_exhaustive()
    }
}

impl Rule {
    /// The level of its findings unless the settings say otherwise; `None` for off.
    pub fn default_level(&self) -> Option<Level> {
        self.level.or(self.group.level())
    }
}

/// Declares a rule whose page is `docs/rules/<id>.md`: its name in the code, id, group, the version that it came with and
/// its summary, as in `rule!(UNDEFINED_LOCAL, "undefined-local", Correctness, "0.1.0", "summary")`; with a level of its own
/// as an optional argument, and how it is checked (`State(check)`, `Change(check)`, …) as an optional last one.
macro_rules! rule {
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal) => {
        $crate::rules::rule!($name, $id, $group, $since, $summary, None, $crate::rules::Check::Elsewhere);
    };
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal, Some($level:expr)) => {
        $crate::rules::rule!($name, $id, $group, $since, $summary, Some($level), $crate::rules::Check::Elsewhere);
    };
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal, $kind:ident($($check:expr),+)) => {
        $crate::rules::rule!($name, $id, $group, $since, $summary, None, $crate::rules::Check::$kind($($check),+));
    };
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal, $level:expr, $kind:ident($check:expr)) => {
        $crate::rules::rule!($name, $id, $group, $since, $summary, $level, $crate::rules::Check::$kind($check));
    };
    ($name:ident, $id:literal, $group:ident, $since:literal, $summary:literal, $level:expr, $check:expr) => {
        #[doc = concat!("`", $id, "`: ", $summary, ".")]
        pub(crate) static $name: $crate::rules::Rule = $crate::rules::Rule {
            id: $id,
            group: $crate::rules::Group::$group,
            level: $level,
            since: $since,
            summary: $summary,
            page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules/", $id, ".md")),
            check: $check,
        };
    };
}
pub(crate) use rule;

pub use change::Changes;

/// All rules, sorted by id.
pub static RULES: &[&Rule] = &[
    &source::ambiguous_scalar::AMBIGUOUS_SCALAR,
    &merge::APPEND_WITHOUT_EFFECT,
    &change::backend_credentials_changed::BACKEND_CREDENTIALS_CHANGED,
    &change::base_already_broken::BASE_ALREADY_BROKEN,
    &change::switched::BECAME_ABSTRACT,
    &imports::BROAD_GLOB_IMPORT,
    &change::switched::COMPONENT_DISABLED,
    &change::switched::COMPONENT_ENABLED,
    &change::component_removed::COMPONENT_REMOVED,
    &schema::COMPONENT_VALIDATION,
    &merge::DEAD_OVERRIDE,
    &merge::DEFERRED_MERGE_CONFLICT,
    &links::DEPENDENCY_CYCLE,
    &change::dependency_dropped::DEPENDENCY_DROPPED,
    &links::DEPENDENCY_ON_ABSTRACT,
    &schema::DEPRECATED_KEY,
    &resolution::DUPLICATE_COMPONENT,
    &imports::DUPLICATE_IMPORT,
    &resolution::DUPLICATE_KEY,
    &change::edit_without_effect::EDIT_WITHOUT_EFFECT,
    &source::extra_document::EXTRA_DOCUMENT,
    &merge::FUNCTION_LOST,
    &links::IMPLICIT_DEPENDENCY,
    &resolution::IMPORT_CYCLE,
    &meta::INCOMPLETE_ANALYSIS,
    &schema::INEFFECTIVE_METADATA,
    &resolution::INHERITANCE_CYCLE,
    &code::INVALID_BACKEND,
    &resolution::INVALID_CONFIG,
    &merge::INVALID_FUNCTION_ARGUMENTS,
    &locals::INVALID_LOCAL_NAME,
    &resolution::INVALID_YAML,
    &jitsubst::JIT_BAD_INFRA_OUTPUT_SOURCE,
    &jitsubst::JIT_DOLLAR_DOLLAR,
    &jitsubst::JIT_DUPLICATE_RESOURCE,
    &jitsubst::JIT_ENV_SILENTLY_EMPTY,
    &jitsubst::JIT_ENV_UNSET,
    &jitsubst::JIT_MALFORMED_REF,
    &jitsubst::JIT_MISSING_DEPENDS_ON,
    &jitsubst::JIT_MODULE_SKIPPED_IN_ENV,
    &jitsubst::JIT_NESTED_REF,
    &jitsubst::JIT_REF_BLANKED_BY_ENV_EXPANSION,
    &jitsubst::JIT_REF_IN_KEY,
    &jitsubst::JIT_SECRET_LITERAL,
    &jitsubst::JIT_SELF_REF,
    &jitsubst::JIT_UNCLOSED_REF,
    &jitsubst::JIT_UNKNOWN_MODULE,
    &jitsubst::JIT_UNUSED_SECRET,
    &jitsubst::JIT_WHITESPACE_IN_REF,
    &locals::LEAKED_LOCAL,
    &meta::LIMIT_EXCEEDED,
    &merge::LIST_REPLACED,
    &resolution::LOCAL_CYCLE,
    &locals::LOCAL_NEEDS_IMPORT,
    &change::locals_only_change::LOCALS_ONLY_CHANGE,
    &change::locked_component_changed::LOCKED_COMPONENT_CHANGED,
    &merge::MERGE_TYPE_CONFLICT,
    &code::MISSING_COMPONENT_DIRECTORY,
    &code::MISSING_REQUIRED_VARIABLE,
    &locals::NO_VALUE_RENDERED,
    &schema::NON_MAPPING_SECTION,
    &change::provider_or_version_widened::PROVIDER_OR_VERSION_WIDENED,
    &merge::REDUNDANT_OVERRIDE,
    &links::REFERENCE_CYCLE,
    &merge::SCALAR_KIND_CHANGE,
    &schema::SCHEMA_VIOLATION,
    &source::secret_in_plain_text::SECRET_IN_PLAIN_TEXT,
    &resolution::SELF_INHERITANCE,
    &locals::SHADOWED_LOCAL,
    &code::SHARED_STATE_ADDRESS,
    &components::STACK_NAME_COLLISION,
    &resolution::STACK_NAME_UNRESOLVED,
    &change::component_removed::STACK_REMOVED,
    &change::state_address_changed::STATE_ADDRESS_CHANGED,
    &source::tag_inside_string::TAG_INSIDE_STRING,
    &resolution::TEMPLATE_ERROR,
    &resolution::TEMPLATES_DISABLED,
    &change::type_changed::TYPE_CHANGED,
    &code::UNDECLARED_VARIABLE,
    &resolution::UNDEFINED_BASE_COMPONENT,
    &links::UNDEFINED_COMPONENT_REFERENCE,
    &links::UNDEFINED_DEPENDENCY,
    &locals::UNDEFINED_LOCAL,
    &links::UNDEFINED_OUTPUT,
    &locals::UNDEFINED_REFERENCE,
    &resolution::UNEVALUABLE_IMPORT,
    &resolution::UNKNOWN_FUNCTION,
    &schema::UNKNOWN_KEY,
    &meta::UNKNOWN_RULE,
    &imports::UNREACHABLE_FILE,
    &resolution::UNREADABLE_FILE,
    &resolution::UNRESOLVED_IMPORT,
    &resolution::UNRESOLVED_INCLUDE,
    &merge::UNSET_WITHOUT_EFFECT,
    &components::UNUSED_ABSTRACT_COMPONENT,
    &meta::UNUSED_IGNORE,
    &imports::UNUSED_IMPORT,
    &locals::UNUSED_LOCAL,
    &merge::VALUE_BECAME_UNKNOWN,
    &code::VARIABLE_TYPE_MISMATCH,
    &change::wide_blast_radius::WIDE_BLAST_RADIUS,
];

/// What the rules that look at one state find in one. Code that cannot be read is told, because rules were withheld.
pub fn check_state(
    context: &Context<'_>,
    modules: &Modules<'_>,
    enabled: &[(&'static Rule, Level)],
) -> Vec<Diagnostic> {
    let withheld = context.withheld;
    let components = Components { files: context.files, world: World::new(context.resolution), modules, withheld };
    let is_whole = components.world.is_complete();
    let output_kind =
        |component: &Component, output: &Output, name: &str| components.output_kind(component, output, name);
    let context = &Context { output_kind: &output_kind, ..*context };
    let run = |(rule, _): &(&'static Rule, Level)| {
        isolated(rule, context, || match rule.check {
            Check::State(check) | Check::StateAndChange(check, _) => check(context),
            Check::Component(check) => check(&components),
            Check::Whole(check) if is_whole => check(&components),
            Check::Whole(_) | Check::Change(_) | Check::Elsewhere => Vec::new(),
        })
    };
    let mut found: Vec<Diagnostic> = threads::map(enabled, run).into_iter().flatten().collect();
    found.extend(modules.troubles().into_iter().map(|trouble| {
        let message = format!("this code cannot be read: {}", trouble.message.trim());
        let place = Label::new(trouble.file, trouble.offset, trouble.offset, "");
        Diagnostic::new(meta::INCOMPLETE_ANALYSIS.id, message, place)
            .note("what rules say of variables and outputs was withheld for the components that use it")
    }));
    found.extend(withheld.take(context.resolution, context.files));
    found
}

/// Whether rules that look at a whole state could find something new between two states of which only what an edit touches
/// was resolved: a component came or went, or looks different to others.
pub fn asks_for_all(diff: &Diff, enabled: &[(&'static Rule, Level)]) -> bool {
    if !enabled.iter().any(|(rule, _)| matches!(rule.check, Check::Whole(_))) {
        return false;
    }
    let inherits = enabled.iter().any(|(rule, _)| rule.id == components::UNUSED_ABSTRACT_COMPONENT.id);
    let is_same = |old: &ComponentMetadata, new: &ComponentMetadata| {
        old.is_same_to_others(new) && (!inherits || old.has_same_bases(new))
    };
    diff.components.iter().any(|c| match (&c.before, &c.after) {
        (Some(old), Some(new)) => !is_same(&old.metadata, &new.metadata),
        _ => true,
    })
}

/// What the rules that look at a change find in one.
pub fn check_change(
    context: &Context<'_>,
    base: &Resolution,
    diff: &Diff,
    enabled: &[(&'static Rule, Level)],
) -> Vec<Diagnostic> {
    let changes = Changes::new(context, base, diff);
    let checks = enabled.iter().filter_map(|(rule, _)| match rule.check {
        Check::Change(check) | Check::StateAndChange(_, check) => Some((rule, check)),
        Check::State(_) | Check::Component(_) | Check::Whole(_) | Check::Elsewhere => None,
    });
    let mut found: Vec<Diagnostic> =
        checks.flat_map(|(rule, check)| isolated(rule, context, || check(&changes))).collect();
    found.extend(context.withheld.take(context.resolution, context.files));
    found
}

/// What a rule finds. If it fails, that is what is found, and all other rules are still run.
fn isolated(rule: &Rule, context: &Context<'_>, check: impl FnOnce() -> Vec<Diagnostic>) -> Vec<Diagnostic> {
    threads::guarded(&format!("rule {}", rule.id), check).unwrap_or_else(|defect| {
        let file = context.resolution.units.first().map(|unit| unit.file);
        let file = file.unwrap_or_else(|| context.files.add(".", "", || Text::from("")));
        vec![Diagnostic::defect(&defect, file)]
    })
}

/// The rule of an id.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|r| r.id.cmp(id)).ok().map(|i| RULES[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_sorted_and_its_rules_are_documented() {
        assert!(RULES.is_sorted_by(|a, b| a.id < b.id));
        for rule in RULES {
            assert_eq!(rule.page.lines().next(), Some(format!("# {}", rule.id).as_str()), "the title of the page");
            assert!(!rule.summary.ends_with('.') && !rule.summary.contains('\n'), "{}: one sentence", rule.id);
            assert!(rule.since.split('.').filter(|part| part.parse::<u32>().is_ok()).count() == 3, "{}", rule.id);
            assert!(rule.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.id);
        }
    }
}
