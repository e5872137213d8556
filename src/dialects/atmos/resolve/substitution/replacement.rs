//! Replaces places and values in components.

use super::{Dependent, MAX_DEPTH, Substitution};
use crate::resolution::{Component, ComponentMetadata, Inputs, Link, ShapingOrigins, StatePlace};
use crate::value::{Data, Map, Origin, Prov, Rewrite, Trail, Value};
use std::sync::Arc;

/// Something with everything replaced; `None` if nothing is.
type Replaced<T> = Result<Option<T>, Dependent>;

impl Substitution {
    /// Returns a component with all places and values replaced.
    pub(super) fn component(&mut self, component: &Component) -> Result<Component, Dependent> {
        let mut out = component.clone();
        self.replace(&mut out.value)?;
        if let Some(locals) = &mut out.locals {
            self.replace(locals)?;
        }
        let own: Result<Vec<Origin>, Dependent> =
            component.shaping_origins.own.iter().map(|o| self.place(*o)).collect();
        out.shaping_origins = ShapingOrigins::from(own?);
        self.metadata(&mut out.metadata)?;
        Ok(out)
    }

    fn replace(&mut self, value: &mut Value) -> Result<(), Dependent> {
        if let Some(new) = self.at_depth(value, MAX_DEPTH)? {
            *value = new;
        }
        Ok(())
    }

    /// All fields are named, so that a new one cannot be forgotten.
    fn metadata(&mut self, metadata: &mut ComponentMetadata) -> Result<(), Dependent> {
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
        if let Some(StatePlace { backend: _, settings, origin, authored: _, is_separate: _ }) = state {
            self.replace_map(settings)?;
            self.replace_place(origin)?;
        }
        for Link { how: _, by: _, component: _, kind: _, stack: _, reads: _, is_optional: _, origin, stack_origin } in
            links
        {
            self.replace_place(origin)?;
            self.replace_place(stack_origin)?;
        }
        bases.iter_mut().try_for_each(|base| self.replace_place(&mut base.origin))
    }

    fn replace_map(&mut self, map: &mut Arc<Map>) -> Result<(), Dependent> {
        if let Some(new) = self.map(map, MAX_DEPTH)? {
            *map = new;
        }
        Ok(())
    }

    fn replace_place(&self, place: &mut Option<Origin>) -> Result<(), Dependent> {
        if let Some(old) = place {
            *old = self.place(*old)?;
        }
        Ok(())
    }

    /// Where something is now: a value, or a key alone.
    fn place(&self, old: Origin) -> Result<Origin, Dependent> {
        if !self.is_outdated(old.file) {
            return Ok(old);
        }
        if let Some(place) = self.places.get(&old) {
            return Ok(place.now);
        }
        let (file, key) = *self.keys.get(&(old.file, old.key)).filter(|_| old.start == old.key).ok_or(Dependent)?;
        Ok(Origin { file, key, start: key, end: key + (old.end - old.start) })
    }

    /// Whether a value is a scalar that nothing is replaced in, as most are.
    #[inline]
    fn stays(&self, value: &Value) -> bool {
        let Value { data, prov: Prov { origin, trail } } = value;
        trail.is_none()
            && !matches!(data, Data::Map(_) | Data::List(_))
            && origin.is_none_or(|origin| !self.is_outdated(origin.file))
    }

    fn at_depth(&mut self, value: &Value, depth: usize) -> Replaced<Value> {
        let below = depth.checked_sub(1).ok_or(Dependent)?;
        let data = match &value.data {
            Data::Map(map) => self.map(map, below)?.map(Data::Map),
            Data::List(items) => self.list(items, below)?.map(Data::List),
            data => self.scalar(data, value.prov.origin)?,
        };
        let prov = self.prov_at_depth(&value.prov, below)?;
        if data.is_none() && prov.is_none() {
            return Ok(None);
        }
        let (data, prov) = (data.unwrap_or_else(|| value.data.clone()), prov.unwrap_or_else(|| value.prov.clone()));
        Ok(Some(Value { data, prov }))
    }

    fn map(&mut self, map: &Arc<Map>, depth: usize) -> Replaced<Arc<Map>> {
        let is_shared = Arc::strong_count(map) > 1;
        if is_shared && let Some(known) = self.maps.get(&Arc::as_ptr(map).addr()) {
            return Ok(known.clone());
        }
        let replace = |value: &Value| if self.stays(value) { Ok(None) } else { self.at_depth(value, depth) };
        let out = map.with_values(replace)?.map(Arc::new);
        if is_shared {
            self.maps.insert(Arc::as_ptr(map).addr(), out.clone());
        }
        Ok(out)
    }

    fn list(&mut self, items: &Arc<Vec<Value>>, depth: usize) -> Replaced<Arc<Vec<Value>>> {
        let is_shared = Arc::strong_count(items) > 1;
        if is_shared && let Some(known) = self.lists.get(&Arc::as_ptr(items).addr()) {
            return Ok(known.clone());
        }
        let mut out: Option<Vec<Value>> = None;
        for (i, item) in items.iter().enumerate() {
            if let Some(value) = self.at_depth(item, depth)? {
                out.get_or_insert_with(|| (**items).clone())[i] = value;
            }
        }
        let out = out.map(Arc::new);
        if is_shared {
            self.lists.insert(Arc::as_ptr(items).addr(), out.clone());
        }
        Ok(out)
    }

    /// The data that replace those of a scalar: the value of a variable that changed must be the one that was written.
    fn scalar(&self, data: &Data, place: Option<Origin>) -> Replaced<Data> {
        let Some(place) = place.filter(|place| self.is_outdated(place.file)) else { return Ok(None) };
        match self.places.get(&place).and_then(|known| known.change.as_ref()) {
            Some((old, new)) if old == data => Ok(Some(new.clone())),
            Some(_) => Err(Dependent),
            None => Ok(None),
        }
    }

    fn prov_at_depth(&mut self, prov: &Prov, depth: usize) -> Replaced<Prov> {
        let origin = match prov.origin {
            Some(origin) if self.is_outdated(origin.file) => Some(self.place(origin)?),
            _ => None,
        };
        let trail = match &prov.trail {
            Some(trail) => self.trail(trail, depth)?,
            None => None,
        };
        if origin.is_none() && trail.is_none() {
            return Ok(None);
        }
        Ok(Some(Prov { origin: origin.or(prov.origin), trail: trail.or_else(|| prov.trail.clone()) }))
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

/// Replaces the parts of a history.
struct AtDepth<'a> {
    substitution: &'a mut Substitution,
    depth: usize,
}

impl Rewrite for AtDepth<'_> {
    type Error = Dependent;

    fn value(&mut self, value: &Value) -> Replaced<Value> {
        self.substitution.at_depth(value, self.depth)
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
