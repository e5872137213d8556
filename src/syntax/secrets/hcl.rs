//! Secrets in lines of HCL.

use super::keys::{is_named_by, is_naming, is_no_secret, is_secret_below, is_secret_flag, is_secret_key};
use super::masks::Masks;
use super::tokens;
use crate::syntax::hcl::{Entry, HclEntryKind, Literal};

impl Masks {
    /// The masks of a text that consists of entries and literals.
    pub(crate) fn of(text: &str, entries: &[Entry], literals: &[Literal]) -> Self {
        let is_secret = secret_entries(entries);
        let written = |literal: &Literal| text.get(literal.span.start as usize..literal.span.end as usize);
        let is_maskable = |literal: &&Literal| written(literal).is_some_and(|t| !is_no_secret(t.trim_matches('"')));
        let (mut masks, mut end) = (Masks::default(), 0);
        let mut sorted: Vec<&Literal> = literals.iter().filter(is_maskable).collect();
        sorted.sort_by_key(|literal| literal.span.start);
        for literal in sorted {
            let range = literal.span.start as usize..literal.span.end as usize;
            // A string in a sequence of another one is a part of it.
            if range.start < end {
                continue;
            }
            end = range.end;
            if is_secret[literal.entry] || hides_in_escapes(&text[range.clone()]) {
                masks.secret.push(range.clone());
            } else {
                let inside = tokens::within(&text[range.clone()]).into_iter();
                masks.secret.extend(inside.map(|part| range.start + part.start..range.start + part.end));
            }
            masks.all.push(range);
        }
        let secret = entries.iter().zip(&is_secret).filter(|(_, is_secret)| **is_secret);
        masks.places.extend(secret.flat_map(|(entry, _)| [entry.key.start, entry.value.start]));
        masks.sorted()
    }
}

/// Whether a quoted text of several lines says a secret in one of them: `"a\npassword = \"b\""`.
fn hides_in_escapes(written: &str) -> bool {
    let mut text = String::new();
    let mut rest = written.trim_matches('"');
    while let Some((before, after)) = rest.split_once('\\') {
        let mut letters = after.chars();
        let escaped = letters.next();
        text.push_str(before);
        text.extend(escaped.map(|letter| if matches!(letter, 'n' | 'r') { '\n' } else { letter }));
        rest = letters.as_str();
    }
    text.push_str(rest);
    rest.len() < written.trim_matches('"').len() && !tokens::within(&text).is_empty()
}

/// Which entries hold secrets.
fn secret_entries(entries: &[Entry]) -> Vec<bool> {
    // `{ name = "DB_PASSWORD", value = "…" }` and `variable "db_password" { default = "…" }`.
    let mut names_secret: Vec<bool> = entries.iter().map(|e| e.label.as_deref().is_some_and(is_secret_key)).collect();
    for entry in entries.iter().filter(|entry| is_naming(&entry.name)) {
        if let (Some(parent), Some(text)) = (entry.parent, &entry.text) {
            names_secret[parent] |= is_secret_key(text);
        }
    }
    let mut found: Vec<bool> = Vec::with_capacity(entries.len());
    // `["--password", "…"]`: whether the last item of a list says that of the next one.
    let mut is_next = vec![false; entries.len()];
    for entry in entries {
        let around = entry.parent.is_some_and(|parent| found[parent]);
        let is_beside = is_named_by(&entry.name) && entry.parent.is_some_and(|parent| names_secret[parent]);
        found.push(match entry.kind {
            HclEntryKind::Item => {
                let is_flag = entry.text.as_deref().is_some_and(is_secret_flag);
                let is_after = entry.parent.is_some_and(|parent| std::mem::replace(&mut is_next[parent], is_flag));
                around || is_after && !is_flag
            }
            HclEntryKind::Block { is_labelled: true } => false,
            HclEntryKind::Block { .. } | HclEntryKind::Key => is_beside || is_secret_below(around, &entry.name),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::files::Files;
    use crate::syntax::secrets::in_line;

    /// The text with its secrets masked; lines that begin with `!` hold one for sure.
    fn masked(text: &str) -> String {
        let (all, text): (Vec<bool>, Vec<&str>) =
            text.split('\n').map(|line| (line.starts_with('!'), line.trim_start_matches('!'))).unzip();
        let files = Files::default();
        let file = files.get(files.add("a.tf", "1", || text.join("\n").into()));
        let lines = (1..).zip(text).zip(all).map(|((number, line), all)| {
            let mut safe = line.to_owned();
            for range in in_line(&file, number, line, all).into_iter().rev() {
                safe.replace_range(range, "*");
            }
            safe
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn values_of_secret_keys() {
        for (line, shown) in [
            ("password = \"hunter2\" # note", "password = * # note"),
            ("a = { name = \"x\", token = \"abc\", n = 1 }", "a = { name = \"x\", token = *, n = 1 }"),
            ("credentials = { user = \"x\", id = 5, on = true }", "credentials = { user = *, id = 5, on = true }"),
            ("api_key = sensitive(\"abc\")", "api_key = sensitive(*)"),
            ("api_keys = [\"a\", var.b, 7]", "api_keys = [*, var.b, *]"),
            ("password = var.password", "password = var.password"),
            ("password = \"${var.password}\"", "password = \"${var.password}\""),
            ("password = \"x-${f(\"y\")}\"", "password = *"),
            ("password = file(\"secret.txt\")", "password = file(\"secret.txt\")"),
            ("a = templatefile(\"t\", { password = \"b\" })", "a = templatefile(\"t\", { password = * })"),
            ("password = profile(\"b\")", "password = profile(*)"),
            ("password = data.x[\"y\"].z", "password = data.x[\"y\"].z"),
            ("password = null", "password = null"),
            ("a = [{ name = \"DB_PASSWORD\", value = \"b\" }]", "a = [{ name = \"DB_PASSWORD\", value = * }]"),
            ("a = [\"--db-password\", \"b\", \"c\"]", "a = [\"--db-password\", *, \"c\"]"),
            (
                "a = { kind = \"Secret\", stringData = { b = \"c\" } }",
                "a = { kind = \"Secret\", stringData = { b = * } }",
            ),
            ("url = \"http://x:y@z\"", "url = \"http://x:*@z\""),
            ("a = \"x {\\n  password = \\\"b\\\"\\n}\"", "a = *"),
            ("a = \"x {\\n  size = \\\"b\\\"\\n}\"", "a = \"x {\\n  size = \\\"b\\\"\\n}\""),
            ("!a = \"b\"", "a = *"),
            ("!a = var.b", "a = var.b"),
        ] {
            assert_eq!(masked(line), shown);
        }
    }

    #[test]
    fn values_of_several_lines() {
        let text = "private_key = <<-E\n  MII\n\n  abc ${x}\nE\nname = <<E\nx\nE\nvariable \"db_password\" {\n  type = string\n  default = \"a\"\n}\ncredentials {\n  user = \"b\"\n}\nmodule \"secret\" {\n  source = \"./c\"\n}";
        let shown = "private_key = <<-E\n  *\n\n  *\nE\nname = <<E\nx\nE\nvariable \"db_password\" {\n  type = string\n  default = *\n}\ncredentials {\n  user = *\n}\nmodule \"secret\" {\n  source = \"./c\"\n}";
        assert_eq!(masked(text), shown);
    }

    #[test]
    fn a_broken_file_shows_no_more_than_before() {
        assert_eq!(masked("a = (\n  password: hunter2\n"), "a = (\n  password: *\n");
        assert_eq!(masked("password = \"hunter2\"\na = ("), "password = *\na = (");
    }

    #[test]
    fn lines_of_a_private_key() {
        let key = "k = <<E\n-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----\nE";
        assert_eq!(masked(key), "k = <<E\n*\n*\n*\nE");
    }
}
