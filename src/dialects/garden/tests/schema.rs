use super::*;

/// Findings of a project with some fields, or with actions.
fn found(project: &str, actions: &str) -> Vec<String> {
    World::of(&format!("{PROJECT}{project}")).file("a/garden.yml", actions).findings()
}

#[test]
fn fields_of_actions_are_checked_as_garden_checks_them() {
    let run = |fields: &str| format!("kind: Run\nname: x\ntype: exec\n{fields}\nspec: {{command: [a]}}\n");
    for (fields, message) in [
        ("description: ''", "`description` of run.x must be a string that is not empty"),
        ("description: null", "`description` of run.x must be a string, not a null"),
        ("description: '${var.nothing}'", "`description` of run.x must be a string, not a null"),
        ("include: ['../a']", "`include.0` of run.x must be a relative path without `..`, in the characters of a URL"),
        ("source: {path: a b}", "`source.path` of run.x must be a relative path without wildcards"),
        (
            "source: {repository: {url: 'https://example.com/a'}}",
            "must be the address of a Git repository with a branch",
        ),
        ("timeout: 0", "`timeout` of run.x must be a whole number of at least 1"),
        ("timeout: 1.5", "`timeout` of run.x must be a whole number of at least 1"),
        ("logLevel: loud", "must be one of error, warn, info, verbose, debug, silly, silent"),
        ("version: {excludeFields: [[1]]}", "`version.excludeFields.0.0` of run.x must be a string, not a number"),
        ("version: {excludeDependencies: [api]}", "must be the kind and the name of an action, like `build.api`"),
        ("variables: text", "`variables` of run.x must be a mapping, not a string"),
        ("$merge: {}", "`$merge` is not a key of run.x: keys are"),
    ] {
        let findings = World::of(&PROJECT.replace("region: eu}", "region: eu, nothing: null, m: {}}"))
            .file("a/garden.yml", &run(fields))
            .findings();
        assert!(
            findings.iter().any(|f| f.starts_with("invalid-config a/garden.yml:") && f.contains(message)),
            "{fields}: {findings:#?}"
        );
    }
    for fields in [
        "timeout: '5'",
        "disabled: 'false'",
        "include: ['**/*.yml', null]",
        "dependencies: [{kind: Run, name: y, as: z}]",
        "variables: ''",
    ] {
        let other = "---\nkind: Run\nname: y\ntype: exec\nspec: {command: [a]}\n";
        assert_eq!(found("", &(run(fields) + other)), [] as [String; 0], "{fields}");
    }
}

#[test]
fn specs_of_known_types_are_checked() {
    let project = PROJECT.replace("providers:\n", "providers:\n  - {name: local-kubernetes, context: x}\n");
    for (kind, of_type, spec, message) in [
        (
            "Deploy",
            "exec",
            "{deployCommand: [a], logsCommand: [b]}",
            "`logsCommand` is not a key of the spec of deploy.x",
        ),
        (
            "Run",
            "exec",
            "{command: [a], shell: 'true'}",
            "`shell` of the spec of run.x must be a boolean, not a string",
        ),
        ("Deploy", "exec", "{deployCommand: [a, null]}", "`deployCommand.1` of the spec of deploy.x must be a string"),
        ("Run", "exec", "{command: [a], env: {garden_x: b}}", "must be the name of an environment variable"),
        ("Build", "container", "{dockerfile: 1}", "`dockerfile` of the spec of build.x must be a string"),
        (
            "Deploy",
            "container",
            "{image: a, ports: [{name: h, containerPort: 1}, {name: h, containerPort: 2}]}",
            "has two items with the `name` `h`",
        ),
        (
            "Deploy",
            "container",
            "{image: a, healthCheck: {tcpPort: a, command: [b]}}",
            "needs one of httpGet, command, tcpPort, and only one",
        ),
        ("Deploy", "kubernetes", "{files: [a.yml]}", "`files` is not a key of the spec of deploy.x"),
        (
            "Deploy",
            "kubernetes",
            "{manifests: [{kind: ConfigMap}]}",
            "`manifests.0` of the spec of deploy.x lacks the required key `apiVersion`",
        ),
        ("Deploy", "kubernetes", "{defaultTarget: {name: a}}", "needs one of kind, podSelector, and only one"),
        ("Deploy", "helm", "{chart: {path: a, version: '1'}}", "must not have both path and version"),
        ("Test", "helm-pod", "{chart: {path: a}}", "needs one of resource, podSpec, and only one"),
        ("Deploy", "kubernetes", "text", "the spec of deploy.x must be a mapping, not a string"),
    ] {
        let action = format!("kind: {kind}\nname: x\ntype: {of_type}\nspec: {spec}\n");
        let findings = World::of(&project).file("a/garden.yml", &action).findings();
        assert!(
            findings.iter().any(|f| f.starts_with("invalid-config") && f.contains(message)),
            "{action}{findings:#?}"
        );
    }
    // A plugin drops what an `$if` leaves without a value; `exec` rejects it.
    let env = "env: {A: {$if: false, $then: b}, B: c}";
    let run = |of_type: &str, spec: &str| format!("kind: Run\nname: x\ntype: {of_type}\nspec: {{{spec}, {env}}}\n");
    let found = |action: String| World::of(&project).file("a/garden.yml", &action).findings();
    let is_refused = |finding: &String| finding.contains("`env.A` of the spec of run.x must be a string");
    assert!(!found(run("container", "image: a")).iter().any(is_refused));
    assert!(found(run("exec", "command: [a]")).iter().any(is_refused));
    // What a plugin of another version may take is still compared.
    let odd = "kind: Deploy\nname: x\ntype: kubernetes\nspec: {files: [a.yml]}\n";
    let odd = World::of(&project.replace("context: x", "context: [x]")).file("a/garden.yml", odd);
    assert_eq!(odd.dev("deploy.x")["spec"], json!({"files": ["a.yml"]}));
    assert_eq!(odd.findings().len(), 2, "{:#?}", odd.findings());
    let good = "kind: Deploy\nname: x\ntype: helm\nspec:\n  chart: {name: redis, repo: 'https://example.com', version: '1'}\n  \
                values: {a: [1, {b: null}]}\n  portForwards: [{resource: deployment/x, targetPort: 80}]\n";
    assert_eq!(World::of(&project).file("a/garden.yml", good).findings(), [] as [String; 0]);
    // Plugins before Garden 0.14 had other fields.
    let old = project.replace("garden.io/v2", "garden.io/v1");
    let files = "apiVersion: garden.io/v1\nkind: Deploy\nname: x\ntype: kubernetes\nspec: {files: [a.yml]}\n";
    let findings = World::of(&old).file("a/garden.yml", files).findings();
    assert!(findings.iter().all(|f| f.contains("Garden 0.14 does not load it")), "{findings:#?}");
}

#[test]
fn of_very_many_mistakes_some_are_told() {
    let keys: String = (0..80).map(|i| format!("k{i}: 1, ")).collect();
    let findings = found("", &format!("kind: Run\nname: x\ntype: exec\nspec: {{{keys}command: [a]}}\n"));
    assert_eq!(findings.len(), 50);
    assert!(findings[49].contains("the spec of run.x has more mistakes than are told"), "{}", findings[49]);
}

#[test]
fn fields_of_projects_are_checked_as_garden_checks_them() {
    for (fields, message) in [
        ("scan: {include: '${local.env.X}'}\n", "`scan.include` of a project must not be a template or an operator"),
        ("scan: {git: {mode: fast}}\n", "`scan.git.mode` of a project must be one of repo, subtree"),
        ("dotIgnoreFile: a/b\n", "`dotIgnoreFile` of a project must be the name of a file"),
        (
            "defaultEnvironment: stage\n",
            "there is no environment `stage` to be the default: environments are dev, prod",
        ),
        (
            "importVariables: [{from: file, path: a.yml}]\n",
            "`importVariables.0` of a project lacks the required key `format`",
        ),
        (
            "importVariables: [{from: vault}]\n",
            "`from` of `importVariables.0` of a project must be one of garden-cloud, file, exec",
        ),
        (
            "outputs: [{name: a, value: [1]}]\n",
            "`outputs.0.value` of a project must be a string or a number or a boolean",
        ),
        ("sources: [{name: a, repositoryUrl: b}]\n", "must be the address of a Git repository"),
        ("sources: '${var.region}'\n", "`sources` of the project must be a list, not a string"),
        ("zzz: 1\n", "`zzz` is not a key of a project: keys are"),
    ] {
        let findings = found(fields, "");
        assert!(findings.len() == 1 && findings[0].contains(message), "{fields}: {findings:#?}");
    }
    let environment = PROJECT.replace("name: prod\n", "name: prod\n    production: '${var.region}'\n");
    let findings = World::of(&environment).findings();
    let message = "`production` of the environment `prod` must be a boolean, not a string";
    assert!(findings.len() == 1 && findings[0].contains(message), "{findings:#?}");
    let provider = PROJECT.replace("- name: exec", "- {name: exec, initScript: 5}");
    let findings = World::of(&provider).findings();
    assert!(findings.len() == 1 && findings[0].contains("`initScript` of the provider `exec`"), "{findings:#?}");
    for (provider, message) in [
        ("{name: kubernetes}", "the provider `kubernetes` lacks the required key `context`"),
        ("{name: kubernetes, context: x, buildMode: fast}", "must be one of local-docker, kaniko, cluster-buildkit"),
        (
            "{name: local-kubernetes, namespace: {labels: [a]}}",
            "`namespace.labels` of the provider `local-kubernetes` must be a mapping",
        ),
    ] {
        let findings = World::of(&PROJECT.replace("- name: exec", &format!("- {provider}"))).findings();
        assert!(findings.len() == 1 && findings[0].contains(message), "{findings:#?}");
    }
    let later = PROJECT.replace("- name: exec", "- {name: kubernetes, context: '${local.env.X}', later: 1}");
    assert_eq!(World::of(&later).findings(), [] as [String; 0]);
    // A file to import that is not there is none; an output may be a template.
    for fields in [
        "importVariables: [{from: file, path: none.yml, format: yaml}]\n",
        "outputs: [{name: '${var.region}', value: '${var.region}'}]\n",
        "disableCloudLogs: true\ndefaultEnvironment: ''\n",
    ] {
        assert_eq!(found(fields, ""), [] as [String; 0], "{fields}");
    }
}

#[test]
fn workflows_templates_and_modules_are_checked() {
    let template = |fields: &str| {
        format!("kind: ConfigTemplate\nname: t\n{fields}\n---\nkind: RenderTemplate\nname: r\ntemplate: t\n")
    };
    let module = |fields: &str| format!("kind: Module\nname: m\ntype: exec\n{fields}\n");
    for (text, message) in [
        (
            "kind: Workflow\nname: w\nsteps: [{script: a, name: 1}]\n".to_owned(),
            "`steps.0.name` of the workflow `w` must be a string",
        ),
        (
            "kind: Workflow\nname: w\nsteps: [{script: a}]\nfiles: [{path: a}]\n".to_owned(),
            "needs one of data, secretName, and only one",
        ),
        (
            "kind: Workflow\nname: w\nsteps: [{script: a}]\ntriggers: '${var.region}'\n".to_owned(),
            "must not be a template",
        ),
        (template("configs: text"), "`configs` of the template `t` must be a list"),
        (template("configs: [text]"), "a config of the template `t` must be a mapping"),
        (template("inputs: {a: {type: text}}\nconfigs: []"), "must be one of string, number, boolean"),
        (module("tasks: [{name: a}]"), "`tasks.0` of the module `m` lacks the required key `command`"),
        (module("build: {timeout: 0}"), "must be a whole number of at least 1"),
        (module("varfile: none.env"), "the variable file `none.env` does not exist"),
    ] {
        let findings = World::with(&text).findings();
        assert!(findings.iter().any(|f| f.contains(message)), "{text}{findings:#?}");
    }
    // Workflows may have keys of later versions, and templates no name where they are rendered.
    for text in [
        "kind: Module\nname: m\ntype: exec\nbuild: {dependencies: null}\n".to_owned(),
        "kind: Workflow\nname: w\nlater: 1\nsteps: [{script: a}]\n".to_owned(),
        "kind: ConfigTemplate\nname: t\nconfigs: []\n---\nkind: RenderTemplate\ntemplate: t\n".to_owned(),
    ] {
        assert_eq!(World::with(&text).findings(), [] as [String; 0], "{text}");
    }
}
