#!/usr/bin/env python3
"""Measure `check` on a generated repository with much Terraform code: without a cache, with an empty one and with a full one."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="target/release/stacklint")
    parser.add_argument("--modules", type=int, default=300)
    parser.add_argument("--files", type=int, default=5, help="in each module")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    binary = str(pathlib.Path(options.bin).resolve())
    with tempfile.TemporaryDirectory(prefix="stacklint-bench-") as work:
        root, cache = pathlib.Path(work, "repository"), pathlib.Path(work, "cache")
        root.mkdir()
        generate(root, options.modules, options.files)
        plain = [binary, "check", "--rev", "HEAD"]
        kept = [*plain, "--cache", str(cache)]
        outputs = {subprocess.run(command, cwd=root, capture_output=True).stdout for command in (plain, kept, kept)}
        print(f"{options.modules} modules of {options.files} files; the output is {'the same' if len(outputs) == 1 else 'NOT the same'}")

        def cold():
            shutil.rmtree(cache)
            return measure(kept, root, 1)

        times = {
            "no cache": measure(plain, root, options.runs),
            "an empty one": min(cold() for _ in range(options.runs)),
            "a full one": measure(kept, root, options.runs),
        }
        for name, (user, wall, memory) in times.items():
            print(f"{name:14} {user:8.3f} s user {wall:8.3f} s wall {memory:6.0f} MiB   x {user / times['no cache'][0]:.2f}")
        if len(outputs) != 1:
            sys.exit(1)


if __name__ == "__main__":
    main()
