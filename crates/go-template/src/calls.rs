//! Which calls of a function a template contains, found without running it.

use super::Template;
use super::ast::{Branch, BranchKind, Command, Expr, ExprKind, List, Node, Pipe};
use shared_text::Text;
use traced_value::Data;

/// Nodes that are walked at most.
const MAX_NODES: usize = 20_000;

/// A call of a method of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCall {
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The keys that are read from its result: `["outputs", "id"]` of `(atmos.Component "vpc" .stack).outputs.id`.
    pub fields: Vec<Text>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A text.
    Text(Text),
    /// A path from the root of the data.
    Path(Vec<Text>),
    /// Something else, which is known only when the template runs.
    Other,
}

pub(super) fn collect(template: &Template, namespace: &str, method: &str) -> Vec<MethodCall> {
    let mut walk = CallWalk { namespace, method, found: Vec::new(), budget: MAX_NODES };
    walk.list(&template.root, true);
    for body in template.definitions.values() {
        walk.list(body, false);
    }
    walk.found
}

struct CallWalk<'a> {
    namespace: &'a str,
    method: &'a str,
    found: Vec<MethodCall>,
    budget: usize,
}

impl CallWalk<'_> {
    /// `at_root`: the dot is the root of the data.
    fn list(&mut self, list: &List, at_root: bool) {
        for node in list {
            match node {
                Node::Action { pipe, .. } => self.pipe(pipe, at_root, &[]),
                Node::Branch(branch) => self.branch(branch, at_root),
                Node::Template { pipe: Some(pipe), .. } => self.pipe(pipe, at_root, &[]),
                Node::Template { .. } | Node::Text(_) | Node::Break | Node::Continue => {}
            }
        }
    }

    fn branch(&mut self, branch: &Branch, at_root: bool) {
        self.pipe(&branch.pipe, at_root, &[]);
        self.list(&branch.body, at_root && branch.kind == BranchKind::If);
        if let Some(alternative) = &branch.alternative {
            self.list(alternative, at_root);
        }
    }

    /// `fields` are read from the result.
    fn pipe(&mut self, pipe: &Pipe, at_root: bool, fields: &[Text]) {
        for (i, command) in pipe.commands.iter().enumerate() {
            let is_last = i + 1 == pipe.commands.len();
            self.command(command, at_root, i == 0, if is_last { fields } else { &[] });
        }
    }

    fn command(&mut self, command: &Command, at_root: bool, is_first: bool, fields: &[Text]) {
        let is_call = command.words.first().is_some_and(|word| self.names_it(word));
        if is_call {
            let mut arguments: Vec<Argument> = command.words[1..].iter().map(|w| argument(w, at_root)).collect();
            if !is_first {
                // The piped value is the last argument.
                arguments.push(Argument::Other);
            }
            self.found.push(MethodCall { arguments, fields: fields.to_vec() });
        }
        for word in &command.words {
            self.word(word, at_root, if command.words.len() == 1 { fields } else { &[] });
        }
    }

    fn names_it(&self, word: &Expr) -> bool {
        let ExprKind::Chain { base, fields } = &word.kind else { return false };
        let is_namespace = matches!(&base.kind, ExprKind::Function(name) if **name == *self.namespace);
        is_namespace && fields.len() == 1 && &*fields[0] == self.method
    }

    fn word(&mut self, word: &Expr, at_root: bool, fields: &[Text]) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        match &word.kind {
            ExprKind::Pipe(pipe) => self.pipe(pipe, at_root, fields),
            ExprKind::Chain { base, fields } => self.word(base, at_root, fields),
            _ => {}
        }
    }
}

fn argument(word: &Expr, at_root: bool) -> Argument {
    match &word.kind {
        ExprKind::Str { value, .. } => match &value.data {
            Data::Str(text) => Argument::Text(Text::clone(text)),
            _ => Argument::Other,
        },
        ExprKind::Field(names) if at_root => Argument::Path(names.clone()),
        ExprKind::Variable { name, fields } if &**name == "$" && !fields.is_empty() => Argument::Path(fields.clone()),
        ExprKind::Pipe(pipe) => match pipe.commands.as_slice() {
            [only] if pipe.variables.is_empty() && only.words.len() == 1 => argument(&only.words[0], at_root),
            _ => Argument::Other,
        },
        _ => Argument::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::funcs::Namespace;
    use crate::{FunctionSet, TemplateOptions, parse};

    fn calls(text: &str) -> String {
        static HOST: Namespace = Namespace { name: "atmos", type_name: "*host.Funcs", methods: &[], fields: &[] };
        let functions = FunctionSet { sprig: true, gomplate: true, host: Some(&HOST) };
        let template =
            parse(text, &TemplateOptions { left: "", right: "", functions: &functions }).expect("a template");
        let calls = template.method_calls("atmos", "Component");
        calls.iter().map(|c| format!("{:?}→{:?}", c.arguments, c.fields)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn calls_are_found_wherever_they_are() {
        let id = r#"[Text("vpc"), Path(["stack"])]→["outputs", "id"]"#;
        for text in [
            r#"{{ (atmos.Component "vpc" .stack).outputs.id }}"#,
            r#"a {{ toJson ((atmos.Component "vpc" $.stack).outputs.id) }} b"#,
            r#"{{ if .x }}{{ (atmos.Component "vpc" (.stack)).outputs.id | quote }}{{ end }}"#,
            r#"{{ with .y }}{{ (atmos.Component `vpc` $.stack).outputs.id }}{{ end }}"#,
        ] {
            assert_eq!(calls(text), id, "{text}");
        }
        assert_eq!(calls(r#"{{ with .y }}{{ atmos.Component "vpc" .stack }}{{ end }}"#), r#"[Text("vpc"), Other]→[]"#);
        assert_eq!(calls(r#"{{ atmos.Component (printf "%s" .x) "dev" }}"#), r#"[Other, Text("dev")]→[]"#);
        assert_eq!(calls(r#"{{ atmos.Store "a" "b" }}{{ .atmos.Component }}"#), "");
    }
}
