//! Every promise about hostile input names a test that exists.

use super::{packages, root};
use regex::Regex;
use std::path::PathBuf;

/// The pages with tables of promises: what is promised, then its tests.
const PAGES: [&str; 2] = ["SECURITY.md", "docs/limits.md"];
/// The head of such a table.
const HEAD: &str = "| promise | test |";

/// The file of a test module.
fn file(module: &str) -> Option<PathBuf> {
    let places = ["tests/cli/hostile", "tests/cli"].map(|folder| root().join(folder).join(format!("{module}.rs")));
    places.into_iter().find(|path| path.is_file())
}

/// Whether a cell names something: a path of the repository, a test module, or one test in it.
fn exists(name: &str) -> bool {
    if name.contains('/') {
        return root().join(name).exists();
    }
    let (module, test) = name.split_once("::").map_or((name, None), |(module, test)| (module, Some(test)));
    let Some(path) = file(module) else { return false };
    let text = std::fs::read_to_string(path).unwrap();
    test.is_none_or(|test| text.contains(&format!("fn {test}(")) || text.contains(&format!("    {test} =>")))
}

#[test]
fn promises_have_tests() {
    for page in PAGES {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let tables: Vec<&str> = text.split(HEAD).skip(1).collect();
        assert!(!tables.is_empty(), "{page} has no table of promises");
        let rows = tables.iter().flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
        for row in rows {
            let tests = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
            let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "{page}: no test for {row}");
            for name in names {
                assert!(exists(name), "{page}: there is no test `{name}`");
            }
        }
    }
    assert!(!exists("limits::nothing_of_that_name") && !exists("no_such_module") && exists("limits::file_size"));
}

/// The limits that cannot be set: what the page says, the file, and the constant with its value.
const NUMBERS: &[(&str, &str, &str)] = &[
    ("YAML nests at most 10,000 levels", "crates/spanned-yaml/src/events.rs", "MAX_DEPTH: usize = 10_000;"),
    (
        "each of its values are 200,000,000",
        "crates/spanned-yaml/src/events.rs",
        "MAX_LEVELS_READ: usize = 200_000_000;",
    ),
    ("templates nest 200 levels", "crates/go-template/src/parse.rs", "MAX_DEPTH: usize = 200;"),
    ("call 450 deep", "crates/go-template/src/eval.rs", "MAX_DEPTH: u32 = 450;"),
    ("JSON nests 256", "src/dialects/atmos/include/mod.rs", "MAX_JSON_DEPTH: usize = 256;"),
    ("HCL 150 levels", "crates/hcl/src/parse/mod.rs", "MAX_DEPTH: usize = 150;"),
    ("HCL 150 levels", "crates/hcl/src/parse/json.rs", "MAX_DEPTH: usize = 150;"),
    ("have at most 4 MiB", "src/terraform/read.rs", "MAX_BYTES: usize = 4 << 20;"),
    ("at most 400,000 steps", "src/source/listing/expand.rs", "MAX_VISITS: usize = 400_000;"),
    ("and 32 for every file", "src/source/listing/expand.rs", "VISITS_PER_ENTRY: usize = 32;"),
    ("2,000,000 files", "src/source/objects.rs", "MAX_ENTRIES: usize = 2_000_000;"),
    ("20 cycles of imports", "src/dialects/atmos/manifest/import_chain.rs", "MAX_CYCLES: usize = 20;"),
    ("500 imports that are repeated", "src/rules/imports/duplicate.rs", "MAX_REPEATED: usize = 500;"),
    ("lists 300 others", "src/dialects/garden/template/evaluation/lookup.rs", "MAX_AVAILABLE: usize = 300;"),
    ("a job has 500 patterns", "src/affected/jobs.rs", "MOST_PATTERNS: usize = 500;"),
    ("have taken 10 times", "src/dialects/garden/template/evaluation/evaluator.rs", "FULL_RUNS: u64 = 10;"),
    ("may take 5,000", "src/dialects/garden/template/evaluation/evaluator.rs", "LATER_STEPS: u64 = 5_000;"),
    ("made of at most 500 names", "src/terraform/evaluation/made_of/mod.rs", "MAX_NAMES: usize = 500;"),
    ("together of 300,000", "src/terraform/evaluation/followed.rs", "MAX_FOLLOWED: usize = 300_000;"),
    ("400,000 unknown parts", "src/terraform/evaluation/followed.rs", "MAX_UNKNOWN: usize = 400_000;"),
    ("at most 20,000 configs", "src/dialects/garden/actions/render.rs", "MOST_CONFIGS: usize = 20_000;"),
    ("at most 100,000 components", "src/dialects/garden/mod.rs", "MOST_COMPONENTS: usize = 100_000;"),
    ("at most 50,000 resources", "src/dialects/jitsubst/mod.rs", "MOST_RESOURCES: usize = 50_000;"),
    ("1,000,000 values and references", "src/dialects/jitsubst/mod.rs", "MOST_VALUES: usize = 1_000_000;"),
    ("have at most 1 MiB", "src/dialects/terragrunt/component/code.rs", "MAX_GENERATED: usize = 1 << 20;"),
    ("all units 3,200,000 values", "src/dialects/terragrunt/mod.rs", "MOST_VALUES: usize = 3_200_000;"),
    ("at most 10,000 instances", "src/terraform/configuration/expansion.rs", "MAX_INSTANCES: usize = 10_000;"),
    ("1,000,000 arguments and blocks", "src/terraform/configuration/body.rs", "MAX_PARTS: usize = 1_000_000;"),
    ("a root module 50,000 instances", "src/terraform/configuration/walk.rs", "MAX_INSTANCES: usize = 50_000;"),
    ("are at most 1,000", "src/terraform/evaluation/tree.rs", "MAX_MODULES: usize = 1_000;"),
    ("40 levels deep", "src/terraform/evaluation/tree.rs", "MAX_DEPTH: usize = 40;"),
    ("at most 170,000 names", "src/terraform/evaluation/tree.rs", "MAX_DECLARATIONS: usize = 170_000;"),
];

/// Those of the page are those of the code.
#[test]
fn limits_that_cannot_be_set_are_those_of_the_code() {
    let page = std::fs::read_to_string(root().join("docs/limits.md")).unwrap().replace('\n', " ");
    for (words, path, constant) in NUMBERS {
        let code = std::fs::read_to_string(root().join(path)).unwrap();
        assert!(code.contains(&format!("const {constant}")), "{path} has no `{constant}`: {words}");
        assert!(page.contains(words), "docs/limits.md does not say: {words}");
    }
}

/// There is no code that reaches a network, by whichever library: addresses are only computed with.
#[test]
fn no_code_reaches_a_network() {
    let words = Regex::new(concat!(
        r"\b(TcpStream|TcpListener|UdpSocket|UnixStream|UnixListener|UnixDatagram|ToSocketAddrs|SocketAddr(V4|V6)?)\b",
        r"|\b(getaddrinfo|lookup_host|rustix::net|socket2|mio)\b",
    ));
    let words = words.unwrap();
    assert!(words.is_match("std::net::TcpStream::connect") && !words.is_match("use std::net::IpAddr;"));
    for (package, sources) in packages() {
        for source in sources {
            let found = words.find(&source.text).map(|found| found.as_str());
            assert_eq!(found, None, "{package}/{}", source.path);
        }
    }
}
