//! The fields that alone determine what a template renders.

use super::Template;
use super::ast::{BranchKind, ExprKind, List, Node, Pipe};
use shared_text::Text;

/// Go's functions, whose results depend on their arguments alone.
const PURE: &[&str] =
    &["and", "eq", "ge", "gt", "index", "le", "len", "lt", "ne", "not", "or", "print", "printf", "println"];

/// Returns the paths of all fields that a template may read, each once; `None` if its result may depend on anything else, such as
/// the environment or what a loop counts.
pub(super) fn of(template: &Template) -> Option<Vec<Vec<Text>>> {
    let mut paths = Vec::new();
    if !template.definitions.is_empty() {
        return None;
    }
    list(&template.root, &mut paths)?;
    Some(paths)
}

fn list(nodes: &List, paths: &mut Vec<Vec<Text>>) -> Option<()> {
    nodes.iter().try_for_each(|node| match node {
        Node::Text(_) => Some(()),
        Node::Action { pipe: inner, .. } => pipe(inner, paths),
        Node::Branch(branch) if branch.kind == BranchKind::If => {
            pipe(&branch.pipe, paths)?;
            list(&branch.body, paths)?;
            branch.alternative.iter().try_for_each(|nodes| list(nodes, paths))
        }
        Node::Branch(_) | Node::Template { .. } | Node::Break | Node::Continue => None,
    })
}

fn pipe(of: &Pipe, paths: &mut Vec<Vec<Text>>) -> Option<()> {
    if !of.variables.is_empty() {
        return None;
    }
    of.commands.iter().flat_map(|command| &command.words).try_for_each(|word| match &word.kind {
        ExprKind::Bool(_) | ExprKind::Nil | ExprKind::Number { .. } | ExprKind::Str { .. } => Some(()),
        ExprKind::Field(path) => {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
            Some(())
        }
        ExprKind::Function(name) => PURE.contains(&&**name).then_some(()),
        ExprKind::Pipe(inner) => pipe(inner, paths),
        ExprKind::Dot | ExprKind::Variable { .. } | ExprKind::Chain { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use crate::{FunctionSet, TemplateOptions, parse};

    fn inputs(text: &str) -> Option<String> {
        let functions = FunctionSet { sprig: true, gomplate: true, host: None };
        let template = parse(text, &TemplateOptions { left: "", right: "", functions: &functions }).unwrap();
        Some(template.inputs()?.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn fields_conditions_and_functions_of_go_are_followed() {
        for (text, want) in [
            ("no action", ""),
            ("{{ .vars.a }}-{{ .b }}-{{ .vars.a }}", "vars.a b"),
            ("{{ if eq .a \"x\" }}{{ .b }}{{ else if .c }}1{{ else }}{{ .d }}{{ end }}", "a b c d"),
            ("{{ printf \"%s\" (index .a 1) | print }}", "a"),
        ] {
            assert_eq!(inputs(text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn whatever_may_read_more_has_no_list() {
        for text in [
            "{{ . }}",
            "{{ $.a }}",
            "{{ $x := .a }}",
            "{{ env \"HOME\" }}",
            "{{ now }}",
            "{{ .a | upper }}",
            "{{ range .a }}{{ .b }}{{ end }}",
            "{{ with .a }}{{ .b }}{{ end }}",
            "{{ (index .a 0).b }}",
            "{{ define \"t\" }}{{ .a }}{{ end }}{{ template \"t\" . }}",
            "{{ if .a }}{{ randInt 1 9 }}{{ end }}",
        ] {
            assert_eq!(inputs(text), None, "{text}");
        }
    }
}
