//! Project data for templates, beyond the data that they are rendered with: other components (`atmos.Component`) and
//! locked versions (`.version`).

pub(in crate::dialects::atmos) mod answers;
pub(in crate::dialects::atmos) mod version_tracks;

use crate::dialects::atmos::reader::Deps;
use crate::files::Files;
use crate::template::Val;
use crate::value::FileId;
use answers::{Answers, Components};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use version_tracks::{LockFile, Track};

/// The project data for one rendering.
#[derive(Clone, Debug, Default)]
pub(in crate::dialects::atmos) struct Host {
    /// The answers to `atmos.Component`; without them they are unknown.
    pub answers: Option<Arc<Answers>>,
    /// The versions for `.version`, after they were looked up; without any there is no such key.
    pub versions: Option<Option<Versions>>,
    /// Whether the versions were requested.
    pub wanted: Arc<AtomicBool>,
}

/// The versions of a track, or why they are not known.
#[derive(Clone, Debug)]
pub(in crate::dialects::atmos) enum Versions {
    Known(Arc<Track>),
    /// The lock file cannot be read.
    Unknown(String),
}

impl Host {
    /// The namespace `atmos`, which looks up what is known and notes what is not.
    pub(in crate::dialects::atmos) fn namespace(&self, assume: bool) -> Option<Val> {
        let answers = Arc::clone(self.answers.as_ref()?);
        Some(Val::Object(Arc::new(Components { answers, assume })))
    }

    /// A key that the data of a template do not have.
    pub(in crate::dialects::atmos) fn field(&self, name: &str) -> Option<Val> {
        if name != "version" {
            return None;
        }
        self.wanted.store(true, Ordering::Relaxed);
        match self.versions.as_ref()?.as_ref()? {
            Versions::Known(track) => Some(Val::Object(Arc::clone(track) as Arc<_>)),
            Versions::Unknown(reason) => Some(Val::unknown(".version", reason.as_str())),
        }
    }
}

/// What the templates of files may request: other components, and versions.
#[derive(Default)]
pub(in crate::dialects::atmos) struct Mentions(Mutex<HashMap<FileId, (bool, bool)>>);

impl Mentions {
    fn of(&self, file: FileId, files: &Files) -> (bool, bool) {
        if let Some(known) = self.0.lock().get(&file) {
            return *known;
        }
        let text = &files.get(file).text;
        let found = (mentions_component(text), mentions_version(text));
        self.0.lock().insert(file, found);
        found
    }
}

/// Adds what the templates of a stack's files may read to its dependencies; returns whether they may read other
/// components.
pub(in crate::dialects::atmos) fn add_possible_reads(
    mentions: &Mentions,
    lock_file: &LockFile<'_>,
    files: &Files,
    deps: &mut Deps,
) -> bool {
    let (mut components, mut versions) = (false, false);
    for file in &deps.files {
        let (component, version) = mentions.of(*file, files);
        components |= component;
        versions |= version;
    }
    if versions {
        lock_file.depend(deps);
    }
    components
}

/// Whether a text may read another component, in any spelling.
pub(in crate::dialects::atmos) fn mentions_component(text: &str) -> bool {
    text.contains("Component") && text.contains("atmos")
}

/// Whether Atmos passes the versions to a template: it searches for this word in the text.
pub(in crate::dialects::atmos) fn mentions_version(text: &str) -> bool {
    text.contains(".version")
}
