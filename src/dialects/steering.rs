//! Files that steer what runs and that no configuration names: they select programs and their settings, hold what a run keeps
//! in the folder of its code, say what a checkout makes of the files, or run the programs.

use super::search::lies_below;
use crate::code::{is_aside, is_document, is_pipeline};
use crate::paths::{name, parent};
use crate::source::{Entry, EntryPair, Error, Source, differences};
use crate::text::Text;

/// Files that select the version of a program, its settings, its environment, or the units that it leaves out.
const FILES: [&str; 32] = [
    ".mise.local.toml",
    ".mise.toml",
    ".opentofu-version",
    ".terraform-version",
    ".terraformignore",
    ".terraformrc",
    ".terragrunt-excludes",
    ".terragrunt-filters",
    ".terragrunt-version",
    ".tfswitch.toml",
    ".tfswitchrc",
    ".tgswitch.toml",
    ".tgswitchrc",
    ".tofurc",
    ".prototools",
    ".tool-versions",
    "aqua.yaml",
    "atlantis.yaml",
    "devbox.json",
    "digger.yaml",
    "digger.yml",
    "env0.yaml",
    "env0.yml",
    "flake.lock",
    "flake.nix",
    "mise.lock",
    "mise.local.toml",
    "mise.toml",
    "shell.nix",
    "spacelift.yaml",
    "terraform.rc",
    "terraform.tfstate",
];
/// How the names of others begin, and end: the environment, settings of Terraform, and plans that are applied as they are.
const BEGINNINGS: [&str; 1] = [".env"];
const ENDINGS: [&str; 3] = [".tfplan", ".tfrc", ".tfrc.json"];
/// How the names of samples of these end.
const SAMPLES: [&str; 4] = [".dist", ".example", ".sample", ".template"];
/// Folders of settings of programs.
const SETTINGS: [&str; 4] = [".config/mise", ".mise", ".spacelift", ".terrateam"];
/// Folders in which a run keeps its workspace, its backend, its modules and its providers, and states.
const FOLDERS: [&str; 4] = [".terraform", ".terragrunt-cache", "terraform.d", "terraform.tfstate.d"];
/// The file of attributes.
const ATTRIBUTES: &str = ".gitattributes";
/// Files that run commands, besides those of pipelines that lie in folders of their own.
const RUNNERS: [&str; 7] = [
    "Jenkinsfile",
    "Makefile",
    "Taskfile.yaml",
    "Taskfile.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "justfile",
];
/// The name of folders of such files.
const WORKFLOWS: &str = "workflows";
/// The programs that deploy, or that start these.
const PROGRAMS: [&str; 8] = ["atlantis", "atmos", "digger", "garden", "stacklint", "terraform", "terragrunt", "tofu"];
/// What these are told to do. In any file but one that is compared, such a command is one that may be run.
const COMMANDS: [&str; 25] = [
    "apply",
    "check",
    "ci",
    "cleanup",
    "deploy",
    "destroy",
    "diff",
    "force-unlock",
    "helmfile",
    "import",
    "init",
    "packer",
    "plan",
    "refresh",
    "run",
    "run-all",
    "stack",
    "state",
    "taint",
    "terraform",
    "unlock",
    "untaint",
    "up",
    "workflow",
    "workspace",
];
/// Of these, what is said to nothing that only builds or tests: whatever a variable stands for is told to deploy by it.
const DEPLOYING: [&str; 6] = ["apply", "destroy", "force-unlock", "run-all", "taint", "untaint"];
/// The programs that run a task by its name, and the words in the names of those that deploy.
const TASKS: [&str; 5] = ["gmake", "just", "make", "mage", "task"];
const OF_TASKS: [&str; 3] = ["apply", "deploy", "destroy"];
/// How lines begin that are comments.
const COMMENTS: [&str; 5] = ["#", "//", "*", "--", "<!--"];
/// So many options and their values before a command are looked at.
const MAX_OPTIONS: usize = 100;
/// Larger files are no scripts.
const MAX_SCRIPT: usize = 1 << 20;
/// The endings of files with steps or scripts: of shells, of languages that scripts are written in, of pipelines and of lists of tasks.
/// Files without one may be such, too; other texts only tell of commands.
const STEPS: [&str; 24] = [
    "bash", "bat", "bazel", "cjs", "cmd", "fish", "gradle", "groovy", "hcl", "j2", "js", "json", "just", "ksh", "mjs",
    "mk", "pl", "ps1", "py", "rb", "sh", "toml", "ts", "zsh",
];
/// Attributes that change nothing of a checkout.
const WITHOUT_EFFECT: [&str; 8] =
    ["conflict-marker-size", "delta", "diff", "encoding", "export-ignore", "export-subst", "merge", "whitespace"];

/// The files that steer what runs in some folders, and that differ: sorted paths. What is compared anyway steers by what it makes
/// different, and not by the commands in it.
pub(crate) fn differing(sources: [&dyn Source; 2], folders: &[&str], is_compared: impl Fn(&str) -> bool) -> Vec<Text> {
    let [base, head] = sources;
    let concerns = |path: &str| {
        let above = parent(path);
        folders.iter().any(|folder| lies_below(path, folder) || above.is_empty() || lies_below(folder, above))
    };
    let steers = |pair: &EntryPair<'_>| match name(pair.path()) {
        ATTRIBUTES => attributes(base, pair.before) != attributes(head, pair.after),
        name => {
            let is_sample = SAMPLES.iter().any(|ending| name.ends_with(ending));
            let is_named = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && !is_sample
                || ENDINGS.iter().any(|ending| name.ends_with(ending));
            let folder = parent(pair.path());
            let is_setting = SETTINGS.iter().any(|one| folder == *one || folder.ends_with(&format!("/{one}")));
            let is_kept = folder.split('/').any(|folder| FOLDERS.contains(&folder));
            FILES.contains(&name) || is_named || is_setting || is_kept
        }
    };
    let runs = |pair: &EntryPair<'_>| {
        is_runner(pair.path())
            && !is_document(pair.path())
            && (names_programs(base, pair.before) || names_programs(head, pair.after))
    };
    let commands = |pair: &EntryPair<'_>| {
        (is_runner(pair.path()) && !is_document(pair.path()) || !is_aside(pair.path()))
            && (has_command(base, pair.before) || has_command(head, pair.after))
            && !is_compared(pair.path())
    };
    let all = differences(base.listing(), head.listing());
    all.iter()
        .filter(|pair| steers(pair) && concerns(pair.path()) || runs(pair) || commands(pair))
        .map(|pair| Text::from(pair.path()))
        .collect()
}

/// Whether a file says what a pipeline or a tool for tasks runs, by its place or its name.
fn is_runner(path: &str) -> bool {
    name(parent(path)) == WORKFLOWS || is_pipeline(path) || RUNNERS.contains(&name(path))
}

/// Whether a file has the name of a program that deploys; a file that cannot be read may have it.
fn names_programs(source: &dyn Source, entry: Option<&Entry>) -> bool {
    let Some(entry) = entry else { return false };
    let Ok(bytes) = source.read(entry) else { return true };
    let text = String::from_utf8_lossy(&bytes);
    text.split(|c: char| !c.is_alphanumeric()).any(|word| PROGRAMS.contains(&word))
}

/// Whether a file has a line that tells a program to deploy something, or that it is about to: `terraform -chdir=infra apply`. A script
/// that cannot be read may have one.
fn has_command(source: &dyn Source, entry: Option<&Entry>) -> bool {
    let Some(entry) = entry else { return false };
    match source.read(entry) {
        Ok(bytes) if bytes.len() > MAX_SCRIPT || bytes.contains(&0) || !may_run(&entry.path, &bytes) => false,
        Ok(bytes) => String::from_utf8_lossy(&bytes).replace("\\\n", " ").lines().any(is_command),
        Err(Error::TooLarge { .. }) => false,
        Err(_) => may_run(&entry.path, b""),
    }
}

/// Whether what a file says may be run: by its ending, or as a program that names its interpreter.
fn may_run(path: &str, bytes: &[u8]) -> bool {
    let extension = name(path).rsplit_once('.').map(|(_, extension)| extension);
    bytes.starts_with(b"#!")
        || extension.is_none_or(|extension| STEPS.contains(&extension) || matches!(extension, "yml" | "yaml"))
}

/// Whether a line is a command of a program, in whatever it is written: a script, a list of arguments.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    if COMMENTS.iter().any(|comment| line.starts_with(comment)) {
        return false;
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '[' | ']' | '(' | ')' | ';' | '|');
    let words: Vec<&str> = line.split(is_end).filter(|word| !word.is_empty()).collect();
    let is_program = |word: &str| {
        word.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| PROGRAMS.iter().any(|program| part.eq_ignore_ascii_case(program)))
    };
    let is_variable = |at: usize| {
        let in_brackets = at.checked_sub(1).is_some_and(|before| words[before].ends_with('$'));
        let is_of_batch = words[at].starts_with('%') && words[at].ends_with('%');
        in_brackets || words[at].len() > 1 && (words[at].starts_with('$') || is_of_batch)
    };
    let deploys = |word: &str| OF_TASKS.iter().any(|task| word.split(['-', '_', ':', '.']).any(|part| part == *task));
    words.iter().enumerate().any(|(at, word)| {
        let rest = &words[at + 1..];
        is_program(word) && is_told(rest, |word| COMMANDS.contains(&word))
            || is_variable(at) && is_told(rest, |word| DEPLOYING.contains(&word))
            || TASKS.contains(word) && is_told(rest, deploys)
    })
}

/// Whether the words after the name of a program begin with a command: options, each of which may have a value, come before it. Of
/// very many options it is not known what they are options of.
fn is_told(words: &[&str], is_command: impl Fn(&str) -> bool) -> bool {
    let mut may_be_value = false;
    for word in words.iter().take(MAX_OPTIONS) {
        let is_option = word.starts_with(['-', '$', '{']);
        if is_command(word) {
            return true;
        }
        if !is_option && !may_be_value {
            return false;
        }
        may_be_value = is_option;
    }
    words.len() > MAX_OPTIONS
}

/// The lines of a file of attributes, with what may change a checkout; `None` if the file cannot be read.
fn attributes(source: &dyn Source, entry: Option<&Entry>) -> Option<Vec<String>> {
    let Some(entry) = entry else { return Some(Vec::new()) };
    let bytes = source.read(entry).ok()?;
    let has_effect = |word: &&str| {
        let attribute = word.trim_start_matches(['-', '!']);
        let attribute = attribute.split_once('=').map_or(attribute, |(name, _)| name);
        !WITHOUT_EFFECT.contains(&attribute) && !["linguist-", "gitlab-"].iter().any(|tool| attribute.starts_with(tool))
    };
    let line = |line: &str| {
        let mut words = line.split_whitespace().filter(|_| !line.trim_start().starts_with('#'));
        let pattern = words.next()?;
        let words: Vec<&str> = words.filter(has_effect).collect();
        (!words.is_empty()).then(|| format!("{pattern} {}", words.join(" ")))
    };
    Some(String::from_utf8_lossy(&bytes).lines().filter_map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::{is_command, may_run};

    #[test]
    fn texts_that_tell_of_commands_run_nothing() {
        for (path, text, expected) in [
            ("scripts/deploy", "x", true),
            ("a/Makefile", "x", true),
            ("a/b.sh", "x", true),
            ("a/b.yaml", "x", true),
            ("a/notes.txt", "x", false),
            ("a/tool.txt", "#!/bin/sh\n", true),
            ("a/main_test.go", "x", false),
        ] {
            assert_eq!(may_run(path, text.as_bytes()), expected, "{path}");
        }
    }

    #[test]
    fn very_many_options_are_a_command() {
        let options = |count: usize| format!("terraform{} fmt", " -x".repeat(count));
        assert!(!is_command(&options(90)) && is_command(&options(110)));
    }

    #[test]
    fn commands_of_programs() {
        for line in [
            "terraform apply -auto-approve",
            "  - run: terraform -chdir=infra apply",
            "subprocess.run([\"tofu\", \"plan\"])",
            "\"deploy\": \"terragrunt --working-dir live run --all apply\",",
            "\t@$(TERRAFORM) apply",
            "${TF:-terraform} destroy",
            "docker run hashicorp/terraform:1.9 apply",
            "for c in a b; do atmos terraform deploy $c -s prod; done",
            "garden --env=prod deploy",
            "stacklint ci || true",
            "$tool apply",
            "\"${RUN}\" -chdir=infra destroy",
            "%TOOL% apply",
            "\t@$(CMD) run-all plan",
            "- run: make deploy",
            "make -C infra tf-apply ENV=prod",
            "task infra:destroy",
        ] {
            assert!(is_command(line), "{line}");
        }
        for line in [
            "# terraform apply",
            "// terraform apply",
            "terraform fmt -check",
            "the terraform modules of this folder plan nothing",
            "cd infra/terraform && ls",
            "terraform = \"1.9\"",
            "apply terraform",
            "$(CARGO) run",
            "$NPM ci && $NODE check",
            "make test",
            "make deployment-docs",
            "npm run deploy",
            "the task is to deploy it",
            "5% of all apply",
            "terraform",
        ] {
            assert!(!is_command(line), "{line}");
        }
    }
}
