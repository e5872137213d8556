#!/usr/bin/env python3
"""Compare stacklint with other tools on the same input: what they find, and what it costs. What is not installed is skipped.

    python3 bench/compare.py [--bin target/release/stacklint] [--copies 20] [--units 200] [--stacks 10]

1. Values: root modules whose security group opens SSH to the world, and as many that do not. The address is written in a different
   way in each pair: a variable, a local, a module, `for_each`, a file, a function. Every tool has one check for it: stacklint a
   policy, checkov CKV_AWS_24, trivy AVD-AWS-0107. Right is a finding in the open one and none in the closed one. tflint has no such
   check: its time is that of its own rules.
2. Terragrunt: the inputs of all units (gen_terragrunt.py), against `terragrunt render`. The mock of an output counts as not known.
3. Atmos: all components (generate.py), against `atmos describe stacks`.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

OPEN, CLOSED = "0.0.0.0/0", "10.0.0.0/8"
RULE = """resource "aws_security_group_rule" "ssh" {{
{extra}  type              = "ingress"
  from_port         = 22
  to_port           = 22
  protocol          = "tcp"
  security_group_id = "sg-1"
  cidr_blocks       = [{value}]
}}
"""
PROVIDER = 'provider "aws" {\n  region = "eu-west-1"\n}\n'
POLICY = """[[require]]
id = "no-open-ssh"
where = "component.type == 'resource'"
that = "!(has(component.cidr_blocks) && component.cidr_blocks.exists(c, c == '0.0.0.0/0')) && !(has(component.ingress) && \
component.ingress.exists(i, i.cidr_blocks.exists(c, c == '0.0.0.0/0')))"
message = "SSH is open to the world"
"""


def rule(value, extra=""):
    """Returns the resource with this expression as its address."""
    return RULE.format(value=value, extra=extra)


def ways(cidr, other):
    """Returns files by way to write an address; `other` is the address that does not count."""
    host, bits = cidr.split("/")
    called = 'variable "cidr" {}\n' + rule("var.cidr")
    return {
        "literal": {"main.tf": rule(f'"{cidr}"')},
        "default": {"main.tf": f'variable "cidr" {{ default = "{cidr}" }}\n' + rule("var.cidr")},
        "tfvars": {"main.tf": f'variable "cidr" {{ default = "{other}" }}\n' + rule("var.cidr"),
                   "terraform.tfvars": f'cidr = "{cidr}"\n'},
        "auto-tfvars": {"main.tf": f'variable "cidr" {{ default = "{other}" }}\n' + rule("var.cidr"),
                        "terraform.tfvars": f'cidr = "{other}"\n', "z.auto.tfvars": f'cidr = "{cidr}"\n'},
        "local": {"main.tf": f'locals {{ cidr = "{cidr}" }}\n' + rule("local.cidr")},
        "map": {"main.tf": f'locals {{ all = {{ ssh = "{cidr}", http = "{other}" }} }}\n' + rule('local.all["ssh"]')},
        "module-input": {"main.tf": f'module "m" {{\n  source = "./m"\n  cidr   = "{cidr}"\n}}\n', "m/main.tf": called},
        "module-output": {"main.tf": 'module "m" {\n  source = "./m"\n}\n' + rule("module.m.cidr"),
                          "m/main.tf": f'output "cidr" {{ value = "{cidr}" }}\n'},
        "for-each": {"main.tf": rule("each.value", f'  for_each = toset(["{cidr}"])\n')},
        "count": {"main.tf": f'locals {{ all = ["{cidr}"] }}\n' + rule("local.all[count.index]", "  count = length(local.all)\n")},
        "count-zero": {"main.tf": rule(f'"{OPEN}"', f"  count = {1 if cidr == OPEN else 0}\n")},
        "condition": {"main.tf": f'variable "on" {{ default = true }}\n' + rule(f'var.on ? "{cidr}" : "{other}"')},
        "dynamic": {"main.tf": f"""resource "aws_security_group" "ssh" {{
  name = "ssh"
  dynamic "ingress" {{
    for_each = ["{cidr}"]
    content {{
      from_port   = 22
      to_port     = 22
      protocol    = "tcp"
      cidr_blocks = [ingress.value]
    }}
  }}
}}
"""},
        "format": {"main.tf": rule(f'format("%s/%d", "{host}", {bits})')},
        "merge": {"main.tf": f'locals {{ all = merge({{ ssh = "{other}" }}, {{ ssh = "{cidr}" }}) }}\n' + rule("local.all.ssh")},
        "cidrsubnet": {"main.tf": rule(f'cidrsubnet("{cidr}", 0, 0)')},
        "yaml-file": {"main.tf": rule('yamldecode(file("${path.module}/a.yaml")).ssh'), "a.yaml": f"ssh: {cidr}\n"},
        "json-file": {"main.tf": rule('jsondecode(file("${path.module}/a.json")).ssh'), "a.json": json.dumps({"ssh": cidr})},
        "templatefile": {"main.tf": rule('templatefile("${path.module}/a.tpl", { bits = ' + bits + " })"), "a.tpl": host + "/${bits}"},
        "try": {"main.tf": f'locals {{ all = {{ ssh = "{cidr}" }} }}\n' + rule(f'try(local.all.none, local.all.ssh, "{other}")')},
    }


def write_values(root, copies):
    """Writes all root modules, and returns the names of the open and the closed ones of the first copy."""
    names = {}
    for copy in range(copies):
        for state, cidr, other in (("open", OPEN, CLOSED), ("closed", CLOSED, OPEN)):
            for way, files in ways(cidr, other).items():
                folder = root / f"{way}-{state}-{copy}"
                for name, text in files.items():
                    path = folder / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text + (PROVIDER if name == "main.tf" else ""))
                if copy == 0:
                    names[folder.name] = state == "open"
    (root / "stacklint.toml").write_text(POLICY)
    return names


def measure(command, cwd):
    """Returns the standard output of a command, and what it cost: seconds of CPU, seconds that passed, MiB.

    Of processes that it starts and does not wait for, the CPU is not counted; memory is that of its largest process.
    """
    environment = dict(os.environ, CHECKPOINT_DISABLE="1", ATMOS_TELEMETRY_ENABLED="false")
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out, subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL,
                                                           stdin=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        cost = (usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024)
        return out.read().decode(), "{:.2f} s | {:.2f} s | {:.0f} MiB".format(*cost)


def folders(paths):
    """Returns the first folders of paths."""
    return {str(path).lstrip("./").split("/")[0] for path in paths}


def in_stacklint(text):
    return folders(finding["file"] for finding in json.loads(text)["diagnostics"] if finding["rule"] == "no-open-ssh")


def in_checkov(text):
    reports = json.loads(text)
    reports = reports if isinstance(reports, list) else [reports]
    return folders(check["file_path"] for report in reports for check in report["results"]["failed_checks"])


def in_trivy(text):
    results = json.loads(text).get("Results") or []
    return folders(result["Target"] for result in results for found in result.get("Misconfigurations") or []
                   if found["ID"] in ("AVD-AWS-0107", "AWS-0107") and found["Status"] == "FAIL")


def version(command):
    """Returns the first number of a version that a program prints."""
    run = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return next((word.strip("v,") for word in (run.stdout + run.stderr).split() if any(c.isdigit() for c in word)), "?")


def is_there(command):
    if shutil.which(command) is None:
        print(f"| {command} | not installed |")
    return shutil.which(command) is not None


def compare_values(binary, copies):
    tools = [
        (binary, ["check", "--format", "json", "--all"], in_stacklint),
        ("checkov", ["-d", ".", "--check", "CKV_AWS_24", "--framework", "terraform", "-o", "json", "--quiet", "--skip-download"],
         in_checkov),
        ("trivy", ["config", "--format", "json", "--skip-check-update", "--offline-scan", "."], in_trivy),
        ("tflint", ["--recursive", "--format", "json"], None),
    ]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        expected = write_values(pathlib.Path(one), 1)
        write_values(pathlib.Path(many), copies)
        count = len(expected)
        print(f"\n## Values: right of {count} root modules; cost with {count * copies}\n")
        print(f"| tool | right of {count} | wrong | CPU | time | memory |\n|---|--:|---|--:|--:|--:|")
        for command, arguments, read in tools:
            if not is_there(command):
                continue
            output, _ = measure([command, *arguments], one)
            _, cost = measure([command, *arguments], many)
            right, wrong = "", ""
            if read:
                found = read(output)
                failed = sorted(name.rsplit("-", 1)[0] for name, is_open in expected.items() if (name in found) != is_open)
                right, wrong = str(count - len(failed)), ", ".join(failed)
            print(f"| {pathlib.Path(command).name} {version(command)} | {right} | {wrong} | {cost} |", flush=True)


def sorted_inputs(units, is_mock):
    """Returns the inputs of units as sorted lines, without the values of mocks, which nothing that is deployed has."""
    all_inputs = ({key: None if is_mock(value) else value for key, value in (unit.get("inputs") or {}).items()} for unit in units)
    return sorted(json.dumps(inputs, sort_keys=True) for inputs in all_inputs)


def inputs_of_terragrunt(text):
    """Returns the inputs of all units in what `terragrunt render --all --json` prints: one object after another, in any order."""
    decoder, units, at = json.JSONDecoder(), [], 0
    while (at := text.find("{", at)) >= 0:
        value, at = decoder.raw_decode(text, at)
        units.append(value)
    return sorted_inputs(units, lambda value: value == "mock")


def inputs_of_stacklint(text):
    units = (unit for stack in json.loads(text).values() for unit in stack["components"].get("unit", {}).values())
    return sorted_inputs(units, lambda value: isinstance(value, dict) and "$unknown" in value)


def as_written(text):
    return json.loads(text)


def compare_output(title, script, sizes, tools):
    """Runs tools on a generated repository, and says whether what they print is equal to what the first of them does."""
    with tempfile.TemporaryDirectory() as temp:
        root = pathlib.Path(temp) / "repository"
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name(script), *sizes, root], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"\n## {title}\n\n| tool | same values | CPU | time | memory |\n|---|---|--:|--:|--:|")
        first = None
        for command, arguments, read in tools:
            if not is_there(command):
                continue
            output, cost = measure([command, *arguments], root)
            try:
                value = read(output)
            except ValueError:
                value = None
            first = first if first is not None else value
            same = "cannot be read" if value is None else "yes" if value == first else "no"
            print(f"| {pathlib.Path(command).name} {version(command)} | {same} | {cost} |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default="target/release/stacklint")
    options.add_argument("--copies", type=int, default=20)
    options.add_argument("--units", type=int, default=200)
    options.add_argument("--stacks", type=int, default=10)
    options = options.parse_args()
    binary = os.path.abspath(options.bin)
    compare_values(binary, options.copies)
    compare_output(f"Terragrunt: {options.units} units", "gen_terragrunt.py", ["--units", str(options.units), "--out"], [
        (binary, ["describe", "stacks", "--format", "json"], inputs_of_stacklint),
        ("terragrunt", ["render", "--all", "--json", "--non-interactive", "--no-color"], inputs_of_terragrunt),
    ])
    compare_output(f"Atmos: {options.stacks} stacks", "generate.py", ["--stacks", str(options.stacks)], [
        (binary, ["describe", "stacks", "--format", "json"], as_written),
        ("atmos", ["describe", "stacks", "--process-functions=false", "--format", "json"], as_written),
    ])


if __name__ == "__main__":
    main()
