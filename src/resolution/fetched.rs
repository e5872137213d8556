//! Folders whose content is fetched from elsewhere before anything is deployed.

use crate::text::Text;
use crate::value::{Origin, Read};

/// A folder for which a manifest of the repository configures that code is fetched into it.
#[derive(Clone, Debug)]
pub(crate) struct FetchedFolder {
    /// The folder, from the root of the repository.
    pub folder: Text,
    /// The value that names it.
    pub origin: Origin,
    /// What is fetched: equal for the same address, version and selection of files.
    pub content: Read,
}
