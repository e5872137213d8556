//! The command line: arguments, and where output goes. One file for each subcommand.

mod affected;
mod check;
mod ci;
mod compare;
mod complete;
mod demo;
mod describe;
mod diff;
mod eval;
mod fix;
mod generate;
mod graph;
mod help;
mod hook;
mod impact;
mod lsp;
mod memory;
mod merge;
mod open;
mod options;
mod output;
mod policy;
mod question;
mod refactor;
mod report;
mod reporting;
mod rules;
mod timings;
mod watch;
mod why;

use crate::dialects::Dialects;
use crate::limits::Limits;
use crate::review::Outcome;
use crate::threads;
use crate::validation::publish_memory_on_demand;
use clap::builder::PossibleValuesParser;
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use memory::Leftovers;
use std::path::PathBuf;
use std::process::ExitCode;

/// Reviews changes of stack configuration: what changes in every component, and which line causes it.
///
/// Reads git revisions without a checkout, executes nothing and reaches no network.
#[derive(Debug, Parser)]
#[command(version, about, long_about, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

const EXIT_CODES: &str = "\
Exit codes: 0 nothing to report; 1 dangers or errors, see --fail-on (in diff only new ones count), or a part of what was \
asked for could not be resolved; 2 stacklint could not run, or not completely; 3 with --exit-code: effective changes, no \
findings.";

/// Options of every command.
#[derive(Args, Clone, Debug)]
struct Global {
    /// Start in this folder instead of the current one
    #[arg(short = 'C', long = "directory", global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Configuration files or folders to use instead of searching for them
    #[arg(long, global = true, value_name = "PATH")]
    config: Vec<PathBuf>,
    /// Analyze only the projects in or below this folder, a path from the root of the repository; can be repeated
    #[arg(long = "project", global = true, value_name = "PATH", conflicts_with = "config")]
    projects: Vec<String>,
    /// When to color output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
    /// Analyze only projects of this system
    #[arg(long, global = true, value_name = "NAME", value_parser = PossibleValuesParser::new(Dialects::names()))]
    dialect: Option<String>,
    /// Print phase timings to stderr
    #[arg(long, global = true)]
    timings: bool,
    /// What commands leave to [`main`].
    #[arg(skip)]
    leftovers: Leftovers,
}

impl Global {
    /// The dialects that are examined.
    fn dialects(&self) -> Dialects {
        Dialects::new(self.dialect.as_deref(), Limits::default())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    /// If the output is a terminal, unless NO_COLOR, FORCE_COLOR or CLICOLOR_FORCE is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Diff(diff::Options),
    Check(check::Options),
    Compare(compare::Options),
    Merge(merge::Options),
    #[command(subcommand)]
    Refactor(refactor::What),
    #[command(subcommand)]
    Describe(describe::What),
    Why(why::Options),
    WhyAffected(why::affected::Options),
    Impact(impact::Options),
    Graph(graph::Options),
    Report(report::Options),
    Rules(rules::List),
    Explain(rules::Explain),
    Config(rules::Config),
    Eval(eval::Options),
    #[command(subcommand)]
    Policy(policy::What),
    Demo(demo::Options),
    #[command(subcommand)]
    Hook(hook::What),
    Ci(ci::Options),
    Lsp(lsp::Options),
    Completions(generate::Completions),
    Man(generate::Man),
}

/// Why stacklint could not do its work.
#[derive(Debug)]
enum Failure {
    /// A message for the user.
    Message(String),
    /// There is no project; a message for the user.
    NoProject(String),
    /// The git repository is rejected; a message for the user, and the place in its configuration that is the reason.
    Untrusted(String, Box<crate::source::ConfigPlace>),
    /// The reader of the output has gone away, which is not an error.
    BrokenPipe,
}

impl Failure {
    /// The message for the user, if any.
    fn message(&self) -> Option<&str> {
        match self {
            Failure::Message(message) | Failure::NoProject(message) | Failure::Untrusted(message, _) => Some(message),
            Failure::BrokenPipe => None,
        }
    }

    fn of_defect(defect: &threads::Defect) -> Self {
        Failure::Message(format!(
            "internal error: {}\nThis is a bug in stacklint: please report it with the command line at {}",
            defect.message,
            crate::diagnostic::ISSUES
        ))
    }
}

impl From<crate::source::Error> for Failure {
    fn from(error: crate::source::Error) -> Self {
        let message = error.to_string();
        match error {
            crate::source::Error::Untrusted { place: Some(place), .. } => Failure::Untrusted(message, Box::new(place)),
            _ => Failure::Message(message),
        }
    }
}

impl From<crate::review::Error> for Failure {
    fn from(error: crate::review::Error) -> Self {
        match error {
            crate::review::Error::NoProject(message) => Failure::NoProject(message),
            crate::review::Error::Message(message) => Failure::Message(message),
            crate::review::Error::Canceled => Failure::Message("the analysis was canceled".to_owned()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Message(format!("cannot write the output: {error}")),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(threads::note_panic));
    if let Some(code) = complete::answer() {
        return code;
    }
    let cli = match help::arguments() {
        Ok(matches) => Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
        Err(code) => return code,
    };
    let code = run_guarded(&cli);
    // The process ends here.
    std::mem::forget(cli.global.leftovers);
    code
}

/// Runs a command, and prints why it could not be run.
fn run_guarded(cli: &Cli) -> ExitCode {
    memory::use_ordinary_pages();
    publish_memory_on_demand();
    watch::start();
    output::progress::start();
    let ended = threads::with_deep_stack(|| threads::catch_panic("the command", || run(cli)));
    output::progress::stop();
    let ended = ended.unwrap_or_else(|defect| Err(Failure::of_defect(&defect)));
    match ended {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Fails(why)) => {
            output::eprint(&format!("stacklint: exit code 1: {why}"));
            ExitCode::from(1)
        }
        Ok(Outcome::Changes) => ExitCode::from(3),
        Ok(Outcome::InternalError) => ExitCode::from(2),
        Err(failure) => match failure.message() {
            Some(message) => {
                output::eprint(&format!("stacklint: {message}"));
                ExitCode::from(2)
            }
            None => ExitCode::SUCCESS,
        },
    }
}

fn run(cli: &Cli) -> Result<Outcome, Failure> {
    match &cli.command {
        Command::Diff(options) => diff::run(options, &cli.global),
        Command::Check(options) => check::run(options, &cli.global),
        Command::Compare(options) => compare::run(options, &cli.global),
        Command::Merge(options) => merge::run(options, &cli.global),
        Command::Refactor(what) => refactor::run(what, &cli.global),
        Command::Describe(what) => describe::run(what, &cli.global),
        Command::Why(options) => why::run(options, &cli.global),
        Command::WhyAffected(options) => why::affected::run(options, &cli.global),
        Command::Impact(options) => impact::run(options, &cli.global),
        Command::Graph(options) => graph::run(options, &cli.global),
        Command::Report(options) => report::run(options, &cli.global),
        Command::Rules(options) => rules::list(options, &cli.global),
        Command::Explain(options) => rules::explain(options, &cli.global),
        Command::Config(options) => rules::config(options, &cli.global),
        Command::Eval(options) => eval::run(options, &cli.global),
        Command::Policy(what) => policy::run(what, &cli.global),
        Command::Demo(options) => demo::run(options, &cli.global),
        Command::Ci(options) => ci::run(options, &cli.global),
        Command::Lsp(options) => lsp::run(options, &cli.global),
        Command::Hook(what) => hook::run(what, &cli.global),
        Command::Completions(options) => generate::completions(options),
        Command::Man(options) => generate::man(options),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
        let command = super::help::command();
        command.clone().debug_assert();
        let text = command.clone().render_long_help().to_string();
        for of in command.get_subcommands() {
            assert!(text.contains(&format!("\n  {} ", of.get_name())), "{} is in no group", of.get_name());
        }
    }
}
