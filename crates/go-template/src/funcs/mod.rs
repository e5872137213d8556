//! The functions of templates: those of sprig and gomplate, and the namespace that the host of a template adds.

#[macro_use]
pub mod call;
mod cast;
mod csv;
mod decimal;
mod duration;
mod gomplate_data;
mod gomplate_text;
mod hash;
mod json;
mod json_path;
mod namespaces;
mod net;
mod objects;
mod regex;
mod semver;
mod sprig_dates;
mod sprig_lists;
mod sprig_math;
mod sprig_text;
mod text;
mod time;
mod toml_data;
mod url;
mod yaml_data;

pub use call::unknown_table;
pub use objects::Namespace;
pub(super) use time::time_method;

use super::{Function, Functions, Object, Val};
use call::Entry;
use shared_text::FastMap;
use std::sync::{Arc, OnceLock};

/// Which libraries a template may use. Where names clash, the host wins over sprig, and sprig over gomplate.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSet {
    /// The functions of sprig.
    pub sprig: bool,
    /// The functions and namespaces of gomplate.
    pub gomplate: bool,
    /// The namespace of the system that renders the template.
    pub host: Option<&'static Namespace>,
}

impl FunctionSet {
    /// The names of all functions and namespaces, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let tables = Tables::get();
        let sprig = tables.sprig.keys().filter(|_| self.sprig);
        let gomplate = tables.gomplate.keys().filter(|_| self.gomplate);
        let spaces = namespaces::ALL.iter().filter(|_| self.gomplate).map(|n| n.name).chain(self.host.map(|h| h.name));
        tables.own.keys().chain(sprig).chain(gomplate).copied().chain(spaces)
    }
}

impl FunctionSet {
    /// All functions, Go's own among them, and methods with their namespaces in front (`strings.ToUpper`), each with its
    /// parameters as they are shown: `text integer`. Those of functions that are not evaluated are empty.
    pub fn described(&self) -> Vec<(String, String)> {
        let tables = Tables::get();
        let (own, sprig, gomplate) = (tables.own.iter(), tables.sprig.iter(), tables.gomplate.iter());
        let bare = own.chain(sprig.filter(|_| self.sprig)).chain(gomplate.filter(|_| self.gomplate));
        let mut all: Vec<(String, String)> =
            bare.map(|(name, (_, signature))| ((*name).to_owned(), parameters(signature))).collect();
        let spaces = namespaces::ALL.iter().filter(|_| self.gomplate).chain(self.host);
        for space in spaces {
            let methods = space.methods.iter().flat_map(|table| table.iter());
            all.extend(methods.map(|(name, _, signature)| (format!("{}.{name}", space.name), parameters(signature))));
            all.extend(space.fields.iter().map(|(name, _)| (format!("{}.{name}", space.name), String::new())));
        }
        all.extend(super::builtins::NAMES.iter().map(|name| ((*name).to_owned(), String::new())));
        all.sort();
        all.dedup_by(|a, b| a.0 == b.0);
        all
    }
}

/// The parameters of a signature as they are shown: `text integer`.
fn parameters(signature: &str) -> String {
    let word = |letter| match letter {
        's' => "text",
        'i' => "integer",
        'f' => "number",
        'b' => "boolean",
        'm' => "map",
        't' => "time",
        '*' => "…",
        _ => "value",
    };
    let letters = signature.trim_start_matches('!').chars();
    letters.map(word).collect::<Vec<_>>().join(" ").replace(" …", "…")
}

impl Functions for FunctionSet {
    fn get(&self, name: &str) -> Option<Function> {
        let tables = Tables::get();
        let own = tables.own.get(name);
        let sprig = || tables.sprig.get(name).filter(|_| self.sprig);
        let gomplate = || tables.gomplate.get(name).filter(|_| self.gomplate);
        own.or_else(sprig).or_else(gomplate).map(|(function, _)| *function)
    }

    fn object(&self, name: &str) -> Option<Val> {
        if self.get(name).is_some() {
            return None;
        }
        let gomplate = || namespaces::ALL.iter().find(|n| n.name == name && self.gomplate);
        let namespace = self.host.filter(|host| host.name == name).or_else(gomplate)?;
        Some(Val::Object(Arc::new(*namespace) as Arc<dyn Object>))
    }
}

struct Tables {
    own: FastMap<&'static str, (Function, &'static str)>,
    sprig: FastMap<&'static str, (Function, &'static str)>,
    gomplate: FastMap<&'static str, (Function, &'static str)>,
}

impl Tables {
    fn get() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        let all = |tables: &[&[Entry]]| {
            let entries = tables.iter().flat_map(|table| table.iter());
            entries.map(|(name, function, signature)| (*name, (*function, *signature))).collect()
        };
        TABLES.get_or_init(|| Tables {
            own: all(&[namespaces::OWN]),
            sprig: all(&[sprig_text::TABLE, sprig_lists::TABLE, sprig_math::TABLE, namespaces::SPRIG_UNKNOWN]),
            gomplate: all(&[
                gomplate_text::STRINGS_BARE,
                gomplate_data::CONV_BARE,
                gomplate_data::COLL_BARE,
                gomplate_data::DATA_BARE,
                gomplate_data::DATASOURCES,
                gomplate_data::MATH_BARE,
                gomplate_data::TEST_BARE,
                namespaces::GOMPLATE_UNKNOWN,
            ]),
        })
    }
}

#[cfg(test)]
mod tests;
