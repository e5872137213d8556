//! Errors of git and the disk.

use std::path::PathBuf;

/// An error of this module. Every message says what failed, where, and what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is a repository, but it cannot be opened.
    #[error("cannot open the git repository of {}: {reason}", .path.display())]
    Open {
        /// Where the search started.
        path: PathBuf,
        reason: String,
    },
    /// A repository is rejected, because its configuration points outside of it or it belongs to another user.
    #[error("the git repository of {} is not used: {reason}", .path.display())]
    Untrusted {
        /// The folder.
        path: PathBuf,
        /// Why, and what to do about it.
        reason: String,
        /// The place in the configuration; `None` if there is none.
        place: Option<ConfigPlace>,
    },
    /// A file cannot be changed.
    #[error("cannot change {}: {reason}", .path.display())]
    Write { path: PathBuf, reason: String },
    /// Something other than a range where a range is needed.
    #[error("`{0}` is not a range: write `BASE..HEAD`, or `BASE...HEAD` to start at their merge base")]
    NotARange(String),
    /// What a commit changes depends on the parent that it is compared with.
    #[error("`{spec}` has {parents} parents, so `{spec}^!` is no range: write `BASE..{spec}`")]
    NotOneParent {
        /// The commit as written.
        spec: String,
        parents: usize,
    },
    /// No reference or object of that name.
    #[error("`{spec}` is not a revision of this repository{}{}", did_you_mean(.suggestion), then(.hint))]
    UnknownRevision {
        /// As written.
        spec: String,
        /// A reference with a similar name.
        suggestion: Option<String>,
        /// Advice.
        hint: Option<String>,
    },
    /// The revision exists, but is not a commit.
    #[error("`{spec}` does not lead to a commit: {reason}{}", then(.hint))]
    NotACommit {
        /// As written.
        spec: String,
        reason: String,
        /// Advice.
        hint: Option<String>,
    },
    /// `HEAD` is a branch that has no commit yet.
    #[error("branch `{branch}` has no commit yet: commit something first, or compare the index or the worktree")]
    Unborn {
        /// Short name of the branch.
        branch: String,
    },
    /// The histories of two revisions do not meet in this clone.
    #[error("`{base}` and `{head}` have no common ancestor in this clone; {hint}")]
    NoMergeBase {
        /// First revision as written.
        base: String,
        /// Second revision as written.
        head: String,
        /// Advice.
        hint: String,
    },
    /// An object that should exist does not.
    #[error("object {id}{} is not in this clone; {hint}", of(.path))]
    MissingObject {
        /// Full hexadecimal id.
        id: String,
        /// The file it is the content of, if any.
        path: Option<String>,
        /// Advice.
        hint: String,
    },
    /// Files that were read are not in a partial clone.
    #[error("{path}{}, which the analysis reads, {} not in this clone; {hint}", more(*files), if *files == 1 { "is" } else { "are" })]
    PartialClone {
        files: usize,
        path: String,
        /// Advice.
        hint: String,
    },
    /// What git has of a file is not its content.
    #[error("{path} cannot be read: {why}")]
    Unavailable {
        /// The file.
        path: String,
        /// Why.
        why: super::Unavailable,
    },
    /// An object exists but cannot be read.
    #[error("object {id}{} cannot be read: {reason}; check the repository with `git fsck`", of(.path))]
    BrokenObject {
        /// Full hexadecimal id.
        id: String,
        /// The file it is the content of, if any.
        path: Option<String>,
        reason: String,
    },
    /// Two revisions cannot be merged, for a reason that is no conflict.
    #[error("{name} cannot be made: {reason}")]
    Merge {
        /// What it is the merge of.
        name: String,
        reason: String,
    },
    /// A bare repository has neither.
    #[error("{path} is a bare repository without {what}: name a revision instead", path = .path.display())]
    Bare {
        /// The git directory.
        path: PathBuf,
        /// `index` or `worktree`.
        what: &'static str,
    },
    /// The index cannot be read.
    #[error("cannot read the git index: {reason}; `git status` tells whether git can")]
    Index { reason: String },
    /// More than anybody writes by hand.
    #[error("{path} is larger than {limit} bytes and is not read")]
    TooLarge {
        path: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A tree with more files than can be listed.
    #[error("{name} has more than {limit} files and directories, or directories nested too deeply")]
    TooManyFiles {
        /// The source.
        name: String,
        limit: usize,
    },
    /// A submodule has no bytes, and an entry of one source means nothing to another.
    #[error("{path} is not a file of {source_name}")]
    NotAFile { path: String, source_name: String },
    /// A temporary repository cannot be made.
    #[error("cannot make a temporary repository in {}: {reason}", .path.display())]
    Scratch {
        /// The folder.
        path: PathBuf,
        reason: String,
    },
    /// An I/O error.
    #[error("cannot read {}: {reason}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        reason: String,
    },
}

/// A place in a file of a git directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigPlace {
    /// The path of the file from the folder that the git directory is in, with `/`.
    pub path: String,
    /// The text of the file.
    pub text: String,
    /// The byte range of the relevant text.
    pub span: std::ops::Range<u32>,
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn then(hint: &Option<String>) -> String {
    hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"))
}

/// The files beside the one that is named.
fn more(files: usize) -> String {
    match files {
        0 | 1 => String::new(),
        2 => " and another file".to_owned(),
        files => format!(" and {} other files", files - 1),
    }
}

fn of(path: &Option<String>) -> String {
    path.as_ref().map_or_else(String::new, |path| format!(" ({path})"))
}

/// Advice for commits, by their full ids, whose history is missing in a shallow clone.
pub(super) fn deepen(ids: &[String]) -> String {
    format!(
        "the clone is shallow: run `git fetch --deepen=200 origin {}` or `git fetch --unshallow` (in GitHub Actions set \
         `fetch-depth: 0` for actions/checkout)",
        ids.join(" ")
    )
}

/// Advice for a commit, by its full id, that is missing in a shallow clone.
pub(super) fn fetch(id: &str) -> String {
    format!(
        "the clone is shallow: run `git fetch --depth=1 origin {id}` (in GitHub Actions set `fetch-depth: 0` for \
         actions/checkout)"
    )
}
/// Advice for objects of a commit that are missing in a partial clone.
pub(super) fn refetch(commit: &str) -> String {
    format!(
        "the clone is partial: run `git rev-list --objects --no-walk --missing=print {commit} | sed -n 's/^?//p' | git fetch \
         --stdin origin`, or clone without `--filter`"
    )
}
/// Advice for objects that are missing for an unknown reason.
pub(super) const FSCK: &str = "check the repository with `git fsck`";
/// Advice for commits that a server has not accepted yet.
pub(super) const QUARANTINE: &str = "git keeps what is pushed in quarantine until its hooks have accepted it, and stacklint \
                                     does not read it there: run it in a `post-receive` hook, or before the push";
/// Advice for histories without a common commit.
pub(super) const UNRELATED: &str = "their histories are unrelated: use `BASE..HEAD` to compare them directly";
