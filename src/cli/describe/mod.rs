//! `stacklint describe`: the configuration of one state, resolved.

mod locals;

use crate::cli::open::{Invocation, State};
use crate::cli::options::env_file::EnvFileArgument;
use crate::cli::options::functions::Functions;
use crate::cli::{Failure, Global, output};
use crate::dialects::Scope;
use crate::files::Files;
use crate::report::RenderOptions;
use crate::report::describe::{self, Components, Described};
use crate::report::log::{self, OutputKind};
use crate::resolution::{Address, Placed, Resolution, Unit};
use crate::review::{self, Filter, Outcome, Resolved};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;

/// Print resolved configuration.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Print the components of all stacks
    Stacks(Stacks),
    /// Print everything in a stack: all components with their values, input variables first
    Stack(Stack),
    /// Print one component of a stack, or the stacks that contain it
    Component(Component),
    /// Print the local names of the file of a stack, and their values
    Locals(locals::Options),
}

#[derive(Args, Debug)]
pub(super) struct Stacks {
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    component: Option<String>,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Stack {
    /// The name of the stack, the file that defines it, or a pattern
    #[arg(id = "stack", value_name = "STACK")]
    name: String,
    /// Only components whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    component: Option<String>,
    /// Show below each value the values that it replaced, with their places
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    common: Common,
}

/// Print one component of a stack, input variables first. Without --stack, list the stacks that contain the component.
#[derive(Args, Debug)]
pub(super) struct Component {
    /// The name of the component, or a pattern
    name: String,
    /// The stack it belongs to, the file that defines that, or a pattern
    #[arg(short, long, value_name = "STACK")]
    stack: Option<String>,
    /// Its type, if components of several types have this name
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Show below each value the values that it replaced, with their places
    #[arg(long, requires = "stack")]
    history: bool,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    common: Common,
}

/// How configuration is printed.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub(super) struct Printing {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Common {
    /// Analyze this revision instead of the worktree
    #[arg(long, value_name = "REV")]
    pub(super) rev: Option<String>,
    /// Show keys and tokens of well-known services
    #[arg(long)]
    pub(super) show_secrets: bool,
    #[command(flatten)]
    pub(super) functions: Functions,
    /// Read environment variables from a file with one NAME=VALUE per line; can be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Functions")]
    pub(super) env_file: Vec<EnvFileArgument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// A line for each component, or for each of its values
    Concise,
    Yaml,
    Json,
}

impl Format {
    /// How it goes where people and CI systems read along.
    fn kind(self) -> OutputKind {
        if let Format::Json = self { OutputKind::Json } else { OutputKind::Text }
    }
}

/// The selection, the same for all subcommands.
struct Selection<'a> {
    common: &'a Common,
    format: Format,
    history: bool,
    /// The selected stack, which may exist only if it is named.
    stack: Option<&'a str>,
}

impl What {
    fn selection(&self) -> Option<Selection<'_>> {
        Some(match self {
            What::Stacks(o) => {
                Selection { common: &o.common, format: o.printing.format, history: false, stack: o.stack.as_deref() }
            }
            What::Stack(o) => {
                Selection { common: &o.common, format: o.printing.format, history: o.history, stack: Some(&o.name) }
            }
            What::Component(o) => Selection {
                common: &o.common,
                format: o.printing.format,
                history: o.history,
                stack: o.stack.as_deref(),
            },
            What::Locals(_) => return None,
        })
    }
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    let Some(selection) = what.selection() else {
        return match what {
            What::Locals(options) => locals::run(options, global),
            _ => Ok(Outcome::Clean),
        };
    };
    let common = selection.common;
    if selection.history && selection.format != Format::Text {
        let message = "--history works with --format text; `stacklint why STACK COMPONENT PATH --format json` has the \
                       history of one value as JSON";
        return Err(Failure::Message(message.to_owned()));
    }
    let mut place = Invocation::find(global)?;
    common.functions.apply(&common.env_file, &mut place)?;
    place.project.inputs.stack = selection.stack.map(str::to_owned);
    let state = common.rev.clone().map_or_else(|| place.default_state(), State::Revision);
    let source = place.open(&state)?;
    let resolved =
        review::resolve(&*source, &place.workspace(), &place.settings(&*source)?, Files::default(), Scope::All)?;
    let Resolved { files, resolution, dialects } = resolved;
    let found = resolution.components();
    let selected = what.select(&found, &resolution)?;
    let printer = Printer { selection: &selection, files: &files, global };
    match (what, selected) {
        (What::Component(_), Selected::Nothing) => {}
        (_, Selected::Nothing) => printer.stacks(&found)?,
        (_, Selected::One(address, placed)) => {
            printer.one(address, placed)?;
            if selection.format == Format::Text {
                let (wanted, settings) = (BTreeSet::from([address.clone()]), place.settings(&*source)?);
                let state = (&*source, &files, &dialects);
                let made = review::make(state, &resolution, &wanted, (&place.workspace(), &settings))?;
                printer.made(&made)?;
            }
            // The selection was found, so problems elsewhere do not matter.
            return Ok(Outcome::Clean);
        }
        (What::Stacks(_), Selected::Several(selected)) => printer.stacks(&selected)?,
        (What::Component(Component { stack: None, .. }), Selected::Several(selected)) => {
            printer.instances(&selected)?
        }
        (_, Selected::Several(selected)) => printer.several(&selected)?,
    }
    global.leftovers.leave((found, dialects));
    crate::cli::question::report_broken(&resolution.findings, &files, global)
}

/// The selected components.
enum Selected<'a> {
    /// None, for a reason that is reported.
    Nothing,
    One(&'a Address, &'a Placed),
    Several(Cow<'a, Components>),
}

impl What {
    fn select<'a>(&self, found: &'a Components, resolution: &Resolution) -> Result<Selected<'a>, Failure> {
        let is_broken = resolution.findings.iter().any(|f| f.is_breaking);
        let (stack, component, kind) = match self {
            What::Stacks(options) => (options.stack.as_deref(), options.component.as_deref(), None),
            What::Stack(options) => {
                let filter = Filter::new(None, options.component.as_deref())?;
                let is_named = |a: &Address, p: &Placed| *a.0 == *options.name || *p.unit.name == *options.name;
                let named = found.iter().filter(|(a, p)| is_named(a, p) && filter.matches(a));
                let named: Components = named.map(|(a, p)| (a.clone(), p.clone())).collect();
                if !named.is_empty() {
                    return Ok(Selected::Several(Cow::Owned(named)));
                }
                (Some(&*options.name), options.component.as_deref(), None)
            }
            What::Component(options) => {
                if let Some(stack) = &options.stack {
                    let wanted = Wanted { stack, name: &options.name, kind: options.kind.as_deref() };
                    if let Some((address, placed)) = wanted.pick(found)? {
                        return Ok(Selected::One(address, placed));
                    }
                    match (is_pattern(stack) || is_pattern(&options.name), is_broken) {
                        (true, _) => {}
                        (false, true) => return Ok(Selected::Nothing),
                        (false, false) => return Err(Failure::Message(wanted.missing(found))),
                    }
                }
                (options.stack.as_deref(), Some(&*options.name), options.kind.as_deref())
            }
            What::Locals(_) => return Ok(Selected::Nothing),
        };
        let filter = Filter::new(stack, component)?;
        filter.matched([resolution])?;
        if (stack, component, kind) == (None, None, None) {
            return Ok(Selected::Several(Cow::Borrowed(found)));
        }
        let is_asked = |a: &Address| filter.matches(a) && kind.is_none_or(|kind| *kind == *a.1);
        let selected = found.iter().filter(|(a, _)| is_asked(a));
        let selected: Components = selected.map(|(a, p)| (a.clone(), p.clone())).collect();
        if let (true, Some(kind)) = (selected.is_empty(), kind) {
            let kinds = found.keys().filter(|a| filter.matches(a)).map(|a| &*a.1);
            let kinds: Vec<&str> = kinds.collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            let name = component.unwrap_or_default();
            let message =
                format!("there is no component `{name}` of type `{kind}`; available types: {}", kinds.join(", "));
            return Err(Failure::Message(message));
        }
        Ok(Selected::Several(Cow::Owned(selected)))
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Prints what is described.
struct Printer<'a> {
    selection: &'a Selection<'a>,
    files: &'a Files,
    global: &'a Global,
}

impl Printer<'_> {
    fn out(&self) -> log::Filter<impl Write + use<>> {
        output::stdout_showing(self.selection.format.kind(), self.selection.common.show_secrets)
    }

    fn options(&self) -> RenderOptions {
        RenderOptions { show_secrets: self.selection.common.show_secrets, ..output::options(self.global) }
    }

    fn described<'a>(&'a self, address: &'a Address, placed: &'a Placed) -> Described<'a> {
        Described { address, placed, files: self.files, history: self.selection.history }
    }

    /// A table of components.
    fn stacks(&self, components: &Components) -> Result<(), Failure> {
        let mut out = self.out();
        match self.selection.format {
            Format::Text => describe::write_stacks_text(&mut out, components, &self.options())?,
            Format::Concise => describe::write_concise(&mut out, components)?,
            Format::Yaml => describe::write_stacks_yaml(&mut out, components)?,
            Format::Json => describe::write_stacks_json(&mut out, components)?,
        }
        Ok(out.flush()?)
    }

    /// The stacks that contain a component.
    fn instances(&self, components: &Components) -> Result<(), Failure> {
        let mut out = self.out();
        match self.selection.format {
            Format::Text => describe::write_instances(&mut out, components, &self.options())?,
            Format::Concise => describe::write_concise(&mut out, components)?,
            Format::Yaml => describe::write_instances_yaml(&mut out, components)?,
            Format::Json => describe::write_instances_json(&mut out, components)?,
        }
        Ok(out.flush()?)
    }

    /// The values of one component.
    fn one(&self, address: &Address, placed: &Placed) -> Result<(), Failure> {
        let mut out = self.out();
        let described = self.described(address, placed);
        match self.selection.format {
            Format::Text => described.write_text(&mut out, &self.options())?,
            Format::Concise => described.write_concise(&mut out, &self.options())?,
            Format::Yaml => described.write_yaml(&mut out)?,
            Format::Json => described.write_json(&mut out)?,
        }
        Ok(out.flush()?)
    }

    /// The addresses of what the code of a component makes.
    fn made(&self, units: &[Arc<Unit>]) -> Result<(), Failure> {
        let mut out = self.out();
        describe::write_made(&mut out, units, &output::options(self.global))?;
        Ok(out.flush()?)
    }

    /// The values of several components.
    fn several(&self, components: &Components) -> Result<(), Failure> {
        let mut out = self.out();
        let options = self.options();
        match self.selection.format {
            Format::Yaml => describe::write_ordered_yaml(&mut out, components)?,
            Format::Json => describe::write_ordered_json(&mut out, components)?,
            Format::Concise => {
                components.iter().try_for_each(|(a, p)| self.described(a, p).write_concise(&mut out, &options))?;
            }
            Format::Text => {
                for (i, (address, placed)) in components.iter().enumerate() {
                    if i > 0 {
                        writeln!(out)?;
                    }
                    self.described(address, placed).write_text(&mut out, &options)?;
                }
            }
        }
        Ok(out.flush()?)
    }
}

/// A component as the user names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// Its stack, or the file that defines that.
    pub stack: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its type, if several components have the name.
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

    /// Returns the message for a selection that matches nothing.
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
