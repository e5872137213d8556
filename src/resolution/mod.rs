//! The resolution of one revision, independent of any dialect: the input of rules, the diff and the reports.

pub(crate) mod authoring;
mod detail;
mod fetched;
mod gap;
mod imports;
mod mention;
mod metadata;
mod open;
pub(crate) mod secrets;

use crate::text::Text;
use authoring::Authoring;
pub(crate) use detail::Detail;
pub(crate) use fetched::FetchedFolder;
pub(crate) use gap::{Extent, Gap};
pub(crate) use imports::{Import, Imports};
pub(crate) use mention::{CommandReference, MentionedName};
pub(crate) use metadata::{
    Base, CalledModule, Cipher, Code, CodeOrigin, ComponentMetadata, Encrypted, Evaluation, Inputs, InstanceOf, Link,
    LinkKind, Needed, ReadTarget, Repetition, StackSelector, StatePlace,
};
pub(crate) use open::{Doubtful, Open, OpenPart, OpenParts};

use crate::diagnostic::Diagnostic;
use crate::threads::PoolThread;
use crate::value::{FileId, Language, Origin, Unknown, Value, Vocabulary};
use crate::yaml::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// The result for one revision.
#[derive(Debug, Default)]
pub(crate) struct Resolution {
    /// The units in the order of their names.
    pub units: Vec<Arc<Unit>>,
    /// The code of components that a question or a comparison is about, evaluated: a unit for each, whose components are what the
    /// code makes.
    pub made: Vec<Arc<Unit>>,
    /// The findings, deduplicated and sorted.
    pub findings: Vec<Diagnostic>,
    /// The YAML files that were read, sorted by file.
    pub documents: Vec<(FileId, Arc<Document>)>,
    /// Names that only the text of one file sees.
    pub locals: Locals,
    /// Which files take in which others.
    pub imports: Imports,
    /// Commands outside of the stacks that name components or stacks; looked for only where everything is resolved.
    pub mentions: Vec<CommandReference>,
    /// Folders that are filled from elsewhere; looked for only where everything is resolved.
    pub fetched: Vec<FetchedFolder>,
    /// The vocabularies of the dialects that had a part in it.
    pub vocabularies: Vec<&'static Vocabulary>,
    /// The descriptions of the files of these dialects, for editors.
    pub authoring: Vec<&'static dyn Authoring>,
    /// The configuration files that define where all other files are; empty if defaults are used.
    pub config: Vec<FileId>,
    /// Assumptions about missing configuration, each a sentence without a full stop.
    pub assumptions: Vec<String>,
    /// The addresses of configuration that is elsewhere, and is not read.
    pub remote_config: BTreeSet<String>,
    /// What could not be resolved at all.
    pub gap: Option<Gap>,
    /// Whether every unit is a stack of its name, also one without components.
    pub units_are_stacks: bool,
    /// Whether nothing was left out, whatever the scope is.
    pub is_all: bool,
}

/// The name of the stack of what the code of a component makes.
pub(crate) fn made_stack((stack, _, name): &Address) -> Text {
    format!("{stack}/{name}").into()
}

/// The local names of a revision: names for values that files define for their own use.
#[derive(Debug, Default)]
pub(crate) struct Locals {
    /// The scopes of all files that some unit reaches, sorted by path, stack and level. A file with the same content has
    /// the same scopes in two revisions.
    pub scopes: Vec<Arc<LocalScope>>,
    /// By file, for files that define units: the name of the stack that the file sets by itself, without imports.
    pub stacks: BTreeMap<FileId, Text>,
}

/// The local names of one scope.
#[derive(Clone, Debug)]
pub(crate) struct LocalScope {
    /// The file that alone sees them.
    pub file: FileId,
    /// The stack that they have these values in, where those of other stacks of the same file may be different ones.
    pub stack: Option<Text>,
    /// Which part of the file they are meant for.
    pub level: LocalLevel,
    /// The names, sorted.
    pub locals: Vec<Local>,
}

/// Which part of a file local names are meant for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LocalLevel {
    File,
    /// The components of one type.
    Kind(Text),
    /// One component: its type and name.
    Component(Text, Text),
}

impl fmt::Display for LocalLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocalLevel::File => f.write_str("global"),
            LocalLevel::Kind(kind) => f.write_str(kind),
            LocalLevel::Component(kind, name) => write!(f, "{kind}/{name}"),
        }
    }
}

/// One local name.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub name: Text,
    /// Its value; `None` if it cannot be resolved.
    pub value: Option<Value>,
    /// Its value as the deployment tool prints it, where that is another one.
    pub printed: Option<Value>,
    /// Where it is written.
    pub origin: Option<Origin>,
    /// The names that its text reads, in the order of the text, without duplicates.
    pub depends_on: Vec<Dependency>,
    /// The local of the same name in the scope around it.
    pub shadows: Option<Origin>,
    /// Whether code reads it of which nothing else is resolved.
    pub is_read_by_code: bool,
}

/// Something that a local reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The first two keys: `locals.region`, `vars.stage`.
    pub path: String,
    /// Where that is written, if it is in the same file.
    pub origin: Option<Origin>,
}

/// A part that is resolved independently: for stacks, a top-level manifest with everything it imports. If a unit
/// depends on the same content in two revisions, it is the same.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Identifies it among the units of its project in any revision: the path of its file, or its name where that says which
    /// of several units of one file it is.
    pub id: Text,
    /// Its name (for stacks the manifest key).
    pub name: Text,
    /// The file that defines it.
    pub file: FileId,
    /// Every file that had a part in it: itself, imports, included files, configuration. Sorted, without repetition.
    pub files: Vec<FileId>,
    /// Its components, sorted by stack, type and name. Empty if the unit is not in the scope.
    pub components: Vec<Arc<Component>>,
    /// What it declares without a component.
    pub absent: Vec<Absent>,
    /// How far it was resolved.
    pub state: State,
    /// Types and names of components that could not be resolved, though the unit was. Sorted.
    pub broken: Vec<(Text, Text)>,
    /// Names of stacks that could not be resolved, though others of the unit were. Sorted.
    pub failed: Vec<Text>,
    /// The parts of it that may have other components than these: what makes them is elsewhere, or not known.
    pub open: Vec<Open>,
    /// Why it may have other values and components than these: files that it reads and that git does not have. What they set is
    /// unknown; everything else was resolved.
    pub lacks: Vec<Arc<Unknown>>,
    /// Whether it may read other files than its text shows: it is not in the scope, and something that it reads is not known. What
    /// has only this in common with another state of it may differ.
    pub may_read_more: bool,
    /// Types and names of components that it defines but does not list, because their type is unknown. Sorted.
    pub unlisted: Vec<(Text, Text)>,
    /// Names of stacks that only the validation of its system gives to its components. Validation compares components that have
    /// the same name in one stack.
    pub validated_as: Vec<Text>,
    /// The thread that resolved it, which drops it fastest.
    pub thread: PoolThread,
}

impl Unit {
    /// A unit about which nothing is known and that is identified by the path of its file.
    pub(crate) fn of_path(path: &str, name: Text, file: FileId) -> Self {
        Unit { id: path.into(), ..Unit::broken(name, file) }
    }

    /// A unit about which nothing is known.
    pub(crate) fn broken(name: Text, file: FileId) -> Self {
        Unit {
            id: Text::clone(&name),
            name,
            file,
            files: vec![file],
            components: Vec::new(),
            absent: Vec::new(),
            state: State::Broken,
            broken: Vec::new(),
            failed: Vec::new(),
            open: Vec::new(),
            lacks: Vec::new(),
            may_read_more: false,
            unlisted: Vec::new(),
            validated_as: Vec::new(),
            thread: PoolThread::current(),
        }
    }

    /// Whether it was resolved but for what files set that git does not have.
    pub(crate) fn is_partial(&self) -> bool {
        self.state == State::Resolved && self.failed.is_empty() && !self.lacks.is_empty()
    }

    /// Whether it lacks something that another state of it does not lack, or has another content there.
    pub(crate) fn lacks_more_than(&self, other: &[Arc<Unknown>]) -> bool {
        self.lacks.iter().any(|one| !other.contains(one))
    }

    /// Whether something of it could not be resolved because it is wrong.
    pub(crate) fn is_broken(&self) -> bool {
        self.state == State::Broken || !self.broken.is_empty() || !self.failed.is_empty()
    }

    /// Whether something of it could not be resolved.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_broken() || !self.lacks.is_empty()
    }
}

/// A declaration of repeated components of which there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// What the names of its components begin with.
    pub name: Text,
    /// What decides that there is none.
    pub shaping: Vec<Origin>,
}

impl Absent {
    /// Whether a component would be one of these.
    pub(crate) fn has(&self, component: &Component) -> bool {
        let rest = component.name.strip_prefix(&*self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
    }
}

/// How far a unit was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
    /// It was resolved.
    Resolved,
    /// It is outside of the requested scope and only listed.
    OutOfScope,
    /// It could not be resolved; a finding reports the reason.
    Broken,
}

/// One component of one stack, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// The stack that it belongs to.
    pub stack: Text,
    /// Its type (`terraform`, `helmfile`, …).
    pub kind: Text,
    pub name: Text,
    /// Its whole configuration: a map, as the deployment tool would print it.
    pub value: Value,
    /// Lines that shaped it without being the origin of one of its values: imports of its files, names of base
    /// components, settings that control merging.
    pub shaping_origins: ShapingOrigins,
    /// Its local names, including those of its bases, before templates are rendered.
    pub locals: Option<Value>,
    /// The name under which it is declared, if that is not its name: two components that are declared under the same
    /// name are the same component, renamed.
    pub declared: Option<Text>,
    /// The effect of removing it from the configuration.
    pub removal: RemovalEffect,
    /// Metadata for rules.
    pub metadata: ComponentMetadata,
    /// How its values are to be read.
    pub language: Language,
}

/// What happens to deployed resources when their component is removed from the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RemovalEffect {
    /// It stays deployed, unmanaged.
    #[default]
    Orphaned,
    /// The next run of the deployment tool destroys it.
    Destroyed,
    /// Nothing is deployed: the component only describes others.
    Nothing,
    /// Nothing is deployed: the component configures how the state of its stack is stored, which changes with it.
    Relocated,
}

/// The lines that shaped a component without being the origin of one of its values.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapingOrigins {
    /// Those of the component alone.
    pub own: Arc<[Origin]>,
    /// Those of all components of its unit.
    pub shared: Arc<[Origin]>,
}

impl ShapingOrigins {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Origin> {
        self.own.iter().chain(self.shared.iter())
    }
}

impl FromIterator<Origin> for ShapingOrigins {
    fn from_iter<I: IntoIterator<Item = Origin>>(own: I) -> Self {
        ShapingOrigins { own: own.into_iter().collect(), shared: Arc::default() }
    }
}

impl From<Vec<Origin>> for ShapingOrigins {
    fn from(own: Vec<Origin>) -> Self {
        ShapingOrigins { own: own.into(), shared: Arc::default() }
    }
}

/// The address of a component: stack, type, name.
pub(crate) type Address = (Text, Text, Text);

impl Component {
    /// A component with a configuration, of which nothing else is known.
    pub(crate) fn new((stack, kind, name): Address, value: Value) -> Self {
        Component {
            stack,
            kind,
            name,
            value,
            shaping_origins: ShapingOrigins::default(),
            locals: None,
            declared: None,
            removal: RemovalEffect::default(),
            metadata: ComponentMetadata::default(),
            language: Language::default(),
        }
    }

    /// The name under which it is declared.
    pub(crate) fn declared(&self) -> &Text {
        self.declared.as_ref().unwrap_or(&self.name)
    }

    pub(crate) fn address(&self) -> Address {
        (Text::clone(&self.stack), Text::clone(&self.kind), Text::clone(&self.name))
    }
}

/// A component with the unit that defines it.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub component: Arc<Component>,
    pub unit: Arc<Unit>,
}

impl Resolution {
    /// The units, and the evaluated code of their components.
    pub(crate) fn with_made(&self) -> impl Iterator<Item = &Arc<Unit>> {
        self.units.iter().chain(&self.made)
    }

    /// The stacks without components.
    pub(crate) fn empty_stacks(&self) -> impl Iterator<Item = &Text> {
        let is_empty = |u: &&Arc<Unit>| u.state == State::Resolved && !u.is_incomplete() && u.components.is_empty();
        self.units.iter().filter(|_| self.units_are_stacks).filter(is_empty).map(|u| &u.name)
    }

    /// The stacks that may have components that were not resolved here. A stack whose components all failed is known
    /// only by the other state of the same unit.
    pub(crate) fn incomplete_stacks<'a>(&'a self, other: &'a Resolution) -> BTreeSet<&'a Text> {
        let incomplete: BTreeSet<&str> = self.units.iter().filter(|u| u.is_incomplete()).map(|u| &*u.id).collect();
        let of_units = |resolution: &'a Resolution| {
            let units = resolution.units.iter().filter(|u| incomplete.contains(&*u.id));
            units.flat_map(|u| u.components.iter().map(|c| &c.stack).chain(&u.failed))
        };
        of_units(self).chain(of_units(other)).collect()
    }

    /// The components of another state of the project that this one may have, too, though it could not resolve them, and
    /// those of stacks that the other state could not name.
    pub(crate) fn lost_components(&self, other: &Resolution) -> BTreeSet<Address> {
        let unnamed = other.units.iter().flat_map(|u| u.components.iter().filter(|c| u.failed.contains(&c.stack)));
        let mut lost: BTreeSet<Address> = unnamed.map(|c| c.address()).collect();
        let incomplete: Vec<&Arc<Unit>> = self.units.iter().filter(|u| u.is_incomplete()).collect();
        if incomplete.is_empty() {
            return lost;
        }
        let there: BTreeMap<&str, &Unit> = other.units.iter().map(|u| (&*u.id, &**u)).collect();
        for unit in incomplete {
            let other_lacks = there.get(&*unit.id).map_or(&[][..], |other| &other.lacks);
            let is_whole_unit =
                unit.state == State::Broken || !unit.failed.is_empty() || unit.lacks_more_than(other_lacks);
            let is_broken = |c: &Component| unit.broken.iter().any(|(kind, name)| *kind == c.kind && *name == c.name);
            let components = there.get(&*unit.id).into_iter().flat_map(|u| &u.components);
            lost.extend(components.filter(|c| is_whole_unit || is_broken(c)).map(|c| c.address()));
        }
        lost
    }

    /// Every file that had a part in it.
    pub(crate) fn files(&self) -> BTreeSet<FileId> {
        self.all_files().collect()
    }

    /// The same, with repetitions.
    pub(crate) fn all_files(&self) -> impl Iterator<Item = FileId> {
        let units = self.units.iter().flat_map(|u| u.files.iter().copied());
        units.chain(self.findings.iter().map(|f| f.primary.file))
    }

    /// All components by address. Where several units define one component of one stack, the last unit counts.
    pub(crate) fn components<'a>(&'a self) -> BTreeMap<Address, Placed> {
        let of_unit = |unit: &'a Arc<Unit>| unit.components.iter().map(move |component| (unit, component));
        let placed = |(unit, component): (&Arc<Unit>, &Arc<Component>)| {
            (component.address(), Placed { component: Arc::clone(component), unit: Arc::clone(unit) })
        };
        self.units.iter().flat_map(of_unit).map(placed).collect()
    }
}
