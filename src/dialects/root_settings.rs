//! The settings of root modules: which folders they are, and with which values each is resolved.

use crate::source::glob::Glob;
use crate::terraform::provider_schema::ProviderSchemas;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The settings of root modules, for dialects that have such.
#[derive(Clone, Debug, Default)]
pub(crate) struct RootSettings {
    /// The folders that are root modules: patterns from the root of the repository, `.` for itself. Without one they are
    /// found by what is in them.
    pub roots: Vec<Glob>,
    /// Files of values for every root module that has them: paths from its folder, or from the root of the repository if
    /// they begin with `/`. `{root}` stands for the name of its folder.
    pub var_files: Vec<String>,
    /// The workspaces in which each root module is resolved.
    pub workspaces: Vec<String>,
    /// Sets of values: each root module is resolved with each of them that it has the files of.
    pub sets: BTreeMap<String, VariableSet>,
    /// The tool that runs the code, if it is not the usual one of its dialect.
    pub tool: Option<String>,
    /// The schemas of providers, if there is a file of them.
    pub schemas: Option<Arc<ProviderSchemas>>,
}

/// Values for root modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct VariableSet {
    /// Files of values, as in [`RootSettings::var_files`].
    pub var_files: Vec<String>,
    /// Values by the name of their variable, as they would be given on the command line.
    pub variables: BTreeMap<String, String>,
    pub workspace: Option<String>,
}
