//! Text that is a secret whatever its key is: keys and tokens of well-known services, private keys.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The shapes, as the services publish them. Each needs so many characters of so many kinds that no word fits.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // AWS access key ids of users and sessions.
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        // GitHub.
        r"\bgh[pousr]_[0-9A-Za-z]{36,}\b",
        r"\bgithub_pat_[0-9A-Za-z_]{60,}\b",
        // GitLab, Slack, Stripe, Google, npm.
        r"\bglpat-[0-9A-Za-z_-]{20,}",
        r"\bxox[abeprs]-[0-9A-Za-z-]{20,}",
        r"\b[rs]k_live_[0-9A-Za-z]{20,}\b",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"\bnpm_[0-9A-Za-z]{36}\b",
        // A signed JSON Web Token.
        r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    ];
    Regex::new(&shapes.join("|")).ok()
});

/// Pieces that every shape has; most text has none of them.
const HINTS: [&str; 14] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "k_live_",
    "AIza",
    "eyJ",
    "PRIVATE KEY",
];

/// Where secrets stand in a text: byte ranges in their order.
pub fn find(text: &str) -> Vec<Range<usize>> {
    if !HINTS.iter().any(|hint| text.contains(hint)) && !text.contains("npm_") {
        return Vec::new();
    }
    let Some(shapes) = &*SHAPES else { return Vec::new() };
    let found = shapes.find_iter(text).map(|m| m.range());
    // The example keys of the AWS documentation are none.
    found.filter(|range| !text[range.clone()].ends_with("EXAMPLE")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_what_looks_like_them() {
        let long = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0";
        for secret in [
            format!("AKIA{}", "Z7".repeat(8)),
            format!("ghp_{long}"),
            format!("x: glpat-{}", &long[..20]),
            format!("eyJ{0}.eyJ{0}.{0}", &long[..12]),
            "-----BEGIN RSA PRIVATE KEY-----\nMII".to_owned(),
            "-----BEGIN PRIVATE KEY-----".to_owned(),
        ] {
            assert_eq!(find(&secret).len(), 1, "{secret}");
        }
        for text in
            ["AKIAIOSFODNN7EXAMPLE", "AKIA123", "ghp_short", "eyJ", "-----BEGIN PUBLIC KEY-----", "xox", "words"]
        {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
