//! Which provider configuration manages a resource, and what is removed on purpose in called modules.

use crate::common::Repo;

const PROVIDERS: &str = "provider \"aws\" {\n  region = \"eu-west-1\"\n}\nprovider \"aws\" {\n  alias  = \"west\"\n  region = \"us-west-2\"\n}\n\
                         provider \"aws\" {\n  alias  = \"same\"\n  region = \"us-west-2\"\n}\n";

/// A change of the text after the providers.
fn change(base: &str, head: &str, more: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    more.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.write("main.tf", format!("{PROVIDERS}{base}")).commit("base");
    repo.write("main.tf", format!("{PROVIDERS}{head}")).commit("head");
    repo
}

fn resource(provider: &str) -> String {
    format!("resource \"aws_vpc\" \"v\" {{\n  cidr = \"10.0.0.0/16\"\n{provider}}}\n")
}

#[test]
fn another_configuration_of_a_resource() {
    let repo = change(&resource(""), &resource("  provider = aws.west\n"), &[]);
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"])
        .ends_with(1)
        .says("\"aws\" → \"aws.west\"")
        .says("provider-target-changed");
    // Nothing is created again of what is only read.
    let data = |provider: &str| format!("data \"aws_vpc\" \"v\" {{\n{provider}}}\n");
    let read = change(&data(""), &data("  provider = aws.west\n"), &[]);
    read.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("aws.west").hides("provider-target-changed");
    // It is no argument.
    repo.run(&["describe", "stacks", "--format", "json"]).hides("\"provider\": \"aws.west\"");
}

#[test]
fn the_same_configuration_under_another_name() {
    let repo = change(&resource("  provider = aws.west\n"), &resource("  provider = aws.same\n"), &[]);
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"])
        .says("\"aws.west\" → \"aws.same\"")
        .hides("provider-target-changed");
    // The usual one by its name.
    let repo = change(&resource(""), &resource("  provider = aws\n"), &[]);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("aws_vpc.v");
}

#[test]
fn another_configuration_for_a_module() {
    let call = |providers: &str| format!("module \"m\" {{\n  source = \"./m\"\n{providers}}}\n");
    let module = "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n      configuration_aliases = [aws.peer]\n    }\n  }\n}\n\
                  resource \"aws_vpc\" \"v\" {\n  provider = aws.peer\n}\nresource \"aws_vpc\" \"w\" {}\n";
    let repo = change(
        &call("  providers = {\n    aws      = aws\n    aws.peer = aws\n  }\n"),
        &call("  providers = {\n    aws      = aws\n    aws.peer = aws.west\n  }\n"),
        &[("m/main.tf", module)],
    );
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
    let components = report["components"].as_array().unwrap().iter();
    let resources: Vec<_> = components.filter(|c| c["type"] == "resource").collect();
    assert_eq!(resources.len(), 1, "{resources:?}");
    assert_eq!(resources[0]["component"], "module.m.aws_vpc.v");
    assert_eq!(resources[0]["changes"][0]["after"], "aws.west");
    assert_eq!(resources[0]["changes"][0]["causes"][1]["line"], 16, "{resources:?}");
}

#[test]
fn another_instance_of_a_configuration() {
    let provider = "provider \"aws\" {\n  alias    = \"by_region\"\n  for_each = toset([\"eu\", \"us\"])\n  region   = each.key\n}\n";
    let resource = |key: &str| {
        format!(
            "{provider}resource \"aws_vpc\" \"v\" {{\n  for_each = toset([\"{key}\"])\n  provider = aws.by_region[each.key == \"eu\" ? \"us\" : each.key]\n}}\n"
        )
    };
    let repo = change(&resource("us"), &resource("us").replace("? \"us\" : each.key", "? \"us\" : \"eu\""), &[]);
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"])
        .says("aws.by_region[\\\"us\\\"]")
        .says("provider-target-changed");
}

#[test]
fn what_a_called_module_removes_on_purpose_is_kept() {
    let module = |text: &str| [("m/main.tf", text.to_owned())];
    let call = "module \"m\" {\n  source = \"./m\"\n}\n";
    for (block, level) in [
        ("removed {\n  from = aws_vpc.v\n  lifecycle {\n    destroy = false\n  }\n}\n", 0),
        ("removed {\n  from = aws_vpc.v\n  lifecycle {\n    destroy = true\n  }\n}\n", 1),
        ("", 1),
    ] {
        let repo = Repo::new();
        repo.write("main.tf", format!("{PROVIDERS}{call}"));
        repo.write("m/main.tf", &module("resource \"aws_vpc\" \"v\" {}\nresource \"aws_vpc\" \"w\" {}\n")[0].1)
            .commit("base");
        repo.write("m/main.tf", format!("resource \"aws_vpc\" \"w\" {{}}\n{block}")).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(level);
    }
}

#[test]
fn an_argument_of_what_a_provider_reads_moves_no_provider() {
    let cluster = |name: &str, version: &str| {
        format!(
            "module \"a\" {{\n  source  = \"acme/eks/aws\"\n  version = \"1.0.0\"\n  release = \"{version}\"\n}}\n\
             module \"b\" {{\n  source  = \"acme/eks/aws\"\n  version = \"1.0.0\"\n}}\n\
             provider \"kubernetes\" {{\n  host = module.{name}.endpoint\n}}\n"
        )
    };
    let repo = change(&cluster("a", "1.29"), &cluster("a", "1.30"), &[]);
    // The provider may be another one, or not: it is shown, and no danger.
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("arguments.host").says("result not known").hides("provider-target-changed");
    let repo = change(&cluster("a", "1.29"), &cluster("b", "1.29"), &[]);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("provider-target-changed");
}

#[test]
fn what_a_backend_leaves_out_may_come_from_elsewhere() {
    let repo = Repo::new();
    let backend = |bucket: &str| format!("terraform {{\n  backend \"s3\" {{\n{bucket}    key = \"a\"\n  }}\n}}\n");
    repo.write("main.tf", backend("    bucket = \"b\"\n")).commit("base");
    repo.write("main.tf", backend("")).commit("given to init");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("may use another state: `bucket` removed (was `b`)");
    repo.write("main.tf", backend("    bucket = \"c\"\n")).commit("another");
    repo.run(&["diff", "HEAD~2..HEAD"]).ends_with(1).says("will use another state: `bucket` `b` → `c`");
}

#[test]
fn a_mistake_is_not_said_twice() {
    let value = |name: &str| {
        format!(
            "variable \"a\" {{\n  default = \"x\"\n}}\nresource \"aws_vpc\" \"v\" {{\n  name = \"v-${{var.{name}}}\"\n}}\n"
        )
    };
    let repo = change(&value("a"), &value("b"), &[]);
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("undefined variable var.b").hides("value-became-unknown");
    let repo = change(&value("a"), &value("a").replace("  default = \"x\"\n", ""), &[]);
    repo.run(&["diff", "HEAD~1..HEAD"]).says("`name` was known before, and is not known any more");
}

#[test]
fn mistakes_in_provider_configurations_are_reported() {
    let (repo, used) = (Repo::new(), "resource \"aws_vpc\" \"v\" {\n  provider = aws.west\n}\n");
    let west = |argument: &str| format!("provider \"aws\" {{\n  alias = \"west\"\n  {argument}\n}}\n");
    for (argument, message) in [
        ("region = local.names.gone", "unsupported attribute"),
        ("assume_role {\n    role_arn = tobool(\"x\")\n  }", "invalid function argument"),
        ("for_each = toset([\"a\"])\n  region = each.value + {}", "invalid operand"),
    ] {
        let text = |more: &str| format!("locals {{\n  names = {{ a = 1 }}\n}}\n{}{more}", west(argument));
        repo.write("main.tf", text(used)).commit("used");
        repo.run(&["check"]).ends_with(1).says(message);
        // What manages nothing is not evaluated.
        repo.write("main.tf", text("")).commit("unused");
        repo.run(&["check"]).hides(message);
        repo.write("m/main.tf", "terraform {\n  required_providers {\n    aws = {\n      configuration_aliases = [aws.peer]\n    }\n  }\n}\n");
        let passed = "module \"m\" {\n  source = \"./m\"\n  providers = { aws.peer = aws.west }\n}\n";
        repo.write("main.tf", text(passed)).commit("passed");
        repo.run(&["check"]).hides(message);
    }
}

#[test]
fn a_call_passes_the_configurations_that_its_module_asks_for() {
    let repo = Repo::new();
    let module = |more: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n      configuration_aliases = [aws.peer]\n    }}\n  }}\n}}\n{more}"
        )
    };
    let message = "missing required provider configuration: module.m needs aws.peer";
    for (providers, own, is_wrong) in [
        ("", "", true),
        ("providers = { aws = aws }", "", true),
        ("providers = { aws.peer = aws }", "", false),
        ("", "provider \"aws\" {\n  alias = \"peer\"\n}\n", false),
    ] {
        repo.write("m/main.tf", module(own));
        repo.write("main.tf", format!("module \"m\" {{\n  source = \"./m\"\n  {providers}\n}}\n")).commit("base");
        let output = repo.run(&["check"]);
        if is_wrong {
            output.ends_with(1).says(message)
        } else {
            output.hides(message)
        };
    }
}

/// A module inherits configurations for its resources, and cannot pass them on.
#[test]
fn a_call_passes_configurations_that_its_own_module_has() {
    let repo = Repo::new();
    let required = "terraform {\n  required_providers {\n    aws = { source = \"hashicorp/aws\" }\n  }\n}\n";
    let asks = "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n      configuration_aliases = [aws.q]\n    }\n  }\n}\n";
    let own = "provider \"aws\" {\n  alias = \"q\"\n}\n";
    let call =
        |name: &str, providers: &str| format!("module \"{name}\" {{\n  source = \"./{name}\"\n  {providers}\n}}\n");
    let message = "missing provider configuration: \"providers\" passes";
    let (aws, q) = ("providers = { aws = aws }", "providers = { aws = aws.q }");
    for (root, middle, missing) in [
        ("", aws, "aws, which is neither declared in module.m nor passed to it"),
        (required, aws, "aws, which is neither declared in module.m nor passed to it"),
        (own, q, "aws.q, which is neither declared in module.m nor passed to it"),
        (aws, "", "aws, which is not declared"),
        (q, "", "aws.q, which is not declared"),
    ] {
        let (declared, passed) = if root.starts_with("providers") { ("", root) } else { (root, "") };
        repo.write("main.tf", format!("{declared}{}", call("m", passed)));
        repo.write("m/main.tf", call("d", middle));
        repo.write("m/d/main.tf", "").commit("base");
        repo.run(&["check", "--format", "json"])
            .ends_with(1)
            .says(&format!("{} {missing}", message.replace('"', "\\\"")));
    }
    for (root, middle) in [
        (format!("{required}{}", call("m", aws)), call("d", aws)),
        (format!("{own}{}", call("m", q)), call("d", aws)),
        (format!("{asks}{}", call("m", q)), call("d", aws)),
        (call("m", ""), format!("{own}{}", call("d", q))),
        (format!("{required}{}", call("m", "")), call("d", "")),
    ] {
        repo.write("main.tf", root);
        repo.write("m/main.tf", middle).commit("base");
        repo.run(&["check"]).hides(message);
    }
}

#[test]
fn ids_of_imports_are_texts_that_may_be_shown() {
    let repo = Repo::new();
    for (id, message) in [
        ("sensitive(\"i\")", "invalid import id: the id of what is imported cannot be sensitive"),
        ("null", "invalid import id: the id of what is imported is null"),
        ("{}", "invalid import id: string required"),
        ("12", ""),
        ("terraform_data.a.id", ""),
    ] {
        let import = format!("import {{\n  to = terraform_data.v\n  id = {id}\n}}\n");
        repo.write(
            "main.tf",
            format!("resource \"terraform_data\" \"a\" {{}}\nresource \"terraform_data\" \"v\" {{}}\n{import}"),
        )
        .commit("base");
        let output = repo.run(&["check"]);
        if message.is_empty() {
            output.hides("invalid import id")
        } else {
            output.ends_with(1).says(message)
        };
    }
    // A mistake in `count` is reported where it is.
    let failed = "resource \"terraform_data\" \"v\" {\n  count = 1 + {}\n}\nmodule \"m\" {\n  source = \"./m\"\n  count = 1 + {}\n}\n";
    repo.write("m/main.tf", "resource \"terraform_data\" \"v\" {}\n");
    for to in ["terraform_data.v[0]", "module.m[0].terraform_data.v"] {
        repo.write("main.tf", format!("{failed}import {{\n  to = {to}\n  id = \"i\"\n}}\n")).commit("failed");
        repo.run(&["check"]).ends_with(1).hides("import target");
    }
    let import = "import {\n  to = terraform_data.v\n  id = \"i\"\n}\n";
    repo.write("main.tf", format!("resource \"terraform_data\" \"v\" {{}}\n{import}{import}")).commit("twice");
    repo.run(&["check"]).ends_with(1).says("duplicate import: another import block is for terraform_data.v");
    repo.write("main.tf", "resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = [1]\n  }\n}\n")
        .commit("protected");
    repo.run(&["check"]).ends_with(1).says("invalid prevent_destroy: bool required");
}

#[test]
fn outputs_of_called_modules_say_that_they_are_ephemeral() {
    let repo = Repo::new();
    let variable = "variable \"token\" {\n  ephemeral = true\n  default = \"t\"\n}\n";
    repo.write("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n");
    for (more, is_wrong) in [("", true), ("  ephemeral = true\n", false)] {
        let output = format!("output \"o\" {{\n  value = \"x-${{var.token}}\"\n{more}}}\n");
        repo.write("m/main.tf", format!("{variable}{output}")).commit("base");
        let message = "output \"o\" refers to ephemeral values: it needs `ephemeral = true`";
        let run = repo.run(&["check"]);
        if is_wrong {
            run.ends_with(1).says(message)
        } else {
            run.hides(message)
        };
    }
}

#[test]
fn what_is_removed_without_a_word_is_kept_only_where_terraform_reads_nothing() {
    for (file, level) in [("gone.tofu", 0), ("gone.tf", 1)] {
        let repo = Repo::new();
        repo.write("main.tf", format!("{PROVIDERS}resource \"aws_vpc\" \"v\" {{}}\n")).commit("base");
        repo.write("main.tf", PROVIDERS).write(file, "removed {\n  from = aws_vpc.v\n}\n").commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(level);
    }
}

#[test]
fn override_files_change_blocks_inside_of_others() {
    let assume = |role: &str| format!("provider \"aws\" {{\n  assume_role {{\n    role_arn = \"{role}\"\n  }}\n}}\n");
    let protected = |flag: &str| {
        let lifecycle = format!("  lifecycle {{\n    prevent_destroy = {flag}\n  }}\n");
        format!("resource \"aws_vpc\" \"v\" {{\n{lifecycle}}}\n")
    };
    for (base, over, says) in [
        (assume("a"), assume("b"), "danger[provider-target-changed]"),
        (protected("true"), protected("false"), "danger[destroy-protection-removed]"),
    ] {
        let repo = Repo::new();
        repo.write("main.tf", format!("terraform {{\n  backend \"local\" {{}}\n}}\n{base}")).commit("base");
        repo.write("override.tf", over).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says(says);
        // The last one of several counts.
        repo.write("z_override.tf", base).commit("again");
        repo.run(&["diff", "HEAD~2..HEAD"]).ends_with(0);
    }
}

#[test]
fn blocks_of_override_files_are_found_there() {
    let block = |size: &str| format!("resource \"aws_vpc\" \"v\" {{\n  tag {{\n    size = {size}\n  }}\n}}\n");
    let repo = Repo::new();
    repo.write("main.tf", format!("terraform {{\n  backend \"local\" {{}}\n}}\n{}", block("1")));
    repo.write("override.tf", format!("# {}\n{}", "long ".repeat(50), block("2"))).commit("base");
    repo.write("override.tf", format!("# {}\n{}", "long ".repeat(50), block("3"))).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0);
    let causes = run.json()["components"][0]["changes"][0]["causes"].to_string();
    assert!(causes.contains("\"override.tf\"") && causes.contains("\"line\":4"), "{run}");
}

#[test]
fn override_files_have_no_conditions() {
    let condition =
        "    precondition {\n      condition     = path.module == \"2\"\n      error_message = \"no\"\n    }\n";
    let repo = Repo::new();
    repo.write("main.tf", "terraform {\n  backend \"local\" {}\n}\nresource \"aws_vpc\" \"v\" {\n}\n");
    repo.write(
        "override.tf",
        format!("resource \"aws_vpc\" \"v\" {{\n  lifecycle {{\n    enabled = false\n{condition}  }}\n}}\n"),
    );
    repo.commit("base");
    let run = repo.run(&["check"]).ends_with(1);
    assert!(run.stdout.contains("cannot override precondition blocks"), "{run}");
    repo.run(&["describe", "component", "aws_vpc.v", "-s", "."]).ends_with(0);
}
