//! The options of lists of affected components, which bear the names that they have in `describe affected`.

use crate::affected;
use clap::{ArgAction, Args, ValueEnum};

/// Options of the formats that list what a change affects.
#[derive(Args, Debug)]
#[command(next_help_heading = "Affected components (formats affected, matrix, atlantis, …)")]
#[group(skip)]
pub(super) struct Options {
    /// List the dependents of each component
    #[arg(long)]
    include_dependents: bool,
    /// List the settings of each component
    #[arg(long)]
    include_settings: bool,
    /// Omit locked components
    #[arg(long)]
    exclude_locked: bool,
    /// List also the components that administer affected Spacelift stacks
    #[arg(long)]
    include_spacelift_admin_stacks: bool,
    /// Render templates before components are compared
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    process_templates: bool,
    /// List components whose files differ, or only those of which something differs that a run would apply
    #[arg(long, value_name = "BY", default_value = "files")]
    by: By,
    /// Say on standard error why each component runs, or why it needs no run
    #[arg(long)]
    pub(super) explain: bool,
}

/// What makes a component affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Its configuration or its code differs
    Files,
    /// What its code makes of its values may differ
    Configuration,
}

impl Options {
    /// Returns the options as the library expects them; `jobs` says whether a format is made from jobs.
    pub(super) fn options(&self, jobs: bool) -> affected::AffectedOptions {
        affected::AffectedOptions {
            dependents: self.include_dependents,
            settings: self.include_settings,
            exclude_locked: self.exclude_locked,
            admin_stacks: self.include_spacelift_admin_stacks,
            process_templates: self.process_templates,
            by_configuration: self.by == By::Configuration,
            jobs: jobs || self.explain,
        }
    }
}
