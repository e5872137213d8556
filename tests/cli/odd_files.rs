//! Unusual files: other line ends, links, bytes that are not text.

use crate::common::Repo;

const DEV: &str = "import:\n  - catalog/box\nvars:\n  stage: dev\n";
const BOX: &str = "components:\n  terraform:\n    box:\n      vars:\n        size: 1\n        text: |\n          one\n          two\n";

fn described(repo: &Repo) -> serde_json::Value {
    repo.run(&["describe", "component", "box", "-s", "dev", "--format", "json"]).ends_with(0).json()
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/box.yaml", BOX).commit("unix");
    let expected = described(&repo);
    repo.write("stacks/deploy/dev.yaml", DEV.replace('\n', "\r\n"));
    repo.write("stacks/catalog/box.yaml", BOX.replace('\n', "\r\n")).commit("windows");
    assert_eq!(described(&repo), expected);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change.");
    repo.write("stacks/catalog/box.yaml", format!("\u{feff}{BOX}")).commit("mark");
    assert_eq!(described(&repo), expected);
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn places_in_files_with_windows_line_ends() {
    let repo = Repo::atmos();
    let text = BOX.replace('\n', "\r\n");
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/box.yaml", &text).commit("base");
    repo.write("stacks/catalog/box.yaml", text.replace("size: 1", "size: 2"));
    let run = repo.run(&["diff"]).ends_with(0).says("stacks/catalog/box.yaml:5").says("1 → 2");
    assert!(!run.stdout.contains('\r'), "{run}");
}

#[test]
#[cfg(unix)]
fn links_inside_of_the_repository_are_followed() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("shared/box.yaml", BOX);
    repo.link("stacks/catalog/box.yaml", "../../shared/box.yaml").commit("base");
    assert_eq!(described(&repo)["vars"]["size"], 1);
    repo.edit("shared/box.yaml", "size: 1", "size: 2").commit("head");
    assert_eq!(described(&repo)["vars"]["size"], 2);
    let expected = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 → 2");
    assert!(expected.stdout.contains("box.yaml:5"), "{expected}");
    repo.run(&["diff", "HEAD~1"]).ends_with(0).says("1 → 2");

    // A linked folder, and a link that is put in the place of a file.
    repo.link("stacks/more", "../shared").write("stacks/deploy/dev.yaml", DEV.replace("catalog", "more"));
    assert_eq!(described(&repo)["vars"]["size"], 2);
    repo.remove("stacks/catalog/box.yaml").write("stacks/catalog/box.yaml", BOX);
    repo.write("stacks/deploy/dev.yaml", DEV);
    assert_eq!(described(&repo)["vars"]["size"], 1);
}

#[test]
#[cfg(unix)]
fn links_that_leave_the_repository_are_findings() {
    let repo = Repo::atmos();
    std::fs::write(repo.beside("secret.yaml"), "vars: {leaked: 1}\n").unwrap();
    for target in ["../../../secret.yaml", "/etc/hostname", "box.yaml", "../../../../../../../../etc/passwd"] {
        repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/deploy/good.yaml", DEV.replace("catalog/box", "mixin"));
        repo.write("stacks/mixin.yaml", BOX);
        let _ = std::fs::remove_file(repo.root().join("stacks/catalog/box.yaml"));
        repo.link("stacks/catalog/box.yaml", target).commit(target);
        for run in [repo.run(&["check"]), repo.run(&["check", "--rev", "HEAD"]), repo.run(&["check", "--staged"])] {
            let run = run.ends_with(1).hides("leaked").hides("root:");
            assert!(run.stdout.contains("stacks/deploy/dev.yaml:2"), "{target}\n{run}");
        }
        repo.edit("stacks/deploy/good.yaml", "stage: dev", "stage: good");
        repo.run(&["describe", "stacks", "--stack", "good"]).ends_with(1).says("box");
    }
}

#[test]
#[cfg(unix)]
fn folders_that_links_lead_out_to_are_not_entered() {
    let repo = Repo::atmos();
    std::fs::create_dir_all(repo.beside("outside/deploy")).unwrap();
    std::fs::write(repo.beside("outside/deploy/leaked.yaml"), "vars: {stage: leaked}\n").unwrap();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/box.yaml", BOX);
    repo.link("stacks/deploy/out", "../../../outside").commit("base");
    let absolute = repo.beside("outside");
    repo.link("stacks/deploy/absolute", absolute.to_str().unwrap());
    repo.write("stacks/deploy/bad.yaml", "import: [deploy/out/deploy/leaked]\nvars: {stage: bad}\n");
    let run = repo.run(&["check"]).ends_with(1).hides("stage: leaked");
    assert!(run.stdout.contains("stacks/deploy/bad.yaml:1") && run.stdout.contains("leaves the repository"), "{run}");
    repo.run(&["describe", "stacks"]).says("box").hides("leaked");
}

#[test]
fn bytes_that_are_no_text_are_findings() {
    let hostile: [&[u8]; 4] = [b"\0\0\0", b"vars: {a: \xff\xfe}\n", b"\x89PNG\r\n\x1a\n\0\0", b"a: \"\x01\"\n"];
    for bytes in hostile {
        let repo = Repo::atmos();
        repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/box.yaml", BOX);
        repo.write("stacks/deploy/bad.yaml", bytes).commit("base");
        let run = repo.run(&["check", "--format", "json"]).ends_with(1);
        let json = run.json();
        assert_eq!(json["diagnostics"][0]["file"], "stacks/deploy/bad.yaml", "{bytes:?}\n{run}");
        repo.run(&["check"]).ends_with(1).says("stacks/deploy/bad.yaml");
        repo.run(&["describe", "stacks"]).ends_with(1).says("box");
    }
}

#[test]
fn empty_and_comment_only_files() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/box.yaml", BOX);
    repo.write("stacks/deploy/zero.yaml", "").commit("base");
    repo.run(&["check"]).ends_with(0);
    assert_eq!(described(&repo)["vars"]["size"], 1);
}

#[test]
fn names_that_need_care() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/ä ö/dev 1.yaml", DEV.replace("catalog/box", "catalog/b ü"));
    repo.write("stacks/catalog/b ü.yaml", BOX).commit("base");
    repo.edit("stacks/catalog/b ü.yaml", "size: 1", "size: 2");
    repo.run(&["diff"]).ends_with(0).says("stacks/catalog/b ü.yaml:5").says("1 → 2");
    assert_eq!(described(&repo)["atmos_stack_file"], "deploy/ä ö/dev 1");
}
