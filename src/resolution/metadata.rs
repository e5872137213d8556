//! Metadata of a component for rules, besides its values, independent of any system: a dialect fills it in.

use super::{Address, Detail};
use crate::text::Text;
use crate::value::{Flags, Map, Origin, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// Metadata of a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComponentMetadata {
    /// It is only there to be inherited from, and never deployed.
    pub is_abstract: bool,
    /// It is not deployed for now.
    pub is_disabled: bool,
    /// It is known to have no code, so that a run deploys nothing.
    pub lacks_code: bool,
    /// It must not be changed.
    pub is_locked: bool,
    /// The code that it configures, if it is in one folder of the repository.
    pub code: Option<Code>,
    /// Its code is a module, whose files declare its variables and outputs.
    pub is_module: bool,
    /// The module that it calls, in systems whose components are such calls: graphs show it.
    pub called: Option<CalledModule>,
    /// The inputs of its code.
    pub inputs: Inputs,
    /// The location of its state, if its configuration has one.
    pub state: Option<StatePlace>,
    /// The workspace that its code runs in, if it is known.
    pub workspace: Option<Text>,
    /// The components that it needs: those that it declares, in the order of the text, then those that it reads from.
    pub links: Arc<[Link]>,
    /// The components of its stack that it needs, in systems that judge that by themselves: graphs show it, no rule of all
    /// systems reads it.
    pub needed: Box<[Needed]>,
    /// Whether the arguments of all calls in its values are known to be in order.
    pub has_valid_calls: bool,
    /// What the calls in its values read of the repository, besides their texts: an unknown value for each, by its text.
    pub calls: Arc<[Value]>,
    /// The components that it inherits from, those that it names itself and those that follow from them.
    pub bases: Box<[Base]>,
    /// The names that it had before, from which the deployment tool moves what is deployed.
    pub former_names: Box<[Text]>,
    /// Types and names of components of its stack that are removed on purpose: their deployed resources stay. Of instances the
    /// name is that of their declaration, or what it begins with.
    pub released: Box<[(Text, Text)]>,
    /// The declaration that it is an instance of, in systems where one makes several.
    pub instance_of: Option<InstanceOf>,
    /// The component whose code makes it, where its stack is the code of that one.
    pub made_by: Option<Arc<Address>>,
    /// The name of the component that configures what manages it; null where there is no choice.
    pub managed_by: Value,
    /// Whether the deployment tool refuses to destroy it; null if nothing says so.
    pub protection: Value,
    /// Its resources are part of the state of its stack: they stay if the stack is renamed.
    pub shares_state: bool,
    /// Its encrypted data, and the methods that can read them.
    pub encryption: Box<[Encrypted]>,
}

/// An instance of a declaration, or all of its instances where it is not known which ones there are.
#[derive(Clone, Debug)]
pub(crate) struct InstanceOf {
    /// What is declared: `aws_vpc`.
    pub kind: Text,
    /// The name of the declaration, without keys: `module.net.aws_vpc.main`.
    pub name: Text,
    /// What repeats the declaration and the calls that lead to it, the outermost call first.
    pub levels: Box<[Repetition]>,
}

/// What repeats a declaration, and the key of an instance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repetition {
    /// The key in its address: `["a"]`, or `[*]` if it is not known which keys there are; empty if nothing repeats it.
    pub key: Text,
    /// Whether it is not known which keys there are.
    pub is_open: bool,
    /// The argument that repeats it: `count`; empty without one.
    pub argument: Text,
    /// The value of the argument; null without one.
    pub value: Value,
    /// Whether the instance of a declaration that was not repeated is one of these, as the first one of a `count`.
    pub adopts_single: bool,
}

impl InstanceOf {
    /// Whether it is not known how many instances it stands for.
    pub(crate) fn is_open(&self) -> bool {
        self.levels.iter().any(|level| level.is_open)
    }

    /// Whether the other one may be the same instance, where at least one of the two is open.
    pub(crate) fn may_be(&self, other: &InstanceOf) -> bool {
        let adopts = |a: &Repetition, b: &Repetition| a.is_open && a.adopts_single && b.argument.is_empty();
        let is_alike = |(a, b): (&Repetition, &Repetition)| match a.is_open || b.is_open {
            true => a.argument == b.argument || adopts(a, b) || adopts(b, a),
            false => a.key == b.key,
        };
        self.name == other.name
            && self.levels.len() == other.levels.len()
            && self.levels.iter().zip(&*other.levels).all(is_alike)
    }
}

/// Data that are written with one cipher and can be read with some.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Encrypted {
    /// The kind of data: `state`.
    pub target: Text,
    /// The methods that can read them; the first one writes them.
    pub reads: Vec<Cipher>,
}

/// A way to encrypt.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cipher {
    pub name: Text,
    /// Everything that is needed to decrypt its data, which may have unknown parts; null for plain text, `None` if a part of it is
    /// not there.
    pub definition: Option<Value>,
}

/// A module that a component calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalledModule {
    /// Its folder, from the root of the repository, or its source elsewhere.
    pub place: Text,
    /// Where the source is written.
    pub origin: Option<Origin>,
}

/// A component of the same stack that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needed {
    pub kind: Text,
    pub name: Text,
    /// Where that is written.
    pub origin: Option<Origin>,
    /// Whether something of it is read, not only declared to be needed.
    pub is_read: bool,
}

/// A component that another one inherits from.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Its name; its stack and type are those of the other one.
    pub name: Text,
    /// Where the other component is named; `None` if that is implied.
    pub origin: Option<Origin>,
}

/// Where the code of a component is.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Its folder, from the root of the repository. It need not be there.
    pub folder: Text,
    /// The folder of all code of its type.
    pub root: Text,
    /// Where the folder is named; `None` if it follows from the name of the component.
    pub origin: Option<Origin>,
    /// Other files and folders that it reads, from the root of the repository, as far as the configuration names them.
    pub others: Box<[Text]>,
    /// How the code gets there.
    pub supply: CodeOrigin,
    /// More code is generated into the folder before it runs, so its declarations are incomplete.
    pub is_open: bool,
}

/// How code gets into its folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum CodeOrigin {
    /// It is part of the repository.
    #[default]
    Repository,
    /// It may be fetched by hand and need not be part of the repository.
    Vendored,
    /// It is fetched whenever it is needed; files in the folder are ignored.
    Fetched,
}

/// The inputs of a component's code.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    /// All inputs as they are written in the end, including calls; [`Inputs::get`] returns what the code gets.
    pub all: Arc<Map>,
    /// How values with calls are passed. Without it, values are passed as they are.
    pub evaluation: Option<Evaluation>,
    /// The inputs that were written for this component, and for its bases; each is a part of what `all` was merged
    /// from. Neither includes inputs for a whole stack.
    pub authored: [Arc<Map>; 2],
    /// The names of inputs that are set in another way.
    pub given: Box<[Text]>,
    /// Names that have a meaning for the system itself, even if the code does not declare them.
    pub reserved: &'static [&'static str],
    /// There may be inputs that are not known.
    pub is_open: bool,
    /// They are environment variables: text, or JSON of everything else, which is read as the type of the variable says.
    pub is_environment: bool,
}

/// How a system passes inputs whose values have calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// Whether the code gets a value for the input at all.
    pub is_passed: fn(&Value) -> bool,
    /// The value that the code gets; what is known only at run time is unknown.
    pub value: fn(&Value) -> Value,
}

impl Default for Inputs {
    fn default() -> Self {
        let authored = [Map::none(), Map::none()];
        let (given, reserved) = (Box::default(), &[]);
        Inputs { all: Map::none(), evaluation: None, authored, given, reserved, is_open: false, is_environment: false }
    }
}

/// The location of a component's state.
#[derive(Clone, Debug)]
pub(crate) struct StatePlace {
    /// The type of the backend.
    pub backend: Text,
    /// Its settings, as passed to the code.
    pub settings: Arc<Map>,
    /// Where the settings are written, if known.
    pub origin: Option<Origin>,
    /// How many of the settings were written by somebody.
    pub authored: usize,
    /// The code runs in a separate folder, not in the one that contains it.
    pub is_separate: bool,
    /// The workspace is only assumed: nothing selects one.
    pub is_workspace_assumed: bool,
}

impl StatePlace {
    /// Whether a state of the same workspace is also found at the other place, given the settings that locate it.
    pub(crate) fn is_same_place(&self, other: &StatePlace, settings: &[&str]) -> bool {
        let is_same = |name: &str| self.settings.get(name) == other.settings.get(name);
        self.backend == other.backend && settings.iter().all(|n| is_same(n))
    }
}

/// A reference of a component to another one. Every field but places is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    /// Whether it is declared or only follows from what is read.
    pub how: LinkKind,
    /// Its cause, as a user calls it: `dependencies.components`, `!terraform.state`.
    pub by: Text,
    /// The name of the other component.
    pub component: Text,
    /// The type; `None` if the name alone identifies the component.
    pub kind: Option<Text>,
    /// The stack of the other component.
    pub stack: StackSelector,
    pub reads: ReadTarget,
    /// Nothing is wrong if the other component, or what is read of it, is not there.
    pub is_optional: bool,
    /// Where it is written.
    pub origin: Detail<Option<Origin>>,
    /// Where the stack was written, if not there.
    pub stack_origin: Detail<Option<Origin>>,
}

/// How a link comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LinkKind {
    /// It is declared, to put deployments in order.
    Declared,
    /// A value reads the state of the other component.
    Reads,
}

/// What a link reads of the other component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReadTarget {
    /// Nothing, or it is not known what.
    Nothing,
    /// An output of its code, from its state.
    Output(Text),
    Input(Text),
}

/// In which stack the other component is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StackSelector {
    /// The same one.
    Here,
    /// The one of this name.
    Stack(Text),
    /// Those in which the component has these inputs.
    Having(Vec<(Text, Text)>),
    /// Known only at run time.
    Unknown,
}

impl ComponentMetadata {
    /// Whether it stands for instances of which it is not known which ones there are.
    pub(crate) fn is_open(&self) -> bool {
        self.instance_of.as_ref().is_some_and(InstanceOf::is_open)
    }

    /// The code, if it is a module whose declarations are completely known.
    pub(crate) fn known_module(&self) -> Option<&Code> {
        self.code.as_ref().filter(|code| self.is_module && code.supply != CodeOrigin::Fetched && !code.is_open)
    }

    pub(crate) fn is_deployed(&self) -> bool {
        !self.is_abstract && !self.is_disabled
    }
}

impl Inputs {
    /// Returns the input with this name as the code gets it.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.all.get(name).and_then(|value| self.evaluated(value))
    }

    /// Returns an input as the code gets it; `None` if it is not passed.
    pub(crate) fn evaluated<'a>(&self, value: &'a Value) -> Option<Cow<'a, Value>> {
        match self.evaluation {
            Some(evaluation) if value.holds(Flags::CALL) => {
                (evaluation.is_passed)(value).then(|| Cow::Owned((evaluation.value)(value)))
            }
            _ => Some(Cow::Borrowed(value)),
        }
    }

    /// Whether the code gets a value for an input.
    pub(crate) fn passes(&self, value: &Value) -> bool {
        self.evaluation.is_none_or(|evaluation| !value.holds(Flags::CALL) || (evaluation.is_passed)(value))
    }

    /// The input of this name as it was written for the component or for one that it inherits from; the component's own
    /// counts first.
    pub(crate) fn written(&self, name: &str) -> Option<&Value> {
        self.authored.iter().find_map(|map| map.get(name))
    }
}
