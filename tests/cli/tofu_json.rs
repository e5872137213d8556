//! The JSON syntax of OpenTofu: the same module in both syntaxes is the same configuration.

use crate::common::Repo;

const NATIVE: &str = r#"terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
  backend "local" {
    path = "x.tfstate"
  }
}
provider "aws" {
  region = "us-east-1"
}
provider "aws" {
  alias  = "eu"
  region = var.region
}
variable "region" {
  type    = string
  default = "eu-west-1"
  validation {
    condition     = length(var.region) > 3
    error_message = "too short"
  }
}
variable "rules" {
  type = list(object({ port = number, name = optional(string, "x") }))
  default = [{ port = 1 }, { port = 2, name = "y" }]
}
variable "secret" {
  type      = map(any)
  sensitive = true
  default   = { a = 1 }
}
locals {
  names = [for r in var.rules : r.name]
  tags  = { for r in var.rules : r.name => r.port }
  text  = "a-${var.region}"
  flag  = true
}
resource "aws_instance" "web" {
  count         = 2
  provider      = aws.eu
  instance_type = "t3.${count.index}"
  depends_on    = [aws_s3_bucket.logs]
  dynamic "ebs" {
    for_each = var.rules
    iterator = rule
    content {
      port = rule.value.port
      key  = rule.key
    }
  }
  lifecycle {
    ignore_changes        = [tags, rule[0].id]
    create_before_destroy = true
    precondition {
      condition     = local.flag
      error_message = "no flag"
    }
  }
}
resource "aws_s3_bucket" "logs" {
  for_each = toset(local.names)
  bucket   = "${local.text}-${each.key}"
  tags     = local.tags
  rule = [{ id = 1 }, { id = 2 }]
  lifecycle {
    ignore_changes = all
  }
}
data "aws_ami" "a" {
  owners = ["self"]
}
module "m" {
  source    = "./m"
  for_each  = { x = 1, y = 2 }
  size      = each.value
}
moved {
  from = aws_instance.old
  to   = aws_instance.web
}
removed {
  from = aws_instance.gone
  lifecycle {
    destroy = false
  }
}
import {
  to = aws_s3_bucket.logs["x"]
  id = "b-x"
}
check "c" {
  assert {
    condition     = local.flag
    error_message = "no"
  }
}
output "ids" {
  value       = aws_instance.web[*].instance_type
  description = "ids"
}
output "secret" {
  value     = var.secret
  sensitive = true
}
output "sizes" {
  value = [for k, v in module.m : v.size]
}
"#;

const JSON: &str = r#"{
  "terraform": {
    "required_version": ">= 1.5",
    "required_providers": {"aws": {"source": "hashicorp/aws", "version": "~> 6.0"}},
    "backend": {"local": {"path": "x.tfstate"}}
  },
  "provider": {
    "aws": [
      {"region": "us-east-1"},
      {"alias": "eu", "region": "${var.region}"}
    ]
  },
  "variable": {
    "region": {"type": "string", "default": "eu-west-1", "validation": {"condition": "${length(var.region) > 3}", "error_message": "too short"}},
    "rules": {"type": "list(object({ port = number, name = optional(string, \"x\") }))", "default": [{"port": 1}, {"port": 2, "name": "y"}]},
    "secret": {"type": "map(any)", "sensitive": true, "default": {"a": 1}}
  },
  "locals": {
    "names": "${[for r in var.rules : r.name]}",
    "tags": "${{ for r in var.rules : r.name => r.port }}",
    "text": "a-${var.region}",
    "flag": true
  },
  "resource": {
    "aws_instance": {
      "web": {
        "count": 2,
        "provider": "aws.eu",
        "instance_type": "t3.${count.index}",
        "depends_on": ["aws_s3_bucket.logs"],
        "dynamic": {"ebs": {"for_each": "${var.rules}", "iterator": "rule", "content": {"port": "${rule.value.port}", "key": "${rule.key}"}}},
        "lifecycle": {"ignore_changes": ["tags", "rule[0].id"], "create_before_destroy": true, "precondition": {"condition": "${local.flag}", "error_message": "no flag"}}
      }
    },
    "aws_s3_bucket": {
      "logs": {
        "for_each": "${toset(local.names)}",
        "bucket": "${local.text}-${each.key}",
        "tags": "${local.tags}",
        "rule": [{"id": 1}, {"id": 2}],
        "lifecycle": {"ignore_changes": "all"}
      }
    }
  },
  "data": {"aws_ami": {"a": {"owners": ["self"]}}},
  "module": {
    "m": {
      "source": "./m",
      "for_each": {"x": 1, "y": 2},
      "size": "${each.value}"
    }
  },
  "moved": {"from": "aws_instance.old", "to": "aws_instance.web"},
  "removed": {"from": "aws_instance.gone", "lifecycle": {"destroy": false}},
  "import": {"to": "aws_s3_bucket.logs[\"x\"]", "id": "b-x"},
  "check": {"c": {"assert": {"condition": "${local.flag}", "error_message": "no"}}},
  "output": {
    "ids": {"value": "${aws_instance.web[*].instance_type}", "description": "ids"},
    "secret": {"value": "${var.secret}", "sensitive": true},
    "sizes": {"value": "${[for k, v in module.m : v.size]}"}
  }
}
"#;

const CHILD: &str = "variable \"size\" {\n  type = number\n}\nresource \"aws_x\" \"x\" {\n  size = var.size\n}\noutput \"size\" {\n  value = aws_x.x.size\n}\n";
const JSON_CHILD: &str = r#"{"variable": {"size": {"type": "number"}}, "resource": {"aws_x": {"x": {"size": "${var.size}"}}},
"output": {"size": {"value": "${aws_x.x.size}"}}}"#;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("live/main.tf", NATIVE).write("live/m/main.tf", CHILD).commit("native");
    repo
}

#[test]
fn both_syntaxes_are_the_same_configuration() {
    let repo = repo();
    let described = || repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
    repo.run(&["check"]).ends_with(0).says("No findings.");
    let native = described();
    repo.remove("live/main.tf").remove("live/m/main.tf");
    repo.write("live/main.tf.json", JSON).write("live/m/main.tf.json", JSON_CHILD).commit("json");
    repo.run(&["check"]).ends_with(0).says("No findings.");
    let json = described();
    assert_eq!(native, json, "{}\n{}", pretty(&native), pretty(&json));
    repo.run(&["diff", "HEAD~1..HEAD"])
        .ends_with(0)
        .says("No change of configuration; 1 root module runs different code");
}

fn pretty(json: &serde_json::Value) -> String {
    serde_json::to_string_pretty(json).unwrap_or_default()
}

#[test]
fn blocks_of_the_json_syntax_are_judged() {
    let repo = repo();
    repo.remove("live/main.tf").write("live/main.tf.json", JSON).commit("base");
    let errors = |old: &str, new: &str| {
        repo.edit("live/main.tf.json", old, new);
        let json = repo.run(&["check", "--format", "json"]).json();
        repo.edit("live/main.tf.json", new, old);
        let all = json["diagnostics"].as_array().cloned().unwrap_or_default();
        all.iter().map(|d| d["rule"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let precondition = r#""precondition": {"condition": "${local.flag}""#;
    let failed = errors(precondition, r#""precondition": {"condition": "${!local.flag}""#);
    assert_eq!(failed, ["tofu-failed-condition"]);
    assert_eq!(
        errors(r#"{"assert": {"condition": "${local.flag}""#, r#"{"assert": {"condition": "${!local.flag}""#).len(),
        1
    );
    assert_eq!(errors(r#""iterator": "rule""#, r#""iterator": "other""#), ["tofu-undefined-name"; 2]);
    assert_eq!(errors(r#""source": "hashicorp/aws""#, r#""sources": "hashicorp/aws""#), ["tofu-invalid-declaration"]);
    assert_eq!(errors(r#""to": "aws_s3_bucket.logs[\"x\"]""#, r#""to": "aws_s3_bucket.logs[\"z\"]""#).len(), 1);
}

#[test]
fn what_is_released_in_json_is_not_destroyed() {
    let repo = repo();
    let gone = r#""aws_s3_bucket": {"#;
    let with = r#""aws_instance2": {"gone": {"a": 1}}, "aws_s3_bucket": {"#;
    let json = JSON.replace("aws_instance.gone", "aws_instance2.kept");
    repo.remove("live/main.tf").write("live/main.tf.json", json.replace(gone, with)).commit("base");
    let json = json.replace("aws_instance2.kept", "aws_instance2.gone");
    repo.write("live/main.tf.json", &json).commit("released");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger");
    repo.write("live/main.tf.json", json.replace(r#""destroy": false"#, r#""destroy": true"#)).commit("destroyed");
    repo.run(&["diff", "HEAD~2..HEAD"]).ends_with(1).says("danger");
}

#[test]
fn dynamic_blocks_nest_at_any_depth() {
    let repo = Repo::new();
    let mut body = r#"{"deep": "${b1.value}-${b6.value}"}"#.to_owned();
    for level in (1..=6).rev() {
        body = format!(r#"{{"dynamic": {{"b{level}": {{"for_each": ["v{level}"], "content": {body}}}}}}}"#);
    }
    let json =
        format!(r#"{{"terraform": {{"backend": {{"local": {{}}}}}}, "resource": {{"aws_x": {{"x": {body}}}}}}}"#);
    repo.write("main.tf.json", json).commit("base");
    repo.run(&["check"]).ends_with(0).says("No findings.");
    repo.run(&["describe", "stacks", "--format", "json"]).says("v1-v6");
}
