//! The options about YAML functions, the same for every command that resolves configuration.
#![allow(clippy::disallowed_methods, reason = "values and variables that the user names are files on the disk")]

use super::env_file::EnvFileArgument;
use super::inputs::Inputs;
use crate::cli::Failure;
use crate::cli::open::Invocation;
use crate::dialects::{EvalInputs, assignment, unquoted};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Functions")]
#[group(skip)]
pub(in crate::cli) struct Functions {
    /// Evaluate YAML functions that need no external data; the options below imply it
    #[arg(long)]
    functions: bool,
    /// Set an environment variable for functions, templates and input variables; can be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = assignment)]
    variables: Vec<(String, String)>,
    /// Read values of outputs from a JSON file: {component: {stack: {output: value}}}; can be repeated
    #[arg(long, value_name = "FILE")]
    values: Vec<PathBuf>,
    /// Switch on an experiment of the deployment tool; can be repeated
    #[arg(long = "experiment", value_name = "NAME")]
    experiments: Vec<String>,
    #[command(flatten)]
    inputs: Inputs,
}

/// The options of commands that look for findings.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Functions")]
#[group(skip)]
pub(in crate::cli) struct Merging {
    #[command(flatten)]
    functions: Functions,
    /// Report also what would change if YAML functions were merged across imports
    #[arg(long)]
    promised_merge: bool,
}

impl Functions {
    /// Passes the values and variables, including those from files, to the project of a place.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(in crate::cli) fn apply(&self, env_files: &[EnvFileArgument], place: &mut Invocation) -> Result<(), Failure> {
        self.inputs.apply(place)?;
        place.project.inputs.experiments.clone_from(&self.experiments);
        let mut inputs = EvalInputs::default();
        for file in env_files {
            inputs.env.extend(file.read()?.values.clone());
        }
        place.project.inputs.env.extend(inputs.env.clone());
        for (name, value) in &self.variables {
            place.project.inputs.env.insert(name.clone(), value.clone());
            inputs.env.insert(name.clone(), unquoted(value).to_owned());
        }
        if !self.functions && self.values.is_empty() && inputs.env.is_empty() {
            return Ok(());
        }
        for path in &self.values {
            let text = crate::source::read_named(path)
                .map_err(|e| Failure::Message(format!("cannot read {}: {e}", path.display())))?;
            inputs.add_values(&text).map_err(|e| Failure::Message(format!("{}: {e}", path.display())))?;
        }
        place.project.eval_inputs = Some(inputs);
        Ok(())
    }
}

impl Merging {
    /// Passes the variables, including those from files, to the project of a place.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(in crate::cli) fn apply(&self, env_files: &[EnvFileArgument], place: &mut Invocation) -> Result<(), Failure> {
        place.project.promised_merge = self.promised_merge;
        self.functions.apply(env_files, place)
    }
}
