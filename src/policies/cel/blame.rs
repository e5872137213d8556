//! Which values made an expression false: those that the parts of it read that were false.

use super::compare::Found;
use super::eval::Scope;
use super::outcome::Failure;
use super::value::{Link, Node, Root, Val};
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, operators};
use cel::parser::Expression as Ast;

/// The maximum number of values that are named.
const MOST: usize = 8;

/// A value that decided.
#[derive(Clone, Debug)]
pub(crate) struct Blamed<'a> {
    /// The value; `None` if it is a whole component.
    pub(crate) value: Option<&'a crate::value::Value>,
    /// The way to it.
    pub(crate) at: Link<'a>,
    /// The key that it lacks, if that is what decided.
    pub(crate) lacks: Option<String>,
}

/// The values that made an expression false.
pub(super) fn of<'a>(ast: &'a Ast, scope: &mut Scope<'a>) -> Vec<Blamed<'a>> {
    let mut blame = Blame { found: Vec::new() };
    blame.decided(ast, scope, false);
    blame.found
}

struct Blame<'a> {
    found: Vec<Blamed<'a>>,
}

impl<'a> Blame<'a> {
    /// Finds what made a condition what it is.
    fn decided(&mut self, ast: &'a Ast, scope: &mut Scope<'a>, value: bool) {
        match &ast.expr {
            Expr::Call(call) => match (call.func_name.as_str(), &call.args[..]) {
                (operators::LOGICAL_NOT, [inner]) => self.decided(inner, scope, !value),
                (operators::LOGICAL_AND | operators::LOGICAL_OR, [a, b]) => {
                    for side in [a, b] {
                        let is_at_fault = match scope.eval(side) {
                            Ok(Val::Bool(b)) => b == value,
                            Ok(_) => false,
                            Err(Failure::Missing(_)) => !value,
                            Err(_) => return,
                        };
                        if is_at_fault {
                            self.decided(side, scope, value);
                        }
                    }
                }
                (operators::CONDITIONAL, [condition, yes, no]) => {
                    let known = self.found.len();
                    let is_met = matches!(scope.eval(condition), Ok(Val::Bool(true)));
                    self.decided(if is_met { yes } else { no }, scope, value);
                    if self.found.len() == known {
                        self.decided(condition, scope, is_met);
                    }
                }
                _ => self.read(ast, scope),
            },
            Expr::Comprehension(all) => self.item(all, scope, value),
            _ => self.read(ast, scope),
        }
    }

    /// Finds the item for which `all` is false, or `exists` true; for other macros all that they go through.
    fn item(&mut self, all: &'a ComprehensionExpr, scope: &mut Scope<'a>, value: bool) {
        let condition = match &all.loop_step.expr {
            Expr::Call(CallExpr { func_name, args, .. }) => match (func_name.as_str(), &args[..], value) {
                (operators::LOGICAL_AND, [_, condition], false) => Some(condition),
                (operators::LOGICAL_OR, [_, condition], true) => Some(condition),
                _ => None,
            },
            _ => None,
        };
        let items = scope.eval(&all.iter_range).and_then(|range| scope.range(&range));
        let (Some(condition), Ok(items)) = (condition, items) else { return self.read(&all.iter_range, scope) };
        for item in items {
            scope.bound.push((&all.iter_var, Ok(item.clone())));
            let is_decisive = match scope.eval(condition) {
                Ok(Val::Bool(b)) => b == value,
                Err(Failure::Missing(_)) => !value,
                _ => false,
            };
            let known = self.found.len();
            if is_decisive {
                self.decided(condition, scope, value);
            }
            scope.bound.pop();
            if !is_decisive {
                continue;
            }
            let place = self.place_of(&all.iter_range, scope, &item);
            let place = place.or_else(|| if let Val::Node(node) = item { Some(blamed(node)) } else { None });
            // The deciding value may be a plain item without a path.
            match place {
                Some(place) if self.found.len() == known => self.add(place),
                Some(place) if self.found[known..].iter().all(|b| matches!(b.at.path().0, Root::Code)) => {
                    self.found.insert(known, place);
                }
                _ => {}
            }
            return;
        }
        self.read(&all.iter_range, scope);
    }

    /// The place of a scalar item or of a key in what a macro goes through.
    fn place_of(&self, range: &'a Ast, scope: &mut Scope<'a>, item: &Val<'a>) -> Option<Blamed<'a>> {
        let Ok(Val::Node(node)) = scope.eval(range) else { return None };
        if let Some(items) = node.value.as_list() {
            let is_same = |value: &crate::value::Value| match item {
                Val::Text(text) => value.as_str().is_some_and(|other| std::ptr::eq(other, *text)),
                Val::Node(item) => std::ptr::eq(item.value, value),
                _ => false,
            };
            let index = items.iter().position(is_same)?;
            let at = node.at.item(index);
            return Some(Blamed { value: items.get(index), at, lacks: None });
        }
        let entry = node.value.as_map()?.entry(item.as_str()?)?;
        let at = node.at.key(&entry.key);
        Some(Blamed { value: Some(&entry.value), at, lacks: None })
    }

    /// Finds every value of the configuration that an expression reads.
    fn read(&mut self, ast: &'a Ast, scope: &mut Scope<'a>) {
        if self.found.len() >= MOST {
            return;
        }
        match &ast.expr {
            Expr::Select(select) => match scope.eval(&select.operand) {
                Ok(operand) => self.field(&operand, &select.field, scope),
                Err(_) => self.read(&select.operand, scope),
            },
            Expr::Call(call) => match (call.func_name.as_str(), &call.args[..]) {
                (operators::INDEX, [of, at]) => match (scope.eval(of), scope.eval(at)) {
                    (Ok(of), Ok(key)) if key.as_str().is_some() => {
                        let key = key.as_str().unwrap_or_default().to_owned();
                        self.field(&of, &key, scope);
                    }
                    (Ok(Val::Node(node)), Ok(Val::Int(i))) => {
                        let items = node.value.as_list();
                        let index = usize::try_from(i).unwrap_or(usize::MAX);
                        match items.and_then(|items| items.get(index)) {
                            Some(value) => {
                                let at = node.at.item(index);
                                self.add(Blamed { value: Some(value), at, lacks: None });
                            }
                            None => self.add(blamed(node)),
                        }
                    }
                    _ => self.read(of, scope),
                },
                (_, args) => {
                    call.target.iter().for_each(|target| self.read(target, scope));
                    args.iter().for_each(|argument| self.read(argument, scope));
                }
            },
            Expr::Ident(_) => {
                if let Ok(Val::Node(node)) = scope.eval(ast) {
                    self.add(blamed(node));
                }
            }
            Expr::List(list) => list.elements.iter().for_each(|element| self.read(element, scope)),
            Expr::Comprehension(all) => self.read(&all.iter_range, scope),
            _ => {}
        }
    }

    fn field(&mut self, operand: &Val<'a>, name: &str, scope: &mut Scope<'a>) {
        let (value, at) = match operand {
            Val::Component(component) => (&component.value, Link::Root(Root::Component)),
            Val::Node(node) => (node.value, node.at.clone()),
            _ => return,
        };
        if let (Val::Component(_), "stack" | "type" | "name") = (operand, name) {
            return;
        }
        let found = value.as_map().and_then(|map| map.entry(name));
        match found {
            Some(entry) => {
                let at = at.key(&entry.key);
                self.add(Blamed { value: Some(&entry.value), at, lacks: None });
            }
            None => {
                debug_assert!(!matches!(scope.field(operand, name), Ok(Found::Value(_))));
                let value = (!matches!(operand, Val::Component(_))).then_some(value);
                self.add(Blamed { value, at, lacks: Some(name.to_owned()) });
            }
        }
    }

    fn add(&mut self, blamed: Blamed<'a>) {
        let is_known = self.found.iter().any(|b| b.at.path() == blamed.at.path() && b.lacks == blamed.lacks);
        if !is_known && self.found.len() < MOST {
            self.found.push(blamed);
        }
    }
}

fn blamed(node: Node<'_>) -> Blamed<'_> {
    Blamed { value: Some(node.value), at: node.at, lacks: None }
}
