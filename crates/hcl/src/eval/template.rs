//! Templates: strings and heredocs with values and directives in them.

use crate::ast::{Expr, Part, Span};
use crate::eval::Evaluator;
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::unknown::Facts;
use crate::val::{Data, Marks, Val};
use shared_text::Text;
use traced_value::Prov;

/// Text as it is written so far.
#[derive(Default)]
struct Output {
    text: String,
    marks: Marks,
    unknown: Option<Text>,
    /// The text in front of what is not known.
    prefix: Option<String>,
    read: Vec<Val>,
}

impl Output {
    /// Notes that the text is not known from here on, and why.
    fn not_known(&mut self, reason: impl Into<Text>) {
        self.unknown.get_or_insert(reason.into());
        self.prefix.get_or_insert_with(|| self.text.clone());
    }

    /// Notes that a directive made the text since `start`: of a directive that is not known, no beginning is.
    fn directive(&mut self, start: usize) {
        if let Some(prefix) = &mut self.prefix
            && prefix.len() > start
        {
            prefix.truncate(start);
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn template(&mut self, parts: &[Part], span: Span) -> Val {
        match parts {
            [] => return Val::str("").with_prov(Prov::at(self.origin(span))),
            [Part::Text(text)] => return Val::str(Text::clone(text)).with_prov(Prov::at(self.origin(span))),
            _ => {}
        }
        let mut output = Output::default();
        self.parts(parts, &mut output, span);
        if !self.budget.take(output.text.len() as u64 / 64) {
            return self.exhausted(span);
        }
        let prov = self.derived(span, &output.read);
        let value = match output.unknown {
            Some(reason) if reason.is_empty() => Val::unknown(Type::Str, reason),
            Some(reason) => {
                let facts = Facts::starting_with(&output.prefix.unwrap_or_default());
                Val::partly_unknown(Type::Str, reason, facts)
            }
            None => Val::str(output.text),
        };
        value.marked(output.marks).with_prov(prov)
    }

    fn parts(&mut self, parts: &[Part], output: &mut Output, span: Span) {
        for part in parts {
            match part {
                Part::Text(text) => output.text.push_str(text),
                Part::Value(expr) => self.interpolation(expr, output),
                Part::If(condition, yes, no) => {
                    let start = output.text.len();
                    self.choice(condition, yes, no, output);
                    output.directive(start);
                }
                Part::For(all) => {
                    let collection = self.eval(&all.collection);
                    let pairs = self.iterate(&collection, all.collection.span);
                    match &pairs {
                        Some(_) => output.marks = output.marks | collection.marks,
                        // OpenTofu forgets the marks of what is not known here and in the iterations.
                        None => output.not_known(collection.unknown_reason().cloned().unwrap_or_default()),
                    }
                    let mut made = Output::default();
                    for (key, value) in pairs.unwrap_or_default() {
                        let mut names: Vec<(Text, Val)> = Vec::new();
                        names.extend(all.key.as_ref().map(|name| (Text::clone(&name.text), key)));
                        names.push((Text::clone(&all.value.text), value));
                        self.with_bound(names, |this| this.parts(&all.body, &mut made, span));
                    }
                    match made.unknown {
                        Some(reason) => output.not_known(reason),
                        None => {
                            output.marks = output.marks | made.marks;
                            output.text.push_str(&made.text);
                        }
                    }
                    output.read.extend(made.read);
                    output.read.push(collection);
                }
            }
            if !self.budget.take(output.text.len() as u64 / 4096 + 1) {
                output.not_known(Text::new());
                self.exhausted(span);
                return;
            }
        }
    }

    fn choice(&mut self, condition: &Expr, yes: &[Part], no: &[Part], output: &mut Output) {
        let test = self.eval(condition);
        output.marks = output.marks | test.marks;
        if test.is_null() {
            self.problem(
                "Null condition",
                "The condition value is null. Conditions must either be true or false.",
                condition.span,
            );
            output.not_known(Text::new());
            return;
        }
        if let Data::Unknown(_, reason) = &test.data {
            output.not_known(Text::clone(reason));
            for branch in [yes, no] {
                output.marks = output.marks | self.branch_marks(branch, condition.span);
            }
            output.read.push(test);
            return;
        }
        match convert(&test, &Type::Bool).map(|v| v.data) {
            Ok(Data::Bool(chosen)) => {
                let (taken, other) = if chosen { (yes, no) } else { (no, yes) };
                self.parts(taken, output, condition.span);
                output.marks = output.marks | self.branch_marks(other, condition.span);
            }
            _ => {
                self.problem(
                    "Incorrect condition type",
                    "The condition expression must be of type bool.",
                    condition.span,
                );
                output.not_known(Text::new());
            }
        }
        output.read.push(test);
    }

    /// The marks of a branch that is not taken. What is wrong with it does not matter.
    fn branch_marks(&mut self, parts: &[Part], span: Span) -> Marks {
        let before = self.problems.len();
        let mut output = Output::default();
        self.parts(parts, &mut output, span);
        self.problems.truncate(before);
        output.marks
    }

    fn interpolation(&mut self, expr: &Expr, output: &mut Output) {
        let value = self.eval(expr);
        output.marks = output.marks | value.all_marks();
        let invalid = "Invalid template interpolation value";
        if value.is_null() {
            self.problem(
                invalid,
                "The expression result is null. Cannot include a null value in a string template.",
                expr.span,
            );
            output.not_known(Text::new());
        } else if let Data::Unknown(_, reason) = &value.data {
            // Whether it is text at all is seen when it is known.
            output.not_known(Text::clone(reason));
        } else {
            match convert(&value, &Type::Str).map(|v| v.data) {
                Ok(Data::Str(text)) => output.text.push_str(&text),
                Ok(_) => {}
                Err(why) => {
                    let detail = format!("Cannot include the given value in a string template: {}.", why.text());
                    self.problem(invalid, detail, expr.span);
                    output.not_known(Text::new());
                }
            }
        }
        output.read.push(value);
    }
}
