//! The state that is refactored: the worktree, or what an editor has of it.

use super::plan::Moved;
use crate::cli::Failure;
use crate::cli::open::{Invocation, State};
use crate::refactor::Texts;
use crate::review::Workspace;
use crate::source::{Overlay, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The worktree with the texts of open buffers.
pub(in crate::cli) struct WorkingState<'a> {
    pub(in crate::cli) place: &'a Invocation,
    pub(in crate::cli) workspace: Workspace<'a>,
    /// What replaces the contents of files, by path.
    pub(in crate::cli) buffers: &'a BTreeMap<String, Arc<[u8]>>,
}

impl WorkingState<'_> {
    pub(super) fn open(&self) -> Result<Box<dyn Source>, Failure> {
        self.edited(&Texts::new(), &[])
    }

    /// The same with some files changed, and some of them at other paths as well.
    pub(super) fn edited(&self, texts: &Texts, moved: &[Moved]) -> Result<Box<dyn Source>, Failure> {
        let bytes = |text: &String| -> Arc<[u8]> { Arc::from(text.as_bytes()) };
        let to = |path: &String| moved.iter().find(|moved| moved.from == *path).map_or(path, |moved| &moved.to).clone();
        let mut contents = self.buffers.clone();
        contents.extend(texts.iter().map(|(path, [_, new])| (to(path), bytes(new))));
        let worktree = self.place.open(&State::Worktree)?;
        Ok(if contents.is_empty() { worktree } else { Box::new(Overlay::new(worktree, &contents)) })
    }
}
