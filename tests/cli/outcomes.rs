//! Exit codes and filters.

use crate::common::Repo;

const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}, bag: {vars: {size: 1}}}}\n";

/// `clean` → `change` (an effective change) → `comment` (none) → `broken` (a finding) → `worse` (a second one).
fn repo() -> Repo {
    let repo = Repo::atmos();
    let commit = |name: &str| {
        repo.commit(name);
        repo.tag(name);
    };
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/deploy/qa.yaml", DEV.replace("dev", "qa"));
    commit("clean");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2"));
    commit("change");
    repo.write("stacks/deploy/dev.yaml", format!("# a word\n{}", DEV.replace("size: 1", "size: 2")));
    commit("comment");
    repo.write("stacks/deploy/bad.yaml", "import: [catalog/gone]\nvars: {stage: bad}\n");
    commit("broken");
    repo.write("stacks/deploy/worse.yaml", "import: [catalog/lost]\nvars: {stage: worse}\n");
    commit("worse");
    repo
}

#[test]
fn exit_codes() {
    let repo = repo();
    let cases: &[(i32, &[&str])] = &[
        (0, &["diff", "clean..change"]),
        (3, &["diff", "clean..change", "--exit-code"]),
        (3, &["diff", "clean..change", "--exit-code", "--format", "json"]),
        (0, &["diff", "change..comment", "--exit-code"]),
        (0, &["diff", "clean..change", "--exit-code", "--stack", "qa"]),
        (3, &["diff", "clean..change", "--exit-code", "--stack", "d*"]),
        (1, &["diff", "comment..broken"]),
        (1, &["diff", "comment..broken", "--exit-code"]),
        (1, &["diff", "clean..broken", "--exit-code"]),
        (1, &["diff", "comment..broken", "--format", "json"]),
        (0, &["diff", "comment..broken", "--fail-on", "never"]),
        (1, &["diff", "comment..broken", "--fail-on", "note"]),
        (3, &["diff", "clean..broken", "--fail-on", "never", "--exit-code"]),
        // Only what is new counts.
        (0, &["diff", "broken..broken"]),
        (1, &["diff", "broken..worse"]),
        (0, &["diff", "worse..broken"]),
        (0, &["check", "--rev", "clean"]),
        (1, &["check"]),
        (1, &["check", "--format", "json"]),
        (0, &["check", "--fail-on", "never"]),
        (0, &["describe", "stacks", "--rev", "clean"]),
        (1, &["describe", "stacks"]),
        (2, &["diff", "nothing..here"]),
        (2, &["check", "--rev", "nothing"]),
        (2, &["describe", "component", "box", "-s", "nowhere", "--rev", "clean"]),
        (2, &["describe", "component", "bix", "-s", "dev", "--rev", "clean"]),
        (2, &["diff", "--stack", "[", "clean..change"]),
        (2, &["unheard-of"]),
        (2, &["diff", "--format", "tea"]),
        (2, &["check", "--fail-on", "tuesday"]),
        (0, &["--help"]),
        (0, &["--version"]),
    ];
    for (status, arguments) in cases {
        let run = repo.run(arguments);
        assert_eq!(run.status, *status, "{arguments:?}\n{run}");
        if *status == 2 {
            assert_eq!(run.stdout, "", "{arguments:?}");
            assert_ne!(run.stderr, "", "{arguments:?}");
        }
    }
}

#[test]
fn findings_are_new_known_or_fixed() {
    let repo = repo();
    let status = |range: &str| -> Vec<(String, String)> {
        let json = repo.run(&["diff", range, "--format", "json"]).json();
        let text = |v: &serde_json::Value| v.as_str().unwrap().to_owned();
        json["diagnostics"].as_array().unwrap().iter().map(|d| (text(&d["file"]), text(&d["status"]))).collect()
    };
    let pair = |name: &str, status: &str| (format!("stacks/deploy/{name}.yaml"), status.to_owned());
    assert_eq!(status("comment..broken"), [pair("bad", "new")]);
    assert_eq!(status("broken..worse"), [pair("bad", "known"), pair("worse", "new")]);
    assert_eq!(status("worse..broken"), [pair("bad", "known"), pair("worse", "removed")]);
    repo.edit("stacks/deploy/bad.yaml", "stage: bad", "stage: badly").commit("known");
    assert_eq!(status("worse..HEAD"), [pair("bad", "known"), pair("worse", "known")]);
    assert_eq!(status("broken..HEAD"), [pair("bad", "known"), pair("worse", "new")]);
}

#[test]
fn timings_name_the_phases() {
    let repo = repo();
    repo.run(&["diff", "clean..change", "--timings"]).ends_with(0).complains("resolve ").complains("\nall ");
    repo.run(&["check", "--rev", "clean", "--timings"]).ends_with(0).complains("rules ");
    assert_eq!(repo.run(&["check", "--rev", "clean"]).ends_with(0).stderr, "");
}

#[test]
fn a_known_finding_that_moved_stays_known() {
    let repo = repo();
    repo.edit("stacks/deploy/bad.yaml", "import:", "\n\n# further down\nimport:").commit("moved");
    repo.run(&["diff", "worse..HEAD"]).ends_with(0);
}

#[test]
fn filters_choose_stacks_and_components() {
    let repo = repo();
    let components = |filter: &[&str]| -> Vec<String> {
        let json = repo.run(&[&["diff", "clean..change", "--format", "json"], filter].concat()).ends_with(0).json();
        let list = json["components"].as_array().unwrap();
        list.iter().map(|c| format!("{}/{}", c["stack"].as_str().unwrap(), c["component"].as_str().unwrap())).collect()
    };
    assert_eq!(components(&[]), ["dev/bag", "dev/box"]);
    assert_eq!(components(&["--stack", "dev"]), ["dev/bag", "dev/box"]);
    assert_eq!(components(&["--stack", "qa"]), [""; 0]);
    assert_eq!(components(&["-s", "*", "--component", "bo*"]), ["dev/box"]);
    assert_eq!(components(&["--component", "{box,bag}"]), ["dev/bag", "dev/box"]);

    let described = |filter: &[&str]| {
        let arguments = ["describe", "stacks", "--format", "json", "--rev", "clean"];
        repo.run(&[&arguments, filter].concat()).ends_with(0).json()
    };
    let json = described(&["--stack", "q?", "--component", "box"]);
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["qa"]);
    assert_eq!(json["qa"]["components"]["terraform"].as_object().unwrap().keys().collect::<Vec<_>>(), ["box"]);
    repo.run(&["describe", "stacks", "--rev", "clean", "--stack", "none"])
        .ends_with(2)
        .complains("there are `dev`, `qa`");
}

#[test]
fn describe_suggests_names() {
    let repo = repo();
    let describe = |name: &str, stack: &str| {
        repo.run(&["describe", "component", name, "-s", stack, "--rev", "clean"]).ends_with(2)
    };
    describe("bx", "dev").complains("stack `dev` has no component `bx`").complains("did you mean `box`?");
    describe("box", "dve").complains("there is no stack `dve`").complains("did you mean `dev`?");
}

#[test]
fn an_error_that_reaches_one_more_root_module_is_new() {
    let repo = Repo::new();
    let root = "terraform {\n  backend \"local\" {}\n}\n";
    let calling = format!("{root}module \"m\" {{\n  source = \"../../m\"\n}}\n");
    repo.write("m/main.tf", "output \"o\" {\n  value = local.nope\n}\n").write("live/old/main.tf", calling.as_str());
    repo.write("live/prod/main.tf", root).commit("base");
    repo.write("live/old/main.tf", format!("{calling}# why\n")).commit("comment");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0);
    repo.write("live/prod/main.tf", calling.as_str()).commit("call");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1).says("undefined-local");
}
