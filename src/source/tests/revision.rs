use std::path::Path;

use super::super::{ChangeKind, EntryKind, Error, Repository, ResolveError, Source, Spec, changed};
use super::{commit, git, open, paths, sample, text, write};

#[test]
fn specs_split_at_dots() {
    let two = |a: &str, b: &str| Spec::TwoDot(a.into(), b.into());
    let three = |a: &str, b: &str| Spec::ThreeDot(a.into(), b.into());
    let cases = [
        ("main", Spec::Single("main".into())),
        ("", Spec::Single("HEAD".into())),
        ("a..b", two("a", "b")),
        ("a..", two("a", "HEAD")),
        ("..b", two("HEAD", "b")),
        ("v1.0...v1.1", three("v1.0", "v1.1")),
        ("a...", three("a", "HEAD")),
        ("...b", three("HEAD", "b")),
        ("origin/main@{1}..HEAD~2", two("origin/main@{1}", "HEAD~2")),
        ("main~2^!", Spec::Commit("main~2".into())),
        ("^!", Spec::Commit("HEAD".into())),
        ("main^-", two("main^1", "main")),
        ("main^-2", two("main^2", "main")),
        ("fix^-up", Spec::Single("fix^-up".into())),
    ];
    for (input, expected) in cases {
        assert_eq!(Spec::parse(input), expected, "{input}");
    }
}

/// Checks that must hold for loose, packed, bare and linked repositories.
fn check(repo: &Repository) {
    let main = repo.revision("main").unwrap();
    let all = ["settings.yaml", "stacks/catalog/vpc.yaml", "stacks/dev.yaml"];
    assert_eq!(paths(&*main), all);
    assert_eq!(text(&*main, "stacks/dev.yaml"), "vars: {stage: develop}\n");
    assert_eq!(text(&*repo.revision("HEAD~1").unwrap(), "stacks/dev.yaml"), "vars: {stage: dev}\n");
    let tag = repo.revision("v1").unwrap();
    assert_eq!(tag.commit(), repo.revision("main^").unwrap().commit());
    assert_eq!(tag.name(), "v1");

    let range = repo.range("main...feature").unwrap();
    assert_eq!(Some(range.base.commit()), tag.commit());
    let (base, head) = (repo.at(&range.base).unwrap(), repo.at(&range.head).unwrap());
    let changes = changed(base.listing(), head.listing());
    assert_eq!(changes.len(), 1);
    assert_eq!((&*changes[0].path, changes[0].kind), ("stacks/prod.yaml", ChangeKind::Added));

    let range = repo.range("main..feature").unwrap();
    let (base, head) = (repo.at(&range.base).unwrap(), repo.at(&range.head).unwrap());
    let changes: Vec<_> = changed(base.listing(), head.listing()).into_iter().map(|c| (c.path, c.kind)).collect();
    assert_eq!(
        changes,
        [("stacks/dev.yaml".into(), ChangeKind::Modified), ("stacks/prod.yaml".into(), ChangeKind::Added)]
    );
}

#[test]
fn revisions_of_all_kinds_of_repositories() {
    let dir = sample();
    let root = dir.path();
    check(&open(root));
    check(&open(&root.join("stacks/catalog")));
    assert_eq!(open(&root.join("stacks/catalog")).prefix(), "stacks/catalog");

    let other = tempfile::tempdir().unwrap();
    let linked = other.path().join("linked");
    git(root, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap(), "main"]);
    let repo = open(&linked.join("stacks"));
    check(&repo);
    assert_eq!(repo.workdir(), Some(&*linked.canonicalize().unwrap()));
    assert_eq!(paths(&*repo.worktree().unwrap()), paths(&*repo.revision("HEAD").unwrap()));

    git(root, &["gc", "-q", "--aggressive"]);
    check(&open(root));

    git(other.path(), &["clone", "-q", "--bare", root.to_str().unwrap(), "bare.git"]);
    let bare = open(&other.path().join("bare.git"));
    check(&bare);
    assert_eq!(bare.workdir(), None);
    assert!(matches!(bare.worktree(), Err(Error::Bare { .. })));
    assert!(matches!(bare.index(), Err(Error::Bare { .. })));
    assert!(bare.remote_url().unwrap().contains("/"));
}

#[test]
fn sources_can_be_shared_by_threads() {
    let dir = sample();
    git(dir.path(), &["gc", "-q"]);
    let source = open(dir.path()).revision("feature").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(text(&*source, "stacks/prod.yaml"), "vars: {stage: prod}\n"));
        }
    });
}

#[test]
fn sha256_repositories() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "--object-format=sha256"]);
    write(dir.path(), "a.yaml", "x: 1\n");
    let id = commit(dir.path(), "one");
    let repo = open(dir.path());
    let head = repo.revision("HEAD").unwrap();
    assert_eq!(head.commit().as_deref(), Some(&*id));
    assert_eq!(text(&*head, "a.yaml"), "x: 1\n");
    assert_eq!(head.listing().iter().next().unwrap().id.as_bytes().len(), 32);
    assert!(changed(head.listing(), repo.worktree().unwrap().listing()).is_empty());
}

fn message(result: Result<Box<dyn Source>, Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn unknown_revisions_get_advice() {
    let dir = sample();
    let repo = open(dir.path());
    assert_eq!(message(repo.revision("mian")), "`mian` is not a revision of this repository; did you mean `main`?");
    assert_eq!(message(repo.revision("zzz")), "`zzz` is not a revision of this repository");
    let id = "0123456789012345678901234567890123456789";
    assert!(message(repo.revision(id)).contains(&format!("git fetch origin {id}")), "{}", message(repo.revision(id)));
    assert!(matches!(repo.revision("main~9"), Err(Error::NotACommit { .. })));
    assert!(matches!(repo.revision("main:stacks"), Err(Error::NotACommit { .. })));
    assert!(matches!(repo.range("main"), Err(Error::NotARange(_))));
    for hostile in ["..", "...", "^", "~", "@{", "@{-99999999999999999999}", "main^{/x", ":0:a", "\0", "é~1", "-x"] {
        let _ = repo.range(hostile);
        assert!(repo.revision(hostile).is_err(), "{hostile}");
    }

    // What git understands as other commits than the one that is named.
    for several in ["main^!", "main^@", "main^-", "^main"] {
        assert!(repo.revision(several).is_err(), "{several}");
    }

    // A clone without the local branch: the remote one is meant.
    let other = tempfile::tempdir().unwrap();
    git(other.path(), &["clone", "-q", "-b", "feature", dir.path().to_str().unwrap(), "clone"]);
    let clone = open(&other.path().join("clone"));
    assert!(message(clone.revision("main")).ends_with("did you mean `origin/main`?"));
}

#[test]
fn unborn_branches_and_missing_repositories() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Repository::discover_with(dir.path(), super::Environment::Ignore).unwrap().is_none());
    git(dir.path(), &["init", "-q"]);
    let repo = open(dir.path());
    for spec in ["HEAD", "", "@", "HEAD~1"] {
        assert!(matches!(repo.revision(spec), Err(Error::Unborn { branch }) if branch == "main"), "{spec}");
    }
    assert!(repo.index().unwrap().source.listing().is_empty());
    std::fs::write(dir.path().join(".git/config"), "[core\n").unwrap();
    assert!(matches!(Repository::discover_with(dir.path(), super::Environment::Ignore), Err(Error::Open { .. })));
}

#[test]
fn what_one_commit_changes() {
    let dir = sample();
    let root = dir.path();
    let range = open(root).range("main^!").unwrap();
    assert_eq!(range.base.commit(), git(root, &["rev-parse", "main^"]).trim());
    let parents = |spec: &str| match open(root).range(spec) {
        Err(Error::NotOneParent { parents, .. }) => parents,
        other => panic!("{spec}: {other:?}"),
    };
    assert_eq!(parents("v1^!"), 0);
    git(root, &["checkout", "-q", "main"]);
    git(root, &["merge", "-q", "--no-ff", "-m", "merge", "feature"]);
    assert_eq!(parents("HEAD^!"), 2);
    assert_eq!(open(root).range("HEAD^-2").unwrap().base.commit(), git(root, &["rev-parse", "HEAD^2"]).trim());
}

#[test]
fn a_damaged_commit_graph_is_ignored() {
    let dir = sample();
    let root = dir.path();
    git(root, &["commit-graph", "write", "--reachable"]);
    let path = root.join(".git/objects/info/commit-graph");
    let expected = open(root).range("main...feature").unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for damaged in [&b"no graph"[..], &bytes[..bytes.len() / 2], &[]] {
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(open(root).range("main...feature").unwrap(), expected, "{} bytes", damaged.len());
    }
}

#[test]
fn trees_that_git_rejects_are_not_read() {
    let dir = sample();
    let root = dir.path();
    let blob = git(root, &["rev-parse", "main:stacks/dev.yaml"]);
    let raw: Vec<u8> = (0..blob.len()).step_by(2).map(|i| u8::from_str_radix(&blob[i..i + 2], 16).unwrap()).collect();
    let cases: [(&[&str], &str); 5] = [
        (&["100644 a", "100644 a"], "`a` twice"),
        (&["100644 a", "100644 a.b", "40000 a"], "`a` twice"),
        (&["100644 b", "100644 a"], "not sorted"),
        (&["100644 .."], "no name of a file"),
        (&["100644 a/b"], "no name of a file"),
    ];
    for (entries, expected) in cases {
        let tree: Vec<u8> = entries.iter().flat_map(|e| [e.as_bytes(), b"\0", &raw].concat()).collect();
        std::fs::write(root.join("tree"), tree).unwrap();
        let tree = git(root, &["hash-object", "-w", "-t", "tree", "--literally", "tree"]);
        let commit = git(root, &["commit-tree", "-m", "odd", &tree]);
        let error = message(open(root).revision(&commit));
        assert!(error.contains(expected) && error.contains("git fsck"), "{entries:?}: {error}");
    }
}

#[test]
fn another_format_of_references_is_named() {
    let dir = sample();
    git(dir.path(), &["config", "core.repositoryFormatVersion", "1"]);
    git(dir.path(), &["config", "extensions.refStorage", "reftable"]);
    let error = Repository::discover_with(dir.path(), super::Environment::Ignore).err().unwrap().to_string();
    assert!(error.contains("`reftable`"), "{error}");
}

fn file_url(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[test]
fn shallow_clones_say_what_to_fetch() {
    let dir = sample();
    let other = tempfile::tempdir().unwrap();
    let url = file_url(dir.path());
    git(other.path(), &["clone", "-q", "--depth", "1", "--no-tags", "--no-single-branch", &url, "shallow"]);
    let repo = open(&other.path().join("shallow"));
    assert!(repo.is_shallow());
    assert_eq!(paths(&*repo.revision("HEAD").unwrap()).len(), 3);
    let parent = message(repo.revision("HEAD~1"));
    assert!(parent.contains("fetch-depth: 0") && parent.contains("--deepen"), "{parent}");
    let base = repo.range("origin/main...origin/feature").unwrap_err();
    assert!(matches!(base, Error::NoMergeBase { .. }));
    assert!(base.to_string().contains("fetch-depth: 0"), "{base}");
    assert!(repo.range("origin/main..origin/feature").is_ok());
}

#[test]
fn partial_clones_say_what_to_fetch() {
    let dir = sample();
    let other = tempfile::tempdir().unwrap();
    git(dir.path(), &["config", "uploadpack.allowFilter", "true"]);
    let url = file_url(dir.path());
    git(other.path(), &["clone", "-q", "--filter=blob:none", "--no-checkout", &url, "partial"]);
    let head = open(&other.path().join("partial")).revision("HEAD").unwrap();
    let error = head.read(head.listing().get("settings.yaml").unwrap()).unwrap_err().to_string();
    assert!(error.contains("the clone is partial") && error.contains("(settings.yaml)"), "{error}");
}

#[test]
fn unrelated_histories_have_no_merge_base() {
    let dir = sample();
    git(dir.path(), &["checkout", "-q", "--orphan", "island"]);
    commit(dir.path(), "alone");
    let error = open(dir.path()).range("main...island").unwrap_err().to_string();
    assert!(error.contains("unrelated"), "{error}");
}

#[test]
fn files_over_the_limit_are_not_read() {
    let dir = sample();
    let repo = open(dir.path()).with_limit(10);
    for source in [repo.revision("main").unwrap(), repo.worktree().unwrap()] {
        let read = |path| source.read(source.listing().get(path).unwrap());
        assert!(matches!(read("settings.yaml"), Err(Error::TooLarge { limit: 10, .. })), "{}", source.name());
        assert_eq!(&*read("stacks/catalog/vpc.yaml").unwrap(), b"a: 1\n");
    }
}

#[cfg(unix)]
#[test]
fn links_submodules_and_odd_names() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    let (dir, module) = (sample(), sample());
    let root = dir.path();
    for (target, link) in [
        ("stacks/dev.yaml", "link.yaml"),
        ("stacks", "s"),
        ("../../out", "stacks/out"),
        ("/etc", "abs"),
        ("loop", "loop"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff.yaml");
    std::fs::write(root.join(odd), "odd").unwrap();
    for name in ["new\nline.yaml", "spa ce.yaml", "quo\"te.yaml", "é.yaml", "back\\slash.yaml"] {
        write(root, name, name);
    }
    write(root, "run.sh", "#!/bin/sh\n");
    git(root, &["add", "-A"]);
    git(root, &["update-index", "--chmod=+x", "run.sh"]);
    std::process::Command::new("chmod").arg("+x").arg(root.join("run.sh")).status().unwrap();
    git(root, &["submodule", "--quiet", "add", module.path().to_str().unwrap(), "module"]);
    commit(root, "odd");

    let repo = open(root);
    let head = repo.revision("HEAD").unwrap();
    let (index, worktree) = (repo.index().unwrap(), repo.worktree().unwrap());
    assert_eq!(head.listing(), index.source.listing());
    assert_eq!(head.listing(), worktree.listing());

    for source in [&head, &index.source, &worktree] {
        let listing = source.listing();
        let kind = |path| listing.get(path).unwrap().kind;
        assert_eq!(kind("link.yaml"), EntryKind::Symlink);
        assert_eq!(kind("run.sh"), EntryKind::Executable);
        assert_eq!(kind("module"), EntryKind::Submodule);
        assert!(source.read(listing.get("module").unwrap()).is_err());
        assert_eq!(text(&**source, "link.yaml"), "stacks/dev.yaml");
        let name = "odd-\u{FFFD}ff.yaml";
        assert_eq!(text(&**source, name), "odd");
        for name in ["new\nline.yaml", "spa ce.yaml", "quo\"te.yaml", "é.yaml", "back\\slash.yaml"] {
            assert_eq!(text(&**source, name), name);
        }
        assert_eq!(&*listing.resolve("link.yaml").unwrap().path, "stacks/dev.yaml");
        assert_eq!(&*listing.resolve("s/catalog/../dev.yaml").unwrap().path, "stacks/dev.yaml");
        assert_eq!(listing.resolve("abs/passwd"), Err(ResolveError::LeavesRepository));
        assert_eq!(listing.resolve("stacks/out"), Err(ResolveError::LeavesRepository));
        assert_eq!(listing.resolve("loop"), Err(ResolveError::Loop));
        assert_eq!(listing.resolve("module"), Err(ResolveError::IsDirectory));
        assert_eq!(text(&**source, "module/stacks/catalog/vpc.yaml"), "a: 1\n");
    }
}
