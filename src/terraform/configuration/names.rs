//! What references mean in an instance of a module.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Expr, Key, Name, TraversalStep};
use crate::hcl::eval::Scope;
use crate::hcl::types::Type;
use crate::hcl::val::{Entries, Marks, Val};
use crate::terraform::configuration::built_in;
use crate::terraform::configuration::expansion::{self, Instances, Repeat};
use crate::terraform::configuration::frame::{At, Called, Evaluation};
use crate::terraform::failure::Failure;
use crate::terraform::rules;
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many locals are followed to what they refer to.
const MAX_LOCALS: usize = 64;

/// The names of an instance of a module.
pub(super) struct Names<'e, 's, 'a> {
    pub evaluation: &'e Evaluation<'s, 'a>,
    pub at: At<'e>,
    /// The file of the expression.
    pub file: FileId,
}

/// The attribute that a step names.
fn attribute(steps: &[TraversalStep], index: usize) -> Option<&Text> {
    match steps.get(index) {
        Some(TraversalStep::Attribute(name)) => Some(&name.text),
        _ => None,
    }
}

impl Scope for Names<'_, '_, '_> {
    fn get(&self, root: &Name, steps: &[TraversalStep]) -> Option<(Val, usize)> {
        if let Some(iterator) = self.at.iterators.iter().rev().find(|iterator| iterator.name == root.text) {
            return Some((iterator.value.clone(), 0));
        }
        // What has no meaning is reported once for its block, not for each instance.
        let nothing = || Some((self.evaluation.undeclared(self.at.frame), steps.len()));
        let Some(first) = attribute(steps, 0) else {
            return match (&*root.text, self.at.itself) {
                ("self", Some(itself)) => Some((itself.clone(), 0)),
                _ => nothing(),
            };
        };
        let (evaluation, frame) = (self.evaluation, self.at.frame);
        let value = match (&*root.text, &**first) {
            ("var", _) => evaluation.variable(frame, first),
            ("local", _) => evaluation.local(frame, first),
            ("path", "module") => Val::str(evaluation.statics.nodes[frame.node].shown.as_str()),
            ("path", "root") => Val::str("."),
            ("path", "cwd") => match crate::hcl::functions::Files::folder(&evaluation.statics.files) {
                Some(folder) => Val::str(folder),
                None => Val::unknown(Type::Str, "path.cwd"),
            },
            ("terraform" | "tofu", "workspace") => evaluation.statics.workspace_name(),
            ("terraform" | "tofu", "applying") => {
                Val::unknown(Type::Bool, format!("{}.applying", root.text)).marked(Marks::EPHEMERAL)
            }
            ("count" | "each", _) => repeat_value(self.at.repeat, &root.text, first).unwrap_or_else(Val::failed),
            ("self", _) => return Some((self.at.itself.cloned().unwrap_or_else(Val::failed), 0)),
            (kind, _) if evaluation.validates => {
                let module = evaluation.module(frame);
                let declared = module.resources.get(&*format!("{kind}.{first}"));
                let is_typed = built_in::is_type(kind) && !self.is_wrong(root, kind, steps.get(1..));
                return match declared.filter(|declared| is_typed && expansion::repeated(declared).is_none()) {
                    Some(_) => Some((built_in::not_known(), 1)),
                    None => {
                        let marks = if kind == "ephemeral" { Marks::EPHEMERAL } else { Marks::NONE };
                        Some((Val::unknown(Type::Dynamic, built_in::NOT_EVALUATED).marked(marks), steps.len()))
                    }
                };
            }
            ("module", _) => match evaluation.call(frame, first) {
                Some(called) => self.outputs(&called, first, steps),
                None => return nothing(),
            },
            ("data" | "ephemeral" | "resource", _) => {
                let Some(name) = attribute(steps, 1) else { return nothing() };
                let address = match &*root.text {
                    "resource" => format!("{first}.{name}"),
                    mode => format!("{mode}.{first}.{name}"),
                };
                if &*root.text == "resource" && self.is_wrong(root, first, steps.get(2..)) {
                    return nothing();
                }
                return match evaluation.block(frame, &address.into()) {
                    Some(block) => Some((block.whole.clone(), 2)),
                    None => nothing(),
                };
            }
            (kind, _) if self.is_wrong(root, kind, steps.get(1..)) => return nothing(),
            (kind, _) => match evaluation.block(frame, &format!("{kind}.{first}").into()) {
                Some(block) => block.whole.clone(),
                None => return nothing(),
            },
        };
        Some((value, 1))
    }

    fn writes(&self, root: &Name, steps: &[TraversalStep]) -> bool {
        self.refers_to_data((&root.text, steps), &mut BTreeSet::new())
    }
}

impl Names<'_, '_, '_> {
    /// Whether a name stands for a data source or for a module, which may have one, or for a local that refers to one. Resources are
    /// made when a plan is applied.
    fn refers_to_data(&self, (root, steps): (&str, &[TraversalStep]), seen: &mut BTreeSet<Text>) -> bool {
        if self.at.iterators.iter().any(|iterator| *iterator.name == *root) {
            return false;
        }
        match root {
            "data" | "module" => true,
            "local" => {
                let locals = &self.evaluation.module(self.at.frame).locals;
                let name = attribute(steps, 0).filter(|_| seen.len() < MAX_LOCALS);
                let name = name.filter(|name| seen.insert(Text::clone(name)));
                name.and_then(|name| locals.get(name)).is_some_and(|written| {
                    let references = walk::references(&written.expr);
                    references.iter().any(|r| self.refers_to_data((&r.root.text, r.steps), seen))
                })
            }
            _ => false,
        }
    }

    /// Whether a reference to a resource is wrong because of what it reads. That is reported once for its block, but of a dynamic
    /// block, which may not be there, where it is evaluated.
    fn is_wrong(&self, root: &Name, kind: &str, steps: Option<&[TraversalStep]>) -> bool {
        let Some(message) = steps.filter(|_| built_in::is_type(kind)).and_then(built_in::wrong) else { return false };
        if !self.at.iterators.is_empty() {
            self.evaluation.report_at(&self.at, Failure::new(&rules::UNDEFINED_NAME, message, (self.file, root.span)));
        }
        true
    }

    /// The value of a module call: only the output that a reference names, where it names one.
    fn outputs(&self, called: &Rc<Called>, name: &str, steps: &[TraversalStep]) -> Val {
        let wanted = match steps.get(1) {
            Some(TraversalStep::Attribute(output)) if matches!(called.instances, Instances::Single) => {
                Some(&output.text)
            }
            Some(TraversalStep::Index(Key::Number(_) | Key::Text(_), _)) => attribute(steps, 2),
            _ => None,
        };
        if !called.is_here {
            let count = called.instances.repeats().len();
            let one = Val::partial(Entries::new(), format!("module.{name}"));
            return called.instances.whole(vec![one; count]);
        }
        let values = called.frames.iter().map(|(_, frame)| {
            let module = self.evaluation.module(frame);
            let names = module.outputs.keys().filter(|output| wanted.is_none_or(|wanted| *output == wanted));
            let entries = names.map(|output| (output.clone(), self.evaluation.output(frame, output)));
            Val::object(entries.collect())
        });
        called.instances.whole(values.collect())
    }
}

/// What `count.index`, `each.key` and `each.value` are.
pub(super) fn repeat_value(repeat: &Repeat, root: &str, name: &str) -> Option<Val> {
    match (root, name, repeat) {
        ("count", "index", Repeat::Count(index)) => Some(Val::number(*index)),
        ("count", "index", Repeat::AnyCount(reason)) => Some(Val::unknown(Type::Number, reason.clone())),
        ("each", "key", Repeat::Each(key, value)) => Some(Val::str(key.clone()).with_prov(value.prov.clone())),
        ("each", "key", Repeat::AnyEach(reason)) => Some(Val::unknown(Type::Str, reason.clone())),
        ("each", "key", Repeat::Item(index, value)) => Some(Val::number(*index).with_prov(value.prov.clone())),
        ("each", "value", Repeat::Each(_, value) | Repeat::Item(_, value)) => Some(value.clone()),
        ("each", "value", Repeat::AnyEach(reason)) => Some(Val::unknown(Type::Dynamic, reason.clone())),
        _ => None,
    }
}

/// Whether an expression reads what differs between the instances of its block.
pub(super) fn is_repeated(expr: &Expr) -> bool {
    walk::references(expr).iter().any(|reference| matches!(&*reference.root.text, "each" | "count" | "self"))
}
