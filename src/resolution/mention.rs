//! Components and stacks that are named outside of the files that define them.

use crate::text::Text;
use crate::value::Origin;

/// A command that is written down somewhere and names a component, a stack, or both.
#[derive(Clone, Debug)]
pub(crate) struct CommandReference {
    /// Where it is named, for messages: "step `plan` of workflow `deploy`".
    pub by: String,
    pub component: Option<MentionedName>,
    /// The types that the component may have; any if empty.
    pub kinds: &'static [&'static str],
    /// The stack; `None` if it is passed to the command when it runs.
    pub stack: Option<MentionedName>,
}

/// A name and the value that it is written in.
#[derive(Clone, Debug)]
pub(crate) struct MentionedName {
    pub name: Text,
    /// The place of the value.
    pub origin: Origin,
}
