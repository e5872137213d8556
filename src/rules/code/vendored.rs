//! `unused-vendor-target`: code is fetched into a folder, and no component has its code there.

use crate::diagnostic::Diagnostic;
use crate::resolution::{CodeOrigin, FetchedFolder};
use crate::rules::places::at_value;
use crate::rules::{AllUnits, rule};
use crate::unit::CodeInterface;
use std::collections::BTreeSet;

rule!(
    UNUSED_VENDOR_TARGET,
    "unused-vendor-target",
    Preview,
    "0.1.0",
    "code is fetched into a component folder that no component uses"
);

pub(super) fn check(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let fetched = context.fetched;
    if fetched.is_empty() {
        return Vec::new();
    }
    let codes = || context.index.components().filter_map(|c| Some((c, c.code.as_ref()?)));
    let mut roots: BTreeSet<&str> = codes().map(|(_, code)| &*code.root).filter(|root| !root.is_empty()).collect();
    // Code that is not in the repository may call any folder beside it.
    let is_elsewhere = |code: &CodeInterface| {
        code.supply == CodeOrigin::Fetched || context.modules.is_folder(&code.folder) != Ok(true)
    };
    for (_, code) in codes().filter(|(component, code)| component.is_deployed() && is_elsewhere(code)) {
        roots.remove(&*code.root);
    }
    let is_below = |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let judged = fetched.iter().filter(|fetched| roots.iter().any(|root| is_below(&fetched.folder, root)));
    let used = Used::of(context, codes().map(|(_, code)| &*code.folder));
    let unused: Vec<_> = judged.filter(|fetched| !used.is_open && !used.reaches(&fetched.folder)).collect();
    if !context.is_whole() {
        unused.iter().take(1).for_each(|_| context.withheld.record(&UNUSED_VENDOR_TARGET));
        return Vec::new();
    }
    let finding = |fetched: &&FetchedFolder| {
        let message = format!("no component uses the code fetched into `{}`", fetched.folder);
        Diagnostic::new(&UNUSED_VENDOR_TARGET, message, at_value(context.files, fetched.origin, ""))
            .token(&*fetched.folder)
            .help("remove the target, or correct its path")
    };
    unused.iter().map(finding).collect()
}

/// The folders that components and the modules that they call have their code in.
struct Used {
    folders: BTreeSet<String>,
    /// Whether the code of one of them cannot be read, so that what it calls is not known.
    is_open: bool,
}

impl Used {
    fn of<'a>(context: &AllUnits<'_>, folders: impl Iterator<Item = &'a str>) -> Used {
        let mut used = Used { folders: BTreeSet::new(), is_open: false };
        let mut waiting: Vec<String> = folders.collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect();
        while let Some(folder) = waiting.pop() {
            if used.folders.contains(&folder) {
                continue;
            }
            let modules = context.modules;
            used.is_open |= modules.has_code(&folder) && modules.get(&folder).is_none();
            waiting.extend(context.modules.local_calls(&folder));
            used.folders.insert(folder);
        }
        used
    }

    /// Whether one of the folders is in a folder, equals it, or contains it.
    fn reaches(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        self.folders.contains(folder)
            || self.folders.range(inside.clone()..).next().is_some_and(|next| next.starts_with(&inside))
            || folder.match_indices('/').any(|(at, _)| self.folders.contains(&folder[..at]))
    }
}
