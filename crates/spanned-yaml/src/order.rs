//! The order in which go-yaml writes the keys of a map.

use std::cmp::Ordering;

/// go-yaml's order of two string keys: letters by code point, digit runs by value, letters before or after other
/// characters depending on whether digits precede them.
///
/// The rule is not a total order for all inputs; sort with [`sort_keys`], which cannot be upset by that.
pub fn compare_keys(a: &str, b: &str) -> Ordering {
    let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    if shared == a.len() || shared == b.len() {
        return a.len().cmp(&b.len());
    }
    let mut split = shared;
    while !a.is_char_boundary(split) {
        split -= 1;
    }
    let (common, a, b) = (&a[..split], &a[split..], &b[split..]);
    let (Some(first_a), Some(first_b)) = (a.chars().next(), b.chars().next()) else { return a.len().cmp(&b.len()) };
    match (is_letter(first_a), is_letter(first_b)) {
        (true, true) => return first_a.cmp(&first_b),
        (false, false) => {}
        (letter, _) => {
            let after_digit = common.chars().next_back().is_some_and(is_digit);
            return if letter == after_digit { Ordering::Less } else { Ordering::Greater };
        }
    }
    // A zero at the split belongs to a longer number if a digit other than zero came before it.
    let inside = (first_a == '0' || first_b == '0')
        && common.chars().rev().take_while(|&char| is_digit(char)).any(|char| char != '0');
    let (value_a, length_a) = digits(a, i64::from(inside));
    let (value_b, length_b) = digits(b, i64::from(inside));
    value_a.cmp(&value_b).then(length_a.cmp(&length_b)).then(first_a.cmp(&first_b))
}

/// Sorts `items` by [`compare_keys`] of their keys: stable, and total even where the order is not.
pub fn sort_keys<T>(items: &mut Vec<T>, key: impl Fn(&T) -> &str) {
    if items.is_sorted_by(|a, b| compare_keys(key(a), key(b)) != Ordering::Greater) {
        return;
    }
    // A plain merge sort: the standard one may panic when comparisons contradict each other.
    let mut runs: Vec<Vec<T>> = items.drain(..).map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            merged.push(match pairs.next() {
                Some(right) => merge(left, right, &key),
                None => left,
            });
        }
        runs = merged;
    }
    *items = runs.pop().unwrap_or_default();
}

fn merge<T>(left: Vec<T>, right: Vec<T>, key: &impl Fn(&T) -> &str) -> Vec<T> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from_right = compare_keys(key(a), key(b)) == Ordering::Greater;
        merged.extend(if from_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    merged
}

/// Value (wrapping, as in the reference) and length of the digits that begin `text`, on top of `start`.
fn digits(text: &str, start: i64) -> (i64, usize) {
    text.chars().take_while(|&char| is_digit(char)).fold((start, 0), |(value, length), digit| {
        (value.wrapping_mul(10).wrapping_add(i64::from(u32::from(digit)) - i64::from(b'0')), length + 1)
    })
}

fn is_letter(char: char) -> bool {
    char.is_alphabetic()
}

/// Decimal digits; of those outside ASCII only the common blocks.
fn is_digit(char: char) -> bool {
    matches!(char, '0'..='9' | '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' | '\u{966}'..='\u{96f}'
        | '\u{ff10}'..='\u{ff19}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let expected = [
            "", "-x", "1", "2", "10", "A", "B", "a", "a-b", "a_b", "a0", "a00", "a1", "a01", "a2", "a2b", "a2_", "a10",
            "ab", "b", "é",
        ];
        for (index, a) in expected.iter().enumerate() {
            for b in &expected[index + 1..] {
                assert_eq!(compare_keys(a, b), Ordering::Less, "{a} < {b}");
                assert_eq!(compare_keys(b, a), Ordering::Greater, "{b} > {a}");
            }
            assert_eq!(compare_keys(a, a), Ordering::Equal);
        }
        let mut shuffled: Vec<&str> = expected.iter().rev().copied().collect();
        sort_keys(&mut shuffled, |key| key);
        assert_eq!(shuffled, expected);
    }
}
