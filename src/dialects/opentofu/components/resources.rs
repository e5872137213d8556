//! Resources, data sources and ephemeral resources as components.

use crate::dialects::opentofu::components::builder::{Builder, Described, described};
use crate::dialects::opentofu::components::value::origin;
use crate::dialects::opentofu::vocabulary::{DATA, RESOURCES};
use crate::resolution::{ComponentMetadata, RemovalEffect};
use crate::terraform::configuration::{Instance, Mode};

/// Adds a component for each instance.
pub(crate) fn add(builder: &mut Builder<'_, '_>, instances: Vec<Instance>) {
    for Instance { mode, address, former, value, place } in instances {
        let (removal, vocabulary) = match mode {
            Mode::Managed => (RemovalEffect::Destroyed, &RESOURCES),
            Mode::Data | Mode::Ephemeral => (RemovalEffect::Nothing, &DATA),
        };
        let former_names = former.iter().map(|address| address.to_string().into()).collect();
        let metadata = ComponentMetadata { former_names, shares_state: true, ..ComponentMetadata::default() };
        let described =
            Described { removal, metadata, vocabulary, ..described(mode.word(), address.to_string(), value) };
        builder.add(described, [origin(place)].into_iter());
    }
}
