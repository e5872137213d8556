//! What differs inside of two texts, word by word.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The most words of a text that are compared.
const MAX_WORDS: usize = 3_000;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct Piece {
    /// Whether the other text has it too.
    pub shared: bool,
    /// The text.
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

/// Runs of letters and digits, and each other character by itself.
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

/// Cuts long shared pieces down to `keep` characters next to a difference.
pub(in crate::report) fn abbreviate(pieces: &mut [Piece], keep: usize) {
    let last = pieces.len().saturating_sub(1);
    for (i, piece) in pieces.iter_mut().enumerate().filter(|(_, p)| p.shared) {
        let (head, tail) = (if i == 0 { 0 } else { keep }, if i == last { 0 } else { keep });
        let length = piece.text.chars().count();
        if length > head + tail + 6 {
            let front: String = piece.text.chars().take(head).collect();
            let back: String = piece.text.chars().skip(length - tail).collect();
            piece.text = format!("{front}…{back}");
        }
    }
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
}
