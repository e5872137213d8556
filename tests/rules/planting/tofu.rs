//! Mistakes in root modules of OpenTofu: each is a file more in the folder of the root module.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("tofu-backend", |p| {
        // An override replaces the backend that is there.
        planted(p, "planted_override.tf", "terraform {\n  backend \"etcdv9\" {}\n}\n", "etcdv9");
    }),
    ("tofu-cycle", |p| {
        let text = "resource \"planted\" \"a\" {\n  x = planted.b.x\n}\n\nresource \"planted\" \"b\" {\n  x = planted.a.x\n}\n";
        planted(p, "planted.tf", text, "resource \"planted\" \"a\"");
    }),
    ("tofu-encryption", |p| {
        let method = "terraform {\n  encryption {\n    plan {\n      method = method.aes_gcm.planted\n    }\n  }\n}\n";
        planted(p, "planted.tf", method, "method.aes_gcm.planted");
    }),
    ("tofu-failed-check", |p| {
        let text = "check \"planted\" {\n  assert {\n    condition     = length(var.planted) > 9\n    error_message = \"Planted.\"\n  }\n}\n\nvariable \"planted\" {\n  default = \"x\"\n}\n";
        planted(p, "planted.tf", text, "length(var.planted)");
    }),
    ("tofu-failed-condition", |p| {
        let text = "variable \"planted\" {\n  default = \"x\"\n  validation {\n    condition     = length(var.planted) > 9\n    error_message = \"Planted.\"\n  }\n}\n";
        planted(p, "planted.tf", text, "variable \"planted\"");
    }),
    ("tofu-invalid-declaration", |p| {
        planted(p, "planted.tf", "variable \"planted\" {\n  type    = number\n  default = \"many\"\n}\n", "many");
    }),
    ("tofu-invalid-move", |p| {
        let text = "resource \"planted\" \"a\" {}\n\nmoved {\n  from = planted.a\n  to   = planted.b\n}\n";
        planted(p, "planted.tf", text, "moved {");
    }),
    ("tofu-invalid-repetition", |p| {
        planted(p, "planted.tf", "resource \"planted\" \"a\" {\n  count = -1\n}\n", "-1");
    }),
    ("tofu-invalid-syntax", |p| planted(p, "planted.tf", "locals {\n  planted = [1 2]\n}\n", "[1 2]")),
    ("tofu-invalid-value", |p| source(p, "[\"a\"][1]", "[\"a\"][1]")),
    ("tofu-locked-version", |p| {
        let lock = "provider \"registry.opentofu.org/acme/planted\" {\n  version = \"1.4.0\"\n}\n";
        p.write(&format!("{}.terraform.lock.hcl", folder(p)), lock);
        let text = "terraform {\n  required_providers {\n    planted = {\n      source  = \"acme/planted\"\n      version = \"~> 2.0\"\n    }\n  }\n}\n";
        p.write(&format!("{}planted.tf", folder(p)), "module \"planted\" {\n  source = \"./planted\"\n}\n");
        planted(p, "planted/main.tf", text, "planted = {");
    }),
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
    ("tofu-terraform-rejects", |p| {
        p.write("stacklint.toml", "dialect = \"terraform\"\n");
        let text =
            "variable \"planted\" {\n  default = \"./planted\"\n}\n\nmodule \"planted\" {\n  source = var.planted\n}\n";
        // Terraform sees no `.tofu` file.
        p.write(&format!("{}planted/main.tf", folder(p)), "");
        planted(p, "planted.tf", text, "var.planted");
    }),
    ("tofu-undefined-name", |p| source(p, "var.planted", "var.planted")),
    ("tofu-variable-values", |p| {
        planted(p, "planted.auto.tfvars", "planted = upper(\"x\")\n", "upper(");
    }),
    ("tofu-workspace-address", |p| source(p, "\"acme/planted/${terraform.workspace}\"", "terraform.workspace")),
    ("component-removed", |p| {
        module(p, "source = \"acme/planted/aws\"\n  version = \"1.2.0\"");
        p.commit_and_revert();
        p.expect("module \"planted\"");
    }),
    ("component-renamed", |p| {
        module(p, "source = \"acme/planted/aws\"\n  version = \"1.2.0\"");
        p.commit_and_revert();
        let text = "module \"planted_anew\" {\n  source = \"acme/planted/aws\"\n  version = \"1.2.0\"\n}\n";
        planted(p, "planted.tf", text, "planted_anew");
    }),
    ("destroy-protection-removed", |p| {
        let resource = |protects: bool| {
            format!("resource \"planted\" \"a\" {{\n  lifecycle {{\n    prevent_destroy = {protects}\n  }}\n}}\n")
        };
        planted(p, "planted.tf", &resource(true), "");
        p.commit();
        planted(p, "planted.tf", &resource(false), "resource \"planted\"");
    }),
    ("encryption-method-removed", |p| {
        encrypted(p, "old");
        p.commit();
        encrypted(p, "new");
        p.expect("");
    }),
    ("major-version-changed", |p| {
        module(p, "source = \"acme/planted/aws\"\n  version = \"1.2.0\"");
        p.commit();
        module(p, "source = \"acme/planted/aws\"\n  version = \"2.0.0\"");
        p.expect("2.0.0");
    }),
    ("module-default-changed", |p| {
        let module = |p: &mut Plant, size: u8| {
            let text = format!(
                "variable \"size\" {{\n  default = {size}\n}}\n\nresource \"planted\" \"a\" {{\n  size = var.size\n}}\n"
            );
            p.write(&format!("{}planted/main.tf", folder(p)), &text);
        };
        module(p, 1);
        planted(p, "planted.tf", "module \"planted\" {\n  source = \"./planted\"\n}\n", "");
        p.commit();
        module(p, 2);
        p.expect("default = 2");
    }),
    ("provider-instance-removed", |p| {
        let text =
            |keys: &str| format!("provider \"planted\" {{\n  alias    = \"a\"\n  for_each = toset([{keys}])\n}}\n");
        planted(p, "planted.tf", &text("\"x\", \"y\""), "");
        p.commit();
        planted(p, "planted.tf", &text("\"x\""), "toset([\"x\"");
    }),
    ("provider-or-version-widened", |p| {
        module(p, "source = \"git::https://example.com/planted.git?ref=v1.2.0\"");
        p.commit();
        module(p, "source = \"git::https://example.com/planted.git\"");
        p.expect("planted.git");
    }),
    ("provider-target-changed", |p| {
        let provider = |place: &str| format!("provider \"planted\" {{\n  region = \"{place}\"\n}}\n");
        planted(p, "planted.tf", &provider("here"), "");
        p.commit();
        planted(p, "planted.tf", &provider("there"), "there");
    }),
    ("resource-index-shifted", |p| {
        let resource = |names: &str| {
            format!(
                "resource \"planted\" \"a\" {{\n  count = length([{names}])\n  name  = [{names}][count.index]\n}}\n"
            )
        };
        planted(p, "planted.tf", &resource("\"x\", \"y\", \"z\""), "");
        p.commit();
        planted(p, "planted.tf", &resource("\"y\", \"z\""), "name");
    }),
    ("shared-state-address", |p| {
        let backend = "terraform {\n  backend \"http\" {\n    address = \"https://planted.example.com\"\n  }\n}\n";
        let inner = format!("{}planted/main.tf", folder(p));
        p.write(&inner, backend);
        planted(p, "planted_override.tf", backend, "backend \"http\"");
    }),
    ("source-changed", |p| {
        module(p, "source = \"acme/planted/aws\"");
        p.commit();
        module(p, "source = \"other/planted/aws\"");
        p.expect("other/planted");
    }),
    ("state-address-changed", |p| {
        let backend = |path: &str| format!("terraform {{\n  backend \"local\" {{\n    path = \"{path}\"\n  }}\n}}\n");
        planted(p, "planted_override.tf", &backend("a"), "");
        p.commit();
        planted(p, "planted_override.tf", &backend("b"), "\"b\"");
    }),
    ("type-narrowed", |p| {
        let variable = |ty: &str| format!("variable \"planted\" {{\n  type    = {ty}\n  default = 1\n}}\n");
        planted(p, "planted.tf", &variable("string"), "");
        p.commit();
        planted(p, "planted.tf", &variable("number"), "number");
    }),
    ("undeclared-variable", |p| planted(p, "planted.auto.tfvars", "planted = 1\n", "planted")),
    ("missing-component-directory", |p| source(p, "\"./nowhere\"", "./nowhere")),
    ("undefined-local", |p| source(p, "local.planted", "local.planted")),
    ("unused-local", |p| planted(p, "planted.tf", "locals {\n  planted = 1\n}\n", "planted = 1")),
    ("version-downgraded", |p| {
        module(p, "source = \"acme/planted/aws\"\n  version = \"1.2.0\"");
        p.commit();
        module(p, "source = \"acme/planted/aws\"\n  version = \"1.1.0\"");
        p.expect("1.1.0");
    }),
];

/// Writes a call of a module with these arguments.
fn module(p: &mut Plant, arguments: &str) {
    planted(p, "planted.tf", &format!("module \"planted\" {{\n  {arguments}\n}}\n"), "");
}

/// Encrypts the state with a method of this name.
fn encrypted(p: &mut Plant, name: &str) {
    let text = format!(
        "terraform {{\n  encryption {{\n    key_provider \"pbkdf2\" \"{name}\" {{\n      passphrase = \"correct-horse-{name}\"\n    }}\n    \
         method \"aes_gcm\" \"{name}\" {{\n      keys = key_provider.pbkdf2.{name}\n    }}\n    state {{\n      \
         method = method.aes_gcm.{name}\n    }}\n  }}\n}}\n"
    );
    planted(p, "planted_override.tf", &text, "");
}

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
