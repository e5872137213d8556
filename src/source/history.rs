//! The history of a branch, commit by commit.

use super::Repository;
use super::revision::Revision;

/// What a commit says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitInfo {
    /// Its full id.
    pub id: String,
    /// The day on which it was made: `2026-03-01`.
    pub date: String,
    /// The first line of its message.
    pub summary: String,
}

impl Repository {
    /// Describes a commit; `None` if the clone does not have it.
    pub(crate) fn commit(&self, revision: &Revision) -> Option<CommitInfo> {
        self.objects.with(|repo| {
            let commit = repo.find_commit(revision.id()).ok()?;
            Some(CommitInfo {
                id: revision.commit(),
                date: commit.time().ok()?.format_or_unix(gix::date::time::format::SHORT),
                summary: commit.message().ok()?.summary().to_string(),
            })
        })
    }
}
