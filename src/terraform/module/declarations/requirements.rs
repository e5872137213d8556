//! The providers that a module requires and configures: their local names, sources, versions and aliases.

use super::{Check, hint, is_computed};
use crate::hcl::ast::{Attribute, Block, Expr, ExprKind, Name, Span, walk};
use crate::terraform::module::address::is_host;
use crate::terraform::module::declarations::steps::{Quoted, Step, steps};
use crate::terraform::module::variable::is_name;
use crate::terraform::module::version::is_constraint;

/// What an object in `required_providers` has.
const OF_PROVIDERS: [&str; 3] = ["source", "version", "configuration_aliases"];

impl Check<'_> {
    pub(super) fn provider(&mut self, block: &Block) {
        if let Some(label) = block.labels.first() {
            self.local_name(&label.text, label.span);
        }
        if let Some(alias) = block.body.get("alias")
            && !walk::name(&alias.expr).is_some_and(is_name)
        {
            let message = "invalid provider configuration alias: it must be a name that is written as a literal";
            self.wrong(alias.expr.span, message);
        }
        block.body.get("version").into_iter().for_each(|version| self.version(&version.expr));
    }

    /// What a module tells a provider, which is not evaluated.
    pub(super) fn provider_meta(&mut self, block: &Block) {
        if let Some(label) = block.labels.first() {
            self.local_name(&label.text, label.span);
        }
        for attribute in &block.body.attributes {
            if !walk::references(&attribute.expr).is_empty() || !walk::calls(&attribute.expr).is_empty() {
                self.wrong(attribute.expr.span, "variables not allowed: provider_meta has only literals");
            }
        }
    }

    /// A local name of a provider.
    fn local_name(&mut self, name: &str, span: Span) {
        let lower = name.to_lowercase();
        if let Err(why) = part(name) {
            self.wrong(span, format!("invalid provider local name: \"{name}\" {why}"));
        } else if lower != name {
            self.wrong(span, format!("invalid provider local name: \"{name}\" must be in lower case: \"{lower}\""));
        }
    }

    /// The provider that the type of a resource names, where the resource says nothing else.
    pub(super) fn implied_name(&mut self, kind: &Name) {
        let name = kind.text.split('_').next().unwrap_or_default();
        if let Err(why) = part(name) {
            self.wrong(
                kind.span,
                format!("invalid provider local name: \"{name}\", which the type begins with, {why}"),
            );
        }
    }

    /// The reference to a provider configuration: its local name, an alias, the key of an instance. Its steps, if it is one.
    pub(super) fn provider_reference(&mut self, expr: &Expr) -> Option<Vec<Step>> {
        let found = steps(expr, Quoted::Accepted);
        let is_right = |found: &Vec<Step>| {
            let [Step::Name(_), rest @ ..] = found.as_slice() else { return false };
            matches!(rest, [] | [Step::Name(_)] | [Step::Name(_), Step::Key { .. }])
        };
        let Some(found) = found.filter(is_right) else {
            let message =
                "invalid provider configuration reference: the name of a provider is required, or one with an alias";
            self.wrong(expr.span, message);
            return None;
        };
        if let Some(name) = found.first().and_then(Step::name) {
            self.local_name(name, expr.span);
        }
        Some(found)
    }

    fn version(&mut self, expr: &Expr) {
        match walk::constant_text(expr) {
            Some(text) if !is_constraint(text) => {
                self.wrong(expr.span, format!("invalid version constraint: \"{text}\""));
            }
            _ => {}
        }
    }

    /// An argument of `required_providers`.
    pub(super) fn required_provider(&mut self, attribute: &Attribute) {
        let name = &attribute.name;
        self.local_name(&name.text, name.span);
        let ExprKind::Object(items) = &attribute.expr.kind else {
            match walk::constant_text(&attribute.expr) {
                Some(_) => self.version(&attribute.expr),
                None => self.wrong(
                    attribute.expr.span,
                    "invalid required_providers object: an object with a source and a version is required",
                ),
            }
            return;
        };
        for (key, value) in items {
            match walk::name(key).unwrap_or_default() {
                "version" => {
                    self.text(value, "version");
                    self.version(value);
                }
                "source" => {
                    self.text(value, "source");
                    if let Some(source) = walk::constant_text(value)
                        && let Err(why) = source_parts(source)
                    {
                        self.wrong(value.span, format!("invalid provider source: \"{source}\" {why}"));
                    }
                }
                "configuration_aliases" => self.aliases(&name.text, value),
                other => {
                    let hint = hint(other, &OF_PROVIDERS);
                    let message = format!("invalid required_providers object: it has no argument \"{other}\"{hint}");
                    self.wrong(key.span, message);
                }
            }
        }
    }

    /// What is written as a text.
    fn text(&mut self, value: &Expr, what: &str) {
        if is_computed(value) || matches!(walk::unwrapped(value).kind, ExprKind::Traversal(..) | ExprKind::Access(..)) {
            self.wrong(value.span, format!("invalid {what}: it has to be a text"));
        }
    }

    /// The configurations that a module asks its callers for.
    fn aliases(&mut self, name: &str, value: &Expr) {
        let ExprKind::Tuple(items) = &value.kind else {
            self.wrong(value.span, "invalid configuration_aliases: a list of provider configurations is required");
            return;
        };
        for item in items {
            match steps(item, self.quoted).as_deref() {
                Some([Step::Name(first)] | [Step::Name(first), Step::Name(_), ..]) if **first == *name => {}
                Some([Step::Name(first)] | [Step::Name(first), Step::Name(_), ..]) => {
                    let message = format!("invalid configuration_aliases: \"{first}\" is not the provider \"{name}\"");
                    self.wrong(item.span, message);
                }
                _ => {
                    let message = format!("invalid configuration_aliases: a name as in {name}.alias is required");
                    self.wrong(item.span, message);
                }
            }
        }
    }
}

/// Checks a part of the address of a provider, or its local name.
fn part(text: &str) -> Result<(), &'static str> {
    match text {
        "" => Err("has no letter"),
        _ if text.contains('.') => Err("must not contain dots"),
        _ if text.contains("--") => Err("must not contain two dashes in a row"),
        _ if text.starts_with('-') || text.ends_with('-') => Err("must not begin or end with a dash"),
        _ if !text.chars().all(|c| c == '-' || c.is_alphanumeric()) => {
            Err("must contain only letters, digits and dashes")
        }
        _ => Ok(()),
    }
}

/// Checks the source of a provider: `[hostname/][namespace/]name`.
fn source_parts(source: &str) -> Result<(), &'static str> {
    let parts: Vec<&str> = source.split('/').collect();
    let (host, own) = match parts.as_slice() {
        [host, own @ ..] if own.len() == 2 => (Some(*host), own),
        own => (None, own),
    };
    if own.len() > 2 || own.iter().any(|part| part.is_empty()) {
        return Err("has not the form [hostname/][namespace/]name");
    }
    if host.is_some_and(|host| !is_host(host)) {
        return Err("begins with what is no host name");
    }
    // Providers without a namespace, which only states of old versions have.
    let [namespace @ .., name] = own else { return Err("has no name") };
    if name.starts_with("terraform-provider-") {
        return Err("must not begin its name with \"terraform-provider-\"");
    }
    part(name)?;
    namespace.iter().filter(|namespace| **namespace != "-").try_for_each(|namespace| part(namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_providers() {
        for source in
            ["aws", "hashicorp/aws", "registry.acme.io/a/b", "HashiCorp/AWS", "x.io:8080/a/b", "localhost/a/b", "a/äws"]
        {
            assert!(source_parts(source).is_ok(), "{source}");
        }
        for source in [
            "",
            "a/b/c/d",
            "hashicorp/",
            "has space/aws",
            "hashicorp/aws_x",
            "hashicorp/-aws",
            "a/a--b",
            "a/b.c",
            "x.io//aws",
            "a b.io/a/b",
            "x.io:http/a/b",
            "a/terraform-provider-b",
        ] {
            assert!(source_parts(source).is_err(), "{source}");
        }
    }
}
