//! Garden projects that would never end: templates that render themselves, products, loops and variables that read themselves.
//! Each ends with a finding at its line, takes down what Garden could not load either, and nothing else.

use crate::common::{Repo, Run};

const PROJECT: &str = "\
apiVersion: garden.io/v2
kind: Project
name: shop
environments: [{name: dev}]
providers: [{name: exec}]
";

const ACTION: &str = "kind: Run\nname: one\ntype: exec\nspec: {command: [echo]}\n";

/// A committed project with further lines in its file, and a file with configs beside it.
fn project(more: &str, configs: &str) -> Repo {
    let repo = Repo::new();
    repo.write("project.garden.yml", format!("{PROJECT}{more}")).write("one/garden.yml", ACTION);
    repo.write("bad/garden.yml", configs).commit("base");
    repo
}

/// `check` ends with an error of a rule at a place, whose text has these words.
#[track_caller]
fn is_found(repo: &Repo, (rule, place): (&str, &str), words: &[&str]) -> Run {
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    let is_it = |line: &str| {
        let is_there = line.starts_with(place) && line.contains("error") && line.contains(rule);
        is_there && words.iter().all(|word| line.contains(word))
    };
    assert!(run.stdout.lines().any(is_it), "{rule} at {place} with {words:?}\n{run}");
    assert!(!run.stderr.contains("panicked") && !run.stdout.contains("defect"), "{run}");
    run
}

/// Sets a limit of the project.
fn limited<'a>(repo: &'a Repo, limit: &str, value: u64) -> &'a Repo {
    repo.write("stacklint.toml", format!("[limits]\n{limit} = {value}\n"))
}

/// A template of a name that renders a template of another one, and what starts it.
fn renders(name: &str, other: &str) -> String {
    format!(
        "kind: ConfigTemplate\nname: {name}\nconfigs:\n  - kind: RenderTemplate\n    name: ${{parent.name}}-x\n    \
         template: {other}\n"
    )
}

fn a_template_that_renders_itself(_: &str, templates: String) {
    let repo = project("", &format!("{templates}---\nkind: RenderTemplate\nname: start\ntemplate: a\n"));
    let run = is_found(&repo, ("invalid-config", "bad/garden.yml:4:"), &["does not hold configs", "RenderTemplate"]);
    // No environment counts as resolved, and none as removed.
    repo.run(&["describe", "stacks", "--format", "json"]).hides("start-x");
    repo.tag("bad").remove("bad/garden.yml").commit("good");
    repo.run(&["check"]).ends_with(0);
    let json = repo.run(&["diff", "HEAD..bad", "--format", "json"]).ends_with(1).json();
    assert_eq!(json["coverage"]["projects"][0]["head"]["unresolved"][0]["stack"], "dev", "{run}");
    assert_eq!(json["components"], serde_json::json!([]), "{run}");
}

cases! {
    a_template_that_renders_itself:
    templates_that_render_themselves => renders("a", "a");
    templates_that_render_each_other => format!("{}---\n{}", renders("a", "b"), renders("b", "a"));
}

/// Garden renders the templated modules in files, but not those that come from a template.
#[test]
fn modules_of_a_template_render_nothing() {
    let configs = "kind: ConfigTemplate\nname: a\nmodules:\n  - type: templated\n    name: ${parent.name}-x\n    template: a\n\
                   ---\nkind: Module\ntype: templated\nname: start\ntemplate: a\n";
    let repo = project("", configs);
    repo.run(&["check"]).ends_with(0);
    repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).hides("start-x");
}

/// A matrix with so many keys of ten values each.
fn matrix(keys: usize) -> String {
    let one = |i: usize| format!("  k{i}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
    let name: String = (0..keys).map(|i| format!("-${{inputs.k{i}}}")).collect();
    let inputs: String = (0..keys).map(|i| format!("  k{i}: {{type: number}}\n")).collect();
    let keys: String = (0..keys).map(one).collect();
    format!(
        "kind: ConfigTemplate\nname: job\ninputs:\n{inputs}configs:\n  - kind: Run\n    type: exec\n    name: job{name}\n    \
         spec: {{command: [x]}}\n---\nkind: RenderTemplate\nname: all\ntemplate: job\nmatrix:\n{keys}"
    )
}

#[test]
fn a_matrix_with_more_combinations_than_there_are_atoms() {
    let repo = project("", &matrix(90));
    is_found(&repo, ("limit-exceeded", "bad/garden.yml:"), &["more than 10000 combinations"]);
    // A hundred are rendered, each once.
    let repo = project("", &matrix(2));
    repo.run(&["check"]).ends_with(0);
    let json = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
    assert_eq!(json["dev"]["components"]["run"].as_object().unwrap().len(), 101);
}

/// An action whose command is made by a template.
fn command(text: &str) -> String {
    format!("kind: Run\nname: two\ntype: exec\nspec:\n  command:\n    {text}\n")
}

/// A command with one word for each number up to the last one.
fn each_up_to(last: &str) -> String {
    command(&format!("{{$forEach: '${{range(1, {last})}}', $return: 'n${{item.value}}'}}"))
}

fn a_loop_without_end(_: &str, action: String) {
    is_found(&project("", &action), ("limit-exceeded", "bad/garden.yml:6:"), &["template-steps"]);
}

cases! {
    a_loop_without_end:
    a_loop_to_1e15 => each_up_to("1e15");
    a_loop_to_1e308 => each_up_to("1e308");
    a_loop_beyond_exact_integers => each_up_to("900719925474099100000");
    a_loop_in_a_loop => command("{$forEach: '${range(1, 3000)}', $return: {$concat: {$forEach: '${range(1, 3000)}', $return: x}}}");
}

/// Everything within the limit is created, and nothing beyond it.
#[test]
fn a_loop_at_the_limit() {
    let repo = project("", &each_up_to("100"));
    limited(&repo, "template-steps", 20_000).run(&["check"]).ends_with(0);
    is_found(limited(&repo, "template-steps", 2_000), ("limit-exceeded", "bad/garden.yml:6:"), &["template-steps"]);
}

#[test]
fn an_action_with_too_many_values() {
    let words = "'${split(join(range(1, 300), \" \"), \" \")}'";
    let repo = project("", &command(words).replace("\n    ", " "));
    limited(&repo, "component-values", 1_000).run(&["check"]).ends_with(0);
    is_found(
        limited(&repo, "component-values", 200),
        ("limit-exceeded", "bad/garden.yml:"),
        &["run.two", "component-values"],
    );
    repo.run(&["describe", "component", "one", "-s", "dev", "--type", "run"]).ends_with(0).says("echo");
}

/// Variables of which each is twice the one before it; `limit` replaces the default number of steps.
fn doubling(_: &str, (value, limit): (fn(usize) -> String, Option<u64>)) {
    let variables = |count: usize| {
        let lines: String = (0..count).map(|i| format!("  a{}: {}\n", i + 1, value(i))).collect();
        project(&format!("variables:\n  a0: [x, y]\n{lines}"), &ACTION.replace("one", "two"))
    };
    variables(5).run(&["check"]).ends_with(0);
    let repo = variables(60);
    limit.inspect(|limit| _ = limited(&repo, "template-steps", *limit));
    is_found(&repo, ("limit-exceeded", "project.garden.yml:"), &["template-steps"]);
}

cases! {
    doubling:
    texts_that_double => (|i| format!("'${{string(var.a{i})}}${{string(var.a{i})}}'"), None);
    lists_that_double => (|i| format!("'${{concat(var.a{i}, var.a{i})}}'"), Some(200_000));
    trees_that_double => (|i| format!("['${{var.a{i}}}', '${{var.a{i}}}']"), Some(200_000));
}

/// Variables that hold each other twice, and many actions that read the last of them: as values of their own they take
/// gigabytes, and walking each of them takes minutes.
#[test]
fn trees_that_double_for_many_actions() {
    let variables: String = (0..14).map(|i| format!("  a{}: ['${{var.a{i}}}', '${{var.a{i}}}']\n", i + 1)).collect();
    let action = |name: &str, value: &str| {
        format!("---\nkind: Run\nname: {name}\ntype: exec\nvariables: {{q: {value}}}\nspec: {{command: [x]}}\n")
    };
    let large = |count: usize| (0..count).map(|i| action(&format!("large{i}"), "'${var.a14}'")).collect::<String>();
    let some = project(&format!("variables:\n  a0: [x, y]\n{variables}"), &large(20)[4..]);
    some.write("stacklint.toml", "[limits]\nmemory = 512\n").run(&["check"]).ends_with(0);
    let many = project(&format!("variables:\n  a0: [x, y]\n{variables}"), &large(200)[4..]);
    limited(&many, "template-steps", 2_000_000);
    is_found(
        &many,
        ("limit-exceeded", "project.garden.yml:"),
        &["too many after those of all others", "template-steps"],
    );
    many.run(&["describe", "component", "large3", "-s", "dev", "--type", "run", "--format", "json"])
        .ends_with(0)
        .says("x");
    many.run(&["describe", "component", "one", "-s", "dev", "--type", "run"]).ends_with(0).says("echo");
}

/// The variables of an action lie over those of the project, which are the same values.
#[test]
fn lists_in_lists_that_two_layers_have() {
    let variables: String = (0..600).map(|i| format!("  a{}: ['${{var.a{i}}}']\n", i + 1)).collect();
    let action = "kind: Run\nname: two\ntype: exec\nspec: {command: ['${jsonEncode(var.a600)}']}\n";
    let repo = project(&format!("variables:\n  a0: [x]\n{variables}"), action);
    repo.write("stacklint.toml", "[limits]\nmemory = 512\n");
    is_found(
        &repo,
        ("limit-exceeded", "project.garden.yml:"),
        &["values read each other through more than 400 levels"],
    );
}

fn reads_itself(_: &str, variables: &str) {
    let repo = project(&format!("variables: {variables}\n"), &ACTION.replace("one", "two"));
    is_found(&repo, ("reference-cycle", "project.garden.yml:6:"), &["`a` reads itself"]);
}

cases! {
    reads_itself:
    a_variable_that_reads_itself => "{a: '${var.a}'}";
    three_variables_in_a_circle => "{a: '${var.b}', b: '${var.c}', c: 'x${var.a}'}";
    a_variable_that_merges_itself => "{a: {$merge: '${var.a}'}}";
}

/// Actions that read each other.
fn is_a_cycle(_: &str, (configs, rule, line): (String, &str, &str)) {
    is_found(&project("", &configs), (rule, line), &[]);
}

/// Two actions, each with a variable that reads that of the other.
fn two_that_read_each_other() -> String {
    let one = |name: &str, other: &str| {
        format!(
            "kind: Run\nname: {name}\ntype: exec\nvariables: {{x: '${{actions.run.{other}.var.x}}'}}\nspec: {{command: [x]}}\n"
        )
    };
    format!("{}---\n{}", one("two", "three"), one("three", "two"))
}

cases! {
    is_a_cycle:
    variables_of_an_action => (format!("{}variables: {{a: '${{var.b}}', b: '${{var.a}}'}}\n", command("['${var.a}']")), "undefined-reference", "bad/garden.yml:7:");
    an_action_that_reads_itself => (command("['${actions.run.two.var.x || actions.run.two.name}']"), "dependency-cycle", "bad/garden.yml:");
    actions_that_read_each_other => (two_that_read_each_other(), "dependency-cycle", "bad/garden.yml:");
    variables_of_actions_that_read_each_other => (two_that_read_each_other(), "undefined-reference", "bad/garden.yml:4:");
    an_input_that_reads_itself => (
        "kind: ConfigTemplate\nname: t\ninputs: {x: {type: string}}\nconfigs: [{kind: Run, type: exec, name: two, spec: {command: ['${inputs.x}']}}]\n---\nkind: RenderTemplate\nname: r\ntemplate: t\ninputs: {x: '${inputs.x}'}\n".to_owned(),
        "undefined-reference",
        "bad/garden.yml:9:",
    );
}

#[test]
fn a_chain_of_variables_that_is_too_long_for_the_stack() {
    let chain = |length: usize| {
        let links: String = (0..length).map(|i| format!("  a{i}: 'x${{var.a{}}}'\n", i + 1)).collect();
        format!("variables:\n{links}  a{length}: end\n")
    };
    let own = ACTION.replace("one", "two");
    project(&chain(20), &own).run(&["check"]).ends_with(0);
    is_found(&project(&chain(50_000), &own), ("", "project.garden.yml:"), &["levels"]);
}
