//! `stacklint demo`: the main job on a small built-in repository.

use super::open::Invocation;
use super::{Cli, Command, Failure, Global, Outcome, diff, output};
use crate::source::{Commit, Scratch};
use clap::{Args, Parser};
use std::collections::BTreeMap;
use std::io::Write;

/// Show what `diff` reports for a small built-in repository.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Keep the repository and print its path
    #[arg(long)]
    keep: bool,
}

/// The command that the demonstration runs, as a user would type it.
const COMMAND: [&str; 3] = ["stacklint", "diff", "HEAD~1..HEAD"];

/// A path and a content.
type File = (&'static str, &'static str);

/// Two commits of a project.
struct Example {
    /// The files of the first commit.
    base: &'static [File],
    /// The files that the second commit changes.
    head: &'static [File],
    /// The messages of the two commits.
    messages: [&'static str; 2],
}

/// Paths and contents of files below `fixtures`.
macro_rules! files {
    ($side:literal: $($path:literal)*) => {
        [$(($path, include_str!(concat!("../../fixtures/", $side, "/", $path)))),*]
    };
}

const BASE: [File; 11] = files!("demo/base":
    "atmos.yaml"
    "stacks/catalog/backup.yaml"
    "stacks/catalog/database.yaml"
    "stacks/catalog/defaults.yaml"
    "stacks/catalog/services.yaml"
    "stacks/deploy/core/dev.yaml"
    "stacks/deploy/core/prod.yaml"
    "stacks/deploy/core/staging.yaml"
    "stacks/deploy/plat/dev.yaml"
    "stacks/deploy/plat/prod.yaml"
    "stacks/deploy/plat/staging.yaml"
);

/// Only what the second commit changes.
const HEAD: [File; 5] = files!("demo/head":
    "stacks/catalog/database.yaml"
    "stacks/catalog/services.yaml"
    "stacks/deploy/core/prod.yaml"
    "stacks/deploy/plat/prod.yaml"
    "stacks/deploy/plat/staging.yaml"
);

const GARDEN_BASE: [File; 6] = files!("demo-garden/base":
    "garden.prod.env"
    "jobs/garden.yml"
    "jobs/template.garden.yml"
    "project.garden.yml"
    "services/api/garden.yml"
    "services/web/garden.yml"
);

const GARDEN_HEAD: [File; 3] = files!("demo-garden/head":
    "jobs/template.garden.yml"
    "project.garden.yml"
    "services/api/garden.yml"
);

const OPENTOFU_BASE: [File; 8] = files!("demo-opentofu/base":
    "envs/dev/dev.auto.tfvars"
    "envs/dev/main.tf"
    "envs/dev/variables.tf"
    "envs/prod/main.tf"
    "envs/prod/prod.auto.tfvars"
    "envs/prod/variables.tf"
    "modules/network/main.tf"
    "org.yaml"
);

const OPENTOFU_HEAD: [File; 3] = files!("demo-opentofu/head":
    "envs/prod/prod.auto.tfvars"
    "modules/network/main.tf"
    "org.yaml"
);

const TERRAGRUNT_BASE: [File; 9] = files!("demo-terragrunt/base":
    "common/service.hcl"
    "live/dev/app/terragrunt.hcl"
    "live/dev/env.hcl"
    "live/dev/vpc/terragrunt.hcl"
    "live/prod/app/terragrunt.hcl"
    "live/prod/env.hcl"
    "live/prod/vpc/terragrunt.hcl"
    "modules/vpc/main.tf"
    "root.hcl"
);

const TERRAGRUNT_HEAD: [File; 2] = files!("demo-terragrunt/head":
    "common/service.hcl"
    "live/prod/env.hcl"
);

/// The examples by the name of their dialect, the usual one last.
static EXAMPLES: [(&str, Example); 4] = [
    (
        "terragrunt",
        Example {
            base: &TERRAGRUNT_BASE,
            head: &TERRAGRUNT_HEAD,
            messages: ["Two units in two environments", "Move production to another region, and add a replica"],
        },
    ),
    (
        "opentofu",
        Example {
            base: &OPENTOFU_BASE,
            head: &OPENTOFU_HEAD,
            messages: [
                "Two root modules and a shared module",
                "Rename the organisation, and leave a region and a zone",
            ],
        },
    ),
    (
        "garden",
        Example {
            base: &GARDEN_BASE,
            head: &GARDEN_HEAD,
            messages: [
                "Two services and their jobs in two environments",
                "Move the registry, and give jobs more memory",
            ],
        },
    ),
    (
        "",
        Example {
            base: &BASE,
            head: &HEAD,
            messages: ["Two tenants with three stages each", "Keep logs longer, and some smaller changes"],
        },
    ),
];

/// Returns the example of a dialect, or the default one.
fn example(dialect: Option<&str>) -> &'static Example {
    let own = EXAMPLES.iter().find(|(name, _)| Some(*name) == dialect);
    &own.unwrap_or(&EXAMPLES[EXAMPLES.len() - 1]).1
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let Example { base, head, messages } = example(global.dialect.as_deref());
    let first = base.iter().copied().collect::<BTreeMap<_, _>>();
    let second = base.iter().chain(*head).copied().collect();
    let commits = [Commit { message: messages[0], files: first }, Commit { message: messages[1], files: second }];
    let scratch = Scratch::new(&commits)?;
    let Ok(Cli { command: Command::Diff(diff), .. }) = Cli::try_parse_from(COMMAND) else {
        return Err(Failure::Message("the demonstration has no diff to show".to_owned()));
    };
    {
        let mut out = output::stdout();
        writeln!(
            out,
            "This example repository has two commits. The diff shows how the second one changes the configuration of the components:"
        )?;
        writeln!(out, "$ {}\n", COMMAND.join(" "))?;
        out.flush()?;
    }
    let outcome = diff::run_at(&Invocation::of(scratch.repository()?), &diff, global)?;
    let mut out = output::stdout();
    // The demonstration succeeds whatever it shows.
    let outcome = match outcome {
        Outcome::Fails(reason) => {
            writeln!(out, "\nIn your repository this diff ends with exit code 1: {reason}.")?;
            Outcome::Clean
        }
        outcome => outcome,
    };
    writeln!(out, "\nNext, in your repository: `stacklint diff main...HEAD` or `stacklint check`.")?;
    if options.keep {
        writeln!(out, "The example is in {}", scratch.keep().display())?;
    } else {
        writeln!(out, "To keep the repository of the example: `stacklint demo --keep`.")?;
    }
    out.flush()?;
    Ok(outcome)
}
