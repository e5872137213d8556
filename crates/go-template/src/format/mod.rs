//! Formatted text as Go's `fmt` writes it: `printf`, `print`, `println` and the plain printing of values.

mod args;
mod number;

use super::val::Val;
use args::{ArgIndex, number};
use go_compat::strconv;
use std::fmt::Write;
use traced_value::{Data, Value};

/// Padding and output beyond this many bytes are cut, so that a short format cannot request gigabytes.
const MAX_OUTPUT: usize = 16 << 20;

/// `fmt.Sprintf`.
pub(super) fn sprintf(format: &str, args: &[Val]) -> String {
    let mut printer = Printer::default();
    printer.printf(format, args);
    printer.out
}

/// `fmt.Sprint`: spaces only between two neighbours that are both no text.
pub(super) fn sprint(args: &[Val]) -> String {
    let mut printer = Printer::default();
    let mut after_text = false;
    for (i, arg) in args.iter().enumerate() {
        let is_text = matches!(Item::of(arg), Item::Data(Data::Str(_) | Data::Unknown(_)));
        if i > 0 && !is_text && !after_text {
            printer.out.push(' ');
        }
        printer.arg(Item::of(arg), 'v');
        after_text = is_text;
    }
    printer.out
}

/// How a value prints with `%v`; a missing value prints `<no value>`, `null` prints `<nil>`.
pub(super) fn print_value(value: &Val) -> String {
    match value {
        Val::Missing => "<no value>".into(),
        Val::Data(value) => print_data(&value.data),
        Val::Object(object) => object.print(),
    }
}

/// How data prints with `%v`.
pub(super) fn print_data(data: &Data) -> String {
    if let Data::Str(text) = data {
        return text.to_string();
    }
    let mut printer = Printer::default();
    printer.item(Item::Data(data), 'v', 1);
    printer.out
}

/// The Go type (`%T`): `map[string]interface {}`.
pub fn type_name(value: &Val) -> &'static str {
    Item::of(value).type_name()
}

/// A printed value, without the distinction of missing and null, which Go does not make here.
#[derive(Clone, Copy)]
enum Item<'a> {
    Nil,
    Data(&'a Data),
    Object(&'a dyn super::val::Object),
}

impl<'a> Item<'a> {
    fn of(value: &'a Val) -> Self {
        match value {
            Val::Missing | Val::Data(Value { data: Data::Null, .. }) => Item::Nil,
            Val::Data(value) => Item::Data(&value.data),
            Val::Object(object) => Item::Object(object.as_ref()),
        }
    }

    fn of_data(data: &'a Data) -> Self {
        if matches!(data, Data::Null) { Item::Nil } else { Item::Data(data) }
    }

    fn type_name(self) -> &'static str {
        match self {
            Item::Nil | Item::Data(Data::Null) => "<nil>",
            Item::Data(Data::Bool(_)) => "bool",
            Item::Data(Data::Int(_)) => "int",
            Item::Data(Data::Uint(_)) => "uint64",
            Item::Data(Data::Float(_)) => "float64",
            Item::Data(Data::Str(_) | Data::Unknown(_)) => "string",
            Item::Data(Data::Time(_)) => "time.Time",
            Item::Data(Data::List(_)) => "[]interface {}",
            Item::Data(Data::Map(_)) => "map[string]interface {}",
            Item::Object(object) => object.type_name(),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Flags {
    sharp: bool,
    zero: bool,
    plus: bool,
    minus: bool,
    space: bool,
    sharp_v: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

#[derive(Default)]
struct Printer {
    out: String,
    flags: Flags,
}

impl Printer {
    fn printf(&mut self, format: &str, args: &[Val]) {
        let bytes = format.as_bytes();
        let (mut i, mut next, mut reordered) = (0, 0, false);
        while i < bytes.len() {
            let start = i;
            while i < bytes.len() && bytes[i] != b'%' {
                i += 1;
            }
            self.out.push_str(&format[start..i]);
            if i >= bytes.len() {
                break;
            }
            i += 1;
            self.flags = Flags::default();
            i = self.read_flags(bytes, i);
            let mut index = ArgIndex { next, good: true, reordered };
            let mut after_index;
            (i, after_index) = index.read(bytes, i, args.len());
            if bytes.get(i) == Some(&b'*') {
                i += 1;
                let width = index.take_int(args);
                if width.is_none() {
                    self.out.push_str("%!(BADWIDTH)");
                }
                if width.is_some_and(|w| w < 0) {
                    self.flags.minus = true;
                    self.flags.zero = false;
                }
                self.flags.width = width.map(|w| w.unsigned_abs() as usize);
                after_index = false;
            } else {
                (self.flags.width, i) = number(bytes, i);
                index.good &= !(after_index && self.flags.width.is_some());
            }
            if i + 1 < bytes.len() && bytes[i] == b'.' {
                i += 1;
                index.good &= !after_index;
                (i, after_index) = index.read(bytes, i, args.len());
                if bytes.get(i) == Some(&b'*') {
                    i += 1;
                    self.flags.precision = index.take_int(args).and_then(|p| usize::try_from(p).ok());
                    if self.flags.precision.is_none() {
                        self.out.push_str("%!(BADPREC)");
                    }
                    after_index = false;
                } else {
                    let (precision, after) = number(bytes, i);
                    i = after;
                    self.flags.precision = Some(precision.unwrap_or(0));
                }
            }
            if !after_index {
                (i, _) = index.read(bytes, i, args.len());
            }
            (next, reordered) = (index.next, index.reordered);
            let Some(verb) = format.get(i..).and_then(|rest| rest.chars().next()) else {
                self.out.push_str("%!(NOVERB)");
                break;
            };
            i += verb.len_utf8();
            self.verb(verb, index.good, &mut next, args);
        }
        if !reordered && next < args.len() {
            self.extra(&args[next..]);
        }
    }

    fn read_flags(&mut self, bytes: &[u8], mut i: usize) -> usize {
        while let Some(b) = bytes.get(i) {
            match b {
                b'#' => self.flags.sharp = true,
                b'0' => self.flags.zero = true,
                b'+' => self.flags.plus = true,
                b'-' => self.flags.minus = true,
                b' ' => self.flags.space = true,
                _ => break,
            }
            i += 1;
        }
        i
    }

    fn verb(&mut self, verb: char, good: bool, next: &mut usize, args: &[Val]) {
        if verb == '%' {
            self.out.push('%');
        } else if !good {
            let _ = write!(self.out, "%!{verb}(BADINDEX)");
        } else if let Some(arg) = args.get(*next) {
            if matches!(verb, 'v' | 'w') {
                self.flags.sharp_v = std::mem::take(&mut self.flags.sharp);
                self.flags.plus = false;
            }
            self.arg(Item::of(arg), verb);
            *next += 1;
        } else {
            let _ = write!(self.out, "%!{verb}(MISSING)");
        }
    }

    fn extra(&mut self, args: &[Val]) {
        self.flags = Flags::default();
        self.out.push_str("%!(EXTRA ");
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            let item = Item::of(arg);
            if !matches!(item, Item::Nil) {
                self.out.push_str(item.type_name());
                self.out.push('=');
            }
            self.arg(item, 'v');
        }
        self.out.push(')');
    }

    /// An argument as a whole.
    fn arg(&mut self, item: Item<'_>, verb: char) {
        match (item, verb) {
            (Item::Nil, 'T' | 'v') => self.pad("<nil>"),
            (_, 'T') => self.text(item.type_name(), 's', item),
            (_, 'w') => self.bad_verb(item, verb),
            _ => self.item(item, verb, 0),
        }
    }

    /// A value at a depth: inside of containers nil prints `<nil>` whatever the verb is.
    fn item(&mut self, item: Item<'_>, verb: char, depth: usize) {
        let data = match item {
            Item::Nil | Item::Data(Data::Null) if depth > 0 => {
                self.out.push_str(if self.flags.sharp_v { "interface {}(nil)" } else { "<nil>" });
                return;
            }
            Item::Nil => return self.bad_verb(item, verb),
            Item::Object(object) => return self.text(&object.print(), verb, item),
            Item::Data(data) => data,
        };
        match data {
            Data::Null => self.bad_verb(item, verb),
            Data::Bool(b) if matches!(verb, 't' | 'v') => self.pad(if *b { "true" } else { "false" }),
            Data::Bool(_) => self.bad_verb(item, verb),
            Data::Int(n) => self.integer(n.unsigned_abs(), *n < 0, verb, item),
            Data::Uint(n) if self.flags.sharp_v && verb == 'v' => {
                let text = format!("0x{n:x}");
                self.pad(&text);
            }
            Data::Uint(n) => self.integer(*n, false, verb, item),
            Data::Float(f) => self.float(*f, verb, item),
            Data::Str(text) => self.text(text, verb, item),
            Data::Unknown(unknown) => self.text(&unknown.text, verb, item),
            Data::Time(time) => self.text(&time.to_string(), verb, item),
            Data::List(list) => {
                self.open(item, "[");
                for (i, value) in list.iter().enumerate() {
                    self.separate(i);
                    self.item(Item::of_data(&value.data), verb, depth + 1);
                }
                self.close();
            }
            Data::Map(map) => {
                self.open(item, "map[");
                for (i, entry) in map.iter().enumerate() {
                    self.separate(i);
                    let key = Data::Str(entry.key.clone());
                    self.item(Item::Data(&key), verb, depth + 1);
                    self.out.push(':');
                    self.item(Item::of_data(&entry.value.data), verb, depth + 1);
                }
                self.close();
            }
        }
    }

    fn open(&mut self, item: Item<'_>, plain: &str) {
        if self.flags.sharp_v {
            self.out.push_str(item.type_name());
            self.out.push('{');
        } else {
            self.out.push_str(plain);
        }
    }

    fn separate(&mut self, i: usize) {
        if i > 0 {
            self.out.push_str(if self.flags.sharp_v { ", " } else { " " });
        }
    }

    fn close(&mut self) {
        self.out.push(if self.flags.sharp_v { '}' } else { ']' });
    }

    fn bad_verb(&mut self, item: Item<'_>, verb: char) {
        let _ = write!(self.out, "%!{verb}(");
        if matches!(item, Item::Nil | Item::Data(Data::Null)) {
            self.out.push_str("<nil>");
        } else {
            self.out.push_str(item.type_name());
            self.out.push('=');
            self.item(item, 'v', 0);
        }
        self.out.push(')');
    }

    fn text(&mut self, text: &str, verb: char, item: Item<'_>) {
        let cut = || match self.flags.precision {
            Some(p) => text.char_indices().nth(p).map_or(text, |(at, _)| &text[..at]),
            None => text,
        };
        match verb {
            'v' if self.flags.sharp_v => {
                let quoted = strconv::quote(cut(), false);
                self.pad(&quoted);
            }
            'v' | 's' => {
                let cut = cut();
                self.pad(cut);
            }
            'q' => {
                let cut = cut();
                let quoted = if self.flags.sharp && strconv::can_backquote(cut) {
                    format!("`{cut}`")
                } else {
                    strconv::quote(cut, self.flags.plus)
                };
                self.pad(&quoted);
            }
            'x' | 'X' => {
                let bytes = text.as_bytes();
                let hex = self.hex(&bytes[..self.flags.precision.map_or(bytes.len(), |p| p.min(bytes.len()))], verb);
                self.pad(&hex);
            }
            _ => self.bad_verb(item, verb),
        }
    }

    fn hex(&self, bytes: &[u8], verb: char) -> String {
        let mut out = String::with_capacity(bytes.len() * 2);
        for (i, b) in bytes.iter().enumerate() {
            if i > 0 && self.flags.space {
                out.push(' ');
            }
            if self.flags.sharp && (i == 0 || self.flags.space) {
                out.push_str("0x");
            }
            let _ = write!(out, "{b:02x}");
        }
        if verb == 'X' { out.to_ascii_uppercase() } else { out }
    }

    fn pad(&mut self, text: &str) {
        let width = self.flags.width.unwrap_or(0);
        let missing = if width == 0 { 0 } else { width.saturating_sub(text.chars().count()) };
        if self.flags.minus {
            self.push(text);
            self.fill(missing, ' ');
        } else {
            self.fill(missing, if self.flags.zero { '0' } else { ' ' });
            self.push(text);
        }
    }

    fn push(&mut self, text: &str) {
        if self.out.len() < MAX_OUTPUT {
            self.out.push_str(text);
        }
    }

    fn fill(&mut self, count: usize, c: char) {
        let count = count.min(MAX_OUTPUT.saturating_sub(self.out.len()));
        self.out.extend(std::iter::repeat_n(c, count));
    }
}

#[cfg(test)]
mod tests;
