//! The locals and variables of a root module, as names that its files see.

use crate::dialects::opentofu::discovery::variants::Variant;
use crate::hcl::ast::walk;
use crate::hcl::val::export::export_at;
use crate::resolution::{Dependency, Local, LocalLevel, LocalScope};
use crate::terraform::evaluation::shown::{at, exported, origin};
use crate::terraform::evaluation::statics::{Found, Statics};
use crate::terraform::module::Module;
use crate::terraform::module::block::Written;
use crate::text::Text;
use crate::value::{Data, FileId, Prov, Unknown, Value};
use std::sync::Arc;

/// The locals of the root module, and its variables.
pub(crate) fn of(statics: &Statics<'_>, file: FileId, variant: &Variant) -> Vec<Arc<LocalScope>> {
    let module = Arc::clone(&statics.nodes[0].module);
    let is_wrong = |found: &Found| found.as_ref().is_err_and(|all| all.is_empty() || !all.iter().all(|f| f.is_open));
    let of_local = |name: &Text, written: &Written| {
        let found = statics.local_value(0, name);
        (!is_wrong(&found)).then(|| exported(statics, 0, written, found))
    };
    let of_variable = |name: &Text, prov: Prov| match statics.variable_value(0, name) {
        Ok(value) => Some(export_at(&value, &prov)),
        found if is_wrong(&found) => None,
        _ => Some(Value::new(Data::Unknown(Arc::new(Unknown::new("(not set)", "no value is given")))).with_prov(prov)),
    };
    let read = module.read_by_code();
    let locals = module.locals.iter().map(|(name, written)| Local {
        name: name.clone(),
        value: of_local(name, written),
        printed: None,
        origin: at(written).origin,
        depends_on: dependencies(&module, written),
        shadows: None,
        is_read_by_code: read.contains(&format!("local.{name}")),
    });
    let variables = module.variables.iter().map(|(name, variable)| Local {
        name: name.clone(),
        value: of_variable(name, Prov::at(origin(variable.place))),
        printed: None,
        origin: Some(origin(variable.place)),
        depends_on: Vec::new(),
        shadows: None,
        is_read_by_code: read.contains(&format!("var.{name}")),
    });
    let stack = variant.is_named.then(|| variant.stack.clone());
    let scope = |level, locals: Vec<Local>| Arc::new(LocalScope { file, stack: stack.clone(), level, locals });
    let mut all = Vec::new();
    let found: Vec<Local> = locals.collect();
    all.extend((!found.is_empty()).then(|| scope(LocalLevel::File, found)));
    let found: Vec<Local> = variables.collect();
    all.extend((!found.is_empty()).then(|| scope(LocalLevel::Kind("variable".into()), found)));
    all
}

fn dependencies(module: &Module, written: &Written) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    for reference in walk::references(&written.expr) {
        let Some(crate::hcl::ast::TraversalStep::Attribute(name)) = reference.steps.first() else { continue };
        let path = format!("{}.{}", reference.root.text, name.text);
        let place = match &*reference.root.text {
            "local" => module.locals.get(&name.text).map(Written::argument),
            "var" => module.variables.get(&name.text).map(|v| v.place),
            _ => None,
        };
        let dependency = Dependency { path, origin: place.map(origin) };
        if !found.contains(&dependency) {
            found.push(dependency);
        }
    }
    found
}
