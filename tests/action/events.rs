//! The revisions that each event compares, and the results of the job.

use crate::common::{ATMOS, Repo};
use crate::runner::{Job, Runner};
use serde_json::{Value, json};

const STACK: &str = "stacks/deploy/dev.yaml";
const ZEROS: &str = "0000000000000000000000000000000000000000";

fn stack(cidr: &str) -> String {
    format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{vpc: {{vars: {{cidr: {cidr}}}}}}}}}\n")
}

/// A server with `main` (two commits) and `topic`, which changes the network, and the merge of both for pull request 1.
struct Server {
    runner: Runner,
    main: String,
    topic: String,
    merge: String,
}

fn server_with(change: impl FnOnce(&Repo)) -> Server {
    let origin = Repo::new();
    origin.write("atmos.yaml", ATMOS).write(STACK, stack("10.0.0.0/16")).commit("first");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    change(&origin);
    let topic = origin.commit("change");
    origin.git(&["checkout", "--quiet", "main"]);
    let main = origin.write("README.md", "more\n").commit("second");
    origin.git(&["checkout", "--quiet", "--detach"]);
    origin.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "topic"]);
    origin.git(&["update-ref", "refs/pull/1/merge", "HEAD"]);
    let merge = origin.git(&["rev-parse", "HEAD"]).trim().to_owned();
    origin.git(&["checkout", "--quiet", "main"]);
    Server { runner: Runner::new(origin), main, topic, merge }
}

fn server() -> Server {
    server_with(|origin| {
        origin.write(STACK, stack("10.1.0.0/16"));
    })
}

impl Server {
    fn pull_request(&self) -> Value {
        let side = |sha: &str| json!({"sha": sha});
        let pull = json!({"number": 1, "base": side(&self.main), "head": side(&self.topic)});
        json!({"pull_request": pull, "repository": {"default_branch": "main"}})
    }

    /// The commit before the last one of `main`, where `topic` began.
    fn first(&self) -> String {
        self.runner.origin.git(&["rev-parse", "main~1"]).trim().to_owned()
    }
}

#[track_caller]
fn changes_the_network(job: Job, base: &str, head: &str) -> Job {
    let job = job.ends_with(0).sets(&[
        ("conclusion", "success"),
        ("headline", "1 change reaches 1 component in 1 stack"),
        ("changed", "true"),
        ("components", "1"),
        ("findings", "0"),
        ("base", base),
        ("head", head),
        ("stacks", "[\"dev\"]"),
        (
            "matrix",
            "{\"include\":[{\"stack\":\"dev\",\"component\":\"vpc\",\"component_path\":\"components/terraform/vpc\",\"component_type\":\"terraform\"}]}",
        ),
    ]);
    assert!(job.summary.contains("10.1.0.0/16"), "{job:#?}");
    assert!(job.file("comment-file").starts_with("<!-- stacklint: -->\n"), "{job:#?}");
    let report: Value = serde_json::from_str(&job.file("report-file")).unwrap();
    assert_eq!(report["components"][0]["component"], "vpc");
    let sarif: Value = serde_json::from_str(&job.file("sarif-file")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let affected: Value = serde_json::from_str(&job.file("affected-file")).unwrap();
    assert_eq!(affected[0]["affected"], "stack.vars");
    let page = job.file("page-file");
    assert!(page.starts_with("<!doctype html>") && page.contains("10.1.0.0/16"), "{page}");
    job
}

#[test]
fn a_pull_request_is_compared_with_the_first_parent_of_its_merge() {
    let server = server();
    // actions/checkout fetches only one commit by default.
    server.runner.checkout(&server.merge, 1);
    let job = server.runner.run_on("refs/pull/1/merge", "pull_request", &server.pull_request(), &[]);
    changes_the_network(job, &server.main, &server.merge);
}

#[test]
fn a_pull_request_whose_head_is_checked_out_is_compared_with_the_merge_base() {
    let server = server();
    server.runner.checkout(&server.topic, 1);
    let job = server.runner.run("pull_request", &server.pull_request(), &[]);
    changes_the_network(job, &server.first(), &server.topic);
}

#[test]
fn a_pull_request_target_looks_at_the_head_though_the_base_is_checked_out() {
    let server = server();
    server.runner.checkout(&server.main, 1);
    let job = server.runner.run_on("refs/heads/main", "pull_request_target", &server.pull_request(), &[]);
    changes_the_network(job, &server.first(), &server.topic);
}

#[test]
fn a_push_is_compared_with_what_was_there_before() {
    let server = server();
    server.runner.checkout(&server.merge, 1);
    let job = server.runner.run("push", &json!({"before": server.main, "after": server.merge}), &[]);
    changes_the_network(job, &server.main, &server.merge);
}

#[test]
fn the_first_push_of_a_branch_is_compared_from_where_it_left_the_default_branch() {
    let server = server();
    server.runner.checkout(&server.topic, 1);
    let first = json!({"before": ZEROS, "after": server.topic, "repository": {"default_branch": "main"}});
    changes_the_network(server.runner.run("push", &first, &[]), &server.first(), &server.topic);
}

#[test]
fn the_first_push_of_all_has_nothing_to_be_compared_with() {
    let server = server();
    server.runner.checkout(&server.main, 1);
    let first = json!({"before": ZEROS, "after": server.main, "repository": {"default_branch": "main"}});
    let job = server.runner.run_on("refs/heads/main", "push", &first, &[]).ends_with(0).says("nothing to compare with");
    job.sets(&[("changed", "false"), ("matrix", "{\"include\":[]}"), ("base", ""), ("conclusion", "success")]);
}

#[test]
fn a_branch_that_is_gone_is_no_failure() {
    let server = server();
    server.runner.checkout(&server.main, 1);
    let gone = json!({"before": server.topic, "after": ZEROS, "deleted": true});
    server.runner.run("push", &gone, &[]).ends_with(0).sets(&[("changed", "false"), ("conclusion", "success")]);
}

/// A server whose pull request removes what hides a default, while the target changes that default.
fn server_with_hidden_default() -> Server {
    let catalog = |size: u32| format!("components: {{terraform: {{vpc: {{vars: {{size: {size}}}}}}}}}\n");
    let dev = "import: [catalog/vpc]\nvars: {stage: dev}\n";
    let origin = Repo::new();
    origin.write("atmos.yaml", ATMOS).write("stacks/catalog/vpc.yaml", catalog(1));
    origin.write(STACK, format!("{dev}{}", catalog(5))).commit("first");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    let topic = origin.write(STACK, dev).commit("the default");
    origin.git(&["checkout", "--quiet", "main"]);
    let main = origin.write("stacks/catalog/vpc.yaml", catalog(2)).commit("another default");
    origin.git(&["checkout", "--quiet", "--detach"]);
    origin.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "topic"]);
    origin.git(&["update-ref", "refs/pull/1/merge", "HEAD"]);
    let merge = origin.git(&["rev-parse", "HEAD"]).trim().to_owned();
    origin.git(&["checkout", "--quiet", "main"]);
    Server { runner: Runner::new(origin), main, topic, merge }
}

#[test]
fn the_merge_is_checked_where_the_target_has_moved_and_the_history_is_there() {
    let server = server_with_hidden_default();
    server.runner.checkout(&server.merge, 0);
    let job = server.runner.run_on("refs/pull/1/merge", "pull_request", &server.pull_request(), &[]);
    let job = job.ends_with(1).sets(&[("conclusion", "failure")]);
    assert!(job.summary.contains("neither side has this"), "{job:#?}");
    assert!(job.file("comment-file").contains("neither side has this"), "{job:#?}");
}

#[test]
fn what_a_change_is_expected_to_do_decides() {
    for (expect, status, conclusion) in [("", 0, "success"), ("none", 3, "failure"), ("only=dev", 0, "success")] {
        let server = server_with_hidden_default();
        // Without the history there is no merge to check.
        server.runner.checkout(&server.merge, 1);
        let inputs = [("expect", expect)];
        let job = server.runner.run_on("refs/pull/1/merge", "pull_request", &server.pull_request(), &inputs);
        job.ends_with(status).sets(&[("conclusion", conclusion)]);
    }
}

#[test]
fn a_merge_group_is_compared_with_its_base() {
    let server = server();
    server.runner.checkout(&server.merge, 1);
    let group = json!({"merge_group": {"base_sha": server.main, "head_sha": server.merge}});
    changes_the_network(server.runner.run("merge_group", &group, &[]), &server.main, &server.merge);
}

#[test]
fn a_workflow_that_was_started_by_hand_is_compared_with_the_default_branch_or_what_is_typed() {
    let server = server();
    server.runner.checkout(&server.topic, 1);
    let event = json!({"ref": "refs/heads/topic", "repository": {"default_branch": "main"}});
    let job = server.runner.run("workflow_dispatch", &event, &[]);
    changes_the_network(job, &server.first(), &server.topic);
    let first = server.first();
    let typed = [("base", first.as_str()), ("head", server.merge.as_str())];
    changes_the_network(server.runner.run("workflow_dispatch", &event, &typed), &first, &server.merge);
}

#[test]
fn a_whole_clone_stays_whole() {
    let server = server();
    server.runner.checkout(&server.topic, 0);
    let job = server.runner.run("pull_request", &server.pull_request(), &[]);
    changes_the_network(job, &server.first(), &server.topic);
    assert!(!server.runner.clone.join(".git/shallow").exists());
}

#[test]
fn a_shallow_clone_that_cannot_be_deepened_says_what_to_fetch() {
    let server = server();
    server.runner.checkout(&server.topic, 1);
    crate::common::git_in(&server.runner.clone, &["remote", "set-url", "origin", "/nowhere"]);
    let job = server.runner.run("pull_request", &server.pull_request(), &[]).ends_with(2);
    let job = job
        .says("::error title=stacklint::")
        .says("git fetch")
        .sets(&[("conclusion", "error"), ("changed", "unknown")]);
    assert!(job.summary.contains("git fetch"), "{job:#?}");
}

#[test]
fn no_change_is_said() {
    let server = server_with(|origin| {
        origin.write("docs.md", "words\n");
    });
    server.runner.checkout(&server.merge, 1);
    let job = server.runner.run("pull_request", &server.pull_request(), &[]).ends_with(0);
    assert!(job.summary.contains("No effective change"), "{job:#?}");
    job.sets(&[("changed", "false"), ("components", "0"), ("stacks", "[]"), ("matrix", "{\"include\":[]}")]);
}

#[test]
fn hundreds_of_findings_fit_where_they_go() {
    let server = server_with(|origin| {
        for i in 0..400 {
            let text = format!("import: [absent/{i}]\nvars: {{stage: s{i}}}\n");
            origin.write(&format!("stacks/deploy/s{i}.yaml"), text);
        }
    });
    server.runner.checkout(&server.merge, 1);
    let job = server.runner.run("pull_request", &server.pull_request(), &[]).ends_with(1);
    let annotations = job.log.lines().filter(|l| l.starts_with("::error ") || l.starts_with("::error::")).count();
    assert_eq!(annotations, 10);
    assert!(job.log.contains("::error::and 392 more"), "{}", &job.log[job.log.len() - 500..]);
    assert!(job.summary.len() < 1 << 20 && job.file("comment-file").encode_utf16().count() <= 65_536);
    let sarif: Value = serde_json::from_str(&job.file("sarif-file")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 400);
    let job = job.sets(&[("errors", "400"), ("conclusion", "failure")]);
    assert_eq!(job.outputs["findings"], "400");
    let event = server.pull_request();
    let never = [("fail-on", "never"), ("annotations", "false")];
    let job = server.runner.run("pull_request", &event, &never).ends_with(0).sets(&[("conclusion", "incomplete")]);
    assert!(!job.log.contains("::error"), "no annotations were asked for");
}

#[test]
fn further_inputs_reach_the_program() {
    let origin = Repo::new();
    origin.write("infra/conf/atmos.yaml", ATMOS.replace("base_path: .", "base_path: infra"));
    origin.write(&format!("infra/{STACK}"), stack("10.0.0.0/16"));
    let base = origin.commit("first");
    let head = origin.write(&format!("infra/{STACK}"), stack("10.1.0.0/16")).commit("second");
    let runner = Runner::new(origin);
    runner.checkout(&head, 1);
    let inputs = [
        ("working-directory", "infra"),
        ("config", "conf/atmos.yaml\n"),
        ("sarif", "out.sarif"),
        ("args", " --all  --output junit=out.xml "),
    ];
    let job = runner.run("push", &json!({"before": base, "after": head}), &inputs).ends_with(0);
    let job = job.sets(&[("changed", "true"), ("base", &base)]);
    assert!(job.file("comment-file").starts_with("<!-- stacklint:infra:conf/atmos.yaml -->\n"), "{job:#?}");
    for name in ["out.sarif", "out.xml"] {
        assert!(runner.clone.join(name).exists(), "{name}");
    }
}

#[test]
fn what_a_branch_or_an_input_says_is_never_run() {
    let evil = "a$(touch${IFS}pwned)`touch${IFS}pwned`;touch${IFS}pwned;";
    let server = server();
    server.runner.checkout(&server.topic, 1);
    let event = json!({"ref": format!("refs/heads/{evil}"), "repository": {"default_branch": evil}});
    server.runner.run("workflow_dispatch", &event, &[]).ends_with(2).says("::error");
    for input in ["base", "head", "fail-on", "config", "args", "sarif", "working-directory", "comment"] {
        let event = server.pull_request();
        let job = server.runner.run("pull_request", &event, &[(input, evil)]);
        assert!(input == "sarif" || job.status != 0, "{input}: {job:#?}");
    }
    let line = "main\n::error::x\nconclusion=success";
    server
        .runner
        .run("pull_request", &server.pull_request(), &[("base", line)])
        .ends_with(2)
        .sets(&[("conclusion", "error")]);
    let pwned: Vec<_> = std::fs::read_dir(&server.runner.clone).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!pwned.iter().any(|n| n == "pwned"), "{pwned:?}");
}

#[test]
fn what_is_uploaded_holds_nothing_that_is_fixed_or_silenced() {
    let origin = Repo::new();
    let file = |imports: &str| format!("import:\n{imports}{}", stack("10.0.0.0/16"));
    origin.write("atmos.yaml", ATMOS);
    let base = origin.write(STACK, file("  - absent/old\n")).commit("first");
    let silenced = "  - absent/silenced # stacklint: ignore[unresolved-import]\n";
    let head = origin.write(STACK, file(&format!("  - absent/new\n{silenced}"))).commit("second");
    let runner = Runner::new(origin);
    runner.checkout(&head, 1);
    let event = json!({"before": base, "after": head});
    let job = runner.run("push", &event, &[("sarif", "all.sarif"), ("args", "--settings-from head")]).ends_with(1);
    let messages = |text: &str| -> Vec<String> {
        let sarif: Value = serde_json::from_str(text).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        results.iter().map(|r| r["message"]["text"].as_str().unwrap().to_owned()).collect()
    };
    let uploaded = messages(&job.file("sarif-file"));
    assert!(uploaded.len() == 1 && uploaded[0].contains("absent/new"), "{uploaded:?}");
    let all = messages(&std::fs::read_to_string(runner.clone.join("all.sarif")).unwrap());
    // An existing error is not fixed: the stack does not resolve on either side.
    for name in ["new", "silenced"] {
        assert!(all.iter().any(|m| m.contains(&format!("absent/{name}"))), "{name}: {all:?}");
    }
}
