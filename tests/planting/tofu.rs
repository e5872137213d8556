//! Mistakes in root modules of OpenTofu: each is a file more in the folder of the root module.

use crate::Planting;
use crate::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("tofu-backend", |p| {
        // An override takes the place of the backend that is there.
        planted(p, "planted_override.tf", "terraform {\n  backend \"etcdv9\" {}\n}\n", "etcdv9");
    }),
    ("tofu-encryption", |p| {
        let method = "terraform {\n  encryption {\n    plan {\n      method = method.aes_gcm.planted\n    }\n  }\n}\n";
        planted(p, "planted.tf", method, "method.aes_gcm.planted");
    }),
    ("tofu-invalid-declaration", |p| {
        planted(p, "planted.tf", "variable \"planted\" {\n  type    = number\n  default = \"many\"\n}\n", "many");
    }),
    ("tofu-invalid-syntax", |p| planted(p, "planted.tf", "locals {\n  planted = [1 2]\n}\n", "[1 2]")),
    ("tofu-invalid-value", |p| source(p, "[\"a\"][1]", "[\"a\"][1]")),
    ("tofu-missing-value", |p| {
        let text = "variable \"planted\" {\n  type = string\n}\n\nmodule \"planted\" {\n  source = var.planted\n}\n";
        planted(p, "planted.tf", text, "variable \"planted\"");
    }),
    ("tofu-module-argument", |p| {
        let folder = folder(p);
        p.write(&format!("{folder}planted/main.tf"), "variable \"a\" {}\n\nmodule \"b\" {\n  source = var.a\n}\n");
        planted(p, "planted.tf", "module \"planted\" {\n  source = \"./planted\"\n}\n", "module \"planted\"");
    }),
    ("tofu-module-source", |p| source(p, "\"modules/network\"", "modules/network")),
    ("tofu-not-static", |p| source(p, "random_pet.planted.id", "random_pet.planted.id")),
    ("tofu-provider-for-each", |p| {
        let text = "provider \"planted\" {\n  alias    = \"a\"\n  for_each = [\"x\"]\n}\n";
        planted(p, "planted.tf", text, "for_each = [");
    }),
    ("tofu-sensitive-address", |p| source(p, "sensitive(\"./planted\")", "sensitive(")),
    ("tofu-undefined-name", |p| source(p, "local.planted", "local.planted")),
    ("tofu-variable-values", |p| {
        planted(p, "planted.auto.tfvars", "planted = upper(\"x\")\n", "upper(");
    }),
];

/// The folder of the root module, with a slash behind it unless it is the root of the repository.
fn folder(p: &Plant) -> String {
    p.tree.config.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"))
}

fn planted(p: &mut Plant, name: &str, text: &str, mark: &str) {
    let path = format!("{}{name}", folder(p));
    p.write(&path, text);
    p.expect(mark);
}

/// Adds a call of a module with this source.
fn source(p: &mut Plant, source: &str, mark: &str) {
    planted(p, "planted.tf", &format!("module \"planted\" {{\n  source = {source}\n}}\n"), mark);
}
