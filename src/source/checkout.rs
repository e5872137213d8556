//! How git sees the files of a worktree: which it ignores, and what it would store of their bytes. Nothing is executed: what a
//! filter of another program (Git LFS, git-crypt) makes of a file is not known.

use super::{Error, reason};
use gix::attrs::StateRef;
use gix::attrs::search::Outcome;
use gix::bstr::{BStr, ByteSlice};
use gix::filter::plumbing::Pipeline;
use gix::filter::plumbing::pipeline::CrlfRoundTripCheck;
use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
use gix::index::entry::Mode;
use gix::worktree::stack::state::{attributes, ignore};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};

/// The rules of one worktree.
pub(super) struct Checkout {
    rules: Mutex<Rules>,
}

struct Rules {
    repo: gix::Repository,
    index: gix::worktree::Index,
    stack: gix::worktree::Stack,
    pipeline: Pipeline,
    /// Holds the attribute `filter`.
    filter: Outcome,
}

impl Checkout {
    /// Reads the rules from the configuration of a repository; those of folders are read when they are needed.
    pub(super) fn new(repo: &gix::Repository, index: gix::worktree::Index) -> Result<Self, Error> {
        let failed = |error: gix::Error| Error::Index { reason: reason(error) };
        let attributes = attributes::Source::WorktreeThenIdMapping;
        let ignored = ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let stack = repo.attributes(&index, attributes, ignored, None).map_err(failed)?.detach();
        let mut options = gix::filter::Pipeline::options(repo).map_err(failed)?;
        options.drivers.clear();
        options.crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        let pipeline = Pipeline::new(gix::command::Context::default(), repo.object_hash(), options);
        let filter = stack.selected_attribute_matches(["filter"]);
        Ok(Self { rules: Mutex::new(Rules { repo: repo.clone(), index, stack, pipeline, filter }) })
    }

    /// The directory of git that all worktrees of the repository share.
    pub(super) fn folder(&self) -> PathBuf {
        self.rules.lock().repo.common_dir().to_owned()
    }

    /// Whether git ignores a path of the worktree that it does not track.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let Rules { repo, stack, .. } = &mut *self.rules.lock();
        let mode = if is_folder { Mode::DIR } else { Mode::FILE };
        stack.at_path(path, Some(mode), &repo.objects).is_ok_and(|place| place.is_excluded())
    }

    /// Whether another program changes the bytes of a file on their way into git.
    pub(super) fn is_filtered(&self, path: &Path) -> bool {
        let Rules { repo, stack, filter, .. } = &mut *self.rules.lock();
        let Ok(place) = stack.at_path(path, Some(Mode::FILE), &repo.objects) else { return false };
        filter.reset();
        place.matching_attributes(filter);
        filter.iter_selected().any(|found| matches!(found.assignment.state, StateRef::Value(_)))
    }

    /// What git would store of the bytes of a file, without filters of other programs: line ends, `$Id$` and encodings are
    /// converted. Bytes that git would refuse stay as they are.
    pub(super) fn stored(&self, path: &Path, bytes: Vec<u8>) -> Vec<u8> {
        let Rules { repo, index, stack, pipeline, .. } = &mut *self.rules.lock();
        let objects = &repo.objects;
        let mut attributes = |path: &BStr, found: &mut Outcome| {
            if let Ok(place) = stack.at_path(path, Some(Mode::FILE), objects) {
                place.matching_attributes(found);
            }
        };
        let entry = gix::path::into_bstr(path).ok().and_then(|path| index.entry_by_path(path.as_bstr()));
        let mut in_index = |buffer: &mut Vec<u8>| {
            let blob = entry.and_then(|entry| repo.find_object(entry.id).ok());
            Ok(blob.map(|blob| buffer.extend_from_slice(&blob.data)))
        };
        match pipeline.convert_to_git(&bytes[..], path, &mut attributes, &mut in_index) {
            Ok(ToGitOutcome::Buffer(stored)) => stored.to_vec(),
            Ok(ToGitOutcome::Unchanged(_) | ToGitOutcome::Process(_)) | Err(_) => bytes,
        }
    }
}
