//! Text output is safe and calm: masked, escaped, and colored only on request.

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
fn list_items_that_move() {
    let before = "        zones: [a, b, c]\n        steps:\n          - one\n          - two\n          - three\n";
    let after = "        zones: [c, a, b]\n        steps:\n          - two\n          - one\n          - four\n";
    let text = diff(before, after, &[]).ends_with(0);
    text.clone().says("~ vars.zones[2] → [0] \"c\" (moved)").says("~ vars.steps[1] → [0] \"two\" (moved)");
    text.says("~ vars.steps[2] \"three\" → \"four\"").says("3 changes reach 1 component");
    let concise = diff(before, after, &["--format", "concise"]).ends_with(0);
    concise.says("dev.yaml:6: change: ~ vars.zones[2] → [0] \"c\" (moved) in box of dev");
    let markdown = diff(before, after, &["--format", "markdown"]).ends_with(0);
    markdown.says("- `vars.zones[2] → [0]` moved: `\"c\"`");
    let json = diff(before, after, &["--format", "json"]).ends_with(0).json();
    crate::contracts::validate(&crate::contracts::schema("report-v1.json"), &json);
    let halves: Vec<_> = json["components"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|change| change["moved"] == serde_json::json!({"from": 2, "to": 0}))
        .map(|change| (change["kind"].as_str().unwrap(), change["path"].as_str().unwrap(), &change["causes"]))
        .collect();
    let places: Vec<_> = halves.iter().map(|half| (half.0, half.1)).collect();
    assert_eq!(places, [("added", "/vars/zones/0"), ("removed", "/vars/zones/3")]);
    // Both halves name the line that the item was on, and the one that it is on.
    let lines = |causes: &serde_json::Value| -> Vec<(String, u64)> {
        let causes = causes.as_array().unwrap().iter();
        causes.map(|c| (c["side"].as_str().unwrap().to_owned(), c["line"].as_u64().unwrap())).collect()
    };
    for (_, _, causes) in halves {
        assert_eq!(lines(causes), [("base".to_owned(), 6), ("head".to_owned(), 6)]);
    }
}

#[test]
fn a_secret_that_moves_is_masked() {
    let run = diff("        passwords: [hunter2, x, y]\n", "        passwords: [x, y, hunter2]\n", &[]).ends_with(0);
    run.says("vars.passwords[0] → [2] •••••••• (secret, moved)").hides("hunter2");
}

#[test]
fn text_of_several_lines_is_compared_by_line() {
    let before = "        script: |\n          one\n          two\n          three\n";
    let after = before.replace("two", "zwei");
    let run = diff(before, &after, &[]).ends_with(0);
    run.says("- two").says("+ zwei");
}

#[test]
fn long_values_are_cut_unless_all_is_requested() {
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

/// Runs in a terminal that shows links, as far as variables tell.
fn linked(repo: &Repo, arguments: &[&str]) -> crate::common::Run {
    repo.run_with(arguments, &[("FORCE_HYPERLINK", "1")])
}

#[test]
fn places_are_links_where_a_terminal_shows_them() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("        size: \"{{ .locals.sze }}\"\n")).commit("base");
    let link = "#6\u{1b}\\stacks/deploy/dev.yaml:6";
    let run = linked(&repo, &["check"]).ends_with(1);
    assert!(run.stdout.contains("\u{1b}]8;;file://") && run.stdout.contains(link), "{:?}", run.stdout);
    assert!(run.stdout.contains("/undefined-local.md\u{1b}\\error[undefined-local]"), "{:?}", run.stdout);
    let run = linked(&repo, &["why", "dev", "box", "vars.size"]);
    assert!(run.stdout.contains(link), "{:?}", run.stdout);
    for arguments in
        [&["check", "--format", "json"][..], &["check", "--format", "github"], &["check", "--output", "text=a.txt"]]
    {
        let run = linked(&repo, arguments).ends_with(1);
        assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    }
    assert!(!std::fs::read_to_string(repo.root().join("a.txt")).unwrap().contains('\u{1b}'));
    assert!(!repo.run(&["check"]).stdout.contains('\u{1b}'), "a pipe shows no links");
}

#[test]
fn a_repository_writes_no_links() {
    let evil = "\\e]8;;https://evil.example\\e\\\\stacks/deploy/dev.yaml:1\\e]8;;\\e\\\\";
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("        size: 1\n")).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(&format!("        size: \"{evil}\"\n        \"{evil}\": 1\n")));
    for arguments in [&["diff", "HEAD", "--all"][..], &["why", "dev", "box", "vars.size"]] {
        let run = linked(&repo, arguments);
        assert!(run.stdout.contains("evil.example") && run.stdout.contains("]8;;file://"), "{:?}", run.stdout);
        let targets = run.stdout.split("\u{1b}]8;;").skip(1);
        let own = ["\u{1b}\\", "file://", "https://github.com/stacklint/"];
        let is_own = |target: &str| own.iter().any(|start| target.starts_with(start));
        assert!(targets.clone().count() > 0 && targets.into_iter().all(is_own), "{:?}", run.stdout);
    }
}

#[test]
fn what_a_finding_says_is_not_said_again() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("        size: 1\n")).commit("base");
    repo.write("stacks/deploy/dev.yaml", format!("import: [catalog/none]\n{}", stack("        size: 1\n")));
    let run = repo.run(&["diff", "HEAD"]).ends_with(1).says("1 stack no longer resolves: dev\n");
    assert_eq!(run.stdout.matches("not found").count(), 1, "{run}");
}

/// Units that include one file, which is wrong for each of them.
fn with_a_wrong_include(units: usize) -> Repo {
    let repo = Repo::new();
    repo.write(
        "root.hcl",
        "locals {\n  account = read_terragrunt_config(find_in_parent_folders(\"account.hcl\"))\n}\n",
    );
    let unit = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
    for number in 0..units {
        repo.write(&format!("live/unit{number}/terragrunt.hcl"), unit);
    }
    repo
}

#[test]
fn what_is_wrong_at_one_place_for_several_is_one_block() {
    let repo = with_a_wrong_include(3);
    let run = repo.run(&["check"]).ends_with(1).says("3 errors");
    assert_eq!(run.stdout.matches("root.hcl:2:").count(), 3, "{run}");
    assert_eq!(run.stdout.matches("  also: ").count(), 2, "{run}");
    assert_eq!(repo.run(&["check", "--all"]).stdout.matches("error[terragrunt-invalid-value]").count(), 3);
    // A long report counts them.
    let run = with_a_wrong_include(80).run(&["check"]).ends_with(1);
    run.says("80 errors").says("more lines").says("configured by 80 files").hides("live/unit79/terragrunt.hcl");
}
