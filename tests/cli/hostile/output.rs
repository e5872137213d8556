//! Text in values reaches terminals, workflows and pages only as text.

use super::project;
use crate::common::{Repo, Run};

/// Values, keys and names with something for everybody.
const LOADED: [&str; 15] = [
    "\\e[2J\\e[31mred",
    "\\e]0;title\\a",
    "\\n::error::injected",
    "\\r\\n::set-output name=a::b",
    "\\n##[group]x",
    "\\u009b31m",
    "<script>alert(1)</script>",
    "\\u202egnp.exe",
    "| a | b |\\n```\\n</details>",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[message text='a']",
    "section_start:1:a\\r\\e[0K",
    "\\u00ad\\u061c\\u180e\\u200b\\u3164",
    "\\U000e0041\\ufe01\\u2066\\u034f\\ufff9",
    "a\\rb ##[error]c",
];

const FORMATS: [&str; 10] =
    ["text", "concise", "json", "sarif", "github", "markdown", "junit", "gitlab", "rdjson", "affected"];

/// Runs a command in every format and with color, and holds the output against what may never be in it.
pub(super) fn is_harmless(repo: &Repo, arguments: &[&str]) {
    for format in FORMATS {
        let run = repo.run(&[arguments, &["--format", format]].concat());
        if run.stderr.contains("invalid value") || run.stderr.contains("it is of `stacklint diff`") {
            continue;
        }
        assert!(run.status <= 1, "{format}: {run}");
        look_at(&run, format);
    }
    for format in ["text", "github"] {
        let run = repo.run(&[arguments, &["--format", format, "--color", "always"]].concat());
        // Its own colors are the only escape sequences.
        let bare = stripped(&run.stdout);
        look_at(&Run { stdout: bare, ..run }, format);
    }
}

/// The text without the sequences that only set colors.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        if !after[end..].starts_with('m') {
            out.push_str("\u{1b}[");
            rest = after;
            continue;
        }
        rest = &after[end + 1..];
    }
    out + rest
}

/// Returns the Markdown outside of code blocks and backticks, in which everything is text.
fn outside_of_code(text: &str) -> String {
    let mut fence = None;
    let mut spoken = String::new();
    for line in text.lines() {
        let start = line.trim_start();
        let ticks = start.bytes().take_while(|b| *b == b'`').count();
        match fence {
            Some(open) => fence = (start.len() != ticks || ticks < open).then_some(open),
            None if ticks >= 3 && !start[ticks..].contains('`') => fence = Some(ticks),
            None => spoken.extend(line.split('`').step_by(2)),
        }
    }
    spoken
}

fn look_at(run: &Run, format: &str) {
    let unseen = [
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{3164}',
        '\u{7f}',
        '\u{fe01}',
        '\u{fff9}',
        '\u{e0041}',
    ];
    let steers = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || unseen.contains(&c)
    };
    let shown = |c: char| steers(c) && !(format == "markdown" && c == '\t');
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(!said.chars().any(shown), "{format}: {said:?}");
    for line in run.stdout.lines().map(str::trim_start) {
        let own = ["::error::and ", "::error ", "::warning ", "::notice ", "::group::stacklint", "::endgroup::"];
        for command in ["##[", "##vso[", "##teamcity[", "section_start:"] {
            // A comment in Markdown is not a log; there only the start of a line could act as a command.
            if format == "markdown" && !line.starts_with(command) {
                continue;
            }
            assert!(
                !line.contains(command) || command == "section_start:" && line.starts_with('"'),
                "{format}: {line:?}"
            );
        }
        // `::: ` names no command.
        let is_command = line.starts_with("::") && !line.starts_with("::: ");
        assert!(!is_command || format == "github" && own.iter().any(|o| line.starts_with(o)), "{format}: {line:?}");
    }
    match format {
        "json" | "sarif" | "gitlab" | "rdjson" | "affected" => drop(run.json()),
        "markdown" => {
            let spoken = outside_of_code(&run.stdout);
            assert!(!spoken.contains("<script") && !spoken.contains("<img"), "{run}");
        }
        _ => {}
    }
}

#[test]
fn values_keys_and_names_are_text() {
    let repo = project(&[]);
    let vars: String = LOADED.iter().enumerate().map(|(i, t)| format!("        \"k{i}{t}\": \"v{t}\"\n")).collect();
    let names: String = LOADED.iter().map(|t| format!("    \"n{t}\":\n      vars: {{size: 1}}\n")).collect();
    let bases: String =
        LOADED.iter().map(|t| format!("    \"b{t}\":\n      metadata: {{inherits: [\"x{t}\"]}}\n")).collect();
    let head = format!("import: [\"gone{}\"]\nvars: {{stage: \"dev\"}}\n", LOADED.concat());
    let text = format!(
        "vars: {{stage: \"dev{}\"}}\ncomponents:\n  terraform:\n    box:\n      vars:\n{vars}{names}{bases}",
        LOADED[0]
    );
    repo.write("stacks/deploy/dev.yaml", text).write("stacks/deploy/other.yaml", head).commit("loaded");
    is_harmless(&repo, &["check"]);
    is_harmless(&repo, &["diff", "HEAD~1..HEAD"]);
    is_harmless(&repo, &["diff", "HEAD~1..HEAD", "--all", "--show-secrets"]);
    for arguments in [
        &["describe", "stacks"][..],
        &["describe", "stacks", "--color", "always"],
        &["describe", "stacks", "--format", "json"],
        &["describe", "stacks", "--format", "yaml"],
        &["describe", "component", "box", "-s", "dev\u{1b}[2J\u{1b}[31mred"],
    ] {
        let run = repo.run(arguments);
        look_at(&Run { stdout: stripped(&run.stdout), stderr: stripped(&run.stderr), ..run }, "text");
    }
}

#[test]
fn messages_of_the_command_line_are_text() {
    let repo = project(&[("atmos.yaml", "base_path: \"\\e[31m\\n::error::x\"\nstacks: {}\n")]);
    for arguments in [&["check"][..], &["diff", "no\u{1b}[31m\n::error::x"], &["check", "--config", "a\n::error::b"]] {
        let run = repo.run(arguments);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(!said.contains('\u{1b}') && !said.lines().any(|line| line.starts_with("::error")), "{said:?}");
    }
    repo.write("stacklint.toml", "\"\\u001b[31m\\n::error::x\" = 1\n");
    let run = repo.run(&["check"]).ends_with(2);
    assert!(
        !run.stderr.contains('\u{1b}') && !run.stderr.lines().any(|l| l.starts_with("::error")),
        "{:?}",
        run.stderr
    );
}

#[test]
fn names_of_files_are_no_commands_of_any_system() {
    let name = "##vso[task.complete]section_start:1:a";
    let repo = project(&[(&format!("stacks/deploy/{name}.yaml"), "vars: {stage: [\n")]);
    for system in [("TF_BUILD", "True"), ("GITLAB_CI", "true"), ("TEAMCITY_VERSION", "1"), ("GITHUB_ACTIONS", "true")] {
        for arguments in [&["check"][..], &["describe", "stacks"], &["ci", "--base", "HEAD"]] {
            let run = repo.run_with(arguments, &[system]);
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(!said.contains("##vso[") && !said.contains("section_start:"), "{run}");
        }
    }
    // Arguments are repeated on standard error.
    let run = repo.run(&["diff", name]).ends_with(2);
    assert!(!run.stderr.contains("##vso[") && !run.stderr.contains("section_start:"), "{run}");
}

#[test]
#[cfg(unix)]
fn who_stops_reading_is_no_failure() {
    use std::process::{Command, Stdio};
    let many: String = (0..1000).map(|i| format!("    k{i}: {{metadata: {{inherits: [gone{i}]}}}}\n")).collect();
    let repo =
        project(&[("stacks/deploy/bad.yaml", &format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{many}"))]);
    let mut child = Command::new(crate::common::bin())
        .args(["check"])
        .current_dir(repo.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(ended.stderr.is_empty(), "{ended:?}");
}

/// However the process ends, a report is the old one or the new one.
#[test]
#[cfg(unix)]
fn reports_are_never_half_written() {
    use std::process::{Command, Stdio};
    let many: String = (0..800).map(|i| format!("    k{i}: {{metadata: {{inherits: [gone{i}]}}}}\n")).collect();
    let repo =
        project(&[("stacks/deploy/bad.yaml", &format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{many}"))]);
    let path = repo.beside("report.json");
    let output = format!("json={}", path.display());
    let arguments = ["check", "--output", output.as_str()];
    let start = std::time::Instant::now();
    repo.run(&arguments).ends_with(1);
    let whole = start.elapsed();
    let expected = std::fs::read(&path).unwrap();
    assert!(expected.len() > 500_000);
    // The old file is not overwritten: readers that have it open still see all of it.
    std::fs::write(&path, "old").unwrap();
    std::fs::hard_link(&path, repo.beside("opened")).unwrap();
    repo.run(&arguments).ends_with(1);
    assert!(std::fs::read(&path).unwrap() == expected && std::fs::read(repo.beside("opened")).unwrap() == b"old");
    std::fs::write(&path, "old").unwrap();
    let mut ends = [0, 0];
    for step in 0..20_u32 {
        let mut child = Command::new(crate::common::bin())
            .args(arguments)
            .current_dir(repo.root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Denser towards the end, where it writes.
        std::thread::sleep(whole / 2 + whole * step / 30);
        let _ = child.kill();
        let _ = child.wait();
        let found = std::fs::read(&path).unwrap();
        assert!(found == b"old" || found == expected, "{} bytes of {}", found.len(), expected.len());
        ends[usize::from(found == expected)] += 1;
        std::fs::write(&path, "old").unwrap();
    }
    super::note(&format!("{ends:?} of the runs left the old and the new report"));
    // A new file is as public as any other, and a link leads on.
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(repo.beside("plain"), "").unwrap();
    let mode = |name: &str| std::fs::metadata(repo.beside(name)).unwrap().permissions().mode() & 0o777;
    std::fs::remove_file(&path).unwrap();
    repo.run(&arguments).ends_with(1);
    assert_eq!(mode("report.json"), mode("plain"));
    std::fs::write(repo.beside("target.json"), "").unwrap();
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("target.json", &path).unwrap();
    repo.run(&arguments).ends_with(1);
    assert_eq!(std::fs::read(repo.beside("target.json")).unwrap(), expected);
}
