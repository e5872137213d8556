//! The input values of a root module: the environment, variable files, and the command line, later ones win.

use crate::hcl::ast::{Body, Expr, Span};
use crate::hcl::eval::{Budget, Evaluator, NoNames};
use crate::hcl::functions::NoFiles;
use crate::hcl::parse::{Layout, parse_body, parse_expression};
use crate::hcl::types::Type;
use crate::hcl::val::export::export;
use crate::hcl::val::import::import;
use crate::hcl::val::{Data, Val};
use crate::paths::join;
use crate::reads::made_of;
use crate::source::BlobId;
use crate::terraform::evaluation::given::{GeneratedFile, Given, VariableInput};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::load::names::{Syntax, is_automatic};
use crate::terraform::load::{Loader, Parsed, SourceFile, json_values};
use crate::terraform::module::Module;
use crate::terraform::module::variable::{Variable, literal};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{FileId, Flags, Prov, Read};
use std::collections::{BTreeMap, BTreeSet};

/// The prefix of environment variables for variables.
const PREFIX: &str = "TF_VAR_";

/// An input value.
#[derive(Clone, Debug)]
enum InputValue {
    /// Text, whose meaning depends on the type of the variable.
    Text(String, FileId),
    /// A value with its place.
    Value(Val),
    /// A value that the environment passes as text or JSON, and what its unknown parts are made of.
    Passed(Val, Vec<Read>),
    /// A value that is not known, and what it is made of.
    Unknown(Val, Vec<Read>),
    /// An invalid one, which is already reported.
    Broken,
}

/// The input values of a root module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    given: BTreeMap<Text, InputValue>,
    /// The failures of variable files.
    pub failures: Vec<Failure>,
    /// Names that files set and nothing declares.
    pub undeclared: Vec<(Text, Place)>,
    /// The values and those that they replaced, to show which one wins.
    pub files: Vec<FileId>,
}

impl Inputs {
    /// Collects the values for a module, from what is lowest to what wins.
    pub(crate) fn collect(loader: &Loader<'_>, module: &Module, dir: &str, given: Given<'_>) -> Self {
        let mut all = Inputs::default();
        for (name, value) in given.env {
            if let Some(name) = name.strip_prefix(PREFIX) {
                all.text(loader, name, value);
            }
        }
        for entry in given.passed.into_iter().flat_map(|values| values.iter()) {
            let is_unknown = entry.value.holds(Flags::UNKNOWN);
            let reads = is_unknown.then(|| made_of::value(format!("var.{}", entry.key), &entry.value));
            let value = InputValue::Passed(import(&entry.value), reads.into_iter().collect());
            all.given.insert(Text::clone(&entry.key), value);
        }
        let (copied, generated) = match given.over {
            Some(over) => (over.folder.as_deref(), &over.generated[..]),
            None => (None, &[][..]),
        };
        for (name, folder) in automatic(loader, dir, copied, generated) {
            match generated.iter().find(|file| file.name == name) {
                Some(file) => all.generated(loader, module, file),
                None => all.file(loader, module, folder, &name, false),
            }
        }
        let values = given.values.into_iter().flat_map(|values| values.iter());
        for entry in values.filter(|entry| module.variables.contains_key(&entry.key)) {
            let value = match entry.value.holds(Flags::UNKNOWN) {
                true => {
                    let reads = made_of::value(format!("var.{}", entry.key), &entry.value);
                    InputValue::Unknown(import(&entry.value), vec![reads])
                }
                false => InputValue::Value(import(&entry.value)),
            };
            all.given.insert(Text::clone(&entry.key), value);
        }
        for input in given.variables {
            match input {
                VariableInput::Value { name, text } => {
                    all.text(loader, name, text);
                }
                VariableInput::File { path } => all.file(loader, module, "", path, true),
                VariableInput::Text { path, text } => all.outside(loader, module, path, text),
                VariableInput::Unknown { name: Some(name), what } => all.unknown([name.into()], what),
                VariableInput::Unknown { name: None, what } => all.unknown(module.variables.keys().cloned(), what),
            }
        }
        all
    }

    /// Adds a value as text, in a file of its own, so that it has places.
    fn text(&mut self, loader: &Loader<'_>, name: &str, text: &str) {
        let identity = BlobId::of(text.as_bytes()).to_string();
        let file = loader.reader.files.add(&format!("<value for var.{name}>"), &identity, || Text::from(text));
        self.given.insert(name.into(), InputValue::Text(text.to_owned(), file));
    }

    fn file(&mut self, loader: &Loader<'_>, module: &Module, dir: &str, name: &str, is_needed: bool) {
        let syntax = if name.ends_with(".json") { Syntax::JsonValues } else { Syntax::Values };
        match loader.load(dir, name, syntax) {
            Ok(file) => {
                self.files.push(file.file);
                let failures = file.parsed.errors.iter().map(|e| Failure::of_syntax(e, file.file));
                self.failures.extend(failures);
                let body = &file.parsed.body;
                self.body(module, body, &file);
            }
            Err(None) if !is_needed => {}
            Err(Some(why)) if why.is_unavailable => self.unavailable(loader, module, &join(dir, name), &why.message),
            Err(why) => {
                let path = join(dir, name);
                let file = loader.reader.files.add(&path, "", || Text::from(""));
                let message = match why {
                    Some(why) => format!("failed to read variables file: {why}"),
                    None => format!("failed to read variables file: there is no {path}"),
                };
                self.failures.push(Failure::new(&rules::VALUES, message, (file, Span::default())).hiding());
            }
        }
    }

    /// A file of values that is generated.
    fn generated(&mut self, loader: &Loader<'_>, module: &Module, file: &GeneratedFile) {
        let syntax = if file.name.ends_with(".json") { Syntax::JsonValues } else { Syntax::Values };
        match loader.generated(file, syntax) {
            Some(file) => {
                self.failures.extend(file.parsed.errors.iter().map(|e| Failure::of_syntax(e, file.file)));
                self.body(module, &file.parsed.body.clone(), &file);
            }
            None => self.unknown(module.variables.keys().cloned(), &file.name),
        }
    }

    /// Variables that something may set to what is not known.
    fn unknown(&mut self, names: impl IntoIterator<Item = Text>, what: &str) {
        let value = Val::unknown(Type::Dynamic, format!("{what} may set it, which is not known"));
        let value = InputValue::Unknown(value, Vec::new());
        self.given.extend(names.into_iter().map(|name| (name, value.clone())));
    }

    /// A file whose content git does not have: it may set every variable.
    fn unavailable(&mut self, loader: &Loader<'_>, module: &Module, path: &str, why: &str) {
        let file = loader.reader.files.add(path, "", || Text::from(""));
        let message = format!("{why}; so the values of variables that it may set are not known");
        let place = (file, Span::default());
        self.failures.push(Failure::new(&rules::INCOMPLETE_ANALYSIS, message, place).lint(None));
        let reads = loader.reader.made_of(path);
        let value = InputValue::Unknown(Val::unknown(Type::Dynamic, why), reads);
        self.given.extend(module.variables.keys().map(|name| (name.clone(), value.clone())));
    }

    /// A file outside of the repository.
    fn outside(&mut self, loader: &Loader<'_>, module: &Module, path: &str, text: &str) {
        let is_json = path.ends_with(".json") || text.trim_start().starts_with('{');
        let identity = BlobId::of(text.as_bytes()).to_string();
        let id = loader.reader.files.add(path, &identity, || Text::from(text));
        let parsed = match is_json {
            true => json_values(text),
            false => {
                let parsed = parse_body(text, Layout::Strict);
                Parsed { text: Text::from(text), body: parsed.body, errors: parsed.errors }
            }
        };
        let file = SourceFile {
            file: id,
            blob: BlobId::of(text.as_bytes()),
            name: path.to_owned(),
            parsed: std::sync::Arc::new(parsed),
            is_json,
        };
        self.failures.extend(file.parsed.errors.iter().map(|e| Failure::of_syntax(e, id)));
        let body = file.parsed.body.clone();
        self.body(module, &body, &file);
    }

    fn body(&mut self, module: &Module, body: &Body, file: &SourceFile) {
        for block in &body.blocks {
            let place = (file.file, block.header());
            let message = match &*block.kind.text {
                "variable" => {
                    "variable declaration in .tfvars file: it gives values to variables that are declared elsewhere"
                        .to_owned()
                }
                kind => format!("unexpected \"{kind}\" block: blocks are not allowed here"),
            };
            self.failures.push(Failure::new(&rules::VALUES, message, place));
        }
        // Sops adds its own key to the values.
        let is_encrypted = file.is_json && body.get("sops").is_some();
        let attributes = body.attributes.iter().filter(|a| !is_encrypted || &*a.name.text != "sops");
        let mut seen = BTreeSet::new();
        for attribute in attributes {
            let before = self.failures.len();
            if !seen.insert(&attribute.name.text) {
                let message = format!("attribute redefined: `{}` was already set in this file", attribute.name.text);
                self.failures.push(Failure::new(&rules::VALUES, message, (file.file, attribute.name.span)));
                continue;
            }
            let value = literal(&attribute.expr, file.file, &mut self.failures);
            for failure in &mut self.failures[before..] {
                failure.rule = &rules::VALUES;
            }
            let name = attribute.name.text.clone();
            if !module.variables.contains_key(&name) {
                self.undeclared.push((name.clone(), (file.file, attribute.name.span)));
            }
            let sops = format!("{}: {name}", file.name);
            let given = match self.failures.len() > before {
                true => InputValue::Broken,
                false if is_encrypted && is_sops(&value) => InputValue::Unknown(
                    Val::unknown(Type::Dynamic, "sops encrypts it"),
                    vec![made_of::value(sops, &export(&value))],
                ),
                false => InputValue::Value(keyed(value, attribute.name.span.start)),
            };
            self.given.insert(name, given);
        }
    }

    /// What the unknown input for a variable is made of.
    pub(crate) fn made_of(&self, name: &Text) -> &[Read] {
        match self.given.get(name) {
            Some(InputValue::Unknown(_, reads) | InputValue::Passed(_, reads)) => reads,
            _ => &[],
        }
    }

    /// Returns the input for a variable; `None` if it is not set.
    ///
    /// # Errors
    /// The text that is given is not an expression.
    pub(crate) fn get(&self, name: &Text, variable: &Variable) -> Result<Option<Val>, Vec<Failure>> {
        match self.given.get(name) {
            None => Ok(None),
            Some(InputValue::Value(value) | InputValue::Unknown(value, _)) => Ok(Some(value.clone())),
            Some(InputValue::Broken) => Ok(Some(Val::failed())),
            Some(InputValue::Passed(value, _)) => passed(name, value, variable).map(Some),
            Some(InputValue::Text(text, _)) if !variable.has_type || variable.ty.is_primitive() => {
                Ok(Some(Val::str(text.as_str())))
            }
            Some(InputValue::Text(text, file)) => from_text(name, text, *file).map(Some),
        }
    }
}

/// Whether a value has a part that sops encrypts.
fn is_sops(value: &Val) -> bool {
    match &value.data {
        Data::Str(text) => text.starts_with("ENC[") && text.ends_with(']'),
        Data::Tuple(items) => items.iter().any(is_sops),
        Data::Object(map) => map.values().any(is_sops),
        _ => false,
    }
}

/// The value with the place of the argument as its key.
fn keyed(value: Val, key: u32) -> Val {
    let mut prov = value.prov.clone();
    if let Some(origin) = &mut prov.origin {
        origin.key = key;
    }
    value.with_prov(prov)
}

/// Returns the names of the automatically loaded variable files of a folder, in their order, with their folders. Copied files
/// take the place of those of the folder, generated ones that of both.
fn automatic<'d>(
    loader: &Loader<'_>,
    dir: &'d str,
    copied: Option<&'d str>,
    generated: &[GeneratedFile],
) -> Vec<(String, &'d str)> {
    let mut names: BTreeMap<(bool, String), &str> = BTreeMap::new();
    let mut add = |name: &str, folder: &'d str| {
        if is_automatic(name) {
            names.insert((name.contains(".auto.tfvars"), name.to_owned()), folder);
        }
    };
    for folder in [dir].into_iter().chain(copied) {
        loader.files_in(folder).iter().for_each(|name| add(name, folder));
    }
    generated.iter().for_each(|file| add(&file.name, dir));
    names.into_iter().map(|((_, name), folder)| (name, folder)).collect()
}

/// The value of a variable that the environment passes: text as it is, everything else as JSON. A variable without a type, or with
/// that of one text, takes it as text; any other one reads an expression.
fn passed(name: &str, value: &Val, variable: &Variable) -> Result<Val, Vec<Failure>> {
    let takes_text = !variable.has_type || variable.ty.is_primitive();
    let json = || Val::str(serde_json::to_string(&export(value)).unwrap_or_default()).with_prov(value.prov.clone());
    match &value.data {
        Data::Str(text) if !takes_text => {
            let Some(origin) = value.prov.origin else { return Ok(value.clone()) };
            let place = (origin.file, Span { start: origin.start, end: origin.end });
            let found = from_text(name, text, origin.file);
            let found = found.map_err(|why| why.into_iter().map(|f| Failure { place: Some(place), ..f }).collect());
            found.map(|found: Val| found.with_prov(value.prov.clone()))
        }
        Data::Tuple(_) | Data::Object(_) if takes_text => match value.unknown_reason() {
            Some(reason) => Ok(Val::unknown(Type::Str, reason).with_prov(value.prov.clone())),
            None => Ok(json()),
        },
        Data::Bool(_) | Data::Number(_) if !variable.has_type => Ok(json()),
        _ => Ok(value.clone()),
    }
}

fn from_text(name: &str, text: &str, file: FileId) -> Result<Val, Vec<Failure>> {
    let wrong = |why: &str, span: Span| {
        let message = format!("the value given to var.{name} cannot be read: {why}");
        vec![Failure::new(&rules::VALUES, message, (file, span))]
    };
    let expr: Expr = parse_expression(text)
        .map_err(|e| wrong(e.first().map_or("", |e| e.summary), e.first().map_or(Span::default(), |e| e.span)))?;
    let budget = Budget::new(200_000);
    let files = NoFiles;
    let mut evaluator = Evaluator::new(file, &NoNames, &files, &budget).without_calls();
    let value = evaluator.eval(&expr);
    if let Some(problem) = evaluator.problems.first() {
        return Err(wrong(&problem.detail, problem.place.map_or(Span::default(), |(_, span)| span)));
    }
    // The text is not in a file.
    Ok(value.transform(&mut |v| v.with_prov(Prov::default())))
}
