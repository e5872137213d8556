//! Mistakes in components, their code, and in what they need of each other.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("component-validation", |p| {
        let asked = "{shape: {schema_type: opa, schema_path: nowhere.rego}}";
        p.vpc(&["settings", "validation"], asked);
        p.expect("nowhere.rego");
    }),
    ("dependency-cycle", |p| {
        let back = format!("[{{component: {}}}]", p.tree.db.0);
        p.vpc(&["dependencies", "components"], &back);
        p.expect("");
    }),
    ("dependency-on-abstract", |p| {
        p.component("planted/base", &["metadata", "type"], "abstract");
        p.vpc(&["dependencies", "components"], "[{component: planted/base}]");
        p.expect("[{component: planted/base}]");
    }),
    ("environment-drift", |p| {
        let (name, code) = p.tree.vpc;
        let settings = format!("[[environments]]\nleft = \"{}\"\nright = \"planted\"\n", p.tree.stack);
        p.write("stacklint.toml", settings);
        let vpc = format!("    {name}:\n      metadata: {{component: {code}}}\n      vars:\n        name: another\n");
        p.twin(&format!("name: planted\ncomponents:\n  terraform:\n{vpc}"));
        p.expect("name: another");
    }),
    ("implicit-dependency", |p| {
        reader(p, "planted", "vpc_id");
        p.expect("network: !terraform.state");
    }),
    ("inheritance-cycle", |p| {
        circle(p);
        p.component("planted/c", &["metadata", "inherits"], "[planted/a]");
        p.expect("inherits: [planted/b]");
    }),
    ("invalid-backend", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.component("planted", &["vars", "name"], "x");
        p.component("planted", &["backend_type"], "azurerm");
        p.component("planted", &["backend", "azurerm"], "{storage_account_name: x, container_name: ''}");
        p.expect("");
    }),
    ("limit-exceeded", |p| {
        // One base more than there may be between a component and the base of a base.
        for i in 0..=65 {
            let name = format!("planted/{i}");
            p.component(&name, &["metadata", "type"], "abstract");
            if i > 0 {
                p.component(&name, &["metadata", "inherits"], &format!("[planted/{}]", i - 1));
            }
        }
        p.expect("inherits: [planted/0]");
    }),
    ("missing-component-directory", |p| {
        p.component("planted", &["metadata", "component"], "nowhere");
        p.expect("component: nowhere");
    }),
    ("missing-dependency-path", |p| {
        p.vpc(&["dependencies", "files"], "[planted/nowhere.json]");
        p.expect("planted/nowhere.json");
    }),
    ("missing-required-variable", |p| {
        p.component("planted", &["metadata", "component"], p.tree.vpc.1);
        p.expect("planted:");
    }),
    ("mixed-state-stage", |p| {
        p.write(p.tree.twin, p.text(p.tree.manifest).to_owned());
        p.set(p.tree.twin, &["vars", "stage"], "qa");
        let read = format!("!terraform.state {} {} vpc_id", p.tree.vpc.0, p.tree.stack);
        let planted = ["components", "terraform", "planted"];
        p.set(p.tree.twin, &[&planted[..], &["metadata", "component"]].concat(), p.tree.db.1);
        p.set(p.tree.twin, &[&planted[..], &["vars", "network"]].concat(), &read);
        p.expect(read);
    }),
    ("reference-cycle", |p| {
        let back = format!("!terraform.state {} url", p.tree.db.0);
        p.vpc(&["vars", "name"], &back);
        p.expect("");
    }),
    ("self-inheritance", |p| {
        circle(p);
        p.expect("inherits: [planted/b]");
    }),
    ("shared-state-address", |p| {
        for name in ["planted/a", "planted/b"] {
            p.component(name, &["metadata", "component"], p.tree.vpc.1);
            p.component(name, &["metadata", "terraform_workspace"], "one");
            p.component(name, &["vars", "name"], "x");
            p.component(name, &["backend_type"], "s3");
            p.component(name, &["backend", "s3"], "{bucket: b, key: k, region: r, workspace_key_prefix: one}");
        }
        p.expect("planted/");
    }),
    ("slow-function", |p| {
        p.write("stacklint.toml", "max-slow-calls = 0\n");
        p.vpc(&["vars", "name"], "!exec hostname");
        p.expect("!exec hostname");
    }),
    ("undeclared-variable", |p| {
        p.vpc(&["vars", "nmae"], "x");
        p.expect("nmae");
    }),
    ("undefined-base-component", |p| {
        p.component("planted", &["metadata", "inherits"], "[nobody]");
        p.expect("nobody");
    }),
    ("undefined-component-reference", |p| {
        p.vpc(&["vars", "name"], "!terraform.state nobody id");
        p.expect("nobody");
    }),
    ("undefined-dependency", |p| {
        p.vpc(&["dependencies", "components"], "[{component: nobody}]");
        p.expect("nobody");
    }),
    ("undefined-output", |p| {
        reader(p, "planted", "vpc_ip");
        p.expect("vpc_ip");
    }),
    ("unused-abstract-component", |p| {
        p.component("planted/base", &["metadata", "type"], "abstract");
        p.expect("planted/base");
    }),
    ("variable-type-mismatch", |p| {
        p.vpc(&["vars", "zones"], "north");
        p.expect("zones: north");
    }),
];

/// Two components that inherit from each other.
fn circle(p: &mut Plant) {
    for (name, base) in [("planted/a", "planted/b"), ("planted/b", "planted/a")] {
        p.component(name, &["metadata", "type"], "abstract");
        p.component(name, &["metadata", "inherits"], &format!("[{base}]"));
    }
}

/// A new component that reads an output of the other one.
pub(crate) fn reader(p: &mut Plant, name: &str, output: &str) {
    p.component(name, &["metadata", "component"], p.tree.db.1);
    let read = format!("!terraform.state {} {output}", p.tree.vpc.0);
    p.component(name, &["vars", "network"], &read);
}
