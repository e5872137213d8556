//! Values of instances as components show them, and what names mean in instances, for what values that are not known are made of.

use crate::hcl::ast::{Expr, ExprKind, Key, Span, TraversalStep};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Val};
use crate::terraform::configuration::Wanted;
use crate::terraform::configuration::expansion::{Repeat, repeated};
use crate::terraform::configuration::frame::{At, Evaluation, Frame, Iterator};
use crate::terraform::configuration::names::{is_repeated, repeat_value};
use crate::terraform::evaluation::followed::Followed;
use crate::terraform::evaluation::made_of::{MAX_NAMES, Meanings, Repeated, Which, entry, find, has_key, shown_steps};
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::parts::{unknown_parts, with_sources};
use crate::terraform::evaluation::shown::{self, Source};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::block::{Declared, Written};
use crate::text::Text;
use crate::value::{self, FileId, Flags, Prov, Unknown, Value};
use std::rc::Rc;
use std::sync::Arc;

/// An instance of a module, and of the block in it in which an expression is.
#[derive(Clone)]
pub(super) struct InInstance {
    frame: Rc<Frame>,
    repeat: Repeat,
    /// Its number among the instances of its block.
    index: usize,
    /// The expression that gives `each` and `count`.
    repeated_by: Option<Written>,
    /// The iterators of the dynamic blocks around it, the innermost last.
    iterators: Rc<[Iterator]>,
}

impl InInstance {
    pub(super) fn new(at: &At<'_>) -> Self {
        let (repeat, repeated_by) = (at.repeat.clone(), at.repeated_by.cloned());
        InInstance { frame: Rc::clone(at.frame), repeat, index: 0, repeated_by, iterators: at.iterators.into() }
    }

    /// Outside of anything that is repeated.
    fn module(frame: &Rc<Frame>) -> Self {
        let (repeat, iterators) = (Repeat::None, Rc::default());
        InInstance { frame: Rc::clone(frame), repeat, index: 0, repeated_by: None, iterators }
    }
}

/// Which instances are read.
enum Meant {
    Any,
    /// That with this key, which is an index if it is a number.
    Key(Text, Option<usize>),
}

impl Meant {
    /// Whether it may be this instance.
    fn has(&self, repeat: &Repeat) -> bool {
        match (self, repeat) {
            (Meant::Any, _) | (_, Repeat::AnyCount(_) | Repeat::AnyEach(_)) => true,
            (Meant::Key(key, _), Repeat::Each(name, _)) => key == name,
            (Meant::Key(_, index), Repeat::Count(own)) => *index == Some(*own),
            (Meant::Key(..), Repeat::None | Repeat::Item(..)) => false,
        }
    }
}

impl Evaluation<'_, '_> {
    /// A value as components show it.
    pub(super) fn shown(&self, at: &At<'_>, written: &Written, value: &Val) -> Value {
        if self.wanted == Wanted::Failures {
            return Value::default();
        }
        let exported = crate::hcl::val::export::export_at(value, &shown::at(written));
        if !exported.holds(Flags::UNKNOWN) {
            return exported;
        }
        let mut source = |written: &Written| {
            let make = || {
                let made_of = find(self, &InInstance::new(at), written);
                let (mut unknown, places) = shown::unknown(self.statics, &[], written, made_of);
                unknown.is_marked = true;
                (unknown, places)
            };
            let (Span { start, end }, is_repeated) = (written.expr.span, is_repeated(&written.expr));
            // A name means the same wherever it is read in a module, but for those that each block has of its own.
            let (start, name) = match &written.expr.kind {
                ExprKind::Traversal(_, steps) if is_repeated => (start, shown_steps(steps)),
                ExprKind::Traversal(root, steps) => (end - start, format!("{}{}", root.text, shown_steps(steps))),
                _ => (start, String::new()),
            };
            self.source(at, (written.file, start), (is_repeated, name), make)
        };
        if !self.followed.take_unknown(unknown_parts(&exported, usize::MAX)) {
            let source = source(written);
            let prov = shown::at(written).with_inputs(source.places.iter().cloned());
            let reasons = vec!["it is one of more unknown values than are told apart".into()];
            let whole = Unknown { reasons, ..source.unknown.clone() };
            return Value { data: value::Data::Unknown(Arc::new(whole)), prov };
        }
        let has_key = |expr: &Expr, key: &str| has_key(self, &InInstance::new(at), expr, key);
        with_sources(&exported, value, written, (&mut source, &has_key))
    }

    /// What is unknown at a place, or under a name, and what that is made of, computed once: for each instance if it reads what
    /// differs between them.
    pub(super) fn source(
        &self,
        at: &At<'_>,
        (file, start): (FileId, u32),
        (is_repeated, name): (bool, String),
        make: impl FnOnce() -> (Unknown, Vec<Prov>),
    ) -> Rc<Source> {
        // The content of a dynamic block reads its own element.
        if !at.iterators.is_empty() {
            return Rc::new(Source::new(make()));
        }
        let key = (at.frame.id, file, start, if is_repeated { at.repeat.suffix() + &name } else { name });
        let known = self.sources.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let made = Rc::new(Source::new(make()));
            self.sources.borrow_mut().insert(key, Rc::clone(&made));
            made
        })
    }

    /// Goes through the instances of a resource or of a module call; `None` for what is not declared.
    fn with_repeats<T>(
        &self,
        at: &InInstance,
        address: &Text,
        see: impl FnOnce(&mut dyn std::iter::Iterator<Item = &Repeat>) -> T,
    ) -> Option<T> {
        Some(match address.strip_prefix("module.") {
            Some(call) => see(&mut self.call(&at.frame, &call.into())?.repeats.iter()),
            None => see(&mut self.block(&at.frame, address)?.planned.iter().map(|(repeat, _)| repeat)),
        })
    }

    /// Which instances a reference may mean.
    fn meant(&self, at: &InInstance, file: FileId, which: Which<'_>) -> Meant {
        let key = match which {
            Which::All => return Meant::Any,
            Which::Key(Key::Text(text)) => Val::str(text.clone()),
            Which::Key(Key::Number(number)) => Val::from(Data::Number(number.clone())),
            Which::Computed(expr) => {
                let InInstance { frame, repeat, iterators, .. } = at;
                let at = At { repeat, iterators, ..At::module(frame) };
                let written = Written { file, span: expr.span, expr: Arc::new(expr.clone()) };
                self.silently(|| self.value(&at, &written))
            }
        };
        let key = convert(&key, &Type::Str).ok();
        match key.as_ref().and_then(Val::as_str) {
            Some(key) => Meant::Key(key.clone(), key.parse().ok()),
            None => Meant::Any,
        }
    }
}

impl Meanings for Evaluation<'_, '_> {
    type At = InInstance;

    fn followed(&self) -> &Followed {
        &self.followed
    }

    fn statics(&self) -> &Statics<'_> {
        self.statics
    }

    fn node(&self, at: &InInstance) -> usize {
        at.frame.node
    }

    fn prefix(&self, at: &InInstance) -> String {
        let (mut calls, mut frame) = (Vec::new(), &at.frame);
        while let Some((caller, call, repeat)) = &frame.caller {
            calls.push(format!("module.{call}{}", repeat.suffix()));
            frame = caller;
        }
        calls.reverse();
        if calls.is_empty() { String::new() } else { format!("{}:", calls.join(".")) }
    }

    fn key(&self, at: &InInstance) -> String {
        at.repeat.suffix()
    }

    fn local(&self, at: &InInstance, name: &Text) -> Option<Val> {
        Some(Evaluation::local(self, &at.frame, name))
    }

    fn variable(&self, at: &InInstance, name: &Text) -> Option<Val> {
        Some(Evaluation::variable(self, &at.frame, name))
    }

    fn output(&self, at: &InInstance, name: &Text) -> Option<Val> {
        Some(Evaluation::output(self, &at.frame, name))
    }

    fn attribute(&self, at: &InInstance, address: &str, name: &Text) -> Option<Val> {
        if let Some(call) = address.strip_prefix("module.") {
            let module = self.module(&at.frame);
            let written = module.calls.get(call)?.arguments.get(name)?;
            let InInstance { frame, repeat, iterators, .. } = at;
            return Some(self.silently(|| self.value(&At { repeat, iterators, ..At::module(frame) }, written)));
        }
        let block = self.block(&at.frame, &address.into())?;
        let (_, planned) = block.planned.get(at.index)?;
        entry(&planned.val, name).cloned()
    }

    fn blocks(&self, at: &InInstance, address: &str, kind: &Text) -> Option<Value> {
        let block = self.block(&at.frame, &address.into())?;
        let (_, planned) = block.planned.get(at.index)?;
        planned.value.get(kind).filter(|blocks| !blocks.holds(Flags::UNKNOWN)).cloned()
    }

    fn argument(&self, at: &InInstance, name: &Text) -> Option<(InInstance, Written)> {
        let (caller, call, repeat) = at.frame.caller.as_ref()?;
        let module = self.module(caller);
        let declared = module.calls.get(call)?;
        let repeated_by = repeated(declared).map(|(_, written)| written);
        let at = InInstance { repeat: repeat.clone(), repeated_by, ..InInstance::module(caller) };
        Some((at, declared.arguments.get(name)?.clone()))
    }

    fn called(&self, at: &InInstance, file: FileId, call: &Text, which: Which<'_>) -> Option<Vec<InInstance>> {
        let called = self.call(&at.frame, call).filter(|called| called.is_here)?;
        let meant = self.meant(at, file, which);
        let frames = called.frames.iter().filter(|(repeat, _)| meant.has(repeat));
        Some(frames.map(|(_, frame)| InInstance::module(frame)).take(MAX_NAMES + 1).collect())
    }

    fn instances(
        &self,
        at: &InInstance,
        file: FileId,
        (address, declared): (&Text, &Declared),
        which: Which<'_>,
    ) -> Vec<InInstance> {
        let (meant, repeated_by) = (self.meant(at, file, which), repeated(declared).map(|(_, written)| written));
        let instance = |(index, repeat): (usize, &Repeat)| {
            let (repeat, repeated_by) = (repeat.clone(), repeated_by.clone());
            InInstance { repeat, index, repeated_by, ..InInstance::module(&at.frame) }
        };
        self.with_repeats(at, address, |repeats| {
            let all = repeats.enumerate().filter(|(_, repeat)| meant.has(repeat));
            all.map(instance).take(MAX_NAMES + 1).collect()
        })
        .unwrap_or_default()
    }

    fn keys(&self, at: &InInstance, address: &Text) -> Option<String> {
        self.with_repeats(at, address, |repeats| {
            let key = |repeat: &Repeat| repeat.is_certain().then(|| repeat.suffix());
            repeats.map(key).collect::<Option<String>>()
        })?
    }

    fn repeated(&self, at: &InInstance, root: &str, steps: &[TraversalStep]) -> Option<Repeated<InInstance>> {
        if let Some(index) = at.iterators.iter().rposition(|iterator| &*iterator.name == root) {
            let Iterator { value, for_each, .. } = &at.iterators[index];
            let around = || InInstance { iterators: at.iterators[..index].into(), ..at.clone() };
            let from = for_each.as_ref().map(|written| (around(), written.clone()));
            return Some(Repeated { value: Some((value.clone(), 0)), from });
        }
        let Some(TraversalStep::Attribute(name)) = steps.first() else { return None };
        let value = repeat_value(&at.repeat, root, &name.text)?;
        let from = at.repeated_by.as_ref().map(|written| (InInstance::module(&at.frame), written.clone()));
        Some(Repeated { value: Some((value, 1)), from })
    }

    fn named_files(&self, at: &InInstance, written: &Written) -> NamedFiles {
        self.statics.named_files(at.frame.node, written)
    }
}
