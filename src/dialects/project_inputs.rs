//! Inputs of a project from outside of its files: input variables, environment variables and a workspace, as set by the
//! user.

pub(crate) use crate::terraform::evaluation::given::VariableInput;
use std::collections::BTreeMap;

/// The inputs of a run, the same for every dialect. Which of them mean something is up to the dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectInputs {
    /// Input variables in the order in which they were given; a later one wins.
    pub variables: Vec<VariableInput>,
    /// Environment variables that the user set for this run, with their values as written. The environment of the process
    /// has no part in it.
    pub env: BTreeMap<String, String>,
    /// The workspace, if one was named.
    pub workspace: Option<String>,
    /// The experiments of the tool that are switched on.
    pub experiments: Vec<String>,
    /// The stack that the user names, if any. Some systems have stacks that exist only when they are named.
    pub stack: Option<String>,
}
