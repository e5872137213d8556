//! How much of the inputs of a root module decides whether something is wrong with it, as the evaluation finds it out.

use crate::text::Text;
use std::collections::BTreeMap;

/// How much of a value decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// Its type, the keys and the number of elements at all depths, what is null, unknown or marked.
    #[default]
    Shape,
    /// The same with texts: they are converted to numbers.
    Texts,
    /// All of it.
    Whole,
}

/// How much of the inputs of a root module decides.
#[derive(Debug, Default)]
pub(crate) struct Decisive {
    /// The variables of the root module of which more than the shape decides.
    pub variables: BTreeMap<Text, Detail>,
    /// The name of the workspace.
    pub workspace: Detail,
}
