#![allow(clippy::unwrap_used, reason = "a test may fail")]
//! Random root modules with inputs, to compare ways of evaluating them.

use crate::fuzz::Dice;
use crate::terraform::evaluation::given::VariableInput;

/// Values that are given to variables, as they are written; those of a row have the same shape.
pub(super) const VALUES: [&[&str]; 9] = [
    &["\"\"", "\"a\"", "\"b\"", "\"1\"", "\"true\"", "\"x/y\"", "\"a.b\"", "\"-1\"", "\"t\""],
    &["0", "1", "2", "-1", "2.5"],
    &["true", "false"],
    &["null"],
    &["[]", "{}"],
    &["[\"a\", \"b\"]", "[\"b\", \"b\"]", "[\"1\", \"a\"]", "[\"\", \"0\"]"],
    &["[null, 1]", "[null, 0]"],
    &["{ a = \"1\", b = null }", "{ a = \"a\", b = null }", "{ a = \"b\", b = null }"],
    &["{ a = { b = [\"1\"] } }", "{ a = { b = [\"a\"] } }", "{ a = { b = [\"b\"] } }"],
];

/// The types of variables. What is given has to fit.
const TYPES: [&str; 9] = [
    "any",
    "string",
    "number",
    "bool",
    "list(string)",
    "set(string)",
    "map(any)",
    "list(number)",
    "object({ a = optional(any, \"d\"), b = optional(number) })",
];

/// Expressions that mostly pass on what is in them, in place of `@`.
const PASSING: [&str; 36] = [
    "@",
    "(@)",
    "\"${@}\"",
    "\"p-${@}\"",
    "\"${@}${@}\"",
    "\"%{ for x in @ }${x}%{ endfor }\"",
    "[@, @]",
    "{ a = @, b = @ }",
    "[for x in @ : x]",
    "[for x in @ : \"${x}\"]",
    "{ for k, x in @ : k => x }",
    "{ for x in @ : x => @... }",
    "@[0]",
    "@[1].a",
    "@.a",
    "@[\"b\"]",
    "@[*]",
    "@[*].a",
    "@.*.b",
    "merge(@, @)",
    "concat(@, @)",
    "try(@, @)",
    "can(@)",
    "lookup(@, \"a\", @)",
    "keys(@)",
    "values(@)",
    "length(@)",
    "lower(@)",
    "join(\",\", @)",
    "jsonencode(@)",
    "format(\"%s-%v\", @, @)",
    "replace(@, \"a\", @)",
    "tostring(@)",
    "tolist(@)",
    "tomap(@)",
    "flatten(@)",
];

/// Expressions that mostly decide by it.
const DECIDING: [&str; 28] = [
    "\"%{ if @ }${@}%{ endif }\"",
    "@ ? @ : @",
    "@ == @",
    "@ != null",
    "@ && @",
    "@ || @",
    "!@",
    "-@",
    "@ + @",
    "@ - @",
    "@ * @",
    "@ / @",
    "@ % @",
    "@ < @",
    "{ (@) = @ }",
    "[for k, x in @ : x if k == x]",
    "@[@]",
    "lookup(@, @, @)",
    "format(\"%d\", @)",
    "format(@, @)",
    "replace(@, \"/a/\", \"b\")",
    "replace(@, @, @)",
    "tonumber(@)",
    "toset(@)",
    "one(@)",
    "coalesce(@, @)",
    "element(@, @)",
    "contains(@, @)",
];

/// What is taken where an expression has no value.
const FALLBACKS: [&str; 4] = ["\"t\"", "[]", "{ z = 1 }", "null"];

impl Dice {
    pub(super) fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn expression(&mut self, names: &[&str], depth: usize) -> String {
        if depth == 0 || self.below(4) == 0 {
            return self.one(names).to_owned();
        }
        if self.below(6) == 0 {
            return format!("try({}, {})", self.expression(names, depth), self.one(&FALLBACKS));
        }
        let form = if self.below(3) == 0 { self.one(&DECIDING) } else { self.one(&PASSING) };
        let mut parts = form.split('@');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + &self.expression(names, depth - 1) + part)
    }

    fn variables(&mut self, names: &[&str]) -> String {
        let mut all = String::new();
        for name in names {
            let ty = if self.below(3) == 0 { self.one(&TYPES) } else { "any" };
            all += &format!("variable \"{name}\" {{\n  type = {ty}\n");
            match self.below(8) {
                0 => all += "  default = null\n",
                1 => {
                    let names = [&*format!("var.{name}"), "\"a\"", "1"];
                    let (read, message) = (self.expression(&names, 2), self.message(&names));
                    all += &format!(
                        "  validation {{\n    condition = try({read}, var.{name}) != \"a\"\n    error_message = {message}\n  }}\n"
                    );
                }
                2 => all += "  sensitive = true\n",
                _ => {}
            }
            all += "}\n";
        }
        all
    }

    /// An expression that mostly has a value.
    fn value(&mut self, names: &[&str], depth: usize) -> String {
        let inner = self.expression(names, depth);
        if self.below(2) == 0 { inner } else { format!("try({inner}, {})", self.one(&FALLBACKS)) }
    }

    /// The message of a condition, mostly a text.
    fn message(&mut self, names: &[&str]) -> String {
        match self.below(3) {
            0 => self.expression(names, 1),
            _ => format!("\"no ${{jsonencode({})}}\"", self.expression(names, 1)),
        }
    }

    /// What repeats a block.
    fn repetition(&mut self, names: &[&str]) -> String {
        let inner = self.expression(names, 2);
        match self.below(8) {
            0 => format!("  count = can({inner}) ? 1 : 0\n"),
            1 => format!("  count = try({inner}, 1) == \"a\" ? 0 : 2\n"),
            2 => format!("  count = length(try([for x in {inner} : x], []))\n"),
            3 => format!("  for_each = toset(try([for x in {inner} : \"${{x}}\"], [\"k\"]))\n"),
            4 => format!("  for_each = try({{ for k, v in {inner} : k => v }}, {{}})\n"),
            _ => String::new(),
        }
    }

    /// A root module that calls a module.
    pub(super) fn modules(&mut self) -> [(String, String); 2] {
        let names = ["var.a", "local.x", "var.a", "var.b", "terraform.workspace", "\"t\"", "1"];
        let (mut root, mut child) = (self.variables(&["a", "b"]), self.variables(&["p", "q"]));
        root += &format!("locals {{\n  x = {}\n  z = {}\n}}\n", self.value(&names[..2], 1), self.value(&names, 1));
        let depth = 1 + self.below(3);
        root += &format!("resource \"x_y\" \"a\" {{\n  b = {}\n}}\n", self.value(&names, depth));
        let mut all =
            [&names[..], &["local.z", "x_y.a.b", "x_y.a", "x_y.a.c", "x_y.a[*].b", "x_y.a[*].c", "x_y.a[*]"]].concat();
        if self.below(4) == 0 {
            let (repeat, b, each) = (self.repetition(&names), self.value(&names, 2), self.expression(&names, 1));
            let content = self.value(&["n.value", "n.key", "var.a", "n.value.a"], 2);
            root += &format!(
                "resource \"x_y\" \"d\" {{\n{repeat}  b = {b}\n  dynamic \"n\" {{\n    for_each = try([for x in {each} : x], [])\n    \
                 content {{\n      v = {content}\n    }}\n  }}\n}}\n"
            );
            all.extend(if repeat.contains("count") { ["x_y.d[0].b", "x_y.d[*].c"] } else { ["x_y.d", "x_y.d[*].b"] });
        }
        if self.below(4) == 0 {
            let (b, read) = (self.value(&names, 2), self.expression(&["self.b", "var.a", "x_y.a.b"], 2));
            let message = self.message(&["self.b", "var.a"]);
            root += &format!(
                "resource \"x_y\" \"e\" {{\n  b = {b}\n  lifecycle {{\n    postcondition {{\n      condition = try({read}, 1) != \"a\"\n      \
                 error_message = {message}\n    }}\n  }}\n}}\n"
            );
            all.push("x_y.e");
        }
        if self.below(4) == 0 {
            let (p, q) = (self.value(&all, 2), self.value(&all, 1));
            root +=
                &format!("module \"m\" {{\n  source = \"./m\"\n{}  p = {p}\n  q = {q}\n}}\n", self.repetition(&names));
            all.push("module.m.o");
        }
        root += &format!("output \"o\" {{\n  sensitive = true\n  value = {}\n}}\n", self.value(&all, 1));
        child += &format!("output \"o\" {{\n  value = {}\n}}\n", self.value(&["var.p", "var.q", "\"t\""], 1));
        child += &format!("resource \"x_y\" \"r\" {{\n  b = {}\n}}\n", self.value(&["var.p", "var.q"], 1));
        [("m/main.tf".to_owned(), root), ("m/m/main.tf".to_owned(), child)]
    }

    /// Values of the variables; `rows` are the shapes that they mostly have.
    pub(super) fn inputs(&mut self, rows: [usize; 2]) -> Vec<VariableInput> {
        let mut inputs = Vec::new();
        for (name, row) in ["a", "b"].into_iter().zip(rows) {
            let row = if self.below(6) == 0 { self.below(VALUES.len()) } else { row };
            match self.below(12) {
                0 => inputs.push(VariableInput::Unknown { name: Some(name.to_owned()), what: "something".to_owned() }),
                _ => {
                    inputs.push(VariableInput::Value { name: name.to_owned(), text: self.one(VALUES[row]).to_owned() })
                }
            }
        }
        inputs
    }
}
