#![doc = include_str!("../README.md")]
#![allow(clippy::disallowed_methods, reason = "how long to go on is said by the environment")]

use proptest::test_runner::Config;

/// The given number of cases, or the value of `PROPTEST_CASES`. Failures are not stored: they become plain tests.
pub fn cases(default: u32) -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    Config { cases, failure_persistence: None, ..Config::default() }
}
