//! Files that a file includes.

use super::blocks::{attribute, attributes};
use super::{Given, kind};
use crate::dialects::terragrunt::file::{Config, File, Included, Strategy};
use crate::dialects::terragrunt::names::Names;
use crate::dialects::terragrunt::place::{inside, shown};
use crate::dialects::terragrunt::values::unknown_data;
use crate::dialects::terragrunt::{checks, object, rules};
use crate::hcl::ast::Block;
use crate::reads::made_of;
use crate::text::Text;
use crate::value::{Data, Key, Map, Origin, Value};

/// The most files that one file includes.
const MAX_INCLUDES: usize = 100;

/// The files that a file includes, in the order of the blocks.
pub(super) fn all(names: &Names<'_, '_>) -> Vec<Included> {
    let blocks = names.file.body.blocks_of("include");
    if let Some(block) = blocks.clone().nth(MAX_INCLUDES) {
        let message = format!("a file with more than {MAX_INCLUDES} includes: the others are left out");
        names.session.error(&rules::LIMIT_EXCEEDED, message, (names.file.id, block.header()));
    }
    if let Some(block) = blocks.clone().filter(|block| block.labels.is_empty()).nth(1) {
        let message = "a second include without a label: only one is allowed";
        names.session.error(&rules::INVALID_BLOCK, message, (names.file.id, block.header()));
    }
    blocks.take(MAX_INCLUDES).filter_map(|block| one(names, block)).collect()
}

/// An included file cannot include another one.
pub(super) fn refuse(names: &Names<'_, '_>) {
    for block in names.file.body.blocks_of("include") {
        let message = "an included file includes another one: only one level of includes is allowed";
        names.session.error(&rules::INVALID_BLOCK, message, (names.file.id, block.header()));
    }
}

fn one(names: &Names<'_, '_>, block: &Block) -> Option<Included> {
    let session = names.session;
    let start = block.kind.span.start;
    let at = Origin { file: names.file.id, key: start, start, end: block.header().end };
    let but_path = block.body.attributes.iter().filter(|attribute| *attribute.name.text != *"path");
    let settings = attributes(names, but_path, kind("include"));
    let strategy = match settings.get("merge_strategy").and_then(Value::as_str) {
        None | Some("" | "shallow") => Some(Strategy::Shallow),
        Some("deep") => Some(Strategy::Deep),
        Some("no_merge") => None,
        Some(other) => {
            let span = block.body.get("merge_strategy").map_or(block.kind.span, |written| written.expr.span);
            let message = format!("include merge strategy {other} is unknown: it can be no_merge, shallow or deep");
            session.error(&rules::INVALID_VALUE, message, (names.file.id, span));
            None
        }
    };
    let is_exposed = settings.get("expose").and_then(Value::as_bool) == Some(true);
    let label = block.label(0).cloned().unwrap_or_default();
    let path = match path(names, block, strategy.is_some()) {
        Ok(path) => path,
        Err(object) => {
            return Some(Included {
                label,
                path: String::new(),
                file: None,
                written: at,
                at,
                strategy,
                is_exposed,
                config: Config::default(),
                unknown: Some(object),
                findings: Vec::new(),
            });
        }
    };
    let place = names.place.of_included(&path);
    let ring = session.reading.borrow().contains(&path) || session.reading.borrow().len() > 40;
    if ring {
        let message = format!("{} includes a file that is read by it", shown(&names.file.path));
        session.error(&rules::IMPORT_CYCLE, message, (names.file.id, block.header()));
        return None;
    }
    session.reading.borrow_mut().push(path.clone());
    let file = File::open(session, &path, false);
    let evaluated = file.as_ref().map(|file| session.apart(|| super::evaluate(session, file, place)));
    session.reading.borrow_mut().pop();
    let span = block.body.get("path").map_or(block.kind.span, |written| written.expr.span);
    let written = Origin { file: names.file.id, key: span.start, start: span.start, end: span.end };
    let file = file.map(|file| file.id);
    let (config, findings) = evaluated?;
    Some(Included { label, path, file, written, at, strategy, is_exposed, config, unknown: None, findings })
}

/// Gives the dependencies of a file, with those that it inherits, to the files that it includes: they see no others. Returns whether
/// some of them read these.
pub(super) fn give(names: &Names<'_, '_>, includes: &mut [Included], dependencies: &Value) -> bool {
    let session = names.session;
    let mut is_read = false;
    for included in includes.iter_mut().filter(|included| included.unknown.is_none()) {
        let findings = std::mem::take(&mut included.findings);
        let is_same = super::dependency::scope(included.config.parts.get("dependency")) == *dependencies;
        let file = if is_same { None } else { File::open(session, &included.path, false) };
        let Some(file) = file.filter(|file| checks::reads(&file.body, "dependency")) else {
            findings.into_iter().for_each(|finding| session.report(finding));
            continue;
        };
        let given = Given { outputs: Some(dependencies.clone()), ..Given::default() };
        included.config = super::evaluate_with(session, &file, names.place.of_included(&included.path), &given);
        is_read = true;
    }
    is_read
}

/// The path of the included file. What is wrong is reported.
///
/// # Errors
/// The object of a file that is not there, or not known: without one, all that reads it would be wrong, too.
fn path(names: &Names<'_, '_>, block: &Block, is_merged: bool) -> Result<String, Value> {
    let session = names.session;
    let written = block.body.get("path");
    let span = written.map_or_else(|| block.header(), |written| written.expr.span);
    let at = (names.file.id, span);
    let value = written.zip(kind("include").attribute("path"));
    let value = value.and_then(|(written, kind)| attribute(names, written, kind)).unwrap_or_default();
    let unknown = |why: &str| {
        let reads = [made_of::value("path", &value)];
        let data = unknown_data(value.as_str().unwrap_or("include").into(), why, &reads);
        Value::at(data, Origin { file: at.0, key: span.start, start: span.start, end: span.end })
    };
    // Without what is merged, nothing of the unit is known.
    let not_known = |why: &str, message: String| {
        let finding = session.finding(&rules::INCOMPLETE_ANALYSIS, message, at);
        session.report(if is_merged { finding.breaking() } else { finding });
        Err(unknown(why))
    };
    let text = match &value.data {
        Data::Str(text) => Text::clone(text),
        Data::Unknown(unknown) => {
            let why = unknown.reasons.first().cloned().unwrap_or_default();
            return not_known(&why, format!("which file is included is not known: {why}"));
        }
        _ => return Err(unknown("the path of the included file is not valid")),
    };
    let Some(path) = inside(&names.place.dir, &text) else {
        let message = format!("the included file {text} is outside of the repository, so nothing is known of it");
        return not_known("the included file is outside of the repository", message);
    };
    if let Some(why) = session.loader.unavailable(&path) {
        return not_known(&why, why.clone());
    }
    if text.is_empty() || !session.loader.has(&path) {
        let unit = shown(&names.file.path);
        let message = format!("include configuration not found: {text} (referenced from {unit})");
        session.error(&rules::UNRESOLVED_INCLUDE, message, at);
        return Err(unknown("the included file was not found"));
    }
    Ok(path)
}

/// The exposed files as expressions see them: `include.LABEL`, and directly `include` for one without a label.
pub(super) fn scope(includes: &[Included]) -> Value {
    let object = |included: &Included| match &included.unknown {
        Some(unknown) => unknown.clone(),
        None => object::of(&Config { includes: Vec::new(), ..included.config.clone() }),
    };
    if let [only] = includes
        && only.label.is_empty()
    {
        return if only.is_exposed { object(only) } else { Value::map(Map::new()) };
    }
    let exposed = includes.iter().filter(|included| included.is_exposed);
    Value::map(exposed.map(|included| (Key::from(&*included.label), object(included))).collect())
}
