//! References that are read without evaluating them: names, each behind the one before, and keys.

use crate::hcl::ast::{Expr, ExprKind, TraversalStep, walk};
use crate::hcl::parse::parse_expression;
use crate::terraform::module::block::literal_name;
use crate::text::Text;

/// A step of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A name, the first one or one behind a period.
    Name(Text),
    /// A key in square brackets.
    Key { is_computed: bool },
}

impl Step {
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Step::Name(name) => Some(name),
            Step::Key { .. } => None,
        }
    }

    pub(super) fn is_key(&self) -> bool {
        matches!(self, Step::Key { .. })
    }
}

/// Whether a reference may be written as a text: it always may be in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    Accepted,
    Refused,
}

/// The steps of a reference; `None` if an expression is something else.
pub(super) fn steps(expr: &Expr, quoted: Quoted) -> Option<Vec<Step>> {
    let expr = walk::unwrapped(expr);
    if let Some(text) = walk::constant_text(expr) {
        let parsed = (quoted == Quoted::Accepted).then(|| parse_expression(text).ok()).flatten()?;
        return steps(&parsed, Quoted::Refused);
    }
    let mut found = Vec::new();
    collect(expr, &mut found)?;
    Some(found)
}

fn collect(expr: &Expr, found: &mut Vec<Step>) -> Option<()> {
    match &expr.kind {
        ExprKind::Traversal(root, steps) => {
            found.push(Step::Name(root.text.clone()));
            add(steps, found);
            Some(())
        }
        ExprKind::Access(base, steps) => {
            collect(base, found)?;
            add(steps, found);
            Some(())
        }
        ExprKind::Index(base, _) => {
            collect(base, found)?;
            found.push(Step::Key { is_computed: true });
            Some(())
        }
        _ => {
            found.push(Step::Name(literal_name(expr)?.into()));
            Some(())
        }
    }
}

fn add(steps: &[TraversalStep], found: &mut Vec<Step>) {
    found.extend(steps.iter().map(|step| match step {
        TraversalStep::Attribute(name) => Step::Name(name.text.clone()),
        TraversalStep::Index(..) => Step::Key { is_computed: false },
    }));
}

/// What the address of a module or of a resource names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Whether it leads into a called module.
    pub in_module: bool,
    /// Whether it is a module, and not a resource.
    pub is_module: bool,
    /// Whether a key selects an instance.
    pub has_key: bool,
    /// Whether a key is computed.
    pub is_computed: bool,
    /// `data` or `ephemeral`, whose resources no state keeps for long.
    pub mode: Option<&'static str>,
}

/// Reads an address.
///
/// # Errors
/// Why it is none.
pub(super) fn target(steps: &[Step]) -> Result<Target, &'static str> {
    let mut rest = steps;
    while let [Step::Name(word), more @ ..] = rest
        && &**word == "module"
    {
        let [Step::Name(_), more @ ..] = more else { return Err("the name of a module follows \"module\"") };
        rest = more.strip_prefix(&[Step::Key { is_computed: false }][..]).unwrap_or(more);
        rest = rest.strip_prefix(&[Step::Key { is_computed: true }][..]).unwrap_or(rest);
    }
    let in_module = rest.len() < steps.len();
    let has_key = steps.iter().any(Step::is_key);
    let is_computed = steps.contains(&Step::Key { is_computed: true });
    if rest.is_empty() && in_module {
        return Ok(Target { in_module, is_module: true, has_key, is_computed, mode: None });
    }
    let mode = match rest.first().and_then(Step::name) {
        Some("data") => Some("data"),
        Some("ephemeral") => Some("ephemeral"),
        _ => None,
    };
    // Terraform lets `resource` precede the type.
    let has_word = rest.len() > 2 && rest[0].name() == Some("resource") && rest[2].name().is_some();
    let own = &rest[usize::from(mode.is_some() || has_word)..];
    match own {
        [] | [_] => Err("the address of a resource has a type and a name"),
        [Step::Key { .. }, ..] => Err("the type of a resource is a name"),
        [_, Step::Key { .. }, ..] => Err("the name of a resource is missing"),
        [_, _] | [_, _, Step::Key { .. }] => Ok(Target { in_module, is_module: false, has_key, is_computed, mode }),
        [_, _, Step::Name(_)] => Err("the key of an instance is in square brackets"),
        _ => Err("something follows the address"),
    }
}

/// Whether a reference names a whole object, and not an attribute of one. Outputs of modules count as objects.
pub(super) fn is_whole(steps: &[Step]) -> bool {
    let names: Vec<Option<&str>> = steps.iter().map(Step::name).collect();
    let behind = |count: usize| {
        let rest = &steps[count.min(steps.len())..];
        if rest.first().is_some_and(Step::is_key) { &rest[1..] } else { rest }
    };
    match names.as_slice() {
        [Some("data" | "ephemeral" | "resource"), ..] => behind(3).is_empty(),
        [Some("module"), ..] => matches!(behind(2), [] | [Step::Name(_)]),
        [Some("var" | "local" | "path" | "terraform" | "tofu" | "count" | "each" | "self"), ..] => steps.len() <= 2,
        _ => behind(2).is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Step> {
        steps(&parse_expression(text).expect(text), Quoted::Accepted).expect(text)
    }

    #[test]
    fn addresses() {
        for text in [
            "module.a",
            "module.a[0].module.b",
            "aws_vpc.x",
            "module.a.aws_vpc.x[\"k\"]",
            "data.aws_vpc.x",
            "resource.aws_vpc.x",
        ] {
            assert!(target(&read(text)).is_ok(), "{text}");
        }
        for text in
            ["aws_vpc", "module", "module.a.b", "aws_vpc.x.y", "aws_vpc.x[0].y", "aws_vpc[0]", "data.x", "module[0]"]
        {
            assert!(target(&read(text)).is_err(), "{text}");
        }
        assert!(target(&read("aws_vpc.x[var.k]")).is_ok_and(|target| target.is_computed && target.has_key));
    }

    #[test]
    fn whole_objects() {
        for text in
            ["aws_vpc.x", "aws_vpc.x[0]", "module.m", "module.m.out", "module.m[0].out", "var.a", "data.a.b[\"k\"]"]
        {
            assert!(is_whole(&read(text)), "{text}");
        }
        for text in ["aws_vpc.x.id", "var.a.b", "local.a[0]", "data.a.b.c", "module.m.out.x", "aws_vpc.x[0].id"] {
            assert!(!is_whole(&read(text)), "{text}");
        }
    }
}
