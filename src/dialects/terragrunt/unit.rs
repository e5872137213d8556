//! The resolution of one unit.

use super::config;
use super::discovery::address;
use super::evaluate::object_at;
use super::file::{Config, File, Included};
use super::generated::Generated;
use super::load::Loader;
use super::place::Place;
use super::session::Session;
use super::stacks;
use super::{checks, component, elsewhere, rules};
use crate::diagnostic::Diagnostic;
use crate::hcl::ast::{Attribute, Expr, ExprKind, Span, TraversalStep, walk};
use crate::limits::{Piece, take};
use crate::resolution::{Component, Dependency, Import, Local, LocalLevel, LocalScope, State, Unit};
use crate::text::Text;
use crate::value::{Map, Origin};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The type of units.
pub(super) const KIND: &str = "unit";
/// The type of a stack whose source is elsewhere: its units are not known.
pub(super) const STACK: &str = "stack";

/// Whether components of a type are run as folders: units, and stacks of units that are not known.
pub(super) fn is_run(kind: &str) -> bool {
    [KIND, STACK].contains(&kind)
}

/// A unit that was resolved.
pub(super) struct Resolved {
    /// It, with its component.
    pub unit: Arc<Unit>,
    /// What is wrong.
    pub findings: Vec<Diagnostic>,
    /// What is unused in its file, if no other unit reads the file.
    pub unused: Vec<Diagnostic>,
    /// The files that it includes.
    pub imports: Vec<Import>,
    /// Its locals.
    pub locals: Option<Arc<LocalScope>>,
    /// Whether it has code to run, in its folder or from a source.
    pub has_code: bool,
    /// The number of values in its configuration.
    pub values: usize,
}

impl Resolved {
    /// A unit of which nothing else is known.
    pub(super) fn of(unit: Unit, findings: Vec<Diagnostic>) -> Self {
        let (unused, imports) = (Vec::new(), Vec::new());
        Resolved { unit: Arc::new(unit), findings, unused, imports, locals: None, has_code: true, values: 0 }
    }

    /// The unit of a file that other units include, without code of its own: it is there for these units, and never deployed.
    /// Mistakes that are there only if it is taken by itself are none.
    pub(super) fn as_parent(&self) -> Option<Unit> {
        let switch_off = |component: &Arc<Component>| {
            let mut component = Component::clone(component);
            component.metadata.is_disabled = true;
            Arc::new(component)
        };
        let (unit, broken) = (&self.unit, Unit::broken(self.unit.id.clone(), self.unit.file));
        let components = unit.components.iter().map(switch_off).collect();
        (unit.state == State::Resolved).then(|| Unit {
            files: unit.files.clone(),
            components,
            state: State::Resolved,
            ..broken
        })
    }
}

/// An include as other parts know it.
fn import(included: &Included) -> Option<Import> {
    Some(Import {
        item: included.at,
        path: included.written,
        targets: vec![included.file?],
        is_pattern: false,
        is_computed: true,
        is_open: false,
        is_special: true,
        is_additive: false,
        context: Map::none(),
    })
}

/// The locals of the file of a unit.
fn local_names(file: &File, config: &Config) -> Option<Arc<LocalScope>> {
    let values = config.parts.get("locals");
    let written = file.body.blocks_of("locals").flat_map(|block| &block.body.attributes);
    let places: BTreeMap<&Text, Origin> = written
        .clone()
        .map(|local| {
            let (key, span) = (local.name.span.start, local.expr.span);
            (&local.name.text, Origin { file: file.id, key, start: span.start, end: span.end })
        })
        .collect();
    let one = |local: &Attribute| {
        let mut depends_on: Vec<Dependency> = Vec::new();
        for reference in walk::references(&local.expr) {
            let Some(TraversalStep::Attribute(name)) = reference.steps.first() else { continue };
            let origin = places.get(&name.text).filter(|_| *reference.root.text == *"local").copied();
            let dependency = Dependency { path: format!("{}.{}", reference.root.text, name.text), origin };
            if !depends_on.contains(&dependency) {
                depends_on.push(dependency);
            }
        }
        Local {
            name: Text::clone(&local.name.text),
            value: values.and_then(|values| values.get(&local.name.text)).cloned(),
            printed: None,
            origin: places.get(&local.name.text).copied(),
            depends_on,
            shadows: None,
            is_read_by_code: false,
        }
    };
    let mut locals: Vec<Local> = written.map(one).collect();
    locals.sort_by(|a, b| a.name.cmp(&b.name));
    let scope = LocalScope { file: file.id, stack: None, level: LocalLevel::File, locals };
    (!scope.locals.is_empty()).then(|| Arc::new(scope))
}

/// How the message begins of a mistake that has no effect where its value is replaced.
const NO_ATTRIBUTE: &str = "unsupported attribute";

/// The places of inputs that what is merged over the file replaces.
fn replaced(file: &File, over: &Map) -> Vec<Range<u32>> {
    let inputs = file.body.get("inputs").map(|inputs| &walk::unwrapped(&inputs.expr).kind);
    let (Some(ExprKind::Object(entries)), Some(over)) = (inputs, over.get("inputs")) else { return Vec::new() };
    let is_replaced = |name: &Expr| walk::name(name).is_some_and(|name| over.get(name).is_some());
    let replaced = entries.iter().filter(|(name, _)| is_replaced(name));
    replaced.map(|(_, value)| value.span.start..value.span.end).collect()
}

/// Identifies the unit of a folder.
pub(super) fn id(folder: &str) -> Text {
    if folder.is_empty() { ".".into() } else { folder.into() }
}

/// Resolves the unit of a folder.
pub(super) fn resolve(
    loader: &Loader<'_>,
    env: &BTreeMap<String, String>,
    generated: &Generated,
    folder: &str,
) -> Resolved {
    let (stack, name) = address(folder);
    let session = Session::new(loader, env, generated, (folder, object_at));
    let made = generated.units.get(folder);
    let id = id(folder);
    let files = loader.modules.loader.reader.files;
    if let Some(made) = made.filter(|made| made.home.is_none()) {
        return elsewhere::unit(loader, folder, id, made);
    }
    let path = loader.unit_file(folder).unwrap_or_else(|| crate::paths::join(folder, super::load::UNIT));
    let opened = File::open(&session, &path, true);
    let file = opened.as_ref().map_or_else(|| files.add(&path, "", || Text::from("")), |file| file.id);
    let resolved = opened.as_ref().map(|file| {
        let place = Place::of_file(&path, folder);
        let over = stacks::over(&session, folder, &place);
        let given = config::Given { over: over.as_ref().map(|over| &over.parts), ..config::Given::default() };
        let (config, findings) = session.apart(|| config::evaluate_with(&session, file, place.clone(), &given));
        let hidden = over.as_ref().map(|over| replaced(file, &over.parts)).unwrap_or_default();
        let is_hidden = |finding: &Diagnostic| {
            let is_there = |span: &Range<u32>| finding.primary.file == file.id && span.contains(&finding.primary.start);
            finding.message.starts_with(NO_ATTRIBUTE) && hidden.iter().any(is_there)
        };
        findings.into_iter().filter(|finding| !is_hidden(finding)).for_each(|finding| session.report(finding));
        config
    });
    let coexists = made.is_none() && loader.has(&crate::paths::join(folder, super::load::STACK));
    if coexists {
        let message = "a unit and a stack lie in one folder, which Terragrunt refuses";
        session.error(&rules::STACK, message, (file, Span::default()));
    }
    let is_hidden = resolved.is_none() || includes_are_missing(&session, resolved.as_ref(), opened.as_ref());
    session.files.borrow_mut().insert(file);
    session.files.borrow_mut().extend(made.into_iter().flat_map(|made| made.files.iter()));
    let mut unit = Unit::broken(id, file);
    let (mut unused, mut imports, mut locals, mut values) = (Vec::new(), Vec::new(), None, 0);
    if let (Some(config), false) = (resolved, is_hidden) {
        if let Some(file) = &opened {
            unused = checks::unit(&session, folder, file, &config);
            imports = config.includes.iter().filter_map(import).collect();
            locals = local_names(file, &config);
        }
        unit.state = State::Resolved;
        let component = Arc::new(component::of(&session, (stack.clone(), name), (folder, file), &config));
        values = component.value.count(usize::MAX).unwrap_or(usize::MAX);
        if !loader.leaves_code {
            let code = component::evaluate_code(&session, folder, file, &component);
            unit.failed.extend(code.failed);
            unit.open.extend(code.open);
            unit.components = code.components;
        }
        unit.components.push(component);
        unit.components.sort_by_cached_key(|component| component.address());
    }
    unit.files = session.files.borrow().iter().copied().collect();
    let mut findings = session.into_findings();
    take(findings.len(), Piece::Finding);
    let findings_of_unit = findings.iter_mut().chain(&mut unused).filter(|finding| finding.stacks.is_empty());
    findings_of_unit.for_each(|finding| finding.stacks.push(stack.clone()));
    let has_source = |file: &File| file.body.blocks_of("terraform").any(|block| block.body.get("source").is_some());
    let has_code = opened.as_ref().is_none_or(has_source) || loader.modules.is_there(folder) || made.is_some();
    Resolved { unit: Arc::new(unit), findings, unused, imports, locals, has_code, values }
}

/// Whether a file that is included could not be read: what the unit has from it would seem to be removed.
fn includes_are_missing(session: &Session<'_>, config: Option<&Config>, file: Option<&File>) -> bool {
    let written = file.map_or(0, |file| file.body.blocks_of("include").count());
    let is_missing = |config: &Config| {
        config.includes.len() < written || config.includes.iter().any(|included| included.unknown.is_some())
    };
    config.is_none_or(is_missing) && session.is_broken()
}
