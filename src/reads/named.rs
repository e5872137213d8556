//! The files that a text names, such as a command, an expression or a script, and those that these name in turn.

use super::made_of;
use crate::paths;
use std::collections::BTreeSet;

/// How deep files are followed that name others.
const MAX_DEPTH: usize = 3;
/// How many files there may be, and how many paths are looked for.
const MAX_FILES: usize = 200;
const MAX_PATHS: usize = 50_000;

/// What is at a path.
pub(crate) enum Named {
    Nothing,
    /// A folder, or a file that names no others.
    Leaf,
    /// A file with this text.
    Text(String),
}

/// Looks for what a text names.
pub(crate) struct NamedFiles<'a> {
    /// The folders that paths may count from, from the root of the repository. Those in a file count from its folder too.
    pub folders: &'a [&'a str],
    /// Whether a word may be a path.
    pub may_name: &'a dyn Fn(&str) -> bool,
    /// Whether files are followed.
    pub into_files: bool,
}

impl NamedFiles<'_> {
    /// Visits the paths that the words of a text lead to, each once, whether something is there or not, with the number of files
    /// in between. Returns whether these are all, as deep as files are followed: there may be too many.
    pub(crate) fn visit(&self, text: &str, visit: &mut dyn FnMut(&str, usize) -> Named) -> bool {
        let (mut seen, mut files) = (BTreeSet::new(), 0);
        let mut open = vec![(text.to_owned(), None::<String>, 0)];
        while let Some((text, beside, depth)) = open.pop() {
            for word in made_of::words(&text).into_iter().filter(|word| (self.may_name)(word)) {
                let folders = self.folders.iter().copied().chain(beside.as_deref());
                let paths: BTreeSet<String> = folders.filter_map(|folder| paths::resolve(folder, word)).collect();
                for path in paths.into_iter().filter(|path| !path.is_empty()) {
                    if seen.len() >= MAX_PATHS || files >= MAX_FILES {
                        return false;
                    }
                    if !seen.insert(path.clone()) {
                        continue;
                    }
                    let found = visit(&path, depth);
                    files += usize::from(!matches!(found, Named::Nothing));
                    if let Named::Text(text) = found
                        && self.into_files
                        && depth < MAX_DEPTH
                    {
                        open.push((text, Some(paths::parent(&path).to_owned()), depth + 1));
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths that exist and are visited, and whether that is all.
    fn visited(files: &[(&str, String)], text: &str) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        let named = NamedFiles { folders: &["", "bin"], may_name: &|_| true, into_files: true };
        let is_all = named.visit(text, &mut |path, _| match files.iter().find(|(file, _)| *file == path) {
            Some((_, text)) => {
                found.push(path.to_owned());
                Named::Text(text.clone())
            }
            None => Named::Nothing,
        });
        (found, is_all)
    }

    #[test]
    fn scripts_are_followed() {
        let noise: String = (0..2_000).map(|n| format!("word{n} ")).collect();
        let files = [("bin/a.sh", format!("{noise}\ncat \"$DIR/../data/x\"")), ("data/x", "end".to_owned())];
        assert_eq!(visited(&files, "bash bin/a.sh"), (vec!["bin/a.sh".to_owned(), "data/x".to_owned()], true));
        assert_eq!(visited(&files, "a.sh").0, ["bin/a.sh", "data/x"]);
        assert_eq!(visited(&files, "../a.sh /etc/passwd"), (Vec::new(), true));
    }

    #[test]
    fn what_is_not_looked_for_is_said() {
        let names: Vec<String> = (0..MAX_FILES + 1).map(|n| format!("f{n}")).collect();
        let chain: Vec<(&str, String)> =
            names.iter().enumerate().map(|(n, name)| (name.as_str(), format!("f{}", n + 1))).collect();
        assert_eq!(visited(&chain, "f0"), (names[..=MAX_DEPTH].to_vec(), true));
        assert!(!visited(&chain, &names.join(" ")).1);
        let words: String = (0..MAX_PATHS).map(|n| format!("w{n} ")).collect();
        assert!(!visited(&[], &words).1);
    }
}
