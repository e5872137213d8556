//! Modules in environments.

use super::*;

fn module(body: &str) -> World {
    World::new(&format!("modules:\n  - name: app\n    type: infra.container_service\n{body}"))
}

#[test]
fn what_is_a_resource() {
    let world = World::new(
        "modules:
  - {name: a, type: infra.vpc}
  - {name: b, type: platform.kubernetes, config: {name: shown}}
  - {name: c, type: iac.provider}
  - {name: d, type: secrets.requires}
  - {name: e}
",
    );
    let stacks = world.stacks();
    assert_eq!(stacks["default"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "plan"]);
    assert_eq!(
        stacks["default"]["plan"]["order"],
        json!(["a", "b"]),
        "what steers resources is shown, and not planned"
    );
    assert_eq!(stacks["default"]["a"], json!({}));
    assert_eq!(stacks["default"]["b"], json!({"config": {"name": "shown"}}));
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn an_environment_lies_over_the_base() {
    let world = module(
        "    config: {a: 1, list: [1, 2], deep: {x: 1, y: {z: 1}}, gone: {k: v}}
    environments:
      prod:
        config: {a: 2, list: [3], deep: {y: {w: 2}}, gone: null, new: true}
      staging: {}
",
    );
    let prod = json!({"a": 2, "list": [3], "deep": {"x": 1, "y": {"z": 1, "w": 2}}, "gone": null, "new": true});
    assert_eq!(world.config("prod", "app"), prod);
    let base = json!({"a": 1, "list": [1, 2], "deep": {"x": 1, "y": {"z": 1}}, "gone": {"k": "v"}});
    assert_eq!(world.config("staging", "app"), base);
}

#[test]
fn a_null_leaves_a_module_out_of_an_environment() {
    let world = World::new(
        "environments: {dev: {}, prod: {}}
modules:
  - {name: a, type: infra.vpc, environments: {dev: null}}
  - {name: b, type: infra.vpc, environments: {other: null}}
",
    );
    let stacks = world.stacks();
    assert!(stacks["dev"]["a"].is_null() && !stacks["prod"]["a"].is_null());
    assert!(!stacks["dev"]["b"].is_null() && stacks["other"]["b"].is_null());
}

#[test]
fn a_name_in_the_configuration_renames_where_the_environment_is_listed() {
    let world = World::new(
        "environments: {dev: {}}
modules:
  - name: vpc
    type: infra.vpc
    config: {name: base-name}
    environments:
      prod: {config: {name: live}}
      empty: {config: {name: ''}}
      plain: {}
  - name: cluster
    type: platform.kubernetes
    environments: {prod: {config: {name: shown}}}
",
    );
    let stacks = world.stacks();
    assert_eq!(stacks["prod"]["live"], json!({"config": {}, "module": "vpc"}));
    assert_eq!(stacks["prod"]["cluster"], json!({"config": {"name": "shown"}}));
    assert_eq!(stacks["empty"]["vpc"], json!({"config": {"name": ""}}));
    // A name in the base has an effect only if the module has a configuration for the environment.
    assert_eq!(stacks["plain"]["base-name"]["module"], "vpc");
    assert_eq!(stacks["dev"]["vpc"], json!({"config": {"name": "base-name"}}));
}

#[test]
fn environments_give_what_modules_lack() {
    let world = World::new(
        "environments:
  prod: {region: nyc1, provider: do, envVars: {LEVEL: info, PORT: 80}}
modules:
  - name: app
    type: infra.container_service
    config: {env_vars: {LEVEL: debug}}
    environments: {prod: {provider: aws}}
  - name: job
    type: infra.container_service
    config: {region: fra1, provider: mine}
  - name: db
    type: infra.database
",
    );
    let app = json!({"env_vars": {"LEVEL": "debug", "PORT": "80"}, "provider": "aws", "region": "nyc1"});
    assert_eq!(world.config("prod", "app"), app);
    let job = json!({"env_vars": {"LEVEL": "info", "PORT": "80"}, "provider": "mine", "region": "fra1"});
    assert_eq!(world.config("prod", "job"), job);
    assert_eq!(world.config("prod", "db"), json!({"provider": "do", "region": "nyc1"}));
}

#[test]
fn protection_is_part_of_the_configuration() {
    let world = module("    protected: true\n");
    assert_eq!(world.config("default", "app"), json!({"protected": true}));
    assert_eq!(module("    protected: false\n").stacks()["default"]["app"], json!({}));
}

#[test]
fn maps_with_keys_that_are_no_text_stay_as_they_are() {
    let world = module("    config: {ports: {80: '${X.y}'}}\n    environments: {prod: {config: {ports: {81: b}}}}\n");
    assert_eq!(world.config("prod", "app"), json!({"ports": {"81": "b"}}));
    let world = module("    config: {ports: {80: '${X.y}'}}\n");
    assert_eq!(world.config("default", "app"), json!({"ports": {"80": "${X.y}"}}));
    assert_eq!(world.findings(), [""; 0]);
}
