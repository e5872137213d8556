//! Large things are only large: no work grows with the square of them, which would exceed the time of a processor that
//! every run of the tests may take.

use super::{DEV, project};

/// Runs `check` over the project with one more manifest, which takes no square of its size.
#[track_caller]
fn is_quick(text: &str, status: i32) -> crate::common::Run {
    let repo = project(&[("stacks/deploy/bad.yaml", text)]);
    let run = repo.run(&["check", "--format", "json"]).ends_with(status);
    run.json();
    repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("size: 1");
    run
}

const MANY: usize = 50_000;

fn keys(indent: &str) -> String {
    (0..MANY).map(|i| format!("{indent}k{i}: {i}\n")).collect()
}

#[test]
fn a_map_of_fifty_thousand() {
    is_quick(&format!("vars: {{stage: bad}}\nsettings:\n{}", keys("  ")), 0);
}

#[test]
fn a_list_of_fifty_thousand() {
    let items: String = (0..MANY).map(|i| format!("  - v{i}\n")).collect();
    is_quick(&format!("vars: {{stage: bad}}\nsettings:\n  l:\n{items}"), 0);
}

#[test]
fn a_merge_key_of_fifty_thousand() {
    is_quick(&format!("vars: {{stage: bad}}\na: &a\n{}settings:\n  <<: *a\n", keys("  ")), 0);
}

#[test]
fn locals_that_build_on_each_other() {
    let chain: String = (1..10_000).map(|i| format!("  l{i}: '{{{{ .locals.l{} }}}}'\n", i - 1)).collect();
    let text =
        format!("vars: {{stage: bad}}\nlocals:\n  l0: start\n{chain}settings: {{a: '{{{{ .locals.l9999 }}}}'}}\n");
    is_quick(&text, 0);
}

#[test]
fn locals_that_double() {
    let lists: String =
        (0..60).map(|i| format!("  l{}: ['{{{{ .locals.l{i} }}}}', '{{{{ .locals.l{i} }}}}']\n", i + 1)).collect();
    is_quick(&format!("vars: {{stage: bad}}\nlocals:\n  l0: [1]\n{lists}"), 1).says("too many steps together");
}

#[test]
fn locals_that_all_fail() {
    let chain: String = (0..MANY / 10).map(|i| format!("  l{}: 'x{{{{ .locals.l{i} }}}}'\n", i + 1)).collect();
    is_quick(&format!("vars: {{stage: bad}}\nlocals:\n  l0: '{{{{ fail \"x\" }}}}'\n{chain}"), 1);
}

#[test]
fn dotted_keys_by_the_ten_thousand() {
    let repo = project(&[]);
    let text: String = (0..MANY).map(|i| format!("  k{i}.x: {i}\n")).collect();
    let one: String = (0..MANY / 4).map(|i| format!("  one.k{i}: {i}\n")).collect();
    repo.write("atmos.yaml", format!("{}settings: {{yaml: {{key_delimiter: '.'}}}}\n", crate::common::ATMOS));
    repo.write("stacks/deploy/bad.yaml", format!("vars: {{stage: bad}}\nsettings:\n{text}{one}"));
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn a_pipeline_of_fifty_thousand() {
    is_quick(&format!("vars: {{stage: bad}}\nsettings: {{a: '{{{{ 1{} }}}}'}}\n", " | print".repeat(MANY)), 0);
}

#[test]
fn a_line_of_five_megabytes() {
    let long = "x".repeat(5_000_000);
    is_quick(&format!("vars: {{stage: bad}}\nsettings: {{a: {long}, b: '{{{{ .vars.stage }}}}{long}'}}\n"), 0);
    let run = is_quick(&format!("vars: {{stage: bad}}\nsettings: {{a: {long}]\n"), 1);
    assert!(run.stdout.len() < 10_000, "{} bytes of output", run.stdout.len());
}

/// A value in so many brackets of a kind.
fn ends_within(name: &str, (open, close, depth): (&str, &str, usize)) {
    let text = format!("vars: {{stage: bad}}\nsettings:\n  {}1{}\n", open.repeat(depth), close.repeat(depth));
    let repo = project(&[("stacks/deploy/bad.yaml", &text)]);
    let run = repo.run(&["check", "--format", "json"]);
    assert!(run.status <= 1, "{name}: {run}");
    run.json();
}

cases! {
    ends_within:
    brackets_of_lists_500 => ("[", "]", 500);
    brackets_of_lists_9_000 => ("[", "]", 9_000);
    brackets_of_lists_40_000 => ("[", "]", 40_000);
    brackets_of_maps_500 => ("{a: ", "}", 500);
    brackets_of_maps_9_000 => ("{a: ", "}", 9_000);
    brackets_of_maps_40_000 => ("{a: ", "}", 40_000);
    dashes_500 => ("- ", "", 500);
    dashes_9_000 => ("- ", "", 9_000);
    dashes_40_000 => ("- ", "", 40_000);
    brackets_of_keys_500 => ("{? ", "}", 500);
    brackets_of_keys_9_000 => ("{? ", "}", 9_000);
    brackets_of_keys_40_000 => ("{? ", "}", 40_000);
}

/// A change in a value that is nested as deep as it may be.
fn a_deep_change(_: &str, arguments: &[&str]) {
    let nested = format!("{}'{{{{ .vars.stage }}}}'{}", "{a: ".repeat(900), "}".repeat(900));
    let text = format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{deep: {{vars: {{n: {nested}}}}}}}}}\n");
    let repo = project(&[("stacks/deploy/bad.yaml", &text)]);
    repo.write("stacks/deploy/bad.yaml", text.replace("'{{ .vars.stage }}'", "2")).commit("head");
    repo.run(arguments).ends_with(0);
}

cases! {
    a_deep_change:
    deep_diff_as_text => &["diff", "HEAD~1..HEAD", "--format", "text"];
    deep_diff_as_json => &["diff", "HEAD~1..HEAD", "--format", "json"];
    deep_diff_as_sarif => &["diff", "HEAD~1..HEAD", "--format", "sarif"];
    deep_diff_as_markdown => &["diff", "HEAD~1..HEAD", "--format", "markdown"];
    deep_diff_as_github => &["diff", "HEAD~1..HEAD", "--format", "github"];
    deep_diff_as_concise => &["diff", "HEAD~1..HEAD", "--format", "concise"];
    deep_diff_as_junit => &["diff", "HEAD~1..HEAD", "--format", "junit"];
    deep_diff_as_gitlab => &["diff", "HEAD~1..HEAD", "--format", "gitlab"];
    deep_component_as_text => &["describe", "component", "deep", "-s", "bad", "--format", "text"];
    deep_component_as_json => &["describe", "component", "deep", "-s", "bad", "--format", "json"];
    deep_component_as_yaml => &["describe", "component", "deep", "-s", "bad", "--format", "yaml"];
}

/// Indentation makes them many times as large as they are.
#[test]
#[cfg(target_os = "linux")]
fn deep_values_of_one_stack_are_not_in_memory_as_text() {
    let components: String =
        (0..60).map(|i| format!("    c{i}: {{vars: {{a: {}1{}}}}}\n", "{a: ".repeat(900), "}".repeat(900))).collect();
    let text = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}");
    let repo = project(&[("stacks/deploy/bad.yaml", &text), ("stacklint.toml", "[limits]\nmemory = 160\n")]);
    for (format, least) in [("json", 90_000_000), ("yaml", 45_000_000)] {
        let run = repo.run(&["describe", "stacks", "--format", format]).ends_with(0);
        assert!(run.stdout.len() > least, "{} bytes of {format}", run.stdout.len());
    }
}

const FINDINGS: usize = 1_000;

/// A thousand findings: formats without a limit have all of them, others say what they omit.
fn a_thousand(_: &str, (options, judge): (&[&str], fn(crate::common::Run))) {
    let all: String = (0..FINDINGS).map(|i| format!("    k{i}: {{metadata: {{inherits: [gone{i}]}}}}\n")).collect();
    let repo =
        project(&[("stacks/deploy/bad.yaml", &format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{all}"))]);
    judge(repo.run(&[&["check"], options].concat()).ends_with(1));
}

/// How often a report has the finding as text.
fn errors(run: &crate::common::Run) -> usize {
    run.stdout.matches("error[undefined-base-component]").count()
}

cases! {
    a_thousand:
    findings_as_json => (&["--format", "json"], |run| assert_eq!(run.json()["diagnostics"].as_array().unwrap().len(), FINDINGS));
    findings_as_gitlab => (&["--format", "gitlab"], |run| assert_eq!(run.json().as_array().unwrap().len(), FINDINGS));
    findings_as_junit => (&["--format", "junit"], |run| assert_eq!(run.stdout.matches("<failure").count(), FINDINGS));
    all_findings_as_concise => (&["--all", "--format", "concise"], |run| assert_eq!(errors(&run), FINDINGS));
    all_findings_as_text => (&["--all", "--format", "text"], |run| assert_eq!(errors(&run), FINDINGS));
    findings_as_text => (&[], |run| {
        assert!(run.stdout.contains(&format!("\n{FINDINGS} errors.\n")) && run.stdout.lines().count() < 60, "{run}");
        run.says("more findings").says("--all shows everything");
    });
    findings_as_markdown => (&["--format", "markdown"], |run| {
        run.says(&format!("{FINDINGS} errors")).says("more findings");
    });
    // GitHub shows ten of each level. Its log is limited, and says so.
    findings_as_github => (&["--format", "github"], |run| {
        assert_eq!(run.stdout.matches(&format!("::error::and {} more", FINDINGS - 9)).count(), 1);
        assert!((100..FINDINGS).contains(&errors(&run)), "{run}");
        run.says("more findings");
    });
    findings_as_sarif => (&["--format", "sarif"], |run| {
        let results = run.json()["runs"][0]["results"].as_array().unwrap().len();
        assert!(results == FINDINGS || run.stdout.contains(&format!("of {FINDINGS} results are left out")), "{results}");
    });
}

#[test]
fn many_components_stacks_and_templates() {
    let components: String =
        (0..4000).map(|i| format!("    k{i}: {{vars: {{a: '{{{{ .vars.stage }}}}-{i}'}}}}\n")).collect();
    is_quick(&format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}"), 0);
    let repo = project(&[]);
    for i in 0..300 {
        repo.write(&format!("stacks/deploy/s{i}.yaml"), DEV.replace("stage: dev", &format!("stage: s{i}")));
    }
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn bases_by_the_thousand() {
    let chain: String = (1..3000).map(|i| format!("    k{i}: {{metadata: {{inherits: [k{}]}}}}\n", i - 1)).collect();
    let run =
        is_quick(&format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    k0: {{vars: {{a: 1}}}}\n{chain}"), 1);
    assert!(run.stdout.contains("limit-exceeded"));
}

/// One manifest with thousands of imports, each with its own content.
#[test]
fn imports_by_the_thousand() {
    const IMPORTS: usize = 2_000;
    let imports: String = (0..IMPORTS).map(|i| format!("- c/x{i}\n")).collect();
    let repo = project(&[]);
    for i in 0..IMPORTS {
        repo.write(&format!("stacks/c/x{i}.yaml"), format!("vars: {{k{i}: 1}}\n"));
    }
    repo.write("stacks/deploy/dev.yaml", format!("import:\n{imports}- 'c/x{{{{ .vars.k7 }}}}'\n{DEV}"));
    repo.run(&["check"]).ends_with(0);
    repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("k1999: 1");
}

/// Terraform files with one line of at most 4 MiB.
#[test]
fn code_in_one_long_line() {
    let repo = project(&[]);
    let code = |text: &str, words: &str| {
        repo.write("components/terraform/box/main.tf", text);
        let run = repo.run(&["check"]).ends_with(i32::from(words.starts_with("error")));
        assert!(run.stdout.contains(words), "{words}: {run}");
    };
    for part in ["[", "{", "{}", "-", "a {} ", "\"${", "a { b = 1 }"] {
        code(&format!("variable \"size\" {{ default = {} }}\n", part.repeat(200_000)), "error[tofu-invalid-syntax]");
    }
    let comment = format!("variable \"size\" {{}}\n# {}\n", "x".repeat(4 << 20));
    code(&comment, "the file is too large");
    code(&comment.replace("xxxx", "x"), "");
}

/// Each escape is written separately, and only the end of the string shows whether it contains a token.
#[test]
fn a_text_of_many_escapes_is_written_in_linear_time() {
    let text = |start: &str| {
        let tabs = "\\t".repeat(300_000);
        format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{box: {{vars: {{a: \"{start}{tabs}\"}}}}}}}}\n")
    };
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", text("")).commit("base");
    repo.write("stacks/deploy/dev.yaml", text("x"));
    for format in ["json", "sarif", "text"] {
        repo.run(&["diff", "HEAD", "--format", format]).ends_with(0);
    }
}

#[test]
fn workflows_by_the_ten_thousand() {
    let many = MANY / 4;
    let steps: String = (0..many)
        .map(|i| format!("    - command: workflow x{i}\n    - command: terraform plan c{i} -s s{i}\n"))
        .collect();
    let others: String = (0..many).map(|i| format!("  y{i}: {{steps: []}}\n")).collect();
    let deep = format!("{}1{}", "{steps: [".repeat(200), "]}".repeat(200));
    let odd = "{w: {steps: [{command: [x]}, {command: \"'\"}, {command: '-s'}, 5, null]}}";
    let repo = project(&[
        ("flows/a.yaml", &format!("workflows:\n  all:\n    steps:\n{steps}{others}")),
        ("flows/b.yaml", &format!("a: &a [1, 2]\nworkflows:\n  w: {{steps: *a, stack: *a}}\n  deep: {deep}\n")),
        ("flows/c.yaml", &format!("workflows: {odd}\n")),
    ]);
    repo.write("atmos.yaml", format!("{}workflows: {{base_path: flows}}\n", crate::common::ATMOS));
    let found = repo.run(&["check", "--format", "json"]).ends_with(0).json();
    assert!(found.to_string().contains("undefined-workflow"), "the steps were not looked at");
}

/// A change of so many lines next to each other, and of so many components that one file brings.
#[test]
fn a_change_of_five_thousand_lines() {
    let text = |value: &str, components: usize| {
        let keys: String = (0..5_000).map(|i| format!("        k{i}: {value}{i}\n")).collect();
        let more: String = (0..components).map(|i| format!("    c{i}:\n      vars:\n        x: {i}\n")).collect();
        format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    box:\n      vars:\n{keys}{more}")
    };
    let repo = project(&[("stacks/deploy/bad.yaml", &text("a", 0))]);
    repo.tag("base").write("stacks/deploy/bad.yaml", text("b", 1_500)).commit("head");
    for format in ["text", "markdown", "json"] {
        repo.run(&["diff", "base..HEAD", "--format", format]).ends_with(0);
    }
}

/// Lists whose items all have another place: short enough to be compared item by item, and far too long for that.
#[test]
fn lists_in_another_order() {
    for (items, moved) in [(1_500, 1_499), (MANY, 0)] {
        let text = |list: &[usize]| {
            let items: String = list.iter().map(|i| format!("          - v{i}\n")).collect();
            format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        l:\n{items}")
        };
        let list: Vec<usize> = (0..items).collect();
        let (reversed, shuffled) =
            (list.iter().rev().copied().collect(), list.iter().map(|i| i * 7_919 % items).collect());
        let repo = project(&[("stacks/deploy/bad.yaml", &text(&list))]);
        for other in [reversed, shuffled] as [Vec<usize>; 2] {
            repo.write("stacks/deploy/bad.yaml", text(&other));
            let json = repo.run(&["diff", "HEAD", "--format", "json"]).ends_with(0).json();
            let changes = json["components"][0]["changes"].as_array().unwrap();
            let halves = changes.iter().filter(|change| change["moved"].is_object()).count();
            assert!(if moved == 0 { changes.len() == 1 } else { halves == changes.len() && halves <= 2 * moved });
        }
    }
}

#[test]
fn vendor_manifests_by_the_thousand_and_with_long_templates() {
    let loops = "{{ range $i := until 1000 }}{{ range $j := until 1000 }}x{{ end }}{{ end }}";
    let source =
        |i: usize| format!("  - {{component: c{i}, source: './{loops}', targets: ['{loops}', ../../../x{i}]}}\n");
    let repo = project(&[]);
    let sources: String = (0..10_000).map(source).collect();
    let imports: String = (0..10_000).map(|i| format!("  - m/./{}../m/a\n", "x/../".repeat(i % 7))).collect();
    repo.write("vendor.yaml", format!("spec:\n  imports:\n{imports}  sources:\n{sources}"));
    repo.write("m/a.yaml", format!("spec:\n  imports:\n{imports}  sources:\n{sources}"));
    repo.commit("vendor");
    let run = repo.run(&["check", "--format", "json"]);
    run.ends_with(1).json();
}

#[test]
fn imports_that_all_say_something_else() {
    const FILES: usize = 1_500;
    let repo = project(&[]);
    let list = |from: usize| -> String { (from..FILES).map(|i| format!("  - catalog/f{i}\n")).collect() };
    for i in 0..FILES {
        repo.write(&format!("stacks/catalog/f{i}.yaml"), format!("vars: {{v: {i}, w{i}: 1, w{}: 2}}\n", i + 1));
    }
    repo.write("stacks/catalog/all.yaml", format!("import:\n{}", list(0)));
    let component = "components: {terraform: {box: {}}}";
    repo.write("stacks/deploy/all.yaml", format!("import:\n{}vars: {{stage: all}}\n{component}\n", list(0)));
    // Each of them comes with the first one, and puts something back.
    let twice = format!("import:\n  - catalog/all\n{}vars: {{stage: twice}}\n{component}\n", list(1));
    repo.write("stacks/deploy/twice.yaml", twice);
    let run = repo.run(&["check", "--pedantic", "--preview", "--format", "concise"]).ends_with(0);
    run.says("[import-order-decides]");
}

/// Each of them has a fix, for which the text around it is read again.
#[test]
fn deprecated_keys_by_the_thousand() {
    let entries: String = (0..50).map(|i| format!("          {i}: {{component: a}}\n")).collect();
    let components: String =
        (0..400).map(|i| format!("    c{i}:\n      settings:\n        depends_on:\n{entries}")).collect();
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let more =
        format!("    deep:\n      vars: {{a: {deep}}}\n      settings: {{depends_on: {{1: {{component: a}}}}}}\n");
    let text = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    a: {{}}\n{components}{more}");
    let found = is_quick(&text, 0).json();
    let fixes = found["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["fix"].is_object());
    assert_eq!(fixes.count(), 400);
}

#[test]
fn locals_of_components_by_the_thousand() {
    let locals: String = (0..3_000).map(|i| format!("        l{i}: {i}\n")).collect();
    let heirs: String = (0..300)
        .map(|i| format!("    c{i}: {{metadata: {{inherits: [base]}}, vars: {{v: '{{{{ .locals.l{i} }}}}'}}}}\n"))
        .collect();
    let base = format!("    base:\n      metadata: {{type: abstract}}\n      locals:\n{locals}");
    let calls = "(atmos.Component".repeat(20_000);
    let text = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{base}{heirs}");
    let run = is_quick(&text, 0);
    assert!(run.stdout.matches("\"unused-local\"").count() > 2_000, "{} bytes", run.stdout.len());
    is_quick(&format!("{text}# {calls}\n"), 0);
}

#[test]
fn generated_files_of_a_unit() {
    let repo = crate::common::Repo::new();
    let generate = |name: &str| {
        let text = "join(\"\", [for i in range(1000) : format(\"# %600s\\n\", i)])";
        format!(
            "generate \"{name}\" {{\n  path = \"{name}.tf\"\n  if_exists = \"overwrite\"\n  contents = {text}\n}}\n"
        )
    };
    repo.write("u/main.tf", "resource \"a_b\" \"c\" {}\n").write("u/terragrunt.hcl", generate("first"));
    repo.run(&["check"]).ends_with(0);
    repo.write("u/terragrunt.hcl", generate("first") + &generate("second"));
    let said = repo.run(&["check", "--format", "concise"]).ends_with(1).says("limit-exceeded");
    said.says("what is in `second.tf` and all files after it is not known");
}

#[test]
fn units_of_a_stack_by_the_thousand() {
    let repo = crate::common::Repo::new();
    repo.write("u/terragrunt.hcl", "inputs = { a = 1 }\n");
    let unit = |i: usize| format!("unit \"u{i}\" {{\n  source = \"./u\"\n  path = \"u{i}\"\n}}\n");
    repo.write("terragrunt.stack.hcl", (0..18_000).map(unit).collect::<String>());
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn findings_by_the_thousand_in_one_long_line() {
    let repo = crate::common::Repo::new();
    repo.write("main.tf", "terraform {\n  backend \"local\" {}\n}\n");
    let all: Vec<String> = (0..4_000).map(|i| format!("\"r{i}\":{{\"v\":\"${{var.none{i}}}\"}}")).collect();
    repo.write("x.tf.json", format!("{{\"resource\":{{\"a_b\":{{{}}}}}}}", all.join(",")));
    repo.run(&["report"]).ends_with(1);
    assert!(std::fs::metadata(repo.root().join("report.html")).unwrap().len() < 20 << 20);
}
