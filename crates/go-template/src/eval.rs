//! Walks the tree of a template and writes its output.

use super::ast::{Branch, BranchKind, Command, Expr, List, Node, Pipe};
use super::call::made_of;
use super::operand::{Content, Operand, fits};
use super::output::{Inputs, Rendered};
use super::text::quote;
use super::val::Val;
use super::{Error, Functions, MissingKey, Template, format};
use shared_text::Text;
use std::fmt::Write;
use std::sync::Arc;
use traced_value::{Data, Unknown, Value};

/// How deep evaluation may recurse, through named templates too.
const MAX_DEPTH: u32 = 450;

/// How many words that read a missing key are remembered.
const MAX_MISSED: usize = 100;

pub(super) type Result<T> = std::result::Result<T, Box<Error>>;

/// The node that an error is reported for.
#[derive(Clone, Copy)]
pub(super) enum At<'t> {
    Pipe(&'t Pipe),
    Command(&'t Command),
    Expr(&'t Expr),
    Template { name: &'t str, pipe: Option<&'t Pipe>, pos: usize },
    Nothing,
}

/// How a list of nodes ended.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    /// Whether the loop continues depends on something unknown.
    Unsure(Arc<Unknown>),
}

/// An execution.
pub(super) struct State<'t, 'd> {
    pub(super) template: &'t Template,
    pub(super) functions: &'t dyn Functions,
    pub(super) missing: MissingKey,
    pub(super) at: At<'t>,
    pub(super) vars: Vec<(&'t str, Operand<'d>)>,
    pub(super) inputs: Inputs,
    /// Words that read a key which is not there.
    missed: Vec<std::ops::Range<usize>>,
    /// The named template that is running.
    within: Option<&'t str>,
    out: Rendered,
    steps: u64,
    depth: u32,
    /// A limit was reached, so that no error may be ignored any more.
    pub(super) exhausted: bool,
    /// How many nodes and commands may be evaluated, and how much text made (16 bytes count as one).
    pub(super) max_steps: u64,
    /// The maximum number of bytes of the output, or of one value.
    pub(super) max_output: usize,
}

/// Runs a template.
pub(super) fn run(
    template: &Template,
    data: &Value,
    missing: MissingKey,
    functions: &dyn Functions,
) -> Result<Rendered> {
    let limits = functions.limits();
    let root = Operand { content: Content::Ref(data), iface: data.is_null(), truth: None }.stripped();
    let mut state = State {
        template,
        functions,
        missing,
        at: At::Nothing,
        vars: vec![("$", root.clone())],
        inputs: Inputs::default(),
        missed: Vec::new(),
        within: None,
        out: Rendered::default(),
        steps: 0,
        depth: 0,
        exhausted: false,
        max_steps: limits.steps,
        max_output: limits.output,
    };
    state.out.text.reserve(template.text.len() + 32);
    let done = state.list(&root, &template.root);
    // What was refused was not done.
    functions.took(state.steps.min(state.max_steps));
    done?;
    let mut out = state.out;
    out.inputs = state.inputs.finish();
    out.missing = state.missed;
    out.steps = state.steps;
    Ok(out)
}

impl<'t, 'd> State<'t, 'd> {
    /// An error at the current node.
    pub(super) fn error<T>(&self, message: impl AsRef<str>) -> Result<T> {
        let message = message.as_ref();
        let mut text = String::new();
        let offset = match self.at {
            At::Nothing => {
                text.push_str(message);
                0
            }
            At::Pipe(pipe) => {
                let _ = write!(text, "at <{pipe}>: {message}");
                pipe.pos
            }
            At::Command(command) => {
                let _ = write!(text, "at <{command}>: {message}");
                command.pos
            }
            At::Expr(expr) => {
                let _ = write!(text, "at <{expr}>: {message}");
                expr.pos
            }
            At::Template { name, pipe, pos } => {
                let _ = match pipe {
                    Some(pipe) => write!(text, "at <{{{{template {} {pipe}}}}}>: {message}", quote(name)),
                    None => write!(text, "at <{{{{template {}}}}}>: {message}", quote(name)),
                };
                pos
            }
        };
        Err(Box::new(Error { message: text, offset, action: None, within: self.within.map(str::to_owned) }))
    }

    /// Notes that a word reads a key which is not there.
    pub(super) fn missed(&mut self, word: &Expr) {
        if self.missed.len() < MAX_MISSED && !self.missed.contains(&word.span) {
            self.missed.push(word.span.clone());
        }
    }

    /// Counts work.
    pub(super) fn tick(&mut self, steps: usize) -> Result<()> {
        self.steps += steps as u64;
        if self.steps > self.max_steps {
            self.exhausted = true;
            return self.error("the template takes too many steps");
        }
        Ok(())
    }

    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.exhausted = true;
            return self.error("exceeded maximum template depth (100000)");
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn list(&mut self, dot: &Operand<'d>, list: &'t List) -> Result<Flow> {
        self.enter()?;
        for node in list {
            let flow = self.node(dot, node)?;
            if !matches!(flow, Flow::Next) {
                self.leave();
                return Ok(flow);
            }
        }
        self.leave();
        Ok(Flow::Next)
    }

    fn node(&mut self, dot: &Operand<'d>, node: &'t Node) -> Result<Flow> {
        self.tick(1)?;
        match node {
            Node::Text(span) => {
                let text = &self.template.text[span.clone()];
                self.tick(text.len() / 16)?;
                self.write(text, span.start, true)?;
            }
            Node::Action { pipe, span } => {
                let value = self.pipeline(dot, pipe)?;
                if pipe.variables.is_empty() {
                    self.at = At::Pipe(pipe);
                    self.print(&value, span)?;
                }
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
            Node::Branch(branch) => {
                let mark = self.vars.len();
                let flow = match branch.kind {
                    BranchKind::Range => self.range(dot, branch),
                    BranchKind::If | BranchKind::With => self.if_or_with(dot, branch),
                };
                self.vars.truncate(mark);
                return flow;
            }
            Node::Template { name, pipe, pos } => self.call_template(dot, name, pipe.as_ref(), *pos)?,
        }
        Ok(Flow::Next)
    }

    fn write(&mut self, text: &str, src: usize, literal: bool) -> Result<()> {
        if self.out.text.len() + text.len() > self.max_output {
            self.exhausted = true;
            return self.error("the template writes too much");
        }
        self.out.push(text, src, literal);
        Ok(())
    }

    fn print(&mut self, value: &Operand<'d>, span: &std::ops::Range<usize>) -> Result<()> {
        self.check_size(value)?;
        if let Some(unknown) = value.unknown_inside() {
            let source: Text = self.template.text[span.clone()].into();
            self.tick(source.len() / 16)?;
            self.out.push_unknown(source, span.start, &unknown);
            return self.write("", span.start, false);
        }
        match value.data() {
            Some(Data::Str(s)) => {
                self.tick(s.len() / 16)?;
                // The text is shared, so that the borrow of the operand does not matter.
                self.write(s, span.start, false)
            }
            Some(Data::Null) => self.write("<nil>", span.start, false),
            Some(_) => {
                let text = format::print_value(&value.to_val());
                self.tick(text.len() / 16)?;
                self.write(&text, span.start, false)
            }
            None => match &value.content {
                Content::Object(object) => self.write(&object.print(), span.start, false),
                _ => self.write("<no value>", span.start, false),
            },
        }
    }

    /// Rejects values whose text would be too long, before creating that text.
    pub(super) fn check_size(&mut self, value: &Operand<'d>) -> Result<()> {
        let mut budget = self.max_output;
        if value.is_own_container()
            && let Some(value) = value.value()
        {
            let fits = fits(value, &mut budget, 0);
            self.tick((self.max_output - budget) / 16)?;
            if !fits {
                self.exhausted = true;
                return self.error("the template makes a value that is too large");
            }
        }
        Ok(())
    }

    /// Leaves a construct as written because it depends on something unknown.
    fn leave_as_written(&mut self, branch: &'t Branch, unknown: &Arc<Unknown>) -> Result<()> {
        let unknown = made_of(Arc::clone(unknown));
        let written = &self.template.text[branch.span.clone()];
        let source: Text =
            if branch.chained { format!("{}{written}", self.template.left).into() } else { written.into() };
        self.tick(source.len() / 16)?;
        self.out.push_unknown(source, branch.span.start, &unknown);
        self.write("", branch.span.start, false)
    }

    /// Called after a construct that may or may not have run: the variables that it assigns are unknown.
    fn forget_assigned(&mut self, branch: &'t Branch, unknown: &Arc<Unknown>) {
        let mut names = Vec::new();
        assigned(branch, &mut names);
        for name in names {
            if let Some(slot) = self.vars.iter_mut().rev().find(|(n, _)| *n == name) {
                slot.1 = Operand::unknown(unknown.clone());
            }
        }
    }

    fn if_or_with(&mut self, dot: &Operand<'d>, branch: &'t Branch) -> Result<Flow> {
        let value = self.pipeline(dot, &branch.pipe)?;
        let Some(truth) = value.is_true() else {
            let Some(unknown) = value.as_unknown().cloned() else { return Ok(Flow::Next) };
            if jumps(&branch.body) || branch.alternative.as_ref().is_some_and(jumps) {
                return Ok(Flow::Unsure(unknown));
            }
            self.leave_as_written(branch, &unknown)?;
            self.forget_assigned(branch, &unknown);
            return Ok(Flow::Next);
        };
        match (truth, &branch.alternative) {
            (true, _) => self.list(if branch.kind == BranchKind::With { &value } else { dot }, &branch.body),
            (false, Some(alternative)) => self.list(dot, alternative),
            (false, None) => Ok(Flow::Next),
        }
    }

    fn range(&mut self, dot: &Operand<'d>, branch: &'t Branch) -> Result<Flow> {
        let start = self.out.mark();
        let value = self.pipeline(dot, &branch.pipe)?.stripped();
        if let Some(unknown) = value.as_unknown().cloned() {
            self.leave_as_written(branch, &unknown)?;
            self.forget_assigned(branch, &unknown);
            return Ok(Flow::Next);
        }
        let ran = match &value.content {
            Content::Ref(Value { data: Data::List(list), .. }) => {
                self.elements(branch, &mut list.iter().enumerate().map(|(i, v)| (index(i), Operand::element(v))))?
            }
            Content::Own(Value { data: Data::List(list), .. }) => {
                let list = list.clone();
                self.elements(
                    branch,
                    &mut list.iter().enumerate().map(|(i, v)| (index(i), Operand::owned_element(v.clone()))),
                )?
            }
            Content::Ref(Value { data: Data::Map(map), .. }) => self.elements(
                branch,
                &mut map.iter().map(|e| (Operand::string(e.key.clone()), Operand::element(&e.value))),
            )?,
            Content::Own(Value { data: Data::Map(map), .. }) => {
                let map = map.clone();
                self.elements(
                    branch,
                    &mut map.iter().map(|e| (Operand::string(e.key.clone()), Operand::owned_element(e.value.clone()))),
                )?
            }
            Content::Missing => Ran::Never,
            Content::Object(object) if object.entries().is_some() => {
                let entries = object.entries().unwrap_or_default();
                let pair = |(key, val): (Text, Val)| (Operand::string(key), Operand::from_val(val));
                self.elements(branch, &mut entries.into_iter().map(pair))?
            }
            _ => match value.data() {
                Some(Data::Int(_) | Data::Uint(_)) if branch.pipe.variables.len() > 1 => {
                    let text = format::print_value(&value.to_val());
                    return self.error(format!("can't use {text} to iterate over more than one variable"));
                }
                Some(&Data::Int(n)) => {
                    self.elements(branch, &mut (0..n).map(|i| (Operand::MISSING, Operand::of(Data::Int(i)))))?
                }
                Some(&Data::Uint(n)) => {
                    self.elements(branch, &mut (0..n).map(|i| (Operand::MISSING, Operand::of(Data::Uint(i)))))?
                }
                _ => {
                    let text = format::print_value(&value.to_val());
                    return self.error(format!("range can't iterate over {text}"));
                }
            },
        };
        match ran {
            Ran::Some => Ok(Flow::Next),
            Ran::Unsure(unknown) => {
                self.out.cut(start);
                self.leave_as_written(branch, &unknown)?;
                self.forget_assigned(branch, &unknown);
                Ok(Flow::Next)
            }
            Ran::Never => match &branch.alternative {
                // In Go, `break` there leaves this construct only, not the loop around it.
                Some(alternative) => match self.list(dot, alternative)? {
                    Flow::Break => Ok(Flow::Next),
                    flow => Ok(flow),
                },
                None => Ok(Flow::Next),
            },
        }
    }

    fn elements(
        &mut self,
        branch: &'t Branch,
        items: &mut dyn Iterator<Item = (Operand<'d>, Operand<'d>)>,
    ) -> Result<Ran> {
        let mark = self.vars.len();
        let variables = &branch.pipe.variables;
        let mut ran = Ran::Never;
        for (index, element) in items {
            ran = Ran::Some;
            self.tick(1)?;
            self.note_inputs(&element);
            match (variables.as_slice(), branch.pipe.assigns) {
                ([], _) => {}
                ([one], true) => self.assign(one, element.clone())?,
                ([first, second, ..], true) => {
                    self.assign(first, index)?;
                    self.assign(second, element.clone())?;
                }
                (names, false) => {
                    // The pipeline has pushed the variables, the element's last.
                    self.vars[mark - 1].1 = element.clone();
                    if names.len() > 1 {
                        self.vars[mark - 2].1 = index;
                    }
                }
            }
            let flow = self.list(&element, &branch.body)?;
            self.vars.truncate(mark);
            match flow {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Unsure(unknown) => return Ok(Ran::Unsure(unknown)),
            }
        }
        Ok(ran)
    }

    fn call_template(&mut self, dot: &Operand<'d>, name: &'t str, pipe: Option<&'t Pipe>, pos: usize) -> Result<()> {
        self.at = At::Template { name, pipe, pos };
        let template = self.template;
        let Some(body) = template.definitions.get(name) else {
            return self.error(format!("template {} not defined", quote(name)));
        };
        let inner = match pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Operand::MISSING,
        };
        let vars = std::mem::replace(&mut self.vars, vec![("$", inner.clone())]);
        let within = self.within.replace(name);
        self.list(&inner, body)?;
        self.within = within;
        self.vars = vars;
        Ok(())
    }

    /// Assigns a value to the last declared variable with a name.
    pub(super) fn assign(&mut self, name: &str, value: Operand<'d>) -> Result<()> {
        match self.vars.iter_mut().rev().find(|(n, _)| *n == name) {
            Some(slot) => {
                slot.1 = value;
                Ok(())
            }
            None => self.error(format!("undefined variable: {name}")),
        }
    }
}

enum Ran {
    Never,
    Some,
    Unsure(Arc<Unknown>),
}

fn index(i: usize) -> Operand<'static> {
    Operand::of(Data::Int(i64::try_from(i).unwrap_or(i64::MAX)))
}

/// Whether a `break` or `continue` in the list is about a loop outside of it.
fn jumps(list: &List) -> bool {
    list.iter().any(|node| match node {
        Node::Break | Node::Continue => true,
        Node::Branch(branch) if branch.kind == BranchKind::Range => branch.alternative.as_ref().is_some_and(jumps),
        Node::Branch(branch) => jumps(&branch.body) || branch.alternative.as_ref().is_some_and(jumps),
        _ => false,
    })
}

/// Collects the variables that a construct assigns with `=`.
fn assigned<'t>(branch: &'t Branch, names: &mut Vec<&'t str>) {
    fn pipe<'t>(p: &'t Pipe, names: &mut Vec<&'t str>) {
        if p.assigns {
            names.extend(p.variables.iter().map(String::as_str));
        }
    }
    pipe(&branch.pipe, names);
    for node in branch.body.iter().chain(branch.alternative.iter().flatten()) {
        match node {
            Node::Action { pipe: p, .. } => pipe(p, names),
            Node::Branch(inner) => assigned(inner, names),
            _ => {}
        }
    }
}
