//! `invalid-backend` and `shared-state-address`: where components keep their state.

use crate::diagnostic::rules::INVALID_BACKEND;
use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::Component;
use crate::rules::places::{Findings, at_key};
use crate::rules::{AllUnits, Units, rule};
use crate::terraform::state::{self, StateLocation};
use crate::unit::{Interface, StateInterface};
use crate::value::Data;
use std::collections::BTreeMap;

rule!(SHARED_STATE_ADDRESS, "shared-state-address", Correctness, "0.1.0", "two components share one state object");

pub(super) fn incomplete(context: &Units<'_>) -> Findings {
    let mut findings = Findings::default();
    for component in context.deployed() {
        let Some(place) = &component.metadata.state else { continue };
        // A backend without any settings, or one that the code configures itself, is incomplete on purpose.
        if place.authored == 0 || has_own_backend(context, component) {
            continue;
        }
        let Some(origin) = place.origin.or(component.value.prov.origin) else { continue };
        for setting in state::required_settings(&place.backend) {
            let is_missing = match place.settings.get(setting).map(|v| &v.data) {
                None | Some(Data::Null) => true,
                Some(Data::Str(text)) => text.is_empty(),
                Some(_) => false,
            };
            if is_missing {
                let message = format!("the backend `{}` has no `{setting}`", place.backend);
                let finding = Diagnostic::new(&INVALID_BACKEND, message, at_key(context.files, origin, ""))
                    .token(*setting)
                    .address(format!("{}/{}/backend", component.stack, component.name))
                    .help(format!("set `{setting}` beside the other settings: Terraform needs it"));
                findings.add(&component.stack, finding);
            }
        }
    }
    findings
}

fn has_own_backend(context: &Units<'_>, component: &Component) -> bool {
    let folder = component.metadata.code.as_ref().map(|c| &c.folder);
    folder.and_then(|f| context.modules.get(f)).is_some_and(|m| m.backend.is_some())
}

/// The address of a component's state, if it is known.
fn address(component: &Interface, place: &StateInterface) -> Option<Vec<(&'static str, String)>> {
    let folder = component.code.as_ref().map(|c| &*c.folder).filter(|_| !place.is_separate);
    let workspace = component.workspace.as_deref()?;
    let (backend, settings, is_assumed) = (&*place.backend, &*place.settings, place.is_workspace_assumed);
    state::object(&StateLocation { backend, settings, workspace, is_assumed, folder })
}

/// Components by stack and name.
type Owners<'a> = BTreeMap<(&'a str, &'a str), &'a Interface>;

pub(super) fn shared(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut by_address: BTreeMap<Vec<(&'static str, String)>, Owners<'_>> = BTreeMap::new();
    for component in context.index.components().filter(|c| c.is_deployed()) {
        let Some(place) = &component.state else { continue };
        let Some(address) = address(component, place) else { continue };
        by_address.entry(address).or_default().insert((&component.stack, &component.name), component);
    }
    let mut findings = Findings::default();
    for (address, owners) in by_address.iter().filter(|(_, owners)| owners.len() > 1) {
        let owners: Vec<&Interface> = owners.values().copied().collect();
        let [first, second, rest @ ..] = owners.as_slice() else { continue };
        let Some(origin) = second.origin.or(*first.origin) else { continue };
        let place: Vec<String> = address.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let name = |c: &Interface| match c.stack == first.stack && first.stack == second.stack {
            true => format!("`{}`", c.name),
            false => format!("`{}` of `{}`", c.name, c.stack),
        };
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let message = format!("{} and {}{more} share one state object", name(first), name(second));
        let mut finding = Diagnostic::new(&SHARED_STATE_ADDRESS, message, at_key(context.files, origin, ""))
            .note(format!("the object: {}, workspace {}", place.join(", "), workspace(second)))
            .token(format!("{} {}", first.name, second.name))
            .address(format!("{}/{}", second.stack, second.name))
            .help(
                "give one of them its own workspace, key or prefix: each would plan to destroy what the others created",
            );
        if let Some(other) = first.origin.filter(|o| *o != origin) {
            let label = at_key(context.files, other, "");
            finding = finding.related(Label { message: format!("{} is here", name(first)), ..label });
        }
        // The same components in other stacks are the same mistake: their finding has the same place and token.
        for owner in &owners {
            findings.add(&owner.stack, finding.clone());
        }
    }
    findings.finish()
}

fn workspace(component: &Interface) -> String {
    let workspace = component.workspace.as_deref();
    workspace.map_or_else(String::new, |w| format!("`{w}`"))
}
