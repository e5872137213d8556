//! Environment expansion when a plan is made (`reference: jitsubst.md` section 6.4): shell-style `$NAME` and `${NAME}`
//! as in Go's `os.Expand`. It treats `${vpc.id}` as a variable called `vpc.id`, which is never set.

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text that stays.
    Text(&'a str),
    Variable {
        /// Its name; a single sign for what shells call special parameters (`$1`, `$$`).
        name: &'a str,
        written: &'a str,
        /// Where that starts.
        start: usize,
    },
    /// Text without a name that is removed: `${}`, and the `${` of a brace that is never closed.
    Eaten,
}

/// The parts of a text from left to right.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let (mut from, mut at) = (0, 0);
    let last_brace = text.rfind('}').unwrap_or(0);
    while let Some(found) = text[at..].find('$') {
        let dollar = at + found;
        let Some((name, width)) = name(&text[dollar + 1..], last_brace > dollar) else {
            at = dollar + 1;
            continue;
        };
        let end = dollar + 1 + width;
        out.extend((from < dollar).then(|| Piece::Text(&text[from..dollar])));
        out.push(match name {
            "" => Piece::Eaten,
            name => Piece::Variable { name, written: &text[dollar..end], start: dollar },
        });
        (from, at) = (end, end);
    }
    out.extend((from < text.len()).then(|| Piece::Text(&text[from..])));
    out
}

/// The name that follows a `$` and how many bytes it takes; `None` if the `$` is only a dollar. Closed is a `$` with a `}`
/// anywhere after it.
fn name(after: &str, is_closed: bool) -> Option<(&str, usize)> {
    let first = *after.as_bytes().first()?;
    if first == b'{' {
        return Some(match is_closed.then(|| after.find('}')).flatten() {
            Some(end) => (&after[1..end], end + 1),
            None => ("", 1),
        });
    }
    if is_special(first) {
        return Some((&after[..1], 1));
    }
    let end = after.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(after.len());
    (end > 0).then(|| (&after[..end], end))
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'#' | b'$' | b'@' | b'!' | b'?' | b'-' | b'0'..=b'9')
}

/// Whether no environment has a variable of this name: expansion leaves nothing of it.
pub(crate) fn is_never_set(name: &str) -> bool {
    let usual = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/');
    !name.bytes().all(usual) || name.len() == 1 && name.bytes().all(is_special)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expand(text: &str, lookup: &dyn Fn(&str) -> String) -> String {
        let one = |p: &Piece<'_>| match p {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Variable { name, .. } => lookup(name),
            Piece::Eaten => String::new(),
        };
        pieces(text).iter().map(one).collect()
    }

    #[test]
    fn as_go_expands() {
        let lookup = |name: &str| match name {
            "A" => "1".to_owned(),
            "B_2" => "two".to_owned(),
            _ => String::new(),
        };
        for (text, expected) in [
            ("plain", "plain"),
            ("$A-${A}-$B_2x", "1-1-"),
            ("${B_2}x", "twox"),
            ("$$A $ $", "A $ $"),
            ("a${}b", "ab"),
            ("a${A", "aA"),
            ("$1$? $%", " $%"),
            ("[${vpc.id}] ${A:-b}", "[] "),
            ("é$A", "é1"),
            ("${ A }", ""),
            ("${${A}}", "}"),
        ] {
            assert_eq!(expand(text, &lookup), expected, "{text}");
        }
    }

    #[test]
    fn names_that_nobody_sets() {
        for name in ["vpc.id", "A:-b", " A ", "1", "$", "?", "a\nb"] {
            assert!(is_never_set(name), "{name}");
        }
        for name in ["A", "a_1", "A-B", "A/B", "_"] {
            assert!(!is_never_set(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn pieces_keep_all_but_what_is_eaten(text in "[${}A-B_.é 1]{0,20}") {
            let whole: String = pieces(&text).iter().map(|p| match p {
                Piece::Text(t) => (*t).to_owned(),
                Piece::Variable { written, start, .. } => {
                    assert_eq!(&&text[*start..*start + written.len()], written);
                    (*written).to_owned()
                }
                Piece::Eaten => "~".to_owned(),
            }).collect();
            let eaten = whole.matches('~').count();
            prop_assert!(whole.len() <= text.len() && text.len() <= whole.len() + 2 * eaten);
        }
    }
}
