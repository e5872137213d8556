//! Builds the tree of a template from its tokens, with Go's rules and Go's error messages.

use super::ast::{Branch, BranchKind, Definitions, List, Node, is_blank};
use super::lex::{Item, Lexer, TokenKind};
use super::text::{quote, unquote};
use super::{Error, Functions, builtins};

/// How deep constructs and parentheses may nest. Go allows more, which no template needs.
const MAX_DEPTH: usize = 200;

pub(super) type Result<T> = std::result::Result<T, Box<Error>>;

/// The end of a list of nodes.
enum End {
    /// `{{end}}`, with the end of its delimiter.
    End(usize),
    /// `{{else}}`.
    Else,
}

enum Step {
    Node(Node),
    End(End),
}

/// A parsed text.
pub(super) struct Parsed {
    pub(super) root: List,
    pub(super) definitions: Definitions,
    pub(super) saw_delim: bool,
    pub(super) saw_comment: bool,
    pub(super) trims_outside: bool,
    /// There is a `define`, `block` or `template`.
    pub(super) saw_templates: bool,
}

/// Parses `text`.
pub(super) fn parse(text: &str, left: &str, right: &str, functions: &dyn Functions) -> Result<Parsed> {
    let mut lexer = Lexer::new(text, left, right);
    lexer.break_ok = !known(functions, "break");
    lexer.continue_ok = !known(functions, "continue");
    let nothing = Item { kind: TokenKind::Eof, start: 0, end: 0 };
    let mut parser = Parser {
        text,
        functions,
        lexer,
        tokens: [nothing; 3],
        peeked: 0,
        vars: vec!["$"],
        range_depth: 0,
        depth: 0,
        action: None,
        definitions: Definitions::new(),
        saw_templates: false,
        delim_end: 0,
    };
    let root = parser.top()?;
    Ok(Parsed {
        root,
        definitions: parser.definitions,
        saw_delim: parser.lexer.saw_delim,
        saw_comment: parser.lexer.saw_comment,
        trims_outside: parser.lexer.trims_outside,
        saw_templates: parser.saw_templates,
    })
}

pub(super) fn known(functions: &dyn Functions, name: &str) -> bool {
    functions.get(name).is_some() || functions.object(name).is_some() || builtins::find(name).is_some()
}

/// The parser: the tokens, and what is visible at the current place.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) functions: &'a dyn Functions,
    lexer: Lexer<'a>,
    /// Tokens that were unread, the next one last.
    pub(super) tokens: [Item; 3],
    pub(super) peeked: usize,
    /// The variables that are visible here.
    pub(super) vars: Vec<&'a str>,
    range_depth: usize,
    pub(super) depth: usize,
    /// Where the action began that is being parsed.
    action: Option<usize>,
    definitions: Definitions,
    saw_templates: bool,
    /// The end of the last right delimiter.
    delim_end: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn next(&mut self) -> Item {
        if self.peeked > 0 {
            self.peeked -= 1;
        } else {
            self.tokens[0] = self.lexer.next_item();
        }
        let item = self.tokens[self.peeked];
        if item.kind == TokenKind::RightDelim {
            self.delim_end = item.end;
        }
        item
    }

    pub(super) fn backup(&mut self) {
        self.peeked += 1;
    }

    pub(super) fn backup2(&mut self, first: Item) {
        self.tokens[1] = first;
        self.peeked = 2;
    }

    pub(super) fn backup3(&mut self, first: Item, second: Item) {
        self.tokens[1] = second;
        self.tokens[2] = first;
        self.peeked = 3;
    }

    pub(super) fn peek(&mut self) -> Item {
        if self.peeked == 0 {
            self.tokens[0] = self.lexer.next_item();
            self.peeked = 1;
        }
        self.tokens[self.peeked - 1]
    }

    pub(super) fn next_non_space(&mut self) -> Item {
        loop {
            let item = self.next();
            if item.kind != TokenKind::Space {
                return item;
            }
        }
    }

    pub(super) fn peek_non_space(&mut self) -> Item {
        let item = self.next_non_space();
        self.backup();
        item
    }

    pub(super) fn source(&self, item: Item) -> &'a str {
        &self.text[item.start..item.end]
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Box::new(Error { message: message.into(), offset: self.tokens[0].start, action: None, within: None }))
    }

    pub(super) fn unexpected<T>(&self, item: Item, context: &str) -> Result<T> {
        if item.kind == TokenKind::Error {
            // Go mentions where the action started if that is on another line.
            let action = self.action.filter(|&a| self.text[a.min(item.start)..item.start].contains('\n'));
            return Err(Box::new(Error {
                message: self.lexer.error.clone(),
                offset: self.tokens[0].start,
                action,
                within: None,
            }));
        }
        self.error(format!("unexpected {} in {context}", self.describe(item)))
    }

    fn describe(&self, item: Item) -> String {
        let text = self.source(item);
        match item.kind {
            TokenKind::Eof => "EOF".to_owned(),
            kind if kind.is_keyword() => format!("<{text}>"),
            _ if text.len() > 10 => {
                let end = text.char_indices().nth(10).map_or(text.len(), |(i, _)| i);
                format!("{}...", quote(&text[..end]))
            }
            _ => quote(text),
        }
    }

    fn expect(&mut self, kind: TokenKind, context: &str) -> Result<Item> {
        let item = self.next_non_space();
        if item.kind == kind { Ok(item) } else { self.unexpected(item, context) }
    }

    pub(super) fn enter(&mut self) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return self.error("max expression depth exceeded");
        }
        self.depth += 1;
        Ok(())
    }

    fn top(&mut self) -> Result<List> {
        let mut root = List::new();
        while self.peek().kind != TokenKind::Eof {
            if self.peek().kind == TokenKind::LeftDelim {
                let delim = self.next();
                if self.next_non_space().kind == TokenKind::Define {
                    self.definition()?;
                    continue;
                }
                self.backup2(delim);
            }
            match self.text_or_action()? {
                Step::Node(node) => root.push(node),
                Step::End(End::End(_)) => return self.error("unexpected {{end}}"),
                Step::End(End::Else) => return self.error("unexpected {{else}}"),
            }
        }
        Ok(root)
    }

    fn definition(&mut self) -> Result<()> {
        self.saw_templates = true;
        let context = "define clause";
        let item = self.next_non_space();
        let name = self.template_name(item, context)?;
        let action = self.action.take();
        self.expect(TokenKind::RightDelim, context)?;
        self.named_body(name, context)?;
        self.action = action;
        Ok(())
    }

    /// The body of `define` or `block`, which sees no variables and no loop from outside.
    fn named_body(&mut self, name: String, context: &str) -> Result<()> {
        let vars = std::mem::replace(&mut self.vars, vec!["$"]);
        let range_depth = std::mem::take(&mut self.range_depth);
        let (body, end) = self.list()?;
        if matches!(end, End::Else) {
            return self.error(format!("unexpected {{{{else}}}} in {context}"));
        }
        self.vars = vars;
        self.range_depth = range_depth;
        match self.definitions.get(&name) {
            Some(old) if !is_blank(old, self.text) => {
                if !is_blank(&body, self.text) {
                    return self.error(format!("template: multiple definition of template {}", quote(&name)));
                }
            }
            _ => {
                self.definitions.insert(name, body);
            }
        }
        Ok(())
    }

    fn list(&mut self) -> Result<(List, End)> {
        let mut nodes = List::new();
        while self.peek_non_space().kind != TokenKind::Eof {
            match self.text_or_action()? {
                Step::Node(node) => nodes.push(node),
                Step::End(end) => return Ok((nodes, end)),
            }
        }
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Step> {
        let item = self.next_non_space();
        match item.kind {
            TokenKind::Text => Ok(Step::Node(Node::Text(item.start..item.end))),
            TokenKind::LeftDelim => {
                self.action = Some(item.start);
                let step = self.action(item.start);
                self.action = None;
                step
            }
            _ => self.unexpected(item, "input"),
        }
    }

    /// An action whose left delimiter, at `start`, is past.
    fn action(&mut self, start: usize) -> Result<Step> {
        let item = self.next_non_space();
        match item.kind {
            TokenKind::Block => return self.block(),
            TokenKind::Break => return self.jump("{{break}}", Node::Break),
            TokenKind::Continue => return self.jump("{{continue}}", Node::Continue),
            TokenKind::Else => return self.else_(),
            TokenKind::End => {
                let delim = self.expect(TokenKind::RightDelim, "end")?;
                return Ok(Step::End(End::End(delim.end)));
            }
            TokenKind::If => return self.control(BranchKind::If, start, false).map(Step::Node),
            TokenKind::Range => return self.control(BranchKind::Range, start, false).map(Step::Node),
            TokenKind::With => return self.control(BranchKind::With, start, false).map(Step::Node),
            TokenKind::Template => return self.template(),
            _ => {}
        }
        self.backup();
        let pipe = self.pipeline("command", TokenKind::RightDelim)?;
        Ok(Step::Node(Node::Action { pipe, span: start..self.delim_end }))
    }

    fn jump(&mut self, context: &str, node: Node) -> Result<Step> {
        let item = self.next_non_space();
        if item.kind != TokenKind::RightDelim {
            return self.unexpected(item, context);
        }
        if self.range_depth == 0 {
            return self.error(format!("{context} outside {{{{range}}}}"));
        }
        Ok(Step::Node(node))
    }

    fn else_(&mut self) -> Result<Step> {
        // The keyword of `else if` is left for the construct that the `else` belongs to.
        if !matches!(self.peek_non_space().kind, TokenKind::If | TokenKind::With) {
            self.expect(TokenKind::RightDelim, "else")?;
        }
        Ok(Step::End(End::Else))
    }

    fn control(&mut self, kind: BranchKind, start: usize, chained: bool) -> Result<Node> {
        self.enter()?;
        let vars = self.vars.len();
        let context = match kind {
            BranchKind::If => "if",
            BranchKind::With => "with",
            BranchKind::Range => "range",
        };
        let pipe = self.pipeline(context, TokenKind::RightDelim)?;
        self.range_depth += usize::from(kind == BranchKind::Range);
        let (body, end) = self.list()?;
        self.range_depth -= usize::from(kind == BranchKind::Range);
        let (alternative, end) = match end {
            End::End(end) => (None, end),
            End::Else => {
                let next = self.peek();
                let chain = match next.kind {
                    TokenKind::If if kind == BranchKind::If => true,
                    TokenKind::With if kind == BranchKind::With => true,
                    _ => false,
                };
                if chain {
                    self.next();
                    let node = self.control(kind, next.start, true)?;
                    (Some(vec![node]), self.delim_end)
                } else {
                    let (list, end) = self.list()?;
                    let End::End(end) = end else {
                        return self.error("expected end; found {{else}}");
                    };
                    (Some(list), end)
                }
            }
        };
        self.vars.truncate(vars);
        self.depth -= 1;
        Ok(Node::Branch(Box::new(Branch { kind, pipe, body, alternative, span: start..end, chained })))
    }

    fn block(&mut self) -> Result<Step> {
        self.saw_templates = true;
        let context = "block clause";
        let item = self.next_non_space();
        let name = self.template_name(item, context)?;
        let pipe = self.pipeline(context, TokenKind::RightDelim)?;
        self.enter()?;
        let action = self.action.take();
        self.named_body(name.clone(), context)?;
        self.action = action;
        self.depth -= 1;
        Ok(Step::Node(Node::Template { name, pipe: Some(pipe), pos: item.start }))
    }

    fn template(&mut self) -> Result<Step> {
        self.saw_templates = true;
        let context = "template clause";
        let item = self.next_non_space();
        let name = self.template_name(item, context)?;
        let mut pipe = None;
        if self.next_non_space().kind != TokenKind::RightDelim {
            self.backup();
            pipe = Some(self.pipeline(context, TokenKind::RightDelim)?);
        }
        Ok(Step::Node(Node::Template { name, pipe, pos: item.start }))
    }

    fn template_name(&mut self, item: Item, context: &str) -> Result<String> {
        match item.kind {
            TokenKind::Str | TokenKind::RawString => Ok(String::from_utf8_lossy(&self.string(item)?).into_owned()),
            _ => self.unexpected(item, context),
        }
    }

    pub(super) fn string(&self, item: Item) -> Result<Vec<u8>> {
        unquote(self.source(item)).or_else(|()| self.error("invalid syntax"))
    }
}
