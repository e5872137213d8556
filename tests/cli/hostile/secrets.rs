//! Passwords and tokens are not visible in reports.

use super::project;

const BEFORE: &str = r#"vars: {stage: dev}
components:
  terraform:
    box:
      vars:
        url: postgres://user:hunter2@host/db
        header: "Bearer hunter2hunter2hunter2"
        environment:
          - name: DB_PASSWORD
            value: hunter2
          - {name: API_TOKEN, value: hunter2}
          - {value: hunter2, name: CLIENT_SECRET}
          - name: LEVEL
            value: debug
        note: |
          redis://:hunter2@host
          plain
"#;

#[test]
fn values_that_look_secret_are_masked() {
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", BEFORE).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", BEFORE.replace("hunter2", "swordfish9").replace("debug", "info"));
    repo.commit("head");
    for format in ["text", "markdown", "concise", "github", "junit"] {
        for arguments in [&["diff", "base..HEAD"][..], &["diff", "base..HEAD", "--all"], &["check"]] {
            let run = repo.run(&[arguments, &["--format", format]].concat());
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(!said.contains("hunter2") && !said.contains("swordfish9"), "{format}: {run}");
        }
    }
    repo.run(&["diff", "base..HEAD"]).says("info").says("••••");
    let run = repo.run(&["describe", "component", "box", "-s", "dev"]);
    assert!(!run.stdout.contains("swordfish9"), "{run}");
    repo.run(&["diff", "base..HEAD", "--show-secrets"]).says("swordfish9");
    // A finding at the line itself.
    repo.write(
        "stacks/deploy/dev.yaml",
        BEFORE.replace("value: hunter2\n          - {name: A", "value: hunter2 x: y\n          - {name: A"),
    );
    let run = repo.run(&["check"]);
    assert!(!run.stdout.contains("hunter2") && !run.stderr.contains("hunter2"), "{run}");
}

/// A token of GitHub, by its look.
fn token(of: &str) -> String {
    format!("ghp_{}", of.repeat(40))
}

#[test]
fn tokens_are_masked_in_every_format_whatever_their_key_is() {
    const SETTINGS: &str = "settings: {note: TOKEN, spacelift: {workspace_enabled: true, stack_name: TOKEN}}\n";
    const TEXT: &str = "vars: {stage: dev}\nlocals: {at: TOKEN}\ncomponents:\n  terraform:\n    box:\n      vars:\n        note: TOKEN\n        list: [{a: \"x TOKEN y\"}]\n        text: |\n          -----BEGIN PRIVATE KEY-----\n          SECRETTOKEN\n          -----END PRIVATE KEY-----\n";
    let text =
        |of: &str| format!("{SETTINGS}{TEXT}").replace("SECRETTOKEN", &of.repeat(20)).replace("TOKEN", &token(of));
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", text("a")).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", text("b")).commit("head");
    let mut asked: Vec<Vec<&str>> = Vec::new();
    for format in ["text", "markdown", "concise", "github", "junit", "json", "sarif", "gitlab", "affected", "matrix"] {
        asked.push(vec!["diff", "base..HEAD", "--all", "--include-settings", "--format", format]);
        if !matches!(format, "affected" | "matrix") {
            asked.push(vec!["check", "--all", "--format", format]);
        }
    }
    for format in ["text", "json", "yaml"] {
        asked.push(vec!["describe", "stacks", "--format", format]);
        asked.push(vec!["describe", "component", "box", "-s", "dev", "--format", format]);
        asked.push(vec!["describe", "locals", "-s", "dev", "--format", format]);
    }
    for format in ["text", "json"] {
        asked.push(vec!["why", "dev", "box", "vars.note", "--format", format]);
        asked.push(vec!["why", "dev", "box", "vars", "--format", format]);
        asked.push(vec!["why", "base..HEAD", "dev", "box", "vars.text", "--format", format]);
        asked.push(vec!["impact", "stacks/deploy/dev.yaml:8", "--format", format]);
        asked.push(vec!["eval", "{{ .vars.note }}", "-s", "dev", "-c", "box", "--format", format]);
    }
    for arguments in &asked {
        let run = repo.run(arguments);
        assert!(run.status < 2, "{arguments:?}: {run}");
        for of in ["a", "b"] {
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(!said.contains(&token(of)) && !said.contains(&of.repeat(20)), "{arguments:?}: {run}");
        }
        if arguments.contains(&"json") && !arguments.contains(&"impact") {
            assert!(!run.json().is_null(), "{arguments:?}");
        }
    }
    repo.run(&["report", "base..HEAD", "--out", "page.html"]);
    let page = std::fs::read_to_string(repo.root().join("page.html")).unwrap();
    assert!(!page.contains(&token("a")) && !page.contains(&token("b")) && !page.contains(&"b".repeat(20)));
    // The change is still visible, and the value on request.
    let json = repo.run(&["diff", "base..HEAD", "--format", "json"]).json();
    let changes = json["components"][0]["changes"].as_array().unwrap();
    assert!(changes.iter().any(|c| c["path"] == "/vars/note"), "{json}");
    for arguments in [
        &["diff", "base..HEAD", "--show-secrets", "--format", "json"][..],
        &["diff", "base..HEAD", "--show-secrets"],
        &["describe", "stacks", "--show-secrets", "--format", "json"],
        &["describe", "locals", "-s", "dev", "--show-secrets", "--format", "yaml"],
        &["why", "dev", "box", "vars.note", "--show-secrets"],
        &["eval", "{{ .vars.note }}", "-s", "dev", "-c", "box", "--show-secrets"],
    ] {
        repo.run(arguments).says(&token("b"));
    }
    // The first line of a key hides nothing but a key.
    repo.write(
        "stacks/deploy/dev.yaml",
        "vars: {stage: dev}\n# -----BEGIN PRIVATE KEY-----\ncomponents: {terraform: {box: {vars: [1]}}}\n",
    );
    repo.run(&["check"]).ends_with(1).says("vars: [1]");
}
