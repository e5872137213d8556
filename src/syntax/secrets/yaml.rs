//! Secrets in YAML: what is under a secret key, however it is written.

use super::keys::{is_named_by, is_naming, is_no_secret, is_secret_below, is_secret_flag, is_secret_key, only_refers};
use super::masks::Masks;
use super::tokens;
use crate::yaml::{Document, Node, NodeId, NodeKind, Style};

/// The masks of a document; `None` if it has no keys, so that it says nothing about its texts. `original` is its text as it is in the
/// file, before actions of templates were left out.
pub(in crate::syntax) fn masks(document: &Document, original: &str) -> Option<Masks> {
    let root = document.root()?;
    if matches!(document.node(root).kind, NodeKind::Scalar { .. } | NodeKind::Alias { .. }) {
        return None;
    }
    let is_secret = secret_nodes(document);
    let mut masks = Masks::default();
    for (id, node) in document.nodes() {
        if let NodeKind::Mapping(pairs) = &node.kind {
            let secret = pairs.iter().filter(|(_, value)| is_secret[value.index()]);
            masks.places.extend(secret.map(|(key, _)| document.node(*key).span.start));
        }
        let NodeKind::Scalar { style, .. } = &node.kind else { continue };
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        let written = document.text().get(start..end).unwrap_or_default();
        // The sign that a block begins with is no part of its text.
        let is_block = matches!(style, Style::Literal | Style::Folded);
        let head = Some(written).filter(|_| is_block).and_then(|text| text.find('\n')).unwrap_or(0);
        if !is_secret[id.index()] {
            let read = document.scalar(id).filter(|_| written.contains('\\'));
            if *style == Style::DoubleQuoted && read.is_some_and(|text| !tokens::within(text).is_empty()) {
                masks.secret.push(start..end);
                continue;
            }
            let inside = tokens::within(&written[head..]).into_iter();
            masks.secret.extend(inside.map(|part| start + head + part.start..start + head + part.end));
            continue;
        }
        masks.places.push(node.span.start);
        let own = original.get(start + head..end).unwrap_or(&written[head..]);
        if start + head < end && holds_secret(node, own, *style) {
            masks.secret.push(start + head..end);
        }
    }
    Some(masks.sorted())
}

/// Which nodes are secrets by the keys that lead to them.
fn secret_nodes(document: &Document) -> Vec<bool> {
    let mut is_secret = vec![false; document.len()];
    // Parents come before their children, so what is around a node is known when it is reached; what an alias shows is before it.
    let mut waiting: Vec<NodeId> = document.nodes().map(|(id, _)| id).collect();
    waiting.reverse();
    while let Some(id) = waiting.pop() {
        let around = is_secret[id.index()];
        match &document.node(id).kind {
            NodeKind::Mapping(pairs) => {
                let names_secret = pairs.iter().any(|(key, value)| names_secret(document, *key, *value));
                for (key, value) in pairs {
                    let key = document.scalar(*key).map_or("", |key| key);
                    is_secret[value.index()] |= is_secret_below(around, key) || names_secret && is_named_by(key);
                }
            }
            NodeKind::Sequence(items) => {
                let mut is_after = false;
                for item in items {
                    let is_flag = document.scalar(*item).is_some_and(|text| is_secret_flag(text));
                    is_secret[item.index()] |= around || is_after && !is_flag;
                    is_after = is_flag;
                }
            }
            NodeKind::Alias { target } if around && !is_secret[target.index()] => {
                is_secret[target.index()] = true;
                waiting.extend(below(document, *target));
            }
            NodeKind::Alias { .. } | NodeKind::Scalar { .. } => {}
        }
    }
    is_secret
}

/// A node and those in it, children before their parents.
fn below(document: &Document, root: NodeId) -> Vec<NodeId> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(id) = found.get(at) {
        match &document.node(*id).kind {
            NodeKind::Mapping(pairs) => found.extend(pairs.iter().map(|(_, value)| *value)),
            NodeKind::Sequence(items) => found.extend(items),
            NodeKind::Scalar { .. } | NodeKind::Alias { .. } => {}
        }
        at += 1;
    }
    found.reverse();
    found
}

/// Whether an entry is like `name: DB_PASSWORD`.
fn names_secret(document: &Document, key: NodeId, value: NodeId) -> bool {
    let is_secret = |text: &&_| is_secret_key(text);
    document.scalar(key).is_some_and(|key| is_naming(key))
        && document.scalar(value).filter(|text| is_secret(&&***text)).is_some()
}

/// Whether a scalar under a secret key is a secret: text and numbers are, except what only refers to one. `written` is its text.
fn holds_secret(node: &Node, written: &str, style: Style) -> bool {
    let is_plain = style == Style::Plain;
    let value = match style {
        Style::Plain | Style::Literal | Style::Folded => written,
        _ => written.trim_start_matches(|c| c != '"' && c != '\'').trim_matches(['"', '\'']),
    };
    if is_plain && matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "~" | "") {
        return false;
    }
    match node.tag.as_deref().filter(|tag| !tag.text.starts_with("!!")) {
        Some(tag) => !only_refers(&format!("{} {value}", tag.text)),
        None => !is_no_secret(value),
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
            ("a: &a x\npassword: *a", "a: &a *\npassword: *a"),
            ("url: http://x:y@z", "url: http://x:*@z"),
            ("args: [--db-password, x, --token, --verbose, y]", "args: [--db-password, *, --token, *, y]"),
            ("kind: Secret\nstringData: {user: x}\ndata: [y]", "kind: Secret\nstringData: {user: *}\ndata: [*]"),
            (
                "a: 1\n---\nenv: [{name: A_TOKEN, value: x}]\n---\npassword: |\n  y",
                "a: 1\n---\nenv: [{name: A_TOKEN, value: *}]\n---\npassword: |\n  *",
            ),
            ("a: 1\n---\npassword: x\n---\n[", "a: 1\n---\npassword: *\n---\n["),
            ("a: \"x {\\n  password = \\\"b\\\"\\n}\"", "a: *"),
            ("a: \"x {\\n  size = \\\"b\\\"\\n}\"", "a: \"x {\\n  size = \\\"b\\\"\\n}\""),
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
