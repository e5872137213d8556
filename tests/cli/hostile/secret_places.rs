//! One table of secrets in all systems, each with a mark, and everything that people read: no mark is shown anywhere.

use crate::common::Repo;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Forms of secrets in variables of a component of Atmos.
const ATMOS: &[&str] = &[
    "auth:\n  PGPASSWORD: MARK",
    "password1: MARK",
    "pass: MARK",
    "- name: A_TOKEN\n  x: {}\nKEYS  value: MARK",
    "password: !template '{{ \"MARK\" }}'",
    "password: !terraform.output x y '// \"MARK\"'",
    "password: !terraform.state vpc '.a // \"MARK\"'",
    "users: [{user: a, pass: MARK}]",
    "DATABASE_URL: 'mysql://a:MARK@h:3306/x?y=1'",
    "dsn: 'host=h user=u password=MARK sslmode=x'",
    "jdbc: 'jdbc:postgresql://h/d?user=a&password=MARK'",
    "c: 'Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=MARK'",
    "args: ['--db-password', MARK]",
    "args: ['--password=MARK']",
    "args: '-p x --token MARK'",
    "? |\n  password\n: MARK",
    "kube: {kind: Secret, stringData: {user: MARK}}",
    "kube: {kind: Secret, data: {user: MARK}}",
    "privateKey: MARK",
    "api-key: MARK",
    "apiKey: MARK",
    "client_secret: MARK",
    "secret_key: MARK",
    "aws_secret_access_key: MARK",
    "authToken: MARK",
    "htpasswd: 'a:MARK'",
    "connection_string: MARK",
    "passphrase: MARK",
    "credentials_json: '{\"a\":\"MARK\"}'",
    "basic_auth: {username: a, password: MARK}",
    "auth: 'Basic MARKMARKMARK'",
    "sas: 'https://x.blob/y?sig=MARK&se=1'",
    "curl2: 'curl -H \"Authorization: token MARK\" x'",
    "env: {DB_PASSWORD: MARK}",
    "passwords: {a: MARK, b: [MARK]}",
    "password:\n  - a\n  - |\n    MARK",
    "x: [password, {password: MARK}]",
    "password: &a MARK\ny: *a",
    "<<: {password: MARK}",
    "password: |\n  LINES  MARK",
    "password: >\n  a\n\n  MARK",
    "password: \"a\\\n  MARK\"",
    "\"password\"   :    \"MARK\"",
    "pw: MARK",
    "pwd: MARK",
    "db_pwd: MARK",
    // The text of a value that is not known as a whole.
    "cmd: '{{ env \"X\" }} --password=MARK'",
    "cmd: 'postgres://u:MARK@{{ env \"X\" }}/d'",
    "cmd: '{\"password\":\"MARK\",\"x\":\"{{ env \"X\" }}\"}'",
    "cmd: |\n  {{ env \"X\" }}\n  export DB_PASSWORD=MARK",
    "password: 'MARK{{ env \"X\" }}'",
];

/// Values of a component of Atmos that fail, or that cannot be known.
const FAILING: &[&str] = &[
    "password: '{{ fail \"MARK\" }}'",
    "password: '{{ mustRegexFind \"(\" \"MARK\" }}'",
    "zone: '{{ regexReplaceAll \"(\" \"x\" \"password=MARK\" }}'",
    "password: '{{ atoi \"MARK\" | mustToDate }}'",
    "password: '{{ \"MARK }}'",
    "password: '{{ \"MARK\" | nosuch }}'",
    "password: '{{ fromJson \"{MARK\" }}'",
    "password: '{{ mustFromJson \"{MARK\" }}'",
    "password: '{{ template \"MARK\" }}'",
    "password: !template '{{ fail \"MARK\" }}'",
    "password: MARK: x",
    "password: '{{ semver \"MARK\" }}'",
    "password: '{{ duration \"MARK\" }}{{ toDecimal \"MARK\" }}{{ mustToDuration \"MARK\" }}'",
    "password: '{{ regexMatch \"MARK(\" \"\" }}'",
    "password: '{{ mustRegexMatch \"MARK(\" \"\" }}'",
];

/// Bodies of resources.
const TOFU: &[&str] = &[
    "password = \"MARK\"",
    "pass = \"MARK\"",
    "password1 = \"MARK\"",
    "PGPASSWORD = \"MARK\"",
    "auth {\n token = \"MARK\"\n}",
    "environment = { DB_PASSWORD = \"MARK\" }",
    "env = [{ name = \"DB_PASSWORD\", value = \"MARK\" }]",
    "env {\n name = \"DB_PASSWORD\"\nKEYS value = \"MARK\"\n}",
    "password = <<EOF\nMARK\nEOF",
    "password = <<-EOF\nLINESMARK\nEOF",
    "v = jsonencode({ password = \"MARK\" })",
    "v = \"Server=a;Password=MARK;\"",
    "v = \"postgres://u:MARK@h/d\"",
    "v = local.db_password",
    "v = var.sens",
    "v = var.db_password",
    "password = format(\"x%s\", \"MARK\")",
    "password = x_y.q.id == \"a\" ? \"MARK\" : \"b\"",
    "password = coalesce(var.n, \"MARK\")",
    "password = lookup({ a = \"MARK\" }, \"a\")",
    "v = sensitive(\"MARK\")",
    "v = yamlencode({ list = [{ token = \"MARK\" }] })",
    "user_data = \"export DB_PASSWORD=MARK\\n\"",
    "v = { \"password\" = \"MARK\" }",
    "v = jsondecode(\"{\\\"password\\\":\\\"MARK\\\"}\")",
    "password = tonumber(\"MARK\")",
    "password = regex(\"x(\", \"MARK\")",
    "v = var.sensobj",
    "password = [for x in [\"MARK\"] : x]",
    "secret_string = \"MARK\"",
    "v = base64encode(\"password=MARK\")",
    "password = try(var.nosuch, \"MARK\")",
    "headers = { Authorization = \"Bearer MARKMARKMARKMARK\" }",
    "v = \"https://u:MARK@h/\"",
    "command = \"mysql --password MARK\"",
    "dynamic \"auth\" {\n for_each = [1]\n content {\n token = \"MARK\"\n}\n}",
    "v = module.m.out",
    "v = var.from_tfvars",
    "v = var.from_json",
    "password = join(\"\", [\"a\", \"MARK\"])",
    "v = var.obj.password",
    "password = \"${\"MARK\"}\"",
    "password = trimspace(<<EOF\n MARK\nEOF\n)",
    "connection {\n password = \"MARK\"\n}",
    "provisioner \"local-exec\" {\n command = \"x\"\n environment = { TOKEN = \"MARK\" }\n}",
    "password = substr(\"MARK\", \"x\", 1)",
    "password = element([\"MARK\"], \"x\")",
    "password = merge({a = \"MARK\"}, \"x\")",
    "v = templatestring(\"password: MARK\", {})",
    // The text of a value that is not known as a whole.
    "v = \"x ${x_y.r0.id} --password=MARK\"",
    "v = \"postgres://u:MARK@${x_y.r0.id}/d\"",
    "v = \"${local.part_password}\"",
    "v = local.part_password",
    "v = [local.part_password]",
    "user_data = <<EOF\n#!/bin/sh\necho ${x_y.r0.id}\nexport DB_PASSWORD=MARK\nEOF",
];

/// Files of units.
const TERRAGRUNT: &[&str] = &[
    "inputs = {\n db_password = \"MARK\"\n}",
    "locals {\n password = \"MARK\"\n}\ninputs = {\n x = local.password\n}",
    "terraform {\n extra_arguments \"a\" {\n commands = [\"plan\"]\n env_vars = { TF_VAR_password = \"MARK\" }\n arguments = [\"-var\", \"password=MARK\"]\n }\n}",
    "generate \"p\" {\n path = \"p.tf\"\n if_exists = \"overwrite\"\n contents = <<EOF\nprovider \"x\" {\n  token = \"MARK\"\n}\nEOF\n}",
    "remote_state {\n backend = \"s3\"\n config = {\n secret_key = \"MARK\"\n bucket = \"@\"\n }\n}",
    "dependency \"d\" {\n config_path = \"../t0\"\n mock_outputs = { password = \"MARK\" }\n}\ninputs = {\n v = dependency.d.outputs.password\n}",
    "inputs = {\n password = get_env(\"X\", \"MARK\")\n}",
    "inputs = {\n password = run_cmd(\"echo\", \"MARK\")\n}",
    "inputs = jsondecode(<<EOF\n{\"password\": \"MARK\"}\nEOF\n)",
    "inputs = {\n env = [{ name = \"TOKEN\", value = \"MARK\" }]\n url = \"redis://:MARK@h\"\n}",
    "inputs = {\n v = \"${get_env(\"X\")} --password=MARK\"\n}",
    "locals {\n password = \"MARK${get_env(\"X\")}\"\n}\ninputs = {\n x = local.password\n}",
    "inputs = {\n password = sops_decrypt_file(\"MARK\")\n}",
    "inputs = merge({ pass = \"MARK\" }, { b = \"@\" })",
    "inputs = {\n password = tonumber(\"MARK\")\n}",
    "terraform {\n source = \"git::https://u:MARK@h/x.git?ref=@\"\n}",
    // Functions quote what they reject.
    "locals {\n  secret = \"MARK\"\n}\ninputs = {\n  n = tonumber(local.secret)\n}",
    "locals {\n  creds = { token = \"MARK\" }\n}\ninputs = {\n  x = parseint(local.creds.token, 10)\n}",
    "inputs = {\n  env = jsonencode({ DB_PASSWORD = \"MARK\", a = 1 })\n}",
    "inputs = {\n  script = <<-EOT\n    export DB_PASSWORD=MARK\n  EOT\n}",
    "locals {\n  v = { \"password\" = \"MARK\" }\n}\ninputs = {\n  m = merge(local.v, { z = 1 })\n}",
];

/// What is written beside the resources of [`TOFU`].
const TOFU_REST: &str = "terraform {
  backend \"s3\" {
    bucket     = \"STATE\"
    access_key = \"MARK\"
    secret_key = \"MARK\"
  }
}
provider \"p\" {
  token = \"MARK\"
}
locals {
  db_password = \"MARK\"
  part_password = \"MARK${x_y.r0.id}\"
}
variable \"n\" { default = null }
variable \"sens\" {
  sensitive = true
  default   = \"MARK\"
}
variable \"db_password\" {
  default = \"MARK\"
}
variable \"sensobj\" {
  sensitive = true
  default   = { a = { b = [\"MARK\"] } }
}
variable \"obj\" {
  default = { password = \"MARK\" }
}
variable \"from_tfvars\" { sensitive = true }
variable \"from_json\" { sensitive = true }
module \"m\" {
  source   = \"./m\"
  password = \"MARK\"
}
output \"o\" {
  sensitive = true
  value     = \"MARK\"
}
output \"db_password\" {
  value = \"MARK\"
}
";
const JSON_CODE: &str = r#"{"resource": {"x_y": {"json": {"password": "MARK", "env": [{"name": "TOKEN", "value": "MARK"}]}}},
 "variable": {"jv": {"sensitive": true, "default": "MARK"}}, "output": {"jo": {"value": "${var.jv}"}}}
"#;

const GARDEN: &str = "apiVersion: garden.io/v2
kind: Project
name: p
environments: [{name: dev}]
providers:
- {name: exec}
- {name: kubernetes, kubeconfig: a, context: b}
- {name: terraform, variables: {db_password: MARK, state: STATE}}
variables:
  dbPassword: MARK
  copy: ${var.dbPassword}
  joined: 'a-${var.dbPassword}'
  url: 'postgres://u:MARK@h'
  partPassword: 'MARK${local.env.X}'
  part: '${var.partPassword}'
  beside: '${local.env.X} --password=MARK'
varfile: garden.env
";
const GARDEN_ACTIONS: &str = "kind: Run
name: a
type: exec
spec:
  command: [mysql, '--password=MARK', --token, MARK, STATE]
  env: {DB_PASSWORD: MARK, U: '${var.dbPassword}', T: '${var.API_TOKEN}', P: '${var.partPassword}', B: '${var.beside}', C: '${local.env.X} --token MARK'}
---
kind: Deploy
name: k
type: kubernetes
spec:
  manifests:
  - {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {user: MARK}, data: {user: MARK}}
  - {apiVersion: v1, kind: Pod, metadata: {name: STATE}, spec: {containers: [{name: a, env: [{name: DB_PASSWORD, value: MARK}]}]}}
---
kind: Deploy
name: h
type: helm
variables:
  password: \"${var.nosuch || 'MARK'}\"
spec:
  chart: {name: STATE}
  values:
    auth:
      password: |
        MARK
    args: [--api-key, MARK]
---
kind: Run
name: b
type: exec
spec:
  password: \"${join(['MARK'], 1)}\"
  command: [a]
";

const INFRA: &str = "modules:
- name: vpc
  type: infra.vpc
  config:
    state: STATE
    password: MARK
    pass: MARK
    env_vars: {DB_PASSWORD: MARK, A: 'postgres://u:MARK@h'}
    env_vars_secret: {A: MARK}
    env: [{name: TOKEN, value: MARK}]
    args: [--token, MARK]
    command: x --password MARK
- name: refs
  type: infra.vpc
  config:
    state: STATE
    # Findings about references show the lines with the secrets beside them.
    env_vars: {DB_PASSWORD: '${nosuch.id}MARK', TOKEN: 'MARK${gone', B: 'x ${ nope.id } --password=MARK'}
    env_vars_secret: {C: 'MARK $${vpc.id} ${a${b}}'}
    password: 'MARK ${UNSET_NAME} ${vpc.}'
";

/// The files of a system, with `MARK` for each secret and `STATE` for what differs between revisions.
fn files(system: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |path: &str, text: &str| _ = files.insert(path.to_owned(), text.to_owned());
    match system {
        "atmos" => {
            let mut text =
                "vars: {stage: NAME, state: STATE}\ncomponents:\n  terraform:\n    box:\n      vars:\n".to_owned();
            for (i, form) in ATMOS.iter().enumerate() {
                let form = form.replace("LINES", &"line\n".repeat(320)).replace("KEYS", &keys(": v"));
                let _ = writeln!(text, "        v{i}:");
                form.lines().for_each(|line| _ = writeln!(text, "          {line}"));
            }
            add("atmos.yaml", crate::common::ATMOS);
            ["dev", "prod"]
                .iter()
                .for_each(|name| add(&format!("stacks/deploy/{name}.yaml"), &text.replace("NAME", name)));
            for (i, form) in FAILING.iter().enumerate() {
                let stack = format!(
                    "vars: {{stage: e{i}, state: STATE}}\ncomponents: {{terraform: {{box: {{vars: {{v: {{{form}}}}}}}}}}}\n"
                );
                add(&format!("stacks/deploy/e{i}.yaml"), &stack);
            }
        }
        "opentofu" => {
            let mut text = TOFU_REST.to_owned();
            for (i, form) in TOFU.iter().enumerate() {
                let form = form.replace("LINES", &"line\n".repeat(320)).replace("KEYS", &keys(" = 1"));
                let _ = writeln!(text, "resource \"x_y\" \"r{i}\" {{\n  state = \"STATE\"\n{form}\n}}");
            }
            add("main.tf", &text);
            add("more.tf.json", JSON_CODE);
            add("m/main.tf", "variable \"password\" {}\noutput \"out\" {\n  value = var.password\n}\n");
            add("terraform.tfvars", "from_tfvars = \"MARK\"\n");
            add("x.auto.tfvars.json", "{\"from_json\": \"MARK\"}\n");
        }
        "terragrunt" => {
            for (i, form) in TERRAGRUNT.iter().enumerate() {
                add(&format!("t{i}/terragrunt.hcl"), &format!("{form}\n"));
            }
        }
        "garden" => {
            add("project.garden.yml", GARDEN);
            add("actions.garden.yml", GARDEN_ACTIONS);
            add("garden.env", "API_TOKEN=MARK\nPASS=MARK\n");
        }
        _ => add("infra.yaml", INFRA),
    }
    files
}

fn keys(end: &str) -> String {
    (0..60).fold(String::new(), |all, i| format!("{all}  k{i}{end}\n"))
}

/// The stacks of a system with components that are asked about.
fn asked(system: &str) -> Vec<(String, String)> {
    match system {
        "atmos" => (0..FAILING.len())
            .map(|i| (format!("e{i}"), "box".to_owned()))
            .chain([("dev".into(), "box".into())])
            .collect(),
        "opentofu" => {
            (0..TOFU.len()).map(|i| (".".to_owned(), format!("x_y.r{i}"))).chain([(".".into(), "m".into())]).collect()
        }
        "terragrunt" => (0..TERRAGRUNT.len()).map(|i| (".".to_owned(), format!("t{i}"))).collect(),
        "garden" => ["a", "k", "h", "b"].map(|name| ("dev".to_owned(), name.to_owned())).to_vec(),
        _ => ["vpc", "refs"].map(|name| ("default".to_owned(), name.to_owned())).to_vec(),
    }
}

/// Everything that people read about a change of a system, each with the question.
fn said(repo: &Repo, system: &str, paths: &[String]) -> Vec<(String, String)> {
    const CHANGE: &str = "HEAD~1..HEAD";
    let mut questions: Vec<Vec<String>> = Vec::new();
    let mut ask = |question: &[&str]| questions.push(question.iter().map(|word| (*word).to_owned()).collect());
    for format in ["text", "concise", "github", "markdown", "sarif", "gitlab", "junit"] {
        ask(&["check", "--all", "--format", format]);
        ask(&["diff", CHANGE, "--all", "--include-settings", "--format", format]);
    }
    let (all, first) = (asked(system), &asked(system)[0].0);
    for (stack, component) in &all {
        ask(&["why", stack, component, "--all"]);
        ask(&["why", CHANGE, stack, component, "--all"]);
    }
    let (stack, component) = &all[all.len() - 1];
    ask(&["describe", "component", component, "-s", stack]);
    ask(&["describe", "stack", first]);
    ask(&["describe", "stacks", "--format", "text"]);
    ask(&["describe", "locals", "-s", first]);
    paths.iter().for_each(|path| ask(&["impact", path, "--all"]));
    let sides = [format!("HEAD~1:{stack}"), stack.clone()];
    for format in ["text", "markdown"] {
        ask(&["compare", &sides[0], &sides[1], "--all", "--format", format]);
        ask(&["merge", "HEAD~1", "HEAD", "--all", "--format", format]);
    }
    for graph in ["imports", "inheritance", "dependencies", "locals", "references", "modules"] {
        ask(&["graph", graph]);
        ask(&["graph", graph, CHANGE, "--format", "mermaid"]);
    }
    ask(&["report", CHANGE, "--out", "change.html"]);
    ask(&["report", "--out", "state.html"]);
    let run = |question: Vec<String>| {
        let run = repo.run(&question.iter().map(|word| &**word).collect::<Vec<&str>>());
        (question.join(" "), format!("{}{}", run.stdout, run.stderr))
    };
    let mut said: Vec<(String, String)> = questions.into_iter().map(run).collect();
    for page in ["change.html", "state.html"] {
        said.push((page.to_owned(), std::fs::read_to_string(repo.root().join(page)).unwrap()));
    }
    said
}

/// Nothing that is said of a system holds a mark.
fn shows_no_secret(_: &str, system: &str) {
    let repo = Repo::new();
    let files = files(system);
    // Each mark has a number, by which a leak is found.
    let mut places: Vec<String> = Vec::new();
    let mut numbered: BTreeMap<&String, String> = BTreeMap::new();
    for (path, text) in &files {
        let parts: Vec<&str> = text.split("MARK").collect();
        let mut marked = parts[0].to_owned();
        for (before, after) in parts.iter().zip(&parts[1..]) {
            let _ = write!(marked, "zqSTATE{}qz{after}", places.len());
            places.push(format!("{path}: {}", before.lines().last().unwrap_or_default()));
        }
        numbered.insert(path, marked);
    }
    for state in ["ONE", "TWO"] {
        numbered.iter().for_each(|(path, text)| _ = repo.write(path, text.replace("STATE", state)));
        repo.commit(state);
    }
    let paths: Vec<String> = files.into_keys().collect();
    let said = said(&repo, system, &paths);
    let mut leaks = String::new();
    for (number, place) in places.iter().enumerate() {
        let marks = ["ONE", "TWO"].map(|state| format!("zq{state}{number}qz"));
        let shown = said.iter().filter(|(_, text)| marks.iter().any(|mark| text.contains(mark)));
        let shown: Vec<&str> = shown.map(|(question, _)| &**question).collect();
        if !shown.is_empty() {
            let _ = writeln!(leaks, "{place}: {shown:?}");
        }
    }
    assert!(leaks.is_empty(), "{leaks}");
    // The answers are about what is marked.
    assert!(said[1].1.contains("\u{2022}\u{2022}\u{2022}\u{2022}"), "{}", said[1].1);
    let answered =
        said.iter().filter(|(question, text)| question.starts_with("describe stack") && text.contains("••••"));
    assert!(answered.count() > 0, "{system}");
}

cases! {
    shows_no_secret:
    of_atmos => "atmos";
    of_opentofu => "opentofu";
    of_terragrunt => "terragrunt";
    of_garden => "garden";
    of_infra => "infra";
}
