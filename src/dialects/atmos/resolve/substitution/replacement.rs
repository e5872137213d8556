//! Replaces places and values in components.

use super::{Dependent, MAX_DEPTH, Substitution};
use crate::resolution::{Component, ComponentMetadata, Derived, Differing, Inputs, Link, ShapingOrigins, StatePlace};
use crate::value::{Data, Map, Origin, Prov, Rewrite, Trail, Value};
use std::sync::Arc;

/// Something with everything replaced; `None` if nothing is.
type Replaced<T> = Result<Option<T>, Dependent>;

impl Substitution {
    /// Returns a component with all places and values replaced.
    pub(super) fn component(&mut self, component: &Arc<Component>) -> Result<Component, Dependent> {
        let mut out = Component::clone(component);
        let differing = self.replace(&mut out.value)?;
        if let Some(locals) = &mut out.locals {
            self.replace(locals)?;
        }
        let own: Result<Vec<Origin>, Dependent> =
            component.shaping_origins.own.iter().map(|o| self.place(*o)).collect();
        out.shaping_origins = ShapingOrigins::from(own?);
        let has_same_state = self.metadata(&mut out.metadata)?;
        let is_derived = has_same_state && has_only_inputs(component, &differing);
        out.metadata.derived = is_derived.then(|| Derived::new(component, differing));
        Ok(out)
    }

    /// Replaces everything in a value, and returns what differs then.
    fn replace(&mut self, value: &mut Value) -> Result<Differing, Dependent> {
        let Some((new, differing)) = self.at_depth(value, MAX_DEPTH)? else { return Ok(Differing::Nothing) };
        *value = new;
        Ok(differing)
    }

    /// Replaces everything in metadata. Returns whether the state is where it was. All fields are named, so that a new one
    /// cannot be forgotten.
    fn metadata(&mut self, metadata: &mut ComponentMetadata) -> Result<bool, Dependent> {
        let ComponentMetadata {
            is_abstract: _,
            is_disabled: _,
            is_locked: _,
            code,
            is_module: _,
            called,
            inputs: Inputs { all, evaluate: _, authored, given: _, reserved: _, is_open: _ },
            state,
            workspace: _,
            links,
            has_valid_calls: _,
            needed,
            bases,
            former_names: _,
            released: _,
            shares_state: _,
            encryption,
            derived: _,
        } = metadata;
        if called.is_some() || !needed.is_empty() || !encryption.is_empty() {
            return Err(Dependent);
        }
        if let Some(code) = code {
            self.replace_place(&mut code.origin)?;
        }
        for map in authored.iter_mut().chain([all]) {
            self.replace_map(map)?;
        }
        let mut has_same_state = true;
        if let Some(StatePlace { backend: _, settings, origin, authored: _, is_separate: _ }) = state {
            has_same_state = self.replace_map(settings)?.is_nothing();
            self.replace_place(origin)?;
        }
        let mut replaced = links.to_vec();
        for Link { how: _, by: _, component: _, kind: _, stack: _, reads: _, is_optional: _, origin, stack_origin } in
            &mut replaced
        {
            self.replace_place(&mut origin.0)?;
            self.replace_place(&mut stack_origin.0)?;
        }
        *links = replaced.into();
        bases.iter_mut().try_for_each(|base| self.replace_place(&mut base.origin))?;
        Ok(has_same_state)
    }

    fn replace_map(&mut self, map: &mut Arc<Map>) -> Result<Differing, Dependent> {
        let Some((new, differing)) = self.map(map, MAX_DEPTH)? else { return Ok(Differing::Nothing) };
        *map = new;
        Ok(differing)
    }

    fn replace_place(&self, place: &mut Option<Origin>) -> Result<(), Dependent> {
        if let Some(old) = place {
            *old = self.place(*old)?;
        }
        Ok(())
    }

    /// Where something is now: a value, or a key alone.
    fn place(&self, old: Origin) -> Result<Origin, Dependent> {
        match self.moved(old)? {
            Some((now, _)) => Ok(now),
            None => Ok(old),
        }
    }

    /// Where something in an outdated file is now, and the value before and now, if it changed; `None` for other files.
    #[inline]
    fn moved(&self, old: Origin) -> Replaced<(Origin, Option<&(Data, Data)>)> {
        if !self.is_outdated(old.file) {
            return Ok(None);
        }
        if let Some(place) = self.places.get(&old) {
            return Ok(Some((place.now, place.change.as_ref())));
        }
        let (file, key) = *self.keys.get(&(old.file, old.key)).filter(|_| old.start == old.key).ok_or(Dependent)?;
        Ok(Some((Origin { file, key, start: key, end: key + (old.end - old.start) }, None)))
    }

    /// Whether a value is a scalar that nothing is replaced in, as most are.
    #[inline]
    fn stays(&self, value: &Value) -> bool {
        let Value { data, prov: Prov { origin, trail } } = value;
        trail.is_none()
            && !matches!(data, Data::Map(_) | Data::List(_))
            && origin.is_none_or(|origin| !self.is_outdated(origin.file))
    }

    fn at_depth(&mut self, value: &Value, depth: usize) -> Replaced<(Value, Differing)> {
        let below = depth.checked_sub(1).ok_or(Dependent)?;
        let (mut data, mut place) = (None, None);
        if let Some(old) = value.prov.origin
            && let Some((now, change)) = self.moved(old)?
        {
            place = Some(now);
            if let Some((before, after)) = change.filter(|_| !matches!(value.data, Data::Map(_) | Data::List(_))) {
                // The value of a variable that changed must be the one that was written.
                if *before != value.data {
                    return Err(Dependent);
                }
                data = Some((after.clone(), Differing::Value));
            }
        }
        match &value.data {
            Data::Map(map) => data = self.map(map, below)?.map(|(map, differing)| (Data::Map(map), differing)),
            Data::List(items) => {
                data = self.list(items, below)?.map(|(items, differing)| (Data::List(items), differing))
            }
            _ => {}
        }
        let trail = match &value.prov.trail {
            Some(trail) => self.trail(trail, below)?,
            None => None,
        };
        if data.is_none() && place.is_none() && trail.is_none() {
            return Ok(None);
        }
        let (data, differing) = data.unwrap_or_else(|| (value.data.clone(), Differing::Nothing));
        Ok(Some((Value { data, prov: replaced(&value.prov, place, trail) }, differing)))
    }

    fn map(&mut self, map: &Arc<Map>, depth: usize) -> Replaced<(Arc<Map>, Differing)> {
        let is_shared = Arc::strong_count(map) > 1;
        if is_shared && let Some(known) = self.maps.get(&Arc::as_ptr(map).addr()) {
            return Ok(known.clone());
        }
        let (mut number, mut differing) = (0, Vec::new());
        let replace = |value: &Value| {
            let own = number;
            number += 1;
            if self.stays(value) {
                return Ok(None);
            }
            let replaced = self.at_depth(value, depth)?;
            Ok(replaced.map(|(value, parts)| {
                if !parts.is_nothing() {
                    differing.push((own, parts));
                }
                value
            }))
        };
        let out = map.with_values(replace)?.map(Arc::new);
        let out = out.map(|map| (map, Differing::of_entries(differing)));
        if is_shared {
            self.maps.insert(Arc::as_ptr(map).addr(), out.clone());
        }
        Ok(out)
    }

    fn list(&mut self, items: &Arc<Vec<Value>>, depth: usize) -> Replaced<(Arc<Vec<Value>>, Differing)> {
        let is_shared = Arc::strong_count(items) > 1;
        if is_shared && let Some(known) = self.lists.get(&Arc::as_ptr(items).addr()) {
            return Ok(known.clone());
        }
        let (mut out, mut differing): (Option<Vec<Value>>, _) = (None, Differing::Nothing);
        for (i, item) in items.iter().enumerate() {
            if let Some((value, parts)) = self.at_depth(item, depth)? {
                out.get_or_insert_with(|| (**items).clone())[i] = value;
                if !parts.is_nothing() {
                    differing = Differing::Value;
                }
            }
        }
        let out = out.map(|items| (Arc::new(items), differing));
        if is_shared {
            self.lists.insert(Arc::as_ptr(items).addr(), out.clone());
        }
        Ok(out)
    }

    fn prov_at_depth(&mut self, prov: &Prov, depth: usize) -> Replaced<Prov> {
        let place = match prov.origin {
            Some(old) => self.moved(old)?.map(|(now, _)| now),
            None => None,
        };
        let trail = match &prov.trail {
            Some(trail) => self.trail(trail, depth)?,
            None => None,
        };
        Ok((place.is_some() || trail.is_some()).then(|| replaced(prov, place, trail)))
    }

    fn trail(&mut self, trail: &Arc<Trail>, depth: usize) -> Replaced<Arc<Trail>> {
        let below = depth.checked_sub(1).ok_or(Dependent)?;
        let is_shared = Arc::strong_count(trail) > 1;
        if is_shared && let Some(known) = self.trails.get(&Arc::as_ptr(trail).addr()) {
            return Ok(known.clone());
        }
        let out = trail.rewrite(&mut AtDepth { substitution: self, depth: below })?.map(Arc::new);
        if is_shared {
            self.trails.insert(Arc::as_ptr(trail).addr(), out.clone());
        }
        Ok(out)
    }
}

/// A provenance with another place and another history, if there are such.
fn replaced(prov: &Prov, place: Option<Origin>, trail: Option<Arc<Trail>>) -> Prov {
    Prov { origin: place.or(prov.origin), trail: trail.or_else(|| prov.trail.clone()) }
}

/// Whether only inputs of a component differ.
fn has_only_inputs(component: &Component, differing: &Differing) -> bool {
    let entries = component.value.as_map().map_or(&[][..], |map| map.iter().as_slice());
    let is_input = |number: u32| {
        entries.get(number as usize).is_some_and(|entry| *entry.key == *component.language.vocabulary.inputs)
    };
    match differing {
        Differing::Nothing => true,
        Differing::Value => false,
        Differing::Entries(parts) => parts.iter().all(|(number, _)| is_input(*number)),
    }
}

/// Replaces the parts of a history.
struct AtDepth<'a> {
    substitution: &'a mut Substitution,
    depth: usize,
}

impl Rewrite for AtDepth<'_> {
    type Error = Dependent;

    fn value(&mut self, value: &Value) -> Replaced<Value> {
        Ok(self.substitution.at_depth(value, self.depth)?.map(|(value, _)| value))
    }

    /// A value that was computed from one that changed is another one.
    fn input(&mut self, input: &Prov) -> Replaced<Prov> {
        let place = input.origin.filter(|origin| self.substitution.is_outdated(origin.file));
        let known = place.and_then(|origin| self.substitution.places.get(&origin));
        if known.is_some_and(|known| known.change.is_some()) {
            return Err(Dependent);
        }
        self.substitution.prov_at_depth(input, self.depth)
    }
}
