//! The instances of modules, with the values of their names. A call whose arguments read neither `each` nor `count` has
//! one frame for all of its instances.

use crate::hcl::eval::{Budget, Evaluator};
use crate::hcl::types::Type;
use crate::hcl::val::{Marks, Val};
use crate::limits::{Limit, take_steps_of_hcl};
use crate::terraform::configuration::Wanted;
use crate::terraform::configuration::expansion::{Instances, Repeat};
use crate::terraform::configuration::names::Names;
use crate::terraform::configuration::reached::Reached;
use crate::terraform::configuration::sites::Owner;
use crate::terraform::evaluation::followed::Followed;
use crate::terraform::evaluation::shown::Source;
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::evaluation::variable;
use crate::terraform::failure::Failure;
use crate::terraform::module::Module;
use crate::terraform::module::block::{META, Written};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{FileId, Value};
use foldhash::fast::RandomState;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// How deep names lead to each other.
const MAX_DEPTH: usize = 150;
/// The most frames of a root module.
const MAX_FRAMES: usize = 5_000;

/// The values of the names of an instance of a module.
pub(super) struct Frame {
    /// Its number among the frames of the root module.
    pub id: usize,
    /// The module, in the tree of the root module.
    pub node: usize,
    /// Whether it certainly exists: no call around it has instances that are not known.
    is_certain: bool,
    /// The frame that calls it, the name of the call, and the key of the instance; none for the root module.
    pub caller: Option<(Rc<Frame>, Text, Repeat)>,
    /// The values of names; `None` while they are computed.
    names: RefCell<HashMap<(Kind, Text), Option<Val>, RandomState>>,
    blocks: RefCell<HashMap<Text, Option<Rc<Expanded>>, RandomState>>,
    calls: RefCell<HashMap<Text, Option<Rc<Called>>, RandomState>>,
}

/// A kind of name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Local,
    Variable,
    Output,
}

/// An evaluated instance.
#[derive(Clone)]
pub(super) struct Planned {
    /// Its value as others read it.
    pub val: Val,
    /// Its arguments and blocks as they are shown.
    pub value: Value,
}

/// The instances of a resource.
pub(super) struct Expanded {
    /// Each with its key.
    pub planned: Vec<(Repeat, Planned)>,
    /// The value of the resource.
    pub whole: Val,
}

/// The instances of a module call.
pub(super) struct Called {
    /// The instances.
    pub instances: Instances,
    /// Their keys; where a mistake keeps them from being known, that of any.
    pub repeats: Vec<Repeat>,
    /// Each with its key; no frames for a module that is not in the repository.
    pub frames: Vec<(Repeat, Rc<Frame>)>,
    /// Whether the module is in the repository.
    pub is_here: bool,
}

/// What a dynamic block gives to its content.
#[derive(Clone)]
pub(super) struct Iterator {
    pub name: Text,
    /// Its `key` and `value`.
    pub value: Val,
    /// The expression that they come from, if something is evaluated.
    pub for_each: Option<Written>,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(super) struct At<'e> {
    /// The instance of the module.
    pub frame: &'e Rc<Frame>,
    /// What `each` and `count` are.
    pub repeat: &'e Repeat,
    /// The expression that gives them.
    pub repeated_by: Option<&'e Written>,
    /// What `self` is.
    pub itself: Option<&'e Val>,
    /// The iterators of the dynamic blocks around it, the innermost last.
    pub iterators: &'e [Iterator],
    /// Whether ephemeral values are taken.
    pub takes_ephemeral: bool,
}

impl<'e> At<'e> {
    /// Whether it is in an instance that is certainly there.
    pub(super) fn is_certain(&self) -> bool {
        self.frame.is_certain && self.repeat.is_certain()
    }

    /// In a module, outside of anything that is repeated.
    pub(super) fn module(frame: &'e Rc<Frame>) -> Self {
        At { frame, repeat: &Repeat::None, repeated_by: None, itself: None, iterators: &[], takes_ephemeral: true }
    }
}

/// What was evaluated for certain, by folders of modules.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    pub modules: HashSet<Text>,
    /// Resources of these modules.
    pub resources: HashSet<(Text, Text)>,
    /// Module calls of these modules.
    pub calls: HashSet<(Text, Text)>,
}

/// The text and what unknown values are made of, by the instance of a module, the place, and the key of the instance.
pub(super) type Sources = HashMap<(usize, FileId, u32, String), Rc<Source>, RandomState>;

/// Evaluates a root module.
pub(super) struct Evaluation<'s, 'a> {
    pub statics: &'s Statics<'a>,
    budget: Budget,
    depth: Cell<usize>,
    frames: Cell<usize>,
    failures: RefCell<Vec<Failure>>,
    known: RefCell<HashSet<String, RandomState>>,
    children: HashMap<(usize, Text), usize, RandomState>,
    pub(super) sources: RefCell<Sources>,
    /// The names that expressions refer to in instances.
    pub followed: Followed,
    /// What was evaluated for certain.
    pub evaluated: RefCell<Evaluated>,
    /// The provider configurations that manage resources, with the modules that declare them.
    pub managing: OnceCell<HashSet<(usize, String)>>,
    /// Whether nothing is known of variables, resources and modules.
    pub validates: bool,
    /// What is wanted of it.
    pub wanted: Wanted,
    /// What is evaluated; everything if this is `None`.
    pub reached: Option<&'s Reached>,
    /// How many things are being evaluated only because something that is reached reads them.
    only_read: Cell<usize>,
}

impl<'s, 'a> Evaluation<'s, 'a> {
    pub(super) fn new(statics: &'s Statics<'a>, wanted: Wanted, reached: Option<&'s Reached>) -> Self {
        let steps = statics.files.loader().reader.limits().get(Limit::TemplateSteps);
        let nodes = statics.nodes.iter().enumerate();
        let child = |(index, node): (usize, &Rc<crate::terraform::evaluation::statics::Node>)| {
            Some(((node.parent?, node.path.last()?.clone()), index))
        };
        Evaluation {
            statics,
            budget: Budget::counted(steps, take_steps_of_hcl),
            depth: Cell::new(0),
            frames: Cell::new(0),
            failures: RefCell::default(),
            known: RefCell::default(),
            children: nodes.filter_map(child).collect(),
            sources: RefCell::default(),
            followed: Followed::default(),
            evaluated: RefCell::default(),
            managing: OnceCell::new(),
            validates: false,
            wanted,
            reached,
            only_read: Cell::new(0),
        }
    }

    /// The same without values of variables, resources and modules.
    pub(super) fn validating(statics: &'s Statics<'a>, reached: Option<&'s Reached>) -> Self {
        Evaluation { validates: true, ..Evaluation::new(statics, Wanted::Failures, reached) }
    }

    /// Whether something in a module is evaluated by itself, and not only where something else reads it.
    pub(super) fn includes(&self, frame: &Frame, owner: impl FnOnce() -> Owner) -> bool {
        self.reached.is_none_or(|reached| reached.has(frame.node, &owner()))
    }

    /// Whether something in the module of a call is, or what repeats the call.
    pub(super) fn enters(&self, frame: &Frame, call: &Text) -> bool {
        let child = || self.children.get(&(frame.node, call.clone()));
        let is_reached = |reached: &Reached| {
            reached.has(frame.node, &Owner::Call(call.clone())) || child().is_some_and(|child| reached.enters(*child))
        };
        self.reached.is_none_or(is_reached)
    }

    /// Notes what is wrong at a place, once. Of what may have no instances nothing is certain.
    pub(super) fn report_at(&self, at: &At<'_>, failure: Failure) {
        if self.validates || at.is_certain() {
            self.report(failure);
        }
    }

    /// Evaluates something in a module. If it is not reached, the same is wrong with it as before, whoever reads it.
    fn evaluated<T>(&self, frame: &Frame, owner: impl FnOnce() -> Owner, compute: impl FnOnce() -> T) -> T {
        let count = usize::from(!self.includes(frame, owner));
        self.only_read.set(self.only_read.get() + count);
        let found = compute();
        self.only_read.set(self.only_read.get() - count);
        found
    }

    /// Evaluates something that is also evaluated where it stands, and there may be allowed to fail.
    pub(super) fn silently<T>(&self, compute: impl FnOnce() -> T) -> T {
        self.only_read.set(self.only_read.get() + 1);
        let found = compute();
        self.only_read.set(self.only_read.get() - 1);
        found
    }

    /// Notes what is wrong, once.
    pub(super) fn report(&self, failure: Failure) {
        if self.only_read.get() > 0 && failure.rule != &rules::LIMIT_EXCEEDED {
            return;
        }
        let place = failure.place.map(|(file, span)| (file, span.start, span.end));
        if self.known.borrow_mut().insert(format!("{place:?} {}", failure.message)) {
            self.failures.borrow_mut().push(failure);
        }
    }

    /// What is wrong so far.
    pub(super) fn take_failures(&self) -> Vec<Failure> {
        self.failures.take()
    }

    /// How many things are wrong so far.
    pub(super) fn failed(&self) -> usize {
        self.failures.borrow().len()
    }

    /// Takes the steps that making a block costs; `false` if there are not enough left.
    pub(super) fn take(&self, steps: u64) -> bool {
        self.budget.take(steps)
    }

    /// The module of a frame.
    pub(super) fn module(&self, frame: &Frame) -> Arc<Module> {
        Arc::clone(&self.statics.nodes[frame.node].module)
    }

    /// The value of an expression.
    pub(super) fn value(&self, at: &At<'_>, written: &Written) -> Val {
        if self.depth.get() >= MAX_DEPTH {
            let message = format!("names refer to each other in chains of more than {MAX_DEPTH}");
            self.report(Failure::new(&rules::LIMIT_EXCEEDED, message, written.place()));
            return Val::failed();
        }
        self.depth.set(self.depth.get() + 1);
        let names = Names { evaluation: self, at: *at, file: written.file };
        let mut evaluator = Evaluator::new(written.file, &names, &self.statics.files, &self.budget);
        let value = evaluator.eval(&written.expr);
        self.depth.set(self.depth.get() - 1);
        let is_limit = |failure: &Failure| failure.rule == &rules::LIMIT_EXCEEDED;
        for failure in evaluator.problems.iter().map(Failure::of_problem) {
            if is_limit(&failure) { self.report(failure) } else { self.report_at(at, failure) }
        }
        value
    }

    /// The value of a name, computed once. What depends on itself is reported elsewhere.
    fn name(&self, frame: &Frame, key: (Kind, Text), compute: impl FnOnce() -> Val) -> Val {
        if let Some(known) = frame.names.borrow().get(&key) {
            return known.clone().unwrap_or_else(Val::failed);
        }
        frame.names.borrow_mut().insert(key.clone(), None);
        let owner = || match key.0 {
            Kind::Local => Owner::Local(key.1.clone()),
            Kind::Variable => Owner::Variable(key.1.clone()),
            Kind::Output => Owner::Output(key.1.clone()),
        };
        let value = self.evaluated(frame, owner, compute);
        frame.names.borrow_mut().insert(key, Some(value.clone()));
        value
    }

    /// The value of a local.
    pub(super) fn local(&self, frame: &Rc<Frame>, name: &Text) -> Val {
        self.name(frame, (Kind::Local, name.clone()), || match self.module(frame).locals.get(name) {
            Some(written) => self.value(&At::module(frame), written),
            None => self.undeclared(frame),
        })
    }

    /// The value of a name that nothing declares: an error, unless a file that is not known may declare it.
    pub(super) fn undeclared(&self, frame: &Frame) -> Val {
        match self.statics.nodes[frame.node].module.is_open {
            true => Val::unknown(Type::Dynamic, "a generated file may declare it, whose content is not known"),
            false => Val::failed(),
        }
    }

    /// The value of a variable.
    pub(super) fn variable(&self, frame: &Rc<Frame>, name: &Text) -> Val {
        self.name(frame, (Kind::Variable, name.clone()), || {
            let module = self.module(frame);
            let Some(variable) = module.variables.get(name) else { return self.undeclared(frame) };
            let not_given = || Val::unknown(variable.ty.clone(), format!("no value is given for var.{name}"));
            let found = match &frame.caller {
                None if self.validates => return not_given().marked(variable.marks),
                None => self.statics.given_value(name, variable),
                Some((caller, call, repeat)) => {
                    let caller_module = self.module(caller);
                    let written = caller_module.calls.get(call).and_then(|call| call.arguments.get(name));
                    match written {
                        Some(written) => {
                            let at = At { repeat, ..At::module(caller) };
                            let given = self.value(&at, written);
                            let is_stored = !variable.marks.has(Marks::EPHEMERAL);
                            if is_stored && given.all_marks().has(Marks::EPHEMERAL) {
                                let message = format!(
                                    "variable does not allow ephemeral value: var.{name} is not declared with `ephemeral = true`"
                                );
                                let failure = Failure::new(&rules::SENSITIVE, message, written.place());
                                Err(vec![failure.declared(variable.place)])
                            } else {
                                variable::effective(name, variable, Some(given), Some(written.place()))
                            }
                        }
                        None => variable::effective(name, variable, None, None),
                    }
                }
            };
            match found {
                Ok(value) => value,
                Err(failures) if failures.iter().all(|failure| failure.is_open) => not_given().marked(variable.marks),
                Err(failures) => {
                    let at = At::module(frame);
                    let wrong = failures.into_iter().filter(|failure| !failure.is_open);
                    wrong.for_each(|failure| self.report_at(&at, failure));
                    Val::unknown(variable.ty.clone(), Text::new()).marked(variable.marks)
                }
            }
        })
    }

    /// The value of an output.
    pub(super) fn output(&self, frame: &Rc<Frame>, name: &Text) -> Val {
        self.name(frame, (Kind::Output, name.clone()), || {
            let module = self.module(frame);
            let Some(declared) = module.outputs.get(name) else { return Val::failed() };
            let Some(written) = declared.arguments.get("value") else { return Val::failed() };
            let value = self.value(&At::module(frame), written).kept();
            // Outputs of the root module are checked where they are collected.
            let is_called = frame.caller.is_some();
            if is_called && value.all_marks().has(Marks::EPHEMERAL) && !declared.is_set("ephemeral") {
                let message = format!("output \"{name}\" refers to ephemeral values: it needs `ephemeral = true`");
                self.report_at(&At::module(frame), Failure::new(&rules::SENSITIVE, message, written.place()));
            }
            let mut marks = Marks::NONE;
            if declared.is_set("sensitive") {
                marks = marks | Marks::SENSITIVE;
            }
            if declared.is_set("ephemeral") {
                marks = marks | Marks::EPHEMERAL;
            }
            value.marked(marks)
        })
    }

    /// The instances of a resource; `None` while they are computed, and for what is not declared.
    pub(super) fn block(&self, frame: &Rc<Frame>, address: &Text) -> Option<Rc<Expanded>> {
        if let Some(known) = frame.blocks.borrow().get(address) {
            return known.clone();
        }
        let module = self.module(frame);
        let declared = module.resources.get(address)?;
        frame.blocks.borrow_mut().insert(address.clone(), None);
        let plan = || self.plan(frame, address, declared);
        let expanded = Some(Rc::new(self.evaluated(frame, || Owner::Resource(address.clone()), plan)));
        frame.blocks.borrow_mut().insert(address.clone(), expanded.clone());
        expanded
    }

    /// The instances of a module call; `None` while they are computed, and for what is not declared.
    pub(super) fn call(&self, frame: &Rc<Frame>, name: &Text) -> Option<Rc<Called>> {
        if let Some(known) = frame.calls.borrow().get(name) {
            return known.clone();
        }
        let module = self.module(frame);
        let declared = module.calls.get(name)?;
        frame.calls.borrow_mut().insert(name.clone(), None);
        let expand = || self.expand(&At::module(frame), declared);
        let instances = self.evaluated(frame, || Owner::Call(name.clone()), expand);
        let child = self.children.get(&(frame.node, name.clone())).copied();
        let child = child.filter(|child| !self.statics.nodes[*child].module.files.is_empty());
        let own = declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name));
        let is_shared = !own.map(|(_, written)| written).any(|written| super::names::is_repeated(&written.expr));
        let mut frames: Vec<(Repeat, Rc<Frame>)> = Vec::new();
        let repeats = instances.evaluated(declared);
        for repeat in &repeats {
            let Some(node) = child else { break };
            let shared = frames.first().filter(|_| is_shared).map(|(_, frame)| Rc::clone(frame));
            if shared.is_none() && self.frames.get() >= MAX_FRAMES {
                let message = format!("the root module has more than {MAX_FRAMES} instances of modules");
                self.report(Failure::new(&rules::LIMIT_EXCEEDED, message, declared.place).hiding());
                break;
            }
            let made = shared.unwrap_or_else(|| {
                self.frames.set(self.frames.get() + 1);
                Rc::new(Frame::new(self.frames.get(), node, Some((Rc::clone(frame), name.clone(), repeat.clone()))))
            });
            frames.push((repeat.clone(), made));
        }
        let called = Some(Rc::new(Called { instances, repeats, frames, is_here: child.is_some() }));
        frame.calls.borrow_mut().insert(name.clone(), called.clone());
        called
    }
}

impl Frame {
    pub(super) fn new(id: usize, node: usize, caller: Option<(Rc<Frame>, Text, Repeat)>) -> Self {
        let (names, blocks, calls) = (RefCell::default(), RefCell::default(), RefCell::default());
        let is_certain = caller.as_ref().is_none_or(|(frame, _, repeat)| frame.is_certain && repeat.is_certain());
        Frame { id, node, is_certain, caller, names, blocks, calls }
    }

    /// The same with the value of a variable.
    pub(super) fn with_variable(self, name: &Text, value: Val) -> Self {
        self.names.borrow_mut().insert((Kind::Variable, name.clone()), Some(value));
        self
    }
}
