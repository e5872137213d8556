//! The project's own fixtures, with random damage: every run ends in order, in time, with whole reports.

use super::note;
use crate::common::{Repo, fixture};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Numbers that look random and are the same every time (SplitMix64).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % (end.max(1) as u64)).unwrap_or_default()
    }
}

/// Fragments with a meaning for one of the readers.
const PIECES: [&[u8]; 36] = [
    b"{{",
    b"}}",
    b"{{ range .x }}",
    b"{{ end }}",
    b"{{ .vars.a | toJson }}",
    b"{{ define \"x\" }}",
    b": ",
    b"\n- ",
    b"\t",
    b"&a ",
    b"*a",
    b"<<: *a\n",
    b"!include ",
    b"!exec ",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"'",
    b"|\n",
    b">-\n",
    b"---\n",
    b"? ",
    b"#",
    b"!!binary ",
    b"${",
    b"import: ['**/*']\n",
    b"../",
    b"%",
    b"!append ",
    b"!terraform.state ",
];

fn damaged(dice: &mut Dice, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + dice.below(3) {
        let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let (from, count) = (dice.below(lines.len()), 1 + dice.below(8));
        let to = (from + count).min(lines.len());
        match dice.below(6) {
            0 => bytes.truncate(dice.below(bytes.len() + 1)),
            1 => {
                let copy = lines[from..to].to_vec();
                let at = dice.below(lines.len() + 1);
                lines.splice(at..at, copy);
                bytes = lines.join(&b'\n');
            }
            2 => {
                let more = dice.below(2) == 0;
                let width = [1, 2, 4, 8][dice.below(4)];
                for line in &mut lines[from..to] {
                    if more {
                        line.splice(0..0, vec![b' '; width]);
                    } else {
                        let spaces = line.iter().take_while(|b| **b == b' ').count().min(width);
                        line.drain(..spaces);
                    }
                }
                bytes = lines.join(&b'\n');
            }
            3 => {
                let at = dice.below(bytes.len() + 1);
                bytes.splice(at..at, PIECES[dice.below(PIECES.len())].iter().copied());
            }
            4 => {
                let at = dice.below(bytes.len() + 1);
                let noise: Vec<u8> =
                    (0..1 + dice.below(6)).map(|_| u8::try_from(dice.below(256)).unwrap_or(0)).collect();
                bytes.splice(at..at, noise);
            }
            _ => {
                let at = dice.below(bytes.len() + 1);
                let end = (at + 1 + dice.below(20)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
        }
    }
    bytes
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    for path in all.into_iter().filter(|p| !p.ends_with(".git")) {
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}

/// How often the projects are damaged by default.
const ROUNDS: usize = 25;

/// Whether to go on after so many rounds: up to `most`, or for the duration that `STACKLINT_FUZZ_SECONDS` sets.
pub(super) fn rounds(done: usize, most: usize, start: Instant) -> bool {
    let seconds = std::env::var("STACKLINT_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    match seconds {
        Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
        None => done < most,
    }
}

/// Whether a run ended as it should, with a report that can be read.
fn is_in_order(repo: &Repo, arguments: &[&str], what: &str) {
    let run = repo.run(arguments);
    assert!(run.status <= 2, "{what}: {run}");
    assert!(!run.stdout.contains("internal-error") && !run.stderr.contains("internal error"), "{what}: {run}");
    assert!(run.status < 2 || !run.stderr.is_empty(), "{what}: {run}");
    if run.status < 2 {
        run.json();
    }
}

#[test]
fn damaged_projects_end_in_order() {
    let start = Instant::now();
    let seed: u64 = std::env::var("STACKLINT_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let repos: Vec<Repo> = ["demo/base", "review/head", "infra/head"]
        .into_iter()
        .map(|name| {
            let repo = Repo::new();
            repo.copy(&fixture(name), "").commit("base");
            repo
        })
        .collect();
    let mut done = 0;
    while rounds(done, ROUNDS, start) {
        let mut dice = Dice(seed.wrapping_mul(1_000_003).wrapping_add(done as u64));
        let repo = &repos[done % repos.len()];
        let mut all = Vec::new();
        files(repo.root(), &mut all);
        let mut before = Vec::new();
        for _ in 0..1 + dice.below(3) {
            let path = all[dice.below(all.len())].clone();
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, damaged(&mut dice, bytes.clone())).unwrap();
            before.push((path, bytes));
        }
        let what =
            format!("STACKLINT_FUZZ_SEED={seed}, round {done}, {:?}", before.iter().map(|b| &b.0).collect::<Vec<_>>());
        is_in_order(repo, &["check", "--pedantic", "--preview", "--format", "json"], &what);
        is_in_order(repo, &["diff", "HEAD", "--format", "json"], &what);
        is_in_order(repo, &["check", "--format", "sarif"], &what);
        for (path, bytes) in before.into_iter().rev() {
            std::fs::write(path, bytes).unwrap();
        }
        done += 1;
    }
    if done > ROUNDS {
        note(&format!("{done} rounds in {:?}", start.elapsed()));
    }
}
