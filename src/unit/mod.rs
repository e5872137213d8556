//! What units of a resolution show to each other: the only part of a unit that another unit, or a rule over all units, can
//! depend on.
//!
//! Two revisions of a unit whose interfaces are equal are the same to everything outside of it. A comparison therefore
//! resolves only the units that an edit reaches, unless one of their interfaces differs.

mod interface;

pub(crate) use interface::{CodeInterface, Interface, Names, StateInterface, Undeclared, UnitInterface, interfaces};
