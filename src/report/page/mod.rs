//! The HTML report: one page that loads nothing, with its data embedded once and drawn on demand.
//!
//! Text from files is data, never markup: it is embedded as JSON in a block that no HTML parser can leave, and the
//! page's own script inserts it as text. The content security policy of the page allows only this script and its style,
//! by their hashes. Secrets are masked as in text.

mod about;
mod chains;
mod data;
mod graph;

use crate::query::graphs::Graph;
use crate::report::Report;
use crate::resolution::{Resolution, Unit};
use sha2::{Digest, Sha256};
use std::io;
use std::sync::Arc;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("matrix.js"), include_str!("page.js"));

/// Additional data of a page besides a report.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    pub report: &'a Report<'a>,
    /// The resolutions of the projects in the older state, if two are compared.
    pub bases: &'a [&'a Resolution],
    /// The resolutions of the projects in the state, or in the newer one.
    pub heads: &'a [&'a Resolution],
    /// What the code of the components of one state makes, a unit for each, if it can be evaluated. It is asked for only if the page
    /// has room for it.
    pub made: &'a dyn Fn() -> Option<Vec<Arc<Unit>>>,
    /// The commits between both states, the newest first; none if one of them is the worktree.
    pub commits: &'a [Commit],
    /// The graph that is drawn: the dependencies of what changes, or the imports of one state.
    pub graph: &'a Graph,
}

/// A commit of a change.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    /// The first line of its message.
    pub subject: String,
    /// The name of its author.
    pub author: String,
}

/// Writes the page.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, page: &Page<'_>) -> io::Result<()> {
    let data = serde_json::to_string(&data::Data::of(page))?;
    let mut environment = minijinja::Environment::new();
    // Everything that is filled in is made here.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_template("page", TEMPLATE).map_err(io::Error::other)?;
    let template = environment.get_template("page").map_err(io::Error::other)?;
    let values = minijinja::context! {
        style => STYLE, script => SCRIPT, data => embedded(&data),
        style_hash => hash(STYLE), script_hash => hash(SCRIPT),
    };
    let text = template.render(values).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

/// Escapes JSON for a block of a page: without the characters that markup consists of.
fn embedded(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + json.len() / 64);
    for c in json.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            c => safe.push(c),
        }
    }
    safe
}

/// The hash by which a policy names a script or a style.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(text.as_bytes());
    let mut encoded = String::with_capacity(44);
    for part in digest.chunks(3) {
        let byte = |i: usize| u32::from(part.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            encoded.push(if i > part.len() { '=' } else { char::from(digit) });
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_policies_name_them() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn data_cannot_end_its_block() {
        let json = serde_json::to_string("</script><!--&\u{2028}").expect("JSON");
        let safe = embedded(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), "</script><!--&\u{2028}");
    }
}
