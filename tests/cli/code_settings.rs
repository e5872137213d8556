//! What code says about itself: where its state is, what it requires, and the lifecycles of its resources.

use crate::common::{ATMOS, Repo, Run};

const MAIN: &str = "components/terraform/web/main.tf";
/// A bucket with a lifecycle.
const BUCKET: &str = "resource \"aws_s3_bucket\" \"logs\" {\n  bucket = \"logs\"\n  lifecycle {\n    prevent_destroy = true\n    ignore_changes  = [tags]\n  }\n}\n";

fn terraform(content: &str) -> String {
    format!("terraform {{\n{content}\n}}\n{BUCKET}")
}

/// A component of Atmos in two stacks, and a unit of Terragrunt, with this code.
fn repos(code: &str) -> [(Repo, &'static str); 2] {
    let atmos = Repo::new();
    atmos.write("atmos.yaml", ATMOS).write(MAIN, code);
    for stage in ["dev", "prod"] {
        let text = format!("vars: {{stage: {stage}}}\ncomponents: {{terraform: {{web: {{}}}}}}\n");
        atmos.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    let terragrunt = Repo::new();
    terragrunt.write("live/web/terragrunt.hcl", "terraform {\n  source = \"../../modules/web\"\n}\n");
    terragrunt.write("modules/web/main.tf", code);
    [(atmos, MAIN), (terragrunt, "modules/web/main.tf")]
}

/// Commits both texts as the code of each system, and returns the differences.
fn diffs(before: &str, after: &str) -> [Run; 2] {
    repos(before).map(|(repo, path)| {
        repo.commit("base");
        repo.write(path, after).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"])
    })
}

#[test]
fn a_resource_that_is_no_longer_protected_is_a_danger() {
    for run in diffs(BUCKET, &BUCKET.replace("true", "false")) {
        run.ends_with(1).says("danger[destroy-protection-removed]").says("prevent_destroy  true → false");
    }
    // The argument goes.
    for run in diffs(BUCKET, &BUCKET.replace("    prevent_destroy = true\n", "")) {
        run.ends_with(1).says("danger[destroy-protection-removed]");
    }
    for run in diffs(&BUCKET.replace("true", "false"), BUCKET) {
        run.ends_with(0).hides("danger[");
    }
}

#[test]
fn other_arguments_of_lifecycles_and_commands_are_shown() {
    for run in diffs(BUCKET, &BUCKET.replace("[tags]", "all")) {
        run.ends_with(0).says("ignore_changes  [\"tags\"] → \"all\"").says("lifecycle/aws_s3_bucket.logs.lifecycle");
    }
    let with = |command: &str| {
        BUCKET.replace(
            "  lifecycle",
            &format!("  provisioner \"local-exec\" {{\n    command = \"{command}\"\n  }}\n  lifecycle"),
        )
    };
    for run in diffs(&with("true"), &with("curl example.com | sh")) {
        run.ends_with(0).says("provisioner[0].command  \"true\" → \"curl example.com | sh\"");
    }
}

#[test]
fn a_resource_and_its_lifecycle_have_names_of_their_own() {
    for ((repo, _), owner) in repos(BUCKET).into_iter().zip([&["dev", "web"][..], &["live/web"]]) {
        repo.commit("base");
        let why = |name: &str| repo.run(&[&["why"], owner, &[name]].concat()).ends_with(0);
        why("aws_s3_bucket.logs").says("bucket: \"logs\"").hides("prevent_destroy");
        why("aws_s3_bucket.logs.lifecycle").says("prevent_destroy: true").hides("bucket: \"logs\"");
    }
}

#[test]
fn a_backend_in_the_code_that_moves_is_a_danger() {
    let backend =
        |bucket: &str| terraform(&format!("  backend \"s3\" {{\n    bucket = \"{bucket}\"\n    key = \"web\"\n  }}"));
    for run in diffs(&backend("a"), &backend("b")) {
        run.ends_with(1).says("danger[state-address-changed]").says("`bucket` `a` → `b`");
    }
    for run in diffs(&backend("a"), BUCKET) {
        run.ends_with(1).says("danger[state-address-changed]").says("kept beside the code");
    }
    // A value of the unit differs, too.
    let [_, (repo, path)] = repos(&backend("a"));
    repo.commit("base");
    let unit = "terraform {\n  source = \"../../modules/web\"\n}\ninputs = {\n  a = 1\n}\n";
    repo.write(path, BUCKET).write("live/web/terragrunt.hcl", unit);
    repo.run(&["diff", "HEAD", "--worktree"]).ends_with(1).says("danger[state-address-changed]");
    for run in diffs(BUCKET, &terraform("  backend \"s4\" {\n  }")) {
        run.ends_with(1).says("error[tofu-backend]").says("there is no backend type named \"s4\"");
    }
}

#[test]
fn a_backend_of_the_configuration_decides_over_that_of_the_code() {
    let backend = |bucket: &str| terraform(&format!("  backend \"s3\" {{\n    bucket = \"{bucket}\"\n  }}"));
    let own = [
        ("stacks/deploy/_defaults.yaml", "terraform: {backend_type: s3, backend: {s3: {bucket: c, key: web}}}\n"),
        (
            "live/web/terragrunt.hcl",
            "terraform {\n  source = \"../../modules/web\"\n}\nremote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"c\"\n    key    = \"web\"\n  }\n}\n",
        ),
    ];
    for ((repo, path), (file, text)) in repos(&backend("a")).into_iter().zip(own) {
        for stage in ["dev", "prod"].iter().filter(|_| path == MAIN) {
            let text = format!(
                "import: [deploy/_defaults]\nvars: {{stage: {stage}}}\ncomponents: {{terraform: {{web: {{}}}}}}\n"
            );
            repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
        }
        repo.write(file, text).commit("base");
        repo.write(path, backend("b")).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger[");
    }
}

#[test]
fn encryption_of_the_state_in_the_code_must_stay_readable() {
    let encrypted = |key: &str| {
        let provider = "    key_provider \"pbkdf2\" \"k\" {\n      passphrase = \"correct-horse-battery\"\n    }\n";
        let other = provider.replace("\"k\"", "\"l\"").replace("horse", "zebra");
        let method = format!("    method \"aes_gcm\" \"m\" {{\n      keys = key_provider.pbkdf2.{key}\n    }}\n");
        let state = "    state {\n      method = method.aes_gcm.m\n    }\n";
        terraform(&format!("  encryption {{\n{provider}{other}{method}{state}  }}"))
    };
    for run in diffs(&encrypted("k"), &encrypted("l")) {
        run.ends_with(1).says("danger[encryption-method-removed]").hides("correct-horse");
    }
    for run in diffs(&encrypted("k"), &encrypted("z")) {
        run.ends_with(1).says("error[tofu-encryption]");
    }
}

#[test]
fn what_code_requires_is_compared_also_in_called_modules() {
    let requires = |source: &str| {
        format!("terraform {{\n  required_providers {{\n    aws = {{\n      source = \"{source}\"\n    }}\n  }}\n}}\n")
    };
    for run in diffs(&requires("hashicorp/aws"), &requires("elsewhere/aws")) {
        run.ends_with(0).says("warning[source-changed]").says("`hashicorp/aws` → `elsewhere/aws`");
    }
    for (repo, path) in repos("module \"inner\" {\n  source = \"./inner\"\n}\n") {
        let inner = path.replace("main.tf", "inner/main.tf");
        repo.write(&inner, requires("hashicorp/aws")).commit("base");
        repo.write(&inner, requires("elsewhere/aws")).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).says("warning[source-changed]").says("settings/inner:terraform");
    }
}

#[test]
fn another_version_of_a_remote_module_is_told() {
    let call =
        |version: &str| format!("module \"m\" {{\n  source = \"git::https://example.com/m.git?ref={version}\"\n}}\n");
    for run in diffs(&call("v1.0.0"), &call("v2.0.0")) {
        run.says("warning[major-version-changed]");
    }
}

#[test]
fn secrets_of_providers_and_connections_are_hidden() {
    let code = |secret: &str| {
        format!(
            "provider \"x\" {{\n  token = \"{secret}\"\n}}\nresource \"x_y\" \"z\" {{\n  connection {{\n    password = \"{secret}\"\n  }}\n}}\n"
        )
    };
    for (repo, path) in repos(&code("opensesame1")) {
        repo.commit("base");
        repo.write(path, code("opensesame2")).commit("head");
        for format in ["text", "json", "markdown", "sarif"] {
            let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", format]);
            assert!(run.stdout.contains("main.tf") && !run.stdout.contains("opensesame"), "{format}: {run}");
        }
    }
}
