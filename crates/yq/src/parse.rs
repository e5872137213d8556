//! From tokens to an expression tree: implied operators are put in, then operators are ordered by how they bind.

use super::QueryError;
use super::lex::{Token, lex};
use super::op::{Expr, Op};
use std::rc::Rc;

/// More tokens than anybody writes; bounds the depth of the tree as well.
const MAX_TOKENS: usize = 600;
/// A tree deeper than this is not evaluated.
const MAX_DEPTH: usize = 120;

/// Parses an expression; an empty one is nothing.
pub(super) fn parse(expression: &str) -> Result<Option<Rc<Expr>>, QueryError> {
    let tokens = lex(expression)?;
    if tokens.len() > MAX_TOKENS {
        return Err(QueryError::Unsupported("an expression of this length".to_owned()));
    }
    tree(postfix(implied(tokens))?)
}

/// Puts in what is implied: pipes between a value and a path, the first number of `[:2]`, the content of `[]`.
fn implied(tokens: Vec<Token>) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len() + 8);
    let mut skip = false;
    for (i, token) in tokens.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let next = tokens.get(i + 1);
        let mut token = token.clone();
        if matches!(token, Token::OpenPath) {
            out.push(Token::Op(Op::Itself));
            out.push(Token::Op(Op::Indices { optional: false }));
            token = Token::OpenList;
        }
        let is_colon = matches!(token, Token::Op(Op::CreateMap));
        if is_colon && i > 0 && matches!(tokens[i - 1], Token::OpenPath) {
            out.push(Token::Op(Op::Scalar { tag: "!!int", text: "0".into() }));
        }
        let takes_path = match &token {
            Token::Op(op) => op.takes_path(),
            Token::Close | Token::CloseList { .. } | Token::CloseMap => true,
            _ => false,
        };
        if let (Token::Op(op), Some(Token::Op(Op::Assign { update, .. }))) = (&token, next)
            && let Some(setter) = op.setter(*update)
        {
            token = Token::Op(setter);
            skip = true;
        }
        let opens_list = matches!(token, Token::OpenList);
        let opens_map = matches!(token, Token::OpenMap);
        out.push(token);
        let closes = matches!(next, Some(Token::CloseList { .. }));
        if is_colon && closes {
            out.push(Token::Op(Op::Length));
        }
        if (opens_list && closes) || (opens_map && matches!(next, Some(Token::CloseMap))) {
            out.push(Token::Op(Op::Empty));
        }
        if takes_path {
            match next {
                Some(Token::Op(Op::Step(..)) | Token::OpenPath) => out.push(Token::Op(Op::ShortPipe)),
                Some(Token::OpenList) => out.push(Token::Op(Op::Indices { optional: false })),
                _ => {}
            }
        }
    }
    out
}

fn bad<T>(message: &str) -> Result<T, QueryError> {
    Err(QueryError::Bad(message.to_owned()))
}

/// Orders the operators so that each follows its operands.
fn postfix(tokens: Vec<Token>) -> Result<Vec<Op>, QueryError> {
    let mut out = Vec::new();
    let mut stack = vec![Token::Open];
    for token in tokens.into_iter().chain([Token::Close]) {
        match token {
            Token::Open | Token::OpenList | Token::OpenMap => stack.push(token),
            Token::CloseList { optional } => {
                unwind(&mut stack, &mut out, |t| matches!(t, Token::OpenList))?;
                out.push(Op::Collect);
                if let Some(Token::Op(Op::Indices { .. })) = stack.last() {
                    stack.pop();
                    out.push(Op::Indices { optional });
                }
            }
            Token::CloseMap => {
                unwind(&mut stack, &mut out, |t| matches!(t, Token::OpenMap))?;
                out.push(Op::CollectObject);
                out.push(Op::ShortPipe);
                if let Some(Token::Op(Op::Indices { .. })) = stack.last() {
                    stack.pop();
                    out.push(Op::Indices { optional: false });
                }
            }
            Token::Close => unwind(&mut stack, &mut out, |t| matches!(t, Token::Open))?,
            Token::OpenPath => return bad("bad expression, please check expression syntax"),
            Token::Op(op) => {
                while let Some(Token::Op(top)) = stack.last()
                    && top.precedence() > op.precedence()
                {
                    if let Some(Token::Op(top)) = stack.pop() {
                        out.push(top);
                    }
                }
                stack.push(Token::Op(op));
            }
        }
    }
    match stack.last() {
        None => Ok(out),
        Some(_) => bad("bad expression - probably missing close bracket on ("),
    }
}

fn unwind(stack: &mut Vec<Token>, out: &mut Vec<Op>, opener: fn(&Token) -> bool) -> Result<(), QueryError> {
    loop {
        match stack.pop() {
            Some(token) if opener(&token) => return Ok(()),
            Some(Token::Op(op)) => out.push(op),
            Some(Token::OpenList) => return bad("bad expression, could not find matching `]`"),
            Some(Token::OpenMap) => return bad("bad expression, could not find matching `}`"),
            Some(_) => return bad("bad expression, could not find matching `)`"),
            None => return bad("bad expression, got close brackets without matching opening bracket"),
        }
    }
}

/// Builds the tree; `depths` runs along the stack.
fn tree(ops: Vec<Op>) -> Result<Option<Rc<Expr>>, QueryError> {
    let mut stack: Vec<(Rc<Expr>, usize)> = Vec::new();
    if ops.is_empty() {
        return Ok(None);
    }
    for op in ops {
        let operands = op.operands();
        let (lhs, rhs) = match operands {
            0 => (None, None),
            // `first` alone takes the first entry.
            1 if stack.is_empty() && matches!(op, Op::First) => (None, None),
            1 => match stack.pop() {
                Some(rhs) => (None, Some(rhs)),
                None => return bad(&format!("'{}' expects 1 arg but received none", super::name(&op))),
            },
            _ => {
                let count = stack.len();
                match (stack.pop(), stack.pop()) {
                    (Some(rhs), Some(lhs)) => (Some(lhs), Some(rhs)),
                    _ => return bad(&format!("'{}' expects 2 args but there is {count}", super::name(&op))),
                }
            }
        };
        let below = |e: &Option<(Rc<Expr>, usize)>| e.as_ref().map_or(0, |e| e.1);
        let depth = below(&lhs).max(below(&rhs)) + 1;
        if depth > MAX_DEPTH {
            return Err(QueryError::Unsupported("an expression of this depth".to_owned()));
        }
        let node = Expr { op, lhs: lhs.map(|e| e.0), rhs: rhs.map(|e| e.0) };
        stack.push((Rc::new(node), depth));
    }
    match (stack.pop(), stack.is_empty()) {
        (Some((expr, _)), true) => Ok(Some(expr)),
        _ => bad("bad expression, please check expression syntax"),
    }
}
