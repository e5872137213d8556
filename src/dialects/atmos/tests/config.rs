//! `reference: atmos.md` section 1: where the configuration comes from.

use super::{ATMOS, World, json};

const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n";

fn dev() -> World {
    World::new().stack("deploy/dev.yaml", DEV)
}

#[test]
fn folders_of_settings_lie_below_the_main_file() {
    let world = dev()
        .file("atmos.d/a.yaml", "env: {X: a, Y: a}\n")
        .file("atmos.d/b.yaml", "env: {X: b}\n")
        .file("atmos.d/deep/0.yaml", "env: {Z: deep, X: deep}\n")
        .file("atmos.d/both.yml", "env: {X: yml}\n")
        .file("atmos.d/both.yaml", "env: {W: yaml}\n");
    assert_eq!(world.get("box")["env"], json("{W: yaml, X: deep, Y: a, Z: deep}"));
    let main = world.clone().file("atmos.yaml", &format!("{ATMOS}env: {{X: main}}\n"));
    assert_eq!(main.get("box")["env"]["X"], "main");
    let hidden = world.file(".atmos.d/a.yaml", "env: {Y: hidden}\n");
    assert_eq!(hidden.get("box")["env"]["Y"], "hidden");
}

#[test]
fn imports_of_settings() {
    let world = dev()
        .atmos("import: [settings/*.yaml, settings/gone, https://example.com/x.yaml]\n")
        .file("settings/a.yaml", "env: {A: a, B: a}\n")
        .file("settings/b.yaml", "env: {B: b}\n");
    assert_eq!(world.get("box")["env"], json("{A: a, B: b}"));
}

#[test]
fn nested_imports_of_settings_win_over_all_but_the_main_file() {
    let world = dev()
        .atmos("import: [settings/a]\nenv: {M: main}\n")
        .file("settings/a.yaml", "env: {A: a, B: a, M: a}\nimport: [nested/n]\n")
        .file("nested/n.yaml", "env: {A: n, N: n, M: n}\n");
    assert_eq!(world.get("box")["env"], json("{A: n, B: a, M: main, N: n}"));
}

#[test]
fn only_a_map_replaces_a_map() {
    let templates = |above: &str| {
        World::new()
            .stack("deploy/dev.yaml", "vars: {stage: dev, x: '{{ .vars.stage }}'}\ncomponents: {terraform: {box: {}}}\n")
            .file("atmos.yaml", "base_path: .\nstacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n\
                                 components: {terraform: {base_path: components/terraform}}\nimport: [settings/*.yaml]\n")
            .file("settings/a.yaml", "templates: {settings: {enabled: true}}\nenv: {A: a, B: b}\n")
            .file("settings/b.yaml", above)
    };
    for above in
        ["templates:\n", "templates: {settings: }\n", "templates: text\n", "templates: {settings: [1]}\n", "env: 5\n"]
    {
        let component = templates(above).get("box");
        assert_eq!(component["vars"]["x"], "dev", "{above}");
        assert_eq!(component["env"], json("{A: a, B: b}"), "{above}");
    }
    assert_eq!(templates("env:\n  A: !unset\n").get("box")["env"], json("{B: b}"));
    assert_eq!(templates("env: !unset\n").get("box").get("env"), Some(&json("{}")));
    assert_eq!(templates("env:\n  A:\n  C: 1\n").get("box")["env"], json("{B: b, C: '1'}"));
}

#[test]
fn scalars_are_texts_of_settings() {
    for (command, text) in [("5", "5"), ("1.5", "1.5"), ("true", "1"), ("false", "0")] {
        let world = dev()
            .atmos(&format!("env: {{A: {command}}}\n"))
            .file("atmos.d/a.yaml", &format!("components: {{terraform: {{command: {command}}}}}\n"));
        let component = world.get("box");
        assert_eq!(component["command"], text, "{command}");
        assert_eq!(component["env"]["A"], command);
    }
}

#[test]
fn settings_that_are_missing() {
    for (text, words) in [
        ("base_path: .\n", "stacks.base_path"),
        ("stacks: {base_path: stacks}\n", "stacks.included_paths"),
        ("stacks: {base_path: ../../x, included_paths: ['*']}\n", "out of the repository"),
        ("[1]\n", "map"),
    ] {
        dev().file("atmos.yaml", text).fails(&["invalid-config atmos.yaml", words]);
    }
    dev().file("atmos.yaml", "stacks: [\n").fails(&["invalid-config atmos.yaml:"]);
}

#[test]
fn settings_that_atmos_rejects() {
    dev().atmos("vendor: '!append'\n").fails(&["invalid-config atmos.yaml", "`vendor` must be a map"]);
    dev().atmos("import: [{}]\n").fails(&["invalid-config atmos.yaml", "`import[0]` must be a string"]);
    dev().atmos("logs: {level: loud}\n").fails(&["invalid-config atmos.yaml", "one of Trace, Debug", "not `loud`"]);
    dev()
        .atmos("commands: [{name: a, steps: [[echo]]}]\n")
        .fails(&["invalid-config atmos.yaml", "commands[0].steps[0]"]);
    let fine = dev().atmos("logs: {level: warn}\ncommands: [{name: a, steps: [echo, {command: b}]}]\n");
    fine.get("box");
}

#[test]
fn names_of_the_file() {
    let mut world = dev();
    let text = world.files.remove("atmos.yaml").unwrap();
    world.files.insert("atmos.yml".to_owned(), text);
    world.get("box");
}

#[test]
fn the_environment_wins() {
    assert_eq!(dev().env("ATMOS_STACKS_NAME_PATTERN", "{stage}-{stage}").names(), ["dev-dev/box"]);
    assert_eq!(dev().env("ATMOS_STACKS_NAME_TEMPLATE", "x/{{ .vars.stage }}").names(), ["x/dev/box"]);
    let other = dev().stack("other/qa.yaml", &DEV.replace("dev", "qa"));
    assert_eq!(other.clone().env("ATMOS_STACKS_INCLUDED_PATHS", "other/*,nothing/*").names(), ["qa/box"]);
    assert_eq!(
        other.env("ATMOS_STACKS_INCLUDED_PATHS", "**/*").env("ATMOS_STACKS_EXCLUDED_PATHS", "**/dev.yaml").names(),
        ["qa/box"]
    );
    let path = dev().env("ATMOS_COMPONENTS_TERRAFORM_BASE_PATH", "modules");
    assert_eq!(path.get("box")["component_info"]["component_path"], "modules/box");
    let command = dev().env("ATMOS_COMPONENTS_TERRAFORM_COMMAND", "tofu");
    assert_eq!(command.get("box")["command"], "tofu");
}

#[test]
fn profiles() {
    let world =
        dev().file("profiles/ci/x.yaml", "env: {P: ci}\n").file("profiles/dev/x.yaml", "env: {P: dev, D: dev}\n");
    assert_eq!(world.get("box")["env"], json("{}"));
    assert_eq!(world.clone().env("ATMOS_PROFILE", "ci").get("box")["env"], json("{P: ci}"));
    assert_eq!(world.clone().env("ATMOS_PROFILE", "dev, ci").get("box")["env"], json("{P: ci, D: dev}"));
    assert_eq!(world.atmos("profiles: {default: dev}\n").get("box")["env"], json("{P: dev, D: dev}"));
}

#[test]
fn base_paths() {
    let project = |base: &str| {
        let mut world = World::new();
        world.files.clear();
        world.project.start = "infra".to_owned();
        world
            .file("infra/atmos.yaml", &ATMOS.replace("base_path: .\n", base))
            .file("infra/stacks/deploy/a.yaml", &DEV.replace("dev", "inner"))
            .file("stacks/deploy/b.yaml", &DEV.replace("dev", "outer"))
            .names()
    };
    assert_eq!(project("base_path: .\n"), ["inner/box"]);
    assert_eq!(project("base_path: ./\n"), ["inner/box"]);
    assert_eq!(project("base_path: ..\n"), ["outer/box"]);
    assert_eq!(project("base_path: infra\n"), ["inner/box"]);
    assert_eq!(project(""), ["outer/box"]);
}

#[test]
fn the_nearest_parent_counts() {
    let mut world = dev().file("deep/er/x.txt", "");
    world.project.start = "deep/er".to_owned();
    assert_eq!(world.names(), ["dev/box"]);
}

#[test]
fn keys_in_any_case() {
    let world = World::new().stack("deploy/dev.yaml", DEV);
    assert_eq!(world.set("name_pattern", "Name_Pattern").names(), ["dev/box"]);
}
