//! `refactor`: edits that are proved to have no effect, or refused.

use crate::common::{Repo, Run, fixture, try_git_in};

const CATALOG: &str = "components:\n  terraform:\n    vpc:\n      vars:\n        owner: net\n";

/// A stack that imports the catalog.
fn stack(stage: &str, vars: &str) -> String {
    format!(
        "# The stack {stage}.\nimport:\n  - catalog/vpc\n\nvars:\n  stage: {stage}\n\ncomponents:\n  terraform:\n    vpc:\n      vars:\n{vars}"
    )
}

fn repo(dev: &str, prod: &str) -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG);
    repo.write("stacks/deploy/dev.yaml", stack("dev", dev)).write("stacks/deploy/prod.yaml", stack("prod", prod));
    repo.commit("base");
    repo
}

pub(crate) fn read(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.root().join(path)).unwrap()
}

pub(crate) fn stacks(repo: &Repo) -> String {
    repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).stdout
}

/// Applies the patch of a refactoring, and checks that `--write` does the same and that nothing that is printed differs.
#[track_caller]
pub(crate) fn proved(repo: &Repo, arguments: &[&str]) -> Run {
    let before = stacks(repo);
    let arguments = [&["refactor"], arguments].concat();
    let run = repo.run(&arguments).ends_with(0);
    assert!(run.stderr.contains("Proved: "), "{run}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "nothing is changed without --write");
    let patch = repo.root().join(".git/patch");
    std::fs::write(&patch, &run.stdout).unwrap();
    let (is_applied, why) = try_git_in(repo.root(), &["apply", "--whitespace=nowarn", ".git/patch"]);
    assert!(is_applied, "{why}\n{run}");
    assert_eq!(before, stacks(repo));
    repo.git(&["add", "--all"]);
    let applied = repo.git(&["diff", "--cached"]);
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.run(&[&arguments[..], &["--write"]].concat()).ends_with(0);
    repo.git(&["add", "--all"]);
    assert_eq!(applied, repo.git(&["diff", "--cached"]));
    run
}

/// Nothing is changed.
#[track_caller]
pub(crate) fn refused(repo: &Repo, arguments: &[&str], why: &str) {
    for write in [&[][..], &["--write"]] {
        let run = repo.run(&[&["refactor"], arguments, write].concat()).ends_with(1);
        assert!(run.stderr.contains(why), "{run}");
        assert_eq!(run.stdout, "");
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

const SIZE: &str = "components.terraform.vpc.vars.size";

#[test]
fn what_all_files_repeat_moves_into_the_file_that_they_import() {
    let repo = repo("        size: 5 # GB\n        name: a\n", "        name: b\n        size: 5 # GB\n");
    proved(&repo, &["hoist", SIZE]);
    assert_eq!(read(&repo, "stacks/catalog/vpc.yaml"), format!("{CATALOG}        size: 5 # GB\n"));
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack("dev", "        name: a\n"));
    assert_eq!(read(&repo, "stacks/deploy/prod.yaml"), stack("prod", "        name: b\n"));
    refused(&repo_committed(repo), &["hoist", SIZE], "no file");
}

fn repo_committed(repo: Repo) -> Repo {
    repo.commit("refactored");
    repo
}

#[test]
fn maps_lists_and_braces_keep_their_style() {
    let map = "        tags:\n          a: |\n            x\n\n            y\n          b: [1, 2]\n        name: c\n";
    let repo = repo(map, map);
    proved(&repo, &["hoist", "components.terraform.vpc.vars.tags"]);
    let tags = map.strip_suffix("        name: c\n").unwrap();
    assert_eq!(read(&repo, "stacks/catalog/vpc.yaml"), format!("{CATALOG}{tags}"));
    let braces = Repo::atmos();
    braces.write("stacks/catalog/vpc.yaml", "# All.\ncomponents: {terraform: {vpc: {}}}");
    for stage in ["dev", "prod"] {
        let text = format!(
            "import: [catalog/vpc]\nvars: {{stage: {stage}, region: eu}}\ncomponents: {{terraform: {{vpc: {{vars: {{size: 5}}}}}}}}\n"
        );
        braces.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    braces.commit("base");
    proved(&braces, &["hoist", SIZE]);
    braces.commit("hoisted");
    proved(&braces, &["hoist", "vars.region"]);
    assert_eq!(
        read(&braces, "stacks/catalog/vpc.yaml"),
        "# All.\ncomponents: {terraform: {vpc: {vars: {size: 5}}}}\nvars:\n  region: eu"
    );
    assert_eq!(read(&braces, "stacks/deploy/dev.yaml"), "import: [catalog/vpc]\nvars: {stage: dev}\n");
}

#[test]
fn line_breaks_stay_as_they_are() {
    let repo = repo("        size: 5\n        name: a\n", "        size: 5\n        name: b\n");
    for path in ["stacks/catalog/vpc.yaml", "stacks/deploy/dev.yaml"] {
        repo.write(path, read(&repo, path).replace('\n', "\r\n"));
    }
    repo.git(&["config", "core.autocrlf", "false"]);
    repo.commit("other line breaks");
    proved(&repo, &["hoist", SIZE]);
    assert!(read(&repo, "stacks/catalog/vpc.yaml").ends_with("        owner: net\r\n        size: 5\r\n"));
}

#[test]
fn a_value_that_would_differ_is_refused_with_the_difference() {
    let all = "        size: 5\n        name: a\n";
    let repo = repo(all, all);
    // Another stack imports the catalog, through another file, and does not have the value.
    repo.write("stacks/catalog/all.yaml", "import:\n  - catalog/vpc\n");
    repo.write("stacks/deploy/test.yaml", "import:\n  - catalog/all\nvars:\n  stage: test\n").commit("another stack");
    refused(&repo, &["hoist", SIZE], "no file is imported only by files that write");
    refused(
        &repo,
        &["hoist", SIZE, "--into", "stacks/catalog/vpc.yaml"],
        "for example vars.size of vpc in test: – → 5",
    );
    repo.edit("stacks/deploy/prod.yaml", "size: 5", "size: '5'")
        .remove("stacks/deploy/test.yaml")
        .remove("stacks/catalog/all.yaml")
        .commit("another value");
    refused(&repo, &["hoist", SIZE], "stacks/deploy/dev.yaml:12 and stacks/deploy/prod.yaml:12 differ");
    repo.edit("stacks/deploy/prod.yaml", "size: '5'", "size: 5 # GB").commit("a comment");
    refused(&repo, &["hoist", SIZE], "the comments of");
    refused(&repo, &["hoist", "vars.stage"], "differ");
    refused(&repo, &["hoist", "vars.nothing"], "no file writes `vars.nothing`");
}

#[test]
fn a_stack_that_is_not_resolved_proves_nothing() {
    let all = "        size: 5\n        name: a\n";
    let repo = repo(all, all);
    repo.write("stacks/deploy/broken.yaml", "import: [nowhere]\nvars: {stage: broken}\n").commit("broken");
    refused(&repo, &["hoist", SIZE], "Not provable");
}

#[test]
fn what_heirs_repeat_moves_into_their_base() {
    let base = "components:\n  terraform:\n    base:\n      metadata: {type: abstract}\n      vars: {a: 1}\n";
    let heir =
        |name: &str| format!("    {name}:\n      metadata: {{inherits: [base]}}\n      vars:\n        size: 5\n");
    let repo = Repo::atmos();
    repo.write("stacks/catalog/base.yaml", base);
    let stack =
        format!("import: [catalog/base]\nvars: {{stage: dev}}\ncomponents:\n  terraform:\n{}{}", heir("x"), heir("y"));
    repo.write("stacks/deploy/dev.yaml", &stack).commit("base");
    let run = repo.run(&["refactor", "hoist", "vars.size", "--base", "base", "--write"]).ends_with(0);
    assert!(run.stderr.contains("Proved: no effect"), "{run}");
    assert_eq!(read(&repo, "stacks/catalog/base.yaml"), base.replace("{a: 1}", "{a: 1, size: 5}"));
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack.replace("      vars:\n        size: 5\n", ""));
    repo.git(&["checkout", "--quiet", "."]);
    repo.edit("stacks/deploy/dev.yaml", "x:", "z: {metadata: {inherits: [base]}}\n    x:").commit("another heir");
    refused(&repo, &["hoist", "vars.size", "--base", "base"], "for example vars.size of z in dev: – → 5");
    refused(&repo, &["hoist", "vars.size", "--base", "nothing"], "no component inherits from `nothing`");
}

#[test]
fn redundant_values_are_removed() {
    let repo = repo("        owner: net\n        size: 5\n", "        owner: net\n");
    let run = proved(&repo, &["prune"]);
    assert!(run.stderr.contains("2 redundant values are removed from 2 files"), "{run}");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack("dev", "        size: 5\n"));
    let prod = stack("prod", "").replace("      vars:\n", "").replace("    vpc:\n", "    vpc: {}\n");
    assert_eq!(read(&repo, "stacks/deploy/prod.yaml"), prod);
    repo.commit("pruned");
    let run = repo.run(&["refactor", "prune"]).ends_with(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("nothing redundant can be removed"), "{run}");
}

#[test]
fn projects_that_share_files_are_pruned_once() {
    let repo = repo("        owner: net\n        size: 5\n", "        size: 6\n");
    let config = read(&repo, "atmos.yaml").replace("base_path: .\n", "base_path: ..\n");
    repo.remove("atmos.yaml").write("one/atmos.yaml", &config).write("two/atmos.yaml", &config).commit("two projects");
    let run = repo.run(&["refactor", "prune", "--write"]).ends_with(0);
    assert!(run.stderr.contains("1 redundant value is removed from 1 file"), "{run}");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack("dev", "        size: 5\n"));
}

#[test]
fn comments_are_never_removed() {
    let repo = repo("        owner: net # why\n        size: 5\n", "        owner: net\n        size: 6\n");
    let run = proved(&repo, &["prune"]);
    assert!(run.stderr.contains("1 redundant value is kept: stacks/deploy/dev.yaml:12 has a comment"), "{run}");
    assert!(read(&repo, "stacks/deploy/dev.yaml").contains("owner: net # why"));
    repo.git(&["checkout", "--quiet", "."]);
    // Neither are they left without what they stand above.
    repo.edit("stacks/deploy/dev.yaml", "        owner: net # why\n", "        # why\n        owner: net\n")
        .commit("above");
    let run = repo.run(&["refactor", "prune"]).ends_with(0);
    assert!(run.stderr.contains("1 redundant value is kept: stacks/deploy/dev.yaml:13 has a comment above"), "{run}");
    let run = repo.run(&["refactor", "prune", "stacks/catalog"]).ends_with(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn secrets_are_not_printed() {
    let token = format!("        token: ghp_{}\n        size: 5\n", "a1B2".repeat(9));
    let repo = repo(&token, &token);
    let run = repo.run(&["refactor", "hoist", SIZE]).ends_with(2);
    assert!(run.stderr.contains("would show a secret") && run.stdout.is_empty(), "{run}");
    repo.run(&["refactor", "hoist", SIZE, "--show-secrets"]).ends_with(0).says("ghp_");
}

#[cfg(unix)]
#[test]
fn files_behind_links_are_not_written() {
    let repo = repo("        size: 5\n        a: 1\n", "        size: 5\n        a: 2\n");
    let outside = repo.beside("outside.yaml");
    std::fs::write(&outside, CATALOG).unwrap();
    repo.remove("stacks/catalog/vpc.yaml").link("stacks/catalog/vpc.yaml", outside.to_str().unwrap()).commit("link");
    let run = repo.run(&["refactor", "hoist", SIZE, "--write"]);
    assert_ne!(run.status, 0, "{run}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), CATALOG);
}

/// A sequence of numbers below some bound, the same for the same seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

const VALUES: [&str; 8] = [
    "1",
    "a",
    "'1'",
    "[x, y]",
    "{k: 1, l: {m: 2}}",
    "\n          k: 1",
    "|\n          one\n          two",
    "!env HOME",
];
/// Those of them that may override each other.
const SCALARS: [usize; 5] = [0, 1, 2, 6, 7];
const INPUTS: usize = 3;

/// The variables of a component, each with one of the values, in some order and with comments.
fn variables(numbers: &mut Numbers, values: &[usize]) -> String {
    let mut order: Vec<usize> = (0..INPUTS).collect();
    order.rotate_left(numbers.below(INPUTS));
    let comment = ["", "        # words\n", "\n"];
    let line = |input: usize, comment: &str| format!("{comment}        in{input}: {}\n", VALUES[values[input]]);
    let kept = order.into_iter().filter(|input| values[*input] < VALUES.len()).collect::<Vec<_>>();
    kept.into_iter().map(|input| line(input, comment[numbers.below(comment.len())])).collect()
}

#[test]
fn random_repositories_are_printed_as_before() {
    let mut changed = 0;
    for seed in 0..6 {
        let mut numbers = Numbers(seed);
        // Stacks often agree, some lack a value, and some scalars differ.
        let values = |numbers: &mut Numbers, common: &[usize]| -> Vec<usize> {
            let other = |numbers: &mut Numbers, one: usize| match SCALARS.contains(&one) {
                true => SCALARS[numbers.below(SCALARS.len())],
                false => VALUES.len(),
            };
            common.iter().map(|one| if numbers.below(4) == 0 { other(numbers, *one) } else { *one }).collect()
        };
        let common: Vec<usize> = (0..INPUTS).map(|_| numbers.below(VALUES.len())).collect();
        let repo = Repo::atmos();
        let shared: Vec<usize> =
            common.iter().map(|one| if numbers.below(2) == 0 { *one } else { VALUES.len() }).collect();
        repo.write("stacks/catalog/vpc.yaml", format!("{CATALOG}{}", variables(&mut numbers, &shared)));
        for stage in ["dev", "prod"] {
            let own = values(&mut numbers, &common);
            let text = format!("        last: {stage}\n{}", variables(&mut numbers, &own));
            repo.write(&format!("stacks/deploy/{stage}.yaml"), stack(stage, &text));
        }
        repo.commit("base");
        let before = stacks(&repo);
        for input in 0..INPUTS {
            let path = format!("components.terraform.vpc.vars.in{input}");
            let run = repo.run(&["refactor", "hoist", &path, "--write"]);
            assert!(run.status < 2, "{run}");
            changed += usize::from(run.status == 0);
        }
        assert_eq!(before, stacks(&repo), "hoist, seed {seed}:\n{}", repo.git(&["diff"]));
        repo.commit("hoisted, perhaps");
        let run = repo.run(&["refactor", "prune", "--write"]);
        assert!(run.status < 2, "{run}");
        changed += usize::from(!repo.git(&["status", "--porcelain"]).is_empty());
        assert_eq!(before, stacks(&repo), "prune, seed {seed}:\n{}", repo.git(&["diff"]));
    }
    assert!(changed > 6, "only {changed} refactorings changed something");
}

/// The example that `docs/refactoring.md` shows.
#[test]
fn the_example_of_the_page_is_true() {
    let page = std::fs::read_to_string(fixture("../docs").join("refactoring.md")).unwrap().replace("\r\n", "\n");
    let block = |start: &str| {
        let after = page.split_once(start).unwrap_or_else(|| panic!("the page has no {start:?}")).1;
        after.split_once("```").unwrap().0.to_owned()
    };
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {}}}\n");
    for stage in ["dev", "prod"] {
        let text = block("`stacks/deploy/dev.yaml`:\n```yaml\n").replace("dev", stage);
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.commit("base");
    let run = repo.run(&["refactor", "hoist", SIZE]).ends_with(0);
    assert_eq!(block(&format!("$ stacklint refactor hoist {SIZE}\n")), run.stdout);
}
