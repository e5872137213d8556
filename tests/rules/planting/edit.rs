//! Edits of YAML in block style, as a person would make them.

/// The spaces in front of a line; `None` if it is blank or a comment.
fn indent(line: &str) -> Option<usize> {
    let rest = line.trim_start();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| line.len() - rest.len())
}

/// The text with a value at a path of keys: what is there is replaced, what leads there and is missing is added.
pub(crate) fn set(text: &str, path: &[&str], value: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (mut from, mut to, mut depth) = (0, lines.len(), 0);
    for (level, key) in path.iter().enumerate() {
        let inner = lines[from..to].iter().find_map(|l| indent(l)).filter(|i| *i >= depth).unwrap_or(depth);
        let is_key = |line: &String| {
            indent(line) == Some(inner) && line.trim_start().trim_start_matches('"').starts_with(&format!("{key}:"))
        };
        let Some(at) = (from..to).find(|i| is_key(&lines[*i])) else {
            // Behind the last line of the map around it.
            let end = (from..to).rev().find(|i| !lines[*i].trim().is_empty()).map_or(from, |i| i + 1);
            let count = path.len() - level;
            let new = path[level..].iter().enumerate().map(|(i, key)| {
                let spaces = " ".repeat(inner + 2 * i);
                if i + 1 == count { format!("{spaces}{key}: {value}") } else { format!("{spaces}{key}:") }
            });
            lines.splice(end..end, new.collect::<Vec<_>>());
            return lines.join("\n") + "\n";
        };
        let end = (at + 1..to).find(|i| indent(&lines[*i]).is_some_and(|d| d <= inner)).unwrap_or(to);
        if level + 1 == path.len() {
            let line = format!("{}{key}: {value}", " ".repeat(inner));
            lines.splice(at..end, [line]);
            return lines.join("\n") + "\n";
        }
        assert!(lines[at].trim_end().ends_with(':'), "not in block style: {:?}", lines[at]);
        (from, to, depth) = (at + 1, end, inner + 1);
        if lines[from..to].iter().find_map(|l| indent(l)).is_none() {
            depth = inner + 2;
        }
    }
    unreachable!("a path has a last key")
}

/// The text with one more import, the last one.
pub(crate) fn import(text: &str, item: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(at) = lines.iter().position(|l| l.starts_with("import:")) else {
        return format!("import:\n  - {item}\n{text}");
    };
    let is_inside = |line: &String| line.starts_with(' ');
    let end = (at + 1..lines.len()).find(|i| !is_inside(&lines[*i])).unwrap_or(lines.len());
    lines.insert(end, format!("  - {item}"));
    lines.join("\n") + "\n"
}

#[test]
fn values_are_set_where_they_belong() {
    let text = "a:\n  b: 1\n  c:\n    d: 2\n\ne:\n  - x\n";
    assert_eq!(set(text, &["a", "b"], "9"), "a:\n  b: 9\n  c:\n    d: 2\n\ne:\n  - x\n");
    assert_eq!(set(text, &["a", "c"], "{}"), "a:\n  b: 1\n  c: {}\ne:\n  - x\n");
    assert_eq!(set(text, &["a", "c", "f", "g"], "3"), "a:\n  b: 1\n  c:\n    d: 2\n    f:\n      g: 3\n\ne:\n  - x\n");
    assert_eq!(set(text, &["h"], "4"), "a:\n  b: 1\n  c:\n    d: 2\n\ne:\n  - x\nh: 4\n");
    assert_eq!(import("a: 1\n", "x"), "import:\n  - x\na: 1\n");
    assert_eq!(import("import:\n  - y\n\na: 1\n", "x"), "import:\n  - y\n  - x\n\na: 1\n");
}
