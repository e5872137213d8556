//! The names that an HCL file declares and references: variables, locals, module calls, resources, outputs. Only the
//! text is examined; invalid parts are skipped.

use crate::hcl::ast::walk::{Reference, constant_text, references};
use crate::hcl::ast::{Attribute, Block, Body, Expr, Name, Span, TraversalStep};
use crate::hcl::parse::{Layout, parse_body};
use crate::threads::with_deep_stack;
use std::collections::BTreeMap;

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// Something in the same module: `var.name`, `local.name`, `module.name`, `output.name`, `type.name`,
    /// `data.type.name`.
    Own(String),
    /// An output of a called module: the name of the call and of the output.
    Output(String, String),
    /// A variable of a called module: the name of the call and of the variable.
    Input(String, String),
}

/// A name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameUse {
    /// Its meaning.
    pub subject: Subject,
    /// Its location.
    pub span: Span,
    /// Whether this is the declaration.
    pub is_declaration: bool,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The names in the order of the text.
    pub uses: Vec<NameUse>,
    /// The sources of module calls that are plain text, with their locations, by the name of the call.
    pub sources: BTreeMap<String, (String, Span)>,
}

impl Names {
    /// Returns the innermost name at a byte offset.
    pub(crate) fn at(&self, offset: usize) -> Option<&NameUse> {
        let holds = |span: Span| span.start as usize <= offset && offset <= span.end as usize;
        let here = self.uses.iter().filter(|name| holds(name.span));
        here.min_by_key(|name| (name.span.end - name.span.start, std::cmp::Reverse(name.span.start)))
    }
}

/// Arguments of module calls that are not inputs.
const META: [&str; 6] = ["count", "depends_on", "for_each", "providers", "source", "version"];
/// Root names of references that have no declaration.
const SPECIAL: [&str; 5] = ["count", "each", "path", "provider", "self"];

/// Returns the names of a file with code.
pub(crate) fn names(text: &str) -> Names {
    with_deep_stack(|| {
        let mut walk = NameWalk::default();
        let body = parse_body(text, Layout::Lenient).body;
        for block in &body.blocks {
            walk.block(block);
        }
        for attribute in &body.attributes {
            walk.expression(&attribute.expr);
        }
        walk.found.uses.sort_by_key(|name| (name.span.start, name.span.end));
        walk.found
    })
}

/// Returns the names of a file with values of variables (`.tfvars`).
pub(crate) fn values(text: &str) -> Names {
    with_deep_stack(|| {
        let body = parse_body(text, Layout::Lenient).body;
        let one = |attribute: &Attribute| NameUse {
            subject: Subject::Own(format!("var.{}", attribute.name.text)),
            span: attribute.name.span,
            is_declaration: false,
        };
        Names { uses: body.attributes.iter().map(one).collect(), sources: BTreeMap::new() }
    })
}

#[derive(Default)]
struct NameWalk {
    found: Names,
}

impl NameWalk {
    fn push(&mut self, subject: Subject, span: Span, is_declaration: bool) {
        self.found.uses.push(NameUse { subject, span, is_declaration });
    }

    fn block(&mut self, block: &Block) {
        let label = |i: usize| block.label(i).map(|label| label.to_string());
        let declared = match (&*block.kind.text, label(0), label(1)) {
            ("variable", Some(name), _) => Some((format!("var.{name}"), 0)),
            ("output", Some(name), _) => Some((format!("output.{name}"), 0)),
            ("module", Some(name), _) => {
                self.call(&name, &block.body);
                Some((format!("module.{name}"), 0))
            }
            ("data" | "ephemeral", Some(kind), Some(name)) => Some((format!("{}.{kind}.{name}", block.kind.text), 1)),
            ("resource", Some(kind), Some(name)) => Some((format!("{kind}.{name}"), 1)),
            ("locals", ..) => {
                for attribute in &block.body.attributes {
                    self.push(Subject::Own(format!("local.{}", attribute.name.text)), attribute.name.span, true);
                }
                None
            }
            _ => None,
        };
        if let Some((address, label)) = declared {
            self.push(Subject::Own(address), inner(&block.labels[label]), true);
        }
        self.body(&block.body);
    }

    fn call(&mut self, call: &str, body: &Body) {
        for attribute in &body.attributes {
            let name = &*attribute.name.text;
            if name == "source"
                && let Some(source) = constant_text(&attribute.expr)
            {
                self.found.sources.insert(call.to_owned(), (source.to_owned(), attribute.expr.span));
            }
            if !META.contains(&name) {
                self.push(Subject::Input(call.to_owned(), name.to_owned()), attribute.name.span, false);
            }
        }
    }

    fn body(&mut self, body: &Body) {
        body.attributes.iter().for_each(|attribute| self.expression(&attribute.expr));
        body.blocks.iter().for_each(|block| self.body(&block.body));
    }

    fn expression(&mut self, expr: &Expr) {
        for reference in references(expr) {
            self.reference(&reference);
        }
    }

    fn reference(&mut self, reference: &Reference<'_>) {
        let root = &*reference.root.text;
        let names: Vec<&Name> = reference
            .steps
            .iter()
            .map_while(|step| match step {
                TraversalStep::Attribute(name) => Some(name),
                TraversalStep::Index(..) => None,
            })
            .collect();
        let to = |last: &Name| reference.root.span.to(last.span);
        match (root, names.as_slice()) {
            (root, _) if SPECIAL.contains(&root) => {}
            ("var" | "local", [name, ..]) => {
                self.push(Subject::Own(format!("{root}.{}", name.text)), to(name), false);
            }
            ("module", [call, ..]) => {
                self.push(Subject::Own(format!("module.{}", call.text)), to(call), false);
                // The name after an index (`module.a[0].b`) is an output, too.
                let output = reference.steps[1..].iter().find_map(|step| match step {
                    TraversalStep::Attribute(name) => Some(name),
                    TraversalStep::Index(..) => None,
                });
                if let Some(output) = output {
                    let subject = Subject::Output(call.text.to_string(), output.text.to_string());
                    // The span of a step includes its dot.
                    let start = output.span.end.saturating_sub(output.text.len() as u32).max(output.span.start);
                    self.push(subject, Span { start, end: output.span.end }, false);
                }
            }
            ("data" | "ephemeral", [kind, name, ..]) => {
                self.push(Subject::Own(format!("{root}.{}.{}", kind.text, name.text)), to(name), false);
            }
            (kind, [name, ..]) => self.push(Subject::Own(format!("{kind}.{}", name.text)), to(name), false),
            _ => {}
        }
    }
}

/// Returns the location of a label without its quotes.
fn inner(label: &Name) -> Span {
    let quotes = (label.span.end - label.span.start) as usize == label.text.len() + 2;
    let by = u32::from(quotes);
    Span { start: label.span.start + by, end: label.span.end - by }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
variable \"a\" {}
locals { b = var.a }
module \"c\" {
  source = \"./c\"
  x      = local.b
  for_each = toset([for v in var.a : v.name])
}
resource \"aws_x\" \"y\" { tags = data.d.e.id }
output \"o\" { value = \"${module.c[0].out}-${aws_x.y.arn}-${each.key}\" }
";

    fn shown(names: &Names, text: &str) -> Vec<String> {
        let one = |name: &NameUse| {
            let sign = if name.is_declaration { "=" } else { "" };
            format!("{sign}{}", &text[name.span.start as usize..name.span.end as usize])
        };
        names.uses.iter().map(one).collect()
    }

    #[test]
    fn names_are_declared_and_read() {
        let found = names(TEXT);
        let expected =
            ["=a", "=b", "var.a", "=c", "x", "local.b", "var.a", "=y", "data.d.e", "=o", "module.c", "out", "aws_x.y"];
        assert_eq!(shown(&found, TEXT), expected);
        assert_eq!(found.sources.get("c").map(|(source, _)| source.as_str()), Some("./c"));
        let at = |needle: &str| found.at(TEXT.find(needle).unwrap()).map(|name| name.subject.clone());
        assert_eq!(at("out}"), Some(Subject::Output("c".into(), "out".into())));
        assert_eq!(at("x      ="), Some(Subject::Input("c".into(), "x".into())));
        assert_eq!(at("a\" {}"), Some(Subject::Own("var.a".into())));
        assert_eq!(at("source"), None);
    }

    #[test]
    fn broken_files_and_files_of_values() {
        let text = "variable \"a\" {}\noutput \"o\" { value = var. }\nlocals { c = 1 }\n";
        assert!(shown(&names(text), text).contains(&"=a".to_owned()));
        let text = "a = 1\nb = [\"x\"]\n";
        assert_eq!(shown(&values(text), text), ["a", "b"]);
    }
}
