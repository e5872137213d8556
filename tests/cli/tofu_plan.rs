//! The evaluated configuration of root modules: resources, data sources and outputs, and what a change does to them.

use crate::common::Repo;
use serde_json::{Value, json};

const MAIN: &str = r#"provider "aws" {
  region = "eu-west-1"
}

variable "size" {
  default = "t3.nano"
}

locals {
  zones = ["a", "b"]
}

resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_instance" "web" {
  count         = length(local.zones)
  instance_type = var.size
  zone          = local.zones[count.index]
  tags          = { Name = "web-${count.index}", vpc = aws_vpc.main.id }

  dynamic "disk" {
    for_each = { data = 10, logs = 20 }
    content {
      name = disk.key
      size = disk.value
    }
  }
}

module "store" {
  source   = "./store"
  for_each = toset(["x"])
  name     = each.key
  cidr     = aws_vpc.main.cidr_block
}

data "aws_ami" "os" {
  owner = aws_instance.web[0].instance_type
}

output "bucket" {
  value = module.store["x"].bucket
}
"#;

const STORE: &str = r#"variable "name" {}

variable "cidr" {}

resource "aws_s3_bucket" "this" {
  bucket = "store-${var.name}"
  cidr   = var.cidr
}

output "bucket" {
  value = aws_s3_bucket.this.bucket
}
"#;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("main.tf", MAIN).write("store/main.tf", STORE).commit("base");
    repo
}

fn components(repo: &Repo) -> Value {
    repo.run(&["describe", "stacks", "--format", "json"]).json()["."]["components"].clone()
}

#[test]
fn resources_have_their_values() {
    let all = components(&repo());
    let disks = json!([{ "name": "data", "size": 10 }, { "name": "logs", "size": 20 }]);
    let instance = |zone: &str, name: &str| {
        json!({
            "instance_type": "t3.nano", "zone": zone, "disk": disks,
            "tags": { "Name": name, "vpc": { "$unknown": "aws_vpc.main.id" } },
        })
    };
    assert_eq!(
        all["resource"],
        json!({
            "aws_vpc.main": { "cidr_block": "10.0.0.0/16" },
            "aws_instance.web[0]": instance("a", "web-0"),
            "aws_instance.web[1]": instance("b", "web-1"),
            "module.store[\"x\"].aws_s3_bucket.this": { "bucket": "store-x", "cidr": "10.0.0.0/16" },
        })
    );
    assert_eq!(all["data"], json!({ "data.aws_ami.os": { "owner": "t3.nano" } }));
    assert_eq!(all["output"]["bucket"], json!({ "value": "store-x" }));
}

#[test]
fn instances_that_are_not_known_are_one_component() {
    let repo = repo();
    let text = "resource \"aws_eip\" \"e\" {\n  for_each = toset(aws_vpc.main.ids)\n  domain   = \"vpc\"\n}\n";
    repo.write("eip.tf", text).commit("head");
    let all = components(&repo);
    assert_eq!(all["resource"]["aws_eip.e[*]"], json!({ "domain": "vpc" }));
    assert_eq!(repo.run(&["check"]).status, 0);
}

#[test]
fn a_change_reaches_the_resources_that_read_it() {
    let repo = repo();
    repo.write("main.tf", MAIN.replace("t3.nano", "t3.large")).commit("head");
    let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let names = |status: &str| -> Vec<String> {
        let all = diff["components"].as_array().unwrap().iter().filter(|c| c["status"] == status);
        all.filter(|c| c["type"] == "resource" || c["type"] == "data")
            .map(|c| c["component"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(names("modified"), ["data.aws_ami.os", "aws_instance.web[0]", "aws_instance.web[1]"]);
    let headline = diff["headline"].as_str().unwrap_or_default();
    assert!(headline.contains("2 resources in 1 root module change"), "{headline}");
}

#[test]
fn moved_instances_are_renamed() {
    let repo = repo();
    let moved = "moved {\n  from = aws_vpc.main\n  to   = aws_vpc.net\n}\n";
    repo.write("main.tf", MAIN.replace("\"aws_vpc\" \"main\"", "\"aws_vpc\" \"net\"").replace("vpc.main", "vpc.net"))
        .write("moved.tf", moved)
        .commit("head");
    let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let all = diff["components"].as_array().unwrap();
    let new = all.iter().find(|c| c["component"] == "aws_vpc.net").expect("the new address");
    assert_eq!(new["renamed_from"], "aws_vpc.main");
}

/// The purpose of a row, its text, and the expected finding.
const HOSTILE: &[(&str, &str, &str)] = &[
    ("more instances than numbers", "resource \"a_b\" \"c\" {\n  count = 1000000000\n}\n", "limit-exceeded"),
    (
        "instances of a range",
        "resource \"a_b\" \"c\" {\n  for_each = { for a in setproduct(range(200), range(200)) : \"${a[0]}-${a[1]}\" => a }\n}\n",
        "limit-exceeded",
    ),
    (
        "blocks in blocks",
        "resource \"a_b\" \"c\" {\n  count = 100\n  dynamic \"a\" {\n    for_each = range(1000)\n    content {\n      dynamic \"b\" {\n        \
         for_each = range(1000)\n        content {\n          x = count.index\n        }\n      }\n    }\n  }\n}\n",
        "limit-exceeded",
    ),
    (
        "an output of megabytes",
        "locals {\n  a = join(\"\", [for i in range(1000) : \"0123456789\"])\n  b = join(\"\", [for i in range(1000) : local.a])\n  \
         c = join(\"\", [for i in range(1000) : local.b])\n}\n\noutput \"x\" {\n  value = local.c\n}\n",
        "limit-exceeded",
    ),
];

#[test]
fn what_grows_without_bounds_ends_with_a_finding() {
    for (name, text, rule) in HOSTILE {
        let repo = Repo::new();
        repo.write("main.tf", format!("provider \"a\" {{}}\n\n{text}")).commit("base");
        let run = repo.run(&["check", "--format", "json"]);
        let json = run.json();
        let found: Vec<&str> =
            json["diagnostics"].as_array().unwrap().iter().filter_map(|f| f["rule"].as_str()).collect();
        assert!(found.contains(rule), "{name}: {found:?}");
    }
}

#[test]
fn instances_of_modules_in_modules_end() {
    let repo = Repo::new();
    let call = |folder: &str| format!("module \"m\" {{\n  source = \"{folder}\"\n  count  = 1000\n}}\n");
    repo.write("main.tf", format!("provider \"a\" {{}}\n\n{}", call("./m")))
        .write("m/main.tf", call("./n"))
        .write("m/n/main.tf", "resource \"a_b\" \"c\" {\n  count = 1000\n}\n")
        .commit("base");
    let run = repo.run(&["check", "--format", "json"]);
    let json = run.json();
    assert_eq!(json["diagnostics"][0]["rule"], "limit-exceeded");
}

#[test]
fn the_rest_is_judged_beside_what_is_too_large() {
    let arguments: String = (0..10_000).map(|i| format!("  a{i} = \"{i}-${{count.index}}\"\n")).collect();
    let values = "  x = { for p in setproduct(range(100), range(100)) : \"${p[0]}-${p[1]}\" => p[0] + count.index }\n";
    let large = |body: &str| format!("resource \"a_b\" \"large\" {{\n  count = 10000\n{body}}}\n");
    let ring = "module \"m\" {\n  source = \"./m\"\n}\n".to_owned();
    let rows = [(large(&arguments), "limit-exceeded"), (large(values), "limit-exceeded"), (ring, "tofu-module-source")];
    for (text, rule) in rows {
        let repo = Repo::new();
        let bad = "resource \"a_b\" \"bad\" {\n  x = nope(1)\n}\n";
        repo.write("main.tf", format!("provider \"a\" {{}}\n\n{bad}\n{text}"))
            .write("m/main.tf", "module \"n\" {\n  source = \"../n\"\n}\n")
            .write("n/main.tf", "module \"m\" {\n  source = \"../m\"\n}\n")
            .commit("base");
        let json = repo.run(&["check", "--format", "json"]).json();
        let found: Vec<(&str, u64)> = json["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|f| Some((f["rule"].as_str()?, f["line"].as_u64()?)))
            .collect();
        assert!(found.contains(&("tofu-invalid-value", 4)), "{rule}: {found:?}");
        assert!(found.iter().any(|(found, _)| *found == rule), "{rule}: {found:?}");
    }
}

#[test]
fn what_changes_are_ignored_of_is_read_as_it_is_deployed() {
    let repo = Repo::new();
    let main = |ignored: &str| {
        format!(
            "resource \"a_key\" \"k\" {{\n  name  = \"n\"\n  value = \"PENDING\"\n  tags  = {{ a = \"b\" }}\n  \
             lifecycle {{\n    ignore_changes = {ignored}\n  }}\n}}\n\
             resource \"a_user\" \"u\" {{\n  key  = a_key.k.value\n  name = a_key.k.name\n  tag  = a_key.k.tags.a\n  \
             lifecycle {{\n    precondition {{\n      condition     = startswith(a_key.k.value, \"KEY\")\n      \
             error_message = \"seed it\"\n    }}\n  }}\n}}\n"
        )
    };
    for (ignored, unknown) in [
        ("[value]", &["key"][..]),
        ("[\"value\"]", &["key"]),
        ("all", &["key", "name", "tag"]),
        ("[value, tags[\"x\"]]", &["key", "tag"]),
    ] {
        repo.write("main.tf", main(ignored));
        repo.run(&["check"]).ends_with(0);
        let shown = &components(&repo)["resource"];
        assert_eq!(shown["a_key.k"]["value"], "PENDING", "{ignored}");
        for name in ["key", "name", "tag"] {
            let value = &shown["a_user.u"][name];
            assert_eq!(value.get("$unknown").is_some(), unknown.contains(&name), "{ignored} {name}: {value}");
        }
    }
    repo.write("main.tf", main("[name]"));
    repo.run(&["check"]).ends_with(1).says("seed it");
}

#[test]
fn keys_that_cannot_be_shown_are_escaped_in_addresses() {
    let repo = Repo::new();
    let main = "terraform {\n  backend \"local\" {}\n}\nresource \"a\" \"b\" {\n  for_each = toset([\"\\u2028x\", \"\u{df}\", \"$${y}\"])\n}\n";
    repo.write("main.tf", main).commit("base");
    let json = repo.run(&["describe", "stacks", "--format", "json"]).json();
    let all = json["."]["components"]["resource"].as_object().unwrap();
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.b[\"$${y}\"]", "a.b[\"\\u2028x\"]", "a.b[\"\u{df}\"]"]);
}
