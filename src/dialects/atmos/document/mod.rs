//! From a YAML document to a [`Value`], as Atmos decodes a manifest (`reference: atmos.md` sections 6 and 8.1): tags are
//! folded into their text, files are included, merge keys are expanded, keys become text.

mod keys;

use crate::diagnostic::Label;
use crate::diagnostic::Rule;
use crate::dialects::atmos::functions::tags::{self, Tag};
use crate::dialects::atmos::merge::APPEND_KEY;
use crate::dialects::atmos::rules;
use crate::limits::{Limit, Limits};
use crate::text::Text;
pub(super) use crate::value::decode::scalar;
use crate::value::decode::{DecodeState, DecodeStep, exceeded};
use crate::value::{Data, Key, Map, Prov, Value};
use crate::yaml::{self, Document, Node, NodeId, NodeKind, ProblemKind, Scalar, Span, Style};
pub(super) use keys::expand_keys;
use keys::{Pairs, splits};
use std::sync::Arc;

/// Something that keeps a document from being decoded.
#[derive(Clone, Debug)]
pub(super) struct Issue {
    /// The id of the rule it is reported under.
    pub rule: &'static Rule,
    pub message: String,
    /// Where, in the text of the document.
    pub span: Span,
    /// A second place with words to it.
    pub related: Option<(Span, String)>,
    /// A place in another file.
    pub elsewhere: Option<Label>,
    pub help: Option<String>,
    /// The text at the span and what probably was meant.
    pub rename: Option<(String, String)>,
}

impl Issue {
    fn new(rule: &'static Rule, message: impl Into<String>, span: Span) -> Self {
        Issue { rule, message: message.into(), span, related: None, elsewhere: None, help: None, rename: None }
    }
}

/// Why a file cannot be included.
#[derive(Clone, Debug)]
pub(super) struct NotIncluded {
    /// The reason.
    pub message: String,
    /// The place in the file, if it is the cause.
    pub place: Option<Label>,
    /// Advice, if it would be beyond a limit.
    pub beyond: Option<String>,
}

impl From<String> for NotIncluded {
    fn from(message: String) -> Self {
        NotIncluded { message, place: None, beyond: None }
    }
}

/// Reads the files that `!include` names.
pub(super) trait Include {
    /// Returns the value of an include tag with these arguments, written at `site`.
    ///
    /// # Errors
    /// Why there is none.
    fn include(&self, arguments: &str, raw: bool, site: &Prov) -> Result<Value, NotIncluded>;
}

/// How a document is decoded.
pub(super) struct Decoder<'a> {
    /// The provenance of a value whose key (or itself) starts at the first offset and which spans the second range.
    pub place: &'a dyn Fn(u32, Span) -> Prov,
    /// Where included files come from. Without it tags are dropped, as in files that are included themselves.
    pub include: Option<&'a dyn Include>,
    /// `settings.yaml.key_delimiter`: unquoted keys that contain it are expanded into nested maps.
    pub delimiter: Option<&'a str>,
    pub limits: Limits,
}

impl Decoder<'_> {
    /// The value of a document.
    ///
    /// # Errors
    /// All that keeps it from being decoded.
    pub(super) fn decode(&self, doc: &Document) -> Result<Value, Vec<Issue>> {
        let mut issues: Vec<Issue> = yaml::problems(doc)
            .into_iter()
            .filter(|p| self.delimiter.is_none() || p.kind != ProblemKind::DuplicateKey)
            // Merged values may come from another file, so they are checked where that is read.
            .filter(|p| self.include.is_none() || p.kind != ProblemKind::BadMerge)
            .map(|p| {
                let rule =
                    if p.kind == ProblemKind::DuplicateKey { &rules::DUPLICATE_KEY } else { &rules::INVALID_YAML };
                let mut issue = Issue::new(rule, p.message, p.span);
                issue.related = p.related.map(|s| (s, "first written here".to_owned()));
                issue
            })
            .collect();
        let mut run =
            Decoding { decoder: self, doc, issues: Vec::new(), walk: DecodeState::new(self.limits), bare: false };
        let value = doc.root().map(|root| run.value(root, None, true)).unwrap_or_default();
        issues.append(&mut run.issues);
        if issues.is_empty() { Ok(value) } else { Err(issues) }
    }
}

struct Decoding<'a, 'd> {
    decoder: &'a Decoder<'a>,
    doc: &'d Document,
    issues: Vec<Issue>,
    walk: DecodeState<Value>,
    /// Inside of a tag whose content Atmos does not look into: tags are dropped.
    bare: bool,
}

impl Decoding<'_, '_> {
    /// The value of a node; `key` is where its key starts. The tag of the root is not examined.
    fn value(&mut self, id: NodeId, key: Option<u32>, root: bool) -> Value {
        let node = self.doc.node(id);
        let before = match self.walk.enter(self.doc, id) {
            DecodeStep::Known(value) => return value,
            DecodeStep::Alias(target) => return self.value(target, None, false),
            DecodeStep::Decode(before) => before,
            DecodeStep::Beyond(limit) => {
                self.exceeded(limit, node);
                return Value::default();
            }
        };
        let value = self.tagged(node, key, root);
        self.walk.leave(node, id, before, &value);
        value
    }

    /// Whether limits hold; otherwise reports the one that does not.
    fn is_within(&mut self, node: &Node) -> bool {
        let beyond = self.walk.beyond();
        beyond.is_none_or(|limit| {
            self.exceeded(limit, node);
            false
        })
    }

    /// Reports a limit at a node: of each limit only the first place.
    fn exceeded(&mut self, limit: Limit, node: &Node) {
        let (message, help) = exceeded(self.decoder.limits, limit);
        if !self.issues.iter().any(|issue| issue.rule == &rules::LIMIT_EXCEEDED && issue.message == message) {
            let mut issue = Issue::new(&rules::LIMIT_EXCEEDED, message, node.span);
            issue.help = Some(help);
            self.issues.push(issue);
        }
    }

    fn tagged(&mut self, node: &Node, key: Option<u32>, root: bool) -> Value {
        let prov = self.prov(node, key);
        let custom = node.tag.as_ref().filter(|t| !root && t.text.len() > 1 && !t.text.starts_with("!!"));
        let Some(tag) = custom else {
            let core = node.tag.as_ref().map(|t| &*t.text);
            return self.plain(node, core, prov);
        };
        if !self.uses_tags() {
            return self.plain(node, None, prov);
        }
        match tags::lookup(tag.text.trim()) {
            None => {
                self.unknown_tag(tag);
                Value::default()
            }
            Some(Tag::Literal) => self.bare(node, prov),
            Some(Tag::Append) => match &node.kind {
                NodeKind::Sequence(_) => {
                    let list = self.plain(node, None, prov.clone());
                    Value { data: Data::Map(Arc::new(Map::from_iter([(Key::from(APPEND_KEY), list)]))), prov }
                }
                _ => self.bare(node, prov),
            },
            Some(Tag::Call) => match &node.kind {
                NodeKind::Scalar { value, .. } => {
                    let text = format!("{} {}", tag.text.trim(), value.trim());
                    Value { data: Data::Str(text.trim().into()), prov }
                }
                _ => self.plain(node, None, prov),
            },
            Some(Tag::Include { raw }) => self.included(node, tag.span, raw, prov),
        }
    }

    /// Whether tags have the meaning that Atmos defines.
    fn uses_tags(&self) -> bool {
        self.decoder.include.is_some() && !self.bare
    }

    /// A node without its tag, whose content Atmos leaves alone: tags in it are dropped as well.
    fn bare(&mut self, node: &Node, prov: Prov) -> Value {
        let outer = std::mem::replace(&mut self.bare, true);
        let value = self.plain(node, None, prov);
        self.bare = outer;
        value
    }

    fn unknown_tag(&mut self, tag: &yaml::Tag) {
        let near = crate::text::nearest(&tag.text, tags::all());
        let message = format!("Atmos has no YAML function `{}`", tag.text);
        let mut issue = Issue::new(&rules::UNKNOWN_FUNCTION, message, tag.span);
        issue.help = near.map(|n| format!("did you mean `{n}`?"));
        issue.rename = near.map(|n| (tag.text.to_string(), n.to_owned()));
        self.issues.push(issue);
    }

    fn included(&mut self, node: &Node, tag: Span, raw: bool, prov: Prov) -> Value {
        let arguments = match &node.kind {
            NodeKind::Scalar { value, .. } => value.trim(),
            _ => "",
        };
        let included = self.decoder.include.map(|i| i.include(arguments, raw, &prov));
        match included {
            Some(Ok(value)) => {
                let most = self.decoder.limits.count(Limit::DocumentValues);
                let count = value.count(most).map_or(u64::MAX, |count| count as u64);
                self.walk.values = self.walk.values.saturating_add(count);
                if self.is_within(node) { value } else { Value::default() }
            }
            Some(Err(NotIncluded { message, place, beyond })) => {
                let span = Span { start: tag.start, end: node.span.end.max(tag.end) };
                let rule = if beyond.is_some() { &rules::LIMIT_EXCEEDED } else { &rules::UNRESOLVED_INCLUDE };
                let issue = Issue::new(rule, message, span);
                self.issues.push(Issue { elsewhere: place, help: beyond, ..issue });
                Value::default()
            }
            None => Value::default(),
        }
    }

    fn plain(&mut self, node: &Node, core: Option<&str>, prov: Prov) -> Value {
        let data = match &node.kind {
            NodeKind::Scalar { value, style } => scalar(value, *style, core),
            NodeKind::Sequence(items) => {
                Data::List(Arc::new(items.iter().map(|item| self.value(*item, None, false)).collect()))
            }
            NodeKind::Mapping(pairs) => Data::Map(Arc::new(self.map(pairs))),
            NodeKind::Alias { .. } => Data::Null,
        };
        Value { data, prov }
    }

    fn map(&mut self, pairs: &[(NodeId, NodeId)]) -> Map {
        let mut own = Pairs::with_capacity(pairs.len());
        let mut merged: Vec<Value> = Vec::new();
        let mixed = pairs.iter().any(|(key, _)| !self.is_text(*key));
        for (key, value) in pairs {
            let node = self.doc.node(*key);
            let start = node.span.start;
            match self.key(*key) {
                Name::Merge => {
                    let read = self.value(*value, Some(start), false);
                    if self.decoder.include.is_some() && !self.is_mergeable(*value, &read) {
                        let message = "map merge requires map or sequence of maps as the value";
                        self.issues.push(Issue::new(&rules::INVALID_YAML, message, self.doc.node(*value).span));
                    }
                    merged.push(read);
                }
                Name::Key(name, splits) => match self.decoder.delimiter.filter(|_| splits) {
                    Some(delimiter) => {
                        let parts: Vec<Key> = name.split(delimiter).map(Key::from).collect();
                        // Every part is a level.
                        let depth = self.walk.depth;
                        self.walk.depth += parts.len() as u64 - 1;
                        let fits = self.is_within(node);
                        let value = if fits { self.value(*value, Some(start), false) } else { Value::default() };
                        self.walk.depth = depth;
                        if fits {
                            own.expand(parts, value);
                        }
                    }
                    None => {
                        let value = self.value(*value, Some(start), false);
                        match self.decoder.delimiter {
                            Some(_) => own.unite(name, value),
                            None => own.list.push((name, value)),
                        }
                    }
                },
                Name::Bad => {}
            }
        }
        let below = crate::value::decode::below(&merged);
        Map::from_iter(below.into_iter().chain(own.list)).mixed(mixed)
    }

    /// Whether a merge key may have this node, which was read as a value: a map, an alias of one, an included one, or a list
    /// of those.
    fn is_mergeable(&self, id: NodeId, read: &Value) -> bool {
        let target = |id: NodeId| self.doc.node(self.doc.target(id));
        let is_included =
            |id: NodeId| self.uses_tags() && target(id).tag.as_ref().is_some_and(|tag| &*tag.text == "!include");
        // The reason why an included value is unknown is part of the value.
        let is_map = |value: &Value| matches!(value.data, Data::Map(_) | Data::Unknown(_));
        let is_good = |id: NodeId, read: Option<&Value>| {
            matches!(target(id).kind, NodeKind::Mapping(_)) || is_included(id) && read.is_none_or(is_map)
        };
        match (&self.doc.node(id).kind, &read.data) {
            (NodeKind::Sequence(items), Data::List(values)) => {
                items.iter().zip(values.iter()).all(|(item, value)| is_good(*item, Some(value)))
            }
            (NodeKind::Sequence(items), _) => items.iter().all(|item| is_good(*item, None)),
            (_, Data::List(values)) => is_included(id) && values.iter().all(is_map),
            _ => is_good(id, Some(read)),
        }
    }

    fn is_text(&self, key: NodeId) -> bool {
        let node = self.doc.node(self.doc.target(key));
        let NodeKind::Scalar { value, style } = &node.kind else { return true };
        let core = node.tag.as_ref().map(|t| &*t.text).filter(|t| t.starts_with("!!"));
        matches!(yaml::resolve(value, *style, core), Ok(Scalar::Str | Scalar::Merge | Scalar::Binary(_)) | Err(_))
    }

    fn key(&mut self, id: NodeId) -> Name {
        let node = self.doc.node(self.doc.target(id));
        let NodeKind::Scalar { value, style } = &node.kind else { return Name::Bad };
        let custom = node.tag.as_ref().filter(|t| self.uses_tags() && t.text.len() > 1 && !t.text.starts_with("!!"));
        if let Some(tag) = custom.filter(|t| !matches!(tags::lookup(&t.text), Some(Tag::Literal | Tag::Append))) {
            let read = self.tagged(node, None, false);
            return self.key_of(&read, tag, node.span);
        }
        let core = node.tag.as_ref().map(|t| &*t.text).filter(|t| t.starts_with("!!"));
        let text = match yaml::resolve(value, *style, core) {
            Ok(Scalar::Merge) => return Name::Merge,
            Ok(Scalar::Null) => return self.null_key(node.span),
            Ok(Scalar::Bool(b)) => Text::from(if b { "true" } else { "false" }),
            Ok(Scalar::Int(i)) => Text::from(i.to_string()),
            Ok(Scalar::Uint(u)) => Text::from(u.to_string()),
            Ok(Scalar::Float(f)) => Text::from(crate::template::float_text(f)),
            Ok(Scalar::Time(t)) => Text::from(t.to_string()),
            Ok(Scalar::Binary(b)) => Text::from(String::from_utf8_lossy(&b)),
            Ok(Scalar::Str) | Err(_) => Text::clone(value),
        };
        let quoted = matches!(style, Style::SingleQuoted | Style::DoubleQuoted);
        let splits = !quoted && self.decoder.delimiter.is_some_and(|d| splits(&text, d));
        Name::Key(text, splits)
    }

    fn null_key(&mut self, span: Span) -> Name {
        let message = "a mapping key without a value crashes Atmos";
        let mut issue = Issue::new(&rules::INVALID_YAML, message, span);
        issue.help = Some("quote the key if the text is meant: `\"null\":`".to_owned());
        self.issues.push(issue);
        Name::Bad
    }

    /// The key that a tagged key was read as.
    fn key_of(&mut self, read: &Value, tag: &yaml::Tag, span: Span) -> Name {
        let text = match &read.data {
            Data::Str(text) => Text::clone(text),
            Data::Bool(b) => Text::from(b.to_string()),
            Data::Int(i) => Text::from(i.to_string()),
            Data::Uint(u) => Text::from(u.to_string()),
            Data::Float(f) => Text::from(crate::template::float_text(*f)),
            // Why there is nothing has been reported.
            Data::Null if !self.issues.is_empty() => return Name::Bad,
            Data::Null => return self.null_key(span),
            _ => {
                let message = format!("`{}` gives {}, which cannot be a key", tag.text, read.a_kind());
                self.issues.push(Issue::new(&rules::INVALID_YAML, message, span));
                return Name::Bad;
            }
        };
        Name::Key(text, false)
    }

    fn prov(&self, node: &Node, key: Option<u32>) -> Prov {
        let start = node.tag.as_ref().map_or(node.span.start, |t| t.span.start.min(node.span.start));
        let span = Span { start, end: node.span.end };
        (self.decoder.place)(key.unwrap_or(start), span)
    }
}

enum Name {
    Key(Key, bool),
    Merge,
    Bad,
}
