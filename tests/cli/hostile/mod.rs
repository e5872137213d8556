//! Attacks from within a repository: the run terminates properly, in time, and accesses only what it should.

/// Tests of one kind, each with its name: a function that judges a case, and the cases.
macro_rules! cases {
    ($judge:path: $($name:ident => $case:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $judge(stringify!($name), $case);
            }
        )+
    };
}

mod budgets;
mod built;
mod code_sizes;
mod comments;
mod counts;
mod defects;
mod discovery;
mod garden;
mod git;
mod limits;
mod lsp;
mod megabytes;
mod mutated;
mod narrowing;
mod nothing;
mod objects;
mod output;
mod paths;
mod policies;
mod queries;
mod review;
mod roots;
mod secret_forms;
mod secret_places;
mod secrets;
mod sizes;
mod steps;
mod storage;
mod writes;

use crate::common::Repo;

/// A stack with one component.
const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";

/// Prints a note about a test run that is not a failure.
#[allow(clippy::print_stderr, reason = "whoever runs the tests is to know")]
fn note(text: &str) {
    eprintln!("{text}");
}

/// A committed project with the stack [`DEV`] and more files.
fn project(files: &[(&str, &str)]) -> Repo {
    let repo = Repo::atmos();
    repo.git(&["config", "gc.auto", "0"]);
    repo.write("stacks/deploy/dev.yaml", DEV);
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("base");
    repo
}
