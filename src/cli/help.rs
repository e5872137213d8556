//! The command line as users see it: commands in groups, the short form of options, and messages about mistakes.

use super::{Cli, output};
use clap::{ArgMatches, Command, CommandFactory};
use std::process::ExitCode;

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Review", &["diff", "check", "compare", "merge", "refactor", "report"]),
    ("Explore", &["why", "why-affected", "impact", "describe", "graph"]),
    ("Set up", &["hook", "ci", "lsp", "config", "rules", "explain"]),
    ("More", &["policy", "eval", "demo", "completions", "man"]),
];

/// The options that `-h` of a command lists, by their ids; `--help` lists all.
const COMMON: [&str; 9] = ["staged", "stack", "component", "format", "output", "all", "fail_on", "accept", "directory"];

/// Commands with more options than this list only the common ones for `-h`.
const MAX_LISTED: usize = 20;

/// The command line with its groups.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    let about = |name: &str| command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups.push_str(&format!("{title}:\n"));
        for name in names {
            let about = about(name).unwrap_or_default();
            // The first part says what it is for.
            let about = about.split(": ").next().unwrap_or_default();
            groups.push_str(&format!("  {name:width$}  {about}\n"));
        }
        groups.push('\n');
    }
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}");
    command = command.help_template(template);
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |of| match of.get_arguments().count() > MAX_LISTED {
            true => of.mut_args(|arg| {
                let is_common = arg.is_positional() || COMMON.contains(&arg.get_id().as_str());
                arg.hide_short_help(!is_common)
            }),
            false => of,
        });
    }
    command.mut_args(|arg| {
        let is_rare = ["config", "projects", "color", "dialect", "timings"].contains(&arg.get_id().as_str());
        arg.hide_short_help(is_rare)
    })
}

/// Reads the arguments of this process.
///
/// # Errors
/// They are not valid, or ask for help: it is printed already, and the process ends with this code.
pub(super) fn arguments() -> Result<ArgMatches, ExitCode> {
    command().try_get_matches().map_err(|error| {
        if !error.use_stderr() {
            // If that fails, there is no way left to report it.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        let text = error.render().to_string();
        output::eprint(
            text.strip_prefix("error: ").map_or(text.clone(), |text| format!("stacklint: {text}")).trim_end(),
        );
        ExitCode::from(2)
    })
}
