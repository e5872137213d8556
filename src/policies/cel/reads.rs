//! The values of a component that an expression reads, as far as its text shows them.

use cel::common::ast::{EntryExpr, Expr};
use cel::parser::Expression as Ast;
use std::collections::BTreeSet;

/// A value that is read: a section of the component, or what is under a key of a section, with all that is inside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chain {
    /// The section, or `stack`, `type` or `name`.
    pub(crate) section: String,
    /// The key; `None` if the whole section is read.
    pub(crate) key: Option<String>,
}

/// The values of a component that an expression reads; `None` if it reads the component as a whole, or a change.
pub(super) fn of(ast: &Ast) -> Option<BTreeSet<Chain>> {
    let mut found = BTreeSet::new();
    visit(ast, &mut found).then_some(found)
}

/// Whether all that is read of the component is a chain; adds these.
fn visit(ast: &Ast, found: &mut BTreeSet<Chain>) -> bool {
    match &ast.expr {
        Expr::Ident(name) => name != "component" && name != "change",
        Expr::Select(select) => match chain(ast) {
            Some(chain) => {
                found.insert(chain);
                true
            }
            None => visit(&select.operand, found),
        },
        Expr::List(list) => list.elements.iter().all(|element| visit(element, found)),
        Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => visit(&entry.key, found) && visit(&entry.value, found),
            EntryExpr::StructField(_) => false,
        }),
        Expr::Call(call) => call.target.iter().all(|t| visit(t, found)) && call.args.iter().all(|a| visit(a, found)),
        Expr::Comprehension(all) => {
            let parts = [&all.iter_range, &all.accu_init, &all.loop_cond, &all.loop_step, &all.result];
            parts.into_iter().all(|part| visit(part, found))
        }
        Expr::Literal(_) => true,
        Expr::Struct(_) | Expr::Unspecified => false,
    }
}

/// The first two fields of `component.vars.size.…`.
fn chain(ast: &Ast) -> Option<Chain> {
    let (mut fields, mut at) = (Vec::new(), ast);
    while let Expr::Select(select) = &at.expr {
        fields.push(&select.field);
        at = &select.operand;
    }
    let is_component = matches!(&at.expr, Expr::Ident(name) if name == "component");
    let mut fields = fields.into_iter().rev().cloned();
    let section = fields.next().filter(|_| is_component)?;
    Some(Chain { section, key: fields.next() })
}

#[cfg(test)]
mod tests {
    use super::super::Expression;

    #[test]
    fn what_expressions_read() {
        let cases = [
            ("component.vars.a == 1 && has(component.vars.b.c)", Some("vars.a vars.b")),
            ("component.vars.list.all(x, x.size in component.settings)", Some("settings vars.list")),
            ("component.stack.endsWith('prod') || size(code.modules) == 1", Some("stack")),
            ("component.vars[component.name] == {'a': [component.backend]}", Some("backend name vars")),
            ("component.vars.a[0].b", Some("vars.a")),
            ("1 == 1", Some("")),
            ("'vars' in component", None),
            ("component['vars'].a == 1", None),
            ("[1].all(x, component == x)", None),
            ("change.path == 'a'", None),
        ];
        for (text, wanted) in cases {
            let expression = Expression::parse(text, &["component", "change", "code"]).unwrap();
            let name = |c: &super::Chain| [Some(&c.section), c.key.as_ref()].into_iter().flatten().cloned().collect();
            let found = expression.chains().map(|all| {
                let names: Vec<Vec<String>> = all.iter().map(name).collect();
                names.iter().map(|name| name.join(".")).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }
}
