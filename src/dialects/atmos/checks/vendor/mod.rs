//! Vendor manifests (`vendor.yaml`, `component.yaml`): where `atmos vendor pull` fetches code from, and into which folders.
//! Nothing is fetched.

mod check;
mod manifest;

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::reader::Reader;
use crate::dialects::atmos::templates::engine::Templates;
use crate::resolution::FetchedFolder;
use manifest::VendorManifests;

/// Checks the vendor manifests of a project; returns the folders that they fill.
pub(in crate::dialects::atmos) fn check(
    reader: &Reader<'_>,
    config: &Config,
    templates: &Templates,
    diagnostics: &Diagnostics,
) -> Vec<FetchedFolder> {
    let mut manifests = VendorManifests::new(reader, config);
    manifests.read_vendor_files();
    manifests.read_component_files();
    manifests.findings.into_iter().for_each(|finding| diagnostics.report(finding));
    check::sources(&manifests.sources, reader, templates, diagnostics)
}
