//! `time.Parse`.

use super::next_element;
use crate::strconv::quote;
use crate::time::{DAY, DAYS, MONTHS, Time, days_in, days_of};

/// `time.Parse`, local time being UTC.
///
/// # Errors
/// The message of Go.
pub fn parse(layout: &str, value: &str) -> Result<Time, String> {
    let mut reader = Reader { layout, value, rest: value, fields: Fields::default() };
    let mut layout_rest = layout;
    loop {
        let (literal, element, after) = next_element(layout_rest);
        reader.literal(literal)?;
        if element.is_empty() {
            return reader.finish();
        }
        let start = reader.rest;
        reader.element(element, after).map_err(|error| match error {
            Error::Mismatch => reader.mismatch(element, start),
            Error::Range(what) => reader.out_of_range(what),
        })?;
        layout_rest = after;
    }
}

/// Why an element of a layout does not match.
enum Error {
    /// The text does not have the form of the element.
    Mismatch,
    /// A number is too large; the name of the field.
    Range(&'static str),
}

/// The fields of a time that were read.
#[derive(Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    /// In seconds.
    offset: i32,
    is_afternoon: Option<bool>,
}

struct Reader<'a> {
    layout: &'a str,
    value: &'a str,
    /// The part of `value` that is still to be read.
    rest: &'a str,
    fields: Fields,
}

impl<'a> Reader<'a> {
    fn mismatch(&self, element: &str, rest: &str) -> String {
        let q = |s: &str| quote(s, false);
        let (value, layout) = (q(self.value), q(self.layout));
        format!("parsing time {value} as {layout}: cannot parse {} as {}", q(rest), q(element))
    }

    fn out_of_range(&self, what: &str) -> String {
        format!("parsing time {}: {what} out of range", quote(self.value, false))
    }

    /// Skips text of the layout. Its spaces match any number of spaces.
    fn literal(&mut self, literal: &str) -> Result<(), String> {
        let mut prefix = literal;
        while let Some(c) = prefix.chars().next() {
            if c == ' ' {
                if !self.rest.is_empty() && !self.rest.starts_with(' ') {
                    return Err(self.mismatch(literal, self.rest));
                }
                prefix = prefix.trim_start_matches(' ');
                self.rest = self.rest.trim_start_matches(' ');
                continue;
            }
            self.rest = self.rest.strip_prefix(c).ok_or_else(|| self.mismatch(literal, self.rest))?;
            prefix = &prefix[c.len_utf8()..];
        }
        Ok(())
    }

    /// Reads one element; `after` is the rest of the layout.
    fn element(&mut self, element: &str, after: &str) -> Result<(), Error> {
        match element {
            "January" | "Jan" => self.fields.month = Some(self.name(&MONTHS, element == "Jan")? as i64 + 1),
            "Monday" | "Mon" => drop(self.name(&DAYS, element == "Mon")?),
            "MST" => self.zone_name()?,
            "PM" | "pm" => self.half_of_day()?,
            zone if zone.starts_with(['Z', '-']) => self.zone(zone)?,
            fraction if fraction.starts_with(['.', ',']) => self.fraction(fraction)?,
            number => self.number(number, after)?,
        }
        Ok(())
    }

    fn number(&mut self, element: &str, after: &str) -> Result<(), Error> {
        match element {
            "2006" => self.fields.year = self.digits(4, 4)?,
            "06" => {
                let year = self.digits(2, 2)?;
                self.fields.year = year + if year >= 69 { 1900 } else { 2000 };
            }
            "01" => self.fields.month = Some(self.digits(2, 2)?),
            "1" => self.fields.month = Some(self.digits(1, 2)?),
            "02" => self.fields.day = Some(self.digits(2, 2)?),
            "2" => self.fields.day = Some(self.digits(1, 2)?),
            "_2" => {
                self.rest = self.rest.trim_start_matches(' ');
                self.fields.day = Some(self.digits(1, 2)?);
            }
            "002" | "__2" => self.fields.year_day = Some(self.digits(3, 3)?),
            "15" | "3" => self.fields.hour = self.digits(1, 2)?,
            "03" => self.fields.hour = self.digits(2, 2)?,
            "04" => self.fields.minute = self.digits(2, 2)?,
            "4" => self.fields.minute = self.digits(1, 2)?,
            "05" | "5" => {
                self.fields.second = self.digits(element.len(), 2)?;
                let (literal, next, _) = next_element(after);
                // A fraction may follow even if the layout has none.
                if !next.starts_with(['.', ',']) || !literal.is_empty() {
                    (self.fields.nanos, self.rest) = fraction(self.rest).unwrap_or((0, self.rest));
                }
            }
            _ => return Err(Error::Mismatch),
        }
        Ok(())
    }

    /// A number of so many digits.
    fn digits(&mut self, min: usize, max: usize) -> Result<i64, Error> {
        let count = self.rest.bytes().take(max).take_while(u8::is_ascii_digit).count();
        if count < min {
            return Err(Error::Mismatch);
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits.parse().map_err(|_| Error::Mismatch)
    }

    /// The index of a name (or of its first three letters) in any case.
    fn name(&mut self, names: &[&str], is_short: bool) -> Result<usize, Error> {
        let found = names.iter().enumerate().find_map(|(i, name)| {
            let name = if is_short { &name[..3] } else { name };
            self.rest.get(..name.len()).filter(|text| text.eq_ignore_ascii_case(name)).map(|_| (i, name.len()))
        });
        let (index, length) = found.ok_or(Error::Mismatch)?;
        self.rest = &self.rest[length..];
        Ok(index)
    }

    fn half_of_day(&mut self) -> Result<(), Error> {
        self.fields.is_afternoon = Some(match self.rest.get(..2) {
            Some("PM" | "pm") => true,
            Some("AM" | "am") => false,
            _ => return Err(Error::Mismatch),
        });
        self.rest = &self.rest[2..];
        Ok(())
    }

    /// An abbreviation of a zone. All but UTC are zones without a known offset, which Go treats like it.
    fn zone_name(&mut self) -> Result<(), Error> {
        let length = self.rest.bytes().take_while(u8::is_ascii_uppercase).count();
        if !(3..=5).contains(&length) {
            return Err(Error::Mismatch);
        }
        self.rest = &self.rest[length..];
        Ok(())
    }

    fn zone(&mut self, element: &str) -> Result<(), Error> {
        if element.starts_with('Z')
            && let Some(rest) = self.rest.strip_prefix('Z')
        {
            self.rest = rest;
            return Ok(());
        }
        let ([sign, hours, minutes, seconds], rest) = read_zone(element, self.rest).ok_or(Error::Mismatch)?;
        // Go takes offsets of 24 hours and of 60 minutes.
        match () {
            () if hours > 24 => return Err(Error::Range("time zone offset hour")),
            () if minutes > 60 => return Err(Error::Range("time zone offset minute")),
            () if seconds > 60 => return Err(Error::Range("time zone offset second")),
            () => {}
        }
        (self.fields.offset, self.rest) = (sign * (hours * 3600 + minutes * 60 + seconds), rest);
        Ok(())
    }

    /// `.000` needs as many digits, `.999` takes any number of them.
    fn fraction(&mut self, element: &str) -> Result<(), Error> {
        if element[1..].starts_with('9') {
            (self.fields.nanos, self.rest) = fraction(self.rest).unwrap_or((0, self.rest));
            return Ok(());
        }
        let text = self.rest.get(..element.len()).ok_or(Error::Mismatch)?;
        let (nanos, _) = fraction(text).filter(|(_, rest)| rest.is_empty()).ok_or(Error::Mismatch)?;
        self.fields.nanos = nanos;
        self.rest = &self.rest[element.len()..];
        Ok(())
    }

    /// The time, once the layout is at its end.
    fn finish(&self) -> Result<Time, String> {
        if !self.rest.is_empty() {
            return Err(format!("parsing time {}: extra text: {}", quote(self.value, false), quote(self.rest, false)));
        }
        self.fields.time().map_err(|what| self.out_of_range(what))
    }
}

impl Fields {
    /// The time with these fields, or the name of the one that is out of range.
    fn time(&self) -> Result<Time, &'static str> {
        let hour = match self.is_afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        match () {
            () if hour > 23 => return Err("hour"),
            () if self.minute > 59 => return Err("minute"),
            () if self.second > 59 => return Err("second"),
            () => {}
        }
        let month = u32::try_from(self.month.unwrap_or(1)).ok().filter(|m| (1..=12).contains(m)).ok_or("month")?;
        let day = self.day.unwrap_or(1);
        if !(1..=i64::from(days_in(self.year, month))).contains(&day) {
            return Err("day");
        }
        let days = match self.year_day {
            Some(n) if !(1..=366).contains(&n) => return Err("day-of-year"),
            Some(n) => days_of(self.year, 1, 1) + n - 1,
            None => days_of(self.year, month, day as u32),
        };
        let seconds = days * DAY + hour * 3600 + self.minute * 60 + self.second - i64::from(self.offset);
        Ok(Time { seconds, nanos: self.nanos, offset: self.offset })
    }
}

/// `.123` as nanoseconds with what follows.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let digits = text.strip_prefix(['.', ','])?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return None;
    }
    let nanos = format!("{:0<9}", &digits[..count.min(9)]).parse().ok()?;
    Some((nanos, &digits[count..]))
}

/// The sign, hours, minutes and seconds of an offset, with what follows.
fn read_zone<'a>(element: &str, text: &'a str) -> Option<([i32; 4], &'a str)> {
    let length = element.len();
    let (zone, rest) = (text.get(..length)?, text.get(length..)?);
    let sign = match zone.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let places_match = zone.bytes().zip(element.bytes()).skip(1).all(|(z, e)| (z == b':') == (e == b':'));
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    if !places_match || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |i: usize| digits.get(i..i + 2).and_then(|d| d.parse::<i32>().ok()).unwrap_or(0);
    Some(([sign, part(0), part(2), part(4)], rest))
}
