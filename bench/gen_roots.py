#!/usr/bin/env python3
"""Write a monorepo of 300 OpenTofu root modules and 60 shared modules, with 6,000 instances of resources, as a git repository.

    gen_roots.py --out FOLDER [--roots 300] [--modules 60]
    gen_roots.py --out FOLDER --measure stacklint [--runs 3]

The tag `base` is the first commit; `head` changes one line of a shared module that 100 root modules call, `one` a resource of one root
module. --measure times `diff` of both and `check` of everything, in yardsticks (what Python's json needs to read 100,000 small
objects), and `check` of a monorepo twice as large, as a multiple of the first; and the memory of `check` in MiB.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

TARGETS = {"diff of a module": 6.0, "diff of one resource": 0.6, "check": 12.0, "check of twice as much": 2.3, "memory of check": 400.0}

YARDSTICK = """import json, resource
t = json.dumps([{"id": i, "name": "component-%d" % i, "tags": ["a", "b", str(i)], "size": i / 7} for i in range(100000)])
b = resource.getrusage(resource.RUSAGE_SELF).ru_utime
for _ in range(3): json.loads(t)
print((resource.getrusage(resource.RUSAGE_SELF).ru_utime - b) / 3)"""


def module(i, modules):
    """A shared module: variables, locals, resources, and a call of another module below every third one."""
    lines = []
    for name, kind in [("name", "string"), ("zones", "list(string)"), ("tags", "map(string)"), ("size", "number")]:
        lines += [f'variable "{name}" {{', f"  type    = {kind}", f'  description = "The {name} of module {i}."', "}", ""]
    lines += ["locals {", f'  prefix = "m{i}-${{var.name}}"',
              '  subnets = { for k, zone in var.zones : zone => cidrsubnet("10.0.0.0/8", 8, k) }',
              '  tags = merge(var.tags, { Module = local.prefix })', "}", ""]
    for r in range(2):
        lines += [f'resource "aws_thing_{r}" "this" {{', "  for_each = local.subnets",
                  f'  name     = "${{local.prefix}}-{r}-${{each.key}}"', "  cidr     = each.value",
                  "  size     = var.size * 2", "  tags     = local.tags", "",
                  "  lifecycle {", "    create_before_destroy = true", "  }", "}", ""]
    if i % 3 == 0 and i + 1 < modules:
        lines += ['module "inner" {', f'  source = "../m{i + 1:02}"', "  name   = local.prefix", "  zones  = var.zones",
                  "  tags   = local.tags", "  size   = var.size", "}", ""]
    lines += ['output "names" {', "  value = [for thing in aws_thing_0.this : thing.name]", "}", ""]
    return "\n".join(lines)


def root(i, modules):
    """A root module: a backend from locals, instances of a provider, four calls of shared modules and one of a registry."""
    lines = ["locals {", '  org    = yamldecode(file("${path.module}/../../org.yaml"))',
             '  name   = "${local.org.name}-${var.stage}"', f'  labels = {{ Root = "r{i}", Stage = var.stage }}', "}", "",
             "terraform {", '  backend "s3" {', '    bucket = "${local.org.name}-state"',
             f'    key    = "${{var.stage}}/r{i}.tfstate"', "    region = var.regions[0]", "  }", "}", "",
             'provider "aws" {', '  alias    = "by_region"', "  for_each = toset(var.regions)", "  region   = each.value", "}", ""]
    for c in range(4):
        lines += [f'module "part{c}" {{', f'  source = "../../modules/m{(i * 7 + c * 13) % modules:02}"',
                  f'  name   = "${{local.name}}-{c}"', "  zones  = var.regions", "  tags   = local.labels", f"  size   = {c + 1}", "}", ""]
    if i % 3 == 0:
        lines += ['module "common" {', '  source = "../../modules/common"', "  name   = local.name", "}", ""]
    lines += ['resource "aws_thing_0" "own" {', "  name = local.name", '  cidr = "10.1.0.0/16"', "  tags = local.labels", "}", ""]
    lines += ['module "registry" {', '  source  = "acme/thing/aws"', "  version = local.org.version", "}", ""]
    return "\n".join(lines)


COMMON = 'variable "name" {\n  type = string\n}\n\nresource "aws_thing_1" "this" {\n  count = 2\n  name  = "${var.name}-${count.index}"\n  cidr  = "10.0.0.0/8"\n}\n'

VARIABLES = 'variable "stage" {\n  type    = string\n  default = "dev"\n}\n\nvariable "regions" {\n  type = list(string)\n}\n'


def git(out, *arguments):
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    subprocess.run(["git", *who, *arguments], cwd=out, check=True, capture_output=True)


def generate(out, roots=300, modules=60):
    """Writes the repository."""
    files = {"org.yaml": "name: acme\nversion: 1.4.2\n", "modules/common/main.tf": COMMON}
    for i in range(modules):
        files[f"modules/m{i:02}/main.tf"] = module(i, modules)
    for i in range(roots):
        stage = ("dev", "staging", "prod")[i % 3]
        folder = f"live/r{i:03}"
        files[f"{folder}/main.tf"] = root(i, modules)
        files[f"{folder}/variables.tf"] = VARIABLES
        files[f"{folder}/{stage}.auto.tfvars"] = f'stage   = "{stage}"\nregions = ["eu-west-1", "us-east-{i % 4}"]\n'
    for path, text in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)
    git(out, "init", "-q")
    git(out, "add", "--all")
    git(out, "commit", "-qm", "base")
    git(out, "tag", "base")
    for tag, path, old, new in [("one", "live/r007/main.tf", "10.1.0.0/16", "10.2.0.0/16"),
                                ("head", "modules/common/main.tf", "10.0.0.0/8", "172.16.0.0/12")]:
        git(out, "checkout", "-q", "--detach", "base")
        (out / path).write_text(files[path].replace(old, new))
        git(out, "commit", "-qam", "Move a network")
        git(out, "tag", tag)
    git(out, "gc", "-q")


def yardstick():
    return float(subprocess.run([sys.executable, "-c", YARDSTICK], capture_output=True, text=True, check=True).stdout)


def measure(command, cwd):
    """User CPU and wall time in seconds, and peak memory in MiB."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: exit {process.returncode}")
    return usage.ru_utime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--roots", type=int, default=300)
    parser.add_argument("--modules", type=int, default=60)
    parser.add_argument("--measure", type=pathlib.Path, metavar="STACKLINT")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if not given.measure:
        generate(given.out, given.roots, given.modules)
        return
    binary = str(given.measure.resolve())
    small, large = given.out / "small", given.out / "large"
    for out, factor in ((small, 1), (large, 2)):
        if not out.exists():
            generate(out, given.roots * factor, given.modules)

    def best(command, cwd):
        return min(measure([binary, *command, "--format", "json"], cwd) for _ in range(given.runs))

    unit = min(yardstick() for _ in range(given.runs))
    print(f"yardstick {unit:.3f} s")
    module, one = best(["diff", "base..head"], small), best(["diff", "base..one"], small)
    check, twice = best(["check", "--rev", "head"], small), best(["check", "--rev", "head"], large)
    found = {"diff of a module": module[0] / unit, "diff of one resource": one[0] / unit, "check": check[0] / unit,
             "check of twice as much": twice[0] / check[0], "memory of check": check[2]}
    for (name, value), run in zip(found.items(), (module, one, check, twice, check)):
        print(f"{name:24} {value:6.2f}  target {TARGETS[name]:5.1f}  user {run[0]:.3f} s, wall {run[1]:.3f} s, {run[2]:.0f} MiB")
    sys.exit(any(value > TARGETS[name] for name, value in found.items()))


if __name__ == "__main__":
    main()
