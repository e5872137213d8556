//! The fenced blocks of pages, with what comments of a page say about how they are tested:
//!
//! - `<!-- example: NAME -->`: the blocks below run in this example of `stacklint demo`, or in the `files` of the page: the
//!   blocks that the line before names. Without it, the example is that of Atmos.
//! - `<!-- not run: WHY -->` on a line above a block: it is not run.
//! - `<!-- tested by PATH -->`: that file tests everything below.

use crate::common::fixture;
use std::path::PathBuf;

/// A fenced block.
pub(super) struct Block {
    pub(super) language: String,
    pub(super) content: String,
    /// The file that the line before names: `` `path`: ``.
    pub(super) name: Option<String>,
    /// The line of the opening fence, from 1.
    pub(super) line: usize,
    /// The repository that it runs in.
    pub(super) example: String,
    /// Why it is not run, if it is not.
    pub(super) not_run: Option<String>,
}

/// The root of the checkout.
pub(super) fn root() -> PathBuf {
    fixture("..")
}

/// Returns a page, by its path from the root.
pub(super) fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|e| panic!("{page}: {e}")).replace("\r\n", "\n")
}

/// The paths of README and all pages in `docs`, without those of rules.
pub(super) fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/start", "docs/ci"] {
        let names = std::fs::read_dir(root().join(folder)).expect("a folder of pages");
        let names = names.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        pages.extend(names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")));
    }
    pages.sort();
    pages
}

/// The text of a page outside of fenced blocks, split at backticks: every second part is code.
pub(super) fn inline(text: &str) -> Vec<String> {
    let (mut result, mut fence) = (String::new(), None::<String>);
    for line in text.lines() {
        let ticks: String = line.trim_start().chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if ticks == *open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => result.push_str(line),
        }
        result.push('\n');
    }
    result.split('`').map(str::to_owned).collect()
}

/// The text of a comment of the page that begins with this word.
fn comment<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(word).map(str::trim)
}

/// The paths of all Markdown files for users: [`pages`], those of rules, and those beside README.
pub(super) fn all_pages() -> Vec<String> {
    let mut all = pages();
    all.extend(["CHANGELOG", "CONTRIBUTING", "SECURITY", "SHORTCOMINGS"].map(|name| format!("{name}.md")));
    let rules = std::fs::read_dir(root().join("docs/rules")).expect("pages of rules");
    all.extend(rules.map(|entry| format!("docs/rules/{}", entry.expect("an entry").file_name().display())));
    all
}

/// The blocks of a page, up to the comment that says that something else tests the rest.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let text = read(page);
    let end = text.lines().position(|line| comment(line, "tested by ").is_some());
    let found = all(page);
    match end {
        Some(end) => found.into_iter().filter(|block| block.line <= end).collect(),
        None => found,
    }
}

/// All blocks of a page.
pub(super) fn all(page: &str) -> Vec<Block> {
    let text = read(page);
    let lines: Vec<&str> = text.lines().collect();
    let (mut found, mut example, mut not_run, mut name) = (Vec::new(), "atmos".to_owned(), None, None);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(path) = comment(line, "tested by ") {
            assert!(root().join(path).exists(), "{page}:{}: {path} does not exist", at + 1);
        } else if let Some(of) = comment(line, "example: ") {
            of.clone_into(&mut example);
        } else if let Some(why) = comment(line, "not run: ") {
            not_run = Some(why.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let end = (at + 1..lines.len()).find(|i| lines[*i] == "```").expect("a closed fence");
            let content = lines[at + 1..end].iter().fold(String::new(), |text, line| text + line + "\n");
            let (language, example) = (language.to_owned(), example.clone());
            found.push(Block { language, content, name: name.take(), line: at + 1, example, not_run: not_run.take() });
            at = end;
        } else if !line.is_empty() {
            name = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:")).map(str::to_owned);
        }
        at += 1;
    }
    found
}
