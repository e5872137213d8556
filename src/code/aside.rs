//! Files that lie in folders of code and are no part of it, as far as no code names them: documents, tests, examples, and what tools
//! around a project read.

use crate::hcl::items::{Item, items};
use crate::paths::{join, name, parent};
use crate::source::{Node, Source};
use crate::terraform::load::names::{Syntax, configuration};
use crate::terraform::reach::Reach;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Folders of the tools around a project: they see it, and it does not see them.
const TOOLS: [&str; 6] = [".circleci", ".devcontainer", ".github", ".gitlab", ".idea", ".vscode"];
/// The same for files.
const TOOL_FILES: [&str; 8] = [
    ".editorconfig",
    ".gitignore",
    ".gitlab-ci.yml",
    ".pre-commit-config.yaml",
    ".terraform-docs.yml",
    ".tflint.hcl",
    "renovate.json",
    "stacklint.toml",
];
/// Files that say what a pipeline runs, and folders of them, seen from the root of the repository.
const PIPELINES: [&str; 6] =
    [".circleci", ".github/actions", ".github/scripts", ".github/workflows", ".gitlab", ".gitlab-ci.yml"];
/// Folders of tests and examples.
const TESTS: [&str; 4] = ["example", "examples", "testdata", "tests"];
/// The same beside code only: further down, and around code, it may be an environment.
const TEST: &str = "test";
/// How files of tests end.
const TEST_FILES: [&str; 3] = [".tftest.hcl", ".tftest.json", ".tofutest.hcl"];

/// Whether a file only documents or tests what is in a folder, or is for tools around that. The path is seen from there: a project
/// may lie in a folder of examples.
pub(crate) fn is_aside(path: &str) -> bool {
    let is_test = parent(path).split('/').any(|folder| TESTS.contains(&folder)) || path.split('/').next() == Some(TEST);
    is_apart(path) || is_test
}

/// Whether a file that lies in no folder of code only documents, or is for tools, by its name. Folders that are called so may have
/// scripts and values of an environment.
pub(crate) fn is_apart(path: &str) -> bool {
    let is_tool =
        path.split('/').next().is_some_and(|folder| TOOLS.contains(&folder)) || TOOL_FILES.contains(&name(path));
    is_document(path) || is_tool || TEST_FILES.iter().any(|ending| name(path).ends_with(ending))
}

/// Whether a file says what a pipeline runs. The path is from the root of the repository.
pub(crate) fn is_pipeline(path: &str) -> bool {
    PIPELINES.iter().any(|one| path.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// What the configuration of a revision has in its texts: what a provider or a command reads is only named there.
pub(crate) struct Mentions<'a> {
    source: &'a dyn Source,
    /// The files of folders of code, without comments.
    texts: RefCell<HashMap<String, Rc<Vec<String>>>>,
    /// What these are made of.
    words: RefCell<HashMap<String, Rc<Words>>>,
}

/// The words of texts, and the values of arguments for paths.
struct Words {
    plain: HashSet<String>,
    paths: HashSet<String>,
}

impl<'a> Mentions<'a> {
    pub(crate) fn new(source: &'a dyn Source) -> Self {
        Mentions { source, texts: RefCell::default(), words: RefCell::default() }
    }

    /// Whether the code around a file has its name, or that of the folder that leads to it, in a text.
    pub(crate) fn has(&self, reach: &Reach, path: &str) -> bool {
        let first = reach.seen_from_code(path).and_then(|below| below.split('/').next());
        let in_folder = |folder, first: &str| self.of_folder(folder).iter().any(|text| has_word(text, first));
        first.is_some_and(|first| reach.all_folders().any(|folder| in_folder(folder, first)))
    }

    /// Whether the code around a file names it by a word, as commands do, or the folder that leads to it by an argument for a path.
    pub(crate) fn calls(&self, reach: &Reach, path: &str) -> bool {
        let Some(below) = reach.seen_from_code(path) else { return false };
        reach.all_folders().any(|folder| {
            let words = self.words(folder);
            match below.split_once('/') {
                None => words.plain.contains(below),
                Some((first, _)) => words.paths.contains(first),
            }
        })
    }

    fn words(&self, folder: &str) -> Rc<Words> {
        if let Some(known) = self.words.borrow().get(folder) {
            return Rc::clone(known);
        }
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/' | '\\' | '=' | '}' | '(');
        let texts = self.of_folder(folder);
        let found = Rc::new(Words {
            plain: texts.iter().flat_map(|text| text.split(is_end).map(str::to_owned)).collect(),
            paths: texts.iter().flat_map(|text| paths_in(text)).map(str::to_owned).collect(),
        });
        self.words.borrow_mut().insert(folder.to_owned(), Rc::clone(&found));
        found
    }

    fn of_folder(&self, folder: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.texts.borrow().get(folder) {
            return Rc::clone(known);
        }
        let listing = self.source.listing();
        let names = listing.children(folder).into_iter().filter_map(|(name, _)| Some((name, configuration(name)?.2)));
        let texts = names.filter_map(|(name, syntax)| {
            let Ok(Node::File(entry)) = listing.lookup(&join(folder, name)) else { return None };
            let bytes = self.source.read(entry).ok()?;
            let text = std::str::from_utf8(&bytes).ok()?;
            // Comments say nothing.
            let text = match syntax {
                Syntax::Native => items(text).iter().map(Item::text).collect(),
                _ => text.to_owned(),
            };
            Some(text.split('\u{1f}').collect())
        });
        let found = Rc::new(texts.collect::<Vec<String>>());
        self.texts.borrow_mut().insert(folder.to_owned(), Rc::clone(&found));
        found
    }
}

/// How names of arguments end whose values are paths. Any text may be called like a folder: `env = "dev"`, `profile = "dev"`.
const OF_PATHS: [&str; 7] = ["chart", "dir", "directory", "file", "folder", "path", "source"];

/// The values of the arguments of a configuration that are for paths.
fn paths_in(text: &str) -> Vec<&str> {
    let pieces: Vec<&str> = text.split('"').collect();
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_path = |i: &usize| {
        let argument = match pieces[i - 1].trim_end().strip_suffix(['=', ':']) {
            // A key of JSON has quotes.
            Some("") if *i > 1 => pieces[i - 2],
            Some(before) => before.trim_end().rsplit(is_end).next().unwrap_or_default(),
            None => return false,
        };
        argument.rsplit(['_', '-']).next().is_some_and(|word| OF_PATHS.contains(&word))
    };
    (1..pieces.len()).filter(is_path).map(|i| pieces[i]).collect()
}

/// Whether a text has a word of a path.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/' | '\\');
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        before.is_none_or(|c| is_end(c) || matches!(c, '=' | '}' | '(')) && after.is_none_or(is_end)
    })
}

pub(crate) fn is_document(path: &str) -> bool {
    let name = name(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    matches!(extension, "md" | "markdown" | "rst" | "adoc")
        || matches!(extension, "" | "txt") && matches!(stem, "LICENSE" | "CODEOWNERS" | "NOTICE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_for_paths() {
        assert_eq!(
            paths_in(
                "source_dir=\"src\"\nenv=\"dev\"\nprofile=\"dev\"\nsource_profile=\"dev\"\nx=[\"a\"]\nchart = \"c\"\n"
            ),
            ["src", "c"]
        );
        assert_eq!(paths_in("{\"source_dir\": \"src\", \"env\": \"dev\"}"), ["src"]);
    }
}
