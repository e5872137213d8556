//! Choosing the style of a string and writing it, as go-yaml's encoder does.

use super::scalar;

/// Restrictions on the styles of a string outside of flow collections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    multiline: bool,
    /// It cannot be written without quotes.
    pub no_plain: bool,
    /// It cannot be written in single quotes.
    pub no_single: bool,
    /// It cannot be a block.
    pub no_block: bool,
}

/// A style to write in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Plain,
    Single,
    Double,
    Literal,
}

/// Whether `text` can precede a colon on one line; otherwise it needs the `? ` form.
pub(super) fn is_simple_key(text: &str) -> bool {
    text.len() <= 128 && !text.contains(is_break)
}

/// The style of a string value, or of a key.
pub(super) fn choose(text: &str, simple_key: bool) -> Choice {
    let traits = analyze(text);
    let wanted = if text.contains('\n') {
        Choice::Literal
    } else if scalar::is_typed(text) || is_old_bool(text) || is_base60(text) {
        Choice::Double
    } else {
        Choice::Plain
    };
    match wanted {
        _ if simple_key && traits.multiline => Choice::Double,
        Choice::Plain if !traits.no_plain => Choice::Plain,
        Choice::Plain if !traits.no_single => Choice::Single,
        Choice::Literal if !traits.no_block && !simple_key => Choice::Literal,
        _ => Choice::Double,
    }
}

/// Examines the characters of a string.
pub fn analyze(text: &str) -> Traits {
    let mut traits = Traits::default();
    if text.is_empty() {
        return Traits { no_block: true, ..traits };
    }
    let first = text.as_bytes()[0];
    let second_blank = matches!(text.as_bytes().get(1), None | Some(b' ' | b'\t'));
    traits.no_plain = text.starts_with("---")
        || text.starts_with("...")
        || b"#,[]{}&*!|>'\"%@`".contains(&first)
        || (matches!(first, b'?' | b':' | b'-') && second_blank)
        || text.starts_with(' ')
        || text.ends_with(' ')
        || text.starts_with(is_break)
        || text.ends_with(is_break);
    traits.no_block = text.ends_with(' ');
    let (mut before_blank, mut after_space, mut after_break) = (true, false, false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ':' if matches!(chars.peek(), None | Some(' ' | '\t')) => traits.no_plain = true,
            '#' if before_blank => traits.no_plain = true,
            '\t' => (traits.no_plain, traits.no_single) = (true, true),
            _ => {}
        }
        if char != '\t' && !is_printable(char) {
            (traits.no_plain, traits.no_single, traits.no_block) = (true, true, true);
        }
        if char == ' ' {
            if after_break {
                (traits.no_plain, traits.no_single) = (true, true);
            }
        } else if is_break(char) {
            (traits.multiline, traits.no_plain) = (true, true);
            if after_space {
                (traits.no_single, traits.no_block) = (true, true);
            }
        }
        (after_space, after_break) = (char == ' ', is_break(char));
        before_blank = after_space || after_break || matches!(char, '\t' | '\0');
    }
    traits
}

pub(super) fn is_break(char: char) -> bool {
    matches!(char, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the encoder leaves a character unescaped. It supports nothing beyond the Basic Multilingual Plane.
pub fn is_printable(char: char) -> bool {
    matches!(char, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}') && char != '\u{feff}'
}

/// YAML 1.1 booleans that go-yaml no longer reads but still quotes.
pub fn is_old_bool(text: &str) -> bool {
    matches!(
        text,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF"
    )
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
pub fn is_base60(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !text.contains(':') || !text.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let (body, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = body.split(':');
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    parts.next().is_some_and(digits)
        && digits(fraction)
        && parts.all(|part| match part.as_bytes() {
            [ones] => ones.is_ascii_digit(),
            [tens, ones] => matches!(tens, b'0'..=b'5') && ones.is_ascii_digit(),
            _ => false,
        })
}

/// A text as a double-quoted scalar.
pub fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// The body of a double-quoted scalar, without the quotes.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    // The encoder looks for a byte order mark at the start of the value when it examines any character.
    let all = text.starts_with('\u{feff}');
    for char in text.chars() {
        if !all && is_printable(char) && !is_break(char) && !matches!(char, '"' | '\\') {
            out.push(char);
            continue;
        }
        out.push('\\');
        let short = match char {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(char);
                out.push_str(&match code {
                    0..=0xff => format!("x{code:02X}"),
                    0x100..=0xffff => format!("u{code:04X}"),
                    _ => format!("U{code:08X}"),
                });
                continue;
            }
        };
        out.push(short);
    }
}
