//! Every limit, set low: what exceeds it is reported with its name, and everything else is resolved.

use super::project;
use crate::common::Repo;
use stacklint::testing::Limit;
use std::time::{Duration, Instant};

/// The project with one limit, and a manifest `bad` beside `dev`.
fn limited(limit: Limit, value: u64, files: &[(&str, &str)]) -> Repo {
    let repo = project(files);
    repo.write("stacklint.toml", format!("[limits]\n{} = {value}\n", limit.name())).commit("limits");
    repo
}

/// Asserts that a finding at a file reports the limit, and that the stack `dev` is still resolved.
#[track_caller]
fn assert_reported(repo: &Repo, file: &str, words: &[&str]) {
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    let json = run.json();
    let all = json["diagnostics"].as_array().unwrap();
    let reported = |d: &&serde_json::Value| {
        let text = format!("{} {} {}", d["rule"], d["message"], d["help"]);
        d["file"] == file && d["level"] == "error" && words.iter().all(|w| text.contains(w))
    };
    assert!(all.iter().any(|d| reported(&d)), "{words:?}\n{run}");
    repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("size: 1");
}

const BAD: &str = "stacks/deploy/bad.yaml";

#[test]
fn file_size() {
    let long = format!("vars: {{stage: bad}}\n# {}\n", "x".repeat(300));
    // The configuration itself must not exceed it.
    assert_reported(&limited(Limit::FileSize, 400, &[(BAD, &long.repeat(2))]), BAD, &["unreadable-file", "file-size"]);
    limited(Limit::FileSize, 4000, &[(BAD, &long)]).run(&["check"]).ends_with(0);
}

#[test]
fn nesting_depth() {
    let nested = |n: usize| format!("vars: {{stage: bad}}\nsettings: {}1{}\n", "{a: ".repeat(n), "}".repeat(n));
    assert_reported(
        &limited(Limit::NestingDepth, 20, &[(BAD, &nested(25))]),
        BAD,
        &["limit-exceeded", "deeper than 20"],
    );
    limited(Limit::NestingDepth, 20, &[(BAD, &nested(15))]).run(&["check"]).ends_with(0);
}

#[test]
fn nesting_depth_by_dots_in_keys() {
    let dots = |n: usize| format!("vars: {{stage: bad}}\nsettings:\n  a{}: 1\n", ".a".repeat(n));
    let config = format!("{}settings: {{yaml: {{key_delimiter: '.'}}}}\n", crate::common::ATMOS);
    let files = [("atmos.yaml", &*config), (BAD, &*dots(25))];
    assert_reported(&limited(Limit::NestingDepth, 20, &files), BAD, &["limit-exceeded", "deeper than 20"]);
    // So many levels would end the process, were they not counted.
    let hostile = dots(200).replace("  a.", "  ? a.").replace(": 1", &format!("{}\n  : 1", ".a".repeat(100_000)));
    assert_reported(
        &limited(Limit::NestingDepth, 1000, &[("atmos.yaml", &config), (BAD, &hostile)]),
        BAD,
        &["limit-exceeded"],
    );
}

#[test]
fn the_other_dialect_has_the_same_limits() {
    let repo = Repo::new();
    let module = "modules:\n- {name: vpc, type: infra.vpc, config: {size: 1}}\n";
    let nested = format!("imports: [more.yaml]\n{module}other: {}1{}\n", "{a: ".repeat(25), "}".repeat(25));
    repo.write("infra.yaml", &nested).write("more.yaml", "imports: [most.yaml]\n").write("most.yaml", "modules: []\n");
    repo.run(&["check"]).ends_with(0);
    repo.write("stacklint.toml", "[limits]\nnesting-depth = 20\n");
    repo.run(&["check"]).ends_with(1).says("nested deeper than 20").says("infra.yaml:4");
    repo.write("stacklint.toml", "[limits]\nimport-depth = 1\n");
    repo.run(&["check"]).ends_with(1).says("limit-exceeded").says("more.yaml:1");
    repo.write("stacklint.toml", "[limits]\nfile-size = 100\n");
    repo.run(&["check"]).ends_with(1).says("file-size");
}

#[test]
fn document_values() {
    let text = "vars: {stage: bad}\na: &a [1, 2, 3, 4, 5, 6, 7, 8]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n";
    assert_reported(&limited(Limit::DocumentValues, 100, &[(BAD, text)]), BAD, &["limit-exceeded", "document-values"]);
    limited(Limit::DocumentValues, 300, &[(BAD, text)]).run(&["check"]).ends_with(0);
}

/// Files that import each other one after the other, each `ways` times.
fn chain(length: usize, ways: usize) -> Vec<(String, String)> {
    let item = |i: usize, way: usize| format!("- {{path: c/x{}, context: {{way{i}: {way}}}}}\n", i + 1);
    let one = |i: usize| format!("import:\n{}", (0..ways).map(|way| item(i, way)).collect::<String>());
    let mut files: Vec<_> = (0..length).map(|i| (format!("stacks/c/x{i}.yaml"), one(i))).collect();
    files.push((format!("stacks/c/x{length}.yaml"), "vars: {end: true}\n".to_owned()));
    files.push((BAD.to_owned(), "import: [c/x0]\nvars: {stage: bad}\n".to_owned()));
    files
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (&**path, &**text)).collect()
}

#[test]
fn import_depth() {
    assert_reported(
        &limited(Limit::ImportDepth, 5, &borrowed(&chain(8, 1))),
        "stacks/c/x3.yaml",
        &["limit-exceeded", "5 files"],
    );
    limited(Limit::ImportDepth, 5, &borrowed(&chain(3, 1))).run(&["check"]).ends_with(0);
}

#[test]
fn imports_that_multiply() {
    // 2^40 ways.
    let repo = limited(Limit::Imports, 50, &borrowed(&chain(40, 2)));
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    assert!(run.stdout.contains("limit-exceeded") && run.stdout.contains("raise `imports`"), "{run}");
    repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("size: 1");
    limited(Limit::Imports, 50, &borrowed(&chain(4, 2))).run(&["check"]).ends_with(0);
}

#[test]
fn as_many_imports_and_bases_as_are_allowed() {
    let files: Vec<(String, String)> =
        (0..6).map(|i| (format!("stacks/c/x{i}.yaml"), "vars: {a: 1}\n".to_owned())).collect();
    let mut files = borrowed(&files);
    files.push((BAD, "import: [c/x0, c/x1, c/x2, c/x3, c/x4, c/x5]\nvars: {stage: bad}\n"));
    assert_reported(&limited(Limit::Imports, 5, &files), BAD, &["limit-exceeded", "more than 5", "raise `imports`"]);
    limited(Limit::Imports, 6, &files).run(&["check"]).ends_with(0);
    let all: String = (0..6).map(|i| format!("    b{i}: {{vars: {{a{i}: 1}}}}\n")).collect();
    let one = "    k: {metadata: {inherits: [b0, b1, b2, b3, b4, b5]}}\n";
    let text = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{all}{one}");
    assert_reported(
        &limited(Limit::Bases, 5, &[(BAD, &text)]),
        BAD,
        &["limit-exceeded", "more than 5", "raise `bases`"],
    );
    limited(Limit::Bases, 6, &[(BAD, &text)]).run(&["check"]).ends_with(0);
}

#[test]
fn imports_that_multiply_and_fail() {
    let mut files: Vec<(String, String)> = chain(40, 2)
        .into_iter()
        .map(|(path, text)| (path, text.replace("{path: ", "").replace(", context: {way", " #")))
        .collect();
    files.retain(|(path, _)| path != "stacks/c/x40.yaml");
    let repo = limited(Limit::Imports, 50, &borrowed(&files));
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    assert!(run.stdout.contains("unresolved-import"), "{run}");
}

#[test]
fn glob_results() {
    let files: Vec<(String, String)> =
        (0..12).map(|i| (format!("stacks/c/x{i}.yaml"), "vars: {a: 1}\n".to_owned())).collect();
    let mut files = borrowed(&files);
    files.push((BAD, "import: ['c/*']\nvars: {stage: bad}\n"));
    assert_reported(&limited(Limit::GlobResults, 10, &files), BAD, &["more than 10 files", "glob-results"]);
    limited(Limit::GlobResults, 12, &files).run(&["check"]).ends_with(0);
}

/// A stack whose components inherit from each other one after the other, each `ways` times.
fn bases(length: usize, ways: usize) -> String {
    let one = |i: usize| {
        format!("    k{i}: {{metadata: {{inherits: [{}]}}}}\n", vec![format!("k{}", i - 1); ways].join(", "))
    };
    let all: String = (1..=length).map(one).collect();
    format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    k0: {{vars: {{a: 1}}}}\n{all}")
}

#[test]
fn inheritance_depth() {
    assert_reported(
        &limited(Limit::InheritanceDepth, 5, &[(BAD, &bases(6, 1))]),
        BAD,
        &["limit-exceeded", "inheritance-depth"],
    );
    limited(Limit::InheritanceDepth, 5, &[(BAD, &bases(5, 1))]).run(&["check"]).ends_with(0);
}

#[test]
fn commands_without_findings_have_the_same_limits() {
    let repo = limited(Limit::InheritanceDepth, 5, &[(BAD, &bases(6, 1))]);
    let shown = |repo: &Repo| repo.run(&["describe", "stacks"]).ends_with(1);
    assert!(shown(&repo).stdout.contains("k5 ") && !shown(&repo).stdout.contains("k6 "), "{}", shown(&repo).stdout);
    assert!(shown(&repo).stderr.contains("k6"), "{}", shown(&repo).stderr);
    // They have no option that raises limits above their defaults.
    let repo = limited(Limit::InheritanceDepth, 100, &[(BAD, &bases(70, 1))]);
    assert!(!shown(&repo).stdout.contains("k70 "), "{}", shown(&repo).stdout);
    repo.run(&["eval", "{{ .vars.a }}", "-s", "bad", "-c", "k60"]).ends_with(0);
    repo.run(&["eval", "{{ .vars.a }}", "-s", "bad", "-c", "k70"]).ends_with(2).complains("k70");
    assert!(shown(&repo).stderr.contains("k70"), "{}", shown(&repo).stderr);
}

#[test]
fn bases_that_multiply() {
    // 2^30 ways.
    assert_reported(&limited(Limit::Bases, 50, &[(BAD, &bases(30, 2))]), BAD, &["limit-exceeded", "raise `bases`"]);
}

#[test]
fn template_steps_and_output() {
    let loops = "vars: {stage: bad}\ncomponents: {terraform: {b: {vars: {a: '{{ range until 200 }}x{{ end }}'}}}}\n";
    assert_reported(&limited(Limit::TemplateSteps, 100, &[(BAD, loops)]), BAD, &["template-error", "too many steps"]);
    limited(Limit::TemplateSteps, 1000, &[(BAD, loops)]).run(&["check"]).ends_with(0);
    let long = "vars: {stage: bad}\ncomponents: {terraform: {b: {vars: {a: '{{ repeat 900 \"x\" }}'}}}}\n";
    assert_reported(&limited(Limit::TemplateOutput, 800, &[(BAD, long)]), BAD, &["template-error", "too large"]);
    limited(Limit::TemplateOutput, 2000, &[(BAD, long)]).run(&["check"]).ends_with(0);
}

/// Each instruction of a pattern may be looked at for every byte.
#[test]
fn steps_of_patterns_are_those_of_the_texts_that_they_are_run_over() {
    let replaced = |count: usize| {
        let value = format!("{{{{ regexReplaceAll \"(a*)*\" (repeat {count} \"ab\") \"x\" }}}}");
        format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{b: {{vars: {{a: '{value}'}}}}}}}}\n")
    };
    let run = |count: usize| limited(Limit::TemplateSteps, 5_000, &[(BAD, &replaced(count))]);
    assert_reported(&run(3_000), BAD, &["template-error", "too many steps"]);
    run(30).run(&["check"]).ends_with(0);
}

/// Atmos renders a component, and the sections of a file, as one template each.
#[test]
fn templates_that_are_rendered_together_have_the_limits_of_one() {
    let values = |count: usize, value: &str| -> String { (0..count).map(|i| format!("a{i}: '{value}', ")).collect() };
    let (loops, long) = ("{{ range until 20 }}x{{ end }}", "{{ repeat 90 \"x\" }}");
    let component =
        |all: String| format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{b: {{vars: {{{all}}}}}}}}}\n");
    let settings = |all: String| format!("{}settings: {{{all}}}\n", component(String::new()));
    for file in [&component as &dyn Fn(String) -> String, &settings] {
        let run = |limit: Limit, most: u64, count: usize, value: &str| {
            limited(limit, most, &[(BAD, &file(values(count, value)))])
        };
        assert_reported(&run(Limit::TemplateSteps, 1_000, 50, loops), BAD, &["template-error", "too many steps"]);
        run(Limit::TemplateSteps, 1_000, 5, loops).run(&["check"]).ends_with(0);
        assert_reported(&run(Limit::TemplateOutput, 2_000, 50, long), BAD, &["template-error", "writes too much"]);
        run(Limit::TemplateOutput, 2_000, 5, long).run(&["check"]).ends_with(0);
    }
    let locals = |count: usize| format!("{}locals: {{{}}}\n", component(String::new()), values(count, loops));
    let run = |count: usize| limited(Limit::TemplateSteps, 1_000, &[(BAD, &locals(count))]);
    assert_reported(&run(50), BAD, &["template-error", "these locals take too many steps together"]);
    run(5).run(&["check"]).ends_with(0);
}

#[test]
fn component_values() {
    let list = |n: usize| {
        format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{b: {{vars: {{a: [{}]}}}}}}}}\n", "1, ".repeat(n))
    };
    assert_reported(
        &limited(Limit::ComponentValues, 200, &[(BAD, &list(200))]),
        BAD,
        &["limit-exceeded", "component-values"],
    );
    limited(Limit::ComponentValues, 200, &[(BAD, &list(100))]).run(&["check"]).ends_with(0);
}

#[test]
fn policy_steps() {
    let policy =
        "[[require]]\nid = 'slow'\nthat = 'component.vars.a.all(x, component.vars.a.all(y, x == y))'\nmessage = 'm'\n";
    let list =
        format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{b: {{vars: {{a: [{}]}}}}}}}}\n", "1, ".repeat(200));
    let repo = project(&[(BAD, &list)]);
    let box_too = "where = 'component.name == \"b\"'\n";
    let settings =
        |steps: u64| format!("[limits]\npolicy-steps = {steps}\n{}", policy.replace("that", &format!("{box_too}that")));
    for steps in [10_000, 900_000] {
        repo.write("stacklint.toml", settings(steps)).commit("limits");
        assert_reported(&repo, "stacklint.toml", &["limit-exceeded", "policy-steps"]);
    }
    // 40,000 comparisons take about 360,000 steps, and one policy may use a quarter of them.
    repo.write("stacklint.toml", settings(2_000_000)).commit("limits");
    repo.run(&["check"]).ends_with(0);
}

/// Steps are counted while one component is judged, whatever the number of policies.
#[test]
fn steps_of_all_policies_together() {
    let list = "[1, 2, 3, 4, 5, 6, 7, 8]";
    let loops: String = ["a", "b", "c", "d", "e", "f", "g"].map(|x| format!("{list}.all({x}, ")).concat();
    let policies: String = (0..400)
        .map(|i| format!("[[require]]\nid = 'p{i}'\nthat = '{loops}true{}'\nmessage = 'm'\n", ")".repeat(7)))
        .collect();
    let repo = project(&[("stacklint.toml", &format!("[limits]\npolicy-steps = 2000000\n{policies}"))]);
    let start = Instant::now();
    repo.run(&["check"]).ends_with(1).says("limit-exceeded").says("2000000 steps for all policies together");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// A stack whose templates take minutes: each of them as long as it may.
fn slow() -> String {
    let slow: String = (0..600)
        .map(|i| format!("  a{i}: '{{{{ range until 40000 }}}}{{{{ if eq . {i} }}}}{{{{ end }}}}{{{{ end }}}}'\n"))
        .collect();
    format!("vars: {{stage: bad}}\nsettings:\n{slow}components: {{terraform: {{b: {{}}}}}}\n")
}

#[test]
fn time_ends_the_run_with_words() {
    let repo = limited(Limit::Time, 1, &[(BAD, &slow())]);
    let run = repo.run(&["check"]).ends_with(2).complains("takes more than 1 seconds").complains("`time`");
    assert_eq!(run.stdout, "");
}

#[test]
fn a_change_does_not_lift_the_limits_of_its_run() {
    let repo = limited(Limit::Time, 1, &[]);
    repo.write(BAD, slow()).write("stacklint.toml", "[limits]\ntime = 600\n").commit("lifted");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(2).complains("takes more than 1 seconds");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_ends_the_run_with_words() {
    let texts: String = (0..60).map(|i| format!("  a{i}: '{{{{ repeat 8000000 \"x\" }}}}'\n")).collect();
    let stack = format!("vars: {{stage: bad}}\nsettings:\n{texts}components: {{terraform: {{b: {{}}}}}}\n");
    let repo = limited(Limit::Memory, 64, &[(BAD, &stack)]);
    repo.run(&["check"]).ends_with(2).complains("needs more than 64 MiB").complains("`memory`");
}

/// Writes a manifest of so many MiB that the stack imports.
fn import_mib(repo: &Repo, mib: usize, stack: &str) {
    repo.write("stacks/catalog/comment.yaml", format!("vars: {{}} #{}\n", "x".repeat(mib << 20)));
    repo.write(BAD, format!("import: [catalog/comment]\n{stack}")).commit("larger");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_grows_with_what_is_read() {
    // Far more than the limit, and what is needed before the large manifest is read is far less.
    let texts: String = (0..4).map(|i| format!("a{i}: '{{{{ repeat 8000000 \"x\" }}}}', ")).collect();
    let components: String = (0..6).map(|i| format!("    c{i}: {{vars: {{{texts}}}}}\n")).collect();
    let stack = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}");
    let repo = limited(Limit::MemoryPerMib, 150, &[(BAD, &stack)]);
    repo.run(&["check"]).ends_with(2).complains("needs more than 150 MiB").complains("`memory-per-mib`");
    import_mib(&repo, 12, &stack);
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn steps_grow_with_what_is_read() {
    let stack = "vars: {stage: bad, n: '{{ range until 5000 }}{{ end }}'}\ncomponents: {terraform: {b: {}}}\n";
    let repo = limited(Limit::RunSteps, 5_000, &[(BAD, stack)]);
    repo.run(&["check"]).ends_with(2).complains("`run-steps`");
    import_mib(&repo, 4, stack);
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn a_change_does_not_lift_its_own_limits() {
    let repo = limited(Limit::InheritanceDepth, 2, &[]);
    repo.write("stacks/deploy/dev.yaml", bases(3, 1)).write("stacklint.toml", "[limits]\ninheritance-depth = 9\n");
    repo.commit("lifted");
    repo.run(&["check"]).ends_with(0);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("limit-exceeded");
    repo.write("stacks/deploy/dev.yaml", format!("{}# more\n", bases(3, 1))).commit("later");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
}

/// A limit that cannot be is an error of the settings.
fn cannot_be(_: &str, (text, words): (&str, &str)) {
    let repo = project(&[]);
    repo.write("stacklint.toml", format!("[limits]\n{text}\n"));
    repo.run(&["check"]).ends_with(2).complains(words);
}

cases! {
    cannot_be:
    a_limit_above_the_most => ("nesting-depth = 100000", "`nesting-depth` can be from 8 to 1000, not 100000");
    an_unknown_limit => ("nesting = 5", "unknown value `nesting`; allowed: `file-size`");
    a_negative_limit => ("time = -1", "stacklint.toml:2:8");
    a_limit_below_the_least => ("time = 0", "`time` can be from 1");
}

#[test]
fn limits_are_shown_with_their_place() {
    let repo = project(&[]);
    repo.write("stacklint.toml", "[limits]\nimports = 7\n");
    repo.run(&["config"]).ends_with(0).says("limits.imports").says("stacklint.toml:2").says("limits.memory");
}

#[test]
fn steps_of_the_run_end_it_with_words() {
    let text = |i: usize| {
        format!(
            "vars: {{stage: s{i}}}\ncomponents: {{terraform: {{b: {{vars: {{a: '{{{{ range until 2000 }}}}{{{{ end }}}}'}}}}}}}}\n"
        )
    };
    let repo = limited(Limit::RunSteps, 20_000, &[("stacks/deploy/bad0.yaml", &text(0))]);
    repo.run(&["check"]).ends_with(0);
    let many: Vec<String> = (0..20).map(|i| format!("stacks/deploy/bad{i}.yaml")).collect();
    many.iter().enumerate().for_each(|(i, path)| _ = repo.write(path, text(i)));
    repo.write("stacklint.toml", "[limits]\nrun-steps = 100000000\n").commit("many");
    let run = repo
        .run(&["diff", "HEAD~1..HEAD"])
        .ends_with(2)
        .complains("take more steps together than one may, the most for stacks/deploy/bad")
        .complains("`run-steps`");
    assert_eq!(run.stdout, "");
}

#[test]
fn differences_count_for_the_run() {
    let text = |components: usize, value: usize| {
        let values: String = (0..20).map(|i| format!("  k{i}: {value}\n")).collect();
        let all: String = (0..components).map(|i| format!("    c{i}: {{}}\n")).collect();
        format!("vars:\n  stage: bad\n{values}components:\n  terraform:\n{all}")
    };
    let differs = |components: usize| {
        let repo = limited(Limit::RunSteps, 30_000, &[(BAD, &text(components, 1))]);
        repo.write(BAD, text(components, 2)).commit("differs");
        repo.run(&["diff", "HEAD~1..HEAD"])
    };
    differs(2).ends_with(0).says("k19");
    let run = differs(10).ends_with(2).complains("differences and reports of this run").complains("`run-steps`");
    assert_eq!(run.stdout, "");
}

#[test]
fn what_is_written_counts_for_the_run() {
    // Components share the values of their stack, and each of them shows all.
    let values: String = (0..100).map(|i| format!("  k{i}: {i}\n")).collect();
    let all: String = (0..100).map(|i| format!("    c{i}: {{}}\n")).collect();
    let text = format!("vars:\n  stage: bad\n{values}components:\n  terraform:\n{all}");
    let repo = limited(Limit::RunSteps, 164_000, &[(BAD, &text)]);
    repo.run(&["describe", "component", "c1", "-s", "bad", "--format", "json"]).ends_with(0).says("k99");
    repo.run(&["describe", "stacks", "--format", "json"]).ends_with(2).complains("`run-steps`");
}

#[test]
fn components_that_read_many_others() {
    // Each component reads as many others of a stack.
    let all_read = |number: usize, stack: &str, most: u64| {
        let read = format!("{{{{ (atmos.Component (printf \"c%d\" .) \"{stack}\").vars }}}}");
        let value = format!("{{{{ range until {number} }}}}{read}{{{{ end }}}}");
        let one = |i: usize| format!("    c{i}: {{vars: {{a: '{value}'}}}}\n");
        let text =
            format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{}", (0..number).map(one).collect::<String>());
        limited(Limit::RunSteps, most, &[(BAD, &text)]).run(&["check"])
    };
    // To look for each of them takes time that is counted.
    all_read(40, "none", 70_000).ends_with(2).complains("`run-steps`");
    // They are looked for once.
    let run = all_read(150, "bad", 4_000_000);
    assert!(!run.stderr.contains("`run-steps`"), "{run}");
}

#[test]
fn paths_that_are_compared_count_for_a_template() {
    let repo = Repo::new();
    (0..300).for_each(|i| _ = repo.write(&format!("d/{i}"), ""));
    let sets = |n: usize| (0..n).map(|i| format!("  a{i} = fileset(\"d\", \"*{i}\")\n")).collect::<String>();
    let root = |n: usize| format!("terraform {{\n  backend \"local\" {{}}\n}}\nlocals {{\n{}}}\n", sets(n));
    repo.write("stacklint.toml", "[limits]\ntemplate-steps = 20000\n").write("main.tf", root(10));
    repo.run(&["check"]).ends_with(0);
    repo.write("main.tf", root(100)).run(&["check"]).ends_with(1).says("limit-exceeded");
}

#[test]
fn what_units_generate_counts_for_the_run() {
    let repo = Repo::new();
    let text = "join(\"\", [for i in range(100) : format(\"# %100s\\n\", i)])";
    let generate = format!("generate \"a\" {{\n  path = \"a.tf\"\n  if_exists = \"overwrite\"\n  contents = {text}");
    for i in 0..20 {
        repo.write(&format!("u{i}/main.tf"), "resource \"a_b\" \"c\" {}\n");
        repo.write(&format!("u{i}/terragrunt.hcl"), format!("{}\n}}\n", generate.replace("# %", &format!("# {i} %"))));
    }
    repo.write("stacklint.toml", "[limits]\nrun-steps = 5000000\n").run(&["check"]).ends_with(0);
    repo.write("stacklint.toml", "[limits]\nrun-steps = 1000000\n")
        .run(&["check"])
        .ends_with(2)
        .complains("`run-steps`");
}

#[test]
fn steps_of_every_language_count_for_the_run() {
    let ends = |files: &[(&str, &str)]| {
        let repo = Repo::new();
        files.iter().for_each(|(path, text)| _ = repo.write(path, text));
        repo.write("stacklint.toml", "[limits]\nrun-steps = 3000\n").commit("all");
        repo.run(&["check"]).ends_with(2).complains("`run-steps`");
    };
    let stack = |settings: &str| format!("vars: {{stage: bad}}\nsettings: {settings}\n");
    let atmos = ("atmos.yaml", crate::common::ATMOS);
    let numbers = format!("{{\"a\": [{}1]}}", "1, ".repeat(200));
    ends(&[atmos, (BAD, &stack("\n  a: !include ../../x.json '.a[] as $x | .a[] | $x'")), ("x.json", &numbers)]);
    ends(&[atmos, (BAD, &format!("{}locals: {{a: '{{{{ range until 5000 }}}}{{{{ end }}}}'}}\n", stack("{}")))]);
    let products = "length([for a in range(100) : [for b in range(100) : a * b]])";
    ends(&[(
        "main.tf",
        &format!("terraform {{\n  backend \"local\" {{}}\n}}\nresource \"a_b\" \"c\" {{\n  v = {products}\n}}\n"),
    )]);
    ends(&[("u/terragrunt.hcl", &format!("inputs = {{ v = {products} }}\n"))]);
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    let each = "{$forEach: '${var.l}', $return: {$forEach: '${var.l}', $return: '${item.value}'}}";
    let list = "1, ".repeat(99);
    ends(&[("project.garden.yml", &format!("{project}variables:\n  l: [{list}1]\n  a: {each}\n"))]);
}
