//! Random projects of every system that give components the same values, however they are written down.

use super::Texts;
use proptest::prelude::*;

/// How many of the values are known before something runs, and how many are not.
pub(super) const KNOWN: usize = 9;
const UNKNOWN: usize = 3;

/// The values that an input may have; no two are the same. The unknown ones are last.
pub(super) const VALUES: [&str; KNOWN + UNKNOWN] = [
    "1",
    "2",
    "a",
    "'1'",
    "true",
    "null",
    "[x, y]",
    "[y, x]",
    "{k: 1}",
    "!terraform.output net id",
    "!terraform.output net arn",
    "'{{ env \"HOME\" }}'",
];
/// The inputs of a component.
pub(super) const INPUTS: usize = 4;
pub(super) const STACKS: usize = 3;

/// Inputs with values.
pub(super) type Entries = Vec<(usize, usize)>;

/// A value for each input of each stack.
pub(super) type Model = Vec<Vec<usize>>;

/// How a model is written down. Whatever it is, the values are the same.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By how many places the keys are rotated.
    rotated: usize,
    /// Comments around the keys.
    has_comments: bool,
    /// For each input: 0 for every stack by itself, 1 in the shared file where all agree, 2 there with overrides.
    hoisted: Vec<usize>,
}

pub(super) fn layout() -> impl Strategy<Value = Layout> {
    (0..INPUTS, any::<bool>(), prop::collection::vec(0..3_usize, INPUTS))
        .prop_map(|(rotated, has_comments, hoisted)| Layout { rotated, has_comments, hoisted })
}

/// Whether a value replaces any other one.
fn is_plain(value: &str) -> bool {
    value != "null" && !value.starts_with('{')
}

impl Layout {
    /// Lines of `name: value`, rotated, with comments.
    fn lines(
        &self,
        indent: &str,
        mut entries: Vec<(usize, usize)>,
        assign: &str,
        value: &dyn Fn(usize) -> String,
    ) -> String {
        let middle = self.rotated.min(entries.len());
        entries.rotate_left(middle);
        let comment = if self.has_comments { format!("{indent}# words\n\n") } else { String::new() };
        let line = |(input, number): (usize, usize)| format!("{comment}{indent}in{input}{assign}{}\n", value(number));
        entries.into_iter().map(line).collect()
    }

    /// What the shared file sets, and what each stack does.
    ///
    /// A shared value is only overridden where all values of the input may stand over others: a map is merged into the one below
    /// it, null is no value.
    fn split(&self, model: &Model, is_plain: fn(&str) -> bool) -> (Entries, Vec<Entries>) {
        let (mut shared, mut own) = (Vec::new(), vec![Vec::new(); STACKS]);
        for input in 0..INPUTS {
            let first = model[0][input];
            let is_shared = match self.hoisted[input] {
                0 => false,
                1 => model.iter().all(|stack| stack[input] == first),
                _ => model.iter().all(|stack| is_plain(VALUES[stack[input]])),
            };
            shared.extend(is_shared.then_some((input, first)));
            for (stack, own) in own.iter_mut().enumerate() {
                let value = model[stack][input];
                own.extend((!is_shared || value != first).then_some((input, value)));
            }
        }
        (shared, own)
    }

    fn atmos(&self, model: &Model) -> Texts {
        let config = "stacks: {base_path: stacks, included_paths: ['deploy/**'], name_template: '{{ .vars.stage }}'}\n\
                      components: {terraform: {base_path: components/terraform}}\n";
        let mut files = Texts::from([("atmos.yaml".to_owned(), config.to_owned())]);
        let (shared, own) = self.split(model, is_plain);
        let value = |number: usize| VALUES[number].to_owned();
        let lines = self.lines("        ", shared, ": ", &value);
        let catalog = format!("components:\n  terraform:\n    app:\n      vars:\n        own: 1\n{lines}");
        files.insert("stacks/catalog/app.yaml".to_owned(), catalog);
        for (stack, own) in own.into_iter().enumerate() {
            let lines = self.lines("        ", own, ": ", &value);
            let text = format!(
                "import: [catalog/app]\nvars: {{stage: s{stack}}}\ncomponents:\n  terraform:\n    app:\n      vars:\n        last: 1\n{lines}"
            );
            files.insert(format!("stacks/deploy/s{stack}.yaml"), text);
        }
        files
    }

    fn terragrunt(&self, model: &Model) -> Texts {
        let mut files = Texts::new();
        let (shared, own) = self.split(model, is_plain);
        let value = value_in([r#"get_env("A")"#, r#"get_env("B")"#, r#"run_cmd("date")"#], in_hcl);
        let lines = self.lines("  ", shared, " = ", &value);
        files.insert("live/root.hcl".to_owned(), format!("inputs = {{\n{lines}}}\n"));
        for (stack, own) in own.into_iter().enumerate() {
            let lines = self.lines("  ", own, " = ", &value);
            let include = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
            let source = "terraform {\n  source = \"tfr:///acme/app/aws?version=1.0.0\"\n}\n";
            files.insert(format!("live/s{stack}/terragrunt.hcl"), format!("{include}{source}inputs = {{\n{lines}}}\n"));
        }
        files
    }
}

/// The value with a number, with the unknown ones of a system and the known ones as it writes them.
fn value_in(unknown: [&'static str; UNKNOWN], known: fn(&'static str) -> &'static str) -> impl Fn(usize) -> String {
    move |number| number.checked_sub(KNOWN).map_or_else(|| known(VALUES[number]), |number| unknown[number]).to_owned()
}

/// A known value of YAML in HCL.
fn in_hcl(value: &'static str) -> &'static str {
    match value {
        "a" => "\"a\"",
        "'1'" => "\"1\"",
        "[x, y]" => "[\"x\", \"y\"]",
        "[y, x]" => "[\"y\", \"x\"]",
        "{k: 1}" => "{ k = 1 }",
        other => other,
    }
}

pub(super) fn model() -> impl Strategy<Value = Model> {
    // Stacks often agree.
    let stack = prop::collection::vec(prop_oneof![2 => Just(0_usize), 1 => 0..VALUES.len()], INPUTS);
    prop::collection::vec(stack, STACKS)
}

/// The systems whose projects a model is written for.
#[derive(Clone, Copy, Debug)]
pub(super) enum System {
    Atmos,
    Terragrunt,
    Jitsubst,
    Garden,
    OpenTofu,
}

impl System {
    /// What the name of the first stack begins with, before its number.
    pub(super) fn stack(self) -> &'static str {
        match self {
            System::Atmos | System::Jitsubst | System::Garden => "s",
            System::Terragrunt | System::OpenTofu => "live/s",
        }
    }
}

pub(super) fn system() -> impl Strategy<Value = System> {
    use System::{Atmos, Garden, Jitsubst, OpenTofu, Terragrunt};
    prop::sample::select(vec![Atmos, Terragrunt, Jitsubst, Garden, OpenTofu])
}

pub(super) fn written(system: System, layout: &Layout, model: &Model) -> Texts {
    match system {
        System::Atmos => layout.atmos(model),
        System::Terragrunt => layout.terragrunt(model),
        System::Jitsubst => jitsubst(layout, model),
        System::Garden => garden(layout, model),
        System::OpenTofu => opentofu(layout, model),
    }
}

/// A module with an overlay for each environment.
fn jitsubst(layout: &Layout, model: &Model) -> Texts {
    let (shared, own) = layout.split(model, is_plain);
    let value = value_in(["'${A}'", "'${B}'", "'${HOME}'"], |known| known);
    let mut text = "environments: {s0: {}, s1: {}, s2: {}}\nmodules:\n  - name: app\n    \
                    type: infra.app\n    config:\n      own: 1\n"
        .to_owned();
    text.push_str(&layout.lines("      ", shared, ": ", &value));
    text.push_str("    environments:\n");
    for (stack, own) in own.into_iter().enumerate() {
        text.push_str(&format!("      s{stack}:\n        config:\n          last: 1\n"));
        text.push_str(&layout.lines("          ", own, ": ", &value));
    }
    Texts::from([("infra.yaml".to_owned(), text)])
}

/// An action that reads variables of the project and of each environment.
fn garden(layout: &Layout, model: &Model) -> Texts {
    // A lookup finds a text below a list.
    let (shared, own) = layout.split(model, |value| is_plain(value) && !value.starts_with('['));
    let unknown = ["${local.env.A}", "${local.env.B}", "${local.env.HOME}"];
    let value = value_in(unknown, |known| if known == "null" { "none" } else { known });
    let mut text = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nvariables:\n  own: 1\n".to_owned();
    text.push_str(&layout.lines("  ", shared, ": ", &value));
    text.push_str("environments:\n");
    for (stack, own) in own.into_iter().enumerate() {
        text.push_str(&format!("  - name: s{stack}\n    variables:\n      last: 1\n"));
        text.push_str(&layout.lines("      ", own, ": ", &value));
    }
    let mut action = "kind: Run\nname: app\ntype: exec\nspec: {command: [app]}\nvariables:\n".to_owned();
    (0..INPUTS).for_each(|input| action.push_str(&format!("  in{input}: ${{var.in{input}}}\n")));
    Texts::from([("project.garden.yml".to_owned(), text), ("app/garden.yml".to_owned(), action)])
}

/// A root module for each stack.
fn opentofu(layout: &Layout, model: &Model) -> Texts {
    let value = value_in(["random_id.net.hex", "random_id.net.dec", "timestamp()"], in_hcl);
    let root = |(stack, values): (usize, &Vec<usize>)| {
        let entries = values.iter().copied().enumerate().collect();
        let lines = layout.lines("  ", entries, " = ", &value);
        let outputs = (0..INPUTS).map(|input| format!("output \"in{input}\" {{\n  value = local.in{input}\n}}\n"));
        let backend =
            "terraform {\n  backend \"local\" {}\n}\nresource \"random_id\" \"net\" {\n  byte_length = 1\n}\n";
        let text = format!("{backend}locals {{\n{lines}}}\n{}", outputs.collect::<String>());
        (format!("live/s{stack}/main.tf"), text)
    };
    model.iter().enumerate().map(root).collect()
}
