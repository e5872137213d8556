//! The pages of the rules are their tests: every `### Bad` and `### Good` section of `docs/rules/<id>.md` holds the files
//! of a small repository, and a Bad one the findings that they lead to. `UPDATE_PAGES=1` writes the findings anew.

use crate::common::{Repo, Run};
use crate::{judged, trial};
use libtest_mimic::Trial;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

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
pub(crate) struct Section {
    /// Its heading, and the line it is in.
    pub(crate) title: String,
    pub(crate) line: usize,
    pub(crate) is_bad: bool,
    /// Paths and contents; of two revisions the first.
    pub(crate) before: Vec<(String, String)>,
    /// What the second revision changes, if there are two. An empty block takes the file away.
    pub(crate) after: Option<Vec<(String, String)>>,
    /// Paths of symbolic links of the first revision, and where they lead: blocks of `link`.
    pub(crate) links: Vec<(String, String)>,
    /// The lines (from 0) inside of the block of expected findings.
    pub(crate) expected: Option<(usize, usize)>,
}

/// Reads the sections of a page.
pub(crate) fn sections(page: &str) -> Vec<Section> {
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

/// A repository with the files of a section, committed if there are two revisions. A rule that is off is enabled.
pub(crate) fn in_repository(rule: &str, is_off: bool, section: &Section) -> Repo {
    let repo = Repo::new();
    let has = |name: &str| section.before.iter().any(|f| f.0 == name);
    let is_unit =
        section.before.iter().any(|f| f.0.ends_with("terragrunt.hcl") || f.0.ends_with("terragrunt.stack.hcl"));
    if !is_unit && !PROJECTS.iter().any(|p| has(p)) {
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
    let Some(after) = &section.after else { return repo };
    repo.commit("before");
    for (path, text) in after {
        if text.is_empty() {
            repo.remove(path)
        } else {
            repo.write(path, text)
        };
    }
    repo.commit("after");
    repo
}

/// Runs a section. A rule that is off is enabled.
pub(crate) fn run(rule: &str, is_off: bool, section: &Section) -> Run {
    let repo = in_repository(rule, is_off, section);
    if section.after.is_none() {
        return repo.run(&["check", "--format", "concise"]);
    }
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

/// One test for each page, and that of all of them.
pub(crate) fn trials() -> Vec<Trial> {
    let tested = pages().into_iter().filter(|(rule, _)| !is_unregistered(rule));
    let tested = tested.map(|(rule, path)| judged(format!("pages::{rule}"), move || is_true(&rule, &path)));
    std::iter::once(trial("pages::every_page_is_of_a_rule", every_page_is_of_a_rule)).chain(tested).collect()
}

fn every_page_is_of_a_rule() {
    for (rule, path) in pages() {
        let is_known = stacklint::testing::rule_ids().contains(&rule.as_str()) || is_unregistered(&rule);
        assert!(is_known, "{} documents a rule that does not exist", path.display());
    }
}

/// Tests a page, or writes its findings anew.
fn is_true(rule: &str, path: &Path) -> Result<(), String> {
    let page = std::fs::read_to_string(path).unwrap();
    let (renewed, mut problems) = tested(rule, stacklint::testing::is_off_by_default(rule), &page);
    if renewed != page {
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(path, &renewed).unwrap();
        } else {
            let new: Vec<&str> = renewed.lines().filter(|l| !page.contains(l)).collect();
            problems.push(format!("the findings differ; UPDATE_PAGES=1 writes them anew:\n{}", new.join("\n")));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n\n")) }
}
