//! Evaluates everything that a root module declares, in all of its modules.

use crate::hcl::ast::walk;
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Marks, Val};
use crate::resolution::{Absent, Repetition};
use crate::terraform::configuration::address::Address;
use crate::terraform::configuration::expansion::{FOR_EACH, Repeat, lifecycle, repeated};
use crate::terraform::configuration::frame::{At, Evaluation, Expanded, Frame, Planned};
use crate::terraform::configuration::moves::Moves;
use crate::terraform::configuration::reads::Reading;
use crate::terraform::configuration::sites::Owner;
use crate::terraform::configuration::{Configuration, Instance, Mode, Wanted};
use crate::terraform::evaluation::shown;
use crate::terraform::failure::Failure;
use crate::terraform::module::Module;
use crate::terraform::module::block::Declared;
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{Origin, Value};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// The most instances of a root module.
const MAX_INSTANCES: usize = 50_000;

/// The calls that lead to a module.
#[derive(Clone, Default)]
struct Path {
    /// Their names, with the keys of their instances.
    calls: Vec<(Text, String)>,
    /// What repeats them.
    levels: Vec<Repetition>,
    /// The places that decide about them.
    shaping: Vec<Origin>,
}

impl Path {
    /// A call or a block of the module that has no instance. A collection decides about that with everything that it is made of.
    fn absent(&self, block: Text, level: &Repetition, shaping: &[Origin]) -> Absent {
        let address = Address { modules: self.calls.clone(), block, key: String::new() };
        let mut shaping = [&self.shaping[..], shaping].concat();
        level.value.prov.for_each_input(&mut |origin| shaping.push(origin));
        Absent { name: address.to_string().into(), shaping }
    }
}

impl Evaluation<'_, '_> {
    /// Evaluates the root module with everything that it calls.
    pub(super) fn run(&self) -> Configuration {
        let root = Rc::new(Frame::new(0, 0, None));
        self.visit(&root);
        let (mut found, mut addresses) = (Configuration::default(), Vec::new());
        match self.wanted {
            Wanted::Values => {
                self.collect(&root, &Path::default(), &Moves::of(self.statics), &mut found);
                found.instances.sort_by(|a, b| a.address.cmp(&b.address));
                let addresses = found.instances.iter().map(|instance| &instance.address).collect();
                self.imports(&root, &addresses);
                self.moved_instances(&addresses);
            }
            Wanted::Failures => {
                self.addresses(&root, &[], &mut addresses);
                let addresses = addresses.iter().collect();
                self.imports(&root, &addresses);
                self.moved_instances(&addresses);
            }
        }
        let outputs = self.root_outputs(&root);
        Configuration { outputs, failures: self.take_failures(), ..found }
    }

    /// Evaluates everything in a module, and in those that it calls.
    fn visit(&self, frame: &Rc<Frame>) {
        let module = self.module(frame);
        if At::module(frame).is_certain() {
            self.evaluated.borrow_mut().modules.insert((&*module.dir).into());
        }
        for name in module.variables.keys().filter(|name| self.includes(frame, || Owner::Variable((*name).clone()))) {
            self.variable(frame, name);
            self.validations(frame, name);
        }
        for name in module.locals.keys().filter(|name| self.includes(frame, || Owner::Local((*name).clone()))) {
            self.local(frame, name);
        }
        for (address, declared) in self.resources(frame, &module) {
            let before = self.failed();
            if let Some(block) = self.block(frame, address) {
                self.note_evaluated(frame, &module.dir, address, &block);
                self.lifecycle(frame, declared, &block, self.failed() > before);
            }
        }
        let mut seen = HashSet::new();
        for name in module.calls.keys().filter(|name| self.enters(frame, name)) {
            let Some(called) = self.call(frame, name) else { continue };
            if called.frames.iter().any(|(_, child)| At::module(child).is_certain()) {
                self.evaluated.borrow_mut().calls.insert(((&*module.dir).into(), name.clone()));
            }
            for (_, child) in &called.frames {
                // Instances whose inputs are the same share what they are made of.
                if seen.insert(child.id) {
                    self.visit(child);
                }
            }
        }
        let outputs = module.outputs.iter();
        for (name, declared) in outputs.filter(|(name, _)| self.includes(frame, || Owner::Output((*name).clone()))) {
            self.output(frame, name);
            self.preconditions(&At::module(frame), declared, "precondition");
        }
        self.providers(frame);
        if self.includes(frame, || Owner::Other) {
            self.configurations(frame);
        }
        let checks = module.checks.iter();
        for (_, declared) in checks.filter(|(name, _)| self.includes(frame, || Owner::Check((*name).clone()))) {
            self.assertions(frame, declared);
        }
    }

    /// The resources of a module that are evaluated by themselves.
    pub(super) fn resources<'m>(
        &'m self,
        frame: &'m Frame,
        module: &'m Module,
    ) -> impl Iterator<Item = (&'m Text, &'m Declared)> {
        let all = module.resources.iter();
        all.filter(|(address, _)| self.includes(frame, || Owner::Resource((*address).clone())))
    }

    /// Notes what is evaluated for certain.
    fn note_evaluated(&self, frame: &Rc<Frame>, dir: &str, address: &Text, block: &Expanded) {
        let is_certain = |(repeat, _): &(Repeat, Planned)| At { repeat, ..At::module(frame) }.is_certain();
        if block.planned.iter().any(is_certain) {
            self.evaluated.borrow_mut().resources.insert((dir.into(), address.clone()));
        }
    }

    /// The instances in a module, and in those that it calls, with their addresses.
    fn collect(&self, frame: &Rc<Frame>, path: &Path, moves: &Moves, into: &mut Configuration) {
        let module = self.module(frame);
        for (address, declared) in self.resources(frame, &module) {
            let Some(block) = self.block(frame, address) else { continue };
            let (level, shaping) = self.repetition(frame, declared);
            let protection = self.protection(frame, declared, !block.planned.is_empty());
            let readings: Rc<[Reading]> = self.readings(frame, &path.calls, declared).into();
            if block.planned.is_empty() {
                into.absent.push(path.absent(address.clone(), &level, &shaping));
            }
            for (repeat, planned) in &block.planned {
                if self.is_full(into.instances.len(), declared) {
                    return;
                }
                let own = Address { modules: path.calls.clone(), block: address.clone(), key: repeat.suffix() };
                let level = repeat.of(&level);
                into.instances.push(Instance {
                    mode: Mode::of(address),
                    former: moves.former(&own),
                    address: own,
                    levels: path.levels.iter().cloned().chain([level]).collect(),
                    value: planned.value.clone(),
                    place: declared.place,
                    shaping: path.shaping.iter().chain(&shaping).copied().chain(repeat.origins()).collect(),
                    manager: self.manager(frame, repeat, address, declared),
                    protection: protection.clone(),
                    readings: Rc::clone(&readings),
                });
            }
        }
        for (name, declared) in module.calls.iter().filter(|(name, _)| self.enters(frame, name)) {
            let Some(called) = self.call(frame, name) else { continue };
            let (level, shaping) = self.repetition(frame, declared);
            if called.repeats.is_empty() {
                into.absent.push(path.absent(format!("module.{name}").into(), &level, &shaping));
            }
            for (repeat, child) in &called.frames {
                if self.is_full(into.instances.len(), declared) {
                    return;
                }
                let own = [shown::origin(declared.place)].into_iter().chain(shaping.iter().copied());
                let mut inner = path.clone();
                inner.calls.push((name.clone(), repeat.suffix()));
                inner.levels.push(repeat.of(&level));
                inner.shaping.extend(own.chain(repeat.origins()));
                self.collect(child, &inner, moves, into);
            }
        }
    }

    /// The addresses of the instances in a module, and in those that it calls.
    fn addresses(&self, frame: &Rc<Frame>, calls: &[(Text, String)], into: &mut Vec<Address>) {
        let module = self.module(frame);
        for (address, declared) in &module.resources {
            let Some(block) = self.block(frame, address) else { continue };
            self.protection(frame, declared, !block.planned.is_empty());
            for (repeat, _) in &block.planned {
                if self.is_full(into.len(), declared) {
                    return;
                }
                into.push(Address { modules: calls.to_vec(), block: address.clone(), key: repeat.suffix() });
            }
        }
        for (name, declared) in &module.calls {
            let Some(called) = self.call(frame, name) else { continue };
            for (repeat, child) in &called.frames {
                if self.is_full(into.len(), declared) {
                    return;
                }
                let calls: Vec<_> = calls.iter().cloned().chain([(name.clone(), repeat.suffix())]).collect();
                self.addresses(child, &calls, into);
            }
        }
    }

    /// Whether there are as many instances as a root module may have, which is reported.
    fn is_full(&self, count: usize, declared: &Declared) -> bool {
        if count < MAX_INSTANCES {
            return false;
        }
        let message = format!("the root module has more than {MAX_INSTANCES} instances of resources");
        self.report(Failure::new(&rules::LIMIT_EXCEEDED, message, declared.place).hiding());
        true
    }

    /// What repeats a block, without a key, and the places that decide how often it is there; of collections, which are about
    /// single instances, only where they are given.
    fn repetition(&self, frame: &Rc<Frame>, declared: &Declared) -> (Repetition, Vec<Origin>) {
        let Some((argument, written)) = repeated(declared) else { return Default::default() };
        let evaluated = self.value(&At::module(frame), &written);
        let value = self.shown(&At::module(frame), &written, &evaluated);
        let level = Repetition {
            argument: argument.into(),
            adopts_single: argument != FOR_EACH,
            value: value.clone(),
            ..Repetition::default()
        };
        if evaluated.as_items().is_some() || evaluated.as_entries().is_some() {
            return (level, vec![Origin { end: written.expr.span.start, ..shown::origin(written.argument()) }]);
        }
        let argument = shown::origin(written.argument());
        let is_inside = |origin: &Origin| {
            origin.file == argument.file && argument.start <= origin.key && origin.end <= argument.end
        };
        let mut found = vec![argument];
        value.prov.for_each_input(&mut |origin| found.extend(Some(origin).filter(|origin| !is_inside(origin))));
        (level, found)
    }

    /// What `prevent_destroy` of a resource is; null without it. It may be null as long as nothing is destroyed. Without an instance only
    /// a constant is examined.
    fn protection(&self, frame: &Rc<Frame>, declared: &Declared, has_instances: bool) -> Value {
        let (at, written) = (At::module(frame), lifecycle(declared, "prevent_destroy"));
        let Some(written) = written.filter(|written| has_instances || walk::references(&written.expr).is_empty())
        else {
            return Value::default();
        };
        let value = self.value(&at, &written);
        let wrong = match convert(&value, &Type::Bool) {
            _ if value.is_failed() => None,
            Ok(value) if value.marks.has(Marks::SENSITIVE) => Some("the value is sensitive".to_owned()),
            Ok(value) if value.marks.has(Marks::EPHEMERAL) => Some("the value is ephemeral".to_owned()),
            Ok(_) => None,
            Err(why) => Some(why.text()),
        };
        if let Some(why) = wrong {
            let message = format!("invalid prevent_destroy: {why}");
            self.report_at(&at, Failure::new(&rules::INVALID_VALUE, message, written.place()));
        }
        self.shown(&at, &written, &value)
    }

    /// The outputs of the root module.
    fn root_outputs(&self, root: &Rc<Frame>) -> BTreeMap<Text, Value> {
        let module = self.module(root);
        let mut outputs = BTreeMap::new();
        let all = module.outputs.iter();
        for (name, declared) in all.filter(|(name, _)| self.includes(root, || Owner::Output((*name).clone()))) {
            let Some(written) = declared.arguments.get("value") else { continue };
            let value = self.output(root, name);
            self.exposed(name, declared, &value);
            outputs.insert(name.clone(), self.shown(&At::module(root), written, &value));
        }
        outputs
    }

    /// Reports an output of the root module whose value must not be shown or stored.
    pub(super) fn exposed(&self, name: &str, declared: &Declared, value: &Val) {
        let Some(written) = declared.arguments.get("value") else { return };
        let is_hidden = declared.arguments.get("sensitive").is_some_and(|written| !written.is_false());
        if value.all_marks().has(Marks::SENSITIVE) && !is_hidden {
            let message = format!(
                "output refers to sensitive values: output \"{name}\" needs `sensitive = true`, or nonsensitive()"
            );
            self.report(Failure::new(&rules::SENSITIVE, message, declared.place));
        }
        if value.all_marks().has(Marks::EPHEMERAL) {
            let message = format!("output \"{name}\" of the root module refers to ephemeral values");
            self.report(Failure::new(&rules::SENSITIVE, message, written.place()));
        }
    }
}
