//! Which folders of code come from vendor manifests.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Reader;
use std::sync::OnceLock;

/// The text of all vendor manifests, read on demand.
#[derive(Default)]
pub(in crate::dialects::atmos) struct VendoredFolders(OnceLock<String>);

impl VendoredFolders {
    /// Whether a vendor manifest of the project speaks of a folder.
    pub(super) fn has(&self, folder: &str, reader: &Reader<'_>, config: &Config) -> bool {
        let text = self.0.get_or_init(|| {
            let listing = reader.source.listing();
            let is_manifest = |path: &str| {
                let below = paths::relative(path, &config.base).unwrap_or(path);
                let name = below.rsplit('/').next().unwrap_or_default();
                let in_folder = below.split('/').any(|part| part == "vendor" || part == "vendor.d");
                matches!(name, "vendor.yaml" | "vendor.yml")
                    || in_folder && (name.ends_with(".yaml") || name.ends_with(".yml"))
            };
            let entries = listing.iter().filter(|e| is_manifest(&e.path));
            let texts = entries.filter_map(|e| reader.source.read(e).ok());
            texts.fold(String::new(), |all, bytes| all + &String::from_utf8_lossy(&bytes) + "\n")
        });
        let name = folder.rsplit('/').next().unwrap_or(folder);
        text.contains(name) || text.contains(".Component")
    }
}
