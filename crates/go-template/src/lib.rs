#![doc = include_str!("../README.md")]

mod ast;
mod builtins;
mod call;
mod calls;
mod eval;
mod expr;
pub mod format;
pub mod funcs;
mod lex;
mod operand;
mod output;
mod parse;
mod refs;
mod text;
mod val;
mod words;

pub use calls::{Argument, MethodCall};
pub use funcs::FunctionSet;
pub use output::{Rendered, Segment};
pub use refs::{Reads, Reference};
use shared_text::Text;
pub use val::{Object, Val};

/// A floating point number as Go prints it with `%v`.
pub fn float_text(number: f64) -> String {
    format::print_data(&Data::Float(number))
}

/// A value as Go prints it with `%v`: maps with sorted keys, `<nil>` for null.
pub fn value_text(value: &Value) -> String {
    format::print_data(&value.data)
}

use std::fmt;
use std::sync::OnceLock;
use traced_value::{Data, Value};

/// A template function. Its error text is what Go reports after `error calling NAME: `; a text that starts with
/// `wrong number of args for`, `wrong type for value;`, `invalid value;`, `cannot assign nil to` or `expected ` (followed
/// by a type and `; found`) is reported as it is.
pub type Function = fn(&[Val]) -> Result<Val, String>;

/// How much a run of a template may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: nodes and commands evaluated, and a step for every 16 bytes of text made.
    pub steps: u64,
    /// Bytes that the run writes, or holds in one value.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 5_000_000, output: 64 << 20 }
    }
}

/// The functions that templates may call beyond Go's own; they hide builtins of the same name.
pub trait Functions: Send + Sync {
    /// How much a run may take.
    fn limits(&self) -> Limits {
        Limits::default()
    }
    /// Told how many steps a run took, whether it succeeded or not.
    fn took(&self, _steps: u64) {}
    /// The function called `name`.
    fn get(&self, name: &str) -> Option<Function>;
    /// The result of a function that depends on more than its arguments; called before the function from
    /// [`Functions::get`].
    fn answer(&self, _name: &str, _args: &[Val]) -> Option<Result<Val, String>> {
        None
    }
    /// A field of the data itself that is computed when it is read; asked where the data have no such key.
    fn field(&self, _name: &str) -> Option<Result<Val, String>> {
        None
    }
    /// The namespace that the function `name`, which takes no arguments, returns (`strings` in `strings.ToUpper "x"`).
    fn object(&self, name: &str) -> Option<Val>;
}

/// Go's builtin functions alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtins;

impl Functions for Builtins {
    fn get(&self, _name: &str) -> Option<Function> {
        None
    }
    fn object(&self, _name: &str) -> Option<Val> {
        None
    }
}

/// How to read a template.
pub struct TemplateOptions<'a> {
    /// The left delimiter; empty for `{{`.
    pub left: &'a str,
    /// The right delimiter; empty for `}}`.
    pub right: &'a str,
    /// The functions that may be named; another name is an error.
    pub functions: &'a dyn Functions,
}

/// Why a template cannot be read or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Go's words, without `template: NAME:LINE: ` and without `executing "NAME" `.
    pub message: String,
    /// The place that Go reports, in bytes of the template text.
    pub offset: usize,
    /// Where the unfinished action started, if that is on an earlier line (Go appends ` in action started at NAME:LINE`).
    pub action: Option<usize>,
    /// The named template (`define`, `block`) that was running, if the failure was in one (Go's `executing "NAME"`).
    pub within: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// What happens when a template reads a missing key of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKey {
    /// It returns no value, which prints as `<no value>`.
    Default,
    /// It fails: `map has no entry for key "x"`.
    Error,
}

/// A parsed template, to be run any number of times.
#[derive(Debug)]
pub struct Template {
    text: Text,
    left: Box<str>,
    root: ast::List,
    definitions: ast::Definitions,
    plain: bool,
    commented: bool,
    self_contained: bool,
    /// What it may read, computed on demand.
    reads: OnceLock<Reads>,
}

/// Parses a template.
///
/// # Errors
/// What Go's parser says, `function "x" not defined` included.
pub fn parse(text: &str, options: &TemplateOptions<'_>) -> Result<Template, Error> {
    let parsed = parse::parse(text, options.left, options.right, options.functions).map_err(|e| *e)?;
    let declares = parsed.root.iter().any(|n| matches!(n, ast::Node::Action { pipe, .. } if pipe.declares()));
    Ok(Template {
        text: text.into(),
        left: if options.left.is_empty() { "{{" } else { options.left }.into(),
        self_contained: !parsed.saw_templates && !parsed.trims_outside && !declares,
        plain: !parsed.saw_delim,
        commented: parsed.saw_comment,
        root: parsed.root,
        definitions: parsed.definitions,
        reads: OnceLock::new(),
    })
}

impl Template {
    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The calls of a method of a namespace (`atmos.Component "vpc" .stack`), in the order of the text.
    pub fn method_calls(&self, namespace: &str, method: &str) -> Vec<MethodCall> {
        calls::collect(self, namespace, method)
    }

    /// Returns what the template may read from its data, in the order of the text.
    pub fn references(&self) -> Vec<Reference> {
        refs::collect(self).references
    }

    /// The same, with what is read as a whole, and whether that is all.
    pub fn reads(&self) -> &Reads {
        self.reads.get_or_init(|| refs::collect(self))
    }

    /// The fields (`.a.b`) in the main body, whatever the dot is at their place. Reading them that way is not right, but
    /// what some systems do.
    pub fn lexical_fields(&self) -> Vec<Vec<&str>> {
        refs::lexical_fields(self)
    }

    /// The paths that it reads, if it consists of text and plain `{{ .a.b }}` alone.
    pub fn fields(&self) -> Option<Vec<Vec<&str>>> {
        if !self.definitions.is_empty() {
            return None;
        }
        let actions = self.root.iter().filter(|node| !matches!(node, ast::Node::Text(_)));
        actions.map(|node| Some(node.field()?.iter().map(|name| &**name).collect())).collect()
    }

    /// The path, if the text apart from surrounding space is one action that is one plain `.a.b`.
    pub fn sole_field(&self) -> Option<Vec<&str>> {
        let mut found = None;
        for node in &self.root {
            match node {
                ast::Node::Text(span) if self.text[span.clone()].trim().is_empty() => {}
                ast::Node::Action { .. } if found.is_none() && !self.commented => found = Some(node),
                _ => return None,
            }
        }
        let path = found.filter(|_| self.definitions.is_empty())?.field()?;
        Some(path.iter().map(|name| &**name).collect())
    }

    /// Whether there are no actions and no comments.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether it renders the same on its own as inside of a longer text: it defines and uses no named templates,
    /// declares no variables for later text, and no trim marker affects text outside.
    pub fn is_self_contained(&self) -> bool {
        self.self_contained
    }

    /// Runs the template on `data`, which is both `.` and `$`.
    ///
    /// # Errors
    /// Go's message (`at <.vars.x>: map has no entry for key "x"`), or that a limit was reached.
    pub fn execute(&self, data: &Value, missing: MissingKey, functions: &dyn Functions) -> Result<Rendered, Error> {
        eval::run(self, data, missing, functions).map_err(|e| *e)
    }
}

#[cfg(test)]
mod tests;
