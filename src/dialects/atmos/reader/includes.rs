//! Files that the tags `!include` and `!include.raw` of one file bring into it.

use super::{Deps, Loaded, Reader, plain_text};
use crate::diagnostic::Label;
use crate::dialects::atmos::document::{Decoder, Include, NotIncluded};
use crate::dialects::atmos::include::{self, Format, QueryError};
use crate::dialects::atmos::paths;
use crate::limits::{Limit, Limits, take_steps};
use crate::text::{FastMap, Text};
use crate::value::{Data, FileId, Prov, Unknown, Value};
use crate::yaml::Span;
use parking_lot::Mutex;
use std::sync::Arc;

/// Reads files for `!include`.
pub(in crate::dialects::atmos) struct Includer<'a, 'r> {
    reader: &'a Reader<'r>,
    /// The manifest that includes.
    manifest: &'a str,
    /// `base_path`.
    base: &'a str,
    /// Where Atmos is started.
    start: &'a str,
    work: Mutex<Work>,
}

/// What the includes of one file have in common.
struct Work {
    deps: Deps,
    /// The content of the files, each decoded once for each way to read it.
    contents: FastMap<Reading, Result<Value, String>>,
    /// The steps that are left for queries, and whether one needed more.
    left: u64,
    is_exceeded: bool,
}

/// A file, its format, and whether it is included as it is, without a query.
type Reading = (FileId, Format, bool);

impl<'a, 'r> Includer<'a, 'r> {
    pub(in crate::dialects::atmos) fn new(
        reader: &'a Reader<'r>,
        manifest: &'a str,
        base: &'a str,
        start: &'a str,
    ) -> Self {
        let left = reader.limits().get(Limit::TemplateSteps);
        let work = Work { deps: Deps::default(), contents: FastMap::default(), left, is_exceeded: false };
        Includer { reader, manifest, base, start, work: Mutex::new(work) }
    }

    /// What was read.
    pub(in crate::dialects::atmos) fn into_deps(self) -> Deps {
        self.work.into_inner().deps
    }
}

impl Include for Includer<'_, '_> {
    fn include(&self, arguments: &str, raw: bool, site: &Prov) -> Result<Value, NotIncluded> {
        let function = if raw { "!include.raw" } else { "!include" };
        let words = include::parse_arguments(arguments)?;
        let Some(path) = words.first().filter(|p| !p.is_empty()) else {
            return Err(format!("`{function}` needs the path of a file").into());
        };
        let work = &mut *self.work.lock();
        if path.contains("://") || path.contains("::") {
            let reason = format!("`{function} {path}` fetches a file from the network");
            return Ok(unknown(&format!("{function} {arguments}"), &reason, site));
        }
        let near = path.starts_with("./") || path.starts_with("../");
        let candidates: Vec<Option<String>> = if near {
            vec![paths::join(paths::parent(self.manifest), path)]
        } else {
            vec![paths::join(self.start, path), paths::join(self.base, path)]
        };
        let mut loaded = None;
        for candidate in candidates.into_iter().flatten() {
            loaded = match self.reader.load(&candidate, &mut work.deps) {
                Ok(loaded) => loaded,
                Err(why) if why.is_unavailable => {
                    return Ok(unknown(&format!("{function} {arguments}"), &why.message, site));
                }
                Err(why) => return Err(why.message.into()),
            };
            if loaded.is_some() {
                break;
            }
        }
        let Some(loaded) = loaded else {
            return Err(format!("`{function}` names a file that does not exist: {path}").into());
        };
        let whole = loaded.prov(0, Span { start: 0, end: loaded.text.len() as u32 });
        let prov = site.with_inputs([whole]);
        let format = if raw { Format::Text } else { include::format_of(&loaded.path) };
        let expression = words.get(1).map(String::as_str);
        let limits = self.reader.limits();
        let whole_file = format == Format::Yaml && expression.is_none();
        let yaml = |text: &str| if whole_file { plain_value(&loaded, limits) } else { plain_text(text, limits) };
        let content = work
            .contents
            .entry((loaded.file, format, expression.is_none()))
            .or_insert_with(|| include::decode(format, loaded.text.as_bytes(), &yaml));
        let before = work.left;
        let value = match content {
            Ok(content) => include::included(content, expression, &yaml, &mut work.left),
            Err(message) => Err(QueryError::Bad(message.clone())),
        };
        take_steps(before.saturating_sub(work.left));
        match value {
            Ok(value) => Ok(placed(&value, &prov)),
            Err(QueryError::Bad(message)) => {
                let offset = loaded.doc().err().filter(|_| whole_file).map_or(0, |e| e.offset);
                let place = Label::new(loaded.file, offset, offset, "the included file");
                let message = format!("{} cannot be included: {message}", loaded.path);
                Err(NotIncluded { place: Some(place), ..message.into() })
            }
            Err(QueryError::Unsupported(reason)) => {
                let reason = format!("`{reason}` is not evaluated");
                Ok(unknown(&format!("{function} {arguments}"), &reason, site))
            }
            Err(QueryError::TooMuch) => {
                // One finding says it of all that have no steps left.
                if std::mem::replace(&mut work.is_exceeded, true) {
                    return Ok(unknown(
                        &format!("{function} {arguments}"),
                        "the queries of this file exceed a limit",
                        site,
                    ));
                }
                let exceeded = limits.exceeded(Limit::TemplateSteps);
                let message = format!("the queries of this file exceed a limit at `{arguments}`: {exceeded}");
                Err(NotIncluded { beyond: Some(exceeded.help()), ..message.into() })
            }
        }
    }
}

fn unknown(text: &str, reason: &str, site: &Prov) -> Value {
    Value { data: Data::Unknown(Arc::new(Unknown::new(text, reason))), prov: site.clone() }
}

/// The value of an included YAML file: its tags have no meaning there.
fn plain_value(loaded: &Loaded, limits: Limits) -> Result<Value, String> {
    let doc = loaded.doc().map_err(|e| format!("{}:{}: {}", loaded.path, e.position.line, e.message))?;
    let place = |key: u32, span: Span| loaded.prov(key, span);
    let decoder = Decoder { place: &place, include: None, delimiter: None, limits };
    decoder.decode(doc).map_err(|issues| issues.first().map_or_else(String::new, |i| i.message.clone()))
}

/// Sets the provenance of values without one.
fn placed(value: &Value, prov: &Prov) -> Value {
    let data = match &value.data {
        Data::List(l) => Data::List(Arc::new(l.iter().map(|v| placed(v, prov)).collect())),
        Data::Map(m) => Data::Map(Arc::new(m.iter().map(|e| (Text::clone(&e.key), placed(&e.value, prov))).collect())),
        other => other.clone(),
    };
    let prov = match value.prov.origin {
        Some(_) => value.prov.with_inputs([prov.clone()]),
        None => prov.clone(),
    };
    Value { data, prov }
}
