//! Version constraints, as hashicorp/go-version compares them.

use std::cmp::Ordering;

/// A version: its numbers, and what follows them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    numbers: Vec<u64>,
    pre: String,
    written: usize,
}

fn parse(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let text = text.split('+').next().unwrap_or(text);
    let (numbers, pre) = text.split_once('-').map_or((text, ""), |(numbers, pre)| (numbers, pre));
    let mut numbers = numbers.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>()?;
    let written = numbers.len();
    while numbers.len() < 3 {
        numbers.push(0);
    }
    Some(Version { numbers, pre: pre.to_owned(), written })
}

impl Version {
    fn compare(&self, other: &Version) -> Ordering {
        let rest = match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        };
        self.numbers.cmp(&other.numbers).then(rest)
    }
}

/// Whether a version satisfies all constraints of a list.
///
/// # Errors
/// The version or a constraint is malformed.
pub(super) fn satisfies(version: &str, constraints: &str) -> Result<bool, String> {
    let found = parse(version).ok_or_else(|| format!("malformed version: {version}"))?;
    let mut all = true;
    for constraint in constraints.split(',').map(str::trim) {
        let end = constraint.find(|c: char| c.is_ascii_digit() || c == 'v').unwrap_or(constraint.len());
        let (operator, bound) = constraint.split_at(end);
        let malformed = || format!("malformed constraint: {constraint}");
        let bound = parse(bound).ok_or_else(malformed)?;
        let order = found.compare(&bound);
        all &= match operator.trim() {
            "" | "=" => order.is_eq(),
            "!=" => order.is_ne(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            "~>" => {
                let fixed = bound.written.saturating_sub(1).max(1);
                order.is_ge() && found.numbers.get(..fixed) == bound.numbers.get(..fixed)
            }
            _ => return Err(malformed()),
        };
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::satisfies;

    #[test]
    fn constraints() {
        for (version, constraint, holds) in [
            ("1.2.3", ">= 1.0, < 2.0", true),
            ("0.9.0", "~> 1.0", false),
            ("1.9", "~> 1.0", true),
            ("1.1.0", "~> 1.0.0", false),
            ("1.0.0-rc1", ">= 1.0.0", false),
            ("1.0.0", "!= 1.0", false),
        ] {
            assert_eq!(satisfies(version, constraint), Ok(holds), "{version} {constraint}");
        }
        assert!(satisfies("x", "1").is_err() && satisfies("1", "=> 1").is_err());
    }
}
