//! The outcome of an evaluation: a value, or why there is none, and the steps that it takes.

use super::value::{Blank, Val};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It reads what is not there.
    Missing(String),
    /// An operation that the value does not support.
    Wrong(String),
    /// It takes more steps than it may.
    Exceeded,
}

/// Steps that are left.
#[derive(Debug)]
pub(crate) struct Steps {
    left: u64,
    taken: u64,
}

impl Steps {
    /// So many steps.
    pub(crate) fn new(left: u64) -> Steps {
        Steps { left, taken: 0 }
    }

    /// How many were taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    pub(super) fn take(&mut self, steps: u64) -> Result<(), Failure> {
        self.taken = self.taken.saturating_add(steps);
        if self.taken > self.left {
            return Err(Failure::Exceeded);
        }
        Ok(())
    }

    /// The steps for text that is read or made.
    pub(super) fn take_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        self.take(bytes as u64 / 16)
    }
}

/// A value, or why there is none.
pub(super) type Outcome<'a> = Result<Val<'a>, Failure>;

/// A function does not take a value.
pub(super) fn wrong(name: &str, value: &Val<'_>) -> Failure {
    Failure::Wrong(format!("`{name}` does not accept {}", value.type_name()))
}

/// A value is used where a boolean is required.
pub(super) fn no_truth(value: &Val<'_>) -> Failure {
    Failure::Wrong(format!("a {} is not a boolean", value.type_name()))
}

/// The first unknown value among some.
pub(super) fn unknown<'a>(values: &[Val<'a>]) -> Option<Blank<'a>> {
    values.iter().find_map(|value| match value {
        Val::Unknown(blank) | Val::Perhaps(_, blank) => Some(blank.clone()),
        _ => None,
    })
}
