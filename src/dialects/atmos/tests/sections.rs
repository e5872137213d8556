//! `reference: atmos.md` sections 4.1, 4.2 and 4.9: layers of the sections, keys that are printed.

use super::{World, dev, json};

#[test]
fn layers_from_global_to_component() {
    let found = dev("\
settings: {g: g, t: g, c: g}
env: {G: g, T: g, C: g}
terraform: {vars: {t: t, c: t}, settings: {t: t, c: t}, env: {T: t, C: t}, command: tofu}
components: {terraform: {box: {vars: {c: c}, settings: {c: c}, env: {C: c}}}}
")
    .get("box");
    assert_eq!(found["vars"], json("{stage: dev, t: t, c: c}"));
    assert_eq!(found["settings"], json("{g: g, t: t, c: c}"));
    assert_eq!(found["env"], json("{G: g, T: t, C: c}"));
    assert_eq!(found["command"], "tofu");
}

#[test]
fn requirements_of_the_type_are_ignored() {
    let found = dev("\
terraform: {required_version: '1.9', required_providers: {aws: {version: '5'}}, providers: {aws: {region: eu}}}
components: {terraform: {box: {required_providers: {tls: {version: '4'}}}}}
")
    .refused()
    .get("box");
    assert_eq!(found["required_version"], "");
    assert_eq!(found["required_providers"], json("{tls: {version: '4'}}"));
    assert_eq!(found["providers"], json("{aws: {region: eu}}"));
}

#[test]
fn sections_that_are_no_maps() {
    for section in ["vars", "settings", "env", "metadata", "providers"] {
        for value in ["null", "[1]", "text"] {
            let world = dev(&format!("components:\n  terraform:\n    box:\n      {section}: {value}\n"));
            let findings = world.findings();
            assert_eq!(findings.len(), 1, "{section}: {value} {findings:?}");
            assert!(findings[0].contains("stacks/deploy/dev.yaml:5"), "{findings:?}");
        }
    }
    dev("components:\n  terraform:\n    box:\n").fails(&["stacks/deploy/dev.yaml:4", "`box`"]);
}

#[test]
fn keys_of_every_component() {
    let world = dev("components: {terraform: {box: {}}, helmfile: {app: {}}, packer: {ami: {}}}\n");
    let stacks = world.stacks();
    let keys = |kind: &str, name: &str| -> Vec<String> {
        let map = stacks["dev"]["components"][kind][name].as_object().expect("a component");
        map.keys().cloned().collect()
    };
    let common = "atmos_component atmos_manifest atmos_stack atmos_stack_file auth command component component_info env \
                  inheritance metadata overrides settings stack vars";
    let and = |more: &str| {
        let mut all: Vec<String> = format!("{common} {more}").split_whitespace().map(str::to_owned).collect();
        all.sort();
        all
    };
    let terraform = "backend backend_type generate hooks providers provision remote_state_backend \
                     remote_state_backend_type required_providers required_version source workspace";
    assert_eq!(keys("terraform", "box"), and(terraform));
    assert_eq!(keys("helmfile", "app"), and("hooks provision source"));
    assert_eq!(keys("packer", "ami"), and("provision source"));
}

#[test]
fn optional_sections_are_printed_when_they_hold_something() {
    let found =
        dev("components: {terraform: {box: {dependencies: {tools: {x: '1'}}, retry: {max_attempts: 2}}}}\n").get("box");
    assert_eq!(found["dependencies"], json("{tools: {x: '1'}}"));
    assert_eq!(found["retry"], json("{max_attempts: 2}"));
}

#[test]
fn empty_sections_can_be_left_out() {
    let world = dev("components: {terraform: {box: {vars: {m: {}, t: ''}}}, helmfile: {app: {}}}\n")
        .atmos("describe: {settings: {include_empty: false}}\n");
    let found = world.get("box");
    assert_eq!(found.get("env"), None);
    assert_eq!(found.get("backend"), None);
    assert_eq!(found["backend_type"], "");
    assert_eq!(found["inheritance"], json("[]"));
    assert_eq!(found["vars"], json("{stage: dev, m: {}, t: ''}"));
    assert_eq!(world.stacks()["dev"]["components"]["helmfile"]["app"]["env"], json("{}"));
}

#[test]
fn the_configuration_has_layers_below() {
    let found = dev("env: {B: stack}\ncomponents: {terraform: {box: {}}}\n")
        .atmos("env: {A: 1.50, B: config, C: true}\nintegrations: {github: {Owner: acme}}\n")
        .get("box");
    assert_eq!(found["env"], json("{A: '1.5', B: stack, C: 'true'}"));
    assert_eq!(found["settings"], json("{integrations: {github: {owner: acme}}}"));
}

#[test]
fn unknown_keys_are_not_printed() {
    let found = dev("x-anything: 1\ncomponents: {terraform: {box: {depends_on: {1: {component: a}}, vars: {x: 1}}}}\n")
        .get("box");
    assert_eq!(found.get("depends_on"), None);
    assert_eq!(found.get("x-anything"), None);
}

#[test]
fn a_string_as_source() {
    let found = dev("components: {terraform: {box: {source: 'github.com/acme/x'}}}\n").get("box");
    assert_eq!(found["source"], json("{uri: github.com/acme/x}"));
}

#[test]
fn manifests_of_one_stack_are_one_stack() {
    let world = World::new()
        .stack("deploy/a.yaml", "vars: {stage: dev}\ncomponents: {terraform: {one: {}}}\n")
        .stack("deploy/b.yaml", "vars: {stage: dev}\ncomponents: {terraform: {two: {}}}\n");
    assert_eq!(world.names(), ["dev/one", "dev/two"]);
    assert_eq!(world.get("one")["atmos_stack_file"], "deploy/a");
}
