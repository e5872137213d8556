//! The names that a dialect uses for the parts of a component, for rules and reports that are independent of dialects.

/// Where values of components contain the data that rules need. Paths are JSON Pointers into the value of a component;
/// empty if a dialect has no such part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    /// The section that is passed to the code of a component, and whose values have types.
    pub inputs: &'static str,
    /// The sections whose values reach components as they are written.
    pub plain_sections: &'static [&'static str],
    /// Paths within these sections that steer the resolution itself.
    pub resolution_controls: &'static [&'static str],
    /// Sections that repeat what is elsewhere in the component, or what stacklint made itself.
    pub repeated: &'static [&'static str],
    /// Sections that are copies of others unless something else is set there: the copy, and the other one.
    pub copies: &'static [(&'static str, &'static str)],
    /// Sections that may be of one kind or of another themselves, a flag or a map; with `.*` maps whose values may be lists or maps.
    pub several_kinds: &'static [&'static str],
    /// The section of generated files: each is text, or a map of what is in it.
    pub generated: &'static str,
    /// Sections whose scalars are text, however they are written.
    pub texts: &'static [&'static str],
    /// Sections that hold the name of the component or of its stack, or follow from it.
    pub named_after: &'static [&'static str],
    /// The type of components that only say what others were called before.
    pub moves: &'static str,
    /// The section of files that has components, by type and name.
    pub components: &'static str,
    /// The section of local names; see `resolution::Locals`.
    pub locals: &'static str,
    /// Booleans that switch a component off, with the value that does.
    pub switches: &'static [(&'static str, bool)],
    /// Paths below which there are arguments of the commands that run a component.
    pub arguments: &'static [&'static str],
    /// The path and the text that make a component one that others only inherit from.
    pub abstract_marker: Option<(&'static str, &'static str)>,
    /// The boolean that locks a component.
    pub lock: &'static str,
    /// Paths at or below which versions of providers, tools and modules are constrained.
    pub versions: &'static [&'static str],
    /// The keys of these constraints, at or below [`Vocabulary::versions`].
    pub version_keys: &'static [&'static str],
    /// Paths that hold, or below which there is, the address that code is fetched from.
    pub sources: &'static [&'static str],
    /// The keys of these addresses, at or below [`Vocabulary::sources`].
    pub source_keys: &'static [&'static str],
    /// The path of the list of names of its instances.
    pub instances: &'static str,
    /// The path of the type that values of it must have.
    pub type_constraint: &'static str,
    /// Where the state of a component is configured.
    pub state: Option<StatePaths>,
    /// The tag in front of a list that continues the one of a lower layer: `!append`.
    pub append: &'static str,
    /// The tag that removes a key: `!unset`.
    pub unset: &'static str,
    /// The functions that are a whole value, with their tags, sorted.
    pub functions: &'static [&'static str],
    /// The functions that start a program or a request whenever a component is resolved, with their replacements.
    pub slow_functions: &'static [(&'static str, &'static str)],
    /// The input that names the stage that a component belongs to: development, production.
    pub stage: &'static str,
    /// The other inputs that stacks are named after.
    pub stack_inputs: &'static [&'static str],
    /// How files are called, without their ending, whose values are there for others to override.
    pub defaults: &'static [&'static str],
    /// What the component is and what its stack is, where headlines count such components apart: `resource`, `root module`.
    pub counted: Option<(&'static str, &'static str)>,
    /// Words in the names of arguments that say where a component acts: in which region, in which account.
    pub target_words: &'static [&'static str],
    /// The paths of such arguments, each a beginning: `*` is any name, and the last name may be longer. Empty if they may be anywhere.
    pub targets: &'static [&'static str],
    /// The path of the defaults that apply to a call.
    pub call_defaults: &'static str,
    /// Whether the name of a component says little without its type.
    pub is_named_with_type: bool,
    /// Advice for before a component is removed.
    pub removal_help: &'static str,
    /// How to use a function in the middle of a text.
    pub function_help: &'static str,
    /// Where to keep secrets instead.
    pub secret_help: &'static str,
}

/// Where the state of a component is configured.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StatePaths {
    pub backend_type: &'static str,
    /// The map of the backend's attributes; empty if the component is that map.
    pub backend: &'static str,
    pub workspace: &'static str,
    /// What happens to a state that nothing places: it is kept there.
    pub without: &'static str,
    /// How to move a state.
    pub help: &'static str,
}

impl Vocabulary {
    /// The vocabulary of a dialect without any of these parts.
    pub(crate) const EMPTY: Vocabulary = Vocabulary {
        inputs: "",
        plain_sections: &[],
        resolution_controls: &[],
        repeated: &[],
        copies: &[],
        several_kinds: &[],
        generated: "",
        texts: &[],
        named_after: &[],
        moves: "",
        components: "",
        locals: "",
        switches: &[],
        arguments: &[],
        abstract_marker: None,
        lock: "",
        versions: &[],
        version_keys: &[],
        sources: &[],
        source_keys: &[],
        instances: "",
        type_constraint: "",
        state: None,
        append: "",
        unset: "",
        functions: &[],
        slow_functions: &[],
        stage: "",
        stack_inputs: &[],
        defaults: &[],
        counted: None,
        target_words: &[],
        targets: &[],
        call_defaults: "",
        is_named_with_type: false,
        removal_help: "destroy it first",
        function_help: "put the call into a value of its own and refer to it",
        secret_help: "keep it in a secret store and read it from there; everyone who can read the repository can read it, so replace it",
    };
}
