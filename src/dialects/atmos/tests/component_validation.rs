//! Validation of components by `settings.validation`.

use super::*;
use crate::source::{Change, ChangeKind};

const POLICY: &str = "package atmos\nimport data.limits\nerrors[m] {\n  input.vars.size > limits.max\n  m = \"too big\"\n}\n\
    errors[m] {\n  input.cli_args[_] == \"apply\"\n  m = \"no apply\"\n}\n";

fn world(component: &str) -> World {
    dev(&format!("components: {{terraform: {{box: {{{component}}}}}}}\n"))
        .atmos("schemas: {jsonschema: {base_path: schemas}, opa: {base_path: policies}}\n")
        .file(
            "schemas/box.json",
            r#"{"properties":{"vars":{"properties":{"size":{"type":"integer"}},"required":["name"]}}}"#,
        )
        .file("policies/size.rego", POLICY)
        .file("policies/lib/limits.rego", "package limits\nmax = 3\n")
        .file("policies/lib/limits_test.rego", "nonsense")
}

fn validated(kind: &str, path: &str, vars: &str) -> World {
    world(&format!(
        "settings: {{validation: {{check: {{schema_type: {kind}, schema_path: {path}, module_paths: [lib]}}}}}}, vars: {{{vars}}}"
    ))
}

#[test]
fn schemas() {
    assert_eq!(validated("jsonschema", "box.json", "size: 1, name: x").findings(), [""; 0]);
    let wanted = [
        "component-validation stacks/deploy/dev.yaml:2 `vars` lacks the required key `name` (component `box`)",
        "component-validation stacks/deploy/dev.yaml:2 `vars.size` must be a whole number, not a string",
    ];
    assert_eq!(validated("jsonschema", "box.json", "size: big").findings(), wanted);
    let deferred = validated("jsonschema", "schemas/box.json", "size: !terraform.state vpc size, name: !env NAME");
    deferred.fails(&[
        "incomplete-analysis stacks/deploy/dev.yaml:2 the requirements of schemas/box.json for `vars.size` are not checked",
    ]);
}

#[test]
fn policies() {
    let wanted = [
        "component-validation stacks/deploy/dev.yaml:2 policy policies/size.rego rejects component `box`: too big",
        "incomplete-analysis policies/size.rego:8 this reads `cli_args`, which is known only at run time",
    ];
    assert_eq!(validated("opa", "size.rego", "size: 4").findings(), wanted);
    assert_eq!(validated("opa", "size.rego", "size: 3").findings(), wanted[1..]);
    let unknown = validated("opa", "size.rego", "size: !terraform.state vpc size").findings();
    assert!(unknown.iter().all(|f| f.starts_with("incomplete-analysis policies/size.rego")), "{unknown:#?}");
    assert_eq!(unknown.len(), 2);
    let data = validated("opa", "size.rego", "size: 4").file("policies/lib/data.json", "{}");
    data.fails(&["incomplete-analysis policies/size.rego:1 this policy is not evaluated: it uses data files"]);
}

#[test]
fn what_cannot_be_used() {
    for (kind, path, parts) in [
        ("cue", "box.json", ["schema-violation", "must be one of `jsonschema`, `opa`, not `cue`"]),
        ("jsonschema", "boxes.json", ["component-validation", "names a file that does not exist: boxes.json"]),
        (
            "jsonschema",
            "../policies/size.rego",
            ["component-validation policies/size.rego:1", "cannot be used: it is not valid JSON"],
        ),
        ("opa", "/etc/x.rego", ["incomplete-analysis", "cannot be read in this repository"]),
        ("opa", "'{{ env \"X\" }}'", ["incomplete-analysis", "its `schema_path` is not known"]),
        ("opa", "lib/limits.rego", ["component-validation", "defines no `errors`"]),
    ] {
        validated(kind, path, "size: 1").fails(&parts);
    }
}

#[test]
fn a_schema_of_the_repository_may_allow_types_that_do_not_exist() {
    let world = validated("cue", "box.json", "size: 1").env("ATMOS_SCHEMAS_ATMOS_MANIFEST", "own.json");
    world.file("own.json", "{}").fails(&["component-validation", "has the type `cue`, which does not exist"]);
}

#[test]
fn what_is_not_validated() {
    let wrong = "settings: {validation: {check: {schema_type: jsonschema, schema_path: nowhere.json}}}";
    world(wrong).fails(&["component-validation"]);
    for more in ["metadata: {type: abstract}", "metadata: {enabled: false}"] {
        assert_eq!(world(&format!("{wrong}, {more}")).findings(), [""; 0]);
    }
    let off = wrong.replace("schema_type", "disabled: true, schema_type");
    assert_eq!(world(&off).findings(), [""; 0]);
}

#[test]
fn a_change_of_what_is_demanded_is_looked_at() {
    let world = validated("opa", "size.rego", "size: 4");
    let source = Memory::new("memory", world.files.clone());
    for (path, wanted) in [("policies/lib/limits.rego", 1), ("policies/size.rego", 1), ("docs/x.rego", 0)] {
        let changes = [Change { path: path.into(), kind: ChangeKind::Modified }];
        let resolution = Atmos::new().resolve(&source, &world.project, &Files::default(), Scope::Touched(&changes));
        let found = resolution.findings.iter().filter(|f| f.rule.id() == "component-validation").count();
        assert_eq!(found, wanted, "{path}");
    }
}
