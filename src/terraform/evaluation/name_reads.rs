//! What names of a root module read: each is looked up once for all expressions.

use crate::value::{Prov, Read};

/// What a name reads.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// Its value if that is known, or else its text.
    pub read: Read,
    pub place: Option<Prov>,
    /// Whether its value is known.
    pub is_known: bool,
}
