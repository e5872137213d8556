//! Names and paths: nothing outside of the repository is read, and no name attacks the reader of a report.

use super::{DEV, project};
use crate::common::Repo;

/// A project beside a file that nothing may read; `@` in a path stands for that file.
fn beside_a_secret(path: &str) -> (Repo, String) {
    let repo = project(&[]);
    let secret = repo.beside("secret.yaml");
    std::fs::write(&secret, "vars: {leaked: 1}\n").unwrap();
    let path = path.replace('@', secret.to_str().unwrap());
    (repo, path)
}

fn is_not_imported(_: &str, path: &str) {
    let (repo, path) = beside_a_secret(path);
    repo.write("stacks/deploy/bad.yaml", format!("import: ['{path}']\nvars: {{stage: bad}}\n"));
    let run = repo.run(&["check"]).ends_with(1).says("stacks/deploy/bad.yaml:1").says("unresolved-import");
    assert!(!run.stdout.contains("leaked") && !run.stderr.contains("leaked"), "{run}");
}

cases! {
    is_not_imported:
    import_beside => "../../secret";
    import_beside_with_its_ending => "../../secret.yaml";
    import_above_the_root_of_the_disk => "../../../../../../etc/hostname";
    import_by_an_absolute_path => "@";
    import_of_all_beside => "../../../*";
    import_of_all_in_a_folder_of_the_system => "/etc/*";
}

fn is_not_included(_: &str, path: &str) {
    let (repo, path) = beside_a_secret(path);
    repo.write("stacks/deploy/bad.yaml", format!("vars: {{stage: bad}}\nsettings: {{a: !include {path}}}\n"));
    repo.run(&["check"]).ends_with(1).says("unresolved-include").hides("leaked");
}

cases! {
    is_not_included:
    include_beside => "../../secret.yaml";
    include_by_an_absolute_path => "@";
    include_of_the_system => "/etc/hostname";
}

fn is_no_base(_: &str, path: &str) {
    let (repo, path) = beside_a_secret(path);
    repo.write("atmos.yaml", format!("base_path: '{path}'\nstacks: {{base_path: '.', included_paths: ['**/*']}}\n"));
    let run = repo.run(&["check"]);
    assert!(run.status <= 2 && !run.stdout.contains("leaked"), "{run}");
}

cases! {
    is_no_base:
    base_path_above => "../../..";
    base_path_of_the_system => "/etc";
    base_path_of_the_disk => "/";
}

#[test]
#[cfg(unix)]
fn links_to_nowhere_and_in_circles() {
    let repo = project(&[]);
    repo.link("stacks/deploy/up", "../..").link("stacks/deploy/self.yaml", "self.yaml");
    repo.link("stacks/deploy/device.yaml", "/dev/zero").link("components", "../..");
    repo.commit("links");
    for arguments in [&["check"][..], &["check", "--rev", "HEAD"], &["check", "--staged"], &["diff", "HEAD~1..HEAD"]] {
        let run = repo.run(arguments);
        assert!(run.status <= 1, "{run}");
    }
    repo.run(&["describe", "stacks"]).says("box");
    // With two of them there are more ways than anybody can go.
    repo.link("stacks/deploy/loop", ".");
    repo.run(&["check"]).ends_with(1).says("limit-exceeded").says("links between folders");
}

#[test]
#[cfg(unix)]
fn pipes_and_devices_are_not_read() {
    let repo = project(&[("stacks/deploy/bad.yaml", "import: [catalog/pipe]\nvars: {stage: bad}\n")]);
    std::fs::create_dir_all(repo.root().join("stacks/catalog")).unwrap();
    for path in ["stacks/deploy/pipe.yaml", "stacks/catalog/pipe.yaml"] {
        let made = std::process::Command::new("mkfifo").arg(repo.root().join(path)).status();
        assert!(made.unwrap().success());
    }
    // Nothing ever writes into them, so a reader would wait forever, or take them for empty files.
    repo.run(&["check"]).ends_with(1).says("unresolved-import").says("catalog/pipe");
}

/// Names that mean something to a terminal, to a shell or to a log.
const NAMES: [&str; 6] =
    ["a\nb", "a\u{1b}[31mred", "::error::x", "a\r\n::warning::y", "<img src=x onerror=alert(1)>", "$(touch pwned)`id`"];

#[test]
#[cfg(unix)]
fn names_of_files_do_nothing() {
    let repo = Repo::atmos();
    for (i, name) in NAMES.iter().enumerate() {
        let text = DEV.replace("stage: dev", &format!("stage: s{i}")).replace("vars: {size", "vars: {a: [, size");
        repo.write(&format!("stacks/deploy/{name}.yaml"), text);
    }
    repo.commit("names");
    super::output::is_harmless(&repo, &["check"]);
    super::output::is_harmless(&repo, &["check", "--rev", "HEAD"]);
    assert!(!repo.root().join("pwned").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let repo = project(&[]);
    let name = std::ffi::OsStr::from_bytes(b"stacks/deploy/\xff\xfe\x80.yaml");
    std::fs::write(repo.root().join(name), DEV.replace("stage: dev", "stage: odd")).unwrap();
    repo.commit("odd");
    for arguments in [&["check", "--format", "json"][..], &["check", "--rev", "HEAD", "--format", "json"]] {
        let run = repo.run(arguments);
        assert!(run.status <= 1, "{run}");
        run.json();
    }
    repo.run(&["describe", "stacks"]).says("odd").says("dev");
}

#[test]
fn names_that_differ_in_case_alone() {
    let repo = Repo::atmos();
    // Through the index, so that it is available even if the disk treats the names as equal.
    let blob = |text: &str| {
        repo.write("blob", text);
        repo.git(&["hash-object", "-w", "blob"]).trim().to_owned()
    };
    let (one, two) = (blob(DEV), blob(&DEV.replace("stage: dev", "stage: other")));
    repo.remove("blob").git(&["add", "--all"]);
    for (name, id) in [("stacks/deploy/Dev.yaml", one), ("stacks/deploy/dev.yaml", two)] {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{id},{name}")]);
    }
    repo.git(&["commit", "--quiet", "--message", "case"]);
    let run = repo.run(&["describe", "stacks", "--rev", "HEAD", "--format", "json"]).ends_with(0);
    let mut stacks: Vec<String> = run.json().as_object().unwrap().keys().cloned().collect();
    stacks.sort();
    assert_eq!(stacks, ["dev", "other"]);
}

/// [`DEV`] in UTF-16, with its mark.
fn utf16(little: bool) -> Vec<u8> {
    let units = DEV.encode_utf16().flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() });
    [&(if little { [0xff, 0xfe] } else { [0xfe, 0xff] })[..], &units.collect::<Vec<u8>>()].concat()
}

fn is_read(_: &str, bytes: Vec<u8>) {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", &bytes).commit("base");
    repo.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("size: 1");
}

cases! {
    is_read:
    little_endian => utf16(true);
    big_endian => utf16(false);
    mark_of_utf8 => format!("\u{feff}{DEV}").into();
    line_breaks_of_windows => DEV.replace('\n', "\r\n").into();
}

fn is_no_text(_: &str, bytes: &[u8]) {
    let repo = project(&[]);
    repo.write("stacks/deploy/bad.yaml", bytes).commit("bad");
    for rev in [&["check", "--format", "json"][..], &["check", "--rev", "HEAD", "--format", "json"]] {
        let run = repo.run(rev).ends_with(1);
        assert_eq!(run.json()["diagnostics"][0]["file"], "stacks/deploy/bad.yaml", "{run}");
    }
}

cases! {
    is_no_text:
    half_a_unit => &utf16(true)[..utf16(true).len() - 1];
    half_a_pair => &[0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00];
    a_zero => b"a: \0\n";
    all_bytes => &(0..=255).collect::<Vec<u8>>();
    a_program => b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0";
}
