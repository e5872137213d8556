//! Which folders of code come from vendor manifests.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Reader;
use std::sync::OnceLock;

/// The text of all vendor manifests, read on demand.
#[derive(Default)]
pub(in crate::dialects::atmos) struct VendoredFolders(OnceLock<String>);

impl VendoredFolders {
    /// Whether the file at a path may be a vendor manifest.
    pub(in crate::dialects::atmos) fn is_read_from(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        let in_folder = path.split('/').any(|part| part == "vendor" || part == "vendor.d");
        matches!(name, "vendor.yaml" | "vendor.yml") || in_folder && (name.ends_with(".yaml") || name.ends_with(".yml"))
    }

    /// Whether a vendor manifest of the project speaks of a folder.
    pub(super) fn has(&self, folder: &str, reader: &Reader<'_>, config: &Config) -> bool {
        let text = self.0.get_or_init(|| {
            let listing = reader.source.listing();
            let below = |path| paths::relative(path, &config.base).unwrap_or(path);
            let entries = listing.iter().filter(|e| Self::is_read_from(below(&e.path)));
            let texts = entries.filter_map(|e| reader.source.read(e).ok());
            texts.fold(String::new(), |all, bytes| all + &String::from_utf8_lossy(&bytes) + "\n")
        });
        let name = folder.rsplit('/').next().unwrap_or(folder);
        text.contains(name) || text.contains(".Component")
    }
}
