//! Addresses of IPv4 and IPv6 as the library of gomplate reads and writes them: IPv4 fields may start with zeros, an IPv4
//! address inside of an IPv6 one is written in hexadecimal digits.

use go_compat::strconv;
use std::cmp::Ordering;
use std::fmt;

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    V4,
    V6,
}

impl Family {
    /// The length of its addresses.
    pub(super) fn bits(self) -> u32 {
        match self {
            Family::V4 => 32,
            Family::V6 => 128,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Family::V4 => "IPv4",
            Family::V6 => "IPv6",
        }
    }
}

/// An address; those of IPv6 may have a zone (`fe80::1%eth0`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) family: Family,
    pub(super) number: u128,
    pub(super) zone: String,
}

impl PartialOrd for Address {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Address {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.family, self.number, &self.zone).cmp(&(other.family, other.number, &other.zone))
    }
}

impl Address {
    /// # Errors
    /// The text is no address.
    pub(super) fn parse(text: &str) -> Result<Address, String> {
        let fail = |why: &str| Err(format!("ParseIP({}): {why}", strconv::quote(text, false)));
        match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
            Some(b'.') => {
                let number = parse_v4(text)?;
                Ok(Address { family: Family::V4, number: number.into(), zone: String::new() })
            }
            Some(b':') => {
                let (address, zone) = match text.split_once('%') {
                    Some((_, "")) => return fail("zone must be a non-empty string"),
                    Some((address, zone)) => (address, zone),
                    None => (text, ""),
                };
                let number = parse_v6(text, address)?;
                Ok(Address { family: Family::V6, number, zone: zone.to_owned() })
            }
            Some(_) => fail("missing IPv6 address"),
            None => fail("unable to parse IP"),
        }
    }

    /// The bits in which the hosts of a network with such a mask differ.
    pub(super) fn host_mask(&self, bits: u32) -> u128 {
        1u128.checked_shl(self.family.bits().saturating_sub(bits)).map_or(u128::MAX, |bit| bit - 1)
    }

    pub(super) fn masked(&self, bits: u32) -> Address {
        Address { number: self.number & !self.host_mask(bits), ..self.clone() }
    }

    pub(super) fn without_zone(self) -> Address {
        Address { zone: String::new(), ..self }
    }

    /// The next or the previous address; nothing at the end.
    pub(super) fn moved(&self, up: bool) -> Option<Address> {
        let number = if up { self.number.checked_add(1) } else { self.number.checked_sub(1) };
        let number = number.filter(|number| *number <= self.host_mask(0))?;
        Some(Address { number, ..self.clone() })
    }

    pub(super) fn is_mapped(&self) -> bool {
        self.family == Family::V6 && self.number >> 32 == 0xffff
    }

    /// The IPv4 address that an IPv6 address maps.
    pub(super) fn unmapped(&self) -> Address {
        if !self.is_mapped() {
            return self.clone();
        }
        Address { family: Family::V4, number: self.number & 0xffff_ffff, zone: String::new() }
    }

    /// Whether the first `bits` bits of the address equal those of `start`.
    fn is_in(&self, family: Family, start: u128, bits: u32) -> bool {
        self.family == family && self.number >> (family.bits() - bits) == start
    }

    pub(super) fn is_loopback(&self) -> bool {
        self.is_in(Family::V4, 127, 8) || self.is_in(Family::V6, 1, 128)
    }

    pub(super) fn is_multicast(&self) -> bool {
        self.is_in(Family::V4, 0xe, 4) || self.is_in(Family::V6, 0xff, 8)
    }

    /// Multicast of IPv6 within a scope, whatever its flags.
    pub(super) fn is_scoped_multicast(&self, scope: u128) -> bool {
        self.is_in(Family::V6, 0xff, 8) && (self.number >> 112) & 0xf == scope
    }

    pub(super) fn is_link_local_multicast(&self) -> bool {
        self.is_in(Family::V4, 0x00e0_0000, 24) || self.is_scoped_multicast(2)
    }

    pub(super) fn is_link_local_unicast(&self) -> bool {
        self.is_in(Family::V4, 0xa9fe, 16) || self.is_in(Family::V6, 0x3fa, 10)
    }

    pub(super) fn is_private(&self) -> bool {
        let v4 = [(10, 8), (0xac1, 12), (0xc0a8, 16)];
        v4.iter().any(|(start, bits)| self.is_in(Family::V4, *start, *bits)) || self.is_in(Family::V6, 0x7e, 7)
    }

    pub(super) fn is_global_unicast(&self) -> bool {
        let is_broadcast = self.is_in(Family::V4, 0xffff_ffff, 32);
        let is_unspecified = self.number == 0 && self.zone.is_empty();
        !(is_broadcast || is_unspecified || self.is_loopback() || self.is_multicast() || self.is_link_local_unicast())
    }

    /// The groups of an IPv6 address.
    fn groups(&self) -> [u16; 8] {
        std::array::from_fn(|i| (self.number >> (112 - 16 * i)) as u16)
    }

    /// With all digits.
    pub(super) fn expanded(&self) -> String {
        if self.family == Family::V4 {
            return self.to_string();
        }
        let groups = self.groups().map(|group| format!("{group:04x}")).join(":");
        if self.zone.is_empty() { groups } else { format!("{groups}%{}", self.zone) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.family == Family::V4 {
            return std::net::Ipv4Addr::from(self.number as u32).fmt(f);
        }
        let groups = self.groups();
        // The first one of the longest runs of zeros, of two groups at least.
        let run = |start: &usize| groups[*start..].iter().take_while(|group| **group == 0).count();
        let longest = (0..8).rev().max_by_key(run).filter(|start| run(start) >= 2);
        let (start, end) = longest.map_or((8, 8), |start| (start, start + run(&start)));
        let written = |groups: &[u16]| groups.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":");
        f.write_str(&written(&groups[..start]))?;
        if start < 8 {
            write!(f, "::{}", written(&groups[end..]))?;
        }
        if self.zone.is_empty() { Ok(()) } else { write!(f, "%{}", self.zone) }
    }
}

fn refused<T>(text: &str, why: &str, at: &str) -> Result<T, String> {
    let text = strconv::quote(text, false);
    if at.is_empty() {
        return Err(format!("ParseIP({text}): {why}"));
    }
    Err(format!("ParseIP({text}): {why} (at {})", strconv::quote(at, false)))
}

fn parse_v4(text: &str) -> Result<u32, String> {
    let (mut number, mut field, mut dots) = (0u32, 0u32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '0'..='9' => {
                field = field * 10 + u32::from(c as u8 - b'0');
                if field > 255 {
                    return refused(text, "IPv4 field has value >255", "");
                }
            }
            '.' if i == 0 || i + 1 == text.len() || text[..i].ends_with('.') => {
                return refused(text, "IPv4 field must have at least one digit", &text[i..]);
            }
            '.' if dots == 3 => return refused(text, "IPv4 address too long", ""),
            '.' => {
                number = number << 8 | field;
                (field, dots) = (0, dots + 1);
            }
            _ => return refused(text, "unexpected character", &text[i..]),
        }
    }
    if dots < 3 {
        return refused(text, "IPv4 address too short", "");
    }
    Ok(number << 8 | field)
}

/// `whole` is the text with its zone.
fn parse_v6(whole: &str, text: &str) -> Result<u128, String> {
    let mut groups: Vec<u16> = Vec::with_capacity(8);
    let mut gap = None;
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("::") {
        gap = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(0);
        }
    }
    while groups.len() < 8 {
        let (group, digits) = first_group(whole, rest)?;
        let after = &rest[digits..];
        if after.starts_with('.') {
            if gap.is_none() && groups.len() != 6 {
                let why = "embedded IPv4 address must replace the final 2 fields of the address";
                return refused(whole, why, rest);
            }
            if groups.len() > 6 {
                let why = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return refused(whole, why, rest);
            }
            let embedded = parse_v4(rest).or_else(|error| refused(whole, &error, rest))?;
            groups.extend([(embedded >> 16) as u16, embedded as u16]);
            rest = "";
            break;
        }
        groups.push(group);
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return refused(whole, "unexpected character, want colon", rest);
        };
        if after.is_empty() {
            return refused(whole, "colon must be followed by more characters", rest);
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if gap.is_some() {
                return refused(whole, "multiple :: in address", rest);
            }
            gap = Some(groups.len());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return refused(whole, "trailing garbage after address", rest);
    }
    filled(whole, &groups, gap)
}

/// The group that a text begins with, and how many digits it has.
fn first_group(whole: &str, rest: &str) -> Result<(u16, usize), String> {
    let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let group = rest[..digits].bytes().try_fold(0u32, |n, digit| {
        let n = n << 4 | char::from(digit).to_digit(16)?;
        (n <= 0xffff).then_some(n)
    });
    match group {
        None => refused(whole, "IPv6 field has value >=2^16", rest),
        Some(_) if digits == 0 => refused(whole, "each colon-separated field must have at least one digit", rest),
        Some(group) => Ok((group as u16, digits)),
    }
}

/// The address of groups, with zeros at the place of `::`.
fn filled(whole: &str, groups: &[u16], gap: Option<usize>) -> Result<u128, String> {
    match gap {
        None if groups.len() < 8 => return refused(whole, "address string too short", ""),
        Some(_) if groups.len() == 8 => {
            return refused(whole, "the :: must expand to at least one field of zeros", "");
        }
        _ => {}
    }
    let at = gap.unwrap_or(groups.len());
    let zeros = 8 - groups.len();
    let all = groups[..at].iter().copied().chain(std::iter::repeat_n(0, zeros)).chain(groups[at..].iter().copied());
    Ok(all.fold(0, |number, group| number << 16 | u128::from(group)))
}
