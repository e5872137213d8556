//! Semantic versions and version constraints as the Masterminds library reads them.

use crate::{Object, Val};
use std::cmp::Ordering;
use std::sync::Arc;
use traced_value::{Data, Value};

/// A version; `v1.2` is `1.2.0`.
#[derive(Clone, Debug)]
pub(super) struct Version {
    numbers: [u64; 3],
    pre: String,
    metadata: String,
    original: String,
}

/// The parts of a version text: without its prefix, up to three numbers, pre-release, metadata.
struct Parts<'a> {
    numbers: Vec<&'a str>,
    pre: &'a str,
    metadata: &'a str,
}

fn identifiers(text: &str) -> bool {
    text.split('.').all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

impl<'a> Parts<'a> {
    /// `number` returns whether a text is a valid number.
    fn read(text: &'a str, number: impl Fn(&str) -> bool) -> Option<Parts<'a>> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = text.split_once('+').map_or((text, None), |(t, m)| (t, Some(m)));
        let (core, pre) = text.split_once('-').map_or((text, None), |(t, p)| (t, Some(p)));
        let numbers: Vec<&str> = core.split('.').collect();
        let good = numbers.len() <= 3
            && numbers.iter().all(|n| number(n))
            && pre.is_none_or(identifiers)
            && metadata.is_none_or(identifiers);
        good.then(|| Parts { numbers, pre: pre.unwrap_or(""), metadata: metadata.unwrap_or("") })
    }
}

impl Version {
    /// Reads a version that may lack minor and patch numbers.
    pub(super) fn parse(text: &str) -> Result<Version, String> {
        if text.len() > 256 {
            return Err("version string is too long (max 256 bytes)".into());
        }
        let parts = Parts::read(text, |n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            .ok_or("invalid semantic version")?;
        let mut numbers = [0; 3];
        for (to, from) in numbers.iter_mut().zip(&parts.numbers) {
            *to = from.parse().map_err(|_| {
                format!("error parsing version segment: strconv.ParseUint: parsing \"{from}\": value out of range")
            })?;
        }
        let zero = |p: &str| p.len() > 1 && p.starts_with('0') && p.bytes().all(|b| b.is_ascii_digit());
        if parts.pre.split('.').any(zero) {
            return Err("version segment starts with 0".into());
        }
        Ok(Version { numbers, pre: parts.pre.into(), metadata: parts.metadata.into(), original: text.into() })
    }

    /// The version as an object with methods.
    pub(super) fn into_val(self) -> Val {
        Val::Object(Arc::new(self))
    }

    fn text(&self) -> String {
        let [major, minor, patch] = self.numbers;
        let mut text = format!("{major}.{minor}.{patch}");
        if !self.pre.is_empty() {
            text += &format!("-{}", self.pre);
        }
        if !self.metadata.is_empty() {
            text += &format!("+{}", self.metadata);
        }
        text
    }

    fn order(&self, other: &Version) -> Ordering {
        let pre = || match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_pre(&self.pre, &other.pre),
        };
        self.numbers.cmp(&other.numbers).then_with(pre)
    }

    fn changed(&self, numbers: [u64; 3], pre: &str, metadata: &str) -> Val {
        let mut next = Version { numbers, pre: pre.into(), metadata: metadata.into(), original: String::new() };
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        next.original = format!("{prefix}{}", next.text());
        next.into_val()
    }
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(x), Some(y)) => match (x.parse::<u64>(), y.parse::<u64>()) {
                _ if x == y => Ordering::Equal,
                (Ok(x), Ok(y)) => x.cmp(&y).then(Ordering::Less),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => x.cmp(y),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

const METHODS: &[&str] = &[
    "String",
    "Original",
    "Major",
    "Minor",
    "Patch",
    "Prerelease",
    "Metadata",
    "IncPatch",
    "IncMinor",
    "IncMajor",
    "SetPrerelease",
    "SetMetadata",
    "LessThan",
    "LessThanEqual",
    "GreaterThan",
    "GreaterThanEqual",
    "Equal",
    "Compare",
];

impl Object for Version {
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        let text = |t: &str| Ok(Value::str(t).into());
        // A number as Go's uint64 prints and compares like an integer.
        let number = |n: u64| Ok(i64::try_from(n).map_or(Data::Uint(n), Data::Int).into());
        let [major, minor, patch] = self.numbers;
        let arity = usize::from(matches!(
            name,
            "SetPrerelease"
                | "SetMetadata"
                | "LessThan"
                | "LessThanEqual"
                | "GreaterThan"
                | "GreaterThanEqual"
                | "Equal"
                | "Compare"
        ));
        if args.len() != arity {
            return Err(format!("wrong number of args for {name}: want {arity} got {}", args.len()));
        }
        match name {
            "String" => text(&self.text()),
            "Original" => text(&self.original),
            "Major" => number(major),
            "Minor" => number(minor),
            "Patch" => number(patch),
            "Prerelease" => text(&self.pre),
            "Metadata" => text(&self.metadata),
            "IncPatch" => {
                let next = if self.pre.is_empty() { patch.saturating_add(1) } else { patch };
                Ok(self.changed([major, minor, next], "", ""))
            }
            "IncMinor" => Ok(self.changed([major, minor.saturating_add(1), 0], "", "")),
            "IncMajor" => Ok(self.changed([major.saturating_add(1), 0, 0], "", "")),
            "SetPrerelease" | "SetMetadata" => {
                let Data::Str(new) = super::call::data(&args[0]) else {
                    return Err("wrong type for value; expected string".into());
                };
                let pre = name == "SetPrerelease";
                if !new.is_empty() && !identifiers(new) {
                    return Err(if pre { "invalid prerelease string" } else { "invalid metadata string" }.into());
                }
                Ok(if pre {
                    self.changed(self.numbers, new, &self.metadata)
                } else {
                    self.changed(self.numbers, &self.pre, new)
                })
            }
            _ if arity == 1 => {
                let other = match &args[0] {
                    Val::Object(object) if object.type_name() == self.type_name() => {
                        let Val::Data(original) = object.call("Original", &[])? else { return Err(String::new()) };
                        Version::parse(original.as_str().unwrap_or_default())?
                    }
                    other => {
                        let got = crate::format::type_name(other);
                        return Err(format!("wrong type for value; expected *semver.Version; got {got}"));
                    }
                };
                let order = self.order(&other);
                Ok(match name {
                    "Compare" => Data::Int(order as i64),
                    "Equal" => Data::Bool(order.is_eq()),
                    "LessThan" => Data::Bool(order.is_lt()),
                    "LessThanEqual" => Data::Bool(order.is_le()),
                    "GreaterThan" => Data::Bool(order.is_gt()),
                    _ => Data::Bool(order.is_ge()),
                }
                .into())
            }
            _ => Err(format!("can't evaluate field {name} in type *semver.Version")),
        }
    }

    fn has(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn print(&self) -> String {
        self.text()
    }

    fn type_name(&self) -> &'static str {
        "*semver.Version"
    }
}

/// Whether a version fulfils a constraint (`semverCompare`).
pub(super) fn compare(constraint: &str, version: &str) -> Result<bool, String> {
    if constraint.len() > 512 {
        return Err("constraint string is too long (max 512 bytes)".into());
    }
    let rewritten = rewrite_ranges(constraint);
    let groups: Vec<&str> = rewritten.split("||").collect();
    if groups.len() > 32 {
        return Err("too many constraint groups (max 32)".into());
    }
    let groups: Vec<Vec<Constraint>> = groups.into_iter().map(read_group).collect::<Result<_, _>>()?;
    let version = Version::parse(version)?;
    Ok(groups.iter().any(|group| {
        let with_pre = group.iter().any(|c| !c.version.pre.is_empty());
        group.iter().all(|c| (version.pre.is_empty() || with_pre) && c.allows(&version))
    }))
}

/// `1.2 - 1.4` as `>= 1.2, <= 1.4`.
fn rewrite_ranges(text: &str) -> String {
    let mut out = text.to_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    for three in words.windows(3) {
        if three[1] == "-" {
            let start = |w: &str| w.rfind(['|', ',', '=', '<', '>', '~', '^', '!']).map_or(0, |i| i + 1);
            let low = &three[0][start(three[0])..];
            let high = three[2].split(['|', ',']).next().unwrap_or(three[2]);
            if let (Some(from), Some(to)) = (out.find(low), out.find(high)) {
                let end = out[from..].find(&format!("- {high}")).map_or(to + high.len(), |i| from + i + 2 + high.len());
                if end > from {
                    out.replace_range(from..end, &format!(">= {low}, <= {high} "));
                }
            }
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

const OPS: &[(&str, Op)] = &[
    ("!=", Op::NotEqual),
    (">=", Op::GreaterEqual),
    ("=>", Op::GreaterEqual),
    ("<=", Op::LessEqual),
    ("=<", Op::LessEqual),
    ("~>", Op::Tilde),
    ("=", Op::Equal),
    (">", Op::Greater),
    ("<", Op::Less),
    ("~", Op::Tilde),
    ("^", Op::Caret),
];

struct Constraint {
    op: Op,
    version: Version,
    /// Some number is left open.
    dirty: bool,
    minor_dirty: bool,
    patch_dirty: bool,
}

fn read_group(text: &str) -> Result<Vec<Constraint>, String> {
    let improper = || format!("improper constraint: {}", go_compat::strconv::quote(text, false));
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    if rest.is_empty() {
        return Err(improper());
    }
    while !rest.is_empty() {
        let (op, after) = OPS
            .iter()
            .find_map(|(sign, op)| rest.strip_prefix(sign).map(|after| (*op, after)))
            .unwrap_or((Op::Equal, rest));
        let after = after.trim_start();
        let end = after.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(after.len());
        out.push(Constraint::read(op, &after[..end]).ok_or_else(improper)??);
        let spaced = after[end..].trim_start();
        rest = match spaced.strip_prefix(',') {
            Some(more) if !more.trim_start().is_empty() => more.trim_start(),
            Some(_) => return Err(improper()),
            None => spaced,
        };
    }
    Ok(out)
}

impl Constraint {
    fn read(op: Op, text: &str) -> Option<Result<Constraint, String>> {
        let wild = |n: &str| matches!(n, "x" | "X" | "*");
        let parts = Parts::read(text, |n| {
            !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'x' | b'X' | b'*' | b'|'))
        })?;
        let open = |i: usize| parts.numbers.get(i).is_none_or(|n| wild(n));
        let pre = if parts.pre.is_empty() { String::new() } else { format!("-{}", parts.pre) };
        let n = &parts.numbers;
        let (plain, dirty, minor_dirty, patch_dirty) = if open(0) {
            (format!("0.0.0{pre}"), true, false, false)
        } else if open(1) {
            (format!("{}.0.0{pre}", n[0]), true, true, false)
        } else if open(2) {
            (format!("{}.{}.0{pre}", n[0], n[1]), true, false, true)
        } else {
            (text.to_owned(), false, false, false)
        };
        Some(
            Version::parse(&plain)
                .map(|version| Constraint { op, version, dirty, minor_dirty, patch_dirty })
                .map_err(|_| "constraint parser error".to_owned()),
        )
    }

    fn allows(&self, v: &Version) -> bool {
        let order = v.order(&self.version);
        let ([major, minor, patch], [c_major, c_minor, c_patch]) = (v.numbers, self.version.numbers);
        match self.op {
            Op::NotEqual if self.dirty && c_major != major => true,
            Op::NotEqual if self.minor_dirty => false,
            Op::NotEqual if self.patch_dirty && c_minor == minor => {
                let any_pre = !v.pre.is_empty() || !self.version.pre.is_empty();
                any_pre && compare_pre(&v.pre, &self.version.pre).is_ne()
            }
            Op::NotEqual if self.dirty => c_minor != minor || c_patch != patch || order.is_ne(),
            Op::NotEqual => order.is_ne(),
            Op::Greater if self.dirty && (major != c_major || self.minor_dirty) => major > c_major,
            Op::Greater if self.dirty && self.patch_dirty => minor > c_minor,
            Op::Greater => order.is_gt(),
            Op::Less => order.is_lt(),
            Op::GreaterEqual => order.is_ge(),
            Op::LessEqual if self.dirty => {
                !(major > c_major || major == c_major && minor > c_minor && !self.minor_dirty)
            }
            Op::LessEqual => order.is_le(),
            Op::Equal if !self.dirty => order.is_eq(),
            Op::Equal | Op::Tilde => {
                let all_zero = [c_major, c_minor, c_patch] == [0; 3] && !self.minor_dirty && !self.patch_dirty;
                order.is_ge() && (all_zero || major == c_major && (minor == c_minor || self.minor_dirty))
            }
            Op::Caret => {
                if order.is_lt() {
                    false
                } else if c_major > 0 || self.minor_dirty {
                    major == c_major
                } else if major > 0 {
                    false
                } else if c_minor > 0 || self.patch_dirty {
                    minor == c_minor
                } else {
                    minor == 0 && patch == c_patch
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints() {
        for (constraint, version, want) in [
            (">=1.2.0", "1.3.0", true),
            ("^1.2.0", "2.0.0", false),
            ("~1.2.3", "1.3.0", false),
            ("1.2.x", "1.2.7", true),
            (">1.0 <2.0 || >=3", "3.1.0", true),
            (">=1.0.0", "1.1.0-alpha", false),
            (">=1.0.0-0", "1.1.0-alpha", true),
            ("1.2 - 1.4", "1.4.9", true),
            ("1.2 - 1.4", "1.5.0", false),
            ("^0.2", "0.2.9", true),
            ("^0", "0.9.0", true),
            ("*", "1.2.3", true),
            ("!=1", "1.5.0", false),
            ("<=1.2", "1.2.9", true),
            ("> 1", "1.5.0", false),
            (">= 1, < 2", "1.9.0", true),
        ] {
            assert_eq!(compare(constraint, version), Ok(want), "{constraint} {version}");
        }
        assert_eq!(compare("abc", "1"), Err("improper constraint: \"abc\"".into()));
        assert_eq!(compare("1", "x"), Err("invalid semantic version".into()));
    }
}
