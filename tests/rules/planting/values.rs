//! Mistakes in values, functions and in what layers make of each other.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("ambiguous-scalar", |p| {
        p.vpc(&["vars", "name"], "012345670123");
        p.expect("012345670123");
    }),
    ("append-without-effect", |p| {
        p.imported("low", "terraform:\n  vars:\n    planted: [a]\n");
        p.vpc(&["vars", "planted"], "!append [b]");
        p.expect("!append");
    }),
    ("dead-override", |p| {
        let low = p.shared("low", "terraform:\n  vars:\n    planted: 1\n");
        let path = p.shared("middle", &format!("import:\n  - {low}\nterraform:\n  vars:\n    planted: 5\n"));
        p.import(&path);
        p.top(&["terraform", "vars", "planted"], "2");
        p.expect("planted: 5");
    }),
    ("deferred-merge-conflict", |p| {
        p.imported("low", "terraform:\n  vars:\n    options: !template '{\"a\": 1}'\n");
        p.vpc(&["vars", "options"], "[b]");
        p.expect("options: [b]");
    }),
    ("deprecated-key", |p| {
        p.vpc(&["settings", "depends_on"], "{1: {component: planted}}");
        p.expect("depends_on");
    }),
    ("function-lost", |p| {
        let read = format!("!terraform.state {} vpc_id", p.tree.vpc.0);
        p.top(&["terraform", "vars", "network", "zone"], &read);
        p.vpc(&["vars", "network"], "~");
        p.expect("network: ~");
    }),
    ("import-order-decides", |p| {
        p.imported("one", "terraform:\n  vars:\n    planted: 1\n");
        p.imported("two", "terraform:\n  vars:\n    planted: 2\n");
        p.expect("planted/two");
    }),
    ("invalid-function-arguments", |p| {
        p.vpc(&["vars", "name"], "!terraform.state onlyone");
        p.expect("onlyone");
    }),
    ("list-replaced", |p| {
        layers(p, "[{name: ssh, port: 22}, {name: web, port: 443}]", "[{name: web, port: 8443}]");
    }),
    ("merge-type-conflict", |p| layers(p, "[a, b]", "a")),
    ("no-value-rendered", |p| {
        p.vpc(&["vars", "name"], "'{{ printf \"%d\" .vars.stage }}'");
        p.expect("printf");
    }),
    ("redundant-override", |p| {
        p.imported("low", "terraform:\n  vars:\n    planted: 1\n");
        p.imported(
            "high",
            &format!("components:\n  terraform:\n    {}:\n      vars:\n        planted: 1 # again\n", p.tree.vpc.0),
        );
        p.expect("# again");
    }),
    ("repeated-value", |p| {
        let low = p.shared("low", "terraform:\n  vars:\n    low: 1\n");
        p.import(&low);
        p.top(&["terraform", "vars", "planted"], "5");
        p.twin(&format!("import: [{low}]\nterraform:\n  vars:\n    planted: 5\n"));
        p.expect("planted: 5");
    }),
    ("scalar-kind-change", |p| layers(p, "\"12\"", "12")),
    ("secret-in-plain-text", |p| {
        p.top(&["vars", "db_password"], "kJ8sd7fK2mQ9");
        p.expect("kJ8sd7fK2mQ9");
    }),
    ("tag-inside-string", |p| {
        p.vpc(&["vars", "name"], "dev.!aws.account_id.example.net");
        p.expect("!aws.account_id");
    }),
    ("template-error", |p| {
        p.vpc(&["vars", "name"], "'{{ uper .vars.stage }}'");
        p.expect("uper");
    }),
    ("undefined-reference", |p| {
        p.vpc(&["vars", "name"], "'{{ .vars.stge }}'");
        p.expect(".vars.stge");
    }),
    ("unknown-function", |p| {
        p.vpc(&["vars", "name"], "!envv HOME");
        p.expect("!envv");
    }),
    ("unset-without-effect", |p| {
        p.vpc(&["vars", "gone"], "!unset");
        p.expect("!unset");
    }),
];

/// A value of the type, in a file that is imported, and another one of the component over it.
fn layers(p: &mut Plant, low: &str, high: &str) {
    p.imported("low", &format!("terraform:\n  vars:\n    planted: {low}\n"));
    p.vpc(&["vars", "planted"], high);
    p.expect(format!("planted: {high}"));
}
