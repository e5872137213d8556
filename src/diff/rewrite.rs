//! Whether two values differ only by the name of what they belong to.
//!
//! A stack that is renamed from `core-log` to `core-archive` has `stage: archive` instead of `stage: log`, and
//! `core-archive-state` instead of `core-log-state`. Both follow from the name, so they are not changes of their own.

use super::same::same;
use crate::value::{Data, Value};
use std::collections::HashSet;

/// Longer texts are compared as they are.
const MAX_TEXT: usize = 4_000;
/// The maximum number of positions of a pair of texts that are tried.
const MAX_STEPS: usize = 20_000;

/// Names and what took their place: a text may have one for the other anywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewrite {
    pairs: Vec<(String, String)>,
}

impl Rewrite {
    /// Returns the rewriting between pairs of names: the names as a whole, and the words in which they differ.
    pub(super) fn between<'n>(names: impl IntoIterator<Item = (&'n str, &'n str)>) -> Self {
        let mut pairs = Vec::new();
        for (old, new) in names.into_iter().filter(|(old, new)| old != new && !old.is_empty() && !new.is_empty()) {
            pairs.push((old.to_owned(), new.to_owned()));
            pairs.extend(differing_words(old, new));
        }
        pairs.sort();
        pairs.dedup();
        Rewrite { pairs }
    }

    /// Returns the rewriting between what environments are called, in other spellings too: `useast1` for `us-east-1`. Words that say too
    /// little are left out: a digit is anywhere.
    pub(crate) fn between_environments<'n>(names: impl IntoIterator<Item = (&'n str, &'n str)>) -> Self {
        let Rewrite { mut pairs } = Rewrite::between(names);
        let spellings: [fn(&str) -> String; 4] = [
            |name| name.to_lowercase(),
            |name| name.to_uppercase(),
            |name| name.replace(['-', '_'], ""),
            |name| {
                let mut letters = name.chars();
                letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
            },
        ];
        let spelled = |(old, new): &(String, String)| spellings.map(|spell| (spell(old), spell(new)));
        pairs.extend(pairs.iter().flat_map(spelled).collect::<Vec<_>>());
        let says = |name: &str| {
            let letters = name.chars().filter(|c| c.is_alphabetic()).count();
            name.chars().count() >= if letters > 0 { 2 } else { 6 }
        };
        pairs.retain(|(old, new)| old != new && says(old) && says(new));
        pairs.sort();
        pairs.dedup();
        Rewrite { pairs }
    }

    /// Whether `new` is `old` with some of the names in it replaced.
    pub(crate) fn text(&self, old: &str, new: &str) -> bool {
        if old == new {
            return true;
        }
        let (a, b) = (old.as_bytes(), new.as_bytes());
        if self.pairs.is_empty() || a.len().max(b.len()) > MAX_TEXT {
            return false;
        }
        let (mut todo, mut seen) = (vec![(0, 0)], HashSet::new());
        while let Some((i, j)) = todo.pop() {
            if i == a.len() && j == b.len() {
                return true;
            }
            if seen.len() > MAX_STEPS || !seen.insert((i, j)) {
                continue;
            }
            for (x, y) in &self.pairs {
                if a[i..].starts_with(x.as_bytes()) && b[j..].starts_with(y.as_bytes()) {
                    todo.push((i + x.len(), j + y.len()));
                }
            }
            if a.get(i).is_some_and(|c| b.get(j) == Some(c)) {
                todo.push((i + 1, j + 1));
            }
        }
        false
    }

    /// Whether two values are the same but for the names. `budget` is the number of values that may be compared yet; when it
    /// is used up, values are taken to differ.
    pub(crate) fn value(&self, old: &Value, new: &Value, budget: &mut usize) -> bool {
        let mut todo = vec![(old, new)];
        while let Some((a, b)) = todo.pop() {
            let Some(left) = budget.checked_sub(1) else { return false };
            *budget = left;
            match (&a.data, &b.data) {
                (Data::Map(x), Data::Map(y)) => {
                    if x.len() != y.len() || x.iter().zip(y.iter()).any(|(x, y)| x.key != y.key) {
                        return false;
                    }
                    todo.extend(x.iter().zip(y.iter()).map(|(x, y)| (&x.value, &y.value)));
                }
                (Data::List(x), Data::List(y)) => {
                    if x.len() != y.len() {
                        return false;
                    }
                    todo.extend(x.iter().zip(y.iter()));
                }
                (Data::Str(x), Data::Str(y)) => {
                    if !self.text(x, y) {
                        return false;
                    }
                }
                (Data::Unknown(x), Data::Unknown(y)) => {
                    if !self.text(&x.text, &y.text) {
                        return false;
                    }
                    match (&x.assumed, &y.assumed) {
                        (Some(x), Some(y)) => todo.push((x, y)),
                        (None, None) => {}
                        _ => return false,
                    }
                }
                _ => {
                    if !same(a, b) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// The number of words at the start and at the end of two names that are the same.
pub(super) fn common_words(old: &str, new: &str) -> usize {
    let (a, b) = (words(old), words(new));
    let (front, back) = common(&a, &b);
    front + back
}

/// The words in which two names differ, together and, where there are as many, one by one.
fn differing_words(old: &str, new: &str) -> Vec<(String, String)> {
    let (a, b) = (words(old), words(new));
    let (mut front, mut back) = common(&a, &b);
    if front + back >= a.len().min(b.len()) {
        // If words were only added or removed, the neighboring word is included.
        if front > 0 {
            front -= 1;
        } else {
            back = back.saturating_sub(1);
        }
    }
    let (a, b) = (&a[front..a.len() - back], &b[front..b.len() - back]);
    let text = |name: &str, words: &[(usize, &str)]| {
        let (first, last) = (words.first()?, words.last()?);
        name.get(first.0..last.0 + last.1.len()).map(str::to_owned)
    };
    let mut pairs: Vec<(String, String)> = text(old, a).zip(text(new, b)).into_iter().collect();
    if a.len() == b.len() {
        let differing = a.iter().zip(b).filter(|(x, y)| x.1 != y.1);
        pairs.extend(differing.map(|(x, y)| (x.1.to_owned(), y.1.to_owned())));
    }
    pairs
}

/// Runs of letters and digits with their offsets.
fn words(name: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut offset = 0;
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            words.push((offset, word));
        }
        offset += word.len() + name[offset + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    words
}

/// How many words at the start, and then at the end, are the same.
fn common(a: &[(usize, &str)], b: &[(usize, &str)]) -> (usize, usize) {
    let front = a.iter().zip(b).take_while(|(x, y)| x.1 == y.1).count();
    let rest = a.len().min(b.len()) - front;
    let back = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x.1 == y.1).count();
    (front, back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_that_follow_from_the_name() {
        for (names, old, new, expected) in [
            (("core-gbl-log", "core-gbl-log-archive"), "log", "log-archive", true),
            (("core-gbl-log", "core-gbl-log-archive"), "core-gbl-log-state", "core-gbl-log-archive-state", true),
            (("core-gbl-log", "core-gbl-log-archive"), "a log of logs", "a log-archive of logs", true),
            (("core-gbl-log", "core-gbl-log-archive"), "log", "archive", false),
            (("plat-use1-dev", "core-use1-prod"), "plat", "core", true),
            (("plat-use1-dev", "core-use1-prod"), "prod", "dev", false),
            (("dev", "prod"), "10.0.0.0/16", "10.1.0.0/16", false),
            (("übung-a", "übung-b"), "arn:übung-a/x", "arn:übung-b/x", true),
            (("old-vpc", "vpc"), "old-vpc", "vpc", true),
            (("a", "a"), "a", "b", false),
        ] {
            let rewrite = Rewrite::between([names]);
            assert_eq!(rewrite.text(old, new), expected, "{names:?}: {old} {new} with {rewrite:?}");
        }
    }

    #[test]
    fn work_is_bounded() {
        let rewrite = Rewrite::between([("a", "aa")]);
        assert!(!rewrite.text(&"a".repeat(2_000), &format!("{}b", "a".repeat(3_000))));
        let deep = (0..100).fold(Value::str("x"), |v, _| Value::map([("k".into(), v)].into_iter().collect()));
        assert!(!rewrite.value(&deep, &deep.clone(), &mut 50));
        assert!(rewrite.value(&deep, &deep.clone(), &mut 500));
    }

    proptest! {
        #![proptest_config(crate::fuzz::cases(64))]

        #[test]
        fn a_name_in_a_text_is_explained(old in "[a-z]{1,4}(-[a-z]{1,3}){0,3}", new in "[a-z]{1,4}(-[a-z]{1,3}){0,3}",
                                         before in ".{0,6}", after in ".{0,6}") {
            let rewrite = Rewrite::between([(&*old, &*new)]);
            let texts = (format!("{before}{old}{after}"), format!("{before}{new}{after}"));
            prop_assert!(rewrite.text(&texts.0, &texts.1));
        }
    }
}
