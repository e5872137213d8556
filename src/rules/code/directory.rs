//! `missing-component-directory`.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::MISSING_COMPONENT_DIRECTORY;
use crate::resolution::{Code, CodeOrigin, Component};
use crate::rules::Units;
use crate::rules::places::{Findings, at_key, at_value, rename};
use crate::text::{FastMap, nearest};

pub(super) fn check(context: &Units<'_>) -> Findings {
    let mut findings = Findings::default();
    let mut known: FastMap<&str, bool> = FastMap::default();
    for component in context.deployed() {
        let Some(code) = component.metadata.code.as_ref().filter(|c| c.supply == CodeOrigin::Repository) else {
            continue;
        };
        let mut is_there = |path| *known.entry(path).or_insert_with(|| context.modules.is_folder(path));
        // If the repository contains no code at all, it comes from elsewhere.
        if !is_there(&*code.root) || is_there(&*code.folder) {
            continue;
        }
        if let Some(finding) = missing(context, component, code) {
            findings.add(&component.stack, finding);
        }
    }
    findings
}

fn missing(context: &Units<'_>, component: &Component, code: &Code) -> Option<Diagnostic> {
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
