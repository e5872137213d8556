//! Objects that are damaged or missing, wherever git keeps them: a run that reads one ends with 2 and names it.

use super::{DEV, project};
use crate::common::Repo;

/// The loose object of an id.
fn object(repo: &Repo, id: &str) -> std::path::PathBuf {
    repo.root().join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// Puts other bytes in the place of a file that is not to be written.
fn force(path: &std::path::Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Damages the bytes of an object; `None` removes it.
type Harm = fn(&[u8]) -> Option<Vec<u8>>;

#[test]
fn broken_and_missing_objects_are_named() {
    let broken: [Harm; 4] = [
        |_| None,
        |_| Some(Vec::new()),
        |bytes| Some(bytes[..bytes.len() / 2].to_vec()),
        |bytes| Some(bytes.iter().map(|b| b ^ 0x55).collect()),
    ];
    for harm in broken {
        for which in ["HEAD:stacks/deploy/dev.yaml", "HEAD:stacks/deploy", "HEAD^{tree}", "HEAD"] {
            let repo = project(&[("stacks/deploy/other.yaml", &DEV.replace("stage: dev", "stage: other"))]);
            let path = object(&repo, repo.git(&["rev-parse", which]).trim());
            let bytes = std::fs::read(&path).unwrap();
            match harm(&bytes) {
                Some(bytes) => force(&path, &bytes),
                None => std::fs::remove_file(&path).unwrap(),
            }
            for arguments in [&["check", "--rev", "HEAD"][..], &["describe", "stacks", "--rev", "HEAD"]] {
                let run = repo.run(arguments).ends_with(2);
                assert!(
                    run.stdout.is_empty() && run.stderr.len() > 20 && run.stderr.lines().count() <= 3,
                    "{which}: {run}"
                );
                let is_named = run.stderr.contains("stacks/deploy/dev.yaml");
                assert!(is_named || !which.ends_with("yaml"), "{which}: {run}");
            }
        }
    }
}

/// Every question about two commits ends with 2 while one object of either cannot be read: it is neither absent, nor broken
/// before, nor repaired.
#[track_caller]
fn is_refused(repo: &Repo, what: &str) {
    for range in ["HEAD~1..HEAD", "HEAD..HEAD~1"] {
        for arguments in
            [&["diff", range][..], &["diff", range, "--format", "json"], &["diff", range, "--format", "affected"]]
        {
            let run = repo.run(arguments).ends_with(2);
            assert!(run.stdout.is_empty() && run.stderr.contains("git fsck"), "{what}: {run}");
        }
    }
}

/// Two commits of a stack whose older one has a mistake that the newer one repairs.
fn repaired(more: &[(&str, &str)]) -> Repo {
    let repo = project(&[
        ("stacks/base.yaml", "vars: {zone: '{{ .nothing.x }}'}\n"),
        ("stacks/deploy/dev.yaml", &format!("import: [base]\n{DEV}")),
    ]);
    for (path, text) in more {
        repo.write(path, text);
    }
    repo.git(&["commit", "--quiet", "--amend", "--all", "--message", "base"]);
    repo.write("stacks/base.yaml", "vars: {zone: a}\n").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("fixed");
    repo
}

#[test]
fn an_object_that_cannot_be_read_is_not_repaired() {
    let repo = repaired(&[]);
    for which in ["HEAD~1:stacks/base.yaml", "HEAD:stacks/base.yaml", "HEAD:stacks/deploy/dev.yaml"] {
        let path = object(&repo, repo.git(&["rev-parse", which]).trim());
        let bytes = std::fs::read(&path).unwrap();
        let whole = repo.run(&["diff", "HEAD~1..HEAD"]);
        for at in (0..bytes.len()).step_by(9) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            for damaged in [&bytes[..at], &changed] {
                force(&path, damaged);
                let run = repo.run(&["diff", "HEAD~1..HEAD"]);
                let is_refused = run.status == 2 && run.stdout.is_empty();
                // Behind the content there are only marks of its end, and its checksum.
                assert!(is_refused || run == whole && at > bytes.len() / 2, "{which} at {at}: {run}");
            }
        }
        // The content of another object, and nothing else wrong with it.
        let other = object(&repo, repo.git(&["rev-parse", "HEAD:atmos.yaml"]).trim());
        force(&path, &std::fs::read(other).unwrap());
        is_refused(&repo, which);
        force(&path, &bytes);
    }
}

#[test]
fn packs_that_hide_an_object_are_refused() {
    for which in ["idx", "multi-pack-index", "pack"] {
        let repo = repaired(&[]);
        let id = repo.git(&["rev-parse", "HEAD~1:stacks/base.yaml"]);
        repo.git(&["repack", "-a", "-d", "-q"]);
        repo.git(&["multi-pack-index", "write"]);
        let packs = repo.root().join(".git/objects/pack");
        let all = std::fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
        let path = all.into_iter().find(|path| path.to_str().unwrap().ends_with(which)).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = if which == "pack" {
            let index = path.with_extension("idx");
            let listed = repo.git(&["verify-pack", "-v", index.to_str().unwrap()]);
            let line = listed.lines().find(|line| line.starts_with(id.trim())).unwrap();
            line.split_whitespace().nth(4).unwrap().parse::<usize>().unwrap() + 2
        } else {
            std::fs::remove_file(packs.join("multi-pack-index")).unwrap_or_default();
            let name: Vec<u8> = (0..20).map(|i| u8::from_str_radix(&id[2 * i..2 * i + 2], 16).unwrap()).collect();
            bytes.windows(20).position(|window| window == name).unwrap() + 19
        };
        bytes[at] ^= 0x01;
        std::fs::remove_file(&path).unwrap_or_default();
        std::fs::write(&path, &bytes).unwrap();
        is_refused(&repo, which);
    }
}

#[test]
fn objects_of_other_places_are_refused() {
    // Beside the usual place.
    let repo = repaired(&[]);
    let id = repo.git(&["rev-parse", "HEAD~1:stacks/base.yaml"]);
    let (path, folder) = (object(&repo, id.trim()), repo.root().join(".git/other").join(&id[..2]));
    let there = folder.join(path.file_name().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(&path, &there).unwrap();
    repo.write(".git/objects/info/alternates", "../other\n");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("fixed");
    force(&there, b"x");
    is_refused(&repo, "alternates");
    // In a submodule.
    let other = Repo::new();
    other.write("more.yaml", "vars: {size: 2}\n").commit("inner");
    let repo = repaired(&[]);
    repo.git(&["submodule", "--quiet", "add", other.root().to_str().unwrap(), "stacks/shared"]);
    repo.edit("stacks/deploy/dev.yaml", "import: [base]", "import: [base, shared/more]").commit("submodule");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    let inner = repo.root().join(".git/modules/stacks/shared/objects");
    let id = other.git(&["rev-parse", "HEAD:more.yaml"]);
    force(&inner.join(&id[..2]).join(id[2..].trim()), b"x");
    is_refused(&repo, "submodule");
}

#[test]
fn targets_and_patterns_that_cannot_be_read_are_refused() {
    for (name, id) in [("stacks/link.yaml", "HEAD:stacks/link.yaml"), (".gitignore", "HEAD:.gitignore")] {
        let repo = repaired(&[(".gitignore", "/made/\n")]);
        repo.link("stacks/link.yaml", "base.yaml").edit("stacks/deploy/dev.yaml", "import: [base]", "import: [link]");
        repo.commit("a link");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        std::fs::remove_file(object(&repo, repo.git(&["rev-parse", id]).trim())).unwrap();
        is_refused(&repo, name);
        // A partial clone may lack what nothing reads; otherwise what is there is not known.
        repo.git(&["config", "remote.origin.promisor", "true"]);
        let run = repo.run(&["check", "--rev", "HEAD"]);
        match name {
            ".gitignore" => run.ends_with(0).says("incomplete-analysis").hides("not found"),
            _ => run.ends_with(0).says("incomplete-analysis").says("link").hides("not found"),
        };
    }
}

#[test]
fn broken_packs_and_indexes() {
    for name in ["pack", "idx"] {
        let repo = project(&[]);
        repo.git(&["repack", "-a", "-d", "-q"]);
        let packs = std::fs::read_dir(repo.root().join(".git/objects/pack")).unwrap();
        let path = packs.map(|e| e.unwrap().path()).find(|p| p.extension().is_some_and(|e| e == name)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 8, bytes.len() / 2, bytes.len() - 10] {
            force(&path, &bytes[..cut]);
            let run = repo.run(&["check", "--rev", "HEAD"]);
            assert!(run.status <= 2, "{name} cut at {cut}: {run}");
            assert!(
                run.status == 0 || !format!("{}{}", run.stdout, run.stderr).is_empty(),
                "{name} cut at {cut}: {run}"
            );
            // Files on the disk are there.
            assert!(repo.run(&["check"]).status <= 2);
        }
        let mut noisy = bytes.clone();
        noisy.iter_mut().skip(12).step_by(7).for_each(|b| *b ^= 0xff);
        force(&path, &noisy);
        assert!(repo.run(&["check", "--rev", "HEAD"]).status <= 2);
    }
    let repo = project(&[]);
    let index = repo.root().join(".git/index");
    let bytes = std::fs::read(&index).unwrap();
    for cut in [0, 4, 11, bytes.len() / 2, bytes.len() - 1] {
        force(&index, &bytes[..cut]);
        let run = repo.run(&["check", "--staged"]);
        assert!(run.status <= 2, "index cut at {cut}: {run}");
        assert!(repo.run(&["check"]).status <= 2);
    }
}

#[test]
fn a_damaged_head_is_no_branch_without_commits() {
    let repo = project(&[]);
    let path = repo.root().join(".git/HEAD");
    for text in ["ref: refw/heads/main\n", "ref: sefs.heads/main\n", "ref: \n", "garbage\n", ""] {
        std::fs::write(&path, text).unwrap();
        for arguments in [&["diff"][..], &["diff", "--staged"], &["check", "--rev", "HEAD"]] {
            let run = repo.run(arguments);
            assert!(run.status == 2 && !run.stderr.is_empty(), "{text:?}: {run}");
        }
    }
    std::fs::write(&path, "ref: refs/heads/other\n").unwrap();
    repo.run(&["diff", "--staged"]).ends_with(0).says("1 added");
}

#[test]
fn a_damaged_list_of_commits_without_history() {
    let repo = project(&[]);
    repo.write("more.yaml", "a: 1\n").commit("more");
    std::fs::write(repo.root().join(".git/shallow"), "garbage\n").unwrap();
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(2).complains("cannot open the git repository");
    assert!(!run.stderr.contains("internal error"), "{run}");
}

#[test]
fn a_file_of_data_that_is_lost_is_a_value_that_is_not_known() {
    let repo = Repo::new();
    let root = "terraform {\n  backend \"local\" {}\n}\nresource \"a_b\" \"c\" {\n  data = file(\"${path.module}/data.csv\")\n  size = 1\n}\n";
    repo.write("main.tf", root).write("data.csv", "one\n").commit("base");
    repo.edit("main.tf", "size = 1", "size = 2").commit("code");
    repo.write("data.csv", "two\n").commit("data");
    for which in ["HEAD:data.csv", "HEAD~1:data.csv"] {
        std::fs::remove_file(object(&repo, repo.git(&["rev-parse", which]).trim())).unwrap();
    }
    let run = repo.run(&["check", "--rev", "HEAD"]);
    assert!(run.status < 2 && run.stdout.contains("checked 1 stack"), "{run}");
    repo.run(&["diff", "HEAD~2..HEAD~1"]).ends_with(0).says("1 → 2");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(2).complains("git fsck");
}

#[test]
fn a_lost_program_in_which_names_are_searched_ends_no_run() {
    let repo = project(&[("components/terraform/vpc/main.tf", "variable \"zone\" {}\n"), ("dist/tool", "a program\n")]);
    repo.write("stacks/deploy/dev.yaml", format!("{DEV}settings: {{more: 1}}\n")).commit("edit");
    std::fs::remove_file(object(&repo, repo.git(&["rev-parse", "HEAD:dist/tool"]).trim())).unwrap();
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--all"]).says("settings.more").says("1 known");
    assert!(run.status < 2, "{run}");
}
