//! The functions of templates: those of sprig, of gomplate, and of Atmos itself.

#[macro_use]
mod call;
mod cast;
mod csv;
mod decimal;
mod duration;
mod gomplate_data;
mod gomplate_text;
mod hash;
mod json;
mod namespaces;
mod objects;
mod paths;
mod regex;
mod semver;
mod sprig_lists;
mod sprig_math;
mod sprig_text;
mod text;
mod time;
mod url;
mod yaml_data;

pub(super) use time::time_method;

use super::{Function, Functions, Object, Val};
use call::Entry;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Which libraries a template may use. Where names clash, Atmos wins over sprig, and sprig over gomplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSet {
    /// The functions of sprig.
    pub sprig: bool,
    /// The functions and namespaces of gomplate.
    pub gomplate: bool,
    /// The namespace `atmos`.
    pub atmos: bool,
}

impl FunctionSet {
    /// Everything: templates in files and names.
    pub const ALL: FunctionSet = FunctionSet { sprig: true, gomplate: true, atmos: true };
    /// What locals may use: sprig and `collectKeys`.
    pub const LOCALS: FunctionSet = FunctionSet { sprig: true, gomplate: false, atmos: false };

    /// What the sections of components may use, by the settings of `atmos.yaml`.
    pub fn component(sprig: bool, gomplate: bool) -> FunctionSet {
        FunctionSet { sprig, gomplate, atmos: true }
    }
}

impl Functions for FunctionSet {
    fn get(&self, name: &str) -> Option<Function> {
        let tables = Tables::get();
        let own = tables.own.get(name);
        let sprig = || tables.sprig.get(name).filter(|_| self.sprig);
        let gomplate = || tables.gomplate.get(name).filter(|_| self.gomplate);
        own.or_else(sprig).or_else(gomplate).copied()
    }

    fn object(&self, name: &str) -> Option<Val> {
        if self.get(name).is_some() {
            return None;
        }
        let known = match name {
            "atmos" => self.atmos,
            _ => self.gomplate,
        };
        let namespace = namespaces::ALL.iter().find(|n| n.name == name && known)?;
        Some(Val::Object(Arc::new(*namespace) as Arc<dyn Object>))
    }
}

struct Tables {
    own: HashMap<&'static str, Function>,
    sprig: HashMap<&'static str, Function>,
    gomplate: HashMap<&'static str, Function>,
}

impl Tables {
    fn get() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        let all = |tables: &[&[Entry]]| tables.iter().flat_map(|t| t.iter().copied()).collect();
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
