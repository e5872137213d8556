//! One folder of the workspace: its analyses, which run on a thread of their own, and what was reported of them.

use super::{Analysis, Analyzer, Contents};
use crate::threads::{self, Cancel};
use crossbeam_channel::{Receiver, Sender, unbounded};
use ls_types::Diagnostic;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Scope;

/// The number of an analysis, counted from 1 in the order of requests.
pub(super) type Number = u64;

/// The end of an analysis: the index of the root, the number, and the result.
pub(super) type Done = (usize, Number, Result<Analysis, String>);

/// One folder of the workspace.
pub(super) struct Root {
    /// The root of its worktree.
    pub(super) path: PathBuf,
    /// The last analysis that ended.
    pub(super) analysis: Option<Analysis>,
    /// The findings that the client shows, by path of the file.
    pub(super) shown: BTreeMap<String, Vec<Diagnostic>>,
    /// The message that the client shows because nothing was analyzed.
    pub(super) failure: Option<String>,
    requested: Number,
    done: Number,
    tasks: Sender<Task>,
    /// Cancels the analysis that was requested last.
    cancel: Cancel,
    is_closed: bool,
    /// Analyzes the worktree.
    pub(super) analyzer: Arc<dyn Analyzer>,
}

/// A requested analysis.
struct Task {
    number: Number,
    buffers: Contents,
    cancel: Cancel,
}

impl Root {
    /// A folder whose analyses are sent to `results`.
    pub(super) fn start<'scope>(
        index: usize,
        analyzer: Arc<dyn Analyzer>,
        results: Sender<Done>,
        scope: &'scope Scope<'scope, '_>,
    ) -> Self {
        let (tasks, received) = unbounded();
        let path = analyzer.root();
        let own = Arc::clone(&analyzer);
        scope.spawn(move || work(index, &*own, &received, &results));
        let (shown, failure, cancel, is_closed) = (BTreeMap::new(), None, Cancel::never(), false);
        Root { path, analysis: None, shown, failure, requested: 0, done: 0, tasks, cancel, is_closed, analyzer }
    }

    /// Removes the folder from the workspace: its thread ends.
    pub(super) fn close(&mut self) {
        self.cancel.cancel();
        (self.analysis, self.is_closed, self.tasks) = (None, true, unbounded().0);
    }

    /// Whether the folder was removed from the workspace.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Requests an analysis, replacing those that have not started.
    pub(super) fn ask(&mut self, buffers: Contents) {
        self.requested += 1;
        self.cancel.cancel();
        self.cancel = Cancel::new();
        let task = Task { number: self.requested, buffers, cancel: self.cancel.clone() };
        // The thread ends after this only.
        let _ = self.tasks.send(task);
    }

    /// Stores the result of an analysis. Returns `false` if a newer one is running.
    pub(super) fn take(&mut self, number: Number, result: Result<Analysis, String>) -> bool {
        self.done = number;
        if !self.is_current() {
            return false;
        }
        match result {
            Ok(analysis) => (self.analysis, self.failure) = (Some(analysis), None),
            Err(message) => (self.analysis, self.failure) = (None, Some(message)),
        }
        true
    }

    /// Whether what is known is about the text as it is.
    pub(super) fn is_current(&self) -> bool {
        self.done == self.requested
    }

    /// What the next request of an analysis cancels.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether no analysis was requested yet.
    pub(super) fn is_new(&self) -> bool {
        self.requested == 0
    }

    /// Whether it was never analyzed.
    pub(super) fn is_first(&self) -> bool {
        self.done == 0
    }
}

/// Runs the newest requested analysis, until the channel is closed.
fn work(index: usize, analyzer: &dyn Analyzer, tasks: &Receiver<Task>, results: &Sender<Done>) {
    while let Ok(mut task) = tasks.recv() {
        while let Ok(newer) = tasks.try_recv() {
            task = newer;
        }
        let Task { number, buffers, cancel } = task;
        let analyze = || analyzer.analyze(&buffers, &cancel);
        let run = || threads::with_deep_stack(|| threads::catch_panic("the analysis", analyze));
        let result = run().unwrap_or_else(|defect| Err(format!("internal error: {}", defect.message)));
        if results.send((index, number, result)).is_err() {
            return;
        }
    }
}
