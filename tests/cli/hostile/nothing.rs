//! Proves that nothing is executed: the system calls of a run in a repository full of temptations.
#![cfg(target_os = "linux")]

use super::{DEV, project};
use crate::common::{Repo, bin};
use serde_json::json;
use std::process::{Command, Stdio};

/// Everything that the deployment tool would run or fetch.
const TEMPTING: &str = r#"import:
- git::https://example.invalid/acme/stacks.git//catalog/vpc.yaml?ref=1.2.0
- https://example.invalid/x.yaml
- {path: "s3::https://example.invalid/b/k", skip_if_missing: true}
vars: {stage: bad}
components:
  terraform:
    bad:
      vars:
        exec: !exec touch executed
        output: !terraform.output vpc id
        state: !terraform.state vpc id
        store: !store ssm vpc id
        get: !store.get ssm key
        env: !env HOME
        cwd: !cwd
        root: !repo-root
        include: !include https://example.invalid/x.yaml
        aws: !aws.account_id
        datasource: '{{ (datasource "web").a }}'
        component: '{{ (atmos.Component "vpc" .stack).outputs.id }}'
        environment: '{{ env "HOME" }}{{ getenv "HOME" }}'
        time: '{{ now }}{{ uuidv4 }}'
        net: '{{ net.LookupIP "example.invalid" }}'
        file: '{{ file.Read "/etc/passwd" }}'
        shell: '{{ exec "touch" "executed" }}'
"#;

const CONFIG: &str = r#"import: [https://example.invalid/atmos.yaml]
base_path: !exec touch executed
stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}
components: {terraform: {base_path: components/terraform}}
templates:
  settings:
    enabled: true
    sprig: {enabled: true}
    gomplate: {enabled: true, datasources: {web: {url: "https://example.invalid/"}}}
vendor: {base_path: vendor.yaml}
hooks: {pre: {command: touch executed}}
"#;

/// Returns the system calls of a run, from `strace`; `None` without `strace`.
pub(super) fn traced(repo: &Repo, arguments: &[&str]) -> Option<Vec<String>> {
    traced_with(repo, arguments, Stdio::null())
}

/// The same with something on standard input.
fn traced_with(repo: &Repo, arguments: &[&str], input: Stdio) -> Option<Vec<String>> {
    let log = repo.beside("strace.log");
    let traced = "trace=execve,execveat,socket,connect,fork,vfork,open,openat,openat2,creat,unlink,unlinkat,rename,\
                  renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,truncate,ftruncate";
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "300", "-e", traced, "-o"]).arg(&log).arg(bin()).args(arguments);
    command.current_dir(repo.root()).env("HOME", "/nonexistent").stdin(input);
    match command.output() {
        Err(_) => None,
        Ok(output) if !log.exists() || std::fs::metadata(&log).unwrap().len() == 0 => {
            assert!(std::env::var_os("CI").is_none(), "strace cannot trace here: {output:?}");
            None
        }
        Ok(output) => {
            assert!(output.status.code().is_some_and(|code| code <= 3), "{output:?}");
            Some(std::fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect())
        }
    }
}

/// The commands that review a change do nothing but write their report.
fn reviews_do_nothing(repo: &Repo) {
    for arguments in [
        &["check"][..],
        &["diff", "HEAD~1..HEAD"],
        &["diff", "HEAD~1..HEAD", "--format", "affected"],
        &["ci", "--base", "HEAD~1"],
        &["merge", "HEAD~1", "HEAD"],
        &["describe", "stacks", "--format", "json"],
        &["graph", "dependencies"],
        &["graph", "imports"],
        &["compare", "HEAD~1:.", "HEAD:."],
        &["diff", "HEAD~1..HEAD", "--expect", "none"],
        &["diff", "HEAD~1..HEAD", "--format", "matrix"],
    ] {
        does_nothing(repo, arguments, &[]);
        assert!(!repo.root().join("executed").exists(), "{arguments:?}");
    }
}

/// Nothing is run, no socket is made, nothing is written but below one of these paths.
pub(super) fn does_nothing(repo: &Repo, arguments: &[&str], written: &[&str]) {
    match traced(repo, arguments) {
        None => crate::common::skipped("there is no strace that can trace here"),
        Some(calls) => are_harmless(&calls, arguments, written),
    }
}

fn are_harmless(calls: &[String], arguments: &[&str], written: &[&str]) {
    let is = |line: &&String, name: &str| {
        line.split_whitespace().nth(1).is_some_and(|call| call.starts_with(&format!("{name}(")))
    };
    let started = calls.iter().filter(|l| is(l, "execve") || is(l, "execveat")).count();
    assert_eq!(started, 1, "{arguments:?}: {:#?}", calls.iter().filter(|l| l.contains("execve")).collect::<Vec<_>>());
    assert!(calls.iter().any(|l| is(&l, "openat")), "nothing was traced");
    for line in calls {
        for call in ["socket", "connect", "fork", "vfork"] {
            assert!(!is(&line, call), "{arguments:?}: {line}");
        }
        let opens = ["open", "openat", "openat2"].iter().any(|call| is(&line, call));
        let writes =
            opens && ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].iter().any(|flag| line.contains(flag));
        let changes = [
            "creat",
            "unlink",
            "rename",
            "mkdir",
            "rmdir",
            "link",
            "symlink",
            "chmod",
            "fchmod",
            "truncate",
            "ftruncate",
        ]
        .iter()
        .any(|call| is(&line, call) || is(&line, &format!("{call}at")) || is(&line, &format!("{call}at2")));
        if writes || changes {
            assert!(written.iter().any(|path| line.contains(path)), "{arguments:?}: {line}");
        }
    }
}

#[test]
fn nothing_is_run_fetched_or_written() {
    let repo = project(&[("atmos.yaml", CONFIG), ("stacks/deploy/bad.yaml", TEMPTING)]);
    repo.write(
        "components/terraform/bad/main.tf",
        "module \"x\" { source = \"git::https://example.invalid/x.git\" }\n",
    );
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("head");
    repo.git(&["config", "remote.origin.url", "https://example.invalid/x.git"]);
    for name in ["post-checkout", "pre-commit", "post-index-change"] {
        repo.write(&format!(".git/hooks/{name}"), "#!/bin/sh\ntouch executed\n")
            .executable(&format!(".git/hooks/{name}"));
    }
    repo.git(&["config", "core.fsmonitor", "touch executed"]);
    repo.git(&["config", "core.pager", "touch executed"]);
    repo.git(&["config", "diff.external", "touch executed"]);
    repo.git(&["config", "filter.x.clean", "touch executed"]);
    repo.git(&["config", "filter.x.process", "touch executed"]);
    repo.write(".gitattributes", "* filter=x\n");
    let _ = std::fs::remove_file(repo.root().join("executed"));
    for arguments in [
        &["check"][..],
        &["check", "--staged"],
        &["check", "--rev", "HEAD"],
        &["check", "--diff"],
        &["diff", "HEAD~1..HEAD"],
        &["ci", "--base", "HEAD~1"],
        &["merge", "HEAD~1", "HEAD"],
        &["diff"],
        &["describe", "stacks", "--format", "json"],
        &["describe", "locals", "-s", "dev"],
        &["config"],
        &["hook", "run"],
    ] {
        does_nothing(&repo, arguments, &[]);
    }
    assert!(!repo.root().join("executed").exists());
    let report = repo.beside("report.sarif");
    let folder = repo.root().parent().unwrap().to_str().unwrap();
    let output = format!("sarif={}", report.display());
    // The report, and what it is before it has its name.
    let beside = format!("{folder}/.stacklint-");
    does_nothing(&repo, &["check", "--output", &output], &[&beside]);
    assert!(report.exists());
}

/// A unit that would run commands and fetch code whenever the real tool reads or runs it.
const UNIT: &str = r#"locals {
  run     = run_cmd("touch", "executed")
  account = get_aws_account_id()
  secret  = sops_decrypt_file("secret.yaml")
  env     = get_env("HOME", "none")
  here    = get_platform()
}
terraform {
  source = "git::https://example.invalid/modules.git//app?ref=v1"
  before_hook "run" {
    commands = ["init", "plan"]
    execute  = ["touch", "executed"]
  }
  error_hook "run" {
    commands  = ["plan"]
    execute   = ["touch", "executed"]
    on_errors = [".*"]
  }
  extra_arguments "all" {
    commands  = ["plan"]
    arguments = ["-var-file=https://example.invalid/x.tfvars"]
  }
}
dependency "net" {
  config_path = "../net"
}
generate "provider" {
  path      = "provider.tf"
  if_exists = "overwrite"
  contents  = run_cmd("touch", "executed")
}
remote_state {
  backend = "s3"
  config  = { bucket = run_cmd("touch", "executed"), key = "k", region = "eu" }
}
inputs = {
  id = dependency.net.outputs.id
}
"#;

#[test]
fn units_run_no_commands_and_fetch_nothing() {
    let repo = Repo::new();
    repo.write("live/app/terragrunt.hcl", UNIT)
        .write("live/net/terragrunt.hcl", "terraform {\n  source = \"../../modules/net\"\n}\n");
    let code = "data \"external\" \"x\" {\n  program = [\"touch\", \"executed\"]\n}\nresource \"null_resource\" \"x\" {\n  \
                provisioner \"local-exec\" {\n    command = \"touch executed\"\n  }\n}\nmodule \"m\" {\n  \
                source = \"git::https://example.invalid/x.git\"\n}\noutput \"id\" {\n  value = 1\n}\n";
    repo.write("modules/net/main.tf", code);
    let stack = "unit \"far\" {\n  source = \"git::https://example.invalid/units.git//app?ref=v1\"\n  path = \"far\"\n  values = { a = run_cmd(\"touch\", \"executed\") }\n}\n";
    repo.write("live/dev/terragrunt.stack.hcl", stack).commit("base");
    repo.edit("live/app/terragrunt.hcl", "\"k\"", "\"l\"").commit("head");
    reviews_do_nothing(&repo);
}

/// The language server, which has the same files open.
#[test]
fn a_language_server_runs_and_fetches_nothing() {
    let repo = project(&[("atmos.yaml", CONFIG), ("stacks/deploy/bad.yaml", TEMPTING)]);
    let (root, path) = (format!("file://{}", repo.root().display()), "stacks/deploy/bad.yaml");
    let document = json!({"uri": format!("{root}/{path}"), "languageId": "yaml", "version": 1, "text": TEMPTING});
    let at = json!({"textDocument": {"uri": format!("{root}/{path}")}, "position": {"line": 8, "character": 12}});
    let folders = json!([{"uri": root, "name": "repo"}]);
    let messages = [
        json!({"id": 1, "method": "initialize", "params": {"capabilities": {}, "workspaceFolders": folders}}),
        json!({"method": "initialized", "params": {}}),
        json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}),
        json!({"id": 2, "method": "textDocument/hover", "params": at}),
        json!({"id": 3, "method": "textDocument/definition", "params": at}),
        json!({"id": 4, "method": "shutdown"}),
        json!({"method": "exit"}),
    ];
    let framed = messages.map(|mut message| {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    });
    let input = repo.beside("messages");
    std::fs::write(&input, framed.concat()).unwrap();
    let Some(calls) = traced_with(&repo, &["lsp"], std::fs::File::open(&input).unwrap().into()) else {
        return crate::common::skipped("there is no strace that can trace here");
    };
    assert!(
        calls.iter().any(|call| call.contains("vars") || call.contains("stacks")),
        "it read the project: {calls:#?}"
    );
    are_harmless(&calls, &["lsp"], &[]);
    assert!(!repo.root().join("executed").exists());
}

/// A root module with everything that a plan would run or fetch.
const ROOT: &str = r#"terraform {
  backend "http" { address = "https://example.invalid" }
  required_providers { aws = { source = "example.invalid/a/aws" } }
}
data "external" "e" { program = ["touch", "executed"] }
data "http" "h" { url = "https://example.invalid" }
module "r" { source = "git::https://example.invalid/x.git?ref=v1" }
module "l" { source = "/etc" }
resource "null_resource" "n" {
  triggers = { a = file("/etc/passwd"), b = 1, c = fileset("/etc", "*") }
  provisioner "local-exec" { command = "touch executed" }
}
"#;

/// A project of Garden that fetches and runs as soon as a command resolves it.
const PROJECT: &str = r#"apiVersion: garden.io/v1
kind: Project
name: p
environments: [{name: dev}]
providers: [{name: exec, initScript: "touch executed"}]
sources: [{name: r, repositoryUrl: "https://example.invalid/x.git#main"}]
importVariables: [{from: exec, command: ["touch", "executed"]}]
"#;
const ACTIONS: &str = r#"kind: Deploy
type: exec
name: d
source: {repository: {url: "https://example.invalid/x.git#v1"}}
spec: {deployCommand: ["touch", "executed"], statusCommand: ["touch", "executed"]}
---
kind: Run
type: exec
name: r
spec: {command: ["sh", "-c", "touch executed"], b: 1}
"#;

const INFRA: &str = r#"imports: [https://example.invalid/x.yaml]
modules:
  - {name: m, type: infra.vpc, config: {b: 1, home: "${HOME}", env_vars: {p: "${db.url}"}}}
  - {name: s, type: step.shell, config: {command: touch executed}}
"#;

#[test]
fn no_system_runs_or_fetches_anything_for_a_change() {
    for files in [
        &[("main.tf", ROOT)][..],
        &[("garden.yml", ACTIONS), ("project.garden.yml", PROJECT)],
        &[("infra.yaml", INFRA)],
    ] {
        let repo = Repo::new();
        files.iter().for_each(|(path, text)| {
            repo.write(path, text);
        });
        repo.commit("base");
        let (edited, text) = files[0];
        repo.write(edited, text.replace("b = 1", "b = 2").replace("b: 1", "b: 2")).commit("head");
        reviews_do_nothing(&repo);
    }
}
