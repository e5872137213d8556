//! Ignore files: the patterns of git's `.gitignore`.

use super::config::ProjectConfig;
use super::load::Loader;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::limits::take_steps;
use crate::paths::{self, parent, seen_from};
use crate::source::glob;
use crate::text::Text;

/// The steps that it takes to compare a path with a pattern.
const STEPS_OF_A_PATTERN: u64 = 3;

/// The ignore files of a project.
#[derive(Debug, Default)]
pub(crate) struct Ignores {
    /// The folder of the project, from the root of the repository.
    dir: String,
    files: Vec<IgnoreFile>,
    /// The texts of the files with their paths.
    texts: Vec<(String, Text)>,
}

impl Ignores {
    /// Reads the ignore files of a project. Those of git are irrelevant: committed files are no longer ignored.
    pub(crate) fn read(loader: &Loader<'_>, config: &ProjectConfig, diagnostics: &Diagnostics) -> Self {
        let dir = config.dir.as_str();
        let earlier = || config.tree.get("dotIgnoreFiles")?.as_list()?.first()?.as_text().map(|text| text.as_str());
        let name = config.text("dotIgnoreFile").or_else(earlier).unwrap_or(".gardenignore");
        let mut found = Ignores { dir: dir.to_owned(), ..Ignores::default() };
        for entry in loader.reader.below(dir, name).into_iter().filter(|entry| paths::name(&entry.path) == name) {
            if let Some(text) = loader.text(&entry.path, diagnostics) {
                found.files.push(IgnoreFile::read(parent(seen_from(dir, &entry.path)), &text));
                found.texts.push((entry.path.to_string(), text));
            }
        }
        found
    }

    /// Whether they exclude a path (relative to the root of the repository).
    pub(crate) fn leave_out(&self, path: &str) -> bool {
        is_ignored(&self.files, seen_from(&self.dir, path))
    }

    /// Whether others are equal.
    pub(crate) fn is_same(&self, other: &Ignores) -> bool {
        self.texts == other.texts
    }
}

/// The patterns of one ignore file.
#[derive(Debug)]
struct IgnoreFile {
    /// The folder that it is in, from the root of the project; empty for that.
    dir: String,
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    /// Whether it takes back what earlier ones ignore.
    negated: bool,
    /// Whether it means folders alone.
    folders: bool,
    glob: String,
}

impl IgnoreFile {
    /// Reads an ignore file.
    fn read(dir: &str, text: &str) -> Self {
        let patterns = text.lines().filter_map(|line| {
            let line = line.trim_end_matches('\r');
            let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
            let (negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
            if line.is_empty() || line.starts_with('#') {
                return None;
            }
            let line = line.strip_prefix("\\#").map_or_else(|| line.to_owned(), |rest| format!("#{rest}"));
            let (folders, line) = line.strip_suffix('/').map_or((false, line.as_str()), |rest| (true, rest));
            let glob = match line.strip_prefix('/') {
                Some(anchored) => anchored.to_owned(),
                None if line.contains('/') => line.to_owned(),
                None => format!("**/{line}"),
            };
            Some(Pattern { negated, folders, glob })
        });
        IgnoreFile { dir: dir.to_owned(), patterns: patterns.collect() }
    }

    /// Whether it ignores a path (relative to the root of the project), re-includes it, or does not match it.
    fn verdict(&self, path: &str, is_folder: bool) -> Option<bool> {
        let inside = match self.dir.as_str() {
            "" => path,
            dir => path.strip_prefix(dir)?.strip_prefix('/')?,
        };
        take_steps(self.patterns.len() as u64 * STEPS_OF_A_PATTERN);
        let matching = self.patterns.iter().rev().find(|pattern| {
            (is_folder || !pattern.folders) && glob::path_match(&pattern.glob, inside).unwrap_or(false)
        });
        matching.map(|pattern| !pattern.negated)
    }
}

/// Whether ignore files exclude a path (relative to the root of the project): the path itself or a parent folder. Files
/// in an ignored folder cannot be re-included.
fn is_ignored(files: &[IgnoreFile], path: &str) -> bool {
    let ends = path.match_indices('/').map(|(i, _)| (i, true)).chain([(path.len(), false)]);
    for (end, is_folder) in ends {
        let part = &path[..end];
        // A file in a subfolder takes precedence.
        let verdict = files.iter().filter_map(|file| Some((file.dir.len(), file.verdict(part, is_folder)?)));
        if verdict.max_by_key(|(depth, _)| *depth).is_some_and(|(_, ignored)| ignored) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_git() {
        let files = [
            IgnoreFile::read("", "# no\ngenerated/\n*.tmp.yml\n!generated/keep\n/legacy/*\n!/legacy/alive\n"),
            IgnoreFile::read("services", "drafts\n!x.tmp.yml"),
        ];
        for (path, expected) in [
            ("generated/a.yml", true),
            ("generated/keep/a.yml", true),
            ("deep/generated/a.yml", true),
            ("generated", false),
            ("a.tmp.yml", true),
            ("services/x.tmp.yml", false),
            ("services/drafts/a.yml", true),
            ("drafts/a.yml", false),
            ("legacy/dead/a.yml", true),
            ("legacy/alive/a.yml", false),
        ] {
            assert_eq!(is_ignored(&files, path), expected, "{path}");
        }
    }
}
