//! Numbers.

use super::lists::sequence;
use super::{Args, ELEMENTS, Fail, Function, N, Outcome, function};
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::number::Number;
use crate::val::{Data, Val};
use num_bigint::BigInt;

pub(super) const ALL: &[Function] = &[
    function("abs", &[N.forgetting()], |a| {
        let n = a.number(0);
        Ok(Val::number(if n.has_minus() { n.negate() } else { n }))
    }),
    function("ceil", &[N], |a| Ok(Val::number(a.number(0).ceil()))),
    function("floor", &[N], |a| Ok(Val::number(a.number(0).floor()))),
    function("log", &[N, N], |a| float(logarithm(a.number(0).to_f64()) / logarithm(a.number(1).to_f64()))),
    function("max", &[], |a| extreme(a, true)).rest(N),
    function("min", &[], |a| extreme(a, false)).rest(N),
    function("parseint", &[super::TEXT, N], parse_int),
    function("pow", &[N, N], |a| float(power(a.number(0).to_f64(), a.number(1).to_f64()))),
    function("range", &[], range).rest(N),
    function("signum", &[N], |a| {
        let number = a.number(0).as_integer().and_then(|n| i64::try_from(n).ok());
        let wrong = || Fail::Call(format!("value must be a whole number, between {} and {}", i64::MIN, i64::MAX));
        Ok(Val::number(number.ok_or_else(wrong)?.signum()))
    }),
    function("sum", &[ELEMENTS.lenient()], sum),
];

fn float(value: f64) -> Outcome {
    // A float represents the number with the fewest digits.
    match Number::parse(&value.to_string()).or_else(|| Number::from_f64(value)) {
        Some(number) => Ok(Val::number(number)),
        None => Err(Fail::Call("the result is not a number".to_owned())),
    }
}

/// Half a number as often as it takes to be below one and not below a half, and how often.
fn fraction_and_exponent(x: f64) -> (f64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent)
}

/// A power as Go's `math.Pow` computes it: by squaring, which rounds in other places than the function of the machine.
fn power(x: f64, y: f64) -> f64 {
    if x == 0.0 || !x.is_finite() || x.is_subnormal() || y.fract() != 0.0 || !(2.0..1e6).contains(&y.abs()) {
        return x.powf(y);
    }
    let (mut square, mut square_exponent) = fraction_and_exponent(x);
    let (mut fraction, mut exponent, mut left) = (1.0, 0, y.abs() as u32);
    while left != 0 && square_exponent.abs() <= 1 << 12 {
        if left & 1 == 1 {
            fraction *= square;
            exponent += square_exponent;
        }
        square *= square;
        square_exponent <<= 1;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        left >>= 1;
    }
    if left != 0 {
        exponent += square_exponent;
    }
    if y < 0.0 {
        (fraction, exponent) = (1.0 / fraction, -exponent);
    }
    // In two steps, so that neither is out of range.
    let half = exponent / 2;
    fraction * 2_f64.powi(half) * 2_f64.powi(exponent - half)
}

/// The natural logarithm as Go's `math.Log` computes it (FreeBSD's algorithm). Its last digit decides what `ceil(log(8, 2))` is.
fn logarithm(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238_e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const ODD: [f64; 4] =
        [6.666_666_666_666_735_e-1, 2.857_142_874_366_239_e-1, 1.818_357_216_161_805_e-1, 1.479_819_860_511_658_6e-1];
    const EVEN: [f64; 3] = [3.999_999_999_940_942_e-1, 2.222_219_843_214_978_4e-1, 1.531_383_769_920_937_3e-1];
    if !x.is_finite() || x <= 0.0 || x.is_subnormal() {
        return x.ln();
    }
    // x = f1 · 2^k, with f1 between 1/√2 and √2.
    let (mut fraction, mut exponent) = fraction_and_exponent(x);
    if fraction < std::f64::consts::FRAC_1_SQRT_2 {
        fraction *= 2.0;
        exponent -= 1;
    }
    let (f, k) = (fraction - 1.0, f64::from(exponent));
    let s = f / (2.0 + f);
    let (s2, s4) = (s * s, s * s * (s * s));
    let odd = s2 * (ODD[0] + s4 * (ODD[1] + s4 * (ODD[2] + s4 * ODD[3])));
    let even = s4 * (EVEN[0] + s4 * (EVEN[1] + s4 * EVEN[2]));
    let half_square = 0.5 * f * f;
    k * LN2_HIGH - ((half_square - (s * (half_square + odd + even) + k * LN2_LOW)) - f)
}

fn extreme(args: &mut Args<'_, '_>, largest: bool) -> Outcome {
    let all = (0..args.values.len()).map(|i| args.number(i));
    // The first of those that are equal: zero has a sign.
    let found = if largest { all.rev().max() } else { all.min() };
    found.map(Val::number).ok_or_else(|| Fail::Call("must pass at least one number".to_owned()))
}

fn parse_int(args: &mut Args<'_, '_>) -> Outcome {
    let wrong = || {
        let actual = Type::of(&args.values[0]).name();
        Fail::Argument(0, format!("first argument must be a string, not {actual}"))
    };
    let text = args.values[0].as_str().cloned().ok_or_else(wrong)?;
    let base = args.integer(1)?;
    let radix = u32::try_from(base).ok().filter(|b| (2..=62).contains(b));
    let Some(radix) = radix else {
        return Err(Fail::Argument(1, "base must be a whole number between 2 and 62 inclusive".to_owned()));
    };
    let wrong = || Fail::Argument(0, format!("cannot parse \"{text}\" as a base {base} integer"));
    if text.len() > 10_000 {
        return Err(wrong());
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let mut value = BigInt::ZERO;
    for c in digits.chars() {
        let digit = match c {
            '0'..='9' => c as u32 - '0' as u32,
            'a'..='z' => c as u32 - 'a' as u32 + 10,
            'A'..='Z' if radix <= 36 => c as u32 - 'A' as u32 + 10,
            'A'..='Z' => c as u32 - 'A' as u32 + 36,
            _ => return Err(wrong()),
        };
        if digit >= radix {
            return Err(wrong());
        }
        value = value * radix + digit;
    }
    if digits.is_empty() {
        return Err(wrong());
    }
    Ok(Val::number(Number::integer(if negative { -value } else { value })))
}

/// The maximum number of numbers that a range has.
const MAX_RANGE: usize = 1024;

fn range(args: &mut Args<'_, '_>) -> Outcome {
    let n = |i: usize| args.number(i);
    let one = Number::from(1_i64);
    let (start, end, step) = match args.values.len() {
        1 if n(0).is_negative() => (Number::zero(), n(0), one.negate()),
        1 => (Number::zero(), n(0), one),
        2 if n(1) < n(0) => (n(0), n(1), one.negate()),
        2 => (n(0), n(1), one),
        3 => (n(0), n(1), n(2)),
        _ => return Err(Fail::Call("must have one, two, or three arguments".to_owned())),
    };
    if step.is_zero() {
        return Err(Fail::Argument(2, "step must not be zero".to_owned()));
    }
    if step.is_negative() && end > start {
        return Err(Fail::Argument(1, "end must be less than start when step is negative".to_owned()));
    }
    if !step.is_negative() && end < start {
        return Err(Fail::Argument(1, "end must be greater than start when step is positive".to_owned()));
    }
    let (mut all, mut next) = (Vec::new(), start);
    while if step.is_negative() { next > end } else { next < end } {
        if all.len() >= MAX_RANGE {
            let message = "more than 1024 values were generated; either decrease the difference between start and end or use \
                           a smaller step";
            return Err(Fail::Call(message.to_owned()));
        }
        all.push(Val::number(next.clone()));
        next = next.add(&step);
    }
    Ok(Val::list(Type::Number, all))
}

fn sum(args: &mut Args<'_, '_>) -> Outcome {
    let items = sequence(args, 0)?;
    if items.is_empty() {
        return Err(Fail::Argument(0, "cannot sum an empty list".to_owned()));
    }
    let mut total: Option<Number> = None;
    for item in items.iter() {
        match convert(item, &Type::Number).map(|v| v.data) {
            Ok(Data::Number(n)) => total = Some(total.map_or_else(|| n.clone(), |total| total.add(&n))),
            _ => return Err(Fail::Argument(0, "argument must be list, set, or tuple of number values".to_owned())),
        }
    }
    Ok(Val::number(total.unwrap_or_else(Number::zero)))
}
