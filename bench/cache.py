#!/usr/bin/env python3
"""Measure `check` on generated repositories, one with much Terraform code and one with many components: without a cache, with an empty
one, and with one that knows the code, the state, or a state that differs from it."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import generate as stacks  # noqa: E402
from generate import ENVIRONMENT  # noqa: E402
from measure import measure  # noqa: E402

CONFIG = """\
base_path: "."
components: {terraform: {base_path: components/terraform}}
stacks: {base_path: stacks, included_paths: ["deploy/**/*"], name_template: "{{ .vars.stage }}"}
"""


def module(number, files):
    """The files of a module, about as long as those of public modules are."""
    main = "".join(f"""\
resource "aws_security_group_rule" "rule_{i}" {{
  count             = local.enabled ? length(var.list_{i % 20}) : 0
  type              = "ingress"
  from_port         = {8000 + i}
  to_port           = {8000 + i}
  protocol          = "tcp"
  cidr_blocks       = [for cidr in var.list_{i % 20} : cidr if cidr != ""]
  description       = "Rule {i} of ${{var.name}} in module {number}"
  security_group_id = one(aws_security_group.default[*].id)
}}

""" for i in range(15))
    variables = 'variable "name" {\n  type        = string\n  description = "What it is called"\n}\n\n' + "".join(f"""\
variable "list_{i}" {{
  type        = list(string)
  description = "Networks that may reach port {i} of module {number}"
  default     = []
}}

variable "object_{i}" {{
  type = object({{
    enabled = optional(bool, true)
    names   = optional(map(string), {{}})
  }})
  description = "Settings {i}"
  default     = {{}}
}}

""" for i in range(20))
    outputs = "".join(f"""\
output "id_{i}" {{
  value       = join("", aws_security_group_rule.rule_{i}[*].id)
  description = "The id of rule {i}"
}}

""" for i in range(15))
    versions = f'terraform {{\n  required_version = ">= 1.{number % 10}"\n  required_providers {{\n    aws = {{\n' \
               f'      source  = "hashicorp/aws"\n      version = ">= 5.0"\n    }}\n  }}\n}}\n'
    all_files = {"main.tf": main, "variables.tf": variables, "outputs.tf": outputs, "versions.tf": versions}
    for i in range(files - len(all_files)):
        all_files[f"more_{i}.tf"] = main.replace("rule_", f"more_{i}_")
    return dict(list(all_files.items())[:files])


def generate(root, modules, files):
    components = "".join(f"    module-{n}: {{vars: {{name: it}}}}\n" for n in range(modules))
    texts = {
        "atmos.yaml": CONFIG,
        "stacks/catalog.yaml": f"components:\n  terraform:\n{components}",
        "stacks/deploy/dev.yaml": "import: [catalog]\nvars: {stage: dev}\n",
        "stacks/deploy/prod.yaml": "import: [catalog]\nvars: {stage: prod}\n",
    }
    for number in range(modules):
        for name, text in module(number, files).items():
            texts[f"components/terraform/module-{number}/{name}"] = text
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "--no-gpg-sign", "-m", "all"], ["gc", "-q"]):
        subprocess.run(["git", *arguments], cwd=root, check=True, env={**os.environ, **ENVIRONMENT})


def git(root, *arguments):
    subprocess.run(["git", *arguments], cwd=root, check=True, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL)


def edited(root, path, text):
    """Commits another version of a file."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--no-gpg-sign", "-m", path)


class Bench:
    """Checks of one repository."""

    def __init__(self, binary, root, cache, runs):
        self.root, self.cache, self.runs = root, cache, runs
        self.plain = [binary, "check", "--format", "json", "--rev"]
        self.times, self.is_same = {}, True

    def kept(self, rev):
        return [*self.plain, rev, "--cache", str(self.cache)]

    def forget(self, folder=""):
        shutil.rmtree(self.cache / folder, ignore_errors=True)

    def measure(self, name, rev, before=lambda: None, cached=True):
        """Measures checks of a revision, each after `before`, and compares their output with that without a cache."""
        command = self.kept(rev) if cached else [*self.plain, rev]
        runs = []
        for _ in range(self.runs):
            before()
            runs.append(measure(command, self.root, 1))
        before()
        outputs = {subprocess.run(c, cwd=self.root, capture_output=True).stdout for c in ([*self.plain, rev], command)}
        self.is_same &= len(outputs) == 1
        # The user CPU of a short run is counted in ticks: only their mean says something.
        user, wall, memory = zip(*runs)
        self.times[name] = sum(user) / len(user), min(wall), max(memory)

    def check(self, rev):
        subprocess.run(self.kept(rev), cwd=self.root, capture_output=True)

    def print(self, title):
        print(f"{title}; the output is {'the same' if self.is_same else 'NOT the same'}")
        first = next(iter(self.times.values()))[0]
        for name, (user, wall, memory) in self.times.items():
            print(f"  {name:28} {user:8.3f} s user {wall:8.3f} s wall {memory:6.0f} MiB   x {user / first:.2f}")
        return self.is_same


def much_code(options, binary, work):
    root = work / "code"
    root.mkdir()
    generate(root, options.modules, options.files)
    bench = Bench(binary, root, work / "cache of code", options.runs)
    bench.measure("no cache", "HEAD", cached=False)
    bench.measure("an empty one", "HEAD", bench.forget)
    bench.measure("the code is known", "HEAD", lambda: bench.forget("stacklint-checks"))
    bench.measure("the state is known", "HEAD")
    return bench.print(f"{options.modules} modules of {options.files} files")


def many_components(options, binary, work):
    root = work / "stacks"
    stacks.generate(root, options.stacks, options.components, "leaf")
    git(root, "checkout", "-q", "head")
    edited(root, "app/main.go", "package main\n")
    git(root, "tag", "first")
    edited(root, "app/main.go", "package other\n")
    git(root, "tag", "second")
    bench = Bench(binary, root, work / "cache of stacks", options.runs)

    def only(rev):
        bench.forget()
        bench.check(rev)

    bench.measure("no cache", "first", cached=False)
    bench.measure("an empty one", "first", bench.forget)
    bench.measure("the state is known", "first")
    bench.measure("a file of no stack differs", "second", lambda: only("first"))
    bench.measure("a value of a stack differs", "head", lambda: only("base"))
    return bench.print(f"{options.stacks} stacks of {options.components} components")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="target/release/stacklint")
    parser.add_argument("--modules", type=int, default=300)
    parser.add_argument("--files", type=int, default=5, help="in each module")
    parser.add_argument("--stacks", type=int, default=100)
    parser.add_argument("--components", type=int, default=160, help="in each stack")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    binary = str(pathlib.Path(options.bin).resolve())
    with tempfile.TemporaryDirectory(prefix="stacklint-bench-") as work:
        results = [part(options, binary, pathlib.Path(work)) for part in (much_code, many_components)]
    if not all(results):
        sys.exit(1)


if __name__ == "__main__":
    main()
