//! The pages of the rules are their tests: every `### Bad` and `### Good` section of `docs/rules/<id>.md` holds the files
//! of a small repository, and a Bad one the findings that they lead to. `UPDATE_PAGES=1` writes the findings anew.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "these tests read pages, write files and run the binary")]
#![allow(dead_code, reason = "the helpers are shared with other tests")]

mod common;
#[path = "common/cores.rs"]
mod cores;

use common::{Repo, Run};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a tree gets that has no configuration of its own.
const CONFIG: &str = "\
base_path: .
stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}
components: {terraform: {base_path: components/terraform}, helmfile: {base_path: components/helmfile}}
templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}}
";

/// Files that make a tree a project without [`CONFIG`].
const PROJECTS: [&str; 5] = ["atmos.yaml", "infra.yaml", "config/infra.yaml", "garden.yml", "main.tf"];

/// A `### Bad` or `### Good` section.
#[derive(Debug, Default)]
struct Section {
    /// Its heading, and the line it is in.
    title: String,
    line: usize,
    is_bad: bool,
    /// Paths and contents; of two revisions the first.
    before: Vec<(String, String)>,
    /// What the second revision changes, if there are two. An empty block takes the file away.
    after: Option<Vec<(String, String)>>,
    /// Paths of symbolic links of the first revision, and where they lead: blocks of `link`.
    links: Vec<(String, String)>,
    /// The lines (from 0) inside of the block of expected findings.
    expected: Option<(usize, usize)>,
}

/// Reads the sections of a page.
fn sections(page: &str) -> Vec<Section> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found: Vec<Section> = Vec::new();
    let (mut at, mut is_inside, mut path) = (0, false, None::<String>);
    while at < lines.len() {
        let line = lines[at];
        if let Some(title) = line.strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            is_inside = line.starts_with("### ") && (title.starts_with("Bad") || title.starts_with("Good"));
            if is_inside {
                let is_bad = title.starts_with("Bad");
                found.push(Section { title: title.to_owned(), line: at + 1, is_bad, ..Section::default() });
            }
        } else if let (true, Some(section)) = (is_inside, found.last_mut()) {
            let name = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:"));
            if line.trim() == "**After**" {
                section.after = Some(Vec::new());
            } else if let Some(name) = name {
                path = Some(name.to_owned());
            } else if line.starts_with("```") {
                let fence: String = line.chars().take_while(|c| *c == '`').collect();
                let end = (at + 1..lines.len()).find(|i| lines[*i] == fence).expect("a closed fence");
                if line == format!("{fence}text") {
                    section.expected = Some((at + 1, end));
                } else if let Some(path) = path.take_if(|_| line == format!("{fence}link")) {
                    section.links.push((path, lines[at + 1..end].concat()));
                } else if let Some(path) = path.take() {
                    let text = lines[at + 1..end].iter().fold(String::new(), |t, l| t + l + "\n");
                    section.after.as_mut().unwrap_or(&mut section.before).push((path, text));
                }
                at = end;
            }
        }
        at += 1;
    }
    found
}

/// Runs a section. A rule that is off is enabled.
fn run(rule: &str, is_off: bool, section: &Section) -> Run {
    let repo = Repo::new();
    let has = |name: &str| section.before.iter().any(|f| f.0 == name);
    if !PROJECTS.iter().any(|p| has(p)) {
        repo.write("atmos.yaml", CONFIG);
    }
    if is_off && !has("stacklint.toml") {
        repo.write("stacklint.toml", format!("[rules]\n{rule} = \"warning\"\n"));
    }
    for (path, text) in &section.before {
        repo.write(path, text);
    }
    #[cfg(unix)]
    for (path, target) in &section.links {
        repo.link(path, target);
    }
    let Some(after) = &section.after else { return repo.run(&["check", "--format", "concise"]) };
    repo.commit("before");
    for (path, text) in after {
        if text.is_empty() {
            repo.remove(path)
        } else {
            repo.write(path, text)
        };
    }
    repo.commit("after");
    let mut run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"]);
    // Pages show findings alone.
    let lines = run.stdout.lines().filter(|line| !line.contains(": change: "));
    run.stdout = lines.map(|line| format!("{line}\n")).collect();
    run
}

/// Whether findings of a rule come from the run itself: no files of a page lead to them.
fn is_unregistered(rule: &str) -> bool {
    stacklint::testing::unregistered_rule_ids().contains(&rule)
}

/// The page with the findings that its sections lead to, and what is wrong with it.
fn tested(rule: &str, is_off: bool, page: &str) -> (String, Vec<String>) {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let mut problems = Vec::new();
    let found = sections(page);
    for kind in [true, false] {
        if !found.iter().any(|s| s.is_bad == kind) {
            problems.push(format!("it has no `### {}` section", if kind { "Bad" } else { "Good" }));
        }
    }
    // From the end, so that line numbers stay true.
    for section in found.iter().rev() {
        let run = run(rule, is_off, section);
        let place = format!("line {} ({})", section.line, section.title);
        // Standard error says what was analyzed and what could not be, and nothing else.
        if run.status > 1 || !run.stderr.lines().all(|line| line.starts_with("stacklint: ")) {
            problems.push(format!("{place}: {run}"));
        } else if !section.is_bad && !run.stdout.is_empty() {
            problems.push(format!("{place}: what is good has findings:\n{}", run.stdout));
        } else if section.is_bad && !run.stdout.contains(&format!("[{rule}]:")) {
            problems.push(format!("{place}: the rule finds nothing, only:\n{}", run.stdout));
        }
        match section.expected {
            Some((start, end)) => drop(lines.splice(start..end, run.stdout.lines().map(str::to_owned))),
            None if section.is_bad => problems.push(format!("{place}: it has no ```text block")),
            None => {}
        }
    }
    let page = lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    });
    (page, problems)
}

fn pages() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let mut pages: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    pages.sort();
    pages
}

#[test]
fn every_page_is_of_a_rule() {
    for (rule, path) in pages() {
        let is_known = stacklint::testing::rule_ids().contains(&rule.as_str()) || is_unregistered(&rule);
        assert!(is_known, "{} documents a rule that does not exist", path.display());
    }
}

#[test]
fn every_page_is_true() {
    let only = std::env::var("RULE").ok();
    let is_asked = |rule: &String| only.as_ref().is_none_or(|o| o == rule) && !is_unregistered(rule);
    let pages: Vec<(String, PathBuf)> = pages().into_iter().filter(|(rule, _)| is_asked(rule)).collect();
    let problems = Mutex::new(Vec::new());
    cores::on_all_cores(&pages, |(rule, path)| {
        let page = std::fs::read_to_string(path).unwrap();
        let is_off = stacklint::testing::is_off_by_default(rule);
        let (renewed, wrong) = tested(rule, is_off, &page);
        let mut all: Vec<String> = wrong.into_iter().map(|w| format!("{rule}: {w}")).collect();
        if renewed != page {
            if std::env::var_os("UPDATE_PAGES").is_some() {
                std::fs::write(path, &renewed).unwrap();
            } else {
                let new: Vec<&str> = renewed.lines().filter(|l| !page.contains(l)).collect();
                all.push(format!("{rule}: the findings differ; now:\n{}", new.join("\n")));
            }
        }
        problems.lock().unwrap().append(&mut all);
    });
    let mut problems = problems.into_inner().unwrap();
    problems.sort();
    assert!(problems.is_empty(), "{}\nUPDATE_PAGES=1 writes the findings anew", problems.join("\n\n"));
}

/// The page about policies, with the ids of the policies of its examples.
fn policies_page() -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/policies.md");
    let page = std::fs::read_to_string(&path).unwrap();
    (path, page)
}

fn policy_of(section: &Section) -> String {
    let settings = &section.before.iter().find(|f| f.0 == "stacklint.toml").expect("settings").1;
    let id = settings.lines().find_map(|line| line.strip_prefix("id = \"")).expect("an id");
    id.trim_end_matches('"').to_owned()
}

#[test]
fn the_examples_of_policies_are_true() {
    let (path, page) = policies_page();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let found = sections(&page);
    assert_eq!(found.len(), 8);
    for section in found.iter().rev() {
        let (id, place) = (policy_of(section), format!("line {} ({})", section.line, section.title));
        let run = run("", false, section);
        assert!(
            run.status <= 1 && run.stdout.contains(&format!("[{id}]:")),
            "{place}: the policy finds nothing: {run}"
        );
        // Without the policy nothing of it is left.
        let before: Vec<_> = section.before.iter().filter(|f| f.0 != "stacklint.toml").cloned().collect();
        let links = section.links.clone();
        let without =
            Section { title: section.title.clone(), before, after: section.after.clone(), links, ..Section::default() };
        let plain = self::run("", false, &without);
        assert!(!plain.stdout.contains(&id), "{place}: {plain}");
        let (start, end) = section.expected.unwrap_or_else(|| panic!("{place}: it has no ```text block"));
        lines.splice(start..end, run.stdout.lines().map(str::to_owned));
    }
    let renewed = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    if renewed != page {
        assert!(std::env::var_os("UPDATE_PAGES").is_some(), "the findings of docs/policies.md differ; now:\n{renewed}");
        std::fs::write(&path, &renewed).unwrap();
    }
}

#[test]
fn the_examples_of_policies_run_over_the_demonstration() {
    let repo = Repo::new();
    repo.copy(&common::fixture("demo/base"), "");
    let (_, page) = policies_page();
    let mut settings = String::new();
    for section in sections(&page) {
        for (path, text) in &section.before {
            match path.as_str() {
                "stacklint.toml" => settings += text,
                path if path.ends_with(".rego") => drop(repo.write(path, text)),
                _ => {}
            }
        }
    }
    repo.write("stacklint.toml", &settings).commit("base");
    repo.copy(&common::fixture("demo/head"), "").commit("head");
    for arguments in [&["check", "--format", "concise"][..], &["diff", "HEAD~1..HEAD", "--format", "concise"]] {
        let run = repo.run(arguments);
        assert!(run.status <= 1 && !run.stdout.contains("invalid-policy"), "{run}");
    }
    let run = repo.run(&["rules"]);
    for section in sections(&page) {
        assert!(run.stdout.contains(&policy_of(&section)), "{run}");
    }
}
