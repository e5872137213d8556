//! How much of the inputs of a root module decides whether something is wrong with it.
//!
//! Most of a module passes its inputs on: `name = "${var.name}-a"` is right for every text. So components that differ only in
//! such inputs have the same failures, and one of them is evaluated for all. What passes a value on is listed here; everything
//! else counts as deciding by the whole value.

pub(super) mod key;
#[cfg(test)]
mod tests;

use crate::hcl::ast::{BinaryOp, Block, Body, Call, Expr, ExprKind, Key, Part, TraversalStep, walk};
use crate::hcl::types::Type;
use crate::terraform::configuration::body::{OWN_ARGUMENTS, OWN_BLOCKS};
use crate::terraform::configuration::expansion::lifecycle;
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::module::Module;
use crate::terraform::module::block::{Declared, META, Written};
use crate::terraform::module::decisive::{Decisive, Detail};
use crate::terraform::module::reader::block_type;
use crate::text::Text;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Finds out what decides in a tree of modules.
pub(super) fn of(tree: &Tree<'_>) -> Decisive {
    let nodes: Vec<&Arc<Module>> = tree.nodes.iter().map(|node| &node.module).collect();
    let calls = tree.nodes.iter().enumerate();
    let calls = calls.filter_map(|(index, node)| Some(((node.parent?, node.path.last()?.clone()), index)));
    let mut analysis = Analysis {
        nodes,
        callers: tree.nodes.iter().map(|node| Some((node.parent?, node.path.last()?.clone()))).collect(),
        children: calls.collect(),
        raised: HashMap::new(),
        queue: Vec::new(),
        workspace: Detail::Shape,
    };
    for node in 0..analysis.nodes.len() {
        analysis.module(node);
    }
    while let Some((node, name)) = analysis.queue.pop() {
        analysis.declaration(node, &name);
    }
    let of_root = analysis.raised.iter().filter_map(|((node, name), detail)| match name {
        Name::Variable(name) if *node == 0 => Some((name.clone(), *detail)),
        _ => None,
    });
    Decisive { variables: of_root.collect(), workspace: analysis.workspace }
}

/// Something with a value in a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Local(Text),
    Variable(Text),
    Output(Text),
    /// All arguments and blocks of a resource.
    Resource(Text),
    /// One of them.
    Argument(Text, Text),
}

/// What is around an expression.
#[derive(Default)]
struct Around {
    /// The names that `for` and dynamic blocks give to elements, with how much of these decides.
    bound: Vec<(Text, Detail)>,
    /// The same for the elements of splats.
    elements: Vec<Detail>,
    /// The resource that `self` is.
    itself: Option<Text>,
}

struct Analysis<'t> {
    nodes: Vec<&'t Arc<Module>>,
    /// The module that calls each, and the name of the call.
    callers: Vec<Option<(usize, Text)>>,
    children: HashMap<(usize, Text), usize>,
    /// What decides by more than its shape, by module.
    raised: HashMap<(usize, Name), Detail>,
    /// Those whose expressions have to be seen again.
    queue: Vec<(usize, Name)>,
    workspace: Detail,
}

impl<'t> Analysis<'t> {
    /// Everything that is evaluated in a module, whoever reads it.
    fn module(&mut self, node: usize) {
        let module: &'t Module = self.nodes[node];
        for written in module.locals.values() {
            self.plain(node, written, Detail::Shape);
        }
        for declared in module.declarations.values() {
            self.conditions(node, declared.blocks.iter().map(|nested| &nested.block), None);
        }
        for declared in module.outputs.values() {
            declared.arguments.get("value").into_iter().for_each(|value| self.plain(node, value, Detail::Shape));
            self.conditions(node, declared.blocks.iter().map(|nested| &nested.block), None);
        }
        for (address, declared) in &module.resources {
            self.repetition(node, declared);
            declared.arguments.get("provider").into_iter().for_each(|w| self.plain(node, w, Detail::Whole));
            for inner in declared.blocks.iter().filter(|block| &*block.kind.text == "lifecycle") {
                let attributes = inner.body.attributes.iter();
                let evaluated = |name: &str| !matches!(name, "ignore_changes" | "replace_triggered_by");
                for attribute in attributes.filter(|attribute| evaluated(&attribute.name.text)) {
                    self.expr(node, &attribute.expr, Detail::Whole, &mut Around::default());
                }
                self.conditions(node, inner.body.blocks.iter(), Some(address));
            }
            self.resource(node, declared, Detail::Shape, None);
        }
        for (name, declared) in &module.calls {
            self.repetition(node, declared);
            for (argument, written) in declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name)) {
                let child = self.children.get(&(node, name.clone()));
                let variable = child.and_then(|child| self.nodes[*child].variables.get(argument));
                self.plain(node, written, variable.map_or(Detail::Shape, |variable| converting(&variable.ty)));
            }
        }
        let imports = module.refactorings.iter().filter(|block| &*block.kind == "import").map(|import| &import.block);
        let providers = module.providers.iter().map(|provider| &provider.block);
        for declared in imports.chain(providers) {
            for (name, written) in declared.arguments.iter().filter(|(name, _)| &***name != "alias") {
                let is_decisive = matches!(&**name, "for_each" | "to");
                self.plain(node, written, if is_decisive { Detail::Whole } else { Detail::Shape });
            }
            declared.blocks.iter().for_each(|block| self.block(node, block, Detail::Shape, &mut Around::default()));
        }
        for declared in module.checks.values() {
            self.conditions(node, declared.blocks.iter().map(|nested| &nested.block), None);
        }
    }

    /// How often something is there.
    fn repetition(&mut self, node: usize, declared: &Declared) {
        let arguments = ["count", "for_each"].into_iter().filter_map(|name| declared.arguments.get(name).cloned());
        for written in arguments.chain(lifecycle(declared, "enabled")) {
            self.expr(node, &written.expr, Detail::Whole, &mut Around::default());
        }
    }

    /// The conditions in blocks, and their messages, which have to be texts.
    fn conditions<'b>(&mut self, node: usize, blocks: impl Iterator<Item = &'b Block>, itself: Option<&Text>) {
        let mut around = Around { itself: itself.cloned(), ..Around::default() };
        for block in blocks {
            for (name, detail) in [("condition", Detail::Whole), ("error_message", Detail::Shape)] {
                let attribute = block.body.get(name).into_iter();
                attribute.for_each(|attribute| self.expr(node, &attribute.expr, detail, &mut around));
            }
        }
    }

    /// The arguments and blocks of a resource, or those of one name.
    fn resource(&mut self, node: usize, declared: &Declared, detail: Detail, only: Option<&Text>) {
        let is_meant = |name: &Text| only.is_none_or(|only| only == name);
        let arguments = declared.arguments.iter().filter(|(name, _)| !OWN_ARGUMENTS.contains(&&***name));
        for (_, written) in arguments.filter(|(name, _)| is_meant(name)) {
            self.plain(node, written, detail);
        }
        let blocks = declared.blocks.iter().filter(|block| !OWN_BLOCKS.contains(&&*block.kind.text));
        for block in blocks.filter(|block| is_meant(block_type(block))) {
            self.block(node, block, detail, &mut Around::default());
        }
    }

    fn body(&mut self, node: usize, body: &Body, detail: Detail, around: &mut Around) {
        for attribute in &body.attributes {
            self.expr(node, &attribute.expr, detail, around);
        }
        body.blocks.iter().for_each(|block| self.block(node, block, detail, around));
    }

    fn block(&mut self, node: usize, block: &Block, detail: Detail, around: &mut Around) {
        let Some(label) = block.labels.first().filter(|_| &*block.kind.text == "dynamic") else {
            return self.body(node, &block.body, detail, around);
        };
        let iterator =
            block.body.get("iterator").and_then(|a| walk::name(&a.expr)).map_or_else(|| label.text.clone(), Text::from);
        around.bound.push((iterator, Detail::Shape));
        if let Some(labels) = block.body.get("labels") {
            self.expr(node, &labels.expr, Detail::Whole, around);
        }
        for content in block.body.blocks_of("content") {
            self.body(node, &content.body, detail, around);
        }
        let of_elements = around.bound.pop().map_or(Detail::Whole, |(_, detail)| detail);
        if let Some(for_each) = block.body.get("for_each") {
            self.expr(node, &for_each.expr, of_elements, around);
        }
    }

    /// Notes that more of something decides.
    fn raise(&mut self, node: usize, name: Name, detail: Detail) {
        let known = self.raised.entry((node, name.clone())).or_default();
        if detail > *known {
            *known = detail;
            self.queue.push((node, name));
        }
    }

    /// Sees again what something is made of, of which more decides.
    fn declaration(&mut self, node: usize, name: &Name) {
        let detail = self.raised.get(&(node, name.clone())).copied().unwrap_or_default();
        let module: &'t Module = self.nodes[node];
        match name {
            Name::Local(name) => module.locals.get(name).into_iter().for_each(|w| self.plain(node, w, detail)),
            Name::Output(name) => {
                let value = module.outputs.get(name).and_then(|declared| declared.arguments.get("value"));
                value.into_iter().for_each(|written| self.plain(node, written, detail));
            }
            Name::Variable(name) => {
                let Some((caller, call)) = self.callers[node].clone() else { return };
                let caller_module: &'t Module = self.nodes[caller];
                let argument = caller_module.calls.get(&call).and_then(|call| call.arguments.get(name));
                // A number may become a text.
                argument.into_iter().for_each(|written| self.plain(caller, written, Detail::Whole));
            }
            Name::Resource(address) => {
                let declared = module.resources.get(address);
                declared.into_iter().for_each(|declared| self.resource(node, declared, detail, None));
            }
            Name::Argument(address, name) => {
                let declared = module.resources.get(address);
                declared.into_iter().for_each(|declared| self.resource(node, declared, detail, Some(name)));
            }
        }
    }

    fn plain(&mut self, node: usize, written: &Written, detail: Detail) {
        self.expr(node, &written.expr, detail, &mut Around::default());
    }

    /// `detail` of an expression decides: notes what that means for what it reads.
    fn expr(&mut self, node: usize, expr: &Expr, detail: Detail, around: &mut Around) {
        // The texts of a value that may be converted from numbers depend on the whole of these.
        let converted = if detail == Detail::Shape { Detail::Shape } else { Detail::Whole };
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => {}
            ExprKind::Template(parts) => self.parts(node, parts, converted, around),
            ExprKind::Wrapped(inner) | ExprKind::Paren(inner) | ExprKind::Access(inner, _) => {
                self.expr(node, inner, detail, around);
            }
            ExprKind::Traversal(root, steps) => self.reference(node, &root.text, steps, detail, around),
            ExprKind::Index(base, key) => {
                self.expr(node, base, detail, around);
                self.expr(node, key, Detail::Whole, around);
            }
            ExprKind::Splat(base, each) => {
                if let (ExprKind::Traversal(root, steps), ExprKind::Access(of, attribute)) = (&base.kind, &each.kind)
                    && matches!(of.kind, ExprKind::Element)
                {
                    // `aws_lb.main[*].id` reads one attribute of all instances.
                    let steps: Vec<TraversalStep> = steps.iter().chain(attribute).cloned().collect();
                    return self.reference(node, &root.text, &steps, detail, around);
                }
                around.elements.push(Detail::Shape);
                self.expr(node, each, detail, around);
                let of_elements = around.elements.pop().unwrap_or(Detail::Whole);
                self.expr(node, base, of_elements, around);
            }
            ExprKind::Element => {
                around.elements.last_mut().into_iter().for_each(|element| *element = detail.max(*element));
            }
            ExprKind::Call(call) => self.call(node, call, detail, around),
            ExprKind::Unary(_, inner) => self.expr(node, inner, detail.max(Detail::Texts), around),
            ExprKind::Binary(op, left, right) => {
                let (of_left, of_right) = match op {
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => (Detail::Texts, Detail::Texts),
                    BinaryOp::Divide | BinaryOp::Modulo => (Detail::Texts, Detail::Whole),
                    _ => (Detail::Whole, Detail::Whole),
                };
                let of_result = if detail == Detail::Whole { Detail::Whole } else { Detail::Shape };
                self.expr(node, left, of_result.max(of_left), around);
                self.expr(node, right, of_result.max(of_right), around);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(node, condition, Detail::Whole, around);
                [yes, no].into_iter().for_each(|arm| self.expr(node, arm, converted, around));
            }
            ExprKind::Tuple(items) => items.iter().for_each(|item| self.expr(node, item, detail, around)),
            ExprKind::Object(items) => {
                for (key, value) in items {
                    self.expr(node, key, Detail::Whole, around);
                    self.expr(node, value, detail, around);
                }
            }
            ExprKind::For(all) => {
                let names: Vec<Text> =
                    all.key_name.iter().chain([&all.value_name]).map(|name| name.text.clone()).collect();
                let of_elements = self.bound(&names, around, &mut |this, around| {
                    all.key.iter().chain(&all.condition).for_each(|e| this.expr(node, e, Detail::Whole, around));
                    this.expr(node, &all.value, detail, around);
                });
                self.expr(node, &all.collection, of_elements, around);
            }
        }
    }

    /// How much of the elements of a collection decides that have names in what is seen.
    fn bound(&mut self, names: &[Text], around: &mut Around, see: &mut dyn FnMut(&mut Self, &mut Around)) -> Detail {
        around.bound.extend(names.iter().map(|name| (name.clone(), Detail::Shape)));
        see(self, around);
        let of_names = around.bound.split_off(around.bound.len() - names.len());
        of_names.into_iter().map(|(_, detail)| detail).max().unwrap_or_default()
    }

    fn parts(&mut self, node: usize, parts: &[Part], detail: Detail, around: &mut Around) {
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Value(expr) => self.expr(node, expr, detail, around),
                Part::If(condition, yes, no) => {
                    self.expr(node, condition, Detail::Whole, around);
                    self.parts(node, yes, detail, around);
                    self.parts(node, no, detail, around);
                }
                Part::For(all) => {
                    let names: Vec<Text> = all.key.iter().chain([&all.value]).map(|name| name.text.clone()).collect();
                    let of_elements =
                        self.bound(&names, around, &mut |this, around| this.parts(node, &all.body, detail, around));
                    self.expr(node, &all.collection, of_elements, around);
                }
            }
        }
    }

    fn call(&mut self, node: usize, call: &Call, detail: Detail, around: &mut Around) {
        let name = call.name.text.strip_prefix("core::").unwrap_or(&call.name.text);
        let passes = passes_on(name, &call.arguments);
        for (index, argument) in call.arguments.iter().enumerate() {
            let of_argument = match passes {
                Passing::Same => detail,
                Passing::Shape => Detail::Shape,
                Passing::Rendered if detail == Detail::Shape => Detail::Shape,
                Passing::LookedUp if index != 1 && detail == Detail::Shape => Detail::Shape,
                _ => Detail::Whole,
            };
            self.expr(node, argument, of_argument, around);
        }
    }

    fn reference(&mut self, node: usize, root: &str, steps: &[TraversalStep], detail: Detail, around: &mut Around) {
        if let Some((_, bound)) = around.bound.iter_mut().rev().find(|(name, _)| **name == *root) {
            *bound = detail.max(*bound);
            return;
        }
        let first = attributes(steps).next().cloned();
        let Some(first) = first else {
            if let ("self", Some(itself)) = (root, &around.itself) {
                let itself = itself.clone();
                self.raise(node, Name::Resource(itself), detail);
            }
            return;
        };
        match root {
            "var" => self.raise(node, Name::Variable(first), detail),
            "local" => self.raise(node, Name::Local(first), detail),
            "terraform" | "tofu" if *first == *"workspace" => self.workspace = detail.max(self.workspace),
            // All of what repeats a block decides.
            "path" | "terraform" | "tofu" | "count" | "each" => {}
            "self" => {
                let itself = around.itself.clone();
                itself.into_iter().for_each(|itself| self.raise(node, Name::Resource(itself), detail));
            }
            "module" => {
                let Some(child) = self.children.get(&(node, first)).copied() else { return };
                let outputs: &'t BTreeMap<Text, Declared> = &self.nodes[child].outputs;
                let wanted = attributes(steps).nth(1).filter(|name| outputs.contains_key(*name));
                let all: Vec<Text> = wanted.map_or_else(|| outputs.keys().cloned().collect(), |one| vec![one.clone()]);
                all.into_iter().for_each(|output| self.raise(child, Name::Output(output), detail));
            }
            "data" | "ephemeral" | "resource" => {
                let Some(name) = attributes(steps).nth(1) else { return };
                let address = match root {
                    "resource" => format!("{first}.{name}"),
                    mode => format!("{mode}.{first}.{name}"),
                };
                self.of_resource(node, address.into(), attributes(steps).nth(2), detail);
            }
            kind => self.of_resource(node, format!("{kind}.{first}").into(), attributes(steps).nth(1), detail),
        }
    }

    /// A reference to a resource, or to one of its attributes.
    fn of_resource(&mut self, node: usize, address: Text, attribute: Option<&Text>, detail: Detail) {
        let module: &'t Module = self.nodes[node];
        let Some(declared) = module.resources.get(&address) else { return };
        let is_written = |name: &Text| {
            declared.arguments.contains_key(name) || declared.blocks.iter().any(|block| block_type(block) == name)
        };
        match attribute {
            Some(name) if is_written(name) => self.raise(node, Name::Argument(address, name.clone()), detail),
            // Its provider computes it: it is unknown, whatever the arguments are.
            Some(_) => {}
            None => self.raise(node, Name::Resource(address), detail),
        }
    }
}

/// The names of attributes in a reference. Keys in brackets are left out.
fn attributes(steps: &[TraversalStep]) -> impl Iterator<Item = &Text> {
    steps.iter().filter_map(|step| match step {
        TraversalStep::Attribute(name) => Some(&name.text),
        TraversalStep::Index(Key::Text(_) | Key::Number(_), _) => None,
    })
}

/// How much of a value decides that is converted to a type.
fn converting(ty: &Type) -> Detail {
    match ty {
        Type::Dynamic | Type::Str => Detail::Shape,
        Type::Bool | Type::Number => Detail::Texts,
        Type::List(inner) | Type::Map(inner) => converting(inner),
        Type::Tuple(all) => all.iter().map(converting).max().unwrap_or_default(),
        Type::Object(all) => all.values().map(|attribute| converting(&attribute.ty)).max().unwrap_or_default(),
        // Equal elements become one.
        Type::Set(_) | Type::Reference => Detail::Whole,
    }
}

/// What the result of a function depends on.
enum Passing {
    /// As much of each argument as of the result.
    Same,
    /// The shape of the arguments, whatever is asked of the result.
    Shape,
    /// The result is a text: its shape depends on the shape of the arguments.
    Rendered,
    /// An element: its key decides.
    LookedUp,
    /// All of the arguments.
    Decides,
}

fn passes_on(name: &str, arguments: &[Expr]) -> Passing {
    match name {
        "try" | "sensitive" | "nonsensitive" => Passing::Same,
        "can" | "keys" => Passing::Shape,
        "merge" | "concat" | "flatten" | "values" | "tolist" | "tomap" | "tostring" | "length" | "lower" | "upper"
        | "title" | "trimspace" | "join" | "jsonencode" | "base64encode" | "md5" | "sha1" | "sha256" => {
            Passing::Rendered
        }
        "lookup" => Passing::LookedUp,
        "format" if arguments.first().and_then(walk::constant_text).is_some_and(takes_any_value) => Passing::Rendered,
        "replace" if arguments.get(1).and_then(walk::constant_text).is_some_and(|text| !text.starts_with('/')) => {
            Passing::Rendered
        }
        _ => Passing::Decides,
    }
}

/// Whether a format has only verbs that take values of any primitive type: `%s` and `%v`.
fn takes_any_value(format: &str) -> bool {
    let mut rest = format.split('%').skip(1);
    let mut is_escaped = false;
    rest.all(|part| {
        if std::mem::take(&mut is_escaped) {
            return true;
        }
        is_escaped = part.is_empty();
        is_escaped || part.starts_with(['s', 'v'])
    }) && !is_escaped
}
