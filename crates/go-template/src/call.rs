//! Calls functions: those of the table, namespaces and builtins.

use super::ast::{Expr, ExprKind};
use super::eval::{At, Result, State};
use super::operand::{Content, Operand};
use super::text::quote;
use super::val::{MADE_OF_NOT_UTF8, NOT_UTF8, Val};
use super::{Function, builtins};
use std::sync::Arc;
use traced_value::{Data, Unknown, Value};

/// Functions that only pass parts of their arguments on, so that something unknown deep inside does no harm.
const PASSING: &[&str] = &[
    "append", "coalesce", "concat", "default", "deepCopy", "dict", "empty", "first", "get", "hasKey", "initial",
    "keys", "kindIs", "kindOf", "last", "list", "omit", "pick", "pluck", "prepend", "push", "rest", "reverse", "set",
    "ternary", "tuple", "unset", "values",
];

/// Functions that modify their map argument, which is visible in the variable that holds it.
const CHANGING: &[&str] = &["set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"];

/// Functions that trim characters from the ends of a text: text that is not valid UTF-8 stays invalid.
const TRIMMING: &[&str] = &["trim", "trimAll", "trimPrefix", "trimSuffix"];

/// Functions that read all that is inside of an argument, and several times.
const SEARCHING: &[&str] = &["jsonpath", "JSONPath"];

impl<'t, 'd> State<'t, 'd> {
    /// Calls a function by name: one of the table, a namespace, or a builtin.
    pub(super) fn call(
        &mut self,
        dot: &Operand<'d>,
        name: &str,
        node: At<'t>,
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        let functions = self.functions;
        if let Some(function) = functions.get(name) {
            return self.call_function(dot, name, function, node, args, input);
        }
        if let Some(object) = functions.object(name) {
            let got = args.len() + usize::from(input.is_some());
            if got > 0 {
                return self.error(format!("wrong number of args for {name}: want 0 got {got}"));
            }
            let mut object = Operand::from_val(object);
            object.iface = true;
            return Ok(object);
        }
        let Some(builtin) = builtins::find(name) else {
            return self.error(format!("{} is not a defined function", quote(name)));
        };
        builtin.check_count(args.len(), input.is_some()).or_else(|message| self.error(message))?;
        if let Some(decisive) = builtin.short_circuit() {
            return self.and_or(dot, decisive, args, input);
        }
        let callee = match (args.first(), &input) {
            (Some(arg), _) => arg.to_string(),
            (None, Some(input)) => match input.data() {
                Some(Data::Str(s)) => s.to_string(),
                _ if input.is_nothing() => "<invalid Value>".to_owned(),
                _ => format!("<{} Value>", input.type_name()),
            },
            (None, None) => String::new(),
        };
        let mut operands = Vec::with_capacity(args.len() + 1);
        for (i, arg) in args.iter().enumerate() {
            operands.push(if i == 0 && builtin.takes_format() {
                self.format_argument(dot, arg)?
            } else {
                self.argument(dot, arg)?
            });
        }
        if let Some(input) = input {
            let input = if operands.is_empty() && builtin.takes_format() { self.as_string(input)? } else { input };
            operands.push(input);
        }
        self.check_sizes(&operands)?;
        match builtin.run(&operands, &callee) {
            Ok(result) => {
                self.note_inputs(&result);
                self.check_result(&result)?;
                Ok(result)
            }
            Err(message) => {
                self.at = node;
                self.error(format!("error calling {name}: {message}"))
            }
        }
    }

    /// The first argument of `printf`, which Go wants to be a string before it calls.
    fn format_argument(&mut self, dot: &Operand<'d>, arg: &'t Expr) -> Result<Operand<'d>> {
        self.at = At::Expr(arg);
        match &arg.kind {
            ExprKind::Str { .. } => self.constant(arg),
            ExprKind::Bool(_) | ExprKind::Number { .. } => self.error(format!("expected string; found {arg}")),
            ExprKind::Nil => self.error("cannot assign nil to string"),
            _ => {
                let value = self.argument(dot, arg)?;
                self.as_string(value)
            }
        }
    }

    fn as_string(&self, value: Operand<'d>) -> Result<Operand<'d>> {
        match value.data() {
            Some(Data::Str(_) | Data::Unknown(_)) => Ok(value),
            None if value.is_missing() => self.error("invalid value; expected string"),
            _ => self.error(format!("wrong type for value; expected string; got {}", value.type_name())),
        }
    }

    fn call_function(
        &mut self,
        dot: &Operand<'d>,
        name: &str,
        function: Function,
        node: At<'t>,
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        let function_at = self.at;
        let operands = self.arguments(dot, args, input)?;
        self.check_sizes(&operands)?;
        let passing = PASSING.contains(&name);
        let unknown =
            operands.iter().filter_map(|o| if passing { o.as_unknown().cloned() } else { o.unknown_inside() });
        let unknown: Vec<Arc<Unknown>> = unknown.collect();
        let kept = unknown.first().filter(|_| unknown.len() == 1 && TRIMMING.contains(&name)).cloned();
        let result = match kept.or_else(|| combined(unknown.into_iter())) {
            Some(unknown) => Operand::unknown(unknown),
            None => {
                if !passing {
                    self.pay_for_reading(&operands)?;
                }
                self.pay_for_searching(name, &operands)?;
                self.pay_for_pattern(name, &operands)?;
                let vals: Vec<Val> = operands.iter().map(Operand::to_val).collect();
                let result = self.functions.answer(name, &vals).unwrap_or_else(|| function(&vals));
                if matches!(&result, Err(m) if m.starts_with("wrong number of args for")) {
                    self.at = function_at;
                }
                self.returned(result, name, node, args, &operands)?
            }
        };
        if CHANGING.contains(&name)
            && let Some(ExprKind::Variable { name: variable, fields }) = args.first().map(|a| &a.kind)
            && fields.is_empty()
        {
            self.assign(variable, result.clone())?;
        }
        Ok(result)
    }

    /// Pays for a function that reads all that is inside of its arguments.
    pub(super) fn pay_for_searching(&mut self, name: &str, operands: &[Operand<'d>]) -> Result<()> {
        if !SEARCHING.contains(&name) {
            return Ok(());
        }
        let most = usize::try_from(self.max_steps).unwrap_or(usize::MAX);
        operands.iter().try_for_each(|operand| {
            let values = operand.value().map_or(0, |value| value.count(most).unwrap_or(most));
            self.tick(values)
        })
    }

    /// Pays for a function that compiles its first argument as a pattern, and runs it over the other ones. An instruction of a
    /// pattern takes as long as several steps of a template, and may have to be looked at for every byte of a text.
    pub(super) fn pay_for_pattern(&mut self, name: &str, operands: &[Operand<'d>]) -> Result<()> {
        let is_pattern = name.contains("egex") && !name.ends_with("QuoteMeta");
        let mut texts = operands.iter().map(|operand| operand.value().and_then(Value::as_str));
        let Some(pattern) = texts.next().flatten().filter(|_| is_pattern) else { return Ok(()) };
        let bytes: usize = texts.flatten().map(str::len).sum();
        self.tick(go_compat::regexp::cost(pattern).saturating_mul(10 + bytes / 4))
    }

    /// Turns the answer of a function into a value or into an error at the right node.
    pub(super) fn returned(
        &mut self,
        result: std::result::Result<Val, String>,
        name: &str,
        node: At<'t>,
        args: &'t [Expr],
        operands: &[Operand<'d>],
    ) -> Result<Operand<'d>> {
        let message = match result {
            Ok(val) => {
                let result = Operand::from_val(val);
                if let Content::Object(object) = &result.content {
                    object.inputs().iter().for_each(|prov| self.inputs.add(prov));
                }
                self.check_result(&result)?;
                return Ok(result);
            }
            Err(message) => message,
        };
        if message.starts_with("wrong number of args for") {
            return self.error(message);
        }
        // Go finds a wrong type before the call, at the argument.
        let culprit = if message.starts_with("invalid value;") || message.starts_with("cannot assign nil to") {
            operands.iter().position(Operand::is_missing)
        } else if let Some((_, got)) =
            message.split_once("; got ").filter(|(m, _)| m.starts_with("wrong type for value;"))
        {
            operands.iter().position(|o| o.static_type() == got || o.type_name() == got)
        } else if let Some((_, found)) = message.split_once("; found ").filter(|(m, _)| m.starts_with("expected ")) {
            args.iter().position(|a| a.to_string() == found)
        } else {
            self.at = node;
            return self.error(format!("error calling {name}: {message}"));
        };
        let Some(arg) = culprit.and_then(|i| args.get(i)) else { return self.error(message) };
        self.at = At::Expr(last_word(arg));
        self.error(constant_mismatch(arg, &message).unwrap_or(message))
    }

    /// Notes that a value was read.
    pub(super) fn note_inputs(&mut self, read: &Operand<'d>) {
        match &read.content {
            Content::Object(object) => object.inputs().iter().for_each(|prov| self.inputs.add(prov)),
            _ => read.value().into_iter().for_each(|value| self.inputs.add(&value.prov)),
        }
    }

    /// Bounds what functions make.
    fn check_result(&mut self, result: &Operand<'d>) -> Result<()> {
        match result.data() {
            Some(Data::Str(s)) if s.len() > self.max_output => {
                self.exhausted = true;
                self.error("the template makes a value that is too large")
            }
            Some(Data::Str(s)) => self.tick(s.len() / 16),
            Some(Data::List(l)) => self.tick(l.len() / 4),
            Some(Data::Map(m)) => self.tick(m.len() / 4),
            _ => Ok(()),
        }
    }

    /// `and` and `or`, which stop at the first argument whose truth is `decisive`.
    fn and_or(
        &mut self,
        dot: &Operand<'d>,
        decisive: bool,
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        let mut unsure: Vec<Arc<Unknown>> = Vec::new();
        let mut value = Operand::MISSING;
        for arg in args {
            value = match self.argument(dot, arg) {
                Ok(value) => value,
                // The running system might have stopped before this argument.
                Err(_) if !unsure.is_empty() && !self.exhausted => return Ok(unsure_result(unsure, None)),
                Err(error) => return Err(error),
            };
            match value.is_true() {
                Some(truth) if truth == decisive => return Ok(decided(value, unsure, decisive)),
                Some(_) if value.as_unknown().is_none() => {}
                _ => unsure.extend(value.as_unknown().cloned()),
            }
        }
        if let Some(input) = input {
            value = input;
            unsure.extend(value.as_unknown().cloned());
        }
        if unsure.is_empty() {
            return Ok(value);
        }
        let truth = value.is_true().filter(|t| *t == decisive);
        Ok(unsure_result(unsure, truth))
    }
}

/// The word of an argument that Go evaluates last, which it reports as the place of a wrong type.
fn last_word(arg: &Expr) -> &Expr {
    match &arg.kind {
        ExprKind::Pipe(pipe) => pipe.commands.last().and_then(|c| c.words.last()).map_or(arg, last_word),
        _ => arg,
    }
}

/// Go's words for a constant in the place of another type.
fn constant_mismatch(arg: &Expr, message: &str) -> Option<String> {
    let (_, expected) = message.split_once("; expected ")?;
    let expected = expected.split_once("; got ").map_or(expected, |(e, _)| e);
    match arg.kind {
        ExprKind::Nil => return Some(format!("cannot assign nil to {expected}")),
        ExprKind::Bool(_) | ExprKind::Number { .. } | ExprKind::Str { .. } => {}
        _ => return None,
    }
    let class = match expected {
        "string" | "bool" => expected,
        _ if expected.starts_with("int") => "integer",
        _ if expected.starts_with("uint") => "unsigned integer",
        _ if expected.starts_with("float") => "float",
        _ => return Some(format!("can't handle {arg} for arg of type {expected}")),
    };
    Some(format!("expected {class}; found {arg}"))
}

/// A decisive argument was found: the result has its truth, and is it if nothing before was unknown.
fn decided<'d>(value: Operand<'d>, mut unsure: Vec<Arc<Unknown>>, decisive: bool) -> Operand<'d> {
    if unsure.is_empty() {
        return value;
    }
    unsure.extend(value.as_unknown().cloned());
    unsure_result(unsure, Some(decisive))
}

fn unsure_result<'d>(unsure: Vec<Arc<Unknown>>, truth: Option<bool>) -> Operand<'d> {
    match combined(unsure.into_iter()) {
        Some(unknown) => Operand { truth, ..Operand::unknown(unknown) },
        None => Operand::MISSING,
    }
}

/// One unknown with the reasons of all, for what is made of them.
pub(super) fn combined(mut unknowns: impl Iterator<Item = Arc<Unknown>>) -> Option<Arc<Unknown>> {
    let mut result = made_of(unknowns.next()?);
    for other in unknowns.map(made_of) {
        for reason in &other.reasons {
            if !result.reasons.contains(reason) {
                Arc::make_mut(&mut result).reasons.push(reason.clone());
            }
        }
        if !other.reads.is_empty() {
            Arc::make_mut(&mut result).add_reads(other.reads.iter().cloned());
        }
    }
    Some(result)
}

/// A value made from text that is not valid UTF-8 need not be such text itself.
pub(super) fn made_of(mut unknown: Arc<Unknown>) -> Arc<Unknown> {
    if unknown.reasons.iter().any(|reason| **reason == *NOT_UTF8) {
        for reason in Arc::make_mut(&mut unknown).reasons.iter_mut().filter(|reason| ***reason == *NOT_UTF8) {
            *reason = MADE_OF_NOT_UTF8.into();
        }
    }
    unknown
}
