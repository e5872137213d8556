//! Files in HCL as text: comments that silence findings, baselines that survive moved lines, secrets that are not shown.

use crate::common::Repo;

const MODULE: &str = "variable \"zones\" {}\n";

fn repo(main: &str) -> Repo {
    let repo = Repo::new();
    repo.write("m/main.tf", MODULE).write("main.tf", main).commit("base");
    repo
}

/// The findings of `check` about the root module: `line: rule`.
fn findings(repo: &Repo, more: &[&str]) -> Vec<String> {
    let run = repo.run(&[&["check", "--dialect", "opentofu", "--format", "json"], more].concat());
    let json = run.json();
    let found = json["diagnostics"].as_array().unwrap().iter();
    found.map(|d| format!("{}: {}", d["line"], d["rule"].as_str().unwrap())).collect()
}

#[test]
fn comments_of_all_kinds_silence_findings() {
    let main = "\
module \"a\" {
  source = \"./m\"
  zones  = 1
  first  = 1 // stacklint: ignore[tofu-module-argument] known
  /* stacklint: ignore[tofu-module-argument] known
     for long */
  second = 2
  # stacklint: ignore[tofu-module-argument] as in YAML
  third  = 3
  fourth = 4 /* stacklint: ignore[tofu-module-argument] known */
  fifth  = 5
}
";
    assert_eq!(findings(&repo(main), &[]), ["11: tofu-module-argument"]);
    let whole = format!("/* words */\n\n// stacklint: ignore-file[tofu-module-argument] old\n{main}");
    let found = findings(&repo(&whole), &[]);
    assert!(!found.iter().any(|f| f.ends_with("tofu-module-argument")), "{found:?}");
}

#[test]
fn a_baseline_survives_an_inserted_block() {
    let block = |name: &str| format!("module \"{name}\" {{\n  source = \"./m\"\n  zones  = 1\n  other  = 2\n}}\n");
    let repo = repo(&block("one"));
    repo.run(&["check", "--dialect", "opentofu", "--write-baseline", "known.json"]).complains("wrote 1 finding");
    repo.write("main.tf", format!("terraform {{\n}}\n\n{}", block("one")));
    assert_eq!(findings(&repo, &["--baseline", "known.json"]), [""; 0]);
    // The same text in another block is something else, also in front of it.
    repo.write("main.tf", format!("{}\n{}", block("two"), block("one")));
    assert_eq!(findings(&repo, &["--baseline", "known.json"]), ["4: tofu-module-argument"]);
}

#[test]
fn secrets_are_not_shown() {
    let repo = repo(
        "module \"a\" {\n  source = \"./m\"\n  zones  = 1\n  admin_password = \"hunter2\"\n  private_key = <<-E\n    hunter3\n  E\n}\n",
    );
    let check = ["check", "--dialect", "opentofu"];
    repo.run(&check).says("admin_password = ").hides("hunter");
    repo.run(&[&check[..], &["--show-secrets"]].concat()).says("hunter2");
}
