//! Numbers as Go's `math/big` prints floats: from all of their decimal digits.

use super::format::Verb;
use crate::val::number::Number;

/// The digits of a number, `0.d1d2d3… * 10^point`, without zeros at either end.
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The digits of a number that is written without an exponent.
    fn of(text: &str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all = format!("{whole}{fraction}");
        let leading = all.bytes().take_while(|digit| *digit == b'0').count();
        let digits = all[leading..].trim_end_matches('0').as_bytes().to_vec();
        let point = if digits.is_empty() { 0 } else { whole.len() as i64 - leading as i64 };
        Decimal { is_negative, digits, point }
    }

    /// Rounds to so many digits, half to even.
    fn round(&mut self, count: i64) {
        if count < 0 {
            (self.digits, self.point) = (Vec::new(), 0);
            return;
        }
        let count = count as usize;
        let Some(next) = self.digits.get(count).copied() else { return };
        let is_half = next == b'5' && self.digits.len() == count + 1;
        let is_odd = count > 0 && self.digits[count - 1] % 2 == 1;
        self.digits.truncate(count);
        if next > b'5' || next == b'5' && (!is_half || is_odd) {
            while self.digits.last() == Some(&b'9') {
                self.digits.pop();
            }
            match self.digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    self.digits.push(b'1');
                    self.point += 1;
                }
            }
        }
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    fn digit(&self, index: i64) -> char {
        let found = usize::try_from(index).ok().and_then(|index| self.digits.get(index));
        char::from(found.copied().unwrap_or(b'0'))
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }

    /// `1234.50`, with so many digits behind the point.
    fn fixed(&self, decimals: i64) -> String {
        let mut out = self.sign().to_owned();
        match self.point {
            ..=0 => out.push('0'),
            point => out.extend((0..point).map(|index| self.digit(index))),
        }
        if decimals > 0 {
            out.push('.');
            out.extend(
                (0..decimals).map(|index| if self.point + index < 0 { '0' } else { self.digit(self.point + index) }),
            );
        }
        out
    }

    /// `1.50e+03`, with so many digits behind the point.
    fn scientific(&self, decimals: i64) -> String {
        let mut out = format!("{}{}", self.sign(), self.digit(0));
        if decimals > 0 {
            out.push('.');
            out.extend((1..=decimals).map(|index| self.digit(index)));
        }
        let power = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if power < 0 { '-' } else { '+' };
        format!("{out}e{sign}{:02}", power.abs())
    }
}

/// A number in a form with a point or an exponent.
pub(super) fn float(verb: &Verb, number: &Number) -> String {
    let text = number.to_string();
    if matches!(number, Number::Infinite(_)) {
        return text;
    }
    let mut decimal = Decimal::of(&text);
    let precision = verb.precision.map(|precision| precision as i64);
    let text = match verb.letter.to_ascii_lowercase() {
        'f' => {
            let decimals = precision.unwrap_or(6);
            decimal.round(decimal.point + decimals);
            decimal.fixed(decimals)
        }
        'e' => {
            let decimals = precision.unwrap_or(6);
            decimal.round(decimals + 1);
            decimal.scientific(decimals)
        }
        _ => general(decimal, precision),
    };
    if verb.letter.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

/// The shorter form; with all digits if no precision is given.
fn general(mut decimal: Decimal, precision: Option<i64>) -> String {
    if let Some(precision) = precision {
        decimal.round(precision.max(1));
    }
    let count = decimal.digits.len() as i64;
    // Where all digits are printed, six decide about the form.
    let most = match precision.map(|precision| precision.max(1)) {
        None => 6,
        Some(precision) if precision > count && count >= decimal.point => count,
        Some(precision) => precision,
    };
    let power = decimal.point - 1;
    match power < -4 || power >= most {
        true if count > 0 => decimal.scientific(count - 1),
        _ => decimal.fixed((count - decimal.point).max(0)),
    }
}
