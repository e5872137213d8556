//! Addresses of instances, and of what `moved`, `removed` and `import` blocks name.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Expr, ExprKind, Key, TraversalStep};
use crate::hcl::parse::parse_expression;
use crate::terraform::configuration::expansion::Repeat;
use crate::text::Text;
use std::fmt;

/// The address of an instance of a resource: the calls with their keys as they are written in addresses (`["a"]`, empty
/// without one), and the block with its key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address {
    /// The module calls that lead to it.
    pub modules: Vec<(Text, String)>,
    /// The block: `aws_vpc.main`, `data.aws_ami.os`.
    pub block: Text,
    /// The key of the instance.
    pub key: String,
}

impl Address {
    /// What is declared, the type of the resource, and the address without any keys.
    pub(crate) fn declaration(&self) -> (Text, Text) {
        let modules: String = self.modules.iter().map(|(name, _)| format!("module.{name}.")).collect();
        let kind = self.block.rsplit_once('.').map_or(&*self.block, |(kind, _)| kind);
        (kind.into(), format!("{modules}{}", self.block).into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.modules.iter().try_for_each(|(name, key)| write!(f, "module.{name}{key}."))?;
        write!(f, "{}{}", self.block, self.key)
    }
}

/// What a block names: a module call or a resource, or an instance of one. A key is `None` where none is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Endpoint {
    /// The module calls.
    pub modules: Vec<(Text, Option<String>)>,
    /// The resource, if it is one.
    pub block: Option<(Text, Option<String>)>,
}

impl Endpoint {
    /// Reads an address. A key that is computed is what `key_of` says.
    pub(super) fn read(expr: &Expr, key_of: &dyn Fn(&Expr) -> Option<Repeat>) -> Option<Self> {
        // JSON has it as text.
        if let Some(text) = walk::constant_text(expr) {
            return Endpoint::read(&parse_expression(text).ok()?, key_of);
        }
        let mut parts = Vec::new();
        collect(walk::unwrapped(expr), key_of, &mut parts)?;
        let mut endpoint = Endpoint { modules: Vec::new(), block: None };
        let mut rest = parts.as_slice();
        while let [(first, None), (name, key), more @ ..] = rest
            && &**first == "module"
        {
            endpoint.modules.push((name.clone(), key.clone()));
            rest = more;
        }
        endpoint.block = match rest {
            [] if !endpoint.modules.is_empty() => None,
            [(kind, None), (name, key)] => Some((format!("{kind}.{name}").into(), key.clone())),
            [(mode, None), (kind, None), (name, key)] if matches!(&**mode, "data" | "ephemeral") => {
                Some((format!("{mode}.{kind}.{name}").into(), key.clone()))
            }
            [(word, None), (kind, None), (name, key)] if &**word == "resource" => {
                Some((format!("{kind}.{name}").into(), key.clone()))
            }
            _ => return None,
        };
        Some(endpoint)
    }

    /// Whether it is all instances of what it names last.
    pub(super) fn is_whole(&self) -> bool {
        match &self.block {
            Some((_, key)) => key.is_none(),
            None => self.modules.last().is_some_and(|(_, key)| key.is_none()),
        }
    }
}

/// The names of an address, each with the key behind it.
fn collect(
    expr: &Expr,
    key_of: &dyn Fn(&Expr) -> Option<Repeat>,
    parts: &mut Vec<(Text, Option<String>)>,
) -> Option<()> {
    match &expr.kind {
        ExprKind::Traversal(root, steps) => {
            parts.push((root.text.clone(), None));
            add_steps(steps, parts)
        }
        ExprKind::Access(base, steps) => {
            collect(base, key_of, parts)?;
            add_steps(steps, parts)
        }
        ExprKind::Index(base, key) => {
            collect(base, key_of, parts)?;
            parts.last_mut()?.1 = Some(key_of(key)?.suffix());
            Some(())
        }
        _ => None,
    }
}

fn add_steps(steps: &[TraversalStep], parts: &mut Vec<(Text, Option<String>)>) -> Option<()> {
    for step in steps {
        match step {
            TraversalStep::Attribute(name) => parts.push((name.text.clone(), None)),
            TraversalStep::Index(Key::Number(number), _) => {
                parts.last_mut()?.1 = Some(Repeat::Count(usize::try_from(number.as_i64()?).ok()?).suffix());
            }
            TraversalStep::Index(Key::Text(text), _) => {
                parts.last_mut()?.1 = Some(Repeat::Each(text.clone(), crate::hcl::val::Val::null()).suffix());
            }
        }
    }
    Some(())
}
