//! Float arithmetic through decimal numbers, as sprig's `addf` and its like do it: `0.1 + 0.2` is `0.3`.

/// A decimal number: `digits * 10^exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    fn of(value: f64) -> Option<Decimal> {
        if !value.is_finite() {
            return None;
        }
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let fraction = mantissa.split_once('.').map_or(0, |(_, f)| f.len() as i32);
        Some(Decimal {
            digits: mantissa.replace('.', "").parse().ok()?,
            exponent: exponent.parse::<i32>().ok()? - fraction,
        })
    }

    fn scaled(self, exponent: i32) -> Option<i128> {
        let by = 10i128.checked_pow(u32::try_from(self.exponent - exponent).ok()?)?;
        self.digits.checked_mul(by)
    }

    fn apply(self, op: char, other: Decimal) -> Option<Decimal> {
        let exponent = self.exponent.min(other.exponent);
        let digits = match op {
            '+' => self.scaled(exponent)?.checked_add(other.scaled(exponent)?)?,
            '-' => self.scaled(exponent)?.checked_sub(other.scaled(exponent)?)?,
            '*' => {
                let exponent = self.exponent.checked_add(other.exponent)?;
                return Some(Decimal { digits: self.digits.checked_mul(other.digits)?, exponent });
            }
            _ => return self.divide(other),
        };
        Some(Decimal { digits, exponent })
    }

    /// Sixteen digits after the point, rounded half away from zero.
    fn divide(self, other: Decimal) -> Option<Decimal> {
        let shift = self.exponent - other.exponent + 16;
        let scale = |n: i128, by: i32| n.checked_mul(10i128.checked_pow(u32::try_from(by).ok()?)?);
        let (top, bottom) = if shift >= 0 {
            (scale(self.digits, shift)?, other.digits)
        } else {
            (self.digits, scale(other.digits, -shift)?)
        };
        let (mut digits, rest) = (top / bottom, top % bottom);
        if rest.unsigned_abs().checked_mul(2)? >= bottom.unsigned_abs() {
            digits += if (top < 0) == (bottom < 0) { 1 } else { -1 };
        }
        Some(Decimal { digits, exponent: -16 })
    }

    fn value(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(0.0)
    }
}

/// The numbers combined from the left. Numbers too large for exact decimals are computed as floats.
pub(super) fn fold(op: char, numbers: &[f64]) -> Result<f64, String> {
    let Some((first, rest)) = numbers.split_first() else { return Ok(0.0) };
    let mut exact = Decimal::of(*first);
    let mut rough = *first;
    for number in rest {
        if op == '/' && *number == 0.0 {
            return Err("decimal division by 0".into());
        }
        exact = exact.zip(Decimal::of(*number)).and_then(|(a, b)| a.apply(op, b));
        rough = match op {
            '+' => rough + number,
            '-' => rough - number,
            '*' => rough * number,
            _ => rough / number,
        };
        if exact.is_none() {
            exact = Decimal::of(rough);
        }
    }
    Ok(exact.map_or(rough, Decimal::value))
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn exact() {
        assert_eq!(fold('+', &[0.1, 0.2]), Ok(0.3));
        assert_eq!(fold('/', &[1.0, 3.0]), Ok(0.333_333_333_333_333_3));
        assert_eq!(fold('/', &[2.0, 3.0]), Ok(0.666_666_666_666_666_7));
        assert_eq!(fold('*', &[1.1, 1.1]), Ok(1.21));
        assert_eq!(fold('+', &[1e300, 1.0]), Ok(1e300));
        assert!(fold('/', &[1.0, 0.0]).is_err());
    }
}
