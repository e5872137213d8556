//! Static evaluation of expressions before anything runs, from variables, locals and arguments of calls, each evaluated
//! on demand. Failures include the chain of references that leads to them.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Name, TraversalStep};
use crate::hcl::eval::{Budget, Evaluator, Scope};
use crate::hcl::functions::Files;
use crate::hcl::types::Type;
use crate::hcl::val::{Data, Val};
use crate::limits::take_steps_of_hcl;
use crate::terraform::evaluation::followed::Followed;
use crate::terraform::evaluation::inputs::Inputs;
pub(crate) use crate::terraform::evaluation::node::Node;
use crate::terraform::evaluation::reference::{Meaning, meaning};
use crate::terraform::evaluation::variable;
use crate::terraform::failure::{Failure, Hop, Place};
use crate::terraform::load::functions::RootFiles;
use crate::terraform::module::Module;
use crate::terraform::module::block::Written;
use crate::terraform::module::paths::{Of, Pattern};
use crate::terraform::module::variable::Variable;
use crate::terraform::rules;
use crate::text::{Text, nearest};
use crate::value::{FileId, Origin, Prov, Read};
use foldhash::fast::RandomState;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The longest chain of names.
const MAX_CHAIN: usize = 200;
/// The maximum number of causes that are reported of one value.
const MAX_CAUSES: usize = 50;
/// The cost of a lookup.
const LOOK_UP: u64 = 20;

/// Something that is evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    /// `module.m.source`, with the module that it is in.
    pub text: String,
    /// Where it is declared.
    pub place: Place,
}

/// The result of an evaluation.
pub(crate) type Found = Result<Val, Vec<Failure>>;

/// Why a name has no value.
enum Missing {
    /// The name does not exist, or cannot be used here: reported once.
    Direct(Vec<Failure>),
    /// It has no value because of something else: its reader is a step of the chain.
    Because(Vec<Failure>),
}

/// Files that an expression may read.
pub(super) struct ReadFiles {
    pub(super) reads: Vec<Read>,
    /// The whole of each of the first ones.
    pub(super) places: Vec<Prov>,
}

/// Evaluates the expressions of the modules of one root module.
pub(crate) struct Statics<'a> {
    /// The modules, the root module first.
    pub nodes: Vec<Rc<Node>>,
    /// The input values of the root module.
    pub inputs: Inputs,
    pub workspace: Option<String>,
    pub(in crate::terraform) files: RootFiles<'a>,
    budget: Budget,
    known: RefCell<HashMap<(usize, bool, Text), Found, RandomState>>,
    /// The values of variables of the root module, from what is given to it.
    given: RefCell<HashMap<Text, Found, RandomState>>,
    /// What an expression is made of that refers to too many names; see `made_of`.
    pub(super) whole: OnceCell<Read>,
    /// The names that expressions refer to in modules as they are written; see `made_of`.
    pub(super) followed: Followed,
    /// The files that expressions may read whose paths are not known; see `made_of`.
    pub(super) matching: RefCell<BTreeMap<(Pattern, Of), Rc<ReadFiles>>>,
    /// The values of arguments of module calls, by the calling module and their place; `None` for those without a
    /// value.
    argument_values: RefCell<ArgumentValues>,
}

/// Values of arguments, by the module that calls, the file and the first byte of the value.
type ArgumentValues = HashMap<(usize, FileId, u32), Option<Val>, RandomState>;

/// Key providers that an expression may refer to, by `type.name`.
pub(crate) type KeyProviders<'k> = Option<&'k dyn Fn(&str) -> bool>;

/// Names with their values.
#[derive(Default)]
struct Names {
    /// By the first name of a reference and the attribute behind it.
    values: HashMap<(Text, Text), Val, RandomState>,
    /// Key providers by `type.name`.
    key_providers: HashMap<Text, Val, RandomState>,
}

impl Scope for Names {
    fn get(&self, root: &Name, steps: &[TraversalStep]) -> Option<(Val, usize)> {
        let Some(TraversalStep::Attribute(first)) = steps.first() else { return None };
        if let Some(value) = self.values.get(&(root.text.clone(), first.text.clone())) {
            return Some((value.clone(), 1));
        }
        match steps.get(1) {
            Some(TraversalStep::Attribute(second))
                if !self.key_providers.is_empty() && *root.text == *"key_provider" =>
            {
                let value = self.key_providers.get(&*format!("{}.{}", first.text, second.text))?;
                Some((value.clone(), 2))
            }
            _ => None,
        }
    }
}

impl<'a> Statics<'a> {
    pub(crate) fn new(
        root: Arc<Module>,
        inputs: Inputs,
        workspace: Option<String>,
        files: RootFiles<'a>,
        steps: u64,
    ) -> Self {
        let node = Node::new(Vec::new(), root, ".".to_owned(), None);
        Statics {
            nodes: vec![Rc::new(node)],
            inputs,
            workspace,
            files,
            budget: Budget::counted(steps, take_steps_of_hcl),
            known: RefCell::default(),
            given: RefCell::default(),
            whole: OnceCell::new(),
            followed: Followed::default(),
            matching: RefCell::default(),
            argument_values: RefCell::default(),
        }
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: FileId) -> String {
        self.files.loader().reader.files.get(file).path.to_string()
    }

    /// The files that functions read so far.
    pub(crate) fn read_files(&self) -> std::collections::BTreeSet<crate::value::FileId> {
        RootFiles::read(&self.files)
    }

    /// The value of a variable of the root module, from what is given to it.
    pub(crate) fn given_value(&self, name: &Text, variable: &Variable) -> Found {
        if let Some(known) = self.given.borrow().get(name) {
            return known.clone();
        }
        let given = self.inputs.get(name, variable);
        let found = given.and_then(|given| variable::effective(name, variable, given, None));
        self.given.borrow_mut().insert(name.clone(), found.clone());
        found
    }

    /// Where the value of a variable of the root module is written, whether the variable admits it or not.
    pub(crate) fn given_place(&self, name: &Text, variable: &Variable) -> Option<Origin> {
        self.inputs.get(name, variable).ok()??.prov.origin
    }

    /// The value of an argument of a module.
    pub(crate) fn value(&self, node: usize, written: &Written, identifier: Identifier) -> Found {
        self.evaluate(node, written, &mut vec![identifier], None)
    }

    /// Evaluates an argument of a module call. The result is cached for [`Self::argument_value`].
    pub(crate) fn evaluate_argument(&self, node: usize, written: &Written, identifier: Identifier) -> Found {
        let found = self.value(node, written, identifier);
        let key = (node, written.file, written.expr.span.start);
        self.argument_values.borrow_mut().insert(key, found.as_ref().ok().cloned());
        found
    }

    /// Returns the value of an argument that [`Self::evaluate_argument`] evaluated; `None` if it has no value.
    pub(crate) fn argument_value(&self, node: usize, written: &Written) -> Option<Val> {
        self.argument_values.borrow().get(&(node, written.file, written.expr.span.start)).cloned().flatten()
    }

    /// The same where key providers may be referred to.
    pub(crate) fn value_with_keys(
        &self,
        node: usize,
        written: &Written,
        identifier: Identifier,
        keys: KeyProviders<'_>,
    ) -> Found {
        self.evaluate(node, written, &mut vec![identifier], keys)
    }

    /// The value of a local of a module.
    pub(crate) fn local_value(&self, node: usize, name: &Text) -> Found {
        let place = self.nodes[node].module.locals.get(name).map(Written::argument);
        let Some(place) = place else { return Ok(Val::null()) };
        match self.local(node, name, place, &mut Vec::new()) {
            Ok(value) => Ok(value),
            Err(Missing::Direct(found) | Missing::Because(found)) => Err(found),
        }
    }

    /// The value of a variable of a module.
    pub(crate) fn variable_value(&self, node: usize, name: &Text) -> Found {
        let Some(variable) = self.nodes[node].module.variables.get(name) else { return Ok(Val::null()) };
        match self.variable(node, name, variable.place, &mut Vec::new()) {
            Ok(value) => Ok(value),
            Err(Missing::Direct(found) | Missing::Because(found)) => Err(found),
        }
    }

    fn evaluate(&self, node: usize, written: &Written, stack: &mut Vec<Identifier>, keys: KeyProviders<'_>) -> Found {
        let names = self.names(node, written, stack, keys)?;
        let mut evaluator = Evaluator::new(written.file, &names, &self.files, &self.budget);
        let value = evaluator.eval(&written.expr);
        let problems = evaluator.problems;
        if problems.is_empty() { Ok(value) } else { Err(problems.iter().map(Failure::of_problem).collect()) }
    }

    /// The values of the names that an expression refers to.
    fn names(
        &self,
        node: usize,
        written: &Written,
        stack: &mut Vec<Identifier>,
        keys: KeyProviders<'_>,
    ) -> Result<Names, Vec<Failure>> {
        let (mut names, mut failures) = (Names::default(), provider_functions(written, stack));
        for reference in walk::references(&written.expr) {
            let place = (written.file, reference.span);
            match meaning(&reference, keys.is_some()) {
                Meaning::Wrong(message) => failures.push(Failure::new(&rules::UNDEFINED_NAME, message, place)),
                Meaning::Dynamic(subject) => {
                    let message = format!("{subject} is not known before resources are planned{}", required_by(stack));
                    failures.push(Failure::new(&rules::NOT_STATIC, message, place).open());
                }
                Meaning::Output(subject) => {
                    let message = format!(
                        "the module output {subject} is not known before resources are planned{}",
                        required_by(stack)
                    );
                    failures.push(Failure::new(&rules::NOT_STATIC, message, place).open());
                }
                Meaning::KeyProvider(name) => match keys.is_some_and(|is_known| is_known(&name)) {
                    true => {
                        let value = Data::Reference(format!("key_provider.{name}").into()).into();
                        names.key_providers.insert(name, value);
                    }
                    false => {
                        let message = format!(
                            "reference to undeclared key provider: there is no key provider \"{name}\" in the encryption block"
                        );
                        failures.push(Failure::new(&rules::ENCRYPTION, message, place));
                    }
                },
                Meaning::Name(attribute) => {
                    let key = (reference.root.text.clone(), attribute.clone());
                    if names.values.contains_key(&key) {
                        continue;
                    }
                    match self.name(node, &reference.root.text, &attribute, place, stack) {
                        Ok(value) => {
                            names.values.insert(key, value);
                        }
                        Err(Missing::Direct(found)) => failures.extend(found),
                        Err(Missing::Because(found)) => {
                            let dependency = format!("{}{}.{attribute}", self.nodes[node].prefix, reference.root.text);
                            failures.extend(found.into_iter().map(|f| hop(f, stack, &dependency)));
                        }
                    }
                }
            }
        }
        if failures.is_empty() { Ok(names) } else { Err(distinct(failures)) }
    }

    fn name(
        &self,
        node: usize,
        root: &str,
        attribute: &Text,
        place: Place,
        stack: &mut Vec<Identifier>,
    ) -> Result<Val, Missing> {
        if !self.budget.take(LOOK_UP) || stack.len() > MAX_CHAIN {
            let message = "the names of this module refer to each other too often, or in chains that are too long";
            return Err(Missing::Direct(vec![Failure::new(&rules::LIMIT_EXCEEDED, message, place)]));
        }
        match (root, &**attribute) {
            ("local", _) => self.local(node, attribute, place, stack),
            ("var", _) => self.variable(node, attribute, place, stack),
            ("path", "module") => Ok(Val::str(self.nodes[node].shown.as_str())),
            ("path", "root") => Ok(Val::str(".")),
            ("path", _) => Ok(Val::str(self.files.folder().unwrap_or_default())),
            _ => Ok(self.workspace_name()),
        }
    }

    /// The name of the workspace.
    pub(crate) fn workspace_name(&self) -> Val {
        match &self.workspace {
            Some(name) => Val::str(name.as_str()),
            None => Val::unknown(Type::Str, "the workspace is not known"),
        }
    }

    fn local(&self, node: usize, name: &Text, place: Place, stack: &mut Vec<Identifier>) -> Result<Val, Missing> {
        let module = Arc::clone(&self.nodes[node].module);
        let Some(written) = module.locals.get(name) else {
            let near = nearest(name, module.locals.keys().map(|k| &**k));
            let hint = near.map_or_else(String::new, |n| format!("; did you mean local.{n}?"));
            let message = format!("local `{name}` is not defined{hint}");
            return Err(Missing::Direct(vec![Failure::new(&rules::UNDEFINED_LOCAL, message, place)]));
        };
        let key = (node, true, name.clone());
        if let Some(found) = self.known.borrow().get(&key) {
            return found.clone().map_err(Missing::Because);
        }
        let text = format!("{}local.{name}", self.nodes[node].prefix);
        if let Some(start) = stack.iter().position(|i| i.text == text) {
            let chain: Vec<&str> = stack[start..].iter().map(|i| &*i.text).chain([&*text]).collect();
            let message = format!("circular reference: {}", chain.join(" depends on "));
            return Err(Missing::Direct(vec![Failure::new(&rules::LOCAL_CYCLE, message, written.argument()).cyclic()]));
        }
        stack.push(Identifier { text, place: written.argument() });
        let found = self.evaluate(node, written, stack, None);
        stack.pop();
        let is_cyclic = found.as_ref().is_err_and(|all| all.iter().any(|f| f.is_cyclic));
        if !is_cyclic {
            self.known.borrow_mut().insert(key, found.clone());
        }
        found.map_err(Missing::Because)
    }

    fn variable(&self, node: usize, name: &Text, place: Place, stack: &mut Vec<Identifier>) -> Result<Val, Missing> {
        let module = Arc::clone(&self.nodes[node].module);
        let Some(variable) = module.variables.get(name) else {
            let near = nearest(name, module.variables.keys().map(|k| &**k));
            let hint = near.map_or_else(String::new, |n| format!("; did you mean var.{n}?"));
            let message = format!("undefined variable var.{name}{hint}");
            return Err(Missing::Direct(vec![Failure::new(&rules::UNDEFINED_NAME, message, place)]));
        };
        if variable.is_const == Some(false) {
            let message =
                format!("the variable \"{name}\" cannot be used here, because it is declared as \"const = false\"");
            return Err(Missing::Direct(vec![Failure::new(&rules::NOT_STATIC, message, place)]));
        }
        let key = (node, false, name.clone());
        if let Some(found) = self.known.borrow().get(&key) {
            return found.clone().map_err(Missing::Because);
        }
        let found = match self.nodes[node].parent {
            None => self.given_value(name, variable),
            Some(parent) => self.argument(node, parent, name, variable, stack),
        };
        let is_cyclic = found.as_ref().is_err_and(|all| all.iter().any(|f| f.is_cyclic));
        if !is_cyclic {
            self.known.borrow_mut().insert(key, found.clone());
        }
        found.map_err(Missing::Because)
    }

    /// The value of a variable of a module that another one calls.
    fn argument(
        &self,
        node: usize,
        parent: usize,
        name: &Text,
        variable: &Variable,
        stack: &mut Vec<Identifier>,
    ) -> Found {
        let child = Rc::clone(&self.nodes[node]);
        let caller = Arc::clone(&self.nodes[parent].module);
        let Some(call) = child.path.last().and_then(|last| caller.calls.get(last)) else {
            return variable::effective(name, variable, None, None);
        };
        let Some(written) = call.arguments.get(name) else {
            return match &variable.default {
                None => Err(vec![variable::needed(name, call)]),
                Some(_) => variable::effective(name, variable, None, None),
            };
        };
        stack.push(Identifier { text: format!("{}var.{name}", child.prefix), place: written.argument() });
        let found = self.evaluate(parent, written, stack, None);
        stack.pop();
        found.and_then(|given| variable::effective(name, variable, Some(given), Some(written.place())))
    }
}

/// Calls of functions of providers, which are there only later.
fn provider_functions(written: &Written, stack: &[Identifier]) -> Vec<Failure> {
    let mut failures = Vec::new();
    for call in walk::calls(&written.expr) {
        if call.text.starts_with("provider::") {
            let message = format!(
                "the provider function {}() cannot be called before providers are configured{}",
                call.text,
                required_by(stack)
            );
            failures.push(Failure::new(&rules::NOT_STATIC, message, (written.file, call.span)).open());
        }
    }
    failures
}

/// `, which module.m.source needs`
fn required_by(stack: &[Identifier]) -> String {
    stack.last().map_or_else(String::new, |top| format!(", but {} needs it earlier", top.text))
}

/// Removes duplicate causes: a name can be reached on many paths, and each would repeat the failures behind it.
fn distinct(failures: Vec<Failure>) -> Vec<Failure> {
    let mut kept: Vec<Failure> = Vec::new();
    for failure in failures {
        let is_known =
            kept.iter().any(|k| k.rule == failure.rule && k.place == failure.place && k.message == failure.message);
        if !is_known && kept.len() < MAX_CAUSES {
            kept.push(failure);
        }
    }
    kept
}

fn hop(mut failure: Failure, stack: &[Identifier], dependency: &str) -> Failure {
    if let Some(top) = stack.last()
        && failure.hops.len() < 12
    {
        let text = format!("{} depends on {dependency}", top.text);
        failure.hops.push(Hop { text, place: top.place });
    }
    failure
}
