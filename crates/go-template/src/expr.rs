//! Evaluates pipelines, commands and fields.

use super::MissingKey;
use super::ast::{Command, Expr, ExprKind, Pipe};
use super::call::combined;
use super::eval::{At, Result, State};
use super::operand::{Content, Operand};
use super::text::{Number, quote};
use super::val::Val;
use shared_text::Text;
use traced_value::{Data, Value};

/// The methods of Go's `time.Time`, whose results are left open.
const TIME_METHODS: &[&str] = &[
    "Add",
    "AddDate",
    "After",
    "Before",
    "Clock",
    "Compare",
    "Date",
    "Day",
    "Equal",
    "Format",
    "GoString",
    "Hour",
    "ISOWeek",
    "In",
    "IsDST",
    "IsZero",
    "Local",
    "Location",
    "Minute",
    "Month",
    "Nanosecond",
    "Round",
    "Second",
    "String",
    "Sub",
    "Truncate",
    "UTC",
    "Unix",
    "UnixMicro",
    "UnixMilli",
    "UnixNano",
    "Weekday",
    "Year",
    "YearDay",
    "Zone",
];

impl<'t, 'd> State<'t, 'd> {
    /// The value of a pipeline, which its variables take too.
    pub(super) fn pipeline(&mut self, dot: &Operand<'d>, pipe: &'t Pipe) -> Result<Operand<'d>> {
        self.enter()?;
        self.at = At::Pipe(pipe);
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value.take())?.stripped());
        }
        let value = value.unwrap_or(Operand::MISSING);
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.clone())?;
            } else {
                self.vars.push((name, value.clone()));
            }
        }
        self.leave();
        Ok(value)
    }

    fn command(&mut self, dot: &Operand<'d>, command: &'t Command, input: Option<Operand<'d>>) -> Result<Operand<'d>> {
        self.tick(1)?;
        let Some((first, args)) = command.words.split_first() else { return Ok(Operand::MISSING) };
        match &first.kind {
            ExprKind::Field(names) => {
                self.at = At::Expr(first);
                return self.fields(dot, dot.clone(), first, names, args, input);
            }
            ExprKind::Chain { base, fields } => return self.chain(dot, first, base, fields, args, input),
            ExprKind::Function(name) => {
                self.at = At::Expr(first);
                return self.call(dot, name, At::Command(command), args, input);
            }
            ExprKind::Pipe(pipe) => {
                self.no_arguments(first, args, input.as_ref())?;
                return self.pipeline(dot, pipe);
            }
            ExprKind::Variable { name, fields } => return self.variable(dot, first, name, fields, args, input),
            _ => {}
        }
        self.at = At::Expr(first);
        self.no_arguments(first, args, input.as_ref())?;
        match &first.kind {
            ExprKind::Dot => Ok(dot.clone()),
            ExprKind::Nil => self.error("nil is not a command"),
            _ => self.constant(first),
        }
    }

    fn no_arguments(&self, word: &Expr, args: &[Expr], input: Option<&Operand<'d>>) -> Result<()> {
        if args.is_empty() && input.is_none() {
            return Ok(());
        }
        self.error(format!("can't give argument to non-function {word}"))
    }

    pub(super) fn constant(&mut self, word: &'t Expr) -> Result<Operand<'d>> {
        match &word.kind {
            ExprKind::Bool(b) => Ok(Operand::of(Data::Bool(*b))),
            ExprKind::Str { value, .. } => {
                Ok(Operand { content: Content::Own(value.clone()), iface: false, truth: None })
            }
            ExprKind::Number { number, text } => {
                self.at = At::Expr(word);
                self.number(*number, text)
            }
            _ => self.error(format!("can't evaluate command {}", quote(&word.to_string()))),
        }
    }

    /// A number without an expected type: its spelling determines the type.
    fn number(&self, number: Number, text: &str) -> Result<Operand<'d>> {
        let hex = matches!(text.as_bytes(), [b'0', b'x' | b'X', _, ..]) && !text.contains(['p', 'P']);
        match number {
            Number { float: Some(f), .. }
                if !hex && !text.starts_with('\'') && text.contains(['.', 'e', 'E', 'p', 'P']) =>
            {
                Ok(Operand::of(Data::Float(f)))
            }
            Number { int: Some(i), .. } => Ok(Operand::of(Data::Int(i))),
            _ => self.error(format!("{text} overflows int")),
        }
    }

    fn variable(
        &mut self,
        dot: &Operand<'d>,
        word: &'t Expr,
        name: &str,
        fields: &'t [Text],
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        self.at = At::Expr(word);
        let Some((_, value)) = self.vars.iter().rev().find(|(n, _)| *n == name) else {
            return self.error(format!("undefined variable: {name}"));
        };
        let value = value.clone();
        if fields.is_empty() {
            self.no_arguments(word, args, input.as_ref())?;
            return Ok(value);
        }
        self.fields(dot, value, word, fields, args, input)
    }

    fn chain(
        &mut self,
        dot: &Operand<'d>,
        word: &'t Expr,
        base: &'t Expr,
        fields: &'t [Text],
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        self.at = At::Expr(word);
        let receiver = self.argument(dot, base)?;
        self.fields(dot, receiver, word, fields, args, input)
    }

    /// Resolves a chain of fields; if the last one is a method, it gets the arguments.
    fn fields(
        &mut self,
        dot: &Operand<'d>,
        mut receiver: Operand<'d>,
        word: &'t Expr,
        names: &'t [Text],
        args: &'t [Expr],
        mut input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        let has_arguments = !args.is_empty() || input.is_some();
        let last = names.len().saturating_sub(1);
        for (i, name) in names.iter().enumerate() {
            let found = match &receiver.content {
                Content::Ref(Value { data: Data::Map(map), .. }) => map.value_of(name).map(Operand::element),
                Content::Own(Value { data: Data::Map(map), .. }) => {
                    map.value_of(name).cloned().map(Operand::owned_element)
                }
                Content::Object(object) if object.has(name) => {
                    let object = object.clone();
                    let (args, input) = if i == last { (args, input.take()) } else { (&args[..0], None) };
                    receiver = self.method(dot, &*object, name, word, args, input)?;
                    continue;
                }
                _ => {
                    if receiver.is_missing() {
                        self.missed(word);
                    }
                    receiver = self.odd_field(receiver, name)?;
                    continue;
                }
            };
            if i == last && has_arguments {
                return self.error(format!("{name} is not a method but has arguments"));
            }
            let computed = match found {
                None if i == 0 && self.is_root(&receiver) => self.functions.field(name),
                _ => None,
            };
            if let Some(computed) = computed {
                receiver = self.returned(computed, name, At::Expr(word), &[], &[])?;
                continue;
            }
            receiver = match (found, self.missing) {
                (Some(value), _) => value,
                (None, MissingKey::Default) => {
                    self.missed(word);
                    Operand::MISSING
                }
                (None, MissingKey::Error) => {
                    return self.error(format!("map has no entry for key {}", quote(name)));
                }
            };
        }
        if let Some(value) = receiver.value() {
            self.inputs.add(&value.prov);
        }
        Ok(receiver)
    }

    /// Whether a value is the data that the template is run with.
    fn is_root(&self, value: &Operand<'d>) -> bool {
        let root = self.vars.first().map(|(_, root)| &root.content);
        matches!((&value.content, root), (Content::Ref(a), Some(Content::Ref(b))) if a.is_identical(b))
    }

    /// A field of something that has no fields.
    fn odd_field(&mut self, receiver: Operand<'d>, name: &str) -> Result<Operand<'d>> {
        match receiver.data() {
            Some(Data::Unknown(unknown)) => Ok(Operand::unknown(unknown.clone())),
            Some(Data::Null) => self.error(format!("nil pointer evaluating interface {{}}.{name}")),
            Some(Data::Time(_)) if TIME_METHODS.contains(&name) => {
                if let Some(Data::Time(time)) = receiver.data()
                    && let Some(Ok(answer)) = super::funcs::time_method(time, name, &[])
                {
                    return Ok(Operand::from_val(answer));
                }
                let reason = format!("the method {name} of a date is not evaluated");
                Ok(Operand::from_val(Val::unknown(format!(".{name}"), reason)))
            }
            None if receiver.is_missing() => match self.missing {
                MissingKey::Default => Ok(Operand::MISSING),
                MissingKey::Error => self.error(format!("nil data; no entry for key {}", quote(name))),
            },
            _ => self.error(format!("can't evaluate field {name} in type {}", receiver.static_type())),
        }
    }

    fn method(
        &mut self,
        dot: &Operand<'d>,
        object: &dyn super::Object,
        name: &str,
        word: &'t Expr,
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Operand<'d>> {
        let before = self.at;
        let operands = self.arguments(dot, args, input)?;
        self.check_sizes(&operands)?;
        if let Some(unknown) = combined(operands.iter().filter_map(Operand::unknown_inside)) {
            return Ok(Operand::unknown(unknown));
        }
        self.pay_for_searching(name, &operands)?;
        let vals: Vec<Val> = operands.iter().map(Operand::to_val).collect();
        let result = object.call(name, &vals);
        if matches!(&result, Err(m) if m.starts_with("wrong number of args for")) {
            self.at = before;
        }
        self.returned(result, name, At::Expr(word), args, &operands)
    }

    /// The values of the arguments, the piped one last.
    pub(super) fn arguments(
        &mut self,
        dot: &Operand<'d>,
        args: &'t [Expr],
        input: Option<Operand<'d>>,
    ) -> Result<Vec<Operand<'d>>> {
        let mut operands = Vec::with_capacity(args.len() + 1);
        for arg in args {
            operands.push(self.argument(dot, arg)?);
        }
        operands.extend(input);
        Ok(operands)
    }

    /// Rejects values that are too large before anything reads them.
    pub(super) fn check_sizes(&mut self, operands: &[Operand<'d>]) -> Result<()> {
        operands.iter().try_for_each(|o| self.check_size(o))
    }

    /// Pays for what a function reads: a step for every 64 bytes of text and every 4 items of a list. Functions that look for an
    /// item hold all against it, which takes more where they are lists or maps.
    pub(super) fn pay_for_reading(&mut self, operands: &[Operand<'d>]) -> Result<()> {
        for operand in operands {
            match operand.data() {
                Some(Data::Str(text)) => self.tick(text.len() / 64)?,
                Some(Data::List(items)) => {
                    let nested = items.iter().filter(|v| matches!(v.data, Data::List(_) | Data::Map(_))).count();
                    self.tick(items.len() / 4 + nested.saturating_mul(nested) / 64)?;
                }
                Some(Data::Map(map)) => self.tick(map.len() / 16)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The value of an argument whose type is left open.
    pub(super) fn argument(&mut self, dot: &Operand<'d>, word: &'t Expr) -> Result<Operand<'d>> {
        self.at = At::Expr(word);
        match &word.kind {
            ExprKind::Dot => Ok(dot.clone()),
            ExprKind::Nil => Ok(Operand::MISSING),
            ExprKind::Field(names) => self.fields(dot, dot.clone(), word, names, &[], None),
            ExprKind::Variable { name, fields } => self.variable(dot, word, name, fields, &[], None),
            ExprKind::Pipe(pipe) => self.pipeline(dot, pipe),
            ExprKind::Function(name) => self.call(dot, name, At::Expr(word), &[], None),
            ExprKind::Chain { base, fields } => self.chain(dot, word, base, fields, &[], None),
            _ => self.constant(word),
        }
    }
}
