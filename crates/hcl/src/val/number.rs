//! Numbers of the language: binary floating point with 512 bits of precision, printed with the fewest decimal digits
//! that distinguish them from their neighbors.

use crate::val::decimal::Digits;
use num_bigint::{BigInt, BigUint, Sign};
use std::cmp::Ordering;
use std::fmt;

mod text;

/// Bits of a mantissa.
const PRECISION: u64 = 512;
/// The largest decimal or binary exponent that is computed with; anything beyond is infinite or zero.
const MAX_EXPONENT: i64 = Number::MAX_EXPONENT as i64;

/// A number: `mantissa * 2^exponent`, the mantissa odd or zero; a zero with a sign; or an infinity.
#[derive(Clone, Debug)]
pub enum Number {
    /// A finite number.
    Finite {
        /// Odd, or zero.
        mantissa: BigInt,
        /// The power of two; zero for zero.
        exponent: i64,
    },
    /// The zero that is left of a negative number. It is equal to zero and printed as `-0`.
    NegativeZero,
    /// Positive (`true`) or negative infinity.
    Infinite(bool),
}

impl Number {
    /// The largest decimal exponent that takes time to compute with.
    pub const MAX_EXPONENT: usize = 20_000;

    /// Zero.
    pub fn zero() -> Self {
        Number::from(0_i64)
    }

    /// Zero, with the sign of a negative number that was too small.
    fn signed_zero(is_negative: bool) -> Self {
        if is_negative { Number::NegativeZero } else { Number::zero() }
    }

    fn new(mantissa: BigInt, exponent: i64) -> Self {
        let (sign, magnitude) = mantissa.into_parts();
        let Some(trailing) = magnitude.trailing_zeros() else {
            return Number::Finite { mantissa: BigInt::ZERO, exponent: 0 };
        };
        let bits = magnitude.bits();
        let (mut magnitude, mut exponent) = match bits - trailing > PRECISION {
            true => {
                let drop = bits - PRECISION;
                let half = BigUint::from(1_u8) << (drop - 1);
                let rest = &magnitude & ((BigUint::from(1_u8) << drop) - 1_u8);
                let mut kept = &magnitude >> drop;
                if rest > half || (rest == half && kept.bit(0)) {
                    kept += 1_u8;
                }
                (kept, exponent + drop as i64)
            }
            false => (magnitude, exponent),
        };
        let trailing = magnitude.trailing_zeros().unwrap_or(0);
        magnitude >>= trailing;
        exponent += trailing as i64;
        match exponent + magnitude.bits() as i64 {
            e if e > 4 * MAX_EXPONENT => Number::Infinite(sign != Sign::Minus),
            e if e < -4 * MAX_EXPONENT => Number::zero(),
            _ => Number::Finite { mantissa: BigInt::from_biguint(sign, magnitude), exponent },
        }
    }

    /// An integer of any size.
    pub fn integer(value: BigInt) -> Self {
        Number::new(value, 0)
    }

    /// Converts a 64-bit float; `None` for NaN.
    pub fn from_f64(value: f64) -> Option<Self> {
        if value.is_nan() {
            return None;
        }
        if value.is_infinite() {
            return Some(Number::Infinite(value > 0.0));
        }
        if value == 0.0 {
            return Some(Number::signed_zero(value.is_sign_negative()));
        }
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = match biased {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, biased - 1075),
        };
        let sign = if value < 0.0 { Sign::Minus } else { Sign::Plus };
        Some(Number::new(BigInt::from_biguint(sign, BigUint::from(mantissa)), exponent))
    }

    /// Reads decimal text: an optional sign, digits with an optional fraction, an optional exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (digits, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], rest[at + 1..].parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all: String = [whole, fraction].concat();
        if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) || all.len() > MAX_EXPONENT as usize {
            return None;
        }
        let mut mantissa = BigInt::parse_bytes(all.as_bytes(), 10)?;
        if negative {
            mantissa = -mantissa;
        }
        let exponent = exponent.checked_sub(fraction.len() as i64)?;
        match exponent {
            _ if mantissa == BigInt::ZERO => Some(Number::signed_zero(negative)),
            e if e > MAX_EXPONENT => Some(Number::Infinite(!negative)),
            e if e < -2 * MAX_EXPONENT => Some(Number::zero()),
            e if e >= 0 => Some(Number::integer(mantissa * BigInt::from(10).pow(e as u32))),
            e => Some(quotient(&mantissa, 0, &BigInt::from(10).pow(e.unsigned_abs() as u32), 0)),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        match self {
            Number::Finite { mantissa, .. } => *mantissa == BigInt::ZERO,
            Number::NegativeZero => true,
            Number::Infinite(_) => false,
        }
    }

    /// Whether it has a minus sign, which a zero can have.
    pub fn has_minus(&self) -> bool {
        matches!(self, Number::NegativeZero) || self.is_negative()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match self {
            Number::Finite { mantissa, .. } => mantissa.sign() == Sign::Minus,
            Number::NegativeZero => false,
            Number::Infinite(positive) => !positive,
        }
    }

    /// The integer that it is, of any size.
    pub fn as_integer(&self) -> Option<BigInt> {
        match self {
            Number::Finite { mantissa, exponent } if *exponent >= 0 => Some(mantissa << *exponent as u64),
            Number::NegativeZero => Some(BigInt::ZERO),
            _ => None,
        }
    }

    /// The same without a big integer, for the short cuts of arithmetic with what most numbers are.
    fn as_small(&self) -> Option<i64> {
        match self {
            Number::Finite { mantissa, exponent: 0 } => i64::try_from(mantissa).ok(),
            Number::Finite { mantissa, exponent: e @ 1..=62 } => i64::try_from(mantissa).ok()?.checked_mul(1 << *e),
            _ => None,
        }
    }

    /// The integer that it is, if 64 bits hold it.
    pub fn as_i64(&self) -> Option<i64> {
        i64::try_from(self.as_integer()?).ok()
    }

    /// The integer that it is, if 64 bits without a sign hold it.
    pub fn as_u64(&self) -> Option<u64> {
        u64::try_from(self.as_integer()?).ok()
    }

    /// The nearest 64-bit float.
    pub fn to_f64(&self) -> f64 {
        match self {
            Number::Infinite(true) => f64::INFINITY,
            Number::Infinite(false) => f64::NEG_INFINITY,
            Number::NegativeZero => -0.0,
            Number::Finite { mantissa, exponent } => match self.as_i64() {
                Some(small) if small.unsigned_abs() < 1 << 53 => small as f64,
                _ => format!("{}e0", self.decimal(mantissa, *exponent)).parse().unwrap_or(f64::NAN),
            },
        }
    }

    /// The number without its fraction, rounded towards zero.
    #[must_use]
    pub fn truncate(&self) -> Self {
        match self {
            Number::Finite { mantissa, exponent } if *exponent < 0 => {
                let (sign, magnitude) = (mantissa.sign(), mantissa.magnitude() >> exponent.unsigned_abs());
                Number::integer(BigInt::from_biguint(sign, magnitude))
            }
            Number::NegativeZero => Number::zero(),
            other => other.clone(),
        }
    }

    /// The largest integer that is not above it.
    #[must_use]
    pub fn floor(&self) -> Self {
        let whole = self.truncate();
        if self.is_negative() && whole != *self { whole.add(&Number::from(-1_i64)) } else { whole }
    }

    /// The smallest integer that is not below it.
    #[must_use]
    pub fn ceil(&self) -> Self {
        self.negate().floor().negate().truncate()
    }

    /// The exact sum.
    #[must_use]
    pub fn add(&self, other: &Number) -> Self {
        if let Some(sum) = self.as_small().zip(other.as_small()).and_then(|(a, b)| a.checked_add(b)) {
            return Number::from(sum);
        }
        let (Number::Finite { mantissa: a, exponent: ea }, Number::Finite { mantissa: b, exponent: eb }) =
            (self, other)
        else {
            // A zero with a sign is left only of two of them.
            let keeps_left = matches!((self, other), (Number::Infinite(_), _) | (_, Number::NegativeZero));
            return if keeps_left { self.clone() } else { other.clone() };
        };
        let low = *ea.min(eb);
        Number::new((a << (ea - low) as u64) + (b << (eb - low) as u64), low)
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negate(&self) -> Self {
        match self {
            zero if zero.is_zero() => Number::signed_zero(!zero.has_minus()),
            Number::NegativeZero => Number::zero(),
            Number::Finite { mantissa, exponent } => Number::Finite { mantissa: -mantissa, exponent: *exponent },
            Number::Infinite(positive) => Number::Infinite(!positive),
        }
    }

    /// The exact difference.
    #[must_use]
    pub fn subtract(&self, other: &Number) -> Self {
        self.add(&other.negate())
    }

    /// The exact product.
    #[must_use]
    pub fn multiply(&self, other: &Number) -> Self {
        let is_negative = self.has_minus() != other.has_minus();
        match (self, other) {
            (Number::Infinite(_), _) | (_, Number::Infinite(_)) => Number::Infinite(!is_negative),
            (Number::Finite { mantissa: a, exponent: ea }, Number::Finite { mantissa: b, exponent: eb })
                if !self.is_zero() && !other.is_zero() =>
            {
                Number::new(a * b, ea + eb)
            }
            _ => Number::signed_zero(is_negative),
        }
    }

    /// The quotient; infinite for a division by zero, none for zero by zero.
    pub fn divide(&self, other: &Number) -> Option<Self> {
        let is_negative = self.has_minus() != other.has_minus();
        match (self, other) {
            (Number::Infinite(_), Number::Infinite(_)) => None,
            (Number::Infinite(_), _) => Some(Number::Infinite(!is_negative)),
            (_, Number::Infinite(_)) => Some(Number::signed_zero(is_negative)),
            _ if self.is_zero() && other.is_zero() => None,
            _ if self.is_zero() => Some(Number::signed_zero(is_negative)),
            (Number::Finite { mantissa: a, exponent: ea }, Number::Finite { mantissa: b, exponent: eb })
                if !other.is_zero() =>
            {
                Some(quotient(a, *ea, b, *eb))
            }
            _ => Some(Number::Infinite(!is_negative)),
        }
    }

    /// Returns the remainder of a division whose quotient is rounded towards zero; the number itself if the divisor is
    /// zero, and `None` if one of them is infinite.
    pub fn remainder(&self, other: &Number) -> Option<Self> {
        if other.is_zero() {
            return Some(self.clone());
        }
        if let (Number::Infinite(_), _) | (_, Number::Infinite(_)) = (self, other) {
            return None;
        }
        let whole = self.divide(other)?.truncate();
        Some(self.subtract(&other.multiply(&whole)))
    }

    fn decimal(&self, mantissa: &BigInt, exponent: i64) -> String {
        let inclusive = (mantissa.magnitude().bits() < PRECISION) || !mantissa.bit(0);
        // The mantissa with one bit more than the precision, so that a half of the last place is one.
        let shift = (PRECISION + 1).saturating_sub(mantissa.bits());
        let (wide, low) = (mantissa.magnitude() << shift, exponent - shift as i64);
        let digits = Digits::of(&wide, low);
        let (below, above) = (Digits::of(&(&wide - 1_u8), low), Digits::of(&(&wide + 1_u8), low));
        let shortest = digits.shortest(&below, &above, inclusive);
        let sign = if mantissa.sign() == Sign::Minus { "-" } else { "" };
        format!("{sign}{}", shortest.text())
    }
}

/// `a * 2^ea / (b * 2^eb)`, rounded once.
fn quotient(a: &BigInt, ea: i64, b: &BigInt, eb: i64) -> Number {
    let shift = (PRECISION + 2 + b.bits()).saturating_sub(a.bits());
    let (wide, divisor) = (a << shift, b);
    let mut mantissa: BigInt = (&wide / divisor) << 1_u8;
    if &wide % divisor != BigInt::ZERO {
        // A last bit that is not zero keeps the rounding from taking this for a half.
        mantissa += if mantissa.sign() == Sign::Minus || a.sign() != b.sign() { -1 } else { 1 };
    }
    Number::new(mantissa, ea - eb - shift as i64 - 1)
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        let exponent = if value == 0 { 0 } else { value.trailing_zeros() };
        Number::Finite { mantissa: BigInt::from(value >> exponent), exponent: i64::from(exponent) }
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or_else(|_| Number::integer(BigInt::from(value)), Number::from)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if let Some((a, b)) = self.as_small().zip(other.as_small()) {
            return a.cmp(&b);
        }
        match (self, other) {
            (Number::Infinite(a), Number::Infinite(b)) => a.cmp(b),
            (Number::Infinite(true), _) | (_, Number::Infinite(false)) => Ordering::Greater,
            (Number::Infinite(false), _) | (_, Number::Infinite(true)) => Ordering::Less,
            _ => match self.subtract(other) {
                difference if difference.is_zero() => Ordering::Equal,
                difference if difference.is_negative() => Ordering::Less,
                _ => Ordering::Greater,
            },
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Number::Finite { mantissa: a, exponent: ea }, Number::Finite { mantissa: b, exponent: eb }) => {
                a == b && ea == eb
            }
            (Number::Infinite(a), Number::Infinite(b)) => a == b,
            _ => self.is_zero() && other.is_zero(),
        }
    }
}

impl Eq for Number {}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Infinite(true) => f.write_str("+Inf"),
            Number::Infinite(false) => f.write_str("-Inf"),
            Number::NegativeZero => f.write_str("-0"),
            Number::Finite { mantissa, exponent } => match self.as_i64() {
                Some(small) => write!(f, "{small}"),
                None => f.write_str(&self.decimal(mantissa, *exponent)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn decimals_are_printed_with_the_fewest_digits() {
        for text in ["0", "1", "-1", "0.1", "0.001", "123456789012345678901234567890", "-2.5", "1000000"] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(number("1e6").to_string(), "1000000");
        assert_eq!(number("1E-3").to_string(), "0.001");
        assert_eq!(number("0.1").add(&number("0.2")).to_string(), "0.3");
    }

    /// The short cuts give what the long way gives.
    #[test]
    fn small_integers_are_like_others() {
        let all = [0, 1, -1, 6, -8, 1024, 1 << 62, i64::MAX, i64::MIN, i64::MIN + 2];
        for a in all {
            assert_eq!(Number::from(a), Number::integer(BigInt::from(a)), "{a}");
            assert_eq!((Number::from(a).as_i64(), Number::from(a).to_string()), (Some(a), a.to_string()));
            for b in all {
                let sum = Number::from(a).add(&Number::from(b));
                assert_eq!(sum, Number::integer(BigInt::from(a) + BigInt::from(b)), "{a} + {b}");
                assert_eq!(Number::from(a).cmp(&Number::from(b)), a.cmp(&b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_third_has_as_many_digits_as_512_bits_hold() {
        let third = number("1").divide(&number("3")).unwrap().to_string();
        assert_eq!(third, format!("0.{}5", "3".repeat(154)));
        let two_thirds = number("-2").divide(&number("3")).unwrap().to_string();
        assert_eq!(two_thirds, format!("-0.{}7", "6".repeat(153)));
    }

    #[test]
    fn division_by_zero_is_infinite_and_has_no_remainder() {
        assert_eq!(number("1").divide(&Number::zero()), Some(Number::Infinite(true)));
        assert_eq!(Number::zero().divide(&Number::zero()), None);
        assert_eq!(number("5").remainder(&Number::zero()), Some(number("5")));
        assert_eq!(number("-7").remainder(&number("3")), Some(number("-1")));
    }

    #[test]
    fn a_zero_keeps_its_sign() {
        let (zero, negative) = (Number::zero(), number("-0"));
        assert_eq!(negative, zero);
        assert_eq!(negative.cmp(&zero), Ordering::Equal);
        assert!(!negative.is_negative() && negative.is_zero());
        let minus_one = number("-1");
        for (found, expected) in [
            (negative.clone(), "-0"),
            (number("-0.0e3"), "-0"),
            (zero.negate(), "-0"),
            (negative.negate(), "0"),
            (zero.multiply(&minus_one), "-0"),
            (negative.multiply(&minus_one), "0"),
            (zero.divide(&minus_one).unwrap(), "-0"),
            (zero.add(&negative), "0"),
            (negative.add(&zero), "0"),
            (negative.add(&negative), "-0"),
            (negative.subtract(&zero), "-0"),
            (zero.subtract(&zero), "0"),
            (negative.add(&minus_one), "-1"),
            (minus_one.subtract(&minus_one), "0"),
            (number("1").divide(&negative).unwrap(), "-Inf"),
            (number("-5").remainder(&number("5")).unwrap(), "0"),
            (zero.ceil(), "0"),
            (number("-0.5").ceil(), "0"),
            (negative.floor(), "0"),
            (Number::from_f64(-0.0).unwrap(), "-0"),
        ] {
            assert_eq!(found.to_string(), expected);
        }
        assert!(negative.to_f64().is_sign_negative());
        assert_eq!(negative.as_i64(), Some(0));
    }

    #[test]
    fn rounding_to_integers() {
        assert_eq!(number("-1.5").floor(), number("-2"));
        assert_eq!(number("-1.5").ceil(), number("-1"));
        assert_eq!(number("1.5").ceil(), number("2"));
        assert_eq!(number("2").floor(), number("2"));
    }

    #[test]
    fn floats_and_back() {
        for float in [0.0, 0.1, -1.5, 1e300, 5e-324] {
            assert_eq!(Number::from_f64(float).unwrap().to_f64(), float);
        }
        assert_eq!(number("0.1").to_f64(), 0.1);
    }

    #[test]
    fn huge_exponents_end() {
        assert_eq!(number("1e999999999"), Number::Infinite(true));
        assert!(number("1e-999999999").is_zero());
        assert!(Number::parse("1e99999999999999999999").is_none());
    }
}
