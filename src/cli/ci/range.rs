//! Resolves the detected change to two commits, and determines which commits a clone lacks.

use super::detect::{Base, Job};
use crate::source::{Error, Repository, Revision};

/// The two sides; without a base, only the head is checked.
pub(super) struct Sides {
    pub(super) base: Option<Revision>,
    pub(super) head: Revision,
}

/// Finds the commits of a job.
///
/// # Errors
/// The clone lacks one of them.
pub(super) fn sides(job: &Job, repository: &Repository) -> Result<Sides, Error> {
    let head = repository.resolve(&job.head)?;
    let since = |name: &str| repository.merge_base(&repository.resolve(name)?, &head);
    let base = match &job.base {
        Base::Nothing | Base::Deleted => None,
        Base::Revision(name) | Base::Group(name) => Some(repository.resolve(name)?),
        Base::Since(name) => Some(since(name)?),
        Base::Merged { base, head: tip } => match &repository.parents(&head)[..] {
            [first, second] if second == tip => Some(repository.resolve(first)?),
            _ => Some(since(base)?),
        },
    };
    Ok(Sides { base, head })
}

/// The merge that a job tests, or that its change will become: base, target, change, and the finished merge if the head is one. `None`
/// if the target has not moved since the change started, or the clone does not have the history that says so.
pub(super) fn merge(job: &Job, repository: &Repository) -> Option<([Revision; 3], Option<Revision>)> {
    let head = repository.resolve(&job.head).ok()?;
    let resolve = |name: &str| repository.resolve(name).ok();
    let (ours, theirs, result) = match (&job.base, &repository.parents(&head)[..]) {
        (Base::Merged { head: tip, .. }, [first, second]) if second == tip => {
            (resolve(first)?, resolve(second)?, Some(head))
        }
        // A queue merges; what it squashes or rebases has one parent, and no other side.
        (Base::Group(_), [first, second]) => (resolve(first)?, resolve(second)?, Some(head)),
        (Base::Merged { base, .. }, _) => (resolve(base)?, head, None),
        _ => return None,
    };
    let base = repository.merge_base(&ours, &theirs).ok()?;
    let has_moved = base.commit() != ours.commit() && base.commit() != theirs.commit();
    has_moved.then_some(([base, ours, theirs], result))
}

/// The commits of the two sides, if the clone is partial and lacks objects of them.
fn objects(job: &Job, repository: &Repository) -> Vec<String> {
    let Ok(Sides { base, head }) = sides(job, repository) else { return Vec::new() };
    let lacks = |side: &Revision| !repository.at(side).is_ok_and(|source| source.has_all());
    let lacking = base.iter().chain([&head]).filter(|side| repository.is_partial() && lacks(side));
    lacking.map(|side| format!("objects {}", side.commit())).collect()
}

/// Returns what has to be fetched first, one per line: `commit ID`, `branch NAME`, `history`, `objects ID`. Empty if nothing
/// is missing.
pub(super) fn needs(job: &Job, repository: &Repository) -> Vec<String> {
    let lacks = |name: &str| repository.resolve(name).is_err();
    let one = |name: &str| match name.strip_prefix("refs/remotes/origin/") {
        Some(branch) => format!("branch {branch}"),
        None => format!("commit {name}"),
    };
    let mut needs = Vec::new();
    if job.head != "HEAD" && lacks(&job.head) {
        needs.push(one(&job.head));
    }
    let parents = repository.resolve(&job.head).map(|head| repository.parents(&head)).unwrap_or_default();
    let (base, by_merge_base) = match (&job.base, &parents[..]) {
        (Base::Nothing | Base::Deleted, _) => {
            needs.extend(objects(job, repository));
            return needs;
        }
        (Base::Merged { head, .. }, [first, second]) if second == head => (first, false),
        (Base::Revision(name) | Base::Group(name), _) => (name, false),
        (Base::Since(name) | Base::Merged { base: name, .. }, _) => (name, true),
    };
    if lacks(base) {
        needs.push(one(base));
    }
    if by_merge_base && repository.is_shallow() && sides(job, repository).is_err() {
        needs.push("history".to_owned());
    }
    needs.extend(objects(job, repository));
    needs
}
