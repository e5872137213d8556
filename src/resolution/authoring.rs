//! What may be written in the files of a dialect, for editors: keys, values, functions, and what templates read.

use super::Component;
use crate::syntax::template::Notation;
use crate::text::Text;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt;

/// What a dialect says about its files to those who write them.
pub(crate) trait Authoring: Send + Sync {
    /// How templates are written.
    fn templates(&self) -> &'static [Notation] {
        &[]
    }

    /// What may stand at a place.
    fn expected(&self, place: &WrittenPlace<'_>) -> Expected;

    /// Whether some values name files by their paths ([`Names::Files`]).
    fn names_files(&self) -> bool {
        false
    }

    /// The functions that are a whole value: `!env NAME`.
    fn functions(&self) -> Vec<Function> {
        Vec::new()
    }

    /// The functions of templates. A method follows its namespace and a dot.
    fn template_functions(&self) -> Vec<Function> {
        Vec::new()
    }

    /// What templates find below some names, where they read these components.
    fn members(&self, components: &[&Component], names: &[&str]) -> Vec<Member>;
}

impl fmt::Debug for dyn Authoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authoring")
    }
}

/// A place in a file, by what leads to it. The file need not be one that can be read at the moment.
#[derive(Debug)]
pub(crate) struct WrittenPlace<'a> {
    /// The path of the file from the root of the repository.
    pub path: &'a str,
    /// The keys and blocks that lead to it, the outermost first; [`ITEM`](crate::syntax::place::ITEM) for the item of a
    /// list.
    pub keys: &'a [&'a str],
    /// The keys of the document that have plain text as values.
    pub fields: &'a [(&'a str, &'a str)],
}

/// What may stand at a place.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// The keys that have a meaning there.
    pub keys: Vec<Key>,
    /// The values that have a meaning there.
    pub words: Vec<&'static str>,
    /// What is named there.
    pub names: Option<Names>,
}

/// A key that has a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The key.
    pub name: &'static str,
    /// What its value is, in a few words: "list".
    pub kind: &'static str,
    /// What to write instead, if it is deprecated.
    pub replacement: Option<&'static str>,
}

/// What names at a place stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Components, of one type if that is known.
    Components(Option<&'static str>),
    /// Components with their types in front: `type.name`.
    Addresses,
    /// Stacks.
    Stacks,
    /// Outputs of the code of the component that is named before.
    Outputs,
    /// Files to import.
    Imports,
    /// Files, by their paths from the folder of the file that names them.
    Files,
    /// Inputs: of one component, of all of a type, or of all that the file reaches.
    Inputs(Option<Text>, Option<Text>),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its name; `namespace.Method` for a method.
    pub name: Text,
    /// Its parameters as they are shown; empty if they are not known.
    pub parameters: String,
    /// What each argument names, in their order; nothing for one that is no name. One with several may be any of them.
    pub arguments: &'static [&'static [Names]],
}

/// Something that a template can read.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Its name.
    pub name: Text,
    /// Its value, if that is known.
    pub value: Option<Value>,
}

impl Member {
    /// Something of which only the name is known.
    pub(crate) fn named(name: impl Into<Text>) -> Self {
        Member { name: name.into(), value: None }
    }
}

/// What values hold below some names, each name once.
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
