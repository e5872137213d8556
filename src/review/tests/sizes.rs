//! What a comparison finds does not depend on how many other stacks there are, and is what checks of both sides find.

use super::{Texts, review, source};
use crate::diagnostic::Novelty;
use crate::dialects::Project;
use crate::review::{Filter, NoHost, Overrides, Request, Review, Workspace, check};
use crate::rules::Group;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The parts of a project that vary, each with what can be written there. The first choice is a healthy one.
const PARTS: [(&str, &[&str]); 15] = [
    ("DEPENDS", &["{component: net}", "{component: gone, required: false}", "{component: gone}", "{component: base}"]),
    ("OUTPUT", &["!terraform.state net .id", "!terraform.state net \".nope // 1\"", "!terraform.state net nope", "x"]),
    ("SOURCE", &["", "source: {uri: 'github.com/acme/net//.?ref=v1', version: v1}"]),
    ("NAME", &["name: a", "naem: a", "name: {a: 1}", ""]),
    ("ABSTRACT", &["abstract", "real"]),
    ("INHERITS", &["[base]", "[]"]),
    ("KEY", &["one", "two"]),
    ("TENANT", &["acme", "other"]),
    ("STAGE", &["dev", "prod", "test"]),
    ("DISABLED", &["true", "false"]),
    ("IMPORT", &["[catalog/net]", "[catalog/net, catalog/old]"]),
    ("COMMENT", &["", "# stacklint: ignore[undefined-dependency] known", "# words"]),
    ("CODE", &["name", "names"]),
    ("COMMAND", &["net", "gone"]),
    ("EXTRA", &["", "vars: {stage: dev}\ncomponents: {terraform: {net: {vars: {name: b}}}}\n"]),
];

const CONFIG: &str = "base_path: .\nstacks:\n  base_path: stacks\n  included_paths: ['deploy/**/*']\n  name_pattern: '{stage}'\n\
                      components: {terraform: {base_path: components/terraform}}\nworkflows: {base_path: stacks/workflows}\n";

const FILES: [(&str, &str); 8] = [
    ("atmos.yaml", CONFIG),
    ("stacks/workflows/deploy.yaml", "workflows: {up: {steps: [{command: terraform plan COMMAND -s dev}]}}\n"),
    (
        "stacks/catalog/net.yaml",
        "components:\n  terraform:\n    base:\n      metadata: {type: ABSTRACT}\n      vars: {cidr: 1}\n",
    ),
    ("stacks/catalog/old.yaml", "components: {terraform: {old: {vars: {age: '{{ .vars.none.x }}'}}}}\n"),
    (
        "stacks/deploy/one.yaml",
        "import: IMPORT\nvars: {stage: STAGE, tenant: TENANT}\ncomponents:\n  terraform:\n    net:\n      metadata: {inherits: INHERITS}\n      \
         SOURCE\n      backend_type: s3\n      backend: {s3: {bucket: b, key: KEY}}\n      vars: {NAME}\n    app:\n      settings:\n        \
         depends_on:\n          1: {component: net, tenant: acme}\n      dependencies:\n        components:\n          - DEPENDS COMMENT\n      \
         vars:\n        x: OUTPUT\n",
    ),
    (
        "stacks/deploy/two.yaml",
        "import: [catalog/net]\nvars: {stage: two, tenant: acme}\ncomponents:\n  terraform:\n    net:\n      metadata: {enabled: DISABLED}\n      \
         backend_type: s3\n      backend: {s3: {bucket: b, key: one}}\n    app:\n      dependencies: {components: [{component: net, stack: dev}]}\n",
    ),
    ("components/terraform/net/main.tf", "variable \"CODE\" {\n  default = \"\"\n}\noutput \"id\" {\n  value = 1\n}\n"),
    ("components/terraform/app/main.tf", "variable \"x\" {}\n"),
];

/// A project with a choice for each part, beside other stacks.
fn project(choices: &[usize], others: usize) -> Texts {
    let choice = |part: usize| PARTS[part].1[choices[part] % PARTS[part].1.len()];
    let filled =
        |text: &str| (0..PARTS.len()).fold(text.to_owned(), |text, part| text.replace(PARTS[part].0, choice(part)));
    let mut files: Texts = FILES.iter().map(|(path, text)| ((*path).to_owned(), filled(text))).collect();
    let extra = choice(PARTS.len() - 1);
    if !extra.is_empty() {
        files.insert("stacks/deploy/one.yml".to_owned(), extra.to_owned());
    }
    for number in 0..others {
        let text = format!("vars: {{stage: z{number}}}\ncomponents: {{terraform: {{z: {{vars: {{a: 1}}}}}}}}\n");
        files.insert(format!("stacks/deploy/z{number}.yaml"), text);
    }
    files
}

/// Identifies findings: rule, path of the file, and what is meant in it.
type Found = BTreeSet<(String, String, Option<String>)>;

/// The findings of a review that pass a test, but for those about changes and about the other stacks.
fn found(review: &Review, is_meant: impl Fn(Option<Novelty>) -> bool) -> Found {
    let all = review.findings.iter().filter(|f| is_meant(f.novelty) && f.diagnostic.rule.group != Group::Change);
    let identity = |f: &crate::diagnostic::Finding| {
        let path = review.files.get(f.diagnostic.primary.file).path.to_string();
        (f.diagnostic.rule.id().to_owned(), path, f.diagnostic.token.clone())
    };
    all.map(identity).filter(|(_, path, _)| !path.starts_with("stacks/deploy/z")).collect()
}

/// What a check finds, and what comments keep it from reporting.
fn checked(files: &Texts) -> [Found; 2] {
    let (project, overrides) = (Project::default(), Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let mut review = check(&source("state", files), &workspace, &request).unwrap();
    let reported = found(&review, |_| true);
    review.findings = review.suppressed.drain(..).map(|suppressed| suppressed.finding).collect();
    [reported, found(&review, |_| true)]
}

proptest! {
    #![proptest_config(crate::fuzz::cases(60))]

    #[test]
    fn findings_of_a_change_are_those_of_its_sides_beside_any_number_of_stacks(
        choices in prop::collection::vec(prop_oneof![3 => Just(0_usize), 1 => 0..4_usize], PARTS.len()),
        edits in prop::collection::vec((0..PARTS.len(), 0..4_usize), 1..3),
    ) {
        let mut edited = choices.clone();
        edits.iter().for_each(|(part, choice)| edited[*part] = *choice);
        let reviews = [0, 10, 40].map(|others| review(&project(&choices, others), &project(&edited, others)).unwrap());
        let new = |review: &Review| found(review, |novelty| novelty == Some(Novelty::New));
        let gone = |review: &Review| found(review, |n| matches!(n, Some(Novelty::Fixed | Novelty::Removed)));
        for other in &reviews[1..] {
            prop_assert_eq!(new(&reviews[0]), new(other));
            prop_assert_eq!(gone(&reviews[0]), gone(other));
        }
        let ([before, _], [after, silenced]) = (checked(&project(&choices, 0)), checked(&project(&edited, 0)));
        let only_after: Found = after.difference(&before).cloned().collect();
        // A comment that the change adds silences nothing in a comparison.
        let told: Found = new(&reviews[0]).into_iter().filter(|one| !before.contains(one) && !silenced.contains(one)).collect();
        prop_assert_eq!(only_after, told);
    }
}
