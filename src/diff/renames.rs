//! Stacks and components that have another name and the same configuration.
//!
//! A stack is renamed if it is removed, another one is added, and both have their states in the same objects, or most components of
//! the old one are in the new one with the same configuration; the others are renamed and changed. A component is renamed if it is removed from a
//! stack, and an added one of its type in the same stack has the same configuration and code, or the same declared
//! name, or its state in the same object. Differences that follow from the names themselves do not count (see `rewrite`).

use super::causes::Finder;
use super::rewrite::{Rewrite, common_words};
use super::{Cause, Change, ComponentChange, Components, Located, Status, mask, structural};
use crate::resolution::{Component, InstanceOf, RemovalEffect, Resolution};
use crate::terraform::state::{self, StateLocation};
use crate::text::Text;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// If more stacks are added or removed, none of them is treated as renamed.
const MAX_STACKS: usize = 300;
/// The most new stacks that one stack is compared with, those with the most similar names first.
const MAX_CANDIDATES: usize = 8;
/// If more components of a type are added to a stack, only names that say so are treated as renamed.
const MAX_COMPARED: usize = 500;
/// The most new components that one component is compared with.
const MAX_ALTERNATIVES: usize = 50;
/// The maximum number of values that are compared.
const MAX_NODES: usize = 5_000_000;

/// A component that has another address.
#[derive(Clone, Debug)]
pub(crate) struct Rename {
    /// The removed component, as an index into [`super::Diff::components`].
    pub from: usize,
    /// The new component, as an index into the same list.
    pub to: usize,
    /// Whether it is deployed and its state moves.
    pub moves_state: bool,
    /// Whether it is deployed and the deployment tool destroys the old component and creates it again.
    pub is_replaced: bool,
    /// Further changes, beyond those that follow from the name.
    pub changes: Vec<Change>,
    /// The lines that set the new name; the first file decides.
    pub causes: Vec<Cause>,
}

/// The components that one state says to keep deployed although they are gone: stack, type and name.
pub(crate) struct Released<'a>(BTreeSet<(&'a Text, &'a str, &'a str)>);

impl<'a> Released<'a> {
    /// Reads them from all components.
    pub(crate) fn of(resolution: &'a Resolution) -> Self {
        let components = resolution.units.iter().flat_map(|unit| &unit.components);
        let of = |c: &'a Arc<Component>| c.metadata.released.iter().map(|(kind, name)| (&c.stack, &**kind, &**name));
        Released(components.flat_map(of).collect())
    }

    /// Whether a component is one of them, or an instance of one, or of what is in one.
    pub(crate) fn keeps(&self, component: &Component) -> bool {
        let Component { stack, kind, name, metadata, .. } = component;
        let names = metadata.instance_of.iter().flat_map(|InstanceOf { name, .. }| {
            let ends = name.match_indices('.').map(|(end, _)| end).chain([name.len()]);
            ends.map(|end| &name[..end])
        });
        names.chain([&**name]).any(|name| self.0.contains(&(stack, &**kind, name)))
    }
}

/// Returns the renames among added and removed components, sorted by the removed one.
pub(super) fn find(
    components: &[ComponentChange],
    placed: [&Components<'_>; 2],
    resolutions: [&Resolution; 2],
    finder: &mut Finder,
) -> Vec<Rename> {
    let of = |status| components.iter().enumerate().filter(move |(_, c)| c.status == status).map(|(i, _)| i);
    let (removed, new): (Vec<usize>, Vec<usize>) = (of(Status::Removed).collect(), of(Status::Added).collect());
    if removed.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let released = Released::of(resolutions[1]);
    let mut search = Search { components, placed, budget: MAX_NODES, released, pairs: BTreeMap::new() };
    search.stacks(&removed, &new, resolutions);
    search.components(&removed, &new);
    let pairs = std::mem::take(&mut search.pairs);
    let mut found: Vec<Rename> = pairs.into_iter().filter_map(|(from, to)| search.rename(from, to, finder)).collect();
    share_causes(&mut found, components, finder);
    found
}

/// Gives the instances of one declaration that get other addresses the causes of all of them: that is one change.
fn share_causes(renames: &mut [Rename], components: &[ComponentChange], finder: &mut Finder) {
    let mut together: BTreeMap<_, Vec<&mut Rename>> = BTreeMap::new();
    for rename in renames {
        let sides = [components[rename.from].before.as_ref(), components[rename.to].after.as_ref()];
        let declared = sides.map(|side| Some(&side?.metadata.instance_of.as_ref()?.name));
        if let [Some(old), Some(new)] = declared {
            together.entry((&components[rename.to].stack, old, new)).or_default().push(rename);
        }
    }
    for members in together.values_mut().filter(|members| members.len() > 1) {
        let causes = finder.union(members.iter().flat_map(|rename| rename.causes.iter().copied()));
        members.iter_mut().for_each(|rename| rename.causes.clone_from(&causes));
    }
}

struct Search<'a> {
    components: &'a [ComponentChange],
    placed: [&'a Components<'a>; 2],
    budget: usize,
    /// What the newer state says to keep deployed.
    released: Released<'a>,
    /// Indexes of removed components, with those that replace them.
    pairs: BTreeMap<usize, usize>,
}

/// The components of stacks by stack.
type ByStack<'a> = BTreeMap<&'a Text, Vec<usize>>;

impl<'a> Search<'a> {
    fn stacks(&mut self, removed: &[usize], new: &[usize], [base, head]: [&Resolution; 2]) {
        let (old, new) = (self.whole_stacks(removed, [base, head]), self.whole_stacks(new, [head, base]));
        if old.len().max(new.len()) > MAX_STACKS {
            return;
        }
        let (mut taken, mut tries): (BTreeSet<&Text>, HashMap<&Text, usize>) = Default::default();
        // Whatever else differs: what finds the same states is the same.
        let states = |indices: &[usize]| self.states(indices);
        let mut by_states: HashMap<BTreeSet<StateObject>, &Text> = HashMap::new();
        by_states.extend(new.iter().map(|(stack, indices)| (states(indices), *stack)));
        by_states.remove(&BTreeSet::new());
        let moved: Vec<(&Text, &Text)> =
            old.iter().filter_map(|(a, indices)| Some((*a, by_states.remove(&states(indices))?))).collect();
        for (a, b) in moved {
            let pairs = self.counterparts(&old[a], &new[b]);
            self.pairs.extend(pairs);
            taken.extend([a, b]);
        }
        let mut candidates = Vec::new();
        for (a, old) in old.iter().filter(|(a, _)| !taken.contains(*a)) {
            for (b, new) in &new {
                let alike = common_words(a, b) + self.units(old[0], new[0]).map_or(0, |(x, y)| common_words(&x, &y));
                candidates.push((Reverse(alike), *a, *b));
            }
        }
        candidates.sort();
        for (_, a, b) in candidates {
            let tried = tries.entry(a).or_default();
            if *tried >= MAX_CANDIDATES || taken.contains(a) || taken.contains(b) {
                continue;
            }
            *tried += 1;
            let (Some(old), Some(new)) = (old.get(a), new.get(b)) else { continue };
            if let Some(pairs) = self.stack(old, new) {
                self.pairs.extend(pairs);
                taken.extend([a, b]);
            }
        }
    }

    /// The stacks of components that the other side has nothing of.
    fn whole_stacks(&self, indices: &[usize], [own, other]: [&Resolution; 2]) -> ByStack<'a> {
        let mut stacks = ByStack::new();
        for i in indices {
            stacks.entry(&self.components[*i].stack).or_default().push(*i);
        }
        for component in other.units.iter().flat_map(|u| &u.components) {
            stacks.remove(&component.stack);
        }
        let incomplete = other.incomplete_stacks(own);
        stacks.retain(|stack, _| !incomplete.contains(stack));
        stacks
    }

    /// The objects that hold the states of the components of a whole stack, as far as they are known.
    fn states(&self, indices: &[usize]) -> BTreeSet<StateObject> {
        let components = indices.iter().map(|i| &self.components[*i]);
        let deployed = components.filter_map(|c| c.before.as_deref().or(c.after.as_deref()));
        deployed.filter(|component| component.metadata.is_deployed()).filter_map(state_object).collect()
    }

    /// The components of two stacks that have the same name, by pairs.
    fn counterparts(&self, old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
        let by_name: HashMap<(&Text, &Text), usize> =
            new.iter().map(|i| ((&self.components[*i].kind, &self.components[*i].name), *i)).collect();
        let counterpart = |i: &usize| {
            let c = &self.components[*i];
            by_name.get(&(&c.kind, &c.name)).map(|to| (*i, *to))
        };
        old.iter().filter_map(counterpart).collect()
    }

    /// The components of two stacks by pairs, if most of the old ones are in the new stack.
    fn stack(&mut self, old: &[usize], new: &[usize]) -> Option<Vec<(usize, usize)>> {
        let pairs = self.counterparts(old, new);
        if pairs.len() * 2 <= old.len() {
            return None;
        }
        let alike = pairs.iter().filter(|(from, to)| self.is_alike(*from, *to)).count();
        (alike * 2 > old.len()).then_some(pairs)
    }

    fn components(&mut self, removed: &[usize], new: &[usize]) {
        let taken: BTreeSet<usize> = self.pairs.values().copied().collect();
        let mut alternatives: HashMap<(&Text, &Text), Vec<usize>> = HashMap::new();
        for i in new.iter().filter(|i| !taken.contains(i)) {
            let c = &self.components[*i];
            alternatives.entry((&c.stack, &c.kind)).or_default().push(*i);
        }
        let open: Vec<usize> = removed.iter().filter(|i| !self.pairs.contains_key(i)).copied().collect();
        // Whatever else differs: what finds the same state is the same.
        for from in &open {
            let c = &self.components[*from];
            let Some(list) = alternatives.get_mut(&(&c.stack, &c.kind)) else { continue };
            if let Some(at) = list.iter().position(|to| self.keeps_state(*from, *to)) {
                self.pairs.insert(*from, list.remove(at));
            }
        }
        self.former_names(&open, &mut alternatives);
        for from in open.into_iter().filter(|i| !self.pairs.contains_key(i)).collect::<Vec<_>>() {
            let c = &self.components[from];
            let Some(list) = alternatives.get_mut(&(&c.stack, &c.kind)) else { continue };
            if list.len() > MAX_COMPARED {
                continue;
            }
            let mut near: Vec<usize> = (0..list.len()).collect();
            near.sort_by_key(|at| Reverse(common_words(&c.name, &self.components[list[*at]].name)));
            near.truncate(MAX_ALTERNATIVES);
            let declared = near.iter().find(|at| self.is_declared_alike(from, list[**at])).copied();
            let found = declared.or_else(|| {
                near.iter().find(|at| self.has_same_code(from, list[**at]) && self.is_alike(from, list[**at])).copied()
            });
            if let Some(at) = found {
                self.pairs.insert(from, list.remove(at));
            }
        }
    }

    /// Pairs components with those that say what they were called before, the nearest names first.
    fn former_names(&mut self, open: &[usize], alternatives: &mut HashMap<(&'a Text, &'a Text), Vec<usize>>) {
        let mut named: HashMap<(&Text, &Text, &Text), usize> = HashMap::new();
        for from in open.iter().filter(|from| !self.pairs.contains_key(from)) {
            let c = &self.components[*from];
            named.insert((&c.stack, &c.kind, &c.name), *from);
        }
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for to in alternatives.values().flatten() {
            let c = &self.components[*to];
            let former = c.after.iter().flat_map(|after| &after.metadata.former_names).enumerate();
            let known = former.filter_map(|(near, name)| Some((near, *to, *named.get(&(&c.stack, &c.kind, name))?)));
            found.extend(known);
        }
        found.sort_unstable();
        let mut taken = BTreeSet::new();
        for (_, to, from) in found {
            if !taken.contains(&to) && !self.pairs.contains_key(&from) {
                taken.insert(to);
                self.pairs.insert(from, to);
            }
        }
        alternatives.values_mut().for_each(|list| list.retain(|to| !taken.contains(to)));
    }

    /// Whether both are deployed, with their state in the same known object.
    fn keeps_state(&self, from: usize, to: usize) -> bool {
        self.sides(from, to).is_some_and(|(old, new)| {
            let is_same = state_object(old).is_some_and(|object| state_object(new) == Some(object));
            is_same && old.metadata.is_deployed() && new.metadata.is_deployed()
        })
    }

    fn is_declared_alike(&self, from: usize, to: usize) -> bool {
        self.sides(from, to)
            .is_some_and(|(old, new)| old.declared() == new.declared() || new.metadata.former_names.contains(&old.name))
    }

    /// Whether two components have the same code, as far as that is known, or are instances of the same type. Where the name
    /// of a component names the folder, similar names have to do.
    fn has_same_code(&self, from: usize, to: usize) -> bool {
        let kind = |component: &'a Component| component.metadata.instance_of.as_ref().map(|instance| &instance.kind);
        let sides = self.sides(from, to).filter(|(old, new)| kind(old) == kind(new));
        sides.is_some_and(|(old, new)| match (&old.metadata.code, &new.metadata.code) {
            (Some(a), Some(b)) => a.folder == b.folder || common_words(&old.name, &new.name) > 0,
            (a, b) => a.is_none() == b.is_none(),
        })
    }

    fn is_alike(&mut self, from: usize, to: usize) -> bool {
        let rewrite = self.rewrite(from, to);
        let Some((old, new)) = self.sides(from, to) else { return false };
        rewrite.value(&old.value, &new.value, &mut self.budget)
    }

    /// The component as it was and as it is.
    fn sides(&self, from: usize, to: usize) -> Option<(&'a Component, &'a Component)> {
        Some((self.components[from].before.as_deref()?, self.components[to].after.as_deref()?))
    }

    /// Returns the rewriting that follows from the names of two components, of their stacks and of the units that
    /// define them.
    fn rewrite(&self, from: usize, to: usize) -> Rewrite {
        let (old, new) = (&self.components[from], &self.components[to]);
        let units = self.units(from, to);
        let names = [(&*old.stack, &*new.stack), (&*old.name, &*new.name)];
        Rewrite::between(names.into_iter().chain(units.as_ref().map(|(a, b)| (&**a, &**b))))
    }

    /// The names of the units that define two components.
    fn units(&self, from: usize, to: usize) -> Option<(Text, Text)> {
        let unit = |side: usize, i: usize| self.placed[side].get(&self.components[i].address());
        let name = |placed: Located<'_>| Text::clone(&placed.unit.name);
        Some((unit(0, from).map(name)?, unit(1, to).map(name)?))
    }

    fn rename(&mut self, from: usize, to: usize, finder: &mut Finder) -> Option<Rename> {
        let (old, new) = (&self.components[from], &self.components[to]);
        let (before, after) = (self.placed[0].get(&old.address())?, self.placed[1].get(&new.address())?);
        let rewrite = self.rewrite(from, to);
        let (mut changes, mut causes) = (Vec::new(), Vec::new());
        let calls = [&*before.component.metadata.calls, &*after.component.metadata.calls];
        let values = [&before, &after].map(|side| &side.component.value);
        let steps = structural::compare(values[0], values[1], &after.component.language, calls);
        for step in steps {
            let follows = |budget| step.before.zip(step.after).is_some_and(|(a, b)| rewrite.value(a, b, budget));
            if follows(&mut self.budget) {
                causes.extend(finder.of_values(&step));
            } else {
                let causes = finder.of_step(&step, &[], before, after);
                let is_secret = mask::is_secret_pointer(&step.path)
                    || [before, after].iter().any(|p| mask::is_secret_beside(&p.component.value, &step.path));
                let (is_same_call, moved, base_index) = (step.is_same_call, step.moved, step.base_index);
                let (before, after) = (step.before.cloned(), step.after.cloned());
                let (path, kind) = (step.path, step.kind);
                let is_idle = false;
                changes.push(Change {
                    path,
                    kind,
                    is_secret,
                    is_same_call,
                    is_idle,
                    moved,
                    base_index,
                    before,
                    after,
                    causes,
                });
            }
        }
        let causes = match causes.is_empty() {
            false => finder.union(causes),
            true => finder.union(old.causes.iter().chain(&new.causes).copied()),
        };
        let moves_state = moves_state(before.component, after.component);
        let is_destroyed = before.component.removal == RemovalEffect::Destroyed;
        let metadata = &after.component.metadata;
        let is_moved = match old.stack == new.stack {
            true => metadata.former_names.contains(&old.name),
            false => metadata.shares_state,
        };
        let is_kept = is_moved || self.released.keeps(before.component);
        let is_replaced = is_destroyed && !is_kept && before.component.metadata.is_deployed();
        Some(Rename { from, to, moves_state, is_replaced, changes, causes })
    }
}

/// What identifies an object that holds a state.
type StateObject = Vec<(&'static str, String)>;

/// The object that holds the state of a component, see [`state::object`]; `None` if it is not known.
fn state_object(component: &Component) -> Option<StateObject> {
    let (place, workspace) = component.metadata.state.as_ref().zip(component.metadata.workspace.as_ref())?;
    let (backend, settings) = (&*place.backend, &*place.settings);
    state::object(&StateLocation { backend, settings, workspace, is_assumed: place.is_workspace_assumed, folder: None })
}

/// Whether the state would be searched in another place. Without a configured place, the workspace decides.
pub(crate) fn moves_state(old: &Component, new: &Component) -> bool {
    let has_state = matches!(old.removal, RemovalEffect::Orphaned | RemovalEffect::Relocated);
    if !old.metadata.is_deployed() || !new.metadata.is_deployed() || !has_state {
        return false;
    }
    if let (Some(old), Some(new)) = (state_object(old), state_object(new)) {
        return old != new;
    }
    let is_same_place = match (&old.metadata.state, &new.metadata.state) {
        (Some(old), Some(new)) => old.is_same_place(new, &state::ADDRESS),
        (old, new) => old.is_none() && new.is_none(),
    };
    let is_same_workspace = match (&old.metadata.workspace, &new.metadata.workspace) {
        (Some(old), Some(new)) => old == new,
        // Where there are none, they do not count.
        (None, None) => old.removal == RemovalEffect::Relocated,
        _ => false,
    };
    !is_same_place || !is_same_workspace
}
