//! Constraints on the version of OpenTofu, which apply only in `.tofu` files. The version in use is unknown: only a
//! constraint that no version satisfies is an error.

use crate::hcl::ast::walk;
use crate::terraform::failure::Failure;
use crate::terraform::module::Module;
use crate::terraform::module::block::Written;
use crate::terraform::rules;
use std::cmp::Ordering;
use std::ops::Range;

/// The versions that a constraint is tried with: all that OpenTofu has had, and what may come.
fn versions() -> impl Iterator<Item = [u32; 3]> {
    of_majors(1..3)
}

fn of_majors(majors: Range<u32>) -> impl Iterator<Item = [u32; 3]> {
    majors.flat_map(|major| (0..60).flat_map(move |minor| (0..40).map(move |patch| [major, minor, patch])))
}

/// The constraint that no version meets.
pub(crate) fn check(module: &Module) -> Option<Failure> {
    module.required_version.iter().filter(|(_, applies)| *applies).find_map(|(written, _)| {
        let text = walk::constant_text(&written.expr)?;
        let constraints = Constraint::all(text);
        let meets = |version: [u32; 3]| constraints.iter().all(|constraint| constraint.holds(version));
        let message = match is_constraint(text) {
            false => format!("invalid version constraint: \"{text}\""),
            true if versions().any(meets) => return None,
            true => format!("incompatible module: no version of OpenTofu is \"{text}\""),
        };
        Some(Failure::new(&rules::INVALID_DECLARATION, message, written.argument()))
    })
}

/// The constraint of a module for Terraform that only releases before 1.0 meet: their language is another one.
pub(crate) fn before_1(module: &Module) -> Option<&Written> {
    let (written, _) = module.required_version.iter().find(|(_, applies)| !*applies)?;
    let text = walk::constant_text(&written.expr).filter(|text| is_constraint(text))?;
    let constraints = Constraint::all(text);
    let meets = |version: [u32; 3]| constraints.iter().all(|constraint| constraint.holds(version));
    (!versions().any(meets) && of_majors(0..1).any(meets)).then_some(written)
}

/// Whether a released version meets a list of constraints; `None` if one of them is of another form.
pub(crate) fn meets(version: &str, constraints: &str) -> Option<bool> {
    let is_plain = |text: &str| is_constraint(text) && !text.contains(['-', '+']) && text.split('.').count() <= 3;
    let numbers: Vec<u32> = version.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let version = numbers.try_into().ok()?;
    let is_known = constraints.split(',').all(is_plain);
    is_known.then(|| Constraint::all(constraints).iter().all(|constraint| constraint.holds(version)))
}

/// Whether a text is a list of version constraints.
pub(crate) fn is_constraint(text: &str) -> bool {
    text.split(',').all(|part| {
        let part = part.trim();
        let version = part.trim_start_matches(['=', '!', '<', '>', '~']).trim();
        let operator = part[..part.len() - version.len()].trim();
        let core = version.split(['-', '+']).next().unwrap_or_default().trim_start_matches('v');
        matches!(operator, "" | "=" | "!=" | ">" | "<" | ">=" | "<=" | "~>")
            && !core.is_empty()
            && core.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// A part of a constraint.
struct Constraint<'t> {
    operator: &'t str,
    version: [u32; 3],
    /// How many of its numbers are fixed if the last one that is written may grow.
    kept: usize,
}

impl<'t> Constraint<'t> {
    /// The parts of a text.
    fn all(text: &'t str) -> Vec<Self> {
        text.split(',').map(Constraint::new).collect()
    }

    fn new(text: &'t str) -> Self {
        let text = text.trim();
        let version = text.trim_start_matches(['=', '!', '<', '>', '~']).trim();
        let operator = text[..text.len() - version.len()].trim();
        let numbers = version.split(['-', '+']).next().unwrap_or_default().split('.');
        let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
        let version = [0, 1, 2].map(|i| numbers.get(i).copied().unwrap_or(0));
        Constraint { operator, version, kept: numbers.len().clamp(1, 3) - 1 }
    }

    fn holds(&self, version: [u32; 3]) -> bool {
        let order = version.cmp(&self.version);
        match self.operator {
            "" | "=" => order == Ordering::Equal,
            "!=" => order != Ordering::Equal,
            ">" => order == Ordering::Greater,
            ">=" => order != Ordering::Less,
            "<" => order == Ordering::Less,
            "<=" => order != Ordering::Greater,
            _ => order != Ordering::Less && version[..self.kept] == self.version[..self.kept],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(constraint: &str, version: [u32; 3]) -> bool {
        Constraint::new(constraint).holds(version)
    }

    #[test]
    fn operators_of_constraints() {
        assert!(holds("~> 1.6", [1, 12, 6]) && !holds("~> 1.6.0", [1, 12, 6]));
        assert!(holds(">= 1.6", [1, 6, 0]) && !holds("> 1.6", [1, 6, 0]));
        assert!(!versions().any(|v| holds(">= 99.0.0", v)));
    }

    #[test]
    fn locked_versions() {
        for (version, constraint, is_met) in [
            ("5.31.0", "~> 5.0", Some(true)),
            ("5.31.0", ">= 6.0.0", Some(false)),
            ("5.31.0", ">= 4.0, < 5.0", Some(false)),
            ("5.31.0", "~> 5.30.0", Some(false)),
            ("6.0.0-beta1", ">= 6.0", None),
            ("5.31.0", "~> 6.0.0-beta1", None),
            ("5.31.0", "latest", None),
        ] {
            assert_eq!(meets(version, constraint), is_met, "{version} {constraint}");
        }
    }

    #[test]
    fn version_constraints() {
        for good in ["1.0", "~> 1.2.3", ">= 1.0, < 2.0", "1.0.0-beta1", "!= 1.5"] {
            assert!(is_constraint(good), "{good}");
        }
        for bad in ["", "latest", ">= ", "1..2", "=> 1.0"] {
            assert!(!is_constraint(bad), "{bad}");
        }
    }
}
