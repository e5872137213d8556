//! Descriptions of the files of a dialect for editors: keys, values, functions, and the data of templates.

use super::Component;
use crate::syntax::template::Notation;
use crate::text::Text;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Describes the files of a dialect for completion and semantic tokens.
pub(crate) trait Authoring: Send + Sync {
    /// Returns the syntaxes of templates.
    fn templates(&self) -> &'static [Notation] {
        &[]
    }

    /// Returns the keys, values and names that are valid at a place.
    fn expected(&self, place: &WrittenPlace<'_>) -> Expected;

    /// Whether some values are paths of files ([`Names::Files`]).
    fn names_files(&self) -> bool {
        false
    }

    /// Returns the functions that form a whole value: `!env NAME`.
    fn functions(&self) -> Vec<Function> {
        Vec::new()
    }

    /// Returns the functions of templates. A method has the prefix of its namespace.
    fn template_functions(&self) -> Vec<Function> {
        Vec::new()
    }

    /// Returns the members that templates can read below a path, given the components that they are evaluated for.
    fn members(&self, components: &[&Component], names: &[&str]) -> Vec<Member>;

    /// Returns what a component has to say so that its code and its state stay where they are if it gets another name, given its
    /// resolution in some stacks; `None` if nothing.
    ///
    /// # Errors
    /// Something that cannot be kept depends on the name: a clause.
    fn keeping(&self, instances: &[&Component]) -> Result<Option<Kept>, String> {
        _ = instances;
        Ok(None)
    }

    /// Returns how manifests name their stack; `None` where they do not.
    fn stack_naming(&self) -> Option<StackNaming> {
        None
    }
}

/// How manifests name their stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackNaming {
    /// The key of a manifest whose value is the name of its stack, whatever its other values are.
    pub key: &'static str,
    /// What a component says so that its state stays where it is if its stack gets another name.
    pub keeping: fn(&Component) -> Option<Kept>,
}

/// Entries of a section of a component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub section: &'static str,
    /// Keys and texts.
    pub entries: Vec<(&'static str, String)>,
}

impl fmt::Debug for dyn Authoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authoring")
    }
}

/// A place in a file, which does not have to be valid.
#[derive(Debug)]
pub(crate) struct WrittenPlace<'a> {
    /// The path of the file, relative to the root of the repository.
    pub path: &'a str,
    /// The enclosing keys and blocks, outermost first; [`ITEM`](crate::syntax::place::ITEM) stands for an item of a
    /// list.
    pub keys: &'a [&'a str],
    /// The scalar fields at the top level of the document.
    pub fields: &'a [(&'a str, &'a str)],
}

/// The keys, values and names that are valid at a place.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// The known keys.
    pub keys: Vec<Key>,
    /// The known values.
    pub words: Vec<&'static str>,
    /// The kind of names that are expected.
    pub names: Option<Names>,
}

/// A known key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The key.
    pub name: &'static str,
    /// A short description of its value: "list".
    pub kind: &'static str,
    /// The replacement, if the key is deprecated.
    pub replacement: Option<&'static str>,
}

/// A kind of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Components, of one type if it is known.
    Components(Option<&'static str>),
    /// Components with their type as prefix: `type.name`.
    Addresses,
    Stacks,
    /// Outputs of the code of the component in the preceding argument.
    Outputs,
    /// Files to import.
    Imports,
    /// Files, relative to the folder of the file.
    Files,
    /// Inputs, by the type and the name of the component; if they are missing, of all components that the file affects.
    Inputs(Option<Text>, Option<Text>),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The name; `namespace.Method` for a method.
    pub name: Text,
    /// The parameters, for display; empty if they are unknown.
    pub parameters: String,
    /// The kinds of names that each argument accepts, in order; empty for an argument that is not a name.
    pub arguments: &'static [&'static [Names]],
}

/// A member of the data of templates.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub name: Text,
    /// The value, if it is known.
    pub value: Option<Value>,
}

impl Member {
    /// A member without a known value.
    pub(crate) fn named(name: impl Into<Text>) -> Self {
        Member { name: name.into(), value: None }
    }
}

/// Returns the members of values below a path, each name once.
pub(crate) fn members_of<'a>(values: impl IntoIterator<Item = &'a Value>, names: &[&str]) -> Vec<Member> {
    let mut found: BTreeMap<Text, Value> = BTreeMap::new();
    for value in values {
        let Some(map) = names.iter().try_fold(value, |value, name| value.get(name)).and_then(Value::as_map) else {
            continue;
        };
        for entry in map.iter() {
            found.entry(Text::clone(&entry.key)).or_insert_with(|| entry.value.clone());
        }
    }
    found.into_iter().map(|(name, value)| Member { name, value: Some(value) }).collect()
}
