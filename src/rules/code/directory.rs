//! `missing-component-directory`.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::MISSING_COMPONENT_DIRECTORY;
use crate::resolution::{Code, CodeOrigin, Component};
use crate::rules::places::{Findings, at_key, at_value, rename};
use crate::rules::{Components, in_units};
use crate::text::{FastMap, nearest};
use crate::threads::PerThread;

pub(super) fn check(context: &Components<'_>) -> Vec<Diagnostic> {
    let (mut findings, units) = (Findings::default(), context.index.units());
    let known: PerThread<FastMap<&str, bool>> = PerThread::default();
    let is_folder = |path| context.modules.is_folder(path);
    let is_there = |path| {
        let known = known.with(|known| *known.entry(path).or_insert_with(|| is_folder(path)));
        known.unwrap_or_else(|| is_folder(path))
    };
    let found = in_units(context, &MISSING_COMPONENT_DIRECTORY, |unit| {
        let (mut is_clean, mut found) = (true, Vec::new());
        for component in units[unit].components.iter().filter(|c| c.metadata.is_deployed()) {
            let Some(code) = component.metadata.code.as_ref().filter(|c| c.supply == CodeOrigin::Repository) else {
                continue;
            };
            // If the repository contains no code at all, it comes from elsewhere.
            if !is_there(&*code.root) || is_there(&*code.folder) {
                continue;
            }
            is_clean = false;
            found.extend(missing(context, component, code).map(|finding| (&component.stack, finding)));
        }
        (!is_clean).then_some(found)
    });
    findings.add_all(found.into_iter().flatten());
    findings.finish()
}

fn missing(context: &Components<'_>, component: &Component, code: &Code) -> Option<Diagnostic> {
    let origin = code.origin.or(component.value.prov.origin)?;
    let below = |path: &str| path.strip_prefix(&*code.root).map(|p| p.trim_start_matches('/').to_owned());
    let name = below(&code.folder)?;
    let place = match code.origin {
        Some(origin) => at_value(context.files, origin, ""),
        None => at_key(context.files, origin, ""),
    };
    let message = format!("`{}` has no code: there is no folder `{}`", component.name, code.folder);
    let mut finding = Diagnostic::new(&MISSING_COMPONENT_DIRECTORY, message, place)
        .token(name.clone())
        .address(format!("{}/{}", component.stack, component.name));
    let folders: Vec<String> = context.modules.below(&code.root).into_iter().filter_map(below).collect();
    finding = match nearest(&name, folders.iter().map(String::as_str)) {
        Some(near) => {
            finding.fix = code.origin.and_then(|o| rename(context.files, o, &name, near));
            finding.help(format!("did you mean `{near}`?"))
        }
        None => finding.help("correct the name, add the code, or configure where it is fetched from"),
    };
    Some(finding)
}
