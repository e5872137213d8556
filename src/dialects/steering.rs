//! Files that steer what runs and that no configuration names: they select programs and their settings, hold what a run keeps
//! in the folder of its code, say what a checkout makes of the files, or run the programs.

use super::search::lies_below;
use crate::code::{is_document, is_pipeline};
use crate::paths::{name, parent};
use crate::source::{Entry, EntryPair, Source, differences};
use crate::text::Text;

/// Files that select the version of a program, its settings, its environment, or the units that it leaves out.
const FILES: [&str; 21] = [
    ".env",
    ".envrc",
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
    ".tool-versions",
    "atlantis.yaml",
    "digger.yml",
    "mise.toml",
    "terraform.rc",
    "terraform.tfstate",
];
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
/// Attributes that change nothing of a checkout.
const WITHOUT_EFFECT: [&str; 8] =
    ["conflict-marker-size", "delta", "diff", "encoding", "export-ignore", "export-subst", "merge", "whitespace"];

/// The files that steer what runs in some folders, and that differ: sorted paths.
pub(crate) fn differing(sources: [&dyn Source; 2], folders: &[&str]) -> Vec<Text> {
    let [base, head] = sources;
    let concerns = |path: &str| {
        let above = parent(path);
        folders.iter().any(|folder| lies_below(path, folder) || above.is_empty() || lies_below(folder, above))
    };
    let steers = |pair: &EntryPair<'_>| match name(pair.path()) {
        ATTRIBUTES => attributes(base, pair.before) != attributes(head, pair.after),
        name => FILES.contains(&name) || parent(pair.path()).split('/').any(|folder| FOLDERS.contains(&folder)),
    };
    let runs = |pair: &EntryPair<'_>| {
        let is_workflow = name(parent(pair.path())) == WORKFLOWS;
        (is_workflow || is_pipeline(pair.path()) || RUNNERS.contains(&name(pair.path())))
            && !is_document(pair.path())
            && (names_programs(base, pair.before) || names_programs(head, pair.after))
    };
    let all = differences(base.listing(), head.listing());
    all.iter()
        .filter(|pair| steers(pair) && concerns(pair.path()) || runs(pair))
        .map(|pair| Text::from(pair.path()))
        .collect()
}

/// Whether a file has the name of a program that deploys; a file that cannot be read may have it.
fn names_programs(source: &dyn Source, entry: Option<&Entry>) -> bool {
    let Some(entry) = entry else { return false };
    let Ok(bytes) = source.read(entry) else { return true };
    let text = String::from_utf8_lossy(&bytes);
    text.split(|c: char| !c.is_alphanumeric()).any(|word| PROGRAMS.contains(&word))
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
