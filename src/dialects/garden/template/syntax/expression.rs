//! The expression between the braces of a template, loosest operator first. If an alternative does not match, nothing
//! is consumed and there is no expression; the whole template is then rejected.

use super::ast::{Expr, ExprKind, Key, KeyPath, Operator};
use super::cursor::{Cursor, begins_identifier, continues_identifier};
use super::error::ParseError;
use super::parse::parse_nested;
use crate::text::Text;

/// An expression, or none.
type Parsed<T> = Result<Option<T>, ParseError>;

type Level = &'static [(&'static str, Operator)];

const EQUALITY: Level = &[("==", Operator::Equal), ("!=", Operator::NotEqual)];
const RELATIONS: Level =
    &[("<=", Operator::LessEqual), (">=", Operator::GreaterEqual), ("<", Operator::Less), (">", Operator::Greater)];
const SUMS: Level = &[("+", Operator::Add), ("-", Operator::Subtract)];
const PRODUCTS: Level = &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Modulo)];

/// A level of binary operators.
#[derive(Clone, Copy)]
enum Binary {
    Equality,
    Relation,
    Sum,
    Product,
}

impl Cursor<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.position();
        let Some(test) = self.or()? else { return Ok(None) };
        let after = self.position();
        if self.eat_after_blanks("?") {
            self.skip_blanks();
            if let Some(then) = self.expression()?
                && self.eat_after_blanks(":")
            {
                self.skip_blanks();
                if let Some(otherwise) = self.expression()? {
                    let kind = ExprKind::Ternary(Box::new([test, then, otherwise]));
                    return Ok(Some(Expr { kind, span: self.span_from(start) }));
                }
            }
        }
        self.back_to(after);
        Ok(Some(test))
    }

    fn or(&mut self) -> Parsed<Expr> {
        self.logical("||", Self::and, ExprKind::Or)
    }

    fn and(&mut self) -> Parsed<Expr> {
        self.logical("&&", |cursor| cursor.binary(Binary::Equality), ExprKind::And)
    }

    fn logical(
        &mut self,
        sign: &str,
        operand: fn(&mut Self) -> Parsed<Expr>,
        make: fn(Vec<Expr>) -> ExprKind,
    ) -> Parsed<Expr> {
        let start = self.position();
        let Some(first) = operand(self)? else { return Ok(None) };
        let mut all = vec![first];
        loop {
            let after = self.position();
            if self.eat_after_blanks(sign) {
                self.skip_blanks();
                if let Some(next) = operand(self)? {
                    all.push(next);
                    continue;
                }
            }
            self.back_to(after);
            break;
        }
        Ok(match all.len() {
            1 => all.pop(),
            _ => Some(Expr { kind: make(all), span: self.span_from(start) }),
        })
    }

    fn binary(&mut self, level: Binary) -> Parsed<Expr> {
        let start = self.position();
        let Some(first) = self.operand(level)? else { return Ok(None) };
        let mut rest = Vec::new();
        loop {
            let after = self.position();
            if let Some(operator) = self.operator(level)
                && let Some(next) = self.operand(level)?
            {
                rest.push((operator, next));
                continue;
            }
            self.back_to(after);
            break;
        }
        Ok(Some(match rest.is_empty() {
            true => first,
            false => Expr { kind: ExprKind::Chain(Box::new(first), rest), span: self.span_from(start) },
        }))
    }

    fn operand(&mut self, level: Binary) -> Parsed<Expr> {
        match level {
            Binary::Equality => self.binary(Binary::Relation),
            Binary::Relation => self.binary(Binary::Sum),
            Binary::Sum => self.binary(Binary::Product),
            Binary::Product => self.contains(),
        }
    }

    /// An operator of a level with the blanks around it. Sums need blanks, since identifiers may have dashes.
    fn operator(&mut self, level: Binary) -> Option<Operator> {
        let (signs, needs_blanks) = match level {
            Binary::Equality => (EQUALITY, false),
            Binary::Relation => (RELATIONS, false),
            Binary::Sum => (SUMS, true),
            Binary::Product => (PRODUCTS, false),
        };
        if !self.skip_blanks() && needs_blanks {
            return None;
        }
        let (sign, operator) = *signs.iter().find(|(sign, _)| self.eat(sign))?;
        let refused: &[char] = match operator {
            Operator::Add => &['+', '='],
            Operator::Subtract => &['-', '='],
            Operator::Multiply | Operator::Divide | Operator::Modulo => &['='],
            _ => &[],
        };
        let doubled = matches!(sign, "<" | ">") && self.starts_with(sign);
        if doubled || self.peek().is_some_and(|c| refused.contains(&c)) {
            return None;
        }
        (self.skip_blanks() || !needs_blanks).then_some(operator)
    }

    fn contains(&mut self) -> Parsed<Expr> {
        let start = self.position();
        let Some(left) = self.unary()? else { return Ok(None) };
        let after = self.position();
        if self.eat_after_blanks("contains") {
            self.skip_blanks();
            if let Some(right) = self.unary()? {
                let kind = ExprKind::Contains(Box::new(left), Box::new(right));
                return Ok(Some(Expr { kind, span: self.span_from(start) }));
            }
        }
        self.back_to(after);
        Ok(Some(left))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.position();
        if let Some(primary) = self.primary()? {
            return Ok(Some(primary));
        }
        self.back_to(start);
        let make: fn(Box<Expr>) -> ExprKind = if self.eat_keyword("typeof") {
            ExprKind::TypeOf
        } else if self.eat("!") {
            ExprKind::Not
        } else {
            return Ok(None);
        };
        self.skip_blanks();
        let Some(inner) = self.deeper(Self::unary)? else { return Ok(None) };
        Ok(Some(Expr { kind: make(Box::new(inner)), span: self.span_from(start) }))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.position();
        if let Some(kind) = self.literal()? {
            return Ok(Some(Expr { kind, span: self.span_from(start) }));
        }
        self.back_to(start);
        if self.eat("(") {
            self.skip_blanks();
            let inner = self.expression()?;
            return Ok(inner.filter(|_| self.eat_after_blanks(")")));
        }
        if self.starts_with("[") {
            let items = self.list()?;
            return Ok(items.map(|items| Expr { kind: ExprKind::List(items), span: self.span_from(start) }));
        }
        let Some(Key::Name(name)) = self.identifier() else { return Ok(None) };
        let after = self.position();
        if self.eat_after_blanks("(")
            && let Some(arguments) = self.arguments()?
        {
            let kind = ExprKind::Call { name, arguments };
            return Ok(Some(Expr { kind, span: self.span_from(start) }));
        }
        self.back_to(after);
        let keys = self.keys(name)?;
        Ok(Some(Expr { kind: ExprKind::Lookup(KeyPath::new(keys)), span: self.span_from(start) }))
    }

    fn literal(&mut self) -> Parsed<ExprKind> {
        for (word, kind) in [("null", ExprKind::Null), ("true", ExprKind::Bool(true)), ("false", ExprKind::Bool(false))]
        {
            if self.eat_keyword(word) {
                return Ok(Some(kind));
            }
        }
        if let Some(number) = self.number() {
            return Ok(Some(ExprKind::Number(number)));
        }
        let Some(text) = self.string() else { return Ok(None) };
        let text = Text::from(text);
        let nested = parse_nested(&text, self.path(), self.era(), self.depth())?;
        Ok(Some(nested.map_or(ExprKind::Text(text), |template| ExprKind::Nested(template.into()))))
    }

    /// The arguments of a call, behind its parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.skip_blanks();
        if self.eat(")") {
            return Ok(Some(Vec::new()));
        }
        let mut all = Vec::new();
        loop {
            let Some(next) = self.expression()? else { return Ok(None) };
            all.push(next);
            if self.eat_after_blanks(")") {
                return Ok(Some(all));
            }
            if !self.eat_after_blanks(",") {
                return Ok(None);
            }
            self.skip_blanks();
        }
    }

    fn list(&mut self) -> Parsed<Vec<Expr>> {
        self.eat("[");
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            if self.eat("]") {
                return Ok(Some(all));
            }
            let Some(next) = self.expression()? else { return Ok(None) };
            all.push(next);
            if !self.eat_after_blanks(",") {
                return Ok(self.eat_after_blanks("]").then_some(all));
            }
        }
    }

    /// The rest of a key path: `.b`, `[c]`.
    fn keys(&mut self, first: Text) -> Result<Vec<Key>, ParseError> {
        let mut keys = vec![Key::Name(first)];
        loop {
            let after = self.position();
            if self.eat(".") {
                if let Some(key) = self.identifier() {
                    keys.push(key);
                    continue;
                }
            } else if self.eat("[") {
                self.skip_blanks();
                if let Some(inner) = self.expression()?
                    && self.eat_after_blanks("]")
                {
                    keys.push(Key::Computed(inner));
                    continue;
                }
            }
            self.back_to(after);
            return Ok(keys);
        }
    }

    /// An identifier that is not a reserved word, or an integer.
    fn identifier(&mut self) -> Option<Key> {
        let start = self.position();
        for word in ["typeof", "null", "true", "false"] {
            if self.eat_keyword(word) {
                self.back_to(start);
                return None;
            }
        }
        if self.eat_if(begins_identifier).is_some() {
            while self.eat_if(continues_identifier).is_some() {}
            return Some(Key::Name(self.text_from(start)));
        }
        while self.eat_if(|c| c.is_ascii_digit()).is_some() {}
        self.text_from(start).parse().ok().map(Key::Index)
    }

    /// A sign behind blanks; nothing is read if it is not there.
    fn eat_after_blanks(&mut self, sign: &str) -> bool {
        let before = self.position();
        self.skip_blanks();
        let there = self.eat(sign);
        if !there {
            self.back_to(before);
        }
        there
    }
}
