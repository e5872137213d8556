#!/usr/bin/env python3
"""Write a git repository with many stacks, tagged `base` and `head`, to measure on.

Every stack imports the layers, every layer its catalogs, every catalog a default that its components inherit; stacks have
locals, and components have templates and functions. The same arguments give the same commits.
"""
import argparse
import os
import pathlib
import subprocess

CONFIG = """\
base_path: "."
components:
  terraform:
    base_path: components/terraform
stacks:
  base_path: stacks
  included_paths: ["deploy/**/*"]
  name_template: "{{ .vars.tenant }}-{{ .vars.stage }}"
templates:
  settings:
    enabled: true
    sprig: {enabled: true}
"""

ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "bench@example.com", "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "bench", "GIT_COMMITTER_EMAIL": "bench@example.com",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
}


def org(owner="platform", revision=1):
    return f"""\
vars:
  namespace: acme
  revision: {revision}
  tags:
    Owner: {owner}
    Managed: terraform
terraform:
  backend_type: s3
  backend:
    s3: {{bucket: acme-tfstate, region: eu-west-1, encrypt: true}}
settings:
  context: {{team: platform}}
"""


def catalog(layer, number, components):
    kind = f"kind-{layer}-{number}"
    rules = "".join(
        f"          - {{description: rule {i}, from_port: {8000 + i}, protocol: tcp, cidr_blocks: [10.{i}.0.0/16]}}\n"
        for i in range(5))
    text = f"""\
components:
  terraform:
    {kind}/defaults:
      metadata: {{type: abstract, component: {kind}}}
      settings:
        validation: {{check: {{schema_type: jsonschema, schema_path: {kind}.json}}}}
      vars:
        enabled: true
        name: "{{{{ .vars.namespace }}}}-{{{{ .vars.stage }}}}-{{{{ .atmos_component }}}}"
        protected: '{{{{ if eq .vars.stage "stage-0" }}}}true{{{{ else }}}}false{{{{ end }}}}'
        vpc_id: !terraform.state vpc {{{{ .atmos_stack }}}} .vpc_id
        token: !store.get ssm {kind}/token
        ingress_rules:
{rules}        logging:
          enabled: true
          lifecycle: {{days: 30, class: STANDARD_IA}}
"""
    for i in range(components):
        text += f"""\
    {kind}-{i}:
      metadata: {{component: {kind}, inherits: [{kind}/defaults]}}
      vars:
        size: {i}
        tags: {{Instance: "{kind}-{i}", Team: "{{{{ .settings.context.team }}}}"}}
"""
    return text


def stack(tenant, stage, layers, pinned):
    imports = "".join(f"  - layers/{layer}\n" for layer in range(layers))
    return f"""\
import:
  - orgs/acme
{imports}\
locals:
  prefix: "acme-{tenant}-{stage}"
  bucket: "{{{{ .locals.prefix }}}}-state"
terraform:
  vars: {{tenant: {tenant}, stage: {stage}}}
components:
  terraform:
    kind-0-0-0:
      vars:
        size: {pinned}
        bucket: "{{{{ .locals.bucket }}}}"
"""


VARIABLES = ["namespace", "tenant", "stage", "tags", "enabled", "name", "protected", "vpc_id", "token", "ingress_rules", "logging",
             "size", "bucket", "revision"]


def code(resources):
    """The code of a component: variables, a local, and resources that read them."""
    text = "".join(f'variable "{name}" {{\n  default = null\n}}\n' for name in VARIABLES)
    text += 'locals {\n  tags = merge(var.tags, { Stage = var.stage })\n}\n'
    for i in range(resources):
        text += f"""\
resource "aws_thing" "r{i}" {{
  count = var.enabled ? 1 : 0
  name  = "${{var.name}}-{i}"
  size  = var.size + {i}
  vpc   = var.vpc_id
  tags  = merge(local.tags, {{ Index = "{i}" }})
  days  = try(var.logging.lifecycle.days, 7)
  dynamic "rule" {{
    for_each = var.ingress_rules
    content {{
      port = rule.value.from_port
    }}
  }}
}}
"""
    text += 'resource "aws_thing" "revision" {\n  value = var.revision\n}\n'
    return text + 'output "names" {\n  value = aws_thing.r0[*].name\n}\n'


def write(root, files):
    for path, text in files.items():
        path = root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def generate(root, stacks, components, change, resources=0):
    """Writes a repository with `stacks` stacks of about `components` components each; `change` is `leaf`, `default` or `all`.
    With `resources` every kind has code that makes as many."""
    root = pathlib.Path(root)
    root.mkdir(parents=True)
    layers, catalogs = 5, 4
    each = max(1, components // (layers * catalogs))

    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=root, check=True, env={**os.environ, **ENVIRONMENT},
                       stdout=subprocess.DEVNULL)

    def commit(tag):
        git("add", "-A")
        git("commit", "-q", "--no-gpg-sign", "-m", tag)
        git("tag", tag)

    git("init", "-q", "-b", "main")
    write(root, {"atmos.yaml": CONFIG, "stacks/orgs/acme.yaml": org()})
    for layer in range(layers):
        names = [f"catalog/kind-{layer}-{n}" for n in range(catalogs)]
        if resources:
            write(root, {f"components/terraform/kind-{layer}-{n}/main.tf": code(resources) for n in range(catalogs)})
        write(root, {f"stacks/{name}.yaml": catalog(layer, n, each) for n, name in enumerate(names)})
        write(root, {f"stacks/layers/{layer}.yaml": "import:\n" + "".join(f"  - {name}\n" for name in names)})
    places = [(f"tenant-{n // 10}", f"stage-{n % 10}") for n in range(stacks)]
    write(root, {f"stacks/deploy/{t}/{s}.yaml": stack(t, s, layers, 1) for t, s in places})
    commit("base")
    if change == "leaf":
        tenant, stage = places[-1]
        write(root, {f"stacks/deploy/{tenant}/{stage}.yaml": stack(tenant, stage, layers, 2)})
    else:
        write(root, {"stacks/orgs/acme.yaml": org(revision=2) if change == "default" else org("someone-else")})
    commit("head")
    git("gc", "-q")
    return stacks * layers * catalogs * each


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="the folder to create")
    parser.add_argument("--stacks", type=int, default=20)
    parser.add_argument("--components", type=int, default=100, help="in each stack, abstract ones not counted")
    parser.add_argument("--change", choices=["leaf", "default", "all"], default="leaf",
                        help="a variable of one component, of all that one of their resources reads, or that all of them read")
    parser.add_argument("--resources", type=int, default=0, help="made by the code of each component; without, there is no code")
    options = parser.parse_args()
    number = generate(options.out, options.stacks, options.components, options.change, options.resources)
    print(f"{options.stacks} stacks, {number} components")


if __name__ == "__main__":
    main()
