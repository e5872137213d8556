//! Secrets in YAML: what is under a secret key, however it is written.

use super::keys::{is_named_by, is_naming, is_secret_below, is_secret_key, only_refers};
use super::masks::Masks;
use crate::yaml::{Document, Node, NodeId, NodeKind, Style};

/// The masks of a document; `None` if it has no keys, so that it says nothing about its texts.
pub(in crate::syntax) fn masks(document: &Document) -> Option<Masks> {
    let root = document.root()?;
    if matches!(document.node(root).kind, NodeKind::Scalar { .. } | NodeKind::Alias { .. }) {
        return None;
    }
    let mut masks = Masks::default();
    // Parents come before their children, so what is around a node is known when it is reached.
    let mut is_secret = vec![false; document.len()];
    for (id, node) in document.nodes() {
        let around = is_secret[id.index()];
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                let names_secret = pairs.iter().any(|(key, value)| names_secret(document, *key, *value));
                for (key, value) in pairs {
                    let key = document.scalar(*key).map_or("", |key| key);
                    is_secret[value.index()] = is_secret_below(around, key) || names_secret && is_named_by(key);
                }
            }
            NodeKind::Sequence(items) => items.iter().for_each(|item| is_secret[item.index()] = around),
            NodeKind::Scalar { value, style } => {
                let (start, end) = (node.span.start as usize, node.span.end as usize);
                let is_block = matches!(style, Style::Literal | Style::Folded);
                // The sign that a block begins with is no part of its text.
                let head = document.text().get(start..end).filter(|_| is_block).and_then(|text| text.find('\n'));
                let range = start + head.unwrap_or(0)..end;
                if around && !range.is_empty() && holds_secret(node, value, *style) {
                    masks.secret.push(range);
                }
            }
            NodeKind::Alias { target } => is_secret[target.index()] |= around,
        }
    }
    masks.secret.sort_by_key(|range| range.start);
    Some(masks)
}

/// Whether an entry is like `name: DB_PASSWORD`.
fn names_secret(document: &Document, key: NodeId, value: NodeId) -> bool {
    let is_secret = |text: &&_| is_secret_key(text);
    document.scalar(key).is_some_and(|key| is_naming(key))
        && document.scalar(value).filter(|text| is_secret(&&***text)).is_some()
}

/// Whether a scalar under a secret key is a secret: text and numbers are, except what only refers to one.
fn holds_secret(node: &Node, value: &str, style: Style) -> bool {
    let is_plain = style == Style::Plain;
    if is_plain && matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "~" | "") {
        return false;
    }
    match node.tag.as_deref().filter(|tag| !tag.text.starts_with("!!")) {
        Some(tag) => !only_refers(&format!("{} {value}", tag.text)),
        None => !only_refers(value),
    }
}

#[cfg(test)]
mod tests {
    use crate::files::Files;
    use crate::syntax::secrets::in_line;

    /// The text with its secrets masked.
    fn masked(text: &str) -> String {
        let files = Files::default();
        let file = files.get(files.add("a.yaml", "1", || text.into()));
        let lines = (1..).zip(text.split('\n')).map(|(number, line)| {
            let mut safe = line.to_owned();
            for range in in_line(&file, number, line, false).into_iter().rev() {
                safe.replace_range(range, "*");
            }
            safe
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_is_under_a_secret_key() {
        for (text, shown) in [
            ("password: hunter2 # note", "password: * # note"),
            ("a: {name: x, token: abc, n: 1}", "a: {name: x, token: *, n: 1}"),
            ("password: '#x'", "password: *"),
            ("password: 5", "password: *"),
            ("password: true", "password: true"),
            ("password: !env PW", "password: !env PW"),
            ("password: !env PW hunter2", "password: !env *"),
            ("password: !store prod x", "password: !store prod x"),
            ("password: '{{ .locals.p }}'", "password: '{{ .locals.p }}'"),
            ("password: '{{ env \"PW\" }}'", "password: '{{ env \"PW\" }}'"),
            ("password: '{{ printf \"%s\" \"x\" }}'", "password: *"),
            ("password: '{{ .a | default \"x\" }}'", "password: *"),
            ("password: '{{ .a }}x{{ .b }}'", "password: *"),
            ("passwords:\n- a\n- name: b\n  c: d", "passwords:\n- *\n- name: b\n  c: *"),
            ("? password\n: x", "? password\n: *"),
            ("db: { password: [\n     x ] }", "db: { password: [\n     * ] }"),
            ("password: \"a\n  b\"\nc: d", "password: *\n  *\nc: d"),
            ("env:\n- value: a\n  x: b\n\n  name: PGPASSWORD", "env:\n- value: *\n  x: b\n\n  name: PGPASSWORD"),
            ("a: &a x\npassword: *a", "a: &a x\npassword: *a"),
            ("url: http://x:y@z", "url: http://x:*@z"),
            ("dsn: Server=a;Password=b;Port=1", "dsn: Server=a;Password=*;Port=1"),
        ] {
            assert_eq!(masked(text), shown, "{text}");
        }
    }

    #[test]
    fn a_long_block() {
        let block = "    x\n".repeat(400);
        assert_eq!(masked(&format!("secret: |\n{block}a: b")), format!("secret: |\n{}a: b", "    *\n".repeat(400)));
    }
}
