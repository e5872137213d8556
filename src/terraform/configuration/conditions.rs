//! Conditions: validations of variables, preconditions and postconditions, and checks.

use crate::hcl::ast::{Block, Span};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Marks, Val};
use crate::terraform::configuration::frame::{At, Evaluation, Expanded, Frame};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::FileId;
use std::rc::Rc;

fn written(file: FileId, block: &Block, name: &str) -> Option<Written> {
    let attribute = block.body.get(name)?;
    Some(Written::of(file, attribute))
}

/// Where a value is written.
fn origin_place(value: &Val) -> Option<Place> {
    value.prov.origin.map(|origin| (origin.file, Span { start: origin.start, end: origin.end }))
}

impl Evaluation<'_, '_> {
    /// Checks the validations of a variable.
    pub(super) fn validations(&self, frame: &Rc<Frame>, name: &Text) {
        let caller = frame.caller.as_ref().map(|(caller, call, _)| (caller.node, call));
        self.validations_of_call(frame, caller, name);
    }

    /// The same of a variable to which a call in a module gives a value, if it is not in the root module.
    pub(super) fn validations_of_call(&self, frame: &Rc<Frame>, caller: Option<(usize, &Text)>, name: &Text) {
        let module = self.module(frame);
        let Some(declared) = module.declarations.get(name) else { return };
        let argument = caller.and_then(|(caller, call)| {
            Some(self.statics.nodes[caller].module.calls.get(call)?.arguments.get(name)?.place())
        });
        for block in declared.blocks.iter().filter(|block| &*block.kind.text == "validation") {
            let Some(condition) = written(block.file, block, "condition") else { continue };
            if self.variable(frame, name).is_failed() {
                continue;
            }
            let is_default = |(file, span): &Place| {
                let default = declared.arguments.get("default").map(Written::place);
                default.is_some_and(|(of, whole)| of == *file && whole.start <= span.start && span.end <= whole.end)
            };
            let given = || origin_place(&self.variable(frame, name)).filter(|place| !is_default(place));
            let place = argument.or_else(given).unwrap_or(declared.place);
            self.condition(&At::module(frame), &condition, block, true, |message| {
                let failure =
                    Failure::new(&rules::FAILED_CONDITION, format!("invalid value for variable: {message}"), place);
                failure.declared(declared.place)
            });
        }
    }

    /// Checks the conditions of the instances of a resource.
    pub(super) fn lifecycle(&self, frame: &Rc<Frame>, declared: &Declared, block: &Expanded, has_failed: bool) {
        for (repeat, planned) in &block.planned {
            let at = At { repeat, ..At::module(frame) };
            for lifecycle in declared.blocks.iter().filter(|block| &*block.kind.text == "lifecycle") {
                let blocks = || lifecycle.body.blocks.iter().map(|block| (lifecycle.file, block));
                // They are evaluated before the arguments.
                self.all(&at, blocks(), "precondition");
                if !has_failed {
                    let at = At { itself: Some(&planned.val), ..at };
                    self.all(&at, blocks(), "postcondition");
                }
            }
        }
    }

    /// Checks the conditions that a block has itself.
    pub(super) fn preconditions(&self, at: &At<'_>, declared: &Declared, kind: &str) {
        self.all(at, declared.blocks.iter().map(|nested| (nested.file, &nested.block)), kind);
    }

    fn all<'b>(&self, at: &At<'_>, blocks: impl Iterator<Item = (FileId, &'b Block)>, kind: &str) {
        for (file, block) in blocks.filter(|(_, block)| *block.kind.text == *kind) {
            let Some(condition) = written(file, block, "condition") else { continue };
            let place = condition.place();
            self.condition(at, &condition, block, false, |message| {
                Failure::new(&rules::FAILED_CONDITION, format!("{kind} failed: {message}"), place)
            });
        }
    }

    /// Checks the assertions of a check. They fail without consequences.
    pub(super) fn assertions(&self, frame: &Rc<Frame>, declared: &Declared) {
        for block in declared.blocks.iter().filter(|block| &*block.kind.text == "assert") {
            let Some(condition) = written(block.file, block, "condition") else { continue };
            let place: Place = condition.place();
            self.condition(&At::module(frame), &condition, block, false, |message| {
                Failure::new(&rules::FAILED_CHECK, format!("check block assertion failed: {message}"), place).lint(None)
            });
        }
    }

    /// Evaluates a condition, and reports that it does not hold. The message of a validation may be anything as long as nobody reads
    /// it.
    fn condition(
        &self,
        at: &At<'_>,
        condition: &Written,
        block: &Block,
        is_validation: bool,
        failed: impl FnOnce(&str) -> Failure,
    ) {
        let value = self.value(at, condition);
        let holds =
            matches!(convert(&value, &Type::Bool).map(|value| value.data), Ok(Data::Bool(true) | Data::Unknown(..)));
        let message = written(condition.file, block, "error_message").map(|written| match is_validation && holds {
            true => self.value(at, &written),
            false => self.message(at, &written),
        });
        if value.is_failed() {
            return;
        }
        let wrong = |why: &str| {
            let message = format!("invalid condition result: {why}");
            self.report_at(at, Failure::new(&rules::FAILED_CONDITION, message, condition.place()));
        };
        match convert(&value, &Type::Bool).map(|value| value.data) {
            Ok(Data::Bool(true) | Data::Unknown(..)) => {}
            Ok(Data::Bool(false)) => {
                self.report_at(at, failed(&shown_message(message.as_ref())));
            }
            Ok(_) => wrong("a condition must be true or false, not null"),
            Err(why) => wrong(&why.text()),
        }
    }

    /// The message of a condition, which has to be a text.
    fn message(&self, at: &At<'_>, written: &Written) -> Val {
        let value = self.value(at, written);
        let why = match convert(&value, &Type::Str) {
            Ok(text) if !text.is_null() => return text,
            Ok(_) => "it must not be null".to_owned(),
            Err(why) => why.text(),
        };
        let message = format!("invalid error message: {why}");
        self.report_at(at, Failure::new(&rules::FAILED_CONDITION, message, written.place()));
        Val::failed()
    }
}

/// The message of a condition, without what is hidden.
fn shown_message(value: Option<&Val>) -> String {
    match value.and_then(|value| Some((value.as_str()?, value.marks))) {
        Some((text, Marks::NONE)) => text.lines().collect::<Vec<_>>().join(" "),
        _ => "the condition does not hold".to_owned(),
    }
}
