//! The merge of two revisions, in memory: what `git merge --no-ff` would make of them.

use super::objects::{Found, Snapshot};
use super::revision::Revision;
use super::{Error, Repository, Source, reason, text_of};
use gix::ObjectId;
use gix::diff::Rewrites;
use gix::diff::blob::{Algorithm, pipeline as diff_pipeline};
use gix::merge::blob::builtin_driver::text;
use gix::merge::blob::pipeline as merge_pipeline;
use gix::merge::plumbing::{commit, tree};
use gix::merge::tree::{TreatAsUnresolved, apply_index_entries};
use gix::prelude::Write as _;
use gix::worktree::stack::state::attributes::Source as Attributes;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many files that were added or removed are compared to find renames, as in git.
const MAX_RENAMES: usize = 7000;

/// What a merge gives.
pub(crate) enum Merged {
    /// The files of the merge.
    Tree(Box<dyn Source>),
    /// The files with a conflict, from the root of the repository. There is no tree.
    Conflicts(BTreeSet<String>),
}

impl Repository {
    /// Merges `theirs` into `ours`, with the strategy `ort` and its default options. The merge base is `base`, or that of both; of
    /// several ones it is their merge. Only memory is written to, and nothing is executed: neither drivers nor filters of the
    /// configuration count.
    ///
    /// # Errors
    /// There is no merge base, or an object cannot be read.
    pub(crate) fn merge(&self, base: Option<&Revision>, ours: &Revision, theirs: &Revision) -> Result<Merged, Error> {
        let name = format!("the merge of {} into {}", theirs.name(), ours.name());
        // Also reports histories that do not meet in this clone.
        if base.is_none() {
            self.merge_base(ours, theirs)?;
        }
        let broken = |error: gix::Error| Error::Merge { name: name.clone(), reason: reason(error) };
        let merged = self.objects.with(|repo| {
            let mut repo = repo.clone().with_object_memory();
            let merged = merge(&repo, base.map(Revision::id), ours.id(), theirs.id())?;
            Ok(merged.map(|tree| (tree, repo.objects.take_object_memory().unwrap_or_default())))
        });
        match merged.map_err(broken)? {
            Err(conflicts) => Ok(Merged::Conflicts(conflicts)),
            Ok((tree, memory)) => {
                let objects = Arc::new(self.objects.with_memory(memory));
                let mut found = Found::default();
                objects.walk(tree, "", &name, &mut found)?;
                Ok(Merged::Tree(Box::new(Snapshot::new(&objects, found, name, None)?)))
            }
        }
    }
}

/// Merges commits into a tree that is written to `repo`, or returns the files with a conflict.
fn merge(
    repo: &gix::Repository,
    base: Option<ObjectId>,
    ours: ObjectId,
    theirs: ObjectId,
) -> Result<Result<ObjectId, BTreeSet<String>>, gix::Error> {
    let tree_of = |commit: ObjectId| Ok::<_, gix::Error>(repo.find_commit(commit)?.tree_id()?.detach());
    let our_tree = tree_of(ours)?;
    let (mut renames, mut contents) = platforms(repo, our_tree)?;
    let labels = text::Labels { ancestor: None, current: Some("ours".into()), other: Some("theirs".into()) };
    let options = options();
    let merged = match base {
        Some(base) => tree(
            &tree_of(base)?,
            &our_tree,
            &tree_of(theirs)?,
            labels,
            repo,
            |bytes| repo.write_buf(gix::objs::Kind::Blob, bytes),
            &mut gix::diff::tree::State::default(),
            &mut renames,
            &mut contents,
            options,
        )?,
        None => {
            let history = repo.commit_graph_if_enabled().ok().flatten();
            let mut graph = repo.revision_graph(history.as_ref());
            let options = gix::merge::plumbing::commit::Options { tree_merge: options, ..Default::default() };
            let name = &mut |id: &gix::oid| id.to_string();
            commit(ours, theirs, labels, &mut graph, &mut renames, &mut contents, repo, name, options)?.tree_merge
        }
    };
    let mut edited = merged.tree;
    let id = edited.write(|tree| repo.write(tree))?;
    let mut index = repo.index_from_tree(&id)?;
    let mode = apply_index_entries::RemovalMode::Prune;
    let has_conflicts =
        gix::merge::plumbing::tree::apply_index_entries(&merged.conflicts, TreatAsUnresolved::git(), &mut index, mode);
    if !has_conflicts {
        return Ok(Ok(id));
    }
    let unmerged = index.entries().iter().filter(|entry| entry.stage_raw() != 0);
    Ok(Err(unmerged.map(|entry| text_of(entry.path(&index)).into()).collect()))
}

/// How files are compared to find renames, and how their contents are merged. Attributes are those of the files of `tree`.
fn platforms(
    repo: &gix::Repository,
    tree: ObjectId,
) -> Result<(gix::diff::blob::Platform, gix::merge::blob::Platform), gix::Error> {
    let index = repo.index_from_tree(&tree)?;
    let attributes = || Ok::<_, gix::Error>(repo.attributes_only(&index, Attributes::IdMapping)?.detach());
    let filter = || gix::filter::plumbing::Pipeline::new(Default::default(), repo.object_hash(), Default::default());
    let renames = gix::diff::blob::Platform::new(
        Default::default(),
        gix::diff::blob::Pipeline::new(Default::default(), filter(), Vec::new(), Default::default()),
        diff_pipeline::Mode::ToGit,
        attributes()?,
    );
    let contents = gix::merge::blob::Platform::new(
        gix::merge::blob::Pipeline::new(Default::default(), filter(), Default::default()),
        merge_pipeline::Mode::ToGit,
        attributes()?,
        Vec::new(),
        Default::default(),
    );
    Ok((renames, contents))
}

/// The defaults of the strategy `ort`.
fn options() -> gix::merge::plumbing::tree::Options {
    let rewrites = Some(Rewrites { limit: MAX_RENAMES, ..Rewrites::default() });
    let mut options = gix::merge::plumbing::tree::Options { rewrites, ..Default::default() };
    options.blob_merge.text.diff_algorithm = Algorithm::Histogram;
    options
}
