//! Static analysis of commands: the component and the stack that they name.

/// Commands that take a component as the first argument after these words, and the types that it may have.
const WITH_COMPONENT: [(&[&str], &[&str]); 5] = [
    (&["terraform", "generate"], &["terraform"]),
    (&["terraform"], &["terraform"]),
    (&["helmfile"], &["helmfile"]),
    (&["packer"], &["packer"]),
    (&["describe", "component"], &[]),
];

/// The last word of commands of Terraform, Helmfile and Packer that is followed by a component.
const TERRAFORM: [&str; 15] = [
    "apply", "clean", "console", "deploy", "destroy", "graph", "import", "init", "output", "plan", "refresh", "shell",
    "taint", "untaint", "validate",
];
const GENERATED: [&str; 3] = ["backend", "planfile", "varfile"];
const HELMFILE: [&str; 5] = ["apply", "deploy", "destroy", "diff", "sync"];
const PACKER: [&str; 5] = ["build", "init", "inspect", "output", "validate"];

/// A command as far as it is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::dialects::atmos) struct Command {
    /// The words up to the component, without aliases: `terraform plan`.
    pub(in crate::dialects::atmos) words: Vec<String>,
    /// The component, and the types that it may have (any if empty).
    pub(in crate::dialects::atmos) component: Option<(String, &'static [&'static str])>,
    pub(in crate::dialects::atmos) stack: Stack,
}

/// The stack that a command names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::dialects::atmos) enum Stack {
    /// None.
    #[default]
    Absent,
    Named(String),
    /// One that is named more than once, or without a name.
    Unclear,
}

/// Reads the arguments of `atmos`; `None` where the text holds what a shell or a template makes something else of, or for a
/// command that takes no component.
pub(in crate::dialects::atmos) fn parse(text: &str) -> Option<Command> {
    let words = words(text)?;
    let first = match words.first()?.as_str() {
        "tf" => "terraform",
        first => first,
    };
    let spelled: Vec<&str> = std::iter::once(first).chain(words.iter().skip(1).map(String::as_str)).collect();
    let (length, kinds) = WITH_COMPONENT.iter().find_map(|(prefix, kinds)| {
        let rest = spelled.strip_prefix(*prefix)?;
        let last = match *prefix {
            ["describe", ..] => return Some((prefix.len(), *kinds)),
            ["terraform", _] => &GENERATED[..],
            ["terraform"] => &TERRAFORM,
            ["helmfile"] => &HELMFILE,
            _ => &PACKER,
        };
        last.contains(rest.first()?).then_some((prefix.len() + 1, *kinds))
    })?;
    let arguments: Vec<&str> = spelled[length..].iter().copied().take_while(|word| *word != "--").collect();
    let component = arguments.first().filter(|word| is_name(word)).map(|word| ((*word).to_owned(), kinds));
    let words = spelled[..length].iter().map(|word| (*word).to_owned()).collect();
    Some(Command { words, component, stack: stack(&arguments) })
}

/// Whether a word names a component: it is neither a flag nor a path.
fn is_name(word: &str) -> bool {
    !word.is_empty() && !word.starts_with(['-', '.', '/', '~']) && !word.contains("://") && !word.contains('=')
}

fn stack(arguments: &[&str]) -> Stack {
    let mut named = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        match word.strip_prefix("--stack=").or_else(|| word.strip_prefix("-s=")) {
            Some(name) => named.push(name),
            None if matches!(*word, "-s" | "--stack") => named.push(arguments.get(at + 1).copied().unwrap_or_default()),
            None => {}
        }
    }
    match named.as_slice() {
        [] => Stack::Absent,
        [name] if is_name(name) => Stack::Named((*name).to_owned()),
        _ => Stack::Unclear,
    }
}

/// Returns the words of a command, without quotes; `None` if it contains a template or anything special to a shell.
pub(in crate::dialects::atmos) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '$' | '`' | '\\') => return None,
            (Some(_), '{') => return None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '$' | '`' | '\\' | '|' | ';' | '&' | '<' | '>' | '(' | ')' | '{' | '}' | '*' | '?' | '[' | '#') => {
                return None;
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::{Stack, parse};

    #[test]
    fn commands_that_take_a_component() {
        let named = |name: &str| Stack::Named(name.to_owned());
        for (text, component, stack) in [
            ("terraform plan vpc", Some("vpc"), Stack::Absent),
            ("tf plan vpc -s dev", Some("vpc"), named("dev")),
            ("terraform apply 'net/vpc' --stack=dev -- -s x", Some("net/vpc"), named("dev")),
            ("terraform plan -s dev vpc", None, named("dev")),
            ("terraform deploy ./vpc -s=dev", None, named("dev")),
            ("terraform plan --all --stack dev", None, named("dev")),
            ("terraform generate varfile vpc -s dev", Some("vpc"), named("dev")),
            ("terraform plan vpc -s dev -s prod", Some("vpc"), Stack::Unclear),
            ("terraform plan vpc -s", Some("vpc"), Stack::Unclear),
            ("helmfile diff ingress\n  -s dev\n", Some("ingress"), named("dev")),
            ("describe component vpc -s dev", Some("vpc"), named("dev")),
        ] {
            let command = parse(text).unwrap_or_default();
            assert_eq!((command.component.as_ref().map(|c| &*c.0), command.stack), (component, stack), "{text}");
        }
    }

    #[test]
    fn commands_of_which_nothing_can_be_reported() {
        for text in [
            "",
            "version",
            "terraform",
            "terraform generate backends",
            "terraform providers lock vpc",
            "terraform workspace list",
            "terraform plan $COMPONENT -s dev",
            "terraform plan {{ .steps.pick.value }} -s dev",
            "terraform plan vpc -s dev | tee x",
            "terraform plan \"${C}\"",
            "terraform plan 'a",
            "--chdir x terraform plan vpc",
            "provision everything -s dev",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
