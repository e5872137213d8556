#!/usr/bin/env python3
"""Write a Garden project of 400 actions in 6 environments as a git repository, with the tags `base` and `head`.

    gen_garden.py --out FOLDER [--actions 400] [--environments 6] [--change variable|project|action|template]
    gen_garden.py --out FOLDER --measure stacklint [--runs 3]

`head` changes one line: a variable of one environment, a variable of the project, the command of one action or the body of
the template that every fourth action is rendered from. --measure also times `diff` of each change and `check`, in
yardsticks: what Python's json needs to read 100,000 small objects.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

CHANGES = {
    "variable": ("project.garden.yml", "replicas: 3 # env2", "replicas: 4 # env2"),
    "project": ("project.garden.yml", "registry: registry.example.com", "registry: registry.example.org"),
    "action": ("services/s001/garden.yml", "make, s001", "make, s001, -j"),
    "template": ("templates/job.garden.yml", "--retries=2", "--retries=3"),
}
TARGETS = {"diff variable": 1.5, "check": 5.0}

YARDSTICK = """import json, resource
t = json.dumps([{"id": i, "name": "component-%d" % i, "tags": ["a", "b", str(i)], "size": i / 7} for i in range(100000)])
b = resource.getrusage(resource.RUSAGE_SELF).ru_utime
for _ in range(3): json.loads(t)
print((resource.getrusage(resource.RUSAGE_SELF).ru_utime - b) / 3)"""


def project(environments):
    """The project: variables of its own, and some that every environment overrides."""
    lines = ["apiVersion: garden.io/v2", "kind: Project", "name: shop", "environments:"]
    for i in range(environments):
        lines += [f"  - name: env{i}", "    variables:", f"      replicas: {i + 1} # env{i}",
                  f"      domain: env{i}.example.com", "      limits: {memory: %d}" % (256 * (i + 1))]
    lines += ["providers: [{name: exec}]", "variables:", "  registry: registry.example.com", "  limits: {cpu: 100, memory: 128}",
              "  image: ${var.registry}/shop", "  flags: [--verbose, --color]"]
    return "\n".join(lines) + "\n"


TEMPLATE = """kind: ConfigTemplate
name: job
inputs:
  schedule: {type: string}
  memory: {type: number, default: 64}
configs:
  - kind: Run
    type: exec
    name: ${parent.name}
    dependencies: ["build.${inputs.of}"]
    spec:
      command: [job, "${inputs.schedule}", "--memory=${inputs.memory}", "--retries=2", "${environment.name}"]
"""


def service(i):
    """Four actions: a build, a deployment, a test and a rendered job."""
    name, before = f"s{i:03}", f"s{i - 1:03}"
    needs = f", deploy.{before}" if i % 10 else ""
    return f"""kind: Build
name: {name}
type: exec
include: [src/**/*]
spec: {{command: [make, {name}], env: {{IMAGE: "${{var.image}}/{name}"}}}}
---
kind: Deploy
name: {name}
type: exec
dependencies: [build.{name}{needs}]
variables: {{host: "{name}.${{var.domain}}", port: {8000 + i}}}
spec:
  deployCommand:
    - ./deploy.sh
    - "${{var.image}}/{name}:${{actions.build.{name}.version}}"
    - "--host=${{var.host}}:${{var.port}}"
    - "--memory=${{var.limits.memory}}"
    - $concat: {{$if: "${{var.replicas > 2}}", $then: [--spread], $else: []}}
  env: {{$merge: {{LEVEL: info}}, REPLICAS: "${{string(var.replicas)}}", ZONE: "${{environment.name}}"}}
---
kind: Test
name: {name}
type: exec
dependencies: [deploy.{name}]
disabled: ${{environment.name == 'env0'}}
spec: {{command: [curl, "https://${{actions.deploy.{name}.var.host}}"], env: {{A: "${{join(var.flags, ' ')}}"}}}}
---
kind: RenderTemplate
name: job-{name}
template: job
inputs: {{of: {name}, schedule: "{i % 60} * * * *", memory: {64 + i}}}
"""


def git(out, *arguments):
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    subprocess.run(["git", *who, *arguments], cwd=out, check=True, capture_output=True)


def generate(out, actions=400, environments=6, change="variable"):
    """Writes the repository."""
    files = {"project.garden.yml": project(environments), "templates/job.garden.yml": TEMPLATE.replace(
        "schedule: {type: string}", "schedule: {type: string}\n  of: {type: string}")}
    for i in range(actions // 4):
        files[f"services/s{i:03}/garden.yml"] = service(i)
        files[f"services/s{i:03}/src/main.c"] = f"int main(void) {{ return {i}; }}\n"
    for path, text in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)
    git(out, "init", "-q")
    git(out, "add", "--all")
    git(out, "commit", "-qm", "base")
    git(out, "tag", "base")
    path, before, after = CHANGES[change]
    assert before in files[path], change
    (out / path).write_text(files[path].replace(before, after))
    git(out, "commit", "-qam", change)
    git(out, "tag", "head")


def yardstick():
    return float(subprocess.run([sys.executable, "-c", YARDSTICK], capture_output=True, text=True, check=True).stdout)


def measure(command, cwd):
    """User CPU and wall time in seconds, and peak memory in MiB."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: exit {process.returncode}")
    return usage.ru_utime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--actions", type=int, default=400)
    parser.add_argument("--environments", type=int, default=6)
    parser.add_argument("--change", choices=CHANGES, default="variable")
    parser.add_argument("--measure", type=pathlib.Path, metavar="STACKLINT")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if not given.measure:
        generate(given.out, given.actions, given.environments, given.change)
        return
    binary, missed = str(given.measure.resolve()), 0
    commands = [(f"diff {change}", change, ["diff", "base..head", "--format", "json"]) for change in CHANGES]
    commands.append(("check", "variable", ["check", "--rev", "head", "--format", "json"]))
    for name, change, arguments in commands:
        out = given.out / change
        if not out.exists():
            generate(out, given.actions, given.environments, change)
        yards, runs = [yardstick()], []
        for _ in range(given.runs):
            runs.append(measure([binary, *arguments], out))
            yards.append(yardstick())
        user, wall, memory = (min(run[i] for run in runs) for i in range(3))
        ratio, target = user / min(yards), TARGETS.get(name)
        is_missed = target is not None and ratio > target
        missed += is_missed
        print(f"{name:14} {user:6.3f} s user {wall:6.3f} s wall {memory:5.0f} MiB {ratio:6.2f} yardsticks"
              f"{f', target {target}' if target else ''}{', MISSED' if is_missed else ''}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
