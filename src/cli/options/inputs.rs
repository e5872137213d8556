//! The options for what a project takes from outside of its files: input variables and the workspace, the same for every
//! command that resolves configuration.
#![allow(clippy::disallowed_methods, reason = "variable files that the user names may lie outside of the repository")]

use crate::cli::Failure;
use crate::cli::open::Invocation;
use crate::dialects::{VariableInput, assignment};
use crate::terraform::provider_schema::ProviderSchemas;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `--var`, `--var-file`, `--workspace`, `--no-code` and `--provider-schema`. The first two keep the order of the command line: the later
/// one wins.
#[derive(Debug, Default)]
pub(in crate::cli) struct Inputs {
    variables: Vec<Variable>,
    workspace: Option<String>,
    leaves_code: bool,
    provider_schema: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Variable {
    Value(String, String),
    File(PathBuf),
}

const HEADING: &str = "Inputs";

impl Args for Inputs {
    fn augment_args(command: Command) -> Command {
        let repeated = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append).help_heading(HEADING);
        command
            .arg(
                repeated("var")
                    .value_name("NAME=VALUE")
                    .value_parser(ValueParser::new(assignment))
                    .help("Set an input variable of the projects; can be repeated"),
            )
            .arg(
                repeated("var-file")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("Read input variables from a file; can be repeated, and a later --var or --var-file wins"),
            )
            .arg(
                Arg::new("workspace")
                    .long("workspace")
                    .value_name("NAME")
                    .help_heading(HEADING)
                    .help("Resolve the projects in this workspace [default: default]"),
            )
            .arg(
                Arg::new("no-code")
                    .long("no-code")
                    .action(ArgAction::SetTrue)
                    .help_heading(HEADING)
                    .help("Leave out what the code of components makes of their values"),
            )
            .arg(
                Arg::new("provider-schema")
                    .long("provider-schema")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help_heading(HEADING)
                    .help("Check resources against the output of `tofu providers schema -json` in this file"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Inputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = matches.get_many::<(String, String)>("var").unwrap_or_default();
        let values = values.map(|(name, value)| Variable::Value(name.clone(), value.clone()));
        let paths = matches.get_many::<PathBuf>("var-file").unwrap_or_default();
        let paths = paths.map(|path| Variable::File(path.clone()));
        let positions = |name| matches.indices_of(name).unwrap_or_default();
        let mut all: Vec<(usize, Variable)> = positions("var").zip(values).collect();
        all.extend(positions("var-file").zip(paths));
        all.sort_by_key(|(position, _)| *position);
        let variables = all.into_iter().map(|(_, variable)| variable).collect();
        let workspace = matches.get_one::<String>("workspace").cloned();
        let provider_schema = matches.get_one::<PathBuf>("provider-schema").cloned();
        Ok(Inputs { variables, workspace, leaves_code: matches.get_flag("no-code"), provider_schema })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Inputs {
    /// Passes the inputs to the project of a place. A file in the repository is passed by name, so that each state uses
    /// its own version of the file; any other file is read here.
    ///
    /// # Errors
    /// A file outside of the repository cannot be read.
    pub(in crate::cli) fn apply(&self, place: &mut Invocation) -> Result<(), Failure> {
        let one = |variable: &Variable| match variable {
            Variable::Value(name, text) => Ok(VariableInput::Value { name: name.clone(), text: text.clone() }),
            Variable::File(path) => file(path, place),
        };
        let variables = self.variables.iter().map(one).collect::<Result<_, Failure>>()?;
        place.project.inputs.variables = variables;
        place.project.inputs.workspace.clone_from(&self.workspace);
        place.project.leaves_code = self.leaves_code;
        if let Some(path) = &self.provider_schema {
            let text = crate::source::read_named(&place.beside(path)).map_err(|e| e.to_string());
            let schemas = text.and_then(|text| ProviderSchemas::read(text.as_bytes()));
            let schemas =
                schemas.map_err(|e| format!("cannot read the schemas of providers in {}: {e}", path.display()));
            place.project.schemas = Some(Arc::new(schemas.map_err(Failure::Message)?));
        }
        Ok(())
    }
}

fn file(path: &Path, place: &Invocation) -> Result<VariableInput, Failure> {
    if let Ok(inside) = place.inside(path) {
        return Ok(VariableInput::File { path: inside });
    }
    let text = crate::source::read_named(&place.beside(path));
    let text = text.map_err(|e| Failure::Message(format!("cannot read the variables in {}: {e}", path.display())))?;
    Ok(VariableInput::Text { path: path.to_string_lossy().into_owned(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Inputs {
        let command = Inputs::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).unwrap();
        Inputs::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn values_and_files_keep_the_order_of_the_command_line() {
        let found =
            parse(&["--var", "a=1", "--var-file", "b", "--var", "a= \"2\"=", "--var-file=c", "--workspace", "w"]);
        let value = |name: &str, text: &str| Variable::Value(name.to_owned(), text.to_owned());
        let file = |path: &str| Variable::File(path.into());
        assert_eq!(found.variables, [value("a", "1"), file("b"), value("a", " \"2\"="), file("c")]);
        assert_eq!(found.workspace.as_deref(), Some("w"));
    }

    #[test]
    fn nothing_needs_to_be_given() {
        let found = parse(&[]);
        assert!(found.variables.is_empty() && found.workspace.is_none());
    }

    #[test]
    fn a_variable_needs_a_name_and_a_value() {
        for wrong in ["a", "=1", "a =1", ""] {
            let command = Inputs::augment_args(Command::new("test").no_binary_name(true));
            assert!(command.try_get_matches_from(["--var", wrong]).is_err(), "{wrong:?}");
        }
    }
}
