//! What the loader rejects in the blocks of a file, beside unknown names (`schema`) and repeated declarations (`reader`): names
//! that are none, missing arguments, references of the wrong kind, and what an override file cannot have.
//!
//! - `requirements`: the providers that a module requires, and their local names.
//! - `resources`: resources, their lifecycle, provisioners and connections.
//! - `steps`: references and addresses that are read without evaluating them.
//! - `targets`: `moved`, `removed` and `import` blocks.

mod requirements;
mod resources;
mod steps;
mod targets;
#[cfg(test)]
mod tests;

use crate::hcl::ast::walk;
use crate::hcl::ast::{Attribute, Block, Body, Expr, ExprKind, Name, Span, TraversalStep};
use crate::hcl::types::Type;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Written;
use crate::terraform::module::variable::{constant, flag, is_name};
use crate::terraform::rules;
use crate::text::nearest;
use crate::value::FileId;
use std::collections::BTreeSet;
use steps::{Quoted, Step, is_whole, steps};

/// The blocks that an override file cannot have, as there is nothing that they override.
const NOT_OVERRIDDEN: [&str; 4] = ["moved", "removed", "import", "check"];

/// Checks the blocks of a file. Of an override file nothing has to be complete.
pub(crate) fn check(blocks: &[Block], file: FileId, is_json: bool, is_override: bool, failures: &mut Vec<Failure>) {
    let quoted = if is_json { Quoted::Accepted } else { Quoted::Refused };
    let mut check = Check { file, quoted, is_override, failures };
    blocks.iter().for_each(|block| check.block(block));
    if is_override {
        check.overrides(blocks);
    }
}

struct Check<'f> {
    file: FileId,
    /// Whether references are texts: in JSON.
    quoted: Quoted,
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
            "module" => self.module(block),
            "provider" => self.provider(block),
            "variable" => {
                self.deprecated(&block.body);
                self.conditions(block, &["validation"]);
                self.validations(block);
            }
            "output" => {
                self.name(block.labels.first(), "output");
                self.required(block, &["value"]);
                self.flags(&block.body, &["sensitive", "ephemeral"]);
                self.texts(&block.body, &["description", "deprecated"]);
                self.deprecated(&block.body);
                self.depends_on(block);
                self.conditions(block, &["precondition"]);
            }
            "moved" => self.moved(block),
            "removed" => self.removed(block),
            "import" => self.import(block),
            "check" => self.check(block),
            "terraform" => {
                self.repeated(block);
                for inner in block.body.blocks_of("required_providers") {
                    inner.body.attributes.iter().for_each(|attribute| self.required_provider(attribute));
                }
                block.body.blocks_of("provider_meta").for_each(|meta| self.provider_meta(meta));
            }
            "language" => self.language(block),
            _ => {}
        }
    }

    /// What an override file has, and cannot have.
    fn overrides(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| NOT_OVERRIDDEN.contains(&&*block.kind.text)) {
            let kind = &block.kind.text;
            self.wrong(block.header(), format!("cannot override {kind} blocks: they belong into other files"));
        }
        for block in blocks {
            if let Some(depends_on) = block.body.get("depends_on").filter(|_| &*block.kind.text != "provider") {
                self.wrong(depends_on.name.span, "unsupported override: depends_on cannot be overridden");
            }
            let lifecycles = block.body.blocks_of("lifecycle").flat_map(|lifecycle| &lifecycle.body.blocks);
            let own = block.body.blocks.iter().filter(|_| matches!(&*block.kind.text, "variable" | "output"));
            for inner in own.chain(lifecycles).filter(|inner| &*block.kind.text != "check" && is_condition(inner)) {
                let kind = &inner.kind.text;
                self.wrong(inner.header(), format!("cannot override {kind} blocks: an override file has none"));
            }
        }
        for kind in ["backend", "cloud", "encryption"] {
            let settings = blocks.iter().filter(|block| &*block.kind.text == "terraform");
            for repeated in settings.flat_map(|block| block.body.blocks_of(kind)).skip(1) {
                let message = format!("duplicate {kind} configuration: an override file may have only one");
                self.wrong(repeated.header(), message);
            }
        }
    }

    /// Arguments that a block has twice.
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
        if self.is_override {
            return;
        }
        for name in names.iter().filter(|name| block.body.get(name).is_none()) {
            let kind = &block.kind.text;
            self.wrong(block.header(), format!("missing required argument: a {kind} block needs \"{name}\""));
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

    /// Says what to use instead of what is deprecated.
    fn deprecated(&mut self, body: &Body) {
        let empty = |attribute: &&Attribute| walk::constant_text(&attribute.expr).is_some_and(|t| t.trim().is_empty());
        if let Some(attribute) = body.get("deprecated").filter(empty) {
            self.wrong(attribute.expr.span, "invalid \"deprecated\": it says what to use instead, and is not empty");
        }
    }

    /// Blocks inside of one that have a condition and the message for when it does not hold.
    fn conditions(&mut self, block: &Block, kinds: &[&str]) {
        for inner in block.body.blocks.iter().filter(|inner| kinds.contains(&&*inner.kind.text)) {
            self.required(inner, &["condition", "error_message"]);
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

    /// The validations of a variable test its value.
    fn validations(&mut self, block: &Block) {
        let Some(name) = block.label(0) else { return };
        for validation in block.body.blocks_of("validation") {
            let Some(condition) = validation.body.get("condition") else { continue };
            let references = walk::references(&condition.expr);
            let is_own = references.iter().any(|reference| {
                let first = reference.steps.first();
                let is_name = |step: &TraversalStep| matches!(step, TraversalStep::Attribute(n) if n.text == *name);
                &*reference.root.text == "var" && first.is_some_and(is_name)
            });
            if !references.is_empty() && !is_own {
                let message = format!(
                    "invalid variable validation condition: it has to refer to var.{name}, whose values it tests"
                );
                self.wrong(condition.expr.span, message);
            }
        }
    }

    fn check(&mut self, block: &Block) {
        self.name(block.labels.first(), "check");
        let has_assert = block.body.blocks_of("assert").next().is_some() || block.body.get("assert").is_some();
        if !has_assert && !self.is_override {
            self.wrong(block.header(), "missing assert block: a check block has at least one");
        }
        self.conditions(block, &["assert"]);
        for data in block.body.blocks_of("data") {
            self.resource(data, false);
            for repeating in ["count", "for_each"].into_iter().filter_map(|name| data.body.get(name)) {
                let name = &repeating.name.text;
                self.wrong(repeating.name.span, format!("unsupported argument: \"{name}\" is not possible in a check"));
            }
        }
    }

    /// The language that a module is written in.
    fn language(&mut self, block: &Block) {
        self.repeated(block);
        if let Some(edition) = block.body.get("edition")
            && walk::keyword(&edition.expr).is_none_or(|word| word.starts_with("TF"))
        {
            self.wrong(
                edition.expr.span,
                "invalid language edition: a keyword as in \"edition = tofu2024\" is required",
            );
        }
        let experiments = block.body.get("experiments").map(|experiments| &experiments.expr);
        match experiments.map(|experiments| (&experiments.kind, experiments.span)) {
            Some((ExprKind::Tuple(items), _)) => {
                items.iter().for_each(|item| self.wrong(item.span, "unknown experiment: OpenTofu has none"));
            }
            Some((_, span)) => self.wrong(span, "invalid experiments: a list of keywords is required"),
            None => {}
        }
    }

    /// `depends_on`: a list of references to whole objects, which may be texts.
    fn depends_on(&mut self, block: &Block) {
        let Some(attribute) = block.body.get("depends_on") else { return };
        let ExprKind::Tuple(items) = &attribute.expr.kind else {
            self.wrong(attribute.expr.span, "invalid expression: depends_on is a list of references");
            return;
        };
        for item in items {
            match steps(item, Quoted::Accepted) {
                Some(found) if found.iter().any(|step| *step == Step::Key { is_computed: true }) => {
                    self.wrong(item.span, "invalid expression: a reference in depends_on has no computed keys");
                }
                Some(found) if !is_whole(&found) => {
                    let message = "invalid depends_on reference: it names a whole object, and no attribute of one";
                    self.wrong(item.span, message);
                }
                Some(_) => {}
                None => {
                    let message = "invalid expression: a reference is required, without calculations and functions";
                    self.wrong(item.span, message);
                }
            }
        }
    }

    fn module(&mut self, block: &Block) {
        self.name(block.labels.first(), "module call");
        self.depends_on(block);
        let Some(providers) = block.body.get("providers") else { return };
        let ExprKind::Object(items) = &providers.expr.kind else {
            if is_computed(&providers.expr) || matches!(providers.expr.kind, ExprKind::Template(_)) {
                self.wrong(providers.expr.span, "invalid providers: an object of providers is required");
            }
            return;
        };
        let mut passed = BTreeSet::new();
        for (key, value) in items {
            self.provider_reference(value);
            let Some(inside) = self.provider_reference(key) else { continue };
            if inside.iter().any(Step::is_key) {
                self.wrong(
                    key.span,
                    "invalid provider configuration reference: a module has no instances of providers",
                );
            }
            let names: Vec<&str> = inside.iter().filter_map(Step::name).collect();
            if !passed.insert(names.join(".")) {
                let message = format!("duplicate provider address: {} was already passed", names.join("."));
                self.wrong(key.span, message);
            }
        }
    }
}

/// Whether a block is one with a condition.
fn is_condition(block: &Block) -> bool {
    matches!(&*block.kind.text, "precondition" | "postcondition" | "validation")
}

/// `; did you mean "…"?`, or nothing.
fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known.iter().copied()).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

/// Whether an expression is neither a reference nor a text.
fn is_computed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_computed(inner),
        kind => matches!(
            kind,
            ExprKind::Null
                | ExprKind::Bool(_)
                | ExprKind::Number(_)
                | ExprKind::Call(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Conditional(..)
                | ExprKind::Tuple(_)
                | ExprKind::Object(_)
        ),
    }
}
