//! The target of a call's source, as far as its text shows it.

use crate::hcl::ast::Expr;
use crate::hcl::ast::walk;
use crate::terraform::load::path::{Beside, beside};
use crate::terraform::module::address::{self, Address};

/// The target of a call's source, as far as its text shows it.
#[derive(Clone, Debug)]
pub(crate) enum Lead {
    /// A folder of the repository, links not followed.
    Local(Beside),
    /// Something that is fetched.
    Elsewhere,
    /// Known only after evaluation.
    Computed,
}

impl Lead {
    /// Returns the target of a source in a module of a folder.
    pub(crate) fn of(dir: &str, source: &Expr) -> Self {
        Self::of_text(dir, walk::constant_text(source))
    }

    /// The same of its text; `None` if it is not known.
    pub(crate) fn of_text(dir: &str, source: Option<&str>) -> Self {
        match source.map(address::parse) {
            None => Lead::Computed,
            Some(Ok(Address::Local(source))) => Lead::Local(beside(dir, &source)),
            Some(_) => Lead::Elsewhere,
        }
    }
}
