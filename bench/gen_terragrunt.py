#!/usr/bin/env python3
"""Write a repository with units of Terragrunt: environments with regions, units in them, modules, and shared files that units include.

    gen_terragrunt.py --out FOLDER [--units 11000] [--shared 40]

The commit tagged `base` is the whole; those tagged `unit` and `root` edit one unit, and the root file that all units include.
"""
import argparse
import pathlib
import subprocess

UNIT = """include "root" {{
  path = find_in_parent_folders("root.hcl")
}}

include "common" {{
  path   = "${{dirname(find_in_parent_folders("root.hcl"))}}/_common/{common}.hcl"
  expose = true
}}

terraform {{
  source = "${{dirname(find_in_parent_folders("root.hcl"))}}/../modules/m{module}"
}}

dependency "base" {{
  config_path  = "../u{first}"
  mock_outputs = {{ name = "mock" }}
}}

inputs = {{
  name  = "u{number}"
  size  = {size}
  zones = ["a", "b"]
  base  = dependency.base.outputs.name
}}
"""
ROOT = """locals {
  env    = read_terragrunt_config(find_in_parent_folders("env.hcl"))
  region = read_terragrunt_config(find_in_parent_folders("region.hcl"))
}

remote_state {
  backend = "s3"
  config = {
    bucket = "state-${local.env.locals.name}"
    key    = "${path_relative_to_include()}/terraform.tfstate"
    region = local.region.locals.name
  }
}

generate "provider" {
  path      = "provider.tf"
  if_exists = "overwrite"
  contents  = <<-EOT
    provider "aws" {
      region = "${local.region.locals.name}"
    }
  EOT
}

inputs = {
  env    = local.env.locals.name
  region = local.region.locals.name
}
"""
COMMON = """locals {{
  owner = "team-{number}"
}}

inputs = {{
  tags = {{ owner = local.owner }}
}}
"""
MODULE = """variable "name" {}
variable "env" {}
variable "region" {}
variable "size" {
  type = number
}
variable "zones" {
  type = list(string)
}
variable "base" {}
variable "tags" {
  type = map(string)
}

resource "aws_thing" "this" {
  for_each = toset(var.zones)
  name     = "${var.env}-${var.name}-${each.key}"
  size     = var.size
  tags     = merge(var.tags, { region = var.region })
}

output "name" {
  value = var.name
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--units", type=int, default=11_000)
    parser.add_argument("--shared", type=int, default=40)
    options = parser.parse_args()
    out = options.out

    def write(path, text):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)

    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=out, check=True, capture_output=True)

    def commit(name):
        git("add", "-A")
        git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", name)
        git("tag", name)

    per_region = 100
    write("live/root.hcl", ROOT)
    for number in range(options.shared):
        write(f"live/_common/c{number}.hcl", COMMON.format(number=number))
    for number in range(20):
        write(f"modules/m{number}/main.tf", MODULE)
    for number in range(options.units):
        region, first = number // per_region, number - number % per_region
        folder = f"live/env{region // 10}/region{region}"
        if number == first:
            write(f"live/env{region // 10}/env.hcl", f'locals {{\n  name = "env{region // 10}"\n}}\n')
            write(f"{folder}/region.hcl", f'locals {{\n  name = "region{region}"\n}}\n')
        unit = UNIT.format(common=f"c{number % options.shared}", module=number % 20, first=first, number=number, size=number % 7)
        if number == first:
            unit = unit.replace(f"../u{first}", "../u0", 1).replace("dependency.base.outputs.name", '"none"')
            unit = unit[: unit.index("dependency")] + unit[unit.index("inputs") :]
        write(f"{folder}/u{number}/terragrunt.hcl", unit)
    git("init", "-q")
    commit("base")
    for name, path, old, new in [
        ("unit", "live/env0/region0/u7/terragrunt.hcl", "size  = 0", "size  = 9"),
        ("root", "live/root.hcl", "state-", "states-"),
    ]:
        git("checkout", "-q", "base")
        text = (out / path).read_text()
        assert old in text
        write(path, text.replace(old, new))
        commit(name)
    git("gc", "-q")


main()
