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
