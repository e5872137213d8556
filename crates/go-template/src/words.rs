//! The part of the parser for the content of actions: pipelines, commands and their words.

use super::ast::{Command, Expr, ExprKind, Pipe};
use super::lex::TokenKind;
use super::parse::{Parser, Result, known};
use super::text::{Number, quote};
use super::val::text_of;
use shared_text::{Text, intern};
use std::ops::Range;

impl Parser<'_> {
    /// A pipeline up to and with the token `end`.
    pub(super) fn pipeline(&mut self, context: &str, end: TokenKind) -> Result<Pipe> {
        let pos = self.peek_non_space().start;
        let mut pipe = Pipe { variables: Vec::new(), assigns: false, commands: Vec::with_capacity(1), pos };
        while self.declaration(&mut pipe, context)? {}
        loop {
            let item = self.next_non_space();
            match item.kind {
                kind if kind == end => break,
                TokenKind::Bool
                | TokenKind::CharConstant
                | TokenKind::Complex
                | TokenKind::Dot
                | TokenKind::Field
                | TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Nil
                | TokenKind::RawString
                | TokenKind::Str
                | TokenKind::Variable
                | TokenKind::LeftParen => {
                    self.backup();
                    pipe.commands.push(self.command()?);
                }
                _ => return self.unexpected(item, context),
            }
        }
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
        }
        // Only the first command may be something that takes no input.
        for (i, command) in pipe.commands.iter().enumerate().skip(1) {
            let first = command.words.first().map(|w| &w.kind);
            if let Some(
                ExprKind::Bool(_) | ExprKind::Dot | ExprKind::Nil | ExprKind::Number { .. } | ExprKind::Str { .. },
            ) = first
            {
                return self.error(format!("non executable command in pipeline stage {}", i + 1));
            }
        }
        Ok(pipe)
    }

    /// One variable before `:=` or `=`, if there is one; whether another may follow.
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Result<bool> {
        let variable = self.peek_non_space();
        if variable.kind != TokenKind::Variable {
            return Ok(false);
        }
        self.next();
        let after = self.peek();
        let next = self.peek_non_space();
        let comma = next.kind == TokenKind::Char && self.source(next) == ",";
        if comma || matches!(next.kind, TokenKind::Assign | TokenKind::Declare) {
            self.next_non_space();
            pipe.variables.push(self.source(variable).to_owned());
            self.vars.push(self.source(variable));
            if !comma {
                pipe.assigns = next.kind == TokenKind::Assign;
                return Ok(false);
            }
            if context == "range" && pipe.variables.len() < 2 {
                return match self.peek_non_space().kind {
                    TokenKind::Variable | TokenKind::RightDelim | TokenKind::RightParen => Ok(true),
                    _ => self.error("range can only initialize variables"),
                };
            }
            return self.error(format!("too many declarations in {context}"));
        }
        if after.kind == TokenKind::Space {
            self.backup3(variable, after);
        } else {
            self.backup2(variable);
        }
        Ok(false)
    }

    fn command(&mut self) -> Result<Command> {
        let pos = self.peek_non_space().start;
        let mut words = Vec::with_capacity(2);
        loop {
            self.peek_non_space();
            if let Some(word) = self.operand()? {
                words.push(word);
            }
            let item = self.next();
            match item.kind {
                TokenKind::Space => continue,
                TokenKind::RightDelim | TokenKind::RightParen => self.backup(),
                TokenKind::Pipe => {}
                _ => return self.unexpected(item, "operand"),
            }
            break;
        }
        if words.is_empty() {
            return self.error("empty command");
        }
        Ok(Command { words, pos })
    }

    fn operand(&mut self) -> Result<Option<Expr>> {
        let Some(term) = self.term()? else { return Ok(None) };
        if self.peek().kind != TokenKind::Field {
            return Ok(Some(term));
        }
        let pos = self.peek().start;
        let mut span = term.span.clone();
        let mut more: Vec<Text> = Vec::new();
        while self.peek().kind == TokenKind::Field {
            let item = self.next();
            more.push(intern(&self.source(item)[1..]));
            span.end = item.end;
        }
        let kind = match term.kind {
            ExprKind::Field(mut names) => {
                names.append(&mut more);
                ExprKind::Field(names)
            }
            ExprKind::Variable { name, mut fields } => {
                fields.append(&mut more);
                ExprKind::Variable { name, fields }
            }
            ExprKind::Function(_) | ExprKind::Pipe(_) | ExprKind::Chain { .. } => {
                ExprKind::Chain { base: Box::new(term), fields: more }
            }
            _ => return self.error(format!("unexpected . after term {}", quote(&term.to_string()))),
        };
        Ok(Some(Expr { kind, span, pos }))
    }

    fn term(&mut self) -> Result<Option<Expr>> {
        let item = self.next_non_space();
        let source = self.source(item);
        let mut span: Range<usize> = item.start..item.end;
        let kind = match item.kind {
            TokenKind::Ident => {
                if !known(self.functions, source) {
                    return self.error(format!("function {} not defined", quote(source)));
                }
                ExprKind::Function(source.into())
            }
            TokenKind::Dot => ExprKind::Dot,
            TokenKind::Nil => ExprKind::Nil,
            TokenKind::Variable => {
                if !self.vars.contains(&source) {
                    return self.error(format!("undefined variable {}", quote(source)));
                }
                ExprKind::Variable { name: source.into(), fields: Vec::new() }
            }
            TokenKind::Field => ExprKind::Field(vec![intern(&source[1..])]),
            TokenKind::Bool => ExprKind::Bool(source == "true"),
            TokenKind::CharConstant | TokenKind::Number | TokenKind::Complex => {
                let number = match item.kind {
                    TokenKind::CharConstant => Number::from_char(source),
                    _ => Number::parse(source),
                };
                match number {
                    Ok(number) => ExprKind::Number { number, text: source.into() },
                    Err(message) => return self.error(message),
                }
            }
            TokenKind::LeftParen => {
                self.enter()?;
                let pipe = self.pipeline("parenthesized pipeline", TokenKind::RightParen)?;
                self.depth -= 1;
                span.end = self.closing_paren();
                let pos = pipe.pos;
                return Ok(Some(Expr { kind: ExprKind::Pipe(Box::new(pipe)), span, pos }));
            }
            TokenKind::Str | TokenKind::RawString => {
                let value = text_of(self.string(item)?);
                ExprKind::Str { value, source: source.into() }
            }
            _ => {
                self.backup();
                return Ok(None);
            }
        };
        Ok(Some(Expr { kind, span, pos: item.start }))
    }

    /// The end of the parenthesis that was just read.
    fn closing_paren(&self) -> usize {
        self.tokens[self.peeked].end
    }
}
