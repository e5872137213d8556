//! Values that come from other components and from locked versions.

use crate::common::Repo;
use serde_json::Value;

const VPC: &str = "components:\n  terraform:\n    vpc:\n      vars:\n        cidr: 10.0.0.0/16\n      settings:\n        team: core\n";
const CONFIG: &str = "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_template: '{{ .vars.stage }}'}\n\
    components: {terraform: {base_path: components/terraform}}\n\
    templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}}\n";

fn stack(stage: &str, components: &str) -> String {
    format!("vars:\n  stage: {stage}\ncomponents:\n  terraform:\n{components}")
}

fn unit(text: &str) -> String {
    format!("    unit:\n      vars:\n        a: '{text}'\n")
}

fn project(files: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.write("atmos.yaml", CONFIG);
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("base");
    repo.tag("base");
    repo
}

fn variable(repo: &Repo, stack: &str, component: &str) -> Value {
    let stacks = repo.run(&["describe", "stacks", "--format", "json"]).json();
    stacks[stack]["components"]["terraform"][component]["vars"]["a"].clone()
}

/// `stack/component path: file:line …` of each change.
fn changes(repo: &Repo) -> Vec<String> {
    repo.commit("head");
    let diff = repo.run(&["diff", "base..HEAD", "--format", "json"]).json();
    let mut out = Vec::new();
    for component in diff["components"].as_array().unwrap() {
        for change in component["changes"].as_array().unwrap() {
            let place = |c: &Value| format!("{}:{}", c["file"].as_str().unwrap(), c["line"]);
            let mut causes: Vec<String> = change["causes"].as_array().unwrap().iter().map(place).collect();
            causes.dedup();
            let (stack, name) = (component["stack"].as_str().unwrap(), component["component"].as_str().unwrap());
            out.push(format!("{stack}/{name} {}: {}", change["path"].as_str().unwrap(), causes.join(" ")));
        }
    }
    out
}

#[test]
fn a_change_elsewhere_is_a_change_of_who_asks() {
    let dev = stack("dev", &unit(r#"{{ (atmos.Component "vpc" (printf "%s" "prod")).vars.cidr }}"#));
    let prod = format!("import: [catalog/vpc]\n{}", stack("prod", "    other: {}\n"));
    let more: Vec<(String, String)> =
        (0..30).map(|n| (format!("stacks/deploy/s{n}.yaml"), stack(&format!("s{n}"), "    x: {}\n"))).collect();
    let mut files =
        vec![("stacks/catalog/vpc.yaml", VPC), ("stacks/deploy/dev.yaml", &*dev), ("stacks/deploy/prod.yaml", &*prod)];
    files.extend(more.iter().map(|(path, text)| (&**path, &**text)));
    let repo = project(&files);
    assert_eq!(variable(&repo, "dev", "unit"), "10.0.0.0/16");
    repo.edit("stacks/catalog/vpc.yaml", "10.0.0.0/16", "10.1.0.0/16");
    let place = "stacks/catalog/vpc.yaml:5";
    assert_eq!(changes(&repo), [format!("dev/unit /vars/a: {place}"), format!("prod/vpc /vars/cidr: {place}")]);
}

#[test]
fn chains_are_followed_and_cycles_are_reported() {
    let chain = format!(
        "{}    mid:\n      vars:\n        a: '{{{{ (atmos.Component \"low\" .stack).vars.a }}}}-mid'\n    low: {{vars: {{a: low}}}}\n",
        unit(r#"x{{ (atmos.Component "mid" .stack).vars.a }}"#)
    );
    let repo = project(&[("stacks/deploy/dev.yaml", &stack("dev", &chain))]);
    assert_eq!(variable(&repo, "dev", "unit"), "xlow-mid");
    let cycle = format!(
        "{}    mid:\n      vars:\n        a: '{{{{ (atmos.Component \"unit\" .stack).vars.a }}}}'\n    low: {{vars: {{a: low}}}}\n",
        unit(r#"x{{ (atmos.Component "mid" .stack).vars.a }}"#)
    );
    let repo = project(&[("stacks/deploy/dev.yaml", &stack("dev", &cycle))]);
    repo.run(&["check"]).ends_with(1).says("the components read one another in a cycle: unit → mid → unit");
}

#[test]
fn outputs_are_known_where_the_remote_state_is_static() {
    let components = "    vpc:\n      remote_state_backend_type: static\n      remote_state_backend: {static: {id: vpc-1}}\n    net: {}\n";
    let text = |component: &str| {
        stack(
            "dev",
            &format!("{components}{}", unit(&format!("{{{{ (atmos.Component \"{component}\" .stack).outputs.id }}}}"))),
        )
    };
    let repo = project(&[("stacks/deploy/dev.yaml", &text("vpc"))]);
    assert_eq!(variable(&repo, "dev", "unit"), "vpc-1");
    repo.edit("stacks/deploy/dev.yaml", "id: vpc-1", "id: vpc-2");
    assert!(changes(&repo).contains(&"dev/unit /vars/a: stacks/deploy/dev.yaml:7".to_owned()));
    let repo = project(&[("stacks/deploy/dev.yaml", &text("net"))]);
    assert_eq!(variable(&repo, "dev", "unit"), "{{ (atmos.Component \"net\" .stack).outputs.id }}");
}

#[test]
fn what_is_requested_and_not_there_is_reported() {
    let repo = project(&[(
        "stacks/deploy/dev.yaml",
        &stack("dev", &unit(r#"{{ (atmos.Component "vpc" .stack).vars.cidr }}"#)),
    )]);
    repo.run(&["check"]).ends_with(1).says("undefined-component-reference").says("`vpc`");
}

#[test]
fn a_text_that_doubles_from_component_to_component_ends() {
    let mut components = "    c0: {vars: {a: 0123456789abcdef}}\n".to_owned();
    for n in 1..80 {
        let text = format!("{{{{ (atmos.Component \"c{}\" .stack).vars.a }}}}", n - 1);
        components += &format!("    c{n}:\n      vars:\n        a: '{text}{text}'\n");
    }
    let repo = project(&[("stacks/deploy/dev.yaml", &stack("dev", &components))]);
    let run = repo.run(&["describe", "component", "c79", "-s", "dev", "--format", "json"]);
    assert!(run.stdout.len() < 1 << 20, "{}", run.stdout.len());
}

#[test]
fn how_long_a_chain_may_be_depends_on_no_order() {
    let mut components = "    c00: {vars: {a: end}}\n".to_owned();
    for n in 1..90 {
        let text = format!("{{{{ (atmos.Component \"c{:02}\" .stack).vars.a }}}}", n - 1);
        components += &format!("    c{n:02}:\n      vars:\n        a: '{text}'\n");
    }
    let repo = project(&[("stacks/deploy/dev.yaml", &stack("dev", &components))]);
    let known = |threads: &str| {
        let run = repo.run_with(&["describe", "stacks", "--format", "json"], &[("RAYON_NUM_THREADS", threads)]);
        let all = run.json()["dev"]["components"]["terraform"].clone();
        (0..90).filter(|n| all[&format!("c{n:02}")]["vars"]["a"] == "end").count()
    };
    assert_eq!([known("1"), known("4")], [65, 65]);
}

#[test]
fn locked_versions() {
    let lock = "version: 1\ntracks:\n  default:\n    nginx: {version: 1.29.0}\n    tool: {version: 2, digest: abc}\n  prod:\n    nginx: {version: 1.28.0}\n";
    let text = "{{ .version.nginx }} {{ .version.tool.Digest }} {{ len .version }} {{ .version.none }}";
    let repo = project(&[("versions.lock.yaml", lock), ("stacks/deploy/dev.yaml", &stack("dev", &unit(text)))]);
    assert_eq!(variable(&repo, "dev", "unit"), "1.29.0 abc 2 <no value>");
    repo.edit("versions.lock.yaml", "1.29.0", "1.30.0");
    assert_eq!(changes(&repo), ["dev/unit /vars/a: versions.lock.yaml:4"]);
    repo.edit("atmos.yaml", "base_path: .\n", "base_path: .\nversion:\n  track: prod\n");
    assert_eq!(variable(&repo, "dev", "unit"), "1.28.0 <no value> 1 <no value>");
}

#[test]
fn a_lock_file_that_is_no_yaml_is_reported_where_versions_are_used() {
    let files = |text: &str| {
        [("versions.lock.yaml", "tracks: [".to_owned()), ("stacks/deploy/dev.yaml", stack("dev", &unit(text)))]
    };
    for (text, status) in [("{{ .version.nginx }}", 1), ("plain", 0)] {
        let files = files(text);
        let repo = project(&files.each_ref().map(|(path, text)| (*path, &**text)));
        let run = repo.run(&["check"]).ends_with(status);
        assert_eq!(run.stdout.contains("versions.lock.yaml"), status == 1, "{}", run.stdout);
    }
}

#[test]
fn keys_lose_their_quotes_where_a_file_is_written_and_read_again() {
    let repo = project(&[(
        "stacks/deploy/dev.yaml",
        "vars: {stage: dev}\ncomponents: {terraform: {unit: {vars: {a: {\"q.r\": 1}}}}}\n",
    )]);
    repo.write("atmos.yaml", format!("{CONFIG}settings: {{yaml: {{key_delimiter: .}}}}\n"));
    assert_eq!(variable(&repo, "dev", "unit"), serde_json::json!({"q.r": 1}));
    repo.edit("stacks/deploy/dev.yaml", "vars: {stage", "locals: {x: 1}\nvars: {stage");
    assert_eq!(variable(&repo, "dev", "unit"), serde_json::json!({"q": {"r": 1}}));
}

#[test]
fn a_name_template_that_is_invalid_is_reported_where_it_stands() {
    let named = format!("name: named\n{}", stack("prod", "    a: {}\n    b: {}\n"));
    let repo = project(&[
        ("stacks/deploy/dev.yaml", &stack("dev", "    a: {}\n    b: {}\n")),
        ("stacks/deploy/test.yaml", &stack("test", "    a: {}\n")),
        ("stacks/deploy/prod.yaml", &named),
    ]);
    let column = |text: &str| {
        let line = CONFIG.lines().nth(1).expect("the line of the template").replace("{{ .vars.stage }}", text);
        line.find(text).expect("the template") + 1
    };
    for (template, at, what) in [
        ("{{ .vars.stage", 14, "unclosed action"),
        ("{{ .vars.stage | nothing }}", 17, "not defined"),
        ("é{{ | }}", 4, "unexpected"),
    ] {
        repo.write("atmos.yaml", CONFIG.replace("{{ .vars.stage }}", template));
        let place = format!("atmos.yaml:2:{}", column(template) + at);
        let run = repo.run(&["check", "--format", "concise"]).ends_with(1).says(&place).says(what);
        assert_eq!(run.stdout.matches("name_template").count(), 1, "{}", run.stdout);
    }
    let run = repo.run_with(&["check", "--format", "concise"], &[("ATMOS_STACKS_NAME_TEMPLATE", "{{ .x")]).ends_with(1);
    assert_eq!(run.stdout.matches("atmos.yaml:1:1: error[stack-name-unresolved]").count(), 1, "{}", run.stdout);
}
