//! Moves the expressions in the heads of rules into their bodies.
//!
//! A rule `deny contains sprintf("%s", [x.name]) if some x in input.components` finds nothing for an `x` without
//! `name`, but its results for the others stay. The engine loses those: it treats the whole rule as undefined. In a
//! body it continues with the next `x`, so the rule becomes `deny contains h if { some x in input.components; h :=
//! sprintf("%s", [x.name]) }`.

use super::rego_text::{self, Token, TokenKind, Written};
use std::ops::Range;

/// The variable that holds the value of a head. Digits follow if a module has that name.
const VARIABLE: &str = "head_value";

/// The text of a module with variables in the heads of its rules. It has the same number of lines.
pub(super) fn bind(text: &str) -> String {
    let Written { words, .. } = rego_text::written(text);
    let is_free = |name: &String| !words.contains(name);
    let name = (0_usize..).map(|n| format!("{VARIABLE}{n}")).find(is_free).unwrap_or_default();
    let tokens = rego_text::tokens(text);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for own in rego_text::split(text, &tokens) {
        if let Some(rule) = Rule::read(text, own) {
            edits.extend(rule.bind(text, &name));
        }
    }
    let mut bound = text.to_owned();
    for (range, insert) in edits.into_iter().rev() {
        bound.replace_range(range, &insert);
    }
    bound
}

/// A rule whose head has an expression, and which has one body.
struct Rule {
    /// The expression in the head.
    head: Range<usize>,
    /// The body, without its braces.
    body: Range<usize>,
    /// Whether there are braces around the body.
    is_block: bool,
}

impl Rule {
    fn read(text: &str, own: &[Token]) -> Option<Self> {
        let word = |t: &Token| if t.kind == TokenKind::Word { &text[t.range.clone()] } else { "" };
        let is_sign = |t: &Token, sign: char| t.kind == TokenKind::Sign(sign);
        if matches!(word(own.first()?), "package" | "import" | "default") {
            return None;
        }
        let is_operand = |t: &Token| match t.kind {
            TokenKind::Sign(sign) => matches!(sign, ')' | ']' | '}'),
            TokenKind::Text(_) => true,
            TokenKind::Word => !matches!(word(t), "contains" | "if" | "in"),
        };
        let starts_body = |i: usize| {
            let t = &own[i];
            t.depth == 0 && (word(t) == "if" || is_sign(t, '{') && is_operand(&own[i - 1]))
        };
        let end = (1..own.len()).find(|i| starts_body(*i))?;
        let head = head(text, own, end)?;
        // A name alone is bound in the body, and a text or number is always there.
        if head.len() < 2 {
            return None;
        }
        let first = end + usize::from(word(&own[end]) == "if");
        let (open, close) = (own.get(first)?, own.last()?);
        let is_block = is_sign(open, '{');
        let ends_block = |i: &usize| own[*i].depth == 0 && is_sign(&own[*i], '}');
        if is_block && (first + 1..own.len()).find(ends_block)? != own.len() - 1 {
            return None;
        }
        let is_chained = (first..own.len()).any(|i| own[i].depth == 0 && word(&own[i]) == "else");
        let range = |tokens: &[Token]| Some(tokens.first()?.range.start..tokens.last()?.range.end);
        let body = if is_block { open.range.end..close.range.start } else { range(&own[first..])? };
        Some(Rule { head: range(head)?, body, is_block }).filter(|_| !is_chained)
    }

    /// The edits that bind its head, in the order of the text.
    fn bind(&self, text: &str, name: &str) -> [(Range<usize>, String); 3] {
        let body = &text[self.body.clone()];
        let last_line = body.rsplit('\n').next().unwrap_or_default();
        // A line break ends an expression as well.
        let separator = if self.is_block && last_line.trim().is_empty() { "" } else { "; " };
        let value = &text[self.head.clone()];
        let (open, close) = if self.is_block { ("", " ") } else { ("{ ", " }") };
        [
            (self.head.clone(), name.to_owned()),
            (self.body.start..self.body.start, open.to_owned()),
            (self.body.end..self.body.end, format!("{separator}{name} := {value}{close}")),
        ]
    }
}

/// The tokens of the expression in a head: behind `contains`, behind `=`, or else in the last brackets.
fn head<'t>(text: &str, own: &'t [Token], end: usize) -> Option<&'t [Token]> {
    let is_word = |i: usize, name: &str| own[i].kind == TokenKind::Word && &text[own[i].range.clone()] == name;
    let is_sign = |i: usize, sign: char| own[i].kind == TokenKind::Sign(sign);
    let at = |find: &dyn Fn(usize) -> bool| (1..end).find(|i| own[*i].depth == 0 && find(*i));
    if let Some(behind) = at(&|i| is_word(i, "contains") || is_sign(i, '=')) {
        return own.get(behind + 1..end);
    }
    let open = (1..end).rev().find(|i| own[*i].depth == 0 && is_sign(*i, '['))?;
    own.get(open + 1..end - 1).filter(|_| is_sign(end - 1, ']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_move_into_the_body() {
        for (text, expected) in [
            (
                "deny contains x.m if { some x in l }",
                "deny contains head_value0 if { some x in l ; head_value0 := x.m }",
            ),
            ("deny contains x.m if some x in l", "deny contains head_value0 if { some x in l; head_value0 := x.m }"),
            (
                "deny contains {\"msg\": f(x)} if {\n\tsome x in l # all\n}",
                "deny contains head_value0 if {\n\tsome x in l # all\nhead_value0 := {\"msg\": f(x)} }",
            ),
            ("deny[f(x)] { x = l[_] }", "deny[head_value0] { x = l[_] ; head_value0 := f(x) }"),
            ("n[k] := x.m if some k, x in l", "n[k] := head_value0 if { some k, x in l; head_value0 := x.m }"),
            ("f(x) = x.m { x.n }\nb := 1", "f(x) = head_value0 { x.n ; head_value0 := x.m }\nb := 1"),
            (
                "deny contains [\n  x.m,\n] if { some x in l }",
                "deny contains head_value0 if { some x in l ; head_value0 := [\n  x.m,\n] }",
            ),
            ("deny contains head_value0.m if c", "deny contains head_value1 if { c; head_value1 := head_value0.m }"),
        ] {
            assert_eq!(bind(text), expected, "{text}");
            assert_eq!(bind(text).lines().count(), text.lines().count());
        }
    }

    #[test]
    fn rules_that_stay_as_they_are() {
        for text in [
            "package a.b\nimport rego.v1\ndefault allow := false",
            "deny contains msg if { msg := \"a\" }",
            "deny[msg] { msg = x.m }",
            "deny contains \"text\" if true",
            "allow if { true }",
            "f(x) { x.m }",
            "n := [x.m | some x in l]",
            "a := x.m if { b } else := 1",
            "deny[x.m] { x = l[_] } { x = k[_] }",
            "",
            "deny contains",
            "deny[",
            "a[b] = {",
            "x = y.z if",
            "if if if",
        ] {
            assert_eq!(bind(text), text);
        }
    }
}
