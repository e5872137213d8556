//! Decimal digits of binary numbers.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// Decimal digits `0.d1d2d3… * 10^point`.
pub(super) struct Digits {
    digits: Vec<u8>,
    point: i64,
}

impl Digits {
    /// The digits of `mantissa * 2^exponent`.
    pub(super) fn of(mantissa: &BigUint, exponent: i64) -> Self {
        let (scaled, shift) = match exponent {
            e if e >= 0 => (mantissa << e as u64, 0),
            e => (mantissa * BigUint::from(5_u8).pow(e.unsigned_abs() as u32), e),
        };
        let mut digits = scaled.to_str_radix(10).into_bytes();
        let point = digits.len() as i64 + shift;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        Digits { digits, point }
    }

    fn at(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(b'0')
    }

    /// Returns the fewest digits between the two bounds.
    pub(super) fn shortest(mut self, below: &Digits, above: &Digits, inclusive: bool) -> Self {
        for i in 0..self.digits.len() {
            let (digit, low, high) = (self.at(i), below.at(i), above.at(i));
            let down = low != digit || (inclusive && i + 1 == below.digits.len());
            let up = digit != high && (inclusive || digit + 1 < high || i + 1 < above.digits.len());
            let round_up = match (down, up) {
                (true, true) => match self.at(i + 1).cmp(&b'5') {
                    Ordering::Greater => true,
                    Ordering::Less => false,
                    Ordering::Equal => i + 2 < self.digits.len() || (digit - b'0') % 2 == 1,
                },
                (false, true) => true,
                (true, false) => false,
                (false, false) => continue,
            };
            self.digits.truncate(i + 1);
            if round_up {
                self.increment();
            }
            break;
        }
        self
    }

    fn increment(&mut self) {
        while let Some(last) = self.digits.pop() {
            if last < b'9' {
                self.digits.push(last + 1);
                return;
            }
        }
        self.digits.push(b'1');
        self.point += 1;
    }

    /// The number without an exponent, and without a sign.
    pub(super) fn text(&self) -> String {
        let digits: String = self.digits.iter().map(|b| char::from(*b)).collect();
        let count = digits.len() as i64;
        match self.point {
            _ if count == 0 => "0".to_owned(),
            point if point <= 0 => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
            point if point >= count => format!("{digits}{}", "0".repeat((point - count) as usize)),
            point => format!("{}.{}", &digits[..point as usize], &digits[point as usize..]),
        }
    }
}
