//! Merges in memory, against what git makes of the same branches.

use super::{commit, git, write};
use crate::source::{Merged, Repository, Source};
use std::collections::BTreeSet;
use std::path::Path;

/// A file of some lines, of which some are replaced.
fn lines(replaced: &[(usize, &str)]) -> String {
    let line = |n: usize| match replaced.iter().find(|(m, _)| *m == n) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("line {n}\n"),
    };
    (0..20).map(line).collect()
}

/// What one side does to the files.
type Edit = fn(&Path);

/// Paths and contents, or the files with a conflict.
#[derive(Debug, PartialEq)]
enum Outcome {
    Tree(Vec<(String, String)>),
    Conflicts(BTreeSet<String>),
}

fn files(source: &dyn Source) -> Vec<(String, String)> {
    source.listing().iter().map(|entry| (entry.path.to_string(), format!("{:?} {:?}", entry.id, entry.kind))).collect()
}

/// The merge of `theirs` into `ours`, in memory and by git.
fn outcomes(root: &Path) -> [Outcome; 2] {
    let repository = Repository::discover(root).unwrap().unwrap();
    let side = |name: &str| repository.resolve(name).unwrap();
    let in_memory = match repository.merge(None, &side("ours"), &side("theirs")).unwrap() {
        Merged::Tree(tree) => {
            assert!(tree.listing().iter().all(|entry| tree.read(entry).is_ok()));
            Outcome::Tree(files(&*tree))
        }
        Merged::Conflicts(conflicts) => Outcome::Conflicts(conflicts),
    };
    git(root, &["checkout", "-q", "-B", "merged", "ours"]);
    let arguments = ["-c", "user.name=A", "-c", "user.email=a@x", "merge", "-q", "--no-ff", "-m", "merge", "theirs"];
    let is_clean =
        std::process::Command::new("git").args(arguments).current_dir(root).output().unwrap().status.success();
    let by_git = if is_clean {
        Outcome::Tree(files(&*Repository::discover(root).unwrap().unwrap().revision("merged").unwrap()))
    } else {
        let unmerged = git(root, &["ls-files", "-u"]);
        Outcome::Conflicts(unmerged.lines().filter_map(|line| line.split('\t').nth(1)).map(str::to_owned).collect())
    };
    [in_memory, by_git]
}

fn branches(ours: Edit, theirs: Edit) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    write(root, "a.yaml", &lines(&[]));
    write(root, "folder/b.yaml", &lines(&[(3, "b")]));
    write(root, "folder/c.yaml", &lines(&[(4, "c")]));
    commit(root, "base");
    git(root, &["branch", "start"]);
    for (name, edit) in [("ours", ours), ("theirs", theirs)] {
        git(root, &["checkout", "-q", "-b", name, "start"]);
        edit(root);
        commit(root, name);
    }
    dir
}

#[test]
fn a_merge_is_the_one_of_git() {
    let nothing: Edit = |_| {};
    let top: Edit = |root| write(root, "a.yaml", &lines(&[(2, "top")]));
    let end: Edit = |root| write(root, "a.yaml", &lines(&[(17, "end")]));
    let beside: Edit = |root| write(root, "a.yaml", &lines(&[(3, "beside")]));
    let added: Edit = |root| write(root, "folder/new.yaml", "new: 1\n");
    let same_added: Edit = |root| write(root, "folder/new.yaml", "new: 2\n");
    let moved: Edit = |root| drop(git(root, &["mv", "a.yaml", "moved.yaml"]));
    let moved_elsewhere: Edit = |root| drop(git(root, &["mv", "a.yaml", "elsewhere.yaml"]));
    let removed: Edit = |root| std::fs::remove_file(root.join("a.yaml")).unwrap();
    let folder: Edit = |root| drop(git(root, &["mv", "folder", "directory"]));
    let became_a_folder: Edit = |root| {
        std::fs::remove_file(root.join("a.yaml")).unwrap();
        write(root, "a.yaml/x", "x\n");
    };
    let pairs: [(&str, Edit, Edit); 13] = [
        ("nothing", nothing, nothing),
        ("one side", top, nothing),
        ("two places", top, end),
        ("lines next to each other", top, beside),
        ("the same edit", top, top),
        ("a file added twice", added, same_added),
        ("moved and edited", moved, end),
        ("edited and moved", end, moved),
        ("moved twice", moved, moved_elsewhere),
        ("edited and removed", top, removed),
        ("removed twice", removed, removed),
        ("a folder moved, a file of it edited", folder, |root| write(root, "folder/b.yaml", &lines(&[(9, "b")]))),
        ("a file that becomes a folder", became_a_folder, top),
    ];
    for (name, ours, theirs) in pairs {
        let dir = branches(ours, theirs);
        let [in_memory, by_git] = outcomes(dir.path());
        assert_eq!(in_memory, by_git, "{name}");
    }
}

#[test]
fn several_merge_bases_are_merged_first() {
    let dir = branches(
        |root| write(root, "a.yaml", &lines(&[(2, "ours")])),
        |root| write(root, "a.yaml", &lines(&[(17, "theirs")])),
    );
    let root = dir.path();
    // Each side merges the other one, and goes on.
    let merge = |name: &str, into: &str, edited: usize| {
        git(root, &["checkout", "-q", "-b", name, into]);
        let other = if into == "ours" { "theirs" } else { "ours" };
        git(root, &["merge", "-q", "--no-ff", "-m", "merge", other]);
        write(root, "a.yaml", &lines(&[(2, "ours"), (17, "theirs"), (edited, name)]));
        commit(root, name);
    };
    merge("x", "ours", 6);
    merge("y", "theirs", 12);
    git(root, &["branch", "-f", "ours", "x"]);
    git(root, &["branch", "-f", "theirs", "y"]);
    let [in_memory, by_git] = outcomes(root);
    assert!(matches!(in_memory, Outcome::Tree(_)));
    assert_eq!(in_memory, by_git);
}
