//! Splits the text of a template into its parts: text, `$${…}`, `${…}` and conditional blocks. `expression` reads the
//! text between the braces.

use super::ast::{Block, Format, IfBlock, LanguageVersion, Part, Span, Template};
use super::cursor::Cursor;
use super::error::{ParseError, TOO_DEEP, UNPARSABLE};
use crate::text::Text;

const MISSING_ENDIF: &str = "Missing ${endif} after ${if ...} block.";
const STRAY_ENDIF: &str = "Found ${endif} block without a preceding ${if...} block.";
const STRAY_ELSE: &str = "Found ${else} block without a preceding ${if...} block.";
const SECOND_ELSE: &str = "Encountered multiple ${else} blocks on the same ${if...} block nesting level.";
const OPTIONAL_IF: &str = "Cannot specify optional suffix in if-block.";

/// Parses a text; `None` if it is not a template: text without `${`.
///
/// # Errors
/// What is wrong, and where.
pub(crate) fn parse(raw: &Text, path: &Text, era: LanguageVersion) -> Result<Option<Template>, ParseError> {
    parse_nested(raw, path, era, 0)
}

/// The same within so many other expressions.
pub(super) fn parse_nested(
    raw: &Text,
    path: &Text,
    era: LanguageVersion,
    depth: usize,
) -> Result<Option<Template>, ParseError> {
    if !raw.contains("${") {
        return Ok(None);
    }
    let mut cursor = Cursor::new(raw, path, era, depth);
    let elements = elements(&mut cursor)?;
    let block = tree(&cursor, elements)?;
    Ok(Some(Template { raw: Text::clone(raw), path: Text::clone(path), block }))
}

/// A part before conditional blocks are put together.
enum Element {
    Part(Part),
    If(Format),
    Else(Span),
    EndIf(Span),
}

fn elements(cursor: &mut Cursor<'_>) -> Result<Vec<Element>, ParseError> {
    let mut out = Vec::new();
    while !cursor.is_at_end() {
        let start = cursor.position();
        let mut found = false;
        while let Some(element) = format(cursor)? {
            out.push(element);
            found = true;
        }
        if found || cursor.is_at_end() {
            continue;
        }
        if !cursor.is_at_start() {
            cursor.skip_text();
        }
        let prefix = cursor.position();
        if prefix > start && !cursor.is_at_end() {
            let before = cursor.text_from(start);
            if let Some(element) = format(cursor)? {
                out.push(Element::Part(Part::Text(before)));
                out.push(element);
                continue;
            }
        }
        if cursor.starts_with("${") {
            return Err(cursor.error(UNPARSABLE, prefix..cursor.end()));
        }
        // An escape without its brace, or text until the end, is text.
        cursor.go_to_end();
        out.push(Element::Part(Part::Text(cursor.text_from(start))));
    }
    Ok(out)
}

/// Reads one `$${…}`, `${else}`, `${endif}` or `${…}`; `None` if there is none, and then nothing is consumed.
fn format(cursor: &mut Cursor<'_>) -> Result<Option<Element>, ParseError> {
    let start = cursor.position();
    if cursor.eat("$${") {
        return Ok(if cursor.skip_behind('}') {
            Some(Element::Part(Part::Escaped(cursor.text_from(start))))
        } else {
            cursor.back_to(start);
            None
        });
    }
    if !cursor.eat("${") {
        return Ok(None);
    }
    cursor.skip_blanks();
    let inside = cursor.position();
    for word in ["else", "endif"] {
        if cursor.eat(word) {
            cursor.skip_blanks();
            if cursor.eat("}") {
                let span = cursor.span_from(start);
                return Ok(Some(if word == "else" { Element::Else(span) } else { Element::EndIf(span) }));
            }
            cursor.back_to(inside);
        }
    }
    let mut conditional = false;
    while cursor.eat("if") {
        conditional = true;
        cursor.skip_blanks();
    }
    let expr = cursor.expression()?;
    let closed = expr.is_some() && {
        cursor.skip_blanks();
        cursor.eat("}")
    };
    let Some(expr) = expr.filter(|_| closed) else {
        cursor.back_to(start);
        return Ok(None);
    };
    let optional = cursor.era() == LanguageVersion::Bonsai && cursor.eat("?");
    let span = cursor.span_from(start);
    if conditional && optional {
        return Err(cursor.error(OPTIONAL_IF, span));
    }
    let format = Format { expr, span, optional };
    Ok(Some(if conditional { Element::If(format) } else { Element::Part(Part::Format(format)) }))
}

/// A conditional block that is not closed yet.
struct Open {
    condition: Format,
    then: Vec<Part>,
    otherwise: Option<Vec<Part>>,
}

impl Open {
    fn parts(&mut self) -> &mut Vec<Part> {
        self.otherwise.as_mut().unwrap_or(&mut self.then)
    }
}

/// Builds conditional blocks. A lone `${if …}`, with nothing around it, evaluates to its condition.
fn tree(cursor: &Cursor<'_>, elements: Vec<Element>) -> Result<Block, ParseError> {
    let mut root: Vec<Part> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for element in elements {
        match element {
            Element::If(condition) => {
                if cursor.is_too_deep(open.len()) {
                    return Err(cursor.error(TOO_DEEP, condition.span));
                }
                open.push(Open { condition, then: Vec::new(), otherwise: None });
            }
            Element::Part(part) => match open.last_mut() {
                Some(block) => block.parts().push(part),
                None => root.push(part),
            },
            Element::Else(span) => match open.last_mut() {
                None => return Err(cursor.error(STRAY_ELSE, span)),
                Some(Open { otherwise: Some(_), .. }) => return Err(cursor.error(SECOND_ELSE, span)),
                Some(block) => block.otherwise = Some(Vec::new()),
            },
            Element::EndIf(span) => {
                let Some(closed) = open.pop() else { return Err(cursor.error(STRAY_ENDIF, span)) };
                let whole = closed.condition.span.start..span.end;
                let branches =
                    Some((Block { parts: closed.then }, Block { parts: closed.otherwise.unwrap_or_default() }));
                let part = Part::If(Box::new(IfBlock { condition: closed.condition, branches, span: whole }));
                open.last_mut().map_or(&mut root, Open::parts).push(part);
            }
        }
    }
    match open.pop() {
        None => {}
        Some(lone) if root.is_empty() && open.is_empty() && lone.then.is_empty() => {
            let span = lone.condition.span.clone();
            root.push(Part::If(Box::new(IfBlock { condition: lone.condition, branches: None, span })));
        }
        Some(unclosed) => return Err(cursor.error(MISSING_ENDIF, unclosed.condition.span)),
    }
    Ok(Block { parts: root })
}
