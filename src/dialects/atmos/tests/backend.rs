//! `reference: atmos.md` section 4.6.

use super::{dev, json};

/// Creates `box` with these backend settings of the type, and its own text.
fn boxed(global: &str, own: &str) -> serde_json::Value {
    dev(&format!("terraform: {{{global}}}\ncomponents: {{terraform: {{base: {{metadata: {{type: abstract}}}}, box: {{{own}}}}}}}\n")).get("box")
}

#[test]
fn addresses_get_a_default() {
    for (kind, key, plain, nested) in [
        ("s3", "workspace_key_prefix", "box", "a-b"),
        ("gcs", "prefix", "box", "a-b"),
        ("azurerm", "key", "box.terraform.tfstate", "a-b.terraform.tfstate"),
    ] {
        let global = format!("backend_type: {kind}, backend: {{{kind}: {{bucket: x}}}}");
        let found = boxed(&global, "");
        assert_eq!(found["backend_type"], kind);
        assert_eq!(found["backend"]["bucket"], "x");
        assert_eq!(found["backend"][key], plain);
        assert_eq!(boxed(&global, "metadata: {component: a/b}")["backend"][key], nested);
        assert_eq!(boxed(&global, "metadata: {component: c, name: a/b}")["backend"][key], nested);
        let own = format!("backend: {{{kind}: {{{key}: mine}}}}");
        assert_eq!(boxed(&global, &own)["backend"][key], "mine");
    }
}

/// What is made once for many components differs where they differ.
#[test]
fn components_of_one_module_have_their_own_names_and_places() {
    let resolution = dev("terraform: {backend_type: s3, backend: {s3: {bucket: x}}}\ncomponents:\n  terraform:\n    \
         a: {metadata: {component: vpc}}\n    \
         b: {metadata: {component: vpc, component_folder_prefix: p}}\n    \
         c: {metadata: {component: other}}\n    d: {backend: {s3: {bucket: y}}}\n")
    .stack("deploy/prod.yaml", "import: [deploy/dev]\nvars: {stage: prod}\n")
    .resolution();
    for unit in &resolution.units {
        let found = unit.components.iter().map(|component| {
            let value = |path: [&str; 2]| component.value.at_path(path).unwrap();
            let text = |path| value(path).as_str().unwrap().to_owned();
            let (path, prefix) = (["component_info", "component_path"], ["backend", "workspace_key_prefix"]);
            let named = component.value.at_path(["metadata", "component"]).and_then(|named| named.prov.origin);
            assert_eq!((value(path).prov.origin, value(prefix).prov.origin), (named, named));
            (text(path), text(prefix), text(["backend", "bucket"]))
        });
        let wanted = [("vpc", "vpc", "x"), ("p/vpc", "vpc", "x"), ("other", "other", "x"), ("d", "d", "y")];
        let wanted = wanted.map(|(path, prefix, bucket)| {
            (format!("components/terraform/{path}"), prefix.to_owned(), bucket.to_owned())
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn other_backends_are_left_alone() {
    let found = boxed("backend_type: local, backend: {local: {path: x}, s3: {bucket: y}}", "");
    assert_eq!(found["backend"], json("{path: x}"));
    let nothing = boxed("", "");
    assert_eq!((&nothing["backend"], &nothing["backend_type"]), (&json("{}"), &json("''")));
}

#[test]
fn empty_addresses_count_as_absent() {
    let found = boxed("backend_type: s3, backend: {s3: {workspace_key_prefix: ''}}", "");
    assert_eq!(found["backend"]["workspace_key_prefix"], "box");
}

#[test]
fn azure_keys_start_with_the_global_one() {
    let global = "backend_type: azurerm, backend: {azurerm: {key: state}}";
    assert_eq!(boxed(global, "")["backend"]["key"], "state/box.terraform.tfstate");
    assert_eq!(boxed(global, "backend: {azurerm: {key: own}}")["backend"]["key"], "own");
}

#[test]
fn the_backend_merges_through_the_layers() {
    let found = boxed(
        "backend_type: s3, backend: {s3: {bucket: global, region: eu}}",
        "backend: {s3: {bucket: own}}, remote_state_backend: {s3: {role: r}}",
    );
    assert_eq!(found["backend"], json("{bucket: own, region: eu, workspace_key_prefix: box}"));
    assert_eq!(found["remote_state_backend_type"], "s3");
    assert_eq!(found["remote_state_backend"], json("{bucket: own, region: eu, workspace_key_prefix: box, role: r}"));
}

#[test]
fn remote_state_of_another_type() {
    let found = boxed(
        "backend_type: s3, backend: {s3: {bucket: a}}, remote_state_backend_type: static, remote_state_backend: {static: {x: 1}}",
        "",
    );
    assert_eq!(found["remote_state_backend_type"], "static");
    assert_eq!(found["remote_state_backend"], json("{x: 1}"));
}

#[test]
fn types_without_configuration_are_findings() {
    let world = |text: &str| dev(&format!("terraform: {{{text}}}\ncomponents: {{terraform: {{box: {{}}}}}}\n"));
    world("backend_type: gcs, backend: {s3: {bucket: x}}").fails(&["stacks/deploy/dev.yaml:2", "`gcs`", "`s3`"]);
    world("backend_type: s3, backend: {s3: {}}, remote_state_backend: {gcs: {}}").fails(&["stacks/deploy/dev.yaml:2"]);
}
