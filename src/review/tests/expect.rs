//! What is proved about a change: rewriting that keeps all values proves, a changed value never does.

use super::{Texts, source};
use crate::dialects::Project;
use crate::review::{Expectation, Filter, NoHost, Overrides, Proof, Request, Verdict, Workspace, compare};
use proptest::prelude::*;

/// The proof in which everything is resolved. It says the same as the one that leaves out what no edit reaches.
fn prove(expectation: &str, base: &Texts, head: &Texts) -> Proof {
    let (whole, narrow) = (proof(expectation, base, head, true), proof(expectation, base, head, false));
    assert_eq!(whole.verdict(), narrow.verdict(), "{whole:?}\n{narrow:?}");
    assert_eq!((&whole.refuting, &whole.open), (&narrow.refuting, &narrow.open));
    assert_eq!(whole.untouched, 0);
    whole
}

fn proof(expectation: &str, base: &Texts, head: &Texts, strict: bool) -> Proof {
    let expect = Some(Expectation::parse(expectation).unwrap());
    let (project, overrides) = (Project::default(), Overrides { expect, strict, ..Overrides::default() });
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let review = compare(&source("base", base), &source("head", head), &workspace, &request).unwrap();
    review.comparison.unwrap().proof.unwrap()
}

/// The values that an input may have; no two are the same.
pub(super) const VALUES: [&str; 12] = [
    "1",
    "2",
    "a",
    "'1'",
    "true",
    "null",
    "[x, y]",
    "[y, x]",
    "{k: 1}",
    "!terraform.output net id",
    "!terraform.output net arn",
    "'{{ env \"HOME\" }}'",
];
/// The inputs of a component.
pub(super) const INPUTS: usize = 4;
pub(super) const STACKS: usize = 3;

/// Inputs with values.
pub(super) type Entries = Vec<(usize, usize)>;

/// A value for each input of each stack.
pub(super) type Model = Vec<Vec<usize>>;

/// How a model is written down. Whatever it is, the values are the same.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By how many places the keys are rotated.
    rotated: usize,
    /// Comments around the keys.
    has_comments: bool,
    /// For each input: 0 for every stack by itself, 1 in the shared file where all agree, 2 there with overrides.
    hoisted: Vec<usize>,
}

pub(super) fn layout() -> impl Strategy<Value = Layout> {
    (0..INPUTS, any::<bool>(), prop::collection::vec(0..3_usize, INPUTS))
        .prop_map(|(rotated, has_comments, hoisted)| Layout { rotated, has_comments, hoisted })
}

impl Layout {
    /// Lines of `name: value`, rotated, with comments.
    pub(super) fn lines(
        &self,
        indent: &str,
        mut entries: Vec<(usize, usize)>,
        assign: &str,
        value: &dyn Fn(usize) -> String,
    ) -> String {
        let middle = self.rotated.min(entries.len());
        entries.rotate_left(middle);
        let comment = if self.has_comments { format!("{indent}# words\n\n") } else { String::new() };
        let line = |(input, number): (usize, usize)| format!("{comment}{indent}in{input}{assign}{}\n", value(number));
        entries.into_iter().map(line).collect()
    }

    /// What the shared file sets, and what each stack does.
    pub(super) fn split(&self, model: &Model) -> (Entries, Vec<Entries>) {
        let (mut shared, mut own) = (Vec::new(), vec![Vec::new(); STACKS]);
        for input in 0..INPUTS {
            let first = model[0][input];
            let is_shared = match self.hoisted[input] {
                0 => false,
                1 => model.iter().all(|stack| stack[input] == first),
                // A map would be merged into the one below it, and null is no value.
                _ => model.iter().all(|stack| VALUES[stack[input]] != "null" && !VALUES[stack[input]].starts_with('{')),
            };
            shared.extend(is_shared.then_some((input, first)));
            for (stack, own) in own.iter_mut().enumerate() {
                let value = model[stack][input];
                own.extend((!is_shared || value != first).then_some((input, value)));
            }
        }
        (shared, own)
    }

    pub(super) fn atmos(&self, model: &Model) -> Texts {
        let config = "stacks: {base_path: stacks, included_paths: ['deploy/**'], name_template: '{{ .vars.stage }}'}\n\
                      components: {terraform: {base_path: components/terraform}}\n";
        let mut files = Texts::from([("atmos.yaml".to_owned(), config.to_owned())]);
        let (shared, own) = self.split(model);
        let value = |number: usize| VALUES[number].to_owned();
        let lines = self.lines("        ", shared, ": ", &value);
        let catalog = format!("components:\n  terraform:\n    app:\n      vars:\n        own: 1\n{lines}");
        files.insert("stacks/catalog/app.yaml".to_owned(), catalog);
        for (stack, own) in own.into_iter().enumerate() {
            let lines = self.lines("        ", own, ": ", &value);
            let text = format!(
                "import: [catalog/app]\nvars: {{stage: s{stack}}}\ncomponents:\n  terraform:\n    app:\n      vars:\n        last: 1\n{lines}"
            );
            files.insert(format!("stacks/deploy/s{stack}.yaml"), text);
        }
        files
    }

    pub(super) fn terragrunt(&self, model: &Model) -> Texts {
        let mut files = Texts::new();
        let (shared, own) = self.split(model);
        let value = |number: usize| match VALUES[number] {
            "!terraform.output net id" => "get_env(\"A\")".to_owned(),
            "!terraform.output net arn" => "get_env(\"B\")".to_owned(),
            other if other.contains("env") => "run_cmd(\"date\")".to_owned(),
            other => in_hcl(other),
        };
        let lines = self.lines("  ", shared, " = ", &value);
        files.insert("live/root.hcl".to_owned(), format!("inputs = {{\n{lines}}}\n"));
        for (stack, own) in own.into_iter().enumerate() {
            let lines = self.lines("  ", own, " = ", &value);
            let include = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
            let source = "terraform {\n  source = \"tfr:///acme/app/aws?version=1.0.0\"\n}\n";
            files.insert(format!("live/s{stack}/terragrunt.hcl"), format!("{include}{source}inputs = {{\n{lines}}}\n"));
        }
        files
    }
}

/// A value of YAML that is known before something runs, in HCL.
pub(super) fn in_hcl(value: &str) -> String {
    match value {
        "a" => "\"a\"",
        "'1'" => "\"1\"",
        "[x, y]" => "[\"x\", \"y\"]",
        "[y, x]" => "[\"y\", \"x\"]",
        "{k: 1}" => "{ k = 1 }",
        other => other,
    }
    .to_owned()
}

pub(super) fn model() -> impl Strategy<Value = Model> {
    // Stacks often agree.
    let stack = prop::collection::vec(prop_oneof![2 => Just(0_usize), 1 => 0..VALUES.len()], INPUTS);
    prop::collection::vec(stack, STACKS)
}

proptest! {
    #![proptest_config(crate::fuzz::cases(60))]

    #[test]
    fn what_keeps_all_values_is_proved_and_what_changes_one_is_not(
        model in model(),
        layouts in (layout(), layout()),
        (stack, input, by) in (0..STACKS, 0..INPUTS, 1..VALUES.len()),
        is_atmos in any::<bool>(),
    ) {
        let layouts = [layouts.0, layouts.1];
        let written = |layout: &Layout, model: &Model| if is_atmos { layout.atmos(model) } else { layout.terragrunt(model) };
        let base = written(&layouts[0], &model);
        let same = prove("none", &base, &written(&layouts[1], &model));
        prop_assert_eq!(same.verdict(), Verdict::Proved, "{:?}", same);
        let digests = same.digests().unwrap();
        prop_assert_eq!(&digests[0], &digests[1]);
        let mut other = model.clone();
        other[stack][input] = (other[stack][input] + by) % VALUES.len();
        let differs = prove("none", &base, &written(&layouts[1], &other));
        prop_assert_ne!(differs.verdict(), Verdict::Proved, "{:?}", differs);
        let digests = differs.digests().unwrap();
        prop_assert_ne!(&digests[0], &digests[1]);
        prop_assert_ne!(prove("moves", &base, &written(&layouts[1], &other)).verdict(), Verdict::Proved);
        let (changed, unchanged) = (format!("only={}s{stack}*", if is_atmos { "" } else { "live/" }), "only=nothing".to_owned());
        prop_assert_eq!(prove(&changed, &base, &written(&layouts[1], &other)).verdict(), Verdict::Proved);
        prop_assert_ne!(prove(&unchanged, &base, &written(&layouts[1], &other)).verdict(), Verdict::Proved);
    }
}
