//! The names that the expressions of one file see, and their evaluation.

use super::file::File;
use super::functions::{CalledFiles, Functions};
use super::place::{Place, REPOSITORY};
use super::rules;
use super::session::Session;
use super::touched::{ABOVE, CONFIGURATION, READERS};
use super::values::{Origins, at_key, exported};
use crate::hcl::ast::{Attribute, Call, Expr, ExprKind, Key, Name, Part, Span, TraversalStep, walk};
use crate::hcl::eval::{Evaluator, Scope};
use crate::hcl::items::in_one_line;
use crate::hcl::val::import::import;
use crate::hcl::val::{Data, Entries, Val};
use crate::paths;
use crate::reads::{Named, NamedFiles, Readable, made_of, pieces};
use crate::source::{Entry, Node};
use crate::terraform::module::paths::{is_at_home, is_reader};
use crate::text::Text;
use crate::value::{self, FileId, Map, Origin, Prov, Read, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// How many locals may wait for each other.
const MAX_CHAIN: usize = 100;
/// The function that runs a command.
const COMMAND: &str = "run_cmd";

/// The endings of files that are configurations.
const CONFIGURATIONS: Readable = Readable::Ending(&[".hcl", ".hcl.json"]);
/// Other functions read no code.
const DATA: Readable = Readable::Without(&[".hcl", ".tf", ".tofu", ".tf.json", ".tofu.json"]);

/// How many locals in a row are followed to the beginning of a path.
const MAX_NAMED: usize = 20;

/// The size of a value in the costs of comparing it, at most.
const MAX_COMPARED: usize = 1_000_000;

/// What is evaluated: later stages see more names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Paths of includes, and defaults of features.
    Includes,
    /// Locals, and what needs them.
    Locals,
}

/// A value in both forms.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoped {
    /// As the language has it.
    pub val: Val,
    /// As a resolution has it, with what unknown parts are made of.
    pub value: Value,
}

impl Scoped {
    fn of(value: Value) -> Self {
        Scoped { val: import(&value), value }
    }
}

/// The names of one file.
pub(super) struct Names<'s, 'a> {
    /// The work.
    pub session: &'s Session<'a>,
    /// The file.
    pub file: &'s File,
    /// Where it is evaluated.
    pub place: Place,
    stage: Stage,
    /// Values by their first name: `values`, `include`, `feature`, `dependency`; `local` only if the locals are those of another file.
    known: BTreeMap<&'static str, Scoped>,
    written: BTreeMap<&'s str, &'s Attribute>,
    /// The locals; `None` while one is evaluated.
    locals: RefCell<BTreeMap<Text, Option<Scoped>>>,
}

impl<'s, 'a> Names<'s, 'a> {
    pub(super) fn new(session: &'s Session<'a>, file: &'s File, place: Place) -> Self {
        let locals = file.body.blocks_of("locals").flat_map(|block| &block.body.attributes);
        let written = locals.map(|local| (&*local.name.text, local)).collect();
        let stage = Stage::Includes;
        Names { session, file, place, stage, known: BTreeMap::new(), written, locals: RefCell::default() }
    }

    /// Continues with another stage.
    pub(super) fn enter(&mut self, stage: Stage) {
        self.stage = stage;
    }

    /// Gives a name a value.
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        self.known.insert(name, Scoped::of(value));
    }

    /// Whether the value of a name is not known as a whole.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        self.known.get(name).is_some_and(|known| matches!(known.value.data, value::Data::Unknown(_)))
    }

    /// All names with their values, for a block that is evaluated elsewhere.
    pub(super) fn all(&self) -> Vec<(&'static str, Value)> {
        let mut all: Vec<_> = self.known.iter().map(|(name, known)| (*name, known.value.clone())).collect();
        if !self.known.contains_key("local") {
            all.push(("local", Value::map(self.all_locals())));
        }
        all
    }

    /// Evaluates an expression, and reports what is wrong.
    pub(super) fn eval(&self, expr: &Expr) -> Val {
        let functions = Functions { session: self.session, place: &self.place };
        let files = CalledFiles::new(self.session, &self.place.folder);
        let mut evaluator = Evaluator::new(self.file.id, self, &files, &self.session.budget).with_host(&functions);
        let value = evaluator.eval(expr);
        for problem in &evaluator.problems {
            self.session.problem(problem, (self.file.id, expr.span));
        }
        value
    }

    /// A value of the language as one of a resolution.
    pub(super) fn export(&self, expr: &Expr, value: &Val) -> Value {
        exported(self, expr, value)
    }

    /// All locals.
    pub(super) fn all_locals(&self) -> Map {
        self.written.keys().map(|name| (value::Key::from(*name), self.local(name).value)).collect()
    }

    /// The value of a local that is written.
    fn local(&self, name: &str) -> Scoped {
        let known = self.locals.borrow().get(name).cloned();
        let failed = || Scoped { val: Val::failed(), value: crate::hcl::val::export::export(&Val::failed()) };
        let Some(Attribute { name: key, expr }) = self.written.get(name).copied() else { return failed() };
        let at = (self.file.id, expr.span);
        match known {
            Some(Some(known)) => return known,
            Some(None) => {
                let message = format!("local.{name} needs itself: its value depends on local.{name}");
                self.session.error(&rules::LOCAL_CYCLE, message, at);
                return failed();
            }
            None => {}
        }
        let depth = &self.session.depth;
        if depth.get() >= MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} locals need each other in a row");
            self.session.error(&rules::LIMIT_EXCEEDED, message, at);
            return failed();
        }
        self.locals.borrow_mut().insert(Text::clone(&key.text), None);
        depth.set(depth.get() + 1);
        let val = self.eval(expr);
        let value = at_key(self.file.id, key.span, expr.span, self.export(expr, &val));
        depth.set(depth.get() - 1);
        let scoped = Scoped { val, value };
        self.locals.borrow_mut().insert(Text::clone(&key.text), Some(scoped.clone()));
        scoped
    }

    /// The value at the steps from a name, as far as they lead.
    fn at(&self, root: &str, steps: &[TraversalStep]) -> Option<(Value, bool)> {
        let mut steps = steps.iter();
        let mut value = match (root, self.known.get(root)) {
            (_, Some(known)) => known.value.clone(),
            ("local", None) => match steps.next() {
                Some(TraversalStep::Attribute(name)) => self.local(&name.text).value,
                _ => return None,
            },
            _ => return None,
        };
        for step in steps {
            let next = match step {
                TraversalStep::Attribute(name) => value.get(&name.text),
                TraversalStep::Index(Key::Text(key), _) => value.get(key),
                TraversalStep::Index(Key::Number(number), _) => {
                    let index = number.as_i64().and_then(|i| usize::try_from(i).ok());
                    value.as_list().zip(index).and_then(|(items, i)| items.get(i))
                }
            };
            match next {
                Some(next) => value = next.clone(),
                None => return Some((value, false)),
            }
        }
        Some((value, true))
    }
}

impl Scope for Names<'_, '_> {
    fn get(&self, root: &Name, steps: &[TraversalStep]) -> Option<(Val, usize)> {
        let name: &str = &root.text;
        if name == "local" && self.stage >= Stage::Locals && !self.known.contains_key("local") {
            return match steps.first() {
                Some(TraversalStep::Attribute(local)) if self.written.contains_key(&*local.text) => {
                    Some((self.local(&local.text).val, 1))
                }
                // The name is reported as missing, with the nearest one.
                Some(TraversalStep::Attribute(_)) => {
                    let names = self.written.keys().map(|name| (Text::from(*name), Val::null()));
                    Some((Val::object(names.collect()), 0))
                }
                _ => {
                    let one = |name: &&str| (Text::from(*name), self.local(name).val);
                    Some((Val::object(self.written.keys().map(one).collect::<Entries>()), 0))
                }
            };
        }
        if self.stage < Stage::Locals && name != "values" && name != "unit" && name != "stack" {
            return None;
        }
        self.known.get(name).map(|known| (known.val.clone(), 0))
    }

    fn missing(&self, name: &Name) -> (&'static str, String) {
        ("Unknown variable", format!("There is no variable named \"{}\".", name.text))
    }
}

impl Origins for Names<'_, '_> {
    fn file(&self) -> FileId {
        self.file.id
    }

    fn text(&self, expr: &Expr) -> Text {
        let file = self.session.loader.modules.loader.reader.files.get(self.file.id);
        let Span { start, end } = expr.span;
        in_one_line(file.text.get(start as usize..end as usize).unwrap_or_default()).into()
    }

    fn reads(&self, expr: &Expr) -> (Vec<Read>, Vec<Prov>) {
        let (mut found, mut sources) = (Vec::new(), Vec::new());
        for reference in walk::references(expr) {
            if let Some((value, _)) = self.at(&reference.root.text, reference.steps) {
                let names = reference.steps.iter().filter_map(|step| match step {
                    TraversalStep::Attribute(name) => Some(&*name.text),
                    TraversalStep::Index(..) => None,
                });
                let name = std::iter::once(&*reference.root.text).chain(names).collect::<Vec<_>>().join(".");
                // It is written out to be compared.
                let size = value.count(MAX_COMPARED).unwrap_or(MAX_COMPARED) as u64;
                found.push(match self.session.budget.take(size) {
                    true => made_of::value(name, &value),
                    false => Read { name: name.into(), content: None },
                });
                sources.push(value.prov);
            }
        }
        found.extend(self.files_read(expr, &mut sources));
        let possible = self.possible_reads(expr);
        sources.extend(possible.iter().filter_map(|read| self.written_in(&read.name)));
        found.extend(possible);
        (found, sources)
    }

    fn referred(&self, expr: &Expr) -> Option<Value> {
        if let ExprKind::Call(call) = &expr.kind {
            return self.configuration(call);
        }
        let reference = walk::as_reference(expr)?;
        // Something in what is unknown as a whole is not found.
        self.at(&reference.root.text, reference.steps).filter(|(_, is_whole)| *is_whole).map(|(value, _)| value)
    }

    fn value(&self, expr: &Expr) -> Value {
        let (value, _) = self.session.apart(|| self.eval(expr));
        self.export(expr, &value)
    }
}

impl Names<'_, '_> {
    /// The files that a command or a function of an expression may read: those that it names, or values that it refers to. A path
    /// may begin in any folder around: `${get_repo_root()}/run.sh`. Adds where their texts are to `sources`.
    fn files_read(&self, expr: &Expr, sources: &mut Vec<Prov>) -> Vec<Read> {
        // Nothing else reads files.
        if walk::calls(expr).is_empty() {
            return Vec::new();
        }
        let mut text = self.text(expr).replace("}/", "} ");
        // Other functions read one file, and no folder: that of a source is compared as code.
        let is_command = text.contains(COMMAND);
        // Where another unit is says nothing about what it makes.
        for reference in walk::references(expr).into_iter().filter(|reference| *reference.root.text != *"dependency") {
            let value = self.at(&reference.root.text, reference.steps).map(|(value, _)| value);
            let is_small =
                |value: &Value| value.count(MAX_COMPARED).is_some_and(|n| self.session.budget.take(n as u64));
            let value = value.filter(is_small).and_then(|value| serde_json::to_string(&value).ok());
            text.extend([" ", &value.unwrap_or_default().replace(&format!("{REPOSITORY}/"), " ")]);
        }
        let around = |folder: &'_ str| -> Vec<String> {
            let above =
                std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| paths::parent(folder)));
            above.map(str::to_owned).collect()
        };
        let folders: BTreeSet<String> =
            [around(&self.place.dir), around(&self.place.folder)].concat().into_iter().collect();
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let may_name = |word: &str| word.contains(['.', '/']);
        let reader = &self.session.loader.modules.loader.reader;
        let mut found = Vec::new();
        let named = NamedFiles { folders: &folders, may_name: &may_name, into_files: is_command };
        let is_all = named.visit(&text, &mut |path, between| {
            // A script that speaks of configuration hardly reads it: Terragrunt does.
            if between > 0 && path.ends_with(".hcl") {
                return Named::Nothing;
            }
            let node = reader.lookup(path).ok().filter(|node| is_command || matches!(node, Node::File(_)));
            let Some(node) = node else { return Named::Nothing };
            found.extend(reader.made_of(path));
            let Node::File(entry) = node else { return Named::Leaf };
            let Some((text, place)) = self.text_of(path, entry) else { return Named::Leaf };
            sources.push(place);
            Named::Text(text)
        });
        if !is_all {
            found.extend(reader.made_of_matching("some file of the repository", &|_| true));
        }
        found
    }
}

impl Names<'_, '_> {
    /// The text of a file, and the place that it is, while there are bytes left to read.
    fn text_of(&self, path: &str, entry: &Entry) -> Option<(String, Prov)> {
        let reader = &self.session.loader.modules.loader.reader;
        let bytes = reader.bytes(path, entry).ok().filter(|bytes| self.session.budget.take(bytes.len() as u64))?;
        let text = std::str::from_utf8(&bytes).ok()?.to_owned();
        let file = reader.files.add(&entry.path, &entry.id.to_string(), || text.as_str().into());
        self.session.files.borrow_mut().insert(file);
        let place = Prov::at(Origin { file, key: 0, start: 0, end: text.len() as u32 });
        Some((text, place))
    }

    /// The place that a file is, if there is one with this path.
    fn written_in(&self, path: &str) -> Option<Prov> {
        match self.session.loader.modules.loader.reader.lookup(path) {
            Ok(Node::File(entry)) => Some(self.text_of(path, entry)?.1),
            _ => None,
        }
    }

    /// The path of a file that ends with one that is searched: `"${get_terragrunt_dir()}/${find_in_parent_folders("a.yaml")}"`.
    fn searched(&self, path: &Expr) -> Option<Text> {
        match &path.kind {
            ExprKind::Call(call) => self.searched_above(call),
            ExprKind::Wrapped(inner) => self.searched(inner),
            ExprKind::Template(parts) => match parts.last()? {
                Part::Value(last) => self.searched(last),
                _ => None,
            },
            _ => None,
        }
    }

    /// The path of a file that is searched in the folders above: only its folder is not known, and what is computed of its name.
    fn searched_above(&self, call: &Call) -> Option<Text> {
        let [name] = call.arguments.as_slice() else { return None };
        let is_text = *call.name.text == *ABOVE && matches!(name.kind, ExprKind::Template(_));
        let name = self.text(name);
        let name = name.strip_prefix('"').filter(|_| is_text)?;
        Some(format!("\"${{{ABOVE}()}}/{name}").into())
    }

    /// The configuration that a call of the function reads.
    fn configuration(&self, call: &Call) -> Option<Value> {
        let path = call.arguments.first().filter(|_| *call.name.text == *CONFIGURATION)?;
        let (path, _) = self.session.apart(|| self.eval(path));
        let functions = Functions { session: self.session, place: &self.place };
        functions.configuration(&path)
    }

    /// Whether a path begins in the home folder of the user.
    fn is_at_home(&self, path: &Expr, most: usize) -> bool {
        let text = |path: &Expr| self.session.apart(|| self.eval(path)).0.as_str().map(ToString::to_string);
        is_at_home(path, &text, &|root, name| {
            let local = self.written.get(&**name).filter(|_| root == "local" && most > 0);
            local.is_some_and(|local| self.is_at_home(&local.expr, most - 1))
        })
    }

    /// The files that functions of an expression may read whose paths are not known.
    fn possible_reads(&self, expr: &Expr) -> Vec<Read> {
        let mut unknown: Vec<(Text, Readable)> = Vec::new();
        walk::visit(expr, &mut |inner| {
            let ExprKind::Call(call) = &inner.kind else { return };
            // A path that fails leads nowhere.
            let is_unknown = |argument: &&Expr| {
                let (path, _) = self.session.apart(|| self.eval(argument));
                path.unknown_reason().is_some() && !path.is_failed()
            };
            let name = &*call.name.text;
            if name == ABOVE {
                let path = call.arguments.first().filter(is_unknown);
                let path = path.map(|path| self.searched_above(call).unwrap_or_else(|| self.text(path)));
                unknown.extend(path.map(|path| (path, Readable::All)));
            } else if is_reader(name) || READERS.contains(&name) || name == CONFIGURATION {
                let path = call.arguments.first().filter(is_unknown).filter(|path| !self.is_at_home(path, MAX_NAMED));
                let path = path.map(|path| self.searched(path).unwrap_or_else(|| self.text(path)));
                // Of what is no configuration, `read_terragrunt_config` makes no value.
                let readable = if name == CONFIGURATION { CONFIGURATIONS } else { DATA };
                unknown.extend(path.map(|path| (path, readable)));
            } else if name == COMMAND {
                let texts = call.arguments.iter().enumerate().filter(|(_, argument)| is_unknown(argument));
                let texts = texts.map(|(index, argument)| (index, self.text(argument)));
                let may_be_path = |text: &str| pieces(text).iter().any(|piece| piece.contains(['.', '/']));
                let texts = texts.filter(|(index, text)| *index == 0 || may_be_path(text));
                unknown.extend(texts.map(|(_, text)| (text, Readable::All)));
            }
        });
        let loader = self.session.loader;
        let reader = &loader.modules.loader.reader;
        unknown.iter().flat_map(|(text, readable)| loader.possible.reads(reader, text, *readable)).collect()
    }
}

/// Whether a value is null or not there.
pub(super) fn is_nothing(value: &Val) -> bool {
    matches!(value.data, Data::Null(_))
}
