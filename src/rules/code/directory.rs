//! `missing-component-directory`.

use crate::diagnostic::rules::{INCOMPLETE_ANALYSIS, MISSING_COMPONENT_DIRECTORY};
use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::{Code, CodeOrigin, Component};
use crate::rules::Units;
use crate::rules::places::{Findings, at_key, at_value, rename};
use crate::source::Unavailable;
use crate::text::{FastMap, nearest};

pub(super) fn check(context: &Units<'_>) -> Findings {
    let mut findings = Findings::default();
    let mut known: FastMap<&str, Result<bool, Unavailable>> = FastMap::default();
    for component in context.deployed() {
        let Some(code) = component.metadata.code.as_ref().filter(|c| c.supply == CodeOrigin::Repository) else {
            continue;
        };
        let mut is_there = |path| *known.entry(path).or_insert_with(|| context.modules.is_folder(path));
        // If the repository contains no code at all, it comes from elsewhere.
        let finding = match is_there(&*code.folder) {
            Ok(true) => None,
            Err(why) => unavailable(context, component, code, why),
            Ok(false) if is_there(&*code.root) == Ok(false) => None,
            Ok(false) => missing(context, component, code),
        };
        if let Some(finding) = finding {
            findings.add(&component.stack, finding);
        }
    }
    findings
}

/// Where the folder of a component is written.
fn place(context: &Units<'_>, component: &Component, code: &Code) -> Option<Label> {
    let origin = code.origin.or(component.value.prov.origin)?;
    Some(match code.origin {
        Some(origin) => at_value(context.files, origin, ""),
        None => at_key(context.files, origin, ""),
    })
}

/// The code is there where it runs, and nothing is known of it.
fn unavailable(context: &Units<'_>, component: &Component, code: &Code, why: Unavailable) -> Option<Diagnostic> {
    let message = format!("the code of `{}` in {} cannot be read: {why}", component.name, code.folder);
    let finding = Diagnostic::new(&INCOMPLETE_ANALYSIS, message, place(context, component, code)?);
    Some(finding.token(&*code.folder).note("it is neither checked nor compared"))
}

fn missing(context: &Units<'_>, component: &Component, code: &Code) -> Option<Diagnostic> {
    let place = place(context, component, code)?;
    let below = |path: &str| path.strip_prefix(&*code.root).map(|p| p.trim_start_matches('/').to_owned());
    let name = below(&code.folder)?;
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
