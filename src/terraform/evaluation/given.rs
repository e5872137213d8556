//! What is given to a root module from outside of its folder.

use std::collections::BTreeMap;

/// The values that a run gives to a root module, beside those of files that are loaded automatically.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    /// Input variables in the order in which they were given; a later one wins.
    pub variables: &'a [VariableInput],
    /// The environment variables of the run, with their values as written.
    pub env: &'a BTreeMap<String, String>,
    /// The selected workspace; `default` without one.
    pub workspace: Option<&'a str>,
}

/// One source of input variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VariableInput {
    /// One variable, with its value as written.
    Value {
        name: String,
        /// The text after the `=`.
        text: String,
    },
    /// A file of the repository. It may be missing in a revision.
    File {
        /// Its path from the root of the repository.
        path: String,
    },
    /// A file outside of the repository, read already.
    Text {
        /// Its path, as the user named it.
        path: String,
        text: String,
    },
}
