//! Numbers and strings in expressions.

use super::cursor::{Cursor, begins_identifier, is_line_break};

impl Cursor<'_> {
    /// A number without a sign: decimal or hexadecimal; `None` if an identifier or a digit follows it.
    pub(super) fn number(&mut self) -> Option<f64> {
        let start = self.position();
        let number = self.hexadecimal().or_else(|| {
            self.back_to(start);
            self.decimal()
        });
        if number.is_none() || self.peek().is_some_and(|c| begins_identifier(c) || c.is_ascii_digit()) {
            self.back_to(start);
            return None;
        }
        number
    }

    fn hexadecimal(&mut self) -> Option<f64> {
        self.eat_if(|c| c == '0')?;
        self.eat_if(|c| matches!(c, 'x' | 'X'))?;
        let start = self.position();
        let mut number = 0.0;
        while let Some(digit) = self.eat_if(|c| c.is_ascii_hexdigit()) {
            number = number * 16.0 + f64::from(digit.to_digit(16)?);
        }
        (self.position() > start).then_some(number)
    }

    fn decimal(&mut self) -> Option<f64> {
        let start = self.position();
        let zero = self.eat_if(|c| c == '0').is_some();
        let whole = zero || self.digits();
        let point = self.position();
        if self.eat(".") && !(self.digits() || whole) {
            self.back_to(point);
            return None;
        }
        if self.position() == start {
            return None;
        }
        let end = self.position();
        if self.eat_if(|c| matches!(c, 'e' | 'E')).is_some() {
            self.eat_if(|c| matches!(c, '+' | '-'));
            if !self.digits() {
                self.back_to(end);
            }
        }
        let text = self.text_from(start);
        text.parse().ok()
    }

    fn digits(&mut self) -> bool {
        let start = self.position();
        while self.eat_if(|c| c.is_ascii_digit()).is_some() {}
        self.position() > start
    }

    /// A string in single or double quotes, with the escapes of JavaScript.
    pub(super) fn string(&mut self) -> Option<String> {
        let start = self.position();
        let quote = self.eat_if(|c| matches!(c, '"' | '\''))?;
        let mut units: Vec<u16> = Vec::new();
        let mut buffer = [0; 2];
        loop {
            match self.eat_if(|c| !is_line_break(c)) {
                Some(c) if c == quote => return Some(String::from_utf16_lossy(&units)),
                Some('\\') if self.escape(&mut units) => {}
                Some('\\') | None => {
                    self.back_to(start);
                    return None;
                }
                Some(c) => units.extend_from_slice(c.encode_utf16(&mut buffer)),
            }
        }
    }

    /// Reads the text after a backslash; returns whether it is an escape.
    fn escape(&mut self, units: &mut Vec<u16>) -> bool {
        let Some(c) = self.eat_if(|_| true) else { return false };
        let unit = match c {
            'b' => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => 0,
            'x' => return self.code(2, units),
            'u' => return self.code(4, units),
            c if c.is_ascii_digit() => return false,
            '\r' => {
                self.eat("\n");
                return true;
            }
            c if is_line_break(c) => return true,
            c => {
                units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
                return true;
            }
        };
        units.push(unit);
        true
    }

    fn code(&mut self, digits: usize, units: &mut Vec<u16>) -> bool {
        let mut code = 0u32;
        for _ in 0..digits {
            let Some(digit) = self.eat_if(|c| c.is_ascii_hexdigit()).and_then(|c| c.to_digit(16)) else { return false };
            code = code * 16 + digit;
        }
        units.push(code as u16);
        true
    }
}
