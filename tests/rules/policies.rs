//! The examples of `docs/policies.md` find what the page says. `UPDATE_PAGES=1` writes the findings anew.

use crate::common::{self, Repo};
use crate::pages::{Section, run, sections};
use crate::trial;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("policies::examples_are_true", examples_are_true),
        trial("policies::examples_run_over_the_demonstration", examples_run_over_the_demonstration),
    ]
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

fn examples_are_true() {
    let (path, page) = policies_page();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let found = sections(&page);
    assert_eq!(found.len(), 9);
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
        let plain = crate::pages::run("", false, &without);
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

fn examples_run_over_the_demonstration() {
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
