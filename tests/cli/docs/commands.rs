//! Every command and every file of a page is tried.

use super::blocks::{Block, all_pages, blocks, inline, pages, read, root};
use super::ci::scripts;
use crate::common::{Repo, bin, fixture};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Programs that pages call beside `stacklint` and git: here they read their input and print an empty object.
const OTHERS: [&str; 11] = [
    "reviewdog",
    "pip",
    "tofu",
    "terraform",
    "atmos",
    "terragrunt",
    "npm",
    "code",
    "jq",
    "spacectl",
    "buildkite-agent",
];

/// What systems say to the scripts of their pages.
const VARIABLES: &str = "export GITLAB_CI=true CI_COMMIT_SHA=$(git rev-parse HEAD) CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse main) \
    CI_PIPELINE_SOURCE=merge_request_event CI_MERGE_REQUEST_IID=1 BASE_BRANCH_NAME=main GITHUB_BASE_REF=main BUILDKITE=true\n";

/// What stands for cargo: `cargo run -- ARGUMENTS` is `stacklint ARGUMENTS`, everything else does nothing.
const CARGO: &str = "#!/bin/sh\n[ \"$1\" = run ] || exit 0\nshift 2\nexec stacklint \"$@\"\n";

/// Files that settings on pages name, with a content that makes them valid.
const NAMED: [(&str, &str); 6] = [
    ("infra/infra.yaml", "modules: []\n"),
    ("platform/eu/infra.yaml", "modules: []\n"),
    ("ci/accounts.yaml", ""),
    ("baseline.json", "{\"schema\": \"stacklint/baseline/v1\", \"findings\": []}"),
    ("schemas/providers.json", "{\"provider_schemas\": {\"registry.opentofu.org/acme/acme\": {}}}"),
    ("policies/addresses.rego", "package main\n\ndeny contains msg if { false; msg := \"\" }\n"),
];

/// A line of output that stands for any number of lines.
const OMITTED: &str = "…";

/// A repository, and a folder of programs beside it.
struct Place {
    repo: Repo,
    programs: PathBuf,
}

impl Place {
    /// An example of `stacklint demo`: `main` is its first commit, the branch `change` the second one. `files` is empty.
    fn new(example: &str) -> Self {
        let repo = Repo::new();
        let suffix = if example == "atmos" { String::new() } else { format!("-{example}") };
        if example != "files" {
            repo.copy(&fixture(&format!("demo{suffix}/base")), "").commit("base");
            repo.git(&["branch", "-M", "main"]);
            repo.git(&["checkout", "-q", "-b", "change"]);
            repo.copy(&fixture(&format!("demo{suffix}/head")), "").commit("head");
            repo.git(&["remote", "add", "origin", "."]);
            repo.git(&["fetch", "-q", "origin"]);
        }
        let programs = repo.beside("programs");
        std::fs::create_dir(&programs).expect("a folder");
        let place = Place { repo, programs };
        // Findings are no failure of an example, an unknown option is.
        let ours = format!("#!/bin/sh\n'{}' \"$@\"\ncode=$?\n[ $code -ne 2 ] || exit 2\n", bin().display());
        place.program("stacklint", &ours);
        place.program("cargo", CARGO);
        OTHERS.iter().for_each(|other| place.program(other, "#!/bin/sh\ncat >/dev/null\necho '{}'\n"));
        place
    }

    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.programs.join(name);
        std::fs::write(&path, text).expect("a program");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    }

    /// Runs a script, and returns everything that it prints.
    ///
    /// # Errors
    /// It fails: what it printed.
    fn run(&self, script: &str) -> Result<String, String> {
        let mut bash = Command::new("bash");
        bash.env_clear().stdin(Stdio::null()).current_dir(self.repo.root());
        bash.args(["-e", "-o", "pipefail", "-c", &format!("exec 2>&1\n{script}")]);
        bash.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display()));
        bash.env("HOME", "/nonexistent").env("TMPDIR", self.programs.parent().expect("a parent"));
        for role in ["AUTHOR", "COMMITTER"] {
            bash.env(format!("GIT_{role}_NAME"), "name").env(format!("GIT_{role}_EMAIL"), "name@example.net");
        }
        let output = bash.output().expect("bash");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        if output.status.success() { Ok(text) } else { Err(text) }
    }
}

/// The commands of a `console` block, each with the output that is shown.
fn commands(content: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in content.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("a block of `console` begins with a command: {content}"),
        }
    }
    found
}

/// Whether output is what is shown, where parts of it may be omitted.
fn is_shown(output: &str, shown: &str) -> bool {
    let mut rest = output;
    shown.split_inclusive(&format!("{OMITTED}\n")).enumerate().all(|(i, part)| {
        let (part, omits) = part.strip_suffix(&format!("{OMITTED}\n")).map_or((part, false), |part| (part, true));
        let Some(at) = rest.find(part) else { return false };
        let is_first = i > 0 || at == 0;
        rest = &rest[at + part.len()..];
        is_first && (omits || rest.is_empty())
    })
}

/// The output with blank lines around it removed: blocks separate commands by one.
fn trimmed(output: &str) -> String {
    let lines: Vec<&str> = output.trim_matches('\n').lines().map(str::trim_end).collect();
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

/// Tries a block, and returns its content with the output that its commands have.
fn tried(block: &Block, place: &Place) -> Result<String, String> {
    let parsed = |error: Option<String>| error.map_or(Ok(block.content.clone()), Err);
    if let (Some(name), "files") = (&block.name, &*block.example) {
        place.repo.write(name, &block.content);
        return parsed(None);
    }
    match &*block.language {
        "console" => {
            let mut content = String::new();
            for (command, shown) in commands(&block.content) {
                let output = trimmed(&place.run(&command).map_err(|text| format!("`{command}` fails:\n{text}"))?);
                let is_same = trimmed(&shown).trim().is_empty() || is_shown(&output, &trimmed(&shown));
                let separator = if shown.ends_with("\n\n") { "\n" } else { "" };
                let new = if is_same { shown } else { format!("{output}{separator}") };
                content += &format!("$ {command}\n{new}");
            }
            Ok(content)
        }
        "sh" => place.run(&block.content).map(|_| block.content.clone()),
        "toml" => {
            for (path, content) in NAMED.into_iter().chain([("stacklint.toml", &*block.content)]) {
                place.repo.write(path, content);
            }
            let result = place.run("stacklint config").map(|_| block.content.clone());
            place.repo.git(&["clean", "-q", "-d", "-f"]);
            result
        }
        "yaml" => {
            let value = yaml_serde::from_str::<serde_json::Value>(&block.content).map_err(|e| e.to_string())?;
            let mut all = Vec::new();
            scripts(&value, &mut all);
            for script in
                all.iter().filter(|script| script.contains("stacklint diff ") || script.contains("stacklint ci "))
            {
                let script = script.replace("$(Agent.TempDirectory)", "reports").replace("{{ .Flags.base }}", "main");
                place.run(&format!("mkdir -p reports\n{VARIABLES}{script}"))?;
                place.repo.git(&["clean", "-q", "-d", "-f"]);
            }
            parsed(None)
        }
        "json" => parsed(serde_json::from_str::<serde_json::Value>(&block.content).err().map(|e| e.to_string())),
        "text" => parsed(None),
        other => Err(format!("a block of `{other}` needs a comment `not run: WHY`")),
    }
}

/// Tries all blocks of a page, and returns what is wrong.
fn problems(page: &str) -> Vec<String> {
    let (mut places, mut text, mut problems) = (HashMap::new(), read(page), Vec::new());
    for block in blocks(page) {
        if block.not_run.is_some() {
            continue;
        }
        let place = places.entry(block.example.clone()).or_insert_with(|| Place::new(&block.example));
        match tried(&block, place) {
            Ok(content) if content == block.content => {}
            Ok(content) if std::env::var_os("UPDATE_PAGES").is_some() => {
                text = text.replace(&block.content, &content);
                std::fs::write(root().join(page), &text).expect("a written page");
            }
            Ok(content) => {
                problems.push(format!("{page}:{}: UPDATE_PAGES=1 shows what is printed:\n{content}", block.line));
            }
            Err(text) => problems.push(format!("{page}:{}: {text}", block.line)),
        }
    }
    problems
}

#[test]
fn every_block_of_a_page_is_true() {
    let pages = pages();
    let halves = pages.chunks(pages.len().div_ceil(2));
    let all: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            halves.map(|half| scope.spawn(|| half.iter().flat_map(|p| problems(p)).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(all.is_empty(), "{}", all.join("\n\n"));
}

#[test]
fn every_command_in_a_sentence_is_understood() {
    let mut commands = BTreeMap::new();
    for page in all_pages() {
        for code in inline(&read(&page)).iter().skip(1).step_by(2) {
            if let Some(arguments) = code.strip_prefix("stacklint ") {
                // One of the graphs.
                let arguments = arguments.replace("GRAPH", "imports");
                commands.insert(arguments.split_whitespace().collect::<Vec<_>>().join(" "), page.clone());
            }
        }
    }
    assert!(commands.len() > 50, "only {} commands were found", commands.len());
    let folder = Repo::plain();
    for (command, page) in commands {
        // What stands for several words is not an argument.
        let words = command.split_whitespace().filter(|word| *word != OMITTED).map(|word| word.trim_matches('\''));
        let arguments: Vec<&str> = words.chain(["--help"]).collect();
        let run = folder.run(&arguments);
        assert_eq!(run.status, 0, "{page}: `stacklint {command}` is not understood:\n{run}");
    }
}
