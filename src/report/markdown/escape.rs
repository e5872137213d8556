//! Text that comes from files, so that it is nothing but text where Markdown is shown: no markup, no HTML, no mention, no
//! reference to an issue, no link, no second line.

use crate::report::text::style;

/// Escapes a sentence: text between backticks is code, the rest is plain text.
pub(super) fn prose(sentence: &str) -> String {
    let parts: Vec<&str> = sentence.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(sentence);
    }
    let piece = |(i, part): (usize, &&str)| match i % 2 {
        0 => text(part),
        _ if part.is_empty() => "\\`\\`".to_owned(),
        _ => code(part),
    };
    parts.iter().enumerate().map(piece).collect()
}

/// Text without any markup, for the middle of a line.
pub(super) fn text(plain: &str) -> String {
    let line: String = plain.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let line = style::escape(&line);
    let mut safe = String::with_capacity(line.len() + 16);
    let mut before = [' '; 3];
    for c in line.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // Something invisible keeps GitHub from taking a name for a mention and a number for an issue.
            '@' | '#' => safe.extend([c].into_iter().chain("&#8203;".chars())),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => safe.extend(['\\', c]),
            // No links of themselves: `https://`, `www.`.
            '/' if before[2] == ':' => safe.push_str("\\/"),
            '.' if before.iter().all(|b| b.eq_ignore_ascii_case(&'w')) => safe.push_str("\\."),
            c => safe.push(c),
        }
        before = [before[1], before[2], c];
    }
    safe
}

/// Text as code, for the middle of a line.
pub(crate) fn code(plain: &str) -> String {
    let plain = style::escape(plain);
    if plain.trim().is_empty() {
        return format!("`\"{plain}\"`");
    }
    let ticks = "`".repeat(longest_run(&plain) + 1);
    let space = if ticks.len() > 1 || plain.starts_with(' ') && plain.ends_with(' ') { " " } else { "" };
    format!("{ticks}{space}{plain}{space}{ticks}")
}

/// Text as code in a cell of a table.
pub(super) fn cell(plain: &str) -> String {
    if !plain.contains(['|', '\\']) {
        return code(plain);
    }
    // A bar ends a cell even inside of code, and what a backslash before it means depends on who reads it.
    let piece = |c: char| if c.is_ascii_punctuation() { format!("&#{};", c as u32) } else { c.to_string() };
    format!("<code>{}</code>", style::escape(plain).chars().map(piece).collect::<String>())
}

pub(super) fn html(plain: &str) -> String {
    let plain = style::escape(plain);
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Lines as a block with colors for `+` and `-`, indented by some spaces.
pub(super) fn diff_block(lines: &[String], indent: usize) -> String {
    let longest = lines.iter().map(|l| longest_run(l)).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let pad = " ".repeat(indent);
    let mut block = format!("{pad}{fence}diff\n");
    for line in lines {
        block.push_str(&format!("{pad}{line}\n"));
    }
    block + &pad + &fence
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text cut to some characters, with `…` for what is missing.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_nothing_but_text() {
        for (plain, expected) in [
            ("a <b>c</b> & d", "a &lt;b&gt;c&lt;/b&gt; &amp; d"),
            ("@user closes #1", "@&#8203;user closes #&#8203;1"),
            ("*a* _b_ [c](d) | ~e~ $f$", "\\*a\\* \\_b\\_ \\[c\\](d) \\| \\~e\\~ \\$f\\$"),
            ("two\nlines\r\n\u{1b}[31m", "two lines  \\\\u{1b}\\[31m"),
            ("https://x.y www.z.io", "https:\\//x.y www\\.z.io"),
            ("a ` b", "a \\` b"),
        ] {
            assert_eq!(text(plain), expected);
        }
    }

    #[test]
    fn code_in_sentences() {
        for (plain, expected) in [
            ("`a|b` is @x", "`a|b` is @&#8203;x"),
            ("`a` b ` c", "\\`a\\` b \\` c"),
            ("`` x", "\\`\\` x"),
            ("` ` x", "`\" \"` x"),
        ] {
            assert_eq!(prose(plain), expected);
        }
        assert_eq!(code("a``b"), "``` a``b ```");
        assert_eq!(code("a\n# b"), "`a\\n# b`");
        assert_eq!(code(""), "`\"\"`");
        assert_eq!(cell("a|b\\`"), "<code>a&#124;b&#92;&#96;</code>");
        assert_eq!(cell("a b"), "`a b`");
        assert_eq!(html("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }

    #[test]
    fn blocks_are_longer_than_what_they_hold() {
        let lines = ["- ````".to_owned(), "+ x".to_owned()];
        assert_eq!(diff_block(&lines, 2), "  `````diff\n  - ````\n  + x\n  `````");
    }
}
