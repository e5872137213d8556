//! Small help with words.

/// Text that is shared: one pointer, as every value and every key of a map has one.
pub(crate) type Text = arcstr::ArcStr;

/// Longer words are not looked for.
const LONGEST: usize = 256;
/// Most candidates that are looked at, and of them those that are compared letter by letter.
const MOST: usize = 20_000;
const MOST_COMPARED: usize = 500;

/// The set of letters of a word, each as one bit (some share one).
fn letters(word: &str) -> u64 {
    word.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) & 63))
}

/// The candidate that looks most like `word`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
        .map(|c| (strsim::damerau_levenshtein(word, c), c))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use proptest::prelude::*;

    #[test]
    fn words_that_were_probably_meant() {
        assert_eq!(nearest("vcp", ["vpc", "db"]), Some("vpc"));
        assert_eq!(nearest("networking", ["netwrking", "x"]), Some("netwrking"));
        assert_eq!(nearest("abc", ["xyz"]), None);
        assert_eq!(nearest(&"a".repeat(300), [&*"a".repeat(300)]), None, "too long to be compared");
    }

    proptest! {
        /// What is left out before the comparison could not have been near.
        #[test]
        fn nothing_near_is_left_out(word in "[a-cé]{1,8}", candidates in proptest::collection::vec("[a-cé]{0,8}", 0..8)) {
            let limit = (word.chars().count() / 3).clamp(1, 3);
            let all = candidates.iter().map(|c| (strsim::damerau_levenshtein(&word, c), &**c));
            let expected = all.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c);
            prop_assert_eq!(nearest(&word, candidates.iter().map(String::as_str)), expected);
        }
    }
}
