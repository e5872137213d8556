//! Repositories put together at random from what attackers use: git directories, links, configuration, names, settings. Whatever
//! the mixture, nothing outside is read into a report or written, nothing is executed, and the verdict is that of a fresh clone.
#![cfg(unix)]

use super::mutated::{Dice, rounds};
use super::{DEV, note};
use crate::common::{ATMOS, Repo, Run, run_in};
use std::path::Path;
use std::time::Instant;

/// How many repositories are put together by default; each is run through a dozen commands.
const ROUNDS: usize = 12;
/// The content of files outside, which must not leak.
const SECRET: &str = "leaked-outside-content";
/// The command in everything that could be executed.
const COMMAND: &str = "touch pwned";

/// Commits one attack. `outside` is a folder beside the repository.
fn plant(repo: &Repo, dice: &mut Dice, outside: &Path) {
    let folders = ["", "infra/", "infra/stacks/", "infra/components/terraform/box/"];
    let folder = folders[dice.below(folders.len())];
    let target =
        ["../outside/secret.yaml", "../../outside/secret.yaml", "../../../outside/secret.yaml", "/etc/hostname", "."];
    let target = target[dice.below(target.len())];
    let absolute = outside.join("secret.yaml");
    match dice.below(16) {
        // A bare repository.
        0 => {
            let config = format!(
                "[core]\n\tbare = true\n\tfsmonitor = {COMMAND}\n\tworktree = {}\n\thooksPath = {}\n[include]\n\tpath = {}\n",
                outside.display(),
                outside.display(),
                absolute.display()
            );
            repo.write(&format!("{folder}HEAD"), "ref: refs/heads/main\n").write(&format!("{folder}config"), config);
            repo.write(&format!("{folder}objects/info/alternates"), outside.to_str().unwrap());
            repo.write(&format!("{folder}refs/heads/main"), "0123456789012345678901234567890123456789\n");
        }
        1 => link(repo, &format!("{folder}link.yaml"), target),
        2 => link(repo, &format!("{folder}linked"), if dice.below(2) == 0 { "../outside" } else { "../../outside" }),
        3 => link(repo, &format!("{folder}report.json"), absolute.to_str().unwrap()),
        4 => link(repo, "infra/stacks/deploy/out.yaml", absolute.to_str().unwrap()),
        5 => {
            repo.write(
                "infra/stacks/deploy/in.yaml",
                format!("import: ['{target}', '../../../outside/*']\n{}", DEV.replace("stage: dev", "stage: in")),
            );
        }
        6 => {
            repo.write(
                "infra/stacks/deploy/inc.yaml",
                format!(
                    "settings: {{a: !include {target}, b: !exec {COMMAND}}}\n{}",
                    DEV.replace("stage: dev", "stage: inc")
                ),
            );
        }
        7 => {
            repo.write(
                "infra/stacks/deploy/name.yaml",
                "import: [\"##vso[x]\\n::error::y\\r\\e[2J\"]\nvars: {stage: \"a\\u202e\\u00adb\"}\n",
            );
        }
        8 => {
            repo.write("infra/stacks/deploy/##vso[x]\u{ad}.yaml", DEV.replace("stage: dev", "stage: odd"));
        }
        9 => {
            repo.write(".gitattributes", "* filter=x diff=x merge=x\n").write(
                ".gitmodules",
                format!("[submodule \"x\"]\n\tpath = infra\n\turl = ext::sh -c {COMMAND}\n\tupdate = !{COMMAND}\n"),
            );
        }
        // Values that come from far away: each level overrides what the next one sets.
        10 => {
            let depth = 2 + dice.below(60);
            for (level, side) in (0..depth).flat_map(|level| [(level, 'a'), (level, 'b')]) {
                let next = level + 1;
                let imports =
                    if next < depth { format!("import: [catalog/{next}a, catalog/{next}b]\n") } else { String::new() };
                repo.write(
                    &format!("infra/stacks/catalog/{level}{side}.yaml"),
                    format!("{imports}vars: {{x: {level}}}\n"),
                );
            }
            repo.write(
                "infra/stacks/deploy/far.yaml",
                format!("import: [catalog/0a]\n{}", DEV.replace("stage: dev", "stage: far")),
            );
        }
        11 => {
            let depth = 2 + dice.below(80);
            let bases: String = (1..depth)
                .map(|i| {
                    format!("    c{i}: {{metadata: {{type: abstract, inherits: [c{}]}}, vars: {{x: {i}}}}}\n", i + 1)
                })
                .collect();
            repo.write(
                "infra/stacks/deploy/heir.yaml",
                format!("vars: {{stage: heir}}\ncomponents:\n  terraform:\n    c0: {{metadata: {{inherits: [c1]}}}}\n{bases}    c{depth}: {{}}\n"),
            );
        }
        12 => {
            let depth = 2 + dice.below(1_500);
            let value = format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth));
            let locals: String = (1..depth).map(|i| format!("  l{i}: '{{{{ .locals.l{} }}}}'\n", i - 1)).collect();
            repo.write(
                "infra/stacks/deploy/deep.yaml",
                format!("locals:\n  l0: x\n{locals}settings: {value}\n{}", DEV.replace("stage: dev", "stage: deep")),
            );
        }
        13 => {
            let depth = 2 + dice.below(3_000);
            let locals: String = (1..depth).map(|i| format!("  l{i} = [local.l{}]\n", i - 1)).collect();
            let last = depth - 1;
            repo.write(
                "infra/root/main.tf",
                format!(
                    "terraform {{\n  backend \"s3\" {{}}\n}}\nlocals {{\n  l0 = 1\n{locals}}}\nresource \"a_b\" \"x\" {{\n  a = local.l{last}\n}}\n"
                ),
            );
        }
        14 => {
            repo.write("infra/stacklint.toml", "fail-on = 'never'\n[rules]\nunresolved-import = 'off'\n");
        }
        _ => {
            repo.write(
                "infra/stacks/deploy/silent.yaml",
                format!(
                    "# stacklint: ignore-file[unresolved-import] x\nimport: [gone-too]\n{}",
                    DEV.replace("stage: dev", "stage: silent")
                ),
            );
        }
    }
}

fn link(repo: &Repo, path: &str, target: &str) {
    if std::fs::symlink_metadata(repo.root().join(path)).is_err() {
        repo.link(path, target);
    }
}

/// Checks the output of a run for anything forbidden.
fn is_harmless(run: &Run, what: &str) {
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(run.status <= 2, "{what}: {run}");
    for word in [SECRET, "##vso[", "\u{ad}", "\u{202e}"] {
        assert!(!said.contains(word), "{what}: {word:?} in {run}");
    }
}

#[test]
fn hostile_repositories_bend_nothing() {
    let start = Instant::now();
    let seed: u64 = std::env::var("STACKLINT_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut done = 0;
    while rounds(done, ROUNDS, start) {
        let mut dice = Dice(seed.wrapping_mul(7_000_003).wrapping_add(done as u64));
        let what = format!("STACKLINT_FUZZ_SEED={seed}, round {done}");
        let repo = Repo::new();
        let outside = repo.beside("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret.yaml"), format!("vars: {{stage: {SECRET}}}\n")).unwrap();
        repo.write("infra/atmos.yaml", ATMOS).write("infra/stacks/deploy/dev.yaml", DEV).commit("base");
        repo.tag("base").write("infra/stacks/deploy/dev.yaml", format!("import: [gone]\n{DEV}"));
        for _ in 0..1 + dice.below(5) {
            plant(&repo, &mut dice, &outside);
        }
        repo.commit("head");
        repo.tag("head");
        // What the user's own git would do is not part of a review either.
        for (key, value) in [("core.fsmonitor", COMMAND), ("filter.x.clean", COMMAND), ("core.pager", COMMAND)] {
            repo.git(&["config", key, value]);
        }
        let diff = ["diff", "base..head", "--format", "json"];
        let verdict = repo.run_in("infra", &diff);
        is_harmless(&verdict, &what);
        // The mistake is reported, whatever is around it.
        assert!(verdict.status != 0 && verdict.stdout.contains("gone"), "{what}: {verdict}");
        let clone = repo.beside("clone");
        repo.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
        assert_eq!(run_in(&clone.join("infra"), &diff, &[]), verdict, "{what}");
        for arguments in [
            &["check"][..],
            &["ci", "--base", "base", "--reports", "../reports", "--output", "json=report.json"],
            &["ci", "--base", "base", "--reports", "linked/reports"],
            &["check", "--write-baseline", "linked/known.json"],
            &["hook", "run"],
            &["why", "base..head", "dev", "box"],
            &["graph", "dependencies"],
            &["hook", "install"],
        ] {
            is_harmless(&repo.run_in("infra", arguments), &what);
        }
        #[cfg(target_os = "linux")]
        if done < 3 {
            super::nothing::does_nothing(&repo, &["-C", "infra", "diff", "base..head"], &[]);
        }
        let names: Vec<_> = std::fs::read_dir(&outside).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["secret.yaml"], "{what}");
        let text = std::fs::read_to_string(outside.join("secret.yaml")).unwrap();
        assert_eq!(text, format!("vars: {{stage: {SECRET}}}\n"), "{what}");
        for folder in [repo.root(), &repo.root().join("infra"), &outside, &clone] {
            assert!(!folder.join("pwned").exists(), "{what}: {}", folder.display());
        }
        assert!(!repo.root().join("infra/hooks").exists(), "{what}");
        done += 1;
    }
    note(&format!("{done} rounds in {:?}", start.elapsed()));
}
