//! Completion: the scripts, and the candidates from the binary.

use crate::common::{Repo, Run};

const DEV: &str = "\
import: [catalog/vpc]
vars: {stage: dev}
components:
  terraform:
    vpc: {vars: {cidr: 10.0.0.0/16, zones: [a, b]}}
    dns: {vars: {name: x}}
";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {vars: {name: vpc}}}}\n");
    repo.write("stacks/deploy/dev.yaml", DEV)
        .write("stacks/deploy/prod.yaml", "vars: {stage: prod}\ncomponents: {terraform: {db: {}}}\n");
    repo.commit("all");
    repo
}

/// Completes the last of some words like a shell.
fn complete(repo: &Repo, shell: &str, words: &[&str]) -> Run {
    let index = words.len().to_string();
    let environment = [("STACKLINT_COMPLETE", shell), ("_CLAP_COMPLETE_INDEX", &*index), ("_CLAP_IFS", "\n")];
    repo.run_with(&[&["--", "stacklint"], words].concat(), &environment)
}

/// Returns the candidates that are not options.
#[track_caller]
fn offered(repo: &Repo, words: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for shell in ["bash", "zsh", "fish"] {
        let run = complete(repo, shell, words).ends_with(0);
        assert_eq!(run.stderr, "", "{run}");
        let lines = run.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned());
        let names = lines.filter(|line| !line.starts_with('-')).map(|line| line.replace("\\:", ":"));
        // Zsh gets the help of a candidate after a colon.
        let names: Vec<_> =
            names.map(|name| if shell == "zsh" { name.split(':').next().unwrap().to_owned() } else { name }).collect();
        all.push(names);
    }
    assert!(all[0] == all[1] && all[1] == all[2], "{all:?}");
    all.remove(0)
}

#[test]
fn stacks_components_and_paths_are_completed() {
    let repo = repo();
    repo.tag("base");
    for (words, expected) in [
        (&["why", ""][..], &["dev", "prod"][..]),
        (&["why", "p"], &["prod"]),
        (&["why", "dev", ""], &["dns", "vpc"]),
        (&["why", "stacks/deploy/dev", "v"], &[]),
        (&["why", "*", "d"], &["db", "dns"]),
        (&["why", "dev", "vpc", "va"], &["vars", "vars.cidr", "vars.name", "vars.stage", "vars.zones"]),
        (&["why", "dev", "vpc", "vars.z"], &["vars.zones", "vars.zones.0", "vars.zones.1"]),
        (&["why", "dev", "vpc", "/vars/c"], &["/vars/cidr"]),
        (&["why", "base..HEAD", ""], &["dev", "prod"]),
        (&["why", "base..HEAD", "dev", "v"], &["vpc"]),
        (&["why", "base..HEAD", "dev", "vpc", "vars.ci"], &["vars.cidr"]),
        (&["why", "--rev", "base", "prod", ""], &["db"]),
        (&["describe", "component", "-s", "dev", "v"], &["vpc"]),
        (&["describe", "component", "db", "-s", ""], &["dev", "prod"]),
        (&["diff", "--stack", "d"], &["dev"]),
        (&["graph", "imports", "--stack=p"], &[]),
        (&["impact", "stacks/deploy/p"], &["stacks/deploy/prod.yaml"]),
        (&["impact", "st"], &["stacks/"]),
        (&["explai"], &["explain"]),
    ] {
        assert_eq!(offered(&repo, words), expected, "{words:?}");
    }
    complete(&repo, "bash", &["graph", "imports", "--stack=p"]).ends_with(0).says("--stack=prod");
    // Another folder, and a state that is not committed.
    repo.write("stacks/deploy/new.yaml", "vars: {stage: new}\ncomponents: {terraform: {db: {}}}\n");
    let root = repo.root().to_str().unwrap();
    let run = crate::common::run_in(
        repo.root().parent().unwrap(),
        &["--", "stacklint", "-C", root, "why", "n"],
        &[("STACKLINT_COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", "4")],
    );
    assert_eq!((run.status, &*run.stdout), (0, "new"), "{run}");
}

#[test]
fn the_script_of_bash_completes() {
    let repo = repo();
    let script = repo.run(&["completions", "bash"]).ends_with(0).stdout;
    let bin = crate::common::bin().parent().unwrap().display().to_string();
    let ask = "
COMP_WORDS=(stacklint why dev v); COMP_CWORD=3; COMP_TYPE=9
_clap_complete_stacklint stacklint v dev
printf '%s\\n' \"${COMPREPLY[@]}\"
";
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
    let command = std::process::Command::new("bash")
        .args(["--norc", "-c", &format!("{script}{ask}")])
        .current_dir(repo.root())
        .env("PATH", path)
        .output();
    let Ok(output) = command else { return crate::common::skipped("there is no bash") };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "vpc\n", "{}", String::from_utf8_lossy(&output.stderr));
}

/// Names of an attacker that would be executed with the line.
const EVIL: [&str; 6] = ["x$(touch pwned)", "x;touch pwned", "x\u{1b}[31m", "x y", "x`id`", "x\u{202e}y"];

#[test]
fn nothing_is_offered_that_a_shell_would_run_or_a_terminal_obey() {
    let repo = Repo::atmos();
    let names = EVIL.map(|name| format!("{name:?}").replace("\\u{1b}", "\\e").replace("\\u{202e}", "\\u202e"));
    let components: String = names.iter().map(|name| format!("    {name}: {{vars: {{{name}: 1}}}}\n")).collect();
    let vars: String = names.iter().map(|name| format!("      {name}: 1\n")).collect();
    repo.write(
        "stacks/deploy/dev.yaml",
        format!(
            "vars: {{stage: dev}}\ncomponents:\n  terraform:\n    xok:\n     vars:\n      xok: 1\n{vars}{components}"
        ),
    );
    for (i, name) in names.iter().enumerate() {
        repo.write(
            &format!("stacks/deploy/{i}.yaml"),
            format!("vars: {{stage: {name}}}\ncomponents: {{terraform: {{a: {{}}}}}}\n"),
        );
    }
    #[cfg(unix)]
    for name in EVIL {
        repo.write(name, "");
    }
    repo.write("xok", "");
    assert_eq!(repo.run(&["describe", "component", "xok", "-s", "dev"]).status, 0);
    for words in [
        &["why", ""][..],
        &["why", "x"],
        &["why", "dev", ""],
        &["why", "dev", "x"],
        &["why", "dev", "xok", "vars.x"],
        &["impact", "x"],
        &["report", "--out", "x"],
        &["-C", ""],
        &["diff", "--baseline=x"],
    ] {
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let run = complete(&repo, shell, words);
            let is_plain = |c: char| c == '\n' || c == '\t' || !c.is_control() && c != '\u{202e}';
            assert!(run.stdout.chars().all(is_plain), "{shell} {words:?} {run}");
            let values = run.stdout.lines().filter(|line| line.starts_with('x'));
            values.for_each(|line| assert_eq!(line, "xok", "{shell} {words:?}"));
        }
    }
    assert_eq!(offered(&repo, &["why", "dev", "x"]), ["xok"]);
    assert_eq!(offered(&repo, &["why", "dev", "xok", "vars.x"]), ["vars.xok"]);
    assert_eq!(offered(&repo, &["impact", "x"]), ["xok"]);
}

#[test]
fn a_repository_that_takes_long_is_given_up_silently() {
    let repo = Repo::atmos();
    // Templates that take long, each within what one may.
    let slow = "{{ range until 10000 }}{{ range until 1000 }}{{ end }}{{ end }}";
    let vars: String = (0..400).map(|i| format!("  v{i}: \"{slow}\"\n")).collect();
    repo.write(
        "stacks/deploy/dev.yaml",
        format!("vars:\n  stage: dev\n{vars}components: {{terraform: {{a: {{}}}}}}\n"),
    );
    let run = complete(&repo, "bash", &["why", ""]);
    assert_eq!((run.status, &*run.stderr), (0, ""), "{run}");
}

#[test]
fn where_nothing_can_be_resolved_options_are_left() {
    let repo = Repo::plain();
    for words in [&["why", ""][..], &["why", "x", "--"], &["describe", "component", ""]] {
        complete(&repo, "bash", words).ends_with(0).says("--format");
    }
    let run = repo.run_with(&["--", "stacklint", "why", ""], &[("STACKLINT_COMPLETE", "csh")]);
    assert_eq!((run.status, &*run.stdout), (1, ""), "{run}");
    // An internal error prints nothing into the line either.
    let environment = [("STACKLINT_COMPLETE", "fish"), ("STACKLINT_PLANT_DEFECT", "completion")];
    let run = repo.run_with(&["--", "stacklint", "why", ""], &environment);
    assert_eq!((run.status, run.stdout, run.stderr), (1, String::new(), String::new()));
    // The variable of other programs is not ours.
    repo.run_with(&["rules"], &[("COMPLETE", "bash")]).ends_with(0).says("undefined-local");
}
