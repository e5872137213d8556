//! Traces of missing values in rendered text.

/// Returns the trace of a missing value in a text: `<no value>`, or what Go's `printf` makes of it (`%!s(<nil>)`).
pub(crate) fn trace_in(text: &str) -> Option<&str> {
    if let Some(at) = text.find("<no value>") {
        return text.get(at..at + "<no value>".len());
    }
    for (at, _) in text.match_indices("%!") {
        let rest = &text[at + 2..];
        let verb = usize::from(rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        if let Some(end) = rest.get(verb..).filter(|r| r.starts_with('(')).and_then(|r| r.find(')')) {
            return text.get(at..at + 2 + verb + end + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::trace_in;

    #[test]
    fn traces_of_missing_values() {
        for (text, want) in [
            ("a-<no value>-b", Some("<no value>")),
            ("%!s(<nil>)", Some("%!s(<nil>)")),
            ("x%!d(string=a)y", Some("%!d(string=a)")),
            ("100%!", None),
            ("100%! (sure)", None),
            ("a %(b)s", None),
            ("<no values>", None),
        ] {
            assert_eq!(trace_in(text), want, "{text}");
        }
    }
}
