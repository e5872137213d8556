//! The functions that Terragrunt adds to those of the language, and those of the language that it lacks.

mod lists;
mod merge;
mod paths;
mod read;
mod version;

use super::place::{Place, REPOSITORY, inside};
use super::session::Session;
use crate::go::path::clean;
use crate::hcl::functions::{Content, FileError, Files, Host, HostError};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Val};
use crate::terraform::load::functions::RootFiles;
use crate::text::Text;

/// Functions of OpenTofu that Terragrunt, which has those of Terraform 0.15.3, lacks.
const LACKING: [&str; 11] = [
    "abspath",
    "base64gunzip",
    "cidrcontains",
    "convert",
    "ephemeralasnull",
    "flipmap",
    "issensitive",
    "plantimestamp",
    "templatestring",
    "type",
    "urldecode",
];

/// Functions whose result only a run knows, with the reason.
const UNKNOWN: [(&str, &str); 10] = [
    ("get_aws_account_alias", "get_aws_account_alias() asks AWS"),
    ("get_aws_account_id", "get_aws_account_id() asks AWS"),
    ("get_aws_caller_identity_arn", "get_aws_caller_identity_arn() asks AWS"),
    ("get_aws_caller_identity_user_id", "get_aws_caller_identity_user_id() asks AWS"),
    ("get_platform", "get_platform() is that of the machine that runs it"),
    ("get_terraform_cli_args", "get_terraform_cli_args() depends on the command that runs"),
    ("get_terraform_command", "get_terraform_command() depends on the command that runs"),
    ("get_working_dir", "get_working_dir() is a folder of the cache"),
    ("run_cmd", "run_cmd() runs a command"),
    ("sops_decrypt_file", "sops_decrypt_file() needs the keys of SOPS"),
];

/// The functions with known results.
const KNOWN: [&str; 22] = [
    "abspath",
    "constraint_check",
    "defaults",
    "find_in_parent_folders",
    "get_default_retryable_errors",
    "get_env",
    "get_original_terragrunt_dir",
    "get_parent_terragrunt_dir",
    "get_path_from_repo_root",
    "get_path_to_repo_root",
    "get_repo_root",
    "get_terraform_commands_that_need_input",
    "get_terraform_commands_that_need_locking",
    "get_terraform_commands_that_need_parallelism",
    "get_terraform_commands_that_need_vars",
    "get_terragrunt_dir",
    "get_terragrunt_source_cli_flag",
    "mark_glob_as_read",
    "path_relative_from_include",
    "path_relative_to_include",
    "read_terragrunt_config",
    "read_tfvars_file",
];

/// More of them: those that hand on their argument, and those behind a switch.
const FURTHER: [&str; 2] = ["deep_merge", "mark_as_read"];

/// Functions whose names begin with `get_` that take arguments. The others take none.
const WITH_ARGUMENTS: [&str; 2] = ["get_env", "get_parent_terragrunt_dir"];

/// The functions as one file sees them.
pub(super) struct Functions<'s, 'a> {
    /// The work.
    pub session: &'s Session<'a>,
    /// The file.
    pub place: &'s Place,
}

type Outcome = Result<Val, HostError>;

fn failed(message: impl Into<String>) -> HostError {
    HostError::Call(message.into())
}

/// All names, for completion.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    UNKNOWN.into_iter().map(|(name, _)| name).chain(KNOWN).chain(FURTHER)
}

impl Host for Functions<'_, '_> {
    fn has(&self, name: &str) -> bool {
        !LACKING.contains(&name)
    }

    fn has_own(&self, name: &str) -> bool {
        names().any(|own| own == name)
    }

    fn call(&self, name: &str, arguments: &[Val]) -> Outcome {
        if !arguments.is_empty() && name.starts_with("get_") && !WITH_ARGUMENTS.contains(&name) {
            return Err(failed(format!("too many function arguments: {name}() takes none")));
        }
        if let Some((_, reason)) = UNKNOWN.iter().find(|(own, _)| *own == name) {
            if name == "run_cmd" && arguments.is_empty() {
                return Err(failed("parsing run_cmd parameters: EmptyStringNotAllowedError"));
            }
            if name == "sops_decrypt_file" && arguments.iter().all(|argument| argument.unknown_reason().is_none()) {
                read::is_there(self, &texts(name, arguments, 1, 1)?[0])?;
            }
            let text = matches!(name, "get_terraform_cli_args");
            return Ok(Val::unknown(if text { Type::Dynamic } else { Type::Str }, *reason));
        }
        match name {
            "read_terragrunt_config" => return read::read_config(self, arguments),
            "deep_merge" => return merge::deep_merge(self, arguments),
            _ => {}
        }
        if let Some(unknown) = arguments.iter().find_map(Val::unknown_reason) {
            return Ok(Val::unknown(Type::Dynamic, Text::clone(unknown)));
        }
        match name {
            "get_env" => env(self, arguments),
            "read_tfvars_file" => read::tfvars(self, &texts(name, arguments, 1, 1)?[0]),
            "mark_as_read" => Ok(Val::str(texts(name, arguments, 1, 1)?[0].as_str())),
            "mark_glob_as_read" => read::glob(self, &texts(name, arguments, 1, 1)?[0]),
            "constraint_check" => {
                let all = texts(name, arguments, 2, 2)?;
                version::satisfies(&all[0], &all[1]).map(Val::bool).map_err(failed)
            }
            "abspath" => absolute(self, &texts(name, arguments, 1, 1)?[0]),
            "defaults" => Err(failed("the \"defaults\" function is not available")),
            _ => match lists::of(name) {
                Some(items) => Ok(Val::list(Type::Str, items.iter().map(|item| Val::str(*item)).collect())),
                None => paths::call(self, name, arguments),
            },
        }
    }
}

fn absolute(functions: &Functions<'_, '_>, path: &str) -> Outcome {
    match path.starts_with(REPOSITORY) || path.starts_with('/') {
        true => Ok(Val::str(clean(path))),
        false => Ok(Val::str(clean(&format!("{}/{path}", super::place::shown(&functions.session.unit))))),
    }
}

/// The arguments as text.
fn texts(name: &str, arguments: &[Val], least: usize, most: usize) -> Result<Vec<String>, HostError> {
    if !(least..=most).contains(&arguments.len()) {
        return Err(failed(format!("Expected {least} params for function {name}, but got {}", arguments.len())));
    }
    let one = |(index, value): (usize, &Val)| match convert(value, &Type::Str).map(|v| v.data) {
        Ok(Data::Str(text)) => Ok(text.to_string()),
        _ => Err(HostError::Argument(index, "string required".to_owned())),
    };
    arguments.iter().enumerate().map(one).collect()
}

fn env(functions: &Functions<'_, '_>, arguments: &[Val]) -> Outcome {
    if !(1..=2).contains(&arguments.len()) {
        let got = arguments.len();
        return Err(failed(format!("expected one or two parameters (name and default) for get_env, but got {got}")));
    }
    let all = texts("get_env", arguments, 1, 2)?;
    if all[0].is_empty() {
        return Err(failed("the name of the variable is empty"));
    }
    match (functions.session.env.get(&all[0]), all.get(1)) {
        (Some(value), _) => Ok(Val::str(value.as_str())),
        (None, Some(default)) => Ok(Val::str(default.as_str())),
        (None, None) => {
            let reason = format!("get_env(\"{}\") reads the environment and has no default", all[0]);
            Ok(Val::unknown(Type::Str, reason))
        }
    }
}

/// The files that functions of the language read: relative paths begin in the folder of the file with the call.
pub(super) struct CalledFiles<'s, 'a> {
    session: &'s Session<'a>,
    files: RootFiles<'a>,
    folder: String,
}

impl<'s, 'a> CalledFiles<'s, 'a> {
    pub(super) fn new(session: &'s Session<'a>, folder: &str) -> Self {
        let files = RootFiles::new(&session.loader.modules.loader, String::new(), None);
        CalledFiles { session, files, folder: folder.to_owned() }
    }

    /// A path from the root of the repository.
    fn inside(&self, path: &str) -> Result<String, FileError> {
        let outside = || FileError::Unknown(format!("{path} is outside of the repository"));
        inside(&self.folder, path).ok_or_else(outside)
    }
}

impl Files for CalledFiles<'_, '_> {
    fn read(&self, path: &str) -> Result<Content, FileError> {
        let content = Files::read(&self.files, &self.inside(path)?)?;
        self.session.files.borrow_mut().insert(content.file);
        Ok(content)
    }

    fn exists(&self, path: &str) -> Result<bool, FileError> {
        self.files.exists(&self.inside(path)?)
    }

    fn below(&self, path: &str) -> Result<Vec<String>, FileError> {
        self.files.below(&self.inside(path)?)
    }

    fn folder(&self) -> Option<String> {
        Some(super::place::shown(&self.folder))
    }
}
