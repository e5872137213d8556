//! The unit of each top-level manifest.

use super::project::Revision;
use super::tables::{self, ResolvedUnit};
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, Label, Rule};
use crate::dialects::Scope;
use crate::dialects::atmos::checks::component_validation::Validations;
use crate::dialects::atmos::checks::{dependency_paths, inheritance_cycles};
use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::imports::reach::{ChangeReach, Untouched};
use crate::dialects::atmos::manifest::{Manifests, Processed};
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::stack::{
    Name, Named, PossibleNames, ReferencedComponents, ResolvedManifest, StackComponents, StackContext, components,
};
use crate::dialects::atmos::templates::host;
use crate::dialects::atmos::{paths, rules};
use crate::limits::{Piece, count_steps, take};
use crate::resolution::{Component, State, Unit};
use crate::text::{FastSet, Text};
use crate::threads;
use crate::value::{FileId, Key};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rules about what a stack lacks, or about what is made of it.
const MAY_BE_ABSENCE: &[&Rule] =
    &[&rules::STACK_NAME_UNRESOLVED, &rules::UNDEFINED_BASE_COMPONENT, &rules::TEMPLATE_ERROR, &rules::INVALID_BACKEND];

/// The context for resolving units.
pub(super) struct Units<'a> {
    pub(super) revision: &'a Revision<'a>,
    pub(super) loader: &'a Manifests<'a>,
    pub(super) stacks: &'a StackContext<'a>,
    pub(super) referenced: &'a ReferencedComponents<'a>,
    pub(super) validations: &'a Validations<'a>,
    /// Which units are not resolved.
    pub(super) narrowed: Narrowed<'a>,
    /// What limits the resolved units.
    pub(super) scope: Scope<'a>,
}

/// How units are found that need not be resolved.
pub(super) enum Narrowed<'a> {
    /// All are resolved.
    Nothing,
    /// No change reaches them.
    Changes(ChangeReach<'a>),
    /// They cannot have wanted stacks.
    Names(PossibleNames<'a>),
}

impl Narrowed<'_> {
    /// The files that a manifest depends on, if it is certain that it need not be resolved.
    fn skipped(&self, path: &str, recorder: &Recorder) -> Option<Untouched> {
        match self {
            Narrowed::Nothing => None,
            Narrowed::Changes(reach) => reach.untouched(path, &recorder.manifests),
            Narrowed::Names(names) => names.unwanted(path).map(|files| Untouched { files, is_open: true }),
        }
    }
}

impl Units<'_> {
    /// Resolves the unit of a manifest; `None` if there is no such file.
    pub(super) fn resolve(&self, path: &String) -> Option<Arc<ResolvedUnit>> {
        if self.revision.project.cancel.is_canceled() {
            return None;
        }
        let Revision { reader, tables, answers, .. } = *self.revision;
        let key = Text::from(path.as_str());
        // Units that no change reaches are only named, known or not.
        let is_wanted = |known: &Arc<ResolvedUnit>| match &self.narrowed {
            Narrowed::Nothing | Narrowed::Names(_) => true,
            Narrowed::Changes(reach) => known.deps.as_ref().is_some_and(|deps| reach.is_touched(deps)),
        };
        if let Some(known) = tables.units.get(&key, answers).filter(is_wanted) {
            reader.see(known.loaded.iter());
            return Some(known);
        }
        let recorder = Arc::<Recorder>::default();
        let unit = || match self.narrowed.skipped(path, &recorder) {
            Some(untouched) => Some((self.out_of_reach(path, untouched)?, None)),
            None => {
                let resolved = self.unit(path, &recorder)?;
                take(resolved.0.unit.components.len(), Piece::Component);
                Some(resolved)
            }
        };
        let resolve = || threads::catch_panic(&format!("stack {path}"), unit);
        let resolved = count_steps(|| path.clone(), resolve).unwrap_or_else(|defect| {
            let file = self.revision.reader.load(path, &mut Deps::default()).ok()??.file;
            recorder.diagnostics.push(Diagnostic::defect(&defect, file));
            Some((ResolvedManifest::broken(path, self.key(path), file), None))
        });
        let (manifest, deps) = resolved?;
        let has_cycle = inheritance_cycles::has_cycle_of_bases(&manifest.unit);
        let loaded = reader.seen(&manifest.unit.files);
        let reads = deps.as_ref().map(|deps| Arc::new(tables::reads(deps, answers)));
        let unit = Arc::new(ResolvedUnit { manifest, recorder, has_cycle, loaded, deps });
        if let Some(reads) = reads {
            tables.units.insert(key, reads, Arc::clone(&unit));
        }
        Some(unit)
    }

    fn key(&self, path: &str) -> Key {
        paths::manifest_key(path, &self.revision.config.stacks)
    }

    /// A unit that is only named.
    fn out_of_reach(&self, path: &str, untouched: Untouched) -> Option<ResolvedManifest> {
        let Untouched { mut files, is_open: may_read_more } = untouched;
        let file = self.revision.reader.load(path, &mut Deps::default()).ok()??.file;
        files.extend(&self.revision.shared.files);
        let (files, state) = (files.into_iter().collect(), State::OutOfScope);
        let unit = Arc::new(Unit { files, state, may_read_more, ..Unit::of_path(path, self.key(path), file) });
        Some(ResolvedManifest { unit, processed: None, named: Vec::new() })
    }

    /// The unit of a manifest, and what it depends on; `None` if that is not known, because it reads other components, or was not
    /// resolved at all.
    fn unit(&self, path: &str, recorder: &Recorder) -> Option<(ResolvedManifest, Option<Deps>)> {
        let (loader, stacks) = (&self.loader.recording(recorder), &self.stacks.recording(recorder));
        let mut deps = Deps::default();
        let name = self.key(path);
        let file = match loader.reader.load(path, &mut deps) {
            Ok(loaded) => loaded?.file,
            // The reason was reported where it was found.
            Err(_) => {
                let file = loader.reader.files.add(path, "", || Text::from(""));
                return Some((ResolvedManifest::broken(path, name, file), Some(deps)));
            }
        };
        let processed = loader.top(path, &mut deps);
        if let (Scope::Touched(changes), Ok(processed)) = (self.scope, &processed) {
            self.validations.add_possible_reads(&processed.merged, changes, &mut deps);
        }
        let asks =
            host::add_possible_reads(&loader.cache.mentions, &loader.cache.lock_file, loader.reader.files, &mut deps);
        let is_touched = self.is_touched(asks, &deps);
        deps.files.extend(&self.revision.shared.files);
        let built = match &processed {
            Ok(processed) if is_touched && processed.lacks.is_empty() => {
                components(stacks, self.referenced, &name, file, processed, &mut deps)
            }
            Ok(processed) if is_touched => self.lacking(recorder, &name, file, processed, &mut deps),
            Ok(_) => Ok(StackComponents::default()),
            Err(poisoned) => Err(*poisoned),
        };
        let state = match (is_touched, &built) {
            (false, _) => State::OutOfScope,
            (true, Ok(_)) => State::Resolved,
            (true, Err(ErrorReported)) => State::Broken,
        };
        let StackComponents { components, broken, unlisted, named } = built.unwrap_or_default();
        for component in &components {
            self.validations.check(component, &mut deps, &recorder.diagnostics);
            dependency_paths::check(component, loader.reader, loader.config, &mut deps, &recorder.diagnostics);
        }
        let files = deps.files.iter().copied().collect();
        // Where the name of a stack cannot be computed, its components go by the name of the manifest.
        let is_unnamed = named.iter().any(|n| matches!(n.stack, Name::Lacks(_)));
        let failed = is_unnamed.then(|| Text::clone(&name)).into_iter().collect();
        let validated_as = validated_as(&named, &components);
        let unit = Unit { files, components, state, broken, failed, validated_as, ..Unit::of_path(path, name, file) };
        let lacks: Vec<_> = processed.as_ref().map_or_else(|_| Vec::new(), |p| p.lacks.values().cloned().collect());
        let may_read_more = !is_touched && (processed.is_err() || !lacks.is_empty());
        let unit = Arc::new(Unit { unlisted, lacks, may_read_more, ..unit });
        let is_whole = is_touched && !asks;
        Some((ResolvedManifest { unit, processed: processed.ok(), named }, is_whole.then_some(deps)))
    }

    /// The components of a manifest that imports files that git does not have. If it needs something that only these may set,
    /// it is not resolved.
    fn lacking(
        &self,
        recorder: &Recorder,
        name: &Key,
        file: FileId,
        processed: &Arc<Processed>,
        deps: &mut Deps,
    ) -> Result<StackComponents, ErrorReported> {
        let own = Arc::<Recorder>::default();
        let built = components(&self.stacks.recording(&own), self.referenced, name, file, processed, deps);
        let all = Recorder::collect([Arc::clone(&own)]);
        let lacks_name = |named: &Named| matches!(named.stack, Name::Lacks(_));
        let is_nameless = built.as_ref().is_ok_and(|built| built.named.iter().any(lacks_name));
        let findings = all.diagnostics.into_findings();
        let is_absence = |finding: &&Diagnostic| MAY_BE_ABSENCE.iter().any(|rule| finding.rule == *rule);
        let needed = findings.iter().find(is_absence).map(|finding| finding.message.clone());
        let needed = needed.or_else(|| {
            (!all.observations.records().traces.is_empty()).then(|| "a template reads what is not set".into())
        });
        let needed = needed.or_else(|| is_nameless.then(|| "its stack has no name".into()));
        let Some(needed) = needed else {
            recorder.include(own);
            let mut built = built?;
            built.components.iter_mut().for_each(|c| Arc::make_mut(c).metadata.inputs.is_open = true);
            return Ok(built);
        };
        let paths: Vec<&str> = processed.lacks.keys().map(|path| &**path).collect();
        let message = format!("it is not known what {} sets: {needed}", paths.join(", "));
        let finding = Diagnostic::new(&INCOMPLETE_ANALYSIS, message, Label::new(file, 0, 0, ""));
        Err(recorder.diagnostics.push(finding))
    }

    /// Whether a change touches a dependency of a unit. Adds dependencies that only its components will have.
    fn is_touched(&self, asks: bool, deps: &Deps) -> bool {
        match &self.narrowed {
            Narrowed::Nothing | Narrowed::Names(_) => true,
            Narrowed::Changes(reach) => asks || reach.is_touched(deps),
        }
    }
}

/// The names of stacks that only validation gives to components.
fn validated_as(named: &[Named], components: &[Arc<Component>]) -> Vec<Text> {
    let listed: FastSet<&Text> = components.iter().map(|component| &component.stack).collect();
    let known = named.iter().filter_map(|named| if let Name::Known(stack) = &named.stack { Some(stack) } else { None });
    let only_validated: BTreeSet<&Text> = known.filter(|stack| !listed.contains(stack)).collect();
    only_validated.into_iter().cloned().collect()
}
