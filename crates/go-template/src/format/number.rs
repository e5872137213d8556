//! How numbers are printed: integers in their bases, characters and floats.

use super::{Item, MAX_OUTPUT, Printer};
use go_compat::strconv;
use std::fmt::Write;

impl Printer {
    pub(super) fn integer(&mut self, n: u64, negative: bool, verb: char, item: Item<'_>) {
        let digits = match verb {
            'v' | 'd' => n.to_string(),
            'b' => format!("{n:b}"),
            'o' | 'O' => format!("{n:o}"),
            'x' => format!("{n:x}"),
            'X' => format!("{n:X}"),
            'c' | 'q' | 'U' => return self.character(n, negative, verb),
            _ => return self.bad_verb(item, verb),
        };
        let flags = self.flags;
        let zeros = match (flags.precision, flags.width) {
            (Some(0), width) if n == 0 => {
                self.fill(width.unwrap_or(0), ' ');
                return;
            }
            (Some(p), _) => p,
            (None, Some(w)) if flags.zero && !flags.minus => {
                w.saturating_sub((negative || flags.plus || flags.space).into())
            }
            _ => 0,
        };
        let sign = if negative {
            "-"
        } else if flags.plus {
            "+"
        } else if flags.space {
            " "
        } else {
            ""
        };
        let zeros = zeros.min(MAX_OUTPUT).saturating_sub(digits.len());
        let prefix = match verb {
            'O' => "0o",
            'b' if flags.sharp => "0b",
            'o' if flags.sharp && zeros == 0 && !digits.starts_with('0') => "0",
            'x' if flags.sharp => "0x",
            'X' if flags.sharp => "0X",
            _ => "",
        };
        let text = format!("{sign}{prefix}{}{digits}", "0".repeat(zeros));
        self.flags.zero = false;
        self.pad(&text);
        self.flags.zero = flags.zero;
    }

    pub(super) fn character(&mut self, n: u64, negative: bool, verb: char) {
        let c = if negative { None } else { u32::try_from(n).ok().and_then(char::from_u32) };
        let shown = c.unwrap_or('\u{fffd}');
        let text = match verb {
            'c' => shown.to_string(),
            'q' => strconv::quote_char(shown, self.flags.plus),
            _ => {
                let n = if negative { n.wrapping_neg() } else { n };
                let digits = self.flags.precision.unwrap_or(4).clamp(4, MAX_OUTPUT);
                let hex = format!("{n:X}");
                let mut text = format!("U+{}{hex}", "0".repeat(digits.saturating_sub(hex.len())));
                if let Some(c) = c.filter(|_| self.flags.sharp) {
                    let _ = write!(text, " '{c}'");
                }
                text
            }
        };
        let zero = self.flags.zero;
        self.flags.zero &= verb != 'U';
        self.pad(&text);
        self.flags.zero = zero;
    }

    pub(super) fn float(&mut self, f: f64, verb: char, item: Item<'_>) {
        let flags = self.flags;
        let precision = flags.precision.map(|p| p.min(MAX_OUTPUT));
        let mut text = match verb {
            'v' => strconv::format_float(f, 'g', precision),
            'g' | 'G' => strconv::format_float(f, verb, precision),
            'e' | 'E' | 'f' | 'F' => strconv::format_float(f, verb, Some(precision.unwrap_or(6))),
            _ => return self.bad_verb(item, verb),
        };
        if !text.starts_with(['+', '-']) {
            text.insert(0, '+');
        }
        if flags.space && !flags.plus && text.starts_with('+') {
            text.replace_range(..1, " ");
        }
        if !f.is_finite() {
            if text.ends_with("NaN") && !flags.space && !flags.plus {
                text = "NaN".into();
            }
            self.flags.zero = false;
            self.pad(&text);
            self.flags.zero = flags.zero;
            return;
        }
        if flags.sharp {
            sharpen(&mut text, verb, precision);
        }
        if flags.plus || !text.starts_with('+') {
            match flags.width {
                Some(w) if flags.zero && !flags.minus && w > text.len() => {
                    self.out.push_str(&text[..1]);
                    self.fill(w - text.len(), '0');
                    self.out.push_str(&text[1..]);
                }
                _ => self.pad(&text),
            }
            return;
        }
        self.pad(&text[1..]);
    }
}

/// The `#` flag of floats: always a decimal point, and the trailing zeros of `%g` (6 digits unless asked otherwise).
fn sharpen(text: &mut String, verb: char, precision: Option<usize>) {
    let tail = text.find(['e', 'E']).map(|at| text.split_off(at)).unwrap_or_default();
    let mut digits = if matches!(verb, 'v' | 'g' | 'G') { precision.unwrap_or(6) } else { 0 };
    let significant = text[1..].chars().filter(char::is_ascii_digit).skip_while(|c| *c == '0').count();
    digits = digits.saturating_sub(significant);
    if !text.contains('.') {
        if &text[1..] == "0" {
            digits = digits.saturating_sub(1);
        }
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', digits));
    text.push_str(&tail);
}
