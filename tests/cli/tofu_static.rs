//! Static evaluation in OpenTofu and its errors: one project per row.

use crate::common::Repo;

/// The purpose of a row, its files, and the expected errors: file, line and rule.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("a chain of locals", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = local.a\n  }\n}\nlocals {\n  a = \"${local.b}/x\"\n  b = lower(\"S\")\n}\n")], &[]),
    ("a local that refers to itself through another one", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = local.a\n  }\n}\nlocals {\n  a = local.b\n  b = local.a\n}\n")], &["main.tf:7 local-cycle"]),
    ("a provisioner names its resource", &[("main.tf", "resource \"terraform_data\" \"a\" {\n  count = 1\n  connection {\n    host = terraform_data.a[0].id\n  }\n  provisioner \"local-exec\" {\n    command = \"echo ${terraform_data.a[0].id}\"\n  }\n}\n")], &[]),
    ("a provisioner names its resource through a local", &[("main.tf", "locals {\n  a = terraform_data.a.id\n}\nresource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = local.a\n  }\n}\n")], &["main.tf:2 tofu-cycle"]),
    ("a condition names its resource", &[("main.tf", "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    postcondition {\n      condition     = terraform_data.a.id != \"\"\n      error_message = \"X.\"\n    }\n  }\n}\n")], &["main.tf:4 tofu-cycle"]),
    ("a local that only a plan knows", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = \"x\"\n  }\n}\ndata \"x\" \"y\" {\n}\nlocals {\n  a = data.x.y.z\n  b = local.a\n}\n")], &[]),
    ("a local that is not there", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = local.gone\n  }\n}\n")], &["main.tf:3 undefined-local"]),
    ("a variable that is not there", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.gone\n  }\n}\n")], &["main.tf:3 tofu-undefined-name"]),
    ("a variable that must not be used", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  const   = false\n  default = \"x\"\n}\n")], &["main.tf:3 tofu-not-static"]),
    ("a resource", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = random_pet.x.id\n  }\n}\n")], &["main.tf:3 tofu-not-static"]),
    ("an output of a module", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = module.m.o\n  }\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n"), ("m/main.tf", "output \"o\" {\n  value = 1\n}\n")], &["main.tf:3 tofu-not-static"]),
    ("a function of a provider", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = provider::p::f(1)\n  }\n}\n")], &["main.tf:3 tofu-not-static"]),
    ("an object as a whole", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = each\n  }\n}\n")], &["main.tf:3 tofu-undefined-name"]),
    ("a key of an instance", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = each.key\n  }\n}\n")], &["main.tf:3 tofu-not-static"]),
    ("an attribute that path does not have", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = path.home\n  }\n}\n")], &["main.tf:3 tofu-undefined-name"]),
    ("a secret in a backend", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  sensitive = true\n  default   = \"x\"\n}\n")], &["main.tf:2 tofu-sensitive-address"]),
    ("a passing value in a backend", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  ephemeral = true\n  default   = \"x\"\n}\n")], &["main.tf:2 tofu-sensitive-address"]),
    ("no version is as good as none", &[("main.tf", "module \"m\" {\n  source  = \"./m\"\n  version = local.v\n}\nlocals {\n  v = null\n}\n"), ("m/main.tf", "locals {\n}\n")], &[]),
    ("a version of a folder", &[("main.tf", "module \"m\" {\n  source  = \"./m\"\n  version = \"1.0.0\"\n}\n"), ("m/main.tf", "locals {\n}\n")], &["main.tf:2 tofu-module-source"]),
    ("an address that no registry has", &[("main.tf", "module \"m\" {\n  source  = \"-.example/a/b/c\"\n  version = \"1.0.0\"\n}\n")], &["main.tf:2 tofu-module-source"]),
    ("a number that becomes text", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  type = string\n}\n"), ("terraform.tfvars", "a = 12\n")], &[]),
    ("text that is not a number", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = { a = var.a }\n}\nvariable \"a\" {\n  type = number\n}\n"), ("terraform.tfvars", "a = \"x\"\n")], &["terraform.tfvars:1 tofu-invalid-value"]),
    ("a tuple that becomes a set", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = var.a\n}\nvariable \"a\" {\n  type = set(string)\n}\n"), ("terraform.tfvars", "a = [\"x\", \"x\", \"y\"]\n")], &[]),
    ("an attribute that is missing", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = { a = var.a.n }\n}\nvariable \"a\" {\n  type = object({ n = string })\n}\n"), ("terraform.tfvars", "a = {}\n")], &["terraform.tfvars:1 tofu-invalid-value"]),
    ("an attribute with a default", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = { a = var.a.n }\n}\nvariable \"a\" {\n  type = object({ n = optional(string, \"d\") })\n}\n"), ("terraform.tfvars", "a = {}\n")], &[]),
    ("null where there is a default", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  nullable = false\n  default  = \"d\"\n}\n"), ("terraform.tfvars", "a = null\n")], &[]),
    ("null where nothing else is", &[("main.tf", "terraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\nvariable \"a\" {\n  nullable = false\n}\n"), ("terraform.tfvars", "a = null\n")], &["main.tf:6 tofu-missing-value"]),
    ("no instances", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = toset([])\n}\n")], &[]),
    ("instances of a map", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = { x = 1, y = 2 }\n}\n")], &[]),
    ("instances of a list", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = [\"x\"]\n}\n")], &["main.tf:3 tofu-provider-for-each"]),
    ("instances of nothing", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = null\n}\n")], &["main.tf:3 tofu-provider-for-each"]),
    ("instances of a set of numbers", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = toset([1, 2])\n}\n")], &["main.tf:3 tofu-provider-for-each"]),
    ("instances of a set with null", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = toset([\"a\", null])\n}\n")], &["main.tf:3 tofu-provider-for-each"]),
    ("instances of a secret", &[("main.tf", "provider \"p\" {\n  alias    = \"a\"\n  for_each = sensitive(toset([\"a\"]))\n}\n")], &["main.tf:3 tofu-sensitive-address"]),
    ("instances without a name", &[("main.tf", "provider \"p\" {\n  for_each = toset([\"a\"])\n}\n")], &["main.tf:2 tofu-provider-for-each"]),
    ("a name that is not there, in a provider configuration that nothing uses", &[("main.tf", "provider \"p\" {\n  alias = \"a\"\n  at    = data.x.gone.id\n}\nresource \"p_r\" \"r\" {\n}\n")], &[]),
    ("a name that is not there, in one that a resource uses", &[("main.tf", "provider \"p\" {\n  alias = \"a\"\n  at    = data.x.gone.id\n}\nresource \"p_r\" \"r\" {\n  provider = p.a\n}\n")], &["main.tf:3 tofu-undefined-name"]),
    ("a name that is not there, in one that a module gets", &[("main.tf", "provider \"p\" {\n  alias = \"a\"\n  at    = data.x.gone.id\n}\nmodule \"m\" {\n  source    = \"./m\"\n  providers = { p = p.a }\n}\n"), ("m/main.tf", "resource \"p_r\" \"r\" {\n}\n")], &["main.tf:3 tofu-undefined-name"]),
    ("modules from elsewhere that read each other", &[("main.tf", "provider \"p\" {\n}\nmodule \"a\" {\n  source = \"a/a/a\"\n  x      = module.b.y\n}\nmodule \"b\" {\n  source = \"b/b/b\"\n  x      = module.a.y\n}\n")], &[]),
    ("modules from elsewhere that wait for each other", &[("main.tf", "provider \"p\" {\n}\nmodule \"a\" {\n  source     = \"a/a/a\"\n  depends_on = [module.b]\n}\nmodule \"b\" {\n  source     = \"b/b/b\"\n  depends_on = [module.a]\n}\n")], &["main.tf:3 tofu-cycle"]),
    ("a function that only old releases have, where only these may run it", &[("main.tf", "terraform {\n  required_version = \"~> 0.12.31\"\n}\nprovider \"p\" {\n}\nlocals {\n  a = map(\"k\", var.gone)\n}\noutput \"a\" {\n  value = local.a\n}\n")], &["main.tf:7 tofu-undefined-name"]),
    ("a function that only old releases have, where others may run it", &[("main.tf", "terraform {\n  required_version = \">= 0.12\"\n}\nprovider \"p\" {\n}\nlocals {\n  a = map(\"k\", \"v\")\n}\noutput \"a\" {\n  value = local.a\n}\n")], &["main.tf:7 tofu-invalid-value"]),
    ("an encrypted state", &[("main.tf", "terraform {\n  encryption {\n    key_provider \"pbkdf2\" \"k\" {\n      passphrase = \"correct horse battery\"\n    }\n    method \"aes_gcm\" \"m\" {\n      keys = key_provider.pbkdf2.k\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n")], &[]),
    ("a key that is not there", &[("main.tf", "terraform {\n  encryption {\n    method \"aes_gcm\" \"m\" {\n      keys = key_provider.pbkdf2.k\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n")], &["main.tf:4 tofu-encryption"]),
    ("a method that is not there", &[("main.tf", "terraform {\n  encryption {\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n")], &["main.tf:4 tofu-encryption"]),
    ("a method that does not encrypt, where that is forbidden", &[("main.tf", "terraform {\n  encryption {\n    method \"unencrypted\" \"u\" {\n    }\n    state {\n      method   = method.unencrypted.u\n      enforced = true\n    }\n  }\n}\n")], &["main.tf:2 tofu-encryption"]),
    ("keys that need each other", &[("main.tf", "terraform {\n  encryption {\n    key_provider \"pbkdf2\" \"a\" {\n      chain = key_provider.pbkdf2.b\n    }\n    key_provider \"pbkdf2\" \"b\" {\n      chain = key_provider.pbkdf2.a\n    }\n    method \"aes_gcm\" \"m\" {\n      keys = key_provider.pbkdf2.a\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n")], &["main.tf:4 tofu-encryption", "main.tf:7 tofu-encryption"]),
    ("a key that is not a key", &[("main.tf", "terraform {\n  encryption {\n    key_provider \"pbkdf2\" \"k\" {\n      passphrase = \"short\"\n    }\n    method \"aes_gcm\" \"m\" {\n      keys = key_provider.pbkdf2.k\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n")], &["main.tf:4 tofu-encryption"]),
];

#[test]
fn what_is_static_is_computed_and_the_rest_refused() {
    for (name, files, expected) in ROWS {
        let repo = Repo::new();
        for (path, text) in *files {
            repo.write(path, text);
        }
        repo.commit("base");
        let run = repo.run(&["check", "--dialect", "opentofu", "--format", "json"]);
        let json = run.json();
        let errors = json["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let mut found: Vec<String> =
            errors.map(|f| format!("{}:{} {}", text(&f["file"]), f["line"], text(&f["rule"]))).collect();
        found.sort();
        assert_eq!(found, *expected, "{name}");
    }
}
