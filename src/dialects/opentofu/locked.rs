//! Versions of providers that the lock file of a root module holds, against what its modules require.

use crate::dialects::opentofu::rules;
use crate::hcl::ast::{Expr, ExprKind, walk};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::Failure;
use crate::terraform::load::Loader;
use crate::terraform::load::names::{LOCK, Syntax};
use crate::terraform::module::block::Written;
use crate::terraform::module::version::meets;
use std::collections::{BTreeMap, BTreeSet};

/// The registries whose name an address may leave out.
const REGISTRIES: [&str; 2] = ["registry.opentofu.org/", "registry.terraform.io/"];

/// Reports requirements that a locked version does not meet: `init` stops there.
pub(super) fn check(statics: &Statics<'_>, loader: &Loader<'_>, failures: &mut Vec<Failure>) {
    let Ok(lock) = loader.load(&statics.nodes[0].module.dir, LOCK, Syntax::Native) else { return };
    if !lock.parsed.errors.is_empty() {
        return;
    }
    let locked = lock.parsed.body.blocks_of("provider").filter_map(|block| {
        let version = block.body.attributes.iter().find(|attribute| *attribute.name.text == *"version")?;
        Some((address(block.label(0)?), walk::constant_text(&version.expr)?))
    });
    let versions: BTreeMap<String, &str> = locked.collect();
    let mut seen = BTreeSet::new();
    for module in statics.nodes.iter().map(|node| &node.module).filter(|module| seen.insert(&module.dir)) {
        for (name, written) in &module.required_providers {
            let (source, constraint) = required(name, &written.expr);
            let Some((version, constraint)) = versions.get(&address(&source)).zip(constraint) else { continue };
            if meets(version, constraint) == Some(false) {
                failures.push(unmet(&source, version, constraint, written));
            }
        }
    }
}

fn unmet(source: &str, version: &str, constraint: &str, written: &Written) -> Failure {
    let message = format!("{source} is locked at version {version}, and \"{constraint}\" is required here");
    let help = "update the lock file with `init -upgrade`, or require a version that it holds".to_owned();
    Failure::new(&rules::LOCKED_VERSION, message, written.argument()).lint(Some(help))
}

/// The source and the constraint of a required provider: `{source = "a/b", version = "~> 1.0"}`, or a constraint alone.
fn required<'e>(name: &str, expr: &'e Expr) -> (String, Option<&'e str>) {
    let ExprKind::Object(entries) = &walk::unwrapped(expr).kind else {
        return (format!("hashicorp/{name}"), walk::constant_text(expr));
    };
    let entry = |key: &str| {
        let (_, value) = entries.iter().find(|(name, _)| walk::name(name) == Some(key))?;
        walk::constant_text(value)
    };
    (entry("source").map_or_else(|| format!("hashicorp/{name}"), str::to_owned), entry("version"))
}

/// An address without the registry that is meant if none is named.
fn address(source: &str) -> String {
    let short = REGISTRIES.iter().find_map(|registry| source.strip_prefix(registry)).unwrap_or(source);
    short.to_lowercase()
}
