//! Files of variables: dotenv, JSON, YAML.

use super::load::Loader;
use crate::diagnostic::{Diagnostic, rules};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::document;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::structure::parse_tree;
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::paths::{resolve, seen_from};
use crate::text::{Text, decoded};
use crate::value::{FileId, Origin, Prov, Read, Unknown};
use crate::yaml;
use std::sync::Arc;

/// A file of variables that is to be read.
pub(crate) struct Varfile<'a> {
    /// The folder that its path starts from.
    pub dir: &'a str,
    pub path: &'a str,
    /// Whether it may be missing.
    pub is_optional: bool,
    /// Where it is named; `None` if nothing names it, so that Garden looks for it.
    pub place: Option<&'a Prov>,
}

/// The format of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `NAME=VALUE` lines.
    Dotenv,
    Json,
    Yaml,
}

impl Format {
    fn of(path: &str) -> Format {
        let name = path.to_lowercase();
        match () {
            () if name.ends_with(".json") => Format::Json,
            () if name.ends_with(".yml") || name.ends_with(".yaml") => Format::Yaml,
            () => Format::Dotenv,
        }
    }
}

/// The variables of a file whose path is known only when Garden runs. They are made of the files that it may be: those that the
/// plain parts of the path begin and end like, or that a text in a template names.
pub(crate) fn of_unknown_path(
    loader: &Loader<'_>,
    dir: &str,
    path: &Unknown,
    place: &Prov,
    diagnostics: &Diagnostics,
) -> Node {
    let why = path.reasons.first().map_or("its path is known only when Garden runs", |reason| reason);
    let text = &*path.text;
    let before = text.split("${").next().unwrap_or_default();
    let after = text.rsplit_once('}').map_or("", |(_, after)| after);
    let named = text.split(['\'', '"']).skip(1).step_by(2).filter_map(|path| resolve(dir, path));
    let mut reads: Vec<Read> = named.flat_map(|path| loader.reader.made_of(&path)).collect();
    if !(before.is_empty() && after.is_empty())
        && let Some(start) = resolve(dir, &format!("./{before}"))
    {
        let is_meant = |path: &str| path.starts_with(&start) && path.ends_with(after);
        reads.extend(loader.reader.made_of_matching(text, &is_meant));
    }
    unknown(text, why, reads, place, diagnostics)
}

/// The variables of a file that is known only when Garden runs, which is reported where it is named.
fn unknown(path: &str, why: &str, reads: Vec<Read>, place: &Prov, diagnostics: &Diagnostics) -> Node {
    let message =
        format!("{why}, so the variables of this file are not known; it is taken to replace none that is known");
    diagnostics.report(Diagnostic::new(&rules::INCOMPLETE_ANALYSIS, message, diagnostics.label(place)));
    let unknown = made_of(why, reads);
    diagnostics.lack(Unknown { text: path.into(), ..unknown.clone() });
    open(unknown)
}

fn made_of(why: &str, reads: Vec<Read>) -> Unknown {
    let mut unknown = Unknown::new("", why);
    unknown.add_reads(reads);
    unknown
}

/// Variables of which none is known.
fn open(unknown: Unknown) -> Node {
    Node::new(Data::Open(Arc::default(), Arc::new(unknown)))
}

/// Returns the variables of a file, with templates parsed; `None` if it does not exist, which is reported unless it is
/// optional.
pub(crate) fn load(
    loader: &Loader<'_>,
    varfile: &Varfile<'_>,
    era: LanguageVersion,
    diagnostics: &Diagnostics,
) -> Option<Node> {
    let node = load_as(loader, varfile, Format::of(varfile.path), diagnostics)?;
    let Some(map) = node.as_map() else { return Some(node) };
    let mut failures = Vec::new();
    let entry = |(key, value): (&Text, &Node)| (Text::clone(key), parse_tree(value, era, &[key], &mut failures));
    let tree = Node::at(Data::Map(Arc::new(map.iter().map(entry).collect())), node.prov.clone());
    failures.iter().for_each(|failure| diagnostics.failure(failure));
    Some(tree)
}

/// The plain content of a file in a format.
pub(crate) fn load_as(
    loader: &Loader<'_>,
    varfile: &Varfile<'_>,
    format: Format,
    diagnostics: &Diagnostics,
) -> Option<Node> {
    let path = resolve(varfile.dir, varfile.path);
    let nowhere = Prov::default();
    let place = varfile.place.unwrap_or(&nowhere);
    if let Some(path) = &path
        && let Some(why) = loader.unavailable(path)
    {
        let reads = loader.reader.made_of(path);
        // What git ignores under the name that Garden looks for is a file of a developer, if there is one.
        let is_expected = varfile.place.is_some() || matches!(loader.reader.find(path), Ok(Some(_)));
        return Some(match is_expected {
            true => unknown(path, &why, reads, place, diagnostics),
            false => open(made_of(&why, reads)),
        });
    }
    let found = path.as_deref().and_then(|path| loader.bytes(path, diagnostics));
    let (Some(path), Some((id, bytes))) = (path, found) else {
        if !varfile.is_optional {
            let message = format!("the variable file `{}` does not exist", varfile.path);
            diagnostics.error(&rules::UNRESOLVED_INCLUDE, message, place);
        }
        return None;
    };
    let text = decoded(&bytes);
    let file = loader.add(&path, &id, &text);
    match format {
        Format::Dotenv => Some(dotenv(&text, file)),
        Format::Json | Format::Yaml => {
            let content = Content { text, file, shown: seen_from(varfile.dir, &path), format };
            content.mapping(loader, diagnostics)
        }
    }
}

/// The text of a file in JSON or YAML.
struct Content<'a> {
    text: Text,
    file: FileId,
    /// Its path in messages.
    shown: &'a str,
    format: Format,
}

impl Content<'_> {
    /// The whole file as a place.
    fn whole(&self) -> Prov {
        Prov::at(Origin { file: self.file, key: 0, start: 0, end: 0 })
    }

    /// Its variables: one document that is a mapping. An empty file of YAML has none.
    fn mapping(&self, loader: &Loader<'_>, diagnostics: &Diagnostics) -> Option<Node> {
        let empty = || Node::at(Node::map([]).data, self.whole());
        let Some(doc) = self.document(diagnostics)? else { return Some(empty()) };
        let node = match document::read(&doc, Some(self.file), loader.reader.limits()) {
            Ok(node) => node,
            Err(problems) => {
                for problem in problems {
                    let span = problem.span;
                    let origin = Origin { file: self.file, key: span.start, start: span.start, end: span.end };
                    diagnostics.error(problem.rule, problem.message, &Prov::at(origin));
                }
                return None;
            }
        };
        match &node.data {
            Data::Map(_) => Some(node),
            Data::Undefined if self.format == Format::Yaml => Some(empty()),
            _ => {
                let kind = super::resource::kind_name(&node);
                let message = format!("a variable file must be a mapping, but {} is a {kind}", self.shown);
                diagnostics.error(&rules::INVALID_CONFIG, message, &self.whole());
                None
            }
        }
    }

    /// Its only document; `Some(None)` if it is YAML without one. Otherwise what is wrong is reported.
    fn document(&self, diagnostics: &Diagnostics) -> Option<Option<yaml::Document>> {
        let mut documents = match yaml::documents_of(Text::clone(&self.text)) {
            Ok(documents) => documents,
            Err(error) => {
                let origin = Origin { file: self.file, key: error.offset, start: error.offset, end: error.offset };
                diagnostics.error(&rules::INVALID_YAML, error.message, &Prov::at(origin));
                return None;
            }
        };
        let (name, shown) = (if self.format == Format::Json { "JSON" } else { "YAML" }, self.shown);
        let message = match documents.len() {
            0 if self.format == Format::Json => format!("{shown} is empty: it must be a JSON object"),
            0 | 1 => return Some(documents.pop()),
            more => format!("a variable file must be one {name} document, but {shown} has {more}"),
        };
        diagnostics.error(&rules::INVALID_CONFIG, message, &self.whole());
        None
    }
}

/// The variables of `NAME=VALUE` lines as the dotenv package of Node reads them.
pub(crate) fn dotenv(text: &str, file: FileId) -> Node {
    let mut all: Vec<(Text, Node)> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line_end = text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end);
        let line = &text[at..line_end];
        let entry = entry(text, at, line);
        at = line_end + 1;
        let Some(entry) = entry else { continue };
        at = at.max(entry.end + 1);
        let origin = Origin { file, key: entry.key as u32, start: entry.start as u32, end: entry.end as u32 };
        all.push((entry.name.into(), Node::at(Data::Text(entry.value.into()), Prov::at(origin))));
    }
    let whole = Prov::at(Origin { file, key: 0, start: 0, end: 0 });
    Node::at(Node::map(all).data, whole)
}

struct Entry<'a> {
    name: &'a str,
    value: String,
    key: usize,
    start: usize,
    end: usize,
}

/// Returns the variable that a line sets. A quoted value may continue over further lines.
fn entry<'a>(text: &'a str, at: usize, line: &'a str) -> Option<Entry<'a>> {
    let body = line.trim_start();
    let body = body.strip_prefix("export ").map_or(body, str::trim_start);
    let key = at + (line.len() - body.len());
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let length = body.find(|c| !is_name(c)).unwrap_or(body.len());
    let (name, rest) = body.split_at(length);
    let behind = rest.trim_start_matches([' ', '\t']);
    let value = behind.strip_prefix('=').or_else(|| rest.strip_prefix(": ")).filter(|_| !name.is_empty())?;
    let start_of_value = at + line.len() - value.len();
    let trimmed = value.trim_start_matches([' ', '\t']);
    let start = start_of_value + (value.len() - trimmed.len());
    if let Some(quote) = trimmed.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
        && let Some((inner, end)) = quoted(text, start, quote)
    {
        let value = match quote {
            '"' => inner.replace("\\n", "\n").replace("\\r", "\r"),
            _ => inner.to_owned(),
        };
        return Some(Entry { name, value, key, start, end });
    }
    let plain = trimmed.split('#').next().unwrap_or_default().trim();
    Some(Entry { name, value: plain.to_owned(), key, start, end: start + plain.len() })
}

/// The text in quotes at a place, up to the last quote that only blanks or a comment follow on its line.
fn quoted(text: &str, start: usize, quote: char) -> Option<(&str, usize)> {
    let inside = start + 1;
    let mut escaped = false;
    for (i, c) in text[inside..].char_indices() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            c if c == quote && !escaped => return Some((&text[inside..inside + i], inside + i + 1)),
            _ => {}
        }
        escaped = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::garden::template::node::json;

    #[test]
    fn dotenv_as_node_reads_it() {
        for (text, expected) in [
            ("a=1\n# no\nb = two words # x\n", r#"{"a":"1","b":"two words"}"#),
            ("export A=x\nB=\nC='x # y'\n", r##"{"A":"x","B":"","C":"x # y"}"##),
            ("u=http://x/?b#c\nq=\"a\\nb\"\ns='a\\nb'", r#"{"u":"http://x/?b","q":"a\nb","s":"a\\nb"}"#),
            ("m=\"one\ntwo\"\nn=3", r#"{"m":"one\ntwo","n":"3"}"#),
            ("a.b=1\nno value\n=x\n", r#"{"a.b":"1"}"#),
        ] {
            assert_eq!(json::encode(&dotenv(text, FileId::new(0))), expected, "{text}");
        }
    }
}
