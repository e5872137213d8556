//! Passwords and tokens are shown to nobody who reads a report.

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
