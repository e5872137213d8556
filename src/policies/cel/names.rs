//! The names in an expression: undefined variables and functions are errors when it is parsed, not when it is
//! evaluated.

use super::functions;
use crate::text::nearest;
use cel::common::ast::{EntryExpr, Expr};
use cel::parser::Expression as Ast;
use std::collections::BTreeSet;

/// How deep what was read may nest; operators in a row nest as well.
const MAX_DEPTH: usize = 150;

/// The variables that an expression reads. What is not deep can be evaluated on the stacks
/// that work is done on, and dropped on any.
///
/// # Errors
/// It reads another one, calls what does not exist, or has what is not supported.
pub(super) fn check(ast: &Ast, variables: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut names = Names { variables, bound: Vec::new(), read: BTreeSet::new(), depth: 0 };
    names.visit(ast)?;
    Ok(names.read)
}

struct Names<'a> {
    variables: &'a [&'a str],
    bound: Vec<&'a str>,
    read: BTreeSet<String>,
    depth: usize,
}

impl<'a> Names<'a> {
    fn visit(&mut self, ast: &'a Ast) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("it nests more than {MAX_DEPTH} levels"));
        }
        let result = self.inside(ast);
        self.depth -= 1;
        result
    }

    fn inside(&mut self, ast: &'a Ast) -> Result<(), String> {
        match &ast.expr {
            Expr::Unspecified => Err("it cannot be read".to_owned()),
            Expr::Struct(_) => Err("messages (`Name{…}`) are not supported".to_owned()),
            Expr::Literal(cel::common::ast::LiteralValue::Bytes(_)) => Err("bytes are not supported".to_owned()),
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => self.visit(&select.operand),
            Expr::List(list) => list.elements.iter().try_for_each(|element| self.visit(element)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.visit(&entry.key)?;
                    self.visit(&entry.value)
                }
                EntryExpr::StructField(_) => Err("messages (`Name{…}`) are not supported".to_owned()),
            }),
            Expr::Call(call) => {
                functions::exists(&call.func_name, call.target.is_some(), call.args.len())?;
                call.target.iter().try_for_each(|target| self.visit(target))?;
                call.args.iter().try_for_each(|argument| self.visit(argument))
            }
            Expr::Comprehension(all) => {
                self.visit(&all.iter_range)?;
                self.visit(&all.accu_init)?;
                let known = self.bound.len();
                self.bound.extend([all.iter_var.as_str(), all.accu_var.as_str()]);
                self.bound.extend(all.iter_var2.as_deref());
                let result = [&all.loop_cond, &all.loop_step, &all.result].into_iter().try_for_each(|e| self.visit(e));
                self.bound.truncate(known);
                result
            }
        }
    }

    fn variable(&mut self, name: &str) -> Result<(), String> {
        if self.bound.contains(&name) {
            return Ok(());
        }
        if self.variables.contains(&name) {
            self.read.insert(name.to_owned());
            return Ok(());
        }
        let hint = match nearest(name, self.variables.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let all: Vec<String> = self.variables.iter().map(|v| format!("`{v}`")).collect();
                format!("there are {}", all.join(", "))
            }
        };
        Err(format!("there is no variable `{name}`; {hint}"))
    }
}
