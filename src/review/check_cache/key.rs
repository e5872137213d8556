//! What a check depends on.

use crate::dialects::Project;
use crate::review::{Overrides, Workspace};
use crate::source::{Entry, EntryKind, Listing};
use sha2::{Digest, Sha256};
use std::fmt::Debug;

/// Identifies a check: by the program and its inputs, and by the state.
pub(in crate::review) struct Key {
    state: String,
    /// The same without the content of files.
    paths: String,
}

impl Key {
    /// The key of a check of everything in a state.
    pub(in crate::review) fn new(listing: &Listing, workspace: &Workspace<'_>, overrides: &Overrides) -> Self {
        let mut fields = Fields(Sha256::new());
        fields.add(&env!("CARGO_PKG_VERSION"));
        fields.add(&env!("STACKLINT_BUILD"));
        add_workspace(&mut fields, workspace);
        add_overrides(&mut fields, overrides);
        let mut all = fields.clone();
        for entry in listing.iter() {
            add_path(&mut fields, listing, entry);
            add_path(&mut all, listing, entry);
            all.bytes(entry.id.as_bytes());
        }
        Key { state: all.end(), paths: fields.end() }
    }

    /// The key of the entry of the state.
    pub(super) fn state(&self) -> String {
        format!("{}-state", self.state)
    }

    /// The key of the states with the same paths that were checked last.
    pub(super) fn recent(&self) -> String {
        format!("{}-recent", self.paths)
    }
}

/// A digest of fields, in their order. None can be taken for a part of another one.
#[derive(Clone)]
struct Fields(Sha256);

impl Fields {
    fn add(&mut self, value: &dyn Debug) {
        self.bytes(format!("{value:?}").as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn end(self) -> String {
        self.0.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn add_workspace(fields: &mut Fields, workspace: &Workspace<'_>) {
    let Workspace { project, folders, dialect, host: _ } = workspace;
    let Project { start, root, config, env, variables, eval_inputs, inputs, roots, promised_merge, cancel: _ } =
        project;
    let all: [&dyn Debug; 11] =
        [folders, dialect, start, root, config, env, variables, eval_inputs, inputs, roots, promised_merge];
    all.into_iter().for_each(|field| fields.add(field));
}

/// Adds the overrides that decide what is found. Others only decide what is reported of it.
fn add_overrides(fields: &mut Fields, overrides: &Overrides) {
    #[rustfmt::skip]
    let Overrides {
        fail_on: _, min_level: _, strict: _, baseline: _, exit_zero: _, settings_from: _,
        groups, variables, raise_limits, seconds,
    } = overrides;
    let all: [&dyn Debug; 4] = [groups, variables, raise_limits, seconds];
    all.into_iter().for_each(|field| fields.add(field));
}

/// Adds a path with its kind. Where a link leads decides what is at other paths.
fn add_path(fields: &mut Fields, listing: &Listing, entry: &Entry) {
    fields.bytes(entry.path.as_bytes());
    fields.bytes(&[entry.kind as u8, u8::from(entry.lossy)]);
    if !matches!(entry.kind, EntryKind::File | EntryKind::Executable) {
        fields.bytes(entry.id.as_bytes());
        fields.bytes(listing.link_target(&entry.path).unwrap_or_default().as_bytes());
    }
}
