//! The declarations of a folder, as types.

pub(crate) mod address;
pub(crate) mod block;
pub(crate) mod decisive;
mod declarations;
mod encryption;
pub(crate) mod lead;
pub(crate) mod modules;
pub(crate) mod outline;
pub(crate) mod paths;
pub(crate) mod reader;
pub(crate) mod schema;
pub(crate) mod variable;
pub(crate) mod version;

use crate::terraform::failure::Failure;
use crate::text::Text;
use crate::value::FileId;
use block::{Arguments, Backend, Declared, Encryption, Provider, ProviderUse, Refactoring, Written};
use lead::Lead;
use paths::NamedPaths;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use variable::Variable;

/// A module: one folder.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// The folder, from the root of the repository, links followed.
    pub dir: String,
    /// Its number among those that are known by their content; the same content has the same number.
    pub number: Option<u64>,
    pub variables: BTreeMap<Text, Variable>,
    pub locals: Arguments,
    /// Its calls of other modules.
    pub calls: BTreeMap<Text, Arc<Declared>>,
    /// Where these calls lead.
    pub leads: Vec<Lead>,
    pub backend: Option<Backend>,
    /// Its cloud block.
    pub cloud: Option<Backend>,
    /// Its provider configurations.
    pub providers: Vec<Provider>,
    /// Uses of provider configurations.
    pub uses: Vec<ProviderUse>,
    pub encryption: Encryption,
    /// Its resources, by address: `aws_vpc.main`, `data.aws_ami.os`, `ephemeral.t.n`.
    pub resources: BTreeMap<Text, Declared>,
    /// The check that a data source is declared in, by the address of the data source.
    pub scoped: BTreeMap<Text, Text>,
    /// Its checks.
    pub checks: BTreeMap<Text, Declared>,
    /// Its outputs.
    pub outputs: BTreeMap<Text, Declared>,
    /// The declarations of its variables, overrides included.
    pub declarations: BTreeMap<Text, Declared>,
    /// The required providers, by local name, with the argument that requires them.
    pub required_providers: BTreeMap<Text, Written>,
    /// Its `moved`, `removed` and `import` blocks in the order of the text.
    pub refactorings: Vec<Refactoring>,
    /// The files that it reads, as far as its text shows them.
    pub paths: NamedPaths,
    /// The names of the locals that any of its expressions refers to.
    pub used_locals: BTreeSet<Text>,
    /// The locals and variables that blocks other than `locals` refer to: `local.size`.
    pub read_by_blocks: BTreeSet<String>,
    /// The calls of `sensitive()` in its expressions, once they were looked for: file, start and end.
    pub sensitive_calls: OnceLock<Vec<(FileId, u32, u32)>>,
    /// The failures of its text and its declarations.
    pub failures: Vec<Failure>,
    pub files: Vec<FileId>,
    /// Whether it has a file whose content is not known, which may declare anything.
    pub is_open: bool,
    /// Whether it has something that only a root module has.
    pub is_root: bool,
    /// Whether it has a file of its own, not one that other folders link to.
    pub has_own_file: bool,
    /// The version constraints, with whether they count for OpenTofu: those of `.tf` files are Terraform's.
    pub required_version: Vec<(Written, bool)>,
}

impl Module {
    /// How many names it declares.
    pub(crate) fn names(&self) -> usize {
        let Module { locals, variables, outputs, resources, calls, .. } = self;
        locals.len() + variables.len() + outputs.len() + resources.len() + calls.len()
    }

    /// The locals and variables that blocks read, directly or through locals: `local.size`.
    pub(crate) fn read_by_code(&self) -> BTreeSet<String> {
        let mut read: BTreeSet<String> = self.read_by_blocks.clone();
        let mut open: Vec<String> = read.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let Some(written) = name.strip_prefix("local.").and_then(|name| self.locals.get(name)) else { continue };
            open.extend(reader::names(&written.expr).filter(|path| read.insert(path.clone())));
        }
        read
    }
}
