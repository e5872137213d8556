//! Functions that read other files.

use super::{Functions, Outcome, failed, texts};
use crate::dialects::terragrunt::load::STACK;
use crate::dialects::terragrunt::place::{inside, shown};
use crate::dialects::terragrunt::session::Session;
use crate::hcl::functions::HostError;
use crate::hcl::types::Type;
use crate::hcl::val::Val;
use crate::hcl::val::import::import;
use crate::limits::Limit;
use crate::paths;
use crate::source::glob::Glob;
use crate::source::{Node, ResolveError};
use crate::text::Text;
use crate::value::Value;

/// The most files that one pattern finds.
const MAX_FOUND: usize = 10_000;

/// `read_terragrunt_config(path, default?)`.
pub(super) fn read_config(functions: &Functions<'_, '_>, arguments: &[Val]) -> Outcome {
    if !(1..=2).contains(&arguments.len()) {
        return Err(failed(format!(
            "Expected 1 params for function read_terragrunt_config, but got {}",
            arguments.len()
        )));
    }
    match found(functions, &arguments[0])? {
        Found::NotKnown(reason) => Ok(Val::unknown(Type::Dynamic, reason)),
        Found::Nothing(path) => match arguments.get(1) {
            Some(default) => Ok(default.clone()),
            None => Err(failed(format!(
                "You attempted to run terragrunt in a folder that does not contain a terragrunt.hcl file: there is no {}",
                shown(&path)
            ))),
        },
        Found::File(path) => config(functions.session, &path).map(|value| import(&value)).map_err(HostError::Call),
    }
}

/// What `read_terragrunt_config` reads.
enum Found {
    File(String),
    /// There is no file here.
    Nothing(String),
    /// Why it is not known.
    NotKnown(Text),
}

fn found(functions: &Functions<'_, '_>, path: &Val) -> Result<Found, HostError> {
    if let Some(reason) = path.unknown_reason() {
        return Ok(Found::NotKnown(reason.clone()));
    }
    let written = &texts("read_terragrunt_config", std::slice::from_ref(path), 1, 1)?[0];
    let Some(path) = inside(&functions.place.dir, written) else {
        return Ok(Found::NotKnown(format!("{written} is outside of the repository").into()));
    };
    let session = functions.session;
    let path = match session.loader.modules.loader.reader.lookup(&path) {
        Ok(Node::Dir(_)) => unit_of(session, &path).unwrap_or(path),
        _ => path,
    };
    if let Some(why) = session.loader.unavailable(&path) {
        return Ok(Found::NotKnown(why.into()));
    }
    let is_there = session.loader.has(&path) || session.generated.values_at(&path).is_some();
    Ok(if is_there { Found::File(path) } else { Found::Nothing(path) })
}

impl Functions<'_, '_> {
    /// The configuration at a path, where it is a file that is read without a mistake.
    pub(in crate::dialects::terragrunt) fn configuration(&self, path: &Val) -> Option<Value> {
        match found(self, path) {
            Ok(Found::File(path)) => config(self.session, &path).ok(),
            _ => None,
        }
    }
}

/// The file of the unit, or else of the stack, of a folder.
fn unit_of(session: &Session<'_>, folder: &str) -> Option<String> {
    let stack = paths::join(folder, STACK);
    session.loader.unit_file(folder).or_else(|| session.loader.has(&stack).then_some(stack))
}

/// The object of a file of configuration. A file is evaluated once for each unit.
///
/// # Errors
/// What is wrong in it.
fn config(session: &Session<'_>, path: &str) -> Result<Value, String> {
    if let Some(known) = session.known.borrow().get(path) {
        return known.clone();
    }
    let depth = session.reading.borrow().len();
    if session.reading.borrow().iter().any(|other| other == path) {
        return Err(format!("{} reads itself", shown(path)));
    }
    if depth as u64 >= session.loader.modules.loader.reader.limits().get(Limit::ImportDepth).min(40) {
        return Err(format!("more than {depth} files read each other"));
    }
    session.reading.borrow_mut().push(path.to_owned());
    let (value, findings) = session.apart(|| (session.evaluate)(session, path));
    session.reading.borrow_mut().pop();
    let broken = findings.iter().find(|finding| finding.is_breaking);
    let result = match broken {
        Some(finding) => {
            let file = session.loader.modules.loader.reader.files.get(finding.primary.file);
            let line = file.line(finding.primary.start);
            Err(format!("{}:{line}: {}", file.path, finding.message))
        }
        None => Ok(value),
    };
    session.known.borrow_mut().insert(path.to_owned(), result.clone());
    result
}

/// Whether a file whose content is not read is there, as far as that is known.
///
/// # Errors
/// It is not.
pub(super) fn is_there(functions: &Functions<'_, '_>, written: &str) -> Result<(), HostError> {
    let loader = functions.session.loader;
    match inside(&functions.place.dir, written) {
        Some(path) if loader.unavailable(&path).is_none() && !loader.has(&path) => {
            Err(failed(format!("there is no {}", shown(&path))))
        }
        _ => Ok(()),
    }
}

/// `read_tfvars_file(path)`: the values as JSON text.
pub(super) fn tfvars(functions: &Functions<'_, '_>, written: &str) -> Outcome {
    let Some(path) = inside(&functions.place.dir, written) else {
        return Ok(Val::unknown(Type::Str, format!("{written} is outside of the repository")));
    };
    let session = functions.session;
    if let Some(why) = session.loader.unavailable(&path) {
        return Ok(Val::unknown(Type::Str, why));
    }
    if path.ends_with(".json") {
        let reader = &session.loader.modules.loader.reader;
        let found = reader.find(&path).map_err(|error| failed(error.message))?;
        let entry = found.ok_or_else(|| failed(format!("there is no {}", shown(&path))))?;
        let bytes = reader.bytes(&path, entry).map_err(|error| failed(error.message))?;
        return Ok(Val::str(String::from_utf8_lossy(&bytes).into_owned()));
    }
    if !session.loader.has(&path) {
        return Err(failed(format!("there is no {}", shown(&path))));
    }
    let value = config(session, &path).map_err(failed)?;
    let text = serde_json::to_string(&value).map_err(|error| failed(error.to_string()))?;
    Ok(Val::str(text).with_prov(
        crate::value::Prov::default()
            .with_inputs(value.as_map().into_iter().flat_map(|map| map.iter().map(|entry| entry.value.prov.clone()))),
    ))
}

/// `mark_glob_as_read(pattern)`: the files that match.
pub(super) fn glob(functions: &Functions<'_, '_>, written: &str) -> Outcome {
    let Some(pattern) = inside(&functions.place.dir, written) else {
        return Ok(Val::unknown(Type::Dynamic, format!("{written} is outside of the repository")));
    };
    let literal =
        pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect::<Vec<_>>().join("/");
    let folder = if literal == pattern { paths::parent(&pattern).to_owned() } else { literal };
    let reader = &functions.session.loader.modules.loader.reader;
    let dir = match reader.lookup(&folder) {
        Ok(Node::Dir(dir)) => dir,
        Ok(Node::File(_)) | Err(ResolveError::Missing | ResolveError::IsDirectory) => {
            return Ok(Val::list(Type::Str, Vec::new()));
        }
        Err(error) => return Err(failed(error.to_string())),
    };
    let glob = Glob::new(&pattern).map_err(|error| failed(format!("{error:?}")))?;
    let seen = |path: &str| paths::join(&folder, paths::seen_from(&dir, path));
    let all = reader.below(&dir, "");
    if !functions.session.budget.take(all.len() as u64 * (1 + pattern.len() as u64 / 4)) {
        return Ok(Val::unknown(Type::Dynamic, format!("to compare {} paths takes too many steps", all.len())));
    }
    let found: Vec<String> =
        all.iter().map(|entry| seen(&entry.path)).filter(|path| glob.matches(path)).take(MAX_FOUND).collect();
    Ok(Val::list(Type::Str, found.iter().map(|path| Val::str(shown(path))).collect()))
}
