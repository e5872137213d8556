//! What a folder declares, as the types that hold it.

use super::address::{self, Address};
use super::diag::{Failure, Place};
use super::load::{Beside, beside};
use super::paths::NamedPaths;
use super::variable::Variable;
use crate::hcl::ast::{Block, Body, Expr, Span};
use crate::hcl::walk;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An expression where it was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// The file.
    pub file: FileId,
    /// The argument, name and value.
    pub span: Span,
    /// The value.
    pub expr: Arc<Expr>,
}

impl Written {
    /// Where the value is.
    pub(super) fn place(&self) -> Place {
        (self.file, self.expr.span)
    }

    /// Where the argument is.
    pub(super) fn argument(&self) -> Place {
        (self.file, self.span)
    }
}

/// Arguments by name.
pub(super) type Arguments = BTreeMap<Text, Written>;

/// A block with arguments.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// Its type and labels.
    pub place: Place,
    /// Its opening brace.
    pub brace: Place,
    /// Its arguments, the last override first.
    pub arguments: Arguments,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// Whether it was written in JSON.
    pub is_json: bool,
    /// Where the last override is, if there is one.
    pub overridden: Option<Place>,
}

/// A block with a label and its content: a backend.
#[derive(Clone, Debug)]
pub(super) struct Backend {
    /// The type; `cloud` for a cloud block.
    pub kind: Text,
    /// Its header.
    pub place: Place,
    /// Its content.
    pub body: Body,
}

/// A provider configuration.
#[derive(Clone, Debug)]
pub(super) struct Provider {
    /// The local name of the provider.
    pub name: Text,
    /// The alias, if it has one.
    pub alias: Option<Text>,
    /// The block.
    pub block: Declared,
}

/// A use of a provider configuration: `provider = aws.x["key"]`.
#[derive(Clone, Debug)]
pub(super) struct ProviderUse {
    /// The expression.
    pub written: Written,
}

/// The targets of encryption and what they use.
#[derive(Clone, Debug, Default)]
pub(super) struct Encryption {
    /// The header of the block.
    pub place: Option<Place>,
    /// Key providers by `type.name`.
    pub key_providers: BTreeMap<Text, Declared>,
    /// Methods by `type.name`.
    pub methods: BTreeMap<Text, Declared>,
    /// `state`, `plan`.
    pub targets: BTreeMap<Text, Target>,
    /// `default` and the named ones of `remote_state_data_sources`.
    pub remote: BTreeMap<Text, Target>,
}

/// What is encrypted, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// The method.
    pub method: Option<Written>,
    /// Whether unencrypted data are refused.
    pub enforced: Option<Written>,
    /// What is read as well.
    pub fallback: Option<Box<Target>>,
}

/// A block that says what becomes of what is deployed: `moved`, `removed` or `import`.
#[derive(Clone, Debug)]
pub(super) struct Refactoring {
    /// Its type.
    pub kind: Text,
    /// The block.
    pub block: Declared,
}

/// Where the source of a call leads, as far as its text tells.
#[derive(Clone, Debug)]
pub(super) enum Lead {
    /// A folder of the repository, links not followed.
    Local(Beside),
    /// Something that is fetched.
    Elsewhere,
    /// What only evaluation tells.
    Computed,
}

impl Lead {
    /// Where a source leads that a module in a folder gives.
    pub(super) fn of(dir: &str, source: &Expr) -> Self {
        match walk::constant_text(source).map(address::parse) {
            None => Lead::Computed,
            Some(Ok(Address::Local(source))) => Lead::Local(beside(dir, &source)),
            Some(_) => Lead::Elsewhere,
        }
    }
}

/// A module: one folder.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The folder, from the root of the repository, links followed.
    pub dir: String,
    /// Its variables.
    pub variables: BTreeMap<Text, Variable>,
    /// Its locals.
    pub locals: Arguments,
    /// Its calls of other modules.
    pub calls: BTreeMap<Text, Declared>,
    /// Where these calls lead.
    pub leads: Vec<Lead>,
    /// Its backend.
    pub backend: Option<Backend>,
    /// Its cloud block.
    pub cloud: Option<Backend>,
    /// Its provider configurations.
    pub providers: Vec<Provider>,
    /// Uses of provider configurations.
    pub uses: Vec<ProviderUse>,
    /// Its encryption.
    pub encryption: Encryption,
    /// Its outputs.
    pub outputs: BTreeMap<Text, Declared>,
    /// The declarations of its variables, overrides included.
    pub declarations: BTreeMap<Text, Declared>,
    /// The providers that it needs, by local name, with the argument that says so.
    pub required_providers: BTreeMap<Text, Written>,
    /// Its `moved`, `removed` and `import` blocks in the order of the text.
    pub refactorings: Vec<Refactoring>,
    /// What its text says of the files that it reads.
    pub paths: NamedPaths,
    /// The names of the locals that any of its expressions refers to.
    pub used_locals: BTreeSet<Text>,
    /// What is wrong with its text and its declarations.
    pub failures: Vec<Failure>,
    /// Its files.
    pub files: Vec<FileId>,
    /// Whether it has something that only a root module has.
    pub is_root: bool,
    /// Whether it has a file of its own, not one that other folders link to.
    pub has_own_file: bool,
    /// The version constraints, with whether they count for OpenTofu: those of `.tf` files are Terraform's.
    pub required_version: Vec<(Written, bool)>,
}
