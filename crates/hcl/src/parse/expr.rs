//! Expressions.

use super::{Parser, Read};
use crate::ast::{BinaryOp, Call, Expr, ExprKind, For, Key, Name, Part, Span, TraversalStep, UnaryOp};
use crate::val::number::Number;

/// Operators by how tightly they bind, the loosest first. Longer ones come before those that they begin with.
const OPERATORS: [&[(&str, BinaryOp)]; 6] = [
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("==", BinaryOp::Equal), ("!=", BinaryOp::NotEqual)],
    &[("<=", BinaryOp::LessOrEqual), (">=", BinaryOp::GreaterOrEqual), ("<", BinaryOp::Less), (">", BinaryOp::Greater)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[("*", BinaryOp::Multiply), ("/", BinaryOp::Divide), ("%", BinaryOp::Modulo)],
];

impl Parser<'_> {
    /// An expression, with blanks in front of it.
    pub(super) fn expression(&mut self) -> Read<Expr> {
        self.nested(|p| {
            let condition = p.operation(0)?;
            p.blank();
            if !p.take("?") {
                return Ok(condition);
            }
            let yes = p.expression()?;
            let detail = "The conditional operator (...?...:...) requires a false expression, delimited by a colon.";
            p.expect(":", "Missing false expression in conditional", detail)?;
            let no = p.expression()?;
            let span = condition.span.to(no.span);
            Ok(Expr { span, kind: ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)) })
        })
    }

    fn operation(&mut self, level: usize) -> Read<Expr> {
        let mut left = self.term()?;
        while let Some((found, op)) = self.operator(level) {
            let right = self.operation(found + 1)?;
            self.grow()?;
            let span = left.span.to(right.span);
            left = Expr { span, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    /// Consumes an operator with at least that precedence.
    fn operator(&mut self, least: usize) -> Option<(usize, BinaryOp)> {
        self.blank();
        if !matches!(self.peek(), b'|' | b'&' | b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%') {
            return None;
        }
        for (level, operators) in OPERATORS.iter().enumerate().skip(least) {
            for (text, op) in *operators {
                if self.at(text) && !(*text == "/" && (self.at("//") || self.at("/*"))) {
                    self.pos += text.len();
                    return Some((level, *op));
                }
            }
        }
        None
    }

    fn term(&mut self) -> Read<Expr> {
        self.blank();
        let start = self.pos;
        let unary = |p: &mut Self, op| {
            p.pos += 1;
            let inner = p.nested(Self::term)?;
            let span = Span::new(start, inner.span.end as usize);
            Ok(Expr { span, kind: ExprKind::Unary(op, Box::new(inner)) })
        };
        match self.peek() {
            b'-' => return unary(self, UnaryOp::Negate),
            b'!' if !self.at("!=") => return unary(self, UnaryOp::Not),
            _ => {}
        }
        let base = self.primary()?;
        self.steps(base)
    }

    fn primary(&mut self) -> Read<Expr> {
        let start = self.pos;
        match self.peek() {
            b'(' => {
                self.pos += 1;
                let inner = self.with_lines(true, |p| {
                    let inner = p.expression()?;
                    let detail = "Expected a closing parenthesis to terminate the expression.";
                    p.expect(")", "Unbalanced parentheses", detail)?;
                    Ok(inner)
                })?;
                Ok(Expr { span: Span::new(start, self.pos), kind: ExprKind::Paren(Box::new(inner)) })
            }
            b'[' => self.tuple(),
            b'{' => self.object(),
            b'"' => self.quoted(),
            b'<' if self.at("<<") => self.heredoc(),
            b'0'..=b'9' => {
                let text = self.digits(false).to_owned();
                let number = self.number(&text, start)?;
                Ok(Expr { span: Span::new(start, self.pos), kind: ExprKind::Number(number) })
            }
            _ => match self.name() {
                Some(name) => self.named(name),
                None => {
                    let span = self.next_span();
                    Err(self.error(
                        "Invalid expression",
                        "Expected the start of an expression, but found an invalid expression token.",
                        span,
                    ))
                }
            },
        }
    }

    /// The value of a number that was just taken.
    fn number(&mut self, text: &str, start: usize) -> Read<Number> {
        let span = Span::new(start, self.pos);
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent = exponent.parse::<i64>().map_or(usize::MAX, |e| e.unsigned_abs() as usize);
        let work = digits.len().saturating_add(exponent.min(Number::MAX_EXPONENT));
        match self.digits_left.checked_sub(work) {
            Some(left) => self.digits_left = left,
            None => {
                let detail = format!("The numbers of a file can have {} digits.", super::MAX_DIGITS);
                return Err(self.error("Too many digits", detail, span));
            }
        }
        let detail = "Failed to recognize the value of this number literal.";
        Number::parse(text).ok_or_else(|| self.error("Invalid number literal", detail, span))
    }

    /// A name: a keyword, a call or a reference.
    fn named(&mut self, mut name: Name) -> Read<Expr> {
        let span = name.span;
        // The name with its namespaces, if it has any.
        let mut whole: Option<String> = None;
        loop {
            let before = self.pos;
            self.blank();
            if self.take("::") {
                self.blank();
                let Some(part) = self.name() else {
                    let span = self.next_span();
                    return Err(self.error(
                        "Missing function name",
                        "Expected a function name after the namespace.",
                        span,
                    ));
                };
                let whole = whole.get_or_insert_with(|| name.text.to_string());
                whole.push_str("::");
                whole.push_str(&part.text);
                name.span = span.to(part.span);
                continue;
            }
            if self.peek() == b'(' {
                if let Some(whole) = whole {
                    name.text = whole.into();
                }
                return self.call(name);
            }
            self.pos = before;
            break;
        }
        if whole.is_some() {
            let span = self.next_span();
            return Err(self.error(
                "Missing open parenthesis",
                "Function selector must be followed by an open parenthesis to begin the function call.",
                span,
            ));
        }
        let kind = match &*name.text {
            "null" => ExprKind::Null,
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            _ => ExprKind::Traversal(name, Vec::new()),
        };
        Ok(Expr { span, kind })
    }

    fn call(&mut self, name: Name) -> Read<Expr> {
        self.pos += 1;
        let (mut arguments, mut expands) = (Vec::new(), false);
        self.with_lines(true, |p| {
            loop {
                p.blank();
                if p.take(")") {
                    return Ok(());
                }
                arguments.push(p.expression()?);
                p.blank();
                if p.take("...") {
                    expands = true;
                    p.blank();
                    p.take(",");
                    let detail = "An expanded function argument (with ...) must be immediately followed by closing parentheses.";
                    return p.expect(")", "Missing closing parenthesis", detail);
                }
                if p.take(")") {
                    return Ok(());
                }
                if p.at_end() {
                    let detail = "There is no closing parenthesis for this function call before the end of the file. This \
                                  may be caused by incorrect parenthesis nesting elsewhere in this file.";
                    return Err(p.error("Unterminated function call", detail, name.span));
                }
                p.expect(",", "Missing argument separator", "A comma is required to separate each function argument from the next.")?;
            }
        })?;
        let span = Span::new(name.span.start as usize, self.pos);
        Ok(Expr { span, kind: ExprKind::Call(Call { name, arguments, expands }) })
    }

    /// Attributes, indexes and splats behind an expression.
    pub(super) fn steps(&mut self, mut base: Expr) -> Read<Expr> {
        loop {
            let before = self.pos;
            self.blank();
            let start = self.pos;
            match self.peek() {
                b'.' if !self.at("...") => {
                    self.pos += 1;
                    self.blank();
                    if self.take("*") {
                        self.grow()?;
                        base = self.attribute_splat(base)?;
                    } else if self.peek().is_ascii_digit() {
                        base = self.old_index(base, start)?;
                    } else if let Some(name) = self.name() {
                        let name = Name { span: Span::new(start, name.span.end as usize), text: name.text };
                        base = step(base, TraversalStep::Attribute(name));
                    } else {
                        let span = self.next_span();
                        return Err(self.error(
                            "Invalid attribute name",
                            "An attribute name is required after a dot.",
                            span,
                        ));
                    }
                }
                b'[' => base = self.with_lines(true, |p| p.index(base, start))?,
                _ => {
                    self.pos = before;
                    return Ok(base);
                }
            }
        }
    }

    fn old_index(&mut self, base: Expr, start: usize) -> Read<Expr> {
        let text = self.digits(true).to_owned();
        let number = self.number(&text, start)?;
        Ok(step(base, TraversalStep::Index(Key::Number(number), Span::new(start, self.pos))))
    }

    /// `.*`: only attributes belong to the elements.
    fn attribute_splat(&mut self, base: Expr) -> Read<Expr> {
        let mut each = Expr { span: base.span, kind: ExprKind::Element };
        loop {
            let before = self.pos;
            self.blank();
            let start = self.pos;
            if self.peek() == b'.' && !self.at("...") {
                self.pos += 1;
                if let Some(name) = self.name() {
                    let name = Name { span: Span::new(start, name.span.end as usize), text: name.text };
                    each = step(each, TraversalStep::Attribute(name));
                    continue;
                }
                if self.peek().is_ascii_digit() {
                    each = self.old_index(each, start)?;
                    continue;
                }
            }
            self.pos = before;
            break;
        }
        let span = Span::new(base.span.start as usize, self.pos);
        Ok(Expr { span, kind: ExprKind::Splat(Box::new(base), Box::new(each)) })
    }

    fn index(&mut self, base: Expr, start: usize) -> Read<Expr> {
        self.pos += 1;
        self.blank();
        if self.peek() == b'*' {
            self.pos += 1;
            self.grow()?;
            self.expect(
                "]",
                "Missing close bracket on splat index",
                "The star for a full splat operator must be immediately followed by a closing bracket (\"]\").",
            )?;
            let element = Expr { span: base.span, kind: ExprKind::Element };
            let free = false;
            let each = self.nested(|p| p.with_lines(free, |p| p.steps(element)))?;
            let span = Span::new(base.span.start as usize, self.pos);
            return Ok(Expr { span, kind: ExprKind::Splat(Box::new(base), Box::new(each)) });
        }
        let key = self.expression()?;
        self.expect(
            "]",
            "Missing close bracket on index",
            "The index operator must end with a closing bracket (\"]\").",
        )?;
        let span = Span::new(start, self.pos);
        let literal = match &key.kind {
            ExprKind::Number(number) => Some(Key::Number(number.clone())),
            ExprKind::Template(parts) => match parts.as_slice() {
                [] => Some(Key::Text("".into())),
                [Part::Text(text)] => Some(Key::Text(text.clone())),
                _ => None,
            },
            _ => None,
        };
        Ok(match literal {
            Some(key) => step(base, TraversalStep::Index(key, span)),
            None => {
                self.grow()?;
                let span = Span::new(base.span.start as usize, self.pos);
                Expr { span, kind: ExprKind::Index(Box::new(base), Box::new(key)) }
            }
        })
    }

    fn tuple(&mut self) -> Read<Expr> {
        let start = self.pos;
        self.pos += 1;
        self.with_lines(true, |p| {
            p.blank();
            if p.keyword("for") {
                return p.for_expr(start, "]");
            }
            let mut items = Vec::new();
            loop {
                p.blank();
                if p.take("]") {
                    break;
                }
                if p.at_end() {
                    return Err(p.unterminated("Unterminated tuple constructor expression", "bracket", start));
                }
                items.push(p.expression()?);
                p.blank();
                if p.take("]") {
                    break;
                }
                if p.at_end() {
                    return Err(p.unterminated("Unterminated tuple constructor expression", "bracket", start));
                }
                p.expect(",", "Missing item separator", "Expected a comma to mark the beginning of the next item.")?;
            }
            Ok(Expr { span: Span::new(start, p.pos), kind: ExprKind::Tuple(items) })
        })
    }

    fn unterminated(&mut self, summary: &'static str, what: &str, start: usize) -> super::Broken {
        let detail = format!(
            "There is no corresponding closing {what} before the end of the file. This may be caused by incorrect {what} \
             nesting elsewhere in this file."
        );
        self.error(summary, detail, Span::new(start, start + 1))
    }

    fn object(&mut self) -> Read<Expr> {
        let start = self.pos;
        self.pos += 1;
        self.blank_lines();
        let is_for = {
            let before = self.pos;
            let found = self.keyword("for");
            self.with_lines(true, Self::blank);
            // `{ for = 1 }` has a key of that name.
            let is_for = found && self.at_name();
            self.pos = if is_for { self.pos } else { before };
            is_for
        };
        if is_for {
            return self.with_lines(true, |p| p.for_expr(start, "}"));
        }
        let mut items = Vec::new();
        self.with_lines(false, |p| {
            loop {
                p.blank_lines();
                if p.take("}") {
                    return Ok(());
                }
                if p.at_end() {
                    return Err(p.unterminated("Unterminated object constructor expression", "brace", start));
                }
                items.push(p.object_item()?);
                p.blank();
                if p.at_line_end() || p.take(",") || p.peek() == b'}' {
                    continue;
                }
                let span = p.next_span();
                let detail = "Expected a newline or comma to mark the beginning of the next attribute.";
                return Err(p.error("Missing attribute separator", detail, span));
            }
        })?;
        Ok(Expr { span: Span::new(start, self.pos), kind: ExprKind::Object(items) })
    }

    fn object_item(&mut self) -> Read<(Expr, Expr)> {
        let key = self.expression()?;
        self.blank();
        if !(self.take("=") || self.take(":")) {
            let span = self.next_span();
            let (summary, detail) = match self.at_line_end() || self.peek() == b',' || self.peek() == b'}' {
                true => {
                    ("Missing attribute value", "Expected an attribute value, introduced by an equals sign (\"=\").")
                }
                false => (
                    "Missing key/value separator",
                    "Expected an equals sign (\"=\") to mark the beginning of the attribute value.",
                ),
            };
            return Err(self.error(summary, detail, span));
        }
        let value = self.expression()?;
        Ok((key, value))
    }

    /// A `for` expression, behind the keyword.
    fn for_expr(&mut self, start: usize, close: &str) -> Read<Expr> {
        let invalid = "Invalid 'for' expression";
        let (first, second) = self.for_names(invalid)?;
        let collection = self.expression()?;
        self.expect(":", invalid, "For expression requires a colon after the collection expression.")?;
        let mut value = self.expression()?;
        let mut key = None;
        self.blank();
        if close == "}" {
            self.expect(
                "=>",
                invalid,
                "For expression requires the key and value to be separated with the => symbol when building a map.",
            )?;
            key = Some(std::mem::replace(&mut value, self.expression()?));
            self.blank();
        }
        let groups = key.is_some() && self.take("...");
        self.blank();
        let condition = if self.keyword("if") { Some(self.expression()?) } else { None };
        self.expect(close, invalid, "Extra characters after the end of the 'for' expression.")?;
        let (key_name, value_name) = match second {
            Some(second) => (Some(first), second),
            None => (None, first),
        };
        let all = For { key_name, value_name, collection, key, value, groups, condition };
        Ok(Expr { span: Span::new(start, self.pos), kind: ExprKind::For(Box::new(all)) })
    }

    /// `a in` or `a, b in`.
    pub(super) fn for_names(&mut self, invalid: &'static str) -> Read<(Name, Option<Name>)> {
        let one = |p: &mut Self| {
            p.blank();
            let span = p.next_span();
            p.name().ok_or_else(|| p.error(invalid, "For expression requires variable name after 'for'.", span))
        };
        let first = one(self)?;
        self.blank();
        let second = if self.take(",") { Some(one(self)?) } else { None };
        self.blank();
        let span = self.next_span();
        match self.keyword("in") {
            true => Ok((first, second)),
            false => {
                Err(self.error(invalid, "For expression requires the 'in' keyword after its name declarations.", span))
            }
        }
    }
}

/// An expression with one more step.
fn step(base: Expr, step: TraversalStep) -> Expr {
    let span = base.span.to(step.span());
    let kind = match base.kind {
        ExprKind::Traversal(root, mut steps) => {
            steps.push(step);
            ExprKind::Traversal(root, steps)
        }
        ExprKind::Access(inner, mut steps) => {
            steps.push(step);
            ExprKind::Access(inner, steps)
        }
        kind => ExprKind::Access(Box::new(Expr { span: base.span, kind }), vec![step]),
    };
    Expr { span, kind }
}
