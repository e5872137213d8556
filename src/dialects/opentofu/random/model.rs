//! Configurations that are made up, each with a small evaluation of its own that shares nothing with the real one.

use crate::fuzz::Dice;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What products are divided by.
const MODULUS: i64 = 7;
/// The most instances of a `count`.
const MOST: i64 = 3;

impl Dice {
    fn text(&mut self) -> String {
        ["a", "b", "web", "Z", "10", "x-y"][self.below(6)].to_owned()
    }
}

/// An expression whose value is a number.
#[derive(Clone, Debug)]
pub(super) enum Num {
    Literal(i64),
    Variable(usize),
    Local(usize),
    Add(Box<Num>, Box<Num>),
    /// The rest of a product, so that numbers stay small.
    Product(Box<Num>, Box<Num>),
    Choice(Box<(Num, Num, Num, Num)>),
    Length(Box<Text>),
    /// `count.index`, or the value of `each`.
    Own,
    /// The number of an earlier resource that is not repeated.
    Of(usize),
}

/// An expression whose value is a text.
#[derive(Clone, Debug)]
pub(super) enum Text {
    Literal(String),
    Variable(usize),
    Local(usize),
    Template(Box<(Text, Num)>),
    Upper(Box<Text>),
    Choice(Box<(Num, Num, Text, Text)>),
    /// The key of `each`; the index as text in a block with `count`.
    Own,
    Of(usize),
}

/// How a block is repeated.
#[derive(Clone, Debug)]
pub(super) enum Repeat {
    Once,
    Count(Num),
    Each(BTreeMap<String, Num>),
}

/// A resource: a number, a text, a map and dynamic blocks.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub repeat: Repeat,
    number: Num,
    text: Text,
    tags: BTreeMap<String, Text>,
    blocks: Vec<Num>,
}

/// A module, with what is given to its variables.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub numbers: Vec<i64>,
    pub texts: Vec<String>,
    pub number_locals: Vec<Num>,
    pub text_locals: Vec<Text>,
    pub resources: Vec<Resource>,
}

/// A root module that calls another one.
#[derive(Clone, Debug)]
pub(super) struct Project {
    pub root: Module,
    pub child: Module,
    pub repeat: Repeat,
    /// What the call sets; the other variables of the child have their defaults.
    pub number_inputs: Vec<Num>,
    pub text_inputs: Vec<Text>,
}

/// What an expression may read.
#[derive(Clone, Copy)]
struct Scope<'m> {
    module: &'m Module,
    /// How many locals of each kind, and how many resources, come before.
    locals: (usize, usize),
    resources: usize,
    has_own: bool,
}

impl Dice {
    fn number(&mut self, scope: Scope<'_>, depth: usize) -> Num {
        let Scope { module, locals, resources, has_own } = scope;
        let single: Vec<usize> =
            (0..resources).filter(|i| matches!(module.resources[*i].repeat, Repeat::Once)).collect();
        match self.below(if depth == 0 { 5 } else { 9 }) {
            1 if !module.numbers.is_empty() => Num::Variable(self.below(module.numbers.len())),
            2 if locals.0 > 0 => Num::Local(self.below(locals.0)),
            3 if has_own => Num::Own,
            4 if !single.is_empty() => Num::Of(single[self.below(single.len())]),
            5 => Num::Add(Box::new(self.number(scope, depth - 1)), Box::new(self.number(scope, depth - 1))),
            6 => Num::Product(Box::new(self.number(scope, depth - 1)), Box::new(self.number(scope, depth - 1))),
            7 => Num::Choice(Box::new((
                self.number(scope, depth - 1),
                self.number(scope, depth - 1),
                self.number(scope, depth - 1),
                self.number(scope, depth - 1),
            ))),
            8 => Num::Length(Box::new(self.words(scope, depth - 1))),
            _ => Num::Literal(self.below(4) as i64),
        }
    }

    fn words(&mut self, scope: Scope<'_>, depth: usize) -> Text {
        let Scope { module, locals, resources, has_own } = scope;
        let single: Vec<usize> =
            (0..resources).filter(|i| matches!(module.resources[*i].repeat, Repeat::Once)).collect();
        match self.below(if depth == 0 { 5 } else { 8 }) {
            1 if !module.texts.is_empty() => Text::Variable(self.below(module.texts.len())),
            2 if locals.1 > 0 => Text::Local(self.below(locals.1)),
            3 if has_own => Text::Own,
            4 if !single.is_empty() => Text::Of(single[self.below(single.len())]),
            5 => Text::Template(Box::new((self.words(scope, depth - 1), self.number(scope, depth - 1)))),
            6 => Text::Upper(Box::new(self.words(scope, depth - 1))),
            7 => Text::Choice(Box::new((
                self.number(scope, depth - 1),
                self.number(scope, depth - 1),
                self.words(scope, depth - 1),
                self.words(scope, depth - 1),
            ))),
            _ => Text::Literal(self.text()),
        }
    }

    fn repeat(&mut self, scope: Scope<'_>) -> Repeat {
        match self.below(4) {
            0 => Repeat::Count(self.number(scope, 1)),
            1 => Repeat::Each((0..self.below(4)).map(|_| (self.text(), self.number(scope, 1))).collect()),
            _ => Repeat::Once,
        }
    }

    fn module(&mut self) -> Module {
        let (numbers, texts) = (self.below(3), self.below(3));
        let mut module = Module {
            numbers: (0..numbers).map(|_| self.below(5) as i64).collect(),
            texts: (0..texts).map(|_| self.text()).collect(),
            number_locals: Vec::new(),
            text_locals: Vec::new(),
            resources: Vec::new(),
        };
        for index in 0..self.below(4) {
            let scope = |module| Scope { module, locals: (index, index), resources: 0, has_own: false };
            let (number, text) = (self.number(scope(&module), 2), self.words(scope(&module), 2));
            module.number_locals.push(number);
            module.text_locals.push(text);
        }
        for index in 0..1 + self.below(4) {
            let resource = self.resource(&module, index);
            module.resources.push(resource);
        }
        module
    }

    fn resource(&mut self, module: &Module, index: usize) -> Resource {
        let locals = (module.number_locals.len(), module.text_locals.len());
        let outer = Scope { module, locals, resources: index, has_own: false };
        let repeat = self.repeat(outer);
        let scope = Scope { has_own: !matches!(repeat, Repeat::Once), ..outer };
        Resource {
            repeat,
            number: self.number(scope, 3),
            text: self.words(scope, 3),
            tags: (0..self.below(3)).map(|_| (self.text(), self.words(scope, 1))).collect(),
            blocks: (0..self.below(3)).map(|_| self.number(scope, 1)).collect(),
        }
    }

    pub(super) fn project(&mut self) -> Project {
        let (root, child) = (self.module(), self.module());
        let locals = (root.number_locals.len(), root.text_locals.len());
        let outer = Scope { module: &root, locals, resources: root.resources.len(), has_own: false };
        let repeat = self.repeat(outer);
        let scope = Scope { has_own: !matches!(repeat, Repeat::Once), ..outer };
        let (numbers, texts) = (self.below(child.numbers.len() + 1), self.below(child.texts.len() + 1));
        let number_inputs = (0..numbers).map(|_| self.number(scope, 2)).collect();
        let text_inputs = (0..texts).map(|_| self.words(scope, 2)).collect();
        Project { repeat, number_inputs, text_inputs, root, child }
    }
}

/// The values of a module, and of the instance that is evaluated.
#[derive(Clone, Default)]
pub(super) struct Values {
    numbers: Vec<i64>,
    texts: Vec<String>,
    number_locals: Vec<i64>,
    text_locals: Vec<String>,
    /// The number and the text of resources that are not repeated.
    resources: Vec<Option<(i64, String)>>,
    own: Option<(i64, String)>,
}

impl Values {
    fn number(&self, of: &Num) -> i64 {
        match of {
            Num::Literal(number) => *number,
            Num::Variable(index) => self.numbers[*index],
            Num::Local(index) => self.number_locals[*index],
            Num::Add(a, b) => self.number(a) + self.number(b),
            Num::Product(a, b) => self.number(a) * self.number(b) % MODULUS,
            Num::Choice(parts) => {
                let (a, b, yes, no) = &**parts;
                if self.number(a) < self.number(b) { self.number(yes) } else { self.number(no) }
            }
            Num::Length(text) => self.text(text).len() as i64,
            Num::Own => self.own.as_ref().unwrap().0,
            Num::Of(index) => self.resources[*index].as_ref().unwrap().0,
        }
    }

    fn text(&self, of: &Text) -> String {
        match of {
            Text::Literal(text) => text.clone(),
            Text::Variable(index) => self.texts[*index].clone(),
            Text::Local(index) => self.text_locals[*index].clone(),
            Text::Template(parts) => format!("{}-{}", self.text(&parts.0), self.number(&parts.1)),
            Text::Upper(text) => self.text(text).to_uppercase(),
            Text::Choice(parts) => {
                let (a, b, yes, no) = &**parts;
                if self.number(a) < self.number(b) { self.text(yes) } else { self.text(no) }
            }
            Text::Own => self.own.as_ref().unwrap().1.clone(),
            Text::Of(index) => self.resources[*index].as_ref().unwrap().1.clone(),
        }
    }

    /// The values of the instances with their keys in addresses.
    fn instances(&self, repeat: &Repeat) -> Vec<(String, Option<(i64, String)>)> {
        match repeat {
            Repeat::Once => vec![(String::new(), None)],
            Repeat::Count(count) => {
                (0..self.number(count).min(MOST)).map(|i| (format!("[{i}]"), Some((i, i.to_string())))).collect()
            }
            Repeat::Each(all) => {
                let one =
                    |(key, value): (&String, &Num)| (format!("[\"{key}\"]"), Some((self.number(value), key.clone())));
                all.iter().map(one).collect()
            }
        }
    }
}

impl Module {
    /// The instances of its resources by address, with `prefix` in front, and its values.
    fn expected(&self, mut values: Values, prefix: &str, into: &mut BTreeMap<String, Value>) -> Values {
        for (number, text) in self.number_locals.iter().zip(&self.text_locals) {
            let (number, text) = (values.number(number), values.text(text));
            values.number_locals.push(number);
            values.text_locals.push(text);
        }
        for (index, resource) in self.resources.iter().enumerate() {
            let mut whole = None;
            for (key, own) in values.instances(&resource.repeat) {
                let here = Values { own, ..values.clone() };
                let (number, text) = (here.number(&resource.number), here.text(&resource.text));
                let mut value =
                    Map::from_iter([("number".to_owned(), json!(number)), ("text".to_owned(), json!(text))]);
                let tags = resource.tags.iter().map(|(key, text)| (key.clone(), json!(here.text(text))));
                value.insert("tags".to_owned(), Value::Object(tags.collect()));
                let blocks = resource.blocks.iter().enumerate();
                let blocks: Vec<Value> =
                    blocks.map(|(i, block)| json!({ "at": i, "of": here.number(block) })).collect();
                if !blocks.is_empty() {
                    value.insert("part".to_owned(), Value::Array(blocks));
                }
                into.insert(format!("{prefix}x_y.r{index}{key}"), Value::Object(value));
                whole = Some((number, text));
            }
            values.resources.push(whole.filter(|_| matches!(resource.repeat, Repeat::Once)));
        }
        values
    }
}

impl Project {
    /// All instances by address.
    pub(super) fn expected(&self) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        let given = |module: &Module| Values {
            numbers: module.numbers.clone(),
            texts: module.texts.clone(),
            ..Values::default()
        };
        let root = self.root.expected(given(&self.root), "", &mut all);
        for (key, own) in root.instances(&self.repeat) {
            let here = Values { own, ..root.clone() };
            let mut values = given(&self.child);
            let numbers = self.number_inputs.iter().map(|input| here.number(input));
            values.numbers.iter_mut().zip(numbers).for_each(|(value, given)| *value = given);
            let texts = self.text_inputs.iter().map(|input| here.text(input));
            values.texts.iter_mut().zip(texts).for_each(|(value, given)| *value = given);
            self.child.expected(values, &format!("module.m{key}."), &mut all);
        }
        all
    }
}

/// How a project is written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// What the names of locals begin with.
    pub local: &'static str,
    /// Whether each block is in a file of its own, the last one first.
    pub is_split: bool,
    /// Whether the values of the root module are in a file of values.
    pub has_values: bool,
}

/// Writes expressions; `own` is how a block reads its number and its text.
struct Writer<'s> {
    style: &'s Style,
    own: (&'static str, &'static str),
}

impl Writer<'_> {
    fn number(&self, of: &Num) -> String {
        match of {
            Num::Literal(number) => number.to_string(),
            Num::Variable(index) => format!("var.n{index}"),
            Num::Local(index) => format!("local.{}n{index}", self.style.local),
            Num::Add(a, b) => format!("({} + {})", self.number(a), self.number(b)),
            Num::Product(a, b) => format!("({} * {} % {MODULUS})", self.number(a), self.number(b)),
            Num::Choice(parts) => {
                let (a, b, yes, no) = &**parts;
                let all = [a, b, yes, no].map(|part| self.number(part));
                format!("({} < {} ? {} : {})", all[0], all[1], all[2], all[3])
            }
            Num::Length(text) => format!("length({})", self.text(text)),
            Num::Own => self.own.0.to_owned(),
            Num::Of(index) => format!("x_y.r{index}.number"),
        }
    }

    fn text(&self, of: &Text) -> String {
        match of {
            Text::Literal(text) => format!("\"{text}\""),
            Text::Variable(index) => format!("var.t{index}"),
            Text::Local(index) => format!("local.{}t{index}", self.style.local),
            Text::Template(parts) => format!("\"${{{}}}-${{{}}}\"", self.text(&parts.0), self.number(&parts.1)),
            Text::Upper(text) => format!("upper({})", self.text(text)),
            Text::Choice(parts) => {
                let (a, b, yes, no) = &**parts;
                format!("({} < {} ? {} : {})", self.number(a), self.number(b), self.text(yes), self.text(no))
            }
            Text::Own => self.own.1.to_owned(),
            Text::Of(index) => format!("x_y.r{index}.text"),
        }
    }

    fn repeat(&self, repeat: &Repeat) -> String {
        match repeat {
            Repeat::Once => String::new(),
            Repeat::Count(count) => format!("  count = min({}, {MOST})\n", self.number(count)),
            Repeat::Each(all) => {
                let entries: String =
                    all.iter().map(|(key, value)| format!("\"{key}\" = {}, ", self.number(value))).collect();
                format!("  for_each = {{ {entries} }}\n")
            }
        }
    }

    /// A writer for the inside of a block.
    fn inside(&self, repeat: &Repeat) -> Self {
        let own = match repeat {
            Repeat::Each(_) => ("each.value", "each.key"),
            _ => ("count.index", "tostring(count.index)"),
        };
        Writer { style: self.style, own }
    }

    /// The blocks of a module.
    fn module(&self, module: &Module, has_defaults: bool) -> Vec<String> {
        let variable = |name: String, ty: &str, value: String| {
            let default = if has_defaults { format!("  default = {value}\n") } else { String::new() };
            format!("variable \"{name}\" {{\n  type = {ty}\n{default}}}\n")
        };
        let numbers =
            module.numbers.iter().enumerate().map(|(i, n)| variable(format!("n{i}"), "number", n.to_string()));
        let texts = module.texts.iter().enumerate().map(|(i, t)| variable(format!("t{i}"), "string", format!("{t:?}")));
        let mut blocks: Vec<String> = numbers.chain(texts).collect();
        for (index, (number, text)) in module.number_locals.iter().zip(&module.text_locals).enumerate() {
            let name = self.style.local;
            let (number, text) = (self.number(number), self.text(text));
            blocks.push(format!("locals {{\n  {name}n{index} = {number}\n  {name}t{index} = {text}\n}}\n"));
        }
        for (index, resource) in module.resources.iter().enumerate() {
            let inside = self.inside(&resource.repeat);
            let mut block = format!("resource \"x_y\" \"r{index}\" {{\n{}", self.repeat(&resource.repeat));
            let _ = writeln!(
                block,
                "  number = {}\n  text = {}",
                inside.number(&resource.number),
                inside.text(&resource.text)
            );
            let tags: String =
                resource.tags.iter().map(|(key, text)| format!("\"{key}\" = {}, ", inside.text(text))).collect();
            let _ = writeln!(block, "  tags = {{ {tags} }}");
            let parts: Vec<String> = resource.blocks.iter().map(|part| inside.number(part)).collect();
            let _ = writeln!(
                block,
                "  dynamic \"part\" {{\n    for_each = [{}]\n    content {{\n      at = part.key\n      of = part.value\n    }}\n  }}\n}}",
                parts.join(", ")
            );
            blocks.push(block);
        }
        blocks
    }
}

impl Project {
    /// Its files.
    pub(super) fn files(&self, style: &Style) -> BTreeMap<String, String> {
        let writer = Writer { style, own: ("", "") };
        let mut root = writer.module(&self.root, !style.has_values);
        let inside = writer.inside(&self.repeat);
        let mut call = format!("module \"m\" {{\n  source = \"./m\"\n{}", writer.repeat(&self.repeat));
        for (index, input) in self.number_inputs.iter().enumerate() {
            let _ = writeln!(call, "  n{index} = {}", inside.number(input));
        }
        for (index, input) in self.text_inputs.iter().enumerate() {
            let _ = writeln!(call, "  t{index} = {}", inside.text(input));
        }
        root.push(call + "}\n");
        root.push("terraform {\n  backend \"local\" {}\n}\n".to_owned());
        let mut files = BTreeMap::new();
        for (folder, blocks) in [("", root), ("m/", writer.module(&self.child, true))] {
            if style.is_split {
                let named = blocks.iter().rev().enumerate();
                files.extend(named.map(|(i, block)| (format!("{folder}f{i}.tf"), block.clone())));
            } else {
                files.insert(format!("{folder}main.tf"), blocks.concat());
            }
        }
        if style.has_values {
            let numbers = self.root.numbers.iter().enumerate().map(|(i, n)| format!("n{i} = {n}\n"));
            let texts = self.root.texts.iter().enumerate().map(|(i, t)| format!("t{i} = {t:?}\n"));
            files.insert("terraform.tfvars".to_owned(), numbers.chain(texts).collect());
        }
        files
    }
}
