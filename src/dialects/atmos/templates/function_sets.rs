//! Which functions templates may call.

use crate::template::FunctionSet;
use crate::template::funcs::{Namespace, unknown_table};

unknown_table! { METHODS:
    "Component" => "reads the outputs of a component";
    "Store" => "reads a store";
    "GomplateDatasource" => "reads a data source";
    "Resolve" => "runs a YAML function";
}

/// The namespace `atmos`.
pub(super) static NAMESPACE: Namespace =
    Namespace { name: "atmos", type_name: "*exec.AtmosFuncs", methods: &[METHODS], fields: &[] };

/// Everything: templates in files and names.
pub(in crate::dialects::atmos) const ALL: FunctionSet = component(true, true);

/// The functions for locals: sprig and `collectKeys`.
pub(in crate::dialects::atmos) const LOCALS: FunctionSet = FunctionSet { sprig: true, gomplate: false, host: None };

/// The functions for the sections of components, by the settings of `atmos.yaml`.
pub(in crate::dialects::atmos) const fn component(sprig: bool, gomplate: bool) -> FunctionSet {
    FunctionSet { sprig, gomplate, host: Some(&NAMESPACE) }
}
