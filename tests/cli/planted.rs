//! Findings of rules about components and their code after edits, and cases without findings. `tests/rules/planting` shows
//! that each rule finds its mistake in different projects.

use crate::common::Repo;

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

/// Two stacks of which one depends on the other, so that the effect of an edit depends on a file that it does not
/// touch.
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
fn names_are_corrected_when_requested() {
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

#[test]
fn imports_are_taken_out_when_requested() {
    let repo = Repo::atmos();
    for (name, text) in [("a", "vars: {a: 1}"), ("b", "vars: {a: 2}"), ("idle", "packer: {vars: {a: 3}}")] {
        repo.write(&format!("stacks/catalog/{name}.yaml"), format!("{text}\n"));
    }
    let stack = "import:\n  - catalog/a\n  - catalog/b\n  - catalog/a\n  - catalog/idle\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {}}}\n";
    repo.write("stacks/deploy/dev.yaml", stack);
    let before = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
    let text = || std::fs::read_to_string(repo.root().join("stacks/deploy/dev.yaml")).unwrap();
    // The last import wins, so the first one is removed.
    repo.run(&["check", "--fix"]);
    assert_eq!(text(), stack.replacen("  - catalog/a\n", "", 1));
    repo.run(&["check", "--pedantic", "--unsafe-fixes"]);
    assert_eq!(text(), stack.replacen("  - catalog/a\n", "", 1).replace("  - catalog/idle\n", ""));
    assert_eq!(repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json(), before);
}

/// Returns the findings in a project with the code of [`CODE`] and these files, except hints.
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
                 db: {vars: {network: n}, dependencies: {components: [{component: '{{ env \"X\" }}'}, {kind: folder, path: stacks}]}}\n",
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
    assert!(found.len() == 2 && found[1].contains("[unresolved-import]"), "{found:?}");
    let withheld = "note[incomplete-analysis]: findings of `undefined-dependency` were withheld";
    assert!(found[0].contains(withheld), "{found:?}");
    let found = found_in(&[("stacks/deploy/dev.yaml", dev)]);
    assert!(found.len() == 1 && found[0].contains("[undefined-dependency]"), "{found:?}");
}

#[test]
fn code_that_cannot_be_read_is_reported_once() {
    let stack = "vars: {stage: dev}\ncomponents: {terraform: {db: {vars: {size: [], nobody: 1}}, db/2: {metadata: {component: db}}}}\n";
    let found = found_in(&[
        ("stacks/deploy/dev.yaml", stack),
        ("components/terraform/db/broken.tf", "variable \"x\" {\n  type =\n}\n"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("components/terraform/db/broken.tf:2:9: error[tofu-invalid-syntax]"), "{found:?}");
}
