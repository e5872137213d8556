//! `unreachable-file`: a file that no stack takes in.

use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::State;
use crate::rules::{Context, rule};

rule!(UNREACHABLE_FILE, "unreachable-file", Hygiene, "0.1.0", "a manifest is neither a stack nor imported by one");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let resolution = context.resolution;
    let unreached = resolution.imports.unreached.iter().map(|id| (*id, context.files.get(*id)));
    let mut unreached = unreached.filter(|(_, file)| (context.is_examined)(&file.path)).peekable();
    // A part that cannot be resolved may import it.
    let is_open = resolution.imports.items.iter().any(|i| i.is_open);
    if unreached.peek().is_some() && (is_open || resolution.units.iter().any(|u| u.state == State::Broken)) {
        context.withheld.record(&UNREACHABLE_FILE);
        return Vec::new();
    }
    unreached
        .map(|(id, file)| {
            let message = format!("{} is neither a stack manifest nor imported by one", file.path);
            Diagnostic::new(&UNREACHABLE_FILE, message, Label::new(id, 0, 0, ""))
                .token("")
                .note("the included paths of the configuration say which manifests are stacks")
                .help("import it, or remove it")
        })
        .collect()
}
