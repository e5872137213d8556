//! The expressions of a module, with what each of them may refer to.

use crate::hcl::ast::walk;
use crate::hcl::ast::{BinaryOp, Block, Body, Expr, ExprKind};
use crate::terraform::module::Module;
use crate::terraform::module::block::{Declared, Provider, Written, configuration};
use crate::text::Text;
use crate::value::FileId;

/// What an expression belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// A local.
    Local(Text),
    /// The conditions of a variable.
    Variable(Text),
    /// An output.
    Output(Text),
    /// A resource, by its address in the module.
    Resource(Text),
    /// The instances of a module call, and what it depends on.
    Call(Text),
    /// An argument of a module call, which sets a variable.
    Argument(Text, Text),
    /// A check.
    Check(Text),
    /// Anything else.
    Other,
}

/// An expression of a module.
pub(super) struct Site<'m> {
    pub owner: Owner,
    pub file: FileId,
    pub expr: &'m Expr,
    /// Whether `count`, `each` and `self` are there.
    pub has_count: bool,
    pub has_each: bool,
    pub has_self: bool,
    /// Whether it is evaluated when the resource is there: in a provisioner.
    pub is_later: bool,
    /// The iterators of the dynamic blocks around it.
    pub iterators: Vec<Text>,
    /// Whether it is a list of what something depends on.
    pub is_dependency: bool,
    /// Whether it is a list of what replaces something.
    pub is_trigger: bool,
}

/// Arguments of calls that are evaluated before everything else, or that are no expressions.
const NO_EXPRESSIONS: [&str; 4] = ["source", "version", "providers", "provider"];

/// All expressions of a module.
pub(super) fn of(module: &Module) -> Vec<Site<'_>> {
    let mut all = Sites { found: Vec::new() };
    for (name, written) in &module.locals {
        all.plain(Owner::Local(name.clone()), written);
    }
    for (name, declared) in &module.declarations {
        all.inner_blocks(&Owner::Variable(name.clone()), declared, &["validation"], Context::default());
    }
    for (name, declared) in &module.outputs {
        let owner = Owner::Output(name.clone());
        for (argument, written) in declared.arguments.iter().filter(|(n, _)| matches!(&***n, "value" | "depends_on")) {
            all.add(owner.clone(), written.file, &written.expr, &Context::default(), &**argument == "depends_on");
        }
        all.inner_blocks(&owner, declared, &["precondition", "postcondition"], Context::default());
    }
    for (address, declared) in &module.resources {
        all.resource(address, declared);
    }
    for (name, declared) in &module.calls {
        all.call(name, declared);
    }
    for provider in module.providers.iter().filter(|provider| is_used(module, provider)) {
        let context = Context { has_each: provider.block.arguments.contains_key("for_each"), ..Context::default() };
        for (name, written) in provider.block.arguments.iter().filter(|(name, _)| &***name != "alias") {
            let context = if &**name == "for_each" { Context::default() } else { context.clone() };
            all.add(Owner::Other, written.file, &written.expr, &context, false);
        }
        for block in &provider.block.blocks {
            all.block(&Owner::Other, block.file, block, &context);
        }
    }
    for (name, declared) in &module.checks {
        all.inner_blocks(&Owner::Check(name.clone()), declared, &["assert"], Context::default());
    }
    for import in module.refactorings.iter().filter(|block| &*block.kind == "import") {
        let context = Context { has_each: import.block.arguments.contains_key("for_each"), ..Context::default() };
        for (name, written) in import.block.arguments.iter().filter(|(n, _)| matches!(&***n, "id" | "for_each")) {
            let context = if &**name == "for_each" { Context::default() } else { context.clone() };
            all.add(Owner::Other, written.file, &written.expr, &context, false);
        }
        if let Some(to) = import.block.arguments.get("to") {
            all.keys(&Owner::Other, to.file, &to.expr, &context);
        }
    }
    all.found
}

/// Whether a known operand can hide what is wrong with the other one.
pub(super) fn may_hide(expr: &Expr) -> bool {
    let mut found = false;
    walk::visit(expr, &mut |expr| {
        found |= matches!(&expr.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
    });
    found
}

/// Whether a provider configuration is evaluated: one with an alias only if something names it.
fn is_used(module: &Module, provider: &Provider) -> bool {
    let imports = module.refactorings.iter().filter_map(|block| block.block.arguments.get("provider"));
    let mut uses = module.uses.iter().map(|used| &used.written).chain(imports);
    let is_meant = |(name, alias): (&str, Option<&Text>)| *name == *provider.name && alias == provider.alias.as_ref();
    provider.alias.is_none() || uses.any(|written| configuration(&written.expr).is_none_or(is_meant))
}

/// What is there around an expression.
#[derive(Clone, Default)]
struct Context {
    has_count: bool,
    has_each: bool,
    has_self: bool,
    is_later: bool,
    is_trigger: bool,
    iterators: Vec<Text>,
}

struct Sites<'m> {
    found: Vec<Site<'m>>,
}

impl<'m> Sites<'m> {
    fn add(&mut self, owner: Owner, file: FileId, expr: &'m Expr, context: &Context, is_dependency: bool) {
        self.found.push(Site {
            owner,
            file,
            expr,
            has_count: context.has_count,
            has_each: context.has_each,
            has_self: context.has_self,
            is_later: context.is_later,
            iterators: context.iterators.clone(),
            is_dependency,
            is_trigger: context.is_trigger,
        });
    }

    /// The computed keys of an address.
    fn keys(&mut self, owner: &Owner, file: FileId, mut address: &'m Expr, context: &Context) {
        loop {
            address = match &walk::unwrapped(address).kind {
                ExprKind::Index(base, key) => {
                    self.add(owner.clone(), file, key, context, false);
                    base
                }
                ExprKind::Access(base, _) => base,
                _ => return,
            };
        }
    }

    fn plain(&mut self, owner: Owner, written: &'m Written) {
        self.add(owner, written.file, &written.expr, &Context::default(), false);
    }

    /// The expressions in the blocks of some types of a block.
    fn inner_blocks(&mut self, owner: &Owner, declared: &'m Declared, kinds: &[&str], context: Context) {
        for block in declared.blocks.iter().filter(|block| kinds.contains(&&*block.kind.text)) {
            self.body(owner, block.file, &block.body, &context);
        }
    }

    fn body(&mut self, owner: &Owner, file: FileId, body: &'m Body, context: &Context) {
        for attribute in &body.attributes {
            self.add(owner.clone(), file, &attribute.expr, context, false);
        }
        for block in &body.blocks {
            self.block(owner, file, block, context);
        }
    }

    fn block(&mut self, owner: &Owner, file: FileId, block: &'m Block, context: &Context) {
        let Some(label) = block.labels.first().filter(|_| &*block.kind.text == "dynamic") else {
            return self.body(owner, file, &block.body, context);
        };
        let iterator =
            block.body.get("iterator").and_then(|a| walk::name(&a.expr)).map_or_else(|| label.text.clone(), Text::from);
        let mut inner = context.clone();
        inner.iterators.push(iterator);
        for attribute in block.body.attributes.iter().filter(|a| &*a.name.text != "iterator") {
            let context = if &*attribute.name.text == "for_each" { context } else { &inner };
            self.add(owner.clone(), file, &attribute.expr, context, false);
        }
        for content in block.body.blocks_of("content") {
            self.body(owner, file, &content.body, &inner);
        }
    }

    fn resource(&mut self, address: &Text, declared: &'m Declared) {
        let owner = Owner::Resource(address.clone());
        let context = Context {
            has_count: declared.arguments.contains_key("count"),
            has_each: declared.arguments.contains_key("for_each"),
            ..Context::default()
        };
        for (name, written) in declared.arguments.iter().filter(|(name, _)| !NO_EXPRESSIONS.contains(&&***name)) {
            let plain = Context::default();
            let context = if matches!(&**name, "count" | "for_each" | "depends_on") { &plain } else { &context };
            self.add(owner.clone(), written.file, &written.expr, context, &**name == "depends_on");
        }
        if let Some(written) = declared.arguments.get("provider") {
            self.keys(&owner, written.file, &written.expr, &context);
        }
        let with_self = Context { has_self: true, is_later: true, ..context.clone() };
        for nested in &declared.blocks {
            let (file, block) = (nested.file, &nested.block);
            match &*block.kind.text {
                "lifecycle" => self.lifecycle(&owner, file, block, &context),
                "provisioner" | "connection" => {
                    let is_keyword = |name: &str| matches!(name, "when" | "on_failure");
                    for attribute in block.body.attributes.iter().filter(|a| !is_keyword(&a.name.text)) {
                        self.add(owner.clone(), file, &attribute.expr, &with_self, false);
                    }
                    for inner in &block.body.blocks {
                        self.body(&owner, file, &inner.body, &with_self);
                    }
                }
                "_" => {}
                _ => self.block(&owner, file, block, &context),
            }
        }
    }

    fn lifecycle(&mut self, owner: &Owner, file: FileId, block: &'m Block, context: &Context) {
        let trigger = Context { is_trigger: true, ..context.clone() };
        for attribute in &block.body.attributes {
            match &*attribute.name.text {
                "ignore_changes" => {}
                "replace_triggered_by" => self.add(owner.clone(), file, &attribute.expr, &trigger, true),
                _ => self.add(owner.clone(), file, &attribute.expr, &Context::default(), false),
            }
        }
        let with_self = Context { has_self: true, ..context.clone() };
        for inner in &block.body.blocks {
            let context = if &*inner.kind.text == "postcondition" { &with_self } else { context };
            // The conditions of a resource may read it.
            self.body(owner, file, &inner.body, context);
        }
    }

    fn call(&mut self, name: &Text, declared: &'m Declared) {
        let context = Context {
            has_count: declared.arguments.contains_key("count"),
            has_each: declared.arguments.contains_key("for_each"),
            ..Context::default()
        };
        for (argument, written) in declared.arguments.iter().filter(|(name, _)| !NO_EXPRESSIONS.contains(&&***name)) {
            match &**argument {
                "count" | "for_each" => self.plain(Owner::Call(name.clone()), written),
                "depends_on" => {
                    self.add(Owner::Call(name.clone()), written.file, &written.expr, &Context::default(), true);
                }
                _ => {
                    let owner = Owner::Argument(name.clone(), argument.clone());
                    self.add(owner, written.file, &written.expr, &context, false);
                }
            }
        }
        if let Some(written) = declared.arguments.get("providers")
            && let ExprKind::Object(items) = &walk::unwrapped(&written.expr).kind
        {
            for (_, configuration) in items {
                self.keys(&Owner::Call(name.clone()), written.file, configuration, &context);
            }
        }
        for block in declared.blocks.iter().filter(|block| &*block.kind.text == "lifecycle") {
            self.body(&Owner::Call(name.clone()), block.file, &block.body, &Context::default());
        }
    }
}
