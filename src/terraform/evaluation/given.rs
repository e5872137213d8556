//! What is given to a root module from outside of its folder.

use crate::text::Text;
use crate::value::{Map, Origin};
use std::collections::BTreeMap;

/// The values that a run gives to a root module, beside those of files that are loaded automatically.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    /// Values that the caller of the tool passes in environment variables, which hold text or JSON.
    pub passed: Option<&'a Map>,
    /// Values of variables that are passed in a file, after those of files that are loaded automatically.
    pub values: Option<&'a Map>,
    /// What is put into the folder before the tool runs.
    pub over: Option<&'a Overlay>,
    /// Input variables in the order in which they were given; a later one wins.
    pub variables: &'a [VariableInput],
    /// The environment variables of the run, with their values as written.
    pub env: &'a BTreeMap<String, String>,
    /// The selected workspace; `None` if it is not known.
    pub workspace: Option<&'a str>,
}

/// The workspace of a run that selects none.
pub(crate) const DEFAULT_WORKSPACE: &str = "default";

/// The environment of a run that sets nothing.
static NO_VARIABLES: BTreeMap<String, String> = BTreeMap::new();

impl Default for Given<'_> {
    fn default() -> Self {
        Given {
            passed: None,
            values: None,
            over: None,
            variables: &[],
            env: &NO_VARIABLES,
            workspace: Some(DEFAULT_WORKSPACE),
        }
    }
}

/// What is put into the folder of a root module before the tool runs. It takes the place of files of the same name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    /// A folder of the repository whose files are copied, if there is one.
    pub folder: Option<String>,
    /// The files that are generated after that.
    pub generated: Vec<GeneratedFile>,
}

/// A file that is generated into the folder of a root module.
#[derive(Clone, Debug)]
pub(crate) struct GeneratedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its content; `None` if that is not known.
    pub text: Option<Text>,
    /// Where the content is written.
    pub origin: Origin,
}

/// What a system gives to the code of a component, beside its inputs and its workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunInputs {
    /// The environment variables of the run.
    pub env: BTreeMap<String, String>,
    /// Variables that the run sets to what is not known.
    pub unknown: Vec<VariableInput>,
    /// The files that are generated into the folder.
    pub generated: Vec<GeneratedFile>,
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
    /// Something that may set this variable, or any one, to what is not known.
    Unknown {
        name: Option<String>,
        /// What it is, in words.
        what: String,
    },
}
