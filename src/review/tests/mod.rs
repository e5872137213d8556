//! What a review never reports, whatever is wrong with the files of a side.

mod expect;
mod merge;
mod session;
mod sizes;
mod systems;

use super::*;
use crate::diff::Status;
use crate::report::{Format, RenderOptions, Report};
use crate::resolution::{Extent, State, Unit};
use crate::rules::Group;
use crate::source::Memory;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;
use std::sync::Arc;

#[test]
fn a_run_takes_its_own_time_where_settings_say_nothing() {
    use crate::limits::Limit;
    let overrides = Overrides { seconds: Some(5), ..Overrides::default() };
    assert_eq!(overrides.over(Settings::default()).work.get(Limit::Time), 5);
}

type Texts = BTreeMap<String, String>;

#[test]
fn a_value_that_others_select_a_component_by_concerns_all_stacks() {
    let config = "stacks: {base_path: stacks, included_paths: ['**/*'], name_pattern: '{stage}'}\n\
                  components: {terraform: {base_path: components/terraform}}\n";
    let mut files: Texts = BTreeMap::from([("atmos.yaml".to_owned(), config.to_owned())]);
    // So many stacks that only those are resolved that an edit reaches.
    for number in 0..40 {
        let text = format!("vars: {{stage: s{number}}}\ncomponents: {{terraform: {{x: {{vars: {{a: 1}}}}}}}}\n");
        files.insert(format!("stacks/s{number}.yaml"), text);
    }
    let network = "vars: {stage: net, tenant: acme}\ncomponents: {terraform: {vpc: {vars: {a: 1}}}}\n";
    files.insert("stacks/net.yaml".to_owned(), network.to_owned());
    let user = "vars: {stage: app}\ncomponents:\n  terraform:\n    app:\n      settings:\n        depends_on:\n          \
                1: {component: vpc, tenant: acme, stage: net}\n";
    files.insert("stacks/app.yaml".to_owned(), user.to_owned());
    let mut edited = files.clone();
    edited.insert("stacks/net.yaml".to_owned(), network.replace("acme", "other"));
    let review = review(&files, &edited).unwrap();
    let found: Vec<&str> = review.findings.iter().map(|f| f.diagnostic.rule.id()).collect();
    assert!(found.contains(&"undefined-dependency"), "{found:?}");
}

/// Three stacks that share a catalog; one of them uses a base component of it.
fn project() -> Texts {
    let config = "base_path: .\nstacks:\n  base_path: stacks\n  included_paths: ['deploy/**/*']\n  name_pattern: '{stage}'\n\
                  components: {terraform: {base_path: components/terraform}}\n";
    let mut files: Texts = BTreeMap::new();
    let mut add = |path: &str, text: String| files.insert(path.to_owned(), text);
    add("atmos.yaml", config.to_owned());
    add("stacks/catalog/net.yaml", "components:\n  terraform:\n    net:\n      vars: {cidr: 10.0.0.0/8}\n".to_owned());
    for stage in ["dev", "test", "prod"] {
        add(
            &format!("stacks/deploy/{stage}.yaml"),
            format!(
                "import: [catalog/net]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    box:\n      metadata: {{inherits: [net]}}\n      \
                 vars: {{size: 1, extra: '{{{{ .vars.stage }}}}'}}\n"
            ),
        );
    }
    files
}

/// Two environments of actions: variables in layers and a file of them, a template, and dependencies.
fn actions() -> Texts {
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments:\n  - name: dev\n    variables: {size: 1}\n  \
                   - name: prod\n    variables: {size: 3}\nvariables:\n  registry: r\n  image: ${var.registry}/shop\n";
    let api = "kind: Build\nname: api\ntype: exec\nspec: {command: [make, '${var.image}']}\n---\nkind: Deploy\nname: api\ntype: exec\n\
               dependencies: [build.api]\nspec: {deployCommand: [deploy, '${actions.build.api.version}', 's${var.size}']}\n";
    let jobs = "kind: ConfigTemplate\nname: job\ninputs: {at: {type: string}}\nconfigs:\n  - {kind: Run, type: exec, name: '${parent.name}', \
                spec: {command: [job, '${inputs.at}']}}\n---\nkind: RenderTemplate\nname: night\ntemplate: job\ninputs: {at: '${environment.name}'}\n";
    let all = [
        ("project.garden.yml", project),
        ("garden.env", "registry=s\n"),
        ("api/garden.yml", api),
        ("jobs.garden.yml", jobs),
    ];
    all.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// A kind of damage to a file.
#[derive(Clone, Debug)]
enum Damage {
    Deleted,
    Emptied,
    /// Cut off.
    Cut(Index),
    /// A character that is another one.
    Mistyped(Index, char),
    /// Text that is put in.
    Inserted(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces =
        ["{", ": ", "- ", "\n", "'", "{{ .nothing.x }}", "!include gone.yaml ", "import: [gone]\n", "&a *b", "\t"];
    prop_oneof![
        Just(Damage::Deleted),
        Just(Damage::Emptied),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), select(&['x', ' ', ':', '{', '-'][..])).prop_map(|(at, c)| Damage::Mistyped(at, c)),
        (any::<Index>(), select(pieces.to_vec())).prop_map(|(at, piece)| Damage::Inserted(at, piece)),
    ]
}

fn apply(files: &mut Texts, file: Index, damage: &Damage) {
    let Some(path) = files.keys().nth(file.index(files.len())).cloned() else { return };
    let Some(mut text) = files.remove(&path) else { return };
    let at = |index: &Index| index.index(text.len().max(1)).min(text.len());
    match damage {
        Damage::Deleted => return,
        Damage::Emptied => text.clear(),
        Damage::Cut(index) => text.truncate(at(index)),
        Damage::Mistyped(index, c) if !text.is_empty() => {
            let at = at(index);
            text.replace_range(at..=at, &c.to_string());
        }
        Damage::Mistyped(..) => {}
        Damage::Inserted(index, piece) => text.insert_str(at(index), piece),
    }
    files.insert(path, text);
}

fn source(name: &str, files: &Texts) -> Memory {
    Memory::new(name, files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect())
}

fn review(base: &Texts, head: &Texts) -> Result<Review, Error> {
    let (project, overrides) = (Project::default(), Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request {
        filter: Filter::default(),
        overrides: &overrides,
        affected: Some(crate::affected::AffectedOptions::default()),
    };
    compare(&source("base", base), &source("head", head), &workspace, &request)
}

fn written(format: Format, review: &Review) -> String {
    let mut out = Vec::new();
    format.write(&mut out, &Report::of(review, None), &RenderOptions::default()).unwrap();
    String::from_utf8(out).unwrap()
}

/// The files of the units of a side that pass a test.
fn unit_files(review: &Review, side: usize, is_meant: impl Fn(&Unit) -> bool) -> Vec<String> {
    let units = review.resolved.1[side].units.iter().filter(|u| is_meant(u));
    units.map(|u| review.files.get(u.file).path.to_string()).collect()
}

/// The files of units that a side has resolved as a whole.
fn resolved(review: &Review, side: usize) -> Vec<String> {
    unit_files(review, side, |u| u.state == State::Resolved && !u.is_incomplete())
}

/// Checks the invariants of a review of two states.
///
/// With `is_named`, units have names that identify them; otherwise each file is one.
fn check_review(review: &Review, sides: [&Texts; 2], is_named: bool) -> Result<(), TestCaseError> {
    let Some(comparison) = &review.comparison else { return Ok(()) };
    let gap = |side: usize| review.resolved.1[side].gap.as_ref().map(|gap| gap.extent);
    let is_whole = |side: usize| {
        // Names that follow from the same mistake on both sides are equal.
        let is_known = gap(side).is_none_or(|extent| extent == Extent::Names && gap(0) == gap(1));
        is_known && review.resolved.1[side].units.iter().all(|u| !u.is_incomplete())
    };
    for change in &comparison.diff.components {
        // The manifest that defines it was removed, or the other side has resolved it.
        let (there, here) = match change.status {
            Status::Removed => (1, 0),
            Status::Added => (0, 1),
            Status::Modified => continue,
        };
        let units = review.resolved.1[here].units.iter();
        let defines = |u: &&Arc<Unit>| {
            u.components.iter().any(|c| c.stack == change.stack && c.kind == change.kind && c.name == change.name)
        };
        for unit in units.filter(defines) {
            let path = review.files.get(unit.file).path.to_string();
            let other = &review.resolved.1[there];
            let is_absent = is_named && other.gap.is_none() && other.units.iter().all(|u| u.name != unit.name);
            let is_gone = is_absent || !sides[there].contains_key(&path);
            let is_known = |u: &Unit| {
                let is_broken = u.broken.iter().any(|(kind, name)| *kind == change.kind && *name == change.name);
                u.state == State::Resolved && u.failed.is_empty() && !is_broken
            };
            prop_assert!(
                is_gone || unit_files(review, there, is_known).contains(&path),
                "{} {} of {path}",
                change.status.name(),
                change.stack
            );
        }
    }
    for stack in &comparison.diff.removed_stacks {
        let defines = |u: &Unit| u.components.iter().any(|c| c.stack == *stack);
        let head = &review.resolved.1[1];
        if is_named && head.gap.is_none() && head.units.iter().all(|u| u.name != *stack) {
            continue;
        }
        let incomplete = unit_files(review, 1, Unit::is_incomplete);
        prop_assert!(!unit_files(review, 0, defines).iter().any(|path| incomplete.contains(path)), "gone: {stack}");
    }
    let text = written(Format::Text, review);
    if !(is_whole(0) && is_whole(1)) {
        prop_assert!(!text.contains("No effective change."), "{text}");
        prop_assert!(!review.coverage.is_whole() || review.has_changes() || !review.findings.is_empty(), "{text}");
    }
    for finding in review.findings.iter().filter(|f| f.novelty == Some(crate::diagnostic::Novelty::Fixed)) {
        let file = finding.diagnostic.primary.file;
        let used = review.resolved.1[0].units.iter().filter(|u| u.files.contains(&file));
        let mut users = used.map(|u| review.files.get(u.file).path.to_string()).peekable();
        let now = resolved(review, 1);
        prop_assert!(users.peek().is_none() || users.any(|path| now.contains(&path)), "fixed: {text}");
    }
    let has_other_config = sides[0].get("atmos.yaml") != sides[1].get("atmos.yaml");
    let affected: serde_json::Value = serde_json::from_str(&written(Format::Affected, review)).unwrap();
    for item in affected.as_array().into_iter().flatten() {
        // The list of Atmos resolves both sides under the newer configuration, which may name stacks differently.
        let is_stack = |stack: &str| item["stack"] == *stack || has_other_config;
        let is_changed = |c: &crate::diff::ComponentChange| is_stack(&c.stack) && item["component"] == *c.name;
        // Parts that are not resolved on a side may have changed, and components with files of their own are affected by
        // these. If a stack that no edit reaches lacks an import in the base, Atmos lists everything.
        let is_everything = comparison.affected.notes.iter().any(|note| note.contains("every component counts as new"));
        let may_differ = item["deleted"] != true && (is_named || is_everything || !is_whole(0) || !is_whole(1));
        prop_assert!(may_differ || comparison.diff.components.iter().any(is_changed), "{item}\n{text}");
        let is_gone = comparison.diff.removed_stacks.iter().any(|stack| item["stack"] == **stack);
        prop_assert!(item["affected"] != "deleted.stack" || is_gone, "{item}");
    }
    let last = text.lines().rfind(|line| !line.starts_with(' ')).unwrap_or_default();
    prop_assert!(last.starts_with("compared "), "{text}");
    Ok(())
}

proptest! {
    #![proptest_config(crate::fuzz::cases(80))]

    #[test]
    fn what_is_not_resolved_is_not_reported(
        before in prop::collection::vec((any::<Index>(), damage()), 0..2),
        after in prop::collection::vec((any::<Index>(), damage()), 1..3),
        is_reversed: bool,
    ) {
        let mut base = project();
        before.iter().for_each(|(file, damage)| apply(&mut base, *file, damage));
        let mut head = base.clone();
        after.iter().for_each(|(file, damage)| apply(&mut head, *file, damage));
        let (base, head) = if is_reversed { (head, base) } else { (base, head) };
        match review(&base, &head) {
            Ok(review) => check_review(&review, [&base, &head], false)?,
            // Both sides may have lost their only configuration, and every manifest of a folder that is searched.
            Err(Error::NoProject(_)) => prop_assert!(!base.contains_key("atmos.yaml") && !head.contains_key("atmos.yaml")),
            Err(Error::Message(message)) => prop_assert!(false, "{message}"),
            Err(Error::Canceled) => prop_assert!(false, "nobody canceled it"),
        }
    }

    #[test]
    fn actions_that_are_not_resolved_are_not_reported(
        before in prop::collection::vec((any::<Index>(), damage()), 0..2),
        after in prop::collection::vec((any::<Index>(), damage()), 1..3),
        is_reversed: bool,
    ) {
        let mut base = actions();
        before.iter().for_each(|(file, damage)| apply(&mut base, *file, damage));
        let mut head = base.clone();
        after.iter().for_each(|(file, damage)| apply(&mut head, *file, damage));
        let (base, head) = if is_reversed { (head, base) } else { (base, head) };
        match review(&base, &head) {
            Ok(review) => check_review(&review, [&base, &head], true)?,
            // Neither side is the project as it was.
            Err(Error::NoProject(_)) => prop_assert!(!before.is_empty()),
            Err(Error::Message(message)) => prop_assert!(false, "{message}"),
            Err(Error::Canceled) => prop_assert!(false, "nobody canceled it"),
        }
    }
}
