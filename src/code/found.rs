//! Files that programs find by themselves: what the code names by a word, as a command does; what a script names beside it; and what
//! the folders that the code names lead to, as bases of a kustomization do.

use super::aside::Mentions;
use super::named::outside;
use crate::paths::{name, parent};
use crate::source::Source;
use crate::terraform::load::names::{AROUND, configuration};
use crate::terraform::reach::Reach;
use crate::text::Text;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// How files of scripts end.
const SCRIPTS: [&str; 10] = ["bash", "cjs", "js", "mjs", "pl", "ps1", "py", "rb", "sh", "ts"];
/// Files that stand for their folder.
const OF_FOLDERS: [&str; 2] = ["__init__", "index"];
/// How many scripts are followed from one to the next.
const MAX_DEPTH: usize = 3;
/// The most scripts beside one that are searched for.
const MAX_SCRIPTS: usize = 1_000;

/// What programs find in one revision.
pub(super) struct Found<'a> {
    source: &'a dyn Source,
    mentions: &'a Mentions<'a>,
    /// What a file or a folder that code names leads to.
    led: RefCell<HashMap<String, Rc<Vec<Text>>>>,
}

impl<'a> Found<'a> {
    pub(super) fn new(source: &'a dyn Source, mentions: &'a Mentions<'a>) -> Self {
        Found { source, mentions, led: RefCell::default() }
    }

    /// The files and folders that those lead to that code names.
    pub(super) fn led(&self, reach: &Reach) -> BTreeSet<Text> {
        reach.named_places().flat_map(|place| self.of_place(place).iter().cloned().collect::<Vec<_>>()).collect()
    }

    /// Whether a program that the code runs may find the file at a path, given what the code leads to.
    pub(super) fn has(&self, reach: &Reach, led: &BTreeSet<Text>, path: &str) -> bool {
        let mut above = std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder));
        above.any(|place| led.contains(place)) || led.contains("") || self.mentions.calls(reach, path)
    }

    fn of_place(&self, place: &str) -> Rc<Vec<Text>> {
        if let Some(known) = self.led.borrow().get(place) {
            return Rc::clone(known);
        }
        let listing = self.source.listing();
        let found = Rc::new(match listing.get(place) {
            Some(_) => self.beside(place),
            None if listing.is_dir(place) && !self.is_code(place) => {
                outside(self.source, place, BTreeSet::from([place.to_owned()]))
            }
            None => Vec::new(),
        });
        self.led.borrow_mut().insert(place.to_owned(), Rc::clone(&found));
        found
    }

    /// Whether a folder has configuration: what that leads to is known by evaluating it.
    fn is_code(&self, folder: &str) -> bool {
        let mut names = self.source.listing().children(folder).into_iter().map(|(name, _)| name);
        names.any(|name| configuration(name).is_some() || AROUND.contains(&name))
    }

    /// The scripts in the folder of a script, and below it, that it names, and those that they name.
    fn beside(&self, script: &str) -> Vec<Text> {
        let Some(extension) = extension(script).filter(|extension| SCRIPTS.contains(extension)) else {
            return Vec::new();
        };
        let listing = self.source.listing();
        let folder = parent(script);
        let all = listing.under(folder).iter().map(|entry| &entry.path);
        // The root of the repository has scripts of everything else in its folders.
        let all =
            all.filter(|path| self::extension(path) == Some(extension) && (!folder.is_empty() || !path.contains('/')));
        let mut others: BTreeSet<&str> = all.map(|path| &**path).take(MAX_SCRIPTS).collect();
        let (mut found, mut open) = (Vec::new(), vec![Text::from(script)]);
        for _ in 0..MAX_DEPTH {
            let words: HashSet<String> = open.iter().flat_map(|path| self.words(path)).collect();
            let named: BTreeSet<&str> = others.iter().copied().filter(|path| words.contains(called(path))).collect();
            others.retain(|path| !named.contains(path));
            open = named.into_iter().map(Text::from).collect();
            found.extend(open.iter().cloned());
        }
        found
    }

    /// The names in a script.
    fn words(&self, path: &str) -> HashSet<String> {
        let entry = self.source.listing().get(path);
        let bytes = entry.and_then(|entry| self.source.read(entry).ok()).unwrap_or_default();
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
        String::from_utf8_lossy(&bytes).split(is_end).map(str::to_owned).collect()
    }
}

fn extension(path: &str) -> Option<&str> {
    name(path).rsplit_once('.').map(|(_, extension)| extension)
}

/// The name that a script is imported by.
fn called(path: &str) -> &str {
    let stem = name(path).rsplit_once('.').map_or_else(|| name(path), |(stem, _)| stem);
    if OF_FOLDERS.contains(&stem) { name(parent(path)) } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn scripts_name_others() {
        let files = [
            ("s/x.py", "import y\nfrom lib import z\n"),
            ("s/y.py", "import last\n"),
            ("s/other.py", ""),
            ("s/y.json", ""),
            ("s/last.py", "import four\n"),
            ("s/four.py", "import five\n"),
            ("s/five.py", ""),
            ("s/lib/__init__.py", ""),
            ("s/lib/z.py", ""),
            ("x.py", "import y\n"),
            ("y.py", ""),
            ("s/data.txt", "y\n"),
        ];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        let source = Memory::new("memory", files);
        let mentions = Mentions::new(&source);
        let found = Found::new(&source, &mentions);
        let beside = |path: &str| found.beside(path).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(beside("s/x.py"), ["s/lib/__init__.py", "s/lib/z.py", "s/y.py", "s/last.py", "s/four.py"]);
        assert_eq!(beside("x.py"), ["y.py"]);
        assert!(beside("s/data.txt").is_empty());
    }
}
