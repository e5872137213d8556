//! The differences between two texts, word by word.

use super::style::{cut, escape, width};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The maximum number of words of a text that are compared.
const MAX_WORDS: usize = 3_000;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct Piece {
    /// Whether the other text has it too.
    pub shared: bool,
    pub text: String,
}

/// Both texts in pieces, or `None` if they have too little in common for that to help.
pub(in crate::report) fn pieces(before: &str, after: &str) -> Option<(Vec<Piece>, Vec<Piece>)> {
    let (a, b) = (split(before)?, split(after)?);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut shared = 0;
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let piece = |words: &[&str], shared| Piece { shared, text: words.concat() };
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                let words = &a[old_index..old_index + len];
                shared += words.iter().map(|w| w.len()).sum::<usize>();
                old.push(piece(words, true));
                new.push(piece(words, true));
            }
            DiffOp::Delete { old_index, old_len, .. } => old.push(piece(&a[old_index..old_index + old_len], false)),
            DiffOp::Insert { new_index, new_len, .. } => new.push(piece(&b[new_index..new_index + new_len], false)),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                old.push(piece(&a[old_index..old_index + old_len], false));
                new.push(piece(&b[new_index..new_index + new_len], false));
            }
        }
    }
    (shared * 3 >= before.len().min(after.len())).then_some((old, new))
}

/// Splits a text into runs of letters and digits, and single other characters.
fn split(text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (i, c) in text.char_indices() {
        let word = c.is_alphanumeric();
        if i > 0 && !(word && in_word) {
            words.push(&text[start..i]);
            start = i;
            if words.len() > MAX_WORDS {
                return None;
            }
        }
        in_word = word;
    }
    words.push(&text[start..]);
    Some(words)
}

/// Cuts long shared pieces down to `keep` characters next to a difference. A text in which nothing differs keeps its start
/// and its end.
pub(in crate::report) fn abbreviate(pieces: &mut [Piece], keep: usize) {
    let last = pieces.len().saturating_sub(1);
    let is_whole = last == 0;
    for (i, piece) in pieces.iter_mut().enumerate().filter(|(_, p)| p.shared) {
        let head = if i == 0 && !is_whole { 0 } else { keep };
        let tail = if i == last && !is_whole { 0 } else { keep };
        let length = piece.text.chars().count();
        if length > head + tail + 6 {
            let front: String = piece.text.chars().take(head).collect();
            let back: String = piece.text.chars().skip(length - tail).collect();
            piece.text = format!("{front}…{back}");
        }
    }
}

/// Shortens shared pieces so that a text fits into some columns if possible, and then differing pieces, in their
/// middle.
pub(in crate::report) fn fit(pieces: &mut Vec<Piece>, columns: usize) {
    let length = |pieces: &[Piece]| pieces.iter().map(|p| width(&escape(&p.text))).sum::<usize>();
    let whole = pieces.clone();
    for share in [2, 3, 4, 6, 8] {
        if length(pieces) <= columns {
            return;
        }
        pieces.clone_from(&whole);
        abbreviate(pieces, (columns / share).max(8));
    }
    let differing = pieces.iter().filter(|p| !p.shared).count().max(1);
    let shared: usize = pieces.iter().filter(|p| p.shared).map(|p| width(&p.text)).sum();
    let keep = (columns.saturating_sub(shared) / differing / 2).max(6);
    if length(pieces) > columns {
        pieces.iter_mut().filter(|p| !p.shared).for_each(|p| p.text = middle(&p.text, keep));
    }
}

/// The start and the end of a text, `keep` characters of each.
fn middle(text: &str, keep: usize) -> String {
    let length = text.chars().count();
    if length <= 2 * keep + 1 {
        return text.to_owned();
    }
    let start: String = text.chars().take(keep).collect();
    let end: String = text.chars().skip(length - keep).collect();
    format!("{start}…{end}")
}

/// The end of a path that fits into some columns, from the start of a folder or file on if possible.
pub(super) fn end(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let skip = path.chars().count().saturating_sub(columns.saturating_sub(1));
    let rest: String = path.chars().skip(skip).collect();
    format!("…{}", rest.find('/').map_or(&*rest, |slash| &rest[slash..]))
}

/// Two texts that have little in common, cut so that what differs first is seen in both.
pub(in crate::report) fn focus(before: &str, after: &str, columns: usize) -> (String, String) {
    let shared = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let skip = if shared > columns / 2 { shared - columns / 4 } else { 0 };
    let part = |text: &str| {
        let rest: String = text.chars().skip(skip).collect();
        let start = if skip > 0 { "…" } else { "" };
        cut(&format!("{start}{rest}"), columns).into_owned()
    };
    (part(before), part(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[Piece]) -> String {
        pieces.iter().map(|p| if p.shared { p.text.clone() } else { format!("[{}]", p.text) }).collect()
    }

    #[test]
    fn words_that_differ() {
        let (old, new) = pieces("arn:aws:iam::1:role/x", "arn:aws:iam::2:role/x").unwrap();
        assert_eq!(
            (shown(&old).as_str(), shown(&new).as_str()),
            ("arn:aws:iam::[1]:role/x", "arn:aws:iam::[2]:role/x")
        );
        assert!(pieces("alpha", "omega").is_none());
        assert!(pieces(&"a ".repeat(5_000), "a").is_none());
    }

    #[test]
    fn long_shared_pieces_are_cut() {
        let long = "word ".repeat(20);
        let (mut old, _) = pieces(&format!("{long}x {long}"), &format!("{long}y {long}")).unwrap();
        abbreviate(&mut old, 14);
        assert_eq!(shown(&old), "…ord word word [x] word word wor…");
    }

    #[test]
    fn both_sides_stay_visible() {
        let (mut old, mut new) =
            pieces("aft-gbl-mgmt/aws-account-settings/terraform.tfstate", "aws-account-settings/terraform.tfstate")
                .unwrap();
        abbreviate(&mut new, 10);
        assert_eq!(shown(&new), "aws-accoun…rm.tfstate");
        fit(&mut old, 30);
        assert!(shown(&old).starts_with("[aft-gbl-mgmt/]aws"), "{}", shown(&old));
        let (a, b) = (format!("{}x", "a".repeat(300)), format!("{}y", "a".repeat(300)));
        let (old, new) = focus(&a, &b, 40);
        assert!(old.ends_with('x') && new.ends_with('y') && old.chars().count() <= 40, "{old} {new}");
        let (mut old, _) =
            pieces(&format!("k {}", "b".repeat(300)), &format!("k {}", "c".repeat(300))).unwrap_or_default();
        fit(&mut old, 40);
        assert!(shown(&old).chars().count() <= 50);
    }
}
