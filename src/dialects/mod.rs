//! The systems whose configuration stacklint resolves. Each turns a revision into an [`Estate`]; nothing outside of its
//! own folder knows it.

pub mod atmos;

use crate::estate::Estate;
use crate::files::Files;
use crate::source::{Change, Source};
use std::collections::BTreeMap;

/// What the user asked to look at.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The folder to start in, from the root of the repository; empty for the root.
    pub start: String,
    /// The absolute path of the root, for configurations that name absolute paths; empty if there is no work tree.
    pub root: String,
    /// Configuration files or folders that replace the search, from the root of the repository.
    pub config: Vec<String>,
    /// Environment variables that the dialect honours, by name.
    pub env: BTreeMap<String, String>,
}

/// How much of a revision is to be resolved.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// All of it.
    All,
    /// Only units that one of these changes can reach; others are named, without components.
    Touched(&'a [Change]),
}

/// A system.
pub trait Dialect: Sync {
    /// Its name, as `--dialect` takes it.
    fn name(&self) -> &'static str;

    /// Whether a revision holds a project of this system.
    fn detect(&self, source: &dyn Source, project: &Project) -> bool;

    /// Resolves a revision. Mistakes in its files are findings of the estate.
    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Estate;
}
