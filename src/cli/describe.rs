//! `stacklint describe`: the configuration of one state, resolved.

use super::functions::Functions;
use super::open::{Place, State};
use super::{Failure, Global, output};
use crate::diagnostic::Level;
use crate::files::Files;
use crate::report::log::Kind;
use crate::report::{Finding, describe};
use crate::resolution::{Address, Placed};
use crate::review::{self, Filter, Outcome, Resolved};
use clap::{Args, Subcommand, ValueEnum};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// Print resolved configuration.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Print the components of all stacks
    Stacks(Stacks),
    /// Print one component of a stack
    Component(Component),
    /// Print the local names of the file of a stack, and their values
    Locals(super::locals::Options),
}

#[derive(Args, Debug)]
pub(super) struct Stacks {
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(long, value_name = "GLOB")]
    component: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Component {
    /// The name of the component
    name: String,
    /// The stack it belongs to
    #[arg(short, long, value_name = "STACK")]
    stack: String,
    /// Its type, where several types have a component of that name
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Common {
    /// Look at this revision instead of the worktree
    #[arg(long, value_name = "REV")]
    pub(super) rev: Option<String>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,
    /// Show keys and tokens of well-known services
    #[arg(long)]
    pub(super) show_secrets: bool,
    #[command(flatten)]
    pub(super) functions: Functions,
    /// Read environment variables from a file with a NAME=VALUE a line; can be repeated
    #[arg(long, value_name = "FILE", help_heading = "Functions")]
    pub(super) env_file: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Text,
    Yaml,
    Json,
}

impl Format {
    /// How it goes where people and CI systems read along.
    pub(super) fn kind(self) -> Kind {
        if let Format::Json = self { Kind::Json } else { Kind::Text }
    }
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    let common = match what {
        What::Stacks(s) => &s.common,
        What::Component(c) => &c.common,
        What::Locals(options) => return super::locals::run(options, global),
    };
    let mut place = Place::find(global)?;
    common.functions.apply(&common.env_file, &mut place)?;
    place.project.inputs.stack = match what {
        What::Stacks(options) => options.stack.clone(),
        What::Component(options) => Some(options.stack.clone()),
        What::Locals(_) => None,
    };
    let state = common.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    let resolved = review::resolve(&*source, &place.workspace(), &place.settings(&*source)?, Files::default())?;
    let Resolved { files, resolution, dialects } = resolved;
    let mut found = resolution.components();
    let mut out = output::stdout_showing(common.format.kind(), common.show_secrets);
    let text = output::options(global);
    match what {
        What::Stacks(options) => {
            let filter = Filter::new(options.stack.as_deref(), options.component.as_deref())?;
            filter.matched([&resolution])?;
            found.retain(|address, _| filter.matches(address));
            match common.format {
                Format::Text => describe::write_stacks_text(&mut out, &found, &text)?,
                Format::Yaml => describe::write_stacks_yaml(&mut out, &found)?,
                Format::Json => describe::write_stacks_json(&mut out, &found)?,
            }
        }
        What::Component(options) => {
            if let Some((address, placed)) = options.wanted().pick(&found)? {
                match common.format {
                    Format::Text => describe::write_component_text(&mut out, address, placed, &files, &text)?,
                    Format::Yaml => describe::write_value_yaml(&mut out, &placed.component.value)?,
                    Format::Json => describe::write_value_json(&mut out, &placed.component.value)?,
                }
                // What was asked for is there; what is wrong elsewhere is not asked for.
                out.flush()?;
                return Ok(Outcome::Clean);
            } else if !resolution.findings.iter().any(|f| f.is_breaking) {
                return Err(Failure::Message(options.wanted().missing(&found)));
            }
        }
        What::Locals(_) => {}
    }
    out.flush()?;
    // Left to the end of the process, which is near.
    std::mem::forget((found, dialects));
    let has_defect = resolution.findings.iter().any(crate::diagnostic::Diagnostic::is_defect);
    let broken = resolution.into_findings().into_iter().filter(|f| f.is_breaking);
    let broken: Vec<Finding> = broken
        .map(|diagnostic| Finding {
            diagnostic,
            level: Level::Error,
            novelty: None,
            fingerprint: "".into(),
            also: Vec::new(),
        })
        .collect();
    if broken.is_empty() {
        return Ok(Outcome::Clean);
    }
    output::talk_findings(&broken, &files, global)?;
    Ok(if has_defect { Outcome::Defect } else { Outcome::Findings })
}

/// A component as the user names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// Its stack, or the file that defines that.
    pub stack: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its type, where it matters.
    pub kind: Option<&'a str>,
}

impl Wanted<'_> {
    /// The component that is meant.
    ///
    /// # Errors
    /// Several are.
    pub(super) fn pick<'a>(
        &self,
        found: &'a BTreeMap<Address, Placed>,
    ) -> Result<Option<(&'a Address, &'a Placed)>, Failure> {
        // A stack may also be named by the file that defines it.
        let named = |a: &Address, p: &Placed| *a.0 == *self.stack || *p.unit.name == *self.stack;
        let mut matches =
            found.iter().filter(|(a, p)| *a.2 == *self.name && named(a, p) && self.kind.is_none_or(|k| *k == *a.1));
        let first = matches.next();
        if let (Some(a), Some(b)) = (first, matches.next())
            && a.0.0 == b.0.0
        {
            return Err(Failure::Message(format!(
                "`{}` is the name of components of several types in `{}`: add --type {} or --type {}",
                self.name, a.0.0, a.0.1, b.0.1
            )));
        }
        Ok(first)
    }

    /// What to say if there is none.
    pub(super) fn missing(&self, found: &BTreeMap<Address, Placed>) -> String {
        let in_stack: Vec<&str> = found.keys().filter(|a| *a.0 == *self.stack).map(|a| &*a.2).collect();
        let (what, candidates) = if in_stack.is_empty() {
            (format!("there is no stack `{}`", self.stack), found.keys().map(|a| &*a.0).collect())
        } else {
            (format!("stack `{}` has no component `{}`", self.stack, self.name), in_stack)
        };
        let wanted = if what.starts_with("there") { self.stack } else { self.name };
        match crate::text::nearest(wanted, candidates) {
            Some(near) => format!("{what}; did you mean `{near}`?"),
            None => what,
        }
    }
}

impl Component {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { stack: &self.stack, name: &self.name, kind: self.kind.as_deref() }
    }
}
