//! What a comparison reports about components is what checks of both sides report, though of the second side only what differs is
//! examined.

use super::*;
use crate::diagnostic::Novelty;
use crate::rules::is_made_from;
use std::collections::BTreeSet;

/// Rules that do not examine again what was clean.
const RULES: [&str; 9] = [
    "dependency-cycle",
    "dependency-on-abstract",
    "incomplete-analysis",
    "missing-component-directory",
    "missing-required-variable",
    "undeclared-variable",
    "undefined-dependency",
    "undefined-output",
    "variable-type-mismatch",
];

/// Three stacks with the same components. `whole` are those in which nothing is wrong, besides the given defaults.
fn stacks(defaults: &str, is_whole: bool) -> Texts {
    let config = "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n\
                  components: {terraform: {base_path: components/terraform}}\n";
    let whole = "components:\n  terraform:\n    net: {vars: {name: n}}\n    app:\n      metadata: {component: net}\n      \
                 vars: {name: a, list: [1, 2]}\n      settings: {depends_on: {1: {component: net}}}\n";
    let defective = "    base: {metadata: {type: abstract, component: net}}\n    \
                     wrong: {metadata: {component: net}, vars: {name: w, other: 1, flag: [1]}}\n    \
                     lost: {metadata: {component: gone}}\n    strict: {}\n    broken: {}\n    \
                     links: {metadata: {component: net}, vars: {name: l}, settings: {depends_on: {1: {component: nothing}, 2: {component: base}}}}\n    \
                     ring: {metadata: {component: net}, vars: {name: r}, settings: {depends_on: {1: {component: back}}}}\n    \
                     back: {metadata: {component: net}, vars: {name: b}, settings: {depends_on: {1: {component: ring}}}}\n";
    let variables = |of: &[(&str, &str)]| {
        of.iter().map(|(name, ty)| format!("variable \"{name}\" {{\n  type = {ty}\n}}\n")).collect::<String>()
    };
    let known =
        [("size", "number"), ("label", "string"), ("flag", "bool"), ("list", "list(number)"), ("name", "string")];
    let mut code = variables(&known) + "variable \"stage\" {}\n";
    code = code.replace("type = list(number)", "type = list(number)\n  default = []");
    let mut files: Texts = BTreeMap::new();
    let mut add = |path: &str, text: &str| files.insert(path.to_owned(), text.to_owned());
    add("atmos.yaml", config);
    add("stacks/_defaults.yaml", defaults);
    add("stacks/catalog/whole.yaml", whole);
    add("components/terraform/net/main.tf", &code);
    add("components/terraform/strict/main.tf", &(code.clone() + "variable \"needed\" {}\n"));
    add("components/terraform/broken/main.tf", "variable \"size\" {");
    for (number, stage) in ["dev", "test", "prod"].into_iter().enumerate() {
        let defective = if is_whole || number == 0 { "" } else { defective };
        let own = format!(
            "import: [_defaults, catalog/whole]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    net: {{}}\n{defective}"
        );
        add(&format!("stacks/deploy/{stage}.yaml"), &own);
    }
    files
}

/// Findings of the rules: rule, message, line and stacks.
fn found(review: &Review, is_meant: impl Fn(Option<Novelty>) -> bool) -> BTreeSet<String> {
    let of_rules = review.findings.iter().filter(|f| RULES.contains(&f.diagnostic.rule.id()) && is_meant(f.novelty));
    let shown = |finding: &Finding| {
        let Finding { diagnostic, .. } = finding;
        let file = review.files.get(diagnostic.primary.file);
        let line = file.line(diagnostic.primary.start);
        format!("{} {} {}:{line} {:?}", diagnostic.rule.id(), diagnostic.message, file.path, diagnostic.stacks)
    };
    of_rules.map(shown).collect()
}

fn checked(files: &Texts) -> Review {
    let (project, overrides) = (Project::default(), Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    check(&source("state", files), &workspace, &request).expect("it is a project")
}

/// Compares two states, checks both, and returns whether the second one was made from the first one, and what is new.
fn compared(base: &Texts, head: &Texts) -> (bool, BTreeSet<String>) {
    let review = review(base, head).expect("it is a project");
    let [of_base, of_head] = [base, head].map(|files| found(&checked(files), |_| true));
    let is_gone = |novelty| matches!(novelty, Some(Novelty::Fixed | Novelty::Removed));
    assert_eq!(found(&review, |novelty| !is_gone(novelty)), of_head);
    let gone: BTreeSet<String> = of_base.difference(&of_head).cloned().collect();
    assert_eq!(found(&review, is_gone), gone);
    let [old, new] = [&review.resolved.1[0], &review.resolved.1[1]];
    (is_made_from(old, new), found(&review, |novelty| novelty == Some(Novelty::New)))
}

const DEFAULTS: &str = "vars:\n  size: '5'\n  label: x\n  flag: true\n";

#[test]
fn a_default_that_does_not_fit_any_more_is_new_in_all_stacks() {
    for is_whole in [true, false] {
        let base = stacks(DEFAULTS, is_whole);
        let (is_derived, new) = compared(&base, &stacks(&DEFAULTS.replace("'5'", "'x'"), is_whole));
        assert!(is_derived && new.len() == 1, "{new:?}");
        assert!(
            new.iter().all(|finding| finding.contains("`size` does not fit") && finding.contains("prod")),
            "{new:?}"
        );
        let (is_derived, new) = compared(&base, &stacks(&DEFAULTS.replace("'5'", "'6'"), is_whole));
        assert!(is_derived && new.is_empty(), "{new:?}");
    }
}

#[test]
fn code_that_changes_with_a_default_counts() {
    let base = stacks(DEFAULTS, true);
    let mut head = stacks(&DEFAULTS.replace("'5'", "'6'"), true);
    let code = head.get_mut("components/terraform/net/main.tf").expect("there is code");
    *code += "variable \"more\" {}\n";
    let (_, new) = compared(&base, &head);
    assert!(new.iter().any(|finding| finding.contains("`more`")), "{new:?}");
    let mut head = stacks(&DEFAULTS.replace("'5'", "'6'"), true);
    head.retain(|path, _| !path.starts_with("components/terraform/net"));
    let (_, new) = compared(&base, &head);
    assert!(new.iter().any(|finding| finding.contains("has no code")), "{new:?}");
}

#[test]
fn code_that_cannot_be_read_is_reported_on_both_sides() {
    let with_broken = |defaults: &str| {
        let mut files = stacks(defaults, true);
        let catalog = files.get_mut("stacks/catalog/whole.yaml").expect("there is a catalog");
        *catalog += "    broken: {}\n";
        // This rule examines all components, and others only those in which something was found.
        files.insert("stacklint.toml".to_owned(), "[rules]\nvariable-type-mismatch = \"off\"\n".to_owned());
        files
    };
    let (is_derived, new) = compared(&with_broken(DEFAULTS), &with_broken(&DEFAULTS.replace("'5'", "'6'")));
    assert!(is_derived && new.is_empty(), "{new:?}");
}

proptest! {
    #![proptest_config(crate::fuzz::cases(24))]

    #[test]
    fn a_comparison_finds_what_checks_of_both_sides_find(
        before in (select(&VALUES[..]), select(&VALUES[..]), select(&VALUES[..])),
        after in (select(&VALUES[..]), select(&VALUES[..]), select(&VALUES[..])),
        is_whole in any::<bool>(),
    ) {
        let defaults = |(size, label, flag): (&str, &str, &str)| {
            format!("vars:\n  size: {size}\n  label: {label}\n  flag: {flag}\n")
        };
        compared(&stacks(&defaults(before), is_whole), &stacks(&defaults(after), is_whole));
    }
}

/// Values of defaults, some of which convert to other types.
const VALUES: [&str; 8] = ["1", "'2'", "x", "'true'", "false", "[1]", "{a: 1}", "'{{ .vars.stage }}'"];
