//! What the loader rejects in the blocks of a file, beside unknown names (`schema`) and repeated declarations (`reader`): names
//! that are none, missing arguments, addresses of the wrong kind, texts that are no version and no source.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Attribute, Block, Body, Expr, ExprKind, Name, Span, TraversalStep};
use crate::hcl::types::Type;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Written;
use crate::terraform::module::nested;
use crate::terraform::module::variable::{constant, flag, is_name};
use crate::terraform::module::version::is_constraint;
use crate::terraform::rules;
use crate::text::nearest;
use crate::value::FileId;
use std::collections::BTreeSet;

/// Arguments of `lifecycle` that only managed resources have, and those that others have too. In JSON blocks are arguments.
const OF_RESOURCES: [&str; 5] =
    ["create_before_destroy", "prevent_destroy", "ignore_changes", "replace_triggered_by", "destroy"];
const OF_ALL: [&str; 3] = ["enabled", "precondition", "postcondition"];
/// What an object in `required_providers` has.
const OF_PROVIDERS: [&str; 3] = ["source", "version", "configuration_aliases"];

/// Checks the blocks of a file. Of an override file nothing has to be complete.
pub(crate) fn check(blocks: &[Block], file: FileId, is_override: bool, failures: &mut Vec<Failure>) {
    let mut check = Check { file, is_override, failures };
    blocks.iter().for_each(|block| check.block(block));
}

struct Check<'f> {
    file: FileId,
    is_override: bool,
    failures: &'f mut Vec<Failure>,
}

impl Check<'_> {
    fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, (self.file, span)));
    }

    fn block(&mut self, block: &Block) {
        block.body.blocks.iter().for_each(|inner| self.repeated(inner));
        match &*block.kind.text {
            "resource" => self.resource(block, true),
            "data" | "ephemeral" => self.resource(block, false),
            "module" => {
                self.name(block.labels.first(), "module call");
                self.depends_on(block);
                nested::module(block, &mut |span, message| self.wrong(span, message));
            }
            "provider" => self.provider(block),
            "variable" => self.conditions(block, &["validation"]),
            "output" => {
                self.name(block.labels.first(), "output");
                self.required(block, &["value"]);
                self.flags(&block.body, &["sensitive", "ephemeral"]);
                self.texts(&block.body, &["description", "deprecated"]);
                self.depends_on(block);
                self.conditions(block, &["precondition"]);
            }
            "locals" => nested::locals(block, &mut |span, message| self.wrong(span, message)),
            "moved" => self.moved(block),
            "removed" => self.removed(block),
            "import" => {
                self.required(block, &["to"]);
                if block.body.get("identity").is_none() {
                    self.required(block, &["id"]);
                }
            }
            "check" => {
                self.name(block.labels.first(), "check");
                let has_assert = block.body.blocks_of("assert").next().is_some() || block.body.get("assert").is_some();
                if !has_assert && !self.is_override {
                    self.wrong(block.header(), "missing assert block: a check block has at least one");
                }
                self.conditions(block, &["assert"]);
            }
            "terraform" => {
                for inner in block.body.blocks_of("required_providers") {
                    inner.body.attributes.iter().for_each(|attribute| self.required_provider(attribute));
                }
            }
            _ => {}
        }
    }

    /// Arguments that a block inside of another one has twice.
    fn repeated(&mut self, block: &Block) {
        let mut seen = BTreeSet::new();
        for attribute in &block.body.attributes {
            let name = &attribute.name;
            if !seen.insert(&*name.text) {
                self.wrong(name.span, format!("attribute redefined: the argument \"{}\" was already set", name.text));
            }
        }
        block.body.blocks.iter().for_each(|inner| self.repeated(inner));
    }

    fn name(&mut self, label: Option<&Name>, what: &str) {
        if let Some(label) = label.filter(|label| !is_name(&label.text)) {
            let message = format!(
                "invalid {what} name: \"{}\" must start with a letter or underscore and may contain only letters, digits, underscores, and dashes",
                label.text
            );
            self.wrong(label.span, message);
        }
    }

    fn required(&mut self, block: &Block, names: &[&str]) {
        for name in names.iter().filter(|name| !self.is_override && block.body.get(name).is_none()) {
            let kind = &block.kind.text;
            self.failures.push(Failure::new(
                &rules::INVALID_DECLARATION,
                format!("missing required argument: a {kind} block needs \"{name}\""),
                (self.file, block.header()),
            ));
        }
    }

    /// Arguments that are true or false as they are written: nothing is evaluated for them.
    fn flags(&mut self, body: &Body, names: &[&str]) {
        for attribute in names.iter().filter_map(|name| body.get(name)) {
            flag(&Written::of(self.file, attribute), self.failures);
        }
    }

    /// Arguments that are text as they are written.
    fn texts(&mut self, body: &Body, names: &[&str]) {
        for attribute in names.iter().filter_map(|name| body.get(name)) {
            constant(&Written::of(self.file, attribute), &Type::Str, self.failures);
        }
    }

    /// Blocks inside of one that have a condition and the message for when it does not hold.
    fn conditions(&mut self, block: &Block, kinds: &[&str]) {
        for inner in block.body.blocks.iter().filter(|inner| kinds.contains(&&*inner.kind.text)) {
            let names = ["condition", "error_message"];
            self.required(inner, &names);
            self.known(&inner.body.attributes, &names);
            if let Some(condition) = inner.body.get("condition")
                && walk::references(&condition.expr).is_empty()
            {
                let kind = &inner.kind.text;
                let message = format!(
                    "invalid {kind} expression: the condition refers to nothing from elsewhere in the configuration, so that \
                     it checks nothing"
                );
                self.wrong(condition.expr.span, message);
            }
        }
    }

    /// Arguments that are not among the known ones.
    fn known(&mut self, attributes: &[Attribute], names: &[&str]) {
        for attribute in attributes.iter().filter(|attribute| !names.contains(&&*attribute.name.text)) {
            let name = &attribute.name.text;
            let hint = nearest(name, names.iter().copied());
            let hint = hint.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
            let message = format!("unsupported argument: an argument named \"{name}\" is not expected here{hint}");
            self.wrong(attribute.name.span, message);
        }
    }

    fn resource(&mut self, block: &Block, is_managed: bool) {
        self.name(block.labels.first(), "resource type");
        self.name(block.labels.get(1), "resource");
        self.depends_on(block);
        nested::resource(block, &mut |span, message| self.wrong(span, message));
        let enabled = block.body.blocks_of("lifecycle").find_map(|lifecycle| lifecycle.body.get("enabled"));
        let repeats = ["count", "for_each"].into_iter().filter_map(|name| block.body.get(name)).chain(enabled);
        if let [first, second, ..] = repeats.collect::<Vec<_>>().as_slice() {
            let (one, other) = (&first.name.text, &second.name.text);
            let message = format!("invalid combination of \"{one}\" and \"{other}\": only one of them can be set");
            self.wrong(first.name.span, message);
        }
        for provisioner in block.body.blocks_of("provisioner") {
            let needed = match provisioner.label(0).map(|label| &**label) {
                Some("local-exec") => "command",
                Some("file") => "destination",
                _ => continue,
            };
            if provisioner.body.get(needed).is_none() && !self.is_override {
                let message = format!("missing required argument: this provisioner needs \"{needed}\"");
                self.wrong(provisioner.header(), message);
            }
        }
        for (index, lifecycle) in block.body.blocks_of("lifecycle").enumerate() {
            if index > 0 {
                self.wrong(lifecycle.header(), "duplicate lifecycle block: a resource has at most one");
            }
            self.conditions(lifecycle, &["precondition", "postcondition"]);
            let names: Vec<&str> = OF_ALL.into_iter().chain(OF_RESOURCES.into_iter().filter(|_| is_managed)).collect();
            self.known(&lifecycle.body.attributes, &names);
            self.flags(&lifecycle.body, &["create_before_destroy"]);
            if let Some(changes) = lifecycle.body.get("ignore_changes") {
                let is_all = walk::name(&changes.expr) == Some("all");
                if !is_all && !matches!(changes.expr.kind, ExprKind::Tuple(_)) {
                    let message = "invalid ignore_changes: a list of arguments is required, or the keyword \"all\"";
                    self.wrong(changes.expr.span, message);
                }
            }
        }
    }

    /// `depends_on`: a list of references.
    fn depends_on(&mut self, block: &Block) {
        let Some(attribute) = block.body.get("depends_on") else { return };
        let ExprKind::Tuple(items) = &attribute.expr.kind else {
            self.wrong(attribute.expr.span, "invalid expression: depends_on is a list of references");
            return;
        };
        for item in items.iter().filter(|item| address(item).is_none()) {
            self.wrong(item.span, "invalid expression: a reference is required, without calculations and functions");
        }
    }

    fn provider(&mut self, block: &Block) {
        self.local_name(block.labels.first());
        if let Some(alias) = block.body.get("alias")
            && !walk::name(&alias.expr).is_some_and(is_name)
        {
            let message = "invalid provider configuration alias: it must be a name that is written as a literal";
            self.wrong(alias.expr.span, message);
        }
        block.body.get("version").into_iter().for_each(|version| self.version(&version.expr));
    }

    /// A local name of a provider.
    fn local_name(&mut self, name: Option<&Name>) {
        if let Some(name) = name.filter(|name| name.text.to_lowercase() != *name.text) {
            self.wrong(name.span, format!("invalid provider local name: \"{}\" must be in lower case", name.text));
        }
    }

    fn version(&mut self, expr: &Expr) {
        if let Some(text) = walk::constant_text(expr).filter(|text| !is_constraint(text)) {
            self.wrong(expr.span, format!("invalid version constraint: \"{text}\""));
        }
    }

    fn required_provider(&mut self, attribute: &Attribute) {
        self.local_name(Some(&attribute.name));
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
                "version" => self.version(value),
                "source" => {
                    if let Some(source) = walk::constant_text(value).filter(|source| !is_source(source)) {
                        let message = format!(
                            "invalid provider source string: \"{source}\" has not the form [hostname/][namespace/]name"
                        );
                        self.wrong(value.span, message);
                    }
                }
                "configuration_aliases" => {}
                other => {
                    let hint = nearest(other, OF_PROVIDERS);
                    let hint = hint.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
                    let message = format!("invalid required_providers object: it has no argument \"{other}\"{hint}");
                    self.wrong(key.span, message);
                }
            }
        }
    }

    fn moved(&mut self, block: &Block) {
        self.required(block, &["from", "to"]);
        let ends = ["from", "to"].map(|name| block.body.get(name));
        for end in ends.into_iter().flatten() {
            if address(&end.expr).is_none() {
                self.wrong(end.expr.span, "invalid address: the address of a resource or of a module is required");
            }
        }
        let kind = |end: Option<&Attribute>| address(&end?.expr).map(|address| address.is_module);
        if let [Some(from), Some(to)] = ends.map(kind)
            && from != to
        {
            let message = "invalid \"moved\" addresses: both must be resources, or both modules";
            self.wrong(block.header(), message);
        }
    }

    fn removed(&mut self, block: &Block) {
        self.required(block, &["from"]);
        let Some(from) = block.body.get("from") else { return };
        match address(&from.expr) {
            None => self.wrong(from.expr.span, "invalid address: the address of a resource or of a module is required"),
            Some(address) if address.has_key => {
                let message = "invalid \"removed\" address: a single instance cannot be removed, only all of them";
                self.wrong(from.expr.span, message);
            }
            Some(address) if !address.is_stored => {
                let message = "invalid \"removed\" address: data sources and ephemeral resources are not destroyed";
                self.wrong(from.expr.span, message);
            }
            Some(_) => {}
        }
        for destroy in block.body.blocks_of("lifecycle").filter_map(|lifecycle| lifecycle.body.get("destroy")) {
            if !walk::references(&destroy.expr).is_empty() {
                self.wrong(destroy.expr.span, "invalid destroy: true or false is required, without references");
            }
        }
    }
}

/// An address of a resource, of a module, or another reference.
struct Address {
    is_module: bool,
    /// Whether it selects an instance.
    has_key: bool,
    /// Whether it is of something that a state keeps: no data source and no ephemeral resource.
    is_stored: bool,
}

impl Address {
    fn of(names: &[&str], has_key: bool) -> Self {
        let calls = names.chunks(2).take_while(|pair| pair[0] == "module").count();
        let is_stored = !matches!(names.get(2 * calls), Some(&"data" | &"ephemeral"));
        Address { is_module: is_module(names), has_key, is_stored }
    }
}

/// The address that an expression is; JSON has it as text.
fn address(expr: &Expr) -> Option<Address> {
    if let Some(text) = walk::constant_text(expr) {
        let without_keys = without_keys(text);
        let names: Vec<&str> = without_keys.split('.').collect();
        let is_address = names.iter().all(|name| is_name(name));
        return is_address.then(|| Address::of(&names, text.contains('[')));
    }
    let expr = walk::unwrapped(expr);
    let (expr, has_index) = match &expr.kind {
        ExprKind::Index(base, _) => (&**base, true),
        _ => (expr, false),
    };
    let reference = walk::as_reference(expr)?;
    let names = reference.steps.iter().filter_map(|step| match step {
        TraversalStep::Attribute(name) => Some(&*name.text),
        TraversalStep::Index(..) => None,
    });
    let has_key = has_index || reference.steps.iter().any(|step| matches!(step, TraversalStep::Index(..)));
    let names: Vec<&str> = std::iter::once(&*reference.root.text).chain(names).collect();
    Some(Address::of(&names, has_key))
}

/// Whether the names of an address are those of a module: every second one, from the first one on, is `module`.
fn is_module(names: &[&str]) -> bool {
    names.len().is_multiple_of(2) && names.iter().step_by(2).all(|name| *name == "module")
}

/// The text of an address without the keys of instances, which may contain anything.
fn without_keys(text: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a text is the source of a provider: `[hostname/][namespace/]name`.
fn is_source(source: &str) -> bool {
    let parts: Vec<&str> = source.split('/').collect();
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    match parts.as_slice() {
        [host, own @ ..] if own.len() == 2 => {
            host.contains('.') || host.contains(':') || is_part(host) && own.iter().all(|p| is_part(p))
        }
        own => own.len() <= 2 && own.iter().all(|part| is_part(part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hcl::parse::{Layout, parse_body};

    fn wrong(text: &str) -> Vec<String> {
        let (body, mut failures) = (parse_body(text, Layout::Strict).body, Vec::new());
        check(&body.blocks, FileId::new(0), false, &mut failures);
        failures.into_iter().map(|failure| failure.message).collect()
    }

    #[test]
    fn addresses_have_kinds() {
        for (from, to, is_right) in [
            ("module.a", "module.b", true),
            ("module.a.aws_vpc.x", "aws_vpc.x", true),
            ("module.a[0]", "module.a[\"x\"]", true),
            ("module.a", "aws_vpc.x", false),
            ("aws_vpc.x", "f(1)", false),
        ] {
            let found = wrong(&format!("moved {{\n  from = {from}\n  to = {to}\n}}\n"));
            assert_eq!(found.is_empty(), is_right, "{from} {to}: {found:?}");
        }
        assert!(wrong("removed {\n  from = module.a\n}\n").is_empty());
        for from in ["aws_vpc.x[0]", "data.aws_vpc.x", "module.a.ephemeral.aws_vpc.x"] {
            assert_eq!(wrong(&format!("removed {{\n  from = {from}\n}}\n")).len(), 1, "{from}");
        }
        for (destroy, expected) in [("false", 0), ("!true", 0), ("var.x", 1)] {
            let text = format!("removed {{\n  from = a.b\n  lifecycle {{\n    destroy = {destroy}\n  }}\n}}\n");
            assert_eq!(wrong(&text).len(), expected, "{destroy}");
        }
    }

    #[test]
    fn sources_of_providers() {
        for (source, is_right) in [
            ("aws", true),
            ("hashicorp/aws", true),
            ("registry.acme.io/a/b", true),
            ("a/b/c/d", false),
            ("hashicorp/", false),
            ("has space/aws", false),
        ] {
            assert_eq!(is_source(source), is_right, "{source}");
        }
    }

    #[test]
    fn blocks_are_complete_and_known() {
        for (text, expected) in [
            ("output \"o\" {\n}\n", 1),
            ("output \"o\" {\n  value = 1\n}\n", 0),
            ("check \"c\" {\n}\n", 1),
            ("import {\n  to = a.b\n  id = 1\n}\n", 0),
            ("resource \"a\" \"b\" {\n  count = 1\n  for_each = {}\n}\n", 1),
            ("resource \"a\" \"b\" {\n  depends_on = [a.c, module.m, 1 + 1]\n}\n", 1),
            ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = all\n  }\n}\n", 0),
            ("data \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  x {\n    y = 1\n    y = 2\n  }\n}\n", 1),
            ("provider \"a\" {\n  alias = \"x-1\"\n  version = \"~> 1.0\"\n}\n", 0),
            ("resource \"a\" \"b\" {\n  provider = 1\n}\n", 1),
            ("resource \"a\" \"b\" {\n  provider = a.by[each.key]\n}\n", 0),
            ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = [f(\"x\")]\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = [x, y[0].z, \"v\"]\n  }\n}\n", 0),
            ("resource \"a\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [1]\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [a.c[each.key].id, a.d]\n  }\n}\n", 0),
            ("resource \"a\" \"b\" {\n  connection {\n  }\n  connection {\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  provisioner {\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = never\n    on_failure = maybe\n  }\n}\n", 2),
            (
                "resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = destroy\n    y = [self.id, each.key]\n  }\n}\n",
                0,
            ),
            ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = destroy\n    y = each.value\n  }\n}\n", 1),
            ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    y = var.z\n  }\n}\n", 0),
            ("module \"m\" {\n  source = \"./m\"\n  x {\n  }\n}\n", 1),
            ("module \"m\" {\n  source = \"./m\"\n  providers = 1\n}\n", 1),
            (
                "module \"m\" {\n  source = \"./m\"\n  providers = { a = a.b }\n  lifecycle {\n    enabled = false\n  }\n}\n",
                0,
            ),
            ("locals {\n  a {\n  }\n}\n", 1),
        ] {
            let found = wrong(text);
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        }
    }
}
