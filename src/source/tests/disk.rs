use super::super::{BlobId, ChangeKind, Environment, Folder, Repository, Source, beside, changed};
use super::{commit, git, open, paths, sample, text, write};

#[test]
fn the_index_is_what_would_be_committed() {
    let dir = sample();
    let root = dir.path();
    write(root, "stacks/dev.yaml", "staged\n");
    git(root, &["add", "-A"]);
    write(root, "stacks/dev.yaml", "not staged\n");
    write(root, "announced.yaml", "x\n");
    git(root, &["add", "-N", "announced.yaml"]);
    git(root, &["rm", "-q", "--cached", "settings.yaml"]);
    let repo = open(&root.join("stacks"));
    let index = repo.index().unwrap();
    assert!(index.conflicts.is_empty());
    assert_eq!((index.source.name(), index.source.commit()), ("index", None));
    assert_eq!(paths(&*index.source), ["stacks/catalog/vpc.yaml", "stacks/dev.yaml"]);
    assert_eq!(text(&*index.source, "stacks/dev.yaml"), "staged\n");
    let worktree = repo.worktree().unwrap();
    assert_eq!(text(&*worktree, "stacks/dev.yaml"), "not staged\n");
    assert_eq!(paths(&*worktree), ["announced.yaml", "settings.yaml", "stacks/catalog/vpc.yaml", "stacks/dev.yaml"]);
}

#[test]
fn conflicts_are_listed() {
    let dir = sample();
    let root = dir.path();
    git(root, &["checkout", "-q", "feature"]);
    write(root, "stacks/dev.yaml", "mine\n");
    commit(root, "mine");
    // `merge` fails on a conflict; the index it leaves behind is the point.
    git(root, &["read-tree", "-m", "--aggressive", "v1", "feature", "main"]);
    let index = open(root).index().unwrap();
    assert_eq!(index.conflicts, ["stacks/dev.yaml"]);
    assert!(index.source.listing().get("stacks/dev.yaml").is_none());
    assert!(index.source.listing().get("stacks/prod.yaml").is_some());
}

#[test]
fn sparse_indexes_are_complete() {
    let dir = sample();
    let root = dir.path();
    write(root, "docs/deep/readme.md", "text\n");
    commit(root, "docs");
    git(root, &["sparse-checkout", "set", "--cone", "--sparse-index", "stacks/catalog"]);
    let repo = open(root);
    let (head, index) = (repo.revision("HEAD").unwrap(), repo.index().unwrap());
    assert_eq!(head.listing(), index.source.listing());
    // Git does not look for them on disk, so they are not deleted.
    let worktree = repo.worktree().unwrap();
    assert_eq!(head.listing(), worktree.listing());
    assert_eq!(text(&*worktree, "docs/deep/readme.md"), "text\n");
}

#[test]
fn unchanged_files_on_disk_share_identity_with_blobs() {
    let dir = sample();
    let root = dir.path();
    let repo = open(root);
    let head = repo.revision("HEAD").unwrap();
    // The size is the same, and so little time has passed that only the content differs.
    write(root, "stacks/catalog/vpc.yaml", "a: 2\n");
    write(root, "new.yaml", "n\n");
    write(root, ".terraform/modules/x.yaml", "n\n");
    let worktree = repo.worktree().unwrap();
    let changes: Vec<_> =
        changed(head.listing(), worktree.listing()).into_iter().map(|change| (change.path, change.kind)).collect();
    let expected = [("new.yaml".into(), ChangeKind::Added), ("stacks/catalog/vpc.yaml".into(), ChangeKind::Modified)];
    assert_eq!(changes, expected);
    assert_eq!(worktree.listing().get("new.yaml").unwrap().id, BlobId::of(b"n\n"));
}

#[test]
fn large_files_that_git_does_not_track_are_not_hashed() {
    let dir = sample();
    let root = dir.path();
    let large = vec![b'x'; 2 << 20];
    std::fs::write(root.join("tracked.bin"), &large).unwrap();
    commit(root, "large");
    write(root, "target/small.bin", "x");
    std::fs::write(root.join("target/large.bin"), &large).unwrap();
    let repo = open(root);
    let id = |path: &str| repo.worktree().unwrap().listing().get(path).unwrap().id;
    assert_eq!(id("tracked.bin"), BlobId::of(&large));
    assert_eq!(id("target/small.bin"), BlobId::of(b"x"));
    let before = id("target/large.bin");
    assert_ne!(before, BlobId::of(&large));
    assert_eq!(before, id("target/large.bin"));
    let same_size = vec![b'y'; 2 << 20];
    std::fs::write(root.join("target/large.bin"), &same_size).unwrap();
    assert_ne!(before, id("target/large.bin"));
}

#[test]
fn files_are_compared_as_git_stores_them() {
    let dir = sample();
    let root = dir.path();
    write(root, ".gitattributes", "*.yaml text eol=crlf\n");
    write(root, "crlf.yaml", "a: 1\r\n");
    commit(root, "attributes");
    let touched = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    std::fs::File::options().write(true).open(root.join("crlf.yaml")).unwrap().set_modified(touched).unwrap();
    git(root, &["status"]);
    let repo = open(root);
    let (head, worktree) = (repo.revision("HEAD").unwrap(), repo.worktree().unwrap());
    assert_eq!(text(&*head, "crlf.yaml"), "a: 1\n");
    assert_eq!(text(&*worktree, "crlf.yaml"), "a: 1\n");
    assert_eq!(head.listing(), worktree.listing());
    write(root, "crlf.yaml", "a: 2\r\n");
    assert_eq!(repo.worktree().unwrap().listing().get("crlf.yaml").unwrap().id, BlobId::of(b"a: 2\n"));
}

#[test]
fn files_that_git_takes_for_unchanged_come_from_the_index() {
    let dir = sample();
    let root = dir.path();
    for (option, path) in [("--skip-worktree", "stacks/dev.yaml"), ("--assume-unchanged", "settings.yaml")] {
        git(root, &["update-index", option, path]);
        write(root, path, "local\n");
    }
    let repo = open(root);
    let (head, worktree) = (repo.revision("HEAD").unwrap(), repo.worktree().unwrap());
    assert_eq!(head.listing(), worktree.listing());
    assert_eq!(text(&*worktree, "stacks/dev.yaml"), "vars: {stage: develop}\n");
}

#[test]
fn ignored_files_are_on_both_sides() {
    let dir = sample();
    let root = dir.path();
    write(root, ".gitignore", "local/\n*.json\n!kept.json\n");
    write(root, "tracked.json", "{}\n");
    git(root, &["add", "-f", "tracked.json"]);
    commit(root, "ignore");
    for path in ["local/a.yaml", "b.json", "kept.json"] {
        write(root, path, "x\n");
    }
    write(root, "tracked.json", "[]\n");
    let repo = open(root);
    let worktree = repo.worktree().unwrap();
    let base = beside(repo.revision("HEAD").unwrap(), &*worktree);
    let changes: Vec<_> = changed(base.listing(), worktree.listing()).into_iter().map(|c| c.path.to_string()).collect();
    assert_eq!(changes, ["kept.json", "tracked.json"]);
    assert_eq!(text(&*base, "local/a.yaml"), "x\n");
    assert_eq!(text(&*base, "tracked.json"), "{}\n");
}

#[test]
fn files_that_another_program_converts_are_read_from_the_worktree() {
    let dir = sample();
    let root = dir.path();
    git(root, &["config", "filter.x.clean", "sed s/plain/secret/"]);
    git(root, &["config", "filter.x.smudge", "sed s/secret/plain/"]);
    write(root, ".gitattributes", "*.yaml filter=x\n");
    write(root, "a.yaml", "a: plain\n");
    commit(root, "filter");
    let repo = open(root);
    let worktree = repo.worktree().unwrap();
    let head = || repo.revision("HEAD").unwrap();
    assert_eq!((&*text(&*head(), "a.yaml"), &*text(&*worktree, "a.yaml")), ("a: secret\n", "a: plain\n"));
    let base = beside(head(), &*worktree);
    assert_eq!(text(&*base, "a.yaml"), "a: plain\n");
    assert!(changed(base.listing(), worktree.listing()).is_empty());
    write(root, "a.yaml", "a: plain and more\n");
    let worktree = repo.worktree().unwrap();
    assert_eq!(text(&*beside(head(), &*worktree), "a.yaml"), "a: secret\n");
}

#[test]
fn only_working_copies_of_terraform_are_skipped() {
    let dir = sample();
    let root = dir.path();
    for path in ["a/.terraform/x.yaml", "b/.terraform/providers/p", "b/.terraform/x.yaml", "c/.terraform/modules/m.tf"]
    {
        write(root, path, "x\n");
    }
    git(root, &["add", "c"]);
    let listed = paths(&*open(root).worktree().unwrap());
    let hidden: Vec<_> = listed.iter().filter(|path| path.contains(".terraform")).collect();
    assert_eq!(hidden, ["a/.terraform/x.yaml", "c/.terraform/modules/m.tf"]);
}

#[test]
fn the_stat_cache_is_used_when_it_is_safe() {
    let dir = sample();
    let root = dir.path();
    let file = root.join("stacks/dev.yaml");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(past).unwrap();
    git(root, &["update-index", "--refresh"]);
    let head = open(root).revision("HEAD").unwrap();
    let worktree = open(root).worktree().unwrap();
    assert_eq!(head.listing(), worktree.listing());
}

#[test]
fn folders_without_git() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, "a/b.yaml", "b\n");
    write(root, "a.yaml", "a\n");
    write(root, ".hidden/c.yaml", "c\n");
    for n in 0..300 {
        write(root, &format!("many/{n:03}.yaml"), &format!("n: {n}\n"));
    }
    let folder = Folder::open(root).unwrap();
    assert_eq!(&paths(&folder)[..4], [".hidden/c.yaml", "a.yaml", "a/b.yaml", "many/000.yaml"]);
    assert_eq!(text(&folder, "many/299.yaml"), "n: 299\n");
    assert_eq!(folder.listing().get("many/299.yaml").unwrap().id, BlobId::of(b"n: 299\n"));
    assert!(Folder::open(&root.join("none")).is_err());
}

#[cfg(unix)]
#[test]
fn pipes_do_not_block() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a.yaml", "a\n");
    assert!(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
    assert_eq!(paths(&Folder::open(dir.path()).unwrap()), ["a.yaml"]);
}

#[test]
fn paths_relative_to_the_repository() {
    let dir = sample();
    let root = dir.path();
    let repo = open(root);
    let cases = [
        (root.to_path_buf(), Some("")),
        (root.join("stacks"), Some("stacks")),
        (root.join("stacks/../stacks/catalog"), Some("stacks/catalog")),
        (root.join("not/there"), Some("not/there")),
        (root.join(".git/hooks"), None),
        (root.join(".."), None),
    ];
    for (path, expected) in cases {
        assert_eq!(repo.relative(&path).as_deref(), expected, "{}", path.display());
    }
    assert!(Repository::discover_with(&root.join("not/there"), Environment::Ignore).is_err());
}

/// Between listing a file and reading it, somebody may put something else in its place.
#[test]
#[cfg(unix)]
fn what_took_the_place_of_a_file_is_not_opened() {
    let dir = sample();
    let root = dir.path();
    let other = tempfile::tempdir().unwrap();
    let outside = other.path().join("secret");
    std::fs::write(&outside, "secret\n").unwrap();
    let worktree = open(root).worktree().unwrap();
    let entry = worktree.listing().get("stacks/dev.yaml").unwrap().clone();
    let path = root.join("stacks/dev.yaml");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&outside, &path).unwrap();
    assert!(worktree.read(&entry).is_err(), "a link");
    std::fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(worktree.read(&entry).is_err(), "a pipe");
}
