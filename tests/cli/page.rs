//! `report`: the page without a browser; `tests/page.sh` uses it in one.

use crate::common::Repo;
use serde_json::Value;

/// Names of an attacker that try to leave the data or to become markup.
const HOSTILE: &str = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>";

#[track_caller]
fn page(repo: &Repo, arguments: &[&str]) -> String {
    let run = repo.run(&[&["report"], arguments, &["--exit-zero", "--out", "page.html"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    std::fs::read_to_string(repo.root().join("page.html")).unwrap()
}

/// The data of a page, which must be the only thing in its block.
#[track_caller]
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).expect("a block of data");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

#[test]
fn a_page_of_a_change() {
    let repo = Repo::review();
    let text = page(&repo, &["base..head"]);
    let data = data(&text);
    assert_eq!((&data["base"], &data["head"]), (&Value::from("base"), &Value::from("head")));
    assert!(!data["groups"].as_array().unwrap().is_empty());
    let chains = data["chains"].as_array().unwrap();
    assert!(chains.iter().any(|chain| !chain.as_array().unwrap().is_empty()));
    assert!(text.contains("default-src 'none'; script-src 'sha256-"));
    for other in ["http://", "https://", "src=", "@import", "url("] {
        let (head, rest) = text.split_once("<script type=\"application/json\"").unwrap();
        let (_, script) = rest.split_once("</script>").unwrap();
        let script = script.replace("http://www.w3.org/2000/svg", "");
        assert!(!head.contains(other) && !script.contains(other), "{other}");
    }
}

#[test]
fn a_page_of_one_state() {
    let repo = Repo::review();
    let data = data(&page(&repo, &[]));
    let (addresses, components) = (data["addresses"].as_array().unwrap(), data["components"].as_array().unwrap());
    assert!(!addresses.is_empty() && addresses.len() == components.len());
    assert!(!data["graph"]["edges"].as_array().unwrap().is_empty());
}

#[test]
fn names_and_values_never_become_markup() {
    let repo = Repo::atmos();
    let stack = |n: u32| {
        format!(
            "vars: {{stage: dev}}\ncomponents: {{terraform: {{\"{HOSTILE}\": {{vars: {{\"{HOSTILE}\": \"{HOSTILE}{n}\"}}}}}}}}\n"
        )
    };
    repo.write("stacks/deploy/dev.yaml", stack(1)).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", stack(2)).commit("head");
    for arguments in [&["base..HEAD"][..], &[]] {
        let text = page(&repo, arguments);
        assert!(data(&text).to_string().contains("alert(1)"), "the name is shown");
        assert!(!text.contains("alert(1)</script>") && !text.contains("<img") && !text.contains("<!--"));
        // The block of data and the script of the page, and no other.
        assert_eq!((text.matches("<script").count(), text.matches("</script>").count()), (2, 2));
    }
}

#[test]
fn secrets_are_masked() {
    let repo = Repo::atmos();
    let stack =
        |n: u32| format!("vars: {{stage: dev, password: hunter{n}}}\ncomponents: {{terraform: {{app: {{}}}}}}\n");
    repo.write("stacks/deploy/dev.yaml", stack(1)).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", stack(2)).commit("head");
    for arguments in [&["base..HEAD"][..], &[]] {
        let text = page(&repo, arguments);
        assert!(text.contains("••••") && !text.contains("hunter"), "{arguments:?}");
    }
}

#[test]
fn the_head_of_a_page() {
    let repo = Repo::atmos();
    let stack = |size: u32| {
        format!("vars: {{tenant: core, stage: dev}}\ncomponents: {{terraform: {{app: {{vars: {{size: {size}}}}}}}}}\n")
    };
    repo.git(&["remote", "add", "origin", "git@github.com:acme/infra.git"]);
    repo.write("stacks/deploy/dev.yaml", stack(1)).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", stack(2)).commit("A larger size\n\nFor the load.");
    let data = data(&page(&repo, &["base..HEAD"]));
    let about = &data["about"];
    assert_eq!(about["repository"], serde_json::json!(["acme/infra", "https://github.com/acme/infra"]));
    assert_eq!((&about["title"], &about["commits"]), (&Value::from("A larger size"), &Value::from(1)));
    assert_eq!(about["authors"].as_array().unwrap().len(), 1);
    for side in 0..2 {
        let [start, end] = [0, 1].map(|part| about["web"][side][part].as_str().unwrap());
        assert!(start.starts_with("https://github.com/acme/infra/blob/") && start.ends_with('/'), "{start}");
        assert_eq!(end, "#L");
    }
    assert_eq!(data["labels"]["0"], serde_json::json!(["core", "dev"]));
    assert_eq!(data["groups"][0]["changes"][0]["path"], "vars.size");
}
