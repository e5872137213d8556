//! Semantic tokens of templates in YAML.

use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::syntax::Language;
use crate::syntax::template::{Notation, Token, TokenKind, tokens};
use crate::yaml::{Document, NodeKind};
use ls_types::{SemanticToken, SemanticTokenType, SemanticTokens};
use std::ops::Range;

/// The maximum number of tokens of an answer.
const MOST: usize = 20_000;

pub(super) const LEGEND: [SemanticTokenType; 9] = [
    SemanticTokenType::OPERATOR,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
];

/// Returns the index of a kind in [`LEGEND`].
fn index(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Delimiter | TokenKind::Operator => 0,
        TokenKind::Keyword => 1,
        TokenKind::Variable => 2,
        TokenKind::Property => 3,
        TokenKind::Function => 4,
        TokenKind::Namespace => 5,
        TokenKind::Text => 6,
        TokenKind::Number => 7,
        TokenKind::Comment => 8,
    }
}

/// Returns the tokens of the templates in a range of a file.
pub(super) fn semantic_tokens(place: &Cursor<'_>, range: Range<usize>) -> SemanticTokens {
    let mut found: Vec<Token> = Vec::new();
    if Language::of(place.path) == Language::Yaml && place.view.is_read(place.path) {
        let documents = place.documents();
        for notation in place.view.authoring(place.path).into_iter().flat_map(|authoring| authoring.templates()) {
            found.extend(of_notation(place.text, &documents, notation, &range));
        }
    }
    found.sort_by_key(|token| (token.start, token.end));
    let mut end = 0;
    found.retain(|token| {
        let is_next = token.start >= end;
        end = if is_next { token.end } else { end };
        is_next
    });
    SemanticTokens { result_id: None, data: encoded(place, &found) }
}

/// Returns the tokens of one syntax: in the scalars of documents, or in the whole text if it is not valid YAML.
fn of_notation(text: &str, documents: &[Document], notation: &Notation, range: &Range<usize>) -> Vec<Token> {
    let is_in_range = |token: &Token| token.start < range.end && range.start < token.end;
    if !text.contains(notation.open) {
        return Vec::new();
    }
    if documents.is_empty() {
        return tokens(text, notation).into_iter().filter(is_in_range).take(MOST).collect();
    }
    let nodes = documents.iter().flat_map(|document| document.nodes());
    let scalars = nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Scalar { .. })).map(|(_, node)| node);
    let mut found = Vec::new();
    for span in scalars
        .map(|node| node.span)
        .filter(|span| (span.start as usize) < range.end && range.start < span.end as usize)
    {
        if found.len() >= MOST {
            break;
        }
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(scalar) = text.get(start..end) else { continue };
        let moved = tokens(scalar, notation).into_iter();
        let moved = moved.map(|token| Token { start: start + token.start, end: start + token.end, ..token });
        found.extend(moved.filter(is_in_range));
    }
    found
}

/// Encodes tokens relative to the preceding token, as the protocol requires. A token of several lines is split.
fn encoded(place: &Cursor<'_>, found: &[Token]) -> Vec<SemanticToken> {
    let lines = Lines::new(place.text, place.view.encoding);
    let (mut data, mut line, mut column) = (Vec::new(), 0, 0);
    for token in found {
        let text = &place.text[token.start..token.end];
        let mut start = token.start;
        for part in text.split_inclusive('\n') {
            let end = start + part.trim_end_matches(['\n', '\r']).len();
            let (from, to) = (lines.position(start as u32), lines.position(end as u32));
            start += part.len();
            if data.len() >= MOST || to.character <= from.character {
                continue;
            }
            data.push(SemanticToken {
                delta_line: from.line - line,
                delta_start: if from.line == line { from.character - column } else { from.character },
                length: to.character - from.character,
                token_type: index(token.kind),
                token_modifiers_bitset: 0,
            });
            (line, column) = (from.line, from.character);
        }
    }
    data
}
