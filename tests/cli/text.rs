//! What people see is safe and calm: masked, escaped, colored on request only.

use crate::common::Repo;

fn stack(vars: &str) -> String {
    format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box:\n      vars:\n{vars}")
}

/// The text of a diff between two sets of variables.
fn diff(before: &str, after: &str, arguments: &[&str]) -> crate::common::Run {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack(before)).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(after));
    repo.run(&[&["diff"], arguments].concat())
}

#[test]
fn secrets_are_masked() {
    let before = "        db_password: hunter2\n        credentials:\n          user: alice\n        api_key: k1\n";
    let after = before.replace("hunter2", "swordfish").replace("alice", "bob").replace("k1", "k2");
    let run = diff(before, &after, &[]).ends_with(0);
    for word in ["hunter2", "swordfish", "alice", "bob", "k1", "k2"] {
        assert!(!run.stdout.contains(word), "{word}\n{run}");
    }
    assert!(run.stdout.contains("vars.db_password"), "{run}");
    diff(before, &after, &["--show-secrets"]).says("hunter2").says("swordfish").says("bob");
}

#[test]
fn secrets_are_masked_in_descriptions() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("        db_password: hunter2\n        name: plain\n"));
    let run = repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0);
    run.says("plain").hides("hunter2");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let before = "        note: old\n";
    let after = "        note: \"a\\e[31mred\\e]0;title\\a \\r\\n\\u202Eevil\\u0085\\0\"\n        \"k\\e[2J\": 1\n";
    for arguments in [&[][..], &["--all"], &["--format", "json"]] {
        let run = diff(before, after, arguments).ends_with(0);
        let json = arguments.len() == 2;
        let bad = |c: char| c != '\n' && (c.is_ascii_control() || !json && (c.is_control() || c == '\u{202e}'));
        assert!(!run.stdout.chars().any(bad), "{:?}", run.stdout);
    }
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack(after));
    for arguments in [&["describe", "component", "box", "-s", "dev"][..], &["describe", "stacks"], &["check"]] {
        let run = repo.run(arguments);
        assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    }
}

#[test]
fn hostile_names_are_escaped() {
    let repo = Repo::atmos();
    repo.write(
        "stacks/deploy/dev.yaml",
        "vars: {stage: \"d\\e[1mev\"}\ncomponents: {terraform: {\"b\\e[31mox\": {}}}\n",
    );
    repo.commit("base");
    repo.write("stacks/deploy/dev.yaml", "import: [\"x\\e[31m\"]\nvars: {stage: dev}\n");
    for arguments in [&["diff"][..], &["check"], &["describe", "stacks", "--rev", "HEAD"], &["diff", "HEAD"]] {
        let run = repo.run(arguments);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{arguments:?}\n{run:?}");
    }
}

#[test]
fn text_of_several_lines_is_compared_by_line() {
    let before = "        script: |\n          one\n          two\n          three\n";
    let after = before.replace("two", "zwei");
    let run = diff(before, &after, &[]).ends_with(0);
    run.says("- two").says("+ zwei");
}

#[test]
fn long_values_are_cut_unless_all_is_asked_for() {
    let list = |n: usize| (0..n).map(|i| format!("          - item-{i}\n")).collect::<String>();
    let after = format!("        items:\n{}", list(60));
    let run = diff("        x: 1\n", &after, &[]).ends_with(0).hides("item-59");
    assert!(run.stdout.contains("more line"), "{run}");
    diff("        x: 1\n", &after, &["--all"]).ends_with(0).says("item-59");
}

#[test]
fn color_only_where_it_is_wanted() {
    let repo = Repo::review();
    let colored = |arguments: &[&str], environment: &[(&str, &str)]| {
        let arguments = [&["diff", "base..head"], arguments].concat();
        repo.run_with(&arguments, environment).stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&[], &[("FORCE_COLOR", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    // The words are the same.
    let plain = repo.run(&["diff", "base..head"]).stdout;
    let painted = repo.run(&["diff", "base..head", "--color", "always"]).stdout;
    assert_eq!(without_color(&painted), plain);
}

#[test]
fn narrow_terminals_are_respected() {
    let repo = Repo::review();
    let run = repo.run_with(&["diff", "base..head"], &[("COLUMNS", "60")]);
    assert_ne!(run.stdout, repo.run(&["diff", "base..head"]).stdout);
}

pub(crate) fn without_color(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    out + rest
}
