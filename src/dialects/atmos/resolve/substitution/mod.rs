//! Makes the components of a unit from those of the last resolution, if its merged manifest differs only in places of
//! values, and in variables that nothing reads while components are built.
//!
//! Components are a function of the merged manifest. That function passes places through, and it passes the values of
//! variables through unless a name or a template reads them. `difference` compares the merged manifests,
//! `reads` finds out which variables are read, and `replacement` replaces places and values in the components. Where
//! something else differs, the components are built as usual.
//!
//! Most units have parts in common, and one edit changes these in the same way: what was replaced for one unit is kept for the next
//! one ([`Substitutions`]).

mod difference;
mod reads;
mod replacement;

use crate::dialects::atmos::manifest::Processed;
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::resolve::reuse::ResolvedUnit;
use crate::dialects::atmos::stack::{Name, Named, StackComponents, StackContext, unfetched};
use crate::resolution::{CodeOrigin, Component, Differing, ShapingOrigins, State};
use crate::text::FastMap;
use crate::threads::PerThread;
use crate::value::{Data, FileId, Map, Origin, Trail, Value};
use reads::NoReaders;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How deep values are nested and how long histories are at most; a step into a history counts twice.
const MAX_DEPTH: usize = 512;

/// What was replaced for the units of one revision, for each thread. It must not outlive the last resolution: parts of that are
/// identified by their addresses.
pub(super) type Substitutions = PerThread<Substitution>;

/// The difference between merged manifests that are equal but for places and unread variables: those of one unit, or of several
/// with the same outdated files.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    /// The files of the last resolution that are not part of this one.
    outdated: Vec<FileId>,
    /// What was written at each place in outdated files, and its place now.
    places: FastMap<Origin, Place>,
    /// The starts of keys in outdated files, and where they are now.
    keys: FastMap<(FileId, u32), (FileId, u32)>,
    /// Maps, lists and histories with several owners, by their addresses, with their replacements.
    maps: FastMap<usize, Replacement<Arc<Map>>>,
    lists: FastMap<usize, Replacement<Arc<Vec<Value>>>>,
    trails: FastMap<usize, Option<Arc<Trail>>>,
    /// Maps of merged manifests that read none of the variables that changed.
    no_readers: NoReaders,
}

/// What replaces something, and what differs then; `None` if nothing is replaced.
type Replacement<T> = Option<(T, Differing)>;

/// A place in an outdated file.
#[derive(Debug)]
struct Place {
    now: Origin,
    /// The value before and now, if it changed.
    change: Option<(Data, Data)>,
}

/// The components of a unit depend on something that changed, or it is not known whether they do.
#[derive(Debug)]
struct Dependent;

/// Returns the components of a unit whose merged manifest is `processed`, given the last resolution of the unit. What was
/// recorded for them is recorded again. `files` are the files of the manifest and of the configuration. `None` if they have to
/// be built.
pub(super) fn components(
    stacks: &StackContext<'_>,
    last: &ResolvedUnit,
    processed: &Processed,
    files: &BTreeSet<FileId>,
    substitutions: &Substitutions,
) -> Option<StackComponents> {
    let unit = &last.manifest.unit;
    let before = last.manifest.processed.as_ref()?;
    let is_whole = unit.state == State::Resolved && !unit.is_incomplete() && last.deps.is_some();
    if !is_whole || stacks.external.eval_inputs.is_some() || !last.reads.are_same(stacks.reader) {
        return None;
    }
    let is_current = |file: &&FileId| files.contains(file) || last.reads.deps.files.contains(file);
    let outdated: Vec<FileId> = unit.files.iter().filter(|file| !is_current(file)).copied().collect();
    let replace = |substitution: &mut Substitution| {
        let changed = difference::find(&before.merged, &processed.merged, substitution)?;
        if reads::any(stacks, &processed.merged, &changed, &mut substitution.no_readers) {
            return None;
        }
        replaced(stacks, last, processed, substitution)
    };
    substitutions.with(|kept| {
        if kept.outdated == outdated
            && let Some(components) = replace(kept)
        {
            return Some(components);
        }
        // The differences of other units may contradict those of this one.
        *kept = Substitution { outdated, ..Substitution::default() };
        let components = replace(kept);
        if components.is_none() {
            *kept = Substitution::default();
        }
        components
    })?
}

/// Returns the components of a unit with everything replaced.
fn replaced(
    stacks: &StackContext<'_>,
    last: &ResolvedUnit,
    processed: &Processed,
    substitution: &mut Substitution,
) -> Option<StackComponents> {
    if is_about_outdated(&last.building, substitution) {
        return None;
    }
    let unit = &last.manifest.unit;
    let named: Option<Vec<Named>> = last.manifest.named.iter().map(renamed).collect();
    let shared: Arc<[Origin]> = processed.edges.iter().chain(&stacks.config.shaping_origins).copied().collect();
    let is_equal = substitution.outdated.is_empty();
    let component = |component: &Arc<Component>| {
        let supply = supply(component, stacks);
        let is_same_supply = supply == component.metadata.code.as_ref().map(|code| code.supply);
        if is_equal && is_same_supply && component.shaping_origins.shared == shared {
            return Some(Arc::clone(component));
        }
        let mut replaced = substitution.component(component).ok()?;
        replaced.shaping_origins = ShapingOrigins { shared: Arc::clone(&shared), ..replaced.shaping_origins };
        if let (Some(code), Some(supply)) = (&mut replaced.metadata.code, supply) {
            code.supply = supply;
        }
        if !is_same_supply {
            replaced.metadata.derived = None;
        }
        Some(Arc::new(replaced))
    };
    let components: Option<Vec<Arc<Component>>> = unit.components.iter().map(component).collect();
    let (components, named, unlisted) = (components?, named?, unit.unlisted.clone());
    let is_derived =
        |(old, new): (&Arc<Component>, &Arc<Component>)| Arc::ptr_eq(old, new) || new.differing_from(old).is_some();
    let derived_from = unit.components.iter().zip(&components).all(is_derived).then(|| Arc::downgrade(unit));
    stacks.recorder.diagnostics.add(&last.building.diagnostics);
    stacks.recorder.observations.add(&last.building.observations);
    Some(StackComponents { components, broken: Vec::new(), named, unlisted, is_substituted: true, derived_from })
}

/// How the code of a component gets into its folder, which depends on other files.
fn supply(component: &Component, stacks: &StackContext<'_>) -> Option<CodeOrigin> {
    let code = component.metadata.code.as_ref()?;
    Some(if code.supply == CodeOrigin::Fetched { code.supply } else { unfetched(&code.folder, stacks) })
}

/// A name of a stack that is as it was; `None` if it is a value of the component.
fn renamed(named: &Named) -> Option<Named> {
    let is_name = matches!(named.stack, Name::Known(_) | Name::Unnamed) && named.instead.is_none();
    is_name.then(|| named.clone())
}

/// Whether something that was recorded while components were built may be about outdated files.
fn is_about_outdated(recorded: &Recorder, substitution: &Substitution) -> bool {
    recorded.diagnostics.name_any(|file| substitution.is_outdated(file))
        || !recorded.observations.has_only_component_uses()
}

impl Substitution {
    fn is_outdated(&self, file: FileId) -> bool {
        self.outdated.contains(&file)
    }
}

/// Whether a value has no meaning of its own for anything that passes it on.
fn is_plain(value: &Value) -> bool {
    const LONGEST: usize = 1024;
    match &value.data {
        Data::Bool(_) | Data::Int(_) => true,
        Data::Str(text) => value.flags().is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control),
        _ => false,
    }
}
