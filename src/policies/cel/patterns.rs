//! Regular expressions of `matches`.

use super::outcome::{Failure, Steps};
use crate::threads::PerThread;
use regex::{Regex, RegexBuilder};
use std::collections::HashMap;

/// The maximum number of bytes of a pattern, and of its compiled form.
const MAX_PATTERN: usize = 1_000;
const MAX_COMPILED: usize = 1 << 20;

/// The number of compiled patterns that are cached for each thread.
const MAX_CACHED: usize = 64;

type Compiled = Result<Regex, Failure>;

/// The compiled patterns of an expression; most expressions have one, and match it with every component.
#[derive(Default)]
pub(super) struct Patterns(PerThread<HashMap<String, Compiled>>);

/// Whether a pattern is found in a text. It takes time that grows with both, whatever the pattern is.
///
/// # Errors
/// The pattern is not valid or too large, or there are not enough steps.
pub(super) fn is_match(
    text: &str,
    pattern: &str,
    steps: &mut Steps,
    patterns: Option<&Patterns>,
) -> Result<bool, Failure> {
    if pattern.len() > MAX_PATTERN {
        return Err(Failure::Exceeded);
    }
    // The cost of reading the text with a large pattern.
    steps.take((text.len() as u64).saturating_mul(1 + pattern.len() as u64 / 8) / 16)?;
    let cached = patterns.and_then(|patterns| {
        patterns.0.with(|known| {
            if !known.contains_key(pattern) {
                if known.len() >= MAX_CACHED {
                    known.clear();
                }
                known.insert(pattern.to_owned(), compile(pattern));
            }
            let compiled = known.get(pattern)?;
            Some(compiled.as_ref().map(|regex| regex.is_match(text)).map_err(Clone::clone))
        })?
    });
    cached.unwrap_or_else(|| compile(pattern).map(|regex| regex.is_match(text)))
}

fn compile(pattern: &str) -> Compiled {
    let compiled = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Failure::Exceeded,
        _ => Failure::Wrong(format!("`{pattern}` is not a valid regular expression")),
    })
}
