//! Mistakes planted into good projects of different make: each must be found in all of them, and nothing must be found
//! before.

use crate::common::Repo;

/// A project: files, and what is replaced to plant a mistake.
struct Tree {
    files: &'static [(&'static str, &'static str)],
}

const CODE: [(&str, &str); 2] = [
    (
        "components/terraform/vpc/main.tf",
        "terraform {\n  required_version = \">= 1.5\"\n}\nvariable \"name\" {\n  type = string\n}\n\
         variable \"zones\" {\n  type    = list(string)\n  default = []\n}\noutput \"vpc_id\" {\n  value = \"vpc-${var.name}\"\n}\n",
    ),
    (
        "components/terraform/db/variables.tf",
        "variable \"network\" {\n  type = string\n}\nvariable \"size\" {\n  type    = number\n  default = 1\n}\noutput \"url\" {\n  value = var.network\n}\n",
    ),
];

/// Everything in one file, names by a pattern.
const PLAIN: Tree = Tree {
    files: &[
        (
            "atmos.yaml",
            "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n\
             components: {terraform: {base_path: components/terraform}}\n",
        ),
        (
            "stacks/deploy/dev.yaml",
            "vars: {stage: dev}\nterraform:\n  backend_type: s3\n  backend:\n    s3: {bucket: states, key: t.tfstate}\ncomponents:\n  terraform:\n    \
             vpc:\n      metadata: {component: vpc}\n      vars:\n        name: main\n        zones: [a]\n    db:\n      metadata: {component: db}\n      vars:\n        \
             network: !terraform.state vpc vpc_id\n        size: 2\n      dependencies:\n        components:\n        - component: vpc\n",
        ),
    ],
};

/// A catalog with base components, names by a template, several stacks, the older notation of dependencies.
const LAYERED: Tree = Tree {
    files: &[
        (
            "atmos.yaml",
            "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_template: '{{ .vars.tenant }}-{{ .vars.stage }}'}\n\
             components: {terraform: {base_path: components/terraform}}\ntemplates: {settings: {enabled: true, sprig: {enabled: true}}}\n",
        ),
        (
            "stacks/catalog/base.yaml",
            "terraform:\n  backend_type: s3\n  backend:\n    s3: {bucket: states, key: t.tfstate}\ncomponents:\n  terraform:\n    vpc/defaults:\n      \
             metadata: {type: abstract, component: vpc}\n      vars:\n        name: main\n        zones: [a]\n    db/defaults:\n      metadata: {type: abstract, component: db}\n      \
             vars:\n        network: !terraform.output vpc vpc_id\n        size: 2\n      settings:\n        depends_on:\n          1:\n            component: vpc\n",
        ),
        (
            "stacks/catalog/network.yaml",
            "import: [catalog/base]\ncomponents:\n  terraform:\n    vpc:\n      metadata: {component: vpc, inherits: [vpc/defaults]}\n    db:\n      \
             metadata: {component: db, inherits: [db/defaults]}\n",
        ),
        ("stacks/deploy/acme/dev.yaml", "import: [catalog/network]\nvars: {tenant: acme, stage: dev}\n"),
        ("stacks/deploy/acme/prod.yaml", "import: [catalog/network]\nvars: {tenant: acme, stage: prod}\n"),
    ],
};

/// Another root, code in nested folders, templates that ask for components.
const NESTED: Tree = Tree {
    files: &[
        (
            "infra/atmos.yaml",
            "base_path: .\nstacks: {base_path: stacks, included_paths: ['**/*'], excluded_paths: ['**/_*'], name_pattern: '{tenant}-{stage}'}\n\
             components: {terraform: {base_path: ../components/terraform}}\ntemplates: {settings: {enabled: true, gomplate: {enabled: true}, sprig: {enabled: true}}}\n",
        ),
        (
            "infra/stacks/_network.yaml",
            "terraform:\n  backend_type: s3\n  backend:\n    s3:\n      bucket: states\n      key: t.tfstate\ncomponents:\n  terraform:\n    vpc:\n      metadata:\n        component: vpc\n      vars:\n        name: main\n        zones: [a]\n",
        ),
        (
            "infra/stacks/dev.yaml",
            "import: [_network]\nvars: {tenant: acme, stage: dev}\ncomponents:\n  terraform:\n    db:\n      metadata: {component: db}\n      vars:\n        \
             network: '{{ (atmos.Component \"vpc\" .stack).outputs.vpc_id }}'\n        size: 2\n      dependencies:\n        components:\n        - name: vpc\n          stack: acme-dev\n",
        ),
    ],
};

impl Tree {
    /// The findings of one rule, after a text was replaced wherever it occurs.
    #[track_caller]
    fn findings(&self, rule: &str, from: &str, to: &str) -> Vec<String> {
        let repo = Repo::new();
        let mut replaced = 0;
        for (path, text) in self.files.iter().chain(&CODE) {
            replaced += usize::from(!from.is_empty() && text.contains(from));
            repo.write(path, if from.is_empty() { (*text).to_owned() } else { text.replace(from, to) });
        }
        assert!(from.is_empty() || replaced > 0, "no {from:?}");
        let folder = if self.files.iter().any(|f| f.0 == "infra/atmos.yaml") { "infra" } else { "." };
        let run = repo.run_in(folder, &["check", "--format", "concise"]);
        assert!(run.status < 2, "{run}");
        let all = run.stdout.lines().map(str::to_owned);
        all.filter(|l| rule.is_empty() || l.contains(&format!("[{rule}]"))).collect()
    }
}

const TREES: [(&str, Tree); 3] = [("plain", PLAIN), ("layered", LAYERED), ("nested", NESTED)];

#[test]
fn nothing_is_found_in_good_projects() {
    for (name, tree) in TREES {
        assert_eq!(tree.findings("", "", ""), [""; 0], "{name}");
    }
}

/// A rule, what is replaced in each tree by what, and a part of its one finding.
type Planted = (&'static str, [(&'static str, &'static str); 3], &'static str);

#[test]
fn planted_mistakes_are_found_wherever_they_are() {
    let cases: [Planted; 12] = [
        (
            "missing-component-directory",
            [
                ("component: db}", "component: bd}"),
                ("component: db, ", "component: bd, "),
                ("component: db}", "component: bd}"),
            ],
            "there is no folder `components/terraform/bd`",
        ),
        (
            "undeclared-variable",
            [("size: 2", "siez: 2"), ("size: 2", "siez: 2"), ("size: 2", "siez: 2")],
            "`siez` is no variable of `components/terraform/db`",
        ),
        (
            "missing-required-variable",
            [("        name: main\n", ""), ("        name: main\n", ""), ("        name: main\n", "")],
            "gives no value to `name`",
        ),
        (
            "variable-type-mismatch",
            [("zones: [a]", "zones: a"), ("zones: [a]", "zones: a"), ("zones: [a]", "zones: a")],
            "a string is not a `list(string)`",
        ),
        (
            "shared-state-address",
            [
                ("key: t.tfstate", "key: t.tfstate, workspace_key_prefix: all"),
                ("key: t.tfstate", "key: t.tfstate, workspace_key_prefix: all"),
                ("key: t.tfstate\n", "key: t.tfstate\n      workspace_key_prefix: all\n"),
            ],
            "`db` and `vpc` keep their state in one object",
        ),
        (
            "invalid-backend",
            [("bucket: states, ", ""), ("bucket: states, ", ""), ("      bucket: states\n", "")],
            "the backend `s3` has no `bucket`",
        ),
        (
            "undefined-dependency",
            [
                ("- component: vpc", "- component: vcp"),
                ("            component: vpc\n", "            component: vcp\n"),
                ("name: vpc\n", "name: vcp\n"),
            ],
            "`db` depends on `vcp`, which is not a component of stack",
        ),
        (
            "undefined-component-reference",
            [("vpc vpc_id", "vcp vpc_id"), ("vpc vpc_id", "vcp vpc_id"), ("\"vpc\"", "\"vcp\"")],
            "of `db` reads from `vcp`, which is not a component of stack",
        ),
        (
            "undefined-output",
            [("vpc vpc_id", "vpc vpc_ip"), ("vpc vpc_id", "vpc vpc_ip"), ("outputs.vpc_id", "outputs.vpc_ip")],
            "`vpc_ip` is no output of `components/terraform/vpc`",
        ),
        (
            "dependency-cycle",
            [
                ("        zones: [a]\n", "      dependencies: {components: [{component: db}]}\n"),
                ("        zones: [a]\n", "      settings: {depends_on: {1: {component: db}}}\n"),
                ("        zones: [a]\n", "      dependencies: {components: [{component: db, stack: acme-dev}]}\n"),
            ],
            "components need each other: `db` → `vpc` → `db`",
        ),
        (
            "reference-cycle",
            [
                ("name: main\n", "name: !terraform.state db url\n"),
                ("name: main\n", "name: !terraform.state db .url\n"),
                ("name: main\n", "name: '{{ (atmos.Component \"db\" .stack).outputs.url }}'\n"),
            ],
            "components need each other: `db` → `vpc` → `db`",
        ),
        (
            "component-validation",
            [(
                "        zones: [a]\n",
                "      settings: {validation: {shape: {schema_type: opa, schema_path: nowhere.rego}}}\n",
            ); 3],
            "names a file that does not exist: nowhere.rego",
        ),
    ];
    for (rule, replacements, want) in cases {
        for ((name, tree), (from, to)) in TREES.iter().zip(replacements) {
            let found = tree.findings(rule, from, to);
            assert_eq!(found.len(), 1, "{rule} in {name}: {found:?}");
            assert!(found[0].contains(want), "{rule} in {name}: {found:?}");
        }
    }
}

/// Two stacks of which one needs the other, so that what an edit of one means depends on a file that it does not touch.
fn two_stacks() -> Repo {
    let repo = Repo::atmos();
    for (path, text) in CODE {
        repo.write(path, text);
    }
    repo.write(
        "stacks/deploy/hub.yaml",
        "vars: {stage: hub}\ncomponents:\n  terraform:\n    vpc:\n      vars: {name: hub}\n",
    );
    repo.write(
        "stacks/deploy/dev.yaml",
        "vars: {stage: dev}\ncomponents:\n  terraform:\n    db:\n      vars:\n        network: !terraform.state vpc hub vpc_id\n        size: 1\n      \
         dependencies:\n        components:\n        - {component: vpc, stack: hub}\n",
    );
    repo.commit("base");
    repo
}

#[track_caller]
fn new_findings(repo: &Repo) -> Vec<String> {
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"]);
    assert!(run.status < 2, "{run}");
    run.stdout.lines().filter(|l| l.contains("]: ")).map(str::to_owned).collect()
}

#[test]
fn what_an_edit_does_not_touch_is_no_reason_for_a_finding() {
    let repo = two_stacks();
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: 2");
    assert_eq!(new_findings(&repo), [""; 0]);
    repo.edit("stacks/deploy/dev.yaml", "{component: vpc, stack: hub}", "{name: vpc, stack: hub}");
    assert_eq!(new_findings(&repo), [""; 0]);
}

#[test]
fn what_an_edit_breaks_elsewhere_is_found() {
    for (path, from, to, want) in [
        (
            "stacks/deploy/hub.yaml",
            "    vpc:",
            "    network:",
            "stacks/deploy/dev.yaml:10:23: error[undefined-dependency]",
        ),
        (
            "stacks/deploy/hub.yaml",
            "stage: hub",
            "stage: centre",
            "stacks/deploy/dev.yaml:10:35: error[undefined-dependency]",
        ),
        (
            "stacks/deploy/dev.yaml",
            "vpc hub vpc_id",
            "vpc hbu vpc_id",
            "stacks/deploy/dev.yaml:6:39: error[undefined-component-reference]",
        ),
        (
            "components/terraform/vpc/main.tf",
            "output \"vpc_id\"",
            "output \"id\"",
            "stacks/deploy/dev.yaml:6:43: warning[undefined-output]",
        ),
        (
            "components/terraform/db/variables.tf",
            "type    = number",
            "type    = bool",
            "stacks/deploy/dev.yaml:7:9: error[variable-type-mismatch]",
        ),
        ("stacks/deploy/dev.yaml", "size: 1", "siez: 1", "stacks/deploy/dev.yaml:7:9: warning[undeclared-variable]"),
    ] {
        let repo = two_stacks();
        repo.edit(path, from, to);
        let found = new_findings(&repo);
        assert!(found.iter().any(|f| f.starts_with(want)), "{from} → {to}: {found:#?}");
    }
}

#[test]
fn names_are_corrected_when_asked_for() {
    let repo = two_stacks();
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "siez: 1");
    repo.edit("stacks/deploy/dev.yaml", "vpc hub vpc_id", "vpc hbu vpc_ip");
    repo.edit("stacks/deploy/dev.yaml", "component: vpc, stack: hub", "component: vcp, stack: hub");
    repo.edit("stacks/deploy/dev.yaml", "dev}\n", "dev}\n# dev\n");
    repo.run(&["check", "--unsafe-fixes"]).ends_with(0);
    let text = std::fs::read_to_string(repo.root().join("stacks/deploy/dev.yaml")).unwrap();
    assert!(
        text.contains("size: 1") && text.contains("vpc hub vpc_id") && text.contains("{component: vpc, stack: hub}"),
        "{text}"
    );
}

/// What is found in a project with the code of [`CODE`] and these files, but for what is only a hint.
#[track_caller]
fn found_in(files: &[(&str, &str)]) -> Vec<String> {
    let repo = Repo::atmos();
    for (path, text) in CODE.iter().chain(files) {
        repo.write(path, text);
    }
    let run = repo.run(&["check", "--format", "concise"]);
    assert!(run.status < 2, "{run}");
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn what_may_be_right_is_not_reported() {
    let cases: [(&str, &[(&str, &str)]); 8] = [
        (
            "another component reads the variable",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc: {vars: {name: main, cidr: 10.0.0.0/8}}\n    \
                 db: {vars: {network: '{{ (atmos.Component \"vpc\" .stack).vars.cidr }}'}}\n",
            )],
        ),
        (
            "one heir of two knows the variable",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    base: {metadata: {type: abstract}, vars: {name: main, network: n}}\n    \
                 vpc: {metadata: {inherits: [base]}}\n    db: {metadata: {inherits: [base]}}\n",
            )],
        ),
        (
            "the code is fetched or added to",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc: {source: {uri: 'github.com/x/y', version: '1'}, vars: {other: 1}}\n    \
                 db: {generate: {more.tf: 'variable \"other\" {}'}, vars: {other: 1, network: n}}\n",
            )],
        ),
        (
            "nobody deploys it",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    \
                 db: {metadata: {enabled: false}, vars: {size: x}, dependencies: {components: [{component: nobody}]}}\n    \
                 ghost: {metadata: {type: abstract}, vars: {a: !terraform.state nobody x}}\n",
            )],
        ),
        (
            "only the running system knows",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc: {vars: {name: !env NAME, zones: !store ssm vpc zones}}\n    \
                 db:\n      vars:\n        network: !terraform.state vpc '{{ env \"STACK\" }}' nothing\n        size: '{{ env \"SIZE\" }}'\n",
            )],
        ),
        (
            "the bucket is not known",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\nterraform: {backend_type: s3, backend: {s3: {bucket: !env BUCKET, key: k, workspace_key_prefix: one}}}\n\
                 components:\n  terraform:\n    vpc: {vars: {name: main}}\n    db: {vars: {network: n}}\n",
            )],
        ),
        (
            "a dependency that is not required",
            &[(
                "stacks/deploy/dev.yaml",
                "vars: {stage: dev}\ncomponents:\n  terraform:\n    \
                 db: {vars: {network: n}, dependencies: {components: [{component: '{{ env \"X\" }}'}, {kind: folder, path: x}]}}\n",
            )],
        ),
        (
            "no code is kept here",
            &[
                (
                    "atmos.yaml",
                    "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\ncomponents: {terraform: {base_path: elsewhere}}\n",
                ),
                ("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {a: 1}}}}\n"),
            ],
        ),
    ];
    for (what, files) in cases {
        let found: Vec<String> = found_in(files).into_iter().filter(|l| !l.contains("[incomplete-analysis]")).collect();
        assert_eq!(found, [""; 0], "{what}");
    }
}

#[test]
fn rules_about_what_is_not_there_wait_for_the_whole() {
    let dev = "vars: {stage: dev}\ncomponents: {terraform: {db: {vars: {network: n}, dependencies: {components: [{component: vpc}]}}}}\n";
    let found = found_in(&[
        ("stacks/deploy/dev.yaml", dev),
        ("stacks/deploy/more.yaml", "import: [nowhere]\nvars: {stage: dev}\n"),
    ]);
    assert!(found.len() == 1 && found[0].contains("[unresolved-import]"), "{found:?}");
    let found = found_in(&[("stacks/deploy/dev.yaml", dev)]);
    assert!(found.len() == 1 && found[0].contains("[undefined-dependency]"), "{found:?}");
}

#[test]
fn code_that_cannot_be_read_is_told_once() {
    let stack = "vars: {stage: dev}\ncomponents: {terraform: {db: {vars: {size: [], nobody: 1}}, db/2: {metadata: {component: db}}}}\n";
    let found = found_in(&[
        ("stacks/deploy/dev.yaml", stack),
        ("components/terraform/db/broken.tf", "variable \"x\" {\n  type =\n}\n"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("components/terraform/db/broken.tf:2:1: note[incomplete-analysis]"), "{found:?}");
}
