//! The `import` section of a manifest, read without the rest of the text.

use crate::dialects::atmos::document::Decoder;
use crate::limits::Limits;
use crate::value::{Map, Prov, Value};
use crate::yaml::{self, Span};

/// The `import` section of a manifest, alone in a map, without reading the rest of the text; `None` if that cannot be
/// done with certainty.
pub(in crate::dialects::atmos) fn of(text: &str, limits: Limits) -> Option<Map> {
    let Some(section) = find_section(text)? else { return Some(Map::new()) };
    if section.contains(['!', '*']) || section.contains("{{") {
        return None;
    }
    let doc = yaml::parse(section.as_bytes()).ok()?;
    let place = |_: u32, _: Span| Prov::default();
    let value: Value = Decoder { place: &place, include: None, delimiter: None, limits }.decode(&doc).ok()?;
    value.as_map().map(|m| (**m).clone())
}

/// Returns the lines of the `import` section: `None` if the text is not simple (block style, every unindented line a
/// comment, a list item or a bare key), `Some(None)` if there is no such section.
fn find_section(text: &str) -> Option<Option<&str>> {
    // Other line breaks than `\n` are rare, and would hide keys.
    let breaks = |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    if !text.is_ascii() && text.contains(breaks) {
        return None;
    }
    let (mut start, mut end) = (None, None);
    let (mut at, mut keys) = (0, 0);
    for line in text.split_inclusive('\n') {
        let here = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.contains('\r') {
            return None;
        }
        match line.bytes().next() {
            None | Some(b'#') => {}
            Some(b' ') => {
                let inner = line.trim_start_matches(' ');
                if keys == 0 && !inner.is_empty() && !inner.starts_with('#') {
                    return None;
                }
            }
            Some(b'-') if keys == 0 && line.trim_end() == "---" => {}
            Some(b'-') if keys > 0 && (line == "-" || line.starts_with("- ")) => {}
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                let (key, rest) = line.split_once(':')?;
                let bare = key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
                if !bare || !(rest.is_empty() || rest.starts_with(' ')) {
                    return None;
                }
                keys += 1;
                if start.is_some() {
                    end.get_or_insert(here);
                }
                if key == "import" && start.replace(here).is_some() {
                    return None;
                }
            }
            Some(_) => return None,
        }
    }
    Some(start.map(|start| &text[start..end.unwrap_or(text.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_import_section_is_found_where_it_is_plain() {
        let cases = [
            ("import:\n  - a\n  - b\nvars:\n  x: 1\n", Some(Some("import:\n  - a\n  - b\n"))),
            ("# c\n---\nvars: {}\nimport:\n- a\n\n# c\n- b", Some(Some("import:\n- a\n\n# c\n- b"))),
            ("import: [a, b]\r\nvars: {}\r\n", Some(Some("import: [a, b]\r\n"))),
            ("vars:\n  import:\n    - a\n", Some(None)),
            ("", Some(None)),
        ];
        for (text, expected) in cases {
            assert_eq!(find_section(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_ways_of_writing_are_left_to_the_reader() {
        let unsure = [
            "\"import\":\n  - a\n",
            "{import: [a]}\n",
            " import:\n  - a\n",
            "? import\n: - a\n",
            "import :\n  - a\n",
            "<<: *x\n",
            "import:\n  - a\nimport:\n  - b\n",
            "vars: {}\rimport: [a]\n",
            "vars: {}\u{85}import: [a]\n",
            "\u{feff}import: [a]\n",
            "{{ .key }}:\n  - a\n",
            "--- \n---\n!x import:\n",
            "import: [\n  a\n]\n",
        ];
        for text in unsure {
            assert_eq!(find_section(text), None, "{text:?}");
        }
        for text in ["import: !include x\n", "import: *a\n", "import:\n  - \"{{ .a }}\"\n", "import: [a\n"] {
            assert!(of(text, Limits::default()).is_none(), "{text:?}");
        }
    }
}
