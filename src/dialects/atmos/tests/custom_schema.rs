//! Schemas of the repository for its manifests.

use super::*;

fn world(manifest: &str, schema: &str) -> World {
    dev(manifest).atmos("schemas: {atmos: {manifest: schemas/own.json}}\n").file("schemas/own.json", schema)
}

#[test]
fn it_replaces_the_one_that_comes_along() {
    let schema = r#"{"type":"object","properties":{"vars":{"required":["owner"]},
        "components":{"additionalProperties":{"additionalProperties":{"properties":{"vars":{"oneOf":[
            {"type":"string","pattern":"^!include"},{"type":"object","properties":{"size":{"type":"integer"}}}]}}}}}}}"#;
    let world = world("components: {terraform: {box: {vars: {size: big}, inherits: [x]}}}\n", schema);
    let wanted = [
        "schema-violation stacks/deploy/dev.yaml:1 `vars` lacks the required key `owner`",
        "schema-violation stacks/deploy/dev.yaml:2 `components.terraform.box.vars.size` must be a whole number, not a string",
    ];
    assert_eq!(world.findings(), wanted);
    // The custom schema allows what the default one rejects.
    assert_eq!(world.file("schemas/own.json", "{}").findings(), [""; 0]);
}

#[test]
fn keys_that_are_not_allowed() {
    let schema = r#"{"properties":{"components":true,"vars":true,"import":true},"additionalProperties":false}"#;
    world("settings: {}\n", schema)
        .fails(&["schema-violation stacks/deploy/dev.yaml:2 `settings` is not allowed in a manifest"]);
}

#[test]
fn one_that_cannot_be_used() {
    let world = |name: &str, text: &str| {
        dev("terraform: {colour: red}\n")
            .atmos(&format!("schemas: {{atmos: {{manifest: '{name}'}}}}\n"))
            .file("schemas/own.json", text)
            .stack("notes.yaml", "# nothing\n")
    };
    world("nowhere.json", "").fails(&[
        "invalid-config atmos.yaml:5 `schemas.atmos.manifest` names a file that does not exist: nowhere.json",
    ]);
    world("schemas/own.json", "type: object\n").fails(&["invalid-config schemas/own.json:1", "not valid JSON"]);
    world("schemas/own.json", r#"{"type": 3}"#)
        .fails(&["invalid-config schemas/own.json:1 this cannot be the schema of manifests: `/type`"]);
    world("https://example.com/s.json", "").fails(&["incomplete-analysis atmos.yaml:5", "fetched from the network"]);
    world("schemas/own.json", r#"{"$ref": "https://example.com/s.json"}"#).fails(&[
        "incomplete-analysis atmos.yaml:5",
        "is not evaluated, because it refers to something outside of the repository",
    ]);
}

#[test]
fn the_environment_may_name_it() {
    let world = dev("settings: {}\n").file("own.json", r#"{"required": ["components"]}"#);
    world
        .env("ATMOS_SCHEMAS_ATMOS_MANIFEST", "own.json")
        .fails(&["schema-violation", "a manifest lacks the required key `components`"]);
}
