#![doc = include_str!("../README.md")]

mod by_address;
mod messages;

pub use by_address::{ByAddress, Shared};
pub use messages::plain;

use foldhash::fast::RandomState;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Shared text: a single pointer, used for values and keys of maps. Comparing two copies of one text does not read the
/// text.
pub type Text = arcstr::ArcStr;

/// The text of bytes that should be UTF-8, with a replacement character for what is not. Bytes that are take one pass, which
/// `String::from_utf8_lossy` takes several times as long for.
pub fn decoded(bytes: &[u8]) -> Text {
    std::str::from_utf8(bytes).map_or_else(|_| Text::from(String::from_utf8_lossy(bytes)), Text::from)
}

/// A map for what is looked up very often, with a faster hash than that of the standard library.
pub type FastMap<K, V> = HashMap<K, V, RandomState>;
/// The same for sets.
pub type FastSet<T> = HashSet<T, RandomState>;

/// The order of two texts, which is known at once as well if they are one.
#[inline]
pub fn order(a: &Text, b: &Text) -> Ordering {
    if Text::ptr_eq(a, b) { Ordering::Equal } else { compare(a, b) }
}

/// Compares two texts by their bytes, as `str` does. Most keys differ in their first byte, which is compared without a call.
#[inline]
pub fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match (a.first(), b.first()) {
        (Some(x), Some(y)) if x != y => x.cmp(y),
        _ => compare_bytes(a, b),
    }
}

/// Compares bytes. Nearly all keys differ in the first ones, which are compared as numbers.
#[inline(never)]
fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    match first_eight(a).cmp(&first_eight(b)) {
        Ordering::Equal if a.len() > 8 && b.len() > 8 => a[8..].cmp(&b[8..]),
        // What one has more is a part of the other one, or zeros.
        Ordering::Equal => a.len().cmp(&b.len()),
        other => other,
    }
}

/// The first eight bytes as a number, the first one in the highest place; zeros for those that are missing.
pub fn first_eight(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk() {
        return u64::from_be_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Both have the bytes in the middle.
        let (first, last) = (u64::from(u32::from_be_bytes(*first)), u64::from(u32::from_be_bytes(*last)));
        return first << 32 | last << (64 - 8 * bytes.len());
    }
    bytes.iter().enumerate().fold(0, |number, (at, byte)| number | u64::from(*byte) << (56 - 8 * at))
}

/// How many texts are interned at most, up to how many values are interned as well, and how long a text may be, in bytes.
const MAX_INTERNED: usize = 1 << 17;
const MAX_INTERNED_VALUES: usize = 1 << 16;
const MAX_INTERNED_LENGTH: usize = 128;

/// Interns a text for the lifetime of the program: copies need no reference count, and comparisons are pointer
/// comparisons. For keys, few of which are repeated very often. Long texts, and further texts when very many are
/// interned, become ordinary texts.
#[inline]
pub fn intern(text: &str) -> Text {
    interned(text, MAX_INTERNED)
}

/// Interns a text as [`intern`] does, but leaves room for keys. For values of documents: threads that copy the same text slow each
/// other down if each copy writes its reference count.
#[inline]
pub fn intern_value(text: &str) -> Text {
    interned(text, MAX_INTERNED_VALUES)
}

/// Interns a text if that makes not more than `most`.
fn interned(text: &str, most: usize) -> Text {
    static KNOWN: LazyLock<Interner> = LazyLock::new(Interner::default);
    // Most texts were interned on this thread before.
    thread_local!(static RECENT: RefCell<FastSet<Text>> = RefCell::default());
    RECENT.with_borrow_mut(|recent| {
        recent.get(text).cloned().unwrap_or_else(|| {
            let text = KNOWN.of(text, most);
            if Text::is_static(&text) {
                recent.insert(Text::clone(&text));
            }
            text
        })
    })
}

#[derive(Default)]
struct Interner(RwLock<FastSet<Text>>);

impl Interner {
    /// The text, interned if that makes not more than `most`.
    fn of(&self, text: &str, most: usize) -> Text {
        if text.len() > MAX_INTERNED_LENGTH {
            return Text::from(text);
        }
        if let Some(known) = self.0.read().get(text) {
            return Text::clone(known);
        }
        let mut known = self.0.write();
        match known.get(text) {
            Some(known) => Text::clone(known),
            None if known.len() < most => {
                let text = Text::from(text);
                text.leak();
                known.insert(Text::clone(&text));
                text
            }
            None => Text::from(text),
        }
    }
}

/// Longer words are not looked for.
const LONGEST: usize = 256;
/// Most candidates that are examined, and of them those that are compared letter by letter.
const MOST: usize = 5_000;
const MOST_COMPARED: usize = 100;

/// The set of letters of a word, each as one bit (some share one).
fn letters(word: &str) -> u64 {
    match word.is_ascii() {
        true => word.bytes().fold(0, |set, letter| set | 1 << (letter & 63)),
        false => word.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) & 63)),
    }
}

/// A number with its noun: `1 stack`, `2 stacks`.
#[inline]
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The candidate that looks most like `word`, if one is near enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let limit = (length / 3).clamp(1, 3);
    // Names that differ more in their length or in the letters that they have cannot be near. The comparison of two names
    // takes as long as the product of their lengths, and there may be as many words as candidates.
    let letters = letters(word);
    let near = |c: &&str| {
        c.len() <= 4 * (length + limit)
            && c.chars().count().abs_diff(length) <= limit
            && (self::letters(c) ^ letters).count_ones() as usize <= 2 * limit
    };
    candidates
        .into_iter()
        .take(MOST)
        .filter(near)
        .take(MOST_COMPARED)
        .map(|c| (distance(word, c), c))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, c)| c)
}

/// The distance of two words. What they begin and end with alike adds nothing to it.
fn distance(a: &str, b: &str) -> usize {
    let shared = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let start = shared(&mut a.chars(), &mut b.chars());
    let (a, b) = (&a[start..], &b[start..]);
    let end = shared(&mut a.chars().rev(), &mut b.chars().rev());
    strsim::damerau_levenshtein(&a[..a.len() - end], &b[..b.len() - end])
}

/// Text without anything that steers a terminal: control characters and marks that change the direction of writing are
/// written as escapes (`\n`, `\u{1b}`).
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if steers(c) => {
                let _ = write!(safe, "\\u{{{:x}}}", c as u32);
            }
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character steers a terminal, changes the direction of writing, or cannot be seen: controls (C0, C1), format
/// characters, fillers, and variation selectors that no visible character has in configuration (U+FE0F makes an emoji).
#[inline]
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}')
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{Interner, MAX_INTERNED_LENGTH, MOST, MOST_COMPARED, Text, compare, nearest, order};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn distances_are_those_of_whole_words(a in "[abc]{0,9}", b in "[abc]{0,9}") {
            prop_assert_eq!(super::distance(&a, &b), strsim::damerau_levenshtein(&a, &b));
        }
    }

    #[test]
    fn few_short_texts_last() {
        let most = 1000;
        let all = Interner::default();
        let (one, other) = (all.of("key", most), all.of(&String::from("key"), most));
        assert!(Text::ptr_eq(&one, &other) && Text::is_static(&one));
        let long = "x".repeat(MAX_INTERNED_LENGTH + 1);
        assert!(all.of(&long, most) == long && !Text::is_static(&all.of(&long, most)));
        let many: Vec<Text> = (0..most).map(|n| all.of(&format!("key {n}"), most)).collect();
        let lasts: Vec<bool> = many.iter().map(Text::is_static).collect();
        assert_eq!(lasts.iter().filter(|lasts| **lasts).count(), most - 1);
        assert!(!lasts[most - 1] && many[most - 1] == format!("key {}", most - 1));
        assert!(Text::is_static(&all.of("another", most + 1)), "there is room for others");
    }

    #[test]
    fn words_that_were_probably_meant() {
        assert_eq!(nearest("vcp", ["vpc", "db"]), Some("vpc"));
        assert_eq!(nearest("networking", ["netwrking", "x"]), Some("netwrking"));
        assert_eq!(nearest("abc", ["xyz"]), None);
        assert_eq!(nearest(&"a".repeat(300), [&*"a".repeat(300)]), None, "too long to be compared");
    }

    #[test]
    fn one_word_is_compared_with_so_many() {
        let examined = |count: usize, word: &str| {
            let all: Vec<String> = (0..count).map(|i| format!("subnet-{i:06}")).collect();
            let mut examined = 0;
            nearest(word, all.iter().map(|one| &**one).inspect(|_| examined += 1));
            examined
        };
        assert_eq!(examined(2 * MOST_COMPARED, "subnet-00000x"), MOST_COMPARED);
        assert_eq!(examined(2 * MOST, "qqqqqqqqqqqqq"), MOST);
    }

    proptest! {
        /// Names skipped before the comparison could not have been near.
        #[test]
        fn nothing_near_is_left_out(word in "[a-cé]{1,8}", candidates in proptest::collection::vec("[a-cé]{0,8}", 0..8)) {
            let limit = (word.chars().count() / 3).clamp(1, 3);
            let all = candidates.iter().map(|c| (strsim::damerau_levenshtein(&word, c), &**c));
            let expected = all.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c);
            prop_assert_eq!(nearest(&word, candidates.iter().map(String::as_str)), expected);
        }

        #[test]
        fn texts_compare_as_strings_do(a in "[a-c\u{e9}\0]{0,12}", b in "[a-c\u{e9}\0]{0,12}", tail in "[a-c]{0,3}") {
            prop_assert_eq!(compare(&a, &b), a.cmp(&b));
            let longer = format!("{a}{tail}");
            prop_assert_eq!(compare(&a, &longer), a.cmp(&longer));
            prop_assert_eq!(order(&Text::from(longer.as_str()), &Text::from(a.as_str())), longer.cmp(&a));
        }
    }
}
