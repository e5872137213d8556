use super::*;

#[test]
fn dependencies_are_named_or_read() {
    let world = World::with(
        "kind: Build\nname: api\ntype: exec\nspec: {command: [b]}\n---\n\
         kind: Deploy\nname: db\ntype: exec\nspec: {deployCommand: [d]}\n---\n\
         kind: Deploy\nname: api\ntype: exec\nbuild: api\ndependencies: [Deploy.db, null]\n\
         spec: {deployCommand: ['${actions.build.api.var.x || 0}', '${runtime.services.db.outputs.url}']}\n---\n\
         kind: Run\nname: x\ntype: exec\nvariables: {n: api}\n\
         spec: {command: ['${false && actions.run.none.name}', '${actions.build[var.n].name}', '${this.name}']}\n",
    );
    assert_eq!(world.dev("deploy.api")["dependsOn"], json!(["build.api", "deploy.db"]));
    assert_eq!(world.dev("deploy.api")["spec"]["deployCommand"], json!([0, "${runtime.services.db.outputs.url}"]));
    assert_eq!(world.dev("run.x")["dependsOn"], json!(["build.api"]));
    assert_eq!(world.command(), json!([false, "api", "x"]));
}

#[test]
fn disabled_actions_say_no_more() {
    let world = World::with(
        "kind: Run\nname: x\ntype: exec\ndisabled: '${var.replicas < 2}'\nspec: {command: ['${var.absent}']}\n---\n\
         kind: Run\nname: y\ntype: exec\nenvironments: [prod]\nspec: {command: [a]}\n",
    );
    assert_eq!(world.dev("run.x"), json!({"type": "exec", "disabled": true}));
    assert_eq!(world.dev("run.y"), json!({"type": "exec", "disabled": true}));
    assert_eq!(world.stacks()["prod"]["run.y"]["disabled"], json!(false));
    assert_eq!(world.findings().len(), 1, "in prod alone");
}

#[test]
fn of_two_actions_of_one_name_one_is_disabled() {
    let action = |stage: &str| {
        format!(
            "kind: Run\nname: x\ntype: exec\ndisabled: \"${{environment.name != '{stage}'}}\"\nspec: {{command: [{stage}]}}\n"
        )
    };
    let world = World::with(&format!("{}---\n{}", action("prod"), action("dev")));
    assert_eq!(world.command(), json!(["dev"]));
    assert_eq!(world.stacks()["prod"]["run.x"]["spec"]["command"], json!(["prod"]));
}

const TEMPLATE: &str = "\
kind: ConfigTemplate
name: svc
inputs:
  port: {type: number}
  host: {type: string, default: localhost}
configs:
  - kind: Run
    type: exec
    name: ${parent.name}-${inputs.port}
    spec:
      command: ['${inputs.host}:${inputs.port}', '${template.name}', '${environment.name}']
";

#[test]
fn templates_render_for_each_combination() {
    let world = World::with(
        "kind: RenderTemplate\nname: web\ntemplate: svc\ninputs: {host: h}\nmatrix: {port: [1, 2], host: ['${var.region}', x]}\n",
    )
    .file("t.garden.yml", &TEMPLATE.replace("${inputs.port}\n", "${inputs.port}-${inputs.host}\n"));
    let all = world.stacks();
    let names: Vec<&String> = all["dev"].as_object().unwrap().keys().filter(|key| key.starts_with("run.")).collect();
    assert_eq!(names, ["run.web-1-eu", "run.web-1-x", "run.web-2-eu", "run.web-2-x"]);
    let action = world.dev("run.web-2-eu");
    assert_eq!(action["spec"]["command"], json!(["eu:2", "svc", "dev"]));
    assert_eq!(action["inputs"], json!({"host": "eu", "port": 2}));
}

#[test]
fn inputs_must_fit() {
    let world = World::with("kind: RenderTemplate\nname: web\ntemplate: svc\ninputs: {port: '80', more: 1}\n")
        .file("t.garden.yml", &TEMPLATE.replace("${inputs.port}\n", "x\n"));
    let findings = world.findings();
    assert!(findings.iter().all(|f| f.starts_with("schema-violation a/garden.yml:4")), "{findings:#?}");
    assert_eq!(findings.len(), 2, "{findings:#?}");
}

#[test]
fn providers_are_merge_patches() {
    let project = PROJECT.replace(
        "  - name: exec\n",
        "  - {name: local-kubernetes, a: 1, list: [1, 2], gone: x}\n  - {name: local-kubernetes, environments: [prod], a: 2}\n  \
         - {name: local-kubernetes, list: [3], gone: null, env: '${environment.name}'}\n",
    );
    let world = World::of(&project);
    let provider = world.dev("provider.local-kubernetes");
    assert_eq!(provider, json!({"name": "local-kubernetes", "a": 1, "list": [3], "env": "dev"}));
    assert_eq!(world.stacks()["prod"]["provider.local-kubernetes"]["a"], json!(2));
}

#[test]
fn workflows_read_earlier_steps() {
    let world = World::with(
        "kind: Workflow\nname: ci\nsteps:\n  - {name: a, script: 'echo ${var.stage}'}\n  - {script: 'x ${steps.a.log}', skip: '${var.replicas > 2}'}\n",
    );
    let steps = world.dev("workflow.ci")["steps"].clone();
    assert_eq!(steps[0]["script"], json!("echo dev"));
    assert_eq!(steps[1], json!({"name": "step-2", "script": "x ${steps.a.log}", "skip": false, "when": "onSuccess"}));
    assert_eq!(world.stacks()["prod"]["workflow.ci"]["steps"][1]["skip"], json!(true));
}
