//! `--provider-schema`: the arguments, blocks, types and secrets of resources as their provider has them.

use crate::common::Repo;
use serde_json::json;

/// What `tofu providers schema -json` prints of a provider.
fn schemas() -> String {
    let text = |more: serde_json::Value| {
        let mut attribute = json!({ "type": "string" });
        attribute.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        attribute
    };
    let block = json!({
        "attributes": {
            "id": text(json!({ "computed": true })),
            "name": text(json!({ "required": true })),
            "note": text(json!({ "optional": true })),
            "pin": text(json!({ "optional": true, "sensitive": true })),
            "result": text(json!({ "computed": true, "sensitive": true })),
            "size": { "type": "number", "optional": true },
            "zones": { "type": ["set", "string"], "optional": true },
            "rules": { "type": ["list", ["object", { "port": "number" }]], "optional": true, "computed": true },
            "meta": { "nested_type": { "nesting_mode": "single", "attributes": {
                "label": text(json!({ "optional": true })),
                "note": text(json!({ "optional": true })),
                "uid": text(json!({ "computed": true })),
            } }, "optional": true },
        },
        "block_types": { "disk": { "nesting_mode": "list", "block": { "attributes": {
            "size": { "type": "number", "required": true },
            "key": text(json!({ "optional": true, "sensitive": true })),
        } } } },
    });
    let provider = json!({
        "resource_schemas": { "x_y": { "version": 0, "block": block } },
        "data_source_schemas": { "x_d": { "version": 0, "block": { "attributes": { "name": text(json!({ "optional": true })) } } } },
    });
    json!({ "format_version": "1.0", "provider_schemas": { "registry.opentofu.org/acme/x": provider } }).to_string()
}

const ROOT: &str = "terraform {\n  backend \"local\" {}\n  required_providers {\n    x = {\n      source = \"acme/x\"\n    }\n  }\n}\n";

fn repo(main: &str) -> Repo {
    let repo = Repo::new();
    repo.write("schemas.json", schemas()).write("main.tf", format!("{ROOT}{main}")).commit("base");
    repo
}

#[test]
fn what_the_provider_does_not_have_is_a_finding() {
    for (body, message) in [
        ("name = \"a\"\n  nmae = \"b\"", "an argument named \"nmae\" is not expected here; did you mean \"name\"?"),
        ("name = \"a\"\n  id = \"b\"", "only the provider sets \"id\""),
        ("note = \"a\"", "\"name\" is required"),
        (
            "name = \"a\"\n  disc {\n    size = 1\n  }",
            "blocks of type \"disc\" are not expected here; did you mean \"disk\"?",
        ),
        ("name = \"a\"\n  disk {\n    siez = 1\n    size = 1\n  }", "an argument named \"siez\" is not expected here"),
        ("name = \"a\"\n  disk {}", "\"size\" is required"),
        ("name = \"a\"\n  disk = []", "\"disk\" is a block, not an argument"),
        ("name = \"a\"\n  size = \"big\"", "inappropriate value for \"size\""),
        (
            "name = \"a\"\n  dynamic \"disk\" {\n    for_each = [1]\n    content {\n      huge = 1\n      size = 1\n    }\n  }",
            "an argument named \"huge\"",
        ),
        ("count = 0\n  name = \"a\"\n  nmae = \"b\"", "an argument named \"nmae\""),
    ] {
        let repo = repo(&format!("resource \"x_y\" \"r\" {{\n  {body}\n}}\n"));
        repo.run(&["check", "--provider-schema", "schemas.json", "--format", "concise"]).ends_with(1).says(message);
        repo.run(&["check"]).ends_with(0);
    }
    repo("resource \"x_z\" \"r\" {}\n")
        .run(&["check", "--provider-schema", "schemas.json"])
        .ends_with(1)
        .says("has no resource of type \"x_z\"");
}

#[test]
fn what_the_provider_has_is_no_finding() {
    for main in [
        "resource \"x_y\" \"r\" {\n  count = 2\n  name = \"a\"\n  size = \"5\"\n  zones = [\"b\", \"a\"]\n  meta = { label = \"l\" }\n  rules = [{ port = 1 }]\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n",
        "resource \"x_y\" \"r\" {\n  name = \"a\"\n  rules {\n    port = 1\n  }\n  dynamic \"disk\" {\n    for_each = [1, 2]\n    content {\n      size = disk.value\n    }\n  }\n}\n",
        "data \"x_d\" \"d\" {\n  provider = x\n}\nresource \"other_thing\" \"o\" {\n  any = 1\n}\n",
        "resource \"x_y\" \"r\" {\n  name = \"a\"\n}\noutput \"o\" {\n  value = [x_y.r.id, x_y.r.meta, x_y.r.disk]\n}\n",
    ] {
        repo(main).run(&["check", "--provider-schema", "schemas.json"]).ends_with(0);
    }
}

#[test]
fn attributes_that_are_not_set_are_null_or_unknown() {
    let repo = repo(
        "resource \"x_y\" \"r\" {\n  name = \"a\"\n  size = \"5\"\n  meta = { label = \"l\" }\n}\noutput \"o\" {\n  \
         value = { id = x_y.r.id, none = x_y.r.note == null, disks = length(x_y.r.disk), size = x_y.r.size + 1, uid = x_y.r.meta.uid, \
         note = x_y.r.meta.note == null }\n}\n",
    );
    let stacks = repo.run(&["describe", "stacks", "--format", "json", "--provider-schema", "schemas.json"]).json();
    let value = &stacks["."]["components"]["output"]["o"]["value"];
    let expected = json!({ "id": { "$unknown": "x_y.r.id" }, "none": true, "disks": 0, "size": 6, "uid": { "$unknown": "meta.uid" }, "note": true });
    assert_eq!(*value, expected);
    repo.write(
        "main.tf",
        format!("{ROOT}resource \"x_y\" \"r\" {{\n  name = \"a\"\n}}\noutput \"o\" {{\n  value = x_y.r.nothing\n}}\n"),
    );
    repo.run(&["check", "--provider-schema", "schemas.json"]).ends_with(1).says("nothing");
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn what_the_provider_hides_is_masked() {
    let main = "resource \"x_y\" \"r\" {\n  name = \"a\"\n  pin  = \"zqONEzq\"\n  disk {\n    size = 1\n    key  = \"zqONEzq\"\n  }\n}\n\
                resource \"x_y\" \"s\" {\n  name = \"${x_y.r.pin}-1\"\n}\n";
    let repo = repo(main);
    repo.edit("main.tf", "ONE", "TWO").commit("head");
    for format in ["text", "json", "concise"] {
        repo.run(&["diff", "HEAD~1..HEAD", "--provider-schema", "schemas.json", "--format", format])
            .hides("zqTWOzq")
            .hides("zqONEzq");
    }
    repo.run(&["diff", "HEAD~1..HEAD"]).says("zqTWOzq");
    repo.run(&["diff", "HEAD~1..HEAD", "--provider-schema", "schemas.json"]).says("•••••••• (secret, changed)");
}

#[test]
fn the_settings_name_a_file_of_the_base() {
    let repo = repo("resource \"x_y\" \"r\" {\n  name = \"a\"\n}\n");
    repo.write("stacklint.toml", "provider-schema = \"schemas.json\"\n").commit("settings");
    repo.edit("main.tf", "name = \"a\"", "name = \"a\"\n  nmae = \"b\"");
    repo.run(&["check"]).ends_with(1).says("nmae");
    // A change that brings its own schemas is judged by those of the base.
    repo.write("schemas.json", schemas().replace("\"note\"", "\"nmae\"")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("nmae");
    repo.write("stacklint.toml", "provider-schema = \"none.json\"\n");
    repo.run(&["check"]).ends_with(2).complains("none.json");
}

#[test]
fn a_file_that_holds_no_schemas_is_an_error() {
    let repo = repo("");
    for (text, why) in [
        ("{}", "provider_schemas"),
        ("x", "expected"),
        (
            "{\"provider_schemas\": {\"a/b\": {\"resource_schemas\": {\"x\": {\"block\": {\"attributes\": {\"a\": {\"type\": \"strin\"}}}}}}}}",
            "is no type",
        ),
    ] {
        repo.write("wrong.json", text);
        repo.run(&["check", "--provider-schema", "wrong.json"]).ends_with(2).complains(why);
    }
}
